// x86_lanes: what moves lanes: BROADCAST, STACK, PICK, LANE; what goes by elements; the parts of vectors wider than a
// register.
//
// In:  a node. Out: the instructions that write its value to a register, or to several; how many lanes go at once.
// Holds: what no instruction does goes through the shelf, TN_X86_SHELF bytes of the frame.
// Not here: STACKs of bools.
#ifndef TN_ISA_X86_LANES
#define TN_ISA_X86_LANES
#ifndef TINY_AMALGAMATED
#include "x86_arithmetic.c"
#endif

// ** lanes **

static void tn_x86_broadcast(tn_x86_select *x, const tiny_uop *u, int to) {
  static const int of_gpr[4] = {TN_X86_VPBROADCASTB, TN_X86_VPBROADCASTW, TN_X86_VPBROADCASTD, TN_X86_VPBROADCASTQ};
  const tiny_uop *s = u->src[0];
  const int held = tn_x86_held(x, u), element = tn_x86_element(u);
  if (u->dtype == TINY_BOOL) {
    tn_x86_copy(x, TN_ISA_MASK, to, tn_x86_lanes_of_bool(x, tn_x86_value(x, s)), 0);
    return;
  }
  const int of_f64 = held > 16 ? TN_X86_VBROADCASTSD : TN_X86_VPBROADCASTQ;
  const int of_float = element == 8 ? of_f64 : TN_X86_VBROADCASTSS;
  const int row = tn_is_float(u->dtype) ? of_float : of_gpr[tn_x86_log(element)];
  if (x->fused[s->seq]) {                  // a load
    tn_x86_2(x, row, tn_x86_vec(to, held, TN_ISA_DEF), tn_x86_memory(x, s->src[0], element));
    return;
  }
  const int r = tn_x86_value(x, s);
  tn_x86_2(x, row, tn_x86_vec(to, held, TN_ISA_DEF),
           tn_is_float(u->dtype) ? tn_x86_vec(r, 16, TN_ISA_USE) : tn_x86_gpr(r, element == 8 ? 8 : 4, TN_ISA_USE));
}

// Is u a STACK of single lanes of one vector or of two, as wide as they are, of 4 or 8 bytes? Then it reads those.
static int tn_x86_shuffles(const tiny_uop *u, const tiny_uop *from[2], int64_t index[16]) {
  const int element = tn_x86_element(u), nbytes = u->lanes * element;
  from[0] = from[1] = NULL;
  if (u->op != TINY_OP_STACK || (int)u->nsrc != u->lanes || u->dtype == TINY_BOOL || element < 4) return 0;
  if (nbytes < 16 || nbytes > 64) return 0;
  for (int i = 0; i < u->lanes; i++) {
    const tiny_uop *one = u->src[i], *vector = one->op == TINY_OP_PICK ? one->src[0] : NULL;
    if (!vector || vector->lanes != u->lanes || tn_x86_is_splat(vector)) return 0;
    const int k = from[0] && from[0] != vector;
    if (from[k] && from[k] != vector) return 0;
    from[k] = vector;
    index[i] = one->k + k * u->lanes;
  }
  return 1;
}
// What one instruction does with two vectors, without a table: lane i of its result by the kind, n lanes, `each` of
// them in 128 bits. Halves of those are interleaved, by one or two lanes; or halves of the vectors follow each other.
enum { TN_X86_LOWS, TN_X86_HIGHS, TN_X86_LOW_PAIRS, TN_X86_HIGH_PAIRS, TN_X86_LOW_HALVES, TN_X86_HIGH_HALVES,
  TN_X86_SHUFFLES };
