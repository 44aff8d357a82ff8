// x86_memory: addresses, loads and stores, of scalars and of vectors, all of them, some by a mask, or apart.
//
// In:  an INDEX, a LOAD or a STORE of one part. Out: its operand, or instructions.
// Holds: REG memory is registers, an element each. The sum with a constant that an address takes is not computed; an
//        index that may be negative is extended to 64 bits once. What one condition decides is jumped over.
//        What no instruction moves goes element by element, by way of the shelf.
// Not here: bools in memory, atomic additions: the CPU's lists have none.
#ifndef TN_ISA_X86_MEMORY
#define TN_ISA_X86_MEMORY
#ifndef TINY_AMALGAMATED
#include "x86_widths.c"
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
// Bytes from one element to the next, if an address may have the loop's variable times that: then what is added to that
// is a place in its memory, and does not change in the loop. 0: it may not.
static int tn_isa_pace(const tn_isa_induction *d) {
  const int64_t pace = d->step * d->nbytes;
  return d->memory && d->range->vmin >= 0 && (pace == 1 || pace == 2 || pace == 4 || pace == 8) ? (int)pace : 0;
}
// Is it an INDEX in the loop of that RANGE which adds the number of the iteration as it is?
static int tn_x86_adds_iteration(const tn_x86_select *x, const tiny_uop *u, const tiny_uop *range) {
  const tiny_uop *folded = u->op == TINY_OP_INDEX && !tn_is_reg(u->src[0]) ? tn_isa_folded(u) : NULL;
  return range && u->op == TINY_OP_INDEX && u->lanes == 1 && !x->inductions.which[u->seq] && !tn_is_reg(u->src[0]) &&
      (folded ? folded->src[0] : u->src[1]) == range;
}
static tn_isa_operand tn_x86_memory(tn_x86_select *x, const tiny_uop *index, int nbytes) {
  const tiny_uop *folded = tn_isa_folded(index), *at = folded ? folded->src[0] : index->src[1];
  const int element = tn_dtypes[index->dtype].nbytes;
  const int which = x->inductions.which[index->seq];
  int64_t added = which ? x->inductions.added[index->seq] : folded ? folded->src[1]->k : 0;
  if (which && x->unrolled) added += x->copy * x->inductions.of[which - 1].step;
  else if (tn_x86_adds_iteration(x, index, x->unrolled)) added += x->copy;
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

// nbytes of a vector register, from or to memory o.
static int tn_x86_move_row(tn_x86_select *x, int nbytes) {
  return tn_x86_best(x, TN_X86_DO_MOVE, nbytes == 4 ? TN_X86_S32 : nbytes == 8 ? TN_X86_S64 : TN_X86_V32);
}
static void tn_x86_load_bytes(tn_x86_select *x, int to, int nbytes, tn_isa_operand o) {
  o.nbytes = (uint8_t)nbytes;
  if (nbytes >= 4) {
    tn_x86_2(x, tn_x86_move_row(x, nbytes), tn_x86_vec(to, tn_x86_vector(nbytes), TN_ISA_DEF), o);
    return;
  }
  const int r = tn_x86_new(x, TN_ISA_GPR);
  tn_x86_2(x, TN_X86_MOVZX, tn_x86_gpr(r, 4, TN_ISA_DEF), o);
  tn_x86_2(x, tn_x86_best(x, TN_X86_DO_GPR, TN_X86_I32), tn_x86_vec(to, 16, TN_ISA_DEF), tn_x86_gpr(r, 4, TN_ISA_USE));
}
static void tn_x86_store_bytes(tn_x86_select *x, int from, int nbytes, tn_isa_operand o) {
  o.nbytes = (uint8_t)nbytes;
  if (nbytes >= 4) {
    tn_x86_2(x, tn_x86_move_row(x, nbytes), o, tn_x86_vec(from, tn_x86_vector(nbytes), TN_ISA_USE));
    return;
  }
  const int r = tn_x86_new(x, TN_ISA_GPR);
  tn_x86_2(x, tn_x86_best(x, TN_X86_DO_GPR, TN_X86_I32), tn_x86_gpr(r, 4, TN_ISA_DEF),
           tn_x86_vec(from, 16, TN_ISA_USE));
  tn_x86_2(x, TN_X86_MOV, o, tn_x86_gpr(r, nbytes, TN_ISA_USE));
}
// A load or store of a scalar, or of a whole vector, at memory o.
static void tn_x86_move_in(tn_x86_select *x, const tiny_uop *u, int to, tn_isa_operand o) {
  const int nbytes = tn_x86_nbytes(x, u);
  o.nbytes = (uint8_t)nbytes;
  if (tn_x86_class(x, u) != TN_ISA_GPR) { tn_x86_load_bytes(x, to, nbytes, o); return; }
  const int op = nbytes >= 4 ? TN_X86_MOV : tn_is_signed(u->dtype) ? TN_X86_MOVSX : TN_X86_MOVZX;
  tn_x86_2(x, op, tn_x86_gpr(to, nbytes == 8 ? 8 : 4, TN_ISA_DEF), o);
}
static void tn_x86_move_out(tn_x86_select *x, const tiny_uop *u, int from, tn_isa_operand o) {
  const int nbytes = tn_x86_nbytes(x, u), cls = tn_x86_class(x, u);
  o.nbytes = (uint8_t)nbytes;
  if (cls == TN_ISA_GPR) tn_x86_2(x, TN_X86_MOV, o, tn_x86_gpr(from, nbytes, TN_ISA_USE));
  else if (cls == TN_ISA_MASK) tn_isa_refuse(x->c, "a store of bools");
  else tn_x86_store_bytes(x, from, nbytes, o);
}
static void tn_x86_shelve(tn_x86_select *x, int r, int held, int64_t at, int back) {
  const tn_isa_operand v = tn_x86_vec(r, held, back ? TN_ISA_DEF : TN_ISA_USE), o = tn_x86_frame(x->shelf + at, held);
  const int row = tn_x86_best(x, TN_X86_DO_MOVE, TN_X86_V32);
  if (back) tn_x86_2(x, row, v, o);
  else tn_x86_2(x, row, o, v);
}

// ** element by element **

// Where the elements of a vector's LOAD or STORE are: one behind the other at `at`, or apart, by numbers on the shelf.
typedef struct tn_x86_elements {
  const tiny_uop *index; tn_isa_operand at;
  int bits, apart;                         // of the condition of each; bits -1: there is none
} tn_x86_elements;
enum { TN_X86_INDICES_AT = 64 };           // of the shelf

static tn_x86_elements tn_x86_elements_of(tn_x86_select *x, const tiny_uop *index, const tiny_uop *valid, int element) {
  tn_x86_elements e;
  memset(&e, 0, sizeof e);
  e.index = index; e.bits = -1;
  if (valid) {
    const int bits = tn_x86_bits_of_lanes(x, valid, &e.apart);
    e.bits = tn_x86_new(x, TN_ISA_GPR);    // shifted from lane to lane
    tn_x86_copy(x, TN_ISA_GPR, e.bits, bits, 8);
  }
  if (index->lanes == 1) { e.at = tn_x86_memory(x, index, 2 * element); return e; }
  e.at = tn_isa_at(TN_ISA_MEM, element, 0);
  tn_x86_base(x, index->src[0], &e.at);
  tn_x86_shelve(x, tn_x86_value(x, index->src[1]), tn_x86_held(x, index->src[1]), TN_X86_INDICES_AT, 0);
  return e;
}
// The memory of lane i.
static tn_isa_operand tn_x86_element_at(tn_x86_select *x, const tn_x86_elements *e, int i, int element) {
  tn_isa_operand o = e->at;
  o.nbytes = (uint8_t)element;
  if (e->index->lanes == 1) { o.imm += (int64_t)i * element; return o; }
  const tiny_uop *at = e->index->src[1];
  const int wide = tn_x86_element(x, at), sign = tn_is_signed(at->dtype);
  const int r = o.index = tn_x86_new(x, TN_ISA_GPR);
  const int row = wide == 4 && sign ? TN_X86_MOVSXD : wide >= 4 ? TN_X86_MOV : sign ? TN_X86_MOVSX : TN_X86_MOVZX;
  tn_x86_2(x, row, tn_x86_gpr(r, wide == 8 || sign ? 8 : 4, TN_ISA_DEF),
           tn_x86_frame(x->shelf + TN_X86_INDICES_AT + (int64_t)i * wide, wide));
  o.scale = (uint8_t)element;
  return o;
}
// Between memory and the shelf; what is masked out is left as it is.
static void tn_x86_move_elements(tn_x86_select *x, const tn_x86_elements *e, int lanes, int element, int load) {
  for (int i = 0; i < lanes; i++) {
    const int label = x->c->labels, r = tn_x86_new(x, TN_ISA_GPR), nbytes = element < 4 ? 4 : element;
    const int in = element < 4 ? TN_X86_MOVZX : TN_X86_MOV;
    const tn_isa_operand shelf = tn_x86_frame(x->shelf + (int64_t)i * element, element);
    if (e->bits >= 0) {
      x->c->labels++;
      tn_x86_2(x, TN_X86_TEST, tn_x86_gpr(e->bits, 4, TN_ISA_USE), tn_isa_number(1));
      tn_x86_jump(x, TN_X86_JE, label);
    }
    const tn_isa_operand memory = tn_x86_element_at(x, e, i, element);
    tn_x86_2(x, in, tn_x86_gpr(r, nbytes, TN_ISA_DEF), load ? memory : shelf);
    tn_x86_2(x, TN_X86_MOV, load ? shelf : memory, tn_x86_gpr(r, element, TN_ISA_USE));
    if (e->bits < 0) continue;
    tn_x86_place(x, label);
    if (i + 1 < lanes) tn_x86_2(x, TN_X86_SHR, tn_x86_gpr(e->bits, 8, TN_ISA_BOTH), tn_isa_number(e->apart));
  }
}
// Jumps to the label where not all lanes are set.
static void tn_x86_jump_if_not_all(tn_x86_select *x, const tn_x86_elements *e, int lanes, int label) {
  const int bits = lanes * e->apart, r = tn_x86_new(x, TN_ISA_GPR);
  const int64_t all = bits >= 32 ? -1 : ((int64_t)1 << bits) - 1;
  tn_x86_copy(x, TN_ISA_GPR, r, e->bits, 8);
  if (bits < 32) tn_x86_2(x, TN_X86_AND, tn_x86_gpr(r, 4, TN_ISA_BOTH), tn_isa_number(all));
  tn_x86_2(x, TN_X86_CMP, tn_x86_gpr(r, 4, TN_ISA_USE), tn_isa_number(all));
  tn_x86_jump(x, TN_X86_JNE, label);
}

// ** loads **

// The row of a masked move of vectors, by a mask or by a vector; 0: it goes element by element.
static const uint16_t tn_x86_masked_rows[4] = {TN_X86_VMOVDQU8, TN_X86_VMOVDQU16, TN_X86_VMOVDQU32, TN_X86_VMOVDQU64};
static int tn_x86_masked_row(const tn_x86_select *x, const tiny_uop *value) {
  const int element = tn_x86_element(x, value);
  if (tn_x86_nbytes(x, value) < 16) return 0;
  if (x->level->masks) return tn_x86_masked_rows[tn_x86_log(element)];
  return tn_x86_choose(x->level, TN_X86_DO_MASKED, tn_x86_int_type(element));
}
// The row of a gather or scatter; 0: there is none. It extends indices by their sign.
static int tn_x86_apart_row(const tn_x86_select *x, const tiny_uop *index, const tiny_uop *value, const int op[4]) {
  const tiny_uop *at = index->src[1];
  const int element = tn_x86_element(x, value), wide = tn_bits(at->dtype) == 64;
  const int extends = tn_is_unsigned(at->dtype) && !wide && at->vmax > INT32_MAX;      // by a sign it does not have
  if (!x->level->masks || tn_x86_nbytes(x, value) < 16 || element < 4 || tn_bits(at->dtype) < 32 || extends ||
      tn_x86_lanes(x, value) * (wide ? 8 : 4) > x->level->nbytes) return 0;
  return op[2 * wide + (element == 8)];
}
static tn_isa_operand tn_x86_apart(tn_x86_select *x, const tiny_uop *index, const tiny_uop *value) {
  const tiny_uop *at = index->src[1];
  const int element = tn_x86_element(x, value), wide = tn_bits(at->dtype) == 64, nbytes = tn_x86_nbytes(x, value);
  tn_isa_operand o = tn_isa_at(TN_ISA_MEM, 0, 0);
  tn_x86_base(x, index->src[0], &o);
  o.index = tn_x86_value(x, at);
  o.cls = TN_ISA_VEC; o.scale = (uint8_t)element;
  o.wide = (uint8_t)(wide == (element == 8) ? nbytes : wide ? 2 * nbytes : nbytes / 2 < 16 ? 16 : nbytes / 2);
  return o;
}

static void tn_x86_load_masked(tn_x86_select *x, const tiny_uop *u, const tiny_uop *valid, int row, int to) {
  const int held = tn_x86_held(x, u), element = tn_x86_element(x, u), mask = tn_x86_mask_as(x, valid, element);
  const tn_isa_operand at = tn_x86_memory(x, u->src[0], held);
  if (x->level->masks) { tn_x86_2(x, row, tn_x86_vec(to, held, TN_ISA_BOTH), at)->mask = mask; return; }
  const int read = u->nsrc == 2 ? tn_x86_new(x, TN_ISA_VEC) : to;              // zeros where it is not set
  tn_x86_3(x, row, tn_x86_vec(read, held, TN_ISA_DEF), tn_x86_vec(mask, held, TN_ISA_USE), at);
  if (u->nsrc == 2) tn_x86_blend(x, to, held, mask, tn_x86_vec(read, held, TN_ISA_USE), to);
}
static void tn_x86_load_elements(tn_x86_select *x, const tiny_uop *u, const tiny_uop *valid, int to) {
  const tiny_uop *index = u->src[0];
  const int held = tn_x86_held(x, u), element = tn_x86_element(x, u), lanes = tn_x86_lanes(x, u);
  const int dense = index->lanes == 1, label = x->c->labels;
  tn_x86_elements e = tn_x86_elements_of(x, index, valid, element);
  x->c->labels += 2;
  if (dense) {
    tn_x86_jump_if_not_all(x, &e, lanes, label);
    tn_x86_move_in(x, u, to, e.at);
    tn_x86_jump(x, TN_X86_JMP, label + 1);
    tn_x86_place(x, label);
  }
  if (valid) tn_x86_shelve(x, to, held, 0, 0);
  tn_x86_move_elements(x, &e, lanes, element, 1);
  tn_x86_shelve(x, to, held, 0, 1);
  tn_x86_place(x, label + 1);
}
// Elements that are apart, one after the other into 16 bytes: not by way of memory, as a load of all of it would wait
// for stores of its parts to be done (Intel, Optimization Reference Manual, 3.6.4). What is masked out reads the first
// of the memory.
static int tn_x86_load_block(tn_x86_select *x, const tn_x86_elements *e, int from, int n, int element) {
  static const int rows[2][4] = {{TN_X86_PINSRB, TN_X86_PINSRW, TN_X86_PINSRD, TN_X86_PINSRQ},
                                 {TN_X86_VPINSRB, TN_X86_VPINSRW, TN_X86_VPINSRD, TN_X86_VPINSRQ}};
  const int row = rows[tn_x86_level_has(x->level, TN_X86_VPINSRD)][tn_x86_log(element)], v = tn_x86_new(x, TN_ISA_VEC);
  tn_x86_load_bytes(x, v, element, tn_x86_element_at(x, e, from, element));
  for (int i = 1; i < n; i++) {
    const tn_isa_operand o[4] = {tn_x86_vec(v, 16, TN_ISA_DEF), tn_x86_vec(v, 16, TN_ISA_USE),
                                 tn_x86_element_at(x, e, from + i, element), tn_isa_number(i)};
    tn_x86_n(x, row, 4, o);
  }
  return v;
}
static int tn_x86_has_load_apart(const tn_x86_select *x, const tiny_uop *u) {
  return u->src[0]->lanes > 1 && tn_x86_level_has(x->level, TN_X86_PINSRD) && tn_x86_held(x, u) <= 32;
}
// Elements of r where bools as wide as they are, or a mask, are set; else those of no, which is -1 for zeros.
static void tn_x86_where_set(tn_x86_select *x, int to, int r, int no, int held, int element, int mask) {
  if (x->level->masks) {
    if (no < 0) tn_x86_zero(x, to, held);
    else tn_x86_copy(x, TN_ISA_VEC, to, no, held);
    tn_x86_2(x, tn_x86_masked_rows[tn_x86_log(element)], tn_x86_vec(to, held, TN_ISA_BOTH),
             tn_x86_vec(r, held, TN_ISA_USE))->mask = mask;
  } else if (no < 0) tn_x86_do_3(x, TN_X86_DO_AND, TN_X86_I32, held, to, r, mask);
  else tn_x86_blend(x, to, held, mask, tn_x86_vec(r, held, TN_ISA_USE), no);
}
static void tn_x86_load_apart(tn_x86_select *x, const tiny_uop *u, const tiny_uop *valid, int to) {
  const tiny_uop *at = u->src[0]->src[1];
  const int held = tn_x86_held(x, u), element = tn_x86_element(x, u), lanes = tn_x86_lanes(x, u);
  const int each = lanes < 16 / element ? lanes : 16 / element, wide = tn_x86_held(x, at);
  tn_x86_elements e;
  int index = tn_x86_value(x, at), all = -1;
  memset(&e, 0, sizeof e);
  e.index = u->src[0]; e.bits = -1; e.at = tn_isa_at(TN_ISA_MEM, element, 0);
  tn_x86_base(x, u->src[0]->src[0], &e.at);
  if (valid) {
    const int each_at = tn_x86_element(x, at), some = tn_x86_new(x, TN_ISA_VEC);
    tn_x86_where_set(x, some, index, -1, wide, each_at, tn_x86_mask_as(x, valid, each_at));
    index = some;
  }
  tn_x86_shelve(x, index, wide, TN_X86_INDICES_AT, 0);
  for (int from = 0; from < lanes; from += each) {
    const int block = tn_x86_load_block(x, &e, from, each, element), low = all;
    all = from ? tn_x86_new(x, TN_ISA_VEC) : block;
    if (from) tn_x86_4(x, x->level->masks ? TN_X86_VINSERTF32X4 : TN_X86_VINSERTF128, tn_x86_vec(all, 32, TN_ISA_DEF),
                       tn_x86_vec(low, 32, TN_ISA_USE), tn_x86_vec(block, 16, TN_ISA_USE), 1);
  }
  if (!valid) { tn_x86_copy(x, TN_ISA_VEC, to, all, held); return; }
  const int mask = tn_x86_mask_as(x, valid, element);
  tn_x86_where_set(x, to, all, u->nsrc == 2 ? tn_x86_value(x, u->src[1]) : -1, held, element, mask);
}
static void tn_x86_load_vector(tn_x86_select *x, const tiny_uop *u, int to) {
  static const int gathers[4] = {TN_X86_VPGATHERDD, TN_X86_VPGATHERDQ, TN_X86_VPGATHERQD, TN_X86_VPGATHERQQ};
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 && index->src[2]->lanes > 1 ? index->src[2] : NULL;
  const int held = tn_x86_held(x, u);
  if (index->lanes == 1 && !valid) { tn_x86_move_in(x, u, to, tn_x86_memory(x, index, tn_x86_nbytes(x, u))); return; }
  const int row = index->lanes == 1 ? tn_x86_masked_row(x, u) : tn_x86_apart_row(x, index, u, gathers);
  if (!row && tn_x86_has_load_apart(x, u)) { tn_x86_load_apart(x, u, valid, to); return; }
  if (u->nsrc == 2) tn_x86_copy(x, TN_ISA_VEC, to, tn_x86_value(x, u->src[1]), held);
  else tn_x86_zero(x, to, held);
  if (!row) { tn_x86_load_elements(x, u, valid, to); return; }
  if (index->lanes == 1) { tn_x86_load_masked(x, u, valid, row, to); return; }
  const tn_isa_operand o = tn_x86_apart(x, index, u);
  const int mask = tn_x86_new(x, TN_ISA_MASK);
  tn_x86_copy(x, TN_ISA_MASK, mask, valid ? tn_x86_value(x, valid) : tn_x86_all_lanes(x, 1), 0);
  tn_x86_2(x, row, tn_x86_vec(to, held, TN_ISA_BOTH), o)->mask = mask;
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
  const int cls = tn_x86_class(x, u);
  int label = -1;
  if (u->k || u->dtype == TINY_BOOL) tn_isa_refuse(x->c, "rows of matrices, or bools in memory");
  if (valid) {
    if (u->nsrc == 2) tn_x86_copy(x, cls, to, tn_x86_value(x, u->src[1]), tn_x86_held(x, u));
    else if (cls == TN_ISA_VEC) tn_x86_zero(x, to, tn_x86_held(x, u));
    else tn_x86_2(x, TN_X86_MOV, tn_x86_gpr(to, 4, TN_ISA_DEF), tn_isa_number(0));
    label = tn_x86_if(x, valid);
  }
  if (u->lanes > 1) tn_x86_load_vector(x, u, to);
  else tn_x86_move_in(x, u, to, tn_x86_memory(x, index, tn_x86_nbytes(x, u)));
  if (valid) tn_x86_place(x, label);
}

// ** stores **

static void tn_x86_store_elements(tn_x86_select *x, const tiny_uop *value, const tiny_uop *index,
                                  const tiny_uop *valid) {
  const int element = tn_x86_element(x, value), lanes = tn_x86_lanes(x, value), from = tn_x86_value(x, value);
  const int label = x->c->labels;
  tn_x86_elements e = tn_x86_elements_of(x, index, valid, element);
  x->c->labels += 2;
  if (index->lanes == 1) {
    tn_x86_jump_if_not_all(x, &e, lanes, label);
    tn_x86_move_out(x, value, from, e.at);
    tn_x86_jump(x, TN_X86_JMP, label + 1);
    tn_x86_place(x, label);
  }
  tn_x86_shelve(x, from, tn_x86_held(x, value), 0, 0);
  tn_x86_move_elements(x, &e, lanes, element, 0);
  tn_x86_place(x, label + 1);
}
static void tn_x86_store_vector(tn_x86_select *x, const tiny_uop *value, const tiny_uop *index,
                                const tiny_uop *valid) {
  static const int scatters[4] = {TN_X86_VPSCATTERDD, TN_X86_VPSCATTERDQ, TN_X86_VPSCATTERQD, TN_X86_VPSCATTERQQ};
  const int dense = index->lanes == 1, held = tn_x86_held(x, value), element = tn_x86_element(x, value);
  const int row = dense ? tn_x86_masked_row(x, value) : tn_x86_apart_row(x, index, value, scatters);
  if (!row) { tn_x86_store_elements(x, value, index, valid); return; }
  const int from = tn_x86_value(x, value), mask = valid ? tn_x86_mask_as(x, valid, element) : tn_x86_all_lanes(x, 1);
  const tn_isa_operand v = tn_x86_vec(from, held, TN_ISA_USE);
  const tn_isa_operand o = dense ? tn_x86_memory(x, index, held) : tn_x86_apart(x, index, value);
  if (!x->level->masks) { tn_x86_3(x, row, o, tn_x86_vec(mask, held, TN_ISA_USE), v); return; }
  const int spent = dense ? mask : tn_x86_new(x, TN_ISA_MASK);
  tn_x86_copy(x, TN_ISA_MASK, spent, mask, 0);
  tn_x86_2(x, row, o, v)->mask = spent;
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
  tn_x86_2(x, tn_x86_best(x, TN_X86_DO_STREAM, TN_X86_V32), o, tn_x86_vec(from, nbytes, TN_ISA_USE));
  tn_x86_jump(x, TN_X86_JMP, done);
  tn_x86_place(x, by_cache);
  tn_x86_2(x, tn_x86_move_row(x, nbytes), o, tn_x86_vec(from, nbytes, TN_ISA_USE));
  tn_x86_place(x, done);
}
static void tn_x86_store(tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *value = u->src[1], *valid = index->nsrc == 3 ? index->src[2] : NULL;
  const int masked = valid && valid->lanes > 1, label = valid && !masked ? tn_x86_if(x, valid) : -1;
  if (u->k == TN_ADDS) tn_isa_refuse(x->c, "atomic additions");
  if (tn_x86_streams(x, u)) { tn_x86_stream(x, u); return; }
  if (value->lanes == 1 || (index->lanes == 1 && !masked)) {
    const int from = tn_x86_value(x, value);
    tn_x86_move_out(x, value, from, tn_x86_memory(x, index, tn_x86_nbytes(x, value)));
  } else tn_x86_store_vector(x, value, index, masked ? valid : NULL);
  if (label >= 0) tn_x86_place(x, label);
}
#endif
