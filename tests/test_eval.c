// test_eval: the reference interpreter, against programs and arrays worked out by hand, C's own arithmetic, and numpy.
#include "test.h"
// mingw's and emscripten's libraries round twice.
#if defined(_WIN32) || defined(__EMSCRIPTEN__)
  #define TEST_FMA(d, a, b, c) tn_fma(d, (double)(a), (double)(b), (double)(c))
#else
  #define TEST_FMA(d, a, b, c) \
    ((d) == TINY_F32 ? (double)fmaf((float)(a), (float)(b), (float)(c)) : fma((double)(a), (double)(b), (double)(c)))
#endif
#include "../src/runtime/interp.c"
#include "vectors/numpy.inc"

static tiny_ctx *test_ctx(tiny_ctx *t) {
  memset(t, 0, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  return tn_ir_open(t) ? t : NULL;
}
static void test_close(tiny_ctx *t) { tn_ir_close(t); tn_scratch_reset(t, 1); }

// ** programs **

enum { TEST_BUFFERS = 4, TEST_ELEMS = 256 };
typedef struct test_case {
  const char *text; int64_t global[3], local[3], tasks;
  union { float f[TEST_ELEMS]; int32_t i[TEST_ELEMS]; } m[TEST_BUFFERS];
} test_case;

static test_case test_fresh(const char *text) {
  test_case c;
  memset(&c, 0, sizeof c);
  c.text = text;
  return c;
}

static tiny_code test_run_guarded(tiny_ctx *t, void *arg) {
  test_case *c = (test_case *)arg;
  tn_list list = {NULL, 0, 0};
  tiny_mem mem[TEST_BUFFERS];
  tiny_launch l;
  const int64_t args[2] = {7, 0x40490FDB};                                  // 7, and the bits of pi as f32
  for (int i = 0; i < TEST_BUFFERS; i++) { mem[i].base = &c->m[i]; mem[i].offset = 0; }
  memset(&l, 0, sizeof l);
  l.mem = mem; l.nmem = TEST_BUFFERS; l.args = args; l.nargs = 2; l.tasks = c->tasks;
  memcpy(l.global, c->global, sizeof l.global); memcpy(l.local, c->local, sizeof l.local);
  void *module = tn_parse(t, c->text, &list) ? tn_interp_backend.load_uops(t, list.u, list.n) : NULL;
  l.kernel = module;
  const tiny_code code = module ? tn_interp_backend.launch(t, &l) : t->code;
  tn_interp_backend.unload(t, module);
  return code;
}

// Runs c; what is expected to go wrong is in want, else NULL.
static void test_run(tiny_ctx *t, test_case *c, const char *want) {
  const tiny_code code = tn_guard(t, test_run_guarded, c);
  if (!want && code != TINY_OK) fprintf(stderr, "    %s\n", t->message);
  CHECK_EQ(code == TINY_OK, want == NULL);
  if (want && !strstr(t->message, want)) fprintf(stderr, "    %s\n", t->message);
  if (want) CHECK(strstr(t->message, want) != NULL);
  t->code = TINY_OK;
  t->message[0] = 0;
}

static void test_loops(tiny_ctx *t) {
  test_case c = test_fresh("o = (PARAM:f32:0 24) a = (PARAM:f32:1 24) r = (RANGE:1:loop 24)"
    "(END (STORE (INDEX o r) (ADD (MUL (LOAD (INDEX a r)) 2.0:f32) 1.0:f32)) r)");
  for (int i = 0; i < 24; i++) c.m[1].f[i] = (float)i;
  test_run(t, &c, NULL);
  for (int i = 0; i < 24; i++) CHECK(c.m[0].f[i] == 2.0f * (float)i + 1.0f);

  // sums of rows, accumulated in a REG
  c = test_fresh("o = (PARAM:f32:0 4) a = (PARAM:f32:1 12) acc = (DEFINE:f32:0:reg 1) i = (RANGE:1:loop 4)"
    "z = (STORE (INDEX acc 0) 0.0:f32) j = (RANGE:2:reduce 3) cell = (INDEX (AFTER acc z j) 0)"
    "s = (STORE cell (ADD (LOAD cell) (LOAD (INDEX a (ADD (MUL i 3) j))))) e = (END s j)"
    "w = (STORE (INDEX o i) (LOAD (INDEX (AFTER acc e) 0))) (END w i)");
  for (int i = 0; i < 12; i++) c.m[1].f[i] = (float)(i * i);
  test_run(t, &c, NULL);
  for (int i = 0; i < 4; i++) CHECK(c.m[0].f[i] == (float)(9 * i * i + (3 * i + 1) * (3 * i + 1) - 9 * i * i + (3 * i + 2) * (3 * i + 2) + 9 * i * i));

  // a loop that runs no time, arguments, tasks
  c = test_fresh("o = (PARAM:f32:0 24) a = (ARG:i32:0) f = (ARG:f32:1) g = (SPECIAL:group0 5) n = (CAST:index a)"
    "s = (STORE (INDEX o g) f) r = (RANGE:1:loop (MUL g n)) (END (STORE (INDEX o (ADD (MOD r 7) 10)) 3.0:f32) r)");
  c.tasks = 1;
  test_run(t, &c, NULL);
  CHECK(c.m[0].f[0] == 3.14159274101257324f && c.m[0].f[10] == 0);
  c.tasks = 5;
  test_run(t, &c, NULL);
  CHECK(c.m[0].f[4] == 3.14159274101257324f && c.m[0].f[16] == 3 && c.m[0].f[17] == 0);
}

#define TEST_TREE(barrier) \
  "o = (PARAM:f32:0 4) a = (PARAM:f32:1 256) m = (DEFINE:f32:0:local 64) g = (SPECIAL:group0 4) i = (SPECIAL:item0 64)" \
  "s0 = (STORE (INDEX m i) (LOAD (INDEX a (ADD (MUL g 64) i)))) b0 = (BARRIER s0)" \
  "r = (RANGE:1:reduce 6) half = (SHR 32 r) m1 = (AFTER m b0 r) c = (LT i half) f = (IF c)" \
  "s1 = (STORE (INDEX m1 i) (ADD (LOAD (INDEX m1 i)) (LOAD (INDEX m1 (ADD i half))))) n = (ENDIF f)" barrier \
  "e = (END n r) f2 = (IF (LT i 1)) w = (STORE (INDEX o g) (LOAD (INDEX (AFTER m e) 0))) (ENDIF f2)"

static void test_groups(tiny_ctx *t) {
  test_case c = test_fresh(TEST_TREE("b1 = (BARRIER n)"));
  c.global[0] = 4; c.local[0] = 64;
  for (int i = 0; i < 256; i++) c.m[1].f[i] = (float)i;
  test_run(t, &c, NULL);
  for (int g = 0; g < 4; g++) CHECK(c.m[0].f[g] == (float)(64 * 64 * g + 63 * 32));
  c.text = TEST_TREE("");
  test_run(t, &c, "race: reads what another item wrote since the barrier, element");

  // reversing in place: read, then written by another
  c = test_fresh("o = (PARAM:f32:0 4) m = (DEFINE:f32:0:local 4) i = (SPECIAL:item0 4) s = (STORE (INDEX m i) 1.0:f32) b = (BARRIER s)"
    "v = (LOAD (INDEX (AFTER m b) (SUB 3 i))) (STORE (INDEX (AFTER m v) i) v)");
  c.local[0] = 4;
  test_run(t, &c, "race: writes what another item read");
  c.text = "m = (DEFINE:f32:0:local 4) i = (SPECIAL:item0 4) (STORE (INDEX m 2) (CAST:f32 i))";
  test_run(t, &c, "race: overwrites");
  c.text = "i = (SPECIAL:item0 4) f = (IF (LT i 3)) b = (BARRIER) (ENDIF f)";
  test_run(t, &c, "work item 3 does not reach a barrier");
  c.text = "i = (SPECIAL:item0 4) r = (RANGE:1:loop i) (END (BARRIER) r)";
  test_run(t, &c, "RANGE 1: the extent differs between work items");

  // work items and groups in three dims; what was never stored shows
  c = test_fresh("o = (PARAM:i32:0 48) p = (PARAM:f32:1 1) x = (SPECIAL:item0 2) y = (SPECIAL:item1 3) z = (SPECIAL:item2 2) u = (SPECIAL:group1 4)"
    "e = (ADD (ADD x (MUL y 2)) (ADD (MUL z 6) (MUL u 12))) s = (STORE (INDEX o e) (CAST:i32 e)) (STORE (INDEX p 0) (LOAD (INDEX (DEFINE:f32:1:local 3) 1)))");
  c.local[0] = 2; c.local[1] = 3; c.local[2] = 2; c.global[1] = 4;
  test_run(t, &c, NULL);
  for (int i = 0; i < 48; i++) CHECK_EQ(c.m[0].i[i], i);
  CHECK(c.m[1].f[0] != c.m[1].f[0]);
}

static void test_access(tiny_ctx *t) {
  test_case c = test_fresh("p = (PARAM:f32:0 20) r = (RANGE:1:loop 30) (END (STORE (INDEX p r) 1.0:f32) r)");
  test_run(t, &c, "index 20 out of 20 in PARAM 0, work item 0 of group (0,0,0)");
  c.text = "p = (PARAM:f32:2 20) (LOAD:f32x4 (INDEX p 17))";
  test_run(t, &c, "index 20 out of 20 in PARAM 2");
  c.text = "m = (DEFINE:f32:7:reg 8) (LOAD (INDEX m -1))";
  test_run(t, &c, "index -1 out of 8 in REG 7");
  c.text = "m = (DEFINE:f32x4:7:local 8) (LOAD:f32x4 (INDEX m 9223372036854775807))";
  test_run(t, &c, "out of 8 in LOCAL 7");
  c.text = "p = (PARAM:f32:9 20) (LOAD (INDEX p 1))";
  test_run(t, &c, "PARAM 9 of a launch with 4 buffers");

  // where not valid: the alternative, or zero, and no access
  c = test_fresh("o = (PARAM:f32:0 64) a = (PARAM:f32:1 8) i = (SPECIAL:item0 12) k = (LT i 8)"
    "s = (STORE (INDEX o i) (LOAD (INDEX a i k) 5.0:f32)) s2 = (STORE (INDEX o (ADD i 12)) (LOAD (INDEX a i k))) (STORE (INDEX o (ADD i 100) 0:bool) 1.0:f32)");
  c.local[0] = 12;
  for (int i = 0; i < 8; i++) c.m[1].f[i] = (float)(i + 1);
  test_run(t, &c, NULL);
  for (int i = 0; i < 12; i++) CHECK(c.m[0].f[i] == (i < 8 ? (float)(i + 1) : 5.0f) && c.m[0].f[12 + i] == (i < 8 ? (float)(i + 1) : 0.0f));

  // vectors: contiguous with a valid for each lane, gather, scatter, REG vectors, folds
  c = test_fresh("o = (PARAM:f32:0 64) a = (PARAM:f32:1 16) l = (LANE:indexx4) ok = (LT:boolx4 l 3) v = (LOAD:f32x4 (INDEX a 13 ok))"
    "s = (STORE (INDEX o 0) v) g = (LOAD:f32x4 (INDEX:f32x4 a (MUL l 5))) s2 = (STORE (INDEX:f32x4 o (SUB 11 l)) g)"
    "m = (DEFINE:f32x4:0:reg 2) s3 = (STORE (INDEX m 1) (ADD g v)) q = (LOAD:f32x4 (INDEX (AFTER m s3) 1))"
    "s4 = (STORE (INDEX o 12) q) h = (HREDUCE:f32:ADD q) x = (HREDUCE:f32:MAX q) p = (PICK:f32:2 q) k = (STACK:f32x4 h x p 9.0:f32) s5 = (STORE (INDEX o 16) k)"
    "(STORE (INDEX o 20) (MUL (BROADCAST:f32x4 p) k))");
  for (int i = 0; i < 16; i++) c.m[1].f[i] = (float)i;
  test_run(t, &c, NULL);
  const float want[24] = {13, 14, 15, 0, 0, 0, 0, 0, 15, 10, 5, 0, 13, 19, 25, 15, 72, 25, 25, 9, 1800, 625, 625, 225};
  for (int i = 0; i < 24; i++) CHECK(c.m[0].f[i] == want[i]);
}

// (3 255; 2 1) @ (1 -2; -128 4) of u8 and i8: the second lies in words of the two rows' bytes.
static void test_tile(tiny_ctx *t) {
  test_case c = test_fresh("o = (PARAM:i32:0 4) a = (PARAM:u8:1 4) b = (PARAM:u16:2 2)"
    "x = (LOAD:u8x4 (INDEX a 0)) y = (LOAD:u16x2 (INDEX b 0)) (STORE (INDEX o 0) (WMMA:i32x4:k=2211941843458 x y (CONST:i32x4 1000)))");
  static const uint8_t a[4] = {3, 255, 2, 1}, b[4] = {1, 0x80, 0xFE, 4};
  memcpy(&c.m[1], a, 4);
  memcpy(&c.m[2], b, 4);
  test_run(t, &c, NULL);
  CHECK(c.m[0].i[0] == 1000 + 3 - 128 * 255 && c.m[0].i[1] == 1000 - 6 + 4 * 255);
  CHECK(c.m[0].i[2] == 1000 + 2 - 128 && c.m[0].i[3] == 1000 - 4 + 4);
}

static void test_malformed(tiny_ctx *t) {
  static const char *const bad[][2] = {
    {"r = (RANGE:1:loop 3) 4", "a loop is not closed"}, {"f = (IF 1:bool) 4", "a condition is not closed"},
    {"r = (RANGE:1:loop 3) q = (RANGE:2:loop 3) (END 4 r)", "not the innermost"}, {"f = (IF 1:bool) r = (RANGE:1:loop 3) n = (ENDIF f) (END n r)", "no IF is open"},
    {"r = (RANGE:1:loop 3) f = (IF 1:bool) (END f r)", "with an IF open"}, {"(LOAD:f32 4)", "no INDEX"}, {"(INDEX:f32 4 4)", "no memory"},
    {"(STORE (INDEX (DEFINE:f32:0:reg 4) 0) 1:i32)", "another dtype"}, {"(ADD:f32x4 (CONST:f32x2 1) 1.0:f32)", "lanes of the sources"},
    {"(PICK:f32:5 (CONST:f32x4 0))", "no such lane"}, {"(HREDUCE:f32:THREEFRY (CONST:f32x4 0))", "number of lanes"}, {"(DEFINE:f32:0:global 4)", "no such memory"},
    {"(IOTA:4)", "no op of a program"}, {"(ADD:f32 (PARAM:f32:0 1) 1.0:f32)", "no value"}, {"(SPECIAL:k=9 4)", "no such dim"}, {"(ARG:f32:5)", "variable 5 of 2"},
  };
  for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++) {
    test_case c = test_fresh(bad[i][0]);
    test_run(t, &c, bad[i][1]);
  }
}

