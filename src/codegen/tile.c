// tile: reductions on a CPU: a tile of outputs is held in registers while the reduction runs.
//
// In:  a kernel of one REDUCE, its profile, a machine. Out: opts for the tile that costs least: sizes are found by
//      trying all that fit the register file, each priced as a loop's body is (machine/costs.c).
// Of a contraction, the operand that is read again for every tile of rows is packed into a panel by STAGE (packing of
// B, as in Goto and BLIS). A reduction too long for a panel of the nearer cache goes in K blocks, whose sums stay in
// memory between them. Rows that are whole pages apart then, and rows that are converted always, are packed too
// (packing of A): a block of them stays in the cache, and is read for several panels.
#ifndef TN_CODEGEN_TILE
#define TN_CODEGEN_TILE
#ifndef TINY_AMALGAMATED
#include "lanes.c"
#include "cost.c"
#endif

enum {
  TN_TILE_LOADS = 24,                      // of a kernel that gets a tile: the search for one looks at each many times
  TN_FAR_NBYTES = TN_PAGE_NBYTES / 2,      // from which prefetches do not follow rows
  TN_STAGE_MAX_NBYTES = 1 << 19, TN_PACK_REDUCE = 64,
  TN_WINDOW = 3, TN_WINDOW_COPIES = 32,    // a range that unrolls whole, and the copies of its sum that a tile may have
  TN_BLOCK_TILES = 16,                     // tiles of rows that pay for a panel
  TN_ACROSS_WIDTH = 32                     // columns that pay for a copy, of rows a page apart
};

typedef struct tn_tile {
  tiny_uop *v, *u[2];                      // v becomes lanes, u are repeated; NULL: none
  int lanes, v_in_reduce, packs, packs_rows;   // packs: what is read as vectors is packed first; the other too
  int scatters;                            // lanes are stored apart from each other
  int64_t vectors, f[2];                   // copies of v's lanes, of u
  int64_t kblock;                          // of the reduction, that a panel holds
  uint32_t distant;                        // bit i: rows of load i lie pages apart, in memory that no cache holds
  double cost, after;                      // after: of what an element's sum goes through, in instructions
} tn_tile;

typedef struct tn_reads {                  // how a load of the kernel moves with a tile's ranges
  int64_t stride, apart;                   // in v, in u[0]
  int v, u[2], reduce, again;              // does it depend on them? again: its word is read already
  int beside[2], streams[2];               // neighbours in u: share cache lines; are streams from memory of their own
} tn_reads;

// What is computed, edges twice, for what is wanted.
static double tn_tile_waste(const tiny_uop *r, int64_t f) {
  return r ? (double)(tn_tiles_of(r, f) * f) / (double)tn_range_extent(r) : 1;
}

// What of the nearer cache a panel may take.
static int64_t tn_panel_nbytes(const tn_target *target) {
  const int64_t half = tn_machine_near(target->limits) / 2;
  return half < TN_STAGE_MAX_NBYTES ? half : (int64_t)TN_STAGE_MAX_NBYTES;
}

// Are the rows of this load worth packing beside the panel? If they are converted; if it takes K blocks to read them
// and they are whole pages apart: few sets of the caches and few banks of memory hold them.
static int tn_tile_packs_rows(const tn_profile *p, const tn_reads *reads, int i, int is_kblocked) {
  const tiny_uop *product = p->reduce[0]->src[0];
  const int nbytes = tn_dtypes[p->load[i]->dtype].nbytes, together = product->op == TINY_OP_DOT ?
      tn_dot_values(product->k) : 1;
  if (nbytes * together < tn_dtypes[p->reduce[0]->dtype].nbytes) return 1;
  return is_kblocked && reads[i].apart != TN_IRREGULAR && reads[i].apart * nbytes % TN_PAGE_NBYTES == 0;
}

// Is an operand of this tile worth a panel? Of a contraction whose operands are one load each, the one that moves with
// the lanes and not with rows, read again for several tiles of them. A reduction too long for one panel goes in K
// blocks, as even as can be; short ones, where rows are packed.
static int tn_tile_packs(const tn_profile *p, const tn_contraction *fact, const tn_reads *reads,
                         const tn_target *target, tn_tile *c) {
  const int64_t width = c->lanes * c->vectors;
  int operands = 0, panels = 0, rows = -1;
  if (!fact || !c->v || c->v_in_reduce || c->f[0] < 2 || tn_tiles_of(c->v, width) < 2 ||
      tn_tiles_of(c->u[0], c->f[0]) < 4 || tn_range_extent(p->red[0]) < TN_PACK_REDUCE)
    return 0;
  const uint64_t lanes = tn_out_bit(p, c->v), again = tn_out_bit(p, c->u[0]);
  for (int i = 0; i < 2; i++) panels += (tn_operand_axes(fact, i) & (lanes | again)) == lanes;
  for (int i = 0; i < p->nload; i++) {
    operands += reads[i].reduce && !reads[i].again;
    if (reads[i].reduce && !reads[i].v && reads[i].u[0]) rows = i;
  }
  if (operands != 2 || !panels) return 0;
  const int64_t nbytes = width * tn_dtypes[p->reduce[0]->dtype].nbytes;
  const int64_t n = tn_range_extent(p->red[0]);
  int64_t most = tn_panel_nbytes(target) / nbytes;
  c->packs_rows = rows >= 0 && tn_tile_packs_rows(p, reads, rows, n > most);
  if (c->packs_rows && most > TN_KBLOCK_PAYS) most = TN_KBLOCK_PAYS;
  c->kblock = n / tn_tiles_of(p->red[0], most);
  return c->kblock > 1;
}

