/* tiny_cl.h 0.1.0, source 87fb2aeb63291701fd5ee63482b2b902ef7a55b43b31ee18c4ab2a3c2cdb31e4

This file is written by tools/amalgamate.py from src/ and never edited by hand.

---- begin src/cl/manual.txt ----
tiny_cl.h: OpenCL for tiny.h

WHAT IT IS
  The device CL: GPUs, and processors, by whatever drivers of OpenCL are on the machine. libOpenCL is loaded when a
  context is opened; no SDK is needed to build, nothing is linked, and a program that has this header runs where there
  is no OpenCL as well: it opens another device there.

  In one file of your program:           #define TINY_IMPLEMENTATION
                                         #include "tiny.h"
                                         #include "tiny_cl.h"
  or, with the two apart, in this one:   #include "tiny.h"
                                         #define TINY_IMPLEMENTATION
                                         #include "tiny_cl.h"
  and to build it:                       cc main.c -lm -lpthread          (glibc before 2.34: and -ldl)

      tiny_desc desc = {.device = "CL", .backends = {&tiny_cl}};
      tiny_ctx *t = tiny_open(&desc);
      if (tiny_status(t) != TINY_OK) puts(tiny_error(t));        // no driver, no such device: the sentence says which

DEVICES
  "CL"           the first GPU, or where there is none the first device
  "CL:1"         number 1, counted from 0 over all drivers
  "CL:1.0"       of driver 1 the first device
  "CL:radeon"    the first whose name has this in it, in letters of either case
  A name that is none is answered by a list of those there are. Several may be opened at once: "CL:0,CL:1,CPU".
  tiny_desc.backends with &tiny_cl and no device: CL where there is one, else the CPU.

  A processor's device is given kernels as the CPU is: a work item is a task, with vectors as wide as the driver says.

WHAT A DEVICE NEEDS
  OpenCL 1.2 or later, a compiler, little-endian memory. Without cl_khr_fp64 there is no f64: TINY_E_COMPILE where a
  graph needs it. Without cl_khr_fp16 f16 is computed in f32 and rounded after every operator, as bf16 and 8-bit floats
  are everywhere; the values are the same.

  The driver's compiler runs on the thread that calls, which should have the stack that the system gives a program's
  first one: 64 KiB do for this library, but not for a driver. Drivers have threads of their own, so that a child of
  fork opens CL for itself, and does not use what its parent opened.

KERNELS OF YOUR OWN
  tiny_kernel with .source in OpenCL C: a __kernel function whose parameters are __global pointers, the output first,
  then the inputs in their order; a number is an input of one element, several results are parts of one output.
  global counts work groups, local the work items of each. Or with .binary, what clGetProgramInfo gives of such a
  program, for this device and driver.

SEARCH, PROFILES
  tiny_desc.beam times schedules on the device by its own clock, one after the other, as drivers compile on one thread:
  some six seconds for each kernel that is new and each step of the width. What it found is kept in the cache.
  tiny_profile_begin and TINY_DEBUG=k tell the same clock's times, and what part of the device's measured limits they
  are. A host's queue without CL_QUEUE_PROFILING_ENABLE has none: then the host's clock counts.

NUMBERS
  exp, log, sin and what is made of them have the errors of docs/operators.md, as they are computed by this library.
  Quotients and roots of f32 are correctly rounded where the device says that it can; else 2.5 and 3 ulp, as the
  specification of OpenCL allows. Some devices flush subnormals of f32 to 0.

ERRORS
  TINY_E_DEVICE    no libOpenCL, no driver, no such device, a lost device, more work items than it runs
  TINY_E_MEMORY    the device has no room, or tiny_desc.max_nbytes is reached
  TINY_E_COMPILE   its compiler does not take a kernel: what it said follows; a binary or an entry that is none
  TINY_E_ARG       a kernel of yours has other parameters than an output and its inputs
  What fails on the device after a call has returned is told by the next that waits for it, tiny_read or tiny_sync.
---- end src/cl/manual.txt ----
*/
#ifndef TINY_CL_H
#define TINY_CL_H
// ---- begin src/cl/api.h ----
// api.h: the backend CL, and how a host that uses OpenCL itself shares with it.
//
// Handles of OpenCL (cl_context, cl_command_queue, cl_mem) are void * here, so that no header of it is needed.
#ifndef TINY_API
  #include "tiny.h"
#endif

// OpenCL 1.2 and later: for tiny_desc.backends. The manual above says what names of devices may stand behind "CL:".
#ifdef TINY_STATIC                          // then it is defined below, in the file that has the implementation
#elif defined(__cplusplus)
extern "C" TINY_EXPORT const tiny_backend tiny_cl;
#else
extern TINY_EXPORT const tiny_backend tiny_cl;
#endif

// A name for tiny_desc.device, where it may stand among others.
typedef struct tiny_cl_name { char text[48]; } tiny_cl_name;

// The device of a cl_command_queue of the host's, which executes in order: what the library does goes to that queue,
// in order with what the host puts there itself, and memory belongs to its cl_context. The queue outlives the tiny_ctx,
// and belongs to its thread while a call of the library runs. Without CL_QUEUE_PROFILING_ENABLE profiles show the
// host's time. Errors when it is opened: TINY_E_DEVICE.
//     tiny_cl_name name = tiny_cl_host(queue);
//     tiny_desc desc = {.device = name.text, .backends = {&tiny_cl}};
// A cl_mem of that context is a tensor without a copy by tiny_blob_of(t, mem, dtype, shape).
TINY_API tiny_cl_name tiny_cl_host(void *queue);
// ---- end src/cl/api.h ----
#endif // TINY_CL_H

// The implementation, for the one file that defines TINY_IMPLEMENTATION. It compiles as C and as C++; the
// functions above are extern "C" there, so both kinds of files link with it. (TINY_STATIC: all is static.)
#if defined(TINY_IMPLEMENTATION) && !defined(TINY_CL_IMPLEMENTATION_DONE)
#define TINY_CL_IMPLEMENTATION_DONE
#ifndef TINY_AMALGAMATED
  #define TINY_AMALGAMATED
#endif
#define TN_CL_SOURCE_ID "87fb2aeb63291701fd5ee63482b2b902ef7a55b43b31ee18c4ab2a3c2cdb31e4"
// ---- begin src/cl/all.c ----
// all: the implementation of tiny_cl.h, one #include a room. Of the library it uses what tiny.h shows to everyone.
// ---- begin src/cl/../base/library.c ----
// library: shared libraries that are loaded while the program runs: drivers, which a program is not linked with.
//
// In:  names, as the system's loader takes them. Out: a handle, and addresses of what it exports; NULL where it is not.
// Holds: it stands in companion headers, which may be compiled where tiny.h's implementation is not, and in several of
//        them: it uses nothing of the other rooms and changes nothing process-wide. Before glibc 2.34 it wants -ldl.
#ifndef TN_BASE_LIBRARY
#define TN_BASE_LIBRARY
#include <stddef.h>
#include <string.h>
#ifdef _WIN32
  #ifndef WIN32_LEAN_AND_MEAN
    #define WIN32_LEAN_AND_MEAN
  #endif
  #ifndef NOMINMAX
    #define NOMINMAX
  #endif
  #include <windows.h>
#else
  #include <dlfcn.h>
#endif

static void *tn_library_load(const char *name) {
#ifdef _WIN32
  enum { SEARCH_DEFAULT_DIRS = 0x1000 };   // of the program, of the system; not where the process happens to be
  return (void *)LoadLibraryExA(name, NULL, SEARCH_DEFAULT_DIRS);
#else
  return dlopen(name, RTLD_NOW | RTLD_LOCAL);
#endif
}
// The first of these that is there; NULL ends them, and is the answer where none is.
static void *tn_library_open(const char *const *names) {
  void *library = NULL;
  for (; *names && !library; names++) library = tn_library_load(*names);
  return library;
}
// An address of data or code, which the caller copies into a pointer of its type; NULL: it is not in there.
static void *tn_library_symbol(void *library, const char *name) {
#ifdef _WIN32
  const FARPROC found = GetProcAddress((HMODULE)library, name);
  void *address;
  memcpy(&address, &found, sizeof address);
  return address;
#else
  return dlsym(library, name);
#endif
}
static void tn_library_close(void *library) {
#ifdef _WIN32
  FreeLibrary((HMODULE)library);
#else
  dlclose(library);
#endif
}
#endif
// ---- end src/cl/../base/library.c ----
// ---- begin src/cl/../base/digits.c ----
// digits: whole numbers in text without a sign: of devices, of versions, of addresses.
//
// In:  text. Out: what its first digits say, and what stands behind them.
// Holds: it stands in companion headers, as library.c does, and uses nothing of the other rooms; the host's locale
//        changes nothing.
#ifndef TN_BASE_DIGITS
#define TN_BASE_DIGITS
#include <stdint.h>
#include <string.h>

// What the digits that text begins with say in base 10 or 16. 0: there are none; UINT64_MAX: that, or more. *end:
// behind them; end may be NULL.
static uint64_t tn_digits_value(const char *text, uint64_t base, const char **end) {
  static const char digits[] = "0123456789abcdef";
  uint64_t k = 0;
  for (; *text; text++) {
    const char *digit = strchr(digits, *text >= 'A' && *text <= 'F' ? *text - 'A' + 'a' : *text);
    if (!digit || (uint64_t)(digit - digits) >= base) break;
    const uint64_t d = (uint64_t)(digit - digits);
    k = k > (UINT64_MAX - d) / base ? UINT64_MAX : k * base + d;
  }
  if (end) *end = text;
  return k;
}
#endif
// ---- end src/cl/../base/digits.c ----
// ---- begin src/cl/../render/lang_opencl.c ----
// lang_opencl: the descriptor of OpenCL C 1.2, for devices that have f64, f16 and 64-bit integers or not.
//
// Out: tn_lang_opencl fills a tiny_renderer. A kernel has, in any order and only those that it uses, for PARAM k the
//      two parameters `__global T *pk_base, ulong pk_offset`: memory and bytes behind it; for ARG k `ulong ak_bits`,
//      low bytes first.
// Holds:
//  - Integers wrap: sums and products are of unsigned types, as the language is C99's there (OpenCL C 1.2, 6).
//  - A bool is 0 or 1 in a char. A vector of them has lanes of 0 and -1, as comparisons give (6.3.d). Bools never
//    reach memory or casts: rules/decompose.c has turned those into u8.
//  - Vectors are loaded and stored at the alignment of an element, by vloadn and vstoren (6.12.7).
//  - exp2, log2 and sin are decomposed: the language allows them 3 and 4 ulp (7.4), this library promises 1, but for
//    2^x that is rounded to a narrow float, where that is an instruction.
//    Quotients and roots of f32 are within 2.5 and 3 ulp where the device has no correctly rounded ones.
//  - Items are numbered by sub-groups where those exchange values, so that lanes of one are beside each other: which
//    items its lanes are is the device's affair (OpenCL C 3.0, 3.2.2). cl_intel_required_subgroup_size fixes its size;
//    cl_khr_subgroup_shuffle or cl_intel_subgroups exchanges words.
//  - The compiler may fuse a product with the sum that uses it (FP_CONTRACT ON, 6.12.2), as the CPU's does.
// It stands in tiny_cl.h: it uses nothing but tiny.h's public part.
#ifndef TN_RENDER_LANG_OPENCL
#define TN_RENDER_LANG_OPENCL
#ifndef TINY_API
#include "../api/api.h"
#endif
#include <string.h>

