// match: sets of rewrite rules, the patterns they are found by, and the walks that apply them to a fixed point.
//
// A set reads as algebra. Bodies see t (context), r (the root that matched), ctx (what the pass gave) and the names:
//     RULES(tn_rules_example, x, y, c0, c1)                  // names that patterns of this set may bind
//       USE(tn_rules_other)                                  // the rules of another set, tried at this place
//       RULE("(ADD|XOR x:i 0)")              return x;
//       RULE("(ADD (ADD x:i c0) c1)")        return add(x, add(c0, c1));
//       RULE("(LT x:x c0)")                  { if (x->vmax >= c0->k) return NULL; return B(1); }
//     RULES_END
// A body returns what r becomes, or NULL: the next permutation is tried, then the next rule. Bodies that declare
// variables or hold more than one statement need braces.
//
// Patterns are written as the IR prints: (OP|OP.. source..). An op may be a class: ALU CMP
// MOVEMENT COMM ASSOC, or _ for any.
//   x            any node; the same name twice: the same node        c c0 c1 ..  a CONST
//   0 1 -1 0.5   a CONST of that value, in any dtype                 _           any node, not bound
//   m=(MUL x y)  an inner node with a name                           ...         last: any further sources, or none
// Suffixes of an op or name: :i integers and INDEX, :f floats, :b bool, :x INDEX, :f32 .. a dtype,
// :k=3 :k=ADD the node's k.
//
// Commutative nodes match in every order of operands. A pattern becomes one list of checks per
// order that the structural order of operands (uop.c) lets occur; lists are sorted by root op and
// filtered by the ops of the first two sources.
#ifndef TN_IR_MATCH
#define TN_IR_MATCH
#ifndef TINY_AMALGAMATED
#include "print.c"
#endif

typedef tiny_uop *(*tn_rules_fn)(tiny_ctx *t, int at, tiny_uop **bound, void *ctx);

enum { TN_MAX_NAMES = 17, TN_MAX_PATTERN = 24, TN_ANY_DTYPE = (1 << TINY_DTYPE_COUNT) - 1 };
enum { TN_FREE = 127 };                    // stands for the op of a source that is not there
typedef struct tn_ops_mask { uint64_t bits[2]; } tn_ops_mask;

static int tn_mask_has(const tn_ops_mask *m, unsigned op) { return (int)(m->bits[op >> 6] >> (op & 63) & 1); }

// One pattern node: source `source` of register `of` goes to register `reg` and must pass the tests in `flags`.
enum { TN_CHECK_ROOT = 1, TN_CHECK_SAME = 2, TN_CHECK_NUMBER = 4, TN_CHECK_K = 8, TN_CHECK_COUNT = 16,
  TN_CHECK_REST = 32 };
typedef struct tn_check {
  tn_ops_mask ops;
  int64_t k;                               // TN_CHECK_K: the node's k; TN_CHECK_NUMBER: bits of an f64
  uint32_t dtypes; uint8_t of, source, reg, same, flags, nsrc;
} tn_check;
typedef struct tn_variant { tn_ops_mask first, second; uint32_t rule, check, nchecks, bound; } tn_variant;
typedef struct tn_rule {
  const char *text, *names;
  tn_rules_fn fn;
  int at, nnames;
  uint64_t hits, attempts;
} tn_rule;
typedef struct tn_rule_set {
  tn_rules_fn fn;
  uint32_t by_op[TINY_OP_COUNT + 1];       // where the variants of a root op begin
  int rule, rules_end, checks_end;         // its first rule, and what follows its last
  uint8_t fixed;                           // the flag of nodes that it leaves alone; 0: it has none
} tn_rule_set;

struct tn_match {
  tn_rule *rules; tn_check *checks; tn_variant *variants; tn_rule_set *sets;
  int nrules, caprules, nchecks, capchecks, nvariants, capvariants, nsets, capsets;
  int nfixed;                              // flags of nodes that sets have taken
  const char *names;                       // of the set that is registering, "r, x, y"
  int depth, ended;                        // sets opened and ended by the registration in progress
};

static int tn_match_open(tiny_ctx *t) {
  t->match = (struct tn_match *)tn_alloc(t, sizeof *t->match);
  return t->match != NULL;
}

// ** the form of a rule set: one function, a case for every rule. At 0 registers all, the line of a rule runs it **

