/* tiny.h 0.1.0, source 5823a6ced9f19f6ba98ca748045370a5592191e8c19796faf12dd63168973785

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
  No global state, no abort, no exit, no signal handlers, no output unless asked for. It does not load models
  by itself, does not run operators eagerly, does not hide copies between devices, and does not need a build
  system.

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

ENVIRONMENT (tiny_desc has the same switches; what the program sets there wins)
  TINY_DEV        the device, as in tiny_desc.device: CPU, INTERP (interpreter), NULL (does nothing), NAME:1
  TINY_DEBUG      letters, any number of them:
                    k  kernels: a line each, with name, time, GFLOPS, GB/s, memory
                    s  schedule: what became one kernel and why, the memory plan
                    i  IR after each pass            c  source code of kernels     d  their disassembly
                    r  rules, each time one fires    R  hits and attempts of each rule, when a context closes
                    t  totals when a context closes  p  progress of long work, even without a terminal
  TINY_CACHE      folder of compiled programs; empty: keep nothing on disk
  TINY_THREADS    number of threads of the CPU device
  TINY_CC         the compiler of kernels, instead of clang or cc

ERRORS
  A call that cannot do its work records a code and a message that names shapes or values, and returns a code,
  NULL, or the context's poisoned tensor: never NULL from an operator, and every operator passes poison
  through. The first error stays until tiny_clear: tiny_status gives its code, tiny_error its message. NULL
  tensors count as poisoned.

MEMORY
  All memory comes from tiny_desc.alloc, one function shaped like realloc, or from malloc.
  tiny_desc.max_nbytes caps the buffers. When memory is refused, the call fails with TINY_E_MEMORY, nothing
  leaks, and the context goes on working. tiny_from copies, tiny_blob does not. tiny_free drops a handle; what
  other tensors were built from stays.

FRAMES
  A tensor made between tiny_begin and tiny_end dies at tiny_end unless tiny_keep moved it out. Frames nest.
  tiny_end also runs the assignments that are pending: a training step is begin, loss, tiny_grad, a step of
  the optimiser, end. The same step again is found in the schedule cache by its structure and replayed; no
  annotation is needed.

THREADS
  A context and its tensors belong to one thread at a time; contexts share nothing, so each thread may have
  its own. The CPU device runs kernels on its own threads or on tiny_desc.pool. Results do not depend on their
  number.

KERNELS OF YOUR OWN
  tiny_kernel takes source in the device's language or a graph of UOps and gives a tensor like any other. An
  entry point takes a pointer to the elements of the output first, then one for each input, row-major.

BUILDING
  C11 or later, C++17 or later; gcc, clang and MSVC's dialect; Linux, macOS and Windows. Link with -lm and
  -lpthread where the system keeps these apart. The implementation may be compiled as C and used from C++, and
  the other way round.
---- end src/api/manual.txt ----

Where things stand in tiny.h

    131  src/api/api.h       everything a user may call, in the order he meets it
    620  src/base/memory.c   the context, the caller's allocator, scratch memory, and what happens when there
                             is none left
    765  src/base/hash.c     mixing for structural hashes, and a map from pointers to pointers in scratch
                             memory for the passes
    819  src/base/text.c     building strings and byte runs in scratch memory; error messages that name
                             shapes; debug lines
    890  src/base/os.c       the only room that knows which system it runs on: Linux, macOS, Windows; x86-64,
                             arm64
   1483  src/base/process.c  runs child processes, several at a time, each fed from memory and heard into
                             memory
   1805  src/ir/dtype.c      what the element types are: sizes, names, classes, promotion, and the one form
                             that values have in the IR
   1962  src/ir/alu.c        the meaning of every arithmetic op, once
   2078  src/ir/uop.c        the one node type, from a user's matmul to a loop counter
   2483  src/shape/view.c    shape, strides, offset and mask over flat memory; stacks of views; index and
                             validity expressions
   2950  src/runtime/pool.c  the context's threads, which stand ready between kernels
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
  #define TINY_SHAPE(...) tiny_shape_of((int)(sizeof((int64_t[]){0, __VA_ARGS__}) / sizeof(int64_t)) - 1, (int64_t[]){0, __VA_ARGS__})
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
typedef struct tiny_alloc { void *(*fn)(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes); void *user; } tiny_alloc;

// The host's own threads: calls task(arg, i) once for every i in 0..n-1, in any order, on any threads, and
// returns when all have returned.
typedef struct tiny_pool { void (*fn)(void *user, int n, void (*task)(void *arg, int i), void *arg); void *user; int threads; } tiny_pool;

typedef struct tiny_logger { void (*fn)(void *user, const char *line); void *user; } tiny_logger;

typedef struct tiny_desc {
  const char *device;                      // "CPU", "INTERP", "NULL", a backend's name, "NAME:1"; NULL: $TINY_DEV, else the first that opens
  const tiny_backend *backends[8];         // companions and own accelerators; CPU, INTERP and NULL are always there
  int threads;                             // 0: one per core, or $TINY_THREADS
  tiny_pool pool;                          // instead of own threads
  tiny_alloc alloc; size_t max_nbytes;     // host's allocator; cap on the bytes of all live buffers (0: none)
  tiny_logger log;                            // where lines go; default stderr, and only when asked by debug
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
TINY_API tiny_tensor *tiny_like(tiny_tensor *x, double value);                   // 0-d constant of x's dtype: tiny_mul(x, tiny_like(x, 2))
// A 0-d value that may change every step without a new kernel being made: learning rates, step counts.
TINY_API tiny_tensor *tiny_scalar(tiny_ctx *t, double value, tiny_dtype dtype);
TINY_API tiny_tensor *tiny_arange(tiny_ctx *t, double start, double stop, double step, tiny_dtype dtype);
TINY_API tiny_tensor *tiny_eye(tiny_ctx *t, int64_t n, tiny_dtype dtype);
TINY_API tiny_tensor *tiny_rand(tiny_ctx *t, tiny_shape shape);                  // f32 uniform in [0,1); same numbers on every device
TINY_API tiny_tensor *tiny_randn(tiny_ctx *t, tiny_shape shape);                 // f32 normal, mean 0, deviation 1

TINY_API tiny_code   tiny_read(tiny_tensor *x, void *out, size_t nbytes);        // realizes x, copies it out row-major; nbytes must be its size
TINY_API tiny_code   tiny_write(tiny_tensor *x, const void *data, size_t nbytes);// replaces the contents of a realized or fresh tensor
TINY_API tiny_code   tiny_realize(tiny_tensor *const *x, int n);                 // runs what x[0..n-1] need, in one schedule
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
TINY_API tiny_tensor *tiny_expand(tiny_tensor *x, tiny_shape shape);             // broadcasts; new dims go in front; -1 keeps a dim
TINY_API tiny_tensor *tiny_pad(tiny_tensor *x, tiny_shape before_after, double value); // (b0,a0, b1,a1, ...), negative amounts crop
TINY_API tiny_tensor *tiny_shrink(tiny_tensor *x, tiny_shape begin_end);         // (b0,e0, b1,e1, ...)
TINY_API tiny_tensor *tiny_flip(tiny_tensor *x, tiny_shape axes);
TINY_API tiny_tensor *tiny_slice(tiny_tensor *x, int axis, int64_t start, int64_t stop, int64_t step); // Python's rules; step may be negative
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

TINY_API tiny_tensor *tiny_sum(tiny_tensor *x, int axis, int keepdim);           // f16, bf16 accumulate in f32; small ints give i32 or u32
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

// x (..,M,K) @ w (..,K,N) -> (..,M,N). Leading dims broadcast; a 1-d operand acts as a row or column and its dim
// vanishes. f16 and bf16 accumulate in f32. TINY_E_SHAPE if the inner dims differ.
TINY_API tiny_tensor *tiny_matmul(tiny_tensor *x, tiny_tensor *w);
TINY_API tiny_tensor *tiny_linear(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias);  // x (..,K), w (N,K), bias (N) or NULL -> (..,N)
TINY_API tiny_tensor *tiny_softmax(tiny_tensor *x, int axis);
TINY_API tiny_tensor *tiny_log_softmax(tiny_tensor *x, int axis);
TINY_API tiny_tensor *tiny_logsumexp(tiny_tensor *x, int axis, int keepdim);
TINY_API tiny_tensor *tiny_cross_entropy(tiny_tensor *logits, tiny_tensor *labels);    // (N,C), integer (N) -> 0-d mean
TINY_API tiny_tensor *tiny_one_hot(tiny_tensor *labels, int64_t classes);              // integer (..) -> bool (..,classes)
TINY_API tiny_tensor *tiny_gather(tiny_tensor *x, int axis, tiny_tensor *index);       // as torch.gather
TINY_API tiny_tensor *tiny_index_select(tiny_tensor *x, int axis, tiny_tensor *index); // index (n): rows, out of range gives 0
typedef struct tiny_conv2d_desc { int stride[2], pad[2], dilation[2], groups; } tiny_conv2d_desc; // zero: 1, 0, 1, 1
// x (B,C,H,W), w (O,C/groups,KH,KW), bias (O) or NULL -> (B,O,H',W').
TINY_API tiny_tensor *tiny_conv2d(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias, const tiny_conv2d_desc *d);
TINY_API tiny_tensor *tiny_max_pool2d(tiny_tensor *x, int kernel, int stride, int pad);// stride 0: kernel
TINY_API tiny_tensor *tiny_avg_pool2d(tiny_tensor *x, int kernel, int stride, int pad);
TINY_API tiny_tensor *tiny_layer_norm(tiny_tensor *x, int ndims, tiny_tensor *w, tiny_tensor *b, double eps); // over the last ndims dims; w, b may be NULL
typedef struct tiny_batch_norm_state { tiny_tensor *mean, *var, *weight, *bias; double eps, momentum; } tiny_batch_norm_state; // eps 0: 1e-5; momentum 0: 0.1
// x (B,C,..). train: normalizes by the batch and assigns the running mean and variance (C); else by those.
TINY_API tiny_tensor *tiny_batch_norm(tiny_tensor *x, tiny_batch_norm_state *s, int train);
TINY_API tiny_tensor *tiny_dropout(tiny_tensor *x, double p, int train);

// grads[i] = d loss / d params[i], new lazy tensors. loss must have one element. A parameter that loss does not
// depend on gets zeros. Gradients can be differentiated again.
TINY_API tiny_code   tiny_grad(tiny_tensor *loss, tiny_tensor *const *params, int n, tiny_tensor **grads);

// Optimisers: zero-initialised structs that own their state; every step only queues assignments.
typedef struct tiny_sgd  { double lr, momentum, weight_decay; int nesterov; tiny_tensor **velocity; int n; } tiny_sgd;   // lr 0: 1e-2
typedef struct tiny_adam { double lr, beta1, beta2, eps, weight_decay; tiny_tensor **m, **v; int n; int64_t step; } tiny_adam; // 0: 1e-3, .9, .999, 1e-8
TINY_API tiny_code   tiny_sgd_step(tiny_sgd *o, tiny_tensor *const *params, tiny_tensor *const *grads, int n);
TINY_API tiny_code   tiny_adam_step(tiny_adam *o, tiny_tensor *const *params, tiny_tensor *const *grads, int n); // weight_decay decouples (AdamW)
TINY_API void        tiny_sgd_free(tiny_sgd *o);
TINY_API void        tiny_adam_free(tiny_adam *o);

// ** programs and kernels ********************************************************************* >>programs

// Captures the kernels that make outputs from inputs. Inputs must be realized; their contents are not frozen.
TINY_API tiny_program *tiny_capture(tiny_ctx *t, tiny_tensor *const *inputs, int n, tiny_tensor *const *outputs, int m);
// Replays with other inputs of the same shapes. outputs[i] are fresh tensors. Cost: about a microsecond per kernel.
TINY_API tiny_code   tiny_run(tiny_program *p, tiny_tensor *const *inputs, tiny_tensor **outputs);
TINY_API int         tiny_program_kernels(const tiny_program *p);
TINY_API void        tiny_program_free(tiny_program *p);

typedef struct tiny_kernel_desc {
  const char *name;                        // entry point of source
  const char *source;                      // in the device's language, with the device's calling convention (see the manual), or
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
TINY_API tiny_code  tiny_views_reshape(tiny_views *v, tiny_shape shape);         // pushes a view when strides cannot express it
TINY_API int        tiny_views_contiguous(const tiny_views *v);                  // 1: one view, row-major, offset 0, no mask
TINY_API int64_t    tiny_views_at(const tiny_views *v, const int64_t *index);    // flat element of memory, or -1 where masked out
// Index and validity expressions of element (index[0], ..) for the IR. *valid is a bool CONST 1 when there is no mask.
TINY_API tiny_code  tiny_views_expr(tiny_ctx *t, const tiny_views *v, tiny_uop *const *index, tiny_uop **flat, tiny_uop **valid);

// ** the IR *********************************************************************************** >>ir

// name, sources (-1: any number), flags. What k, v and the sources of an op mean is told in ir/uop.c.
#define TINY_OPS(_) \
  /* leaves */ \
  _(CONST, 0, 0) _(BUFFER, 0, 0) _(PARAM, 0, 0) _(SCALAR, 0, 0) _(ARG, 0, 0) _(IOTA, 0, 0) _(RANGE, 1, 0) _(SPECIAL, 1, 0) \
  _(DEFINE, 0, 0) _(LANE, 0, 0) \
  /* tensor graph */ \
  _(RESHAPE, 1, TINY_MOVEMENT) _(PERMUTE, 1, TINY_MOVEMENT) _(EXPAND, 1, TINY_MOVEMENT) _(PAD, 1, TINY_MOVEMENT) \
  _(SHRINK, 1, TINY_MOVEMENT) _(FLIP, 1, TINY_MOVEMENT) _(VIEW, 1, TINY_MOVEMENT) \
  _(REDUCE, -1, 0) _(CONTIGUOUS, 1, 0) _(DETACH, 1, 0) _(ASSIGN, 3, 0) _(CUSTOM, -1, 0) \
  /* memory, order and loops */ \
  _(STAGE, -1, 0) _(INDEX, -1, 0) _(LOAD, -1, 0) _(STORE, -1, TINY_VOIDOP) _(AFTER, -1, 0) _(BARRIER, -1, TINY_VOIDOP) \
  _(END, -1, TINY_VOIDOP) _(IF, -1, TINY_VOIDOP) _(ENDIF, 1, TINY_VOIDOP) _(GROUP, -1, TINY_VOIDOP) _(SINK, -1, TINY_VOIDOP) \
  /* lanes of vectors */ \
  _(BROADCAST, 1, 0) _(STACK, -1, 0) _(PICK, 1, 0) _(HREDUCE, 1, 0) \
  /* arithmetic */ \
  _(CAST, 1, 0) _(BITCAST, 1, 0) \
  _(NEG, 1, TINY_ALU) _(EXP2, 1, TINY_ALU) _(LOG2, 1, TINY_ALU) _(SIN, 1, TINY_ALU) _(SQRT, 1, TINY_ALU) _(TRUNC, 1, TINY_ALU) \
  _(ADD, 2, TINY_ALU | TINY_COMM | TINY_ASSOC) _(MUL, 2, TINY_ALU | TINY_COMM | TINY_ASSOC) _(SUB, 2, TINY_ALU) _(FDIV, 2, TINY_ALU) \
  _(IDIV, 2, TINY_ALU) _(MOD, 2, TINY_ALU) _(CDIV, 2, TINY_ALU) _(CMOD, 2, TINY_ALU) \
  _(MAX, 2, TINY_ALU | TINY_COMM | TINY_ASSOC) \
  _(LT, 2, TINY_ALU | TINY_CMP) _(NE, 2, TINY_ALU | TINY_CMP | TINY_COMM) _(EQ, 2, TINY_ALU | TINY_CMP | TINY_COMM) \
  _(AND, 2, TINY_ALU | TINY_COMM | TINY_ASSOC) _(OR, 2, TINY_ALU | TINY_COMM | TINY_ASSOC) _(XOR, 2, TINY_ALU | TINY_COMM | TINY_ASSOC) \
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
  uint8_t op, dtype, ndim, flags;          // ndim: of the tensor graph's shape
  uint16_t lanes; uint16_t nv;             // lanes >= 1; nv: length of v
  uint32_t nsrc, mark, seq;                // mark, seq: private to walks
  tiny_uop **src;
  int64_t k;                               // CONST: the value (floats: bits of the f64); else see ir/uop.c
  const int64_t *v, *dim;                  // list argument; shape
  void *ptr;                               // BUFFER: storage; CUSTOM: description
  int64_t vmin, vmax;                      // bounds of integers and bools, inclusive
  uint64_t hash;                           // structural: independent of addresses and of creation order
  tiny_uop *next, *realized;               // private: table chain; the BUFFER that holds this node's value
};