// What a device has. INSTRUCTIONS: of transcendental functions; EXCHANGES: between the lanes of sub-groups of one size,
// SUB_GROUP, which the text is compiled with.
enum {
  TN_OPENCL_F64 = 1, TN_OPENCL_F16 = 2, TN_OPENCL_I64 = 4, TN_OPENCL_INSTRUCTIONS = 8, TN_OPENCL_EXCHANGES = 16
};

// WRAP_T x: x as its sum with others wraps. Narrow integers would be promoted to int. BITS_T: an argument's value.
#define TN_OPENCL_VECTORS(t, u) \
  "#define WRAP_" t "2 as_" u "2", "#define WRAP_" t "4 as_" u "4", "#define WRAP_" t "8 as_" u "8", \
  "#define WRAP_" t "16 as_" u "16"
static const char *const tn_opencl_prelude[] = {
  "#ifdef cl_khr_fp64",
  "  #pragma OPENCL EXTENSION cl_khr_fp64 : enable",
  "#endif",
  "#ifdef cl_khr_fp16",
  "  #pragma OPENCL EXTENSION cl_khr_fp16 : enable",
  "#endif",
  "#define WRAP_char (uint)", "#define WRAP_uchar (uint)", "#define WRAP_short (uint)", "#define WRAP_ushort (uint)",
  "#define WRAP_int (uint)", "#define WRAP_uint (uint)", "#define WRAP_long (ulong)", "#define WRAP_ulong (ulong)",
  "#define WRAP_half", "#define WRAP_float", "#define WRAP_double",
  TN_OPENCL_VECTORS("char", "uchar"), TN_OPENCL_VECTORS("uchar", "uchar"),
  TN_OPENCL_VECTORS("short", "ushort"), TN_OPENCL_VECTORS("ushort", "ushort"),
  TN_OPENCL_VECTORS("int", "uint"), TN_OPENCL_VECTORS("uint", "uint"),
  TN_OPENCL_VECTORS("long", "ulong"), TN_OPENCL_VECTORS("ulong", "ulong"),
  TN_OPENCL_VECTORS("half", "half"), TN_OPENCL_VECTORS("float", "float"), TN_OPENCL_VECTORS("double", "double"),
  "#define BITS_char (char)", "#define BITS_uchar (uchar)", "#define BITS_short (short)",
  "#define BITS_ushort (ushort)",
  "#define BITS_int (int)", "#define BITS_uint (uint)", "#define BITS_long (long)", "#define BITS_ulong (ulong)",
  "#define BITS_half(x) as_half((ushort)(x))", "#define BITS_float(x) as_float((uint)(x))",
  "#define BITS_double(x) as_double(x)",
  "#ifdef SUB_GROUP",
  "  #ifdef cl_khr_subgroup_shuffle", "    #define EXCHANGED sub_group_shuffle_xor",
  "  #else", "    #define EXCHANGED intel_sub_group_shuffle_xor", "  #endif",
  "  #define EXCHANGED_char(x, k) (char)EXCHANGED((int)(x), k)",
  "  #define EXCHANGED_uchar(x, k) (uchar)EXCHANGED((uint)(x), k)",
  "  #define EXCHANGED_short(x, k) (short)EXCHANGED((int)(x), k)",
  "  #define EXCHANGED_ushort(x, k) (ushort)EXCHANGED((uint)(x), k)",
  "  #define EXCHANGED_int(x, k) EXCHANGED(x, k)", "  #define EXCHANGED_uint(x, k) EXCHANGED(x, k)",
  "  #define EXCHANGED_long(x, k) EXCHANGED(x, k)", "  #define EXCHANGED_ulong(x, k) EXCHANGED(x, k)",
  "  #define EXCHANGED_half(x, k) as_half((ushort)EXCHANGED((uint)as_ushort(x), k))",
  "  #define EXCHANGED_float(x, k) EXCHANGED(x, k)",
  "  #define EXCHANGED_double(x, k) as_double(EXCHANGED(as_ulong(x), k))",
  "  #define NUMBER (get_sub_group_id() * SUB_GROUP + get_sub_group_local_id())",
  "#endif",
  "void add_float(volatile __global float *p, float x) {",       // exchanges until nobody came between
  "  volatile __global uint *at = (volatile __global uint *)p; uint was, now = *at;",
  "  do { was = now; now = atomic_cmpxchg(at, was, as_uint(as_float(was) + x)); } while (now != was);", "}",
  "#define LANE_0(v) (v).s0", "#define LANE_1(v) (v).s1", "#define LANE_2(v) (v).s2", "#define LANE_3(v) (v).s3",
  "#define LANE_4(v) (v).s4", "#define LANE_5(v) (v).s5", "#define LANE_6(v) (v).s6", "#define LANE_7(v) (v).s7",
  "#define LANE_8(v) (v).s8", "#define LANE_9(v) (v).s9", "#define LANE_10(v) (v).sa", "#define LANE_11(v) (v).sb",
  "#define LANE_12(v) (v).sc", "#define LANE_13(v) (v).sd", "#define LANE_14(v) (v).se", "#define LANE_15(v) (v).sf",
  NULL
};
#undef TN_OPENCL_VECTORS

static const struct { int op; const char *scalar, *vector; } tn_opencl_ops[] = {
  {TINY_OP_NEG, "(%t)(-WRAP_%t(%0))", "as_%t(-WRAP_%t(%0))"},
  {TINY_OP_ADD, "(%t)(WRAP_%t(%0) + WRAP_%t(%1))", "as_%t(WRAP_%t(%0) + WRAP_%t(%1))"},
  {TINY_OP_SUB, "(%t)(WRAP_%t(%0) - WRAP_%t(%1))", "as_%t(WRAP_%t(%0) - WRAP_%t(%1))"},
  {TINY_OP_MUL, "(%t)(WRAP_%t(%0) * WRAP_%t(%1))", "as_%t(WRAP_%t(%0) * WRAP_%t(%1))"},
  {TINY_OP_SHL, "(%t)(WRAP_%t(%0) << %1)", "as_%t(WRAP_%t(%0) << WRAP_%t(%1))"},
  {TINY_OP_SHR, "(%t)(%0 >> %1)", "%0 >> %1"},
  {TINY_OP_FDIV, "%0 / %1", NULL}, {TINY_OP_CDIV, "(%t)(%0 / %1)", "%0 / %1"},
  {TINY_OP_CMOD, "(%t)(%0 %% %1)", "%0 %% %1"}, {TINY_OP_AND, "(%t)(%0 & %1)", "%0 & %1"},
  {TINY_OP_OR, "(%t)(%0 | %1)", "%0 | %1"}, {TINY_OP_XOR, "(%t)(%0 ^ %1)", "%0 ^ %1"},
  {TINY_OP_LT, "%0 < %1", "convert_%t(%0 < %1)"}, {TINY_OP_NE, "%0 != %1", "convert_%t(%0 != %1)"},
  {TINY_OP_EQ, "%0 == %1", "convert_%t(%0 == %1)"},
  {TINY_OP_WHERE, "%0 ? %1 : %2", "select(%2, %1, convert_%i(%0))"},
  {TINY_OP_EXP2, "exp2(%0)", NULL}, {TINY_OP_SQRT, "sqrt(%0)", NULL}, {TINY_OP_TRUNC, "trunc(%0)", NULL},
  {TINY_OP_CAST, "(%t)%0", "convert_%t(%0)"}, {TINY_OP_BITCAST, "as_%t(%0)", NULL},
  {TINY_OP_SHUFFLE, "EXCHANGED_%t(%0, %k)", NULL}, {TINY_OP_BROADCAST, "%0", "(%t)(%0)"},
  {TINY_OP_PICK, "LANE_%k(%0)", NULL}, {TINY_OP_STACK, "(%t)(%a)", NULL},
  {TINY_OP_LOAD, "*(%0)", NULL}, {TINY_OP_STORE, "*(%0) = %1", NULL}
};

// has: the bits of TN_OPENCL_* without which there is no such type; 0: any device has it.
static const struct { int dtype, has; const char *type, *literal; } tn_opencl_types[] = {
  {TINY_VOID, 0, "void", NULL}, {TINY_BOOL, 0, "char", "%k"}, {TINY_I8, 0, "char", NULL}, {TINY_U8, 0, "uchar", NULL},
  {TINY_I16, 0, "short", NULL}, {TINY_U16, 0, "ushort", NULL}, {TINY_I32, 0, "int", "%k"}, {TINY_U32, 0, "uint", "%ku"},
  {TINY_I64, TN_OPENCL_I64, "long", "%kl"}, {TINY_U64, TN_OPENCL_I64, "ulong", "%kul"},
  {TINY_F16, TN_OPENCL_F16, "half", "(half)%kf"}, {TINY_F32, 0, "float", "%kf"},
  {TINY_F64, TN_OPENCL_F64, "double", "%k"}
};

// limits.atomics: of integers they are the language's (6.12.11), a float's is a loop. 64 bits are an extension.
#define TN_OPENCL_ATOMICS ((uint64_t)1 << TINY_I32 | (uint64_t)1 << TINY_U32 | (uint64_t)1 << TINY_F32)

