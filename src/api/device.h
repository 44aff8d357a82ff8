// device: captured programs, kernels of one's own, views, the IR, and what a device is.
// ** programs and kernels ********************************************************************* >>programs

#ifndef TINY_RUNTIME_ONLY
// Captures the kernels that make outputs from inputs, and in a frame the assignments that are pending: then it is
// a step, which need not have outputs. PROGRAMS in the manual says what a program is bound to. Inputs are realized
// tensors, or of tiny_scalar. NULL after an error; TINY_E_STATE names an input that reaches no output, or what must
// be realized first.
TINY_API tiny_program *tiny_capture(tiny_ctx *t, tiny_tensor *const *inputs, int n, tiny_tensor *const *outputs, int m);
// Replays with other inputs of the same dtypes and shapes: TINY_E_DTYPE, TINY_E_SHAPE. Assignments to memory of the
// program that are pending run first. outputs[i] are fresh tensors, after an error poison; inputs and outputs may
// be one array. Cost: about a microsecond per kernel.
TINY_API tiny_code   tiny_run(tiny_program *p, tiny_tensor *const *inputs, tiny_tensor **outputs);
// As tiny_run, about ns nanoseconds at a time. TINY_MORE while there is more to do, and outputs are as they were: the
// next call goes on there, and does not look at inputs. TINY_OK: outputs are there. After an error, poison, and with
// TINY_E_CANCELLED (tiny_cancel) the run is over, and the next call begins another. A program has one such run at
// a time, which began with its inputs, the contents of memory and the random numbers of then; several programs may each
// have one. A call that would write what it reads or writes, or read what it writes, goes on with it to its end first,
// and so does tiny_run of the same program: the next tiny_run_for then gives its outputs at once. Memory of tiny_blob
// must stay as it is until TINY_OK. tiny_program_free ends the run. Cost: a task of a kernel at least; where a device
// is no CPU, or one of several, a kernel at least, each of which is waited for. How long they take is measured, so that
// the first runs keep to ns less well than later ones.
TINY_API tiny_code   tiny_run_for(tiny_program *p, tiny_tensor *const *inputs, tiny_tensor **outputs, uint64_t ns);
#endif
// From any thread, and from a signal's handler, while t is open: tiny_run, tiny_run_for, tiny_program_call,
// tiny_program_call_for, tiny_realize, tiny_read, tiny_item and tiny_end, whichever is under way on t, or else the next
// of them that runs kernels, ends with TINY_E_CANCELLED (tiny_item: NaN; tiny_item_i64: 0) at the next task of a kernel
// of the CPU, elsewhere, and where it is interpreted, at the next kernel; and with it all runs of tiny_run_for and
// tiny_program_call_for, each of which is told so by its next call. It is no error that stays:
// tiny_status is TINY_OK, nothing is poison, outputs are as they were, a frame is open, and the same call may be
// made again, or t closed. What an assignment, or a program that assigns, has written by then stays: such memory may
// hold old values, new ones, and some of both. What a device that goes on by itself, such as one of several CPUs, was
// given by calls before is done there all the same, and who waits for that waits to its end. Compiling is not cancelled
// (tiny_desc.progress does that). tiny_clear forgets what nothing has met.
TINY_API void        tiny_cancel(tiny_ctx *t);
#ifndef TINY_RUNTIME_ONLY
// Kernels of the first run. Later ones leave out those that depend on the program's own memory alone.
TINY_API int         tiny_program_kernel_count(const tiny_program *p);
#endif
// Frees the program and what it keeps; the tensors that its runs gave stay. NULL is allowed; tiny_close does it too.
TINY_API void        tiny_program_free(tiny_program *p);

#ifndef TINY_RUNTIME_ONLY
// Compiling ahead, on a thread of the library's own, while the context goes on: WARMING UP in the manual. Each of these
// is called on the context's thread, as all else is. They plan and render, which takes milliseconds, and return;
// nothing is run. A call that needs a kernel before it is there waits for it; what the compiler finds wrong, that call
// tells. Where there are no threads, on devices other than the CPU, and with debug letters c and d they compile at
// once. What a search is wanted for is left to the call that needs it.

// What tiny_realize(x, n) would compile; n = 0: what the end of the frame would.
TINY_API tiny_code   tiny_warm(tiny_ctx *t, tiny_tensor *const *x, int n);
// What tiny_capture with these arguments would compile. Assignments that were pending when the frame was opened run.
TINY_API tiny_code   tiny_warm_capture(tiny_ctx *t, tiny_tensor *const *inputs, int n, tiny_tensor *const *outputs,
                                       int m);
// How many of these kernels are not there yet. Those that have come are loaded. 0 for NULL.
TINY_API int         tiny_warm_left(tiny_ctx *t);
// Waits until none is left. tiny_close does not: it ends the compilers.
TINY_API tiny_code   tiny_warm_wait(tiny_ctx *t);

