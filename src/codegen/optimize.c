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
#include "running.c"
#endif

enum { TN_TASK_WORK = 1 << 16, TN_MAX_TASKS = 64, TN_STAGE_MAX_NBYTES = 1 << 19, TN_PACK_REDUCE = 64,
  TN_WINDOW = 3, TN_FAR = 16, TN_ACROSS = 64, TN_SCAN_CHAINS = 4, TN_SCAN_VECTORS = 8, TN_CACHE_LINE = 64,
  TN_SCATTER_TASKS = 8, TN_SCATTER_ITEMS = 32, TN_ROW_COST = 10, TN_ROW_NBYTES = 1 << 16 };
#define TN_STRIDED_LOAD 0.8                // of a lane, in vector instructions

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

// The widest vector, at most `most` lanes, for a range: one that divides it or, with edges allowed, fits in it.
static int64_t tn_lanes_for(int64_t extent, int64_t most, int edges) {
  while (most > 1 && (edges ? extent < most : extent % most)) most /= 2;
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
  tiny_uop *v, *u[2];                      // v becomes lanes, u are repeated; NULL: none
  int lanes, v_in_reduce, packs;           // packs: what is read as vectors is packed first
  int64_t vectors, f[2];                   // copies of v's lanes, of u
  double cost;
} tn_tile;

typedef struct tn_reads {                  // how a load of the kernel moves with a tile's ranges
  int64_t stride, nbytes;                  // stride: in v
  int v, u[2], reduce;                     // does it depend on them?
} tn_reads;

// How many times f covers r.
static int64_t tn_tiles_of(const tiny_uop *r, int64_t f) { return r ? (tn_range_extent(r) + f - 1) / f : 1; }
// What is computed, edges twice, for what is wanted.
static double tn_tile_waste(const tiny_uop *r, int64_t f) {
  return r ? (double)(tn_tiles_of(r, f) * f) / (double)tn_range_extent(r) : 1;
}

// Is an operand of this tile worth a panel? A product of two operands, the panel read again for several tiles of rows.
static int tn_tile_packs(const tn_profile *p, const tn_reads *reads, const tn_target *target, const tn_tile *c) {
  const int64_t most = (int64_t)target->limits->cache_nbytes / 2, width = c->lanes * c->vectors;
  int operands = 0, panel = -1;
  if (!c->v || c->v_in_reduce || c->f[0] < 2 || p->nred != 1 || tn_tiles_of(c->v, width) < 2 ||
      tn_tiles_of(c->u[0], c->f[0]) < 4 || tn_range_extent(p->red[0]) < TN_PACK_REDUCE)
    return 0;
  for (int i = 0; i < p->nload; i++) {
    operands += reads[i].reduce;
    if (reads[i].reduce && reads[i].v && !reads[i].u[0]) panel = i;
  }
  if (operands != 2 || panel < 0) return 0;
  const int64_t nbytes = tn_range_extent(p->red[0]) * width * reads[panel].nbytes;
  return nbytes <= TN_STAGE_MAX_NBYTES && (nbytes <= most || !most);
}

// Vector instructions per element of a candidate tile: loads, multiply-adds, the loop's own.
static double tn_tile_cost(const tn_profile *p, const tn_reads *reads, const tn_tile *c) {
  const double fmas = (double)(c->vectors * c->f[0] * c->f[1]);
  double loads = 0;
  for (int i = 0; i < p->nload; i++) {
    double n = reads[i].v ? (double)c->vectors : 1;
    for (int j = 0; j < 2; j++) if (reads[i].u[j]) n *= (double)c->f[j];
    const int packed = c->packs && reads[i].reduce && reads[i].v && !reads[i].u[0];
    const double each = reads[i].stride == 1 ? 1 : TN_STRIDED_LOAD * c->lanes;
    if (packed) loads += n * (1 + each / (double)tn_tiles_of(c->u[0], c->f[0]));
    else loads += n * (reads[i].v ? each : 0.5);
  }
  return (loads + fmas + 1.5) / (fmas * c->lanes) * tn_tile_waste(c->u[0], c->f[0]) *
      tn_tile_waste(c->u[1], c->f[1]) * tn_tile_waste(c->v, c->lanes * c->vectors);
}

static const int64_t tn_tile_sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14};

// May parts of f cover r? Where edges may be computed twice, f need not divide it.
static int tn_tile_fits(const tiny_uop *r, int64_t f, int edges) {
  return f == 1 || (r && (tn_range_extent(r) % f == 0 || (edges && f < tn_range_extent(r))));
}

