// grid: schedules for devices that run a grid of groups of work items.
//
// In:  a kernel as the scheduler wrote it, its profile, what the machine is made of. Out: its opts, done and listed.
//
//   products   of two operands that many outputs read: a tile of the output is a group, some of its elements an item,
//              in registers; the operands' tiles are copied to memory of the group by all of its items. Where a unit of
//              warps does them: warp_tiles.c
//   rows       softmax, norms: a group has a row; its items share the reductions, and write it. What an item has of it
//              is copies and lanes, whose loads and exponentials all reductions share, where its registers hold them
//   sums       of few outputs, or along what lies together in memory: items share each, such as those of a logsumexp
//   turned     what lies together in memory is not what is stored together: tiles of both, by memory of the group
//   all else   an element an item, or as many as a vector holds
//
// Ranges of any extent are spread: what does not divide them is padded, and what lies beyond is masked.
#ifndef TN_CODEGEN_GRID
#define TN_CODEGEN_GRID
#ifndef TINY_AMALGAMATED
#include "column_reduce.c"
#include "collective.c"
#include "warp_tiles.c"
#endif

enum {
  TN_GRID_SIDE = TN_TILE_SIDE,             // items of a group along each side of a tile,
  TN_GRID_NEAR = TN_TILE_NEAR,             // elements of each that lie together,
  TN_GRID_REGISTERS = 48, TN_GRID_MANY = TN_TILE_MANY,    // of an item, from which it holds 4 x 4 elements, 8 x 8
  TN_GRID_BAND = 16,                       // rows of tiles that a band has at most
  TN_GRID_SECTOR = 64,                     // bytes that memory reads at least
  TN_GRID_PAD = 8,                         // words between rows that are written across: see tn_grid_stage
  TN_GRID_BUSY = 1 << 14,                  // items that keep a device busy
  TN_GRID_SUMMED = 4,                      // elements that an item adds up at least, where several share a sum
  TN_GRID_UNROLL = 8,                      // of them at once
  TN_GRID_AHEAD = 3,                       // iterations that a device copies ahead at most
  TN_GRID_LARGE = 8,                       // a part of shared memory, from which boxes leave room for one group
  TN_GRID_HELD = 16,                       // registers for a row's elements, beyond which a group has no other rows
  TN_GRID_HELD_BY_GROUP = 1 << 15,         // the most of all its items: half of an SM's (see bench/gpu.h)
  TN_GRID_TURNED = 32, TN_GRID_TURNED_ROWS = 8   // side of a tile that is transposed, its rows that are items
};

// Only where it is legal.
static void tn_grid_try(tn_kernel_state *s, int kind, tiny_uop *r, int64_t f) {
  const tn_opt o = tn_opt_of(s, kind, 1, &r, f == tn_range_extent(r) ? 0 : f);
  if (f > 1) tn_opt_apply(s, &o);
}
static int64_t tn_grid_divisor(int64_t n, int64_t most) {
  int64_t f = 1;
  for (int64_t d = 2; d <= most && d <= n; d++) if (n % d == 0) f = d;
  return f;
}

// ** items **

// How many of n in each group, at most `most`: a divisor of n, or else so many that n is padded to a multiple.
static int64_t tn_grid_part(int64_t n, int64_t most, int *pads) {
  const int64_t f = tn_grid_divisor(n, most);
  *pads = 0;
  if (n <= most) return n;
  if (2 * f > most) return f;
  *pads = 1;
  return most;
}

static int tn_grid_may_pad(tn_kernel_state *s, const tiny_uop *r, int64_t m) {
  const tn_profile p = tn_profile_of(s);
  return !p.carried && !p.filled && tn_opt_may_pad(s, &p, r, m);
}

// A part of r that is items of a group, at most `most` of them. *rest: what is left, NULL: nothing.
static tiny_uop *tn_grid_items(tn_kernel_state *s, tiny_uop *r, int64_t most, tiny_uop **rest) {
  const int64_t left = tn_opt_most_items(s) / tn_opt_items(s);
  int pads;
  int64_t f = tn_grid_part(tn_range_extent(r), most < left ? most : left, &pads);
  *rest = r;
  if (pads && tn_grid_may_pad(s, r, f)) r = *rest = tn_do_pad(s, r, f);
  while (f > 1 && (!tn_opt_fits(s, 1, f) || tn_range_extent(r) % f)) f--;
  return f > 1 ? tn_do_split(s, TN_OPT_LOCAL, r, f, rest) : NULL;
}

static void tn_grid_groups(tn_kernel_state *s, tiny_uop *r) {
  if (r && tn_range_extent(r) > 1 && tn_opt_fits(s, 0, tn_range_extent(r))) tn_do_kind(s, TN_OPT_GRID, r);
}

// Does every sum of the kernel move with r, so that items of it need not compute any again?
static int tn_grid_is_outer(tn_kernel_state *s, const tn_profile *p, const tiny_uop *r) {
  for (int j = 0; j < p->nreduce; j++) if (!tn_depends(s->t, p->reduce[j], r)) return 0;
  return 1;
}

static int64_t tn_grid_dim(const tn_kernel_state *s) { return TN_DIM_WARPS * tn_machine_warp(s->target->limits); }

// The loops of the store that are left become items, the last ones first and at most so many of each, and groups.
static void tn_grid_spread(tn_kernel_state *s, const tn_profile *p, int64_t most) {
  for (int i = p->nout - 1; i >= 0; i--) {
    tiny_uop *r = p->out[i], *rest = r;
    if (tn_axis_of(s, r) < 0 || tn_range_kind(r) != TN_LOOP || !tn_grid_is_outer(s, p, r)) continue;
    tn_grid_items(s, r, most, &rest);
    tn_grid_groups(s, rest);
  }
}

// ** products **

// One side of a tile: what an operand alone moves with. next, copies: elements of an item, that lie together and that
// lie a side of items apart; apart: next ones do so too, where they are not loaded or stored as a vector.
typedef struct tn_grid_side { tiny_uop *r, *next, *item, *copies, *groups; int64_t block; int apart; } tn_grid_side;
typedef struct tn_grid_tile { tn_grid_side side[2]; tiny_uop *k, *k_next, *k_part; int64_t k_block; } tn_grid_tile;

// Sides of 64 or, where an item has so many registers, 128 elements.
static void tn_grid_tile_sides(const tn_kernel_state *s, tn_grid_tile *tile, int64_t others) {
  const int many = tn_machine_registers(s->target->limits) >= TN_GRID_MANY;
  double least = 0;
  for (int i = many ? 0 : 3; i < 4; i++) {
    const tn_tile_price price = tn_tile_of_items(s->target->limits, tn_tile_copies[i]);
    const double cost = tn_tiles_cost(s->target->limits, tn_range_extent(tile->side[0].r),
                                      tn_range_extent(tile->side[1].r), others, &price);
    if (least > 0 && cost >= least) continue;
    least = cost;
    for (int d = 0; d < 2; d++) tile->side[d].block = TN_GRID_SIDE * TN_GRID_NEAR * tn_tile_copies[i][d];
  }
}

