// also: valgrind
// Patterns, permutations, any-length sources, errors in patterns, traces, counts, divergence, both walks, substitution; how
// long a match attempt takes is printed.
#include "../src/rules/notation.c"
#include "test.h"
#include "rules_eval.h"
#include <time.h>

static char logged[8192];
static void log_line(void *user, const char *line) {
  (void)user;
  strncat(logged, line, sizeof logged - strlen(logged) - 2);
  strcat(logged, "\n");
}

static tiny_uop *parse(tiny_ctx *t, const char *text) {
  char all[1024];
  snprintf(all, sizeof all, "a = (ARG:index:1) b = (ARG:index:2) i = (ARG:i32:3) u = (ARG:u8:4) x = (ARG:f32:5) y = (ARG:f32:6) p = (ARG:bool:7) %s", text);
  tiny_uop *parsed = tiny_uop_parse(t, all);
  if (!parsed) printf("%s\n", t->message);
  return parsed;
}
static tiny_uop *once(tiny_ctx *t, tn_rules_fn set, const char *text) {
  int fired;
  return tn_match_apply(t, tn_rules_find(t, set), parse(t, text), NULL, &fired);
}

// Each set has one pattern; what it binds to x shows whether it matched, and how.
#define PATTERN(set, pattern) RULES(set, x, y, z, m, c, c0, c1, c12) RULE(pattern) return x ? x : r->nsrc ? r->src[0] : X(0); RULES_END
PATTERN(set_zero, "(ADD|XOR x:i 0)")
PATTERN(set_minus_one, "(MUL x -1)")
PATTERN(set_half, "(MUL x 0.5)")
PATTERN(set_float_zero, "(ADD x 0)")
PATTERN(set_same, "(ADD (MUL x c0) x)")
PATTERN(set_terms, "(ADD (MUL x c0) (MUL x c1))")
PATTERN(set_class, "(CMP x c12)")
PATTERN(set_any_op, "(_ x c)")
PATTERN(set_index, "(MUL x:x y)")
PATTERN(set_exact, "(MUL x:u8 y)")
PATTERN(set_rest, "(SINK x ...)")
PATTERN(set_rest_only, "(SINK ...)")
PATTERN(set_k, "(REDUCE:k=MAX x ...)")
PATTERN(set_range, "(RANGE:k=258 c)")
PATTERN(set_inner, "(LT m=(ADD x _) m)")
PATTERN(set_root_class, "(_:b x y)")

static void test_patterns(tiny_ctx *t) {
  tiny_uop *a = parse(t, "a"), *i = parse(t, "i"), *x = parse(t, "x");
  CHECK(once(t, set_zero, "(ADD a 0)") == a);
  CHECK(once(t, set_zero, "(XOR i 0:i32)") == i);
  CHECK(!once(t, set_zero, "(ADD x 0.0:f32)") && !once(t, set_zero, "(ADD a 1)") && !once(t, set_zero, "(MUL a 0)") && !once(t, set_zero, "(ADD a b)"));
  CHECK(once(t, set_minus_one, "(MUL u 255:u8)") == parse(t, "u") && once(t, set_minus_one, "(MUL x -1.0:f32)") == x);
  CHECK(!once(t, set_minus_one, "(MUL p 1:bool)"));
  CHECK(once(t, set_half, "(MUL x 0.5:f32)") == x && !once(t, set_half, "(MUL i 0:i32)"));
  CHECK(once(t, set_float_zero, "(ADD x 0.0:f32)") == x && !once(t, set_float_zero, "(ADD x -0.0:f32)"));
  CHECK(once(t, set_same, "(ADD (MUL a 3) a)") == a && once(t, set_same, "(ADD a (MUL a 3))") == a && !once(t, set_same, "(ADD (MUL a 3) b)"));
  CHECK(once(t, set_terms, "(ADD (MUL a 3) (MUL a 4))") == a && !once(t, set_terms, "(ADD (MUL a 3) (MUL b 4))"));
  CHECK(once(t, set_class, "(LT a 3)") == a && once(t, set_class, "(NE 3 a)") == a && !once(t, set_class, "(ADD a 3)") && !once(t, set_class, "(LT 3 a)"));
  CHECK(once(t, set_any_op, "(SHL i 3:i32)") == i && !once(t, set_any_op, "(WHERE p i 3:i32)"));
  CHECK(once(t, set_index, "(MUL a b)") && !once(t, set_index, "(MUL i i)") && once(t, set_exact, "(MUL u u)") && !once(t, set_exact, "(MUL i i)"));
  CHECK(once(t, set_k, "(REDUCE:i32:MAX i (RANGE:1:reduce 4))") == i && !once(t, set_k, "(REDUCE:i32:ADD i (RANGE:1:reduce 4))"));
  CHECK(once(t, set_range, "(RANGE:1:local 7)") && !once(t, set_range, "(RANGE:1:loop 7)"));
  CHECK(once(t, set_inner, "(LT (ADD a 1) (ADD a 1))") && !once(t, set_inner, "(LT (ADD a 1) (ADD a 2))"));
  CHECK(once(t, set_root_class, "(AND p (NE a b))") && once(t, set_root_class, "(LT a b)") && !once(t, set_root_class, "(ADD a b)"));
  tiny_uop *all[3] = {a, i, x}, *none = tn_uop_make(t, TINY_OP_SINK, TINY_VOID, 1, 0, NULL, 0, 0, NULL);
  tiny_uop *sink = tn_uop_make(t, TINY_OP_SINK, TINY_VOID, 1, 3, all, 0, 0, NULL);
  int fired;
  CHECK(tn_match_apply(t, tn_rules_find(t, set_rest), sink, NULL, &fired) == a);
  CHECK(!tn_match_apply(t, tn_rules_find(t, set_rest), none, NULL, &fired));
  CHECK(tn_match_apply(t, tn_rules_find(t, set_rest_only), none, NULL, &fired) != NULL);
  CHECK_EQ(t->code, TINY_OK);
}

