// arm64_memory: addresses, loads and stores, of scalars and of vectors, all lanes of them, some by a mask, or apart.
//
// In:  an INDEX, a LOAD or a STORE of the lanes that are computed now. Out: its operand, or instructions.
// Holds: REG memory is registers, an element each. The sum with a constant that an address takes is not computed. An
//        address that no operand can say is a register, kept for what follows in the block. Lanes apart, or by a mask
//        that is not all of them, go one by one.
// Not here: atomic additions.
#ifndef TN_ISA_ARM64_MEMORY
#define TN_ISA_ARM64_MEMORY
#ifndef TINY_AMALGAMATED
#include "arm64_values.c"
#endif

// ** REG memory **

// Elements of REG memory are registers; NULL: not of one that is known.
static int *tn_arm64_reg_element(tn_arm64_select *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]), *at = index->src[1];
  if (at->op != TINY_OP_CONST || at->k < 0 || at->k >= m->v[1] || m->v[1] > 4096) {
    tn_isa_refuse(x->c, "REG memory by a number of the run");
    return NULL;
  }
  if (!x->element[m->seq]) {
    x->element[m->seq] = (int *)tn_scratch(x->c->t, (size_t)m->v[1] * sizeof(int));
    for (int64_t i = 0; i < m->v[1]; i++) x->element[m->seq][i] = -1;
  }
  int *e = &x->element[m->seq][at->k];
  if (*e < 0) *e = tn_arm64_new_for(x, m);
  return e;
}

// ** addresses **