static void tn_lang_opencl(tiny_renderer *r, int has) {
  tiny_language *l = &r->language;
  memset(r, 0, sizeof *r);
  r->name = "OpenCL C"; r->file = "cl";
  r->flags = TINY_TARGET_OPTIMIZES; r->exp2_ulps = 3;
  l->prelude = tn_opencl_prelude;
  l->kernel = "__kernel __attribute__((reqd_work_group_size(%0, %1, %2))) void %n(%a) {";
  l->end = "}";
  l->buffer = "__global %t *%n_base, ulong %n_offset"; l->scalar = "ulong %n_bits";
  l->open_buffer = "__global %t *const %n = (__global %t *)((__global char *)%n_base + %n_offset);";
  l->open_scalar = "const %t %n = BITS_%t(%n_bits);";
  l->local = "__local %t %n[%k];";
  l->barrier = "barrier(CLK_LOCAL_MEM_FENCE);";
  l->global_id = "(%t)get_group_id(%d)"; l->local_id = "(%t)get_local_id(%d)";
  l->variable = "%t %n;"; l->variables = "%t %n[%k];";
  l->value = "const %t %n = %0;"; l->choice = "%t %n = %0;";
  l->range = "for (%t %n = %1; %n < %0; %n++) {";
  l->load_if = "(%1 ? %0 : %2)"; l->store_if = "if (%1) %0;";
  for (size_t i = 0; i < sizeof tn_opencl_types / sizeof *tn_opencl_types; i++) {
    if (tn_opencl_types[i].has & ~has) continue;
    l->types[tn_opencl_types[i].dtype] = tn_opencl_types[i].type;
    l->literals[tn_opencl_types[i].dtype] = tn_opencl_types[i].literal;
  }
  l->atomics[TINY_I32] = l->atomics[TINY_U32] = "atomic_add(%0, %1)"; l->atomics[TINY_F32] = "add_float(%0, %1)";
  l->infinity = "(%t)INFINITY"; l->nan = "(%t)NAN"; l->zero = "(%t)(0)";
  l->vector = "%e%l";
  for (size_t i = 0; i < sizeof tn_opencl_ops / sizeof *tn_opencl_ops; i++) {
    l->ops[tn_opencl_ops[i].op] = tn_opencl_ops[i].scalar;
    l->vops[tn_opencl_ops[i].op] = tn_opencl_ops[i].vector;
  }
  if (!(has & TN_OPENCL_INSTRUCTIONS)) l->ops[TINY_OP_EXP2] = NULL;
  if (!(has & TN_OPENCL_EXCHANGES)) l->ops[TINY_OP_SHUFFLE] = NULL;
  else {
    l->kernel = "__attribute__((intel_reqd_sub_group_size(SUB_GROUP)))\n"
        "__kernel __attribute__((reqd_work_group_size(%0, %1, %2))) void %n(%a) {\n"
        "  const uint item[3] = {NUMBER %% %0, NUMBER / %0 %% %1, NUMBER / (%0 * %1)};";
    l->local_id = "(%t)item[%d]";
  }
  l->bops[TINY_OP_BROADCAST] = "(%t)(-(%0))";       // lanes of true are all ones
  l->address = "%0 + %1";
  l->load = "vload%l(0, %0)"; l->store = "vstore%l(%1, 0, %0)";
  l->low = "(%0).lo"; l->high = "(%0).hi";
}
#endif
// ---- end src/cl/../render/lang_opencl.c ----
// ---- begin src/cl/driver.c ----
// driver: what is used of OpenCL 1.2, by own declarations, and libOpenCL, which is loaded at run time.
//
// In:  nothing but the system. Out: a table of its functions; or which library, or which function of it, is not there.
// Holds: a handle is a void *, whatever it is of. What numbers and functions are is said by Khronos, The OpenCL
//        Specification 1.2, chapters 4 and 5, and their values by its header CL/cl.h.
// The library is not unloaded once its drivers have been asked for devices: they have threads of their own by then.
#ifndef TN_CL_DRIVER
#define TN_CL_DRIVER
#ifndef TINY_API
#include "../api/api.h"
#endif
#ifndef TINY_AMALGAMATED
#include "api.h"
#include "../base/library.c"
#include "../base/digits.c"
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
  #define TN_CL_CALL __stdcall
#else
  #define TN_CL_CALL
#endif

// Errors that are told apart.
enum {
  TN_CL_DEVICE_NOT_AVAILABLE = -2, TN_CL_MEM_ALLOCATION_FAILURE = -4, TN_CL_OUT_OF_RESOURCES = -5,
  TN_CL_OUT_OF_HOST_MEMORY = -6, TN_CL_PROFILING_NOT_AVAILABLE = -7, TN_CL_MISALIGNED = -13,
  TN_CL_EVENTS_FAILED = -14, TN_CL_INVALID_BINARY = -42, TN_CL_INVALID_KERNEL_NAME = -46,
  TN_CL_INVALID_ARG_SIZE = -51, TN_CL_INVALID_WORK_GROUP_SIZE = -54, TN_CL_INVALID_WORK_ITEM_SIZE = -55,
  TN_CL_INVALID_BUFFER_SIZE = -61, TN_CL_INVALID_GLOBAL_SIZE = -63, TN_CL_NO_PLATFORM = -1001
};
// What is asked for.
enum {
  TN_CL_PLATFORM_NAME = 0x0902, TN_CL_DEVICE_TYPE_ALL = -1, TN_CL_DEVICE_TYPE = 0x1000, TN_CL_COMPUTE_UNITS = 0x1002,
  TN_CL_NATIVE_VECTOR_FLOAT = 0x103A,
  TN_CL_MAX_WORK_GROUP_SIZE = 0x1004, TN_CL_MAX_WORK_ITEM_SIZES = 0x1005, TN_CL_ADDRESS_BITS = 0x100D,
  TN_CL_MAX_MEM_ALLOC_SIZE = 0x1010, TN_CL_MEM_BASE_ADDR_ALIGN = 0x1019, TN_CL_SINGLE_FP_CONFIG = 0x101B,
  TN_CL_CACHELINE_SIZE = 0x101D, TN_CL_CACHE_SIZE = 0x101E, TN_CL_GLOBAL_MEM_SIZE = 0x101F,
  TN_CL_LOCAL_MEM_SIZE = 0x1023, TN_CL_ENDIAN_LITTLE = 0x1026, TN_CL_AVAILABLE = 0x1027,
  TN_CL_COMPILER_AVAILABLE = 0x1028, TN_CL_DEVICE_NAME = 0x102B, TN_CL_DRIVER_VERSION = 0x102D,
  TN_CL_DEVICE_VERSION = 0x102F, TN_CL_EXTENSIONS = 0x1030, TN_CL_DOUBLE_FP_CONFIG = 0x1032,
  TN_CL_SUB_GROUP_SIZES_INTEL = 0x4108,    // cl_intel_required_subgroup_size
  TN_CL_WARP_SIZE_NV = 0x4003, TN_CL_WAVEFRONT_WIDTH_AMD = 0x4043,      // cl_nv_device_attribute_query, cl_amd_..
  TN_CL_QUEUE_CONTEXT = 0x1090, TN_CL_QUEUE_DEVICE = 0x1091, TN_CL_QUEUE_PROPERTIES = 0x1093,
  TN_CL_MEM_SIZE = 0x1102, TN_CL_PROGRAM_BINARY_SIZES = 0x1165, TN_CL_PROGRAM_BINARIES = 0x1166,
  TN_CL_BUILD_LOG = 0x1183, TN_CL_KERNEL_NUM_ARGS = 0x1191, TN_CL_EVENT_STATUS = 0x11D3,
  TN_CL_PROFILING_START = 0x1282, TN_CL_PROFILING_END = 0x1283
};
enum {
  TN_CL_TYPE_CPU = 2, TN_CL_TYPE_GPU = 4, TN_CL_TYPE_ACCELERATOR = 8, TN_CL_OUT_OF_ORDER = 1,
  TN_CL_PROFILING = 2, TN_CL_READ_WRITE = 1,
  TN_CL_CORRECTLY_ROUNDED = 1 << 7, TN_CL_REGION = 0x1220, TN_CL_COMPLETE = 0
};