static void test_backend(tiny_ctx *t) {
  const tiny_backend *b = &tn_interp_backend;
  tiny_limits limits;
  memset(&limits, 0, sizeof limits);
  void *dev = b->open(t, "", &limits);
  tiny_uop *r = tn_range(t, 5, TN_LOOP), *list[6];
  const int64_t five = 5;
  list[0] = tn_uop_make(t, TINY_OP_PARAM, TINY_I32, 1, 0, NULL, 0, 1, &five);
  list[1] = r->src[0]; list[2] = r;
  tiny_uop *src[2] = {list[0], r};
  list[3] = tn_uop_make(t, TINY_OP_INDEX, TINY_I32, 1, 2, src, 0, 0, NULL);
  src[0] = list[3]; src[1] = tn_cast(t, r, TINY_I32);
  list[4] = src[1];
  tiny_uop *store = tn_uop_make(t, TINY_OP_STORE, TINY_VOID, 1, 2, src, 0, 0, NULL);
  src[0] = store; src[1] = r;
  tiny_uop *whole[7] = {list[0], list[1], list[2], list[3], list[4], store, tn_uop_make(t, TINY_OP_END, TINY_VOID, 1, 2, src, 0, 0, NULL)};
  void *module = b->load_uops(dev, whole, 7), *mem = b->alloc(dev, 24);
  tiny_mem at = {mem, 4};
  tiny_launch l;
  int32_t out[5];
  memset(&l, 0, sizeof l);
  l.mem = &at; l.nmem = 1;
  CHECK(module != NULL);
  l.kernel = b->find(dev, module, "k");
  CHECK_EQ(b->launch(dev, &l), TINY_OK);
  CHECK_EQ(b->copy_out(dev, out, at, sizeof out), TINY_OK);
  for (int i = 0; i < 5; i++) CHECK_EQ(out[i], i);
  CHECK(b->load_uops(dev, whole + 3, 2) == NULL);
  t->code = TINY_OK;
  b->free(dev, mem, 24);
  b->unload(dev, module);
  b->close(dev);
}

