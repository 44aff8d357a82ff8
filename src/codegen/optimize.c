// optimize: chooses moves for a kernel in microseconds.
//
// In:  a kernel as the scheduler wrote it, and the limits of the target. Out: the kernel after moves.
// On a CPU: reductions become register tiles (tile.c) or walk along rows (columns.c), everything else lanes (rows.c);
// scatters and scans keep their loops and get lanes across them. On a GPU: outputs spread over groups and items, long
// reductions are shared by a group.
#ifndef TN_CODEGEN_OPTIMIZE
#define TN_CODEGEN_OPTIMIZE
#ifndef TINY_AMALGAMATED
#include "columns.c"
#endif

enum { TN_SCAN_CHAINS = 4, TN_SCAN_VECTORS = 8, TN_SCATTER_TASKS = 8, TN_SCATTER_ITEMS = 32 };

// ** joining neighbours: fewer, longer loops **

static int tn_count_divmod(tiny_ctx *t, tiny_uop *sink) {
  tn_list all = {NULL, 0, 0};
  int n = 0;
  tn_toposort(t, sink, &all);
  for (int i = 0; i < all.n; i++) n += all.u[i]->op == TINY_OP_IDIV || all.u[i]->op == TINY_OP_MOD;
  return n;
}

// Replaces neighbours a (outer), b by one range wherever that costs no division.
static int tn_ranges_join(tn_kernel_state *s, tiny_uop *a, tiny_uop *b, int divmods) {
  tiny_ctx *t = s->t;
  const int64_t nb = tn_range_extent(b);
  tiny_uop *both = tn_range(t, tn_range_extent(a) * nb, tn_range_kind(a)), *from[2] = {a, b}, *to[2];
  to[0] = tn_u2(t, TINY_OP_IDIV, both, tn_index(t, nb));
  to[1] = tn_u2(t, TINY_OP_MOD, both, tn_index(t, nb));
  tiny_uop *sink = tn_replace(t, s->sink, 2, from, to);
  tn_list lists = {NULL, 0, 0}, old = {NULL, 0, 0}, now = {NULL, 0, 0};
  tn_toposort(t, sink, &lists);
  for (int i = 0; i < lists.n; i++) {      // both stands twice in the range lists now
    tiny_uop *u = lists.u[i];
    if (tn_ranges_from(u->op) < 0) continue;
    tn_list src = {NULL, 0, 0};
    int seen = 0;
    for (uint32_t j = 0; j < u->nsrc; j++) {
      if (j && u->src[j] == both && seen++) continue;
      tn_push(t, &src, u->src[j]);
    }
    if (seen > 1) {
      tn_push(t, &old, u);
      tn_push(t, &now, tn_like(t, u, u->lanes, src.n, src.u));
    }
  }
  sink = tn_simplify(t, tn_replace(t, sink, old.n, old.u, now.u));
  if (tn_count_divmod(t, sink) > divmods) return 0;
  s->sink = sink;
  return 1;
}

static void tn_join_ranges(tn_kernel_state *s) {
  tn_profile p;
  for (int again = 1; again;) {
    again = 0;
    const int divmods = tn_count_divmod(s->t, s->sink);
    tn_profile_kernel(s->t, s->sink, &p);
    if (!p.usable) return;
    for (int i = 0; i + 1 < p.nout && !again; i++) {
      int same = 1;                        // not across the scope's border
      for (int j = 0; j < p.nreduce; j++)
        same &= tn_depends(s->t, p.reduce[j], p.out[i]) == tn_depends(s->t, p.reduce[j], p.out[i + 1]);
      again = same && tn_ranges_join(s, p.out[i], p.out[i + 1], divmods);
    }
    for (int j = 0; j < p.nreduce && !again; j++)
      for (uint32_t i = 1; i + 1 < p.reduce[j]->nsrc && !again; i++)
        again = tn_ranges_join(s, p.reduce[j]->src[i], p.reduce[j]->src[i + 1], divmods);
  }
}

// ** scatters: rows become lanes; what is left of the output becomes tasks **

static int tn_scatter_of(tn_kernel_state *s, tn_profile *p, tn_scatter *c) {
  tn_profile_kernel(s->t, s->sink, p);
  return p->usable && p->nout && p->end->op == TINY_OP_END &&
      tn_find_scatter(s->t, p->end->src[0]->src[1], p->out, p->nout, c);
}

// A long row is shared by tasks, each of whole lines of the caches, where nothing outside of it can be.
static void tn_scatter_share(tn_kernel_state *s, tn_profile *p, tn_scatter *c) {
  tiny_uop *last = p->out[p->nout - 1];
  const int64_t n = tn_range_extent(last), line = TN_CACHE_LINE / tn_dtypes[p->store->dtype].nbytes;
  int64_t f = 1;
  for (int i = 0; i < c->n; i++) if (c->range[i] == last) return;
  for (int i = 0; i < p->nout; i++) if (tn_scatter_is_outer(p, c, i)) return;
  for (int64_t d = 2; d <= TN_SCATTER_TASKS; d++) if (n % d == 0 && n / d % line == 0) f = d;
  if (f == 1) return;
  tn_move_split(s, last, f, TN_TASK, 1, NULL);
  s->sink = tn_simplify(s->t, s->sink);
  tn_scatter_of(s, p, c);
}

