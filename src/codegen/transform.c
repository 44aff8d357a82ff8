// transform: what may be done to the ranges of a kernel. The value that it computes stays the same.
//
// In:       a kernel, ranges and nodes of it. Out: the kernel, simplified, and its axes.
// Requires: that the transform is legal; opts.c asks that, and is how transforms are chosen.
//
//   split    r of extent n*f -> r' * f + i (i innermost) or i * n + r' (i outermost). Where f does not divide
//            the extent of an output range, the last part is moved back to end where r ends: what overlaps is
//            computed twice. What is left over of a reduction is a reduction of its own
//   kind     what a range becomes: TASK (threads), GLOBAL and LOCAL (work groups and items), UPCAST and UNROLL
//            (copies of the expression), VECTOR (lanes), GROUP (a reduction shared by the work items of a
//            group), LOOP and REDUCE (loops)
//   pad      r grows to a multiple; what lies beyond is neither loaded nor stored, and adds the identity to reductions
//   fuse     a loop and the one directly within it become one
//   swap     the order in which the ranges of a store loop; order: which of them are innermost
//   stage    what a node gives is first copied to nearer memory, laid out as it will be read; or a REDUCE is done
//            there: those of its ranges that are of kind LOOP then loop outside of what is staged, which keeps
//            what was added so far
//   group    a reduction is shared by work items
//   atomic   a part of a sum's range becomes a loop of a store that adds what it is given to memory
//   share    the loops of a copy to LOCAL memory are shared by all items of a group
#ifndef TN_CODEGEN_TRANSFORM
#define TN_CODEGEN_TRANSFORM
#ifndef TINY_AMALGAMATED
#include "profile.c"
#endif

enum { TN_OPT_AXES = 10, TN_SCHEDULE_OPTS = 64, TN_KERNEL_AXES = 128 };

// One step of a schedule; opts.c says what each kind means.
typedef struct tn_opt {
  uint8_t kind, space, op, naxes;          // the operand: node `number` of those with this op, sources first
  int16_t number, axis[TN_OPT_AXES];       // -1: none
  int64_t amount;                          // 0: all of the axis
} tn_opt;
typedef struct tn_schedule { int n; tn_opt opt[TN_SCHEDULE_OPTS]; } tn_schedule;

// A kernel under optimisation. Axes have numbers: first the loops of the store, then its other ranges, sources first,
// then what opts make, in the order in which they are made. What is split keeps its number, as what is left of it.
typedef struct tn_kernel_state {
  tiny_ctx *t; tiny_uop *sink; const tn_target *target;
  tiny_uop *axis[TN_KERNEL_AXES]; int naxes;
  tn_schedule done;                        // what has made the kernel what it is
  tn_profile profile; const tiny_uop *profiled;    // of this sink
  tn_list nodes; const tiny_uop *listed;   // of this sink, sources first
} tn_kernel_state;

// The kernel's nodes, sources first; those of one op.
static const tn_list *tn_kernel_nodes(tn_kernel_state *s) {
  if (s->listed == s->sink) return &s->nodes;
  memset(&s->nodes, 0, sizeof s->nodes);
  tn_toposort(s->t, s->sink, &s->nodes);
  s->listed = s->sink;
  return &s->nodes;
}
static tn_list tn_kernel_collect(tn_kernel_state *s, int op) {
  const tn_list *all = tn_kernel_nodes(s);
  tn_list out = {NULL, 0, 0};
  for (int i = 0; i < all->n; i++) if (all->u[i]->op == op) tn_push(s->t, &out, all->u[i]);
  return out;
}

// The profile of the kernel as it is now.
static tn_profile tn_profile_of(tn_kernel_state *s) {
  if (s->profiled != s->sink) tn_profile_nodes(s->t, s->sink, tn_kernel_nodes(s), &s->profile);
  s->profiled = s->sink;
  return s->profile;
}