// ** arithmetic against C's **

static int64_t test_op(tiny_ctx *t, int op, int d, int from, const int64_t *v, int n) {
  tiny_uop *src[4];
  int64_t out = 0x7777;
  for (int i = 0; i < n; i++) src[i] = tn_uop_make(t, TINY_OP_ARG, op == TINY_OP_WHERE && i == 0 ? (int)TINY_BOOL : from, 1, 0, NULL, i, 0, NULL);
  tiny_uop *u = tn_uop_make(t, op, d, 1, n, src, 0, 0, NULL);
  CHECK_EQ(tiny_uop_eval(t, u, v, n, &out), TINY_OK);
  return out;
}

#define TEST_INTS(type, wide, dtype, is_signed) do { \
  case_named("integers of %s", tiny_dtype_name(dtype)); \
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { \
    const type a = (type)sample[i], b = (type)sample[j]; \
    const int64_t v[3] = {(int64_t)a, (int64_t)b, (int64_t)a}; \
    const int bits = (int)sizeof(type) * 8, isolated = is_signed && b == (type)-1; \
    CHECK_EQ(test_op(t, TINY_OP_ADD, dtype, dtype, v, 2), (type)((wide)a + (wide)b)); \
    CHECK_EQ(test_op(t, TINY_OP_SUB, dtype, dtype, v, 2), (type)((wide)a - (wide)b)); \
    CHECK_EQ(test_op(t, TINY_OP_MUL, dtype, dtype, v, 2), (type)((wide)a * (wide)b)); \
    CHECK_EQ(test_op(t, TINY_OP_NEG, dtype, dtype, v, 1), (type)(0 - (wide)a)); \
    CHECK_EQ(test_op(t, TINY_OP_AND, dtype, dtype, v, 2), (type)(a & b)); \
    CHECK_EQ(test_op(t, TINY_OP_OR, dtype, dtype, v, 2), (type)(a | b)); \
    CHECK_EQ(test_op(t, TINY_OP_XOR, dtype, dtype, v, 2), (type)(a ^ b)); \
    CHECK_EQ(test_op(t, TINY_OP_MAX, dtype, dtype, v, 2), a > b ? a : b); \
    CHECK_EQ(test_op(t, TINY_OP_LT, TINY_BOOL, dtype, v, 2), a < b); \
    CHECK_EQ(test_op(t, TINY_OP_NE, TINY_BOOL, dtype, v, 2), a != b); \
    CHECK_EQ(test_op(t, TINY_OP_EQ, TINY_BOOL, dtype, v, 2), a == b); \
    const type q = b == 0 ? 0 : isolated ? (type)(0 - (wide)a) : (type)(a / b), m = b == 0 ? a : isolated ? 0 : (type)(a % b); \
    const int64_t m64 = (int64_t)m; \
    const int down = b != 0 && is_signed && ((m64 < 0 && v[1] > 0) || (m64 > 0 && v[1] < 0)); \
    CHECK_EQ(test_op(t, TINY_OP_CDIV, dtype, dtype, v, 2), q); \
    CHECK_EQ(test_op(t, TINY_OP_CMOD, dtype, dtype, v, 2), m); \
    CHECK_EQ(test_op(t, TINY_OP_IDIV, dtype, dtype, v, 2), (type)(q - down)); \
    CHECK_EQ(test_op(t, TINY_OP_MOD, dtype, dtype, v, 2), (type)(down ? m + b : m)); \
    if (j < bits) { \
      const int64_t by[2] = {(int64_t)a, j}; \
      CHECK_EQ(test_op(t, TINY_OP_SHL, dtype, dtype, by, 2), (type)((wide)a << j)); \
      CHECK_EQ(test_op(t, TINY_OP_SHR, dtype, dtype, by, 2), (type)(a >> j)); \
    } \
  } } while (0)

