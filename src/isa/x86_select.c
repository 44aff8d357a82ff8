// x86_select: the linear list of a kernel -> instructions of a level of x86-64, before registers.
//
// In:  a verified list whose ops the CPU's renderer has. Out: code, or what of it is not known here, in code->refused.
// Holds: a value is in registers as x86_values.c says. A node wider than a register is written part by part. A NEG that
//        one FMA alone uses is part of its instruction, and so is a load that one BROADCAST uses, a condition that one
//        choice has, and 1 or 0 that one sum takes.
// Not here: SHUFFLE and grids, which are none of a CPU's.
#ifndef TN_ISA_X86_SELECT
#define TN_ISA_X86_SELECT
#ifndef TINY_AMALGAMATED
#include "x86_expand.c"
#include "x86_tiles.c"
#endif

// ** loops and the entry **

// Adds a value, times a number, to a general register of 64 bits; the first one is written to it.
static void tn_x86_add_term(tn_x86_select *x, int to, const tiny_uop *u, int64_t times, int first) {
  const int nbytes = tn_x86_held(x, u), may_be_negative = tn_x86_may_be_negative(u);
  const int r = tn_x86_value(x, u), part = first ? to : times == 1 && !may_be_negative ? r : tn_x86_new(x, TN_ISA_GPR);
  if (nbytes == 4 && may_be_negative)
    tn_x86_2(x, TN_X86_MOVSXD, tn_x86_gpr(part, 8, TN_ISA_DEF), tn_x86_gpr(r, 4, TN_ISA_USE));
  else tn_x86_copy(x, TN_ISA_GPR, part, r, 8);
  if (times != 1)
    tn_x86_3(x, TN_X86_IMUL, tn_x86_gpr(part, 8, TN_ISA_DEF), tn_x86_gpr(part, 8, TN_ISA_USE), tn_isa_number(times));
  if (!first) tn_x86_2(x, TN_X86_ADD, tn_x86_gpr(to, 8, TN_ISA_BOTH), tn_x86_gpr(part, 8, TN_ISA_USE));
}
static void tn_x86_begin_inductions(tn_x86_select *x, const tiny_uop *range) {
  for (int i = 0; i < x->inductions.n; i++) {
    tn_isa_induction *d = &x->inductions.of[i];
    if (d->range != range) continue;
    d->reg = tn_x86_new(x, TN_ISA_GPR);
    for (int k = 0; k < d->n; k++) tn_x86_add_term(x, d->reg, d->term[k].of, d->term[k].times, !k);
    if (!d->n) tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(d->reg, 4, TN_ISA_DEF), tn_isa_number(0));
    if (tn_isa_pace(d)) {
      tn_isa_operand o = tn_isa_at(TN_ISA_MEM, 0, 0);
      tn_x86_base(x, d->memory, &o);
      o.index = d->reg; o.scale = (uint8_t)d->nbytes;
      tn_x86_2(x, TN_X86_LEA, tn_x86_gpr(d->reg, 8, TN_ISA_DEF), o);
    } else if (range->nsrc > 1) tn_x86_add_term(x, d->reg, range->src[1], d->step, 0);
  }
}
static void tn_x86_step_inductions(tn_x86_select *x, const tiny_uop *range, int copies) {
  for (int i = 0; i < x->inductions.n; i++) {
    const tn_isa_induction *d = &x->inductions.of[i];
    if (d->range == range && !tn_isa_pace(d))
      tn_x86_2(x, TN_X86_ADD, tn_x86_gpr(d->reg, 8, TN_ISA_BOTH), tn_isa_number(d->step * copies));
  }
}
// Does nobody want to know which iteration it is? Then they are counted down.
static int tn_x86_counts_down(const tn_x86_select *x, const tiny_uop *range) {
  int wanted = x->uses[range->seq] > 1;    // END is one
  for (int i = 0; i < x->inductions.n && !wanted; i++)
    wanted = x->inductions.of[i].range == range && tn_isa_pace(&x->inductions.of[i]);
  return !wanted && range->src[0]->k < INT32_MAX && tn_isa_is_whole(range, x->copies[range->seq]);
}
// How many copies of its body a loop has: one, unless all that asks which iteration it is are addresses, which add it.
static int tn_x86_copies(const tn_x86_select *x, const tiny_uop *range) {
  const int end = tn_isa_body_end(x->k, range);
  int wanted = x->uses[range->seq] - 1, n = 0;
  for (int i = (int)range->seq + 1; i < end; i++) {
    const tiny_uop *u = x->k->list[i], *value = u->op == TINY_OP_STORE ? u->src[1] : u;
    if (tn_x86_adds_iteration(x, u, range)) wanted -= 2;
    if (u->op == TINY_OP_STORE ? !tn_is_reg(u->src[0]->src[0]) : x->uses[i] && !x->fused[i] && u->dtype != TINY_VOID &&
        u->op != TINY_OP_INDEX && u->op != TINY_OP_CONST && !tn_x86_is_splat(u)) n += tn_x86_parts_of(x, value);
  }
  for (int i = 0; i < x->inductions.n; i++) {
    const tn_isa_induction *d = &x->inductions.of[i];
    if (d->range == range && (d->step > TN_X86_STEP_MOST || d->step < -TN_X86_STEP_MOST)) return 1;
  }
  return end < 0 || wanted ? 1 : tn_isa_copies_of(range, n, 1);
}
// The loop goes on while its number is less than this, which leaves all copies of the body an iteration.
static tn_isa_operand tn_x86_bound(tn_x86_select *x, const tiny_uop *range, int copies) {
  const tiny_uop *end = range->src[0];
  const int nbytes = tn_x86_held(x, range);
  if (copies == 1 || tn_isa_is_whole(range, copies)) return tn_x86_scalar_source(x, end, nbytes);
  if (end->op == TINY_OP_CONST) return tn_isa_number(end->k - copies + 1);
  tn_isa_operand o = tn_isa_at(TN_ISA_MEM, 0, 1 - copies);
  o.reg = tn_x86_value(x, end);
  const int r = tn_x86_new(x, TN_ISA_GPR);
  tn_x86_2(x, TN_X86_LEA, tn_x86_gpr(r, nbytes, TN_ISA_DEF), o);
  return tn_x86_gpr(r, nbytes, TN_ISA_USE);
}
// What a loop of so many copies begins with, unless it is the rest of one that has more.
static void tn_x86_begin_loop(tn_x86_select *x, const tiny_uop *u, tn_isa_operand bound, int copies) {
  const tiny_uop *end = u->src[0];
  const int r = x->reg[u->seq], nbytes = tn_x86_held(x, u), label = x->c->labels, rest = copies < x->copies[u->seq];
  const int known = end->op == TINY_OP_CONST && u->nsrc == 1 && end->k >= x->copies[u->seq];
  const int64_t times = !known ? 0 : rest ? end->k % x->copies[u->seq] : end->k / copies;
  x->c->labels += 2;
  x->label[u->seq] = label;
  if (!known) {
    tn_x86_2(x, TN_X86_CMP, tn_x86_gpr(r, nbytes, TN_ISA_USE), bound);
    tn_x86_jump(x, tn_is_unsigned(u->dtype) ? TN_X86_JAE : TN_X86_JGE, label + 1);
  }
  tn_isa_loop *loop = TN_PUSH(x->c->t, x->c->loop, x->c->nloop, x->c->caploop, tn_isa_loop);
  loop->begin = x->c->n; loop->end = -1; loop->times = times < 1000 ? (int)times : 1000;
  tn_x86_place(x, label);
}
static void tn_x86_range(tn_x86_select *x, const tiny_uop *u) {
  const int r = x->reg[u->seq] = tn_x86_new(x, TN_ISA_GPR);
  const tiny_uop *start = u->nsrc > 1 ? u->src[1] : NULL;
  x->copies[u->seq] = (uint8_t)tn_x86_copies(x, u);
  tn_x86_begin_inductions(x, u);
  if (start) tn_x86_copy(x, TN_ISA_GPR, r, tn_x86_value(x, start), 8);
  else {
    const int64_t n = tn_x86_counts_down(x, u) ? u->src[0]->k / x->copies[u->seq] : 0;
    tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(r, 4, TN_ISA_DEF), tn_isa_number(n));
  }
}
static void tn_x86_end_loop(tn_x86_select *x, const tiny_uop *range, tn_isa_operand bound, int copies) {
  const int r = x->reg[range->seq], nbytes = tn_x86_held(x, range), label = x->label[range->seq];
  const int down = tn_x86_counts_down(x, range);
  tn_x86_step_inductions(x, range, copies);
  tn_x86_2(x, down ? TN_X86_SUB : TN_X86_ADD, tn_x86_gpr(r, nbytes, TN_ISA_BOTH), tn_isa_number(down ? 1 : copies));
  if (!down) tn_x86_2(x, TN_X86_CMP, tn_x86_gpr(r, nbytes, TN_ISA_USE), bound);
  tn_x86_jump(x, down ? TN_X86_JNE : tn_is_unsigned(range->dtype) ? TN_X86_JB : TN_X86_JL, label);
  int l = x->c->nloop - 1;
  while (l >= 0 && x->c->loop[l].end >= 0) l--;
  x->c->loop[l].end = x->c->n;
  tn_x86_place(x, label + 1);
}

