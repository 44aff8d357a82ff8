// wasm_arithmetic: sums, products and divisions, comparisons and choices, conversions, of scalars and of vectors.
//
// In:  a node of an elementwise op. Out: instructions that leave its value on the stack, or the lanes asked for.
// Holds: an integer of less than 32 bits is extended again after what may leave its type. What divides by zero, or the
//        least integer by -1, would trap: lists do not (rules/decompose.c). What vectors have no instruction for goes
//        lane by lane. No sum is fused with a product: there is no such instruction but in "relaxed" form, whose bits
//        are the engine's.
#ifndef TN_ISA_WASM_ARITHMETIC
#define TN_ISA_WASM_ARITHMETIC
#ifndef TINY_AMALGAMATED
#include "wasm_memory.c"
#endif

// Rows of an op by kind: i32 i64 f32 f64, i8x16 i16x8 i32x4 i64x2, f32x4 f64x2; of unsigned integers where those
// differ; 0, a BLOCK: there is none.
typedef struct tn_wasm_op { uint8_t op, is_unsigned; uint16_t rows[TN_WASM_KINDS]; } tn_wasm_op;
#define TN_WASM_ALL(i, f) \
  TN_WASM_I32_##i, TN_WASM_I64_##i, TN_WASM_F32_##f, TN_WASM_F64_##f, TN_WASM_I8X16_##i, TN_WASM_I16X8_##i, \
  TN_WASM_I32X4_##i, TN_WASM_I64X2_##i, TN_WASM_F32X4_##f, TN_WASM_F64X2_##f
#define TN_WASM_BITS(i) TN_WASM_I32_##i, TN_WASM_I64_##i, 0, 0, TN_WASM_##i, TN_WASM_##i, TN_WASM_##i, TN_WASM_##i, 0, 0
#define TN_WASM_INTS(i) \
  TN_WASM_I32_##i, TN_WASM_I64_##i, 0, 0, TN_WASM_I8X16_##i, TN_WASM_I16X8_##i, TN_WASM_I32X4_##i, TN_WASM_I64X2_##i