static void test_ints(tiny_ctx *t) {
  static const int64_t sample[] = {0, 1, 2, 3, 7, 10, 63, 64, 100, 127, 128, 200, 255, 256, 1000, 32767, 32768, 65535, 65536, 2147483647, 2147483648ll, 4294967295ll,
    INT64_MAX, INT64_MIN, -1, -2, -3, -7, -128, -129, -32768, -2147483647 - 1};
  const int n = (int)(sizeof sample / sizeof *sample);
  TEST_INTS(int8_t, uint64_t, TINY_I8, 1); TEST_INTS(uint8_t, uint64_t, TINY_U8, 0);
  TEST_INTS(int16_t, uint64_t, TINY_I16, 1); TEST_INTS(uint16_t, uint64_t, TINY_U16, 0);
  TEST_INTS(int32_t, uint64_t, TINY_I32, 1); TEST_INTS(uint32_t, uint64_t, TINY_U32, 0);
  TEST_INTS(int64_t, uint64_t, TINY_I64, 1); TEST_INTS(uint64_t, uint64_t, TINY_U64, 0); TEST_INTS(int64_t, uint64_t, TINY_INDEX, 1);
  case_named("bools");
  for (int64_t a = 0; a < 2; a++) for (int64_t b = 0; b < 2; b++) {
    const int64_t v[2] = {a, b};
    CHECK_EQ(test_op(t, TINY_OP_ADD, TINY_BOOL, TINY_BOOL, v, 2), a | b);
    CHECK_EQ(test_op(t, TINY_OP_MUL, TINY_BOOL, TINY_BOOL, v, 2), a & b);
    CHECK_EQ(test_op(t, TINY_OP_MAX, TINY_BOOL, TINY_BOOL, v, 2), a | b);
    CHECK_EQ(test_op(t, TINY_OP_XOR, TINY_BOOL, TINY_BOOL, v, 2), a ^ b);
  }
}

