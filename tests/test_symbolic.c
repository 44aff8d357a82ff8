// also: valgrind
// The algebra of expressions: what comes out, as text; index arithmetic of reshapes and permutes; division and modulo against
// brute force; conditions; reductions that need no loop.
#include "../src/rules/reduce.c"
#include "test.h"
#include "rules_eval.h"

static const char *const variables =
  "a = (RANGE:1:loop 8) b = (RANGE:2:loop 4) c = (RANGE:3:loop 3) d = (RANGE:4:loop 32) e = (RANGE:5:loop 5) "
  "n = (ARG:index:1 [-20 20]) i = (ARG:i32:2) j = (ARG:i32:3) k = (ARG:i32:4 [0 99]) u = (ARG:u8:5) w = (ARG:u64:6) "
  "x = (ARG:f32:7) y = (ARG:f32:8) p = (ARG:bool:9) q = (ARG:bool:10) r = (RANGE:11:reduce 10) s = (RANGE:12:reduce 6) "
  "m = (PARAM:f32:0 60) g = (PARAM:i32:1 8) h = (ARG:i64:13) ";

static tiny_uop *parse(tiny_ctx *t, const char *text) {
  char all[4096];
  snprintf(all, sizeof all, "%s %s", variables, text);
  tiny_uop *u = tiny_uop_parse(t, all);
  if (!u) { printf("%s\n", t->message); t->code = TINY_OK; }
  return u;
}
static void show(tiny_ctx *t, const char *what, tiny_uop *u) {
  char text[8192];
  tiny_uop_print(t, u, text, sizeof text);
  fprintf(stderr, "    %s %s\n", what, text);
}

typedef struct { const char *from, *to; } pair;
static void check_pairs(tiny_ctx *t, tn_rules_fn set, const pair *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    tiny_uop *from = parse(t, list[i].from), *to = parse(t, list[i].to);
    if (!from || !to) { test_check(0, __FILE__, __LINE__, list[i].from); continue; }
    tiny_uop *got = tn_rewrite(t, from, set, NULL);
    test_check(got == to && t->code == TINY_OK, __FILE__, __LINE__, list[i].from);
    if (got != to) { show(t, "got: ", got); show(t, "want:", to); }
  }
}