// What it returns, its name, its parameters. Sizes of waiting lists and their events stand last.
#define TN_CL_CALLS(_) \
  _(int, GetPlatformIDs, (uint32_t n, void **platforms, uint32_t *count)) \
  _(int, GetPlatformInfo, (void *platform, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(int, GetDeviceIDs, (void *platform, uint64_t type, uint32_t n, void **devices, uint32_t *count)) \
  _(int, GetDeviceInfo, (void *device, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(void *, CreateContext, (const intptr_t *properties, uint32_t n, void *const *devices, \
                            void (TN_CL_CALL *notify)(const char *, const void *, size_t, void *), void *user, \
                            int *code)) \
  _(int, RetainContext, (void *context)) \
  _(int, ReleaseContext, (void *context)) \
  _(void *, CreateCommandQueue, (void *context, void *device, uint64_t properties, int *code)) \
  _(int, RetainCommandQueue, (void *queue)) \
  _(int, ReleaseCommandQueue, (void *queue)) \
  _(int, GetCommandQueueInfo, (void *queue, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(void *, CreateBuffer, (void *context, uint64_t flags, size_t nbytes, void *host, int *code)) \
  _(void *, CreateSubBuffer, (void *mem, uint64_t flags, uint32_t type, const void *region, int *code)) \
  _(int, ReleaseMemObject, (void *mem)) \
  _(int, GetMemObjectInfo, (void *mem, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(void *, CreateProgramWithSource, (void *context, uint32_t n, const char **text, const size_t *nbytes, int *code)) \
  _(void *, CreateProgramWithBinary, (void *context, uint32_t n, void *const *devices, const size_t *nbytes, \
                                      const unsigned char **binary, int *status, int *code)) \
  _(int, BuildProgram, (void *program, uint32_t n, void *const *devices, const char *options, \
                        void (TN_CL_CALL *notify)(void *, void *), void *user)) \
  _(int, GetProgramInfo, (void *program, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(int, GetProgramBuildInfo, (void *program, void *device, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(int, ReleaseProgram, (void *program)) \
  _(void *, CreateKernel, (void *program, const char *name, int *code)) \
  _(int, ReleaseKernel, (void *kernel)) \
  _(int, GetKernelInfo, (void *kernel, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(int, SetKernelArg, (void *kernel, uint32_t at, size_t nbytes, const void *value)) \
  _(int, EnqueueNDRangeKernel, (void *queue, void *kernel, uint32_t dims, const size_t *offset, const size_t *global, \
                                const size_t *local, uint32_t n, void *const *waits, void **event)) \
  _(int, EnqueueReadBuffer, (void *queue, void *mem, uint32_t blocking, size_t offset, size_t nbytes, void *out, \
                             uint32_t n, void *const *waits, void **event)) \
  _(int, EnqueueWriteBuffer, (void *queue, void *mem, uint32_t blocking, size_t offset, size_t nbytes, \
                              const void *src, uint32_t n, void *const *waits, void **event)) \
  _(int, EnqueueCopyBuffer, (void *queue, void *src, void *dst, size_t src_offset, size_t dst_offset, size_t nbytes, \
                             uint32_t n, void *const *waits, void **event)) \
  _(int, EnqueueMarkerWithWaitList, (void *queue, uint32_t n, void *const *waits, void **event)) \
  _(int, EnqueueBarrierWithWaitList, (void *queue, uint32_t n, void *const *waits, void **event)) \
  _(int, WaitForEvents, (uint32_t n, void *const *events)) \
  _(int, GetEventInfo, (void *event, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(int, GetEventProfilingInfo, (void *event, uint32_t what, size_t nbytes, void *out, size_t *need)) \
  _(int, ReleaseEvent, (void *event)) \
  _(int, Flush, (void *queue)) \
  _(int, Finish, (void *queue))

typedef struct tn_cl_calls {
#define TN_CL_MEMBER(type, name, parameters) type (TN_CL_CALL *name) parameters;
  TN_CL_CALLS(TN_CL_MEMBER)
#undef TN_CL_MEMBER
} tn_cl_calls;

static const char *const tn_cl_names[] = {
#define TN_CL_NAME(type, name, parameters) "cl" #name,
  TN_CL_CALLS(TN_CL_NAME)
#undef TN_CL_NAME
};
enum { TN_CL_NCALL = sizeof tn_cl_names / sizeof *tn_cl_names };

static const char *const tn_cl_libraries[] = {
#if defined(_WIN32)
  "OpenCL.dll",
#elif defined(__APPLE__)
  "/System/Library/Frameworks/OpenCL.framework/OpenCL",
#else
  "libOpenCL.so.1", "libOpenCL.so",
#endif
  NULL
};

// TINY_E_DEVICE says what is missing, and what to do.
static tiny_code tn_cl_driver(tiny_ctx *t, tn_cl_calls *out) {
  void *library = tn_library_open(tn_cl_libraries), *address[TN_CL_NCALL];
  if (!library)
    return tiny_fail(t, TINY_E_DEVICE, "CL: there is no %s, which drivers of OpenCL are called by: install the driver "
                     "of the GPU, or for the processor PoCL (apt install pocl-opencl-icd)", tn_cl_libraries[0]);
  for (int i = 0; i < TN_CL_NCALL; i++) {
    address[i] = tn_library_symbol(library, tn_cl_names[i]);
    if (address[i]) continue;
    tn_library_close(library);
    return tiny_fail(t, TINY_E_DEVICE, "CL: %s has no %s: it is older than OpenCL 1.2, update it", tn_cl_libraries[0],
                     tn_cl_names[i]);
  }
  memcpy(out, address, sizeof *out);
  return TINY_OK;
}
#endif
// ---- end src/cl/driver.c ----
// ---- begin src/cl/device.c ----
// device: which device of which driver, what it has, and how it is opened and closed.
//
// In:    what stands behind "CL:". Out: a context and a queue of OpenCL for one device, and its tiny_limits.
// Holds: devices are counted over all platforms, in the order in which the drivers tell them. A queue executes in
//        order, and takes the time of what it executes where it may.
#ifndef TN_CL_DEVICE
#define TN_CL_DEVICE
#ifndef TINY_AMALGAMATED
#include "driver.c"
#include "../render/lang_opencl.c"
#endif

enum { TN_CL_MOST_PLATFORMS = 16, TN_CL_MOST_DEVICES = 64, TN_CL_NAME = 128 };

typedef struct tn_cl_stamp tn_cl_stamp;    // a launch whose time is wanted (queue.c)
typedef struct tn_cl_staged tn_cl_staged;  // what is on its way to the device (memory.c)
typedef struct tn_cl {
  tiny_ctx *t;
  tn_cl_calls cl;
  void *device, *context, *queue;
  int has, sub_group;                      // TN_OPENCL_*; lanes of its sub-groups, 0: they are not known
  size_t alignment;                        // of what begins a part of memory
  size_t most, one;                        // bytes in all, and of one piece of memory
  size_t live;                             // bytes that are given out
  size_t work_items; size_t shared;        // of a group
  tn_cl_stamp *stamps;
  tn_cl_staged *staged; size_t nbytes_staged;
  char name[TN_CL_NAME], target[3 * TN_CL_NAME], options[96];
} tn_cl;

// ** what went wrong **

static const struct { int error; const char *says; } tn_cl_errors[] = {
  {TN_CL_DEVICE_NOT_AVAILABLE, "the device is lost: open another context when it is back, or on another device"},
  {TN_CL_MEM_ALLOCATION_FAILURE, "the device has no memory left: free tensors, or set tiny_desc.max_nbytes"},
  {TN_CL_OUT_OF_RESOURCES, "the device has ended a kernel, or has no room for what it needs"},
  {TN_CL_OUT_OF_HOST_MEMORY, "the driver has no memory left"},
  {TN_CL_EVENTS_FAILED, "a kernel or a copy before it has failed on the device"},
  {TN_CL_INVALID_BINARY, "the binary is for another device or driver, or was changed"},
  {TN_CL_INVALID_ARG_SIZE, "a parameter of the kernel is no pointer: a number comes as an input of one element"},
  {TN_CL_INVALID_WORK_GROUP_SIZE, "the device does not run work groups of this size, or the kernel asks for another"},
  {TN_CL_INVALID_WORK_ITEM_SIZE, "the device does not run so many work items along one dim of a group"},
  {TN_CL_INVALID_BUFFER_SIZE, "the device has no memory of this size"},
  {TN_CL_INVALID_GLOBAL_SIZE, "the device does not run so many work groups"}
};
static int tn_cl_is_memory(int error) {
  return error == TN_CL_MEM_ALLOCATION_FAILURE || error == TN_CL_OUT_OF_HOST_MEMORY ||
      error == TN_CL_OUT_OF_RESOURCES || error == TN_CL_INVALID_BUFFER_SIZE;
}
static tiny_code tn_cl_fail(const tn_cl *d, const char *call, int error) {
  const char *says = "see CL/cl.h for the number";
  for (size_t i = 0; i < sizeof tn_cl_errors / sizeof *tn_cl_errors; i++)
    if (tn_cl_errors[i].error == error) says = tn_cl_errors[i].says;
  const int memory = error != TN_CL_OUT_OF_RESOURCES && tn_cl_is_memory(error);
  const tiny_code code = memory ? TINY_E_MEMORY : error == TN_CL_INVALID_ARG_SIZE ? TINY_E_ARG : TINY_E_DEVICE;
  return tiny_fail(d->t, code, "CL: cl%s returned %d on %s: %s", call, error, d->name,
                   says);
}

// ** which one **

typedef struct tn_cl_found {
  void *platform, *device; int in_platform, of_platform; char name[TN_CL_NAME];
} tn_cl_found;

static int tn_cl_list(const tn_cl_calls *cl, tn_cl_found *out) {
  void *platform[TN_CL_MOST_PLATFORMS], *device[TN_CL_MOST_DEVICES];
  uint32_t platforms = 0, devices;
  int n = 0;
  if (cl->GetPlatformIDs(TN_CL_MOST_PLATFORMS, platform, &platforms) != 0) return 0;
  for (uint32_t p = 0; p < platforms && p < TN_CL_MOST_PLATFORMS; p++) {
    devices = 0;
    if (cl->GetDeviceIDs(platform[p], 0xFFFFFFFF, TN_CL_MOST_DEVICES, device, &devices) != 0) continue;
    for (uint32_t i = 0; i < devices && i < TN_CL_MOST_DEVICES && n < TN_CL_MOST_DEVICES; i++) {
      tn_cl_found *f = &out[n++];
      f->platform = platform[p]; f->device = device[i]; f->of_platform = (int)p; f->in_platform = (int)i;
      f->name[0] = 0;
      if (cl->GetDeviceInfo(device[i], TN_CL_DEVICE_NAME, sizeof f->name, f->name, NULL) != 0) f->name[0] = 0;
      f->name[sizeof f->name - 1] = 0;
    }
  }
  return n;
}

static int tn_cl_small(int c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }
static int tn_cl_names_it(const char *name, const char *part) {
  for (; *name; name++) {
    size_t i = 0;
    while (part[i] && tn_cl_small(name[i]) == tn_cl_small(part[i])) i++;
    if (!part[i]) return 1;
  }
  return 0;
}

// Of those found the first that `which` names; -1: none. Without a name the first GPU, or else the first of all.
static int tn_cl_choose(const tn_cl_calls *cl, const tn_cl_found *f, int n, const char *which) {
  const size_t digits = strspn(which, "0123456789"), dotted = which[digits] == '.';
  const size_t more = dotted ? strspn(which + digits + 1, "0123456789") : 0;
  for (int i = 0; i < n && !*which; i++) {
    uint64_t type = 0;
    if (cl->GetDeviceInfo(f[i].device, TN_CL_DEVICE_TYPE, sizeof type, &type, NULL) == 0 && type & TN_CL_TYPE_GPU)
      return i;
  }
  if (!*which) return n ? 0 : -1;
  const uint64_t first = tn_digits_value(which, 10, NULL),
                 second = more ? tn_digits_value(which + digits + 1, 10, NULL) : 0;
  if (digits && !which[digits]) return first < (uint64_t)n ? (int)first : -1;
  for (int i = 0; i < n; i++) {
    if (digits && more && !which[digits + 1 + more]) {
      if ((uint64_t)f[i].of_platform == first && (uint64_t)f[i].in_platform == second) return i;
    } else if (tn_cl_names_it(f[i].name, which)) return i;
  }
  return -1;
}

static tiny_code tn_cl_find_device(tn_cl *d, const char *which, tn_cl_found *found) {
  tn_cl_found all[TN_CL_MOST_DEVICES];
  char names[1200] = "";
  const int n = tn_cl_list(&d->cl, all);
  if (!n)
    return tiny_fail(d->t, TINY_E_DEVICE, "CL: %s finds no device: install the driver of the GPU, or for the processor "
                     "PoCL (apt install pocl-opencl-icd)", tn_cl_libraries[0]);
  const int i = tn_cl_choose(&d->cl, all, n, which);
  if (i >= 0) { *found = all[i]; return TINY_OK; }
  for (int k = 0; k < n; k++) {
    const size_t at = strlen(names);
    snprintf(names + at, sizeof names - at, "%sCL:%d (CL:%d.%d) %s", k ? ", " : "", k, all[k].of_platform,
             all[k].in_platform, all[k].name);
  }
  return tiny_fail(d->t, TINY_E_DEVICE, "there is no device CL:%.100s; there are: %s", which, names);
}

// ** what it has **

static uint64_t tn_cl_number(const tn_cl *d, uint32_t what) {
  uint64_t wide = 0;
  uint32_t narrow = 0;
  size_t nbytes = 0;
  if (d->cl.GetDeviceInfo(d->device, what, 0, NULL, &nbytes) != 0) return 0;
  if (nbytes == sizeof narrow) {
    if (d->cl.GetDeviceInfo(d->device, what, sizeof narrow, &narrow, NULL) != 0) return 0;
    return narrow;
  }
  return nbytes == sizeof wide && d->cl.GetDeviceInfo(d->device, what, sizeof wide, &wide, NULL) == 0 ? wide : 0;
}
static void tn_cl_text(const tn_cl *d, uint32_t what, char *out, size_t nbytes) {
  *out = 0;
  if (d->cl.GetDeviceInfo(d->device, what, nbytes, out, NULL) != 0) *out = 0;
  out[nbytes - 1] = 0;
}
static int tn_cl_has_extension(const tn_cl *d, const char *name) {
  size_t nbytes = 0;
  if (d->cl.GetDeviceInfo(d->device, TN_CL_EXTENSIONS, 0, NULL, &nbytes) != 0 || !nbytes) return 0;
  char *all = (char *)tiny_realloc(d->t, NULL, 0, nbytes);
  if (!all) return 0;
  const int has = d->cl.GetDeviceInfo(d->device, TN_CL_EXTENSIONS, nbytes, all, NULL) == 0 && strstr(all, name) != NULL;
  tiny_realloc(d->t, all, nbytes, 0);
  return has;
}

// TINY_E_DEVICE: it is none that kernels can be written for.
static tiny_code tn_cl_check(const tn_cl *d) {
  char version[TN_CL_NAME];
  tn_cl_text(d, TN_CL_DEVICE_VERSION, version, sizeof version);
  const uint64_t major = !strncmp(version, "OpenCL ", 7) ? tn_digits_value(version + 7, 10, NULL) : 0;
  const char *dot = strchr(version, '.');
  const int old = major < 1 || (major == 1 && dot && tn_digits_value(dot + 1, 10, NULL) < 2);
  const char *wrong = old ? "is older than OpenCL 1.2: update its driver"
      : !tn_cl_number(d, TN_CL_AVAILABLE)          ? "is not available now: another program may have it"
      : !tn_cl_number(d, TN_CL_COMPILER_AVAILABLE) ? "comes without a compiler: take another device"
      : !tn_cl_number(d, TN_CL_ENDIAN_LITTLE)      ? "has big-endian memory: take another device" : NULL;
  return wrong ? tiny_fail(d->t, TINY_E_DEVICE, "CL: %s (%s) %s", d->name, version, wrong) : TINY_OK;
}

// Lanes that a kernel's sub-groups can be told to have, and that exchange values: 16, of which Intel's compiler makes
// most kernels, or the most up to 32 that there are. 0: the size is the driver's affair, kernel by kernel.
static int tn_cl_sub_group(const tn_cl *d) {
  size_t sizes[8], nbytes = 0;
  int most = 0;
  if (!tn_cl_has_extension(d, "cl_intel_required_subgroup_size") ||
      !(tn_cl_has_extension(d, "cl_khr_subgroup_shuffle") || tn_cl_has_extension(d, "cl_intel_subgroups")) ||
      d->cl.GetDeviceInfo(d->device, TN_CL_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &nbytes) != 0)
    return 0;
  for (size_t i = 0; i < nbytes / sizeof *sizes && i < sizeof sizes / sizeof *sizes; i++) {
    if (sizes[i] == 16) return 16;
    if (sizes[i] <= 32 && (int)sizes[i] > most) most = (int)sizes[i];
  }
  return most;
}

static void tn_cl_limits(tn_cl *d, tiny_limits *limits) {
  size_t items[3] = {0, 0, 0};
  d->work_items = (size_t)tn_cl_number(d, TN_CL_MAX_WORK_GROUP_SIZE);
  d->shared = (size_t)tn_cl_number(d, TN_CL_LOCAL_MEM_SIZE);
  if (d->cl.GetDeviceInfo(d->device, TN_CL_MAX_WORK_ITEM_SIZES, sizeof items, items, NULL) != 0)
    memset(items, 0, sizeof items);
  for (int i = 0; i < 3; i++) {
    limits->local_max[i] = (int64_t)items[i];
    limits->global_max[i] = i ? 65535 : INT32_MAX;         // CUDA C++ Programming Guide, table of compute capabilities
  }
  limits->local_total = (int64_t)d->work_items;
  limits->shared_nbytes = d->shared;
  limits->compute_units = (int)tn_cl_number(d, TN_CL_COMPUTE_UNITS);
  limits->warp = (int)tn_cl_number(d, TN_CL_WARP_SIZE_NV);
  if (!limits->warp) limits->warp = (int)tn_cl_number(d, TN_CL_WAVEFRONT_WIDTH_AMD);
  if (d->sub_group) limits->warp = d->sub_group;
  if (tn_cl_number(d, TN_CL_DEVICE_TYPE) & TN_CL_TYPE_CPU) {   // an item is a task, with vectors of the processor's
    const int lanes = (int)tn_cl_number(d, TN_CL_NATIVE_VECTOR_FLOAT);
    limits->threads = 1;
    limits->vector_nbytes = lanes >= 16 ? 64 : lanes >= 8 ? 32 : 16;
    limits->vector_registers = lanes >= 16 ? 32 : 16;
    limits->cache_nbytes = d->shared / 2;  // what is packed for a core lies in memory of its group
  } else limits->atomics = TN_OPENCL_ATOMICS;
  limits->memory[2].nbytes = (size_t)tn_cl_number(d, TN_CL_CACHE_SIZE);
  limits->memory[2].line = (int)tn_cl_number(d, TN_CL_CACHELINE_SIZE);
}

static void tn_cl_describe(tn_cl *d) {
  char driver[TN_CL_NAME], version[TN_CL_NAME];
  tn_cl_text(d, TN_CL_DRIVER_VERSION, driver, sizeof driver);
  tn_cl_text(d, TN_CL_DEVICE_VERSION, version, sizeof version);
  d->has = TN_OPENCL_I64 | (tn_cl_number(d, TN_CL_DOUBLE_FP_CONFIG) ? TN_OPENCL_F64 : 0) |
      (tn_cl_has_extension(d, "cl_khr_fp16") ? TN_OPENCL_F16 : 0) |
      (tn_cl_number(d, TN_CL_DEVICE_TYPE) & TN_CL_TYPE_CPU ? 0 : TN_OPENCL_INSTRUCTIONS);
  if (d->has & TN_OPENCL_INSTRUCTIONS) d->sub_group = tn_cl_sub_group(d);
  if (d->sub_group) d->has |= TN_OPENCL_EXCHANGES;
  d->alignment = (size_t)tn_cl_number(d, TN_CL_MEM_BASE_ADDR_ALIGN) / 8;
  if (!d->alignment) d->alignment = 1;
  d->most = (size_t)tn_cl_number(d, TN_CL_GLOBAL_MEM_SIZE);
  d->one = (size_t)tn_cl_number(d, TN_CL_MAX_MEM_ALLOC_SIZE);
  snprintf(d->options, sizeof d->options, "-cl-std=CL1.2%s",
           tn_cl_number(d, TN_CL_SINGLE_FP_CONFIG) & TN_CL_CORRECTLY_ROUNDED
               ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
  const size_t at = strlen(d->options);
  if (d->sub_group) snprintf(d->options + at, sizeof d->options - at, " -DSUB_GROUP=%d", d->sub_group);
  snprintf(d->target, sizeof d->target, "%.100s %.100s %.100s %d.%d", d->name, driver, version, d->has, d->sub_group);
}

static void tn_cl_give_back(tn_cl *d) {
  if (d->queue) d->cl.ReleaseCommandQueue(d->queue);
  if (d->context) d->cl.ReleaseContext(d->context);
  tiny_realloc(d->t, d, sizeof *d, 0);
}

static tiny_code tn_cl_open_queue(tn_cl *d, void *platform) {
  enum { CONTEXT_PLATFORM = 0x1084 };
  const intptr_t properties[3] = {CONTEXT_PLATFORM, (intptr_t)platform, 0};
  int error = 0;
  d->context = d->cl.CreateContext(properties, 1, &d->device, NULL, NULL, &error);
  if (!d->context) return tn_cl_fail(d, "CreateContext", error);
  d->queue = d->cl.CreateCommandQueue(d->context, d->device, TN_CL_PROFILING, &error);
  return d->queue ? TINY_OK : tn_cl_fail(d, "CreateCommandQueue", error);
}

// ** the host's own queue **

TINY_API tiny_cl_name tiny_cl_host(void *queue) {
  tiny_cl_name name;
  snprintf(name.text, sizeof name.text, "CL:queue-%llx", (unsigned long long)(uintptr_t)queue);
  return name;
}
// NULL: the name is of no queue.
static void *tn_cl_host_named(const char *which) {
  static const char head[] = "queue-";
  const char *end;
  if (strncmp(which, head, sizeof head - 1)) return NULL;
  const uint64_t address = tn_digits_value(which + sizeof head - 1, 16, &end);
  return *end ? NULL : (void *)(uintptr_t)address;
}
static tiny_code tn_cl_take_host(tn_cl *d, void *queue) {
  uint64_t properties = 0;
  void *context = NULL;
  int error = d->cl.GetCommandQueueInfo(queue, TN_CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
  if (error == 0) error = d->cl.GetCommandQueueInfo(queue, TN_CL_QUEUE_DEVICE, sizeof d->device, &d->device, NULL);
  if (error == 0)
    error = d->cl.GetCommandQueueInfo(queue, TN_CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
  if (error != 0) return tn_cl_fail(d, "GetCommandQueueInfo", error);
  if (properties & TN_CL_OUT_OF_ORDER)
    return tiny_fail(d->t, TINY_E_DEVICE, "CL: the host's queue executes out of order; make one without "
                     "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE for the library");
  if ((error = d->cl.RetainCommandQueue(queue)) != 0) return tn_cl_fail(d, "RetainCommandQueue", error);
  d->queue = queue;
  if ((error = d->cl.RetainContext(context)) != 0) return tn_cl_fail(d, "RetainContext", error);
  d->context = context;
  tn_cl_text(d, TN_CL_DEVICE_NAME, d->name, sizeof d->name);
  return tn_cl_check(d);
}

// ** open, close **

static tn_cl *tn_cl_new(tiny_ctx *t) {
  tn_cl *d = (tn_cl *)tiny_realloc(t, NULL, 0, sizeof *d);
  if (!d) { tiny_fail(t, TINY_E_MEMORY, "CL: no memory to open a device"); return NULL; }
  memset(d, 0, sizeof *d);
  d->t = t;
  if (tn_cl_driver(t, &d->cl) == TINY_OK) return d;
  tn_cl_give_back(d);
  return NULL;
}
static tiny_code tn_cl_take_named(tn_cl *d, const char *which) {
  tn_cl_found found;
  tiny_code code = tn_cl_find_device(d, which, &found);
  if (code != TINY_OK) return code;
  d->device = found.device;
  memcpy(d->name, found.name, sizeof d->name);
  code = tn_cl_check(d);
  return code == TINY_OK ? tn_cl_open_queue(d, found.platform) : code;
}
static void *tn_cl_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  tn_cl *d = tn_cl_new(t);
  if (!d) return NULL;
  void *const queue = tn_cl_host_named(which);
  if ((queue ? tn_cl_take_host(d, queue) : tn_cl_take_named(d, which)) != TINY_OK) { tn_cl_give_back(d); return NULL; }
  tn_cl_describe(d);
  tn_cl_limits(d, limits);
  return d;
}
static const char *tn_cl_target(void *dev) { return ((tn_cl *)dev)->target; }
static void tn_cl_renderer(void *dev, tiny_renderer *out) { tn_lang_opencl(out, ((tn_cl *)dev)->has); }
#endif
// ---- end src/cl/device.c ----
// ---- begin src/cl/memory.c ----
// memory: buffers of the device, and copies from the host and to it.
//
// In:    sizes, places, bytes of the host. Out: cl_mem, which is what tiny_mem.base is; copies in the queue's order.
// Holds: what is to be copied to the device is copied on the host first, so that the caller need not wait for what the
//        device is at; it lies there until its copy has happened. Much at a time is waited for instead.
#ifndef TN_CL_MEMORY
#define TN_CL_MEMORY
#ifndef TINY_AMALGAMATED
#include "device.c"
#endif

enum { TN_CL_STAGED_MOST = 32 << 20 };     // bytes on their way
struct tn_cl_staged { tn_cl_staged *next; void *event; size_t nbytes; };   // the bytes stand behind it

// NULL where there is no room. Many drivers take memory when it is first used: the device's size is what is counted by.
static void *tn_cl_alloc(void *dev, size_t nbytes) {
  tn_cl *d = (tn_cl *)dev;
  int error = 0;
  if ((d->one && nbytes > d->one) || (d->most && (d->live > d->most || nbytes > d->most - d->live))) return NULL;
  void *mem = d->cl.CreateBuffer(d->context, TN_CL_READ_WRITE, nbytes ? nbytes : 1, NULL, &error);
  if (mem) d->live += nbytes;
  else if (!tn_cl_is_memory(error)) tn_cl_fail(d, "CreateBuffer", error);
  return mem;
}
static void tn_cl_free(void *dev, void *mem, size_t nbytes) {
  tn_cl *d = (tn_cl *)dev;
  d->live -= nbytes;
  d->cl.ReleaseMemObject(mem);
}

// Gives back what has been copied; all: everything has.
static void tn_cl_staged_reap(tn_cl *d, int all) {
  for (tn_cl_staged **at = &d->staged, *s; (s = *at) != NULL; ) {
    int status = TN_CL_COMPLETE;
    if (!all && d->cl.GetEventInfo(s->event, TN_CL_EVENT_STATUS, sizeof status, &status, NULL) != 0) status = 1;
    if (status > TN_CL_COMPLETE) { at = &s->next; continue; }
    *at = s->next;
    d->cl.ReleaseEvent(s->event);
    d->nbytes_staged -= s->nbytes;
    tiny_realloc(d->t, s, sizeof *s + s->nbytes, 0);
  }
}

static tiny_code tn_cl_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  tn_cl *d = (tn_cl *)dev;
  if (!nbytes) return TINY_OK;
  tn_cl_staged_reap(d, 0);
  tn_cl_staged *s = nbytes > TN_CL_STAGED_MOST - d->nbytes_staged ? NULL
      : (tn_cl_staged *)tiny_realloc(d->t, NULL, 0, sizeof *s + nbytes);
  void *event = NULL;
  const int error = d->cl.EnqueueWriteBuffer(d->queue, dst.base, !s, dst.offset, nbytes,
                                             s ? memcpy(s + 1, src, nbytes) : src, 0, NULL, s ? &event : NULL);
  if (error != 0) {
    if (s) tiny_realloc(d->t, s, sizeof *s + nbytes, 0);
    return tn_cl_fail(d, "EnqueueWriteBuffer", error);
  }
  if (!s) return TINY_OK;
  s->next = d->staged; s->event = event; s->nbytes = nbytes;
  d->staged = s;
  d->nbytes_staged += nbytes;
  const int flushed = d->cl.Flush(d->queue);
  return flushed == 0 ? TINY_OK : tn_cl_fail(d, "Flush", flushed);
}
static tiny_code tn_cl_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  tn_cl *d = (tn_cl *)dev;
  if (!nbytes) return TINY_OK;
  const int error = d->cl.EnqueueReadBuffer(d->queue, src.base, 1, src.offset, nbytes, dst, 0, NULL, NULL);
  return error == 0 ? TINY_OK : tn_cl_fail(d, "EnqueueReadBuffer", error);
}
#endif
// ---- end src/cl/memory.c ----
// ---- begin src/cl/program.c ----
// program: from texts to programs, kept as binaries, and the kernels in them.
//
// In:    texts as lang_opencl writes them, or foreign ones. Out: the device's own binary behind a line for each kernel
//        of ours, which says what its parameters are, "name p0 p2 a0", and a line with the hash of what follows it;
//        modules, kernels. A foreign binary as it is: its kernels are foreign, too.
// Holds: programs are built on the calling thread: drivers want more stack than the threads of a pool may have. What
//        the compiler said is in the error. Bytes that were changed never reach the driver: some drivers end the
//        process over them.
#ifndef TN_CL_PROGRAM
#define TN_CL_PROGRAM
#ifndef TINY_AMALGAMATED
#include "device.c"
#endif

enum { TN_CL_HASH = 18 };                  // bytes of a line "#0123456789abcdef"

typedef struct tn_cl_parameter { char kind; int slot; } tn_cl_parameter;   // 'p': memory, two of OpenCL's; 'a': ARG
typedef struct tn_cl_kernel tn_cl_kernel;
struct tn_cl_kernel {
  tn_cl_kernel *next;
  void *kernel;
  const char *name;                        // in the module's table, or behind the parameters
  int n, nforeign;                         // parameters; of a foreign kernel, -1: it is ours
  size_t nbytes;
  tn_cl_parameter parameter[1];            // n of them
};
typedef struct tn_cl_module { void *program; tn_cl_kernel *kernels; size_t nbytes; char *table; } tn_cl_module;

// ** the table of parameters **

// The next word of a text that only spells them: letters, digits and _ from *at on; its length, 0: none is left.
static size_t tn_cl_word(const char **at, const char *end) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  while (*at < end && !strchr(letters, **at)) (*at)++;
  size_t n = 0;
  while (*at + n < end && strchr(letters, (*at)[n])) n++;
  return n;
}
static void tn_cl_table_of(const char *name, size_t length, const char *at, const char *end, tiny_bytes *out) {
  tiny_bytes_add(out, name, length);
  for (size_t n; (n = tn_cl_word(&at, end)) != 0; at += n) {
    const size_t cut = n > 5 && !memcmp(at + n - 5, "_base", 5) ? 5 : n > 5 && !memcmp(at + n - 5, "_bits", 5) ? 5 : 0;
    if (!cut) continue;
    tiny_bytes_add(out, " ", 1);
    tiny_bytes_add(out, at, n - cut);
  }
  tiny_bytes_add(out, "\n", 1);
}
// A line for each kernel of ours.
static void tn_cl_table(const char *text, tiny_bytes *out) {
  static const char head[] = "__kernel __attribute__((reqd_work_group_size(", before[] = "))) void ";
  const int ours = !strncmp(text, tn_opencl_prelude[0], strlen(tn_opencl_prelude[0]));
  for (const char *at = text; ours && (at = strstr(at, head)) != NULL; ) {
    const char *name = strstr(at, before);
    const char *from = name ? strchr(name += sizeof before - 1, '(') : NULL, *to = from ? strchr(from, ')') : NULL;
    if (!to) break;
    tn_cl_table_of(name, (size_t)(from - name), from, to, out);
    at = to;
  }
}

// The line above a binary. FNV-1a: Fowler, Noll and Vo.
static void tn_cl_hash(const void *data, size_t nbytes, char out[TN_CL_HASH + 1]) {
  uint64_t h = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < nbytes; i++) h = (h ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001B3);
  snprintf(out, TN_CL_HASH + 1, "#%016llx\n", (unsigned long long)h);
}

// ** compile **

// What the compiler said, at the end of out.
static void tn_cl_said(const tn_cl *d, void *program, tiny_bytes *out) {
  size_t n = 0;
  if (d->cl.GetProgramBuildInfo(program, d->device, TN_CL_BUILD_LOG, 0, NULL, &n) != 0 || n < 2) return;
  char *text = (char *)tiny_realloc(d->t, NULL, 0, n);
  if (!text) return;
  if (d->cl.GetProgramBuildInfo(program, d->device, TN_CL_BUILD_LOG, n, text, NULL) == 0)
    tiny_bytes_add(out, text, n - 1);      // a 0 ends it
  tiny_realloc(d->t, text, n, 0);
}
static tiny_code tn_cl_binary(const tn_cl *d, void *program, tiny_bytes *out) {
  size_t n = 0;
  int error = d->cl.GetProgramInfo(program, TN_CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL);
  if (error != 0 || !n) return tn_cl_fail(d, "GetProgramInfo", error);
  unsigned char *data = (unsigned char *)tiny_realloc(d->t, NULL, 0, n);
  if (!data) return tiny_fail(d->t, TINY_E_MEMORY, "CL: no memory for a program of %llu bytes", (unsigned long long)n);
  error = d->cl.GetProgramInfo(program, TN_CL_PROGRAM_BINARIES, sizeof data, &data, NULL);
  char hash[TN_CL_HASH + 1];
  tn_cl_hash(data, n, hash);
  if (error == 0) tiny_bytes_add(out, hash, TN_CL_HASH);
  if (error == 0) tiny_bytes_add(out, data, n);
  tiny_realloc(d->t, data, n, 0);
  return error == 0 ? TINY_OK : tn_cl_fail(d, "GetProgramInfo", error);
}

static tiny_code tn_cl_compile_one(const tn_cl *d, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  enum { BUILD_PROGRAM_FAILURE = -11 };
  const char *text = source->data;
  const size_t before = log->n;
  int error = 0;
  void *program = d->cl.CreateProgramWithSource(d->context, 1, &text, &source->n, &error);
  if (!program) return tn_cl_fail(d, "CreateProgramWithSource", error);
  error = d->cl.BuildProgram(program, 1, &d->device, d->options, NULL, NULL);
  tn_cl_said(d, program, log);
  const size_t said = log->n - before;
  tiny_code code = TINY_OK;
  if (error == BUILD_PROGRAM_FAILURE)
    code = tiny_fail(d->t, TINY_E_COMPILE, "CL: %s does not take a kernel:\n%.*s", d->name,
                     (int)(said < 1500 ? said : 1500), said ? log->data + before : "");
  else if (error != 0) code = tn_cl_fail(d, "BuildProgram", error);
  if (code == TINY_OK) tn_cl_table(text, binary);
  if (code == TINY_OK) code = tn_cl_binary(d, program, binary);
  d->cl.ReleaseProgram(program);
  return code;
}
static tiny_code tn_cl_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < n && code == TINY_OK; i++)
    code = tn_cl_compile_one((const tn_cl *)dev, &source[i], &binary[i], log);
  return code;
}

// ** modules and kernels **

static void tn_cl_module_drop(tn_cl *d, tn_cl_module *m) {
  for (tn_cl_kernel *k; (k = m->kernels) != NULL; ) {
    m->kernels = k->next;
    d->cl.ReleaseKernel(k->kernel);
    tiny_realloc(d->t, k, k->nbytes, 0);
  }
  if (m->program) d->cl.ReleaseProgram(m->program);
  tiny_realloc(d->t, m, m->nbytes, 0);
}

static tiny_code tn_cl_module_build(tn_cl *d, tn_cl_module *m, const unsigned char *binary, size_t nbytes) {
  int error = 0, status = 0;
  m->program = d->cl.CreateProgramWithBinary(d->context, 1, &d->device, &nbytes, &binary, &status, &error);
  if (!m->program) return tn_cl_fail(d, "CreateProgramWithBinary", error);
  error = d->cl.BuildProgram(m->program, 1, &d->device, d->options, NULL, NULL);
  return error == 0 ? TINY_OK : tn_cl_fail(d, "BuildProgram", error);
}
// Bytes of the table, up to the line of the hash. SIZE_MAX: there is none, or what follows is not what it was.
static size_t tn_cl_table_nbytes(const char *text, size_t nbytes) {
  char hash[TN_CL_HASH + 1];
  size_t at = 0;
  while (at < nbytes && text[at] != '#') {
    const char *line = (const char *)memchr(text + at, '\n', nbytes - at);
    at = line ? (size_t)(line - text) + 1 : nbytes;
  }
  if (nbytes - at < TN_CL_HASH) return SIZE_MAX;
  tn_cl_hash(text + at + TN_CL_HASH, nbytes - at - TN_CL_HASH, hash);
  return memcmp(text + at, hash, TN_CL_HASH) ? SIZE_MAX : at;
}
// Is it what a driver gives of a program that somebody else has built? An ELF object, NVIDIA's PTX, PoCL's own, SPIR-V,
// before which Mesa's rusticl has three words. Ours begin with a name or a hash, and no damaged one looks like these.
static int tn_cl_is_foreign(const char *data, size_t nbytes) {
  static const struct { size_t at; const char *head; } heads[] = {
    {0, "\177ELF"}, {0, "//"}, {0, "poclbin"}, {12, "\x03\x02\x23\x07"}};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    const size_t n = strlen(heads[i].head), at = heads[i].at;
    if (nbytes > at + n && !memcmp(data + at, heads[i].head, n)) return 1;
  }
  return 0;
}
// NULL: these bytes are no program, or the driver does not take them.
static void *tn_cl_load(void *dev, const void *binary, size_t nbytes) {
  tn_cl *d = (tn_cl *)dev;
  const char *text = (const char *)binary;
  const int foreign = tn_cl_is_foreign(text, nbytes);
  const size_t table = foreign ? 0 : tn_cl_table_nbytes(text, nbytes), from = foreign ? 0 : table + TN_CL_HASH;
  if (table == SIZE_MAX) {
    tiny_fail(d->t, TINY_E_COMPILE, "CL: a program of %llu bytes was cut off or changed; it is none to run",
              (unsigned long long)nbytes);
    return NULL;
  }
  tn_cl_module *m = (tn_cl_module *)tiny_realloc(d->t, NULL, 0, sizeof *m + table + 1);
  if (!m) { tiny_fail(d->t, TINY_E_MEMORY, "CL: no memory for a program"); return NULL; }
  memset(m, 0, sizeof *m);
  m->nbytes = sizeof *m + table + 1;
  m->table = (char *)memcpy(m + 1, text, table);
  m->table[table] = 0;
  if (tn_cl_module_build(d, m, (const unsigned char *)text + from, nbytes - from) == TINY_OK) return m;
  tn_cl_module_drop(d, m);
  return NULL;
}
static void tn_cl_unload(void *dev, void *module) {
  if (module) tn_cl_module_drop((tn_cl *)dev, (tn_cl_module *)module);
}

// The line of a kernel behind its name; NULL: it is not ours.
static const char *tn_cl_line(const tn_cl_module *m, const char *name) {
  const size_t n = strlen(name);
  for (const char *line = m->table; *line; line = strchr(line, '\n') + 1)
    if (!strncmp(line, name, n) && (line[n] == ' ' || line[n] == '\n')) return line + n;
  return NULL;
}
static tn_cl_kernel *tn_cl_kernel_new(tn_cl *d, const char *name, const char *line) {
  int n = 0;
  for (const char *c = line; c && *c != '\n'; c++) n += *c == ' ';
  const size_t nbytes = sizeof(tn_cl_kernel) + (size_t)n * sizeof(tn_cl_parameter) + strlen(name) + 1;
  tn_cl_kernel *k = (tn_cl_kernel *)tiny_realloc(d->t, NULL, 0, nbytes);
  if (!k) { tiny_fail(d->t, TINY_E_MEMORY, "CL: no memory for a kernel"); return NULL; }
  memset(k, 0, sizeof *k);
  k->nbytes = nbytes; k->n = n; k->nforeign = -1;
  k->name = (const char *)memcpy(k->parameter + n, name, strlen(name) + 1);
  for (int i = 0; i < n; i++) {
    line = strchr(line, ' ') + 1;
    k->parameter[i].kind = *line;
    k->parameter[i].slot = (int)tn_digits_value(line + 1, 10, NULL);
  }
  return k;
}
// NULL: it is not in there.
static void *tn_cl_find(void *dev, void *module, const char *name) {
  tn_cl *d = (tn_cl *)dev;
  tn_cl_module *m = (tn_cl_module *)module;
  const char *line = tn_cl_line(m, name);
  int error = 0;
  tn_cl_kernel *k = tn_cl_kernel_new(d, name, line);
  if (!k) return NULL;
  k->kernel = d->cl.CreateKernel(m->program, name, &error);
  if (!k->kernel) {
    tiny_realloc(d->t, k, k->nbytes, 0);
    if (error != TN_CL_INVALID_KERNEL_NAME) tn_cl_fail(d, "CreateKernel", error);
    return NULL;
  }
  k->next = m->kernels;
  m->kernels = k;
  if (line) return k;
  uint32_t parameters = 0;
  error = d->cl.GetKernelInfo(k->kernel, TN_CL_KERNEL_NUM_ARGS, sizeof parameters, &parameters, NULL);
  k->nforeign = (int)parameters;
  if (error == 0) return k;
  tn_cl_fail(d, "GetKernelInfo", error);
  return NULL;
}
#endif
// ---- end src/cl/program.c ----
// ---- begin src/cl/queue.c ----
// queue: launches, their times, events, and what went wrong later.
//
// In:    what struct tiny_launch says. Out: commands on one queue, which executes them in order.
// Holds: a command keeps what it uses until it has happened (The OpenCL Specification 1.2, 5.2.1 clReleaseMemObject,
//        5.7.1 clReleaseKernel). What a command failed with shows in its event alone: sync asks one behind all others.
#ifndef TN_CL_QUEUE
#define TN_CL_QUEUE
#ifndef TINY_AMALGAMATED
#include "program.c"
#include "memory.c"
#endif

struct tn_cl_stamp { tn_cl_stamp *next; uint64_t *out; void *event; };

// ** arguments **

// A part of memory as memory of its own, for foreign kernels, which know of no offset. *copied: the driver has no parts
// that begin here, and it is a copy. NULL after an error.
static void *tn_cl_part(tn_cl *d, tiny_mem m, size_t *nbytes, int *copied) {
  int error = 0;
  *nbytes = 0;
  error = d->cl.GetMemObjectInfo(m.base, TN_CL_MEM_SIZE, sizeof *nbytes, nbytes, NULL);
  if (error != 0) { tn_cl_fail(d, "GetMemObjectInfo", error); return NULL; }
  *nbytes -= m.offset;
  const size_t region[2] = {m.offset, *nbytes};
  *copied = m.offset % d->alignment != 0;
  void *part = *copied ? d->cl.CreateBuffer(d->context, TN_CL_READ_WRITE, *nbytes, NULL, &error)
                       : d->cl.CreateSubBuffer(m.base, TN_CL_READ_WRITE, TN_CL_REGION, region, &error);
  if (!part) { tn_cl_fail(d, *copied ? "CreateBuffer" : "CreateSubBuffer", error); return NULL; }
  if (*copied) error = d->cl.EnqueueCopyBuffer(d->queue, m.base, part, m.offset, 0, *nbytes, 0, NULL, NULL);
  if (error == 0) return part;
  d->cl.ReleaseMemObject(part);
  tn_cl_fail(d, "EnqueueCopyBuffer", error);
  return NULL;
}

static tiny_code tn_cl_set(tn_cl *d, const tn_cl_kernel *k, uint32_t at, size_t nbytes, const void *value) {
  const int error = d->cl.SetKernelArg(k->kernel, at, nbytes, value);
  return error == 0 ? TINY_OK : tn_cl_fail(d, "SetKernelArg", error);
}

// Of a kernel that the library wrote: its parameters say what they are.
static tiny_code tn_cl_set_own(tn_cl *d, const tn_cl_kernel *k, const tiny_launch *l) {
  tiny_code code = TINY_OK;
  uint32_t at = 0;
  for (int i = 0; i < k->n && code == TINY_OK; i++) {
    const tn_cl_parameter p = k->parameter[i];
    if (p.slot < 0 || p.slot >= (p.kind == 'p' ? l->nmem : l->nargs))
      return tiny_fail(d->t, TINY_E_INTERNAL, "CL: a kernel has parameter %c%d, its launch has not", p.kind, p.slot);
    const uint64_t bits = p.kind == 'p' ? (uint64_t)l->mem[p.slot].offset : (uint64_t)l->args[p.slot];
    if (p.kind == 'p') code = tn_cl_set(d, k, at++, sizeof(void *), &l->mem[p.slot].base);
    if (code == TINY_OK) code = tn_cl_set(d, k, at++, sizeof bits, &bits);
  }
  return code;
}

// ** launches **

static tiny_code tn_cl_stamp_add(tn_cl *d, uint64_t *out, void *event) {
  tn_cl_stamp *s = (tn_cl_stamp *)tiny_realloc(d->t, NULL, 0, sizeof *s);
  if (!s) {                                // the library takes the host's time instead
    d->cl.ReleaseEvent(event);
    return TINY_OK;
  }
  s->next = d->stamps; s->out = out; s->event = event;
  d->stamps = s;
  return TINY_OK;
}
// After sync: every stamp is written, where the queue takes times, and given back.
static void tn_cl_stamps_write(tn_cl *d) {
  for (tn_cl_stamp *s; (s = d->stamps) != NULL; ) {
    uint64_t begin = 0, end = 0;
    d->stamps = s->next;
    if (d->cl.GetEventProfilingInfo(s->event, TN_CL_PROFILING_START, sizeof begin, &begin, NULL) == 0 &&
        d->cl.GetEventProfilingInfo(s->event, TN_CL_PROFILING_END, sizeof end, &end, NULL) == 0) {
      s->out[0] = begin;
      s->out[1] = end;
    }
    d->cl.ReleaseEvent(s->event);
    tiny_realloc(d->t, s, sizeof *s, 0);
  }
}

static tiny_code tn_cl_enqueue(tn_cl *d, const tn_cl_kernel *k, const tiny_launch *l) {
  size_t global[3], local[3];
  double items = 1;
  for (int i = 0; i < 3; i++) {
    local[i] = (size_t)l->local[i];
    global[i] = (size_t)(l->global[i] * l->local[i]);
    items *= (double)l->local[i];
    if ((double)l->global[i] * (double)l->local[i] > (double)SIZE_MAX / 2)
      return tiny_fail(d->t, TINY_E_DEVICE, "CL: %lld work groups are more than %s runs", (long long)l->global[i],
                       d->name);
  }
  if (items > (double)d->work_items)
    return tiny_fail(d->t, TINY_E_DEVICE, "CL: a group of %.0f work items; %s runs up to %llu", items, d->name,
                     (unsigned long long)d->work_items);
  void *event = NULL;
  const int error = d->cl.EnqueueNDRangeKernel(d->queue, k->kernel, 3, NULL, global, local, 0, NULL,
                                               l->stamp ? &event : NULL);
  if (error != 0) return tn_cl_fail(d, "EnqueueNDRangeKernel", error);
  return l->stamp ? tn_cl_stamp_add(d, l->stamp, event) : TINY_OK;
}

// A foreign kernel: one parameter for each memory. Slot 0 alone is written.
static tiny_code tn_cl_launch_foreign(tn_cl *d, const tn_cl_kernel *k, const tiny_launch *l) {
  enum { MOST = 64 };                      // tiny_kernel takes 63 inputs
  void *part[MOST];
  size_t nbytes, first = 0;
  int copied, n = 0, back = 0;
  if (k->nforeign != l->nmem || l->nmem > MOST)
    return tiny_fail(d->t, TINY_E_ARG, "kernel: %s has %d parameters, but there are an output and %d inputs", k->name,
                     k->nforeign, l->nmem - 1);
  tiny_code code = TINY_OK;
  for (int i = 0; i < l->nmem && code == TINY_OK; i++) {
    void *mem = l->mem[i].base;
    if (l->mem[i].offset) {
      if (!(mem = tn_cl_part(d, l->mem[i], &nbytes, &copied))) { code = tiny_status(d->t); break; }
      part[n++] = mem;
      if (i == 0 && copied) { back = 1; first = nbytes; }
    }
    code = tn_cl_set(d, k, (uint32_t)i, sizeof mem, &mem);
  }
  if (code == TINY_OK) code = tn_cl_enqueue(d, k, l);
  if (code == TINY_OK && back) {
    const int error = d->cl.EnqueueCopyBuffer(d->queue, part[0], l->mem[0].base, 0, l->mem[0].offset, first, 0, NULL,
                                              NULL);
    if (error != 0) code = tn_cl_fail(d, "EnqueueCopyBuffer", error);
  }
  for (int i = 0; i < n; i++) d->cl.ReleaseMemObject(part[i]);
  return code;
}

// A kernel of tasks has a group of one item for each.
static tiny_code tn_cl_add(tn_cl *d, const tiny_launch *l) {
  const tn_cl_kernel *k = (const tn_cl_kernel *)l->kernel;
  for (int i = 0; i < 3; i++) if (l->global[i] < 1) return TINY_OK;
  if (k->nforeign >= 0) return tn_cl_launch_foreign(d, k, l);
  tiny_launch own = *l;
  if (l->tasks) own.global[0] = l->tasks;
  const tiny_code code = tn_cl_set_own(d, k, &own);
  return code == TINY_OK ? tn_cl_enqueue(d, k, &own) : code;
}
// They begin at once.
static tiny_code tn_cl_submit(void *dev, const tiny_launch *l, int n) {
  tn_cl *d = (tn_cl *)dev;
  tiny_code code = TINY_OK;
  for (int i = 0; i < n && code == TINY_OK; i++) code = tn_cl_add(d, &l[i]);
  const int error = d->cl.Flush(d->queue);
  return code == TINY_OK && error != 0 ? tn_cl_fail(d, "Flush", error) : code;
}
static tiny_code tn_cl_launch(void *dev, const tiny_launch *l) { return tn_cl_submit(dev, l, 1); }

// ** events, and waiting **

typedef struct tn_cl_event { void *event, *context; const tn_cl *of; } tn_cl_event;

static void *tn_cl_event_new(void *dev) {
  tn_cl *d = (tn_cl *)dev;
  tn_cl_event *e = (tn_cl_event *)tiny_realloc(d->t, NULL, 0, sizeof *e);
  if (!e) { tiny_fail(d->t, TINY_E_MEMORY, "CL: no memory for an event"); return NULL; }
  e->context = d->context; e->of = d;
  int error = d->cl.EnqueueMarkerWithWaitList(d->queue, 0, NULL, &e->event);
  if (error == 0 && (error = d->cl.Flush(d->queue)) != 0) d->cl.ReleaseEvent(e->event);
  if (error == 0) return e;
  tiny_realloc(d->t, e, sizeof *e, 0);
  tn_cl_fail(d, "EnqueueMarkerWithWaitList", error);
  return NULL;
}
// Events of one context of OpenCL order queues on the device; for another's the host waits. What failed there is told
// by the other device.
static tiny_code tn_cl_wait(void *dev, void *event) {
  tn_cl *d = (tn_cl *)dev;
  const tn_cl_event *e = (const tn_cl_event *)event;
  if (e->of == d) return TINY_OK;
  const int shared = e->context == d->context;
  const int error = shared ? d->cl.EnqueueBarrierWithWaitList(d->queue, 1, &e->event, NULL)
                           : d->cl.WaitForEvents(1, &e->event);
  if (error == 0 || error == TN_CL_EVENTS_FAILED) return TINY_OK;
  return tn_cl_fail(d, shared ? "EnqueueBarrierWithWaitList" : "WaitForEvents", error);
}
static void tn_cl_event_free(void *dev, void *event) {
  tn_cl *d = (tn_cl *)dev;
  d->cl.ReleaseEvent(((tn_cl_event *)event)->event);
  tiny_realloc(d->t, event, sizeof(tn_cl_event), 0);
}

static tiny_code tn_cl_sync(void *dev) {
  tn_cl *d = (tn_cl *)dev;
  void *last = NULL;
  int error = d->cl.EnqueueMarkerWithWaitList(d->queue, 0, NULL, &last);
  const char *call = error != 0 ? "EnqueueMarkerWithWaitList" : "WaitForEvents";
  if (error == 0) {
    error = d->cl.WaitForEvents(1, &last);
    d->cl.ReleaseEvent(last);
  }
  const int finished = d->cl.Finish(d->queue);
  if (error == 0 && finished != 0) { error = finished; call = "Finish"; }
  tn_cl_stamps_write(d);
  tn_cl_staged_reap(d, finished == 0);     // a driver that does not wait may be reading still
  return error == 0 ? TINY_OK : tn_cl_fail(d, call, error);
}
// A device that cannot be waited for any more is lost, and reads nothing.
static void tn_cl_close(void *dev) {
  tn_cl *d = (tn_cl *)dev;
  d->cl.Finish(d->queue);
  tn_cl_stamps_write(d);
  tn_cl_staged_reap(d, 1);
  tn_cl_give_back(d);
}
#endif
// ---- end src/cl/queue.c ----
// ---- begin src/cl/backend.c ----
// backend: the one object of tiny_cl.h.
#ifndef TN_CL_BACKEND
#define TN_CL_BACKEND
#ifndef TINY_AMALGAMATED
#include "queue.c"
#endif

#ifdef TINY_STATIC
static
#endif
const tiny_backend tiny_cl = {
  TINY_BACKEND_VERSION, "CL", tn_cl_open, tn_cl_close, tn_cl_target, tn_cl_renderer, tn_cl_alloc, tn_cl_free,
  tn_cl_copy_in, tn_cl_copy_out, NULL, NULL, tn_cl_compile, tn_cl_load, NULL, tn_cl_unload, tn_cl_find, tn_cl_launch,
  tn_cl_submit, tn_cl_event_new, tn_cl_wait, tn_cl_event_free, tn_cl_sync, NULL
};
#endif
// ---- end src/cl/backend.c ----
// ---- end src/cl/all.c ----
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

Where things stand in tiny_cl.h

    112  src/cl/../base/library.c        shared libraries that are loaded while the program runs: drivers,
                                         which a program is not linked with
    168  src/cl/../base/digits.c         whole numbers in text without a sign: of devices, of versions, of
                                         addresses
    195  src/cl/../render/lang_opencl.c  the descriptor of OpenCL C 1.2, for devices that have f64, f16 and
                                         64-bit integers or not
    353  src/cl/driver.c                 what is used of OpenCL 1.2, by own declarations, and libOpenCL, which
                                         is loaded at run time
    501  src/cl/device.c                 which device of which driver, what it has, and how it is opened and
                                         closed
    823  src/cl/memory.c                 buffers of the device, and copies from the host and to it
    895  src/cl/program.c                from texts to programs, kept as binaries, and the kernels in them
   1134  src/cl/queue.c                  launches, their times, events, and what went wrong later
   1347  src/cl/backend.c                the one object of tiny_cl.h
*/
