// brief: plain asan
// also: outside
// f16 to f32 and back, by whoever compiles for whatever level: all codes, all borders between two of them and what lies
// beside, from f32 and f64, are what the interpreter's tables say; a NaN is one with the sign that it had, and its bits
// are the same whoever compiles for a processor. Vectors, edges and elements that lie apart are the same values.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#include "test.h"

enum { CODES = 1 << 16, MOST = 4 * CODES };

static int is_nan(uint16_t code) { return (code & 0x7FFF) > 0x7C00; }
static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return bits;
}
static float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

// ** who compiles, for what **

static const char *const compilers[] = {"builtin", "clang", "clang-14", "clang-15", "clang-19", "gcc"};
#ifdef TN_OS_ARM64
static const char *const devices[] = {"CPU", "CPU:neon"};
#else
static const char *const devices[] = {"CPU", "CPU:avx2", "CPU:sse4", "CPU:sse2"};
#endif
enum { COMPILERS = sizeof compilers / sizeof *compilers, DEVICES = sizeof devices / sizeof *devices };

static int refused;
static void hear(void *user, const char *line) {
  (void)user;
  if (strstr(line, "refuses ")) { refused++; fprintf(stderr, "    %s\n", line); }
}
// Does it compile for this machine? (Of one that is emulated the compilers may be another's.)
static int compiles(tiny_ctx *t) {
  float x = 1;
  tiny_begin(t);
  const int well = tiny_read(tiny_neg(tiny_from(t, &x, TINY_F32, TINY_SHAPE(1))), &x, sizeof x) == TINY_OK && x == -1;
  tiny_end(t);
  return well;
}
// NULL: there is no such compiler, or the processor is less.
static tiny_ctx *open_with(const char *device, const char *compiler) {
  char path[TN_OS_PATH];
  const int built_in = !strcmp(compiler, "builtin");
  if (!built_in && !tn_os_find_program(compiler, 0, path, sizeof path)) return NULL;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = ""; d.threads = 1; d.compiler = compiler;
  if (built_in) { d.debug = "d"; d.log.fn = hear; }
  tiny_ctx *t = tiny_open(&d);
  if (!t || built_in || compiles(t)) return t;
  tiny_close(t);
  return NULL;
}
static int casts(const tiny_ctx *t) { return (int)(t->device[0]->renderer.casts >> TINY_F16 & 1); }

// ** the questions, and their answers **

static uint16_t codes[CODES];
static float borders[MOST];
static double borders_64[MOST];
static int nborders;

static void add_border(double at) {
  borders_64[nborders] = at;
  borders[nborders++] = (float)at;
}
static void make_questions(void) {
  for (int i = 0; i < CODES; i++) codes[i] = (uint16_t)i;
  for (int i = 0; i < 0x7C00; i++) {       // 65520 is the last
    const double a = tn_dtype_unpack(TINY_F16, (uint16_t)i), next = tn_dtype_unpack(TINY_F16, (uint16_t)(i + 1));
    const double b = i == 0x7BFF ? 65536 : next;
    const double border = (i & 1 ? -1 : 1) * (a + b) / 2;    // f32 has it
    add_border(border);
    for (int beyond = 0; beyond < 2; beyond++) {
      borders_64[nborders] = nextafter(border, beyond * 2 * border);
      borders[nborders++] = nextafterf((float)border, (float)(beyond * 2 * border));
    }
  }
  const double more[] = {0.0, -0.0, INFINITY, -INFINITY, 1e-45, -1e-40, 1e30, -1e38, 65504, 65519.996, 65536, 6e-8};
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) add_border(more[i]);
  for (uint32_t i = 1; i < 0x800000; i = i * 3 + 1) for (int sign = 0; sign < 2; sign++) {     // NaNs, both kinds
    borders[nborders] = float_of(0x7F800000u | i | (uint32_t)sign << 31);
    borders_64[nborders++] = sign ? -(double)NAN : (double)NAN;
  }
}