// Nodes live until nothing that the context knows refers to them; build and use them without tensor calls between.
TINY_API tiny_uop   *tiny_uop_new(tiny_ctx *t, int op, tiny_dtype dtype, tiny_uop *const *src, int nsrc, int64_t k, const int64_t *v, int nv);
TINY_API tiny_uop   *tiny_uop_of(const tiny_tensor *x);                          // the graph of a tensor
TINY_API size_t      tiny_uop_print(tiny_ctx *t, tiny_uop *u, char *out, size_t nbytes);  // as snprintf: returns the length needed
TINY_API tiny_uop   *tiny_uop_parse(tiny_ctx *t, const char *text);              // NULL and an error with a caret
TINY_API tiny_uop   *tiny_uop_simplify(tiny_ctx *t, tiny_uop *u);                // symbolic algebra to a fixed point
// Interprets an expression; vars[i] is the value of every RANGE, ARG and SCALAR with id i. Result in out as int64 or f64 bits.
TINY_API tiny_code   tiny_uop_eval(tiny_ctx *t, tiny_uop *u, const int64_t *vars, int nvars, int64_t *out);
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

// A C-like language, all of it: formats that the renderer fills in. %0 %1 %2: operands, always atoms or in parentheses;
// %t: the result's type, %e: the type of its elements, %i: the signed integer type of its width and lanes, %s: the type of
// operand 0; %l: lanes, %b: bits of an element, %k: the node's k; %n: a name; %a: parameters; %d: a number or dimension.
typedef struct tiny_language {
  const char *name, *file;                 // "C", "c": file extension in dumps
  const char *const *prelude;              // lines before the first kernel of a module; NULL ends them
  const char *lanes;                       // a line for every number of lanes in use: "LANES(%l)"; NULL: none
  const char *kernel, *buffer, *scalar;    // "void %n(%a) {", "%t *%n", "%t %n": entry and its parameters; NULL: not in %a
  const char *open_buffer, *open_scalar;   // statements after the brace that fetch parameter %n from slot %k; NULL: none
  const char *entry;                       // the last statements before the body; NULL: none
  const char *local, *barrier;             // "__local %t %n[%d];"
  const char *global_id, *local_id;        // "get_group_id(%d)"
  const char *types[TINY_DTYPE_COUNT];     // NULL: not even stored: held as an integer of its size
  const char *vector;                      // name of a vector type: "%ex%l"; NULL: no vectors
  const char *ops[TINY_OP_COUNT];          // NULL: not in the language, decomposed before rendering
  const char *vops[TINY_OP_COUNT];         // with a vector as operand or result; NULL: as ops
  const char *address;                     // of element %1 of memory %0: "%0 + %1"
  // Vectors of memory: %0 address (gather, scatter: memory, then %1 elements), value of a store, mask, otherwise
  const char *load, *load_masked, *gather, *gather_masked;     // "%0", "%0 %1 mask %2 otherwise", "%0 %1", "%0 %1 %2 %3"
  const char *store, *store_masked, *scatter, *scatter_masked; // "%0 %1", "%0 %1 %2 mask", "%0 %1 %2", "%0 %1 %2 %3 mask"
  const char *low, *high;                  // halves of a vector: %t of %s; NULL: HREDUCE picks its lanes
  const char *infinity, *nan;
  uint32_t flags;                          // TINY_LANG_*
} tiny_language;
enum {
  TINY_LANG_SATURATES = 1,                 // float to integer saturates and NaN gives 0
  TINY_LANG_DIVIDES = 2,                   // integer x / 0 is 0 and x % 0 is x, and the least integer / -1 wraps
  TINY_LANG_SHIFTS = 4                     // shifts by the width or more give 0 (or the sign)
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
  const char *(*target)(void *dev);                                              // part of the disk cache's key: "x86_64 avx512f"
  void       (*language)(void *dev, tiny_language *out);                         // NULL: load_uops takes the IR itself
  void      *(*alloc)(void *dev, size_t nbytes);                                 // NULL: no memory
  void       (*free)(void *dev, void *mem, size_t nbytes);
  tiny_code  (*copy_in)(void *dev, tiny_mem dst, const void *src, size_t nbytes);
  tiny_code  (*copy_out)(void *dev, void *dst, tiny_mem src, size_t nbytes);
  // n modules at once, so that a device may compile them in parallel: source[i] -> binary[i]; the compiler's words -> log.
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
  struct tn_device *device; struct tn_programs *programs; struct tn_pool *pool;
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
  tiny_fail(t, TINY_E_MEMORY, "out of memory: %llu bytes were refused by the allocator", (unsigned long long)nbytes);
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

// Grows a scratch array to hold one more element.
static void *tn_grow(tiny_ctx *t, void *array, int n, int *cap, size_t elem_nbytes) {
  if (n < *cap) return array;
  *cap = *cap ? *cap * 2 : 16;
  void *grown = tn_scratch(t, (size_t)*cap * elem_nbytes);
  if (n) memcpy(grown, array, (size_t)n * elem_nbytes);
  return grown;
}
#define TN_PUSH(t, array, n, cap, type) (((array) = (type *)tn_grow(t, array, n, &(cap), sizeof(type))), &(array)[(n)++])

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
  int i = (int)(tn_hash_mix(0, (uint64_t)(uintptr_t)key) & (uint64_t)(m->cap - 1));
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

static void tn_text_add(tiny_bytes *b, const char *format, ...) TN_PRINTF(2, 3);
static void tn_text_add(tiny_bytes *b, const char *format, ...) {
  char small[512];
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  const int n = vsnprintf(small, sizeof small, format, args);
  va_end(args);
  if (n >= 0 && (size_t)n < sizeof small) tiny_bytes_add(b, small, (size_t)n);
  else if (n >= 0) {
    char *big = (char *)tn_scratch(b->t, (size_t)n + 1);
    vsnprintf(big, (size_t)n + 1, format, again);
    tiny_bytes_add(b, big, (size_t)n);
  }
  va_end(again);
}

// "(32,784)" into a caller's buffer, for messages.
static const char *tn_dims_text(char *out, size_t nbytes, int n, const int64_t *dim) {
  size_t at = (size_t)snprintf(out, nbytes, "(");
  for (int i = 0; i < n && at < nbytes; i++) at += (size_t)snprintf(out + at, nbytes - at, i ? ",%lld" : "%lld", (long long)dim[i]);
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
// Clock, environment, terminal; what the processor can do; pages and executable memory; atomics, threads, locks; files
// and folders; shared libraries. Child processes are in base/process.c.
// Nothing here records an error in the context or changes anything process-wide (signal handlers, locale, folder):
// functions answer 1 or a pointer when they did it, 0 or NULL when they did not, and the caller knows what it means.
// No descriptor or mapping is held while memory is asked for, since that may unwind (base/memory.c).
// Descriptors are never inherited by children of the host. Paths are the C library's: bytes on POSIX, code page on Windows.
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
  #include <dlfcn.h>
  #include <fcntl.h>
  #include <poll.h>
  #include <pthread.h>
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

// With -std=c11 the C libraries of Linux hide all that is not ISO C, unless a feature macro is set before the host's
// first #include: a header cannot ask for that. What this room needs of the hidden part is declared as POSIX has it.
#if defined(__linux__) && defined(__STRICT_ANSI__) && !defined(__cplusplus)
  extern int clock_gettime(int clock, struct timespec *out);
  extern int kill(pid_t pid, int sig);
  extern int madvise(void *at, size_t nbytes, int advice);
  extern int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
  extern int sigfillset(sigset_t *set);
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
         TN_OS_CLOEXEC = 02000000, TN_OS_DUPFD_CLOEXEC = 1030 };       // asm-generic: the same on x86-64 and arm64
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

// Bits as in Intel SDM vol. 2A, CPUID. AVX-512 counts when it comes with DQ, BW and VL: every core since Skylake-X.
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
  if ((saved & 0x06) == 0x06 && features[2] >> 5 & 1 && ecx1 >> 12 & 1) c->vector_nbytes = 32;      // AVX2 and FMA
  if ((saved & 0xe6) == 0xe6 && (features[2] & avx512) == avx512) c->vector_nbytes = 64, c->vector_registers = 32;
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
    if (strncmp(line, "BogoMIPS", 8) && strncmp(line, "processor", 9)) h = tn_hash_bytes(h, line, strlen(line));
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
  return VirtualProtect(p, nbytes, PAGE_EXECUTE_READ, &old) && FlushInstructionCache(GetCurrentProcess(), p, nbytes);
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

// ** atomics: sequentially consistent, on int64_t **

#if defined(_MSC_VER) && !defined(__clang__)
static inline int64_t tn_os_atomic_add(int64_t *p, int64_t v) { return _InterlockedExchangeAdd64((volatile __int64 *)p, v); }
static inline int64_t tn_os_atomic_load(int64_t *p) { return _InterlockedOr64((volatile __int64 *)p, 0); }
static inline void tn_os_atomic_store(int64_t *p, int64_t v) { _InterlockedExchange64((volatile __int64 *)p, v); }
#else
static inline int64_t tn_os_atomic_add(int64_t *p, int64_t v) { return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); }
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