static int tn_arm64_adds(int64_t v) {      // is it a number that sums and comparisons have a field for?
  return v >= 0 && (v < 4096 || (v < 4096 << 12 && !(v & 4095)));
}
// to = from + v, where no instruction has a field for v by register `by`, -1: by a new one.
static void tn_arm64_add_number(tn_arm64_select *x, int to, int from, int64_t v, int by) {
  const tn_isa_operand sum = tn_arm64_gpr(to, 8, TN_ISA_DEF), a = tn_arm64_gpr(from, 8, TN_ISA_USE);
  if (tn_arm64_adds(v < 0 ? -v : v)) {
    tn_arm64_3(x, v < 0 ? TN_ARM64_SUB : TN_ARM64_ADD, sum, a, tn_isa_number(v < 0 ? -v : v));
    return;
  }
  if (by < 0) tn_arm64_number_to(x, by = tn_arm64_new(x, TN_ISA_GPR), v, 8);
  tn_arm64_3(x, TN_ARM64_ADD, sum, a, tn_arm64_gpr(by, 8, TN_ISA_USE));
}
// How an index becomes 64 bits: one that may be negative by its sign.
static int tn_arm64_extend_of(const tiny_uop *at) {
  return tn_bits(at->dtype) < 64 && !tn_is_unsigned(at->dtype) && at->vmin < 0 ? TN_ARM64_BY_SXTW : TN_ARM64_BY_UXTX;
}
static void tn_arm64_address_to(tn_arm64_select *x, int to, int base, int index, int extend, int log) {
  const tn_isa_operand d = tn_arm64_gpr(to, 8, TN_ISA_DEF), b = tn_arm64_gpr(base, 8, TN_ISA_USE);
  const int sign = extend == TN_ARM64_BY_SXTW;
  tn_arm64_3(x, TN_ARM64_ADD, d, b, tn_arm64_shifted(index, sign ? 4 : 8, sign ? extend : TN_ARM64_BY_LSL, log));
}
static int tn_arm64_address_of(tn_arm64_select *x, const tiny_uop *memory, const tiny_uop *at, int element) {
  for (int i = x->addresses - 1; i >= 0; i--)
    if (x->address[i].memory == memory && x->address[i].at == at && x->address[i].element == element)
      return x->address[i].reg;
  const int reg = tn_arm64_new(x, TN_ISA_GPR), base = tn_arm64_value(x, memory), index = tn_arm64_value(x, at);
  tn_arm64_address_to(x, reg, base, index, tn_arm64_extend_of(at), tn_arm64_log(element));
  const int changes = at->op == TINY_OP_LOAD && tn_is_reg(at->src[0]->src[0]);           // its register does
  if (x->addresses < TN_ARM64_ADDRESSES && !changes) {
    const tn_arm64_address known = {memory, at, element, -1, reg, 0};
    x->address[x->addresses++] = known;
  }
  return reg;
}
// So many bytes from a register on, of which an instruction adds them.
static int tn_arm64_beyond(tn_arm64_select *x, int base, int64_t bytes) {
  for (int i = x->addresses - 1; i >= 0; i--)
    if (!x->address[i].memory && x->address[i].base == base && x->address[i].bytes == bytes) return x->address[i].reg;
  const int reg = tn_arm64_new(x, TN_ISA_GPR);
  tn_arm64_add_number(x, reg, base, bytes, -1);
  if (x->addresses < TN_ARM64_ADDRESSES) {
    const tn_arm64_address known = {NULL, NULL, 0, base, reg, bytes};
    x->address[x->addresses++] = known;
  }
  return reg;
}
static int tn_arm64_reaches(int64_t v, int nbytes) {         // has an access a field for it?
  return (v >= -256 && v < 256) || (v >= 0 && v % nbytes == 0 && v / nbytes < 4096);
}
// An access of so many bytes at base and a displacement.
static tn_isa_operand tn_arm64_at_base(tn_arm64_select *x, int base, int64_t v, int nbytes) {
  tn_isa_operand o = tn_isa_at(TN_ISA_MEM, nbytes, v);
  o.reg = base; o.scale = 0;
  if (tn_arm64_reaches(v, nbytes)) return o;
  const int64_t block = 4096 * (int64_t)nbytes, rest = v & (block - 1), whole = v - rest;
  if (tn_arm64_reaches(rest, nbytes) && tn_arm64_adds(whole < 0 ? -whole : whole)) {
    o.reg = tn_arm64_beyond(x, base, whole);
    o.imm = rest;
    return o;
  }
  o.imm = 0; o.wide = TN_ARM64_BY_UXTX;
  o.index = tn_arm64_new(x, TN_ISA_GPR);
  tn_arm64_number_to(x, o.index, v, 8);
  return o;
}
// An INDEX of elements that lie together, lane `from` of it: what is computed, NULL: nothing, and bytes from there.
static const tiny_uop *tn_arm64_computed(const tiny_uop *index, int from, int64_t *v) {
  const tiny_uop *folded = tn_isa_folded(index), *at = folded ? folded->src[0] : index->src[1];
  const int is_number = at->op == TINY_OP_CONST;
  *v = ((folded ? folded->src[1]->k : 0) + (is_number ? at->k : 0) + from) * tn_dtypes[index->dtype].nbytes;
  return is_number ? NULL : at;
}
// The pointer that an INDEX of a loop is, of lane `from` *v bytes from there; NULL: it is none.
static const tn_isa_induction *tn_arm64_induction(const tn_arm64_select *x, const tiny_uop *index, int from,
                                                  int64_t *v) {
  const int which = x->inductions.which[index->seq];
  if (!which) return NULL;
  const tn_isa_induction *d = &x->inductions.of[which - 1];
  *v = (x->inductions.added[index->seq] + from + x->copy * d->step) * tn_dtypes[index->dtype].nbytes;
  return d;
}
static tn_isa_operand tn_arm64_memory(tn_arm64_select *x, const tiny_uop *index, int nbytes, int from) {
  int64_t v;
  const tn_isa_induction *d = tn_arm64_induction(x, index, from, &v);
  if (d) return tn_arm64_at_base(x, d->reg, v, nbytes);
  const tiny_uop *at = tn_arm64_computed(index, from, &v), *memory = tn_memory_behind(index->src[0]);
  const int element = tn_dtypes[index->dtype].nbytes;
  if (!at) return tn_arm64_at_base(x, tn_arm64_value(x, memory), v, nbytes);
  if (v || (element != nbytes && element > 1))
    return tn_arm64_at_base(x, tn_arm64_address_of(x, memory, at, element), v, nbytes);
  tn_isa_operand o = tn_isa_at(TN_ISA_MEM, nbytes, 0);
  o.reg = tn_arm64_value(x, memory); o.index = tn_arm64_value(x, at);
  o.wide = (uint8_t)tn_arm64_extend_of(at); o.scale = (uint8_t)tn_arm64_log(element);
  return o;
}

