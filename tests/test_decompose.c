// Every decomposition against tn_alu: the node as it is and what becomes of it have the same value, on all values of narrow
// dtypes and on edges and random values of wide ones, for languages that have more ops, or fewer.
#include "../src/rules/transcendental.c"
#include "../src/rules/decompose.c"
#include "../src/render/lang_c.c"
#include "../src/ir/eval.c"
#include "test.h"

static tiny_ctx *t;
static tiny_renderer lang;
static tiny_limits limits;
static tn_target target = {&lang, &limits};

static uint64_t seed = 1;
static uint64_t next(void) { return seed = tn_hash_mix(seed, 7); }

// ** expressions, evaluated fast: the nodes once in order, then values **

enum { MAX_NODES = 4096 };
typedef struct program { tiny_uop *node[MAX_NODES]; int src[MAX_NODES][4], n; int64_t value[MAX_NODES]; } program;
static program before, after;

static int arg_dtype[4];
static tiny_uop *arg(int dtype, int k) { arg_dtype[k] = dtype; return tn_uop_make(t, TINY_OP_ARG, dtype, 1, 0, NULL, k, 0, NULL); }
static tiny_uop *bounded(int dtype, int k, int64_t low, int64_t high) {
  const int64_t v[2] = {low, high};
  arg_dtype[k] = dtype;
  return tn_uop_make(t, TINY_OP_ARG, dtype, 1, 0, NULL, k, 2, v);
}

typedef struct call { tiny_uop *u; program *p; int decompose; } call;
static tiny_code prepare_guarded(tiny_ctx *c, void *p) {
  call *a = (call *)p;
  if (a->decompose) a->u = tn_decompose(c, a->u, &target);
  tn_list all = {NULL, 0, 0};
  tn_toposort(c, a->u, &all);
  a->p->n = all.n < MAX_NODES ? all.n : 0;
  for (int i = 0; i < a->p->n; i++) {
    a->p->node[i] = all.u[i];
    for (uint32_t j = 0; j < all.u[i]->nsrc && j < 4; j++) for (int k = 0; k < i; k++) if (all.u[k] == all.u[i]->src[j]) a->p->src[i][j] = k;
  }
  return TINY_OK;
}

static void legal(const tiny_uop *u) {
  const int memory = u->op == TINY_OP_INDEX || u->op == TINY_OP_PARAM;
  int ok = u->op == TINY_OP_CONST || u->op == TINY_OP_ARG || !tn_op_is(u->op, TINY_ALU) || lang.ops[u->op];
  if (u->dtype == TINY_INDEX || ((u->op == TINY_OP_CAST || u->op == TINY_OP_BITCAST || memory) && u->dtype == TINY_BOOL)) ok = 0;
  const int casts = (u->op == TINY_OP_CAST || u->op == TINY_OP_BITCAST) && (lang.casts >> u->dtype & 1);
  if (tn_is_narrow(u->dtype) && !(lang.dtypes >> u->dtype & 1) && u->op != TINY_OP_ARG && !casts) ok = 0;
  for (uint32_t i = 0; i < u->nsrc; i++) if (tn_op_is(u->op, TINY_ALU) && u->src[i]->lanes != u->lanes && !(u->op == TINY_OP_WHERE && i == 0)) ok = 0;
  if (!ok) fprintf(stderr, "not in the language: %s of %s\n", tiny_op_name(u->op), tn_dtypes[u->dtype].name);
  CHECK(ok);
}

static int turn;                           // the languages, one after the other
static int wanted;                         // a case for each expression
static void prepare(tiny_uop *u) {
  const tiny_uop *x = u->nsrc ? u->src[0] : u, *k = u->nsrc > 1 ? u->src[1] : u;
  char by[32] = "";
  if (k->op == TINY_OP_CONST) snprintf(by, sizeof by, " by %lld", (long long)k->k);
  wanted = case_named("%s %s of %s%s, turn %d", tn_dtypes[u->dtype].name, tiny_op_name(u->op), tn_dtypes[x->dtype].name, by, turn);
  call a = {u, &before, 0}, b = {u, &after, 1};
  tn_guard(t, prepare_guarded, &a);
  tn_guard(t, prepare_guarded, &b);
  CHECK(t->code == TINY_OK && before.n && after.n);
  if (t->code) fprintf(stderr, "%s\n", t->message);
  for (int i = 0; i < after.n; i++) if (i < after.n - 1 || (after.node[i]->op != TINY_OP_CAST && after.node[i]->op != TINY_OP_BITCAST)) legal(after.node[i]);
}

