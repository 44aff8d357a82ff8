// divmod: floor division and modulo of sums by positive constants, as reshapes and permutes make them.
//
// All of it rests on these, with c, d > 0 and A, B any integers (Graham, Knuth, Patashnik,
// "Concrete Mathematics", 3.2-3.4):
//   (c A + B) // c = A + B // c          (c A + B) % c = B % c
//   (d A + B) // (d e) = (A + m) // e    (d A + B) % (d e) = d ((A + m) % e) + B - m d    where m d <= B < (m + 1) d
//   (A // d) // e = A // (d e)           (A % (d e)) // d = (A // d) % e                  (A % (d e)) % d = A % d
#ifndef TN_RULES_DIVMOD
#define TN_RULES_DIVMOD
#ifndef TINY_AMALGAMATED
#include "affine.c"
#endif

// One quotient for all of a's values: *m.
static int tn_one_quotient(const tn_affine *a, int64_t c, int64_t *m) {
  int64_t low, high;
  tn_affine_bounds(a, &low, &high);
  *m = tn_floor_div(low, c);
  return low > INT64_MIN && high < INT64_MAX && *m == tn_floor_div(high, c);
}

// quotient + rest // c, or rest % c, in r's dtype. NULL where the dtype cannot hold the rest.
static tiny_uop *tn_divmod_node(tiny_ctx *t, const tiny_uop *r, tn_affine *quotient, const tn_affine *rest,
                                int64_t c) {
  int64_t low, high;
  tn_affine_bounds(rest, &low, &high);
  if (!tn_fits(r->dtype, low, high)) return NULL;
  tiny_uop *x = tn_affine_node(t, rest, r->dtype);
  if (r->op == TINY_OP_MOD) return mod(x, K(r, c));
  return tn_affine_term(quotient, idiv(x, K(r, c)), 1) ? tn_affine_node(t, quotient, r->dtype) : NULL;
}

// Some choice of residues, each between -c and c, may leave a rest that has one quotient. At most 5 terms are tried.
static tiny_uop *tn_divmod_congruence(tiny_ctx *t, const tiny_uop *r, const tn_affine *a, int64_t c) {
  if (a->n > 5) return NULL;
  for (int choice = 0; choice < 1 << a->n; choice++) {
    tn_affine quotient, rest;
    tn_affine_start(&quotient, TINY_INDEX);
    tn_affine_start(&rest, TINY_INDEX);
    int64_t m, low, high;
    for (int i = 0; i < a->n; i++) {
      const int64_t floor = tn_floor_div(a->term[i].c, c), q = floor + (choice >> i & 1),
                    residue = a->term[i].c - q * c;
      if (q) tn_affine_term(&quotient, a->term[i].x, q);
      if (residue) tn_affine_term(&rest, a->term[i].x, residue);
    }
    rest.k = a->k;
    if (!tn_one_quotient(&rest, c, &m)) continue;
    quotient.k = m;
    rest.k -= m * c;
    tn_affine *result = r->op == TINY_OP_IDIV ? &quotient : &rest;
    tn_affine_bounds(result, &low, &high);
    if (tn_fits(r->dtype, low, high)) return tn_affine_node(t, result, r->dtype);
  }
  return NULL;
}

// Takes multiples of c out of the coefficients (toward zero: signs stay) and of the constant (floor).
static int tn_divmod_extract(const tn_affine *a, int64_t c, tn_affine *quotient, tn_affine *rest) {
  int changed = 0;
  tn_affine_start(quotient, TINY_INDEX);
  tn_affine_start(rest, TINY_INDEX);
  for (int i = 0; i < a->n; i++) {
    const int64_t q = a->term[i].c / c, residue = a->term[i].c % c;
    changed |= q != 0;
    tn_affine_term(quotient, a->term[i].x, q);
    tn_affine_term(rest, a->term[i].x, residue);
  }
  quotient->k = tn_floor_div(a->k, c);
  rest->k = tn_floor_mod(a->k, c);
  return changed || quotient->k;
}