static int tn_x86_shuffled(int kind, int i, int n, int each) {
  const int group = i / each * each, at = i % each, high = kind & 1, half = each / 2;
  if (kind <= TN_X86_HIGHS) return group + high * half + at / 2 + at % 2 * n;
  if (kind <= TN_X86_HIGH_PAIRS) return group + high * half + at % half + at / half * n;
  return high * n / 2 + i % (n / 2) + 2 * i / n * n;
}
static int tn_x86_shuffle_kind(const int64_t *index, int n, int each) {
  for (int kind = 0, i; kind < TN_X86_SHUFFLES; kind++) {
    for (i = 0; i < n && tn_x86_shuffled(kind, i, n, each) == index[i];) i++;
    if (i == n) return kind;
  }
  return -1;
}
static int tn_x86_shuffle_plainly(tn_x86_select *x, const tiny_uop *u, const tiny_uop *from[2], const int64_t *index,
                                  int to) {
  static const int rows[2][4] = {{TN_X86_VUNPCKLPS, TN_X86_VUNPCKHPS, TN_X86_VUNPCKLPD, TN_X86_VUNPCKHPD},
                                 {TN_X86_VUNPCKLPD, TN_X86_VUNPCKHPD, TN_X86_VUNPCKLPD, TN_X86_VUNPCKHPD}};
  const int element = tn_x86_element(u), held = tn_x86_held(x, u);
  const int kind = from[1] ? tn_x86_shuffle_kind(index, u->lanes, 16 / element) : -1;
  if (kind < 0 || (kind >= TN_X86_LOW_HALVES && held < 64)) return 0;
  const tn_isa_operand d = tn_x86_vec(to, held, TN_ISA_DEF), a = tn_x86_use(x, from[0]), b = tn_x86_use(x, from[1]);
  if (kind < TN_X86_LOW_HALVES) tn_x86_3(x, rows[element == 8][kind], d, a, b);
  else tn_x86_4(x, TN_X86_VSHUFF64X2, d, a, b, kind == TN_X86_LOW_HALVES ? 0x44 : 0xEE);
  return 1;
}
static int tn_x86_shuffle(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *from[2];
  const int element = tn_x86_element(u), held = tn_x86_held(x, u);
  int64_t index[16];
  if (!tn_x86_shuffles(u, from, index)) return 0;
  if (tn_x86_shuffle_plainly(x, u, from, index, to)) return 1;
  int32_t narrow[16];
  for (int i = 0; i < u->lanes; i++) narrow[i] = (int32_t)index[i];
  const int64_t at = tn_isa_constant(x->c, element == 8 ? (const void *)index : narrow, (size_t)tn_x86_nbytes(x, u));
  const int order = tn_x86_new(x, TN_ISA_VEC);
  const int a = tn_x86_value(x, from[0]), b = tn_x86_value(x, from[1] ? from[1] : from[0]);
  tn_x86_2(x, TN_X86_VMOVUPS, tn_x86_vec(order, held, TN_ISA_DEF), tn_isa_at(TN_ISA_POOL, held, at));
  if (!from[1] && held > 16) {
    tn_x86_3(x, element == 8 ? TN_X86_VPERMQ : TN_X86_VPERMD, tn_x86_vec(to, held, TN_ISA_DEF),
             tn_x86_vec(order, held, TN_ISA_USE), tn_x86_vec(a, held, TN_ISA_USE));
    return 1;
  }
  tn_x86_copy(x, TN_ISA_VEC, to, a, held);
  tn_x86_3(x, element == 8 ? TN_X86_VPERMT2Q : TN_X86_VPERMT2D, tn_x86_vec(to, held, TN_ISA_BOTH),
           tn_x86_vec(order, held, TN_ISA_USE), tn_x86_vec(b, held, TN_ISA_USE));
  return 1;
}
static void tn_x86_stack(tn_x86_select *x, const tiny_uop *u, int to) {
  if (u->dtype == TINY_BOOL) { tn_isa_refuse(x->c, "a STACK of bools"); return; }
  if (tn_x86_parts_of(u) == 1 && u->nsrc && tn_x86_parts_of(u->src[0]) == 1 && tn_x86_shuffle(x, u, to)) return;
  int64_t at = x->shelf;
  if (u->lanes * tn_x86_element(u) > TN_X86_SHELF) { tn_isa_refuse(x->c, "a STACK of very many lanes"); return; }
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *s = u->src[i];
    for (int part = 0, parts = tn_x86_parts_of(s); part < parts; part++) {
      x->lanes = parts > 1 ? s->lanes / parts : 0;
      x->from = part * x->lanes;
      const int from = tn_x86_value(x, s);
      tn_x86_move_out(x, s, from, tn_x86_frame(at, 0));
      at += tn_x86_nbytes(x, s);
    }
  }
  for (int part = 0, parts = tn_x86_parts_of(u); part < parts; part++) {
    x->lanes = parts > 1 ? u->lanes / parts : 0;
    tn_x86_move_in(x, u, to + part, tn_x86_frame(x->shelf + 64 * part, 0));
  }
  x->lanes = x->from = 0;
}
static void tn_x86_pick_mask(tn_x86_select *x, const tiny_uop *u, int to) {
  const int r = tn_x86_value(x, u->src[0]);
  if (u->lanes > 1) {
    tn_x86_3(x, TN_X86_KSHIFTRQ, tn_x86_kreg(to, TN_ISA_DEF), tn_x86_kreg(r, TN_ISA_USE), tn_isa_number(u->k));
    return;
  }
  tn_x86_2(x, TN_X86_KMOVQ, tn_x86_gpr(to, 8, TN_ISA_DEF), tn_x86_kreg(r, TN_ISA_USE));
  if (u->k) tn_x86_2(x, TN_X86_SHR, tn_x86_gpr(to, 8, TN_ISA_BOTH), tn_isa_number(u->k));
  tn_x86_2(x, TN_X86_AND, tn_x86_gpr(to, 4, TN_ISA_BOTH), tn_isa_number(1));
}
// The lanes from byte `at` of a register on become the lowest, if they are fours of bytes. 0: they are not.
static int tn_x86_pick_along(tn_x86_select *x, const tiny_uop *u, int to, int r, int held, int at) {
  const int nbytes = tn_x86_nbytes(x, u), cls = tn_x86_class(u);
  const int part = cls == TN_ISA_VEC ? to : tn_x86_new(x, TN_ISA_VEC);
  if (at % 4 || nbytes < 4) return 0;
  const tn_isa_operand whole = tn_x86_vec(r, held, TN_ISA_USE);
  tn_x86_4(x, TN_X86_VALIGND, tn_x86_vec(part, held, TN_ISA_DEF), whole, whole, at / 4);
  if (cls == TN_ISA_GPR) tn_x86_2(x, nbytes == 8 ? TN_X86_VMOVQ : TN_X86_VMOVD, tn_x86_gpr(to, nbytes, TN_ISA_DEF),
                                  tn_x86_vec(part, 16, TN_ISA_USE));
  return 1;
}
// Of a vector wider than a register: all of a register, several, or by memory.
static void tn_x86_pick_wide(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  const int element = tn_x86_element(s), each = 64 / element, parts = tn_x86_parts_of(u);
  const int known = x->reg[s->seq] >= 0 && !tn_x86_is_splat(s), at = (int)u->k % each * element;
  const int r = known ? x->reg[s->seq] + (int)u->k / each : -1;
  if (r < 0 || at + (parts > 1 ? 64 : tn_x86_nbytes(x, u)) > 64) {
    tn_isa_refuse(x->c, "lanes across registers");
    return;
  }
  if (!at && u->lanes * element >= 64) {
    for (int i = 0; i < parts; i++) tn_x86_copy(x, TN_ISA_VEC, to + i, r + i, 64);
    return;
  }
  if (parts == 1 && tn_x86_pick_along(x, u, to, r, 64, at)) return;
  tn_x86_2(x, TN_X86_VMOVUPS, tn_x86_frame(x->shelf, 64), tn_x86_vec(r, 64, TN_ISA_USE));
  tn_x86_move_in(x, u, to, tn_x86_frame(x->shelf + at, 0));
}
// Part of a vector: by an instruction where its bytes stand at the beginning or are half of it, else by memory.
static void tn_x86_pick(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  if (u->dtype == TINY_BOOL) { tn_x86_pick_mask(x, u, to); return; }
  if (tn_x86_parts_of(s) > 1) { tn_x86_pick_wide(x, u, to); return; }
  const int from = tn_x86_nbytes(x, s), nbytes = tn_x86_nbytes(x, u), held = tn_x86_held(x, s);
  const int at = (int)u->k * tn_x86_element(u);
  const int r = tn_x86_value(x, s), cls = tn_x86_class(u);
  if (!at && cls == TN_ISA_VEC) { tn_x86_copy(x, TN_ISA_VEC, to, r, tn_x86_held(x, u)); return; }
  if (!at && nbytes >= 4 && u->lanes == 1) {
    tn_x86_2(x, nbytes == 8 ? TN_X86_VMOVQ : TN_X86_VMOVD, tn_x86_gpr(to, nbytes, TN_ISA_DEF),
             tn_x86_vec(r, 16, TN_ISA_USE));
    return;
  }
  const tn_isa_operand d = tn_x86_vec(to, tn_x86_vector(nbytes), TN_ISA_DEF), whole = tn_x86_vec(r, held, TN_ISA_USE);
  if (cls == TN_ISA_VEC && 2 * nbytes == from && at == nbytes && nbytes >= 4) {
    if (nbytes == 32) tn_x86_3(x, TN_X86_VEXTRACTF64X4, d, whole, tn_isa_number(1));
    else if (nbytes == 16) tn_x86_3(x, TN_X86_VEXTRACTF32X4, d, whole, tn_isa_number(1));
    else tn_x86_3(x, TN_X86_VPSHUFD, d, whole, tn_isa_number(nbytes == 8 ? 0xEE : 0x55));
    return;
  }
  if (tn_x86_pick_along(x, u, to, r, held, at)) return;
  tn_x86_2(x, TN_X86_VMOVUPS, tn_x86_frame(x->shelf, held), whole);
  tn_x86_move_in(x, u, to, tn_x86_frame(x->shelf + at, 0));
}
static void tn_x86_lane_numbers(tn_x86_select *x, const tiny_uop *u, int to) {
  uint8_t data[64];
  const int element = tn_x86_element(u), nbytes = tn_x86_nbytes(x, u);
  for (int i = 0; i < tn_x86_lanes(x, u); i++) for (int b = 0; b < element; b++)
    data[i * element + b] = (uint8_t)(b ? 0 : x->from + i);
  tn_x86_move_in(x, u, to, tn_isa_at(TN_ISA_POOL, nbytes, tn_isa_constant(x->c, data, (size_t)nbytes)));
}