// Of an element that the kernel loads.
static int64_t tn_grid_least_nbytes(const tn_profile *p) {
  int64_t least = 4;
  for (int i = 0; i < p->nload; i++)
    if (tn_dtypes[p->load[i]->dtype].nbytes < least) least = tn_dtypes[p->load[i]->dtype].nbytes;
  return least;
}

// 1: the kernel's sum is one of products worth a tile, whose second side is the one that is stored together.
static int tn_grid_tile_of(tn_kernel_state *s, const tn_profile *p, tn_grid_tile *tile) {
  tn_contraction fact;
  const int64_t registers = tn_machine_registers(s->target->limits), side = TN_GRID_SIDE;
  int64_t others = 1;
  memset(tile, 0, sizeof *tile);
  if (registers < TN_GRID_REGISTERS || p->row || p->carried || p->filled || !tn_opt_fits(s, 1, side * side) ||
      tn_machine_items(s->target->limits) < side * side || !tn_contraction_of_kernel(s->t, p, &fact) ||
      (fact.inside && !p->adds))
    return 0;
  for (int i = 0; i < 2; i++) tile->side[i].r = tn_core_range(p, &fact, i);
  for (int i = 0; i < p->nred; i++)
    if (!tile->k || tn_range_extent(p->red[i]) > tn_range_extent(tile->k)) tile->k = p->red[i];
  if (!tile->side[0].r || !tile->side[1].r || tn_masks_sides(s->t, &fact, tile->side[0].r, tile->side[1].r)) return 0;
  if (tn_stride_in(s->t, p->store->src[1], tile->side[0].r) == 1) {
    const tn_grid_side last = tile->side[0];
    tile->side[0] = tile->side[1];
    tile->side[1] = last;
  }
  for (int i = 0; i < 2; i++) if (tn_range_extent(tile->side[i].r) < side) return 0;
  for (int i = 0; i < p->nout; i++)
    if (p->out[i] != tile->side[0].r && p->out[i] != tile->side[1].r) others *= tn_range_extent(p->out[i]);
  tn_grid_tile_sides(s, tile, others);
  const int large = tile->side[0].block + tile->side[1].block > 2 * side * TN_GRID_NEAR;
  tile->k_block = large ? TN_GRID_SECTOR / tn_grid_least_nbytes(p) : 4 * TN_GRID_NEAR;
  while (tile->k_block > 2 * TN_GRID_NEAR && tile->k_block > tn_range_extent(tile->k)) tile->k_block /= 2;
  const int64_t row = tile->side[0].block + tile->side[1].block + 2 * TN_GRID_PAD,
                nbytes = row * tile->k_block * tn_dtypes[fact.sum->dtype].nbytes;
  return tn_range_extent(tile->k) >= tile->k_block && nbytes <= (int64_t)s->target->limits->shared_nbytes;
}

// Loops that stand together and that one operand alone moves with become one side, and those of the sum one K: rows and
// columns of a picture, channels and places of a filter.
static void tn_grid_fuse(tn_kernel_state *s) {
  for (int again = 1; again;) {
    const tn_profile p = tn_profile_of(s);
    tn_contraction fact;
    again = 0;
    if (!tn_contraction_of_kernel(s->t, &p, &fact)) return;
    for (uint32_t i = 1; i + 1 < fact.sum->nsrc && !again; i++)
      again = tn_do_fuse(s, fact.sum->src[i], fact.sum->src[i + 1]) != NULL;
    for (int d = 0; d + 1 < p.nout && !again; d++)
      for (int i = 0; i < 2 && !again; i++)
        again = (fact.own[i] >> d & 3) == 3 && tn_do_fuse(s, p.out[d], p.out[d + 1]);
  }
}

// Does the last cache keep all that is read along these columns of tiles, until the next rows read it?
static int tn_grid_keeps(tn_kernel_state *s, const tiny_uop *columns) {
  const tn_profile p = tn_profile_of(s);
  const int64_t last = (int64_t)tn_machine_memory(s->target->limits, 2).nbytes;
  int64_t nbytes = 0;
  for (int i = 0; i < p.nload; i++) {
    const tiny_uop *memory = p.load[i]->src[0];
    const int64_t own = tn_memory_nelem(memory) * tn_dtypes[memory->dtype].nbytes;
    if (memory->op == TINY_OP_PARAM && own > nbytes && tn_depends(s->t, p.load[i]->src[1], columns)) nbytes = own;
  }
  return nbytes <= last - last / 4;
}

// Groups that run at a time read few rows and few columns: bands of tiles, each walked column by column (Tillet,
// Triton's tutorial "Matrix Multiplication", "L2 Cache Optimizations"). Returns what is left of rows: bands.
static tiny_uop *tn_grid_bands(tn_kernel_state *s, tiny_uop *rows, tiny_uop *columns) {
  tiny_uop *axes[2] = {columns, NULL}, *bands;
  const int64_t band = rows ? tn_grid_divisor(tn_range_extent(rows), TN_GRID_BAND) : 1;
  if (4 * band <= TN_GRID_BAND || !columns || 2 * tn_range_extent(columns) < TN_GRID_BAND || tn_grid_keeps(s, columns))
    return rows;
  axes[1] = tn_do_split(s, TN_OPT_SPLIT, rows, band, &bands);
  tn_do_order(s, 2, axes);
  tn_grid_groups(s, axes[1]);
  return bands;
}

static void tn_grid_split_side(tn_kernel_state *s, tn_grid_side *side) {
  tiny_uop *r = tn_do_pad(s, side->r, side->block), *rest;
  if (side->apart) side->item = tn_do_split(s, TN_OPT_SPLIT, r, TN_GRID_SIDE, &r);
  side->next = tn_do_split(s, TN_OPT_SPLIT, r, TN_GRID_NEAR, &rest);
  if (!side->apart) side->item = tn_do_split(s, TN_OPT_SPLIT, rest, TN_GRID_SIDE, &rest);
  const int64_t copies = side->block / (TN_GRID_NEAR * TN_GRID_SIDE);
  side->groups = rest;
  if (rest && copies > 1) side->copies = tn_do_split(s, TN_OPT_SPLIT, rest, copies, &side->groups);
}