// Do the rows of load i that a tile reads side by side push each other out of the nearest cache?
static int tn_tile_conflicts(const tn_profile *p, const tn_reads *read, const tiny_memory_level *nearest, int i,
                          int64_t rows) {
  return read->u[0] && read->apart != TN_IRREGULAR &&
      tn_cost_conflicts((double)rows, read->apart * tn_dtypes[p->load[i]->dtype].nbytes, nearest);
}

// Vector instructions per element of a candidate tile: loads, multiply-adds, the loop's own; what comes before
// and after the reduction is shared by all it reduces.
static double tn_tile_cost(const tn_profile *p, const tn_reads *reads, const tiny_memory_level *nearest,
                           const tn_tile *c) {
  const double fmas = (double)(c->vectors * c->f[0] * c->f[1]);
  double loads = c->packs && c->kblock < tn_range_extent(p->red[0]) ? TN_KBLOCK_COST * fmas / (double)c->kblock : 0;
  double reduced = 1, once = fmas * (c->scatters ? TN_SCATTERED_STORE * c->lanes : 1);
  for (int i = 0; i < p->nred; i++) reduced *= (double)tn_range_extent(p->red[i]);
  once += fmas * c->after;
  if (c->v_in_reduce) {                    // sums of lanes are reduced, and what comes then is scalar
    once += fmas * TN_HREDUCE_COST;
    reduced /= c->lanes;
  }
  for (int i = 0; i < p->nload; i++) {
    double n = reads[i].again ? 0 : reads[i].v ? 1 + TN_NEXT_LOAD * (double)(c->vectors - 1) : 1;
    if (c->distant >> i & 1 && reads[i].v) n += TN_FAR_ROW;
    for (int j = 0; j < 2; j++)
      if (reads[i].u[j])
        n *= 1 + (reads[i].beside[j] ? TN_NEXT_LOAD : reads[i].streams[j] ? 1 + TN_FAR_ROW : 1) * (double)(c->f[j] - 1);
    if (c->v_in_reduce && reads[i].v && tn_tile_conflicts(p, &reads[i], nearest, i, c->f[0])) n *= TN_CONFLICTING_LOAD;
    const int packed = c->packs && reads[i].reduce && reads[i].v && !reads[i].u[0];
    const double each = tn_load_cost(reads[i].stride, c->lanes, 1);
    if (packed) loads += n * (1 + each / (double)tn_tiles_of(c->u[0], c->f[0]));
    else if (reads[i].reduce) loads += n * each;
    else once += n * each;
  }
  const double cycles = tn_body_cost(fmas, loads, TN_SUM_WAIT) + TN_LOOP_COST + once / reduced;
  return cycles / (fmas * c->lanes) * tn_tile_waste(c->u[0], c->f[0]) * tn_tile_waste(c->u[1], c->f[1]) *
      tn_tile_waste(c->v, c->lanes * c->vectors);
}

static const int64_t tn_tile_sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14};

// Registers of a tile: its sums, and of what they are products of the fewer, vectors or others, which stay while the
// others come one by one; each product takes its own as it comes where no two share one.
static int64_t tn_tile_registers(const tn_profile *p, const tn_reads *reads, const tn_tile *c) {
  const int64_t sums = c->vectors * c->f[0] * c->f[1];
  int64_t vectors = c->vectors, others = 1;
  if (sums == c->vectors) return sums + 3;
  for (int i = 0; i < p->nload; i++) {
    int64_t n = reads[i].v ? c->vectors : 1;
    if (!reads[i].reduce) continue;
    for (int j = 0; j < 2; j++) if (reads[i].u[j]) n *= c->f[j];
    if (reads[i].v && n > vectors) vectors = n;
    if (!reads[i].v && n > others) others = n;
  }
  return sums + (others > c->vectors && others < vectors ? others : vectors) + 2;
}

