// amd_tail: waves that have nothing left to store end behind the last barrier.
//
// In:  a list with virtual registers. Out: the same, with a branch to its end behind the last barrier.
// Holds: all that is stored behind it is masked by one mask (amd_loads.c), which is there, or is a comparison that may
//        be made, before; the barrier stands in no loop; nothing branches over it; a group has several waves.
#ifndef TN_ISA_AMD_TAIL
#define TN_ISA_AMD_TAIL
#ifndef TINY_AMALGAMATED
#include "amd_dead.c"
#include "amd_depend.c"
#endif

enum { TN_AMD_TAIL_LINES = 12 };           // as many lines at least: a branch is worth it
typedef struct tn_amd_tail {
  tn_amd_list *l; int *writer;             // of virtual registers: the line that writes it, -1: none, -2: several
  int barrier;
} tn_amd_tail;

static int tn_amd_tail_writer(const tn_amd_tail *t, const tn_amd_operand *o) {
  return tn_amd_is_virtual(o) ? t->writer[o->reg - TN_AMD_VIRTUAL] : -1;
}
// The mask of a store to a buffer; NONE: it has none, or is of another kind.
static tn_amd_operand tn_amd_tail_mask(const tn_amd_tail *t, const tn_amd_line *line) {
  const tn_amd_operand none = tn_amd_register(TN_AMD_NONE, 0, 0);
  const int buffer = tn_amd_format(line->ins.op, line->ins.family) == TN_AMD_MUBUF;
  const int at = buffer ? tn_amd_tail_writer(t, &line->ins.o[1]) : -1;
  const tn_amd_line *const chosen = at < 0 ? NULL : &t->l->line[at];
  if (!chosen || chosen->kind != TN_AMD_LINE_INS || chosen->ins.op != TN_AMD_V_CNDMASK_B32) return none;
  const tn_amd_operand *beyond = &chosen->ins.o[1];
  const int copy = tn_amd_tail_writer(t, beyond);
  if (copy >= 0 && t->l->line[copy].kind == TN_AMD_LINE_COPY) beyond = &t->l->line[copy].ins.o[1];
  return tn_amd_is_constant(beyond) && beyond->value == 0x80000000u ? chosen->ins.o[3] : none;
}
// The mask of all that is stored behind the barrier.
static tn_amd_operand tn_amd_tail_find(const tn_amd_tail *t) {
  tn_amd_operand mask = tn_amd_register(TN_AMD_NONE, 0, 0);
  for (int i = t->barrier + 1; i < t->l->n; i++) {
    tn_amd_access a;
    if (!tn_amd_access_of(&t->l->line[i], &a) || !a.stores) continue;
    const tn_amd_operand m = tn_amd_tail_mask(t, &t->l->line[i]);
    if (m.kind != TN_AMD_SGPR || (mask.kind == TN_AMD_SGPR && (m.reg != mask.reg || m.sub != mask.sub)))
      return tn_amd_register(TN_AMD_NONE, 0, 0);
    mask = m;
  }
  return mask;
}
// A line behind the barrier that writes the mask may be moved there: all that it reads is written before.
static int tn_amd_tail_moves(const tn_amd_tail *t, int line) {
  const tn_amd_ins *const ins = &t->l->line[line].ins;
  if (t->l->line[line].kind != TN_AMD_LINE_INS || tn_amd_format(ins->op, ins->family) != TN_AMD_VOPC) return 0;
  for (int k = 1; k < ins->n; k++) {
    const int by = tn_amd_tail_writer(t, &ins->o[k]);
    if (!tn_amd_is_constant(&ins->o[k]) && (by < 0 || by > t->barrier)) return 0;
  }
  return 1;
}
// The last barrier, if it stands in no loop, nothing branches over it, and enough stands behind it; -1.
static int tn_amd_tail_barrier(const tn_amd_list *l) {
  int at = -1, depth = 0;
  for (int i = 0; i < l->n; i++) {
    const tn_amd_line *const line = &l->line[i];
    depth += (line->kind == TN_AMD_LINE_LOOP) - (line->kind == TN_AMD_LINE_LOOP_END);
    const int op = line->kind == TN_AMD_LINE_INS ? line->ins.op : 0;
    if (op == TN_AMD_S_BARRIER || op == TN_AMD_S_BARRIER_WAIT) at = depth ? -1 : i;
  }
  for (int i = at < 0 ? l->n : 0; i < l->n; i++) {
    const tn_amd_line *const line = &l->line[i];
    const int jumps = line->kind == TN_AMD_LINE_INS && line->label >= 0 && tn_amd_is_branch(line->ins.op);
    if (jumps && i > at) return -1;
    for (int k = at + 1; k < l->n && jumps; k++)
      if (l->line[k].kind == TN_AMD_LINE_LABEL && l->line[k].label == line->label) return -1;
  }
  return at + TN_AMD_TAIL_LINES < l->n ? at : -1;
}
static void tn_amd_tail_writers(tn_amd_tail *t) {
  tn_amd_uses u;
  for (int v = 0; v < t->l->nvreg; v++) t->writer[v] = -1;
  for (int i = 0; i < t->l->n; i++) {
    tn_amd_uses_of(&t->l->line[i], &u);
    for (int k = 0; k < u.n; k++) {
      if (!(u.of[k].role & TN_AMD_WRITES) || u.of[k].reg < TN_AMD_VIRTUAL) continue;
      int *const w = &t->writer[u.of[k].reg - TN_AMD_VIRTUAL];
      *w = *w == -1 ? i : -2;
    }
  }
}
// In front of what is behind the barrier: the comparison, if it is not there yet, a branch; at the end its label.
static void tn_amd_tail_branch(tn_amd_tail *t, tn_amd_operand mask, int moved) {
  tn_amd_list *const l = t->l;
  tn_amd_line *const old = l->line;
  const int n = l->n, end = tn_amd_label_new(l), wide = l->mask == 2;
  l->line = NULL; l->n = l->cap = 0;
  for (int i = 0; i < n && !l->refused; i++) {
    if (i != moved) *tn_amd_line_new(l, 0, -1) = old[i];
    if (i != t->barrier) continue;
    if (moved >= 0) *tn_amd_line_new(l, 0, -1) = old[moved];
    tn_amd_do2(l, wide ? TN_AMD_S_CMP_EQ_U64 : TN_AMD_S_CMP_EQ_U32, mask, tn_amd_int(0));
    tn_amd_branch_to(l, TN_AMD_S_CBRANCH_SCC1, end);
  }
  if (!l->refused) tn_amd_line_new(l, TN_AMD_LINE_LABEL, end);
}
static void tn_amd_end_early(tn_amd_list *l) {
  tn_amd_tail t;
  t.l = l; t.barrier = l->items > 32 * l->mask ? tn_amd_tail_barrier(l) : -1;
  if (t.barrier < 0) return;
  t.writer = (int *)tn_amd_scratch(l->t, (size_t)l->nvreg + 1, sizeof *t.writer);
  if (!t.writer) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  tn_amd_tail_writers(&t);
  const tn_amd_operand mask = tn_amd_tail_find(&t);
  const int by = tn_amd_tail_writer(&t, &mask), behind = by > t.barrier;
  if (mask.kind != TN_AMD_SGPR || by < 0 || (behind && !tn_amd_tail_moves(&t, by))) return;
  tn_amd_tail_branch(&t, mask, behind ? by : -1);
}
#endif