// x = d A + B with B within one multiple of d, and d a divisor of c.
static tiny_uop *tn_divmod_factor(tiny_ctx *t, const tiny_uop *r, const tn_affine *a, int64_t c) {
  int64_t best = 1, best_m = 0, m;
  for (int i = 0; i < a->n; i++) {
    const int64_t d = tn_gcd(a->term[i].c, c);
    if (d <= best) continue;
    tn_affine low_part;
    tn_affine_start(&low_part, TINY_INDEX);
    for (int j = 0; j < a->n; j++)
      if (a->term[j].c % d) tn_affine_term(&low_part, a->term[j].x, a->term[j].c);
    low_part.k = a->k;
    if (tn_one_quotient(&low_part, d, &m)) { best = d; best_m = m; }
  }
  if (best == 1) return NULL;
  tn_affine high_part, low_part;
  tn_affine_start(&high_part, TINY_INDEX);
  tn_affine_start(&low_part, TINY_INDEX);
  for (int j = 0; j < a->n; j++) {
    if (a->term[j].c % best) tn_affine_term(&low_part, a->term[j].x, a->term[j].c);
    else tn_affine_term(&high_part, a->term[j].x, a->term[j].c / best);
  }
  high_part.k = best_m;
  low_part.k = a->k - best_m * best;
  int64_t low, high;
  tn_affine_bounds(&high_part, &low, &high);
  if (!tn_fits(r->dtype, low, high)) return NULL;
  tiny_uop *x = tn_affine_node(t, &high_part, r->dtype), *e = K(r, c / best);
  if (r->op == TINY_OP_IDIV) return idiv(x, e);
  x = mul(mod(x, e), K(r, best));
  return low_part.n || low_part.k ? add(x, tn_affine_node(t, &low_part, r->dtype)) : x;
}

static int tn_is_by_positive(const tiny_uop *u, int op) {
  return u->op == op && tn_is_const(u->src[1]) && u->src[1]->k > 0;
}

// A division or modulo inside of the sum meets the one outside.
static tiny_uop *tn_divmod_nested(tiny_ctx *t, const tiny_uop *r, const tn_affine *a, int64_t c) {
  if (r->op == TINY_OP_MOD) {              // (p (y % m) + ..) % c = (p y + ..) % c where c divides p m
    for (int i = 0; i < a->n; i++) {
      const tiny_uop *u = a->term[i].x;
      if (!tn_is_by_positive(u, TINY_OP_MOD) || tn_clamp_mul(a->term[i].c, u->src[1]->k) % c) continue;
      tn_affine opened = *a, rest, quotient;
      opened.term[i] = opened.term[--opened.n];
      if (!tn_affine_add(&opened, u->src[0], a->term[i].c, 1)) return NULL;
      tn_divmod_extract(&opened, c, &quotient, &rest);
      return tn_divmod_node(t, r, &quotient, &rest, c);
    }
    return NULL;
  }
  if (a->n != 1 || a->term[0].c != 1) return NULL;
  const tiny_uop *u = a->term[0].x;
  if (tn_is_by_positive(u, TINY_OP_IDIV)) {                // (y // d + k) // c = (y + d k) // (c d)
    const int64_t d = u->src[1]->k, dk = tn_clamp_mul(d, a->k), cd = tn_clamp_mul(c, d);
    const int64_t low = tn_clamp_add(u->src[0]->vmin, dk), high = tn_clamp_add(u->src[0]->vmax, dk);
    if (!tn_fits(r->dtype, cd, cd) || !tn_fits(r->dtype, low, high)) return NULL;
    return idiv(dk ? add(u->src[0], K(r, dk)) : u->src[0], K(r, cd));
  }
  if (tn_is_by_positive(u, TINY_OP_MOD) && !a->k && u->src[1]->k % c == 0)      // (y % (c e)) // c = (y // c) % e
    return mod(idiv(u->src[0], K(r, c)), K(r, u->src[1]->k / c));
  return NULL;
}

// x // c or x % c, x and c of a bounded integer dtype. NULL: nothing to do.
static tiny_uop *tn_divmod(tiny_ctx *t, const tiny_uop *r) {
  const int64_t c = r->src[1]->k;
  tn_affine a, quotient, rest;
  tn_affine_start(&a, TINY_INDEX);
  if (!tn_bounded(r) || !tn_affine_add(&a, r->src[0], 1, 1) || !tn_affine_small(&a) || c >= (int64_t)1 << 60)
    return NULL;
  tiny_uop *u = tn_divmod_congruence(t, r, &a, c);
  if (!u && tn_divmod_extract(&a, c, &quotient, &rest)) u = tn_divmod_node(t, r, &quotient, &rest, c);
  if (!u) u = tn_divmod_factor(t, r, &a, c);
  return u ? u : tn_divmod_nested(t, r, &a, c);
}

RULES(tn_rules_divmod, x, c)
  RULE("(IDIV|MOD x:i c)") {
    if (c->k > 0) return tn_divmod(t, r);
    if (c->k >= -1 || c->k == INT64_MIN || r->dtype != TINY_INDEX) return NULL;
    tiny_uop *minus = mul(x, X(-1));       // x // -c = -x // c,  x % -c = -(-x % c)
    return r->op == TINY_OP_IDIV ? idiv(minus, X(-c->k)) : mul(mod(minus, X(-c->k)), X(-1));
  }
RULES_END
#endif