// ** whole loads and stores **

// Rows by whether it stores, and bytes: scaled or by a register, and not scaled.
static int tn_arm64_move_row(const tiny_uop *u, int store, int nbytes, const tn_isa_operand *o) {
  static const uint16_t narrow[2][3][2] = {
    {{TN_ARM64_LDRB, TN_ARM64_LDURB}, {TN_ARM64_LDSRB, TN_ARM64_LDUSRB}, {TN_ARM64_STRB, TN_ARM64_STURB}},
    {{TN_ARM64_LDRH, TN_ARM64_LDURH}, {TN_ARM64_LDSRH, TN_ARM64_LDUSRH}, {TN_ARM64_STRH, TN_ARM64_STURH}}};
  const int unscaled = o->kind == TN_ISA_MEM && o->index == TN_ISA_NO_REG && (o->imm < 0 || o->imm % nbytes);
  if (tn_arm64_class(u) == TN_ISA_GPR && nbytes < 4)
    return narrow[nbytes == 2][store ? 2 : tn_is_signed(u->dtype)][unscaled];
  return store ? (unscaled ? TN_ARM64_STUR : TN_ARM64_STR) : unscaled ? TN_ARM64_LDUR : TN_ARM64_LDR;
}
static void tn_arm64_move(tn_arm64_select *x, const tiny_uop *u, int store, int reg, tn_isa_operand o) {
  const int nbytes = o.nbytes, role = store ? TN_ISA_USE : TN_ISA_DEF;
  const tn_isa_operand r = tn_arm64_class(u) == TN_ISA_VEC ? tn_arm64_vec(reg, nbytes, 0, role) :
      tn_arm64_gpr(reg, tn_arm64_wide(u), role);
  tn_arm64_2(x, tn_arm64_move_row(u, store, nbytes, &o), r, o);
}

// ** lane by lane **

