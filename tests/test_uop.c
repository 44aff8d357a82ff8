// test_uop: one node for one meaning; hashes that know no addresses; bounds that hold; promotion as PyTorch's; collection.
#include "test.h"
#include "../src/ir/spec.c"
#include "../src/ir/eval.c"

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
static tiny_uop *test_arg(tiny_ctx *t, int dtype, int id) { return tn_uop_make(t, TINY_OP_ARG, dtype, 1, 0, NULL, id, 0, NULL); }

static void test_identity(tiny_ctx *t) {
  tiny_uop *x = test_arg(t, TINY_I32, 0), *y = test_arg(t, TINY_I32, 1), *four = tn_int(t, TINY_I32, 4);
  CHECK(x == test_arg(t, TINY_I32, 0) && x != y && x != test_arg(t, TINY_I64, 0));
  CHECK(tn_u2(t, TINY_OP_ADD, x, y) == tn_u2(t, TINY_OP_ADD, y, x));
  CHECK(tn_u2(t, TINY_OP_SUB, x, y) != tn_u2(t, TINY_OP_SUB, y, x));
  CHECK(tn_u2(t, TINY_OP_MUL, four, x)->src[1] == four);                    // constants last
  CHECK(tn_number(t, TINY_F32, 0.0) != tn_number(t, TINY_F32, -0.0));
  CHECK(tn_number(t, TINY_F32, (double)NAN) == tn_number(t, TINY_F32, -(double)NAN));
  CHECK(tn_number(t, TINY_F32, 0.1) != tn_number(t, TINY_F64, 0.1));
  CHECK(tn_int(t, TINY_U8, 300) == tn_int(t, TINY_U8, 44));
  CHECK(tn_cast(t, x, TINY_I32) == x);
  CHECK(tn_range(t, 4, TN_LOOP) != tn_range(t, 4, TN_LOOP));
  CHECK(tn_u2(t, TINY_OP_ADD, x, NULL) == &t->ir->bad && tn_u2(t, TINY_OP_ADD, x, &t->ir->bad) == &t->ir->bad);
  CHECK(tiny_uop_new(t, 9999, TINY_I32, NULL, 0, 0, NULL, 0) == NULL && t->code == TINY_E_ARG);
  t->code = TINY_OK;
  CHECK(tiny_uop_new(t, TINY_OP_ADD, TINY_I32, &x, 1, 0, NULL, 0) == NULL && t->code == TINY_E_ARG);
  t->code = TINY_OK;
  tiny_uop *xy[2] = {x, y};
  CHECK(tiny_uop_new(t, TINY_OP_ADD, TINY_I32, xy, 2, 0, NULL, 0) == tn_u2(t, TINY_OP_ADD, x, y));
  CHECK(tn_uop_with(t, tn_u2(t, TINY_OP_SUB, x, x), xy) == tn_u2(t, TINY_OP_SUB, x, y));
}

static void test_shapes(tiny_ctx *t) {
  static const struct { const char *text; int ndim; int64_t dim[3]; } row[] = {
    {"(BUFFER:f32:#1 24)", 1, {24}}, {"(RESHAPE (BUFFER:f32:#1 24) [2 3 4])", 3, {2, 3, 4}}, {"(PERMUTE (RESHAPE (BUFFER:f32:#1 24) [2 3 4]) [2 0 1])", 3, {4, 2, 3}},
    {"(PAD (BUFFER:f32:#1 24) [1 2])", 1, {27}}, {"(SHRINK (BUFFER:f32:#1 24) [3 7])", 1, {4}}, {"(REDUCE:f32:ADD:axes=0,2 (RESHAPE (BUFFER:f32:#1 24) [2 3 4]))", 3, {1, 3, 1}},
    {"(MUL (BUFFER:f32:#1 24) 2.0:f32)", 1, {24}}, {"(MUL 2.0:f32 2.0:f32)", 0, {0}}, {"(IOTA:9)", 1, {9}}, {"(RESHAPE (SHRINK (BUFFER:f32:#1 24) [0 1]))", 0, {0}},
    {"(VIEW:f32:1 (BUFFER:f32:#1 24) [2 3 4 1])", 2, {2, 3}}, {"(LT (BUFFER:f32:#1 24) 1.0:f32)", 1, {24}},
  };
  for (int i = 0; i < (int)(sizeof row / sizeof *row); i++) {
    const tiny_uop *u = tiny_uop_parse(t, row[i].text);
    CHECK(u && u->ndim == row[i].ndim && (!u->ndim || !memcmp(u->dim, row[i].dim, u->ndim * sizeof *u->dim)));
  }
}

