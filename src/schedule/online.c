// online: sums of what a softmax weighs, together with the softmax in one kernel.
//
// In:  a graph, its nodes summarized, the last uses not known yet. Out: nodes that are computed where they are used:
//      a maximum, the sum of what it scales, the scores that both are of, up to the sum that they weigh.
// Such a kernel walks the scores once, with the maximum and the sums so far (rules/online.c, codegen/online.c): the
// scores of attention are never stored. It computes them again for each group of columns of the result that the device
// computes at once, so that they have to be few: one group where the device has tiles for it.
// Only on devices with a grid. One loop takes a CPU's vectors from its sums: a logsumexp of 64 x 1024 took 9 times as
// long, a softmax 3.5 times, attention of 4 x 512 x 64 without tiles 300 times (one thread, AVX-512, 2026-11-25).
#ifndef TN_SCHEDULE_ONLINE
#define TN_SCHEDULE_ONLINE
#ifndef TINY_AMALGAMATED
#include "canonical.c"
#include "../rules/nested.c"
#include "../machine/units.c"
#endif

enum {
  TN_ONLINE_NODES = 96,                    // of all that becomes one kernel
  TN_ONLINE_COLUMNS = 16,                  // from which it takes tiles to be worth it
  TN_ONLINE_UNITS = 256,                   // that units have in two groups
  TN_ONLINE_SIDE = 16, TN_ONLINE_LEAST = 4,      // items of a group along the columns at most, at least
  TN_ONLINE_ITEMS = 8, TN_ONLINE_FEW = 32,       // of a group along more rows than that at least
  TN_ONLINE_NEXT = 4,                      // rows of an item that lie together
  TN_ONLINE_COPIES = 8,                    // words of such rows times columns, of which an item has the results
  TN_ONLINE_WIDE = 2,                      // keys of an item, of numbers of two words
  TN_ONLINE_REGISTERS = 128, TN_ONLINE_STRIPS = 192    // of an item; from which it has two strips of rows
};

// ** tiles **

// What a group has at a time: `rows` of the result, `keys` in a block, all columns, of which an item has `copies`;
// words: of a number.
typedef struct tn_online_tile { int64_t row_items, column_items, strips, rows, keys, copies, words; } tn_online_tile;

static int64_t tn_online_power(int64_t n, int64_t most) {
  int64_t f = 1;
  while (f < n && f < most) f *= 2;
  return f;
}

// Bytes of a group's memory: what the products are of, the block's exponentials, what items have of maxima and sums.
static int64_t tn_online_nbytes(const tn_online_tile *tile, int64_t elements) {
  const int64_t products = elements * (tile->rows + tile->keys + 2) + tile->keys * tile->column_items * tile->copies,
                scores = tile->rows * tile->keys + tile->column_items,
                items = 2 * tile->row_items * tile->column_items * TN_ONLINE_NEXT * tile->strips;
  return 4 * tile->words * (products + scores + items);
}

// Of strips of rows, items along rows, and keys of an item: the first that a device has room for is taken. Counted for
// sm_90 and gfx1100 by bench/count: more of each makes fewer accesses of shared memory for a product, and fewer groups.
static const struct { uint8_t strips, row_items, keys; } tn_online_tiles[] = {
  {2, 8, 4}, {2, 8, 2}, {1, 16, 4}, {1, 8, 4}, {1, 16, 2}, {1, 8, 2}, {1, 4, 4}, {1, 4, 2}};

enum { TN_ONLINE_TILES = sizeof tn_online_tiles / sizeof *tn_online_tiles };

