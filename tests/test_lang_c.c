// The C prelude and the formats of lang_c, expanded by hand, compiled with and without AVX-512 by the compilers that are
// here, run, and compared lane by lane with plain loops.
#include "../src/base/text.c"
#include "../src/ir/uop.c"
#include "../src/render/lang_c.c"
#include "test.h"
#include <unistd.h>

static char text[1 << 21];
static void put(const char *s) { strcat(text, s); }

// Expands a format. Values are looked up by the letter after %: pairs of letter and text.
static const char *fill(char *out, const char *format, const char *pairs[][2]) {
  char *o = out;
  for (const char *f = format; *f; f++) {
    if (*f != '%') { *o++ = *f; continue; }
    f++;
    int known = 0;
    for (int i = 0; pairs[i][0]; i++) known |= pairs[i][0][0] == *f;
    if (*f == '%' && !known) { *o++ = '%'; continue; }
    for (int i = 0; pairs[i][0]; i++) if (pairs[i][0][0] == *f) { strcpy(o, pairs[i][1]); o += strlen(o); }
  }
  *o = 0;
  return out;
}

// One demonstration: out[l] for every lane must be what the scalar expression says.
static tiny_renderer renderer;
static const tiny_language *const lang = &renderer.language;
static int demos;
static void demo(int lanes, const char *type, const char *integer, const char *bits, const char *vector_expr, const char *scalar_expr) {
  char line[4096], vt[32];
  snprintf(vt, sizeof vt, "%sx%d", type, lanes);
  snprintf(line, sizeof line,
    "__attribute__((noinline)) static int demo%d(void) { enum { L = %d }; typedef %s T; typedef %sx%d I; (void)sizeof(I); (void)\"%s\";\n"
    "  %sx%d X = LOAD(%sx%d, x_%s), Y = LOAD(%sx%d, y_%s); i32x%d J = LOAD(i32x%d, order); T got[64]; (void)X; (void)Y; (void)J;\n"
    "  b8x%d M = CONVERT(LOAD(u8x%d, mask) != (u8x%d){0}, b8x%d); (void)M;\n",
    demos, lanes, type, integer, lanes, bits, type, lanes, type, lanes, type, type, lanes, type, lanes, lanes, lanes, lanes, lanes, lanes);
  put(line);
  const char *l = lanes == 2 ? "2" : lanes == 4 ? "4" : lanes == 8 ? "8" : lanes == 16 ? "16" : "32";
  char it[32];
  snprintf(it, sizeof it, "%sx%d", integer, lanes);
  const char *pairs[][2] = {{"t", vt}, {"e", type}, {"i", it}, {"l", l}, {"b", bits}, {"s", vt}, {NULL, NULL}};
  char expr[2048];
  fill(expr, vector_expr, pairs);
  snprintf(line, sizeof line, "  %s R = %s; STORE(%s, got, R);\n  for (int l = 0; l < L; l++) { T x = x_%s[l], y = y_%s[l]; int j = order[l]; int m = mask[l];\n"
    "    (void)x; (void)y; (void)j; (void)m; T want = (T)(%s); if (memcmp(&want, &got[l], sizeof want)) return l + 1; }\n  return 0; }\n",
    vt, expr, vt, type, type, scalar_expr);
  put(line);
  demos++;
}

// The format of op with operands a, b, d in place of %0 %1 %2, the other letters left for demo.
static const char *op(int code, const char *a, const char *b, const char *d) {
  static char ring[8][2048];
  static int at;
  char *out = ring[at++ & 7];
  const char *format = lang->vops[code] ? lang->vops[code] : lang->ops[code];
  const char *pairs[][2] = {{"0", a}, {"1", b}, {"2", d}, {"t", "%t"}, {"e", "%e"}, {"i", "%i"}, {"l", "%l"}, {"b", "%b"}, {"s", "%s"}, {"%", "%%"}, {NULL, NULL}};
  return fill(out, format, pairs);
}
static const char *mem(const char *format, const char *a, const char *b, const char *d, const char *e) {
  static char out[2048];
  const char *pairs[][2] = {{"0", a}, {"1", b}, {"2", d}, {"3", e}, {"t", "%t"}, {"e", "%e"}, {"i", "%i"}, {"l", "%l"}, {"b", "%b"}, {NULL, NULL}};
  return fill(out, format, pairs);
}

