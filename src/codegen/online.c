// online: a maximum, and sums of what it scales, in one loop that carries them all.
//
// In:    a kernel with a REDUCE that takes a maximum along a range, and others that add along ranges of their own.
// Out:   one range for all of them: a REDUCE over a range that has in its value another over the same range means the
//        other's value so far, and what was added before is scaled as that grows (rules/online.c). What they were
//        computed of is the same node for all, and computed once.
// Holds: other ranges move through such a REDUCE as through any. Rows of nothing but -inf give what the sums were for
//        them in loops of their own, and so do rows with inf and NaN.
#ifndef TN_CODEGEN_ONLINE
#define TN_CODEGEN_ONLINE
#ifndef TINY_AMALGAMATED
#include "bounds.c"
#include "../rules/online.c"
#endif

// The maximum, along some of its own ranges, that a sum is made of; NULL: it is no such sum. (AFTER x exponential): x,
// which has it in this one, where memory is what the summand itself tells of it.
static tiny_uop *tn_online_max(tiny_ctx *t, const tiny_uop *sum) {
  tn_list all = {NULL, 0, 0};
  if (sum->k != TINY_OP_ADD) return NULL;
  tn_collect_op(t, sum->src[0]->op == TINY_OP_AFTER ? sum->src[0]->src[1] : sum->src[0], TINY_OP_REDUCE, &all);
  for (int i = 0; i < all.n; i++)
    for (uint32_t j = 1; all.u[i]->k == TINY_OP_MAX && j < sum->nsrc; j++)
      if (tn_reduces_over(all.u[i], sum->src[j])) return all.u[i];
  return NULL;
}
static int tn_has_max(const tn_list *reduces) {
  int n = 0;
  for (int i = 0; i < reduces->n; i++) n += reduces->u[i]->k == TINY_OP_MAX;
  return n;
}
// Does a sum along r go on with a maximum so far? r NULL: along any range.
static int tn_is_online(tiny_ctx *t, tiny_uop *sink, const tiny_uop *r) {
  tn_list all = {NULL, 0, 0};
  tn_collect_op(t, sink, TINY_OP_REDUCE, &all);
  if (!tn_has_max(&all)) return 0;
  for (int i = 0; i < all.n; i++)
    if ((!r || tn_reduces_over(all.u[i], r)) && tn_online_max(t, all.u[i])) return 1;
  return 0;
}

// ** the opt **

// REDUCEs along r alone; -1: one has other ranges, or something else closes r.
static int tn_online_along(tiny_ctx *t, tiny_uop *sink, const tiny_uop *r, tn_list *along) {
  tn_list all = {NULL, 0, 0};
  along->n = 0;
  tn_toposort(t, sink, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i];
    if (u->op == TINY_OP_MASKED || !tn_closes(u, r)) continue;
    if (u->op != TINY_OP_REDUCE || u->nsrc != 2) return -1;
    tn_push(t, along, u);
  }
  return along->n;
}

// Sums along r have the factors outside that they may.
static tiny_uop *tn_online_factor(tiny_ctx *t, tiny_uop *sink, const tiny_uop *r) {
  for (int again = 1; again;) {
    tn_list along = {NULL, 0, 0};
    again = 0;
    tn_online_along(t, sink, r, &along);
    for (int i = 0; i < along.n && !again; i++) {
      tiny_uop *now = along.u[i]->k == TINY_OP_ADD ? tn_online_factored(t, along.u[i]) : along.u[i];
      again = now != along.u[i];
      if (again) sink = tn_replace(t, sink, 1, &along.u[i], &now);
    }
  }
  return sink;
}

// A REDUCE that is another but for its own ranges is the other.
static tiny_uop *tn_online_same(tiny_ctx *t, tiny_uop *sink) {
  for (int again = 1; again;) {
    tn_list all = {NULL, 0, 0};
    again = 0;
    tn_collect_op(t, sink, TINY_OP_REDUCE, &all);
    for (int i = 0; i < all.n && !again; i++) for (int j = 0; j < i && !again; j++) {
      tiny_uop *a = all.u[j], *b = all.u[i];
      int alike = a->nsrc == b->nsrc && a->k == b->k && !tn_same_ranges(a, b);
      for (uint32_t r = 1; alike && r < a->nsrc; r++)
        alike = tn_range_extent(a->src[r]) == tn_range_extent(b->src[r]) &&
            tn_range_kind(a->src[r]) == tn_range_kind(b->src[r]);
      again = alike && tn_replace(t, b, (int)b->nsrc - 1, b->src + 1, a->src + 1) == a;
      if (again) sink = tn_replace(t, sink, 1, &b, &a);
    }
  }
  return sink;
}