static const pair golden[] = {
  // constants
  {"(ADD 3 4)", "7"}, {"(MUL:i32 65536:i32 65536:i32)", "0:i32"}, {"(IDIV -7 2)", "-4"}, {"(MOD -7 4)", "1"}, {"(IDIV 5 0)", "0"},
  {"(ADD 250:u8 10:u8)", "4:u8"}, {"(LT 1.0:f32 nan:f32)", "0:bool"}, {"(CAST:i8 300)", "44:i8"}, {"(SQRT 4.0:f32)", "2.0:f32"},
  {"(WHERE 1:bool a b)", "a"}, {"(MAX 1.0:f32 nan:f32)", "nan:f32"},
  // identities, and what is none for floats
  {"(ADD a 0)", "a"}, {"(ADD x 0.0:f32)", "(ADD x 0.0:f32)"}, {"(ADD x -0.0:f32)", "x"}, {"(MUL x 1.0:f32)", "x"}, {"(MUL x 0.0:f32)", "(MUL x 0.0:f32)"},
  {"(MUL i 0:i32)", "0:i32"}, {"(AND i -1:i32)", "i"}, {"(OR i -1:i32)", "-1:i32"}, {"(XOR i i)", "0:i32"}, {"(NE x x)", "(NE x x)"},
  {"(LT x x)", "0:bool"}, {"(MAX x x)", "x"}, {"(IDIV i 1:i32)", "i"}, {"(IDIV i -1:i32)", "(MUL i -1:i32)"}, {"(MOD i 1:i32)", "0:i32"},
  {"(FDIV x 4.0:f32)", "(MUL x 0.25:f32)"}, {"(FDIV x 3.0:f32)", "(FDIV x 3.0:f32)"}, {"(MUL (MUL x -1.0:f32) 3.0:f32)", "(MUL x -3.0:f32)"},
  {"(ADD (ADD x 1.0:f32) 2.0:f32)", "(ADD (ADD x 1.0:f32) 2.0:f32)"}, {"(MAX x -inf:f32)", "x"}, {"(AND u 255:u8)", "u"}, {"(AND k 127:i32)", "k"},
  // sums
  {"(ADD (ADD i 3:i32) (ADD j 4:i32))", "(ADD (ADD i j) 7:i32)"}, {"(ADD i i)", "(ADD i i)"}, {"(ADD a a)", "(MUL a 2)"}, {"(ADD (MUL i 3:i32) (MUL i -3:i32))", "0:i32"},
  {"(ADD (MUL (ADD a 2) 3) (MUL a -3))", "6"}, {"(MUL (MUL i 6:i32) 7:i32)", "(MUL i 42:i32)"}, {"(ADD (MUL u 200:u8) (MUL u 56:u8))", "0:u8"},
  {"(ADD (ADD a b) (MUL a 3))", "(ADD (MUL a 4) b)"}, {"(ADD a (MUL a -1))", "0"}, {"(MUL (ADD i 1:i32) 2:i32)", "(MUL (ADD i 1:i32) 2:i32)"},
  // division and modulo
  {"(IDIV (ADD (MUL a 4) b) 4)", "a"}, {"(MOD (ADD (MUL a 4) b) 4)", "b"}, {"(IDIV (ADD (MUL a 4) b) 8)", "(IDIV a 2)"},
  {"(MOD (ADD (MUL a 4) b) 8)", "(ADD (MUL (MOD a 2) 4) b)"}, {"(ADD (MUL (IDIV d 4) 4) (MOD d 4))", "d"}, {"(IDIV (IDIV d 2) 4)", "(IDIV d 8)"},
  {"(MOD (MOD d 8) 4)", "(MOD d 4)"}, {"(IDIV (MOD d 8) 4)", "(MOD (IDIV d 4) 2)"}, {"(IDIV (ADD (MUL a 12) (MUL b 3)) 6)", "(ADD (IDIV b 2) (MUL a 2))"},
  {"(MOD (MUL a 5) 4)", "(MOD a 4)"}, {"(IDIV d 32)", "0"}, {"(MOD d 32)", "d"}, {"(IDIV (ADD d 32) 32)", "1"}, {"(MOD (ADD d 33) 32)", "(MOD (ADD d 1) 32)"},
  {"(IDIV (ADD (MUL n 4) b) 4)", "n"}, {"(MOD (ADD (MUL n 4) b) 4)", "b"}, {"(IDIV n -3)", "(IDIV (MUL n -1) 3)"}, {"(IDIV i 4:i32)", "(IDIV i 4:i32)"},
  {"(IDIV (MUL i 4:i32) 4:i32)", "(IDIV (MUL i 4:i32) 4:i32)"}, {"(IDIV (MUL k 4:i32) 4:i32)", "k"}, {"(ADD (MOD d 2) (MUL (MOD (IDIV d 2) 4) 2))", "(MOD d 8)"},
  {"(ADD (MUL (MOD (IDIV d 2) 4) 3) (MUL (IDIV d 8) 12))", "(MUL (IDIV d 2) 3)"}, {"(ADD (MUL (MOD (ADD d n) 4) 3) (MUL (IDIV (ADD d n) 4) 12))", "(ADD (MUL n 3) (MUL d 3))"},
  {"(MOD (ADD 31 (MUL d -1)) 32)", "(ADD (MUL d -1) 31)"}, {"(IDIV (IDIV (ADD (MUL a 12) (ADD (MUL b 3) c)) 3) 4)", "a"},
  // comparisons
  {"(LT d 32)", "1:bool"}, {"(LT d 0)", "0:bool"}, {"(LT (ADD d 3) 5)", "(LT d 2)"}, {"(LT (MUL d 4) 17)", "(LT d 5)"}, {"(LT (MUL d -4) -17)", "(XOR (LT d 5) 1:bool)"},
  {"(LT 5 d)", "(XOR (LT d 6) 1:bool)"}, {"(LT (IDIV d 4) 3)", "(LT d 12)"}, {"(LT (ADD (MUL a 4) b) 16)", "(LT a 4)"}, {"(LT (ADD (MUL a 4) b) 17)", "(LT (ADD (MUL a 4) b) 17)"},
  {"(LT (ADD i 3:i32) 5:i32)", "(LT (ADD i 3:i32) 5:i32)"}, {"(LT (ADD k 3:i32) 5:i32)", "(LT k 2:i32)"}, {"(NE (ADD i 3:i32) 5:i32)", "(NE i 2:i32)"},
  {"(NE (MUL d 4) 6)", "1:bool"}, {"(NE (MUL d 4) 8)", "(NE d 2)"}, {"(LT (ADD a n) (ADD b n))", "(LT a b)"}, {"(NE (ADD i j) (ADD j 3:i32))", "(NE i 3:i32)"},
  {"(NE (CAST:i32 d) 5:i32)", "(NE d 5)"}, {"(LT (CAST:i8 d) (CAST:i8 a))", "(LT d a)"}, {"(LT u 0:u8)", "0:bool"}, {"(MAX d -5)", "d"}, {"(MAX (MAX n 3) 5)", "(MAX n 5)"},
  {"(NE (ADD (MUL a 6) (MUL b 9)) 4)", "1:bool"}, {"(LT d a)", "(LT d a)"},
  // conditions
  {"(AND (LT d 5) (LT d 9))", "(LT d 5)"}, {"(OR (LT d 5) (LT d 9))", "(LT d 9)"}, {"(AND (LT d 5) (XOR (LT d 7) 1:bool))", "0:bool"}, {"(XOR (XOR p 1:bool) 1:bool)", "p"},
  {"(AND p (XOR p 1:bool))", "0:bool"}, {"(OR p (XOR p 1:bool))", "1:bool"}, {"(AND (AND p q) p)", "(AND p q)"}, {"(MUL p q)", "(AND p q)"}, {"(ADD p q)", "(OR p q)"},
  {"(NE p 1:bool)", "(XOR p 1:bool)"}, {"(WHERE p a a)", "a"}, {"(WHERE (XOR p 1:bool) a b)", "(WHERE p b a)"}, {"(WHERE p (WHERE p a b) c)", "(WHERE p a c)"},
  {"(WHERE p (WHERE q a b) b)", "(WHERE (AND p q) a b)"}, {"(WHERE p 1:bool 0:bool)", "p"}, {"(ADD (WHERE p 1 2) 3)", "(WHERE p 4 5)"}, {"(NE (WHERE p 1 0) 0)", "p"},
  {"(XOR (OR p q) 1:bool)", "(AND (XOR p 1:bool) (XOR q 1:bool))"}, {"(NE (CAST:f32 p) 0.0:f32)", "p"}, {"(AND p (OR p q))", "p"},
  // casts
  {"(CAST:i64 (CAST:i32 d))", "(CAST:i64 d)"}, {"(CAST:index (CAST:i32 d))", "d"}, {"(CAST:i8 (CAST:i32 h))", "(CAST:i8 h)"}, {"(CAST:i64 (CAST:i32 h))", "(CAST:i64 (CAST:i32 h))"},
  {"(CAST:f32 (CAST:f64 x))", "x"}, {"(CAST:f32 (CAST:f16 x))", "(CAST:f32 (CAST:f16 x))"}, {"(CAST:bool i)", "(NE i 0:i32)"}, {"(CAST:index (ADD k 1:i32))", "(ADD (CAST:index k) 1)"},
  {"(CAST:i16 (CAST:f32 u))", "(CAST:i16 u)"}, {"(CAST:i8 (CAST:f32 u))", "(CAST:i8 (CAST:f32 u))"}, {"(CAST:f32 (WHERE p 1 0))", "(WHERE p 1.0:f32 0.0:f32)"},
  // memory
  {"(LOAD:f32 (INDEX:f32 m a 0:bool))", "0.0:f32"}, {"(LOAD:f32 (INDEX:f32 m a 1:bool))", "(LOAD:f32 (INDEX:f32 m a))"}, {"(LOAD:f32 (INDEX:f32 m a (LT a 0)) x)", "x"},
};