// The address of an element of a vector, as a base alone.
static int tn_arm64_address_apart(tn_arm64_select *x, const tiny_uop *index, int lane) {
  const tiny_uop *at = index->src[1];
  const int bytes = tn_arm64_element(x, at), i = tn_arm64_new(x, TN_ISA_GPR), each = tn_arm64_each(x, at);
  const int base = tn_arm64_value(x, tn_memory_behind(index->src[0])), to = tn_arm64_new(x, TN_ISA_GPR);
  const int r = tn_arm64_is_splat(at) ? tn_arm64_value(x, at) : x->reg[at->seq] + lane / each;
  const int sign = bytes < 4 && tn_is_signed(at->dtype);
  tn_arm64_2(x, sign ? TN_ARM64_SMOV : TN_ARM64_UMOV, tn_arm64_gpr(i, bytes == 8 ? 8 : 4, TN_ISA_DEF),
             tn_arm64_lane(r, bytes, lane % each, TN_ISA_USE));
  tn_arm64_address_to(x, to, base, i, tn_arm64_extend_of(at), tn_arm64_log(tn_dtypes[index->dtype].nbytes));
  return to;
}
static int tn_arm64_address_beside(tn_arm64_select *x, const tiny_uop *index, int lane) {
  int64_t v;
  const tn_isa_induction *d = tn_arm64_induction(x, index, lane, &v);
  const tiny_uop *at = d ? NULL : tn_arm64_computed(index, lane, &v), *memory = tn_memory_behind(index->src[0]);
  const int start = d ? d->reg : at ? tn_arm64_address_of(x, memory, at, tn_dtypes[index->dtype].nbytes) :
      tn_arm64_value(x, memory);
  return v ? tn_arm64_beyond(x, start, v) : start;
}
// Each lane that the mask has, or each; reg is loaded or stored.
static void tn_arm64_by_lane(tn_arm64_select *x, const tiny_uop *index, const tiny_uop *u, int store, int reg,
    int mask) {
  const int element = tn_arm64_element(x, u);
  for (int i = 0; i < tn_arm64_lanes(x, u); i++) {
    const int label = mask >= 0 ? x->c->labels++ : -1, known = x->addresses;
    if (mask >= 0) {
      const int bit = tn_arm64_new(x, TN_ISA_GPR);
      tn_arm64_2(x, TN_ARM64_UMOV, tn_arm64_gpr(bit, element == 8 ? 8 : 4, TN_ISA_DEF),
                 tn_arm64_lane(mask, element, i, TN_ISA_USE));
      tn_arm64_2(x, TN_ARM64_CBZ, tn_arm64_gpr(bit, 4, TN_ISA_USE), tn_arm64_label(label));
    }
    tn_isa_operand at = tn_isa_at(TN_ISA_MEM, element, 0);
    at.reg = index->lanes > 1 ? tn_arm64_address_apart(x, index, x->from + i) :
        tn_arm64_address_beside(x, index, x->from + i);
    at.scale = 0;
    tn_arm64_2(x, store ? TN_ARM64_ST1 : TN_ARM64_LD1, tn_arm64_lane(reg, element, i, store ? TN_ISA_USE :
        TN_ISA_BOTH), at);
    if (mask >= 0) { tn_arm64_place(x, label); x->addresses = known; }
  }
}
// All of it at once where the mask has all lanes; else lane by lane.
static void tn_arm64_by_mask(tn_arm64_select *x, const tiny_uop *index, const tiny_uop *u, int store, int reg,
    int mask) {
  const int element = tn_arm64_element(x, u), nbytes = tn_arm64_nbytes(x, u), some = x->c->labels++,
      end = x->c->labels++;
  const int least = tn_arm64_new(x, TN_ISA_VEC), flag = tn_arm64_new(x, TN_ISA_GPR), known = x->addresses;
  const int lanes = nbytes == 16 ? 16 : 8, unit = element < 4 && nbytes >= 8 ? element : 1;
  if (nbytes < 8) {                        // lanes above are none
    const int low = tn_arm64_new(x, TN_ISA_VEC);
    tn_arm64_2(x, TN_ARM64_DUP, tn_arm64_vec(low, 16, nbytes, TN_ISA_DEF), tn_arm64_lane(mask, nbytes, 0, TN_ISA_USE));
    tn_arm64_2(x, TN_ARM64_UMINV, tn_arm64_vec(least, 1, 0, TN_ISA_DEF), tn_arm64_vec(low, 16, 1, TN_ISA_USE));
  } else tn_arm64_2(x, TN_ARM64_UMINV, tn_arm64_vec(least, unit, 0, TN_ISA_DEF),
      tn_arm64_vec(mask, lanes, unit, TN_ISA_USE));
  tn_arm64_2(x, TN_ARM64_FMOV, tn_arm64_gpr(flag, 4, TN_ISA_DEF), tn_arm64_vec(least, 4, 0, TN_ISA_USE));
  tn_arm64_2(x, TN_ARM64_CBZ, tn_arm64_gpr(flag, 4, TN_ISA_USE), tn_arm64_label(some));
  tn_arm64_move(x, u, store, reg, tn_arm64_memory(x, index, nbytes, x->from));
  x->addresses = known;
  tn_arm64_1(x, TN_ARM64_B, tn_arm64_label(end));
  tn_arm64_place(x, some);
  tn_arm64_by_lane(x, index, u, store, reg, mask);
  x->addresses = known;
  tn_arm64_place(x, end);
}