// ** by elements **

// Element by element, what vectors have no instruction for: divisions, and products and shifts of bytes.
static void tn_x86_by_lanes(tn_x86_select *x, const tiny_uop *u, int to) {
  const int element = tn_x86_element(u), held = tn_x86_held(x, u), nbytes = element == 8 ? 8 : 4;
  const int a = tn_x86_value(x, u->src[0]), b = tn_x86_value(x, u->src[1]);
  const int is_division = u->op == TINY_OP_CDIV || u->op == TINY_OP_CMOD, sign = tn_is_signed(u->dtype);
  const int right = sign ? TN_X86_SARX : TN_X86_SHRX;
  const int row = u->op == TINY_OP_MUL ? TN_X86_IMUL : u->op == TINY_OP_SHL ? TN_X86_SHLX : right;
  const int in = element >= 4 ? TN_X86_MOV : sign ? TN_X86_MOVSX : TN_X86_MOVZX;
  if (!is_division && element != 1) { tn_isa_refuse(x->c, "an operation of vectors"); return; }
  tn_x86_2(x, TN_X86_VMOVUPS, tn_isa_at(TN_ISA_FRAME, held, x->shelf), tn_x86_vec(a, held, TN_ISA_USE));
  tn_x86_2(x, TN_X86_VMOVUPS, tn_isa_at(TN_ISA_FRAME, held, x->shelf + 64), tn_x86_vec(b, held, TN_ISA_USE));
  for (int i = 0; i < tn_x86_lanes(x, u); i++) {
    const int64_t at = x->shelf + i * element;
    const int p = tn_x86_new(x, TN_ISA_GPR), q = tn_x86_new(x, TN_ISA_GPR), r = tn_x86_new(x, TN_ISA_GPR);
    tn_x86_2(x, in, tn_x86_gpr(p, nbytes, TN_ISA_DEF), tn_isa_at(TN_ISA_FRAME, element, at));
    tn_x86_2(x, in, tn_x86_gpr(q, nbytes, TN_ISA_DEF), tn_isa_at(TN_ISA_FRAME, element, at + 64));
    if (is_division) tn_x86_divide(x, u, r, p, q);
    else if (u->op == TINY_OP_MUL) {
      tn_x86_copy(x, TN_ISA_GPR, r, p, 8);
      tn_x86_2(x, row, tn_x86_gpr(r, 4, TN_ISA_BOTH), tn_x86_gpr(q, 4, TN_ISA_USE));
    } else tn_x86_3(x, row, tn_x86_gpr(r, 4, TN_ISA_DEF), tn_x86_gpr(p, 4, TN_ISA_USE), tn_x86_gpr(q, 4, TN_ISA_USE));
    tn_x86_2(x, TN_X86_MOV, tn_isa_at(TN_ISA_FRAME, element, at), tn_x86_gpr(r, element, TN_ISA_USE));
  }
  tn_x86_2(x, TN_X86_VMOVUPS, tn_x86_vec(to, held, TN_ISA_DEF), tn_isa_at(TN_ISA_FRAME, held, x->shelf));
}