static int64_t value_of(program *p, const int64_t *vars) {
  for (int i = 0; i < p->n; i++) {
    const tiny_uop *u = p->node[i];
    int64_t v[4] = {0, 0, 0, 0};
    for (uint32_t j = 0; j < u->nsrc && j < 4; j++) v[j] = p->value[p->src[i][j]];
    if (u->op == TINY_OP_CONST) p->value[i] = u->k;
    else if (u->op == TINY_OP_ARG) {       // where f16 is not even stored, its bits come in a u16
      const int d = arg_dtype[u->k];
      p->value[i] = d != u->dtype && tn_is_float(d) ? tn_dtype_pack(d, tn_to_f64(vars[u->k])) : vars[u->k];
    }
    else {
      // what would trap or be undefined in C is a mistake of the decomposition
      if (p == &after && (u->op == TINY_OP_CDIV || u->op == TINY_OP_CMOD)) {
        if (v[1] == 0 || (v[1] == -1 && tn_is_signed(u->dtype) && v[0] == tn_dtype_min(u->dtype))) return 0x5A5A5A5A5A5A5A5A;
      }
      if (p == &after && (u->op == TINY_OP_SHL || u->op == TINY_OP_SHR) && (uint64_t)v[1] >= (uint64_t)tn_bits(u->dtype)) return 0x5A5A5A5A5A5A5A5B;
      if (p == &after && u->op == TINY_OP_CAST && tn_is_float(u->src[0]->dtype) && !tn_is_float(u->dtype)) {
        const double x = tn_to_f64(v[0]), top = ldexp(1, tn_bits(u->dtype) - tn_is_signed(u->dtype));
        if (!(x < top && x > (tn_is_signed(u->dtype) ? -top - 1 : -1))) return 0x5A5A5A5A5A5A5A5C;
      }
      p->value[i] = tn_alu(u->op, u->dtype, u->src[0]->dtype, u->k, v, (int)u->nsrc);
    }
  }
  return p->value[p->n - 1];
}

static int same(int dtype, int64_t a, int64_t b) {
  if (!tn_is_float(dtype)) return a == b;
  const double x = tn_to_f64(a), y = tn_to_f64(b);
  return x == y || (x != x && y != y);
}
static void compare(int64_t x, int64_t y, int64_t z, int64_t w) {
  const int64_t vars[4] = {x, y, z, w};
  if (!wanted) return;
  const int64_t a = value_of(&before, vars), b = value_of(&after, vars);
  const tiny_uop *root = before.node[before.n - 1];
  const int ok = same(root->dtype, a, b);
  CHECK(ok);
  if (!ok && test_shown()) fprintf(stderr, "    (%lld %lld): want %lld, got %lld (%a %a)\n",
    (long long)x, (long long)y, (long long)a, (long long)b, tn_to_f64(a), tn_to_f64(b));
}

// Edges and random values of a dtype.
static int64_t sample(int dtype, int i) {
  static const double floats[] = {0, -0.0, 1, -1, 0.5, -0.5, 2.5, -2.5, 1e-40, 65504, 65520, 65536, -65520, 1e10, -1e10, 2147483647, 2147483648.0, -2147483648.0, -2147483649.0, 4294967295.0,
    4294967296.0, 9.2e18, 9.3e18, 1.8e19, 1.9e19, -9.3e18, 1e300, 127.9, 128, -128.9, -129, 255.5, 256, 3e38, 8388607.5, 8388608, 4503599627370497.5, HUGE_VAL, -HUGE_VAL, (double)NAN};
  if (dtype == TINY_BOOL) return i & 1;
  if (tn_is_float(dtype)) {
    const int n = sizeof floats / sizeof *floats;
    double x = i < n ? floats[i] : (double)(int64_t)next() * ldexp(1, (int)(next() % 90) - 100);
    return tn_dtype_value(dtype, x);
  }
  if (i < 16) return tn_dtype_wrap(dtype, (int64_t)((uint64_t)tn_dtype_min(dtype) + (uint64_t)(i - 4)));
  if (i < 32) return tn_dtype_wrap(dtype, i - 24);
  if (i < 40) return tn_dtype_wrap(dtype, (int64_t)((uint64_t)tn_dtype_max(dtype) - (uint64_t)(i - 32)));
  return tn_dtype_wrap(dtype, (int64_t)next() >> (next() & 63));
}