// The operand of the kernel's sum that moves with r; as it lies in memory, where it is converted.
static tiny_uop *tn_grid_operand(tn_kernel_state *s, const tiny_uop *r) {
  const tn_profile p = tn_profile_of(s);
  tiny_uop *product = p.nreduce ? p.reduce[0]->src[0] : NULL;
  if (product && product->op == TINY_OP_WHERE) product = product->src[1];
  for (uint32_t i = 0; product && i < product->nsrc; i++) {
    tiny_uop *x = product->src[i];
    if (tn_depends(s->t, x, r)) return x->op == TINY_OP_CAST && x->src[0]->op == TINY_OP_LOAD ? x->src[0] : x;
  }
  return NULL;
}

static int tn_grid_lies_together(tn_kernel_state *s, const tiny_uop *x, const tiny_uop *r) {
  return x->op == TINY_OP_LOAD && tn_stride_in(s->t, x->src[0]->src[1], r) == 1;
}

// A side's operand is copied to memory of the group, a tile at a time, laid out as items read it: 4 elements along K
// apart, rows of the side. Where it lies the other way round a load of 4 elements along K is written to 4 rows, and 8
// items write elements beside each other: with 8 words more after each 4 rows, 32 items write to 32 banks.
static void tn_grid_stage(tn_kernel_state *s, const tn_grid_tile *tile, const tn_grid_side *side) {
  tiny_uop *const all[5] = {tile->k_part, tile->k_next, side->copies, side->apart ? side->next : side->item,
                            side->apart ? side->item : side->next};
  const tn_grid_side *other = &tile->side[side == &tile->side[0]];
  tiny_uop *const apart[3] = {other->item, other->next, other->copies};
  tiny_uop *x = tn_grid_operand(s, side->item), *inner[5], *copy[5], *lane = NULL;
  int64_t width = 1;
  int n = 0;
  if (!x) return;
  for (int i = 0; i < 3; i++) if (apart[i] && tn_depends(s->t, x, apart[i])) return;          // no item's alone
  for (int i = 0; i < 5; i++) if (all[i] && tn_depends(s->t, x, all[i])) inner[n++] = all[i];
  const tn_profile p = tn_profile_of(s);
  const int across = tn_grid_lies_together(s, x, tile->k_next), lanes = tn_target_lanes(s->target, &p) >= TN_GRID_NEAR;
  tiny_uop **fresh = n ? tn_do_stage(s, x, n, inner, across ? TN_GRID_PAD : 0) : NULL;
  if (!fresh) return;
  memcpy(copy, fresh, (size_t)n * sizeof *copy);
  for (int i = 0; i < n; i++)
    if (lanes && tn_grid_lies_together(s, x, inner[i]) && tn_range_extent(inner[i]) == TN_GRID_NEAR) {
      lane = copy[i];
      width = tn_access_width(s->t, x->src[0], inner[i], TN_GRID_NEAR);
    }
  for (int i = 0; i < n; i++) {
    if (copy[i] == lane && width > 1) tn_do_split(s, TN_OPT_LANE, copy[i], width, &copy[i]);
    if (copy[i]) tn_do_kind(s, TN_OPT_SHARE, copy[i]);
  }
}

static int tn_grid_tiled(tn_kernel_state *s, const tn_profile *p) {
  tn_grid_tile tile;
  if (!tn_grid_tile_of(s, p, &tile)) return 0;
  tiny_uop *k = tn_do_pad(s, tile.k, tile.k_block), *last = tile.side[1].r;
  const int lanes = tn_target_lanes(s->target, p) >= TN_GRID_NEAR && tn_range_extent(last) % TN_GRID_NEAR == 0 &&
      tn_stride_in(s->t, p->store->src[1], last) == 1;
  tile.side[1].apart = !lanes;
  for (int i = 0; i < 2; i++) tn_grid_split_side(s, &tile.side[i]);
  tile.side[0].groups = tn_grid_bands(s, tile.side[0].groups, tile.side[1].groups);
  tile.k_part = tn_do_split(s, TN_OPT_SPLIT, k, tile.k_block, NULL);
  tile.k_next = tn_do_split(s, TN_OPT_SPLIT, tile.k_part, TN_GRID_NEAR, &tile.k_part);
  for (int i = 0; i < 2; i++) tn_grid_stage(s, &tile, &tile.side[i]);
  for (int i = 0; i < 2; i++) {
    tn_grid_side *side = &tile.side[i];
    tn_do_kind(s, TN_OPT_LOCAL, side->item);
    tn_grid_groups(s, side->groups);
    if (side->copies) tn_do_kind(s, TN_OPT_UPCAST, side->copies);
    tn_do_kind(s, i && lanes ? TN_OPT_LANE : TN_OPT_UPCAST, side->next);
  }
  tn_do_kind(s, TN_OPT_UNROLL, tile.k_next);
  const tn_profile now = tn_profile_of(s);
  for (int i = 0; i < now.nout; i++) if (tn_range_kind(now.out[i]) == TN_LOOP) tn_grid_groups(s, now.out[i]);
  return 1;
}

// Do items have no part in the copy of a STAGE but to begin it: elements of 4, 8 or 16 bytes, together here and there?
static int tn_grid_copies(tn_kernel_state *s, const tiny_uop *stage) {
  if (tn_stage_is_bulk(stage)) return 1;
  const tiny_uop *x = stage->src[0], *last = stage->src[stage->nsrc - 1];
  int vectors = 0;
  while (x->op == TINY_OP_BITCAST) x = x->src[0];
  for (uint32_t i = 1; i < stage->nsrc; i++) vectors += tn_range_kind(stage->src[i]) == TN_VECTOR;
  const int64_t lanes = tn_range_kind(last) == TN_VECTOR ? tn_range_extent(last) : 1,
                nbytes = tn_dtypes[stage->dtype].nbytes * lanes;
  return tn_target_copies(s->target) && x->op == TINY_OP_LOAD && vectors == (lanes > 1) &&
      (nbytes == 4 || nbytes == 8 || nbytes == 16);
}

// Loads of an item that fill a STAGE.
static int64_t tn_grid_held(tn_kernel_state *s, const tiny_uop *stage) {
  int64_t n = 1;
  for (uint32_t i = 1; i < stage->nsrc; i++)
    if (tn_range_kind(stage->src[i]) != TN_VECTOR) n *= tn_range_extent(stage->src[i]);
  return (n + tn_opt_items(s) - 1) / tn_opt_items(s);
}

// All that is staged in the loop is copied so many iterations ahead, where that is legal. Returns how much of it is.
static int tn_grid_copy_ahead(tn_kernel_state *s, tiny_uop *loop, int64_t ahead) {
  int all = 0;
  for (int done = 1; done; all += done) {
    const tn_list now = tn_kernel_collect(s, TINY_OP_STAGE);
    tn_opt o = tn_opt_of(s, TN_OPT_PREFETCH, 1, &loop, ahead);
    done = 0;
    for (int i = 0; i < now.n && !done; i++) {
      tn_opt_set_operand(s, &o, now.u[i]);
      done = tn_opt_apply(s, &o);
    }
  }
  return all;
}