// A body that returns NULL is asked again with the next permutation, then the next rule is.
RULES(set_picky, x, y)
  RULE("(ADD x y)")      { if (x->op != TINY_OP_ARG || x->k != 2) return NULL; return x; }
  RULE("(ADD x y)")      return y;
RULES_END
// (MUL c x) with the constant first never occurs and makes no variant; neither does the second order of (ADD x x).
RULES(set_orders, x, y, c)
  RULE("(MUL x c)")                    return NULL;
  RULE("(ADD x x)")                    return NULL;
  RULE("(AND x y)")                    return NULL;
  RULE("(OR (IDIV x c) (ADD x y))")    return NULL;       // IDIV stands before ADD; the operands of ADD take both orders
RULES_END
static int variants(tiny_ctx *t, tn_rules_fn set, int op) {
  const tn_rule_set *s = &t->match->sets[tn_rules_find(t, set)];
  return (int)(s->by_op[op + 1] - s->by_op[op]);
}
static void test_permutations(tiny_ctx *t) {
  CHECK(once(t, set_picky, "(ADD a b)") == parse(t, "b") && once(t, set_picky, "(ADD b a)") == parse(t, "b"));
  CHECK(once(t, set_picky, "(ADD a (MUL a 3))") != NULL);
  CHECK_EQ(variants(t, set_orders, TINY_OP_MUL), 1);
  CHECK_EQ(variants(t, set_orders, TINY_OP_ADD), 1);
  CHECK_EQ(variants(t, set_orders, TINY_OP_AND), 2);
  CHECK_EQ(variants(t, set_orders, TINY_OP_OR), 2);
}

// ** errors **

#define BAD(set, pattern) RULES(set, x, y, c0) RULE(pattern) return x; RULES_END
BAD(bad_op, "(MULL x y)")
BAD(bad_name, "(MUL x z)")
BAD(bad_count, "(MUL x y x)")
BAD(bad_dtype, "(MUL x:q y)")
BAD(bad_close, "(MUL x y")
BAD(bad_tail, "(MUL x y) x")
BAD(bad_rest, "(SINK ... x)")
BAD(bad_number, "(MUL x 1.2.3)")
BAD(bad_start, ")")
RULES(bad_body, x)
  RULE("(MUL x 1)") (void)x; return x;                    // two statements without braces
  RULE("(MUL x 0)") return x;
RULES_END
RULES(bad_used, x)
  RULE("(ADD x 0)") return x;
  USE(bad_name)
