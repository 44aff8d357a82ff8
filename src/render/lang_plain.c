// lang_plain: the descriptor of plain C, for programs that are exported (ship/export_c.c): C99, which is C++ and what
// small compilers read as well: no vectors, no extensions, no library but sqrt, and not even that where
// TINY_NO_MATH is defined.
//
// Out: tn_lang_plain fills a tiny_renderer; tn_plain_helpers writes what the text of some kernels calls.
// Holds:
//  - Integers wrap, as sums of unsigned ones do. What cannot wrap is written as it is.
//  - Memory of floats that C has not is memory of their bits, and bools are bytes of 0 and 1 (rules/decompose.c).
//  - Nothing is multiplied and added with one rounding, and exp2, log2 and sin are rules/transcendental.c's: a kernel
//    gives what the interpreter gives of the same list, bit for bit.
//  - Numbers are decimal, with the fewest digits that give them back.
#ifndef TN_RENDER_LANG_PLAIN
#define TN_RENDER_LANG_PLAIN
#ifndef TINY_AMALGAMATED
#include "lang_c.c"
#endif

// exact: of what cannot wrap.
static const struct { int op; const char *format, *exact; } tn_plain_ops[] = {
  {TINY_OP_NEG, "NEG_%t(%0)", "-%0"}, {TINY_OP_ADD, "ADD_%t(%0, %1)", "%0 + %1"},
  {TINY_OP_SUB, "SUB_%t(%0, %1)", "%0 - %1"}, {TINY_OP_MUL, "MUL_%t(%0, %1)", "%0 * %1"},
  {TINY_OP_FDIV, "%0 / %1", NULL}, {TINY_OP_CDIV, "(%t)(%0 / %1)", NULL}, {TINY_OP_CMOD, "(%t)(%0 %% %1)", NULL},
  {TINY_OP_AND, "(%t)(%0 & %1)", NULL}, {TINY_OP_OR, "(%t)(%0 | %1)", NULL}, {TINY_OP_XOR, "XOR_%t(%0, %1)", NULL},
  {TINY_OP_SHL, "SHL_%t(%0, %1)", NULL}, {TINY_OP_SHR, "(%t)(%0 >> %1)", NULL}, {TINY_OP_LT, "%0 < %1", NULL},
  {TINY_OP_NE, "%0 != %1", NULL}, {TINY_OP_EQ, "%0 == %1", NULL}, {TINY_OP_WHERE, "%0 ? %1 : %2", NULL},
  {TINY_OP_SQRT, "SQRT_%t(%0)", NULL}, {TINY_OP_TRUNC, "TRUNC_%t(%0)", NULL}, {TINY_OP_CAST, "(%t)%0", NULL},
  {TINY_OP_BITCAST, "BITS_%s_%t(%0)", NULL}, {TINY_OP_LOAD, "%0", NULL}, {TINY_OP_STORE, "%0 = %1", NULL}
};
static const struct { int dtype; const char *type, *literal, *wide; } tn_plain_types[] = {
  {TINY_VOID, "void", NULL, NULL}, {TINY_BOOL, "b8", "%k", NULL}, {TINY_I8, "i8", NULL, "u32"},
  {TINY_U8, "u8", NULL, "u32"}, {TINY_I16, "i16", NULL, "u32"}, {TINY_U16, "u16", NULL, "u32"},
  {TINY_I32, "i32", "%k", "u32"}, {TINY_U32, "u32", "%ku", "u32"}, {TINY_I64, "i64", "%kll", "u64"},
  {TINY_U64, "u64", "%kull", "u64"}, {TINY_F32, "f32", "%kf", NULL}, {TINY_F64, "f64", "%k", NULL}
};