#define TN_WASM_REALS(f) 0, 0, TN_WASM_F32_##f, TN_WASM_F64_##f, 0, 0, 0, 0, TN_WASM_F32X4_##f, TN_WASM_F64X2_##f
static const tn_wasm_op tn_wasm_ops[] = {
  {TINY_OP_ADD, 0, {TN_WASM_ALL(ADD, ADD)}}, {TINY_OP_SUB, 0, {TN_WASM_ALL(SUB, SUB)}},
  {TINY_OP_MUL, 0, {TN_WASM_I32_MUL, TN_WASM_I64_MUL, TN_WASM_F32_MUL, TN_WASM_F64_MUL, 0, TN_WASM_I16X8_MUL,
    TN_WASM_I32X4_MUL, TN_WASM_I64X2_MUL, TN_WASM_F32X4_MUL, TN_WASM_F64X2_MUL}},
  {TINY_OP_FDIV, 0, {TN_WASM_REALS(DIV)}}, {TINY_OP_SQRT, 0, {TN_WASM_REALS(SQRT)}},
  {TINY_OP_TRUNC, 0, {TN_WASM_REALS(TRUNC)}},
  {TINY_OP_NEG, 0, {0, 0, TN_WASM_F32_NEG, TN_WASM_F64_NEG, TN_WASM_I8X16_NEG, TN_WASM_I16X8_NEG, TN_WASM_I32X4_NEG,
    TN_WASM_I64X2_NEG, TN_WASM_F32X4_NEG, TN_WASM_F64X2_NEG}},
  {TINY_OP_CDIV, 0, {TN_WASM_I32_DIV_S, TN_WASM_I64_DIV_S}}, {TINY_OP_CDIV, 1, {TN_WASM_I32_DIV_U, TN_WASM_I64_DIV_U}},
  {TINY_OP_CMOD, 0, {TN_WASM_I32_REM_S, TN_WASM_I64_REM_S}}, {TINY_OP_CMOD, 1, {TN_WASM_I32_REM_U, TN_WASM_I64_REM_U}},
  {TINY_OP_AND, 0, {TN_WASM_BITS(AND)}}, {TINY_OP_OR, 0, {TN_WASM_BITS(OR)}}, {TINY_OP_XOR, 0, {TN_WASM_BITS(XOR)}},
  {TINY_OP_SHL, 0, {TN_WASM_INTS(SHL)}}, {TINY_OP_SHR, 0, {TN_WASM_INTS(SHR_S)}},
  {TINY_OP_SHR, 1, {TN_WASM_INTS(SHR_U)}},
  {TINY_OP_EQ, 0, {TN_WASM_ALL(EQ, EQ)}}, {TINY_OP_NE, 0, {TN_WASM_ALL(NE, NE)}},
  {TINY_OP_LT, 0, {TN_WASM_ALL(LT_S, LT)}},
  {TINY_OP_LT, 1, {TN_WASM_I32_LT_U, TN_WASM_I64_LT_U, 0, 0, TN_WASM_I8X16_LT_U, TN_WASM_I16X8_LT_U,
    TN_WASM_I32X4_LT_U}}
};
#undef TN_WASM_ALL
#undef TN_WASM_BITS
#undef TN_WASM_INTS
#undef TN_WASM_REALS
static int tn_wasm_row_of(int op, int dtype, int kind) {
  const int is_unsigned = tn_is_unsigned(dtype) || dtype == TINY_BOOL;
  int row = 0;
  for (size_t i = 0; i < sizeof tn_wasm_ops / sizeof *tn_wasm_ops; i++)
    if (tn_wasm_ops[i].op == op && (!tn_wasm_ops[i].is_unsigned || is_unsigned)) row = tn_wasm_ops[i].rows[kind];
  return row;
}

// ** scalars **

