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
