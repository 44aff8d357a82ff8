// core: codes, dtypes, shapes, the context, and tensors: what every program meets first.
#include <stddef.h>
#include <stdint.h>

// The release that this header is of.
#define TINY_VERSION_MAJOR 0
#define TINY_VERSION_MINOR 1
#define TINY_VERSION "0.1.0"

// What stands in front of every public function: TINY_STATIC makes them private to the file; TINY_DLL, for all files
// that are compiled into a shared library or use it, has it export them, and nothing else needs to be.
#if !defined(TINY_DLL)
  #define TINY_EXPORT
#elif !defined(_WIN32)
  #define TINY_EXPORT __attribute__((visibility("default")))
#elif defined(TINY_IMPLEMENTATION)
  #define TINY_EXPORT __declspec(dllexport)
#else
  #define TINY_EXPORT __declspec(dllimport)
#endif
#ifdef TINY_STATIC
  #if defined(__GNUC__) || defined(__clang__)
    #define TINY_API __attribute__((unused, noinline)) static
  #else
    #define TINY_API static
  #endif
#elif defined(__cplusplus)
  #define TINY_API extern "C" TINY_EXPORT
#else
  #define TINY_API extern TINY_EXPORT
#endif

// One device, its caches, its tensors: tiny_open.
typedef struct tiny_ctx     tiny_ctx;
// A lazy array: shape, dtype and the graph that makes it.
typedef struct tiny_tensor  tiny_tensor;
// Captured kernels, planned and compiled: tiny_capture.
typedef struct tiny_program tiny_program;
// A node of the IR: >>ir.
typedef struct tiny_uop     tiny_uop;
// A kind of device: >>backends.
typedef struct tiny_backend tiny_backend;

// ** codes, dtypes, shapes ******************************************************************** >>types

// What a call returns, and what a context remembers of its first error: tiny_status.
typedef enum tiny_code {
  TINY_MORE = -1,   // no error: tiny_run_for has more to do
  TINY_OK = 0,
  TINY_E_ARG,       // an argument is out of its documented range, or NULL
  TINY_E_SHAPE,     // shapes do not fit each other
  TINY_E_DTYPE,     // the operator has no meaning for this dtype
  TINY_E_MEMORY,    // the allocator returned NULL or the cap was reached
  TINY_E_DEVICE,    // no such device, or the device failed
  TINY_E_COMPILE,   // the kernel compiler failed; the message holds its first lines
  TINY_E_IO,        // a file could not be read or written
  TINY_E_STATE,     // the call is out of order (tiny_end without tiny_begin ...)
  TINY_E_INTERNAL,  // a bug of this library: the message names the room that noticed
  TINY_E_CANCELLED  // by tiny_desc.progress: the same call goes on where it was; by tiny_cancel: no error that stays
} tiny_code;

// "TINY_E_SHAPE"; "?" for what is no code. The text is static.
TINY_API const char *tiny_code_name(tiny_code code);
// The release of the implementation, "0.1.0": another than TINY_VERSION where header and library do not belong
// together. The text is static; any thread may ask.
TINY_API const char *tiny_version(void);
// How the implementation was compiled, for reports of bugs: "source 4b1e..; C 201112L by gcc 12.2 for x86-64,
// optimized; TINY_NO_NN": digest of its sources, language, compiler, instructions, and the OPTIONS that were defined.
// Static, too.
TINY_API const char *tiny_build_options(void);

// Types of elements. Their order is the order of promotion within a kind.
typedef enum tiny_dtype {
  TINY_VOID = 0,                           // in a descriptor: the default dtype
  TINY_BOOL,
  TINY_I8, TINY_U8, TINY_I16, TINY_U16, TINY_I32, TINY_U32, TINY_I64, TINY_U64,
  TINY_F8E4M3,                             // 4 bits of exponent, 3 of fraction; up to 448, no infinity: beyond is NaN
  TINY_F8E5M2,                             // 5 and 2 bits: the upper half of an f16
  TINY_F16, TINY_BF16, TINY_F32, TINY_F64,
  TINY_INDEX,                              // IR only: integers of index arithmetic before a width is chosen
  TINY_DTYPE_COUNT
} tiny_dtype;

// The most dims that a tensor has.
#define TINY_MAX_DIMS 16
// The most devices that a context has.
#define TINY_MAX_DEVICES 16
// As an axis: all axes.
#define TINY_ALL (-1000)
// As a bound of a slice, start or stop: left out, as in Python's x[2:] and x[::-1].
#define TINY_END INT64_MAX

