// opts: the schedule of a kernel as data: what is done to it is a list that is checked, applied, printed and parsed.
//
// In:    a kernel as the scheduler wrote it, and opts, possibly a stranger's.
// Out:   the kernel after those that are legal; each is appended to the list that has made the kernel what it is.
// Holds: whatever is applied keeps the kernel's value. A list that is applied again to the same kernel gives the same.
//
// One opt is a kind, axes, an amount and, where a kind has one, an operand and a memory space:
//   SPLIT 0:4                 each 4 neighbouring elements of axis 0 become a loop, an axis with the next number
//   UPCAST, UNROLL, LANE      they become copies of the expression (of an output's, a reduction's), lanes of vectors
//   TASK, GRID, LOCAL         tasks of threads (4 of them); work groups, work items
//   GRID 1:132                132 groups walk over the tiles of axis 1, each a tile at a time (persistent blocks), in
//                             the order of their numbers; what does not divide: the last tiles are computed twice
//   SHARE 7                   the loop of a copy to LOCAL memory is shared by the items of the group
//   LOOP 3                    the axis becomes a loop outside of what is staged: K blocking of a reduction in memory
//   PAD 0:4                   the axis grows to a multiple of 4
//   FUSE 0 1                  axis 1, a loop directly within that of axis 0, and axis 0 become one, which is axis 0
//   SWAP 0 1, ORDER 2 0       two loops change places; these become the innermost ones
//   STAGE LOAD.1 2 5:4 @local what the second LOAD gives over axes 2 and 5 is copied there before it is read, rows of
//                             axis 2 with 4 elements between them; a REDUCE is computed there
//   GROUP REDUCE.0 2:8        8 work items share the reduction over axis 2: those of an axis of 8, if one has them
//   REUSE [1]                 what a row costs is stored by the REDUCE that needs it first; for all of axis 1
//   PREFETCH LOAD.0 1:4       the load asks for what it reads 4 iterations of axis 1 later; what a STAGE of the group
//                             holds is copied so many iterations before it is read, to memory for as many more
//   PRODUCER                  copies of boxes ahead are begun by warps of their own, beside the items (a warp group)
//   DOT, FISSION              products of narrow numbers as DOTs; what they add beside is summed on its own
//   MATRIX .0 0 4 5 6 1 _ 7 8:2   unit 0; blocks, strips, tiles and elements of rows, then of columns; 2 K blocks
//   WMMA .0 5 4 _ 6           unit 0 of warps: warps of rows and the rows of a warp, then the same of columns; of a sum
//                             of products within it those along which it goes where it has no columns
//   WMMA .0 5 4 _ 6:2         1 and what may be boxes that the device copies by itself: 1 operands, 2 narrow results, 4
//                             results; without: operands and narrow results
//   ONLINE 2 3 4              the loops of axes 3 and 4, of sums, become that of axis 2, of a maximum that scales them
//   BLOCKS 2 5 4 1            in each iteration of axis 2 (_: one) the items of axis 1 have axis 5, all of axis 4 each
//   SCATTER                   summands go to the elements that they name, one after the other
//   SCATTER 0:8               they go to tiles of axis 0 in memory of the group, one for each of 8 parts of them, which
//                             are added in order
//   ATOMIC 2:16               16 parts of a sum over axis 2 are added to the element one by one, in loops of the store
// Without an amount it is all of the axis. Operands count nodes of one op, sources first.
#ifndef TN_CODEGEN_OPTS
#define TN_CODEGEN_OPTS
#ifndef TINY_AMALGAMATED
#include "scatter.c"
#include "matrix.c"
#include "warp_matrix.c"
#include "warp_nested.c"
#include "reuse.c"
#include "online_blocks.c"
#include "prefetch.c"
#include "../ir/spec.c"
#endif

enum { TN_OPT_COPIES = 64, TN_OPT_STAGE_PAD = 256, TN_OPT_STAGE_NBYTES = 1 << 22 };    // most of an axis, of a kernel

enum { TN_OPT_HAS_OPERAND = 1, TN_OPT_HAS_AMOUNT = 2, TN_OPT_HAS_SPACE = 4, TN_OPT_HAS_UNIT = 8,
  TN_OPT_MAKES_RANGES = 16,                // beside those that its transform has given numbers
  TN_OPT_NOT_ONLINE = 32,                  // of kernels whose sums go on with a maximum so far
  TN_OPT_LACKS_AXES = 64 };                // there may be none where one could stand

// name, what it has, least and most axes, the function that applies it
#define TN_OPT_TABLE(_) \
  _(SPLIT,    TN_OPT_HAS_AMOUNT, 1, 1, tn_opt_part) \
  _(UPCAST,   TN_OPT_HAS_AMOUNT, 1, 1, tn_opt_part) \
  _(UNROLL,   TN_OPT_HAS_AMOUNT, 1, 1, tn_opt_part) \
  _(LANE,     TN_OPT_HAS_AMOUNT, 1, 1, tn_opt_part) \
  _(TASK,     TN_OPT_HAS_AMOUNT, 1, 1, tn_opt_part) \
  _(GRID,     TN_OPT_HAS_AMOUNT, 1, 1, tn_opt_part) \
  _(LOCAL,    TN_OPT_HAS_AMOUNT, 1, 1, tn_opt_part) \
  _(SHARE,    TN_OPT_HAS_AMOUNT, 1, 1, tn_opt_part) \
  _(LOOP,     TN_OPT_HAS_AMOUNT, 1, 1, tn_opt_part) \
  _(PAD,      TN_OPT_HAS_AMOUNT, 1, 1, tn_opt_pad) \
  _(FUSE,     TN_OPT_NOT_ONLINE, 2, 2, tn_opt_fuse) \
  _(SWAP,     0, 2, 2, tn_opt_swap) \
  _(ORDER,    0, 1, TN_OPT_AXES, tn_opt_order) \
  _(STAGE,    TN_OPT_HAS_OPERAND | TN_OPT_HAS_AMOUNT | TN_OPT_HAS_SPACE, 1, TN_OPT_AXES, tn_opt_stage) \
  _(GROUP,    TN_OPT_HAS_OPERAND | TN_OPT_HAS_AMOUNT, 1, 1, tn_opt_group) \
  _(REUSE,    TN_OPT_NOT_ONLINE, 0, 1, tn_opt_reuse) \
  _(PREFETCH, TN_OPT_HAS_OPERAND | TN_OPT_HAS_AMOUNT, 1, 1, tn_opt_prefetch) \
  _(PRODUCER, TN_OPT_NOT_ONLINE, 0, 0, tn_opt_producer) \
  _(DOT,      TN_OPT_MAKES_RANGES | TN_OPT_NOT_ONLINE, 0, 0, tn_opt_dot) \
  _(FISSION,  TN_OPT_MAKES_RANGES | TN_OPT_NOT_ONLINE, 0, 0, tn_opt_fission) \
  _(MATRIX,   TN_OPT_HAS_UNIT | TN_OPT_HAS_AMOUNT | TN_OPT_MAKES_RANGES | TN_OPT_LACKS_AXES, 2 * TN_CORE_LEVELS, \
    2 * TN_CORE_LEVELS, tn_opt_matrix) \
  _(WMMA,     TN_OPT_HAS_UNIT | TN_OPT_HAS_AMOUNT | TN_OPT_MAKES_RANGES | TN_OPT_LACKS_AXES, 2 * TN_UNIT_SIDES, \
    2 * TN_UNIT_SIDES, tn_opt_warp_matrix) \
  _(ONLINE,   0, 2, TN_OPT_AXES, tn_opt_online) \
  _(BLOCKS,   TN_OPT_MAKES_RANGES | TN_OPT_LACKS_AXES, 4, 4, tn_opt_blocks) \
  _(SCATTER,  TN_OPT_HAS_AMOUNT | TN_OPT_MAKES_RANGES | TN_OPT_NOT_ONLINE, 0, 1, tn_opt_scatter) \
  _(ATOMIC,   TN_OPT_HAS_AMOUNT | TN_OPT_NOT_ONLINE, 1, 1, tn_opt_atomic)