// What all items copy is copied ahead of the iterations that read it: as many of them as leave memory of the group for
// another group, unless boxes are so large that registers have no room for one; one, where items hold in registers what
// is on its way; none, where that is much.
static void tn_grid_ahead(tn_kernel_state *s) {
  const int64_t shared = (int64_t)s->target->limits->shared_nbytes, held = tn_staged_nbytes(s);
  const tn_list stages = tn_kernel_collect(s, TINY_OP_STAGE);
  tiny_uop *loop = NULL;
  int64_t nbytes = 0, ahead = TN_GRID_AHEAD;
  int boxes = 0;
  for (int i = 0; i < stages.n; i++) {
    tiny_uop *r = tn_opt_is_plain_copy(s, stages.u[i]) ? tn_stage_loop(s->t, s->sink, stages.u[i]) : NULL;
    if (!r || (loop && r != loop)) continue;
    loop = r;
    if (!tn_grid_copies(s, stages.u[i]) && tn_grid_held(s, stages.u[i]) > TN_SHARE_COPIES) return;
    boxes |= tn_stage_is_bulk(stages.u[i]);
    nbytes += tn_stage_nelem(stages.u[i]) * tn_dtypes[stages.u[i]->dtype].nbytes;
    if (!tn_grid_copies(s, stages.u[i])) ahead = 1;
  }
  if (!loop) return;
  const int64_t groups = boxes && nbytes >= shared / TN_GRID_LARGE ? 1 : 2;
  while (ahead > 1 && (groups * (held + ahead * nbytes + TN_BOX_NBYTES) > shared || ahead >= tn_range_extent(loop)))
    ahead--;
  tn_grid_copy_ahead(s, loop, ahead);
}

// The side, of rows or of columns, along which groups are neighbours: they have the other one's boxes in common and
// copy them for each other (codegen/hints.c), which are better the larger ones. -1: it is all the same.
static int tn_grid_beside(tn_kernel_state *s, tiny_uop *const *tiles) {
  const tn_list stages = tn_kernel_collect(s, TINY_OP_STAGE);
  int64_t nelem[2] = {0, 0};
  for (int i = 0; i < stages.n; i++)
    for (int side = 0; side < 2 && tn_stage_is_bulk(stages.u[i]); side++)
      if (tiles[side] && tn_depends(s->t, stages.u[i], tiles[side])) nelem[side] += tn_stage_nelem(stages.u[i]);
  if (!s->target->limits->cluster || !nelem[0] || !nelem[1] || nelem[0] == nelem[1]) return -1;
  const int beside = nelem[0] > nelem[1];
  return tn_range_extent(tiles[beside]) % 2 ? -1 : beside;
}
// The order of groups of tiles: in bands, or neighbours last.
static void tn_grid_order_units(tn_kernel_state *s, tiny_uop *const *tiles) {
  const int beside = tn_grid_beside(s, tiles), last = beside < 0 ? 0 : beside;
  tiny_uop *order[2] = {tiles[1], tiles[0]};
  if (tn_grid_bands(s, tiles[last], tiles[!last]) == tiles[last] && !beside) tn_do_order(s, 2, order);
}

// What WMMA leaves of the store's loops: groups.
static int tn_grid_units(tn_kernel_state *s, const tn_profile *p, const tn_online_axes *online) {
  if (p->nreduce == 1 ? !tn_warp_tiled(s, p) : !tn_warp_nested(s, p, online)) return 0;
  tn_profile now = tn_profile_of(s);
  tiny_uop *tiles[2] = {NULL, NULL};       // the last loops: of rows, of columns
  for (int i = 0; i < now.nout; i++)
    if (tn_range_kind(now.out[i]) == TN_LOOP) { tiles[0] = tiles[1]; tiles[1] = now.out[i]; }
  if (p->nreduce == 1) tn_grid_order_units(s, tiles);
  now = tn_profile_of(s);
  for (int i = 0; i < now.nout; i++) if (tn_range_kind(now.out[i]) == TN_LOOP) tn_grid_groups(s, now.out[i]);
  return 1;
}

// A loop of the store of which an operand has r / c, such as rows of heads that share keys, becomes r / c and r % c.
static int tn_grid_divide(tn_kernel_state *s, const tn_profile *p) {
  const tn_list divisions = tn_kernel_collect(s, TINY_OP_IDIV);
  for (int i = 0; i < divisions.n; i++) for (int d = 0; d < p->nout; d++) {
    const tiny_uop *u = divisions.u[i];
    if (u->src[0] == p->out[d] && tn_is_const(u->src[1]) && tn_range_extent(p->out[d]) % u->src[1]->k == 0)
      return tn_do_split(s, TN_OPT_SPLIT, p->out[d], u->src[1]->k, NULL) != NULL;
  }
  return 0;
}

// Products within a sum, as it is or with loops divided.
static int tn_grid_nested(tn_kernel_state *s, const tn_profile *p) {
  const int64_t serial = s->t->ir->serial;
  if (p->nreduce < 2) return 0;
  if (tn_grid_units(s, p, NULL)) return 1;
  tn_kernel_state *before = (tn_kernel_state *)tn_scratch(s->t, sizeof *before);
  *before = *s;
  if (tn_grid_divide(s, p)) {
    const tn_profile divided = tn_profile_of(s);
    if (tn_grid_units(s, &divided, NULL)) return 1;
  }
  *s = *before;
  s->t->ir->serial = serial;
  return 0;
}

// Products as they are, or with fused sides.
static int tn_grid_products(tn_kernel_state *s, const tn_profile *p) {
  tn_kernel_state *before = (tn_kernel_state *)tn_scratch(s->t, sizeof *before);
  const int64_t serial = s->t->ir->serial;
  *before = *s;
  if (p->nreduce != 1) return 0;
  tn_grid_fuse(s);
  const tn_profile fused = tn_profile_of(s);
  if (tn_grid_units(s, &fused, NULL) || tn_grid_tiled(s, &fused)) { tn_grid_ahead(s); return 1; }
  *s = *before;                            // nothing has happened
  s->t->ir->serial = serial;
  return 0;
}

// ** sums that items share **

// The last loop of a sum, which lies together in memory if one does.
static tiny_uop *tn_grid_summed(const tiny_uop *reduce) {
  for (uint32_t i = reduce->nsrc - 1; i; i--)
    if (tn_range_kind(reduce->src[i]) == TN_REDUCE) return reduce->src[i];
  return reduce->src[reduce->nsrc - 1];
}

