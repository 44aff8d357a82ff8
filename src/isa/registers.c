// registers: virtual registers get the processor's, by linear scan over live ranges.
//
// In:  a list of instructions, and what registers the processor has. Out: the list with the processor's registers,
//      loads and stores of what has none, which stands in the frame.
// Holds: a range reaches from the first to the last place where its register is named, and to the end of every loop
//        that it enters and in which it is named. Where there are too few registers the range goes to the frame that
//        costs least: its reads and writes, as often as their loops say, over its length; what is fixed costs half, as
//        it is made anew for each use instead.
// Source: Poletto and Sarkar, "Linear Scan Register Allocation", TOPLAS 21 (1999).
#ifndef TN_ISA_REGISTERS
#define TN_ISA_REGISTERS
#ifndef TINY_AMALGAMATED
#include "constants.c"
#endif

enum { TN_ISA_TIMES = 10 };                // of a loop that does not say

// ** live ranges **

static void tn_isa_touch(tn_isa_code *c, int cls, int reg, int role, int at, double weight) {
  if (reg == TN_ISA_NO_REG) return;
  const int from = role & TN_ISA_USE ? 2 * at : 2 * at + 1, to = role & TN_ISA_DEF ? 2 * at + 1 : 2 * at;
  if (reg < 0) {                           // the processor's
    tn_isa_busy *b = &c->busy[cls][-1 - reg];
    if (b->end < 0) b->start = from;
    b->end = to;
    return;
  }
  tn_isa_vreg *v = &c->vreg[reg];
  if (from < v->start) v->start = from;
  if (to > v->end) v->end = to;
  v->weight += weight;
}
static double tn_isa_weight(const tn_isa_code *c, int at) {
  double w = 1;
  for (int i = 0; i < c->nloop && c->loop[i].begin <= at; i++)
    if (at < c->loop[i].end) w *= c->loop[i].times ? c->loop[i].times : TN_ISA_TIMES;
  return w;
}
static void tn_isa_ranges(tn_isa_code *c) {
  for (int k = 0; k < TN_ISA_CLASSES; k++) for (int i = 0; i < TN_ISA_MOST_REGS; i++) c->busy[k][i].end = -1;
  for (int i = 0; i < c->n; i++) {
    const tn_isa_ins *ins = &c->ins[i];
    const double w = tn_isa_weight(c, i);
    for (int k = 0; k < ins->n; k++) {
      const tn_isa_operand *o = &ins->o[k];
      if (o->kind == TN_ISA_REG) tn_isa_touch(c, o->cls, o->reg, o->role, i, w);
      if (o->kind != TN_ISA_MEM) continue;
      tn_isa_touch(c, TN_ISA_GPR, o->reg, TN_ISA_USE, i, w);
      tn_isa_touch(c, o->wide ? TN_ISA_VEC : TN_ISA_GPR, o->index, TN_ISA_USE, i, w);
    }
    tn_isa_touch(c, TN_ISA_MASK, ins->mask, TN_ISA_USE, i, w);
  }
  // inner loops begin later, and are looked at first
  for (int l = c->nloop - 1; l >= 0; l--) for (int v = 0; v < c->nvreg; v++) {
    tn_isa_vreg *r = &c->vreg[v];
    if (r->start < 2 * c->loop[l].begin && r->end >= 2 * c->loop[l].begin && r->end < 2 * c->loop[l].end)
      r->end = 2 * c->loop[l].end;
  }
}

// ** linear scan **