// The same graph, built in another order, among other nodes, at other addresses.
static uint64_t test_graph_hash(int noise) {
  tiny_ctx ctx, *t = test_ctx(&ctx);
  static const char *const parts[] = {"a = (BUFFER:f32:#%d 12) ", "b = (BUFFER:i32:#%d 12) "};
  char text[512];
  for (int i = 0; i < noise; i++) tn_int(t, TINY_I64, test_below(1 << 30));
  snprintf(text, sizeof text, parts[noise & 1], 100 + noise);
  snprintf(text + strlen(text), sizeof text - strlen(text), parts[!(noise & 1)], 7 + noise);
  strcat(text, noise & 1 ? "c = (CAST:f32 b) m = (MUL a c) (REDUCE:f32:ADD:axes=0 (ADD m (MAX c a)))" : "x = (MAX a (CAST:f32 b)) (REDUCE:f32:ADD:axes=0 (ADD x (MUL (CAST:f32 b) a)))");
  const tiny_uop *u = tiny_uop_parse(t, text);
  const uint64_t hash = u ? u->hash : (uint64_t)noise;
  CHECK(u != NULL);
  test_close(t);
  return hash;
}
static void test_hash(void) {
  const uint64_t hash = test_graph_hash(0);
  for (int noise = 1; noise < 40; noise++) CHECK(test_graph_hash(noise) == hash);
}

// No integer that an expression takes lies outside of the bounds of its node.
static tiny_uop *test_int_node(tiny_ctx *t, tiny_uop **pool, int n) {
  static const int ops[] = {TINY_OP_ADD, TINY_OP_SUB, TINY_OP_MUL, TINY_OP_IDIV, TINY_OP_MOD, TINY_OP_CDIV, TINY_OP_CMOD, TINY_OP_MAX, TINY_OP_LT, TINY_OP_NE, TINY_OP_EQ,
    TINY_OP_AND, TINY_OP_OR, TINY_OP_XOR, TINY_OP_SHL, TINY_OP_SHR, TINY_OP_WHERE, TINY_OP_CAST, TINY_OP_NEG, TINY_OP_CONST, TINY_OP_CONST, TINY_OP_ARG};
  static const int dtypes[] = {TINY_BOOL, TINY_I8, TINY_U8, TINY_I16, TINY_U16, TINY_I32, TINY_U32, TINY_I64, TINY_U64, TINY_INDEX};
  const int op = ops[test_below((int)(sizeof ops / sizeof *ops))], d = dtypes[test_below(10)];
  tiny_uop *a = pool[test_below(n)], *b = a, *c = a;
  if (op == TINY_OP_CONST) return tn_int(t, d, test_below(3) ? test_below(20) - 5 : (int64_t)test_random() >> (d == TINY_INDEX ? 50 : 20 + test_below(40)));
  if (op == TINY_OP_ARG) {
    const int64_t lo = tn_dtype_wrap(d, test_below(40) - 20), hi = tn_dtype_wrap(d, lo + test_below(50)), bounds[2] = {lo < hi ? lo : hi, lo < hi ? hi : lo};
    return tn_uop_make(t, TINY_OP_ARG, d, 1, 0, NULL, test_below(4), d == TINY_U64 ? 0 : 2, bounds);
  }
  if (op == TINY_OP_CAST) return tn_cast(t, a, d);
  for (int i = 0; i < 20 && (b == a || b->dtype != a->dtype); i++) b = pool[test_below(n)];
  if (b->dtype != a->dtype) return NULL;
  if (op == TINY_OP_NEG) return tn_u1(t, op, a);
  if (op == TINY_OP_WHERE) {
    for (int i = 0; i < 20 && c->dtype != TINY_BOOL; i++) c = pool[test_below(n)];
    return c->dtype == TINY_BOOL ? tn_u3(t, op, c, a, b) : NULL;
  }
  return tn_u2(t, op, a, b);
}