// Kernels that come with the program, for machines without a compiler and for a fast start: WARMING UP in the manual.
// What is imported is executed, and must come from where the program itself comes from.
#ifndef TINY_NO_IO
// Writes the compiled kernels that t has used to a file, beside those that an earlier export put there, also for other
// instruction sets. The file is replaced as a whole or not at all. TINY_E_IO: it cannot be written, or what is there is
// no such file.
TINY_API tiny_code   tiny_cache_export(tiny_ctx *t, const char *path);
// From now on kernels that the file has for this machine's instruction set, or for a part of it, are neither lowered
// nor compiled; graphs are cut into kernels as on the machine that they come from. TINY_E_IO: it cannot be read, or is
// cut off, changed, or of another version of tiny.h; nothing of it is used then.
TINY_API tiny_code   tiny_cache_import(tiny_ctx *t, const char *path);
#endif
// As tiny_cache_export, to a function, without what an earlier export wrote.
TINY_API tiny_code   tiny_cache_export_to(tiny_ctx *t, tiny_writer to);
// As tiny_cache_import, from memory, which is copied.
TINY_API tiny_code   tiny_cache_import_from(tiny_ctx *t, const void *data, size_t nbytes);

// A kernel of your own: name and source, name and binary, or uops. Texts and binaries are copied.
typedef struct tiny_kernel_desc {
  const char *name;                        // entry point of source or binary, as the device's tools spell it
  const char *source;                      // in the device's language, see KERNELS OF YOUR OWN in the manual; or
  tiny_uop *uops;                          // a SINK of STOREs to PARAM 0 (the output) from PARAMs 1.. (the inputs)
  tiny_tensor *const *inputs; int n;       // realized before the kernel runs; in C both are .inputs = TINY_ARRAY(a, b)
  tiny_shape shape; tiny_dtype dtype;      // of the output; dtype TINY_VOID: both are those of inputs[0]
  int64_t global[3], local[3];             // work groups and work items per group; zero: 1; products below 2^31
  const void *binary; size_t nbytes;       // in the place of source what a device's compiler made of it: PTX, an object
} tiny_kernel_desc;
// A tensor that a kernel of your own computes, lazy as others. It is compiled when it is first needed, and once, also
// where it is described again; it has no gradient. TINY_E_ARG: not one of source, binary and uops, no name of the first
// two, uops that read beyond their tensors, more than 63 inputs, or sizes out of range; TINY_E_DEVICE: the device takes
// no source, or no binary (INTERP). TINY_E_COMPILE when it is realized: the message holds what the compiler said, or
// that the device does not take the binary. A binary is executed: it must come from where the program itself does.
TINY_API tiny_tensor *tiny_kernel(tiny_ctx *t, const tiny_kernel_desc *d);

// ** views: shape, strides, offset, mask over flat memory ************************************* >>views

// Element (i0, i1, ..) of a view lives at flat element offset + sum i_d * stride[d], and exists only where
// begin[d] <= i_d < end[d] for every d; elsewhere the view reads as zero. Strides may be 0 (broadcast) or negative.
typedef struct tiny_view {
  int ndim;
  int64_t dim[TINY_MAX_DIMS], stride[TINY_MAX_DIMS], begin[TINY_MAX_DIMS], end[TINY_MAX_DIMS];
  int64_t offset;
} tiny_view;

// The most views in a stack.
#define TINY_MAX_VIEWS 8
// A stack of views: v[0] views memory, each further view indexes the flat, row-major elements of the one before it.
typedef struct tiny_views { int n; tiny_view v[TINY_MAX_VIEWS]; } tiny_views;

// Pure functions on caller's structs: no context, no allocation. They return TINY_E_SHAPE and leave *v unchanged
// when the arguments do not fit, TINY_E_STATE when a stack would need more than TINY_MAX_VIEWS views.

// All of contiguous memory, row-major. A shape that is none gives n = 0, which every call below refuses.
TINY_API tiny_views tiny_views_of(tiny_shape shape);
// Memory by these strides, one for each dim, from an offset on, in elements. strides NULL: contiguous.
TINY_API tiny_views tiny_views_strided(tiny_shape shape, const int64_t *strides, int64_t offset);
// Axis i is the old axes[i]; every axis is named once. TINY_E_SHAPE if not.
TINY_API tiny_code  tiny_views_permute(tiny_views *v, tiny_shape axes);
// Dims of 1 grow; as many dims as before. TINY_E_SHAPE: another dim differs.
TINY_API tiny_code  tiny_views_expand(tiny_views *v, tiny_shape shape);
// (before, after, before, after ..) for every dim, amounts >= 0: what is added reads as zero. TINY_E_SHAPE.
TINY_API tiny_code  tiny_views_pad(tiny_views *v, tiny_shape before_after);
// (begin, end, begin, end ..) for every dim, within it. TINY_E_SHAPE.
TINY_API tiny_code  tiny_views_shrink(tiny_views *v, tiny_shape begin_end);
// Backwards along these axes, each named once. TINY_E_SHAPE.
TINY_API tiny_code  tiny_views_flip(tiny_views *v, tiny_shape axes);
// As many elements in another shape; pushes a view when strides cannot express it. TINY_E_SHAPE; TINY_E_STATE: that
// would need more than TINY_MAX_VIEWS views.
TINY_API tiny_code  tiny_views_reshape(tiny_views *v, tiny_shape shape);
// 1: one view, row-major, offset 0, no mask.
TINY_API int        tiny_views_contiguous(const tiny_views *v);
// The flat element of memory; -1 where it is masked out.
TINY_API int64_t    tiny_views_at(const tiny_views *v, const int64_t *index);
// Index and validity expressions of element (index[0], ..) for the IR. *valid is a bool CONST 1 when there is no mask.
TINY_API tiny_code  tiny_views_expr(tiny_ctx *t, const tiny_views *v, tiny_uop *const *index,
                                    tiny_uop **flat, tiny_uop **valid);
