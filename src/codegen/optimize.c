// optimize: chooses moves for a kernel in microseconds, from strides and a count of loads per multiply-add.
//
// In:  a kernel as the scheduler wrote it, and the limits of the target. Out: the kernel after moves.
// On a CPU: the range that is contiguous in memory becomes lanes; in reductions a tile of outputs
// is held in registers, its sizes found by trying all that fit and counting loads; an operand that
// is read again for every tile of rows is packed by STAGE; the outermost ranges become tasks. Task
// counts depend on shapes alone, never on the number of threads, so that results do not either. On
// a GPU: outputs spread over groups and items, long reductions are shared by a group.
#ifndef TN_CODEGEN_OPTIMIZE
#define TN_CODEGEN_OPTIMIZE
#ifndef TINY_AMALGAMATED
#include "linearize.c"
#endif

#define TN_IRREGULAR INT64_MIN
enum { TN_MAX_RANGES = 24, TN_MAX_ACCESSES = 24, TN_TASK_WORK = 1 << 16, TN_MAX_TASKS = 64,
  TN_STAGE_MAX_NBYTES = 1 << 18, TN_PACK_REDUCE = 64, TN_WINDOW = 3 };

// How far e moves when r advances by one.
static int64_t tn_stride_in(tiny_ctx *t, tiny_uop *e, const tiny_uop *r) {
  if (e == r) return 1;
  if (e->op == TINY_OP_ADD) {
    const int64_t a = tn_stride_in(t, e->src[0], r), b = tn_stride_in(t, e->src[1], r);
    return a == TN_IRREGULAR || b == TN_IRREGULAR ? TN_IRREGULAR : a + b;
  }
  if (e->op == TINY_OP_MUL && tn_is_const(e->src[1])) {
    const int64_t a = tn_stride_in(t, e->src[0], r);
    return a == TN_IRREGULAR ? a : a * e->src[1]->k;
  }
  return e->nsrc && tn_depends(t, e, r) ? TN_IRREGULAR : 0;
}

typedef struct tn_profile {                // what the heuristics look at
  tiny_uop *end, *store;                   // store: the INDEX that is written
  tiny_uop *out[TN_MAX_RANGES]; int nout;  // output ranges in loop order
  tiny_uop *red[TN_MAX_RANGES]; int nred;  // ranges of all REDUCEs
  tiny_uop *reduce[TN_MAX_RANGES]; int nreduce;
  tiny_uop *load[TN_MAX_ACCESSES]; int nload;  // INDEX nodes that are read
  int nalu, row;                           // row: some output ranges loop inside of the scope of the REDUCEs
  int usable;
} tn_profile;

static void tn_profile_kernel(tiny_ctx *t, tiny_uop *sink, tn_profile *p) {
  tn_list all = {NULL, 0, 0};
  memset(p, 0, sizeof *p);
  p->end = sink->src[0];
  if (sink->nsrc != 1 || (p->end->op != TINY_OP_END && p->end->op != TINY_OP_STORE)) return;
  const tiny_uop *store = p->end->op == TINY_OP_END ? p->end->src[0] : p->end;
  p->store = store->src[0];
  p->usable = 1;
  for (uint32_t i = 1; p->end->op == TINY_OP_END && i < p->end->nsrc; i++) {
    if (p->nout == TN_MAX_RANGES) { p->usable = 0; return; }
    p->out[p->nout++] = p->end->src[i];
  }
  tn_toposort(t, sink, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i];
    p->nalu += tn_op_is(u->op, TINY_ALU) && u->dtype != TINY_INDEX;
    if (u->op == TINY_OP_LOAD) {
      if (p->nload == TN_MAX_ACCESSES) {
        p->usable = 0;
        return;
      }
      p->load[p->nload++] = u->src[0];
    }
    if (u->op == TINY_OP_REDUCE) {
      if (p->nreduce == TN_MAX_RANGES) { p->usable = 0; return; }
      p->reduce[p->nreduce++] = u;
      for (int j = 0; j < p->nout; j++) p->row |= !tn_depends(t, u, p->out[j]);
    }
    if (u->op == TINY_OP_RANGE && tn_range_kind(u) == TN_REDUCE) {
      if (p->nred == TN_MAX_RANGES) {
        p->usable = 0;
        return;
      }
      p->red[p->nred++] = u;
    }
  }
}

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
      tn_push(t, &now, tn_uop_make(t, u->op, u->dtype, u->lanes, src.n, src.u, u->k, 0, NULL));
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