enum { TN_OS_STACK = 8 * 1024 * 1024 };    // bytes: kernels keep tiles on the stack; some systems give 128 KiB

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
  thread->id = CreateThread(NULL, TN_OS_STACK, tn_os_thread_main, thread, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
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

#ifdef _WIN32
typedef HANDLE tn_os_handle;
static int tn_os_open(const char *path, int create, tn_os_handle *out) {
  *out = CreateFileA(path, create ? GENERIC_WRITE : GENERIC_READ, create ? 0 : FILE_SHARE_READ | FILE_SHARE_DELETE,
                     NULL, create ? CREATE_NEW : OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
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
static int tn_os_rename(const char *from, const char *to) { return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) != 0; }
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

// Appends the whole file to out. 0: there is none, it is bigger than max_nbytes, or it changes while it is read.
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
  const uint64_t here = (uint64_t)(uintptr_t)&beside;       // threads differ by their stacks
  const int length = snprintf(beside, sizeof beside, "%s.%llx-%llx-%llx", path, (unsigned long long)tn_os_process_id(),
                              (unsigned long long)here, (unsigned long long)tn_os_now());
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

// ** shared libraries **

static void *tn_os_library_open(const char *name) {
#ifdef _WIN32
  return (void *)LoadLibraryA(name);
#else
  return dlopen(name, RTLD_NOW | RTLD_LOCAL);
#endif
}
static void *tn_os_library_symbol(void *library, const char *name) {
#ifdef _WIN32
  void *p = NULL;
  const FARPROC f = GetProcAddress((HMODULE)library, name);
  memcpy(&p, &f, sizeof p);
  return p;
#else
  return dlsym(library, name);
#endif
}
static void tn_os_library_close(void *library) {
  if (!library) return;
#ifdef _WIN32
  FreeLibrary((HMODULE)library);
#else
  dlclose(library);
#endif
}
#endif
// ---- end src/base/os.c ----
// ---- begin src/base/process.c ----
// process: runs child processes, several at a time, each fed from memory and heard into memory.
//
// In:  jobs: argv, and the bytes of stdin. Out: the bytes of stdout and stderr and the exit code, in scratch memory.
// One thread serves all children through poll(). A child's stdin and stdout are one socket, its stderr another: a socket,
// unlike a pipe, can be written without a SIGPIPE when the child has died, and so no signal handling is touched. The
// sockets close on exec, so that children don't inherit each other's ends.
// When memory runs out in between, the children are killed, waited for and their sockets closed before it unwinds.
#ifndef TN_BASE_PROCESS
#define TN_BASE_PROCESS
#ifndef TINY_AMALGAMATED
#include "os.c"
#endif

typedef struct tn_job {
  const char *const *argv;                 // argv[0]: the program's path; NULL ends the list
  const char *input; size_t input_nbytes;
  tiny_bytes out, err;
  int exit_code;                           // 128 + signal when it was killed; 127 when it could not be started
} tn_job;

typedef struct tn_child tn_child;
typedef struct tn_children { tn_job *job; int n, at_once; tn_child *child; } tn_children;

// Runs work(t, arg). When an allocation in it fails, undo(arg) is called on the way out.
static tiny_code tn_process_protect(tiny_ctx *t, tiny_code (*work)(tiny_ctx *t, void *arg), void (*undo)(void *arg), void *arg) {
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

// Waits for the end of a child that has closed its outputs. A host that reaps all children itself hides the exit code;
// it then counts as 0, and the caller sees from the output whether the child did its work.
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
    const ssize_t put = send(c->io, job->input + c->sent, job->input_nbytes - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
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
  if (!there || !ReadFile(*h, piece, there < sizeof piece ? there : (DWORD)sizeof piece, &got, NULL)) return 0;
  tiny_bytes_add(to, piece, got);
  return 1;
}
static int tn_process_send(tn_child *c, const tn_job *job) {
  DWORD put = 0;
  const size_t left = job->input_nbytes - c->sent;
  if (!c->in) return 0;
  if (left && !WriteFile(c->in, job->input + c->sent, left < 4096 ? (DWORD)left : 4096, &put, NULL)) c->sent = job->input_nbytes;
  c->sent += put;
  if (c->sent >= job->input_nbytes) tn_process_close(&c->in);
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
    tn_process_close(&c->in); tn_process_close(&c->out); tn_process_close(&c->err); tn_process_close(&c->process);
  }
}
#endif

// Runs all jobs, at most at_once of them at a time, and returns when all have ended. TINY_E_MEMORY or TINY_OK: whether
// a job did well is for its exit code to say.
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

// ** ir: the node and its arithmetic **
// ---- begin src/ir/dtype.c ----
// dtype: what the element types are: sizes, names, classes, promotion, and the one form that values have in the IR.
//
// A value travels as an int64 "k": bools and integers as themselves (u64 by its bits), floats as the bits of an f64 that
// the dtype can hold exactly. tn_dtype_wrap and tn_dtype_round bring any result back into a dtype; tn_dtype_load and
// tn_dtype_store go between k and memory.
#ifndef TN_IR_DTYPE
#define TN_IR_DTYPE
#ifndef TINY_AMALGAMATED
#include "../base/text.c"
#endif

// name, bytes, class ('b'ool, 's'igned, 'u'nsigned, 'f'loat), mantissa bits, least normal exponent of floats
typedef struct tn_dtype_row { const char *name; uint8_t nbytes; char kind; uint8_t mantissa; int16_t least; } tn_dtype_row;
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

TINY_API size_t tiny_dtype_nbytes(tiny_dtype d) { return (unsigned)d < TINY_DTYPE_COUNT ? tn_dtypes[d].nbytes : 0; }
TINY_API const char *tiny_dtype_name(tiny_dtype d) { return (unsigned)d < TINY_DTYPE_COUNT ? tn_dtypes[d].name : "?"; }

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
    return fabs(x) < 3.4028235677973366e38 ? (x < 0 ? -3.4028234663852886e38 : 3.4028234663852886e38) : x < 0 ? -HUGE_VAL : HUGE_VAL;
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
  const int e = (b & 0x7FFF) >> r->mantissa, ones = 0x7FFF >> r->mantissa, fraction = b & ((1 << r->mantissa) - 1);
  const double x = e == ones ? (fraction ? (double)NAN : HUGE_VAL)
                 : e ? ldexp(fraction + (1 << r->mantissa), e - 1 + r->least - r->mantissa) : ldexp(fraction, r->least - r->mantissa);
  return b & 0x8000 ? -x : x;
}

static int64_t tn_dtype_load(int d, const void *p) {
  switch (d) {
    case TINY_BOOL: return *(const uint8_t *)p != 0;
    case TINY_U8: return *(const uint8_t *)p;
    case TINY_I8: return *(const int8_t *)p;
    case TINY_F32: { float f; memcpy(&f, p, 4); return tn_from_f64(f); }
    case TINY_F64: { double f; memcpy(&f, p, 8); return tn_from_f64(f); }
    case TINY_F16: case TINY_BF16: { uint16_t b; memcpy(&b, p, 2); return tn_from_f64(tn_dtype_unpack16(d, b)); }
    case TINY_I16: case TINY_U16: { uint16_t b; memcpy(&b, p, 2); return tn_dtype_wrap(d, b); }
    case TINY_I32: case TINY_U32: { uint32_t b; memcpy(&b, p, 4); return tn_dtype_wrap(d, b); }
    default: { int64_t k; memcpy(&k, p, 8); return k; }
  }
}
static void tn_dtype_store(int d, void *p, int64_t k) {
  if (d == TINY_F32) { const float f = (float)tn_to_f64(k); memcpy(p, &f, 4); }
  else if (d == TINY_F16 || d == TINY_BF16) { const uint16_t b = tn_dtype_pack16(d, tn_to_f64(k)); memcpy(p, &b, 2); }
  else if (tn_bits(d) == 8) { const uint8_t b = (uint8_t)k; memcpy(p, &b, 1); }
  else if (tn_bits(d) == 16) { const uint16_t b = (uint16_t)k; memcpy(p, &b, 2); }
  else if (tn_bits(d) == 32) { const uint32_t b = (uint32_t)k; memcpy(p, &b, 4); }
  else memcpy(p, &k, 8);
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
  return d == TINY_BOOL || tn_is_unsigned(d) ? 0 : tn_is_int(d) && tn_bits(d) < 64 ? -((int64_t)1 << (tn_bits(d) - 1)) : INT64_MIN;
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
// Integers wrap to the dtype's width through unsigned arithmetic, division by zero gives 0 (remainder: the dividend), shifts
// beyond the width give 0 (or the sign). Floats are computed in f64 and rounded once to the dtype, which is exact for
// + - * / sqrt of f32 and narrower (Figueroa, "When is double rounding innocuous?", 1995). MAX is NaN if either operand is.
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
    case TINY_OP_POW: { uint64_t r = 1, base = x; if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
                        for (uint64_t e = y; e; e >>= 1) { if (e & 1) r *= base; base *= base; } return (int64_t)r; }
    case TINY_OP_TRUNC: return a;
    default: return 0;
  }
}