#endif // TINY_RUNTIME_ONLY

// ** the IR *********************************************************************************** >>ir

// name, sources (-1: any number), flags. What k, v and the sources of an op mean is told in ir/uop.c.
#define TINY_OPS(_) \
  /* leaves */ \
  _(CONST, 0, 0) _(BUFFER, 0, 0) _(PARAM, 0, 0) _(SCALAR, 0, 0) _(ARG, 0, 0) _(IOTA, 0, 0) \
  _(RANGE, -1, 0) _(SPECIAL, 1, 0) _(DEFINE, 0, 0) _(LANE, 0, 0) \
  /* tensor graph */ \
  _(RESHAPE, 1, TINY_MOVEMENT) _(PERMUTE, 1, TINY_MOVEMENT) _(EXPAND, 1, TINY_MOVEMENT) _(PAD, 1, TINY_MOVEMENT) \
  _(SHRINK, 1, TINY_MOVEMENT) _(FLIP, 1, TINY_MOVEMENT) _(VIEW, 1, TINY_MOVEMENT) \
  _(REDUCE, -1, 0) _(CONTIGUOUS, 1, 0) _(DETACH, -1, 0) _(ASSIGN, 3, 0) _(CUSTOM, -1, 0) _(COPY, 1, 0) \
  _(SHARD, -1, 0) \
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
  _(WHERE, 3, TINY_ALU) _(FMA, 3, TINY_ALU) _(THREEFRY, 4, TINY_ALU) _(DOT, 3, TINY_ALU) \
  /* advice */ \
  _(PREFETCH, 1, TINY_VOIDOP) _(MASKED, -1, TINY_VOIDOP) \
  /* tiles of matrix units */ \
  _(WMMA, 3, 0) \
  /* tensor graph: lengths and positions that are known at launch */ \
  _(SLICE, 2, TINY_MOVEMENT) _(PREFIX, 2, TINY_MOVEMENT) _(WHOLE, 2, 0) \
  /* lanes of a warp */ \
  _(SHUFFLE, 1, 0) \
  /* boxes of memory that the device copies by itself */ \
  _(BULK, -1, TINY_VOIDOP) _(BULKSTORE, -1, TINY_VOIDOP)

// Flags of ops: what moves elements, computes, compares, commutes, associates, has no value.
enum { TINY_MOVEMENT = 1, TINY_ALU = 2, TINY_CMP = 4, TINY_COMM = 8, TINY_ASSOC = 16, TINY_VOIDOP = 32 };
// TINY_OP_CONST ..: an op each.
enum {
#define TINY_OP_ENUM(name, nsrc, flags) TINY_OP_##name,
  TINY_OPS(TINY_OP_ENUM)
#undef TINY_OP_ENUM
  TINY_OP_COUNT
};

// What a DOT multiplies: neighbours that share a 32-bit word, of the first and of the second operand.
enum {
  TINY_DOT_BF16,                           // 2 and 2, into f32; order, rounding and denormals are the device's
  TINY_DOT_U8_I8,                          // 4 and 4, into i32, wrapping
  TINY_DOT_I16,                            // 2 and 2, into i32, wrapping
  TINY_DOT_I8, TINY_DOT_U8,                // 4 and 4 of one kind, into i32, wrapping
  TINY_DOT_COUNT
};

// A node is immutable. Nodes of one context with the same op, dtype, lanes, k, v, ptr and src are the same pointer.
struct tiny_uop {
  uint8_t op, dtype, ndim, flags;          // ndim: of the tensor graph's shape; flags: private
  uint16_t lanes; uint8_t nv, device;      // lanes >= 1; nv: length of v; device: 1 + number; 0: any
  uint32_t nsrc, mark, seq, asked;         // mark, seq: private to walks; asked: private, when it was asked for last
  uint64_t within;                         // private: some of the ops and ranges that it is made of, for walks
  tiny_uop **src;
  int64_t k;                               // CONST: the value (floats: bits of the f64); else see ir/uop.c
  const int64_t *v, *dim;                  // list argument; shape
  tiny_uop **extent;                       // of a tensor's dims how much is meant, NULL: all; NULL for all: no list
  void *ptr;                               // BUFFER: storage; CUSTOM: description
  int64_t vmin, vmax;                      // bounds of integers and bools, inclusive
  uint64_t hash;                           // structural: independent of addresses and of creation order
  tiny_uop *realized;                      // private: the BUFFER that holds this node's value
};