// What a MASKED says of one range holds for the loop of all where it is said of each.
static tiny_uop *tn_online_masked(tiny_ctx *t, const tiny_uop *was, tiny_uop *sink, int n, tiny_uop *const *axes) {
  tn_list src = {NULL, 0, 0}, all = {NULL, 0, 0};
  tn_toposort(t, sink->src[0], &all);
  tn_push(t, &src, sink->src[0]);
  for (uint32_t i = 1; i < was->nsrc; i++) {
    tiny_uop *masked = was->src[i], *to[TINY_MAX_DIMS + 1];
    int keep = 1, named = 0;
    for (int a = 0; a < n; a++) { to[a] = axes[0]; named |= tn_closes(masked, axes[a]); }
    tiny_uop *now = tn_replace(t, masked, n, axes, to);
    for (int a = 0; a < n && named; a++) {
      int said = 0;
      for (uint32_t j = 1; j < was->nsrc && !said; j++)
        said = tn_closes(was->src[j], axes[a]) && tn_replace(t, was->src[j], n, axes, to) == now;
      keep &= said;
    }
    for (uint32_t r = 1; r < now->nsrc && keep; r++) {       // of loops that there are
      keep = 0;
      for (int j = 0; j < all.n && !keep; j++) keep = tn_closes(all.u[j], now->src[r]);
    }
    for (int j = 1; j < src.n; j++) keep &= src.u[j] != now;
    if (keep) tn_push(t, &src, now);
  }
  return tn_like(t, sink, 1, src.n, src.u);
}

// Is one REDUCE along r a maximum, and are the others sums, of what it scales or without it?
static int tn_online_legal(tiny_ctx *t, tiny_uop *sink, const tiny_uop *r) {
  tn_list along = {NULL, 0, 0};
  tiny_uop *max = NULL;
  int sums = 0;
  if (tn_online_along(t, sink, r, &along) < 2) return 0;
  for (int i = 0; i < along.n; i++) if (along.u[i]->k == TINY_OP_MAX) {
    if (max) return 0;
    max = along.u[i];
  }
  for (int i = 0; i < along.n && max; i++) {
    tiny_uop *u = along.u[i];
    if (u == max) continue;
    if (u->k != TINY_OP_ADD) return 0;
    for (int j = 0; j < along.n; j++)
      if (along.u[j] != u && (along.u[j] != max || tn_depends(t, max->src[0], u)) && tn_depends(t, u, along.u[j]))
        return 0;
    if (!tn_depends(t, u->src[0], max)) continue;
    if (!tn_online_fits(t, u, max)) return 0;
    sums++;
  }
  return sums > 0;
}

// The loops of axes[1..n-1] become that of axes[0], of a maximum. NULL: they may not, or nothing would be carried.
static tiny_uop *tn_transform_online(tiny_ctx *t, tiny_uop *was, int n, tiny_uop *const *axes) {
  tiny_uop *sink = was, *to[TINY_MAX_DIMS + 1];
  tn_list along = {NULL, 0, 0};
  if (n > TINY_MAX_DIMS) return NULL;
  for (int i = 0; i < n; i++) {
    to[i] = axes[0];
    if (tn_range_kind(axes[i]) != TN_REDUCE || tn_range_extent(axes[i]) != tn_range_extent(axes[0]) ||
        tn_online_along(t, sink, axes[i], &along) < 1)
      return NULL;
    sink = tn_online_factor(t, sink, axes[i]);
  }
  sink = tn_online_same(t, tn_replace(t, sink, n - 1, axes + 1, to + 1));
  return tn_online_legal(t, sink, axes[0]) ? tn_online_masked(t, was, sink, n, axes) : NULL;
}

// ** loops that carry it **

// An iteration of a sum: its summand with the maximum so far, and what it was before as that scales it.
// max: the REDUCE, what it is before and after. from, to: all maxima of the loop, and what they are after it.
typedef struct tn_online_carried { tiny_uop *max, *before, *now; tn_list from, to; } tn_online_carried;