static int tn_axis_of(const tn_kernel_state *s, const tiny_uop *r) {
  for (int i = 0; i < s->naxes; i++) if (s->axis[i] == r) return i;
  return -1;
}
static void tn_axis_add(tn_kernel_state *s, tiny_uop *r) {
  if (s->naxes < TN_KERNEL_AXES && tn_axis_of(s, r) < 0) s->axis[s->naxes++] = r;
}
// Axis r is range `now` from here on.
static void tn_axis_becomes(tn_kernel_state *s, const tiny_uop *r, tiny_uop *now) {
  const int i = tn_axis_of(s, r);
  if (i >= 0) s->axis[i] = now;
}
// Does a loop go over r, or a sum?
static int tn_is_ranged(tiny_ctx *t, tiny_uop *sink, const tiny_uop *r) {
  tn_list ranges = {NULL, 0, 0};
  tn_collect_ranges(t, sink, &ranges);
  for (int i = 0; i < ranges.n; i++) if (ranges.u[i] == r) return 1;
  return 0;
}
// Every range of the kernel has a number.
static void tn_axes_find(tn_kernel_state *s) {
  tn_list ranges = {NULL, 0, 0};
  const tiny_uop *end = s->sink->src[0];
  for (uint32_t i = 1; end->op == TINY_OP_END && i < end->nsrc; i++) tn_axis_add(s, end->src[i]);
  tn_collect_ranges(s->t, s->sink, &ranges);
  for (int i = 0; i < ranges.n; i++) tn_axis_add(s, ranges.u[i]);
}

static void tn_state_open(tn_kernel_state *s, tiny_ctx *t, tiny_uop *sink, const tn_target *target) {
  memset(s, 0, sizeof *s);
  s->t = t; s->sink = sink; s->target = target;
  tn_axes_find(s);
}

// Gives r another kind; returns the range that stands for it now.
static tiny_uop *tn_transform_kind(tn_kernel_state *s, tiny_uop *r, int kind) {
  tiny_uop *now = tn_with_kind(s->t, r, kind);
  if (now != r) s->sink = tn_replace(s->t, s->sink, 1, &r, &now);
  tn_axis_becomes(s, r, now);
  return now;
}

// What a part of r begins at when parts of f cover it and the last one is moved back: n-f - max(n-f - left*f, 0).
static tiny_uop *tn_part_start(tiny_ctx *t, int64_t n, int64_t f, tiny_uop *left) {
  tiny_uop *over = tn_u2(t, TINY_OP_MUL, left, tn_index(t, -f));
  over = tn_u2(t, TINY_OP_ADD, over, tn_index(t, n - f));
  over = tn_u2(t, TINY_OP_MUL, tn_u2(t, TINY_OP_MAX, over, tn_index(t, 0)), tn_index(t, -1));
  return tn_u2(t, TINY_OP_ADD, over, tn_index(t, n - f));
}

// Ranges of REDUCEs within u that move with r, and a fresh one for each: a copy of u has loops of its own for them.
// Items that share a sum are the group's, of both.
static void tn_inner_loops(tiny_ctx *t, const tiny_uop *u, const tiny_uop *r, tn_list *from, tn_list *to) {
  tn_list inner = {NULL, 0, 0};
  tn_collect_op(t, u->src[0], TINY_OP_REDUCE, &inner);
  for (int i = 0; i < inner.n; i++) for (uint32_t j = 1; tn_depends(t, inner.u[i], r) && j < inner.u[i]->nsrc; j++) {
    tiny_uop *own = inner.u[i]->src[j];
    int known = tn_is_item(own);
    for (int k = 0; k < from->n; k++) known |= from->u[k] == own;
    if (known) continue;
    tn_push(t, from, own);
    tn_push(t, to, tn_range(t, tn_range_extent(own), tn_range_kind(own)));
  }
}