#ifndef TINY_RUNTIME_ONLY
// A node; NULL after an error. It lives until nothing that the context knows refers to it: build and use nodes
// without tensor calls between. src, v: copied.
TINY_API tiny_uop   *tiny_uop_new(tiny_ctx *t, int op, tiny_dtype dtype, tiny_uop *const *src, int nsrc,
                                  int64_t k, const int64_t *v, int nv);
// The graph of a tensor; NULL for what cannot be used.
TINY_API tiny_uop   *tiny_uop_of(const tiny_tensor *x);
// As snprintf: writes up to nbytes with the 0 at the end, returns the length needed.
TINY_API size_t      tiny_uop_print(tiny_ctx *t, tiny_uop *u, char *out, size_t nbytes);
// The node that a text names, as tiny_uop_print writes it. NULL and TINY_E_ARG, with a caret at what is wrong.
TINY_API tiny_uop   *tiny_uop_parse(tiny_ctx *t, const char *text);
// u by symbolic algebra, to a fixed point.
TINY_API tiny_uop   *tiny_uop_simplify(tiny_ctx *t, tiny_uop *u);
#ifndef TINY_NO_INTERP
// Interprets an expression of one lane; vars[i] is the value of every RANGE, ARG and SCALAR with id i. Result in out
// as int64 or f64 bits. TINY_E_ARG.
TINY_API tiny_code   tiny_uop_eval(tiny_ctx *t, tiny_uop *u, const int64_t *vars, int nvars, int64_t *out);
#endif
#endif
// "ADD"; "?" for what is no op. The text is static.
TINY_API const char *tiny_op_name(int op);

// ** backends ********************************************************************************* >>backends

// A cache: bytes in all, bytes of a line, ways; cycles of one core or compute unit for a line that it does not hold but
// the next level does.
typedef struct tiny_memory_level { size_t nbytes; int line, ways; double cycles; } tiny_memory_level;

// How many bits of a lane's number, and of an element's among those of a lane, a layout speaks of; what marks columns.
enum { TINY_LAYOUT_LANE = 6, TINY_LAYOUT_ELEMENT = 4, TINY_LAYOUT_COLUMN = 16 };
// How a lane of a warp finds its elements of a tile. Lists of bits say who holds what: bit i of a lane's number is a
// bit of the row (1 + which), of the column (TINY_LAYOUT_COLUMN + 1 + which), or none: 0, both lanes hold the same; so
// do bits of the number of an element among those of a lane, which ends at the first 0.
typedef struct tiny_warp_layout { uint8_t lane[TINY_LAYOUT_LANE], element[TINY_LAYOUT_ELEMENT]; } tiny_warp_layout;
// A unit that multiplies matrices by a warp: c (m,n) += a (m,k) @ b (k,n), each a tile whose elements all lanes hold
// together. Elements fill registers of 32 bits, low bits first.
typedef struct tiny_warp_unit {
  const char *name;                        // "sm80_m16n8k16_f16": of a function in the languages that have it
  uint8_t m, n, k, warp, a, b, c;          // warp: lanes; a, b, c: dtypes of the elements
  tiny_warp_layout layout[3];              // of a, b and c
} tiny_warp_unit;
#ifndef TINY_RUNTIME_ONLY
// The units of a target by its name: "sm_90", "gfx1100", "apple"; *n of them. NULL and 0: it has none that is known.
TINY_API const tiny_warp_unit *tiny_warp_units(const char *target, int *n);
#endif

// What a device is made of. Zero: not known, or what is told beside it.
typedef struct tiny_limits {
  int host_memory;                         // 1: handles are host pointers; 0: memory of the device's own
  int threads;                             // 1: kernels become tasks of a pool; 0: a grid of groups of work items
  int vector_nbytes;                       // of the widest vectors; 0: none
  int vector_registers;                    // of them; without vectors those of an item; 0: 16, without vectors 64
  int warp;                                // items of a group that go in step; 0: 32
  int compute_units;                       // that groups are spread over: multiprocessors, WGPs; 0: 16
  size_t shared_nbytes;                    // LOCAL memory of a group; 0: none
  size_t cache_nbytes;                     // innermost cache worth packing for, of one core; 0: 1 MiB
  // Caches: the nearest, the one of cache_nbytes, the last before memory. Zero: 32 KiB, cache_nbytes, 16 times that, in
  // lines of 64 bytes and 8 ways.
  tiny_memory_level memory[3];
  int64_t global_max[3], local_max[3];     // groups, and items of a group, in each dim; 0: any number
  int64_t local_total;                     // items of a group in all; 0: 256
  uint64_t dtypes;                         // bit per dtype that has arithmetic; 0: all
  uint64_t atomics;                        // bit per dtype of which elements in memory can be added to atomically
  const tiny_warp_unit *units; int nunits;   // of its warps, as tiny_warp_units has them: the first that fits is taken
  int unit_tiles;                          // of columns, which a unit's product takes from LOCAL memory at once; 0: one
  int unit_rows;                           // tiles of rows that such a product takes from there, too; 0: from registers
  uint64_t unit_dtypes;                    // bit per dtype of operands that such products are there for; 0: all
  int copies_async;                        // 1: items copy 4, 8 or 16 bytes to LOCAL memory and go on meanwhile
  int copies_boxes;                        // 1: one item begins the copy of a box of memory to LOCAL memory: BULK
  int producers;                           // 1: warps beside a group's items may begin its copies of boxes
  int cluster;                             // groups that copy boxes for each other, neighbours of dim 0; 0: none
  int tf32;                                // 1: units may have f32 rounded to TF32: as tiny_desc.tf32 says
} tiny_limits;

