// within: does a list, compiled, keep within the memory that it is given, whatever that holds?
//
// In:    the list of a program that ir/spec.c takes; how it is launched. Out: what is not plain about it; NULL:
//        nothing, and compiled it reads and writes nothing else, and divides by nothing that traps. Of others the
//        interpreter looks at every access.
// Holds: what nodes say of their bounds is inferred when they are made, and holds for what compiled code computes, but
//        for what stands in memory as a bool, and for shifts by more than a number has bits: nothing that comes of
//        those may be the index of an access. Beyond them an access has what its condition says: a conjunction of
//        comparisons of sums. That is taken for true of sums alone that wrap nowhere, whatever the condition is, as
//        addresses may be computed of their parts; and not of what is read from memory, which others may write between
//        a comparison and an access.
#ifndef TN_SHIP_WITHIN
#define TN_SHIP_WITHIN
#ifndef TINY_AMALGAMATED
#include "../ir/wire.c"
#include "../ir/target.c"
#endif

// Nodes; elements of a DEFINE; steps of all proofs of a list.
enum { TN_WITHIN_NODES = 1 << 16, TN_WITHIN_REGS = 1 << 12, TN_WITHIN_LOCAL = 1 << 24, TN_WITHIN_WORK = 1 << 20 };

static const char *const tn_within_beyond = "an access is not plainly within its memory";

typedef struct tn_within_bounds { int64_t low, high; } tn_within_bounds;
typedef struct tn_within {
  uint8_t *flags; tn_within_bounds *bounds;                  // by seq
  int64_t work, local;                     // steps that are left to proofs; bytes of LOCAL memory so far
} tn_within;
enum {
  TN_WITHIN_DOUBT = 1,                     // it may be another value than its bounds say
  TN_WITHIN_READ = 2,                      // it comes of what stands in memory
  TN_WITHIN_WRAPS = 4                      // it is no sum that is exact
};

// ** bounds **

// What u, whose sources are known, has of them.
static int tn_within_flags_of(const tn_within *w, const tiny_uop *u) {
  int flags = 0;
  for (uint32_t i = 0; i < u->nsrc; i++) flags |= w->flags[u->src[i]->seq];
  flags &= TN_WITHIN_DOUBT | TN_WITHIN_READ;
  if (u->op == TINY_OP_LOAD) flags = TN_WITHIN_READ | (u->dtype == TINY_BOOL ? TN_WITHIN_DOUBT : 0);
  if (u->op == TINY_OP_BITCAST && u->dtype == TINY_BOOL) flags |= TN_WITHIN_DOUBT;
  if (u->op == TINY_OP_SHL || u->op == TINY_OP_SHR) {
    const tiny_uop *by = u->src[1];
    if (by->op != TINY_OP_CONST || by->k < 0 || by->k >= tn_bits(u->dtype)) flags |= TN_WITHIN_DOUBT;
  }
  return flags;
}
static int tn_within_counts(const tiny_uop *u) {
  return u->dtype == TINY_I32 || u->dtype == TINY_U32 || u->dtype == TINY_I64;
}
static tn_within_bounds tn_within_product(tn_within_bounds a, tn_within_bounds b) {
  const int64_t p[4] = {tn_clamp_mul(a.low, b.low), tn_clamp_mul(a.low, b.high), tn_clamp_mul(a.high, b.low),
                        tn_clamp_mul(a.high, b.high)};
  tn_within_bounds r = {p[0], p[0]};
  for (int i = 1; i < 4; i++) { if (p[i] < r.low) r.low = p[i]; if (p[i] > r.high) r.high = p[i]; }
  return r;
}
// What u is where `condition`, a < b, is as `holds` says.
static tn_within_bounds tn_within_arm(const tn_within *w, const tiny_uop *u, const tiny_uop *condition, int holds) {
  tn_within_bounds r = w->bounds[u->seq];
  if (condition->op != TINY_OP_LT || !tn_within_counts(condition->src[0])) return r;
  const tiny_uop *a = condition->src[holds ? 0 : 1], *b = condition->src[holds ? 1 : 0];       // a < b, or a <= b
  const int64_t most = tn_clamp_add(w->bounds[b->seq].high, -holds);
  const int64_t least = tn_clamp_add(w->bounds[a->seq].low, holds);
  if (u == a && most < r.high && most >= r.low) r.high = most;
  if (u == b && least > r.low && least <= r.high) r.low = least;
  return r;
}
// Bounds of u by those of its sources, within what it says itself.
static void tn_within_bound(tn_within *w, const tiny_uop *u) {
  enum { MOST = 60 };
  const int64_t low = tn_dtype_min(u->dtype), high = tn_dtype_max(u->dtype), most = (int64_t)1 << MOST;
  tn_within_bounds *r = &w->bounds[u->seq], by = {low, high};
  r->low = u->vmin; r->high = u->vmax;
  w->flags[u->seq] |= TN_WITHIN_WRAPS;
  if (!tn_within_counts(u)) return;
  const tn_within_bounds a = u->nsrc ? w->bounds[u->src[0]->seq] : *r;
  const tn_within_bounds b = u->nsrc > 1 ? w->bounds[u->src[1]->seq] : *r;
  switch (u->op) {
    case TINY_OP_CONST: case TINY_OP_RANGE: case TINY_OP_SPECIAL: case TINY_OP_ARG: case TINY_OP_LANE: by = *r; break;
    case TINY_OP_BROADCAST: by = a; break;
    case TINY_OP_CAST: if (!tn_within_counts(u->src[0])) return; by = a; break;
    case TINY_OP_ADD: by.low = tn_clamp_add(a.low, b.low); by.high = tn_clamp_add(a.high, b.high); break;
    case TINY_OP_SUB:
      by.low = tn_clamp_add(a.low, tn_clamp_mul(b.high, -1)); by.high = tn_clamp_add(a.high, tn_clamp_mul(b.low, -1));
      break;
    case TINY_OP_MUL: by = tn_within_product(a, b); break;
    case TINY_OP_WHERE: {
      if (w->flags[u->seq] & (TN_WITHIN_DOUBT | TN_WITHIN_READ)) return;
      const tn_within_bounds yes = tn_within_arm(w, u->src[1], u->src[0], 1);
      const tn_within_bounds no = tn_within_arm(w, u->src[2], u->src[0], 0);
      by.low = yes.low < no.low ? yes.low : no.low; by.high = yes.high > no.high ? yes.high : no.high;
      break;
    }
    default: return;
  }
  if (by.low < low || by.high > high || by.low < -most || by.high > most) return;
  w->flags[u->seq] &= (uint8_t)~TN_WITHIN_WRAPS;
  if (by.low > r->low) r->low = by.low;
  if (by.high < r->high) r->high = by.high;
}