// apart: the kernel's memory lies apart.
static void tn_lang_plain(tiny_renderer *r, int apart) {
  tiny_language *l = &r->language;
  memset(r, 0, sizeof *r);
  r->name = "plain C"; r->file = "c";
  r->flags = TINY_TARGET_OPTIMIZES;
  l->kernel = "static void %n(%a, char *local, i32 task) {"; l->end = "}";
  l->buffer = apart ? "%t *RESTRICT %n" : "%t *%n";
  l->buffer_read = apart ? "const %t *RESTRICT %n" : "const %t *%n";
  l->scalar = "%t %n";
  l->local = "%t %n[%k];"; l->local_given = "%t *const %n = (%t *)(void *)(local + %k);";
  l->global_id = "(%t)task";
  l->variable = "%t %n;"; l->variables = "%t %n[%k];";
  l->value = "const %t %n = %0;"; l->choice = "%t %n = %0;";
  l->range = "for (%t %n = %1; %n < %0; %n++) {";
  l->load_if = "%1 ? %0 : %2"; l->store_if = "if (%1) { %0; }";
  l->infinity = "INFINITY_%t"; l->nan = "NAN_%t";
  l->address = "%0[%1]";
  l->prefetch = "PREFETCH(%0)";
  l->decimal = 1;
  for (size_t i = 0; i < sizeof tn_plain_types / sizeof *tn_plain_types; i++) {
    const int d = tn_plain_types[i].dtype;
    l->types[d] = tn_plain_types[i].type;
    l->literals[d] = tn_plain_types[i].literal;
  }
  for (size_t i = 0; i < sizeof tn_plain_ops / sizeof *tn_plain_ops; i++) {
    l->ops[tn_plain_ops[i].op] = tn_plain_ops[i].format;
    l->eops[tn_plain_ops[i].op] = tn_plain_ops[i].exact;
  }
}

// ** what kernels call **