// Tile number i for these axes. 0: it is too large for them, or for the device.
static int tn_online_tile_at(const tiny_limits *limits, const tn_online_axes *a, int i, tn_online_tile *tile) {
  const int64_t rows = tn_range_extent(a->rows), columns = tn_range_extent(a->columns), keys = tn_range_extent(a->keys),
                elements = a->score ? tn_range_extent(a->score->src[1]) : 0, registers = tn_machine_registers(limits);
  if (!tn_machine_grid(limits) || registers < TN_ONLINE_REGISTERS) return 0;
  tile->column_items = tn_online_power((columns + TN_ONLINE_NEXT - 1) / TN_ONLINE_NEXT, TN_ONLINE_SIDE);
  tile->copies = (columns + tile->column_items - 1) / tile->column_items;
  tile->strips = tn_online_tiles[i].strips;
  tile->row_items = tn_online_tiles[i].row_items;
  tile->rows = TN_ONLINE_NEXT * tile->strips * tile->row_items;
  tile->keys = tn_online_tiles[i].keys * tile->column_items;
  tile->words = a->sum->dtype == TINY_F64 ? 2 : 1;
  return (tile->strips * tile->words == 1 || registers >= TN_ONLINE_STRIPS) &&
      tile->words * tile->strips * tile->copies <= TN_ONLINE_COPIES &&
      (tile->words == 1 || tile->keys <= TN_ONLINE_WIDE * tile->column_items) &&
      (tile->row_items >= TN_ONLINE_ITEMS || rows <= TN_ONLINE_FEW) && tile->rows < 2 * rows && tile->keys <= keys &&
      tile->row_items * tile->column_items <= tn_machine_items(limits) &&
      tn_online_nbytes(tile, elements) <= (int64_t)limits->shared_nbytes;
}
// 0: the device has no room for one.
static int tn_online_tile_of(const tiny_limits *limits, const tn_online_axes *a, tn_online_tile *tile) {
  for (int i = 0; i < TN_ONLINE_TILES; i++)
    if (tn_online_tile_at(limits, a, i, tile)) return tile->column_items >= TN_ONLINE_LEAST;
  return 0;
}

// ** tiles of units **

// Warps along the rows, rows of each, and as much of columns or of keys: the first that fits. Those with columns share
// the rows' values: two warps along each side; where they go on with a maximum each warp has all of a row.
typedef struct tn_warp_nested_tile { uint8_t warps, rows, across, columns; } tn_warp_nested_tile;
enum { TN_NESTED_REDUCE, TN_NESTED_PRODUCT, TN_NESTED_ONLINE, TN_NESTED_KINDS, TN_NESTED_TILES = 4,
  TN_NESTED_BLOCK = 32, TN_NESTED_PAD = 4, // keys of a block of a product; elements between operands' quarters and rows
  TN_NESTED_HELD = 192 };                  // registers of a lane for the rows of all products, which all keys meet
// Of sixteen registers of an item those of rows and sums, where lanes have four elements of a tile, and where they have
// eight: the others are values' under way (by ptxas and clang).
enum { TN_NESTED_SUMS = 14, TN_NESTED_SUMS_OF_EIGHT = 12 };
static const tn_warp_nested_tile tn_warp_nested_tiles[TN_NESTED_KINDS][TN_NESTED_TILES] = {
  {{4, 16, 1, 64}, {4, 16, 1, 32}, {2, 16, 1, 32}, {1, 16, 1, 32}},
  {{2, 32, 2, 64}, {2, 16, 2, 64}, {2, 16, 2, 32}, {1, 16, 2, 32}},
  {{4, 16, 1, 128}, {2, 16, 1, 128}, {4, 16, 1, 64}, {2, 16, 1, 64}}};

static int tn_nested_kind(const tn_nested *a) {
  return a->max ? TN_NESTED_ONLINE : a->columns ? TN_NESTED_PRODUCT : TN_NESTED_REDUCE;
}
// Along all products, padded to what a unit takes at a time.
static int64_t tn_nested_elements(const tn_nested *a) {
  int64_t n = 0;
  for (int i = 0; i < a->nproduct; i++)
    n += (tn_range_extent(a->product[i]->src[1]) + TN_NESTED_BLOCK - 1) / TN_NESTED_BLOCK * TN_NESTED_BLOCK;
  return n;
}

// Do products within a sum take all columns at once? Not those that sum in memory of the unit's own.
static int tn_nests_at_once(const tiny_limits *limits) { return limits->unit_tiles && !limits->unit_rows; }
// Where they do all warps stand along rows.
static const tn_warp_nested_tile *tn_nested_tile(const tiny_limits *limits, const tn_nested *a, int i) {
  const int kind = tn_nested_kind(a);
  return &tn_warp_nested_tiles[kind == TN_NESTED_PRODUCT && tn_nests_at_once(limits) ? (int)TN_NESTED_ONLINE : kind][i];
}

