// tensorcore: a sum of products of two matrices becomes products of tiles by a matrix unit of the target.
//
//   for each block of rows and of columns              tasks
//     for each round                                   as much of the reduction as stays near for a strip
//       a: the block's rows as tiles                   copied, a tile's elements together
//       for each strip of columns
//         b: the strip's columns as tiles              neighbours along the reduction together, as the unit wants them
//         for each strip of rows: c += a @ b           up to 2x2 tiles are held in registers
//     for each element of the block: what comes after the sum
// Without rounds c is one strip's, and what comes after it follows at once. Operands are packed with all that is
// computed from what they load. Beyond the end of the reduction they are zero; edges of rows and columns are
// computed twice.
#ifndef TN_CODEGEN_TENSORCORE
#define TN_CODEGEN_TENSORCORE
#ifndef TINY_AMALGAMATED
#include "tile.c"
#endif

enum {
  TN_CORE_TILES = 2,                       // rows and columns of tiles that are held: 4 sums, 2 and 2 operands
  TN_CORE_STRIP = 1 << 15,                 // bytes of a strip of rows that stay in the nearest cache
  TN_CORE_BLOCK = 512, TN_CORE_ROUNDS = 2  // rows and columns of a block; products along a reduction worth a unit
};

// A range as blocks of strips of tiles of elements, outermost first; NULL: there is one.
enum { TN_CORE_BLOCKS, TN_CORE_STRIPS, TN_CORE_TILE, TN_CORE_ELEMENT, TN_CORE_LEVELS };
typedef struct tn_core_axis { int64_t block, strip; tiny_uop *r[TN_CORE_LEVELS]; } tn_core_axis;

typedef struct tn_core {
  const tiny_matrix_unit *unit;
  tn_core_axis m, n;                       // r[0]: the whole range, until it is split
  tiny_uop *r, *round, *x, *y;             // of the reduction; the operands, in the dtypes of the unit
  int64_t rounds, tiles;                   // of the reduction: tiles in each round
} tn_core;

// The longest range of the output that x depends on and y does not.
static tiny_uop *tn_core_range(tiny_ctx *t, const tn_profile *p, tiny_uop *x, tiny_uop *y) {
  tiny_uop *best = NULL;
  for (int i = 0; i < p->nout; i++)
    if (tn_depends(t, x, p->out[i]) && !tn_depends(t, y, p->out[i]) &&
        (!best || tn_range_extent(p->out[i]) > tn_range_extent(best)))
      best = p->out[i];
  return best;
}

// The product that the kernel sums, under the condition that a padded range has; NULL: none of two casts.
static tiny_uop *tn_core_product(const tn_profile *p, tiny_uop **inside) {
  tiny_uop *u = p->nreduce == 1 && p->nred == 1 && p->reduce[0]->k == TINY_OP_ADD ? p->reduce[0]->src[0] : NULL;
  *inside = NULL;
  if (u && u->op == TINY_OP_WHERE) { *inside = u->src[0]; u = u->src[1]; }
  return u && u->op == TINY_OP_MUL && u->src[0]->op == TINY_OP_CAST && u->src[1]->op == TINY_OP_CAST ? u : NULL;
}

// A unit for the kernel's sum, its columns those that are stored together if there is a choice.
static int tn_core_find(tn_kernel_state *s, const tn_profile *p, const tiny_renderer *units, tn_core *c) {
  tiny_uop *inside, *product = tn_core_product(p, &inside);
  memset(c, 0, sizeof *c);
  if (!units || !product || inside || !p->repeats) return 0;
  for (int i = 0; i < 2 * units->nunits && (!c->unit || tn_stride_in(s->t, p->store->src[1], c->n.r[0]) != 1); i++) {
    const tiny_matrix_unit *unit = &units->units[i / 2];
    tiny_uop *x = product->src[i & 1]->src[0], *y = product->src[!(i & 1)]->src[0],
             *m = tn_core_range(s->t, p, x, y), *n = tn_core_range(s->t, p, y, x);
    if (x->dtype != unit->a || y->dtype != unit->b || p->reduce[0]->dtype != unit->c || !m || !n ||
        tn_range_extent(m) < unit->m || tn_range_extent(n) < unit->n ||
        tn_range_extent(p->red[0]) < TN_CORE_ROUNDS * unit->k)
      continue;
    c->unit = unit;
    c->m.r[0] = m; c->n.r[0] = n;
    c->r = p->red[0];
  }
  return c->unit && (!units->units_allowed || units->units_allowed());
}