static void type_demos(int lanes, const char *type, const char *integer, const char *bits, int is_float) {
  char e[2048], lt[512], x_ptr[32], stored[2048];
  snprintf(x_ptr, sizeof x_ptr, "x_%s", type);
  demo(lanes, type, integer, bits, op(TINY_OP_ADD, "X", "Y", ""), "x + y");
  demo(lanes, type, integer, bits, op(TINY_OP_SUB, "X", "Y", ""), "x - y");
  demo(lanes, type, integer, bits, op(TINY_OP_MUL, "X", "Y", ""), "x * y");
  demo(lanes, type, integer, bits, op(TINY_OP_NEG, "X", "", ""), "-x");
  demo(lanes, type, integer, bits, op(TINY_OP_BROADCAST, "(x_i8[3] * -0.0f)", "", ""), is_float ? "x_i8[3] * -0.0f" : "0");
  if (is_float) {
    demo(lanes, type, integer, bits, op(TINY_OP_SQRT, "X", "", ""), strcmp(type, "f32") ? "__builtin_sqrt(x)" : "__builtin_sqrtf(x)");
    demo(lanes, type, integer, bits, op(TINY_OP_TRUNC, "Y", "", ""), strcmp(type, "f32") ? "__builtin_trunc(y)" : "__builtin_truncf(y)");
    demo(lanes, type, integer, bits, op(TINY_OP_FDIV, "X", "Y", ""), "x / y");
    snprintf(e, sizeof e, "ONCE(%s, X)", op(TINY_OP_FMA, "X", "Y", "(-X)"));
    demo(lanes, type, integer, bits, e, strcmp(type, "f32") ? "ONCE(__builtin_fma(x, y, -x), x)" : "ONCE(__builtin_fmaf(x, y, -x), x)");
  } else {
    demo(lanes, type, integer, bits, op(TINY_OP_CDIV, "X", "(Y | 1)", ""), "x / (y | 1)");
    demo(lanes, type, integer, bits, op(TINY_OP_CMOD, "X", "(Y | 1)", ""), "x % (y | 1)");
    demo(lanes, type, integer, bits, op(TINY_OP_SHL, "X", "(Y & 7)", ""), "x << (y & 7)");
    demo(lanes, type, integer, bits, op(TINY_OP_SHR, "X", "(Y & 7)", ""), "x >> (y & 7)");
  }
  // where(!(x < y) & m | x == y, x, y): masks of one type, whatever was compared
  snprintf(lt, sizeof lt, "((~CONVERT(X < Y, b8x%d) & M) | CONVERT(X == Y, b8x%d))", lanes, lanes);
  demo(lanes, type, integer, bits, op(TINY_OP_WHERE, lt, "X", "Y"), "(!(x < y) && m) || x == y ? x : y");
  demo(lanes, type, integer, bits, op(TINY_OP_WHERE, "M", "X", op(TINY_OP_WHERE, lt, "Y", "X")), "m ? x : (!(x < y) && m) || x == y ? y : x");
  snprintf(e, sizeof e, "CONVERT(X, i64x%d)", lanes);
  if (!is_float) demo(lanes, type, integer, bits, op(TINY_OP_CAST, e, "", ""), "x");
  demo(lanes, type, integer, bits, mem(lang->load_masked, x_ptr, "M", "Y", ""), "m ? x : y");
  snprintf(e, sizeof e, "LOAD_LANES(%%t, %%l, %s, M, Y)", x_ptr);
  demo(lanes, type, integer, bits, e, "m ? x : y");
  snprintf(e, sizeof e, "%s", mem(lang->gather, x_ptr, "J", "", ""));
  snprintf(stored, sizeof stored, "x_%s[j]", type);
  demo(lanes, type, integer, bits, e, stored);
  snprintf(stored, sizeof stored, "m ? x_%s[j] : y", type);
  demo(lanes, type, integer, bits, mem(lang->gather_masked, x_ptr, "J", "M", "Y"), stored);
  snprintf(e, sizeof e, "({ %%e w_[64]; STORE(%%t, w_, Y); %s; LOAD(%%t, w_); })", mem(lang->store_masked, "w_", "X", "M", ""));
  demo(lanes, type, integer, bits, e, "m ? x : y");
  snprintf(e, sizeof e, "({ %%e w_[64]; STORE(%%t, w_, Y); %s; LOAD(%%t, w_); })", mem(lang->scatter, "w_", "J", "X", ""));
  snprintf(stored, sizeof stored, "({ T r = y; for (int k = 0; k < L; k++) if (order[k] == l) r = x_%s[k]; r; })", type);
  demo(lanes, type, integer, bits, e, stored);
  snprintf(e, sizeof e, "({ %%e w_[64]; STORE(%%t, w_, Y); %s; LOAD(%%t, w_); })", mem(lang->scatter_masked, "w_", "J", "X", "M"));
  snprintf(stored, sizeof stored, "({ T r = y; for (int k = 0; k < L; k++) if (order[k] == l && mask[k]) r = x_%s[k]; r; })", type);
  demo(lanes, type, integer, bits, e, stored);
  if (lanes > 2) {                         // fold of halves, broadcast again
    snprintf(e, sizeof e, "({ %sx%d h = LOW(%%t, %sx%d, X) + HIGH(%%t, %sx%d, X); SPLAT(%%t, %%e, h[1]); })", type, lanes / 2, type, lanes / 2, type, lanes / 2);
    snprintf(stored, sizeof stored, "x_%s[1] + x_%s[1 + L / 2]", type, type);
    demo(lanes, type, integer, bits, e, stored);
  }
}