// ** sums: k + by[0] * atom[0] + .. , each lane by itself; atom NULL: the number of the lane **

enum { TN_WITHIN_TERMS = 12, TN_WITHIN_FACTS = 12, TN_WITHIN_DEPTH = 32 };
typedef struct tn_within_sum {
  int64_t k, by[TN_WITHIN_TERMS]; const tiny_uop *atom[TN_WITHIN_TERMS]; int n;
} tn_within_sum;

// So large that no sum of so many terms is beyond 64 bits: factors, bounds, constants.
static const int64_t tn_within_factor = 1 << 26, tn_within_bounded = (int64_t)1 << 32;
static const int64_t tn_within_constant = (int64_t)1 << 40;

static int tn_within_is_at_most(int64_t k, int64_t most) { return k >= -most && k <= most; }
// 0: it does not fit.
static int tn_within_term(tn_within_sum *s, const tiny_uop *atom, int64_t by) {
  int i = 0;
  while (i < s->n && s->atom[i] != atom) i++;
  if (i == TN_WITHIN_TERMS) return 0;
  if (i == s->n) { s->atom[i] = atom; s->by[i] = 0; s->n++; }
  s->by[i] += by;
  return tn_within_is_at_most(s->by[i], tn_within_factor);
}
static const tiny_uop *tn_within_lane_of(const tiny_uop *u) {
  return u->op == TINY_OP_BROADCAST && u->src[0]->lanes == 1 ? u->src[0] : u;
}
// s + by * u. 0: that is not known.
static int tn_within_add(tn_within *w, tn_within_sum *s, const tiny_uop *u, int64_t by, int depth) {
  u = tn_within_lane_of(u);
  if (w->work-- < 0 || depth > TN_WITHIN_DEPTH || w->flags[u->seq] || !tn_within_is_at_most(by, tn_within_factor))
    return 0;
  switch (u->op) {
    case TINY_OP_CONST:
      if (!tn_within_is_at_most(u->k, tn_within_bounded)) return 0;
      s->k += by * u->k;
      return tn_within_is_at_most(s->k, tn_within_constant);
    case TINY_OP_ADD: case TINY_OP_SUB:
      return tn_within_add(w, s, u->src[0], by, depth + 1) &&
             tn_within_add(w, s, u->src[1], u->op == TINY_OP_ADD ? by : -by, depth + 1);
    case TINY_OP_MUL:
      for (int i = 0; i < 2; i++) {
        const tiny_uop *k = tn_within_lane_of(u->src[i]);
        if (k->op == TINY_OP_CONST && tn_within_is_at_most(k->k, tn_within_factor))
          return tn_within_add(w, s, u->src[1 - i], by * k->k, depth + 1);
      }
      return 0;
    case TINY_OP_CAST: return tn_within_add(w, s, u->src[0], by, depth + 1);
    case TINY_OP_LANE: return tn_within_term(s, NULL, by);
    case TINY_OP_RANGE: case TINY_OP_SPECIAL: case TINY_OP_ARG: case TINY_OP_WHERE: return tn_within_term(s, u, by);
    default: return 0;
  }
}
// The sums that are not below 0 where the condition is true. Returns how many.
static int tn_within_facts(tn_within *w, const tiny_uop *u, tn_within_sum *fact, int n, int depth) {
  u = tn_within_lane_of(u);
  if (w->work-- < 0 || depth > TN_WITHIN_DEPTH || n == TN_WITHIN_FACTS) return n;
  if (u->op == TINY_OP_AND && u->dtype == TINY_BOOL) {
    n = tn_within_facts(w, u->src[0], fact, n, depth + 1);
    return tn_within_facts(w, u->src[1], fact, n, depth + 1);
  }
  if (u->op == TINY_OP_NE) {               // a condition as a number
    const tiny_uop *x = tn_within_lane_of(u->src[0]), *zero = tn_within_lane_of(u->src[1]);
    if (x->op != TINY_OP_WHERE || !tn_is_int(x->dtype) || zero->op != TINY_OP_CONST || zero->k) return n;
    const tiny_uop *yes = tn_within_lane_of(x->src[1]), *no = tn_within_lane_of(x->src[2]);
    if (yes->op != TINY_OP_CONST || !yes->k || no->op != TINY_OP_CONST || no->k) return n;
    return tn_within_facts(w, x->src[0], fact, n, depth + 1);
  }
  if (u->op != TINY_OP_LT) return n;
  memset(&fact[n], 0, sizeof *fact);
  fact[n].k = -1;                          // b - a - 1
  return n + (tn_within_add(w, &fact[n], u->src[1], 1, 0) && tn_within_add(w, &fact[n], u->src[0], -1, 0));
}
// What the sum is at least; *bounded: it is so.
static int64_t tn_within_least(const tn_within *w, const tn_within_sum *s, int lanes, int *bounded) {
  int64_t least = s->k;
  *bounded = 1;
  for (int i = 0; i < s->n; i++) if (s->by[i]) {
    const tiny_uop *atom = s->atom[i];
    int64_t k = s->by[i] > 0 ? 0 : lanes - 1;
    if (atom) k = s->by[i] > 0 ? w->bounds[atom->seq].low : w->bounds[atom->seq].high;
    if (!tn_within_is_at_most(k, tn_within_bounded)) {
      *bounded = 0;
      k = s->by[i] > 0 ? -tn_within_bounded : tn_within_bounded;
    }
    least += s->by[i] * k;
  }
  return least;
}
// *s less so many times a fact, which is no more than it. 0: it does not fit.
static int tn_within_less(tn_within_sum *s, const tn_within_sum *fact, int64_t times) {
  s->k -= times * fact->k;
  int fits = tn_within_is_at_most(s->k, tn_within_constant);
  for (int i = 0; i < fact->n && fits; i++)
    fits = tn_within_is_at_most(fact->by[i] * times, tn_within_factor) &&
           tn_within_term(s, fact->atom[i], -times * fact->by[i]);
  return fits;
}
// Is the sum never below 0 where the facts hold? What raises its least is taken from it as long as there is something.
static int tn_within_holds(tn_within *w, tn_within_sum s, const tn_within_sum *fact, int n, int lanes) {
  int bounded;
  int64_t least = tn_within_least(w, &s, lanes, &bounded);
  for (int at = 0; !(bounded && least >= 0) && at < n * TN_WITHIN_TERMS * TN_WITHIN_TERMS; at++) {
    const tn_within_sum *f = &fact[at / TN_WITHIN_TERMS / TN_WITHIN_TERMS];
    const int j = at / TN_WITHIN_TERMS % TN_WITHIN_TERMS, k = at % TN_WITHIN_TERMS;
    if (j >= s.n || k >= f->n || s.atom[j] != f->atom[k] || !s.by[j] || !f->by[k] || s.by[j] % f->by[k]) continue;
    const int64_t times = s.by[j] / f->by[k];
    tn_within_sum other = s;
    int its;
    if (w->work-- < 0) return 0;
    if (times < 1 || !tn_within_is_at_most(f->k, tn_within_bounded) || !tn_within_less(&other, f, times)) continue;
    const int64_t raised = tn_within_least(w, &other, lanes, &its);
    if (raised <= least) continue;
    s = other; least = raised; bounded = its;
    at = -1;                               // from the first again
  }
  return bounded && least >= 0;
}
// Is index + 0..last, of so many lanes, one of `has` elements where the condition is true? last: of lanes side by side.
static int tn_within_where(tn_within *w, const tiny_uop *index, const tiny_uop *condition, int lanes, int last,
                           int64_t has) {
  tn_within_sum fact[TN_WITHIN_FACTS], s, rest;
  memset(&s, 0, sizeof s); memset(&rest, 0, sizeof rest);
  if (w->flags[condition->seq] & TN_WITHIN_DOUBT) return 0;
  if (has < 1 || !tn_within_is_at_most(has, tn_within_bounded)) return 0;      // what is left out may read the first
  rest.k = has - 1;
  if (!tn_within_add(w, &s, index, 1, 0) || !tn_within_add(w, &rest, index, -1, 0)) return 0;
  if (last && (!tn_within_term(&s, NULL, 1) || !tn_within_term(&rest, NULL, -1))) return 0;
  const int n = tn_within_facts(w, condition, fact, 0, 0);
  return tn_within_holds(w, s, fact, n, lanes) && tn_within_holds(w, rest, fact, n, lanes);
}