// How many bytes apart do rows of load i, read side by side, disturb each other as streams from memory? Those of what
// every output has for itself, so that it is read once: whole pages where the nearer cache does not hold it and the
// results, lines where the outer ones do not. 0: never. The rows of distant loads are counted otherwise.
static int64_t tn_tile_streams(tiny_ctx *t, const tn_profile *p, const tn_target *target, int i) {
  const tiny_uop *memory = p->load[i]->src[0];
  const int64_t nearer = tn_machine_near(target->limits), last = (int64_t)tn_machine_memory(target->limits, 2).nbytes;
  if (memory->op != TINY_OP_PARAM) return 0;
  for (int j = 0; j < p->nout; j++) if (!tn_depends(t, p->load[i], p->out[j])) return 0;
  const int64_t nbytes = tn_memory_nelem(memory) * tn_dtypes[p->load[i]->dtype].nbytes +
      tn_memory_nelem(p->store->src[0]) * tn_dtypes[p->store->dtype].nbytes;
  return nbytes > last ? tn_machine_line(target->limits) : nbytes > nearer ? (int64_t)TN_PAGE_NBYTES : 0;
}

static void tn_tile_try(tiny_ctx *t, const tn_profile *p, const tn_contraction *fact, const tn_target *target,
                        tn_tile c, tn_tile *best) {
  tn_reads reads[TN_TILE_LOADS];
  memset(reads, 0, sizeof reads);
  for (int i = 0; i < p->nload; i++) {
    tiny_uop *at = p->load[i]->src[1];
    const int64_t apart = c.v && !c.v_in_reduce && !(c.distant >> i & 1) ? tn_tile_streams(t, p, target, i) : 0;
    reads[i].stride = c.v ? tn_stride_in(t, at, c.v) : 0;
    reads[i].v = reads[i].stride != 0;
    reads[i].apart = c.u[0] ? tn_stride_in(t, at, c.u[0]) : 0;
    for (int j = 0; j < 2; j++) {
      const int64_t stride = c.u[j] ? tn_stride_in(t, at, c.u[j]) : 0,
                    line = tn_machine_line(target->limits) / tn_dtypes[p->load[i]->dtype].nbytes;
      reads[i].u[j] = stride != 0;
      reads[i].beside[j] = stride > -line && stride < line;
      reads[i].streams[j] = apart && stride != TN_IRREGULAR &&
          llabs(stride) * tn_dtypes[p->load[i]->dtype].nbytes >= apart;
    }
    reads[i].reduce = 0;
    for (int j = 0; j < p->nred; j++) reads[i].reduce |= tn_depends(t, p->load[i], p->red[j]);
    if (!reads[i].reduce) reads[i].streams[0] = reads[i].streams[1] = 0;
    reads[i].again = 0;
    for (int j = 0; j < i && p->reduce[0]->src[0]->op == TINY_OP_DOT; j++)
      reads[i].again |= p->load[j]->src[0] == p->load[i]->src[0] && !reads[j].again &&
          !memcmp(&reads[j], &reads[i], sizeof *reads);
  }
  const tiny_memory_level nearest = tn_machine_memory(target->limits, 0);
  const int most_vectors = !c.v || c.v_in_reduce ? 1 : 16, sizes = (int)(sizeof tn_tile_sizes / sizeof *tn_tile_sizes);
  for (c.vectors = 1; c.vectors <= most_vectors; c.vectors *= 2) {
    if (c.v && !tn_tile_fits(c.v, c.lanes * c.vectors, p->repeats || c.v_in_reduce)) break;
    for (int i = 0; i < sizes * sizes; i++) {
      c.f[0] = tn_tile_sizes[i / sizes]; c.f[1] = tn_tile_sizes[i % sizes];
      if (!tn_tile_fits(c.u[0], c.f[0], p->repeats) || !tn_tile_fits(c.u[1], c.f[1], p->repeats) ||
          tn_tile_registers(p, reads, &c) > tn_machine_registers(target->limits))
        continue;
      c.packs = tn_tile_packs(p, fact, reads, target, &c);
      c.cost = tn_tile_cost(p, reads, &nearest, &c);
      if (c.cost < best->cost) *best = c;
    }
  }
}

// May the lanes of v be stored apart? Where they lie together in what is read, and many products make one element.
static int tn_tile_may_scatter(tiny_ctx *t, const tn_profile *p, tiny_uop *v, int lanes) {
  int together = 0;
  double iterations = 1;
  for (int i = 0; i < p->nred; i++) iterations *= (double)tn_range_extent(p->red[i]);
  for (int i = 0; i < p->nload; i++)
    for (int j = 0; j < p->nred; j++)
      together |= tn_depends(t, p->load[i], p->red[j]) && tn_stride_in(t, p->load[i]->src[1], v) == 1;
  return together && iterations >= 2 * lanes;
}