static int64_t tn_alu_compare(int op, int d, int64_t a, int64_t b) {
  if (tn_is_float(d)) {
    const double x = tn_to_f64(a), y = tn_to_f64(b);
    return op == TINY_OP_LT ? x < y : op == TINY_OP_NE ? x != y : x == y;
  }
  return op == TINY_OP_LT ? (d == TINY_U64 ? (uint64_t)a < (uint64_t)b : a < b) : op == TINY_OP_NE ? a != b : a == b;
}

// The value of op on constants. from: dtype of the first source (of the operands of comparisons; of what a cast
// converts); d: dtype of the result; k: the node's own k; v: values of the sources.
static int64_t tn_alu(int op, int d, int from, int64_t k, const int64_t *v, int nsrc) {
  const int64_t a = v[0], b = nsrc > 1 ? v[1] : 0, c = nsrc > 2 ? v[2] : 0;
  switch (op) {
    case TINY_OP_CAST: return tn_dtype_convert(d, from, a);
    case TINY_OP_BITCAST: { unsigned char raw[8] = {0}; tn_dtype_store(from, raw, a); return tn_dtype_load(d, raw); }
    case TINY_OP_LT: case TINY_OP_NE: case TINY_OP_EQ: return tn_alu_compare(op, from, a, b);
    case TINY_OP_WHERE: return a ? b : c;
    case TINY_OP_THREEFRY: return tn_threefry((uint32_t)a, (uint32_t)b, (uint32_t)c, (uint32_t)v[3], (int)k);
    default: break;
  }
  if (!tn_is_float(d)) return tn_dtype_wrap(d, tn_alu_int(op, d, a, b, c));
  if (op == TINY_OP_MULADD && d != TINY_F64) return tn_from_f64(tn_dtype_round(d, tn_dtype_round(d, tn_to_f64(a) * tn_to_f64(b)) + tn_to_f64(c)));
  return tn_from_f64(tn_dtype_round(d, tn_alu_float(op, tn_to_f64(a), tn_to_f64(b), tn_to_f64(c))));
}
#endif
// ---- end src/ir/alu.c ----
// ---- begin src/ir/uop.c ----
// uop: the one node type, from a user's matmul to a loop counter. Nodes are immutable and hash-consed: two nodes with the same
// op, dtype, lanes, k, v, ptr and sources are the same pointer, so equality is ==. Made when a node is: its shape, integer
// bounds and structural hash. Operands of commutative ops are put in structural order here, constants last, so that
// neither the caller's order nor C's order of evaluation shows in any result.
//
// What k, v and the sources mean, where the op table does not say:
//   CONST k value | BUFFER k serial, v {nelem}, ptr storage | PARAM k slot, v {nelem} | SCALAR k value | ARG k slot
//   IOTA k n: 0..n-1 | RANGE (extent) k id<<8|kind | SPECIAL (extent) k dim | 16 if local | DEFINE k id, v {space, nelem}
//   LANE: 0..lanes-1 | RESHAPE EXPAND v shape | PERMUTE v axes | PAD v {before, after}.. | SHRINK v {begin, end}.. | FLIP k axis bits
//   VIEW (buffer) k offset, v {shape.., strides..}: any strides over flat memory
//   REDUCE (x) k op | axis bits<<8 in tensors; (x ranges..) k op in kernels | ASSIGN (base view value) -> base
//   STAGE (x ranges..) k space | INDEX (memory element [valid]) | LOAD (index [otherwise]) | STORE (index value)
//   AFTER (x deps..) -> x | END (body ranges..) | BROADCAST (x) to lanes | STACK (x0 x1 ..) | PICK (vector) k lane | HREDUCE (vector) k op
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