// ** nodes **

static const char *tn_within_access(tn_within *w, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *e = index->src[1], *m = tn_memory_behind(index->src[0]);
  const int lanes = u->op == TINY_OP_STORE ? u->src[1]->lanes : u->lanes;
  const int64_t has = m->op == TINY_OP_PARAM ? m->v[0] : m->v[1], last = e->lanes > 1 || m->lanes > 1 ? 0 : lanes - 1;
  if (u->k) return "it moves tiles, or adds to what others add to";
  if (m->lanes > 1 && m->lanes != lanes) return tn_within_beyond;
  if (w->flags[e->seq] & TN_WITHIN_DOUBT) return tn_within_beyond;
  if (w->bounds[e->seq].low >= 0 && w->bounds[e->seq].high < has - last) return NULL;
  return index->nsrc == 3 && tn_within_where(w, e, index->src[2], lanes, last, has) ? NULL : tn_within_beyond;
}
static const char *tn_within_define(const tiny_uop *u, int64_t *local) {
  if (u->v[0] == TN_SPACE_REG)
    return u->v[1] <= TN_WITHIN_REGS && u->lanes <= TN_WITHIN_REGS ? NULL : "it has too many registers";
  if (u->v[0] != TN_SPACE_LOCAL || u->v[1] > TN_WITHIN_LOCAL) return "it has too much memory of its own";
  *local += tn_local_nbytes(u);
  return *local <= TN_WITHIN_LOCAL ? NULL : "it has too much memory of its own";
}
static const char *tn_within_node(tn_within *w, const tiny_uop *u, int64_t tasks) {
  if (u->dtype == TINY_INDEX) return "it has integers of no width";
  switch (u->op) {
    case TINY_OP_LOAD: case TINY_OP_STORE: return tn_within_access(w, u);
    case TINY_OP_DEFINE: return tn_within_define(u, &w->local);
    case TINY_OP_IDIV: case TINY_OP_MOD: case TINY_OP_CDIV: case TINY_OP_CMOD:
      return w->flags[u->src[1]->seq] & TN_WITHIN_DOUBT || u->src[1]->vmin < 1 ? "it may divide by 0" : NULL;
    case TINY_OP_SPECIAL:
      return u->k || w->flags[u->src[0]->seq] & TN_WITHIN_DOUBT || !tn_is_const(u->src[0]) || tasks > u->src[0]->k ?
          "it is for other tasks than it is given" : NULL;
    case TINY_OP_RANGE:
      for (uint32_t i = 0; i < u->nsrc; i++)
        if (w->flags[u->src[i]->seq] & TN_WITHIN_DOUBT || (i && u->src[i]->vmin < 0))
          return "a loop begins or ends anywhere";
      return NULL;
    case TINY_OP_BARRIER: case TINY_OP_SHUFFLE: case TINY_OP_WMMA: case TINY_OP_BULK: case TINY_OP_BULKSTORE:
      return "it is for other devices";
    default: return NULL;
  }
}
static const char *tn_within_memory(tiny_ctx *t, const tn_wire_list *k, int64_t tasks, int64_t local_nbytes) {
  tn_within w = {NULL, NULL, TN_WITHIN_WORK, 0};
  if (k->n > TN_WITHIN_NODES) return "it is too long";
  w.flags = (uint8_t *)tn_scratch(t, (size_t)k->n);
  w.bounds = (tn_within_bounds *)tn_scratch(t, (size_t)k->n * sizeof *w.bounds);
  for (int i = 0; i < k->n; i++) {
    tiny_uop *u = k->list[i];
    u->seq = (uint32_t)i;
    w.flags[i] = (uint8_t)tn_within_flags_of(&w, u);
    tn_within_bound(&w, u);
    const char *why = tn_within_node(&w, u, tasks);
    if (why) return why;
  }
  return local_nbytes && w.local > local_nbytes ? "it has less memory of its own than it takes" : NULL;
}
#endif
