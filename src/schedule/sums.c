// sums: reductions of a graph as they are computed best: long ones in parts, operands of contractions laid out anew.
//
// In:  a REDUCE, its sources done, and what the device is made of. Out: a node with the same value, of more nodes:
//      parts of a long reduction to few values, for the tasks of all threads or the units of a grid (split-K of a
//      product); a contiguous copy of an operand that lies across the summed axes (the transposed one of a matmul); an
//      operand in panels (weights of a convolution), where the other one's rows are too short for lanes.
// Holds: how a sum is cut depends on its shape and, where groups share it, on the device; not on the number of threads.
#ifndef TN_SCHEDULE_SUMS
#define TN_SCHEDULE_SUMS
#ifndef TINY_AMALGAMATED
#include "graph.c"
#endif

enum {
  TN_SPLIT_NELEM = 1 << 18, TN_SPLIT_LEAST = 8, TN_SPLIT_PARTS = 256,      // of a reduction that is cut; its parts
  TN_SPLIT_COLUMNS = 256, TN_SPLIT_TILES = 4, TN_SPLIT_SUMMED = 1 << 12,     // of long columns
  TN_SPLIT_BUSY = 2, TN_SPLIT_TILE = 64,   // groups that keep a unit busy; side of a tile of products
  TN_SPLIT_PRODUCTS = 256,                 // summed in a part of a tile at least
  TN_SPLIT_LOOKED = 64,                    // nodes of what is summed that are looked at
  TN_WAVE_PARTS = 8, TN_WAVE_WORK = 1 << 28,                   // of tiles that keep all units busy; products in all
  TN_CONTIGUOUS_LEAST = 64,                // elements of a step across rows, and of what is summed,
  TN_CONTIGUOUS_READS = 128,               // reads of each, from which a contiguous copy pays
  TN_PANEL_VECTORS = 2, TN_PANEL_REDUCED = 64                // of a block at most; elements summed at least
};

// Are the outputs u of a reduction of x too few to be shared by threads? Columns lie together, and many are read at
// once.
static int tn_splits(const tiny_uop *u, const tiny_uop *x) {
  const int64_t outputs = tn_nelem(u), last = x->ndim ? x->dim[x->ndim - 1] : 1;
  const int columns = x->ndim && !(u->k >> (8 + x->ndim - 1) & 1);
  if (tn_nelem(x) < TN_SPLIT_NELEM) return 0;
  return outputs < TN_TASKS_LEAST || (columns && tn_nelem(x) / outputs >= TN_SPLIT_SUMMED &&
      outputs / last * ((last + TN_SPLIT_COLUMNS - 1) / TN_SPLIT_COLUMNS) < TN_SPLIT_TILES);
}

// Groups of a grid that share a reduction of x to u, and of what is summed to an output so much that a part is worth it
// (*least): tiles of a product, a warp's columns, or rows.
static int64_t tn_groups_of_sum(const tiny_limits *limits, const tiny_uop *u, const tiny_uop *x, int64_t *least) {
  tn_contraction c;
  const int64_t outputs = tn_nelem(u), warp = tn_machine_warp(limits);
  if (tn_contraction_of(u, &c)) {
    const int64_t m = tn_contraction_reads(&c, 1), n = tn_contraction_reads(&c, 0), side = TN_SPLIT_TILE;
    *least = TN_SPLIT_PRODUCTS;
    if (m >= side / 4 && n >= side / 4) return (m + side - 1) / side * ((n + side - 1) / side) * (outputs / (m * n));
  }
  const int columns = x->ndim && !(u->k >> (8 + x->ndim - 1) & 1) && x->dim[x->ndim - 1] >= warp;
  *least = TN_SPLIT_SUMMED;
  return columns ? (outputs + warp - 1) / warp : outputs;
}

// Is it what a softmax weighs, which is summed in one kernel with the softmax (online.c)?
static int tn_is_weighed(const tiny_uop *x) {
  return x->op == TINY_OP_MUL && (tn_is_exponential(x->src[0]) || tn_is_exponential(x->src[1]));
}

