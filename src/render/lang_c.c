// lang_c: the descriptor of C as the CPU speaks it: gcc >= 9 and clang, freestanding, no includes, GNU vectors.
//
// Out: tn_lang_c fills a tiny_renderer. A kernel is
//      `void NAME(void *const *mem, const long long *args, long long task, char *restrict local)`.
// Holds:
//  - A bool is 0 or 1 in a b8. A vector of bools, b8xL, has lanes of 0 and -1 in signed bytes, whatever was compared:
//    clang turns the conversions to and from the compared width into nothing (AVX-512: mask registers), so that
//    one type serves all. Bools never reach memory or casts: rules/decompose.c has turned those into u8.
//  - Integers wrap: the kernels are compiled with -fwrapv. Operations on types narrower than int are cast back.
//  - sqrt and trunc of vectors are loops over lanes that the compiler turns into one instruction.
//  - Vectors are loaded and stored at the alignment of an element.
//  - A product and a sum are one operation where the list says FMA, which a processor without the instruction is not
//    given (runtime/cpu.c), and nowhere else.
// Flags to compile with: -ffreestanding -fno-math-errno -fwrapv -fno-strict-aliasing -ffp-contract=on, see runtime.
#ifndef TN_RENDER_LANG_C
#define TN_RENDER_LANG_C
#ifndef TINY_AMALGAMATED
#include "../ir/uop.c"
#endif

