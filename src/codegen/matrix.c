// matrix: a sum of products of two matrices becomes products of tiles by a matrix unit of the target.
//
//   for each block of rows and of columns              tasks
//     for each K block                                 as much of the reduction as stays near for a strip
//       a: the block's rows as tiles                   copied, a tile's elements together
//       for each strip of columns
//         b: the strip's columns as tiles              neighbours along the reduction together, as the unit wants them
//         for each strip of rows: c += a @ b           up to 2x2 tiles are held in registers
//     for each element of the block: what comes after the sum
// In:    a kernel of one sum of products, its rows and columns split into blocks, strips, tiles and elements.
// Out:   the sum is made of tiles. Without K blocks c is one strip's, and what comes after it follows at once.
// Holds: operands are packed with all that is computed from what they load. Beyond the end of the reduction they are
//        zero; edges of rows and columns are computed twice.
#ifndef TN_CODEGEN_MATRIX
#define TN_CODEGEN_MATRIX
#ifndef TINY_AMALGAMATED
#include "dot.c"
#endif

// A range as blocks of strips of tiles of elements, outermost first; NULL: there is one.
enum { TN_CORE_BLOCKS, TN_CORE_STRIPS, TN_CORE_TILE, TN_CORE_ELEMENT, TN_CORE_LEVELS };
typedef struct tn_core_axis { int64_t block, strip; tiny_uop *r[TN_CORE_LEVELS]; } tn_core_axis;

typedef struct tn_core {
  const tiny_matrix_unit *unit;
  tn_core_axis m, n;                       // r[0]: the whole range, until it is split
  tiny_uop *r, *kblock, *x, *y;             // of the reduction; its K blocks; the operands, in the dtypes of the unit
  int64_t kblocks, tiles;                   // K blocks, tiles in each
} tn_core;

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
  return tn_stage(t, TN_SPACE_LOCAL, 0, tn_replace(t, u, old.n, old.u, now.u), ranges.n, ranges.u);
}

// The element at `at` of memory, and those that follow.
static tiny_uop *tn_core_load(tiny_ctx *t, tiny_uop *memory, tiny_uop *at, int lanes) {
  return tn_load(t, tn_index_of(t, memory, at, NULL), lanes);
}

// ** tiles **

// The tile of a for k, one of the K block's: rows of elements along the reduction.
static tiny_uop *tn_core_a(tiny_ctx *t, const tn_core *c, tiny_uop *k) {
  const tiny_matrix_unit *unit = c->unit;
  tiny_uop *const *r = c->m.r, *fresh[5], *from[5] = {r[TN_CORE_STRIPS], r[TN_CORE_TILE], k, r[TN_CORE_ELEMENT], NULL};
  for (int i = 0; i < 4; i++) fresh[i] = tn_core_fresh(t, from[i], TN_LOOP);
  fresh[4] = tn_range(t, unit->k, TN_VECTOR);
  tiny_uop *place[3] = {c->kblock, k, fresh[4]}, *at = tn_core_at(t, 3, place, 1);
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
  tiny_uop *place[3] = {c->kblock, k, fresh[2]};
  tiny_uop *y = tn_word_of(t, c->y, c->r, tn_core_at(t, 3, place, 1), unit->together);
  tiny_uop *memory = tn_core_stage(t, y, 4, from, fresh);
  return tn_core_load(t, memory, tn_core_at(t, 2, from, words * unit->n), words * unit->n);
}

// An element of the sum, from tiles of it in memory: of all strips of the block where K blocks add to them.
static tiny_uop *tn_core_sum(tiny_ctx *t, const tn_core *c, int dtype) {
  const tiny_matrix_unit *unit = c->unit;
  const tn_wmma w = {unit->m, unit->n, unit->k, unit->together, unit->a, unit->b};
  const int first = c->kblock ? 0 : 2;
  tiny_uop *k = tn_range(t, c->tiles, TN_REDUCE), *src[3], *fresh[4],
           *from[4] = {c->n.r[TN_CORE_STRIPS], c->m.r[TN_CORE_STRIPS], c->m.r[TN_CORE_TILE], c->n.r[TN_CORE_TILE]};
  src[0] = tn_core_a(t, c, k);
  src[1] = tn_core_b(t, c, k);
  src[2] = tn_lanes_of(t, tn_const(t, dtype, tn_dtype_value(dtype, 0)), unit->m * unit->n);
  tiny_uop *product = tn_uop_make(t, TINY_OP_WMMA, dtype, unit->m * unit->n, 3, src, tn_wmma_k(&w), 0, NULL),
           *over[2] = {k, c->kblock}, *sum = tn_reduce_over(t, TINY_OP_ADD, product, c->kblock ? 2 : 1, over);
  for (int i = first; i < 4; i++) fresh[i] = tn_core_fresh(t, from[i], i < 2 ? TN_LOOP : TN_UPCAST);
  tiny_uop *memory = tn_core_stage(t, sum, 4 - first, from + first, fresh + first),
           *element[2] = {c->m.r[TN_CORE_ELEMENT], c->n.r[TN_CORE_ELEMENT]};
  tiny_uop *at = tn_u2(t, TINY_OP_ADD, tn_core_at(t, 4 - first, from + first, unit->m * unit->n),
                       tn_core_at(t, 2, element, 1));
  return tn_core_load(t, memory, at, 1);
}

// 1: the kernel's sum is done by the unit that c names, over c's axes, in c->kblocks K blocks.
static int tn_transform_matrix(tn_kernel_state *s, const tn_profile *p, tn_core *c) {
  tiny_ctx *t = s->t;
  const tiny_matrix_unit *unit = c->unit;
  tiny_uop *operand[2];
  tn_contraction fact;
  if (!tn_contraction_of_kernel(t, p, &fact) || !tn_contraction_is_narrow(&fact) || fact.sum->dtype != unit->c ||
      tn_range_extent(p->red[0]) % (c->kblocks * unit->k) ||
      tn_range_extent(c->m.r[TN_CORE_ELEMENT]) != unit->m || tn_range_extent(c->n.r[TN_CORE_ELEMENT]) != unit->n)
    return 0;
  for (int i = 0; i < 2; i++) {
    operand[i] = fact.operand[i]->src[0];
    if (fact.inside) operand[i] = tn_u3(t, TINY_OP_WHERE, fact.inside, operand[i],
                                          tn_const(t, operand[i]->dtype, tn_dtype_value(operand[i]->dtype, 0)));
  }
  const int first = !tn_depends(t, operand[0], c->m.r[TN_CORE_ELEMENT]);
  c->x = operand[first]; c->y = operand[!first];
  for (int i = TN_CORE_STRIPS; i < TN_CORE_LEVELS; i++)       // each operand moves with its own axes within a block
    if ((c->n.r[i] && tn_depends(t, c->x, c->n.r[i])) || (c->m.r[i] && tn_depends(t, c->y, c->m.r[i]))) return 0;
  if (c->x->dtype != unit->a || c->y->dtype != unit->b) return 0;
  c->r = p->red[0];
  c->tiles = tn_range_extent(c->r) / (c->kblocks * unit->k);
  if (c->kblocks > 1) c->kblock = tn_range(t, c->kblocks, TN_LOOP);
  tiny_uop *sum = tn_core_sum(t, c, p->reduce[0]->dtype);
  s->sink = tn_replace(t, s->sink, 1, &p->reduce[0], &sum);
  return 1;
}
#endif