// Every REDUCE over r as one of the first `whole` of its values, whose range it returns, and one of the others.
static tiny_uop *tn_split_remainder(tn_kernel_state *s, tiny_uop *r, int64_t whole) {
  tiny_ctx *t = s->t;
  tn_list all = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0}, own = {NULL, 0, 0};
  tiny_uop *most = tn_range(t, whole, TN_REDUCE), *rest = tn_range(t, tn_range_extent(r) - whole, TN_REDUCE),
           *beyond = tn_u2(t, TINY_OP_ADD, rest, tn_index(t, whole));
  tn_toposort(t, s->sink, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i];
    int over = 0;
    own.n = 0;
    for (uint32_t j = 1; u->op == TINY_OP_MASKED && j < u->nsrc; j++) if (u->src[j] == r) {
      tn_push(t, &from, u);
      tn_push(t, &to, tn_replace(t, u, 1, &r, &most));
      break;
    }
    for (uint32_t j = 1; u->op == TINY_OP_REDUCE && j < u->nsrc; j++) {
      over |= u->src[j] == r;              // the loops of the second REDUCE are its own
      tn_push(t, &own, u->src[j] == r ? beyond : tn_range(t, tn_range_extent(u->src[j]), tn_range_kind(u->src[j])));
    }
    if (!over) continue;
    tn_list loops = {NULL, 0, 0};
    for (uint32_t j = 1; j < u->nsrc; j++) tn_push(t, &loops, u->src[j]);
    tn_inner_loops(t, u, r, &loops, &own);
    tiny_uop *last = tn_replace(t, u, own.n, loops.u, own.u);
    tn_push(t, &from, u);
    tn_push(t, &to, tn_u2(t, (int)u->k, tn_replace(t, u, 1, &r, &most), last));
  }
  s->sink = tn_replace(t, s->sink, from.n, from.u, to.u);
  tn_axis_becomes(s, r, most);
  return most;
}

// Splits off a part of extent f of the given kind, the inner part unless outer is set. *rest (may be NULL)
// receives the range that is left, NULL if none is. Where f does not divide the extent it is less, the part an
// inner one, and r either a range of REDUCEs alone (what is left over becomes REDUCEs of their own) or one of the
// store alone, and no load reads what the kernel writes.
static tiny_uop *tn_transform_split(tn_kernel_state *s, tiny_uop *r, int64_t f, int kind, int outer,
                               tiny_uop **rest) {
  int64_t n = tn_range_extent(r);
  if (rest) *rest = NULL;
  if (f == n) return tn_transform_kind(s, r, kind);
  const int remains = n % f && tn_range_kind(r) == TN_REDUCE;
  if (remains) {
    n -= n % f;
    r = tn_split_remainder(s, r, n);
    if (f == n) {
      r = tn_transform_kind(s, r, kind);
      tn_axes_find(s);
      return r;
    }
  }
  tiny_uop *part = tn_range(s->t, f, kind), *left = tn_range(s->t, (n + f - 1) / f, tn_range_kind(r)), *to;
  if (n % f) to = tn_u2(s->t, TINY_OP_ADD, tn_part_start(s->t, n, f, left), part);
  else if (outer) to = tn_u2(s->t, TINY_OP_ADD, tn_u2(s->t, TINY_OP_MUL, part, tn_index(s->t, n / f)), left);
  else to = tn_u2(s->t, TINY_OP_ADD, tn_u2(s->t, TINY_OP_MUL, left, tn_index(s->t, f)), part);
  s->sink = tn_replace(s->t, s->sink, 1, &r, &to);
  tn_axis_becomes(s, r, left);
  tn_axis_add(s, part);
  if (remains) tn_axes_find(s);
  if (rest) *rest = left;
  return part;
}

// Does a REDUCE fold its identity where the loads at these gated places give 0, whatever all others give? A product of
// two of them does: tiles of both hold zeros beyond the end, and nothing is asked where they are multiplied. One of
// such a load and another does not: that may be infinite.
static int tn_pad_adds_nothing(tiny_ctx *t, tiny_uop *reduce, const tn_list *gated) {
  tn_list loads = {NULL, 0, 0}, from = {NULL, 0, 0}, zero = {NULL, 0, 0};
  tiny_uop *const identity = tn_const(t, reduce->dtype, tn_reduce_identity((int)reduce->k, reduce->dtype));
  tn_collect_op(t, reduce->src[0], TINY_OP_LOAD, &loads);
  for (int i = 0; i < loads.n; i++) for (int j = 0; j < gated->n; j++) {
    if (loads.u[i]->src[0] != gated->u[j] || loads.u[i]->lanes > 1) continue;
    tn_push(t, &from, loads.u[i]);
    tn_push(t, &zero, tn_const(t, loads.u[i]->dtype, tn_dtype_value(loads.u[i]->dtype, 0)));
    break;
  }
  return from.n && tn_simplify(t, tn_replace(t, reduce->src[0], from.n, from.u, zero.u)) == identity;
}

