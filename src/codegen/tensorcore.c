// tensorcore: the blocks, strips and tiles of a sum of products that a matrix unit of the target does.
//
// In:  a kernel, the units of a target. Out: the opts for it and 1; 0: no unit fits.
#ifndef TN_CODEGEN_TENSORCORE
#define TN_CODEGEN_TENSORCORE
#ifndef TINY_AMALGAMATED
#include "tile.c"
#endif

enum {
  TN_CORE_TILES = 2,                       // rows and columns of tiles that are held: 4 sums, 2 and 2 operands
  TN_CORE_STRIP = 1 << 15,                 // bytes of a strip of rows that stay in the nearest cache
  TN_CORE_BLOCK = 512, TN_CORE_PRODUCTS = 2   // rows and columns of a block; products along a reduction worth a unit
};

// The longest range of the output that operand i alone moves with; NULL: there is none.
static tiny_uop *tn_core_range(const tn_profile *p, const tn_contraction *fact, int i) {
  tiny_uop *best = NULL;
  for (int d = 0; d < p->nout; d++)
    if ((fact->own[i] >> d & 1) && (!best || tn_range_extent(p->out[d]) > tn_range_extent(best))) best = p->out[d];
  return best;
}

// A unit for the kernel's sum, its columns those that are stored together if there is a choice.
static int tn_core_find(tn_kernel_state *s, const tn_profile *p, const tiny_renderer *units, tn_core *c) {
  tn_contraction fact;
  memset(c, 0, sizeof *c);
  if (!units || !p->repeats || !tn_contraction_of_kernel(s->t, p, &fact) || !tn_contraction_is_narrow(&fact) ||
      fact.inside)
    return 0;
  for (int i = 0; i < 2 * units->nunits && (!c->unit || tn_stride_in(s->t, p->store->src[1], c->n.r[0]) != 1); i++) {
    const tiny_matrix_unit *unit = &units->units[i / 2];
    tiny_uop *x = fact.operand[i & 1]->src[0], *y = fact.operand[!(i & 1)]->src[0],
             *m = tn_core_range(p, &fact, i & 1), *n = tn_core_range(p, &fact, !(i & 1));
    if (x->dtype != unit->a || y->dtype != unit->b || p->reduce[0]->dtype != unit->c || !m || !n ||
        tn_range_extent(m) < unit->m || tn_range_extent(n) < unit->n ||
        tn_range_extent(p->red[0]) < TN_CORE_PRODUCTS * unit->k)
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
  c->kblocks = (all + most - 1) / most;
  c->tiles = (all + c->kblocks - 1) / c->kblocks;
  while (rows > c->m.strip && rows * c->tiles * unit->k * item > tn_panel_nbytes(target)) rows /= 2;
  while (columns > c->n.strip && rows * columns * 4 > tn_panel_nbytes(target)) columns /= 2;
  for (int i = 0; i < p->nout; i++)
    if (p->out[i] != c->m.r[0] && p->out[i] != c->n.r[0]) others *= tn_range_extent(p->out[i]);
  while (tn_tiles_of(c->m.r[0], rows) * tn_tiles_of(c->n.r[0], columns) * others < TN_TASKS_FEW &&
         (rows > 2 * c->m.strip || columns > 2 * c->n.strip)) {
    if (rows >= columns) rows /= 2; else columns /= 2;
  }
  c->m.block = tn_core_even(m, rows, c->m.strip);
  c->n.block = tn_core_even(n, columns, c->n.strip);
}

// ** ranges **

static void tn_core_split(tn_kernel_state *s, tn_core_axis *a, int64_t tile) {
  tiny_uop *r = tn_do_split(s, TN_OPT_SPLIT, a->r[0], a->block, &a->r[TN_CORE_BLOCKS]);
  r = tn_do_split(s, TN_OPT_SPLIT, r, a->strip, &a->r[TN_CORE_STRIPS]);
  a->r[TN_CORE_ELEMENT] = tn_do_split(s, TN_OPT_SPLIT, r, tile, &a->r[TN_CORE_TILE]);
}

// The loops of the store: others, blocks, and what lies in a block. Returns how many may become tasks.
static int tn_core_order(tn_kernel_state *s, const tn_core *c) {
  tiny_uop *const *m = c->m.r, *const *n = c->n.r, *axes[8],
           *order[8] = {m[0], n[0], c->kblocks > 1 ? NULL : n[1], m[1], m[2], m[3], c->kblocks > 1 ? n[1] : NULL, n[2]};
  const int loops = (int)s->sink->src[0]->nsrc - 1;
  int count = 0, inner = 0;
  for (int i = 0; i < 8; i++) if (order[i]) axes[count++] = order[i];
  for (int i = 0; i < 2; i++) for (int l = 1; l < TN_CORE_LEVELS; l++) inner += (i ? n : m)[l] != NULL;
  axes[count++] = n[TN_CORE_ELEMENT];
  tn_do_order(s, count, axes);
  return loops - inner;
}

// 1: the kernel's sum is done by a matrix unit.
static int tn_optimize_matrix(tn_kernel_state *s, tn_profile *p, const tn_target *target) {
  tn_core c;
  tiny_uop *axes[2 * TN_CORE_LEVELS];
  if (!tn_core_find(s, p, target->renderer, &c)) return 0;
  const double work = tn_work(p);
  tn_core_sizes(&c, p, target);
  tn_do_pad(s, c.r, c.kblocks * c.tiles * c.unit->k);
  tn_core_split(s, &c.m, c.unit->m);
  tn_core_split(s, &c.n, c.unit->n);
  for (int i = 0; i < TN_CORE_LEVELS; i++) { axes[i] = c.m.r[i]; axes[TN_CORE_LEVELS + i] = c.n.r[i]; }
  tn_opt o = tn_opt_of(s, TN_OPT_MATRIX, 2 * TN_CORE_LEVELS, axes, c.kblocks);
  o.number = (int16_t)(c.unit - target->renderer->units);
  if (!tn_do(s, &o)) return 1;
  const int loops = tn_core_order(s, &c);
  tn_do_kind(s, TN_OPT_LANE, c.n.r[TN_CORE_ELEMENT]);
  tn_make_tasks(s, work, loops);
  return 1;
}
#endif