static tn_isa_operand tn_x86_slot_of(int base, int64_t k, int nbytes) {
  tn_isa_operand o = tn_isa_at(TN_ISA_MEM, nbytes, 8 * k);
  o.reg = base;
  return o;
}
static void tn_x86_define(tn_x86_select *x, const tiny_uop *u) {
  const int64_t nbytes = u->v[1] * u->lanes * tn_dtypes[u->dtype].nbytes;
  if (u->v[0] == TN_SPACE_REG) return;     // known when it is first named
  if (!x->k->local_nbytes) {
    x->c->frame = (x->c->frame + 63) / 64 * 64;
    const int64_t at = x->c->frame;
    x->c->frame += (nbytes + 63) / 64 * 64;
    x->label[u->seq] = (int)at + 1;
    return;
  }
  tn_isa_operand o = tn_isa_at(TN_ISA_MEM, 0, x->local_at);
  o.reg = x->local;
  x->reg[u->seq] = tn_x86_new(x, TN_ISA_GPR);
  tn_x86_2(x, TN_X86_LEA, tn_x86_gpr(x->reg[u->seq], 8, TN_ISA_DEF), o);
  x->local_at += (nbytes + 63) / 64 * 64;
}

// ** nodes **

// How many sources it reads, and what u reads as its source j.
static uint32_t tn_x86_reads(const tn_x86_select *x, const tiny_uop *u) { return x->packed[u->seq] ? 1 : u->nsrc; }
static const tiny_uop *tn_x86_read_by(const tn_x86_select *x, const tiny_uop *u, uint32_t j) {
  if (x->packed[u->seq]) return x->packed[u->seq]->src[0];
  if (x->factor[u->seq]) return x->factor[u->seq];
  const tiny_uop *folded = u->op == TINY_OP_INDEX && j == 1 ? tn_isa_folded(u) : NULL;
  if (x->shuffles[u->seq]) return u->src[j]->src[0];
  if (u->op == TINY_OP_WHERE && j == 0 && tn_x86_extremum(x, u)) return u->src[1];
  return folded ? folded->src[0] : u->src[j];
}
// Is it a sum of floats that overwrites one of its sources?
static int tn_x86_adds_to(const tn_x86_select *x, const tiny_uop *u) {
  return u->op == TINY_OP_ADD && tn_is_float(u->dtype) && !tn_x86_level_has(x->level, TN_X86_VADDPS);
}
// Does `next` take what it adds to where that stands?
static int tn_x86_adds_in_place(const tn_x86_select *x, const tiny_uop *next, const tiny_uop *u) {
  if (next->op == TINY_OP_WMMA) return u->op == TINY_OP_WMMA && next->src[2] == u;
  return tn_x86_adds_to(x, next) && tn_x86_adds_to(x, u);
}
// Where a value goes that is only stored to REG memory of which nothing is read or written meanwhile: there; or -1.
static int tn_x86_home(tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *store = x->uses[u->seq] == 1 ? x->user[u->seq] : NULL, *sum = u;
  for (; store && tn_x86_adds_in_place(x, store, sum); sum = store, store =
       x->uses[sum->seq] == 1 ? x->user[sum->seq] : NULL)    // what is added to stands where the last sum goes
    if (store->src[0] == store->src[1] || store->lanes != u->lanes) return -1;
  if (!store || store->op != TINY_OP_STORE || store->src[1] != sum || !tn_is_reg(store->src[0]->src[0])) return -1;
  const int *e = tn_x86_reg_element(x, store->src[0]);
  if (!e) return -1;
  for (uint32_t i = u->seq + 1; i < store->seq; i++) {
    const tiny_uop *other = x->k->list[i];
    if (other->op == TINY_OP_END || other->op == TINY_OP_RANGE || other->op == TINY_OP_IF || other->op == TINY_OP_ENDIF)
      return -1;
    const int reaches = (other->op == TINY_OP_LOAD || other->op == TINY_OP_STORE) && tn_is_reg(other->src[0]->src[0]);
    if (reaches && tn_x86_reg_element(x, other->src[0]) == e) return -1;
  }
  for (uint32_t i = 0; i < store->seq; i++) {                // loads that stand for the register, and are used later
    const tiny_uop *load = x->k->list[i];
    if (load->op == TINY_OP_LOAD && x->reg[i] == *e && x->last[i] > (int)u->seq) return -1;
  }
  return *e;
}
// Is the value, which is written to that register, made of what the register holds, in more than one step?
static int tn_x86_made_of(const tn_x86_select *x, const tiny_uop *u, int reg, const tiny_uop *allowed) {
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *s = tn_x86_read_by(x, u, i);
    if (x->packed[u->seq]) break;
    if (x->fused[s->seq] && tn_x86_made_of(x, s, reg, NULL)) return 1;
    if (s != allowed && x->reg[s->seq] == reg) return 1;
  }
  return 0;
}
// A LOAD of REG memory is its register, unless that is written before the last use.
static void tn_x86_load_reg(tn_x86_select *x, const tiny_uop *u) {
  const int *e = tn_x86_reg_element(x, u->src[0]);
  if (!e) return;
  int stays = 1;
  for (int i = (int)u->seq + 1; i < x->last[u->seq] && stays; i++) {
    const tiny_uop *store = x->k->list[i];
    if (store->op == TINY_OP_STORE && tn_is_reg(store->src[0]->src[0]) && tn_x86_reg_element(x, store->src[0]) == e)
      stays = 0;
    if (store->op == TINY_OP_END || store->op == TINY_OP_RANGE) stays = 0;
  }
  if (stays) { x->reg[u->seq] = *e; return; }
  if (x->tile[u->seq]) { tn_isa_refuse(x->c, "a copy of a tile"); return; }
  x->reg[u->seq] = tn_x86_new_for(x, u);
  tn_x86_copy_all(x, u, x->reg[u->seq], *e);
}

