// symbolic: the algebra of expressions: constants, identities, sums, comparisons, conditions, casts.
//
// What always holds: both sides have the same value for every value of the operands. Integers
// wrap, INDEX does not, and a float rule is exact to the bit, signed zeros and NaN included (but
// MAX of 0.0 and -0.0 is either). So these are NOT here:
//   x + 0.0 -> x (x = -0.0)    x * 0.0 -> 0.0 (inf, nan)    x - x -> 0.0 (inf, nan)    x != x -> false (nan)
//   (x + a) + b, (x * a) * b with constants joined (they round twice)    x / c -> x * (1/c) unless c is a power of two
// Sums of INDEX are always brought to one form, terms in structural order; sums of other integers
// only where it saves work.
#ifndef TN_RULES_SYMBOLIC
#define TN_RULES_SYMBOLIC
#ifndef TINY_AMALGAMATED
#include "divmod.c"
#endif

static tiny_uop *tn_fold_constants(tiny_ctx *t, const tiny_uop *r) {
  int64_t v[4] = {0, 0, 0, 0};
  for (uint32_t i = 0; i < r->nsrc && i < 4; i++) v[i] = r->src[i]->k;
  return tn_int(t, r->dtype, tn_alu(r->op, r->dtype, r->src[0]->dtype, r->k, v, (int)r->nsrc));
}

RULES(tn_rules_fold, x, c, c0, c1, c2)
  RULE("(ALU|CAST|BITCAST c0)")            return tn_fold_constants(t, r);
  RULE("(ALU c0 c1)")                      return tn_fold_constants(t, r);
  RULE("(ALU c0 c1 c2)")                   return tn_fold_constants(t, r);
  RULE("(ALU c c0 c1 c2)")                 return tn_fold_constants(t, r);
  RULE("(ALU|CAST x ...)") {               // bounds leave one value
    if (r->vmin != r->vmax || (r->dtype != TINY_BOOL && !tn_bounded(r))) return NULL;
    return K(r, r->vmin);
  }
RULES_END

// ** sums **

// A thing that a sum of INDEX has once, as it is, wherever it is not there twice.
static int tn_is_plain_term(const tiny_uop *x) {
  return x->op != TINY_OP_ADD && x->op != TINY_OP_MUL && x->op != TINY_OP_MOD && !tn_is_const(x);
}
// A sum of integers with like terms joined. Sources are in their form by then: with a number, or of two things, it is
// in its own.
static tiny_uop *tn_sum_terms(tiny_ctx *t, tiny_uop *r) {
  tn_affine a;
  if (r->op == TINY_OP_ADD && r->dtype == TINY_INDEX) {
    const tiny_uop *x = r->src[0], *y = r->src[1];
    if (tn_is_const(y) && y->k && (x->op != TINY_OP_ADD || !tn_is_const(x->src[1]))) return NULL;
    if (x != y && tn_is_plain_term(x) && tn_is_plain_term(y)) return NULL;
  }
  tn_affine_start(&a, r->dtype);
  if (!tn_affine_add(&a, r, 1, 0) || tn_affine_recombine(t, &a) < 0) return NULL;
  tn_affine_sort(&a);
  if (a.n && tn_affine_is(&a, r)) return NULL;
  int cost = a.n - 1 + (a.k != 0);
  for (int i = 0; i < a.n; i++) cost += a.term[i].c != 1;
  return r->dtype == TINY_INDEX || cost < a.opened ? tn_affine_node(t, &a, r->dtype) : NULL;
}

static int tn_is_power_of_two(double x) { int e; return x != 0 && x - x == 0 && fabs(frexp(x, &e)) == 0.5; }