// ** loads and stores **

// What one condition decides is written between this and its label.
static int tn_arm64_if(tn_arm64_select *x, const tiny_uop *condition);
static void tn_arm64_load_vector(tn_arm64_select *x, const tiny_uop *u, int to) {
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 && index->src[2]->lanes > 1 ? index->src[2] : NULL;
  if (index->lanes == 1 && !valid) {
    tn_arm64_move(x, u, 0, to, tn_arm64_memory(x, index, tn_arm64_nbytes(x, u), x->from));
    return;
  }
  if (u->nsrc == 2) tn_arm64_copy(x, TN_ISA_VEC, to, tn_arm64_value(x, u->src[1]));
  else tn_arm64_splat_to(x, to, 0, 8);
  const int mask = valid ? tn_arm64_mask(x, valid, tn_arm64_element(x, u)) : -1;
  if (index->lanes == 1) tn_arm64_by_mask(x, index, u, 0, to, mask);
  else tn_arm64_by_lane(x, index, u, 0, to, mask);
}
static void tn_arm64_load(tn_arm64_select *x, const tiny_uop *u, int to) {
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 && index->src[2]->lanes == 1 ? index->src[2] : NULL;
  const int cls = tn_arm64_class(u), known = x->addresses;
  int label = -1;
  if (u->k || (u->dtype == TINY_BOOL && u->lanes > 1)) tn_isa_refuse(x->c, "rows of matrices, or bools in memory");
  if (valid) {
    if (u->nsrc == 2) tn_arm64_copy(x, cls, to, tn_arm64_value(x, u->src[1]));
    else if (cls == TN_ISA_VEC) tn_arm64_splat_to(x, to, 0, 8);
    else tn_arm64_number_to(x, to, 0, 4);
    label = tn_arm64_if(x, valid);
  }
  if (u->lanes > 1) tn_arm64_load_vector(x, u, to);
  else tn_arm64_move(x, u, 0, to, tn_arm64_memory(x, index, tn_arm64_element(x, u), 0));
  if (valid) { tn_arm64_place(x, label); x->addresses = known; }
}
// A scalar integer of so many bytes, of which a LOAD loads the lowest, to a register: a vector register's lane 0.
static void tn_arm64_load_lane(tn_arm64_select *x, const tiny_uop *u, int nbytes, int cls, int to) {
  const tn_isa_operand o = tn_arm64_memory(x, u->src[0], nbytes, 0);
  const int unscaled = o.index == TN_ISA_NO_REG && (o.imm < 0 || o.imm % nbytes);
  tn_arm64_2(x, unscaled ? TN_ARM64_LDUR : TN_ARM64_LDR, cls == TN_ISA_VEC ? tn_arm64_vec(to, nbytes, 0, TN_ISA_DEF) :
             tn_arm64_gpr(to, nbytes, TN_ISA_DEF), o);
}
static void tn_arm64_store(tn_arm64_select *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *value = u->src[1], *valid = index->nsrc == 3 ? index->src[2] : NULL;
  const int masked = valid && valid->lanes > 1, known = x->addresses;
  const int label = valid && !masked ? tn_arm64_if(x, valid) : -1, from = tn_arm64_value(x, value);
  if (u->k == TN_ADDS) tn_isa_refuse(x->c, "atomic additions");
  if (value->dtype == TINY_BOOL && value->lanes > 1) tn_isa_refuse(x->c, "bools in memory");
  const int mask = masked ? tn_arm64_mask(x, valid, tn_arm64_element(x, value)) : -1;
  if (value->lanes > 1 && index->lanes > 1) tn_arm64_by_lane(x, index, value, 1, from, mask);
  else if (masked) tn_arm64_by_mask(x, index, value, 1, from, mask);
  else tn_arm64_move(x, value, 1, from, tn_arm64_memory(x, index, tn_arm64_nbytes(x, value), x->from));
  if (label >= 0) { tn_arm64_place(x, label); x->addresses = known; }
}
#endif