static void casts(void) {
  demo(16, "f32", "i32", "32", "CONVERT(LOAD(f64x16, x_f64), %t)", "x_f64[l]");
  demo(16, "i32", "i32", "32", "CONVERT(LOAD(f32x16, x_f32), %t)", "(i32)x_f32[l]");
  demo(16, "u8", "i8", "8", "CONVERT(LOAD(i32x16, x_i32), %t)", "(u8)x_i32[l]");
  demo(16, "i64", "i64", "64", "CONVERT(LOAD(i8x16, x_i8), %t)", "x_i8[l]");
  demo(16, "f32", "i32", "32", "CONVERT(LOAD(u64x16, x_u64), %t)", "(f32)x_u64[l]");
  demo(16, "u32", "i32", "32", "(%t)LOAD(f32x16, x_f32)", "BITCAST(f32, u32, x_f32[l])");
  demo(16, "f64", "i64", "64", "(%t)LOAD(i64x16, x_i64)", "BITCAST(i64, f64, x_i64[l])");
  demo(4, "i32", "i32", "32", "(%t){x_i32[2], 7, x_i32[0], -1}", "l == 0 ? x_i32[2] : l == 1 ? 7 : l == 2 ? x_i32[0] : -1");
  demo(8, "f64", "i64", "64", "WHERE(%t, %i, CONVERT(LOAD(f32x8, x_f32) < LOAD(f32x8, y_f32), b8x8), X, Y)", "x_f32[l] < y_f32[l] ? x : y");
}

