// arm64_peephole: neighbours that one instruction does: both halves of a vector, pairs of loads and stores, an
// access and the sum that its base is given after it.
//
// In:  a list before registers, and the list with the processor's registers. Out: the list.
// Holds: before registers nothing leaves the list, whose loops keep their places: what is not read any more is a copy,
//        which constants.c takes out, or a NOP, which leaves at the end. What is moved stays in its block, and
//        passes nothing that it depends on: a load no
//        store, a store no load or store. Places of the frame and constants are no memory that others name.
// Source: Arm Architecture Reference Manual (DDI 0487K.a), C6.2: LDP, STP, LDR and STR (immediate, post-index).
#ifndef TN_ISA_ARM64_PEEPHOLE
#define TN_ISA_ARM64_PEEPHOLE
#ifndef TINY_AMALGAMATED
#include "arm64_select.c"
#include "constants.c"
#endif

// ** halves of vectors, before registers **

// The instruction of the upper halves; 0: it has none.
static int tn_arm64_upper(int op) {
  switch (op) {
    case TN_ARM64_SSHLL: return TN_ARM64_SSHLL2;
    case TN_ARM64_USHLL: return TN_ARM64_USHLL2;
    case TN_ARM64_FCVTL: return TN_ARM64_FCVTL2;
    case TN_ARM64_XTN: return TN_ARM64_XTN2;
    case TN_ARM64_FCVTN: return TN_ARM64_FCVTN2;
    case TN_ARM64_UMULL: return TN_ARM64_UMULL2;
    default: return 0;
  }
}
static void tn_arm64_becomes_copy(tn_isa_ins *ins, int from) {
  ins->op = TN_ARM64_MOV; ins->n = 2;
  ins->o[0] = tn_arm64_vec(ins->o[0].reg, 16, 1, TN_ISA_DEF);
  ins->o[1] = tn_arm64_vec(from, 16, 1, TN_ISA_USE);
}
// Is it a copy of an upper half?
static int tn_arm64_is_upper_half(const tn_isa_ins *ins) {
  const tn_isa_operand *s = &ins->o[1];
  return ins->op == TN_ARM64_DUP && ins->o[0].nbytes == 8 && !ins->o[0].wide && s->cls == TN_ISA_VEC && !s->scale &&
      s->wide == 8 && s->imm == 1;
}
// What makes a register that is written once; -1: not known. Copies are looked through; reads: all are read once.
static int tn_arm64_maker(const tn_isa_code *c, const int *made, const int *reads, int reg) {
  while (reg >= 0 && made[reg] >= 0 && (!reads || reads[reg] == 1)) {
    if (!tn_arm64_moves(&c->ins[made[reg]])) return made[reg];
    reg = c->ins[made[reg]].o[1].reg;
  }
  return -1;
}
// What widens the copy of an upper half widens the upper half: all sources are such copies.
static void tn_arm64_widen_upper(tn_isa_code *c, const int *made, tn_isa_ins *ins) {
  const int upper = tn_arm64_upper(ins->op);
  if (!upper || ins->op == TN_ARM64_XTN || ins->op == TN_ARM64_FCVTN) return;
  for (int k = 1; k < ins->n; k++) {
    const int at = ins->o[k].kind == TN_ISA_REG ? tn_arm64_maker(c, made, NULL, ins->o[k].reg) : -1;
    if (ins->o[k].kind == TN_ISA_REG && (at < 0 || !tn_arm64_is_upper_half(&c->ins[at]))) return;
  }
  ins->op = (uint16_t)upper;
  for (int k = 1; k < ins->n; k++) if (ins->o[k].kind == TN_ISA_REG) {
    const tn_isa_ins *half = &c->ins[tn_arm64_maker(c, made, NULL, ins->o[k].reg)];
    ins->o[k].reg = half->o[1].reg; ins->o[k].nbytes = 16;
  }
}
// What is narrowed, and then inserted as an upper half, is narrowed to there.
static void tn_arm64_narrow_upper(tn_isa_code *c, const int *made, const int *reads, tn_isa_ins *ins) {
  const tn_isa_operand *d = &ins->o[0], *s = &ins->o[1];
  if (ins->op != TN_ARM64_INS || d->wide != 8 || d->imm != 1 || s->cls != TN_ISA_VEC || s->imm) return;
  const int at = tn_arm64_maker(c, made, reads, s->reg);
  if (at < 0) return;
  tn_isa_ins *narrow = &c->ins[at];
  if (narrow->op != TN_ARM64_XTN && narrow->op != TN_ARM64_FCVTN) return;
  ins->op = (uint16_t)tn_arm64_upper(narrow->op);
  ins->o[0] = tn_arm64_vec(d->reg, 16, narrow->o[0].wide, TN_ISA_BOTH);
  ins->o[1] = narrow->o[1];
  tn_arm64_becomes_copy(narrow, narrow->o[1].reg);
}
// How often a register is read, but for addresses.
static int *tn_arm64_reads(const tn_isa_code *c) {
  int *reads = (int *)tn_scratch(c->t, ((size_t)c->nvreg + 1) * sizeof(int));
  for (int i = 0; i < c->n; i++) for (int k = 0; k < c->ins[i].n; k++) {
    const tn_isa_operand *o = &c->ins[i].o[k];
    if (o->kind == TN_ISA_REG && o->reg >= 0 && o->role & TN_ISA_USE) reads[o->reg]++;
  }
  return reads;
}
static void tn_arm64_fuse_halves(tn_isa_code *c) {
  int *writes = tn_isa_writes(c), *made = (int *)tn_scratch(c->t, ((size_t)c->nvreg + 1) * sizeof(int));
  int *reads = tn_arm64_reads(c);
  for (int v = 0; v < c->nvreg; v++) made[v] = -1;
  for (int i = 0; i < c->n; i++) {
    tn_isa_ins *ins = &c->ins[i];
    tn_arm64_widen_upper(c, made, ins);
    tn_arm64_narrow_upper(c, made, reads, ins);
    const tn_isa_operand *d = &ins->o[0], *s = &ins->o[1];
    const int one = ins->n > 1 && d->kind == TN_ISA_REG && d->reg >= 0 && d->role == TN_ISA_DEF && writes[d->reg] == 1;
    if (one && s->kind == TN_ISA_REG && s->reg >= 0 && writes[s->reg] == 1) made[d->reg] = i;
  }
}