// What comes after the sum of an element, in instructions.
static double tn_tile_after(tiny_ctx *t, const tn_profile *p) {
  const tiny_uop *store = p->end->op == TINY_OP_END ? p->end->src[0] : p->end;
  tn_list all = {NULL, 0, 0}, before = {NULL, 0, 0};
  double cost = 0;
  tn_toposort(t, store->src[1], &all);
  tn_toposort(t, p->reduce[0], &before);
  for (int i = 0; i < all.n; i++) if (tn_is_float(all.u[i]->dtype)) cost += tn_op_cost(all.u[i]);
  for (int i = 0; i < before.n; i++) if (tn_is_float(before.u[i]->dtype)) cost -= tn_op_cost(before.u[i]);
  return cost > 0 ? cost : 0;
}

// The loads, a bit each, whose rows lie pages apart in memory that no cache holds.
static uint32_t tn_tile_far(tiny_ctx *t, const tn_profile *p, const tn_target *target) {
  uint32_t distant = 0;
  for (int i = 0; i < p->nload && p->nred; i++) {
    const tiny_uop *memory = p->load[i]->src[0];
    const int64_t each = tn_dtypes[p->load[i]->dtype].nbytes;
    if (memory->op == TINY_OP_PARAM && tn_memory_nelem(memory) * each > tn_machine_near(target->limits) &&
        tn_stride_in(t, p->load[i]->src[1], p->red[p->nred - 1]) >= TN_FAR_NBYTES / each)
      distant |= (uint32_t)1 << i;
  }
  return distant;
}

// The best tile over every choice of lanes and of one or two more output ranges.
static tn_tile tn_tile_choose(tiny_ctx *t, const tn_profile *p, const tn_target *target) {
  tn_tile best, c;
  tn_contraction found;
  const tn_contraction *fact = p->nred == 1 && tn_contraction_of_kernel(t, p, &found) ? &found : NULL;
  memset(&best, 0, sizeof best);
  best.cost = HUGE_VAL; best.lanes = 1; best.vectors = best.f[0] = best.f[1] = 1;
  const int most = tn_target_lanes(target, p);
  const double after = tn_tile_after(t, p);
  const uint32_t distant = tn_tile_far(t, p, target);
  for (int i = -1; i < p->nout + p->nred; i++) {
    memset(&c, 0, sizeof c);
    c.lanes = 1; c.vectors = c.f[0] = c.f[1] = 1;
    c.after = after; c.distant = distant;
    if (i >= 0) {
      c.v = i < p->nout ? p->out[i] : p->red[i - p->nout];
      c.v_in_reduce = i >= p->nout;
      const int64_t n = tn_range_extent(c.v);
      c.lanes = c.v_in_reduce && n >= 4 * most ? most : (int)tn_lanes_for(n, most, p->repeats && !c.v_in_reduce);
      c.scatters = !c.v_in_reduce && tn_stride_in(t, p->store->src[1], c.v) != 1;
      if (c.lanes < 2 || (c.scatters && !tn_tile_may_scatter(t, p, c.v, c.lanes))) continue;
    }
    tn_tile_try(t, p, fact, target, c, &best);
    for (int a = 0; a < p->nout; a++) if (p->out[a] != c.v) {
      c.u[0] = p->out[a]; c.u[1] = NULL;
      tn_tile_try(t, p, fact, target, c, &best);
      for (int b = a + 1; b < p->nout; b++)
        if (p->out[b] != c.v) {
          c.u[1] = p->out[b];
          tn_tile_try(t, p, fact, target, c, &best);
        }
    }
  }
  return best;
}

// ** packing **

// Does x move with copies of the tile other than these axes? It is not one panel then: of a window's rows, say.
static int tn_moves_with_copies(tiny_ctx *t, tiny_uop *x, tiny_uop *const *inner, int ninner) {
  tn_list copies = {NULL, 0, 0};
  tn_open_ranges(t, x, tn_is_parallel, &copies);
  for (int i = 0; i < copies.n; i++) {
    int named = 0;
    for (int j = 0; j < ninner; j++) named |= inner[j] == copies.u[i];
    if (!named) return 1;
  }
  return 0;
}

// Packs the operand that the inner loop reads as vectors, again for every tile of the range `again`: with all that is
// computed from what it loads, or what it loads where the rest moves with `again`.
static tiny_uop **tn_pack(tn_kernel_state *s, tiny_uop *const *inner, int ninner, const tiny_uop *again) {
  tiny_ctx *t = s->t;
  tn_contraction fact;
  tn_list operands = {NULL, 0, 0};
  const tn_list loads = tn_kernel_collect(s, TINY_OP_LOAD);
  const tn_profile p = tn_profile_of(s);
  for (int i = 0; i < 2 && p.nred == 1 && tn_contraction_of_kernel(t, &p, &fact); i++)
    tn_push(t, &operands, fact.operand[i]);
  for (int i = 0; i < loads.n; i++) tn_push(t, &operands, loads.u[i]);
  for (int i = 0; i < operands.n; i++) {
    tiny_uop *x = operands.u[i];
    int n = 0;
    if (x->op == TINY_OP_LOAD && x->src[0]->src[0]->op != TINY_OP_PARAM) continue;
    while (n < ninner && tn_depends(t, x, inner[n])) n++;
    if (n < ninner || tn_depends(t, x, again) || tn_moves_with_copies(t, x, inner, ninner)) continue;
    return tn_do_stage(s, x, n, inner, 0);
  }
  return NULL;
}