static void tn_tile_try(tiny_ctx *t, const tn_profile *p, const tn_target *target, tn_tile c, tn_tile *best) {
  tn_reads reads[TN_MAX_ACCESSES];
  for (int i = 0; i < p->nload; i++) {
    tiny_uop *at = p->load[i]->src[1];
    reads[i].stride = c.v ? tn_stride_in(t, at, c.v) : 0;
    reads[i].v = reads[i].stride != 0;
    for (int j = 0; j < 2; j++) reads[i].u[j] = c.u[j] && tn_stride_in(t, at, c.u[j]) != 0;
    reads[i].reduce = p->nred && tn_depends(t, p->load[i], p->red[0]);
    reads[i].nbytes = tn_dtypes[p->load[i]->dtype].nbytes;
  }
  const int most_vectors = !c.v || c.v_in_reduce ? 1 : 4, sizes = (int)(sizeof tn_tile_sizes / sizeof *tn_tile_sizes);
  for (c.vectors = 1; c.vectors <= most_vectors; c.vectors *= 2) {
    if (c.v && !tn_tile_fits(c.v, c.lanes * c.vectors, p->repeats || c.v_in_reduce)) break;
    for (int i = 0; i < sizes * sizes; i++) {
      c.f[0] = tn_tile_sizes[i / sizes]; c.f[1] = tn_tile_sizes[i % sizes];
      if (!tn_tile_fits(c.u[0], c.f[0], p->repeats) || !tn_tile_fits(c.u[1], c.f[1], p->repeats) ||
          c.vectors * (c.f[0] * c.f[1] + 1) + 2 > target->limits->vector_registers)
        continue;
      c.packs = tn_tile_packs(p, reads, target, &c);
      c.cost = tn_tile_cost(p, reads, &c);
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
      const int64_t n = tn_range_extent(c.v);
      c.lanes = c.v_in_reduce && n >= 4 * most ? most : (int)tn_lanes_for(n, most, p->repeats && !c.v_in_reduce);
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

// Packs the operand that the inner loop reads as vectors, again for every tile of the range `again`.
static int tn_pack(tn_kernel_state *s, tiny_uop *const *inner, int ninner, const tiny_uop *again) {
  tiny_ctx *t = s->t;
  tn_list loads = {NULL, 0, 0};
  tn_collect_op(t, s->sink, TINY_OP_LOAD, &loads);
  for (int i = 0; i < loads.n; i++) {
    tiny_uop *load = loads.u[i];
    int n = 0;
    if (load->src[0]->src[0]->op != TINY_OP_PARAM || tn_depends(t, load, again)) continue;
    while (n < ninner && tn_depends(t, load, inner[n])) n++;
    if (n < ninner) continue;
    tn_move_stage(s, load, n, inner, TN_SPACE_LOCAL);
    return 1;
  }
  return 0;
}

// The ranges that a tile leaves behind: rows and columns count tiles, vectors and lanes lie within one.
typedef struct tn_tiled { tiny_uop *rows, *columns, *vectors, *lanes; } tn_tiled;

static tn_tiled tn_tile_apply(tn_kernel_state *s, const tn_tile *c) {
  tn_tiled x = {NULL, NULL, NULL, NULL};
  tiny_uop *second;
  if (c->u[0] && c->f[0] > 1) tn_move_split(s, c->u[0], c->f[0], TN_UPCAST, 0, &x.rows);
  if (c->u[1] && c->f[1] > 1) tn_move_split(s, c->u[1], c->f[1], TN_UPCAST, 0, &second);
  if (!c->v) return x;
  if (c->vectors > 1) {
    tiny_uop *width = tn_move_split(s, c->v, c->lanes * c->vectors, TN_LOOP, 0, &x.columns);
    x.lanes = tn_move_split(s, width, c->lanes, TN_VECTOR, 0, &x.vectors);
    x.vectors = tn_move_kind(s, x.vectors, TN_UPCAST);
    return x;
  }
  tiny_uop *v = c->v_in_reduce && tn_range_extent(c->v) % c->lanes ? tn_move_pad(s, c->v, c->lanes) : c->v;
  x.lanes = tn_move_split(s, v, c->lanes, TN_VECTOR, 0, &x.columns);
  if (!x.columns || !c->v_in_reduce) return x;
  int64_t f = c->f[0] * c->f[1] > 1 ? 2 : 8;   // vectors folded before the accumulator has to wait
  while (tn_range_extent(x.columns) % f) f /= 2;
  if (f > 1) tn_move_split(s, x.columns, f, TN_UNROLL, 0, &x.columns);
  return x;
}

// A reduction of products that reads one operand as vectors, again for every tile of rows: columns
// loop outside of rows, and the panel of that operand is packed once for each.
static int tn_tile_pack(tn_kernel_state *s, const tn_profile *p, const tn_tile *c, const tn_tiled *x) {
  tiny_uop *inner[3];
  int n = 0;
  if (!c->packs || !x->rows || !x->columns) return 0;
  inner[n++] = p->red[0];
  if (x->vectors) inner[n++] = x->vectors;
  inner[n++] = x->lanes;
  for (int i = 0; i < p->nout && p->out[i] != x->columns; i++)
    if (p->out[i] == x->rows) {
      tn_move_swap(s, x->rows, x->columns);
      break;
    }
  return tn_pack(s, inner, n, x->rows);
}

static void tn_optimize_reduce(tn_kernel_state *s, tn_profile *p, const tn_target *target) {
  const double work = tn_work(p);
  const tn_tile c = tn_tile_choose(s->t, p, target);
  const tn_tiled x = tn_tile_apply(s, &c);
  s->sink = tn_simplify(s->t, s->sink);
  tn_profile_kernel(s->t, s->sink, p);
  if (!p->usable) return;
  const int packed = tn_tile_pack(s, p, &c, &x);
  for (int i = 0; i < p->nred; i++) {      // short windows (3x3) unroll whole
    tiny_uop *r = p->red[i];
    if (tn_range_kind(r) == TN_REDUCE && r != x.columns && tn_range_extent(r) <= TN_WINDOW &&
        c.vectors * c.f[0] * c.f[1] <= 32)
      tn_move_kind(s, r, TN_UNROLL);
  }
  tn_make_tasks(s, work, packed ? 1 : TN_MAX_RANGES);   // more would pack the same panel again
}

// ** CPU: rows **

static double tn_expression_cost(tiny_ctx *t, tiny_uop *u) {
  tn_list all = {NULL, 0, 0};
  double cost = 0;
  tn_toposort(t, u, &all);
  for (int i = 0; i < all.n; i++)
    if (tn_is_float(all.u[i]->dtype) && all.u[i]->op != TINY_OP_REDUCE) cost += tn_op_cost(all.u[i]);
  return cost;
}

// The greatest expression that the store and a REDUCE over its row both compute, *of_reduce as the REDUCE has
// it; NULL where it costs little.
static tiny_uop *tn_row_shared(tiny_ctx *t, const tn_profile *p, tiny_uop *j, tiny_uop *reduce,
                               tiny_uop **of_reduce) {
  tn_list body = {NULL, 0, 0}, value = {NULL, 0, 0};
  tn_map same = {NULL, NULL, 0, 0};
  tiny_uop *r = reduce->src[1];
  tn_toposort(t, reduce->src[0], &body);
  tn_toposort(t, p->end->src[0]->src[1], &value);
  for (int i = 0; i < body.n; i++)
    if (tn_op_is_elementwise(body.u[i]->op) && tn_is_float(body.u[i]->dtype) && tn_depends(t, body.u[i], r))
      tn_map_set(t, &same, tn_replace(t, body.u[i], 1, &r, &j), body.u[i]);
  for (int i = value.n - 1; i >= 0; i--) {
    if (!tn_map_has(&same, value.u[i])) continue;
    *of_reduce = (tiny_uop *)tn_map_get(&same, value.u[i]);
    return tn_expression_cost(t, value.u[i]) >= TN_ROW_COST ? value.u[i] : NULL;
  }
  return NULL;
}

// What a row costs to compute, such as the exponentials of a softmax, is kept for the passes that come after.
static int tn_stage_row(tn_kernel_state *s, const tn_profile *p, int most) {
  tiny_ctx *t = s->t;
  tiny_uop *j = NULL, *from[2], *to[2], *src[3], *at[2];
  for (int i = 0; i < p->nout; i++) {
    int in_scope = 1;
    for (int k = 0; k < p->nreduce; k++) in_scope &= tn_depends(t, p->reduce[k], p->out[i]);
    if (in_scope) continue;
    if (j) return 0;
    j = p->out[i];
  }
  if (!j || p->end->op != TINY_OP_END || tn_stride_in(t, p->store->src[1], j) != 1) return 0;
  const int64_t n = tn_range_extent(j), lanes = tn_lanes_for(n, most, 0);
  for (int k = 0; k < p->nreduce; k++) {
    tiny_uop *reduce = p->reduce[k];
    if (lanes < 2 || reduce->nsrc != 2 || tn_range_extent(reduce->src[1]) != n) continue;
    from[0] = tn_row_shared(t, p, j, reduce, &from[1]);
    if (!from[0] || n * tn_dtypes[from[0]->dtype].nbytes > TN_ROW_NBYTES) continue;
    src[1] = tn_range(t, n / lanes, TN_LOOP);
    src[2] = tn_range(t, lanes, TN_VECTOR);
    at[1] = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, src[1], tn_index(t, lanes)), src[2]);
    if (n == lanes) at[1] = src[2];
    src[0] = tn_replace(t, from[0], 1, &j, &at[1]);
    if (n == lanes) src[1] = src[2];
    const int split = n == lanes ? 2 : 3;
    at[0] = tn_uop_make(t, TINY_OP_STAGE, from[0]->dtype, 1, split, src, TN_SPACE_LOCAL, 0, NULL);
    for (int i = 0; i < 2; i++) {
      at[1] = i ? reduce->src[1] : j;
      tiny_uop *index = tn_uop_make(t, TINY_OP_INDEX, at[0]->dtype, 1, 2, at, 0, 0, NULL);
      to[i] = tn_uop_make(t, TINY_OP_LOAD, at[0]->dtype, 1, 1, &index, 0, 0, NULL);
    }
    s->sink = tn_replace(t, s->sink, 2, from, to);
    return 1;
  }
  return 0;
}

// A transposition: what is contiguous in v is read across, along another output range. Blocks of that range go
// through v together, so that lines of both are used whole while they are near.
static void tn_block_across(tn_kernel_state *s, const tn_profile *p, tiny_uop *v, tiny_uop *columns) {
  for (int i = 0; i < p->nload; i++) {
    const int64_t stride = tn_stride_in(s->t, p->load[i]->src[1], v);
    if (stride == TN_IRREGULAR || (stride < TN_FAR && stride > -TN_FAR)) continue;
    for (int j = 0; j < p->nout; j++) {
      if (p->out[j] == v || tn_stride_in(s->t, p->load[i]->src[1], p->out[j]) != 1) continue;
      tiny_uop *block = p->out[j];
      if (tn_tile_fits(block, TN_ACROSS, p->repeats)) block = tn_move_split(s, block, TN_ACROSS, TN_LOOP, 0, NULL);
      tn_move_swap(s, block, columns);
      return;
    }
  }
}

// Does one REDUCE fold range red[i] and one of those in `taken`?
static int tn_is_reduced_with(const tn_profile *p, int i, uint32_t taken) {
  for (int j = 0; j < p->nreduce; j++) {
    uint32_t folds = 0;
    for (int k = 0; k < p->nred; k++)
      for (uint32_t n = 1; n < p->reduce[j]->nsrc; n++) if (p->reduce[j]->src[n] == p->red[k]) folds |= 1u << k;
    if ((folds >> i & 1) && (folds & taken)) return 1;
  }
  return 0;
}

static void tn_optimize_elementwise(tn_kernel_state *s, tn_profile *p, const tn_target *target) {
  tiny_ctx *t = s->t;
  if (p->row && tn_stage_row(s, p, tn_target_lanes(target, p))) tn_profile_kernel(t, s->sink, p);
  const int most = tn_target_lanes(target, p);
  const double work = tn_work(p);
  tiny_uop *best = NULL;
  double score = 0.5;
  for (int i = 0; i < p->nout; i++) {
    const double now = tn_lanes_score(t, p, p->out[i], 1);
    if (tn_lanes_for(tn_range_extent(p->out[i]), most, p->repeats) < 2 || now < score) continue;
    best = p->out[i];
    score = now;
  }
  int v_in_scope = 0;
  uint32_t taken = 0;                      // bit i: red[i] became lanes
  for (int j = 0; best && j < p->nreduce; j++) v_in_scope |= tn_depends(t, p->reduce[j], best);
  tiny_uop *columns = NULL;
  if (best)
    tn_move_split(s, best, tn_lanes_for(tn_range_extent(best), most, p->repeats), TN_VECTOR, 0, &columns);
  if (columns && !p->nreduce) tn_block_across(s, p, best, columns);
  if (!v_in_scope) for (int i = 0; i < p->nred; i++) {   // rows: every pass over the row gets lanes, once
    if (tn_lanes_score(t, p, p->red[i], 0) < 0.5 || tn_is_reduced_with(p, i, taken)) continue;
    const int64_t n = tn_range_extent(p->red[i]);
    tiny_uop *rest, *r = n >= 4 * most && n % most ? tn_move_pad(s, p->red[i], most) : p->red[i];
    const int64_t lanes = tn_lanes_for(tn_range_extent(r), most, 0);
    if (lanes < 2) continue;
    taken |= 1u << i;
    tn_move_split(s, r, lanes, TN_VECTOR, 0, &rest);
    if (rest && tn_range_extent(rest) % 4 == 0) tn_move_split(s, rest, 4, TN_UNROLL, 0, NULL);
  }
  s->sink = tn_simplify(t, s->sink);
  tn_make_tasks(s, work, TN_MAX_RANGES);
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
  tn_join_ranges(&s);
  if (tn_optimize_scatter(&s, target)) return s.sink;
  tn_profile_kernel(t, s.sink, &p);
  if (!p.usable) return s.sink;
  if (!target->limits->threads) tn_optimize_gpu(&s, &p, target);
  else if (p.carried) tn_optimize_scan(&s, &p, target);
  else if (p.nreduce == 1 && !p.row) tn_optimize_reduce(&s, &p, target);
  else tn_optimize_elementwise(&s, &p, target);
  return s.sink;
}
#endif
