// lang_metal: the descriptor of Metal Shading Language 2.4 and newer: an element at a time or vectors of 2 and 4.
//
// Out: tn_lang_metal fills a tiny_renderer. A kernel has memory of PARAM k in buffer k and ARG k, low bytes first, in
//      buffer 30 - k: there are 31 (Metal Feature Set Tables).
// Holds:
//  - There is no f64: rendering it says so. bf16 has a name from 3.1 on; without, and as fp8, it is an integer that
//    rules/decompose.c takes apart. limits.dtypes is to be TN_METAL_ARITHMETIC: narrow floats are computed in f32.
//  - The text is to be compiled without fast math (MTLCompileOptions: mathMode safe; before macOS 15 fastMathEnabled
//    NO), else it may be taken that there is no NaN, infinity or -0 (1.6.5). From 3.2 on it says so itself. Without it
//    compilers still fuse products with sums (1.6.3, fp contract): the pragmas say no, FMAs are those of the list.
//  - exp2, log2 and sin are decomposed: the language allows them 4 ulp (8.4), this library promises 1, but for 2^x that
//    is rounded to a narrow float. Quotients and
//    roots are rounded correctly. The device may flush numbers below the normals of f32 to 0 (8.1).
//  - Integers wrap: sums and products are of unsigned types, unless their bounds say that they need not.
//  - Items are numbered by SIMD-groups, so that those beside each other are lanes of one, whose width the limits' warp
//    is, where the device permutes their values (Metal Feature Set Tables: family Apple6 and newer, Mac2). Reductions
//    are exchanges: in which order simd_sum adds is not said (6.9.2), and bits are not to depend on the device.
//  - Matrix units are simdgroup_matrix (2.3 and newer, family Apple7 and newer). Where a kernel has them, bits of a
//    lane's number change places, so that items are numbered as machine/units.c has it; exchanges follow.
//  - Vectors lie in memory at the alignment of an element: packed_float4 and so on (2.2.3), unless it is known that
//    they lie at multiples of their size: buffers do (16 bytes at least), and so does threadgroup memory.
//  - Quotients by numbers are written as such: products by reciprocals of 64 bits and shifts instead of them come out
//    wrong (tinygrad, pull request 14137).
//  - No kernel says that its groups are at most one SIMD-group, of 32: of those that say it Apple's compiler gets
//    threadgroup_barrier(mem_flags::mem_threadgroup) wrong where there are fewer threads (MoltenVK, issue 2711; M2 Pro,
//    macOS 15.7). 33 is enough.
// What is what: Apple, Metal Shading Language Specification.
#ifndef TN_RENDER_LANG_METAL
#define TN_RENDER_LANG_METAL
#ifndef TINY_API
#include "../api/api.h"
#endif
#include <string.h>

// limits.dtypes: all but narrow floats, and f64, which is not there.
#define TN_METAL_ARITHMETIC (~((uint64_t)1 << TINY_F16 | (uint64_t)1 << TINY_BF16 | (uint64_t)1 << TINY_F8E4M3 | \
                               (uint64_t)1 << TINY_F8E5M2 | (uint64_t)1 << TINY_F64))

