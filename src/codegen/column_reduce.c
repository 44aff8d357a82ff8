// column_reduce: reductions down columns of rows that lie far apart, on a CPU.
//
// In:  a kernel of one REDUCE along one range. Out: the same in blocks of columns, where what is read lies side by side
//      in columns, but pages apart from row to row, in memory that no cache holds.
// A tile of sums in registers would take a piece of every row and leave the rest of the page to the next tile: what the
// processor fetches ahead would be for nothing. Here the sums of a block lie in the nearest cache, and a few rows are
// walked along side by side; a kblock adds them up and then to what was there.
#ifndef TN_CODEGEN_COLUMN_REDUCE
#define TN_CODEGEN_COLUMN_REDUCE
#ifndef TINY_AMALGAMATED
#include "elementwise.c"
#endif

enum {
  TN_COLUMNS_NBYTES = 2048, TN_COLUMNS_LEAST = 512,          // of a row within a block
  TN_COLUMNS_KBLOCKS = 16                  // that pay for clearing and reading the sums of a block
};

// Does every load of the REDUCE's read rows pages apart, side by side in v, each element once? Beside them it may read
// what is one number for a row.
static int tn_columns_lie_apart(tiny_ctx *t, const tn_profile *p, const tn_target *target, const tiny_uop *v) {
  tiny_uop *r = p->red[0];
  int wide = 0;
  for (int i = 0; i < p->nload; i++) {
    const tiny_uop *index = p->load[i], *memory = index->src[0];
    const int64_t nbytes = tn_dtypes[index->dtype].nbytes, down = tn_stride_in(t, index->src[1], r);
    if (!tn_depends(t, index->src[1], r)) continue;
    const int64_t beside = tn_stride_in(t, index->src[1], v);
    if (beside == 0 && down != TN_IRREGULAR) continue;
    if (index->nsrc != 2 || beside != 1 || down == TN_IRREGULAR || down * nbytes < TN_FAR_NBYTES ||
        memory->op != TINY_OP_PARAM || tn_memory_nelem(memory) * nbytes <= tn_machine_near(target->limits))
      return 0;
    for (int j = 0; j < p->nout; j++) if (!tn_depends(t, index->src[1], p->out[j])) return 0;
    wide++;
  }
  return wide;
}

// Rows of a kblock: the most of 8 that divide the extent; 0: there are no such.
static int64_t tn_columns_kblock(const tiny_uop *r) {
  for (int64_t f = 8; f >= 4; f--)
    if (tn_range_extent(r) % f == 0 && tn_range_extent(r) / f >= TN_COLUMNS_KBLOCKS) return f;
  return 0;
}

// Columns of a block; 0: there are too few.
static int64_t tn_columns_block(const tn_profile *p, const tiny_uop *v) {
  const int64_t nbytes = tn_dtypes[p->reduce[0]->dtype].nbytes, n = tn_range_extent(v);
  int64_t f = TN_COLUMNS_NBYTES / nbytes, others = 1;
  for (int i = 0; i < p->nout; i++) if (p->out[i] != v) others *= tn_range_extent(p->out[i]);
  while (f * nbytes > TN_COLUMNS_LEAST &&
         (n < f || n / f * others < TN_TASKS_FEW || !tn_tile_fits(v, f, p->repeats)))
    f /= 2;
  return tn_tile_fits(v, f, p->repeats) ? f : 0;
}

static int tn_optimize_column_reduce(tn_kernel_state *s, tn_profile *p, const tn_target *target) {
  tiny_uop *v = NULL, *inner[2], *kblocks;
  if (p->nred != 1 || p->reduce[0]->nsrc != 2 || !tn_stage_holds(p->reduce[0])) return 0;
  for (int i = 0; i < p->nout; i++) if (tn_stride_in(s->t, p->store->src[1], p->out[i]) == 1) v = p->out[i];
  const int64_t f = v ? tn_columns_block(p, v) : 0, rows = tn_columns_kblock(p->red[0]);
  const int lanes = tn_target_lanes(target, p);
  const double work = tn_work(p);
  if (!f || !rows || f <= lanes || !tn_columns_lie_apart(s->t, p, target, v)) return 0;
  inner[1] = tn_do_split(s, TN_OPT_LANE, tn_do_split(s, TN_OPT_SPLIT, v, f, NULL), lanes, &inner[0]);
  tn_do_split(s, TN_OPT_UNROLL, p->red[0], rows, &kblocks);
  tn_do_kind(s, TN_OPT_LOOP, kblocks);
  const tn_list reduces = tn_kernel_collect(s, TINY_OP_REDUCE);
  tn_do_stage(s, reduces.u[0], 2, inner, 0);
  tn_make_tasks(s, work, TN_ALL_LOOPS);
  return 1;
}
#endif