// Is x made of products that kernels compute again where they want them (recompute.c)? Those of many nodes may be.
static int tn_is_of_thin_products(tiny_ctx *t, const tiny_limits *limits, tiny_uop *x) {
  tn_list todo = {NULL, 0, 0};
  tn_push(t, &todo, x);
  for (int i = 0; i < todo.n; i++) {
    const tiny_uop *u = todo.u[i];
    if (i == TN_SPLIT_LOOKED || (u->op == TINY_OP_REDUCE && tn_is_thin_product(limits, u))) return 1;
    if (tn_is_leaf(u) || !(tn_is_passing(u) || u->op == TINY_OP_CAST || tn_op_is(u->op, TINY_ALU))) continue;
    for (uint32_t j = 0; j < (tn_is_passing(u) ? 1 : u->nsrc); j++) tn_push(t, &todo, u->src[j]);
  }
  return 0;
}

// May groups add what each has of a sum to one element, in any order?
static int tn_sum_is_added(const tiny_limits *limits, const tiny_uop *u) {
  const tiny_uop *x = u->src[0];
  return tn_machine_units(limits) && (u->k & 0xFF) == TINY_OP_ADD && (limits->atomics >> u->dtype & 1) && !u->extent &&
      !x->extent;
}

// Tiles run in waves, one tile a unit; the last wave leaves units idle. Of tiles whose K is cut into parts waves are
// shorter and more, and the last one matters less (fixed-split; Osama et al. 2023, "Stream-K", section 4). How many
// parts of k end soonest: 1, where that is not by a twentieth.
static int64_t tn_wave_parts(const tiny_limits *limits, const tn_tiled_product *x, int adds) {
  int64_t best = 1;
  double least = tn_cut_product_cost(limits, x, 1, adds) / 1.05;
  if (tn_clamp_mul(tn_clamp_mul(x->rows * x->columns, x->others), x->k) < TN_WAVE_WORK) return 1;
  for (int64_t parts = 2; parts <= TN_WAVE_PARTS && x->k / parts >= TN_SPLIT_PRODUCTS; parts++) {
    const double cost = tn_cut_product_cost(limits, x, parts, adds);
    if (cost >= least) continue;
    least = cost;
    best = parts;
  }
  return best;
}

// Bytes of an element of both operands, where a unit of warps multiplies them; 0: none does.
static int tn_unit_nbytes(const tiny_limits *limits, const tiny_uop *u, const tn_contraction *c) {
  int dtype[2];
  for (int i = 0; i < 2; i++) {
    const tiny_uop *x = c->operand[i];
    while ((tn_op_is(x->op, TINY_MOVEMENT) || x->op == TINY_OP_WHOLE) && !tn_is_leaf(x)) x = x->src[0];
    dtype[i] = x->op == TINY_OP_CAST ? x->src[0]->dtype : x->dtype;
  }
  for (int i = 0; i < limits->nunits; i++) {
    const tiny_warp_unit *unit = &limits->units[i];
    if (unit->a == dtype[0] && unit->b == dtype[1] && unit->c == u->dtype && (!tn_unit_is_tf32(unit) || limits->tf32))
      return tn_dtypes[unit->a].nbytes;
  }
  return 0;
}

// The same of a product whose groups are many.
static int64_t tn_wave_parts_of(tiny_ctx *t, const tiny_limits *limits, const tiny_uop *u) {
  tn_contraction c;
  if (!tn_contraction_of(u, &c) || c.product->op != TINY_OP_MUL || u->extent || u->src[0]->extent) return 1;
  tn_tiled_product x = {tn_contraction_reads(&c, 1), tn_contraction_reads(&c, 0), 1, tn_nelem(u->src[0]) / tn_nelem(u),
                  tn_unit_nbytes(limits, u, &c)};
  if (x.rows < TN_SPLIT_TILE / 4 || x.columns < TN_SPLIT_TILE / 4) return 1;
  x.others = tn_nelem(u) / (x.rows * x.columns);
  const int64_t parts = tn_wave_parts(limits, &x, tn_sum_is_added(limits, u));
  return parts > 1 && tn_is_of_thin_products(t, limits, u->src[0]) ? 1 : parts;
}