static void test_bounds(void) {
  int wrong = 0, checked = 0, tight = 0;
  for (int round = 0; round < 400; round++) {
    tiny_ctx ctx, *t = test_ctx(&ctx);
    tiny_uop *pool[60];
    int n = 2;
    pool[0] = tn_index(t, test_below(9)); pool[1] = tn_bool(t, 1);
    for (int i = 0; i < 400 && n < 60; i++) {
      tiny_uop *u = test_int_node(t, pool, n);
      if (u && u->dtype == TINY_INDEX && (u->vmin < -((int64_t)1 << 60) || u->vmax > (int64_t)1 << 60) && u->op != TINY_OP_CAST) u = NULL;   // INDEX does not overflow
      if (u && u->op == TINY_OP_CAST && u->dtype == TINY_INDEX && (u->vmin < -((int64_t)1 << 60) || u->vmax > (int64_t)1 << 60)) u = NULL;
      if (u) pool[n++] = u;
    }
    for (int i = 0; i < n; i++) for (int trial = 0; trial < 4; trial++) {
      int64_t vars[4] = {0, 0, 0, 0}, out = 0;
      tn_list all = {NULL, 0, 0};
      int fits = 1;
      for (int v = 0; v < 4; v++) vars[v] = test_below(60) - 25;
      tn_toposort(t, pool[i], &all);
      for (int j = 0; j < all.n; j++) if (all.u[j]->op == TINY_OP_ARG) {
        const tiny_uop *arg = all.u[j];
        if (vars[arg->k] < arg->vmin || vars[arg->k] > arg->vmax) vars[arg->k] = test_below(2) ? arg->vmin : arg->vmax;
      }
      for (int j = 0; j < all.n; j++) if (all.u[j]->op == TINY_OP_ARG) fits &= vars[all.u[j]->k] >= all.u[j]->vmin && vars[all.u[j]->k] <= all.u[j]->vmax;
      if (!fits) continue;
      CHECK_EQ(tiny_uop_eval(t, pool[i], vars, 4, &out), TINY_OK);
      checked++;
      tight += pool[i]->vmax < 500 && pool[i]->vmin > -500;
      if (pool[i]->dtype == TINY_U64 || (out >= pool[i]->vmin && out <= pool[i]->vmax)) continue;
      char text[2048];
      tiny_uop_print(t, pool[i], text, sizeof text);
      if (wrong++ < 5) fprintf(stderr, "    %s\n    = %lld, not in %lld .. %lld\n", text, (long long)out, (long long)pool[i]->vmin, (long long)pool[i]->vmax);
    }
    test_close(t);
  }
  CHECK_EQ(wrong, 0);
  CHECK(checked > 20000 && tight > 5000);
}