// Each sum that does not move with `items` is shared by as many items; theirs, if they are items.
static void tn_grid_share_sums(tn_kernel_state *s, const tiny_uop *items, int64_t g) {
  for (int left = 1; left;) {
    const tn_profile p = tn_profile_of(s);
    left = 0;
    for (int i = 0; i < p.nreduce && !left; i++) {
      tiny_uop *reduce = p.reduce[i], *r = tn_grid_summed(reduce);
      if (tn_range_kind(r) != TN_REDUCE || tn_range_extent(r) < g) continue;
      if (items && tn_is_open(s->t, reduce, items)) continue;
      if (tn_range_extent(r) % g) {
        left = !tn_is_open(s->t, p.store->src[1], r) && tn_opt_may_pad(s, &p, r, g) && tn_do_pad(s, r, g) != r;
      } else if (tn_opt_may_group(s, reduce, r, g)) {
        left = tn_do_group(s, reduce, r, g);
      }
    }
  }
}

// So many summands are computed at once already.
static int64_t tn_grid_unrolled(const tiny_uop *reduce) {
  int64_t n = 1;
  for (uint32_t i = 1; i < reduce->nsrc; i++)
    if (tn_range_kind(reduce->src[i]) == TN_UNROLL) n *= tn_range_extent(reduce->src[i]);
  return n;
}

// Sums are unrolled, so many elements at once at most, so that places in memory are constants beyond one that is
// computed once.
static void tn_grid_unroll(tn_kernel_state *s, int64_t most) {
  const int n = tn_profile_of(s).nreduce;
  for (int i = 0; i < n; i++) {
    const tn_profile p = tn_profile_of(s);
    if (i >= p.nreduce) return;
    tiny_uop *r = tn_grid_summed(p.reduce[i]);
    if (tn_range_kind(r) == TN_REDUCE)
      tn_grid_try(s, TN_OPT_UNROLL, r, tn_grid_divisor(tn_range_extent(r), most / tn_grid_unrolled(p.reduce[i])));
  }
}

// How many items share a sum of n, so that each does the least: its own part, then what they have.
static int64_t tn_grid_sharers(const tn_target *target, int64_t n, int64_t most) {
  int64_t best = 1, least = n;
  for (int64_t g = 2; g <= most && g <= n; g *= 2) {
    const int64_t cost = (n + g - 1) / g + tn_collective_steps(g, tn_target_exchanges(target));
    if (cost < least) { least = cost; best = g; }
  }
  return best;
}

// ** rows **

// What an item has of a row that g of them share: its sums see each element of it once, in registers, where they may.
typedef struct tn_grid_part_of_row { int64_t g, lanes, copies; int held; } tn_grid_part_of_row;

// Registers that an element of each sum's row takes: what is loaded along it, each memory once.
static int64_t tn_grid_row_loads(tn_kernel_state *s, const tn_profile *p) {
  tn_list seen = {NULL, 0, 0};
  int64_t words = 0;
  for (int i = 0; i < p->nload; i++) {
    int counts = 0;
    for (int j = 0; j < p->nreduce; j++)
      counts |= tn_depends(s->t, p->load[i]->src[1], tn_grid_summed(p->reduce[j]));
    for (int j = 0; j < seen.n; j++) counts &= seen.u[j] != p->load[i]->src[0];
    if (!counts) continue;
    tn_push(s->t, &seen, p->load[i]->src[0]);
    words += tn_dtypes[p->load[i]->dtype].nbytes > 4 ? 2 : 1;
  }
  return words;
}

// Lanes of a vector along the sums' rows of n elements, and along `row` of the store (NULL: it has none): what is
// loaded and stored along them lies together. 1: single elements.
static int64_t tn_grid_row_lanes(tn_kernel_state *s, const tn_profile *p, int64_t n, const tiny_uop *row) {
  int64_t lanes = tn_target_lanes(s->target, p);
  if (row && tn_stride_in(s->t, p->store->src[1], row) != 1) return 1;
  for (int i = 0; i < p->nload; i++)
    for (int j = row ? -1 : 0; j < p->nreduce; j++) {
      const tiny_uop *r = j < 0 ? row : tn_grid_summed(p->reduce[j]);
      const int64_t step = tn_stride_in(s->t, p->load[i]->src[1], r);
      if ((step != 0 && step != 1) || tn_range_extent(r) != n) return 1;
    }
  while (lanes > 1 && (n % lanes || n / lanes < tn_machine_warp(s->target->limits))) lanes /= 2;
  return lanes > 1 ? lanes : 1;
}

// Registers of an item that may hold its elements of a row, where a group has g of them.
static int64_t tn_grid_may_hold(const tn_kernel_state *s, int64_t g) {
  const int64_t own = (tn_machine_registers(s->target->limits) + 1) / 4, share = TN_GRID_HELD_BY_GROUP / g;
  return own < share ? own : share;
}

// Of rows of n elements, shared by g items or more: as many as have them all in registers, if there may be so many.
static tn_grid_part_of_row tn_grid_part_of(tn_kernel_state *s, const tn_profile *p, int64_t n, int64_t g,
                                           const tiny_uop *row) {
  const int64_t words = tn_grid_row_loads(s, p), most = tn_machine_items(s->target->limits);
  tn_grid_part_of_row x = {g, tn_grid_row_lanes(s, p, n, row), TN_GRID_UNROLL, 0};
  int alone = 1;
  x.copies /= x.lanes;
  for (int i = 0; i < p->nreduce; i++) alone &= p->reduce[i]->nsrc == 2;
  while (x.g > tn_machine_warp(s->target->limits) && x.g >= 2 * (n / x.lanes)) x.g /= 2;
  int64_t wider = x.g;
  while ((n + wider - 1) / wider * words > tn_grid_may_hold(s, wider) && 2 * wider <= most &&
         tn_opt_fits(s, 1, 2 * wider))
    wider *= 2;
  const int64_t copies = (n / x.lanes + wider - 1) / wider, held = copies * x.lanes * words;
  if (!alone || p->nreduce + (row != NULL) < 2 || copies > TN_OPT_COPIES || held > tn_grid_may_hold(s, wider)) return x;
  x.g = wider; x.copies = copies; x.held = (int)held;
  return x;
}

// The sums' loops over rows of n elements: lanes, and then shared by items, of `items` if it is not NULL.
static void tn_grid_part_sums(tn_kernel_state *s, const tn_grid_part_of_row *x, int64_t n, const tiny_uop *items) {
  const int count = tn_profile_of(s).nreduce;
  for (int i = 0; i < count && x->lanes > 1; i++) {
    const tn_profile p = tn_profile_of(s);
    tiny_uop *r = i < p.nreduce ? tn_grid_summed(p.reduce[i]) : NULL;
    if (r && tn_range_kind(r) == TN_REDUCE && tn_range_extent(r) == n) tn_grid_try(s, TN_OPT_LANE, r, x->lanes);
  }
  tn_grid_share_sums(s, items, items ? tn_range_extent(items) : x->g);
}