enum {
#define TN_OPT_ENUM(name, has, least, most, apply) TN_OPT_##name,
  TN_OPT_TABLE(TN_OPT_ENUM)
#undef TN_OPT_ENUM
  TN_OPT_KINDS
};

// ** axes **

static tiny_uop *tn_opt_axis(const tn_kernel_state *s, const tn_opt *o, int i) {
  return i < o->naxes && o->axis[i] >= 0 && o->axis[i] < s->naxes ? s->axis[o->axis[i]] : NULL;
}

// What closes an axis: the END of the store, a REDUCE, or a STAGE or another END.
enum { TN_AXIS_GONE, TN_AXIS_STORE, TN_AXIS_REDUCE, TN_AXIS_OTHER };
static int tn_axis_role(tn_kernel_state *s, const tn_profile *p, const tiny_uop *r) {
  for (int i = 0; i < p->nout; i++) if (p->out[i] == r) return TN_AXIS_STORE;
  for (int i = 0; i < p->nreduce; i++) if (tn_reduces_over(p->reduce[i], r)) return TN_AXIS_REDUCE;
  if (r == p->carried) return TN_AXIS_GONE;
  const tn_list *all = tn_kernel_nodes(s);
  for (int i = 0; i < all->n; i++) {
    const tiny_uop *u = all->u[i];
    for (uint32_t j = 1; (u->op == TINY_OP_STAGE || u->op == TINY_OP_END) && j < u->nsrc; j++)
      if (u->src[j] == r) return TN_AXIS_OTHER;
  }
  return TN_AXIS_GONE;
}

// Do stores to memory that the kernel has for itself move with r? Copies of them would meet in one place.
static int tn_opt_is_shared(tn_kernel_state *s, const tiny_uop *r) {
  const tn_list stores = tn_kernel_collect(s, TINY_OP_STORE);
  for (int i = 0; i < stores.n; i++)
    if (stores.u[i]->src[0]->src[0]->op == TINY_OP_DEFINE && tn_depends(s->t, stores.u[i], r)) return 1;
  return 0;
}
static int tn_opt_has(tn_kernel_state *s, int op) {
  return tn_kernel_collect(s, op).n > 0;
}

// Have items numbers that lanes of units are known by?
static int tn_opt_numbers_lanes(tn_kernel_state *s) {
  return tn_machine_grid(s->target->limits) && tn_opt_has(s, TINY_OP_WMMA);
}

// Does a STAGE stand within r? Copies of it would fill one memory in one loop.
static int tn_opt_is_around_stage(tn_kernel_state *s, const tiny_uop *r) {
  const tn_list stages = tn_kernel_collect(s, TINY_OP_STAGE);
  tn_list open = {NULL, 0, 0};
  for (int i = 0; i < stages.n; i++) tn_open_ranges(s->t, stages.u[i], tn_is_any, &open);
  for (int i = 0; i < open.n; i++) if (open.u[i] == r) return 1;
  return 0;
}

// Does a copy that all items of a group make move with r? They would each make another.
static int tn_opt_is_copied(tn_kernel_state *s, const tiny_uop *r) {
  const tn_list stages = tn_kernel_collect(s, TINY_OP_STAGE);
  for (int i = 0; i < stages.n; i++) {
    int shares = 0;
    for (uint32_t j = 1; j < stages.u[i]->nsrc; j++) shares |= tn_range_kind(stages.u[i]->src[j]) == TN_SHARE;
    if (shares && tn_is_open(s->t, stages.u[i], r)) return 1;
  }
  return 0;
}

// Does a node move with r and with a range of lanes? It would be lanes of lanes.
static int tn_opt_meets_lanes(tn_kernel_state *s, const tiny_uop *r) {
  enum { HAS_R = 1, HAS_LANES = 2 };
  const tn_list *all = tn_kernel_nodes(s);
  uint8_t *open = (uint8_t *)tn_scratch(s->t, (size_t)all->n);
  for (int i = 0; i < all->n; i++) {
    tiny_uop *u = all->u[i];
    const int from = tn_is_carried(u) ? -1 : tn_ranges_from(u->op);
    u->seq = (uint32_t)i;
    open[i] = u == r ? HAS_R : u->op == TINY_OP_RANGE && tn_range_kind(u) == TN_VECTOR ? HAS_LANES : 0;
    for (uint32_t j = 0; j < (from < 0 ? u->nsrc : (uint32_t)from); j++) open[i] |= open[u->src[j]->seq];
    if (open[i] == (HAS_R | HAS_LANES)) return 1;
    for (uint32_t j = from < 0 ? u->nsrc : (uint32_t)from; j < u->nsrc; j++)
      open[i] = (uint8_t)(open[i] & ~open[u->src[j]->seq]);
  }
  return 0;
}

// Is r a range of sums in memory? 2: that K blocks add to.
static int tn_opt_of_sums(tn_kernel_state *s, const tiny_uop *r) {
  const tn_list all = tn_kernel_collect(s, TINY_OP_STAGE);
  int sums = 0;
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *reduce = all.u[i]->src[0];
    if (reduce->op == TINY_OP_REDUCE && tn_closes(all.u[i], r)) sums = tn_has_kblocks(reduce) ? 2 : 1;
  }
  return sums;
}

// Does r say what is read of a STAGE?
static int tn_opt_reads_stage(tn_kernel_state *s, const tiny_uop *r) {
  const tn_list all = tn_kernel_collect(s, TINY_OP_INDEX);
  for (int i = 0; i < all.n; i++)
    if (all.u[i]->src[0]->op == TINY_OP_STAGE && tn_depends(s->t, all.u[i]->src[1], r)) return 1;
  return 0;
}