// Kinds of ranges, outermost first. A kernel's loops nest in this order.
enum { TN_TASK, TN_GLOBAL, TN_LOCAL, TN_LOOP, TN_GROUP, TN_REDUCE, TN_UPCAST, TN_UNROLL, TN_VECTOR, TN_KINDS };
// Where a DEFINE or STAGE lives.
enum { TN_SPACE_GLOBAL, TN_SPACE_LOCAL, TN_SPACE_REG };

enum { TN_NODE_CLASS = 32, TN_NODE_CLASSES = 24, TN_NODE_CHUNK = 64 * 1024 };
struct tn_ir {
  tiny_uop **table; uint32_t cap, n;
  void *unused[TN_NODE_CLASSES];           // nodes of 32, 64, 96 .. bytes to take again, linked through their first word
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
  const size_t rounded = (nbytes + TN_NODE_CLASS - 1) & ~(size_t)(TN_NODE_CLASS - 1), c = rounded / TN_NODE_CLASS;
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
  const size_t rounded = (tn_uop_nbytes(u) + TN_NODE_CLASS - 1) & ~(size_t)(TN_NODE_CLASS - 1), c = rounded / TN_NODE_CLASS;
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
    case TINY_OP_PAD: for (int i = 0; i < x->ndim; i++) dim[i] = x->dim[i] + v[2 * i] + v[2 * i + 1]; return x->ndim;
    case TINY_OP_SHRINK: for (int i = 0; i < x->ndim; i++) dim[i] = v[2 * i + 1] - v[2 * i]; return x->ndim;
    case TINY_OP_REDUCE: for (int i = 0; i < x->ndim; i++) dim[i] = u->k >> (8 + i) & 1 ? 1 : x->dim[i]; return x->ndim;
    default:                               // elementwise: 0-d sources broadcast
      for (uint32_t i = 0; i < u->nsrc; i++) if (u->src[i]->ndim) { *shared = u->src[i]->dim; return u->src[i]->ndim; }
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
  if (b->vmin == b->vmax && a->vmin > INT64_MIN / 2 && tn_floor_div(a->vmin, b->vmin) == tn_floor_div(a->vmax, b->vmin) &&
      (a->vmin >= 0 || u->op == TINY_OP_MOD)) {            // the same quotient throughout
    u->vmin = a->vmin - tn_floor_div(a->vmin, b->vmin) * b->vmin;
    u->vmax = a->vmax - tn_floor_div(a->vmin, b->vmin) * b->vmin;
  }
}