static void tn_isa_sort(const tn_isa_code *c, int *order, int *spare, int n) {     // by where they begin
  if (n < 2) return;
  const int half = n / 2;
  tn_isa_sort(c, order, spare, half);
  tn_isa_sort(c, order + half, spare, n - half);
  memcpy(spare, order, (size_t)n * sizeof *spare);
  for (int a = 0, b = half, i = 0; i < n; i++)
    order[i] = b == n || (a < half && c->vreg[spare[a]].start <= c->vreg[spare[b]].start) ? spare[a++] : spare[b++];
}
static void tn_isa_hints(tn_isa_code *c, const tn_isa_target *target) {
  for (int i = 0; i < c->n; i++) {
    const tn_isa_ins *ins = &c->ins[i];
    if (!target->moves(ins) || ins->o[0].reg < 0 || ins->o[1].reg < 0) continue;
    if (c->vreg[ins->o[0].reg].hint < 0) c->vreg[ins->o[0].reg].hint = ins->o[1].reg;
    if (c->vreg[ins->o[1].reg].hint < 0) c->vreg[ins->o[1].reg].hint = ins->o[0].reg;
  }
}
// A slot that is free from where the range begins, or a new one.
static void tn_isa_to_frame(tn_isa_code *c, const tn_isa_target *target, tn_isa_vreg *v) {
  tn_isa_slot *s = NULL;
  v->phys = -1;
  if (v->fixed >= 0) return;               // made anew for each use
  for (int i = 0; i < c->nslot && !s; i++) if (c->slot[i].cls == v->cls && c->slot[i].end <= v->start) s = &c->slot[i];
  if (!s) {
    s = TN_PUSH(c->t, c->slot, c->nslot, c->capslot, tn_isa_slot);
    s->cls = v->cls;
    s->at = (int32_t)tn_isa_frame(c, target->cls[v->cls].slot_nbytes);
  }
  s->end = v->end + 1;
  v->slot = s->at;
}
static double tn_isa_cost(const tn_isa_vreg *v) {
  return (v->fixed >= 0 ? 0.5 : 1) * v->weight / (v->end - v->start + 1);
}

// holder: of the processor's registers of a class, who has each.
typedef struct tn_isa_scan { const uint8_t *reg; int n, holder[TN_ISA_MOST_REGS], spilled; } tn_isa_scan;

static int tn_isa_is_named(const tn_isa_code *c, int cls, int reg, const tn_isa_vreg *v) {
  const tn_isa_busy *b = &c->busy[cls][reg];
  return v->start <= b->end && v->end >= b->start;
}
static void tn_isa_give(tn_isa_code *c, const tn_isa_target *target, tn_isa_scan *s, int v) {
  tn_isa_vreg *r = &c->vreg[v];
  const int wanted = r->hint >= 0 ? c->vreg[r->hint].phys : -1;
  int found = -1, worst = -1;
  for (int k = 0; k < s->n; k++) {
    int *holder = &s->holder[s->reg[k]];
    if (*holder >= 0 && c->vreg[*holder].end <= r->start) *holder = -1;
    if (tn_isa_is_named(c, r->cls, s->reg[k], r)) continue;
    if (*holder < 0 && (found < 0 || s->reg[k] == wanted)) found = s->reg[k];
    if (*holder < 0) continue;
    if (worst < 0 || tn_isa_cost(&c->vreg[*holder]) < tn_isa_cost(&c->vreg[s->holder[worst]])) worst = s->reg[k];
  }
  if (found < 0) {
    s->spilled++;
    if (worst < 0 || tn_isa_cost(r) <= tn_isa_cost(&c->vreg[s->holder[worst]])) {
      tn_isa_to_frame(c, target, r);
      return;
    }
    tn_isa_to_frame(c, target, &c->vreg[s->holder[worst]]);
    found = worst;
  }
  s->holder[found] = v;
  r->phys = (int8_t)found;
  c->used[r->cls] |= 1u << found;
}
// With so many of all registers of the class, those in `order`. How many were spilled.
static int tn_isa_try(tn_isa_code *c, const tn_isa_target *target, int cls, int with_scratch, const int *order, int n) {
  const tn_isa_class *k = &target->cls[cls];
  uint8_t all[TN_ISA_MOST_REGS + TN_ISA_SCRATCH];
  tn_isa_scan s;
  s.reg = all; s.n = k->n + (with_scratch ? k->scratches : 0); s.spilled = 0;
  memcpy(all, k->reg, sizeof k->reg);
  memcpy(all + k->n, k->scratch, sizeof k->scratch);
  for (int i = 0; i < TN_ISA_MOST_REGS; i++) s.holder[i] = -1;
  for (int i = 0; i < n && !(with_scratch && s.spilled); i++)
    if (c->vreg[order[i]].cls == cls) tn_isa_give(c, target, &s, order[i]);
  return s.spilled;
}
static void tn_isa_scan_all(tn_isa_code *c, const tn_isa_target *target) {
  int *order = (int *)tn_scratch(c->t, 2 * (size_t)c->nvreg * sizeof(int) + 16), n = 0;
  for (int v = 0; v < c->nvreg; v++) if (c->vreg[v].end >= 0) order[n++] = v;
  tn_isa_sort(c, order, order + c->nvreg, n);
  for (int cls = 0; cls < TN_ISA_CLASSES; cls++) {
    const int slots = c->nslot;
    const int64_t frame = c->frame;
    if (target->cls[cls].n >= TN_ISA_SCRATCH && !tn_isa_try(c, target, cls, 1, order, n)) continue;
    c->nslot = slots; c->frame = frame; c->used[cls] = 0;
    for (int i = 0; i < n; i++)
      if (c->vreg[order[i]].cls == cls) c->vreg[order[i]].phys = (int8_t)(c->vreg[order[i]].slot = -1);
    tn_isa_try(c, target, cls, 0, order, n);
  }
}