// A real zero where 0 means the default: in every struct that is filled in, and for arguments called eps or rtol.
// tiny_optim.momentum, tiny_attention_desc.scale ..
#define TINY_ZERO 1e-300

// Dims, outermost first; also a list of axes or of amounts. 0 dims: one element.
typedef struct tiny_shape { int ndim; int64_t dim[TINY_MAX_DIMS]; } tiny_shape;

// TINY_SHAPE(2, 3): a shape, an axis list or a list of amounts. TINY_SHAPE() has no dims: a 0-d tensor.
#ifdef __cplusplus
  template <typename... T> static inline tiny_shape tiny_shape_list(T... d) {
    const int64_t v[] = {0, static_cast<int64_t>(d)...};
    tiny_shape s = tiny_shape();
    s.ndim = static_cast<int>(sizeof...(d));
    for (int i = 0; i < s.ndim && i < TINY_MAX_DIMS; i++) s.dim[i] = v[i + 1];
    return s;
  }
  #define TINY_SHAPE(...) tiny_shape_list(__VA_ARGS__)
#else
  #define TINY_SHAPE(...) \
    tiny_shape_list((int)(sizeof((int64_t[]){0, __VA_ARGS__}) / sizeof(int64_t)) - 1, (int64_t[]){0, __VA_ARGS__})
  static inline tiny_shape tiny_shape_list(int n, const int64_t *v) {
    tiny_shape s;
    s.ndim = n;                            // more than TINY_MAX_DIMS is an error of the call that takes it
    for (int i = 0; i < TINY_MAX_DIMS; i++) s.dim[i] = i < n ? v[i + 1] : 0;
    return s;
  }
#endif

// TINY_AXES(0, -1): several axes in the place of one, where a reduction or tiny_squeeze takes it; TINY_AXES(): none.
// Axes from the end go down to -14.
static inline int tiny_axes_of(int n, const int *axis) {
  int bits = 1 << 30;                      // bits 0 to 15: axes from the front, 16 to 29: from -14 to -1
  for (int i = 1; i <= n; i++) {
    const int at = axis[i] < 0 ? axis[i] + 30 : axis[i];
    if (axis[i] < -14 || axis[i] > 15 || bits >> at & 1) return TINY_ALL - 1;  // no axis: an error of the call
    bits |= 1 << at;
  }
  return bits;
}
#ifdef __cplusplus
  template <typename... T> static inline int tiny_axes_list(T... d) {
    const int v[] = {0, static_cast<int>(d)...};
    return tiny_axes_of(static_cast<int>(sizeof...(d)), v);
  }
  #define TINY_AXES(...) tiny_axes_list(__VA_ARGS__)
#else
  #define TINY_AXES(...) \
    tiny_axes_of((int)(sizeof((int[]){0, __VA_ARGS__}) / sizeof(int)) - 1, (int[]){0, __VA_ARGS__})
#endif

// TINY_ARRAY(a, b): an array of tensors and their number, in the place of these two arguments. It lives as long as what
// surrounds the call: in C the block, in C++ the expression. TINY_ARRAY() has none; NULL may stand among them.
#ifdef __cplusplus
  template <size_t N> static inline tiny_tensor *const *tiny_array_at(tiny_tensor *const (&x)[N]) { return x + 1; }
  template <size_t N> char (&tiny_array_bytes(tiny_tensor *const (&x)[N]))[N];
  #define TINY_ARRAY(...) \
    tiny_array_at({nullptr, __VA_ARGS__}), static_cast<int>(sizeof(tiny_array_bytes({nullptr, __VA_ARGS__}))) - 1
#else
  #define TINY_ARRAY(...) \
    (tiny_tensor *[]){NULL, __VA_ARGS__} + 1, \
      (int)(sizeof((tiny_tensor *[]){NULL, __VA_ARGS__}) / sizeof(tiny_tensor *)) - 1
#endif

// Bytes of one element; TINY_INDEX: 8; TINY_VOID, and what is no dtype: 0.
TINY_API size_t      tiny_dtype_nbytes(tiny_dtype d);
// "f32"; "?" for what is no dtype. The text is static.
TINY_API const char *tiny_dtype_name(tiny_dtype d);
#ifndef TINY_RUNTIME_ONLY
// The least dtype that holds both, as PyTorch promotes; TINY_VOID if one is no dtype.
TINY_API tiny_dtype  tiny_promote(tiny_dtype a, tiny_dtype b);
#endif

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
  int threads;                             // how many tasks it runs at a time; 0: one for each core
} tiny_pool;

// Takes the next nbytes of what is saved; returns 0 when it cannot, which ends the save with TINY_E_IO.
typedef struct tiny_writer { int (*fn)(void *user, const void *data, size_t nbytes); void *user; } tiny_writer;