RULES_END
static void check_bad(tiny_ctx *t, tn_rules_fn set, const char *message) {
  tiny_uop *a = parse(t, "(MUL a 1)");
  CHECK(tn_rewrite(t, a, set, NULL) == a);
  CHECK_EQ(t->code, TINY_E_INTERNAL);
  CHECK_STR(t->message, message);
  t->code = TINY_OK; t->message[0] = 0;
}
static void test_errors(tiny_ctx *t) {
  check_bad(t, bad_op, "match: not an op or a class of ops\n  (MULL x y)\n   ^");
  check_bad(t, bad_name, "match: the set does not declare this name\n  (MUL x z)\n         ^");
  check_bad(t, bad_count, "match: this op takes another number of sources\n  (MUL x y x)\n            ^");
  check_bad(t, bad_dtype, "match: not a dtype or a class of dtypes\n  (MUL x:q y)\n         ^");
  check_bad(t, bad_close, "match: expected '(', a name or a number\n  (MUL x y\n          ^");
  check_bad(t, bad_tail, "match: unexpected text after the pattern\n  (MUL x y) x\n           ^");
  check_bad(t, bad_rest, "match: '...' comes last\n  (SINK ... x)\n           ^");
  check_bad(t, bad_number, "match: not a number\n  (MUL x 1.2.3)\n         ^");
  check_bad(t, bad_start, "match: expected '(', a name or a number\n  )\n  ^");
  check_bad(t, bad_body, "match: a body of more than one statement needs braces, after the rule\n  (MUL x 1)");
  check_bad(t, bad_used, "match: the set does not declare this name\n  (MUL x z)\n         ^");
  CHECK(once(t, set_zero, "(ADD a 0)") == parse(t, "a"));  // sets made before and after still work
}

// ** walks **

RULES(set_simple, x, y, c0, c1)
  RULE("(ADD x:i 0)")              return x;
  RULE("(MUL x 1)")                return x;
  RULE("(ADD (ADD x:i c0) c1)")    return add(x, K(x, c0->k + c1->k));
RULES_END
RULES(set_forever, x)
  RULE("(ADD x 5)")                return add(add(x, X(1)), X(5));
RULES_END
RULES(set_ring, x)
  RULE("(ADD x 5)")                return add(x, X(6));
  RULE("(ADD x 6)")                return add(x, X(5));
RULES_END
RULES(set_push, x, y, z)
  RULE("(MUL (ADD x y) z)")        return add(mul(x, z), mul(y, z));
RULES_END
RULES(set_count, x)
  RULE("(MUL x 1)")                { ++*(int *)ctx; return NULL; }
RULES_END

static void test_walks(tiny_ctx *t) {
  CHECK(tn_rewrite(t, parse(t, "(ADD (ADD (ADD (MUL a 1) 3) 4) -7)"), set_simple, NULL) == parse(t, "a"));
  const tn_rule *rules = &t->match->rules[t->match->sets[tn_rules_find(t, set_simple)].rule];
  CHECK_EQ(rules[0].hits, 1);
  CHECK_EQ(rules[1].hits, 1);
  CHECK_EQ(rules[2].hits, 2);
  CHECK(rules[2].attempts >= 2);
  int n = 0;                               // shared nodes are visited once
  tn_rewrite(t, parse(t, "s = (MUL a 1) (ADD (ADD s b) (MUL s s))"), set_count, &n);
  CHECK_EQ(n, 1);
  tiny_uop *a = parse(t, "a"), *sum = parse(t, "(ADD a b)"), *from = parse(t, "(MUL (LT a 3) (LT (MUL a a) b))");
  tn_map map = {NULL, 0, 0};         // scratch memory: parsing would empty it
  tn_map_set(t, &map, a, sum);
  CHECK(tn_substitute(t, from, &map) == parse(t, "v = (ADD a b) (MUL (LT v 3) (LT (MUL v v) b))"));
  CHECK_EQ(t->code, TINY_OK);
}

// As many sets as flags, and more.
#define SET(name) RULES(name, x) RULE("(MUL x 1)") return x; RULES_END
SET(set_0) SET(set_1) SET(set_2) SET(set_3) SET(set_4) SET(set_5) SET(set_6) SET(set_7) SET(set_8)
#undef SET

// A node is found again whichever sets have looked at it, in whatever order they came.
static void test_marks(tiny_ctx *t) {
  static const tn_rules_fn sets[] = {set_0, set_1, set_2, set_3, set_4, set_5, set_6, set_7, set_8};
  tiny_ctx *fresh = rules_open();
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    tiny_uop *u = parse(fresh, "(ADD (IDIV a 3) b)");
    CHECK(tn_rewrite(fresh, u, sets[i], NULL) == u);
    CHECK(parse(fresh, "(ADD (IDIV a 3) b)") == u);
    CHECK(!(u->flags & (TN_NODE_ONCE | TN_NODE_CAPTURED | TN_NODE_BOUND)));
  }
  rules_close(fresh);
  CHECK_EQ(t->code, TINY_OK);
}

// Of ctx, so that no flag is taken: x * 1 -> x; the body looks at nodes, and takes the marks of those that it reaches.
RULES(set_looks, x, y)
  RULE("(MUL x 1)") {
    tn_list all = {NULL, 0, 0};
    tn_toposort(t, (tiny_uop *)ctx, &all);
    return all.n ? x : NULL;
  }