// Macros cost the compiler next to nothing until they are used; vector types are declared for the lanes in use only.
// Macros evaluate arguments once, except where the argument is a type or a number.
// Lines stand in few texts: each pointer to one is moved when a program is loaded.
static const char *const tn_c_prelude[] = {
  "typedef unsigned char b8; typedef signed char i8; typedef unsigned char u8; typedef short i16;\n"
  "typedef unsigned short u16; typedef int i32; typedef unsigned u32; typedef long long i64;\n"
  "typedef unsigned long long u64; typedef float f32; typedef double f64;\n"
  "#define VECTOR(T, E, L) \\\n"
  "  typedef E T##x##L __attribute__((vector_size(sizeof(E) * L), \\\n"
  "    aligned(sizeof(E) * L < 64 ? sizeof(E) * L : 64))); \\\n"
  "  typedef E T##x##L##u __attribute__((vector_size(sizeof(E) * L), aligned(sizeof(E)), may_alias));\n"
  "#define LANES(L) VECTOR(b8, i8, L) VECTOR(i8, i8, L) VECTOR(u8, u8, L) VECTOR(i16, i16, L) VECTOR(u16, u16, L) \\\n"
  "  VECTOR(i32, i32, L) VECTOR(u32, u32, L) VECTOR(i64, i64, L) VECTOR(u64, u64, L) VECTOR(f32, f32, L) \\\n"
  "  VECTOR(f64, f64, L)\n"
  "#ifdef __clang__\n"
  "  #define EACH(L) _Pragma(\"clang loop unroll(full)\") for (int l_ = 0; l_ < L; l_++)\n"
  "#else\n"
  "  #define EACH(L) for (int l_ = 0; l_ < L; l_++)\n"
  "#endif\n"
  "#if defined(__x86_64__) && !defined(__SSE4_1__)\n"
  "  #define TRUNC_32(x) ({ f32 x_ = (x); x_ < 8388608.0f && x_ > -8388608.0f ? \\\n"
  "    __builtin_copysignf((f32)(i32)x_, x_) : x_; })\n"
  "  #define TRUNC_64(x) ({ f64 x_ = (x); x_ < 4503599627370496.0 && x_ > -4503599627370496.0 ? \\\n"
  "    __builtin_copysign((f64)(i64)x_, x_) : x_; })\n"
  "#else\n"
  "  #define TRUNC_32 __builtin_truncf\n"
  "  #define TRUNC_64 __builtin_trunc\n"
  "#endif\n"
  "#ifdef __clang__\n"
  "  #define ROLLED _Pragma(\"clang loop unroll(disable)\")\n"
  "#elif __GNUC__ >= 8\n"
  "  #define ROLLED _Pragma(\"GCC unroll 1\")\n"
  "#else\n"
  "  #define ROLLED\n"
  "#endif\n"
  "#define GOES_ON(r, n) (r < n)\n"
  "#ifdef __has_builtin\n"
  "  #if __has_builtin(__builtin_expect_with_probability)\n"
  "    #undef GOES_ON\n"
  "    #define GOES_ON(r, n) __builtin_expect_with_probability(r < n, 1, 1 - 1.0 / (n))\n"
  "  #endif\n"
  "#endif\n"
  "#define SQRT_32 __builtin_sqrtf\n"
  "#define SQRT_64 __builtin_sqrt\n"
  "#define FMA_32 __builtin_fmaf\n"
  "#define FMA_64 __builtin_fma\n"
  // Nothing is fused but this. clang: llvm.fmuladd, which is one instruction wherever there is one; gcc takes
  // -ffp-contract=on for off.
  "#ifdef __clang__\n"
  "  #pragma clang fp contract(off)\n"
  "  #define FMA_LANES(T, B, L, x, y, z) ({ _Pragma(\"clang fp contract(on)\") (x) * (y) + (z); })\n"
  "#else\n"
  "  #define FMA_LANES(T, B, L, x, y, z) ({ T x_ = (x), y_ = (y), z_ = (z); \\\n"
  "    EACH(L) z_[l_] = FMA_##B(x_[l_], y_[l_], z_[l_]); z_; })\n"
  "#endif\n"
  "#define CONVERT __builtin_convertvector\n"
  "#define BITCAST(F, T, x) ({ union { F f; T t; } u_; u_.f = (x); u_.t; })\n"
  // f16, which is u16: a register at a time, in assembly, as clang computes with halves where it sees that floats are
  // some, lane by lane where no instruction does. VCVTPS2PH by 0: to nearest even (Intel SDM vol. 2).
  "#ifdef __aarch64__\n"
  "  #define UNPACK_F16(x) ({ f32 w_ = BITCAST(u32, f32, x); __asm__(\"fcvt %s0, %h0\" : \"+w\"(w_)); w_; })\n"
  "  #define PACK_F16(x) ({ f32 w_ = (x); __asm__(\"fcvt %h0, %s0\" : \"+w\"(w_)); (u16)BITCAST(f32, u32, w_); })\n"
  "  #define UNPACK_PART(w, h) __asm__(\"fcvtl %0.4s, %1.4h\" : \"=w\"(w) : \"w\"(h))\n"
  "  #define PACK_PART(h, w) __asm__(\"fcvtn %0.4h, %1.4s\" : \"=w\"(h) : \"w\"(w))\n"
  "  #define PART(L) 4\n"
  "#else\n"
  "  #define UNPACK_F16(x) ({ f32 w_ = BITCAST(u32, f32, x); __asm__(\"vcvtph2ps %0, %0\" : \"+v\"(w_)); w_; })\n"
  "  #define PACK_F16(x) ({ f32 w_ = (x); __asm__(\"vcvtps2ph $0, %0, %0\" : \"+v\"(w_)); \\\n"
  "    (u16)BITCAST(f32, u32, w_); })\n"
  "  #define UNPACK_PART(w, h) __asm__(\"vcvtph2ps %1, %0\" : \"=v\"(w) : \"v\"(h))\n"
  "  #define PACK_PART(h, w) __asm__(\"vcvtps2ph $0, %1, %0\" : \"=v\"(h) : \"v\"(w))\n"
  "  #ifdef __AVX512F__\n"
  "    #define PART(L) (L < 16 ? 8 : 16)\n"
  "  #else\n"
  "    #define PART(L) 8\n"
  "  #endif\n"
  "#endif\n"
  "#define PARTS(L) ((L + PART(L) - 1) / PART(L))\n"
  "#define BY_PARTS(T, L) \\\n"
  "  union { T##x##L v; T __attribute__((vector_size(PART(L) * sizeof(T)))) part[PARTS(L)]; }\n"
  "#define UNPACK_F16_LANES(L, x) ({ BY_PARTS(u16, L) h_; BY_PARTS(f32, L) w_; h_.v = (x); \\\n"
  "  EACH(PARTS(L)) UNPACK_PART(w_.part[l_], h_.part[l_]); w_.v; })\n"
  "#define PACK_F16_LANES(L, x) ({ BY_PARTS(f32, L) w_; BY_PARTS(u16, L) h_; w_.v = (x); \\\n"
  "  EACH(PARTS(L)) PACK_PART(h_.part[l_], w_.part[l_]); h_.v; })\n"
  "#define ARGUMENT(T, k) ({ T v_; __builtin_memcpy(&v_, args + k, sizeof v_); v_; })\n"
  "#define SPLAT(T, E, x) ((E)(x) - (T){0})\n"
  "#define WHERE(T, I, m, x, y) ({ I k_ = CONVERT(m, I); (T)(((I)(x) & k_) | ((I)(y) & ~k_)); })\n"
  // LLVM 19 takes lanes of 0 / 0 for 0, not NaN, and leaves out masks over them (SimplifyDemandedVectorElts counts the
  // zeros of both operands). So it is not told that these bits, which change nothing, are 0.
  "#ifdef __clang__\n"
  "  #define DIV(T, I, x, y) ({ i32 bits_ = 0; __asm__(\"\" : \"+r\"(bits_)); "
    "(T)((I)(x) | (bits_ - (I){0})) / (y); })\n"
  "#else\n"
  "  #define DIV(T, I, x, y) ((x) / (y))\n"
  "#endif",
  "#define MAP(T, L, f, x) ({ T v_ = (x); EACH(L) v_[l_] = f(v_[l_]); v_; })\n"
  "#define LOW(T, H, x) ({ union { T v; H h[2]; } u_; u_.v = (x); u_.h[0]; })\n"
  "#define HIGH(T, H, x) ({ union { T v; H h[2]; } u_; u_.v = (x); u_.h[1]; })\n"
  // Intel SDM vol. 2: VDPBF16PS, VPDPBUSD, VPDPWSSD, VPMADDWD; the lesser widths need AVX-512VL, or the VEX form of
  // AVX-VNNI. Arm ARM (DDI 0487K.a), C7.2: SDOT, UDOT.
  "#ifdef __aarch64__\n"
  "  #define DOT(T, name, x, y, z) ({ T z_ = (z); "
    "__asm__(name \" %0.4s, %1.16b, %2.16b\" : \"+w\"(z_) : \"w\"(x), \"w\"(y)); z_; })\n"
  "#else\n"
  "  #define DOT(T, name, x, y, z) ({ T z_ = (z); "
    "__asm__(name \" %2, %1, %0\" : \"+v\"(z_) : \"v\"(x), \"v\"(y)); z_; })\n"
  "#endif\n"
  "#ifdef __AVX512VNNI__\n"
  "  #define DOT_U8_I8 \"vpdpbusd\"\n"
  "  #define DOT_I16(T, x, y, z) DOT(T, \"vpdpwssd\", x, y, z)\n"
  "#else\n"
  "  #define DOT_U8_I8 \"%{vex%} vpdpbusd\"\n"
  // in assembly: the compiler would unroll its loop, and reorder the additions, by more registers than there are
  "  #define DOT_I16(T, x, y, z) ({ T z_ = (z), v_; "
    "__asm__(\"vpmaddwd %2, %1, %0\" : \"=v\"(v_) : \"v\"(x), \"v\"(y)); z_ + v_; })\n"
  "#endif\n"
  "#ifdef __clang__\n"
  "  #define SHUFFLE(I, x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)\n"
  "#else\n"
  "  #define SHUFFLE(I, x, y, ...) __builtin_shuffle(x, y, (I){__VA_ARGS__})\n"
  "#endif\n"
  // Intel AMX as clang has it: the compiler places tiles in registers, and configures and releases those.
  "#if defined(__AMX_TILE__) || defined(__AMXTILE__)\n"
  "  typedef i32 tile __attribute__((vector_size(1024), aligned(64)));\n"
  "  #define TILE_ZERO __builtin_ia32_tilezero_internal(16, 64)\n"
  "  #define TILE_LOAD(p) __builtin_ia32_tileloadd64_internal(16, 64, (const i8 *)(p), 64)\n"
  "  #define TILE_STORE(p, x) __builtin_ia32_tilestored64_internal(16, 64, (i8 *)(p), 64, x)\n"
  "  #define TILE_BF16(x, y, z) __builtin_ia32_tdpbf16ps_internal(16, 64, 64, z, x, y)\n"
  "  #define TILE_I8_I8(x, y, z) __builtin_ia32_tdpbssd_internal(16, 64, 64, z, x, y)\n"
  "  #define TILE_U8_I8(x, y, z) __builtin_ia32_tdpbusd_internal(16, 64, 64, z, x, y)\n"
  "  #define TILE_I8_U8(x, y, z) __builtin_ia32_tdpbsud_internal(16, 64, 64, z, x, y)\n"
  "  #define TILE_U8_U8(x, y, z) __builtin_ia32_tdpbuud_internal(16, 64, 64, z, x, y)\n"
  "#endif\n"
  "#define LOAD(T, p) (*(const T##u *)(p))\n"
  "#define STORE(T, p, x) (*(T##u *)(p) = (x))\n"
  "#ifdef __clang__\n"
  "  #define STREAM(T, p, x) do { T *p_ = (T *)(p), v_ = (x); \\\n"
  "    if ((u64)p_ % sizeof(T)) STORE(T, p_, v_); else __builtin_nontemporal_store(v_, p_); } while (0)\n"
  "#else\n"
  "  #define STREAM STORE\n"
  "#endif\n"
  // Lanes that are masked out read element 0, so that no lane branches; memory has at least one element.
  "#define GATHER(T, L, p, i) ({ __typeof__(&(p)[0]) p_ = (p); __typeof__(i) i_ = (i); T v_; \\\n"
  "  EACH(L) v_[l_] = p_[i_[l_]]; v_; })\n"
  "#define GATHER_MASKED(T, I, L, p, i, m, y) ({ b8x##L m_ = (m); __typeof__(i) j_ = (i); T o_ = (y); \\\n"
  "  WHERE(T, I, m_, GATHER(T, L, p, j_ & CONVERT(m_, __typeof__(j_))), o_); })\n"
  "#define SCATTER(T, L, p, i, x) do { __typeof__(&(p)[0]) p_ = (p); __typeof__(i) i_ = (i); \\\n"
  "  T v_ = (x); EACH(L) p_[i_[l_]] = v_[l_]; } while (0)\n"
  "#define SCATTER_MASKED(T, L, p, i, x, m) do { __typeof__(&(p)[0]) p_ = (p); __typeof__(i) i_ = (i); \\\n"
  "  T v_ = (x); b8x##L m_ = (m); EACH(L) if (m_[l_]) p_[i_[l_]] = v_[l_]; } while (0)\n"
  // A masked access is one instruction where AVX-512 has it; elsewhere a plain one if no lane is masked out, else
  // lane by lane.
  "#define ALL(L, m) ({ union { b8x##L v; i8 b[L]; } u_; u_.v = (m); i8 a_ = -1; EACH(L) a_ &= u_.b[l_]; a_; })\n"
  "#define LOAD_LANES(T, L, p, m, y) ({ __typeof__(&(p)[0]) p_ = (p); b8x##L m_ = (m); T v_ = (y); \\\n"
  "  if (ALL(L, m_)) v_ = LOAD(T, p_); else EACH(L) if (m_[l_]) v_[l_] = p_[l_]; v_; })\n"
  "#define STORE_LANES(T, L, p, x, m) do { __typeof__(&(p)[0]) p_ = (p); b8x##L m_ = (m); T v_ = (x); \\\n"
  "  if (ALL(L, m_)) STORE(T, p_, v_); else EACH(L) if (m_[l_]) p_[l_] = v_[l_]; } while (0)",
  "#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)\n"
  "  #define LOAD_MASKED(T, B, L, p, m, y) LOAD_##B##_##L(T, L, p, m, y)\n"
  "  #define STORE_MASKED(T, B, L, p, x, m) STORE_##B##_##L(T, L, p, x, m)\n"
  "  #define LOAD_BY(V, n, to, T, p, m, y) (T)__builtin_ia32_load##n##_mask( \\\n"
  "    (const V *)(p), (V)(y), __builtin_ia32_cvt##to(CONVERT(m, V)))\n"
  "  #define STORE_BY(V, n, to, T, p, x, m) __builtin_ia32_store##n##_mask( \\\n"
  "    (V *)(p), (V)(x), __builtin_ia32_cvt##to(CONVERT(m, V)))\n"
  "  #define LOAD_32_16(T, L, p, m, y) LOAD_BY(i32x16, dqusi512, d2mask512, T, p, m, y)\n"
  "  #define LOAD_32_8(T, L, p, m, y) LOAD_BY(i32x8, dqusi256, d2mask256, T, p, m, y)\n"
  "  #define LOAD_32_4(T, L, p, m, y) LOAD_BY(i32x4, dqusi128, d2mask128, T, p, m, y)\n"
  "  #define LOAD_64_8(T, L, p, m, y) LOAD_BY(i64x8, dqudi512, q2mask512, T, p, m, y)\n"
  "  #define LOAD_64_4(T, L, p, m, y) LOAD_BY(i64x4, dqudi256, q2mask256, T, p, m, y)\n"
  "  #define STORE_32_16(T, L, p, x, m) STORE_BY(i32x16, dqusi512, d2mask512, T, p, x, m)\n"
  "  #define STORE_32_8(T, L, p, x, m) STORE_BY(i32x8, dqusi256, d2mask256, T, p, x, m)\n"
  "  #define STORE_32_4(T, L, p, x, m) STORE_BY(i32x4, dqusi128, d2mask128, T, p, x, m)\n"
  "  #define STORE_64_8(T, L, p, x, m) STORE_BY(i64x8, dqudi512, q2mask512, T, p, x, m)\n"
  "  #define STORE_64_4(T, L, p, x, m) STORE_BY(i64x4, dqudi256, q2mask256, T, p, x, m)\n"
#define TN_C_LANES(b, l) "  #define LOAD_" #b "_" #l " LOAD_LANES\n" "  #define STORE_" #b "_" #l " STORE_LANES\n"
  TN_C_LANES(8, 2) TN_C_LANES(8, 4) TN_C_LANES(8, 8) TN_C_LANES(8, 16) TN_C_LANES(8, 32) TN_C_LANES(8, 64)
  TN_C_LANES(16, 2) TN_C_LANES(16, 4) TN_C_LANES(16, 8) TN_C_LANES(16, 16) TN_C_LANES(16, 32) TN_C_LANES(16, 64)
  TN_C_LANES(32, 2) TN_C_LANES(32, 32) TN_C_LANES(32, 64) TN_C_LANES(64, 2)
  TN_C_LANES(64, 16) TN_C_LANES(64, 32) TN_C_LANES(64, 64)
#undef TN_C_LANES
  "#else\n"
  "  #define LOAD_MASKED(T, B, L, p, m, y) LOAD_LANES(T, L, p, m, y)\n"
  "  #define STORE_MASKED(T, B, L, p, x, m) STORE_LANES(T, L, p, x, m)\n"
  "#endif",
  NULL
};

