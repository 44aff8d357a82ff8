// warp_nested: a sum of what sums of products are made of, all products by the matrix units of warps.
//
//   for each group                        rows: those of its warps
//     copy the rows' operands               to memory of the group, all that the inner products go along
//     for each block of keys
//       copy the keys' operands, the factor
//       s = a @ b                           for each inner product, tiles of rows and keys in registers
//       with a factor: copy value(s)        from registers, as narrow numbers, to memory of the group, where the unit
//                                             wants them otherwise than lanes have them
//         c += value @ factor
//       without: c = reduce(c, value(s))    each lane of its own elements, in the end lanes of theirs
//        with a maximum so far: m = max(m, max(s)) before, by all lanes of a row; c is scaled as m grows
// In:    a kernel that is such a sum (rules/nested.c); axes of warps and of what each has of rows, and of columns or,
//        for a sum without a factor, of keys.
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
  if (!x || tn_nested_dtype(x) != d->plan.unit->a || tn_nested_dtype(x) != d->plan.unit->b) return 0;
  const int first = !tn_depends(t, x->src[0], d->axis[0][1]);
  for (int i = 0; i < TN_UNIT_SIDES; i++) {
    tiny_uop *y = tn_nested_operand(x, i ^ first);
    for (int j = 0; j < 2; j++) if (d->axis[!i][j] && tn_depends(t, y, d->axis[!i][j])) return 0;
    if (inside) y = tn_u3(t, TINY_OP_WHERE, inside, y, tn_const(t, y->dtype, tn_dtype_value(y->dtype, 0)));
    d->operand[i] = tn_unit_word(t, d->plan.unit, y);
  }
  d->k = product->src[1];
  d->quarters = tn_range_extent(d->k) / d->plan.values;
  return tn_range_extent(d->k) % d->plan.values == 0 && d->quarters % tn_unit_quarters(&d->plan) == 0;
}

// Products, and the registers that hold all that a lane has of them.
typedef struct tn_warp_products { tn_list product, registers; } tn_warp_products;

// Those that x is made of. 0: one is none for the unit.
static int tn_warp_products_of(tn_kernel_state *s, const tn_warp_tiles *d, tiny_uop *x, tn_warp_products *all) {
  const tn_list none = {NULL, 0, 0};
  int64_t items = d->plan.unit->warp;
  for (int i = 0; i < TN_UNIT_SIDES; i++) items *= d->warp[i] ? tn_range_extent(d->warp[i]) : 1;
  memset(all, 0, sizeof *all);
  tn_collect_op(s->t, x, TINY_OP_REDUCE, &all->product);
  for (int i = 0; i < all->product.n; i++) {
    tn_warp_tiles one = *d;
    if (!tn_warp_product(s, all->product.u[i], &one)) return 0;
    for (int side = 0; side < TN_UNIT_SIDES; side++) {
      if (one.plan.across) one.along[side] = tn_unit_lies_along(s, &one, side, one.k);
      one.stage[side] = tn_unit_stage_of(s->t, &one, side, items);
    }
    tn_push(s->t, &all->registers, tn_unit_registers(s->t, &one, &none));
  }
  return 1;
}

