// Rules test themselves: every pattern of every set is filled with random operands until its rule fires, and both sides are
// evaluated on random values: integers must be equal, floats to the bit unless the set states a licence. A rule that cannot be
// made to fire fails. `test_rules --smt` prints integer instances for tools/prove_rules.py instead.
#include "../src/rules/reduce.c"
#include "../src/isa/x86_rules.c"
#include "test.h"
#include "rules_eval.h"

typedef struct { const char *name; tn_rules_fn fn; int licence; } set_row;   // licence: floats may differ by rounding
static const set_row sets[] = {
  {"fold", tn_rules_fold, 0}, {"arithmetic", tn_rules_arithmetic, 0}, {"bool", tn_rules_bool, 0}, {"compare", tn_rules_compare, 0},
  {"cast", tn_rules_cast, 0}, {"divmod", tn_rules_divmod, 0}, {"symbolic", tn_rules_symbolic, 0}, {"gate", tn_rules_gate, 0}, {"reduce", tn_rules_reduce, 1},
  {"x86", tn_x86_rules, 0},
};

// ** operands **

typedef struct { tiny_ctx *t; tn_pat_parser p; tiny_uop *bound[TN_MAX_NAMES]; tiny_uop *vars[24]; int nvars; } maker;

static int pick_dtype(int mask) {
  static const int common[] = {TINY_BOOL, TINY_I8, TINY_U8, TINY_I16, TINY_I32, TINY_U32, TINY_I64, TINY_U64, TINY_F32, TINY_F64, TINY_F16, TINY_F8E4M3, TINY_F8E5M2, TINY_INDEX, TINY_INDEX, TINY_INDEX};
  for (int i = 0; i < 100; i++) { const int d = common[rng() % (sizeof common / sizeof *common)]; if (mask >> d & 1) return d; }
  return -1;
}

static tiny_uop *variable(maker *m, int dtype) {
  for (int i = 0; i < m->nvars; i++) if (m->vars[i]->dtype == dtype && rng() % 2) return m->vars[i];
  if (m->nvars == 24) return NULL;
  const int64_t low = tn_is_unsigned(dtype) || dtype == TINY_BOOL || rng() % 2 ? 0 : -rng_in(1, 20), v[2] = {low, low + rng_in(0, 30)};
  tiny_uop *u = dtype == TINY_INDEX && rng() % 2 ? tn_range(m->t, rng_in(1, 9), TN_LOOP)
              : tn_uop_make(m->t, TINY_OP_ARG, dtype, 1, 0, NULL, (int64_t)m->nvars, tn_is_int(dtype) && (dtype == TINY_INDEX || rng() % 2) ? 2 : 0, v);
  return m->vars[m->nvars++] = u;
}
static tiny_uop *constant(maker *m, int dtype) {
  static const double floats[] = {0, -0.0, 1, -1, 0.5, 2, 3, -2.25, 1e30, -8, 1024};
  if (tn_is_float(dtype)) return rng() % 16 ? tn_number(m->t, dtype, floats[rng() % 11]) : tn_number(m->t, dtype, rng() % 2 ? HUGE_VAL : (double)NAN);
  if (dtype != TINY_INDEX && rng() % 8 == 0) return tn_int(m->t, dtype, rng() % 2 ? tn_dtype_max(dtype) : (int64_t)rng());
  return tn_int(m->t, dtype, rng() % 3 ? rng_in(0, 9) : rng_in(-20, 40));
}
static tiny_uop *operand(maker *m, int dtype, int depth) {
  tiny_ctx *t = m->t;
  if (!depth || rng() % 3 == 0) return variable(m, dtype);
  if (rng() % 8 == 0) return constant(m, dtype);
  if (dtype == TINY_BOOL) {
    const int d = rng() % 3 ? (int)TINY_INDEX : pick_dtype(~(1 << TINY_VOID | 1 << TINY_BOOL));
    tiny_uop *x = operand(m, d, depth - 1), *y = rng() % 2 ? constant(m, d) : operand(m, d, depth - 1);
    if (!x || !y) return NULL;
    x = tn_u2(t, rng() % 3 ? TINY_OP_LT : TINY_OP_NE, x, y);
    return rng() % 2 ? x : tn_not(t, x);
  }
  tiny_uop *x = operand(m, dtype, depth - 1), *y = operand(m, dtype, depth - 1);
  if (!x || !y) return NULL;
  if (tn_is_float(dtype)) return tn_u2(t, rng() % 2 ? TINY_OP_ADD : TINY_OP_MUL, x, y);
  switch (rng() % 4) {
    case 0: return tn_u2(t, TINY_OP_ADD, x, y);
    case 1: return tn_u2(t, TINY_OP_MUL, x, tn_int(t, dtype, rng_in(1, 6)));
    case 2: return tn_u2(t, TINY_OP_IDIV, x, tn_int(t, dtype, rng_in(1, 6)));
    default: return tn_u2(t, TINY_OP_MOD, x, tn_int(t, dtype, rng_in(1, 6)));
  }
}
static tiny_uop *load(maker *m, int dtype) {
  const int64_t nelem = 64;
  tiny_uop *s[3] = {tn_uop_make(m->t, TINY_OP_PARAM, dtype, 1, 0, NULL, 0, 1, &nelem), tn_range(m->t, 9, TN_LOOP), operand(m, TINY_BOOL, 1)};
  if (m->nvars == 24 || !s[2]) return NULL;
  m->vars[m->nvars++] = s[1];
  tiny_uop *index = tn_uop_make(m->t, TINY_OP_INDEX, dtype, 1, rng() % 2 ? 2 : 3, s, 0, 0, NULL);
  return tn_uop_make(m->t, TINY_OP_LOAD, dtype, 1, 1, &index, 0, 0, NULL);
}