typedef struct answers { uint32_t wide[CODES]; uint16_t narrow[MOST], narrow_64[MOST]; int there; } answers;
static answers first, now;

static void read_as(tiny_tensor *x, tiny_dtype dtype, void *to, size_t nbytes) {
  CHECK_EQ(tiny_read(tiny_bitcast(x, dtype), to, nbytes), TINY_OK);
}
static void ask(tiny_ctx *t, answers *a) {
  tiny_tensor *in = tiny_from(t, codes, TINY_F16, TINY_SHAPE(CODES));
  read_as(tiny_cast(in, TINY_F32), TINY_U32, a->wide, sizeof a->wide);
  in = tiny_from(t, borders, TINY_F32, TINY_SHAPE(nborders));
  read_as(tiny_cast(in, TINY_F16), TINY_U16, a->narrow, 2 * (size_t)nborders);
  in = tiny_from(t, borders_64, TINY_F64, TINY_SHAPE(nborders));
  read_as(tiny_cast(in, TINY_F16), TINY_U16, a->narrow_64, 2 * (size_t)nborders);
  a->there = 1;
}
static void check_codes(const answers *a) {
  for (int i = 0; i < CODES; i++) {
    const uint32_t got = a->wide[i], want = bits_of((float)tn_dtype_unpack(TINY_F16, codes[i]));
    if (is_nan(codes[i])) CHECK((got & 0x7FFFFFFF) > 0x7F800000 && got >> 31 == (uint32_t)codes[i] >> 15);
    else CHECK_EQ(got, want);
  }
}
static void check_rounded(double x, uint16_t got) {
  const uint16_t want = tn_dtype_pack(TINY_F16, tn_dtype_round(TINY_F16, x));
  if (x != x) CHECK(is_nan(got));
  else CHECK_EQ(got, want);
}
static void check_borders(const answers *a) {
  for (int i = 0; i < nborders; i++) {
    check_rounded((double)borders[i], a->narrow[i]);
    check_rounded(borders_64[i], a->narrow_64[i]);
  }
}

// ** shapes **