// Items of a row: x->g of them where that wastes little of them.
static tiny_uop *tn_grid_row_items(tn_kernel_state *s, tiny_uop *row, const tn_grid_part_of_row *x, tiny_uop **rest) {
  if (x->lanes > 1) tn_do_split(s, TN_OPT_LANE, row, x->lanes, &row);
  const int64_t n = tn_range_extent(row), wasted = (n + x->g - 1) / x->g * x->g - n;
  if (wasted && 4 * wasted <= n && tn_grid_may_pad(s, row, x->g)) row = tn_do_pad(s, row, x->g);
  return tn_grid_items(s, row, x->g, rest);
}

// The row that a group has: the last loop of the store within which a sum of the kernel stays the same.
static int tn_grid_rows(tn_kernel_state *s, const tn_profile *p) {
  const int64_t most = tn_machine_items(s->target->limits), warp = tn_machine_warp(s->target->limits),
                group = most < TN_GROUP_WARPS * warp ? most : TN_GROUP_WARPS * warp;
  tiny_uop *row = NULL, *rest;
  for (int i = 0; i < p->nout; i++) if (!tn_grid_is_outer(s, p, p->out[i])) row = p->out[i];
  if (!row || p->carried || p->filled || !s->target->limits->shared_nbytes || tn_range_extent(row) < warp) return 0;
  const int64_t n = tn_range_extent(row), g = tn_grid_sharers(s->target, n, group);
  const tn_grid_part_of_row x = tn_grid_part_of(s, p, n, g < warp ? warp : g, row);
  const tiny_uop *item = tn_grid_row_items(s, row, &x, &rest);
  if (item) tn_grid_part_sums(s, &x, n, item);
  tn_grid_spread(s, p, x.held > TN_GRID_HELD ? 1 : tn_grid_dim(s));
  tn_grid_unroll(s, x.copies);
  if (item && rest && tn_axis_of(s, rest) >= 0)
    tn_grid_try(s, TN_OPT_UPCAST, rest, tn_grid_divisor(tn_range_extent(rest), x.copies));
  return 1;
}

// Are all sums of the kernel as long as the first, and none of another?
static int tn_grid_alike(tn_kernel_state *s, const tn_profile *p) {
  const tiny_uop *r = tn_grid_summed(p->reduce[0]);
  for (int i = 1; i < p->nreduce; i++) {
    tiny_uop *u = tn_grid_summed(p->reduce[i]);
    if (tn_range_extent(u) != tn_range_extent(r)) return 0;
    for (int j = 0; j < p->nreduce; j++) if (tn_is_open(s->t, p->reduce[j], u)) return 0;
  }
  return 1;
}

static int tn_grid_sums(tn_kernel_state *s, const tn_profile *p) {
  const int64_t most = tn_machine_items(s->target->limits), warp = tn_machine_warp(s->target->limits),
                group = most < TN_GROUP_WARPS * warp ? most : TN_GROUP_WARPS * warp;
  if (!p->nreduce || !tn_grid_alike(s, p) || p->row || p->carried || p->filled || !s->target->limits->shared_nbytes ||
      most < 2)
    return 0;
  tiny_uop *r = tn_grid_summed(p->reduce[0]), *last = p->nout ? p->out[p->nout - 1] : NULL, *rest;
  const int64_t n = tn_range_extent(r), outputs = tn_extents(p->out, p->nout);
  int together = 0, columns = 0;
  for (int i = 0; i < p->nload; i++) {
    together |= tn_stride_in(s->t, p->load[i]->src[1], r) == 1;
    columns |= last && tn_stride_in(s->t, p->load[i]->src[1], last) == 1;
  }
  const int64_t beside = columns && !together ? tn_range_extent(last) < warp ? tn_range_extent(last) : warp : 1;
  int64_t g = 1, wanted = TN_GRID_BUSY / (outputs < 1 ? 1 : outputs);
  if (together && wanted < tn_grid_sharers(s->target, n, group)) wanted = tn_grid_sharers(s->target, n, group);
  while (2 * g * beside <= group && 2 * g <= wanted && 2 * g * TN_GRID_SUMMED <= n) g *= 2;
  if (g * beside < warp / 4 || g < 2) return 0;
  tn_grid_part_of_row x = {g, 1, TN_GRID_UNROLL, 0};
  if (together && beside == 1) x = tn_grid_part_of(s, p, n, g, NULL);
  const tiny_uop *item = beside > 1 ? tn_grid_items(s, last, beside, &rest) : NULL;
  tn_grid_part_sums(s, &x, n, NULL);
  tn_grid_spread(s, p, x.held > TN_GRID_HELD ? 1 : tn_grid_dim(s));
  if (item) tn_grid_groups(s, rest);
  tn_grid_unroll(s, x.copies);
  return 1;
}

// ** elements **

static int tn_grid_is_turned(tn_kernel_state *s, const tiny_uop *load, const tiny_uop *row, const tiny_uop *last) {
  tiny_uop *element = load->src[1];
  const int64_t step = tn_stride_in(s->t, element, last);
  return tn_stride_in(s->t, element, row) == 1 && step != 0 && step != 1 && step != -1;
}

// The range of the output along which loads lie together that the store spreads; *nbytes: of tiles of them.
static tiny_uop *tn_grid_turned_row(tn_kernel_state *s, const tn_profile *p, const tiny_uop *last, int64_t *nbytes) {
  const int64_t side = TN_GRID_TURNED;
  tiny_uop *row = NULL;
  for (int d = 0; d < p->nout - 1; d++)
    for (int i = 0; i < p->nload && !row; i++)
      if (tn_range_extent(p->out[d]) >= side && tn_grid_is_turned(s, p->load[i], p->out[d], last)) row = p->out[d];
  *nbytes = 0;
  for (int i = 0; row && i < p->nload; i++)
    if (tn_grid_is_turned(s, p->load[i], row, last))
      *nbytes += (side + TN_GRID_NEAR) * side * (int64_t)tn_dtypes[p->load[i]->dtype].nbytes;
  return row;
}

// A load that is turned, copied to memory of the group, both its tile's ranges shared. 0: there is none left.
static int tn_grid_stage_turned(tn_kernel_state *s, tiny_uop *const *tile) {
  const tn_list loads = tn_kernel_collect(s, TINY_OP_LOAD);
  for (int i = 0; i < loads.n; i++) {
    tiny_uop *load = loads.u[i];
    if (load->src[0]->src[0]->op != TINY_OP_PARAM || !tn_grid_is_turned(s, load->src[0], tile[1], tile[0])) continue;
    const int size = tn_dtypes[load->dtype].nbytes;
    tiny_uop **copy = tn_do_stage(s, load, 2, tile, size < 4 ? 4 / size : 1);
    if (!copy) continue;
    tiny_uop *const fresh[2] = {copy[0], copy[1]};
    for (int j = 0; j < 2; j++) tn_do_kind(s, TN_OPT_SHARE, fresh[j]);
    return 1;
  }
  return 0;
}

