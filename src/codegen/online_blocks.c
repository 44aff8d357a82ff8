// online_blocks: sums that go on with a maximum so far, a block of summands at a time, by all items of a group.
//
// In:    a kernel after ONLINE whose maximum and sums loop over blocks, and in a block over items and their neighbours;
//        items of a group along an output range that only some of the sums move with.
// Out:   each item has the scores of its own part of a block. The maximum of a block, and what is added up of it, the
//        items find together; the exponentials of a block are copied to memory of the group, where sums of products
//        with them read all of it: tiles of two matrix products, one after the other, in one loop.
// Holds: in every block the maximum of all is known before an exponential is computed, and is the same for all items
//        of a row. Dao, "FlashAttention-2", arXiv:2307.08691, section 3.1, has the loop in this order.
#ifndef TN_CODEGEN_ONLINE_BLOCKS
#define TN_CODEGEN_ONLINE_BLOCKS
#ifndef TINY_AMALGAMATED
#include "transform.c"
#endif

enum { TN_BLOCKS_PAD = 4 };               // elements between the exponentials of neighbours among the items

// The loops of maximum and sums; the items that take the place of `parts`. blocks NULL: there is one block.
typedef struct tn_online_blocks { tiny_uop *blocks, *parts, *next, *item; } tn_online_blocks;

static tiny_uop *tn_blocks_over(tn_kernel_state *s, const tn_online_blocks *b, int64_t op, tiny_uop *x) {
  return tn_reduce_over(s->t, op, x, b->blocks != NULL, &b->blocks);
}

// x of the item's own part of a block, `next` as a range of its own, *own. What closes a block already stays.
static tiny_uop *tn_blocks_own(tn_kernel_state *s, const tn_online_blocks *b, tiny_uop *x, tiny_uop *max, int kind,
                               tiny_uop **own) {
  *own = tn_range(s->t, tn_range_extent(b->next), kind);
  tn_axis_add(s, *own);
  tiny_uop *from[3] = {b->parts, b->next, max}, *to[3] = {b->item, *own, max};
  return tn_replace(s->t, x, max ? 3 : 2, from, to);
}

// The copies that x moves with, and items if they are asked for, `own` and the blocks' items aside, as ranges of their
// own in what stages x: one loop fills all of it.
static int tn_blocks_copies(tn_kernel_state *s, const tn_online_blocks *b, tiny_uop **x, const tiny_uop *own, int items,
                            tiny_uop **inner, tiny_uop **at) {
  tn_list open = {NULL, 0, 0};
  int n = 0;
  tn_open_ranges(s->t, *x, tn_is_parallel, &open);
  for (int i = 0; i < open.n && n < TN_OPT_AXES - 2; i++) {
    tiny_uop *r = open.u[i];
    if (r == own || r == b->item || (tn_is_item(r) && !items)) continue;
    at[n] = inner[n] = r;
    if (!tn_is_item(r)) {
      inner[n] = tn_range(s->t, tn_range_extent(r), tn_range_kind(r) == TN_UNROLL ? TN_UPCAST : tn_range_kind(r));
      tn_axis_add(s, inner[n]);
      *x = tn_replace(s->t, *x, 1, &r, &inner[n]);
    }
    n++;
  }
  return n;
}

// What all items have, reduced by op: each item does that for itself, of what they have left in memory of the group.
static tiny_uop *tn_blocks_whole(tn_kernel_state *s, const tn_online_blocks *b, int64_t op, tiny_uop *x) {
  tiny_uop *inner[TN_OPT_AXES], *at[TN_OPT_AXES], *rest = tn_range(s->t, tn_range_extent(b->item), TN_REDUCE);
  inner[0] = b->item; at[0] = rest;
  const int n = 1 + tn_blocks_copies(s, b, &x, NULL, 0, inner + 1, at + 1);
  tiny_uop *stage = tn_stage(s->t, TN_SPACE_LOCAL, 0, x, n, inner);
  tn_axis_add(s, rest);
  return tn_reduce_over(s->t, op, tn_load_at(s->t, stage, tn_stage_element(s->t, stage, at)), 1, &rest);
}

static tiny_uop *tn_blocks_max(tn_kernel_state *s, const tn_online_blocks *b, tiny_uop *max) {
  tiny_uop *own, *x = tn_blocks_own(s, b, max->src[0], NULL, tn_range_kind(b->next), &own);
  return tn_blocks_over(s, b, max->k, tn_blocks_whole(s, b, max->k, tn_reduce_over(s->t, max->k, x, 1, &own)));
}