// A growing run of bytes in the context's scratch memory: valid until the call of the library that made it returns.
typedef struct tiny_bytes { tiny_ctx *t; char *data; size_t n, cap; } tiny_bytes;

// ** renderers: what a target can do, and how that is written **

// A unit that multiplies matrices: c (m,n) += a (m,k) @ b (k,n), each a tile: a value that is loaded and stored as
// elements that lie together, rows of a and c one after the other. b is made of k/together rows, in which the
// `together` neighbours along k of each of n columns follow each other.
typedef struct tiny_matrix_unit {
  uint8_t m, n, k, together, a, b, c;      // a, b, c: dtypes of the elements
  // How a C-like language writes it; NULL for other renderers:
  const char *type[3];                     // of tiles a, b and c
  const char *load[3], *zero, *store;      // "%0": address; of a tile c: without a source, "%0 %1" address and tile
  const char *product;                     // "%0 %1 %2": tiles a, b and c
} tiny_matrix_unit;

// How a C-like language spells what it has: formats that are filled in. %0 %1 %2: operands, always atoms or in
// parentheses; %t: the result's type, %e: the type of its elements, %i: the signed integer type of its width and
// lanes, %s: the type of operand 0; %l: lanes, %b: bits of an element, %k: the node's k; %n: a name;
// %a: parameters; %d: a number or dimension. Of a WMMA of a unit of warps %n is the unit's name. A format that is NULL
// says that there is no such thing.
typedef struct tiny_language {
  const char *const *prelude;              // lines before the first kernel of a module; NULL ends them
  const char *lanes;                       // a line for every number of lanes in use: "LANES(%l)"; NULL: none
  const char *global_buffer, *global_scalar;   // parameter %n of slot %k, before the kernel
  const char *global_atomic;               // the same of memory that is added to; NULL: global_buffer
  const char *kernel, *end;                // "void %n(%a) {", "}"; %0 %1 %2: work items of a group, for launch bounds
  const char *kernel_units;                // the same of a kernel with WMMAs of units of warps; NULL: kernel
  const char *buffer, *scalar;             // "%t *%n", "%t %n": parameters; NULL: not in %a
  const char *buffer_read;                 // of memory that the kernel does not store to; NULL: buffer
  const char *open_buffer, *open_scalar;   // statements that fetch parameter %n from slot %k; NULL: none
  const char *entry;                       // the last statements before the body; NULL: none
  const char *local, *barrier;             // "__local %t %n[%k];"
  // Copies %t from address %1 to address %0 of LOCAL memory, zeros unless %2, while items go on; waits for all such
  // copies but those since the %k-th wait before; NULL: items copy as they load and store
  const char *copy, *wait;
  const char *global_local;                // the same, before the kernel; NULL: local
  const char *local_given;                 // where LOCAL is too much for a stack: at byte %k of a launch's; NULL: local
  const char *global_id, *local_id;        // "(%t)get_group_id(%d)"
  const char *variable, *variables;        // "%t %n;", "%t %n[%k];": of accumulators; NULL: so
  const char *value, *choice;              // "const %t %n = %0;": a name for a value; of integers that are choices
  // "for (%t %n = %1; %n < %0; %n++) {"; for TINY_HINT_LONG; a line before it for TINY_HINT_ROLLED; NULL: as any other
  const char *range, *range_long, *rolled;
  const char *load_if, *store_if;          // "(%1 ? %0 : %2)", "if (%1) %0;": load, or store, condition, otherwise
  const char *types[TINY_DTYPE_COUNT];     // NULL: not even stored: held as an integer of its size
  const char *literals[TINY_DTYPE_COUNT];  // "%kll": of number %k; NULL: "(%t)%k"
  const char *infinity, *nan, *zero;       // zero: of a vector, "(%t){0}"
  const char *vector;                      // name of a vector type: "%ex%l"; NULL: no vectors
  const char *ops[TINY_OP_COUNT];          // NULL: not in the language, decomposed before rendering
  const char *vops[TINY_OP_COUNT];         // with a vector as operand or result; NULL: as ops
  const char *bops[TINY_OP_COUNT];         // of bools; NULL: as ops
  const char *eops[TINY_OP_COUNT];         // of an element of i32, i64, f32, f64 that cannot wrap; NULL: as ops
  const char *address, *address_apart;     // of element %1, or %1 + %2, of memory %0: "%0 + %1"; NULL: by the sum
  // Vectors of memory: %0 address (gather, scatter: memory, then %1 elements), value of a store, mask, otherwise
  const char *load, *load_masked;          // "%0"; "%0 %1 mask %2 otherwise"
  // The same of memory as aligned as vectors are, LOCAL or, of TINY_TARGET_ALIGNED, any; NULL: as load, store
  const char *load_aligned, *store_aligned;
  const char *load_turned, *load_rows;     // of rows of 8x8 matrices, by a warp, as columns and as words; NULL: none
  const char *gather, *gather_masked;      // "%0 %1"; "%0 %1 %2 mask %3 otherwise"
  const char *store, *store_masked;        // "%0 %1"; "%0 %1 %2 mask"
  const char *scatter, *scatter_masked;    // "%0 %1 %2"; "%0 %1 %2 %3 mask"
  const char *atomics[TINY_DTYPE_COUNT];   // adds %1 to the element at %0, to which others add as well; NULL: none
  const char *stream;                      // as store, for TINY_HINT_STREAM; NULL: never asked for
  const char *prefetch;                    // asks for address %0, which will be wanted soon; NULL: never
  // CASTs of f32 to floats of tiny_renderer.casts, whose type is that of their bits, and back: of an element, of a
  // vector; NULL: as any CAST
  const char *pack[2], *unpack[2];
  const char *dots[TINY_DOT_COUNT];        // of words %0 and %1, sum so far %2: one, or 4 and more; NULL: none
  const char *shuffle;                     // lanes %a of %0 and %1, whose lanes are numbered on; NULL: single lanes
  const char *low, *high;                  // halves of a vector: %t of %s
  int decimal;                             // 1: floats are decimal numbers; 0: hexadecimal ones
} tiny_language;