static const pair gates[] = {
  {"(LOAD:f32 (INDEX:f32 m (IDIV (ADD d -4) 4) (AND (LT d 8) (XOR (LT d 4) 1:bool))))", "(LOAD:f32 (INDEX:f32 m 0 (AND (LT d 8) (XOR (LT d 4) 1:bool))))"},
  {"(LOAD:f32 (INDEX:f32 m (MOD (ADD a (ADD b -1)) 12) (XOR (LT (ADD a b) 1) 1:bool)))", "(LOAD:f32 (INDEX:f32 m (ADD (ADD a b) -1) (XOR (LT (ADD a b) 1) 1:bool)))"},
  {"(LOAD:f32 (INDEX:f32 m a (AND (LT a 2) (LT (ADD a b) 7))))", "(LOAD:f32 (INDEX:f32 m a (LT a 2)))"},
  {"(WHERE (LT a 3) (LOAD:f32 (INDEX:f32 m a)) 0.0:f32)", "(LOAD:f32 (INDEX:f32 m a (LT a 3)))"},
  {"(WHERE (LT a 3) 0.0:f32 (LOAD:f32 (INDEX:f32 m a (LT a 6))))", "(LOAD:f32 (INDEX:f32 m a (AND (XOR (LT a 3) 1:bool) (LT a 6))))"},
  {"(LOAD:f32 (INDEX:f32 m (MAX a 3) (LT a 2)))", "(LOAD:f32 (INDEX:f32 m 3 (LT a 2)))"},
  // a load in an index happens anyway: its own gate stays
  {"(LOAD:f32 (INDEX:f32 m (CAST:index (LOAD:i32 (INDEX:i32 g a (LT a 2)))) (LT a 2)))", "(LOAD:f32 (INDEX:f32 m (CAST:index (LOAD:i32 (INDEX:i32 g a (LT a 2)))) (LT a 2)))"},
};

