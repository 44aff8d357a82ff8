// x86_widths: integers of vectors in another width; bools of vectors as masks, as elements, as bits; choices by them.
//
// In:  registers that hold a part of a vector. Out: instructions that write another.
// Holds: no side is wider than a register. A bool of a vector is 0 or -1 in an element of any width: where widths
//        differ the narrower one is widened, or halved by packing with saturation.
#ifndef TN_ISA_X86_WIDTHS
#define TN_ISA_X86_WIDTHS
#ifndef TINY_AMALGAMATED
#include "x86_values.c"
#endif

// ** conversions by a row **

// Of vectors the longer side is the instruction's length.
static void tn_x86_cast_row(tn_x86_select *x, int row, int lanes, int to, int to_element, int from, int from_element) {
  const int longer = to_element > from_element ? to_element : from_element, length = tn_x86_vector(lanes * longer);
  if (!row || lanes * longer > x->level->nbytes) { tn_isa_refuse(x->c, "a conversion of vectors"); return; }
  const tn_isa_operand d = tn_x86_vec(to, tn_x86_vector(length * to_element / longer), TN_ISA_DEF);
  const tn_isa_operand s = tn_x86_vec(from, tn_x86_vector(length * from_element / longer), TN_ISA_USE);
  if (row == TN_X86_VCVTPS2PH) tn_x86_3(x, row, d, s, tn_isa_number(0));       // to nearest even (Intel SDM vol. 2)
  else tn_x86_2(x, row, d, s);
}

// ** widths **

// To twice the width, where no instruction does it: 16 bytes at most.
static void tn_x86_double(tn_x86_select *x, int to, int r, int from, int sign) {
  const int type = tn_x86_int_type(from), above = tn_x86_new(x, TN_ISA_VEC);
  if (!sign) tn_x86_zero(x, above, 16);
  else if (from == 4) tn_x86_do_imm(x, TN_X86_DO_SHRI, TN_X86_I32, 16, above, r, 31);
  if (!sign || from == 4) { tn_x86_do_3(x, TN_X86_DO_UNPACK, type, 16, to, r, above); return; }
  tn_x86_do_3(x, TN_X86_DO_UNPACK, type, 16, above, r, r);
  tn_x86_do_imm(x, TN_X86_DO_SHRI, type + 1, 16, to, above, 8 * from);
}
// To half the width, of what r has in nbytes. bools: of 0 and -1, which saturation keeps.
static void tn_x86_halve(tn_x86_select *x, int to, int r, int nbytes, int from, int bools) {
  const int held = tn_x86_vector(nbytes), type = tn_x86_int_type(from / 2);
  if (!bools && from == 4) {               // signed ones of half the width, which saturation keeps
    const int up = tn_x86_new(x, TN_ISA_VEC), down = tn_x86_new(x, TN_ISA_VEC);
    tn_x86_do_imm(x, TN_X86_DO_SHLI, TN_X86_I32, held, up, r, 16);
    tn_x86_do_imm(x, TN_X86_DO_SHRI, TN_X86_I32, held, down, up, 16);
    r = down;
  } else if (!bools && from == 2) {
    const int low = tn_x86_new(x, TN_ISA_VEC);
    tn_x86_3(x, tn_x86_best(x, TN_X86_DO_AND, TN_X86_I32), tn_x86_vec(low, held, TN_ISA_DEF),
             tn_x86_vec(r, held, TN_ISA_USE), tn_x86_pool_of(x, 0xFF, 2, held));
    r = low;
  }
  const int high = held > 16 ? tn_x86_bytes_at(x, r, held, 16, 16) : r;
  if (from == 8) tn_x86_4(x, tn_x86_best(x, TN_X86_DO_EVEN, TN_X86_V32), tn_x86_vec(to, 16, TN_ISA_DEF),
                          tn_x86_vec(r, 16, TN_ISA_USE), tn_x86_vec(high, 16, TN_ISA_USE), 0x88);
  else tn_x86_do_3(x, bools || from == 4 ? TN_X86_DO_PACK : TN_X86_DO_PACKU, type, 16, to, r, high);
}
static int tn_x86_int_of(int element, int sign) {
  static const uint8_t of[2][4] = {{TINY_U8, TINY_U16, TINY_U32, TINY_U64}, {TINY_I8, TINY_I16, TINY_I32, TINY_I64}};
  return of[sign][tn_x86_log(element)];
}
// Widening is by the sign, if there is one; narrowing leaves out high bits.
static void tn_x86_resize(tn_x86_select *x, int to, int r, int lanes, int from, int to_element, int sign, int bools) {
  const int widens = from < to_element, by_sign = widens ? sign : 1;
  const int row = tn_x86_conversion_row(x->level, tn_x86_int_of(from, by_sign), tn_x86_int_of(to_element, by_sign));
  if (from == to_element) { tn_x86_copy(x, TN_ISA_VEC, to, r, tn_x86_vector(lanes * from)); return; }
  if (row) { tn_x86_cast_row(x, row, lanes, to, to_element, r, from); return; }
  for (int now = from; now != to_element; now = widens ? 2 * now : now / 2) {
    const int last = widens ? 2 * now == to_element : now / 2 == to_element, d = last ? to : tn_x86_new(x, TN_ISA_VEC);
    if (widens) tn_x86_double(x, d, r, now, sign);
    else tn_x86_halve(x, d, r, lanes * now, now, bools);
    r = d;
  }
}

// ** bools of vectors **