static void all_pairs(tiny_uop *u, int a, int b, int n) {
  prepare(u);
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) compare(sample(a, i), sample(b, j), sample(a, i + j), sample(b, i));
}

static void ops(void) {
  turn++;
  static const int binary[] = {TINY_OP_ADD, TINY_OP_MUL, TINY_OP_SUB, TINY_OP_MAX, TINY_OP_IDIV, TINY_OP_MOD, TINY_OP_CDIV, TINY_OP_CMOD, TINY_OP_LT, TINY_OP_NE, TINY_OP_EQ,
    TINY_OP_AND, TINY_OP_OR, TINY_OP_XOR, TINY_OP_SHL, TINY_OP_SHR, TINY_OP_FDIV};
  for (int d = TINY_BOOL; d <= TINY_F64; d++) for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
    const int op = binary[i];
    const int bitwise = op >= TINY_OP_AND && op <= TINY_OP_SHR, divides = op >= TINY_OP_IDIV && op <= TINY_OP_CMOD;
    if (tn_is_float(d) ? bitwise || divides : op == TINY_OP_FDIV) continue;
    if (d == TINY_BOOL && (divides || op == TINY_OP_SUB || op == TINY_OP_SHL || op == TINY_OP_SHR)) continue;
    all_pairs(tn_u2(t, op, arg(d, 0), arg(d, 1)), d, d, d == TINY_BOOL ? 2 : 72);
  }
  for (int d = TINY_BOOL; d <= TINY_F64; d++) {
    all_pairs(tn_u3(t, TINY_OP_WHERE, tn_u2(t, TINY_OP_LT, arg(d, 0), arg(d, 1)), arg(d, 2), arg(d, 3)), d, d, d == TINY_BOOL ? 2 : 40);
    if (d != TINY_BOOL) all_pairs(tn_u1(t, TINY_OP_NEG, arg(d, 0)), d, d, 40);
    if (d != TINY_BOOL) all_pairs(tn_u1(t, TINY_OP_TRUNC, arg(d, 0)), d, d, 60);
    if (tn_is_float(d)) all_pairs(tn_u1(t, TINY_OP_SQRT, arg(d, 0)), d, d, 60);
    if (tn_is_float(d)) all_pairs(tn_u2(t, TINY_OP_MAX, arg(d, 0), tn_number(t, d, 0.5)), d, d, 60);
  }
  tiny_uop *src[4] = {arg(TINY_U32, 0), arg(TINY_U32, 1), arg(TINY_U32, 2), arg(TINY_U32, 3)};
  for (int k = 0; k < 2; k++) all_pairs(tn_uop_make(t, TINY_OP_THREEFRY, TINY_U32, 1, 4, src, k, 0, NULL), TINY_U32, TINY_U32, 30);
}

static void casts(void) {
  for (int from = TINY_BOOL; from <= TINY_F64; from++) for (int to = TINY_BOOL; to <= TINY_F64; to++) {
    if (from == to) continue;
    prepare(tn_cast(t, arg(from, 0), to));
    for (int i = 0; i < 3000; i++) compare(sample(from, i), 0, 0, 0);
  }
}