// Takes a line of the log, without its end, on the thread that called the library.
typedef struct tiny_logger { void (*fn)(void *user, const char *line); void *user; } tiny_logger;

// What a call that takes long is doing.
typedef enum tiny_work { TINY_COMPILING, TINY_SEARCHING } tiny_work;
// How far it is: done of total kernels are there, name is one that is being made, and elapsed_ns have passed since that
// began. name is good during the callback. Compiling: of the kernels that the call needs. Searching: of those that are
// searched for.
typedef struct tiny_progress_info {
  tiny_work what; int done, total; const char *name; uint64_t elapsed_ns;
} tiny_progress_info;
// Called while kernels are compiled or searched for, at least every 100 ms where the device's compiler is a process
// (the CPU's is), on the thread that called the library; it must not call it with this context. Anything but 0 cancels
// the call: the compilers are ended, and it fails with TINY_E_CANCELLED.
typedef struct tiny_progress { int (*fn)(void *user, const tiny_progress_info *info); void *user; } tiny_progress;

// How a context is opened. Text is copied; backends, and what the functions are given as user, outlive the context.
typedef struct tiny_desc {
  // "CPU", "INTERP", "NULL", a backend's name, "NAME:1"; NULL: $TINY_DEV, else the first that opens. "CPU:sse2",
  // "CPU:sse4", "CPU:avx2", "CPU:avx512": an x86 processor as any that has that, x86-64, -v2, -v3 and -v4, by gcc 11,
  // clang 12 or later; "CPU:amx": -v4 with VNNI and the tiles of AMX. "CPU:neon", "CPU:dotprod": any arm64
  // processor, and one with SDOT and UDOT.
  // Several: "NV:0,NV:1,CPU" are devices 0, 1 and 2 of the context
  const char *device;
  const tiny_backend *backends[8];         // companions and own accelerators; CPU, LLVM, INTERP, NULL are always there
  int threads;                             // 0: one per core, or $TINY_THREADS
  tiny_pool pool;                          // instead of own threads
  tiny_alloc alloc; size_t max_nbytes;     // host's allocator; cap on the bytes of live buffers of a device (0: none)
  const size_t *max_nbytes_of;             // caps for each device by its number, 0: max_nbytes; NULL: that for all
  tiny_logger log;                         // where lines go; default stderr, and only when asked by debug
  const char *cache_dir;                   // NULL: $TINY_CACHE or the system's cache folder; "": keep nothing on disk
  const char *debug;                       // letters as in $TINY_DEBUG (see the manual); NULL: $TINY_DEBUG
  uint64_t seed;                           // of tiny_rand and tiny_randn
  // width of the search for fast kernels, SEARCH in the manual; 0: $TINY_BEAM or none, negative: none
  int beam;
  // 1: sums and scatters that many groups share may end in atomic additions, where the device has them: fewer kernels
  // and more of them at a time, but the last bits differ from run to run. 0: of integers alone, the same bits every run
  int atomics;
  // 1: products of f32 may round their operands to TF32, 10 bits of mantissa, where a device's matrix units multiply
  // those: a relative error of 2^-10 of each product, sums are of f32. 0: f32 as it is
  int tf32;
  const char *trace;                       // file for a trace, as tiny_trace_begin; NULL: $TINY_TRACE or none, "": none
  // Who compiles kernels of the CPU. "builtin": the library itself, within a millisecond each; what it does not take is
  // interpreted. "outside": the first of clang, cc and gcc that works. "both": the library itself, and an outside one
  // what that does not take, and kernels that take long, while the program goes on: bits stay. Else the name or path of
  // an outside one. NULL: $TINY_CC, else "both"; "outside" where there is none of our own (TINY_NO_ISA, other
  // processors). It is copied. Other devices that have a choice say in their manuals what these names are there
  const char *compiler;
  int compiler_seconds;                    // that one run of the kernel compiler may take; 0: $TINY_CC_SECONDS or 300
  tiny_progress progress;                  // of compiling and searching; fn NULL: a line on a terminal
  // Compiled kernels that come with the program, as tiny_cache_import and tiny_cache_import_from take them: a file, and
  // bytes, which are copied. What cannot be used is a line of the log.
  const char *cache_file; const void *cache_data; size_t cache_nbytes;
} tiny_desc;

