// reduce: loops that algebra makes unnecessary: sums of what does not change, counts of where a mask
// holds, and sums of which at most one summand is not zero. aranges, one-hots, gathers and
// embeddings are made of these, and so do not loop.
//
// In:  REDUCE (value ranges..) of a kernel. Out: the same without some of its ranges.
// Two more facts about a REDUCE are found here for those who write and lower kernels: each summand goes
// to one element only (a scatter), or to all elements from its own on (a scan).
// For integers all of it is exact. For floats it takes two licences: a sum of n equal summands is
// one product (closer to the true sum than adding them up), and a factor that a mask makes 0 takes
// no part, also where the other is inf or nan.
#ifndef TN_RULES_REDUCE
#define TN_RULES_REDUCE
#ifndef TINY_AMALGAMATED
#include "valid.c"
#endif

static int tn_reduces_over(const tiny_uop *u, const tiny_uop *range) {
  for (uint32_t i = 1; u->op == TINY_OP_REDUCE && i < u->nsrc; i++) if (u->src[i] == range) return 1;
  return 0;
}
// u depends on x. A REDUCE over x does not: x is closed in it.
static int tn_depends(tiny_ctx *t, tiny_uop *u, const tiny_uop *x) {
  if (u == x || !tn_may_hold(u, x)) return u == x;
  const uint32_t seen = ++t->ir->epoch;
  const tn_mark mark = tn_scratch_mark(t);
  tiny_uop *few[TN_FEW_WALKS];
  tn_list todo = {few, 1, TN_FEW_WALKS};
  few[0] = u;
  u->mark = seen;
  int found = 0;
  while (todo.n && !found) {
    u = todo.u[--todo.n];
    found = u == x;
    for (uint32_t i = 0; i < u->nsrc && !found && !tn_reduces_over(u, x); i++)
      if (u->src[i]->mark != seen && tn_may_hold(u->src[i], x)) {
        u->src[i]->mark = seen;
        tn_push(t, &todo, u->src[i]);
      }
  }
  tn_scratch_rewind(t, mark);
  return found;
}

#define TN_IRREGULAR INT64_MIN             // a stride that is none

// How far e moves when r advances by one. Sums of more terms than that are irregular.
enum { TN_STRIDE_TERMS = 1024 };
static int64_t tn_stride_in(tiny_ctx *t, tiny_uop *e, const tiny_uop *r) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_term few[TN_FEW_WALKS], *todo = few, *x;
  int64_t stride = 0;
  int n = 0, cap = TN_FEW_WALKS, terms = 0;
  x = TN_PUSH(t, todo, n, cap, tn_term);
  x->x = e; x->c = 1;
  while (n && stride != TN_IRREGULAR) {
    const tn_term m = todo[--n];
    if (m.x == r) stride = tn_wrap_add(stride, m.c);
    else if (m.x->op == TINY_OP_MUL && tn_is_const(m.x->src[1])) {
      x = TN_PUSH(t, todo, n, cap, tn_term);
      x->x = m.x->src[0]; x->c = tn_wrap_mul(m.c, m.x->src[1]->k);
    } else if (m.x->op == TINY_OP_ADD) for (int i = 0; i < 2; i++) {
      x = TN_PUSH(t, todo, n, cap, tn_term);
      x->x = m.x->src[i]; x->c = m.c;
    } else if (m.x->nsrc && tn_depends(t, m.x, r)) stride = TN_IRREGULAR;
    if (++terms == TN_STRIDE_TERMS) stride = TN_IRREGULAR;
  }
  tn_scratch_rewind(t, mark);
  return stride;
}

static int64_t tn_reduce_identity(int op, int dtype) {
  switch (op) {
    case TINY_OP_MUL: return tn_dtype_value(dtype, 1);
    case TINY_OP_MAX: return tn_lowest(dtype);
    default: return tn_dtype_value(dtype, 0);
  }
}
static tiny_uop *tn_const(tiny_ctx *t, int dtype, int64_t k) {
  return tn_uop_make(t, TINY_OP_CONST, dtype, 1, 0, NULL, k, 0, NULL);
}
static int tn_is_identity(const tiny_uop *u, int op) {
  if (!tn_is_const(u)) return 0;
  return u->k == tn_reduce_identity(op, u->dtype) ||
      (op == TINY_OP_ADD && tn_is_float(u->dtype) && tn_to_f64(u->k) == 0);
}