static void tn_wasm_extend(tn_wasm_select *x, int dtype) {
  const int nbytes = tn_dtypes[dtype].nbytes;
  if (dtype == TINY_BOOL || nbytes >= 4) return;
  if (tn_is_signed(dtype)) { tn_wasm_do(x, nbytes == 1 ? TN_WASM_I32_EXTEND8 : TN_WASM_I32_EXTEND16); return; }
  tn_wasm_i32(x, nbytes == 1 ? 0xFF : 0xFFFF);
  tn_wasm_do(x, TN_WASM_I32_AND);
}
// Of what is on the stack, integers as their type has them.
static void tn_wasm_apply(tn_wasm_select *x, const tiny_uop *u, int kind) {
  const int row = tn_wasm_row_of(u->op, u->src[0]->dtype, kind), op = u->op;
  if (!row) { tn_wasm_refuse(x, tn_ops[u->op].name); return; }
  tn_wasm_do(x, row);
  const int leaves = op == TINY_OP_ADD || op == TINY_OP_SUB || op == TINY_OP_MUL || op == TINY_OP_SHL;
  if (leaves && kind == TN_WASM_OF_I32) tn_wasm_extend(x, u->dtype);
}
static void tn_wasm_scalar(tn_wasm_select *x, const tiny_uop *u) {
  const int kind = tn_wasm_scalar_kind(u->src[0]->dtype), is_int = kind <= TN_WASM_OF_I64;
  if (u->op == TINY_OP_NEG && is_int) {
    tn_wasm_number(x, kind == TN_WASM_OF_I64 ? TN_WASM_I64_CONST : TN_WASM_I32_CONST, 0);
    tn_wasm_value(x, u->src[0]);
    tn_wasm_do(x, kind == TN_WASM_OF_I64 ? TN_WASM_I64_SUB : TN_WASM_I32_SUB);
    tn_wasm_extend(x, u->dtype);
    return;
  }
  for (uint32_t i = 0; i < u->nsrc; i++) tn_wasm_value(x, u->src[i]);
  if (u->op != TINY_OP_TRUNC || !is_int) tn_wasm_apply(x, u, kind);
}
// What is on the stack becomes another type: floats are cut and saturate, integers wrap.
static void tn_wasm_convert(tn_wasm_select *x, int from, int to) {
  static const uint16_t of_int[2][2][2] = {                  // by float, bytes, sign
    {{TN_WASM_F32_OF_I32_U, TN_WASM_F32_OF_I32_S}, {TN_WASM_F32_OF_I64_U, TN_WASM_F32_OF_I64_S}},
    {{TN_WASM_F64_OF_I32_U, TN_WASM_F64_OF_I32_S}, {TN_WASM_F64_OF_I64_U, TN_WASM_F64_OF_I64_S}}};
  static const uint16_t of_float[2][2][2] = {                // by bytes, float, sign
    {{TN_WASM_I32_OF_F32_U, TN_WASM_I32_OF_F32_S}, {TN_WASM_I32_OF_F64_U, TN_WASM_I32_OF_F64_S}},
    {{TN_WASM_I64_OF_F32_U, TN_WASM_I64_OF_F32_S}, {TN_WASM_I64_OF_F64_U, TN_WASM_I64_OF_F64_S}}};
  const int a = tn_wasm_scalar_kind(from), b = tn_wasm_scalar_kind(to);
  const int from_float = a >= TN_WASM_OF_F32, to_float = b >= TN_WASM_OF_F32;
  const int sign = !tn_is_unsigned(to) || tn_bits(to) < 32;  // narrow ones are cut from an i32
  if (from_float && to_float && a != b) tn_wasm_do(x, b == TN_WASM_OF_F64 ? TN_WASM_F64_PROMOTE : TN_WASM_F32_DEMOTE);
  else if (to_float && !from_float)
    tn_wasm_do(x, of_int[b == TN_WASM_OF_F64][a == TN_WASM_OF_I64][tn_is_signed(from)]);
  else if (from_float && !to_float) tn_wasm_do(x, of_float[b == TN_WASM_OF_I64][a == TN_WASM_OF_F64][sign]);
  else if (a == TN_WASM_OF_I64 && b == TN_WASM_OF_I32) tn_wasm_do(x, TN_WASM_I32_WRAP);
  else if (a == TN_WASM_OF_I32 && b == TN_WASM_OF_I64)
    tn_wasm_do(x, tn_is_signed(from) ? TN_WASM_I64_EXTEND_S : TN_WASM_I64_EXTEND_U);
  if (!to_float && from != to) tn_wasm_extend(x, to);
}

// ** vectors **

