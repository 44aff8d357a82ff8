// valid: what a condition tells about the expressions that are only looked at where it holds.
//
// In:  an expression, and a condition: clauses x < k and !(x < k) joined by AND, as masks of pads
//      and shrinks give them.
// Out: the expression in a simpler form, equal wherever the condition holds; the condition without clauses that the
//      others imply. So (r - 1) // 4 under 1 <= r < 5 is 0, and the gate of a load keeps only what can fail.
#ifndef TN_RULES_VALID
#define TN_RULES_VALID
#ifndef TINY_AMALGAMATED
#include "symbolic.c"
#include "../ir/kernel.c"
#endif

// What is known: an integer node and the bounds that the condition gives it.
typedef struct tn_fact { tiny_uop *x; int64_t low, high; } tn_fact;
typedef struct tn_facts { tn_fact fact[2 * TN_MAX_CLAUSES]; int n; } tn_facts;

static void tn_fact_add(tn_facts *f, tiny_uop *x, int64_t low, int64_t high) {
  int i = 0;
  while (i < f->n && f->fact[i].x != x) i++;
  if (i == f->n) {
    if (f->n == (int)(sizeof f->fact / sizeof *f->fact)) return;
    f->fact[f->n].x = x; f->fact[f->n].low = x->vmin; f->fact[f->n++].high = x->vmax;
  }
  if (low > f->fact[i].low) f->fact[i].low = low;
  if (high < f->fact[i].high) f->fact[i].high = high;
}

// From low <= sum <= high: bounds of every single term, the others being at their ends.
static void tn_facts_of_terms(tn_facts *f, const tn_affine *a, int64_t low, int64_t high) {
  for (int i = 0; i < a->n; i++) {
    tn_affine others = *a;
    tn_affine_drop(&others, i);
    int64_t least, most;
    tn_affine_bounds(&others, &least, &most);
    const int64_t c = a->term[i].c;
    if (c < -(1 << 30) || c > 1 << 30 || least < -((int64_t)1 << 60) || most > (int64_t)1 << 60) continue;
    const int64_t from = low == INT64_MIN ? low : low - most, to = high == INT64_MAX ? high : high - least;   // of c x
    const int64_t size = c > 0 ? c : -c;
    const int64_t p = from == INT64_MIN ? from : -tn_floor_div(-from, size),
                  q = to == INT64_MAX ? to : tn_floor_div(to, size);
    if (c > 0) tn_fact_add(f, a->term[i].x, p, q);
    else tn_fact_add(f, a->term[i].x, q == INT64_MAX ? INT64_MIN : -q, p == INT64_MIN ? INT64_MAX : -p);
  }
}

// Bounds of what is compared (whole sums first), then of the terms of sums.
static void tn_facts_of(tn_facts *f, tiny_uop **clauses, int n) {
  tn_clause c;
  f->n = 0;
  for (int i = 0; i < n; i++)
    if (tn_clause_of(clauses[i], &c) && c.k > -((int64_t)1 << 60) && c.k < (int64_t)1 << 60)
      tn_fact_add(f, c.x, c.upper ? INT64_MIN : c.k, c.upper ? c.k - 1 : INT64_MAX);
  for (int i = 0, sums = f->n; i < sums; i++) {
    tn_affine a;
    tn_affine_start(&a, TINY_INDEX);
    const tn_fact known = f->fact[i];
    if (known.x->op == TINY_OP_ADD && tn_affine_add(&a, known.x, 1, 1))
      tn_facts_of_terms(f, &a, known.low, known.high);
    if (known.x->op == TINY_OP_MUL && tn_affine_add(&a, known.x, 1, 1))
      tn_facts_of_terms(f, &a, known.low, known.high);
  }
}

static int tn_node_count(tiny_ctx *t, tiny_uop *u) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, u, &all);
  return all.n;
}

// A variable of x's dtype that lies within the bounds: it stands for x while they hold.
static tiny_uop *tn_stand_in(tiny_ctx *t, const tn_fact *known, int number) {
  const int64_t v[2] = {known->low, known->high};
  return tn_uop_make(t, TINY_OP_ARG, known->x->dtype, known->x->lanes, 0, NULL, -1 - number, 2, v);
}
// There and back: from -> to, simplify, back -> from, simplify.
static tiny_uop *tn_simplify_as(tiny_ctx *t, tiny_uop *u, tn_map *there, tn_map *back) {
  tiny_uop *w = tn_rewrite(t, tn_substitute(t, u, there), tn_rules_symbolic, NULL);
  return tn_rewrite(t, tn_substitute(t, w, back), tn_rules_symbolic, NULL);
}

// Loads within u happen whether the condition holds or not: their indices and gates stay.
static void tn_keep_loads(tiny_ctx *t, tiny_uop *u, tn_map *map) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, u, &all);
  for (int i = 0; i < all.n; i++) if (all.u[i]->op == TINY_OP_LOAD) tn_map_set(t, map, all.u[i], all.u[i]);
}

