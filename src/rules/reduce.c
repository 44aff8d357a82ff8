// reduce: loops that algebra makes unnecessary: sums of what does not change, counts of where a mask
// holds, and sums of which at most one summand is not zero. aranges, one-hots, gathers and
// embeddings are made of these, and so do not loop.
//
// In:  REDUCE (value ranges..) of a kernel. Out: the same without some of its ranges.
// For integers all of it is exact. For floats it takes two licences: a sum of n equal summands is
// one product (closer to the true sum than adding them up), and a factor that a mask makes 0 takes
// no part, also where the other is inf or nan.
#ifndef TN_RULES_REDUCE
#define TN_RULES_REDUCE
#ifndef TINY_AMALGAMATED
#include "valid.c"
#endif

// u depends on x.
static int tn_depends(tiny_ctx *t, tiny_uop *u, const tiny_uop *x) {
  const uint32_t seen = ++t->ir->epoch;
  tn_list todo = {NULL, 0, 0};
  tn_push(t, &todo, u);
  u->mark = seen;
  while (todo.n) {
    u = todo.u[--todo.n];
    if (u == x) return 1;
    for (uint32_t i = 0; i < u->nsrc; i++)
      if (u->src[i]->mark != seen) {
        u->src[i]->mark = seen;
        tn_push(t, &todo, u->src[i]);
      }
  }
  return 0;
}

static int tn_is_const_zero(const tiny_uop *u) {
  return tn_is_const(u) && (u->k == 0 || (tn_is_float(u->dtype) && tn_to_f64(u->k) == 0));
}

// A value that is 0 where a condition does not hold, taken apart: *p the condition (1: none), the result what is left.
static tiny_uop *tn_unmask(tiny_ctx *t, tiny_uop *x, tiny_uop **p) {
  if (x->op == TINY_OP_WHERE && tn_is_const_zero(x->src[2])) { *p = and_(*p, x->src[0]); return x->src[1]; }
  if (x->op == TINY_OP_WHERE && tn_is_const_zero(x->src[1])) {
    *p = and_(*p, not_(x->src[0]));
    return x->src[2];
  }
  if (x->op == TINY_OP_CAST && x->src[0]->dtype == TINY_BOOL) { *p = and_(*p, x->src[0]); return N(x, 1); }
  if (x->dtype == TINY_BOOL &&
      (x->op == TINY_OP_AND || x->op == TINY_OP_LT || x->op == TINY_OP_NE || x->op == TINY_OP_XOR)) {
    *p = and_(*p, x);
    return B(1);
  }
  if (x->op == TINY_OP_CAST) {
    tiny_uop *inner = tn_unmask(t, x->src[0], p);
    return inner == x->src[0] ? x : cast(inner, x->dtype);
  }
  if (x->op == TINY_OP_MUL) for (int i = 0; i < 2; i++) {
    tiny_uop *inner = tn_unmask(t, x->src[i], p);
    if (inner != x->src[i]) return mul(inner, x->src[!i]);
  }
  return x;
}

// The sum c * range + others < 0, or >= 0 where !below, solved for the range: *bound is exclusive for upper ones.
typedef struct tn_range_clause { tiny_uop *bound; int upper; } tn_range_clause;
static int tn_solve_clause(tiny_ctx *t, tiny_uop *u, const tiny_uop *range, tn_range_clause *out) {
  const int below = !(u->op == TINY_OP_XOR && tn_is_k(u->src[1], 1));
  if (!below) u = u->src[0];
  tn_affine a;
  if (u->op != TINY_OP_LT || !tn_difference(&a, u->src[0], u->src[1])) return 0;
  int at = 0;
  while (at < a.n && a.term[at].x != range) at++;
  if (at == a.n) return 0;
  const int64_t c = a.term[at].c;
  tn_affine_drop(&a, at);
  for (int i = 0; i < a.n; i++)
    if (a.term[i].x->dtype != TINY_INDEX || tn_depends(t, a.term[i].x, range)) return 0;
  if (c > 0) {                             // c r + a < 0  is  r < ceil(-a / c)
    for (int i = 0; i < a.n; i++) a.term[i].c = -a.term[i].c;
    a.k = -a.k + c - 1;
    out->bound = idiv(tn_affine_node(t, &a, TINY_INDEX), X(c));
  } else out->bound = add(idiv(tn_affine_node(t, &a, TINY_INDEX), X(-c)), X(1));   // c r + a < 0  is  r >= a // -c + 1
  out->upper = below == (c > 0);
  return 1;
}

