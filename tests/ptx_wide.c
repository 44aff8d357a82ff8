// ptx_wide: what came with Hopper: mbarriers, bulk copies, clusters, wgmma.
// Included by ptx_machine.c.
#ifndef PTX_WIDE_C
#define PTX_WIDE_C
#include "ptx_matrix.c"

static void ptx_mbarrier(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  (void)w; (void)ins; (void)o;
  ptx_stop(v, ptx_lowest(mask), "'mbarrier' is not known");
}
static void ptx_mapa(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  (void)w; (void)ins; (void)o;
  ptx_stop(v, ptx_lowest(mask), "'mapa' is not known");
}
static void ptx_wgmma(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  (void)w; (void)ins; (void)o;
  ptx_stop(v, ptx_lowest(mask), "'wgmma' is not known");
}
static void ptx_cp(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const ptx_operand *n = o;
  if (ins->bulk || ptx_has(ins, PTX_W_mbarrier)) ptx_stop(v, ptx_lowest(mask), "'cp.async.bulk' is not known");
  if (ptx_has(ins, PTX_W_commit_group)) { PTX_LANES(mask, w->committed[i]++); return; }
  if (ptx_has(ins, PTX_W_wait_all)) { ptx_wait_copies(v, w, mask, 0, 1); return; }
  if (ptx_has(ins, PTX_W_wait_group)) {
    ptx_wait_copies(v, w, mask, (int)ptx_row(v, w, n, mask, 0)[ptx_lowest(mask)], 0);
    return;
  }
  ptx_cp_async(v, w, ins, o, mask);
}
// Copies that nobody waits for happen some time. 1: something happened.
static int ptx_late(ptx_machine *v) { (void)v; return 0; }
// The group has ended.
static void ptx_ended(ptx_machine *v) { (void)v; }
static void ptx_free_wide(ptx_machine *v) { free(v->mbar); free(v->bulk); }
#endif