// ** vectors wider than a register: part by part **

static void tn_x86_copy_all(tn_x86_select *x, const tiny_uop *u, int to, int from) {
  const int parts = tn_x86_parts_of(u);
  for (int i = 0; i < parts; i++) tn_x86_copy(x, tn_x86_class(u), to + i, from + i, parts > 1 ? 64 : tn_x86_held(x, u));
}
// Of the widest of a node and its sources, how many lanes a register holds, if that is not all of them; else 0.
static int tn_x86_lanes_at_once(const tn_x86_select *x, const tiny_uop *u, const tiny_uop *also) {
  int lanes = u->lanes, split = 0;
  for (int i = -2; i < (int)u->nsrc; i++) {
    const tiny_uop *s = i == -2 ? u : i == -1 ? also : u->src[i];
    if (!s || s->lanes == 1 || s->dtype == TINY_VOID) continue;
    if (s->op == TINY_OP_INDEX) continue;
    if (i >= 0 && x->fused[s->seq] && tn_x86_lanes_at_once(x, s, NULL)) split = 1;
    if (tn_x86_parts_of(s) == 1) continue;
    split = 1;
    if (64 / tn_x86_element(s) < lanes || lanes == 1) lanes = 64 / tn_x86_element(s);
  }
  return split ? lanes : 0;
}
static void tn_x86_store_reg(tn_x86_select *x, const tiny_uop *value, int to) {
  const int parts = tn_x86_parts_of(value), each = value->lanes / parts;
  for (int i = 0; i < parts; i++) {
    x->lanes = parts > 1 ? each : 0;
    x->from = i * each;
    const int from = tn_x86_value(x, value);
    tn_x86_copy(x, tn_x86_class(value), to + i, from, tn_x86_held(x, value));
  }
  x->lanes = x->from = 0;
}
static void tn_x86_store_all(tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *value = u->src[1], *index = u->src[0];
  const int wide_index = index->lanes > 1 && tn_x86_parts_of(index->src[1]) > 1;
  const int of_value = 64 / tn_x86_element(value);
  const int of_index = wide_index ? 64 / tn_x86_element(index->src[1]) : of_value;
  const int each = of_index < of_value ? of_index : of_value;
  const int split = tn_x86_parts_of(value) > 1 || wide_index;
  for (int from = 0; from < value->lanes; from += split ? each : value->lanes) {
    x->lanes = split ? each : 0;
    x->from = from;
    tn_x86_store(x, u);
  }
  x->lanes = x->from = 0;
}
// Lanes [at, at + lanes) of a register of u's, which r's first are.
static void tn_x86_put_part(tn_x86_select *x, const tiny_uop *u, int into, int r, int at, int lanes) {
  const int element = tn_x86_element(u), cls = tn_x86_class(u), nbytes = lanes * element;
  if (!at) { tn_x86_copy(x, cls, into, r, cls == TN_ISA_MASK ? 0 : tn_x86_vector(nbytes)); return; }
  if (cls == TN_ISA_MASK) {
    const int k = tn_x86_new(x, cls);
    tn_x86_3(x, TN_X86_KSHIFTLQ, tn_x86_kreg(k, TN_ISA_DEF), tn_x86_kreg(r, TN_ISA_USE), tn_isa_number(at));
    tn_x86_3(x, TN_X86_KORQ, tn_x86_kreg(into, TN_ISA_DEF), tn_x86_kreg(into, TN_ISA_USE), tn_x86_kreg(k, TN_ISA_USE));
    return;
  }
  const int whole = 64 / element < u->lanes ? 64 : u->lanes * element, held = tn_x86_vector(whole);
  const tn_isa_operand d = tn_x86_vec(into, held, TN_ISA_DEF), rest = tn_x86_vec(into, held, TN_ISA_USE);
  const tn_isa_operand part = tn_x86_vec(r, nbytes, TN_ISA_USE);
  if (nbytes == 32) tn_x86_4(x, TN_X86_VINSERTF64X4, d, rest, part, at * element / 32);
  else if (nbytes == 16) tn_x86_4(x, TN_X86_VINSERTF32X4, d, rest, part, at * element / 16);
  else if (nbytes == 8 && whole == 16) tn_x86_3(x, TN_X86_VMOVLHPS, d, rest, tn_x86_vec(r, 16, TN_ISA_USE));
  else tn_isa_refuse(x->c, "parts of a register");
}
#endif
