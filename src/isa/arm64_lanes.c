// arm64_lanes: what moves lanes: BROADCAST, STACK, PICK, LANE; dot products.
//
// In:  a node. Out: the instructions that write its value to its registers, all of its lanes.
// Holds: a STACK of lanes of one register or of two is one permutation where there is one, else goes by tables;
//        lanes of more are inserted one by one.
#ifndef TN_ISA_ARM64_LANES
#define TN_ISA_ARM64_LANES
#ifndef TINY_AMALGAMATED
#include "arm64_arithmetic.c"
#endif

// Of the lanes that are computed now, which are all alike.
static void tn_arm64_broadcast(tn_arm64_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  const int element = tn_arm64_element(x, u);
  int reg, lane;
  if (tn_arm64_is_lane(x, s, &reg, &lane)) {
    tn_arm64_2(x, TN_ARM64_DUP, tn_arm64_vec(to, 16, element, TN_ISA_DEF),
               tn_arm64_lane(reg, element, lane, TN_ISA_USE));
    return;
  }
  const int r = tn_arm64_value(x, s);
  if (u->dtype == TINY_BOOL) tn_arm64_lanes_of_bool(x, to, r);
  else if (tn_is_float(u->dtype))
    tn_arm64_2(x, TN_ARM64_DUP, tn_arm64_vec(to, 16, element, TN_ISA_DEF), tn_arm64_lane(r, element, 0, TN_ISA_USE));
  else tn_arm64_2(x, TN_ARM64_DUP, tn_arm64_vec(to, 16, element, TN_ISA_DEF),
                  tn_arm64_gpr(r, element == 8 ? 8 : 4, TN_ISA_USE));
}
static void tn_arm64_lane_numbers(tn_arm64_select *x, const tiny_uop *u, int to) {
  uint8_t data[16];
  const int element = tn_arm64_element(x, u);
  memset(data, 0, sizeof data);
  for (int i = 0; i < tn_arm64_lanes(x, u); i++) data[i * element] = (uint8_t)(x->from + i);
  tn_arm64_2(x, TN_ARM64_LDR, tn_arm64_vec(to, 16, 0, TN_ISA_DEF),
             tn_isa_at(TN_ISA_POOL, 16, tn_isa_constant(x->c, data, 16)));
}

// ** permutations **

// Where lane i of a permutation of two vectors of n lanes comes from (C7.2: ZIP1, ZIP2, UZP1, UZP2, TRN1, TRN2).
static int tn_arm64_permuted(int op, int n, int i) {
  const int odd = i & 1;
  switch (op) {
    case TN_ARM64_ZIP1: return i / 2 + (odd ? n : 0);
    case TN_ARM64_ZIP2: return n / 2 + i / 2 + (odd ? n : 0);
    case TN_ARM64_UZP1: return 2 * i;
    case TN_ARM64_UZP2: return 2 * i + 1;
    case TN_ARM64_TRN1: return odd ? n + i - 1 : i;
    default: return odd ? n + i : i + 1;
  }
}
// The order of lanes of two registers, or of one: lane i of the result is lane at[i] of both, those of the second
// follow those of the first. element: its bytes, of which 16 / element are a register.
typedef struct tn_arm64_order { int from[2], at[16], n, element; } tn_arm64_order;

