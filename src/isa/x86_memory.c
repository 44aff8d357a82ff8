// x86_memory: addresses, loads and stores, of scalars and of vectors, all of them, some by a mask, or apart.
//
// In:  an INDEX, a LOAD or a STORE of one part. Out: its operand, or instructions.
// Holds: REG memory is registers, an element each. The sum with a constant that an address takes is not computed; an
//        index that may be negative is extended to 64 bits once. What one condition decides is jumped over.
// Not here: bools in memory, atomic additions, masked vectors of less than 16 bytes.
#ifndef TN_ISA_X86_MEMORY
#define TN_ISA_X86_MEMORY
#ifndef TINY_AMALGAMATED
#include "x86_values.c"
#endif

// ** memory **

// The registers of REG memory; what asks may stand before its DEFINE in the list. 0: they are too many.
static int tn_x86_reg_memory(tn_x86_select *x, const tiny_uop *m) {
  if (m->v[1] > 4096) { tn_isa_refuse(x->c, "REG memory that is no registers"); return 0; }
  x->element[m->seq] = (int *)tn_scratch(x->c->t, (size_t)m->v[1] * sizeof(int));
  for (int64_t i = 0; i < m->v[1]; i++) x->element[m->seq][i] = -1;
  return 1;
}
// Elements of REG memory are registers; NULL: not of one that is known.
static int *tn_x86_reg_element(tn_x86_select *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]), *at = index->src[1];
  if (at->op != TINY_OP_CONST || at->k < 0 || at->k >= m->v[1]) {
    tn_isa_refuse(x->c, "REG memory by a number of the run");
    return NULL;
  }
  if (!x->element[m->seq] && !tn_x86_reg_memory(x, m)) return NULL;
  int *e = &x->element[m->seq][at->k];
  if (*e < 0) *e = tn_x86_new_for(x, m);
  return e;
}

// The sum with a constant that an address takes as its displacement, as neither it nor the index leaves its type; NULL.
static const tiny_uop *tn_x86_folded(const tiny_uop *index) {
  const tiny_uop *at = index->src[1];
  if (index->lanes > 1 || tn_is_reg(index->src[0])) return NULL;
  if (at->op != TINY_OP_ADD || at->src[1]->op != TINY_OP_CONST || at->dtype != TINY_I32) return NULL;
  const int64_t k = at->src[1]->k, nbytes = k * tn_dtypes[index->dtype].nbytes;
  const int64_t least = INT32_MIN - (k < 0 ? k : 0), most = INT32_MAX - (k > 0 ? k : 0);
  const int stays = at->src[0]->vmin >= least && at->src[0]->vmax <= most;
  return stays && nbytes <= INT32_MAX / 2 && nbytes >= INT32_MIN / 2 ? at : NULL;
}
// An index as a whole general register: one that may be negative is extended, where it is made if an address takes it.
static int tn_x86_may_be_negative(const tiny_uop *at) {
  return tn_bits(at->dtype) < 64 && !tn_is_unsigned(at->dtype) && at->vmin < 0;
}
static int tn_x86_extended(tn_x86_select *x, int r) {
  const int wide = tn_x86_new(x, TN_ISA_GPR);
  tn_x86_2(x, TN_X86_MOVSXD, tn_x86_gpr(wide, 8, TN_ISA_DEF), tn_x86_gpr(r, 4, TN_ISA_USE));
  return wide;
}
static int tn_x86_index(tn_x86_select *x, const tiny_uop *at) {
  if (x->wide[at->seq] >= 0) return x->wide[at->seq];
  const int r = tn_x86_value(x, at);
  return tn_x86_may_be_negative(at) ? tn_x86_extended(x, r) : r;
}
// What an address begins with: the register of a pointer, or a place in the frame.
static void tn_x86_base(tn_x86_select *x, const tiny_uop *memory, tn_isa_operand *o) {
  const tiny_uop *m = tn_memory_behind(memory);
  const int framed = m->op == TINY_OP_DEFINE && x->label[m->seq] > 0;
  o->reg = framed ? -1 - TN_X86_RSP : tn_x86_value(x, m);
  if (framed) o->imm += x->label[m->seq] - 1;
}
static tn_isa_operand tn_x86_memory(tn_x86_select *x, const tiny_uop *index, int nbytes) {
  const tiny_uop *folded = tn_x86_folded(index), *at = folded ? folded->src[0] : index->src[1];
  const int element = tn_dtypes[index->dtype].nbytes;
  const int which = x->inductions.which[index->seq];
  const int64_t added = which ? x->inductions.added[index->seq] : folded ? folded->src[1]->k : 0;
  tn_isa_operand o = tn_isa_at(TN_ISA_MEM, nbytes, added * element);
  tn_x86_base(x, index->src[0], &o);
  const int64_t framed = o.imm - added * element;
  o.scale = (uint8_t)element;
  if (x->lanes && nbytes > element) o.imm += (int64_t)x->from * element;    // of a vector, not of what is broadcast
  if (which) {
    const tn_isa_induction *d = &x->inductions.of[which - 1];
    const int pace = tn_isa_pace(d);
    if (pace) { o.reg = d->reg; o.imm -= framed; o.index = x->reg[d->range->seq]; o.scale = (uint8_t)pace; }
    else o.index = d->reg;
    return o;
  }
  if (at->op != TINY_OP_CONST) { o.index = tn_x86_index(x, at); return o; }
  const int64_t far_off = o.imm + at->k * element;
  if (far_off <= INT32_MAX && far_off >= INT32_MIN) { o.imm = far_off; return o; }
  o.index = tn_x86_new(x, TN_ISA_GPR);
  tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(o.index, 8, TN_ISA_DEF), tn_isa_number(at->k));
  return o;
}

