// collective: what the items of a group reduce together becomes exchanges between lanes of a warp, memory of the group,
// or both.
//
// In:    a kernel after its opts, in which REDUCEs may run over ranges of items. Out: the same without those.
// Holds: every item has the result, and the same bits: lanes combine what they and a neighbour have, which commutes.
//
// The lanes of a warp exchange values where the target can and where neighbours among them share the REDUCE; what each
// such part of the items has is stored for the group and reduced by every item, in two steps where parts are many.
#ifndef TN_CODEGEN_COLLECTIVE
#define TN_CODEGEN_COLLECTIVE
#ifndef TINY_AMALGAMATED
#include "expand.c"
#include "../ir/target.c"
#endif

enum { TN_PARTS_UNROLLED = 16,             // parts that are read one after the other without a loop,
  TN_PARTS_STEP = 32 };                    // from which on in two steps

// Of the numbers of parts in two steps, the first: a power of two from the root on.
static int64_t tn_parts_few(int64_t n) {
  int64_t few = 1;
  while (few * few < n) few *= 2;
  return few;
}
// What an item does to reduce what g items have, of whom so many lanes exchange values; 0: none do.
static int64_t tn_collective_steps(int64_t g, int64_t warp) {
  int64_t steps = 0, n = g;
  for (int64_t lanes = 1; 2 * lanes <= warp && n % 2 == 0; lanes *= 2, n /= 2) steps += 2;
  return n == 1 ? steps : n > TN_PARTS_STEP ? steps + tn_parts_few(n) + n / tn_parts_few(n) : steps + n;
}

// Lanes beside each other that share a REDUCE over item: a power of two; 1: none. *apart: from one to the next.
static int64_t tn_collective_lanes(tiny_ctx *t, tiny_uop *sink, const tiny_uop *item, int64_t warp, int64_t *apart) {
  tn_list items = {NULL, 0, 0};
  int64_t lanes = 1;
  tn_numbered(t, sink, tn_is_item, &items);
  *apart = 1;
  for (int i = items.n - 1; i >= 0 && items.u[i] != item; i--) *apart *= tn_range_extent(items.u[i]);
  if (*apart & (*apart - 1)) return 1;
  while (2 * lanes * *apart <= warp && tn_range_extent(item) % (2 * lanes) == 0) lanes *= 2;
  return lanes;
}

// What n parts have that are `each` items long, reduced by op.
static tiny_uop *tn_collective_parts(tiny_ctx *t, int64_t op, tiny_uop *stage, int64_t n, int64_t each) {
  const int64_t inner = n <= TN_PARTS_UNROLLED ? n : n % TN_PARTS_UNROLLED == 0 ? TN_PARTS_UNROLLED : 1;
  tiny_uop *ranges[2], *at = NULL;
  int count = 0;
  if (n > inner) at = ranges[count++] = tn_range(t, n / inner, TN_REDUCE);
  if (inner > 1) {
    tiny_uop *next = ranges[count++] = tn_range(t, inner, TN_UNROLL);
    at = at ? tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, at, tn_index(t, inner)), next) : next;
  }
  return tn_reduce_over(t, op, tn_load_at(t, stage, tn_u2(t, TINY_OP_MUL, at, tn_index(t, each))), count, ranges);
}

// The same by memory of the group: in two steps where parts are many, each of about the root of their number.
static tiny_uop *tn_collective_stored(tiny_ctx *t, int64_t op, tiny_uop *partial, tiny_uop *item, int64_t each) {
  int64_t n = tn_range_extent(item) / each;
  const int64_t few = tn_parts_few(n);
  tiny_uop *stage = tn_stage(t, TN_SPACE_LOCAL, 0, partial, 1, &item);
  if (n > TN_PARTS_STEP && n % few == 0 && each == 1) {
    tiny_uop *again = tn_range(t, n / few, n / few <= TN_PARTS_UNROLLED ? TN_UNROLL : TN_REDUCE),
             *at = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, again, tn_index(t, few)),
                         tn_u2(t, TINY_OP_MOD, item, tn_index(t, few)));
    partial = tn_reduce_over(t, op, tn_load_at(t, stage, at), 1, &again);
    stage = tn_stage(t, TN_SPACE_LOCAL, 0, partial, 1, &item);
    n = few;
  }
  return tn_collective_parts(t, op, stage, n, each);
}

static tiny_uop *tn_collective_of(tiny_ctx *t, tiny_uop *sink, const tiny_uop *reduce, int64_t warp) {
  tiny_uop *item = reduce->src[1], *partial = reduce->src[0];
  int64_t apart;
  const int64_t lanes = tn_collective_lanes(t, sink, item, warp, &apart);
  for (int64_t lane = 1; lane < lanes; lane *= 2) {
    tiny_uop *other =
        tn_uop_make(t, TINY_OP_SHUFFLE, partial->dtype, partial->lanes, 1, &partial, lane * apart, 0, NULL);
    partial = tn_u2(t, (int)reduce->k, partial, other);
  }
  return lanes == tn_range_extent(item) ? partial : tn_collective_stored(t, reduce->k, partial, item, lanes);
}

static tiny_uop *tn_expand_collectives(tiny_ctx *t, tiny_uop *sink, const tn_target *target) {
  const int64_t warp = tn_target_exchanges(target);
  for (;;) {
    tn_list all = {NULL, 0, 0};
    tiny_uop *reduce = NULL;
    tn_collect_op(t, sink, TINY_OP_REDUCE, &all);
    for (int i = 0; i < all.n && !reduce; i++)
      if (all.u[i]->nsrc == 2 && tn_is_item(all.u[i]->src[1]) && !tn_is_carried(all.u[i])) reduce = all.u[i];
    if (!reduce) return tn_simplify(t, sink);
    tiny_uop *now = tn_collective_of(t, sink, reduce, warp);
    sink = tn_replace(t, sink, 1, &reduce, &now);
  }
}
#endif