// Lane by lane: of divisions, shifts by several numbers, and conversions of 64 bits.
static void tn_wasm_each_lane(tn_wasm_select *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int a = tn_wasm_held(x, s), b = u->nsrc > 1 ? tn_wasm_held(x, u->src[1]) : -1;
  tn_wasm_splat(x, 0, 8);
  for (int i = 0; i < tn_wasm_lanes(x, u); i++) {
    tn_wasm_get(x, a);
    tn_wasm_extract(x, s->dtype, i);
    if (b >= 0) {
      tn_wasm_get(x, b);
      tn_wasm_extract(x, u->src[1]->dtype, i);
      tn_wasm_apply(x, u, tn_wasm_scalar_kind(s->dtype));
    } else tn_wasm_convert(x, s->dtype, u->dtype);
    tn_wasm_insert(x, tn_is_float(u->dtype), tn_dtypes[u->dtype].nbytes, i);
  }
}
static void tn_wasm_shift_lanes(tn_wasm_select *x, const tiny_uop *u) {
  const tiny_uop *by = u->src[1];
  if (by->op != TINY_OP_BROADCAST) { tn_wasm_each_lane(x, u); return; }
  tn_wasm_value(x, u->src[0]);
  if (tn_wasm_is_splat(by)) tn_wasm_i32(x, by->src[0]->k & (8 * tn_wasm_element(x, u) - 1));
  else {                                   // of which any lane is as good
    tn_wasm_value(x, by);
    tn_wasm_extract(x, by->dtype, 0);
    if (tn_bits(by->dtype) == 64) tn_wasm_do(x, TN_WASM_I32_WRAP);
  }
  tn_wasm_apply(x, u, tn_wasm_kind(x, u));
}
// Products of bytes: of the lower and the upper half in 16 bits, of which the low bytes stay.
static void tn_wasm_multiply_bytes(tn_wasm_select *x, const tiny_uop *u) {
  const int a = tn_wasm_held(x, u->src[0]), b = tn_wasm_held(x, u->src[1]);
  uint8_t low[TN_WASM_NBYTES];
  for (int i = 0; i < TN_WASM_NBYTES; i++) low[i] = (uint8_t)(2 * i);
  tn_wasm_get(x, a); tn_wasm_get(x, b);
  tn_wasm_do(x, TN_WASM_MUL_LOW);
  tn_wasm_get(x, a); tn_wasm_get(x, b);
  tn_wasm_do(x, TN_WASM_MUL_HIGH);
  tn_wasm_shuffle(x, low);
}
// Of integers of 64 bits, as signed ones whose first bit is another.
static void tn_wasm_less_unsigned(tn_wasm_select *x, const tiny_uop *u) {
  for (int i = 0; i < 2; i++) {
    tn_wasm_value(x, u->src[i]);
    tn_wasm_splat(x, INT64_MIN, 8);
    tn_wasm_do(x, TN_WASM_XOR);
  }
  tn_wasm_do(x, TN_WASM_I64X2_LT_S);
}
static void tn_wasm_vector(tn_wasm_select *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int is_bool = s->dtype == TINY_BOOL, is_int = !tn_is_float(s->dtype);
  const int kind = is_bool ? tn_wasm_lanes_kind(0, tn_wasm_element(x, u)) : tn_wasm_kind(x, s);
  if (is_bool && tn_op_is(u->op, TINY_CMP) && u->op == TINY_OP_LT) { tn_wasm_refuse(x, "an order of bools"); return; }
  if (u->op == TINY_OP_SHL || u->op == TINY_OP_SHR) { tn_wasm_shift_lanes(x, u); return; }
  if (u->op == TINY_OP_CDIV || u->op == TINY_OP_CMOD) { tn_wasm_each_lane(x, u); return; }
  if (u->op == TINY_OP_MUL && kind == TN_WASM_OF_I8X16) { tn_wasm_multiply_bytes(x, u); return; }
  if (u->op == TINY_OP_LT && s->dtype == TINY_U64) { tn_wasm_less_unsigned(x, u); return; }
  for (uint32_t i = 0; i < u->nsrc; i++)
    if (is_bool) tn_wasm_mask(x, u->src[i], tn_wasm_element(x, u));
    else tn_wasm_value(x, u->src[i]);
  if (u->op != TINY_OP_TRUNC || !is_int) tn_wasm_apply(x, u, kind);
}
// The vector of yes where the condition is true, else of no; a condition of one lane chooses all of them.
static void tn_wasm_where(tn_wasm_select *x, const tiny_uop *u) {
  const tiny_uop *c = u->src[0];
  const int element = tn_wasm_element(x, u), is_bool = tn_wasm_is_vector(u) && u->dtype == TINY_BOOL;
  for (int i = 1; i < 3; i++)
    if (is_bool) tn_wasm_mask(x, u->src[i], element);
    else tn_wasm_value(x, u->src[i]);
  if (c->lanes > 1) tn_wasm_mask(x, c, element);
  else tn_wasm_value(x, c);
  tn_wasm_do(x, c->lanes > 1 ? TN_WASM_BITSELECT : TN_WASM_SELECT);
}

