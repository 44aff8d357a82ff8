/* tiny.h 0.1.0, source 2eae433c7426a58316c330d9c53eda228b8544f387168beb7e2babed2fe1a084

This file is written by tools/amalgamate.py from src/ and never edited by hand.

---- begin src/api/manual.txt ----
tiny.h: a tensor compiler in one C header

WHAT IT IS
  Lazy tensors for C and C++. Operators build a graph and cost next to nothing; when a result is asked for,
  the graph is simplified, fused into kernels, written out as code for the device, compiled, cached and run.
  Gradients, optimisers and training included. It needs libc, libm and threads; with clang (or cc) on the
  machine kernels are compiled, without a compiler they are interpreted.

  In one file of your program:           #define TINY_IMPLEMENTATION
                                         #include "tiny.h"
  in all others:                         #include "tiny.h"
  and to build it:                       cc main.c -lm -lpthread

      tiny_ctx *t = tiny_open(NULL);                             // default device, all defaults
      tiny_tensor *x = tiny_rand(t, TINY_SHAPE(512, 784));
      tiny_tensor *w = tiny_rand(t, TINY_SHAPE(784, 10));
      tiny_tensor *y = tiny_softmax(tiny_matmul(x, w), -1);      // nothing has run yet
      float out[512 * 10];
      if (tiny_read(y, out, sizeof out) != TINY_OK) puts(tiny_error(t));
      tiny_close(t);

DO THIS                                          NOT THIS
  Build a whole result, then tiny_read it once.    Read after every operator: each read runs what it needs.
  Wrap a step in tiny_begin(t) .. tiny_end(t).     Free temporaries one by one.
  tiny_keep what must outlive its frame.           Use a tensor after the tiny_end of its frame.
  Use tiny_scalar for a value that changes.        Bake it in with tiny_full: a new kernel for each value.
  Check tiny_status once, after the step.          Check every operator: a poisoned tensor passes through.
  Give each thread its own context.                Share a context between threads without a lock.
  Keep shapes the same from step to step.          Change them each time: each shape is planned anew.
  Define TINY_IMPLEMENTATION in one file.          Define it in a header.

WHAT IT DOES NOT DO
  No global state, no abort, no exit, no signal handlers. No output unless asked for, but one line when there
  is no compiler, and a line of progress on a terminal while many kernels are compiled. It does not load
  models by itself, does not run operators eagerly, does not hide copies between devices, and does not need a
  build system.

THE SECTIONS OF THIS HEADER (search for the mark)
  >>types         error codes, dtypes, shapes           >>reductions   sum, max, mean, argmax, cumsum
  >>context       open, close, errors, frames, totals   >>nn           matmul, softmax, conv2d, gradients
  >>tensors       creation, reading, assignment         >>programs     captured programs, kernels of your own
  >>movement      reshape, permute, pad, slice, cat     >>views        shape, stride and mask of flat memory
  >>elementwise   arithmetic, comparisons, where        >>ir           the graph's nodes: build, print, parse
                                                        >>backends     what a device is; adding one

THE WAY THROUGH
  tensor calls -> graph of UOps -> schedule (ranges, fusion, memory plan) -> kernels
  -> moves (tile, vectorise, thread) -> lower -> linear list -> text of the device's language
  -> compiler -> program cache -> launches

  All of it works on one kind of node, tiny_uop; rules that read as algebra rewrite it on the way. The rooms
  of src/ stand in this order below, and the table after this manual tells at which line.

OPTIONS (macros, defined before the include)
  TINY_IMPLEMENTATION   this file gets the implementation
  TINY_STATIC           every function is static: private to this file, any number of copies in one program
  To leave parts out (in every file alike, as the declarations go with them):
  TINY_NO_NN            the section >>nn: matmul to dropout, gradients, optimisers
  TINY_NO_INTERP        the interpreter: the device INTERP, tiny_reference, tiny_uop_eval; kernels need a compiler
  TINY_NO_DISK          no file is read or written: nothing is cached, and of the compilers only clang will do
  TINY_NO_THREADS       tiny_parallel is a loop, unless the program brings a pool; no -lpthread

ENVIRONMENT (tiny_desc has the same switches, all but TINY_CC; what the program sets there wins)
  TINY_DEV        the device, as in tiny_desc.device: CPU, INTERP (interpreter), NULL (does nothing: reading
                  gives zeros), the name of a backend that the program brought, or NAME:1
  TINY_DEBUG      letters, any number of them:
                    k  kernels: a line each, with name, time, GFLOPS, GB/s, memory
                    s  schedule: the kernels of each new graph and their memory: leaves L, outputs O,
                       temporaries T by their offset in the arena
                    i  IR after each pass            c  source code of kernels     d  their disassembly
                    r  rules, each time one fires    R  hits and attempts of each rule, when a context closes
                    t  totals when a context closes  p  progress of compilation, also without a terminal
                    0  no optimisation moves: kernels as the scheduler wrote them
                  k and t wait for each kernel, to time it; c and d compile anew what lies on disk
  TINY_CACHE      folder of compiled programs; empty: keep nothing on disk
  TINY_THREADS    number of threads of the CPU device
  TINY_CC         the compiler of kernels, a clang or gcc, instead of the first of clang, cc and gcc

ERRORS
  A call that cannot do its work records a code and a message that names shapes or values, and returns a code,
  NULL, or the context's poisoned tensor: never NULL from an operator, and every operator passes poison
  through. The first error stays until tiny_clear: tiny_status gives its code, tiny_error its message. NULL
  tensors count as poisoned.

MEMORY
  All memory comes from tiny_desc.alloc, one function shaped like realloc, or from malloc, and big buffers then
  from the system. Only compiled code lies in pages of its own. tiny_desc.max_nbytes caps the buffers. When
  memory is refused, the call fails with TINY_E_MEMORY, nothing leaks, and the context goes on working.
  tiny_from copies, tiny_blob does not. tiny_free drops a handle; what other tensors were built from stays.

FRAMES
  A tensor made between tiny_begin and tiny_end dies at tiny_end unless tiny_keep moved it out. Frames nest.
  tiny_end also runs the assignments that are pending; what was built from the old contents and lives on is
  computed before they are overwritten. A training step is begin, loss, tiny_grad, a step of the optimiser,
  end. The same step again is found in the schedule cache by its structure and replayed; no annotation is
  needed.

THREADS
  A context and its tensors belong to one thread at a time; contexts share nothing, so each thread may have
  its own. The CPU device runs kernels on its own threads or on tiny_desc.pool. Results do not depend on their
  number.

PROGRAMS
  tiny_capture plans and compiles the kernels between inputs and outputs; tiny_run replays them on other
  inputs of the same shapes. What is not among the inputs stays what it was at capture: other tensors by their
  memory, scalars and random numbers by their values.

KERNELS OF YOUR OWN
  tiny_kernel takes source in the device's language or a graph of UOps and gives a tensor like any other. On
  the CPU source is C, and its entry point is
      void NAME(void *const *mem, const long long *args, long long task)
  mem[0] points to the elements of the output, mem[1] .. to those of the inputs, all row-major; it is called
  once for each task from 0 to global[0] * global[1] * global[2] - 1, on several threads at once. It includes
  nothing and calls nothing but mem and math functions of the C library.

BUILDING
  C11 or later, C++17 or later; gcc, clang and MSVC's dialect; Linux, macOS and Windows. Kernels are compiled
  on x86-64 and arm64, and interpreted elsewhere. Link with -lm and -lpthread where the system keeps these
  apart. The implementation may be compiled as C and used from C++, and the other way round.
---- end src/api/manual.txt ----

Where things stand in tiny.h

    228  src/api/api.h               everything a user may call, in the order he meets it
    775  src/base/memory.c           the context, the caller's allocator, scratch memory, and what happens
                                     when there is none left
    939  src/base/hash.c             mixing for structural hashes, and a map from pointers to pointers in
                                     scratch memory for the passes
    994  src/base/text.c             building strings and byte runs in scratch memory; error messages that
                                     name shapes; debug lines
   1082  src/base/os.c               the only room that knows which system it runs on: Linux, macOS, Windows;
                                     x86-64, arm64
   1689  src/base/process.c          runs child processes, several at a time, each fed from memory and heard
                                     into memory
   2018  src/ir/dtype.c              what the element types are: sizes, names, classes, promotion, and the one
                                     form that values have in the IR
   2206  src/ir/alu.c                the meaning of every arithmetic op, once
   2337  src/ir/uop.c                the one node type, from a user's matmul to a loop counter
   2825  src/ir/args.c               which k, v and sources fit an op
   2943  src/ir/print.c              the one notation of the IR, for dumps, golden files and test input
   3564  src/ir/match.c              sets of rewrite rules, the patterns they are found by, and the walks that
                                     apply them to a fixed point
   4137  src/ir/build.c              makes nodes of tensor graphs: arithmetic that broadcasts as NumPy,
                                     movement, reductions, constants
   4351  src/ir/eval.c               the reference interpreter, the oracle of every test and the device of
                                     last resort
   5181  src/ir/spec.c               the verifier
   5483  src/rules/gradient.c        reverse-mode differentiation as rules: what flows into the sources of a
                                     node, given what flows into the node
   5640  src/rules/notation.c        the algebra that bodies of rules are written in
   5675  src/rules/affine.c          integer expressions as sums of terms: coefficient * node + constant
   5848  src/rules/divmod.c          floor division and modulo of sums by positive constants, as reshapes and
                                     permutes make them
   6008  src/rules/symbolic.c        the algebra of expressions: constants, identities, sums, comparisons,
                                     conditions, casts
   6400  src/rules/valid.c           what a condition tells about the expressions that are only looked at
                                     where it holds
   6588  src/rules/reduce.c          loops that algebra makes unnecessary: sums of what does not change,
                                     counts of where a mask holds, and sums of which at most one summand is
                                     not zero
   6803  src/rules/transcendental.c  EXP2, LOG2, SIN and POW of f32 and f64 from arithmetic, WHERE, casts and
                                     integers
   7099  src/rules/decompose.c       from what the IR means to what a language can say
   7647  src/rules/notation_end.c    takes back the algebra of notation.c and the form of rule sets
                                     (ir/match.c), so that none of their short names reaches the including
                                     file
   7681  src/shape/view.c            shape, strides, offset and mask over flat memory; stacks of views; index
                                     and validity expressions
   8179  src/tensor/tensor.c         the handle that users hold, the frames that free it, and assignment in
                                     place
   8533  src/tensor/create.c         tensors from numbers, and the identities that change how a tensor is
                                     stored or typed
   8634  src/tensor/movement.c       operators that give another view of the same elements, and cat and stack,
                                     which add padded parts
   8909  src/tensor/elementwise.c    unary, binary and comparison operators: a table of names, the dtypes they
                                     take, and a formula each
   9194  src/tensor/reduce.c         folds along axes, what is computed from them, and running sums
   9398  src/tensor/random.c         numbers from a counter, the same on every device
   9461  src/tensor/nn.c             products of matrices, convolution and pooling by windows that are views,
                                     normalisation, losses, lookups
   9909  src/tensor/grad.c           reverse-mode automatic differentiation of tensors: the walk around
                                     rules/gradient.c
  10026  src/tensor/optim.c          SGD and Adam
  10174  src/schedule/rangeify.c     decides which nodes of a tensor graph are stored, and writes the kernel
                                     of each
  10726  src/schedule/plan.c         a tensor graph -> the steps that compute it, and the cache that knows a
                                     graph again
  11203  src/codegen/moves.c         what optimisation may do to a kernel
  11402  src/codegen/expand.c        STAGE becomes memory, stores and barriers; UPCAST, UNROLL and VECTOR
                                     ranges become copies and lanes
  11754  src/codegen/lower.c         from an expanded kernel to the ops that a target runs: accumulators for
                                     REDUCE, work items for parallel ranges, one range per END, decomposed
                                     arithmetic, index arithmetic in a real integer type
  11986  src/codegen/linearize.c     a lowered kernel -> the list of its nodes in the order they run, with
                                     loops open from RANGE to END
  12085  src/codegen/optimize.c      chooses moves for a kernel in microseconds, from strides and a count of
                                     loads per multiply-add
  12546  src/render/lang_c.c         the descriptor of C as the CPU speaks it: gcc >= 9 and clang,
                                     freestanding, no includes, GNU vectors
  12707  src/render/cstyle.c         a program -> text in any C-like language; the language is data
                                     (tiny_language), and nothing about one is here
  13110  src/runtime/pool.c          the context's threads, which stand ready between kernels
  13308  src/runtime/elf.c           loads a freestanding relocatable ELF64 object into executable memory: the
                                     linker that kernels need, and no more
  13695  src/runtime/cpu.c           the processor that the host runs on, as a backend
  14031  src/runtime/interp.c        the backend INTERP
  14111  src/runtime/null.c          a device on which everything succeeds and nothing runs: the whole stack
                                     above it works on any machine, and its own cost can be measured
  14166  src/runtime/device.c        which backend a context runs on, and the memory of its buffers
  14364  src/runtime/program.c       kernels -> executables: lowered, rendered, compiled in few processes,
                                     found again in memory and on disk
  14753  src/runtime/run.c           nodes to realize -> kernels launched: plans are made or found, memory is
                                     bound, handles settle on the results
  15103  src/runtime/realize.c       bytes in and out of tensors: what a user calls to upload, run, read and
                                     end a frame
  15322  src/runtime/capture.c       kernels that users bring (source or IR), and programs: kernels captured
                                     once, replayed with other inputs
  15562  src/runtime/context.c       opening and closing, the first error, totals
*/
#ifndef TINY_H
#define TINY_H
// ---- begin src/api/api.h ----
// api.h: everything a user may call, in the order he meets it.
//
// Conventions, stated once:
//  - Shapes are written outermost first; strides count elements; sizes named nbytes count bytes.
//  - A failed call returns the context's poisoned tensor, which every operator passes through; the first
//    error stays with the context (tiny_status, tiny_error) until tiny_clear. Nothing ever aborts the host.
//  - A context and its tensors belong to one thread at a time. Contexts share nothing.
//  - In every descriptor struct zero means default, and a NULL descriptor means all defaults.
//  - Operators are lazy: they check their arguments, build graph nodes and cost well under a microsecond each.
//  - Tensors belong to their context. One made between tiny_begin and tiny_end dies at tiny_end unless
//    tiny_keep was called; one made outside of a frame lives until tiny_free or tiny_close.
#include <stddef.h>
#include <stdint.h>

#define TINY_VERSION_MAJOR 0
#define TINY_VERSION_MINOR 1
#define TINY_VERSION "0.1.0"

#ifdef TINY_STATIC
  #if defined(__GNUC__) || defined(__clang__)
    #define TINY_API __attribute__((unused)) static
  #else
    #define TINY_API static
  #endif
#elif defined(__cplusplus)
  #define TINY_API extern "C"
#else
  #define TINY_API extern
#endif

typedef struct tiny_ctx     tiny_ctx;      // one device, its caches, its tensors
typedef struct tiny_tensor  tiny_tensor;   // a lazy array: shape, dtype and the graph that makes it
typedef struct tiny_program tiny_program;  // captured kernels, planned and compiled
typedef struct tiny_uop     tiny_uop;      // a node of the IR
typedef struct tiny_backend tiny_backend;  // a kind of device

// ** codes, dtypes, shapes ******************************************************************** >>types

typedef enum tiny_code {
  TINY_OK = 0,
  TINY_E_ARG,       // an argument is out of its documented range, or NULL
  TINY_E_SHAPE,     // shapes do not fit each other
  TINY_E_DTYPE,     // the operator has no meaning for this dtype
  TINY_E_MEMORY,    // the allocator returned NULL or the cap was reached
  TINY_E_DEVICE,    // no such device, or the device failed
  TINY_E_COMPILE,   // the kernel compiler failed; the message holds its first lines
  TINY_E_IO,        // a file could not be read or written
  TINY_E_STATE,     // the call is out of order (tiny_end without tiny_begin ...)
  TINY_E_INTERNAL   // a bug of this library: the message names the room that noticed
} tiny_code;

typedef enum tiny_dtype {                  // order is the order of promotion within a kind
  TINY_VOID = 0,                           // in a descriptor: the default dtype
  TINY_BOOL,
  TINY_I8, TINY_U8, TINY_I16, TINY_U16, TINY_I32, TINY_U32, TINY_I64, TINY_U64,
  TINY_F16, TINY_BF16, TINY_F32, TINY_F64,
  TINY_INDEX,                              // IR only: integers of index arithmetic before a width is chosen
  TINY_DTYPE_COUNT
} tiny_dtype;

#define TINY_MAX_DIMS 16
#define TINY_ALL (-1000)                   // as an axis: all axes

typedef struct tiny_shape { int ndim; int64_t dim[TINY_MAX_DIMS]; } tiny_shape;

// TINY_SHAPE(2, 3): a shape, an axis list or a list of amounts. TINY_SHAPE() has no dims: a 0-d tensor.
#ifdef __cplusplus
  template <typename... T> static inline tiny_shape tiny_shape_of(T... d) {
    const int64_t v[] = {0, static_cast<int64_t>(d)...};
    tiny_shape s = tiny_shape();
    s.ndim = static_cast<int>(sizeof...(d));
    for (int i = 0; i < s.ndim && i < TINY_MAX_DIMS; i++) s.dim[i] = v[i + 1];
    return s;
  }
  #define TINY_SHAPE(...) tiny_shape_of(__VA_ARGS__)
#else
  #define TINY_SHAPE(...) \
    tiny_shape_of((int)(sizeof((int64_t[]){0, __VA_ARGS__}) / sizeof(int64_t)) - 1, (int64_t[]){0, __VA_ARGS__})
  static inline tiny_shape tiny_shape_of(int n, const int64_t *v) {
    tiny_shape s;
    s.ndim = n;                            // more than TINY_MAX_DIMS is an error of the call that takes it
    for (int i = 0; i < TINY_MAX_DIMS; i++) s.dim[i] = i < n ? v[i + 1] : 0;
    return s;
  }
#endif

TINY_API size_t      tiny_dtype_nbytes(tiny_dtype d);   // bytes of one element; TINY_INDEX: 8; TINY_VOID: 0
TINY_API const char *tiny_dtype_name(tiny_dtype d);     // "f32"
TINY_API tiny_dtype  tiny_promote(tiny_dtype a, tiny_dtype b);  // the least dtype that holds both, as PyTorch promotes

// ** context ********************************************************************************** >>context

// Behaves as realloc: ptr NULL allocates, new_nbytes 0 frees and returns NULL. old_nbytes is exact.
// Results are aligned for any basic type. May return NULL: the call that needed it fails with TINY_E_MEMORY.
typedef struct tiny_alloc {
  void *(*fn)(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes); void *user;
} tiny_alloc;

// The host's own threads: calls task(arg, i) once for every i in 0..n-1, in any order, on any threads, and
// returns when all have returned.
typedef struct tiny_pool {
  void (*fn)(void *user, int n, void (*task)(void *arg, int i), void *arg); void *user;
  int threads;
} tiny_pool;

typedef struct tiny_logger { void (*fn)(void *user, const char *line); void *user; } tiny_logger;

typedef struct tiny_desc {
  // "CPU", "INTERP", "NULL", a backend's name, "NAME:1"; NULL: $TINY_DEV, else the first that opens
  const char *device;
  const tiny_backend *backends[8];         // companions and own accelerators; CPU, INTERP and NULL are always there
  int threads;                             // 0: one per core, or $TINY_THREADS
  tiny_pool pool;                          // instead of own threads
  tiny_alloc alloc; size_t max_nbytes;     // host's allocator; cap on the bytes of all live buffers (0: none)
  tiny_logger log;                         // where lines go; default stderr, and only when asked by debug
  const char *cache_dir;                   // NULL: $TINY_CACHE or the system's cache folder; "": keep nothing on disk
  const char *debug;                       // letters as in $TINY_DEBUG (see the manual); NULL: $TINY_DEBUG
  uint64_t seed;                           // of tiny_rand and tiny_randn
} tiny_desc;

// Opens a context. d may be NULL. Returns NULL only when memory for the context itself is short; any other
// failure (no such device ...) gives a context whose tiny_status says so and whose operators return poison.
TINY_API tiny_ctx   *tiny_open(const tiny_desc *d);
TINY_API void        tiny_close(tiny_ctx *t);            // frees every tensor and program of t; NULL is allowed
TINY_API const char *tiny_error(const tiny_ctx *t);      // first error's message; "" when there is none; never NULL
TINY_API tiny_code   tiny_status(const tiny_ctx *t);     // first error's code
TINY_API void        tiny_clear(tiny_ctx *t);            // forgets the error; poisoned tensors stay poisoned
TINY_API const char *tiny_device(const tiny_ctx *t);     // "CPU"

TINY_API void        tiny_begin(tiny_ctx *t);            // opens a frame; frames nest
TINY_API tiny_code   tiny_end(tiny_ctx *t);              // runs pending assignments, frees the frame's tensors
TINY_API tiny_tensor *tiny_keep(tiny_tensor *x);         // moves x out of all frames: it lives until tiny_free
TINY_API void        tiny_free(tiny_tensor *x);          // frees the handle; graphs built from it keep what they need

typedef struct tiny_stats {                // totals since tiny_open
  uint64_t kernels, compiled, cache_hits;  // launches; programs compiled; programs taken from disk
  uint64_t schedules, replays;             // graphs planned; graphs found in the schedule cache
  uint64_t flops, nbytes_moved;            // of all launches, as estimated from the kernels
  uint64_t device_ns, compile_ns, lower_ns;// device_ns only counts while debug asks for timing
  uint64_t nbytes_live, nbytes_peak;       // device memory
  uint64_t nodes;                          // live IR nodes
} tiny_stats;
TINY_API tiny_stats  tiny_get_stats(const tiny_ctx *t);

// ** tensors ********************************************************************************** >>tensors

TINY_API tiny_tensor *tiny_from(tiny_ctx *t, const void *data, tiny_dtype dtype, tiny_shape shape);  // copies data now
// Wraps caller's memory without a copy, for devices that share memory with the host; it must outlive the tensor
// and everything computed from it. strides in elements, NULL: contiguous. Assignment writes through.
TINY_API tiny_tensor *tiny_blob(tiny_ctx *t, void *data, tiny_dtype dtype, tiny_shape shape, const int64_t *strides);
TINY_API tiny_tensor *tiny_full(tiny_ctx *t, double value, tiny_dtype dtype, tiny_shape shape);
TINY_API tiny_tensor *tiny_zeros(tiny_ctx *t, tiny_dtype dtype, tiny_shape shape);
TINY_API tiny_tensor *tiny_ones(tiny_ctx *t, tiny_dtype dtype, tiny_shape shape);
// 0-d constant of x's dtype: tiny_mul(x, tiny_like(x, 2)).
TINY_API tiny_tensor *tiny_like(tiny_tensor *x, double value);
// A 0-d value that may change every step without a new kernel being made: learning rates, step counts.
TINY_API tiny_tensor *tiny_scalar(tiny_ctx *t, double value, tiny_dtype dtype);
TINY_API tiny_tensor *tiny_arange(tiny_ctx *t, double start, double stop, double step, tiny_dtype dtype);
TINY_API tiny_tensor *tiny_eye(tiny_ctx *t, int64_t n, tiny_dtype dtype);
// f32 uniform in [0,1); same numbers on every device.
TINY_API tiny_tensor *tiny_rand(tiny_ctx *t, tiny_shape shape);
TINY_API tiny_tensor *tiny_randn(tiny_ctx *t, tiny_shape shape);                 // f32 normal, mean 0, deviation 1

// Realizes x, copies it out row-major; nbytes must be its size.
TINY_API tiny_code   tiny_read(tiny_tensor *x, void *out, size_t nbytes);
// Replaces the contents of a realized or fresh tensor.
TINY_API tiny_code   tiny_write(tiny_tensor *x, const void *data, size_t nbytes);
// Runs what x[0..n-1] need, in one schedule.
TINY_API tiny_code   tiny_realize(tiny_tensor *const *x, int n);
#ifndef TINY_NO_INTERP
// What x is by definition: its graph interpreted node by node, without fusion, codegen or device code. Slow; for tests.
TINY_API tiny_code   tiny_reference(tiny_tensor *x, void *out, size_t nbytes);
#endif
TINY_API double      tiny_item(tiny_tensor *x);                                  // the only element of x; NaN on error
TINY_API tiny_shape  tiny_shape_get(const tiny_tensor *x);
TINY_API tiny_dtype  tiny_dtype_get(const tiny_tensor *x);
TINY_API int64_t     tiny_nelem(const tiny_tensor *x);
TINY_API int         tiny_ok(const tiny_tensor *x);                              // 0: NULL or poisoned
TINY_API tiny_ctx   *tiny_ctx_of(const tiny_tensor *x);

// In-place assignment: later uses of dst see value (broadcast to dst's shape, cast to its dtype); tensors already
// built from dst keep the old contents. Runs at tiny_end, or when dst is read. dst may be a view made by
// tiny_shrink, tiny_permute ... of a tensor that was assigned, read or created from data. Returns dst.
TINY_API tiny_tensor *tiny_assign(tiny_tensor *dst, tiny_tensor *value);
TINY_API tiny_tensor *tiny_contiguous(tiny_tensor *x);                           // fusion stops here: x is stored
TINY_API tiny_tensor *tiny_detach(tiny_tensor *x);                               // no gradient flows through
TINY_API tiny_tensor *tiny_cast(tiny_tensor *x, tiny_dtype dtype);
TINY_API tiny_tensor *tiny_bitcast(tiny_tensor *x, tiny_dtype dtype);            // same element size only

// ** movement: never copies ******************************************************************* >>movement

TINY_API tiny_tensor *tiny_reshape(tiny_tensor *x, tiny_shape shape);            // one dim may be -1
TINY_API tiny_tensor *tiny_permute(tiny_tensor *x, tiny_shape axes);
TINY_API tiny_tensor *tiny_transpose(tiny_tensor *x, int a, int b);
// Broadcasts; new dims go in front; -1 keeps a dim.
TINY_API tiny_tensor *tiny_expand(tiny_tensor *x, tiny_shape shape);
// (b0,a0, b1,a1, ...), negative amounts crop.
TINY_API tiny_tensor *tiny_pad(tiny_tensor *x, tiny_shape before_after, double value);
TINY_API tiny_tensor *tiny_shrink(tiny_tensor *x, tiny_shape begin_end);         // (b0,e0, b1,e1, ...)
TINY_API tiny_tensor *tiny_flip(tiny_tensor *x, tiny_shape axes);
// Python's rules; step may be negative.
TINY_API tiny_tensor *tiny_slice(tiny_tensor *x, int axis, int64_t start, int64_t stop, int64_t step);
TINY_API tiny_tensor *tiny_squeeze(tiny_tensor *x, int axis);
TINY_API tiny_tensor *tiny_unsqueeze(tiny_tensor *x, int axis);
TINY_API tiny_tensor *tiny_flatten(tiny_tensor *x, int first, int last);
TINY_API tiny_tensor *tiny_cat(tiny_tensor *const *xs, int n, int axis);
TINY_API tiny_tensor *tiny_stack(tiny_tensor *const *xs, int n, int axis);

// ** elementwise: broadcast as NumPy, promote as PyTorch ************************************** >>elementwise

TINY_API tiny_tensor *tiny_add(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_sub(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_mul(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_div(tiny_tensor *a, tiny_tensor *b);                  // integers divide as f32
TINY_API tiny_tensor *tiny_floor_div(tiny_tensor *a, tiny_tensor *b);            // integer x // 0 is 0
TINY_API tiny_tensor *tiny_remainder(tiny_tensor *a, tiny_tensor *b);            // sign of b; integer x % 0 is x
TINY_API tiny_tensor *tiny_pow(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_maximum(tiny_tensor *a, tiny_tensor *b);              // NaN if either is
TINY_API tiny_tensor *tiny_minimum(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_lt(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_gt(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_le(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_ge(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_eq(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_ne(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_bitwise_and(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_bitwise_or(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_bitwise_xor(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_shift_left(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_shift_right(tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_where(tiny_tensor *cond, tiny_tensor *a, tiny_tensor *b);
TINY_API tiny_tensor *tiny_neg(tiny_tensor *x);
TINY_API tiny_tensor *tiny_abs(tiny_tensor *x);
TINY_API tiny_tensor *tiny_sign(tiny_tensor *x);
TINY_API tiny_tensor *tiny_square(tiny_tensor *x);
TINY_API tiny_tensor *tiny_sqrt(tiny_tensor *x);
TINY_API tiny_tensor *tiny_rsqrt(tiny_tensor *x);
TINY_API tiny_tensor *tiny_reciprocal(tiny_tensor *x);
TINY_API tiny_tensor *tiny_exp(tiny_tensor *x);
TINY_API tiny_tensor *tiny_exp2(tiny_tensor *x);
TINY_API tiny_tensor *tiny_log(tiny_tensor *x);
TINY_API tiny_tensor *tiny_log2(tiny_tensor *x);
TINY_API tiny_tensor *tiny_sin(tiny_tensor *x);
TINY_API tiny_tensor *tiny_cos(tiny_tensor *x);
TINY_API tiny_tensor *tiny_tan(tiny_tensor *x);
TINY_API tiny_tensor *tiny_tanh(tiny_tensor *x);
TINY_API tiny_tensor *tiny_sigmoid(tiny_tensor *x);
TINY_API tiny_tensor *tiny_relu(tiny_tensor *x);
TINY_API tiny_tensor *tiny_silu(tiny_tensor *x);
TINY_API tiny_tensor *tiny_gelu(tiny_tensor *x);                                 // the tanh form
TINY_API tiny_tensor *tiny_trunc(tiny_tensor *x);
TINY_API tiny_tensor *tiny_floor(tiny_tensor *x);
TINY_API tiny_tensor *tiny_ceil(tiny_tensor *x);
TINY_API tiny_tensor *tiny_round(tiny_tensor *x);                                // halves to even
TINY_API tiny_tensor *tiny_clamp(tiny_tensor *x, double lo, double hi);
TINY_API tiny_tensor *tiny_logical_not(tiny_tensor *x);
TINY_API tiny_tensor *tiny_isnan(tiny_tensor *x);

// ** reductions: axis may be negative or TINY_ALL ********************************************* >>reductions

// f16, bf16 accumulate in f32; small ints give i32 or u32.
TINY_API tiny_tensor *tiny_sum(tiny_tensor *x, int axis, int keepdim);
TINY_API tiny_tensor *tiny_prod(tiny_tensor *x, int axis, int keepdim);
TINY_API tiny_tensor *tiny_max(tiny_tensor *x, int axis, int keepdim);
TINY_API tiny_tensor *tiny_min(tiny_tensor *x, int axis, int keepdim);
TINY_API tiny_tensor *tiny_mean(tiny_tensor *x, int axis, int keepdim);
TINY_API tiny_tensor *tiny_var(tiny_tensor *x, int axis, int keepdim, int correction);
TINY_API tiny_tensor *tiny_argmax(tiny_tensor *x, int axis, int keepdim);        // i32; the first of equals
TINY_API tiny_tensor *tiny_argmin(tiny_tensor *x, int axis, int keepdim);
TINY_API tiny_tensor *tiny_cumsum(tiny_tensor *x, int axis);
// Reduces several axes at once. op: '+', '*' or 'M' (maximum).
TINY_API tiny_tensor *tiny_reduce(tiny_tensor *x, char op, tiny_shape axes, int keepdim);

// ** linear algebra, neural networks ********************************************************** >>nn

#ifndef TINY_NO_NN
// x (..,M,K) @ w (..,K,N) -> (..,M,N). Leading dims broadcast; a 1-d operand acts as a row or column and its dim
// vanishes. f16 and bf16 accumulate in f32. TINY_E_SHAPE if the inner dims differ.
TINY_API tiny_tensor *tiny_matmul(tiny_tensor *x, tiny_tensor *w);
// x (..,K), w (N,K), bias (N) or NULL -> (..,N).
TINY_API tiny_tensor *tiny_linear(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias);
TINY_API tiny_tensor *tiny_softmax(tiny_tensor *x, int axis);
TINY_API tiny_tensor *tiny_log_softmax(tiny_tensor *x, int axis);
TINY_API tiny_tensor *tiny_logsumexp(tiny_tensor *x, int axis, int keepdim);
TINY_API tiny_tensor *tiny_cross_entropy(tiny_tensor *logits, tiny_tensor *labels);    // (N,C), integer (N) -> 0-d mean
// Integer (..) -> bool (..,classes).
TINY_API tiny_tensor *tiny_one_hot(tiny_tensor *labels, int64_t classes);
TINY_API tiny_tensor *tiny_gather(tiny_tensor *x, int axis, tiny_tensor *index);       // as torch.gather
// Index (n): rows, out of range gives 0.
TINY_API tiny_tensor *tiny_index_select(tiny_tensor *x, int axis, tiny_tensor *index);
typedef struct tiny_conv2d_desc { int stride[2], pad[2], dilation[2], groups; } tiny_conv2d_desc; // zero: 1, 0, 1, 1
// x (B,C,H,W), w (O,C/groups,KH,KW), bias (O) or NULL -> (B,O,H',W').
TINY_API tiny_tensor *tiny_conv2d(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias, const tiny_conv2d_desc *d);
TINY_API tiny_tensor *tiny_max_pool2d(tiny_tensor *x, int kernel, int stride, int pad);// stride 0: kernel
TINY_API tiny_tensor *tiny_avg_pool2d(tiny_tensor *x, int kernel, int stride, int pad);
// Over the last ndims dims; w, b may be NULL.
TINY_API tiny_tensor *tiny_layer_norm(tiny_tensor *x, int ndims, tiny_tensor *w, tiny_tensor *b, double eps);
typedef struct tiny_batch_norm_state {
  tiny_tensor *mean, *var, *weight, *bias;
  double eps, momentum;                    // 0: 1e-5, 0.1
} tiny_batch_norm_state;
// x (B,C,..). train: normalizes by the batch and assigns the running mean and variance (C); else by those.
TINY_API tiny_tensor *tiny_batch_norm(tiny_tensor *x, tiny_batch_norm_state *s, int train);
TINY_API tiny_tensor *tiny_dropout(tiny_tensor *x, double p, int train);

// grads[i] = d loss / d params[i], new lazy tensors. loss must have one element. A parameter that loss does not
// depend on gets zeros. Gradients can be differentiated again.
TINY_API tiny_code   tiny_grad(tiny_tensor *loss, tiny_tensor *const *params, int n, tiny_tensor **grads);

// Optimisers: zero-initialised structs that own their state; every step only queues assignments.
typedef struct tiny_sgd {
  double lr, momentum, weight_decay;       // lr 0: 1e-2
  int nesterov;
  tiny_tensor **velocity; int n;           // its own
} tiny_sgd;
typedef struct tiny_adam {
  double lr, beta1, beta2, eps;            // 0: 1e-3, 0.9, 0.999, 1e-8
  double weight_decay;                     // decouples (AdamW)
  tiny_tensor **m, **v; int n; int64_t step;       // its own
} tiny_adam;
TINY_API tiny_code   tiny_sgd_step(tiny_sgd *o, tiny_tensor *const *params, tiny_tensor *const *grads, int n);
TINY_API tiny_code   tiny_adam_step(tiny_adam *o, tiny_tensor *const *params, tiny_tensor *const *grads, int n);
TINY_API void        tiny_sgd_free(tiny_sgd *o);
TINY_API void        tiny_adam_free(tiny_adam *o);
#endif // TINY_NO_NN

// ** programs and kernels ********************************************************************* >>programs

// Captures the kernels that make outputs from inputs. Inputs must be realized; their contents are not frozen.
TINY_API tiny_program *tiny_capture(tiny_ctx *t, tiny_tensor *const *inputs, int n, tiny_tensor *const *outputs, int m);
// Replays with other inputs of the same shapes. outputs[i] are fresh tensors. Cost: about a microsecond per kernel.
TINY_API tiny_code   tiny_run(tiny_program *p, tiny_tensor *const *inputs, tiny_tensor **outputs);
TINY_API int         tiny_program_kernels(const tiny_program *p);
TINY_API void        tiny_program_free(tiny_program *p);

typedef struct tiny_kernel_desc {
  const char *name;                        // entry point of source
  const char *source;                      // in the device's language, called as the manual says, or
  tiny_uop *uops;                          // a SINK of STOREs to PARAM 0 (the output) from PARAMs 1.. (the inputs)
  tiny_tensor *const *inputs; int n;       // realized before the kernel runs
  tiny_shape shape; tiny_dtype dtype;      // of the output
  int64_t global[3], local[3];             // work groups and work items per group; zero: 1
} tiny_kernel_desc;
TINY_API tiny_tensor *tiny_kernel(tiny_ctx *t, const tiny_kernel_desc *d);

// ** views: shape, strides, offset, mask over flat memory ************************************* >>views

// Element (i0, i1, ..) of a view lives at flat element offset + sum i_d * stride[d], and exists only where
// begin[d] <= i_d < end[d] for every d; elsewhere the view reads as zero. Strides may be 0 (broadcast) or negative.
typedef struct tiny_view {
  int ndim;
  int64_t dim[TINY_MAX_DIMS], stride[TINY_MAX_DIMS], begin[TINY_MAX_DIMS], end[TINY_MAX_DIMS];
  int64_t offset;
} tiny_view;

// A stack of views: v[0] views memory, each further view indexes the flat, row-major elements of the one before it.
#define TINY_MAX_VIEWS 8
typedef struct tiny_views { int n; tiny_view v[TINY_MAX_VIEWS]; } tiny_views;

// Pure functions on caller's structs: no context, no allocation. They return TINY_E_SHAPE and leave *v unchanged
// when the arguments do not fit, TINY_E_STATE when a stack would need more than TINY_MAX_VIEWS views.
TINY_API tiny_views tiny_views_of(tiny_shape shape);                             // contiguous
TINY_API tiny_views tiny_views_strided(tiny_shape shape, const int64_t *strides, int64_t offset);
TINY_API tiny_code  tiny_views_permute(tiny_views *v, tiny_shape axes);
TINY_API tiny_code  tiny_views_expand(tiny_views *v, tiny_shape shape);          // same ndim: dims of 1 grow
TINY_API tiny_code  tiny_views_pad(tiny_views *v, tiny_shape before_after);      // amounts >= 0
TINY_API tiny_code  tiny_views_shrink(tiny_views *v, tiny_shape begin_end);
TINY_API tiny_code  tiny_views_flip(tiny_views *v, tiny_shape axes);
// Pushes a view when strides cannot express it.
TINY_API tiny_code  tiny_views_reshape(tiny_views *v, tiny_shape shape);
// 1: one view, row-major, offset 0, no mask.
TINY_API int        tiny_views_contiguous(const tiny_views *v);
// Flat element of memory, or -1 where masked out.
TINY_API int64_t    tiny_views_at(const tiny_views *v, const int64_t *index);
// Index and validity expressions of element (index[0], ..) for the IR. *valid is a bool CONST 1 when there is no mask.
TINY_API tiny_code  tiny_views_expr(tiny_ctx *t, const tiny_views *v, tiny_uop *const *index,
                                    tiny_uop **flat, tiny_uop **valid);

// ** the IR *********************************************************************************** >>ir

// name, sources (-1: any number), flags. What k, v and the sources of an op mean is told in ir/uop.c.
#define TINY_OPS(_) \
  /* leaves */ \
  _(CONST, 0, 0) _(BUFFER, 0, 0) _(PARAM, 0, 0) _(SCALAR, 0, 0) _(ARG, 0, 0) _(IOTA, 0, 0) \
  _(RANGE, 1, 0) _(SPECIAL, 1, 0) _(DEFINE, 0, 0) _(LANE, 0, 0) \
  /* tensor graph */ \
  _(RESHAPE, 1, TINY_MOVEMENT) _(PERMUTE, 1, TINY_MOVEMENT) _(EXPAND, 1, TINY_MOVEMENT) _(PAD, 1, TINY_MOVEMENT) \
  _(SHRINK, 1, TINY_MOVEMENT) _(FLIP, 1, TINY_MOVEMENT) _(VIEW, 1, TINY_MOVEMENT) \
  _(REDUCE, -1, 0) _(CONTIGUOUS, 1, 0) _(DETACH, 1, 0) _(ASSIGN, 3, 0) _(CUSTOM, -1, 0) \
  /* memory, order and loops */ \
  _(STAGE, -1, 0) _(INDEX, -1, 0) _(LOAD, -1, 0) _(STORE, -1, TINY_VOIDOP) _(AFTER, -1, 0) _(BARRIER, -1, TINY_VOIDOP) \
  _(END, -1, TINY_VOIDOP) _(IF, -1, TINY_VOIDOP) _(ENDIF, 1, TINY_VOIDOP) _(GROUP, -1, TINY_VOIDOP) \
  _(SINK, -1, TINY_VOIDOP) \
  /* lanes of vectors */ \
  _(BROADCAST, 1, 0) _(STACK, -1, 0) _(PICK, 1, 0) _(HREDUCE, 1, 0) \
  /* arithmetic */ \
  _(CAST, 1, 0) _(BITCAST, 1, 0) \
  _(NEG, 1, TINY_ALU) _(EXP2, 1, TINY_ALU) _(LOG2, 1, TINY_ALU) _(SIN, 1, TINY_ALU) _(SQRT, 1, TINY_ALU) \
  _(TRUNC, 1, TINY_ALU) \
  _(ADD, 2, TINY_ALU | TINY_COMM | TINY_ASSOC) _(MUL, 2, TINY_ALU | TINY_COMM | TINY_ASSOC) \
  _(SUB, 2, TINY_ALU) _(FDIV, 2, TINY_ALU) \
  _(IDIV, 2, TINY_ALU) _(MOD, 2, TINY_ALU) _(CDIV, 2, TINY_ALU) _(CMOD, 2, TINY_ALU) \
  _(MAX, 2, TINY_ALU | TINY_COMM | TINY_ASSOC) \
  _(LT, 2, TINY_ALU | TINY_CMP) _(NE, 2, TINY_ALU | TINY_CMP | TINY_COMM) _(EQ, 2, TINY_ALU | TINY_CMP | TINY_COMM) \
  _(AND, 2, TINY_ALU | TINY_COMM | TINY_ASSOC) _(OR, 2, TINY_ALU | TINY_COMM | TINY_ASSOC) \
  _(XOR, 2, TINY_ALU | TINY_COMM | TINY_ASSOC) \
  _(SHL, 2, TINY_ALU) _(SHR, 2, TINY_ALU) _(POW, 2, TINY_ALU) \
  _(WHERE, 3, TINY_ALU) _(MULADD, 3, TINY_ALU) _(THREEFRY, 4, TINY_ALU)

enum { TINY_MOVEMENT = 1, TINY_ALU = 2, TINY_CMP = 4, TINY_COMM = 8, TINY_ASSOC = 16, TINY_VOIDOP = 32 };
enum {
#define TINY_OP_ENUM(name, nsrc, flags) TINY_OP_##name,
  TINY_OPS(TINY_OP_ENUM)
#undef TINY_OP_ENUM
  TINY_OP_COUNT
};

struct tiny_uop {                          // immutable; same op, dtype, lanes, k, v, ptr and src: same pointer
  uint8_t op, dtype, ndim, flags;          // ndim: of the tensor graph's shape; flags: private
  uint16_t lanes; uint16_t nv;             // lanes >= 1; nv: length of v
  uint32_t nsrc, mark, seq, slot;          // mark, seq: private to walks; slot: to the table of nodes
  tiny_uop **src;
  int64_t k;                               // CONST: the value (floats: bits of the f64); else see ir/uop.c
  const int64_t *v, *dim;                  // list argument; shape
  void *ptr;                               // BUFFER: storage; CUSTOM: description
  int64_t vmin, vmax;                      // bounds of integers and bools, inclusive
  uint64_t hash;                           // structural: independent of addresses and of creation order
  tiny_uop *next, *realized;               // private: table chain; the BUFFER that holds this node's value
};

// Nodes live until nothing that the context knows refers to them; build and use them without tensor calls between.
TINY_API tiny_uop   *tiny_uop_new(tiny_ctx *t, int op, tiny_dtype dtype, tiny_uop *const *src, int nsrc,
                                  int64_t k, const int64_t *v, int nv);
TINY_API tiny_uop   *tiny_uop_of(const tiny_tensor *x);                          // the graph of a tensor
// As snprintf: returns the length needed.
TINY_API size_t      tiny_uop_print(tiny_ctx *t, tiny_uop *u, char *out, size_t nbytes);
TINY_API tiny_uop   *tiny_uop_parse(tiny_ctx *t, const char *text);              // NULL and an error with a caret
TINY_API tiny_uop   *tiny_uop_simplify(tiny_ctx *t, tiny_uop *u);                // symbolic algebra to a fixed point
#ifndef TINY_NO_INTERP
// Interprets an expression; vars[i] is the value of every RANGE, ARG and SCALAR with id i. Result in out as int64
// or f64 bits.
TINY_API tiny_code   tiny_uop_eval(tiny_ctx *t, tiny_uop *u, const int64_t *vars, int nvars, int64_t *out);
#endif
TINY_API const char *tiny_op_name(int op);

// ** backends ********************************************************************************* >>backends

typedef struct tiny_limits {               // what kernels of a device may use; zero: none, or no limit
  int host_memory;                         // 1: handles are host pointers
  int threads;                             // CPU style: THREAD ranges become tasks of a pool; 0: a grid of work items
  int vector_nbytes, vector_registers;     // widest vector register
  size_t shared_nbytes, cache_nbytes;      // LOCAL memory of a work group; innermost cache worth packing for
  int64_t global_max[3], local_max[3], local_total;
  uint64_t dtypes;                         // bit per dtype that has arithmetic; 0: all
} tiny_limits;

// A C-like language, all of it: formats that the renderer fills in. %0 %1 %2: operands, always atoms or in
// parentheses; %t: the result's type, %e: the type of its elements, %i: the signed integer type of its width and
// lanes, %s: the type of operand 0; %l: lanes, %b: bits of an element, %k: the node's k; %n: a name;
// %a: parameters; %d: a number or dimension.
typedef struct tiny_language {
  const char *name, *file;                 // "C", "c": file extension in dumps
  const char *const *prelude;              // lines before the first kernel of a module; NULL ends them
  const char *lanes;                       // a line for every number of lanes in use: "LANES(%l)"; NULL: none
  const char *kernel, *buffer, *scalar;    // "void %n(%a) {", "%t *%n", "%t %n": entry, parameters; NULL: not in %a
  const char *open_buffer, *open_scalar;   // statements that fetch parameter %n from slot %k; NULL: none
  const char *entry;                       // the last statements before the body; NULL: none
  const char *local, *barrier;             // "__local %t %n[%d];"
  const char *global_id, *local_id;        // "get_group_id(%d)"
  const char *types[TINY_DTYPE_COUNT];     // NULL: not even stored: held as an integer of its size
  const char *vector;                      // name of a vector type: "%ex%l"; NULL: no vectors
  const char *ops[TINY_OP_COUNT];          // NULL: not in the language, decomposed before rendering
  const char *vops[TINY_OP_COUNT];         // with a vector as operand or result; NULL: as ops
  const char *address;                     // of element %1 of memory %0: "%0 + %1"
  // Vectors of memory: %0 address (gather, scatter: memory, then %1 elements), value of a store, mask, otherwise
  const char *load, *load_masked;          // "%0"; "%0 %1 mask %2 otherwise"
  const char *gather, *gather_masked;      // "%0 %1"; "%0 %1 %2 mask %3 otherwise"
  const char *store, *store_masked;        // "%0 %1"; "%0 %1 %2 mask"
  const char *scatter, *scatter_masked;    // "%0 %1 %2"; "%0 %1 %2 %3 mask"
  const char *stream;                      // as store, past the caches, for what is written once; NULL: none
  const char *low, *high;                  // halves of a vector: %t of %s; NULL: HREDUCE picks its lanes
  const char *infinity, *nan;
  uint32_t flags;                          // TINY_LANG_*
} tiny_language;
enum {
  TINY_LANG_SATURATES = 1,                 // float to integer saturates and NaN gives 0
  TINY_LANG_DIVIDES = 2,                   // integer x / 0 is 0 and x % 0 is x, and the least integer / -1 wraps
  TINY_LANG_SHIFTS = 4,                    // shifts by the width or more give 0 (or the sign)
  TINY_LANG_OPTIMIZES = 8,                 // its compiler turns divisions by constants into multiplications
  TINY_LANG_PREFERS_SHIFTS = 16            // multiplications by powers of two are written as shifts
};

typedef struct tiny_mem { void *base; size_t offset; } tiny_mem;
typedef struct tiny_launch {
  const tiny_mem *mem; int nmem;           // one per PARAM
  const int64_t *args; int nargs;          // one per ARG: bits of its dtype, low bytes first
  int64_t global[3], local[3];
  int64_t tasks;                           // limits.threads: number of tasks, run through tiny_parallel
} tiny_launch;

// A growing run of bytes in the context's scratch memory: valid until the call of the library that made it returns.
typedef struct tiny_bytes { tiny_ctx *t; char *data; size_t n, cap; } tiny_bytes;
TINY_API void       tiny_bytes_add(tiny_bytes *b, const void *data, size_t nbytes);      // keeps a 0 after the end
// Records the context's first error (printf format) and returns code. For backends.
TINY_API tiny_code  tiny_fail(tiny_ctx *t, tiny_code code, const char *format, ...);
// Runs task(arg, i) for every i in 0..n-1 on the context's threads and returns when all are done.
TINY_API void       tiny_parallel(tiny_ctx *t, int n, void (*task)(void *arg, int i), void *arg);

// One struct of functions and nothing else: a companion header is one of these. dev is what open returned.
// Functions that fail call tiny_fail and return its code, or NULL. All are called on the context's thread.
struct tiny_backend {
  const char *name;
  void      *(*open)(tiny_ctx *t, const char *which, tiny_limits *limits);       // which: "" or what follows ':'
  void       (*close)(void *dev);
  // Part of the disk cache's key: "x86_64 avx512f".
  const char *(*target)(void *dev);
  void       (*language)(void *dev, tiny_language *out);                         // NULL: load_uops takes the IR itself
  void      *(*alloc)(void *dev, size_t nbytes);                                 // NULL: no memory
  void       (*free)(void *dev, void *mem, size_t nbytes);
  tiny_code  (*copy_in)(void *dev, tiny_mem dst, const void *src, size_t nbytes);
  tiny_code  (*copy_out)(void *dev, void *dst, tiny_mem src, size_t nbytes);
  // n modules at once, so that a device may compile them in parallel: source[i] -> binary[i]; what the compiler
  // says -> log.
  tiny_code  (*compile)(void *dev, int n, const char *const *source, tiny_bytes *binary, tiny_bytes *log);
  void      *(*load)(void *dev, const void *binary, size_t nbytes);              // a module
  void      *(*load_uops)(void *dev, tiny_uop *const *list, int n);              // a module of one kernel
  void       (*unload)(void *dev, void *module);
  void      *(*find)(void *dev, void *module, const char *kernel);               // NULL: not in it
  tiny_code  (*launch)(void *dev, void *kernel, const tiny_launch *l);           // may return before it ran
  tiny_code  (*sync)(void *dev);
};
// ---- end src/api/api.h ----
#endif // TINY_H

// The implementation, for the one file that defines TINY_IMPLEMENTATION. It compiles as C and as C++; the
// functions above are extern "C" there, so both kinds of files link with it. (TINY_STATIC: all is static.)
#if defined(TINY_IMPLEMENTATION) && !defined(TINY_IMPLEMENTATION_DONE)
#define TINY_IMPLEMENTATION_DONE
#ifndef TINY_AMALGAMATED
  #define TINY_AMALGAMATED
#endif
// ---- begin src/all.c ----
// all: the whole library as one translation unit, one #include a room, in reading order. A room uses only rooms above
// it. Development builds and tests compile this file; tools/amalgamate.py follows the list to write tiny.h.

// ** base: memory, hashes, text, the operating system **
// ---- begin src/base/memory.c ----
// memory: the context, the caller's allocator, scratch memory, and what happens when there is none left.
//
// In:  sizes. Out: bytes from the caller's allocator, or from a bump arena that is emptied when the outermost
//      guarded call returns.
// Two kinds of code allocate. Operators (light) make a few nodes: a failure gives NULL, and then poison. Everything
// that plans, compiles or runs (heavy) sits inside tn_guard: there a failure unwinds to tn_guard with longjmp, so
// passes need no checks. What must outlive the call is linked to the context before the next allocation is made.
#ifndef TN_BASE_MEMORY
#define TN_BASE_MEMORY
#ifndef TINY_AMALGAMATED
#include "../api/api.h"
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <limits.h>

#ifndef TN_FIRST_NBYTES                    // test builds shrink every first size "to give bugs a chance"
  #define TN_FIRST_NBYTES (64 * 1024)
  #define TN_FIRST_SLOTS 64
#endif

#if defined(__GNUC__) || defined(__clang__)
  #define TN_PRINTF(at, args) __attribute__((format(printf, at, args)))
#else
  #define TN_PRINTF(at, args)
#endif

typedef struct tn_chunk { struct tn_chunk *older; size_t cap, used; } tn_chunk;

struct tiny_ctx {
  tiny_alloc alloc; size_t max_nbytes;
  jmp_buf *trap;                           // where a failed allocation of heavy code unwinds to
  tn_chunk *scratch;                       // newest chunk first
  tiny_code code; char message[1024];      // the first error
  tiny_logger log; char debug[32];
  uint64_t seed;
  tiny_stats stats;
  // one pointer a room, made by the room's open and freed by its close
  struct tn_ir *ir; struct tn_match *match; struct tn_tensors *tensors; struct tn_schedules *schedules;
  struct tn_device *device; struct tn_programs *programs; struct tn_pool *pool; struct tn_runtime *runtime;
};

static void *tn_default_alloc(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  (void)user; (void)old_nbytes;
  if (new_nbytes) return realloc(ptr, new_nbytes);
  free(ptr);
  return NULL;
}

TINY_API tiny_code tiny_fail(tiny_ctx *t, tiny_code code, const char *format, ...) TN_PRINTF(3, 4);
TINY_API tiny_code tiny_fail(tiny_ctx *t, tiny_code code, const char *format, ...) {
  if (!t || t->code != TINY_OK) return code;
  t->code = code;
  va_list args;
  va_start(args, format);
  vsnprintf(t->message, sizeof t->message, format, args);
  va_end(args);
  return code;
}

static void *tn_out_of_memory(tiny_ctx *t, size_t nbytes) {
  tiny_fail(t, TINY_E_MEMORY, "out of memory: %llu bytes were refused by the allocator",
            (unsigned long long)nbytes);
  if (t->trap) longjmp(*t->trap, 1);
  return NULL;
}

// As the caller's allocator; NULL only in light code.
static void *tn_realloc(tiny_ctx *t, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  void *p = t->alloc.fn(t->alloc.user, ptr, old_nbytes, new_nbytes);
  return p || !new_nbytes ? p : tn_out_of_memory(t, new_nbytes);
}
static void *tn_alloc(tiny_ctx *t, size_t nbytes) {
  void *p = tn_realloc(t, NULL, 0, nbytes);
  if (p) memset(p, 0, nbytes);
  return p;
}
static void tn_release(tiny_ctx *t, void *ptr, size_t nbytes) {
  if (ptr) t->alloc.fn(t->alloc.user, ptr, nbytes, 0);
}

// ** scratch: lives until the outermost tn_guard returns **

static void *tn_scratch(tiny_ctx *t, size_t nbytes) {
  nbytes = (nbytes + 15) & ~(size_t)15;
  if (!t->scratch || t->scratch->cap - t->scratch->used < nbytes) {
    size_t cap = t->scratch ? t->scratch->cap * 2 : TN_FIRST_NBYTES;
    if (cap < nbytes) cap = nbytes;
    const size_t head = (sizeof(tn_chunk) + 15) & ~(size_t)15;
    tn_chunk *c = (tn_chunk *)tn_realloc(t, NULL, 0, head + cap);
    if (!c) return NULL;
    c->older = t->scratch; c->cap = cap; c->used = 0;
    t->scratch = c;
  }
  char *p = (char *)t->scratch + ((sizeof(tn_chunk) + 15) & ~(size_t)15) + t->scratch->used;
  t->scratch->used += nbytes;
  return memset(p, 0, nbytes);
}

// Frees all chunks but the newest (and largest), which is kept for the next call unless all is set.
static void tn_scratch_reset(tiny_ctx *t, int all) {
  tn_chunk *keep = all ? NULL : t->scratch, *c = keep ? keep->older : t->scratch;
  while (c) {
    tn_chunk *older = c->older;
    tn_release(t, c, ((sizeof(tn_chunk) + 15) & ~(size_t)15) + c->cap);
    c = older;
  }
  t->scratch = keep;
  if (keep) { keep->older = NULL; keep->used = 0; }
}

// A pass whose result holds no scratch memory gives back what it took: it stays in the caches, and small.
typedef struct tn_mark { tn_chunk *chunk; size_t used; } tn_mark;

static tn_mark tn_scratch_mark(tiny_ctx *t) {
  const tn_mark m = {t->scratch, t->scratch ? t->scratch->used : 0};
  return m;
}
static void tn_scratch_rewind(tiny_ctx *t, tn_mark m) {
  tn_chunk *top = t->scratch;
  if (top != m.chunk) while (top->older != m.chunk) {      // of the chunks made since, the newest and largest stays
    tn_chunk *c = top->older;
    top->older = c->older;
    tn_release(t, c, ((sizeof(tn_chunk) + 15) & ~(size_t)15) + c->cap);
  }
  if (top) top->used = top == m.chunk ? m.used : 0;
}

// Grows a scratch array to hold one more element.
static void *tn_grow(tiny_ctx *t, void *array, int n, int *cap, size_t elem_nbytes) {
  if (n < *cap) return array;
  *cap = *cap ? *cap * 2 : 16;
  void *grown = tn_scratch(t, (size_t)*cap * elem_nbytes);
  if (n) memcpy(grown, array, (size_t)n * elem_nbytes);
  return grown;
}
#define TN_PUSH(t, array, n, cap, type) \
  (((array) = (type *)tn_grow(t, array, n, &(cap), sizeof(type))), &(array)[(n)++])

typedef struct tn_list { tiny_uop **u; int n, cap; } tn_list;
static void tn_push(tiny_ctx *t, tn_list *l, tiny_uop *u) { *TN_PUSH(t, l->u, l->n, l->cap, tiny_uop *) = u; }

// Runs heavy code: allocation failures inside of fn end up here as TINY_E_MEMORY. Nested calls join the outermost.
static tiny_code tn_guard(tiny_ctx *t, tiny_code (*fn)(tiny_ctx *t, void *arg), void *arg) {
  if (t->trap) return fn(t, arg);
  jmp_buf env;
  if (setjmp(env)) {
    t->trap = NULL;
    tn_scratch_reset(t, 1);
    return TINY_E_MEMORY;
  }
  t->trap = &env;
  const tiny_code code = fn(t, arg);
  t->trap = NULL;
  tn_scratch_reset(t, 0);
  return code;
}
#endif
// ---- end src/base/memory.c ----
// ---- begin src/base/hash.c ----
// hash: mixing for structural hashes, and a map from pointers to pointers in scratch memory for the passes.
#ifndef TN_BASE_HASH
#define TN_BASE_HASH
#ifndef TINY_AMALGAMATED
#include "memory.c"
#endif

// The finaliser of splitmix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
static uint64_t tn_hash_mix(uint64_t h, uint64_t v) {
  h += v + 0x9E3779B97F4A7C15ull;
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBull;
  return h ^ (h >> 31);
}

static uint64_t tn_hash_bytes(uint64_t h, const void *data, size_t nbytes) {
  const unsigned char *p = (const unsigned char *)data;
  for (; nbytes >= 8; p += 8, nbytes -= 8) { uint64_t v; memcpy(&v, p, 8); h = tn_hash_mix(h, v); }
  uint64_t tail = nbytes;
  for (size_t i = 0; i < nbytes; i++) tail |= (uint64_t)p[i] << (8 * (i + 1) & 63);
  return tn_hash_mix(h, tail);
}

typedef struct tn_map { const void **key; void **value; int n, cap; } tn_map;

static int tn_map_slot(const tn_map *m, const void *key) {
  // Fibonacci hashing (Knuth, The Art of Computer Programming, vol. 3, 6.4): the product's high bits
  int i = (int)((uint64_t)(uintptr_t)key * 0x9E3779B97F4A7C15ull >> 32 & (uint64_t)(m->cap - 1));
  while (m->key[i] && m->key[i] != key) i = (i + 1) & (m->cap - 1);
  return i;
}
static void *tn_map_get(const tn_map *m, const void *key) {
  return m->cap ? m->value[tn_map_slot(m, key)] : NULL;
}
static int tn_map_has(const tn_map *m, const void *key) {
  return m->cap && m->key[tn_map_slot(m, key)] != NULL;
}
static void tn_map_set(tiny_ctx *t, tn_map *m, const void *key, void *value) {
  if (m->n * 2 >= m->cap) {
    tn_map old = *m;
    m->cap = old.cap ? old.cap * 2 : TN_FIRST_SLOTS;
    m->key = (const void **)tn_scratch(t, (size_t)m->cap * sizeof *m->key);
    m->value = (void **)tn_scratch(t, (size_t)m->cap * sizeof *m->value);
    for (int i = 0; i < old.cap; i++) if (old.key[i]) {
      const int s = tn_map_slot(m, old.key[i]);
      m->key[s] = old.key[i]; m->value[s] = old.value[i];
    }
  }
  const int s = tn_map_slot(m, key);
  if (!m->key[s]) { m->key[s] = key; m->n++; }
  m->value[s] = value;
}
#endif
// ---- end src/base/hash.c ----
// ---- begin src/base/text.c ----
// text: building strings and byte runs in scratch memory; error messages that name shapes; debug lines.
#ifndef TN_BASE_TEXT
#define TN_BASE_TEXT
#ifndef TINY_AMALGAMATED
#include "hash.c"
#endif

TINY_API void tiny_bytes_add(tiny_bytes *b, const void *data, size_t nbytes) {
  if (b->n + nbytes + 1 > b->cap) {
    size_t cap = b->cap ? b->cap * 2 : 256;
    while (cap < b->n + nbytes + 1) cap *= 2;
    char *grown = (char *)tn_scratch(b->t, cap);
    if (b->n) memcpy(grown, b->data, b->n);
    b->data = grown; b->cap = cap;
  }
  if (nbytes) memcpy(b->data + b->n, data, nbytes);
  b->n += nbytes;
  b->data[b->n] = 0;
}

static void tn_text_add_list(tiny_bytes *b, const char *format, va_list args) {
  char brief[512];
  va_list again;
  va_copy(again, args);
  const int n = vsnprintf(brief, sizeof brief, format, args);
  if (n >= 0 && (size_t)n < sizeof brief) tiny_bytes_add(b, brief, (size_t)n);
  else if (n >= 0) {
    char *big = (char *)tn_scratch(b->t, (size_t)n + 1);
    vsnprintf(big, (size_t)n + 1, format, again);
    tiny_bytes_add(b, big, (size_t)n);
  }
  va_end(again);
}

static void tn_text_add(tiny_bytes *b, const char *format, ...) TN_PRINTF(2, 3);
static void tn_text_add(tiny_bytes *b, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tn_text_add_list(b, format, args);
  va_end(args);
}

// A string of its own, in scratch memory.
static const char *tn_text_of_format(tiny_ctx *t, const char *format, ...) TN_PRINTF(2, 3);
static const char *tn_text_of_format(tiny_ctx *t, const char *format, ...) {
  tiny_bytes b = {t, NULL, 0, 0};
  va_list args;
  va_start(args, format);
  tn_text_add_list(&b, format, args);
  va_end(args);
  return b.data ? b.data : "";
}

// "(32,784)" into a caller's buffer, for messages.
static const char *tn_dims_text(char *out, size_t nbytes, int n, const int64_t *dim) {
  size_t at = (size_t)snprintf(out, nbytes, "(");
  for (int i = 0; i < n && at < nbytes; i++)
    at += (size_t)snprintf(out + at, nbytes - at, i ? ",%lld" : "%lld", (long long)dim[i]);
  if (at < nbytes) snprintf(out + at, nbytes - at, n == 1 ? ",)" : ")");
  return out;
}

static int tn_debug(const tiny_ctx *t, char letter) { return strchr(t->debug, letter) != NULL; }

// One line to the caller's log, or to stderr.
static void tn_log(tiny_ctx *t, const char *format, ...) TN_PRINTF(2, 3);
static void tn_log(tiny_ctx *t, const char *format, ...) {
  char line[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (t->log.fn) t->log.fn(t->log.user, line);
  else fprintf(stderr, "%s\n", line);
}

// Many lines, one log call each.
static void tn_log_text(tiny_ctx *t, const char *text) {
  while (*text) {
    const char *end = strchr(text, '\n');
    const int n = end ? (int)(end - text) : (int)strlen(text);
    tn_log(t, "%.*s", n, text);
    text += n + (end != NULL);
  }
}
#endif
// ---- end src/base/text.c ----
// ---- begin src/base/os.c ----
// os: the only room that knows which system it runs on: Linux, macOS, Windows; x86-64, arm64.
//
// Clock, environment, terminal; what the processor can do; pages and executable memory; atomics, threads,
// locks; files and folders; shared libraries. Child processes are in base/process.c.
// Nothing here records an error in the context or changes anything process-wide (signal handlers, locale,
// folder): functions answer 1 or a pointer when they did it, 0 or NULL when they did not, and the caller
// knows what it means. No descriptor or mapping is held while memory is asked for, since that may unwind
// (base/memory.c). Descriptors are never inherited by children of the host. Paths are the C library's: bytes
// on POSIX, code page on Windows.
#ifndef TN_BASE_OS
#define TN_BASE_OS
#ifndef TINY_AMALGAMATED
#include "text.c"
#endif
#include <errno.h>
#include <time.h>
#include <sys/stat.h>
#ifdef _WIN32
  #ifndef WIN32_LEAN_AND_MEAN
    #define WIN32_LEAN_AND_MEAN
  #endif
  #ifndef NOMINMAX
    #define NOMINMAX
  #endif
  #include <windows.h>
  #include <direct.h>
  #include <io.h>
#else
  #include <fcntl.h>
  #include <poll.h>
  #ifndef TINY_NO_THREADS
    #include <pthread.h>
  #endif
  #include <signal.h>
  #include <spawn.h>
  #include <sys/ioctl.h>
  #include <sys/mman.h>
  #include <sys/socket.h>
  #include <sys/wait.h>
  #include <unistd.h>
#endif
#ifdef __APPLE__
  #include <sys/sysctl.h>
#endif
#ifdef _MSC_VER
  #include <intrin.h>
#endif

#if defined(__x86_64__) || defined(_M_X64)
  #define TN_OS_X86 1
  #ifndef _MSC_VER
    #include <cpuid.h>
  #endif
#elif defined(__aarch64__) || defined(_M_ARM64)
  #define TN_OS_ARM64 1
#endif

// With -std=c11 the C libraries of Linux hide all that is not ISO C, unless a feature macro is set before the
// host's first #include: a header cannot ask for that. What this room needs of the hidden part is declared as
// POSIX has it.
#if defined(__linux__) && defined(__STRICT_ANSI__) && !defined(__cplusplus)
  extern int clock_gettime(int clock, struct timespec *out);
  extern int kill(pid_t pid, int sig);
  extern int madvise(void *at, size_t nbytes, int advice);
  #ifndef TINY_NO_THREADS
    extern int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
    extern int sigfillset(sigset_t *set);
  #endif
  extern long syscall(long number, ...);
#endif
#if defined(__APPLE__)
  #include <crt_externs.h>
  #define TN_OS_ENVIRON (*_NSGetEnviron())
#elif !defined(_WIN32)
  #ifdef __cplusplus
    extern "C" char **environ;
  #else
    extern char **environ;
  #endif
  #define TN_OS_ENVIRON environ
#endif
#ifdef __linux__
  #include <sys/syscall.h>
  enum { TN_OS_MONOTONIC = 1, TN_OS_MAP_ANONYMOUS = 0x20, TN_OS_SIG_SETMASK = 2, TN_OS_HUGEPAGE = 14,
         TN_OS_CLOEXEC = 02000000, TN_OS_DUPFD_CLOEXEC = 1030 };       // asm-generic: x86-64 and arm64
#elif !defined(_WIN32)
  enum { TN_OS_MONOTONIC = CLOCK_MONOTONIC, TN_OS_MAP_ANONYMOUS = MAP_ANON, TN_OS_SIG_SETMASK = SIG_SETMASK,
         TN_OS_CLOEXEC = O_CLOEXEC, TN_OS_DUPFD_CLOEXEC = F_DUPFD_CLOEXEC };
#endif

enum { TN_OS_PATH = 4096 };                // bytes of the longest path, its 0 included

// ** clock, environment, terminal **

static uint64_t tn_os_now(void) {          // ns since some moment; never runs backward
#ifdef _WIN32
  LARGE_INTEGER count, per_second;
  QueryPerformanceCounter(&count);
  QueryPerformanceFrequency(&per_second);
  const uint64_t c = (uint64_t)count.QuadPart, f = (uint64_t)per_second.QuadPart;
  return c / f * 1000000000u + c % f * 1000000000u / f;
#else
  struct timespec now;
  now.tv_sec = 0; now.tv_nsec = 0;
  clock_gettime((clockid_t)TN_OS_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

// The value of an environment variable; NULL when it is not set or empty.
static const char *tn_os_env(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

// Columns of the terminal that stderr is; 0: it is none.
static int tn_os_terminal(void) {
#ifdef _WIN32
  CONSOLE_SCREEN_BUFFER_INFO info;
  if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_ERROR_HANDLE), &info)) return 0;
  return info.srWindow.Right - info.srWindow.Left + 1;
#else
  struct winsize size;
  if (!isatty(2)) return 0;
  return ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
#endif
}

static uint64_t tn_os_process_id(void) {
#ifdef _WIN32
  return GetCurrentProcessId();
#else
  return (uint64_t)getpid();
#endif
}

// ** the processor **

static int tn_os_cores(void) {             // that this process may use
#if defined(_WIN32)
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  const int n = (int)info.dwNumberOfProcessors;
#elif defined(__linux__)
  unsigned long mask[128];                 // 8192 processors
  const long nbytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
  int n = 0;
  for (long i = 0; i < nbytes / (long)sizeof *mask; i++) for (unsigned long m = mask[i]; m; m &= m - 1) n++;
#else
  const int n = (int)sysconf(_SC_NPROCESSORS_ONLN);
#endif
  return n < 1 ? 1 : n;
}

typedef struct tn_os_cpu {
  int vector_nbytes, vector_registers;     // of the widest registers that kernels should use
  size_t l2_nbytes;
  char name[96];                           // differs between machines that need different code
} tn_os_cpu;

#ifdef TN_OS_X86
static void tn_os_cpuid(uint32_t leaf, uint32_t sub, uint32_t out[4]) {
#ifdef _MSC_VER
  int r[4];
  __cpuidex(r, (int)leaf, (int)sub);
  for (int i = 0; i < 4; i++) out[i] = (uint32_t)r[i];
#else
  __cpuid_count(leaf, sub, out[0], out[1], out[2], out[3]);
#endif
}

static uint32_t tn_os_xcr0(void) {         // the register files that the system saves: Intel SDM vol. 1, 13.3
#ifdef _MSC_VER
  return (uint32_t)_xgetbv(0);
#else
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
#endif
}

// Bits as in Intel SDM vol. 2A, CPUID. AVX-512 counts when it comes with DQ, BW and VL: every core since
// Skylake-X.
static void tn_os_cpu_identify(tn_os_cpu *c) {
  uint32_t r[4], most, features[8] = {0}, brand[13] = {0};
  tn_os_cpuid(0, 0, r); most = r[0];
  tn_os_cpuid(1, 0, r);
  const uint32_t model = r[0], ecx1 = r[2];
  features[0] = r[2]; features[1] = r[3];
  for (uint32_t sub = 0; sub < 2 && most >= 7; sub++) {
    tn_os_cpuid(7, sub, r);
    for (int i = 0; i < 3; i++) features[2 + 3 * sub + (uint32_t)i] = sub ? r[i] : r[i + 1];
  }
  const uint32_t saved = ecx1 >> 27 & 1 ? tn_os_xcr0() : 0;
  const uint32_t avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;
  c->vector_nbytes = c->vector_registers = 16;
  const int avx2 = features[2] >> 5 & 1 && ecx1 >> 12 & 1;             // and FMA
  if (avx2 && (saved & 0x06) == 0x06) c->vector_nbytes = 32;
  if ((features[2] & avx512) == avx512 && (saved & 0xe6) == 0xe6) {
    c->vector_nbytes = 64; c->vector_registers = 32;
  }
  tn_os_cpuid(0x80000000u, 0, r);
  for (uint32_t i = 0; i < 3 && r[0] >= 0x80000004u; i++) tn_os_cpuid(0x80000002u + i, 0, brand + 4 * i);
  uint64_t h = tn_hash_bytes(model, features, sizeof features);
  h = tn_hash_bytes(h ^ saved, brand, sizeof brand);
  snprintf(c->name, sizeof c->name, "x86_64 v%d %016llx", c->vector_nbytes, (unsigned long long)h);
}
#else
static void tn_os_cpu_identify(tn_os_cpu *c) {
  uint64_t h = 0;
  c->vector_nbytes = 16; c->vector_registers = 32;
#if defined(__APPLE__)
  char brand[128] = {0};
  size_t nbytes = sizeof brand - 1;
  sysctlbyname("machdep.cpu.brand_string", brand, &nbytes, NULL, 0);
  h = tn_hash_bytes(h, brand, strlen(brand));
#elif defined(__linux__)
  FILE *f = fopen("/proc/cpuinfo", "r");   // the lines of the first processor name its parts and features
  char line[1024];
  while (f && fgets(line, sizeof line, f) && (h == 0 || line[0] != '\n'))
    if (strncmp(line, "BogoMIPS", 8) && strncmp(line, "processor", 9))
      h = tn_hash_bytes(h, line, strlen(line));
  if (f) fclose(f);
#elif defined(_WIN32)
  const char *id = tn_os_env("PROCESSOR_IDENTIFIER");
  if (id) h = tn_hash_bytes(h, id, strlen(id));
#endif
  snprintf(c->name, sizeof c->name, "%s %016llx",
#ifdef TN_OS_ARM64
           "arm64",
#else
           "unknown",
#endif
           (unsigned long long)h);
}
#endif

static size_t tn_os_l2_nbytes(void) {
  long long nbytes = 0;
#if defined(__APPLE__)
  size_t size = sizeof nbytes;
  if (sysctlbyname("hw.l2cachesize", &nbytes, &size, NULL, 0)) nbytes = 0;
#elif defined(__linux__)
  FILE *f = fopen("/sys/devices/system/cpu/cpu0/cache/index2/size", "r");
  if (f && fscanf(f, "%lldK", &nbytes) == 1) nbytes *= 1024;
  if (f) fclose(f);
#endif
  return nbytes >= 64 * 1024 && nbytes <= (1ll << 30) ? (size_t)nbytes : (size_t)1 << 20;
}

static tn_os_cpu tn_os_cpu_get(void) {
  tn_os_cpu c;
  memset(&c, 0, sizeof c);
  tn_os_cpu_identify(&c);
  c.l2_nbytes = tn_os_l2_nbytes();
  return c;
}

// ** pages **

static size_t tn_os_page_nbytes(void) {
#ifdef _WIN32
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
#else
  return (size_t)sysconf(_SC_PAGESIZE);
#endif
}

// Zeroed memory that may be read and written. NULL: none.
static void *tn_os_map(size_t nbytes) {
#ifdef _WIN32
  return VirtualAlloc(NULL, nbytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
#else
  void *p = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | TN_OS_MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? NULL : p;
#endif
}
static void tn_os_unmap(void *p, size_t nbytes) {
  if (!p) return;
#ifdef _WIN32
  (void)nbytes;
  VirtualFree(p, 0, MEM_RELEASE);
#else
  munmap(p, nbytes);
#endif
}

// Turns whole pages of a mapping from writable to executable, and makes the instruction cache see them.
static int tn_os_make_executable(void *p, size_t nbytes) {
#ifdef _WIN32
  DWORD old;
  if (!VirtualProtect(p, nbytes, PAGE_EXECUTE_READ, &old)) return 0;
  return FlushInstructionCache(GetCurrentProcess(), p, nbytes) != 0;
#else
  __builtin___clear_cache((char *)p, (char *)p + nbytes);
  return mprotect(p, nbytes, PROT_READ | PROT_EXEC) == 0;
#endif
}

enum { TN_OS_HUGE = 2 * 1024 * 1024 };     // bytes of a huge page on x86-64, and on arm64 with pages of 4 KiB

// As tn_os_map, for big buffers: aligned to huge pages, which the system is asked to use.
static void *tn_os_pages_alloc(size_t nbytes) {
#ifdef __linux__
  nbytes = (nbytes + 65535) & ~(size_t)65535;
  char *p = (char *)tn_os_map(nbytes + TN_OS_HUGE);
  if (!p) return NULL;
  const size_t head = (size_t)(-(uintptr_t)p & (TN_OS_HUGE - 1)), tail = TN_OS_HUGE - head;
  if (head) munmap(p, head);
  if (tail) munmap(p + head + nbytes, tail);
  madvise(p + head, nbytes, TN_OS_HUGEPAGE);   // a hint: not every kernel has huge pages
  return p + head;
#else
  return tn_os_map(nbytes);
#endif
}
static void tn_os_pages_free(void *p, size_t nbytes) { tn_os_unmap(p, (nbytes + 65535) & ~(size_t)65535); }

#ifndef TINY_NO_THREADS

// ** atomics: sequentially consistent, on int64_t **

#if defined(_MSC_VER) && !defined(__clang__)
static inline int64_t tn_os_atomic_add(int64_t *p, int64_t v) { return _InterlockedExchangeAdd64(p, v); }
static inline int64_t tn_os_atomic_load(int64_t *p) { return _InterlockedOr64(p, 0); }
static inline void tn_os_atomic_store(int64_t *p, int64_t v) { _InterlockedExchange64(p, v); }
#else
static inline int64_t tn_os_atomic_add(int64_t *p, int64_t v) {
  return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);
}
static inline int64_t tn_os_atomic_load(int64_t *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
static inline void tn_os_atomic_store(int64_t *p, int64_t v) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); }
#endif

static inline void tn_os_relax(void) {     // tells the core that it spins
#if defined(_WIN32)
  YieldProcessor();
#elif defined(TN_OS_X86)
  __asm__ volatile("pause");
#elif defined(TN_OS_ARM64)
  __asm__ volatile("isb");                 // as long as x86's pause; yield is none on most cores
#endif
}

// ** threads and locks: structs of the caller, no memory is asked for **

enum { TN_OS_STACK = 8 * 1024 * 1024 };    // bytes: kernels keep tiles there; some systems give 128 KiB

typedef struct tn_os_thread { void (*fn)(void *arg); void *arg;
#ifdef _WIN32
  HANDLE id;
#else
  pthread_t id;
#endif
} tn_os_thread;

#ifdef _WIN32
typedef SRWLOCK tn_os_mutex;
typedef CONDITION_VARIABLE tn_os_cond;
static void tn_os_mutex_open(tn_os_mutex *m) { InitializeSRWLock(m); }
static void tn_os_mutex_close(tn_os_mutex *m) { (void)m; }
static void tn_os_lock(tn_os_mutex *m) { AcquireSRWLockExclusive(m); }
static void tn_os_unlock(tn_os_mutex *m) { ReleaseSRWLockExclusive(m); }
static void tn_os_cond_open(tn_os_cond *c) { InitializeConditionVariable(c); }
static void tn_os_cond_close(tn_os_cond *c) { (void)c; }
static void tn_os_wait(tn_os_cond *c, tn_os_mutex *m) { SleepConditionVariableSRW(c, m, INFINITE, 0); }
static void tn_os_wake_one(tn_os_cond *c) { WakeConditionVariable(c); }
static void tn_os_wake_all(tn_os_cond *c) { WakeAllConditionVariable(c); }

static DWORD WINAPI tn_os_thread_main(void *arg) {
  tn_os_thread *thread = (tn_os_thread *)arg;
  thread->fn(thread->arg);
  return 0;
}
static int tn_os_thread_start(tn_os_thread *thread, void (*fn)(void *arg), void *arg) {
  thread->fn = fn; thread->arg = arg;
  const DWORD reserved = STACK_SIZE_PARAM_IS_A_RESERVATION;
  thread->id = CreateThread(NULL, TN_OS_STACK, tn_os_thread_main, thread, reserved, NULL);
  return thread->id != NULL;
}
static void tn_os_thread_join(tn_os_thread *thread) {
  WaitForSingleObject(thread->id, INFINITE);
  CloseHandle(thread->id);
}
#else
typedef pthread_mutex_t tn_os_mutex;
typedef pthread_cond_t tn_os_cond;
static void tn_os_mutex_open(tn_os_mutex *m) { pthread_mutex_init(m, NULL); }
static void tn_os_mutex_close(tn_os_mutex *m) { pthread_mutex_destroy(m); }
static void tn_os_lock(tn_os_mutex *m) { pthread_mutex_lock(m); }
static void tn_os_unlock(tn_os_mutex *m) { pthread_mutex_unlock(m); }
static void tn_os_cond_open(tn_os_cond *c) { pthread_cond_init(c, NULL); }
static void tn_os_cond_close(tn_os_cond *c) { pthread_cond_destroy(c); }
static void tn_os_wait(tn_os_cond *c, tn_os_mutex *m) { pthread_cond_wait(c, m); }
static void tn_os_wake_one(tn_os_cond *c) { pthread_cond_signal(c); }
static void tn_os_wake_all(tn_os_cond *c) { pthread_cond_broadcast(c); }

static void *tn_os_thread_main(void *arg) {
  tn_os_thread *thread = (tn_os_thread *)arg;
  thread->fn(thread->arg);
  return NULL;
}
// The thread takes no signals: the host's handlers go on running on the host's threads.
static int tn_os_thread_start(tn_os_thread *thread, void (*fn)(void *arg), void *arg) {
  pthread_attr_t attr;
  sigset_t all, before;
  thread->fn = fn; thread->arg = arg;
  if (pthread_attr_init(&attr)) return 0;
  pthread_attr_setstacksize(&attr, TN_OS_STACK);
  sigfillset(&all);
  pthread_sigmask(TN_OS_SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&thread->id, &attr, tn_os_thread_main, thread);
  pthread_sigmask(TN_OS_SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attr);
  return !failed;
}
static void tn_os_thread_join(tn_os_thread *thread) { pthread_join(thread->id, NULL); }
#endif

#endif // TINY_NO_THREADS

// ** files **

typedef struct tn_os_facts { uint64_t nbytes, changed; } tn_os_facts;    // changed: when, in s

// 1: there is a regular file at path.
static int tn_os_file(const char *path, tn_os_facts *out) {
#ifdef _WIN32
  struct _stat64 s;
  if (_stat64(path, &s) || (s.st_mode & _S_IFMT) != _S_IFREG) return 0;
#else
  struct stat s;
  if (stat(path, &s) || !S_ISREG(s.st_mode)) return 0;
#endif
  out->nbytes = (uint64_t)s.st_size; out->changed = (uint64_t)s.st_mtime;
  return 1;
}

#ifdef TINY_NO_DISK                        // nothing can be read, written or found there
typedef int tn_os_handle;
static int tn_os_open(const char *path, int create, tn_os_handle *out) {
  (void)path; (void)create; (void)out;
  return 0;
}
static int tn_os_close(tn_os_handle h) { return h; }
static void tn_os_remove(const char *path) { (void)path; }
static int tn_os_read_file(const char *path, size_t max_nbytes, tiny_bytes *out) {
  (void)path; (void)max_nbytes; (void)out;
  return 0;
}
static int tn_os_write_file(const char *path, const void *data, size_t nbytes) {
  (void)path; (void)data; (void)nbytes;
  return 0;
}
static int tn_os_make_dirs(const char *path) { (void)path; return 0; }
static int tn_os_cache_dir(char *out, size_t cap) { (void)out; (void)cap; return 0; }
#else
#ifdef _WIN32
typedef HANDLE tn_os_handle;
static int tn_os_open(const char *path, int create, tn_os_handle *out) {
  const DWORD access = create ? GENERIC_WRITE : GENERIC_READ, how = create ? CREATE_NEW : OPEN_EXISTING;
  const DWORD share = create ? 0 : FILE_SHARE_READ | FILE_SHARE_DELETE;
  *out = CreateFileA(path, access, share, NULL, how, FILE_ATTRIBUTE_NORMAL, NULL);
  return *out != INVALID_HANDLE_VALUE;
}
static int64_t tn_os_read_some(tn_os_handle h, void *out, size_t nbytes) {
  DWORD got;
  return ReadFile(h, out, (DWORD)nbytes, &got, NULL) ? (int64_t)got : -1;
}
static int64_t tn_os_write_some(tn_os_handle h, const void *data, size_t nbytes) {
  DWORD put;
  return WriteFile(h, data, (DWORD)nbytes, &put, NULL) ? (int64_t)put : -1;
}
static int tn_os_close(tn_os_handle h) { return CloseHandle(h) != 0; }
static int tn_os_rename(const char *from, const char *to) {
  return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) != 0;
}
static void tn_os_remove(const char *path) { DeleteFileA(path); }
static int tn_os_make_dir(const char *path) { return _mkdir(path) == 0 || errno == EEXIST; }
static int tn_os_is_separator(char c) { return c == '/' || c == '\\'; }
#else
typedef int tn_os_handle;
static int tn_os_open(const char *path, int create, tn_os_handle *out) {
  const int flags = (create ? O_WRONLY | O_CREAT | O_EXCL : O_RDONLY) | TN_OS_CLOEXEC;
  do *out = open(path, flags, 0600); while (*out < 0 && errno == EINTR);
  return *out >= 0;
}
static int64_t tn_os_read_some(tn_os_handle h, void *out, size_t nbytes) {
  ssize_t got;
  do got = read(h, out, nbytes); while (got < 0 && errno == EINTR);
  return got;
}
static int64_t tn_os_write_some(tn_os_handle h, const void *data, size_t nbytes) {
  ssize_t put;
  do put = write(h, data, nbytes); while (put < 0 && errno == EINTR);
  return put;
}
static int tn_os_close(tn_os_handle h) { return close(h) == 0; }
static int tn_os_rename(const char *from, const char *to) { return rename(from, to) == 0; }
static void tn_os_remove(const char *path) { unlink(path); }
static int tn_os_make_dir(const char *path) { return mkdir(path, 0700) == 0 || errno == EEXIST; }
static int tn_os_is_separator(char c) { return c == '/'; }
#endif

enum { TN_OS_PIECE = 1 << 20 };            // bytes of one read or write: systems limit them

// Appends the whole file to out. 0: there is none, it is bigger than max_nbytes, or it changes while it is
// read.
static int tn_os_read_file(const char *path, size_t max_nbytes, tiny_bytes *out) {
  tn_os_facts facts;
  tn_os_handle h;
  if (!tn_os_file(path, &facts) || facts.nbytes > max_nbytes) return 0;
  const size_t nbytes = (size_t)facts.nbytes;
  char *data = (char *)tn_scratch(out->t, nbytes + 1), *end = data;     // may unwind: nothing is open yet
  if (!data || !tn_os_open(path, 0, &h)) return 0;
  int64_t got = 1;
  while (got > 0 && end <= data + nbytes) {
    const size_t left = nbytes + 1 - (size_t)(end - data);
    got = tn_os_read_some(h, end, left < TN_OS_PIECE ? left : (size_t)TN_OS_PIECE);
    if (got > 0) end += got;
  }
  tn_os_close(h);
  if (got != 0 || end != data + nbytes) return 0;
  tiny_bytes_add(out, data, nbytes);
  return 1;
}

// Others see the old file or the whole new one: it is written beside its place and renamed.
static int tn_os_write_file(const char *path, const void *data, size_t nbytes) {
  char beside[TN_OS_PATH + 64];
  const unsigned long long here = (uintptr_t)&beside;       // threads differ by their stacks
  const unsigned long long process = tn_os_process_id(), now = tn_os_now();
  const int length = snprintf(beside, sizeof beside, "%s.%llx-%llx-%llx", path, process, here, now);
  tn_os_handle h;
  if (length < 0 || (size_t)length >= sizeof beside || !tn_os_open(beside, 1, &h)) return 0;
  const char *at = (const char *)data, *const end = at + nbytes;
  int64_t put = 1;
  while (at < end && put > 0) {
    put = tn_os_write_some(h, at, end - at < TN_OS_PIECE ? (size_t)(end - at) : (size_t)TN_OS_PIECE);
    if (put > 0) at += put;
  }
  if (tn_os_close(h) && at == end && tn_os_rename(beside, path)) return 1;
  tn_os_remove(beside);
  return 0;
}

// Makes a folder and those above it, for this user alone. 1: it is there.
static int tn_os_make_dirs(const char *path) {
  char part[TN_OS_PATH];
  const size_t n = strlen(path);
  if (!n || n >= sizeof part) return 0;
  for (size_t i = 1; i < n; i++) if (tn_os_is_separator(path[i])) {
    memcpy(part, path, i);
    part[i] = 0;
    tn_os_make_dir(part);                  // the last one tells
  }
  return tn_os_make_dir(path);
}

// This library's part of the user's cache folder, which need not exist yet. 0: the user has none.
static int tn_os_cache_dir(char *out, size_t cap) {
#if defined(_WIN32)
  const char *base = tn_os_env("LOCALAPPDATA"), *below = "/tiny";
#elif defined(__APPLE__)
  const char *base = tn_os_env("HOME"), *below = "/Library/Caches/tiny";
#else
  const char *base = tn_os_env("XDG_CACHE_HOME"), *below = "/tiny";
  if (!base || *base != '/') { base = tn_os_env("HOME"); below = "/.cache/tiny"; }
#endif
  const int n = base ? snprintf(out, cap, "%s%s", base, below) : -1;
  return n > 0 && (size_t)n < cap;
}
#endif // TINY_NO_DISK

// A folder for files that live for a moment.
static const char *tn_os_temp_dir(void) {
#ifdef _WIN32
  const char *dir = tn_os_env("TEMP");
  return dir ? dir : ".";
#else
  const char *dir = tn_os_env("TMPDIR");
  return dir ? dir : "/tmp";
#endif
}

// The path of a program: name itself when it has a folder in it, else the first on PATH. 0: there is none.
static int tn_os_find_program(const char *name, char *out, size_t cap) {
#ifdef _WIN32
  const DWORD n = SearchPathA(NULL, name, ".exe", (DWORD)cap, out, NULL);
  return n > 0 && n < cap;
#else
  const char *path = strchr(name, '/') ? "" : tn_os_env("PATH");
  tn_os_facts facts;
  for (; path; path = *path ? path + 1 : NULL) {
    const size_t length = strcspn(path, ":");
    const int n = snprintf(out, cap, "%.*s%s%s", (int)length, path, length ? "/" : "", name);
    if (n > 0 && (size_t)n < cap && tn_os_file(out, &facts) && access(out, X_OK) == 0) return 1;
    path += length;
  }
  return 0;
#endif
}
#endif
// ---- end src/base/os.c ----
// ---- begin src/base/process.c ----
// process: runs child processes, several at a time, each fed from memory and heard into memory.
//
// In:  jobs: argv, and the bytes of stdin. Out: the bytes of stdout and stderr and the exit code, in scratch
//      memory. One thread serves all children through poll(). A child's stdin and stdout are one socket, its
//      stderr another: a socket, unlike a pipe, can be written without a SIGPIPE when the child has died, and
//      so no signal handling is touched. The sockets close on exec, so that children don't inherit each
//      other's ends.
// When memory runs out in between, the children are killed, waited for and their sockets closed before it
// unwinds.
#ifndef TN_BASE_PROCESS
#define TN_BASE_PROCESS
#ifndef TINY_AMALGAMATED
#include "os.c"
#endif

typedef struct tn_job {
  const char *const *argv;                 // argv[0]: the program's path; NULL ends the list
  const char *input; size_t input_nbytes;
  tiny_bytes out, err;
  int exit_code;                           // killed: 128 + the signal; not started: 127
} tn_job;

typedef struct tn_child tn_child;
typedef struct tn_children { tn_job *job; int n, at_once; tn_child *child; } tn_children;

// Runs work(t, arg). When an allocation in it fails, undo(arg) is called on the way out.
static tiny_code tn_process_protect(tiny_ctx *t, tiny_code (*work)(tiny_ctx *t, void *arg),
                                    void (*undo)(void *arg), void *arg) {
  jmp_buf here, *const outer = t->trap;
  if (setjmp(here)) {
    t->trap = outer;
    undo(arg);
    if (outer) longjmp(*outer, 1);
    return TINY_E_MEMORY;
  }
  t->trap = &here;
  const tiny_code code = work(t, arg);
  t->trap = outer;
  return code;
}

static tiny_code tn_process_not_started(tn_job *job, const char *why) {
  job->exit_code = 127;
  tn_text_add(&job->err, "%s could not be started: %s\n", job->argv[0], why);
  return TINY_OK;
}

#ifndef _WIN32

struct tn_child { pid_t pid; int io, err, alive; size_t sent; };

#ifndef MSG_NOSIGNAL
  #define MSG_NOSIGNAL 0                   // macOS: SO_NOSIGPIPE does it
#endif

// The host may have closed 0, 1 or 2: those would be overwritten while a child is set up.
static int tn_process_above_stderr(int fd) {
  if (fd < 0 || fd > 2) return fd;
  const int moved = fcntl(fd, TN_OS_DUPFD_CLOEXEC, 3);
  close(fd);
  return moved;
}

static void tn_process_close(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static int tn_process_socketpair(int fd[2]) {
  fd[0] = fd[1] = -1;
#ifdef __APPLE__
  const int on = 1;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd)) return 0;
  for (int i = 0; i < 2; i++) fcntl(fd[i], F_SETFD, FD_CLOEXEC);
  setsockopt(fd[0], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#else
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd)) return 0;
#endif
  for (int i = 0; i < 2; i++) fd[i] = tn_process_above_stderr(fd[i]);
  if (fd[0] >= 0 && fd[1] >= 0) return 1;
  tn_process_close(&fd[0]); tn_process_close(&fd[1]);
  return 0;
}

static int tn_process_spawn(pid_t *pid, const char *const *argv, int io, int err) {
  posix_spawn_file_actions_t actions;
  int failed = posix_spawn_file_actions_init(&actions);
  if (failed) return failed;
  failed = posix_spawn_file_actions_adddup2(&actions, io, 0);
  if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, io, 1);
  if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, err, 2);
  if (!failed) failed = posix_spawn(pid, argv[0], &actions, NULL, (char *const *)argv, TN_OS_ENVIRON);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

// 0, or the errno that says why not.
static int tn_process_start(tn_child *c, const tn_job *job) {
  int io[2], err[2], failed = 0;
  if (!tn_process_socketpair(io)) return errno;
  if (!tn_process_socketpair(err)) failed = errno;
  if (!failed) failed = tn_process_spawn(&c->pid, job->argv, io[1], err[1]);
  tn_process_close(&io[1]); tn_process_close(&err[1]);
  if (failed) { tn_process_close(&io[0]); tn_process_close(&err[0]); return failed; }
  c->io = io[0]; c->err = err[0]; c->sent = 0; c->alive = 1;
  return 0;
}

// Waits for the end of a child that has closed its outputs. A host that reaps all children itself hides the
// exit code; it then counts as 0, and the caller sees from the output whether the child did its work.
static int tn_process_reap(tn_child *c) {
  int status = 0;
  pid_t got;
  do got = waitpid(c->pid, &status, 0); while (got < 0 && errno == EINTR);
  c->alive = 0;
  if (got < 0) return 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void tn_process_send(tn_child *c, const tn_job *job) {
  while (c->sent < job->input_nbytes) {
    const size_t left = job->input_nbytes - c->sent;
    const ssize_t put = send(c->io, job->input + c->sent, left, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put >= 0) c->sent += (size_t)put;
    else if (errno == EAGAIN || errno == EWOULDBLOCK) return;
    else if (errno != EINTR) c->sent = job->input_nbytes;      // it will not hear the rest
  }
  shutdown(c->io, SHUT_WR);
}

static void tn_process_receive(int *fd, tiny_bytes *to) {
  char piece[16384];
  for (;;) {
    const ssize_t got = recv(*fd, piece, sizeof piece, MSG_DONTWAIT);
    if (got > 0) { tiny_bytes_add(to, piece, (size_t)got); continue; }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    tn_process_close(fd);                  // the end; ECONNRESET when the child left input unread
    return;
  }
}

// Starts jobs while there is room. Returns the index of the first job that still has to be started.
static int tn_process_fill(tn_children *r, int next, int *alive) {
  while (next < r->n && *alive < r->at_once) {
    const int why = tn_process_start(&r->child[next], &r->job[next]);
    const int crowded = why == EMFILE || why == ENFILE || why == EAGAIN || why == ENOMEM;
    if (crowded && *alive) return next;    // when another has ended there is room again
    if (why) tn_process_not_started(&r->job[next], strerror(why));
    else {
      ++*alive;
      tn_process_send(&r->child[next], &r->job[next]);
    }
    next++;
  }
  return next;
}

static tiny_code tn_process_serve(tiny_ctx *t, void *arg) {
  tn_children *r = (tn_children *)arg;
  struct pollfd *wait = (struct pollfd *)tn_scratch(t, (size_t)r->at_once * 2 * sizeof *wait);
  int alive = 0, next = tn_process_fill(r, 0, &alive);
  while (alive) {
    int nwait = 0;
    for (int i = 0; i < next; i++) {
      const tn_child *c = &r->child[i];
      if (c->io >= 0) {
        wait[nwait].fd = c->io;
        wait[nwait++].events = (short)(c->sent < r->job[i].input_nbytes ? POLLIN | POLLOUT : POLLIN);
      }
      if (c->err >= 0) { wait[nwait].fd = c->err; wait[nwait++].events = POLLIN; }
    }
    poll(wait, (nfds_t)nwait, -1);         // whatever it says, the calls below don't block
    for (int i = 0; i < next; i++) {
      tn_child *c = &r->child[i];
      if (c->io >= 0 && c->sent < r->job[i].input_nbytes) tn_process_send(c, &r->job[i]);
      if (c->io >= 0) tn_process_receive(&c->io, &r->job[i].out);
      if (c->err >= 0) tn_process_receive(&c->err, &r->job[i].err);
      if (c->alive && c->io < 0 && c->err < 0) { r->job[i].exit_code = tn_process_reap(c); alive--; }
    }
    next = tn_process_fill(r, next, &alive);
  }
  return TINY_OK;
}

static void tn_process_kill(void *arg) {
  tn_children *r = (tn_children *)arg;
  for (int i = 0; i < r->n; i++) if (r->child[i].alive) {
    kill(r->child[i].pid, SIGKILL);
    tn_process_close(&r->child[i].io); tn_process_close(&r->child[i].err);
    tn_process_reap(&r->child[i]);
  }
}

#else

struct tn_child { HANDLE process, in, out, err; size_t sent; };

// A pipe of which the child inherits one end.
static int tn_process_pipe(HANDLE *ours, HANDLE *theirs, int child_reads) {
  HANDLE end[2];
  if (!CreatePipe(&end[0], &end[1], NULL, 1 << 16)) return 0;
  *ours = end[child_reads]; *theirs = end[!child_reads];
  SetHandleInformation(*theirs, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
  return 1;
}

static void tn_process_close(HANDLE *h) {
  if (*h) CloseHandle(*h);
  *h = NULL;
}

// The inverse of the C library's splitting of a command line: backslashes count only before a quote.
static void tn_process_quote(tiny_bytes *line, const char *word) {
  int slashes = 0;
  tn_text_add(line, line->n ? " \"" : "\"");
  for (; *word; word++) {
    if (*word == '"') for (int i = 0; i <= slashes; i++) tn_text_add(line, "\\");
    slashes = *word == '\\' ? slashes + 1 : 0;
    tiny_bytes_add(line, word, 1);
  }
  for (int i = 0; i < slashes; i++) tn_text_add(line, "\\");
  tn_text_add(line, "\"");
}

// 0, or the error that says why not.
static DWORD tn_process_start(tiny_ctx *t, tn_child *c, const tn_job *job) {
  tiny_bytes line = { t, NULL, 0, 0 };
  for (const char *const *a = job->argv; *a; a++) tn_process_quote(&line, *a);
  STARTUPINFOA setup;
  PROCESS_INFORMATION made;
  memset(&setup, 0, sizeof setup);
  setup.cb = sizeof setup; setup.dwFlags = STARTF_USESTDHANDLES;
  DWORD why = 0, never = PIPE_NOWAIT;
  if (!tn_process_pipe(&c->in, &setup.hStdInput, 1) || !tn_process_pipe(&c->out, &setup.hStdOutput, 0) ||
      !tn_process_pipe(&c->err, &setup.hStdError, 0) ||
      !SetNamedPipeHandleState(c->in, &never, NULL, NULL) ||
      !CreateProcessA(job->argv[0], line.data, NULL, NULL, TRUE, CREATE_NO_WINDOW, NULL, NULL, &setup, &made))
    why = GetLastError();
  tn_process_close(&setup.hStdInput); tn_process_close(&setup.hStdOutput); tn_process_close(&setup.hStdError);
  if (why) { tn_process_close(&c->in); tn_process_close(&c->out); tn_process_close(&c->err); return why; }
  CloseHandle(made.hThread);
  c->process = made.hProcess;
  return 0;
}

// What can be done now for one child. Returns 1 when something was.
static int tn_process_receive(HANDLE *h, tiny_bytes *to) {
  char piece[16384];
  DWORD there = 0, got = 0;
  if (!*h) return 0;
  if (!PeekNamedPipe(*h, NULL, 0, NULL, &there, NULL)) { tn_process_close(h); return 1; }
  if (there > sizeof piece) there = (DWORD)sizeof piece;
  if (!there || !ReadFile(*h, piece, there, &got, NULL)) return 0;
  tiny_bytes_add(to, piece, got);
  return 1;
}
static int tn_process_send(tn_child *c, const tn_job *job) {
  DWORD put = 0;
  const size_t left = job->input_nbytes - c->sent;
  if (!c->in) return 0;
  const DWORD part = left < 4096 ? (DWORD)left : 4096;
  const int heard = !left || WriteFile(c->in, job->input + c->sent, part, &put, NULL);
  c->sent += put;
  if (!heard || c->sent == job->input_nbytes) tn_process_close(&c->in);
  return put > 0;
}

static tiny_code tn_process_serve(tiny_ctx *t, void *arg) {
  tn_children *r = (tn_children *)arg;
  for (int next = 0, alive = 0; next < r->n || alive;) {
    int moved = 0;
    for (; next < r->n && alive < r->at_once; next++) {
      char why[64];
      const DWORD failed = tn_process_start(t, &r->child[next], &r->job[next]);
      snprintf(why, sizeof why, "error %lu", (unsigned long)failed);
      if (failed) tn_process_not_started(&r->job[next], why);
      else alive++;
    }
    for (int i = 0; i < next; i++) {
      tn_child *c = &r->child[i];
      DWORD code = 0;
      if (!c->process) continue;
      moved += tn_process_send(c, &r->job[i]);
      moved += tn_process_receive(&c->out, &r->job[i].out) + tn_process_receive(&c->err, &r->job[i].err);
      if (c->out || c->err) continue;
      WaitForSingleObject(c->process, INFINITE);
      GetExitCodeProcess(c->process, &code);
      r->job[i].exit_code = (int)code;
      tn_process_close(&c->in); tn_process_close(&c->process);
      alive--;
    }
    if (alive && !moved) Sleep(1);         // anonymous pipes cannot be waited for
  }
  return TINY_OK;
}

static void tn_process_kill(void *arg) {
  tn_children *r = (tn_children *)arg;
  for (int i = 0; i < r->n; i++) {
    tn_child *c = &r->child[i];
    if (c->process) { TerminateProcess(c->process, 1); WaitForSingleObject(c->process, INFINITE); }
    tn_process_close(&c->in); tn_process_close(&c->out); tn_process_close(&c->err);
    tn_process_close(&c->process);
  }
}
#endif

// Runs all jobs, at most at_once of them at a time, and returns when all have ended. TINY_E_MEMORY or
// TINY_OK: whether a job did well is for its exit code to say.
static tiny_code tn_process_run(tiny_ctx *t, tn_job *job, int n, int at_once) {
  tn_children r = { job, n, at_once < n ? at_once : n, NULL };
  r.child = (tn_child *)tn_scratch(t, (size_t)n * sizeof *r.child);
  if (!r.child) return TINY_E_MEMORY;
  for (int i = 0; i < n; i++) {
    const tiny_bytes none = { t, NULL, 0, 0 };
    job[i].out = job[i].err = none;
    job[i].exit_code = 0;
#ifndef _WIN32
    r.child[i].io = r.child[i].err = -1;
#endif
  }
  return n > 0 ? tn_process_protect(t, tn_process_serve, tn_process_kill, &r) : TINY_OK;
}
#endif
// ---- end src/base/process.c ----

// ** ir: the node, its arithmetic, its text, patterns, the reference interpreter, the verifier **
// ---- begin src/ir/dtype.c ----
// dtype: what the element types are: sizes, names, classes, promotion, and the one form that values have in the IR.
//
// A value travels as an int64 "k": bools and integers as themselves (u64 by its bits), floats as
// the bits of an f64 that the dtype can hold exactly. tn_dtype_wrap and tn_dtype_round bring any
// result back into a dtype; tn_dtype_load and tn_dtype_store go between k and memory.
#ifndef TN_IR_DTYPE
#define TN_IR_DTYPE
#ifndef TINY_AMALGAMATED
#include "../base/text.c"
#endif

// name, bytes, class ('b'ool, 's'igned, 'u'nsigned, 'f'loat), mantissa bits, least normal exponent of floats
typedef struct tn_dtype_row {
  const char *name;
  uint8_t nbytes;
  char kind;
  uint8_t mantissa;
  int16_t least;
} tn_dtype_row;
static const tn_dtype_row tn_dtypes[TINY_DTYPE_COUNT] = {
  {"void", 0, 'v', 0, 0}, {"bool", 1, 'b', 0, 0},
  {"i8", 1, 's', 0, 0}, {"u8", 1, 'u', 0, 0}, {"i16", 2, 's', 0, 0}, {"u16", 2, 'u', 0, 0},
  {"i32", 4, 's', 0, 0}, {"u32", 4, 'u', 0, 0}, {"i64", 8, 's', 0, 0}, {"u64", 8, 'u', 0, 0},
  {"f16", 2, 'f', 10, -14}, {"bf16", 2, 'f', 7, -126}, {"f32", 4, 'f', 23, -126}, {"f64", 8, 'f', 52, -1022},
  {"index", 8, 's', 0, 0},
};

static int tn_dtype_valid(int d) { return d > TINY_VOID && d < TINY_INDEX; }
static int tn_is_float(int d) { return tn_dtypes[d].kind == 'f'; }
static int tn_is_signed(int d) { return tn_dtypes[d].kind == 's'; }
static int tn_is_unsigned(int d) { return tn_dtypes[d].kind == 'u'; }
static int tn_is_int(int d) { return tn_is_signed(d) || tn_is_unsigned(d); }
static int tn_bits(int d) { return tn_dtypes[d].nbytes * 8; }

TINY_API size_t tiny_dtype_nbytes(tiny_dtype d) {
  return (unsigned)d < TINY_DTYPE_COUNT ? tn_dtypes[d].nbytes : 0;
}
TINY_API const char *tiny_dtype_name(tiny_dtype d) {
  return (unsigned)d < TINY_DTYPE_COUNT ? tn_dtypes[d].name : "?";
}

// PyTorch's lattice (torch.promote_types): bool < integers < floats; signed with unsigned gives the next wider signed,
// u64 with signed f32; f16 with bf16 gives f32.
TINY_API tiny_dtype tiny_promote(tiny_dtype a, tiny_dtype b) {
  if (a == b) return a;
  if (a > b) { const tiny_dtype c = a; a = b; b = c; }
  if (a == TINY_VOID || a == TINY_BOOL || b == TINY_INDEX) return b;
  if (tn_is_float(b)) return a == TINY_F16 && b == TINY_BF16 ? TINY_F32 : b;
  if (tn_is_signed(b) || tn_is_unsigned(a)) return b;    // b is at least as wide, and holds a
  if (b == TINY_U64) return TINY_F32;
  return tn_bits(a) > tn_bits(b) ? a : (tiny_dtype)(b + 1);   // the signed type after an unsigned one is the next wider
}

// ** values **

static double tn_to_f64(int64_t k) { double d; memcpy(&d, &k, 8); return d; }
static int64_t tn_from_f64(double d) {
  if (d != d) return 0x7FF8000000000000ll;               // one NaN, so that equal constants are one node
  int64_t k; memcpy(&k, &d, 8); return k;
}

static int64_t tn_dtype_wrap(int d, int64_t k) {
  switch (d) {
    case TINY_BOOL: return k != 0;
    case TINY_I8: return (int64_t)(((uint64_t)k & 0xFF) ^ 0x80) - 0x80;
    case TINY_U8: return k & 0xFF;
    case TINY_I16: return (int64_t)(((uint64_t)k & 0xFFFF) ^ 0x8000) - 0x8000;
    case TINY_U16: return k & 0xFFFF;
    case TINY_I32: return (int64_t)(((uint64_t)k & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000ll;
    case TINY_U32: return k & 0xFFFFFFFF;
    default: return k;
  }
}

// Round to nearest, ties to even, into a float dtype; overflow gives inf.
static double tn_dtype_round(int d, double x) {
  if (d == TINY_F32) {
    if (x != x || fabs(x) <= 3.4028234663852886e38) return (float)x;
    return fabs(x) < 3.4028235677973366e38 ? (x < 0 ? -3.4028234663852886e38 : 3.4028234663852886e38) :
        x < 0                              ? -HUGE_VAL :
                                             HUGE_VAL;
  }
  if (d == TINY_F64 || x != x || x == 0 || fabs(x) == HUGE_VAL) return x;
  const tn_dtype_row *r = &tn_dtypes[d];
  int e = ilogb(x);
  if (e < r->least) e = r->least;
  const double quantum = ldexp(1.0, e - r->mantissa);
  const double y = rint(x / quantum) * quantum, top = ldexp(2.0 - ldexp(1.0, -r->mantissa), 1 - r->least);
  return fabs(y) > top ? (x < 0 ? -HUGE_VAL : HUGE_VAL) : y;
}

// IEEE bits of a value that f16 or bf16 can hold.
static uint16_t tn_dtype_pack16(int d, double x) {
  const tn_dtype_row *r = &tn_dtypes[d];
  const uint16_t sign = signbit(x) ? 0x8000 : 0, inf = (uint16_t)((0x7FFF >> r->mantissa) << r->mantissa);
  if (x != x) return (uint16_t)(inf | 1 << (r->mantissa - 1));
  x = fabs(x);
  if (x == HUGE_VAL) return (uint16_t)(sign | inf);
  if (x < ldexp(1.0, r->least)) return (uint16_t)(sign | (uint16_t)ldexp(x, r->mantissa - r->least));
  const int e = ilogb(x);
  const uint16_t fraction = (uint16_t)(ldexp(x, r->mantissa - e) - ldexp(1.0, r->mantissa));
  return (uint16_t)(sign | (e - r->least + 1) << r->mantissa | fraction);
}
static double tn_dtype_unpack16(int d, uint16_t b) {
  const tn_dtype_row *r = &tn_dtypes[d];
  const int e = (b & 0x7FFF) >> r->mantissa, ones = 0x7FFF >> r->mantissa,
            fraction = b & ((1 << r->mantissa) - 1);
  const double x = e == ones ? (fraction ? (double)NAN : HUGE_VAL) :
      e                      ? ldexp(fraction + (1 << r->mantissa), e - 1 + r->least - r->mantissa) :
                               ldexp(fraction, r->least - r->mantissa);
  return b & 0x8000 ? -x : x;
}

static int64_t tn_dtype_load(int d, const void *p) {
  switch (d) {
    case TINY_BOOL: return *(const uint8_t *)p != 0;
    case TINY_U8: return *(const uint8_t *)p;
    case TINY_I8: return *(const int8_t *)p;
    case TINY_F32: { float f; memcpy(&f, p, 4); return tn_from_f64(f); }
    case TINY_F64: { double f; memcpy(&f, p, 8); return tn_from_f64(f); }
    case TINY_F16:
    case TINY_BF16: {
      uint16_t b;
      memcpy(&b, p, 2);
      return tn_from_f64(tn_dtype_unpack16(d, b));
    }
    case TINY_I16: case TINY_U16: { uint16_t b; memcpy(&b, p, 2); return tn_dtype_wrap(d, b); }
    case TINY_I32: case TINY_U32: { uint32_t b; memcpy(&b, p, 4); return tn_dtype_wrap(d, b); }
    default: { int64_t k; memcpy(&k, p, 8); return k; }
  }
}
static void tn_dtype_store(int d, void *p, int64_t k) {
  if (d == TINY_F32) {
    const float f = (float)tn_to_f64(k);
    memcpy(p, &f, 4);
  } else if (d == TINY_F16 || d == TINY_BF16) {
    const uint16_t b = tn_dtype_pack16(d, tn_to_f64(k));
    memcpy(p, &b, 2);
  } else if (tn_bits(d) == 8) {
    const uint8_t b = (uint8_t)k;
    memcpy(p, &b, 1);
  } else if (tn_bits(d) == 16) {
    const uint16_t b = (uint16_t)k;
    memcpy(p, &b, 2);
  } else if (tn_bits(d) == 32) {
    const uint32_t b = (uint32_t)k;
    memcpy(p, &b, 4);
  } else memcpy(p, &k, 8);
}

// Conversion of a value between dtypes: floats to integers truncate and saturate, NaN gives 0; integers wrap.
static int64_t tn_dtype_convert(int to, int from, int64_t k) {
  if (to == from) return k;
  if (tn_is_float(from)) {
    const double x = tn_to_f64(k);
    if (tn_is_float(to)) return tn_from_f64(tn_dtype_round(to, x));
    if (to == TINY_BOOL) return x != 0;
    if (x != x) return 0;
    const int bits = tn_bits(to) - (tn_is_unsigned(to) ? 0 : 1);
    const double top = ldexp(1.0, bits), low = tn_is_unsigned(to) ? 0.0 : -top;
    if (x >= top) return tn_is_unsigned(to) ? tn_dtype_wrap(to, -1) : (int64_t)(((uint64_t)1 << bits) - 1);
    if (x <= low) return tn_is_unsigned(to) ? 0 : (int64_t)(0 - ((uint64_t)1 << bits));
    return to == TINY_U64 ? (int64_t)(uint64_t)x : (int64_t)x;
  }
  if (tn_is_float(to)) {
    if (to == TINY_F32) return tn_from_f64(from == TINY_U64 ? (float)(uint64_t)k : (float)k);   // one rounding, not two
    return tn_from_f64(tn_dtype_round(to, from == TINY_U64 ? (double)(uint64_t)k : (double)k));
  }
  return tn_dtype_wrap(to, k);
}

// A C double as a value of dtype d.
static int64_t tn_dtype_value(int d, double x) { return tn_dtype_convert(d, TINY_F64, tn_from_f64(x)); }

// The least and greatest value of an integer dtype, as far as int64 can tell (u64 ends at INT64_MAX here).
static int64_t tn_dtype_min(int d) {
  return d == TINY_BOOL || tn_is_unsigned(d) ? 0 :
      tn_is_int(d) && tn_bits(d) < 64        ? -((int64_t)1 << (tn_bits(d) - 1)) :
                                               INT64_MIN;
}
static int64_t tn_dtype_max(int d) {
  if (d == TINY_BOOL) return 1;
  const int bits = tn_bits(d) - (tn_is_unsigned(d) ? 0 : 1);
  return tn_is_int(d) && bits < 63 ? ((int64_t)1 << bits) - 1 : INT64_MAX;
}
#endif
// ---- end src/ir/dtype.c ----
// ---- begin src/ir/alu.c ----
// alu: the meaning of every arithmetic op, once. Constant folding and the interpreter both come here.
//
// Integers wrap to the dtype's width through unsigned arithmetic, division by zero gives 0
// (remainder: the dividend), shifts beyond the width give 0 (or the sign). Floats are computed in
// f64 and rounded once to the dtype, which is exact for + - * / sqrt of f32 and narrower
// (Figueroa, "When is double rounding innocuous?", 1995). MAX is NaN if either operand is.
#ifndef TN_IR_ALU
#define TN_IR_ALU
#ifndef TINY_AMALGAMATED
#include "dtype.c"
#endif

// Threefry-2x32 with 20 rounds: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11, section 4.2.
static const int tn_threefry_rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
static uint32_t tn_threefry(uint32_t c0, uint32_t c1, uint32_t k0, uint32_t k1, int word) {
  const uint32_t key[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDAu};
  uint32_t a = c0 + key[0], b = c1 + key[1];
  for (int group = 0; group < 5; group++) {
    for (int i = 0; i < 4; i++) {
      const int r = tn_threefry_rotations[group & 1][i];
      a += b;
      b = (b << r | b >> (32 - r)) ^ a;
    }
    a += key[(group + 1) % 3];
    b += key[(group + 2) % 3] + (uint32_t)group + 1;
  }
  return word ? b : a;
}

static double tn_alu_float(int op, double a, double b, double c) {
  switch (op) {
    case TINY_OP_NEG: return -a;
    case TINY_OP_EXP2: return exp2(a);
    case TINY_OP_LOG2: return log2(a);
    case TINY_OP_SIN: return sin(a);
    case TINY_OP_SQRT: return sqrt(a);
    case TINY_OP_TRUNC: return trunc(a);
    case TINY_OP_ADD: return a + b;
    case TINY_OP_SUB: return a - b;
    case TINY_OP_MUL: return a * b;
    case TINY_OP_FDIV: return a / b;
    case TINY_OP_IDIV: return floor(a / b);
    case TINY_OP_MOD: { const double r = fmod(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r; }
    case TINY_OP_CDIV: return trunc(a / b);
    case TINY_OP_CMOD: return fmod(a, b);
    case TINY_OP_MAX: return a > b || a != a ? a : b;
    case TINY_OP_POW: return pow(a, b);
    case TINY_OP_MULADD: return a * b + c;
    default: return (double)NAN;
  }
}

static int64_t tn_alu_cdiv(int d, int64_t a, int64_t b, int remainder) {
  if (b == 0) return remainder ? a : 0;
  if (d == TINY_U64) return (int64_t)(remainder ? (uint64_t)a % (uint64_t)b : (uint64_t)a / (uint64_t)b);
  if (b == -1) return remainder ? 0 : (int64_t)(0 - (uint64_t)a);   // INT64_MIN / -1 traps in C
  return remainder ? a % b : a / b;
}

static int64_t tn_alu_int(int op, int d, int64_t a, int64_t b, int64_t c) {
  const uint64_t x = (uint64_t)a, y = (uint64_t)b;
  const int narrow = tn_bits(d);
  switch (op) {
    case TINY_OP_NEG: return (int64_t)(0 - x);
    case TINY_OP_ADD: return d == TINY_BOOL ? a | b : (int64_t)(x + y);
    case TINY_OP_SUB: return (int64_t)(x - y);
    case TINY_OP_MUL: return (int64_t)(x * y);
    case TINY_OP_MULADD: return (int64_t)(x * y + (uint64_t)c);
    case TINY_OP_CDIV: return tn_alu_cdiv(d, a, b, 0);
    case TINY_OP_CMOD: return tn_alu_cdiv(d, a, b, 1);
    case TINY_OP_IDIV: case TINY_OP_MOD: {
      int64_t r = tn_alu_cdiv(d, a, b, 1);
      const int adjust = !tn_is_unsigned(d) && b && r && (r < 0) != (b < 0);
      return op == TINY_OP_MOD ? r + (adjust ? b : 0) : tn_alu_cdiv(d, a, b, 0) - adjust;
    }
    case TINY_OP_MAX: return d == TINY_U64 ? (x > y ? a : b) : a > b ? a : b;
    case TINY_OP_AND: return a & b;
    case TINY_OP_OR: return a | b;
    case TINY_OP_XOR: return a ^ b;
    case TINY_OP_SHL: return y >= (uint64_t)narrow ? 0 : (int64_t)(x << y);
    case TINY_OP_SHR:
      if (tn_is_unsigned(d)) return y >= (uint64_t)narrow ? 0 : (int64_t)(x >> y);
      return y >= (uint64_t)narrow ? (a < 0 ? -1 : 0) : a >= 0 ? a >> y : ~(~a >> y);
    case TINY_OP_POW: {
      uint64_t r = 1, base = x;
      if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
      for (uint64_t e = y; e; e >>= 1) {
        if (e & 1) r *= base;
        base *= base;
      }
      return (int64_t)r;
    }
    case TINY_OP_TRUNC: return a;
    default: return 0;
  }
}

static int64_t tn_alu_compare(int op, int d, int64_t a, int64_t b) {
  if (tn_is_float(d)) {
    const double x = tn_to_f64(a), y = tn_to_f64(b);
    return op == TINY_OP_LT ? x < y : op == TINY_OP_NE ? x != y : x == y;
  }
  return op == TINY_OP_LT ? (d == TINY_U64 ? (uint64_t)a < (uint64_t)b : a < b) :
      op == TINY_OP_NE    ? a != b :
                            a == b;
}

// The value of op on constants. from: dtype of the first source (of the operands of comparisons; of what a cast
// converts); d: dtype of the result; k: the node's own k; v: values of the sources.
static int64_t tn_alu(int op, int d, int from, int64_t k, const int64_t *v, int nsrc) {
  const int64_t a = v[0], b = nsrc > 1 ? v[1] : 0, c = nsrc > 2 ? v[2] : 0;
  switch (op) {
    case TINY_OP_CAST: return tn_dtype_convert(d, from, a);
    case TINY_OP_BITCAST: {
      unsigned char raw[8] = {0};
      tn_dtype_store(from, raw, a);
      return tn_dtype_load(d, raw);
    }
    case TINY_OP_LT: case TINY_OP_NE: case TINY_OP_EQ: return tn_alu_compare(op, from, a, b);
    case TINY_OP_WHERE: return a ? b : c;
    case TINY_OP_THREEFRY: return tn_threefry((uint32_t)a, (uint32_t)b, (uint32_t)c, (uint32_t)v[3], (int)k);
    default: break;
  }
  if (!tn_is_float(d)) return tn_dtype_wrap(d, tn_alu_int(op, d, a, b, c));
  if (op == TINY_OP_MULADD && d != TINY_F64)
    return tn_from_f64(tn_dtype_round(d, tn_dtype_round(d, tn_to_f64(a) * tn_to_f64(b)) + tn_to_f64(c)));
  return tn_from_f64(tn_dtype_round(d, tn_alu_float(op, tn_to_f64(a), tn_to_f64(b), tn_to_f64(c))));
}
#endif
// ---- end src/ir/alu.c ----
// ---- begin src/ir/uop.c ----
// uop: the one node type, from a user's matmul to a loop counter. Nodes are immutable and
// hash-consed: two nodes with the same op, dtype, lanes, k, v, ptr and sources are the same
// pointer, so equality is ==. Made when a node is: its shape, integer bounds and structural hash.
// Operands of commutative ops are put in structural order here, constants last, so that neither
// the caller's order nor C's order of evaluation shows in any result.
//
// What k, v and the sources mean, where the op table does not say:
//   CONST k value | BUFFER k serial, v {nelem}, ptr storage | PARAM k slot, v {nelem} | SCALAR k value | ARG k slot
//   IOTA k n: 0..n-1 | RANGE (extent) k id<<8|kind | SPECIAL (extent) k dim | 16 if local |
//   DEFINE k id, v {space, nelem}
//   LANE: 0..lanes-1 | RESHAPE EXPAND v shape | PERMUTE v axes | PAD v {before, after}.. |
//   SHRINK v {begin, end}.. | FLIP k axis bits
//   VIEW (buffer) k offset, v {shape.., strides..}: any strides over flat memory
//   REDUCE (x) k op | axis bits<<8 in tensors; (x ranges..) k op in kernels | ASSIGN (base view value) -> base
//   STAGE (x ranges..) k space | INDEX (memory element [valid]) | LOAD (index [otherwise]) | STORE (index value)
//   AFTER (x deps..) -> x | END (body ranges..) | BROADCAST (x) to lanes | STACK (x0 x1 ..) |
//   PICK (vector) k first lane, to lanes | HREDUCE (vector) k op
#ifndef TN_IR_UOP
#define TN_IR_UOP
#ifndef TINY_AMALGAMATED
#include "alu.c"
#endif

static const struct { const char *name; int8_t nsrc; uint8_t flags; } tn_ops[TINY_OP_COUNT] = {
#define TN_OP_ROW(name, nsrc, flags) {#name, nsrc, flags},
  TINY_OPS(TN_OP_ROW)
#undef TN_OP_ROW
};
TINY_API const char *tiny_op_name(int op) { return (unsigned)op < TINY_OP_COUNT ? tn_ops[op].name : "?"; }
static int tn_op_is(int op, int flags) { return (tn_ops[op].flags & flags) != 0; }
static int tn_op_is_elementwise(int op) {
  return tn_op_is(op, TINY_ALU) || op == TINY_OP_CAST || op == TINY_OP_BITCAST;
}
static int tn_op_folds(int64_t op) { return op >= 0 && op < TINY_OP_COUNT && tn_op_is((int)op, TINY_ASSOC); }

// Kinds of ranges, outermost first. A kernel's loops nest in this order.
enum { TN_TASK, TN_GLOBAL, TN_LOCAL, TN_LOOP, TN_GROUP, TN_REDUCE, TN_UPCAST, TN_UNROLL, TN_VECTOR,
  TN_KINDS };
// Where a DEFINE or STAGE lives.
enum { TN_SPACE_GLOBAL, TN_SPACE_LOCAL, TN_SPACE_REG };

enum { TN_NODE_CLASS = 32, TN_NODE_CLASSES = 24, TN_NODE_CHUNK = 64 * 1024 };
struct tn_ir {
  tiny_uop **table; uint32_t cap, n;
  // Nodes of 32, 64, 96 .. bytes to take again, linked through their first word.
  void *unused[TN_NODE_CLASSES];
  char *chunk; size_t left; void **chunks; // memory of nodes; each chunk begins with a pointer to the one before
  uint32_t epoch;
  int64_t serial;                          // of BUFFERs and of range ids
  uint32_t collect_at;                     // number of nodes at which tn_collect does its work
  tiny_uop bad;                            // what a failed construction gives; operators turn it into poison
  void (*release)(tiny_ctx *t, void *storage);   // called when a BUFFER node dies
};

static int tn_ir_open(tiny_ctx *t) {
  t->ir = (struct tn_ir *)tn_alloc(t, sizeof *t->ir);
  if (!t->ir) return 0;
  t->ir->bad.lanes = 1;
  t->ir->collect_at = 1 << 14;
  t->ir->cap = TN_FIRST_SLOTS;
  t->ir->table = (tiny_uop **)tn_alloc(t, t->ir->cap * sizeof(tiny_uop *));
  return t->ir->table != NULL;
}

static size_t tn_uop_nbytes(const tiny_uop *u) {
  const size_t own_dims = u->dim && u->dim == (const int64_t *)(u->src + u->nsrc) + u->nv ? u->ndim : 0;
  return sizeof(tiny_uop) + u->nsrc * sizeof(tiny_uop *) + (u->nv + own_dims) * sizeof(int64_t);
}

static void *tn_uop_alloc(tiny_ctx *t, size_t nbytes) {
  struct tn_ir *ir = t->ir;
  const size_t rounded = (nbytes + TN_NODE_CLASS - 1) & ~(size_t)(TN_NODE_CLASS - 1),
               c = rounded / TN_NODE_CLASS;
  if (c >= TN_NODE_CLASSES) return tn_realloc(t, NULL, 0, rounded);
  if (ir->unused[c]) {
    void *p = ir->unused[c];
    memcpy(&ir->unused[c], p, sizeof(void *));
    return p;
  }
  if (ir->left < rounded) {
    void **chunk = (void **)tn_realloc(t, NULL, 0, TN_NODE_CHUNK);
    if (!chunk) return NULL;
    chunk[0] = ir->chunks; ir->chunks = chunk;
    ir->chunk = (char *)chunk + TN_NODE_CLASS; ir->left = TN_NODE_CHUNK - TN_NODE_CLASS;
  }
  void *p = ir->chunk;
  ir->chunk += rounded; ir->left -= rounded;
  return p;
}
static void tn_uop_free(tiny_ctx *t, tiny_uop *u) {
  const size_t rounded = (tn_uop_nbytes(u) + TN_NODE_CLASS - 1) & ~(size_t)(TN_NODE_CLASS - 1),
               c = rounded / TN_NODE_CLASS;
  if (u->op == TINY_OP_BUFFER && t->ir->release) t->ir->release(t, u->ptr);
  if (c >= TN_NODE_CLASSES) { tn_release(t, u, rounded); return; }
  memcpy(u, &t->ir->unused[c], sizeof(void *));
  t->ir->unused[c] = u;
}

// ** facts that are inferred when a node is made **

static int tn_is_const(const tiny_uop *u) { return u->op == TINY_OP_CONST; }
static int tn_is_k(const tiny_uop *u, int64_t k) { return u->op == TINY_OP_CONST && u->k == k; }
static int tn_range_kind(const tiny_uop *r) { return (int)(r->k & 0xFF); }
static int64_t tn_range_extent(const tiny_uop *r) { return r->src[0]->k; }

// Shape of a tensor node into dim (room for TINY_MAX_DIMS); *shared is set instead when another node's list serves.
static int tn_uop_shape(const tiny_uop *u, const int64_t *v, int64_t *dim, const int64_t **shared) {
  const tiny_uop *x = u->nsrc ? u->src[0] : NULL;
  switch (u->op) {
    case TINY_OP_IOTA: dim[0] = u->k; return 1;
    case TINY_OP_BUFFER: case TINY_OP_PARAM: dim[0] = v[0]; return 1;
    case TINY_OP_CUSTOM: case TINY_OP_RESHAPE: case TINY_OP_EXPAND: *shared = v; return u->nv;
    case TINY_OP_VIEW: for (int i = 0; i < u->nv / 2; i++) dim[i] = v[i]; return u->nv / 2;
    case TINY_OP_PERMUTE: for (int i = 0; i < x->ndim; i++) dim[i] = x->dim[v[i]]; return x->ndim;
    case TINY_OP_PAD:
      for (int i = 0; i < x->ndim; i++) dim[i] = x->dim[i] + v[2 * i] + v[2 * i + 1];
      return x->ndim;
    case TINY_OP_SHRINK: for (int i = 0; i < x->ndim; i++) dim[i] = v[2 * i + 1] - v[2 * i]; return x->ndim;
    case TINY_OP_REDUCE:
      for (int i = 0; i < x->ndim; i++) dim[i] = u->k >> (8 + i) & 1 ? 1 : x->dim[i];
      return x->ndim;
    default:                               // elementwise: 0-d sources broadcast
      for (uint32_t i = 0; i < u->nsrc; i++)
        if (u->src[i]->ndim) {
          *shared = u->src[i]->dim;
          return u->src[i]->ndim;
        }
      return 0;
  }
}

static int64_t tn_clamp_mul(int64_t a, int64_t b) {        // saturating product
  if (a == 0 || b == 0) return 0;
  const double p = (double)a * (double)b;
  return p > 4e18 ? INT64_MAX : p < -4e18 ? INT64_MIN : a * b;
}
static int64_t tn_clamp_add(int64_t a, int64_t b) {
  if (a > 0 && b > INT64_MAX - a) return INT64_MAX;
  if (a < 0 && b < INT64_MIN - a) return INT64_MIN;
  return a + b;
}
static int64_t tn_floor_div(int64_t a, int64_t b) { return tn_alu_int(TINY_OP_IDIV, TINY_I64, a, b, 0); }

static void tn_bounds_div(tiny_uop *u, const tiny_uop *a, const tiny_uop *b) {
  if (b->vmin <= 0 || a->vmin <= -((int64_t)1 << 62) || a->vmax >= (int64_t)1 << 62) return;
  const int floors = u->op == TINY_OP_IDIV;
  if (!floors && a->vmin < 0) {            // truncation: toward zero
    u->vmin = a->vmin / b->vmin; u->vmax = a->vmax < 0 ? a->vmax / b->vmax : a->vmax / b->vmin;
    return;
  }
  u->vmin = tn_floor_div(a->vmin, a->vmin < 0 ? b->vmin : b->vmax);
  u->vmax = tn_floor_div(a->vmax, a->vmax < 0 ? b->vmax : b->vmin);
}

static void tn_bounds_mod(tiny_uop *u, const tiny_uop *a, const tiny_uop *b) {
  if (b->vmin <= 0) return;
  u->vmax = b->vmax - 1;
  u->vmin = u->op == TINY_OP_MOD || a->vmin >= 0 ? 0 : -(b->vmax - 1);
  if (a->vmin >= 0 && a->vmax < u->vmax) u->vmax = a->vmax;
  if (b->vmin == b->vmax && a->vmin > INT64_MIN / 2 &&
      tn_floor_div(a->vmin, b->vmin) == tn_floor_div(a->vmax, b->vmin) &&
      (a->vmin >= 0 || u->op == TINY_OP_MOD)) { // the same quotient throughout
    u->vmin = a->vmin - tn_floor_div(a->vmin, b->vmin) * b->vmin;
    u->vmax = a->vmax - tn_floor_div(a->vmin, b->vmin) * b->vmin;
  }
}

static void tn_bounds_compare(tiny_uop *u, const tiny_uop *a, const tiny_uop *b) {
  if (a->dtype == TINY_U64 || tn_is_float(a->dtype)) return;
  const int apart = a->vmax < b->vmin || b->vmax < a->vmin;
  const int same = a == b || (a->vmin == a->vmax && b->vmin == b->vmax && a->vmin == b->vmin);
  if (u->op == TINY_OP_LT) {
    if (a->vmax < b->vmin) u->vmin = 1;
    if (a->vmin >= b->vmax || a == b) u->vmax = 0;
  }
  if (u->op == TINY_OP_NE) { if (apart) u->vmin = 1; if (same) u->vmax = 0; }
  if (u->op == TINY_OP_EQ) { if (apart) u->vmax = 0; if (same) u->vmin = 1; }
}

// Bounds of integer and bool nodes; a result that may wrap keeps the dtype's own bounds.
static void tn_uop_bounds(tiny_uop *u) {
  const int64_t low = tn_dtype_min(u->dtype), high = tn_dtype_max(u->dtype);
  u->vmin = low; u->vmax = high;
  if (tn_is_float(u->dtype) || u->dtype == TINY_U64 || u->dtype == TINY_VOID) {
    if (u->op == TINY_OP_CONST && u->dtype == TINY_U64 && u->k >= 0) u->vmin = u->vmax = u->k;
    return;
  }
  const tiny_uop *a = u->nsrc ? u->src[0] : NULL, *b = u->nsrc > 1 ? u->src[1] : NULL;
  switch (u->op) {
    case TINY_OP_CONST: u->vmin = u->vmax = u->k; break;
    case TINY_OP_IOTA: u->vmin = 0; u->vmax = u->k > 0 ? u->k - 1 : 0; break;
    case TINY_OP_LANE: u->vmin = 0; u->vmax = u->lanes - 1; break;
    case TINY_OP_RANGE: case TINY_OP_SPECIAL: u->vmin = 0; u->vmax = a->vmax > 0 ? a->vmax - 1 : 0; break;
    case TINY_OP_ARG: if (u->nv == 2) { u->vmin = u->v[0]; u->vmax = u->v[1]; } break;
    case TINY_OP_RESHAPE: case TINY_OP_PERMUTE: case TINY_OP_EXPAND: case TINY_OP_SHRINK: case TINY_OP_FLIP:
    case TINY_OP_VIEW: case TINY_OP_CONTIGUOUS: case TINY_OP_DETACH: case TINY_OP_BROADCAST: case TINY_OP_PICK:
      u->vmin = a->vmin;
      u->vmax = a->vmax;
      break;
    case TINY_OP_PAD: u->vmin = a->vmin < 0 ? a->vmin : 0; u->vmax = a->vmax > 0 ? a->vmax : 0; break;
    case TINY_OP_STACK:
      u->vmin = a->vmin; u->vmax = a->vmax;
      for (uint32_t i = 1; i < u->nsrc; i++) {
        if (u->src[i]->vmin < u->vmin) u->vmin = u->src[i]->vmin;
        if (u->src[i]->vmax > u->vmax) u->vmax = u->src[i]->vmax;
      }
      break;
    case TINY_OP_NEG: if (a->vmin > INT64_MIN) { u->vmin = -a->vmax; u->vmax = -a->vmin; } break;
    case TINY_OP_ADD:
      if (u->dtype == TINY_BOOL) { u->vmin = a->vmin | b->vmin; u->vmax = a->vmax | b->vmax; break; }
      u->vmin = tn_clamp_add(a->vmin, b->vmin); u->vmax = tn_clamp_add(a->vmax, b->vmax); break;
    case TINY_OP_SUB:
      if (b->vmin > INT64_MIN) {
        u->vmin = tn_clamp_add(a->vmin, -b->vmax);
        u->vmax = tn_clamp_add(a->vmax, -b->vmin);
      }
      break;
    case TINY_OP_MUL: {
      const int64_t p[4] = {tn_clamp_mul(a->vmin, b->vmin), tn_clamp_mul(a->vmin, b->vmax),
                            tn_clamp_mul(a->vmax, b->vmin), tn_clamp_mul(a->vmax, b->vmax)};
      u->vmin = u->vmax = p[0];
      for (int i = 1; i < 4; i++) { if (p[i] < u->vmin) u->vmin = p[i]; if (p[i] > u->vmax) u->vmax = p[i]; }
      break;
    }
    case TINY_OP_IDIV: case TINY_OP_CDIV: tn_bounds_div(u, a, b); break;
    case TINY_OP_MOD: case TINY_OP_CMOD: tn_bounds_mod(u, a, b); break;
    case TINY_OP_MAX:
      u->vmin = a->vmin > b->vmin ? a->vmin : b->vmin;
      u->vmax = a->vmax > b->vmax ? a->vmax : b->vmax;
      break;
    case TINY_OP_LT: case TINY_OP_NE: case TINY_OP_EQ: tn_bounds_compare(u, a, b); break;
    case TINY_OP_AND:
      if (u->dtype == TINY_BOOL) {
        u->vmin = a->vmin & b->vmin;
        u->vmax = a->vmax & b->vmax;
      } else if (tn_is_const(b) && b->k >= 0) {
        u->vmin = 0;
        u->vmax = a->vmin >= 0 && a->vmax < b->k ? a->vmax : b->k;
      }
      break;
    case TINY_OP_OR:
      if (u->dtype == TINY_BOOL) {
        u->vmin = a->vmin | b->vmin;
        u->vmax = a->vmax | b->vmax;
      }
      break;
    case TINY_OP_SHR:
      if (tn_is_const(b) && b->k >= 0 && b->k < 63) {
        u->vmin = tn_floor_div(a->vmin, (int64_t)1 << b->k);
        u->vmax = tn_floor_div(a->vmax, (int64_t)1 << b->k);
      }
      break;
    case TINY_OP_SHL:
      if (tn_is_const(b) && b->k >= 0 && b->k < 62) {
        u->vmin = tn_clamp_mul(a->vmin, (int64_t)1 << b->k);
        u->vmax = tn_clamp_mul(a->vmax, (int64_t)1 << b->k);
      }
      break;
    case TINY_OP_WHERE:
      u->vmin = b->vmin < u->src[2]->vmin ? b->vmin : u->src[2]->vmin;
      u->vmax = b->vmax > u->src[2]->vmax ? b->vmax : u->src[2]->vmax;
      break;
    case TINY_OP_CAST:
      if (!tn_is_float(a->dtype) && a->dtype != TINY_U64) {
        u->vmin = a->vmin;
        u->vmax = a->vmax;
      }
      break;
    default: break;
  }
  const int saturated = u->dtype == TINY_I64 && (u->vmin == low || u->vmax == high);     // a sum beyond i64 wraps
  if (u->dtype != TINY_INDEX && (saturated || u->vmin < low || u->vmax > high)) {
    u->vmin = low;
    u->vmax = high;
  }
}

static uint64_t tn_uop_hash(const tiny_uop *u) {
  uint64_t h = tn_hash_mix((uint64_t)u->op << 32 | (uint64_t)u->dtype << 16 | u->lanes, u->nsrc);
  if (u->op != TINY_OP_BUFFER && u->op != TINY_OP_SCALAR) h = tn_hash_mix(h, (uint64_t)u->k);
  for (int i = 0; i < u->nv; i++) h = tn_hash_mix(h, (uint64_t)u->v[i]);
  for (uint32_t i = 0; i < u->nsrc; i++) h = tn_hash_mix(h, u->src[i]->hash);
  return h;
}

// Where a node stands in the table. Unlike the hash it tells nodes over different buffers apart: a training loop
// makes many of them, and they would share one chain.
static uint32_t tn_uop_slot(const tiny_uop *u) {
  uint64_t h = tn_hash_mix((uint64_t)u->op << 32 | (uint64_t)u->dtype << 16 | u->lanes, (uint64_t)u->k);
  for (int i = 0; i < u->nv; i++) h = tn_hash_mix(h, (uint64_t)u->v[i]);
  for (uint32_t i = 0; i < u->nsrc; i++) h = tn_hash_mix(h, (uint64_t)(uintptr_t)u->src[i]);
  return (uint32_t)h;
}

// Structural order of the operands of commutative ops: constants last, plain ranges and lanes
// late, then by op and hash.
static int tn_uop_order(const tiny_uop *a, const tiny_uop *b) {
  const int ka = tn_is_const(a), kb = tn_is_const(b);
  if (ka != kb) return ka - kb;
  if (a->op != b->op) return a->op > b->op ? -1 : 1;
  if (a->op == TINY_OP_RANGE && a->k != b->k) return a->k < b->k ? -1 : 1;
  return a->hash < b->hash ? -1 : a->hash > b->hash;
}

// ** construction **

static void tn_ir_rehash(tiny_ctx *t) {
  struct tn_ir *ir = t->ir;
  const uint32_t cap = ir->cap * 2;
  tiny_uop **table = (tiny_uop **)tn_alloc(t, cap * sizeof *table);
  // Longer chains until there is memory again; the caller's node fails on its own.
  if (!table) return;
  for (uint32_t i = 0; i < ir->cap; i++) for (tiny_uop *u = ir->table[i], *next; u; u = next) {
    next = u->next;
    tiny_uop **slot = &table[u->slot & (cap - 1)];
    u->next = *slot; *slot = u;
  }
  tn_release(t, ir->table, ir->cap * sizeof *ir->table);
  ir->table = table; ir->cap = cap;
}

static tiny_uop *tn_uop_make_with(tiny_ctx *t, int op, int dtype, int lanes, int nsrc, tiny_uop *const *src,
                                  int64_t k, int nv, const int64_t *v, void *ptr) {
  struct tn_ir *ir = t->ir;
  tiny_uop *swapped[2];
  for (int i = 0; i < nsrc; i++) if (!src[i] || src[i] == &ir->bad) return &ir->bad;
  if (nsrc == 2 && tn_op_is(op, TINY_COMM) && tn_uop_order(src[0], src[1]) > 0) {
    swapped[0] = src[1]; swapped[1] = src[0];
    src = swapped;
  }
  tiny_uop key;
  memset(&key, 0, sizeof key);
  key.op = (uint8_t)op;
  key.dtype = (uint8_t)dtype;
  key.lanes = (uint16_t)lanes;
  key.nv = (uint16_t)nv;
  key.nsrc = (uint32_t)nsrc;
  key.k = k; key.v = v; key.src = (tiny_uop **)(uintptr_t)src; key.ptr = ptr;
  key.slot = tn_uop_slot(&key);
  for (tiny_uop *u = ir->table[key.slot & (ir->cap - 1)]; u; u = u->next) {
    if (u->slot == key.slot && u->op == op && u->dtype == dtype && u->lanes == lanes && u->nsrc == key.nsrc &&
        u->nv == nv && u->k == k && u->ptr == ptr &&
        (!nsrc || !memcmp(u->src, src, (size_t)nsrc * sizeof *src)) &&
        (!nv || !memcmp(u->v, v, (size_t)nv * sizeof *v)))
      return u;
  }
  int64_t dim[TINY_MAX_DIMS];
  const int64_t *shared = NULL;
  key.hash = tn_uop_hash(&key);
  const int ndim = tn_uop_shape(&key, v, dim, &shared), own = shared ? 0 : ndim;
  tiny_uop *u =
      (tiny_uop *)tn_uop_alloc(t, sizeof *u + (size_t)nsrc * sizeof *src + (size_t)(nv + own) * sizeof *v);
  if (!u) return &ir->bad;
  *u = key;
  u->src = (tiny_uop **)(void *)(u + 1);
  int64_t *list = (int64_t *)(void *)(u->src + nsrc);
  if (nsrc) memcpy(u->src, src, (size_t)nsrc * sizeof *src);
  if (nv) memcpy(list, v, (size_t)nv * sizeof *v);
  u->v = list;
  u->ndim = (uint8_t)ndim;
  if (own) { memcpy(list + nv, dim, (size_t)own * sizeof *dim); u->dim = list + nv; }
  else u->dim = shared == v ? list : shared;
  tn_uop_bounds(u);
  if (++ir->n > ir->cap) tn_ir_rehash(t);
  tiny_uop **slot = &ir->table[u->slot & (ir->cap - 1)];
  u->next = *slot; *slot = u;
  t->stats.nodes = ir->n;
  return u;
}
static tiny_uop *tn_uop_make(tiny_ctx *t, int op, int dtype, int lanes, int nsrc, tiny_uop *const *src,
                             int64_t k, int nv, const int64_t *v) {
  return tn_uop_make_with(t, op, dtype, lanes, nsrc, src, k, nv, v, NULL);
}

// The same node with other sources.
static tiny_uop *tn_uop_with(tiny_ctx *t, const tiny_uop *u, tiny_uop *const *src) {
  int lanes = u->lanes;
  if (tn_op_is_elementwise(u->op)) {
    lanes = 1;
    for (uint32_t i = 0; i < u->nsrc; i++) if (src[i] && src[i]->lanes > lanes) lanes = src[i]->lanes;
  }
  return tn_uop_make_with(t, u->op, u->dtype, lanes, (int)u->nsrc, src, u->k, u->nv, u->v, u->ptr);
}

static tiny_uop *tn_int(tiny_ctx *t, int dtype, int64_t k) {
  return tn_uop_make(t, TINY_OP_CONST, dtype, 1, 0, NULL, tn_dtype_wrap(dtype, k), 0, NULL);
}
static tiny_uop *tn_index(tiny_ctx *t, int64_t k) { return tn_int(t, TINY_INDEX, k); }
static tiny_uop *tn_bool(tiny_ctx *t, int64_t k) { return tn_int(t, TINY_BOOL, k); }
// A number as a constant of any dtype.
static tiny_uop *tn_number(tiny_ctx *t, int dtype, double x) {
  return tn_uop_make(t, TINY_OP_CONST, dtype, 1, 0, NULL, tn_dtype_value(dtype, x), 0, NULL);
}

static tiny_uop *tn_u1(tiny_ctx *t, int op, tiny_uop *a) {
  return tn_uop_make(t, op, a->dtype, a->lanes, 1, &a, 0, 0, NULL);
}
static tiny_uop *tn_u2(tiny_ctx *t, int op, tiny_uop *a, tiny_uop *b) {
  tiny_uop *src[2] = {a, b};
  if (!a || !b) return &t->ir->bad;
  return tn_uop_make(t, op, tn_op_is(op, TINY_CMP) ? (int)TINY_BOOL : a->dtype,
                     a->lanes > b->lanes ? a->lanes : b->lanes, 2, src, 0, 0, NULL);
}
static tiny_uop *tn_u3(tiny_ctx *t, int op, tiny_uop *a, tiny_uop *b, tiny_uop *c) {
  tiny_uop *src[3] = {a, b, c};
  if (!a || !b || !c) return &t->ir->bad;
  int lanes = a->lanes > b->lanes ? a->lanes : b->lanes;
  if (c->lanes > lanes) lanes = c->lanes;
  return tn_uop_make(t, op, b->dtype, lanes, 3, src, 0, 0, NULL);
}
static tiny_uop *tn_cast(tiny_ctx *t, tiny_uop *a, int dtype) {
  if (a->dtype == dtype) return a;
  return tn_uop_make(t, TINY_OP_CAST, dtype, a->lanes, 1, &a, 0, 0, NULL);
}
static tiny_uop *tn_not(tiny_ctx *t, tiny_uop *a) { return tn_u2(t, TINY_OP_XOR, a, tn_bool(t, 1)); }
static tiny_uop *tn_range(tiny_ctx *t, int64_t extent, int kind) {
  tiny_uop *end = tn_index(t, extent);
  return tn_uop_make(t, TINY_OP_RANGE, TINY_INDEX, 1, 1, &end, ++t->ir->serial << 8 | kind, 0, NULL);
}

// ** walks **

typedef struct tn_walk { tiny_uop *u; uint32_t next; } tn_walk;

// Every node that root needs, sources before users, each once. Heavy code only.
static void tn_toposort(tiny_ctx *t, tiny_uop *root, tn_list *out) {
  const uint32_t seen = ++t->ir->epoch;
  tn_walk *stack = NULL, *top;
  int n = 0, cap = 0;
  top = TN_PUSH(t, stack, n, cap, tn_walk);
  top->u = root;
  root->mark = seen;
  while (n) {
    top = &stack[n - 1];
    if (top->next == top->u->nsrc) { tn_push(t, out, top->u); n--; continue; }
    tiny_uop *s = top->u->src[top->next++];
    if (s->mark == seen) continue;
    s->mark = seen;
    top = TN_PUSH(t, stack, n, cap, tn_walk);
    top->u = s; top->next = 0;
  }
}

// ** life: what is not reached from the marks is freed by the sweep **

static void tn_uop_mark(tiny_ctx *t, tn_list *stack, tiny_uop *u) {
  if (!u || u->mark == t->ir->epoch) return;
  u->mark = t->ir->epoch;
  tn_push(t, stack, u);
  while (stack->n) {
    u = stack->u[--stack->n];
    for (uint32_t i = 0; i <= u->nsrc; i++) {
      tiny_uop *s = i < u->nsrc ? u->src[i] : u->realized;
      if (!s || s->mark == t->ir->epoch) continue;
      s->mark = t->ir->epoch;
      tn_push(t, stack, s);
    }
  }
}

static void tn_uop_sweep(tiny_ctx *t) {
  struct tn_ir *ir = t->ir;
  for (uint32_t i = 0; i < ir->cap; i++) for (tiny_uop **at = &ir->table[i]; *at;) {
    tiny_uop *u = *at;
    if (u->mark == ir->epoch) { at = &u->next; continue; }
    *at = u->next;
    tn_uop_free(t, u);
    ir->n--;
  }
  t->stats.nodes = ir->n;
}

static void tn_ir_close(tiny_ctx *t) {
  struct tn_ir *ir = t->ir;
  if (!ir) return;
  if (ir->table) { ir->epoch++; tn_uop_sweep(t); tn_release(t, ir->table, ir->cap * sizeof *ir->table); }
  while (ir->chunks) {
    void **older = (void **)ir->chunks[0];
    tn_release(t, ir->chunks, TN_NODE_CHUNK);
    ir->chunks = older;
  }
  tn_release(t, ir, sizeof *ir);
  t->ir = NULL;
}

#endif
// ---- end src/ir/uop.c ----
// ---- begin src/ir/args.c ----
// args: which k, v and sources fit an op. The library's own code builds nodes that fit; what comes from
// outside, through tiny_uop_new or as text, is checked here before shape and bounds inference rely on it.
#ifndef TN_IR_ARGS
#define TN_IR_ARGS
#ifndef TINY_AMALGAMATED
#include "uop.c"
#endif

// -1: a negative dim, or too many elements
static int64_t tn_dims_nelem(int n, const int64_t *dim) {
  int64_t nelem = 1;
  for (int i = 0; i < n; i++) {
    if (dim[i] < 0) return -1;
    nelem = tn_clamp_mul(nelem, dim[i]);
  }
  return nelem > (int64_t)1 << 60 ? -1 : nelem;
}

static int tn_sources_fit(int op, int n) {
  if (tn_ops[op].nsrc >= 0) return n == tn_ops[op].nsrc;
  switch (op) {
    case TINY_OP_INDEX: return n == 2 || n == 3;
    case TINY_OP_LOAD: return n == 1 || n == 2;
    case TINY_OP_STORE: return n == 2;
    case TINY_OP_SINK: case TINY_OP_GROUP: case TINY_OP_BARRIER: case TINY_OP_CUSTOM: return 1;
    default: return n >= 1;
  }
}

// VIEW (x) k offset, v {shape.., strides..}: every element must lie in x.
static const char *tn_view_args_fit(const tiny_uop *x, int64_t offset, int nv, const int64_t *v) {
  const int n = nv / 2;
  int64_t low = offset, high = offset;
  if (x->ndim != 1 || nv % 2 || n > TINY_MAX_DIMS) return "takes flat memory, a shape and as many strides";
  const int64_t nelem = tn_dims_nelem(n, v);
  for (int i = 0; i < n && nelem > 0; i++) {
    const int64_t reach = tn_clamp_mul(v[i] - 1, v[n + i]);
    if (reach < 0) low = tn_clamp_add(low, reach); else high = tn_clamp_add(high, reach);
  }
  return nelem == 0 || (nelem > 0 && low >= 0 && high < x->dim[0]) ? NULL : "out of the source's bounds";
}

static const char *tn_movement_fits(int op, const tiny_uop *x, int64_t k, int nv, const int64_t *v) {
  uint32_t seen = 0;
  int64_t dim[TINY_MAX_DIMS];
  if (op == TINY_OP_RESHAPE)
    return nv <= TINY_MAX_DIMS && tn_dims_nelem(nv, v) >= 0 &&
      tn_dims_nelem(nv, v) == tn_dims_nelem(x->ndim, x->dim)
      ? NULL : "the shape has another number of elements";
  if (op == TINY_OP_VIEW) return tn_view_args_fit(x, k, nv, v);
  if (op == TINY_OP_FLIP) return k >= 0 && k < (int64_t)1 << x->ndim ? NULL : "no such axis";
  if (nv != (op == TINY_OP_PAD || op == TINY_OP_SHRINK ? 2 * x->ndim : x->ndim))
    return "the list has not as many numbers as the source has dims";
  for (int i = 0; i < x->ndim; i++) switch (op) {
    case TINY_OP_PERMUTE:
      if (v[i] < 0 || v[i] >= x->ndim || seen >> v[i] & 1) return "not a permutation";
      seen |= 1u << v[i]; dim[i] = x->dim[v[i]];
      break;
    case TINY_OP_EXPAND:
      if (v[i] != x->dim[i] && x->dim[i] != 1) return "only dims of 1 grow";
      dim[i] = v[i];
      break;
    case TINY_OP_PAD:
      if (v[2 * i] < 0 || v[2 * i + 1] < 0) return "negative padding";
      dim[i] = tn_clamp_add(x->dim[i], tn_clamp_add(v[2 * i], v[2 * i + 1]));
      break;
    default:
      if (v[2 * i] < 0 || v[2 * i] > v[2 * i + 1] || v[2 * i + 1] > x->dim[i])
        return "out of the source's bounds";
      dim[i] = v[2 * i + 1] - v[2 * i];
  }
  return tn_dims_nelem(x->ndim, dim) < 0 ? "too many elements" : NULL;
}

// NULL, or what is wrong with a node of these parts.
static const char *tn_args_fit(int op, int nsrc, tiny_uop *const *src, int64_t k, int nv, const int64_t *v) {
  if (!tn_sources_fit(op, nsrc)) return "the number of sources is wrong";
  if (tn_op_is(op, TINY_MOVEMENT)) return tn_movement_fits(op, src[0], k, nv, v);
  switch (op) {
    case TINY_OP_BUFFER: case TINY_OP_PARAM: return nv == 1 && v[0] >= 0 ? NULL
      : "takes its number of elements";
    case TINY_OP_DEFINE: return nv == 2 && v[0] >= 0 && v[0] < 3 && v[1] >= 0 ? NULL
      : "takes its space and its number of elements";
    case TINY_OP_IOTA: return k >= 0 ? NULL : "takes its number of elements";
    case TINY_OP_RANGE: return k >= 0 && k >> 56 == 0 && (k & 0xFF) < TN_KINDS ? NULL
      : "takes an id below 2^48 and a kind";
    case TINY_OP_CUSTOM: return nv <= TINY_MAX_DIMS && tn_dims_nelem(nv, v) >= 0 ? NULL : "takes its shape";
    case TINY_OP_REDUCE: case TINY_OP_HREDUCE: return k >= 0 && (k & 0xFF) < TINY_OP_COUNT &&
      k >> 8 < 1 << TINY_MAX_DIMS ? NULL : "takes an op";
    default: return NULL;
  }
}

TINY_API tiny_uop *tiny_uop_new(tiny_ctx *t, int op, tiny_dtype dtype, tiny_uop *const *src, int nsrc,
                                int64_t k, const int64_t *v, int nv) {
  if (!t) return NULL;
  if ((unsigned)op >= TINY_OP_COUNT || (unsigned)dtype >= TINY_DTYPE_COUNT || nsrc < 0 || (nsrc && !src) ||
      nv < 0 || (nv && !v)) {
    tiny_fail(t, TINY_E_ARG, "uop_new: op %d, dtype %d, %d sources, %d list elements", op, (int)dtype, nsrc,
              nv);
    return NULL;
  }
  int lanes = 1;
  for (int i = 0; i < nsrc; i++) {
    if (!src[i]) {
      tiny_fail(t, TINY_E_ARG, "uop_new: source %d of %s is NULL", i, tn_ops[op].name);
      return NULL;
    }
    if (src[i]->lanes > lanes) lanes = src[i]->lanes;
  }
  const char *wrong = tn_args_fit(op, nsrc, src, k, nv, v);
  if (wrong) { tiny_fail(t, TINY_E_ARG, "uop_new: %s: %s", tn_ops[op].name, wrong); return NULL; }
  tiny_uop *u = tn_uop_make(t, op, dtype, lanes, nsrc, src, k, nv, v);
  return u == &t->ir->bad ? NULL : u;
}
#endif
// ---- end src/ir/args.c ----
// ---- begin src/ir/print.c ----
// print: the one notation of the IR, for dumps, golden files and test input. What is printed parses back to
// the same node.
//
//   (ADD:f32 (MUL:f32 %1 0.5:f32) %2)      op : dtype x lanes : what k means, then sources, then v
//   4   0.5:f32   1:bool   inf:f32         constants; bare integers are INDEX; 0x..:f32 gives the bits of k
//   (RANGE:17:reduce 1024)  (REDUCE:f32:ADD:axes=0,2 x)  (RESHAPE:f32 x [2 3])  (PARAM:f32:0 1024)
//   (DEFINE:f32x4:3:reg 8)  (SPECIAL:item0 64)  (VIEW:f32:offset x [shape.. strides..])
//   (BUFFER:f32:#7 1024)                   the live BUFFER of that serial; else a new one without storage
//   %3 = (LOAD:f32 ...)                    names a node; any word is a name; the last expression counts
//
// Nodes that are used twice, and parts of what would be longer than a line, get a name. Void ops and counters
// leave out their dtype; in input, arithmetic may do so too: it is that of the sources. k=5 gives k of an op
// that has no form of its own.
//
// The parser takes untrusted text: nesting is limited, numbers are checked, and no node is made whose
// arguments do not fit.
#ifndef TN_IR_PRINT
#define TN_IR_PRINT
#ifndef TINY_AMALGAMATED
#include "args.c"
#endif

enum { TN_PRINT_COLUMNS = 100, TN_PARSE_DEPTH = 10000, TN_PARSE_SHOWN = 76 };

static const char *const tn_kind_names[TN_KINDS] =
  {"task", "global", "local", "loop", "group", "reduce", "upcast", "unroll", "vector"};
static const char *const tn_space_names[3] = {"global", "local", "reg"};

// What k is, and so how it reads.
enum {
  TN_K_PLAIN, TN_K_VALUE, TN_K_NUMBER, TN_K_SERIAL, TN_K_RANGE, TN_K_SPECIAL, TN_K_SPACE, TN_K_AXES, TN_K_OP
};
static int tn_print_style(int op) {
  switch (op) {
    case TINY_OP_CONST: case TINY_OP_SCALAR: return TN_K_VALUE;
    case TINY_OP_PARAM: case TINY_OP_ARG: case TINY_OP_IOTA: case TINY_OP_DEFINE: case TINY_OP_PICK:
    case TINY_OP_VIEW: case TINY_OP_THREEFRY: return TN_K_NUMBER;
    case TINY_OP_BUFFER: return TN_K_SERIAL;
    case TINY_OP_RANGE: return TN_K_RANGE;
    case TINY_OP_SPECIAL: return TN_K_SPECIAL;
    case TINY_OP_STAGE: return TN_K_SPACE;
    case TINY_OP_FLIP: return TN_K_AXES;
    case TINY_OP_REDUCE: case TINY_OP_HREDUCE: return TN_K_OP;
    default: return TN_K_PLAIN;
  }
}

// The dtype that goes without saying, or -1.
static int tn_print_default_dtype(int op) {
  if (tn_op_is(op, TINY_VOIDOP)) return TINY_VOID;
  return op == TINY_OP_RANGE || op == TINY_OP_SPECIAL || op == TINY_OP_IOTA ? (int)TINY_INDEX : -1;
}

// ** numbers **

static char tn_decimal_point(void) {       // the host may have set a locale
  char half[8];
  return snprintf(half, sizeof half, "%.1f", 0.5) == 3 ? half[1] : '.';
}

// Text of digits, one point and an exponent as a double; 0 if it is something else.
static int tn_parse_double(const char *text, size_t n, double *out) {
  char copy[64], *end;
  if (n == 0 || n >= sizeof copy) return 0;
  for (size_t i = 0; i < n; i++) {
    if (!strchr("0123456789+-.eE", text[i])) return 0;
    copy[i] = text[i] == '.' ? tn_decimal_point() : text[i];
  }
  copy[n] = 0;
  *out = strtod(copy, &end);
  return end == copy + n;
}

// A decimal integer of the dtype; 0 if it is none or does not fit.
static int tn_parse_integer(const char *text, size_t n, int dtype, int64_t *out) {
  const int minus = n && *text == '-';
  const uint64_t limit = dtype == TINY_U64 ? UINT64_MAX
    : (uint64_t)tn_dtype_max(dtype == TINY_VOID ? (int)TINY_I64 : dtype) + (uint64_t)minus;
  uint64_t sum = 0;
  if (n == (size_t)minus) return 0;
  for (size_t i = (size_t)minus; i < n; i++) {
    const unsigned digit = (unsigned)(text[i] - '0');
    if (digit > 9 || sum > (limit - digit) / 10) return 0;
    sum = sum * 10 + digit;
  }
  if (minus && sum && dtype != TINY_VOID && !tn_is_signed(dtype)) return 0;
  *out = (int64_t)(minus ? 0 - sum : sum);
  return 1;
}

// Any constant of the dtype.
static int tn_parse_value(const char *text, size_t n, int dtype, int64_t *out) {
  if (!tn_is_float(dtype)) return tn_parse_integer(text, n, dtype, out);
  double x = 0;
  if (n > 2 && n <= 18 && text[0] == '0' && text[1] == 'x') {
    uint64_t bits = 0;
    for (size_t i = 2; i < n; i++) {
      const char *digits = "0123456789abcdef", *d = strchr(digits, text[i]);
      if (!d || !*d) return 0;
      bits = bits << 4 | (uint64_t)(d - digits);
    }
    *out = (int64_t)bits;
    return 1;
  }
  if (n == 3 && !memcmp(text, "inf", 3)) x = HUGE_VAL;
  else if (n == 4 && !memcmp(text, "-inf", 4)) x = -HUGE_VAL;
  else if (n == 3 && !memcmp(text, "nan", 3)) x = (double)NAN;
  else if (!tn_parse_double(text, n, &x)) return 0;
  *out = tn_dtype_value(dtype, x);
  return 1;
}

// The shortest of a few forms that parses back to k; 0 if k is no value of the dtype.
static int tn_print_value(char *out, size_t nbytes, int dtype, int64_t k) {
  int64_t back = 0;
  if (!tn_is_float(dtype)) {
    const int n = dtype == TINY_U64 ? snprintf(out, nbytes, "%llu", (unsigned long long)k)
      : snprintf(out, nbytes, "%lld", (long long)k);
    return tn_parse_integer(out, (size_t)n, dtype, &back);
  }
  const double x = tn_to_f64(k);
  if (x != x || fabs(x) == HUGE_VAL) {
    snprintf(out, nbytes, "%s", x != x ? "nan" : x < 0 ? "-inf" : "inf");
    if (tn_dtype_value(dtype, x) == k) return 1;
  } else for (int digits = 6; digits <= 17; digits += digits == 6 ? 3 : 8) {
    snprintf(out, nbytes - 2, "%.*g", digits, x);
    for (char *c = out; *c; c++) if (*c == tn_decimal_point()) *c = '.';
    if (!strpbrk(out, ".e")) strcat(out, ".0");
    if (tn_parse_value(out, strlen(out), dtype, &back) && back == k) return 1;
  }
  snprintf(out, nbytes, "0x%016llx", (unsigned long long)k);
  return 1;
}

// ** printing **

static int tn_print_short(const tiny_uop *u) {
  return u->op == TINY_OP_CONST && u->lanes == 1 && u->dtype != TINY_VOID && !u->nv;
}

static void tn_print_axes(tiny_bytes *out, int64_t bits) {
  const char *before = ":axes=";
  for (int i = 0; i < 48; i++) if (bits >> i & 1) { tn_text_add(out, "%s%d", before, i); before = ","; }
}

static void tn_print_k(tiny_bytes *out, const tiny_uop *u) {
  const int style = tn_print_style(u->op);
  const int64_t k = u->k, low = k & 0xFF;
  if (style == TN_K_NUMBER) tn_text_add(out, ":%lld", (long long)k);
  else if (style == TN_K_SERIAL) tn_text_add(out, ":#%lld", (long long)k);
  else if (style == TN_K_RANGE && k >= 0 && low < TN_KINDS)
    tn_text_add(out, ":%lld:%s", (long long)(k >> 8), tn_kind_names[low]);
  else if (style == TN_K_SPECIAL && k >= 0 && k < 32 && (k & 15) < 3)
    tn_text_add(out, ":%s%d", k & 16 ? "item" : "group", (int)(k & 15));
  else if (style == TN_K_SPACE && k >= 0 && k < 3) tn_text_add(out, ":%s", tn_space_names[k]);
  else if (style == TN_K_AXES && k > 0 && k < 1 << TINY_MAX_DIMS) tn_print_axes(out, k);
  else if (style == TN_K_OP && low < TINY_OP_COUNT && k >= 0 && k >> 8 < 1 << TINY_MAX_DIMS) {
    tn_text_add(out, ":%s", tiny_op_name((int)low));
    tn_print_axes(out, k >> 8);
  } else if (k) tn_text_add(out, ":k=%lld", (long long)k);
}

// Whether v stands where other ops have their sources, without brackets.
static int tn_print_bare(int op) { return tn_print_style(op) != TN_K_VALUE && tn_ops[op].nsrc == 0; }

// Everything of a node but its sources and what follows them.
static void tn_print_head(tiny_bytes *out, const tiny_uop *u) {
  char value[40];
  if (tn_print_short(u) && tn_print_value(value, sizeof value, u->dtype, u->k)) {
    tn_text_add(out, u->dtype == TINY_INDEX ? "%s" : "%s:%s", value, tn_dtypes[u->dtype].name);
    return;
  }
  tn_text_add(out, "(%s", tiny_op_name(u->op));
  if (u->lanes != 1 || u->dtype != tn_print_default_dtype(u->op))
    tn_text_add(out, ":%s", tiny_dtype_name((tiny_dtype)u->dtype));
  if (u->lanes != 1) tn_text_add(out, "x%d", u->lanes);
  if (tn_print_style(u->op) == TN_K_VALUE && tn_print_value(value, sizeof value, u->dtype, u->k))
    tn_text_add(out, " %s", value);
  else tn_print_k(out, u);
  if (u->op == TINY_OP_DEFINE && u->nv == 2 && u->v[0] >= 0 && u->v[0] < 3)
    tn_text_add(out, ":%s %lld", tn_space_names[u->v[0]], (long long)u->v[1]);
  else if (tn_print_bare(u->op)) for (int i = 0; i < u->nv; i++)
    tn_text_add(out, " %lld", (long long)u->v[i]);
}
static void tn_print_tail(tiny_bytes *out, const tiny_uop *u) {
  if (u->nv && !tn_print_bare(u->op)) {
    for (int i = 0; i < u->nv; i++) tn_text_add(out, "%s%lld", i ? " " : " [", (long long)u->v[i]);
    tn_text_add(out, "]");
  }
  tn_text_add(out, ")");
}

// name < 0: to be named; > 0: its number
typedef struct tn_print_note { int uses, width, name; } tn_print_note;
typedef struct tn_printer { tiny_bytes *out; tn_map index; tn_print_note *note; } tn_printer;

static tn_print_note *tn_print_find(tn_printer *p, const tiny_uop *u) {
  return &p->note[(intptr_t)tn_map_get(&p->index, u) - 1];
}
static int tn_print_shown(const tn_print_note *n) { return n->name ? 5 : n->width; }

// The depth of this recursion is bounded by the columns of a line.
static void tn_print_expr(tn_printer *p, const tiny_uop *u, int define) {
  const int name = tn_print_find(p, u)->name;
  if (name && !define) { tn_text_add(p->out, "%%%d", name); return; }
  const size_t before = p->out->n;
  tn_print_head(p->out, u);
  if (p->out->data[before] != '(') return;
  for (uint32_t i = 0; i < u->nsrc; i++) { tn_text_add(p->out, " "); tn_print_expr(p, u->src[i], 0); }
  tn_print_tail(p->out, u);
}

// Chooses what of u's sources to name so that u fits a line.
static void tn_print_fit(tn_printer *p, const tiny_uop *u, tn_print_note *note, int own_width) {
  note->width = own_width;
  for (uint32_t i = 0; i < u->nsrc; i++) note->width += 1 + tn_print_shown(tn_print_find(p, u->src[i]));
  while (note->width > TN_PRINT_COLUMNS) {
    tn_print_note *widest = NULL;
    for (uint32_t i = 0; i < u->nsrc; i++) {
      tn_print_note *n = tn_print_find(p, u->src[i]);
      if (!n->name && u->src[i]->nsrc && (!widest || n->width > widest->width)) widest = n;
    }
    if (!widest) return;
    note->width -= widest->width - 5;
    widest->name = -1;
  }
}

static void tn_print(tiny_ctx *t, tiny_uop *u, tiny_bytes *out) {
  tn_list order = {NULL, 0, 0};
  tn_printer p;
  memset(&p, 0, sizeof p);
  p.out = out;
  tn_toposort(t, u, &order);
  p.note = (tn_print_note *)tn_scratch(t, (size_t)order.n * sizeof *p.note);
  for (int i = 0; i < order.n; i++) tn_map_set(t, &p.index, order.u[i], (void *)(intptr_t)(i + 1));
  for (int i = 0; i < order.n; i++) for (uint32_t s = 0; s < order.u[i]->nsrc; s++)
    tn_print_find(&p, order.u[i]->src[s])->uses++;
  for (int i = 0; i < order.n; i++) {
    tiny_bytes own = {t, NULL, 0, 0};
    tn_print_head(&own, order.u[i]);
    if (own.data[0] == '(') tn_print_tail(&own, order.u[i]);
    tn_print_fit(&p, order.u[i], &p.note[i], (int)own.n);
    if (p.note[i].uses > 1 && own.data[0] == '(') p.note[i].name = -1;
  }
  for (int i = 0, names = 0; i < order.n - 1; i++) if (p.note[i].name) {
    p.note[i].name = ++names;
    tn_text_add(out, "%%%d = ", names);
    tn_print_expr(&p, order.u[i], 1);
    tn_text_add(out, "\n");
  }
  tn_print_expr(&p, u, 1);
}

// A program: a numbered line for every node but the constants, indented by loops.
static void tn_print_list(tiny_ctx *t, tiny_uop *const *list, int n, tiny_bytes *out) {
  tn_map index = {NULL, NULL, 0, 0};
  int depth = 0;
  for (int i = 0; i < n; i++) {
    tiny_uop *u = list[i];
    tn_map_set(t, &index, u, (void *)(intptr_t)(i + 1));
    if (tn_print_short(u)) continue;
    if ((u->op == TINY_OP_END || u->op == TINY_OP_ENDIF) && depth) depth--;
    char name[16];
    snprintf(name, sizeof name, "%%%d", i);
    tn_text_add(out, "%-4s = %*s", name, 2 * depth, "");
    tn_print_head(out, u);
    for (uint32_t s = 0; s < u->nsrc; s++) {
      tn_text_add(out, " ");
      if (tn_print_short(u->src[s])) tn_print_head(out, u->src[s]);
      else if (tn_map_has(&index, u->src[s]))
        tn_text_add(out, "%%%d", (int)(intptr_t)tn_map_get(&index, u->src[s]) - 1);
      else tn_text_add(out, "%%missing_%s", tiny_op_name(u->src[s]->op));
    }
    tn_print_tail(out, u);
    tn_text_add(out, "\n");
    if (u->op == TINY_OP_RANGE || u->op == TINY_OP_IF) depth++;
  }
}

typedef struct tn_print_call { tiny_uop *u; char *text; size_t nbytes, length; } tn_print_call;
static tiny_code tn_print_guarded(tiny_ctx *t, void *arg) {
  tn_print_call *c = (tn_print_call *)arg;
  tiny_bytes out = {t, NULL, 0, 0};
  tn_print(t, c->u, &out);
  c->length = out.n;
  if (c->nbytes) {
    const size_t n = out.n < c->nbytes ? out.n : c->nbytes - 1;
    memcpy(c->text, out.data, n);
    c->text[n] = 0;
  }
  return TINY_OK;
}
TINY_API size_t tiny_uop_print(tiny_ctx *t, tiny_uop *u, char *out, size_t nbytes) {
  tn_print_call c = {u, out, out ? nbytes : 0, 0};
  if (out && nbytes) *out = 0;
  if (t && u) tn_guard(t, tn_print_guarded, &c);
  return c.length;
}

// ** parsing **

typedef struct tn_parse_name {
  const char *text; size_t n; tiny_uop *u; struct tn_parse_name *next;
} tn_parse_name;
typedef struct tn_parse_open {             // a node whose parenthesis is open
  const char *at;
  int op, dtype, lanes, nv, first;         // dtype -1: not said; first: of its sources in the parser's stack
  int64_t k, v[2 * TINY_MAX_DIMS];
} tn_parse_open;
typedef struct tn_parser {
  tiny_ctx *t;
  const char *text, *at;
  tn_parse_open *open; int depth, open_cap;
  tn_list src, *order;                     // order: every node, as the text has them; may be NULL
  tn_map names, listed;
  const char *name; size_t nname;          // of the statement
  tiny_uop *last;
} tn_parser;

// Records the error with the line it is in and a caret below it. Returns 0.
static int tn_parse_fail(tn_parser *p, const char *at, const char *format, ...) TN_PRINTF(3, 4);
static int tn_parse_fail(tn_parser *p, const char *at, const char *format, ...) {
  char why[256], shown[TN_PARSE_SHOWN + 1];
  int line = 1;
  const char *start = p->text;
  va_list args;
  va_start(args, format);
  vsnprintf(why, sizeof why, format, args);
  va_end(args);
  for (const char *c = p->text; c < at; c++) if (*c == '\n') { line++; start = c + 1; }
  const long column = (long)(at - start);
  if (column > TN_PARSE_SHOWN / 2) start = at - TN_PARSE_SHOWN / 2;         // a window of a long line
  int n = 0;
  for (; n < TN_PARSE_SHOWN && start[n] && start[n] != '\n'; n++)
    shown[n] = start[n] >= ' ' && start[n] < 127 ? start[n] : '.';
  shown[n] = 0;
  tiny_fail(p->t, TINY_E_ARG, "uop_parse: line %d, column %ld: %s\n  %s\n  %*s^", line, column + 1, why,
    shown, (int)(at - start), "");
  return 0;
}

static int tn_is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
static void tn_parse_skip(tn_parser *p) { while (tn_is_space(*p->at)) p->at++; }
static size_t tn_parse_word(const char *at, const char *stop) {
  size_t n = 0;
  while (at[n] && !tn_is_space(at[n]) && !strchr(stop, at[n])) n++;
  return n;
}
static int tn_word_is(const char *word, size_t n, const char *name) {
  return strlen(name) == n && !memcmp(word, name, n);
}
static int tn_word_among(const char *word, size_t n, const char *const *names, int count) {
  for (int i = 0; i < count; i++) if (tn_word_is(word, n, names[i])) return i;
  return -1;
}
static int tn_word_op(const char *word, size_t n) {
  for (int i = 0; i < TINY_OP_COUNT; i++) if (tn_word_is(word, n, tn_ops[i].name)) return i;
  return -1;
}
// "f32", "f32x16"
static int tn_word_dtype(const char *word, size_t n, int *dtype, int *lanes) {
  for (int i = 0; i < TINY_DTYPE_COUNT; i++) {
    const size_t m = strlen(tn_dtypes[i].name);
    int64_t count = 1;
    if (n < m || memcmp(word, tn_dtypes[i].name, m)) continue;
    if (n > m && (n > m + 6 || word[m] != 'x' ||
      !tn_parse_integer(word + m + 1, n - m - 1, TINY_U16, &count) || count < 1)) continue;
    *dtype = i; *lanes = (int)count;
    return 1;
  }
  return 0;
}

static int tn_parse_axes(const char *word, size_t n, int64_t *bits) {
  *bits = 0;
  for (size_t i = 0; i < n;) {
    const size_t m = tn_parse_word(word + i, ",:()[]");
    int64_t axis = 0;
    if (!tn_parse_integer(word + i, m, TINY_I64, &axis) || axis < 0 || axis >= TINY_MAX_DIMS) return 0;
    *bits |= (int64_t)1 << axis;
    i += m + 1;
  }
  return 1;
}

// One field of a head, after its colon; the counterpart of tn_print_k.
static int tn_parse_field(tn_parse_open *o, const char *word, size_t n, int first) {
  const int style = tn_print_style(o->op);
  int64_t x = 0;
  int i = 0;
  if (first && tn_word_dtype(word, n, &o->dtype, &o->lanes)) return 1;
  if (n > 2 && !memcmp(word, "k=", 2)) return tn_parse_integer(word + 2, n - 2, TINY_I64, &o->k);
  if (style == TN_K_SERIAL) return *word == '#' && tn_parse_integer(word + 1, n - 1, TINY_I64, &o->k);
  if (style == TN_K_RANGE) {
    if (tn_parse_integer(word, n, TINY_I64, &x)) {
      o->k = (x & (((int64_t)1 << 48) - 1)) << 8;
      return o->k >> 8 == x;
    }
    o->k |= i = tn_word_among(word, n, tn_kind_names, TN_KINDS);
    return i >= 0;
  }
  if (style == TN_K_SPECIAL && n == 6 && !memcmp(word, "group", 5)) {
    o->k = word[5] - '0';
    return o->k >= 0 && o->k < 3;
  }
  if (style == TN_K_SPECIAL && n == 5 && !memcmp(word, "item", 4)) {
    o->k = (word[4] - '0') + 16;
    return o->k >= 16 && o->k < 19;
  }
  if (style == TN_K_SPACE) { o->k = tn_word_among(word, n, tn_space_names, 3); return o->k >= 0; }
  if ((style == TN_K_AXES || style == TN_K_OP) && n > 5 && !memcmp(word, "axes=", 5) &&
    tn_parse_axes(word + 5, n - 5, &x)) {
    o->k |= style == TN_K_OP ? x << 8 : x;
    return 1;
  }
  if (style == TN_K_OP) { o->k |= i = tn_word_op(word, n); return i >= 0; }
  if (o->op == TINY_OP_DEFINE && (i = tn_word_among(word, n, tn_space_names, 3)) >= 0 && !o->nv) {
    o->v[o->nv++] = i;
    return 1;
  }
  return style == TN_K_NUMBER && tn_parse_integer(word, n, TINY_I64, &o->k);
}

static int tn_parse_head(tn_parser *p) {
  if (p->depth == TN_PARSE_DEPTH) return tn_parse_fail(p, p->at, "nested deeper than %d", TN_PARSE_DEPTH);
  tn_parse_open *o = TN_PUSH(p->t, p->open, p->depth, p->open_cap, tn_parse_open);
  memset(o, 0, sizeof *o);
  p->at++;
  tn_parse_skip(p);
  o->at = p->at;
  o->dtype = -1; o->lanes = 1; o->first = p->src.n;
  size_t n = tn_parse_word(p->at, ":()[]=");
  o->op = tn_word_op(p->at, n);
  if (o->op < 0) return tn_parse_fail(p, p->at, "no such op: '%.*s'", n > 40 ? 40 : (int)n, p->at);
  p->at += n;
  for (int first = 1; *p->at == ':'; first = 0) {
    n = tn_parse_word(++p->at, ":()[]");
    if (!tn_parse_field(o, p->at, n, first))
      return tn_parse_fail(p, p->at, "%s takes no '%.*s'", tiny_op_name(o->op), n > 40 ? 40 : (int)n, p->at);
    p->at += n;
  }
  return 1;
}

static int tn_parse_v(tn_parser *p, tn_parse_open *o, const char *word, size_t n) {
  if (o->nv == 2 * TINY_MAX_DIMS) return tn_parse_fail(p, word, "more than %d numbers", 2 * TINY_MAX_DIMS);
  if (!tn_parse_integer(word, n, TINY_I64, &o->v[o->nv]))
    return tn_parse_fail(p, word, "not an integer of 64 bits");
  o->nv++;
  return 1;
}
static int tn_parse_bracket(tn_parser *p) {
  tn_parse_open *o = p->depth ? &p->open[p->depth - 1] : NULL;
  if (!o) return tn_parse_fail(p, p->at, "expected an expression");
  for (p->at++, tn_parse_skip(p); *p->at != ']'; tn_parse_skip(p)) {
    const size_t n = tn_parse_word(p->at, "()[]");
    if (!tn_parse_v(p, o, p->at, n)) return 0;
    p->at += n;
  }
  p->at++;
  return 1;
}

static void tn_parse_list_add(tn_parser *p, tiny_uop *u) {
  if (!p->order || tn_map_has(&p->listed, u)) return;
  tn_map_set(p->t, &p->listed, u, u);
  tn_push(p->t, p->order, u);
}

static tn_parse_name *tn_parse_lookup(tn_parser *p, const char *text, size_t n, const void **key) {
  *key = (const void *)(uintptr_t)(tn_hash_bytes(0, text, n) | 1);
  tn_parse_name *found = (tn_parse_name *)tn_map_get(&p->names, *key);
  while (found && (found->n != n || memcmp(found->text, text, n))) found = found->next;
  return found;
}

// A finished expression: a source of the open node, or the end of a statement.
static int tn_parse_give(tn_parser *p, tiny_uop *u, const char *at) {
  if (u == &p->t->ir->bad) return 0;
  tn_parse_list_add(p, u);
  if (p->depth) { tn_push(p->t, &p->src, u); return 1; }
  p->last = u;
  if (!p->name) {
    tn_parse_skip(p);
    return *p->at ? tn_parse_fail(p, p->at, "expected the end after the last expression") : 1;
  }
  const void *key;
  if (tn_parse_lookup(p, p->name, p->nname, &key))
    return tn_parse_fail(p, at, "'%.*s' is defined twice", p->nname > 40 ? 40 : (int)p->nname, p->name);
  tn_parse_name *name = (tn_parse_name *)tn_scratch(p->t, sizeof *name);
  name->text = p->name; name->n = p->nname; name->u = u;
  name->next = (tn_parse_name *)tn_map_get(&p->names, key);
  tn_map_set(p->t, &p->names, key, name);
  p->name = NULL;
  return 1;
}

// A live BUFFER or CUSTOM node is meant by the text although its pointer is not in it.
static tiny_uop *tn_parse_live(tn_parser *p, const tn_parse_open *o, int nsrc, tiny_uop **src) {
  tiny_uop key;
  memset(&key, 0, sizeof key);
  key.op = (uint8_t)o->op; key.dtype = (uint8_t)o->dtype; key.lanes = (uint16_t)o->lanes;
  key.nsrc = (uint32_t)nsrc; key.nv = (uint16_t)o->nv;
  key.k = o->k; key.v = o->v; key.src = src;
  key.slot = tn_uop_slot(&key);
  for (tiny_uop *u = p->t->ir->table[key.slot & (p->t->ir->cap - 1)]; u; u = u->next)
    if (u->op == o->op && u->dtype == o->dtype && u->lanes == o->lanes && u->k == o->k && u->nv == o->nv &&
        u->nsrc == key.nsrc && !memcmp(u->v, o->v, (size_t)o->nv * sizeof *o->v) &&
        (!nsrc || !memcmp(u->src, src, (size_t)nsrc * sizeof *src))) return u;
  return NULL;
}

// What a node's dtype is when the text does not say.
static int tn_parse_infer(tn_parse_open *o, int nsrc, tiny_uop *const *src) {
  static const uint8_t like_source[] = {TINY_OP_REDUCE, TINY_OP_CONTIGUOUS, TINY_OP_DETACH, TINY_OP_ASSIGN,
    TINY_OP_AFTER, TINY_OP_INDEX, TINY_OP_LOAD, TINY_OP_STAGE};
  o->dtype = tn_print_default_dtype(o->op);
  if (o->dtype >= 0) return 1;
  const int listed = memchr(like_source, o->op, sizeof like_source) != NULL;
  if (!nsrc || (!listed && !tn_op_is(o->op, TINY_ALU | TINY_MOVEMENT))) return 0;
  o->dtype = tn_op_is(o->op, TINY_CMP) ? (int)TINY_BOOL : src[o->op == TINY_OP_WHERE ? 1 : 0]->dtype;
  for (int i = 0; i < nsrc; i++) if ((i == 0 || tn_op_is(o->op, TINY_ALU)) && src[i]->lanes > o->lanes)
    o->lanes = src[i]->lanes;
  return 1;
}

static int tn_parse_close(tn_parser *p) {
  if (!p->depth) return tn_parse_fail(p, p->at, "nothing is open here");
  tn_parse_open *o = &p->open[p->depth - 1];
  const int nsrc = p->src.n - o->first;
  tiny_uop **src = nsrc ? p->src.u + o->first : NULL;
  const char *plural = nsrc == 1 ? "" : "s";
  if (!tn_sources_fit(o->op, nsrc))
    return tn_parse_fail(p, o->at, "%s does not take %d source%s", tiny_op_name(o->op), nsrc, plural);
  if (o->dtype < 0 && !tn_parse_infer(o, nsrc, src))
    return tn_parse_fail(p, o->at, "%s needs its dtype", tiny_op_name(o->op));
  const char *wrong = tn_args_fit(o->op, nsrc, src, o->k, o->nv, o->v);
  if (wrong) return tn_parse_fail(p, o->at, "%s: %s", tiny_op_name(o->op), wrong);
  if (o->op == TINY_OP_RANGE && o->k >> 8 > p->t->ir->serial) p->t->ir->serial = o->k >> 8;   // stay new
  tiny_uop *u = o->op == TINY_OP_BUFFER || o->op == TINY_OP_CUSTOM ? tn_parse_live(p, o, nsrc, src) : NULL;
  if (!u) u = tn_uop_make(p->t, o->op, o->dtype, o->lanes, nsrc, src, o->k, o->nv, o->v);
  p->src.n = o->first;
  p->depth--;
  p->at++;
  return tn_parse_give(p, u, o->at);
}

// A constant, a name, or the name of a new statement.
static int tn_parse_atom(tn_parser *p) {
  const char *word = p->at;
  const size_t n = tn_parse_word(word, ":()[]=");
  tn_parse_open *o = p->depth ? &p->open[p->depth - 1] : NULL;
  const int shown = n > 40 ? 40 : (int)n;
  int dtype = TINY_INDEX, lanes = 1;
  int64_t k = 0;
  if (!*word) return tn_parse_fail(p, word, "the text ends early");
  if (!n) return tn_parse_fail(p, word, "unexpected '%c'", *word);
  p->at += n;
  if (strchr("0123456789-.", *word) || tn_word_is(word, n, "inf") || tn_word_is(word, n, "nan")) {
    if (o && tn_print_style(o->op) == TN_K_VALUE)
      return o->dtype >= 0 && tn_parse_value(word, n, o->dtype, &o->k)
        ? 1 : tn_parse_fail(p, word, "'%.*s' is no value of the dtype", shown, word);
    if (o && tn_print_bare(o->op)) return tn_parse_v(p, o, word, n);
    if (*p->at == ':') {
      const size_t m = tn_parse_word(++p->at, ":()[]=");
      if (!tn_word_dtype(p->at, m, &dtype, &lanes) || lanes != 1 || dtype == TINY_VOID)
        return tn_parse_fail(p, p->at, "no such dtype");
      p->at += m;
    }
    if (!tn_parse_value(word, n, dtype, &k))
      return tn_parse_fail(p, word, "'%.*s' is no value of %s", shown, word, tn_dtypes[dtype].name);
    return tn_parse_give(p, tn_uop_make(p->t, TINY_OP_CONST, dtype, 1, 0, NULL, k, 0, NULL), word);
  }
  tn_parse_skip(p);
  if (*p->at == '=' && !p->depth && !p->name) {
    p->name = word; p->nname = n;
    p->at++;
    return 1;
  }
  const void *key;
  const tn_parse_name *found = tn_parse_lookup(p, word, n, &key);
  return found ? tn_parse_give(p, found->u, word)
    : tn_parse_fail(p, word, "'%.*s' is not defined", shown, word);
}

static int tn_parse_run(tn_parser *p) {
  for (;;) {
    tn_parse_skip(p);
    if (!*p->at && !p->depth && !p->name && p->last) return 1;
    const char c = *p->at;
    const int ok = c == '(' ? tn_parse_head(p) : c == ')' ? tn_parse_close(p)
                 : c == '[' ? tn_parse_bracket(p) : tn_parse_atom(p);
    if (!ok) return 0;
  }
}

// The last node of the text, NULL on error. Heavy code. order (may be NULL) gets every node in the order of
// the text.
static tiny_uop *tn_parse(tiny_ctx *t, const char *text, tn_list *order) {
  tn_parser p;
  memset(&p, 0, sizeof p);
  p.t = t; p.text = p.at = text; p.order = order;
  return tn_parse_run(&p) ? p.last : NULL;
}

typedef struct tn_parse_call { const char *text; tiny_uop *u; } tn_parse_call;
static tiny_code tn_parse_guarded(tiny_ctx *t, void *arg) {
  tn_parse_call *c = (tn_parse_call *)arg;
  c->u = tn_parse(t, c->text, NULL);
  return c->u ? TINY_OK : TINY_E_ARG;
}
TINY_API tiny_uop *tiny_uop_parse(tiny_ctx *t, const char *text) {
  tn_parse_call c = {text, NULL};
  if (!t) return NULL;
  if (!text) { tiny_fail(t, TINY_E_ARG, "uop_parse: text is NULL"); return NULL; }
  return tn_guard(t, tn_parse_guarded, &c) == TINY_OK ? c.u : NULL;
}
#endif
// ---- end src/ir/print.c ----
// ---- begin src/ir/match.c ----
// match: sets of rewrite rules, the patterns they are found by, and the walks that apply them to a fixed point.
//
// A set reads as algebra. Bodies see t (context), r (the root that matched), ctx (what the pass gave) and the names:
//     RULES(tn_rules_example, x, y, c0, c1)                  // names that patterns of this set may bind
//       USE(tn_rules_other)                                  // the rules of another set, tried at this place
//       RULE("(ADD|XOR x:i 0)")              return x;
//       RULE("(ADD (ADD x:i c0) c1)")        return add(x, add(c0, c1));
//       RULE("(LT x:x c0)")                  { if (x->vmax >= c0->k) return NULL; return B(1); }
//     RULES_END
// A body returns what r becomes, or NULL: the next permutation is tried, then the next rule. Bodies that declare
// variables or hold more than one statement need braces.
//
// Patterns are written as the IR prints: (OP|OP.. source..). An op may be a class: ALU CMP
// MOVEMENT COMM ASSOC, or _ for any.
//   x            any node; the same name twice: the same node        c c0 c1 ..  a CONST
//   0 1 -1 0.5   a CONST of that value, in any dtype                 _           any node, not bound
//   m=(MUL x y)  an inner node with a name                           ...         last: any further sources, or none
// Suffixes of an op or name: :i integers and INDEX, :f floats, :b bool, :x INDEX, :f32 .. a dtype,
// :k=3 :k=ADD the node's k.
//
// Commutative nodes match in every order of operands. A pattern becomes one list of checks per
// order that the structural order of operands (uop.c) lets occur; lists are sorted by root op and
// filtered by the ops of the first two sources.
#ifndef TN_IR_MATCH
#define TN_IR_MATCH
#ifndef TINY_AMALGAMATED
#include "print.c"
#endif

typedef tiny_uop *(*tn_rules_fn)(tiny_ctx *t, int at, tiny_uop **bound, void *ctx);

enum { TN_MAX_NAMES = 17, TN_MAX_PATTERN = 24, TN_ANY_DTYPE = 0xFFFF };
enum { TN_FREE = 127 };                    // stands for the op of a source that is not there
typedef struct tn_ops_mask { uint64_t bits[2]; } tn_ops_mask;

static int tn_mask_has(const tn_ops_mask *m, unsigned op) { return (int)(m->bits[op >> 6] >> (op & 63) & 1); }

// One pattern node: source `source` of register `of` goes to register `reg` and must pass the tests in `flags`.
enum { TN_CHECK_ROOT = 1, TN_CHECK_SAME = 2, TN_CHECK_NUMBER = 4, TN_CHECK_K = 8, TN_CHECK_COUNT = 16,
  TN_CHECK_REST = 32 };
typedef struct tn_check {
  tn_ops_mask ops;
  int64_t k;                               // TN_CHECK_K: the node's k; TN_CHECK_NUMBER: bits of an f64
  uint16_t dtypes; uint8_t of, source, reg, same, flags, nsrc;
} tn_check;
typedef struct tn_variant { tn_ops_mask first, second; uint32_t rule, check, nchecks, bound; } tn_variant;
typedef struct tn_rule {
  const char *text, *names;
  tn_rules_fn fn;
  int at, nnames;
  uint64_t hits, attempts;
} tn_rule;
typedef struct tn_rule_set {
  tn_rules_fn fn;
  uint32_t by_op[TINY_OP_COUNT + 1];       // where the variants of a root op begin
  int rule, rules_end, checks_end;         // its first rule, and what follows its last
} tn_rule_set;

struct tn_match {
  tn_rule *rules; tn_check *checks; tn_variant *variants; tn_rule_set *sets;
  int nrules, caprules, nchecks, capchecks, nvariants, capvariants, nsets, capsets;
  const char *names;                       // of the set that is registering, "r, x, y"
  int depth, ended;                        // sets opened and ended by the registration in progress
};

static int tn_match_open(tiny_ctx *t) {
  t->match = (struct tn_match *)tn_alloc(t, sizeof *t->match);
  return t->match != NULL;
}

// ** the form of a rule set: one function, a case for every rule. At 0 registers all, the line of a rule runs it **

#define TN_X(x) x
#define TN_EACH1(f, a) f(a)
#define TN_EACH2(f, a, ...) f(a) TN_X(TN_EACH1(f, __VA_ARGS__))
#define TN_EACH3(f, a, ...) f(a) TN_X(TN_EACH2(f, __VA_ARGS__))
#define TN_EACH4(f, a, ...) f(a) TN_X(TN_EACH3(f, __VA_ARGS__))
#define TN_EACH5(f, a, ...) f(a) TN_X(TN_EACH4(f, __VA_ARGS__))
#define TN_EACH6(f, a, ...) f(a) TN_X(TN_EACH5(f, __VA_ARGS__))
#define TN_EACH7(f, a, ...) f(a) TN_X(TN_EACH6(f, __VA_ARGS__))
#define TN_EACH8(f, a, ...) f(a) TN_X(TN_EACH7(f, __VA_ARGS__))
#define TN_EACH9(f, a, ...) f(a) TN_X(TN_EACH8(f, __VA_ARGS__))
#define TN_EACH10(f, a, ...) f(a) TN_X(TN_EACH9(f, __VA_ARGS__))
#define TN_EACH11(f, a, ...) f(a) TN_X(TN_EACH10(f, __VA_ARGS__))
#define TN_EACH12(f, a, ...) f(a) TN_X(TN_EACH11(f, __VA_ARGS__))
#define TN_COUNTED(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, each, ...) each
#define TN_EACH(f, ...) TN_X(TN_COUNTED(__VA_ARGS__, TN_EACH12, TN_EACH11, TN_EACH10, TN_EACH9, TN_EACH8, TN_EACH7, \
  TN_EACH6, TN_EACH5, TN_EACH4, TN_EACH3, TN_EACH2, TN_EACH1, 0)(f, __VA_ARGS__))
#define TN_NAME(a) tiny_uop *a = tn_bound ? *++tn_name : NULL; (void)a;

#define RULES(set, ...) \
  static tiny_uop *set(tiny_ctx *t, int at, tiny_uop **tn_bound, void *ctx) { \
    const tn_rules_fn tn_self = set; \
    tiny_uop **tn_name = tn_bound, *r = tn_bound ? *tn_bound : NULL; \
    TN_EACH(TN_NAME, __VA_ARGS__) (void)r; (void)ctx; (void)tn_name; (void)tn_self; \
    if (!at) tn_rules_begin(t, "r, " #__VA_ARGS__); \
    switch (at) { default:
#define RULE(pattern) if (at) return NULL; tn_rule_add(t, tn_self, __LINE__, pattern); if (0) case __LINE__:
#define USE(set)      if (at) return NULL; tn_rules_use(t, set);
#define RULES_END     if (at) return NULL; tn_rules_end(t); } return NULL; }

static void tn_rules_begin(tiny_ctx *t, const char *names) { t->match->names = names; t->match->depth++; }
static void tn_rules_end(tiny_ctx *t) { t->match->ended++; }
static void tn_rules_use(tiny_ctx *t, tn_rules_fn set) {
  const char *names = t->match->names;
  set(t, 0, NULL, NULL);
  t->match->names = names;
}

// ** parsing of patterns **

enum { TN_PAT_NUMBER = 1, TN_PAT_K = 2, TN_PAT_NODE = 4, TN_PAT_REST = 8, TN_PAT_COMM = 16 };
typedef struct tn_pat {
  tn_ops_mask ops; int64_t k; uint16_t dtypes;
  int8_t name; uint8_t flags, nsrc, src[TN_MAX_PATTERN]; // name: place in the set's names, or -1
  const char *begin, *end;                 // its text
} tn_pat;
typedef struct tn_pat_parser {
  tiny_ctx *t;
  const char *text, *at, *names;
  tn_pat node[TN_MAX_PATTERN];
  int n, failed;
} tn_pat_parser;

static int tn_pat_fail(tn_pat_parser *p, const char *what) {
  if (!p->failed)
    tiny_fail(p->t, TINY_E_INTERNAL, "match: %s\n  %s\n  %*s^", what, p->text, (int)(p->at - p->text), "");
  p->failed = 1;
  return 0;
}
static int tn_is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
static size_t tn_word(const char *s) { size_t n = 0; while (tn_is_word(s[n])) n++; return n; }

static const struct { const char *name; int flags; } tn_op_classes[] = {
  {"ALU", TINY_ALU}, {"CMP", TINY_CMP}, {"MOVEMENT", TINY_MOVEMENT}, {"COMM", TINY_COMM}, {"ASSOC", TINY_ASSOC},
  {"_", -1},
};
static int tn_pat_op(tn_pat_parser *p, tn_pat *u) {
  const size_t n = tn_word(p->at);
  int flags = 0;
  const int op = tn_word_op(p->at, n);
  for (size_t i = 0; i < sizeof tn_op_classes / sizeof *tn_op_classes; i++)
    if (tn_word_is(p->at, n, tn_op_classes[i].name)) flags = tn_op_classes[i].flags;
  if (op < 0 && !flags) return tn_pat_fail(p, "not an op or a class of ops");
  for (int i = 0; i < TINY_OP_COUNT; i++) {
    if (i == op || flags == -1 || tn_ops[i].flags & flags) u->ops.bits[i >> 6] |= (uint64_t)1 << (i & 63);
  }
  p->at += n;
  return 1;
}

static int tn_pat_dtypes(const char *s, size_t n) {
  int set = 0;
  for (int d = 0; d < TINY_DTYPE_COUNT; d++) {
    const int in = tn_word_is(s, n, tn_dtypes[d].name) ||
        (n == 1 &&
         ((*s == 'i' && tn_is_int(d)) || (*s == 'f' && tn_is_float(d)) || (*s == 'b' && d == TINY_BOOL) ||
          (*s == 'x' && d == TINY_INDEX)));
    set |= in << d;
  }
  return set;
}
static int tn_pat_suffixes(tn_pat_parser *p, tn_pat *u) {
  while (*p->at == ':') {
    size_t n = tn_word(++p->at);
    if (n == 1 && p->at[0] == 'k' && p->at[1] == '=') {
      p->at += 2;
      n = tn_word(p->at);
      const int op = tn_word_op(p->at, n);
      char *end = NULL;
      u->k = op >= 0 ? op : (int64_t)strtoll(p->at, &end, 10);
      if (op < 0 && (!end || end == p->at)) return tn_pat_fail(p, "k is an op or an integer");
      u->flags |= TN_PAT_K;
      p->at = op >= 0 ? p->at + n : end;
      continue;
    }
    u->dtypes = (uint16_t)tn_pat_dtypes(p->at, n);
    if (!u->dtypes) return tn_pat_fail(p, "not a dtype or a class of dtypes");
    p->at += n;
  }
  return 1;
}

static int tn_pat_name(tn_pat_parser *p, tn_pat *u, size_t n) {
  int place = 0;
  if (n == 1 && *p->at == '_') return 1;
  for (const char *s = p->names; *s; s += *s == ',', s += *s == ' ', place++) {
    const size_t m = tn_word(s);
    if (m == n && !memcmp(s, p->at, n)) { u->name = (int8_t)place; return 1; }
    s += m;
  }
  return tn_pat_fail(p, "the set does not declare this name");
}

static int tn_pat_parse(tn_pat_parser *p, int *index);
static int tn_pat_sources(tn_pat_parser *p, tn_pat *u) {
  for (;;) {
    while (*p->at == ' ') p->at++;
    if (*p->at == ')') break;
    if (!strncmp(p->at, "...", 3)) {
      u->flags |= TN_PAT_REST; p->at += 3;
      if (*p->at != ')') return tn_pat_fail(p, "'...' comes last");
      break;
    }
    int s;
    if (!tn_pat_parse(p, &s)) return 0;
    u->src[u->nsrc++] = (uint8_t)s;
  }
  int fits = 0;
  for (int op = 0; op < TINY_OP_COUNT; op++) {
    const int want = tn_ops[op].nsrc;
    fits |= tn_mask_has(&u->ops, (unsigned)op) &&
        (want < 0 || (u->flags & TN_PAT_REST ? want >= u->nsrc : want == u->nsrc));
  }
  if (!fits) return tn_pat_fail(p, "this op takes another number of sources");
  p->at++;
  return 1;
}

static int tn_pat_parse(tn_pat_parser *p, int *index) {
  if (p->n == TN_MAX_PATTERN) return tn_pat_fail(p, "pattern too long");
  *index = p->n;
  tn_pat *u = &p->node[p->n++];
  memset(u, 0, sizeof *u);
  u->dtypes = TN_ANY_DTYPE; u->name = -1; u->begin = p->at;
  size_t n = tn_word(p->at);
  const int number = (*p->at >= '0' && *p->at <= '9') || *p->at == '-';
  if (number) {
    n = strcspn(p->at, " )");
    if (!tn_parse_value(p->at, n, TINY_F64, &u->k)) return tn_pat_fail(p, "not a number");
    p->at += n;
    u->flags |= TN_PAT_NUMBER;
    u->ops.bits[0] = 1;                    // CONST is op 0
  } else if (n) {
    if (!tn_pat_name(p, u, n)) return 0;
    const char c = p->at[0];
    p->at += n;
    if (*p->at != '=') {
      u->ops.bits[0] = u->ops.bits[1] = ~(uint64_t)0;
      if (c == 'c' && (n == 1 || (u->begin[1] >= '0' && u->begin[1] <= '9'))) {
        u->ops.bits[0] = 1;
        u->ops.bits[1] = 0;
      }
      if (!tn_pat_suffixes(p, u)) return 0;
    } else { p->at++; n = 0; }
  }
  if (!n) {
    if (*p->at != '(') return tn_pat_fail(p, "expected '(', a name or a number");
    do { p->at++; if (!tn_pat_op(p, u)) return 0; } while (*p->at == '|');
    u->flags |= TN_PAT_NODE;
    if (!tn_pat_suffixes(p, u) || !tn_pat_sources(p, u)) return 0;
    u->flags |= u->nsrc == 2 && !(u->flags & TN_PAT_REST) ? TN_PAT_COMM : 0;
    for (int op = 0; op < TINY_OP_COUNT; op++) {
      if (tn_mask_has(&u->ops, (unsigned)op) && !tn_op_is(op, TINY_COMM)) u->flags &= (uint8_t)~TN_PAT_COMM;
    }
  }
  u->end = p->at;
  if (*p->at && *p->at != ' ' && *p->at != ')') return tn_pat_fail(p, "unexpected character");
  return 1;
}

// ** compiling: a list of checks for every order of operands that can occur **

static int tn_mask_top(const tn_ops_mask *m) {
  int op = 127;
  while (op >= 0 && !tn_mask_has(m, (unsigned)op)) op--;
  return op;
}
static int tn_mask_low(const tn_ops_mask *m) {
  int op = 0;
  while (op < 128 && !tn_mask_has(m, (unsigned)op)) op++;
  return op;
}

// Operands of commutative nodes stand in falling order of op, CONST (0) last: others never occur.
// Equal patterns need one order.
static int tn_pat_occurs(const tn_pat_parser *p, const tn_pat *u, int swapped) {
  const tn_pat *a = &p->node[u->src[swapped]], *b = &p->node[u->src[!swapped]];
  const size_t n = (size_t)(a->end - a->begin);
  if (swapped && n == (size_t)(b->end - b->begin) && !memcmp(a->begin, b->begin, n)) return 0;
  if (a->ops.bits[0] == 1 && !a->ops.bits[1]) return !swapped && b->ops.bits[0] == 1 && !b->ops.bits[1];
  return tn_mask_top(&a->ops) >= tn_mask_low(&b->ops);
}

static void *tn_match_grow(tiny_ctx *t, void *array, int n, int *cap, size_t nbytes) {
  if (n < *cap) return array;
  const int more = *cap ? *cap * 2 : 64;
  array = tn_realloc(t, array, (size_t)*cap * nbytes, (size_t)more * nbytes);
  *cap = more;
  return array;
}
#define TN_MATCH_PUSH(t, list, type) \
  ((t)->match->list = (type *)tn_match_grow(t, (t)->match->list, (t)->match->n##list, &(t)->match->cap##list, \
                                            sizeof(type)), \
   (type *)memset(&(t)->match->list[(t)->match->n##list++], 0, sizeof(type)))

// swaps has a bit for every node of the pattern. Nodes are checked breadth first: what is near the root fails first.
static void tn_pat_compile(tiny_ctx *t, const tn_pat_parser *p, uint32_t swaps, int nnames) {
  struct { uint8_t node, of, source; } todo[TN_MAX_PATTERN];
  int head = 0, tail = 1, free_reg = nnames;
  uint32_t bound = 0;
  tn_variant v;
  memset(&v, 0, sizeof v);
  for (int i = 0; i < 2; i++) v.first.bits[i] = v.second.bits[i] = ~(uint64_t)0;
  v.check = (uint32_t)t->match->nchecks;
  v.rule = (uint32_t)t->match->nrules - 1;
  todo[0].node = todo[0].of = todo[0].source = 0;
  for (; head < tail; head++) {
    const tn_pat *u = &p->node[todo[head].node];
    tn_check *c = TN_MATCH_PUSH(t, checks, tn_check);
    const int name = head == 0 ? 0 : u->name, again = name >= 0 && bound >> name & 1;
    c->ops = u->ops; c->dtypes = u->dtypes; c->k = u->k;
    c->of = todo[head].of; c->source = todo[head].source; c->nsrc = u->nsrc;
    c->reg = (uint8_t)(name < 0 || again ? free_reg++ : name);
    c->same = (uint8_t)(again ? name : 0);
    const int count = u->flags & TN_PAT_REST ? TN_CHECK_REST : u->flags & TN_PAT_NODE ? TN_CHECK_COUNT : 0;
    c->flags =
        (uint8_t)((head == 0 ? TN_CHECK_ROOT : 0) | (again ? TN_CHECK_SAME : 0) | count |
                  (u->flags & TN_PAT_NUMBER ? TN_CHECK_NUMBER : 0) | (u->flags & TN_PAT_K ? TN_CHECK_K : 0));
    if (name >= 0) bound |= (uint32_t)1 << name;
    for (int i = 0; i < u->nsrc; i++, tail++) {
      const int swapped = swaps >> todo[head].node & 1;
      todo[tail].node = u->src[swapped ? 1 - i : i]; todo[tail].of = c->reg; todo[tail].source = (uint8_t)i;
      if (head == 0 && i < 2) *(i ? &v.second : &v.first) = p->node[todo[tail].node].ops;
    }
  }
  v.nchecks = (uint32_t)(t->match->nchecks - (int)v.check);
  v.bound = bound;
  *TN_MATCH_PUSH(t, variants, tn_variant) = v;
}

static void tn_rule_add(tiny_ctx *t, tn_rules_fn fn, int at, const char *text) {
  tn_pat_parser *p = (tn_pat_parser *)tn_scratch(t, sizeof *p);
  p->t = t; p->text = p->at = text; p->names = t->match->names;
  int root, nnames = 1;
  for (const char *s = p->names; *s; s++) nnames += *s == ',';
  if (tn_pat_parse(p, &root) && *p->at) tn_pat_fail(p, "unexpected text after the pattern");
  if (p->failed) return;
  tn_rule *rule = TN_MATCH_PUSH(t, rules, tn_rule);
  rule->text = text; rule->names = p->names; rule->fn = fn; rule->at = at; rule->nnames = nnames;
  uint32_t comm = 0;
  for (int i = 0; i < p->n; i++) if (p->node[i].flags & TN_PAT_COMM) comm |= (uint32_t)1 << i;
  for (uint32_t swaps = 0;; swaps = (swaps - comm) & comm) {               // every subset of comm
    int occurs = 1;
    for (int i = 0; i < p->n; i++)
      if (comm >> i & 1) occurs &= tn_pat_occurs(p, &p->node[i], (int)(swaps >> i & 1));
    if (occurs) tn_pat_compile(t, p, swaps, nnames);
    if (swaps == comm) break;
  }
}

// The place of a set in the compiled ones; it is compiled at its first use. -1 when a pattern is
// wrong (the error is in t).
static int tn_rules_find(tiny_ctx *t, tn_rules_fn fn) {
  struct tn_match *m = t->match;
  for (int i = 0; i < m->nsets; i++) if (m->sets[i].fn == fn) return i;
  const tn_rule_set *last = m->nsets ? &m->sets[m->nsets - 1] : NULL;
  m->nrules = last ? last->rules_end : 0;  // drops what a registration that failed left behind
  m->nchecks = last ? last->checks_end : 0;
  m->nvariants = last ? (int)last->by_op[TINY_OP_COUNT] : 0;
  m->depth = m->ended = 0;
  tn_rule_set set;
  memset(&set, 0, sizeof set);
  set.fn = fn; set.rule = m->nrules;
  const int begin = m->nvariants;
  const tiny_code before = t->code;
  fn(t, 0, NULL, NULL);
  if (m->depth != m->ended) {
    tiny_fail(t, TINY_E_INTERNAL,
              "match: a body of more than one statement needs braces, after the rule\n  %s",
              m->nrules ? m->rules[m->nrules - 1].text : "");
    return -1;
  }
  if (before == TINY_OK && t->code != TINY_OK) return -1;
  const int n = m->nvariants - begin;
  tn_variant *all = (tn_variant *)tn_scratch(t, (size_t)(n + 1) * sizeof *all);
  memcpy(all, m->variants + begin, (size_t)n * sizeof *all);
  m->nvariants = begin;
  for (int op = 0; op < TINY_OP_COUNT; op++) {
    set.by_op[op] = (uint32_t)m->nvariants;
    for (int i = 0; i < n; i++) {
      if (tn_mask_has(&m->checks[all[i].check].ops, (unsigned)op))
        *TN_MATCH_PUSH(t, variants, tn_variant) = all[i];
    }
  }
  set.by_op[TINY_OP_COUNT] = (uint32_t)m->nvariants;
  set.rules_end = m->nrules; set.checks_end = m->nchecks;
  *TN_MATCH_PUSH(t, sets, tn_rule_set) = set;
  return m->nsets - 1;
}

// ** matching **

static int tn_match_number(const tiny_uop *u, int64_t bits) {
  const double x = tn_to_f64(bits);
  if (tn_is_float(u->dtype)) return u->k == bits;                          // by bits: 0 is not -0
  if (fabs(x) > 1e9 || (double)(int64_t)x != x) return 0;
  return u->k == (u->dtype == TINY_BOOL ? (int64_t)x : tn_dtype_wrap(u->dtype, (int64_t)x));
}

static int tn_match_checks(const tn_check *c, const tn_check *end, tiny_uop **reg) {
  for (; c < end; c++) {
    tiny_uop *u = c->flags & TN_CHECK_ROOT ? reg[0] : reg[c->of]->src[c->source];
    reg[c->reg] = u;
    if (!tn_mask_has(&c->ops, u->op) || !(c->dtypes >> u->dtype & 1)) return 0;
    if (c->flags & TN_CHECK_COUNT && u->nsrc != c->nsrc) return 0;
    if (!(c->flags & (TN_CHECK_SAME | TN_CHECK_NUMBER | TN_CHECK_K | TN_CHECK_REST))) continue;
    if (c->flags & TN_CHECK_REST && u->nsrc < c->nsrc) return 0;
    if (c->flags & TN_CHECK_SAME && reg[c->same] != u) return 0;
    if (c->flags & TN_CHECK_NUMBER && !tn_match_number(u, c->k)) return 0;
    if (c->flags & TN_CHECK_K && u->k != c->k) return 0;
  }
  return 1;
}

static void tn_match_trace(tiny_ctx *t, const tn_rule *rule, tiny_uop *before, tiny_uop *after) {
  tiny_bytes text = {t, NULL, 0, 0};
  tn_text_add(&text, "rule %s\n", rule->text);
  tn_print(t, before, &text);
  tn_text_add(&text, "\n->\n");
  tn_print(t, after, &text);
  tn_log_text(t, text.data);
}

// What one rule of the set makes of u, or NULL. *fired: which rule. A scalar for a vector is broadcast. A body may use
// other sets for the first time, which moves the lists: they are looked up again after it.
static tiny_uop *tn_match_apply(tiny_ctx *t, int index, tiny_uop *u, void *ctx, int *fired) {
  const struct tn_match *m = t->match;
  const tn_rule_set *set = &m->sets[index];
  const unsigned first = u->nsrc > 0 ? u->src[0]->op : (unsigned)TN_FREE;
  const unsigned second = u->nsrc > 1 ? u->src[1]->op : (unsigned)TN_FREE;
  tiny_uop *reg[TN_MAX_NAMES + TN_MAX_PATTERN];
  reg[0] = u;
  for (uint32_t i = set->by_op[u->op], end = set->by_op[u->op + 1]; i < end; i++) {
    const tn_variant *v = &m->variants[i];
    if (!tn_mask_has(&v->first, first) || !tn_mask_has(&v->second, second)) continue;
    const uint32_t number = v->rule;
    tn_rule *rule = &m->rules[number];
    rule->attempts++;
    if (!tn_match_checks(m->checks + v->check, m->checks + v->check + v->nchecks, reg)) continue;
    for (int n = 0; n < rule->nnames; n++) if (!(v->bound >> n & 1)) reg[n] = NULL;
    tiny_uop *w = rule->fn(t, rule->at, reg, ctx);
    if (!w || w == u) continue;
    if (w->lanes == 1 && u->lanes > 1)
      w = tn_uop_make(t, TINY_OP_BROADCAST, w->dtype, u->lanes, 1, &w, 0, 0, NULL);
    if (w == u) continue;
    m->rules[number].hits++;
    *fired = (int)number;
    if (tn_debug(t, 'r')) tn_match_trace(t, &m->rules[number], u, w);
    return w;
  }
  return NULL;
}

// ** walks to a fixed point. Heavy code only **

typedef struct tn_frame { tiny_uop *u, *wait; uint32_t next; } tn_frame;   // wait: u becomes what wait becomes
// Chains of rewrites longer than this, and than the graph is large, never end.
enum { TN_FIRINGS_DEEP = 10000 };

// What u becomes, as far as it is known: nodes that a set has left alone before carry the set's bit in flags.
static tiny_uop *tn_rewrite_known(const tn_map *memo, tiny_uop *u, uint8_t fixed) {
  return u->flags & fixed ? u : (tiny_uop *)tn_map_get(memo, u);
}

static tiny_uop *tn_rewrite_sources(tiny_ctx *t, const tn_map *memo, tiny_uop *u, uint8_t fixed) {
  tiny_uop *few[8], **src = u->nsrc <= 8 ? few : (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
  int changed = 0;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    src[i] = tn_rewrite_known(memo, u->src[i], fixed);
    changed |= src[i] != u->src[i];
  }
  return changed ? tn_uop_with(t, u, src) : u;
}

static int tn_rewrite_diverges(tiny_ctx *t, tiny_uop *root, int depth, int *limit, int rule) {
  if (depth <= *limit) return 0;
  if (*limit == TN_FIRINGS_DEEP) {
    tn_list all = {NULL, 0, 0};
    tn_toposort(t, root, &all);
    *limit += 4 * all.n;
    if (depth <= *limit) return 0;
  }
  tiny_fail(t, TINY_E_INTERNAL, "match: rewriting does not end; the last rule was\n  %s",
            t->match->rules[rule].text);
  return 1;
}

// memo maps what is done to its result; what it holds at first is taken as given. set may be NULL: only memo acts.
// A set without ctx on an empty memo depends on the node alone: what it leaves alone is marked, and never tried again.
static tiny_uop *tn_rewrite_walk(tiny_ctx *t, tn_map *memo, tiny_uop *root, tn_rules_fn fn, void *ctx) {
  const int set = fn ? tn_rules_find(t, fn) : 0;
  if (set < 0) return root;
  const uint8_t fixed = fn && !ctx && !memo->n && set < 8 ? (uint8_t)(1 << set) : 0;
  tiny_uop *known = tn_rewrite_known(memo, root, fixed);
  if (known) return known;
  tn_frame *stack = NULL;
  int n = 0, cap = 0, deep = 0, limit = TN_FIRINGS_DEEP, rule = 0;
  TN_PUSH(t, stack, n, cap, tn_frame)->u = root;
  while (n) {
    tn_frame *f = &stack[n - 1];
    tiny_uop *u = f->u;
    if (f->wait) {
      tn_map_set(t, memo, u, tn_rewrite_known(memo, f->wait, fixed));
      deep--; n--;
      continue;
    }
    while (f->next < u->nsrc && tn_rewrite_known(memo, u->src[f->next], fixed)) f->next++;
    if (f->next < u->nsrc) {
      tiny_uop *s = u->src[f->next];
      tn_frame *g = TN_PUSH(t, stack, n, cap, tn_frame);
      memset(g, 0, sizeof *g);
      g->u = s;
      continue;
    }
    tiny_uop *w = tn_rewrite_sources(t, memo, u, fixed), *next = w;
    if (w == u) next = fn ? tn_match_apply(t, set, u, ctx, &rule) : NULL;
    if (!next || !fn) {
      if (fixed) u->flags |= fixed; else tn_map_set(t, memo, u, w);
      n--;
      continue;
    }
    f->wait = next;
    if (tn_rewrite_diverges(t, root, ++deep, &limit, rule)) return root;
    if (!tn_rewrite_known(memo, next, fixed)) {
      tn_frame *g = TN_PUSH(t, stack, n, cap, tn_frame);
      memset(g, 0, sizeof *g);
      g->u = next;
    }
  }
  return tn_rewrite_known(memo, root, fixed);
}

// root with the rules of a set applied until none applies. On an error in t the result is root.
static tiny_uop *tn_rewrite(tiny_ctx *t, tiny_uop *root, tn_rules_fn set, void *ctx) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_map memo = {NULL, NULL, 0, 0};
  root = tn_rewrite_walk(t, &memo, root, set, ctx);
  tn_scratch_rewind(t, mark);
  return root;
}

// root with the keys of the map replaced by its values, which are not searched again. The map
// grows: it is the walk's memo.
static tiny_uop *tn_substitute(tiny_ctx *t, tiny_uop *root, tn_map *from_to) {
  return tn_rewrite_walk(t, from_to, root, NULL, NULL);
}

// ** end **

static void tn_match_log(tiny_ctx *t) {
  for (int i = 0; i < t->match->nrules; i++) {
    const tn_rule *rule = &t->match->rules[i];
    const unsigned long long hits = rule->hits, attempts = rule->attempts;
    if (attempts) tn_log(t, "%9llu of %9llu  %s", hits, attempts, rule->text);
  }
}
static void tn_match_close(tiny_ctx *t) {
  struct tn_match *m = t->match;
  if (!m) return;
  if (tn_debug(t, 'R')) tn_match_log(t);
  tn_release(t, m->rules, (size_t)m->caprules * sizeof *m->rules);
  tn_release(t, m->checks, (size_t)m->capchecks * sizeof *m->checks);
  tn_release(t, m->variants, (size_t)m->capvariants * sizeof *m->variants);
  tn_release(t, m->sets, (size_t)m->capsets * sizeof *m->sets);
  tn_release(t, m, sizeof *m);
  t->match = NULL;
}
#endif
// ---- end src/ir/match.c ----
// ---- begin src/ir/build.c ----
// build: makes nodes of tensor graphs: arithmetic that broadcasts as NumPy, movement, reductions, constants.
//
// In:  nodes with shapes that fit (operators check before they build, gradients fit by construction). Out: a node, with
//      what changes nothing left out: a reshape to the same shape, a sum over dims of 1.
// A source that could not be made for lack of memory (&t->ir->bad) gives the same, so formulas
// need no checks; only code that reads a made node's dims must look first (tn_bad). 0-d operands
// stay 0-d: they broadcast without an EXPAND.
#ifndef TN_IR_BUILD
#define TN_IR_BUILD
#ifndef TINY_AMALGAMATED
#include "print.c"
#endif

static int tn_bad(const tiny_ctx *t, const tiny_uop *u) { return !u || u == &t->ir->bad; }

static int tn_dims_same(int n, const int64_t *a, const int64_t *b) {
  for (int i = 0; i < n; i++) if (a[i] != b[i]) return 0;
  return 1;
}
static int tn_has_dims(const tiny_uop *u, int n, const int64_t *dim) {
  return u->ndim == n && tn_dims_same(n, u->dim, dim);
}

// ** movement: n dims, or amounts in pairs **

static tiny_uop *tn_move(tiny_ctx *t, int op, tiny_uop *x, int64_t k, int nv, const int64_t *v) {
  return tn_uop_make(t, op, x->dtype, 1, 1, &x, k, nv, v);
}
static tiny_uop *tn_reshape(tiny_ctx *t, tiny_uop *x, int n, const int64_t *dim) {
  return tn_bad(t, x) || tn_has_dims(x, n, dim) ? x : tn_move(t, TINY_OP_RESHAPE, x, 0, n, dim);
}
// x with dims of 1 put in front, then grown to dim.
static tiny_uop *tn_expand(tiny_ctx *t, tiny_uop *x, int n, const int64_t *dim) {
  int64_t padded[TINY_MAX_DIMS];
  if (tn_bad(t, x) || tn_has_dims(x, n, dim)) return x;
  for (int i = 0; i < n; i++) padded[i] = i < n - x->ndim ? 1 : x->dim[i - (n - x->ndim)];
  x = tn_reshape(t, x, n, padded);
  return tn_bad(t, x) || tn_has_dims(x, n, dim) ? x : tn_move(t, TINY_OP_EXPAND, x, 0, n, dim);
}
static tiny_uop *tn_permute(tiny_ctx *t, tiny_uop *x, const int64_t *axes) {
  if (tn_bad(t, x)) return x;
  for (int i = 0; i < x->ndim; i++) if (axes[i] != i) return tn_move(t, TINY_OP_PERMUTE, x, 0, x->ndim, axes);
  return x;
}
static tiny_uop *tn_pad(tiny_ctx *t, tiny_uop *x, const int64_t *before_after) {
  if (tn_bad(t, x)) return x;
  for (int i = 0; i < 2 * x->ndim; i++)
    if (before_after[i]) return tn_move(t, TINY_OP_PAD, x, 0, 2 * x->ndim, before_after);
  return x;
}
static tiny_uop *tn_shrink(tiny_ctx *t, tiny_uop *x, const int64_t *begin_end) {
  if (tn_bad(t, x)) return x;
  for (int i = 0; i < x->ndim; i++)
    if (begin_end[2 * i] || begin_end[2 * i + 1] != x->dim[i])
      return tn_move(t, TINY_OP_SHRINK, x, 0, 2 * x->ndim, begin_end);
  return x;
}
static tiny_uop *tn_flip(tiny_ctx *t, tiny_uop *x, int64_t axis_bits) {
  return tn_bad(t, x) || !axis_bits ? x : tn_move(t, TINY_OP_FLIP, x, axis_bits, 0, NULL);
}
// One axis of x cut to begin..end.
static tiny_uop *tn_cut(tiny_ctx *t, tiny_uop *x, int axis, int64_t begin, int64_t end) {
  int64_t v[2 * TINY_MAX_DIMS];
  if (tn_bad(t, x)) return x;
  for (int i = 0; i < x->ndim; i++) { v[2 * i] = 0; v[2 * i + 1] = x->dim[i]; }
  v[2 * axis] = begin; v[2 * axis + 1] = end;
  return tn_shrink(t, x, v);
}
// Zeros before and after one axis of x.
static tiny_uop *tn_extend(tiny_ctx *t, tiny_uop *x, int axis, int64_t before, int64_t after) {
  int64_t v[2 * TINY_MAX_DIMS] = {0};
  v[2 * axis] = before; v[2 * axis + 1] = after;
  return tn_pad(t, x, v);
}
static tiny_uop *tn_swap(tiny_ctx *t, tiny_uop *x, int a, int b) {
  int64_t axes[TINY_MAX_DIMS];
  for (int i = 0; i < TINY_MAX_DIMS; i++) axes[i] = i == a ? b : i == b ? a : i;
  return tn_permute(t, x, axes);
}
static tiny_uop *tn_insert(tiny_ctx *t, tiny_uop *x, int axis) {           // a dim of 1 before axis
  int64_t dim[TINY_MAX_DIMS];
  if (tn_bad(t, x) || x->ndim == TINY_MAX_DIMS) return x;
  for (int i = 0; i <= x->ndim; i++) dim[i] = i < axis ? x->dim[i] : i == axis ? 1 : x->dim[i - 1];
  return tn_reshape(t, x, x->ndim + 1, dim);
}

// ** constants **

static int64_t tn_lowest(int dtype) {      // the identity of MAX
  return tn_is_float(dtype) ? tn_from_f64(-HUGE_VAL) : dtype == TINY_U64 ? 0 : tn_dtype_min(dtype);
}
static tiny_uop *tn_constant(tiny_ctx *t, int dtype, double value) {
  if (tn_is_float(dtype) || value != floor(value) || fabs(value) > 9e15) return tn_number(t, dtype, value);
  return tn_int(t, dtype, (int64_t)value);                   // -1 of an unsigned dtype: all bits
}
// A number as a 0-d constant of x's dtype.
static tiny_uop *tn_k(tiny_ctx *t, const tiny_uop *x, double value) {
  return tn_bad(t, x) ? &t->ir->bad : tn_constant(t, x->dtype, value);
}
// 0, 1, .. n-1 along one axis of an n_dims shape whose other dims are 1.
static tiny_uop *tn_iota(tiny_ctx *t, int dtype, int64_t n, int axis, int ndim) {
  int64_t dim[TINY_MAX_DIMS];
  for (int i = 0; i < ndim; i++) dim[i] = i == axis ? n : 1;
  tiny_uop *u = tn_uop_make(t, TINY_OP_IOTA, TINY_INDEX, 1, 0, NULL, n, 0, NULL);
  return tn_reshape(t, tn_bad(t, u) ? u : tn_cast(t, u, dtype), ndim, dim);
}

// ** arithmetic **

static int tn_fits_together(const tiny_uop *a, const tiny_uop *b) {
  return !a->ndim || !b->ndim || tn_has_dims(a, b->ndim, b->dim);
}
// Widens dim[0..*n) to hold a shape of xn dims as well; 0: they don't fit.
static int tn_broadcast_dims(int xn, const int64_t *xdim, int *n, int64_t *dim) {
  const int both = *n > xn ? *n : xn;
  for (int i = both - 1; i >= 0; i--) {
    const int at = i - (both - *n), xat = i - (both - xn);
    const int64_t a = at >= 0 ? dim[at] : 1, b = xat >= 0 ? xdim[xat] : 1;
    if (a != b && a != 1 && b != 1) return 0;
    dim[i] = a == 1 ? b : a;
  }
  *n = both;
  return 1;
}
static void tn_broadcast(tiny_ctx *t, tiny_uop **a, tiny_uop **b) {
  int64_t dim[TINY_MAX_DIMS];
  int n = 0;
  if (tn_bad(t, *a) || tn_bad(t, *b) || tn_fits_together(*a, *b)) return;
  if (!tn_broadcast_dims((*a)->ndim, (*a)->dim, &n, dim) ||
      !tn_broadcast_dims((*b)->ndim, (*b)->dim, &n, dim))
    return;
  *a = tn_expand(t, *a, n, dim); *b = tn_expand(t, *b, n, dim);
}
static tiny_uop *tn_binary(tiny_ctx *t, int op, tiny_uop *a, tiny_uop *b) {
  tn_broadcast(t, &a, &b);
  return tn_bad(t, a) || tn_bad(t, b) ? &t->ir->bad : tn_u2(t, op, a, b);
}
static tiny_uop *tn_add(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_ADD, a, b); }
static tiny_uop *tn_mul(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_MUL, a, b); }
static tiny_uop *tn_neg(tiny_ctx *t, tiny_uop *a) { return tn_mul(t, a, tn_k(t, a, -1)); }
static tiny_uop *tn_sub(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_add(t, a, tn_neg(t, b)); }
static tiny_uop *tn_fdiv(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_FDIV, a, b); }
static tiny_uop *tn_idiv(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_IDIV, a, b); }
static tiny_uop *tn_mod(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_MOD, a, b); }
static tiny_uop *tn_max(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_MAX, a, b); }
static tiny_uop *tn_and(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_AND, a, b); }
static tiny_uop *tn_or(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_OR, a, b); }
static tiny_uop *tn_xor(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_XOR, a, b); }
static tiny_uop *tn_shl(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_SHL, a, b); }
static tiny_uop *tn_shr(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_SHR, a, b); }
static tiny_uop *tn_lt(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_LT, a, b); }
static tiny_uop *tn_gt(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_lt(t, b, a); }
static tiny_uop *tn_ne(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_NE, a, b); }
static tiny_uop *tn_eq(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_not(t, tn_ne(t, a, b)); }
static tiny_uop *tn_times(tiny_ctx *t, tiny_uop *a, double k) { return tn_mul(t, a, tn_k(t, a, k)); }
static tiny_uop *tn_plus(tiny_ctx *t, tiny_uop *a, double k) { return tn_add(t, a, tn_k(t, a, k)); }

static tiny_uop *tn_where(tiny_ctx *t, tiny_uop *c, tiny_uop *a, tiny_uop *b) {
  tn_broadcast(t, &c, &a);
  tn_broadcast(t, &c, &b);
  tn_broadcast(t, &a, &c);
  tn_broadcast(t, &a, &b);
  return tn_bad(t, c) || tn_bad(t, a) || tn_bad(t, b) ? &t->ir->bad : tn_u3(t, TINY_OP_WHERE, c, a, b);
}

// Every bit of an integer or bool inverted: the map that turns MAX into min without overflow.
static tiny_uop *tn_invert(tiny_ctx *t, tiny_uop *x) { return tn_xor(t, x, tn_k(t, x, -1)); }
static tiny_uop *tn_mirror(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) ? x : tn_is_float(x->dtype) ? tn_neg(t, x) : tn_invert(t, x);
}
static tiny_uop *tn_min(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  return tn_mirror(t, tn_max(t, tn_mirror(t, a), tn_mirror(t, b)));
}

// Formulas that both operators and gradients need.
static tiny_uop *tn_sin(tiny_ctx *t, tiny_uop *x) { return tn_u1(t, TINY_OP_SIN, x); }
// 1 - 2 sin(x/2)^2: no rounding of the argument, as sin(x + pi/2) has.
static tiny_uop *tn_cos(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *s = tn_sin(t, tn_times(t, x, 0.5));
  return tn_plus(t, tn_times(t, tn_mul(t, s, s), -2), 1);
}
#define TN_LOG2_E 1.4426950408889634074
#define TN_LN_2 0.69314718055994530942
static tiny_uop *tn_logarithm(tiny_ctx *t, tiny_uop *x) {
  return tn_times(t, tn_u1(t, TINY_OP_LOG2, x), TN_LN_2);
}

// ** reductions **

// Folds the axes in axis_bits with ADD, MUL or MAX; they stay as dims of 1, or go.
static tiny_uop *tn_reduce(tiny_ctx *t, int op, tiny_uop *x, int axis_bits, int keepdim) {
  int64_t dim[TINY_MAX_DIMS], kept[TINY_MAX_DIMS];
  if (tn_bad(t, x)) return x;
  int n = 0, bits = 0, empty = 0;
  for (int i = 0; i < x->ndim; i++) {
    const int reduced = axis_bits >> i & 1;
    dim[i] = reduced ? 1 : x->dim[i];
    if (!reduced || keepdim) kept[n++] = dim[i];
    if (reduced && x->dim[i] != 1) bits |= 1 << i;
    if (reduced && !x->dim[i]) empty = 1;
  }
  if (empty) x = tn_expand(t, op == TINY_OP_MAX
                           ? tn_uop_make(t, TINY_OP_CONST, x->dtype, 1, 0, NULL, tn_lowest(x->dtype), 0, NULL)
                           : tn_k(t, x, op == TINY_OP_MUL), x->ndim, dim);
  else if (bits) x = tn_move(t, TINY_OP_REDUCE, x, op | (int64_t)bits << 8, 0, NULL);
  return tn_reshape(t, x, n, kept);
}
static tiny_uop *tn_sum(tiny_ctx *t, tiny_uop *x, int axis_bits, int keepdim) {
  return tn_reduce(t, TINY_OP_ADD, x, axis_bits, keepdim);
}
#endif
// ---- end src/ir/build.c ----
#ifndef TINY_NO_INTERP
// ---- begin src/ir/eval.c ----
// eval: the reference interpreter, the oracle of every test and the device of last resort. It is made to be
// obviously right: each value is an int64 "k" as in dtype.c, each op is tn_alu, and nothing is fused or
// reordered.
//
//   tn_eval_graph   a tensor graph: every node becomes an array, one after the other
//   tn_eval_expr    an expression over variables (ids of RANGE, ARG and SPECIAL)
//   tn_eval_decode, tn_eval_launch   a linear program: all work items of a group run in lockstep
//
// A program is first decoded into instructions over numbered slots. A slot holds one value for each work
// item; a vector takes one slot a lane. What real devices would get wrong silently is an error here: an
// access outside of a memory, work items that touch the same LOCAL element with no barrier between, a barrier
// that not all items reach, loops whose extent differs between items. LOCAL and REG memory start as garbage
// that shows (NaN, 0x5A5A..).
#ifndef TN_IR_EVAL
#define TN_IR_EVAL
#ifndef TINY_AMALGAMATED
#include "print.c"
#endif

// ** one op on rows of values **

// step 0: the same value throughout
typedef struct tn_eval_in { const int64_t *p; int step; } tn_eval_in;

// out[i] = op(s[0][i], s[1][i] ..). The few ops that fill programs have loops of their own, the rest is
// tn_alu.
static void tn_eval_row(const tiny_uop *u, int from, int64_t n, int64_t *out, const tn_eval_in *s) {
  enum { WIDE = TINY_OP_COUNT };
  const int d = u->dtype, operand = tn_op_is(u->op, TINY_CMP) ? from : d;
  const int real = operand == TINY_F32 || operand == TINY_F64;
  const int wide = operand == TINY_INDEX || operand == TINY_I64;
  const int64_t *pa = s[0].p, *pb = u->nsrc > 1 ? s[1].p : pa, *pc = u->nsrc > 2 ? s[2].p : pa;
  const int da = s[0].step, db = u->nsrc > 1 ? s[1].step : da, dc = u->nsrc > 2 ? s[2].step : da;
  int64_t v[4];
#define TN_ROW(value) \
  for (int64_t i = 0; i < n; i++, pa += da, pb += db, pc += dc) { out[i] = (value); } \
  return
#define TN_ROW_REAL(x) TN_ROW(tn_from_f64(tn_dtype_round(d, x)))
#define TN_A tn_to_f64(*pa)
#define TN_B tn_to_f64(*pb)
  switch (real ? (int)u->op : wide ? WIDE + u->op : -1) {
    case TINY_OP_ADD: TN_ROW_REAL(TN_A + TN_B);
    case TINY_OP_SUB: TN_ROW_REAL(TN_A - TN_B);
    case TINY_OP_MUL: TN_ROW_REAL(TN_A * TN_B);
    case TINY_OP_LT: TN_ROW(TN_A < TN_B);
    case TINY_OP_WHERE: case WIDE + TINY_OP_WHERE: TN_ROW(*pa ? *pb : *pc);
    case WIDE + TINY_OP_ADD: TN_ROW((int64_t)((uint64_t)*pa + (uint64_t)*pb));
    case WIDE + TINY_OP_SUB: TN_ROW((int64_t)((uint64_t)*pa - (uint64_t)*pb));
    case WIDE + TINY_OP_MUL: TN_ROW((int64_t)((uint64_t)*pa * (uint64_t)*pb));
    case WIDE + TINY_OP_LT: TN_ROW(*pa < *pb);
    default: break;
  }
#undef TN_ROW
#undef TN_ROW_REAL
#undef TN_A
#undef TN_B
  for (int64_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < u->nsrc; j++) v[j] = s[j].p[i * s[j].step];
    out[i] = tn_alu(u->op, d, from, u->k, v, (int)u->nsrc);
  }
}

// The value from which a reduction starts.
static int64_t tn_eval_identity(int op, int d) {
  if (op == TINY_OP_MUL) return tn_dtype_value(d, 1);
  if (op == TINY_OP_MAX) return tn_is_float(d) ? tn_from_f64(-HUGE_VAL) : tn_dtype_min(d);
  return 0;                                // of ADD; the bits of 0.0 are 0
}

static int64_t tn_eval_fold(int op, int d, int64_t a, int64_t b) {
  const int64_t v[2] = {a, b};
  return tn_alu(op, d, d, 0, v, 2);
}

// ** decoding **

typedef struct tn_eval_arg { int slot, lanes; } tn_eval_arg;
// space GLOBAL: a PARAM; at: first element in its arena
typedef struct tn_eval_mem { int space, id, dtype, lanes; int64_t nelem, at; } tn_eval_mem;
typedef struct tn_eval_ins {
  tiny_uop u;                              // op, dtype, lanes, nsrc, k: its pointers are not used
  int from;                                // dtype of the first source
  int slot, arg;                           // of the result; first argument in the code's list
  // LOAD, STORE; arguments: element, value or otherwise, valid (slot < 0: none)
  int mem;
  int jump;                                // RANGE: its END; END: its RANGE
} tn_eval_ins;

typedef struct tn_eval_code {
  size_t nbytes;                           // of the block that owns all of this; 0: scratch memory
  tn_eval_ins *ins; int nins, ins_cap;
  tn_eval_ins *setup; int nsetup, setup_cap;   // run once, before the first group
  tn_eval_arg *arg; int narg, arg_cap;
  tn_eval_mem *mem; int nmem, mem_cap;
  int nslots, depth_if;
  int64_t local_nelem, reg_nelem;
} tn_eval_code;

// mem < 0: a value; index: an INDEX's first argument
typedef struct tn_eval_note { int slot, lanes, mem, index; const tiny_uop *u; } tn_eval_note;
typedef struct tn_eval_decoder {
  tiny_ctx *t; tn_eval_code *c;
  tn_map seen; tn_eval_note *note;
  int nnote, note_cap, vars;               // vars: RANGE, ARG and SPECIAL are variables
  int open[64], open_if[64], nopen, nif;   // loops that are open, IFs around each, IFs that are open
} tn_eval_decoder;

static const tn_eval_note *tn_eval_noted(tn_eval_decoder *d, const tiny_uop *u) {
  const intptr_t i = (intptr_t)tn_map_get(&d->seen, u);
  return i ? &d->note[i - 1] : NULL;
}

static tiny_code tn_eval_bad(tn_eval_decoder *d, const tiny_uop *u, const char *why) {
  tiny_bytes text = {d->t, NULL, 0, 0};
  tn_print_head(&text, u);
  return tiny_fail(d->t, TINY_E_INTERNAL, "eval: %s ..): %s", text.data, why);
}

static tn_eval_ins *tn_eval_emit(tn_eval_decoder *d, const tiny_uop *u, int setup, int nslots) {
  tn_eval_code *c = d->c;
  tn_eval_ins *i = setup ? TN_PUSH(d->t, c->setup, c->nsetup, c->setup_cap, tn_eval_ins)
    : TN_PUSH(d->t, c->ins, c->nins, c->ins_cap, tn_eval_ins);
  memset(i, 0, sizeof *i);
  i->u = *u;
  i->from = u->nsrc ? u->src[0]->dtype : (int)TINY_VOID;
  i->slot = c->nslots; i->arg = c->narg; i->mem = -1; i->jump = -1;
  c->nslots += nslots;
  return i;
}
static void tn_eval_take(tn_eval_decoder *d, const tn_eval_note *n) {
  tn_eval_arg *a = TN_PUSH(d->t, d->c->arg, d->c->narg, d->c->arg_cap, tn_eval_arg);
  a->slot = n ? n->slot : -1; a->lanes = n ? n->lanes : 0;
}
static void tn_eval_record(tn_eval_decoder *d, const tiny_uop *u, int slot, int mem, int index) {
  tn_eval_note *n = TN_PUSH(d->t, d->note, d->nnote, d->note_cap, tn_eval_note);
  n->slot = slot; n->lanes = u->lanes; n->mem = mem; n->index = index; n->u = u;
  tn_map_set(d->t, &d->seen, u, (void *)(intptr_t)d->nnote);
}

static tiny_code tn_eval_define(tn_eval_decoder *d, const tiny_uop *u) {
  tn_eval_code *c = d->c;
  const int space = u->op == TINY_OP_PARAM ? (int)TN_SPACE_GLOBAL : u->nv == 2 ? (int)u->v[0] : -1;
  const int64_t nelem = u->op == TINY_OP_PARAM ? (u->nv == 1 ? u->v[0] : -1) : u->nv == 2 ? u->v[1] : -1;
  if (nelem < 0 || nelem > (int64_t)1 << 40 || u->k < 0 || u->k > INT_MAX || !u->dtype ||
    (u->op == TINY_OP_DEFINE && space != TN_SPACE_LOCAL && space != TN_SPACE_REG))
    return tn_eval_bad(d, u, "no such memory");
  tn_eval_mem *m = TN_PUSH(d->t, c->mem, c->nmem, c->mem_cap, tn_eval_mem);
  int64_t *arena = space == TN_SPACE_LOCAL ? &c->local_nelem : &c->reg_nelem;
  m->space = space; m->id = (int)u->k; m->dtype = u->dtype; m->lanes = u->lanes; m->nelem = nelem;
  m->at = *arena;
  if (space != TN_SPACE_GLOBAL) *arena += nelem * u->lanes;
  if (*arena > (int64_t)1 << 40) return tn_eval_bad(d, u, "too much memory");
  tn_eval_record(d, u, -1, c->nmem - 1, -1);
  return TINY_OK;
}

static tiny_code tn_eval_index(tn_eval_decoder *d, const tiny_uop *u, const tn_eval_note *const *s) {
  if (s[0]->mem < 0 || s[0]->index >= 0) return tn_eval_bad(d, u, "the first source is no memory");
  if (!tn_is_int(u->src[1]->dtype) || s[1]->slot < 0) return tn_eval_bad(d, u, "the element is no integer");
  const int arg = d->c->narg;
  tn_eval_take(d, s[1]);
  tn_eval_take(d, u->nsrc > 2 ? s[2] : NULL);
  tn_eval_record(d, u, -1, s[0]->mem, arg);
  return TINY_OK;
}

static tiny_code tn_eval_access(tn_eval_decoder *d, const tiny_uop *u, const tn_eval_note *const *s) {
  const int stores = u->op == TINY_OP_STORE;
  if (s[0]->index < 0) return tn_eval_bad(d, u, "the first source is no INDEX");
  if (stores && (u->nsrc < 2 || s[1]->slot < 0)) return tn_eval_bad(d, u, "no value to store");
  const tn_eval_mem *m = &d->c->mem[s[0]->mem];
  const tn_eval_arg element = d->c->arg[s[0]->index], valid = d->c->arg[s[0]->index + 1];
  const int lanes = stores ? (int)s[1]->lanes : (int)u->lanes, dtype = stores ? u->src[1]->dtype : u->dtype;
  const int same = m->space == TN_SPACE_GLOBAL ? tn_bits(dtype) == tn_bits(m->dtype) : dtype == m->dtype;
  if (!same) return tn_eval_bad(d, u, "the memory has another dtype");
  if (element.lanes != 1 && (element.lanes != lanes || m->lanes != 1))
    return tn_eval_bad(d, u, "the lanes of the element do not fit");
  if (m->lanes != 1 && m->lanes != lanes) return tn_eval_bad(d, u, "the lanes of the memory do not fit");
  if (valid.slot >= 0 && valid.lanes != 1 && valid.lanes != lanes)
    return tn_eval_bad(d, u, "the lanes of the validity do not fit");
  if (!stores && u->nsrc > 1 && (s[1]->slot < 0 || (s[1]->lanes != 1 && s[1]->lanes != lanes)))
    return tn_eval_bad(d, u, "the lanes of the alternative do not fit");
  tn_eval_ins *i = tn_eval_emit(d, u, 0, stores ? 0 : lanes);
  i->mem = s[0]->mem; i->u.dtype = (uint8_t)dtype; i->u.lanes = (uint16_t)lanes;
  *TN_PUSH(d->t, d->c->arg, d->c->narg, d->c->arg_cap, tn_eval_arg) = element;
  tn_eval_take(d, u->nsrc > 1 ? s[1] : NULL);
  *TN_PUSH(d->t, d->c->arg, d->c->narg, d->c->arg_cap, tn_eval_arg) = valid;
  tn_eval_record(d, u, stores ? -1 : d->c->nslots - lanes, -1, -1);
  return TINY_OK;
}

// A value computed from values: arithmetic and lanes.
static tiny_code tn_eval_value(tn_eval_decoder *d, const tiny_uop *u, const tn_eval_note *const *s) {
  int total = 0;
  const int row = tn_op_is_elementwise(u->op);
  for (uint32_t i = 0; i < u->nsrc; i++) {
    if (s[i]->slot < 0) return tn_eval_bad(d, u, "a source has no value");
    if (row && s[i]->lanes != 1 && s[i]->lanes != u->lanes)
      return tn_eval_bad(d, u, "the lanes of the sources do not fit");
    total += s[i]->lanes;
  }
  if (row && (u->nsrc < 1 || u->nsrc > 4)) return tn_eval_bad(d, u, "the number of sources");
  if (u->op == TINY_OP_STACK && total != u->lanes) return tn_eval_bad(d, u, "the number of lanes");
  if (u->op == TINY_OP_BROADCAST && total != 1) return tn_eval_bad(d, u, "the source is a vector");
  if (u->op == TINY_OP_PICK && (u->k < 0 || u->k + u->lanes > total))
    return tn_eval_bad(d, u, "no such lane");
  if (u->op == TINY_OP_HREDUCE && (u->lanes != 1 || !tn_op_folds(u->k) || (total & (total - 1))))
    return tn_eval_bad(d, u, "the number of lanes");
  tn_eval_emit(d, u, 0, u->op == TINY_OP_HREDUCE ? total : u->lanes);       // HREDUCE folds in place
  for (uint32_t i = 0; i < u->nsrc; i++) tn_eval_take(d, s[i]);
  tn_eval_record(d, u, d->c->ins[d->c->nins - 1].slot, -1, -1);
  return TINY_OK;
}

static tiny_code tn_eval_leaf(tn_eval_decoder *d, const tiny_uop *u) {
  const int64_t id = u->op == TINY_OP_RANGE ? u->k >> 8 : u->k;
  const int variable = u->op != TINY_OP_CONST && u->op != TINY_OP_SCALAR && u->op != TINY_OP_LANE;
  if (variable && (d->vars || u->op == TINY_OP_ARG) && (id < 0 || id > INT_MAX))
    return tn_eval_bad(d, u, "no such variable");
  if (u->op == TINY_OP_SPECIAL && !d->vars && (u->k < 0 || u->k > 18 || (u->k & 15) > 2))
    return tn_eval_bad(d, u, "no such dim");
  tn_eval_ins *i = tn_eval_emit(d, u, u->op != TINY_OP_SPECIAL || d->vars, u->lanes);
  if (d->vars && variable) i->u.op = TINY_OP_ARG;
  if (d->vars && variable) i->u.k = id;
  tn_eval_record(d, u, i->slot, -1, -1);
  return TINY_OK;
}

static tiny_code tn_eval_loop(tn_eval_decoder *d, const tiny_uop *u, const tn_eval_note *const *s) {
  if (u->op == TINY_OP_RANGE) {
    if (d->nopen == 64) return tn_eval_bad(d, u, "loops are nested too deep");
    if (s[0]->slot < 0 || s[0]->lanes != 1 || u->lanes != 1) return tn_eval_bad(d, u, "no extent");
    d->open_if[d->nopen] = d->nif;
    d->open[d->nopen++] = d->c->nins;
    tn_eval_emit(d, u, 0, 1);
    tn_eval_take(d, s[0]);
    tn_eval_record(d, u, d->c->nslots - 1, -1, -1);
    return TINY_OK;
  }
  const tn_eval_note *r = s[u->nsrc - 1];
  if (!d->nopen || r->u->op != TINY_OP_RANGE || d->c->ins[d->open[d->nopen - 1]].slot != r->slot)
    return tn_eval_bad(d, u, "closes a loop that is not the innermost");
  if (d->nif != d->open_if[d->nopen - 1]) return tn_eval_bad(d, u, "closes a loop with an IF open");
  tn_eval_ins *i = tn_eval_emit(d, u, 0, 0);
  i->jump = d->open[--d->nopen];
  d->c->ins[i->jump].jump = d->c->nins - 1;
  tn_eval_record(d, u, -1, -1, -1);
  return TINY_OK;
}

static tiny_code tn_eval_node(tn_eval_decoder *d, const tiny_uop *u) {
  const tn_eval_note *few[8], **s = few;
  if (u->nsrc > 8) s = (const tn_eval_note **)tn_scratch(d->t, u->nsrc * sizeof *s);
  if (tn_eval_noted(d, u)) return tn_eval_bad(d, u, "is twice in the list");
  if (!tn_sources_fit(u->op, (int)u->nsrc)) return tn_eval_bad(d, u, "the number of sources");
  for (uint32_t i = 0; i < u->nsrc; i++) if (!(s[i] = tn_eval_noted(d, u->src[i])))
    return tn_eval_bad(d, u, "comes before its source");
  if (d->vars && u->op == TINY_OP_RANGE) return tn_eval_leaf(d, u);
  if (tn_op_is_elementwise(u->op)) return tn_eval_value(d, u, s);
  if (d->c->nslots > 1 << 24) return tn_eval_bad(d, u, "the program is too large");
  switch (u->op) {
    case TINY_OP_CONST: case TINY_OP_SCALAR: case TINY_OP_ARG: case TINY_OP_LANE: case TINY_OP_SPECIAL:
      return tn_eval_leaf(d, u);
    case TINY_OP_BROADCAST: case TINY_OP_STACK: case TINY_OP_PICK: case TINY_OP_HREDUCE:
      return tn_eval_value(d, u, s);
    case TINY_OP_AFTER: tn_eval_record(d, u, s[0]->slot, s[0]->mem, s[0]->index); return TINY_OK;
    case TINY_OP_SINK: case TINY_OP_GROUP: tn_eval_record(d, u, -1, -1, -1); return TINY_OK;
    default: break;
  }
  if (d->vars) return tn_eval_bad(d, u, "has no value in an expression");
  switch (u->op) {
    case TINY_OP_PARAM: case TINY_OP_DEFINE: return tn_eval_define(d, u);
    case TINY_OP_INDEX: return tn_eval_index(d, u, s);
    case TINY_OP_LOAD: case TINY_OP_STORE: return tn_eval_access(d, u, s);
    case TINY_OP_RANGE: case TINY_OP_END: return tn_eval_loop(d, u, s);
    case TINY_OP_IF:
      if (s[0]->slot < 0 || s[0]->lanes != 1) return tn_eval_bad(d, u, "no condition");
      tn_eval_emit(d, u, 0, 0);
      tn_eval_take(d, s[0]);
      if (++d->nif > d->c->depth_if) d->c->depth_if = d->nif;
      break;
    case TINY_OP_ENDIF:
      if (d->nif == (d->nopen ? d->open_if[d->nopen - 1] : 0)) return tn_eval_bad(d, u, "no IF is open");
      tn_eval_emit(d, u, 0, 0);
      d->nif--;
      break;
    case TINY_OP_BARRIER: tn_eval_emit(d, u, 0, 0); break;
    default: return tn_eval_bad(d, u, "is no op of a program");
  }
  tn_eval_record(d, u, -1, -1, -1);
  return TINY_OK;
}

// Instructions in scratch memory. Heavy code.
static tiny_code tn_eval_decode(tiny_ctx *t, tiny_uop *const *list, int n, int vars,
                                tn_eval_code *c, tn_eval_arg *last) {
  tn_eval_decoder d;
  memset(&d, 0, sizeof d);
  memset(c, 0, sizeof *c);
  last->slot = -1; last->lanes = 0;
  d.t = t; d.c = c; d.vars = vars;
  for (int i = 0; i < n; i++) {
    const tiny_code code = tn_eval_node(&d, list[i]);
    if (code != TINY_OK) return code;
  }
  if (d.nopen || d.nif)
    return tiny_fail(t, TINY_E_INTERNAL, "eval: a %s is not closed", d.nopen ? "loop" : "condition");
  if (d.nnote) { last->slot = d.note[d.nnote - 1].slot; last->lanes = d.note[d.nnote - 1].lanes; }
  return TINY_OK;
}

// The same in one owned block, for modules that outlive the call.
static tn_eval_code *tn_eval_copy(tiny_ctx *t, const tn_eval_code *c) {
  const size_t ins = (size_t)c->nins * sizeof *c->ins, setup = (size_t)c->nsetup * sizeof *c->setup;
  const size_t arg = (size_t)c->narg * sizeof *c->arg, mem = (size_t)c->nmem * sizeof *c->mem;
  const size_t nbytes = sizeof *c + ins + setup + mem + arg;
  tn_eval_code *own = (tn_eval_code *)tn_alloc(t, nbytes);
  if (!own) return NULL;
  *own = *c;
  own->nbytes = nbytes;
  own->ins = (tn_eval_ins *)(void *)(own + 1);
  own->setup = own->ins + c->nins;
  own->mem = (tn_eval_mem *)(void *)(own->setup + c->nsetup);
  own->arg = (tn_eval_arg *)(void *)(own->mem + c->nmem);
  if (ins) memcpy(own->ins, c->ins, ins);
  if (setup) memcpy(own->setup, c->setup, setup);
  if (mem) memcpy(own->mem, c->mem, mem);
  if (arg) memcpy(own->arg, c->arg, arg);
  return own;
}

// ** running **

// epochs and work items; reader -1: several
typedef struct tn_eval_shadow { uint64_t written, read; int64_t writer, reader; } tn_eval_shadow;
typedef struct tn_eval_run {
  tiny_ctx *t; const tn_eval_code *c; const tiny_launch *l;
  const int64_t *vars; int nvars;
  int64_t items, group[3], groups[3], local[3];
  int64_t *value, *shared, *reg;           // LOCAL and REG: element e of work item i is reg[e * items + i]
  tn_eval_shadow *shadow;
  uint8_t *mask; int depth;                // a row of flags for each open IF
  uint64_t epoch;                          // counts barriers
} tn_eval_run;

static int64_t *tn_eval_slot(const tn_eval_run *r, int slot) { return r->value + (int64_t)slot * r->items; }

static void tn_eval_fill(tn_eval_run *r, int slot, int lanes, int64_t value) {
  int64_t *p = tn_eval_slot(r, slot);
  for (int64_t i = 0; i < lanes * r->items; i++) p[i] = value;
}

static tiny_code tn_eval_setup(tn_eval_run *r, const tn_eval_ins *i) {
  int64_t value = i->u.k;
  if (i->u.op == TINY_OP_LANE) {
    for (int lane = 0; lane < i->u.lanes; lane++) tn_eval_fill(r, i->slot + lane, 1, lane);
    return TINY_OK;
  }
  if (i->u.op == TINY_OP_ARG) {
    const int n = r->vars ? r->nvars : r->l->nargs;
    if (i->u.k >= n) return tiny_fail(r->t, TINY_E_ARG, "eval: variable %lld of %d", (long long)i->u.k, n);
    value = r->vars ? r->vars[i->u.k] : tn_dtype_load(i->u.dtype, &r->l->args[i->u.k]);
  }
  tn_eval_fill(r, i->slot, i->u.lanes, value);
  return TINY_OK;
}

static tiny_code tn_eval_special(tn_eval_run *r, const tn_eval_ins *i) {
  const int dim = (int)(i->u.k & 15);
  int64_t *out = tn_eval_slot(r, i->slot), inner = 1;
  if (!(i->u.k & 16)) { tn_eval_fill(r, i->slot, i->u.lanes, r->group[dim]); return TINY_OK; }
  for (int d = 0; d < dim; d++) inner *= r->local[d];
  for (int lane = 0; lane < i->u.lanes; lane++) for (int64_t item = 0; item < r->items; item++)
    *out++ = item / inner % r->local[dim];
  return TINY_OK;
}

static void tn_eval_rows(tn_eval_run *r, const tn_eval_ins *i) {
  tn_eval_in s[4];
  const tn_eval_arg *a = &r->c->arg[i->arg];
  const int whole = r->items == 1;         // then the lanes are the row
  for (int lane = 0; lane < (whole ? 1 : i->u.lanes); lane++) {
    for (uint32_t j = 0; j < i->u.nsrc; j++) {
      s[j].p = tn_eval_slot(r, a[j].slot + (a[j].lanes > 1 ? lane : 0));
      s[j].step = !whole || a[j].lanes > 1;
    }
    tn_eval_row(&i->u, i->from, whole ? (int64_t)i->u.lanes : r->items, tn_eval_slot(r, i->slot + lane), s);
  }
}

static void tn_eval_lanes(tn_eval_run *r, const tn_eval_ins *i) {
  const tn_eval_arg *a = &r->c->arg[i->arg];
  const size_t row = (size_t)r->items * sizeof(int64_t);
  int64_t *out = tn_eval_slot(r, i->slot);
  if (i->u.op == TINY_OP_PICK) memcpy(out, tn_eval_slot(r, a->slot + (int)i->u.k), row * i->u.lanes);
  else if (i->u.op == TINY_OP_BROADCAST) for (int lane = 0; lane < i->u.lanes; lane++)
    memcpy(out + lane * r->items, tn_eval_slot(r, a->slot), row);
  else if (i->u.op == TINY_OP_STACK) for (uint32_t j = 0; j < i->u.nsrc; j++) {
    memcpy(out, tn_eval_slot(r, a[j].slot), row * (size_t)a[j].lanes);
    out += a[j].lanes * r->items;
  } else {
    memcpy(out, tn_eval_slot(r, a->slot), row * (size_t)a->lanes);
    for (int64_t half = a->lanes / 2; half; half /= 2)
      for (int64_t e = 0; e < half * r->items; e++)
        out[e] = tn_eval_fold((int)i->u.k, i->u.dtype, out[e], out[e + half * r->items]);
  }
}

static tiny_code tn_eval_trap(tn_eval_run *r, const tn_eval_mem *m, int64_t item, const char *what,
                              int64_t at) {
  static const char *const names[3] = {"PARAM", "LOCAL", "REG"};
  return tiny_fail(r->t, TINY_E_INTERNAL,
    "eval: %s %lld out of %lld in %s %d, work item %lld of group (%lld,%lld,%lld)",
    what, (long long)at, (long long)m->nelem, names[m->space], m->id, (long long)item,
    (long long)r->group[0], (long long)r->group[1], (long long)r->group[2]);
}

// Work items may share a LOCAL element only across a barrier.
static tiny_code tn_eval_share(tn_eval_run *r, const tn_eval_mem *m, int64_t flat, int64_t item,
                               int stores, int64_t value) {
  tn_eval_shadow *s = &r->shadow[m->at + flat];
  const int written = s->written == r->epoch && s->writer != item;
  const int read = s->read == r->epoch && s->reader != item;
  const int64_t at = flat / m->lanes;
  if (!stores) {
    if (written)
      return tn_eval_trap(r, m, item, "race: reads what another item wrote since the barrier, element", at);
    s->reader = s->read == r->epoch && s->reader != item ? -1 : item;
    s->read = r->epoch;
    return TINY_OK;
  }
  if (read)
    return tn_eval_trap(r, m, item, "race: writes what another item read since the barrier, element", at);
  if (written && r->shared[m->at + flat] != value)
    return tn_eval_trap(r, m, item, "race: overwrites another item's value since the barrier, element", at);
  s->writer = item;
  s->written = r->epoch;
  return TINY_OK;
}

static tiny_code tn_eval_touch(tn_eval_run *r, const tn_eval_ins *i) {
  const tn_eval_mem *m = &r->c->mem[i->mem];
  const tn_eval_arg *a = &r->c->arg[i->arg];
  const int stores = i->u.op == TINY_OP_STORE, d = i->u.dtype;
  const uint8_t *mask = r->mask + r->depth * r->items;
  const int64_t *element = tn_eval_slot(r, a[0].slot);
  const int64_t *valid = a[2].slot >= 0 ? tn_eval_slot(r, a[2].slot) : NULL;
  int64_t *value = a[1].slot >= 0 ? tn_eval_slot(r, a[1].slot) : NULL, *out = tn_eval_slot(r, i->slot);
  char *base = m->space == TN_SPACE_GLOBAL ? (char *)r->l->mem[m->id].base + r->l->mem[m->id].offset : NULL;
  for (int lane = 0; lane < i->u.lanes; lane++) for (int64_t item = 0; item < r->items; item++) {
    const int64_t from_value = value ? value[a[1].lanes > 1 ? lane * r->items + item : item] : 0;
    if (!mask[item] || (valid && !valid[a[2].lanes > 1 ? lane * r->items + item : item])) {
      if (!stores) out[lane * r->items + item] = from_value;
      continue;
    }
    const int64_t e = a[0].lanes > 1 ? element[lane * r->items + item] : element[item];
    // contiguous lanes follow each other
    const int64_t last = a[0].lanes > 1 || m->lanes > 1 ? 0 : lane;
    if (e < 0 || e >= m->nelem - last)
      return tn_eval_trap(r, m, item, "index", e < 0 ? e : tn_clamp_add(e, last));
    const int64_t flat = m->lanes > 1 ? e * m->lanes + lane : e + last;
    if (m->space == TN_SPACE_LOCAL && tn_eval_share(r, m, flat, item, stores, from_value) != TINY_OK)
      return TINY_E_INTERNAL;
    int64_t *cell = m->space == TN_SPACE_LOCAL ? &r->shared[m->at + flat]
                  : m->space == TN_SPACE_REG ? &r->reg[(m->at + flat) * r->items + item] : NULL;
    char *p = cell ? NULL : base + flat * (int64_t)tn_dtypes[d].nbytes;
    if (stores) { if (cell) *cell = from_value; else tn_dtype_store(d, p, from_value); }
    else out[lane * r->items + item] = cell ? *cell : tn_dtype_load(d, p);
  }
  return TINY_OK;
}

// The extent of a loop, which must be the same for all work items; -1 if not.
static int64_t tn_eval_extent(tn_eval_run *r, const tn_eval_ins *i) {
  const int64_t *extent = tn_eval_slot(r, r->c->arg[i->arg].slot);
  for (int64_t item = 1; item < r->items; item++) if (extent[item] != extent[0]) {
    tiny_fail(r->t, TINY_E_INTERNAL, "eval: RANGE %lld: the extent differs between work items",
      (long long)(i->u.k >> 8));
    return -1;
  }
  return extent[0] > 0 ? extent[0] : 0;
}

static tiny_code tn_eval_barrier(tn_eval_run *r) {
  const uint8_t *mask = r->mask + r->depth * r->items;
  for (int64_t item = 0; item < r->items; item++) if (!mask[item])
    return tiny_fail(r->t, TINY_E_INTERNAL, "eval: work item %lld does not reach a barrier", (long long)item);
  r->epoch++;
  return TINY_OK;
}

static void tn_eval_if(tn_eval_run *r, const tn_eval_ins *i) {
  const uint8_t *outer = r->mask + r->depth * r->items;
  uint8_t *inner = r->mask + ++r->depth * r->items;
  const int64_t *cond = tn_eval_slot(r, r->c->arg[i->arg].slot);
  for (int64_t item = 0; item < r->items; item++) inner[item] = outer[item] && cond[item];
}

static tiny_code tn_eval_group(tn_eval_run *r) {
  tiny_code code = TINY_OK;
  for (int at = 0; at < r->c->nins && code == TINY_OK; at++) {
    const tn_eval_ins *i = &r->c->ins[at];
    switch (i->u.op) {
      case TINY_OP_LOAD: case TINY_OP_STORE: code = tn_eval_touch(r, i); break;
      case TINY_OP_SPECIAL: code = tn_eval_special(r, i); break;
      case TINY_OP_BARRIER: code = tn_eval_barrier(r); break;
      case TINY_OP_IF: tn_eval_if(r, i); break;
      case TINY_OP_ENDIF: r->depth--; break;
      case TINY_OP_BROADCAST: case TINY_OP_STACK: case TINY_OP_PICK: case TINY_OP_HREDUCE:
        tn_eval_lanes(r, i);
        break;
      case TINY_OP_RANGE: {
        const int64_t extent = tn_eval_extent(r, i);
        if (extent < 0) code = TINY_E_INTERNAL;
        else if (extent == 0) at = i->jump;
        else tn_eval_fill(r, i->slot, 1, 0);
        break;
      }
      case TINY_OP_END: {
        const tn_eval_ins *range = &r->c->ins[i->jump];
        const int64_t next = *tn_eval_slot(r, range->slot) + 1;
        if (next < *tn_eval_slot(r, r->c->arg[range->arg].slot)) {
          tn_eval_fill(r, range->slot, 1, next);
          at = i->jump;
        }
        break;
      }
      default: tn_eval_rows(r, i);
    }
  }
  return code;
}

// Memory of a group or of work items before anything was stored.
static void tn_eval_poison(tn_eval_run *r) {
  for (int m = 0; m < r->c->nmem; m++) {
    const tn_eval_mem *mem = &r->c->mem[m];
    const int64_t n = mem->nelem * mem->lanes, pattern = tn_dtype_wrap(mem->dtype, 0x5A5A5A5A5A5A5A5All);
    const int64_t value = tn_is_float(mem->dtype) ? tn_from_f64((double)NAN) : pattern;
    if (mem->space == TN_SPACE_LOCAL) for (int64_t i = 0; i < n; i++) r->shared[mem->at + i] = value;
    if (mem->space == TN_SPACE_REG) for (int64_t i = 0; i < n * r->items; i++)
      r->reg[mem->at * r->items + i] = value;
  }
}

static tiny_code tn_eval_groups(tn_eval_run *r) {
  const int64_t n = r->groups[0] * r->groups[1] * r->groups[2];
  memset(r->mask, 1, (size_t)r->items);
  for (int i = 0; i < r->c->nsetup; i++) if (tn_eval_setup(r, &r->c->setup[i]) != TINY_OK) return r->t->code;
  for (int64_t g = 0; g < n; g++) {
    r->group[0] = g % r->groups[0]; r->group[1] = g / r->groups[0] % r->groups[1];
    r->group[2] = g / r->groups[0] / r->groups[1];
    r->epoch++;
    tn_eval_poison(r);
    const tiny_code code = tn_eval_group(r);
    if (code != TINY_OK) return code;
  }
  return TINY_OK;
}

static tiny_code tn_eval_refused(tiny_ctx *t, size_t nbytes) {
  return tiny_fail(t, TINY_E_MEMORY, "eval: %.0f bytes were refused by the allocator", (double)nbytes);
}

// Runs decoded instructions with one block of memory. last, out: an expression's result, or NULL.
static tiny_code tn_eval_start(tn_eval_run *r, const tn_eval_arg *last, int64_t *out) {
  const tn_eval_code *c = r->c;
  tiny_ctx *t = r->t;
  const double cells = (double)(c->nslots + c->reg_nelem) * (double)r->items + (double)c->local_nelem * 5;
  if (cells > 1e12) return tiny_fail(t, TINY_E_MEMORY, "eval: the program needs too much memory");
  const size_t nvalue = (size_t)(c->nslots * r->items), nreg = (size_t)(c->reg_nelem * r->items);
  const size_t nlocal = (size_t)c->local_nelem;
  const size_t nbytes = (nvalue + nreg + nlocal) * sizeof(int64_t) + nlocal * sizeof(tn_eval_shadow)
    + (size_t)(c->depth_if + 1) * (size_t)r->items;
  char *block = (char *)t->alloc.fn(t->alloc.user, NULL, 0, nbytes);
  if (!block) return tn_eval_refused(t, nbytes);
  memset(block, 0, nbytes);
  r->value = (int64_t *)(void *)block;
  r->reg = r->value + nvalue;
  r->shared = r->reg + nreg;
  r->shadow = (tn_eval_shadow *)(void *)(r->shared + nlocal);
  r->mask = (uint8_t *)(r->shadow + nlocal);
  const tiny_code code = tn_eval_groups(r);
  if (code == TINY_OK && out) memcpy(out, tn_eval_slot(r, last->slot), (size_t)last->lanes * sizeof *out);
  t->alloc.fn(t->alloc.user, block, nbytes, 0);
  return code;
}

// Checks a launch against the program, and runs it.
static tiny_code tn_eval_launch(tiny_ctx *t, const tn_eval_code *c, const tiny_launch *l) {
  tn_eval_run r;
  memset(&r, 0, sizeof r);
  r.t = t; r.c = c; r.l = l;
  r.items = 1;
  for (int d = 0; d < 3; d++) {
    r.groups[d] = l->global[d] > 0 ? l->global[d] : 1;
    r.local[d] = l->local[d] > 0 ? l->local[d] : 1;
    if (l->tasks > 0) { r.groups[d] = d ? 1 : l->tasks; r.local[d] = 1; }
    if (r.local[d] > 4096 || (r.items *= r.local[d]) > 1 << 20)
      return tiny_fail(t, TINY_E_ARG, "eval: too many work items in a group");
  }
  for (int m = 0; m < c->nmem; m++) {
    if (c->mem[m].space != TN_SPACE_GLOBAL) continue;
    if (c->mem[m].id >= l->nmem)
      return tiny_fail(t, TINY_E_INTERNAL, "eval: PARAM %d of a launch with %d buffers", c->mem[m].id,
        l->nmem);
    if (!l->mem[c->mem[m].id].base && c->mem[m].nelem)
      return tiny_fail(t, TINY_E_INTERNAL, "eval: PARAM %d has no memory", c->mem[m].id);
  }
  return tn_eval_start(&r, NULL, NULL);
}

typedef struct tn_eval_call { tiny_uop *u; const int64_t *vars; int nvars; int64_t *out; } tn_eval_call;

static tiny_code tn_eval_expr_guarded(tiny_ctx *t, void *arg) {
  const tn_eval_call *call = (const tn_eval_call *)arg;
  const int64_t none = 0;
  tn_eval_code c;
  tn_eval_arg last;
  tn_eval_run r;
  tn_list order = {NULL, 0, 0};
  tn_toposort(t, call->u, &order);
  const tiny_code code = tn_eval_decode(t, order.u, order.n, 1, &c, &last);
  if (code != TINY_OK) return code;
  if (last.slot < 0) return tiny_fail(t, TINY_E_ARG, "eval: %s has no value", tiny_op_name(call->u->op));
  memset(&r, 0, sizeof r);
  r.t = t; r.c = &c; r.vars = call->nvars ? call->vars : &none; r.nvars = call->nvars; r.items = 1;
  for (int d = 0; d < 3; d++) r.groups[d] = r.local[d] = 1;
  return tn_eval_start(&r, &last, call->out);
}
// The value of u, one number for each lane. vars[i]: of every RANGE and ARG with id i (and SPECIAL with k i).
static tiny_code tn_eval_expr(tiny_ctx *t, tiny_uop *u, const int64_t *vars, int nvars, int64_t *out) {
  tn_eval_call call = {u, vars, nvars, out};
  return tn_guard(t, tn_eval_expr_guarded, &call);
}
TINY_API tiny_code tiny_uop_eval(tiny_ctx *t, tiny_uop *u, const int64_t *vars, int nvars, int64_t *out) {
  if (!t || !u || !out || nvars < 0 || (nvars && !vars))
    return tiny_fail(t, TINY_E_ARG, "uop_eval: u, vars or out is missing");
  if (u->lanes != 1) return tiny_fail(t, TINY_E_ARG, "uop_eval: a vector of %d lanes", u->lanes);
  return tn_eval_expr(t, u, vars, nvars, out);
}

// ** tensor graphs **

typedef struct tn_eval_array { int64_t *data, n; int uses; } tn_eval_array;
typedef const void *(*tn_eval_buffer)(tiny_ctx *t, tiny_uop *buffer);
typedef struct tn_eval_graph_call {
  tiny_uop *u; void *out; tn_eval_buffer buffer; tn_list order; tn_map index; tn_eval_array *array;
} tn_eval_graph_call;

static tn_eval_array *tn_eval_array_of(const tn_eval_graph_call *g, const tiny_uop *u) {
  return &g->array[(intptr_t)tn_map_get(&g->index, u) - 1];
}

// The flat element of u's source that movement op u reads at position at; -1: none, zero.
static int64_t tn_eval_moved(const tiny_uop *u, const int64_t *at) {
  const tiny_uop *x = u->src[0];
  int64_t flat = 0;
  int64_t from[TINY_MAX_DIMS];
  if (u->op == TINY_OP_VIEW) {
    for (int i = 0; i < u->ndim; i++) flat += at[i] * u->v[u->ndim + i];
    return u->k + flat;
  }
  for (int i = 0; i < x->ndim; i++) switch (u->op) {
    case TINY_OP_PERMUTE: from[u->v[i]] = at[i]; break;
    case TINY_OP_EXPAND: from[i] = x->dim[i] == 1 ? 0 : at[i]; break;
    case TINY_OP_PAD: from[i] = at[i] - u->v[2 * i]; break;
    case TINY_OP_SHRINK: from[i] = at[i] + u->v[2 * i]; break;
    default: from[i] = u->k >> i & 1 ? x->dim[i] - 1 - at[i] : at[i];
  }
  for (int i = 0; i < x->ndim; i++) {
    if (from[i] < 0 || from[i] >= x->dim[i]) return -1;
    flat = flat * x->dim[i] + from[i];
  }
  return flat;
}

static void tn_eval_step(const int64_t *dim, int ndim, int64_t *at) {       // the next position, row-major
  for (int i = ndim - 1; i >= 0; i--) {
    if (++at[i] < dim[i]) return;
    at[i] = 0;
  }
}

static void tn_eval_move(const tiny_uop *u, const int64_t *x, int64_t *out, int64_t n, int64_t missing) {
  int64_t at[TINY_MAX_DIMS] = {0};
  for (int64_t i = 0; i < n; i++) {
    const int64_t from = u->op == TINY_OP_RESHAPE ? i : tn_eval_moved(u, at);
    out[i] = from < 0 ? missing : x[from];
    tn_eval_step(u->dim, u->ndim, at);
  }
}

static void tn_eval_reduce(const tiny_uop *u, const int64_t *x, int64_t nx, int64_t *out, int64_t n) {
  const tiny_uop *s = u->src[0];
  const int op = (int)(u->k & 0xFF);
  int64_t at[TINY_MAX_DIMS] = {0};
  for (int64_t i = 0; i < n; i++) out[i] = tn_eval_identity(op, u->dtype);
  for (int64_t i = 0; i < nx; i++) {
    int64_t to = 0;
    for (int d = 0; d < u->ndim; d++) to = to * u->dim[d] + (u->dim[d] == 1 ? 0 : at[d]);
    out[to] = tn_eval_fold(op, u->dtype, out[to], tn_dtype_convert(u->dtype, s->dtype, x[i]));
    tn_eval_step(s->dim, s->ndim, at);
  }
}

// ASSIGN (base view value): the elements of base that view shows are replaced by value.
static tiny_code tn_eval_assign(tiny_ctx *t, const tn_eval_graph_call *g, const tiny_uop *u, int64_t *out) {
  const tn_eval_array *base = tn_eval_array_of(g, u->src[0]), *value = tn_eval_array_of(g, u->src[2]);
  const int64_t n = tn_dims_nelem(u->src[1]->ndim, u->src[1]->dim);
  memcpy(out, base->data, (size_t)base->n * sizeof *out);
  if (u->src[2]->ndim && value->n != n) return tiny_fail(t, TINY_E_INTERNAL, "eval: ASSIGN of another shape");
  for (int64_t i = 0; i < n; i++) {        // each element of the view, followed down to base
    int64_t at[TINY_MAX_DIMS], flat = i;
    for (const tiny_uop *x = u->src[1]; x != u->src[0] && flat >= 0; x = x->src[0]) {
      if (!tn_op_is(x->op, TINY_MOVEMENT))
        return tiny_fail(t, TINY_E_INTERNAL, "eval: ASSIGN through %s", tiny_op_name(x->op));
      if (x->op == TINY_OP_RESHAPE) continue;
      for (int64_t d = x->ndim, rest = flat; d-- > 0; rest /= x->dim[d]) at[d] = rest % x->dim[d];
      flat = tn_eval_moved(x, at);
    }
    if (flat >= 0) out[flat] = value->data[u->src[2]->ndim ? i : 0];
  }
  return TINY_OK;
}

static tiny_code tn_eval_memory(tiny_ctx *t, const tn_eval_graph_call *g, tiny_uop *buffer,
                                int64_t *out, int64_t n) {
  const char *p = (const char *)g->buffer(t, buffer);
  if (!p && n) return tiny_fail(t, TINY_E_STATE, "eval: BUFFER #%lld has no data", (long long)buffer->k);
  for (int64_t i = 0; i < n; i++)
    out[i] = tn_dtype_load(buffer->dtype, p + i * tn_dtypes[buffer->dtype].nbytes);
  return TINY_OK;
}

static tiny_code tn_eval_tensor(tiny_ctx *t, const tn_eval_graph_call *g, tiny_uop *u,
                                int64_t *out, int64_t n) {
  const tn_eval_array *x = u->nsrc ? tn_eval_array_of(g, u->src[0]) : NULL;
  tn_eval_in s[4];
  const char *wrong = tn_args_fit(u->op, (int)u->nsrc, u->src, u->k, u->nv, u->v);
  if (wrong) return tiny_fail(t, TINY_E_INTERNAL, "eval: %s: %s", tiny_op_name(u->op), wrong);
  if (u->realized && u != g->u) return tn_eval_memory(t, g, u->realized, out, n);
  if (tn_op_is(u->op, TINY_MOVEMENT)) { tn_eval_move(u, x->data, out, n, 0); return TINY_OK; }
  if (tn_op_is_elementwise(u->op)) {
    for (uint32_t i = 0; i < u->nsrc; i++) {
      const tn_eval_array *a = tn_eval_array_of(g, u->src[i]);
      s[i].p = a->data; s[i].step = u->src[i]->ndim != 0;
      if (s[i].step && a->n != n)
        return tiny_fail(t, TINY_E_INTERNAL, "eval: %s of different shapes", tiny_op_name(u->op));
    }
    tn_eval_row(u, u->src[0]->dtype, n, out, s);
    return TINY_OK;
  }
  switch (u->op) {
    case TINY_OP_BUFFER: case TINY_OP_PARAM: return tn_eval_memory(t, g, u, out, n);
    case TINY_OP_CONST: case TINY_OP_SCALAR: out[0] = u->k; return TINY_OK;
    case TINY_OP_IOTA: for (int64_t i = 0; i < n; i++) out[i] = i; return TINY_OK;
    case TINY_OP_CONTIGUOUS: case TINY_OP_DETACH:
      memcpy(out, x->data, (size_t)n * sizeof *out);
      return TINY_OK;
    case TINY_OP_REDUCE:
      if (u->nsrc != 1 || !tn_op_folds(u->k & 0xFF))
        return tiny_fail(t, TINY_E_INTERNAL, "eval: no such REDUCE");
      tn_eval_reduce(u, x->data, x->n, out, n);
      return TINY_OK;
    case TINY_OP_ASSIGN: return tn_eval_assign(t, g, u, out);
    default: return tiny_fail(t, TINY_E_INTERNAL, "eval: %s has no meaning in a tensor graph here",
      tiny_op_name(u->op));
  }
}

static int tn_eval_inputs(const tn_eval_graph_call *g, const tiny_uop *u) {
  return u->realized && u != g->u ? 0 : (int)u->nsrc;
}
// the view is only a path
static int tn_eval_skips(const tiny_uop *u, int i) { return u->op == TINY_OP_ASSIGN && i == 1; }

static void tn_eval_drop(tiny_ctx *t, tn_eval_array *a) {
  if (a->data) t->alloc.fn(t->alloc.user, a->data, (size_t)(a->n ? a->n : 1) * sizeof *a->data, 0);
  a->data = NULL;
}

static tiny_code tn_eval_arrays(tiny_ctx *t, tn_eval_graph_call *g) {
  for (int i = 0; i < g->order.n; i++) {
    tiny_uop *u = g->order.u[i];
    tn_eval_array *a = &g->array[i];
    if (!a->uses) continue;
    a->n = tn_dims_nelem(u->ndim, u->dim);
    if (a->n < 0) return tiny_fail(t, TINY_E_SHAPE, "eval: %s has too many elements", tiny_op_name(u->op));
    const size_t nbytes = (size_t)(a->n ? a->n : 1) * sizeof *a->data;
    a->data = (int64_t *)t->alloc.fn(t->alloc.user, NULL, 0, nbytes);
    if (!a->data) return tn_eval_refused(t, nbytes);
    const tiny_code code = tn_eval_tensor(t, g, u, a->data, a->n);
    if (code != TINY_OK) return code;
    for (int s = 0; s < tn_eval_inputs(g, u); s++)
      if (!tn_eval_skips(u, s) && --tn_eval_array_of(g, u->src[s])->uses == 0)
        tn_eval_drop(t, tn_eval_array_of(g, u->src[s]));
  }
  return TINY_OK;
}

static tiny_code tn_eval_graph_guarded(tiny_ctx *t, void *arg) {
  tn_eval_graph_call *g = (tn_eval_graph_call *)arg;
  tn_toposort(t, g->u, &g->order);
  g->array = (tn_eval_array *)tn_scratch(t, (size_t)g->order.n * sizeof *g->array);
  for (int i = 0; i < g->order.n; i++) tn_map_set(t, &g->index, g->order.u[i], (void *)(intptr_t)(i + 1));
  tn_eval_array *root = &g->array[g->order.n - 1];
  root->uses = 1;
  for (int i = g->order.n; i-- > 0;) if (g->array[i].uses)
    for (int s = 0; s < tn_eval_inputs(g, g->order.u[i]); s++) if (!tn_eval_skips(g->order.u[i], s))
      tn_eval_array_of(g, g->order.u[i]->src[s])->uses++;
  const tiny_code code = tn_eval_arrays(t, g);
  if (code == TINY_OK) for (int64_t i = 0; i < root->n; i++)
    tn_dtype_store(g->u->dtype, (char *)g->out + i * tn_dtypes[g->u->dtype].nbytes, root->data[i]);
  for (int i = 0; i < g->order.n; i++) tn_eval_drop(t, &g->array[i]);
  return code;
}

// The value of tensor node u into out, row-major in its dtype's memory format. buffer gives the data of
// BUFFERs. u is always computed from its sources; other nodes that are realized are taken from their BUFFER.
static tiny_code tn_eval_graph(tiny_ctx *t, tiny_uop *u, void *out, tn_eval_buffer buffer) {
  tn_eval_graph_call g;
  memset(&g, 0, sizeof g);
  g.u = u; g.out = out; g.buffer = buffer;
  return tn_guard(t, tn_eval_graph_guarded, &g);
}
#endif
// ---- end src/ir/eval.c ----
#endif
// ---- begin src/ir/spec.c ----
// spec: the verifier. What a well-formed graph, kernel or program is, as a table and a few checks of form.
//
// In:  the root of a tensor graph or kernel, or the list of a program.
// Out: TINY_OK, or TINY_E_INTERNAL and the node that breaks a rule.
//
// Tensor graph: elementwise sources have one shape or none; movement fits its source.
// Kernel: memory is reached through INDEX; every RANGE is closed before the SINK, by one END at most (several
// REDUCEs may share their ranges). It holds at any point of lowering, so ops of programs are allowed.
// Program: sources come first; loops and IFs nest; what is computed in one is not used after it; no op of the
// other stages.
//
// It looks at every node once and is cheap enough to be on always.
#ifndef TN_IR_SPEC
#define TN_IR_SPEC
#ifndef TINY_AMALGAMATED
#include "print.c"
#endif

enum { TN_SPEC_TENSOR = 1, TN_SPEC_KERNEL = 2, TN_SPEC_PROGRAM = 4, TN_SPEC_RANGES = 64 };

// What the dtype of a node must be:
//   = as all sources            f the same, a float      n the same, no float   c BOOL of equal sources
//   w as sources 1 and 2, source 0 BOOL                  1 as source 0          b as wide as source 0
//   i an integer                r an integer, as all sources                    3 U32 as all sources
//   v none                      . any
static const struct { uint8_t op, stages; char dtype; } tn_spec_rows[] = {
  {TINY_OP_CONST, 7, '.'}, {TINY_OP_BUFFER, 1, '.'}, {TINY_OP_PARAM, 7, '.'}, {TINY_OP_SCALAR, 1, '.'},
  {TINY_OP_ARG, 6, '.'}, {TINY_OP_IOTA, 1, 'i'}, {TINY_OP_RANGE, 6, 'r'}, {TINY_OP_SPECIAL, 6, 'r'},
  {TINY_OP_DEFINE, 6, '.'}, {TINY_OP_LANE, 6, 'i'}, {TINY_OP_RESHAPE, 1, '='}, {TINY_OP_PERMUTE, 1, '='},
  {TINY_OP_EXPAND, 1, '='}, {TINY_OP_PAD, 1, '='}, {TINY_OP_SHRINK, 1, '='}, {TINY_OP_FLIP, 1, '='},
  {TINY_OP_VIEW, 1, '='}, {TINY_OP_REDUCE, 3, '1'}, {TINY_OP_CONTIGUOUS, 1, '='}, {TINY_OP_DETACH, 1, '='},
  {TINY_OP_ASSIGN, 1, '='}, {TINY_OP_CUSTOM, 1, '.'}, {TINY_OP_STAGE, 2, '1'}, {TINY_OP_INDEX, 6, '1'},
  {TINY_OP_LOAD, 6, '='}, {TINY_OP_STORE, 6, 'v'}, {TINY_OP_AFTER, 6, '1'}, {TINY_OP_BARRIER, 6, 'v'},
  {TINY_OP_END, 6, 'v'}, {TINY_OP_IF, 6, 'v'}, {TINY_OP_ENDIF, 6, 'v'}, {TINY_OP_GROUP, 7, 'v'},
  {TINY_OP_SINK, 7, 'v'}, {TINY_OP_BROADCAST, 6, '='}, {TINY_OP_STACK, 6, '='}, {TINY_OP_PICK, 6, '='},
  {TINY_OP_HREDUCE, 6, '='}, {TINY_OP_CAST, 7, '.'}, {TINY_OP_BITCAST, 7, 'b'}, {TINY_OP_NEG, 6, '='},
  {TINY_OP_EXP2, 7, 'f'}, {TINY_OP_LOG2, 7, 'f'}, {TINY_OP_SIN, 7, 'f'}, {TINY_OP_SQRT, 7, 'f'},
  {TINY_OP_TRUNC, 7, '='}, {TINY_OP_ADD, 7, '='}, {TINY_OP_MUL, 7, '='}, {TINY_OP_SUB, 6, '='},
  {TINY_OP_FDIV, 7, 'f'}, {TINY_OP_IDIV, 7, '='}, {TINY_OP_MOD, 7, '='}, {TINY_OP_CDIV, 6, '='},
  {TINY_OP_CMOD, 6, '='}, {TINY_OP_MAX, 7, '='}, {TINY_OP_LT, 7, 'c'}, {TINY_OP_NE, 7, 'c'},
  {TINY_OP_EQ, 6, 'c'}, {TINY_OP_AND, 7, 'n'}, {TINY_OP_OR, 7, 'n'}, {TINY_OP_XOR, 7, 'n'},
  {TINY_OP_SHL, 7, 'n'}, {TINY_OP_SHR, 7, 'n'}, {TINY_OP_POW, 7, '='}, {TINY_OP_WHERE, 7, 'w'},
  {TINY_OP_MULADD, 6, '='}, {TINY_OP_THREEFRY, 7, '3'}
};

typedef struct tn_spec {
  tiny_ctx *t; int stage;
  uint8_t stages[TINY_OP_COUNT]; char dtype[TINY_OP_COUNT];                 // the table by op
} tn_spec;

static void tn_spec_open(tn_spec *s, tiny_ctx *t, int stage) {
  memset(s, 0, sizeof *s);
  s->t = t; s->stage = stage;
  for (size_t i = 0; i < sizeof tn_spec_rows / sizeof *tn_spec_rows; i++) {
    s->stages[tn_spec_rows[i].op] = tn_spec_rows[i].stages;
    s->dtype[tn_spec_rows[i].op] = tn_spec_rows[i].dtype;
  }
}

// The node with the heads of its sources: enough to find it in a dump.
static tiny_code tn_spec_fail(const tn_spec *s, const tiny_uop *u, const char *why) {
  static const char *const names[5] = {"", "tensor graph", "kernel", "", "program"};
  tiny_bytes text = {s->t, NULL, 0, 0};
  tn_print_head(&text, u);
  for (uint32_t i = 0; i < u->nsrc; i++) {
    tn_text_add(&text, " ");
    tn_print_head(&text, u->src[i]);
    if (!tn_print_short(u->src[i])) tn_text_add(&text, " ..)");
  }
  if (!tn_print_short(u)) tn_print_tail(&text, u);
  return tiny_fail(s->t, TINY_E_INTERNAL, "spec: %s: %s: %s", names[s->stage], why, text.data);
}

static int tn_sources_are(const tiny_uop *u, uint32_t first, int dtype) {
  for (uint32_t i = first; i < u->nsrc; i++) if (u->src[i]->dtype != dtype) return 0;
  return 1;
}

static const char *tn_spec_dtype(const tiny_uop *u, char rule) {
  const int d = u->dtype, from = u->nsrc ? u->src[0]->dtype : d;
  switch (rule) {
    case 'v': return d == TINY_VOID ? NULL : "has a dtype";
    case '1': return d == from ? NULL : "is of another dtype than its first source";
    case 'c': return d == TINY_BOOL && from != TINY_VOID && tn_sources_are(u, 0, from)
      ? NULL : "compares different dtypes, or does not give bool";
    case 'w': return from == TINY_BOOL && d != TINY_VOID && tn_sources_are(u, 1, d)
      ? NULL : "takes a bool and two values of its dtype";
    case 'b': return from != TINY_VOID && tn_bits(d) == tn_bits(from) ? NULL : "changes the size of elements";
    case '3': return d == TINY_U32 && tn_sources_are(u, 0, TINY_U32) ? NULL : "takes and gives u32";
    default: break;
  }
  if (d == TINY_VOID) return "has no dtype";
  if (rule == '.') return u->op == TINY_OP_CAST && from == TINY_VOID ? "casts what has no value" : NULL;
  if (!tn_sources_are(u, 0, d) && rule != 'i') return "is of another dtype than its sources";
  if (rule == 'f' && !tn_is_float(d)) return "is no float";
  if (rule == 'n' && tn_is_float(d)) return "is a float";
  return (rule == 'i' || rule == 'r') && !tn_is_int(d) ? "is no integer" : NULL;
}

static const char *tn_spec_lanes(const tiny_uop *u) {
  int most = 1, total = 0;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    if (u->src[i]->lanes != 1 && u->src[i]->lanes != u->lanes && tn_op_is_elementwise(u->op))
      return "mixes vectors of different lengths";
    if (u->src[i]->lanes > most) most = u->src[i]->lanes;
    total += u->src[i]->lanes;
  }
  if (tn_op_is_elementwise(u->op)) return most == u->lanes ? NULL : "has not the lanes of its sources";
  if (u->op == TINY_OP_STACK) return total == u->lanes ? NULL : "has not the lanes of its sources";
  if (u->op == TINY_OP_BROADCAST) return total == 1 && u->lanes > 1 ? NULL : "takes a scalar";
  if (u->op == TINY_OP_PICK)
    return u->k >= 0 && u->k + u->lanes <= most ? NULL : "takes lanes of its source";
  return u->op != TINY_OP_HREDUCE || (u->lanes == 1 && tn_op_folds(u->k) && !(most & (most - 1)))
    ? NULL : "folds a power of two lanes by ADD, MUL, MAX ..";
}

// ** tensor graphs **

static const char *tn_spec_tensor(const tiny_uop *u) {
  if (u->lanes != 1) return "has lanes";
  if (tn_op_is(u->op, TINY_MOVEMENT)) return tn_args_fit(u->op, (int)u->nsrc, u->src, u->k, u->nv, u->v);
  if (u->op == TINY_OP_REDUCE) {
    const int fits = u->nsrc == 1 && tn_op_folds(u->k & 0xFF) && u->k >> 8 < (int64_t)1 << u->src[0]->ndim;
    return fits ? NULL : "reduces axes of one source by ADD, MUL or MAX";
  }
  if (u->op == TINY_OP_ASSIGN) {
    const tiny_uop *view = u->src[1], *value = u->src[2];
    while (view != u->src[0] && tn_op_is(view->op, TINY_MOVEMENT)) view = view->src[0];
    if (view != u->src[0]) return "assigns through what is no view of its base";
    view = u->src[1];
    return view->ndim == value->ndim && !memcmp(view->dim, value->dim, view->ndim * sizeof *view->dim)
      ? NULL : "assigns a value of another shape than the view";
  }
  if (tn_op_is_elementwise(u->op)) for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *x = u->src[i];
    if (x->ndim && (x->ndim != u->ndim || memcmp(x->dim, u->dim, x->ndim * sizeof *x->dim)))
      return "has sources of different shapes";
  }
  return NULL;
}

// ** kernels and programs **

static int tn_spec_memory(const tiny_uop *u) {
  while (u->op == TINY_OP_AFTER) u = u->src[0];
  return u->op == TINY_OP_PARAM || u->op == TINY_OP_DEFINE || u->op == TINY_OP_STAGE;
}
static const char *tn_spec_ranges(const tiny_uop *u) {
  for (uint32_t i = 1; i < u->nsrc; i++) if (u->src[i]->op != TINY_OP_RANGE) return "closes what is no RANGE";
  return NULL;
}

static const char *tn_spec_index(const tiny_uop *u) {
  const tiny_uop *element = u->src[1], *valid = u->nsrc > 2 ? u->src[2] : NULL;
  if (!tn_spec_memory(u->src[0])) return "indexes what is no memory";
  if (!tn_is_int(element->dtype)) return "has an element that is no integer";
  if (element->lanes != 1 && element->lanes != u->lanes) return "has not the lanes of its element";
  return !valid || valid->dtype == TINY_BOOL ? NULL : "has a validity that is no bool";
}

static const char *tn_spec_form(const tn_spec *s, const tiny_uop *u) {
  const tiny_uop *x = u->nsrc ? u->src[0] : NULL;
  switch (u->op) {
    case TINY_OP_INDEX: return tn_spec_index(u);
    case TINY_OP_LOAD: return x->op == TINY_OP_INDEX ? NULL : "loads from what is no INDEX";
    case TINY_OP_STORE: return x->op != TINY_OP_INDEX ? "stores to what is no INDEX"
      : x->dtype != u->src[1]->dtype ? "stores a value of another dtype" : NULL;
    case TINY_OP_REDUCE: return tn_op_folds(u->k) ? tn_spec_ranges(u) : "reduces by ADD, MUL or MAX";
    case TINY_OP_STAGE: return u->k == TN_SPACE_LOCAL || u->k == TN_SPACE_REG ? tn_spec_ranges(u)
      : "stages to LOCAL or REG memory";
    case TINY_OP_END: return s->stage == TN_SPEC_PROGRAM && u->nsrc != 2 ? "takes one RANGE in a program"
      : tn_spec_ranges(u);
    case TINY_OP_IF: return x->dtype == TINY_BOOL && x->lanes == 1 ? NULL : "takes a scalar bool";
    case TINY_OP_ENDIF: return x->op == TINY_OP_IF ? NULL : "closes no IF";
    case TINY_OP_SPECIAL: return u->k >= 0 && u->k < 32 && (u->k & 15) < 3 ? NULL : "is of no known dim";
    case TINY_OP_RANGE: {
      const int kind = tn_range_kind(u);
      if (s->stage == TN_SPEC_KERNEL) return tn_is_const(x) ? NULL : "has an extent that is no CONST";
      return kind == TN_LOOP || kind == TN_REDUCE ? NULL : "is of a kind that is no loop";
    }
    default: return NULL;
  }
}

static tiny_code tn_spec_node(const tn_spec *s, const tiny_uop *u) {
  if (!(s->stages[u->op] & s->stage)) return tn_spec_fail(s, u, "is no op of this stage");
  if (!tn_sources_fit(u->op, (int)u->nsrc)) return tn_spec_fail(s, u, "the number of sources is wrong");
  const char *why = tn_spec_dtype(u, s->dtype[u->op]);
  if (!why && !u->nsrc) why = tn_args_fit(u->op, 0, NULL, u->k, u->nv, u->v);
  if (!why) why = s->stage == TN_SPEC_TENSOR ? tn_spec_tensor(u) : tn_spec_lanes(u);
  if (!why && s->stage != TN_SPEC_TENSOR) why = tn_spec_form(s, u);
  return why ? tn_spec_fail(s, u, why) : TINY_OK;
}

// ** where ranges end, in kernels: a bit for each of the first 64 **

typedef struct tn_spec_scope {
  tn_map bit; uint64_t *open; const tiny_uop *range[TN_SPEC_RANGES], *end[TN_SPEC_RANGES]; int n;
} tn_spec_scope;

static tiny_code tn_spec_ends(const tn_spec *s, const tn_list *order) {
  tn_spec_scope c;
  memset(&c, 0, sizeof c);
  c.open = (uint64_t *)tn_scratch(s->t, (size_t)order->n * sizeof *c.open);
  for (int i = 0; i < order->n; i++) {
    const tiny_uop *u = order->u[i];
    uint64_t open = 0, closed = 0;
    tn_map_set(s->t, &c.bit, u, (void *)(intptr_t)(i + 1));
    if (u->op == TINY_OP_RANGE && c.n < TN_SPEC_RANGES) {
      c.range[c.n] = u;
      open = (uint64_t)1 << c.n++;
    }
    const int closes = u->op == TINY_OP_END || u->op == TINY_OP_REDUCE || u->op == TINY_OP_STAGE;
    for (uint32_t j = 0; j < u->nsrc; j++) {
      const uint64_t of_source = c.open[(intptr_t)tn_map_get(&c.bit, u->src[j]) - 1];
      if (closes && j) closed |= of_source;
      open |= of_source;
    }
    if (u->op == TINY_OP_END) for (int r = 0; r < c.n; r++) if (closed >> r & 1) {
      if (c.end[r]) return tn_spec_fail(s, c.range[r], "is closed by two ENDs");
      c.end[r] = u;
    }
    c.open[i] = open & ~closed;
  }
  const uint64_t left = order->n ? c.open[order->n - 1] : 0;
  for (int r = 0; r < c.n; r++) if (left >> r & 1)
    return tn_spec_fail(s, c.range[r], "is used outside of what closes it");
  return TINY_OK;
}

// A tensor graph or kernel. Heavy code.
static tiny_code tn_verify(tiny_ctx *t, tiny_uop *sink, int stage) {
  tn_spec s;
  tn_list order = {NULL, 0, 0};
  tn_spec_open(&s, t, stage);
  tn_toposort(t, sink, &order);
  for (int i = 0; i < order.n; i++) {
    const tiny_code code = tn_spec_node(&s, order.u[i]);
    if (code != TINY_OK) return code;
  }
  return stage == TN_SPEC_KERNEL && sink->op == TINY_OP_SINK ? tn_spec_ends(&s, &order) : TINY_OK;
}

// ** programs: a block for each loop and IF **

typedef struct tn_spec_block { const tiny_uop *opener; int parent, open; } tn_spec_block;
// block_of: 1 + the block a node stands in
typedef struct tn_spec_program {
  tn_map block_of; tn_spec_block *block; int nblock, cap, at;
} tn_spec_program;

// Whether u's source j is a value: not memory, and not just something that comes earlier.
static int tn_spec_uses(const tiny_uop *u, uint32_t j) {
  const tiny_uop *x = u->src[j];
  if (x->dtype == TINY_VOID || tn_spec_memory(x)) return 0;
  return u->op != TINY_OP_BARRIER && u->op != TINY_OP_SINK && u->op != TINY_OP_GROUP &&
    !(u->op == TINY_OP_AFTER && j) && !(u->op == TINY_OP_END && j);
}

static tiny_code tn_spec_step(const tn_spec *s, tn_spec_program *p, tiny_uop *u) {
  if (tn_map_has(&p->block_of, u)) return tn_spec_fail(s, u, "stands twice in the list");
  for (uint32_t j = 0; j < u->nsrc; j++) {
    const intptr_t block = (intptr_t)tn_map_get(&p->block_of, u->src[j]);
    if (!block) return tn_spec_fail(s, u, "stands before one of its sources");
    if (!p->block[block - 1].open && tn_spec_uses(u, j))
      return tn_spec_fail(s, u, "uses what was computed in a loop or IF that is closed");
  }
  const tiny_code code = tn_spec_node(s, u);
  if (code != TINY_OK) return code;
  const int opens = u->op == TINY_OP_RANGE || u->op == TINY_OP_IF;
  const int closes = u->op == TINY_OP_END || u->op == TINY_OP_ENDIF;
  if (closes && p->block[p->at].opener != u->src[u->op == TINY_OP_END])
    return tn_spec_fail(s, u, "closes what is not the innermost loop or IF");
  if (closes) { p->block[p->at].open = 0; p->at = p->block[p->at].parent; }
  if (opens) {
    tn_spec_block *b = TN_PUSH(s->t, p->block, p->nblock, p->cap, tn_spec_block);
    b->opener = u; b->parent = p->at; b->open = 1;
    p->at = p->nblock - 1;
  }
  tn_map_set(s->t, &p->block_of, u, (void *)(intptr_t)(p->at + 1));
  return TINY_OK;
}

// A program in the order it runs. Heavy code.
static tiny_code tn_verify_list(tiny_ctx *t, tiny_uop *const *list, int n) {
  tn_spec s;
  tn_spec_program p;
  memset(&p, 0, sizeof p);
  tn_spec_open(&s, t, TN_SPEC_PROGRAM);
  TN_PUSH(t, p.block, p.nblock, p.cap, tn_spec_block)->open = 1;
  for (int i = 0; i < n; i++) {
    const tiny_code code = tn_spec_step(&s, &p, list[i]);
    if (code != TINY_OK) return code;
  }
  return p.at ? tn_spec_fail(&s, p.block[p.at].opener, "is not closed") : TINY_OK;
}
#endif
// ---- end src/ir/spec.c ----

// ** rules: algebra as tables **
#ifndef TINY_NO_NN
// ---- begin src/rules/gradient.c ----
// gradient: reverse-mode differentiation as rules: what flows into the sources of a node, given
// what flows into the node.
//
// In:  a float node r; ctx: tn_gradient with g, the gradient of r (r's shape and dtype), and which sources want theirs.
// Out: (GROUP d0 d1 ..), the sources' gradients before broadcasting is undone; (GROUP) stands for
//      none. A node that no rule matches has no gradient. The formulas are built like any others,
//      so they can be differentiated again.
// WHERE keeps what is infinite or NaN in one branch out of the other: 0 * inf must not happen.
#ifndef TN_RULES_GRADIENT
#define TN_RULES_GRADIENT
#ifndef TINY_AMALGAMATED
#include "../ir/match.c"
#include "../ir/build.c"
#endif

typedef struct tn_gradient { tiny_uop *g; int wants; } tn_gradient;

static tiny_uop *tn_gradient_none(tiny_ctx *t) {
  return tn_uop_make(t, TINY_OP_GROUP, TINY_VOID, 1, 0, NULL, 0, 0, NULL);
}
static tiny_uop *tn_gradient_group(tiny_ctx *t, int n, tiny_uop *a, tiny_uop *b, tiny_uop *c) {
  tiny_uop *d[3] = {a, b, c};
  return tn_uop_make(t, TINY_OP_GROUP, TINY_VOID, 1, n, d, 0, 0, NULL);
}

// x summed over what broadcasting to its shape from dim had added; halves in f32.
static tiny_uop *tn_unbroadcast(tiny_ctx *t, tiny_uop *x, int n, const int64_t *dim) {
  if (tn_bad(t, x) || tn_has_dims(x, n, dim)) return x;
  const int lead = x->ndim - n, dtype = x->dtype;
  int bits = 0;
  for (int i = 0; i < x->ndim; i++) if (i < lead || (dim[i - lead] == 1 && x->dim[i] != 1)) bits |= 1 << i;
  if (bits)
    x = tn_sum(t, tn_cast(t, x, dtype == TINY_F16 || dtype == TINY_BF16 ? (int)TINY_F32 : dtype), bits, 1);
  return tn_bad(t, x) ? x : tn_reshape(t, tn_cast(t, x, dtype), n, dim);
}

// Formulas of sources a, b, c; what is not wanted is not built.
#define g              (((const tn_gradient *)ctx)->g)
#define a              (r->src[0])
#define b              (r->src[1])
#define c              (r->src[2])
#define none           tn_gradient_none(t)
#define wanted(i, d)   (((const tn_gradient *)ctx)->wants >> (i) & 1 ? (d) : none)
#define one(d)         tn_gradient_group(t, 1, wanted(0, d), NULL, NULL)
#define two(d, e)      tn_gradient_group(t, 2, wanted(0, d), wanted(1, e), NULL)
#define three(d, e, f) tn_gradient_group(t, 3, wanted(0, d), wanted(1, e), wanted(2, f))
#define neg(x)         tn_neg(t, x)
#define add(x, y)      tn_add(t, x, y)
#define mul(x, y)      tn_mul(t, x, y)
#define div(x, y)      tn_fdiv(t, x, y)
#define lt(x, y)       tn_lt(t, x, y)
#define eq(x, y)       tn_eq(t, x, y)
#define times(x, k)    tn_times(t, x, k)
#define number(k)      tn_k(t, r, k)
#define where(p, x, y) tn_where(t, p, x, y)
#define like(x, y)     tn_expand(t, x, (y)->ndim, (y)->dim)

static tiny_uop *tn_gradient_permute(tiny_ctx *t, const tiny_uop *r, tiny_uop *d) {
  int64_t inverse[TINY_MAX_DIMS];
  for (int i = 0; i < r->ndim; i++) inverse[r->v[i]] = i;
  return tn_permute(t, d, inverse);
}
static tiny_uop *tn_gradient_pad(tiny_ctx *t, const tiny_uop *r, tiny_uop *d) {
  int64_t v[2 * TINY_MAX_DIMS];
  for (int i = 0; i < r->ndim; i++) { v[2 * i] = r->v[2 * i]; v[2 * i + 1] = r->dim[i] - r->v[2 * i + 1]; }
  return tn_shrink(t, d, v);
}
static tiny_uop *tn_gradient_shrink(tiny_ctx *t, const tiny_uop *r, const tiny_uop *x, tiny_uop *d) {
  int64_t v[2 * TINY_MAX_DIMS];
  for (int i = 0; i < r->ndim; i++) { v[2 * i] = r->v[2 * i]; v[2 * i + 1] = x->dim[i] - r->v[2 * i + 1]; }
  return tn_pad(t, d, v);
}
// Shared equally by all maxima.
static tiny_uop *tn_gradient_max(tiny_ctx *t, tiny_uop *r, tiny_uop *x, tiny_uop *d) {
  tiny_uop *is = eq(x, like(r, x));
  if (tn_bad(t, is)) return is;
  tiny_uop *count = tn_sum(t, tn_cast(t, is, x->dtype), (int)(r->k >> 8), 1);
  return where(is, like(div(d, count), x), number(0));
}
// The product of the others: r / x; where x is the only zero, the product of what is not zero.
static tiny_uop *tn_gradient_product(tiny_ctx *t, tiny_uop *r, tiny_uop *x, tiny_uop *d) {
  const int axes = (int)(r->k >> 8);
  tiny_uop *zero = eq(x, number(0)), *safe = where(zero, number(1), x);
  if (tn_bad(t, zero)) return zero;
  tiny_uop *zeros = tn_sum(t, tn_cast(t, zero, x->dtype), axes, 1),
           *rest = mul(d, tn_reduce(t, TINY_OP_MUL, safe, axes, 1));
  tiny_uop *of_zero = where(eq(zeros, number(1)), rest, number(0)),
           *of_others = where(eq(zeros, number(0)), rest, number(0));
  return where(zero, like(of_zero, x), div(like(of_others, x), safe));
}

RULES(tn_rules_gradient, x, c0)
  // ** arithmetic **
  RULE("(ADD _ _)")        return two(g, g);
  RULE("(MUL _ _)")        return two(mul(g, b), mul(g, a));
  RULE("(FDIV _ _)")       return two(div(g, b), neg(div(mul(g, r), b)));
  RULE("(SQRT _)")         return one(div(times(g, 0.5), r));
  RULE("(EXP2 _)")         return one(times(mul(g, r), TN_LN_2));
  RULE("(LOG2 _)")         return one(div(times(g, TN_LOG2_E), a));
  RULE("(SIN _)")          return one(mul(g, tn_cos(t, a)));
  RULE("(TRUNC _)")        return one(none);
  RULE("(POW _ _)") {                                        // y x^(y-1), and x^y ln x, with their limits at 0
    tiny_uop *base_zero = eq(a, number(0)), *at_zero = where(lt(b, number(0)), number(-HUGE_VAL), number(0));
    return two(mul(g,
                   where(eq(b, number(0)), number(0),
                         mul(b, tn_binary(t, TINY_OP_POW, a, tn_plus(t, b, -1))))),
               mul(g, where(base_zero, at_zero, mul(r, tn_logarithm(t, where(base_zero, number(1), a))))));
  }
  RULE("(MAX _ c0)")       return two(where(lt(b, a), g, number(0)), none);               // relu's is 0 at 0
  RULE("(MAX _ _)")        return two(where(eq(a, b), times(g, 0.5), where(lt(b, a), g, number(0))),
                                      where(eq(a, b), times(g, 0.5), where(lt(a, b), g, number(0))));
  RULE("(WHERE _ _ _)")    return three(none, where(a, g, number(0)), where(a, number(0), g));
  RULE("(CAST _)")         return one(tn_cast(t, g, a->dtype));
  RULE("(BITCAST _)")      return one(none);
  // ** movement: the inverse movement **
  RULE("(RESHAPE _)")      return one(tn_reshape(t, g, a->ndim, a->dim));
  RULE("(EXPAND _)")       return one(tn_unbroadcast(t, g, a->ndim, a->dim));
  RULE("(PERMUTE _)")      return one(tn_gradient_permute(t, r, g));
  RULE("(PAD _)")          return one(tn_gradient_pad(t, r, g));
  RULE("(SHRINK _)")       return one(tn_gradient_shrink(t, r, a, g));
  RULE("(FLIP _)")         return one(tn_flip(t, g, r->k));
  // ** reductions: k is the op and, from bit 8 on, the axes **
  RULE("(REDUCE x)") {
    switch (r->k & 0xFF) {
      case TINY_OP_ADD: return one(like(g, x));
      case TINY_OP_MAX: return one(tn_gradient_max(t, r, x, g));
      default:          return one(tn_gradient_product(t, r, x, g));
    }
  }
  // ** identities **
  RULE("(CONTIGUOUS _)")   return one(g);
  RULE("(DETACH _)")       return one(none);
RULES_END

#undef g
#undef a
#undef b
#undef c
#undef none
#undef wanted
#undef one
#undef two
#undef three
#undef neg
#undef add
#undef mul
#undef div
#undef lt
#undef eq
#undef times
#undef number
#undef where
#undef like
#endif
// ---- end src/rules/gradient.c ----
#endif
// ---- begin src/rules/notation.c ----
// notation: the algebra that bodies of rules are written in. Macros, so that bodies read as formulas; t is the body's
// context. The room notation_end.c takes all of them back.
#ifndef TN_RULES_NOTATION
#define TN_RULES_NOTATION
#ifndef TINY_AMALGAMATED
#include "../ir/match.c"
#endif

// Constants: K an integer of x's dtype, N a number of x's dtype, B a bool, X an INDEX.
#define K(x, v)        tn_int(t, (x)->dtype, v)
#define N(x, v)        tn_number(t, (x)->dtype, v)
#define B(v)           tn_bool(t, v)
#define X(v)           tn_index(t, v)

#define op2(op, x, y)  tn_u2(t, op, x, y)
#define add(x, y)      tn_u2(t, TINY_OP_ADD, x, y)
#define sub(x, y)      tn_u2(t, TINY_OP_SUB, x, y)
#define mul(x, y)      tn_u2(t, TINY_OP_MUL, x, y)
#define fdiv(x, y)     tn_u2(t, TINY_OP_FDIV, x, y)
#define shl(x, y)      tn_u2(t, TINY_OP_SHL, x, y)
#define shr(x, y)      tn_u2(t, TINY_OP_SHR, x, y)
#define idiv(x, y)     tn_u2(t, TINY_OP_IDIV, x, y)
#define mod(x, y)      tn_u2(t, TINY_OP_MOD, x, y)
#define max_(x, y)     tn_u2(t, TINY_OP_MAX, x, y)
#define lt(x, y)       tn_u2(t, TINY_OP_LT, x, y)
#define ne(x, y)       tn_u2(t, TINY_OP_NE, x, y)
#define and_(x, y)     tn_u2(t, TINY_OP_AND, x, y)
#define or_(x, y)      tn_u2(t, TINY_OP_OR, x, y)
#define xor_(x, y)     tn_u2(t, TINY_OP_XOR, x, y)
#define not_(x)        tn_not(t, x)
#define where(p, x, y) tn_u3(t, TINY_OP_WHERE, p, x, y)
#define cast(x, d)     tn_cast(t, x, d)
#endif
// ---- end src/rules/notation.c ----
// ---- begin src/rules/affine.c ----
// affine: integer expressions as sums of terms: coefficient * node + constant. The common ground of the algebra of
// indices: like terms, comparisons, division and modulo.
//
// Two's complement integers are a ring: adding up terms and scaling is exact in every dtype,
// whatever wraps on the way. What depends on order (comparisons, division) is not: for it an
// expression is opened only where it cannot wrap, which tn_exact tells, and the sum is one of
// unbounded integers (dtype INDEX, whatever the nodes have). INDEX never wraps, by agreement.
#ifndef TN_RULES_AFFINE
#define TN_RULES_AFFINE
#ifndef TINY_AMALGAMATED
#include "notation.c"
#endif

enum { TN_MAX_TERMS = 24 };                // longer sums are left as they are
typedef struct tn_term { tiny_uop *x; int64_t c; } tn_term;
typedef struct tn_affine {
  tn_term term[TN_MAX_TERMS];
  int n, dtype, opened;
  int64_t k;
} tn_affine; // opened: how many nodes

static int64_t tn_wrap_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t tn_wrap_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static int64_t tn_gcd(int64_t a, int64_t b) {
  uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  while (y) { const uint64_t r = x % y; x = y; y = r; }
  return x > (uint64_t)INT64_MAX ? 1 : (int64_t)x;
}
static int64_t tn_floor_mod(int64_t a, int64_t b) { return tn_alu_int(TINY_OP_MOD, TINY_I64, a, b, 0); }

// Bounds mean something: an integer whose values fit int64.
static int tn_bounded(const tiny_uop *u) { return tn_is_int(u->dtype) && u->dtype != TINY_U64; }
static int tn_fits(int dtype, int64_t low, int64_t high) {
  if (dtype == TINY_INDEX) return 1;
  return low >= tn_dtype_min(dtype) && high <= tn_dtype_max(dtype) && low > INT64_MIN && high < INT64_MAX;
}

// The ADD or MUL u has the value that unbounded integers would have.
static int tn_exact(const tiny_uop *u) {
  if (u->dtype == TINY_INDEX) return 1;
  if (!tn_bounded(u)) return 0;
  const tiny_uop *a = u->src[0], *b = u->src[1];
  if (u->op == TINY_OP_ADD)
    return tn_fits(u->dtype, tn_clamp_add(a->vmin, b->vmin), tn_clamp_add(a->vmax, b->vmax));
  for (int i = 0; i < 4; i++) {            // the product of each pair of ends
    const int64_t p = tn_clamp_mul(i & 1 ? a->vmin : a->vmax, i & 2 ? b->vmin : b->vmax);
    if (!tn_fits(u->dtype, p, p)) return 0;
  }
  return 1;
}

static void tn_affine_start(tn_affine *a, int dtype) { a->n = a->opened = 0; a->k = 0; a->dtype = dtype; }

// Adds c * x, with x taken as one thing. 0: too many terms.
static int tn_affine_term(tn_affine *a, tiny_uop *x, int64_t c) {
  for (int i = 0; i < a->n; i++) if (a->term[i].x == x) {
    a->term[i].c = tn_dtype_wrap(a->dtype, tn_wrap_add(a->term[i].c, c));
    if (!a->term[i].c) a->term[i] = a->term[--a->n];
    return 1;
  }
  c = tn_dtype_wrap(a->dtype, c);
  if (!c) return 1;
  if (a->n == TN_MAX_TERMS) return 0;
  a->term[a->n].x = x; a->term[a->n++].c = c;
  return 1;
}

// Adds c * u, with u opened. strict: only where nothing wraps. 0: too many terms.
static int tn_affine_add(tn_affine *a, tiny_uop *u, int64_t c, int strict) {
  tn_term todo[TN_MAX_TERMS];
  int n = 1;
  todo[0].x = u; todo[0].c = c;
  while (n) {
    tiny_uop *x = todo[--n].x;
    c = todo[n].c;
    const int opens = (x->op == TINY_OP_ADD || (x->op == TINY_OP_MUL && tn_is_const(x->src[1]))) &&
        (!strict || tn_exact(x));
    a->opened += opens;
    if (tn_is_const(x)) a->k = tn_dtype_wrap(a->dtype, tn_wrap_add(a->k, tn_wrap_mul(x->k, c)));
    else if (!opens) { if (!tn_affine_term(a, x, c)) return 0; }
    else if (x->op == TINY_OP_MUL) { todo[n].x = x->src[0]; todo[n++].c = tn_wrap_mul(c, x->src[1]->k); }
    else {
      if (n + 2 > TN_MAX_TERMS) return 0;
      todo[n].x = x->src[1]; todo[n++].c = c;
      todo[n].x = x->src[0]; todo[n++].c = c;
    }
  }
  return 1;
}

// All of its numbers leave room to compute with.
static int tn_affine_small(const tn_affine *a) {
  const int64_t most = (int64_t)1 << 60;
  for (int i = 0; i < a->n; i++) if (a->term[i].c <= -most || a->term[i].c >= most) return 0;
  return a->k > -most && a->k < most;
}

static void tn_affine_bounds(const tn_affine *a, int64_t *low, int64_t *high) {
  *low = *high = a->k;
  for (int i = 0; i < a->n; i++) {
    const tn_term *m = &a->term[i];
    const int64_t p = tn_clamp_mul(m->c, m->x->vmin), q = tn_clamp_mul(m->c, m->x->vmax);
    *low = tn_clamp_add(*low, p < q ? p : q);
    *high = tn_clamp_add(*high, p < q ? q : p);
  }
}

// The sum as a node of dtype: terms in structural order, the constant last.
static tiny_uop *tn_affine_node(tiny_ctx *t, const tn_affine *a, int dtype) {
  tn_term s[TN_MAX_TERMS];
  for (int i = 0; i < a->n; i++) {
    int at = i;
    for (; at && tn_uop_order(s[at - 1].x, a->term[i].x) > 0; at--) s[at] = s[at - 1];
    s[at] = a->term[i];
  }
  tiny_uop *sum = NULL;
  for (int i = 0; i < a->n; i++) {
    tiny_uop *x = s[i].c == 1 ? s[i].x : mul(s[i].x, K(s[i].x, s[i].c));
    sum = sum ? add(sum, x) : x;
  }
  if (!sum) return tn_int(t, dtype, a->k);
  return a->k ? add(sum, K(sum, a->k)) : sum;
}

static int tn_affine_find(const tn_affine *a, int op, const tiny_uop *x, int64_t k, int64_t c) {
  for (int i = 0; i < a->n; i++) {
    const tiny_uop *u = a->term[i].x;
    if (u->op == op && a->term[i].c == c && u->src[0] == x && tn_is_k(u->src[1], k)) return i;
  }
  return -1;
}
static void tn_affine_drop(tn_affine *a, int i) { a->term[i] = a->term[--a->n]; }

// Puts x % c and x // c back together:  p (x % c) + p c (x // c) -> p x,
// p ((x // b) % c) + p c (x // (b c)) -> p (x // b),  p (x % c) + p c ((x // c) % b) -> p (x % (b c)).
static int tn_affine_recombine(tiny_ctx *t, tn_affine *a) {
  int changed = 0;
  for (int i = 0; i < a->n; i++) {
    tiny_uop *m = a->term[i].x;
    if (m->op != TINY_OP_MOD || !tn_is_const(m->src[1]) || m->src[1]->k <= 1) continue;
    tiny_uop *x = m->src[0];
    const int64_t c = m->src[1]->k, p = a->term[i].c, pc = tn_clamp_mul(p, c);
    const int nested = x->op == TINY_OP_IDIV && tn_is_const(x->src[1]) && x->src[1]->k > 0;
    int j = tn_affine_find(a, TINY_OP_IDIV, x, c, pc);
    if (j < 0 && nested) j = tn_affine_find(a, TINY_OP_IDIV, x->src[0], tn_clamp_mul(x->src[1]->k, c), pc);
    if (j >= 0) {
      tn_affine_drop(a, i > j ? i : j);
      tn_affine_drop(a, i > j ? j : i);
      if (!tn_affine_add(a, x, p, a->dtype != TINY_INDEX)) return -1;
      changed = 1; i = -1;
      continue;
    }
    for (j = 0; j < a->n; j++) {
      const tiny_uop *u = a->term[j].x;
      if (u->op != TINY_OP_MOD || a->term[j].c != pc || !tn_is_const(u->src[1]) || u->src[1]->k <= 0)
        continue;
      const tiny_uop *q = u->src[0];
      const int same = q->op == TINY_OP_IDIV && q->src[0] == (nested ? x->src[0] : x) &&
                       tn_is_k(q->src[1], nested ? tn_clamp_mul(x->src[1]->k, c) : c);
      const int64_t bc = tn_clamp_mul(u->src[1]->k, c);
      if (!same || !tn_fits(a->dtype, bc, bc)) continue;
      tn_affine_drop(a, i > j ? i : j);
      tn_affine_drop(a, i > j ? j : i);
      if (!tn_affine_term(a, mod(x, K(x, bc)), p)) return -1;
      changed = 1; i = -1;
      break;
    }
  }
  return changed;
}
#endif
// ---- end src/rules/affine.c ----
// ---- begin src/rules/divmod.c ----
// divmod: floor division and modulo of sums by positive constants, as reshapes and permutes make them.
//
// All of it rests on these, with c, d > 0 and A, B any integers (Graham, Knuth, Patashnik,
// "Concrete Mathematics", 3.2-3.4):
//   (c A + B) // c = A + B // c          (c A + B) % c = B % c
//   (d A + B) // (d e) = (A + m) // e    (d A + B) % (d e) = d ((A + m) % e) + B - m d    where m d <= B < (m + 1) d
//   (A // d) // e = A // (d e)           (A % (d e)) // d = (A // d) % e                  (A % (d e)) % d = A % d
#ifndef TN_RULES_DIVMOD
#define TN_RULES_DIVMOD
#ifndef TINY_AMALGAMATED
#include "affine.c"
#endif

// One quotient for all of a's values: *m.
static int tn_one_quotient(const tn_affine *a, int64_t c, int64_t *m) {
  int64_t low, high;
  tn_affine_bounds(a, &low, &high);
  *m = tn_floor_div(low, c);
  return low > INT64_MIN && high < INT64_MAX && *m == tn_floor_div(high, c);
}

// quotient + rest // c, or rest % c, in r's dtype. NULL where the dtype cannot hold the rest.
static tiny_uop *tn_divmod_node(tiny_ctx *t, const tiny_uop *r, tn_affine *quotient, const tn_affine *rest,
                                int64_t c) {
  int64_t low, high;
  tn_affine_bounds(rest, &low, &high);
  if (!tn_fits(r->dtype, low, high)) return NULL;
  tiny_uop *x = tn_affine_node(t, rest, r->dtype);
  if (r->op == TINY_OP_MOD) return mod(x, K(r, c));
  return tn_affine_term(quotient, idiv(x, K(r, c)), 1) ? tn_affine_node(t, quotient, r->dtype) : NULL;
}

// Some choice of residues, each between -c and c, may leave a rest that has one quotient. At most 5 terms are tried.
static tiny_uop *tn_divmod_congruence(tiny_ctx *t, const tiny_uop *r, const tn_affine *a, int64_t c) {
  if (a->n > 5) return NULL;
  for (int choice = 0; choice < 1 << a->n; choice++) {
    tn_affine quotient, rest;
    tn_affine_start(&quotient, TINY_INDEX);
    tn_affine_start(&rest, TINY_INDEX);
    int64_t m, low, high;
    for (int i = 0; i < a->n; i++) {
      const int64_t floor = tn_floor_div(a->term[i].c, c), q = floor + (choice >> i & 1),
                    residue = a->term[i].c - q * c;
      if (q) tn_affine_term(&quotient, a->term[i].x, q);
      if (residue) tn_affine_term(&rest, a->term[i].x, residue);
    }
    rest.k = a->k;
    if (!tn_one_quotient(&rest, c, &m)) continue;
    quotient.k = m;
    rest.k -= m * c;
    tn_affine *result = r->op == TINY_OP_IDIV ? &quotient : &rest;
    tn_affine_bounds(result, &low, &high);
    if (tn_fits(r->dtype, low, high)) return tn_affine_node(t, result, r->dtype);
  }
  return NULL;
}

// Takes multiples of c out of the coefficients (toward zero: signs stay) and of the constant (floor).
static int tn_divmod_extract(const tn_affine *a, int64_t c, tn_affine *quotient, tn_affine *rest) {
  int changed = 0;
  tn_affine_start(quotient, TINY_INDEX);
  tn_affine_start(rest, TINY_INDEX);
  for (int i = 0; i < a->n; i++) {
    const int64_t q = a->term[i].c / c, residue = a->term[i].c % c;
    changed |= q != 0;
    tn_affine_term(quotient, a->term[i].x, q);
    tn_affine_term(rest, a->term[i].x, residue);
  }
  quotient->k = tn_floor_div(a->k, c);
  rest->k = tn_floor_mod(a->k, c);
  return changed || quotient->k;
}

// x = d A + B with B within one multiple of d, and d a divisor of c.
static tiny_uop *tn_divmod_factor(tiny_ctx *t, const tiny_uop *r, const tn_affine *a, int64_t c) {
  int64_t best = 1, best_m = 0, m;
  for (int i = 0; i < a->n; i++) {
    const int64_t d = tn_gcd(a->term[i].c, c);
    if (d <= best) continue;
    tn_affine low_part;
    tn_affine_start(&low_part, TINY_INDEX);
    for (int j = 0; j < a->n; j++)
      if (a->term[j].c % d) tn_affine_term(&low_part, a->term[j].x, a->term[j].c);
    low_part.k = a->k;
    if (tn_one_quotient(&low_part, d, &m)) { best = d; best_m = m; }
  }
  if (best == 1) return NULL;
  tn_affine high_part, low_part;
  tn_affine_start(&high_part, TINY_INDEX);
  tn_affine_start(&low_part, TINY_INDEX);
  for (int j = 0; j < a->n; j++) {
    if (a->term[j].c % best) tn_affine_term(&low_part, a->term[j].x, a->term[j].c);
    else tn_affine_term(&high_part, a->term[j].x, a->term[j].c / best);
  }
  high_part.k = best_m;
  low_part.k = a->k - best_m * best;
  int64_t low, high;
  tn_affine_bounds(&high_part, &low, &high);
  if (!tn_fits(r->dtype, low, high)) return NULL;
  tiny_uop *x = tn_affine_node(t, &high_part, r->dtype), *e = K(r, c / best);
  if (r->op == TINY_OP_IDIV) return idiv(x, e);
  x = mul(mod(x, e), K(r, best));
  return low_part.n || low_part.k ? add(x, tn_affine_node(t, &low_part, r->dtype)) : x;
}

static int tn_is_by_positive(const tiny_uop *u, int op) {
  return u->op == op && tn_is_const(u->src[1]) && u->src[1]->k > 0;
}

// A division or modulo inside of the sum meets the one outside.
static tiny_uop *tn_divmod_nested(tiny_ctx *t, const tiny_uop *r, const tn_affine *a, int64_t c) {
  if (r->op == TINY_OP_MOD) {              // (p (y % m) + ..) % c = (p y + ..) % c where c divides p m
    for (int i = 0; i < a->n; i++) {
      const tiny_uop *u = a->term[i].x;
      if (!tn_is_by_positive(u, TINY_OP_MOD) || tn_clamp_mul(a->term[i].c, u->src[1]->k) % c) continue;
      tn_affine opened = *a, rest, quotient;
      opened.term[i] = opened.term[--opened.n];
      if (!tn_affine_add(&opened, u->src[0], a->term[i].c, 1)) return NULL;
      tn_divmod_extract(&opened, c, &quotient, &rest);
      return tn_divmod_node(t, r, &quotient, &rest, c);
    }
    return NULL;
  }
  if (a->n != 1 || a->term[0].c != 1) return NULL;
  const tiny_uop *u = a->term[0].x;
  if (tn_is_by_positive(u, TINY_OP_IDIV)) {                // (y // d + k) // c = (y + d k) // (c d)
    const int64_t d = u->src[1]->k, dk = tn_clamp_mul(d, a->k), cd = tn_clamp_mul(c, d);
    const int64_t low = tn_clamp_add(u->src[0]->vmin, dk), high = tn_clamp_add(u->src[0]->vmax, dk);
    if (!tn_fits(r->dtype, cd, cd) || !tn_fits(r->dtype, low, high)) return NULL;
    return idiv(dk ? add(u->src[0], K(r, dk)) : u->src[0], K(r, cd));
  }
  if (tn_is_by_positive(u, TINY_OP_MOD) && !a->k && u->src[1]->k % c == 0)      // (y % (c e)) // c = (y // c) % e
    return mod(idiv(u->src[0], K(r, c)), K(r, u->src[1]->k / c));
  return NULL;
}

// x // c or x % c, x and c of a bounded integer dtype. NULL: nothing to do.
static tiny_uop *tn_divmod(tiny_ctx *t, const tiny_uop *r) {
  const int64_t c = r->src[1]->k;
  tn_affine a, quotient, rest;
  tn_affine_start(&a, TINY_INDEX);
  if (!tn_bounded(r) || !tn_affine_add(&a, r->src[0], 1, 1) || !tn_affine_small(&a) || c >= (int64_t)1 << 60)
    return NULL;
  tiny_uop *u = tn_divmod_congruence(t, r, &a, c);
  if (!u && tn_divmod_extract(&a, c, &quotient, &rest)) u = tn_divmod_node(t, r, &quotient, &rest, c);
  if (!u) u = tn_divmod_factor(t, r, &a, c);
  return u ? u : tn_divmod_nested(t, r, &a, c);
}

RULES(tn_rules_divmod, x, c)
  RULE("(IDIV|MOD x:i c)") {
    if (c->k > 0) return tn_divmod(t, r);
    if (c->k >= -1 || c->k == INT64_MIN || r->dtype != TINY_INDEX) return NULL;
    tiny_uop *minus = mul(x, X(-1));       // x // -c = -x // c,  x % -c = -(-x % c)
    return r->op == TINY_OP_IDIV ? idiv(minus, X(-c->k)) : mul(mod(minus, X(-c->k)), X(-1));
  }
RULES_END
#endif
// ---- end src/rules/divmod.c ----
// ---- begin src/rules/symbolic.c ----
// symbolic: the algebra of expressions: constants, identities, sums, comparisons, conditions, casts.
//
// What always holds: both sides have the same value for every value of the operands. Integers
// wrap, INDEX does not, and a float rule is exact to the bit, signed zeros and NaN included (but
// MAX of 0.0 and -0.0 is either). So these are NOT here:
//   x + 0.0 -> x (x = -0.0)    x * 0.0 -> 0.0 (inf, nan)    x - x -> 0.0 (inf, nan)    x != x -> false (nan)
//   (x + a) + b, (x * a) * b with constants joined (they round twice)    x / c -> x * (1/c) unless c is a power of two
// Sums of INDEX are always brought to one form, terms in structural order; sums of other integers
// only where it saves work.
#ifndef TN_RULES_SYMBOLIC
#define TN_RULES_SYMBOLIC
#ifndef TINY_AMALGAMATED
#include "divmod.c"
#endif

static tiny_uop *tn_fold_constants(tiny_ctx *t, const tiny_uop *r) {
  int64_t v[4] = {0, 0, 0, 0};
  for (uint32_t i = 0; i < r->nsrc && i < 4; i++) v[i] = r->src[i]->k;
  return tn_int(t, r->dtype, tn_alu(r->op, r->dtype, r->src[0]->dtype, r->k, v, (int)r->nsrc));
}

RULES(tn_rules_fold, x, c, c0, c1, c2)
  RULE("(ALU|CAST|BITCAST c0)")            return tn_fold_constants(t, r);
  RULE("(ALU c0 c1)")                      return tn_fold_constants(t, r);
  RULE("(ALU c0 c1 c2)")                   return tn_fold_constants(t, r);
  RULE("(ALU c c0 c1 c2)")                 return tn_fold_constants(t, r);
  RULE("(ALU|CAST x ...)") {               // bounds leave one value
    if (r->vmin != r->vmax || (r->dtype != TINY_BOOL && !tn_bounded(r))) return NULL;
    return K(r, r->vmin);
  }
RULES_END

// ** sums **

// A sum of integers with like terms joined.
static tiny_uop *tn_sum_terms(tiny_ctx *t, tiny_uop *r) {
  tn_affine a;
  tn_affine_start(&a, r->dtype);
  if (!tn_affine_add(&a, r, 1, 0) || tn_affine_recombine(t, &a) < 0) return NULL;
  int cost = a.n - 1 + (a.k != 0);
  for (int i = 0; i < a.n; i++) cost += a.term[i].c != 1;
  return r->dtype == TINY_INDEX || cost < a.opened ? tn_affine_node(t, &a, r->dtype) : NULL;
}

static int tn_is_power_of_two(double x) { int e; return x != 0 && x - x == 0 && fabs(frexp(x, &e)) == 0.5; }

RULES(tn_rules_arithmetic, x, y, z, m, n, c, c0, c1)
  // ** what changes nothing **
  RULE("(ADD x -0)")                       return x;       // a float's 0 is not one: -0.0 + 0.0 = 0.0
  RULE("(SUB x 0)")                        return x;
  RULE("(MUL|FDIV|POW x 1)")               return x;
  RULE("(IDIV x:i 1)")                     return x;
  RULE("(OR|XOR|SHL|SHR x 0)")             return x;
  RULE("(AND x:i -1)")                     return x;
  RULE("(AND|OR|MAX x x)")                 return x;
  RULE("(MAX x:f -inf)")                   return x;
  RULE("(NEG (NEG x))")                    return x;
  RULE("(TRUNC x:i)")                      return x;
  // ** what nothing is left of **
  RULE("(MUL x:i 0)")                      return K(x, 0);
  RULE("(AND x 0)")                        return K(x, 0);
  RULE("(OR x:i -1)")                      return K(x, -1);
  RULE("(XOR x x)")                        return K(x, 0);
  RULE("(MOD x:i 1)")                      return K(x, 0);
  RULE("(MOD x:i x)")                      return K(x, 0); // 0 % 0 is the dividend: 0
  RULE("(IDIV|MOD:i 0 x)")                 return K(r, 0);
  RULE("(SHL|SHR 0 x)")                    return K(r, 0);
  RULE("(POW x 0)")                        return N(x, 1); // pow(nan, 0) = 1: C17 F.10.4.4
  RULE("(IDIV x:i x)") {
    if (!tn_bounded(x) || (x->vmin <= 0 && x->vmax >= 0)) return NULL;
    return K(x, 1);
  }
  RULE("(IDIV x:i -1)")                    { if (!tn_is_signed(x->dtype)) return NULL; return mul(x, K(x, -1)); }
  RULE("(MOD x:i -1)")                     { if (!tn_is_signed(x->dtype)) return NULL; return K(x, 0); }
  // ** floats, exactly **
  RULE("(MUL (MUL x:f -1) c)")             return mul(x, N(x, -tn_to_f64(c->k)));
  RULE("(FDIV x c)") {                     // a power of two has an exact inverse, unless that overflows
    const double inverse = 1 / tn_to_f64(c->k);
    if (!tn_is_power_of_two(tn_to_f64(c->k)) || tn_dtype_round(x->dtype, inverse) != inverse) return NULL;
    return mul(x, N(x, inverse));
  }
  // ** constants join, and move outward **
  RULE("(ADD|MUL|AND|OR|XOR|MAX m=(ADD|MUL|AND|OR|XOR|MAX x c0) c1)") {
    if (m->op != r->op || (tn_is_float(r->dtype) && r->op != TINY_OP_MAX)) return NULL;
    return op2(r->op, x, op2(r->op, c0, c1));
  }
  RULE("(ADD|MUL|AND|OR|XOR|MAX m=(ADD|MUL|AND|OR|XOR|MAX x c0) y)") {
    if (m->op != r->op || tn_is_float(r->dtype) || tn_is_const(x) || tn_is_const(y)) return NULL;
    return op2(r->op, op2(r->op, x, y), c0);
  }
  // ** sums and bounds **
  RULE("(ADD x:i y)")                      return tn_sum_terms(t, r);
  RULE("(MUL (ADD x:x y) c)")              return tn_sum_terms(t, r);
  RULE("(MAX x:i y)") {
    if (!tn_bounded(x)) return NULL;
    return x->vmin >= y->vmax ? x : y->vmin >= x->vmax ? y : NULL;
  }
  RULE("(AND x:i c)") {                    // a mask of all bits that x can have
    if (!tn_bounded(x) || x->vmin < 0 || c->k < 0 || ((uint64_t)c->k & ((uint64_t)c->k + 1)) ||
        x->vmax > c->k)
      return NULL;
    return x;
  }
  // ** a choice of constants stays one **
  RULE("(ALU (WHERE x c0 c1) c)")          return where(x, op2(r->op, c0, c), op2(r->op, c1, c));
  RULE("(ALU c (WHERE x c0 c1))")          return where(x, op2(r->op, c, c0), op2(r->op, c, c1));
  RULE("(MUL x:i (CAST y:b))")             return where(y, x, K(x, 0));
RULES_END

// ** conditions **

// Clauses x < k (upper) and !(x < k) of an integer.
typedef struct tn_clause { tiny_uop *x; int64_t k; int upper; } tn_clause;
static int tn_clause_of(tiny_uop *u, tn_clause *c) {
  c->upper = !(u->op == TINY_OP_XOR && u->dtype == TINY_BOOL && tn_is_k(u->src[1], 1));
  if (!c->upper) u = u->src[0];
  if (u->op != TINY_OP_LT || !tn_bounded(u->src[0]) || !tn_is_const(u->src[1])) return 0;
  c->x = u->src[0]; c->k = u->src[1]->k;
  return 1;
}

// What two clauses, joined by op AND or OR, make together: one of them, a bool, or NULL.
static tiny_uop *tn_clause_join(tiny_ctx *t, int op, tiny_uop *u, tiny_uop *w) {
  const int is_and = op == TINY_OP_AND;
  tn_clause a, b;
  if (u == w) return u;
  if (u == not_(w) || w == not_(u)) return B(!is_and);
  if (!tn_clause_of(u, &a) || !tn_clause_of(w, &b) || a.x != b.x) return NULL;
  if (a.upper == b.upper) return (a.k < b.k) == (a.upper == is_and) ? u : w;
  const int64_t top = a.upper ? a.k : b.k, low = a.upper ? b.k : a.k;     // x < top, x >= low
  return is_and ? (low >= top ? B(0) : NULL) : low <= top ? B(1) : NULL;
}

enum { TN_MAX_CLAUSES = 24 };
// The clauses of a chain of op. -1: too many.
static int tn_clauses(tiny_uop *u, int op, tiny_uop **out) {
  tiny_uop *todo[TN_MAX_CLAUSES];
  int n = 0, left = 1;
  todo[0] = u;
  while (left) {
    tiny_uop *x = todo[--left];
    if (x->op != op || x->dtype != TINY_BOOL) { if (n == TN_MAX_CLAUSES) return -1; out[n++] = x; continue; }
    if (left + 2 > TN_MAX_CLAUSES) return -1;
    todo[left++] = x->src[1]; todo[left++] = x->src[0];
  }
  return n;
}
static tiny_uop *tn_clauses_node(tiny_ctx *t, int op, tiny_uop **list, int n) {
  tiny_uop *s[TN_MAX_CLAUSES], *all = NULL;
  for (int i = 0; i < n; i++) {
    int at = i;
    for (; at && tn_uop_order(s[at - 1], list[i]) > 0; at--) s[at] = s[at - 1];
    s[at] = list[i];
  }
  for (int i = 0; i < n; i++) all = all ? op2(op, all, s[i]) : s[i];
  return all ? all : B(op == TINY_OP_AND);
}
static tiny_uop *tn_clauses_join(tiny_ctx *t, tiny_uop *r) {
  tiny_uop *list[TN_MAX_CLAUSES];
  int n = tn_clauses(r, r->op, list);
  for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) {
    tiny_uop *u = tn_clause_join(t, r->op, list[i], list[j]);
    if (!u) continue;
    if (tn_is_const(u)) return u;
    list[i] = u; list[j] = list[--n];
    i = -1;
    break;
  }
  return n < 0 ? NULL : tn_clauses_node(t, r->op, list, n);
}

RULES(tn_rules_bool, x, y, z, p, q, c, c0, c1)
  // ** bools have AND, OR and XOR only **
  RULE("(ADD|MAX x:b y)")                  return or_(x, y);
  RULE("(MUL x:b y)")                      return and_(x, y);
  RULE("(NE x:b y)")                       return xor_(x, y);
  RULE("(LT x:b y)")                       return and_(not_(x), y);
  RULE("(AND x:b 1)")                      return x;
  RULE("(OR x:b 1)")                       return B(1);
  RULE("(AND x:b (XOR x 1))")              return B(0);
  RULE("(OR x:b (XOR x 1))")               return B(1);
  RULE("(AND x (OR x y))")                 return x;
  RULE("(OR x (AND x y))")                 return x;
  RULE("(AND x:b (OR (XOR x 1) y))")       return and_(x, y);
  RULE("(XOR (OR x:b y) 1)")               return and_(not_(x), not_(y));
  RULE("(AND|OR x:b y)")                   return tn_clauses_join(t, r);
  // ** choices **
  RULE("(WHERE c x y)")                    return c->k ? x : y;
  RULE("(WHERE p x x)")                    return x;
  RULE("(WHERE (XOR p 1) x y)")            return where(p, y, x);
  RULE("(WHERE:b p 1 0)")                  return p;
  RULE("(WHERE:b p 0 1)")                  return not_(p);
  RULE("(WHERE:b p x 0)")                  return and_(p, x);
  RULE("(WHERE:b p 1 x)")                  return or_(p, x);
  RULE("(WHERE:b p 0 x)")                  return and_(not_(p), x);
  RULE("(WHERE:b p x 1)")                  return or_(not_(p), x);
  RULE("(WHERE p (WHERE p x y) z)")        return where(p, x, z);
  RULE("(WHERE p x (WHERE p y z))")        return where(p, x, z);
  RULE("(WHERE p (WHERE q x y) y)")        return where(and_(p, q), x, y);
  RULE("(WHERE p x (WHERE q x y))")        return where(or_(p, q), x, y);
  RULE("(WHERE p (WHERE q y x) y)")        return where(and_(p, not_(q)), x, y);
RULES_END

// ** comparisons **

// Splits a into what is positive and what is negative, that with its sign turned.
static void tn_affine_sides(const tn_affine *a, tn_affine *plus, tn_affine *minus) {
  tn_affine_start(plus, TINY_INDEX);
  tn_affine_start(minus, TINY_INDEX);
  for (int i = 0; i < a->n; i++) {
    const int64_t c = a->term[i].c;
    tn_affine_term(c > 0 ? plus : minus, a->term[i].x, c > 0 ? c : -c);
  }
}
static int tn_affine_fits(const tn_affine *a, int dtype) {
  int64_t low, high;
  tn_affine_bounds(a, &low, &high);
  return tn_fits(dtype, low, high);
}
// plus op minus
static tiny_uop *tn_compare_node(tiny_ctx *t, int op, const tn_affine *plus, const tn_affine *minus,
                                 int dtype) {
  if (!tn_affine_fits(plus, dtype) || !tn_affine_fits(minus, dtype)) return NULL;
  return op2(op, tn_affine_node(t, plus, dtype), tn_affine_node(t, minus, dtype));
}

// d A + B < 0 is A + B // d < 0: where B // d has one value, B is gone. The largest d is taken.
static void tn_compare_coarsen(tn_affine *a) {
  int64_t best = 1, best_m = 0, m;
  for (int i = 0; i < a->n; i++) {
    const int64_t d = a->term[i].c < 0 ? -a->term[i].c : a->term[i].c;
    tn_affine low_part;
    tn_affine_start(&low_part, TINY_INDEX);
    for (int j = 0; j < a->n; j++)
      if (a->term[j].c % d) tn_affine_term(&low_part, a->term[j].x, a->term[j].c);
    low_part.k = a->k;
    if (d > best && tn_one_quotient(&low_part, d, &m)) { best = d; best_m = m; }
  }
  if (best == 1) return;
  int n = 0;
  for (int j = 0; j < a->n; j++) if (a->term[j].c % best == 0) {
    a->term[n].x = a->term[j].x;
    a->term[n++].c = a->term[j].c / best;
  }
  a->n = n; a->k = best_m;
}

// The sum x - y, of unbounded integers.
static int tn_difference(tn_affine *a, tiny_uop *x, tiny_uop *y) {
  tn_affine_start(a, TINY_INDEX);
  return tn_bounded(x) && tn_affine_add(a, x, 1, 1) && tn_affine_add(a, y, -1, 1) && tn_affine_small(a);
}

static tiny_uop *tn_less(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  tn_affine a, plus, minus;
  int64_t low, high;
  if (!tn_difference(&a, x, y)) return NULL;
  tn_affine_bounds(&a, &low, &high);
  if (high < 0 || low >= 0) return B(high < 0);
  tn_compare_coarsen(&a);
  tn_affine_sides(&a, &plus, &minus);
  if (!plus.n) {                           // -minus + k < 0 is !(minus < k + 1)
    plus.k = a.k + 1;
    tiny_uop *u = tn_compare_node(t, TINY_OP_LT, &minus, &plus, x->dtype);
    return u ? not_(u) : NULL;
  }
  if (minus.n && (!tn_is_const(y) || x->dtype != TINY_INDEX)) {
    minus.k = -a.k;
    return tn_compare_node(t, TINY_OP_LT, &plus, &minus, x->dtype);
  }
  tn_affine_start(&minus, TINY_INDEX);
  minus.k = -a.k; a.k = 0;
  return tn_compare_node(t, TINY_OP_LT, &a, &minus, x->dtype);
}

static tiny_uop *tn_differs(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  tn_affine a, plus, minus;
  int64_t low, high, g = 0;
  if (!tn_difference(&a, x, y)) return NULL;
  tn_affine_bounds(&a, &low, &high);
  if (high < 0 || low > 0) return B(1);
  for (int i = 0; i < a.n; i++) g = tn_gcd(g, a.term[i].c);
  if (!a.n || a.k % g) return B(a.k != 0);
  int first = 0;
  for (int i = 1; i < a.n; i++) if (tn_uop_order(a.term[i].x, a.term[first].x) < 0) first = i;
  if (a.term[first].c < 0) g = -g;         // the first term is positive
  for (int i = 0; i < a.n; i++) a.term[i].c /= g;
  a.k /= g;
  tn_affine_sides(&a, &plus, &minus);
  minus.k = -a.k;
  return tn_compare_node(t, TINY_OP_NE, &plus, &minus, x->dtype);
}

// All values of x survive a conversion to dtype.
static int tn_holds(int dtype, const tiny_uop *x) {
  if (x->dtype == TINY_BOOL || x->dtype == dtype) return 1;
  if (tn_is_float(x->dtype)) {
    if (!tn_is_float(dtype)) return 0;
    return tn_dtypes[dtype].mantissa >= tn_dtypes[x->dtype].mantissa &&
        tn_dtypes[dtype].least <= tn_dtypes[x->dtype].least;
  }
  if (dtype == TINY_BOOL || x->dtype == TINY_U64) return 0;
  if (!tn_is_float(dtype)) return x->vmin >= tn_dtype_min(dtype) && x->vmax <= tn_dtype_max(dtype);
  const int64_t top = (int64_t)1 << (tn_dtypes[dtype].mantissa + 1);
  return x->vmin >= -top && x->vmax <= top && (dtype != TINY_F16 || (x->vmin >= -65504 && x->vmax <= 65504));
}

RULES(tn_rules_compare, x, y, z, c, c0, c1)
  RULE("(LT x x)")                         return B(0);
  RULE("(NE x:i x)")                       return B(0);
  RULE("(LT c x:i)") {                     // c < x -> !(x < c + 1)
    if (!tn_bounded(x) || c->k == tn_dtype_max(x->dtype)) return NULL;
    return not_(lt(x, K(x, c->k + 1)));
  }
  RULE("(LT x:i y)")                       return tn_less(t, x, y);
  RULE("(NE x:i y)")                       return tn_differs(t, x, y);
  RULE("(NE (ADD x:i c0) c1)")             return ne(x, K(x, tn_wrap_add(c1->k, tn_wrap_mul(c0->k, -1))));
  RULE("(NE (ADD x:i y) (ADD x z))")       return ne(y, z);
  RULE("(LT (IDIV x:i c0) c1)") {          // x // c0 < c1 -> x < c0 c1
    const int64_t k = tn_clamp_mul(c0->k, c1->k);
    if (!tn_bounded(x) || c0->k <= 0 || !tn_fits(x->dtype, k, k)) return NULL;
    return lt(x, K(x, k));
  }
  // ** through casts **
  RULE("(NE (CAST x:b) 0)")                return x;
  RULE("(NE (CAST x:b) 1)")                return not_(x);
  RULE("(LT (CAST x:b) 1)")                return not_(x);
  RULE("(LT 0 (CAST x:b))")                return x;
  RULE("(NE|LT (CAST x:i) (CAST y:i))") {
    if (x->dtype != y->dtype || !tn_holds(r->src[0]->dtype, x) || !tn_holds(r->src[0]->dtype, y)) return NULL;
    return op2(r->op, x, y);
  }
  RULE("(NE|LT z=(CAST x:i) c)") {
    const tiny_uop *back = cast(c, x->dtype);
    if (!tn_is_int(z->dtype) || !tn_holds(z->dtype, x) || !tn_holds(x->dtype, c) || !back) return NULL;
    return op2(r->op, x, K(x, c->k));
  }
RULES_END

RULES(tn_rules_cast, x, y, z, p, c0, c1)
  RULE("(CAST|BITCAST x)")                 { if (r->dtype != x->dtype) return NULL; return x; }
  RULE("(BITCAST (BITCAST x))")
    return tn_uop_make(t, TINY_OP_BITCAST, r->dtype, r->lanes, 1, &x, 0, 0, NULL);
  RULE("(CAST:b x)")                       return ne(x, K(x, 0));            // 0.0 has the bits of 0
  RULE("(CAST y=(CAST x))") {
    const int from_int = !tn_is_float(x->dtype), to_int = tn_is_int(r->dtype);
    const int low_bits = from_int && to_int && tn_is_int(y->dtype) && tn_bits(r->dtype) <= tn_bits(y->dtype);
    const int through_float = from_int && to_int && tn_is_float(y->dtype);      // wraps one way, saturates the other
    if (!low_bits && (!tn_holds(y->dtype, x) || (through_float && !tn_holds(r->dtype, x)))) return NULL;
    return cast(x, r->dtype);
  }
  RULE("(CAST (WHERE p c0 c1))")           return where(p, cast(c0, r->dtype), cast(c1, r->dtype));
  RULE("(CAST:x z=(ADD|MUL x:i y))") {
    if (!tn_exact(z)) return NULL;
    return op2(z->op, cast(x, TINY_INDEX), cast(y, TINY_INDEX));
  }
  RULE("(CAST:x z=(IDIV|MOD x:i c0))") {
    if (!tn_bounded(x) || c0->k <= 0) return NULL;
    return op2(z->op, cast(x, TINY_INDEX), X(c0->k));
  }
RULES_END

RULES(tn_rules_symbolic, x, y, z)
  USE(tn_rules_fold)
  USE(tn_rules_arithmetic)
  USE(tn_rules_bool)
  USE(tn_rules_compare)
  USE(tn_rules_cast)
  USE(tn_rules_divmod)
  // ** memory that is always or never touched **
  RULE("(INDEX x y 1)")
    return tn_uop_make(t, TINY_OP_INDEX, r->dtype, r->lanes, 2, r->src, r->k, r->nv, r->v);
  RULE("(LOAD (INDEX x y 0))")             return K(r, 0);
  RULE("(LOAD (INDEX x y 0) z)")           return z;
RULES_END

// Heavy code.
static tiny_uop *tn_simplify(tiny_ctx *t, tiny_uop *u) { return tn_rewrite(t, u, tn_rules_symbolic, NULL); }

typedef struct tn_simplify_call { tiny_uop *u; } tn_simplify_call;
static tiny_code tn_simplify_guarded(tiny_ctx *t, void *arg) {
  tn_simplify_call *call = (tn_simplify_call *)arg;
  call->u = tn_rewrite(t, call->u, tn_rules_symbolic, NULL);
  return t->code;
}
TINY_API tiny_uop *tiny_uop_simplify(tiny_ctx *t, tiny_uop *u) {
  tn_simplify_call call = {u};
  return t && u && tn_guard(t, tn_simplify_guarded, &call) == TINY_OK ? call.u : u;
}
#endif
// ---- end src/rules/symbolic.c ----
// ---- begin src/rules/valid.c ----
// valid: what a condition tells about the expressions that are only looked at where it holds.
//
// In:  an expression, and a condition: clauses x < k and !(x < k) joined by AND, as masks of pads
//      and shrinks give them.
// Out: the expression in a simpler form, equal wherever the condition holds; the condition without clauses that the
//      others imply. So (r - 1) // 4 under 1 <= r < 5 is 0, and the gate of a load keeps only what can fail.
#ifndef TN_RULES_VALID
#define TN_RULES_VALID
#ifndef TINY_AMALGAMATED
#include "symbolic.c"
#endif

// What is known: an integer node and the bounds that the condition gives it.
typedef struct tn_fact { tiny_uop *x; int64_t low, high; } tn_fact;
typedef struct tn_facts { tn_fact fact[2 * TN_MAX_CLAUSES]; int n; } tn_facts;

static void tn_fact_add(tn_facts *f, tiny_uop *x, int64_t low, int64_t high) {
  int i = 0;
  while (i < f->n && f->fact[i].x != x) i++;
  if (i == f->n) {
    if (f->n == (int)(sizeof f->fact / sizeof *f->fact)) return;
    f->fact[f->n].x = x; f->fact[f->n].low = x->vmin; f->fact[f->n++].high = x->vmax;
  }
  if (low > f->fact[i].low) f->fact[i].low = low;
  if (high < f->fact[i].high) f->fact[i].high = high;
}

// From low <= sum <= high: bounds of every single term, the others being at their ends.
static void tn_facts_of_terms(tn_facts *f, const tn_affine *a, int64_t low, int64_t high) {
  for (int i = 0; i < a->n; i++) {
    tn_affine others = *a;
    tn_affine_drop(&others, i);
    int64_t least, most;
    tn_affine_bounds(&others, &least, &most);
    const int64_t c = a->term[i].c;
    if (c < -(1 << 30) || c > 1 << 30 || least < -((int64_t)1 << 60) || most > (int64_t)1 << 60) continue;
    const int64_t from = low == INT64_MIN ? low : low - most, to = high == INT64_MAX ? high : high - least;   // of c x
    const int64_t size = c > 0 ? c : -c;
    const int64_t p = from == INT64_MIN ? from : -tn_floor_div(-from, size),
                  q = to == INT64_MAX ? to : tn_floor_div(to, size);
    if (c > 0) tn_fact_add(f, a->term[i].x, p, q);
    else tn_fact_add(f, a->term[i].x, q == INT64_MAX ? INT64_MIN : -q, p == INT64_MIN ? INT64_MAX : -p);
  }
}

// Bounds of what is compared (whole sums first), then of the terms of sums.
static void tn_facts_of(tn_facts *f, tiny_uop **clauses, int n) {
  tn_clause c;
  f->n = 0;
  for (int i = 0; i < n; i++)
    if (tn_clause_of(clauses[i], &c) && c.k > -((int64_t)1 << 60) && c.k < (int64_t)1 << 60)
      tn_fact_add(f, c.x, c.upper ? INT64_MIN : c.k, c.upper ? c.k - 1 : INT64_MAX);
  for (int i = 0, sums = f->n; i < sums; i++) {
    tn_affine a;
    tn_affine_start(&a, TINY_INDEX);
    const tn_fact known = f->fact[i];
    if (known.x->op == TINY_OP_ADD && tn_affine_add(&a, known.x, 1, 1))
      tn_facts_of_terms(f, &a, known.low, known.high);
    if (known.x->op == TINY_OP_MUL && tn_affine_add(&a, known.x, 1, 1))
      tn_facts_of_terms(f, &a, known.low, known.high);
  }
}

static int tn_node_count(tiny_ctx *t, tiny_uop *u) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, u, &all);
  return all.n;
}

// A variable of x's dtype that lies within the bounds: it stands for x while they hold.
static tiny_uop *tn_stand_in(tiny_ctx *t, const tn_fact *known, int number) {
  const int64_t v[2] = {known->low, known->high};
  return tn_uop_make(t, TINY_OP_ARG, known->x->dtype, known->x->lanes, 0, NULL, -1 - number, 2, v);
}
// There and back: from -> to, simplify, back -> from, simplify.
static tiny_uop *tn_simplify_as(tiny_ctx *t, tiny_uop *u, tn_map *there, tn_map *back) {
  tiny_uop *w = tn_rewrite(t, tn_substitute(t, u, there), tn_rules_symbolic, NULL);
  return tn_rewrite(t, tn_substitute(t, w, back), tn_rules_symbolic, NULL);
}

// u, simplified as far as the condition allows. Where the condition does not hold the result is any value.
static tiny_uop *tn_simplify_given(tiny_ctx *t, tiny_uop *u, tiny_uop *valid) {
  tiny_uop *clauses[TN_MAX_CLAUSES];
  const int n = tn_clauses(valid, TINY_OP_AND, clauses);
  tn_facts f;
  u = tn_rewrite(t, u, tn_rules_symbolic, NULL);
  if (n <= 0 || tn_is_const(u)) return u;
  tn_facts_of(&f, clauses, n);
  tn_map there = {NULL, NULL, 0, 0}, back = {NULL, NULL, 0, 0};
  for (int i = 0; i < f.n; i++) {          // all that has a name of its own, at once
    const tn_fact *known = &f.fact[i];
    if (known->low > known->high) return u;                // the condition never holds
    const int nothing_new = known->low <= known->x->vmin && known->high >= known->x->vmax;
    if (nothing_new || tn_is_const(known->x) || known->x->op == TINY_OP_ADD) continue;
    tiny_uop *name = known->low == known->high ? K(known->x, known->low) : tn_stand_in(t, known, i);
    tn_map_set(t, &there, known->x, name);
    if (!tn_is_const(name)) tn_map_set(t, &back, name, known->x);
  }
  if (there.n) u = tn_simplify_as(t, u, &there, &back);
  for (int i = 0; i < f.n; i++) {          // sums, by what they say about one of their terms: x = sum - others
    const tn_fact *known = &f.fact[i];
    tn_affine a;
    tn_affine_start(&a, TINY_INDEX);
    if (known->x->op != TINY_OP_ADD || known->x->dtype != TINY_INDEX || !tn_affine_add(&a, known->x, 1, 1))
      continue;
    int term = 0;
    while (term < a.n && a.term[term].c != 1 && a.term[term].c != -1) term++;
    if (term == a.n) continue;
    tiny_uop *x = a.term[term].x,
             *name = known->low == known->high ? K(known->x, known->low) : tn_stand_in(t, known, i);
    const int64_t sign = a.term[term].c;
    tn_affine_drop(&a, term);
    for (int j = 0; j < a.n; j++) a.term[j].c *= -sign;
    a.k *= -sign;
    tn_affine_add(&a, name, sign, 1);
    tn_map into = {NULL, NULL, 0, 0}, from = {NULL, NULL, 0, 0};
    tn_map_set(t, &into, x, tn_affine_node(t, &a, TINY_INDEX));
    if (!tn_is_const(name)) tn_map_set(t, &from, name, known->x);
    tiny_uop *w = tn_simplify_as(t, u, &into, &from);
    if (tn_node_count(t, w) < tn_node_count(t, u)) u = w;
  }
  return u;
}

// The condition without clauses that the others imply; false if two of them exclude each other.
static tiny_uop *tn_simplify_valid(tiny_ctx *t, tiny_uop *valid) {
  tiny_uop *clauses[TN_MAX_CLAUSES], *others[TN_MAX_CLAUSES];
  valid = tn_rewrite(t, valid, tn_rules_symbolic, NULL);
  int n = tn_clauses(valid, TINY_OP_AND, clauses);
  for (int i = 0; i < n && n > 1; i++) {
    int m = 0;
    for (int j = 0; j < n; j++) if (j != i) others[m++] = clauses[j];
    tiny_uop *u = tn_simplify_given(t, clauses[i], tn_clauses_node(t, TINY_OP_AND, others, m));
    if (!tn_is_const(u)) continue;
    if (!u->k) return u;
    memmove(&clauses[i], &clauses[i + 1], (size_t)(n - i - 1) * sizeof *clauses);
    n--; i--;
  }
  return n < 0 ? valid : tn_clauses_node(t, TINY_OP_AND, clauses, n);
}

static tiny_uop *tn_index_gated(tiny_ctx *t, const tiny_uop *index, tiny_uop *element, tiny_uop *valid) {
  tiny_uop *s[3] = {index->src[0], element, valid};
  const int gated = valid && !tn_is_k(valid, 1);
  return tn_uop_make(t, TINY_OP_INDEX, index->dtype, index->lanes, gated ? 3 : 2, s, index->k, index->nv,
                     index->v);
}

static int tn_reads_memory(tiny_ctx *t, tiny_uop *u) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, u, &all);
  for (int i = 0; i < all.n; i++) if (all.u[i]->op == TINY_OP_LOAD) return 1;
  return 0;
}

// A load that a WHERE around it throws away does not happen: the condition goes into its gate, where 0 comes from.
// Conditions on data stay where they are: they would cost a branch and guard nothing. NULL then.
static tiny_uop *tn_load_gated(tiny_ctx *t, const tiny_uop *load, tiny_uop *p) {
  const tiny_uop *index = load->src[0];
  if (tn_reads_memory(t, p)) return NULL;
  tiny_uop *gated = tn_index_gated(t, index, index->src[1], index->nsrc > 2 ? and_(index->src[2], p) : p);
  return tn_uop_make(t, TINY_OP_LOAD, load->dtype, load->lanes, 1, &gated, load->k, load->nv, load->v);
}

static tiny_uop *tn_simplified_not(tiny_ctx *t, tiny_uop *p) {
  return tn_rewrite(t, not_(p), tn_rules_symbolic, NULL);
}

// Gates of memory. One pass, after the symbolic rules have come to rest.
RULES(tn_rules_gate, x, y, p, m)
  RULE("(INDEX x y p)") {
    tiny_uop *valid = tn_simplify_valid(t, p);
    return tn_index_gated(t, r, tn_simplify_given(t, y, valid), valid);
  }
  RULE("(WHERE p m=(LOAD (INDEX x y ...)) 0)")             return tn_load_gated(t, m, p);
  RULE("(WHERE p 0 m=(LOAD (INDEX x y ...)))")             return tn_load_gated(t, m, tn_simplified_not(t, p));
  RULE("(WHERE p (CAST m=(LOAD (INDEX x y ...))) 0)") {
    tiny_uop *load = tn_load_gated(t, m, p);
    return load ? cast(load, r->dtype) : NULL;
  }
  RULE("(WHERE p 0 (CAST m=(LOAD (INDEX x y ...))))") {
    tiny_uop *load = tn_load_gated(t, m, tn_simplified_not(t, p));
    return load ? cast(load, r->dtype) : NULL;
  }
RULES_END
#endif
// ---- end src/rules/valid.c ----
// ---- begin src/rules/reduce.c ----
// reduce: loops that algebra makes unnecessary: sums of what does not change, counts of where a mask
// holds, and sums of which at most one summand is not zero. aranges, one-hots, gathers and
// embeddings are made of these, and so do not loop.
//
// In:  REDUCE (value ranges..) of a kernel. Out: the same without some of its ranges.
// For integers all of it is exact. For floats it takes two licences: a sum of n equal summands is
// one product (closer to the true sum than adding them up), and a factor that a mask makes 0 takes
// no part, also where the other is inf or nan.
#ifndef TN_RULES_REDUCE
#define TN_RULES_REDUCE
#ifndef TINY_AMALGAMATED
#include "valid.c"
#endif

// u depends on x.
static int tn_depends(tiny_ctx *t, tiny_uop *u, const tiny_uop *x) {
  const uint32_t seen = ++t->ir->epoch;
  tn_list todo = {NULL, 0, 0};
  tn_push(t, &todo, u);
  u->mark = seen;
  while (todo.n) {
    u = todo.u[--todo.n];
    if (u == x) return 1;
    for (uint32_t i = 0; i < u->nsrc; i++)
      if (u->src[i]->mark != seen) {
        u->src[i]->mark = seen;
        tn_push(t, &todo, u->src[i]);
      }
  }
  return 0;
}

static int tn_is_const_zero(const tiny_uop *u) {
  return tn_is_const(u) && (u->k == 0 || (tn_is_float(u->dtype) && tn_to_f64(u->k) == 0));
}

// A value that is 0 where a condition does not hold, taken apart: *p the condition (1: none), the result what is left.
static tiny_uop *tn_unmask(tiny_ctx *t, tiny_uop *x, tiny_uop **p) {
  if (x->op == TINY_OP_WHERE && tn_is_const_zero(x->src[2])) { *p = and_(*p, x->src[0]); return x->src[1]; }
  if (x->op == TINY_OP_WHERE && tn_is_const_zero(x->src[1])) {
    *p = and_(*p, not_(x->src[0]));
    return x->src[2];
  }
  if (x->op == TINY_OP_CAST && x->src[0]->dtype == TINY_BOOL) { *p = and_(*p, x->src[0]); return N(x, 1); }
  if (x->dtype == TINY_BOOL &&
      (x->op == TINY_OP_AND || x->op == TINY_OP_LT || x->op == TINY_OP_NE || x->op == TINY_OP_XOR)) {
    *p = and_(*p, x);
    return B(1);
  }
  if (x->op == TINY_OP_CAST) {
    tiny_uop *inner = tn_unmask(t, x->src[0], p);
    return inner == x->src[0] ? x : cast(inner, x->dtype);
  }
  if (x->op == TINY_OP_MUL) for (int i = 0; i < 2; i++) {
    tiny_uop *inner = tn_unmask(t, x->src[i], p);
    if (inner != x->src[i]) return mul(inner, x->src[!i]);
  }
  return x;
}

// The sum c * range + others < 0, or >= 0 where !below, solved for the range: *bound is exclusive for upper ones.
typedef struct tn_range_clause { tiny_uop *bound; int upper; } tn_range_clause;
static int tn_solve_clause(tiny_ctx *t, tiny_uop *u, const tiny_uop *range, tn_range_clause *out) {
  const int below = !(u->op == TINY_OP_XOR && tn_is_k(u->src[1], 1));
  if (!below) u = u->src[0];
  tn_affine a;
  if (u->op != TINY_OP_LT || !tn_difference(&a, u->src[0], u->src[1])) return 0;
  int at = 0;
  while (at < a.n && a.term[at].x != range) at++;
  if (at == a.n) return 0;
  const int64_t c = a.term[at].c;
  tn_affine_drop(&a, at);
  for (int i = 0; i < a.n; i++)
    if (a.term[i].x->dtype != TINY_INDEX || tn_depends(t, a.term[i].x, range)) return 0;
  if (c > 0) {                             // c r + a < 0  is  r < ceil(-a / c)
    for (int i = 0; i < a.n; i++) a.term[i].c = -a.term[i].c;
    a.k = -a.k + c - 1;
    out->bound = idiv(tn_affine_node(t, &a, TINY_INDEX), X(c));
  } else out->bound = add(idiv(tn_affine_node(t, &a, TINY_INDEX), X(-c)), X(1));   // c r + a < 0  is  r >= a // -c + 1
  out->upper = below == (c > 0);
  return 1;
}

// range == *value, from one clause.
static int tn_solve_equal(tiny_ctx *t, tiny_uop *u, tiny_uop *range, tiny_uop **value) {
  tn_affine a;
  if (u->op != TINY_OP_XOR || !tn_is_k(u->src[1], 1) || u->src[0]->op != TINY_OP_NE) return 0;
  if (!tn_difference(&a, u->src[0]->src[0], u->src[0]->src[1])) return 0;
  int at = 0;
  while (at < a.n && a.term[at].x != range) at++;
  if (at == a.n || (a.term[at].c != 1 && a.term[at].c != -1)) return 0;
  const int64_t c = a.term[at].c;
  tn_affine_drop(&a, at);
  for (int i = 0; i < a.n; i++) {
    if (a.term[i].x->dtype != TINY_INDEX || tn_depends(t, a.term[i].x, range)) return 0;
    a.term[i].c *= -c;
  }
  a.k *= -c;
  *value = tn_affine_node(t, &a, TINY_INDEX);
  return 1;
}

// u with value in the place of range; memory that is found through it is gated by p.
static tiny_uop *tn_substitute_gated(tiny_ctx *t, tiny_uop *u, tiny_uop *range, tiny_uop *value,
                                     tiny_uop *p) {
  tn_list all = {NULL, 0, 0};
  tn_map map = {NULL, NULL, 0, 0};
  tn_toposort(t, u, &all);
  tn_map_set(t, &map, range, value);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *x = all.u[i];
    if (x == range) continue;
    tiny_uop *w = tn_rewrite_sources(t, &map, x, 0);
    if (w != x && w->op == TINY_OP_INDEX)
      w = tn_index_gated(t, w, w->src[1], w->nsrc > 2 ? and_(w->src[2], p) : p);
    tn_map_set(t, &map, x, w);
  }
  return (tiny_uop *)tn_map_get(&map, u);
}

static tiny_uop *tn_min_index(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  return mul(max_(mul(a, X(-1)), mul(b, X(-1))), X(-1));
}

static tiny_uop *tn_power_times(tiny_ctx *t, tiny_uop *x, int64_t n) {
  tiny_uop *all = NULL;
  for (; n; n >>= 1) {
    if (n & 1) all = all ? mul(all, x) : x;
    if (n > 1) x = mul(x, x);
  }
  return all ? all : N(x, 1);
}

// The reduction by op of a value that does not depend on the range.
static tiny_uop *tn_reduce_same(tiny_ctx *t, tiny_uop *x, int op, int64_t n) {
  if (op == TINY_OP_MAX || x->dtype == TINY_BOOL) return x;
  return op == TINY_OP_ADD ? mul(x, tn_is_float(x->dtype) ? N(x, (double)n) : K(x, n)) :
                             tn_power_times(t, x, n);
}

// The sum of x where p holds (any, for bools) without the loop over range; NULL if it takes the loop.
static tiny_uop *tn_reduce_masked(tiny_ctx *t, tiny_uop *x, tiny_uop *p, tiny_uop *range) {
  tiny_uop *clauses[TN_MAX_CLAUSES], *value = NULL;
  tiny_uop *low = X(0), *high = range->src[0], *other = B(1), *inside = B(1);
  p = tn_rewrite(t, p, tn_rules_symbolic, NULL);
  const int n = tn_clauses(p, TINY_OP_AND, clauses);
  int equal = 0, counted = !tn_depends(t, x, range);
  while (equal < n && !tn_solve_equal(t, clauses[equal], range, &value)) equal++;
  if (n >= 0 && equal < n) {
    for (int i = 0; i < n; i++) if (i != equal) other = and_(other, clauses[i]);
    inside = and_(not_(lt(value, X(0))), lt(value, range->src[0]));
    other = and_(tn_substitute_gated(t, other, range, value, inside), inside);
    return where(other, tn_substitute_gated(t, x, range, value, other), K(x, 0));
  }
  for (int i = 0; i < n; i++) {
    tn_range_clause c;
    if (!tn_depends(t, clauses[i], range)) { other = and_(other, clauses[i]); continue; }
    if (!tn_solve_clause(t, clauses[i], range, &c)) counted = 0;
    else if (c.upper) high = tn_min_index(t, high, c.bound);
    else low = max_(low, c.bound);
  }
  if (n < 0 || !counted) return NULL;
  tiny_uop *count = max_(add(high, mul(low, X(-1))), X(0));
  if (x->dtype == TINY_BOOL) return and_(other, and_(x, lt(X(0), count)));
  return where(other, mul(x, cast(count, x->dtype)), K(x, 0));
}

// The reduction of x over one range, or NULL if it takes a loop.
static tiny_uop *tn_reduce_over(tiny_ctx *t, tiny_uop *x, int op, tiny_uop *range) {
  if (tn_range_extent(range) <= 0) return NULL;            // the value of no summands is the loop's
  if (!tn_depends(t, x, range)) return tn_reduce_same(t, x, op, tn_range_extent(range));
  if (op != TINY_OP_ADD && !(op == TINY_OP_MAX && x->dtype == TINY_BOOL)) return NULL;
  tiny_uop *p = B(1), *inner = tn_unmask(t, x, &p);
  while (inner != x) { x = inner; inner = tn_unmask(t, x, &p); }
  return tn_is_const(p) ? NULL : tn_reduce_masked(t, x, p, range);
}

static tiny_uop *tn_reduce_node(tiny_ctx *t, const tiny_uop *r, tiny_uop *x, int skip) {
  tiny_uop **s = (tiny_uop **)tn_scratch(t, r->nsrc * sizeof *s);
  int n = 0;
  s[n++] = x;
  for (int i = 1; i < (int)r->nsrc; i++) if (i != skip) s[n++] = r->src[i];
  return n == 1 ? x : tn_uop_make(t, TINY_OP_REDUCE, r->dtype, r->lanes, n, s, r->k, 0, NULL);
}

RULES(tn_rules_reduce, x, y, z)
  USE(tn_rules_symbolic)
  RULE("(NE|LT z=(CAST x:x) y:i)") {
    if (!tn_bounded(y) || !tn_holds(z->dtype, x)) return NULL;
    return op2(r->op, x, cast(y, TINY_INDEX));
  }
  RULE("(LT y:i z=(CAST x:x))") {
    if (!tn_bounded(y) || !tn_holds(z->dtype, x)) return NULL;
    return lt(cast(y, TINY_INDEX), x);
  }
  RULE("(REDUCE x y ...)") {
    for (uint32_t i = 1; i < r->nsrc; i++) {
      if (r->src[i]->op == TINY_OP_CONST) return tn_reduce_node(t, r, x, (int)i);
      if (r->src[i]->op != TINY_OP_RANGE) continue;
      tiny_uop *u = tn_reduce_over(t, x, (int)r->k, r->src[i]);
      if (u) return tn_reduce_node(t, r, u, (int)i);
    }
    return NULL;
  }
  RULE("(REDUCE:i:k=ADD (ADD x y) z ...)") {               // what some range does not change is summed on its own
    for (uint32_t i = 1; i < r->nsrc; i++) {
      if (tn_depends(t, x, r->src[i]) && tn_depends(t, y, r->src[i])) continue;
      return add(tn_reduce_node(t, r, x, 0), tn_reduce_node(t, r, y, 0));
    }
    return NULL;
  }
RULES_END
#endif
// ---- end src/rules/reduce.c ----
// ---- begin src/rules/transcendental.c ----
// transcendental: EXP2, LOG2, SIN and POW of f32 and f64 from arithmetic, WHERE, casts and integers.
//
// In:  the operands, any number of lanes. Out: an expression without branches, tables in memory or calls.
// Holds: errors stay within 1 ulp (POW of f64: see there) over all inputs: subnormals, infinities, NaN, huge
// arguments of SIN. f16 and bf16 are computed in f32 by the caller. Largest errors in ulp, found by
// tests/test_transcendental.c against libm; `test_transcendental all` tries all 2^32 values of f32:
//   f32, all values: exp2 0.879, log2 0.841, sin 0.501; random samples: pow 0.501
//   f64, random samples: exp2 0.86, log2 0.73, sin 1.00 (half of it may be the reference's)
// A compiler may fuse any MUL with the ADD or SUB that uses it (-ffp-contract=fast). Where a step depends on
// the rounding error of another (x - n*A, y - (x + y)), products are exact, since one factor has few bits:
// fused and not fused are the same. Coefficients come from tools/minimax.py.
#ifndef TN_RULES_TRANSCENDENTAL
#define TN_RULES_TRANSCENDENTAL
#ifndef TINY_AMALGAMATED
#include "symbolic.c"
#endif

// an unevaluated sum, |lo| <= ulp(hi) / 2 or little more
typedef struct tn_pair { tiny_uop *hi, *lo; } tn_pair;

// What the formulas need to know of a float format.
typedef struct tn_float_facts {
  int integer, mantissa;                   // signed integer dtype of the same width; bits of the fraction
  double low, normal, high;                // exp2 is 0 below low, normal from normal, inf from high
  int lift;                                // added to the exponent of results below normal
  double scale; int scale_bits;            // brings subnormal arguments of log2 into the normals
  int64_t half_root;                       // bits of sqrt(1/2)
  double log2e_hi, log2e_lo;               // 1 / ln 2, the first part short
  // leaves so few bits of a number that its product with log2e_hi is exact
  int64_t mask;
  int nexp2, nlog; const double *exp2, *log;
} tn_float_facts;

// 2^x = 1 + x P(x), |x| <= 1/2, and log(1 + f) = 2s + s z P(z), s = f / (2 + f), z = s^2, sqrt(1/2) <= 1 + f
// <= sqrt(2)
static const double tn_exp2_f32[] = {0.693147182, 0.240226448, 0.0555035882, 0.00961883646, 0.0013391308,
    0.00015240116};
static const double tn_exp2_f64[] = {0.69314718055994529, 0.24022650695910133, 0.055504108664822256,
    0.0096181291075934823,
  0.0013333558146382679, 0.00015403530457798738, 1.5252733803515011e-05, 1.3215434978831274e-06,
      1.0178087584512348e-07,
  7.0738306493779122e-09, 4.4498387338802831e-10};
static const double tn_log_f32[] = {0.666666627, 0.400009722, 0.284987926, 0.242788538};
static const double tn_log_f64[] = {0.66666666666667351, 0.39999999999409369, 0.28571428743681204,
    0.22222198429627849,
  0.18183572316858235, 0.15313833229766766, 0.14798247338156145};

static const tn_float_facts *tn_float_facts_of(int dtype) {
  static const tn_float_facts f32 = {TINY_I32, 23, -151, -125, 128, 64, 33554432.0, 25, 0x3F3504F3,
      1.4423828125, 0.00031222838896340733,
                                     -4096, 6, 4, tn_exp2_f32, tn_log_f32};
  static const tn_float_facts f64 = {TINY_I64, 52, -1076, -1021, 1024, 128, 18014398509481984.0, 54,
      0x3FE6A09E667F3BCD,
                                     1.4426950216293335, 1.9259629911266175e-08, -536870912, 11, 7,
                                         tn_exp2_f64, tn_log_f64};
  return dtype == TINY_F64 ? &f64 : &f32;
}

static tiny_uop *tn_bitcast(tiny_ctx *t, tiny_uop *x, int dtype) { return tn_uop_make(t, TINY_OP_BITCAST,
    dtype, x->lanes, 1, &x, 0, 0, NULL); }

// x with those bits of its representation that are set in mask.
static tiny_uop *tn_float_mask(tiny_ctx *t, tiny_uop *x, int64_t mask) {
  tiny_uop *bits = tn_bitcast(t, x, tn_float_facts_of(x->dtype)->integer);
  return tn_bitcast(t, and_(bits, K(bits, mask)), x->dtype);
}
static tiny_uop *tn_float_abs(tiny_ctx *t, tiny_uop *x) { return tn_float_mask(t, x, x->dtype == TINY_F64
    ? INT64_MAX : INT32_MAX); }

// c[0] + c[1] x + .. by Horner's rule
static tiny_uop *tn_horner(tiny_ctx *t, tiny_uop *x, const double *c, int n) {
  tiny_uop *y = N(x, c[n - 1]);
  for (int i = n - 2; i >= 0; i--) y = add(mul(y, x), N(x, c[i]));
  return y;
}

// Nearest integer by adding 1.5 * 2^mantissa: the sum's last bits are the integer, in two's complement.
static tiny_uop *tn_round_bits(tiny_ctx *t, tiny_uop *x, tiny_uop **nearest) {
  const tn_float_facts *f = tn_float_facts_of(x->dtype);
  tiny_uop *magic = N(x, ldexp(1.5, f->mantissa)), *sum = add(x, magic);
  *nearest = sub(sum, magic);
  return tn_bitcast(t, sum, f->integer);
}

// x = n + r: 2^r is in [0.7, 1.42], and n is added to its exponent field. Results below the normals are made
// 2^lift times as large, and rounded by the multiplication that undoes it.
static tiny_uop *tn_exp2_of(tiny_ctx *t, tiny_uop *given) {
  const tn_float_facts *f = tn_float_facts_of(given->dtype);
  tiny_uop *n, *x = where(lt(given, N(given, f->low)), N(given, f->low), given);
  x = where(lt(N(x, f->high), x), N(x, f->high), x);
  tiny_uop *bits = tn_round_bits(t, x, &n), *r = sub(x, n), *tiny = lt(x, N(x, f->normal));
  tiny_uop *p = add(mul(r, tn_horner(t, r, f->exp2, f->nexp2)), N(x, 1));
  tiny_uop *e = add(shl(bits, K(bits, f->mantissa)), where(tiny, K(bits, (int64_t)f->lift << f->mantissa),
      K(bits, 0)));
  tiny_uop *y = mul(tn_bitcast(t, add(tn_bitcast(t, p, f->integer), e), x->dtype),
      where(tiny, N(x, ldexp(1, -f->lift)), N(x, 1)));
  return where(ne(given, given), given, y);
}

// log2 of a positive finite number as a sum. x = 2^e (1 + f); log(1 + f) = f - f^2/2 + s (f^2/2 + R), R = z
// P(z): the method of Ng's log in fdlibm. The part that carries the rounding, f - f^2/2, is cut to a few
// bits, so that its product with the short part of 1 / ln 2 is exact; all that was cut is in the second sum.
static tn_pair tn_log2_pair(tiny_ctx *t, tiny_uop *x) {
  const tn_float_facts *c = tn_float_facts_of(x->dtype);
  tiny_uop *is_small = lt(x, N(x, ldexp(1, x->dtype == TINY_F64 ? -1022 : -126)));
  tiny_uop *bits = tn_bitcast(t, where(is_small, mul(x, N(x, c->scale)), x), c->integer);
  tiny_uop *e = shr(sub(bits, K(bits, c->half_root)), K(bits, c->mantissa));
  tiny_uop *f = sub(tn_bitcast(t, sub(bits, shl(e, K(bits, c->mantissa))), x->dtype), N(x, 1));
  tiny_uop *n = cast(sub(e, where(is_small, K(e, c->scale_bits), K(e, 0))), x->dtype);
  tiny_uop *s = fdiv(f, add(f, N(f, 2))), *z = mul(s, s), *half = mul(mul(f, N(f, 0.5)), f);
  tiny_uop *r = mul(s, add(half, mul(z, tn_horner(t, z, c->log, c->nlog))));
  tiny_uop *hi = tn_float_mask(t, sub(f, half), c->mask), *lo = add(sub(sub(f, hi), half), r);
  tiny_uop *y = mul(hi, N(f, c->log2e_hi)), *sum = add(n, y);              // n is 0 or larger than y
  tiny_uop *rest = add(mul(add(lo, hi), N(f, c->log2e_lo)), mul(lo, N(f, c->log2e_hi)));
  const tn_pair p = {sum, add(rest, add(sub(n, sum), y))};
  return p;
}

static tiny_uop *tn_log2_value(tiny_ctx *t, tiny_uop *x) {
  const tn_pair p = tn_log2_pair(t, x);
  tiny_uop *zero = where(ne(x, N(x, 0)), N(x, (double)NAN), N(x, -HUGE_VAL));
  return where(lt(N(x, 0), x), where(lt(x, N(x, HUGE_VAL)), add(p.hi, p.lo), x), zero);
}

// ** sin: x = n * half + r (f32) or n * quarter + r (f64) of a turn's pi **
//
// Up to 2^24 (f32) or 2^18 (f64) n * pi is subtracted in short pieces (Cody and Waite, "Software Manual for
// the Elementary Functions", 1980). Beyond, x = m 2^e with an integer m, and only the bits of 1 / (2 pi)
// matter that give a fraction of a turn: a window of its binary digits that begins at bit e (Payne and Hanek,
// "Radian reduction for trigonometric functions", 1983). The window is moved by its binary digits, whole
// words first, and multiplied modulo 1.

static const uint32_t tn_turns_f32[7] = {0x28BE60DB, 0x9391054A, 0x7F09D5F4, 0x7D4D3770, 0x36D8A566,
    0x4F10E410, 0x7F9458EA};
// 2^-52 / (2 pi): of f64 the exponents from -52 on are needed
static const uint64_t tn_turns_f64[19] = {
  0x000000000000028B, 0xE60DB9391054A7F0, 0x9D5F47D4D377036D, 0x8A5664F10E4107F9,
  0x458EAF7AEF1586DC, 0x91B8E909374B8019, 0x24BBA827464873F8, 0x77AC72C4A69CFBA2,
  0x08D7D4BAED1213A6, 0x71C09AD17DF904E6, 0x4758E60D4CE7D272, 0x117E2EF7E4A0EC7F,
  0xE25FFF7816603FBC, 0xBC462D6829B47DB4, 0xD9FB3C9F2C26DD3D, 0x18FD9A797FA8B5D4,
  0x9EEB1FAF97C5ECF4, 0x1CE7DE294A4BA9AF, 0xED7EC47E35742158};

// window[0..n-1]: bits at.. of a string of n + words words, most significant first; words is a power of two.
static void tn_bit_window(tiny_ctx *t, tiny_uop **word, int n, int words, tiny_uop *at) {
  const int bits = tn_bits(word[0]->dtype);
  for (int step = words / 2, left = n + 1 + words - 1; step; step /= 2) {
    left -= step;
    tiny_uop *on = ne(and_(at, K(at, (int64_t)step * bits)), K(at, 0));
    for (int i = 0; i < left; i++) word[i] = where(on, word[i + step], word[i]);
  }
  tiny_uop *left = and_(at, K(at, bits - 1)), *right = sub(K(at, bits - 1), left);
  for (int i = 0; i < n; i++) word[i] = or_(shl(word[i], left), shr(shr(word[i + 1], K(at, 1)), right));
}

// sin r = r (1 + z P(z)), |r| <= pi / 2, computed in f64 and rounded once
static const double tn_sin_half[] = {-0.16666666625944387, 0.0083333310995919764, -0.00019840866993124309,
    2.7525320227754343e-06,
                                     -2.3887750170295191e-08};
static tiny_uop *tn_sin_f32(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *bits = tn_bitcast(t, x, TINY_U32), *size = and_(bits, K(bits, 0x7FFFFFFF)),
      *is_small = lt(size, K(bits, 0x4B800000)), *n;
  tiny_uop *y = cast(x, TINY_F64);
  tiny_uop *near_sign = shl(cast(tn_round_bits(t, mul(y, N(y, 0.31830988618379067)), &n), TINY_U64),
      tn_int(t, TINY_U64, 63));
  tiny_uop *short_way = sub(sub(sub(y, mul(n, N(y, 3.1415926516056061))),
      mul(n, N(y, 1.9841871479187034e-09))), mul(n, N(y, 1.1442377452219664e-17)));
  tiny_uop *m = or_(and_(bits, K(bits, 0x7FFFFF)), K(bits, 0x800000)), *w[7];
  for (int i = 0; i < 7; i++) w[i] = K(bits, tn_turns_f32[i]);
  tn_bit_window(t, w, 3, 4, sub(shr(size, K(bits, 23)), K(bits, 150)));
  tiny_uop *wide = cast(m, TINY_U64), *by32 = K(wide, 32);
  tiny_uop *turn = add(add(shl(cast(mul(m, w[0]), TINY_U64), by32), mul(wide, cast(w[1], TINY_U64))),
      shr(mul(wide, cast(w[2], TINY_U64)), by32));
  tiny_uop *long_way = mul(cast(tn_bitcast(t, shl(turn, K(turn, 1)), TINY_I64), TINY_F64),
      N(y, ldexp(3.1415926535897931, -64)));
  tiny_uop *far_sign = xor_(and_(add(turn, K(turn, (int64_t)1 << 62)), K(turn, INT64_MIN)),
      shl(cast(and_(bits, K(bits, 0x80000000)), TINY_U64), by32));
  tiny_uop *r = where(is_small, short_way, long_way), *z = mul(r, r), *one = N(y, 1);
  tiny_uop *s = mul(r, add(mul(z, tn_horner(t, z, tn_sin_half, 5)), one));
  s = tn_bitcast(t, xor_(tn_bitcast(t, s, TINY_U64), where(is_small, near_sign, far_sign)), TINY_F64);
  return where(lt(size, K(bits, 0x7F800000)), cast(s, TINY_F32), N(x, (double)NAN));
}

// The upper half of a product of two u64 (Warren, "Hacker's Delight", 2nd ed., figure 8-2).
static tiny_uop *tn_multiply_high(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  tiny_uop *by32 = K(a, 32), *low = K(a, 0xFFFFFFFF);
  tiny_uop *a0 = and_(a, low), *a1 = shr(a, by32), *b0 = and_(b, low), *b1 = shr(b, by32);
  tiny_uop *p = add(mul(a1, b0), shr(mul(a0, b0), by32)), *q = add(mul(a0, b1), and_(p, low));
  return add(mul(a1, b1), add(shr(p, by32), shr(q, by32)));
}

static tn_pair tn_fast_sum(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {        // |a| >= |b| (Dekker, 1971)
  tn_pair p;
  p.hi = add(a, b);
  p.lo = sub(b, sub(p.hi, a));
  return p;
}

static tn_pair tn_reduce_near(tiny_ctx *t, tiny_uop *x, tiny_uop **quarter) {
  tiny_uop *n;
  *quarter = cast(tn_round_bits(t, mul(x, N(x, 0.63661977236758138)), &n), TINY_U64);
  tiny_uop *b = mul(n, N(x, 6.077100506303966e-11)), *c = mul(n, N(x, 2.0222662487111665e-21));
  tiny_uop *r1 = sub(x, mul(n, N(x, 1.5707963267341256))), *r2 = sub(r1, b), *r3 = sub(r2, c);
  tiny_uop *lost = add(sub(sub(r1, r2), b), sub(sub(r2, r3), c));
  return tn_fast_sum(t, r3, sub(lost, mul(n, N(x, 8.4784276603688996e-32))));
}

// 128 bits of the fraction of a turn: u64 hi, lo. Its quarter, and what is left as a signed number of 2^-64
// quarters.
static tn_pair tn_reduce_far(tiny_ctx *t, tiny_uop *x, tiny_uop **quarter) {
  tiny_uop *bits = tn_bitcast(t, x, TINY_U64), *size = and_(bits, K(bits, INT64_MAX)), *w[19];
  tiny_uop *m = or_(and_(bits, K(bits, ((int64_t)1 << 52) - 1)), K(bits, (int64_t)1 << 52));
  for (int i = 0; i < 19; i++) w[i] = K(bits, (int64_t)tn_turns_f64[i]);
  tn_bit_window(t, w, 3, 16, and_(sub(shr(size, K(bits, 52)), K(bits, 1023)), K(bits, 1023)));
  tiny_uop *low = mul(m, w[1]), *lo = add(low, tn_multiply_high(t, m, w[2]));
  tiny_uop *hi = add(add(mul(m, w[0]), tn_multiply_high(t, m, w[1])), where(lt(lo, low), K(m, 1), K(m, 0)));
  *quarter = shr(add(hi, K(hi, (int64_t)1 << 61)), K(hi, 62));
  tiny_uop *f = tn_bitcast(t, or_(shl(hi, K(hi, 2)), shr(lo, K(hi, 62))), TINY_I64);
  tiny_uop *a = mul(cast(shr(f, K(f, 32)), TINY_F64), N(x, 4294967296.0)),
      *b = cast(and_(f, K(f, 0xFFFFFFFF)), TINY_F64);
  tn_pair r = tn_fast_sum(t, a, b);
  r.lo = add(r.lo, mul(cast(tn_bitcast(t, shr(shl(lo, K(lo, 2)), K(lo, 12)), TINY_I64), TINY_F64),
      N(x, ldexp(1, -52))));
  // times pi / 2 * 2^-64, whose first part has 26 bits
  tiny_uop *top = tn_float_mask(t, r.hi, -((int64_t)1 << 27)), *rest = add(sub(r.hi, top), r.lo);
  tiny_uop *y = mul(top, N(x, ldexp(1.5707963109016418, -64)));
  return tn_fast_sum(t, y, add(mul(top, N(x, ldexp(1.5893254773528196e-08, -64))),
      mul(rest, N(x, ldexp(1.5707963267948966, -64)))));
}

// sin r = r + r z P(z), cos r = 1 - z / 2 + z^2 Q(z), |r| <= pi / 4; r.lo enters as in fdlibm's __kernel_sin
// and __kernel_cos
static const double tn_sin_quarter[] = {-0.1666666666666663, 0.0083333333333218407, -0.00019841269829358512,
    2.7557313538503625e-06,
                                        -2.5050734386966067e-08, 1.5895433126557831e-10};
static const double tn_cos_quarter[] = {0.041666666666666595, -0.0013888888888873325, 2.4801587288983678e-05,
    -2.7557314210073095e-07,
                                        2.0875704270478359e-09, -1.1358683291426032e-11};
static tiny_uop *tn_sin_f64(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *near_quarter, *far_quarter, *bits = tn_bitcast(t, x, TINY_U64), *size = tn_float_abs(t, x),
      *is_small = lt(size, N(x, 262144.0));
  const tn_pair short_way = tn_reduce_near(t, x, &near_quarter), long_way = tn_reduce_far(t, x, &far_quarter);
  tiny_uop *r = where(is_small, short_way.hi, long_way.hi), *lo = where(is_small, short_way.lo, long_way.lo),
      *quarter = where(is_small, near_quarter, far_quarter);
  tiny_uop *z = mul(r, r), *v = mul(z, r), *half = mul(z, N(x, 0.5)), *w = sub(N(x, 1), half);
  tiny_uop *tail = sub(mul(z, sub(mul(lo, N(x, 0.5)), mul(v, tn_horner(t, z, tn_sin_quarter + 1, 5)))), lo);
  tiny_uop *sine = sub(r, sub(tail, mul(v, N(x, tn_sin_quarter[0]))));
  tiny_uop *cosine = add(w, add(sub(sub(N(x, 1), w), half),
      sub(mul(mul(z, z), tn_horner(t, z, tn_cos_quarter, 6)), mul(r, lo))));
  tiny_uop *y = tn_bitcast(t, where(ne(and_(quarter, K(quarter, 1)), K(quarter, 0)), cosine, sine), TINY_U64);
  tiny_uop *sign = xor_(shl(and_(quarter, K(quarter, 2)), K(quarter, 62)),
      where(is_small, K(bits, 0), and_(bits, K(bits, INT64_MIN))));
  y = tn_bitcast(t, xor_(y, sign), TINY_F64);
  y = where(lt(size, N(x, ldexp(1, -27))), x, y);          // sin -0.0 is -0.0
  return where(lt(size, N(x, HUGE_VAL)), y, N(x, (double)NAN));
}
static tiny_uop *tn_sin_of(tiny_ctx *t, tiny_uop *x) { return x->dtype == TINY_F64 ? tn_sin_f64(t, x)
    : tn_sin_f32(t, x); }

// ** pow **

// |x|^y. For f64 the product y log2|x| is a sum, too: its first part is a product of short numbers. The
// logarithm is good to 2^-57 of itself or so, which y log2|x| near 1024 makes 2^-47: up to 60 ulp there, 1
// ulp for results near 1.
static tiny_uop *tn_pow_abs(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  tiny_uop *plain = mul(y, tn_log2_value(t, x));
  const tn_pair raw = tn_log2_pair(t, x), log = tn_fast_sum(t, raw.hi, raw.lo);
  tiny_uop *yh = tn_float_mask(t, y, -((int64_t)1 << 27)), *lh = tn_float_mask(t, log.hi,
      -((int64_t)1 << 27));
  tiny_uop *first = mul(yh, lh), *second = add(add(mul(yh, sub(log.hi, lh)), mul(sub(y, yh), log.hi)),
      mul(y, log.lo));
  const tn_pair e = tn_fast_sum(t, first, second);
  tiny_uop *close = lt(tn_float_abs(t, plain), N(x, 2048));                // also: neither is infinite or NaN
  return mul(tn_exp2_of(t, where(close, e.hi, plain)), where(close,
      add(mul(e.lo, N(x, 0.69314718055994531)), N(x, 1)), N(x, 1)));
}

// C17 F.10.4.4. f32 is computed in f64.
static tiny_uop *tn_pow_of(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  tiny_uop *size = tn_float_abs(t, x), *one = N(x, 1), *zero = N(x, 0), *p;
  if (x->dtype == TINY_F64) p = tn_pow_abs(t, size, y);
  else p = cast(tn_exp2_of(t, mul(cast(y, TINY_F64), tn_log2_value(t, cast(size, TINY_F64)))), x->dtype);
  tiny_uop *half = mul(y, N(y, 0.5)), *odd = and_(ne(tn_u1(t, TINY_OP_TRUNC, half), half),
      not_(ne(tn_u1(t, TINY_OP_TRUNC, y), y)));
  tiny_uop *fraction = ne(tn_u1(t, TINY_OP_TRUNC, y), y);  // NaN as well
  p = where(and_(lt(x, zero), and_(lt(N(x, -HUGE_VAL), x), fraction)), N(x, (double)NAN), p);
  // also 1^nan, (-1)^inf
  p = where(not_(ne(size, one)), where(and_(fraction, lt(x, zero)), N(x, (double)NAN), one), p);
  const tn_float_facts *f = tn_float_facts_of(x->dtype);
  tiny_uop *sign = and_(tn_bitcast(t, x, f->integer), tn_int(t, f->integer, x->dtype == TINY_F64 ? INT64_MIN
      : INT32_MIN));
  tiny_uop *negative = tn_bitcast(t, or_(tn_bitcast(t, p, f->integer), sign), x->dtype);
  return where(not_(ne(y, zero)), one, where(odd, negative, p));
}
#endif
// ---- end src/rules/transcendental.c ----
// ---- begin src/rules/decompose.c ----
// decompose: from what the IR means to what a language can say. Late: the last algebra before linearising.
//
// In:  a lowered kernel and a tn_target. Out: the same values in ops that the language has (lang->ops[op] is
//      not NULL), in dtypes that it has, without traps and without what C leaves undefined:
//  - no INDEX dtype: every node of it became I32 where its bounds and those of its sources fit, else I64
//  - bools only from comparisons, logic, WHERE and CONST: in memory, casts and lane ops they are u8
//  - f16 and bf16 without arithmetic: computed in f32 and rounded after every op, as tn_alu does; not even
//    stored (lang->types[d] is NULL): u16 bits everywhere
//  - floats to integers saturate, shifts stay below the width, divisors are not 0, the least integer is not
//    divided by -1; each unless bounds or the language's flags say that there is nothing to guard
//  - sources of ALU ops have as many lanes as the op, but for the condition of WHERE, which may have one
// A language of NULL (the interpreter) takes everything as it is.
#ifndef TN_RULES_DECOMPOSE
#define TN_RULES_DECOMPOSE
#ifndef TINY_AMALGAMATED
#include "transcendental.c"
#endif

typedef struct tn_target { const tiny_language *lang; const tiny_limits *limits; } tn_target;

static int tn_lacks(const void *target, int op) { return !((const tn_target *)target)->lang->ops[op]; }
static int tn_lang_has(const void *target, uint32_t flag) {
  return (((const tn_target *)target)->lang->flags & flag) != 0;
}
static int tn_is_narrow(int d) { return d == TINY_F16 || d == TINY_BF16; }
static int tn_lacks_dtype(const void *target, int d) {                     // its arithmetic
  const tn_target *x = (const tn_target *)target;
  return tn_is_narrow(d) && (!x->lang->types[d] || (x->limits->dtypes && !(x->limits->dtypes >> d & 1)));
}
static int tn_storage_dtype(const void *target, int d) {                         // what a dtype is in memory
  return d == TINY_BOOL ? TINY_U8 : tn_is_narrow(d) && !((const tn_target *)target)->lang->types[d]
      ? (int)TINY_U16 : d;
}

// ** index arithmetic in a real integer type **

typedef struct tn_widths { tiny_ctx *t; tn_map now; } tn_widths;

static tiny_uop *tn_index_source(tn_widths *w, tiny_uop *x, int dtype) {
  tiny_uop *now = (tiny_uop *)tn_map_get(&w->now, x);
  if (x->dtype != TINY_INDEX || now->dtype == dtype || dtype == TINY_VOID) return now;
  return tn_is_const(now) ? tn_int(w->t, dtype, now->k) : tn_cast(w->t, now, dtype);
}

static int tn_fits_i32(const tiny_uop *u) { return u->vmin >= INT32_MIN && u->vmax <= INT32_MAX; }

// The dtype in which u's INDEX sources meet: I64 when u or one of them does not fit.
static int tn_index_width(tn_widths *w, const tiny_uop *u) {
  int wide = u->dtype == TINY_INDEX && (!tn_fits_i32(u) || u->op == TINY_OP_DEFINE ||
      u->op == TINY_OP_PARAM || u->op == TINY_OP_LOAD);
  for (uint32_t i = 0; i < u->nsrc; i++)
    if (u->src[i]->dtype == TINY_INDEX)
      wide |= ((const tiny_uop *)tn_map_get(&w->now, u->src[i]))->dtype == TINY_I64;
  return wide ? TINY_I64 : TINY_I32;
}

static tiny_uop *tn_index_node(tn_widths *w, tiny_uop *u) {
  const int meets = tn_op_is(u->op, TINY_ALU) || u->op == TINY_OP_STACK || u->op == TINY_OP_RANGE ||
      u->op == TINY_OP_SPECIAL;
  const int width = tn_index_width(w, u), dtype = u->dtype == TINY_INDEX ? width : u->dtype;
  tiny_uop **src = (tiny_uop **)tn_scratch(w->t, (u->nsrc + 1) * sizeof *src);
  const int common = meets || u->dtype == TINY_INDEX ? width : (int)TINY_VOID;
  for (uint32_t i = 0; i < u->nsrc; i++) src[i] = tn_index_source(w, u->src[i], common);
  if (u->op == TINY_OP_CAST) return tn_cast(w->t, src[0], dtype);
  if (u->op == TINY_OP_CONST) return tn_int(w->t, dtype, u->k);
  return tn_uop_make_with(w->t, u->op, dtype, u->lanes, (int)u->nsrc, src, u->k, u->nv, u->v, u->ptr);
}

static tiny_uop *tn_lower_index(tiny_ctx *t, tiny_uop *sink) {
  tn_widths w = {t, {NULL, NULL, 0, 0}};
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, sink, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i], *now = u;
    int same = u->dtype != TINY_INDEX;
    for (uint32_t j = 0; j < u->nsrc; j++) same &= tn_map_get(&w.now, u->src[j]) == (void *)u->src[j];
    if (!same) now = tn_index_node(&w, u);
    tn_map_set(t, &w.now, u, now);
  }
  return (tiny_uop *)tn_map_get(&w.now, sink);
}

// ** bits of f16 and bf16, as u32 **

// f32 -> f16, to nearest even. Below 2^-14 the sum with 1/2 rounds at 2^-24, the unit of f16's subnormals.
static tiny_uop *tn_pack_f16(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *bits = tn_bitcast(t, x, TINY_U32), *sign = and_(shr(bits, K(bits, 16)), K(bits, 0x8000)),
      *size = and_(bits, K(bits, 0x7FFFFFFF));
  tiny_uop *odd = and_(shr(size, K(bits, 13)), K(bits, 1));
  tiny_uop *normal = shr(add(size, add(odd, K(bits, 0xFFF - (112 << 23)))), K(bits, 13));
  tiny_uop *lifted = add(tn_bitcast(t, size, TINY_F32), N(x, 0.5)),
      *tiny = sub(tn_bitcast(t, lifted, TINY_U32), K(bits, 0x3F000000));
  tiny_uop *special = where(lt(K(bits, 0x7F800000), size), K(bits, 0x7E00), K(bits, 0x7C00));
  return or_(sign, where(lt(size, K(bits, 0x38800000)), tiny,
      where(lt(size, K(bits, 0x47800000)), normal, special)));
}
static tiny_uop *tn_unpack_f16(tiny_ctx *t, tiny_uop *h) {
  tiny_uop *size = shl(and_(h, K(h, 0x7FFF)), K(h, 13)), *sign = shl(and_(h, K(h, 0x8000)), K(h, 16));
  tiny_uop *number = tn_bitcast(t, size, TINY_F32);
  // exact, of subnormals too
  tiny_uop *finite = tn_bitcast(t, mul(number, N(number, ldexp(1, 112))), TINY_U32);
  return tn_bitcast(t, or_(sign, where(lt(size, K(h, 0x0F800000)), finite, or_(size, K(h, 0x7F800000)))),
      TINY_F32);
}
static tiny_uop *tn_pack_bf16(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *bits = tn_bitcast(t, x, TINY_U32), *half = K(bits, 16);
  tiny_uop *rounded = shr(add(bits, add(and_(shr(bits, half), K(bits, 1)), K(bits, 0x7FFF))), half);
  return where(lt(K(bits, 0x7F800000), and_(bits, K(bits, 0x7FFFFFFF))), K(bits, 0x7FC0), rounded);
}
static tiny_uop *tn_unpack_bf16(tiny_ctx *t, tiny_uop *h) { return tn_bitcast(t, shl(h, K(h, 16)), TINY_F32);
    }

// f64 -> f32 "to odd": an inexact result has its last bit set, so that rounding it again to f16 or bf16 is as
// good as
// rounding once (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008, theorem 1).
static tiny_uop *tn_round_odd(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *y = cast(x, TINY_F32), *back = cast(y, TINY_F64), *bits = tn_bitcast(t, y, TINY_U32);
  tiny_uop *away = lt(tn_float_abs(t, x), tn_float_abs(t, back));
  tiny_uop *odd = or_(sub(bits, where(away, K(bits, 1), K(bits, 0))), K(bits, 1));
  return where(ne(back, x), where(ne(x, x), y, tn_bitcast(t, odd, TINY_F32)), y);
}

// The u16 that holds x, a value of dtype f16 or bf16, and back.
static tiny_uop *tn_bits16(tiny_ctx *t, tiny_uop *x) { return tn_bitcast(t, x, TINY_U16); }

// A value as memory holds it, and the other way.
static tiny_uop *tn_to_storage(tiny_ctx *t, const void *target, tiny_uop *x) {
  const int d = tn_storage_dtype(target, x->dtype);
  if (x->dtype == TINY_BOOL) return where(x, tn_int(t, d, 1), tn_int(t, d, 0));
  return d == x->dtype ? x : tn_bits16(t, x);
}
static tiny_uop *tn_from_storage(tiny_ctx *t, tiny_uop *x, int dtype) {
  if (dtype == TINY_BOOL) return ne(x, K(x, 0));
  return x->dtype == dtype ? x : tn_bitcast(t, x, dtype);
}

// The same op on stored values, and its result as the value it stands for. k may differ (folds of bools).
static tiny_uop *tn_in_storage(tiny_ctx *t, const void *target, const tiny_uop *r, int64_t k) {
  const int d = tn_storage_dtype(target, r->dtype);
  if (d == r->dtype) return NULL;
  tiny_uop **src = (tiny_uop **)tn_scratch(t, (r->nsrc + 1) * sizeof *src);
  for (uint32_t i = 0; i < r->nsrc; i++) {
    const int condition = r->op == TINY_OP_WHERE && i == 0;
    src[i] = r->src[i]->dtype == r->dtype && !condition ? tn_to_storage(t, target, r->src[i]) : r->src[i];
  }
  return tn_from_storage(t, tn_uop_make(t, r->op, d, r->lanes, (int)r->nsrc, src, k, r->nv, r->v), r->dtype);
}

static tiny_uop *tn_with_dtype(tiny_ctx *t, const tiny_uop *r, int dtype) {
  return tn_uop_make_with(t, r->op, dtype, r->lanes, (int)r->nsrc, r->src, r->k, r->nv, r->v, r->ptr);
}

RULES(tn_rules_storage, x, y, z)
  RULE("(PARAM|DEFINE)") {
    const int d = tn_storage_dtype(ctx, r->dtype);
    return d == r->dtype ? NULL : tn_with_dtype(t, r, d);
  }
  RULE("(ARG)") {
    const int d = tn_storage_dtype(ctx, r->dtype);
    return d == r->dtype ? NULL : tn_from_storage(t, tn_with_dtype(t, r, d), r->dtype);
  }
  RULE("(INDEX|AFTER x ...)")              return r->dtype == x->dtype || r->dtype == TINY_VOID ? NULL
      : tn_with_dtype(t, r, x->dtype);
  RULE("(LOAD x ...)") {
    if (x->dtype == r->dtype || x->op != TINY_OP_INDEX) return NULL;
    tiny_uop *src[2] = {x, r->nsrc > 1 ? tn_to_storage(t, ctx, r->src[1]) : NULL};
    return tn_from_storage(t, tn_uop_make(t, TINY_OP_LOAD, x->dtype, r->lanes, (int)r->nsrc, src, r->k, 0,
        NULL), r->dtype);
  }
  RULE("(STORE x y)") {
    tiny_uop *src[2] = {x, x->dtype == y->dtype ? y : tn_to_storage(t, ctx, y)};
    return src[1] == y ? NULL : tn_uop_make(t, TINY_OP_STORE, TINY_VOID, r->lanes, 2, src, r->k, 0, NULL);
  }
  RULE("(BROADCAST x:b)")                  return tn_is_const(x) ? NULL : tn_in_storage(t, ctx, r, r->k);
  RULE("(BROADCAST x:f)")                  return tn_in_storage(t, ctx, r, r->k);
  RULE("(STACK|PICK x ...)")               return tn_in_storage(t, ctx, r, r->k);
  RULE("(HREDUCE x:b)")                    return tn_in_storage(t, ctx, r, r->k == TINY_OP_MUL ||
      r->k == TINY_OP_AND ? TINY_OP_AND : TINY_OP_OR);
  RULE("(WHERE x y:f z)")                  return tn_in_storage(t, ctx, r, r->k);
  // ** the values themselves **
  RULE("(BITCAST:u16 (BITCAST x:u16))")     return x;
  RULE("(BITCAST:u16 (CAST:f16 x:f32))")   return tn_storage_dtype(ctx, TINY_F16) == TINY_U16
      ? cast(tn_pack_f16(t, x), TINY_U16) : NULL;
  RULE("(BITCAST:u16 (CAST:bf16 x:f32))")  return tn_storage_dtype(ctx, TINY_BF16) == TINY_U16
      ? cast(tn_pack_bf16(t, x), TINY_U16) : NULL;
  RULE("(CAST:f32 x:f16)")                 return tn_storage_dtype(ctx, TINY_F16) == TINY_U16
      ? tn_unpack_f16(t, cast(tn_bits16(t, x), TINY_U32)) : NULL;
  RULE("(CAST:f32 x:bf16)")                return tn_storage_dtype(ctx, TINY_BF16) == TINY_U16
      ? tn_unpack_bf16(t, cast(tn_bits16(t, x), TINY_U32)) : NULL;
  RULE("(CAST x:f)")                       return tn_lacks_dtype(ctx, x->dtype) && r->dtype != TINY_F32
      ? cast(cast(x, TINY_F32), r->dtype) : NULL;
  RULE("(CAST:f x)") {
    if (x->dtype == TINY_F32 || x->dtype == TINY_BOOL || !tn_lacks_dtype(ctx, r->dtype)) return NULL;
    if (x->dtype == TINY_F64) return cast(tn_round_odd(t, x), r->dtype);
    return cast(cast(x, tn_is_int(x->dtype) && tn_bits(x->dtype) > 16 ? TINY_F64 : TINY_F32), r->dtype);
  }
  RULE("(HREDUCE x:f)") {
    if (!tn_lacks_dtype(ctx, x->dtype)) return NULL;
    tiny_uop *wide = cast(x, TINY_F32);
    return cast(tn_uop_make(t, TINY_OP_HREDUCE, TINY_F32, 1, 1, &wide, r->k, 0, NULL), r->dtype);
  }
  RULE("(ALU x ...)") {                    // f16 and bf16 compute in f32
    tiny_uop *src[4];
    int changed = 0;
    if (r->op == TINY_OP_WHERE) return NULL;
    // rounds twice
    if (r->op == TINY_OP_MULADD && tn_lacks_dtype(ctx, r->dtype)) return add(mul(x, r->src[1]), r->src[2]);
    for (uint32_t i = 0; i < r->nsrc; i++) {
      const int lacks = tn_lacks_dtype(ctx, r->src[i]->dtype);
      src[i] = lacks ? cast(r->src[i], TINY_F32) : r->src[i];
      changed |= lacks;
    }
    if (!changed) return NULL;
    return cast(tn_uop_make(t, r->op, r->dtype == TINY_BOOL ? (int)TINY_BOOL : (int)TINY_F32, r->lanes,
        (int)r->nsrc, src, r->k, 0, NULL), r->dtype);
  }
RULES_END

// ** bools are logic **

RULES(tn_rules_logic, x, y)
  RULE("(ADD|MAX x:b y)")                  return or_(x, y);
  RULE("(MUL x:b y)")                      return and_(x, y);
  RULE("(LT x:b y)")                       return and_(not_(x), y);
  RULE("(NE x:b y)")                       return xor_(x, y);
  RULE("(EQ x:b y)")                       return not_(xor_(x, y));
  RULE("(CAST|BITCAST:b x)")               return ne(x, N(x, 0));
  RULE("(CAST|BITCAST x:b)")               return where(x, N(r, 1), N(r, 0));
RULES_END

// ** division **

static int tn_is_negative_free(const tiny_uop *x) { return tn_is_unsigned(x->dtype) || x->vmin >= 0; }
static int tn_log2_of(int64_t k) {         // -1: no power of two
  int n = 0;
  while (n < 62 && (int64_t)1 << n < k) n++;
  return k > 0 && (int64_t)1 << n == k ? n : -1;
}

// x / c by a multiplication, 0 <= x <= most, c > 2 no power of two: M = ceil(2^s / c) and x M >> s is right
// while
// x (M c - 2^s) < 2^s (Granlund and Montgomery, "Division by invariant integers using multiplication", PLDI
// 1994, theorem 4.2).
static tiny_uop *tn_magic(tiny_ctx *t, tiny_uop *x, uint64_t most, uint64_t c) {
  const int bits = tn_bits(x->dtype);
  if (most >> 32 || c > most) return most < c ? K(x, 0) : NULL;
  for (int s = 0; s < 63; s++) {
    const uint64_t m = (((uint64_t)1 << s) + c - 1) / c, over = m * c - ((uint64_t)1 << s);
    if (most && over > (((uint64_t)1 << s) - 1) / most) continue;
    const uint64_t room = bits == 64 || most * m >> 31 == 0 ? INT64_MAX : UINT64_MAX;
    if (most && m > room / most) break;
    const int d = bits >= 32 && most * m <= (tn_is_unsigned(x->dtype) ? UINT32_MAX : (uint64_t)INT32_MAX)
        ? x->dtype
                : most * m <= UINT32_MAX ? (int)TINY_U32 : (int)TINY_U64;
    tiny_uop *wide = cast(x, d);
    return cast(shr(mul(wide, K(wide, (int64_t)m)), K(wide, s)), x->dtype);
  }
  // 33 bits of M: the upper half of x (M - 2^32) and x are added without their carry
  int s = 33;
  while ((uint64_t)1 << (s - 32) < c) s++;
  const uint64_t low = (uint64_t)((((uint64_t)1 << (s - 32)) - c) * 4294967296.0 / (double)c);
  uint64_t m = low;                        // floor(2^32 (2^l - c) / c) + 1, made exact below
  const uint64_t n = ((uint64_t)1 << (s - 32)) - c;
  while ((m + 1) * c <= n << 32) m++;
  while (m * c > n << 32) m--;
  m++;
  tiny_uop *wide = cast(x, TINY_U64), *y = cast(x, TINY_U32),
      *high = cast(shr(mul(wide, K(wide, (int64_t)m)), K(wide, 32)), TINY_U32);
  return cast(shr(add(shr(sub(y, high), K(y, 1)), high), K(y, s - 33)), x->dtype);
}

// x may be the least integer and y -1.
static int tn_divide_wraps(const tiny_uop *x, const tiny_uop *y) {
  return tn_is_signed(x->dtype) && x->vmin <= tn_dtype_min(x->dtype) && y->vmin <= -1 && y->vmax >= -1;
}

// y where it is safe to divide x by it, else 1.
static tiny_uop *tn_divisor(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  if (tn_divide_wraps(x, y)) y = where(ne(y, K(y, -1)), y, K(y, 1));
  return where(ne(y, K(y, 0)), y, K(y, 1));
}
static int tn_is_safe(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  const int wraps = tn_divide_wraps(x, y);
  if (tn_is_const(y) && y->k != 0 && !(y->k == -1 && wraps)) return 1;
  if (y->dtype != TINY_U64 && !wraps && (y->vmin > 0 || y->vmax < 0)) return 1;
  return y->op == TINY_OP_WHERE && tn_is_k(y->src[2], 1) && y->src[0] == ne(y->src[1], K(y, 0)) &&
         (!wraps || y->src[1]->op == TINY_OP_WHERE || tn_is_const(y->src[1]));
}
static tiny_uop *tn_safe_divide(tiny_ctx *t, int op, tiny_uop *x, tiny_uop *y) {
  tiny_uop *q = op2(op, x, tn_divisor(t, x, y));
  tiny_uop *by_minus_one = op == TINY_OP_CDIV ? mul(x, K(x, -1)) : K(x, 0);
  if (tn_is_signed(x->dtype) && y->vmin <= -1 && y->vmax >= -1) q = where(ne(y, K(y, -1)), q, by_minus_one);
  return where(ne(y, K(y, 0)), q, op == TINY_OP_CDIV ? K(x, 0) : x);
}

// Truncating division of x by a constant, c > 1 or c < -1.
static tiny_uop *tn_divide_by(tiny_ctx *t, const void *target, tiny_uop *x, int64_t c) {
  const int k = tn_log2_of(c < 0 ? -c : c), bits = tn_bits(x->dtype);
  const int plain = tn_is_unsigned(x->dtype) || x->vmin >= 0;
  if (c < 0) {
    if (tn_is_unsigned(x->dtype) || c <= tn_dtype_min(x->dtype)) return NULL;
    tiny_uop *q = tn_divide_by(t, target, x, -c);
    return q ? mul(q, K(x, -1)) : NULL;
  }
  if (k >= 0 && plain) return shr(x, K(x, k));
  if (k >= 0) return shr(add(x, and_(shr(x, K(x, bits - 1)), K(x, c - 1))), K(x, k));
  if (tn_lang_has(target, TINY_LANG_OPTIMIZES)) return NULL;
  if (plain) return x->dtype == TINY_U64 ? NULL : tn_magic(t, x, (uint64_t)x->vmax, (uint64_t)c);
  if (bits == 64) return NULL;
  // the unsigned dtype of the same width: |x| of the least integer fits
  const int u = x->dtype + 1;
  tiny_uop *sign = shr(x, K(x, bits - 1));
  tiny_uop *q = tn_magic(t, tn_cast(t, sub(xor_(x, sign), sign), u), (uint64_t)1 << (bits - 1), (uint64_t)c);
  return q ? sub(xor_(cast(q, x->dtype), sign), sign) : NULL;
}

// The part that floor division takes away from truncation: quotient and remainder disagree in sign.
static tiny_uop *tn_floors(tiny_ctx *t, tiny_uop *rest, tiny_uop *y) {
  if (tn_is_k(y, 0)) return B(0);
  tiny_uop *differ = tn_is_const(y) ? (y->k < 0 ? lt(K(y, 0), rest) : lt(rest, K(y, 0)))
                   : and_(ne(rest, K(y, 0)), lt(xor_(rest, y), K(y, 0)));
  return tn_is_const(y) || y->vmin > 0 || y->vmax < 0 ? differ : and_(ne(y, K(y, 0)), differ);
}

RULES(tn_rules_division, x, y, c)
  RULE("(IDIV|CDIV x:i 1)")                return x;
  RULE("(MOD|CMOD x:i 1)")                 return K(x, 0);
  RULE("(IDIV x:i c)") {                   // ~(~x / c) floors where x is negative
    const int k = tn_log2_of(c->k);
    if (!tn_lacks(ctx, TINY_OP_IDIV) || c->k <= 0) return NULL;
    if (k >= 0) return shr(x, K(x, k));
    if (tn_is_negative_free(x)) return op2(TINY_OP_CDIV, x, c);
    tiny_uop *sign = shr(x, K(x, tn_bits(x->dtype) - 1)), *size = xor_(x, sign);
    tiny_uop *q = tn_lang_has(ctx, TINY_LANG_OPTIMIZES) || tn_bits(x->dtype) == 64
        ? op2(TINY_OP_CDIV, size, c)
                : tn_magic(t, size, ((uint64_t)1 << (tn_bits(x->dtype) - 1)) - 1, (uint64_t)c->k);
    return xor_(q, sign);
  }
  RULE("(MOD x:i c)") {
    const int k = tn_log2_of(c->k);
    if (!tn_lacks(ctx, TINY_OP_MOD) || c->k <= 0) return NULL;
    if (k >= 0) return and_(x, K(x, c->k - 1));
    return tn_is_negative_free(x) ? op2(TINY_OP_CMOD, x, c) : NULL;
  }
  RULE("(IDIV|MOD x:i y)") {
    if (!tn_lacks(ctx, r->op)) return NULL;
    tiny_uop *rest = op2(TINY_OP_CMOD, x, y), *quotient = op2(TINY_OP_CDIV, x, y);
    if (tn_is_negative_free(x) && tn_is_negative_free(y)) return r->op == TINY_OP_MOD ? rest : quotient;
    tiny_uop *down = tn_floors(t, rest, y);
    return r->op == TINY_OP_MOD ? add(rest, where(down, y, K(y, 0)))
        : add(quotient, where(down, K(x, -1), K(x, 0)));
  }
  RULE("(CDIV x:i c)")                     return c->k > 1 || c->k < -1 ? tn_divide_by(t, ctx, x, c->k)
      : NULL;
  RULE("(CMOD x:i c)") {
    if (tn_log2_of(c->k) >= 0 && tn_is_negative_free(x)) return and_(x, K(x, c->k - 1));
    tiny_uop *q = c->k > 1 || c->k < -1 ? tn_divide_by(t, ctx, x, c->k) : NULL;
    return q ? sub(x, mul(q, c)) : NULL;
  }
  RULE("(CDIV|CMOD x:i y)") {
    if (tn_lang_has(ctx, TINY_LANG_DIVIDES) || tn_is_safe(t, x, y)) return NULL;
    return tn_safe_divide(t, r->op, x, y);
  }
  RULE("(CMOD x:i y)") {
    if (!tn_lacks(ctx, TINY_OP_CMOD)) return NULL;
    return sub(x, mul(op2(TINY_OP_CDIV, x, y), y));
  }
  // ** of floats: no language has them; exact while the product of quotient and divisor is **
  RULE("(CDIV x:f y)")                     return tn_u1(t, TINY_OP_TRUNC, fdiv(x, y));
  RULE("(CMOD x:f y)")                     return sub(x, mul(tn_u1(t, TINY_OP_TRUNC, fdiv(x, y)), y));
  RULE("(IDIV x:f y)") {
    tiny_uop *q = fdiv(x, y), *whole = tn_u1(t, TINY_OP_TRUNC, q);
    return where(lt(q, whole), add(whole, N(x, -1)), whole);
  }
  RULE("(MOD x:f y)") {
    tiny_uop *rest = op2(TINY_OP_CMOD, x, y), *zero = N(x, 0);
    return where(and_(ne(rest, zero), xor_(lt(rest, zero), lt(y, zero))), add(rest, y), rest);
  }
RULES_END

// ** what C leaves undefined **

// x where the cast to an integer dtype is defined, else 0.
static tiny_uop *tn_castable(tiny_ctx *t, tiny_uop *x, int dtype) {
  const int bits = tn_bits(dtype) - tn_is_signed(dtype);
  tiny_uop *low = N(x, tn_is_signed(dtype) ? -ldexp(1, bits) : 0), *top = N(x, ldexp(1, bits));
  return where(and_(not_(lt(x, low)), lt(x, top)), x, N(x, 0));
}
static tiny_uop *tn_saturate(tiny_ctx *t, tiny_uop *x, int dtype) {
  if (x->op == TINY_OP_WHERE && tn_castable(t, x->src[1], dtype) == x) return NULL;
  tiny_uop *safe = tn_castable(t, x, dtype), *zero = N(x, 0);
  const int64_t low = tn_is_signed(dtype) && tn_bits(dtype) == 64 ? INT64_MIN : tn_dtype_min(dtype),
      top = dtype == TINY_U64 ? -1 : tn_dtype_max(dtype);
  tiny_uop *beyond = where(lt(zero, x), tn_int(t, dtype, top),
      where(lt(x, zero), tn_int(t, dtype, low), tn_int(t, dtype, 0)));
  return where(safe->src[0], cast(safe, dtype), beyond);
}

static int tn_is_shift(const tiny_uop *y, int bits) {
  if (tn_is_const(y)) return y->k >= 0 && y->k < bits;
  if (y->op == TINY_OP_AND && tn_is_const(y->src[1])) return y->src[1]->k >= 0 && y->src[1]->k < bits;
  if (y->op == TINY_OP_SUB && tn_is_const(y->src[0]) &&
      y->src[1]->op == TINY_OP_AND) return y->src[0]->k < bits && y->src[1]->src[1] == y->src[0];
  return y->dtype != TINY_U64 && y->vmin >= 0 && y->vmax < bits;
}

RULES(tn_rules_defined, x, y)
  RULE("(CAST:i x:f)") {
    if (tn_lang_has(ctx, TINY_LANG_SATURATES)) return NULL;
    return tn_is_narrow(x->dtype) ? cast(cast(x, TINY_F32), r->dtype) : tn_saturate(t, x, r->dtype);
  }
  RULE("(SHL|SHR x:i y)") {
    const int bits = tn_bits(x->dtype);
    if (tn_lang_has(ctx, TINY_LANG_SHIFTS) || tn_is_shift(y, bits)) return NULL;
    tiny_uop *by = and_(y, K(y, bits - 1)), *beyond = r->op == TINY_OP_SHR && tn_is_signed(x->dtype)
        ? shr(x, K(y, bits - 1)) : K(x, 0);
    return where(ne(by, y), beyond, op2(r->op, x, by));
  }
RULES_END

// ** ops that the language lacks **

static tiny_uop *tn_threefry_words(tiny_ctx *t, const tiny_uop *r) {
  tiny_uop *k0 = r->src[2], *k1 = r->src[3], *key[3] = {k0, k1, xor_(xor_(k0, k1), K(k0, 0x1BD11BDA))};
  tiny_uop *a = add(r->src[0], key[0]), *b = add(r->src[1], key[1]);
  for (int group = 0; group < 5; group++) {
    for (int i = 0; i < 4; i++) {
      const int by = tn_threefry_rotations[group & 1][i];
      a = add(a, b);
      b = xor_(or_(shl(b, K(b, by)), shr(b, K(b, 32 - by))), a);
    }
    a = add(a, key[(group + 1) % 3]);
    b = add(b, add(key[(group + 2) % 3], K(b, group + 1)));
  }
  return r->k ? b : a;
}

static tiny_uop *tn_minus_one(tiny_ctx *t, int dtype) {
  return tn_is_float(dtype) ? tn_number(t, dtype, -1) : tn_int(t, dtype, -1);
}

static tiny_uop *tn_max_of(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  if (!tn_is_float(x->dtype)) return where(lt(x, y), y, x);
  if (tn_is_const(y) && tn_to_f64(y->k) == tn_to_f64(y->k)) return where(lt(x, y), y, x);  // false for NaN: x
  return where(ne(x, x), x, where(lt(y, x), x, y));
}

static tiny_uop *tn_trunc_of(tiny_ctx *t, tiny_uop *x) {
  const int d = x->dtype == TINY_F64 ? TINY_I64 : TINY_I32;
  tiny_uop *sign = tn_bitcast(t, x, d), *whole = tn_bitcast(t, cast(tn_castable(t, x, d), d), d);
  sign = and_(sign, K(sign, d == TINY_I64 ? INT64_MIN : INT32_MIN));
  tiny_uop *y = tn_bitcast(t, or_(tn_bitcast(t, tn_float_abs(t, cast(whole, x->dtype)), d), sign), x->dtype);
  return where(lt(tn_float_abs(t, x), N(x, ldexp(1, tn_float_facts_of(x->dtype)->mantissa))), y, x);
}

static tiny_uop *tn_transcend(tiny_ctx *t, const tiny_uop *r) {
  tiny_uop *x = r->src[0];
  if (tn_is_narrow(x->dtype)) {
    tiny_uop *wide = cast(x, TINY_F32);
    return cast(r->nsrc == 1 ? tn_u1(t, r->op, wide) : op2(r->op, wide, cast(r->src[1], TINY_F32)), x->dtype);
  }
  switch (r->op) {
    case TINY_OP_EXP2: return tn_exp2_of(t, x);
    case TINY_OP_LOG2: return tn_log2_value(t, x);
    case TINY_OP_SIN: return tn_sin_of(t, x);
    case TINY_OP_TRUNC: return tn_trunc_of(t, x);
    default: return tn_pow_of(t, x, r->src[1]);
  }
}

RULES(tn_rules_missing, x, y, z)
  RULE("(EXP2|LOG2|SIN|POW|TRUNC x:f ...)") return tn_lacks(ctx, r->op) ? tn_transcend(t, r) : NULL;
  RULE("(MAX x y)")                        return tn_lacks(ctx, r->op) ? tn_max_of(t, x, y) : NULL;
  RULE("(TRUNC x:i)")                      return x;
  RULE("(THREEFRY ...)")                   return tn_lacks(ctx, r->op) ? tn_threefry_words(t, r) : NULL;
  RULE("(MULADD x y z)")                   return tn_lacks(ctx, r->op) ? add(mul(x, y), z) : NULL;
  RULE("(NEG x)")                          return tn_lacks(ctx, r->op) ? mul(x, tn_minus_one(t, x->dtype))
      : NULL;
  RULE("(SUB x y)")                        return tn_lacks(ctx, r->op)
      ? add(x, mul(y, tn_minus_one(t, y->dtype))) : NULL;
  RULE("(EQ x y)")                         return tn_lacks(ctx, r->op) ? not_(ne(x, y)) : NULL;
RULES_END

RULES(tn_rules_decompose, x)
  USE(tn_rules_fold)
  USE(tn_rules_logic)
  USE(tn_rules_storage)
  USE(tn_rules_division)
  USE(tn_rules_defined)
  USE(tn_rules_missing)
RULES_END

// ** spelling: the shortest form that the language has; every source as wide as its op **

static tiny_uop *tn_lanes_to(tiny_ctx *t, tiny_uop *x, int lanes) {
  if (x->lanes == lanes) return x;
  if (x->dtype == TINY_BOOL && !tn_is_const(x)) {            // bools become lanes as u8
    tiny_uop *one = tn_int(t, TINY_U8, 1), *zero = tn_int(t, TINY_U8, 0);
    return ne(tn_lanes_to(t, where(x, one, zero), lanes), tn_lanes_to(t, zero, lanes));
  }
  return tn_uop_make(t, TINY_OP_BROADCAST, x->dtype, lanes, 1, &x, 0, 0, NULL);
}

RULES(tn_rules_spell, x, y, z, c)
  RULE("(ADD x (MUL y c))")                return tn_lacks(ctx, TINY_OP_SUB) ||
      c != tn_minus_one(t, c->dtype) ? NULL : sub(x, y);
  RULE("(ADD x (NEG y))")                  return tn_lacks(ctx, TINY_OP_SUB) ? NULL : sub(x, y);
  RULE("(MUL x c)")                        return tn_lacks(ctx, TINY_OP_NEG) ||
      c != tn_minus_one(t, c->dtype) ? NULL : tn_u1(t, TINY_OP_NEG, x);
  RULE("(XOR (NE x y) 1)")                 return tn_lacks(ctx, TINY_OP_EQ) ? NULL : op2(TINY_OP_EQ, x, y);
  RULE("(XOR (LT x:i c) 1)") {
    if (c->dtype == TINY_U64 || c->k <= tn_dtype_min(c->dtype)) return NULL;
    return lt(K(c, c->k - 1), x);
  }
  RULE("(MUL x:i c)") {
    const int k = tn_log2_of(c->k);
    return k > 0 && tn_lang_has(ctx, TINY_LANG_PREFERS_SHIFTS) ? shl(x, K(x, k)) : NULL;
  }
  RULE("(ADD (MUL x:f y) z)")              return tn_lacks(ctx, TINY_OP_MULADD) ? NULL
      : tn_u3(t, TINY_OP_MULADD, x, y, z);
RULES_END

RULES(tn_rules_lanes, x, y)
  RULE("(ALU x ...)") {
    tiny_uop *src[4];
    int changed = 0;
    for (uint32_t i = 0; i < r->nsrc; i++) {
      src[i] = r->op == TINY_OP_WHERE && i == 0 ? r->src[0] : tn_lanes_to(t, r->src[i], r->lanes);
      changed |= src[i] != r->src[i];
    }
    return changed ? tn_uop_make(t, r->op, r->dtype, r->lanes, (int)r->nsrc, src, r->k, r->nv, r->v) : NULL;
  }
  RULE("(LOAD x y)") {
    tiny_uop *src[2] = {x, tn_lanes_to(t, y, r->lanes)};
    return src[1] == y ? NULL : tn_uop_make(t, TINY_OP_LOAD, r->dtype, r->lanes, 2, src, r->k, 0, NULL);
  }
RULES_END

static tiny_uop *tn_decompose(tiny_ctx *t, tiny_uop *sink, const tn_target *target) {
  if (!target->lang) return sink;
  void *ctx = (void *)(uintptr_t)target;
  sink = tn_rewrite(t, tn_lower_index(t, sink), tn_rules_decompose, ctx);
  sink = tn_rewrite(t, sink, tn_rules_spell, ctx);
  return tn_rewrite(t, sink, tn_rules_lanes, ctx);
}
#endif
// ---- end src/rules/decompose.c ----
// ---- begin src/rules/notation_end.c ----
// notation_end: takes back the algebra of notation.c and the form of rule sets (ir/match.c), so
// that none of their short names reaches the including file.
#ifdef TN_RULES_NOTATION
#undef K
#undef N
#undef B
#undef X
#undef op2
#undef add
#undef sub
#undef mul
#undef fdiv
#undef shl
#undef shr
#undef idiv
#undef mod
#undef max_
#undef lt
#undef ne
#undef and_
#undef or_
#undef xor_
#undef not_
#undef where
#undef cast
#undef RULES
#undef RULE
#undef USE
#undef RULES_END
#endif
// ---- end src/rules/notation_end.c ----

// ** shape: views of memory **
// ---- begin src/shape/view.c ----
// view: shape, strides, offset and mask over flat memory; stacks of views; index and validity expressions.
//
// In:  movement ops on caller's structs. Out: the same structs, with as few views as possible.
// Every view is kept tidy: a dim with one existing index has stride 0 (its part is in the offset), and a view
// without any existing element has only zeros besides its dims. There is one way of merging, tn_view_merge:
// a reshape is the merge of a view with the plain view of the new shape.
#ifndef TN_SHAPE_VIEW
#define TN_SHAPE_VIEW
#ifndef TINY_AMALGAMATED
#include "../ir/uop.c"
#endif

#define TN_VIEW_LIMIT ((int64_t)1 << 62)   // of how far a view reaches; twice the limit of element counts

// Number of elements, or -1 for what is no shape: too many dims, a negative one, or too many elements.
static int64_t tn_view_nelem(int ndim, const int64_t *dim) {
  if (ndim < 0 || ndim > TINY_MAX_DIMS) return -1;
  int64_t n = 1;
  int empty = 0;
  for (int d = 0; d < ndim; d++) {
    if (dim[d] < 0) return -1;
    if (dim[d] == 0) empty = 1;
    else n = tn_clamp_mul(n, dim[d]);
  }
  return empty ? 0 : n < TN_VIEW_LIMIT / 2 ? n : -1;
}

static int tn_view_empty(const tiny_view *v) {
  for (int d = 0; d < v->ndim; d++) if (v->begin[d] >= v->end[d]) return 1;
  return 0;
}

static void tn_view_tidy(tiny_view *v) {
  const int empty = tn_view_empty(v);
  if (empty) v->offset = 0;
  for (int d = 0; d < v->ndim; d++) {
    if (empty) v->stride[d] = v->begin[d] = v->end[d] = 0;
    if (v->end[d] - v->begin[d] != 1) continue;
    v->offset = tn_clamp_add(v->offset, tn_clamp_mul(v->begin[d], v->stride[d]));
    v->stride[d] = 0;
  }
}

// Is every sum that indexing this view makes far from overflow?
static int tn_view_fits(const tiny_view *v) {
  double reach = fabs((double)v->offset);
  for (int d = 0; d < v->ndim; d++) reach += fabs((double)v->stride[d]) * (double)v->dim[d];
  return reach < (double)TN_VIEW_LIMIT;
}

// The plain, row-major view of a shape.
static tiny_view tn_view_of(int ndim, const int64_t *dim) {
  tiny_view v;
  memset(&v, 0, sizeof v);
  v.ndim = ndim;
  int64_t stride = 1;
  for (int d = ndim - 1; d >= 0; d--) {
    v.dim[d] = v.end[d] = dim[d];
    v.stride[d] = stride;
    stride = tn_clamp_mul(stride, dim[d]);
  }
  tn_view_tidy(&v);
  return v;
}

static int tn_view_equal(const tiny_view *a, const tiny_view *b) {
  if (a->ndim != b->ndim || a->offset != b->offset) return 0;
  for (int d = 0; d < a->ndim; d++) {
    if (a->dim[d] != b->dim[d] || a->stride[d] != b->stride[d]) return 0;
    if (a->begin[d] != b->begin[d] || a->end[d] != b->end[d]) return 0;
  }
  return 1;
}

// ** merging **

// The same elements in the same flat order, in as few dims as can tell it: dims of 1 go, neighbours that
// act as one dim join.
static tiny_view tn_view_joined(const tiny_view *v) {
  tiny_view out = *v;
  int n = 0;
  for (int q = 0; q < v->ndim; q++) {
    const int64_t dim = v->dim[q], stride = v->stride[q];
    if (dim == 1) continue;
    const int p = n - 1, full = v->begin[q] == 0 && v->end[q] == dim;
    if (n && out.end[p] - out.begin[p] == 1) {           // one index of p exists: its stride may be anything
      const int64_t at = out.begin[p] * dim;
      out.offset = tn_clamp_add(out.offset, tn_clamp_mul(-at, stride));
      out.begin[p] = at + v->begin[q]; out.end[p] = at + v->end[q];
      out.dim[p] *= dim; out.stride[p] = stride;
    } else if (n && full && out.stride[p] == tn_clamp_mul(stride, dim)) {
      out.begin[p] *= dim; out.end[p] *= dim;
      out.dim[p] *= dim; out.stride[p] = stride;
    } else {
      out.dim[n] = dim; out.stride[n] = stride; out.begin[n] = v->begin[q]; out.end[n] = v->end[q];
      n++;
    }
  }
  out.ndim = n;
  return out;
}

// Digits of a flat element in the dims of v; the first takes all that is left.
static void tn_view_digits(const tiny_view *v, int64_t flat, int64_t *digit) {
  for (int k = v->ndim - 1; k > 0; k--) { digit[k] = flat % v->dim[k]; flat /= v->dim[k]; }
  if (v->ndim) digit[0] = flat;
}

static int64_t tn_ceil_div(int64_t a, int64_t b) { return -tn_floor_div(-a, b); }
static int64_t tn_least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t tn_most(int64_t a, int64_t b) { return a > b ? a : b; }

// Narrows the box lo[d] <= i[d] <= hi[d] to where begin <= c + sum a[d] * i[d] < end. 0: that is no box.
static int tn_view_narrow(int n, const int64_t *a, int64_t c, int64_t begin, int64_t end,
                          int64_t *lo, int64_t *hi) {
  for (;;) {
    int64_t low = c, high = c;             // of the whole sum
    int w = -1;                            // the dim whose step is widest
    for (int d = 0; d < n; d++) {
      low += tn_least(a[d] * lo[d], a[d] * hi[d]); high += tn_most(a[d] * lo[d], a[d] * hi[d]);
      if (lo[d] < hi[d] && a[d] && (w < 0 || llabs(a[d]) > llabs(a[w]))) w = d;
    }
    if (low >= begin && high < end) return 1;
    if (low >= end || high < begin) {
      if (n) hi[0] = lo[0] - 1;
      return n > 0;                        // a 0-d box always has its one element
    }
    // first..last of i[w] satisfy for some values of the others. If those are several, all must.
    const int64_t step = llabs(a[w]), from = a[w] > 0 ? lo[w] : -hi[w], to = a[w] > 0 ? hi[w] : -lo[w];
    const int64_t rest_low = low - step * from, rest_high = high - step * to;
    const int64_t first = tn_most(from, tn_ceil_div(begin - rest_high, step));
    const int64_t last = tn_least(to, tn_floor_div(end - 1 - rest_low, step));
    if (first < last && (step * first + rest_low < begin || step * last + rest_high >= end)) return 0;
    lo[w] = a[w] > 0 ? first : -last;
    hi[w] = a[w] > 0 ? last : -first;
    if (first > last) return 1;
  }
}

// Digits of outer's flat element in the dims of the view below it: c[k] + sum a[k][d] * i[d], in outer's box.
typedef struct tn_digits { int64_t c[TINY_MAX_DIMS], a[TINY_MAX_DIMS][TINY_MAX_DIMS]; } tn_digits;

// Returns 0 when a digit carries into the next somewhere in the box, so that no such sum exists.
static int tn_view_expand_digits(const tiny_view *in, const tiny_view *outer, tn_digits *out) {
  int64_t low[TINY_MAX_DIMS], high[TINY_MAX_DIMS], digit[TINY_MAX_DIMS], first = outer->offset;
  const int m = in->ndim;
  for (int d = 0; d < outer->ndim; d++) {
    first += outer->stride[d] * (outer->stride[d] < 0 ? outer->end[d] - 1 : outer->begin[d]);
  }
  if (first < 0 || (m == 0 && first > 0)) return 0;
  tn_view_digits(in, first, out->c);
  for (int k = 0; k < m; k++) low[k] = high[k] = out->c[k];
  for (int d = 0; d < outer->ndim; d++) {
    const int negative = outer->stride[d] < 0;
    const int64_t corner = negative ? outer->end[d] - 1 : outer->begin[d];
    const int64_t steps = outer->end[d] - 1 - outer->begin[d];
    if (m == 0 && outer->stride[d]) return 0;
    tn_view_digits(in, llabs(outer->stride[d]), digit);
    for (int k = m - 1; k >= 0; k--) {
      const int64_t back = digit[k] - in->dim[k];          // or: one up in the next dim, some back in this
      if (k > 0 && tn_clamp_add(high[k], tn_clamp_mul(digit[k], steps)) >= in->dim[k] &&
          tn_clamp_add(low[k], tn_clamp_mul(back, steps)) >= 0) {
        digit[k] = back;
        digit[k - 1]++;
      }
      const int64_t moved = tn_clamp_mul(digit[k], steps);
      low[k] = tn_clamp_add(low[k], tn_least(moved, 0));
      high[k] = tn_clamp_add(high[k], tn_most(moved, 0));
      if (low[k] < 0 || high[k] >= in->dim[k]) return 0;
      if (tn_clamp_mul(llabs(digit[k]), corner) >= TN_VIEW_LIMIT / 64) return 0;
      out->a[k][d] = negative ? -digit[k] : digit[k];
      out->c[k] -= out->a[k][d] * corner;
    }
  }
  return 1;
}

// The mask of in as a box of outer's indices. Narrowing by one dim can make another a box, hence the rounds.
static int tn_view_narrow_all(const tiny_view *in, const tn_digits *g, tiny_view *outer) {
  int64_t lo[TINY_MAX_DIMS], hi[TINY_MAX_DIMS];
  for (int d = 0; d < outer->ndim; d++) { lo[d] = outer->begin[d]; hi[d] = outer->end[d] - 1; }
  int open = in->ndim;
  for (int round = 0; open && round < in->ndim; round++) {
    open = 0;
    for (int k = 0; k < in->ndim; k++) {
      const int boxed = tn_view_narrow(outer->ndim, g->a[k], g->c[k], in->begin[k], in->end[k], lo, hi);
      for (int d = 0; d < outer->ndim; d++) if (lo[d] > hi[d]) {
        outer->end[d] = outer->begin[d];
        return 1;
      }
      open += !boxed;
    }
  }
  for (int d = 0; d < outer->ndim; d++) { outer->begin[d] = lo[d]; outer->end[d] = hi[d] + 1; }
  return !open;
}

static int64_t tn_view_dot(int64_t sum, int n, const int64_t *a, const int64_t *b) {
  for (int k = 0; k < n; k++) sum = tn_clamp_add(sum, tn_clamp_mul(a[k], b[k]));
  return sum;
}

// One view for outer on top of inner, of outer's shape. Returns 0 when there is none, or none was found.
static int tn_view_merge(const tiny_view *inner, const tiny_view *outer, tiny_view *out) {
  tiny_view below = *inner, made = *outer;
  tn_view_tidy(&below);
  tn_view_tidy(&made);
  if (tn_view_empty(&made)) { *out = made; return 1; }
  if (tn_view_empty(&below)) {
    if (made.ndim == 0) return 0;          // a 0-d view cannot say that its element does not exist
    made.end[0] = made.begin[0];
    tn_view_tidy(&made);
    *out = made;
    return 1;
  }
  const tiny_view in = tn_view_joined(&below);
  tn_digits g;
  if (!tn_view_expand_digits(&in, &made, &g) || !tn_view_narrow_all(&in, &g, &made)) return 0;
  made.offset = tn_view_dot(in.offset, in.ndim, g.c, in.stride);
  for (int d = 0; d < made.ndim; d++) {
    int64_t a[TINY_MAX_DIMS] = {0};
    for (int k = 0; k < in.ndim; k++) a[k] = g.a[k][d];
    made.stride[d] = tn_view_dot(0, in.ndim, a, in.stride);
  }
  if (!tn_view_fits(&made)) return 0;
  tn_view_tidy(&made);
  *out = made;
  return 1;
}

// ** the public operations **

TINY_API tiny_views tiny_views_of(tiny_shape shape) {
  tiny_views v;
  memset(&v, 0, sizeof v);                 // n stays 0 for what is no shape: every operation then fails
  if (tn_view_nelem(shape.ndim, shape.dim) < 0) return v;
  v.v[0] = tn_view_of(shape.ndim, shape.dim);
  v.n = 1;
  return v;
}

TINY_API tiny_views tiny_views_strided(tiny_shape shape, const int64_t *strides, int64_t offset) {
  tiny_views v = tiny_views_of(shape);
  if (!v.n || !strides) return v;
  for (int d = 0; d < shape.ndim; d++) v.v[0].stride[d] = strides[d];
  v.v[0].offset = offset;
  v.n = tn_view_fits(&v.v[0]);
  tn_view_tidy(&v.v[0]);
  return v;
}

static int tn_views_ok(const tiny_views *v) {
  if (!v || v->n < 1 || v->n > TINY_MAX_VIEWS) return 0;
  for (int i = 0; i < v->n; i++) {
    const tiny_view *w = &v->v[i];
    if (tn_view_nelem(w->ndim, w->dim) < 0 || !tn_view_fits(w)) return 0;
    for (int d = 0; d < w->ndim; d++) {
      if (w->begin[d] < 0 || w->begin[d] > w->end[d] || w->end[d] > w->dim[d]) return 0;
    }
  }
  return 1;
}

// Begins an operation that changes the topmost view: *top is a copy of it.
static tiny_code tn_views_begin(const tiny_views *v, tiny_view *top) {
  if (!tn_views_ok(v)) return TINY_E_ARG;
  *top = v->v[v->n - 1];
  return TINY_OK;
}

// Ends it: the changed view takes its place and is merged with those below while that goes.
static tiny_code tn_views_finish(tiny_views *v, tiny_view *top) {
  if (tn_view_nelem(top->ndim, top->dim) < 0 || !tn_view_fits(top)) return TINY_E_SHAPE;
  tn_view_tidy(top);
  v->v[v->n - 1] = *top;
  while (v->n > 1 && tn_view_merge(&v->v[v->n - 2], &v->v[v->n - 1], &v->v[v->n - 2])) v->n--;
  return TINY_OK;
}

TINY_API tiny_code tiny_views_permute(tiny_views *v, tiny_shape axes) {
  tiny_view top, was;
  const tiny_code code = tn_views_begin(v, &top);
  if (code) return code;
  was = top;
  if (axes.ndim != was.ndim) return TINY_E_SHAPE;
  for (int d = 0, seen = 0; d < was.ndim; d++) {
    const int64_t from = axes.dim[d];
    if (from < 0 || from >= was.ndim || seen >> from & 1) return TINY_E_SHAPE;
    seen |= 1 << from;
    top.dim[d] = was.dim[from]; top.stride[d] = was.stride[from];
    top.begin[d] = was.begin[from]; top.end[d] = was.end[from];
  }
  return tn_views_finish(v, &top);
}

TINY_API tiny_code tiny_views_expand(tiny_views *v, tiny_shape shape) {
  tiny_view top;
  const tiny_code code = tn_views_begin(v, &top);
  if (code) return code;
  if (shape.ndim != top.ndim || tn_view_nelem(shape.ndim, shape.dim) < 0) return TINY_E_SHAPE;
  tn_view_tidy(&top);
  for (int d = 0; d < top.ndim; d++) {
    if (top.dim[d] == shape.dim[d]) continue;
    if (top.dim[d] != 1) return TINY_E_SHAPE;
    top.dim[d] = shape.dim[d];
    if (top.end[d]) top.end[d] = shape.dim[d];
  }
  return tn_views_finish(v, &top);
}

TINY_API tiny_code tiny_views_pad(tiny_views *v, tiny_shape before_after) {
  tiny_view top;
  const tiny_code code = tn_views_begin(v, &top);
  if (code) return code;
  if (before_after.ndim != 2 * top.ndim) return TINY_E_SHAPE;
  for (int d = 0; d < top.ndim; d++) {
    const int64_t before = before_after.dim[2 * d], after = before_after.dim[2 * d + 1];
    if (before < 0 || after < 0 || before >= TN_VIEW_LIMIT || after >= TN_VIEW_LIMIT) return TINY_E_SHAPE;
    top.dim[d] = tn_clamp_add(tn_clamp_add(top.dim[d], before), after);
    top.offset = tn_clamp_add(top.offset, tn_clamp_mul(-before, top.stride[d]));
    top.begin[d] += before; top.end[d] += before;
  }
  return tn_views_finish(v, &top);
}

TINY_API tiny_code tiny_views_shrink(tiny_views *v, tiny_shape begin_end) {
  tiny_view top;
  const tiny_code code = tn_views_begin(v, &top);
  if (code) return code;
  if (begin_end.ndim != 2 * top.ndim) return TINY_E_SHAPE;
  for (int d = 0; d < top.ndim; d++) {
    const int64_t begin = begin_end.dim[2 * d], end = begin_end.dim[2 * d + 1];
    if (begin < 0 || begin > end || end > top.dim[d]) return TINY_E_SHAPE;
    top.dim[d] = end - begin;
    top.offset += begin * top.stride[d];
    top.begin[d] = tn_least(tn_most(top.begin[d] - begin, 0), top.dim[d]);
    top.end[d] = tn_most(tn_least(top.end[d] - begin, top.dim[d]), top.begin[d]);
  }
  return tn_views_finish(v, &top);
}

TINY_API tiny_code tiny_views_flip(tiny_views *v, tiny_shape axes) {
  tiny_view top;
  const tiny_code code = tn_views_begin(v, &top);
  if (code) return code;
  if (axes.ndim < 0 || axes.ndim > TINY_MAX_DIMS) return TINY_E_SHAPE;
  for (int i = 0, seen = 0; i < axes.ndim; i++) {
    const int64_t d = axes.dim[i];
    if (d < 0 || d >= top.ndim || seen >> d & 1) return TINY_E_SHAPE;
    seen |= 1 << d;
    const int64_t begin = top.begin[d];
    top.begin[d] = top.dim[d] - top.end[d];
    top.end[d] = top.dim[d] - begin;
    if (top.dim[d]) top.offset += (top.dim[d] - 1) * top.stride[d];
    top.stride[d] = -top.stride[d];
  }
  return tn_views_finish(v, &top);
}

TINY_API tiny_code tiny_views_reshape(tiny_views *v, tiny_shape shape) {
  tiny_view top;
  const tiny_code code = tn_views_begin(v, &top);
  if (code) return code;
  const int64_t n = tn_view_nelem(shape.ndim, shape.dim);
  if (n < 0 || n != tn_view_nelem(top.ndim, top.dim)) return TINY_E_SHAPE;
  tiny_view plain = tn_view_of(shape.ndim, shape.dim), merged;
  if (tn_view_merge(&top, &plain, &merged)) return tn_views_finish(v, &merged);
  if (v->n == TINY_MAX_VIEWS) return TINY_E_STATE;
  v->v[v->n++] = plain;
  return TINY_OK;
}

TINY_API int tiny_views_contiguous(const tiny_views *v) {
  if (!tn_views_ok(v) || v->n != 1) return 0;
  const tiny_view plain = tn_view_of(v->v[0].ndim, v->v[0].dim);
  tiny_view w = v->v[0];
  tn_view_tidy(&w);
  return tn_view_equal(&w, &plain);
}

TINY_API int64_t tiny_views_at(const tiny_views *v, const int64_t *index) {
  if (!tn_views_ok(v) || !index) return -1;
  int64_t digit[TINY_MAX_DIMS];
  for (int i = v->n - 1;; i--) {
    const tiny_view *w = &v->v[i];
    int64_t flat = w->offset;
    for (int d = 0; d < w->ndim; d++) {
      if (index[d] < w->begin[d] || index[d] >= w->end[d]) return -1;
      flat += index[d] * w->stride[d];
    }
    if (i == 0) return flat;
    if (tn_view_empty(&v->v[i - 1])) return -1;
    tn_view_digits(&v->v[i - 1], flat, digit);
    index = digit;
  }
}

// ** expressions **

static tiny_uop *tn_view_sum(tiny_ctx *t, const tiny_view *w, tiny_uop *const *index) {
  tiny_uop *flat = NULL;
  for (int d = 0; d < w->ndim; d++) {
    if (!w->stride[d]) continue;
    tiny_uop *term = index[d];
    if (w->stride[d] != 1) term = tn_u2(t, TINY_OP_MUL, term, tn_index(t, w->stride[d]));
    flat = flat ? tn_u2(t, TINY_OP_ADD, flat, term) : term;
  }
  if (!flat) return tn_index(t, w->offset);
  return w->offset ? tn_u2(t, TINY_OP_ADD, flat, tn_index(t, w->offset)) : flat;
}

// valid, and those comparisons of the mask that the bounds of the indices do not prove. b <= i is !(i < b).
static tiny_uop *tn_view_valid(tiny_ctx *t, const tiny_view *w, tiny_uop *const *index, tiny_uop *valid) {
  if (tn_view_empty(w)) return tn_bool(t, 0);
  for (int d = 0; d < w->ndim; d++) {
    for (int side = 0; side < 2; side++) {
      const int64_t k = side ? w->end[d] : w->begin[d];
      if (side ? k == w->dim[d] || index[d]->vmax < k : k == 0 || index[d]->vmin >= k) continue;
      tiny_uop *below = tn_u2(t, TINY_OP_LT, index[d], tn_index(t, k));
      tiny_uop *holds = side ? below : tn_not(t, below);
      valid = tn_is_k(valid, 1) ? holds : tn_u2(t, TINY_OP_AND, valid, holds);
    }
  }
  return valid;
}

// The digits of flat in the dims of w. Where an outer mask fails they mean nothing: *valid tells.
static void tn_view_indices(tiny_ctx *t, const tiny_view *w, tiny_uop *flat, tiny_uop **index) {
  const int64_t nelem = tn_view_nelem(w->ndim, w->dim);
  int64_t below = 1;                       // elements per step of the dim
  for (int d = w->ndim - 1; d >= 0; below *= w->dim[d--]) {
    index[d] = tn_index(t, 0);
    if (w->dim[d] == 1) continue;
    index[d] = below == 1 ? flat : tn_u2(t, TINY_OP_IDIV, flat, tn_index(t, below));
    const int within = index[d]->vmin >= 0 && index[d]->vmax < w->dim[d];
    const int outermost = below * w->dim[d] == nelem;      // the outer mask holds: there is no more than fits
    if (!within && !outermost) index[d] = tn_u2(t, TINY_OP_MOD, index[d], tn_index(t, w->dim[d]));
  }
}

TINY_API tiny_code tiny_views_expr(tiny_ctx *t, const tiny_views *v, tiny_uop *const *index,
                                   tiny_uop **flat, tiny_uop **valid) {
  if (!t) return TINY_E_ARG;
  if (!tn_views_ok(v)) return tiny_fail(t, TINY_E_ARG, "views_expr: not a stack of views");
  if (!flat || !valid) return tiny_fail(t, TINY_E_ARG, "views_expr: flat or valid is NULL");
  const int ndim = v->v[v->n - 1].ndim;
  tiny_uop *i[TINY_MAX_DIMS];
  for (int d = 0; d < ndim; d++) {
    if (!index || !index[d]) return tiny_fail(t, TINY_E_ARG, "views_expr: index %d is NULL", d);
    i[d] = index[d];
  }
  *valid = tn_bool(t, 1);
  for (int k = v->n - 1;; k--) {
    *valid = tn_view_valid(t, &v->v[k], i, *valid);
    *flat = tn_view_sum(t, &v->v[k], i);
    if (k == 0) break;
    if (tn_view_empty(&v->v[k - 1])) { *flat = tn_index(t, 0); *valid = tn_bool(t, 0); break; }
    tn_view_indices(t, &v->v[k - 1], *flat, i);
  }
  if (*flat == &t->ir->bad || *valid == &t->ir->bad) return TINY_E_MEMORY;
  return TINY_OK;
}

// ** views of tensor graphs **

static tiny_shape tn_shape_of(int n, const int64_t *v) {
  tiny_shape s;
  memset(&s, 0, sizeof s);
  s.ndim = n;
  for (int i = 0; i < n && i < TINY_MAX_DIMS; i++) s.dim[i] = v[i];
  return s;
}
static tiny_views tn_views_over(int ndim, const int64_t *dim) {
  return tiny_views_of(tn_shape_of(ndim, dim));
}

// The views after movement op m. An error when they cannot say it: then it takes index arithmetic.
static tiny_code tn_views_move(tiny_views *v, const tiny_uop *m) {
  int64_t axes[TINY_MAX_DIMS];
  int n = 0;
  if (m->nv > TINY_MAX_DIMS) return TINY_E_STATE;        // a tiny_shape does not hold the amounts
  for (int i = 0; i < m->ndim; i++) if (m->k >> i & 1) axes[n++] = i;
  switch (m->op) {
    case TINY_OP_RESHAPE: return tiny_views_reshape(v, tn_shape_of(m->nv, m->v));
    case TINY_OP_PERMUTE: return tiny_views_permute(v, tn_shape_of(m->nv, m->v));
    case TINY_OP_EXPAND: return tiny_views_expand(v, tn_shape_of(m->nv, m->v));
    case TINY_OP_PAD: return tiny_views_pad(v, tn_shape_of(m->nv, m->v));
    case TINY_OP_SHRINK: return tiny_views_shrink(v, tn_shape_of(m->nv, m->v));
    case TINY_OP_FLIP: return tiny_views_flip(v, tn_shape_of(n, axes));
    case TINY_OP_DETACH: return TINY_OK;
    default: return TINY_E_STATE;
  }
}
#endif
// ---- end src/shape/view.c ----

// ** tensor: handles, operators, gradients, networks **
// ---- begin src/tensor/tensor.c ----
// tensor: the handle that users hold, the frames that free it, and assignment in place.
//
// A tensor is a pointer to a node of the graph and a place in one of two lists: tensors outside of frames, and tensors
// in frames, newest first, so that closing a frame pops from the front. Handles come from chunks and go to a free
// list: making one costs a few nanoseconds. The context's one poisoned tensor stands for every failed operator.
//
// Assignment makes a new state (ASSIGN base view value) of the memory under a tensor. The handles
// of that memory, those whose graph is the base, a reshape or a VIEW of it, move on to the new
// state; what was built from the old one keeps it. t->tensors->pending[0..npending) are the states
// that tiny_end must run; the runtime empties the list.
//
// Identity: nodes are hash-consed, but two tensors of zeros are two parameters, and two scalars may change apart. Nodes
// that must stay apart carry a number in ptr, which equality compares and the structural hash leaves out.
#ifndef TN_TENSOR_TENSOR
#define TN_TENSOR_TENSOR
#ifndef TINY_AMALGAMATED
#include "../ir/build.c"
#endif

struct tiny_tensor { tiny_ctx *t; tiny_uop *uop; tiny_tensor *prev, *next; int frame; };

typedef struct tn_tensor_chunk {
  struct tn_tensor_chunk *older;
  tiny_tensor tensor[TN_FIRST_SLOTS];
} tn_tensor_chunk;

struct tn_tensors {
  tiny_tensor poison;
  tiny_tensor *kept, *framed, *unused;     // outside of frames; in frames; to take again
  tn_tensor_chunk *chunks;
  int depth;                               // of open frames
  int freed;                               // handles freed since nodes were last collected
  int refuse;                              // 1: the context did not open well, every operator gives poison
  tiny_uop **pending; int npending, cappending;
  uintptr_t identity;                      // the last one given
  uint32_t random;                         // calls of the random number generator so far
};

static int tn_tensors_open(tiny_ctx *t) {
  t->tensors = (struct tn_tensors *)tn_alloc(t, sizeof *t->tensors);
  if (!t->tensors) return 0;
  t->tensors->poison.t = t;
  t->tensors->poison.uop = &t->ir->bad;
  t->tensors->identity = 16;               // below: the library's own scalars
  return 1;
}

static void tn_tensors_close(tiny_ctx *t) {
  struct tn_tensors *all = t->tensors;
  if (!all) return;
  while (all->chunks) {
    tn_tensor_chunk *older = all->chunks->older;
    tn_release(t, all->chunks, sizeof *all->chunks);
    all->chunks = older;
  }
  tn_release(t, all->pending, (size_t)all->cappending * sizeof *all->pending);
  tn_release(t, all, sizeof *all);
  t->tensors = NULL;
}

// ** handles **

static tiny_tensor *tn_poison(tiny_ctx *t) { return t && t->tensors ? &t->tensors->poison : NULL; }

// Records an error and gives poison: what an operator returns when its arguments are wrong.
static tiny_tensor *tn_wrong(tiny_ctx *t, tiny_code code, const char *format, ...) TN_PRINTF(3, 4);
static tiny_tensor *tn_wrong(tiny_ctx *t, tiny_code code, const char *format, ...) {
  char message[512];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  tiny_fail(t, code, "%s", message);
  return tn_poison(t);
}

static void tn_tensor_link(tiny_tensor **list, tiny_tensor *x) {
  x->prev = NULL; x->next = *list;
  if (*list) (*list)->prev = x;
  *list = x;
}
static void tn_tensor_unlink(tiny_tensor *x) {
  struct tn_tensors *all = x->t->tensors;
  if (x->prev) x->prev->next = x->next;
  else if (x->frame) all->framed = x->next;
  else all->kept = x->next;
  if (x->next) x->next->prev = x->prev;
}

static int tn_tensors_more(tiny_ctx *t) {
  struct tn_tensors *all = t->tensors;
  tn_tensor_chunk *chunk = (tn_tensor_chunk *)tn_alloc(t, sizeof *chunk);
  if (!chunk) return 0;
  chunk->older = all->chunks; all->chunks = chunk;
  for (int i = TN_FIRST_SLOTS - 1; i >= 0; i--) {
    chunk->tensor[i].next = all->unused;
    all->unused = &chunk->tensor[i];
  }
  return 1;
}

// A handle of u in the innermost frame; poison when u or the handle could not be made.
static tiny_tensor *tn_tensor_new(tiny_ctx *t, tiny_uop *u) {
  if (!t || !t->tensors) return NULL;
  struct tn_tensors *all = t->tensors;
  if (tn_bad(t, u) || all->refuse || (!all->unused && !tn_tensors_more(t))) return &all->poison;
  tiny_tensor *x = all->unused;
  all->unused = x->next;
  x->t = t; x->uop = u; x->frame = all->depth;
  tn_tensor_link(x->frame ? &all->framed : &all->kept, x);
  return x;
}

static int tn_poisoned(const tiny_tensor *x) { return x == &x->t->tensors->poison; }

TINY_API void tiny_free(tiny_tensor *x) {
  if (!x || !x->t || tn_poisoned(x)) return;
  struct tn_tensors *all = x->t->tensors;
  tn_tensor_unlink(x);
  all->freed++;
  x->t = NULL; x->uop = NULL;              // a second tiny_free of x does nothing
  x->next = all->unused; all->unused = x;
}

TINY_API tiny_tensor *tiny_keep(tiny_tensor *x) {
  if (!x || !x->t || tn_poisoned(x) || !x->frame) return x;
  tn_tensor_unlink(x);
  x->frame = 0;
  tn_tensor_link(&x->t->tensors->kept, x);
  return x;
}

TINY_API void tiny_begin(tiny_ctx *t) { if (t && t->tensors) t->tensors->depth++; }

// Frees the tensors of the innermost frame. 0: no frame is open.
static int tn_frame_close(tiny_ctx *t) {
  struct tn_tensors *all = t->tensors;
  if (!all->depth) return 0;
  while (all->framed && all->framed->frame == all->depth) tiny_free(all->framed);
  all->depth--;
  return 1;
}

// The live tensor after x in some order, or the first for NULL. x may have been given another uop, not freed.
static tiny_tensor *tn_tensor_next(tiny_ctx *t, const tiny_tensor *x) {
  if (!x) return t->tensors->framed ? t->tensors->framed : t->tensors->kept;
  return x->next ? x->next : x->frame ? t->tensors->kept : NULL;
}

// Every node that a live tensor or a pending assignment holds. Heavy code only.
static void tn_tensors_roots(tiny_ctx *t, tn_list *roots) {
  for (tiny_tensor *x = tn_tensor_next(t, NULL); x; x = tn_tensor_next(t, x)) tn_push(t, roots, x->uop);
  for (int i = 0; i < t->tensors->npending; i++) tn_push(t, roots, t->tensors->pending[i]);
}

TINY_API int tiny_ok(const tiny_tensor *x) { return x && x->t && !tn_poisoned(x); }
TINY_API tiny_ctx *tiny_ctx_of(const tiny_tensor *x) { return x ? x->t : NULL; }
TINY_API tiny_uop *tiny_uop_of(const tiny_tensor *x) { return tiny_ok(x) ? x->uop : NULL; }
TINY_API tiny_dtype tiny_dtype_get(const tiny_tensor *x) {
  return tiny_ok(x) ? (tiny_dtype)x->uop->dtype : TINY_VOID;
}
TINY_API int64_t tiny_nelem(const tiny_tensor *x) {
  return tiny_ok(x) ? tn_dims_nelem(x->uop->ndim, x->uop->dim) : 0;
}
TINY_API tiny_shape tiny_shape_get(const tiny_tensor *x) {
  tiny_shape s;
  memset(&s, 0, sizeof s);
  if (!tiny_ok(x)) return s;
  s.ndim = x->uop->ndim;
  for (int i = 0; i < s.ndim; i++) s.dim[i] = x->uop->dim[i];
  return s;
}

// ** what operators check first **

// Are x[0..n-1] tensors of one context? If not, *out is what the operator returns: poison, or NULL when no argument
// tells the context. A poisoned argument leaves the first error alone.
static int tn_usable(const char *name, int n, tiny_tensor *const *x, tiny_tensor **out) {
  tiny_ctx *t = NULL;
  int null_at = 0;
  for (int i = n; i-- > 0;) {
    if (!x[i] || !x[i]->t) null_at = i + 1;
    else t = x[i]->t;
  }
  *out = tn_poison(t);
  if (!t) return 0;
  for (int i = 0; i < n; i++) if (x[i] && x[i]->t && tn_poisoned(x[i])) { *out = x[i]; return 0; }
  if (null_at) {
    tn_wrong(t, TINY_E_ARG, "%s: tensor argument %d is NULL or was freed", name, null_at);
    return 0;
  }
  for (int i = 0; i < n; i++)
    if (x[i]->t != t) {
      tn_wrong(t, TINY_E_ARG, "%s: argument %d belongs to another context", name, i + 1);
      return 0;
    }
  return 1;
}

enum { TN_DIMS_TEXT = 224 };               // enough for tn_dims_text to tell most shapes
static const char *tn_text_of(const tiny_uop *u, char *out) {
  return tn_dims_text(out, TN_DIMS_TEXT, u->ndim, u->dim);
}

// Is s a shape: dims within bounds and fewer than 2^60 elements?
static int tn_shape_valid(tiny_ctx *t, const char *name, const tiny_shape *s) {
  char text[TN_DIMS_TEXT];
  if (s->ndim < 0 || s->ndim > TINY_MAX_DIMS) {
    tiny_fail(t, TINY_E_SHAPE, "%s: %d dims, but shapes have 0 to %d", name, s->ndim, TINY_MAX_DIMS);
    return 0;
  }
  double nelem = 1;
  for (int i = 0; i < s->ndim; i++) {
    if (s->dim[i] < 0) {
      tiny_fail(t, TINY_E_SHAPE, "%s: negative size in %s", name,
                tn_dims_text(text, sizeof text, s->ndim, s->dim));
      return 0;
    }
    nelem *= s->dim[i] ? (double)s->dim[i] : 1;
  }
  if (nelem < 1152921504606846976.0) return 1;
  tiny_fail(t, TINY_E_SHAPE, "%s: too many elements in %s", name,
            tn_dims_text(text, sizeof text, s->ndim, s->dim));
  return 0;
}

static int tn_dtype_check(tiny_ctx *t, const char *name, tiny_dtype d) {
  if (tn_dtype_valid(d)) return 1;
  tiny_fail(t, TINY_E_DTYPE, "%s: %d is no dtype of tensors", name, (int)d);
  return 0;
}

// Axis counted from the front; -1 after an error. 0-d tensors take axis 0 and -1, as in PyTorch.
static int tn_axis(tiny_ctx *t, const char *name, const tiny_uop *u, int axis) {
  char text[TN_DIMS_TEXT];
  const int n = u->ndim ? u->ndim : 1, at = axis < 0 ? axis + n : axis;
  if (at >= 0 && at < n) return at;
  tiny_fail(t, TINY_E_ARG, "%s: axis %d is out of range for %s", name, axis, tn_text_of(u, text));
  return -1;
}

// u as a node of its own, unequal to every other.
static tiny_uop *tn_unique(tiny_ctx *t, int op, tiny_uop *u, int nv, const int64_t *v) {
  if (tn_bad(t, u)) return u;
  return tn_uop_make_with(t, op, u->dtype, 1, 1, &u, 0, nv, v, (void *)++t->tensors->identity);
}

// ** assignment **

enum { TN_MAX_CHAIN = 64 };                // movement ops between a tensor and its memory
typedef struct tn_chain { tiny_uop *link[TN_MAX_CHAIN]; int n; tiny_uop *bottom; } tn_chain;

// The movement ops that make u, and what they start from. 0: too many.
static int tn_chain_of(tiny_uop *u, tn_chain *c) {
  c->n = 0;
  for (; !u->realized && (tn_op_is(u->op, TINY_MOVEMENT) || u->op == TINY_OP_DETACH); u = u->src[0]) {
    if (c->n == TN_MAX_CHAIN) return 0;
    c->link[c->n++] = u;
  }
  c->bottom = u;
  return 1;
}
// The same movement of another bottom.
static tiny_uop *tn_chain_apply(tiny_ctx *t, const tn_chain *c, tiny_uop *x) {
  for (int i = c->n - 1; i >= 0 && !tn_bad(t, x); i--)
    if (c->link[i]->op != TINY_OP_DETACH)
      x = tn_move(t, c->link[i]->op, x, c->link[i]->k, c->link[i]->nv, c->link[i]->v);
  return x;
}

static int tn_pending_add(tiny_ctx *t, tiny_uop *u) {
  struct tn_tensors *all = t->tensors;
  if (all->npending == all->cappending) {
    const int cap = all->cappending ? all->cappending * 2 : TN_FIRST_SLOTS;
    tiny_uop **grown = (tiny_uop **)tn_realloc(t, all->pending, (size_t)all->cappending * sizeof *grown,
                                               (size_t)cap * sizeof *grown);
    if (!grown) return 0;
    all->pending = grown; all->cappending = cap;
  }
  all->pending[all->npending++] = u;
  return 1;
}

// Does this node stand for memory that nothing else computes? A CONTIGUOUS with an identity was made by an assignment.
static int tn_is_memory(const tiny_uop *u) {
  return u->op == TINY_OP_BUFFER || u->op == TINY_OP_ASSIGN || (u->op == TINY_OP_CONTIGUOUS && u->ptr);
}
// Is dst a part of what another live tensor stands for? A constant has no parts.
static int tn_is_part(tiny_ctx *t, const tiny_tensor *dst, const tn_chain *c) {
  for (tiny_tensor *x = tn_tensor_next(t, NULL); x; x = tn_tensor_next(t, x)) {
    if (x == dst || x->uop == dst->uop) continue;
    for (int i = 1; i < c->n; i++) if (x->uop == c->link[i]) return 1;
    if (c->n && x->uop == c->bottom && !tn_is_const(c->bottom)) return 1;
  }
  return 0;
}
// A tensor whose value was not computed yet gets new memory.
static tiny_tensor *tn_assign_fresh(tiny_ctx *t, tiny_tensor *dst, tiny_uop *value) {
  tiny_uop *state = tn_unique(t, TINY_OP_CONTIGUOUS, value, 0, NULL);
  if (tn_bad(t, state) || !tn_pending_add(t, state)) return tn_poison(t);
  dst->uop = state;
  return dst;
}
static tiny_tensor *tn_assign_in_place(tiny_ctx *t, tiny_tensor *dst, const tn_chain *c, tiny_uop *value) {
  tiny_uop *old = c->bottom, *base = tn_is_memory(old) ? old : tn_unique(t, TINY_OP_CONTIGUOUS, old, 0, NULL);
  tiny_uop *src[3] = {base, tn_chain_apply(t, c, base), value};
  tiny_uop *state = tn_uop_make(t, TINY_OP_ASSIGN, base->dtype, 1, 3, src, 0, 0, NULL),
           *view = tn_chain_apply(t, c, state);
  if (tn_bad(t, state) || tn_bad(t, view) || !tn_pending_add(t, state)) return tn_poison(t);
  for (tiny_tensor *x = tn_tensor_next(t, NULL); x; x = tn_tensor_next(t, x)) {
    if (x->uop == old) x->uop = state;
    else if ((x->uop->op == TINY_OP_RESHAPE || x->uop->op == TINY_OP_VIEW) && x->uop->src[0] == old &&
             x != dst) {
      tiny_uop *u = tn_move(t, x->uop->op, state, x->uop->k, x->uop->nv, x->uop->v);
      if (tn_bad(t, u)) return tn_poison(t);
      x->uop = u;
    }
  }
  dst->uop = view;
  return dst;
}

// The next state of dst is v, broadcast and cast.
static tiny_tensor *tn_assign(tiny_tensor *dst, tiny_uop *v) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_ctx *t = dst->t;
  tiny_uop *u = dst->uop;
  tiny_shape s = tiny_shape_get(dst);
  tn_chain c;
  if (tn_bad(t, v)) return tn_poison(t);
  if (!tn_broadcast_dims(v->ndim, v->dim, &s.ndim, s.dim) || !tn_has_dims(u, s.ndim, s.dim))
    return tn_wrong(t, TINY_E_SHAPE, "assign: %s does not broadcast to %s", tn_text_of(v, b),
                    tn_text_of(u, a));
  if (!tn_chain_of(u, &c))
    return tn_wrong(t, TINY_E_ARG, "assign: more than %d movement ops between the tensor and its memory",
                    TN_MAX_CHAIN);
  if (v == u) return dst;
  v = tn_expand(t, tn_cast(t, v, u->dtype), s.ndim, s.dim);
  if (tn_is_memory(c.bottom)) return tn_assign_in_place(t, dst, &c, v);
  const int part = tn_is_part(t, dst, &c);
  if (part && c.bottom->realized) return tn_assign_in_place(t, dst, &c, v);
  if (part)
    return tn_wrong(t, TINY_E_ARG,
                    "assign: %s is a view of a tensor that is not computed yet; realize that first",
                    tn_text_of(u, a));
  return tn_assign_fresh(t, dst, v);
}
TINY_API tiny_tensor *tiny_assign(tiny_tensor *dst, tiny_tensor *value) {
  tiny_tensor *out, *in[2] = {dst, value};
  return tn_usable("assign", 2, in, &out) ? tn_assign(dst, value->uop) : out;
}
#endif
// ---- end src/tensor/tensor.c ----
// ---- begin src/tensor/create.c ----
// create: tensors from numbers, and the identities that change how a tensor is stored or typed.
#ifndef TN_TENSOR_CREATE
#define TN_TENSOR_CREATE
#ifndef TINY_AMALGAMATED
#include "tensor.c"
#endif

static int tn_creatable(tiny_ctx *t, const char *name, tiny_dtype dtype, const tiny_shape *s) {
  return t && t->tensors && tn_dtype_check(t, name, dtype) && tn_shape_valid(t, name, s);
}

// Unlike a 0-d constant, a tensor of equal numbers is a node of its own: it may become a parameter.
static tiny_tensor *tn_full(tiny_ctx *t, const char *name, double value, tiny_dtype dtype, tiny_shape shape) {
  int64_t one[TINY_MAX_DIMS];
  if (!tn_creatable(t, name, dtype, &shape)) return tn_poison(t);
  for (int i = 0; i < TINY_MAX_DIMS; i++) one[i] = 1;
  tiny_uop *u = tn_unique(t, TINY_OP_RESHAPE, tn_constant(t, dtype, value), shape.ndim, one);
  return tn_tensor_new(t, tn_expand(t, u, shape.ndim, shape.dim));
}
TINY_API tiny_tensor *tiny_full(tiny_ctx *t, double value, tiny_dtype dtype, tiny_shape shape) {
  return tn_full(t, "full", value, dtype, shape);
}
TINY_API tiny_tensor *tiny_zeros(tiny_ctx *t, tiny_dtype dtype, tiny_shape shape) {
  return tn_full(t, "zeros", 0, dtype, shape);
}
TINY_API tiny_tensor *tiny_ones(tiny_ctx *t, tiny_dtype dtype, tiny_shape shape) {
  return tn_full(t, "ones", 1, dtype, shape);
}

TINY_API tiny_tensor *tiny_like(tiny_tensor *x, double value) {
  tiny_tensor *out;
  if (!tn_usable("like", 1, &x, &out)) return out;
  return tn_tensor_new(x->t, tn_k(x->t, x->uop, value));
}

// A SCALAR with an identity, so that two scalars that happen to be equal now stay two.
static tiny_uop *tn_scalar(tiny_ctx *t, int dtype, int64_t k, uintptr_t identity) {
  return tn_uop_make_with(t, TINY_OP_SCALAR, dtype, 1, 0, NULL, k, 0, NULL, (void *)identity);
}
TINY_API tiny_tensor *tiny_scalar(tiny_ctx *t, double value, tiny_dtype dtype) {
  const tiny_shape none = {0, {0}};
  if (!tn_creatable(t, "scalar", dtype, &none)) return tn_poison(t);
  return tn_tensor_new(t, tn_scalar(t, dtype, tn_dtype_value(dtype, value), ++t->tensors->identity));
}

// start + i * step in closed form. Halves and fractional steps of integers are computed wider, then cast.
TINY_API tiny_tensor *tiny_arange(tiny_ctx *t, double start, double stop, double step, tiny_dtype dtype) {
  const double steps = ceil((stop - start) / step);
  tiny_shape s = {1, {0}};
  if (!t || !t->tensors) return tn_poison(t);
  if (!(step != 0) || !(steps >= 0) || !(fabs(steps) < 1e18))
    return tn_wrong(t, TINY_E_ARG, "arange: no way from %g to %g in steps of %g", start, stop, step);
  s.dim[0] = (int64_t)steps;
  if (!tn_creatable(t, "arange", dtype, &s)) return tn_poison(t);
  const int whole = start == floor(start) && step == floor(step);
  const int wide = tn_is_float(dtype) ? (dtype == TINY_F64 ? TINY_F64 : TINY_F32) :
      whole && dtype != TINY_BOOL     ? (int)dtype :
                                        (int)TINY_F64;
  tiny_uop *u = tn_plus(t, tn_times(t, tn_iota(t, wide, s.dim[0], 0, 1), step), start);
  return tn_tensor_new(t, tn_bad(t, u) ? u : tn_cast(t, u, dtype));
}

TINY_API tiny_tensor *tiny_eye(tiny_ctx *t, int64_t n, tiny_dtype dtype) {
  tiny_shape s = {2, {n, n}};
  if (!tn_creatable(t, "eye", dtype, &s)) return tn_poison(t);
  tiny_uop *u = tn_eq(t, tn_iota(t, TINY_INDEX, n, 0, 2), tn_iota(t, TINY_INDEX, n, 1, 2));
  return tn_tensor_new(t, tn_bad(t, u) ? u : tn_cast(t, u, dtype));
}

TINY_API tiny_tensor *tiny_cast(tiny_tensor *x, tiny_dtype dtype) {
  tiny_tensor *out;
  if (!tn_usable("cast", 1, &x, &out) || !tn_dtype_check(x->t, "cast", dtype)) return out;
  return tn_tensor_new(x->t, tn_cast(x->t, x->uop, dtype));
}

TINY_API tiny_tensor *tiny_bitcast(tiny_tensor *x, tiny_dtype dtype) {
  tiny_tensor *out;
  if (!tn_usable("bitcast", 1, &x, &out) || !tn_dtype_check(x->t, "bitcast", dtype)) return out;
  tiny_uop *u = x->uop;
  if (u->dtype == dtype) return tn_tensor_new(x->t, u);
  if (tn_bits(u->dtype) != tn_bits(dtype) || dtype == TINY_BOOL)
    return tn_wrong(x->t, TINY_E_DTYPE, "bitcast: %s cannot be read as %s",
                    tiny_dtype_name((tiny_dtype)u->dtype), tiny_dtype_name(dtype));
  return tn_tensor_new(x->t, tn_uop_make(x->t, TINY_OP_BITCAST, dtype, 1, 1, &u, 0, 0, NULL));
}

TINY_API tiny_tensor *tiny_contiguous(tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_usable("contiguous", 1, &x, &out)) return out;
  if (x->uop->op == TINY_OP_CONTIGUOUS || x->uop->op == TINY_OP_BUFFER) return tn_tensor_new(x->t, x->uop);
  return tn_tensor_new(x->t, tn_u1(x->t, TINY_OP_CONTIGUOUS, x->uop));
}

TINY_API tiny_tensor *tiny_detach(tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_usable("detach", 1, &x, &out)) return out;
  return tn_tensor_new(x->t, tn_u1(x->t, TINY_OP_DETACH, x->uop));
}
#endif
// ---- end src/tensor/create.c ----
// ---- begin src/tensor/movement.c ----
// movement: operators that give another view of the same elements, and cat and stack, which add padded parts.
#ifndef TN_TENSOR_MOVEMENT
#define TN_TENSOR_MOVEMENT
#ifndef TINY_AMALGAMATED
#include "create.c"
#endif

TINY_API tiny_tensor *tiny_reshape(tiny_tensor *x, tiny_shape s) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("reshape", 1, &x, &out)) return out;
  const int64_t have = tiny_nelem(x);
  int unknown = -1;
  int64_t rest = 1;
  for (int i = 0; i < s.ndim && i < TINY_MAX_DIMS; i++) {
    if (s.dim[i] == -1 && unknown < 0) unknown = i;
    else rest = tn_clamp_mul(rest, s.dim[i]);
  }
  if (unknown >= 0) s.dim[unknown] = rest > 0 && have % rest == 0 ? have / rest : -1;
  if (unknown >= 0 && s.dim[unknown] < 0)
    return tn_wrong(x->t, TINY_E_SHAPE, "reshape: %s cannot become %s", tn_text_of(x->uop, a),
                    tn_dims_text(b, sizeof b, s.ndim < TINY_MAX_DIMS ? s.ndim : TINY_MAX_DIMS, s.dim));
  if (!tn_shape_valid(x->t, "reshape", &s)) return out;
  if (tn_dims_nelem(s.ndim, s.dim) != have)
    return tn_wrong(x->t, TINY_E_SHAPE, "reshape: %s has %lld elements, %s has %lld", tn_text_of(x->uop, a),
                    (long long)have, tn_dims_text(b, sizeof b, s.ndim, s.dim),
                    (long long)tn_dims_nelem(s.ndim, s.dim));
  return tn_tensor_new(x->t, tn_reshape(x->t, x->uop, s.ndim, s.dim));
}

// Axes of x as bits; -1 after an error. An axis may not be named twice.
static int tn_axis_bits(tiny_ctx *t, const char *name, const tiny_uop *u, const tiny_shape *axes) {
  char text[TN_DIMS_TEXT];
  int bits = 0;
  if (axes->ndim < 0 || axes->ndim > TINY_MAX_DIMS) {
    tiny_fail(t, TINY_E_ARG, "%s: %d axes", name, axes->ndim);
    return -1;
  }
  for (int i = 0; i < axes->ndim; i++) {
    if (axes->dim[i] == TINY_ALL) return (1 << u->ndim) - 1;
    const int at =
        tn_axis(t, name, u,
                axes->dim[i] < -TINY_MAX_DIMS || axes->dim[i] > TINY_MAX_DIMS ? 99 : (int)axes->dim[i]);
    if (at < 0) return -1;
    if (bits >> at & 1) {
      tiny_fail(t, TINY_E_ARG, "%s: axis %d of %s is named twice", name, at, tn_text_of(u, text));
      return -1;
    }
    bits |= 1 << at;
  }
  return u->ndim ? bits : 0;
}

TINY_API tiny_tensor *tiny_permute(tiny_tensor *x, tiny_shape axes) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("permute", 1, &x, &out)) return out;
  if (axes.ndim != x->uop->ndim)
    return tn_wrong(x->t, TINY_E_ARG, "permute: %d axes for %s", axes.ndim, tn_text_of(x->uop, a));
  if (tn_axis_bits(x->t, "permute", x->uop, &axes) < 0) return out;
  for (int i = 0; i < axes.ndim; i++) if (axes.dim[i] < 0) axes.dim[i] += axes.ndim;
  return tn_tensor_new(x->t, tn_permute(x->t, x->uop, axes.dim));
}

TINY_API tiny_tensor *tiny_transpose(tiny_tensor *x, int a, int b) {
  tiny_tensor *out;
  if (!tn_usable("transpose", 1, &x, &out)) return out;
  a = tn_axis(x->t, "transpose", x->uop, a);
  b = a < 0 ? a : tn_axis(x->t, "transpose", x->uop, b);
  return b < 0 ? out : tn_tensor_new(x->t, tn_swap(x->t, x->uop, a, b));
}

TINY_API tiny_tensor *tiny_expand(tiny_tensor *x, tiny_shape s) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("expand", 1, &x, &out)) return out;
  const int lead = s.ndim - x->uop->ndim;
  for (int i = lead > 0 ? lead : 0; i < s.ndim && i < TINY_MAX_DIMS; i++)
    if (s.dim[i] == -1 && lead >= 0) s.dim[i] = x->uop->dim[i - lead];
  if (!tn_shape_valid(x->t, "expand", &s)) return out;
  int n = s.ndim;
  int64_t dim[TINY_MAX_DIMS];
  memcpy(dim, s.dim, sizeof dim);
  if (lead < 0 || !tn_broadcast_dims(x->uop->ndim, x->uop->dim, &n, dim) || !tn_dims_same(n, dim, s.dim))
    return tn_wrong(x->t, TINY_E_SHAPE, "expand: %s does not broadcast to %s", tn_text_of(x->uop, a),
                    tn_dims_text(b, sizeof b, s.ndim, s.dim));
  return tn_tensor_new(x->t, tn_expand(x->t, x->uop, n, dim));
}

// x surrounded by value; where is the mask of what came from x.
static tiny_uop *tn_pad_with(tiny_ctx *t, tiny_uop *x, const int64_t *before_after, tiny_uop *value) {
  tiny_uop *padded = tn_pad(t, x, before_after);
  if (tn_bad(t, x) || tn_bad(t, value) || tn_bad(t, padded) || padded == x) return padded;
  if (value->k == 0) return padded;        // as integer and as f64
  tiny_uop *inside = tn_pad(t, tn_expand(t, tn_bool(t, 1), x->ndim, x->dim), before_after);
  return tn_where(t, inside, padded, value);
}

TINY_API tiny_tensor *tiny_pad(tiny_tensor *x, tiny_shape amount, double value) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("pad", 1, &x, &out)) return out;
  tiny_uop *u = x->uop;
  if (amount.ndim != 2 * u->ndim)
    return tn_wrong(x->t, TINY_E_ARG, "pad: %d amounts for %s, which needs %d", amount.ndim, tn_text_of(u, a),
                    2 * u->ndim);
  int64_t crop[2 * TINY_MAX_DIMS], grow[2 * TINY_MAX_DIMS];
  tiny_shape s = {u->ndim, {0}};
  for (int i = 0; i < 2 * u->ndim; i++) {
    const int64_t v = amount.dim[i], size = u->dim[i / 2];
    if (v < -size || v > (int64_t)1 << 60)
      return tn_wrong(x->t, TINY_E_SHAPE, "pad: %s by %s", tn_text_of(u, a),
                      tn_dims_text(b, sizeof b, amount.ndim, amount.dim));
    crop[i] = i & 1 ? size + (v < 0 ? v : 0) : v < 0 ? -v : 0;
    grow[i] = v > 0 ? v : 0;
    if (i & 1 && crop[i - 1] > crop[i])
      return tn_wrong(x->t, TINY_E_SHAPE, "pad: %s by %s", tn_text_of(u, a),
                      tn_dims_text(b, sizeof b, amount.ndim, amount.dim));
    if (i & 1) s.dim[i / 2] = crop[i] - crop[i - 1] + grow[i] + grow[i - 1];
  }
  if (!tn_shape_valid(x->t, "pad", &s)) return out;
  return tn_tensor_new(x->t, tn_pad_with(x->t, tn_shrink(x->t, u, crop), grow, tn_k(x->t, u, value)));
}

TINY_API tiny_tensor *tiny_shrink(tiny_tensor *x, tiny_shape range) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("shrink", 1, &x, &out)) return out;
  if (range.ndim != 2 * x->uop->ndim)
    return tn_wrong(x->t, TINY_E_ARG, "shrink: %d bounds for %s, which needs %d", range.ndim,
                    tn_text_of(x->uop, a), 2 * x->uop->ndim);
  for (int i = 0; i < x->uop->ndim; i++) {
    if (range.dim[2 * i] >= 0 && range.dim[2 * i] <= range.dim[2 * i + 1] &&
        range.dim[2 * i + 1] <= x->uop->dim[i])
      continue;
    return tn_wrong(x->t, TINY_E_SHAPE, "shrink: %s to %s", tn_text_of(x->uop, a),
                    tn_dims_text(b, sizeof b, range.ndim, range.dim));
  }
  return tn_tensor_new(x->t, tn_shrink(x->t, x->uop, range.dim));
}

TINY_API tiny_tensor *tiny_flip(tiny_tensor *x, tiny_shape axes) {
  tiny_tensor *out;
  if (!tn_usable("flip", 1, &x, &out)) return out;
  const int bits = tn_axis_bits(x->t, "flip", x->uop, &axes);
  return bits < 0 ? out : tn_tensor_new(x->t, tn_flip(x->t, x->uop, bits));
}

// Every step-th element of one axis, beginning with the first: (.., n*step, ..) -> (.., n, step, ..) -> (.., n, ..).
static tiny_uop *tn_every(tiny_ctx *t, tiny_uop *x, int axis, int64_t step) {
  if (tn_bad(t, x) || step == 1) return x;
  int64_t dim[TINY_MAX_DIMS], folded[4] = {1, 0, step, 1};
  const int ndim = x->ndim;
  const int64_t n = x->dim[axis] / step + (x->dim[axis] % step != 0);
  for (int i = 0; i < ndim; i++) dim[i] = i == axis ? n : x->dim[i];
  if (n <= 1) return tn_cut(t, x, axis, 0, n);
  folded[0] = tn_dims_nelem(axis, dim);
  folded[1] = n;
  folded[3] = tn_dims_nelem(ndim - axis - 1, dim + axis + 1);
  x = tn_extend(t, x, axis, 0, n * step - x->dim[axis]);
  return tn_reshape(t, tn_cut(t, tn_reshape(t, x, 4, folded), 2, 0, 1), ndim, dim);
}

// Bounds as Python's slice.indices gives them (CPython, PySlice_AdjustIndices).
static int64_t tn_slice_bound(int64_t at, int64_t size, int64_t low, int64_t high) {
  if (at < 0) at += size;
  return at < low ? low : at > high ? high : at;
}

TINY_API tiny_tensor *tiny_slice(tiny_tensor *x, int axis, int64_t start, int64_t stop, int64_t step) {
  tiny_tensor *out;
  if (!tn_usable("slice", 1, &x, &out)) return out;
  if (!x->uop->ndim) return tn_wrong(x->t, TINY_E_SHAPE, "slice: a 0-d tensor has no axis %d", axis);
  if (!step || step == INT64_MIN) return tn_wrong(x->t, TINY_E_ARG, "slice: step %lld", (long long)step);
  if ((axis = tn_axis(x->t, "slice", x->uop, axis)) < 0) return out;
  const int64_t size = x->uop->dim[axis], low = step < 0 ? -1 : 0, high = step < 0 ? size - 1 : size;
  start = tn_slice_bound(start, size, low, high);
  stop = tn_slice_bound(stop, size, low, high);
  const int64_t by = step < 0 ? -step : step, span = step < 0 ? start - stop : stop - start;
  tiny_uop *u = x->uop;
  if (span <= 0) return tn_tensor_new(x->t, tn_cut(x->t, u, axis, 0, 0));
  if (step > 0) u = tn_cut(x->t, u, axis, start, stop);
  else u = tn_flip(x->t, tn_cut(x->t, u, axis, stop + 1, start + 1), (int64_t)1 << axis);
  return tn_tensor_new(x->t, tn_every(x->t, u, axis, by));
}

TINY_API tiny_tensor *tiny_squeeze(tiny_tensor *x, int axis) {
  tiny_tensor *out;
  if (!tn_usable("squeeze", 1, &x, &out)) return out;
  if (axis != TINY_ALL && (axis = tn_axis(x->t, "squeeze", x->uop, axis)) < 0) return out;
  int64_t dim[TINY_MAX_DIMS];
  int n = 0;
  for (int i = 0; i < x->uop->ndim; i++)
    if (x->uop->dim[i] != 1 || (axis != TINY_ALL && axis != i)) dim[n++] = x->uop->dim[i];
  return tn_tensor_new(x->t, tn_reshape(x->t, x->uop, n, dim));
}

TINY_API tiny_tensor *tiny_unsqueeze(tiny_tensor *x, int axis) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("unsqueeze", 1, &x, &out)) return out;
  const int n = x->uop->ndim, at = axis < 0 ? axis + n + 1 : axis;
  if (at < 0 || at > n)
    return tn_wrong(x->t, TINY_E_ARG, "unsqueeze: axis %d is out of range for %s", axis,
                    tn_text_of(x->uop, a));
  if (n == TINY_MAX_DIMS)
    return tn_wrong(x->t, TINY_E_SHAPE, "unsqueeze: %s has %d dims already", tn_text_of(x->uop, a), n);
  return tn_tensor_new(x->t, tn_insert(x->t, x->uop, at));
}

TINY_API tiny_tensor *tiny_flatten(tiny_tensor *x, int first, int last) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("flatten", 1, &x, &out)) return out;
  if ((first = tn_axis(x->t, "flatten", x->uop, first)) < 0 ||
      (last = tn_axis(x->t, "flatten", x->uop, last)) < 0)
    return out;
  if (first > last)
    return tn_wrong(x->t, TINY_E_ARG, "flatten: axes %d to %d of %s", first, last, tn_text_of(x->uop, a));
  int64_t dim[TINY_MAX_DIMS] = {1};
  int n = 0;
  for (int i = 0; i < x->uop->ndim; i++) {
    if (i > first && i <= last) dim[n - 1] *= x->uop->dim[i];
    else dim[n++] = x->uop->dim[i];
  }
  return tn_tensor_new(x->t, tn_reshape(x->t, x->uop, n ? n : 1, dim));
}

// ** joining **

// Parts along an existing axis. Every part is padded with zeros to the whole and they are added: loads outside of a
// part are gated, so each element of the result reads one part.
static tiny_tensor *tn_join(const char *name, tiny_tensor *const *xs, int n, int axis, int stack) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (n <= 0 || !xs) return NULL;
  if (!tn_usable(name, n, xs, &out)) return out;
  tiny_ctx *t = xs[0]->t;
  const tiny_uop *first = xs[0]->uop;
  const int ndim = first->ndim + stack, at = axis < 0 ? axis + ndim : axis;
  if (at < 0 || at >= ndim || ndim > TINY_MAX_DIMS)
    return tn_wrong(t, TINY_E_ARG, "%s: axis %d is out of range for %s", name, axis, tn_text_of(first, a));
  tiny_dtype dtype = (tiny_dtype)first->dtype;
  int64_t total = 0, done = 0;
  for (int i = 0; i < n; i++) {
    const tiny_uop *u = xs[i]->uop;
    int same = u->ndim == first->ndim;
    for (int d = 0; same && d < u->ndim; d++) if ((stack || d != at) && u->dim[d] != first->dim[d]) same = 0;
    if (!same)
      return tn_wrong(t, TINY_E_SHAPE, "%s: %s and %s along axis %d", name, tn_text_of(first, a),
                      tn_text_of(u, b), at);
    dtype = tiny_promote(dtype, (tiny_dtype)u->dtype);
    total += stack ? 1 : u->dim[at];
  }
  tiny_uop *sum = NULL;
  for (int i = 0; i < n; i++) {
    tiny_uop *u = tn_cast(t, xs[i]->uop, dtype);
    const int64_t size = stack ? 1 : xs[i]->uop->dim[at];
    if (stack) u = tn_insert(t, u, at);
    if (n > 1 && !size) continue;
    u = tn_extend(t, u, at, done, total - done - size);
    sum = sum ? tn_add(t, sum, u) : u;
    done += size;
  }
  return tn_tensor_new(t, sum ? sum : tn_cast(t, xs[0]->uop, dtype));
}
TINY_API tiny_tensor *tiny_cat(tiny_tensor *const *xs, int n, int axis) {
  return tn_join("cat", xs, n, axis, 0);
}
TINY_API tiny_tensor *tiny_stack(tiny_tensor *const *xs, int n, int axis) {
  return tn_join("stack", xs, n, axis, 1);
}
#endif
// ---- end src/tensor/movement.c ----
// ---- begin src/tensor/elementwise.c ----
// elementwise: unary, binary and comparison operators: a table of names, the dtypes they take, and a formula each.
//
// A formula gets nodes of one dtype and gives a node. What surrounds it is here once: arguments,
// promotion, broadcasting. Formulas are chosen so that they are accurate where a textbook's
// cancels, and so that their gradients hold no inf*0.
#ifndef TN_TENSOR_ELEMENTWISE
#define TN_TENSOR_ELEMENTWISE
#ifndef TINY_AMALGAMATED
#include "movement.c"
#endif

// What dtypes an operator takes. TN_REAL: floats; integers and bools become f32; f16 and bf16 compute in f32.
enum { TN_ANY, TN_REAL, TN_NUMBER, TN_WHOLE, TN_BITS };      // any; floats; not bool; integers; integers and bool
static const char *const tn_takes[] = {"anything", "anything", "numbers", "integers", "integers and bools"};

typedef tiny_uop *(*tn_formula1)(tiny_ctx *t, tiny_uop *x);
typedef tiny_uop *(*tn_formula2)(tiny_ctx *t, tiny_uop *a, tiny_uop *b);

static int tn_is_half(int dtype) { return dtype == TINY_F16 || dtype == TINY_BF16; }
static int tn_taken(tiny_ctx *t, const char *name, int takes, int dtype) {
  if ((takes == TN_NUMBER && dtype == TINY_BOOL) || (takes == TN_WHOLE && !tn_is_int(dtype)) ||
      (takes == TN_BITS && tn_is_float(dtype))) {
    tiny_fail(t, TINY_E_DTYPE, "%s: takes %s, not %s", name, tn_takes[takes], tn_dtypes[dtype].name);
    return 0;
  }
  return 1;
}
static int tn_real(int dtype) { return tn_is_float(dtype) ? dtype : (int)TINY_F32; }
static int tn_computed_in(int dtype) { return tn_is_half(dtype) ? (int)TINY_F32 : dtype; }

// ** formulas of one operand **

#define TN_PI 3.14159265358979323846

static tiny_uop *tn_reciprocal(tiny_ctx *t, tiny_uop *x) { return tn_fdiv(t, tn_k(t, x, 1), x); }
static tiny_uop *tn_square(tiny_ctx *t, tiny_uop *x) { return tn_mul(t, x, x); }
static tiny_uop *tn_sqrt(tiny_ctx *t, tiny_uop *x) { return tn_u1(t, TINY_OP_SQRT, x); }
static tiny_uop *tn_rsqrt(tiny_ctx *t, tiny_uop *x) { return tn_reciprocal(t, tn_sqrt(t, x)); }
static tiny_uop *tn_exp2(tiny_ctx *t, tiny_uop *x) { return tn_u1(t, TINY_OP_EXP2, x); }
static tiny_uop *tn_log2(tiny_ctx *t, tiny_uop *x) { return tn_u1(t, TINY_OP_LOG2, x); }
static tiny_uop *tn_exp(tiny_ctx *t, tiny_uop *x) { return tn_exp2(t, tn_times(t, x, TN_LOG2_E)); }
static tiny_uop *tn_tan(tiny_ctx *t, tiny_uop *x) { return tn_fdiv(t, tn_sin(t, x), tn_cos(t, x)); }
static tiny_uop *tn_relu(tiny_ctx *t, tiny_uop *x) { return tn_max(t, x, tn_k(t, x, 0)); }
static tiny_uop *tn_below_zero(tiny_ctx *t, tiny_uop *x) { return tn_lt(t, x, tn_k(t, x, 0)); }

// exp(-|x|), never more than 1. |x| by WHERE: its derivative at 0 is 1, so that sigmoid's there is 1/4.
static tiny_uop *tn_decay(tiny_ctx *t, tiny_uop *x) {
  return tn_exp(t, tn_where(t, tn_below_zero(t, x), x, tn_neg(t, x)));
}
static tiny_uop *tn_sigmoid(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *e = tn_decay(t, x);
  return tn_fdiv(t, tn_where(t, tn_below_zero(t, x), e, tn_k(t, x, 1)), tn_plus(t, e, 1));
}
static tiny_uop *tn_silu(tiny_ctx *t, tiny_uop *x) { return tn_mul(t, x, tn_sigmoid(t, x)); }
// 0.5 x (1 + tanh(u)) = x sigmoid(2u), u = sqrt(2/pi) (x + 0.044715 x^3): Hendrycks and Gimpel, arXiv:1606.08415.
static tiny_uop *tn_gelu(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *cubic = tn_plus(t, tn_times(t, tn_square(t, x), 0.044715), 1);
  return tn_mul(t, x, tn_sigmoid(t, tn_times(t, tn_mul(t, x, cubic), 1.59576912160573071176)));
}
static tiny_uop *tn_polynomial(tiny_ctx *t, tiny_uop *x, int n, const double *c) {
  tiny_uop *y = tn_k(t, x, c[0]);
  for (int i = 1; i < n; i++) y = tn_plus(t, tn_mul(t, y, x), c[i]);
  return y;
}
// Near 0 the rational approximation of Cephes (Moshier, tanh.c), elsewhere (1 - e) / (1 + e) with e = exp(-2|x|).
static tiny_uop *tn_tanh(tiny_ctx *t, tiny_uop *x) {
  static const double p[3] = {-9.64399179425052238628E-1, -9.92877231001918586564E1,
                              -1.61468768441708447952E3};
  static const double q[4] = {1, 1.12811678491632931402E2, 2.23548839060100448583E3,
                              4.84406305325125486048E3};
  tiny_uop *z = tn_square(t, x), *e = tn_decay(t, tn_times(t, x, 2)), *negative = tn_below_zero(t, x);
  tiny_uop *outer = tn_fdiv(t, tn_plus(t, tn_neg(t, e), 1), tn_plus(t, e, 1));
  tiny_uop *is_small = tn_lt(t, z, tn_k(t, z, 0.390625));
  tiny_uop *zs = tn_where(t, is_small, z, tn_k(t, z, 0));       // keeps inf out of the branch that is not taken
  tiny_uop *inner =
      tn_mul(t, x,
             tn_plus(t, tn_fdiv(t, tn_mul(t, zs, tn_polynomial(t, zs, 3, p)), tn_polynomial(t, zs, 4, q)),
                     1));
  return tn_where(t, is_small, inner, tn_where(t, negative, tn_neg(t, outer), outer));
}

static tiny_uop *tn_abs(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) || tn_is_unsigned(x->dtype) || x->dtype == TINY_BOOL ? x : tn_max(t, x, tn_neg(t, x));
}
static tiny_uop *tn_sign(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x) || x->dtype == TINY_BOOL) return x;
  tiny_uop *above = tn_gt(t, x, tn_k(t, x, 0)), *below = tn_below_zero(t, x);
  if (tn_bad(t, above) || tn_bad(t, below)) return &t->ir->bad;
  return tn_sub(t, tn_cast(t, above, x->dtype), tn_cast(t, below, x->dtype));
}
static tiny_uop *tn_trunc(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) || !tn_is_float(x->dtype) ? x : tn_u1(t, TINY_OP_TRUNC, x);
}
static tiny_uop *tn_floor(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *whole = tn_trunc(t, x);
  return whole == x ? x : tn_where(t, tn_lt(t, x, whole), tn_plus(t, whole, -1), whole);
}
static tiny_uop *tn_ceil(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *whole = tn_trunc(t, x);
  return whole == x ? x : tn_where(t, tn_lt(t, whole, x), tn_plus(t, whole, 1), whole);
}
// Away from zero past a half, at a half if the whole part is odd.
static tiny_uop *tn_round(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *whole = tn_trunc(t, x);
  if (whole == x) return x;
  tiny_uop *part = tn_abs(t, tn_sub(t, x, whole)), *half = tn_times(t, whole, 0.5), *limit = tn_k(t, x, 0.5);
  tiny_uop *odd = tn_ne(t, tn_trunc(t, half), half);
  tiny_uop *away = tn_or(t, tn_gt(t, part, limit), tn_and(t, tn_eq(t, part, limit), odd));
  return tn_add(t, whole, tn_where(t, away, tn_sign(t, x), tn_k(t, x, 0)));
}
static tiny_uop *tn_is_zero(tiny_ctx *t, tiny_uop *x) { return tn_eq(t, x, tn_k(t, x, 0)); }
static tiny_uop *tn_isnan(tiny_ctx *t, tiny_uop *x) { return tn_ne(t, x, x); }

static tiny_tensor *tn_unary(const char *name, int takes, tn_formula1 formula, tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out) || !tn_taken(x->t, name, takes, x->uop->dtype)) return out;
  if (takes != TN_REAL) return tn_tensor_new(x->t, formula(x->t, x->uop));
  const int dtype = tn_real(x->uop->dtype);
  tiny_uop *u = tn_cast(x->t, x->uop, tn_computed_in(dtype));
  u = tn_bad(x->t, u) ? u : formula(x->t, u);
  return tn_tensor_new(x->t, tn_bad(x->t, u) ? u : tn_cast(x->t, u, dtype));
}

#define TN_UNARY(_) \
  _(neg, TN_NUMBER) _(abs, TN_ANY) _(sign, TN_ANY) _(square, TN_ANY) _(trunc, TN_ANY) _(floor, TN_ANY) \
  _(ceil, TN_ANY) _(round, TN_ANY) \
  _(sqrt, TN_REAL) _(rsqrt, TN_REAL) _(reciprocal, TN_REAL) _(exp, TN_REAL) _(exp2, TN_REAL) _(log2, TN_REAL) \
  _(sin, TN_REAL) _(cos, TN_REAL) _(tan, TN_REAL) _(tanh, TN_REAL) _(sigmoid, TN_REAL) \
  _(silu, TN_REAL) _(gelu, TN_REAL) _(relu, TN_NUMBER) _(isnan, TN_ANY)
#define TN_UNARY_OPERATOR(name, takes) \
  TINY_API tiny_tensor *tiny_##name(tiny_tensor *x) { return tn_unary(#name, takes, tn_##name, x); }
TN_UNARY(TN_UNARY_OPERATOR)
TINY_API tiny_tensor *tiny_log(tiny_tensor *x) { return tn_unary("log", TN_REAL, tn_logarithm, x); }
TINY_API tiny_tensor *tiny_logical_not(tiny_tensor *x) {
  return tn_unary("logical_not", TN_ANY, tn_is_zero, x);
}

// The gradient is that of x within the bounds, both included; NaN stays.
TINY_API tiny_tensor *tiny_clamp(tiny_tensor *x, double lo, double hi) {
  tiny_tensor *out;
  if (!tn_usable("clamp", 1, &x, &out)) return out;
  if (!(lo <= hi)) return tn_wrong(x->t, TINY_E_ARG, "clamp: from %g to %g", lo, hi);
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop, *low = tn_k(t, u, lo), *high = tn_k(t, u, hi);
  return tn_tensor_new(t, tn_where(t, tn_lt(t, u, low), low, tn_where(t, tn_gt(t, u, high), high, u)));
}

// ** formulas of two operands **

static tiny_uop *tn_floor_divide(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  return tn_bad(t, a) || !tn_is_float(a->dtype) ? tn_idiv(t, a, b) : tn_floor(t, tn_fdiv(t, a, b));
}
// a - b floor(a/b), put right where the quotient was rounded over a whole number. (inf as b gives NaN.)
static tiny_uop *tn_remainder(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  if (tn_bad(t, a) || !tn_is_float(a->dtype)) return tn_mod(t, a, b);
  tiny_uop *r = tn_sub(t, a, tn_mul(t, b, tn_floor_divide(t, a, b))), *zero = tn_k(t, a, 0);
  tiny_uop *wrong_sign = tn_and(t, tn_ne(t, r, zero), tn_ne(t, tn_lt(t, r, zero), tn_lt(t, b, zero)));
  return tn_where(t, wrong_sign, tn_add(t, r, b), r);
}
static tiny_uop *tn_le(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {            // not b < a would be true for NaN
  if (tn_bad(t, a) || !tn_is_float(a->dtype)) return tn_not(t, tn_lt(t, b, a));
  return tn_or(t, tn_lt(t, a, b), tn_eq(t, a, b));
}
static tiny_uop *tn_ge(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_le(t, b, a); }

// The dtype that a and b meet in. As in PyTorch, a 0-d operand matters only if its kind (bool,
// integer, float) is higher.
static int tn_dtype_rank(int d) { return tn_is_float(d) ? 2 : d != TINY_BOOL; }
static tiny_dtype tn_meet(const tiny_uop *a, const tiny_uop *b) {
  if (!a->ndim == !b->ndim) return tiny_promote((tiny_dtype)a->dtype, (tiny_dtype)b->dtype);
  const tiny_uop *main = a->ndim ? a : b, *other = a->ndim ? b : a;
  if (tn_dtype_rank(other->dtype) <= tn_dtype_rank(main->dtype)) return (tiny_dtype)main->dtype;
  return tiny_promote((tiny_dtype)a->dtype, (tiny_dtype)b->dtype);
}

// Do the shapes of x[0..n-1] broadcast?
static int tn_shapes_meet(const char *name, int n, tiny_tensor *const *x) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  int64_t dim[TINY_MAX_DIMS];
  int ndim = 0;
  for (int i = 0; i < n; i++) {
    tn_dims_text(a, sizeof a, i ? ndim : 0, dim);
    if (tn_broadcast_dims(x[i]->uop->ndim, x[i]->uop->dim, &ndim, dim)) continue;
    tiny_fail(x[0]->t, TINY_E_SHAPE, "%s: %s and %s do not broadcast", name, a, tn_text_of(x[i]->uop, b));
    return 0;
  }
  return 1;
}

static tiny_tensor *tn_binary_operator(const char *name, int takes, tn_formula2 formula, tiny_tensor *a,
                                       tiny_tensor *b) {
  tiny_tensor *out, *in[2] = {a, b};
  if (!tn_usable(name, 2, in, &out) || !tn_shapes_meet(name, 2, in)) return out;
  tiny_ctx *t = a->t;
  int dtype = tn_meet(a->uop, b->uop);
  if (!tn_taken(t, name, takes, dtype)) return out;
  if (takes == TN_REAL) dtype = tn_real(dtype);
  const int inside = takes == TN_REAL ? tn_computed_in(dtype) : dtype;
  tiny_uop *x = tn_cast(t, a->uop, inside), *y = tn_cast(t, b->uop, inside);
  tn_broadcast(t, &x, &y);
  x = tn_bad(t, x) || tn_bad(t, y) ? &t->ir->bad : formula(t, x, y);
  return tn_tensor_new(t, takes == TN_REAL && !tn_bad(t, x) ? tn_cast(t, x, dtype) : x);
}

// What a node's elements all are, if they are one constant; else NULL.
static const tiny_uop *tn_constant_of(const tiny_uop *u) {
  while (u->op == TINY_OP_RESHAPE || u->op == TINY_OP_EXPAND || u->op == TINY_OP_PERMUTE ||
         u->op == TINY_OP_CAST)
    u = u->src[0];
  return tn_is_const(u) ? u : NULL;
}
static tiny_uop *tn_power(tiny_ctx *t, tiny_uop *x, int64_t n) {           // n >= 1, by squaring
  tiny_uop *y = NULL;
  for (; n; n >>= 1) {
    if (n & 1) y = y ? tn_mul(t, y, x) : x;
    if (n > 1) x = tn_square(t, x);
  }
  return y;
}
// Integer powers that wrap, with exponents known only at run time: a step for every bit of the exponent.
static tiny_uop *tn_pow_whole(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  tiny_uop *one = tn_k(t, a, 1), *zero = tn_k(t, a, 0), *y = one, *x = a;
  for (int bit = 0; !tn_bad(t, x) && !tn_bad(t, y) && bit < tn_bits(a->dtype) - tn_is_signed(a->dtype);
       bit++) {
    tiny_uop *has = tn_ne(t, tn_and(t, tn_shr(t, b, tn_k(t, b, bit)), one), zero);
    y = tn_where(t, has, tn_mul(t, y, x), y);
    x = tn_square(t, x);
  }
  if (!tn_is_signed(a->dtype)) return y;
  tiny_uop *odd = tn_ne(t, tn_and(t, b, one), zero), *unit = tn_where(t, odd, tn_k(t, a, -1), one);
  tiny_uop *inverse =
      tn_where(t, tn_eq(t, a, one), one, tn_where(t, tn_eq(t, a, tn_k(t, a, -1)), unit, zero));
  return tn_where(t, tn_below_zero(t, b), inverse, y);
}
static tiny_uop *tn_pow(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  const tiny_uop *c = tn_constant_of(b);
  tiny_uop *one = tn_expand(t, tn_k(t, a, 1), a->ndim, a->dim);
  if (!tn_is_float(a->dtype))
    return c && c->k >= 0 && !tn_is_float(c->dtype) ? (c->k ? tn_power(t, a, c->k) : one) :
                                                      tn_pow_whole(t, a, b);
  const double e = !c ? (double)NAN : tn_is_float(c->dtype) ? tn_to_f64(c->k) : (double)c->k;
  if (e == 0) return one;
  if (e == 0.5) return tn_sqrt(t, a);
  if (e == -0.5) return tn_rsqrt(t, a);
  if (e == floor(e) && fabs(e) <= 32) {
    tiny_uop *y = tn_power(t, a, (int64_t)fabs(e));
    return e < 0 ? tn_reciprocal(t, y) : y;
  }
  return tn_binary(t, TINY_OP_POW, a, b);
}

#define TN_BINARY(_) \
  _(add, TN_ANY, tn_add) _(sub, TN_NUMBER, tn_sub) _(mul, TN_ANY, tn_mul) _(div, TN_REAL, tn_fdiv) \
  _(floor_div, TN_NUMBER, tn_floor_divide) _(remainder, TN_NUMBER, tn_remainder) \
  _(maximum, TN_ANY, tn_max) _(minimum, TN_ANY, tn_min) \
  _(lt, TN_ANY, tn_lt) _(gt, TN_ANY, tn_gt) _(le, TN_ANY, tn_le) _(ge, TN_ANY, tn_ge) \
  _(eq, TN_ANY, tn_eq) _(ne, TN_ANY, tn_ne) \
  _(bitwise_and, TN_BITS, tn_and) _(bitwise_or, TN_BITS, tn_or) _(bitwise_xor, TN_BITS, tn_xor) \
  _(shift_left, TN_WHOLE, tn_shl) _(shift_right, TN_WHOLE, tn_shr)
#define TN_BINARY_OPERATOR(name, takes, formula) \
  TINY_API tiny_tensor *tiny_##name(tiny_tensor *a, tiny_tensor *b) { \
    return tn_binary_operator(#name, takes, formula, a, b); \
  }
TN_BINARY(TN_BINARY_OPERATOR)

// Halves are computed in f32; integers stay integers.
TINY_API tiny_tensor *tiny_pow(tiny_tensor *a, tiny_tensor *b) {
  const int real = tiny_ok(a) && tiny_ok(b) && tn_is_float(tn_meet(a->uop, b->uop));
  return tn_binary_operator("pow", real ? TN_REAL : TN_NUMBER, tn_pow, a, b);
}

TINY_API tiny_tensor *tiny_where(tiny_tensor *cond, tiny_tensor *a, tiny_tensor *b) {
  tiny_tensor *out, *in[3] = {cond, a, b};
  if (!tn_usable("where", 3, in, &out)) return out;
  tiny_ctx *t = cond->t;
  if (cond->uop->dtype != TINY_BOOL)
    return tn_wrong(t, TINY_E_DTYPE, "where: the condition is %s, not bool",
                    tn_dtypes[cond->uop->dtype].name);
  if (!tn_shapes_meet("where", 3, in)) return out;
  const int dtype = tn_meet(a->uop, b->uop);
  return tn_tensor_new(t, tn_where(t, cond->uop, tn_cast(t, a->uop, dtype), tn_cast(t, b->uop, dtype)));
}
#endif
// ---- end src/tensor/elementwise.c ----
// ---- begin src/tensor/reduce.c ----
// reduce: folds along axes, what is computed from them, and running sums.
//
// Sums and products of halves run in f32 and come back as halves. Those of bool, i8 and i16 give
// i32 and those of u8 and u16 u32 (PyTorch: always i64). The sum of nothing is 0, the product 1,
// and there is no maximum of nothing.
#ifndef TN_TENSOR_REDUCE
#define TN_TENSOR_REDUCE
#ifndef TINY_AMALGAMATED
#include "elementwise.c"
#endif

// Bits of one axis or, for TINY_ALL, of all; -1 after an error.
static int tn_one_axis(tiny_ctx *t, const char *name, const tiny_uop *u, int axis) {
  if (axis == TINY_ALL) return (1 << u->ndim) - 1;
  const int at = tn_axis(t, name, u, axis);
  return at < 0 ? -1 : u->ndim ? 1 << at : 0;
}
static int64_t tn_count(const tiny_uop *u, int bits) {       // elements that go into one
  int64_t n = 1;
  for (int i = 0; i < u->ndim; i++) if (bits >> i & 1) n *= u->dim[i];
  return n;
}
static int tn_sum_dtype(int d) {
  return tn_is_half(d)                                ? (int)TINY_F32 :
      d == TINY_BOOL || d == TINY_I8 || d == TINY_I16 ? (int)TINY_I32 :
      d == TINY_U8 || d == TINY_U16                   ? (int)TINY_U32 :
                                                        d;
}
// A sum or product in a dtype that is wide enough; halves come back as halves.
static tiny_uop *tn_accumulate(tiny_ctx *t, int op, tiny_uop *x, int bits, int keepdim) {
  if (tn_bad(t, x)) return x;
  const int half = tn_is_half(x->dtype) ? x->dtype : 0;
  tiny_uop *y = tn_reduce(t, op, tn_cast(t, x, tn_sum_dtype(x->dtype)), bits, keepdim);
  return half && !tn_bad(t, y) ? tn_cast(t, y, half) : y;
}
static tiny_uop *tn_extreme(tiny_ctx *t, int lowest, tiny_uop *x, int bits, int keepdim) {
  return lowest ? tn_mirror(t, tn_reduce(t, TINY_OP_MAX, tn_mirror(t, x), bits, keepdim)) :
                  tn_reduce(t, TINY_OP_MAX, x, bits, keepdim);
}

// ** '+' '*' 'M'aximum 'm'inimum **

static tiny_tensor *tn_fold(const char *name, char op, tiny_tensor *x, int bits, int keepdim) {
  char a[TN_DIMS_TEXT];
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop;
  if (bits < 0) return tn_poison(t);
  if (op == '+' || op == '*')
    return tn_tensor_new(t, tn_accumulate(t, op == '+' ? TINY_OP_ADD : TINY_OP_MUL, u, bits, keepdim));
  if (!tn_count(u, bits) && tn_dims_nelem(u->ndim, u->dim) == 0) {
    int64_t others = 1;
    for (int i = 0; i < u->ndim; i++) if (!(bits >> i & 1)) others *= u->dim[i];
    if (others)
      return tn_wrong(t, TINY_E_SHAPE, "%s: there is nothing along the axis of %s", name, tn_text_of(u, a));
  }
  return tn_tensor_new(t, tn_extreme(t, op == 'm', u, bits, keepdim));
}
static tiny_tensor *tn_fold_axis(const char *name, char op, tiny_tensor *x, int axis, int keepdim) {
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  return tn_fold(name, op, x, tn_one_axis(x->t, name, x->uop, axis), keepdim);
}
TINY_API tiny_tensor *tiny_sum(tiny_tensor *x, int axis, int keepdim) {
  return tn_fold_axis("sum", '+', x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_prod(tiny_tensor *x, int axis, int keepdim) {
  return tn_fold_axis("prod", '*', x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_max(tiny_tensor *x, int axis, int keepdim) {
  return tn_fold_axis("max", 'M', x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_min(tiny_tensor *x, int axis, int keepdim) {
  return tn_fold_axis("min", 'm', x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_reduce(tiny_tensor *x, char op, tiny_shape axes, int keepdim) {
  tiny_tensor *out;
  if (!tn_usable("reduce", 1, &x, &out)) return out;
  if (op != '+' && op != '*' && op != 'M')
    return tn_wrong(x->t, TINY_E_ARG, "reduce: op is '%c', not '+', '*' or 'M'",
                    op >= ' ' && op < 127 ? op : '?');
  return tn_fold("reduce", op, x, tn_axis_bits(x->t, "reduce", x->uop, &axes), keepdim);
}

// ** mean, variance: integers as f32, halves in f32 **

// x as the dtype in which its mean is computed.
static tiny_uop *tn_wide(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) ? x : tn_cast(t, x, tn_computed_in(tn_real(x->dtype)));
}

static tiny_uop *tn_mean(tiny_ctx *t, tiny_uop *x, int bits, int keepdim) {
  if (tn_bad(t, x)) return x;
  const int64_t n = tn_count(x, bits);
  return tn_times(t, tn_sum(t, x, bits, keepdim), n ? 1.0 / (double)n : (double)NAN);
}
// Of x minus its mean: two passes, as accurate as the data allow.
static tiny_uop *tn_variance(tiny_ctx *t, tiny_uop *x, tiny_uop *mean, int bits, int keepdim,
                             double divisor) {
  return tn_times(t, tn_sum(t, tn_square(t, tn_sub(t, x, mean)), bits, keepdim),
                  divisor > 0 ? 1 / divisor : (double)NAN);
}
static tiny_uop *tn_narrow(tiny_ctx *t, tiny_uop *x, int dtype) {
  return tn_bad(t, x) ? x : tn_cast(t, x, tn_real(dtype));
}

TINY_API tiny_tensor *tiny_mean(tiny_tensor *x, int axis, int keepdim) {
  tiny_tensor *out;
  if (!tn_usable("mean", 1, &x, &out)) return out;
  const int bits = tn_one_axis(x->t, "mean", x->uop, axis);
  if (bits < 0) return out;
  tiny_uop *mean = tn_mean(x->t, tn_wide(x->t, x->uop), bits, keepdim);
  return tn_tensor_new(x->t, tn_narrow(x->t, mean, x->uop->dtype));
}
TINY_API tiny_tensor *tiny_var(tiny_tensor *x, int axis, int keepdim, int correction) {
  tiny_tensor *out;
  if (!tn_usable("var", 1, &x, &out)) return out;
  const int bits = tn_one_axis(x->t, "var", x->uop, axis);
  if (bits < 0) return out;
  tiny_uop *wide = tn_wide(x->t, x->uop);
  tiny_uop *var = tn_variance(x->t, wide, tn_mean(x->t, wide, bits, 1), bits, keepdim,
                              (double)tn_count(x->uop, bits) - correction);
  return tn_tensor_new(x->t, tn_narrow(x->t, var, x->uop->dtype));
}

// ** positions **

// The first i where x[i] is the maximum: the maximum of n-1-i over those, taken from n-1. NaN counts as the greatest.
static tiny_uop *tn_position(tiny_ctx *t, tiny_uop *x, int axis, int keepdim) {
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[axis];
  tiny_uop *is = tn_eq(t, x, tn_reduce(t, TINY_OP_MAX, x, 1 << axis, 1));
  if (tn_is_float(x->dtype)) is = tn_or(t, is, tn_isnan(t, x));
  tiny_uop *rest = tn_plus(t, tn_neg(t, tn_iota(t, TINY_I32, n, axis, x->ndim)), (double)(n - 1));
  rest = tn_where(t, is, rest, tn_k(t, rest, 0));
  return tn_plus(t, tn_neg(t, tn_reduce(t, TINY_OP_MAX, rest, 1 << axis, keepdim)), (double)(n - 1));
}
static tiny_tensor *tn_arg(const char *name, int lowest, tiny_tensor *x, int axis, int keepdim) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop;
  const int flat = axis == TINY_ALL || !u->ndim;
  const int at = axis == TINY_ALL ? 0 : tn_axis(t, name, u, axis), n = u->ndim;
  if (at < 0) return out;
  const int64_t nelem = tn_dims_nelem(n, u->dim), size = flat ? nelem : u->dim[at];
  if (!size || size > INT32_MAX)
    return tn_wrong(t, TINY_E_SHAPE, "%s: %lld elements along the axis of %s", name, (long long)size,
                    tn_text_of(u, a));
  int64_t one[TINY_MAX_DIMS];
  for (int i = 0; i < TINY_MAX_DIMS; i++) one[i] = 1;
  tiny_uop *y = flat ? tn_reshape(t, u, 1, &nelem) : u;
  y = tn_position(t, lowest ? tn_mirror(t, y) : y, at, flat ? 0 : keepdim);
  return tn_tensor_new(t, flat && keepdim ? tn_reshape(t, y, n, one) : y);
}
TINY_API tiny_tensor *tiny_argmax(tiny_tensor *x, int axis, int keepdim) {
  return tn_arg("argmax", 0, x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_argmin(tiny_tensor *x, int axis, int keepdim) {
  return tn_arg("argmin", 1, x, axis, keepdim);
}

// ** running sums **

#define TN_SCAN_BLOCK ((int64_t)32)
// Running sums of the rows of (rows, n): within blocks of 32 by a masked sum; the sums before each block
// by the same, one level up. Work: 32 additions an element at the lowest level, 1/32 of that at the next.
static tiny_uop *tn_scan(tiny_ctx *t, tiny_uop *x, int64_t rows, int64_t n) {
  const int64_t width = n < TN_SCAN_BLOCK ? n : TN_SCAN_BLOCK, blocks = (n + width - 1) / width;
  const int64_t row[4] = {rows, blocks, 1, width}, block[3] = {rows, blocks, width},
                one[3] = {rows, blocks, 1}, whole[2] = {rows, blocks * width};
  const int64_t sums[2] = {rows, blocks};
  x = tn_reshape(t, tn_extend(t, x, 1, 0, blocks * width - n), 4, row);
  tiny_uop *before =
      tn_lt(t, tn_iota(t, TINY_INDEX, width, 3, 4), tn_plus(t, tn_iota(t, TINY_INDEX, width, 2, 4), 1));
  tiny_uop *y = tn_reshape(t, tn_sum(t, tn_where(t, before, x, tn_k(t, x, 0)), 8, 0), 3, block);
  if (blocks > 1 && !tn_bad(t, y)) {
    tiny_uop *total = tn_u1(t, TINY_OP_CONTIGUOUS, tn_reshape(t, tn_sum(t, x, 8, 0), 2, sums));
    tiny_uop *through = tn_scan(t, total, rows, blocks);
    y = tn_add(t, y, tn_reshape(t, tn_cut(t, tn_extend(t, through, 1, 1, 0), 1, 0, blocks), 3, one));
  }
  y = tn_cut(t, tn_reshape(t, y, 2, whole), 1, 0, n);
  return tn_bad(t, y) ? y : tn_u1(t, TINY_OP_CONTIGUOUS, y);
}
TINY_API tiny_tensor *tiny_cumsum(tiny_tensor *x, int axis) {
  tiny_tensor *out;
  if (!tn_usable("cumsum", 1, &x, &out)) return out;
  if ((axis = tn_axis(x->t, "cumsum", x->uop, axis)) < 0) return out;
  tiny_ctx *t = x->t;
  tiny_uop *u = tn_cast(t, x->uop, tn_sum_dtype(x->uop->dtype));
  const int n = x->uop->ndim;
  if (tn_bad(t, u) || !n || !tiny_nelem(x)) return tn_tensor_new(t, u);
  u = tn_swap(t, u, axis, n - 1);
  if (tn_bad(t, u)) return tn_poison(t);
  int64_t dim[TINY_MAX_DIMS], rows[2];
  for (int i = 0; i < n; i++) dim[i] = u->dim[i];
  rows[1] = dim[n - 1]; rows[0] = tiny_nelem(x) / rows[1];
  u = tn_scan(t, tn_reshape(t, u, 2, rows), rows[0], rows[1]);
  u = tn_swap(t, tn_reshape(t, u, n, dim), axis, n - 1);
  return tn_tensor_new(t, tn_bad(t, u) || !tn_is_half(x->uop->dtype) ? u : tn_cast(t, u, x->uop->dtype));
}
#endif
// ---- end src/tensor/reduce.c ----
// ---- begin src/tensor/random.c ----
// random: numbers from a counter, the same on every device.
//
// Element i of the c-th call is Threefry-2x32 (see ir/alu.c) of the counter (i, c) under the
// context's seed. Seed and call are SCALARs: another step or another seed makes no new kernel.
#ifndef TN_TENSOR_RANDOM
#define TN_TENSOR_RANDOM
#ifndef TINY_AMALGAMATED
#include "reduce.c"
#endif

enum { TN_SEED_LOW = 1, TN_SEED_HIGH, TN_RANDOM_CALL };      // identities of scalars, see tensor.c

// n words of 32 random bits; word chooses one of the two that a counter gives.
static tiny_uop *tn_random_bits(tiny_ctx *t, int64_t n, uint32_t call, int word) {
  tiny_uop *src[4] = {
      tn_iota(t, TINY_U32, n, 0, 1),
      tn_scalar(t, TINY_U32, call, TN_RANDOM_CALL),
      tn_scalar(t, TINY_U32, (int64_t)(t->seed & 0xFFFFFFFFu), TN_SEED_LOW),
      tn_scalar(t, TINY_U32, (int64_t)(t->seed >> 32), TN_SEED_HIGH),
  };
  return tn_uop_make(t, TINY_OP_THREEFRY, TINY_U32, 1, 4, src, word, 0, NULL);
}
// The upper 24 bits of words as f32 in [0,1): every value is a multiple of 2^-24.
static tiny_uop *tn_unit(tiny_ctx *t, tiny_uop *bits) {
  bits = tn_shr(t, bits, tn_k(t, bits, 8));
  if (tn_bad(t, bits)) return bits;
  bits = tn_cast(t, bits, TINY_I32);       // i32 to f32 is one instruction everywhere
  return tn_bad(t, bits) ? bits : tn_times(t, tn_cast(t, bits, TINY_F32), 1.0 / 16777216);
}
// f32 uniform in [0,1).
static tiny_uop *tn_uniform(tiny_ctx *t, int ndim, const int64_t *dim) {
  return tn_reshape(t, tn_unit(t, tn_random_bits(t, tn_dims_nelem(ndim, dim), ++t->tensors->random, 0)), ndim,
                    dim);
}
// Box and Muller, "A note on the generation of random normal deviates", 1958: the logarithm is of
// 1-u, which is never 0.
static tiny_uop *tn_normal(tiny_ctx *t, int ndim, const int64_t *dim) {
  const int64_t n = tn_dims_nelem(ndim, dim);
  const uint32_t call = ++t->tensors->random;
  tiny_uop *u = tn_unit(t, tn_random_bits(t, n, call, 0)), *phase = tn_unit(t, tn_random_bits(t, n, call, 1));
  tiny_uop *radius = tn_sqrt(t, tn_times(t, tn_logarithm(t, tn_plus(t, tn_neg(t, u), 1)), -2));
  return tn_reshape(t, tn_mul(t, radius, tn_sin(t, tn_times(t, phase, 2 * TN_PI))), ndim, dim);
}

static int tn_random_shape(tiny_ctx *t, const char *name, const tiny_shape *s) {
  if (!tn_creatable(t, name, TINY_F32, s)) return 0;
  if (tn_dims_nelem(s->ndim, s->dim) <= (int64_t)1 << 32) return 1;
  tiny_fail(t, TINY_E_SHAPE, "%s: %lld elements, but a call gives at most 2^32", name,
            (long long)tn_dims_nelem(s->ndim, s->dim));
  return 0;
}
TINY_API tiny_tensor *tiny_rand(tiny_ctx *t, tiny_shape shape) {
  return tn_random_shape(t, "rand", &shape) ? tn_tensor_new(t, tn_uniform(t, shape.ndim, shape.dim)) :
                                              tn_poison(t);
}
TINY_API tiny_tensor *tiny_randn(tiny_ctx *t, tiny_shape shape) {
  return tn_random_shape(t, "randn", &shape) ? tn_tensor_new(t, tn_normal(t, shape.ndim, shape.dim)) :
                                               tn_poison(t);
}
#endif
// ---- end src/tensor/random.c ----
#ifndef TINY_NO_NN
// ---- begin src/tensor/nn.c ----
// nn: products of matrices, convolution and pooling by windows that are views, normalisation, losses, lookups.
//
// Lookups are sums over (position == index) * x: no op of their own, so they fuse and have gradients like all else; the
// scheduler turns them back into loads.
#ifndef TN_TENSOR_NN
#define TN_TENSOR_NN
#ifndef TINY_AMALGAMATED
#include "random.c"
#endif

// ** matrices **

// The sum over the last axis of x * w, plus bias if there is one. Halves are multiplied and added in f32.
static tiny_uop *tn_dot(tiny_ctx *t, tiny_uop *x, tiny_uop *w, tiny_uop *bias, int axis_bits, int dtype) {
  if (tn_bad(t, x) || tn_bad(t, w)) return &t->ir->bad;
  const int inside = tn_computed_in(dtype);
  tiny_uop *y = tn_sum(t, tn_mul(t, tn_cast(t, x, inside), tn_cast(t, w, inside)), axis_bits, 0);
  if (bias) y = tn_bad(t, bias) ? bias : tn_add(t, y, tn_cast(t, bias, inside));
  return tn_bad(t, y) ? y : tn_cast(t, y, dtype);
}

TINY_API tiny_tensor *tiny_matmul(tiny_tensor *x, tiny_tensor *w) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, w};
  if (!tn_usable("matmul", 2, in, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *p = x->uop, *q = w->uop;
  const int row = p->ndim == 1, column = q->ndim == 1;
  if (!p->ndim || !q->ndim)
    return tn_wrong(t, TINY_E_SHAPE, "matmul: 0-d operand: %s @ %s", tn_text_of(p, a), tn_text_of(q, b));
  if (p->ndim == TINY_MAX_DIMS || q->ndim == TINY_MAX_DIMS)
    return tn_wrong(t, TINY_E_SHAPE, "matmul: too many dims: %s @ %s", tn_text_of(p, a), tn_text_of(q, b));
  if (p->dim[p->ndim - 1] != q->dim[column ? 0 : q->ndim - 2])
    return tn_wrong(t, TINY_E_SHAPE, "matmul: inner dims differ: %s @ %s", tn_text_of(p, a),
                    tn_text_of(q, b));
  int64_t lead[TINY_MAX_DIMS];
  int n = 0;
  tn_broadcast_dims(column ? 0 : q->ndim - 2, q->dim, &n, lead);
  if (!tn_broadcast_dims(row ? 0 : p->ndim - 2, p->dim, &n, lead))
    return tn_wrong(t, TINY_E_SHAPE, "matmul: leading dims do not broadcast: %s @ %s", tn_text_of(p, a),
                    tn_text_of(q, b));
  const int dtype = tn_meet(p, q);
  if (row) p = tn_insert(t, p, 0);         // (.., M, K) -> (.., M, 1, K)
  p = tn_bad(t, p) ? p : tn_insert(t, p, p->ndim - 1);
  if (column) q = tn_insert(t, q, 1);      // (.., K, N) -> (.., 1, N, K)
  q = tn_bad(t, q) ? q : tn_swap(t, q, q->ndim - 2, q->ndim - 1);
  q = tn_bad(t, q) ? q : tn_insert(t, q, q->ndim - 2);
  tiny_uop *y = tn_dot(t, p, q, NULL, 1 << (n + 2), dtype);
  if (tn_bad(t, y)) return tn_poison(t);
  if (column) y = tn_reshape(t, y, n + 1, y->dim);
  if (row && !tn_bad(t, y)) { if (!column) lead[n++] = y->dim[y->ndim - 1]; y = tn_reshape(t, y, n, lead); }
  return tn_tensor_new(t, y);
}

// tn_usable for operators whose last arguments may be NULL.
static int tn_usable_some(const char *name, int needed, int n, tiny_tensor *const *x, tiny_tensor **out) {
  tiny_tensor *in[TINY_MAX_DIMS];
  int m = 0;
  for (int i = 0; i < n; i++) if (i < needed || x[i]) in[m++] = x[i];
  return tn_usable(name, m, in, out);
}

TINY_API tiny_tensor *tiny_linear(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[3] = {x, w, bias};
  if (!tn_usable_some("linear", 2, 3, in, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *p = x->uop, *q = w->uop;
  if (!p->ndim || p->ndim == TINY_MAX_DIMS || q->ndim != 2 || p->dim[p->ndim - 1] != q->dim[1])
    return tn_wrong(t, TINY_E_SHAPE, "linear: %s with weights %s", tn_text_of(p, a), tn_text_of(q, b));
  if (bias && (bias->uop->ndim != 1 || bias->uop->dim[0] != q->dim[0]))
    return tn_wrong(t, TINY_E_SHAPE, "linear: bias %s with weights %s", tn_text_of(bias->uop, a),
                    tn_text_of(q, b));
  const int n = p->ndim;
  tiny_uop *const rows = tn_insert(t, p, n - 1);
  return tn_tensor_new(t, tn_dot(t, rows, q, bias ? bias->uop : NULL, 1 << n, tn_meet(p, q)));
}

// ** softmax and losses **

// x minus its maximum along the axis, through which no gradient flows: it cancels.
static tiny_uop *tn_below_max(tiny_ctx *t, tiny_uop *x, int bits) {
  return tn_sub(t, x, tn_u1(t, TINY_OP_DETACH, tn_reduce(t, TINY_OP_MAX, x, bits, 1)));
}
static tiny_uop *tn_softmax(tiny_ctx *t, tiny_uop *x, int bits) {
  tiny_uop *e = tn_exp(t, tn_below_max(t, x, bits));
  return tn_fdiv(t, e, tn_sum(t, e, bits, 1));
}
static tiny_uop *tn_log_softmax(tiny_ctx *t, tiny_uop *x, int bits) {
  tiny_uop *y = tn_below_max(t, x, bits);
  return tn_sub(t, y, tn_logarithm(t, tn_sum(t, tn_exp(t, y), bits, 1)));
}
static tiny_tensor *tn_along(const char *name, tiny_uop *(*formula)(tiny_ctx *t, tiny_uop *x, int bits),
                             tiny_tensor *x, int axis) {
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  const int bits = tn_one_axis(x->t, name, x->uop, axis);
  if (bits < 0) return out;
  tiny_uop *wide = tn_wide(x->t, x->uop), *y = tn_bad(x->t, wide) ? wide : formula(x->t, wide, bits);
  return tn_tensor_new(x->t, tn_narrow(x->t, y, x->uop->dtype));
}
TINY_API tiny_tensor *tiny_softmax(tiny_tensor *x, int axis) {
  return tn_along("softmax", tn_softmax, x, axis);
}
TINY_API tiny_tensor *tiny_log_softmax(tiny_tensor *x, int axis) {
  return tn_along("log_softmax", tn_log_softmax, x, axis);
}

// An infinite maximum is not taken off: inf-inf would be NaN.
static tiny_uop *tn_logsumexp(tiny_ctx *t, tiny_uop *x, int bits) {
  tiny_uop *m = tn_u1(t, TINY_OP_DETACH, tn_reduce(t, TINY_OP_MAX, x, bits, 1)), *zero = tn_k(t, x, 0);
  m = tn_where(t, tn_eq(t, tn_abs(t, m), tn_k(t, x, HUGE_VAL)), zero, m);
  return tn_add(t, tn_logarithm(t, tn_sum(t, tn_exp(t, tn_sub(t, x, m)), bits, 1)), m);
}
TINY_API tiny_tensor *tiny_logsumexp(tiny_tensor *x, int axis, int keepdim) {
  tiny_tensor *out;
  if (!tn_usable("logsumexp", 1, &x, &out)) return out;
  const int bits = tn_one_axis(x->t, "logsumexp", x->uop, axis), n = x->uop->ndim;
  if (bits < 0) return out;
  int64_t kept[TINY_MAX_DIMS];
  int m = 0;
  for (int i = 0; i < n; i++) if (keepdim || !(bits >> i & 1)) kept[m++] = bits >> i & 1 ? 1 : x->uop->dim[i];
  tiny_uop *wide = tn_wide(x->t, x->uop), *y = tn_bad(x->t, wide) ? wide : tn_logsumexp(x->t, wide, bits);
  return tn_tensor_new(x->t, tn_narrow(x->t, tn_reshape(x->t, y, m, kept), x->uop->dtype));
}

// Is element i of the last axis, of size n, the one that index (.., 1) names? Compared in a dtype that holds both.
static tiny_uop *tn_names(tiny_ctx *t, tiny_uop *index, int64_t n) {
  if (tn_bad(t, index)) return index;
  const int dtype = tn_dtype_max(index->dtype) >= n - 1 ? index->dtype :
      n > INT32_MAX                                     ? (int)TINY_I64 :
                                                          (int)TINY_I32;
  return tn_eq(t, tn_cast(t, index, dtype), tn_iota(t, dtype, n, 0, 1));
}
static int tn_is_index(tiny_ctx *t, const char *name, const tiny_uop *u) {
  if (tn_is_int(u->dtype)) return 1;
  tiny_fail(t, TINY_E_DTYPE, "%s: indices are integers, not %s", name, tn_dtypes[u->dtype].name);
  return 0;
}

TINY_API tiny_tensor *tiny_one_hot(tiny_tensor *labels, int64_t classes) {
  tiny_tensor *out;
  if (!tn_usable("one_hot", 1, &labels, &out)) return out;
  tiny_ctx *t = labels->t;
  tiny_uop *u = labels->uop;
  tiny_shape s = tiny_shape_get(labels);
  if (!tn_is_index(t, "one_hot", u)) return out;
  if (classes < 1) return tn_wrong(t, TINY_E_ARG, "one_hot: %lld classes", (long long)classes);
  if (s.ndim < TINY_MAX_DIMS) s.dim[s.ndim] = classes;
  s.ndim++;
  return tn_shape_valid(t, "one_hot", &s) ? tn_tensor_new(t, tn_names(t, tn_insert(t, u, u->ndim), classes)) :
                                            out;
}

TINY_API tiny_tensor *tiny_cross_entropy(tiny_tensor *logits, tiny_tensor *labels) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {logits, labels};
  if (!tn_usable("cross_entropy", 2, in, &out)) return out;
  tiny_ctx *t = logits->t;
  tiny_uop *x = logits->uop, *index = labels->uop;
  if (x->ndim != 2 || index->ndim != 1 || x->dim[0] != index->dim[0])
    return tn_wrong(t, TINY_E_SHAPE, "cross_entropy: logits %s with labels %s", tn_text_of(x, a),
                    tn_text_of(index, b));
  if (!tn_is_index(t, "cross_entropy", index)) return out;
  tiny_uop *p = tn_wide(t, x);
  p = tn_bad(t, p) ? p : tn_log_softmax(t, p, 2);
  p = tn_where(t, tn_names(t, tn_insert(t, index, 1), x->dim[1]), p, tn_k(t, p, 0));
  const double scale = x->dim[0] ? -1.0 / (double)x->dim[0] : (double)NAN;
  return tn_tensor_new(t, tn_narrow(t, tn_times(t, tn_sum(t, p, 3, 0), scale), x->dtype));
}

// ** lookups **

// x (.., 1, n) at index (.., m, 1) -> (.., m)
static tiny_uop *tn_lookup(tiny_ctx *t, tiny_uop *x, tiny_uop *index) {
  if (tn_bad(t, x) || tn_bad(t, index)) return &t->ir->bad;
  const int axis = x->ndim - 1;
  return tn_sum(t, tn_where(t, tn_names(t, index, x->dim[axis]), x, tn_k(t, x, 0)), 1 << axis, 0);
}
TINY_API tiny_tensor *tiny_gather(tiny_tensor *x, int axis, tiny_tensor *index) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, index};
  if (!tn_usable("gather", 2, in, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop, *at = index->uop;
  const int n = u->ndim;
  if ((axis = tn_axis(t, "gather", u, axis)) < 0 || !tn_is_index(t, "gather", at)) return out;
  int fits = n == at->ndim && n && n < TINY_MAX_DIMS;
  for (int i = 0; fits && i < n; i++) if (i != axis && at->dim[i] > u->dim[i]) fits = 0;
  if (!fits)
    return tn_wrong(t, TINY_E_SHAPE, "gather: %s by indices %s", tn_text_of(u, a), tn_text_of(at, b));
  for (int i = 0; i < n; i++) if (i != axis) u = tn_cut(t, u, i, 0, at->dim[i]);
  u = tn_insert(t, tn_swap(t, u, axis, n - 1), n - 1);
  tiny_uop *const wanted = tn_insert(t, tn_swap(t, at, axis, n - 1), n);
  return tn_tensor_new(t, tn_swap(t, tn_lookup(t, u, wanted), axis, n - 1));
}
TINY_API tiny_tensor *tiny_index_select(tiny_tensor *x, int axis, tiny_tensor *index) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, index};
  if (!tn_usable("index_select", 2, in, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop, *at = index->uop;
  const int n = u->ndim;
  if ((axis = tn_axis(t, "index_select", u, axis)) < 0 || !tn_is_index(t, "index_select", at)) return out;
  if (at->ndim != 1 || !n || n == TINY_MAX_DIMS)
    return tn_wrong(t, TINY_E_SHAPE, "index_select: %s by indices %s", tn_text_of(u, a), tn_text_of(at, b));
  u = tn_insert(t, tn_swap(t, u, axis, n - 1), n - 1);
  return tn_tensor_new(t, tn_swap(t, tn_lookup(t, u, tn_insert(t, at, 1)), axis, n - 1));
}

// ** windows **

// (.., a*b, ..) -> (.., a, b, ..).
static tiny_uop *tn_split(tiny_ctx *t, tiny_uop *x, int axis, int64_t a, int64_t b) {
  int64_t dim[TINY_MAX_DIMS];
  if (tn_bad(t, x) || x->ndim == TINY_MAX_DIMS) return x;
  for (int i = 0; i <= x->ndim; i++)
    dim[i] = i < axis ? x->dim[i] : i == axis ? a : i == axis + 1 ? b : x->dim[i - 1];
  return tn_reshape(t, x, x->ndim + 1, dim);
}
static tiny_uop *tn_merge(tiny_ctx *t, tiny_uop *x, int axis) {            // (.., a, b, ..) -> (.., a*b, ..)
  int64_t dim[TINY_MAX_DIMS];
  if (tn_bad(t, x)) return x;
  for (int i = 0; i + 1 < x->ndim; i++)
    dim[i] = i < axis ? x->dim[i] : i == axis ? x->dim[i] * x->dim[i + 1] : x->dim[i + 1];
  return tn_reshape(t, x, x->ndim - 1, dim);
}

typedef struct tn_window { int64_t kernel, stride, dilation, out; } tn_window;

// (.., size, ..) -> (.., kernel, out, ..): element (k, o) is x[o * stride + k * dilation]. Views only. Windows that do
// not overlap are blocks. Else x is repeated end to end and cut into rows that are one dilation longer than x: each
// row then begins one dilation later in x than the row above.
static tiny_uop *tn_windows_along(tiny_ctx *t, tiny_uop *x, int axis, const tn_window *w) {
  if (tn_bad(t, x)) return x;
  const int64_t size = x->dim[axis], span = w->out * w->stride;
  if (w->stride >= w->kernel && w->dilation == 1) {
    x = span > size ? tn_extend(t, x, axis, 0, span - size) : tn_cut(t, x, axis, 0, span);
    return tn_swap(t, tn_cut(t, tn_split(t, x, axis, w->out, w->stride), axis + 1, 0, w->kernel), axis,
                   axis + 1);
  }
  const int64_t turns = span - w->dilation <= size ? 1 : (span - w->dilation + size - 1) / size,
                row = size * turns + w->dilation;
  const int64_t repeat = (w->kernel * row + size - 1) / size;
  int64_t dim[TINY_MAX_DIMS];
  x = tn_insert(t, x, axis);
  if (tn_bad(t, x)) return x;
  const int n = x->ndim;
  for (int i = 0; i < n; i++) dim[i] = i == axis ? repeat : x->dim[i];
  x = tn_cut(t, tn_merge(t, tn_expand(t, x, n, dim), axis), axis, 0, w->kernel * row);
  x = tn_cut(t, tn_split(t, x, axis, w->kernel, row), axis + 1, 0, span);
  if (w->stride == 1) return x;
  return tn_merge(t, tn_cut(t, tn_split(t, x, axis + 1, w->out, w->stride), axis + 2, 0, 1), axis + 1);
}
// (.., H, W) -> (.., OH, OW, KH, KW)
static tiny_uop *tn_windows(tiny_ctx *t, tiny_uop *x, const tn_window *w) {
  int64_t axes[TINY_MAX_DIMS];
  if (tn_bad(t, x)) return x;
  const int n = x->ndim - 2;
  x = tn_windows_along(t, tn_windows_along(t, x, n, &w[0]), n + 2, &w[1]);
  for (int i = 0; i < n; i++) axes[i] = i;
  axes[n] = n + 1; axes[n + 1] = n + 3; axes[n + 2] = n; axes[n + 3] = n + 2;
  return tn_permute(t, x, axes);
}
static tiny_uop *tn_pad_image(tiny_ctx *t, tiny_uop *x, const int *pad, tiny_uop *value) {
  int64_t v[2 * TINY_MAX_DIMS] = {0};
  for (int i = 0; i < 2; i++) v[2 * (x->ndim - 2 + i)] = v[2 * (x->ndim - 2 + i) + 1] = pad[i];
  return tn_pad_with(t, x, v, value);
}
static int64_t tn_windows_out(int64_t size, int pad, const tn_window *w) {
  const int64_t room = size + 2 * (int64_t)pad - w->dilation * (w->kernel - 1) - 1;
  return room < 0 ? 0 : room / w->stride + 1;
}

TINY_API tiny_tensor *tiny_conv2d(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias,
                                  const tiny_conv2d_desc *desc) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[3] = {x, w, bias};
  if (!tn_usable_some("conv2d", 2, 3, in, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *p = x->uop, *q = w->uop;
  tiny_conv2d_desc d;
  memset(&d, 0, sizeof d);
  if (desc) d = *desc;
  const int groups = d.groups ? d.groups : 1;
  if (p->ndim != 4 || q->ndim != 4 || groups < 0 || p->dim[1] != q->dim[1] * groups || q->dim[0] % groups)
    return tn_wrong(t, TINY_E_SHAPE, "conv2d: %s with weights %s in %d groups", tn_text_of(p, a),
                    tn_text_of(q, b), groups);
  if (bias && (bias->uop->ndim != 1 || bias->uop->dim[0] != q->dim[0]))
    return tn_wrong(t, TINY_E_SHAPE, "conv2d: bias %s with weights %s", tn_text_of(bias->uop, a),
                    tn_text_of(q, b));
  tn_window win[2];
  for (int i = 0; i < 2; i++) {
    win[i].kernel = q->dim[2 + i];
    win[i].stride = d.stride[i] ? d.stride[i] : 1;
    win[i].dilation = d.dilation[i] ? d.dilation[i] : 1;
    if (d.stride[i] < 0 || d.dilation[i] < 0 || d.pad[i] < 0 || d.pad[i] > 1 << 24)
      return tn_wrong(t, TINY_E_ARG, "conv2d: stride %d, pad %d, dilation %d", d.stride[i], d.pad[i],
                      d.dilation[i]);
    win[i].out = tn_windows_out(p->dim[2 + i], d.pad[i], &win[i]);
    if (!win[i].out || !win[i].kernel)
      return tn_wrong(t, TINY_E_SHAPE, "conv2d: no window of weights %s fits %s with pad (%d,%d)",
                      tn_text_of(q, b), tn_text_of(p, a), d.pad[0], d.pad[1]);
  }
  const int64_t B = p->dim[0], O = q->dim[0], C = q->dim[1], KH = q->dim[2], KW = q->dim[3], OH = win[0].out,
                OW = win[1].out;
  const int64_t grouped[7] = {B, groups, C, OH, OW, KH, KW}, order[7] = {0, 1, 3, 4, 2, 5, 6},
                xs[8] = {B, groups, 1, OH, OW, C, KH, KW};
  const int64_t ws[8] = {1, groups, O / groups, 1, 1, C, KH, KW}, ys[4] = {B, O, OH, OW},
                bs[5] = {1, groups, O / groups, 1, 1};
  tiny_uop *windows = tn_windows(t, tn_pad_image(t, p, d.pad, tn_k(t, p, 0)), win);
  windows = tn_reshape(t, tn_permute(t, tn_reshape(t, windows, 7, grouped), order), 8, xs);
  tiny_uop *y = tn_dot(t, windows, tn_reshape(t, q, 8, ws), bias ? tn_reshape(t, bias->uop, 5, bs) : NULL,
                       7 << 5, tn_meet(p, q));
  return tn_tensor_new(t, tn_reshape(t, y, 4, ys));
}

// Windows of the last two axes of x, or NULL after an error.
static tiny_uop *tn_pool_windows(const char *name, tiny_tensor *x, int kernel, int stride, int pad,
                                 tiny_uop *outside) {
  char a[TN_DIMS_TEXT];
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop;
  const int pads[2] = {pad, pad};
  if (kernel < 1 || stride < 0 || pad < 0 || pad > kernel / 2) {
    tiny_fail(t, TINY_E_ARG, "%s: kernel %d, stride %d, pad %d (at most half of the kernel)", name, kernel,
              stride, pad);
    return NULL;
  }
  tn_window w[2];
  for (int i = 0; i < 2; i++) {
    w[i].kernel = kernel; w[i].stride = stride ? stride : kernel; w[i].dilation = 1;
    w[i].out = u->ndim < 2 || u->ndim > 8 ? 0 : tn_windows_out(u->dim[u->ndim - 2 + i], pad, &w[i]);
    if (w[i].out) continue;
    tiny_fail(t, TINY_E_SHAPE, "%s: no window of %d fits %s", name, kernel, tn_text_of(u, a));
    return NULL;
  }
  return tn_windows(t, tn_pad_image(t, u, pads, outside), w);
}
TINY_API tiny_tensor *tiny_max_pool2d(tiny_tensor *x, int kernel, int stride, int pad) {
  tiny_tensor *out;
  if (!tn_usable("max_pool2d", 1, &x, &out)) return out;
  tiny_ctx *t = x->t;
  const int n = x->uop->ndim;
  tiny_uop *lowest =
      tn_uop_make(t, TINY_OP_CONST, x->uop->dtype, 1, 0, NULL, tn_lowest(x->uop->dtype), 0, NULL);
  tiny_uop *w = tn_pool_windows("max_pool2d", x, kernel, stride, pad, lowest);
  return w ? tn_tensor_new(t, tn_reduce(t, TINY_OP_MAX, w, 3 << n, 0)) : out;
}
// Padding counts as zeros, as in PyTorch.
TINY_API tiny_tensor *tiny_avg_pool2d(tiny_tensor *x, int kernel, int stride, int pad) {
  tiny_tensor *out;
  if (!tn_usable("avg_pool2d", 1, &x, &out)) return out;
  tiny_ctx *t = x->t;
  const int n = x->uop->ndim;
  tiny_uop *w = tn_pool_windows("avg_pool2d", x, kernel, stride, pad, tn_k(t, x->uop, 0));
  return w ? tn_tensor_new(t, tn_narrow(t, tn_mean(t, tn_wide(t, w), 3 << n, 0), x->uop->dtype)) : out;
}

// ** normalisation **

// Are w's dims those of x from axis on, as far as w has dims?
static int tn_scales(tiny_ctx *t, const char *name, const tiny_uop *x, const tiny_tensor *w, int n,
                     const int64_t *dim) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  if (!w || tn_has_dims(w->uop, n, dim)) return 1;
  tiny_fail(t, TINY_E_SHAPE, "%s: %s with weights or statistics %s", name, tn_text_of(x, a),
            tn_text_of(w->uop, b));
  return 0;
}
// centred * rsqrt(var + eps) * w + b, each of dims that broadcast.
static tiny_uop *tn_normalize(tiny_ctx *t, tiny_uop *centred, tiny_uop *var, double eps, tiny_uop *w,
                              tiny_uop *b) {
  tiny_uop *scale = tn_rsqrt(t, tn_plus(t, var, eps));
  if (w) scale = tn_mul(t, scale, tn_wide(t, w));
  tiny_uop *y = tn_mul(t, centred, scale);
  return b ? tn_add(t, y, tn_wide(t, b)) : y;
}

TINY_API tiny_tensor *tiny_layer_norm(tiny_tensor *x, int ndims, tiny_tensor *w, tiny_tensor *b, double eps) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out, *in[3] = {x, w, b};
  if (!tn_usable_some("layer_norm", 1, 3, in, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop;
  if (ndims < 1 || ndims > u->ndim || !(eps >= 0))
    return tn_wrong(t, TINY_E_ARG, "layer_norm: over %d dims of %s with eps %g", ndims, tn_text_of(u, a),
                    eps);
  const int64_t *dim = u->dim + u->ndim - ndims;
  if (!tn_scales(t, "layer_norm", u, w, ndims, dim) || !tn_scales(t, "layer_norm", u, b, ndims, dim))
    return out;
  const int bits = ((1 << ndims) - 1) << (u->ndim - ndims);
  tiny_uop *wide = tn_wide(t, u), *centred = tn_sub(t, wide, tn_mean(t, wide, bits, 1)),
           *var = tn_mean(t, tn_square(t, centred), bits, 1);
  tiny_uop *const y = tn_normalize(t, centred, var, eps, w ? w->uop : NULL, b ? b->uop : NULL);
  return tn_tensor_new(t, tn_narrow(t, y, u->dtype));
}

// old * (1 - momentum) + new * momentum becomes the statistic's next state.
static int tn_batch_norm_track(tiny_tensor *stat, tiny_uop *now, double momentum) {
  tiny_ctx *t = stat->t;
  tiny_uop *old = tn_wide(t, stat->uop);
  now = tn_reshape(t, tn_u1(t, TINY_OP_DETACH, now), stat->uop->ndim, stat->uop->dim);
  return tiny_ok(tn_assign(stat, tn_add(t, tn_times(t, old, 1 - momentum), tn_times(t, now, momentum))));
}
TINY_API tiny_tensor *tiny_batch_norm(tiny_tensor *x, tiny_batch_norm_state *s, int train) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("batch_norm", 1, &x, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop;
  if (!s || (!train && (!s->mean || !s->var)))
    return tn_wrong(t, TINY_E_ARG, "batch_norm: %s", s ? "running statistics are NULL" : "state is NULL");
  tiny_tensor *in[5] = {x, s->mean, s->var, s->weight, s->bias}, *const *stat = in + 1;
  if (!tn_usable_some("batch_norm", 1, 5, in, &out)) return out;
  if (u->ndim < 2) return tn_wrong(t, TINY_E_SHAPE, "batch_norm: %s has no channels", tn_text_of(u, a));
  for (int i = 0; i < 4; i++) if (!tn_scales(t, "batch_norm", u, stat[i], 1, u->dim + 1)) return out;
  const double eps = s->eps > 0 ? s->eps : 1e-5, momentum = s->momentum > 0 ? s->momentum : 0.1;
  const int bits = ((1 << u->ndim) - 1) & ~2;
  const double n = (double)tn_count(u, bits);
  int64_t dim[TINY_MAX_DIMS];
  tiny_uop *of[4] = {NULL, NULL, NULL, NULL};
  for (int i = 0; i < u->ndim; i++) dim[i] = i == 1 ? u->dim[1] : 1;
  for (int i = 0; i < 4; i++) if (stat[i]) of[i] = tn_reshape(t, stat[i]->uop, u->ndim, dim);
  tiny_uop *wide = tn_wide(t, u), *mean = train ? tn_mean(t, wide, bits, 1) : tn_wide(t, of[0]),
           *centred = tn_sub(t, wide, mean);
  tiny_uop *var = train ? tn_mean(t, tn_square(t, centred), bits, 1) : tn_wide(t, of[1]);
  if (tn_bad(t, mean) || tn_bad(t, var)) return tn_poison(t);
  if (train && s->mean && !tn_batch_norm_track(s->mean, mean, momentum)) return tn_poison(t);
  if (train && s->var && !tn_batch_norm_track(s->var, tn_times(t, var, n > 1 ? n / (n - 1) : 1), momentum))
    return tn_poison(t);
  return tn_tensor_new(t, tn_narrow(t, tn_normalize(t, centred, var, eps, of[2], of[3]), u->dtype));
}

// Each element is kept with probability 1-p and then divided by it.
TINY_API tiny_tensor *tiny_dropout(tiny_tensor *x, double p, int train) {
  tiny_tensor *out;
  if (!tn_usable("dropout", 1, &x, &out) || !tn_taken(x->t, "dropout", TN_NUMBER, x->uop->dtype)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop;
  if (!(p >= 0 && p <= 1)) return tn_wrong(t, TINY_E_ARG, "dropout: p is %g, not in [0,1]", p);
  if (!train || p == 0) return tn_tensor_new(t, u);
  tiny_uop *unit = tn_uniform(t, u->ndim, u->dim), *dropped = tn_lt(t, unit, tn_k(t, unit, p));
  return tn_tensor_new(t, tn_where(t, dropped, tn_k(t, u, 0), tn_times(t, u, p < 1 ? 1 / (1 - p) : 0)));
}
#endif
// ---- end src/tensor/nn.c ----
// ---- begin src/tensor/grad.c ----
// grad: reverse-mode automatic differentiation of tensors: the walk around rules/gradient.c.
//
// In:  a loss of one element and parameters. Out: a tensor of each parameter's gradient.
// Nodes are visited from the loss down. A node between a parameter and the loss adds what its rule
// gives to the gradients of its sources; gradients of nodes with several users are sums. Nothing
// flows through integers, bools and DETACH.
#ifndef TN_TENSOR_GRAD
#define TN_TENSOR_GRAD
#ifndef TINY_AMALGAMATED
#include "nn.c"
#include "../rules/gradient.c"
#endif

typedef struct tn_grad_call { tiny_tensor *loss, *const *params; int n; tiny_tensor **grads; } tn_grad_call;
typedef struct tn_grad_node { tiny_uop *u, *grad; int depends; } tn_grad_node;       // depends: on a parameter
typedef struct tn_grad_walk {
  tn_grad_node *node;
  int n, rules;
  uint32_t first;
} tn_grad_walk; // node i has mark first + i

static tn_grad_node *tn_grad_find(const tn_grad_walk *w, const tiny_uop *u) {
  const uint32_t i = u->mark - w->first;
  return i < (uint32_t)w->n && w->node[i].u == u ? &w->node[i] : NULL;
}

// The graph of the loss in topological order, with what depends on a parameter told.
static void tn_grad_order(tiny_ctx *t, const tn_grad_call *call, tn_grad_walk *w) {
  tn_list order = {NULL, 0, 0};
  tn_toposort(t, call->loss->uop, &order);
  w->n = order.n;
  w->first = t->ir->epoch + 1;
  t->ir->epoch += (uint32_t)order.n;
  w->node = (tn_grad_node *)tn_scratch(t, (size_t)order.n * sizeof *w->node);
  for (int i = 0; i < order.n; i++) { w->node[i].u = order.u[i]; order.u[i]->mark = w->first + (uint32_t)i; }
  for (int i = 0; i < call->n; i++) {
    tn_grad_node *p = tn_grad_find(w, call->params[i]->uop);
    if (p) p->depends = 1;
  }
  for (int i = 0; i < w->n; i++) {
    tiny_uop *u = w->node[i].u;
    for (uint32_t s = 0; s < u->nsrc && !w->node[i].depends; s++)
      w->node[i].depends =
          tn_is_float(u->dtype) && u->op != TINY_OP_DETACH && tn_grad_find(w, u->src[s])->depends;
  }
}

// Adds what flows through node x to the gradients of its sources.
static tiny_code tn_grad_node_back(tiny_ctx *t, const tn_grad_walk *w, const tn_grad_node *x) {
  tn_gradient flow = {x->grad, 0};
  int fired;
  tiny_uop *u = x->u;
  for (uint32_t s = 0; s < u->nsrc; s++)
    if (tn_grad_find(w, u->src[s])->depends && tn_is_float(u->src[s]->dtype))
      flow.wants |= 1 << (s < 31 ? s : 31);
  if (!flow.wants) return TINY_OK;
  const tiny_uop *d = tn_match_apply(t, w->rules, u, &flow, &fired);
  if (!d) return tiny_fail(t, TINY_E_ARG, "grad: %s has no gradient", tiny_op_name(u->op));
  for (uint32_t s = 0; s < d->nsrc; s++) {
    tiny_uop *part = d->src[s];
    if (part->op == TINY_OP_GROUP || !(flow.wants >> s & 1)) continue;
    tn_grad_node *to = tn_grad_find(w, u->src[s]);
    part = tn_unbroadcast(t, part, to->u->ndim, to->u->dim);
    to->grad = to->grad ? tn_add(t, to->grad, part) : part;
  }
  return TINY_OK;
}

static tiny_code tn_grad_guarded(tiny_ctx *t, void *arg) {
  const tn_grad_call *call = (const tn_grad_call *)arg;
  tn_grad_walk w;
  tiny_uop *loss = call->loss->uop;
  tn_grad_order(t, call, &w);
  w.rules = tn_rules_find(t, tn_rules_gradient);
  if (w.rules < 0) return t->code;
  w.node[w.n - 1].grad = tn_expand(t, tn_k(t, loss, 1), loss->ndim, loss->dim);
  for (int i = w.n; i-- > 0;) {
    if (!w.node[i].grad || !w.node[i].depends) continue;
    const tiny_code code = tn_grad_node_back(t, &w, &w.node[i]);
    if (code != TINY_OK) return code;
  }
  for (int i = 0; i < call->n; i++) {
    tiny_uop *p = call->params[i]->uop;
    const tn_grad_node *x = tn_grad_find(&w, p);
    call->grads[i] = tn_tensor_new(t, x && x->grad ? x->grad : tn_expand(t, tn_k(t, p, 0), p->ndim, p->dim));
  }
  return TINY_OK;
}

TINY_API tiny_code tiny_grad(tiny_tensor *loss, tiny_tensor *const *params, int n, tiny_tensor **grads) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!loss || !loss->t) return TINY_E_ARG;
  tiny_ctx *t = loss->t;
  if (n < 0 || (n && (!params || !grads)))
    return tiny_fail(t, TINY_E_ARG, "grad: %d parameters, but params or grads is NULL", n);
  for (int i = 0; i < n; i++) grads[i] = tn_poison(t);
  for (int i = -1; i < n; i++) {
    tiny_tensor *const in[2] = {loss, i < 0 ? loss : params[i]};
    if (!tn_usable("grad", 2, in, &out)) return t->code ? t->code : TINY_E_STATE;
  }
  if (tiny_nelem(loss) != 1)
    return tiny_fail(t, TINY_E_SHAPE, "grad: the loss is %s, not one element", tn_text_of(loss->uop, a));
  if (!tn_is_float(loss->uop->dtype))
    return tiny_fail(t, TINY_E_DTYPE, "grad: the loss is %s, not a float", tn_dtypes[loss->uop->dtype].name);
  for (int i = 0; i < n; i++)
    if (!tn_is_float(params[i]->uop->dtype))
      return tiny_fail(t, TINY_E_DTYPE, "grad: parameter %d is %s, not a float", i,
                       tn_dtypes[params[i]->uop->dtype].name);
  tn_grad_call call = {loss, params, n, grads};
  const tiny_code code = tn_guard(t, tn_grad_guarded, &call);
  if (code != TINY_OK) for (int i = 0; i < n; i++) grads[i] = tn_poison(t);
  return code;
}
#endif
// ---- end src/tensor/grad.c ----
// ---- begin src/tensor/optim.c ----
// optim: SGD and Adam. A step queues assignments to parameters and state; it runs at tiny_end.
//
// Rates and bias corrections are SCALARs, so that every step is the same graph. State begins as zeros in memory, not as
// constants: the first step is then like all others. State of f16 and bf16 parameters is f32.
#ifndef TN_TENSOR_OPTIM
#define TN_TENSOR_OPTIM
#ifndef TINY_AMALGAMATED
#include "grad.c"
#endif

// Zeros of x's shape outside of all frames, or NULL.
static tiny_tensor *tn_state_new(tiny_tensor *x) {
  tiny_ctx *t = x->t;
  const int dtype = tn_computed_in(tn_real(x->uop->dtype));
  const size_t nbytes = (size_t)tiny_nelem(x) * tn_dtypes[dtype].nbytes;
  void *zeros = tn_alloc(t, nbytes ? nbytes : 1);
  tiny_tensor *state = zeros ? tiny_keep(tiny_from(t, zeros, (tiny_dtype)dtype, tiny_shape_get(x))) : NULL;
  tn_release(t, zeros, nbytes ? nbytes : 1);
  return tiny_ok(state) ? state : NULL;
}
static void tn_states_free(tiny_ctx *t, tiny_tensor ***state, int n) {
  if (!*state) return;
  for (int i = 0; i < n; i++) tiny_free((*state)[i]);
  tn_release(t, *state, (size_t)n * sizeof **state);
  *state = NULL;
}
static int tn_states_open(tiny_ctx *t, tiny_tensor ***state, tiny_tensor *const *params, int n) {
  if (*state) return 1;
  tiny_tensor **made = (tiny_tensor **)tn_alloc(t, (size_t)n * sizeof *made);
  for (int i = 0; made && i < n; i++) if (!(made[i] = tn_state_new(params[i]))) tn_states_free(t, &made, n);
  *state = made;
  return made != NULL;
}

// Are there n parameters with a gradient each, as many as the optimiser has state for (0: none yet)?
static tiny_code tn_step_check(const char *name, const void *o, int have, tiny_tensor *const *params,
                               tiny_tensor *const *grads, int n) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (n <= 0 || !params || !grads || !params[0] || !params[0]->t) return TINY_E_ARG;
  tiny_ctx *t = params[0]->t;
  for (int i = 0; i < n; i++) {
    tiny_tensor *const in[3] = {params[0], params[i], grads[i]};
    if (!tn_usable(name, 3, in, &out)) return t->code ? t->code : TINY_E_STATE;
  }
  if (!o || (have && have != n))
    return tiny_fail(t, TINY_E_ARG, "%s: %d parameters for an optimiser of %d", name, n, have);
  for (int i = 0; i < n; i++) {
    const tiny_uop *p = params[i]->uop, *g = grads[i]->uop;
    if (!tn_is_float(p->dtype))
      return tiny_fail(t, TINY_E_DTYPE, "%s: parameter %d is %s", name, i, tn_dtypes[p->dtype].name);
    if (!tn_has_dims(p, g->ndim, g->dim))
      return tiny_fail(t, TINY_E_SHAPE, "%s: parameter %d is %s, its gradient %s", name, i, tn_text_of(p, a),
                       tn_text_of(g, b));
  }
  return TINY_OK;
}
static double tn_or_default(double x, double value) { return x != 0 ? x : value; }
// A new SCALAR in the dtype that x is computed in; x is a parameter's state.
static tiny_uop *tn_rate(tiny_ctx *t, int dtype, double value) {
  return tn_scalar(t, dtype, tn_dtype_value(dtype, value), ++t->tensors->identity);
}
// The three rates of a step, once for f32 and once for f64.
typedef struct tn_rates { tiny_uop *rate[2][3]; } tn_rates;
static void tn_rates_of(tiny_ctx *t, tn_rates *r, double a, double b, double c) {
  for (int wide = 0; wide < 2; wide++) {
    const double value[3] = {a, b, c};
    for (int i = 0; i < 3; i++) r->rate[wide][i] = tn_rate(t, wide ? TINY_F64 : TINY_F32, value[i]);
  }
}
static tiny_uop *const *tn_rates_for(const tn_rates *r, const tiny_uop *state) {
  return r->rate[state->dtype == TINY_F64];
}

static tiny_code tn_step_done(tiny_ctx *t) { return t->code ? t->code : TINY_OK; }

TINY_API tiny_code tiny_sgd_step(tiny_sgd *o, tiny_tensor *const *params, tiny_tensor *const *grads, int n) {
  const tiny_code code = tn_step_check("sgd_step", o, o ? o->n : 0, params, grads, n);
  if (code != TINY_OK) return code;
  tiny_ctx *t = params[0]->t;
  tn_rates rates;
  o->n = n;
  if (o->momentum != 0 && !tn_states_open(t, &o->velocity, params, n)) return t->code;
  tn_rates_of(t, &rates, tn_or_default(o->lr, 1e-2), 0, 0);
  for (int i = 0; i < n; i++) {
    tiny_uop *p = tn_wide(t, params[i]->uop), *g = tn_wide(t, grads[i]->uop);
    if (o->weight_decay != 0) g = tn_add(t, g, tn_times(t, p, o->weight_decay));
    if (o->velocity) {
      tiny_uop *v = tn_add(t, tn_times(t, o->velocity[i]->uop, o->momentum), g);
      if (!tiny_ok(tn_assign(o->velocity[i], v))) break;
      v = o->velocity[i]->uop;
      g = o->nesterov ? tn_add(t, g, tn_times(t, v, o->momentum)) : v;
    }
    if (tn_bad(t, p) ||
        !tiny_ok(tn_assign(params[i], tn_sub(t, p, tn_mul(t, g, tn_rates_for(&rates, p)[0])))))
      break;
  }
  return tn_step_done(t);
}

// Kingma and Ba, arXiv:1412.6980, algorithm 1, with the decay of Loshchilov and Hutter, arXiv:1711.05101.
TINY_API tiny_code tiny_adam_step(tiny_adam *o, tiny_tensor *const *params, tiny_tensor *const *grads,
                                  int n) {
  const tiny_code code = tn_step_check("adam_step", o, o ? o->n : 0, params, grads, n);
  if (code != TINY_OK) return code;
  tiny_ctx *t = params[0]->t;
  tn_rates rates;
  o->n = n;
  if (!tn_states_open(t, &o->m, params, n) || !tn_states_open(t, &o->v, params, n)) return t->code;
  o->step++;
  const double lr = tn_or_default(o->lr, 1e-3), b1 = tn_or_default(o->beta1, 0.9),
               b2 = tn_or_default(o->beta2, 0.999);
  const double eps = tn_or_default(o->eps, 1e-8), left1 = 1 - pow(b1, (double)o->step),
               left2 = 1 - pow(b2, (double)o->step);
  tn_rates_of(t, &rates, lr / left1, 1 / sqrt(left2), 1 - lr * o->weight_decay);
  for (int i = 0; i < n; i++) {
    tiny_uop *p = tn_wide(t, params[i]->uop), *g = tn_wide(t, grads[i]->uop);
    tiny_uop *m = tn_add(t, tn_times(t, o->m[i]->uop, b1), tn_times(t, g, 1 - b1));
    tiny_uop *v = tn_add(t, tn_times(t, o->v[i]->uop, b2), tn_times(t, tn_square(t, g), 1 - b2));
    if (tn_bad(t, p) || !tiny_ok(tn_assign(o->m[i], m)) || !tiny_ok(tn_assign(o->v[i], v))) break;
    tiny_uop *const *rate = tn_rates_for(&rates, p);
    tiny_uop *step = tn_fdiv(t, tn_mul(t, o->m[i]->uop, rate[0]),
                             tn_plus(t, tn_mul(t, tn_sqrt(t, o->v[i]->uop), rate[1]), eps));
    if (o->weight_decay != 0) p = tn_mul(t, p, rate[2]);
    if (!tiny_ok(tn_assign(params[i], tn_sub(t, p, step)))) break;
  }
  return tn_step_done(t);
}

// Before tiny_close: the lists come from the context's allocator.
TINY_API void tiny_sgd_free(tiny_sgd *o) {
  if (!o || !o->n || !o->velocity) return;
  tn_states_free(o->velocity[0]->t, &o->velocity, o->n);
  o->n = 0;
}
TINY_API void tiny_adam_free(tiny_adam *o) {
  if (!o || !o->n || !o->m) return;
  tiny_ctx *t = o->m[0]->t;
  tn_states_free(t, &o->m, o->n);
  tn_states_free(t, &o->v, o->n);
  o->n = 0; o->step = 0;
}
#endif
// ---- end src/tensor/optim.c ----
#endif

// ** schedule: graph -> kernels **
// ---- begin src/schedule/rangeify.c ----
// rangeify: decides which nodes of a tensor graph are stored, and writes the kernel of each.
//
// In:  a graph in topological order whose leaves are BUFFERs and realized nodes. Out: one SINK per stored node, over
//      RANGEs, reading PARAMs; a table says which node each PARAM and ARG stands for.
// First pass, from the outputs to the inputs: every node gets its uses, each with the index expressions at which a
// kernel wants it. A node is stored when computing it at its uses would repeat work: a REDUCE that two kernels, two
// indices or a reduce loop want; elementwise work that costs more to repeat than to write and read back.
// Second pass: every stored node pulls its expression through the graph. Movement ops are index arithmetic in both.
// An index list is one node, (GROUP i0 i1 .. valid), so that equal lists are equal pointers.
//
// A REDUCE whose indices are some of a kernel's output ranges (its scope) runs in loops between those ranges and the
// others: softmax and layernorm over rows become one kernel that walks each row several times while it is in cache.
#ifndef TN_SCHEDULE_RANGEIFY
#define TN_SCHEDULE_RANGEIFY
#ifndef TINY_AMALGAMATED
#include "../tensor/optim.c"
#include "../rules/reduce.c"
#include "../rules/decompose.c"
#include "../rules/notation_end.c"
#include "../shape/view.c"
#endif

// PAD_REUSE: reads of an element from which a padded copy pays.
enum { TN_MAX_USES = 6, TN_MAX_DEPTH = 160, TN_MAX_REDUCES = 6, TN_ROW_MIN = 64, TN_ROW_MAX_NELEM = 1 << 16,
  TN_ROW_SMALL = 1 << 15, TN_MASK_COST = 16, TN_PAD_REUSE = 4 };

typedef struct tn_use { int kernel; tiny_uop *at; double evals; } tn_use;

typedef struct tn_node {                   // what is known of a node of the graph
  tiny_uop *u;
  tn_use use[TN_MAX_USES]; int nuse;
  uint8_t leaf, forced, stored, has_reduce, has_iota;
  // Of the expression below: levels, down to leaves; REDUCEs in a row; operations.
  int depth, reduces; double cost;
} tn_node;

typedef struct tn_kernel {                 // one stored node
  tiny_uop *node, *ast;
  tiny_uop *scope;                         // (GROUP ranges..) of its REDUCEs, NULL: it has none
  tiny_uop *at;                            // its output ranges
  tiny_uop **mem; int nmem, mem_cap;       // PARAM slot -> node that is stored there or a leaf; slot 0: the output
  tiny_uop **arg; int narg, arg_cap;       // ARG slot -> SCALAR
} tn_kernel;

typedef struct tn_graph {
  tiny_ctx *t;
  tn_node *node; int n; tn_map index;      // node -> 1 + position
  tn_kernel *kernel; int nkernel, kernel_cap;
  tn_map reduce_at, pulled;
} tn_graph;

static tn_node *tn_graph_node(tn_graph *g, const tiny_uop *u) {
  return &g->node[(int)(intptr_t)tn_map_get(&g->index, u) - 1];
}

static int64_t tn_nelem(const tiny_uop *u) {
  int64_t n = 1;
  for (int i = 0; i < u->ndim; i++) n *= u->dim[i];
  return n;
}

// ** index lists **

static tiny_uop *tn_at(tiny_ctx *t, int n, tiny_uop **index, tiny_uop *valid) {
  index[n] = valid;
  return tn_uop_make(t, TINY_OP_GROUP, TINY_VOID, 1, n + 1, index, 0, 0, NULL);
}
static tiny_uop *tn_at_valid(const tiny_uop *at) { return at->src[at->nsrc - 1]; }

static tiny_uop *tn_at_scalar(tiny_ctx *t, tiny_uop *valid) {
  tiny_uop *index[1];
  return tn_at(t, 0, index, valid);
}

// Fresh ranges over a shape; dims of 1 are index 0.
static tiny_uop *tn_at_fresh(tiny_ctx *t, const tiny_uop *u) {
  tiny_uop *index[TINY_MAX_DIMS + 1];
  for (int i = 0; i < u->ndim; i++)
    index[i] = u->dim[i] == 1 ? tn_index(t, 0) : tn_range(t, u->dim[i], TN_LOOP);
  return tn_at(t, u->ndim, index, tn_bool(t, 1));
}

static tiny_uop *tn_flat(tiny_ctx *t, int n, tiny_uop *const *index, const int64_t *dim) {
  tiny_uop *flat = tn_index(t, 0);
  for (int i = 0; i < n; i++)
    flat = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, flat, tn_index(t, dim[i])), index[i]);
  return tn_simplify(t, flat);
}

// Index list of a reshaped node -> of its source. Dims are matched in the smallest groups of equal size, so that
// division and modulo appear only where dims really split or join.
static void tn_at_reshape(tiny_ctx *t, const tiny_uop *u, tiny_uop *const *out, tiny_uop **in) {
  const tiny_uop *x = u->src[0];
  int i = 0, o = 0;
  while (i < x->ndim || o < u->ndim) {
    const int i0 = i, o0 = o;
    int64_t ni = i < x->ndim ? x->dim[i++] : 1, no = o < u->ndim ? u->dim[o++] : 1;
    while (ni != no) {
      if (ni < no) ni *= i < x->ndim ? x->dim[i++] : 0;
      else no *= o < u->ndim ? u->dim[o++] : 0;
    }
    if (i - i0 == 1 && o - o0 == 1) { in[i0] = out[o0]; continue; }
    tiny_uop *flat = tn_flat(t, o - o0, out + o0, u->dim + o0);
    for (int d = i - 1; d >= i0; d--) {
      in[d] = d == i0 ? flat : tn_simplify(t, tn_u2(t, TINY_OP_MOD, flat, tn_index(t, x->dim[d])));
      if (d > i0) flat = tn_simplify(t, tn_u2(t, TINY_OP_IDIV, flat, tn_index(t, x->dim[d])));
    }
  }
}

static tiny_uop *tn_at_pad(tiny_ctx *t, const tiny_uop *u, tiny_uop *const *out, tiny_uop **in,
                           tiny_uop *valid) {
  const tiny_uop *x = u->src[0];
  for (int i = 0; i < x->ndim; i++) {
    const int64_t before = u->v[2 * i], after = u->v[2 * i + 1];
    in[i] = before ? tn_simplify(t, tn_u2(t, TINY_OP_ADD, out[i], tn_index(t, -before))) : out[i];
    if (before > 0)
      valid = tn_u2(t, TINY_OP_AND, valid, tn_not(t, tn_u2(t, TINY_OP_LT, in[i], tn_index(t, 0))));
    if (after > 0) valid = tn_u2(t, TINY_OP_AND, valid, tn_u2(t, TINY_OP_LT, in[i], tn_index(t, x->dim[i])));
  }
  return tn_simplify(t, valid);
}

// The index list at which a movement op's source is wanted when the op itself is wanted at `at`.
static tiny_uop *tn_at_source(tiny_ctx *t, const tiny_uop *u, tiny_uop *at) {
  const tiny_uop *x = u->src[0];
  tiny_uop *in[TINY_MAX_DIMS + 1], *valid = tn_at_valid(at), **out = at->src;
  switch (u->op) {
    case TINY_OP_RESHAPE:
      if (tn_nelem(u) == 0) for (int i = 0; i < x->ndim; i++) in[i] = tn_index(t, 0);
      else tn_at_reshape(t, u, out, in);
      break;
    case TINY_OP_PERMUTE: for (int i = 0; i < u->ndim; i++) in[u->v[i]] = out[i]; break;
    case TINY_OP_EXPAND:
      for (int i = 0; i < u->ndim; i++) in[i] = x->dim[i] == 1 ? tn_index(t, 0) : out[i];
      break;
    case TINY_OP_SHRINK:
      for (int i = 0; i < u->ndim; i++)
        in[i] =
            u->v[2 * i] ? tn_simplify(t, tn_u2(t, TINY_OP_ADD, out[i], tn_index(t, u->v[2 * i]))) : out[i];
      break;
    case TINY_OP_PAD: valid = tn_at_pad(t, u, out, in, valid); break;
    case TINY_OP_FLIP:
      for (int i = 0; i < u->ndim; i++)
        in[i] = u->k >> i & 1 ?
            tn_simplify(t,
                        tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, out[i], tn_index(t, -1)),
                              tn_index(t, u->dim[i] - 1))) :
            out[i];
      break;
    case TINY_OP_VIEW: {
      tiny_uop *flat = tn_index(t, u->k);
      for (int i = 0; i < u->ndim; i++)
        flat = tn_u2(t, TINY_OP_ADD, flat, tn_u2(t, TINY_OP_MUL, out[i], tn_index(t, u->v[u->ndim + i])));
      in[0] = tn_simplify(t, flat);
      break;
    }
    default: return at;                    // CONTIGUOUS, DETACH
  }
  return tn_at(t, x->ndim, in, valid);
}

// The list inside of a REDUCE: fresh ranges for the reduced axes, the same for the same (node, list).
static tiny_uop *tn_at_reduce(tn_graph *g, tiny_uop *u, tiny_uop *at) {
  tiny_ctx *t = g->t;
  tiny_uop *pair[2] = {u, at}, *key = tn_uop_make(t, TINY_OP_GROUP, TINY_VOID, 1, 2, pair, 1, 0, NULL);
  tiny_uop *inner = (tiny_uop *)tn_map_get(&g->reduce_at, key);
  if (inner) return inner;
  tiny_uop *index[TINY_MAX_DIMS + 1];
  const tiny_uop *x = u->src[0];
  for (int i = 0; i < x->ndim; i++)
    index[i] = !(u->k >> (8 + i) & 1) ? at->src[i] :
        x->dim[i] == 1                ? tn_index(t, 0) :
                                        tn_range(t, x->dim[i], TN_REDUCE);
  inner = tn_at(t, x->ndim, index, tn_at_valid(at));
  tn_map_set(t, &g->reduce_at, key, inner);
  return inner;
}

// ** first pass: what is stored **

static double tn_op_cost(const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_EXP2: case TINY_OP_LOG2: return 12;
    case TINY_OP_SIN: case TINY_OP_POW: return 30;
    case TINY_OP_THREEFRY: return 80;
    case TINY_OP_FDIV: case TINY_OP_SQRT: return 4;
    case TINY_OP_IDIV: case TINY_OP_MOD: return 6;
    default: return tn_op_is(u->op, TINY_ALU) ? 1 : 0;
  }
}

static int tn_is_passing(const tiny_uop *u) {
  return tn_op_is(u->op, TINY_MOVEMENT) || u->op == TINY_OP_DETACH;
}

// Facts that flow from sources to users.
static void tn_node_summarize(tn_graph *g, tn_node *n) {
  const tiny_uop *u = n->u;
  int grown = 0;
  n->cost = tn_op_cost(u);
  if (n->leaf) return;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tn_node *s = tn_graph_node(g, u->src[i]);
    const int cut = s->forced || s->leaf;
    if (!cut && s->depth + 1 > n->depth) n->depth = s->depth + 1;
    if (!cut && s->reduces > n->reduces) n->reduces = s->reduces;
    grown |= u->src[i]->op == TINY_OP_EXPAND;
    n->cost += cut ? 0 : s->cost;
    n->has_reduce |= !cut && s->has_reduce;
    n->has_iota |= !cut && s->has_iota;
  }
  if (u->op == TINY_OP_IOTA) n->has_iota = 1;
  if (u->op == TINY_OP_REDUCE) {
    n->has_reduce = 1;
    n->has_iota = 0;
    n->cost = 1;
    n->depth = 0;
    n->reduces++;
  }
  if (u->op == TINY_OP_CONTIGUOUS || u->op == TINY_OP_ASSIGN || u->op == TINY_OP_CUSTOM) n->forced = 1;
  if (u->op == TINY_OP_CUSTOM) for (uint32_t i = 0; i < u->nsrc; i++) tn_graph_node(g, u->src[i])->forced = 1;
  // Not a product that is all outer.
  if (n->depth >= TN_MAX_DEPTH && tn_op_is(u->op, TINY_ALU) && u->ndim && !grown) n->forced = 1;
  if (n->reduces > TN_MAX_REDUCES) n->forced = 1;
  if (n->forced) { n->depth = 0; n->reduces = 0; n->cost = 0; }
}

static void tn_add_use(tn_graph *g, const tiny_uop *u, int kernel, tiny_uop *at, double evals) {
  tn_node *n = tn_graph_node(g, u);
  if (n->leaf || !u->nsrc) return;
  for (int i = 0; i < n->nuse; i++)
    if (n->use[i].kernel == kernel && n->use[i].at == at) {
      n->use[i].evals += evals;
      return;
    }
  if (n->nuse < TN_MAX_USES) { const tn_use use = {kernel, at, evals}; n->use[n->nuse++] = use; }
  else if (!tn_is_passing(n->u)) n->forced = 1;   // wanted in too many ways: once and for all
}

static void tn_collect_ranges(tiny_ctx *t, tiny_uop *u, tn_list *out) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, u, &all);
  for (int i = 0; i < all.n; i++) if (all.u[i]->op == TINY_OP_RANGE) tn_push(t, out, all.u[i]);
}

// May a REDUCE wanted at `at` run inside of the kernel that wants it, without any of it being computed twice?
static int tn_reduce_fits(tn_graph *g, tn_kernel *k, const tn_node *n, tiny_uop *at) {
  tn_list ranges = {NULL, 0, 0}, all = {NULL, 0, 0};
  tn_collect_ranges(g->t, at, &ranges);
  tn_collect_ranges(g->t, k->at, &all);
  double scope_nelem = 1, all_nelem = 1;
  int pure = 1;
  for (int i = 0; i < all.n; i++) all_nelem *= (double)tn_range_extent(all.u[i]);
  for (int i = 0; i < ranges.n; i++) {
    if (tn_range_kind(ranges.u[i]) != TN_LOOP) return 0;
    scope_nelem *= (double)tn_range_extent(ranges.u[i]);
  }
  for (uint32_t i = 0; i + 1 < at->nsrc; i++)
    pure &= at->src[i]->op == TINY_OP_RANGE || tn_is_const(at->src[i]);
  if (scope_nelem > (double)tn_nelem(n->u)) return 0;
  if (ranges.n < all.n) {                  // a row kernel
    const double row = (double)tn_nelem(n->u->src[0]) / (double)tn_nelem(n->u);
    if (!pure || row > TN_ROW_MAX_NELEM || (scope_nelem < TN_ROW_MIN && all_nelem > TN_ROW_SMALL)) return 0;
  }
  tiny_uop *scope = tn_uop_make(g->t, TINY_OP_GROUP, TINY_VOID, 1, ranges.n, ranges.u, 2, 0, NULL);
  if (k->scope && k->scope != scope) return 0;
  k->scope = scope;
  return 1;
}

static int tn_should_store(tn_graph *g, tn_node *n) {
  const tiny_uop *u = n->u;
  if (u->dtype == TINY_INDEX) return 0;    // positions: no memory holds them
  if (n->forced) return 1;
  if (u->op == TINY_OP_PAD && n->nuse == 1 && n->use[0].evals > TN_PAD_REUSE * (double)tn_nelem(u)) return 1;
  if (tn_is_passing(u) || u->op == TINY_OP_CONST || u->op == TINY_OP_SCALAR || u->op == TINY_OP_IOTA ||
      !n->nuse)
    return 0;
  int kernels = 1;
  double evals = 0;
  const double nelem = (double)tn_nelem(u);
  for (int i = 0; i < n->nuse; i++) {
    evals += n->use[i].evals;
    kernels += i && n->use[i].kernel != n->use[i - 1].kernel;
  }
  if (n->has_reduce) {
    if (n->nuse > 1 && u->op == TINY_OP_REDUCE) return 1;
    if (kernels > 1) return 1;
    if (u->op == TINY_OP_REDUCE) return !tn_reduce_fits(g, &g->kernel[n->use[0].kernel], n, n->use[0].at);
    for (int i = 0; i < n->nuse; i++) {    // store the last elementwise step rather than the REDUCE below it
      tn_list ranges = {NULL, 0, 0};
      tn_collect_ranges(g->t, n->use[i].at, &ranges);
      for (int r = 0; r < ranges.n; r++)
        if (tn_range_kind(ranges.u[r]) == TN_REDUCE && n->use[i].evals > nelem) {
          // Rows that are walked again are fine: their REDUCEs are not.
          tiny_uop *scope = g->kernel[n->use[i].kernel].scope;
          if (!scope || n->nuse == 1) return n->use[i].evals > nelem * 1.5;
        }
    }
    return 0;
  }
  // Masks of positions: algebra may make a lookup of them.
  if (u->ndim == 0 || (n->has_iota && n->cost < TN_MASK_COST)) return 0;
  const double again = evals / (nelem > 0 ? nelem : 1);
  return again > 1.5 && (again - 1) * n->cost > (kernels > 1 ? 24 : 40);
}

static void tn_node_propagate(tn_graph *g, tn_node *n, int kernel, tiny_uop *at, double evals) {
  tiny_ctx *t = g->t;
  tiny_uop *u = n->u;
  if (u->op == TINY_OP_ASSIGN) { tn_add_use(g, u->src[2], kernel, at, evals); return; }
  if (u->op == TINY_OP_CUSTOM) return;
  if (tn_is_passing(u) || u->op == TINY_OP_CONTIGUOUS) {
    tn_add_use(g, u->src[0], kernel, tn_at_source(t, u, at), evals);
    return;
  }
  if (u->op == TINY_OP_REDUCE) {
    if (tn_nelem(u->src[0]) == 0) return;
    // Each element once: it was stored or it fits.
    tn_add_use(g, u->src[0], kernel, tn_at_reduce(g, u, at), (double)tn_nelem(u->src[0]));
    return;
  }
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *s = u->src[i];
    tn_add_use(g, s, kernel, s->ndim == u->ndim ? at : tn_at_scalar(t, tn_at_valid(at)), evals);
  }
}

// Walks from users to sources; g->node is in topological order. Outputs are marked forced.
static void tn_choose_stores(tn_graph *g) {
  for (int i = 0; i < g->n; i++) tn_node_summarize(g, &g->node[i]);
  for (int i = g->n - 1; i >= 0; i--) {
    tn_node *n = &g->node[i];
    if (n->leaf || (!n->forced && !n->nuse)) continue;
    n->stored = (uint8_t)tn_should_store(g, n);
    if (!n->stored) {
      for (int j = 0; j < n->nuse; j++)
        tn_node_propagate(g, n, n->use[j].kernel, n->use[j].at, n->use[j].evals);
      continue;
    }
    tn_kernel *k = TN_PUSH(g->t, g->kernel, g->nkernel, g->kernel_cap, tn_kernel);
    memset(k, 0, sizeof *k);
    k->node = n->u;
    k->at = tn_at_fresh(g->t, n->u->op == TINY_OP_ASSIGN ? n->u->src[1] : n->u);
    if (tn_nelem(n->u)) tn_node_propagate(g, n, g->nkernel - 1, k->at, (double)tn_nelem(n->u));
  }
}

// ** second pass: the kernel of a stored node **

static tiny_uop *tn_kernel_param(tn_graph *g, tn_kernel *k, tiny_uop *place) {
  int slot = 0;
  while (slot < k->nmem && k->mem[slot] != place) slot++;
  if (slot == k->nmem) *TN_PUSH(g->t, k->mem, k->nmem, k->mem_cap, tiny_uop *) = place;
  const int64_t nelem = tn_nelem(place);
  return tn_uop_make(g->t, TINY_OP_PARAM, place->dtype, 1, 0, NULL, slot, 1, &nelem);
}

static tiny_uop *tn_kernel_arg(tn_graph *g, tn_kernel *k, tiny_uop *scalar) {
  int slot = 0;
  while (slot < k->narg && k->arg[slot] != scalar) slot++;
  if (slot == k->narg) *TN_PUSH(g->t, k->arg, k->narg, k->arg_cap, tiny_uop *) = scalar;
  return tn_uop_make(g->t, TINY_OP_ARG, scalar->dtype, 1, 0, NULL, slot, 0, NULL);
}

// The memory in which a stored node or leaf lives: an ASSIGN lives in its base.
static tiny_uop *tn_place(const tiny_uop *u) {
  while (u->op == TINY_OP_ASSIGN && !u->realized) u = u->src[0];
  return u->realized ? u->realized : (tiny_uop *)(uintptr_t)u;
}

static tiny_uop *tn_load_from(tn_graph *g, tn_kernel *k, tiny_uop *place, tiny_uop *flat, tiny_uop *valid) {
  tiny_uop *src[3] = {tn_kernel_param(g, k, place), flat, valid};
  tiny_uop *index =
      tn_uop_make(g->t, TINY_OP_INDEX, place->dtype, 1, tn_is_k(valid, 1) ? 2 : 3, src, 0, 0, NULL);
  return tn_uop_make(g->t, TINY_OP_LOAD, place->dtype, 1, 1, &index, 0, 0, NULL);
}

// Does this node's value lie in memory while kernel k runs?
static int tn_in_memory(tn_graph *g, const tn_kernel *k, const tiny_uop *u) {
  const tn_node *n = tn_graph_node(g, u);
  return n->leaf || (n->stored && u != k->node);
}

// A chain of movement ops over memory: its views fold before any index arithmetic is written. NULL: u is no such chain.
static tiny_uop *tn_load_view(tn_graph *g, tn_kernel *k, tiny_uop *u, tiny_uop *at) {
  tiny_uop *chain[TN_MAX_CHAIN], *x = u, *flat, *valid;
  int n = 0;
  for (; !tn_in_memory(g, k, x); x = x->src[0]) {
    if (!tn_is_passing(x) || n == TN_MAX_CHAIN) return NULL;
    chain[n++] = x;
  }
  tiny_views v = tn_views_over(x->ndim, x->dim);
  while (n--) if (tn_views_move(&v, chain[n]) != TINY_OK) return NULL;
  if (tiny_views_expr(g->t, &v, at->src, &flat, &valid) != TINY_OK) return NULL;
  valid = tn_simplify(g->t, tn_u2(g->t, TINY_OP_AND, tn_at_valid(at), valid));
  return tn_load_from(g, k, tn_place(x), tn_simplify(g->t, flat), valid);
}

static int64_t tn_reduce_identity(int op, int dtype) {
  switch (op) {
    case TINY_OP_MUL: return tn_dtype_value(dtype, 1);
    case TINY_OP_MAX: return tn_is_float(dtype) ? tn_from_f64(-HUGE_VAL) : tn_dtype_min(dtype);
    default: return tn_dtype_value(dtype, 0);
  }
}
static tiny_uop *tn_const(tiny_ctx *t, int dtype, int64_t k) {
  return tn_uop_make(t, TINY_OP_CONST, dtype, 1, 0, NULL, k, 0, NULL);
}

static tiny_uop *tn_pull(tn_graph *g, tn_kernel *k, tiny_uop *u, tiny_uop *at);

static tiny_uop *tn_pull_reduce(tn_graph *g, tn_kernel *k, tiny_uop *u, tiny_uop *at) {
  tiny_ctx *t = g->t;
  const int op = (int)(u->k & 0xFF);
  if (tn_nelem(u->src[0]) == 0) return tn_const(t, u->dtype, tn_reduce_identity(op, u->dtype));
  tiny_uop *inner = tn_at_reduce(g, u, at), *src[TINY_MAX_DIMS + 1];
  int n = 0;
  src[n++] = tn_pull(g, k, u->src[0], inner);
  for (int i = 0; i < u->src[0]->ndim; i++)
    if ((u->k >> (8 + i) & 1) && inner->src[i]->op == TINY_OP_RANGE) src[n++] = inner->src[i];
  return n == 1 ? src[0] : tn_uop_make(t, TINY_OP_REDUCE, u->dtype, 1, n, src, op, 0, NULL);
}

// What a node's value is at a place where a PAD put zeros.
static tiny_uop *tn_pull_pad(tn_graph *g, tn_kernel *k, tiny_uop *u, tiny_uop *at) {
  tiny_uop *inner = tn_at_source(g->t, u, at), *x = tn_pull(g, k, u->src[0], inner);
  if (x->op == TINY_OP_LOAD && x->src[0]->nsrc == 3 && x->src[0]->src[2] == tn_at_valid(inner)) return x;
  if (tn_is_k(tn_at_valid(inner), 1)) return x;
  return tn_u3(g->t, TINY_OP_WHERE, tn_at_valid(inner), x,
               tn_const(g->t, u->dtype, tn_dtype_value(u->dtype, 0)));
}

static tiny_uop *tn_pull_new(tn_graph *g, tn_kernel *k, tiny_uop *u, tiny_uop *at) {
  if (tn_in_memory(g, k, u))
    return tn_load_from(g, k, tn_place(u), tn_flat(g->t, (int)at->nsrc - 1, at->src, u->dim),
                        tn_at_valid(at));
  if (u->op == TINY_OP_CONST) return u;
  if (u->op == TINY_OP_SCALAR) return tn_kernel_arg(g, k, u);
  if (u->op == TINY_OP_IOTA) return at->src[0];
  if (u->op == TINY_OP_REDUCE) return tn_pull_reduce(g, k, u, at);
  if (tn_is_passing(u) && tn_nelem(u)) {
    tiny_uop *load = tn_load_view(g, k, u, at);
    if (load) return load;
  }
  if (u->op == TINY_OP_PAD) return tn_pull_pad(g, k, u, at);
  if (tn_is_passing(u) || u->op == TINY_OP_CONTIGUOUS)
    return tn_pull(g, k, u->src[0], tn_at_source(g->t, u, at));
  tiny_uop *src[4];
  for (uint32_t i = 0; i < u->nsrc; i++)
    src[i] = tn_pull(g, k, u->src[i], u->src[i]->ndim == u->ndim ? at : tn_at_scalar(g->t, tn_at_valid(at)));
  return tn_uop_make(g->t, u->op, u->dtype, 1, (int)u->nsrc, src, u->k, u->nv, u->v);
}

// The value of u at an index list, as an expression of kernel k. Depth is bounded by TN_MAX_DEPTH.
static tiny_uop *tn_pull(tn_graph *g, tn_kernel *k, tiny_uop *u, tiny_uop *at) {
  tiny_uop *pair[2] = {u, at}, *key = tn_uop_make(g->t, TINY_OP_GROUP, TINY_VOID, 1, 2, pair, 3, 0, NULL);
  tiny_uop *x = (tiny_uop *)tn_map_get(&g->pulled, key);
  if (x) return x;
  x = tn_pull_new(g, k, u, at);
  tn_map_set(g->t, &g->pulled, key, x);
  return x;
}

// Where an ASSIGN through a view writes: the view's index list, walked down to its base.
static tiny_uop *tn_assign_at(tiny_ctx *t, const tiny_uop *assign, tiny_uop *at) {
  const tiny_uop *v = assign->src[1], *base = assign->src[0];
  while (v != base && tn_is_passing(v)) { at = tn_at_source(t, v, at); v = v->src[0]; }
  return at;
}

// Ranges numbered from 1 in the order they were made: kernels of one structure are one kernel.
static tiny_uop *tn_number_ranges(tiny_ctx *t, tiny_uop *sink) {
  tn_list r = {NULL, 0, 0};
  tn_map to = {NULL, NULL, 0, 0};
  tn_collect_ranges(t, sink, &r);
  for (int i = 1; i < r.n; i++)
    for (int j = i; j && r.u[j - 1]->k > r.u[j]->k; j--) {
      tiny_uop *x = r.u[j];
      r.u[j] = r.u[j - 1];
      r.u[j - 1] = x;
    }
  for (int i = 0; i < r.n; i++)
    tn_map_set(t, &to, r.u[i],
               tn_uop_make(t, TINY_OP_RANGE, TINY_INDEX, 1, 1, r.u[i]->src,
                           (int64_t)(i + 1) << 8 | tn_range_kind(r.u[i]), 0, NULL));
  return tn_simplify(t, tn_substitute(t, sink, &to));
}

// Inputs numbered by how they are indexed, so that the order of a graph's operands does not tell either.
static tiny_uop *tn_number_params(tiny_ctx *t, tn_kernel *k, tiny_uop *sink) {
  tn_list all = {NULL, 0, 0}, param = {NULL, 0, 0};
  tn_map to = {NULL, NULL, 0, 0};
  uint64_t *sign = (uint64_t *)tn_scratch(t, (size_t)k->nmem * sizeof *sign);
  tn_toposort(t, sink, &all);
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *u = all.u[i];
    if (u->op == TINY_OP_PARAM && u->k) tn_push(t, &param, all.u[i]);
    if (u->op == TINY_OP_INDEX && u->src[0]->op == TINY_OP_PARAM)
      sign[u->src[0]->k] += tn_hash_mix((uint64_t)u->dtype, u->src[1]->hash);
  }
  if (param.n + 1 != k->nmem) return sink;
  for (int i = 1; i < param.n; i++) for (int j = i; j; j--) {
    tiny_uop *x = param.u[j], *y = param.u[j - 1];
    if (sign[y->k] < sign[x->k] || (sign[y->k] == sign[x->k] && y->k < x->k)) break;
    param.u[j - 1] = x; param.u[j] = y;
  }
  tiny_uop **mem = (tiny_uop **)tn_scratch(t, (size_t)k->nmem * sizeof *mem);
  mem[0] = k->mem[0];
  for (int i = 0; i < param.n; i++) {
    const tiny_uop *p = param.u[i];
    mem[i + 1] = k->mem[p->k];
    tn_map_set(t, &to, p, tn_uop_make(t, TINY_OP_PARAM, p->dtype, 1, 0, NULL, i + 1, p->nv, p->v));
  }
  k->mem = mem; k->mem_cap = k->nmem;
  return tn_substitute(t, sink, &to);
}

static void tn_kernel_write(tn_graph *g, tn_kernel *k) {
  tiny_ctx *t = g->t;
  tiny_uop *u = k->node, *value, *at = k->at;
  memset(&g->pulled, 0, sizeof g->pulled);
  if (u->op == TINY_OP_CUSTOM || tn_nelem(u) == 0 || (u->op == TINY_OP_ASSIGN && tn_nelem(u->src[1]) == 0)) {
    tn_kernel_param(g, k, tn_place(u));
    for (uint32_t i = 0; u->op == TINY_OP_CUSTOM && i < u->nsrc; i++)
      tn_kernel_param(g, k, tn_place(u->src[i]));
    return;
  }
  tiny_uop *memory = tn_kernel_param(g, k, tn_place(u));
  value = u->op == TINY_OP_ASSIGN ? tn_pull(g, k, u->src[2], at) : tn_pull_new(g, k, u, at);
  tiny_uop *to = u->op == TINY_OP_ASSIGN ? tn_assign_at(t, u, at) : at;
  const tiny_uop *shape = u->op == TINY_OP_ASSIGN ? u->src[0] : u;
  tiny_uop *src[TINY_MAX_DIMS + 2] = {memory, tn_flat(t, (int)to->nsrc - 1, to->src, shape->dim)};
  tiny_uop *pair[2] = {tn_uop_make(t, TINY_OP_INDEX, memory->dtype, 1, 2, src, 0, 0, NULL),
                       tn_cast(t, value, memory->dtype)};
  int n = 0;
  src[n++] = tn_uop_make(t, TINY_OP_STORE, TINY_VOID, 1, 2, pair, 0, 0, NULL);
  for (int scoped = 1; scoped >= 0; scoped--)    // ranges of the scope first: the others loop inside of them
    for (uint32_t i = 0; i + 1 < at->nsrc; i++) {
      int in_scope = 0;
      for (uint32_t j = 0; k->scope && j < k->scope->nsrc; j++) in_scope |= k->scope->src[j] == at->src[i];
      if (at->src[i]->op == TINY_OP_RANGE && in_scope == scoped) src[n++] = at->src[i];
    }
  tiny_uop *end = n == 1 ? src[0] : tn_uop_make(t, TINY_OP_END, TINY_VOID, 1, n, src, 0, 0, NULL);
  k->ast =
      tn_number_params(t, k,
                       tn_number_ranges(t, tn_uop_make(t, TINY_OP_SINK, TINY_VOID, 1, 1, &end, 0, 0, NULL)));
}
#endif
// ---- end src/schedule/rangeify.c ----
// ---- begin src/schedule/plan.c ----
// plan: a tensor graph -> the steps that compute it, and the cache that knows a graph again.
//
// In:  nodes to realize. Out: kernels in an order that respects reads, writes and in-place
//      updates; a place in memory for each; for the intermediate ones an offset in one arena,
//      shared when lives do not overlap.
// A graph is written down as words in walk order, with BUFFERs and SCALARs as numbered blanks. Two graphs with the
// same words differ only in what fills the blanks, so a step that is rebuilt every time replays the first one's plan.
#ifndef TN_SCHEDULE_PLAN
#define TN_SCHEDULE_PLAN
#ifndef TINY_AMALGAMATED
#include "rangeify.c"
#endif

enum { TN_ARENA_ALIGN = 128 };
enum { TN_PLACE_LEAF, TN_PLACE_OUTPUT, TN_PLACE_TEMP };

typedef struct tn_place_row {              // where a stored value lives
  int kind, index;                         // LEAF: number of the leaf; OUTPUT: number of the output
  int64_t nbytes, offset;                  // TEMP: offset in the arena
} tn_place_row;

typedef struct tn_step {
  struct tn_executable *exe;               // NULL: nothing to run (no elements)
  int *mem, nmem, *arg, narg;              // PARAM slot -> place; ARG slot -> number of the scalar
} tn_step;

typedef struct tn_output { int node, place; } tn_output;   // node: position in the walk; its value is at place

typedef struct tn_plan {
  struct tn_plan *next;                    // same bucket
  uint64_t hash; int64_t *words; int nwords;
  tn_step *step; int nstep;
  tn_place_row *place; int nplace;
  tn_output *output; int noutput;
  int64_t arena_nbytes;
  size_t nbytes;                           // of this allocation
} tn_plan;

// A walk over a graph: what the plan's blanks are filled with this time.
typedef struct tn_visit {
  tn_list all, leaves, scalars;
  tn_map places;                           // memory of a leaf -> 1 + number of the first leaf that has it
  int64_t *words; int nwords, cap;
  uint64_t hash;
} tn_visit;

static int tn_is_leaf(const tiny_uop *u) { return u->op == TINY_OP_BUFFER || u->realized; }

static void tn_visit_word(tiny_ctx *t, tn_visit *v, int64_t w) {
  *TN_PUSH(t, v->words, v->nwords, v->cap, int64_t) = w;
}

static void tn_visit_describe(tiny_ctx *t, tn_visit *v, tiny_uop *u) {
  u->seq = (uint32_t)v->all.n;
  tn_push(t, &v->all, u);
  if (tn_is_leaf(u)) {
    tn_visit_word(t, v, (int64_t)TINY_OP_BUFFER | (int64_t)u->dtype << 8 | (int64_t)u->ndim << 16);
    for (int i = 0; i < u->ndim; i++) tn_visit_word(t, v, u->dim[i]);
    tn_push(t, &v->leaves, u);
    if (!tn_map_has(&v->places, tn_place(u)))
      tn_map_set(t, &v->places, tn_place(u), (void *)(intptr_t)v->leaves.n);
    tn_visit_word(t, v, (int64_t)(intptr_t)tn_map_get(&v->places, tn_place(u)));
    return;
  }
  tn_visit_word(t, v,
                (int64_t)u->op | (int64_t)u->dtype << 8 | (int64_t)u->nv << 16 | (int64_t)u->nsrc << 32);
  if (u->op == TINY_OP_SCALAR) { tn_push(t, &v->scalars, u); return; }
  tn_visit_word(t, v, u->k);
  if (u->op == TINY_OP_CUSTOM) tn_visit_word(t, v, (int64_t)(intptr_t)u->ptr);
  for (int i = 0; i < u->nv; i++) tn_visit_word(t, v, u->v[i]);
  for (uint32_t i = 0; i < u->nsrc; i++) tn_visit_word(t, v, u->src[i]->seq);
}

// Sources before users from each root in turn; stops at leaves.
static void tn_visit_graph(tiny_ctx *t, tn_visit *v, tiny_uop *const *roots, int nroots) {
  const uint32_t seen = ++t->ir->epoch;
  tn_walk *stack = NULL, *top;
  int n = 0, cap = 0;
  for (int r = 0; r < nroots; r++) {
    if (roots[r]->mark != seen) {
      roots[r]->mark = seen;
      top = TN_PUSH(t, stack, n, cap, tn_walk);
      top->u = roots[r]; top->next = 0;
    }
    while (n) {
      top = &stack[n - 1];
      if (tn_is_leaf(top->u) || top->next == top->u->nsrc) { tn_visit_describe(t, v, top->u); n--; continue; }
      tiny_uop *s = top->u->src[top->next++];
      if (s->mark == seen) continue;
      s->mark = seen;
      top = TN_PUSH(t, stack, n, cap, tn_walk);
      top->u = s; top->next = 0;
    }
    tn_visit_word(t, v, ~(int64_t)roots[r]->seq);
  }
  v->hash = tn_hash_bytes(0, v->words, (size_t)v->nwords * sizeof *v->words);
}

// ** rewriting the graph before it is cut into kernels **

enum { TN_SPLIT_OUTPUTS = 16, TN_SPLIT_NELEM = 1 << 18, TN_SPLIT_PARTS = 256 };

// A long reduction to few values, as parts that run in parallel and a reduction of those. The number of parts depends
// on the shape alone.
static tiny_uop *tn_split_reduce(tiny_ctx *t, tiny_uop *u) {
  tiny_uop *x = u->src[0];
  int64_t dim[TINY_MAX_DIMS], parts = 1;
  int axis = -1;
  if (tn_nelem(u) >= TN_SPLIT_OUTPUTS || tn_nelem(x) < TN_SPLIT_NELEM || x->ndim == TINY_MAX_DIMS) return u;
  for (int i = 0; i < x->ndim; i++) if (u->k >> (8 + i) & 1)
    for (int64_t p = TN_SPLIT_PARTS; p > parts; p--) if (x->dim[i] % p == 0) { parts = p; axis = i; }
  if (parts < 8) return u;
  for (int i = 0, n = 0; i < x->ndim; i++) {
    if (i == axis) dim[n++] = parts;
    dim[n++] = i == axis ? x->dim[i] / parts : x->dim[i];
  }
  const int64_t op = u->k & 0xFF, axes = u->k >> 8, low = axes & (((int64_t)1 << axis) - 1),
                high = axes >> axis << (axis + 1);
  tiny_uop *wide = tn_reshape(t, x, x->ndim + 1, dim);
  tiny_uop *part = tn_uop_make(t, TINY_OP_REDUCE, u->dtype, 1, 1, &wide, op | (low | high) << 8, 0, NULL);
  tiny_uop *kept = tn_u1(t, TINY_OP_CONTIGUOUS, part);
  tiny_uop *whole =
      tn_uop_make(t, TINY_OP_REDUCE, u->dtype, 1, 1, &kept, op | (int64_t)1 << (8 + axis), 0, NULL);
  return tn_reshape(t, whole, u->ndim, u->dim);
}

// The visited nodes as they will be computed; now[i] stands for v->all.u[i]. The states in `copied` are copied before
// anything overwrites them: all but their updates read the copies.
static tiny_uop **tn_visit_rewritten(tiny_ctx *t, const tn_visit *v, const tn_map *copied) {
  tiny_uop **now = (tiny_uop **)tn_scratch(t, ((size_t)v->all.n + 1) * sizeof *now);
  tn_map map = {NULL, NULL, 0, 0};
  for (int i = 0; i < v->all.n; i++) {
    tiny_uop *u = v->all.u[i], *w = u;
    if (!tn_is_leaf(u) && u->nsrc) {
      tiny_uop **src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
      int changed = 0;
      for (uint32_t j = 0; j < u->nsrc; j++) {
        src[j] = (tiny_uop *)tn_map_get(&map, u->src[j]);
        if (tn_map_has(copied, u->src[j]) && !(u->op == TINY_OP_ASSIGN && j < 2))
          src[j] = tn_u1(t, TINY_OP_CONTIGUOUS, src[j]);
        changed |= src[j] != u->src[j];
      }
      if (changed) w = tn_uop_with(t, u, src);
      if (w->op == TINY_OP_REDUCE) w = tn_split_reduce(t, w);
    }
    tn_map_set(t, &map, u, w);
    now[i] = w;
  }
  return now;
}

// ** kernels **

// An in-place update whose value reads the old contents elsewhere than where it writes: that value is stored first.
static int tn_update_clashes(tiny_ctx *t, const tn_kernel *k) {
  tn_list all = {NULL, 0, 0};
  if (k->node->op != TINY_OP_ASSIGN || !k->ast) return 0;
  const tiny_uop *end = k->ast->src[0], *store = end->op == TINY_OP_END ? end->src[0] : end,
                 *to = store->src[0];
  tn_toposort(t, k->ast, &all);
  for (int i = 0; i < all.n; i++)
    if (all.u[i]->op == TINY_OP_INDEX && all.u[i]->src[0] == to->src[0] && all.u[i]->src[1] != to->src[1])
      return 1;
  return 0;
}

static void tn_graph_open(tn_graph *g, tiny_ctx *t, const tn_visit *v, tiny_uop *const *roots, int nroots,
                          const tn_list *forced) {
  memset(g, 0, sizeof *g);
  g->t = t;
  g->n = v->all.n;
  g->node = (tn_node *)tn_scratch(t, (size_t)(g->n + 1) * sizeof *g->node);
  for (int i = 0; i < g->n; i++) {
    g->node[i].u = v->all.u[i];
    g->node[i].leaf = (uint8_t)tn_is_leaf(v->all.u[i]);
    tn_map_set(t, &g->index, v->all.u[i], (void *)(intptr_t)(i + 1));
  }
  for (int i = 0; i < nroots; i++) tn_graph_node(g, roots[i])->forced = 1;
  for (int i = 0; i < forced->n; i++) tn_graph_node(g, forced->u[i])->forced = 1;
}

// Kernels of the nodes. Where a clash cannot be helped by storing the value, its base goes to
// `copied` and 0 is returned.
static int tn_graph_kernels(tn_graph *g, tiny_ctx *t, const tn_visit *v, tiny_uop *const *roots, int nroots,
                            tn_list *copied) {
  tn_list forced = {NULL, 0, 0};
  for (int clashes = 1; clashes;) {
    clashes = 0;
    tn_graph_open(g, t, v, roots, nroots, &forced);
    tn_choose_stores(g);
    for (int i = 0; i < g->nkernel; i++) {
      tn_kernel_write(g, &g->kernel[i]);
      if (!tn_update_clashes(t, &g->kernel[i])) continue;
      tiny_uop *base = g->kernel[i].node->src[0], *value = g->kernel[i].node->src[2];
      const tn_node *n = tn_graph_node(g, value);
      if (n->leaf || n->stored) { tn_push(t, copied, base); return 0; }
      tn_push(t, &forced, value);
      clashes = 1;
    }
  }
  return 1;
}

// ** order **

// A state by one name: the BUFFER where it has one.
static tiny_uop *tn_state_of(tiny_uop *u) { return u->realized ? u->realized : u; }

// The stored nodes and leaves that a kernel reads; an update also needs its base, which is not among them.
static void tn_kernel_reads(tn_graph *g, const tn_kernel *k, tn_map *reads) {
  tn_list stack = {NULL, 0, 0};
  tn_map seen = {NULL, NULL, 0, 0};
  for (uint32_t i = k->node->op == TINY_OP_ASSIGN ? 2 : 0; i < k->node->nsrc; i++)
    tn_push(g->t, &stack, k->node->src[i]);
  while (stack.n) {
    tiny_uop *u = stack.u[--stack.n];
    if (tn_map_has(&seen, u)) continue;
    tn_map_set(g->t, &seen, u, u);
    const tn_node *n = tn_graph_node(g, u);
    if (n->leaf || n->stored) tn_map_set(g->t, reads, tn_state_of(u), u);
    else for (uint32_t i = 0; i < u->nsrc; i++) tn_push(g->t, &stack, u->src[i]);
  }
}

static tn_map *tn_graph_reads(tn_graph *g) {
  tn_map *reads = (tn_map *)tn_scratch(g->t, ((size_t)g->nkernel + 1) * sizeof *reads);
  for (int i = 0; i < g->nkernel; i++) tn_kernel_reads(g, &g->kernel[i], &reads[i]);
  return reads;
}

static tiny_uop *tn_updated_state(const tn_kernel *k) {
  return k->node->op == TINY_OP_ASSIGN ? tn_state_of(k->node->src[0]) : NULL;
}

// Kernel numbers in running order into order[]; 0 when updates and reads cannot all be respected.
static int tn_order_kernels(tn_graph *g, const tn_map *reads, int *order) {
  const int n = g->nkernel;
  uint8_t *before = (uint8_t *)tn_scratch(g->t, (size_t)n * (size_t)n + 1),
          *done = (uint8_t *)tn_scratch(g->t, (size_t)n + 1);
  for (int b = 0; b < n; b++) {
    const tiny_uop *state = tn_updated_state(&g->kernel[b]);
    for (int a = 0; a < n; a++)
      before[a * n + b] = a != b &&
          (tn_map_has(&reads[b], g->kernel[a].node) ||
           (state && (state == g->kernel[a].node || tn_map_has(&reads[a], state))));
  }
  for (int i = 0; i < n; i++) {            // the last kernel made is the first in topological order
    int next = -1;
    for (int b = n - 1; b >= 0 && next < 0; b--) {
      int ready = !done[b];
      for (int a = 0; a < n && ready; a++) ready = !before[a * n + b] || done[a];
      if (ready) next = b;
    }
    if (next < 0) return 0;
    done[next] = 1;
    order[i] = next;
  }
  return 1;
}

// The state that some value needs both before and after its update, once ordering has failed.
static tiny_uop *tn_find_conflict(tn_graph *g, const tn_map *reads, const tn_list *copied) {
  for (int b = 0; b < g->nkernel; b++) {
    const tiny_uop *state = tn_updated_state(&g->kernel[b]);
    int had = !state;
    for (int i = 0; i < copied->n; i++) had |= copied->u[i] == g->kernel[b].node->src[0];
    for (int a = 0; a < g->nkernel && !had; a++)
      if (a != b && tn_map_has(&reads[a], state)) return g->kernel[b].node->src[0];
  }
  return NULL;
}

// ** places **

typedef struct tn_life { int place, first, last; } tn_life;

// Offsets in one arena: the largest first, each at the lowest offset that is free during its life.
static int64_t tn_pack_arena(tiny_ctx *t, tn_place_row *place, const tn_life *life, int n) {
  int *by = (int *)tn_scratch(t, ((size_t)n + 1) * sizeof *by);
  int64_t total = 0;
  for (int i = 0; i < n; i++) {
    int j = i;
    for (; j && place[life[by[j - 1]].place].nbytes < place[life[i].place].nbytes; j--) by[j] = by[j - 1];
    by[j] = i;
  }
  for (int i = 0; i < n; i++) {
    tn_place_row *p = &place[life[by[i]].place];
    int64_t at = 0;
    for (int moved = 1; moved;) {
      moved = 0;
      for (int j = 0; j < i; j++) {
        const tn_life *o = &life[by[j]];
        const tn_place_row *q = &place[o->place];
        if (o->last < life[by[i]].first || o->first > life[by[i]].last || at + p->nbytes <= q->offset ||
            at >= q->offset + q->nbytes)
          continue;
        at = (q->offset + q->nbytes + TN_ARENA_ALIGN - 1) / TN_ARENA_ALIGN * TN_ARENA_ALIGN;
        moved = 1;
      }
    }
    p->offset = at;
    if (at + p->nbytes > total) total = at + p->nbytes;
  }
  return total;
}

static int64_t tn_node_nbytes(const tiny_uop *u) { return tn_nelem(u) * tn_dtypes[u->dtype].nbytes; }

typedef struct tn_draft {
  tn_plan plan;
  tn_map place;
  int cap_place, cap_output;
} tn_draft; // a plan in scratch memory

static int tn_draft_place(tiny_ctx *t, tn_draft *d, const tn_visit *v, tiny_uop *u) {
  tiny_uop *at = tn_place(u);
  const int known = (int)(intptr_t)tn_map_get(&d->place, at);
  if (known) return known - 1;
  tn_place_row *row = TN_PUSH(t, d->plan.place, d->plan.nplace, d->cap_place, tn_place_row);
  memset(row, 0, sizeof *row);
  row->kind = TN_PLACE_TEMP;
  row->nbytes = tn_node_nbytes(at);
  if (tn_map_has(&v->places, at)) {
    row->kind = TN_PLACE_LEAF;
    row->index = (int)(intptr_t)tn_map_get(&v->places, at) - 1;
  }
  tn_map_set(t, &d->place, at, (void *)(intptr_t)d->plan.nplace);
  return d->plan.nplace - 1;
}

// The nodes whose value the caller keeps: the roots, and every ASSIGN, which has then happened.
static void tn_draft_outputs(tiny_ctx *t, tn_draft *d, const tn_visit *v, tiny_uop *const *now,
                             tiny_uop *const *roots, int nroots) {
  for (int i = 0; i < v->all.n; i++) {
    tiny_uop *u = v->all.u[i];
    int keep = u->op == TINY_OP_ASSIGN;
    for (int r = 0; r < nroots; r++) keep |= roots[r] == u;
    if (!keep || tn_is_leaf(u)) continue;
    const int at = tn_draft_place(t, d, v, now[i]);
    if (d->plan.place[at].kind == TN_PLACE_TEMP) {
      d->plan.place[at].kind = TN_PLACE_OUTPUT;
      d->plan.place[at].index = d->plan.noutput;
    }
    tn_output *o = TN_PUSH(t, d->plan.output, d->plan.noutput, d->cap_output, tn_output);
    o->node = i; o->place = at;
  }
}

static void tn_draft_steps(tiny_ctx *t, tn_draft *d, const tn_visit *v, const tn_graph *g, const int *order) {
  tn_life *life = (tn_life *)tn_scratch(t, ((size_t)g->nkernel + 1) * sizeof *life);
  int nlife = 0;
  d->plan.step = (tn_step *)tn_scratch(t, ((size_t)g->nkernel + 1) * sizeof *d->plan.step);
  d->plan.nstep = g->nkernel;
  for (int i = 0; i < g->nkernel; i++) {
    const tn_kernel *k = &g->kernel[order[i]];
    tn_step *s = &d->plan.step[i];
    s->nmem = k->nmem; s->narg = k->narg;
    s->mem = (int *)tn_scratch(t, ((size_t)k->nmem + 1) * sizeof *s->mem);
    s->arg = (int *)tn_scratch(t, ((size_t)k->narg + 1) * sizeof *s->arg);
    for (int j = 0; j < k->nmem; j++) {
      s->mem[j] = tn_draft_place(t, d, v, k->mem[j]);
      if (d->plan.place[s->mem[j]].kind != TN_PLACE_TEMP) continue;
      int l = 0;
      while (l < nlife && life[l].place != s->mem[j]) l++;
      if (l == nlife) { life[nlife].place = s->mem[j]; life[nlife++].first = i; }
      life[l].last = i;
    }
    for (int j = 0; j < k->narg; j++)
      for (int n = 0; n < v->scalars.n; n++)
        if (v->scalars.u[n] == k->arg[j]) s->arg[j] = n;
  }
  d->plan.arena_nbytes = tn_pack_arena(t, d->plan.place, life, nlife);
}

// Everything but the executables. (*kernels)[i] belongs to step i.
static tiny_code tn_draft_plan(tiny_ctx *t, const tn_visit *v, tiny_uop *const *roots, int nroots,
                               tn_draft *d, const tn_kernel ***kernels) {
  tn_graph g;
  tn_map copied = {NULL, NULL, 0, 0};      // of v
  tiny_uop **now, **wanted = (tiny_uop **)tn_scratch(t, ((size_t)nroots + 1) * sizeof *wanted);
  int *order;
  memset(d, 0, sizeof *d);
  for (int round = 0;; round++) {          // each copies one more state
    tn_visit w;
    tn_list more = {NULL, 0, 0};           // to copy: of the rewritten graph
    memset(&w, 0, sizeof w);
    now = tn_visit_rewritten(t, v, &copied);
    for (int i = 0; i < v->all.n; i++)
      for (int r = 0; r < nroots; r++)
        if (v->all.u[i] == roots[r]) wanted[r] = now[i];
    tn_visit_graph(t, &w, wanted, nroots);
    const int written = tn_graph_kernels(&g, t, &w, wanted, nroots, &more);
    if (t->code != TINY_OK) return t->code;
    if (written) {
      const tn_map *reads = tn_graph_reads(&g);
      order = (int *)tn_scratch(t, ((size_t)g.nkernel + 1) * sizeof *order);
      if (tn_order_kernels(&g, reads, order)) break;
      for (int i = 0; i < v->all.n; i++) if (tn_map_has(&copied, v->all.u[i])) tn_push(t, &more, now[i]);
      tiny_uop *state = tn_find_conflict(&g, reads, &more);
      if (!state || round > v->all.n)
        return tiny_fail(
            t, TINY_E_STATE,
            "assign: values need tensors both before and after they are assigned; realize some of them first");
      tn_push(t, &more, state);
    }
    for (int i = 0; i < v->all.n; i++)
      if (now[i] == more.u[more.n - 1]) tn_map_set(t, &copied, v->all.u[i], v->all.u[i]);
  }
  tn_draft_outputs(t, d, v, now, roots, nroots);
  tn_draft_steps(t, d, v, &g, order);
  *kernels = (const tn_kernel **)tn_scratch(t, ((size_t)g.nkernel + 1) * sizeof **kernels);
  for (int i = 0; i < g.nkernel; i++) (*kernels)[i] = &g.kernel[order[i]];
  return TINY_OK;
}

// ** the cache of plans **

enum { TN_PLAN_BUCKETS = 256 };
struct tn_schedules { tn_plan *bucket[TN_PLAN_BUCKETS]; };

static int tn_schedules_open(tiny_ctx *t) {
  t->schedules = (struct tn_schedules *)tn_alloc(t, sizeof *t->schedules);
  return t->schedules != NULL;
}
static void tn_schedules_close(tiny_ctx *t) {
  if (!t->schedules) return;
  for (int i = 0; i < TN_PLAN_BUCKETS; i++) while (t->schedules->bucket[i]) {
    tn_plan *p = t->schedules->bucket[i];
    t->schedules->bucket[i] = p->next;
    tn_release(t, p, p->nbytes);
  }
  tn_release(t, t->schedules, sizeof *t->schedules);
  t->schedules = NULL;
}

static tn_plan *tn_plan_find(tiny_ctx *t, const tn_visit *v) {
  for (tn_plan *p = t->schedules->bucket[v->hash % TN_PLAN_BUCKETS]; p; p = p->next)
    if (p->hash == v->hash && p->nwords == v->nwords &&
        !memcmp(p->words, v->words, (size_t)v->nwords * sizeof *v->words))
      return p;
  return NULL;
}

static void *tn_plan_put(char **at, const void *data, size_t nbytes) {
  void *to = *at;
  if (nbytes) memcpy(to, data, nbytes);
  *at += (nbytes + 15) & ~(size_t)15;
  return to;
}

// Copies a finished draft into one allocation and remembers it under the visit's words.
static tn_plan *tn_plan_keep(tiny_ctx *t, const tn_draft *d, const tn_visit *v) {
  const tn_plan *p = &d->plan;
  size_t nbytes = sizeof *p + (size_t)v->nwords * 8 + (size_t)p->nplace * sizeof *p->place +
      (size_t)p->noutput * sizeof *p->output + (size_t)p->nstep * sizeof *p->step + 16 * 5;
  for (int i = 0; i < p->nstep; i++) nbytes += (size_t)(p->step[i].nmem + p->step[i].narg) * sizeof(int) + 32;
  tn_plan *kept = (tn_plan *)tn_alloc(t, nbytes);
  char *at = (char *)kept;
  tn_plan_put(&at, p, sizeof *p);
  kept->nbytes = nbytes; kept->hash = v->hash; kept->nwords = v->nwords;
  kept->words = (int64_t *)tn_plan_put(&at, v->words, (size_t)v->nwords * sizeof *v->words);
  kept->place = (tn_place_row *)tn_plan_put(&at, p->place, (size_t)p->nplace * sizeof *p->place);
  kept->output = (tn_output *)tn_plan_put(&at, p->output, (size_t)p->noutput * sizeof *p->output);
  kept->step = (tn_step *)tn_plan_put(&at, p->step, (size_t)p->nstep * sizeof *p->step);
  for (int i = 0; i < p->nstep; i++) {
    kept->step[i].mem = (int *)tn_plan_put(&at, p->step[i].mem, (size_t)p->step[i].nmem * sizeof(int));
    kept->step[i].arg = (int *)tn_plan_put(&at, p->step[i].arg, (size_t)p->step[i].narg * sizeof(int));
  }
  tn_plan **slot = &t->schedules->bucket[v->hash % TN_PLAN_BUCKETS];
  kept->next = *slot;
  return *slot = kept;
}
#endif
// ---- end src/schedule/plan.c ----

// ** codegen: kernel -> program **
// ---- begin src/codegen/moves.c ----
// moves: what optimisation may do to a kernel. A move changes ranges; the value that the kernel
// computes stays the same.
//
//   split    r of extent n*f -> r' * f + i (i innermost) or i * n + r' (i outermost)
//   kind     what a range becomes: TASK (threads), GLOBAL and LOCAL (work groups and items), UPCAST and UNROLL
//            (copies of the expression), VECTOR (lanes), GROUP (a reduction shared by the work items of a
//            group), LOOP and REDUCE (loops)
//   pad      r grows to a multiple; what lies beyond is neither loaded nor stored, and adds the identity to reductions
//   swap     the order in which the ranges of a store loop
//   stage    what a load reads is first copied to nearer memory, laid out as it will be read
// Ranges of END, REDUCE and STAGE are always RANGE nodes: substituting an expression for one leaves the ranges in it.
// A TENSORCORE move would be one more: it replaces a MUL-ADD REDUCE over three split ranges by one op of the target.
#ifndef TN_CODEGEN_MOVES
#define TN_CODEGEN_MOVES
#ifndef TINY_AMALGAMATED
#include "../schedule/plan.c"
#endif

// First source that is a range list, -1: none.
static int tn_ranges_from(int op) {
  return op == TINY_OP_END || op == TINY_OP_REDUCE || op == TINY_OP_STAGE ? 1 : -1;
}

// root with from[i] replaced by to[i] everywhere, nothing simplified.
static tiny_uop *tn_replace(tiny_ctx *t, tiny_uop *root, int n, tiny_uop *const *from, tiny_uop *const *to) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, root, &all);
  tn_map map = {NULL, NULL, 0, 0};
  for (int i = 0; i < n; i++) tn_map_set(t, &map, from[i], to[i]);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i], *few[8], **src = few;
    if (tn_map_has(&map, u)) continue;
    int changed = 0, count = 0, cap = 8;
    const int lists = tn_ranges_from(u->op);
    if (u->nsrc > 8) { src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src); cap = (int)u->nsrc; }
    for (uint32_t j = 0; j < u->nsrc; j++) {
      tiny_uop *s = (tiny_uop *)tn_map_get(&map, u->src[j]);
      if (!s) s = u->src[j];
      changed |= s != u->src[j];
      if (lists >= 0 && (int)j >= lists && s->op != TINY_OP_RANGE) {
        tn_list ranges = {NULL, 0, 0};
        tn_collect_ranges(t, s, &ranges);
        if (count + ranges.n + (int)u->nsrc > cap) {
          tiny_uop **grown =
              (tiny_uop **)tn_scratch(t, (size_t)(cap = 2 * (count + ranges.n + (int)u->nsrc)) * sizeof *src);
          memcpy(grown, src, (size_t)count * sizeof *src);
          src = grown;
        }
        for (int r = 0; r < ranges.n; r++) src[count++] = ranges.u[r];
      } else src[count++] = s;
    }
    if (!changed) continue;
    tiny_uop *now = count == (int)u->nsrc ?
        tn_uop_with(t, u, src) :
        tn_uop_make_with(t, u->op, u->dtype, u->lanes, count, src, u->k, u->nv, u->v, u->ptr);
    // GROUP: unrolled.
    if (count == 1 && (u->op == TINY_OP_END || (u->op == TINY_OP_REDUCE && src[0]->op != TINY_OP_GROUP)))
      now = src[0];
    tn_map_set(t, &map, u, now);
  }
  tiny_uop *now = (tiny_uop *)tn_map_get(&map, root);
  tn_scratch_rewind(t, mark);
  return now ? now : root;
}

// A kernel under optimisation.
typedef struct tn_kernel_state { tiny_ctx *t; tiny_uop *sink; } tn_kernel_state;

static tiny_uop *tn_with_kind(tiny_ctx *t, tiny_uop *r, int kind) {
  return tn_uop_make(t, TINY_OP_RANGE, TINY_INDEX, 1, 1, r->src, (r->k & ~(int64_t)0xFF) | kind, 0, NULL);
}

// Gives r another kind; returns the range that stands for it now.
static tiny_uop *tn_move_kind(tn_kernel_state *s, tiny_uop *r, int kind) {
  tiny_uop *now = tn_with_kind(s->t, r, kind);
  if (now != r) s->sink = tn_replace(s->t, s->sink, 1, &r, &now);
  return now;
}

// Splits off a part of extent f of the given kind, the inner part unless outer is set. f must divide the extent.
// *rest (may be NULL) receives the range that is left, NULL if none is.
static tiny_uop *tn_move_split(tn_kernel_state *s, tiny_uop *r, int64_t f, int kind, int outer,
                               tiny_uop **rest) {
  const int64_t n = tn_range_extent(r);
  if (rest) *rest = NULL;
  if (f == n) return tn_move_kind(s, r, kind);
  tiny_uop *part = tn_range(s->t, f, kind), *left = tn_range(s->t, n / f, tn_range_kind(r)), *to;
  if (outer) to = tn_u2(s->t, TINY_OP_ADD, tn_u2(s->t, TINY_OP_MUL, part, tn_index(s->t, n / f)), left);
  else to = tn_u2(s->t, TINY_OP_ADD, tn_u2(s->t, TINY_OP_MUL, left, tn_index(s->t, f)), part);
  s->sink = tn_replace(s->t, s->sink, 1, &r, &to);
  if (rest) *rest = left;
  return part;
}

// Grows r to a multiple of m.
static tiny_uop *tn_move_pad(tn_kernel_state *s, tiny_uop *r, int64_t m) {
  tiny_ctx *t = s->t;
  const int64_t n = tn_range_extent(r), grown = (n + m - 1) / m * m;
  if (grown == n) return r;
  tiny_uop *wide = tn_range(t, grown, tn_range_kind(r)), *inside = tn_u2(t, TINY_OP_LT, wide, tn_index(t, n));
  s->sink = tn_replace(t, s->sink, 1, &r, &wide);
  tn_list all = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_toposort(t, s->sink, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i], *src[3];
    if (u->op == TINY_OP_INDEX && tn_depends(t, u->src[1], wide)) {
      src[0] = u->src[0]; src[1] = u->src[1];
      src[2] = u->nsrc == 3 ? tn_u2(t, TINY_OP_AND, u->src[2], inside) : inside;
      tn_push(t, &from, u);
      tn_push(t, &to, tn_uop_make(t, TINY_OP_INDEX, u->dtype, u->lanes, 3, src, u->k, 0, NULL));
    }
  }
  s->sink = tn_replace(t, s->sink, from.n, from.u, to.u);
  all.n = from.n = to.n = 0;
  tn_toposort(t, s->sink, &all);
  for (int i = 0; i < all.n; i++) {        // reductions over r see the identity beyond its end
    tiny_uop *u = all.u[i];
    int over = 0;
    for (uint32_t j = 1; u->op == TINY_OP_REDUCE && j < u->nsrc; j++) over |= u->src[j] == wide;
    if (!over) continue;
    tiny_uop **src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
    memcpy(src, u->src, u->nsrc * sizeof *src);
    src[0] = tn_u3(t, TINY_OP_WHERE, inside, src[0],
                   tn_const(t, u->dtype, tn_reduce_identity((int)u->k, u->dtype)));
    tn_push(t, &from, u);
    tn_push(t, &to, tn_uop_with(t, u, src));
  }
  s->sink = tn_replace(t, s->sink, from.n, from.u, to.u);
  return wide;
}

// Exchanges the places of a and b in every range list that holds both.
static void tn_move_swap(tn_kernel_state *s, tiny_uop *a, tiny_uop *b) {
  tiny_ctx *t = s->t;
  tn_list all = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_toposort(t, s->sink, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i];
    int has = 0;
    if (tn_ranges_from(u->op) < 0) continue;
    tiny_uop **src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
    for (uint32_t j = 0; j < u->nsrc; j++) {
      has |= j ? (u->src[j] == a) | (u->src[j] == b) << 1 : 0;
      src[j] = j && u->src[j] == a ? b : j && u->src[j] == b ? a : u->src[j];
    }
    if (has != 3) continue;
    tn_push(t, &from, u);
    tn_push(t, &to, tn_uop_with(t, u, src));
  }
  s->sink = tn_replace(t, s->sink, from.n, from.u, to.u);
}

// Copies what `load` reads, over the ranges inner[0..n-1], to memory of the given space before the loops that use it;
// the other ranges in its index stay outside of the copy. The copy's loops are fresh, with REDUCE become LOOP; its work
// items are the kernel's.
static void tn_move_stage(tn_kernel_state *s, tiny_uop *load, int n, tiny_uop *const *inner, int space) {
  tiny_ctx *t = s->t;
  tiny_uop *fresh[TINY_MAX_DIMS + 1], *flat = tn_index(t, 0);
  for (int i = 0; i < n; i++) {
    const int kind = tn_range_kind(inner[i]);
    fresh[i + 1] = kind == TN_LOCAL || kind == TN_GROUP ? inner[i] :
                   tn_range(t, tn_range_extent(inner[i]),
                            kind == TN_REDUCE ? TN_LOOP : kind == TN_UNROLL ? TN_UPCAST : kind);
    flat =
        tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, flat, tn_index(t, tn_range_extent(inner[i]))), inner[i]);
  }
  fresh[0] = tn_replace(t, load, n, inner, fresh + 1);
  tiny_uop *src[2] = {tn_uop_make(t, TINY_OP_STAGE, load->dtype, 1, n + 1, fresh, space, 0, NULL), flat};
  tiny_uop *index = tn_uop_make(t, TINY_OP_INDEX, load->dtype, 1, 2, src, 0, 0, NULL);
  tiny_uop *staged = tn_uop_make(t, TINY_OP_LOAD, load->dtype, 1, 1, &index, 0, 0, NULL);
  s->sink = tn_replace(t, s->sink, 1, &load, &staged);
}

// Shares a reduction between g work items: each reduces its part, the parts go to LOCAL memory, and every item
// reduces those. r must be a range of `reduce` and g divide its extent.
static void tn_move_group(tn_kernel_state *s, tiny_uop *reduce, tiny_uop *r, int64_t g) {
  tiny_ctx *t = s->t;
  const int64_t n = tn_range_extent(r);
  tiny_uop *item = tn_range(t, g, TN_GROUP), *rest = n == g ? NULL : tn_range(t, n / g, TN_REDUCE),
           *part = item;
  if (rest) part = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, rest, tn_index(t, g)), item);
  tiny_uop *partial = tn_replace(t, reduce, 1, &r, &part);   // its range list now holds item too: take it out
  tiny_uop **src = (tiny_uop **)tn_scratch(t, (partial->nsrc + 1) * sizeof *src);
  int count = 0;
  for (uint32_t i = 0; i < partial->nsrc; i++) if (partial->src[i] != item) src[count++] = partial->src[i];
  partial =
      count == 1 ? src[0] : tn_uop_make(t, TINY_OP_REDUCE, reduce->dtype, 1, count, src, reduce->k, 0, NULL);
  tiny_uop *parts[2] = {partial, item}, *again = tn_range(t, g, TN_REDUCE);
  tiny_uop *at[2] = {tn_uop_make(t, TINY_OP_STAGE, reduce->dtype, 1, 2, parts, TN_SPACE_LOCAL, 0, NULL),
                     again};
  tiny_uop *index = tn_uop_make(t, TINY_OP_INDEX, reduce->dtype, 1, 2, at, 0, 0, NULL);
  tiny_uop *all[2] = {tn_uop_make(t, TINY_OP_LOAD, reduce->dtype, 1, 1, &index, 0, 0, NULL), again};
  tiny_uop *whole = tn_uop_make(t, TINY_OP_REDUCE, reduce->dtype, 1, 2, all, reduce->k, 0, NULL);
  s->sink = tn_replace(t, s->sink, 1, &reduce, &whole);
}
#endif
// ---- end src/codegen/moves.c ----
// ---- begin src/codegen/expand.c ----
// expand: STAGE becomes memory, stores and barriers; UPCAST, UNROLL and VECTOR ranges become copies and lanes.
//
// In:  a kernel after its moves. Out: the same without STAGE and without those kinds of ranges.
// UPCAST and UNROLL put each value of the range in place of it: what does not depend on it is
// shared by hash-consing, so a tile of accumulators loads every operand once. VECTOR puts LANE in
// its place; lanes spread to whatever depends on it. Then INDEX nodes of lanes are told apart:
// step 1 is a contiguous access, other constant steps single loads, the rest gathers.
#ifndef TN_CODEGEN_EXPAND
#define TN_CODEGEN_EXPAND
#ifndef TINY_AMALGAMATED
#include "moves.c"
#endif

static int tn_is_item(const tiny_uop *r) {
  return tn_range_kind(r) == TN_LOCAL || tn_range_kind(r) == TN_GROUP;
}

// Do values of r exist side by side, in items or copies of a group?
static int tn_is_parallel(const tiny_uop *r) {
  const int kind = tn_range_kind(r);
  return tn_is_item(r) || kind == TN_UPCAST || kind == TN_UNROLL || kind == TN_VECTOR;
}

static void tn_collect_op(tiny_ctx *t, tiny_uop *root, int op, tn_list *out) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, root, &all);
  for (int i = 0; i < all.n; i++) if (all.u[i]->op == op) tn_push(t, out, all.u[i]);
}

static tiny_uop *tn_node_of(tiny_ctx *t, int op, int dtype, const tn_list *src) {
  return tn_uop_make(t, op, dtype, 1, src->n, src->u, 0, 0, NULL);
}

// Does u end range r?
static int tn_closes(const tiny_uop *u, const tiny_uop *r) {
  const int from = tn_ranges_from(u->op);
  for (uint32_t i = from < 0 ? u->nsrc : (uint32_t)from; i < u->nsrc; i++) if (u->src[i] == r) return 1;
  return 0;
}

// Ranges that are open around u: wanted ones that it depends on and that nothing in it closes.
static void tn_open_ranges(tiny_ctx *t, tiny_uop *u, int (*wanted)(const tiny_uop *r), tn_list *open) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, u, &all);
  for (int i = 0; i < all.n; i++) {
    int closed = all.u[i]->op != TINY_OP_RANGE || !wanted(all.u[i]);
    for (int j = 0; j < all.n && !closed; j++) closed |= tn_closes(all.u[j], all.u[i]);
    if (!closed) tn_push(t, open, all.u[i]);
  }
}
static int tn_is_loop(const tiny_uop *r) { return tn_range_kind(r) == TN_LOOP || tn_range_kind(r) == TN_REDUCE; }
static void tn_open_loops(tiny_ctx *t, tiny_uop *u, tn_list *open) { tn_open_ranges(t, u, tn_is_loop, open); }

// Work items outside of the STAGE's own ranges that its value differs by: each has a part of the memory to itself.
static tiny_uop *tn_stage_owner(tiny_ctx *t, tiny_uop *stage, int64_t *owners) {
  tn_list ranges = {NULL, 0, 0};
  tiny_uop *owner = tn_index(t, 0);
  *owners = 1;
  tn_open_ranges(t, stage->src[0], tn_is_parallel, &ranges);
  for (int i = 0; i < ranges.n; i++) {
    if (tn_closes(stage, ranges.u[i])) continue;
    const int64_t n = tn_range_extent(ranges.u[i]);
    owner = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, owner, tn_index(t, n)), ranges.u[i]);
    *owners *= n;
  }
  return owner;
}

// Items that all have the same to store: the first of them does.
static tiny_uop *tn_stage_filler(tiny_ctx *t, tiny_uop *sink, tiny_uop *stage) {
  tn_list ranges = {NULL, 0, 0}, open = {NULL, 0, 0};
  tiny_uop *first = tn_bool(t, 1);
  tn_collect_op(t, sink, TINY_OP_RANGE, &ranges);
  tn_open_ranges(t, stage->src[0], tn_is_item, &open);
  for (int i = 0; i < ranges.n; i++) {
    tiny_uop *r = ranges.u[i];
    int differs = stage->k != TN_SPACE_LOCAL || !tn_is_item(r) || tn_closes(stage, r);
    for (int j = 0; j < open.n; j++) differs |= open.u[j] == r;
    if (differs) continue;
    first = tn_u2(t, TINY_OP_AND, first, tn_u2(t, TINY_OP_LT, r, tn_index(t, 1)));
  }
  return tn_simplify(t, first);
}

// One STAGE as memory: its uses read the memory after the stores that fill it.
static tiny_uop *tn_expand_stage(tiny_ctx *t, tiny_uop *sink, tiny_uop *stage, int shared) {
  int64_t v[2] = {stage->k, 1}, owners;
  tn_list end = {NULL, 0, 0}, open = {NULL, 0, 0}, all = {NULL, 0, 0}, from = {NULL, 0, 0},
          now = {NULL, 0, 0};
  tiny_uop *owner = tn_stage_owner(t, stage, &owners), *flat = owner;
  tn_push(t, &end, NULL);
  for (uint32_t i = 1; i < stage->nsrc; i++) {
    tiny_uop *r = stage->src[i];
    v[1] *= tn_range_extent(r);
    flat = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, flat, tn_index(t, tn_range_extent(r))), r);
    if (!tn_is_item(r)) tn_push(t, &end, r);
  }
  const int64_t part = v[1];
  v[1] *= owners;
  tiny_uop *memory = tn_uop_make(t, TINY_OP_DEFINE, stage->dtype, 1, 0, NULL, ++t->ir->serial, 2, v),
           *to = memory;
  const int wait = shared && stage->k == TN_SPACE_LOCAL;
  tn_open_loops(t, stage, &open);
  if (wait && open.n) {                    // not before all items are done with the last round's contents
    tiny_uop *src[2] = {memory, tn_node_of(t, TINY_OP_BARRIER, TINY_VOID, &open)};
    to = tn_uop_make(t, TINY_OP_AFTER, memory->dtype, 1, 2, src, 0, 0, NULL);
  }
  tiny_uop *at[3] = {to, flat, tn_stage_filler(t, sink, stage)};
  const int gated = !tn_is_k(at[2], 1);
  tiny_uop *pair[2] = {tn_uop_make(t, TINY_OP_INDEX, stage->dtype, 1, 2 + gated, at, 0, 0, NULL), stage->src[0]};
  end.u[0] = tn_uop_make(t, TINY_OP_STORE, TINY_VOID, 1, 2, pair, 0, 0, NULL);
  tiny_uop *done = end.n == 1 ? end.u[0] : tn_node_of(t, TINY_OP_END, TINY_VOID, &end);
  if (wait) done = tn_uop_make(t, TINY_OP_BARRIER, TINY_VOID, 1, 1, &done, 0, 0, NULL);
  tiny_uop *after[2] = {memory, done},
           *filled = tn_uop_make(t, TINY_OP_AFTER, memory->dtype, 1, 2, after, 0, 0, NULL);
  tn_toposort(t, sink, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i], *src[3];
    if (u->op != TINY_OP_INDEX || u->src[0] != stage) continue;
    src[0] = filled;
    src[1] = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, owner, tn_index(t, part)), u->src[1]);
    src[2] = u->nsrc == 3 ? u->src[2] : NULL;
    tn_push(t, &from, u);
    tn_push(t, &now, tn_uop_make(t, TINY_OP_INDEX, u->dtype, u->lanes, (int)u->nsrc, src, 0, 0, NULL));
  }
  return tn_replace(t, sink, from.n, from.u, now.u);
}

static tiny_uop *tn_expand_stages(tiny_ctx *t, tiny_uop *sink) {
  tn_list ranges = {NULL, 0, 0}, stages = {NULL, 0, 0};
  tn_collect_op(t, sink, TINY_OP_RANGE, &ranges);
  int shared = 0;
  for (int i = 0; i < ranges.n; i++) shared |= tn_is_item(ranges.u[i]);
  for (;;) {                               // sources first, one at a time: a STAGE may read another
    stages.n = 0;
    tn_collect_op(t, sink, TINY_OP_STAGE, &stages);
    if (!stages.n) return sink;
    sink = tn_expand_stage(t, sink, stages.u[0], shared);
  }
}

// ** UPCAST and UNROLL **

// r, and the loops of body that each copy needs for itself: those of ENDs that differ by r or by such a loop. Reductions
// share theirs.
static void tn_unrolled_loops(tiny_ctx *t, tiny_uop *body, tiny_uop *r, tn_list *loops) {
  tn_list ends = {NULL, 0, 0};
  tn_push(t, loops, r);
  tn_collect_op(t, body, TINY_OP_END, &ends);
  for (int l = 0; l < loops->n; l++)
    for (int i = 0; i < ends.n; i++) {
      tiny_uop *end = ends.u[i];
      if (!end || !tn_depends(t, end->src[0], loops->u[l])) continue;
      for (uint32_t j = 1; j < end->nsrc; j++) if (end->src[j] != r) tn_push(t, loops, end->src[j]);
      ends.u[i] = NULL;
    }
}

// u, a node that closes r, without r: its body (or value) once for every value of r.
static tiny_uop *tn_unrolled(tiny_ctx *t, tiny_uop *u, tiny_uop *r) {
  tn_list copies = {NULL, 0, 0}, src = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_unrolled_loops(t, u->src[0], r, &from);
  for (int64_t i = 0; i < tn_range_extent(r); i++) {
    to.n = 0;
    tn_push(t, &to, tn_index(t, i));
    for (int j = 1; j < from.n; j++) {
      tiny_uop *own = from.u[j];
      tn_push(t, &to, i ? tn_range(t, tn_range_extent(own), tn_range_kind(own)) : own);
    }
    tiny_uop *copy = tn_replace(t, u->src[0], from.n, from.u, to.u);
    if (copy->op == TINY_OP_GROUP)
      for (uint32_t j = 0; j < copy->nsrc; j++) tn_push(t, &copies, copy->src[j]);
    else tn_push(t, &copies, copy);
  }
  tn_push(t, &src,
          tn_node_of(t, TINY_OP_GROUP, u->op == TINY_OP_REDUCE ? (int)u->dtype : (int)TINY_VOID, &copies));
  for (uint32_t i = 1; i < u->nsrc; i++) if (u->src[i] != r) tn_push(t, &src, u->src[i]);
  if (src.n == 1 && u->op == TINY_OP_END) return src.u[0];
  return tn_uop_make(t, u->op, u->dtype, 1, src.n, src.u, u->k, 0, NULL);
}

static tiny_uop *tn_expand_copies(tiny_ctx *t, tiny_uop *sink) {
  for (;;) {
    tn_list all = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
    tiny_uop *r = NULL;
    tn_toposort(t, sink, &all);
    for (int i = 0; i < all.n && !r; i++)
      if (all.u[i]->op == TINY_OP_RANGE &&
          (tn_range_kind(all.u[i]) == TN_UPCAST || tn_range_kind(all.u[i]) == TN_UNROLL))
        r = all.u[i];
    if (!r) return tn_simplify(t, sink);
    for (int i = 0; i < all.n; i++) if (tn_closes(all.u[i], r)) {
      tn_push(t, &from, all.u[i]);
      tn_push(t, &to, tn_unrolled(t, all.u[i], r));
    }
    sink = tn_replace(t, sink, from.n, from.u, to.u);
    if (!from.n) { tiny_fail(t, TINY_E_INTERNAL, "expand: a range is not closed"); return sink; }
  }
}

// ** VECTOR **

// elem = base + step * LANE with a scalar base? Returns base, NULL if not.
static tiny_uop *tn_lane_step(tiny_ctx *t, tiny_uop *e, int64_t *step) {
  int64_t a = 0, b = 0;
  *step = 0;
  if (e->lanes == 1) return e;
  if (e->op == TINY_OP_LANE) { *step = 1; return tn_index(t, 0); }
  if (e->op == TINY_OP_ADD) {
    tiny_uop *x = tn_lane_step(t, e->src[0], &a), *y = tn_lane_step(t, e->src[1], &b);
    *step = a + b;
    return x && y ? tn_simplify(t, tn_u2(t, TINY_OP_ADD, x, y)) : NULL;
  }
  if (e->op == TINY_OP_MUL && tn_is_const(e->src[1])) {
    tiny_uop *x = tn_lane_step(t, e->src[0], &a);
    *step = a * e->src[1]->k;
    return x ? tn_simplify(t, tn_u2(t, TINY_OP_MUL, x, e->src[1])) : NULL;
  }
  return NULL;
}

static tiny_uop *tn_lanes_of(tiny_ctx *t, tiny_uop *u, int lanes) {
  return u->lanes == lanes ? u : tn_uop_make(t, TINY_OP_BROADCAST, u->dtype, lanes, 1, &u, 0, 0, NULL);
}

// The same of a value, or of every value of a GROUP.
static tiny_uop *tn_lanes_of_all(tiny_ctx *t, tiny_uop *u, int lanes) {
  tn_list src = {NULL, 0, 0};
  if (u->op != TINY_OP_GROUP) return tn_lanes_of(t, u, lanes);
  for (uint32_t i = 0; i < u->nsrc; i++) tn_push(t, &src, tn_lanes_of(t, u->src[i], lanes));
  return tn_uop_make(t, u->op, u->dtype, lanes, src.n, src.u, u->k, 0, NULL);
}

static tiny_uop *tn_index_with(tiny_ctx *t, const tiny_uop *index, tiny_uop *element, int lanes) {
  tiny_uop *src[3] = {index->src[0], element, index->nsrc == 3 ? index->src[2] : NULL};
  return tn_uop_make(t, TINY_OP_INDEX, index->dtype, lanes, (int)index->nsrc, src, 0, 0, NULL);
}

static int64_t tn_memory_nelem(const tiny_uop *m) {
  while (m->op == TINY_OP_AFTER) m = m->src[0];
  return m->op == TINY_OP_PARAM ? m->v[0] : m->op == TINY_OP_DEFINE ? m->v[1] : 0;
}

// A load whose index has lanes: contiguous, strided or gathered.
static tiny_uop *tn_lanes_load(tiny_ctx *t, tiny_uop *load) {
  tiny_uop *index = load->src[0], *base, *src[2] = {NULL, load->nsrc == 2 ? load->src[1] : NULL};
  int64_t step;
  const int scalar_valid = index->nsrc < 3 || index->src[2]->lanes == 1,
            lanes = index->src[1]->lanes > 1 ? index->src[1]->lanes :
      index->nsrc == 3                       ? index->src[2]->lanes :
                                               1;
  base = tn_lane_step(t, index->src[1], &step);
  if (base && step == 1) {
    src[0] = tn_index_with(t, index, base, 1);
    return tn_uop_make(t, TINY_OP_LOAD, load->dtype, lanes, (int)load->nsrc, src, 0, 0, NULL);
  }
  // One element, for some lanes.
  if (base && step == 0 && !scalar_valid && load->nsrc == 1 && base->vmin >= 0 &&
      base->vmax < tn_memory_nelem(index->src[0])) {
    tiny_uop *open = tn_uop_make(t, TINY_OP_INDEX, index->dtype, 1, 2, index->src, 0, 0, NULL),
             *one = tn_uop_make(t, TINY_OP_LOAD, load->dtype, 1, 1, &open, 0, 0, NULL);
    return tn_u3(t, TINY_OP_WHERE, index->src[2], tn_lanes_of(t, one, lanes),
                 tn_lanes_of(t, tn_const(t, load->dtype, tn_dtype_value(load->dtype, 0)), lanes));
  }
  if (base && scalar_valid && load->nsrc == 1) {
    tn_list one = {NULL, 0, 0};
    for (int i = 0; i < lanes; i++) {
      src[0] = tn_index_with(t, index, tn_simplify(t, tn_u2(t, TINY_OP_ADD, base, tn_index(t, step * i))), 1);
      tn_push(t, &one, tn_uop_make(t, TINY_OP_LOAD, load->dtype, 1, 1, src, 0, 0, NULL));
    }
    return tn_uop_make(t, TINY_OP_STACK, load->dtype, lanes, lanes, one.u, 0, 0, NULL);
  }
  src[0] = tn_index_with(t, index, tn_lanes_of(t, index->src[1], lanes), lanes);
  return tn_uop_make(t, TINY_OP_LOAD, load->dtype, lanes, (int)load->nsrc, src, 0, 0, NULL);
}

static tiny_uop *tn_lanes_store(tiny_ctx *t, tiny_uop *store) {
  tiny_uop *index = store->src[0], *element = index->src[1];
  int lanes = store->src[1]->lanes;
  if (element->lanes > lanes) lanes = element->lanes;
  int64_t step;
  tiny_uop *base = tn_lane_step(t, element, &step), *src[2];
  src[0] = base && step == 1 ? tn_index_with(t, index, base, 1) :
                               tn_index_with(t, index, tn_lanes_of(t, element, lanes), lanes);
  src[1] = tn_lanes_of(t, store->src[1], lanes);
  return tn_uop_make(t, TINY_OP_STORE, TINY_VOID, 1, 2, src, 0, 0, NULL);
}

// One node over lanes, its sources done. REDUCE over r folds its lanes; END drops r.
static tiny_uop *tn_lanes_node(tiny_ctx *t, tiny_uop *u, tiny_uop **src, const tiny_uop *r) {
  if (u->op == TINY_OP_END || u->op == TINY_OP_REDUCE) {
    tn_list now = {NULL, 0, 0};
    int closes = 0;
    for (uint32_t i = 0; i < u->nsrc; i++) if (i && u->src[i] == r) closes = 1; else tn_push(t, &now, src[i]);
    if (u->op == TINY_OP_END)
      return now.n == 1 ? now.u[0] : tn_uop_make(t, u->op, u->dtype, 1, now.n, now.u, u->k, 0, NULL);
    // The same in every lane.
    if (closes && now.u[0]->lanes == 1) now.u[0] = tn_lanes_of_all(t, now.u[0], (int)tn_range_extent(r));
    tiny_uop *x = tn_uop_make(t, TINY_OP_REDUCE, u->dtype, now.u[0]->lanes, now.n, now.u, u->k, 0, NULL);
    return closes ? tn_uop_make(t, TINY_OP_HREDUCE, u->dtype, 1, 1, &x, u->k, 0, NULL) : x;
  }
  if (u->op == TINY_OP_GROUP) {            // of values: all as wide as the widest
    int lanes = 1;
    for (uint32_t i = 0; i < u->nsrc; i++) if (src[i]->lanes > lanes) lanes = src[i]->lanes;
    tiny_uop *group = tn_uop_make(t, u->op, u->dtype, 1, (int)u->nsrc, src, u->k, 0, NULL);
    return u->dtype == TINY_VOID || lanes == 1 ? group : tn_lanes_of_all(t, group, lanes);
  }
  if (u->op == TINY_OP_INDEX) {
    int lanes = src[1]->lanes;
    if (u->nsrc == 3 && src[2]->lanes > lanes) lanes = src[2]->lanes;
    return tn_uop_make(t, u->op, u->dtype, lanes, (int)u->nsrc, src, 0, 0, NULL);
  }
  if (u->op == TINY_OP_LOAD && src[0]->lanes > 1)
    return tn_lanes_load(t, tn_uop_make(t, u->op, u->dtype, src[0]->lanes, (int)u->nsrc, src, 0, 0, NULL));
  if (u->op == TINY_OP_STORE && src[0]->lanes > 1) return tn_lanes_store(t, tn_uop_with(t, u, src));
  return tn_uop_with(t, u, src);
}

static tiny_uop *tn_expand_lanes(tiny_ctx *t, tiny_uop *sink) {
  for (;;) {
    tn_list all = {NULL, 0, 0};
    tiny_uop *r = NULL;
    tn_toposort(t, sink, &all);
    for (int i = 0; i < all.n && !r; i++)
      if (all.u[i]->op == TINY_OP_RANGE && tn_range_kind(all.u[i]) == TN_VECTOR) r = all.u[i];
    if (!r) return sink;
    tn_map map = {NULL, NULL, 0, 0};
    tiny_uop *lane = tn_uop_make(t, TINY_OP_LANE, TINY_INDEX, (int)tn_range_extent(r), 0, NULL, 0, 0, NULL);
    // index expressions first, simplified over LANE; then the nodes that use them
    for (int i = 0; i < all.n; i++) {
      tiny_uop *u = all.u[i], *now = u;
      if (u == r) now = lane;
      else if (u->nsrc) {
        tiny_uop **src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
        int changed = 0;
        for (uint32_t j = 0; j < u->nsrc; j++) {
          src[j] = (tiny_uop *)tn_map_get(&map, u->src[j]);
          changed |= src[j] != u->src[j];
        }
        if (changed && u->op == TINY_OP_INDEX)
          for (uint32_t j = 1; j < u->nsrc; j++)
            if (src[j] != u->src[j]) src[j] = tn_simplify(t, src[j]);
        if (changed) now = tn_lanes_node(t, u, src, r);
      }
      tn_map_set(t, &map, u, now);
    }
    sink = (tiny_uop *)tn_map_get(&map, sink);
  }
}
#endif
// ---- end src/codegen/expand.c ----
// ---- begin src/codegen/lower.c ----
// lower: from an expanded kernel to the ops that a target runs: accumulators for REDUCE, work items for
// parallel ranges, one range per END, decomposed arithmetic, index arithmetic in a real integer type.
//
// An accumulator is a REG DEFINE: stored once before its loops (pinned there by AFTER the ranges around), updated at
// the end of the body, read AFTER the END. All REDUCEs over the same ranges, the tile of one matmul, share the loops.
#ifndef TN_CODEGEN_LOWER
#define TN_CODEGEN_LOWER
#ifndef TINY_AMALGAMATED
#include "expand.c"
#endif

static tiny_uop *tn_after(tiny_ctx *t, tiny_uop *x, const tn_list *deps) {
  tn_list src = {NULL, 0, 0};
  if (!deps->n) return x;
  tn_push(t, &src, x);
  for (int i = 0; i < deps->n; i++) tn_push(t, &src, deps->u[i]);
  return tn_uop_make(t, TINY_OP_AFTER, x->dtype, x->lanes, src.n, src.u, 0, 0, NULL);
}

static tiny_uop *tn_reg_at(tiny_ctx *t, tiny_uop *memory) {
  tiny_uop *src[2] = {memory, tn_index(t, 0)};
  return tn_uop_make(t, TINY_OP_INDEX, memory->dtype, 1, 2, src, 0, 0, NULL);
}
static tiny_uop *tn_reg_load(tiny_ctx *t, tiny_uop *memory) {
  tiny_uop *index = tn_reg_at(t, memory);
  return tn_uop_make(t, TINY_OP_LOAD, memory->dtype, memory->lanes, 1, &index, 0, 0, NULL);
}
static tiny_uop *tn_reg_store(tiny_ctx *t, tiny_uop *memory, tiny_uop *value) {
  tiny_uop *src[2] = {tn_reg_at(t, memory), tn_lanes_of(t, value, memory->lanes)};
  return tn_uop_make(t, TINY_OP_STORE, TINY_VOID, 1, 2, src, 0, 0, NULL);
}

// Sum (or other fold) of an unrolled value. Products are chained onto the accumulator, one fused
// multiply-add each; anything else is folded as a tree first, so that the accumulator waits once
// per round. acc may be NULL.
static tiny_uop *tn_reduce_fold(tiny_ctx *t, int op, tiny_uop *value, tiny_uop *acc) {
  if (value->op != TINY_OP_GROUP) return acc ? tn_u2(t, op, acc, value) : value;
  if (op == TINY_OP_ADD && value->src[0]->op == TINY_OP_MUL && acc) {
    for (uint32_t i = 0; i < value->nsrc; i++) acc = tn_u2(t, op, acc, value->src[i]);
    return acc;
  }
  tiny_uop **v = (tiny_uop **)tn_scratch(t, value->nsrc * sizeof *v);
  memcpy(v, value->src, value->nsrc * sizeof *v);
  for (uint32_t n = value->nsrc; n > 1; n = (n + 1) / 2)
    for (uint32_t i = 0; i < (n + 1) / 2; i++)
      v[i] = 2 * i + 1 < n ? tn_u2(t, op, v[2 * i], v[2 * i + 1]) : v[2 * i];
  return acc ? tn_u2(t, op, acc, v[0]) : v[0];
}

static int tn_same_ranges(const tiny_uop *a, const tiny_uop *b) {
  return a->nsrc == b->nsrc && !memcmp(a->src + 1, b->src + 1, (a->nsrc - 1) * sizeof *a->src);
}

// All REDUCEs of one set of ranges become accumulators of one loop nest.
static tiny_uop *tn_lower_reduce_group(tiny_ctx *t, tiny_uop *sink, tiny_uop *const *group, int n) {
  tn_list stores = {NULL, 0, 0}, end = {NULL, 0, 0}, memory = {NULL, 0, 0}, after = {NULL, 0, 0},
          to = {NULL, 0, 0};
  for (int i = 0; i < n; i++) {
    const tiny_uop *u = group[i];
    const int64_t v[2] = {TN_SPACE_REG, 1};
    tn_list open = {NULL, 0, 0}, deps = {NULL, 0, 0};
    tiny_uop *reg = tn_uop_make(t, TINY_OP_DEFINE, u->dtype, u->lanes, 0, NULL, ++t->ir->serial, 2, v);
    tn_open_loops(t, group[i], &open);
    tn_push(t, &deps,
            tn_reg_store(t, tn_after(t, reg, &open),
                         tn_const(t, u->dtype, tn_reduce_identity((int)u->k, u->dtype))));
    for (uint32_t j = 1; j < u->nsrc; j++) tn_push(t, &deps, u->src[j]);
    tn_push(t, &stores,
            tn_reg_store(t, reg,
                         tn_reduce_fold(t, (int)u->k, u->src[0], tn_reg_load(t, tn_after(t, reg, &deps)))));
    tn_push(t, &memory, reg);
  }
  tn_push(t, &end, stores.n == 1 ? stores.u[0] : tn_node_of(t, TINY_OP_GROUP, TINY_VOID, &stores));
  for (uint32_t j = 1; j < group[0]->nsrc; j++) tn_push(t, &end, group[0]->src[j]);
  tn_push(t, &after, tn_node_of(t, TINY_OP_END, TINY_VOID, &end));
  for (int i = 0; i < n; i++) tn_push(t, &to, tn_reg_load(t, tn_after(t, memory.u[i], &after)));
  return tn_replace(t, sink, n, group, to.u);
}

static tiny_uop *tn_lower_reduces(tiny_ctx *t, tiny_uop *sink) {
  for (;;) {
    tn_list all = {NULL, 0, 0}, group = {NULL, 0, 0};
    tn_collect_op(t, sink, TINY_OP_REDUCE, &all);
    if (!all.n) return sink;
    tiny_uop *first = all.u[0];            // innermost: its sources hold no REDUCE
    if (first->nsrc == 1) {
      tiny_uop *whole = tn_reduce_fold(t, (int)first->k, first->src[0], NULL);
      sink = tn_replace(t, sink, 1, &first, &whole);
      continue;
    }
    for (int i = 0; i < all.n; i++) if (tn_same_ranges(all.u[i], first)) tn_push(t, &group, all.u[i]);
    sink = tn_lower_reduce_group(t, sink, group.u, group.n);
  }
}

// ** parallel ranges **

// Ranges of the given kinds become SPECIALs: up to 3 dims, the last (fastest) range on dim 0; more
// are folded into dim 2.
static tiny_uop *tn_lower_specials(tiny_ctx *t, tiny_uop *sink, int item, int64_t *extents, int max_dims) {
  tn_list all = {NULL, 0, 0}, r = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_collect_op(t, sink, TINY_OP_RANGE, &all);
  for (int i = 0; i < all.n; i++) {
    const int kind = tn_range_kind(all.u[i]);
    if (item ? tn_is_item(all.u[i]) : kind == TN_TASK || kind == TN_GLOBAL) tn_push(t, &r, all.u[i]);
  }
  for (int i = 1; i < r.n; i++)
    for (int j = i; j && r.u[j - 1]->k > r.u[j]->k; j--) {
      tiny_uop *x = r.u[j];
      r.u[j] = r.u[j - 1];
      r.u[j - 1] = x;
    }
  for (int d = 0; d < 3; d++) extents[d] = 1;
  for (int i = 0; i < r.n; i++) {          // position from the end gives the dim
    const int d = r.n - 1 - i < max_dims - 1 ? r.n - 1 - i : max_dims - 1;
    extents[d] *= tn_range_extent(r.u[i]);
  }
  for (int i = 0; i < r.n; i++) {
    const int d = r.n - 1 - i < max_dims - 1 ? r.n - 1 - i : max_dims - 1;
    tiny_uop *extent = tn_index(t, extents[d]);
    tiny_uop *id = tn_uop_make(t, TINY_OP_SPECIAL, TINY_INDEX, 1, 1, &extent, d | (item ? 16 : 0), 0, NULL);
    if (r.n - 1 - i >= max_dims - 1 && r.n > max_dims) {
      int64_t stride = 1;
      for (int j = i + 1; j <= r.n - max_dims; j++) stride *= tn_range_extent(r.u[j]);
      id = tn_u2(t, TINY_OP_MOD, tn_u2(t, TINY_OP_IDIV, id, tn_index(t, stride)),
                 tn_index(t, tn_range_extent(r.u[i])));
    }
    tn_push(t, &to, id);
  }
  return r.n ? tn_replace(t, sink, r.n, r.u, to.u) : sink;
}

// Where items share reductions every item holds the result: item 0 of the GROUP stores it.
static tiny_uop *tn_gate_group_stores(tiny_ctx *t, tiny_uop *sink) {
  tn_list ranges = {NULL, 0, 0}, stores = {NULL, 0, 0}, to = {NULL, 0, 0};
  tiny_uop *first = tn_bool(t, 1);
  tn_collect_op(t, sink, TINY_OP_RANGE, &ranges);
  for (int i = 0; i < ranges.n; i++)
    if (tn_range_kind(ranges.u[i]) == TN_GROUP)
      first = tn_u2(t, TINY_OP_AND, first, tn_u2(t, TINY_OP_LT, ranges.u[i], tn_index(t, 1)));
  if (tn_is_const(first)) return sink;
  first = tn_simplify(t, first);
  tn_collect_op(t, sink, TINY_OP_STORE, &stores);
  for (int i = 0; i < stores.n; i++) {
    const tiny_uop *index = stores.u[i]->src[0];
    tiny_uop *src[3] = {index->src[0], index->src[1],
                        index->nsrc == 3 ? tn_u2(t, TINY_OP_AND, index->src[2], first) : first},
             *pair[2] = {NULL, stores.u[i]->src[1]};
    const int gated = index->src[0]->op == TINY_OP_PARAM;
    pair[0] = tn_uop_make(t, TINY_OP_INDEX, index->dtype, index->lanes, gated ? 3 : (int)index->nsrc, src, 0,
                          0, NULL);
    tn_push(t, &to, tn_uop_with(t, stores.u[i], pair));
  }
  return tn_replace(t, sink, stores.n, stores.u, to.u);
}

// ** one range per END; conditions of whole stores become IF where the language wants that **

static tiny_uop *tn_split_ends(tiny_ctx *t, tiny_uop *sink) {
  tn_list ends = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  for (;;) {
    ends.n = from.n = to.n = 0;
    tn_collect_op(t, sink, TINY_OP_END, &ends);
    for (int i = 0; i < ends.n && !from.n; i++) if (ends.u[i]->nsrc > 2) {
      tiny_uop *u = ends.u[i], *now = u->src[0];
      for (uint32_t j = u->nsrc - 1; j >= 1; j--) {
        tiny_uop *src[2] = {now, u->src[j]};
        now = tn_uop_make(t, TINY_OP_END, TINY_VOID, 1, 2, src, 0, 0, NULL);
      }
      tn_push(t, &from, u); tn_push(t, &to, now);
    }
    if (!from.n) return sink;
    sink = tn_replace(t, sink, from.n, from.u, to.u);
  }
}

// HREDUCE as arithmetic on halves, for languages that are rendered: PICK with lanes takes the low (k 0) or high half.
static tiny_uop *tn_lower_hreduces(tiny_ctx *t, tiny_uop *sink) {
  tn_list all = {NULL, 0, 0};
  for (;;) {
    all.n = 0;
    tn_collect_op(t, sink, TINY_OP_HREDUCE, &all);
    if (!all.n) return sink;
    tiny_uop *x = all.u[0]->src[0];
    for (int lanes = x->lanes / 2; lanes; lanes /= 2) {
      tiny_uop *low = tn_uop_make(t, TINY_OP_PICK, x->dtype, lanes, 1, &x, 0, 0, NULL);
      tiny_uop *high = tn_uop_make(t, TINY_OP_PICK, x->dtype, lanes, 1, &x, lanes, 0, NULL);
      x = tn_u2(t, (int)all.u[0]->k, low, high);
    }
    sink = tn_replace(t, sink, 1, all.u, &x);
  }
}

typedef struct tn_lowered {                // a kernel ready to be rendered or interpreted
  tiny_uop **list; int n;
  int64_t global[3], local[3], tasks;
  double flops, nbytes;                    // estimates of one launch
} tn_lowered;

static void tn_trace_pass(tiny_ctx *t, const char *pass, tiny_uop *sink) {
  if (!tn_debug(t, 'i')) return;
  tiny_bytes text = {t, NULL, 0, 0};
  tn_text_add(&text, "-- after %s\n", pass);
  tn_print(t, sink, &text);
  tn_log_text(t, text.data);
}

static tiny_uop *tn_lower(tiny_ctx *t, tiny_uop *sink, const tn_target *target, tn_lowered *out) {
  sink = tn_expand_stages(t, sink);
  tn_trace_pass(t, "stages", sink);
  sink = tn_expand_copies(t, sink);
  tn_trace_pass(t, "copies", sink);
  sink = tn_gate_group_stores(t, sink);
  sink = tn_expand_lanes(t, sink);
  tn_trace_pass(t, "lanes", sink);
  sink = tn_lower_reduces(t, sink);
  tn_trace_pass(t, "accumulators", sink);
  int64_t groups[3];
  sink = tn_lower_specials(t, sink, 0, groups, target->limits->threads ? 1 : 3);
  sink = tn_lower_specials(t, sink, 1, out->local, 3);
  for (int d = 0; d < 3; d++) out->global[d] = groups[d];
  out->tasks = target->limits->threads ? groups[0] : 0;
  sink = tn_split_ends(t, sink);
  if (target->lang) sink = tn_lower_hreduces(t, sink);
  sink = tn_simplify(t, sink);
  sink = tn_decompose(t, sink, target);
  tn_trace_pass(t, "decompositions", sink);
  return sink;
}
#endif
// ---- end src/codegen/lower.c ----
// ---- begin src/codegen/linearize.c ----
// linearize: a lowered kernel -> the list of its nodes in the order they run, with loops open from RANGE to END.
//
// Every node belongs to the block of the innermost loop it depends on; the block of a loop lies in the block of what
// its END gives. An END with its RANGE is emitted, loop and all, where it stands in topological order of its block, so
// whatever the loop's body needs from outside stands before it. Nodes of an outer block are thereby hoisted for free.
#ifndef TN_CODEGEN_LINEARIZE
#define TN_CODEGEN_LINEARIZE
#ifndef TINY_AMALGAMATED
#include "lower.c"
#endif

typedef struct tn_block { tiny_uop *range; int parent, depth; tn_list nodes; } tn_block;   // block 0: the kernel itself

typedef struct tn_linear {
  tiny_ctx *t;
  tn_list all; tn_map at;                  // node -> 1 + position in all
  uint64_t *open; int *place;              // per node: loops it depends on (bit per loop), its block
  tn_block *block; int nblock, cap;
  tn_list out;
} tn_linear;

static int tn_linear_at(const tn_linear *l, const tiny_uop *u) {
  return (int)(intptr_t)tn_map_get(&l->at, u) - 1;
}

static int tn_linear_block_of(const tn_linear *l, const tiny_uop *range) {
  for (int i = 1; i < l->nblock; i++) if (l->block[i].range == range) return i;
  return 0;
}

// Loops open at each node: those of its sources, less the one an END closes.
static void tn_linear_open(tn_linear *l) {
  for (int i = 0; i < l->all.n; i++) {
    const tiny_uop *u = l->all.u[i];
    if (u->op == TINY_OP_RANGE) { l->open[i] = (uint64_t)1 << tn_linear_block_of(l, u); continue; }
    for (uint32_t j = 0; j < u->nsrc; j++) l->open[i] |= l->open[tn_linear_at(l, u->src[j])];
    if (u->op == TINY_OP_END) l->open[i] &= ~((uint64_t)1 << tn_linear_block_of(l, u->src[1]));
  }
}

// Users come later in the order, so going backwards every loop's own block is known when its nodes are met.
static void tn_linear_place(tn_linear *l) {
  for (int i = l->all.n - 1; i >= 0; i--) {
    const tiny_uop *u = l->all.u[i];
    int deepest = 0;
    for (int b = 1; b < l->nblock; b++)
      if ((l->open[i] >> b & 1) && l->block[b].depth > l->block[deepest].depth) deepest = b;
    l->place[i] = deepest;
    if (u->op != TINY_OP_END) continue;
    tn_block *loop = &l->block[tn_linear_block_of(l, u->src[1])];
    loop->parent = deepest;
    loop->depth = l->block[deepest].depth + 1;
  }
  for (int i = 0; i < l->all.n; i++) tn_push(l->t, &l->block[l->place[i]].nodes, l->all.u[i]);
}

static void tn_linear_emit(tn_linear *l, int b) {
  for (int i = 0; i < l->block[b].nodes.n; i++) {
    tiny_uop *u = l->block[b].nodes.u[i];
    if (u->op == TINY_OP_RANGE || u->op == TINY_OP_SINK) continue;
    if (u->op == TINY_OP_END) {
      tn_push(l->t, &l->out, u->src[1]);
      tn_linear_emit(l, tn_linear_block_of(l, u->src[1]));
    }
    tn_push(l->t, &l->out, u);
  }
}

static void tn_trace_list(tiny_ctx *t, const tn_lowered *k) {
  if (!tn_debug(t, 'i')) return;
  tiny_bytes text = {t, NULL, 0, 0};
  tn_text_add(&text, "-- program\n");
  tn_print_list(t, k->list, k->n, &text);
  tn_log_text(t, text.data);
}

static tiny_code tn_linearize(tiny_ctx *t, tiny_uop *sink, tn_lowered *out) {
  tn_linear l;
  memset(&l, 0, sizeof l);
  l.t = t;
  tn_toposort(t, sink, &l.all);
  TN_PUSH(t, l.block, l.nblock, l.cap, tn_block);
  for (int i = 0; i < l.all.n; i++) {
    tn_map_set(t, &l.at, l.all.u[i], (void *)(intptr_t)(i + 1));
    if (l.all.u[i]->op == TINY_OP_RANGE) TN_PUSH(t, l.block, l.nblock, l.cap, tn_block)->range = l.all.u[i];
  }
  if (l.nblock > 64) return tiny_fail(t, TINY_E_INTERNAL, "linearize: a kernel of %d loops", l.nblock - 1);
  l.open = (uint64_t *)tn_scratch(t, (size_t)l.all.n * sizeof *l.open);
  l.place = (int *)tn_scratch(t, (size_t)l.all.n * sizeof *l.place);
  tn_linear_open(&l);
  tn_linear_place(&l);
  tn_linear_emit(&l, 0);
  out->list = l.out.u;
  out->n = l.out.n;
  return TINY_OK;
}
#endif
// ---- end src/codegen/linearize.c ----
// ---- begin src/codegen/optimize.c ----
// optimize: chooses moves for a kernel in microseconds, from strides and a count of loads per multiply-add.
//
// In:  a kernel as the scheduler wrote it, and the limits of the target. Out: the kernel after moves.
// On a CPU: the range that is contiguous in memory becomes lanes; in reductions a tile of outputs
// is held in registers, its sizes found by trying all that fit and counting loads; an operand that
// is read again for every tile of rows is packed by STAGE; the outermost ranges become tasks. Task
// counts depend on shapes alone, never on the number of threads, so that results do not either. On
// a GPU: outputs spread over groups and items, long reductions are shared by a group.
#ifndef TN_CODEGEN_OPTIMIZE
#define TN_CODEGEN_OPTIMIZE
#ifndef TINY_AMALGAMATED
#include "linearize.c"
#endif

#define TN_IRREGULAR INT64_MIN
enum { TN_MAX_RANGES = 24, TN_MAX_ACCESSES = 24, TN_TASK_WORK = 1 << 16, TN_MAX_TASKS = 64,
  TN_STAGE_MAX_NBYTES = 1 << 18, TN_PACK_REDUCE = 64, TN_WINDOW = 3 };

// How far e moves when r advances by one.
static int64_t tn_stride_in(tiny_ctx *t, tiny_uop *e, const tiny_uop *r) {
  if (e == r) return 1;
  if (e->op == TINY_OP_ADD) {
    const int64_t a = tn_stride_in(t, e->src[0], r), b = tn_stride_in(t, e->src[1], r);
    return a == TN_IRREGULAR || b == TN_IRREGULAR ? TN_IRREGULAR : a + b;
  }
  if (e->op == TINY_OP_MUL && tn_is_const(e->src[1])) {
    const int64_t a = tn_stride_in(t, e->src[0], r);
    return a == TN_IRREGULAR ? a : a * e->src[1]->k;
  }
  return e->nsrc && tn_depends(t, e, r) ? TN_IRREGULAR : 0;
}

typedef struct tn_profile {                // what the heuristics look at
  tiny_uop *end, *store;                   // store: the INDEX that is written
  tiny_uop *out[TN_MAX_RANGES]; int nout;  // output ranges in loop order
  tiny_uop *red[TN_MAX_RANGES]; int nred;  // ranges of all REDUCEs
  tiny_uop *reduce[TN_MAX_RANGES]; int nreduce;
  tiny_uop *load[TN_MAX_ACCESSES]; int nload;  // INDEX nodes that are read
  int nalu, row;                           // row: some output ranges loop inside of the scope of the REDUCEs
  int usable;
} tn_profile;

static void tn_profile_kernel(tiny_ctx *t, tiny_uop *sink, tn_profile *p) {
  tn_list all = {NULL, 0, 0};
  memset(p, 0, sizeof *p);
  p->end = sink->src[0];
  if (sink->nsrc != 1 || (p->end->op != TINY_OP_END && p->end->op != TINY_OP_STORE)) return;
  const tiny_uop *store = p->end->op == TINY_OP_END ? p->end->src[0] : p->end;
  p->store = store->src[0];
  p->usable = 1;
  for (uint32_t i = 1; p->end->op == TINY_OP_END && i < p->end->nsrc; i++) {
    if (p->nout == TN_MAX_RANGES) { p->usable = 0; return; }
    p->out[p->nout++] = p->end->src[i];
  }
  tn_toposort(t, sink, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i];
    p->nalu += tn_op_is(u->op, TINY_ALU) && u->dtype != TINY_INDEX;
    if (u->op == TINY_OP_LOAD) {
      if (p->nload == TN_MAX_ACCESSES) {
        p->usable = 0;
        return;
      }
      p->load[p->nload++] = u->src[0];
    }
    if (u->op == TINY_OP_REDUCE) {
      if (p->nreduce == TN_MAX_RANGES) { p->usable = 0; return; }
      p->reduce[p->nreduce++] = u;
      for (int j = 0; j < p->nout; j++) p->row |= !tn_depends(t, u, p->out[j]);
    }
    if (u->op == TINY_OP_RANGE && tn_range_kind(u) == TN_REDUCE) {
      if (p->nred == TN_MAX_RANGES) {
        p->usable = 0;
        return;
      }
      p->red[p->nred++] = u;
    }
  }
}

// ** joining neighbours: fewer, longer loops **

static int tn_count_divmod(tiny_ctx *t, tiny_uop *sink) {
  tn_list all = {NULL, 0, 0};
  int n = 0;
  tn_toposort(t, sink, &all);
  for (int i = 0; i < all.n; i++) n += all.u[i]->op == TINY_OP_IDIV || all.u[i]->op == TINY_OP_MOD;
  return n;
}

// Replaces neighbours a (outer), b by one range wherever that costs no division.
static int tn_ranges_join(tn_kernel_state *s, tiny_uop *a, tiny_uop *b, int divmods) {
  tiny_ctx *t = s->t;
  const int64_t nb = tn_range_extent(b);
  tiny_uop *both = tn_range(t, tn_range_extent(a) * nb, tn_range_kind(a)), *from[2] = {a, b}, *to[2];
  to[0] = tn_u2(t, TINY_OP_IDIV, both, tn_index(t, nb));
  to[1] = tn_u2(t, TINY_OP_MOD, both, tn_index(t, nb));
  tiny_uop *sink = tn_replace(t, s->sink, 2, from, to);
  tn_list lists = {NULL, 0, 0}, old = {NULL, 0, 0}, now = {NULL, 0, 0};
  tn_toposort(t, sink, &lists);
  for (int i = 0; i < lists.n; i++) {      // both stands twice in the range lists now
    tiny_uop *u = lists.u[i];
    if (tn_ranges_from(u->op) < 0) continue;
    tn_list src = {NULL, 0, 0};
    int seen = 0;
    for (uint32_t j = 0; j < u->nsrc; j++) {
      if (j && u->src[j] == both && seen++) continue;
      tn_push(t, &src, u->src[j]);
    }
    if (seen > 1) {
      tn_push(t, &old, u);
      tn_push(t, &now, tn_uop_make(t, u->op, u->dtype, u->lanes, src.n, src.u, u->k, 0, NULL));
    }
  }
  sink = tn_simplify(t, tn_replace(t, sink, old.n, old.u, now.u));
  if (tn_count_divmod(t, sink) > divmods) return 0;
  s->sink = sink;
  return 1;
}

static void tn_join_ranges(tn_kernel_state *s) {
  tn_profile p;
  for (int again = 1; again;) {
    again = 0;
    const int divmods = tn_count_divmod(s->t, s->sink);
    tn_profile_kernel(s->t, s->sink, &p);
    if (!p.usable) return;
    for (int i = 0; i + 1 < p.nout && !again; i++) {
      int same = 1;                        // not across the scope's border
      for (int j = 0; j < p.nreduce; j++)
        same &= tn_depends(s->t, p.reduce[j], p.out[i]) == tn_depends(s->t, p.reduce[j], p.out[i + 1]);
      again = same && tn_ranges_join(s, p.out[i], p.out[i + 1], divmods);
    }
    for (int j = 0; j < p.nreduce && !again; j++)
      for (uint32_t i = 1; i + 1 < p.reduce[j]->nsrc && !again; i++)
        again = tn_ranges_join(s, p.reduce[j]->src[i], p.reduce[j]->src[i + 1], divmods);
  }
}

// ** CPU: lanes **

static int64_t tn_lanes_for(int64_t extent, int64_t most) {
  while (most > 1 && extent % most) most /= 2;
  return most;
}

static int tn_target_lanes(const tn_target *target, const tn_profile *p) {
  int nbytes = tn_dtypes[p->store->dtype].nbytes;
  for (int i = 0; i < p->nload; i++)
    if (tn_dtypes[p->load[i]->dtype].nbytes > nbytes) nbytes = tn_dtypes[p->load[i]->dtype].nbytes;
  if (nbytes < 4) nbytes = 4;              // narrow floats are computed in f32
  return target->limits->vector_nbytes / nbytes;
}

// Share of the accesses that are contiguous or constant when r becomes lanes; -1 when the store would scatter.
static double tn_lanes_score(tiny_ctx *t, const tn_profile *p, tiny_uop *r, int is_out) {
  double good = 0, all = 0;
  if (is_out) {
    const int64_t st = tn_stride_in(t, p->store->src[1], r);
    if (st != 1) return -1;
    good += 1;
    all += 1;
  }
  for (int i = 0; i < p->nload; i++) {
    if (!is_out && !tn_depends(t, p->load[i], r)) continue;
    const int64_t st = tn_stride_in(t, p->load[i]->src[1], r);
    good += st == 1 ? 1 : st == 0 ? 0.75 : 0;
    all += 1;
  }
  return all > 0 ? good / all : 0;
}

// ** CPU: register tiles **

typedef struct tn_tile {
  tiny_uop *v;
  int lanes, v_in_reduce;
  int64_t vectors;
  tiny_uop *u[2];
  int64_t f[2];
  double cost;
} tn_tile;

// Loads per multiply-add of a candidate tile, in vector instructions.
static double tn_tile_cost(const int64_t strides[][3], const uint8_t *depends, int nload, const tn_tile *c) {
  double loads = 0;
  for (int i = 0; i < nload; i++) {
    double n = 1;
    for (int j = 0; j < 2; j++) if (c->u[j] && (depends[i] >> (j + 1) & 1)) n *= (double)c->f[j];
    if (depends[i] & 1) n *= (double)c->vectors;
    loads += n * (!c->v || !(depends[i] & 1) ? 0.5 : strides[i][0] == 1 ? 1.0 : 0.8 * c->lanes);
  }
  const double fmas = (double)(c->vectors * c->f[0] * c->f[1]);
  return (loads + fmas + 1.5) / (fmas * c->lanes);
}

static const int64_t tn_tile_sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14};

static void tn_tile_try(tiny_ctx *t, const tn_profile *p, const tn_target *target, tn_tile c, tn_tile *best) {
  int64_t strides[TN_MAX_ACCESSES][3];
  uint8_t depends[TN_MAX_ACCESSES];
  tiny_uop *of[3] = {c.v, c.u[0], c.u[1]};
  const int registers = target->limits->vector_registers;
  for (int i = 0; i < p->nload; i++) {
    depends[i] = 0;
    for (int j = 0; j < 3; j++) {
      strides[i][j] = of[j] ? tn_stride_in(t, p->load[i]->src[1], of[j]) : 0;
      if (strides[i][j]) depends[i] = (uint8_t)(depends[i] | 1 << j);
    }
  }
  const int most_vectors = c.v_in_reduce ? 1 : 4;
  for (c.vectors = 1; c.vectors <= most_vectors; c.vectors *= 2) {
    if (c.v && tn_range_extent(c.v) % (c.lanes * c.vectors)) break;
    if (!c.v && c.vectors > 1) break;
    for (size_t a = 0; a < sizeof tn_tile_sizes / sizeof *tn_tile_sizes; a++)
      for (size_t b = 0; b < sizeof tn_tile_sizes / sizeof *tn_tile_sizes; b++) {
        c.f[0] = tn_tile_sizes[a];
        c.f[1] = tn_tile_sizes[b];
        if ((!c.u[0] && c.f[0] > 1) || (!c.u[1] && c.f[1] > 1)) continue;
        if ((c.u[0] && tn_range_extent(c.u[0]) % c.f[0]) || (c.u[1] && tn_range_extent(c.u[1]) % c.f[1]))
          continue;
        const int64_t accumulators = c.vectors * c.f[0] * c.f[1];
        if (accumulators + c.vectors + 2 > registers) continue;
        c.cost = tn_tile_cost((const int64_t(*)[3])strides, depends, p->nload, &c);
        if (c.cost < best->cost) *best = c;
      }
  }
}

// The best tile over every choice of lanes and of one or two more output ranges.
static tn_tile tn_tile_choose(tiny_ctx *t, const tn_profile *p, const tn_target *target) {
  tn_tile best, c;
  memset(&best, 0, sizeof best);
  best.cost = HUGE_VAL; best.lanes = 1; best.vectors = best.f[0] = best.f[1] = 1;
  const int most = tn_target_lanes(target, p);
  for (int i = -1; i < p->nout + p->nred; i++) {
    memset(&c, 0, sizeof c);
    c.lanes = 1; c.vectors = c.f[0] = c.f[1] = 1;
    if (i >= 0) {
      c.v = i < p->nout ? p->out[i] : p->red[i - p->nout];
      c.v_in_reduce = i >= p->nout;
      c.lanes = (int)tn_lanes_for(tn_range_extent(c.v), most);
      if (c.lanes < 2 || tn_lanes_score(t, p, c.v, !c.v_in_reduce) < 0) continue;
    }
    tn_tile_try(t, p, target, c, &best);
    for (int a = 0; a < p->nout; a++) if (p->out[a] != c.v) {
      c.u[0] = p->out[a]; c.u[1] = NULL;
      tn_tile_try(t, p, target, c, &best);
      for (int b = a + 1; b < p->nout; b++)
        if (p->out[b] != c.v) {
          c.u[1] = p->out[b];
          tn_tile_try(t, p, target, c, &best);
        }
    }
  }
  return best;
}

// ** CPU: tasks and packing **

static double tn_work(const tn_profile *p) {
  double n = 1;
  for (int i = 0; i < p->nout; i++) n *= (double)tn_range_extent(p->out[i]);
  double reduced = 1;
  for (int i = 0; i < p->nred; i++) reduced *= (double)tn_range_extent(p->red[i]);
  if (p->row) reduced = p->nreduce + 1;
  return n * reduced * (1 + p->nalu * 0.25);
}

// Splits outermost loops of the store, at most `loops` of them, into tasks, each of at least TN_TASK_WORK.
static void tn_make_tasks(tn_kernel_state *s, double work, int loops) {
  tn_profile p;
  int64_t want = (int64_t)(work / TN_TASK_WORK), tasks = 1;
  if (want > TN_MAX_TASKS) want = TN_MAX_TASKS;
  tn_profile_kernel(s->t, s->sink, &p);
  for (int i = 0; i < p.nout && tasks < want && loops; i++) {
    if (tn_range_kind(p.out[i]) != TN_LOOP) continue;
    loops--;
    int in_scope = 1;
    for (int j = 0; j < p.nreduce; j++) in_scope &= tn_depends(s->t, p.reduce[j], p.out[i]);
    if (!in_scope) break;
    const int64_t n = tn_range_extent(p.out[i]);
    int64_t f = 1;
    for (int64_t d = 1; d <= n && d * tasks <= want; d++) if (n % d == 0) f = d;
    if (f == 1 && n > want)
      for (int64_t d = want; d < n && f == 1; d++)
        if (n % d == 0 && d <= 8 * TN_MAX_TASKS) f = d;
    if (f > 1) { tn_move_split(s, p.out[i], f, TN_TASK, 1, NULL); tasks *= f; }
    if (f < n) break;                      // loops below would be torn
  }
}

// Packs the operand that the inner loop reads as vectors when its rows are far apart and it is read again for
// every tile of the range `again`.
static int tn_pack(tn_kernel_state *s, tiny_uop *const *inner, int ninner, const tiny_uop *again,
                   const tn_target *target) {
  tiny_ctx *t = s->t;
  tn_list loads = {NULL, 0, 0};
  int64_t nelem = 1;
  for (int i = 0; i < ninner; i++) nelem *= tn_range_extent(inner[i]);
  tn_collect_op(t, s->sink, TINY_OP_LOAD, &loads);
  for (int i = 0; i < loads.n; i++) {
    tiny_uop *load = loads.u[i], *used[TN_MAX_RANGES];
    int n = 0;
    if (load->src[0]->src[0]->op != TINY_OP_PARAM || tn_depends(t, load, again)) continue;
    for (int j = 0; j < ninner; j++) if (tn_depends(t, load, inner[j])) used[n++] = inner[j];
    if (n != ninner || nelem * tn_dtypes[load->dtype].nbytes > TN_STAGE_MAX_NBYTES) continue;
    if (nelem * tn_dtypes[load->dtype].nbytes > (int64_t)target->limits->cache_nbytes / 2 &&
        target->limits->cache_nbytes)
      continue;
    tn_move_stage(s, load, n, used, TN_SPACE_LOCAL);
    return 1;
  }
  return 0;
}

// Odd sizes: the contiguous output range grows to whole vectors when little is wasted; the edge is masked.
static void tn_pad_lanes(tn_kernel_state *s, tn_profile *p, const tn_target *target) {
  const int64_t lanes = tn_target_lanes(target, p);
  for (int i = 0; i < p->nout; i++) {
    const int64_t n = tn_range_extent(p->out[i]);
    if (lanes < 2 || n % lanes == 0 || n < 2 * lanes || tn_stride_in(s->t, p->store->src[1], p->out[i]) != 1)
      continue;
    for (int j = 0; j < p->nload; j++) if (tn_stride_in(s->t, p->load[j]->src[1], p->out[i]) == 1) {
      tn_move_pad(s, p->out[i], lanes);
      s->sink = tn_simplify(s->t, s->sink);
      tn_profile_kernel(s->t, s->sink, p);
      return;
    }
  }
}

// The ranges that a tile leaves behind: rows and columns count tiles, vectors and lanes lie within one.
typedef struct tn_tiled { tiny_uop *rows, *columns, *vectors, *lanes; } tn_tiled;

static tn_tiled tn_tile_apply(tn_kernel_state *s, const tn_tile *c) {
  tn_tiled x = {NULL, NULL, NULL, NULL};
  tiny_uop *second;
  if (c->u[0] && c->f[0] > 1) tn_move_split(s, c->u[0], c->f[0], TN_UPCAST, 0, &x.rows);
  if (c->u[1] && c->f[1] > 1) tn_move_split(s, c->u[1], c->f[1], TN_UPCAST, 0, &second);
  if (!c->v) return x;
  x.lanes = tn_move_split(s, c->v, c->lanes, TN_VECTOR, 0, &x.columns);
  if (!x.columns) return x;
  if (!c->v_in_reduce) {
    if (c->vectors > 1) x.vectors = tn_move_split(s, x.columns, c->vectors, TN_UPCAST, 0, &x.columns);
    return x;
  }
  int64_t f = c->f[0] * c->f[1] > 1 ? 2 : 8;   // vectors folded before the accumulator has to wait
  while (tn_range_extent(x.columns) % f) f /= 2;
  if (f > 1) tn_move_split(s, x.columns, f, TN_UNROLL, 0, &x.columns);
  return x;
}

// A reduction of products that reads one operand as vectors, again for every tile of rows: columns
// loop outside of rows, and the panel of that operand is packed once for each.
static int tn_tile_pack(tn_kernel_state *s, const tn_profile *p, const tn_tile *c, const tn_tiled *x,
                        const tn_target *target) {
  tiny_uop *inner[3];
  int n = 0, operands = 0;
  if (!x->lanes || c->v_in_reduce || !x->columns || !x->rows || p->nred != 1 ||
      tn_range_extent(x->rows) < 4 || tn_range_extent(p->red[0]) < TN_PACK_REDUCE)
    return 0;
  for (int i = 0; i < p->nload; i++) operands += tn_depends(s->t, p->load[i], p->red[0]);
  if (operands != 2) return 0;
  inner[n++] = p->red[0];
  if (x->vectors) inner[n++] = x->vectors;
  inner[n++] = x->lanes;
  for (int i = 0; i < p->nout && p->out[i] != x->columns; i++)
    if (p->out[i] == x->rows) {
      tn_move_swap(s, x->rows, x->columns);
      break;
    }
  return tn_pack(s, inner, n, x->rows, target);
}

static void tn_optimize_reduce(tn_kernel_state *s, tn_profile *p, const tn_target *target) {
  tn_pad_lanes(s, p, target);
  if (!p->usable) return;
  const double work = tn_work(p);
  const tn_tile c = tn_tile_choose(s->t, p, target);
  const tn_tiled x = tn_tile_apply(s, &c);
  s->sink = tn_simplify(s->t, s->sink);
  tn_profile_kernel(s->t, s->sink, p);
  if (!p->usable) return;
  const int packed = tn_tile_pack(s, p, &c, &x, target);
  for (int i = 0; i < p->nred; i++) {      // short windows (3x3) unroll whole
    tiny_uop *r = p->red[i];
    if (tn_range_kind(r) == TN_REDUCE && r != x.columns && tn_range_extent(r) <= TN_WINDOW &&
        c.vectors * c.f[0] * c.f[1] <= 32)
      tn_move_kind(s, r, TN_UNROLL);
  }
  tn_make_tasks(s, work, packed ? 1 : TN_MAX_RANGES);   // more would pack the same panel again
}

static void tn_optimize_elementwise(tn_kernel_state *s, const tn_profile *p, const tn_target *target) {
  tiny_ctx *t = s->t;
  const int most = tn_target_lanes(target, p);
  const double work = tn_work(p);
  tiny_uop *best = NULL;
  double score = 0.5;
  for (int i = 0; i < p->nout; i++) {
    const double now = tn_lanes_score(t, p, p->out[i], 1);
    if (tn_lanes_for(tn_range_extent(p->out[i]), most) > 1 && now >= score) { best = p->out[i]; score = now; }
  }
  int v_in_scope = 0;
  for (int j = 0; best && j < p->nreduce; j++) v_in_scope |= tn_depends(t, p->reduce[j], best);
  if (best) tn_move_split(s, best, tn_lanes_for(tn_range_extent(best), most), TN_VECTOR, 0, NULL);
  if (!v_in_scope) for (int i = 0; i < p->nred; i++) {   // rows: every pass over the row gets lanes
    const int64_t lanes = tn_lanes_for(tn_range_extent(p->red[i]), most);
    tiny_uop *rest;
    if (lanes < 2 || tn_lanes_score(t, p, p->red[i], 0) < 0.5) continue;
    tn_move_split(s, p->red[i], lanes, TN_VECTOR, 0, &rest);
    if (rest && tn_range_extent(rest) % 4 == 0) tn_move_split(s, rest, 4, TN_UNROLL, 0, NULL);
  }
  s->sink = tn_simplify(t, s->sink);
  tn_make_tasks(s, work, TN_MAX_RANGES);
}

// ** GPU **

static void tn_optimize_gpu(tn_kernel_state *s, const tn_profile *p, const tn_target *target) {
  tiny_ctx *t = s->t;
  int64_t items = 1, outputs = 1;
  const int64_t most = target->limits->local_total ? target->limits->local_total : 256;
  for (int i = 0; i < p->nout; i++) outputs *= tn_range_extent(p->out[i]);
  if (p->nreduce == 1 && !p->row && outputs <= 1024 && target->limits->shared_nbytes && most > 1) {
    tiny_uop *r = p->red[p->nred - 1];
    int64_t g = 1;
    for (int64_t d = 2; d <= most && d <= 256; d++) if (tn_range_extent(r) % d == 0) g = d;
    if (g > 1) { tn_move_group(s, p->reduce[0], r, g); items = g; }
  }
  for (int i = p->nout - 1; i >= 0; i--) {
    int64_t f = 1;
    const int64_t n = tn_range_extent(p->out[i]);
    int in_scope = 1;
    for (int j = 0; j < p->nreduce; j++) in_scope &= tn_depends(t, p->reduce[j], p->out[i]);
    if (!in_scope) continue;
    for (int64_t d = 1; d <= n && items * d <= most && d <= 64; d++) if (n % d == 0) f = d;
    tiny_uop *rest = p->out[i];
    if (f > 1) { tn_move_split(s, p->out[i], f, TN_LOCAL, 0, &rest); items *= f; }
    if (rest) tn_move_kind(s, rest, TN_GLOBAL);
  }
  s->sink = tn_simplify(t, s->sink);
}

static tiny_uop *tn_optimize(tiny_ctx *t, tiny_uop *sink, const tn_target *target) {
  tn_kernel_state s = {t, sink};
  tn_profile p;
  tn_join_ranges(&s);
  tn_profile_kernel(t, s.sink, &p);
  if (!p.usable) return s.sink;
  if (!target->limits->threads) tn_optimize_gpu(&s, &p, target);
  else if (p.nreduce == 1 && !p.row) tn_optimize_reduce(&s, &p, target);
  else tn_optimize_elementwise(&s, &p, target);
  return s.sink;
}
#endif
// ---- end src/codegen/optimize.c ----

// ** render: program -> text **
// ---- begin src/render/lang_c.c ----
// lang_c: the descriptor of C as the CPU speaks it: gcc >= 9 and clang, freestanding, no includes, GNU vectors.
//
// Out: tn_lang_c fills a tiny_language. A kernel is
//      `void NAME(void *const *mem, const long long *args, long long task)`.
// Holds:
//  - A bool is 0 or 1 in a b8. A vector of bools, b8xL, has lanes of 0 and -1 in signed bytes, whatever was compared:
//    clang turns the conversions to and from the compared width into nothing (AVX-512: mask registers), so that
//    one type serves all. Bools never reach memory or casts: rules/decompose.c has turned those into u8.
//  - Integers wrap: the kernels are compiled with -fwrapv. Operations on types narrower than int are cast back.
//  - sqrt and trunc of vectors are loops over lanes that the compiler turns into one instruction.
//  - Vectors are loaded and stored at the alignment of an element.
// Flags to compile with: -ffreestanding -fno-math-errno -fwrapv -fno-strict-aliasing -ffp-contract=fast, see runtime.
#ifndef TN_RENDER_LANG_C
#define TN_RENDER_LANG_C
#ifndef TINY_AMALGAMATED
#include "../ir/uop.c"
#endif

// Macros cost the compiler next to nothing until they are used; vector types are declared for the lanes in use only.
// Macros evaluate arguments once, except where the argument is a type or a number.
static const char *const tn_c_prelude[] = {
  "typedef unsigned char b8; typedef signed char i8; typedef unsigned char u8; typedef short i16;",
  "typedef unsigned short u16; typedef int i32; typedef unsigned u32; typedef long long i64;",
  "typedef unsigned long long u64; typedef float f32; typedef double f64;",
  "#define VECTOR(T, E, L) \\",
  "  typedef E T##x##L __attribute__((vector_size(sizeof(E) * L), \\",
  "    aligned(sizeof(E) * L < 64 ? sizeof(E) * L : 64))); \\",
  "  typedef E T##x##L##u __attribute__((vector_size(sizeof(E) * L), aligned(sizeof(E)), may_alias));",
  "#define LANES(L) VECTOR(b8, i8, L) VECTOR(i8, i8, L) VECTOR(u8, u8, L) VECTOR(i16, i16, L) VECTOR(u16, u16, L) \\",
  "  VECTOR(i32, i32, L) VECTOR(u32, u32, L) VECTOR(i64, i64, L) VECTOR(u64, u64, L) VECTOR(f32, f32, L) \\",
  "  VECTOR(f64, f64, L)",
  "#ifdef __clang__",
  "  #define EACH(L) _Pragma(\"clang loop unroll(full)\") for (int l_ = 0; l_ < L; l_++)",
  "#else",
  "  #define EACH(L) for (int l_ = 0; l_ < L; l_++)",
  "#endif",
  "#if defined(__x86_64__) && !defined(__SSE4_1__)",
  "  #define TRUNC_32(x) ({ f32 x_ = (x); x_ < 8388608.0f && x_ > -8388608.0f ? \\",
  "    __builtin_copysignf((f32)(i32)x_, x_) : x_; })",
  "  #define TRUNC_64(x) ({ f64 x_ = (x); x_ < 4503599627370496.0 && x_ > -4503599627370496.0 ? \\",
  "    __builtin_copysign((f64)(i64)x_, x_) : x_; })",
  "#else",
  "  #define TRUNC_32 __builtin_truncf",
  "  #define TRUNC_64 __builtin_trunc",
  "#endif",
  "#define SQRT_32 __builtin_sqrtf",
  "#define SQRT_64 __builtin_sqrt",
  "#define CONVERT __builtin_convertvector",
  "#define BITCAST(F, T, x) ({ union { F f; T t; } u_; u_.f = (x); u_.t; })",
  "#define ARGUMENT(T, k) ({ T v_; __builtin_memcpy(&v_, args + k, sizeof v_); v_; })",
  "#define SPLAT(T, E, x) ((E)(x) - (T){0})",
  "#define WHERE(T, I, m, x, y) ({ I k_ = CONVERT(m, I); (T)(((I)(x) & k_) | ((I)(y) & ~k_)); })",
  "#define MAP(T, L, f, x) ({ T v_ = (x); EACH(L) v_[l_] = f(v_[l_]); v_; })",
  "#define LOW(T, H, x) ({ union { T v; H h[2]; } u_; u_.v = (x); u_.h[0]; })",
  "#define HIGH(T, H, x) ({ union { T v; H h[2]; } u_; u_.v = (x); u_.h[1]; })",
  "#define LOAD(T, p) (*(const T##u *)(p))",
  "#define STORE(T, p, x) (*(T##u *)(p) = (x))",
  "#ifdef __clang__",
  "  #define STREAM(T, p, x) do { T *p_ = (T *)(p), v_ = (x); \\",
  "    if ((u64)p_ % sizeof(T)) STORE(T, p_, v_); else __builtin_nontemporal_store(v_, p_); } while (0)",
  "#else",
  "  #define STREAM STORE",
  "#endif",
  // Lanes that are masked out read element 0, so that no lane branches; memory has at least one element.
  "#define GATHER(T, L, p, i) ({ __typeof__(&(p)[0]) p_ = (p); __typeof__(i) i_ = (i); T v_; \\",
  "  EACH(L) v_[l_] = p_[i_[l_]]; v_; })",
  "#define GATHER_MASKED(T, I, L, p, i, m, y) ({ b8x##L m_ = (m); __typeof__(i) j_ = (i); T o_ = (y); \\",
  "  WHERE(T, I, m_, GATHER(T, L, p, j_ & CONVERT(m_, __typeof__(j_))), o_); })",
  "#define SCATTER(T, L, p, i, x) do { __typeof__(&(p)[0]) p_ = (p); __typeof__(i) i_ = (i); \\",
  "  T v_ = (x); EACH(L) p_[i_[l_]] = v_[l_]; } while (0)",
  "#define SCATTER_MASKED(T, L, p, i, x, m) do { __typeof__(&(p)[0]) p_ = (p); __typeof__(i) i_ = (i); \\",
  "  T v_ = (x); b8x##L m_ = (m); EACH(L) if (m_[l_]) p_[i_[l_]] = v_[l_]; } while (0)",
  // A masked access is one instruction where AVX-512 has it; elsewhere a plain one if no lane is masked out, else
  // lane by lane.
  "#define ALL(L, m) ({ union { b8x##L v; i8 b[L]; } u_; u_.v = (m); i8 a_ = -1; EACH(L) a_ &= u_.b[l_]; a_; })",
  "#define LOAD_LANES(T, L, p, m, y) ({ __typeof__(&(p)[0]) p_ = (p); b8x##L m_ = (m); T v_ = (y); \\",
  "  if (ALL(L, m_)) v_ = LOAD(T, p_); else EACH(L) if (m_[l_]) v_[l_] = p_[l_]; v_; })",
  "#define STORE_LANES(T, L, p, x, m) do { __typeof__(&(p)[0]) p_ = (p); b8x##L m_ = (m); T v_ = (x); \\",
  "  if (ALL(L, m_)) STORE(T, p_, v_); else EACH(L) if (m_[l_]) p_[l_] = v_[l_]; } while (0)",
  "#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)",
  "  #define LOAD_MASKED(T, B, L, p, m, y) LOAD_##B##_##L(T, L, p, m, y)",
  "  #define STORE_MASKED(T, B, L, p, x, m) STORE_##B##_##L(T, L, p, x, m)",
  "  #define LOAD_BY(V, n, to, T, p, m, y) (T)__builtin_ia32_load##n##_mask( \\",
  "    (const V *)(p), (V)(y), __builtin_ia32_cvt##to(CONVERT(m, V)))",
  "  #define STORE_BY(V, n, to, T, p, x, m) __builtin_ia32_store##n##_mask( \\",
  "    (V *)(p), (V)(x), __builtin_ia32_cvt##to(CONVERT(m, V)))",
  "  #define LOAD_32_16(T, L, p, m, y) LOAD_BY(i32x16, dqusi512, d2mask512, T, p, m, y)",
  "  #define LOAD_32_8(T, L, p, m, y) LOAD_BY(i32x8, dqusi256, d2mask256, T, p, m, y)",
  "  #define LOAD_32_4(T, L, p, m, y) LOAD_BY(i32x4, dqusi128, d2mask128, T, p, m, y)",
  "  #define LOAD_64_8(T, L, p, m, y) LOAD_BY(i64x8, dqudi512, q2mask512, T, p, m, y)",
  "  #define LOAD_64_4(T, L, p, m, y) LOAD_BY(i64x4, dqudi256, q2mask256, T, p, m, y)",
  "  #define STORE_32_16(T, L, p, x, m) STORE_BY(i32x16, dqusi512, d2mask512, T, p, x, m)",
  "  #define STORE_32_8(T, L, p, x, m) STORE_BY(i32x8, dqusi256, d2mask256, T, p, x, m)",
  "  #define STORE_32_4(T, L, p, x, m) STORE_BY(i32x4, dqusi128, d2mask128, T, p, x, m)",
  "  #define STORE_64_8(T, L, p, x, m) STORE_BY(i64x8, dqudi512, q2mask512, T, p, x, m)",
  "  #define STORE_64_4(T, L, p, x, m) STORE_BY(i64x4, dqudi256, q2mask256, T, p, x, m)",
#define TN_C_LANES(b, l) "  #define LOAD_" #b "_" #l " LOAD_LANES", "  #define STORE_" #b "_" #l " STORE_LANES",
  TN_C_LANES(8, 2) TN_C_LANES(8, 4) TN_C_LANES(8, 8) TN_C_LANES(8, 16) TN_C_LANES(8, 32) TN_C_LANES(8, 64)
  TN_C_LANES(16, 2) TN_C_LANES(16, 4) TN_C_LANES(16, 8) TN_C_LANES(16, 16) TN_C_LANES(16, 32) TN_C_LANES(16, 64)
  TN_C_LANES(32, 2) TN_C_LANES(32, 32) TN_C_LANES(32, 64) TN_C_LANES(64, 2)
  TN_C_LANES(64, 16) TN_C_LANES(64, 32) TN_C_LANES(64, 64)
#undef TN_C_LANES
  "#else",
  "  #define LOAD_MASKED(T, B, L, p, m, y) LOAD_LANES(T, L, p, m, y)",
  "  #define STORE_MASKED(T, B, L, p, x, m) STORE_LANES(T, L, p, x, m)",
  "#endif",
  NULL
};

static const struct { int op; const char *scalar, *vector; } tn_c_ops[] = {
  {TINY_OP_NEG, "(%t)-%0", "-%0"}, {TINY_OP_ADD, "(%t)(%0 + %1)", "%0 + %1"}, {TINY_OP_SUB, "(%t)(%0 - %1)", "%0 - %1"},
  {TINY_OP_MUL, "(%t)(%0 * %1)", "%0 * %1"}, {TINY_OP_FDIV, "%0 / %1", NULL},
  {TINY_OP_CDIV, "(%t)(%0 / %1)", "%0 / %1"},
  {TINY_OP_CMOD, "(%t)(%0 %% %1)", "%0 %% %1"}, {TINY_OP_AND, "(%t)(%0 & %1)", "%0 & %1"},
  {TINY_OP_OR, "(%t)(%0 | %1)", "%0 | %1"}, {TINY_OP_XOR, "(%t)(%0 ^ %1)", "%0 ^ %1"},
  {TINY_OP_SHL, "(%t)(%0 << %1)", "%0 << %1"}, {TINY_OP_SHR, "(%t)(%0 >> %1)", "%0 >> %1"},
  {TINY_OP_LT, "%0 < %1", "CONVERT(%0 < %1, %t)"}, {TINY_OP_NE, "%0 != %1", "CONVERT(%0 != %1, %t)"},
  {TINY_OP_EQ, "%0 == %1", "CONVERT(%0 == %1, %t)"}, {TINY_OP_WHERE, "%0 ? %1 : %2", "WHERE(%t, %i, %0, %1, %2)"},
  {TINY_OP_SQRT, "SQRT_%b(%0)", "MAP(%t, %l, SQRT_%b, %0)"},
  {TINY_OP_TRUNC, "TRUNC_%b(%0)", "MAP(%t, %l, TRUNC_%b, %0)"},
  {TINY_OP_CAST, "(%t)%0", "CONVERT(%0, %t)"}, {TINY_OP_BITCAST, "BITCAST(%s, %t, %0)", "(%t)%0"},
  {TINY_OP_BROADCAST, "%0", "SPLAT(%t, %e, %0)"}, {TINY_OP_PICK, "%0[%k]", NULL}, {TINY_OP_STACK, "(%t){%a}", NULL},
  {TINY_OP_LOAD, "*(%0)", NULL}, {TINY_OP_STORE, "*(%0) = %1", NULL},
};

static void tn_lang_c(tiny_language *out) {
  static const char *const types[TINY_DTYPE_COUNT] = {
    "void", "b8", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", NULL, NULL, "f32", "f64", NULL
  };
  memset(out, 0, sizeof *out);
  out->name = "C"; out->file = "c";
  out->prelude = tn_c_prelude;
  out->lanes = "LANES(%l)";
  out->kernel = "void %n(void *const *mem, const long long *args, long long task) {";
  out->open_buffer = "%t *const %n = (%t *)mem[%k];";
  out->open_scalar = "const %t %n = ARGUMENT(%t, %k);";
  out->local = "%t %n[%k] __attribute__((aligned(64)));";
  out->global_id = "task";
  memcpy(out->types, types, sizeof types);
  out->vector = "%ex%l";
  for (size_t i = 0; i < sizeof tn_c_ops / sizeof *tn_c_ops; i++) {
    out->ops[tn_c_ops[i].op] = tn_c_ops[i].scalar;
    out->vops[tn_c_ops[i].op] = tn_c_ops[i].vector;
  }
  out->address = "%0 + %1";
  out->load = "LOAD(%t, %0)";
  out->load_masked = "LOAD_MASKED(%t, %b, %l, %0, %1, %2)";
  out->gather = "GATHER(%t, %l, %0, %1)";
  out->gather_masked = "GATHER_MASKED(%t, %i, %l, %0, %1, %2, %3)";
  out->store = "STORE(%t, %0, %1)";
  out->stream = "STREAM(%t, %0, %1)";
  out->store_masked = "STORE_MASKED(%t, %b, %l, %0, %1, %2)";
  out->scatter = "SCATTER(%t, %l, %0, %1, %2)";
  out->scatter_masked = "SCATTER_MASKED(%t, %l, %0, %1, %2, %3)";
  out->low = "LOW(%s, %t, %0)"; out->high = "HIGH(%s, %t, %0)";
  out->flags = TINY_LANG_OPTIMIZES;
  out->infinity = "(%t)__builtin_inf()"; out->nan = "(%t)__builtin_nan(\"\")";
}
#endif
// ---- end src/render/lang_c.c ----
// ---- begin src/render/cstyle.c ----
// cstyle: a program -> text in any C-like language; the language is data (tiny_language), and
// nothing about one is here.
//
// In:  the list of a lowered kernel, verified, its ops all in the language. Out: the text of one function.
// A value that is used once, in the block that makes it, is written where it is used; others become constants
// with a name. Loads from memory always get a name, in list order, so that no store overtakes them.
#ifndef TN_RENDER_CSTYLE
#define TN_RENDER_CSTYLE
#ifndef TINY_AMALGAMATED
#include "lang_c.c"
#include "../codegen/optimize.c"
#endif

enum {
  TN_MAX_INLINE = 400,
  TN_LINE_NBYTES = 64, TN_STREAM_NBYTES = 32 << 20           // more than caches keep for the next kernel
};

typedef struct tn_text {
  tiny_ctx *t;
  const tiny_language *lang;
  tiny_bytes out;
  tiny_uop *const *list;
  int n;
  const char **expr;
  int *uses, *depth, *user_depth;
  int indent, temps;
} tn_text;

typedef struct tn_blanks {                 // what a format's placeholders stand for
  const char *arg[4], *type, *element, *integer, *source, *name, *list;
  int64_t k; int lanes, bits;
} tn_blanks;

static void tn_format(tiny_bytes *out, const char *format, const tn_blanks *b) {
  for (const char *c = format; *c; c++) {
    if (*c != '%') { tiny_bytes_add(out, c, 1); continue; }
    c++;
    const char *s = NULL;
    switch (*c) {
      case '0': case '1': case '2': case '3': s = b->arg[*c - '0']; break;
      case 't': s = b->type; break;
      case 'e': s = b->element; break;
      case 'i': s = b->integer; break;
      case 's': s = b->source; break;
      case 'n': s = b->name; break;
      case 'a': s = b->list; break;
      case 'k': case 'd': tn_text_add(out, "%lld", (long long)b->k); break;
      case 'l': tn_text_add(out, "%d", b->lanes); break;
      case 'b': tn_text_add(out, "%d", b->bits); break;
      default: tiny_bytes_add(out, c, 1); break;
    }
    if (s) tiny_bytes_add(out, s, strlen(s));
  }
}

static const char *tn_type_text(tn_text *x, int dtype, int lanes) {
  const char *element = x->lang->types[dtype] ? x->lang->types[dtype] : "?";
  if (lanes == 1) return element;
  tiny_bytes out = {x->t, NULL, 0, 0};
  tn_blanks b;
  memset(&b, 0, sizeof b);
  b.element = element; b.lanes = lanes;
  tn_format(&out, x->lang->vector ? x->lang->vector : "?", &b);
  return out.data;
}

static int tn_integer_of(int dtype) {
  switch (tn_bits(dtype)) {
    case 8: return TINY_I8;
    case 16: return TINY_I16;
    case 64: return TINY_I64;
    default: return TINY_I32;
  }
}

static const char *tn_const_text(tn_text *x, int dtype, int64_t k) {
  const char *type = tn_type_text(x, dtype, 1);
  if (tn_is_float(dtype)) {
    const double v = tn_to_f64(k);
    if (v != v || fabs(v) == HUGE_VAL) {
      tiny_bytes out = {x->t, NULL, 0, 0};
      tn_blanks b;
      memset(&b, 0, sizeof b);
      b.type = type;
      tn_text_add(&out, v < 0 ? "(-" : "(");
      tn_format(&out, v != v ? x->lang->nan : x->lang->infinity, &b);
      tn_text_add(&out, ")");
      return out.data;
    }
    return tn_text_of_format(x->t, signbit(v) ? "(%a%s)" : "%a%s", v, dtype == TINY_F32 ? "f" : "");
  }
  switch (dtype) {
    case TINY_U32: return tn_text_of_format(x->t, "%lluu", (unsigned long long)k);
    case TINY_U64: return tn_text_of_format(x->t, "%lluull", (unsigned long long)k);
    case TINY_I64:
      return k == INT64_MIN ? "(-9223372036854775807ll - 1)" :
                              tn_text_of_format(x->t, k < 0 ? "(%lldll)" : "%lldll", (long long)k);
    case TINY_I32:
      return k == INT32_MIN ? "(-2147483647 - 1)" :
                              tn_text_of_format(x->t, k < 0 ? "(%lld)" : "%lld", (long long)k);
    case TINY_BOOL: return k ? "1" : "0";
    default: return tn_text_of_format(x->t, "(%s)%lld", type, (long long)k);
  }
}

// ** expressions **

static const char *tn_expr(const tn_text *x, const tiny_uop *u) { return x->expr[u->seq]; }

static int tn_is_wide(const tiny_uop *u) { return u->lanes > 1 || (u->nsrc && u->src[0]->lanes > 1); }

static void tn_blanks_of(tn_text *x, tn_blanks *b, const tiny_uop *u) {
  memset(b, 0, sizeof *b);
  b->type = tn_type_text(x, u->dtype, u->lanes);
  b->element = tn_type_text(x, u->dtype, 1);
  b->integer = tn_type_text(x, tn_integer_of(u->dtype), u->lanes);
  b->source = u->nsrc ? tn_type_text(x, u->src[0]->dtype, u->src[0]->lanes) : "";
  b->k = u->k; b->lanes = u->lanes; b->bits = tn_bits(u->dtype);
  for (uint32_t i = 0; i < u->nsrc && i < 4; i++) b->arg[i] = tn_expr(x, u->src[i]);
}

static const char *tn_op_format(const tn_text *x, int op, int wide) {
  return wide && x->lang->vops[op] ? x->lang->vops[op] : x->lang->ops[op];
}

static const char *tn_address(tn_text *x, const tiny_uop *index) {
  tiny_bytes out = {x->t, NULL, 0, 0};
  tn_blanks b;
  memset(&b, 0, sizeof b);
  b.arg[0] = tn_expr(x, index->src[0]); b.arg[1] = tn_expr(x, index->src[1]);
  tn_format(&out, x->lang->address, &b);
  return out.data;
}

static int tn_is_reg(const tiny_uop *m) {
  while (m->op == TINY_OP_AFTER) m = m->src[0];
  return m->op == TINY_OP_DEFINE && m->v[0] == TN_SPACE_REG;
}
static int64_t tn_define_nelem(const tiny_uop *m) {
  while (m->op == TINY_OP_AFTER) m = m->src[0];
  return m->v[1];
}

static const char *tn_reg_text(tn_text *x, const tiny_uop *index) {
  if (tn_define_nelem(index->src[0]) == 1) return tn_expr(x, index->src[0]);
  return tn_text_of_format(x->t, "%s[%s]", tn_expr(x, index->src[0]), tn_expr(x, index->src[1]));
}

static void tn_load_text(tn_text *x, const tiny_uop *u, tiny_bytes *out) {
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 ? index->src[2] : NULL;
  const tiny_language *l = x->lang;
  tn_blanks b;
  if (tn_is_reg(index->src[0])) { tn_text_add(out, "%s", tn_reg_text(x, index)); return; }
  tn_blanks_of(x, &b, u);
  const char *zero =
      u->lanes == 1 ? tn_const_text(x, u->dtype, 0) : tn_text_of_format(x->t, "(%s){0}", b.type);
  const char *otherwise = u->nsrc == 2 ? tn_expr(x, u->src[1]) : zero;
  b.arg[0] = tn_address(x, index);
  if (u->lanes == 1 || index->lanes == 1) {
    const int masked = valid && valid->lanes > 1;
    if (valid && !masked) tn_text_add(out, "(%s ? ", tn_expr(x, valid));
    b.arg[1] = masked ? tn_expr(x, valid) : NULL; b.arg[2] = otherwise;
    tn_format(out, u->lanes == 1 ? l->ops[TINY_OP_LOAD] : masked ? l->load_masked : l->load, &b);
    if (valid && !masked) tn_text_add(out, " : %s)", otherwise);
    return;
  }
  b.arg[0] = tn_expr(x, index->src[0]); b.arg[1] = tn_expr(x, index->src[1]);
  b.arg[2] = valid ? tn_expr(x, valid) : NULL; b.arg[3] = otherwise;
  if (valid && valid->lanes == 1) {        // one condition for all lanes of a gather
    tn_text_add(out, "(%s ? ", tn_expr(x, valid));
    tn_format(out, l->gather, &b);
    tn_text_add(out, " : %s)", otherwise);
  } else tn_format(out, valid ? l->gather_masked : l->gather, &b);
}

static const char *tn_list_text(tn_text *x, const tiny_uop *u) {
  tiny_bytes list = {x->t, NULL, 0, 0};
  for (int i = 0; i < (u->op == TINY_OP_LANE ? u->lanes : (int)u->nsrc); i++) {
    if (i) tn_text_add(&list, ", ");
    if (u->op == TINY_OP_LANE) tn_text_add(&list, "%d", i);
    else tn_text_add(&list, "%s", tn_expr(x, u->src[i]));
  }
  return list.data;
}

static void tn_value_text(tn_text *x, const tiny_uop *u, tiny_bytes *out) {
  tn_blanks b;
  if (u->op == TINY_OP_LOAD) { tn_load_text(x, u, out); return; }
  tn_blanks_of(x, &b, u);
  if (u->op == TINY_OP_BROADCAST && u->dtype == TINY_BOOL) {   // lanes of true are all ones
    b.element = tn_type_text(x, TINY_I8, 1);
    b.arg[0] = tn_text_of_format(x->t, "-(%s)", b.arg[0]);
  }
  const int one_condition = u->op == TINY_OP_WHERE && u->src[0]->lanes == 1;
  if (u->op == TINY_OP_LANE || u->op == TINY_OP_STACK) b.list = tn_list_text(x, u);
  if (u->op == TINY_OP_PICK && u->lanes > 1) {
    tn_format(out, u->k ? x->lang->high : x->lang->low, &b);
    return;
  }
  if (u->op == TINY_OP_SPECIAL) {
    tn_text_add(out, "(%s)", b.type);
    b.k = u->k & 15;
    tn_format(out, u->k & 16 ? x->lang->local_id : x->lang->global_id, &b);
    return;
  }
  const char *format = u->op == TINY_OP_LANE ? x->lang->ops[TINY_OP_STACK] :
      one_condition                          ? x->lang->ops[u->op] :
                                               tn_op_format(x, u->op, tn_is_wide(u));
  if (!format) {
    tiny_fail(x->t, TINY_E_INTERNAL, "render: %s of %s has no form in %s", tn_ops[u->op].name,
              tn_dtypes[u->dtype].name, x->lang->name);
    return;
  }
  tn_format(out, format, &b);
}

// ** statements **

static void tn_line(tn_text *x, const char *format, ...) TN_PRINTF(2, 3);
static void tn_line(tn_text *x, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tn_text_add(&x->out, "%*s", 2 * x->indent, "");
  tn_text_add_list(&x->out, format, args);
  tn_text_add(&x->out, "\n");
  va_end(args);
}

// Does the store write whole lines of a big output that this kernel does not read? Past the caches they need not
// be read before they are written: a third of the traffic of a loop that reads and writes. Threads meet after a
// kernel by locked instructions, which wait for such stores (Intel SDM 3, 11.3.1).
static int tn_store_streams(const tn_text *x, const tiny_uop *u) {
  const tiny_uop *memory = u->src[0]->src[0];
  const int64_t nbytes = tn_dtypes[u->src[1]->dtype].nbytes;
  if (!x->lang->stream || memory->op != TINY_OP_PARAM || memory->v[0] * nbytes < TN_STREAM_NBYTES) return 0;
  for (int i = 0; i < x->n; i++)
    if (x->list[i]->op == TINY_OP_LOAD && x->list[i]->src[0]->src[0] == memory) return 0;
  return u->src[1]->lanes * nbytes % TN_LINE_NBYTES == 0;
}

static void tn_store_text(tn_text *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 ? index->src[2] : NULL, *value = u->src[1];
  const tiny_language *l = x->lang;
  tiny_bytes out = {x->t, NULL, 0, 0};
  tn_blanks b;
  if (tn_is_reg(index->src[0])) { tn_line(x, "%s = %s;", tn_reg_text(x, index), tn_expr(x, value)); return; }
  tn_blanks_of(x, &b, value);
  const int masked = valid && valid->lanes > 1;
  if (value->lanes == 1 || index->lanes == 1) {
    b.arg[0] = tn_address(x, index);
    b.arg[1] = tn_expr(x, value);
    b.arg[2] = masked ? tn_expr(x, valid) : NULL;
    tn_format(&out,
              value->lanes == 1          ? l->ops[TINY_OP_STORE] :
                  masked                 ? l->store_masked :
                  tn_store_streams(x, u) ? l->stream :
                                           l->store,
              &b);
  } else {
    b.arg[0] = tn_expr(x, index->src[0]);
    b.arg[1] = tn_expr(x, index->src[1]);
    b.arg[2] = tn_expr(x, value);
    b.arg[3] = masked ? tn_expr(x, valid) : NULL;
    tn_format(&out, masked ? l->scatter_masked : l->scatter, &b);
  }
  if (valid && !masked) tn_line(x, "if (%s) %s;", tn_expr(x, valid), out.data);
  else tn_line(x, "%s;", out.data);
}

static void tn_define_text(tn_text *x, tiny_uop *u) {
  tn_blanks b;
  tiny_bytes out = {x->t, NULL, 0, 0};
  tn_blanks_of(x, &b, u);
  x->expr[u->seq] = b.name =
      tn_text_of_format(x->t, "%s%d", u->v[0] == TN_SPACE_REG ? "acc" : "local", x->temps++);
  b.k = u->v[1];
  if (u->v[0] == TN_SPACE_LOCAL && x->lang->local) {
    tn_format(&out, x->lang->local, &b);
    tn_line(x, "%s", out.data);
  } else if (u->v[1] == 1) tn_line(x, "%s %s;", b.type, b.name);
  else tn_line(x, "%s %s[%lld];", b.type, b.name, (long long)u->v[1]);
}

static void tn_value_statement(tn_text *x, tiny_uop *u) {
  tiny_bytes value = {x->t, NULL, 0, 0};
  const int i = (int)u->seq;
  tn_value_text(x, u, &value);
  if (!value.data) { x->expr[i] = "0"; return; }
  const int in_memory = u->op == TINY_OP_LOAD && !tn_is_reg(u->src[0]->src[0]);
  if (!in_memory && x->uses[i] == 1 && x->user_depth[i] == x->depth[i] && value.n < TN_MAX_INLINE) {
    tiny_bytes atom = {x->t, NULL, 0, 0};
    tn_text_add(&atom, "(%s)", value.data);
    x->expr[i] = atom.data;
    return;
  }
  x->expr[i] = tn_text_of_format(x->t, "%s%d", u->op == TINY_OP_LOAD ? "v" : "x", x->temps++);
  tn_line(x, "const %s %s = %s;", tn_type_text(x, u->dtype, u->lanes), x->expr[i], value.data);
}

static void tn_statement(tn_text *x, tiny_uop *u) {
  tn_blanks b;
  switch (u->op) {
    case TINY_OP_CONST: x->expr[u->seq] = tn_const_text(x, u->dtype, u->k); return;
    case TINY_OP_PARAM: case TINY_OP_ARG: return;
    case TINY_OP_INDEX: case TINY_OP_GROUP: case TINY_OP_SINK: return;
    case TINY_OP_AFTER: x->expr[u->seq] = x->expr[u->src[0]->seq]; return;
    case TINY_OP_DEFINE: tn_define_text(x, u); return;
    case TINY_OP_STORE: tn_store_text(x, u); return;
    case TINY_OP_BARRIER: if (x->lang->barrier) tn_line(x, "%s", x->lang->barrier); return;
    case TINY_OP_RANGE: {
      const char *name = tn_text_of_format(x->t, "r%d", x->temps++), *type = tn_type_text(x, u->dtype, 1);
      x->expr[u->seq] = name;
      tn_line(x, "for (%s %s = 0; %s < %s; %s++) {", type, name, name, tn_expr(x, u->src[0]), name);
      x->indent++;
      return;
    }
    case TINY_OP_END: case TINY_OP_ENDIF: x->indent--; tn_line(x, "}"); return;
    case TINY_OP_IF: tn_blanks_of(x, &b, u); tn_line(x, "if (%s) {", b.arg[0]); x->indent++; return;
    default: tn_value_statement(x, u); return;
  }
}

// Counts of uses and loop depth of every node of the list.
static void tn_text_survey(tn_text *x) {
  int depth = 0;
  for (int i = 0; i < x->n; i++) x->list[i]->seq = (uint32_t)i;
  for (int i = 0; i < x->n; i++) {
    const tiny_uop *u = x->list[i];
    if (u->op == TINY_OP_END || u->op == TINY_OP_ENDIF) depth--;
    x->depth[i] = depth;
    for (uint32_t j = 0; j < u->nsrc; j++) {
      if (u->src[j]->op == TINY_OP_GROUP) continue;
      const tiny_uop *s = u->src[j];
      const int through_index = u->op == TINY_OP_INDEX;   // an INDEX is written at each of its own uses
      x->uses[s->seq] += through_index ? 2 : 1;
      x->user_depth[s->seq] = depth;
    }
    if (u->op == TINY_OP_RANGE || u->op == TINY_OP_IF) depth++;
  }
}

static void tn_render_entry(tn_text *x, const char *name) {
  const tiny_language *l = x->lang;
  tiny_bytes params = {x->t, NULL, 0, 0}, open = {x->t, NULL, 0, 0};
  tn_blanks b;
  for (int i = 0; i < x->n; i++) {
    const tiny_uop *u = x->list[i];
    if (u->op != TINY_OP_PARAM && u->op != TINY_OP_ARG) continue;
    const int buffer = u->op == TINY_OP_PARAM;
    tn_blanks_of(x, &b, u);
    b.name = x->expr[u->seq] = tn_text_of_format(x->t, "%c%lld", buffer ? 'p' : 'a', (long long)u->k);
    const char *param = buffer ? l->buffer : l->scalar, *fetch = buffer ? l->open_buffer : l->open_scalar;
    if (param) { if (params.n) tn_text_add(&params, ", "); tn_format(&params, param, &b); }
    if (fetch) { tn_text_add(&open, "  "); tn_format(&open, fetch, &b); tn_text_add(&open, "\n"); }
  }
  memset(&b, 0, sizeof b);
  b.name = name; b.list = params.n ? params.data : "";
  tn_format(&x->out, l->kernel, &b);
  tn_text_add(&x->out, "\n%s%s", open.n ? open.data : "", l->entry ? l->entry : "");
}

// The function of one kernel.
static const char *tn_render(tiny_ctx *t, const tiny_language *lang, const char *name, const tn_lowered *k) {
  tn_text x;
  memset(&x, 0, sizeof x);
  x.t = x.out.t = t; x.lang = lang; x.list = k->list; x.n = k->n; x.indent = 1;
  x.expr = (const char **)tn_scratch(t, ((size_t)k->n + 1) * sizeof *x.expr);
  x.uses = (int *)tn_scratch(t, ((size_t)k->n + 1) * sizeof(int));
  x.depth = (int *)tn_scratch(t, ((size_t)k->n + 1) * sizeof(int));
  x.user_depth = (int *)tn_scratch(t, ((size_t)k->n + 1) * sizeof(int));
  tn_text_survey(&x);
  tn_render_entry(&x, name);
  for (int i = 0; i < k->n; i++) tn_statement(&x, k->list[i]);
  tn_text_add(&x.out, "}\n");
  return x.out.data;
}

// What stands before the kernels of a module: the prelude, and the vector types of every width that occurs.
static void tn_render_prelude(tiny_bytes *out, const tiny_language *lang, uint64_t lanes_used) {
  for (int i = 0; lang->prelude && lang->prelude[i]; i++) tn_text_add(out, "%s\n", lang->prelude[i]);
  for (int bit = 1; lang->lanes && bit < 16; bit++) if (lanes_used >> bit & 1) {
    tn_blanks b;
    memset(&b, 0, sizeof b);
    b.lanes = 1 << bit;
    tn_format(out, lang->lanes, &b);
    tn_text_add(out, "\n");
  }
}

// Bit b: the list holds vectors of 2^b lanes (or halves of them).
static uint64_t tn_render_lanes(const tn_lowered *k) {
  uint64_t used = 0;
  for (int i = 0; i < k->n; i++)
    for (int b = 1; b < 16; b++)
      if (k->list[i]->lanes == 1 << b) used |= (uint64_t)2 * ((uint64_t)1 << b) - 2;
  return used;
}
#endif
// ---- end src/render/cstyle.c ----

// ** runtime: devices, programs, execution **
// ---- begin src/runtime/pool.c ----
// pool: the context's threads, which stand ready between kernels.
//
// In:  a task and a count. Out: task(arg, i) has run once for every i in 0..count-1, on this thread and the
//      workers. A job is open from its publication until the caller has found no more tasks to take. A worker
//      enters (inside + 1), then looks whether the job is open, and only then reads what the job is. The
//      caller closes the job and waits until nobody is inside. All four are sequentially consistent, so
//      either the worker sees the job closed or the caller sees the worker. Thus a worker that the system has
//      not scheduled delays nobody, and the job's plain fields are never read while written. Workers spin for
//      a moment before they sleep: the next kernel of a schedule mostly comes within microseconds.
#ifndef TN_RUNTIME_POOL
#define TN_RUNTIME_POOL
#ifndef TINY_AMALGAMATED
#include "../base/process.c"
#endif

#ifdef TINY_NO_THREADS

struct tn_pool { tiny_pool host; };

TINY_API void tiny_parallel(tiny_ctx *t, int n, void (*task)(void *arg, int i), void *arg) {
  const struct tn_pool *p = t->pool;
  if (p && p->host.fn && n > 1) { p->host.fn(p->host.user, n, task, arg); return; }
  for (int i = 0; i < n; i++) task(arg, i);
}
static void tn_pool_close(tiny_ctx *t) {
  tn_release(t, t->pool, sizeof *t->pool);
  t->pool = NULL;
}
static tiny_code tn_pool_open(tiny_ctx *t, const tiny_desc *d) {
  t->pool = (struct tn_pool *)tn_alloc(t, sizeof *t->pool);
  if (t->pool && d) t->pool->host = d->pool;
  return t->pool ? TINY_OK : TINY_E_MEMORY;
}

#else

enum {
  TN_POOL_MAX = 1024,                      // threads
  TN_POOL_SPIN_NS = 30000,                 // sleeping and waking costs about as much
  TN_POOL_SHARES = 16                      // a thread takes 1/16 of its fair share of the tasks at a time
};

struct tn_pool {
  tiny_pool host;                          // fn: the caller's threads are used instead
  int threads;                             // the caller's included
  int started, spins;                      // spins: there is a core for each thread
  int workers;                             // that could be started
  tn_os_thread *worker;
  void (*task)(void *arg, int i); void *arg; int n, step;              // the job
  char apart0[64]; int64_t next;           // first task that nobody has taken; counters are cache lines apart
  char apart1[64]; int64_t jobs;           // number of jobs published so far
  char apart2[64]; int64_t busy, open, inside;     // busy: from publication until all have left
  char apart3[64]; int64_t sleepers, caller_sleeps, quit;
  tn_os_mutex lock; tn_os_cond wake, done;
};

static void tn_pool_take(struct tn_pool *p) {
  const int n = p->n, step = p->step;
  for (;;) {
    const int64_t from = tn_os_atomic_add(&p->next, step);
    for (int64_t i = from; i < from + step; i++) {
      if (i >= n) return;
      p->task(p->arg, (int)i);
    }
  }
}

// Spins until *value is no longer old, for a moment. 1: it changed.
static int tn_pool_spin(const struct tn_pool *p, int64_t *value, int64_t old) {
  if (!p->spins) return tn_os_atomic_load(value) != old;
  const uint64_t start = tn_os_now();
  do {
    for (int i = 0; i < 32; i++) {
      if (tn_os_atomic_load(value) != old) return 1;
      tn_os_relax();
    }
  } while (tn_os_now() - start < TN_POOL_SPIN_NS);
  return 0;
}

static void tn_pool_work(void *arg) {
  struct tn_pool *p = (struct tn_pool *)arg;
  int64_t seen = 0;
  for (;;) {
    if (!tn_pool_spin(p, &p->jobs, seen)) {
      tn_os_lock(&p->lock);
      tn_os_atomic_add(&p->sleepers, 1);   // then reads jobs; the caller writes jobs, then reads sleepers
      while (tn_os_atomic_load(&p->jobs) == seen) tn_os_wait(&p->wake, &p->lock);
      tn_os_atomic_add(&p->sleepers, -1);
      tn_os_unlock(&p->lock);
    }
    seen = tn_os_atomic_load(&p->jobs);
    if (tn_os_atomic_load(&p->quit)) return;
    tn_os_atomic_add(&p->inside, 1);
    if (tn_os_atomic_load(&p->open)) tn_pool_take(p);
    if (tn_os_atomic_add(&p->inside, -1) == 1 && tn_os_atomic_load(&p->caller_sleeps)) {
      tn_os_lock(&p->lock);
      tn_os_wake_one(&p->done);
      tn_os_unlock(&p->lock);
    }
  }
}

// Tells the workers that jobs has changed; wakes as many as there is work for.
static void tn_pool_call(struct tn_pool *p, int wanted) {
  tn_os_atomic_add(&p->jobs, 1);
  if (!tn_os_atomic_load(&p->sleepers)) return;
  tn_os_lock(&p->lock);
  if (wanted < p->workers) for (int i = 0; i < wanted; i++) tn_os_wake_one(&p->wake);
  else tn_os_wake_all(&p->wake);
  tn_os_unlock(&p->lock);
}

// Waits until no worker is inside; the job is closed, so that those who enter now leave at once.
static void tn_pool_wait(struct tn_pool *p) {
  const uint64_t start = tn_os_now();
  for (int i = 1; tn_os_atomic_load(&p->inside); i++) {
    tn_os_relax();
    if (i & 31 || (p->spins && tn_os_now() - start < TN_POOL_SPIN_NS)) continue;
    tn_os_lock(&p->lock);
    tn_os_atomic_store(&p->caller_sleeps, 1);
    while (tn_os_atomic_load(&p->inside)) tn_os_wait(&p->done, &p->lock);
    tn_os_atomic_store(&p->caller_sleeps, 0);
    tn_os_unlock(&p->lock);
  }
}

static void tn_pool_start(struct tn_pool *p) {
  p->started = 1;
  while (p->workers < p->threads - 1) {
    if (!tn_os_thread_start(&p->worker[p->workers], tn_pool_work, p)) return;    // fewer do it too
    p->workers++;
  }
}

// A task that calls this again gets its tasks run one after the other, on its own thread.
TINY_API void tiny_parallel(tiny_ctx *t, int n, void (*task)(void *arg, int i), void *arg) {
  struct tn_pool *p = t->pool;
  if (p && p->host.fn && n > 1) { p->host.fn(p->host.user, n, task, arg); return; }
  if (!p || n < 2 || p->threads < 2 || tn_os_atomic_load(&p->busy)) {
    for (int i = 0; i < n; i++) task(arg, i);
    return;
  }
  if (!p->started) tn_pool_start(p);
  tn_os_atomic_store(&p->busy, 1);
  p->task = task; p->arg = arg; p->n = n;
  p->step = n / (p->threads * TN_POOL_SHARES) + 1;
  tn_os_atomic_store(&p->next, 0);
  tn_os_atomic_store(&p->open, 1);
  tn_pool_call(p, n - 1);
  tn_pool_take(p);
  tn_os_atomic_store(&p->open, 0);
  tn_pool_wait(p);
  tn_os_atomic_store(&p->busy, 0);
}

static int tn_pool_wanted(const tiny_desc *d) {
  const char *threads = tn_os_env("TINY_THREADS");
  int n = d ? d->threads : 0;
  if (n < 1 && threads) n = atoi(threads);
  if (n < 1) n = tn_os_cores();
  return n < TN_POOL_MAX ? n : TN_POOL_MAX;
}

static void tn_pool_close(tiny_ctx *t) {
  struct tn_pool *p = t->pool;
  if (!p) return;
  tn_os_atomic_store(&p->quit, 1);
  if (p->workers) tn_pool_call(p, p->workers);
  for (int i = 0; i < p->workers; i++) tn_os_thread_join(&p->worker[i]);
  tn_os_mutex_close(&p->lock);
  tn_os_cond_close(&p->wake);
  tn_os_cond_close(&p->done);
  tn_release(t, p, sizeof *p + (size_t)p->threads * sizeof *p->worker);
  t->pool = NULL;
}

// Threads are started by the first tiny_parallel that has use for them.
static tiny_code tn_pool_open(tiny_ctx *t, const tiny_desc *d) {
  const int host = d && d->pool.fn;
  const int threads = !host ? tn_pool_wanted(d) : d->pool.threads > 1 ? d->pool.threads : 1;
  const size_t nbytes = sizeof(struct tn_pool) + (size_t)threads * sizeof(tn_os_thread);
  struct tn_pool *p = (struct tn_pool *)tn_alloc(t, nbytes);
  if (!p) return TINY_E_MEMORY;
  if (host) p->host = d->pool;
  p->threads = threads;
  p->spins = threads <= tn_os_cores();     // else spinning takes the core from those who work
  p->worker = (tn_os_thread *)(void *)(p + 1);
  tn_os_mutex_open(&p->lock);
  tn_os_cond_open(&p->wake);
  tn_os_cond_open(&p->done);
  t->pool = p;
  return TINY_OK;
}
#endif // TINY_NO_THREADS
#endif
// ---- end src/runtime/pool.c ----
// ---- begin src/runtime/elf.c ----
// elf: loads a freestanding relocatable ELF64 object into executable memory: the linker that kernels need,
// and no more.
//
// In:  the bytes of an object for x86-64 or arm64, and the addresses of the C functions it may call. Out: an
//      image whose functions are found by name. The bytes are not trusted: whatever is wrong with them gives
//      an error. The image is one mapping: slots, code and constants (read and execute), then data (read and
//      write). Each symbol has a slot of 16 bytes: a jump to the symbol, and at + 8 its address. So a slot is
//      a stub for a function that is out of reach and an entry of a global offset table too. An image is at
//      most 64 MiB, so that all else reaches within it.
// Sources: ELF-64 Object File Format 1.5; System V ABI AMD64 1.0, 4.4.1; ELF for the Arm 64-bit Architecture
// 2023Q3, 5.7.
#ifndef TN_RUNTIME_ELF
#define TN_RUNTIME_ELF
#ifndef TINY_AMALGAMATED
#include "pool.c"
#endif

typedef struct tn_elf_name { const char *name; void (*fn)(void); } tn_elf_name;    // what objects may call

enum { TN_ELF_X86 = 62, TN_ELF_ARM64 = 183 };                                      // e_machine
enum { TN_ELF_MAX_NBYTES = 64 << 20, TN_ELF_MAX_ALIGN = 4096, TN_ELF_SLOT = 16 };

typedef struct tn_elf_header {
  uint8_t ident[16]; uint16_t type, machine; uint32_t version; uint64_t entry, phoff, shoff;
  uint32_t flags; uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
} tn_elf_header;
typedef struct tn_elf_section {
  uint32_t name, type; uint64_t flags, addr, offset, size; uint32_t link, info; uint64_t align, entsize;
} tn_elf_section;
typedef struct tn_elf_sym {
  uint32_t name; uint8_t info, other; uint16_t section; uint64_t value, size;
} tn_elf_sym;
typedef struct tn_elf_rela { uint64_t offset; uint32_t type, sym; int64_t addend; } tn_elf_rela;

enum {                                     // section types
  TN_ELF_PROGBITS = 1, TN_ELF_SYMTAB, TN_ELF_STRTAB, TN_ELF_RELA, TN_ELF_NOTE = 7, TN_ELF_NOBITS, TN_ELF_REL
};
enum { TN_ELF_WRITE = 1, TN_ELF_ALLOC = 2, TN_ELF_EXEC = 4, TN_ELF_TLS = 0x400 };  // section flags
enum { TN_ELF_ABS = 0xfff1, TN_ELF_RESERVED = 0xff00 };                            // section indices

typedef struct tn_elf_function { const char *name; void *at; } tn_elf_function;
typedef struct tn_elf {
  char *map; size_t map_nbytes, owned_nbytes;
  tn_elf_function *function; int nfunctions;
} tn_elf;

// ** relocations **

// What is written, from S symbol, A addend, P place, G address of the symbol's address in its slot:
// S+A, S+A-P, page(S+A)-page(P), G+A-P, page(G+A)-page(P), G+A;
enum { TN_ELF_V_ABS, TN_ELF_V_REL, TN_ELF_V_PAGE, TN_ELF_V_GOT_REL, TN_ELF_V_GOT_PAGE, TN_ELF_V_GOT_ABS };
// and where to: whole words, or a field of an instruction at a bit.
enum { TN_ELF_AT_WORD = 32, TN_ELF_AT_ADR };
enum { TN_ELF_ANY, TN_ELF_SIGNED, TN_ELF_UNSIGNED, TN_ELF_EITHER };                // what must fit
typedef struct tn_elf_how { uint16_t machine, type; uint8_t value, shift, bits, at, check; } tn_elf_how;

static const tn_elf_how tn_elf_hows[] = {
  { 62,   1, TN_ELF_V_ABS,      0, 64, TN_ELF_AT_WORD, TN_ELF_ANY },       // R_X86_64_64
  { 62,   2, TN_ELF_V_REL,      0, 32, TN_ELF_AT_WORD, TN_ELF_SIGNED },    // PC32
  { 62,   4, TN_ELF_V_REL,      0, 32, TN_ELF_AT_WORD, TN_ELF_SIGNED },    // PLT32
  { 62,   9, TN_ELF_V_GOT_REL,  0, 32, TN_ELF_AT_WORD, TN_ELF_SIGNED },    // GOTPCREL
  { 62,  10, TN_ELF_V_ABS,      0, 32, TN_ELF_AT_WORD, TN_ELF_UNSIGNED },  // 32
  { 62,  11, TN_ELF_V_ABS,      0, 32, TN_ELF_AT_WORD, TN_ELF_SIGNED },    // 32S
  { 62,  24, TN_ELF_V_REL,      0, 64, TN_ELF_AT_WORD, TN_ELF_ANY },       // PC64
  { 62,  41, TN_ELF_V_GOT_REL,  0, 32, TN_ELF_AT_WORD, TN_ELF_SIGNED },    // GOTPCRELX
  { 62,  42, TN_ELF_V_GOT_REL,  0, 32, TN_ELF_AT_WORD, TN_ELF_SIGNED },    // REX_GOTPCRELX
  { 183, 257, TN_ELF_V_ABS,     0, 64, TN_ELF_AT_WORD, TN_ELF_ANY },       // R_AARCH64_ABS64
  { 183, 258, TN_ELF_V_ABS,     0, 32, TN_ELF_AT_WORD, TN_ELF_EITHER },    // ABS32
  { 183, 260, TN_ELF_V_REL,     0, 64, TN_ELF_AT_WORD, TN_ELF_ANY },       // PREL64
  { 183, 261, TN_ELF_V_REL,     0, 32, TN_ELF_AT_WORD, TN_ELF_EITHER },    // PREL32
  { 183, 263, TN_ELF_V_ABS,     0, 16, 5, TN_ELF_UNSIGNED },               // MOVW_UABS_G0
  { 183, 264, TN_ELF_V_ABS,     0, 16, 5, TN_ELF_ANY },                    // MOVW_UABS_G0_NC
  { 183, 265, TN_ELF_V_ABS,    16, 16, 5, TN_ELF_UNSIGNED },               // MOVW_UABS_G1
  { 183, 266, TN_ELF_V_ABS,    16, 16, 5, TN_ELF_ANY },                    // MOVW_UABS_G1_NC
  { 183, 267, TN_ELF_V_ABS,    32, 16, 5, TN_ELF_UNSIGNED },               // MOVW_UABS_G2
  { 183, 268, TN_ELF_V_ABS,    32, 16, 5, TN_ELF_ANY },                    // MOVW_UABS_G2_NC
  { 183, 269, TN_ELF_V_ABS,    48, 16, 5, TN_ELF_ANY },                    // MOVW_UABS_G3
  { 183, 273, TN_ELF_V_REL,     2, 19, 5, TN_ELF_SIGNED },                 // LD_PREL_LO19
  { 183, 274, TN_ELF_V_REL,     0, 21, TN_ELF_AT_ADR, TN_ELF_SIGNED },     // ADR_PREL_LO21
  { 183, 275, TN_ELF_V_PAGE,   12, 21, TN_ELF_AT_ADR, TN_ELF_SIGNED },     // ADR_PREL_PG_HI21
  { 183, 276, TN_ELF_V_PAGE,   12, 21, TN_ELF_AT_ADR, TN_ELF_ANY },        // ADR_PREL_PG_HI21_NC
  { 183, 277, TN_ELF_V_ABS,     0, 12, 10, TN_ELF_ANY },                   // ADD_ABS_LO12_NC
  { 183, 278, TN_ELF_V_ABS,     0, 12, 10, TN_ELF_ANY },                   // LDST8_ABS_LO12_NC
  { 183, 279, TN_ELF_V_REL,     2, 14, 5, TN_ELF_SIGNED },                 // TSTBR14
  { 183, 280, TN_ELF_V_REL,     2, 19, 5, TN_ELF_SIGNED },                 // CONDBR19
  { 183, 282, TN_ELF_V_REL,     2, 26, 0, TN_ELF_SIGNED },                 // JUMP26
  { 183, 283, TN_ELF_V_REL,     2, 26, 0, TN_ELF_SIGNED },                 // CALL26
  { 183, 284, TN_ELF_V_ABS,     1, 11, 10, TN_ELF_ANY },                   // LDST16_ABS_LO12_NC
  { 183, 285, TN_ELF_V_ABS,     2, 10, 10, TN_ELF_ANY },                   // LDST32_ABS_LO12_NC
  { 183, 286, TN_ELF_V_ABS,     3,  9, 10, TN_ELF_ANY },                   // LDST64_ABS_LO12_NC
  { 183, 299, TN_ELF_V_ABS,     4,  8, 10, TN_ELF_ANY },                   // LDST128_ABS_LO12_NC
  { 183, 311, TN_ELF_V_GOT_PAGE, 12, 21, TN_ELF_AT_ADR, TN_ELF_SIGNED },   // ADR_GOT_PAGE
  { 183, 312, TN_ELF_V_GOT_ABS, 3,  9, 10, TN_ELF_ANY },                   // LD64_GOT_LO12_NC
  { 183, 314, TN_ELF_V_REL,     0, 32, TN_ELF_AT_WORD, TN_ELF_SIGNED }     // PLT32
};

static const tn_elf_how *tn_elf_how_of(int machine, uint32_t type) {
  for (size_t i = 0; i < sizeof tn_elf_hows / sizeof *tn_elf_hows; i++)
    if (tn_elf_hows[i].machine == machine && tn_elf_hows[i].type == type) return &tn_elf_hows[i];
  return NULL;
}

static int64_t tn_elf_value(int value, uint64_t s_plus_a, uint64_t p, uint64_t g_plus_a) {
  const uint64_t page = ~(uint64_t)4095;
  switch (value) {
    case TN_ELF_V_ABS:      return (int64_t)s_plus_a;
    case TN_ELF_V_REL:      return (int64_t)(s_plus_a - p);
    case TN_ELF_V_PAGE:     return (int64_t)((s_plus_a & page) - (p & page));
    case TN_ELF_V_GOT_REL:  return (int64_t)(g_plus_a - p);
    case TN_ELF_V_GOT_PAGE: return (int64_t)((g_plus_a & page) - (p & page));
    default:                return (int64_t)g_plus_a;
  }
}

static int tn_elf_fits(int64_t v, int bits, int check) {
  const int64_t half = (int64_t)1 << (bits - 1 < 62 ? bits - 1 : 62);
  const int as_signed = v >= -half && v < half, as_unsigned = v >= 0 && v >> 1 < half;
  if (check == TN_ELF_ANY) return 1;
  return (check != TN_ELF_UNSIGNED && as_signed) || (check != TN_ELF_SIGNED && as_unsigned);
}

// Writes v to the place. 0: it does not fit.
static int tn_elf_write(const tn_elf_how *how, char *place, int64_t v) {
  const int whole = how->at == TN_ELF_AT_WORD;
  if (how->at == 10 && v & (((int64_t)1 << how->shift) - 1)) return 0;     // loads and stores are aligned
  v >>= how->shift;
  if (!tn_elf_fits(v, how->bits, how->check)) return 0;
  if (whole && how->bits == 64) { memcpy(place, &v, 8); return 1; }
  uint32_t word = (uint32_t)v;
  if (!whole) {
    const uint32_t field = (uint32_t)v & ((1u << how->bits) - 1);
    const uint32_t mask = how->at == TN_ELF_AT_ADR ? 0x60ffffe0u : ((1u << how->bits) - 1) << how->at;
    memcpy(&word, place, 4);
    word &= ~mask;
    word |= how->at == TN_ELF_AT_ADR ? (field & 3) << 29 | field >> 2 << 5 : field << how->at;
  }
  memcpy(place, &word, 4);
  return 1;
}

// ** reading the file **

typedef struct tn_elf_load_state {
  tiny_ctx *t;
  const char *file; size_t nbytes; int machine;
  const tn_elf_name *names; int nnames;
  tn_elf_section *section; int nsections;
  uint64_t *place;                         // by section: its offset in the image; ~0: not loaded
  tn_elf_sym *sym; int nsyms;
  const char *strings; size_t strings_nbytes;
  uint64_t code_nbytes, data_nbytes;       // of slots, code and constants, and of data; whole pages
  char *map;
} tn_elf_load_state;

static tiny_code tn_elf_bad(tiny_ctx *t, const char *what) {
  return tiny_fail(t, TINY_E_COMPILE, "elf: the object cannot be loaded: %s", what);
}

static int tn_elf_inside(uint64_t offset, uint64_t size, uint64_t nbytes) {
  return offset <= nbytes && size <= nbytes - offset;
}

static tiny_code tn_elf_read_sections(tn_elf_load_state *l) {
  tn_elf_header h;
  if (l->nbytes < sizeof h) return tn_elf_bad(l->t, "it is too short");
  memcpy(&h, l->file, sizeof h);
  if (memcmp(h.ident, "\177ELF\2\1\1", 7) || h.type != 1)
    return tn_elf_bad(l->t, "it is no relocatable ELF64 file");
  if (h.machine != l->machine) return tn_elf_bad(l->t, "it is for another processor");
  if (h.shentsize != sizeof(tn_elf_section) || !h.shnum || h.shnum >= TN_ELF_RESERVED ||
      !tn_elf_inside(h.shoff, (uint64_t)h.shnum * sizeof(tn_elf_section), l->nbytes))
    return tn_elf_bad(l->t, "its section table is not in it");
  l->nsections = h.shnum;
  l->section = (tn_elf_section *)tn_scratch(l->t, (size_t)h.shnum * sizeof *l->section);
  l->place = (uint64_t *)tn_scratch(l->t, (size_t)h.shnum * sizeof *l->place);
  if (!l->section || !l->place) return TINY_E_MEMORY;
  memcpy(l->section, l->file + h.shoff, (size_t)h.shnum * sizeof *l->section);
  for (int i = 0; i < l->nsections; i++) {
    const tn_elf_section *s = &l->section[i];
    l->place[i] = ~(uint64_t)0;
    if (s->type && s->type != TN_ELF_NOBITS && !tn_elf_inside(s->offset, s->size, l->nbytes))
      return tn_elf_bad(l->t, "a section is not in it");
  }
  return TINY_OK;
}

static tiny_code tn_elf_read_symbols(tn_elf_load_state *l) {
  const tn_elf_section *table = NULL;
  for (int i = 0; i < l->nsections && !table; i++)
    if (l->section[i].type == TN_ELF_SYMTAB) table = &l->section[i];
  if (!table) return tn_elf_bad(l->t, "it has no symbols");
  const uint64_t nsyms = table->size / sizeof(tn_elf_sym);
  if (table->entsize != sizeof(tn_elf_sym) || nsyms > TN_ELF_MAX_NBYTES / TN_ELF_SLOT ||
      table->link >= (uint32_t)l->nsections || l->section[table->link].type != TN_ELF_STRTAB)
    return tn_elf_bad(l->t, "its symbol table is damaged");
  const tn_elf_section *strings = &l->section[table->link];
  l->strings = l->file + strings->offset; l->strings_nbytes = (size_t)strings->size;
  if (!l->strings_nbytes || l->strings[l->strings_nbytes - 1])
    return tn_elf_bad(l->t, "its names don't end");
  l->nsyms = (int)nsyms;
  l->sym = (tn_elf_sym *)tn_scratch(l->t, (size_t)l->nsyms * sizeof *l->sym + 1);
  if (!l->sym) return TINY_E_MEMORY;
  memcpy(l->sym, l->file + table->offset, (size_t)l->nsyms * sizeof *l->sym);
  for (int i = 0; i < l->nsyms; i++)
    if (l->sym[i].name >= l->strings_nbytes) return tn_elf_bad(l->t, "a name is not in it");
  return TINY_OK;
}

// Gives the sections of one kind their places after *end.
static tiny_code tn_elf_place(tn_elf_load_state *l, int writable, uint64_t *end) {
  for (int i = 0; i < l->nsections; i++) {
    const tn_elf_section *s = &l->section[i];
    const int known = s->type == TN_ELF_PROGBITS || s->type == TN_ELF_NOBITS;
    const uint64_t align = s->align ? s->align : 1;
    if (!(s->flags & TN_ELF_ALLOC) || !s->size || s->type == TN_ELF_NOTE) continue;
    if (!!(s->flags & TN_ELF_WRITE) != writable) continue;
    if (!known || s->flags & TN_ELF_TLS || (writable && s->flags & TN_ELF_EXEC))
      return tn_elf_bad(l->t, "it has a section of a kind that kernels don't need");
    if (align & (align - 1) || align > TN_ELF_MAX_ALIGN || s->size > TN_ELF_MAX_NBYTES)
      return tn_elf_bad(l->t, "a section is too big");
    *end = (*end + align - 1) & ~(align - 1);
    l->place[i] = *end;
    *end += s->size;
    if (*end > TN_ELF_MAX_NBYTES) return tn_elf_bad(l->t, "it is too big");
  }
  return TINY_OK;
}

static tiny_code tn_elf_layout(tn_elf_load_state *l) {
  const uint64_t page = tn_os_page_nbytes() - 1;
  uint64_t end = (uint64_t)l->nsyms * TN_ELF_SLOT;
  tiny_code code = tn_elf_place(l, 0, &end);
  l->code_nbytes = end = (end + page) & ~page;
  if (code == TINY_OK) code = tn_elf_place(l, 1, &end);
  l->data_nbytes = ((end + page) & ~page) - l->code_nbytes;
  if (code == TINY_OK && !l->code_nbytes) code = tn_elf_bad(l->t, "it is empty");
  return code;
}

// ** linking **

// Replaces every symbol's value by its address.
static tiny_code tn_elf_resolve(tn_elf_load_state *l) {
  for (int i = 1; i < l->nsyms; i++) {
    tn_elf_sym *s = &l->sym[i];
    const char *name = l->strings + s->name;
    if (s->section == 0) {
      int k = 0;
      while (k < l->nnames && strcmp(l->names[k].name, name)) k++;
      if (k == l->nnames)
        return tiny_fail(l->t, TINY_E_COMPILE, "elf: the kernel calls '%.200s', which is not there", name);
      s->value = 0;
      memcpy(&s->value, &l->names[k].fn, sizeof l->names[k].fn);
    } else if (s->section < TN_ELF_RESERVED) {
      if (s->section >= l->nsections) return tn_elf_bad(l->t, "a symbol is in no section");
      if (l->place[s->section] == ~(uint64_t)0) { s->value = 0; continue; }      // of a section for debuggers
      if (s->value > l->section[s->section].size) return tn_elf_bad(l->t, "a symbol is not in its section");
      s->value += (uint64_t)(uintptr_t)l->map + l->place[s->section];
    } else if (s->section != TN_ELF_ABS) return tn_elf_bad(l->t, "it has common symbols");
  }
  return TINY_OK;
}

static void tn_elf_fill_slots(tn_elf_load_state *l) {
  static const unsigned char x86[8] = { 0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc };         // jmp *2(%rip)
  static const unsigned char arm64[8] = { 0x50, 0, 0, 0x58, 0, 2, 0x1f, 0xd6 };       // ldr x16, 8; br x16
  for (int i = 0; i < l->nsyms; i++) {
    char *slot = l->map + (size_t)i * TN_ELF_SLOT;
    memcpy(slot, l->machine == TN_ELF_X86 ? x86 : arm64, 8);
    memcpy(slot + 8, &l->sym[i].value, 8);
  }
}

static tiny_code tn_elf_relocate(tn_elf_load_state *l, const tn_elf_section *table) {
  const tn_elf_section *target = &l->section[table->info];
  char *base = l->map + l->place[table->info];
  for (uint64_t i = 0; i < table->size / sizeof(tn_elf_rela); i++) {
    tn_elf_rela r;
    memcpy(&r, l->file + table->offset + i * sizeof r, sizeof r);
    const tn_elf_how *how = tn_elf_how_of(l->machine, r.type);
    if (!how) return tiny_fail(l->t, TINY_E_COMPILE, "elf: relocation of unknown type %u", (unsigned)r.type);
    if (r.sym >= (uint32_t)l->nsyms || !tn_elf_inside(r.offset, how->bits == 64 ? 8 : 4, target->size))
      return tn_elf_bad(l->t, "a relocation is not in it");
    const tn_elf_sym *sym = &l->sym[r.sym];
    const uint64_t slot = (uint64_t)(uintptr_t)l->map + (uint64_t)r.sym * TN_ELF_SLOT, a = (uint64_t)r.addend;
    const int outside = r.sym && sym->section == 0 && how->value == TN_ELF_V_REL;
    const uint64_t s = outside ? slot : sym->value;
    const int64_t v = tn_elf_value(how->value, s + a, (uint64_t)(uintptr_t)(base + r.offset), slot + 8 + a);
    if (!tn_elf_write(how, base + r.offset, v))
      return tiny_fail(l->t, TINY_E_COMPILE, "elf: relocation of type %u does not reach '%.200s'",
                       (unsigned)r.type, l->strings + sym->name);
  }
  return TINY_OK;
}

static tiny_code tn_elf_link(tn_elf_load_state *l) {
  for (int i = 0; i < l->nsections; i++) {
    const tn_elf_section *s = &l->section[i];
    if (l->place[i] == ~(uint64_t)0 || s->type != TN_ELF_PROGBITS) continue;
    memcpy(l->map + l->place[i], l->file + s->offset, (size_t)s->size);
  }
  tiny_code code = tn_elf_resolve(l);
  if (code == TINY_OK) tn_elf_fill_slots(l);
  for (int i = 0; i < l->nsections && code == TINY_OK; i++) {
    const tn_elf_section *s = &l->section[i];
    if (s->type != TN_ELF_RELA && s->type != TN_ELF_REL) continue;
    if (s->info >= (uint32_t)l->nsections || l->place[s->info] == ~(uint64_t)0) continue;
    code = s->type == TN_ELF_RELA ? tn_elf_relocate(l, s) : tn_elf_bad(l->t, "relocations have no addends");
  }
  if (code == TINY_OK && !tn_os_make_executable(l->map, (size_t)l->code_nbytes))
    code = tiny_fail(l->t, TINY_E_DEVICE, "elf: the system does not let memory be executed");
  return code;
}

// ** images **

static int tn_elf_is_function(const tn_elf_load_state *l, const tn_elf_sym *s) {
  return s->section > 0 && s->section < l->nsections && l->place[s->section] != ~(uint64_t)0 &&
         l->section[s->section].flags & TN_ELF_EXEC && s->info >> 4 == 1;               // a global symbol
}

// Memory for the image's description, with room for the names of its functions behind it.
static tn_elf *tn_elf_new(tn_elf_load_state *l) {
  size_t nbytes = sizeof(tn_elf);
  int n = 0;
  for (int i = 1; i < l->nsyms; i++) if (tn_elf_is_function(l, &l->sym[i])) {
    nbytes += sizeof(tn_elf_function) + strlen(l->strings + l->sym[i].name) + 1;
    n++;
  }
  tn_elf *e = nbytes <= TN_ELF_MAX_NBYTES ? (tn_elf *)tn_alloc(l->t, nbytes) : NULL;
  if (!e) return NULL;
  e->function = (tn_elf_function *)(void *)(e + 1);
  e->owned_nbytes = nbytes;
  char *name = (char *)(e->function + n);
  for (int i = 1; i < l->nsyms; i++) if (tn_elf_is_function(l, &l->sym[i])) {
    const size_t length = strlen(l->strings + l->sym[i].name) + 1;
    memcpy(name, l->strings + l->sym[i].name, length);
    e->function[e->nfunctions++].name = name;
    name += length;
  }
  return e;
}

static void tn_elf_name_functions(const tn_elf_load_state *l, tn_elf *e) {
  tn_elf_function *f = e->function;
  for (int i = 1; i < l->nsyms; i++)
    if (tn_elf_is_function(l, &l->sym[i])) f++->at = (void *)(uintptr_t)l->sym[i].value;
}

static void tn_elf_unload(tiny_ctx *t, tn_elf *e) {
  if (!e) return;
  tn_os_unmap(e->map, e->map_nbytes);
  tn_release(t, e, e->owned_nbytes);
}

// Loads an object for machine: TN_ELF_X86 or TN_ELF_ARM64. names: what it may call.
static tiny_code tn_elf_load(tiny_ctx *t, const void *bytes, size_t nbytes, int machine,
                             const tn_elf_name *names, int nnames, tn_elf **out) {
  tn_elf_load_state l;
  memset(&l, 0, sizeof l);
  l.t = t; l.file = (const char *)bytes; l.nbytes = nbytes; l.machine = machine;
  l.names = names; l.nnames = nnames;
  *out = NULL;
  tiny_code code = tn_elf_read_sections(&l);
  if (code == TINY_OK) code = tn_elf_read_symbols(&l);
  if (code == TINY_OK) code = tn_elf_layout(&l);
  if (code != TINY_OK) return code;
  tn_elf *e = tn_elf_new(&l);              // the last that asks for memory, and may unwind
  if (!e) return tiny_fail(t, TINY_E_MEMORY, "elf: no memory for the names of an object's functions");
  e->map_nbytes = (size_t)(l.code_nbytes + l.data_nbytes);
  l.map = e->map = (char *)tn_os_map(e->map_nbytes);
  if (e->map) code = tn_elf_link(&l);
  else code = tiny_fail(t, TINY_E_MEMORY, "elf: no pages for code");
  if (code != TINY_OK) { tn_elf_unload(t, e); return code; }
  tn_elf_name_functions(&l, e);
  *out = e;
  return TINY_OK;
}

// The address of a function; NULL: the object defines none of this name.
static void *tn_elf_symbol(const tn_elf *e, const char *name) {
  for (int i = 0; i < e->nfunctions; i++) if (!strcmp(e->function[i].name, name)) return e->function[i].at;
  return NULL;
}
#endif
// ---- end src/runtime/elf.c ----
// ---- begin src/runtime/cpu.c ----
// cpu: the processor that the host runs on, as a backend. Kernels are C; clang makes them objects, elf.c
// loads those.
//
// A kernel is void NAME(void *const *mem, const long long *args, long long task): mem[i] is the memory of
// PARAM i, args[i] the bits of ARG i, task one of 0..tasks-1. Sources go to the compiler's stdin and objects
// come from its stdout, one process each, all at once: no file is written, and the path is the same on every
// system, as clang writes ELF on all. Without clang, cc or gcc does where objects are ELF files anyway; they
// need a file for their output.
#ifndef TN_RUNTIME_CPU
#define TN_RUNTIME_CPU
#ifndef TINY_AMALGAMATED
#include "elf.c"
#include "../render/lang_c.c"
#endif

typedef void (*tn_cpu_kernel)(void *const *mem, const long long *args, long long task);

enum {
  TN_CPU_ALIGN = 64,                       // of buffers: a cache line, and the widest vector
  TN_CPU_HUGE = 4 << 20,                   // bytes from which a buffer gets pages of its own
  TN_CPU_FLAGS = 32, TN_CPU_PARAMS = 64    // PARAMs whose pointers need no allocation
};

typedef struct tn_cpu {
  tiny_ctx *t;
  tn_os_cpu facts;
  int is_clang, cores;
  char compiler[TN_OS_PATH];               // "": there is none
  char target[TN_OS_PATH + 256];
} tn_cpu;

// ** the compiler **

// -fPIE: all references are relative, so that the image may lie anywhere. Kernels call nothing and are called
// by nothing but the loader: no PLT, unwind tables or stack checks.
static const char *const tn_cpu_both[] = {
  "-O2", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-ffreestanding", "-fPIE", "-w",
  "-fno-stack-protector", "-fno-ident", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables",
#ifdef TN_OS_ARM64
  "-mcpu=native", "-ffixed-x18",           // the system's register on macOS and Windows
#else
  "-march=native",
#endif
  NULL
};
#if defined(TN_OS_X86) && defined(_WIN32)
  #define TN_CPU_TRIPLE "--target=x86_64-pc-windows-elf"    // the host's calling convention
#elif defined(TN_OS_X86)
  #define TN_CPU_TRIPLE "--target=x86_64-none-unknown-elf"
#else
  #define TN_CPU_TRIPLE "--target=aarch64-none-elf"
#endif
static const char *const tn_cpu_clang_only[] = { TN_CPU_TRIPLE, "-fvisibility=hidden",
#ifdef _WIN32
  "-mno-stack-arg-probe",
#endif
  NULL
};
#if defined(TN_OS_ARM64)
  enum { TN_CPU_MACHINE = TN_ELF_ARM64 };
#elif defined(TN_OS_X86)
  enum { TN_CPU_MACHINE = TN_ELF_X86 };
#else
  enum { TN_CPU_MACHINE = 0 };             // elf.c cannot load what a compiler makes: as if there were none
#endif

static void tn_cpu_find_compiler(tn_cpu *c) {
  static const char *const names[] = { "clang", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17",
                                       "clang-16", "clang-15", "clang-14", "cc", "gcc" };
  const char *chosen = tn_os_env("TINY_CC");
  int found = chosen && tn_os_find_program(chosen, c->compiler, sizeof c->compiler);
#if defined(__ELF__) && !defined(TINY_NO_DISK)
  const int n = (int)(sizeof names / sizeof *names);
#else
  const int n = (int)(sizeof names / sizeof *names) - 2;
#endif
  for (int i = 0; i < n && !found && !chosen; i++)
    found = tn_os_find_program(names[i], c->compiler, sizeof c->compiler);
  if (!found || TN_CPU_MACHINE == 0) c->compiler[0] = 0;
  c->is_clang = strstr(c->compiler, "clang") != NULL;
}

static int tn_cpu_has_compiler(void *dev) { return ((tn_cpu *)dev)->compiler[0] != 0; }

// Fills the list of arguments. make: "-c" an object, "-S" assembly; to: the file that is written, "-": stdout.
static void tn_cpu_arguments(const tn_cpu *c, const char *make, const char *to, const char **argv) {
  int n = 0;
  argv[n++] = c->compiler;
  for (const char *const *f = tn_cpu_both; *f; f++) argv[n++] = *f;
  for (const char *const *f = tn_cpu_clang_only; c->is_clang && *f; f++) argv[n++] = *f;
  if (c->facts.vector_nbytes == 64) argv[n++] = "-mprefer-vector-width=512";
#ifdef TN_OS_X86
  else argv[n++] = "-mno-avx512f";         // valgrind runs the host on a lesser processor than the compiler sees
#endif
  argv[n++] = "-x"; argv[n++] = "c"; argv[n++] = make; argv[n++] = "-"; argv[n++] = "-o"; argv[n++] = to;
  argv[n] = NULL;
}

// The first lines of what a compiler said.
static int tn_cpu_head(const char *text, int lines) {
  const char *at = text;
  while (*at && (*at != '\n' || --lines)) at++;
  return (int)(at - text);
}

static tiny_code tn_cpu_judge(tiny_ctx *t, const tn_job *job, const tiny_bytes *binary) {
  const char *said = job->err.n ? job->err.data : "(it said nothing)";
  const int length = tn_cpu_head(said, 10);
  if (job->exit_code == 0 && binary->n) return TINY_OK;
  return tiny_fail(t, TINY_E_COMPILE, "%s failed (exit code %d):\n%.*s", job->argv[0], job->exit_code,
                   length, said);
}

typedef struct tn_cpu_batch {
  tn_cpu *c; int n;
  const char *const *source; tiny_bytes *binary, *log;
  tn_job *job; char (*object)[TN_OS_PATH];     // object: files of a compiler that is not clang
} tn_cpu_batch;

static void tn_cpu_remove_objects(void *arg) {
  tn_cpu_batch *b = (tn_cpu_batch *)arg;
  for (int i = 0; i < b->n && b->object; i++) tn_os_remove(b->object[i]);
}

static tiny_code tn_cpu_compile_batch(tiny_ctx *t, void *arg) {
  tn_cpu_batch *b = (tn_cpu_batch *)arg;
  tiny_code code = tn_process_run(t, b->job, b->n, b->c->cores);
  for (int i = 0; i < b->n; i++) {
    if (b->object) tn_os_read_file(b->object[i], TN_ELF_MAX_NBYTES, &b->binary[i]);
    else tiny_bytes_add(&b->binary[i], b->job[i].out.data, b->job[i].out.n);
    if (b->log && b->job[i].err.n) tiny_bytes_add(b->log, b->job[i].err.data, b->job[i].err.n);
    if (code == TINY_OK) code = tn_cpu_judge(t, &b->job[i], &b->binary[i]);
  }
  tn_cpu_remove_objects(b);
  return code;
}

static void tn_cpu_name_object(char *path) {
  const unsigned long long process = tn_os_process_id(), here = (uintptr_t)path, now = tn_os_now();
  snprintf(path, TN_OS_PATH, "%s/tiny-%llx-%llx-%llx.o", tn_os_temp_dir(), process, here, now);
}
// The file is ours before the compiler opens it: nobody can put a link in its place.
static int tn_cpu_make_object(const char *path) {
  tn_os_handle h;
  return tn_os_open(path, 1, &h) && tn_os_close(h);
}

static tiny_code tn_cpu_prepare(tiny_ctx *t, void *arg) {
  tn_cpu_batch *b = (tn_cpu_batch *)arg;
  b->job = (tn_job *)tn_scratch(t, (size_t)b->n * sizeof *b->job);
  const char **argv = (const char **)tn_scratch(t, (size_t)b->n * TN_CPU_FLAGS * sizeof *argv);
  char (*object)[TN_OS_PATH] = NULL;
  if (!b->c->is_clang) object = (char (*)[TN_OS_PATH])tn_scratch(t, (size_t)b->n * sizeof *object);
  for (int i = 0; i < b->n; i++, argv += TN_CPU_FLAGS) {
    if (object) tn_cpu_name_object(object[i]);
    tn_cpu_arguments(b->c, "-c", object ? object[i] : "-", argv);
    b->job[i].argv = argv;
    b->job[i].input = b->source[i];
    b->job[i].input_nbytes = strlen(b->source[i]);
  }
  b->object = object;
  for (int i = 0; i < b->n && object; i++) if (!tn_cpu_make_object(object[i]))
    return tiny_fail(t, TINY_E_IO, "%s: the compiler's output cannot be written there", object[i]);
  return tn_cpu_compile_batch(t, b);
}

// The same sources as assembly, into the log.
static tiny_code tn_cpu_disassemble(tiny_ctx *t, void *arg) {
  const tn_cpu_batch *b = (const tn_cpu_batch *)arg;
  const char *argv[TN_CPU_FLAGS];
  tn_cpu_arguments(b->c, "-S", "-", argv);
  for (int i = 0; i < b->n; i++) {
    tn_job job;
    memset(&job, 0, sizeof job);
    job.argv = argv; job.input = b->source[i]; job.input_nbytes = strlen(b->source[i]);
    if (tn_process_run(t, &job, 1, 1) == TINY_OK && job.out.n) tn_log_text(t, job.out.data);
  }
  return TINY_OK;
}

static tiny_code tn_cpu_compile(void *dev, int n, const char *const *source,
                                tiny_bytes *binary, tiny_bytes *log) {
  tn_cpu *c = (tn_cpu *)dev;
  tn_cpu_batch b = { c, n, source, binary, log, NULL, NULL };
  if (!c->compiler[0])
    return tiny_fail(c->t, TINY_E_COMPILE, "no C compiler was found: install clang, or name one in $TINY_CC");
  if (n < 1) return TINY_OK;
  if (tn_debug(c->t, 'd')) tn_guard(c->t, tn_cpu_disassemble, &b);
  return tn_process_protect(c->t, tn_cpu_prepare, tn_cpu_remove_objects, &b);
}

// ** the device **

// What clang takes, compiler, its age and its flags: objects of another machine or compiler are never taken
// for ours.
static void tn_cpu_describe(tn_cpu *c) {
  const char *argv[TN_CPU_FLAGS];
  tn_os_facts file = { 0, 0 };
  uint64_t flags = 0;
  tn_os_file(c->compiler, &file);
  tn_cpu_arguments(c, "-c", "-", argv);
  for (int i = 1; argv[i]; i++) flags = tn_hash_bytes(flags, argv[i], strlen(argv[i]));
  snprintf(c->target, sizeof c->target, "%s %s %llx %llx flags %016llx", c->facts.name,
           c->compiler[0] ? c->compiler : "(no compiler)", (unsigned long long)file.nbytes,
           (unsigned long long)file.changed, (unsigned long long)flags);
}

static void *tn_cpu_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  if (which && *which && strcmp(which, "0")) {
    tiny_fail(t, TINY_E_DEVICE, "CPU: there is one, not '%.100s'", which);
    return NULL;
  }
  tn_cpu *c = (tn_cpu *)tn_alloc(t, sizeof *c);
  if (!c) return NULL;
  c->t = t;
  c->facts = tn_os_cpu_get();
  c->cores = tn_os_cores();
  tn_cpu_find_compiler(c);
  tn_cpu_describe(c);
  memset(limits, 0, sizeof *limits);
  limits->host_memory = limits->threads = 1;
  limits->vector_nbytes = c->facts.vector_nbytes;
  limits->vector_registers = c->facts.vector_registers;
  limits->cache_nbytes = c->facts.l2_nbytes;
  return c;
}
static void tn_cpu_close(void *dev) { tn_release(((tn_cpu *)dev)->t, dev, sizeof(tn_cpu)); }
static const char *tn_cpu_target(void *dev) { return ((tn_cpu *)dev)->target; }
static void tn_cpu_language(void *dev, tiny_language *out) { (void)dev; tn_lang_c(out); }

// ** memory **

// Big buffers get huge pages, unless the host brought an allocator: then every byte is asked of it.
static int tn_cpu_paged(const tiny_ctx *t, size_t nbytes) {
  return nbytes >= TN_CPU_HUGE && t->alloc.fn == tn_default_alloc;
}

// The byte before an aligned block tells how far it was moved.
static void *tn_cpu_aligned_alloc(tiny_ctx *t, size_t nbytes) {
  if (nbytes > (size_t)-1 - TN_OS_HUGE) return NULL;
  if (tn_cpu_paged(t, nbytes)) return tn_os_pages_alloc(nbytes);
  char *p = (char *)t->alloc.fn(t->alloc.user, NULL, 0, nbytes + TN_CPU_ALIGN);
  if (!p) return NULL;
  const size_t moved = TN_CPU_ALIGN - ((uintptr_t)p & (TN_CPU_ALIGN - 1));
  p[moved - 1] = (char)moved;
  return p + moved;
}
static void tn_cpu_aligned_free(tiny_ctx *t, void *mem, size_t nbytes) {
  if (!mem) return;
  if (tn_cpu_paged(t, nbytes)) { tn_os_pages_free(mem, nbytes); return; }
  char *p = (char *)mem;
  t->alloc.fn(t->alloc.user, p - p[-1], nbytes + TN_CPU_ALIGN, 0);
}

static void *tn_cpu_alloc(void *dev, size_t nbytes) {
  return tn_cpu_aligned_alloc(((tn_cpu *)dev)->t, nbytes);
}
static void tn_cpu_free(void *dev, void *mem, size_t nbytes) {
  tn_cpu_aligned_free(((tn_cpu *)dev)->t, mem, nbytes);
}
static tiny_code tn_cpu_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  (void)dev;
  if (nbytes) memcpy((char *)dst.base + dst.offset, src, nbytes);
  return TINY_OK;
}
static tiny_code tn_cpu_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  (void)dev;
  if (nbytes) memcpy(dst, (const char *)src.base + src.offset, nbytes);
  return TINY_OK;
}

// ** modules and launches **

// What compiled kernels may call: clang makes calls of the first four by itself, the others come from the
// language.
#define TN_CPU_F1(name) { #name, (void (*)(void))(double (*)(double))name }, \
                        { #name "f", (void (*)(void))(float (*)(float))name##f }
#define TN_CPU_F2(name) { #name, (void (*)(void))(double (*)(double, double))name }, \
                        { #name "f", (void (*)(void))(float (*)(float, float))name##f }
#define TN_CPU_F3(name) { #name, (void (*)(void))(double (*)(double, double, double))name }, \
                        { #name "f", (void (*)(void))(float (*)(float, float, float))name##f }
static void *tn_cpu_load(void *dev, const void *binary, size_t nbytes) {
  static const tn_elf_name names[] = {
    { "memcpy", (void (*)(void))memcpy }, { "memmove", (void (*)(void))memmove },
    { "memset", (void (*)(void))memset }, { "memcmp", (void (*)(void))memcmp },
    TN_CPU_F1(exp2), TN_CPU_F1(exp), TN_CPU_F1(log2), TN_CPU_F1(log), TN_CPU_F1(sin), TN_CPU_F1(cos),
    TN_CPU_F1(sqrt), TN_CPU_F1(trunc), TN_CPU_F1(floor), TN_CPU_F1(ceil), TN_CPU_F1(rint), TN_CPU_F1(round),
    TN_CPU_F1(nearbyint), TN_CPU_F2(fmod), TN_CPU_F2(pow), TN_CPU_F2(fmin), TN_CPU_F2(fmax), TN_CPU_F3(fma)
  };
  tn_cpu *c = (tn_cpu *)dev;
  tn_elf *image;
  tn_elf_load(c->t, binary, nbytes, TN_CPU_MACHINE, names, (int)(sizeof names / sizeof *names), &image);
  return image;
}
#undef TN_CPU_F1
#undef TN_CPU_F2
#undef TN_CPU_F3
static void tn_cpu_unload(void *dev, void *module) { tn_elf_unload(((tn_cpu *)dev)->t, (tn_elf *)module); }
static void *tn_cpu_find(void *dev, void *module, const char *kernel) {
  (void)dev;
  return tn_elf_symbol((const tn_elf *)module, kernel);
}

typedef struct tn_cpu_call { tn_cpu_kernel kernel; void *const *mem; const long long *args; } tn_cpu_call;
static void tn_cpu_task(void *arg, int i) {
  const tn_cpu_call *call = (const tn_cpu_call *)arg;
  call->kernel(call->mem, call->args, i);
}

static tiny_code tn_cpu_launch(void *dev, void *kernel, const tiny_launch *l) {
  tiny_ctx *t = ((tn_cpu *)dev)->t;
  void *few[TN_CPU_PARAMS], **mem = few;
  tn_cpu_call call;
  if (l->tasks > INT_MAX)
    return tiny_fail(t, TINY_E_DEVICE, "CPU: %lld tasks are too many", (long long)l->tasks);
  const size_t nbytes = (size_t)l->nmem * sizeof *mem;
  if (l->nmem > TN_CPU_PARAMS) mem = (void **)t->alloc.fn(t->alloc.user, NULL, 0, nbytes);
  if (!mem) return tiny_fail(t, TINY_E_MEMORY, "CPU: no memory to launch a kernel of %d parameters", l->nmem);
  for (int i = 0; i < l->nmem; i++) mem[i] = (char *)l->mem[i].base + l->mem[i].offset;
  memcpy(&call.kernel, &kernel, sizeof kernel);
  call.mem = mem; call.args = (const long long *)(const void *)l->args;
  tiny_parallel(t, l->tasks < 1 ? 1 : (int)l->tasks, tn_cpu_task, &call);
  if (mem != few) tn_release(t, mem, nbytes);
  return TINY_OK;
}
static tiny_code tn_cpu_sync(void *dev) { (void)dev; return TINY_OK; }

static const tiny_backend tn_cpu_backend = {
  "CPU", tn_cpu_open, tn_cpu_close, tn_cpu_target, tn_cpu_language,
  tn_cpu_alloc, tn_cpu_free, tn_cpu_copy_in, tn_cpu_copy_out, tn_cpu_compile,
  tn_cpu_load, NULL, tn_cpu_unload, tn_cpu_find, tn_cpu_launch, tn_cpu_sync
};
#endif
// ---- end src/runtime/cpu.c ----
#ifndef TINY_NO_INTERP
// ---- begin src/runtime/interp.c ----
// interp: the backend INTERP. Its kernels are linear programs, its instructions those of the reference
// interpreter, its memory the host's. It is the fallback where no compiler exists, and what every other
// backend is compared with.
//
// A module is a decoded program in one block that refers to no node of the IR: nothing has to be kept alive
// for it.
#ifndef TN_RUNTIME_INTERP
#define TN_RUNTIME_INTERP
#ifndef TINY_AMALGAMATED
#include "../ir/eval.c"
#endif

static void *tn_interp_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  (void)which;
  limits->host_memory = 1;
  limits->shared_nbytes = 32 * 1024;
  for (int d = 0; d < 3; d++) limits->local_max[d] = 256;
  limits->local_total = 256;               // lockstep over many work items spreads the cost of an instruction
  return t;                                // the device is the context
}
static void tn_interp_close(void *dev) { (void)dev; }
static const char *tn_interp_target(void *dev) { (void)dev; return "interp"; }

static void *tn_interp_alloc(void *dev, size_t nbytes) {
  tiny_ctx *t = (tiny_ctx *)dev;
  return t->alloc.fn(t->alloc.user, NULL, 0, nbytes ? nbytes : 1);
}
static void tn_interp_free(void *dev, void *mem, size_t nbytes) {
  tiny_ctx *t = (tiny_ctx *)dev;
  if (mem) t->alloc.fn(t->alloc.user, mem, nbytes ? nbytes : 1, 0);
}
static tiny_code tn_interp_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  (void)dev;
  if (nbytes) memcpy((char *)dst.base + dst.offset, src, nbytes);
  return TINY_OK;
}
static tiny_code tn_interp_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  (void)dev;
  if (nbytes) memcpy(dst, (const char *)src.base + src.offset, nbytes);
  return TINY_OK;
}

typedef struct tn_interp_load_call {
  tiny_uop *const *list; int n; tn_eval_code *module;
} tn_interp_load_call;
static tiny_code tn_interp_load_guarded(tiny_ctx *t, void *arg) {
  tn_interp_load_call *call = (tn_interp_load_call *)arg;
  tn_eval_code c;
  tn_eval_arg last;
  const tiny_code code = tn_eval_decode(t, call->list, call->n, 0, &c, &last);
  if (code == TINY_OK) call->module = tn_eval_copy(t, &c);
  return code;
}
static void *tn_interp_load_uops(void *dev, tiny_uop *const *list, int n) {
  tn_interp_load_call call = {list, n, NULL};
  return tn_guard((tiny_ctx *)dev, tn_interp_load_guarded, &call) == TINY_OK ? call.module : NULL;
}
static void tn_interp_unload(void *dev, void *module) {
  if (module) tn_release((tiny_ctx *)dev, module, ((tn_eval_code *)module)->nbytes);
}
static void *tn_interp_find(void *dev, void *module, const char *kernel) {
  (void)dev;
  (void)kernel;
  return module;
}

static tiny_code tn_interp_launch(void *dev, void *kernel, const tiny_launch *l) {
  return tn_eval_launch((tiny_ctx *)dev, (const tn_eval_code *)kernel, l);
}
static tiny_code tn_interp_sync(void *dev) { (void)dev; return TINY_OK; }

static const tiny_backend tn_interp_backend = {
  "INTERP", tn_interp_open, tn_interp_close, tn_interp_target, NULL, tn_interp_alloc, tn_interp_free,
    tn_interp_copy_in, tn_interp_copy_out,
  NULL, NULL, tn_interp_load_uops, tn_interp_unload, tn_interp_find, tn_interp_launch, tn_interp_sync
};
#endif
// ---- end src/runtime/interp.c ----
#endif
// ---- begin src/runtime/null.c ----
// null: a device on which everything succeeds and nothing runs: the whole stack above it works on any
// machine, and its own cost can be measured. Memory is the host's and zero, so reading gives zeros;
// "compiled" kernels are their sources.
#ifndef TN_RUNTIME_NULL
#define TN_RUNTIME_NULL
#ifndef TINY_AMALGAMATED
#include "cpu.c"
#endif

static void *tn_null_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  (void)which;
  memset(limits, 0, sizeof *limits);
  limits->host_memory = limits->threads = 1;
  limits->vector_nbytes = limits->vector_registers = 32;
  limits->cache_nbytes = (size_t)1 << 20;
  return t;                                // the device is the context: there is nothing to remember
}
static void tn_null_close(void *dev) { (void)dev; }
static const char *tn_null_target(void *dev) { (void)dev; return "null"; }
static void tn_null_language(void *dev, tiny_language *out) { (void)dev; tn_lang_c(out); }
static void *tn_null_alloc(void *dev, size_t nbytes) {
  void *p = tn_cpu_aligned_alloc((tiny_ctx *)dev, nbytes);
  return p ? memset(p, 0, nbytes) : NULL;
}
static void tn_null_free(void *dev, void *mem, size_t nbytes) {
  tn_cpu_aligned_free((tiny_ctx *)dev, mem, nbytes);
}
static tiny_code tn_null_compile(void *dev, int n, const char *const *source,
                                 tiny_bytes *binary, tiny_bytes *log) {
  (void)dev; (void)log;
  for (int i = 0; i < n; i++) tiny_bytes_add(&binary[i], source[i], strlen(source[i]));
  return TINY_OK;
}
static void *tn_null_load(void *dev, const void *binary, size_t nbytes) {
  (void)binary; (void)nbytes;
  return dev;
}
static void tn_null_unload(void *dev, void *module) { (void)dev; (void)module; }
static void *tn_null_find(void *dev, void *module, const char *kernel) {
  (void)module; (void)kernel;
  return dev;
}
static tiny_code tn_null_launch(void *dev, void *kernel, const tiny_launch *l) {
  (void)dev; (void)kernel; (void)l;
  return TINY_OK;
}

static const tiny_backend tn_null_backend = {
  "NULL", tn_null_open, tn_null_close, tn_null_target, tn_null_language,
  tn_null_alloc, tn_null_free, tn_cpu_copy_in, tn_cpu_copy_out, tn_null_compile,
  tn_null_load, NULL, tn_null_unload, tn_null_find, tn_null_launch, tn_cpu_sync
};
#endif
// ---- end src/runtime/null.c ----
// ---- begin src/runtime/device.c ----
// device: which backend a context runs on, and the memory of its buffers.
//
// Storage is what BUFFER nodes point to; several nodes share one when assignment makes new states of it. Freed memory
// is kept by size and taken again, and given back when the device or the cap is short.
#ifndef TN_RUNTIME_DEVICE
#define TN_RUNTIME_DEVICE
#ifndef TINY_AMALGAMATED
#include "null.c"
#include "interp.c"
#include "../render/cstyle.c"
#endif

typedef struct tn_storage {
  struct tn_storage *prev, *next;          // all of the context, or the spares of a size class
  void *mem; size_t nbytes;                // nbytes as allocated: a size class
  int refs, borrowed;                      // borrowed: caller's memory
  int loose;                               // the only reference is that of the call that made it
} tn_storage;

enum { TN_SIZE_CLASSES = 256 };
struct tn_device {
  const tiny_backend *backend; void *dev;
  tiny_limits limits; tiny_language lang; char name[64];
  tn_storage *live, *loose, *spare[TN_SIZE_CLASSES];   // loose: not owned by nodes yet
  size_t spare_nbytes, collected_nbytes;   // kept for later; live after the last collection
};

// Four size classes for each power of two, from 256 bytes.
static size_t tn_size_class(size_t nbytes, int *number) {
  size_t step = 64;
  int n = 0;
  while (step * 8 < nbytes) { step *= 2; n += 4; }
  const size_t quarter = nbytes <= step * 4 ? 0 : (nbytes - step * 4 + step - 1) / step;
  *number = n + (int)quarter;
  return step * (4 + quarter);
}

static void tn_storage_unlink(tn_storage **list, tn_storage *s) {
  if (s->prev) s->prev->next = s->next; else *list = s->next;
  if (s->next) s->next->prev = s->prev;
}
static void tn_storage_link(tn_storage **list, tn_storage *s) {
  s->prev = NULL; s->next = *list;
  if (*list) (*list)->prev = s;
  *list = s;
}

static void tn_storage_give_back(tiny_ctx *t) {
  struct tn_device *d = t->device;
  for (int c = 0; c < TN_SIZE_CLASSES; c++) while (d->spare[c]) {
    tn_storage *s = d->spare[c];
    tn_storage_unlink(&d->spare[c], s);
    d->backend->free(d->dev, s->mem, s->nbytes);
    tn_release(t, s, sizeof *s);
  }
  d->spare_nbytes = 0;
}

static tn_storage *tn_storage_new(tiny_ctx *t, size_t nbytes) {
  struct tn_device *d = t->device;
  int c;
  const size_t rounded = tn_size_class(nbytes ? nbytes : 1, &c);
  tn_storage *s = d->spare[c];
  if (s) { tn_storage_unlink(&d->spare[c], s); d->spare_nbytes -= rounded; }
  else {
    if (t->max_nbytes && t->stats.nbytes_live + d->spare_nbytes + rounded > t->max_nbytes)
      tn_storage_give_back(t);
    if (t->max_nbytes && t->stats.nbytes_live + rounded > t->max_nbytes) {
      tiny_fail(t, TINY_E_MEMORY, "buffers: %llu bytes live and %llu wanted, more than max_nbytes %llu",
                (unsigned long long)t->stats.nbytes_live, (unsigned long long)rounded,
                (unsigned long long)t->max_nbytes);
      return NULL;
    }
    s = (tn_storage *)tn_alloc(t, sizeof *s);
    if (!s) return NULL;
    s->mem = d->backend->alloc(d->dev, rounded);
    if (!s->mem) { tn_storage_give_back(t); s->mem = d->backend->alloc(d->dev, rounded); }
    if (!s->mem) {
      tn_release(t, s, sizeof *s);
      tiny_fail(t, TINY_E_MEMORY, "buffers: %s has no %llu bytes left", d->name, (unsigned long long)rounded);
      return NULL;
    }
    s->nbytes = rounded;
  }
  s->refs = s->loose = 1;
  tn_storage_link(&d->loose, s);
  t->stats.nbytes_live += rounded;
  if (t->stats.nbytes_live > t->stats.nbytes_peak) t->stats.nbytes_peak = t->stats.nbytes_live;
  return s;
}

static void tn_storage_drop(tiny_ctx *t, tn_storage *s) {
  struct tn_device *d = t->device;
  if (!s || --s->refs) return;
  tn_storage_unlink(s->loose ? &d->loose : &d->live, s);
  s->loose = 0;
  if (s->borrowed) { tn_release(t, s, sizeof *s); return; }
  int c;
  tn_size_class(s->nbytes, &c);
  t->stats.nbytes_live -= s->nbytes;
  d->spare_nbytes += s->nbytes;
  tn_storage_link(&d->spare[c], s);
}
// What a call that ran out of memory has left behind, or no longer needs.
static void tn_storage_drop_loose(tiny_ctx *t) {
  while (t->device->loose) tn_storage_drop(t, t->device->loose);
}
static void tn_storage_release(tiny_ctx *t, void *storage) { tn_storage_drop(t, (tn_storage *)storage); }

// A BUFFER node over storage, which it owns a reference of: that of the call that made the storage, or one more.
static tiny_uop *tn_buffer_node(tiny_ctx *t, tn_storage *s, int dtype, int64_t nelem) {
  struct tn_device *d = t->device;
  tiny_uop *u = tn_uop_make_with(t, TINY_OP_BUFFER, dtype, 1, 0, NULL, ++t->ir->serial, 1, &nelem, s);
  if (u == &t->ir->bad) { if (s->loose) tn_storage_drop(t, s); return u; }
  if (!s->loose) { s->refs++; return u; }
  tn_storage_unlink(&d->loose, s);
  tn_storage_link(&d->live, s);
  s->loose = 0;
  return u;
}

// ** choosing a device **

// tn_fallback runs the kernels of the CPU where there is no compiler.
#ifdef TINY_NO_INTERP
enum { TN_HAS_FALLBACK = 0 };
static const tiny_backend *const tn_fallback = NULL;
static const tiny_backend *const tn_backends[] = {&tn_cpu_backend, &tn_null_backend};
#else
enum { TN_HAS_FALLBACK = 1 };
static const tiny_backend *const tn_fallback = &tn_interp_backend;
static const tiny_backend *const tn_backends[] = {&tn_cpu_backend, &tn_interp_backend, &tn_null_backend};
#endif
enum { TN_BACKENDS = sizeof tn_backends / sizeof *tn_backends };

static const tiny_backend *tn_backend_find(const tiny_desc *d, const char *name, size_t n) {
  for (int i = 0; d && i < 8; i++)
    if (d->backends[i] && strlen(d->backends[i]->name) == n && !strncmp(d->backends[i]->name, name, n))
      return d->backends[i];
  for (int i = 0; i < TN_BACKENDS; i++)
    if (strlen(tn_backends[i]->name) == n && !strncmp(tn_backends[i]->name, name, n)) return tn_backends[i];
  return NULL;
}

static tiny_code tn_device_try(tiny_ctx *t, const tiny_backend *b, const char *which) {
  struct tn_device *d = t->device;
  memset(&d->limits, 0, sizeof d->limits);
  d->backend = b;
  d->dev = b->open(t, which, &d->limits);
  if (!d->dev) return tiny_fail(t, TINY_E_DEVICE, "device %s could not be opened", b->name);
  snprintf(d->name, sizeof d->name, "%s%s%s", b->name, *which ? ":" : "", which);
  if (b->language) b->language(d->dev, &d->lang);
  return TINY_OK;
}

static void tn_device_names(const tiny_desc *d, char *out, size_t nbytes) {
  size_t at = 0;
  for (int i = 0; i < 8 + TN_BACKENDS; i++) {
    const tiny_backend *b = i >= 8 ? tn_backends[i - 8] : d ? d->backends[i] : NULL;
    if (b && at < nbytes) at += (size_t)snprintf(out + at, nbytes - at, "%s%s", at ? ", " : "", b->name);
  }
}

static tiny_code tn_device_open(tiny_ctx *t, const tiny_desc *desc) {
  const char *name = desc && desc->device ? desc->device : tn_os_env("TINY_DEV");
  t->device = (struct tn_device *)tn_alloc(t, sizeof *t->device);
  if (!t->device) return TINY_E_MEMORY;
  t->ir->release = tn_storage_release;
  if (!name || !*name) {
    for (int i = 0; desc && i < 8; i++) {
      if (!desc->backends[i] || tn_device_try(t, desc->backends[i], "") == TINY_OK) {
        if (t->device->dev) return TINY_OK;
        continue;
      }
      t->code = TINY_OK;                   // the next one may do
    }
    return tn_device_try(t, &tn_cpu_backend, "");
  }
  const char *colon = strchr(name, ':');
  const tiny_backend *b = tn_backend_find(desc, name, colon ? (size_t)(colon - name) : strlen(name));
  if (b) return tn_device_try(t, b, colon ? colon + 1 : "");
  char names[256];
  tn_device_names(desc, names, sizeof names);
  return tiny_fail(t, TINY_E_DEVICE, "there is no device %s; there are: %s", name, names);
}

static void tn_device_close(tiny_ctx *t) {
  struct tn_device *d = t->device;
  if (!d) return;
  if (d->dev) { tn_storage_drop_loose(t); tn_storage_give_back(t); d->backend->close(d->dev); }
  tn_release(t, d, sizeof *d);
  t->device = NULL;
}

TINY_API const char *tiny_device(const tiny_ctx *t) { return t && t->device ? t->device->name : ""; }
#endif
// ---- end src/runtime/device.c ----
// ---- begin src/runtime/program.c ----
// program: kernels -> executables: lowered, rendered, compiled in few processes, found again in memory and on disk.
//
// In memory an executable is known by the structural hash of its kernel. On disk it is known by a hash of its text, the
// device's target and this library's version: KEY.kernel names a module and an entry, MODULE.bin holds the binary; both
// carry lengths and checksums, and anything that does not fit is compiled anew. Many kernels share one module.
#ifndef TN_RUNTIME_PROGRAM
#define TN_RUNTIME_PROGRAM
#ifndef TINY_AMALGAMATED
#include "device.c"
#include "../ir/spec.c"
#endif

enum { TN_KERNEL_NAME = 64, TN_MAX_BINARY = 64 << 20, TN_EXECUTABLE_BUCKETS = 512, TN_PROGRESS_AT = 8,
  TN_LOWER_SERIAL = 1 << 20 };

typedef struct tn_module { struct tn_module *next; uint64_t key; void *handle; } tn_module;

typedef struct tn_executable {
  struct tn_executable *next;
  uint64_t key;                            // of the kernel
  void *kernel;                            // the backend's
  char name[TN_KERNEL_NAME];
  int64_t global[3], local[3], tasks;
  double flops, nbytes;
  int runs_on_host;                        // 1: interpreted although the device compiles (no compiler was found)
} tn_executable;

struct tn_programs {
  tn_executable *bucket[TN_EXECUTABLE_BUCKETS];
  tn_module *modules;
  char dir[TN_OS_PATH];                    // "": keep nothing on disk
  int interpret, said;                     // no compiler: everything is interpreted
};

// A kernel on its way to an executable.
typedef struct tn_build {
  tiny_uop *ast; const char *custom, *entry;   // ast, or foreign source with its entry
  uint64_t key, text_key;
  tn_lowered low; const char *text;
  char name[TN_KERNEL_NAME];
  tn_executable *exe;
} tn_build;

static tiny_code tn_programs_open(tiny_ctx *t, const tiny_desc *d) {
  t->programs = (struct tn_programs *)tn_alloc(t, sizeof *t->programs);
  if (!t->programs) return TINY_E_MEMORY;
  const char *dir = d && d->cache_dir ? d->cache_dir : getenv("TINY_CACHE");    // "" says something, too
  if (dir) snprintf(t->programs->dir, sizeof t->programs->dir, "%s", dir);
  else if (!tn_os_cache_dir(t->programs->dir, sizeof t->programs->dir)) t->programs->dir[0] = 0;
  return TINY_OK;
}

static void tn_programs_close(tiny_ctx *t) {
  struct tn_programs *p = t->programs;
  if (!p) return;
  for (int i = 0; i < TN_EXECUTABLE_BUCKETS; i++) while (p->bucket[i]) {
    tn_executable *e = p->bucket[i];
    p->bucket[i] = e->next;
    if (e->runs_on_host && e->kernel) tn_fallback->unload(t, e->kernel);
    tn_release(t, e, sizeof *e);
  }
  while (p->modules) {
    tn_module *m = p->modules;
    p->modules = m->next;
    if (m->handle) t->device->backend->unload(t->device->dev, m->handle);
    tn_release(t, m, sizeof *m);
  }
  tn_release(t, p, sizeof *p);
  t->programs = NULL;
}

static tn_executable *tn_executable_find(tiny_ctx *t, uint64_t key) {
  for (tn_executable *e = t->programs->bucket[key % TN_EXECUTABLE_BUCKETS]; e; e = e->next)
    if (e->key == key && e->kernel) return e;
  return NULL;
}

// ** lowering **

// r_ for reductions, E_ for elementwise; then the extents of the loops, and of what is reduced.
static void tn_kernel_name(tiny_ctx *t, tn_build *b) {
  tn_profile p;
  tn_profile_kernel(t, b->ast, &p);
  size_t at = (size_t)snprintf(b->name, sizeof b->name, "%s", p.nreduce ? "r" : "E");
  for (int i = 0; i < p.nout + p.nred && at < 40; i++)
    at += (size_t)snprintf(b->name + at, sizeof b->name - at, "_%lld",
                           (long long)tn_range_extent(i < p.nout ? p.out[i] : p.red[i - p.nout]));
  snprintf(b->name + at, sizeof b->name - at, "_%08x", (unsigned)(b->key ^ b->key >> 32));
}

// Floating-point and integer operations, and bytes of the buffers touched, of one launch.
static void tn_estimate(tn_lowered *k) {
  double times = 1, stack[72];
  int depth = 0;
  for (int d = 0; d < 3; d++) times *= (double)(k->global[d] * k->local[d]);
  for (int i = 0; i < k->n; i++) {
    const tiny_uop *u = k->list[i];
    if (u->op == TINY_OP_RANGE && depth < 72) { stack[depth++] = times; times *= (double)u->src[0]->vmax; }
    else if (u->op == TINY_OP_END && depth) times = stack[--depth];
    else if (tn_op_is(u->op, TINY_ALU) && tn_is_float(u->dtype) && u->op != TINY_OP_WHERE)
      k->flops += times * u->lanes;
    else if (u->op == TINY_OP_HREDUCE) k->flops += times * u->src[0]->lanes;
    else if (u->op == TINY_OP_PARAM) k->nbytes += (double)u->v[0] * tn_dtypes[u->dtype].nbytes;
  }
}

static tiny_code tn_build_lower(tiny_ctx *t, tn_build *b) {
  const struct tn_device *d = t->device;
  const int interpret = !d->backend->language || t->programs->interpret;
  const tn_target target = {interpret ? NULL : &d->lang, &d->limits};
  const uint64_t from = tn_os_now();
  const int64_t serial = t->ir->serial;
  tn_trace_pass(t, "schedule", b->ast);
  if (tn_verify(t, b->ast, TN_SPEC_KERNEL) != TINY_OK) return t->code;
  t->ir->serial = TN_LOWER_SERIAL;         // ids do not tell when a kernel is lowered: its text is always the same
  tiny_uop *sink = tn_rewrite(t, b->ast, tn_rules_reduce, NULL);
  sink = tn_simplify(t, tn_rewrite(t, sink, tn_rules_gate, NULL));
  if (!tn_debug(t, '0')) sink = tn_optimize(t, sink, &target);
  tn_trace_pass(t, "moves", sink);
  sink = tn_lower(t, sink, &target, &b->low);
  t->ir->serial = serial;
  if (t->code != TINY_OK || tn_linearize(t, sink, &b->low) != TINY_OK) return t->code;
  if (tn_verify_list(t, b->low.list, b->low.n) != TINY_OK) return t->code;
  tn_trace_list(t, &b->low);
  tn_estimate(&b->low);
  if (!interpret) b->text = tn_render(t, &d->lang, b->name, &b->low);
  t->stats.lower_ns += tn_os_now() - from;
  return t->code;
}

// ** disk **

typedef struct tn_file_head { char magic[8]; uint64_t key, nbytes, sum; } tn_file_head;
static const char tn_file_magic[8] = {'t', 'i', 'n', 'y', 'k', '0', '0', '1'};

static int tn_cache_path(tiny_ctx *t, uint64_t key, const char *suffix, char *out, size_t nbytes) {
  if (!t->programs->dir[0]) return 0;
  const int n = snprintf(out, nbytes, "%s/%016llx.%s", t->programs->dir, (unsigned long long)key, suffix);
  return n > 0 && (size_t)n < nbytes;
}

// The payload of a cache file into out; 0 when it is missing or not what was written.
static int tn_cache_read(tiny_ctx *t, uint64_t key, const char *suffix, tiny_bytes *out) {
  char path[TN_OS_PATH + 32];
  tn_file_head head;
  tiny_bytes raw = {t, NULL, 0, 0};
  if (!tn_cache_path(t, key, suffix, path, sizeof path) || !tn_os_read_file(path, TN_MAX_BINARY, &raw) ||
      raw.n < sizeof head)
    return 0;
  memcpy(&head, raw.data, sizeof head);
  const char *data = raw.data + sizeof head;
  if (memcmp(head.magic, tn_file_magic, sizeof head.magic) || head.key != key ||
      head.nbytes != raw.n - sizeof head || head.sum != tn_hash_bytes(key, data, raw.n - sizeof head))
    return 0;
  tiny_bytes_add(out, data, raw.n - sizeof head);
  return 1;
}

static void tn_cache_write(tiny_ctx *t, uint64_t key, const char *suffix, const void *data, size_t nbytes) {
  char path[TN_OS_PATH + 32];
  tn_file_head head;
  tiny_bytes raw = {t, NULL, 0, 0};
  if (!tn_cache_path(t, key, suffix, path, sizeof path)) return;
  memcpy(head.magic, tn_file_magic, sizeof head.magic);
  head.key = key; head.nbytes = nbytes; head.sum = tn_hash_bytes(key, data, nbytes);
  tiny_bytes_add(&raw, &head, sizeof head);
  tiny_bytes_add(&raw, data, nbytes);
  // No use trying again.
  if (!tn_os_make_dirs(t->programs->dir) || !tn_os_write_file(path, raw.data, raw.n)) t->programs->dir[0] = 0;
}

// ** modules **

static void *tn_module_loaded(tiny_ctx *t, uint64_t key) {
  for (tn_module *m = t->programs->modules; m; m = m->next) if (m->key == key) return m->handle;
  return NULL;
}

static void *tn_module_load(tiny_ctx *t, uint64_t key, const void *binary, size_t nbytes) {
  tn_module *m = (tn_module *)tn_alloc(t, sizeof *m);
  m->next = t->programs->modules;          // linked first: load may run out of memory and unwind
  t->programs->modules = m;
  m->handle = t->device->backend->load(t->device->dev, binary, nbytes);
  if (m->handle) m->key = key;
  return m->handle;
}

static tn_executable *tn_executable_new(tiny_ctx *t, const tn_build *b, void *kernel, int on_host) {
  tn_executable *e = (tn_executable *)tn_alloc(t, sizeof *e),
                **slot = &t->programs->bucket[b->key % TN_EXECUTABLE_BUCKETS];
  if (!e) return NULL;
  memcpy(e->name, b->name, sizeof e->name);
  memcpy(e->global, b->low.global, sizeof e->global);
  memcpy(e->local, b->low.local, sizeof e->local);
  e->key = b->key;
  e->kernel = kernel;
  e->tasks = b->low.tasks;
  e->flops = b->low.flops;
  e->nbytes = b->low.nbytes;
  e->runs_on_host = on_host;
  e->next = *slot;
  return *slot = e;
}

static void tn_build_take(tiny_ctx *t, tn_build *b, void *module) {
  void *kernel = t->device->backend->find(t->device->dev, module, b->entry ? b->entry : b->name);
  if (kernel) b->exe = tn_executable_new(t, b, kernel, 0);
}

typedef struct tn_cache_entry { uint64_t module; char name[TN_KERNEL_NAME]; } tn_cache_entry;

static void tn_build_from_disk(tiny_ctx *t, tn_build *b) {
  tiny_bytes entry = {t, NULL, 0, 0}, binary = {t, NULL, 0, 0};
  tn_cache_entry e;
  if (tn_debug(t, 'c') || tn_debug(t, 'd')) return;        // every kernel is to be seen: compile it anew
  if (!tn_cache_read(t, b->text_key, "kernel", &entry) || entry.n != sizeof e) return;
  memcpy(&e, entry.data, sizeof e);
  void *module = tn_module_loaded(t, e.module);
  if (!module && tn_cache_read(t, e.module, "bin", &binary)) {
    const tiny_code before = t->code;
    module = tn_module_load(t, e.module, binary.data, binary.n);
    if (!module && before == TINY_OK) t->code = TINY_OK;   // a bad file is as good as none
  }
  if (!module) return;
  tn_build_take(t, b, module);
  t->stats.cache_hits += b->exe != NULL;
}

static uint64_t tn_text_key(tiny_ctx *t, const char *text) {
  const char *target = t->device->backend->target ? t->device->backend->target(t->device->dev) : "";
  uint64_t h = tn_hash_bytes(0, TINY_VERSION, sizeof TINY_VERSION);
  h = tn_hash_bytes(h, t->device->backend->name, strlen(t->device->backend->name));
  h = tn_hash_bytes(h, target, strlen(target));
  return tn_hash_bytes(h, text, strlen(text));
}

// The text of a module: prelude and kernels. Foreign source stands alone.
static const char *tn_module_text(tiny_ctx *t, tn_build *const *b, int n) {
  tiny_bytes text = {t, NULL, 0, 0};
  uint64_t lanes = 0;
  if (n == 1 && b[0]->custom) return b[0]->custom;
  for (int i = 0; i < n; i++) lanes |= tn_render_lanes(&b[i]->low);
  tn_render_prelude(&text, &t->device->lang, lanes);
  for (int i = 0; i < n; i++) tn_text_add(&text, "%s", b[i]->text);
  return text.data;
}

static void tn_say_compiler_missing(tiny_ctx *t) {
  if (t->programs->said++) return;
  tn_log(t, "tiny: no C compiler was found; kernels are interpreted, which is slow. "
            "Install clang (apt install clang, brew install llvm) or set TINY_CC.");
}

static tiny_code tn_build_interpret(tiny_ctx *t, tn_build *b) {
  struct tn_device *d = t->device;
  const int on_host = d->backend->language != NULL;
  b->exe = tn_executable_new(t, b, NULL, on_host);
  if (on_host) b->exe->kernel = tn_fallback->load_uops(t, b->low.list, b->low.n);
  else {
    tn_module *m = (tn_module *)tn_alloc(t, sizeof *m);
    m->next = t->programs->modules;
    t->programs->modules = m;
    m->handle = d->backend->load_uops(d->dev, b->low.list, b->low.n);
    if (m->handle) b->exe->kernel = d->backend->find(d->dev, m->handle, b->name);
  }
  return b->exe->kernel ? TINY_OK : tiny_fail(t, TINY_E_COMPILE, "kernel %s could not be loaded", b->name);
}

// Orders the builds so that module m holds b[first[m]] to b[first[m + 1] - 1] and all modules compile in about the
// same time: the longest texts first, each to the module that has the least so far.
static void tn_build_deal(tiny_ctx *t, tn_build **b, int n, int modules, int *first) {
  size_t *nbytes = (size_t *)tn_scratch(t, (size_t)n * sizeof *nbytes);
  size_t *load = (size_t *)tn_scratch(t, (size_t)modules * sizeof *load);
  int *of = (int *)tn_scratch(t, (size_t)n * sizeof *of), at = 0;
  tn_build **sorted = (tn_build **)tn_scratch(t, (size_t)n * sizeof *sorted);
  for (int i = 0; i < n; i++) {
    const size_t length = strlen(b[i]->text) + 1;
    int j = i;
    for (; j && nbytes[j - 1] < length; j--) { nbytes[j] = nbytes[j - 1]; sorted[j] = sorted[j - 1]; }
    nbytes[j] = length; sorted[j] = b[i];
  }
  for (int i = 0; i < n; i++) {
    for (int m = 1; m < modules; m++) if (load[m] < load[of[i]]) of[i] = m;
    load[of[i]] += nbytes[i];
  }
  for (int m = 0; m < modules; m++) {
    first[m] = at;
    for (int i = 0; i < n; i++) if (of[i] == m) b[at++] = sorted[i];
  }
  first[modules] = at;
}

// Progress: a line on a terminal, wiped when the work is done; with debug letter p, lines in the log.
static int tn_wipes(const tiny_ctx *t, int n) {
  return n >= TN_PROGRESS_AT && !tn_debug(t, 'p') && !t->log.fn && tn_os_terminal();
}
static void tn_say_compiling(tiny_ctx *t, int n) {
  if (tn_wipes(t, n)) fprintf(stderr, "tiny: compiling %d kernels\r", n);
  else if (tn_debug(t, 'p')) tn_log(t, "tiny: compiling %d kernels", n);
}
static void tn_say_compiled(tiny_ctx *t, int n, uint64_t ns) {
  if (tn_wipes(t, n)) fprintf(stderr, "%40s\r", "");
  else if (tn_debug(t, 'p')) tn_log(t, "tiny: compiled %d kernels in %.1f ms", n, (double)ns * 1e-6);
}

// Compiles the builds that are left, spread over as many modules as there are cores.
static tiny_code tn_build_compile(tiny_ctx *t, tn_build **b, int n) {
  struct tn_device *d = t->device;
  int modules = tn_os_cores() < n ? tn_os_cores() : n, foreign = 0;
  for (int i = 0; i < n; i++) foreign |= b[i]->custom != NULL;
  if (foreign) modules = n;
  const char **text = (const char **)tn_scratch(t, (size_t)modules * sizeof *text);
  tiny_bytes *binary = (tiny_bytes *)tn_scratch(t, (size_t)modules * sizeof *binary), log = {t, NULL, 0, 0};
  int *first = (int *)tn_scratch(t, ((size_t)modules + 1) * sizeof *first);
  tn_build_deal(t, b, n, modules, first);
  for (int m = 0; m < modules; m++) {
    text[m] = tn_module_text(t, b + first[m], first[m + 1] - first[m]);
    binary[m].t = t;
    if (tn_debug(t, 'c')) tn_log_text(t, text[m]);
  }
  const uint64_t from = tn_os_now();
  tn_say_compiling(t, n);
  const tiny_code code = d->backend->compile(d->dev, modules, text, binary, &log);
  tn_say_compiled(t, n, tn_os_now() - from);
  t->stats.compile_ns += tn_os_now() - from;
  if (code != TINY_OK) return code;
  t->stats.compiled += (uint64_t)n;
  for (int m = 0; m < modules; m++) {
    const uint64_t key = tn_text_key(t, text[m]);
    void *module = tn_module_load(t, key, binary[m].data, binary[m].n);
    if (!module) return tiny_fail(t, TINY_E_COMPILE, "%s did not take the binary its compiler made", d->name);
    tn_cache_write(t, key, "bin", binary[m].data, binary[m].n);
    for (int i = first[m]; i < first[m + 1]; i++) {
      tn_build_take(t, b[i], module);
      if (!b[i]->exe)
        return tiny_fail(t, TINY_E_COMPILE, "kernel %s is not in its module",
                         b[i]->entry ? b[i]->entry : b[i]->name);
      tn_cache_entry e;
      memset(&e, 0, sizeof e);
      e.module = key;
      memcpy(e.name, b[i]->name, sizeof e.name);
      tn_cache_write(t, b[i]->text_key, "kernel", &e, sizeof e);
    }
  }
  return TINY_OK;
}

static tiny_code tn_build_prepare(tiny_ctx *t, tn_build *b) {
  if (b->custom) {
    b->key = tn_hash_bytes(tn_hash_bytes(1, b->custom, strlen(b->custom)), b->entry, strlen(b->entry));
    snprintf(b->name, sizeof b->name, "%s", b->entry);
  } else {
    b->key = b->ast->hash;
    tn_kernel_name(t, b);
  }
  b->exe = tn_executable_find(t, b->key);
  if (b->exe) return TINY_OK;
  if (b->custom) b->text = b->custom;
  else if (tn_build_lower(t, b) != TINY_OK) return t->code;
  if (b->text) b->text_key = tn_text_key(t, b->text);
  return TINY_OK;
}

// Executables for builds[0..n-1].
static tiny_code tn_build_all(tiny_ctx *t, tn_build *builds, int n) {
  tn_build **left = (tn_build **)tn_scratch(t, ((size_t)n + 1) * sizeof *left);
  int nleft = 0;
  struct tn_device *d = t->device;
  if (TN_HAS_FALLBACK && d->backend == &tn_cpu_backend && !t->programs->interpret &&
      !tn_cpu_has_compiler(d->dev)) {
    t->programs->interpret = 1;
    tn_say_compiler_missing(t);
  }
  for (int i = 0; i < n; i++) {
    tn_build *b = &builds[i], *twin = NULL;
    if (tn_build_prepare(t, b) != TINY_OK) return t->code;
    for (int j = 0; j < i && !b->exe; j++) if (builds[j].key == b->key) twin = &builds[j];
    if (b->exe || twin) continue;
    if (!b->text) { if (tn_build_interpret(t, b) != TINY_OK) return t->code; continue; }
    tn_build_from_disk(t, b);
    if (!b->exe) left[nleft++] = b;
  }
  if (nleft && tn_build_compile(t, left, nleft) != TINY_OK) return t->code;
  for (int i = 0; i < n; i++) if (!builds[i].exe) builds[i].exe = tn_executable_find(t, builds[i].key);
  return t->code;
}
#endif
// ---- end src/runtime/program.c ----
// ---- begin src/runtime/run.c ----
// run: nodes to realize -> kernels launched: plans are made or found, memory is bound, handles settle on the results.
//
// A run works on nodes, not handles: it sets node->realized, so whatever was built from a node finds its value.
// Before a state is overwritten, every other live tensor that was built from it is realized in the same schedule.
// When an update has run, handles move to a new BUFFER node over the same storage: old nodes can never name new
// contents. Nodes and buffers that nothing refers to are collected between runs.
#ifndef TN_RUNTIME_RUN
#define TN_RUNTIME_RUN
#ifndef TINY_AMALGAMATED
#include "program.c"
#endif

// ** imported kernels **

typedef struct tn_custom {                 // what the ptr of a CUSTOM node points to; lives as long as the context
  struct tn_custom *next;
  char *source, *name; size_t source_nbytes, name_nbytes;
  tiny_uop *uops;
  int64_t global[3], local[3];
} tn_custom;

struct tn_runtime { tn_custom *customs; tiny_program *programs; };

struct tiny_program {                      // a captured plan and what its blanks are filled with
  tiny_program *prev, *next;
  tiny_ctx *t;
  tn_plan *plan;
  int ninput, noutput, nleaf, nscalar;
  tiny_uop **leaf; int *leaf_input;        // leaf_input[i]: number of the input, -1: leaf[i] itself
  tiny_uop **scalar;
  int *output; tiny_uop **shape;           // output[i]: its row in the plan, -1: leaf output_leaf
  int *output_leaf;
  size_t nbytes;
};

// ** collection: nodes and buffers that nothing refers to any more **

static void tn_collect(tiny_ctx *t) {
  struct tn_ir *ir = t->ir;
  struct tn_device *d = t->device;
  tn_list roots = {NULL, 0, 0}, stack = {NULL, 0, 0};
  tn_tensors_roots(t, &roots);
  for (tn_custom *c = t->runtime->customs; c; c = c->next) if (c->uops) tn_push(t, &roots, c->uops);
  for (tiny_program *p = t->runtime->programs; p; p = p->next) {
    for (int i = 0; i < p->nleaf; i++) if (p->leaf[i]) tn_push(t, &roots, p->leaf[i]);
    for (int i = 0; i < p->nscalar; i++) tn_push(t, &roots, p->scalar[i]);
    for (int i = 0; i < p->noutput; i++) tn_push(t, &roots, p->shape[i]);
  }
  ir->epoch++;
  for (int i = 0; i < roots.n; i++) tn_uop_mark(t, &stack, roots.u[i]);
  tn_uop_sweep(t);
  ir->collect_at = ir->n * 2 > 1 << 14 ? ir->n * 2 : 1 << 14;
  d->collected_nbytes = t->stats.nbytes_live;
  t->tensors->freed = 0;
}
static void tn_collect_if_due(tiny_ctx *t) {
  if (t->ir->n >= t->ir->collect_at ||
      t->stats.nbytes_live >= 2 * t->device->collected_nbytes + ((size_t)16 << 20))
    tn_collect(t);
}

// ** running a plan **

enum { TN_COLLECT_NBYTES = 1 << 20 };       // looking for dead buffers is cheaper than this much new memory

// fresh[i]: storage of output i, NULL where it lives in a leaf.
typedef struct tn_run {
  tn_plan *plan; tiny_uop *const *leaf, *const *scalar;
  tn_storage **fresh, *arena;
} tn_run;

static tn_storage *tn_leaf_storage(const tiny_uop *u) { return (tn_storage *)tn_place(u)->ptr; }

static void tn_log_kernel(tiny_ctx *t, const tn_executable *e, uint64_t ns) {
  const double s = (double)(ns ? ns : 1) * 1e-9;
  tn_log(t, "*** %-4s %6llu  %-44s %9.1f us  %8.2f GFLOPS  %7.2f GB/s  mem %.2f MB", t->device->name,
         (unsigned long long)t->stats.kernels, e->name, s * 1e6, e->flops / s * 1e-9, e->nbytes / s * 1e-9,
         (double)t->stats.nbytes_live * 1e-6);
}

static tiny_code tn_launch(tiny_ctx *t, const tn_executable *e, const tiny_launch *l) {
  struct tn_device *d = t->device;
  const int timed = tn_debug(t, 'k') || tn_debug(t, 't');
  const uint64_t from = timed ? tn_os_now() : 0;
  tiny_code code =
      e->runs_on_host ? tn_fallback->launch(t, e->kernel, l) : d->backend->launch(d->dev, e->kernel, l);
  t->stats.kernels++;
  t->stats.flops += (uint64_t)e->flops;
  t->stats.nbytes_moved += (uint64_t)e->nbytes;
  if (timed && code == TINY_OK) {
    code = d->backend->sync(d->dev);
    const uint64_t ns = tn_os_now() - from;
    t->stats.device_ns += ns;
    if (tn_debug(t, 'k')) tn_log_kernel(t, e, ns);
  }
  return code;
}

static tiny_mem tn_run_memory(const tn_run *r, int place) {
  const tn_place_row *p = &r->plan->place[place];
  tiny_mem m = {NULL, 0};
  switch (p->kind) {
    case TN_PLACE_LEAF: m.base = tn_leaf_storage(r->leaf[p->index])->mem; break;
    case TN_PLACE_OUTPUT: m.base = r->fresh[p->index]->mem; break;
    default: m.base = r->arena->mem; m.offset = (size_t)p->offset; break;
  }
  return m;
}

static tiny_code tn_run_step(tiny_ctx *t, const tn_run *r, const tn_step *s) {
  tiny_mem mem[32], *m = s->nmem <= 32 ? mem : (tiny_mem *)tn_scratch(t, (size_t)s->nmem * sizeof *m);
  int64_t arg[16], *a = s->narg <= 16 ? arg : (int64_t *)tn_scratch(t, (size_t)s->narg * sizeof *a);
  for (int i = 0; i < s->nmem; i++) m[i] = tn_run_memory(r, s->mem[i]);
  for (int i = 0; i < s->narg; i++) {
    const tiny_uop *u = r->scalar[s->arg[i]];
    a[i] = 0;
    tn_dtype_store(u->dtype, &a[i], u->k);
  }
  tiny_launch l;
  memset(&l, 0, sizeof l);
  l.mem = m; l.nmem = s->nmem; l.args = a; l.nargs = s->narg; l.tasks = s->exe->tasks;
  memcpy(l.global, s->exe->global, sizeof l.global);
  memcpy(l.local, s->exe->local, sizeof l.local);
  return tn_launch(t, s->exe, &l);
}

// Bytes of outputs and arena for which no spare memory is at hand.
static size_t tn_run_fresh_nbytes(const tiny_ctx *t, const tn_plan *p) {
  size_t fresh = 0;
  int c;
  for (int i = -1; i < p->nplace; i++) {
    if (i >= 0 && p->place[i].kind != TN_PLACE_OUTPUT) continue;
    const size_t nbytes = tn_size_class((size_t)(i < 0 ? p->arena_nbytes : p->place[i].nbytes), &c);
    if (!t->device->spare[c]) fresh += nbytes;
  }
  return fresh;
}

// Storage for outputs and arena. It is loose until nodes own it.
static tiny_code tn_run_bind(tiny_ctx *t, tn_run *r) {
  const tn_plan *p = r->plan;
  tiny_code code = TINY_OK;
  tn_storage_drop_loose(t);
  const size_t fresh = tn_run_fresh_nbytes(t, p);
  const int beyond_cap = t->max_nbytes && t->stats.nbytes_live + fresh > t->max_nbytes;
  if (beyond_cap || (t->tensors->freed && fresh >= TN_COLLECT_NBYTES)) tn_collect(t);
  for (int i = 0; i < p->nplace && code == TINY_OK; i++) if (p->place[i].kind == TN_PLACE_OUTPUT) {
    r->fresh[p->place[i].index] = tn_storage_new(t, (size_t)p->place[i].nbytes);
    if (!r->fresh[p->place[i].index]) code = t->code;
  }
  if (code == TINY_OK && p->arena_nbytes && !(r->arena = tn_storage_new(t, (size_t)p->arena_nbytes))) code = t->code;
  if (code != TINY_OK) tn_storage_drop_loose(t);
  return code;
}

static tiny_code tn_run_launch(tiny_ctx *t, const tn_run *r) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < r->plan->nstep && code == TINY_OK; i++)
    if (r->plan->step[i].exe) code = tn_run_step(t, r, &r->plan->step[i]);
  tn_storage_drop(t, r->arena);
  return code == TINY_OK || t->code != TINY_OK ? code : tiny_fail(t, code, "%s: a kernel failed", t->device->name);
}

// ** planning **

static void tn_log_schedule(tiny_ctx *t, const tn_plan *p) {
  tn_log(t, "schedule of %d kernels, arena %lld bytes", p->nstep, (long long)p->arena_nbytes);
  for (int i = 0; i < p->nstep; i++) {
    char line[512];
    size_t at =
        (size_t)snprintf(line, sizeof line, "  %s(", p->step[i].exe ? p->step[i].exe->name : "(empty)");
    for (int j = 0; j < p->step[i].nmem && at < sizeof line; j++) {
      const tn_place_row *place = &p->place[p->step[i].mem[j]];
      at += (size_t)snprintf(line + at, sizeof line - at, "%s%c%lld", j ? " " : "", "LOT"[place->kind],
                             (long long)(place->kind == TN_PLACE_TEMP ? place->offset : place->index));
    }
    tn_log(t, "%s)", line);
  }
}

static tiny_code tn_plan_make(tiny_ctx *t, const tn_visit *v, tiny_uop *const *roots, int n, tn_plan **out) {
  tn_draft d;
  const tn_kernel **kernels;
  if (tn_draft_plan(t, v, roots, n, &d, &kernels) != TINY_OK) return t->code;
  tn_build *builds = (tn_build *)tn_scratch(t, ((size_t)d.plan.nstep + 1) * sizeof *builds);
  int *of = (int *)tn_scratch(t, ((size_t)d.plan.nstep + 1) * sizeof *of), nbuild = 0;
  for (int i = 0; i < d.plan.nstep; i++) {
    const tn_kernel *k = kernels[i];
    of[i] = -1;
    if (k->node->op == TINY_OP_CUSTOM) {
      const tn_custom *c = (const tn_custom *)k->node->ptr;
      tn_build *b = &builds[nbuild];
      if (c->uops) b->ast = c->uops;
      else {
        b->custom = c->source;
        b->entry = c->name;
        memcpy(b->low.global, c->global, sizeof c->global);
        memcpy(b->low.local, c->local, sizeof c->local);
        b->low.tasks = c->global[0] * c->global[1] * c->global[2];
      }
      of[i] = nbuild++;
    } else if (k->ast) { builds[nbuild].ast = k->ast; of[i] = nbuild++; }
  }
  if (tn_build_all(t, builds, nbuild) != TINY_OK) return t->code;
  for (int i = 0; i < d.plan.nstep; i++) d.plan.step[i].exe = of[i] >= 0 ? builds[of[i]].exe : NULL;
  if (tn_debug(t, 's')) tn_log_schedule(t, &d.plan);
  *out = tn_plan_keep(t, &d, v);
  t->stats.schedules++;
  return TINY_OK;
}

// ** settling: handles and nodes after a run **

// The value of u's dims over a BUFFER node.
static tiny_uop *tn_settled(tiny_ctx *t, tiny_uop *u) { return tn_reshape(t, u->realized, u->ndim, u->dim); }

// Handles whose memory was updated move to the new BUFFER; chains of updates would otherwise grow without end.
static void tn_settle_handles(tiny_ctx *t) {
  for (tiny_tensor *x = tn_tensor_next(t, NULL); x; x = tn_tensor_next(t, x)) {
    tn_chain c;
    if (!tn_chain_of(x->uop, &c)) continue;
    const int memory =
        c.bottom->op == TINY_OP_ASSIGN || (c.bottom->op == TINY_OP_CONTIGUOUS && c.bottom->ptr);
    if (memory && c.bottom->realized) x->uop = tn_chain_apply(t, &c, tn_settled(t, c.bottom));
  }
  struct tn_tensors *all = t->tensors;
  int n = 0;
  for (int i = 0; i < all->npending; i++) if (!all->pending[i]->realized) all->pending[n++] = all->pending[i];
  all->npending = n;
}

// BUFFER nodes for the outputs, made before anything runs: once memory is overwritten, nothing may fail.
static tiny_uop **tn_settle_nodes(tiny_ctx *t, const tn_run *r, const tn_visit *v) {
  const tn_plan *p = r->plan;
  tiny_uop **node = (tiny_uop **)tn_scratch(t, ((size_t)p->noutput + 1) * sizeof *node);
  for (int i = 0; i < p->noutput; i++) {
    const tiny_uop *u = v->all.u[p->output[i].node];
    const tn_place_row *place = &p->place[p->output[i].place];
    tn_storage *s =
        place->kind == TN_PLACE_OUTPUT ? r->fresh[place->index] : tn_leaf_storage(v->leaves.u[place->index]);
    node[i] = tn_buffer_node(t, s, u->dtype, tn_nelem(u));
  }
  return node;
}

static void tn_settle_outputs(tiny_ctx *t, const tn_run *r, const tn_visit *v, tiny_uop *const *node) {
  int updates = 0;
  for (int i = 0; i < r->plan->noutput; i++) {
    tiny_uop *u = v->all.u[r->plan->output[i].node];
    u->realized = node[i];
    updates |= u->op == TINY_OP_ASSIGN || (u->op == TINY_OP_CONTIGUOUS && u->ptr);
  }
  if (updates) tn_settle_handles(t);
}

// ** what must run together **

// Does u depend on one of the states that are about to be overwritten, other than through their
// updates? seq: 1 yes, 0 no.
static int tn_needs_old_state(tiny_ctx *t, tiny_uop *u, uint32_t seen, const tn_map *bases,
                              const tn_map *updates) {
  tn_walk *stack = NULL, *top;
  int n = 0, cap = 0;
  if (u->mark == seen) return (int)u->seq;
  top = TN_PUSH(t, stack, n, cap, tn_walk);
  top->u = u; top->next = 0;
  u->mark = seen; u->seq = 0;
  while (n) {
    top = &stack[n - 1];
    tiny_uop *x = top->u;
    const int stop = x->realized || tn_map_has(updates, x);
    if (tn_map_has(bases, tn_state_of(x))) x->seq = 1;
    if (stop || top->next == x->nsrc) {
      if (--n) stack[n - 1].u->seq |= x->seq;
      continue;
    }
    tiny_uop *s = x->src[top->next++];
    if (s->mark == seen) { x->seq |= s->seq; continue; }
    s->mark = seen; s->seq = 0;
    top = TN_PUSH(t, stack, n, cap, tn_walk);
    top->u = s; top->next = 0;
  }
  return (int)u->seq;
}

// Live tensors that were built from states which the schedule overwrites join it; what those need may be overwritten
// in turn. Tensors of frame `dying` need not join. The states that are overwritten go to bases.
static void tn_join_readers(tiny_ctx *t, tn_list *roots, int dying, tn_map *bases) {
  tn_map joined = {NULL, NULL, 0, 0};
  for (int i = 0; i < roots->n; i++) tn_map_set(t, &joined, roots->u[i], roots->u[i]);
  for (int before = -1; before != roots->n;) {
    tn_visit v;
    tn_map updates = {NULL, NULL, 0, 0};
    memset(&v, 0, sizeof v);
    before = roots->n;
    tn_visit_graph(t, &v, roots->u, roots->n);
    for (int i = 0; i < v.all.n; i++) if (v.all.u[i]->op == TINY_OP_ASSIGN && !v.all.u[i]->realized) {
      tn_map_set(t, bases, tn_state_of(v.all.u[i]->src[0]), v.all.u[i]);
      tn_map_set(t, &updates, v.all.u[i], v.all.u[i]);
    }
    if (!bases->n) return;
    const uint32_t seen = ++t->ir->epoch;
    for (tiny_tensor *x = tn_tensor_next(t, NULL); x; x = tn_tensor_next(t, x)) {
      if (x->frame >= dying || tn_is_leaf(x->uop) || tn_map_has(&joined, x->uop)) continue;
      if (!tn_needs_old_state(t, x->uop, seen, bases, &updates)) continue;
      tn_map_set(t, &joined, x->uop, x->uop);
      tn_push(t, roots, x->uop);
    }
  }
}

// The node whose elements in order are u's: a reshape is not stored for its own sake, unless what
// it shows is overwritten.
static tiny_uop *tn_root_of(tiny_uop *u, const tn_map *bases) {
  tiny_uop *x = u;
  while (!x->realized && (x->op == TINY_OP_RESHAPE || x->op == TINY_OP_DETACH) &&
         (x->src[0]->nsrc || tn_is_leaf(x->src[0])))
    x = x->src[0];
  return tn_map_has(bases, tn_state_of(x)) ? u : x;
}

static tiny_code tn_realize_roots(tiny_ctx *t, tn_list *roots, int dying) {
  tn_list all = {NULL, 0, 0};
  tn_map seen = {NULL, NULL, 0, 0}, bases = {NULL, NULL, 0, 0};
  tn_join_readers(t, roots, dying, &bases);
  for (int i = 0; i < roots->n; i++) {
    tiny_uop *u = tn_root_of(roots->u[i], &bases);
    if (tn_is_leaf(u) || tn_map_has(&seen, u)) continue;
    tn_map_set(t, &seen, u, u);
    tn_push(t, &all, u);
  }
  if (!all.n) return TINY_OK;
  tn_visit v;
  memset(&v, 0, sizeof v);
  tn_visit_graph(t, &v, all.u, all.n);
  tn_plan *plan = tn_plan_find(t, &v);
  if (plan) t->stats.replays++;
  else if (tn_plan_make(t, &v, all.u, all.n, &plan) != TINY_OK) return t->code;
  tn_run r = {plan, v.leaves.u, v.scalars.u,
              (tn_storage **)tn_scratch(t, ((size_t)plan->noutput + 1) * sizeof(tn_storage *)), NULL};
  tiny_code code = tn_run_bind(t, &r);
  if (code != TINY_OK) return code;
  tiny_uop **node = tn_settle_nodes(t, &r, &v);
  code = tn_run_launch(t, &r);
  if (code == TINY_OK) tn_settle_outputs(t, &r, &v, node);
  return code;
}
#endif
// ---- end src/runtime/run.c ----
// ---- begin src/runtime/realize.c ----
// realize: bytes in and out of tensors: what a user calls to upload, run, read and end a frame.
#ifndef TN_RUNTIME_REALIZE
#define TN_RUNTIME_REALIZE
#ifndef TINY_AMALGAMATED
#include "run.c"
#endif

typedef struct tn_realize_call { tiny_tensor *const *x; int n; } tn_realize_call;

static tiny_code tn_realize_guarded(tiny_ctx *t, void *arg) {
  const tn_realize_call *c = (const tn_realize_call *)arg;
  tn_list roots = {NULL, 0, 0};
  for (int i = 0; i < c->n; i++) tn_push(t, &roots, c->x[i]->uop);
  const tiny_code code = tn_realize_roots(t, &roots, INT_MAX);
  if (code == TINY_OK) tn_collect_if_due(t);
  return code;
}

// The context of x[0..n-1], all of them usable; NULL after an error. *code tells which.
static tiny_ctx *tn_realize_check(const char *name, tiny_tensor *const *x, int n, tiny_code *code) {
  tiny_tensor *wrong;
  *code = TINY_E_ARG;
  if (!x || n < 1) return NULL;
  if (!tn_usable(name, n, x, &wrong)) {
    if (wrong && wrong->t->code != TINY_OK) *code = wrong->t->code;
    return NULL;
  }
  return x[0]->t;
}

TINY_API tiny_code tiny_realize(tiny_tensor *const *x, int n) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("realize", x, n, &code);
  tn_realize_call c = {x, n};
  return t ? tn_guard(t, tn_realize_guarded, &c) : code;
}

// Is u its BUFFER's elements in order? Then the BUFFER, else NULL.
static tiny_uop *tn_plain_buffer(const tiny_uop *u) {
  while (!u->realized && (u->op == TINY_OP_RESHAPE || u->op == TINY_OP_DETACH)) u = u->src[0];
  return tn_is_leaf(u) ? tn_place(u) : NULL;
}

typedef struct tn_read_call { tiny_tensor *x; void *out; size_t nbytes; } tn_read_call;

static tiny_code tn_read_guarded(tiny_ctx *t, void *arg) {
  const tn_read_call *c = (const tn_read_call *)arg;
  struct tn_device *d = t->device;
  tiny_uop *from = tn_plain_buffer(c->x->uop);
  if (!from) {
    tn_realize_call all = {&c->x, 1};
    const tiny_code code = tn_realize_guarded(t, &all);
    if (code != TINY_OK) return code;
    from = tn_plain_buffer(c->x->uop);
  }
  if (!from) return tiny_fail(t, TINY_E_INTERNAL, "read: a realized tensor has no buffer");
  const tiny_code code = d->backend->sync(d->dev);
  if (code != TINY_OK || !c->nbytes) return code;
  const tiny_mem m = {((tn_storage *)from->ptr)->mem, 0};
  return d->backend->copy_out(d->dev, c->out, m, c->nbytes);
}

static tiny_code tn_nbytes_check(tiny_ctx *t, const char *name, const tiny_tensor *x, const void *data,
                                 size_t nbytes) {
  const size_t wanted = (size_t)tn_node_nbytes(x->uop);
  char text[TN_DIMS_TEXT];
  if (nbytes != wanted)
    return tiny_fail(t, TINY_E_ARG, "%s: %llu bytes given, %s of %s has %llu", name,
                     (unsigned long long)nbytes, tn_text_of(x->uop, text), tn_dtypes[x->uop->dtype].name,
                     (unsigned long long)wanted);
  if (!data && nbytes) return tiny_fail(t, TINY_E_ARG, "%s: data is NULL", name);
  return TINY_OK;
}

TINY_API tiny_code tiny_read(tiny_tensor *x, void *out, size_t nbytes) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("read", &x, 1, &code);
  if (!t) return code;
  code = tn_nbytes_check(t, "read", x, out, nbytes);
  tn_read_call c = {x, out, nbytes};
  return code == TINY_OK ? tn_guard(t, tn_read_guarded, &c) : code;
}

#ifndef TINY_NO_INTERP
// The interpreter's view of a BUFFER: its bytes, copied out of the device.
static const void *tn_reference_buffer(tiny_ctx *t, tiny_uop *buffer) {
  struct tn_device *d = t->device;
  const size_t nbytes = (size_t)tn_node_nbytes(buffer);
  void *copy = tn_scratch(t, nbytes + 1);
  const tiny_mem m = {((tn_storage *)buffer->ptr)->mem, 0};
  if (d->backend->sync(d->dev) != TINY_OK ||
      (nbytes && d->backend->copy_out(d->dev, copy, m, nbytes) != TINY_OK))
    return NULL;
  return copy;
}

static tiny_code tn_reference_guarded(tiny_ctx *t, void *arg) {
  const tn_read_call *c = (const tn_read_call *)arg;
  return tn_eval_graph(t, c->x->uop, c->out, tn_reference_buffer);
}

TINY_API tiny_code tiny_reference(tiny_tensor *x, void *out, size_t nbytes) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("reference", &x, 1, &code);
  if (!t) return code;
  code = tn_nbytes_check(t, "reference", x, out, nbytes);
  tn_read_call c = {x, out, nbytes};
  return code == TINY_OK ? tn_guard(t, tn_reference_guarded, &c) : code;
}
#endif

TINY_API double tiny_item(tiny_tensor *x) {
  unsigned char raw[8];
  if (!tiny_ok(x)) return (double)NAN;
  if (tiny_nelem(x) != 1) {
    char text[TN_DIMS_TEXT];
    tiny_fail(x->t, TINY_E_SHAPE, "item: %s has more or less than one element", tn_text_of(x->uop, text));
    return (double)NAN;
  }
  const int dtype = x->uop->dtype;
  if (tiny_read(x, raw, tn_dtypes[dtype].nbytes) != TINY_OK) return (double)NAN;
  return tn_to_f64(tn_dtype_convert(TINY_F64, dtype, tn_dtype_load(dtype, raw)));
}

// A tensor of dims s over new storage that holds data.
static tiny_uop *tn_upload(tiny_ctx *t, const void *data, int dtype, int ndim, const int64_t *dim) {
  struct tn_device *d = t->device;
  const int64_t nelem = tn_dims_nelem(ndim, dim);
  const size_t nbytes = (size_t)nelem * tn_dtypes[dtype].nbytes;
  tn_storage *s = tn_storage_new(t, nbytes);
  if (!s) return &t->ir->bad;
  const tiny_mem m = {s->mem, 0};
  if (nbytes && d->backend->copy_in(d->dev, m, data, nbytes) != TINY_OK) {
    tn_storage_drop(t, s);
    return &t->ir->bad;
  }
  return tn_reshape(t, tn_buffer_node(t, s, dtype, nelem), ndim, dim);
}

// Does the context run at all? Records why not.
static int tn_runs(tiny_ctx *t) { return t && t->device && t->device->dev && !t->tensors->refuse; }

TINY_API tiny_tensor *tiny_from(tiny_ctx *t, const void *data, tiny_dtype dtype, tiny_shape shape) {
  if (!tn_runs(t)) return tn_poison(t);
  if (!tn_dtype_check(t, "from", dtype) || !tn_shape_valid(t, "from", &shape)) return tn_poison(t);
  if (!data && tn_dims_nelem(shape.ndim, shape.dim)) return tn_wrong(t, TINY_E_ARG, "from: data is NULL");
  return tn_tensor_new(t, tn_upload(t, data, dtype, shape.ndim, shape.dim));
}

TINY_API tiny_code tiny_write(tiny_tensor *x, const void *data, size_t nbytes) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("write", &x, 1, &code);
  if (!t) return code;
  code = tn_nbytes_check(t, "write", x, data, nbytes);
  if (code != TINY_OK) return code;
  tiny_uop *u = tn_upload(t, data, x->uop->dtype, x->uop->ndim, x->uop->dim);
  if (tn_bad(t, u)) return t->code;
  x->uop = u;
  return TINY_OK;
}

#define TN_MAX_NELEM ((int64_t)1 << 60)
TINY_API tiny_tensor *tiny_blob(tiny_ctx *t, void *data, tiny_dtype dtype, tiny_shape shape,
                                const int64_t *strides) {
  if (!tn_runs(t)) return tn_poison(t);
  if (!tn_dtype_check(t, "blob", dtype) || !tn_shape_valid(t, "blob", &shape)) return tn_poison(t);
  if (!data) return tn_wrong(t, TINY_E_ARG, "blob: data is NULL");
  if (!t->device->limits.host_memory)
    return tn_wrong(t, TINY_E_DEVICE, "blob: %s has memory of its own; use tiny_from", t->device->name);
  int64_t low = 0, high = 0, v[2 * TINY_MAX_DIMS];
  for (int i = 0; i < shape.ndim; i++) {
    v[i] = shape.dim[i];
    v[shape.ndim + i] = strides ? strides[i] : 0;
    const int64_t reach = strides && shape.dim[i] > 0 ? tn_clamp_mul(shape.dim[i] - 1, strides[i]) : 0;
    if (reach < 0) low = tn_clamp_add(low, reach); else high = tn_clamp_add(high, reach);
  }
  if (low < -TN_MAX_NELEM || high > TN_MAX_NELEM)
    return tn_wrong(t, TINY_E_ARG, "blob: strides reach over %lld and %lld elements", (long long)low,
                    (long long)high);
  const int64_t nelem = tn_dims_nelem(shape.ndim, shape.dim),
                span = !nelem ? 0 :
      strides                 ? high - low + 1 :
                                nelem;
  tn_storage *s = (tn_storage *)tn_alloc(t, sizeof *s);
  if (!s) return tn_poison(t);
  s->mem = (char *)data + low * (int64_t)tn_dtypes[dtype].nbytes;
  s->nbytes = (size_t)span * tn_dtypes[dtype].nbytes;
  s->refs = s->borrowed = s->loose = 1;
  tn_storage_link(&t->device->loose, s);
  tiny_uop *u = tn_buffer_node(t, s, dtype, span);
  if (!strides) return tn_tensor_new(t, tn_reshape(t, u, shape.ndim, shape.dim));
  return tn_tensor_new(t, tn_uop_make(t, TINY_OP_VIEW, dtype, 1, 1, &u, -low, 2 * shape.ndim, v));
}

static tiny_code tn_end_guarded(tiny_ctx *t, void *arg) {
  tn_list roots = {NULL, 0, 0};
  (void)arg;
  for (int i = 0; i < t->tensors->npending; i++) tn_push(t, &roots, t->tensors->pending[i]);
  return roots.n ? tn_realize_roots(t, &roots, t->tensors->depth) : TINY_OK;
}
static tiny_code tn_collect_guarded(tiny_ctx *t, void *arg) {
  (void)arg;
  tn_collect_if_due(t);
  return TINY_OK;
}

TINY_API tiny_code tiny_end(tiny_ctx *t) {
  if (!t) return TINY_E_ARG;
  if (!t->tensors) return t->code;
  if (!t->tensors->depth) return tiny_fail(t, TINY_E_STATE, "end: no frame is open");
  const tiny_code code = tn_runs(t) ? tn_guard(t, tn_end_guarded, NULL) : t->code;
  t->tensors->npending = 0;
  tn_frame_close(t);
  if (tn_runs(t)) tn_guard(t, tn_collect_guarded, NULL);
  return code;
}
#endif
// ---- end src/runtime/realize.c ----
// ---- begin src/runtime/capture.c ----
// capture: kernels that users bring (source or IR), and programs: kernels captured once, replayed with other inputs.
#ifndef TN_RUNTIME_CAPTURE
#define TN_RUNTIME_CAPTURE
#ifndef TINY_AMALGAMATED
#include "realize.c"
#endif

// ** kernels from outside **

static char *tn_copy_text(tiny_ctx *t, const char *text, size_t *nbytes) {
  *nbytes = strlen(text) + 1;
  char *copy = (char *)tn_realloc(t, NULL, 0, *nbytes);
  if (copy) memcpy(copy, text, *nbytes);
  return copy;
}

static tn_custom *tn_custom_find(tiny_ctx *t, const tiny_kernel_desc *d) {
  for (tn_custom *c = t->runtime->customs; c; c = c->next) {
    if (c->uops != d->uops || memcmp(c->global, d->global, sizeof c->global) ||
        memcmp(c->local, d->local, sizeof c->local))
      continue;
    if (d->uops || (!strcmp(c->source, d->source) && !strcmp(c->name, d->name))) return c;
  }
  tn_custom *c = (tn_custom *)tn_alloc(t, sizeof *c);
  if (!c) return NULL;
  c->next = t->runtime->customs;
  t->runtime->customs = c;
  c->uops = d->uops;
  memcpy(c->global, d->global, sizeof c->global);
  memcpy(c->local, d->local, sizeof c->local);
  if (!d->uops) {
    c->source = tn_copy_text(t, d->source, &c->source_nbytes);
    c->name = c->source ? tn_copy_text(t, d->name, &c->name_nbytes) : NULL;
    if (!c->name) {
      t->runtime->customs = c->next;
      tn_release(t, c->source, c->source_nbytes);
      tn_release(t, c, sizeof *c);
      return NULL;
    }
  }
  return c;
}

// A SINK from outside reads and writes nothing but the memory it is given.
static tiny_code tn_kernel_check(tiny_ctx *t, void *arg) {
  const tiny_kernel_desc *d = (const tiny_kernel_desc *)arg;
  tn_list all = {NULL, 0, 0};
  if (tn_verify(t, d->uops, TN_SPEC_KERNEL) != TINY_OK) return t->code;
  tn_toposort(t, d->uops, &all);
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *u = all.u[i];
    if (u->op == TINY_OP_ARG) return tiny_fail(t, TINY_E_ARG, "kernel: uops take an ARG, but there are none");
    if (u->op != TINY_OP_PARAM) continue;
    if (u->k < 0 || u->k > d->n)
      return tiny_fail(t, TINY_E_ARG, "kernel: PARAM %lld, but there are an output and %d inputs",
                       (long long)u->k, d->n);
    const int64_t has = u->k ? tiny_nelem(d->inputs[u->k - 1]) : tn_dims_nelem(d->shape.ndim, d->shape.dim);
    const int dtype = u->k ? d->inputs[u->k - 1]->uop->dtype : (int)d->dtype;
    if (u->v[0] > has || u->dtype != dtype)
      return tiny_fail(t, TINY_E_ARG, "kernel: PARAM %lld is %lld of %s, its tensor has %lld of %s",
                       (long long)u->k, (long long)u->v[0], tn_dtypes[u->dtype].name, (long long)has,
                       tn_dtypes[dtype].name);
  }
  return TINY_OK;
}

TINY_API tiny_tensor *tiny_kernel(tiny_ctx *t, const tiny_kernel_desc *desc) {
  tiny_tensor *wrong;
  if (!tn_runs(t)) return tn_poison(t);
  if (!desc || (!desc->uops && (!desc->source || !desc->name)))
    return tn_wrong(t, TINY_E_ARG, "kernel: needs source and name, or uops");
  if (desc->n < 0 || desc->n > 63 || (desc->n && !desc->inputs))
    return tn_wrong(t, TINY_E_ARG, "kernel: %d inputs", desc->n);
  if (desc->n && !tn_usable("kernel", desc->n, desc->inputs, &wrong)) return wrong;
  if (!tn_dtype_check(t, "kernel", desc->dtype) || !tn_shape_valid(t, "kernel", &desc->shape))
    return tn_poison(t);
  if (!desc->uops && !t->device->backend->language)
    return tn_wrong(t, TINY_E_DEVICE, "kernel: %s does not take source", t->device->name);
  tiny_kernel_desc d = *desc;
  for (int i = 0; i < 3; i++) { if (!d.global[i]) d.global[i] = 1; if (!d.local[i]) d.local[i] = 1; }
  if (d.uops && d.uops->op != TINY_OP_SINK)
    return tn_wrong(t, TINY_E_ARG, "kernel: uops must be a SINK, not %s", tn_ops[d.uops->op].name);
  if (d.uops && tn_guard(t, tn_kernel_check, &d) != TINY_OK) return tn_poison(t);
  tn_custom *c = tn_custom_find(t, &d);
  if (!c) return tn_poison(t);
  tiny_uop *src[64];
  for (int i = 0; i < d.n; i++) {          // the kernel sees plain memory
    src[i] = d.inputs[i]->uop;
    if (!tn_is_leaf(src[i]))
      src[i] = tn_plain_buffer(src[i]) ? tn_plain_buffer(src[i]) : tn_u1(t, TINY_OP_CONTIGUOUS, src[i]);
  }
  const tiny_shape *s = &d.shape;
  return tn_tensor_new(t, tn_uop_make_with(t, TINY_OP_CUSTOM, d.dtype, 1, d.n, src, 0, s->ndim, s->dim, c));
}

// ** captured programs **

typedef struct tn_capture_call {
  tiny_tensor *const *in, *const *out;
  int n, m;
  tiny_program *p;
} tn_capture_call;

static tiny_code tn_capture_guarded(tiny_ctx *t, void *arg) {
  tn_capture_call *c = (tn_capture_call *)arg;
  tn_list roots = {NULL, 0, 0};
  tn_visit v;
  tn_plan *plan = NULL;
  memset(&v, 0, sizeof v);
  for (int i = 0; i < c->m; i++) if (!tn_plain_buffer(c->out[i]->uop)) tn_push(t, &roots, c->out[i]->uop);
  tn_visit_graph(t, &v, roots.u, roots.n);
  if (roots.n) plan = tn_plan_find(t, &v);
  if (roots.n && !plan && tn_plan_make(t, &v, roots.u, roots.n, &plan) != TINY_OK) return t->code;
  const size_t nbytes =
      sizeof *c->p + (size_t)(v.leaves.n + v.scalars.n + c->m) * (sizeof(void *) + 2 * sizeof(int)) + 64;
  tiny_program *p = (tiny_program *)tn_alloc(t, nbytes);
  char *at = (char *)(p + 1);
  p->t = t; p->nbytes = nbytes; p->plan = plan;
  p->ninput = c->n; p->noutput = c->m; p->nleaf = v.leaves.n; p->nscalar = v.scalars.n;
  p->leaf = (tiny_uop **)tn_plan_put(&at, v.leaves.u, (size_t)v.leaves.n * sizeof(void *));
  p->scalar = (tiny_uop **)tn_plan_put(&at, v.scalars.u, (size_t)v.scalars.n * sizeof(void *));
  p->shape = (tiny_uop **)(void *)at; at += (size_t)c->m * sizeof(void *);
  p->leaf_input = (int *)(void *)at; at += (size_t)v.leaves.n * sizeof(int);
  p->output = (int *)(void *)at; at += (size_t)c->m * sizeof(int);
  p->output_leaf = (int *)(void *)at;
  for (int i = 0; i < v.leaves.n; i++) {
    p->leaf_input[i] = -1;
    for (int j = 0; j < c->n; j++)
      if (tn_plain_buffer(c->in[j]->uop) == tn_place(v.leaves.u[i])) {
        p->leaf_input[i] = j;
        p->leaf[i] = NULL;
        break;
      }
  }
  for (int i = 0; i < c->m; i++) {
    p->shape[i] = c->out[i]->uop;
    p->output[i] = p->output_leaf[i] = -1;
    for (int j = 0; plan && j < plan->noutput; j++)
      if (v.all.u[plan->output[j].node] == c->out[i]->uop) p->output[i] = j;
    for (int j = 0; j < c->n && p->output[i] < 0; j++)
      if (tn_plain_buffer(c->in[j]->uop) == tn_plain_buffer(c->out[i]->uop)) p->output_leaf[i] = j;
  }
  p->next = t->runtime->programs;
  if (p->next) p->next->prev = p;
  t->runtime->programs = p;
  c->p = p;
  return TINY_OK;
}

TINY_API tiny_program *tiny_capture(tiny_ctx *t, tiny_tensor *const *inputs, int n,
                                    tiny_tensor *const *outputs, int m) {
  tiny_tensor *wrong;
  if (!tn_runs(t)) return NULL;
  if (n < 0 || m < 1 || (n && !inputs) || !outputs) {
    tiny_fail(t, TINY_E_ARG, "capture: %d inputs, %d outputs", n, m);
    return NULL;
  }
  if ((n && !tn_usable("capture", n, inputs, &wrong)) || !tn_usable("capture", m, outputs, &wrong))
    return NULL;
  for (int i = 0; i < n; i++)
    if (!tn_plain_buffer(inputs[i]->uop)) {
      tiny_fail(t, TINY_E_STATE, "capture: input %d is not realized", i);
      return NULL;
    }
  tn_capture_call c = {inputs, outputs, n, m, NULL};
  return tn_guard(t, tn_capture_guarded, &c) == TINY_OK ? c.p : NULL;
}

typedef struct tn_run_call { tiny_program *p; tiny_tensor *const *in; tiny_tensor **out; } tn_run_call;

static tiny_code tn_run_guarded(tiny_ctx *t, void *arg) {
  const tn_run_call *c = (const tn_run_call *)arg;
  const tiny_program *p = c->p;
  tiny_uop **leaf = (tiny_uop **)tn_scratch(t, ((size_t)p->nleaf + 1) * sizeof *leaf);
  for (int i = 0; i < p->nleaf; i++)
    leaf[i] = p->leaf_input[i] < 0 ? p->leaf[i] : tn_plain_buffer(c->in[p->leaf_input[i]]->uop);
  tn_run r = {p->plan, leaf, p->scalar, NULL, NULL};
  if (p->plan) {
    r.fresh = (tn_storage **)tn_scratch(t, ((size_t)p->plan->noutput + 1) * sizeof *r.fresh);
    tiny_code code = tn_run_bind(t, &r);
    if (code == TINY_OK) code = tn_run_launch(t, &r);
    if (code != TINY_OK) return code;
  }
  for (int i = 0; i < p->noutput; i++) {
    const tiny_uop *s = p->shape[i];
    if (p->output[i] < 0) {
      c->out[i] = p->output_leaf[i] < 0 ? tn_tensor_new(t, p->shape[i]) :
                                          tn_tensor_new(t, c->in[p->output_leaf[i]]->uop);
      continue;
    }
    const tn_place_row *place = &p->plan->place[p->plan->output[p->output[i]].place];
    tn_storage *from =
        place->kind == TN_PLACE_OUTPUT ? r.fresh[place->index] : tn_leaf_storage(leaf[place->index]);
    c->out[i] =
        tn_tensor_new(t, tn_reshape(t, tn_buffer_node(t, from, s->dtype, tn_nelem(s)), s->ndim, s->dim));
  }
  tn_storage_drop_loose(t);
  tn_collect_if_due(t);
  return TINY_OK;
}

TINY_API tiny_code tiny_run(tiny_program *p, tiny_tensor *const *inputs, tiny_tensor **outputs) {
  tiny_tensor *wrong;
  if (!p) return TINY_E_ARG;
  tiny_ctx *t = p->t;
  if (!outputs || (p->ninput && !inputs)) return tiny_fail(t, TINY_E_ARG, "run: inputs or outputs are NULL");
  if (p->ninput && !tn_usable("run", p->ninput, inputs, &wrong))
    return t->code != TINY_OK ? t->code : TINY_E_ARG;
  for (int i = 0; i < p->ninput; i++)
    if (!tn_plain_buffer(inputs[i]->uop))
      return tiny_fail(t, TINY_E_STATE, "run: input %d is not realized", i);
  for (int i = 0; i < p->nleaf; i++) if (p->leaf_input[i] >= 0) {
    const tiny_uop *given = tn_plain_buffer(inputs[p->leaf_input[i]]->uop);
    const tn_place_row *place = NULL;
    for (int j = 0; j < p->plan->nplace; j++)
      if (p->plan->place[j].kind == TN_PLACE_LEAF && p->plan->place[j].index == i) place = &p->plan->place[j];
    if (place && tn_node_nbytes(given) != place->nbytes)
      return tiny_fail(t, TINY_E_SHAPE, "run: input %d has %lld bytes, the captured one had %lld",
                       p->leaf_input[i], (long long)tn_node_nbytes(given), (long long)place->nbytes);
  }
  tn_run_call c = {p, inputs, outputs};
  return tn_guard(t, tn_run_guarded, &c);
}

TINY_API int tiny_program_kernels(const tiny_program *p) {
  int n = 0;
  for (int i = 0; p && p->plan && i < p->plan->nstep; i++) n += p->plan->step[i].exe != NULL;
  return n;
}

TINY_API void tiny_program_free(tiny_program *p) {
  if (!p) return;
  tiny_ctx *t = p->t;
  if (p->prev) p->prev->next = p->next; else t->runtime->programs = p->next;
  if (p->next) p->next->prev = p->prev;
  tn_release(t, p, p->nbytes);
}
#endif
// ---- end src/runtime/capture.c ----
// ---- begin src/runtime/context.c ----
// context: opening and closing, the first error, totals.
#ifndef TN_RUNTIME_CONTEXT
#define TN_RUNTIME_CONTEXT
#ifndef TINY_AMALGAMATED
#include "capture.c"
#endif

static tiny_code tn_open_guarded(tiny_ctx *t, void *arg) {
  const tiny_desc *d = (const tiny_desc *)arg;
  if (!tn_tensors_open(t) || !tn_schedules_open(t)) return TINY_E_MEMORY;
  t->tensors->refuse = 1;                  // until all is well
  t->runtime = (struct tn_runtime *)tn_alloc(t, sizeof *t->runtime);
  if (!tn_match_open(t) || tn_pool_open(t, d) != TINY_OK || tn_device_open(t, d) != TINY_OK ||
      tn_programs_open(t, d) != TINY_OK)
    return t->code;
  t->tensors->refuse = 0;
  return TINY_OK;
}

TINY_API tiny_ctx *tiny_open(const tiny_desc *d) {
  const tiny_alloc standard = {tn_default_alloc, NULL}, alloc = d && d->alloc.fn ? d->alloc : standard;
  tiny_ctx *t = (tiny_ctx *)alloc.fn(alloc.user, NULL, 0, sizeof *t);
  if (!t) return NULL;
  memset(t, 0, sizeof *t);
  t->alloc = alloc;
  const char *debug = d && d->debug ? d->debug : tn_os_env("TINY_DEBUG");
  snprintf(t->debug, sizeof t->debug, "%s", debug ? debug : "");
  if (d) { t->max_nbytes = d->max_nbytes; t->log = d->log; t->seed = d->seed; }
  if (!tn_ir_open(t)) { tiny_close(t); return NULL; }
  tn_guard(t, tn_open_guarded, (void *)(uintptr_t)d);
  if (!t->tensors) { tiny_close(t); return NULL; }
  return t;
}

static void tn_log_totals(tiny_ctx *t) {
  const tiny_stats *s = &t->stats;
  tn_log(t, "%s: %llu kernels in %.1f ms, %llu compiled in %.1f ms, %llu from disk, lowering %.1f ms, "
      "%llu graphs planned, %llu replayed, peak %.2f MB",
      t->device ? t->device->name : "", (unsigned long long)s->kernels, (double)s->device_ns * 1e-6,
      (unsigned long long)s->compiled, (double)s->compile_ns * 1e-6, (unsigned long long)s->cache_hits,
      (double)s->lower_ns * 1e-6, (unsigned long long)s->schedules, (unsigned long long)s->replays,
      (double)s->nbytes_peak * 1e-6);
}

TINY_API void tiny_close(tiny_ctx *t) {
  if (!t) return;
  if (tn_debug(t, 't')) tn_log_totals(t);
  if (t->device && t->device->dev) t->device->backend->sync(t->device->dev);
  while (t->runtime && t->runtime->programs) tiny_program_free(t->runtime->programs);
  while (t->runtime && t->runtime->customs) {
    tn_custom *c = t->runtime->customs;
    t->runtime->customs = c->next;
    tn_release(t, c->source, c->source_nbytes);
    tn_release(t, c->name, c->name_nbytes);
    tn_release(t, c, sizeof *c);
  }
  tn_release(t, t->runtime, sizeof(struct tn_runtime));
  if (t->programs) tn_programs_close(t);
  tn_tensors_close(t);
  tn_ir_close(t);                          // drops the buffers that nodes hold
  if (t->schedules) tn_schedules_close(t);
  tn_device_close(t);
  tn_pool_close(t);
  tn_match_close(t);
  tn_scratch_reset(t, 1);
  const tiny_alloc alloc = t->alloc;
  alloc.fn(alloc.user, t, sizeof *t, 0);
}

TINY_API const char *tiny_error(const tiny_ctx *t) {
  return !t ? "tiny_open: out of memory" : t->code == TINY_OK ? "" : t->message;
}
TINY_API tiny_code tiny_status(const tiny_ctx *t) { return t ? t->code : TINY_E_MEMORY; }
TINY_API void tiny_clear(tiny_ctx *t) { if (t && !(t->tensors && t->tensors->refuse)) t->code = TINY_OK; }
TINY_API tiny_stats tiny_get_stats(const tiny_ctx *t) {
  tiny_stats none;
  memset(&none, 0, sizeof none);
  return t ? t->stats : none;
}
#endif
// ---- end src/runtime/context.c ----
// ---- end src/all.c ----
#endif // TINY_IMPLEMENTATION

/*
---- begin LICENSE ----
MIT License

Copyright (c) 2026 the tiny.h authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
---- end LICENSE ----
*/