static int test_same(int64_t k, double x) { return tn_from_f64(x) == k; }

#define TEST_REALS(type, dtype, root) do { \
  case_named("reals of %s", tiny_dtype_name(dtype)); \
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { \
    const type a = (type)sample[i], b = (type)sample[j]; \
    volatile type ab = a * b; \
    const int64_t v[3] = {tn_from_f64((double)a), tn_from_f64((double)b), tn_from_f64((double)a)}, pick[3] = {1, v[0], v[1]}; \
    CHECK(test_same(test_op(t, TINY_OP_ADD, dtype, dtype, v, 2), (double)(type)(a + b))); \
    CHECK(test_same(test_op(t, TINY_OP_SUB, dtype, dtype, v, 2), (double)(type)(a - b))); \
    CHECK(test_same(test_op(t, TINY_OP_MUL, dtype, dtype, v, 2), (double)ab)); \
    CHECK(test_same(test_op(t, TINY_OP_FDIV, dtype, dtype, v, 2), (double)(type)(b == 0 ? (a == 0 || a != a ? (type)NAN : (signbit(a) != 0) != (signbit(b) != 0) ? -(type)HUGE_VAL : (type)HUGE_VAL) : a / b))); \
    CHECK(test_same(test_op(t, TINY_OP_FMA, dtype, dtype, v, 3), (double)(type)TEST_FMA(dtype, a, b, a))); \
    CHECK(test_same(test_op(t, TINY_OP_NEG, dtype, dtype, v, 1), (double)-a)); \
    CHECK(test_same(test_op(t, TINY_OP_SQRT, dtype, dtype, v, 1), (double)root(a))); \
    CHECK(test_same(test_op(t, TINY_OP_TRUNC, dtype, dtype, v, 1), trunc((double)a))); \
    CHECK(test_same(test_op(t, TINY_OP_MAX, dtype, dtype, v, 2), (double)(a != a ? a : b != b ? b : a > b ? a : b)) || a == b); \
    CHECK_EQ(test_op(t, TINY_OP_LT, TINY_BOOL, dtype, v, 2), a < b); \
    CHECK_EQ(test_op(t, TINY_OP_NE, TINY_BOOL, dtype, v, 2), a != b); \
    CHECK_EQ(test_op(t, TINY_OP_EQ, TINY_BOOL, dtype, v, 2), a == b); \
    CHECK_EQ(test_op(t, TINY_OP_WHERE, dtype, dtype, pick, 3), v[0]); \
  } } while (0)

static void test_reals(tiny_ctx *t) {
  static const double sample[] = {0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -2.75, 1e-3, 1234.5, 65504.0, 1e-30, -1e30, 3.4028234663852886e38, 1e-45, 16777217.0,
    0.1, (double)INFINITY, -(double)INFINITY, (double)NAN};
  const int n = (int)(sizeof sample / sizeof *sample);
  TEST_REALS(float, TINY_F32, sqrtf);
  TEST_REALS(double, TINY_F64, sqrt);
  case_named("transcendentals");
  for (int i = 0; i < n; i++) {            // transcendentals: as libm's, rounded once
    const float a = (float)sample[i];
    const int64_t v[2] = {tn_from_f64(a), tn_from_f64(3)};
    CHECK(test_same(test_op(t, TINY_OP_EXP2, TINY_F32, TINY_F32, v, 1), tn_dtype_round(TINY_F32, exp2((double)a))));
    CHECK(test_same(test_op(t, TINY_OP_SIN, TINY_F32, TINY_F32, v, 1), (float)sin((double)a)));
    if (a >= 0 || a != a) CHECK(test_same(test_op(t, TINY_OP_LOG2, TINY_F32, TINY_F32, v, 1), (float)log2((double)a)));
    CHECK(test_same(test_op(t, TINY_OP_POW, TINY_F32, TINY_F32, v, 2), tn_dtype_round(TINY_F32, pow((double)a, 3))));
  }
}

static int64_t test_cast(tiny_ctx *t, int to, int from, int64_t k) { return test_op(t, TINY_OP_CAST, to, from, &k, 1); }