RULES(tn_rules_arithmetic, x, y, z, m, n, c, c0, c1)
  // ** what changes nothing **
  RULE("(ADD x -0)")                       return x;       // a float's 0 is not one: -0.0 + 0.0 = 0.0
  RULE("(SUB x 0)")                        return x;
  RULE("(MUL|FDIV|POW x 1)")               return x;
  RULE("(IDIV x:i 1)")                     return x;
  RULE("(OR|XOR|SHL|SHR x 0)")             return x;
  RULE("(AND x:i -1)")                     return x;
  RULE("(AND|OR|MAX x x)")                 return x;
  RULE("(MAX x:f -inf)")                   return x;
  RULE("(MAX x:i 0)")                      return tn_is_unsigned(x->dtype) ? x : NULL;
  RULE("(NEG (NEG x))")                    return x;
  RULE("(TRUNC x:i)")                      return x;
  // ** what nothing is left of **
  RULE("(MUL x:i 0)")                      return K(x, 0);
  RULE("(AND x 0)")                        return K(x, 0);
  RULE("(OR x:i -1)")                      return K(x, -1);
  RULE("(XOR x x)")                        return K(x, 0);
  RULE("(MOD x:i 1)")                      return K(x, 0);
  RULE("(MOD x:i x)")                      return K(x, 0); // 0 % 0 is the dividend: 0
  RULE("(IDIV|MOD:i 0 x)")                 return K(r, 0);
  RULE("(SHL|SHR 0 x)")                    return K(r, 0);
  RULE("(POW x 0)")                        return N(x, 1); // pow(nan, 0) = 1: C17 F.10.4.4
  RULE("(IDIV x:i x)") {
    if (!tn_bounded(x) || (x->vmin <= 0 && x->vmax >= 0)) return NULL;
    return K(x, 1);
  }
  RULE("(IDIV x:i -1)")                    { if (!tn_is_signed(x->dtype)) return NULL; return mul(x, K(x, -1)); }
  RULE("(MOD x:i -1)")                     { if (!tn_is_signed(x->dtype)) return NULL; return K(x, 0); }
  // ** floats, exactly **
  RULE("(MUL (MUL x:f -1) c)")             return mul(x, N(x, -tn_to_f64(c->k)));
  RULE("(FDIV x c)") {                     // a power of two has an exact inverse, unless that overflows
    const double inverse = 1 / tn_to_f64(c->k);
    if (!tn_is_power_of_two(tn_to_f64(c->k)) || tn_dtype_round(x->dtype, inverse) != inverse) return NULL;
    return mul(x, N(x, inverse));
  }
  // ** constants join, and move outward **
  RULE("(ADD|MUL|AND|OR|XOR|MAX m=(ADD|MUL|AND|OR|XOR|MAX x c0) c1)") {
    if (m->op != r->op || (tn_is_float(r->dtype) && r->op != TINY_OP_MAX)) return NULL;
    return op2(r->op, x, op2(r->op, c0, c1));
  }
  RULE("(ADD|MUL|AND|OR|XOR|MAX m=(ADD|MUL|AND|OR|XOR|MAX x c0) y)") {
    if (m->op != r->op || tn_is_float(r->dtype) || tn_is_const(x) || tn_is_const(y)) return NULL;
    return op2(r->op, op2(r->op, x, y), c0);
  }
  // ** sums and bounds **
  RULE("(ADD x:i y)")                      return tn_sum_terms(t, r);
  RULE("(MUL (ADD x:x y) c)")              return tn_sum_terms(t, r);
  RULE("(MAX x:i y)") {
    if (!tn_bounded(x)) return NULL;
    return x->vmin >= y->vmax ? x : y->vmin >= x->vmax ? y : NULL;
  }
  RULE("(AND x:i c)") {                    // a mask of all bits that x can have
    if (!tn_bounded(x) || x->vmin < 0 || c->k < 0 || ((uint64_t)c->k & ((uint64_t)c->k + 1)) ||
        x->vmax > c->k)
      return NULL;
    return x;
  }
  // ** a choice of constants stays one **
  RULE("(ALU (WHERE x c0 c1) c)")          return where(x, op2(r->op, c0, c), op2(r->op, c1, c));
  RULE("(ALU c (WHERE x c0 c1))")          return where(x, op2(r->op, c, c0), op2(r->op, c, c1));
  RULE("(MUL x:i (CAST y:b))")             return where(y, x, K(x, 0));
RULES_END

// ** conditions **