// ** a node that a pattern matches, of a dtype **

static const int no_instance = TINY_OP_COUNT;
static int pick_op(const tn_ops_mask *ops, int dtype, int nsrc) {
  const int is_float = tn_is_float(dtype), is_bool = dtype == TINY_BOOL;
  for (int i = 0; i < 400; i++) {
    const int op = (int)(rng() % TINY_OP_COUNT);
    if (!tn_mask_has(ops, (unsigned)op) || (tn_ops[op].nsrc >= 0 && tn_ops[op].nsrc != nsrc)) continue;
    switch (op) {
      case TINY_OP_EXP2: case TINY_OP_LOG2: case TINY_OP_SIN: case TINY_OP_SQRT: case TINY_OP_FDIV: if (!is_float) continue; break;
      case TINY_OP_AND: case TINY_OP_OR: case TINY_OP_XOR: if (is_float) continue; break;
      case TINY_OP_SHL: case TINY_OP_SHR: case TINY_OP_IDIV: case TINY_OP_MOD: case TINY_OP_CDIV: case TINY_OP_CMOD: if (!tn_is_int(dtype)) continue; break;
      case TINY_OP_SUB: case TINY_OP_NEG: case TINY_OP_TRUNC: case TINY_OP_POW: if (is_bool) continue; break;
      case TINY_OP_LT: case TINY_OP_NE: case TINY_OP_EQ: if (!is_bool) continue; break;
      case TINY_OP_THREEFRY: if (dtype != TINY_U32) continue; break;
      case TINY_OP_DOT: if (dtype != TINY_I32) continue; break;
      case TINY_OP_FMA: if (dtype != TINY_F32 && dtype != TINY_F64) continue; break;
      default: break;
    }
    return op;
  }
  return no_instance;
}