#define TN_X(x) x
#define TN_EACH1(f, a) f(a)
#define TN_EACH2(f, a, ...) f(a) TN_X(TN_EACH1(f, __VA_ARGS__))
#define TN_EACH3(f, a, ...) f(a) TN_X(TN_EACH2(f, __VA_ARGS__))
#define TN_EACH4(f, a, ...) f(a) TN_X(TN_EACH3(f, __VA_ARGS__))
#define TN_EACH5(f, a, ...) f(a) TN_X(TN_EACH4(f, __VA_ARGS__))
#define TN_EACH6(f, a, ...) f(a) TN_X(TN_EACH5(f, __VA_ARGS__))
#define TN_EACH7(f, a, ...) f(a) TN_X(TN_EACH6(f, __VA_ARGS__))
#define TN_EACH8(f, a, ...) f(a) TN_X(TN_EACH7(f, __VA_ARGS__))
#define TN_EACH9(f, a, ...) f(a) TN_X(TN_EACH8(f, __VA_ARGS__))
#define TN_EACH10(f, a, ...) f(a) TN_X(TN_EACH9(f, __VA_ARGS__))
#define TN_EACH11(f, a, ...) f(a) TN_X(TN_EACH10(f, __VA_ARGS__))
#define TN_EACH12(f, a, ...) f(a) TN_X(TN_EACH11(f, __VA_ARGS__))
#define TN_COUNTED(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, each, ...) each
#define TN_EACH(f, ...) TN_X(TN_COUNTED(__VA_ARGS__, TN_EACH12, TN_EACH11, TN_EACH10, TN_EACH9, TN_EACH8, TN_EACH7, \
  TN_EACH6, TN_EACH5, TN_EACH4, TN_EACH3, TN_EACH2, TN_EACH1, 0)(f, __VA_ARGS__))
#define TN_NAME(a) tiny_uop *a = tn_bound ? *++tn_name : NULL; (void)a;