// Registers of a lane for the rows of all products, which all keys meet.
static int64_t tn_nested_held(const tiny_warp_unit *unit, const tn_nested *a, const tn_warp_nested_tile *tile) {
  return (tile->rows / unit->m) * (tn_nested_elements(a) / unit->k) * tn_layout_elements(&unit->layout[0]) *
      tn_dtypes[unit->a].nbytes / 4;
}
// Has a lane registers for these, for all inner products of a block, and for the sums: of columns, and what a block
// gives to them where they go on with a maximum.
static int tn_nested_is_roomy(const tiny_limits *limits, const tiny_warp_unit *unit, const tn_nested *a,
                              const tn_warp_nested_tile *tile) {
  const int64_t block = tile->rows * (a->columns ? TN_NESTED_BLOCK / tile->across : tile->columns) / unit->warp,
                sums = a->columns ? tile->rows * tile->columns / unit->warp * (a->max ? 2 : 1) : 0;
  const int64_t most = unit->m * unit->n / unit->warp > 4 ? TN_NESTED_SUMS_OF_EIGHT : TN_NESTED_SUMS;
  return 16 * (tn_nested_held(unit, a, tile) + a->nproduct * block + sums) <= most * tn_machine_registers(limits);
}
// Is there memory of a group for it: operands of all products for rows and keys; columns and values?
static int tn_nested_fits(const tiny_limits *limits, const tiny_warp_unit *unit, const tn_nested *a,
                          const tn_warp_nested_tile *tile) {
  const int64_t columns = (int64_t)tile->across * tile->columns, rows = (int64_t)tile->warps * tile->rows,
                keys = a->columns ? (int64_t)TN_NESTED_BLOCK : columns;
  int64_t all = tn_nested_elements(a) * (rows + keys + TN_NESTED_PAD);
  if (a->columns) all += (keys + TN_NESTED_PAD) * (columns + rows + 2 * TN_NESTED_PAD);
  return tn_nested_held(unit, a, tile) <= TN_NESTED_HELD &&
      tn_dtypes[unit->a].nbytes * all <= (int64_t)limits->shared_nbytes;
}
// Does some unit of the device have a tile for it?
static int tn_nested_may(const tiny_limits *limits, const tn_nested *a) {
  for (int i = 0; i < limits->nunits; i++) if (tn_unit_nests(limits, &limits->units[i], a->dtype))
    for (int k = 0; k < TN_NESTED_TILES; k++)
      if (tn_nested_fits(limits, &limits->units[i], a, tn_nested_tile(limits, a, k))) return 1;
  return 0;
}

// ** what becomes one kernel **

// What is computed for a sum: nodes, and the REDUCEs among them.
typedef struct tn_online_nodes { tn_graph *g; tn_list all, reduces; uint32_t epoch; int bad; } tn_online_nodes;

static void tn_online_add(tn_online_nodes *c, tiny_uop *u) {
  const tn_node *n = tn_graph_node(c->g, u);
  if (u->mark == c->epoch || n->leaf || !u->nsrc || (n->is_mask && !n->forced)) return;
  if (c->all.n == TN_ONLINE_NODES || n->once > 0) { c->bad = 1; return; }
  if (n->forced) return;
  u->mark = c->epoch;
  tn_push(c->g->t, u->op == TINY_OP_REDUCE ? &c->reduces : &c->all, u);
}
// Adds all that is elementwise below the nodes from `at` on, down to REDUCEs.
static void tn_online_descend(tn_online_nodes *c, int at) {
  for (; at < c->all.n && !c->bad; at++)
    for (uint32_t i = 0; i < c->all.u[at]->nsrc; i++) tn_online_add(c, c->all.u[at]->src[i]);
}

// Is every node wanted by nodes of the kernel alone?
static int tn_online_is_alone(const tn_online_nodes *c, const tiny_uop *sum) {
  for (int l = 0; l < 2; l++) for (int i = 0; i < (l ? c->reduces.n : c->all.n); i++) {
    const tiny_uop *u = l ? c->reduces.u[i] : c->all.u[i];
    int users = u == sum->src[0];
    for (int m = 0; m < 2; m++) for (int j = 0; j < (m ? c->reduces.n : c->all.n); j++) {
      const tiny_uop *by = m ? c->reduces.u[j] : c->all.u[j];
      for (uint32_t s = 0; s < by->nsrc; s++) users += by->src[s] == u;
    }
    if (users != tn_graph_node(c->g, u)->users) return 0;
  }
  return 1;
}

// The REDUCEs of a kernel's expression: one maximum along one range, and sums along one range each, of what it scales.
static int tn_online_is_legal(tiny_ctx *t, tiny_uop *x) {
  tn_list all = {NULL, 0, 0};
  tiny_uop *max = NULL;
  int sums = 0;
  tn_collect_op(t, x, TINY_OP_REDUCE, &all);
  for (int i = 0; i < all.n; i++) if (all.u[i]->k == TINY_OP_MAX) {
    if (max || all.u[i]->nsrc != 2) return 0;
    max = all.u[i];
  }
  for (int i = 0; i < all.n && max; i++) {
    tiny_uop *u = all.u[i];
    if (u == max || !tn_depends(t, u, max)) continue;
    if (u->k != TINY_OP_ADD || u->nsrc != 2 || tn_range_extent(u->src[1]) != tn_range_extent(max->src[1])) return 0;
    if (!tn_online_fits(t, u, max)) return 0;
    sums++;
  }
  return sums > 1;
}