static tiny_uop *make(maker *m, int node, int dtype);
// dtype of a source; same: what the sources share
static int source_dtype(int op, int i, int dtype, int same) {
  if (op == TINY_OP_WHERE) return i ? dtype : (int)TINY_BOOL;
  if (tn_op_is(op, TINY_CMP) || op == TINY_OP_CAST) return same;
  if (op == TINY_OP_INDEX) return i == 0 ? dtype : i == 1 ? (int)TINY_INDEX : (int)TINY_BOOL;
  if (op == TINY_OP_REDUCE && i) return TINY_INDEX;
  if (op == TINY_OP_DOT && i < 2) return TINY_U32;
  return dtype;
}
static tiny_uop *make_leaf(maker *m, const tn_pat *u, int dtype) {
  if (u->flags & TN_PAT_NUMBER) {
    const double x = tn_to_f64(u->k);
    return tn_is_float(dtype) ? tn_number(m->t, dtype, x) : tn_int(m->t, dtype, (int64_t)(x > -1e9 && x < 1e9 ? x : 0));
  }
  if (u->ops.bits[0] == 1 && !u->ops.bits[1]) return constant(m, dtype);
  return rng() % 12 == 0 ? constant(m, dtype) : rng() % 16 == 0 && dtype != TINY_INDEX && dtype != TINY_BOOL ? load(m, dtype) : operand(m, dtype, (int)(rng() % 3));
}
static tiny_uop *make_node(maker *m, const tn_pat *u, int dtype) {
  const int op = pick_op(&u->ops, dtype, u->nsrc), same = pick_dtype(~(1 << TINY_VOID));
  tiny_uop *src[TN_MAX_PATTERN + 2];
  int n = u->nsrc;
  if (op == no_instance) return NULL;
  for (int i = 0; i < n; i++) {
    const tn_pat *s = &m->p.node[u->src[i]];
    if (op == TINY_OP_INDEX && i == 0) {
      const int64_t nelem = 64;
      src[i] = tn_uop_make(m->t, TINY_OP_PARAM, dtype, 1, 0, NULL, 0, 1, &nelem);
      if (s->name >= 0) m->bound[s->name] = src[i];
    } else if (op == TINY_OP_REDUCE && i) {
      src[i] = tn_range(m->t, rng_in(1, 5), TN_REDUCE);
      if (s->name >= 0) m->bound[s->name] = src[i];
    } else src[i] = make(m, u->src[i], source_dtype(op, i, dtype, same));
    if (!src[i]) return NULL;
  }
  if (op == TINY_OP_REDUCE && n > 1 && rng() % 2) {         // the value uses the range
    tiny_uop *p = tn_u2(m->t, rng() % 2 ? TINY_OP_LT : TINY_OP_NE, src[n - 1], rng() % 2 ? tn_index(m->t, rng_in(-2, 6)) : variable(m, TINY_INDEX));
    src[0] = tn_u3(m->t, TINY_OP_WHERE, rng() % 2 ? p : tn_not(m->t, p), src[0], tn_number(m->t, dtype, 0));
  }
  if (op == TINY_OP_REDUCE && n == 1) return NULL;
  const int kinds[3] = {TINY_OP_ADD, TINY_OP_MUL, TINY_OP_MAX};
  const int64_t k = u->flags & TN_PAT_K ? u->k : op == TINY_OP_REDUCE ? kinds[rng() % 3] : op == TINY_OP_THREEFRY ? (int64_t)(rng() % 2) : op == TINY_OP_DOT ? (int64_t)TINY_DOT_U8_I8 : 0;
  if (op == TINY_OP_BITCAST && tn_bits(src[0]->dtype) != tn_bits(dtype)) return NULL;
  return tn_uop_make(m->t, op, dtype, 1, n, src, k, 0, NULL);
}
static tiny_uop *make(maker *m, int node, int dtype) {
  const tn_pat *u = &m->p.node[node];
  if (!(u->dtypes >> dtype & 1)) return NULL;
  if (u->name >= 0 && m->bound[u->name]) return m->bound[u->name]->dtype == dtype ? m->bound[u->name] : NULL;
  tiny_uop *made = u->flags & TN_PAT_NODE ? make_node(m, u, dtype) : make_leaf(m, u, dtype);
  if (u->name >= 0) m->bound[u->name] = made;
  return made;
}

// What one rule makes of u, by any of its variants.
static tiny_uop *fire(tiny_ctx *t, int set, int number, tiny_uop *u) {
  tiny_uop *reg[TN_MAX_NAMES + TN_MAX_PATTERN];
  for (uint32_t i = t->match->sets[set].by_op[u->op]; i < t->match->sets[set].by_op[u->op + 1]; i++) {
    const tn_variant *v = &t->match->variants[i];
    const tn_rule *rule = &t->match->rules[number];
    reg[0] = u;
    if ((int)v->rule != number || !tn_match_checks(t->match->checks + v->check, t->match->checks + v->check + v->nchecks, reg)) continue;
    for (int n = 0; n < rule->nnames; n++) if (!(v->bound >> n & 1)) reg[n] = NULL;
    tiny_uop *w = rule->fn(t, rule->at, reg, NULL);
    if (w && w != u) return w;
  }
  return NULL;
}