// ** sizes **

// Blocks of about so much, as even as can be.
static int64_t tn_core_even(int64_t n, int64_t block, int64_t strip) {
  if (block >= n) return n;
  const int64_t blocks = (n + block - 1) / block, even = ((n + blocks - 1) / blocks + strip - 1) / strip * strip;
  return even < n ? even : n;
}

static void tn_core_sizes(tn_core *c, const tn_profile *p, const tn_target *target) {
  const tiny_matrix_unit *unit = c->unit;
  const int64_t m = tn_range_extent(c->m.r[0]), n = tn_range_extent(c->n.r[0]),
                all = tn_tiles_of(c->r, unit->k), item = tn_dtypes[unit->a].nbytes;
  int64_t rows = TN_CORE_BLOCK, columns = TN_CORE_BLOCK, others = 1;
  c->m.strip = m < TN_CORE_TILES * unit->m ? unit->m : TN_CORE_TILES * unit->m;
  c->n.strip = n < TN_CORE_TILES * unit->n ? unit->n : TN_CORE_TILES * unit->n;
  const int64_t tile = c->m.strip * unit->k * item, most = tile < TN_CORE_STRIP ? TN_CORE_STRIP / tile : 1;
  c->rounds = (all + most - 1) / most;
  c->tiles = (all + c->rounds - 1) / c->rounds;
  while (rows > c->m.strip && rows * c->tiles * unit->k * item > tn_panel_nbytes(target)) rows /= 2;
  while (columns > c->n.strip && rows * columns * 4 > tn_panel_nbytes(target)) columns /= 2;
  for (int i = 0; i < p->nout; i++)
    if (p->out[i] != c->m.r[0] && p->out[i] != c->n.r[0]) others *= tn_range_extent(p->out[i]);
  while (tn_tiles_of(c->m.r[0], rows) * tn_tiles_of(c->n.r[0], columns) * others < 8 &&
         (rows > 2 * c->m.strip || columns > 2 * c->n.strip)) {
    if (rows >= columns) rows /= 2; else columns /= 2;
  }
  c->m.block = tn_core_even(m, rows, c->m.strip);
  c->n.block = tn_core_even(n, columns, c->n.strip);
}

// ** ranges **

static void tn_core_split(tn_kernel_state *s, tn_core_axis *a, int64_t tile) {
  tiny_uop *r = tn_move_split(s, a->r[0], a->block, TN_LOOP, 0, &a->r[TN_CORE_BLOCKS]);
  r = tn_move_split(s, r, a->strip, TN_LOOP, 0, &a->r[TN_CORE_STRIPS]);
  a->r[TN_CORE_ELEMENT] = tn_move_split(s, r, tile, TN_LOOP, 0, &a->r[TN_CORE_TILE]);
}

// A place among the values of the ranges, the last one the fastest; NULL: there is one value.
static tiny_uop *tn_core_at(tiny_ctx *t, int n, tiny_uop *const *r, int64_t each) {
  tiny_uop *at = tn_index(t, 0);
  for (int i = 0; i < n; i++)
    if (r[i]) at = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, at, tn_index(t, tn_range_extent(r[i]))), r[i]);
  return tn_u2(t, TINY_OP_MUL, at, tn_index(t, each));
}

static tiny_uop *tn_core_fresh(tiny_ctx *t, tiny_uop *r, int kind) {
  return r ? tn_range(t, tn_range_extent(r), kind) : NULL;
}