// In the order in which one calls the other: what a text needs is found from the last to the first.
static const struct { const char *name, *text; } tn_plain_helpers_of[] = {
  {"BITS_f32_u32(", "static u32 BITS_f32_u32(f32 x) { union { f32 from; u32 to; } b; b.from = x; return b.to; }\n"},
  {"BITS_u32_f32(", "static f32 BITS_u32_f32(u32 x) { union { u32 from; f32 to; } b; b.from = x; return b.to; }\n"},
  {"BITS_f64_u64(", "static u64 BITS_f64_u64(f64 x) { union { f64 from; u64 to; } b; b.from = x; return b.to; }\n"},
  {"BITS_u64_f64(", "static f64 BITS_u64_f64(u64 x) { union { u64 from; f64 to; } b; b.from = x; return b.to; }\n"},
  {"BITS_f32_i32(", "#define BITS_f32_i32(x) ((i32)BITS_f32_u32(x))\n"},
  {"BITS_i32_f32(", "#define BITS_i32_f32(x) BITS_u32_f32((u32)(x))\n"},
  {"BITS_f64_i64(", "#define BITS_f64_i64(x) ((i64)BITS_f64_u64(x))\n"},
  {"BITS_i64_f64(", "#define BITS_i64_f64(x) BITS_u64_f64((u64)(x))\n"},
  {"BITS_i8_u8(", "#define BITS_i8_u8(x) ((u8)(x))\n"}, {"BITS_u8_i8(", "#define BITS_u8_i8(x) ((i8)(x))\n"},
  {"BITS_i16_u16(", "#define BITS_i16_u16(x) ((u16)(x))\n"}, {"BITS_u16_i16(", "#define BITS_u16_i16(x) ((i16)(x))\n"},
  {"BITS_i32_u32(", "#define BITS_i32_u32(x) ((u32)(x))\n"}, {"BITS_u32_i32(", "#define BITS_u32_i32(x) ((i32)(x))\n"},
  {"BITS_i64_u64(", "#define BITS_i64_u64(x) ((u64)(x))\n"}, {"BITS_u64_i64(", "#define BITS_u64_i64(x) ((i64)(x))\n"},
  // of unsigned numbers that are promoted functions: GCC warns of complements of such that are compared
  {"XOR_u8(", "static u8 XOR_u8(u8 x, u8 y) { return (u8)(x ^ y); }\n"},
  {"XOR_u16(", "static u16 XOR_u16(u16 x, u16 y) { return (u16)(x ^ y); }\n"},
  {"XOR_b8(", "#define XOR_b8(x, y) ((b8)((x) ^ (y)))\n"}, {"XOR_i8(", "#define XOR_i8(x, y) ((i8)((x) ^ (y)))\n"},
  {"XOR_i16(", "#define XOR_i16(x, y) ((i16)((x) ^ (y)))\n"}, {"XOR_i32(", "#define XOR_i32(x, y) ((x) ^ (y))\n"},
  {"XOR_u32(", "#define XOR_u32(x, y) ((x) ^ (y))\n"}, {"XOR_i64(", "#define XOR_i64(x, y) ((x) ^ (y))\n"},
  {"XOR_u64(", "#define XOR_u64(x, y) ((x) ^ (y))\n"},
  {"PREFETCH(",
   "#ifdef __GNUC__\n#define PREFETCH(x) __builtin_prefetch(&(x))\n#else\n#define PREFETCH(x) ((void)&(x))\n#endif\n"},
  {"INFINITY_f32", "#define INFINITY_f32 BITS_u32_f32(0x7F800000u)\n"},
  {"INFINITY_f64", "#define INFINITY_f64 BITS_u64_f64(0x7FF0000000000000ull)\n"},
  {"NAN_f32", "#define NAN_f32 BITS_u32_f32(0x7FC00000u)\n"},
  {"NAN_f64", "#define NAN_f64 BITS_u64_f64(0x7FF8000000000000ull)\n"},
  {"TRUNC_f32(",
   "static f32 TRUNC_f32(f32 x) {        // beyond 2^23 there are no fractions; the sign of a zero stays\n"
   "  const u32 sign = BITS_f32_u32(x) & 0x80000000u;\n"
   "  return x < 8388608.0f && x > -8388608.0f ? BITS_u32_f32(BITS_f32_u32((f32)(i32)x) | sign) : x;\n}\n"},
  {"TRUNC_f64(",
   "static f64 TRUNC_f64(f64 x) {        // beyond 2^52 there are no fractions; the sign of a zero stays\n"
   "  const u64 sign = BITS_f64_u64(x) & 0x8000000000000000ull;\n"
   "  return x < 4503599627370496.0 && x > -4503599627370496.0 ? BITS_u64_f64(BITS_f64_u64((f64)(i64)x) | sign) : x;\n"
   "}\n"},
  {"ROOT(",
   "static u64 ROOT(u64 m, int bits) {   // so many bits of the root of m, two of its 54 bits a step\n"
   "  u64 root = 0, rest = 0;\n"
   "  for (int i = 0; i < bits; i++) {\n"
   "    const u64 next = root << 2 | 1;\n"
   "    rest = rest << 2 | (i < 27 ? m >> (52 - 2 * i) & 3 : 0);\n"
   "    root <<= 1;\n"
   "    if (rest >= next) { rest -= next; root |= 1; }\n"
   "  }\n"
   "  return root;\n}\n"},
  {"SQRT_f32(",
   "static f32 SQRT_f32(f32 x) {         // to nearest: a root never lies between two floats at the same distance\n"
   "  i32 e = 0;\n"
   "  if (!(x > 0.0f) || BITS_f32_u32(x) >= 0x7F800000u) return x < 0.0f ? BITS_u32_f32(0x7FC00000u) : x;\n"
   "  if (x < 1.17549435e-38f) { x *= 16777216.0f; e = -24; }\n"
   "  e += (i32)(BITS_f32_u32(x) >> 23) - 127;\n"
   "  const u64 m = (u64)((BITS_f32_u32(x) & 0x7FFFFFu) | 0x800000u) << (e & 1);\n"
   "  const u32 root = (u32)((ROOT(m << 29, 25) + 1) >> 1);\n"
   "  return BITS_u32_f32(((u32)((e - (e & 1)) / 2 + 126) << 23) + root);\n}\n"},
  {"SQRT_f64(",
   "static f64 SQRT_f64(f64 x) {\n"
   "  i32 e = 0;\n"
   "  if (!(x > 0.0) || BITS_f64_u64(x) >= 0x7FF0000000000000ull) return x < 0.0 ? "
   "BITS_u64_f64(0x7FF8000000000000ull) : x;\n"
   "  if (x < 2.2250738585072014e-308) { x *= 18014398509481984.0; e = -54; }\n"
   "  e += (i32)(BITS_f64_u64(x) >> 52) - 1023;\n"
   "  const u64 m = ((BITS_f64_u64(x) & 0xFFFFFFFFFFFFFull) | 0x10000000000000ull) << (e & 1);\n"
   "  const u64 root = (ROOT(m, 54) + 1) >> 1;\n"
   "  return BITS_u64_f64(((u64)((e - (e & 1)) / 2 + 1022) << 52) + root);\n}\n"}
};
enum { TN_PLAIN_HELPERS = sizeof tn_plain_helpers_of / sizeof *tn_plain_helpers_of, TN_PLAIN_OPS = 5,
  TN_PLAIN_TYPES = sizeof tn_plain_types / sizeof *tn_plain_types };