// Lanes [first, first + n) of a STACK as that; 0: they are of more registers, or no lanes.
static int tn_arm64_order_of(const tn_arm64_select *x, const tiny_uop *u, int first, int n, tn_arm64_order *o) {
  o->from[0] = o->from[1] = -1; o->n = n; o->element = tn_arm64_element(x, u);
  for (int i = 0; i < n; i++) {
    int reg, lane;
    if (!tn_arm64_is_lane(x, u->src[first + i], &reg, &lane)) return 0;
    const int k = o->from[0] >= 0 && o->from[0] != reg;
    if (o->from[k] >= 0 && o->from[k] != reg) return 0;
    o->from[k] = reg;
    o->at[i] = lane + k * 16 / o->element;
  }
  return 1;
}
// The same of elements twice as wide; 0: neighbours do not stay together.
static int tn_arm64_widened(tn_arm64_order *o) {
  if (o->n % 2 || o->element == 8) return 0;
  for (int i = 0; i < o->n; i += 2) if (o->at[i] % 2 || o->at[i + 1] != o->at[i] + 1) return 0;
  o->n /= 2; o->element *= 2;
  for (int i = 0; i < o->n; i++) o->at[i] = o->at[2 * i] / 2;
  return 1;
}
// By one instruction that knows the order: 1, and it is written.
static int tn_arm64_permute_plainly(tn_arm64_select *x, const tn_arm64_order *o, int to) {
  static const int ops[] = {TN_ARM64_ZIP1, TN_ARM64_ZIP2, TN_ARM64_UZP1, TN_ARM64_UZP2, TN_ARM64_TRN1, TN_ARM64_TRN2};
  const int lanes = 16 / o->element, two = o->from[1] >= 0, span = two ? 2 * lanes : lanes, group = 8 / o->element;
  int all = (1 << sizeof ops / sizeof *ops) - 1, along = 1, alike = 1, turned = !two && group > 1;
  for (int i = 0; i < o->n; i++) {
    for (int k = 0; k < (int)(sizeof ops / sizeof *ops); k++)
      if (tn_arm64_permuted(ops[k], lanes, i) % span != o->at[i]) all &= ~(1 << k);
    along &= o->at[i] == (o->at[0] + i) % span;
    alike &= o->at[i] == o->at[0];
    turned &= o->at[i] == i / group * group + group - 1 - i % group;
  }
  const tn_isa_operand d = tn_arm64_vec(to, 16, o->element, TN_ISA_DEF);
  const tn_isa_operand a = tn_arm64_vec(o->from[0], 16, o->element, TN_ISA_USE);
  const tn_isa_operand b = tn_arm64_vec(o->from[two], 16, o->element, TN_ISA_USE);
  if (alike) tn_arm64_2(x, TN_ARM64_DUP, d, tn_arm64_lane(o->from[0], o->element, o->at[0], TN_ISA_USE));
  else if (turned) tn_arm64_2(x, TN_ARM64_REV64, d, a);
  else if (along && o->at[0] < lanes)
    tn_arm64_4(x, TN_ARM64_EXT, tn_arm64_vec(to, 16, 1, TN_ISA_DEF), tn_arm64_vec(o->from[0], 16, 1, TN_ISA_USE),
               tn_arm64_vec(o->from[two], 16, 1, TN_ISA_USE), tn_isa_number(o->at[0] * o->element));
  else for (int k = 0; k < (int)(sizeof ops / sizeof *ops); k++) if (all >> k & 1) {
    tn_arm64_3(x, ops[k], d, a, b);
    return 1;
  }
  return alike || turned || (along && o->at[0] < lanes);
}
// By tables of bytes, one for each register, where a number beyond its 16 leaves what is there (C7.2: TBL, TBX).
static void tn_arm64_permute_by_table(tn_arm64_select *x, const tn_arm64_order *o, int to) {
  uint8_t bytes[2][16];
  memset(bytes, 0xFF, sizeof bytes);
  for (int i = 0; i < o->n * o->element; i++) {
    const int at = o->at[i / o->element] * o->element + i % o->element;
    bytes[at / 16][i] = (uint8_t)(at % 16);
  }
  for (int k = 0; k < 2 && o->from[k] >= 0; k++) {
    const int by = tn_arm64_new(x, TN_ISA_VEC);
    tn_arm64_2(x, TN_ARM64_LDR, tn_arm64_vec(by, 16, 0, TN_ISA_DEF),
               tn_isa_at(TN_ISA_POOL, 16, tn_isa_constant(x->c, bytes[k], 16)));
    tn_arm64_3(x, k ? TN_ARM64_TBX : TN_ARM64_TBL, tn_arm64_vec(to, 16, 1, k ? TN_ISA_BOTH : TN_ISA_DEF),
               tn_arm64_vec(o->from[k], 16, 1, TN_ISA_USE), tn_arm64_vec(by, 16, 1, TN_ISA_USE));
  }
}
// Lanes [first, first + n) of a STACK of single lanes of one register or two: 1, and it is written.
static int tn_arm64_permute(tn_arm64_select *x, const tiny_uop *u, int to, int first, int n) {
  tn_arm64_order o, wide;
  if ((int)u->nsrc != u->lanes || n < 2 || !tn_arm64_order_of(x, u, first, n, &o)) return 0;
  wide = o;
  do if (tn_arm64_permute_plainly(x, &wide, to)) return 1; while (tn_arm64_widened(&wide));
  if (n == 2) return 0;
  tn_arm64_permute_by_table(x, &o, to);
  return 1;
}

// A scalar becomes a lane of a register; the first is all of its lanes.
static void tn_arm64_insert(tn_arm64_select *x, const tiny_uop *s, int element, int into, int at) {
  int reg = -1, lane = 0;
  const int is_lane = tn_arm64_is_lane(x, s, &reg, &lane), cls = tn_arm64_class(s);
  tn_isa_operand from;
  if (!is_lane) reg = tn_arm64_value(x, s);
  if (s->dtype == TINY_BOOL) {
    const int all = tn_arm64_new(x, TN_ISA_GPR);
    tn_arm64_2(x, TN_ARM64_NEG, tn_arm64_gpr(all, 8, TN_ISA_DEF), tn_arm64_gpr(reg, 8, TN_ISA_USE));
    reg = all;
  }
  if (is_lane || cls == TN_ISA_VEC) from = tn_arm64_lane(reg, element, lane, TN_ISA_USE);
  else from = tn_arm64_gpr(reg, element == 8 ? 8 : 4, TN_ISA_USE);
  if (at) tn_arm64_2(x, TN_ARM64_INS, tn_arm64_lane(into, element, at, TN_ISA_BOTH), from);
  else tn_arm64_2(x, TN_ARM64_DUP, tn_arm64_vec(into, 16, element, TN_ISA_DEF), from);
}
static void tn_arm64_stack(tn_arm64_select *x, const tiny_uop *u, int to) {
  const int element = tn_arm64_element(x, u), each = tn_arm64_each(x, u);
  for (int i = 0, at = 0; i < (int)u->nsrc; i++) {
    const tiny_uop *s = u->src[i];
    if (s->lanes == 1 && at % each == 0 && tn_arm64_permute(x, u, to + at / each, i, each)) {
      at += each; i += each - 1;
      continue;
    }
    if (s->lanes == 1) { tn_arm64_insert(x, s, element, to + at / each, at % each); at++; continue; }
    const int n = each < s->lanes ? each : s->lanes, own = tn_arm64_each(x, s);
    for (int k = 0; k < s->lanes; k += n < own ? n : own, at += n < own ? n : own) {
      x->lanes = n < own ? n : own; x->from = k;
      const int r = u->dtype == TINY_BOOL ? tn_arm64_mask(x, s, element) : tn_arm64_value(x, s);
      tn_arm64_put_lanes(x, element, to + at / each, r, at % each, x->lanes);
    }
    x->lanes = x->from = 0;
  }
}
// ** dot products **