// A load or store of a scalar, or of a whole vector, at memory o.
static void tn_x86_move_in(tn_x86_select *x, const tiny_uop *u, int to, tn_isa_operand o) {
  const int cls = tn_x86_class(u), nbytes = tn_x86_nbytes(x, u);
  o.nbytes = (uint8_t)nbytes;
  if (cls == TN_ISA_GPR) {
    const int op = nbytes >= 4 ? TN_X86_MOV : tn_is_signed(u->dtype) ? TN_X86_MOVSX : TN_X86_MOVZX;
    tn_x86_2(x, op, tn_x86_gpr(to, nbytes == 8 ? 8 : 4, TN_ISA_DEF), o);
    return;
  }
  const int op = nbytes == 4 ? TN_X86_VMOVSS : nbytes == 8 ? TN_X86_VMOVSD : TN_X86_VMOVUPS;
  if (nbytes < 4) tn_isa_refuse(x->c, "a vector of less than four bytes");
  tn_x86_2(x, op, tn_x86_vec(to, tn_x86_vector(nbytes), TN_ISA_DEF), o);
}
static void tn_x86_move_out(tn_x86_select *x, const tiny_uop *u, int from, tn_isa_operand o) {
  const int cls = tn_x86_class(u), nbytes = tn_x86_nbytes(x, u);
  o.nbytes = (uint8_t)nbytes;
  if (cls == TN_ISA_GPR) { tn_x86_2(x, TN_X86_MOV, o, tn_x86_gpr(from, nbytes, TN_ISA_USE)); return; }
  const int op = nbytes == 4 ? TN_X86_VMOVSS : nbytes == 8 ? TN_X86_VMOVSD : TN_X86_VMOVUPS;
  if (nbytes < 4 || cls == TN_ISA_MASK) tn_isa_refuse(x->c, "a store of bools, or of less than four bytes");
  tn_x86_2(x, op, o, tn_x86_vec(from, tn_x86_vector(nbytes), TN_ISA_USE));
}

static const int tn_x86_masked_moves[4] = {TN_X86_VMOVDQU8, TN_X86_VMOVDQU16, TN_X86_VMOVDQU32, TN_X86_VMOVDQU64};
static int tn_x86_log(int nbytes) { return nbytes == 8 ? 3 : nbytes == 4 ? 2 : nbytes == 2 ? 1 : 0; }