// u, for the values of the ranges `to` in the place of `from`, NULL among both, in memory.
static tiny_uop *tn_core_stage(tiny_ctx *t, tiny_uop *u, int n, tiny_uop *const *from, tiny_uop *const *to) {
  tn_list ranges = {NULL, 0, 0}, old = {NULL, 0, 0}, now = {NULL, 0, 0};
  for (int i = 0; i < n; i++) {
    if (from[i]) { tn_push(t, &old, from[i]); tn_push(t, &now, to[i]); }
    if (to[i]) tn_push(t, &ranges, to[i]);
  }
  return tn_stage(t, TN_SPACE_LOCAL, tn_replace(t, u, old.n, old.u, now.u), ranges.n, ranges.u);
}

// The element at `at` of memory, and those that follow.
static tiny_uop *tn_core_load(tiny_ctx *t, tiny_uop *memory, tiny_uop *at, int lanes) {
  return tn_load(t, tn_index_of(t, memory, at, NULL), lanes);
}

// ** tiles **

// The tile of a for k, one of the round's: rows of elements along the reduction.
static tiny_uop *tn_core_a(tiny_ctx *t, const tn_core *c, tiny_uop *k) {
  const tiny_matrix_unit *unit = c->unit;
  tiny_uop *const *r = c->m.r, *fresh[5], *from[5] = {r[TN_CORE_STRIPS], r[TN_CORE_TILE], k, r[TN_CORE_ELEMENT], NULL};
  for (int i = 0; i < 4; i++) fresh[i] = tn_core_fresh(t, from[i], TN_LOOP);
  fresh[4] = tn_range(t, unit->k, TN_VECTOR);
  tiny_uop *place[3] = {c->round, k, fresh[4]}, *at = tn_core_at(t, 3, place, 1);
  tiny_uop *x = tn_replace(t, tn_bitcast(t, c->x, tn_bits(unit->a) == 16 ? TINY_U16 : TINY_U8), 1, &c->r, &at);
  tiny_uop *memory = tn_core_stage(t, x, 5, from, fresh);
  return tn_core_load(t, memory, tn_core_at(t, 3, from, unit->m * unit->k), unit->m * unit->k);
}

// The tile of b for k: rows of words, which hold neighbours along the reduction.
static tiny_uop *tn_core_b(tiny_ctx *t, const tn_core *c, tiny_uop *k) {
  const tiny_matrix_unit *unit = c->unit;
  const int words = unit->k / unit->together;
  tiny_uop *const *r = c->n.r, *fresh[4], *from[4] = {r[TN_CORE_TILE], k, NULL, r[TN_CORE_ELEMENT]};
  for (int i = 0; i < 4; i++) fresh[i] = tn_core_fresh(t, from[i], i == 3 ? TN_VECTOR : TN_LOOP);
  fresh[2] = tn_range(t, words, TN_LOOP);
  tiny_uop *place[3] = {c->round, k, fresh[2]};
  tiny_uop *y = tn_word_of(t, c->y, c->r, tn_core_at(t, 3, place, 1), unit->together);
  tiny_uop *memory = tn_core_stage(t, y, 4, from, fresh);
  return tn_core_load(t, memory, tn_core_at(t, 2, from, words * unit->n), words * unit->n);
}