// range == *value, from one clause.
static int tn_solve_equal(tiny_ctx *t, tiny_uop *u, tiny_uop *range, tiny_uop **value) {
  tn_affine a;
  if (u->op != TINY_OP_XOR || !tn_is_k(u->src[1], 1) || u->src[0]->op != TINY_OP_NE) return 0;
  if (!tn_difference(&a, u->src[0]->src[0], u->src[0]->src[1])) return 0;
  int at = 0;
  while (at < a.n && a.term[at].x != range) at++;
  if (at == a.n || (a.term[at].c != 1 && a.term[at].c != -1)) return 0;
  const int64_t c = a.term[at].c;
  tn_affine_drop(&a, at);
  for (int i = 0; i < a.n; i++) {
    if (a.term[i].x->dtype != TINY_INDEX || tn_depends(t, a.term[i].x, range)) return 0;
    a.term[i].c *= -c;
  }
  a.k *= -c;
  *value = tn_affine_node(t, &a, TINY_INDEX);
  return 1;
}

// u with value in the place of range; memory that is found through it is gated by p.
static tiny_uop *tn_substitute_gated(tiny_ctx *t, tiny_uop *u, tiny_uop *range, tiny_uop *value,
                                     tiny_uop *p) {
  tn_list all = {NULL, 0, 0};
  tn_map map = {NULL, NULL, 0, 0};
  tn_toposort(t, u, &all);
  tn_map_set(t, &map, range, value);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *x = all.u[i];
    if (x == range) continue;
    tiny_uop *w = tn_rewrite_sources(t, &map, x, 0);
    if (w != x && w->op == TINY_OP_INDEX)
      w = tn_index_gated(t, w, w->src[1], w->nsrc > 2 ? and_(w->src[2], p) : p);
    tn_map_set(t, &map, x, w);
  }
  return (tiny_uop *)tn_map_get(&map, u);
}

static tiny_uop *tn_min_index(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  return mul(max_(mul(a, X(-1)), mul(b, X(-1))), X(-1));
}

static tiny_uop *tn_power_times(tiny_ctx *t, tiny_uop *x, int64_t n) {
  tiny_uop *all = NULL;
  for (; n; n >>= 1) {
    if (n & 1) all = all ? mul(all, x) : x;
    if (n > 1) x = mul(x, x);
  }
  return all ? all : N(x, 1);
}

// The reduction by op of a value that does not depend on the range.
static tiny_uop *tn_reduce_same(tiny_ctx *t, tiny_uop *x, int op, int64_t n) {
  if (op == TINY_OP_MAX || x->dtype == TINY_BOOL) return x;
  return op == TINY_OP_ADD ? mul(x, tn_is_float(x->dtype) ? N(x, (double)n) : K(x, n)) :
                             tn_power_times(t, x, n);
}

