// optimize: chooses a schedule for a kernel in microseconds.
//
// In:  a kernel as the scheduler wrote it, and the limits of the target. Out: the kernel after its opts; their list.
// On a CPU: reductions become register tiles (tile.c) or blocks of columns (column_reduce.c), all else gets lanes
// (elementwise.c); scatters and scans keep their loops and get lanes across them. On a device with a grid: grid.c.
#ifndef TN_CODEGEN_OPTIMIZE
#define TN_CODEGEN_OPTIMIZE
#ifndef TINY_AMALGAMATED
#include "grid_scatter.c"
#endif

enum { TN_SCAN_CHAINS = 4, TN_SCAN_VECTORS = 8, TN_SCATTER_COLUMNS = 32 };

// ** scatters: rows become lanes; what is left of the output becomes tasks **

// A long row is shared by tasks, each of whole lines of the caches, where nothing outside of it can be.
static void tn_scatter_share(tn_kernel_state *s, tn_profile *p, tn_scatter *c) {
  tiny_uop *last = p->out[p->nout - 1];
  const int64_t n = tn_range_extent(last),
                line = tn_machine_line(s->target->limits) / tn_dtypes[p->store->dtype].nbytes;
  int64_t f = 1;
  for (int i = 0; i < c->n; i++) if (c->range[i] == last) return;
  for (int i = 0; i < p->nout; i++) if (tn_scatter_is_outer(p, c, i)) return;
  for (int64_t d = 2; d <= TN_TASKS_FEW; d++) if (n % d == 0 && n / d % line == 0) f = d;
  if (f == 1) return;
  tn_do_split(s, TN_OPT_TASK, last, f, NULL);
  tn_scatter_of(s, p, c);
}

// Columns that lie together are items of a warp: what fills them, and adds to them, is stored together.
static void tn_scatter_items(tn_kernel_state *s, const tn_profile *p, const tn_scatter *c) {
  tiny_uop *row = tn_grid_scatter_column(s, p, c->range[0]);
  for (int i = 1; i < c->n; i++) if (c->range[i] == row) return;
  const int64_t items = row ? tn_grid_divisor(tn_range_extent(row), tn_machine_warp(s->target->limits)) : 1;
  if (items > 1 && tn_opt_fits(s, 1, items)) tn_do_split(s, TN_OPT_LOCAL, row, items, NULL);
}