// ** CPU: lanes **

static int64_t tn_lanes_for(int64_t extent, int64_t most) {
  while (most > 1 && extent % most) most /= 2;
  return most;
}

static int tn_target_lanes(const tn_target *target, const tn_profile *p) {
  int nbytes = tn_dtypes[p->store->dtype].nbytes;
  for (int i = 0; i < p->nload; i++)
    if (tn_dtypes[p->load[i]->dtype].nbytes > nbytes) nbytes = tn_dtypes[p->load[i]->dtype].nbytes;
  if (nbytes < 4) nbytes = 4;              // narrow floats are computed in f32
  return target->limits->vector_nbytes / nbytes;
}

// Share of the accesses that are contiguous or constant when r becomes lanes; -1 when the store would scatter.
static double tn_lanes_score(tiny_ctx *t, const tn_profile *p, tiny_uop *r, int is_out) {
  double good = 0, all = 0;
  if (is_out) {
    const int64_t st = tn_stride_in(t, p->store->src[1], r);
    if (st != 1) return -1;
    good += 1;
    all += 1;
  }
  for (int i = 0; i < p->nload; i++) {
    if (!is_out && !tn_depends(t, p->load[i], r)) continue;
    const int64_t st = tn_stride_in(t, p->load[i]->src[1], r);
    good += st == 1 ? 1 : st == 0 ? 0.75 : 0;
    all += 1;
  }
  return all > 0 ? good / all : 0;
}

// ** CPU: register tiles **

typedef struct tn_tile {
  tiny_uop *v;
  int lanes, v_in_reduce;
  int64_t vectors;
  tiny_uop *u[2];
  int64_t f[2];
  double cost;
} tn_tile;

// Loads per multiply-add of a candidate tile, in vector instructions.
static double tn_tile_cost(const int64_t strides[][3], const uint8_t *depends, int nload, const tn_tile *c) {
  double loads = 0;
  for (int i = 0; i < nload; i++) {
    double n = 1;
    for (int j = 0; j < 2; j++) if (c->u[j] && (depends[i] >> (j + 1) & 1)) n *= (double)c->f[j];
    if (depends[i] & 1) n *= (double)c->vectors;
    loads += n * (!c->v || !(depends[i] & 1) ? 0.5 : strides[i][0] == 1 ? 1.0 : 0.8 * c->lanes);
  }
  const double fmas = (double)(c->vectors * c->f[0] * c->f[1]);
  return (loads + fmas + 1.5) / (fmas * c->lanes);
}

static const int64_t tn_tile_sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14};

static void tn_tile_try(tiny_ctx *t, const tn_profile *p, const tn_target *target, tn_tile c, tn_tile *best) {
  int64_t strides[TN_MAX_ACCESSES][3];
  uint8_t depends[TN_MAX_ACCESSES];
  tiny_uop *of[3] = {c.v, c.u[0], c.u[1]};
  const int registers = target->limits->vector_registers;
  for (int i = 0; i < p->nload; i++) {
    depends[i] = 0;
    for (int j = 0; j < 3; j++) {
      strides[i][j] = of[j] ? tn_stride_in(t, p->load[i]->src[1], of[j]) : 0;
      if (strides[i][j]) depends[i] = (uint8_t)(depends[i] | 1 << j);
    }
  }
  const int most_vectors = c.v_in_reduce ? 1 : 4;
  for (c.vectors = 1; c.vectors <= most_vectors; c.vectors *= 2) {
    if (c.v && tn_range_extent(c.v) % (c.lanes * c.vectors)) break;
    if (!c.v && c.vectors > 1) break;
    for (size_t a = 0; a < sizeof tn_tile_sizes / sizeof *tn_tile_sizes; a++)
      for (size_t b = 0; b < sizeof tn_tile_sizes / sizeof *tn_tile_sizes; b++) {
        c.f[0] = tn_tile_sizes[a];
        c.f[1] = tn_tile_sizes[b];
        if ((!c.u[0] && c.f[0] > 1) || (!c.u[1] && c.f[1] > 1)) continue;
        if ((c.u[0] && tn_range_extent(c.u[0]) % c.f[0]) || (c.u[1] && tn_range_extent(c.u[1]) % c.f[1]))
          continue;
        const int64_t accumulators = c.vectors * c.f[0] * c.f[1];
        if (accumulators + c.vectors + 2 > registers) continue;
        c.cost = tn_tile_cost((const int64_t(*)[3])strides, depends, p->nload, &c);
        if (c.cost < best->cost) *best = c;
      }
  }
}