static void tn_bounds_compare(tiny_uop *u, const tiny_uop *a, const tiny_uop *b) {
  if (a->dtype == TINY_U64 || tn_is_float(a->dtype)) return;
  const int apart = a->vmax < b->vmin || b->vmax < a->vmin;
  const int same = a == b || (a->vmin == a->vmax && b->vmin == b->vmax && a->vmin == b->vmin);
  if (u->op == TINY_OP_LT) { if (a->vmax < b->vmin) u->vmin = 1; if (a->vmin >= b->vmax || a == b) u->vmax = 0; }
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
    case TINY_OP_RESHAPE: case TINY_OP_PERMUTE: case TINY_OP_EXPAND: case TINY_OP_SHRINK: case TINY_OP_FLIP: case TINY_OP_VIEW: case TINY_OP_CONTIGUOUS:
    case TINY_OP_DETACH: case TINY_OP_BROADCAST: case TINY_OP_PICK: u->vmin = a->vmin; u->vmax = a->vmax; break;
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
    case TINY_OP_SUB: if (b->vmin > INT64_MIN) { u->vmin = tn_clamp_add(a->vmin, -b->vmax); u->vmax = tn_clamp_add(a->vmax, -b->vmin); } break;
    case TINY_OP_MUL: {
      const int64_t p[4] = {tn_clamp_mul(a->vmin, b->vmin), tn_clamp_mul(a->vmin, b->vmax), tn_clamp_mul(a->vmax, b->vmin), tn_clamp_mul(a->vmax, b->vmax)};
      u->vmin = u->vmax = p[0];
      for (int i = 1; i < 4; i++) { if (p[i] < u->vmin) u->vmin = p[i]; if (p[i] > u->vmax) u->vmax = p[i]; }
      break;
    }
    case TINY_OP_IDIV: case TINY_OP_CDIV: tn_bounds_div(u, a, b); break;
    case TINY_OP_MOD: case TINY_OP_CMOD: tn_bounds_mod(u, a, b); break;
    case TINY_OP_MAX: u->vmin = a->vmin > b->vmin ? a->vmin : b->vmin; u->vmax = a->vmax > b->vmax ? a->vmax : b->vmax; break;
    case TINY_OP_LT: case TINY_OP_NE: case TINY_OP_EQ: tn_bounds_compare(u, a, b); break;
    case TINY_OP_AND:
      if (u->dtype == TINY_BOOL) { u->vmin = a->vmin & b->vmin; u->vmax = a->vmax & b->vmax; }
      else if (tn_is_const(b) && b->k >= 0) { u->vmin = 0; u->vmax = a->vmin >= 0 && a->vmax < b->k ? a->vmax : b->k; }
      break;
    case TINY_OP_OR: if (u->dtype == TINY_BOOL) { u->vmin = a->vmin | b->vmin; u->vmax = a->vmax | b->vmax; } break;
    case TINY_OP_SHR: if (tn_is_const(b) && b->k >= 0 && b->k < 63) { u->vmin = tn_floor_div(a->vmin, (int64_t)1 << b->k); u->vmax = tn_floor_div(a->vmax, (int64_t)1 << b->k); } break;
    case TINY_OP_SHL: if (tn_is_const(b) && b->k >= 0 && b->k < 62) { u->vmin = tn_clamp_mul(a->vmin, (int64_t)1 << b->k); u->vmax = tn_clamp_mul(a->vmax, (int64_t)1 << b->k); } break;
    case TINY_OP_WHERE:
      u->vmin = b->vmin < u->src[2]->vmin ? b->vmin : u->src[2]->vmin; u->vmax = b->vmax > u->src[2]->vmax ? b->vmax : u->src[2]->vmax; break;
    case TINY_OP_CAST: if (!tn_is_float(a->dtype) && a->dtype != TINY_U64) { u->vmin = a->vmin; u->vmax = a->vmax; } break;
    default: break;
  }
  if (u->dtype != TINY_INDEX && (u->vmin < low || u->vmax > high)) { u->vmin = low; u->vmax = high; }
}

