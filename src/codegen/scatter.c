// scatter: reductions whose summands go to one element each, as loops over the summands.
//
// In:    a kernel that stores a REDUCE of which rules/reduce.c has found that each summand goes to one element only.
// Out:   one that first fills its output with the identity, then loops over the summands in order and reduces each into
//        the element it names. What is adjacent and goes to one place together (a row) loops inside.
//        Where the store adds to memory, all summands are added at once, in any order.
//        Or one whose groups have a tile of the output each: items sort out a part of the summands each into a tile of
//        their own in memory of the group, and then add the tiles in order (privatization, as histograms on GPUs have
//        it: Podlozhnyuk, Histogram calculation in CUDA, 2007).
// Holds: but for that, only other ranges of the output are ever shared between tasks or work items: no two of them meet
//        in one element, and the order of additions never depends on who does them.
#ifndef TN_CODEGEN_SCATTER
#define TN_CODEGEN_SCATTER
#ifndef TINY_AMALGAMATED
#include "transform.c"
#endif

static int tn_scatter_of(tn_kernel_state *s, tn_profile *p, tn_scatter *c) {
  *p = tn_profile_of(s);
  return p->usable && p->nout && !p->filled && p->end->op == TINY_OP_END &&
      tn_find_scatter(s->t, p->end->src[0]->src[1], p->out, p->nout, c);
}

// Does the output range loop outside of the filling? Those before the first target do, and what tasks share.
static int tn_scatter_is_outer(const tn_profile *p, const tn_scatter *c, int i) {
  const int kind = tn_range_kind(p->out[i]);
  for (int j = 0; j <= i; j++) for (int k = 0; k < c->n; k++) if (p->out[j] == c->range[k])
    return kind == TN_TASK || kind == TN_GLOBAL || kind == TN_LOCAL;
  return 1;
}

// Do all stores to the output, those that fill it too, go to other elements for another value of r?
static int tn_scatter_shares(tn_kernel_state *s, const tiny_uop *r) {
  const tn_list stores = tn_kernel_collect(s, TINY_OP_STORE);
  for (int i = 0; i < stores.n; i++) if (!tn_depends(s->t, stores.u[i], r)) return 0;
  return 1;
}

// The same where the store adds to memory that is zero: all summands at once, in loops of the store.
static void tn_transform_scatter_added(tn_kernel_state *s, const tn_profile *p, const tn_scatter *c) {
  tiny_ctx *t = s->t;
  const tiny_uop *reduce = p->end->src[0]->src[1];
  tn_list loops = {NULL, 0, 0}, from = {NULL, 0, 0};
  for (uint32_t i = 1; i < reduce->nsrc; i++) {
    tn_push(t, &from, reduce->src[i]);
    tn_push(t, &loops, tn_range(t, tn_range_extent(reduce->src[i]), TN_LOOP));
  }
  tiny_uop *flat = tn_simplify(t, tn_replace(t, p->store->src[1], c->n, c->range, c->at)),
           *added = tn_store_as(t, p->end->src[0], tn_index_of(t, p->store->src[0], flat, c->valid), c->value),
           *now = tn_replace(t, added, from.n, from.u, loops.u);
  for (int i = 0; i < from.n; i++) tn_axis_becomes(s, from.u[i], loops.u[i]);
  for (int i = 0; i < p->nout; i++) {
    int target = 0;
    for (int k = 0; k < c->n; k++) target |= p->out[i] == c->range[k];
    if (!target) tn_push(t, &loops, p->out[i]);
  }
  s->sink = tn_sink_of(t, tn_end(t, now, loops.n, loops.u));
}

// The kernel of p as a scatter. The loops that fill get the next axes, in the order of the store's.
static void tn_transform_scatter(tn_kernel_state *s, const tn_profile *p, const tn_scatter *c) {
  tiny_ctx *t = s->t;
  if (p->adds) { tn_transform_scatter_added(s, p, c); return; }
  tiny_uop *reduce = p->end->src[0]->src[1], *memory = p->store->src[0], *flat = p->store->src[1];
  tn_list from = {NULL, 0, 0}, to = {NULL, 0, 0}, outer = {NULL, 0, 0}, inner = {NULL, 0, 0};
  for (int i = 0; i < p->nout; i++) {
    int target = 0;
    for (int k = 0; k < c->n; k++) target |= p->out[i] == c->range[k];
    if (tn_scatter_is_outer(p, c, i)) { tn_push(t, &outer, p->out[i]); continue; }
    tn_push(t, &from, p->out[i]);
    tn_push(t, &to, tn_range(t, tn_range_extent(p->out[i]), TN_LOOP));
    tn_axis_add(s, to.u[to.n - 1]);
    if (target) continue;
    tn_push(t, &inner, p->out[i]);
  }
  tiny_uop *identity = tn_const(t, reduce->dtype, tn_reduce_identity((int)reduce->k, reduce->dtype)),
           *store = tn_store(t, tn_index_of(t, memory, tn_replace(t, flat, from.n, from.u, to.u), NULL), identity),
           *filled = tn_after(t, memory, tn_node_over(t, TINY_OP_END, TINY_VOID, 1, store, to.n, to.u, 0));
  flat = tn_simplify(t, tn_replace(t, flat, c->n, c->range, c->at));
  to.n = 0;
  tiny_uop *index = tn_index_of(t, filled, flat, c->valid);
  tn_push(t, &to, tn_store(t, index, tn_u2(t, (int)reduce->k, tn_load(t, index, 1), c->value)));
  for (int i = 0; i < outer.n; i++) tn_push(t, &to, outer.u[i]);
  for (uint32_t i = 1; i < reduce->nsrc; i++) tn_push(t, &to, reduce->src[i]);
  for (int i = 0; i < inner.n; i++) tn_push(t, &to, inner.u[i]);
  s->sink = tn_sink_of(t, tn_node_of(t, TINY_OP_END, TINY_VOID, &to));
}