// ** the list with registers **

typedef struct tn_isa_passing { int vreg[8], reg[8], role[8], n, used[TN_ISA_CLASSES]; } tn_isa_passing;

// The register that a spilled one passes through in this instruction; or its own.
static int tn_isa_assigned(tn_isa_code *c, const tn_isa_target *target, tn_isa_passing *p, int reg, int role) {
  if (reg < 0) return reg == TN_ISA_NO_REG ? reg : -1 - reg;
  const tn_isa_vreg *v = &c->vreg[reg];
  if (v->phys >= 0) return v->phys;
  int i = 0;
  while (i < p->n && p->vreg[i] != reg) i++;
  if (i == p->n) {
    const tn_isa_class *cls = &target->cls[v->cls];
    if (p->used[v->cls] == cls->scratches) {
      tn_isa_refuse(c, "an instruction has too many operands that are spilled");
      return 0;
    }
    p->vreg[i] = reg; p->role[i] = 0; p->reg[i] = cls->scratch[p->used[v->cls]++];
    c->used[v->cls] |= 1u << p->reg[i];
    p->n++;
  }
  p->role[i] |= role;
  return p->reg[i];
}
// What makes it, in that register.
static tn_isa_ins tn_isa_remake(tn_isa_ins ins, int reg) {
  const int was = ins.o[0].reg;
  for (int k = 0; k < ins.n; k++) if (ins.o[k].reg == was) ins.o[k].reg = reg;
  return ins;
}
static void tn_isa_pass(tn_isa_code *c, const tn_isa_target *target, const tn_isa_ins *from, const tn_isa_passing *p,
                        int load) {
  for (int i = 0; i < p->n; i++) {
    const tn_isa_vreg *v = &c->vreg[p->vreg[i]];
    if (!(p->role[i] & (load ? TN_ISA_USE : TN_ISA_DEF))) continue;
    *TN_PUSH(c->t, c->ins, c->n, c->cap, tn_isa_ins) =
        v->fixed >= 0 ? tn_isa_remake(from[v->fixed], p->reg[i]) : target->spill(v->cls, p->reg[i], v->slot, load);
  }
}
// Where a spilled register stands that the operand reads: in the frame, or, of a constant, with the constants.
static int tn_isa_stands(const tn_isa_code *c, const tn_isa_ins *from, const tn_isa_operand *o, tn_isa_operand *at) {
  const tn_isa_vreg *v = o->kind == TN_ISA_REG && o->role == TN_ISA_USE && o->reg >= 0 ? &c->vreg[o->reg] : NULL;
  if (!v || v->phys >= 0) return 0;
  *at = tn_isa_at(TN_ISA_FRAME, o->nbytes, v->slot);
  if (v->fixed >= 0) {
    const tn_isa_operand *pooled = &from[v->fixed].o[1];
    if (pooled->kind != TN_ISA_POOL || pooled->nbytes != o->nbytes) return 0;
    *at = *pooled;
  }
  return 1;
}
// One operand that is spilled is read from where it stands, if there is such an instruction.
static void tn_isa_fold(const tn_isa_code *c, const tn_isa_target *target, const tn_isa_ins *from, tn_isa_ins *ins) {
  tn_isa_operand at;
  for (int k = ins->n - 1; k > 0; k--) {
    if (!tn_isa_stands(c, from, &ins->o[k], &at)) continue;
    tn_isa_ins trial = *ins;
    trial.o[k] = at;
    for (int i = 0; i < trial.n; i++) {
      if (trial.o[i].reg >= 0) trial.o[i].reg = 0;
      if (trial.o[i].index >= 0) trial.o[i].index = 0;
    }
    if (trial.mask >= 0) trial.mask = 1;
    if (!target->takes(&trial)) continue;
    ins->o[k] = at;
    return;
  }
}
// A copy from or to a register that is spilled. 0: it is none.
static int tn_isa_rewrite_copy(tn_isa_code *c, const tn_isa_target *target, const tn_isa_ins *from,
                               const tn_isa_ins *i) {
  if (!target->moves(i) || i->o[0].reg < 0 || i->o[1].reg < 0) return 0;
  const tn_isa_vreg *to = &c->vreg[i->o[0].reg], *of = &c->vreg[i->o[1].reg];
  const int in_register = to->phys >= 0 || of->phys >= 0;
  if (!in_register || (to->phys >= 0 && of->phys >= 0)) return 0;
  *TN_PUSH(c->t, c->ins, c->n, c->cap, tn_isa_ins) =
      to->phys < 0 ? target->spill(to->cls, of->phys, to->slot, 0) :
      of->fixed >= 0 ? tn_isa_remake(from[of->fixed], to->phys) : target->spill(to->cls, to->phys, of->slot, 1);
  return 1;
}
static void tn_isa_rewrite_one(tn_isa_code *c, const tn_isa_target *target, const tn_isa_ins *from, tn_isa_ins ins) {
  const int moves = target->moves(&ins);
  tn_isa_passing p;
  memset(&p, 0, sizeof p);
  if (target->takes && ins.op != TN_ISA_PLACE) tn_isa_fold(c, target, from, &ins);
  for (int k = 0; k < ins.n; k++) {
    tn_isa_operand *o = &ins.o[k];
    if (o->kind == TN_ISA_REG) o->reg = tn_isa_assigned(c, target, &p, o->reg, o->role);
    if (o->kind == TN_ISA_MEM) {
      o->reg = tn_isa_assigned(c, target, &p, o->reg, TN_ISA_USE);
      o->index = tn_isa_assigned(c, target, &p, o->index, TN_ISA_USE);
    }
  }
  ins.mask = tn_isa_assigned(c, target, &p, ins.mask, TN_ISA_USE);
  tn_isa_pass(c, target, from, &p, 1);
  if (!moves || ins.o[0].reg != ins.o[1].reg) *TN_PUSH(c->t, c->ins, c->n, c->cap, tn_isa_ins) = ins;
  tn_isa_pass(c, target, from, &p, 0);
}
static void tn_isa_rewrite(tn_isa_code *c, const tn_isa_target *target) {
  const tn_isa_ins *from = c->ins;
  const int n = c->n;
  c->ins = NULL;
  c->n = c->cap = 0;
  for (int i = 0; i < n; i++) {
    const int made = from[i].n ? from[i].o[0].reg : -1;
    if (made >= 0 && c->vreg[made].fixed == i && c->vreg[made].phys < 0) continue;       // made for each use
    if (!tn_isa_rewrite_copy(c, target, from, &from[i])) tn_isa_rewrite_one(c, target, from, from[i]);
  }
}

static void tn_isa_allocate(tn_isa_code *c, const tn_isa_target *target) {
  if (target->fixed) tn_isa_constants_out(c, target);
  tn_isa_ranges(c);
  tn_isa_hints(c, target);
  tn_isa_scan_all(c, target);
  tn_isa_rewrite(c, target);
}
#endif
