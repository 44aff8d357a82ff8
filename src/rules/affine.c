// affine: integer expressions as sums of terms: coefficient * node + constant. The common ground of the algebra of
// indices: like terms, comparisons, division and modulo.
//
// Two's complement integers are a ring: adding up terms and scaling is exact in every dtype,
// whatever wraps on the way. What depends on order (comparisons, division) is not: for it an
// expression is opened only where it cannot wrap, which tn_exact tells, and the sum is one of
// unbounded integers (dtype INDEX, whatever the nodes have). INDEX never wraps, by agreement.
#ifndef TN_RULES_AFFINE
#define TN_RULES_AFFINE
#ifndef TINY_AMALGAMATED
#include "notation.c"
#endif

enum { TN_MAX_TERMS = 24 };                // longer sums are left as they are
typedef struct tn_term { tiny_uop *x; int64_t c; } tn_term;
typedef struct tn_affine {
  tn_term term[TN_MAX_TERMS];
  int n, dtype, opened;
  int64_t k;
} tn_affine; // opened: how many nodes

static int64_t tn_wrap_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t tn_wrap_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static int64_t tn_gcd(int64_t a, int64_t b) {
  uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  while (y) { const uint64_t r = x % y; x = y; y = r; }
  return x > (uint64_t)INT64_MAX ? 1 : (int64_t)x;
}
static int64_t tn_floor_mod(int64_t a, int64_t b) { return tn_alu_int(TINY_OP_MOD, TINY_I64, a, b); }

// Bounds mean something: an integer whose values fit int64.
static int tn_bounded(const tiny_uop *u) { return tn_is_int(u->dtype) && u->dtype != TINY_U64; }
static int tn_fits(int dtype, int64_t low, int64_t high) {
  if (dtype == TINY_INDEX) return 1;
  return low >= tn_dtype_min(dtype) && high <= tn_dtype_max(dtype) && low > INT64_MIN && high < INT64_MAX;
}

// The ADD or MUL u has the value that unbounded integers would have.
static int tn_exact(const tiny_uop *u) {
  if (u->dtype == TINY_INDEX) return 1;
  if (!tn_bounded(u)) return 0;
  const tiny_uop *a = u->src[0], *b = u->src[1];
  if (u->op == TINY_OP_ADD)
    return tn_fits(u->dtype, tn_clamp_add(a->vmin, b->vmin), tn_clamp_add(a->vmax, b->vmax));
  for (int i = 0; i < 4; i++) {            // the product of each pair of ends
    const int64_t p = tn_clamp_mul(i & 1 ? a->vmin : a->vmax, i & 2 ? b->vmin : b->vmax);
    if (!tn_fits(u->dtype, p, p)) return 0;
  }
  return 1;
}

static TN_NOINLINE void tn_affine_start(tn_affine *a, int dtype) { a->n = a->opened = 0; a->k = 0; a->dtype = dtype; }

// Adds c * x, with x taken as one thing. 0: too many terms.
static int tn_affine_term(tn_affine *a, tiny_uop *x, int64_t c) {
  for (int i = 0; i < a->n; i++) if (a->term[i].x == x) {
    a->term[i].c = tn_dtype_wrap(a->dtype, tn_wrap_add(a->term[i].c, c));
    if (!a->term[i].c) a->term[i] = a->term[--a->n];
    return 1;
  }
  c = tn_dtype_wrap(a->dtype, c);
  if (!c) return 1;
  if (a->n == TN_MAX_TERMS) return 0;
  a->term[a->n].x = x; a->term[a->n++].c = c;
  return 1;
}

// Adds c * u, with u opened. strict: only where nothing wraps. 0: too many terms.
static int tn_affine_add(tn_affine *a, tiny_uop *u, int64_t c, int strict) {
  tn_term todo[TN_MAX_TERMS];
  int n = 1;
  todo[0].x = u; todo[0].c = c;
  while (n) {
    tiny_uop *x = todo[--n].x;
    c = todo[n].c;
    const int opens = (x->op == TINY_OP_ADD || (x->op == TINY_OP_MUL && tn_is_const(x->src[1]))) &&
        (!strict || tn_exact(x));
    a->opened += opens;
    if (tn_is_const(x)) a->k = tn_dtype_wrap(a->dtype, tn_wrap_add(a->k, tn_wrap_mul(x->k, c)));
    else if (!opens) { if (!tn_affine_term(a, x, c)) return 0; }
    else if (x->op == TINY_OP_MUL) { todo[n].x = x->src[0]; todo[n++].c = tn_wrap_mul(c, x->src[1]->k); }
    else {
      if (n + 2 > TN_MAX_TERMS) return 0;
      todo[n].x = x->src[1]; todo[n++].c = c;
      todo[n].x = x->src[0]; todo[n++].c = c;
    }
  }
  return 1;
}

// All of its numbers leave room to compute with.
static int tn_affine_small(const tn_affine *a) {
  const int64_t most = (int64_t)1 << 60;
  for (int i = 0; i < a->n; i++) if (a->term[i].c <= -most || a->term[i].c >= most) return 0;
  return a->k > -most && a->k < most;
}