// The STAGE that has range r.
static const tiny_uop *tn_stage_over(tn_kernel_state *s, const tiny_uop *r) {
  const tn_list stages = tn_kernel_collect(s, TINY_OP_STAGE);
  for (int i = 0; i < stages.n; i++) if (tn_closes(stages.u[i], r)) return stages.u[i];
  return NULL;
}

// Do all loads of a copy, or the words that it is, read what lies together as r, a range of it, advances?
static int tn_pack_reads_along(tn_kernel_state *s, const tiny_uop *r) {
  const tiny_uop *stage = tn_stage_over(s, r);
  tn_list loads = {NULL, 0, 0};
  tn_combined word;
  if (!stage) return 0;
  if (tn_combined_of(stage->src[0], &word)) return tn_stride_in(s->t, word.load[0]->src[0]->src[1], r) == word.n;
  tn_collect_op(s->t, stage->src[0], TINY_OP_LOAD, &loads);
  for (int i = 0; i < loads.n; i++) if (tn_stride_in(s->t, loads.u[i]->src[0]->src[1], r) != 1) return 0;
  return loads.n;
}

// What is copied over range[0..n-1] gets lanes along the last one, where it lies together in what is read. Where it
// lies together along another one, the copy goes in squares of both, which are turned in registers.
static void tn_pack_lanes(tn_kernel_state *s, tiny_uop *const *range, int n, int lanes) {
  tiny_uop *last = range[n - 1], *along = NULL, *copies[TINY_MAX_DIMS];
  const int64_t extent = tn_range_extent(last);
  int ncopies = 0;
  if (tn_pack_reads_along(s, last)) {
    if (extent % lanes == 0 && tn_range_kind(last) == TN_LOOP) tn_do_split(s, TN_OPT_LANE, last, lanes, NULL);
    return;
  }
  for (int i = 0; i + 1 < n; i++) {
    if (tn_range_kind(range[i]) == TN_UPCAST) copies[ncopies++] = range[i];
    else if (tn_pack_reads_along(s, range[i])) along = range[i];
  }
  if (!along || tn_range_kind(last) != TN_VECTOR || extent < TN_BLOCK_LEAST || extent > TN_BLOCK_MOST ||
      tn_range_extent(along) % extent)
    return;
  for (int i = 0; i < ncopies; i++) tn_do_kind(s, TN_OPT_LOOP, copies[i]);   // one square at a time
  tn_do_split(s, TN_OPT_UPCAST, along, extent, NULL);
}

// The ranges that a tile leaves behind: rows and columns count tiles, the others lie within one. NULL: none.
typedef struct tn_tiled { tiny_uop *rows, *columns, *part[2], *vectors, *lanes; } tn_tiled;

static tn_tiled tn_tile_apply(tn_kernel_state *s, const tn_tile *c) {
  tn_tiled x;
  memset(&x, 0, sizeof x);
  if (c->u[0] && c->f[0] > 1) x.part[0] = tn_do_split(s, TN_OPT_UPCAST, c->u[0], c->f[0], &x.rows);
  if (c->u[1] && c->f[1] > 1) x.part[1] = tn_do_split(s, TN_OPT_UPCAST, c->u[1], c->f[1], NULL);
  if (!c->v) return x;
  if (c->vectors > 1) {
    tiny_uop *width = tn_do_split(s, TN_OPT_SPLIT, c->v, c->lanes * c->vectors, &x.columns);
    x.lanes = tn_do_split(s, TN_OPT_LANE, width, c->lanes, &x.vectors);
    x.vectors = tn_do_kind(s, TN_OPT_UPCAST, x.vectors);
    return x;
  }
  tiny_uop *v = c->v_in_reduce && tn_range_extent(c->v) % c->lanes ? tn_do_pad(s, c->v, c->lanes) : c->v;
  x.lanes = tn_do_split(s, TN_OPT_LANE, v, c->lanes, &x.columns);
  if (!x.columns || !c->v_in_reduce) return x;
  int64_t f = c->f[0] * c->f[1] > 1 ? 2 : 8;   // vectors reduced before the accumulator has to wait
  while (tn_range_extent(x.columns) % f) f /= 2;
  if (f > 1) tn_do_split(s, TN_OPT_UNROLL, x.columns, f, &x.columns);
  return x;
}