static const pair reductions[] = {
  {"(REDUCE:i32:ADD i r)", "(MUL i 10:i32)"}, {"(REDUCE:f32:MAX x r)", "x"}, {"(REDUCE:i32:MUL i s)", "(MUL (MUL i i) (MUL (MUL i i) (MUL i i)))"},
  {"(REDUCE:f32:ADD x r s)", "(MUL (MUL x 10.0:f32) 6.0:f32)"},
  // arange: how many r lie below d
  {"(REDUCE:i32:ADD (WHERE (LT r (ADD a 1)) 1:i32 0:i32) r)", "(CAST:i32 (ADD a 1))"},
  {"(REDUCE:i32:ADD (CAST:i32 (LT r 4)) r)", "4:i32"},
  {"(REDUCE:index:ADD (WHERE (LT r (ADD a 1)) 2 0) r)", "(ADD (MUL a 2) 2)"},
  {"(REDUCE:index:ADD (WHERE (LT (ADD r d) 9) 0 1) r)", "(ADD (MUL (MAX (ADD (MUL d -1) 9) 0) -1) 10)"},
  {"(REDUCE:f32:ADD (WHERE (AND (LT r 7) (XOR (LT r 3) 1:bool)) x 0.0:f32) r)", "(MUL x 4.0:f32)"},
  {"(REDUCE:bool:MAX (XOR (NE r a) 1:bool) r)", "1:bool"},
  // one summand is not zero
  {"(REDUCE:f32:ADD (WHERE (NE r a) 0.0:f32 (LOAD:f32 (INDEX:f32 m r))) r)", "(LOAD:f32 (INDEX:f32 m a))"},
  {"(REDUCE:f32:ADD (WHERE (NE r d) 0.0:f32 (LOAD:f32 (INDEX:f32 m r))) r)", "(WHERE (LT d 10) (LOAD:f32 (INDEX:f32 m d (LT d 10))) 0.0:f32)"},
  {"(REDUCE:f32:ADD (MUL (CAST:f32 (XOR (NE (CAST:i32 r) (LOAD:i32 (INDEX:i32 g a))) 1:bool)) (LOAD:f32 (INDEX:f32 m (ADD (MUL r 6) e)))) r)",
   "v = (LOAD:i32 (INDEX:i32 g a)) z = (AND (LT v 10:i32) (XOR (LT v 0:i32) 1:bool)) (WHERE z (LOAD:f32 (INDEX:f32 m (ADD (MUL (CAST:index v) 6) e) z)) 0.0:f32)"},
  {"(REDUCE:f32:ADD (WHERE (NE r a) 0.0:f32 (LOAD:f32 (INDEX:f32 m (ADD (MUL r 6) s)))) r s)", "(REDUCE:f32:ADD (LOAD:f32 (INDEX:f32 m (ADD (MUL a 6) s))) s)"},
  {"(REDUCE:i32:ADD (ADD i (LOAD:i32 (INDEX:i32 g s))) s)", "(ADD (MUL i 6:i32) (REDUCE:i32:ADD (LOAD:i32 (INDEX:i32 g s)) s))"},
  {"(REDUCE:f32:ADD (LOAD:f32 (INDEX:f32 m r)) r)", "(REDUCE:f32:ADD (LOAD:f32 (INDEX:f32 m r)) r)"},
};