// Work items of a group.
static int64_t tn_opt_items(const tn_kernel_state *s) {
  int64_t n = 1;
  for (int i = 0; i < s->naxes; i++) {
    const int kind = tn_range_kind(s->axis[i]);
    if (kind == TN_LOCAL || kind == TN_GROUP) n = tn_clamp_mul(n, tn_range_extent(s->axis[i]));
  }
  return n;
}
// May there be so many groups, or items, more? Up to three axes are a dim each, whichever; more of them, and longer
// ones, are dim 0.
static int tn_opt_fits(const tn_kernel_state *s, int item, int64_t n) {
  const int64_t *most = item ? s->target->limits->local_max : s->target->limits->global_max;
  int64_t all = n, longest = n, least = INT64_MAX;
  int axes = 1;
  for (int d = 0; d < 3; d++) if (most[d] && most[d] < least) least = most[d];
  for (int i = 0; i < s->naxes; i++) {
    const tiny_uop *r = s->axis[i];
    if (item ? !tn_is_item(r) : tn_range_kind(r) != TN_GLOBAL) continue;
    axes++;
    all = tn_clamp_mul(all, tn_range_extent(r));
    if (tn_range_extent(r) > longest) longest = tn_range_extent(r);
  }
  return (axes <= 3 && longest <= least) || !most[0] || all <= most[0];
}
static int64_t tn_opt_most_items(const tn_kernel_state *s) {
  return tn_machine_items(s->target->limits);
}

// ** a part of an axis, or all of it, as another kind of range **

// f lanes of r: a power of two, a vector's at most, and no lanes of lanes.
static int tn_opt_may_be_lanes(tn_kernel_state *s, const tn_profile *p, const tiny_uop *r, int64_t f) {
  return f <= tn_target_lanes(s->target, p) && !(f & (f - 1)) && !tn_opt_meets_lanes(s, r);
}

static const uint8_t tn_opt_becomes[] = {TN_LOOP, TN_UPCAST, TN_UNROLL, TN_VECTOR, TN_TASK, TN_GLOBAL, TN_LOCAL,
  TN_SHARE, TN_LOOP};

static int tn_opt_part_of_store(tn_kernel_state *s, const tn_profile *p, const tn_opt *o, const tiny_uop *r,
                                int64_t f) {
  const int grid = tn_machine_grid(s->target->limits), whole = f == tn_range_extent(r), kind = tn_range_kind(r);
  if (o->kind == TN_OPT_LOOP) return whole && (kind == TN_UPCAST || kind == TN_VECTOR) && !tn_opt_numbers_lanes(s);
  if (kind != TN_LOOP) return 0;
  if (tn_range_extent(r) % f && (!p->repeats || o->kind == TN_OPT_TASK)) return 0;
  switch (o->kind) {
    case TN_OPT_SPLIT:  return !whole;
    case TN_OPT_UPCAST: return f <= TN_OPT_COPIES && !tn_opt_is_shared(s, r);
    case TN_OPT_LANE:   return tn_opt_may_be_lanes(s, p, r, f) && !tn_opt_is_shared(s, r);
    case TN_OPT_TASK:   return !grid && (!p->filled || tn_scatter_shares(s, r));
    case TN_OPT_GRID:
      return grid && tn_opt_fits(s, 0, f) && (!p->filled || tn_scatter_shares(s, r));
    case TN_OPT_LOCAL:
      return grid && tn_opt_fits(s, 1, f) && !p->filled && !tn_opt_has(s, TINY_OP_DEFINE) &&
          !tn_opt_numbers_lanes(s) && tn_clamp_mul(tn_opt_items(s), f) <= tn_opt_most_items(s) &&
          !tn_opt_is_copied(s, r);
    default:            return 0;
  }
}

static int tn_opt_part_of_reduce(tn_kernel_state *s, const tn_profile *p, const tn_opt *o, const tiny_uop *r,
                                 int64_t f) {
  int n = 0;
  if (tn_range_kind(r) != TN_REDUCE) return 0;
  switch (o->kind) {
    case TN_OPT_SPLIT:  return f != tn_range_extent(r);
    case TN_OPT_UNROLL: return f <= TN_OPT_COPIES;
    case TN_OPT_LANE:   return tn_opt_may_be_lanes(s, p, r, f) && !p->carried && !tn_is_online(s->t, s->sink, r);
    case TN_OPT_LOOP:
      for (int i = 0; i < p->nreduce; i++) n += tn_reduces_over(p->reduce[i], r);
      return f == tn_range_extent(r) && n == 1 && !p->row && !p->carried && tn_opt_items(s) == 1;
    default:            return 0;
  }
}

// Is r a loop of a copy to memory of the group, which all its items have?
static int tn_opt_may_share(tn_kernel_state *s, const tiny_uop *r) {
  const tn_list all = tn_kernel_collect(s, TINY_OP_STAGE);
  if (!tn_machine_grid(s->target->limits)) return 0;
  for (int i = 0; i < all.n; i++) {
    tn_list items = {NULL, 0, 0};
    if (!tn_closes(all.u[i], r)) continue;
    tn_open_ranges(s->t, all.u[i]->src[0], tn_is_item, &items);
    return all.u[i]->src[0]->op != TINY_OP_REDUCE && tn_stage_space(all.u[i]) == TN_SPACE_LOCAL && !items.n;
  }
  return 0;
}

static int tn_opt_part_of_other(tn_kernel_state *s, const tn_profile *p, const tn_opt *o, const tiny_uop *r,
                                int64_t f) {
  const int64_t n = tn_range_extent(r);
  const int kind = tn_range_kind(r);
  const int sums = tn_opt_of_sums(s, r);
  if (o->kind == TN_OPT_LOOP) return f == n && (kind == TN_UPCAST || kind == TN_VECTOR) && !sums;
  if (kind != TN_LOOP || n % f || sums == 2 || (f > TN_OPT_COPIES && o->kind != TN_OPT_SHARE)) return 0;
  if (o->kind == TN_OPT_LANE) return tn_opt_may_be_lanes(s, p, r, f);
  if (o->kind == TN_OPT_SHARE) return f == n && tn_opt_may_share(s, r);
  return o->kind == TN_OPT_SPLIT ? f != n : o->kind == TN_OPT_UPCAST;
}