static void tn_x86_node(tn_x86_select *x, const tiny_uop *u) {
  int *reg = &x->reg[u->seq];
  switch (u->op) {
    case TINY_OP_CONST: case TINY_OP_INDEX: case TINY_OP_GROUP: case TINY_OP_SINK: case TINY_OP_BARRIER: return;
    case TINY_OP_AFTER: *reg = x->reg[u->src[0]->seq]; return;
    case TINY_OP_PARAM:
      *reg = tn_x86_new(x, TN_ISA_GPR);
      tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(*reg, 8, TN_ISA_DEF), tn_x86_slot_of(x->mem, u->k, 8));
      return;
    case TINY_OP_ARG:
      *reg = tn_x86_new(x, tn_x86_class(x, u));
      tn_x86_move_in(x, u, *reg, tn_x86_slot_of(x->args, u->k, 8));
      return;
    case TINY_OP_SPECIAL:
      *reg = tn_x86_new(x, TN_ISA_GPR);
      tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(*reg, tn_x86_held(x, u), TN_ISA_DEF),
               tn_x86_gpr(x->task, tn_x86_held(x, u), TN_ISA_USE));
      if (u->k) tn_isa_refuse(x->c, "a grid");
      return;
    case TINY_OP_DEFINE: tn_x86_define(x, u); return;
    case TINY_OP_RANGE:
      tn_x86_range(x, u);
      if (x->copies[u->seq] == 1) tn_x86_begin_loop(x, u, tn_x86_bound(x, u, 1), 1);
      return;
    case TINY_OP_END: tn_x86_end_loop(x, u->src[1], tn_x86_bound(x, u->src[1], 1), 1); return;
    case TINY_OP_IF: x->label[u->seq] = tn_x86_if(x, u->src[0]); return;
    case TINY_OP_ENDIF: tn_x86_place(x, x->label[u->src[0]->seq]); return;
    case TINY_OP_PREFETCH: tn_x86_1(x, TN_X86_PREFETCHT1, tn_x86_memory(x, u->src[0], 1)); return;
    case TINY_OP_STORE:
      if (tn_is_reg(u->src[0]->src[0])) {
        const int *e = tn_x86_reg_element(x, u->src[0]);
        if (e && x->tile[tn_memory_behind(u->src[0]->src[0])->seq]) tn_x86_keep_tile(x, u->src[1], *e);
        else if (e && x->reg[u->src[1]->seq] != *e)
          tn_x86_store_reg(x, u->src[1], tn_memory_behind(u->src[0]->src[0]), *e);
      } else if (x->tile[u->src[1]->seq]) tn_x86_store_tile(x, u);
      else tn_x86_store_all(x, u);
      return;
    default: break;
  }
  if (!x->uses[u->seq] || x->fused[u->seq]) return;
  if (x->packed[u->seq]) {
    *reg = tn_x86_new(x, TN_ISA_GPR);
    tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(*reg, 4, TN_ISA_DEF), tn_x86_memory(x, x->packed[u->seq]->src[0], 4));
    return;
  }
  if (tn_x86_is_splat(u)) {                // made where it stands, before all loops; zeros cost nothing anywhere
    const int64_t bits = tn_x86_bits(u->src[0]);
    const int nbytes = u->lanes * tn_x86_element(x, u), most = x->level->nbytes;
    if (bits && u->dtype != TINY_BOOL)
      *reg = tn_x86_splat(x, bits, tn_x86_element(x, u), tn_x86_vector(nbytes > most ? most : nbytes));
    return;
  }
  if (u->lanes & (u->lanes - 1)) { tn_isa_refuse(x->c, "lanes that are no power of two"); return; }
  if (u->op == TINY_OP_LOAD && tn_is_reg(u->src[0]->src[0])) { tn_x86_load_reg(x, u); return; }
  if (x->tile[u->seq]) { *reg = tn_x86_tile(x, u, tn_x86_home(x, u)); return; }
  const int by_itself = u->op == TINY_OP_STACK || u->op == TINY_OP_PICK;
  const int at_once = tn_x86_has(x, u) && !tn_regroups(u) && (by_itself || !tn_x86_lanes_at_once(x, u));
  int home = at_once && !tn_x86_is_lanes_of_bool(u) ? tn_x86_home(x, u) : -1;
  const int one_step = tn_x86_class(x, u) == TN_ISA_VEC && tn_op_is(u->op, TINY_ALU) &&
      (tn_x86_row_of(x, u) || u->op == TINY_OP_WHERE);
  if (home >= 0 && !one_step && tn_x86_made_of(x, u, home, u->op == TINY_OP_FMA ? u->src[2] : NULL)) home = -1;
  const int to = home >= 0 ? home : tn_x86_new_for(x, u);
  tn_x86_write(x, u, to);
  *reg = to;
  if (x->indexes[u->seq]) x->wide[u->seq] = tn_x86_extended(x, to);
}