// ** reshapes and permutes: the index of an element, straight and through a chain of views **

typedef struct { tiny_uop *index[8]; int64_t dim[8]; int n; } place;
static tiny_uop *flat_of(tiny_ctx *t, const place *p) {
  tiny_uop *sum = tn_index(t, 0);
  for (int i = 0; i < p->n; i++) sum = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, sum, tn_index(t, p->dim[i])), p->index[i]);
  return sum;
}
static void reshape(tiny_ctx *t, place *p, int n, const int64_t *dim) {
  tiny_uop *flat = flat_of(t, p);
  p->n = n;
  for (int i = n - 1; i >= 0; i--) {
    p->dim[i] = dim[i];
    p->index[i] = tn_u2(t, TINY_OP_MOD, flat, tn_index(t, dim[i]));
    flat = tn_u2(t, TINY_OP_IDIV, flat, tn_index(t, dim[i]));
  }
}
static void swap_dims(place *p, int i, int j) {
  tiny_uop *u = p->index[i]; p->index[i] = p->index[j]; p->index[j] = u;
  const int64_t d = p->dim[i]; p->dim[i] = p->dim[j]; p->dim[j] = d;
}
static place ranges_of(tiny_ctx *t, int n, const int64_t *dim) {
  place p;
  p.n = n;
  for (int i = 0; i < n; i++) { p.dim[i] = dim[i]; p.index[i] = tn_range(t, dim[i], TN_LOOP); }
  return p;
}
static int arithmetic(tiny_ctx *t, tiny_uop *u) {
  tn_list all = {NULL, 0, 0};
  int n = 0;
  tn_toposort(t, u, &all);
  for (int i = 0; i < all.n; i++) n += tn_op_is(all.u[i]->op, TINY_ALU);
  return n;
}
static int same_everywhere(tiny_ctx *t, const place *p, tiny_uop *u, tiny_uop *w) {
  env e;
  e.stray = 0;
  int64_t total = 1;
  for (int i = 0; i < p->n; i++) total *= p->dim[i];
  for (int64_t at = 0; at < total; at++) {
    int64_t left = at;
    e.n = 0;
    for (int i = p->n - 1; i >= 0; i--) { env_set(&e, p->index[i], left % p->dim[i]); left /= p->dim[i]; }
    if (eval_in(t, &e, u) != eval_in(t, &e, w)) return 0;
  }
  return 1;
}