// What ops can be applied to: an element, a vector; LOAD and STORE also to a vector under a mask, to elements that lie
// apart (gather, scatter), to those under a mask; PICK of a vector: half of its lanes.
enum { TINY_ON_ELEMENTS = 1, TINY_ON_VECTORS = 2, TINY_ON_MASKED = 4, TINY_ON_APART = 8, TINY_ON_APART_MASKED = 16 };
// What else a target does: tiny_renderer.flags.
enum {
  TINY_TARGET_SATURATES = 1,               // float to integer saturates and NaN gives 0
  TINY_TARGET_DIVIDES = 2,                 // integer x / 0 is 0 and x % 0 is x, and the least integer / -1 wraps
  TINY_TARGET_SHIFTS = 4,                  // shifts by the width or more give 0 (or the sign)
  TINY_TARGET_OPTIMIZES = 8,               // its compiler turns divisions by constants into multiplications
  TINY_TARGET_PREFERS_SHIFTS = 16,         // multiplications by powers of two are written as shifts
  TINY_TARGET_SHUFFLES = 32,               // a STACK of any lanes of two vectors
  TINY_TARGET_STREAMS = 64,                // takes TINY_HINT_STREAM
  TINY_TARGET_TAKES_LOCAL = 128,           // LOCAL memory comes with a launch where it is too much for a stack
  TINY_TARGET_ALONE = 256,                 // a module holds one kernel
  TINY_TARGET_ALIGNED = 512,               // memory begins at a multiple of 16 bytes, also what tiny_blob_of takes
  TINY_TARGET_COPIES = 1024,               // STOREs that happen later, which items do not wait for
  TINY_TARGET_ROWS = 2048,                 // LOADs of rows of 8x8 matrices by a warp
  TINY_TARGET_MATRICES = 4096,             // products that read such matrices from LOCAL memory themselves
  TINY_TARGET_BOXES = 8192,                // BULK copies, that a BARRIER waits for by their slot
  TINY_TARGET_NO_STACK = 16384             // all LOCAL memory comes with a launch, of TINY_TARGET_TAKES_LOCAL
};
// What is worth knowing about a node of a list: tiny_listing.hints.
enum {
  TINY_HINT_STREAM = 1,                    // STORE: whole lines of what nobody reads soon, best put past the caches
  TINY_HINT_LONG = 2,                      // RANGE: it mostly goes on
  TINY_HINT_ROLLED = 4,                    // RANGE: copies of its iterations would want too many registers
  TINY_HINT_PAIR = 8, TINY_HINT_FOUR = 16  // BULK: the same for 2, 4 groups, neighbours of dim 0, all of which do it
};

// A kernel to be written: its nodes in the order they run, sources first, loops open from RANGE to END.
typedef struct tiny_listing {
  const char *name;                        // of its entry
  tiny_uop *const *list; int n;
  const uint8_t *hints;                    // TINY_HINT_* of list[i]
  const int64_t *local;                    // [3] work items of a group
  int64_t local_nbytes;                    // of LOCAL memory that the launch brings; 0: none
} tiny_listing;
// A kernel that was written, on its way into a module.
typedef struct tiny_rendered { const char *data; size_t n; uint64_t uses; } tiny_rendered;