// A loop with copies of its body, whose RANGE is written, and what is left over one by one. The place of its END.
static int tn_x86_write_copies(tn_x86_select *x, const tiny_uop *range) {
  const int end = tn_isa_body_end(x->k, range), whole = tn_isa_is_whole(range, x->copies[range->seq]);
  x->unrolled = range;
  for (int n = x->copies[range->seq]; n; n = n > 1 && !whole) {
    const tn_isa_operand bound = tn_x86_bound(x, range, n);
    tn_x86_begin_loop(x, range, bound, n);
    for (x->copy = 0; x->copy < n; x->copy++)
      for (int i = (int)range->seq + 1; i < end && !x->c->refused; i++) tn_x86_node(x, x->k->list[i]);
    x->copy = 0;
    tn_x86_end_loop(x, range, bound, n);
  }
  x->unrolled = NULL;
  return end;
}

// Is a LOAD, a NEG or a count used by one other node alone, in its block, with nothing between that changes what it
// takes?
static int tn_x86_is_fused(const tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *user = x->uses[u->seq] == 1 ? x->user[u->seq] : NULL;
  if (!user || user->lanes < u->lanes) return 0;
  const int negates = u->op == TINY_OP_NEG && user->op == TINY_OP_FMA;
  const int load = u->op == TINY_OP_LOAD && u->lanes == 1 && !u->k && u->src[0]->nsrc == 2 &&
      !tn_is_reg(u->src[0]->src[0]) && user->op == TINY_OP_BROADCAST && user->dtype != TINY_BOOL;
  const int counts = user->op == TINY_OP_ADD && tn_x86_is_count(x, u) && user->src[0] != user->src[1] &&
      !x->fused[user->src[user->src[0] == u]->seq];
  return (negates || load || counts) && tn_x86_stays(x, u, load);
}
// Is it written for its value alone, which nobody uses?
static int tn_x86_is_dead(const tn_x86_select *x, const tiny_uop *u) {
  const int op = u->op;
  if (x->uses[u->seq] || u->dtype == TINY_VOID) return 0;
  return tn_op_is_elementwise(op) || op == TINY_OP_LOAD || op == TINY_OP_INDEX || op == TINY_OP_BROADCAST ||
      op == TINY_OP_STACK || op == TINY_OP_PICK;
}
// Bytes of an element of a bool of a vector: what is compared; of what is made of bools the widest of them; in REG
// memory 4. Where nothing tells, 4.
static int tn_x86_bool_element(const tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *s = u->nsrc ? u->src[0] : NULL;
  int most = 0;
  if (u->op == TINY_OP_LOAD || u->op == TINY_OP_DEFINE) return 4;
  if (tn_op_is(u->op, TINY_CMP) && s->dtype != TINY_BOOL) return tn_dtypes[s->dtype].nbytes;
  if (u->op == TINY_OP_CAST) return tn_dtypes[s->dtype].nbytes;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *one = u->src[i];
    if (tn_x86_is_lanes_of_bool(one) && !tn_x86_is_splat(one) && x->bools[one->seq] > most) most = x->bools[one->seq];
  }
  return most ? most : 4;
}
static void tn_x86_bool_elements(tn_x86_select *x) {
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    x->bools[i] = (uint8_t)(tn_x86_is_lanes_of_bool(u) ? tn_x86_bool_element(x, u) : 1);
  }
}
// Is a LOAD the source of one sum or product of its own kind, which reads it from memory? (VEX and EVEX: at any
// address, Intel SDM vol. 1, 14.9)
static int tn_x86_is_last_source(const tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *user = x->uses[u->seq] == 1 ? x->user[u->seq] : NULL;
  if (!user || u->op != TINY_OP_LOAD || u->k || u->nsrc != 1 || !tn_is_float(u->dtype)) return 0;
  const int element = tn_x86_element(x, u), nbytes = u->lanes * element;
  const int whole = u->lanes == 1 || nbytes == 16 || nbytes == 32 || nbytes == 64;
  const tiny_uop *index = u->src[0];
  if (!whole || element < 4 || !tn_x86_level_has(x->level, TN_X86_VADDPS)) return 0;
  if (index->nsrc != 2 || index->lanes > 1 || tn_is_reg(index->src[0])) return 0;
  const int factor = user->op == TINY_OP_FMA && (user->src[0] == u || user->src[1] == u) && user->src[2] != u;
  const int commutes = user->op == TINY_OP_ADD || user->op == TINY_OP_MUL || factor;
  if (!commutes && (user->op != TINY_OP_SUB || user->src[1] != u)) return 0;
  const tiny_uop *other = user->src[user->src[0] == u];
  if (other == u || x->fused[other->seq] || other->op == TINY_OP_CONST || tn_x86_is_splat(other)) return 0;
  return tn_x86_stays(x, u, 1);
}
// An index that is an induction variable reads, before the loop, what that begins with.
static void tn_x86_read_induction(tn_x86_select *x, const tiny_uop *index) {
  const tn_isa_induction *d = &x->inductions.of[x->inductions.which[index->seq] - 1];
  for (int i = 0; i <= d->n; i++) {
    const tiny_uop *s = i < d->n ? d->term[i].of : d->range->nsrc > 1 ? d->range->src[1] : NULL;
    if (!s) continue;
    x->uses[s->seq] += 2;
    x->user[s->seq] = d->range;
    if (x->last[s->seq] < (int)d->range->seq) x->last[s->seq] = (int)d->range->seq;
  }
}
static void tn_x86_survey(tn_x86_select *x) {
  for (int i = 0; i < x->k->n; i++) { x->k->list[i]->seq = (uint32_t)i; x->reg[i] = x->wide[i] = -1; }
  x->tiles = TN_RUNS_ONLY ? 0 : tn_x86_mark_tiles(x);
  tn_x86_bool_elements(x);
  for (int i = 0; i < x->k->n; i++) {
    tn_x86_order order;
    x->shuffles[i] = (uint8_t)tn_x86_shuffles(x, x->k->list[i], &order);
  }
  tn_isa_find_inductions(x->c->t, x->k, TN_X86_INDUCTIONS, 0, &x->inductions);
  for (int i = x->k->n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    if (tn_x86_is_dead(x, u)) continue;
    if (x->inductions.which[i]) tn_x86_read_induction(x, u);
    tn_combined word;
    x->packed[i] = tn_isa_word_of(x->k, u, &word);
    x->factor[i] = tn_x86_high_product_of(u);
    if (!x->factor[i] && tn_x86_level_has(x->level, TN_X86_PMULDQ)) x->factor[i] = tn_x86_quotient_of(u);
    for (uint32_t j = 0; j < tn_x86_reads(x, u); j++) {
      if (j == 1 && x->inductions.which[i]) continue;
      const tiny_uop *s = tn_x86_read_by(x, u, j);
      const int order = u->op == TINY_OP_GROUP || u->op == TINY_OP_SINK || (u->op == TINY_OP_AFTER && j);   // alone
      x->uses[s->seq] += order ? 0 : u->op == TINY_OP_INDEX ? 2 : 1;
      x->user[s->seq] = u;
      if (u->op == TINY_OP_INDEX && j == 1 && u->lanes == 1 && tn_x86_may_be_negative(s)) x->indexes[s->seq] = 1;
    }
  }
  for (int i = 0; i < x->k->n; i++) x->fused[i] = (uint8_t)tn_x86_is_fused(x, x->k->list[i]);
  for (int i = x->k->n - 1; i >= 0; i--)
    if (tn_x86_is_last_source(x, x->k->list[i])) x->fused[i] = 1;
    else if (tn_x86_is_condition(x, x->k->list[i])) x->fused[i] = (uint8_t)tn_x86_stays(x, x->k->list[i], 0);
  for (int i = x->k->n - 1; i >= 0; i--) {                   // what is fused, or an INDEX, reads where its user stands
    const tiny_uop *u = x->k->list[i];
    const int late = x->fused[i] || u->op == TINY_OP_INDEX, at = late && x->last[i] > i ? x->last[i] : i;
    for (uint32_t j = 0; j < tn_x86_reads(x, u); j++) {
      if (j == 1 && x->inductions.which[i]) continue;
      const tiny_uop *s = tn_x86_read_by(x, u, j);
      if (x->last[s->seq] < at) x->last[s->seq] = at;
    }
  }
}

