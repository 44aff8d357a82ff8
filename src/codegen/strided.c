// strided: loads that are read across memory while the output is written along it: transpositions, on a CPU.
//
// In:  a kernel of elements and its profile. Out: loop interchange and cache blocking by SPLIT and SWAP, so that lines
//      of both memories are used whole while the caches hold them; what is read of a block is STAGEd as it is used.
#ifndef TN_CODEGEN_STRIDED
#define TN_CODEGEN_STRIDED
#ifndef TINY_AMALGAMATED
#include "tensorcore.c"
#endif

enum { TN_FAR = 16, TN_ACROSS_ROWS = 128, TN_ACROSS_COLUMNS = 256 };   // elements; bytes of a block, out and in

// Is what e names read across when v advances, but in a row when j does?
static int tn_is_across(tiny_ctx *t, tiny_uop *e, const tiny_uop *v, const tiny_uop *j) {
  const int64_t stride = tn_stride_in(t, e, v);
  return stride != TN_IRREGULAR && (stride >= TN_FAR || stride <= -TN_FAR) && tn_stride_in(t, e, j) == 1;
}

// The output range that a load is contiguous in, while it is read across in v; NULL: none.
static tiny_uop *tn_find_across(tiny_ctx *t, const tn_profile *p, const tiny_uop *v) {
  for (int i = 0; i < p->nload; i++)
    for (int j = 0; j < p->nout && !p->nreduce; j++)
      if (p->out[j] != v && p->load[i]->nsrc == 2 && tn_is_across(t, p->load[i]->src[1], v, p->out[j]))
        return p->out[j];
  return NULL;
}

// A part of r's extent that is a power of two, at most `most`.
static int64_t tn_part_across(const tn_profile *p, const tiny_uop *r, int64_t most) {
  while (most > 1 && !tn_tile_fits(r, most, p->repeats)) most /= 2;
  return most;
}

// Copies what a load reads over the block rows x columns to the stack, as it will be read: in squares that are turned
// in registers.
static void tn_stage_block(tn_kernel_state *s, tiny_uop *load, tiny_uop *rows, tiny_uop *columns, int64_t most) {
  tiny_uop *inner[2] = {columns, rows};
  while (most > tn_range_extent(rows) || most > tn_range_extent(columns)) most /= 2;
  tiny_uop **copy = tn_do_stage(s, load, 2, inner, 0);
  if (!copy) return;
  tiny_uop *over[2] = {copy[0], copy[1]};
  tn_do_split(s, TN_OPT_UPCAST, over[0], most, NULL);
  tn_do_split(s, TN_OPT_LANE, over[1], most, NULL);
}

// A transposition: j is contiguous in what is read, v in what is written. A few rows of what is read are walked along
// together, as many as the processor follows ahead of their reading; what is written gets whole lines, block by block.
// Returns what of v is left for lanes.
static tiny_uop *tn_walk_across(tn_kernel_state *s, const tn_profile *p, tiny_uop *v, tiny_uop *j, int most) {
  const int nbytes = tn_dtypes[p->store->dtype].nbytes;
  const int64_t rows = tn_part_across(p, v, TN_ACROSS_ROWS / nbytes);
  const int64_t columns = tn_part_across(p, j, TN_ACROSS_COLUMNS / nbytes);
  tiny_uop *strips, *blocks, *first = NULL;
  if (rows < TN_BLOCK_LEAST || columns < TN_BLOCK_LEAST) return v;
  for (int i = 0; i < p->nout; i++) if (!first && (p->out[i] == v || p->out[i] == j)) first = p->out[i];
  tiny_uop *row = tn_do_split(s, TN_OPT_SPLIT, v, rows, &strips);
  tiny_uop *column = tn_do_split(s, TN_OPT_SPLIT, j, columns, &blocks);
  if (first == j && strips) tn_do_swap(s, column, strips);    // strips, blocks, then columns and rows of a block
  if (first == j && strips && blocks) tn_do_swap(s, blocks, strips);
  if (first == v && blocks) tn_do_swap(s, row, blocks);
  const tn_list loads = tn_kernel_collect(s, TINY_OP_LOAD);
  for (int i = 0; i < loads.n; i++) {
    const tiny_uop *index = loads.u[i]->src[0];
    if (index->nsrc != 2 || !tn_is_across(s->t, index->src[1], row, column)) continue;
    tn_stage_block(s, loads.u[i], row, column, most);
  }
  return row;
}
#endif