// An element of the sum, from tiles of it in memory: of all strips of the block where rounds add to them.
static tiny_uop *tn_core_sum(tiny_ctx *t, const tn_core *c, int dtype) {
  const tiny_matrix_unit *unit = c->unit;
  const tn_wmma w = {unit->m, unit->n, unit->k, unit->together, unit->a, unit->b};
  const int first = c->round ? 0 : 2;
  tiny_uop *k = tn_range(t, c->tiles, TN_REDUCE), *src[3], *fresh[4],
           *from[4] = {c->n.r[TN_CORE_STRIPS], c->m.r[TN_CORE_STRIPS], c->m.r[TN_CORE_TILE], c->n.r[TN_CORE_TILE]};
  src[0] = tn_core_a(t, c, k);
  src[1] = tn_core_b(t, c, k);
  src[2] = tn_lanes_of(t, tn_const(t, dtype, tn_dtype_value(dtype, 0)), unit->m * unit->n);
  tiny_uop *product = tn_uop_make(t, TINY_OP_WMMA, dtype, unit->m * unit->n, 3, src, tn_wmma_k(&w), 0, NULL),
           *over[2] = {k, c->round}, *sum = tn_reduce_over(t, TINY_OP_ADD, product, c->round ? 2 : 1, over);
  for (int i = first; i < 4; i++) fresh[i] = tn_core_fresh(t, from[i], i < 2 ? TN_LOOP : TN_UPCAST);
  tiny_uop *memory = tn_core_stage(t, sum, 4 - first, from + first, fresh + first),
           *element[2] = {c->m.r[TN_CORE_ELEMENT], c->n.r[TN_CORE_ELEMENT]};
  tiny_uop *at = tn_u2(t, TINY_OP_ADD, tn_core_at(t, 4 - first, from + first, unit->m * unit->n),
                       tn_core_at(t, 2, element, 1));
  return tn_core_load(t, memory, at, 1);
}

// The loops of the store: others, blocks, and what lies in a block. Returns how many may become tasks.
static int tn_core_order(tn_kernel_state *s, const tn_core *c) {
  tiny_uop *const *m = c->m.r, *const *n = c->n.r, *end = s->sink->src[0], *last,
           *order[8] = {m[0], n[0], c->round ? NULL : n[1], m[1], m[2], m[3], c->round ? n[1] : NULL, n[2]};
  tn_list src = {NULL, 0, 0};
  for (uint32_t i = 0; i < end->nsrc; i++) {
    int own = 0;
    for (int l = 0; l < TN_CORE_LEVELS; l++) own |= end->src[i] == m[l] || end->src[i] == n[l];
    if (!own) tn_push(s->t, &src, end->src[i]);
  }
  const int loops = src.n - 1 + (m[0] != NULL) + (n[0] != NULL);
  for (int i = 0; i < 8; i++) if (order[i]) tn_push(s->t, &src, order[i]);
  tn_push(s->t, &src, n[TN_CORE_ELEMENT]);
  last = tn_node_of(s->t, TINY_OP_END, TINY_VOID, &src);
  s->sink = tn_replace(s->t, s->sink, 1, &end, &last);
  return loops;
}

// 1: the kernel's sum is done by a matrix unit.
static int tn_optimize_tensorcore(tn_kernel_state *s, tn_profile *p, const tn_target *target) {
  tiny_ctx *t = s->t;
  tn_core c;
  tiny_uop *inside, *product, *operand[2];
  if (!tn_core_find(s, p, target->renderer, &c)) return 0;
  const double work = tn_work(p);
  tn_core_sizes(&c, p, target);
  c.r = tn_move_pad(s, c.r, c.rounds * c.tiles * c.unit->k);
  tn_core_split(s, &c.m, c.unit->m);
  tn_core_split(s, &c.n, c.unit->n);
  tn_profile_kernel(t, s->sink, p);
  product = tn_core_product(p, &inside);
  for (int i = 0; i < 2; i++) {
    operand[i] = product->src[i]->src[0];
    if (inside) operand[i] = tn_u3(t, TINY_OP_WHERE, inside, operand[i],
                                   tn_const(t, operand[i]->dtype, tn_dtype_value(operand[i]->dtype, 0)));
  }
  const int first = !tn_depends(t, operand[0], c.m.r[TN_CORE_ELEMENT]);
  c.x = operand[first]; c.y = operand[!first];
  if (c.rounds > 1) c.round = tn_range(t, c.rounds, TN_LOOP);
  tiny_uop *sum = tn_core_sum(t, &c, p->reduce[0]->dtype);
  s->sink = tn_replace(t, s->sink, 1, &p->reduce[0], &sum);
  const int loops = tn_core_order(s, &c);
  tn_move_kind(s, c.n.r[TN_CORE_ELEMENT], TN_VECTOR);
  s->sink = tn_simplify(t, s->sink);
  tn_make_tasks(s, work, loops);
  return 1;
}
#endif