// Opens a context. d may be NULL. Returns NULL only when memory for the context itself is short; any other
// failure (no such device ...) gives a context whose tiny_status says so and whose operators return poison.
TINY_API tiny_ctx   *tiny_open(const tiny_desc *d);
// Waits for the device, frees all that belongs to t, and closes it: tensors, programs, archives, loaders, what layers,
// optimisers and lists of parameters point to. NULL is allowed.
TINY_API void        tiny_close(tiny_ctx *t);
// The end of main: "return tiny_finish(t);". Closes t, after a line of the log (stderr) about an error that stands.
// What main returns: 0, or 1 where there was one, or t is NULL.
TINY_API int         tiny_finish(tiny_ctx *t);
// The first error's message; "" when there is none; never NULL. It stays as it is until tiny_clear or tiny_close.
TINY_API const char *tiny_error(const tiny_ctx *t);
// The first error's code; TINY_OK when there is none. NULL, as tiny_open may give: TINY_E_MEMORY.
TINY_API tiny_code   tiny_status(const tiny_ctx *t);
// Forgets the error. Poisoned tensors stay poisoned, and a context that did not open stays closed.
TINY_API void        tiny_clear(tiny_ctx *t);

#ifndef TINY_RUNTIME_ONLY                  // tensors: a build that only runs has none
// Opens a frame; frames nest.
TINY_API void        tiny_begin(tiny_ctx *t);
// Runs the assignments that are pending, then closes the innermost frame, also after an error, and frees its tensors.
// Returns the code of what ran, or of the error that stands: what was assigned poison was not assigned. TINY_E_STATE:
// no frame is open.
TINY_API tiny_code   tiny_end(tiny_ctx *t);
// Moves x out of all frames: it lives until tiny_free. Returns x, or poison if x cannot be used.
TINY_API tiny_tensor *tiny_keep(tiny_tensor *x);
// Frees the handle; graphs built from it keep what they need. Nothing happens if x is NULL, poison or freed already.
TINY_API void        tiny_free(tiny_tensor *x);
#endif

// Totals since tiny_open.
typedef struct tiny_stats {
  uint64_t kernels, compiled, cache_hits;  // launches; programs compiled; programs taken from disk
  uint64_t schedules, replays;             // graphs planned; graphs found in the schedule cache
  uint64_t flops, nbytes_moved;            // of all launches, as estimated from the kernels
  uint64_t device_ns, compile_ns, lower_ns;// device_ns only counts while debug asks for timing
  uint64_t nbytes_live, nbytes_peak;       // device memory
  // of the schedule with the most intermediate values: memory for them; the most that is alive at once
  uint64_t nbytes_arena, nbytes_arena_least;
  uint64_t nodes;                          // live IR nodes
  uint64_t searches, timed, search_ns;     // kernels searched for; programs timed for that; what it took
  uint64_t copies, nbytes_copied;          // from another device to this one
  // programs taken from what tiny_cache_import gave; programs interpreted, as no compiler was found
  uint64_t shipped, interpreted;
  uint64_t recompiled;                     // programs whose built-in code an outside compiler's has replaced
} tiny_stats;
// The totals of all devices, at no cost; zeros for NULL.
TINY_API tiny_stats  tiny_stats_of(const tiny_ctx *t);

// ** tensors ********************************************************************************** >>tensors

#ifndef TINY_RUNTIME_ONLY

// A tensor of its own memory that holds a copy of data, the elements of shape, row-major: data may go when the call
// returns. TINY_E_ARG: data is NULL. TINY_E_MEMORY: the device has no room.
TINY_API tiny_tensor *tiny_from(tiny_ctx *t, const void *data, tiny_dtype dtype, tiny_shape shape);
// Wraps caller's memory without a copy, for devices that share memory with the host; it must outlive the tensor
// and everything computed from it. strides in elements, NULL: contiguous. Assignment and tiny_write write through. The
// caller may write it between calls: x and its views show what it holds when they are read, and what is computed from
// them reads it when it is computed, and then keeps its values.
TINY_API tiny_tensor *tiny_blob(tiny_ctx *t, void *data, tiny_dtype dtype, tiny_shape shape, const int64_t *strides);
// The same over memory of the device that tiny_use_device names: what its backend's alloc would return, a cl_mem, a
// CUdeviceptr. Elements are row-major, from where it begins. The caller looks at it in the order of the device's own
// queue or stream, or after tiny_sync. Of memory that overlaps another tensor's, not as its view, none is assigned to:
// nothing orders reads and writes of two memories. TINY_E_ARG: mem is NULL; of CUDA, no multiple of 16.
TINY_API tiny_tensor *tiny_blob_of(tiny_ctx *t, void *mem, tiny_dtype dtype, tiny_shape shape);
// A 0-d value that may change every step without a new kernel being made: learning rates, step counts.
TINY_API tiny_tensor *tiny_scalar(tiny_ctx *t, double value, tiny_dtype dtype);