// The loads of a transpose: tiles of 32 x 32 are copied to memory of the group along what lies together there, and read
// from it along what is stored together. Rows lie a word further apart than they are long: 32 items of a column read
// from 32 banks.
static int tn_grid_transposed(tn_kernel_state *s, const tn_profile *p) {
  const int64_t side = TN_GRID_TURNED, items = side * TN_GRID_TURNED_ROWS;
  tiny_uop *last = p->nout ? p->out[p->nout - 1] : NULL, *rest, *tile[2];
  int64_t nbytes;
  if (p->nout < 2 || p->nreduce || p->carried || p->filled || !p->repeats || tn_range_extent(last) < side ||
      !tn_opt_fits(s, 1, items) || tn_machine_items(s->target->limits) < items ||
      tn_stride_in(s->t, p->store->src[1], last) != 1)
    return 0;
  tiny_uop *row = tn_grid_turned_row(s, p, last, &nbytes), *axes[2] = {last, row};
  if (!row || nbytes > (int64_t)s->target->limits->shared_nbytes) return 0;
  for (int i = 0; i < 2; i++) {
    tile[i] = tn_do_split(s, TN_OPT_SPLIT, tn_do_pad(s, axes[i], side), side, &rest);
    tn_grid_groups(s, rest);
  }
  while (tn_grid_stage_turned(s, tile)) {}
  tn_do_kind(s, TN_OPT_LOCAL, tile[0]);
  tn_do_split(s, TN_OPT_LOCAL, tile[1], TN_GRID_TURNED_ROWS, &rest);
  if (rest) tn_grid_try(s, TN_OPT_UPCAST, rest, tn_range_extent(rest));
  const tn_profile now = tn_profile_of(s);
  for (int i = 0; i < now.nout; i++)
    if (tn_range_kind(now.out[i]) == TN_LOOP && now.out[i] != rest) tn_grid_groups(s, now.out[i]);
  return 1;
}

// Lanes of neighbours that are loaded and stored together.
static void tn_grid_elements(tn_kernel_state *s, tn_profile *p) {
  tiny_uop *last = p->nout ? p->out[p->nout - 1] : NULL;
  const int lanes = tn_target_lanes(s->target, p);
  int together = last && lanes > 1 && !p->nreduce && !p->carried && !p->filled && tn_range_extent(last) % lanes == 0 &&
      tn_range_extent(last) > lanes && tn_stride_in(s->t, p->store->src[1], last) == 1;
  for (int i = 0; i < p->nload && together; i++) {
    const int64_t step = tn_stride_in(s->t, p->load[i]->src[1], last);
    together = step == 0 || step == 1;
  }
  if (together) {
    tn_do_split(s, TN_OPT_LANE, last, lanes, NULL);
    *p = tn_profile_of(s);
  }
  tn_grid_spread(s, p, tn_grid_dim(s));
}

// ** sums that go on with a maximum so far **

// Operand x, over those of the n ranges that it moves with, in memory of the group; all items copy it.
static void tn_grid_stage_operand(tn_kernel_state *s, tiny_uop *x, int n, tiny_uop *const *ranges, int64_t pad) {
  tiny_uop *inner[TN_OPT_AXES], *copy[TN_OPT_AXES];
  int m = 0;
  for (int i = 0; i < n; i++) if (ranges[i] && tn_depends(s->t, x, ranges[i])) inner[m++] = ranges[i];
  tiny_uop **fresh = m ? tn_do_stage(s, x, m, inner, pad) : NULL;
  if (!fresh) return;
  memcpy(copy, fresh, (size_t)m * sizeof *copy);
  for (int i = 0; i < m; i++) tn_do_kind(s, TN_OPT_SHARE, copy[i]);
}

// A load, converted or not, of the kernel that moves with r, and with none of the others; NULL: there is none left.
static tiny_uop *tn_grid_load_along(tn_kernel_state *s, const tiny_uop *r, int n, tiny_uop *const *others) {
  const tn_list loads = tn_kernel_collect(s, TINY_OP_LOAD), casts = tn_kernel_collect(s, TINY_OP_CAST);
  for (int i = 0; i < loads.n; i++) {
    tiny_uop *x = loads.u[i];
    int along = x->src[0]->src[0]->op == TINY_OP_PARAM && tn_depends(s->t, x, r);
    for (int j = 0; j < n && along; j++) along = !others[j] || !tn_depends(s->t, x, others[j]);
    for (int j = 0; j < casts.n && along; j++)
      if (casts.u[j]->src[0] == x && tn_is_float(casts.u[j]->dtype)) return casts.u[j];
    if (along) return x;
  }
  return NULL;
}

// All sums of what the kernel's maximum scales are computed in its loop.
static int tn_grid_online_sums(tn_kernel_state *s, const tn_profile *p, tiny_uop *max) {
  tiny_uop *axes[TN_OPT_AXES];
  int n = 1;
  axes[0] = max->src[1];
  for (int i = 0; i < p->nreduce && n < TN_OPT_AXES; i++)
    if (p->reduce[i] != max && p->reduce[i]->nsrc == 2 && tn_depends(s->t, p->reduce[i]->src[0], max))
      axes[n++] = p->reduce[i]->src[1];
  const tn_opt o = tn_opt_of(s, TN_OPT_ONLINE, n, axes, 0);
  return n > 1 && tn_opt_apply(s, &o);
}