// Into how many parts a reduction of x to u is cut, at most, so that all threads have some, or all units of a grid.
static int64_t tn_split_parts(tiny_ctx *t, const tiny_limits *limits, const tiny_uop *u, const tiny_uop *x) {
  int64_t parts = TN_SPLIT_PARTS, least;
  if (x->ndim == TINY_MAX_DIMS || !tn_nelem(x)) return 1;
  if (!tn_machine_units(limits)) return tn_splits(u, x) ? parts : 1;
  const int64_t groups = tn_groups_of_sum(limits, u, x, &least), wanted = TN_SPLIT_BUSY * tn_machine_units(limits),
                summed = tn_nelem(x) / tn_nelem(u);
  if (tn_is_weighed(x)) return 1;
  if (2 * groups > tn_machine_units(limits)) return tn_wave_parts_of(t, limits, u);     // busy as it is
  if (parts > wanted / groups) parts = wanted / groups;
  return parts > summed / least ? summed / least : parts;
}

// Axis `axis` of what is summed, and zeros behind it; those of a product behind both operands, which groups copy to
// memory of their own: nothing is asked where they multiply.
static tiny_uop *tn_sum_extended(tiny_ctx *t, tiny_uop *x, int axis, int64_t more) {
  if (x->op != TINY_OP_MUL) return tn_extend(t, x, axis, 0, more);
  tiny_uop *operand[2];
  for (int i = 0; i < 2; i++) operand[i] = tn_extend(t, x->src[i], axis, 0, more);
  return tn_mul(t, operand[0], operand[1]);
}

// The axis of x to cut into `most` parts, and into how many (*parts, 0: none). Its extent is theirs, or becomes so
// where groups share the sum and divisors leave an eighth of them idle. Zeros add nothing.
static int tn_split_axis(const tiny_limits *limits, const tiny_uop *u, const tiny_uop *x, int64_t most, int64_t *parts,
                         int64_t *more) {
  int axis = -1, longest = -1;
  *parts = 1; *more = 0;
  for (int i = 0; i < x->ndim; i++) if (u->k >> (8 + i) & 1) {
    if (longest < 0 || x->dim[i] > x->dim[longest]) longest = i;
    for (int64_t p = most; p > *parts; p--) if (x->dim[i] % p == 0) { *parts = p; axis = i; }
  }
  if (!tn_machine_units(limits) || (u->k & 0xFF) != TINY_OP_ADD || longest < 0 || 8 * *parts >= 7 * most ||
      x->extent || x->dim[longest] < most * TN_TILE_SIDE)
    return axis;
  const int64_t n = x->dim[longest], part = tn_tiles(tn_tiles(n, most), TN_TILE_SIDE) * TN_TILE_SIDE;
  *parts = tn_tiles(n, part);
  *more = *parts * part - n;
  return longest;
}

// A long reduction to few values, as parts that run in parallel and a reduction of those. The number of parts depends
// on the shape and the device alone.
static tiny_uop *tn_split_reduce(tiny_ctx *t, const tiny_limits *limits, tiny_uop *u) {
  tiny_uop *x = u->src[0];
  int64_t dim[TINY_MAX_DIMS], to[TINY_MAX_DIMS], parts = 1, more = 0;
  const int64_t most = tn_split_parts(t, limits, u, x);
  if (most > 1 && tn_sum_is_added(limits, u)) return tn_u1(t, TINY_OP_CONTIGUOUS, u);      // atomics.c
  const int axis = tn_split_axis(limits, u, x, most, &parts, &more);
  if (parts < 2 || (!tn_machine_units(limits) && parts < TN_SPLIT_LEAST)) return u;
  if (more) x = tn_sum_extended(t, x, axis, more);
  if (tn_bad(t, x)) return u;
  for (int i = 0, n = 0; i < x->ndim; i++) {
    if (i == axis) dim[n++] = parts;
    dim[n++] = i == axis ? x->dim[i] / parts : x->dim[i];
  }
  to[0] = axis;
  for (int i = 1; i <= x->ndim; i++) to[i] = i <= axis ? i - 1 : i;
  const int64_t op = u->k & 0xFF, axes = u->k >> 8, low = axes & (((int64_t)1 << axis) - 1),
                high = axes >> axis << (axis + 1);
  tiny_uop *wide = tn_reshape(t, x, x->ndim + 1, dim);
  tiny_uop *part = tn_uop_make(t, TINY_OP_REDUCE, u->dtype, 1, 1, &wide, op | (low | high) << 8, 0, NULL);
  tiny_uop *kept = tn_u1(t, TINY_OP_CONTIGUOUS, tn_permute(t, part, to));    // each part as the whole lies
  tiny_uop *whole = tn_uop_make(t, TINY_OP_REDUCE, u->dtype, 1, 1, &kept, op | (int64_t)1 << 8, 0, NULL);
  return tn_reshape(t, whole, u->ndim, u->dim);
}