// ** accesses, with registers **

static int tn_arm64_ends_block(const tn_isa_ins *ins) {
  for (int k = 0; k < ins->n; k++) if (ins->o[k].kind == TN_ISA_LABEL) return 1;
  return ins->op == TN_ISA_PLACE;
}
static int tn_arm64_names(const tn_isa_ins *ins, int cls, int reg) {
  for (int k = 0; k < ins->n; k++) {
    const tn_isa_operand *o = &ins->o[k];
    if (o->kind == TN_ISA_REG && o->cls == cls && o->reg == reg) return 1;
    if (o->kind == TN_ISA_MEM && cls == TN_ISA_GPR && (o->reg == reg || o->index == reg)) return 1;
  }
  return 0;
}
static int tn_arm64_is_access(const tn_isa_ins *ins) {
  return !tn_arm64_ends_block(ins) && ins->n > 1 && ins->o[ins->n - 1].kind == TN_ISA_MEM;
}
static int tn_arm64_is_store(const tn_isa_ins *ins) {
  return tn_arm64_is_access(ins) && !strncmp(tn_arm64_rows[ins->op].name, "st", 2);
}
// The scaled and the unscaled row of an access; 0: it has but one.
static int tn_arm64_displaced(int op, int unscaled) {
  static const uint16_t rows[][2] = {
    {TN_ARM64_LDR, TN_ARM64_LDUR}, {TN_ARM64_STR, TN_ARM64_STUR}, {TN_ARM64_LDRB, TN_ARM64_LDURB},
    {TN_ARM64_LDSRB, TN_ARM64_LDUSRB}, {TN_ARM64_STRB, TN_ARM64_STURB}, {TN_ARM64_LDRH, TN_ARM64_LDURH},
    {TN_ARM64_LDSRH, TN_ARM64_LDUSRH}, {TN_ARM64_STRH, TN_ARM64_STURH}, {TN_ARM64_PRFM, TN_ARM64_PRFUM}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (op == rows[i][0] || op == rows[i][1]) return rows[i][unscaled];
  return 0;
}

// ** pairs **

enum { TN_ARM64_WINDOW = 24 };             // instructions that are looked at from the first of a pair
// A load or store of one register, of 4 to 16 bytes, at a base and a displacement.
static int tn_arm64_may_pair(const tn_isa_ins *ins) {
  const int row = tn_arm64_displaced(ins->op, 0);
  const tn_isa_operand *o = &ins->o[1];
  return ins->n == 2 && (row == TN_ARM64_LDR || row == TN_ARM64_STR) && o->kind == TN_ISA_MEM &&
      o->index == TN_ISA_NO_REG && ins->o[0].nbytes >= 4 && ins->o[0].nbytes == o->nbytes;
}
static int tn_arm64_are_pair(const tn_isa_ins *a, const tn_isa_ins *b) {
  const int nbytes = a->o[0].nbytes, loads = tn_arm64_displaced(a->op, 0) == TN_ARM64_LDR;
  const int64_t d = a->o[1].imm, e = b->o[1].imm, low = d < e ? d : e;
  if (!tn_arm64_may_pair(b) || tn_arm64_displaced(a->op, 0) != tn_arm64_displaced(b->op, 0)) return 0;
  if (b->o[0].cls != a->o[0].cls || b->o[0].nbytes != nbytes || b->o[1].reg != a->o[1].reg) return 0;
  if (loads && b->o[0].reg == a->o[0].reg) return 0;
  return (d - e == nbytes || e - d == nbytes) && low % nbytes == 0 && low / nbytes >= -64 && low / nbytes < 64;
}
static tn_isa_ins tn_arm64_pair_of(const tn_isa_ins *a, const tn_isa_ins *b) {
  const tn_isa_ins *low = a->o[1].imm < b->o[1].imm ? a : b, *high = low == a ? b : a;
  tn_isa_ins pair = *low;
  pair.op = tn_arm64_displaced(a->op, 0) == TN_ARM64_LDR ? TN_ARM64_LDP : TN_ARM64_STP;
  pair.n = 3; pair.o[1] = high->o[0]; pair.o[2] = low->o[1];
  return pair;
}
// The other of a pair with ins[at]: -1: there is none. Loads are brought to the first, stores to the last.
static int tn_arm64_other(const tn_isa_code *c, int at) {
  const tn_isa_ins *a = &c->ins[at];
  const int loads = tn_arm64_displaced(a->op, 0) == TN_ARM64_LDR, base = a->o[1].reg;
  const int is_base = a->o[0].cls == TN_ISA_GPR && a->o[0].reg == base;
  for (int i = at + 1; i < c->n && i <= at + TN_ARM64_WINDOW && !(loads && is_base); i++) {
    const tn_isa_ins *b = &c->ins[i];
    if (tn_arm64_ends_block(b)) return -1;
    if (tn_arm64_are_pair(a, b)) {
      int apart = 1;                       // nothing between names what the later loads
      for (int k = at; k < i && loads && apart; k++)
        apart = !tn_arm64_names(&c->ins[k], b->o[0].cls, b->o[0].reg);
      return apart ? i : -1;
    }
    if (loads ? tn_arm64_is_store(b) : tn_arm64_is_access(b)) return -1;
    if (tn_arm64_names(b, TN_ISA_GPR, base) && !tn_arm64_is_access(b)) return -1;
    for (int k = 0; k < b->n && loads; k++)                    // it loads the base
      if (b->o[k].kind == TN_ISA_REG && b->o[k].cls == TN_ISA_GPR && b->o[k].reg == base) return -1;
    if (!loads && tn_arm64_names(b, a->o[0].cls, a->o[0].reg)) return -1;
  }
  return -1;
}
// reads: of registers before they are the processor's: what nobody reads might be given the other's. NULL: they are.
static void tn_arm64_pairs(tn_isa_code *c, const int *reads) {
  for (int i = 0; i < c->n; i++) {
    if (tn_arm64_ends_block(&c->ins[i]) || !tn_arm64_may_pair(&c->ins[i])) continue;
    const int other = tn_arm64_other(c, i);
    if (other < 0) continue;
    const int loads = tn_arm64_displaced(c->ins[i].op, 0) == TN_ARM64_LDR;
    const int a = c->ins[i].o[0].reg, b = c->ins[other].o[0].reg;
    if (reads && loads && (a < 0 || b < 0 || !reads[a] || !reads[b])) continue;
    const tn_isa_ins pair = tn_arm64_pair_of(&c->ins[i], &c->ins[other]);
    c->ins[loads ? i : other] = pair;
    tn_isa_ins *rest = &c->ins[loads ? other : i];
    rest->op = TN_ARM64_NOP; rest->n = 0;
  }
}

// ** sums of bases **

// Is it r = r + a number?
static int tn_arm64_grows(const tn_isa_ins *ins, int64_t *by) {
  if ((ins->op != TN_ARM64_ADD && ins->op != TN_ARM64_SUB) || ins->n != 3 || ins->o[0].cls != TN_ISA_GPR) return 0;
  if (ins->o[0].reg != ins->o[1].reg || ins->o[2].kind != TN_ISA_NUMBER || ins->o[0].nbytes != 8) return 0;
  *by = ins->op == TN_ARM64_ADD ? ins->o[2].imm : -ins->o[2].imm;
  return 1;
}
// May the access, at its base itself, add so much to that after it?
static int tn_arm64_takes_sum(const tn_isa_ins *ins, int64_t by) {
  const tn_isa_operand *o = &ins->o[ins->n - 1];
  const int pair = ins->op == TN_ARM64_LDP || ins->op == TN_ARM64_STP, nbytes = ins->o[0].nbytes;
  if (!pair && (ins->n != 2 || tn_arm64_displaced(ins->op, 0) != ins->op)) return 0;
  if (o->index != TN_ISA_NO_REG || o->imm || o->role == TN_ARM64_AFTER || ins->o[0].kind != TN_ISA_REG) return 0;
  for (int k = 0; k < ins->n - 1; k++) if (ins->o[k].cls == TN_ISA_GPR && ins->o[k].reg == o->reg) return 0;
  return pair ? by % nbytes == 0 && by / nbytes >= -64 && by / nbytes < 64 : by >= -256 && by < 256;
}
// An access behind it: as if its base had not grown. 0: there is none.
static int tn_arm64_moved_back(tn_isa_ins *ins, int base, int64_t by) {
  if (!tn_arm64_names(ins, TN_ISA_GPR, base)) return 1;
  if (!tn_arm64_is_access(ins)) return 0;
  tn_isa_operand *o = &ins->o[ins->n - 1];
  const int pair = ins->op == TN_ARM64_LDP || ins->op == TN_ARM64_STP, nbytes = o->nbytes;
  for (int k = 0; k < ins->n - 1; k++) if (ins->o[k].cls == TN_ISA_GPR && ins->o[k].reg == base) return 0;
  if (o->reg != base || o->index != TN_ISA_NO_REG || o->role == TN_ARM64_AFTER) return 0;
  const int64_t v = o->imm - by;
  o->imm = v;
  if (pair) return v % nbytes == 0 && v / nbytes >= -64 && v / nbytes < 64;
  const int unscaled = v < 0 || v % nbytes, row = tn_arm64_displaced(ins->op, unscaled);
  ins->op = (uint16_t)row;
  return row && tn_arm64_reaches(v, nbytes);
}
// The sum at `at` is done by an access before it.
static int tn_arm64_join_sum(tn_isa_code *c, int at, int64_t by, const uint8_t *gone) {
  const int base = c->ins[at].o[0].reg;
  int i = at - 1, taken = 0;
  for (; i >= 0 && !taken && !tn_arm64_ends_block(&c->ins[i]); i--) {
    if (gone[i] || !tn_arm64_names(&c->ins[i], TN_ISA_GPR, base)) continue;
    taken = tn_arm64_is_access(&c->ins[i]) && c->ins[i].o[c->ins[i].n - 1].reg == base &&
        tn_arm64_takes_sum(&c->ins[i], by);
    tn_isa_ins trial = c->ins[i];
    if (!taken && !tn_arm64_moved_back(&trial, base, by)) return 0;
  }
  if (!taken) return 0;
  for (int k = i + 2; k < at; k++) if (!gone[k]) tn_arm64_moved_back(&c->ins[k], base, by);
  tn_isa_operand *o = &c->ins[i + 1].o[c->ins[i + 1].n - 1];
  o->imm = by; o->role = TN_ARM64_AFTER;
  return 1;
}
static void tn_arm64_sums(tn_isa_code *c, uint8_t *gone) {
  for (int i = 0; i < c->n; i++) {
    int64_t by;
    if (!tn_arm64_ends_block(&c->ins[i]) && tn_arm64_grows(&c->ins[i], &by))
      gone[i] = (uint8_t)tn_arm64_join_sum(c, i, by, gone);
  }
}

static void tn_arm64_join_accesses(tn_isa_code *c) {
  uint8_t *gone = (uint8_t *)tn_scratch(c->t, (size_t)c->n + 1);
  int kept = 0;
  tn_arm64_pairs(c, NULL);
  tn_arm64_sums(c, gone);
  for (int i = 0; i < c->n; i++) if (!gone[i] && c->ins[i].op != TN_ARM64_NOP) c->ins[kept++] = c->ins[i];
  c->n = kept;
}
#endif