static tiny_uop *tn_online_at(tiny_ctx *t, tiny_uop *offset, tiny_uop *max, tiny_uop *value) {
  return tn_replace(t, offset, 1, &max, &value);
}
static tiny_uop *tn_online_lowest(tiny_ctx *t, const tiny_uop *max) {
  return tn_lanes_of(t, tn_const(t, max->dtype, tn_reduce_identity(TINY_OP_MAX, max->dtype)), max->lanes);
}
// e^(to - from), or as the EXP2 has it.
static tiny_uop *tn_online_scale(tiny_ctx *t, int64_t k, tiny_uop *to, tiny_uop *from) {
  tiny_uop *by = tn_u2(t, TINY_OP_MUL, from, tn_lanes_of(t, tn_number(t, from->dtype, -1), from->lanes)),
           *exponent = tn_u2(t, TINY_OP_ADD, to, by);
  return tn_uop_make(t, TINY_OP_EXP2, exponent->dtype, exponent->lanes, 1, &exponent, k, 0, NULL);
}
// x of the maximum's lanes, as it is where the maximum is above the lowest number; else `other`.
static tiny_uop *tn_online_above(tiny_ctx *t, tiny_uop *max, tiny_uop *x, tiny_uop *other) {
  return tn_u3(t, TINY_OP_WHERE, tn_u2(t, TINY_OP_NE, max, tn_online_lowest(t, max)), x, other);
}
static tiny_uop *tn_online_one(tiny_ctx *t, const tiny_uop *like) {
  return tn_lanes_of(t, tn_number(t, like->dtype, 1), like->lanes);
}
// The offset of rows that have seen nothing but the lowest number, as it is for 0; NULL: it is the same for both.
static tiny_uop *tn_online_start(tiny_ctx *t, tiny_uop *offset, tiny_uop *max) {
  tiny_uop *zero = tn_lanes_of(t, tn_number(t, max->dtype, 0), max->lanes),
           *none = tn_simplify(t, tn_online_at(t, offset, max, tn_online_lowest(t, max)));
  zero = tn_simplify(t, tn_online_at(t, offset, max, zero));
  return zero == none ? NULL : zero;
}

// Summand *value becomes one of the maximum so far, *sum what was added before as that scales it. While nothing is
// above the lowest number, nothing has been added, or what is no number.
static int tn_online_step(tiny_ctx *t, const tiny_uop *u, tn_online_carried *c, tiny_uop **value, tiny_uop **sum) {
  int64_t k = 0;
  tiny_uop *max = c->max, *offset = tn_online_offset(t, u->src[0], max, u->src[1], &k);
  if (!offset) return 0;
  if (tn_online_start(t, offset, max)) for (int i = 0; i < c->to.n; i++) {
    tiny_uop *now = c->to.u[i];
    c->to.u[i] = tn_online_above(t, now, now, tn_lanes_of(t, tn_number(t, now->dtype, 0), now->lanes));
  }
  if ((*value)->op == TINY_OP_AFTER) *value = (*value)->src[0];
  *value = tn_replace(t, *value, c->from.n, c->from.u, c->to.u);
  k &= TN_EXP_NATURAL | TN_EXP_FALLING | TN_EXP_ROUNDED;
  tiny_uop *before = tn_online_at(t, offset, max, c->before),
           *scale = tn_online_scale(t, k, tn_online_at(t, offset, max, c->now), before);
  scale = tn_online_above(t, c->before, scale, tn_online_one(t, scale));
  *sum = tn_u2(t, TINY_OP_MUL, *sum, tn_lanes_of(t, tn_cast(t, scale, u->dtype), (*sum)->lanes));
  return 1;
}
// A sum after its loop. Rows that have seen nothing but the lowest number: what e^(A + H) gives for them.
static tiny_uop *tn_online_done(tiny_ctx *t, const tiny_uop *u, tiny_uop *max, tiny_uop *whole, tiny_uop *sum) {
  int64_t k = 0;
  tiny_uop *offset = tn_online_offset(t, u->src[0], max, u->src[1], &k),
           *start = offset ? tn_online_start(t, offset, max) : NULL;
  if (!start) return sum;
  k &= TN_EXP_NATURAL | TN_EXP_ROUNDED;
  tiny_uop *scale = tn_online_scale(t, k, tn_online_at(t, offset, max, whole), start);
  scale = tn_online_above(t, whole, tn_online_one(t, scale), scale);
  return tn_u2(t, TINY_OP_MUL, sum, tn_lanes_of(t, tn_cast(t, scale, u->dtype), sum->lanes));
}
#endif