// The best tile over every choice of lanes and of one or two more output ranges.
static tn_tile tn_tile_choose(tiny_ctx *t, const tn_profile *p, const tn_target *target) {
  tn_tile best, c;
  memset(&best, 0, sizeof best);
  best.cost = HUGE_VAL; best.lanes = 1; best.vectors = best.f[0] = best.f[1] = 1;
  const int most = tn_target_lanes(target, p);
  for (int i = -1; i < p->nout + p->nred; i++) {
    memset(&c, 0, sizeof c);
    c.lanes = 1; c.vectors = c.f[0] = c.f[1] = 1;
    if (i >= 0) {
      c.v = i < p->nout ? p->out[i] : p->red[i - p->nout];
      c.v_in_reduce = i >= p->nout;
      c.lanes = (int)tn_lanes_for(tn_range_extent(c.v), most);
      if (c.lanes < 2 || tn_lanes_score(t, p, c.v, !c.v_in_reduce) < 0) continue;
    }
    tn_tile_try(t, p, target, c, &best);
    for (int a = 0; a < p->nout; a++) if (p->out[a] != c.v) {
      c.u[0] = p->out[a]; c.u[1] = NULL;
      tn_tile_try(t, p, target, c, &best);
      for (int b = a + 1; b < p->nout; b++)
        if (p->out[b] != c.v) {
          c.u[1] = p->out[b];
          tn_tile_try(t, p, target, c, &best);
        }
    }
  }
  return best;
}

// ** CPU: tasks and packing **

static double tn_work(const tn_profile *p) {
  double n = 1;
  for (int i = 0; i < p->nout; i++) n *= (double)tn_range_extent(p->out[i]);
  double reduced = 1;
  for (int i = 0; i < p->nred; i++) reduced *= (double)tn_range_extent(p->red[i]);
  if (p->row) reduced = p->nreduce + 1;
  return n * reduced * (1 + p->nalu * 0.25);
}

// Splits outermost loops of the store, at most `loops` of them, into tasks, each of at least TN_TASK_WORK.
static void tn_make_tasks(tn_kernel_state *s, double work, int loops) {
  tn_profile p;
  int64_t want = (int64_t)(work / TN_TASK_WORK), tasks = 1;
  if (want > TN_MAX_TASKS) want = TN_MAX_TASKS;
  tn_profile_kernel(s->t, s->sink, &p);
  for (int i = 0; i < p.nout && tasks < want && loops; i++) {
    if (tn_range_kind(p.out[i]) != TN_LOOP) continue;
    loops--;
    int in_scope = 1;
    for (int j = 0; j < p.nreduce; j++) in_scope &= tn_depends(s->t, p.reduce[j], p.out[i]);
    if (!in_scope) break;
    const int64_t n = tn_range_extent(p.out[i]);
    int64_t f = 1;
    for (int64_t d = 1; d <= n && d * tasks <= want; d++) if (n % d == 0) f = d;
    if (f == 1 && n > want)
      for (int64_t d = want; d < n && f == 1; d++)
        if (n % d == 0 && d <= 8 * TN_MAX_TASKS) f = d;
    if (f > 1) { tn_move_split(s, p.out[i], f, TN_TASK, 1, NULL); tasks *= f; }
    if (f < n) break;                      // loops below would be torn
  }
}