// u, simplified as far as the condition allows. Where the condition does not hold the result is any value.
static tiny_uop *tn_simplify_given(tiny_ctx *t, tiny_uop *u, tiny_uop *valid) {
  tiny_uop *clauses[TN_MAX_CLAUSES];
  const int n = tn_clauses(valid, TINY_OP_AND, clauses);
  tn_facts f;
  u = tn_rewrite(t, u, tn_rules_symbolic, NULL);
  if (n <= 0 || tn_is_const(u)) return u;
  tn_facts_of(&f, clauses, n);
  tn_map there = {NULL, 0, 0}, back = {NULL, 0, 0};
  for (int i = 0; i < f.n; i++) {          // all that has a name of its own, at once
    const tn_fact *known = &f.fact[i];
    if (known->low > known->high) return u;                // the condition never holds
    const int nothing_new = known->low <= known->x->vmin && known->high >= known->x->vmax;
    if (nothing_new || tn_is_const(known->x) || known->x->op == TINY_OP_ADD) continue;
    tiny_uop *name = known->low == known->high ? K(known->x, known->low) : tn_stand_in(t, known, i);
    tn_map_set(t, &there, known->x, name);
    if (!tn_is_const(name)) tn_map_set(t, &back, name, known->x);
  }
  if (there.n) {
    tn_keep_loads(t, u, &there);
    u = tn_simplify_as(t, u, &there, &back);
  }
  for (int i = 0; i < f.n; i++) {          // sums, by what they say about one of their terms: x = sum - others
    const tn_fact *known = &f.fact[i];
    tn_affine a;
    tn_affine_start(&a, TINY_INDEX);
    if (known->x->op != TINY_OP_ADD || known->x->dtype != TINY_INDEX || !tn_affine_add(&a, known->x, 1, 1))
      continue;
    int term = 0;
    while (term < a.n && a.term[term].c != 1 && a.term[term].c != -1) term++;
    if (term == a.n) continue;
    tiny_uop *x = a.term[term].x,
             *name = known->low == known->high ? K(known->x, known->low) : tn_stand_in(t, known, i);
    const int64_t sign = a.term[term].c;
    tn_affine_drop(&a, term);
    for (int j = 0; j < a.n; j++) a.term[j].c *= -sign;
    a.k *= -sign;
    tn_affine_add(&a, name, sign, 1);
    tn_map into = {NULL, 0, 0}, from = {NULL, 0, 0};
    tn_map_set(t, &into, x, tn_affine_node(t, &a, TINY_INDEX));
    if (!tn_is_const(name)) tn_map_set(t, &from, name, known->x);
    tn_keep_loads(t, u, &into);
    tiny_uop *w = tn_simplify_as(t, u, &into, &from);
    if (tn_node_count(t, w) < tn_node_count(t, u)) u = w;
  }
  return u;
}

// The condition without clauses that the others imply; false if two of them exclude each other.
static tiny_uop *tn_simplify_valid(tiny_ctx *t, tiny_uop *valid) {
  tiny_uop *clauses[TN_MAX_CLAUSES], *others[TN_MAX_CLAUSES];
  valid = tn_rewrite(t, valid, tn_rules_symbolic, NULL);
  int n = tn_clauses(valid, TINY_OP_AND, clauses);
  for (int i = 0; i < n && n > 1; i++) {
    int m = 0;
    for (int j = 0; j < n; j++) if (j != i) others[m++] = clauses[j];
    tiny_uop *u = tn_simplify_given(t, clauses[i], tn_clauses_node(t, TINY_OP_AND, others, m));
    if (!tn_is_const(u)) continue;
    if (!u->k) return u;
    memmove(&clauses[i], &clauses[i + 1], (size_t)(n - i - 1) * sizeof *clauses);
    n--; i--;
  }
  return n < 0 ? valid : tn_clauses_node(t, TINY_OP_AND, clauses, n);
}

static tiny_uop *tn_index_gated(tiny_ctx *t, const tiny_uop *index, tiny_uop *element, tiny_uop *valid) {
  tiny_uop *s[3] = {index->src[0], element, valid};
  const int gated = valid && !tn_is_k(valid, 1);
  return tn_like(t, index, index->lanes, gated ? 3 : 2, s);
}

static int tn_reads_memory(tiny_ctx *t, tiny_uop *u) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, u, &all);
  for (int i = 0; i < all.n; i++) if (all.u[i]->op == TINY_OP_LOAD) return 1;
  return 0;
}

// A load that a WHERE around it throws away does not happen: the condition goes into its gate, where 0 comes from.
// Conditions on data stay where they are: they would cost a branch and guard nothing. NULL then.
static tiny_uop *tn_load_gated(tiny_ctx *t, const tiny_uop *load, tiny_uop *p) {
  const tiny_uop *index = load->src[0];
  if (tn_reads_memory(t, p)) return NULL;
  tiny_uop *gated = tn_index_gated(t, index, index->src[1], index->nsrc > 2 ? and_(index->src[2], p) : p);
  return tn_like(t, load, load->lanes, 1, &gated);
}

static tiny_uop *tn_simplified_not(tiny_ctx *t, tiny_uop *p) {
  return tn_rewrite(t, not_(p), tn_rules_symbolic, NULL);
}

// Gates of memory. One pass, after the symbolic rules have come to rest.
RULES(tn_rules_gate, x, y, p, m)
  RULE("(INDEX x y p)") {
    tiny_uop *valid = tn_simplify_valid(t, p);
    return tn_index_gated(t, r, tn_simplify_given(t, y, valid), valid);
  }
  RULE("(WHERE p m=(LOAD (INDEX x y ...)) 0)")             return tn_load_gated(t, m, p);
  RULE("(WHERE p 0 m=(LOAD (INDEX x y ...)))")             return tn_load_gated(t, m, tn_simplified_not(t, p));
  RULE("(WHERE p (CAST m=(LOAD (INDEX x y ...))) 0)") {
    tiny_uop *load = tn_load_gated(t, m, p);
    return load ? cast(load, r->dtype) : NULL;
  }
  RULE("(WHERE p 0 (CAST m=(LOAD (INDEX x y ...))))") {
    tiny_uop *load = tn_load_gated(t, m, tn_simplified_not(t, p));
    return load ? cast(load, r->dtype) : NULL;
  }
RULES_END
#endif
