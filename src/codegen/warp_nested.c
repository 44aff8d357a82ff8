// warp_nested: a sum of what sums of products are made of, all products by the matrix units of warps.
//
//   for each group                        rows: those of its warps
//     copy the rows' operands               to memory of the group, all that the inner products go along
//     for each block of keys
//       copy the keys' operands, the factor
//       s = a @ b                           for each inner product, tiles of rows and keys in registers
//       with a factor: copy value(s)        from registers, as narrow numbers, to memory of the group
//         c += value @ factor
//       without: c = reduce(c, value(s))    each lane of its own elements, in the end lanes of theirs
// In:    a kernel that is such a sum (rules/nested.c); axes of warps and of what each has of rows, and of columns or, for
//        a sum without a factor, of keys.
// Out:   values lie in registers as the unit's layout of c has them, whichever product they are made of; in memory as
//        pieces of an operand (warp_matrix.c).
// Holds: a value is rounded to what the factor is; no value of a row is asked for that has no place in a tile.
#ifndef TN_CODEGEN_WARP_NESTED
#define TN_CODEGEN_WARP_NESTED
#ifndef TINY_AMALGAMATED
#include "warp_matrix.c"
#include "../rules/nested.c"
#endif

// The operands of an inner product, a that of rows, and what they are summed along. 0: it is none for these axes.
static int tn_warp_product(tn_kernel_state *s, const tiny_uop *product, tn_warp_tiles *d) {
  tiny_ctx *t = s->t;
  tiny_uop *inside;
  const tiny_uop *x = tn_nested_terms(product, &inside);
  if (!x || x->src[0]->src[0]->dtype != d->plan.unit->a || x->src[1]->src[0]->dtype != d->plan.unit->b) return 0;
  const int first = !tn_depends(t, x->src[0], d->axis[0][1]);
  for (int i = 0; i < TN_UNIT_SIDES; i++) {
    tiny_uop *y = x->src[i ^ first]->src[0];
    for (int j = 0; j < 2; j++) if (d->axis[!i][j] && tn_depends(t, y, d->axis[!i][j])) return 0;
    if (inside) y = tn_u3(t, TINY_OP_WHERE, inside, y, tn_const(t, y->dtype, tn_dtype_value(y->dtype, 0)));
    d->operand[i] = tn_bitcast(t, y, TINY_U16);
  }
  d->k = product->src[1];
  d->quarters = tn_range_extent(d->k) / d->plan.values;
  return tn_range_extent(d->k) % d->plan.values == 0 && d->quarters % tn_unit_quarters(&d->plan) == 0;
}

// x, which is made of the products, with elements of registers for them and places of a unit's tiles for rows and keys.
// NULL: a product is none for the unit.
static tiny_uop *tn_warp_values(tn_kernel_state *s, tn_warp_tiles *d, tiny_uop *x, int64_t items) {
  tiny_ctx *t = s->t;
  tn_list products = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0}, none = {NULL, 0, 0};
  tn_collect_op(t, x, TINY_OP_REDUCE, &products);
  for (int i = 0; i < products.n; i++) {
    tn_warp_tiles one = *d;
    if (!tn_warp_product(s, products.u[i], &one)) return NULL;
    for (int side = 0; side < TN_UNIT_SIDES; side++) one.stage[side] = tn_unit_stage(t, &one, side, items);
    tn_push(t, &from, products.u[i]);
    tn_push(t, &to, tn_core_load(t, tn_unit_registers(t, &one, &none), tn_unit_register(t, &one), 1));
  }
  for (int i = 0; i < TN_UNIT_SIDES; i++) for (int j = 0; j < 2; j++) if (d->axis[i][j]) {
    tn_push(t, &from, d->axis[i][j]);
    tn_push(t, &to, j ? tn_unit_place(t, d, i) : d->warp[i]);
  }
  return tn_replace(t, x, from.n, from.u, to.u);
}

