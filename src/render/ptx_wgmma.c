// ptx_wgmma: products of all columns of a warp at once, of which four warps of sm_90a make one (PTX ISA, wgmma).
//
// In:  WMMAs whose b is a LOAD of matrices by steps. Out: their lines, which wait in a batch; a batch is written when
//      something else wants what it gives, or shared memory changes.
// Holds:
//  - a and the sum are in registers, as those of mma.sync; b is read from shared memory by a descriptor: where it
//    begins, and the steps between matrices (PTX ISA, "Matrix Descriptor", no swizzle: leading along k, stride across
//    columns).
//  - The sum is added to in its own registers. Those of an accumulator are taken where nobody reads it before it is
//    stored again.
//  - What items wrote to shared memory is fenced before they meet, as the unit reads it by another way (PTX ISA,
//    fence.proxy.async).
#ifndef TN_RENDER_PTX_WGMMA
#define TN_RENDER_PTX_WGMMA
#ifndef TINY_AMALGAMATED
#include "ptx_memory.c"
#endif

// ** the batch **

// Of warps beside which others copy: the slot before is empty, if there was one. now: the one whose products are under
// way, -1: there is none.
static void tn_ptx_release(tn_ptx *x, tn_ptx_operand now) {
  const tn_ptx_operand on = tn_ptx_do(x, 'p', "setp.ge.and.s32", x->before, tn_ptx_k(0), x->tells),
                       at = tn_ptx_do(x, 'r', "mad.lo.s32", x->before, tn_ptx_k(8), x->empties),
                       next[2] = {x->before, now};
  x->guard = on;
  tn_ptx_begin(x, x->cluster > 1 ? "mbarrier.arrive.release.cluster.shared::cluster.b64" :
                                   "mbarrier.arrive.shared::cta.b64");
  x->guard = tn_ptx_none;
  tn_ptx_text(tn_ptx_body(x), "_, [");
  tn_ptx_operand_text(tn_ptx_body(x), at);
  tn_ptx_text(tn_ptx_body(x), "];\n");
  tn_ptx_line(x, "mov.b32", next, 2);
}
// The products of the batch, which are done behind it (PTX ISA, wgmma.fence, .commit_group, .wait_group).
static const char tn_ptx_meet_cluster[] = "\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;\n";
static void tn_ptx_flush(tn_ptx *x) {
  if (!x->batch.n) return;
  tn_ptx_text(tn_ptx_body(x), "\twgmma.fence.sync.aligned;\n");
  tiny_bytes_add(tn_ptx_body(x), x->batch.data, x->batch.n);
  tn_ptx_text(tn_ptx_body(x), "\twgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned %d;\n",
              x->overlaps != NULL);
  x->batch.n = 0;
  if (!x->overlaps) return;                // the products before are done, of all warps: their memory is filled again
  if (x->role) {
    if (!x->told) tn_ptx_release(x, x->slot);
    x->told = 1;
    return;
  }
  if (x->cluster > 1) tn_ptx_text(tn_ptx_body(x), "%s", tn_ptx_meet_cluster);
  else tn_ptx_meet(x, tn_ptx_body(x));
  if (x->copies.n) tiny_bytes_add(tn_ptx_body(x), x->copies.data, x->copies.n);
  x->copies.n = 0;
}

// ** products **

static int tn_load_has(const tiny_uop *load, int flag) { return (load->k & flag) != 0; }
static int tn_ptx_loads_matrices(const tiny_uop *u) {
  return u->op == TINY_OP_LOAD && u->k >> TN_MATRIX_ALONG && !tn_is_reg(u->src[0]->src[0]);
}
// The LOAD behind a source of words, of several the first; NULL: it is another value.
static const tiny_uop *tn_ptx_matrices(const tiny_uop *u) {
  if (u->op == TINY_OP_STACK) u = u->src[0];
  if (u->op == TINY_OP_BITCAST) u = u->src[0];
  return tn_ptx_loads_matrices(u) ? u : NULL;
}
// No value of its own: a unit reads it.
static int tn_ptx_is_by_unit(const tiny_uop *u) { return tn_ptx_matrices(u) != NULL; }