RULES_END
// A walk that marks what it leaves alone gives what one with a map gives, also where bodies of rules take its marks; the
// map then holds what was changed, and no more.
static void test_alone(tiny_ctx *t) {
  static const char text[] = "s = (ADD (IDIV a 3) b) q = (MUL (XOR s a) 1) (ADD (ADD (MUL s 1) (IDIV s q)) (MUL q (MUL a 1)))";
  tiny_uop *u = parse(t, text), *want = tn_rewrite(t, u, set_looks, u);
  tn_map all = {NULL, 0, 0}, changed = {NULL, 0, 0};
  int n = 0;
  CHECK(want != u);
  CHECK(tn_rewrite_walk(t, &all, 0, u, set_looks, u) == want);
  CHECK(tn_rewrite_walk(t, &changed, ++t->ir->epoch, u, set_looks, u) == want);
  CHECK(changed.n < all.n);
  for (int i = 0; i < changed.cap; i++) n += changed.row[i].key && changed.row[i].key == changed.row[i].value;
  CHECK_EQ(n, 0);
  CHECK(tn_rewrite_walk(t, &changed, ++t->ir->epoch, want, set_looks, u) == want);
  n = 0;                                   // shared nodes are visited once
  tn_map none = {NULL, 0, 0};
  tn_rewrite_walk(t, &none, ++t->ir->epoch, parse(t, "s = (MUL a 1) (ADD (ADD s b) (MUL s s))"), set_count, &n);
  CHECK_EQ(n, 1);
  CHECK_EQ(none.n, 0);
  CHECK_EQ(t->code, TINY_OK);
}

static void test_divergence(tiny_ctx *t) {
  tn_rewrite(t, parse(t, "(ADD a 5)"), set_forever, NULL);
  CHECK_EQ(t->code, TINY_E_INTERNAL);
  CHECK_STR(t->message, "match: rewriting does not end; the last rule was\n  (ADD x 5)");
  t->code = TINY_OK;
  tn_rewrite(t, parse(t, "(ADD a 5)"), set_ring, NULL);
  CHECK_EQ(t->code, TINY_E_INTERNAL);
  t->code = TINY_OK;
  tiny_uop *u = parse(t, "a");             // a deep graph is no divergence
  tiny_uop *b = parse(t, "b");
  for (int i = 0; i < 50000; i++) u = add(mul(u, X(1)), b);
  CHECK(tn_rewrite(t, u, set_simple, NULL) != u);
  CHECK_EQ(t->code, TINY_OK);
}

static void test_trace(tiny_ctx *t) {
  t->log.fn = log_line;
  strcpy(t->debug, "r");
  tn_rewrite(t, parse(t, "(ADD (MUL a 1) 0)"), set_simple, NULL);
  t->debug[0] = 0;
  CHECK_STR(logged, "rule (MUL x 1)\n(MUL:index (ARG:index:1) 1)\n->\n(ARG:index:1)\nrule (ADD x:i 0)\n(ADD:index (ARG:index:1) 0)\n->\n(ARG:index:1)\n");
  logged[0] = 0;
  tn_match_log(t);
  CHECK(strstr(logged, "of") && strstr(logged, "(ADD (ADD x:i c0) c1)"));
}

static double now_ns(void) { return (double)clock() * 1e9 / CLOCKS_PER_SEC; }
static void print_speed(tiny_ctx *t) {
  const int set = tn_rules_find(t, set_simple);
  tiny_uop *u = parse(t, "(ADD (ADD i (MUL i i)) 7:i32)"), *deep = parse(t, "a");
  uint64_t before = 0, after = 0;
  int fired;
  for (int i = 0; i < t->match->nrules; i++) before += t->match->rules[i].attempts;
  double start = now_ns();
  for (int i = 0; i < 2000000; i++) tn_match_apply(t, set, u, NULL, &fired);
  const double apply_ns = (now_ns() - start) / 2e6;
  for (int i = 0; i < t->match->nrules; i++) after += t->match->rules[i].attempts;
  for (int i = 0; i < 5000; i++) deep = i & 1 ? mul(deep, deep) : add(deep, X(i + 3));
  start = now_ns();
  for (int i = 0; i < 20; i++) tn_rewrite(t, deep, set_count, &fired);
  printf("2 million nodes tried: %.1f ns each, %.2f attempts each past the filter; a walk: %.0f ns a node\n", apply_ns,
         (double)(after - before) / 2e6, (now_ns() - start) / 20 / 7500);
}

int main(void) {
  tiny_ctx *t = rules_open();
  test_patterns(t);
  test_permutations(t);
  test_errors(t);
  test_walks(t);
  test_marks(t);
  test_alone(t);
  test_divergence(t);
  test_trace(t);
  print_speed(t);
  rules_close(t);
  return test_report();
}