// From lists to what a device's compile takes, text or not. What a target can do stands apart from how it is written:
// codegen asks the former alone, and takes apart what a target cannot do. Part of the disk cache's key.
typedef struct tiny_renderer tiny_renderer;
struct tiny_renderer {
  const char *name, *file;                 // "C", "c": file extension in dumps
  uint8_t ops[TINY_OP_COUNT];              // TINY_ON_*; 0: decomposed before rendering
  uint64_t atomics;                        // bit per dtype: STOREs that add
  uint64_t dtypes;                         // bit per dtype of values; narrow floats that are not there are integers
  uint64_t casts;                          // of those: BITCASTs of their bits, and CASTs to f32 and back
  uint64_t narrow;                         // of narrow floats: those with ADD, SUB, MUL, NEG, MAX, each rounded once
  int vector_lanes;                        // of its widest vectors, a power of two; 0: any number
  uint32_t dots, flags;                    // bit per TINY_DOT_*; TINY_TARGET_*
  // How far EXP2 of f32, if ops has it, may be off, in ulp: more than 1 is for what is rounded to a narrower float, and
  // so is e^x. 0: it is taken for all of them, e^x too.
  uint32_t exp2_ulps;
  const tiny_matrix_unit *units; int nunits;   // the first that fits is taken
  int (*units_allowed)(void);              // asked whenever a kernel has use for one; NULL: they are
  // Writes one kernel; *uses is for module. NULL: as `language` says, whose formats also tell ops, dtypes, atomics and
  // dots, and flags that follow from them: what stands above is what they cannot tell.
  tiny_code (*kernel)(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out, uint64_t *uses);
  // Makes a module of kernels, 0 of them for the cache's key; NULL: one after the other.
  tiny_code (*module)(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n, tiny_bytes *out);
  const void *own;                         // whatever kernel and module want to know
  tiny_language language;
};

// Where in device memory: what alloc returned, and bytes behind it.
typedef struct tiny_mem { void *base; size_t offset; } tiny_mem;
// A kernel with all that it is called with. global: work groups, local: work items of each.
typedef struct tiny_launch {
  void *kernel;                            // what find returned
  const tiny_mem *mem; int nmem;           // one per PARAM
  const int64_t *args; int nargs;          // one per ARG: bits of its dtype, low bytes first
  int64_t global[3], local[3];
  int64_t tasks;                           // limits.threads: number of tasks, run through tiny_parallel
  size_t local_nbytes;                     // of LOCAL memory that each task is given; 0: it needs none
  // NULL, or two numbers to be written when it has happened: when it began and ended, in ns of the device's clock. They
  // are looked at after sync, and stay as they are (0) where there is no clock: the library takes the host's instead.
  uint64_t *stamp;
} tiny_launch;

// What backends are given, to be called on the context's thread; t is what open was given. All of them return: where
// memory is refused, nobody's frames are left behind.

// At the end of b, which keeps a 0 behind it; data NULL: so many zeros. Refused memory is recorded as the context's
// error, and nothing is added.
TINY_API void       tiny_bytes_add(tiny_bytes *b, const void *data, size_t nbytes);
// The context's allocator, with the rules of tiny_alloc: ptr NULL allocates, new_nbytes 0 frees, old_nbytes is exact.
// NULL where memory is refused, which is not recorded: what the backend makes of it is its own affair.
TINY_API void      *tiny_realloc(tiny_ctx *t, void *ptr, size_t old_nbytes, size_t new_nbytes);
#ifndef TINY_RUNTIME_ONLY
// A line to the context's log (printf format, up to 2000 characters). letter: the one of tiny_desc.debug without which
// nothing is written; 0: in any case, for what the user has to know. Returns 1 if it is written.
TINY_API int        tiny_log_line(tiny_ctx *t, int letter, const char *format, ...);
#endif
// Records the context's first error (printf format) and returns code.
TINY_API tiny_code  tiny_fail(tiny_ctx *t, tiny_code code, const char *format, ...);
#ifndef TINY_RUNTIME_ONLY
// tiny_desc.compiler, for devices that have several; NULL: the program did not say. It is the context's.
TINY_API const char *tiny_compiler_of(const tiny_ctx *t);
// Fills r from r->language, as is done where a backend's renderer leaves kernel NULL: ops, dtypes, dots, atomics, the
// flags that formats tell, kernel and module. For a backend that writes some kernels in another way, and others so.
TINY_API void       tiny_renderer_of_language(tiny_renderer *r);
#endif
// Runs task(arg, i) for every i in 0..n-1 on the context's threads and returns when all are done.
TINY_API void       tiny_parallel(tiny_ctx *t, int n, void (*task)(void *arg, int i), void *arg);

