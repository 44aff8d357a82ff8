// warp_tiles: the opts of a sum of products that a unit of the target's warps does.
//
// In:  a kernel, the units of a target. Out: the opts for it and 1; 0: no unit fits.
#ifndef TN_CODEGEN_WARP_TILES
#define TN_CODEGEN_WARP_TILES
#ifndef TINY_AMALGAMATED
#include "tensorcore.c"
#endif

// Which side of c the elements of a lane lie along that come first: it is to be stored together.
static int tn_unit_last(const tiny_warp_unit *unit) {
  return unit->layout[2].element[0] == 1 ? 0 : 1;
}

// Does a condition of the sum move with a side? Of what is cut along K one that does not is made by its last part.
static int tn_masks_sides(tiny_ctx *t, const tn_contraction *c, const tiny_uop *rows, const tiny_uop *columns) {
  return c->inside && (tn_depends(t, c->inside, rows) || tn_depends(t, c->inside, columns));
}

// The axes of the kernel for a unit's rows and columns; NULL: it does not fit.
static const tiny_warp_unit *tn_warp_find(tn_kernel_state *s, const tn_profile *p, tiny_uop **axis, int *number) {
  tn_contraction fact;
  tn_unit_plan plan;
  int n = 0;
  const tiny_warp_unit *units = tn_target_units(s->target, &n);
  if (!n || !(p->repeats || p->adds) || p->row || p->carried || p->filled ||
      !tn_contraction_of_kernel(s->t, p, &fact) || (fact.inside && !p->adds) || fact.sum->k != TINY_OP_ADD ||
      fact.product->op != TINY_OP_MUL)
    return NULL;
  tiny_uop *r[2] = {tn_core_range(p, &fact, 0), tn_core_range(p, &fact, 1)}, *k = NULL;
  if (!r[0] || !r[1] || tn_masks_sides(s->t, &fact, r[0], r[1])) return NULL;
  for (int i = 0; i < p->nred; i++) if (!k || tn_range_extent(p->red[i]) > tn_range_extent(k)) k = p->red[i];
  const int last = tn_stride_in(s->t, p->store->src[1], r[0]) == 1 ? 0 : 1;
  for (int i = 0; i < n && k; i++) {
    const tiny_warp_unit *unit = &units[i];
    const int first = tn_unit_last(unit) == last ? 0 : 1;    // the operand that is a
    if (!tn_unit_source(s, unit, fact.operand[first], unit->a) ||
        !tn_unit_source(s, unit, fact.operand[!first], unit->b) || fact.sum->dtype != unit->c ||
        !tn_unit_plan_of(unit, &plan) || tn_range_extent(r[first]) < unit->m ||
        tn_range_extent(r[!first]) < unit->n || tn_range_extent(k) < tn_unit_k(&plan))
      continue;
    axis[0] = r[first]; axis[1] = r[!first]; axis[2] = k;
    *number = i;
    return unit;
  }
  return NULL;
}

// Bytes that lie apart along k are loaded one by one: 16 for a piece. Large tiles would leave them no registers.
static int tn_warp_loads_bytes(tn_kernel_state *s, const tn_profile *p, const tiny_uop *k) {
  for (int i = 0; i < p->nload; i++)
    if (tn_dtypes[p->load[i]->dtype].nbytes == 1 && tn_depends(s->t, p->load[i]->src[1], k) &&
        tn_stride_in(s->t, p->load[i]->src[1], k) != 1)
      return 1;
  return 0;
}

// May operands be boxes: do rows of both begin at multiples of 16 bytes, whichever way they lie?
static int tn_warp_has_boxes(tn_kernel_state *s, const tn_profile *p, tiny_uop *const *axis,
                             const tiny_warp_unit *unit) {
  const tn_list loads = {p->load, p->nload, p->nload};
  const int64_t v = TN_UNIT_PIECE / tn_dtypes[unit->a].nbytes;
  int boxes = tn_target_copies_boxes(s->target) && tn_unit_is_large(s->target->limits, unit);
  for (int i = 0; i < 3; i++) boxes = boxes && tn_unit_width(s->t, &loads, axis[i], v) == v;
  return boxes;
}