static int tn_opt_part(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  tiny_uop *r = tn_opt_axis(s, o, 0);
  const int64_t n = tn_range_extent(r), f = o->amount ? o->amount : n;
  const int role = tn_axis_role(s, p, r);
  if (f < 2 || f > n || (role == TN_AXIS_REDUCE && n % f && tn_is_online(s->t, s->sink, r))) return 0;
  for (int i = 0; role == TN_AXIS_REDUCE && n % f && i < p->nreduce; i++)    // what is left over is computed apart
    for (uint32_t j = 1; tn_reduces_over(p->reduce[i], r) && j < p->reduce[i]->nsrc; j++)
      if (tn_opt_is_around_stage(s, p->reduce[i]->src[j])) return 0;
  if (role != TN_AXIS_STORE && tn_opt_has(s, TINY_OP_WMMA)) return 0;
  if (o->kind == TN_OPT_LOOP && tn_is_online(s->t, s->sink, NULL)) return 0;     // copies share what is carried
  if ((o->kind == TN_OPT_UPCAST || o->kind == TN_OPT_UNROLL || o->kind == TN_OPT_LANE) && tn_opt_is_around_stage(s, r))
    return 0;
  if (!(role == TN_AXIS_STORE ? tn_opt_part_of_store(s, p, o, r, f) :
        role == TN_AXIS_REDUCE ? tn_opt_part_of_reduce(s, p, o, r, f) :
        role == TN_AXIS_OTHER && tn_opt_part_of_other(s, p, o, r, f)))
    return 0;
  tn_transform_split(s, r, f, o->kind == TN_OPT_SPLIT ? tn_range_kind(r) : tn_opt_becomes[o->kind],
                     o->kind == TN_OPT_TASK, NULL);
  return 1;
}

// ** the other kinds **

// May r have so many values more that it becomes a multiple of m?
static int tn_opt_may_pad(tn_kernel_state *s, const tn_profile *p, const tiny_uop *r, int64_t m) {
  const int64_t n = tn_range_extent(r);
  const int role = tn_axis_role(s, p, r), kind = tn_range_kind(r);
  if (role == TN_AXIS_GONE || (kind != TN_LOOP && kind != TN_REDUCE) || p->carried || m < 2 || n % m == 0) return 0;
  if (role == TN_AXIS_OTHER && !p->filled) return 0;         // of what is staged
  if ((role == TN_AXIS_REDUCE) != (kind == TN_REDUCE) || tn_opt_has(s, TINY_OP_WMMA)) return 0;
  return !tn_opt_is_around_stage(s, r) && !tn_opt_reads_stage(s, r) && m <= n + n / 2 + TN_OPT_COPIES;
}
static int tn_opt_pad(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  tiny_uop *r = tn_opt_axis(s, o, 0);
  if (!tn_opt_may_pad(s, p, r, o->amount)) return 0;
  tn_transform_pad(s, r, o->amount);
  return 1;
}

// Does b loop directly within a wherever one of them does?
static int tn_opt_is_within(tn_kernel_state *s, const tiny_uop *a, const tiny_uop *b) {
  const tn_list *all = tn_kernel_nodes(s);
  for (int i = 0; i < all->n; i++) {
    const tiny_uop *u = all->u[i];
    const int from = tn_ranges_from(u->op);
    for (uint32_t j = from < 0 ? u->nsrc : (uint32_t)from; j < u->nsrc; j++) {
      if (u->src[j] == a && (j + 1 == u->nsrc || u->src[j + 1] != b || u->op == TINY_OP_MASKED)) return 0;
      if (u->src[j] == b && (j == (uint32_t)from || u->src[j - 1] != a)) return 0;
    }
  }
  return 1;
}
// Reductions move with both loops of a store or with none.
static int tn_opt_may_fuse(tn_kernel_state *s, const tn_profile *p, const tiny_uop *a, const tiny_uop *b) {
  const int kind = tn_range_kind(a), role = tn_axis_role(s, p, a);
  if (p->filled || p->carried || kind != tn_range_kind(b) || kind != (role == TN_AXIS_STORE ? TN_LOOP : TN_REDUCE) ||
      (role != TN_AXIS_STORE && role != TN_AXIS_REDUCE) || tn_opt_is_around_stage(s, a) || tn_opt_reads_stage(s, a) ||
      tn_opt_is_around_stage(s, b) || tn_opt_reads_stage(s, b) || tn_opt_has(s, TINY_OP_WMMA))
    return 0;
  for (int i = 0; role == TN_AXIS_STORE && i < p->nreduce; i++)
    if (tn_depends(s->t, p->reduce[i], a) != tn_depends(s->t, p->reduce[i], b)) return 0;
  return tn_opt_is_within(s, a, b) && tn_clamp_mul(tn_range_extent(a), tn_range_extent(b)) < INT32_MAX;
}
static int tn_opt_fuse(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  tiny_uop *a = tn_opt_axis(s, o, 0), *b = tn_opt_axis(s, o, 1);
  if (a == b || !tn_opt_may_fuse(s, p, a, b)) return 0;
  tn_transform_fuse(s, a, b);
  return 1;
}

static int tn_opt_copies_ahead(tn_kernel_state *s) {
  const tn_list stages = tn_kernel_collect(s, TINY_OP_STAGE);
  for (int i = 0; i < stages.n; i++) if (tn_stage_ahead(stages.u[i])) return 1;
  return 0;
}

// The loop in which something is copied ahead stays the innermost one of its sum that it moves with.
static int tn_opt_swap(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  tiny_uop *a = tn_opt_axis(s, o, 0), *b = tn_opt_axis(s, o, 1);
  const tiny_uop *before = s->sink;
  const int kind = tn_range_kind(a);
  if (a == b || p->filled || kind != tn_range_kind(b) || (kind != TN_LOOP && kind != TN_REDUCE)) return 0;
  const int role = tn_axis_role(s, p, a);
  if (role != tn_axis_role(s, p, b) || (role != TN_AXIS_STORE && role != TN_AXIS_REDUCE)) return 0;
  if (role == TN_AXIS_REDUCE && tn_opt_copies_ahead(s)) return 0;
  tn_transform_swap(s, a, b);
  return s->sink != before;
}

static int tn_opt_order(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  tiny_uop *axes[TN_OPT_AXES];
  if (p->carried || p->filled) return 0;
  for (int i = 0; i < o->naxes; i++) {
    axes[i] = tn_opt_axis(s, o, i);
    for (int j = 0; j < i; j++) if (axes[j] == axes[i]) return 0;
    if (tn_axis_role(s, p, axes[i]) != TN_AXIS_STORE) return 0;
    if (tn_range_kind(axes[i]) != TN_LOOP && tn_opt_numbers_lanes(s)) return 0;
  }
  tn_transform_order(s, o->naxes, axes);
  return 1;
}

// The operand of an opt, a node of the kernel; NULL: there is none.
static tiny_uop *tn_opt_operand(tn_kernel_state *s, const tn_opt *o) {
  const tn_list all = tn_kernel_collect(s, o->op);
  return o->number >= 0 && o->number < all.n ? all.u[o->number] : NULL;
}

static int tn_opt_is_named(const tn_opt *o, const tn_kernel_state *s, const tiny_uop *r) {
  for (int i = 0; i < o->naxes; i++) if (tn_opt_axis(s, o, i) == r) return 1;
  return 0;
}