// Has the device units for the scores and for the sum of what they weigh? Groups of columns have the scores anew: they
// are few.
static int tn_online_nests(tiny_ctx *t, const tiny_limits *limits, const tn_online_axes *axes) {
  tn_nested a;
  int fits = 0;
  memset(&a, 0, sizeof a);
  if (tn_range_extent(axes->columns) > TN_ONLINE_UNITS || !axes->score || !tn_nested_is_product(&a, axes->score))
    return 0;
  a.max = axes->max;
  a.product[a.nproduct++] = axes->score;
  const tn_online_product p = tn_online_factors(t, axes->sum->src[0], axes->sum->src[1]);
  for (int i = 0; i < p.factors.n; i++)
    if (tn_depends(t, p.factors.u[i], axes->columns)) fits = !fits && p.factors.u[i]->dtype == a.dtype;
  return fits && tn_nested_may(limits, &a);
}

// All of c is computed in the kernel of node n, if that is one that goes on with a maximum, and worth it.
static void tn_online_mark(tn_graph *g, tn_node *n, const tn_online_nodes *c, int64_t columns) {
  tn_kernel k;
  tn_online_axes axes;
  tn_online_tile tile;
  memset(&k, 0, sizeof k);
  k.node = n->u;
  k.at = tn_at_fresh(g->t, &k, n->u);
  for (int i = 0; i < c->reduces.n; i++) tn_graph_node(g, c->reduces.u[i])->online = 1;
  tiny_uop *x = tn_pull_trial(g, &k);
  const tiny_limits *limits = tn_limits_of(g->targets, n->u);
  const int legal = tn_online_is_legal(g->t, x) &&
      (columns < TN_ONLINE_COLUMNS || (tn_online_axes_of(g->t, x, (int)k.at->nsrc - 1, k.at->src, &axes) &&
          (tn_online_tile_of(limits, &axes, &tile) || tn_online_nests(g->t, limits, &axes))));
  for (int i = 0; i < c->reduces.n; i++) tn_graph_node(g, c->reduces.u[i])->online = (uint8_t)legal;
  for (int i = 0; i < c->all.n; i++) tn_graph_node(g, c->all.u[i])->online = (uint8_t)legal;
}

// How many columns of the result has each row that there is a maximum of? 0: this is nothing for one kernel.
static int64_t tn_online_columns(const tn_online_nodes *c, const tiny_uop *sum) {
  const tiny_uop *max = NULL;
  for (int i = 0; i < c->reduces.n; i++) if ((c->reduces.u[i]->k & 0xFF) == TINY_OP_MAX) {
    if (max) return 0;
    max = c->reduces.u[i];
  }
  return max && tn_nelem(max) && tn_nelem(sum) % tn_nelem(max) == 0 ? tn_nelem(sum) / tn_nelem(max) : 0;
}

// 1: the kernel was looked at, what it was pulled with stays.
static int tn_online_try(tn_graph *g, tn_node *n) {
  const tiny_limits *limits = tn_limits_of(g->targets, n->u);
  tn_online_nodes c = {g, {NULL, 0, 0}, {NULL, 0, 0}, ++g->t->ir->epoch, 0};
  if (!tn_machine_grid(limits) || n->leaf || n->u->op != TINY_OP_REDUCE || (n->u->k & 0xFF) != TINY_OP_ADD ||
      n->once > 0)
    return 0;
  tn_online_add(&c, n->u->src[0]);
  tn_online_descend(&c, 0);
  for (int i = 0; i < c.reduces.n && !c.bad; i++) {        // of the maximum, and of sums of the same summands
    tiny_uop *x = c.reduces.u[i]->src[0];
    if ((c.reduces.u[i]->k & 0xFF) != TINY_OP_MAX && !tn_is_exponential(x)) continue;
    const int at = c.all.n;
    tn_online_add(&c, x);
    tn_online_descend(&c, at);
  }
  const int64_t columns = c.bad ? 0 : tn_online_columns(&c, n->u);
  if (columns < 2 || !tn_online_is_alone(&c, n->u)) return 0;
  tn_online_mark(g, n, &c, columns);
  return 1;
}

// All sums of a graph, whose nodes are summarized.
static void tn_online_choose(tn_graph *g) {
  for (int i = 0; i < g->n && TN_GPU; i++) {
    const tn_mark mark = tn_scratch_mark(g->t);
    if (!tn_online_try(g, &g->node[i])) tn_scratch_rewind(g->t, mark);
  }
}
#endif