// ** both sides, evaluated **

static int64_t random_value(const tiny_uop *u) {
  static const double floats[] = {0, -0.0, 1, -1, 0.5, 3, 1e30, -7.25};
  if (tn_is_float(u->dtype)) return rng() % 8 ? tn_dtype_value(u->dtype, floats[rng() % 8]) : tn_dtype_value(u->dtype, rng() % 2 ? HUGE_VAL : (double)NAN);
  if (u->op == TINY_OP_RANGE || u->nv == 2) return rng_in(u->vmin, u->vmax);
  return tn_dtype_wrap(u->dtype, rng() % 2 ? (int64_t)rng() : rng() % 2 ? rng_in(-4, 4) : tn_wrap_add(tn_dtype_min(u->dtype), rng_in(-2, 2)));
}
static int agree(int dtype, int64_t a, int64_t b, int licence) {
  if (a == b || (licence < 0 && tn_to_f64(a) == tn_to_f64(b))) return 1;
  if (licence <= 0 || !tn_is_float(dtype)) return 0;
  const double x = tn_to_f64(a), y = tn_to_f64(b);
  const double step = ldexp(2, -tn_dtypes[dtype].mantissa), least = ldexp(step, tn_dtypes[dtype].least);   // a few roundings
  return fabs(x - y) <= fmax(1e-2, step) * fabs(x) + fmax(1e-6, least) || x - x != 0 || y - y != 0;
}
static tiny_uop *as_value(tiny_ctx *t, tiny_uop *u) { return u->op == TINY_OP_INDEX ? tn_uop_make(t, TINY_OP_LOAD, u->dtype, 1, 1, &u, 0, 0, NULL) : u; }

static void show(tiny_ctx *t, const char *what, tiny_uop *u) {
  char text[4096];
  tiny_uop_print(t, u, text, sizeof text);
  fprintf(stderr, "    %s %s\n", what, text);
}
static int compare(tiny_ctx *t, const maker *m, tiny_uop *u, tiny_uop *w, int licence) {
  u = as_value(t, u); w = as_value(t, w);
  if (u->dtype != w->dtype) return 0;
  for (int i = 0; i < 25; i++) {
    env e;
    e.n = e.stray = 0;
    for (int j = 0; j < m->nvars; j++) env_set(&e, m->vars[j], random_value(m->vars[j]));
    const int64_t a = eval_in(t, &e, u);
    const int strayed = e.stray;
    const int64_t b = eval_in(t, &e, w);
    if (agree(u->dtype, a, b, licence) && (strayed || !e.stray)) continue;
    fprintf(stderr, "    %lld, but then %lld%s\n", (long long)a, (long long)b, e.stray && !strayed ? " with a stray load" : "");
    return 0;
  }
  return 1;
}

// ** instances for the prover **