// A value that is op's identity where a condition does not hold, taken apart: *p gets the condition, the
// result is what is left; x itself: it is no such value.
static tiny_uop *tn_unmask_here(tiny_ctx *t, tiny_uop *x, int op, tiny_uop **p) {
  const int sums = op == TINY_OP_ADD || (op == TINY_OP_MAX && x->dtype == TINY_BOOL);
  if (x->op == TINY_OP_WHERE) {
    if (tn_is_identity(x->src[2], op)) { *p = and_(*p, x->src[0]); return x->src[1]; }
    if (!tn_is_identity(x->src[1], op)) return x;
    *p = and_(*p, not_(x->src[0]));
    return x->src[2];
  }
  if (sums && x->op == TINY_OP_CAST && x->src[0]->dtype == TINY_BOOL) {
    *p = and_(*p, x->src[0]);
    return N(x, 1);
  }
  if (sums && x->dtype == TINY_BOOL &&
      (x->op == TINY_OP_AND || x->op == TINY_OP_LT || x->op == TINY_OP_NE || x->op == TINY_OP_XOR)) {
    *p = and_(*p, x);
    return B(1);
  }
  if (op == TINY_OP_MAX && (x->op == TINY_OP_MUL || x->op == TINY_OP_XOR) && tn_is_const(x->src[1]) &&
      x->src[0]->op == TINY_OP_WHERE) {    // a minimum: the maximum of what is mirrored
    const tiny_uop *w = x->src[0];
    for (int i = 1; i < 3; i++) {
      if (!tn_is_const(w->src[i])) continue;
      const int64_t v[2] = {w->src[i]->k, x->src[1]->k};
      if (!tn_is_identity(tn_const(t, x->dtype, tn_alu(x->op, x->dtype, x->dtype, 0, v, 2)), op)) continue;
      *p = and_(*p, i == 2 ? w->src[0] : not_(w->src[0]));
      return op2(x->op, w->src[3 - i], x->src[1]);
    }
  }
  return x;
}

// How many sources of x have op's identity only where x has it.
static uint32_t tn_unmask_through(const tiny_uop *x, int op) {
  if (x->op == TINY_OP_MUL) return op == TINY_OP_ADD ? 2 : 0;
  if (x->op != TINY_OP_CAST) return 0;     // the least i8 is not the least i32
  return op != TINY_OP_MAX || (tn_is_float(x->src[0]->dtype) && tn_is_float(x->dtype));
}

// The same of x or of the first factor below it, each of which is looked at once.
static tiny_uop *tn_unmask(tiny_ctx *t, tiny_uop *x, int op, tiny_uop **p) {
  const uint32_t seen = ++t->ir->epoch;
  const tn_mark mark = tn_scratch_mark(t);
  tn_walk few[TN_FEW_WALKS], *path = few, *top;
  int n = 0, cap = TN_FEW_WALKS;
  tiny_uop *inner = x;
  top = TN_PUSH(t, path, n, cap, tn_walk);
  top->u = x; top->next = 0;
  while (n) {
    top = &path[n - 1];
    if (!top->next && (inner = tn_unmask_here(t, top->u, op, p)) != top->u) break;
    if (top->next == tn_unmask_through(top->u, op)) { n--; continue; }
    tiny_uop *s = top->u->src[top->next++];
    if (s->mark == seen) continue;
    s->mark = seen;
    top = TN_PUSH(t, path, n, cap, tn_walk);
    top->u = s; top->next = 0;
  }
  if (!n) inner = x;
  while (n-- > 1) {                        // back up, with what is left in the place of what was there
    const tiny_uop *u = path[n - 1].u;
    inner = u->op == TINY_OP_CAST ? cast(inner, u->dtype) : mul(inner, u->src[path[n - 1].next == 1]);
  }
  tn_scratch_rewind(t, mark);
  return inner;
}