// x with elements of registers for the products and places of a unit's tiles for rows and keys.
static tiny_uop *tn_warp_value(tiny_ctx *t, const tn_warp_tiles *d, const tn_warp_products *all, tiny_uop *x) {
  tn_list from = {NULL, 0, 0}, to = {NULL, 0, 0};
  for (int i = 0; i < all->product.n; i++) {
    tn_push(t, &from, all->product.u[i]);
    tn_push(t, &to, tn_core_load(t, all->registers.u[i], tn_unit_register(t, d), 1));
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

// The tiles of rows and keys that warps and lanes of c have of a K block; *key: what stands for the keys of c. 0: none.
static int tn_warp_inner(const tn_kernel_state *s, const tn_warp_tiles *c, tn_warp_tiles *d, tiny_uop **key) {
  tiny_ctx *t = s->t;
  const int64_t warps = c->warp[1] ? tn_range_extent(c->warp[1]) : 1, keys = tn_unit_k(&c->plan) / warps;
  *d = *c;
  d->together = 1;
  d->axis[1][0] = c->warp[1] ? tn_range(t, warps, TN_LOOP) : NULL;
  d->axis[1][1] = tn_range(t, keys, TN_LOOP);
  d->at_once = tn_nests_at_once(s->target->limits) && tn_unit_at_once(s, d);
  d->k_block = NULL;
  d->row = 0;
  for (int i = 0; i < TN_UNIT_SIDES; i++) d->turned[i] = 0;
  tn_warp_copies(t, d, 0, TN_UPCAST, TN_UPCAST);
  tn_warp_copies(t, d, 1, TN_UPCAST, TN_VECTOR);
  *key = tn_place_plus(t, tn_place_plus(t, d->axis[1][1], keys, d->axis[1][0]), tn_unit_k(&c->plan), c->k_block);
  return keys % c->plan.unit->n == 0;
}

// Values of a K block, as d has them, as an operand of c in memory of the group.
static tiny_uop *tn_warp_stage_values(tiny_ctx *t, const tn_warp_tiles *c, const tn_warp_tiles *d, tiny_uop *value) {
  tn_list ranges = {NULL, 0, 0};
  tiny_uop *const outer[4] = {d->warp[1], d->tile[1], d->warp[0], d->tile[0]};
  for (int i = 0; i < 4; i++) if (outer[i]) tn_push(t, &ranges, outer[i]);
  for (int i = 0; i < TN_UNIT_SIDES; i++) {                  // of a side of a tile the high bits first
    const tn_unit_side *bits = &d->plan.c[i];
    const int high = bits->lane.bit > bits->element.bit;
    tiny_uop *const inner[2] = {high ? d->lane[i] : d->element[i], high ? d->element[i] : d->lane[i]};
    for (int j = 0; j < 2; j++) if (inner[j]) tn_push(t, &ranges, inner[j]);
  }
  const int64_t pieces = tn_unit_pitch(c, c->row) - c->row, pad = pieces ? pieces : tn_unit_pad(c),
                kind = TN_SPACE_LOCAL | tn_stage_rows(pieces ? c->row : c->rows[0] * c->row, pad);
  value = tn_unit_word(t, c->plan.unit, tn_cast(t, value, c->plan.unit->a));
  return tn_node_over(t, TINY_OP_STAGE, value->dtype, 1, value, ranges.n, ranges.u, kind);
}

// Values of a K block, as d has them, as c's operand: as lanes have them, or by way of memory of the group.
static void tn_warp_operand(tiny_ctx *t, tn_warp_tiles *c, const tn_warp_tiles *d, tiny_uop *value) {
  tiny_uop *const of[4] = {d->element[0], d->element[1], d->tile[1], d->tile[0]};
  if (!tn_unit_may_hold(c, d)) { c->stage[0] = tn_warp_stage_values(t, c, d, value); return; }
  memcpy(c->of, of, sizeof of);
  c->held = tn_cast(t, value, c->plan.unit->a);
}

// c's own ranges, and what it needs of the factor.
static int64_t tn_warp_outer(tn_kernel_state *s, const tn_profile *p, const tn_nested *a, tn_warp_tiles *c) {
  tiny_ctx *t = s->t;
  int64_t items = c->plan.unit->warp;
  for (int i = 0; i < 2; i++) items *= c->axis[i][0] ? tn_range_extent(c->axis[i][0]) : 1;
  const int64_t tiles = tn_range_extent(c->axis[1][1]) / c->plan.unit->n;
  const int pairs = c->plan.c[1].element.count == 1 && !c->plan.c[1].element.bit,
            vector = tn_stride_in(t, p->store->src[1], c->axis[1][1]) == 1;
  c->last = tn_stride_in(t, p->store->src[1], c->axis[0][1]) == 1 ? 0 : 1;
  c->k = a->keys;
  c->at_once = tn_nests_at_once(s->target->limits) && tn_unit_at_once(s, c);
  c->quarters = TN_UNIT_QUARTERS;
  c->operand[1] = tn_unit_word(t, c->plan.unit, a->factor);
  c->k_block = tn_unit_range(t, tn_range_extent(c->k) / tn_unit_k(&c->plan), TN_REDUCE);
  c->turned[1] = tn_unit_turns(s, c, 1);
  c->together = pairs && tiles % 2 == 0 && !c->matrices ? 2 : 1;
  c->row = c->plan.unit->n;
  for (int i = 0; i < 2; i++) tn_unit_ranges(t, c, i, vector && i);
  c->rows[0] = tn_range_extent(c->axis[0][1]) * (c->axis[0][0] ? tn_range_extent(c->axis[0][0]) : 1);
  return items;
}

// ** blocks of keys that are masked **

// x, a sum of ranges, where it is least for those that tiles replace.
static tiny_uop *tn_warp_least(tiny_ctx *t, tiny_uop *x, int n, tiny_uop *const *ranges) {
  for (int i = 0; i < n && x; i++) {
    const int64_t step = tn_stride_in(t, x, ranges[i]);
    tiny_uop *worst = tn_index(t, step < 0 ? tn_range_extent(ranges[i]) - 1 : 0);
    x = step == TN_IRREGULAR ? NULL : tn_replace(t, x, 1, &ranges[i], &worst);
  }
  return x ? tn_simplify(t, x) : NULL;
}

// What the kernel's MASKEDs say of all that a group has of a K block: `whole` of these ranges stand within one, keys
// are `key` of `block`. Those are what loops over blocks leave out (bounds.c).
static void tn_warp_masked(tn_kernel_state *s, tiny_uop *was, tn_list *whole, tiny_uop *keys, tiny_uop *key,
                           tiny_uop *block) {
  tiny_ctx *t = s->t;
  tn_list src = {NULL, 0, 0};
  tn_push(t, &src, s->sink->src[0]);
  for (uint32_t i = 1; i < was->nsrc && block; i++) {
    tiny_uop *masked = was->src[i], *pair[2] = {NULL, block};
    if (masked->op != TINY_OP_MASKED || !tn_closes(masked, keys)) continue;
    pair[0] = tn_warp_least(t, tn_replace(t, masked->src[0], 1, &keys, &key), whole->n, whole->u);
    if (pair[0] && tn_depends(t, pair[0], block))
      tn_push(t, &src, tn_uop_make(t, TINY_OP_MASKED, TINY_VOID, 1, 2, pair, 0, 0, NULL));
  }
  s->sink = tn_like(t, s->sink, 1, src.n, src.u);
}

// c's axes, of which a group has the whole.
static tn_list tn_warp_whole(tiny_ctx *t, const tn_warp_tiles *c) {
  tn_list whole = {NULL, 0, 0};
  for (int i = 0; i < TN_UNIT_SIDES; i++) for (int j = 0; j < 2; j++) if (c->axis[i][j])
    tn_push(t, &whole, c->axis[i][j]);
  return whole;
}

// What is stored.
static tiny_uop *tn_warp_result(const tn_profile *p) {
  tiny_uop *x = (p->end->op == TINY_OP_END ? p->end->src[0] : p->end)->src[1];
  return tn_bits(x->dtype) == 16 || tn_bits(x->dtype) == 32 ? x : NULL;
}

// What stands in the sink for these nodes, and for c's axes.
static void tn_warp_replace(tn_kernel_state *s, const tn_profile *p, const tn_warp_tiles *c, int64_t items,
                            tn_list *from, tn_list *to) {
  tiny_ctx *t = s->t;
  tiny_uop *const was = s->sink, *within = tn_range(t, tn_unit_k(&c->plan), TN_LOOP), *inner[4];
  tn_list whole = tn_warp_whole(t, c);
  tn_push(t, &whole, within);
  tn_unit_axes(t, c, from, to);
  tn_unit_replace(s, c, p, from, to, tn_warp_result(p), items, inner);
  tn_warp_masked(s, was, &whole, c->k, tn_place_plus(t, within, tn_unit_k(&c->plan), c->k_block), c->k_block);
  tn_unit_order(s, c, inner);
}

// A sum of rounded values, and what they all have as a factor.
static tiny_uop *tn_warp_scaled(tiny_ctx *t, const tn_nested *a, tiny_uop *sum) {
  return a->scale ? tn_u2(t, TINY_OP_MUL, sum, a->scale) : sum;
}

static int tn_warp_nested_product(tn_kernel_state *s, const tn_profile *p, const tn_nested *a, tn_warp_tiles *c) {
  tiny_ctx *t = s->t;
  tn_list from = {NULL, 0, 0}, to = {NULL, 0, 0}, others = {NULL, 0, 0};
  tn_warp_tiles d;
  tn_warp_products all;
  tiny_uop *key;
  const int64_t items = tn_warp_outer(s, p, a, c);
  if (!tn_warp_inner(s, c, &d, &key)) return 0;
  tiny_uop *value = tn_simplify(t, tn_replace(t, a->value, 1, &c->k, &key));
  if (!tn_warp_products_of(s, &d, value, &all)) return 0;
  tn_warp_operand(t, c, &d, tn_warp_value(t, &d, &all, value));
  c->stage[1] = tn_unit_stage_of(t, c, 1, items);
  for (uint32_t i = 1; i < a->reduce->nsrc; i++)
    if (a->reduce->src[i] != c->k) tn_push(t, &others, a->reduce->src[i]);
  tn_push(t, &from, a->reduce);
  tn_push(t, &to, tn_warp_scaled(t, a, tn_core_load(t, tn_unit_registers(t, c, &others), tn_unit_register(t, c), 1)));
  tn_warp_replace(s, p, c, items, &from, &to);
  return 1;
}

// ** with a factor, and a maximum so far **

// x of a K block, reduced by op over what a lane has of it, tiles and elements of its own; then by all lanes of a row,
// before the next K block or after all of them.
static tiny_uop *tn_warp_reduced(tiny_ctx *t, const tn_warp_tiles *c, const tn_warp_tiles *inner,
                                 const tn_warp_products *all, int64_t op, tiny_uop *x, int each) {
  tn_warp_tiles d = *inner;
  tiny_uop *own[2];
  int n = 0;
  for (int i = 0; i < 2; i++) (i ? d.element : d.tile)[0] = (i ? c->element : c->tile)[0];
  tn_warp_copies(t, &d, 1, TN_UNROLL, TN_UNROLL);
  if (d.tile[1]) own[n++] = d.tile[1];
  if (d.element[1]) own[n++] = d.element[1];
  x = tn_reduce_over(t, op, tn_warp_value(t, &d, all, x), n, own);
  const int blocks = c->k_block != NULL;
  if (each) return tn_reduce_over(t, op, tn_reduce_over(t, op, x, 1, &d.lane[1]), blocks, &c->k_block);
  return tn_reduce_over(t, op, tn_reduce_over(t, op, x, blocks, &c->k_block), 1, &d.lane[1]);
}

// The maximum, sums of what it scales, and a product with that (rules/online.c): sums go on as the maximum grows. Each
// block's product is a sum of its own, which is added to what the elements were, scaled.
static int tn_warp_nested_online(tn_kernel_state *s, const tn_profile *p, const tn_nested *a, tn_warp_tiles *c) {
  tiny_ctx *t = s->t;
  const tn_list none = {NULL, 0, 0}, reduces = tn_kernel_collect(s, TINY_OP_REDUCE);
  tn_list from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_warp_tiles d;
  tn_warp_products all;
  tiny_uop *key, *max = a->max;
  int64_t k = 0;
  const int64_t items = tn_warp_outer(s, p, a, c);
  if (c->warp[1] || !tn_warp_inner(s, c, &d, &key)) return 0;
  tiny_uop *x = tn_replace(t, max->src[0], 1, &c->k, &key);
  if (!tn_warp_products_of(s, &d, x, &all)) return 0;
  tiny_uop *now = tn_warp_reduced(t, c, &d, &all, max->k, x, 1);
  tn_push(t, &from, max);
  tn_push(t, &to, now);
  for (int i = 0; i < reduces.n; i++) {
    tiny_uop *u = reduces.u[i];
    if (u == max || !tn_reduces_over(u, c->k)) continue;
    tiny_uop *pair[2] = {max, c->k}, *by[2] = {now, key};
    x = tn_replace(t, u == a->reduce ? a->value : u->src[0], 1, pair, by);
    x = tn_replace(t, x, 1, pair + 1, by + 1);
    tn_push(t, &from, u);
    if (u != a->reduce) { tn_push(t, &to, tn_warp_reduced(t, c, &d, &all, u->k, x, 0)); continue; }
    tiny_uop *offset = tn_online_offset(t, x, now, d.axis[1][1], &k), *copies[2], *own[2];
    int n = 0;
    for (int j = 0; j < 2; j++) if ((j ? c->element : c->tile)[0]) {
      copies[n] = (j ? c->element : c->tile)[0];
      own[n++] = (j ? d.element : d.tile)[0];
    }
    if (!offset) return 0;
    tn_warp_operand(t, c, &d, tn_replace(t, tn_warp_value(t, &d, &all, x), n, copies, own));
    c->stage[1] = tn_unit_stage_of(t, c, 1, items);
    tn_warp_tiles block = *c;
    block.k_block = NULL;
    x = tn_core_load(t, tn_unit_registers(t, &block, &none), tn_unit_register(t, c), 1);
    if (c->k_block)
      x = tn_after(t, x, tn_uop_make(t, TINY_OP_EXP2, offset->dtype, 1, 1, &offset, k, 0, NULL));
    tn_push(t, &to, tn_warp_scaled(t, a, tn_reduce_over(t, u->k, x, c->k_block != NULL, &c->k_block)));
  }
  tn_warp_replace(s, p, c, items, &from, &to);
  return 1;
}

// ** without: each lane reduces what it has **

// The loop over blocks of keys; NULL: there is one block, or there are several loops.
static tiny_uop *tn_warp_blocks(const tn_warp_tiles *c, const tiny_uop *reduce) {
  tiny_uop *blocks = NULL;
  for (uint32_t i = 1; i < reduce->nsrc; i++) {
    if (reduce->src[i] == c->axis[1][1]) continue;
    if (blocks || tn_range_kind(reduce->src[i]) != TN_REDUCE) return NULL;
    blocks = reduce->src[i];
  }
  return blocks;
}

static int tn_warp_nested_reduce(tn_kernel_state *s, const tn_nested *a, tn_warp_tiles *c) {
  tiny_ctx *t = s->t;
  tn_list own = {NULL, 0, 0};
  tn_warp_products all;
  c->together = 1;
  c->at_once = tn_nests_at_once(s->target->limits) && tn_unit_at_once(s, c);
  tn_unit_ranges(t, c, 0, 0);
  tn_warp_copies(t, c, 1, TN_UNROLL, TN_UNROLL);
  c->lane[1] = tn_unit_range(t, (int64_t)1 << c->plan.c[1].lane.count, TN_GROUP);
  if (!c->lane[1]) return 0;
  for (uint32_t i = 1; i < a->reduce->nsrc; i++)
    if (a->reduce->src[i] != c->axis[1][1]) tn_push(t, &own, a->reduce->src[i]);
  if (c->tile[1]) tn_push(t, &own, c->tile[1]);
  if (c->element[1]) tn_push(t, &own, c->element[1]);
  if (!tn_warp_products_of(s, c, a->value, &all)) return 0;
  tiny_uop *value = tn_warp_value(t, c, &all, a->value);
  value = tn_reduce_over(t, a->reduce->k, tn_reduce_over(t, a->reduce->k, value, own.n, own.u), 1, &c->lane[1]);
  tiny_uop *from[3] = {a->reduce, c->axis[0][1], c->axis[0][0]}, *to[3] = {value, tn_unit_place(t, c, 0), c->warp[0]},
           *const was = s->sink, *blocks = tn_warp_blocks(c, a->reduce);
  tn_list whole = tn_warp_whole(t, c);
  s->sink = tn_replace(t, tn_masked_drop(t, s->sink), c->axis[0][0] ? 3 : 2, from, to);
  if (blocks) tn_warp_masked(s, was, &whole, blocks, blocks, blocks);
  tiny_uop *const loops[4] = {c->warp[0], c->lane[0], c->tile[0], c->element[0]};
  tiny_uop *order[4];
  int n = 0;
  for (int i = 0; i < 4; i++) if (loops[i]) order[n++] = loops[i];
  tn_transform_order(s, n, order);
  return 1;
}

// 1: the products of the kernel are done by the unit that c names, over c's axes.
static int tn_transform_warp_nested(tn_kernel_state *s, const tn_profile *p, tn_warp_tiles *c) {
  tiny_ctx *t = s->t;
  tn_nested a;
  memset(&a, 0, sizeof a);
  const int products = tn_range_kind(c->axis[1][1]) == TN_LOOP;
  if (!(products && tn_nested_online(t, s->sink, c->axis[1][1], &a)) && !tn_nested_reduces(t, s->sink, &a)) return 0;
  if (!tn_unit_nests(s->target->limits, c->plan.unit, a.dtype)) return 0;
  if (!products) a.keys = c->axis[1][1];
  a.rows = c->axis[0][1];
  for (int i = 0; i < a.nproduct; i++) if (tn_nested_side(t, &a, a.product[i], a.rows) < 0) return 0;
  a.value = a.reduce->src[0];
  if (!products) return tn_warp_nested_reduce(s, &a, c);
  a.columns = c->axis[1][1];
  for (uint32_t i = 1; i < a.reduce->nsrc; i++) if (tn_range_kind(a.reduce->src[i]) != TN_REDUCE) return 0;
  if (tn_range_extent(a.keys) % tn_unit_k(&c->plan) || !tn_nested_factor(t, &a)) return 0;
  return a.max ? tn_warp_nested_online(s, p, &a, c) : tn_warp_nested_product(s, p, &a, c);
}
#endif