// x with the summed axes made the fastest in memory, by a copy without the dims along which x repeats itself.
static tiny_uop *tn_made_contiguous(tiny_ctx *t, tiny_uop *x, const tiny_view *v, int64_t axes) {
  tiny_uop *once = x;
  int64_t to[TINY_MAX_DIMS];
  int n = 0;
  const tiny_uop *whole = x->op == TINY_OP_EXPAND ? x->src[0] : x;
  if (whole->op == TINY_OP_WHOLE) {        // zeros go behind a length where the copy is read
    once = tn_expand(t, tn_first_of(t, whole->src[0], (int)whole->k, whole->src[1]), x->ndim, x->dim);
    return tn_whole(t, tn_made_contiguous(t, once, v, axes), (int)whole->k, whole->src[1], whole->v[0]);
  }
  for (int summed = 0; summed < 2; summed++)
    for (int i = 0; i < x->ndim; i++) if ((axes >> i & 1) == summed) to[n++] = i;
  for (int i = 0; i < n; i++) if (!v->stride[i] && x->dim[i] > 1) once = tn_cut(t, once, i, 0, 1);
  once = tn_u1(t, TINY_OP_CONTIGUOUS, tn_permute(t, once, to));
  return tn_expand(t, tn_permute_back(t, once, n, to), x->ndim, x->dim);
}

// Are the axes summed one after the other in steps of an operand's that go across its rows?
static int tn_sums_across(const tiny_uop *x, const tiny_view *v, int64_t axes) {
  int64_t n = 1;
  for (int i = 0; i < x->ndim; i++) {
    if (!(axes >> i & 1) || x->dim[i] == 1) continue;
    if (v->stride[i] < TN_CONTIGUOUS_LEAST) return 0;
    n *= x->dim[i];
  }
  return n >= TN_CONTIGUOUS_LEAST;
}

// A sum of products reads its rows along the summed axes. Where those lie across it (the transposed operand of a
// matmul) and each is read many times, a contiguous copy costs little beside the cache lines it saves.
static tiny_uop *tn_contiguous_operands(tiny_ctx *t, tiny_uop *u) {
  tiny_uop *x = u->src[0], *operand[2];
  tn_contraction c;
  int last = x->ndim - 1, changed = 0;
  if (!tn_contraction_of(u, &c) || !c.laid[0] || !c.laid[1]) return u;
  while (last >= 0 && (c.k >> last & 1 || x->dim[last] == 1)) last--;
  if (last < 0) return u;
  for (int i = 0; i < 2; i++) {
    const tiny_view *own = &c.view[i];
    int across = 0;
    operand[i] = c.operand[i];
    for (int d = 0; d < x->ndim; d++) across |= (c.own[i] >> d & 1) && own->stride[d] == 1;
    if (!across || own->stride[last] || tn_contraction_reads(&c, i) < TN_CONTIGUOUS_READS ||
        !tn_sums_across(x, own, (int64_t)c.k))
      continue;
    operand[i] = tn_made_contiguous(t, operand[i], own, (int64_t)c.k);
    changed = 1;
  }
  if (!changed) return u;
  tiny_uop *product = tn_uop_with(t, x, operand);
  return tn_uop_with(t, u, &product);
}

// The greatest block of at most TN_PANEL_VECTORS that covers n; 0: none of a vector's size does.
static int64_t tn_panel_of(int64_t n, int64_t lanes) {
  int64_t f = TN_PANEL_VECTORS * lanes;
  while (f >= lanes && n % f) f /= 2;
  return f >= lanes ? f : 0;
}

// What is computed when the last kept axes of a sum's operand x become lanes, for what is wanted: 1 at best.
static double tn_lanes_waste(const tiny_uop *x, int64_t axes, int64_t most) {
  tiny_view v;
  int last = x->ndim - 1;
  while (last >= 0 && (axes >> last & 1 || x->dim[last] == 1)) last--;
  if (last < 0) return 1;
  int64_t n = x->dim[last];
  if (tn_strides_of(x, &v) && v.stride[last] == 1)
    for (int i = last - 1; i >= 0 && !(axes >> i & 1) && (x->dim[i] == 1 || v.stride[i] == n); i--) n *= x->dim[i];
  int64_t lanes = most;
  while (lanes > n) lanes /= 2;            // of a vector, the others are not used
  const int apart = tn_strides_from(x, TINY_OP_PAD, &v) && v.stride[last] > 1 && v.stride[last] <= TN_DEINTERLEAVE;
  return (double)((n + lanes - 1) / lanes * most) / (double)n * (apart ? TN_PANEL_APART : 1);
}

