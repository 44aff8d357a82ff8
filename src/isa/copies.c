// copies: a register that only stands for a while for the one that it is copied to is that one.
//
// In:    a list before registers. Out: the list; a copy that became one of a register to itself, which constants.c
//        drops.
// Holds: from where the first is made to its copy, which is its last use, nobody jumps, and the second is not named,
//        but as what makes the first: its old value is read before the new one is written.
// Source: Chaitin et al., "Register allocation via coloring", Computer Languages 6 (1981): subsumption.
#ifndef TN_ISA_COPIES
#define TN_ISA_COPIES
#ifndef TINY_AMALGAMATED
#include "code.c"
#endif

enum { TN_ISA_COPIES_FAR = 64 };           // instructions between them at most

static int tn_isa_names_it(const tn_isa_ins *ins, int reg, int roles) {
  tn_isa_name names[TN_ISA_NAMES];
  for (int k = tn_isa_names(ins, names) - 1; k >= 0; k--)
    if (names[k].reg == reg && (!roles || names[k].role & roles)) return 1;
  return 0;
}
static int tn_isa_jumps(const tn_isa_ins *ins) {
  for (int k = 0; k < ins->n; k++) if (ins->o[k].kind == TN_ISA_LABEL) return 1;
  return 0;
}
static int tn_isa_may_join(const tn_isa_code *c, int from, int copy) {
  const int to = c->ins[copy].o[0].reg, r = c->ins[copy].o[1].reg;
  if (copy - from > TN_ISA_COPIES_FAR || from == copy || tn_isa_jumps(&c->ins[from])) return 0;
  if (tn_isa_names_it(&c->ins[from], to, TN_ISA_DEF) || tn_isa_names_it(&c->ins[from], r, TN_ISA_USE)) return 0;
  for (int i = from + 1; i < copy; i++)
    if (tn_isa_jumps(&c->ins[i]) || tn_isa_names_it(&c->ins[i], to, 0)) return 0;
  return 1;
}
static void tn_isa_rename_one(tn_isa_ins *ins, int from, int to) {
  for (int k = 0; k < ins->n; k++) {
    if (ins->o[k].reg == from) ins->o[k].reg = to;
    if (ins->o[k].index == from) ins->o[k].index = to;
  }
  if (ins->mask == from) ins->mask = to;
}
static void tn_isa_join_copies(tn_isa_code *c, const tn_isa_target *target) {
  const size_t n = (size_t)c->nvreg + 1;
  int *first = (int *)tn_scratch(c->t, n * sizeof(int)), *last = (int *)tn_scratch(c->t, n * sizeof(int));
  tn_isa_name names[TN_ISA_NAMES];
  for (int i = 0; i < c->n; i++)
    for (int k = tn_isa_names(&c->ins[i], names) - 1; k >= 0; k--) {
      const int r = names[k].reg;
      if (r < 0) continue;
      if (!last[r]) first[r] = i;
      last[r] = i + 1;
    }
  for (int i = 0; i < c->n; i++) {
    const tn_isa_ins *ins = &c->ins[i];
    if (!target->moves(ins) || ins->o[0].reg < 0 || ins->o[1].reg < 0) continue;
    const int to = ins->o[0].reg, r = ins->o[1].reg;
    if (to == r || last[r] != i + 1 || c->vreg[to].cls != c->vreg[r].cls || !tn_isa_may_join(c, first[r], i)) continue;
    for (int k = first[r]; k <= i; k++) tn_isa_rename_one(&c->ins[k], r, to);
    if (first[r] < first[to]) first[to] = first[r];
  }
}
#endif