// torch.promote_types of PyTorch 2; where that has no answer (u16, u32 and u64 with signed types) the next wider signed type, or f32;
// fp8 with a float, which torch refuses, the wider one, or f16 of the two kinds.
static const tiny_dtype test_lattice[15][15] = {
  {TINY_BOOL, TINY_I8, TINY_U8, TINY_I16, TINY_U16, TINY_I32, TINY_U32, TINY_I64, TINY_U64, TINY_F8E4M3, TINY_F8E5M2, TINY_F16, TINY_BF16, TINY_F32, TINY_F64},
  {TINY_I8, TINY_I8, TINY_I16, TINY_I16, TINY_I32, TINY_I32, TINY_I64, TINY_I64, TINY_F32, TINY_F8E4M3, TINY_F8E5M2, TINY_F16, TINY_BF16, TINY_F32, TINY_F64},
  {TINY_U8, TINY_I16, TINY_U8, TINY_I16, TINY_U16, TINY_I32, TINY_U32, TINY_I64, TINY_U64, TINY_F8E4M3, TINY_F8E5M2, TINY_F16, TINY_BF16, TINY_F32, TINY_F64},
  {TINY_I16, TINY_I16, TINY_I16, TINY_I16, TINY_I32, TINY_I32, TINY_I64, TINY_I64, TINY_F32, TINY_F8E4M3, TINY_F8E5M2, TINY_F16, TINY_BF16, TINY_F32, TINY_F64},
  {TINY_U16, TINY_I32, TINY_U16, TINY_I32, TINY_U16, TINY_I32, TINY_U32, TINY_I64, TINY_U64, TINY_F8E4M3, TINY_F8E5M2, TINY_F16, TINY_BF16, TINY_F32, TINY_F64},
  {TINY_I32, TINY_I32, TINY_I32, TINY_I32, TINY_I32, TINY_I32, TINY_I64, TINY_I64, TINY_F32, TINY_F8E4M3, TINY_F8E5M2, TINY_F16, TINY_BF16, TINY_F32, TINY_F64},
  {TINY_U32, TINY_I64, TINY_U32, TINY_I64, TINY_U32, TINY_I64, TINY_U32, TINY_I64, TINY_U64, TINY_F8E4M3, TINY_F8E5M2, TINY_F16, TINY_BF16, TINY_F32, TINY_F64},
  {TINY_I64, TINY_I64, TINY_I64, TINY_I64, TINY_I64, TINY_I64, TINY_I64, TINY_I64, TINY_F32, TINY_F8E4M3, TINY_F8E5M2, TINY_F16, TINY_BF16, TINY_F32, TINY_F64},
  {TINY_U64, TINY_F32, TINY_U64, TINY_F32, TINY_U64, TINY_F32, TINY_U64, TINY_F32, TINY_U64, TINY_F8E4M3, TINY_F8E5M2, TINY_F16, TINY_BF16, TINY_F32, TINY_F64},
  {TINY_F8E4M3, TINY_F8E4M3, TINY_F8E4M3, TINY_F8E4M3, TINY_F8E4M3, TINY_F8E4M3, TINY_F8E4M3, TINY_F8E4M3, TINY_F8E4M3, TINY_F8E4M3, TINY_F16, TINY_F16, TINY_BF16, TINY_F32, TINY_F64},
  {TINY_F8E5M2, TINY_F8E5M2, TINY_F8E5M2, TINY_F8E5M2, TINY_F8E5M2, TINY_F8E5M2, TINY_F8E5M2, TINY_F8E5M2, TINY_F8E5M2, TINY_F16, TINY_F8E5M2, TINY_F16, TINY_BF16, TINY_F32, TINY_F64},
  {TINY_F16, TINY_F16, TINY_F16, TINY_F16, TINY_F16, TINY_F16, TINY_F16, TINY_F16, TINY_F16, TINY_F16, TINY_F16, TINY_F16, TINY_F32, TINY_F32, TINY_F64},
  {TINY_BF16, TINY_BF16, TINY_BF16, TINY_BF16, TINY_BF16, TINY_BF16, TINY_BF16, TINY_BF16, TINY_BF16, TINY_BF16, TINY_BF16, TINY_F32, TINY_BF16, TINY_F32, TINY_F64},
  {TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_F32, TINY_F64},
  {TINY_F64, TINY_F64, TINY_F64, TINY_F64, TINY_F64, TINY_F64, TINY_F64, TINY_F64, TINY_F64, TINY_F64, TINY_F64, TINY_F64, TINY_F64, TINY_F64, TINY_F64},
};
static void test_promotion(void) {
  for (int a = 0; a < 15; a++) for (int b = 0; b < 15; b++) CHECK_EQ(tiny_promote((tiny_dtype)(a + 1), (tiny_dtype)(b + 1)), test_lattice[a][b]);
  CHECK_STR(tiny_dtype_name(TINY_BF16), "bf16");
  CHECK_EQ(tiny_dtype_nbytes(TINY_I16), 2);
  CHECK_EQ(tiny_dtype_nbytes((tiny_dtype)99), 0);
}

