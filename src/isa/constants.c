// constants: what an instruction makes of numbers alone is made once, before the loop that uses it.
//
// In:       a list before registers. Out: the list; instructions that are fixed, as the target says, stand before the
//           outermost loop around them, equal ones of a loop once; vreg.fixed names the one that makes a register.
// Requires: loops in the order they begin.
// Holds:    positions of loops are those of the new list. Nothing else moves; a register that is written twice stays.
#ifndef TN_ISA_CONSTANTS
#define TN_ISA_CONSTANTS
#ifndef TINY_AMALGAMATED
#include "code.c"
#endif

typedef struct tn_isa_constants {
  int *top;                                // of instructions: the outermost loop around it, -1: none
  int *same;                               // of registers: the one that stands for it
  int *moved, nmoved;                      // instructions, in the order of their loops
  uint8_t *gone;                           // of instructions
} tn_isa_constants;

// How often a register is written.
static int *tn_isa_writes(const tn_isa_code *c) {
  int *writes = (int *)tn_scratch(c->t, ((size_t)c->nvreg + 1) * sizeof(int));
  for (int i = 0; i < c->n; i++) for (int k = 0; k < c->ins[i].n; k++) {
    const tn_isa_operand *o = &c->ins[i].o[k];
    if (o->kind == TN_ISA_REG && o->reg >= 0 && o->role & TN_ISA_DEF) writes[o->reg]++;
  }
  return writes;
}
// The same, but for the register that it makes?
static int tn_isa_same(const tn_isa_ins *a, const tn_isa_ins *b) {
  if (a->op != b->op || a->n != b->n || a->broadcast != b->broadcast || a->o[0].nbytes != b->o[0].nbytes) return 0;
  for (int k = 1; k < a->n; k++) {
    const tn_isa_operand *x = &a->o[k], *y = &b->o[k];
    if (x->kind != y->kind || x->nbytes != y->nbytes || x->imm != y->imm) return 0;
    if (x->kind == TN_ISA_REG && (x->reg == a->o[0].reg) != (y->reg == b->o[0].reg)) return 0;
  }
  return 1;
}
// It goes before its loop, or an equal one that does already stands for it.
static void tn_isa_move(tn_isa_code *c, tn_isa_constants *k, int at) {
  const int r = c->ins[at].o[0].reg;
  k->gone[at] = 1;
  for (int i = k->nmoved - 1; i >= 0 && k->top[k->moved[i]] == k->top[at]; i--)
    if (tn_isa_same(&c->ins[k->moved[i]], &c->ins[at])) { k->same[r] = c->ins[k->moved[i]].o[0].reg; return; }
  k->moved[k->nmoved++] = at;
}
static void tn_isa_rename(const tn_isa_constants *k, tn_isa_ins *ins) {
  for (int i = 0; i < ins->n; i++) {
    if (ins->o[i].reg >= 0) ins->o[i].reg = k->same[ins->o[i].reg];
    if (ins->o[i].kind == TN_ISA_MEM && ins->o[i].index >= 0) ins->o[i].index = k->same[ins->o[i].index];
  }
  if (ins->mask >= 0) ins->mask = k->same[ins->mask];
}

// The new list: before where a loop begins stands what was moved out of it.
static void tn_isa_place_moved(tn_isa_code *c, const tn_isa_constants *k) {
  const tn_isa_ins *from = c->ins;
  const int n = c->n;
  c->ins = NULL;
  c->n = c->cap = 0;
  int *to = (int *)tn_scratch(c->t, ((size_t)n + 1) * sizeof(int));
  for (int i = 0, l = 0, m = 0; i <= n; i++) {
    for (; l < c->nloop && c->loop[l].begin == i; l++)
      for (; m < k->nmoved && k->top[k->moved[m]] == l; m++)
        *TN_PUSH(c->t, c->ins, c->n, c->cap, tn_isa_ins) = from[k->moved[m]];
    to[i] = c->n;
    if (i == n || k->gone[i]) continue;
    tn_isa_ins *ins = TN_PUSH(c->t, c->ins, c->n, c->cap, tn_isa_ins);
    *ins = from[i];
    tn_isa_rename(k, ins);
  }
  for (int l = 0; l < c->nloop; l++) { c->loop[l].begin = to[c->loop[l].begin]; c->loop[l].end = to[c->loop[l].end]; }
}

static void tn_isa_constants_out(tn_isa_code *c, int (*fixed)(const tn_isa_ins *ins)) {
  tn_isa_constants k;
  const size_t n = (size_t)c->n + 1;
  const int *writes = tn_isa_writes(c);
  memset(&k, 0, sizeof k);
  k.top = (int *)tn_scratch(c->t, n * sizeof(int)); k.moved = (int *)tn_scratch(c->t, n * sizeof(int));
  k.same = (int *)tn_scratch(c->t, ((size_t)c->nvreg + 1) * sizeof(int)); k.gone = (uint8_t *)tn_scratch(c->t, n);
  for (int v = 0; v < c->nvreg; v++) k.same[v] = v;
  for (int i = 0, l = 0, top = -1; i < c->n; i++) {
    if (top >= 0 && c->loop[top].end <= i) top = -1;
    for (; l < c->nloop && c->loop[l].begin == i; l++) if (top < 0) top = l;
    k.top[i] = top;
    const int r = c->ins[i].n ? c->ins[i].o[0].reg : -1;
    if (r < 0 || writes[r] != 1 || !fixed(&c->ins[i])) continue;
    if (top >= 0) tn_isa_move(c, &k, i);
  }
  tn_isa_place_moved(c, &k);
  for (int i = 0; i < c->n; i++) {
    const int r = c->ins[i].n ? c->ins[i].o[0].reg : -1;
    if (r >= 0 && writes[r] == 1 && fixed(&c->ins[i])) c->vreg[r].fixed = i;
  }
}
#endif