static void test_casts(tiny_ctx *t) {
  static const struct { int to; double x; int64_t want; } saturate[] = {
    {TINY_I8, 127.9, 127}, {TINY_I8, 128, 127}, {TINY_I8, -128.9, -128}, {TINY_I8, -1e9, -128}, {TINY_U8, -0.9, 0}, {TINY_U8, -5, 0}, {TINY_U8, 255.5, 255}, {TINY_U8, 256, 255},
    {TINY_I32, 2147483648.0, 2147483647}, {TINY_I32, -2147483649.0, -2147483647 - 1}, {TINY_I32, -1.9, -1}, {TINY_U32, 4294967296.0, 4294967295ll}, {TINY_U32, 3e9, 3000000000ll},
    {TINY_I64, 9.3e18, INT64_MAX}, {TINY_I64, -9.3e18, INT64_MIN}, {TINY_U64, 1.8446744073709552e19, -1}, {TINY_U64, 9223372036854775808.0, INT64_MIN},
    {TINY_I32, (double)NAN, 0}, {TINY_U8, (double)NAN, 0}, {TINY_I16, (double)INFINITY, 32767}, {TINY_I16, -(double)INFINITY, -32768}, {TINY_BOOL, 0.1, 1}, {TINY_BOOL, -0.0, 0}, {TINY_BOOL, (double)NAN, 1},
  };
  for (int i = 0; i < (int)(sizeof saturate / sizeof *saturate); i++) CHECK_EQ(test_cast(t, saturate[i].to, TINY_F64, tn_from_f64(saturate[i].x)), saturate[i].want);
  case_end();
  CHECK_EQ(test_cast(t, TINY_I8, TINY_I32, 200), -56);
  CHECK_EQ(test_cast(t, TINY_U8, TINY_I32, -1), 255);
  CHECK_EQ(test_cast(t, TINY_U64, TINY_I8, -1), -1);
  CHECK_EQ(test_cast(t, TINY_BOOL, TINY_I32, 256), 1);
  CHECK(test_same(test_cast(t, TINY_F32, TINY_I32, 16777217), 16777216.0));
  CHECK(test_same(test_cast(t, TINY_F64, TINY_U64, -1), 18446744073709551615.0));
  CHECK(test_same(test_cast(t, TINY_F32, TINY_I64, 0x4000004000000001ll), (double)0x4000008000000000ll));  // one rounding: by way of f64 it would be a tie
  CHECK(test_same(test_cast(t, TINY_F16, TINY_I32, 70000), (double)INFINITY));
  CHECK(test_same(test_cast(t, TINY_F32, TINY_F64, tn_from_f64(1e39)), (double)INFINITY));
  int64_t k = tn_from_f64(1.0);
  CHECK_EQ(test_op(t, TINY_OP_BITCAST, TINY_I32, TINY_F32, &k, 1), 0x3F800000);
  CHECK_EQ(test_op(t, TINY_OP_BITCAST, TINY_U16, TINY_BF16, &k, 1), 0x3F80);
  k = -1;
  CHECK_EQ(test_op(t, TINY_OP_BITCAST, TINY_U8, TINY_I8, &k, 1), 255);
}

// Every code of the 16 bit floats, against f32's bits shifted, and against powers of two summed up.
static void test_narrow_floats(void) {
  int wrong = 0;
  for (int code = 0; code < 65536; code++) {
    const uint16_t in = (uint16_t)code;
    uint16_t out = 0;
    const uint32_t shifted = (uint32_t)code << 16;
    float b;
    memcpy(&b, &shifted, 4);
    const double bf = tn_to_f64(tn_dtype_load(TINY_BF16, &in)), h = tn_to_f64(tn_dtype_load(TINY_F16, &in));
    wrong += b != b ? bf == bf : bf != (double)b;
    tn_dtype_store(TINY_BF16, &out, tn_from_f64(bf));
    wrong += b == b && out != in;
    const int e = code >> 10 & 31, m = code & 1023;
    double value = e == 31 ? (m ? (double)NAN : (double)INFINITY) : e ? (1024.0 + m) / 1024.0 : m / 1024.0;
    for (int i = 15; i < e && e < 31; i++) value *= 2;
    for (int i = e ? e : 1; i < 15; i++) value /= 2;
    if (code >> 15) value = -value;
    wrong += value != value ? h == h : h != value || signbit(h) != signbit(value);
    tn_dtype_store(TINY_F16, &out, tn_from_f64(h));
    wrong += value == value && out != in;
    wrong += value == value && tn_dtype_round(TINY_F16, h) != h;
  }
  CHECK_EQ(wrong, 0);
  for (int i = 0; i < (int)(sizeof vector_f16 / sizeof *vector_f16); i++) {
    float x;
    memcpy(&x, &vector_f16[i].f32, 4);
    uint16_t out;
    tn_dtype_store(TINY_F16, &out, tn_dtype_convert(TINY_F16, TINY_F32, tn_from_f64(x)));
    CHECK_EQ(out, vector_f16[i].f16);
  }
}