// Is x of a kind that a STAGE holds?
static int tn_stage_holds(const tiny_uop *x) {
  if (x->lanes != 1 || x->dtype == TINY_INDEX || x->dtype == TINY_VOID || tn_is_carried(x)) return 0;
  if (x->dtype == TINY_BOOL) return x->op == TINY_OP_LOAD;
  return x->op == TINY_OP_LOAD || x->op == TINY_OP_REDUCE || x->op == TINY_OP_CAST || x->op == TINY_OP_BITCAST ||
      tn_op_is(x->op, TINY_ALU);
}
// Does x read nothing that the kernel writes?
static int tn_opt_may_stage(tn_kernel_state *s, const tn_profile *p, const tn_opt *o, tiny_uop *x) {
  tn_list all = {NULL, 0, 0};
  if (!tn_stage_holds(x)) return 0;
  tn_toposort(s->t, x, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i];
    for (uint32_t j = 1; u->op == TINY_OP_REDUCE && j < u->nsrc; j++)    // a maximum so far is not copied
      if (tn_is_online(s->t, s->sink, u->src[j])) return 0;
    for (int j = 0; j < o->naxes && u->op == TINY_OP_REDUCE && u != x; j++)    // it would loop within the copy's loops
      if (tn_depends(s->t, u, tn_opt_axis(s, o, j))) return 0;
    if (u->op == TINY_OP_INDEX && (u->src[0] == p->store->src[0] || u->src[0]->op == TINY_OP_AFTER)) return 0;
  }
  return 1;
}

// Has the device memory for what x gives over these ranges, rows of the first pad elements apart, beside what is
// staged?
static int tn_opt_has_room(tn_kernel_state *s, const tiny_uop *x, int n, tiny_uop *const *inner, int64_t pad) {
  const int64_t shared = (int64_t)s->target->limits->shared_nbytes;
  int64_t nelem = 1;
  for (int i = 0; i < n; i++) nelem = tn_clamp_mul(nelem, tn_range_extent(inner[i]));
  if (pad) nelem = tn_clamp_add(nelem, tn_clamp_mul(tn_range_extent(inner[0]), pad));
  return tn_clamp_add(tn_clamp_mul(tn_dtypes[x->dtype].nbytes, nelem), tn_staged_nbytes(s)) <=
      (shared ? shared : (int64_t)TN_OPT_STAGE_NBYTES);
}

// Do two STAGEs close one loop? What was staged, and is read by others too, is then copied twice by its loops.
static int tn_opt_copies_twice(tn_kernel_state *s) {
  const tn_list stages = tn_kernel_collect(s, TINY_OP_STAGE);
  for (int i = 0; i < stages.n; i++) for (int j = 0; j < i; j++)
    for (uint32_t r = 1; r < stages.u[i]->nsrc; r++)
      if (!tn_is_item(stages.u[i]->src[r]) && tn_closes(stages.u[j], stages.u[i]->src[r])) return 1;
  return 0;
}

// Over axes that x moves with. Those that it does not name stay outside, which work items and copies cannot.
static int tn_opt_stage(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  tiny_uop *x = tn_opt_operand(s, o), *inner[TN_OPT_AXES];
  tn_list ranges = {NULL, 0, 0};
  if (o->amount > TN_OPT_STAGE_PAD) return 0;
  if (!x || p->carried || p->filled || !tn_opt_may_stage(s, p, o, x) || o->naxes > TINY_MAX_DIMS) return 0;
  if (o->space != TN_SPACE_LOCAL) return 0;
  if (x->op == TINY_OP_REDUCE && tn_has_kblocks(x) && tn_machine_grid(s->target->limits)) return 0;   // barriers
  tn_open_ranges(s->t, x, tn_is_any, &ranges);
  for (int i = 0; i < ranges.n; i++) {
    const int kind = tn_range_kind(ranges.u[i]), named = tn_opt_is_named(o, s, ranges.u[i]);
    if (kind == TN_SHARE) return 0;        // each item has an element of its own there, memory of the group one copy
    if (named ? kind == TN_TASK || kind == TN_GLOBAL || kind == TN_GROUP : tn_is_parallel(ranges.u[i])) return 0;
  }
  for (int i = 0; i < o->naxes; i++) {
    inner[i] = tn_opt_axis(s, o, i);
    int open = 0;
    for (int j = 0; j < ranges.n; j++) open |= ranges.u[j] == inner[i];
    for (int j = 0; j < i; j++) open &= inner[j] != inner[i];
    if (!open) return 0;
  }
  if (!tn_opt_has_room(s, x, o->naxes, inner, o->amount)) return 0;
  tiny_uop *const before = s->sink;
  const int naxes = s->naxes;
  const int64_t serial = s->t->ir->serial;
  tn_transform_stage(s, x, o->naxes, inner, o->amount, o->space);
  if (!tn_opt_copies_twice(s)) return 1;
  s->sink = before; s->naxes = naxes;
  s->t->ir->serial = serial;
  return 0;
}

// May g items share the reduction along r: those that there are, or as many more?
static int tn_opt_may_group(tn_kernel_state *s, tiny_uop *reduce, const tiny_uop *r, int64_t g) {
  if (tn_is_carried(reduce) || tn_has_kblocks(reduce) || tn_is_online(s->t, s->sink, r) ||
      !tn_machine_grid(s->target->limits) || !tn_reduces_over(reduce, r) || tn_range_kind(r) != TN_REDUCE || g < 2 ||
      tn_range_extent(r) % g || tn_opt_has(s, TINY_OP_DEFINE) || tn_opt_numbers_lanes(s))
    return 0;
  return tn_group_items(s, reduce, r, g) ||
      (tn_clamp_mul(tn_opt_items(s), g) <= tn_opt_most_items(s) && tn_opt_fits(s, 1, g));
}
static int tn_opt_group(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  (void)p;
  tiny_uop *reduce = tn_opt_operand(s, o), *r = tn_opt_axis(s, o, 0);
  if (!reduce || reduce->op != TINY_OP_REDUCE || !tn_opt_may_group(s, reduce, r, o->amount)) return 0;
  tn_transform_group(s, reduce, r, o->amount);
  return 1;
}

static int tn_opt_reuse(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  tiny_uop *rows = tn_opt_axis(s, o, 0);
  if (!p->row || p->carried || (rows && tn_axis_role(s, p, rows) != TN_AXIS_STORE)) return 0;
  for (int i = 0; i < p->nout; i++) if (tn_is_parallel(p->out[i])) return 0;
  for (int j = 0; rows && j < p->nreduce; j++) if (!tn_depends(s->t, p->reduce[j], rows)) return 0;
  return tn_transform_reuse(s, p, rows);
}