// The operand of elements that lie apart, and the row of a gather or scatter. 0: there is none.
static int tn_x86_apart(tn_x86_select *x, const tiny_uop *index, const tiny_uop *value, tn_isa_operand *o,
    const int op[4]) {
  const tiny_uop *at = index->src[1];
  const int element = tn_x86_element(value), wide = tn_bits(at->dtype) == 64;
  const int nbytes = tn_x86_nbytes(x, value);
  *o = tn_isa_at(TN_ISA_MEM, 0, 0);
  tn_x86_base(x, index->src[0], o);
  o->index = tn_x86_value(x, at);
  o->cls = TN_ISA_VEC; o->scale = (uint8_t)element;
  o->wide = (uint8_t)(wide == (element == 8) ? nbytes : wide ? 2 * nbytes : nbytes / 2 < 16 ? 16 : nbytes / 2);
  const int extends = tn_is_unsigned(at->dtype) && !wide && at->vmax > INT32_MAX;      // by a sign it does not have
  if (nbytes < 16 || (element != 4 && element != 8) || tn_bits(at->dtype) < 32 || extends ||
      tn_x86_lanes(x, value) * (wide ? 8 : 4) > 64) {
    tn_isa_refuse(x->c, "elements apart of this size");
    return 0;
  }
  return op[2 * wide + (element == 8)];
}

static void tn_x86_load_vector(tn_x86_select *x, const tiny_uop *u, int to) {
  static const int gathers[4] = {TN_X86_VPGATHERDD, TN_X86_VPGATHERDQ, TN_X86_VPGATHERQD, TN_X86_VPGATHERQQ};
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 && index->src[2]->lanes > 1 ? index->src[2] : NULL;
  const int held = tn_x86_held(x, u);
  if (index->lanes == 1 && !valid) { tn_x86_move_in(x, u, to, tn_x86_memory(x, index, tn_x86_nbytes(x, u))); return; }
  if (u->nsrc == 2) tn_x86_copy(x, TN_ISA_VEC, to, tn_x86_value(x, u->src[1]), held);
  else tn_x86_zero(x, to, held);
  if (tn_x86_nbytes(x, u) < 16) { tn_isa_refuse(x->c, "a masked vector of less than 16 bytes"); return; }
  if (index->lanes == 1) {
    const int mask = tn_x86_value(x, valid);
    const tn_isa_operand at = tn_x86_memory(x, index, held);
    tn_x86_2(x, tn_x86_masked_moves[tn_x86_log(tn_x86_element(u))], tn_x86_vec(to, held, TN_ISA_BOTH), at)->mask = mask;
    return;
  }
  tn_isa_operand o;
  const int op = tn_x86_apart(x, index, u, &o, gathers), mask = tn_x86_new(x, TN_ISA_MASK);
  tn_x86_copy(x, TN_ISA_MASK, mask, valid ? tn_x86_value(x, valid) : tn_x86_all_lanes(x, 1), 0);
  if (op) tn_x86_2(x, op, tn_x86_vec(to, held, TN_ISA_BOTH), o)->mask = mask;
}

// What one condition decides is written between these two.
static int tn_x86_if(tn_x86_select *x, const tiny_uop *condition) {
  const int label = x->c->labels++, r = tn_x86_value(x, condition);
  tn_x86_2(x, TN_X86_TEST, tn_x86_gpr(r, 4, TN_ISA_USE), tn_x86_gpr(r, 4, TN_ISA_USE));
  tn_x86_jump(x, TN_X86_JE, label);
  return label;
}
static void tn_x86_load(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 && index->src[2]->lanes == 1 ? index->src[2] : NULL;
  const int cls = tn_x86_class(u);
  int label = -1;
  if (u->k || cls == TN_ISA_MASK) tn_isa_refuse(x->c, "rows of matrices, or bools in memory");
  if (valid) {
    if (u->nsrc == 2) tn_x86_copy(x, cls, to, tn_x86_value(x, u->src[1]), tn_x86_held(x, u));
    else if (cls == TN_ISA_VEC) tn_x86_zero(x, to, tn_x86_held(x, u));
    else tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(to, 4, TN_ISA_DEF), tn_isa_number(0));
    label = tn_x86_if(x, valid);
    if (u->lanes > 1 && index->lanes > 1) tn_isa_refuse(x->c, "elements apart under one condition");
  }
  if (u->lanes > 1) tn_x86_load_vector(x, u, to);
  else tn_x86_move_in(x, u, to, tn_x86_memory(x, index, tn_x86_nbytes(x, u)));
  if (valid) tn_x86_place(x, label);
}