// Does a come before b among the loops of the store?
static int tn_loops_before(tn_kernel_state *s, const tiny_uop *a, const tiny_uop *b) {
  tn_profile p = tn_profile_of(s);
  for (int i = 0; i < p.nout; i++) if (p.out[i] == a || p.out[i] == b) return p.out[i] == a;
  return 0;
}

// Splits r, the loop over `inner` of the store, into blocks of f of it, as even as can be. NULL: one holds all.
static tiny_uop *tn_tile_split(tn_kernel_state *s, const tn_profile *p, tiny_uop **inner, int64_t f) {
  tiny_uop *blocks = NULL;
  const int64_t n = tn_range_extent(*inner);
  if (f >= n) return NULL;
  f = tn_tiles_of(*inner, tn_tiles_of(*inner, f < 2 ? 2 : f));
  while (!p->repeats && n % f) f--;
  *inner = tn_do_split(s, TN_OPT_SPLIT, *inner, f, &blocks);
  return blocks;
}

// Blocks of rows, and of panels where rows are packed for them: as many as tasks are wanted, of no more than the cache
// holds. Outermost, so that the rows of a block stay near for all its columns.
static void tn_tile_block(tn_kernel_state *s, const tn_profile *p, const tn_target *target, const tn_tile *c,
                          tn_tiled *x) {
  const int64_t tile = c->f[0] * c->f[1], width = c->lanes * c->vectors;
  int64_t f = tn_range_extent(x->rows), g = 1, others = 1;
  tn_profile now = tn_profile_of(s);
  for (int i = 0; i < now.nout; i++)
    if (tn_range_kind(now.out[i]) == TN_LOOP && now.out[i] != x->rows && now.out[i] != x->columns)
      others *= tn_range_extent(now.out[i]);
  const int64_t most = tn_panel_nbytes(target) / tn_dtypes[p->reduce[0]->dtype].nbytes;
  if (c->packs_rows) {                     // packed rows and sums have three quarters each
    f = most * 3 / 4 / (tile * c->kblock);
    g = most * 3 / 4 / ((f + 1) * tile * width) + 1;
  } else if (c->kblock < tn_range_extent(p->red[0])) f = most / 2 / (tile * width);
  while (tn_tiles_of(x->rows, f) * tn_tiles_of(x->columns, g) * others < TN_TASKS_LEAST &&
         (f > TN_BLOCK_TILES || g > 1)) {
    if (g > 1 && (f <= TN_BLOCK_TILES || g * width > f * tile)) g = (g + 1) / 2;
    else f = (f + 1) / 2;
  }
  tiny_uop *blocks = tn_tile_split(s, p, &x->rows, f < TN_BLOCK_TILES ? (int64_t)TN_BLOCK_TILES : f), *panels = NULL;
  if (blocks && tn_loops_before(s, x->columns, blocks)) tn_do_swap(s, x->columns, blocks);
  if (c->packs_rows) panels = tn_tile_split(s, p, &x->columns, g);
  if (panels && tn_loops_before(s, x->columns, panels)) tn_do_swap(s, x->columns, panels);
}

// The REDUCE, with K blocks or without, in memory: of a tile, and of all columns and rows of tiles where given.
static void tn_tile_keep(tn_kernel_state *s, const tn_tiled *x, tiny_uop *columns, tiny_uop *rows, int with_kblocks) {
  tiny_uop *all[6] = {columns, rows, x->part[0], x->part[1], x->vectors, x->lanes}, *inner[6];
  const tn_list reduces = tn_kernel_collect(s, TINY_OP_REDUCE);
  for (int i = 0; i < reduces.n; i++) {
    tiny_uop *sum = reduces.u[i];
    int n = 0;
    if (tn_has_kblocks(sum) != with_kblocks || !tn_stage_holds(sum)) continue;
    for (int j = 0; j < 6; j++) if (all[j] && tn_depends(s->t, sum, all[j])) inner[n++] = all[j];
    if (n) tn_do_stage(s, sum, n, inner, 0);
    return;
  }
}

// Lanes of a tile that would be stored apart from each other: of the loops over its copies, the one whose elements lie
// together becomes lanes in their place, in squares that are turned on the way out of the tile's memory. loop[0..1]
// and *lanes become what is left of them, NULL: nothing.
static void tn_tile_transpose(tn_kernel_state *s, const tn_profile *p, const tn_tile *c, tiny_uop **loop,
                         tiny_uop **lanes) {
  tn_profile now = tn_profile_of(s);
  for (int i = 0; i < 2; i++) {
    if (!loop[i] || tn_stride_in(s->t, now.store->src[1], loop[i]) != 1) continue;
    const int64_t f = tn_lanes_for(tn_range_extent(loop[i]), c->lanes, p->repeats);
    if (f < TN_BLOCK_LEAST) return;
    tn_do_split(s, TN_OPT_UPCAST, tn_do_kind(s, TN_OPT_LOOP, *lanes), f, lanes);
    tn_do_split(s, TN_OPT_LANE, loop[i], f, &loop[i]);
    return;
  }
}