// Division by constants: all values of 8 and 16 bits, edges and random values of 32 and 64; plain and with bounds.
static void constants(void) {
  static const int div[] = {TINY_OP_IDIV, TINY_OP_MOD, TINY_OP_CDIV, TINY_OP_CMOD};
  static const int64_t wide[] = {2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 19, 25, 28, 60, 64, 100, 125, 127, 128, 641, 1000, 1023, 1024, 10000, 65535, 65536, 65537, 1000003,
    16777216, 715827883, 1073741824, 2147483647, 2147483648ll, 2147483649ll, 4294967295ll, -1, -2, -3, -7, -10, -128, -1000, -65536, -1000003, -2147483647};
  for (int d = TINY_I8; d <= TINY_U64; d++) for (int o = 0; o < 4; o++) {
    const int bits = tn_bits(d);
    const int nconst = bits == 8 ? 256 : (int)(sizeof wide / sizeof *wide);
    for (int i = 0; i < nconst; i++) {
      const int64_t c = bits == 8 ? tn_dtype_wrap(d, i) : wide[i];
      if (tn_dtype_wrap(d, c) != c) continue;
      prepare(tn_u2(t, div[o], arg(d, 0), tn_int(t, d, c)));
      if (bits == 8) for (int x = 0; x < 256; x++) compare(tn_dtype_wrap(d, x), 0, 0, 0);
      else if (bits == 16) for (int x = 0; x < 65536; x += 1 + (o & 1) * 2) compare(tn_dtype_wrap(d, x), 0, 0, 0);
      else for (int x = 0; x < 400; x++) {
        const int64_t v = sample(d, x), near_c = (int64_t)((uint64_t)c * (uint64_t)(v / (c == 0 || c == -1 ? 1 : c)));
        compare(v, 0, 0, 0);
        compare(tn_dtype_wrap(d, near_c), 0, 0, 0);
        compare(tn_dtype_wrap(d, (int64_t)((uint64_t)near_c - 1)), 0, 0, 0);
      }
      if (bits < 16) continue;
      for (int b = 0; b < 2; b++) {
        const int64_t top = bits == 16 ? 30000 : (b ? 5000 : tn_dtype_max(TINY_I32)), low = b == 0 || tn_is_unsigned(d) ? 0 : -5000;
        if (d == TINY_U64) continue;
        prepare(tn_u2(t, div[o], bounded(d, 0, low, top), tn_int(t, d, c)));
        for (int x = 0; x < 200; x++) compare(low + (int64_t)(next() % (uint64_t)(top - low + 1)), 0, 0, 0);
        compare(top, 0, 0, 0); compare(low, 0, 0, 0);
      }
    }
  }
}

// ** narrow floats: all codes, and all the borders between them **

// The border between a code and the next, with the f32 and f64 on both sides of it.
static void borders(int d, int from) {
  const int codes = 1 << tn_bits(d), after = tn_bits(d) == 8 ? TINY_U8 : TINY_U16;
  tiny_uop *x = tn_cast(t, arg(from, 0), d);
  prepare(tn_uop_make(t, TINY_OP_BITCAST, after, 1, 1, &x, 0, 0, NULL));
  for (int code = 0; code < codes; code++) {
    const double a = tn_dtype_unpack(d, (uint16_t)code), b = tn_dtype_unpack(d, (uint16_t)(code + 1));
    compare(tn_from_f64(a), 0, 0, 0);
    if (a != a || fabs(a) == HUGE_VAL) continue;
    const double step = fabs(b) < HUGE_VAL ? b - a : a - tn_dtype_unpack(d, (uint16_t)(code - 1)), border = a + step / 2;
    compare(tn_from_f64(tn_dtype_round(from, border)), 0, 0, 0);
    compare(tn_from_f64(from == TINY_F32 ? nextafterf((float)border, 0) : nextafter(border, 0)), 0, 0, 0);
    compare(tn_from_f64(from == TINY_F32 ? nextafterf((float)border, HUGE_VALF) : nextafter(border, HUGE_VAL)), 0, 0, 0);
  }
}
static void narrow(void) {
  for (int d = TINY_F8E4M3; d <= TINY_BF16; d++) {
    const int code_dtype = tn_bits(d) == 8 ? TINY_U8 : TINY_U16;
    tiny_uop *code = arg(code_dtype, 0);
    prepare(tn_cast(t, tn_uop_make(t, TINY_OP_BITCAST, d, 1, 1, &code, 0, 0, NULL), TINY_F32));
    if (lang.casts >> d & 1) CHECK_EQ(after.n, 3);           // the code, as a float, as f32
    for (int i = 0; i < 1 << tn_bits(d); i++) compare(i, 0, 0, 0);
    for (int from = TINY_F32; from <= TINY_F64; from++) borders(d, from);
    if (tn_bits(d) != 8) continue;         // every operation on every pair
    static const int ops[] = {TINY_OP_ADD, TINY_OP_MUL, TINY_OP_FDIV, TINY_OP_MAX, TINY_OP_LT};
    for (int i = 0; i < 5; i++) {
      prepare(tn_u2(t, ops[i], arg(d, 0), arg(d, 1)));
      for (int x = 0; x < 65536; x++)
        compare(tn_from_f64(tn_dtype_unpack(d, (uint16_t)(x & 255))), tn_from_f64(tn_dtype_unpack(d, (uint16_t)(x >> 8))), 0, 0);
    }
  }
}

// ** structure: memory, vectors, index widths **