// Tiles and elements of a side that are of these kinds, as many tiles as its axis has.
static void tn_warp_copies(tiny_ctx *t, tn_warp_tiles *d, int side, int tiles, int elements) {
  const tn_unit_side *bits = &d->plan.c[side];
  d->tiles[side] = tn_range_extent(d->axis[side][1]) / (side ? d->plan.unit->n : d->plan.unit->m);
  d->tile[side] = tn_unit_range(t, d->tiles[side], tiles);
  d->element[side] = tn_unit_range(t, (int64_t)1 << bits->element.count, elements);
}

// ** with a factor: values are an operand **

// The values of a K block as the operand's stage, from c's warps and lanes. NULL: there are no such tiles.
static tiny_uop *tn_warp_stage_values(tn_kernel_state *s, const tn_warp_tiles *c, tiny_uop *value, int64_t items) {
  tiny_ctx *t = s->t;
  const int64_t warps = c->warp[1] ? tn_range_extent(c->warp[1]) : 1, keys = tn_unit_k(&c->plan) / warps;
  tn_warp_tiles d = *c;
  if (keys % c->plan.unit->n) return NULL;
  d.together = 1;
  d.axis[1][0] = c->warp[1] ? tn_range(t, warps, TN_LOOP) : NULL;
  d.axis[1][1] = tn_range(t, keys, TN_LOOP);
  d.k_block = NULL;
  for (int i = 0; i < TN_UNIT_SIDES; i++) { d.turned[i] = 0; tn_warp_copies(t, &d, i, TN_UPCAST, i ? TN_VECTOR : TN_UPCAST); }
  tiny_uop *key = tn_place_plus(t, tn_place_plus(t, d.axis[1][1], keys, d.axis[1][0]), tn_unit_k(&c->plan), c->k_block);
  value = tn_warp_values(s, &d, tn_simplify(t, tn_replace(t, value, 1, &c->k, &key)), items);
  if (!value) return NULL;
  value = tn_bitcast(t, tn_cast(t, value, c->plan.unit->a), TINY_U16);
  tiny_uop *const all[8] = {d.warp[1], d.tile[1], d.warp[0], d.tile[0], d.element[0], d.lane[0], d.lane[1],
                            d.element[1]};
  tn_list ranges = {NULL, 0, 0};
  for (int i = 0; i < 8; i++) if (all[i]) tn_push(t, &ranges, all[i]);
  const int64_t kind = TN_SPACE_LOCAL | (int64_t)TN_UNIT_PAD / 2 << TN_STAGE_PAD |
      c->rows[0] * c->plan.values << TN_STAGE_ROW;
  return tn_node_over(t, TINY_OP_STAGE, value->dtype, 1, value, ranges.n, ranges.u, kind);
}

static int tn_warp_nested_product(tn_kernel_state *s, const tn_profile *p, const tn_nested *a, tn_warp_tiles *c) {
  tiny_ctx *t = s->t;
  const tn_unit_plan *plan = &c->plan;
  const tn_list none = {NULL, 0, 0};
  int64_t items = plan->unit->warp;
  for (int i = 0; i < 2; i++) items *= c->axis[i][0] ? tn_range_extent(c->axis[i][0]) : 1;
  if (tn_range_extent(a->keys) % tn_unit_k(plan)) return 0;
  const int64_t tiles = tn_range_extent(c->axis[1][1]) / plan->unit->n;
  const int vector = tn_stride_in(t, p->store->src[1], c->axis[1][1]) == 1;
  c->k = a->keys;
  c->quarters = TN_UNIT_QUARTERS;
  c->operand[1] = tn_bitcast(t, a->factor, TINY_U16);
  c->k_block = tn_unit_range(t, tn_range_extent(c->k) / tn_unit_k(plan), TN_REDUCE);
  c->turned[1] = tn_unit_turns(s, c, 1);
  c->together = tiles % 2 == 0 && !c->turned[1] ? 2 : 1;
  for (int i = 0; i < 2; i++) tn_unit_ranges(t, c, i, vector && i);
  c->rows[0] = tn_range_extent(c->axis[0][1]) * (c->axis[0][0] ? tn_range_extent(c->axis[0][0]) : 1);
  c->stage[0] = tn_warp_stage_values(s, c, a->value, items);
  if (!c->stage[0]) return 0;
  c->stage[1] = c->turned[1] ? tn_unit_stage_turned(t, c, 1, items) : tn_unit_stage(t, c, 1, items);
  tiny_uop *from[5] = {a->reduce}, *to[5] = {tn_core_load(t, tn_unit_registers(t, c, &none), tn_unit_register(t, c), 1)};
  int n = 1;
  for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) if (c->axis[i][j]) {
    from[n] = c->axis[i][j];
    to[n++] = j ? tn_unit_place(t, c, i) : c->warp[i];
  }
  s->sink = tn_replace(t, tn_masked_drop(t, s->sink), n, from, to);
  tn_unit_order(s, c, 1);
  return 1;
}

