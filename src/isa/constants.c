// constants: what an instruction makes of numbers alone, or of what does not change in a loop, is made once, before the
// loop; copies of what does not change are what they copy.
//
// In:       a list before registers. Out: the list; instructions that are fixed, as the target says, stand before the
//           outermost loop around them, and pure ones before the outermost that changes nothing that they read, equal
//           ones of a loop once; vreg.fixed names the fixed one that makes a register.
// Requires: loops in the order they begin. A mask may be spent by what takes it, and is not the same as its copy.
// Holds:    positions of loops are those of the new list. Nothing else moves; a register that is written twice stays.
//           What is fixed, or a copy, is read.
#ifndef TN_ISA_CONSTANTS
#define TN_ISA_CONSTANTS
#ifndef TINY_AMALGAMATED
#include "copies.c"
#endif

typedef struct tn_isa_constants {
  int *top;                                // of instructions: the outermost loop around it, or it goes before; -1: none
  int *made;                               // of registers: where that is
  int *same;                               // of registers: the one that stands for it
  int *moved, nmoved;                      // instructions, in the order of their loops
  uint8_t *gone;                           // of instructions
  int *writes;                             // of registers
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
static int tn_isa_same(const tn_isa_constants *k, const tn_isa_ins *a, const tn_isa_ins *b) {
  if (a->op != b->op || a->n != b->n || a->broadcast != b->broadcast || a->o[0].nbytes != b->o[0].nbytes ||
      a->o[0].cls != b->o[0].cls || a->o[0].wide != b->o[0].wide) return 0;
  for (int i = 1; i < a->n; i++) {
    const tn_isa_operand *x = &a->o[i], *y = &b->o[i];
    if (x->kind != y->kind || x->nbytes != y->nbytes || x->imm != y->imm || x->scale != y->scale) return 0;
    if (x->index != y->index || x->role != y->role) return 0;
    const int of_x = x->reg == a->o[0].reg, of_y = y->reg == b->o[0].reg;
    if (x->reg >= 0 && (of_x != of_y || (!of_x && (y->reg < 0 || k->same[x->reg] != k->same[y->reg])))) return 0;
    if (x->reg < 0 && x->reg != y->reg) return 0;
  }
  return 1;
}
// It goes before the loop, or an equal one that does already stands for it.
static void tn_isa_move(tn_isa_code *c, tn_isa_constants *k, int at, int loop) {
  const int r = c->ins[at].o[0].reg;
  k->gone[at] = 1;
  k->top[at] = loop;
  k->made[r] = c->loop[loop].begin;
  for (int i = k->nmoved - 1; i >= 0; i--)
    if (k->top[k->moved[i]] == loop && tn_isa_same(k, &c->ins[k->moved[i]], &c->ins[at])) {
      k->same[r] = c->ins[k->moved[i]].o[0].reg;
      return;
    }
  k->moved[k->nmoved++] = at;
}
// The outermost loop around it in which nothing changes that it reads; -1: there is none.
static int tn_isa_stays_in(const tn_isa_code *c, const tn_isa_constants *k, const tn_isa_target *target, int at) {
  const tn_isa_ins *ins = &c->ins[at];
  tn_isa_name names[TN_ISA_NAMES];
  int after = 0;
  if (!target->pure || !target->pure(ins)) return -1;
  for (int i = tn_isa_names(ins, names) - 1; i >= 0; i--) {
    if (!(names[i].role & TN_ISA_USE)) continue;
    if (names[i].reg < 0 || k->writes[names[i].reg] != 1) return -1;
    if (k->made[names[i].reg] > after) after = k->made[names[i].reg];
  }
  for (int l = k->top[at]; l < c->nloop && c->loop[l].begin <= at; l++)
    if (at < c->loop[l].end && after <= c->loop[l].begin) return l;
  return -1;
}
static void tn_isa_rename(const tn_isa_constants *k, tn_isa_ins *ins) {
  for (int i = 0; i < ins->n; i++) {
    if (ins->o[i].reg >= 0) ins->o[i].reg = k->same[ins->o[i].reg];
    if (ins->o[i].kind == TN_ISA_MEM && ins->o[i].index >= 0) ins->o[i].index = k->same[ins->o[i].index];
  }
  if (ins->mask >= 0) ins->mask = k->same[ins->mask];
}
static void tn_isa_copied(tn_isa_constants *k, const tn_isa_ins *ins, int at) {
  const int to = ins->o[0].reg, from = ins->o[1].reg;
  if (from < 0 || k->writes[from] != 1 || ins->o[0].cls == TN_ISA_MASK) return;
  k->same[to] = k->same[from];
  k->gone[at] = 1;
}

// How often what stands in the register is read by what is not gone.
static void tn_isa_count(const tn_isa_constants *k, const tn_isa_ins *ins, int *reads, int by) {
  tn_isa_name names[TN_ISA_NAMES];
  for (int i = tn_isa_names(ins, names) - 1; i >= 0; i--)
    if (names[i].reg >= 0 && names[i].role & TN_ISA_USE) reads[k->same[names[i].reg]] += by;
}
static void tn_isa_drop_unread(const tn_isa_code *c, const tn_isa_target *target, tn_isa_constants *k) {
  int *reads = (int *)tn_scratch(c->t, ((size_t)c->nvreg + 1) * sizeof(int)), kept = 0;
  for (int i = 0; i < c->n; i++) if (!k->gone[i]) tn_isa_count(k, &c->ins[i], reads, 1);
  for (int i = 0; i < k->nmoved; i++) tn_isa_count(k, &c->ins[k->moved[i]], reads, 1);
  for (int i = c->n - 1; i >= 0; i--) {
    const tn_isa_ins *ins = &c->ins[i];
    const int r = k->gone[i] || !ins->n ? -1 : ins->o[0].reg;
    if (r < 0 || k->writes[r] != 1 || reads[r] || !(target->fixed(ins) || target->moves(ins))) continue;
    tn_isa_count(k, ins, reads, -1);
    k->gone[i] = 1;
  }
  for (int i = 0; i < k->nmoved; i++) if (reads[c->ins[k->moved[i]].o[0].reg]) k->moved[kept++] = k->moved[i];
  k->nmoved = kept;
}

static void tn_isa_put(tn_isa_code *c, const tn_isa_constants *k, const tn_isa_ins *from) {
  tn_isa_ins *ins = TN_PUSH(c->t, c->ins, c->n, c->cap, tn_isa_ins);
  *ins = *from;
  tn_isa_rename(k, ins);
}
// The new list: before where a loop begins stands what was moved out of it.
static void tn_isa_place_moved(tn_isa_code *c, const tn_isa_constants *k) {
  const tn_isa_ins *from = c->ins;
  const int n = c->n;
  c->ins = NULL;
  c->n = c->cap = 0;
  int *to = (int *)tn_scratch(c->t, ((size_t)n + 1) * sizeof(int));
  for (int i = 0, l = 0; i <= n; i++) {
    for (; l < c->nloop && c->loop[l].begin == i; l++)
      for (int m = 0; m < k->nmoved; m++) if (k->top[k->moved[m]] == l) tn_isa_put(c, k, &from[k->moved[m]]);
    to[i] = c->n;
    if (i < n && !k->gone[i]) tn_isa_put(c, k, &from[i]);
  }
  for (int l = 0; l < c->nloop; l++) { c->loop[l].begin = to[c->loop[l].begin]; c->loop[l].end = to[c->loop[l].end]; }
}

static void tn_isa_constants_out(tn_isa_code *c, const tn_isa_target *target) {
  tn_isa_constants k;
  const size_t n = (size_t)c->n + 1;
  memset(&k, 0, sizeof k);
  tn_isa_join_copies(c, target);
  k.writes = tn_isa_writes(c);
  k.top = (int *)tn_scratch(c->t, n * sizeof(int)); k.moved = (int *)tn_scratch(c->t, n * sizeof(int));
  k.made = (int *)tn_scratch(c->t, ((size_t)c->nvreg + 1) * sizeof(int));
  k.same = (int *)tn_scratch(c->t, ((size_t)c->nvreg + 1) * sizeof(int)); k.gone = (uint8_t *)tn_scratch(c->t, n);
  for (int v = 0; v < c->nvreg; v++) k.same[v] = v;
  for (int i = 0, l = 0, top = -1; i < c->n; i++) {
    if (top >= 0 && c->loop[top].end <= i) top = -1;
    for (; l < c->nloop && c->loop[l].begin == i; l++) if (top < 0) top = l;
    k.top[i] = top;
    const int r = c->ins[i].n ? c->ins[i].o[0].reg : -1;
    if (r >= 0 && target->moves(&c->ins[i]) && c->ins[i].o[1].reg == r) k.gone[i] = 1;
    if (r >= 0) k.made[r] = i + 1;
    if (r < 0 || k.writes[r] != 1 || k.gone[i]) continue;
    if (target->moves(&c->ins[i])) tn_isa_copied(&k, &c->ins[i], i);
    else if (top >= 0) {
      const int loop = target->fixed(&c->ins[i]) ? top : tn_isa_stays_in(c, &k, target, i);
      if (loop >= 0) tn_isa_move(c, &k, i, loop);
    }
  }
  tn_isa_drop_unread(c, target, &k);
  tn_isa_place_moved(c, &k);
  for (int i = 0; i < c->n; i++) {
    const int r = c->ins[i].n ? c->ins[i].o[0].reg : -1;
    if (r >= 0 && k.writes[r] == 1 && target->fixed(&c->ins[i])) c->vreg[r].fixed = i;
  }
}
#endif