// Much that comes after the sums loops over the sums of a tile, which lie in memory by then: copies of it would be
// long to compile, and their constants take the registers. So does what is stored apart.
static void tn_tile_roll(tn_kernel_state *s, const tn_profile *p, const tn_tile *c, const tn_tiled *x) {
  tiny_uop *loop[4] = {x->part[0], x->part[1], x->vectors, NULL}, *lanes = x->lanes;
  if (!c->v || c->v_in_reduce || c->vectors * c->f[0] * c->f[1] <= 4) return;
  if (c->after < (double)TN_LONG_AFTER && !c->scatters) return;
  const tn_list reduces = tn_kernel_collect(s, TINY_OP_REDUCE);
  if (reduces.n == 1 && !tn_has_kblocks(reduces.u[0])) tn_tile_keep(s, x, NULL, NULL, 0);
  for (int i = 0; i < 3; i++) if (loop[i]) loop[i] = tn_do_kind(s, TN_OPT_LOOP, loop[i]);
  if (c->scatters) {
    tn_tile_transpose(s, p, c, loop, &lanes);
    if (lanes != x->lanes) loop[3] = lanes;
  }
  tiny_uop *order[4];
  int n = 0;
  for (int i = 3; i >= 0; i--) if (loop[i]) order[n++] = loop[i];
  if (n) tn_do_order(s, n, order);
}

// A reduction of products that reads one operand as vectors, again for every tile of rows: columns loop outside
// of rows, and the panel of that operand is packed once for each; the other operand's rows for all panels of a block.
// Returns how many loops may become tasks: in those of panels each would pack the same rows again.
static int tn_tile_pack(tn_kernel_state *s, const tn_profile *p, const tn_target *target, const tn_tile *c,
                        tn_tiled x) {
  tiny_uop *panel[3], *block[4], *kblocks = NULL, *r = p->red[0], **copy, **rows = NULL;
  tn_profile now;
  int n = 0, loops = 0;
  if (!c->packs || !x.rows || !x.columns) return TN_ALL_LOOPS;
  if (tn_loops_before(s, x.rows, x.columns)) tn_do_swap(s, x.rows, x.columns);
  if (c->kblock < tn_range_extent(r)) r = tn_do_split(s, TN_OPT_SPLIT, r, c->kblock, &kblocks);
  if (kblocks) kblocks = tn_do_kind(s, TN_OPT_LOOP, kblocks);
  tn_tile_block(s, p, target, c, &x);
  panel[n++] = r;
  if (x.vectors) panel[n++] = x.vectors;
  panel[n++] = x.lanes;
  copy = tn_pack(s, panel, n, x.rows);
  if (!copy) return TN_ALL_LOOPS;
  tn_pack_lanes(s, copy, n, c->lanes);
  n = 0;
  block[n++] = x.rows;
  for (int i = 0; i < 2; i++) if (x.part[i]) block[n++] = x.part[i];
  block[n++] = r;
  if (c->packs_rows && (rows = tn_pack(s, block, n, x.columns))) tn_pack_lanes(s, rows, n, c->lanes);
  if (kblocks) tn_tile_keep(s, &x, rows ? x.columns : NULL, x.rows, 1);
  now = tn_profile_of(s);
  for (int i = 0; i < now.nout && now.out[i] != (rows ? x.columns : x.rows); i++)
    loops += tn_range_kind(now.out[i]) == TN_LOOP;
  return loops;
}

// A range whose digits a reduction's operand is laid out by (blocks of it, and places in a block) becomes one for each.
static void tn_split_digits(tn_kernel_state *s, tn_profile *p) {
  tiny_ctx *t = s->t;
  for (int i = 0; i < p->nout; i++) {
    tn_list all = {NULL, 0, 0};
    for (int j = 0; j < p->nload; j++)
      if (p->nred && tn_depends(t, p->load[j], p->red[0]) && tn_depends(t, p->load[j], p->out[i]))
        tn_toposort(t, p->load[j]->src[1], &all);
    for (int j = 0; j < all.n; j++) {
      const tiny_uop *u = all.u[j];
      if ((u->op != TINY_OP_IDIV && u->op != TINY_OP_MOD) || u->src[0] != p->out[i] || !tn_is_const(u->src[1]) ||
          u->src[1]->k < 2 || tn_range_extent(p->out[i]) % u->src[1]->k)
        continue;
      tn_do_split(s, TN_OPT_SPLIT, p->out[i], u->src[1]->k, NULL);
      *p = tn_profile_of(s);
      i = -1;
      break;
    }
  }
}