// A sum of products whose kept rows are too short for lanes, such as a convolution over a small image, gets them along
// an axis of the other operand (output channels). That operand is copied into panels: blocks of the axis, fastest.
static tiny_uop *tn_panel_rows(tiny_ctx *t, const tiny_limits *limits, tiny_uop *u) {
  tiny_uop *x = u->src[0], *operand[2];
  tn_contraction c;
  const int64_t axes = u->k >> 8, lanes = tn_machine_lanes(limits, tn_dtypes[u->dtype].nbytes);
  if (x->ndim == TINY_MAX_DIMS || !tn_contraction_of(u, &c)) return u;
  for (int i = 0; i < 2; i++) {
    tiny_uop *once = c.operand[i], *other = c.operand[!i], *memory;
    if (other->op != TINY_OP_EXPAND || once->op != TINY_OP_EXPAND) continue;
    memory = once = once->src[0];
    while (tn_op_is(memory->op, TINY_MOVEMENT) && !tn_is_leaf(memory)) memory = memory->src[0];
    int axis = -1;
    int64_t summed = 1, dim[TINY_MAX_DIMS];
    for (int d = 0; d < x->ndim; d++) {
      if (axes >> d & 1) summed *= x->dim[d];
      else if ((c.own[i] >> d & 1) && other->src[0]->dim[d] == 1 && tn_panel_of(x->dim[d], lanes))
        axis = axis < 0 ? d : x->ndim;
    }
    if (axis < 0 || axis == x->ndim || (c.laid[i] && c.view[i].stride[axis] == 1) || summed < TN_PANEL_REDUCED ||
        tn_nelem(once) > 2 * tn_nelem(memory) ||               // windows that overlap
        (double)tn_contraction_reads(&c, i) * (tn_lanes_waste(other, axes, lanes) - TN_PANEL_WASTE) <
            (double)TN_PANEL_COST)
      continue;
    const int64_t block = tn_panel_of(x->dim[axis], lanes), low = axes & (((int64_t)1 << axis) - 1);
    for (int d = 0; d <= x->ndim; d++)
      dim[d] = d < axis ? x->dim[d] : d == axis ? x->dim[d] / block : d == axis + 1 ? block : x->dim[d - 1];
    once = tn_split(t, once, axis, dim[axis], block);
    int64_t to[TINY_MAX_DIMS], back[TINY_MAX_DIMS];
    for (int d = 0; d <= x->ndim; d++) to[d] = d == x->ndim ? axis + 1 : d > axis ? d + 1 : d;
    for (int d = 0; d <= x->ndim; d++) back[to[d]] = d;
    once = tn_permute(t, tn_u1(t, TINY_OP_CONTIGUOUS, tn_permute(t, once, to)), back);
    operand[i] = tn_expand(t, once, x->ndim + 1, dim);
    operand[!i] = tn_expand(t, tn_split(t, other->src[0], axis, 1, 1), x->ndim + 1, dim);
    tiny_uop *product = tn_mul(t, operand[0], operand[1]);
    if (tn_bad(t, product)) return u;
    return tn_reshape(t, tn_uop_make(t, TINY_OP_REDUCE, u->dtype, 1, 1, &product,
                                     (int64_t)TINY_OP_ADD | (low | (axes >> axis) << (axis + 1)) << 8, 0, NULL),
                      u->ndim, u->dim);
  }
  return u;
}

// REDUCE u as it will be computed. Groups copy what they read of operands to memory of their own, however it lies.
static tiny_uop *tn_sum_rewritten(tiny_ctx *t, const tiny_limits *limits, tiny_uop *u) {
  if (!tn_machine_units(limits)) u = tn_panel_rows(t, limits, tn_contiguous_operands(t, u));
  return u->op == TINY_OP_REDUCE ? tn_split_reduce(t, limits, u) : u;
}
#endif