#define RULES(set, ...) \
  static tiny_uop *set(tiny_ctx *t, int at, tiny_uop **tn_bound, void *ctx) { \
    const tn_rules_fn tn_self = set; \
    tiny_uop **tn_name = tn_bound, *r = tn_bound ? *tn_bound : NULL; \
    TN_EACH(TN_NAME, __VA_ARGS__) (void)r; (void)ctx; (void)tn_name; (void)tn_self; \
    if (!at) tn_rules_begin(t, "r, " #__VA_ARGS__); \
    switch (at) { default:
#define RULE(pattern) if (at) return NULL; tn_rule_add(t, tn_self, __LINE__, pattern); if (0) case __LINE__:
#define USE(set)      if (at) return NULL; tn_rules_use(t, set);
#define RULES_END     if (at) return NULL; tn_rules_end(t); } return NULL; }

static void tn_rules_begin(tiny_ctx *t, const char *names) { t->match->names = names; t->match->depth++; }
static void tn_rules_end(tiny_ctx *t) { t->match->ended++; }
static void tn_rules_use(tiny_ctx *t, tn_rules_fn set) {
  const char *names = t->match->names;
  set(t, 0, NULL, NULL);
  t->match->names = names;
}

TN_SMALL_BEGIN
// ** parsing of patterns **

enum { TN_PAT_NUMBER = 1, TN_PAT_K = 2, TN_PAT_NODE = 4, TN_PAT_REST = 8, TN_PAT_COMM = 16 };
typedef struct tn_pat {
  tn_ops_mask ops; int64_t k; uint32_t dtypes;
  int8_t name; uint8_t flags, nsrc, src[TN_MAX_PATTERN]; // name: place in the set's names, or -1
  const char *begin, *end;                 // its text
} tn_pat;
typedef struct tn_pat_parser {
  tiny_ctx *t;
  const char *text, *at, *names;
  tn_pat node[TN_MAX_PATTERN];
  int n, failed;
} tn_pat_parser;

static int tn_pat_fail(tn_pat_parser *p, const char *what) {
  if (!p->failed)
    tiny_fail(p->t, TINY_E_INTERNAL, "match: %s\n  %s\n  %*s^", what, p->text, (int)(p->at - p->text), "");
  p->failed = 1;
  return 0;
}
static int tn_is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
static size_t tn_word(const char *s) { size_t n = 0; while (tn_is_word(s[n])) n++; return n; }

static const struct { const char *name; int flags; } tn_op_classes[] = {
  {"ALU", TINY_ALU}, {"CMP", TINY_CMP}, {"MOVEMENT", TINY_MOVEMENT}, {"COMM", TINY_COMM}, {"ASSOC", TINY_ASSOC},
  {"_", -1},
};
static int tn_pat_op(tn_pat_parser *p, tn_pat *u) {
  const size_t n = tn_word(p->at);
  int flags = 0;
  const int op = tn_word_op(p->at, n);
  for (size_t i = 0; i < sizeof tn_op_classes / sizeof *tn_op_classes; i++)
    if (tn_word_is(p->at, n, tn_op_classes[i].name)) flags = tn_op_classes[i].flags;
  if (op < 0 && !flags) return tn_pat_fail(p, "not an op or a class of ops");
  for (int i = 0; i < TINY_OP_COUNT; i++) {
    if (i == op || flags == -1 || tn_ops[i].flags & flags) u->ops.bits[i >> 6] |= (uint64_t)1 << (i & 63);
  }
  p->at += n;
  return 1;
}

static int tn_pat_dtypes(const char *s, size_t n) {
  int set = 0;
  for (int d = 0; d < TINY_DTYPE_COUNT; d++) {
    const int in = tn_word_is(s, n, tn_dtypes[d].name) ||
        (n == 1 &&
         ((*s == 'i' && tn_is_int(d)) || (*s == 'f' && tn_is_float(d)) || (*s == 'b' && d == TINY_BOOL) ||
          (*s == 'x' && d == TINY_INDEX)));
    set |= in << d;
  }
  return set;
}
static int tn_pat_suffixes(tn_pat_parser *p, tn_pat *u) {
  while (*p->at == ':') {
    size_t n = tn_word(++p->at);
    if (n == 1 && p->at[0] == 'k' && p->at[1] == '=') {
      p->at += 2;
      n = tn_word(p->at);
      const int op = tn_word_op(p->at, n);
      const char *end = NULL;
      u->k = op >= 0 ? op : tn_number_int(p->at, INT_MIN, INT_MAX, &end);
      if (op < 0 && end == p->at) return tn_pat_fail(p, "k is an op or an integer");
      u->flags |= TN_PAT_K;
      p->at = op >= 0 ? p->at + n : end;
      continue;
    }
    u->dtypes = (uint32_t)tn_pat_dtypes(p->at, n);
    if (!u->dtypes) return tn_pat_fail(p, "not a dtype or a class of dtypes");
    p->at += n;
  }
  return 1;
}

static int tn_pat_name(tn_pat_parser *p, tn_pat *u, size_t n) {
  int place = 0;
  if (n == 1 && *p->at == '_') return 1;
  for (const char *s = p->names; *s; s += *s == ',', s += *s == ' ', place++) {
    const size_t m = tn_word(s);
    if (m == n && !memcmp(s, p->at, n)) { u->name = (int8_t)place; return 1; }
    s += m;
  }
  return tn_pat_fail(p, "the set does not declare this name");
}

static int tn_pat_parse(tn_pat_parser *p, int *index);
static int tn_pat_sources(tn_pat_parser *p, tn_pat *u) {
  for (;;) {
    while (*p->at == ' ') p->at++;
    if (*p->at == ')') break;
    if (!strncmp(p->at, "...", 3)) {
      u->flags |= TN_PAT_REST; p->at += 3;
      if (*p->at != ')') return tn_pat_fail(p, "'...' comes last");
      break;
    }
    int s;
    if (!tn_pat_parse(p, &s)) return 0;
    u->src[u->nsrc++] = (uint8_t)s;
  }
  int fits = 0;
  for (int op = 0; op < TINY_OP_COUNT; op++) {
    const int want = tn_ops[op].nsrc;
    fits |= tn_mask_has(&u->ops, (unsigned)op) &&
        (want < 0 || (u->flags & TN_PAT_REST ? want >= u->nsrc : want == u->nsrc));
  }
  if (!fits) return tn_pat_fail(p, "this op takes another number of sources");
  p->at++;
  return 1;
}

static int tn_pat_parse(tn_pat_parser *p, int *index) {
  if (p->n == TN_MAX_PATTERN) return tn_pat_fail(p, "pattern too long");
  *index = p->n;
  tn_pat *u = &p->node[p->n++];
  memset(u, 0, sizeof *u);
  u->dtypes = TN_ANY_DTYPE; u->name = -1; u->begin = p->at;
  size_t n = tn_word(p->at);
  const int number = (*p->at >= '0' && *p->at <= '9') || *p->at == '-';
  if (number) {
    n = strcspn(p->at, " )");
    if (TN_RUNS_ONLY || !tn_parse_value(p->at, n, TINY_F64, &u->k)) return tn_pat_fail(p, "not a number");
    p->at += n;
    u->flags |= TN_PAT_NUMBER;
    u->ops.bits[0] = 1;                    // CONST is op 0
  } else if (n) {
    if (!tn_pat_name(p, u, n)) return 0;
    const char c = p->at[0];
    p->at += n;
    if (*p->at != '=') {
      u->ops.bits[0] = u->ops.bits[1] = ~(uint64_t)0;
      if (c == 'c' && (n == 1 || (u->begin[1] >= '0' && u->begin[1] <= '9'))) {
        u->ops.bits[0] = 1;
        u->ops.bits[1] = 0;
      }
      if (!tn_pat_suffixes(p, u)) return 0;
    } else { p->at++; n = 0; }
  }
  if (!n) {
    if (*p->at != '(') return tn_pat_fail(p, "expected '(', a name or a number");
    do { p->at++; if (!tn_pat_op(p, u)) return 0; } while (*p->at == '|');
    u->flags |= TN_PAT_NODE;
    if (!tn_pat_suffixes(p, u) || !tn_pat_sources(p, u)) return 0;
    u->flags |= u->nsrc == 2 && !(u->flags & TN_PAT_REST) ? TN_PAT_COMM : 0;
    for (int op = 0; op < TINY_OP_COUNT; op++) {
      if (tn_mask_has(&u->ops, (unsigned)op) && !tn_op_is(op, TINY_COMM)) u->flags &= (uint8_t)~TN_PAT_COMM;
    }
  }
  u->end = p->at;
  if (*p->at && *p->at != ' ' && *p->at != ')') return tn_pat_fail(p, "unexpected character");
  return 1;
}

// ** compiling: a list of checks for every order of operands that can occur **

static int tn_mask_top(const tn_ops_mask *m) {
  int op = 127;
  while (op >= 0 && !tn_mask_has(m, (unsigned)op)) op--;
  return op;
}
static int tn_mask_low(const tn_ops_mask *m) {
  int op = 0;
  while (op < 128 && !tn_mask_has(m, (unsigned)op)) op++;
  return op;
}

// Operands of commutative nodes stand in falling order of op, CONST (0) last: others never occur.
// Equal patterns need one order.
static int tn_pat_occurs(const tn_pat_parser *p, const tn_pat *u, int swapped) {
  const tn_pat *a = &p->node[u->src[swapped]], *b = &p->node[u->src[!swapped]];
  const size_t n = (size_t)(a->end - a->begin);
  if (swapped && n == (size_t)(b->end - b->begin) && !memcmp(a->begin, b->begin, n)) return 0;
  if (a->ops.bits[0] == 1 && !a->ops.bits[1]) return !swapped && b->ops.bits[0] == 1 && !b->ops.bits[1];
  return tn_mask_top(&a->ops) >= tn_mask_low(&b->ops);
}

static void *tn_match_grow(tiny_ctx *t, void *array, int n, int *cap, size_t nbytes) {
  if (n < *cap) return array;
  const int more = *cap ? *cap * 2 : 64;
  array = tn_realloc(t, array, (size_t)*cap * nbytes, (size_t)more * nbytes);
  *cap = more;
  return array;
}
#define TN_MATCH_PUSH(t, list, type) \
  ((t)->match->list = (type *)tn_match_grow(t, (t)->match->list, (t)->match->n##list, &(t)->match->cap##list, \
                                            sizeof(type)), \
   (type *)memset(&(t)->match->list[(t)->match->n##list++], 0, sizeof(type)))

// swaps has a bit for every node of the pattern. Nodes are checked breadth first: what is near the root fails first.
static void tn_pat_compile(tiny_ctx *t, const tn_pat_parser *p, uint32_t swaps, int nnames) {
  struct { uint8_t node, of, source; } todo[TN_MAX_PATTERN];
  int head = 0, tail = 1, free_reg = nnames;
  uint32_t bound = 0;
  tn_variant v;
  memset(&v, 0, sizeof v);
  for (int i = 0; i < 2; i++) v.first.bits[i] = v.second.bits[i] = ~(uint64_t)0;
  v.check = (uint32_t)t->match->nchecks;
  v.rule = (uint32_t)t->match->nrules - 1;
  todo[0].node = todo[0].of = todo[0].source = 0;
  for (; head < tail; head++) {
    const tn_pat *u = &p->node[todo[head].node];
    tn_check *c = TN_MATCH_PUSH(t, checks, tn_check);
    const int name = head == 0 ? 0 : u->name, again = name >= 0 && bound >> name & 1;
    c->ops = u->ops; c->dtypes = u->dtypes; c->k = u->k;
    c->of = todo[head].of; c->source = todo[head].source; c->nsrc = u->nsrc;
    c->reg = (uint8_t)(name < 0 || again ? free_reg++ : name);
    c->same = (uint8_t)(again ? name : 0);
    const int count = u->flags & TN_PAT_REST ? TN_CHECK_REST : u->flags & TN_PAT_NODE ? TN_CHECK_COUNT : 0;
    c->flags =
        (uint8_t)((head == 0 ? TN_CHECK_ROOT : 0) | (again ? TN_CHECK_SAME : 0) | count |
                  (u->flags & TN_PAT_NUMBER ? TN_CHECK_NUMBER : 0) | (u->flags & TN_PAT_K ? TN_CHECK_K : 0));
    if (name >= 0) bound |= (uint32_t)1 << name;
    for (int i = 0; i < u->nsrc; i++, tail++) {
      const int swapped = swaps >> todo[head].node & 1;
      todo[tail].node = u->src[swapped ? 1 - i : i]; todo[tail].of = c->reg; todo[tail].source = (uint8_t)i;
      if (head == 0 && i < 2) *(i ? &v.second : &v.first) = p->node[todo[tail].node].ops;
    }
  }
  v.nchecks = (uint32_t)(t->match->nchecks - (int)v.check);
  v.bound = bound;
  *TN_MATCH_PUSH(t, variants, tn_variant) = v;
}

static void tn_rule_add(tiny_ctx *t, tn_rules_fn fn, int at, const char *text) {
  tn_pat_parser *p = (tn_pat_parser *)tn_scratch(t, sizeof *p);
  p->t = t; p->text = p->at = text; p->names = t->match->names;
  int root, nnames = 1;
  for (const char *s = p->names; *s; s++) nnames += *s == ',';
  if (tn_pat_parse(p, &root) && *p->at) tn_pat_fail(p, "unexpected text after the pattern");
  if (p->failed) return;
  tn_rule *rule = TN_MATCH_PUSH(t, rules, tn_rule);
  rule->text = text; rule->names = p->names; rule->fn = fn; rule->at = at; rule->nnames = nnames;
  uint32_t comm = 0;
  for (int i = 0; i < p->n; i++) if (p->node[i].flags & TN_PAT_COMM) comm |= (uint32_t)1 << i;
  for (uint32_t swaps = 0;; swaps = (swaps - comm) & comm) {               // every subset of comm
    int occurs = 1;
    for (int i = 0; i < p->n; i++)
      if (comm >> i & 1) occurs &= tn_pat_occurs(p, &p->node[i], (int)(swaps >> i & 1));
    if (occurs) tn_pat_compile(t, p, swaps, nnames);
    if (swaps == comm) break;
  }
}
TN_SMALL_END

// The place of a set in the compiled ones; it is compiled at its first use. -1 when a pattern is
// wrong (the error is in t).
static int tn_rules_find(tiny_ctx *t, tn_rules_fn fn) {
  struct tn_match *m = t->match;
  for (int i = 0; i < m->nsets; i++) if (m->sets[i].fn == fn) return i;
  const tn_rule_set *last = m->nsets ? &m->sets[m->nsets - 1] : NULL;
  m->nrules = last ? last->rules_end : 0;  // drops what a registration that failed left behind
  m->nchecks = last ? last->checks_end : 0;
  m->nvariants = last ? (int)last->by_op[TINY_OP_COUNT] : 0;
  m->depth = m->ended = 0;
  tn_rule_set set;
  memset(&set, 0, sizeof set);
  set.fn = fn; set.rule = m->nrules;
  const int begin = m->nvariants;
  const tiny_code before = t->code;
  fn(t, 0, NULL, NULL);
  if (m->depth != m->ended) {
    tiny_fail(t, TINY_E_INTERNAL,
              "match: a body of more than one statement needs braces, after the rule\n  %s",
              m->nrules ? m->rules[m->nrules - 1].text : "");
    return -1;
  }
  if (before == TINY_OK && t->code != TINY_OK) return -1;
  const int n = m->nvariants - begin;
  tn_variant *all = (tn_variant *)tn_scratch(t, (size_t)(n + 1) * sizeof *all);
  memcpy(all, m->variants + begin, (size_t)n * sizeof *all);
  m->nvariants = begin;
  for (int op = 0; op < TINY_OP_COUNT; op++) {
    set.by_op[op] = (uint32_t)m->nvariants;
    for (int i = 0; i < n; i++) {
      if (tn_mask_has(&m->checks[all[i].check].ops, (unsigned)op))
        *TN_MATCH_PUSH(t, variants, tn_variant) = all[i];
    }
  }
  set.by_op[TINY_OP_COUNT] = (uint32_t)m->nvariants;
  set.rules_end = m->nrules; set.checks_end = m->nchecks;
  *TN_MATCH_PUSH(t, sets, tn_rule_set) = set;
  return m->nsets - 1;
}

// ** matching **

static int tn_match_number(const tiny_uop *u, int64_t bits) {
  const double x = tn_to_f64(bits);
  if (tn_is_float(u->dtype)) return u->k == bits;                          // by bits: 0 is not -0
  if (fabs(x) > 1e9 || (double)(int64_t)x != x) return 0;
  return u->k == (u->dtype == TINY_BOOL ? (int64_t)x : tn_dtype_wrap(u->dtype, (int64_t)x));
}

static int tn_match_checks(const tn_check *c, const tn_check *end, tiny_uop **reg) {
  for (; c < end; c++) {
    tiny_uop *u = c->flags & TN_CHECK_ROOT ? reg[0] : reg[c->of]->src[c->source];
    reg[c->reg] = u;
    if (!tn_mask_has(&c->ops, u->op) || !(c->dtypes >> u->dtype & 1)) return 0;
    if (c->flags & TN_CHECK_COUNT && u->nsrc != c->nsrc) return 0;
    if (!(c->flags & (TN_CHECK_SAME | TN_CHECK_NUMBER | TN_CHECK_K | TN_CHECK_REST))) continue;
    if (c->flags & TN_CHECK_REST && u->nsrc < c->nsrc) return 0;
    if (c->flags & TN_CHECK_SAME && reg[c->same] != u) return 0;
    if (c->flags & TN_CHECK_NUMBER && !tn_match_number(u, c->k)) return 0;
    if (c->flags & TN_CHECK_K && u->k != c->k) return 0;
  }
  return 1;
}

static TN_COLD void tn_match_trace(tiny_ctx *t, const tn_rule *rule, tiny_uop *before, tiny_uop *after) {
  tiny_bytes text = {t, NULL, 0, 0};
  tn_text_add(&text, "rule %s\n", rule->text);
  tn_print(t, before, &text);
  tn_text_add(&text, "\n->\n");
  tn_print(t, after, &text);
  tn_log_text(t, text.data);
}

// What one rule of the set makes of u, or NULL. *fired: which rule. A scalar for a vector is broadcast. A body may use
// other sets for the first time, which moves the lists: they are looked up again after it.
static tiny_uop *tn_match_apply(tiny_ctx *t, int index, tiny_uop *u, void *ctx, int *fired) {
  const struct tn_match *m = t->match;
  const tn_rule_set *set = &m->sets[index];
  const unsigned first = u->nsrc > 0 ? u->src[0]->op : (unsigned)TN_FREE;
  const unsigned second = u->nsrc > 1 ? u->src[1]->op : (unsigned)TN_FREE;
  tiny_uop *reg[TN_MAX_NAMES + TN_MAX_PATTERN];
  reg[0] = u;
  for (uint32_t i = set->by_op[u->op], end = set->by_op[u->op + 1]; i < end; i++) {
    const tn_variant *v = &m->variants[i];
    if (!tn_mask_has(&v->first, first) || !tn_mask_has(&v->second, second)) continue;
    const uint32_t number = v->rule;
    tn_rule *rule = &m->rules[number];
    rule->attempts++;
    if (!tn_match_checks(m->checks + v->check, m->checks + v->check + v->nchecks, reg)) continue;
    for (int n = 0; n < rule->nnames; n++) if (!(v->bound >> n & 1)) reg[n] = NULL;
    tiny_uop *w = rule->fn(t, rule->at, reg, ctx);
    if (!w || w == u) continue;
    if (w->lanes == 1 && u->lanes > 1)
      w = tn_uop_make(t, TINY_OP_BROADCAST, w->dtype, u->lanes, 1, &w, 0, 0, NULL);
    if (w == u) continue;
    m->rules[number].hits++;
    *fired = (int)number;
    if (!TN_RUNS_ONLY && tn_debug(t, 'r')) tn_match_trace(t, &m->rules[number], u, w);
    return w;
  }
  return NULL;
}

// ** walks to a fixed point. Heavy code only **

typedef struct tn_frame { tiny_uop *u, *wait; uint32_t next; } tn_frame;   // wait: u becomes what wait becomes
// Chains of rewrites longer than this, and than the graph is large, never end.
enum { TN_FIRINGS_DEEP = 10000, TN_FIRINGS = 1 << 26 };

// What is known of a walk's nodes. map: of what is done to its result. What a set leaves alone needs no row: it carries
// the set's bit in flags, or the mark `alone`, if that is not 0.
typedef struct tn_memo { tn_map *map; uint32_t alone; uint8_t fixed; } tn_memo;

// What u becomes; NULL: it is not known.
static tiny_uop *tn_rewrite_known(const tn_memo *memo, tiny_uop *u) {
  if (u->flags & memo->fixed || (memo->alone && u->mark == memo->alone)) return u;
  return (tiny_uop *)tn_map_get(memo->map, u);
}
// What u becomes, after it has been visited: a mark may have been taken by another walk, in the body of a rule.
static tiny_uop *tn_rewrite_result(const tn_memo *memo, tiny_uop *u) {
  tiny_uop *known = tn_rewrite_known(memo, u);
  return known || !memo->alone ? known : u;
}
static void tn_rewrite_done(tiny_ctx *t, const tn_memo *memo, tiny_uop *u, tiny_uop *w) {
  if (memo->fixed) u->flags |= memo->fixed;
  else if (memo->alone && u == w) u->mark = memo->alone;
  else tn_map_set(t, memo->map, u, w);
}

static tiny_uop *tn_rewrite_sources(tiny_ctx *t, const tn_memo *memo, tiny_uop *u) {
  tiny_uop *few[8], **src = u->nsrc <= 8 ? few : (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
  int changed = 0;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    src[i] = tn_rewrite_result(memo, u->src[i]);
    changed |= src[i] != u->src[i];
  }
  return changed ? tn_uop_with(t, u, src) : u;
}

// The same node of what a map that has all of its sources makes of them.
static tiny_uop *tn_map_sources(tiny_ctx *t, tn_map *map, tiny_uop *u) {
  const tn_memo memo = {map, 0, 0};
  return tn_rewrite_sources(t, &memo, u);
}

static TN_COLD int tn_rewrite_diverges(tiny_ctx *t, tiny_uop *root, int depth, int *limit, int rule) {
  if (depth <= *limit) return 0;
  if (*limit == TN_FIRINGS_DEEP) {
    tn_list all = {NULL, 0, 0};
    tn_toposort(t, root, &all);
    *limit += 4 * all.n;
    if (depth <= *limit) return 0;
  }
  tiny_fail(t, TINY_E_INTERNAL, "match: rewriting does not end; the last rule was\n  %s",
            t->match->rules[rule].text);
  return 1;
}

// The flag by which a set marks what it leaves alone: the first TN_NODE_SETS that ask have one each.
static uint8_t tn_rules_fixed(struct tn_match *m, int set) {
  tn_rule_set *s = &m->sets[set];
  if (!s->fixed && m->nfixed < TN_NODE_SETS) s->fixed = (uint8_t)(1 << m->nfixed++);
  return s->fixed;
}

// map: what is done to its result; what it holds at first is taken as given. fn may be NULL: only the map acts. alone:
// an epoch, which nothing but the bodies of rules may begin after it, or 0. A set without ctx on an empty map depends
// on the node alone: what it leaves alone is marked, and never tried again.
static tiny_uop *tn_rewrite_walk(tiny_ctx *t, tn_map *map, uint32_t alone, tiny_uop *root, tn_rules_fn fn, void *ctx) {
  const int set = fn ? tn_rules_find(t, fn) : 0;
  if (set < 0) return root;
  const tn_memo all = {map, alone, (uint8_t)(fn && !ctx && !map->n ? tn_rules_fixed(t->match, set) : 0)}, *memo = &all;
  tiny_uop *known = tn_rewrite_known(memo, root);
  if (known) return known;
  tn_frame *stack = NULL;
  int n = 0, cap = 0, deep = 0, limit = TN_FIRINGS_DEEP, rule = 0, fired = 0;
  TN_PUSH(t, stack, n, cap, tn_frame)->u = root;
  while (n) {
    tn_frame *f = &stack[n - 1];
    tiny_uop *u = f->u;
    if (f->wait) {
      tn_map_set(t, map, u, tn_rewrite_result(memo, f->wait));
      deep--; n--;
      continue;
    }
    while (f->next < u->nsrc && tn_rewrite_known(memo, u->src[f->next])) f->next++;
    if (f->next < u->nsrc) {
      tiny_uop *s = u->src[f->next];
      tn_frame *g = TN_PUSH(t, stack, n, cap, tn_frame);
      memset(g, 0, sizeof *g);
      g->u = s;
      continue;
    }
    tiny_uop *w = tn_rewrite_sources(t, memo, u), *next = w;
    if (w == u) next = fn ? tn_match_apply(t, set, u, ctx, &rule) : NULL;
    if (!next || !fn) {
      tn_rewrite_done(t, memo, u, w);
      n--;
      continue;
    }
    f->wait = next;
    if (tn_rewrite_diverges(t, root, ++deep, &limit, rule)) return root;
    if (++fired == TN_FIRINGS) { tn_stop(t, "match: rewriting does not end"); return root; }
    if (!tn_rewrite_known(memo, next)) {
      tn_frame *g = TN_PUSH(t, stack, n, cap, tn_frame);
      memset(g, 0, sizeof *g);
      g->u = next;
    }
  }
  return tn_rewrite_result(memo, root);
}

// root with the rules of a set applied until none applies. On an error in t the result is root.
static tiny_uop *tn_rewrite(tiny_ctx *t, tiny_uop *root, tn_rules_fn set, void *ctx) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_map memo = {NULL, 0, 0};
  root = tn_rewrite_walk(t, &memo, 0, root, set, ctx);
  tn_scratch_rewind(t, mark);
  return root;
}

// root with the keys of the map replaced by its values, which are not searched again. The map
// grows: it is the walk's memo.
static tiny_uop *tn_substitute(tiny_ctx *t, tiny_uop *root, tn_map *from_to) {
  return tn_rewrite_walk(t, from_to, 0, root, NULL, NULL);
}

// ** end **

static void tn_match_log(tiny_ctx *t) {
  for (int i = 0; i < t->match->nrules; i++) {
    const tn_rule *rule = &t->match->rules[i];
    const unsigned long long hits = rule->hits, attempts = rule->attempts;
    if (attempts) tn_log(t, "%9llu of %9llu  %s", hits, attempts, rule->text);
  }
}
static void tn_match_close(tiny_ctx *t) {
  struct tn_match *m = t->match;
  if (!m) return;
  if (!TN_RUNS_ONLY && tn_debug(t, 'R')) tn_match_log(t);
  tn_release(t, m->rules, (size_t)m->caprules * sizeof *m->rules);
  tn_release(t, m->checks, (size_t)m->capchecks * sizeof *m->checks);
  tn_release(t, m->variants, (size_t)m->capvariants * sizeof *m->variants);
  tn_release(t, m->sets, (size_t)m->capsets * sizeof *m->sets);
  tn_release(t, m, sizeof *m);
  t->match = NULL;
}
#endif