// Two products, one after the other, a block of keys at a time: an item has 4 x 4 scores of it, and of the result 4
// columns of as many rows, or more. What both are of is staged: queries once, keys and values of each block.
static void tn_grid_blocks(tn_kernel_state *s, const tn_online_axes *a, const tn_online_tile *tile) {
  const int64_t few = TN_ONLINE_NEXT;
  tiny_uop *keys = tn_do_pad(s, a->keys, tile->keys), *rows = tn_do_pad(s, a->rows, tile->rows),
           *columns = tn_do_pad(s, a->columns, tile->column_items * tile->copies), *blocks, *copies, *rest, *groups;
  tiny_uop *next = tn_do_split(s, TN_OPT_SPLIT, keys, tile->keys, &blocks);
  tiny_uop *parts = tn_do_split(s, TN_OPT_SPLIT, next, tile->column_items, &next);
  tiny_uop *row = tn_do_split(s, TN_OPT_SPLIT, rows, few, &rest),
           *strip = tile->strips > 1 ? tn_do_split(s, TN_OPT_SPLIT, rest, tile->strips, &rest) : NULL,
           *row_item = tn_do_split(s, TN_OPT_SPLIT, rest, tile->row_items, &groups);
  tiny_uop *item = tn_do_split(s, TN_OPT_SPLIT, columns, tile->column_items, &copies);
  tiny_uop *e = a->score ? a->score->src[1] : NULL, *const scores[6] = {e, next, parts, row_item, strip, row},
           *const values[4] = {next, parts, copies, item};
  const tn_profile p = tn_profile_of(s);
  const int lanes = tn_target_lanes(s->target, &p) >= few;
  for (int side = 0; e && side < 2; side++) {
    tiny_uop *x = tn_grid_load_along(s, e, side ? 2 : 3, scores + (side ? 1 : 3));
    if (x) tn_grid_stage_operand(s, x, 6, scores, side && lanes ? few : 1);
  }
  tiny_uop *x = tn_grid_load_along(s, item, 1, &row);
  if (x && tn_depends(s->t, x, parts)) tn_grid_stage_operand(s, x, 4, values, 0);
  tn_do_kind(s, TN_OPT_LOCAL, row_item);
  item = tn_do_kind(s, TN_OPT_LOCAL, item);
  tn_do_kind(s, lanes ? TN_OPT_LANE : TN_OPT_UPCAST, row);
  if (strip) tn_do_kind(s, TN_OPT_UPCAST, strip);
  if (copies) tn_do_kind(s, TN_OPT_UPCAST, copies);
  tiny_uop *axes[4] = {blocks, parts, tn_do_kind(s, TN_OPT_UNROLL, next), item};
  const tn_opt o = tn_opt_of(s, TN_OPT_BLOCKS, 4, axes, 0);
  tn_do(s, &o);
  if (e) tn_grid_try(s, TN_OPT_UNROLL, e, tn_grid_divisor(tn_range_extent(e), few));
  if (groups) tn_grid_groups(s, groups);
  const tn_profile now = tn_profile_of(s);
  for (int i = 0; i < now.nout; i++) if (tn_range_kind(now.out[i]) == TN_LOOP) tn_grid_groups(s, now.out[i]);
  tn_grid_unroll(s, TN_GRID_UNROLL);
  tn_grid_ahead(s);
}

// Where one of the sums moves with a range of the output that the maximum does not, what is common to both is computed
// once: in the maximum's loop.
static int tn_grid_online(tn_kernel_state *s, tn_profile *p) {
  tn_online_axes a;
  tn_online_tile tile;
  if (p->carried || p->filled || p->nreduce < 3 || p->end->op != TINY_OP_END ||
      !tn_online_axes_of(s->t, s->sink, p->nout, p->out, &a) || !tn_grid_online_sums(s, p, a.max))
    return 0;
  *p = tn_profile_of(s);
  const int has = tn_online_axes_of(s->t, s->sink, p->nout, p->out, &a);
  if (has && tn_grid_units(s, p, &a)) return 1;
  if (has && tn_online_tile_of(s->target->limits, &a, &tile) &&
      tn_opt_fits(s, 1, tile.row_items * tile.column_items))
    tn_grid_blocks(s, &a, &tile);
  else tn_grid_elements(s, p);
  return 1;
}

// ** sums that groups add to memory **

// Into how many parts k of what the kernel sums up is cut: as tn_split_parts has it.
static int64_t tn_grid_sum_parts(tn_kernel_state *s, const tn_profile *p, int64_t k) {
  const tiny_limits *limits = s->target->limits;
  const int64_t outputs = tn_extents(p->out, p->nout), warp = tn_machine_warp(limits), side = TN_SPLIT_TILE;
  const tiny_uop *last = p->nout ? p->out[p->nout - 1] : NULL;
  int64_t reads[2] = {1, 1}, groups = outputs, least = TN_SPLIT_SUMMED;
  tn_contraction c;
  if (tn_contraction_of_kernel(s->t, p, &c))
    for (int d = 0; d < p->nout; d++) for (int i = 0; i < 2; i++)
      if (c.own[i] >> d & 1) reads[i] *= tn_range_extent(p->out[d]);
  for (int i = 0; last && i < p->nload; i++)
    if (tn_stride_in(s->t, p->load[i]->src[1], last) == 1) groups = (outputs + warp - 1) / warp;
  if (reads[0] >= side / 4 && reads[1] >= side / 4) {
    const int64_t others = outputs / (reads[0] * reads[1]);
    least = TN_SPLIT_PRODUCTS;
    groups = (reads[0] + side - 1) / side * ((reads[1] + side - 1) / side) * others;
    const tn_tiled_product x = {reads[0], reads[1], others, k, 0};
    if (2 * groups > tn_machine_units(limits)) return tn_wave_parts(limits, &x, 1);
  }
  const int64_t parts = TN_SPLIT_BUSY * tn_machine_units(limits) / (groups < 1 ? 1 : groups),
                worth = tn_extents(p->red, p->nred) / least;
  return parts < worth ? parts : worth;
}

// The longest loop of a sum is cut into so many parts, 0: as many as keep all units busy; what it has not, it gets.
// Returns 1 if it is.
static int tn_grid_add_parts(tn_kernel_state *s, tn_profile *p, int64_t parts) {
  tiny_uop *longest = NULL;
  for (int i = 0; i < p->nred; i++)
    if (!longest || tn_range_extent(p->red[i]) > tn_range_extent(longest)) longest = p->red[i];
  if (!longest || !tn_opt_may_add(s, p, longest)) return 0;
  const int64_t n = tn_range_extent(longest);
  if (!parts) parts = tn_grid_sum_parts(s, p, n);
  if (parts > TN_SPLIT_PARTS) parts = TN_SPLIT_PARTS;
  if (parts > n) parts = n;
  if (parts < 2) return 0;
  int64_t part = (n + parts - 1) / parts;
  if (part >= TN_SPLIT_TILE) part = (part + TN_GRID_SIDE - 1) / TN_GRID_SIDE * TN_GRID_SIDE;
  if (n % part) longest = tn_do_pad(s, longest, part);
  const tn_opt o = tn_opt_of(s, TN_OPT_ATOMIC, 1, &longest, tn_range_extent(longest) / part);
  const int loop = part > 1 ? s->naxes : o.axis[0],
            adds = tn_range_extent(longest) > part && tn_range_extent(longest) % part == 0 && tn_do(s, &o);
  if (adds) tn_grid_groups(s, s->axis[loop]);
  *p = tn_profile_of(s);
  return adds;
}

static void tn_optimize_grid(tn_kernel_state *s, tn_profile *p) {
  if (p->adds) tn_grid_add_parts(s, p, 0);
  if (!tn_grid_online(s, p) && !tn_grid_nested(s, p) && !tn_grid_products(s, p) && !tn_grid_rows(s, p) &&
      !tn_grid_sums(s, p) && !tn_grid_transposed(s, p))
    tn_grid_elements(s, p);
}
#endif