static tiny_uop *node2(int op, int dtype, int lanes, tiny_uop *a, tiny_uop *b) { tiny_uop *s[2] = {a, b}; return tn_uop_make(t, op, dtype, lanes, b ? 2 : 1, s, 0, 0, NULL); }
static tiny_uop *index_lowered(tiny_ctx *c, tiny_uop *u) {
  tn_decomposing d;
  memset(&d, 0, sizeof d);
  d.target = &target;
  return tn_lower_index(c, u, &d);
}
static tiny_code structure_guarded(tiny_ctx *c, void *arg_) {
  (void)arg_;
  for (int d = TINY_BOOL; d <= TINY_F64; d++) {
    const int64_t n = 64;
    tiny_uop *in = tn_uop_make(c, TINY_OP_PARAM, d, 1, 0, NULL, 1, 1, &n), *out = tn_uop_make(c, TINY_OP_PARAM, d, 1, 0, NULL, 0, 1, &n);
    tiny_uop *x = node2(TINY_OP_LOAD, d, 16, node2(TINY_OP_INDEX, d, 1, in, tn_index(c, 16)), NULL);
    tiny_uop *y = tn_u2(c, TINY_OP_MUL, tn_u2(c, TINY_OP_MAX, x, tn_number(c, d, 1)), x);
    tiny_uop *store = node2(TINY_OP_STORE, TINY_VOID, 1, node2(TINY_OP_INDEX, d, 1, out, tn_index(c, 0)), y);
    tn_list all = {NULL, 0, 0};
    tn_toposort(c, tn_decompose(c, tn_uop_make(c, TINY_OP_SINK, TINY_VOID, 1, 1, &store, 0, 0, NULL), &target), &all);
    for (int i = 0; i < all.n; i++) legal(all.u[i]);
    const int stored = d == TINY_BOOL ? (int)TINY_U8 : !tn_is_narrow(d) ? d : tn_bits(d) == 8 ? (int)TINY_U8 : (int)TINY_U16;
    int loads = 0;
    for (int i = 0; i < all.n; i++) if (all.u[i]->op == TINY_OP_LOAD) { loads++; CHECK_EQ(all.u[i]->dtype, stored); CHECK_EQ(all.u[i]->lanes, 16); }
    for (int i = 0; i < all.n; i++) if (all.u[i]->op == TINY_OP_STORE) CHECK_EQ(all.u[i]->src[1]->dtype, stored);
    CHECK_EQ(loads, 1);
  }
  // i * 65536 + j stays in 32 bits up to i = 32767, not beyond
  for (int big = 0; big < 2; big++) {
    tiny_uop *i = tn_range(c, big ? 32769 : 32767, TN_LOOP), *j = tn_range(c, 65536, TN_LOOP);
    tiny_uop *e = tn_u2(c, TINY_OP_ADD, tn_u2(c, TINY_OP_MUL, i, tn_index(c, 65536)), j), *low = index_lowered(c, e);
    CHECK_EQ(low->dtype, big ? TINY_I64 : TINY_I32);
    tiny_uop *small = index_lowered(c, tn_u2(c, TINY_OP_LT, tn_u2(c, TINY_OP_MOD, e, tn_index(c, 7)), tn_index(c, 3)));
    CHECK_EQ(small->dtype, TINY_BOOL);
    CHECK_EQ(small->src[0]->dtype, small->src[1]->dtype);
    CHECK_EQ(index_lowered(c, tn_cast(c, e, TINY_I64))->dtype, TINY_I64);
  }
  return TINY_OK;
}

// Floats that are bits are between a BITCAST and a CAST to or from f32, or the list is refused.
static tiny_code casts_guarded(tiny_ctx *c, void *arg_) {
  (void)arg_;
  tiny_uop *bits = arg(TINY_U16, 0), *whole = arg(TINY_I32, 1), *x = arg(TINY_F32, 2);
  tiny_uop *half = tn_uop_make(c, TINY_OP_BITCAST, TINY_F16, 1, 1, &bits, 0, 0, NULL), *packed = tn_cast(c, x, TINY_F16);
  tiny_uop *const well[] = {half, packed, tn_cast(c, half, TINY_F32), tn_cast(c, packed, TINY_F32),
                            tn_uop_make(c, TINY_OP_BITCAST, TINY_I16, 1, 1, &packed, 0, 0, NULL)};
  for (int i = 0; i < 5; i++) CHECK_EQ(tn_target_check(c, &lang, &well[i], 1), TINY_OK);
  tiny_uop *const wrong[] = {tn_cast(c, whole, TINY_F16), tn_cast(c, half, TINY_F64), tn_cast(c, half, TINY_I32), node2(TINY_OP_LT, TINY_BOOL, 1, half, packed),
                             node2(TINY_OP_ADD, TINY_F16, 1, half, half), arg(TINY_F16, 3), tn_cast(c, x, TINY_BF16)};
  for (int i = 0; i < 7; i++) {
    CHECK_EQ(tn_target_check(c, &lang, &wrong[i], 1), TINY_E_COMPILE);
    CHECK(!strcmp(c->message, i < 6 ? "C has no f16" : "C has no bf16"));
    c->code = TINY_OK; c->message[0] = 0;
  }
  return TINY_OK;
}