// Packs the operand that the inner loop reads as vectors when its rows are far apart and it is read again for
// every tile of the range `again`.
static int tn_pack(tn_kernel_state *s, tiny_uop *const *inner, int ninner, const tiny_uop *again,
                   const tn_target *target) {
  tiny_ctx *t = s->t;
  tn_list loads = {NULL, 0, 0};
  int64_t nelem = 1;
  for (int i = 0; i < ninner; i++) nelem *= tn_range_extent(inner[i]);
  tn_collect_op(t, s->sink, TINY_OP_LOAD, &loads);
  for (int i = 0; i < loads.n; i++) {
    tiny_uop *load = loads.u[i], *used[TN_MAX_RANGES];
    int n = 0;
    if (load->src[0]->src[0]->op != TINY_OP_PARAM || tn_depends(t, load, again)) continue;
    for (int j = 0; j < ninner; j++) if (tn_depends(t, load, inner[j])) used[n++] = inner[j];
    if (n != ninner || nelem * tn_dtypes[load->dtype].nbytes > TN_STAGE_MAX_NBYTES) continue;
    if (nelem * tn_dtypes[load->dtype].nbytes > (int64_t)target->limits->cache_nbytes / 2 &&
        target->limits->cache_nbytes)
      continue;
    tn_move_stage(s, load, n, used, TN_SPACE_LOCAL);
    return 1;
  }
  return 0;
}

// Odd sizes: the contiguous output range grows to whole vectors when little is wasted; the edge is masked.
static void tn_pad_lanes(tn_kernel_state *s, tn_profile *p, const tn_target *target) {
  const int64_t lanes = tn_target_lanes(target, p);
  for (int i = 0; i < p->nout; i++) {
    const int64_t n = tn_range_extent(p->out[i]);
    if (lanes < 2 || n % lanes == 0 || n < 2 * lanes || tn_stride_in(s->t, p->store->src[1], p->out[i]) != 1)
      continue;
    for (int j = 0; j < p->nload; j++) if (tn_stride_in(s->t, p->load[j]->src[1], p->out[i]) == 1) {
      tn_move_pad(s, p->out[i], lanes);
      s->sink = tn_simplify(s->t, s->sink);
      tn_profile_kernel(s->t, s->sink, p);
      return;
    }
  }
}

// The ranges that a tile leaves behind: rows and columns count tiles, vectors and lanes lie within one.
typedef struct tn_tiled { tiny_uop *rows, *columns, *vectors, *lanes; } tn_tiled;

static tn_tiled tn_tile_apply(tn_kernel_state *s, const tn_tile *c) {
  tn_tiled x = {NULL, NULL, NULL, NULL};
  tiny_uop *second;
  if (c->u[0] && c->f[0] > 1) tn_move_split(s, c->u[0], c->f[0], TN_UPCAST, 0, &x.rows);
  if (c->u[1] && c->f[1] > 1) tn_move_split(s, c->u[1], c->f[1], TN_UPCAST, 0, &second);
  if (!c->v) return x;
  x.lanes = tn_move_split(s, c->v, c->lanes, TN_VECTOR, 0, &x.columns);
  if (!x.columns) return x;
  if (!c->v_in_reduce) {
    if (c->vectors > 1) x.vectors = tn_move_split(s, x.columns, c->vectors, TN_UPCAST, 0, &x.columns);
    return x;
  }
  int64_t f = c->f[0] * c->f[1] > 1 ? 2 : 8;   // vectors folded before the accumulator has to wait
  while (tn_range_extent(x.columns) % f) f /= 2;
  if (f > 1) tn_move_split(s, x.columns, f, TN_UNROLL, 0, &x.columns);
  return x;
}