// The part of a vector of bools that is asked for now, in elements of this width, or as a mask.
static int tn_x86_mask_as(tn_x86_select *x, const tiny_uop *u, int element) {
  const int r = tn_x86_value(x, u), has = tn_x86_element(x, u);
  if (x->level->masks || has == element || tn_x86_is_splat(u)) return r;
  const int to = tn_x86_new(x, TN_ISA_VEC);
  tn_x86_resize(x, to, r, tn_x86_lanes(x, u), has, element, 1, 1);
  return to;
}
// A general register with a bit of each lane, *apart from each other; what stands above the lanes is anything.
static int tn_x86_bits_of_lanes(tn_x86_select *x, const tiny_uop *u, int *apart) {
  const int r = tn_x86_value(x, u), bits = tn_x86_new(x, TN_ISA_GPR);
  *apart = x->level->masks ? 1 : tn_x86_element(x, u);
  if (x->level->masks) tn_x86_2(x, TN_X86_KMOVQ, tn_x86_gpr(bits, 8, TN_ISA_DEF), tn_x86_kreg(r, TN_ISA_USE));
  else tn_x86_2(x, tn_x86_best(x, TN_X86_DO_SIGNS, TN_X86_I8), tn_x86_gpr(bits, 4, TN_ISA_DEF),
                tn_x86_vec(r, tn_x86_held(x, u), TN_ISA_USE));
  return bits;
}
// A mask, or a vector, all of whose lanes are the bool of a general register. lanes 1: of a scalar.
static int tn_x86_lanes_of_bool(tn_x86_select *x, int r, int nbytes, int lanes) {
  if (x->level->masks && lanes == 1) {    // of one lane
    const int one = tn_x86_new(x, TN_ISA_MASK);
    tn_x86_2(x, TN_X86_KMOVD, tn_x86_kreg(one, TN_ISA_DEF), tn_x86_gpr(r, 4, TN_ISA_USE));
    return one;
  }
  const int all = tn_x86_new(x, TN_ISA_GPR), k = tn_x86_new(x, x->level->masks ? TN_ISA_MASK : TN_ISA_VEC);
  tn_x86_copy(x, TN_ISA_GPR, all, r, 8);
  tn_x86_1(x, TN_X86_NEG, tn_x86_gpr(all, 8, TN_ISA_BOTH));
  if (x->level->masks) {
    tn_x86_2(x, TN_X86_KMOVQ, tn_x86_kreg(k, TN_ISA_DEF), tn_x86_gpr(all, 8, TN_ISA_USE));
    return k;
  }
  tn_x86_2(x, tn_x86_best(x, TN_X86_DO_GPR, TN_X86_I64), tn_x86_vec(k, 16, TN_ISA_DEF), tn_x86_gpr(all, 8, TN_ISA_USE));
  if (nbytes <= 8) return k;
  const int row = tn_x86_choose(x->level, TN_X86_DO_SPLAT, TN_X86_I64);
  const int wide = tn_x86_new(x, TN_ISA_VEC), held = tn_x86_vector(nbytes);
  if (row) tn_x86_2(x, row, tn_x86_vec(wide, held, TN_ISA_DEF), tn_x86_vec(k, 16, TN_ISA_USE));
  else tn_x86_do_imm(x, TN_X86_DO_SHUFFLE_4, TN_X86_I32, 16, wide, k, 0);
  return wide;
}
// Of SSE4.1, whose mask is the first vector register.
static void tn_x86_blend_by_first(tn_x86_select *x, int to, int mask, tn_isa_operand yes, int no) {
  const int first = -1, overtaken = yes.kind == TN_ISA_REG && yes.reg == to && no != to;
  const int into = overtaken ? tn_x86_new(x, TN_ISA_VEC) : to;
  tn_x86_copy(x, TN_ISA_VEC, first, mask, 16);
  tn_x86_copy(x, TN_ISA_VEC, into, no, 16);
  const tn_isa_operand o[3] = {tn_x86_vec(into, 16, TN_ISA_BOTH), yes, tn_x86_vec(first, 16, TN_ISA_USE)};
  tn_x86_add(x, TN_X86_PBLENDVB, 3, o);
  tn_x86_copy(x, TN_ISA_VEC, to, into, 16);
}
// By a vector of 0 and -1: yes where it is set, else no.
static void tn_x86_blend(tn_x86_select *x, int to, int nbytes, int mask, tn_isa_operand yes, int no) {
  const int row = tn_x86_choose(x->level, TN_X86_DO_BLEND, TN_X86_I8);
  const tn_isa_operand d = tn_x86_vec(to, nbytes, TN_ISA_DEF), m = tn_x86_vec(mask, nbytes, TN_ISA_USE);
  const tn_isa_operand otherwise = tn_x86_vec(no, nbytes, TN_ISA_USE);
  if (row) {
    const tn_isa_operand o[4] = {d, otherwise, yes, m};
    tn_x86_n(x, row, 4, o);
    return;
  }
  if (tn_x86_level_has(x->level, TN_X86_PBLENDVB)) { tn_x86_blend_by_first(x, to, mask, yes, no); return; }
  const int a = tn_x86_new(x, TN_ISA_VEC), b = tn_x86_new(x, TN_ISA_VEC);
  tn_x86_3(x, tn_x86_best(x, TN_X86_DO_AND, TN_X86_I32), tn_x86_vec(a, nbytes, TN_ISA_DEF), m, yes);
  tn_x86_3(x, tn_x86_best(x, TN_X86_DO_ANDN, TN_X86_I32), tn_x86_vec(b, nbytes, TN_ISA_DEF), m, otherwise);
  tn_x86_do_3(x, TN_X86_DO_OR, TN_X86_I32, nbytes, to, a, b);
}
#endif