static uint64_t tn_uop_hash(const tiny_uop *u) {
  uint64_t h = tn_hash_mix((uint64_t)u->op << 32 | (uint64_t)u->dtype << 16 | u->lanes, u->nsrc);
  if (u->op != TINY_OP_BUFFER && u->op != TINY_OP_SCALAR) h = tn_hash_mix(h, (uint64_t)u->k);
  for (int i = 0; i < u->nv; i++) h = tn_hash_mix(h, (uint64_t)u->v[i]);
  for (uint32_t i = 0; i < u->nsrc; i++) h = tn_hash_mix(h, u->src[i]->hash);
  return h;
}

// Structural order of the operands of commutative ops: constants last, plain ranges and lanes late, then by op and hash.
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
  if (!table) return;                      // longer chains until there is memory again; the caller's node fails on its own
  for (uint32_t i = 0; i < ir->cap; i++) for (tiny_uop *u = ir->table[i], *next; u; u = next) {
    next = u->next;
    tiny_uop **slot = &table[u->hash & (cap - 1)];
    u->next = *slot; *slot = u;
  }
  tn_release(t, ir->table, ir->cap * sizeof *ir->table);
  ir->table = table; ir->cap = cap;
}

static tiny_uop *tn_uop_make_with(tiny_ctx *t, int op, int dtype, int lanes, int nsrc, tiny_uop *const *src, int64_t k, int nv, const int64_t *v, void *ptr) {
  struct tn_ir *ir = t->ir;
  tiny_uop *swapped[2];
  for (int i = 0; i < nsrc; i++) if (!src[i] || src[i] == &ir->bad) return &ir->bad;
  if (nsrc == 2 && tn_op_is(op, TINY_COMM) && tn_uop_order(src[0], src[1]) > 0) {
    swapped[0] = src[1]; swapped[1] = src[0];
    src = swapped;
  }
  tiny_uop key;
  memset(&key, 0, sizeof key);
  key.op = (uint8_t)op; key.dtype = (uint8_t)dtype; key.lanes = (uint16_t)lanes; key.nv = (uint16_t)nv; key.nsrc = (uint32_t)nsrc;
  key.k = k; key.v = v; key.src = (tiny_uop **)(uintptr_t)src; key.ptr = ptr;
  key.hash = tn_uop_hash(&key);
  for (tiny_uop *u = ir->table[key.hash & (ir->cap - 1)]; u; u = u->next) {
    if (u->hash == key.hash && u->op == op && u->dtype == dtype && u->lanes == lanes && u->nsrc == key.nsrc && u->nv == nv && u->k == k && u->ptr == ptr &&
        (!nsrc || !memcmp(u->src, src, (size_t)nsrc * sizeof *src)) && (!nv || !memcmp(u->v, v, (size_t)nv * sizeof *v))) return u;
  }
  int64_t dim[TINY_MAX_DIMS];
  const int64_t *shared = NULL;
  const int ndim = tn_uop_shape(&key, v, dim, &shared), own = shared ? 0 : ndim;
  tiny_uop *u = (tiny_uop *)tn_uop_alloc(t, sizeof *u + (size_t)nsrc * sizeof *src + (size_t)(nv + own) * sizeof *v);
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
  tiny_uop **slot = &ir->table[u->hash & (ir->cap - 1)];
  u->next = *slot; *slot = u;
  t->stats.nodes = ir->n;
  return u;
}
static tiny_uop *tn_uop_make(tiny_ctx *t, int op, int dtype, int lanes, int nsrc, tiny_uop *const *src, int64_t k, int nv, const int64_t *v) {
  return tn_uop_make_with(t, op, dtype, lanes, nsrc, src, k, nv, v, NULL);
}