typedef struct { int64_t from[4], through[4], out[4]; int swap[2]; int most; } chain;    // dims end at 0; swap: of through; most: arithmetic left
static const chain chains[] = {
  {{8, 4, 0, 0}, {32, 0, 0, 0}, {8, 4, 0, 0}, {0, 0}, 2}, {{8, 4, 0, 0}, {4, 8, 0, 0}, {8, 4, 0, 0}, {0, 0}, 2}, {{6, 5, 0, 0}, {5, 3, 2, 0}, {6, 5, 0, 0}, {0, 0}, 2},
  {{7, 3, 5, 0}, {7, 15, 0, 0}, {105, 0, 0, 0}, {0, 0}, 4}, {{16, 16, 0, 0}, {4, 4, 4, 4}, {256, 0, 0, 0}, {1, 2}, 10}, {{32, 8, 0, 0}, {8, 4, 8, 0}, {256, 0, 0, 0}, {0, 2}, 9},
  {{9, 15, 0, 0}, {3, 3, 15, 0}, {135, 0, 0, 0}, {0, 1}, 9}, {{2, 3, 4, 5}, {6, 20, 0, 0}, {120, 0, 0, 0}, {0, 0}, 6}, {{12, 10, 0, 0}, {4, 3, 10, 0}, {120, 0, 0, 0}, {1, 2}, 8},
};
static void test_views(tiny_ctx *t) {
  for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
    const chain *c = &chains[i];
    int n[3] = {0, 0, 0};
    while (n[0] < 4 && c->from[n[0]]) n[0]++;
    while (n[1] < 4 && c->through[n[1]]) n[1]++;
    while (n[2] < 4 && c->out[n[2]]) n[2]++;
    const place begin = ranges_of(t, n[0], c->from);
    place p = begin;
    reshape(t, &p, n[1], c->through);
    swap_dims(&p, c->swap[0], c->swap[1]);
    reshape(t, &p, n[2], c->out);
    tiny_uop *u = flat_of(t, &p), *w = tn_rewrite(t, u, tn_rules_symbolic, NULL);
    CHECK(same_everywhere(t, &begin, u, w));
    CHECK(arithmetic(t, w) <= c->most);
    if (arithmetic(t, w) > c->most) { fprintf(stderr, "    chain %d: %d ops\n", (int)i, arithmetic(t, w)); show(t, "is", w); }
    if (c->swap[0] == c->swap[1]) CHECK(w == tn_rewrite(t, flat_of(t, &begin), tn_rules_symbolic, NULL));   // the identity
  }
}

// ** sums under // and %, against all values of the ranges **

static tiny_uop *random_affine(tiny_ctx *t, const place *p, int depth) {
  tiny_uop *u = tn_index(t, rng_in(-9, 30));
  for (int i = 0; i < p->n; i++) u = tn_u2(t, TINY_OP_ADD, u, tn_u2(t, TINY_OP_MUL, p->index[i], tn_index(t, rng() % 4 ? rng_in(0, 24) : rng_in(-8, 8))));
  if (depth && rng() % 2) u = tn_u2(t, TINY_OP_ADD, u, tn_u2(t, rng() % 2 ? TINY_OP_IDIV : TINY_OP_MOD, random_affine(t, p, depth - 1), tn_index(t, rng_in(1, 24))));
  return tn_u2(t, rng() % 2 ? TINY_OP_IDIV : TINY_OP_MOD, u, tn_index(t, rng() % 8 ? rng_in(1, 24) : rng_in(-9, -1)));
}
static void test_divmod(tiny_ctx *t) {
  int wrong = 0;
  long before = 0, after = 0;
  for (int round = 0; round < 1500; round++) {
    rules_renew(t);
    const int64_t dim[3] = {rng_in(1, 7), rng_in(1, 5), rng_in(1, 9)};
    const place p = ranges_of(t, 1 + (int)(rng() % 3), dim);
    tiny_uop *u = random_affine(t, &p, 1), *w = tn_rewrite(t, u, tn_rules_symbolic, NULL);
    before += arithmetic(t, u); after += arithmetic(t, w);
    if (same_everywhere(t, &p, u, w)) continue;
    if (wrong++ == 0) { show(t, "from", u); show(t, "to  ", w); }
  }
  CHECK_EQ(wrong, 0);
  CHECK(after * 3 < before * 2);
}

// ** random clauses: where they hold the expression is the same, and the clauses kept hold exactly where all did **