// What is reached from a mark stays where it is, the rest goes, and can be made again; nothing is lost at the end.
static size_t test_live;
static void *test_alloc(void *user, void *p, size_t old_nbytes, size_t new_nbytes) {
  (void)user;
  test_live += new_nbytes - old_nbytes;
  return tn_default_alloc(NULL, p, old_nbytes, new_nbytes);
}
static int test_released;
static void test_release(tiny_ctx *t, tiny_uop *buffer) { (void)t; test_released += buffer->ptr != NULL; }

static tiny_code test_collect_guarded(tiny_ctx *t, void *arg) {
  tn_list stack = {NULL, 0, 0};
  t->ir->epoch++;
  tn_uop_mark(t, &stack, (tiny_uop *)arg);
  tn_uop_sweep(t);
  return TINY_OK;
}
static void test_collection(void) {
  tiny_ctx ctx, *t = test_ctx(&ctx);
  test_close(t);
  memset(t, 0, sizeof *t);
  t->alloc.fn = test_alloc;
  test_live = 0;
  if (!tn_ir_open(t)) return;
  t->ir->release = test_release;
  const int64_t nelem = 4;
  static int storage;
  size_t after_first = 0;
  for (int round = 0; round < 20; round++) {
    tiny_uop *kept = test_arg(t, TINY_I32, 0), *lost = kept;
    for (int i = 0; i < 5000; i++) {
      kept = tn_u2(t, i & 1 ? TINY_OP_ADD : TINY_OP_MUL, kept, tn_int(t, TINY_I32, i % 50));
      lost = tn_u2(t, TINY_OP_XOR, lost, tn_int(t, TINY_I32, i));
    }
    const uint64_t hash = kept->hash;
    tn_uop_make_with(t, TINY_OP_BUFFER, TINY_F32, 1, 0, NULL, round, 1, &nelem, &storage);
    tiny_uop *before = kept->src[0];
    tn_guard(t, test_collect_guarded, kept);
    CHECK_EQ(test_released, round + 1);
    CHECK_EQ(t->ir->nodes.n, 5000 + 50 + 1);
    CHECK_EQ(t->stats.nodes, t->ir->nodes.n);
    tiny_uop *again = test_arg(t, TINY_I32, 0);
    for (int i = 0; i < 5000; i++) again = tn_u2(t, i & 1 ? TINY_OP_ADD : TINY_OP_MUL, again, tn_int(t, TINY_I32, i % 50));
    CHECK(again == kept && again->src[0] == before && again->hash == hash);
    CHECK_EQ(t->ir->nodes.n, 5000 + 50 + 1);
    if (round == 1) after_first = test_live;
    if (round > 1) CHECK_EQ(test_live, after_first);                        // freed nodes are taken again
  }
  test_close(t);
  CHECK_EQ(test_live, 0);
}

int main(void) {
  tiny_ctx ctx, *t = test_ctx(&ctx);
  if (!t) return 1;
  test_identity(t);
  test_shapes(t);
  test_close(t);
  test_hash();
  test_bounds();
  test_promotion();
  test_collection();
  return test_report();
}