// Does a STAGE hold what all items of a group have copied as it lies in memory: loads at places that no load names?
static int tn_opt_is_plain_copy(tn_kernel_state *s, tiny_uop *stage) {
  tn_list all = {NULL, 0, 0}, loads = {NULL, 0, 0};
  int shares = 0, plain = stage->lanes == 1;
  for (uint32_t j = 1; j < stage->nsrc; j++) shares |= tn_range_kind(stage->src[j]) == TN_SHARE;
  tn_toposort(s->t, stage->src[0], &all);
  for (int i = 0; i < all.n && plain; i++) {
    const tiny_uop *u = all.u[i];
    plain = u->op != TINY_OP_STAGE && u->op != TINY_OP_REDUCE && u->op != TINY_OP_AFTER;
    loads.n = 0;
    if (u->op == TINY_OP_INDEX) tn_collect_op(s->t, u->src[1], TINY_OP_LOAD, &loads);
    plain &= !loads.n;
  }
  return shares && plain;
}
// Boxes of a loop are copied ahead together, to as many slots each.
static int tn_opt_boxes_agree(tn_kernel_state *s, tiny_uop *stage, const tiny_uop *loop, int64_t ahead) {
  const tn_list all = tn_kernel_collect(s, TINY_OP_STAGE);
  if (!tn_stage_is_bulk(stage)) return 1;
  for (int i = 0; i < all.n; i++)
    if (tn_stage_is_bulk(all.u[i]) && tn_stage_ahead(all.u[i]) && tn_stage_ahead(all.u[i]) != ahead &&
        tn_stage_loop(s->t, s->sink, all.u[i]) == loop)
      return 0;
  return 1;
}
// A STAGE that is copied ahead in the loop around it.
static int tn_opt_copy_ahead(tn_kernel_state *s, tiny_uop *stage, const tiny_uop *loop, int64_t ahead) {
  const int64_t shared = (int64_t)s->target->limits->shared_nbytes,
                nbytes = tn_clamp_mul(tn_dtypes[stage->dtype].nbytes * ahead, tn_stage_nelem(stage));
  if (!tn_machine_grid(s->target->limits) || tn_stage_space(stage) != TN_SPACE_LOCAL || tn_stage_ahead(stage) ||
      ahead < 1 || ahead > TN_STAGE_AHEAD_MOST || tn_range_extent(loop) < 2 ||
      tn_stage_loop(s->t, s->sink, stage) != loop || !tn_opt_boxes_agree(s, stage, loop, ahead) ||
      tn_clamp_add(tn_staged_nbytes(s), nbytes) > shared || !tn_opt_is_plain_copy(s, stage))
    return 0;
  tiny_uop *now = tn_uop_make(s->t, TINY_OP_STAGE, stage->dtype, stage->lanes, (int)stage->nsrc, stage->src,
                              stage->k | ahead << TN_STAGE_AHEAD, 0, NULL);
  s->sink = tn_replace(s->t, s->sink, 1, &stage, &now);
  return 1;
}

static int tn_opt_prefetch(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  tiny_uop *x = tn_opt_operand(s, o), *rows = tn_opt_axis(s, o, 0);
  if (x && x->op == TINY_OP_STAGE) return tn_opt_copy_ahead(s, x, rows, o->amount);
  if (!x || x->op != TINY_OP_LOAD || x->lanes != 1 || x->src[0]->src[0]->op != TINY_OP_PARAM || o->amount < 1 ||
      o->amount > 1 << 16 || x->src[0]->src[0] == p->store->src[0] || tn_axis_role(s, p, rows) != TN_AXIS_STORE)
    return 0;
  if (!tn_is_named_in_order(s->t, x->src[0]->src[1], rows) &&
      tn_stride_in(s->t, x->src[0]->src[1], rows) == TN_IRREGULAR)
    return 0;
  tn_transform_prefetch(s, x, rows, o->amount);
  return 1;
}

// Boxes that the kernel reads, if that is all that is copied ahead, in one loop, and the items are warp groups.
static tn_list tn_opt_may_produce(tn_kernel_state *s, const tn_profile *p) {
  const tn_list all = tn_kernel_collect(s, TINY_OP_STAGE), none = {NULL, 0, 0};
  const tiny_uop *loop = NULL;
  const int64_t items = tn_opt_items(s);
  tn_list boxes = none;
  if (!s->target->limits->producers || !tn_target_copies_boxes(s->target) || p->nreduce != 1 ||
      items % TN_PRODUCER_THREADS || items + TN_PRODUCER_THREADS > tn_opt_most_items(s))
    return none;
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i], *around = tn_stage_ahead(u) ? tn_stage_loop(s->t, s->sink, u) : NULL;
    if ((!tn_stage_is_bulk(u) && !around) || tn_box_leaves(u)) continue;
    if (!tn_stage_is_bulk(u) || tn_stage_is_produced(u) || !around || (loop && around != loop)) return none;
    loop = around;
    tn_push(s->t, &boxes, u);
  }
  return boxes;
}
static int tn_opt_producer(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  const tn_list boxes = tn_opt_may_produce(s, p);
  tn_list to = {NULL, 0, 0};
  (void)o;
  for (int i = 0; i < boxes.n; i++) {
    const tiny_uop *u = boxes.u[i];
    tn_push(s->t, &to, tn_uop_make(s->t, u->op, u->dtype, u->lanes, (int)u->nsrc, u->src, u->k | TN_STAGE_PRODUCED, 0,
                                   NULL));
  }
  if (boxes.n) s->sink = tn_replace(s->t, s->sink, boxes.n, boxes.u, to.u);
  return boxes.n > 0;
}

static int tn_opt_dot(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  (void)o;
  return !tn_opt_has(s, TINY_OP_STAGE) && tn_transform_dot(s, p, s->target);
}
static int tn_opt_fission(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  const tiny_uop *before = s->sink;
  (void)o;
  for (int i = 0; i < p->nred; i++) if (tn_opt_is_around_stage(s, p->red[i])) return 0;
  tn_transform_fission(s);
  return s->sink != before;
}

// Are they made of the unit's tiles, and no more of them, of items and of memory than there may be?
static int tn_opt_tiles_fit(const tn_kernel_state *s, const tn_warp_tiles *c) {
  const tiny_warp_unit *unit = c->plan.unit;
  const int64_t size[TN_UNIT_SIDES] = {unit->m, unit->n};
  int64_t tiles = 1, items = unit->warp, rows = 0;
  for (int i = 0; i < TN_UNIT_SIDES; i++) {
    const int64_t of_warp = tn_range_extent(c->axis[i][1]), warps = c->axis[i][0] ? tn_range_extent(c->axis[i][0]) : 1;
    if (of_warp % size[i] || of_warp > TN_OPT_COPIES * size[i] || warps > tn_opt_most_items(s)) return 0;
    tiles *= of_warp / size[i];
    items *= warps;
    rows += warps * of_warp;
  }
  return tiles <= TN_OPT_COPIES && items <= tn_opt_most_items(s) && tn_opt_fits(s, 1, items) &&
      TN_UNIT_QUARTERS * (rows * TN_UNIT_PIECE + TN_UNIT_PADS) <= (int64_t)s->target->limits->shared_nbytes;
}