// Every code of fp8, summed up from its bits; values halfway between codes go to the even one.
static void test_fp8(void) {
  static const struct { int dtype, bias, fraction, top; double beyond; } format[] = {
    {TINY_F8E4M3, 7, 3, 0x7E, (double)NAN}, {TINY_F8E5M2, 15, 2, 0x7B, (double)INFINITY}};
  int wrong = 0;
  for (int f = 0; f < 2; f++) {
    const int d = format[f].dtype, m = format[f].fraction, top = format[f].top;
    for (int code = 0; code < 256; code++) {
      const uint8_t in = (uint8_t)code;
      uint8_t out = 0;
      const int e = (code & 127) >> m, part = code & ((1 << m) - 1);
      double want = ldexp(e ? (1 << m) + part : part, (e ? e : 1) - format[f].bias - m);
      if ((code & 127) > top) want = (code & 127) == top + 1 ? format[f].beyond : (double)NAN;
      if (code >> 7) want = -want;
      const double got = tn_to_f64(tn_dtype_load(d, &in));
      wrong += want != want ? got == got : got != want || signbit(got) != signbit(want);
      tn_dtype_store(d, &out, tn_from_f64(got));
      wrong += want == want && out != in;
      if ((code & 127) > top) continue;
      const uint8_t above = (uint8_t)(code + 1);
      const double next = tn_to_f64(tn_dtype_load(d, &above)), half = copysign(fabs(want) + ldexp(0.5, (e ? e : 1) - format[f].bias - m), want);
      const double tie = tn_dtype_round(d, half), even = code & 1 ? next : want;
      wrong += even != even ? tie == tie : tie != even;
      wrong += tn_dtype_round(d, nextafter(half, 0)) != want;
    }
  }
  CHECK_EQ(wrong, 0);
  CHECK(test_same(tn_from_f64(tn_dtype_round(TINY_F8E4M3, 464)), 448.0));
  CHECK(test_same(tn_from_f64(tn_dtype_round(TINY_F8E4M3, 465)), (double)NAN));
  CHECK(test_same(tn_from_f64(tn_dtype_round(TINY_F8E4M3, -(double)INFINITY)), (double)NAN));
  CHECK(test_same(tn_from_f64(tn_dtype_round(TINY_F8E5M2, 61439)), 57344.0));
  CHECK(test_same(tn_from_f64(tn_dtype_round(TINY_F8E5M2, 61440)), (double)INFINITY));
  CHECK(test_same(tn_lowest(TINY_F8E4M3), -448.0));
  CHECK(test_same(tn_lowest(TINY_F8E5M2), -(double)INFINITY));
}

// ** expressions **

static void test_expr(tiny_ctx *t, const char *text, const int64_t *vars, int n, int64_t want) {
  int64_t out = 0x7777;
  tiny_uop *u = tiny_uop_parse(t, text);
  CHECK(u != NULL);
  CHECK_EQ(tiny_uop_eval(t, u, vars, n, &out), TINY_OK);
  CHECK_EQ(out, want);
}
static void test_exprs(tiny_ctx *t) {
  const int64_t vars[4] = {5, -7, 1, 12};
  int64_t out = 0;
  test_expr(t, "(ADD (MUL (RANGE:0:loop 8) 10) (RANGE:3:loop 16))", vars, 4, 62);
  test_expr(t, "(MOD (ARG:i32:1) 4:i32)", vars, 4, 1);
  test_expr(t, "(WHERE (ARG:bool:2) (ARG:i32:0) (ARG:i32:1))", vars, 4, 5);
  test_expr(t, "(HREDUCE:index:ADD (MUL (LANE:indexx8) (RANGE:0:loop 8)))", vars, 4, 140);
  test_expr(t, "(THREEFRY:u32:0 0:u32 0:u32 0:u32 0:u32)", vars, 4, 0x6B200159);   // Random123's kat_vectors, threefry2x32 20
  test_expr(t, "(THREEFRY:u32:1 0:u32 0:u32 0:u32 0:u32)", vars, 4, 0x99BA4EFE);
  test_expr(t, "(THREEFRY:u32:0 608135816:u32 2242054355:u32 320440878:u32 57701188:u32)", vars, 4, 0xC4923A9C);
  CHECK_EQ(tiny_uop_eval(t, tiny_uop_parse(t, "(ARG:i32:4)"), vars, 4, &out), TINY_E_ARG);
  t->code = TINY_OK;
  CHECK_EQ(tiny_uop_eval(t, tiny_uop_parse(t, "(BUFFER:i32:#4 2)"), vars, 4, &out), TINY_E_INTERNAL);
  t->code = TINY_OK;
  CHECK_EQ(tiny_uop_eval(t, NULL, vars, 4, &out), TINY_E_ARG);
  t->code = TINY_OK;
}

// ** tensor graphs: BUFFER #9001 holds 1, 2, 3 .. as f32, any other the data of its vector **

static const void *test_data;
static const void *test_buffer(tiny_ctx *t, tiny_uop *buffer) { (void)t; (void)buffer; return test_data; }