static void tn_affine_bounds(const tn_affine *a, int64_t *low, int64_t *high) {
  *low = *high = a->k;
  for (int i = 0; i < a->n; i++) {
    const tn_term *m = &a->term[i];
    const int64_t p = tn_clamp_mul(m->c, m->x->vmin), q = tn_clamp_mul(m->c, m->x->vmax);
    *low = tn_clamp_add(*low, p < q ? p : q);
    *high = tn_clamp_add(*high, p < q ? q : p);
  }
}

// Terms in structural order.
static void tn_affine_sort(tn_affine *a) {
  for (int i = 1; i < a->n; i++) {
    const tn_term m = a->term[i];
    int at = i;
    for (; at && tn_uop_order(a->term[at - 1].x, m.x) > 0; at--) a->term[at] = a->term[at - 1];
    a->term[at] = m;
  }
}

// The sum as a node of dtype: terms in structural order, the constant last. Of INDEX it wraps nowhere, whatever dtypes
// its terms have.
static tiny_uop *tn_affine_node(tiny_ctx *t, const tn_affine *sum_of, int dtype) {
  tn_affine a = *sum_of;
  tiny_uop *sum = NULL;
  tn_affine_sort(&a);
  for (int i = 0; i < a.n; i++) {
    tiny_uop *x = dtype == TINY_INDEX ? tn_cast(t, a.term[i].x, TINY_INDEX) : a.term[i].x;
    if (a.term[i].c != 1) x = mul(x, K(x, a.term[i].c));
    sum = sum ? add(sum, x) : x;
  }
  if (!sum) return tn_int(t, dtype, a.k);
  return a.k ? add(sum, K(sum, a.k)) : sum;
}

static int tn_is_term(const tiny_uop *u, const tn_term *m) {
  if (m->c == 1) return u == m->x;
  return u->op == TINY_OP_MUL && u->src[0] == m->x && tn_is_k(u->src[1], m->c);
}
// Is u the node that tn_affine_node makes of this sum, which is in order and has a term?
static int tn_affine_is(const tn_affine *a, const tiny_uop *u) {
  if (a->k) {
    if (u->op != TINY_OP_ADD || !tn_is_k(u->src[1], a->k)) return 0;
    u = u->src[0];
  }
  for (int i = a->n - 1; i > 0; i--) {
    if (u->op != TINY_OP_ADD) return 0;
    const int at = tn_is_term(u->src[1], &a->term[i]);
    if (!at && !tn_is_term(u->src[0], &a->term[i])) return 0;
    u = u->src[!at];
  }
  return tn_is_term(u, &a->term[0]);
}

static int tn_affine_find(const tn_affine *a, int op, const tiny_uop *x, int64_t k, int64_t c) {
  for (int i = 0; i < a->n; i++) {
    const tiny_uop *u = a->term[i].x;
    if (u->op == op && a->term[i].c == c && u->src[0] == x && tn_is_k(u->src[1], k)) return i;
  }
  return -1;
}
static void tn_affine_drop(tn_affine *a, int i) { a->term[i] = a->term[--a->n]; }

// Puts x % c and x // c back together:  p (x % c) + p c (x // c) -> p x,
// p ((x // b) % c) + p c (x // (b c)) -> p (x // b),  p (x % c) + p c ((x // c) % b) -> p (x % (b c)).
static int tn_affine_recombine(tiny_ctx *t, tn_affine *a) {
  int changed = 0;
  for (int i = 0; i < a->n; i++) {
    tiny_uop *m = a->term[i].x;
    if (m->op != TINY_OP_MOD || !tn_is_const(m->src[1]) || m->src[1]->k <= 1) continue;
    tiny_uop *x = m->src[0];
    const int64_t c = m->src[1]->k, p = a->term[i].c, pc = tn_clamp_mul(p, c);
    const int nested = x->op == TINY_OP_IDIV && tn_is_const(x->src[1]) && x->src[1]->k > 0;
    int j = tn_affine_find(a, TINY_OP_IDIV, x, c, pc);
    if (j < 0 && nested) j = tn_affine_find(a, TINY_OP_IDIV, x->src[0], tn_clamp_mul(x->src[1]->k, c), pc);
    if (j >= 0) {
      tn_affine_drop(a, i > j ? i : j);
      tn_affine_drop(a, i > j ? j : i);
      if (!tn_affine_add(a, x, p, a->dtype != TINY_INDEX)) return -1;
      changed = 1; i = -1;
      continue;
    }
    for (j = 0; j < a->n; j++) {
      const tiny_uop *u = a->term[j].x;
      if (u->op != TINY_OP_MOD || a->term[j].c != pc || !tn_is_const(u->src[1]) || u->src[1]->k <= 0)
        continue;
      const tiny_uop *q = u->src[0];
      const int same = q->op == TINY_OP_IDIV && q->src[0] == (nested ? x->src[0] : x) &&
                       tn_is_k(q->src[1], nested ? tn_clamp_mul(x->src[1]->k, c) : c);
      const int64_t bc = tn_clamp_mul(u->src[1]->k, c);
      if (!same || !tn_fits(a->dtype, bc, bc)) continue;
      tn_affine_drop(a, i > j ? i : j);
      tn_affine_drop(a, i > j ? j : i);
      if (!tn_affine_term(a, mod(x, K(x, bc)), p)) return -1;
      changed = 1; i = -1;
      break;
    }
  }
  return changed;
}
#endif