static int provable(tiny_ctx *t, tiny_uop *u) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, u, &all);
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *x = all.u[i];
    if (x->dtype != TINY_BOOL && !tn_is_int(x->dtype)) return 0;
    switch (x->op) {
      case TINY_OP_CONST: case TINY_OP_ARG: case TINY_OP_RANGE: case TINY_OP_ADD: case TINY_OP_MUL: case TINY_OP_IDIV: case TINY_OP_MOD: case TINY_OP_MAX:
      case TINY_OP_LT: case TINY_OP_NE: case TINY_OP_WHERE: case TINY_OP_SUB: case TINY_OP_NEG: break;
      case TINY_OP_AND: case TINY_OP_OR: case TINY_OP_XOR: if (x->dtype == TINY_INDEX) return 0; break;
      case TINY_OP_CAST: if (x->dtype == TINY_BOOL || ((x->dtype == TINY_INDEX) != (x->src[0]->dtype == TINY_INDEX) && x->src[0]->dtype != TINY_BOOL)) return 0; break;
      default: return 0;
    }
  }
  return 1;
}
static void print_smt(tiny_ctx *t, const char *rule, tiny_uop *u, tiny_uop *w) {
  printf("; %s\n", rule);
  tiny_uop *both[2] = {u, w};
  tiny_uop *pair = tn_uop_make(t, TINY_OP_GROUP, TINY_VOID, 1, 2, both, 0, 0, NULL);
  tn_list all = {NULL, 0, 0};
  tn_map number = {NULL, 0, 0};
  tn_toposort(t, pair, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *x = all.u[i];
    tn_map_set(t, &number, x, (void *)(intptr_t)i);
    if (x == pair) printf("= %d %d\n", (int)(intptr_t)tn_map_get(&number, u), (int)(intptr_t)tn_map_get(&number, w));
    else {
      printf("%d %s %s", i, tiny_op_name(x->op), tiny_dtype_name((tiny_dtype)x->dtype));
      if (x->op == TINY_OP_CONST) printf(" %lld", (long long)x->k);
      if (x->op == TINY_OP_ARG || x->op == TINY_OP_RANGE) printf(" %lld %lld", (long long)x->vmin, (long long)x->vmax);
      else for (uint32_t s = 0; s < x->nsrc; s++) printf(" %d", (int)(intptr_t)tn_map_get(&number, x->src[s]));
      printf("\n");
    }
  }
}

// ** all rules **

#ifdef __has_feature
  #if __has_feature(address_sanitizer)     // six times as slow
    #define FEWER 6
  #endif
#endif
#ifndef FEWER
  #define FEWER 1
#endif
enum { TRIES = 8000, INSTANCES = 100 / FEWER, PROOFS = 3 };
static uint64_t first_state = 1;
static void test_rule(tiny_ctx *t, const set_row *row, int set, int number, int smt) {
  int fired = 0, wrong = 0, printed = 0;
  const char *text = t->match->rules[number].text;
  if (!case_named("%s", text)) return;
  rng_state = tn_hash_mix(first_state, (uint64_t)number);  // the same whether others are tried or not
  for (int i = 0; i < TRIES && fired < INSTANCES * (smt ? 4 : 1); i++) {
    rules_renew(t);
    maker *m = (maker *)tn_scratch(t, sizeof *m);
    int root;
    m->t = t; m->p.t = t; m->p.text = m->p.at = text; m->p.names = t->match->rules[number].names;
    if (!tn_pat_parse(&m->p, &root)) return;
    const int dtype = pick_dtype(m->p.node[root].dtypes);
    tiny_uop *u = dtype < 0 ? NULL : make(m, root, dtype), *w = u ? fire(t, set, number, u) : NULL;
    if (!w) continue;
    fired++;
    if (smt) {
      if (printed < PROOFS && provable(t, u) && provable(t, w)) { print_smt(t, text, u, w); printed++; }
      continue;
    }
    if (compare(t, m, u, w, (strstr(text, "MAX") || u->op == TINY_OP_MAX) && tn_is_float(u->dtype) ? -1 : row->licence)) continue;   // -1: signs of zeros may differ
    if (wrong++ == 0) { show(t, "from", u); show(t, "to  ", w); }
  }
  if (smt) return;
  if (!fired) fprintf(stderr, "    no instance of this fired (set %s):\n", row->name);
  test_check(fired && !wrong, t->match->rules[number].text, t->match->rules[number].at, row->name);
}

int main(int argc, char **argv) {
  const int smt = argc > 1 && !strcmp(argv[1], "--smt");
  tiny_ctx *t = rules_open();
  if (argc > 2) first_state = (uint64_t)atoll(argv[2]);
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    const int set = tn_rules_find(t, sets[i].fn);
    CHECK(set >= 0);
    if (set < 0) { fprintf(stderr, "%s\n", t->message); continue; }
    for (int number = t->match->sets[set].rule; number < t->match->sets[set].rules_end; number++) {
      const tn_rules_fn own = t->match->rules[number].fn;
      if (own == sets[i].fn) test_rule(t, &sets[i], set, number, smt);   // what it uses is tested with its own set
    }
  }
  rules_close(t);
  return smt ? 0 : test_report();
}