// The tile, of DOTs if it packs what they read: else making words costs more than they save.
static tn_tile tn_tile_of(tn_kernel_state *s, tn_profile *p, const tn_target *target) {
  tn_kernel_state *plain = (tn_kernel_state *)memcpy(tn_scratch(s->t, sizeof *s), s, sizeof *s);
  const int64_t serial = s->t->ir->serial;
  if (tn_do_plain(s, TN_OPT_DOT)) {
    *p = tn_profile_of(s);
    const tn_tile c = tn_tile_choose(s->t, p, target);
    if (p->usable && c.packs && c.lanes >= 4) return c;
    *s = *plain;
    s->t->ir->serial = serial;
    *p = tn_profile_of(s);
  }
  return tn_tile_choose(s->t, p, target);
}

// Short windows (3x3) unroll whole: all, where no loop is left then, else what few copies of the sums have room for:
// the operands of more would not stay in registers.
static void tn_tile_unroll(tn_kernel_state *s, const tn_profile *p, const tn_tile *c, const tn_tiled *x) {
  int64_t copies = c->vectors * c->f[0] * c->f[1];
  int left = 0;
  if (copies > TN_WINDOW_COPIES) return;
  for (int i = 0; i < p->nred; i++)
    left |= tn_range_kind(p->red[i]) == TN_REDUCE &&
            (p->red[i] == x->columns || tn_range_extent(p->red[i]) > TN_WINDOW);
  for (int i = p->nred - 1; i >= 0; i--) {
    const int64_t n = tn_range_extent(p->red[i]);
    if (tn_range_kind(p->red[i]) != TN_REDUCE || p->red[i] == x->columns || n > TN_WINDOW ||
        (left && copies * n > TN_WINDOW_COPIES))
      continue;
    copies *= n;
    tn_do_kind(s, TN_OPT_UNROLL, p->red[i]);
  }
}

// Does a tile take a few columns of rows that lie pages apart along r?
static int tn_reads_across(tiny_ctx *t, tiny_uop *load, const tiny_uop *r, const tn_tiled *x) {
  tiny_uop *at = load->src[0]->src[1];
  const int64_t stride = tn_stride_in(t, at, r);
  return load->src[0]->src[0]->op == TINY_OP_PARAM && stride != TN_IRREGULAR &&
      stride * tn_dtypes[load->dtype].nbytes >= TN_PAGE_NBYTES && tn_stride_in(t, at, x->part[0]) == 1 &&
      !tn_depends(t, load, x->lanes) && !(x->vectors && tn_depends(t, load, x->vectors)) &&
      !(x->part[1] && tn_depends(t, load, x->part[1]));
}

// An operand of which every tile takes a few columns across rows is copied for all tiles of a task, as many as fit the
// nearer cache: else each of them takes the same lines again, from few places of the caches.
static void tn_tile_copy_across(tn_kernel_state *s, const tn_target *target, const tn_tile *c, const tn_tiled *x) {
  tiny_ctx *t = s->t;
  tn_list loads = {NULL, 0, 0};
  tn_profile p = tn_profile_of(s);
  if (!c->v || c->v_in_reduce || !x->part[0] || c->lanes * c->vectors < TN_ACROSS_WIDTH || p.nreduce != 1 ||
      p.nred != 1 || p.reduce[0]->nsrc != 2)
    return;
  tn_collect_op(t, p.reduce[0]->src[0], TINY_OP_LOAD, &loads);
  for (int i = 0; i < loads.n; i++) for (int j = 0; j < p.nout; j++) {
    tiny_uop *u = loads.u[i], *inner[3] = {p.red[0], p.out[j], x->part[0]};
    if (!tn_reads_across(t, u, inner[0], x) || u->src[0]->src[0] == p.store->src[0] ||
        tn_range_kind(inner[1]) != TN_LOOP ||
        tn_stride_in(t, u->src[0]->src[1], inner[1]) != tn_range_extent(inner[2]))
      continue;
    const int64_t n = tn_range_extent(inner[0]) * tn_range_extent(inner[1]) * tn_range_extent(inner[2]);
    if (n * tn_dtypes[u->dtype].nbytes > tn_panel_nbytes(target) / 4) continue;
    tn_do_stage(s, u, 3, inner, 0);
    return;
  }
}

static void tn_optimize_reduce(tn_kernel_state *s, tn_profile *p, const tn_target *target) {
  tn_split_digits(s, p);
  const double work = tn_work(p);
  const tn_tile c = tn_tile_of(s, p, target);
  const tn_tiled x = tn_tile_apply(s, &c);
  *p = tn_profile_of(s);
  const int loops = tn_tile_pack(s, p, target, &c, x);
  tn_tile_unroll(s, p, &c, &x);
  tn_make_tasks(s, work, loops);           // within them each would pack the same panel again
  tn_tile_copy_across(s, target, &c, &x);
  tn_tile_roll(s, p, &c, &x);
  tn_do_plain(s, TN_OPT_FISSION);
}
#endif