// A word, or words, as bytes: of a scalar the first of a vector.
static tn_isa_operand tn_arm64_bytes_of(tn_arm64_select *x, const tiny_uop *u, int held) {
  const int r = tn_arm64_value(x, u), to = u->lanes == 1 ? tn_arm64_new(x, TN_ISA_VEC) : r;
  if (u->lanes == 1) tn_arm64_2(x, TN_ARM64_FMOV, tn_arm64_vec(to, 4, 0, TN_ISA_DEF), tn_arm64_gpr(r, 4, TN_ISA_USE));
  return tn_arm64_vec(to, held, 1, TN_ISA_USE);
}
static void tn_arm64_dot(tn_arm64_select *x, const tiny_uop *u, int to) {
  const int held = u->lanes > 1 && tn_arm64_nbytes(x, u) > 8 ? 16 : 8, scalar = u->lanes == 1;
  const int row = u->k == TINY_DOT_I8 ? TN_ARM64_SDOT : u->k == TINY_DOT_U8 ? TN_ARM64_UDOT : 0;
  const tiny_uop *a = u->src[0], *b = u->src[1];
  if (!row || !tn_arm64_level_has(x->level, row)) { tn_isa_refuse(x->c, "a dot product"); return; }
  if (tn_arm64_is_one_lane(x, a)) { a = b; b = u->src[0]; }
  const int one = tn_arm64_is_one_lane(x, b), sum = scalar ? tn_arm64_new(x, TN_ISA_VEC) : to;
  const tn_isa_operand p = tn_arm64_bytes_of(x, a, held);
  const tn_isa_operand q = one ? tn_arm64_as_lane(x, b->src[0], 4) : tn_arm64_bytes_of(x, b, held);
  const int so_far = tn_arm64_value(x, u->src[2]);
  if (scalar)
    tn_arm64_2(x, TN_ARM64_FMOV, tn_arm64_vec(sum, 4, 0, TN_ISA_DEF), tn_arm64_gpr(so_far, 4, TN_ISA_USE));
  else tn_arm64_copy(x, TN_ISA_VEC, sum, so_far);
  tn_arm64_3(x, row, tn_arm64_vec(sum, held, 4, TN_ISA_BOTH), p, q);
  if (scalar) tn_arm64_2(x, TN_ARM64_FMOV, tn_arm64_gpr(to, 4, TN_ISA_DEF), tn_arm64_vec(sum, 4, 0, TN_ISA_USE));
}

// Part of a vector.
static void tn_arm64_pick(tn_arm64_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  const int element = tn_arm64_element(x, s), each = tn_arm64_each(x, s), splat = tn_arm64_is_splat(s);
  if (u->lanes == 1) {
    const int r = splat ? tn_arm64_value(x, s) : x->reg[s->seq] + (int)u->k / each;
    const tn_isa_operand lane = tn_arm64_lane(r, element, splat ? 0 : (int)u->k % each, TN_ISA_USE);
    if (tn_arm64_class(u) == TN_ISA_VEC) tn_arm64_2(x, TN_ARM64_DUP, tn_arm64_vec(to, element, 0, TN_ISA_DEF), lane);
    else {
      const int sign = element < 4 && tn_is_signed(u->dtype);
      tn_arm64_2(x, sign ? TN_ARM64_SMOV : TN_ARM64_UMOV, tn_arm64_gpr(to, element == 8 ? 8 : 4, TN_ISA_DEF), lane);
      if (u->dtype == TINY_BOOL)
        tn_arm64_3(x, TN_ARM64_AND, tn_arm64_gpr(to, 4, TN_ISA_DEF), tn_arm64_gpr(to, 4, TN_ISA_USE), tn_isa_number(1));
    }
    return;
  }
  const int mine = tn_arm64_each(x, u), n = mine < each ? mine : each;
  for (int i = 0; i < u->lanes; i += n) {
    x->lanes = n; x->from = (int)u->k + i;
    const int r = tn_arm64_value(x, s);
    tn_arm64_put_lanes(x, element, to + i / mine, r, i % mine, n);
  }
  x->lanes = x->from = 0;
}
#endif