static const struct { int op; const char *scalar, *vector; } tn_c_ops[] = {
  {TINY_OP_NEG, "(%t)-%0", "-%0"}, {TINY_OP_ADD, "(%t)(%0 + %1)", "%0 + %1"}, {TINY_OP_SUB, "(%t)(%0 - %1)", "%0 - %1"},
  {TINY_OP_MUL, "(%t)(%0 * %1)", "%0 * %1"}, {TINY_OP_FDIV, "%0 / %1", "DIV(%t, %i, %0, %1)"},
  {TINY_OP_CDIV, "(%t)(%0 / %1)", "%0 / %1"},
  {TINY_OP_CMOD, "(%t)(%0 %% %1)", "%0 %% %1"}, {TINY_OP_AND, "(%t)(%0 & %1)", "%0 & %1"},
  {TINY_OP_OR, "(%t)(%0 | %1)", "%0 | %1"}, {TINY_OP_XOR, "(%t)(%0 ^ %1)", "%0 ^ %1"},
  {TINY_OP_SHL, "(%t)(%0 << %1)", "%0 << %1"}, {TINY_OP_SHR, "(%t)(%0 >> %1)", "%0 >> %1"},
  {TINY_OP_LT, "%0 < %1", "CONVERT(%0 < %1, %t)"}, {TINY_OP_NE, "%0 != %1", "CONVERT(%0 != %1, %t)"},
  {TINY_OP_EQ, "%0 == %1", "CONVERT(%0 == %1, %t)"}, {TINY_OP_WHERE, "%0 ? %1 : %2", "WHERE(%t, %i, %0, %1, %2)"},
  {TINY_OP_FMA, "FMA_%b(%0, %1, %2)", "FMA_LANES(%t, %b, %l, %0, %1, %2)"},
  {TINY_OP_SQRT, "SQRT_%b(%0)", "MAP(%t, %l, SQRT_%b, %0)"},
  {TINY_OP_TRUNC, "TRUNC_%b(%0)", "MAP(%t, %l, TRUNC_%b, %0)"},
  {TINY_OP_CAST, "(%t)%0", "CONVERT(%0, %t)"}, {TINY_OP_BITCAST, "BITCAST(%s, %t, %0)", "(%t)%0"},
  {TINY_OP_BROADCAST, "%0", "SPLAT(%t, %e, %0)"}, {TINY_OP_PICK, "%0[%k]", NULL}, {TINY_OP_STACK, "(%t){%a}", NULL},
  {TINY_OP_LOAD, "*(%0)", NULL}, {TINY_OP_STORE, "*(%0) = %1", NULL},
};