// A whole vector that nobody reads soon: past the caches, which takes an address that its size divides (Intel SDM
// vol. 2, MOVNTPS).
static int tn_x86_streams(const tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0];
  return x->k->hints[u->seq] & TINY_HINT_STREAM && index->lanes == 1 && index->nsrc == 2 &&
      u->src[1]->dtype != TINY_BOOL && tn_x86_nbytes(x, u->src[1]) >= 16;
}
static void tn_x86_stream(tn_x86_select *x, const tiny_uop *u) {
  const int nbytes = tn_x86_nbytes(x, u->src[1]), by_cache = x->c->labels, done = x->c->labels + 1;
  const int from = tn_x86_value(x, u->src[1]), at = tn_x86_new(x, TN_ISA_GPR);
  x->c->labels += 2;
  tn_isa_operand o = tn_x86_memory(x, u->src[0], nbytes);
  o.nbytes = 0;
  tn_x86_2(x, TN_X86_LEA, tn_x86_gpr(at, 8, TN_ISA_DEF), o);
  tn_x86_2(x, TN_X86_TEST, tn_x86_gpr(at, 4, TN_ISA_USE), tn_isa_number(nbytes - 1));
  tn_x86_jump(x, TN_X86_JNE, by_cache);
  o = tn_isa_at(TN_ISA_MEM, nbytes, 0);
  o.reg = at;
  tn_x86_2(x, TN_X86_VMOVNTPS, o, tn_x86_vec(from, nbytes, TN_ISA_USE));
  tn_x86_jump(x, TN_X86_JMP, done);
  tn_x86_place(x, by_cache);
  tn_x86_2(x, TN_X86_VMOVUPS, o, tn_x86_vec(from, nbytes, TN_ISA_USE));
  tn_x86_place(x, done);
}
static void tn_x86_store(tn_x86_select *x, const tiny_uop *u) {
  static const int scatters[4] = {TN_X86_VPSCATTERDD, TN_X86_VPSCATTERDQ, TN_X86_VPSCATTERQD, TN_X86_VPSCATTERQQ};
  const tiny_uop *index = u->src[0], *value = u->src[1], *valid = index->nsrc == 3 ? index->src[2] : NULL;
  const int masked = valid && valid->lanes > 1, label = valid && !masked ? tn_x86_if(x, valid) : -1;
  if (u->k == TN_ADDS) tn_isa_refuse(x->c, "atomic additions");
  if (tn_x86_streams(x, u)) { tn_x86_stream(x, u); return; }
  if (value->lanes == 1 || (index->lanes == 1 && !masked)) {
    const int from = tn_x86_value(x, value);
    tn_x86_move_out(x, value, from, tn_x86_memory(x, index, tn_x86_nbytes(x, value)));
  } else {
    const int held = tn_x86_held(x, value), from = tn_x86_value(x, value);
    const int mask = masked ? tn_x86_value(x, valid) : tn_x86_all_lanes(x, 1);
    if (tn_x86_nbytes(x, value) < 16) tn_isa_refuse(x->c, "a masked vector of less than 16 bytes");
    if (index->lanes == 1) {
      const tn_isa_operand o = tn_x86_memory(x, index, held);
      const int row = tn_x86_masked_moves[tn_x86_log(tn_x86_element(value))];
      tn_x86_2(x, row, o, tn_x86_vec(from, held, TN_ISA_USE))->mask = mask;
    } else {
      tn_isa_operand o;
      const int op = tn_x86_apart(x, index, value, &o, scatters), spent = tn_x86_new(x, TN_ISA_MASK);
      tn_x86_copy(x, TN_ISA_MASK, spent, mask, 0);
      if (op) tn_x86_2(x, op, o, tn_x86_vec(from, held, TN_ISA_USE))->mask = spent;
    }
  }
  if (label >= 0) tn_x86_place(x, label);
}
#endif