// wrap(x) is x as its sums wrap: narrow integers would become int. S: a space of addresses, of which pointers are (4).
// MATRICES: elements of a simdgroup_matrix are those of lanes whose bits are C1 R0 R1 C2 R2 of columns and rows (MLX,
// steel/gemm/mma.h, get_coord), in items' order C1 C2 R0 R1 R2. thread_elements() is in the language's headers, not in
// its specification; MLX and tinygrad (renderer/cstyle.py) rely on it, llama.cpp on sums of f32 of narrower factors.
static const char *const tn_metal_prelude[] = {
  "#define MATRICES",
  "#include <metal_stdlib>",
  "using namespace metal;",
  "#if __METAL_VERSION__ >= 320",
  "  #pragma METAL fp math_mode(safe)",
  "  #pragma METAL fp contract(off)",
  "#else",
  "  #pragma clang fp contract(off)",
  "#endif",
  "#define WRAP(T, U, V) inline V wrap(T x) { return V(x); } inline U##2 wrap(T##2 x) { return U##2(x); } \\",
  "  inline U##4 wrap(T##4 x) { return U##4(x); }",
  "WRAP(char, uchar, uint) WRAP(uchar, uchar, uint) WRAP(short, ushort, uint) WRAP(ushort, ushort, uint)",
  "WRAP(int, uint, uint) WRAP(uint, uint, uint) WRAP(long, ulong, ulong) WRAP(ulong, ulong, ulong)",
  "WRAP(half, half, half) WRAP(float, float, float)",
  "#define MEMORY_IN(S, T, L) \\",
  "  inline T##L load##L(const S T *p) { return T##L(*(const S packed_##T##L *)p); } \\",
  "  inline void store##L(S T *p, T##L v) { *(S packed_##T##L *)p = packed_##T##L(v); } \\",
  "  inline T##L load_aligned##L(const S T *p) { return *(const S T##L *)p; } \\",
  "  inline void store_aligned##L(S T *p, T##L v) { *(S T##L *)p = v; } \\",
  "  inline T##L load_masked(const S T *p, bool##L m, T##L y) { \\",
  "    for (int i = 0; i < L; i++) if (m[i]) y[i] = p[i]; return y; } \\",
  "  inline void store_masked(S T *p, T##L v, bool##L m) { for (int i = 0; i < L; i++) if (m[i]) p[i] = v[i]; } \\",
  "  APART_IN(S, T, L, int) APART_IN(S, T, L, long)",
  "#define APART_IN(S, T, L, I) \\",
  "  inline T##L gather(const S T *p, I##L k) { T##L v; for (int i = 0; i < L; i++) v[i] = p[k[i]]; return v; } \\",
  "  inline T##L gather_masked(const S T *p, I##L k, bool##L m, T##L y) { \\",
  "    for (int i = 0; i < L; i++) if (m[i]) y[i] = p[k[i]]; return y; } \\",
  "  inline void scatter(S T *p, I##L k, T##L v) { for (int i = 0; i < L; i++) p[k[i]] = v[i]; } \\",
  "  inline void scatter_masked(S T *p, I##L k, T##L v, bool##L m) { \\",
  "    for (int i = 0; i < L; i++) if (m[i]) p[k[i]] = v[i]; }",
  "#define MEMORY(T) MEMORY_IN(device, T, 2) MEMORY_IN(device, T, 4) MEMORY_IN(threadgroup, T, 2) \\",
  "  MEMORY_IN(threadgroup, T, 4)",
  "MEMORY(char) MEMORY(uchar) MEMORY(short) MEMORY(ushort) MEMORY(int) MEMORY(uint) MEMORY(long) MEMORY(ulong)",
  "MEMORY(half) MEMORY(float)",
  // x of the lane whose number is this one's ^ mask, as a type that 6.9.2 has
  "#define EXCHANGED(T, U) inline T exchanged(T x, ushort mask) { \\",
  "  return as_type<T>(simd_shuffle_xor(as_type<U>(x), mask)); }",
  "EXCHANGED(char, char) EXCHANGED(uchar, uchar) EXCHANGED(short, short) EXCHANGED(ushort, ushort) EXCHANGED(int, int)",
  "EXCHANGED(uint, uint) EXCHANGED(long, uint2) EXCHANGED(ulong, uint2) EXCHANGED(half, half) EXCHANGED(float, float)",
  "#if __METAL_VERSION__ >= 310",
  "  WRAP(bfloat, bfloat, bfloat) MEMORY(bfloat) EXCHANGED(bfloat, ushort)",
  "#endif",
  "#ifdef MATRICES",
  "  constant bool tiled = false;",
  "  #define LANE_OF_ITEM(i) (tiled ? ((i) & 17) | ((i) << 2 & 8) | ((i) >> 1 & 6) : (i))",
  "  #define ITEM_OF_LANE(i) (((i) & 17) | ((i) >> 2 & 2) | ((i) << 1 & 12))",
  "  #define MATRIX(name, T, W) inline float2 matrix_##name(W x, W y, float2 z) { \\",
  "    const T##2 p = as_type<T##2>(x), q = as_type<T##2>(y); \\",
  "    simdgroup_matrix<T, 8, 8> a, b; simdgroup_matrix<float, 8, 8> c; \\",
  "    a.thread_elements()[0] = p[0]; b.thread_elements()[0] = q[0]; c.thread_elements()[0] = z[0]; \\",
  "    a.thread_elements()[1] = p[1]; b.thread_elements()[1] = q[1]; c.thread_elements()[1] = z[1]; \\",
  "    simdgroup_multiply_accumulate(c, a, b, c); \\",
  "    return float2(c.thread_elements()[0], c.thread_elements()[1]); }",
  "  MATRIX(apple_8x8x8_f16, half, uint) MATRIX(apple_8x8x8_f32, float, uint2)",
  "  #if __METAL_VERSION__ >= 310",
  "    MATRIX(apple_8x8x8_bf16, bfloat, uint)",
  "  #endif",
  "#endif",
  NULL
};