// The formats of TINY_DOT_*, for a processor that has their instructions.
static const char *const tn_c_dots[TINY_DOT_COUNT] = {
  "DOT(%t, \"vdpbf16ps\", %0, %1, %2)", "DOT(%t, DOT_U8_I8, %0, %1, %2)",
  "DOT_I16(%t, %0, %1, %2)", "DOT(%t, \"sdot\", %0, %1, %2)", "DOT(%t, \"udot\", %0, %1, %2)"
};

// The matrix units of TN_C_UNITS, for a processor that has them: Intel SDM vol. 1, 18 and vol. 2, TDPBF16PS, TDPBSSD ..
#define TN_C_TILE(a, b, c, together, product) {16, 16, 16 * together, together, a, b, c, {"tile", "tile", "tile"}, \
  {"TILE_LOAD(%0)", "TILE_LOAD(%0)", "TILE_LOAD(%0)"}, "TILE_ZERO", "TILE_STORE(%0, %1)", product "(%0, %1, %2)",}
static const tiny_matrix_unit tn_c_units[] = {
  TN_C_TILE(TINY_BF16, TINY_BF16, TINY_F32, 2, "TILE_BF16"), TN_C_TILE(TINY_I8, TINY_I8, TINY_I32, 4, "TILE_I8_I8"),
  TN_C_TILE(TINY_U8, TINY_I8, TINY_I32, 4, "TILE_U8_I8"), TN_C_TILE(TINY_I8, TINY_U8, TINY_I32, 4, "TILE_I8_U8"),
  TN_C_TILE(TINY_U8, TINY_U8, TINY_I32, 4, "TILE_U8_U8")
};
#undef TN_C_TILE
enum { TN_C_UNITS = sizeof tn_c_units / sizeof *tn_c_units };