// Clauses x < k (upper) and !(x < k) of an integer.
typedef struct tn_clause { tiny_uop *x; int64_t k; int upper; } tn_clause;
static int tn_clause_of(tiny_uop *u, tn_clause *c) {
  c->upper = !(u->op == TINY_OP_XOR && u->dtype == TINY_BOOL && tn_is_k(u->src[1], 1));
  if (!c->upper) u = u->src[0];
  if (u->op != TINY_OP_LT || !tn_bounded(u->src[0]) || !tn_is_const(u->src[1])) return 0;
  c->x = u->src[0]; c->k = u->src[1]->k;
  return 1;
}

// What two clauses, joined by op AND or OR, make together: one of them, a bool, or NULL.
static tiny_uop *tn_clause_join(tiny_ctx *t, int op, tiny_uop *u, tiny_uop *w) {
  const int is_and = op == TINY_OP_AND;
  tn_clause a, b;
  if (u == w) return u;
  if (u == not_(w) || w == not_(u)) return B(!is_and);
  if (!tn_clause_of(u, &a) || !tn_clause_of(w, &b) || a.x != b.x) return NULL;
  if (a.upper == b.upper) return (a.k < b.k) == (a.upper == is_and) ? u : w;
  const int64_t top = a.upper ? a.k : b.k, low = a.upper ? b.k : a.k;     // x < top, x >= low
  return is_and ? (low >= top ? B(0) : NULL) : low <= top ? B(1) : NULL;
}

enum { TN_MAX_CLAUSES = 24 };
// The clauses of a chain of op. -1: too many.
static int tn_clauses(tiny_uop *u, int op, tiny_uop **out) {
  tiny_uop *todo[TN_MAX_CLAUSES];
  int n = 0, left = 1;
  todo[0] = u;
  while (left) {
    tiny_uop *x = todo[--left];
    if (x->op != op || x->dtype != TINY_BOOL) { if (n == TN_MAX_CLAUSES) return -1; out[n++] = x; continue; }
    if (left + 2 > TN_MAX_CLAUSES) return -1;
    todo[left++] = x->src[1]; todo[left++] = x->src[0];
  }
  return n;
}
static tiny_uop *tn_clauses_node(tiny_ctx *t, int op, tiny_uop **list, int n) {
  tiny_uop *s[TN_MAX_CLAUSES], *all = NULL;
  for (int i = 0; i < n; i++) {
    int at = i;
    for (; at && tn_uop_order(s[at - 1], list[i]) > 0; at--) s[at] = s[at - 1];
    s[at] = list[i];
  }
  for (int i = 0; i < n; i++) all = all ? op2(op, all, s[i]) : s[i];
  return all ? all : B(op == TINY_OP_AND);
}
static tiny_uop *tn_clauses_join(tiny_ctx *t, tiny_uop *r) {
  tiny_uop *list[TN_MAX_CLAUSES];
  int n = tn_clauses(r, r->op, list);
  for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) {
    tiny_uop *u = tn_clause_join(t, r->op, list[i], list[j]);
    if (!u) continue;
    if (tn_is_const(u)) return u;
    list[i] = u; list[j] = list[--n];
    i = -1;
    break;
  }
  return n < 0 ? NULL : tn_clauses_node(t, r->op, list, n);
}