// The System V and the Windows convention: the entry's arguments are the first four (System V ABI AMD64 1.0, 3.2.3;
// Microsoft, x64 calling convention).
static void tn_x86_entry(tn_x86_select *x) {
#ifdef _WIN32
  static const int regs[4] = {TN_X86_RCX, TN_X86_RDX, TN_X86_R8, TN_X86_R9};
#else
  static const int regs[4] = {TN_X86_RDI, TN_X86_RSI, TN_X86_RDX, TN_X86_RCX};
#endif
  int *const to[4] = {&x->mem, &x->args, &x->task, &x->local};
  // registers that nothing is given: no copy overtakes another
  const int pass[4] = {TN_X86_RAX, TN_X86_R10, TN_X86_R11, TN_X86_RDX};
  for (int i = 0; i < 4; i++)
    tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(-1 - pass[i], 8, TN_ISA_DEF), tn_x86_gpr(-1 - regs[i], 8, TN_ISA_USE));
  for (int i = 0; i < 4; i++) {
    *to[i] = tn_x86_new(x, TN_ISA_GPR);
    tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(*to[i], 8, TN_ISA_DEF), tn_x86_gpr(-1 - pass[i], 8, TN_ISA_USE));
  }
}

static void tn_x86_select_list(tn_isa_code *c, const tiny_listing *k, const tn_x86_level *level) {
  tn_x86_select x;
  const size_t n = (size_t)k->n + TN_X86_SPARE;
  memset(&x, 0, sizeof x);
  x.c = c; x.k = k; x.level = level;
  x.reg = (int *)tn_scratch(c->t, n * sizeof(int)); x.uses = (int *)tn_scratch(c->t, n * sizeof(int));
  x.last = (int *)tn_scratch(c->t, n * sizeof(int)); x.label = (int *)tn_scratch(c->t, n * sizeof(int));
  x.user = (const tiny_uop **)tn_scratch(c->t, n * sizeof *x.user);
  x.packed = (const tiny_uop **)tn_scratch(c->t, n * sizeof *x.packed);
  x.factor = (const tiny_uop **)tn_scratch(c->t, n * sizeof *x.factor);
  x.element = (int **)tn_scratch(c->t, n * sizeof *x.element);
  x.fused = (uint8_t *)tn_scratch(c->t, n); x.indexes = (uint8_t *)tn_scratch(c->t, n);
  x.bools = (uint8_t *)tn_scratch(c->t, n); x.shuffles = (uint8_t *)tn_scratch(c->t, n);
  x.copies = (uint8_t *)tn_scratch(c->t, n); x.tile = (uint8_t *)tn_scratch(c->t, n);
  x.wide = (int *)tn_scratch(c->t, n * sizeof(int));
  c->frame = TN_X86_SHELVES;                 // at 0
  tn_x86_survey(&x);
  tn_x86_entry(&x);
  if (x.tiles) tn_x86_configure_tiles(&x);
  for (int i = 0; i < k->n && !c->refused; i++) {
    tn_x86_node(&x, k->list[i]);
    if (k->list[i]->op == TINY_OP_RANGE && x.copies[i] > 1) i = tn_x86_write_copies(&x, k->list[i]);
  }
}
#endif