// Bits 0-13 begin, 16-29 leading, 32-45 stride, in 16 bytes each; of tcgen05 bit 46 says so; 62-63: 1, of boxes, of
// which groups of eight rows follow each other, and, where rows lie beside each other, boxes of 64 (PTX ISA, Strides).
// side 0: of a, of which rows and k change places.
static tn_ptx_operand tn_ptx_descriptor(tn_ptx *x, const tiny_uop *load, int side) {
  const int64_t step[2] = {tn_load_along(load), tn_load_next(load)};
  const int64_t size = (int64_t)tiny_dtype_nbytes((tiny_dtype)load->dtype);
  const tn_ptx_address a = tn_ptx_address_of(x, load->src[0]);
  tn_ptx_operand at = a.base, word[2];
  if (at.kind == 's' || at.kind == 'S') at = tn_ptx_do1(x, 'r', "mov.u32", at);
  if (a.offset) at = tn_ptx_do2(x, 'r', "add.s32", at, tn_ptx_k(a.offset));
  at = tn_ptx_do2(x, 'r', "shr.u32", at, tn_ptx_k(4));
  const int boxes = tn_load_has(load, TN_SWIZZLED), turned = tn_load_kind(load) == TN_TURNED;
  const int64_t leading = !boxes ? step[!side] * size >> 4 : turned ? TN_BOX_ROWS * TN_BOX_ROW >> 4 : 1,
                stride = !boxes ? step[side] * size >> 4 : TN_BOX_ALIGN >> 4 | 1 << 30;
  word[0] = tn_ptx_do2(x, 'r', "or.b32", at, tn_ptx_k(leading << 16));
  word[1] = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(stride | (x->tensor ? 1 << 14 : 0)));
  return tn_ptx_join(x, 'd', "mov.b64", word);
}

// Registers that u adds to, which hold the sum so far: from there on in the pool.
static int tn_ptx_sum_registers(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *sum = u->src[2];
  const char kind = tn_ptx_class(u->dtype);
  char tn_ptx_names[16];
  const int mine = x->last[sum->seq] == (int)u->seq,
            taken = (sum->op == TINY_OP_WMMA && x->elements[sum->seq] >= 0) ||
                    (sum->op == TINY_OP_LOAD && x->constant[sum->seq] == TN_PTX_TAKEN);
  if (mine && taken) return x->elements[sum->seq];
  tn_ptx_flush(x);
  const int first = tn_ptx_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->failed; i++)
    tn_ptx_put(x, first + i, tn_ptx_do1(x, kind, TN_PTX_NAME("mov", tn_ptx_bare(kind)), tn_ptx_element(x, sum, i)));
  return first;
}

static void tn_ptx_wgmma(tn_ptx *x, const tiny_uop *u, const tiny_warp_unit *unit, const char *type[2]) {
  const int lanes = unit->m * unit->n / unit->warp, bytes = (int)tiny_dtype_nbytes((tiny_dtype)unit->a);
  const tiny_uop *load = tn_ptx_matrices(u->src[1]), *rows = tn_ptx_matrices(u->src[0]);
  tn_ptx_operand a[4];
  if (rows) a[0] = tn_ptx_descriptor(x, rows, 0);
  for (int i = 0; i < 4 && !rows; i++) a[i] = tn_ptx_held(x, tn_ptx_element(x, u->src[0], i), 'r');
  const tn_ptx_operand descriptor = tn_ptx_descriptor(x, load, 1), yes = tn_ptx_held(x, tn_ptx_k(1), 'p');
  const int first = tn_ptx_sum_registers(x, u);
  tiny_bytes *out = &x->batch;
  if (x->failed) return;
  tn_ptx_text(out, "\twgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s ", u->lanes / lanes * unit->n, unit->k,
              tn_ptx_type(unit->c), type[0], type[1]);
  tn_ptx_group(out, &x->pool.of[first], u->lanes);
  tn_ptx_text(out, ", ");
  if (rows) tn_ptx_operand_text(out, a[0]); else tn_ptx_group(out, a, 4);
  tn_ptx_text(out, ", ");
  tn_ptx_operand_text(out, descriptor);
  tn_ptx_text(out, ", ");
  tn_ptx_operand_text(out, yes);
  if (unit->c == TINY_F32) tn_ptx_text(out, ", 1, 1");
  if (unit->c == TINY_F32 && bytes == 2 && rows) tn_ptx_text(out, ", %d", tn_load_kind(rows) == TN_TURNED);
  if (unit->c == TINY_F32 && bytes == 2) tn_ptx_text(out, ", %d", tn_load_kind(load) == TN_TURNED);
  tn_ptx_text(out, ";\n");
  x->elements[u->seq] = first;
}
#endif