// exact: of what cannot wrap; vector NULL: as scalar.
static const struct { int op; const char *scalar, *exact, *vector; } tn_metal_ops[] = {
  {TINY_OP_NEG, "%t(-wrap(%0))", "-%0", NULL}, {TINY_OP_ADD, "%t(wrap(%0) + wrap(%1))", "%0 + %1", NULL},
  {TINY_OP_SUB, "%t(wrap(%0) - wrap(%1))", "%0 - %1", NULL},
  {TINY_OP_MUL, "%t(wrap(%0) * wrap(%1))", "%0 * %1", NULL}, {TINY_OP_FDIV, "%t(%0 / %1)", "%0 / %1", NULL},
  {TINY_OP_CDIV, "%t(%0 / %1)", "%0 / %1", NULL}, {TINY_OP_CMOD, "%t(%0 %% %1)", "%0 %% %1", NULL},
  {TINY_OP_AND, "%t(%0 & %1)", "%0 & %1", NULL}, {TINY_OP_OR, "%t(%0 | %1)", "%0 | %1", NULL},
  {TINY_OP_XOR, "%t(%0 ^ %1)", "%0 ^ %1", NULL}, {TINY_OP_SHL, "%t(wrap(%0) << wrap(%1))", NULL, NULL},
  {TINY_OP_SHR, "%t(%0 >> %1)", "%0 >> %1", NULL}, {TINY_OP_LT, "%0 < %1", NULL, NULL},
  {TINY_OP_NE, "%0 != %1", NULL, NULL}, {TINY_OP_EQ, "%0 == %1", NULL, NULL},
  {TINY_OP_WHERE, "%0 ? %1 : %2", NULL, "select(%2, %1, %0)"},
  {TINY_OP_EXP2, "precise::exp2(%0)", NULL, NULL},
  {TINY_OP_SQRT, "precise::sqrt(%0)", NULL, NULL}, {TINY_OP_TRUNC, "trunc(%0)", NULL, NULL},
  {TINY_OP_CAST, "static_cast<%t>(%0)", NULL, NULL}, {TINY_OP_BITCAST, "as_type<%t>(%0)", NULL, NULL},
  {TINY_OP_BROADCAST, "%t(%0)", NULL, NULL}, {TINY_OP_PICK, "%0[%k]", NULL, NULL},
  {TINY_OP_STACK, "%t(%a)", NULL, NULL}, {TINY_OP_SHUFFLE, "exchanged(%0, %k)", NULL, NULL},
  {TINY_OP_FMA, "fma(%0, %1, %2)", NULL, NULL}, {TINY_OP_WMMA, "matrix_%n(%0, %1, %2)", NULL, NULL},
  {TINY_OP_LOAD, "*(%0)", NULL, NULL},
  {TINY_OP_STORE, "*(%0) = %1", NULL, NULL}
};

// version: from which on there is one.
static const struct { int dtype, version; const char *type, *literal; } tn_metal_types[] = {
  {TINY_VOID, 0, "void", NULL}, {TINY_BOOL, 0, "bool", "bool(%k)"}, {TINY_I8, 0, "char", NULL},
  {TINY_U8, 0, "uchar", NULL}, {TINY_I16, 0, "short", NULL}, {TINY_U16, 0, "ushort", NULL}, {TINY_I32, 0, "int", "%k"},
  {TINY_U32, 0, "uint", "%ku"}, {TINY_I64, 0, "long", "%kl"}, {TINY_U64, 0, "ulong", "%kul"},
  {TINY_F16, 0, "half", "half(%kf)"}, {TINY_BF16, 31, "bfloat", "bfloat(%kf)"}, {TINY_F32, 0, "float", "%kf"}
};

// limits.atomics: MSL 6.15.2; of floats from 3.0 on.
#define TN_METAL_ATOMICS(version) ((uint64_t)1 << TINY_I32 | (uint64_t)1 << TINY_U32 | \
                                   (uint64_t)((version) >= 30) << TINY_F32)
#define TN_METAL_ADD(type) "atomic_fetch_add_explicit((device " type " *)(%0), %1, memory_order_relaxed)"

// What a device has: lanes of a SIMD-group exchange values; and multiply matrices.
enum { TN_METAL_LANES = 1, TN_METAL_MATRICES = 2 };
#define TN_METAL_KERNEL \
  "[[kernel, max_total_threads_per_threadgroup(%0 * %1 * %2 > 32 ? %0 * %1 * %2 : 33)]] void %n(%a,\n"
#define TN_METAL_ITEMS \
  "    uint3 group [[threadgroup_position_in_grid]], uint simd [[simdgroup_index_in_threadgroup]],\n" \
  "    uint width [[threads_per_simdgroup]], uint lane [[thread_index_in_simdgroup]]) {\n"