RULES(tn_rules_bool, x, y, z, p, q, c, c0, c1)
  // ** bools have AND, OR and XOR only **
  RULE("(ADD|MAX x:b y)")                  return or_(x, y);
  RULE("(MUL x:b y)")                      return and_(x, y);
  RULE("(NE x:b y)")                       return xor_(x, y);
  RULE("(LT x:b y)")                       return and_(not_(x), y);
  RULE("(AND x:b 1)")                      return x;
  RULE("(OR x:b 1)")                       return B(1);
  RULE("(AND x:b (XOR x 1))")              return B(0);
  RULE("(OR x:b (XOR x 1))")               return B(1);
  RULE("(AND x (OR x y))")                 return x;
  RULE("(OR x (AND x y))")                 return x;
  RULE("(AND x:b (OR (XOR x 1) y))")       return and_(x, y);
  RULE("(XOR (OR x:b y) 1)")               return and_(not_(x), not_(y));
  RULE("(AND|OR x:b y)")                   return tn_clauses_join(t, r);
  // ** choices **
  RULE("(WHERE c x y)")                    return c->k ? x : y;
  RULE("(WHERE p x x)")                    return x;
  RULE("(WHERE (XOR p 1) x y)")            return where(p, y, x);
  RULE("(WHERE:b p 1 0)")                  return p;
  RULE("(WHERE:b p 0 1)")                  return not_(p);
  RULE("(WHERE:b p x 0)")                  return and_(p, x);
  RULE("(WHERE:b p 1 x)")                  return or_(p, x);
  RULE("(WHERE:b p 0 x)")                  return and_(not_(p), x);
  RULE("(WHERE:b p x 1)")                  return or_(not_(p), x);
  RULE("(WHERE p (WHERE p x y) z)")        return where(p, x, z);
  RULE("(WHERE p x (WHERE p y z))")        return where(p, x, z);
  RULE("(WHERE p (WHERE q x y) y)")        return where(and_(p, q), x, y);
  RULE("(WHERE p x (WHERE q x y))")        return where(or_(p, q), x, y);
  RULE("(WHERE p (WHERE q y x) y)")        return where(and_(p, not_(q)), x, y);
RULES_END

// ** comparisons **

// Splits a into what is positive and what is negative, that with its sign turned.
static void tn_affine_sides(const tn_affine *a, tn_affine *plus, tn_affine *minus) {
  tn_affine_start(plus, TINY_INDEX);
  tn_affine_start(minus, TINY_INDEX);
  for (int i = 0; i < a->n; i++) {
    const int64_t c = a->term[i].c;
    tn_affine_term(c > 0 ? plus : minus, a->term[i].x, c > 0 ? c : -c);
  }
}
static int tn_affine_fits(const tn_affine *a, int dtype) {
  int64_t low, high;
  tn_affine_bounds(a, &low, &high);
  return tn_fits(dtype, low, high);
}
// plus op minus
static tiny_uop *tn_compare_node(tiny_ctx *t, int op, const tn_affine *plus, const tn_affine *minus,
                                 int dtype) {
  if (!tn_affine_fits(plus, dtype) || !tn_affine_fits(minus, dtype)) return NULL;
  return op2(op, tn_affine_node(t, plus, dtype), tn_affine_node(t, minus, dtype));
}

// d A + B < 0 is A + B // d < 0: where B // d has one value, B is gone. The largest d is taken.
static void tn_compare_coarsen(tn_affine *a) {
  int64_t best = 1, best_m = 0, m;
  for (int i = 0; i < a->n; i++) {
    const int64_t d = a->term[i].c < 0 ? -a->term[i].c : a->term[i].c;
    tn_affine low_part;
    tn_affine_start(&low_part, TINY_INDEX);
    for (int j = 0; j < a->n; j++)
      if (a->term[j].c % d) tn_affine_term(&low_part, a->term[j].x, a->term[j].c);
    low_part.k = a->k;
    if (d > best && tn_one_quotient(&low_part, d, &m)) { best = d; best_m = m; }
  }
  if (best == 1) return;
  int n = 0;
  for (int j = 0; j < a->n; j++) if (a->term[j].c % best == 0) {
    a->term[n].x = a->term[j].x;
    a->term[n++].c = a->term[j].c / best;
  }
  a->n = n; a->k = best_m;
}

// The sum x - y, of unbounded integers.
static int tn_difference(tn_affine *a, tiny_uop *x, tiny_uop *y) {
  tn_affine_start(a, TINY_INDEX);
  return tn_bounded(x) && tn_affine_add(a, x, 1, 1) && tn_affine_add(a, y, -1, 1) && tn_affine_small(a);
}