// Floor and truncating division of floats, where quotient times divisor is exact.
static void float_division(void) {
  for (int d = TINY_F8E4M3; d <= TINY_F64; d++) for (int op = TINY_OP_IDIV; op <= TINY_OP_CMOD; op++) {
    prepare(tn_u2(t, op, arg(d, 0), arg(d, 1)));
    for (int i = -20; i <= 20; i++) for (int j = -12; j <= 12; j++)
      if (j && tn_dtype_round(d, i * 0.25) == i * 0.25 && tn_dtype_round(d, j * 0.25) == j * 0.25) compare(tn_from_f64(i * 0.25), tn_from_f64(j * 0.25), 0, 0);
  }
}

// e^x and cos x in a language that has 2^x and sin; nothing is left of k.
static void siblings(void) {
  lang.ops[TINY_OP_EXP2] = lang.ops[TINY_OP_SIN] = TINY_ON_ELEMENTS;
  for (int d = TINY_F8E4M3; d <= TINY_F64; d++) for (int i = 0; i < 2; i++) {
    tiny_uop *x = arg(d, 0);
    prepare(tn_uop_make(t, i ? TINY_OP_EXP2 : TINY_OP_SIN, d, 1, 1, &x, 1, 0, NULL));
    for (int j = 0; j < after.n; j++) if (after.node[j]->op == TINY_OP_EXP2 || after.node[j]->op == TINY_OP_SIN) CHECK_EQ(after.node[j]->k, 0);
    for (int j = -8; j <= 8; j++) {
      const int64_t v = tn_from_f64(j * 0.25);
      const double want = tn_to_f64(value_of(&before, &v)), got = tn_to_f64(value_of(&after, &v));
      CHECK(fabs(got - want) <= 3 * ldexp(fabs(want), -tn_dtypes[d].mantissa) + 2 * ldexp(1, -tn_dtypes[d].mantissa) * !i);
    }
  }
  lang.ops[TINY_OP_EXP2] = lang.ops[TINY_OP_SIN] = 0;
}

static void run(void) {
  ops();
  casts();
  constants();
  float_division();
}

int main(void) {
  t = (tiny_ctx *)calloc(1, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  tn_ir_open(t);
  tn_match_open(t);
  tn_lang_c(&lang);
  tn_target_of_language(&lang);
  run();
  narrow();
  case_end();
  tn_guard(t, structure_guarded, NULL);
  siblings();
  turn++;
  lang.flags = 0;                          // divisions by constants are our own
  constants();
  lang.flags = TINY_TARGET_PREFERS_SHIFTS;   // and a poorer language
  lang.ops[TINY_OP_CMOD] = lang.ops[TINY_OP_NEG] = lang.ops[TINY_OP_SUB] = lang.ops[TINY_OP_EQ] = lang.ops[TINY_OP_TRUNC] = 0;
  ops();
  casts();
  tn_lang_c(&lang);                        // f16 is bits, which it casts
  tn_lang_c_f16(&lang);
  tn_target_of_language(&lang);
  tn_guard(t, casts_guarded, NULL);
  narrow();
  run();
  case_end();
  tn_guard(t, structure_guarded, NULL);
  turn++;
  tn_lang_c(&lang);                        // f16 is stored, but not computed with
  lang.language.types[TINY_F16] = "half"; lang.language.types[TINY_BF16] = "bfloat"; lang.language.types[TINY_F8E4M3] = "float8";
  tn_target_of_language(&lang);
  limits.dtypes = ~((uint64_t)1 << TINY_F16 | (uint64_t)1 << TINY_BF16 | (uint64_t)1 << TINY_F8E4M3);
  ops();
  case_end();
  CHECK(t->code == TINY_OK);
  if (t->code) fprintf(stderr, "%s\n", t->message);
  tn_match_close(t);
  tn_ir_close(t);
  tn_scratch_reset(t, 1);
  free(t);
  return test_report();
}