#define TN_METAL_ITEM "  const uint item[3] = {number %% %0, number / %0 %% %1, number / (%0 * %1)};"

static void tn_metal_formats(tiny_language *l, int has) {
  l->prelude = tn_metal_prelude + !(has & TN_METAL_MATRICES);
  l->kernel = TN_METAL_KERNEL
      "    uint3 group [[threadgroup_position_in_grid]], uint3 item [[thread_position_in_threadgroup]]) {";
  if (has & TN_METAL_LANES) l->kernel = TN_METAL_KERNEL TN_METAL_ITEMS
      "  const uint number = simd * width + lane;\n" TN_METAL_ITEM;
  l->kernel_units = TN_METAL_KERNEL TN_METAL_ITEMS
      "  const bool tiled = true;\n  const uint number = simd * width + ITEM_OF_LANE(lane);\n" TN_METAL_ITEM;
  l->end = "}";
  l->buffer = "device %t *%n [[buffer(%k)]]"; l->buffer_read = "device const %t *%n [[buffer(%k)]]";
  l->scalar = "constant %t &%n [[buffer(30 - %k)]]";
  l->local = "alignas(16) threadgroup %t %n[%k];";
  l->barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);";
  l->global_id = "static_cast<%t>(group[%d])"; l->local_id = "static_cast<%t>(item[%d])";
  l->variable = "%t %n;"; l->variables = "%t %n[%k];";
  l->value = "const %t %n = %0;"; l->choice = "%t %n = %0;";
  l->infinity = "%t(as_type<float>(0x7F800000u))"; l->nan = "%t(as_type<float>(0x7FC00000u))"; l->zero = "%t(0)";
  l->vector = "%e%l";
  l->address = "%0 + %1";
  l->load = "load%l(%0)"; l->load_masked = "load_masked(%0, %1, %2)";
  l->load_aligned = "load_aligned%l(%0)"; l->store_aligned = "store_aligned%l(%0, %1)";
  l->gather = "gather(%0, %1)"; l->gather_masked = "gather_masked(%0, %1, %2, %3)";
  l->store = "store%l(%0, %1)"; l->store_masked = "store_masked(%0, %1, %2)";
  l->scatter = "scatter(%0, %1, %2)"; l->scatter_masked = "scatter_masked(%0, %1, %2, %3)";
  l->low = "%0.xy"; l->high = "%0.zw";
}

// version: 23 of 2.3, 31 of 3.1: what MTLCompileOptions asks for. has: TN_METAL_LANES ..
static void tn_lang_metal(tiny_renderer *r, int version, int has) {
  tiny_language *l = &r->language;
  memset(r, 0, sizeof *r);
  r->name = "Metal"; r->file = "metal";
  r->flags = TINY_TARGET_OPTIMIZES | TINY_TARGET_ALIGNED; r->exp2_ulps = 4; r->vector_lanes = 4;
  tn_metal_formats(l, has);
  l->atomics[TINY_I32] = TN_METAL_ADD("atomic_int"); l->atomics[TINY_U32] = TN_METAL_ADD("atomic_uint");
  if (version >= 30) l->atomics[TINY_F32] = TN_METAL_ADD("atomic_float");
  l->bops[TINY_OP_AND] = "%0 && %1"; l->bops[TINY_OP_OR] = "%0 || %1"; l->bops[TINY_OP_XOR] = "%0 != %1";
  for (size_t i = 0; i < sizeof tn_metal_types / sizeof *tn_metal_types; i++) {
    if (tn_metal_types[i].version > version) continue;
    l->types[tn_metal_types[i].dtype] = tn_metal_types[i].type;
    l->literals[tn_metal_types[i].dtype] = tn_metal_types[i].literal;
  }
  for (size_t i = 0; i < sizeof tn_metal_ops / sizeof *tn_metal_ops; i++) {
    l->ops[tn_metal_ops[i].op] = tn_metal_ops[i].scalar;
    l->eops[tn_metal_ops[i].op] = tn_metal_ops[i].exact;
    l->vops[tn_metal_ops[i].op] = tn_metal_ops[i].vector;
  }
  if (!(has & TN_METAL_LANES)) l->ops[TINY_OP_SHUFFLE] = NULL;
  if (!(has & TN_METAL_MATRICES)) l->ops[TINY_OP_WMMA] = NULL;
  else l->ops[TINY_OP_SHUFFLE] = "exchanged(%0, LANE_OF_ITEM(%k))";
}
#endif