static void program(void) {
  text[0] = 0;
  demos = 0;
  for (int i = 0; lang->prelude[i]; i++) { put(lang->prelude[i]); put("\n"); }
  put("LANES(2) LANES(4) LANES(8) LANES(16) LANES(32)\nextern int printf(const char *, ...); extern int memcmp(const void *, const void *, unsigned long);\n");
  put("static u8 mask[64]; static i32 order[64];\n");
  put("#ifdef __FMA__\n#define ONCE(x, without) x\n#else\n#define ONCE(x, without) without\n#endif\n");
  put("#define DATA(T) static T x_##T[64], y_##T[64];\nDATA(i8) DATA(u8) DATA(i16) DATA(u16) DATA(i32) DATA(u32) DATA(i64) DATA(u64) DATA(f32) DATA(f64)\n");
  static const char *const types[10][3] = {{"i8", "i8", "8"}, {"u8", "i8", "8"}, {"i16", "i16", "16"}, {"u16", "i16", "16"}, {"i32", "i32", "32"},
    {"u32", "i32", "32"}, {"i64", "i64", "64"}, {"u64", "i64", "64"}, {"f32", "i32", "32"}, {"f64", "i64", "64"}};
  for (int lanes = 2; lanes <= 32; lanes *= 2)
    for (int i = 0; i < 10; i++) if (lanes == 16 || (i * 5 + lanes / 2) % 3 == 0) type_demos(lanes, types[i][0], types[i][1], types[i][2], i >= 8);
  casts();
  put("int main(void) {\n  unsigned r = 1; int bad = 0;\n"
      "#define FILL(T) x_##T[i] = (T)((i32)(r = r * 1664525u + 1013904223u) >> 20) / (T)3; y_##T[i] = i % 5 ? (T)((i32)(r = r * 1664525u + 1013904223u) >> 18) : x_##T[i];\n"
      "  for (int i = 0; i < 64; i++) { FILL(i8) FILL(u8) FILL(i16) FILL(u16) FILL(i32) FILL(u32) FILL(i64) FILL(u64) FILL(f32) FILL(f64)\n"
      "    x_f32[i] = x_f32[i] < 0 ? -x_f32[i] : x_f32[i]; x_f64[i] = x_f64[i] < 0 ? -x_f64[i] : x_f64[i]; if (y_f32[i] == 0) y_f32[i] = 1; if (y_f64[i] == 0) y_f64[i] = 1; }\n"
      "  for (int round = 0; round < 3; round++) {\n"
      "    for (int i = 0; i < 64; i++) { mask[i] = round ? round == 1 || i % 3 == 1 : 0; order[i] = i ^ 1; }\n");
  for (int i = 0; i < demos; i++) {
    char line[160];
    snprintf(line, sizeof line, "    if (demo%d()) { printf(\"demo %d lane %%d round %%d\\n\", demo%d() - 1, round); bad++; }\n", i, i, i);
    put(line);
  }
  put("  }\n  return bad != 0;\n}\n");
}

static int run(const char *compiler, const char *flags) {
  char command[1024], path[256];
  snprintf(path, sizeof path, "/tmp/tiny_lang_c_%d", (int)getpid());
  snprintf(command, sizeof command, "%s.c", path);
  FILE *f = fopen(command, "w");
  if (!f) return -1;
  fputs(text, f);
  fclose(f);
  snprintf(command, sizeof command, "%s %s -ffreestanding -fno-math-errno -fwrapv -fno-strict-aliasing -ffp-contract=on -w %s.c -o %s -lm && %s", compiler, flags, path, path, path);
  const int rc = system(command);
  if (!getenv("TINY_KEEP")) { snprintf(command, sizeof command, "%s.c", path); remove(command); }
  remove(path);
  return rc;
}

int main(void) {
  tn_lang_c(&renderer);
  program();
  CHECK(strlen(text) < sizeof text - 4096);
  static const char *const compilers[] = {"clang", "gcc"};
  int found = 0;
  for (int i = 0; i < 2; i++) {
    char probe[64];
    snprintf(probe, sizeof probe, "%s --version >/dev/null 2>&1", compilers[i]);
    if (system(probe)) { printf("skipped: no %s\n", compilers[i]); continue; }
    found++;
    CHECK_EQ(run(compilers[i], "-O1 -march=native"), 0);
#if defined(__x86_64__)
    if (i == 0) CHECK_EQ(run(compilers[i], "-O1 -march=x86-64"), 0);
#endif
  }
  (void)found;
  return test_report();
}