// Products within a sum: rows of the store, columns of it or a part of what the sum goes along.
static int tn_opt_warp_nested(tn_kernel_state *s, const tn_profile *p, tn_warp_tiles *c) {
  const int64_t shared = (int64_t)s->target->limits->shared_nbytes;
  tiny_uop *const before = s->sink, *last = c->axis[1][1];
  const int naxes = s->naxes, role = tn_axis_role(s, p, last);
  if (role != (c->axis[1][0] ? TN_AXIS_STORE : role) || (role != TN_AXIS_STORE && role != TN_AXIS_REDUCE)) return 0;
  if (tn_transform_warp_nested(s, p, c) && (!shared || tn_staged_nbytes(s) <= shared)) return 1;
  s->sink = before; s->naxes = naxes;
  return 0;
}

// By a unit of warps: nothing else is shared by items.
static int tn_opt_warp_matrix(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  if (!tn_machine_grid(s->target->limits)) return 0;
  tn_warp_tiles *c = (tn_warp_tiles *)tn_scratch(s->t, sizeof *c);
  int n = 0;
  const tiny_warp_unit *units = tn_target_units(s->target, &n);
  memset(c, 0, sizeof *c);
  const int nested = p->nreduce > 1;
  if (o->number < 0 || o->number >= n || !p->nreduce || !(p->repeats || p->adds) || (p->row && !nested) || p->carried ||
      p->filled || tn_opt_items(s) > 1 || tn_opt_has(s, TINY_OP_STAGE) || tn_opt_has(s, TINY_OP_DEFINE) ||
      !tn_unit_plan_of(&units[o->number], &c->plan))
    return 0;
  c->matrices = tn_unit_loads_matrices(s, c->plan.unit);
  for (int i = 0; i < s->naxes; i++)       // operands are lanes of their own
    if (tn_range_kind(s->axis[i]) == TN_VECTOR) return 0;
  for (int i = 0; i < 2 * TN_UNIT_SIDES; i++) {
    tiny_uop *r = tn_opt_axis(s, o, i);
    const int summed = nested && i == 3 && r && tn_range_kind(r) == TN_REDUCE;
    if (r ? !summed && (tn_range_kind(r) != TN_LOOP || tn_axis_role(s, p, r) != TN_AXIS_STORE) : i & 1) return 0;
    for (int j = 0; j < i && r; j++) if (tn_opt_axis(s, o, j) == r) return 0;
    c->axis[i / 2][i & 1] = r;
  }
  if (nested) return !o->amount && tn_opt_tiles_fit(s, c) && tn_opt_warp_nested(s, p, c);
  if (o->amount > TN_UNIT_BOX_ALL + TN_UNIT_BOXES + 1) return 0;
  c->how = o->amount ? (int)o->amount - 1 : TN_UNIT_BOXES | TN_UNIT_BOX_STORES;
  return tn_opt_tiles_fit(s, c) && tn_transform_warp_matrix(s, p, c);
}

static int tn_opt_matrix(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  const tiny_renderer *units = s->target->renderer;
  tn_core c;
  memset(&c, 0, sizeof c);
  if (!units || o->naxes != 2 * TN_CORE_LEVELS || o->number < 0 || o->number >= units->nunits || !p->repeats ||
      p->nreduce != 1 || o->amount < 1 || (units->units_allowed && !units->units_allowed()))
    return 0;
  c.unit = &units->units[o->number];
  c.kblocks = o->amount;
  for (int i = 0; i < o->naxes; i++) {
    tiny_uop *r = tn_opt_axis(s, o, i);
    const int level = i % TN_CORE_LEVELS;
    if (r && (tn_range_kind(r) != TN_LOOP || tn_axis_role(s, p, r) != TN_AXIS_STORE)) return 0;
    for (int j = 0; j < i && r; j++) if (tn_opt_axis(s, o, j) == r) return 0;
    if (!r && level == TN_CORE_ELEMENT) return 0;
    (i < TN_CORE_LEVELS ? &c.m : &c.n)->r[level] = r;
  }
  return tn_transform_matrix(s, p, &c);
}

static int tn_opt_online(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  tiny_uop *axes[TN_OPT_AXES];
  if (!TN_GPU || p->carried || p->filled || tn_opt_has(s, TINY_OP_STAGE)) return 0;
  for (int i = 0; i < o->naxes; i++) {
    axes[i] = tn_opt_axis(s, o, i);
    for (int j = 0; j < i; j++) if (axes[j] == axes[i]) return 0;
    if (tn_axis_role(s, p, axes[i]) != TN_AXIS_REDUCE || tn_is_online(s->t, s->sink, axes[i])) return 0;
  }
  tiny_uop *sink = tn_transform_online(s->t, s->sink, o->naxes, axes);
  if (sink) s->sink = sink;
  return sink != NULL;
}

// Blocks, parts and their neighbours are loops of the maximum and its sums alone, and there are as many items as parts.
static int tn_opt_blocks(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  const tn_online_blocks b = {tn_opt_axis(s, o, 0), tn_opt_axis(s, o, 1), tn_opt_axis(s, o, 2), tn_opt_axis(s, o, 3)};
  tiny_uop *const before = s->sink, *const loops[3] = {b.blocks, b.parts, b.next};
  const int64_t shared = (int64_t)s->target->limits->shared_nbytes;
  const int naxes = s->naxes;
  for (int i = b.blocks ? 0 : 1; i < 3; i++) {
    if (!loops[i]) return 0;
    const int kind = tn_range_kind(loops[i]);
    if (kind != TN_REDUCE && !(i == 2 && kind == TN_UNROLL)) return 0;
    if (tn_opt_is_around_stage(s, loops[i]) && i) return 0;
    for (int j = 0; j < i; j++) if (loops[i] == loops[j]) return 0;
  }
  if (!tn_machine_grid(s->target->limits) || p->filled || !tn_is_online(s->t, s->sink, b.parts) || !b.item ||
      !tn_is_item(b.item) || tn_range_extent(b.item) != tn_range_extent(b.parts) ||
      tn_axis_role(s, p, b.item) != TN_AXIS_STORE)
    return 0;
  if (tn_transform_online_blocks(s, &b) && (!shared || tn_staged_nbytes(s) <= shared)) return 1;
  s->sink = before; s->naxes = naxes;
  return 0;
}