static tiny_uop *random_clause(tiny_ctx *t, const place *p) {
  tiny_uop *u = p->index[rng() % (uint64_t)p->n];
  if (rng() % 2) u = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, u, tn_index(t, rng_in(-2, 2))), p->index[rng() % (uint64_t)p->n]);
  u = tn_u2(t, TINY_OP_LT, u, tn_index(t, rng_in(-2, 8)));
  return rng() % 2 ? u : tn_not(t, u);
}
static void test_given(tiny_ctx *t) {
  int wrong = 0;
  for (int round = 0; round < 400; round++) {
    rules_renew(t);
    const int64_t dim[3] = {rng_in(1, 7), rng_in(1, 5), rng_in(1, 9)};
    const place p = ranges_of(t, 1 + (int)(rng() % 3), dim);
    tiny_uop *u = random_affine(t, &p, 1), *valid = random_clause(t, &p);
    for (uint64_t n = rng() % 3; n; n--) valid = tn_u2(t, TINY_OP_AND, valid, random_clause(t, &p));
    tiny_uop *kept = tn_simplify_valid(t, valid), *w = tn_simplify_given(t, u, valid);
    tiny_uop *zero = tn_index(t, 0), *masked = tn_u3(t, TINY_OP_WHERE, valid, u, zero), *again = tn_u3(t, TINY_OP_WHERE, valid, w, zero);
    if (same_everywhere(t, &p, valid, kept) && same_everywhere(t, &p, masked, again)) continue;
    if (wrong++ == 0) { show(t, "under", valid); show(t, "kept", kept); show(t, "from", u); show(t, "to  ", w); }
  }
  CHECK_EQ(wrong, 0);
}

// ** reductions with random masks, against the loop **

static void test_reductions(tiny_ctx *t) {
  int wrong = 0, gone = 0;
  for (int round = 0; round < 1000; round++) {
    rules_renew(t);
    const int64_t dim[3] = {rng_in(2, 7), rng_in(2, 5), rng_in(2, 6)};
    place p = ranges_of(t, 2, dim);
    tiny_uop *range = tn_range(t, dim[2], TN_REDUCE), *x = parse(t, "(LOAD:i32 (INDEX:i32 g 3))"), *where[3];
    tiny_uop *linear = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, p.index[0], tn_index(t, rng_in(-2, 2))), tn_index(t, rng_in(-3, 6)));
    tiny_uop *scaled = tn_u2(t, TINY_OP_MUL, range, tn_index(t, rng() % 2 ? rng_in(1, 1) : rng_in(-3, 3)));
    const int equal = rng() % 3 == 0;
    where[0] = tn_u2(t, equal ? TINY_OP_NE : TINY_OP_LT, scaled, linear);
    if (equal || rng() % 2) where[0] = tn_not(t, where[0]);
    if (rng() % 2) where[0] = tn_u2(t, TINY_OP_AND, where[0], tn_u2(t, TINY_OP_LT, tn_u2(t, TINY_OP_ADD, range, p.index[1]), tn_index(t, rng_in(0, 8))));
    if (equal) x = tn_u2(t, TINY_OP_ADD, x, tn_cast(t, tn_u2(t, TINY_OP_MUL, range, p.index[1]), TINY_I32));
    where[1] = x; where[2] = tn_int(t, TINY_I32, 0);
    tiny_uop *src[2] = {tn_uop_make(t, TINY_OP_WHERE, TINY_I32, 1, 3, where, 0, 0, NULL), range};
    if (rng() % 4 == 0) src[0] = tn_u2(t, TINY_OP_MUL, tn_cast(t, where[0], TINY_I32), x);
    tiny_uop *u = tn_uop_make(t, TINY_OP_REDUCE, TINY_I32, 1, 2, src, TINY_OP_ADD, 0, NULL), *w = tn_rewrite(t, u, tn_rules_reduce, NULL);
    gone += !tn_depends(t, w, range);
    if (same_everywhere(t, &p, u, w)) continue;
    if (wrong++ == 0) { show(t, "from", u); show(t, "to  ", w); }
  }
  CHECK_EQ(wrong, 0);
  CHECK(gone > 800);
}

int main(void) {
  tiny_ctx *t = rules_open();
  check_pairs(t, tn_rules_symbolic, golden, sizeof golden / sizeof *golden);
  check_pairs(t, tn_rules_gate, gates, sizeof gates / sizeof *gates);
  check_pairs(t, tn_rules_reduce, reductions, sizeof reductions / sizeof *reductions);
  test_views(t);
  test_divmod(t);
  test_given(t);
  test_reductions(t);
  CHECK_EQ(t->code, TINY_OK);
  rules_close(t);
  return test_report();
}