// A reduction of products that reads one operand as vectors, again for every tile of rows: columns
// loop outside of rows, and the panel of that operand is packed once for each.
static int tn_tile_pack(tn_kernel_state *s, const tn_profile *p, const tn_tile *c, const tn_tiled *x,
                        const tn_target *target) {
  tiny_uop *inner[3];
  int n = 0, operands = 0;
  if (!x->lanes || c->v_in_reduce || !x->columns || !x->rows || p->nred != 1 ||
      tn_range_extent(x->rows) < 4 || tn_range_extent(p->red[0]) < TN_PACK_REDUCE)
    return 0;
  for (int i = 0; i < p->nload; i++) operands += tn_depends(s->t, p->load[i], p->red[0]);
  if (operands != 2) return 0;
  inner[n++] = p->red[0];
  if (x->vectors) inner[n++] = x->vectors;
  inner[n++] = x->lanes;
  for (int i = 0; i < p->nout && p->out[i] != x->columns; i++)
    if (p->out[i] == x->rows) {
      tn_move_swap(s, x->rows, x->columns);
      break;
    }
  return tn_pack(s, inner, n, x->rows, target);
}

static void tn_optimize_reduce(tn_kernel_state *s, tn_profile *p, const tn_target *target) {
  tn_pad_lanes(s, p, target);
  if (!p->usable) return;
  const double work = tn_work(p);
  const tn_tile c = tn_tile_choose(s->t, p, target);
  const tn_tiled x = tn_tile_apply(s, &c);
  s->sink = tn_simplify(s->t, s->sink);
  tn_profile_kernel(s->t, s->sink, p);
  if (!p->usable) return;
  const int packed = tn_tile_pack(s, p, &c, &x, target);
  for (int i = 0; i < p->nred; i++) {      // short windows (3x3) unroll whole
    tiny_uop *r = p->red[i];
    if (tn_range_kind(r) == TN_REDUCE && r != x.columns && tn_range_extent(r) <= TN_WINDOW &&
        c.vectors * c.f[0] * c.f[1] <= 32)
      tn_move_kind(s, r, TN_UNROLL);
  }
  tn_make_tasks(s, work, packed ? 1 : TN_MAX_RANGES);   // more would pack the same panel again
}

static void tn_optimize_elementwise(tn_kernel_state *s, const tn_profile *p, const tn_target *target) {
  tiny_ctx *t = s->t;
  const int most = tn_target_lanes(target, p);
  const double work = tn_work(p);
  tiny_uop *best = NULL;
  double score = 0.5;
  for (int i = 0; i < p->nout; i++) {
    const double now = tn_lanes_score(t, p, p->out[i], 1);
    if (tn_lanes_for(tn_range_extent(p->out[i]), most) > 1 && now >= score) { best = p->out[i]; score = now; }
  }
  int v_in_scope = 0;
  for (int j = 0; best && j < p->nreduce; j++) v_in_scope |= tn_depends(t, p->reduce[j], best);
  if (best) tn_move_split(s, best, tn_lanes_for(tn_range_extent(best), most), TN_VECTOR, 0, NULL);
  if (!v_in_scope) for (int i = 0; i < p->nred; i++) {   // rows: every pass over the row gets lanes
    const int64_t lanes = tn_lanes_for(tn_range_extent(p->red[i]), most);
    tiny_uop *rest;
    if (lanes < 2 || tn_lanes_score(t, p, p->red[i], 0) < 0.5) continue;
    tn_move_split(s, p->red[i], lanes, TN_VECTOR, 0, &rest);
    if (rest && tn_range_extent(rest) % 4 == 0) tn_move_split(s, rest, 4, TN_UNROLL, 0, NULL);
  }
  s->sink = tn_simplify(t, s->sink);
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
  tn_join_ranges(&s);
  tn_profile_kernel(t, s.sink, &p);
  if (!p.usable) return s.sink;
  if (!target->limits->threads) tn_optimize_gpu(&s, &p, target);
  else if (p.nreduce == 1 && !p.row) tn_optimize_reduce(&s, &p, target);
  else tn_optimize_elementwise(&s, &p, target);
  return s.sink;
}
#endif