// One struct of functions and nothing else: a companion header is one of these. dev is what open returned. A context
// may have several devices, of one backend or of several; a backend keeps nothing outside of them that is not guarded.
//
// Order. On one device launches, copies, frees, unloads, events and waits happen as if one after the other, in the
// order of the calls. Devices go on independently: only wait orders what one does after what another did.
//
// Early return. launch, submit, copy_in, copy_from, free, unload and wait may return before they happened, event always
// may.
// copy_out returns when dst holds the data, sync when everything has happened. What was given before an event, a
// copy_out or a sync happens without a further call.
//
// Reuse and free. What a call is given (src, l and what it points to, source) is the caller's again when the call
// returns; what is written to l->stamp alone belongs to the device until sync. Device memory is copied into, written by
// other launches, freed and given out again while launches that use it may not have run, and modules are unloaded: the
// device keeps them until then. The host looks at device memory (limits.host_memory, map), and writes it, only after
// sync and before it gives the device anything that uses it.
//
// Errors. Functions that fail call tiny_fail and return its code, or NULL; then what was asked has not happened (of
// submit and compile: not all of it). What goes wrong later is returned, once, by the next copy_out or sync of that
// device; what was given after it may have happened or not. No device reports what went wrong on another.
//
// Threads. The functions of a device are called one at a time, on the thread that its context belongs to, which may
// change between calls. Devices of two contexts are called at the same time. What event returned is all that one
// context takes from another: wait, on the thread of the device that is to wait, may run while the device of the event
// is in any call of its own; event has returned before. event_free is called as event is, when the calls of wait have
// returned: waits that have not happened keep what they need. A device is closed when all that waits for its events has
// happened.
struct tiny_backend {
  uint32_t version;                        // TINY_BACKEND_VERSION; these two stay the first in every release
  const char *name;
  // which: "" or what follows ':'. limits are zeros.
  void      *(*open)(tiny_ctx *t, const char *which, tiny_limits *limits);
  void       (*close)(void *dev);                                                // comes last; waits for what is left
  // Part of the disk cache's key: "x86_64 avx512f".
  const char *(*target)(void *dev);
  void       (*renderer)(void *dev, tiny_renderer *out);                         // NULL: load_uops takes the IR itself
  void      *(*alloc)(void *dev, size_t nbytes);                                 // NULL: no memory
  void       (*free)(void *dev, void *mem, size_t nbytes);
  tiny_code  (*copy_in)(void *dev, tiny_mem dst, const void *src, size_t nbytes);
  tiny_code  (*copy_out)(void *dev, void *dst, tiny_mem src, size_t nbytes);
  // From src, memory of another device of this backend and context, in dev's order; it may return before it happened.
  // `from` is not asked: before, the library makes dev wait for an event of `from` behind which src holds what is
  // wanted; after, it makes `from` wait for an event of dev before what it gives to `from` next writes or frees src.
  // NULL: by way of the host.
  tiny_code  (*copy_from)(void *dev, tiny_mem dst, void *from, tiny_mem src, size_t nbytes);
  // Where the host sees these bytes, about as fast as its own, until mem is freed; NULL: nowhere. The function NULL: no
  // memory at all, or all of it, where limits.host_memory says so.
  void      *(*map)(void *dev, tiny_mem mem, size_t nbytes);
  // n modules at once, so that a device may compile them in parallel: source[i], which a 0 follows, -> binary[i];
  // what the compiler says -> log.
  tiny_code  (*compile)(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log);
  void      *(*load)(void *dev, const void *binary, size_t nbytes);              // a module
  void      *(*load_uops)(void *dev, tiny_uop *const *list, int n);              // a module of one kernel
  void       (*unload)(void *dev, void *module);
  void      *(*find)(void *dev, void *module, const char *kernel);               // NULL: not in it
  tiny_code  (*launch)(void *dev, const tiny_launch *l);
  tiny_code  (*submit)(void *dev, const tiny_launch *l, int n);                  // l[0..n-1], n > 1. NULL: one by one
  // event: the place in dev's order where it is called; NULL after an error. What is given to dev after wait happens
  // after that place of another device of this backend; where it is dev's own, nothing changes. All three NULL: the
  // library syncs the other device instead.
  void      *(*event)(void *dev);
  tiny_code  (*wait)(void *dev, void *event);
  void       (*event_free)(void *dev, void *event);                              // dev: that of event
  tiny_code  (*sync)(void *dev);
  // Memory for launches with so much local_nbytes, so that none of them fails for want of it. NULL: nothing to do.
  tiny_code  (*reserve)(void *dev, size_t local_nbytes);
};

#ifndef TINY_RUNTIME_ONLY
// The backends that are always there, by name: "CPU", "LLVM", "INTERP", "NULL"; else NULL. What is to differ from the
// CPU in a few functions begins as a copy of it, whose others take what its open returned:
//     tiny_backend mine = *tiny_backend_named("CPU");
//     mine.name = "mine"; mine.alloc = my_alloc; mine.free = my_free;
TINY_API const tiny_backend *tiny_backend_named(const char *name);
#endif

// What a backend was compiled against: a number that is raised when what stands in this section comes to mean something
// else, and the bytes of its structs. tiny_open refuses a context with a backend of another version: TINY_E_DEVICE.
#define TINY_BACKEND_VERSION \
  (1u << 16 | (uint32_t)(sizeof(tiny_backend) + sizeof(tiny_language) + sizeof(tiny_matrix_unit) + \
                         sizeof(tiny_limits) + sizeof(tiny_warp_unit) + sizeof(tiny_launch) + sizeof(tiny_renderer) + \
                         sizeof(tiny_uop)))