// Grows r to a multiple of m.
static tiny_uop *tn_transform_pad(tn_kernel_state *s, tiny_uop *r, int64_t m) {
  tiny_ctx *t = s->t;
  const int64_t n = tn_range_extent(r), grown = (n + m - 1) / m * m;
  if (grown == n) return r;
  tiny_uop *wide = tn_range(t, grown, tn_range_kind(r)), *inside = tn_u2(t, TINY_OP_LT, wide, tn_index(t, n));
  s->sink = tn_replace(t, s->sink, 1, &r, &wide);
  tn_list all = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_toposort(t, s->sink, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i], *src[3];
    // a place that does not move with r, but exists by a condition that does, need not be one beyond r's end
    if (u->op == TINY_OP_INDEX && (tn_depends(t, u->src[1], wide) || tn_depends(t, u->src[u->nsrc - 1], wide))) {
      // what it was found by, an index that is loaded, has got its condition before
      for (uint32_t j = 0; j < u->nsrc; j++) src[j] = tn_replace(t, u->src[j], from.n, from.u, to.u);
      src[2] = u->nsrc == 3 ? tn_u2(t, TINY_OP_AND, src[2], inside) : inside;
      tn_push(t, &from, u);
      tn_push(t, &to, tn_like(t, u, u->lanes, 3, src));
    }
  }
  s->sink = tn_replace(t, s->sink, from.n, from.u, to.u);
  const tn_list gated = to;
  memset(&from, 0, sizeof from); memset(&to, 0, sizeof to);
  all.n = 0;
  tn_toposort(t, s->sink, &all);
  for (int i = 0; i < all.n; i++) {        // reductions over r see the identity beyond its end
    tiny_uop *u = all.u[i];
    int over = 0;
    for (uint32_t j = 1; u->op == TINY_OP_REDUCE && j < u->nsrc; j++) over |= u->src[j] == wide;
    if (!over || tn_pad_adds_nothing(t, u, &gated)) continue;
    tiny_uop **src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
    memcpy(src, u->src, u->nsrc * sizeof *src);
    src[0] = tn_u3(t, TINY_OP_WHERE, inside, tn_replace_maxima(t, u, from.n, from.u, to.u)->src[0],
                   tn_const(t, u->dtype, tn_reduce_identity((int)u->k, u->dtype)));
    tn_push(t, &from, u);
    tn_push(t, &to, tn_uop_with(t, u, src));
  }
  s->sink = tn_replace(t, s->sink, from.n, from.u, to.u);
  tn_axis_becomes(s, r, wide);
  return wide;
}

// b, which loops directly within a, and a become one range, which is returned.
static tiny_uop *tn_transform_fuse(tn_kernel_state *s, tiny_uop *a, tiny_uop *b) {
  tiny_uop *both = tn_range(s->t, tn_range_extent(a) * tn_range_extent(b), tn_range_kind(a));
  s->sink = tn_fused(s->t, s->sink, a, b, both);
  tn_axis_becomes(s, a, both);
  return both;
}

// Exchanges the places of a and b in every range list that holds both.
static void tn_transform_swap(tn_kernel_state *s, tiny_uop *a, tiny_uop *b) {
  tiny_ctx *t = s->t;
  tn_list all = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_toposort(t, s->sink, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i];
    int has = 0;
    if (tn_ranges_from(u->op) < 0) continue;
    u = tn_replace_maxima(t, u, from.n, from.u, to.u);
    tiny_uop **src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
    for (uint32_t j = 0; j < u->nsrc; j++) {
      has |= j ? (u->src[j] == a) | (u->src[j] == b) << 1 : 0;
      src[j] = j && u->src[j] == a ? b : j && u->src[j] == b ? a : u->src[j];
    }
    if (has != 3) continue;
    tn_push(t, &from, all.u[i]);
    tn_push(t, &to, tn_uop_with(t, u, src));
  }
  s->sink = tn_replace(t, s->sink, from.n, from.u, to.u);
}