// A 0-d i64 that may change every step as well, from least to most: how much of a dim is meant (tiny_slice_to), where a
// part of it begins (tiny_slice_at). Sums, products, minima .. of such numbers are such numbers too. Memory is planned
// for most. TINY_E_ARG: value is out of bounds; so it is where a program runs with another.
TINY_API tiny_tensor *tiny_length(tiny_ctx *t, int64_t value, int64_t least, int64_t most);

// Realizes x and copies it out, row-major. TINY_E_ARG: nbytes is not its size.
TINY_API tiny_code   tiny_read(tiny_tensor *x, void *out, size_t nbytes);
// Replaces the contents of x, now. Memory of x stays the same memory: its views and captured programs see the new
// contents, tensors built from x before keep the old ones. A view of memory is written through; other tensors that are
// not computed yet get memory. Of a length as much is written as tiny_shape_now says; the rest stays.
TINY_API tiny_code   tiny_write(tiny_tensor *x, const void *data, size_t nbytes);
// Runs what x[0..n-1] need, in one schedule.
TINY_API tiny_code   tiny_realize(tiny_tensor *const *x, int n);
#ifndef TINY_NO_INTERP
// What x is by definition: its graph interpreted node by node, without fusion, codegen or device code. Slow; for tests.
// TINY_E_STATE: x was computed, and what it was computed from was overwritten since.
TINY_API tiny_code   tiny_reference(tiny_tensor *x, void *out, size_t nbytes);
#endif
// Realizes x and gives its only element; NaN on error, of more elements TINY_E_SHAPE. Integers beyond 2^53 lose
// digits: tiny_item_i64 keeps them.
TINY_API double      tiny_item(tiny_tensor *x);
// As tiny_item, as an integer: floats as tiny_cast has them, a u64 beyond INT64_MAX by its bits; 0 on error.
TINY_API int64_t     tiny_item_i64(tiny_tensor *x);
// The shape, which is known before x is computed; no dims for poison. Of a dim that tiny_slice_to made its greatest
// length.
TINY_API tiny_shape  tiny_shape_of(const tiny_tensor *x);
// The same of now: dims that tiny_slice_to made as long as their number is.
TINY_API tiny_shape  tiny_shape_now(const tiny_tensor *x);
// The dtype; TINY_VOID for poison.
TINY_API tiny_dtype  tiny_dtype_of(const tiny_tensor *x);
// The number of elements; 0 for poison.
TINY_API int64_t     tiny_nelem_of(const tiny_tensor *x);
// 1: x can be used. 0: it is NULL, poisoned or freed.
TINY_API int         tiny_ok(const tiny_tensor *x);
// The context that x belongs to, also where x was freed; NULL for NULL.
TINY_API tiny_ctx   *tiny_ctx_of(const tiny_tensor *x);

// In-place assignment: later uses of dst see value (broadcast to dst's shape, cast to its dtype); tensors already
// built from dst keep the old contents. Runs at tiny_end, or when dst is read. dst may be a view made by
// tiny_shrink, tiny_permute ... of a tensor that was assigned, read or created from data: that tensor sees value there,
// also where the view was made, or read, before other parts were assigned or all was written. What tiny_pad or
// tiny_expand gave is no view: it gets memory of its own. Returns dst. A gradient flows on to what value was computed
// from only where dst had no value before; memory that was overwritten is data: while the assignment is pending,
// tiny_grad by what lies behind it is TINY_E_ARG.
TINY_API tiny_tensor *tiny_assign(tiny_tensor *dst, tiny_tensor *value);
// A copy: memory of its own. [torch.clone]
TINY_API tiny_tensor *tiny_clone(tiny_tensor *x);
// x, but fusion stops here: it is stored, row-major.
TINY_API tiny_tensor *tiny_contiguous(tiny_tensor *x);
// x, but no gradient flows through. [torch.Tensor.detach]
TINY_API tiny_tensor *tiny_detach(tiny_tensor *x);
// Floats to integers truncate; beyond their range they saturate, NaN gives 0. Integers wrap. [torch.Tensor.to]
TINY_API tiny_tensor *tiny_cast(tiny_tensor *x, tiny_dtype dtype);
// The bytes of x read as another dtype, not bool. Elements k times as wide make the last dim k times shorter, and the
// other way round. No gradient. [torch.Tensor.view]
TINY_API tiny_tensor *tiny_bitcast(tiny_tensor *x, tiny_dtype dtype);
#endif // TINY_RUNTIME_ONLY