static tn_warp_shape tn_warp_sizes(tn_kernel_state *s, const tn_profile *p, tiny_uop *const *axis,
                                   const tiny_warp_unit *unit, int boxes) {
  int64_t others = 1;
  tiny_limits limits = *s->target->limits;
  if (!tn_unit_is_large(&limits, unit)) limits.unit_tiles = limits.unit_rows = 0;
  for (int i = 0; i < p->nout; i++)
    if (p->out[i] != axis[0] && p->out[i] != axis[1]) others = tn_clamp_mul(others, tn_range_extent(p->out[i]));
  return tn_warp_shape_of(&limits, tn_range_extent(axis[0]), tn_range_extent(axis[1]), others,
                          !tn_warp_loads_bytes(s, p, axis[2]), boxes);
}

// May all of it be done? What opts refuse is not known before: axes that may not be padded, memory.
static int tn_warp_fits(tn_kernel_state *s, const tn_profile *p, tiny_uop *const *axis, const tn_warp_shape *shape,
                        const tiny_warp_unit *unit) {
  const int64_t items = shape->warps[0] * shape->warps[1] * unit->warp;
  tn_unit_plan plan;
  if (!tn_unit_plan_of(unit, &plan) || !tn_opt_fits(s, 1, items) || items > tn_opt_most_items(s)) return 0;
  for (int i = 0; i < 3; i++) {
    const int64_t m = i < 2 ? shape->warps[i] * shape->side[i] : tn_unit_k(&plan);
    if (tn_range_extent(axis[i]) % m && !tn_opt_may_pad(s, p, axis[i], m)) return 0;
  }
  const int64_t rows = shape->warps[0] * shape->side[0] + shape->warps[1] * shape->side[1];
  return TN_UNIT_QUARTERS * (rows * TN_UNIT_PIECE + TN_UNIT_PADS) <= (int64_t)s->target->limits->shared_nbytes;
}

// 1: the kernel's sum is done by a unit of warps.
static int tn_warp_tiled(tn_kernel_state *s, const tn_profile *p) {
  tiny_uop *axis[3], *part[4];
  int number = 0;
  tn_unit_plan plan;
  const tiny_warp_unit *unit = tn_warp_find(s, p, axis, &number);
  if (!unit) return 0;
  const int boxes = tn_warp_has_boxes(s, p, axis, unit);
  const tn_warp_shape shape = tn_warp_sizes(s, p, axis, unit, boxes);
  if (!tn_warp_fits(s, p, axis, &shape, unit) || !tn_unit_plan_of(unit, &plan)) return 0;
  const int64_t k = tn_unit_k(&plan);
  tn_do_pad(s, axis[2], boxes && tn_opt_may_pad(s, p, axis[2], 2 * k) ? 2 * k : k);
  for (int i = 0; i < 2; i++) {
    const int64_t all = shape.warps[i] * shape.side[i];
    tiny_uop *block = tn_do_split(s, TN_OPT_SPLIT, tn_do_pad(s, axis[i], all), all, NULL);
    part[2 * i + 1] = tn_do_split(s, TN_OPT_SPLIT, block, shape.side[i], &part[2 * i]);
  }
  tn_opt o = tn_opt_of(s, TN_OPT_WMMA, 4, part, 0);
  o.number = (int16_t)number;
  tn_do(s, &o);
  return 1;
}

// ** products within a sum **

// Columns or keys of a warp: of n, as many as there are, or equal parts for groups, that compute the values anew.
static int64_t tn_warp_nested_side(int64_t n, int64_t warps, int64_t most, int64_t size) {
  const int64_t parts = (n + warps * most - 1) / (warps * most), each = (n + warps * parts - 1) / (warps * parts);
  int64_t side = most;
  while (side / 2 >= size && side / 2 * warps >= n) side /= 2;
  return parts > 1 ? (each + 2 * size - 1) / (2 * size) * (2 * size) : side;
}

// May r be padded to a multiple of m, if it is none?
static int tn_warp_may_pad(tn_kernel_state *s, const tiny_uop *r, int64_t m) {
  const tn_profile p = tn_profile_of(s);
  return tn_range_extent(r) % m == 0 || tn_opt_may_pad(s, &p, r, m);
}