// ** conversions of vectors **

// Bools are 0 or 1.
static void tn_wasm_cast_bools(tn_wasm_select *x, const tiny_uop *u) {
  const int element = tn_wasm_element(x, u);
  tn_wasm_mask(x, u->src[0], element);
  if (!tn_is_float(u->dtype)) { tn_wasm_splat(x, 1, element); tn_wasm_do(x, TN_WASM_AND); return; }
  const float f = 1;
  uint32_t bits;
  memcpy(&bits, &f, 4);
  tn_wasm_splat(x, element == 8 ? tn_from_f64(1) : (int64_t)bits, element);
  tn_wasm_do(x, TN_WASM_AND);
}
static void tn_wasm_cast_lanes(tn_wasm_select *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int from_float = tn_is_float(s->dtype), to_float = tn_is_float(u->dtype), a = tn_wasm_element(x, s);
  const int b = tn_wasm_element(x, u), sign = tn_is_signed(s->dtype);
  if (u->dtype == TINY_BOOL) { tn_wasm_refuse(x, "a cast to bools"); return; }
  if (s->dtype == TINY_BOOL) { tn_wasm_cast_bools(x, u); return; }
  if (from_float != to_float && (from_float ? b : a) == 8) { tn_wasm_each_lane(x, u); return; }
  tn_wasm_value(x, s);
  if (from_float && to_float) {
    if (a != b) tn_wasm_do(x, b == 8 ? TN_WASM_F64X2_PROMOTE : TN_WASM_F32X4_DEMOTE);
  } else if (to_float) {                   // by way of 32 bits
    tn_wasm_resize(x, a, 4, sign);
    tn_wasm_do(x, b == 8 ? (sign ? TN_WASM_F64X2_OF_I32_S : TN_WASM_F64X2_OF_I32_U) :
               sign ? TN_WASM_F32X4_OF_I32_S : TN_WASM_F32X4_OF_I32_U);
  } else if (from_float) {
    const int plain = tn_is_signed(u->dtype) || b < 4;
    tn_wasm_do(x, a == 8 ? (plain ? TN_WASM_I32X4_OF_F64_S : TN_WASM_I32X4_OF_F64_U) :
               plain ? TN_WASM_I32X4_OF_F32_S : TN_WASM_I32X4_OF_F32_U);
    tn_wasm_resize(x, 4, b, 0);
  } else tn_wasm_resize(x, a, b, sign);
}
static void tn_wasm_cast(tn_wasm_select *x, const tiny_uop *u) {
  if (u->lanes > 1) { tn_wasm_cast_lanes(x, u); return; }
  tn_wasm_value(x, u->src[0]);
  tn_wasm_convert(x, u->src[0]->dtype, u->dtype);
}
static void tn_wasm_bitcast(tn_wasm_select *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int from_float = tn_is_float(s->dtype), to_float = tn_is_float(u->dtype), wide = tn_bits(u->dtype) == 64;
  if (s->dtype == TINY_BOOL || u->dtype == TINY_BOOL) { tn_wasm_refuse(x, "a bitcast of bools"); return; }
  tn_wasm_value(x, s);
  if (u->lanes > 1) {                      // bits lie as they lay, whatever the lanes
    if (s->lanes == 1) tn_wasm_splat_of(x, from_float, tn_dtypes[s->dtype].nbytes);
    return;
  }
  if (s->lanes > 1) { tn_wasm_extract(x, u->dtype, 0); return; }
  if (from_float && !to_float) tn_wasm_do(x, wide ? TN_WASM_I64_BITS : TN_WASM_I32_BITS);
  else if (to_float && !from_float) tn_wasm_do(x, wide ? TN_WASM_F64_BITS : TN_WASM_F32_BITS);
  else if (!to_float) tn_wasm_extend(x, u->dtype);
}
#endif