// Is r a loop of a sum that a store adds to memory as it is? How it is stored, and who shares it, was not said yet.
static int tn_opt_may_add(tn_kernel_state *s, const tn_profile *p, const tiny_uop *r) {
  const tiny_uop *end = s->sink->src[0], *sum = (end->op == TINY_OP_END ? end->src[0] : end)->src[1];
  if (!p->adds || p->nreduce != 1 || p->row || p->carried || p->filled || p->reduce[0] != sum || sum->k != TINY_OP_ADD)
    return 0;
  for (uint32_t i = 1; i < sum->nsrc; i++) if (tn_range_kind(sum->src[i]) != TN_REDUCE) return 0;
  return tn_closes(sum, r) && !tn_opt_has(s, TINY_OP_STAGE) && !tn_opt_has(s, TINY_OP_WMMA);
}
static int tn_opt_atomic(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  tiny_uop *r = tn_opt_axis(s, o, 0);
  const int64_t n = tn_range_extent(r), f = o->amount ? o->amount : n;
  if (!tn_opt_may_add(s, p, r) || f < 2 || n % f) return 0;
  tn_transform_atomic(s, tn_transform_split(s, r, f, TN_REDUCE, 1, NULL));
  return 1;
}

// May groups have tiles of r, of so many parts? Of the store's other loops each group has a value, and each item.
static int tn_opt_may_tile_scatter(tn_kernel_state *s, const tn_profile *p, const tiny_uop *r, int64_t parts) {
  const int64_t rows = tn_range_extent(r), shared = (int64_t)s->target->limits->shared_nbytes,
                items = tn_clamp_mul(parts, tn_opt_items(s));
  const tiny_uop *reduce = p->end->op == TINY_OP_END ? p->end->src[0]->src[1] : NULL;
  if (!reduce || reduce->op != TINY_OP_REDUCE || s->target->limits->threads || p->nreduce != 1 || p->adds ||
      p->filled || p->carried || p->row || tn_opt_has(s, TINY_OP_STAGE) || tn_opt_has(s, TINY_OP_DEFINE) ||
      tn_opt_has(s, TINY_OP_WMMA) || parts < 2 || tn_range_kind(r) != TN_LOOP)
    return 0;
  for (uint32_t i = 1; i < reduce->nsrc; i++) if (tn_range_kind(reduce->src[i]) != TN_REDUCE) return 0;
  for (int i = 0; i < p->nout; i++)
    if (p->out[i] != r && !tn_is_item(p->out[i]) && tn_range_kind(p->out[i]) != TN_GLOBAL) return 0;
  if (parts > rows ? parts % rows || tn_opt_items(s) > 1 : rows % parts) return 0;
  return items <= tn_opt_most_items(s) && tn_opt_fits(s, 1, parts) &&
      tn_clamp_mul(tn_clamp_mul(rows, items), tn_dtypes[p->store->dtype].nbytes) <= shared;
}
static int tn_opt_scatter_tiles(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  const tiny_uop *r = tn_opt_axis(s, o, 0);
  tn_scatter c;
  if (!tn_opt_may_tile_scatter(s, p, r, o->amount) ||
      !tn_solve_scatter(s->t, p->end->src[0]->src[1], p->out, p->nout, &c) || c.n != 1 || c.range[0] != r)
    return 0;
  tn_transform_scatter_tiles(s, p, &c, o->amount);
  return 1;
}

static int tn_opt_scatter(tn_kernel_state *s, const tn_profile *p, const tn_opt *o) {
  tn_profile now;
  tn_scatter c;
  if (o->naxes) return tn_opt_scatter_tiles(s, p, o);
  if (o->amount) return 0;
  for (int i = 0; i < s->done.n; i++) {
    const int kind = s->done.opt[i].kind;
    if (kind != TN_OPT_TASK && kind != TN_OPT_GRID && kind != TN_OPT_LOCAL) return 0;
  }
  if (!tn_scatter_of(s, &now, &c) || (now.adds && now.end->src[0]->src[1]->k != TINY_OP_ADD)) return 0;
  for (int i = 0; i < c.n; i++) if (tn_range_kind(c.range[i]) != TN_LOOP) return 0;
  tn_list overlaps = {NULL, 0, 0};         // the last part moved back: what is added twice is no longer the same
  tn_collect_op(s->t, now.store->src[1], TINY_OP_MAX, &overlaps);
  if (overlaps.n) return 0;
  tn_transform_scatter(s, &now, &c);
  return 1;
}

// ** kinds **

static const struct {
  const char *name; uint8_t has, least, most;                // least, most: axes
  int (*apply)(tn_kernel_state *s, const tn_profile *p, const tn_opt *o);    // 0: illegal, nothing has changed
} tn_opt_kinds[TN_OPT_KINDS] = {
#define TN_OPT_ROW(name, has, least, most, apply) {#name, has, least, most, apply},
  TN_OPT_TABLE(TN_OPT_ROW)
#undef TN_OPT_ROW
};

// A copy of a state that has boxes, which an opt may take apart; NULL: it has none.
static tn_kernel_state *tn_opt_kept(tn_kernel_state *s) {
  const tn_list stages = tn_kernel_collect(s, TINY_OP_STAGE);
  int boxes = 0;
  for (int i = 0; i < stages.n; i++) boxes |= tn_stage_is_bulk(stages.u[i]);
  return boxes ? (tn_kernel_state *)memcpy(tn_scratch(s->t, sizeof *s), s, sizeof *s) : NULL;
}
// 1: the opt is legal and done, the kernel simplified. 0: nothing has changed.
static int tn_opt_apply(tn_kernel_state *s, const tn_opt *o) {
  tn_profile p;
  if (o->kind >= TN_OPT_KINDS || s->done.n == TN_SCHEDULE_OPTS || o->naxes < tn_opt_kinds[o->kind].least ||
      o->naxes > tn_opt_kinds[o->kind].most || s->naxes > TN_KERNEL_AXES - 2 * TN_OPT_AXES)
    return 0;
  for (int i = 0; i < o->naxes; i++)
    if (!tn_opt_axis(s, o, i) && (!(tn_opt_kinds[o->kind].has & TN_OPT_LACKS_AXES) || o->axis[i] != -1)) return 0;
  p = tn_profile_of(s);
  if (p.nreduce > 1 && (tn_opt_kinds[o->kind].has & TN_OPT_NOT_ONLINE) && tn_is_online(s->t, s->sink, NULL)) return 0;
  const tn_kernel_state *before = tn_opt_kept(s);
  const int64_t serial = s->t->ir->serial;
  if (!p.usable || !tn_opt_kinds[o->kind].apply(s, &p, o)) return 0;
  s->sink = tn_simplify(s->t, s->sink);
  if (before && !tn_boxes_stand(s->t, s->sink)) {            // of a loop that is cut in uneven parts, say
    *s = *before;
    s->t->ir->serial = serial;
    return 0;
  }
  if (tn_opt_kinds[o->kind].has & TN_OPT_MAKES_RANGES) tn_axes_find(s);
  s->done.opt[s->done.n++] = *o;
  return 1;
}

// All of them, or none: the kernel before the first is s->sink. 1: all.
static int tn_schedule_apply(tn_kernel_state *s, const tn_schedule *list) {
  for (int i = 0; i < list->n; i++) if (!tn_opt_apply(s, &list->opt[i])) return 0;
  return 1;
}
#endif