// The same node with other sources.
static tiny_uop *tn_uop_with(tiny_ctx *t, const tiny_uop *u, tiny_uop *const *src) {
  int lanes = u->lanes;
  if (tn_op_is(u->op, TINY_ALU) || u->op == TINY_OP_CAST || u->op == TINY_OP_BITCAST) {
    lanes = 1;
    for (uint32_t i = 0; i < u->nsrc; i++) if (src[i] && src[i]->lanes > lanes) lanes = src[i]->lanes;
  }
  return tn_uop_make_with(t, u->op, u->dtype, lanes, (int)u->nsrc, src, u->k, u->nv, u->v, u->ptr);
}

static tiny_uop *tn_int(tiny_ctx *t, int dtype, int64_t k) { return tn_uop_make(t, TINY_OP_CONST, dtype, 1, 0, NULL, tn_dtype_wrap(dtype, k), 0, NULL); }
static tiny_uop *tn_index(tiny_ctx *t, int64_t k) { return tn_int(t, TINY_INDEX, k); }
static tiny_uop *tn_bool(tiny_ctx *t, int64_t k) { return tn_int(t, TINY_BOOL, k); }
// A number as a constant of any dtype.
static tiny_uop *tn_number(tiny_ctx *t, int dtype, double x) { return tn_uop_make(t, TINY_OP_CONST, dtype, 1, 0, NULL, tn_dtype_value(dtype, x), 0, NULL); }

static tiny_uop *tn_u1(tiny_ctx *t, int op, tiny_uop *a) { return tn_uop_make(t, op, a->dtype, a->lanes, 1, &a, 0, 0, NULL); }
static tiny_uop *tn_u2(tiny_ctx *t, int op, tiny_uop *a, tiny_uop *b) {
  tiny_uop *src[2] = {a, b};
  if (!a || !b) return &t->ir->bad;
  return tn_uop_make(t, op, tn_op_is(op, TINY_CMP) ? (int)TINY_BOOL : a->dtype, a->lanes > b->lanes ? a->lanes : b->lanes, 2, src, 0, 0, NULL);
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
  while (ir->chunks) { void **older = (void **)ir->chunks[0]; tn_release(t, ir->chunks, TN_NODE_CHUNK); ir->chunks = older; }
  tn_release(t, ir, sizeof *ir);
  t->ir = NULL;
}

TINY_API tiny_uop *tiny_uop_new(tiny_ctx *t, int op, tiny_dtype dtype, tiny_uop *const *src, int nsrc, int64_t k, const int64_t *v, int nv) {
  if (!t) return NULL;
  if ((unsigned)op >= TINY_OP_COUNT || (unsigned)dtype >= TINY_DTYPE_COUNT || nsrc < 0 || nv < 0 || nv > 2 * TINY_MAX_DIMS ||
      (tn_ops[op].nsrc >= 0 && tn_ops[op].nsrc != nsrc)) {
    tiny_fail(t, TINY_E_ARG, "uop_new: op %d with %d sources, dtype %d", op, nsrc, (int)dtype);
    return NULL;
  }
  int lanes = 1;
  for (int i = 0; i < nsrc; i++) {
    if (!src[i]) { tiny_fail(t, TINY_E_ARG, "uop_new: source %d of %s is NULL", i, tn_ops[op].name); return NULL; }
    if (src[i]->lanes > lanes) lanes = src[i]->lanes;
  }
  tiny_uop *u = tn_uop_make(t, op, dtype, lanes, nsrc, src, k, nv, v);
  return u == &t->ir->bad ? NULL : u;
}
#endif
// ---- end src/ir/uop.c ----

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
#endif
// ---- end src/shape/view.c ----

// ** runtime: threads **
// ---- begin src/runtime/pool.c ----
// pool: the context's threads, which stand ready between kernels.
//
// In:  a task and a count. Out: task(arg, i) has run once for every i in 0..count-1, on this thread and the workers.
// A job is open from its publication until the caller has found no more tasks to take. A worker enters (inside + 1), then
// looks whether the job is open, and only then reads what the job is. The caller closes the job and waits until nobody is
// inside. All four are sequentially consistent, so either the worker sees the job closed or the caller sees the worker.
// Thus a worker that the system has not scheduled delays nobody, and the job's plain fields are never read while written.
// Workers spin for a moment before they sleep: the next kernel of a schedule mostly comes within microseconds.
#ifndef TN_RUNTIME_POOL
#define TN_RUNTIME_POOL
#ifndef TINY_AMALGAMATED
#include "../base/process.c"
#endif

enum {
  TN_POOL_MAX = 1024,                      // threads
  TN_POOL_SPIN_NS = 30000,                 // sleeping and waking costs about as much
  TN_POOL_SHARES = 16                      // a thread takes 1/16 of its fair share of the tasks at a time
};

struct tn_pool {
  tiny_pool host;                          // fn: the caller's threads are used instead
  int threads, started, spins;             // threads: the caller's included; spins: waiting by spinning makes sense
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
      tn_os_atomic_add(&p->sleepers, 1);   // then looks at jobs; the caller writes jobs, then looks at sleepers
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
  while (p->workers < p->threads - 1 && tn_os_thread_start(&p->worker[p->workers], tn_pool_work, p)) p->workers++;
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

static int tn_pool_threads(const tiny_ctx *t) { return t->pool ? t->pool->threads : 1; }

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
#endif
// ---- end src/runtime/pool.c ----
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