// The same until nothing is left to take off.
static tiny_uop *tn_unmask_all(tiny_ctx *t, tiny_uop *x, int op, tiny_uop **p) {
  for (tiny_uop *inner = tn_unmask(t, x, op, p); inner != x; inner = tn_unmask(t, x, op, p)) x = inner;
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
  tn_map map = {NULL, 0, 0};
  tn_toposort(t, u, &all);
  tn_map_set(t, &map, range, value);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *x = all.u[i];
    if (x == range) continue;
    tiny_uop *w = tn_map_sources(t, &map, x);
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

// x so many times. A number of summands that a narrow float cannot hold is none there: 0 times infinity is no zero.
static tiny_uop *tn_sum_of_same(tiny_ctx *t, tiny_uop *x, tiny_uop *count) {
  const int dtype = tn_is_narrow(x->dtype) ? (int)TINY_F32 : x->dtype;
  return cast(mul(cast(x, dtype), cast(count, dtype)), x->dtype);
}

// The reduction by op of a value that does not depend on the range.
static tiny_uop *tn_reduce_same(tiny_ctx *t, tiny_uop *x, int op, int64_t n) {
  if (op == TINY_OP_MAX || x->dtype == TINY_BOOL) return x;
  return op == TINY_OP_ADD ? tn_sum_of_same(t, x, X(n)) : tn_power_times(t, x, n);
}

// The reduction by op of x where p holds, without the loop over range; NULL if it takes the loop.
static tiny_uop *tn_reduce_masked(tiny_ctx *t, tiny_uop *x, int op, tiny_uop *p, tiny_uop *range) {
  tiny_uop *clauses[TN_MAX_CLAUSES], *value = NULL;
  tiny_uop *none = tn_const(t, x->dtype, tn_reduce_identity(op, x->dtype));
  tiny_uop *low = X(0), *high = range->src[0], *other = B(1), *inside = B(1);
  p = tn_rewrite(t, p, tn_rules_symbolic, NULL);
  const int n = tn_clauses(p, TINY_OP_AND, clauses);
  int equal = 0, counted = !tn_depends(t, x, range);
  while (equal < n && !tn_solve_equal(t, clauses[equal], range, &value)) equal++;
  if (n >= 0 && equal < n) {
    for (int i = 0; i < n; i++) if (i != equal) other = and_(other, clauses[i]);
    inside = and_(not_(lt(value, X(0))), lt(value, range->src[0]));
    other = and_(tn_substitute_gated(t, other, range, value, inside), inside);
    return where(other, tn_substitute_gated(t, x, range, value, other), none);
  }
  if (op != TINY_OP_ADD && x->dtype != TINY_BOOL) return NULL;
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
  return where(other, tn_sum_of_same(t, x, count), none);
}

// The reduction of x over one range in closed form, or NULL if it takes a loop.
static tiny_uop *tn_reduce_closed(tiny_ctx *t, tiny_uop *x, int op, tiny_uop *range) {
  if (tn_range_extent(range) <= 0) return NULL;            // the value of no summands is the loop's
  if (!tn_depends(t, x, range)) return tn_reduce_same(t, x, op, tn_range_extent(range));
  if (op == TINY_OP_MUL && x->dtype == TINY_BOOL) return NULL;
  tiny_uop *p = B(1);
  x = tn_unmask_all(t, x, op, &p);
  return tn_is_const(p) ? NULL : tn_reduce_masked(t, x, op, p, range);
}

static tiny_uop *tn_reduce_node(tiny_ctx *t, const tiny_uop *r, tiny_uop *x, int skip) {
  tiny_uop **s = (tiny_uop **)tn_scratch(t, r->nsrc * sizeof *s);
  int n = 0;
  s[n++] = x;
  for (int i = 1; i < (int)r->nsrc; i++) if (i != skip) s[n++] = r->src[i];
  return n == 1 ? x : tn_like(t, r, r->lanes, n, s);
}

RULES(tn_rules_reduce, x, y, z)
  USE(tn_rules_symbolic)
  RULE("(NE|LT z=(CAST x:x) y:i)") {
    if (!tn_bounded(y) || !tn_holds(z->dtype, x)) return NULL;
    return op2(r->op, x, cast(y, TINY_INDEX));
  }
  RULE("(NE|LT y:i z=(CAST x:x))") {
    if (!tn_bounded(y) || !tn_holds(z->dtype, x)) return NULL;
    return op2(r->op, cast(y, TINY_INDEX), x);
  }
  RULE("(REDUCE x y ...)") {
    for (uint32_t i = 1; i < r->nsrc; i++) {
      if (r->src[i]->op == TINY_OP_CONST) return tn_reduce_node(t, r, x, (int)i);
      if (r->src[i]->op != TINY_OP_RANGE) continue;
      tiny_uop *u = tn_reduce_closed(t, x, (int)r->k, r->src[i]);
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

// ** scatters: summands that name the element they go to **

// ROW: elements beside each other that go to one place; PLACES: how many there must be without that.
enum { TN_MAX_TARGETS = 4, TN_SCATTER_SUMMANDS = 4, TN_SCATTER_WORK = 1 << 12, TN_SCATTER_ROW = 16,
  TN_SCATTER_ROWS = 32, TN_SCATTER_PLACES = 256 };
typedef struct tn_scatter {                // out[.., at[k] for range[k], ..] = op(itself, value) where valid
  tiny_uop *range[TN_MAX_TARGETS], *at[TN_MAX_TARGETS]; int n;
  tiny_uop *value, *valid;
} tn_scatter;

static int tn_depends_on_any(tiny_ctx *t, tiny_uop *u, tiny_uop *const *x, int n) {
  for (int i = 0; i < n; i++) if (tn_depends(t, u, x[i])) return 1;
  return 0;
}

// 0 <= x < n. Of an x of which some term is a multiple of n, such as a place in one of many tiles, x // n == 0: what is
// left of it are numbers as small as those tiles'.
static tiny_uop *tn_is_place(tiny_ctx *t, tiny_uop *x, int64_t n) {
  tn_affine a;
  int tiles = 0;
  tn_affine_start(&a, TINY_INDEX);
  if (n > 1 && !(n & (n - 1)) && tn_affine_add(&a, x, 1, 0))
    for (int i = 0; i < a.n; i++) tiles |= a.term[i].c % n == 0;
  return tiles ? not_(ne(idiv(x, X(n)), X(0))) : and_(not_(lt(x, X(0))), lt(x, X(n)));
}

// Every (range == something of the reduced ranges) among the clauses: there the clause becomes that something
// lies within the range.
static int tn_scatter_solve(tiny_ctx *t, tn_scatter *s, tiny_uop *const *out, int nout, tiny_uop **clauses,
                            int n) {
  for (int i = 0; i < n && s->n < TN_MAX_TARGETS; i++) for (int j = 0; j < nout; j++) {
    tiny_uop *at = NULL;
    if (tn_depends_on_any(t, out[j], s->range, s->n) || !tn_solve_equal(t, clauses[i], out[j], &at)) continue;
    int apart = !tn_depends_on_any(t, at, s->range, s->n);
    for (int k = 0; k < s->n; k++) apart &= !tn_depends(t, s->at[k], out[j]);
    if (!apart) continue;
    s->range[s->n] = out[j]; s->at[s->n++] = at;
    clauses[i] = tn_is_place(t, at, tn_range_extent(out[j]));
    s->valid = and_(s->valid, clauses[i]);
    break;
  }
  return s->n;
}

static int64_t tn_extents(tiny_uop *const *range, int n) {
  int64_t nelem = 1;
  for (int i = 0; i < n; i++) nelem *= range[i]->op == TINY_OP_RANGE ? tn_range_extent(range[i]) : 1;
  return nelem;
}

// Storing here and there pays when there are many places: few of them are summed up faster side by side.
static int tn_scatter_pays(const tiny_uop *reduce, tiny_uop *const *out, int nout, const tn_scatter *s) {
  const int64_t places = tn_extents(s->range, s->n), rest = tn_extents(out, nout) / places;
  const int64_t summands = tn_extents(reduce->src + 1, (int)reduce->nsrc - 1);
  return summands >= TN_SCATTER_SUMMANDS && tn_clamp_mul(places, summands) >= TN_SCATTER_WORK &&
      places >= (rest >= TN_SCATTER_ROW ? TN_SCATTER_ROWS : TN_SCATTER_PLACES);
}

// Does each summand of `reduce`, at rest under the rules above, go to one place in some of the output ranges?
static int tn_solve_scatter(tiny_ctx *t, tiny_uop *reduce, tiny_uop *const *out, int nout, tn_scatter *s) {
  tiny_uop *clauses[TN_MAX_CLAUSES], *p = B(1);
  memset(s, 0, sizeof *s);
  if (reduce->op != TINY_OP_REDUCE || (reduce->dtype == TINY_BOOL && reduce->k == TINY_OP_MUL)) return 0;
  s->valid = B(1);
  s->value = tn_unmask_all(t, reduce->src[0], (int)reduce->k, &p);
  const int n = tn_clauses(tn_rewrite(t, p, tn_rules_symbolic, NULL), TINY_OP_AND, clauses);
  if (n <= 0 || !tn_scatter_solve(t, s, out, nout, clauses, n)) return 0;
  tiny_uop *inside = s->valid;
  s->valid = tn_clauses_node(t, TINY_OP_AND, clauses, n);
  for (int k = 0; k < s->n; k++) s->valid = tn_substitute_gated(t, s->valid, s->range[k], s->at[k], inside);
  for (int k = 0; k < s->n; k++) s->value = tn_substitute_gated(t, s->value, s->range[k], s->at[k], s->valid);
  s->valid = tn_rewrite(t, s->valid, tn_rules_symbolic, NULL);
  s->value = tn_rewrite(t, s->value, tn_rules_symbolic, NULL);
  return !tn_depends_on_any(t, s->valid, s->range, s->n) && !tn_depends_on_any(t, s->value, s->range, s->n);
}
// The same where it pays to store each summand there.
static int tn_find_scatter(tiny_ctx *t, tiny_uop *reduce, tiny_uop *const *out, int nout, tn_scatter *s) {
  return tn_solve_scatter(t, reduce, out, nout, s) && tn_scatter_pays(reduce, out, nout, s);
}

// ** scans: summands that go to all elements from their own on **

enum { TN_SCAN_EXTENT = 16, TN_SCAN_WORK = 1 << 10 };
typedef struct tn_scan_fact {              // out[loop] = value of the iterations so far; backward: from the last on
  tiny_uop *loop, *value;
  int backward;
} tn_scan_fact;

// Does the clause say that range runs up to out + *ahead (exclusive), or down to it (inclusive) where backward?
static int tn_scan_clause(tiny_ctx *t, tiny_uop *clause, tiny_uop *range, tiny_uop *const *out, int nout,
                          tn_scan_fact *s, int64_t *ahead) {
  tn_range_clause c;
  tn_affine a;
  if (!tn_solve_clause(t, clause, range, &c)) return 0;
  tn_affine_start(&a, TINY_INDEX);
  c.bound = tn_rewrite(t, c.bound, tn_rules_symbolic, NULL);
  if (!tn_affine_add(&a, c.bound, 1, 1) || a.n != 1 || a.term[0].c != 1) return 0;
  for (int i = 0; i < nout; i++) if (out[i] == a.term[0].x && out[i]->op == TINY_OP_RANGE) {
    s->loop = out[i]; s->backward = !c.upper; *ahead = a.k;
    return c.upper ? a.k <= 1 : a.k >= tn_range_extent(range) - tn_range_extent(out[i]);
  }
  return 0;
}

// The REDUCE without its range k, of which the summand of each iteration is x.
static tiny_uop *tn_scan_value(tiny_ctx *t, const tiny_uop *reduce, uint32_t k, tiny_uop *x) {
  return tn_rewrite(t, tn_reduce_node(t, reduce, x, (int)k), tn_rules_symbolic, NULL);
}

// Does each summand of `reduce`, at rest under the rules above, go to all elements of an output range that do not
// come before it (or after it)? Then each element is the one before it and one more summand.
static int tn_find_scan(tiny_ctx *t, tiny_uop *reduce, tiny_uop *const *out, int nout, tn_scan_fact *s) {
  tiny_uop *clauses[TN_MAX_CLAUSES], *p = B(1), *x, *others = B(1);
  int64_t ahead = 0;
  if (reduce->op != TINY_OP_REDUCE || reduce->dtype == TINY_BOOL) return 0;
  const int op = (int)reduce->k;
  x = tn_unmask_all(t, reduce->src[0], op, &p);
  const int n = tn_clauses(tn_rewrite(t, p, tn_rules_symbolic, NULL), TINY_OP_AND, clauses);
  for (int i = 0; i < n; i++) for (uint32_t k = 1; k < reduce->nsrc; k++) {
    tiny_uop *range = reduce->src[k];
    if (range->op != TINY_OP_RANGE || !tn_scan_clause(t, clauses[i], range, out, nout, s, &ahead)) continue;
    const int64_t from = tn_range_extent(range), to = tn_range_extent(s->loop);
    if (from < TN_SCAN_EXTENT || tn_clamp_mul(from, to) < TN_SCAN_WORK) return 0;
    for (int j = 0; j < n; j++) if (j != i) others = and_(others, clauses[j]);
    x = where(others, x, tn_const(t, x->dtype, tn_reduce_identity(op, x->dtype)));
    if (tn_depends(t, x, s->loop)) return 0;
    tiny_uop *at = add(s->loop, X(s->backward ? ahead : ahead - 1));
    tiny_uop *inside = and_(not_(lt(at, X(0))), lt(at, X(from)));
    x = where(inside, tn_substitute_gated(t, x, range, at, inside), x->src[2]);
    if (s->backward) {                     // iteration r is for element to - 1 - r
      tn_map turned = {NULL, 0, 0};
      tn_map_set(t, &turned, s->loop, add(mul(s->loop, X(-1)), X(to - 1)));
      x = tn_substitute(t, x, &turned);
    }
    s->value = tn_scan_value(t, reduce, k, x);
    return 1;
  }
  return 0;
}
#endif
