// grid_scatter: schedules of scatters on a grid: summands that name the element they are added to.
//
// In:  a kernel whose summands are added in order, to places that memory names (scatter.c), or in any order.
// Out: 1, and opts that are done and listed; 0: it is none of these, and nothing has changed.
#ifndef TN_CODEGEN_GRID_SCATTER
#define TN_CODEGEN_GRID_SCATTER
#ifndef TINY_AMALGAMATED
#include "grid.c"
#endif

enum { TN_GRID_SCATTER_COLUMNS = 4 };      // of a tile at least

// Tiles of the output that groups have of a scatter: of what; of how many parts of the summands each.
typedef struct tn_grid_scatter_plan {
  tiny_uop *target, *column; tn_scatter_size size; int64_t parts;
} tn_grid_scatter_plan;

// The last loop along which rows lie together; NULL: there is none, or they are short.
static tiny_uop *tn_grid_scatter_column(tn_kernel_state *s, const tn_profile *p, const tiny_uop *target) {
  tiny_uop *last = p->nout ? p->out[p->nout - 1] : NULL;
  return last && last != target && tn_range_extent(last) >= TN_GRID_SCATTER_COLUMNS &&
      tn_stride_in(s->t, p->store->src[1], last) == 1 ? last : NULL;
}

// 0: there are none, or it is done sooner by columns, where there are such.
static int tn_grid_scatter_plan_of(tn_kernel_state *s, const tn_profile *p, const tn_scatter *c, int columns,
                                   tn_grid_scatter_plan *x) {
  const tiny_limits *limits = s->target->limits;
  const int64_t places = tn_range_extent(c->range[0]), summands = tn_extents(p->red, p->nred);
  memset(x, 0, sizeof *x);
  x->target = c->range[0];
  x->column = tn_grid_scatter_column(s, p, x->target);
  const int64_t width = x->column ? tn_range_extent(x->column) : 1;
  x->size = tn_scatter_size_of(limits, places, width, tn_extents(p->out, p->nout) / places / width,
                               tn_dtypes[p->store->dtype].nbytes);
  const int64_t most = x->size.items / x->size.columns;
  for (x->parts = 1; 2 * x->parts <= most && 2 * x->parts * TN_SCATTER_BESIDE <= summands;) x->parts *= 2;
  if (x->size.columns > 1 && x->parts > x->size.rows) x->parts = x->size.rows;
  if (x->parts < 2 || x->size.rows < 2) return 0;
  const double apart = (double)summands * (double)TN_SCATTER_TURN;
  return !columns || tn_scatter_tiles_cost(limits, &x->size, (double)summands) < apart;
}

// The same, done and listed: groups for the other loops, and the tiles.
static int tn_grid_scatter_tiles(tn_kernel_state *s, const tn_grid_scatter_plan *x) {
  const tn_profile p = tn_profile_of(s);
  tiny_uop *r = tn_do_pad(s, x->target, x->size.rows), *rest,
           *rows = tn_do_split(s, TN_OPT_SPLIT, r, x->size.rows, &rest);
  tn_grid_groups(s, rest);
  for (int i = 0; i < p.nout; i++) {
    if (p.out[i] == x->target) continue;
    rest = p.out[i];
    if (rest == x->column) tn_grid_items(s, rest, x->size.columns, &rest);
    tn_grid_groups(s, rest);
  }
  const tn_opt o = tn_opt_of(s, TN_OPT_SCATTER, 1, &rows, x->parts);
  return tn_opt_apply(s, &o);
}

// Summands that are added in order: by tiles, or else, where there are `columns` enough, one after the other.
static int tn_grid_scatter_apart(tn_kernel_state *s, const tn_profile *p, const tn_scatter *c, int columns) {
  tn_grid_scatter_plan x;
  tn_kernel_state *before = (tn_kernel_state *)tn_scratch(s->t, sizeof *before);
  const int64_t serial = s->t->ir->serial;
  *before = *s;
  if (p->nreduce != 1 || c->n != 1 || !tn_grid_scatter_plan_of(s, p, c, columns, &x)) return 0;
  if (tn_grid_scatter_tiles(s, &x)) return 1;
  *s = *before;
  s->t->ir->serial = serial;
  return 0;
}

// Summands that are added in any order: an item has one, those of a row lie together.
static int tn_grid_scatter(tn_kernel_state *s) {
  if (!tn_do_plain(s, TN_OPT_SCATTER)) return 0;
  const tn_profile p = tn_profile_of(s);
  tn_grid_spread(s, &p, tn_grid_dim(s));
  return 1;
}
#endif