static int tn_optimize_scatter(tn_kernel_state *s, const tn_target *target) {
  tn_profile p;
  tn_scatter c;
  if (!tn_scatter_of(s, &p, &c)) return 0;
  if (p.adds) return tn_grid_scatter(s);
  const int lanes = tn_target_lanes(target, &p), cpu = !tn_machine_grid(target->limits);
  if (cpu) tn_scatter_share(s, &p, &c);
  else {                                   // work items have an element of every row each
    const int columns = tn_extents(p.out, p.nout) >= TN_SCATTER_COLUMNS * tn_extents(c.range, c.n);
    if (tn_grid_scatter_apart(s, &p, &c, columns)) return 1;
    if (!columns) return 0;
    tn_scatter_items(s, &p, &c);
    p = tn_profile_of(s);
    for (int i = 0; i < p.nout; i++) {
      int target_range = 0;
      for (int k = 0; k < c.n; k++) target_range |= c.range[k] == p.out[i];
      if (!target_range && tn_range_kind(p.out[i]) == TN_LOOP && tn_opt_fits(s, 0, tn_range_extent(p.out[i])))
        tn_do_kind(s, TN_OPT_GRID, p.out[i]);
    }
    if (!tn_scatter_of(s, &p, &c)) return 0;
  }
  tiny_uop *row = NULL, *fill_row = NULL;
  int outer = 0, fill = s->naxes, inner = 0, adjacent = 0;
  double work = (double)tn_extents(p.out, p.nout) / (double)tn_extents(c.range, c.n);
  work *= (double)(tn_extents(c.range, c.n) + tn_extents(p.red, p.nred));
  for (int i = 0; i < p.nout; i++) {       // the last loop inside of the summands, and the one that fills it
    int target_range = 0;
    for (int k = 0; k < c.n; k++) target_range |= c.range[k] == p.out[i];
    if (tn_scatter_is_outer(&p, &c, i)) { outer += tn_range_kind(p.out[i]) == TN_LOOP; continue; }
    if (!target_range) { row = p.out[i]; fill = s->naxes + inner; }
    else if (!row) fill = s->naxes + inner;
    adjacent = tn_stride_in(s->t, p.store->src[1], p.out[i]) == 1;
    inner++;
  }
  if (!tn_do_plain(s, TN_OPT_SCATTER)) return 0;
  if (!cpu) return 1;
  if (inner) fill_row = s->axis[fill];
  if (row && tn_range_extent(row) > lanes && lanes > 1) {
    row = tn_do_pad(s, row, lanes);
    fill_row = tn_do_pad(s, fill_row, lanes);
  }
  p = tn_profile_of(s);
  const int64_t f = row || (inner && adjacent) ? tn_lanes_for(tn_range_extent(fill_row), lanes, 0) : 1;
  if (f > 1) {
    tn_do_split(s, TN_OPT_LANE, fill_row, f, NULL);
    if (row && tn_stride_in(s->t, p.store->src[1], row) == 1) tn_do_split(s, TN_OPT_LANE, row, f, NULL);
  }
  tn_make_tasks(s, work, outer);
  return 1;
}

// ** scans: several accumulators side by side, so that none waits for the one before **

static void tn_optimize_scan(tn_kernel_state *s, tn_profile *p, const tn_target *target) {
  tiny_uop *best = NULL, *rest = NULL;
  const double work = tn_work(p) * (double)tn_range_extent(p->carried);
  const int most = tn_target_lanes(target, p);
  for (int i = 0; i < p->nout; i++)
    if (tn_lanes_for(tn_range_extent(p->out[i]), most, p->repeats) > 1 &&
        tn_lanes_score(s->t, p, p->out[i], 1) >= 0.5)
      best = p->out[i];
  if (best)
    tn_do_split(s, TN_OPT_LANE, best, tn_lanes_for(tn_range_extent(best), most, p->repeats), &rest);
  for (int i = 0; i < p->nout && !best; i++) if (tn_range_extent(p->out[i]) > 1) rest = p->out[i];
  int64_t f = rest ? (best ? TN_SCAN_VECTORS : TN_SCAN_CHAINS) : 1;
  while (f > 1 && tn_range_extent(rest) % f) f--;
  if (f > 1) tn_do_split(s, TN_OPT_UPCAST, rest, f, NULL);
  tn_make_tasks(s, work, TN_ALL_LOOPS);
}

// The opts that this target's heuristics choose for the kernel, done and listed.
static void tn_optimize(tn_kernel_state *s) {
  const tn_target *target = s->target;
  tn_profile p;
  if (tn_is_ordered(s->t, s->sink) || tn_optimize_scatter(s, target)) return;
  p = tn_profile_of(s);
  if (!p.usable) return;
  const int large = p.nload > TN_TILE_LOADS;                 // for the search for a tile
  if (large && tn_debug(s->t, 'o')) tn_log(s->t, "a kernel of %d loads gets lanes and tasks, but no tile", p.nload);
  if (tn_machine_grid(target->limits)) tn_optimize_grid(s, &p);
  else if (p.carried) tn_optimize_scan(s, &p, target);
  else if (p.nreduce != 1 || p.row || large) tn_optimize_elementwise(s, &p, target);
  else if (!tn_optimize_matrix(s, &p, target) && !tn_optimize_column_reduce(s, &p, target))
    tn_optimize_reduce(s, &p, target);
}
#endif