// ** tiles of the output in memory of a group, one for each part of the summands **

enum { TN_SCATTER_BESIDE = 16 };            // summands that an item has under way

// parts: into which summands are cut; beside: items that a part has, each a column; items: of the group. An element of
// the tile lies at row * items + part * beside + own: beside what other items have of the same row.
// row, rest: what sums up and stores a row of the tile, items and the loop of each; sharer: items that share a row.
typedef struct tn_scatter_tile {
  tiny_uop *memory, *own, *row, *rest, *sharer;              // NULL: there are none
  int64_t parts, beside, items, sharers;
} tn_scatter_tile;

static void tn_scatter_tile_of(tiny_ctx *t, const tn_profile *p, const tn_scatter *c, int64_t parts,
                               tn_scatter_tile *x) {
  const int64_t rows = tn_range_extent(c->range[0]), each = rows < parts ? rows : parts;
  memset(x, 0, sizeof *x);
  x->own = tn_index(t, 0);
  x->parts = parts; x->beside = 1; x->sharers = parts / each;
  for (int i = 0; i < p->nout; i++) if (tn_is_item(p->out[i])) {
    tiny_uop *n = tn_index(t, tn_range_extent(p->out[i]));
    x->own = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, x->own, n), p->out[i]);
    x->beside *= n->k;
  }
  x->items = parts * x->beside;
  x->row = tn_range(t, each, TN_LOCAL);
  if (rows > each) x->rest = tn_range(t, rows / each, TN_LOOP);
  if (x->sharers > 1) x->sharer = tn_range(t, x->sharers, TN_GROUP);
  x->memory = tn_define(t, p->store->dtype, 1, TN_SPACE_LOCAL, rows * x->items);
}

// a * n + b; NULL: 0.
static tiny_uop *tn_scatter_digit(tiny_ctx *t, tiny_uop *a, int64_t n, tiny_uop *b) {
  if (!a) return b;
  a = tn_u2(t, TINY_OP_MUL, a, tn_index(t, n));
  return b ? tn_u2(t, TINY_OP_ADD, a, b) : a;
}
static tiny_uop *tn_scatter_place(tiny_ctx *t, const tn_scatter_tile *x, tiny_uop *row, tiny_uop *part) {
  return tn_scatter_digit(t, row, x->items, tn_scatter_digit(t, part, x->beside, x->own));
}

// x, whose memory is read only where `valid` holds.
static tiny_uop *tn_scatter_gated(tiny_ctx *t, tiny_uop *x, tiny_uop *valid) {
  tn_list index = {NULL, 0, 0}, gated = {NULL, 0, 0};
  tn_collect_op(t, x, TINY_OP_INDEX, &index);
  for (int i = 0; i < index.n; i++) {
    const tiny_uop *u = index.u[i];
    tn_push(t, &gated, tn_index_of(t, u->src[0], u->src[1],
                                   u->nsrc == 3 ? tn_u2(t, TINY_OP_AND, u->src[2], valid) : valid));
  }
  return tn_replace(t, x, index.n, index.u, gated.u);
}

// Summand `at` of range i, folded into the tile of a part: STORE.
static tiny_uop *tn_scatter_sorted(tiny_ctx *t, const tn_scatter_tile *x, const tn_scatter *c, int op, tiny_uop *i,
                                   tiny_uop *at, tiny_uop *part, tiny_uop *memory) {
  tiny_uop *inside = at->vmax < tn_range_extent(i) ? tn_bool(t, 1) :
                     tn_u2(t, TINY_OP_LT, at, tn_index(t, tn_range_extent(i)));
  tiny_uop *valid = tn_substitute_gated(t, c->valid, i, at, inside);
  tiny_uop *row = tn_u2(t, TINY_OP_MOD, tn_substitute_gated(t, c->at[0], i, at, inside),       // it lies in the tile
                        tn_index(t, tn_range_extent(c->range[0])));
  tiny_uop *value = tn_substitute_gated(t, c->value, i, at, inside);
  valid = tn_simplify(t, tn_u2(t, TINY_OP_AND, valid, inside));
  tiny_uop *index = tn_index_of(t, memory, tn_scatter_place(t, x, row, part), valid);
  return tn_store(t, index, tn_u2(t, op, tn_load(t, index, 1), tn_scatter_gated(t, value, valid)));
}