// The sum of x where p holds (any, for bools) without the loop over range; NULL if it takes the loop.
static tiny_uop *tn_reduce_masked(tiny_ctx *t, tiny_uop *x, tiny_uop *p, tiny_uop *range) {
  tiny_uop *clauses[TN_MAX_CLAUSES], *value = NULL;
  tiny_uop *low = X(0), *high = range->src[0], *other = B(1), *inside = B(1);
  p = tn_rewrite(t, p, tn_rules_symbolic, NULL);
  const int n = tn_clauses(p, TINY_OP_AND, clauses);
  int equal = 0, counted = !tn_depends(t, x, range);
  while (equal < n && !tn_solve_equal(t, clauses[equal], range, &value)) equal++;
  if (n >= 0 && equal < n) {
    for (int i = 0; i < n; i++) if (i != equal) other = and_(other, clauses[i]);
    inside = and_(not_(lt(value, X(0))), lt(value, range->src[0]));
    other = and_(tn_substitute_gated(t, other, range, value, inside), inside);
    return where(other, tn_substitute_gated(t, x, range, value, other), K(x, 0));
  }
  for (int i = 0; i < n; i++) {
    tn_range_clause c;
    if (!tn_depends(t, clauses[i], range)) { other = and_(other, clauses[i]); continue; }
    if (!tn_solve_clause(t, clauses[i], range, &c)) counted = 0;
    else if (c.upper) high = tn_min_index(t, high, c.bound);
    else low = max_(low, c.bound);
  }
  if (n < 0 || !counted) return NULL;
  tiny_uop *count = max_(add(high, mul(low, X(-1))), X(0));
  if (x->dtype == TINY_BOOL) return and_(other, and_(x, lt(X(0), count)));
  return where(other, mul(x, cast(count, x->dtype)), K(x, 0));
}

// The reduction of x over one range, or NULL if it takes a loop.
static tiny_uop *tn_reduce_over(tiny_ctx *t, tiny_uop *x, int op, tiny_uop *range) {
  if (tn_range_extent(range) <= 0) return NULL;            // the value of no summands is the loop's
  if (!tn_depends(t, x, range)) return tn_reduce_same(t, x, op, tn_range_extent(range));
  if (op != TINY_OP_ADD && !(op == TINY_OP_MAX && x->dtype == TINY_BOOL)) return NULL;
  tiny_uop *p = B(1), *inner = tn_unmask(t, x, &p);
  while (inner != x) { x = inner; inner = tn_unmask(t, x, &p); }
  return tn_is_const(p) ? NULL : tn_reduce_masked(t, x, p, range);
}

static tiny_uop *tn_reduce_node(tiny_ctx *t, const tiny_uop *r, tiny_uop *x, int skip) {
  tiny_uop **s = (tiny_uop **)tn_scratch(t, r->nsrc * sizeof *s);
  int n = 0;
  s[n++] = x;
  for (int i = 1; i < (int)r->nsrc; i++) if (i != skip) s[n++] = r->src[i];
  return n == 1 ? x : tn_uop_make(t, TINY_OP_REDUCE, r->dtype, r->lanes, n, s, r->k, 0, NULL);
}

RULES(tn_rules_reduce, x, y, z)
  USE(tn_rules_symbolic)
  RULE("(NE|LT z=(CAST x:x) y:i)") {
    if (!tn_bounded(y) || !tn_holds(z->dtype, x)) return NULL;
    return op2(r->op, x, cast(y, TINY_INDEX));
  }
  RULE("(LT y:i z=(CAST x:x))") {
    if (!tn_bounded(y) || !tn_holds(z->dtype, x)) return NULL;
    return lt(cast(y, TINY_INDEX), x);
  }
  RULE("(REDUCE x y ...)") {
    for (uint32_t i = 1; i < r->nsrc; i++) {
      if (r->src[i]->op == TINY_OP_CONST) return tn_reduce_node(t, r, x, (int)i);
      if (r->src[i]->op != TINY_OP_RANGE) continue;
      tiny_uop *u = tn_reduce_over(t, x, (int)r->k, r->src[i]);
      if (u) return tn_reduce_node(t, r, u, (int)i);
    }
    return NULL;
  }
  RULE("(REDUCE:i:k=ADD (ADD x y) z ...)") {               // what some range does not change is summed on its own
    for (uint32_t i = 1; i < r->nsrc; i++) {
      if (tn_depends(t, x, r->src[i]) && tn_depends(t, y, r->src[i])) continue;
      return add(tn_reduce_node(t, r, x, 0), tn_reduce_node(t, r, y, 0));
    }
    return NULL;
  }
RULES_END
#endif