// Axes padded and split, and WMMA. 0: it does not fit; the kernel is no longer what it was.
static int tn_warp_nested_try(tn_kernel_state *s, const tn_nested *a, const tn_warp_nested_tile *tile,
                              const tiny_warp_unit *unit, int number) {
  tn_unit_plan plan;
  tiny_uop *axis[2] = {a->rows, a->columns ? a->columns : a->keys}, *part[4] = {NULL};
  const int warps[2] = {tile->warps, tile->across};
  const int64_t side[2] = {tile->rows, tn_warp_nested_side(tn_range_extent(axis[1]), tile->across, tile->columns,
                                                           unit->n)};
  if (!tn_unit_plan_of(unit, &plan)) return 0;
  int may = !a->columns || tn_warp_may_pad(s, a->keys, tn_unit_k(&plan));
  for (int i = 0; i < a->nproduct; i++) may &= tn_warp_may_pad(s, a->product[i]->src[1], tn_unit_k(&plan));
  for (int i = 0; i < 2; i++) may &= tn_warp_may_pad(s, axis[i], warps[i] * side[i]);
  if (!may) return 0;
  for (int i = 0; i < a->nproduct; i++) tn_do_pad(s, a->product[i]->src[1], tn_unit_k(&plan));
  if (a->columns) tn_do_pad(s, a->keys, tn_unit_k(&plan));
  for (int i = 0; i < 2; i++) {
    tiny_uop *block = tn_do_split(s, TN_OPT_SPLIT, tn_do_pad(s, axis[i], warps[i] * side[i]), warps[i] * side[i], NULL);
    part[2 * i + 1] = tn_do_split(s, TN_OPT_SPLIT, block, side[i], &part[2 * i]);
  }
  tn_opt o = tn_opt_of(s, TN_OPT_WMMA, 4, part, 0);
  o.number = (int16_t)number;
  return tn_opt_apply(s, &o);
}

// The kernel as such a sum; online: one that goes on with a maximum, whose axes those are.
static int tn_warp_nested_find(tn_kernel_state *s, const tn_profile *p, const tn_online_axes *online, tn_nested *a) {
  if (!online) return tn_nested_of(s->t, s->sink, p->nout, p->out, a);
  if (!tn_nested_online(s->t, s->sink, online->columns, a)) return 0;
  a->rows = online->rows;
  a->columns = online->columns;
  return 1;
}

// The first tile that is tried, TN_NESTED_TILES: none. Lanes that hold eight elements of a tile, of values whose
// exponentials are all under way, want more registers than there are (clang for gfx1100: 31 to 96 of 256 spilled).
static int tn_warp_nested_first(const tiny_limits *limits, const tiny_warp_unit *unit, const tn_nested *a) {
  if (!tn_unit_nests(limits, unit, a->dtype)) return TN_NESTED_TILES;
  return !a->max && (a->nproduct > 1 || !a->columns) && unit->m * unit->n / unit->warp > 4;
}

// 1: a sum of what sums of products are made of is done by a unit of warps.
static int tn_warp_nested(tn_kernel_state *s, const tn_profile *p, const tn_online_axes *online) {
  tn_nested a;
  int n = 0;
  const tiny_warp_unit *units = tn_target_units(s->target, &n);
  if (p->nreduce < 2 || p->carried || p->filled || !n || !tn_warp_nested_find(s, p, online, &a)) return 0;
  const tiny_limits *limits = s->target->limits;
  tn_kernel_state *before = (tn_kernel_state *)tn_scratch(s->t, sizeof *before);
  const int64_t serial = s->t->ir->serial;
  *before = *s;
  for (int j = 0; j < 2 * n * TN_NESTED_TILES; j++) {        // of all units' tiles those that spill come last
    const int roomy = j < n * TN_NESTED_TILES, i = j / TN_NESTED_TILES % n, k = j % TN_NESTED_TILES;
    const tn_warp_nested_tile *tile = tn_nested_tile(limits, &a, k);
    if (k < tn_warp_nested_first(limits, &units[i], &a) || !tn_nested_fits(limits, &units[i], &a, tile) ||
        tn_nested_is_roomy(limits, &units[i], &a, tile) != roomy)
      continue;
    if (tn_warp_nested_try(s, &a, tile, &units[i], i)) return 1;
    *s = *before;
    s->t->ir->serial = serial;
  }
  return 0;
}
#endif