static tiny_uop *tn_less(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  tn_affine a, plus, minus;
  int64_t low, high;
  if (!tn_difference(&a, x, y)) return NULL;
  tn_affine_bounds(&a, &low, &high);
  if (high < 0 || low >= 0) return B(high < 0);
  tn_compare_coarsen(&a);
  tn_affine_sides(&a, &plus, &minus);
  if (!plus.n) {                           // -minus + k < 0 is !(minus < k + 1)
    plus.k = a.k + 1;
    tiny_uop *u = tn_compare_node(t, TINY_OP_LT, &minus, &plus, x->dtype);
    return u ? not_(u) : NULL;
  }
  if (minus.n && (!tn_is_const(y) || x->dtype != TINY_INDEX)) {
    minus.k = -a.k;
    return tn_compare_node(t, TINY_OP_LT, &plus, &minus, x->dtype);
  }
  tn_affine_start(&minus, TINY_INDEX);
  minus.k = -a.k; a.k = 0;
  return tn_compare_node(t, TINY_OP_LT, &a, &minus, x->dtype);
}

static tiny_uop *tn_differs(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  tn_affine a, plus, minus;
  int64_t low, high, g = 0;
  if (!tn_difference(&a, x, y)) return NULL;
  tn_affine_bounds(&a, &low, &high);
  if (high < 0 || low > 0) return B(1);
  for (int i = 0; i < a.n; i++) g = tn_gcd(g, a.term[i].c);
  if (!a.n || a.k % g) return B(a.k != 0);
  int first = 0;
  for (int i = 1; i < a.n; i++) if (tn_uop_order(a.term[i].x, a.term[first].x) < 0) first = i;
  if (a.term[first].c < 0) g = -g;         // the first term is positive
  for (int i = 0; i < a.n; i++) a.term[i].c /= g;
  a.k /= g;
  tn_affine_sides(&a, &plus, &minus);
  minus.k = -a.k;
  return tn_compare_node(t, TINY_OP_NE, &plus, &minus, x->dtype);
}

// All values of x survive a conversion to dtype.
static int tn_holds(int dtype, const tiny_uop *x) {
  if (x->dtype == TINY_BOOL || x->dtype == dtype) return 1;
  if (tn_is_float(x->dtype)) {
    if (!tn_is_float(dtype)) return 0;
    return tn_dtypes[dtype].mantissa >= tn_dtypes[x->dtype].mantissa &&
        tn_dtypes[dtype].least <= tn_dtypes[x->dtype].least;
  }
  if (dtype == TINY_BOOL || x->dtype == TINY_U64) return 0;
  if (!tn_is_float(dtype)) return x->vmin >= tn_dtype_min(dtype) && x->vmax <= tn_dtype_max(dtype);
  const int64_t top = (int64_t)1 << (tn_dtypes[dtype].mantissa + 1);
  return x->vmin >= -top && x->vmax <= top && (dtype != TINY_F16 || (x->vmin >= -65504 && x->vmax <= 65504));
}

RULES(tn_rules_compare, x, y, z, c, c0, c1)
  RULE("(LT x x)")                         return B(0);
  RULE("(NE x:i x)")                       return B(0);
  RULE("(LT x:i 0)")                       return tn_is_unsigned(x->dtype) ? B(0) : NULL;
  RULE("(LT c x:i)") {                     // c < x -> !(x < c + 1)
    if (!tn_bounded(x) || c->k == tn_dtype_max(x->dtype)) return NULL;
    return not_(lt(x, K(x, c->k + 1)));
  }
  RULE("(LT x:i y)")                       return tn_less(t, x, y);
  RULE("(NE x:i y)")                       return tn_differs(t, x, y);
  RULE("(NE (ADD x:i c0) c1)")             return ne(x, K(x, tn_wrap_add(c1->k, tn_wrap_mul(c0->k, -1))));
  RULE("(NE (XOR x:i c0) c1)")             return ne(x, K(x, tn_dtype_wrap(x->dtype, c0->k ^ c1->k)));
  RULE("(NE (ADD x:i y) (ADD x z))")       return ne(y, z);
  RULE("(LT (IDIV x:i c0) c1)") {          // x // c0 < c1 -> x < c0 c1
    const int64_t k = tn_clamp_mul(c0->k, c1->k);
    if (!tn_bounded(x) || c0->k <= 0 || !tn_fits(x->dtype, k, k)) return NULL;
    return lt(x, K(x, k));
  }
  // ** through casts **
  RULE("(NE (CAST x:b) 0)")                return x;
  RULE("(NE (CAST x:b) 1)")                return not_(x);
  RULE("(LT (CAST x:b) 1)")                return not_(x);
  RULE("(LT 0 (CAST x:b))")                return x;
  RULE("(NE|LT (CAST x:i) (CAST y:i))") {
    if (x->dtype != y->dtype || !tn_holds(r->src[0]->dtype, x) || !tn_holds(r->src[0]->dtype, y)) return NULL;
    return op2(r->op, x, y);
  }
  RULE("(NE|LT z=(CAST x:i) c)") {
    const tiny_uop *back = cast(c, x->dtype);
    if (!tn_is_int(z->dtype) || !tn_holds(z->dtype, x) || !tn_holds(x->dtype, c) || !back) return NULL;
    return op2(r->op, x, K(x, c->k));
  }