static int tn_optimize_scatter(tn_kernel_state *s, const tn_target *target) {
  tiny_ctx *t = s->t;
  tn_profile p;
  tn_scatter c;
  tiny_uop *row, *fill_row;
  if (!tn_scatter_of(s, &p, &c)) return 0;
  const int lanes = tn_target_lanes(target, &p), cpu = target->limits->threads;
  if (cpu) tn_scatter_share(s, &p, &c);
  else {                                   // work items have an element of every row each
    for (int i = 0; i < p.nout; i++) {
      int target_range = 0;
      for (int k = 0; k < c.n; k++) target_range |= c.range[k] == p.out[i];
      if (!target_range) tn_move_kind(s, p.out[i], TN_GLOBAL);
    }
    if (!tn_scatter_of(s, &p, &c) || tn_extents(p.out, p.nout) < TN_SCATTER_ITEMS * tn_extents(c.range, c.n))
      return 0;
  }
  int outer = 0;
  double work = (double)tn_extents(p.out, p.nout) / (double)tn_extents(c.range, c.n);
  work *= (double)(tn_extents(c.range, c.n) + tn_extents(p.red, p.nred));
  for (int i = 0; i < p.nout; i++)
    outer += tn_scatter_is_outer(&p, &c, i) && tn_range_kind(p.out[i]) == TN_LOOP;
  tn_write_scatter(s, &p, &c, &row, &fill_row);
  if (!cpu) { s->sink = tn_simplify(t, s->sink); return 1; }
  tn_profile_kernel(t, s->sink, &p);
  if (row && tn_range_extent(row) > lanes && lanes > 1) {
    row = tn_move_pad(s, row, lanes);
    fill_row = tn_move_pad(s, fill_row, lanes);
    tn_profile_kernel(t, s->sink, &p);
  }
  const int64_t f = row ? tn_lanes_for(tn_range_extent(row), lanes, 0) : 1;
  if (f > 1) {
    const int together = tn_stride_in(t, p.store->src[1], row) == 1;
    tn_move_split(s, fill_row, f, TN_VECTOR, 0, NULL);
    if (together) tn_move_split(s, row, f, TN_VECTOR, 0, NULL);
  }
  s->sink = tn_simplify(t, s->sink);
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
    tn_move_split(s, best, tn_lanes_for(tn_range_extent(best), most, p->repeats), TN_VECTOR, 0, &rest);
  for (int i = 0; i < p->nout && !best; i++) if (tn_range_extent(p->out[i]) > 1) rest = p->out[i];
  int64_t f = rest ? (best ? TN_SCAN_VECTORS : TN_SCAN_CHAINS) : 1;
  while (f > 1 && tn_range_extent(rest) % f) f--;
  if (f > 1) tn_move_split(s, rest, f, TN_UPCAST, 0, NULL);
  s->sink = tn_simplify(s->t, s->sink);
  tn_make_tasks(s, work, TN_MAX_RANGES);
}

// ** GPU **

static void tn_optimize_gpu(tn_kernel_state *s, const tn_profile *p, const tn_target *target) {
  tiny_ctx *t = s->t;
  int64_t items = 1, outputs = 1;
  const int64_t most = target->limits->local_total ? target->limits->local_total : 256;
  for (int i = 0; i < p->nout; i++) outputs *= tn_range_extent(p->out[i]);
  if (p->nreduce == 1 && !p->row && outputs <= 1024 && target->limits->shared_nbytes && most > 1) {
    tiny_uop *r = p->red[p->nred - 1];
    int64_t g = 1;
    for (int64_t d = 2; d <= most && d <= 256; d++) if (tn_range_extent(r) % d == 0) g = d;
    if (g > 1) { tn_move_group(s, p->reduce[0], r, g); items = g; }
  }
  for (int i = p->nout - 1; i >= 0; i--) {
    int64_t f = 1;
    const int64_t n = tn_range_extent(p->out[i]);
    int in_scope = 1;
    for (int j = 0; j < p->nreduce; j++) in_scope &= tn_depends(t, p->reduce[j], p->out[i]);
    if (!in_scope) continue;
    for (int64_t d = 1; d <= n && items * d <= most && d <= 64; d++) if (n % d == 0) f = d;
    tiny_uop *rest = p->out[i];
    if (f > 1) { tn_move_split(s, p->out[i], f, TN_LOCAL, 0, &rest); items *= f; }
    if (rest) tn_move_kind(s, rest, TN_GLOBAL);
  }
  s->sink = tn_simplify(t, s->sink);
}

static tiny_uop *tn_optimize(tiny_ctx *t, tiny_uop *sink, const tn_target *target) {
  tn_kernel_state s = {t, sink};
  tn_profile p;
  if (tn_is_ordered(t, sink)) return sink;
  tn_join_ranges(&s);
  if (tn_optimize_scatter(&s, target)) return s.sink;
  tn_profile_kernel(t, s.sink, &p);
  if (!p.usable) return s.sink;
  if (!target->limits->threads) tn_optimize_gpu(&s, &p, target);
  else if (p.carried) tn_optimize_scan(&s, &p, target);
  else if (p.nreduce == 1 && !p.row) {
    if (!tn_optimize_tensorcore(&s, &p, target) && !tn_optimize_columns(&s, &p, target))
      tn_optimize_reduce(&s, &p, target);
  }
  else tn_optimize_elementwise(&s, &p, target);
  return s.sink;
}
#endif
