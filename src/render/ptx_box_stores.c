// ptx_box_stores: boxes of shared memory that the device copies to tensors by itself (PTX ISA, cp.async.bulk.tensor,
// .global.shared::cta; sm_90 on).
//
// In:  BULKSTOREs, and the BARRIER before. Out: their lines; their tensors stand among those of BULKs (ptx_bulk.c).
// Holds: what items have written is fenced before they meet, as the device reads it by another way (fence.proxy.async).
//        Thread 0 begins copies, and before the items meet again, or the kernel ends, waits until they have read shared
//        memory: one group of them (cp.async.bulk.wait_group.read).
#ifndef TN_RENDER_PTX_BOX_STORES
#define TN_RENDER_PTX_BOX_STORES
#ifndef TINY_AMALGAMATED
#include "ptx_bulk.c"
#endif

static void tn_ptx_count_box_stores(tn_ptx *x) {
  for (int i = 0; i < x->k->n; i++) x->box_stores += x->k->list[i]->op == TINY_OP_BULKSTORE;
}
// Their tensors, behind those of BULKs; what is stored to is no memory that a kernel reads alone.
static void tn_ptx_survey_box_stores(tn_ptx *x) {
  if (!x->box_stores || x->failed) return;
  if (x->sm < 90) { tn_ptx_fail(x, "BULKSTORE"); return; }
  tn_ptx_wants_version(x, 80);
  const tiny_uop **map = (const tiny_uop **)tn_ptx_scratch(x->t, (TN_PTX_MAPS + 1) * sizeof *map);
  if (!map) { x->failed = 1; return; }
  if (x->nmap) memcpy(map, x->map, (size_t)x->nmap * sizeof *map);
  x->map = map;
  for (int i = 0; i < x->k->n && !x->failed; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_BULKSTORE) continue;
    if (tn_ptx_map_of(x, u) == x->nmap) x->map[x->nmap++] = u;
    if (x->nmap > TN_PTX_MAPS) tn_ptx_fail(x, "so many tensors");
  }
}
// What thread 0 is known by, and where the tensors are, unless BULKs have said so, of these items.
static void tn_ptx_begin_box_stores(tn_ptx *x) {
  if (!x->box_stores || x->failed || (x->nbulk && x->role != TN_PTX_CONSUMES)) return;
  if (!x->nbulk) x->first = tn_ptx_do2(x, 'p', "setp.eq.s32", tn_ptx_read_special(x, "tid.x"), tn_ptx_k(0));
  tn_ptx_begin_maps(x);
}

// Is some box stored of memory that is there behind the barrier?
static int tn_ptx_is_before_boxes(const tn_ptx *x, const tiny_uop *barrier) {
  for (int i = (int)barrier->seq + 1; i < x->k->n && x->box_stores; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_BULKSTORE) continue;
    for (const tiny_uop *m = u->src[0]->src[0]; m->op == TINY_OP_AFTER; m = m->src[0])
      for (uint32_t j = 1; j < m->nsrc; j++) if (m->src[j] == barrier) return 1;
  }
  return 0;
}
static void tn_ptx_box_store(tn_ptx *x, const tiny_uop *u) {
  const int dims = tn_bulk_dims(u);
  const tiny_uop *index = u->src[0];
  const tn_ptx_address from = tn_ptx_address_of(x, index);
  tn_ptx_operand place[TN_BOX_DIMS], on = x->first;
  for (int i = 0; i < dims; i++) place[i] = tn_ptx_narrow(x, u->src[2 + i]);
  if (index->nsrc == 3)
    on = tn_ptx_do2(x, 'p', "and.pred", on, tn_ptx_held(x, tn_ptx_element(x, index->src[2], 0), 'p'));
  if (x->failed) return;
  x->leaves = 1;
  tiny_bytes *out = tn_ptx_body(x);
  tn_ptx_text(out, "\t@");
  tn_ptx_operand_text(out, on);
  tn_ptx_text(out, " cp.async.bulk.tensor.%dd.global.shared::cta.bulk_group [", dims);
  tn_ptx_operand_text(out, x->map_at[tn_ptx_map_of(x, u)]);
  tn_ptx_text(out, ", {");
  for (int i = 0; i < dims; i++) { tn_ptx_text(out, i ? ", " : ""); tn_ptx_operand_text(out, place[i]); }
  tn_ptx_text(out, "}], ");
  tn_ptx_address_text(x, &from, 0);
  tn_ptx_text(out, ";\n");
}
// Until those that were begun have read what they copy.
static void tn_ptx_wait_box_stores(tn_ptx *x) {
  static const char *const lines[2] = {"commit_group", "wait_group.read 0"};
  for (int i = 0; i < 2 && x->leaves; i++) {
    tn_ptx_text(tn_ptx_body(x), "\t@");
    tn_ptx_operand_text(tn_ptx_body(x), x->first);
    tn_ptx_text(tn_ptx_body(x), " cp.async.bulk.%s;\n", lines[i]);
  }
  x->leaves = 0;
}
#endif