// ** without: each lane reduces what it has **

static int tn_warp_nested_reduce(tn_kernel_state *s, const tn_nested *a, tn_warp_tiles *c) {
  tiny_ctx *t = s->t;
  const int64_t items = c->plan.unit->warp * (c->axis[0][0] ? tn_range_extent(c->axis[0][0]) : 1);
  tn_list own = {NULL, 0, 0};
  c->together = 1;
  tn_unit_ranges(t, c, 0, 0);
  tn_warp_copies(t, c, 1, TN_UNROLL, TN_UNROLL);
  c->lane[1] = tn_unit_range(t, (int64_t)1 << c->plan.c[1].lane.count, TN_GROUP);
  if (!c->lane[1]) return 0;
  for (uint32_t i = 1; i < a->reduce->nsrc; i++)
    if (a->reduce->src[i] != c->axis[1][1]) tn_push(t, &own, a->reduce->src[i]);
  if (c->tile[1]) tn_push(t, &own, c->tile[1]);
  if (c->element[1]) tn_push(t, &own, c->element[1]);
  tiny_uop *value = tn_warp_values(s, c, a->value, items);
  if (!value) return 0;
  value = tn_reduce_over(t, a->reduce->k, tn_reduce_over(t, a->reduce->k, value, own.n, own.u), 1, &c->lane[1]);
  tiny_uop *from[3] = {a->reduce, c->axis[0][1], c->axis[0][0]}, *to[3] = {value, tn_unit_place(t, c, 0), c->warp[0]};
  s->sink = tn_replace(t, tn_masked_drop(t, s->sink), c->axis[0][0] ? 3 : 2, from, to);
  tiny_uop *const all[4] = {c->warp[0], c->lane[0], c->tile[0], c->element[0]};
  tiny_uop *order[4];
  int n = 0;
  for (int i = 0; i < 4; i++) if (all[i]) order[n++] = all[i];
  tn_transform_order(s, n, order);
  return 1;
}

// 1: the products of the kernel are done by the unit that c names, over c's axes.
static int tn_transform_warp_nested(tn_kernel_state *s, const tn_profile *p, tn_warp_tiles *c) {
  tn_nested a;
  memset(&a, 0, sizeof a);
  if (!tn_nested_reduces(s->t, s->sink, &a) || !tn_unit_nests(c->plan.unit, a.dtype)) return 0;
  const int products = tn_range_kind(c->axis[1][1]) == TN_LOOP;
  if (!products) a.keys = c->axis[1][1];
  a.rows = c->axis[0][1];
  for (int i = 0; i < a.nproduct; i++) if (tn_nested_side(s->t, &a, a.product[i], a.rows) < 0) return 0;
  a.value = a.reduce->src[0];
  if (!products) return tn_warp_nested_reduce(s, &a, c);
  a.columns = c->axis[1][1];
  return a.reduce->nsrc == 2 && tn_nested_factor(s->t, &a) && tn_warp_nested_product(s, p, &a, c);
}
#endif