static void test_graph(tiny_ctx *t, const char *text, int n, const float *want) {
  static const float counting[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
  float out[64];
  tiny_uop *u = tiny_uop_parse(t, text);
  if (!u) fprintf(stderr, "    %s\n", t->message);
  CHECK(u != NULL);
  if (!u) { t->code = TINY_OK; return; }
  test_data = counting;
  CHECK_EQ(tn_dims_nelem(u->ndim, u->dim), n);
  CHECK_EQ(tn_eval_graph(t, u, out, test_buffer), TINY_OK);
  for (int i = 0; i < n; i++) CHECK(out[i] == want[i]);
  t->code = TINY_OK;
}
#define TEST_X "x = (RESHAPE (BUFFER:f32:#9001 6) [2 3])"

static void test_graphs(tiny_ctx *t) {
  const float counting[6] = {1, 2, 3, 4, 5, 6}, turned[6] = {1, 4, 2, 5, 3, 6}, flipped[6] = {3, 2, 1, 6, 5, 4}, cut[2] = {2, 5}, rows[2] = {6, 15}, most[3] = {4, 5, 6}, all[1] = {21};
  const float padded[12] = {0, 0, 0, 0, 1, 2, 3, 0, 4, 5, 6, 0}, grown[6] = {1, 1, 1, 4, 4, 4}, none[1] = {0}, iota[4] = {0, 2, 4, 6}, chosen[6] = {1, 2, 3, -1, -1, -1};
  const float assigned[6] = {1, 2, 20, 4, 5, 50}, turned_about[6] = {6, 5, 4, 3, 2, 1}, upended[6] = {6, 3, 5, 2, 4, 1};
  test_graph(t, TEST_X "x", 6, counting);
  test_graph(t, TEST_X "(PERMUTE x [1 0])", 6, turned);
  test_graph(t, TEST_X "(FLIP:f32:axes=1 x)", 6, flipped);
  test_graph(t, TEST_X "(PERMUTE (FLIP:f32:axes=0,1 x) [1 0])", 6, upended);
  test_graph(t, TEST_X "(SHRINK x [0 2 1 2])", 2, cut);
  test_graph(t, TEST_X "(PAD x [1 0 0 1])", 12, padded);
  test_graph(t, TEST_X "(EXPAND (SHRINK x [0 2 0 1]) [2 3])", 6, grown);
  test_graph(t, TEST_X "(REDUCE:f32:ADD:axes=1 x)", 2, rows);
  test_graph(t, TEST_X "(REDUCE:f32:MAX:axes=0 x)", 3, most);
  test_graph(t, TEST_X "(CONTIGUOUS (REDUCE:f32:ADD:axes=0,1 (DETACH x)))", 1, all);
  test_graph(t, TEST_X "(REDUCE:f32:ADD:axes=1 (SHRINK (SHRINK x [0 1 0 3]) [0 1 2 2]))", 1, none);
  test_graph(t, "(CAST:f32 (MUL (IOTA:4) 2))", 4, iota);
  test_graph(t, TEST_X "(WHERE (LT x 4.0:f32) x -1.0:f32)", 6, chosen);
  test_graph(t, "(VIEW:f32:2 (BUFFER:f32:#9001 6) [2 3 3 -1])", 6, flipped);
  test_graph(t, "b = (BUFFER:f32:#9001 6) (ASSIGN b (VIEW:f32:2 b [2 3]) (MUL (VIEW:f32:1 b [2 3]) 10.0:f32))", 6, assigned);
  test_graph(t, TEST_X "(ASSIGN x (SHRINK x [0 2 2 3]) (MUL (SHRINK x [0 2 1 2]) 10.0:f32))", 6, assigned);
  test_graph(t, TEST_X "(ASSIGN x (FLIP:f32:axes=0,1 (PERMUTE x [1 0])) (RESHAPE (PERMUTE x [1 0]) [3 2]))", 6, turned_about);
}

static void test_numpy(tiny_ctx *t) {
  static unsigned char out[4096];
  for (int i = 0; i < (int)(sizeof vector_graphs / sizeof *vector_graphs); i++) {
    const struct vector_graph *v = &vector_graphs[i];
    tiny_uop *u = tiny_uop_parse(t, v->text);
    if (!u) fprintf(stderr, "    %s\n%s\n", v->text, t->message);
    CHECK(u != NULL);
    t->code = TINY_OK;
    if (!u) continue;
    test_data = v->in;
    CHECK_EQ(tn_eval_graph(t, u, out, test_buffer), TINY_OK);
    const int same = memcmp(out, v->out, (size_t)v->nbytes) == 0;
    if (!same) fprintf(stderr, "    %s\n", v->text);
    CHECK(same);
  }
}

// Every allocation may be the one that fails, and nothing is lost.
static size_t test_live, test_left;
static void *test_alloc(void *user, void *p, size_t old_nbytes, size_t new_nbytes) {
  (void)user;
  if (new_nbytes && !test_left) return NULL;
  if (new_nbytes) test_left--;
  void *r = tn_default_alloc(NULL, p, old_nbytes, new_nbytes);
  if (r || !new_nbytes) test_live += new_nbytes - old_nbytes;
  return r;
}
static void test_memory(void) {
  static const float data[6] = {1, 2, 3, 4, 5, 6};
  int done = 0;
  for (size_t n = 0; n < 200 && !done; n++) {
    tiny_ctx ctx, *t = &ctx;
    float out[6];
    memset(t, 0, sizeof *t);
    t->alloc.fn = test_alloc;
    test_live = 0; test_left = n;
    test_data = data;
    if (tn_ir_open(t)) {
      tiny_uop *u = tiny_uop_parse(t, TEST_X "(ADD (PERMUTE (MUL x x) [1 0]) (EXPAND (REDUCE:f32:ADD:axes=0,1 x) [3 2]))");
      if (u && tn_eval_graph(t, u, out, test_buffer) == TINY_OK) { done = 1; CHECK(out[5] == 57); }
      else CHECK_EQ(t->code, TINY_E_MEMORY);
    } else if (t->ir && !t->ir->nodes.table) { tn_release(t, t->ir, sizeof *t->ir); t->ir = NULL; }
    test_close(t);
    CHECK_EQ(test_live, 0);
  }
  CHECK(done);
}

int main(void) {
  tiny_ctx ctx, *t = test_ctx(&ctx);
  if (!t) return 1;
  test_loops(t);
  test_groups(t);
  test_tile(t);
  test_access(t);
  test_malformed(t);
  test_backend(t);
  test_ints(t);
  test_reals(t);
  test_casts(t);
  test_narrow_floats();
  test_fp8();
  test_exprs(t);
  test_graphs(t);
  test_numpy(t);
  test_memory();
  test_close(t);
  return test_report();
}
