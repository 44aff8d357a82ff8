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