// helper: 1: of a kernel; 2: of a root without a library alone. ops[o]: for which of tn_plain_types, a bit each.
typedef struct tn_plain_uses { uint8_t helper[TN_PLAIN_HELPERS]; uint32_t ops[TN_PLAIN_OPS]; } tn_plain_uses;
static const struct { const char *name, *params, *value; } tn_plain_wraps[TN_PLAIN_OPS] = {
  {"NEG", "x", "(0 - (%s)(x))"}, {"ADD", "x, y", "((%s)(x) + (%s)(y))"}, {"SUB", "x, y", "((%s)(x) - (%s)(y))"},
  {"MUL", "x, y", "((%s)(x) * (%s)(y))"}, {"SHL", "x, y", "((%s)(x) << (y))"}
};

static int tn_plain_is_root(int helper) {
  return !strncmp(tn_plain_helpers_of[helper].name, "SQRT", 4) || !strncmp(tn_plain_helpers_of[helper].name, "ROOT", 4);
}
// Adds what a text, ended by 0, calls. by: 1: a kernel; 2: a root.
static void tn_plain_survey(tn_plain_uses *uses, const char *text, int by) {
  char name[16];
  for (int i = TN_PLAIN_HELPERS - 1; i >= 0; i--) {
    if ((uses->helper[i] && uses->helper[i] <= by) || !strstr(text, tn_plain_helpers_of[i].name)) continue;
    uses->helper[i] = (uint8_t)(tn_plain_is_root(i) ? 2 : by);
    tn_plain_survey(uses, tn_plain_helpers_of[i].text, uses->helper[i]);
  }
  for (int o = 0; o < TN_PLAIN_OPS; o++) for (int i = 0; i < TN_PLAIN_TYPES; i++) {
    if (!tn_plain_types[i].wide) continue;
    snprintf(name, sizeof name, "%s_%s(", tn_plain_wraps[o].name, tn_plain_types[i].type);
    if (strstr(text, name)) uses->ops[o] |= (uint32_t)1 << i;
  }
}
// Heavy code.
static void tn_plain_helpers(const tn_plain_uses *uses, tiny_bytes *out) {
  for (int o = 0; o < TN_PLAIN_OPS; o++) for (int i = 0; i < TN_PLAIN_TYPES; i++) {
    if (!(uses->ops[o] >> i & 1)) continue;
    const char *type = tn_plain_types[i].type, *wide = tn_plain_types[i].wide;
    tn_text_add(out, "#define %s_%s(%s) ((%s)", tn_plain_wraps[o].name, type, tn_plain_wraps[o].params, type);
    tn_text_add(out, tn_plain_wraps[o].value, wide, wide);
    tn_text_put(out, ")\n");
  }
  int roots = 0;
  for (int i = 0; i < TN_PLAIN_HELPERS; i++) if (uses->helper[i] == 1) tn_text_put(out, tn_plain_helpers_of[i].text);
  for (int i = 0; i < TN_PLAIN_HELPERS; i++) {
    if (uses->helper[i] != 2) continue;
    if (!roots++) tn_text_put(out, "#ifdef TINY_NO_MATH\n");
    tn_text_put(out, tn_plain_helpers_of[i].text);
  }
  if (!roots) return;
  tn_text_put(out, "#else\n#include <math.h>\n#define SQRT_f32(x) sqrtf(x)\n#define SQRT_f64(x) sqrt(x)\n#endif\n");
}
#endif
