// test_print: what is printed parses back to the same node; what is wrong is shown with a caret; no text does harm.
#include "test.h"
#include "../src/ir/spec.c"

static uint64_t test_seed = 88172645463325252ull;
static uint64_t test_random(void) {        // xorshift64: Marsaglia, "Xorshift RNGs", 2003
  test_seed ^= test_seed << 13; test_seed ^= test_seed >> 7; test_seed ^= test_seed << 17;
  return test_seed;
}
static int test_below(int n) { return (int)(test_random() >> 33) % n; }

static tiny_ctx *test_ctx(tiny_ctx *t) {
  memset(t, 0, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  return tn_ir_open(t) ? t : NULL;
}
static void test_close(tiny_ctx *t) { tn_ir_close(t); tn_scratch_reset(t, 1); }

static void test_text(tiny_ctx *t, const char *in, const char *want) {
  char out[4096];
  tiny_uop *u = tiny_uop_parse(t, in);
  if (!u) fprintf(stderr, "    %s\n", t->message);
  CHECK(u != NULL);
  t->code = TINY_OK;
  if (!u) return;
  CHECK_EQ(tiny_uop_print(t, u, out, sizeof out), strlen(want));
  CHECK_STR(out, want);
  CHECK(tiny_uop_parse(t, out) == u);
}

static void test_forms(tiny_ctx *t) {
  static const char *const same[] = {      // printed as they are
    "4", "-4", "0.5:f32", "-0.0:f32", "inf:f16", "-inf:f64", "nan:bf16", "0.1:f32", "0.1:f64", "0.30000000000000004:f64", "(VIEW:f32:2 (BUFFER:f32:#7 12) [2 3 5 -1])", "1.4013e-45:f32", "1.17549435e-38:f32",
    "1:bool", "-128:i8", "18446744073709551615:u64", "-9223372036854775808", "16777216.0:f32", "1e+30:f64", "65504.0:f16", "0x3fb999999999999a:f32",
    "(CONST:f32x16 0.5)", "(RANGE:17:reduce 1024)", "(RANGE:i32:17:loop 8:i32)", "(SPECIAL:item1 64)", "(SPECIAL:group0 4)", "(DEFINE:f32x4:3:reg 8)", "(DEFINE:f16:0:local 64)",
    "(PARAM:f32:2 1024)", "(ARG:i32:0 0 7)", "(SCALAR:f32 0.5)", "(BUFFER:f32:#7 1024)", "(IOTA:5)", "(LANE:indexx8)", "(REDUCE:f32:ADD:axes=0,2 (RESHAPE:f32 (BUFFER:f32:#7 8) [2 2 2]))",
    "(FLIP:f32:axes=0 (BUFFER:f32:#7 8))", "(PAD:f32 (BUFFER:f32:#7 8) [1 2])", "(PICK:f32:3 (CONST:f32x4 1.0))", "(HREDUCE:f32:MAX (CONST:f32x4 1.0))", "(BARRIER)",
    "(SINK (END (STORE (INDEX:f32 (PARAM:f32:0 8) 3) 1.0:f32) (RANGE:1:global 8)) (BARRIER))", "(STAGE:f32:local 1.0:f32 (RANGE:1:local 8))", "(THREEFRY:u32:1 0:u32 1:u32 2:u32 3:u32)",
    "(CAST:f32x4 (LANE:i32x4))", "(CUSTOM:f32 (BUFFER:f32:#7 8) [2 2])", "(RESHAPE:f32 (SHRINK:f32 (BUFFER:f32:#7 8) [0 1]))",
  };
  for (int i = 0; i < (int)(sizeof same / sizeof *same); i++) test_text(t, same[i], same[i]);
  test_text(t, " ( ADD\n4 ( MUL 5 6 ) ) ", "(ADD:index (MUL:index 6 5) 4)");
  test_text(t, "(LT (ARG:u8:0) 4:u8)", "(LT:bool (ARG:u8:0) 4:u8)");
  test_text(t, "(WHERE 1:bool 4:u8 (CONST:u8x4 1))", "(WHERE:u8x4 1:bool 4:u8 (CONST:u8x4 1))");
  test_text(t, "acc = (DEFINE:f32:0:reg 1) x = (LOAD (INDEX acc 0)) (STORE (INDEX acc 0) (ADD x x))",
    "%1 = (INDEX:f32 (DEFINE:f32:0:reg 1) 0)\n%2 = (LOAD:f32 %1)\n(STORE %1 (ADD:f32 %2 %2))");
  test_text(t, "x = (ADD (ARG:i32:0) 1:i32)", "(ADD:i32 (ARG:i32:0) 1:i32)");
  test_text(t, "1e400:f64", "inf:f64");
  test_text(t, "(SINK (ADD (MUL (ADD (MUL (ADD (MUL (ARG:i32:0) 12345:i32) 6789:i32) 12345:i32) 6789:i32) 12345:i32) 6789:i32) (ADD (MUL (ARG:i32:1) 7:i32) 8:i32))",
    "%1 = (ADD:i32 (MUL:i32 (ADD:i32 (MUL:i32 (ARG:i32:0) 12345:i32) 6789:i32) 12345:i32) 6789:i32)\n"
    "(SINK (ADD:i32 (MUL:i32 %1 12345:i32) 6789:i32) (ADD:i32 (MUL:i32 (ARG:i32:1) 7:i32) 8:i32))");
}

static void test_api(tiny_ctx *t) {
  char out[8];
  tiny_uop *u = tiny_uop_parse(t, "(ADD 4 5)");
  CHECK_EQ(tiny_uop_print(t, u, out, sizeof out), 15);
  CHECK_STR(out, "(ADD:in");
  CHECK_EQ(tiny_uop_print(t, u, NULL, 0), 15);
  CHECK_EQ(tiny_uop_print(t, NULL, out, sizeof out), 0);
  CHECK_STR(out, "");
  CHECK(tiny_uop_parse(t, NULL) == NULL && t->code == TINY_E_ARG);
  t->code = TINY_OK;
  CHECK(tiny_uop_parse(NULL, "4") == NULL);

  // a BUFFER of text is the live one; a parsed range id is not given out again
  int64_t nelem = 12;
  tiny_uop *buffer = tn_uop_make_with(t, TINY_OP_BUFFER, TINY_F32, 1, 0, NULL, 42, 1, &nelem, &nelem);
  CHECK(tiny_uop_parse(t, "(BUFFER:f32:#42 12)") == buffer);
  CHECK(tiny_uop_parse(t, "(BUFFER:f32:#1099511627776 4)") == NULL && strstr(t->message, "below 2^40"));
  t->code = TINY_OK;
  CHECK(tiny_uop_parse(t, "(RANGE:1099511627776:loop 4)") == NULL && strstr(t->message, "below 2^40"));
  t->code = TINY_OK;
  CHECK(tiny_uop_parse(t, "(BUFFER:f32:#1099511627775 4)") != NULL && t->ir->buffers == 1099511627775);
  tiny_uop *fresh = tiny_uop_parse(t, "(BUFFER:f32:#43 12)");
  CHECK(fresh && fresh != buffer && fresh->ptr == NULL);
  CHECK(tiny_uop_parse(t, "(RANGE:5000:loop 4)") != NULL);
  CHECK_EQ(tn_range(t, 4, TN_LOOP)->k >> 8, 5001);
}

static void test_error(tiny_ctx *t, const char *in, const char *want) {
  CHECK(tiny_uop_parse(t, in) == NULL);
  CHECK_EQ(t->code, TINY_E_ARG);
  CHECK_STR(t->message, want);
  t->code = TINY_OK;
}
static void test_errors(tiny_ctx *t) {
  test_error(t, "(ADD 4\n  (MULL 5 6))", "uop_parse: line 2, column 4: no such op: 'MULL'\n    (MULL 5 6))\n     ^");
  test_error(t, "(ADD 4 y)", "uop_parse: line 1, column 8: 'y' is not defined\n  (ADD 4 y)\n         ^");
  test_error(t, "(ADD 4", "uop_parse: line 1, column 7: the text ends early\n  (ADD 4\n        ^");
  test_error(t, "", "uop_parse: line 1, column 1: the text ends early\n  \n  ^");
  test_error(t, "(ADD 4 5 6)", "uop_parse: line 1, column 2: ADD does not take 3 sources\n  (ADD 4 5 6)\n   ^");
  test_error(t, "300:u8", "uop_parse: line 1, column 1: '300' is no value of u8\n  300:u8\n  ^");
  test_error(t, "99999999999999999999", "uop_parse: line 1, column 1: '99999999999999999999' is no value of index\n  99999999999999999999\n  ^");
  test_error(t, "4:f33", "uop_parse: line 1, column 3: no such dtype\n  4:f33\n    ^");
  test_error(t, "4 5", "uop_parse: line 1, column 3: expected the end after the last expression\n  4 5\n    ^");
  test_error(t, ")", "uop_parse: line 1, column 1: nothing is open here\n  )\n  ^");
  test_error(t, "[4]", "uop_parse: line 1, column 1: expected an expression\n  [4]\n  ^");
  test_error(t, "x = 4 x = 5 x", "uop_parse: line 1, column 11: 'x' is defined twice\n  x = 4 x = 5 x\n            ^");
  test_error(t, "(CAST 4)", "uop_parse: line 1, column 2: CAST needs its dtype\n  (CAST 4)\n   ^");
  test_error(t, "(RANGE:1:lop 4)", "uop_parse: line 1, column 10: RANGE takes no 'lop'\n  (RANGE:1:lop 4)\n           ^");
  test_error(t, "(PERMUTE (BUFFER:f32:#1 4) [0 1])", "uop_parse: line 1, column 2: PERMUTE: the list has not as many numbers as the source has dims\n"
    "  (PERMUTE (BUFFER:f32:#1 4) [0 1])\n   ^");
  test_error(t, "(SHRINK (BUFFER:f32:#1 4) [3 5])", "uop_parse: line 1, column 2: SHRINK: out of the source's bounds\n  (SHRINK (BUFFER:f32:#1 4) [3 5])\n   ^");
  test_error(t, "(EXPAND (RESHAPE (BUFFER:f32:#1 1) [1 1]) [9000000000000000000 3])", "uop_parse: line 1, column 2: EXPAND: too many elements\n"
    "  (EXPAND (RESHAPE (BUFFER:f32:#1 1) [1 1]) [9000000000000000000 3])\n   ^");
  test_error(t, "\x01\xff", "uop_parse: line 1, column 1: '\x01\xff' is not defined\n  ..\n  ^");
  test_error(t, "(SINK 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 what 31 32 33 34 35 36 37 38 39)",
    "uop_parse: line 1, column 88: 'what' is not defined\n  8 19 20 21 22 23 24 25 26 27 28 29 30 what 31 32 33 34 35 36 37 38 39)\n                                        ^");
}

static void test_deep(tiny_ctx *t) {
  const int depth = TN_PARSE_DEPTH + 1;
  char *text = (char *)malloc((size_t)depth * 5 + 1);
  for (int i = 0; i < depth; i++) memcpy(text + 5 * i, "(NEG ", 5);
  text[depth * 5] = 0;
  CHECK(tiny_uop_parse(t, text) == NULL);
  CHECK(strstr(t->message, "nested deeper than 10000") != NULL);
  t->code = TINY_OK;
  free(text);
  tiny_uop *u = tn_uop_make(t, TINY_OP_ARG, TINY_I32, 1, 0, NULL, 0, 0, NULL);
  for (int i = 0; i < 50000; i++) u = tn_u2(t, TINY_OP_ADD, u, tn_int(t, TINY_I32, i));
  const size_t n = tiny_uop_print(t, u, NULL, 0);
  text = (char *)malloc(n + 1);
  CHECK_EQ(tiny_uop_print(t, u, text, n + 1), n);
  size_t longest = 0, run = 0;
  for (size_t i = 0; i < n; i++) { run = text[i] == '\n' ? 0 : run + 1; if (run > longest) longest = run; }
  CHECK(longest <= TN_PRINT_COLUMNS + 20);
  CHECK(tiny_uop_parse(t, text) == u);
  free(text);
}

// Nodes of any op, dtype and argument that fits, on top of each other.
static tiny_uop *test_node(tiny_ctx *t, tiny_uop **pool, int n) {
  const int op = test_below(TINY_OP_COUNT), boxes = op == TINY_OP_BULK || op == TINY_OP_BULKSTORE,
            many = boxes ? 4 + (op == TINY_OP_BULK) : tn_ops[op].nsrc < 0 ? test_below(4) : tn_ops[op].nsrc,
            nv = test_below(3) ? 0 : 1 + test_below(3);
  tiny_uop *src[5];
  int64_t v[16], k = test_below(2) ? test_below(300) : (int64_t)test_random();
  for (int i = 0; i < many; i++) src[i] = pool[test_below(n)];
  for (int i = 0; i < nv; i++) v[i] = test_below(4) ? test_below(5) : (int64_t)test_random();
  if (op == TINY_OP_RANGE) k &= 0xFFFF0F;
  int dtype = test_below(TINY_DTYPE_COUNT), count = nv;
  const int lanes = test_below(3) ? 1 : 1 + test_below(65535);
  if (op == TINY_OP_BUFFER || op == TINY_OP_PARAM) count = 1;
  if (op == TINY_OP_EXP2 || op == TINY_OP_SIN) k &= 1;
  if (op == TINY_OP_BUFFER) k &= ((int64_t)1 << 40) - 1;
  if ((op == TINY_OP_SLICE || op == TINY_OP_PREFIX || op == TINY_OP_WHOLE) && src[0]->ndim) {
    k = test_below(src[0]->ndim);
    src[1] = tn_index(t, test_below(2));
    count = op != TINY_OP_PREFIX;
    v[0] = op == TINY_OP_SLICE ? test_below(2) : tn_bits(src[0]->dtype) ? tn_dtype_value(src[0]->dtype, test_below(5)) : 0;
  }
  if (op == TINY_OP_COPY) k &= 15;
  if (op == TINY_OP_SHARD && many) {
    k = 0; count = 0; dtype = src[0]->dtype;
    for (int i = many - 1; i >= 0; i--) src[i] = tn_copy_to(t, src[0], 1 + i);
  }
  if (boxes) {
    k = op == TINY_OP_BULK ? tn_bulk_k(1 + test_below(8), test_below(4), 4 + test_below(8)) : 0;
    count = 6;                             // extents, strides, sides
    for (int i = 0; i < count; i++) v[i] = i == 2 ? 1 : 1 + test_below(8);
  }
  if (op == TINY_OP_FLIP) k &= ((int64_t)1 << src[0]->ndim) - 1;
  if (op == TINY_OP_VIEW && src[0]->ndim == 1) { k = 0; count = 4; v[0] = 1; v[1] = src[0]->dim[0]; v[2] = -7; v[3] = 1; }
  if (op == TINY_OP_DEFINE) { count = 2; v[0] = test_below(3); v[1] = test_below(1000); }
  if (op == TINY_OP_CONST && tn_is_float(dtype) && test_below(2)) k = tn_dtype_value(dtype, (test_below(2000) - 1000) / 7.0);
  if (op == TINY_OP_PERMUTE) { count = src[0]->ndim; for (int i = 0; i < count; i++) v[i] = count - 1 - i; }
  if (op == TINY_OP_PAD) { count = 2 * src[0]->ndim; for (int i = 0; i < count && i < 16; i++) v[i] = test_below(3); }
  if (count > 16 || tn_args_fit(op, many, src, k, count, v)) return NULL;
  tiny_uop *u = tn_uop_make(t, op, dtype, lanes, many, src, k, count, v);
  if (u != &t->ir->bad) return u;
  t->code = TINY_OK;                       // too many elements
  return NULL;
}

// Nodes over SHARDs are what the parts give, and SHARDs again: none of them is printed.
static tiny_uop *over_shards(tiny_ctx *t, const tiny_uop *u) { (void)u; return &t->ir->bad; }

static void test_round_trips(void) {
  tiny_ctx ctx, *t = test_ctx(&ctx);
  t->ir->over_shards = over_shards;
  static tiny_uop *pool[400];
  static char text[1 << 20];
  int wrong = 0, tried = 0, ops = 0;
  uint8_t seen[TINY_OP_COUNT] = {0};
  for (int round = 0; round < 30; round++) {
    int n = 1;
    pool[0] = tn_index(t, round);
    for (int i = 0; i < 4000 && n < 400; i++) {
      tiny_uop *u = test_node(t, pool, n);
      if (!u) continue;
      seen[u->op] = 1;
      pool[n++] = u;
    }
    for (int i = 0; i < n; i++) {
      const size_t length = tiny_uop_print(t, pool[i], text, sizeof text);
      if (length >= sizeof text) continue;
      tried++;
      if (tiny_uop_parse(t, text) == pool[i]) continue;
      if (!wrong++) fprintf(stderr, "    %s\n    %s\n", text, t->message);
      t->code = TINY_OK;
    }
  }
  for (int i = 0; i < TINY_OP_COUNT; i++) {
    ops += seen[i];
    if (!seen[i]) fprintf(stderr, "    no %s\n", tiny_op_name(i));
  }
  CHECK_EQ(wrong, 0);
  CHECK_EQ(ops, TINY_OP_COUNT);
  CHECK(tried > 5000);
  test_close(t);
}

// A program's lines parse back to its nodes in their order.
static tiny_code test_list_guarded(tiny_ctx *t, void *arg) {
  tn_list list = {NULL, 0, 0}, again = {NULL, 0, 0};
  tiny_bytes out = {t, NULL, 0, 0};
  (void)arg;
  CHECK(tn_parse(t, "p = (PARAM:f32:0 8) r = (RANGE:1:loop 8) i = (INDEX p r) s = (STORE i 1.0:f32) q = (RANGE:2:reduce 4) s2 = (STORE i (CAST:f32 q)) e = (END s2 q) (END e r)", &list) != NULL);
  tn_print_list(t, list.u, list.n, &out);
  CHECK_STR(out.data, "%0   = (PARAM:f32:0 8)\n%2   = (RANGE:1:loop 8)\n%3   =   (INDEX:f32 %0 %2)\n%5   =   (STORE %3 1.0:f32)\n%7   =   (RANGE:2:reduce 4)\n"
    "%8   =     (CAST:f32 %7)\n%9   =     (STORE %3 %8)\n%10  =   (END %9 %7)\n%11  = (END %10 %2)\n");
  CHECK(tn_parse(t, out.data, &again) == list.u[list.n - 1]);
  CHECK_EQ(again.n, list.n);
  for (int i = 0; i < list.n && i < again.n; i++) CHECK(again.u[i] == list.u[i]);
  out.n = 0;
  tn_print_list(t, list.u + 5, 1, &out);
  CHECK_STR(out.data, "%0   = (STORE %missing_INDEX 1.0:f32)\n");
  return TINY_OK;
}

static void test_mutations(void) {
  static const char *const seeds[] = {
    "i = (RANGE:3:reduce 1024) p = (PARAM:f32:1 1024) (REDUCE:f32:ADD (MUL (LOAD (INDEX p i)) (LOAD (INDEX p i))) i)",
    "x = (RESHAPE (BUFFER:f32:#3 12) [3 4]) (REDUCE:f32:MAX:axes=0,1 (PAD (PERMUTE x [1 0]) [1 1 0 2]))",
    "(SINK (END (STORE (INDEX (DEFINE:f16x4:3:local 64) (SPECIAL:item0 16)) (CONST:f16x4 -1.5e-3)) (RANGE:9:loop 4)))",
    "(WHERE (LT (ARG:i32:0 0 9) 4:i32) (FLIP:i32:axes=0 (IOTA:i32:4)) 0x12:f64)",
  };
  static const char alphabet[] = "()[]:=%# \n-.0123456789exkADLOSTRNf32i84ul,";
  tiny_ctx ctx, *t = test_ctx(&ctx);
  char text[256], printed[4096];
  int harm = 0;
  const unsigned long long from = test_from(1);
  const int rounds = test_rounds(40000);
  for (int round = 0; round < rounds; round++) {
    test_seed = (from + (unsigned long long)round) * 0x9E3779B97F4A7C15u;
    snprintf(text, sizeof text, "%s", seeds[test_below(4)]);
    for (int changes = 1 + test_below(4); changes--;) {
      const size_t n = strlen(text), at = (size_t)test_below((int)n + 1);
      if (test_below(3) == 0 && at < n) memmove(text + at, text + at + 1, n - at);
      else if (test_below(2) && n + 2 < sizeof text) { memmove(text + at + 1, text + at, n - at + 1); text[at] = alphabet[test_below((int)sizeof alphabet - 1)]; }
      else if (at < n) text[at] = test_below(8) ? alphabet[test_below((int)sizeof alphabet - 1)] : (char)(1 + test_below(255));
    }
    tiny_uop *u = tiny_uop_parse(t, text);
    int wrong = !u != (t->code == TINY_E_ARG);
    if (u && tiny_uop_print(t, u, printed, sizeof printed) < sizeof printed) wrong |= tiny_uop_parse(t, printed) != u;
    t->code = TINY_OK;
    if (wrong && !harm++) {
      fprintf(stderr, "    %s\n", text);
      case_seeded(from + (unsigned long long)round, "TEST_FROM=%llu TEST_ROUNDS=1");
      CHECK(!"what is read is printed so that it is read again");
      case_end();
    }
  }
  CHECK_EQ(harm, 0);
  test_close(t);
}

int main(void) {
  tiny_ctx ctx, *t = test_ctx(&ctx);
  if (!t) return 1;
  test_forms(t);
  test_api(t);
  test_errors(t);
  test_deep(t);
  tn_guard(t, test_list_guarded, NULL);
  test_close(t);
  test_round_trips();
  test_mutations();
  return test_report();
}