// x * 2 + 1 of f16 of n elements, turned, gathered, chosen: each rounds once, as f32 has all of it.
enum { SHAPES_MOST = 70 };
static void check_one(const char *what, int i, uint16_t got, double want) {
  const uint16_t code = tn_dtype_pack(TINY_F16, tn_dtype_round(TINY_F16, want));
  CHECK_EQ(got, code);
  if (got != code && test_shown()) fprintf(stderr, "    %s, element %d: %04x, not %04x\n", what, i, got, code);
}
static void check_shape(tiny_ctx *t, int n) {
  uint16_t in[SHAPES_MOST], out[SHAPES_MOST * SHAPES_MOST];
  int32_t at[SHAPES_MOST];
  double x[SHAPES_MOST];
  for (int i = 0; i < n; i++) {
    in[i] = (uint16_t)(0x3000 + 977 * i % 0x2000 + (i & 1) * 0x8000); at[i] = (i * 7 + 3) % n;
    x[i] = tn_dtype_unpack(TINY_F16, in[i]);
  }
  tiny_begin(t);
  tiny_tensor *h = tiny_from(t, in, TINY_F16, TINY_SHAPE(n)), *w = tiny_cast(h, TINY_F32);
  tiny_tensor *scaled = tiny_cast(tiny_add_scalar(tiny_mul_scalar(w, 2), 1), TINY_F16);
  CHECK_EQ(tiny_read(scaled, out, 2 * (size_t)n), TINY_OK);
  for (int i = 0; i < n; i++) check_one("x * 2 + 1", i, out[i], x[i] * 2 + 1);
  tiny_tensor *turned = tiny_cast(tiny_mul_scalar(tiny_flip(w, TINY_SHAPE(0)), 3), TINY_F16);
  CHECK_EQ(tiny_read(turned, out, 2 * (size_t)n), TINY_OK);
  for (int i = 0; i < n; i++) check_one("turned", i, out[i], x[n - 1 - i] * 3);
  tiny_tensor *index = tiny_from(t, at, TINY_I32, TINY_SHAPE(n)), *apart = tiny_index_select(w, 0, index);
  CHECK_EQ(tiny_read(tiny_cast(tiny_mul_scalar(apart, 3), TINY_F16), out, 2 * (size_t)n), TINY_OK);
  for (int i = 0; i < n; i++) check_one("gathered", i, out[i], x[at[i]] * 3);
  tiny_tensor *chosen = tiny_where(tiny_lt(w, tiny_mul_scalar(w, 0)), h, tiny_cast(tiny_mul_scalar(w, 3), TINY_F16));
  CHECK_EQ(tiny_read(chosen, out, 2 * (size_t)n), TINY_OK);
  for (int i = 0; i < n; i++) check_one("chosen", i, out[i], x[i] < 0 ? x[i] : x[i] * 3);
  tiny_tensor *row = tiny_reshape(w, TINY_SHAPE(1, n)), *column = tiny_reshape(w, TINY_SHAPE(n, 1));
  CHECK_EQ(tiny_read(tiny_cast(tiny_mul(row, column), TINY_F16), out, 2 * (size_t)n * (size_t)n), TINY_OK);
  for (int i = 0; i < n * n; i++) check_one("outer", i, out[i], x[i / n] * x[i % n]);
  tiny_tensor *twice = tiny_cast(tiny_cast(tiny_mul_scalar(w, 3), TINY_F16), TINY_F32);          // rounded on its way
  float whole[SHAPES_MOST];
  CHECK_EQ(tiny_read(tiny_mul_scalar(twice, 0.5), whole, 4 * (size_t)n), TINY_OK);
  for (int i = 0; i < n; i++) CHECK(whole[i] == (float)(tn_dtype_round(TINY_F16, x[i] * 3) * 0.5));
  tiny_end(t);
}

static void check_all(tiny_ctx *t, const char *device, const char *compiler) {
  static const int shapes[] = {1, 2, 3, 5, 8, 17, 33, 64, SHAPES_MOST};
  if (case_named("codes on %s by %s", device, compiler)) {
    ask(t, &now);
    check_codes(&now);
    check_borders(&now);
    if (!first.there) first = now;
    CHECK(!memcmp(first.wide, now.wide, sizeof now.wide));
    CHECK(!memcmp(first.narrow, now.narrow, 2 * (size_t)nborders));
    CHECK(!memcmp(first.narrow_64, now.narrow_64, 2 * (size_t)nborders));
  }
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i += (size_t)test_brief(2, 1))
    if (case_named("%d elements on %s by %s", shapes[i], device, compiler)) check_shape(t, shapes[i]);
  case_end();
  CHECK_EQ(t->code, TINY_OK);
  if (t->code != TINY_OK) fprintf(stderr, "    %s by %s: %s\n", device, compiler, tiny_error(t));
}

int main(void) {
  make_questions();
  for (int d = 0; d < DEVICES; d++) {
    first.there = 0;
    for (int c = 0; c < COMPILERS; c++) {
      if (c > 1 && d > 1) continue;        // of integers compilers make what they always made
      tiny_ctx *t = open_with(devices[d], compilers[c]);
      if (!t) { printf("%s by %s: not here\n", devices[d], compilers[c]); continue; }
      printf("%s by %s: %s\n", devices[d], compilers[c], casts(t) ? "instructions" : "integers");
#ifndef TN_OS_ARM64
      if (d == DEVICES - 1 || d == DEVICES - 2) CHECK(!casts(t));
      if (!strcmp(devices[d], "CPU:avx2")) CHECK(casts(t));
#else
      CHECK(casts(t));
#endif
      check_all(t, devices[d], compilers[c]);
      tiny_close(t);
    }
  }
  CHECK_EQ(refused, 0);
  return test_report();
}