RULES_END

RULES(tn_rules_cast, x, y, z, p, c0, c1)
  RULE("(CAST|BITCAST x)")                 { if (r->dtype != x->dtype) return NULL; return x; }
  RULE("(BITCAST (BITCAST x))")
    return tn_uop_make(t, TINY_OP_BITCAST, r->dtype, r->lanes, 1, &x, 0, 0, NULL);
  RULE("(CAST:b x)")                       return ne(x, K(x, 0));            // 0.0 has the bits of 0
  RULE("(CAST y=(CAST x))") {
    const int from_int = !tn_is_float(x->dtype), to_int = tn_is_int(r->dtype);
    const int low_bits = from_int && to_int && tn_is_int(y->dtype) && tn_bits(r->dtype) <= tn_bits(y->dtype);
    const int through_float = from_int && to_int && tn_is_float(y->dtype);      // wraps one way, saturates the other
    if (!low_bits && (!tn_holds(y->dtype, x) || (through_float && !tn_holds(r->dtype, x)))) return NULL;
    return cast(x, r->dtype);
  }
  RULE("(CAST (WHERE p c0 c1))")           return where(p, cast(c0, r->dtype), cast(c1, r->dtype));
  RULE("(CAST:x z=(ADD|MUL x:i y))") {
    if (!tn_exact(z)) return NULL;
    return op2(z->op, cast(x, TINY_INDEX), cast(y, TINY_INDEX));
  }
  RULE("(CAST:x z=(IDIV|MOD x:i c0))") {
    if (!tn_bounded(x) || c0->k <= 0) return NULL;
    return op2(z->op, cast(x, TINY_INDEX), X(c0->k));
  }
RULES_END

RULES(tn_rules_symbolic, x, y, z)
  USE(tn_rules_fold)
  USE(tn_rules_arithmetic)
  USE(tn_rules_bool)
  USE(tn_rules_compare)
  USE(tn_rules_cast)
  USE(tn_rules_divmod)
  // ** memory that is always or never touched **
  RULE("(INDEX x y 1)")
    return tn_uop_make(t, TINY_OP_INDEX, r->dtype, r->lanes, 2, r->src, r->k, r->nv, r->v);
  RULE("(LOAD (INDEX x y 0))")             return K(r, 0);
  RULE("(LOAD (INDEX x y 0) z)")           return z;
RULES_END

// Heavy code.
static tiny_uop *tn_simplify(tiny_ctx *t, tiny_uop *u) { return tn_rewrite(t, u, tn_rules_symbolic, NULL); }

typedef struct tn_simplify_call { tiny_uop *u; } tn_simplify_call;
static tiny_code tn_simplify_guarded(tiny_ctx *t, void *arg) {
  tn_simplify_call *call = (tn_simplify_call *)arg;
  call->u = tn_rewrite(t, call->u, tn_rules_symbolic, NULL);
  return t->code;
}
TINY_API tiny_uop *tiny_uop_simplify(tiny_ctx *t, tiny_uop *u) {
  tn_simplify_call call = {u};
  return t && u && tn_guard(t, tn_simplify_guarded, &call) == TINY_OK ? call.u : u;
}
#endif