// The axes become the innermost loops of the store, in this order.
static void tn_transform_order(tn_kernel_state *s, int n, tiny_uop *const *axes) {
  tiny_uop *end = s->sink->src[0], *last;
  tn_list src = {NULL, 0, 0};
  for (uint32_t i = 0; i < end->nsrc; i++) {
    int named = 0;
    for (int j = 0; j < n; j++) named |= end->src[i] == axes[j];
    if (!named) tn_push(s->t, &src, end->src[i]);
  }
  for (int i = 0; i < n; i++) tn_push(s->t, &src, axes[i]);
  last = tn_node_of(s->t, TINY_OP_END, TINY_VOID, &src);
  s->sink = tn_replace(s->t, s->sink, 1, &end, &last);
}

// What the STAGEs of a kernel take of LOCAL memory.
static int64_t tn_staged_nbytes(tn_kernel_state *s) {
  const tn_list stages = tn_kernel_collect(s, TINY_OP_STAGE);
  int64_t all = 0;
  for (int i = 0; i < stages.n; i++) {
    tiny_uop *u = stages.u[i];
    int64_t owners;
    if (tn_stage_space(u) != TN_SPACE_LOCAL) continue;
    tn_stage_owner(s->t, u, &owners);
    const int64_t nelem = tn_clamp_mul(tn_stage_nelem(u), 1 + tn_stage_ahead(u));
    all = tn_clamp_add(all, tn_clamp_mul(owners * tn_dtypes[u->dtype].nbytes * u->src[0]->lanes, nelem));
  }
  return all;
}

// What no iteration reads need not be copied: each MASKED also of the ranges fresh[1..n], in place of inner[0..n-1].
static void tn_stage_masked(tn_kernel_state *s, int n, tiny_uop *const *inner, tiny_uop **fresh) {
  tn_list src = {NULL, 0, 0};
  for (uint32_t i = 0; i < s->sink->nsrc; i++) tn_push(s->t, &src, s->sink->src[i]);
  for (uint32_t i = 1; i < s->sink->nsrc; i++) {
    const tiny_uop *masked = s->sink->src[i];
    if (masked->op != TINY_OP_MASKED || masked->k) continue;
    fresh[0] = tn_replace(s->t, masked->src[0], n, inner, fresh + 1);
    if (fresh[0] != masked->src[0])
      tn_push(s->t, &src, tn_uop_make(s->t, TINY_OP_MASKED, TINY_VOID, 1, n + 1, fresh, 0, 0, NULL));
  }
  s->sink = tn_like(s->t, s->sink, 1, src.n, src.u);
}

// Copies what `load` gives (any value will do), over the ranges inner[0..n-1], to memory of the given space before
// the loops that use it, rows of inner[0] pad elements apart; the other ranges in its index stay outside of the copy.
// The copy's loops are fresh, with REDUCE become LOOP; its work items are the kernel's. Returns the STAGE.
static tiny_uop *tn_transform_stage(tn_kernel_state *s, tiny_uop *load, int n, tiny_uop *const *inner, int64_t pad,
                                    int space) {
  tiny_ctx *t = s->t;
  tiny_uop *fresh[TINY_MAX_DIMS + 1];
  for (int i = 0; i < n; i++) {
    const int kind = tn_range_kind(inner[i]);
    fresh[i + 1] = kind == TN_LOCAL || kind == TN_GROUP ? inner[i] :
                   tn_range(t, tn_range_extent(inner[i]),
                            kind == TN_REDUCE ? TN_LOOP : kind == TN_UNROLL ? TN_UPCAST : kind);
  }
  for (int i = 0; i < n; i++) tn_axis_add(s, fresh[i + 1]);
  fresh[0] = tn_replace(t, load, n, inner, fresh + 1);
  tiny_uop *stage = tn_stage(t, space, pad, fresh[0], n, fresh + 1),
           *staged = tn_load_at(t, stage, tn_stage_element(t, stage, inner));
  s->sink = tn_replace(t, s->sink, 1, &load, &staged);
  if (load->op != TINY_OP_REDUCE) tn_stage_masked(s, n, inner, fresh);
  return stage;
}