// A sum that all items have alike: each adds up its own parts of all blocks, and in the end they all do those.
static tiny_uop *tn_blocks_shared(tn_kernel_state *s, const tn_online_blocks *b, const tiny_uop *sum, tiny_uop *value,
                                  tiny_uop *max) {
  tiny_uop *own, *x = tn_blocks_own(s, b, value, max, tn_range_kind(b->next), &own);
  return tn_blocks_whole(s, b, sum->k, tn_blocks_over(s, b, sum->k, tn_reduce_over(s->t, sum->k, x, 1, &own)));
}

// The exponential that a summand has the maximum in; NULL: there are several.
static tiny_uop *tn_blocks_exponential(tiny_ctx *t, tiny_uop *value, tiny_uop *max) {
  tn_list all = {NULL, 0, 0};
  tiny_uop *one = NULL;
  tn_collect_op(t, value, TINY_OP_EXP2, &all);
  for (int i = 0; i < all.n; i++) if (tn_depends(t, all.u[i], max)) {
    if (one) return NULL;
    one = all.u[i];
  }
  return one;
}

// What exponential x is, from memory of the group: of all parts of a block, and of what else it moves with that items
// and their copies stand for. Neighbours among those lie together.
static tiny_uop *tn_blocks_staged(tn_kernel_state *s, const tn_online_blocks *b, tiny_uop *x, tiny_uop *max) {
  tiny_uop *inner[TN_OPT_AXES], *at[TN_OPT_AXES];
  x = tn_blocks_own(s, b, x, max, tn_range_kind(b->next) == TN_UNROLL ? TN_UPCAST : TN_LOOP, &inner[1]);
  inner[0] = b->item; at[0] = b->parts;
  at[1] = b->next;
  const int n = 2 + tn_blocks_copies(s, b, &x, inner[1], 1, inner + 2, at + 2);
  tiny_uop *stage = tn_stage(s->t, TN_SPACE_LOCAL, TN_BLOCKS_PAD, x, n, inner);
  return tn_load_at(s->t, stage, tn_stage_element(s->t, stage, at));
}

// A sum that moves with the items: of products with the block's exponentials. NULL: it is no such sum.
static tiny_uop *tn_blocks_weighed(tn_kernel_state *s, const tn_online_blocks *b, const tiny_uop *sum, tiny_uop *value,
                                   tiny_uop *max) {
  int64_t k = 0;
  tiny_uop *x = tn_blocks_exponential(s->t, value, max), *loops[2] = {b->parts, b->next},
           *staged = x ? tn_blocks_staged(s, b, x, max) : NULL,
           *offset = x ? tn_online_offset(s->t, x, max, b->parts, &k) : NULL;
  if (!staged || !offset) return NULL;
  value = tn_reduce_over(s->t, sum->k, tn_replace(s->t, value, 1, &x, &staged), 2, loops);
  if (!b->blocks) return value;
  x = tn_uop_make(s->t, TINY_OP_EXP2, offset->dtype, 1, 1, &offset, k, 0, NULL);
  return tn_blocks_over(s, b, sum->k, tn_after(s->t, value, x));
}

// Does REDUCE u close the loops, all of them and no others?
static int tn_blocks_close(const tn_online_blocks *b, const tiny_uop *u) {
  return u->nsrc == (b->blocks ? 4 : 3) && (!b->blocks || tn_reduces_over(u, b->blocks)) &&
      tn_reduces_over(u, b->parts) && tn_reduces_over(u, b->next);
}

// 0: the kernel is no such one.
static int tn_transform_online_blocks(tn_kernel_state *s, const tn_online_blocks *b) {
  tiny_ctx *t = s->t;
  const tn_list reduces = tn_kernel_collect(s, TINY_OP_REDUCE);
  tn_list from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tiny_uop *max = NULL;
  for (int i = 0; i < reduces.n; i++)
    if (tn_blocks_close(b, reduces.u[i]) && reduces.u[i]->k == TINY_OP_MAX) max = reduces.u[i];
  if (!max || tn_is_open(t, max, b->item)) return 0;
  tn_push(t, &from, max);
  tn_push(t, &to, tn_blocks_max(s, b, max));
  for (int i = 0; i < reduces.n; i++) {
    tiny_uop *u = reduces.u[i], *value;
    if (u == max || !(tn_reduces_over(u, b->parts) || tn_reduces_over(u, b->next))) continue;
    if (!tn_blocks_close(b, u) || u->k != TINY_OP_ADD) return 0;
    value = tn_replace(t, u->src[0], 1, &max, &to.u[0]);
    value = tn_is_open(t, u, b->item) ? tn_blocks_weighed(s, b, u, value, to.u[0]) :
                                        tn_blocks_shared(s, b, u, value, to.u[0]);
    if (!value) return 0;
    tn_push(t, &from, u);
    tn_push(t, &to, value);
  }
  s->sink = tn_replace(t, s->sink, from.n, from.u, to.u);
  return 1;
}
#endif