static const struct { int dtype; const char *type, *literal; } tn_c_types[] = {
  {TINY_VOID, "void", NULL}, {TINY_BOOL, "b8", "%k"}, {TINY_I8, "i8", NULL}, {TINY_U8, "u8", NULL},
  {TINY_I16, "i16", NULL}, {TINY_U16, "u16", NULL}, {TINY_I32, "i32", "%k"}, {TINY_U32, "u32", "%ku"},
  {TINY_I64, "i64", "%kll"}, {TINY_U64, "u64", "%kull"}, {TINY_F32, "f32", "%kf"}, {TINY_F64, "f64", "%k"}
};

static void tn_lang_c(tiny_renderer *r) {
  tiny_language *l = &r->language;
  memset(r, 0, sizeof *r);
  r->name = "C"; r->file = "c";
  r->flags = TINY_TARGET_OPTIMIZES;
  l->prelude = tn_c_prelude;
  l->lanes = "LANES(%l)";
  l->kernel = "void %n(void *const *mem, const long long *args, long long task, char *restrict local) {";
  l->end = "}";
  l->open_buffer = "%t *const %n = (%t *)mem[%k];";
  l->open_scalar = "const %t %n = ARGUMENT(%t, %k);";
  l->local = "%t %n[%k] __attribute__((aligned(64)));";
  l->local_given = "%t *const %n = (%t *)(local + %k);";
  l->global_id = "(%t)task";
  l->variable = "%t %n;"; l->variables = "%t %n[%k];";
  l->value = "const %t %n = %0;"; l->choice = "%t %n = %0;";
  l->range = "for (%t %n = %1; %n < %0; %n++) {";
  l->range_long = "for (%t %n = %1; GOES_ON(%n, %0); %n++) {";
  l->rolled = "ROLLED";
  l->load_if = "(%1 ? %0 : %2)"; l->store_if = "if (%1) %0;";
  for (size_t i = 0; i < sizeof tn_c_types / sizeof *tn_c_types; i++) {
    l->types[tn_c_types[i].dtype] = tn_c_types[i].type;
    l->literals[tn_c_types[i].dtype] = tn_c_types[i].literal;
  }
  l->infinity = "(%t)__builtin_inf()"; l->nan = "(%t)__builtin_nan(\"\")"; l->zero = "(%t){0}";
  l->vector = "%ex%l";
  for (size_t i = 0; i < sizeof tn_c_ops / sizeof *tn_c_ops; i++) {
    l->ops[tn_c_ops[i].op] = tn_c_ops[i].scalar;
    l->vops[tn_c_ops[i].op] = tn_c_ops[i].vector;
  }
  l->bops[TINY_OP_BROADCAST] = "SPLAT(%t, i8, -(%0))";        // lanes of true are all ones
  l->address = "%0 + %1"; l->address_apart = "(%0 + %1) + %2";
  l->load = "LOAD(%t, %0)";
  l->load_masked = "LOAD_MASKED(%t, %b, %l, %0, %1, %2)";
  l->gather = "GATHER(%t, %l, %0, %1)";
  l->gather_masked = "GATHER_MASKED(%t, %i, %l, %0, %1, %2, %3)";
  l->store = "STORE(%t, %0, %1)";
  l->store_masked = "STORE_MASKED(%t, %b, %l, %0, %1, %2)";
  l->scatter = "SCATTER(%t, %l, %0, %1, %2)";
  l->scatter_masked = "SCATTER_MASKED(%t, %l, %0, %1, %2, %3)";
  l->stream = "STREAM(%t, %0, %1)";
  l->prefetch = "__builtin_prefetch(%0, 0, 2)";            // to the second level: the first is busy
  l->shuffle = "SHUFFLE(%i, %0, %1, %a)";
  l->low = "LOW(%s, %t, %0)"; l->high = "HIGH(%s, %t, %0)";
}
// The same for a processor with conversions of f16: F16C of x86-64, any arm64.
static void tn_lang_c_f16(tiny_renderer *r) {
  tiny_language *l = &r->language;
  r->casts = (uint64_t)1 << TINY_F16;
  l->types[TINY_F16] = l->types[TINY_U16];
  l->pack[0] = "PACK_F16(%0)"; l->pack[1] = "PACK_F16_LANES(%l, %0)";
  l->unpack[0] = "UNPACK_F16(%0)"; l->unpack[1] = "UNPACK_F16_LANES(%l, %0)";
}
#endif