// Does a REDUCE within, which moves with `along`, go over items r? All of them have to be at one value of it.
static int tn_shares_within(tn_kernel_state *s, const tiny_uop *reduce, const tiny_uop *along, const tiny_uop *r) {
  tn_list inner = {NULL, 0, 0};
  tn_collect_op(s->t, reduce->src[0], TINY_OP_REDUCE, &inner);
  for (int i = 0; i < inner.n; i++) if (tn_closes(inner.u[i], r) && tn_depends(s->t, inner.u[i], along)) return 1;
  return 0;
}

// The items of a group that a reduction along a range can use, g of them: those that there are, of an axis that it does
// not move with; NULL: there are none.
static tiny_uop *tn_group_items(tn_kernel_state *s, tiny_uop *reduce, const tiny_uop *along, int64_t g) {
  for (int i = 0; i < s->naxes; i++) {
    tiny_uop *r = s->axis[i];
    if (tn_is_item(r) && tn_range_extent(r) == g && !tn_is_open(s->t, reduce, r) &&
        !tn_shares_within(s, reduce, along, r))
      return r;
  }
  return NULL;
}

// Shares a reduction between g work items: each reduces its part, and all of them what they have (collective.c). r must
// be a range of `reduce` and g divide its extent. Items that there are and that all compute the same do so.
static void tn_transform_group(tn_kernel_state *s, tiny_uop *reduce, tiny_uop *r, int64_t g) {
  tiny_ctx *t = s->t;
  const int64_t n = tn_range_extent(r);
  tiny_uop *given = tn_group_items(s, reduce, r, g), *item = given ? given : tn_range(t, g, TN_GROUP),
           *rest = n == g ? NULL : tn_range(t, n / g, TN_REDUCE), *part = item;
  if (rest) part = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, rest, tn_index(t, g)), item);
  tiny_uop *partial = tn_replace(t, reduce, 1, &r, &part);   // its range list now holds item too: take it out
  tiny_uop **src = (tiny_uop **)tn_scratch(t, (partial->nsrc + 1) * sizeof *src);
  int count = 0;
  for (uint32_t i = 0; i < partial->nsrc; i++) if (partial->src[i] != item) src[count++] = partial->src[i];
  partial = tn_reduce_over(t, reduce->k, src[0], count - 1, src + 1);
  tiny_uop *whole = tn_reduce_over(t, reduce->k, partial, 1, &item), *left = rest ? rest : item;
  s->sink = tn_replace(t, s->sink, 1, &reduce, &whole);
  if (tn_is_ranged(t, s->sink, r)) tn_axis_add(s, left);     // another sum goes over r, too
  else tn_axis_becomes(s, r, left);
  if (!given) tn_axis_add(s, item);
}

// A sum that the store adds to its element goes on over the other ranges: what it is for each value of r is added.
static tiny_uop *tn_transform_atomic(tn_kernel_state *s, tiny_uop *r) {
  tiny_ctx *t = s->t;
  tiny_uop *loop = tn_range(t, tn_range_extent(r), TN_LOOP);
  s->sink = tn_replace(t, s->sink, 1, &r, &loop);
  tiny_uop *end = s->sink->src[0], *store = end->op == TINY_OP_END ? end->src[0] : end, *reduce = store->src[1];
  tn_list sum = {NULL, 0, 0}, loops = {NULL, 0, 0};
  for (uint32_t i = 1; i < reduce->nsrc; i++) if (reduce->src[i] != loop) tn_push(t, &sum, reduce->src[i]);
  tn_push(t, &loops, loop);
  for (uint32_t i = 1; end != store && i < end->nsrc; i++) tn_push(t, &loops, end->src[i]);
  tiny_uop *part = tn_reduce_over(t, reduce->k, reduce->src[0], sum.n, sum.u),
           *now = tn_end(t, tn_store_as(t, store, store->src[0], part), loops.n, loops.u);
  s->sink = tn_replace(t, s->sink, 1, &end, &now);
  tn_axis_becomes(s, r, loop);
  return loop;
}
#endif