// The tile, cleared and with all summands of all parts: part k of n takes summands k, n + k ..
static tiny_uop *tn_scatter_tile_filled(tiny_ctx *t, const tn_scatter_tile *x, const tn_scatter *c,
                                        const tiny_uop *reduce) {
  tiny_uop *i = reduce->src[reduce->nsrc - 1], *part = tn_scatter_digit(t, x->row, x->sharers, x->sharer);
  const int64_t n = tn_range_extent(i), step = x->parts * TN_SCATTER_BESIDE;
  tiny_uop *clear = tn_range(t, tn_range_extent(c->range[0]), TN_LOOP),
           *k = tn_range(t, (n + step - 1) / step, TN_REDUCE),
           *none = tn_const(t, reduce->dtype, tn_reduce_identity((int)reduce->k, reduce->dtype)), *store = NULL;
  tn_list loops = {NULL, 0, 0}, after = {NULL, 0, 0};
  for (uint32_t j = 1; j + 1 < reduce->nsrc; j++) tn_push(t, &loops, reduce->src[j]);
  tn_push(t, &loops, k);
  store = tn_store(t, tn_index_of(t, x->memory, tn_scatter_place(t, x, clear, part), NULL), none);
  tn_push(t, &after, tn_end(t, store, 1, &clear));
  for (int j = 0; j < loops.n; j++) tn_push(t, &after, loops.u[j]);
  tiny_uop *memory = tn_after_all(t, x->memory, &after);
  for (int64_t j = 0; j < TN_SCATTER_BESIDE; j++) {
    tiny_uop *at = tn_scatter_digit(t, k, TN_SCATTER_BESIDE, tn_index(t, j));
    at = tn_simplify(t, tn_scatter_digit(t, at, x->parts, part));
    store = tn_scatter_sorted(t, x, c, (int)reduce->k, i, at, part, memory);
    memory = tn_after(t, x->memory, store);
  }
  return tn_after(t, x->memory, tn_barrier(t, tn_end(t, store, loops.n, loops.u)));
}

// A row of the tile, of all parts. Rows begin at different parts: items read from different banks.
static tiny_uop *tn_scatter_tile_sum(tiny_ctx *t, const tn_scatter_tile *x, tiny_uop *filled, tiny_uop *row,
                                     int64_t op) {
  const int64_t n = tn_range_extent(x->row);
  tiny_uop *part = tn_range(t, n, n <= TN_SCATTER_BESIDE ? TN_UNROLL : TN_REDUCE),
           *turned = tn_u2(t, TINY_OP_MOD, tn_u2(t, TINY_OP_ADD, part, x->row), tn_index(t, n)),
           *from = tn_scatter_digit(t, turned, x->sharers, x->sharer),
           *sum = tn_reduce_over(t, op, tn_load_at(t, filled, tn_scatter_place(t, x, row, from)), 1, &part);
  return x->sharer ? tn_reduce_over(t, op, sum, 1, &x->sharer) : sum;
}

// The kernel of p, a group of whose grid has all of range[0], with tiles for so many parts.
static void tn_transform_scatter_tiles(tn_kernel_state *s, const tn_profile *p, const tn_scatter *c, int64_t parts) {
  tiny_ctx *t = s->t;
  tiny_uop *r = c->range[0], *reduce = p->end->src[0]->src[1];
  tn_scatter_tile x;
  tn_list loops = {NULL, 0, 0};
  tn_scatter_tile_of(t, p, c, parts, &x);
  tiny_uop *row = tn_scatter_digit(t, x.rest, tn_range_extent(x.row), x.row),
           *filled = tn_scatter_tile_filled(t, &x, c, reduce),
           *sum = tn_scatter_tile_sum(t, &x, filled, row, reduce->k);
  for (int i = 0; i < p->nout; i++) if (p->out[i] != r && !tn_is_item(p->out[i])) tn_push(t, &loops, p->out[i]);
  if (x.rest) tn_push(t, &loops, x.rest);
  tn_push(t, &loops, x.row);
  for (int i = 0; i < p->nout; i++) if (tn_is_item(p->out[i])) tn_push(t, &loops, p->out[i]);
  tiny_uop *store = tn_store(t, tn_replace(t, p->store, 1, &r, &row), sum);
  s->sink = tn_sink_of(t, tn_end(t, store, loops.n, loops.u));
  tn_axis_becomes(s, r, x.rest ? x.rest : x.row);
}
#endif
