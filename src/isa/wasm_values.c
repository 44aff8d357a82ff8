// wasm_values: where the values of a list are while WebAssembly is selected: on the stack, in local variables.
//
// In:  a node. Out: instructions that leave its value on the stack, or the lanes of it that are computed now.
// Holds: a scalar integer of 32 bits or less is an i32, narrow ones extended as their type says, a bool 0 or 1. A
//        vector is as many v128 as it needs, whose locals follow each other, the last or only one perhaps in part;
//        what stands above its lanes is anything. Lanes of a vector of bools are 0 or -1, each as wide as `mask` says:
//        as wide as what was compared. A node that is used once, where it may be computed there, has no local: its
//        user computes it (fused). A constant, a splat of one, a lane that is picked are written where they are used.
// Locals are as many as nodes; wasm_locals.c gives those the same that do not live at the same time.
#ifndef TN_ISA_WASM_VALUES
#define TN_ISA_WASM_VALUES
#ifndef TINY_AMALGAMATED
#include "address.c"
#include "wasm.c"
#endif

// Locals: the entry's arguments.
enum { TN_WASM_MEM, TN_WASM_ARGS, TN_WASM_TASK, TN_WASM_GIVEN, TN_WASM_PARAMS };
enum { TN_WASM_ADDRESSES = 32 };
typedef struct tn_wasm_address { const tiny_uop *memory, *at; int element, reg; } tn_wasm_address;

// What an engine has beyond what all of those that are in use have.
typedef struct tn_wasm_level { const char *name; } tn_wasm_level;
static const tn_wasm_level tn_wasm_levels[] = {{"simd128"}};

typedef struct tn_wasm_select {
  tiny_ctx *t; const tiny_listing *k;
  const char *refused;                     // NULL: all of it could be selected
  tn_wasm_ins *ins; int n, cap;
  uint8_t *type; int nlocals, caplocals;   // of locals
  int *reg, *uses;                         // of nodes: the first local, -1: none
  const tiny_uop **user;                   // one of them
  uint8_t *fused, *mask;                   // it is written where it is used; bytes of a lane of bools
  int **element;                           // of REG memory: the first local of each of its elements
  int *outer;                              // of RANGE and IF: how many addresses were known before
  int from, lanes;                         // lanes of vectors that are computed now; lanes 0: all
  int64_t local_at;
  tn_wasm_address address[TN_WASM_ADDRESSES]; int addresses;                 // base + index * element, by local
} tn_wasm_select;

// ** sizes **

static int tn_wasm_is_vector(const tiny_uop *u) { return u->lanes > 1; }
static int tn_wasm_element(const tn_wasm_select *x, const tiny_uop *u) {     // bytes
  return u->dtype != TINY_BOOL ? tn_dtypes[u->dtype].nbytes : u->lanes > 1 ? x->mask[u->seq] : 1;
}
static int tn_wasm_lanes(const tn_wasm_select *x, const tiny_uop *u) {       // that are computed now
  return x->lanes && u->lanes > 1 ? x->lanes : u->lanes;
}
static int tn_wasm_nbytes(const tn_wasm_select *x, const tiny_uop *u) {
  return tn_wasm_lanes(x, u) * tn_wasm_element(x, u);
}
static int tn_wasm_each(const tn_wasm_select *x, const tiny_uop *u) {        // lanes of one of its v128
  const int each = TN_WASM_NBYTES / tn_wasm_element(x, u);
  return each < u->lanes ? each : u->lanes;
}
static int tn_wasm_parts(const tn_wasm_select *x, const tiny_uop *u) {
  return tn_wasm_is_vector(u) ? u->lanes / tn_wasm_each(x, u) : 1;
}
static int tn_wasm_log(int nbytes) { return nbytes == 1 ? 0 : nbytes == 2 ? 1 : nbytes == 4 ? 2 : 3; }

// What instructions tell apart, in the order of their tables.
enum { TN_WASM_OF_I32, TN_WASM_OF_I64, TN_WASM_OF_F32, TN_WASM_OF_F64, TN_WASM_OF_I8X16, TN_WASM_OF_I16X8,
  TN_WASM_OF_I32X4, TN_WASM_OF_I64X2, TN_WASM_OF_F32X4, TN_WASM_OF_F64X2, TN_WASM_KINDS };
static int tn_wasm_scalar_kind(int dtype) {
  if (tn_is_float(dtype)) return dtype == TINY_F64 ? TN_WASM_OF_F64 : TN_WASM_OF_F32;
  return tn_bits(dtype) == 64 ? TN_WASM_OF_I64 : TN_WASM_OF_I32;
}
static int tn_wasm_lanes_kind(int is_float, int element) {
  return is_float ? TN_WASM_OF_F32X4 + (element == 8) : TN_WASM_OF_I8X16 + tn_wasm_log(element);
}
static int tn_wasm_kind(const tn_wasm_select *x, const tiny_uop *u) {
  if (!tn_wasm_is_vector(u)) return tn_wasm_scalar_kind(u->dtype);
  return tn_wasm_lanes_kind(tn_is_float(u->dtype), tn_wasm_element(x, u));
}
static int tn_wasm_type(const tiny_uop *u) {
  static const uint8_t types[4] = {TN_WASM_I32, TN_WASM_I64, TN_WASM_F32, TN_WASM_F64};
  return tn_wasm_is_vector(u) ? (int)TN_WASM_V : types[tn_wasm_scalar_kind(u->dtype)];
}

// ** instructions **

static void tn_wasm_refuse(tn_wasm_select *x, const char *why) { if (!x->refused) x->refused = why; }
static tn_wasm_ins *tn_wasm_add(tn_wasm_select *x, int op) {
  tn_wasm_ins *i = TN_PUSH(x->t, x->ins, x->n, x->cap, tn_wasm_ins);
  memset(i, 0, sizeof *i);
  i->op = (uint16_t)op;
  return i;
}
static void tn_wasm_do(tn_wasm_select *x, int op) { tn_wasm_add(x, op); }
static void tn_wasm_number(tn_wasm_select *x, int op, int64_t number) { tn_wasm_add(x, op)->number = number; }
static void tn_wasm_get(tn_wasm_select *x, int local) { tn_wasm_number(x, TN_WASM_GET, local); }
static void tn_wasm_set(tn_wasm_select *x, int local) { tn_wasm_number(x, TN_WASM_SET, local); }
static void tn_wasm_tee(tn_wasm_select *x, int local) { tn_wasm_number(x, TN_WASM_TEE, local); }
static void tn_wasm_i32(tn_wasm_select *x, int64_t v) { tn_wasm_number(x, TN_WASM_I32_CONST, v); }
static void tn_wasm_lane(tn_wasm_select *x, int op, int lane) { tn_wasm_add(x, op)->lane = (uint8_t)lane; }
static void tn_wasm_access(tn_wasm_select *x, int op, int64_t offset, int align, int lane) {
  tn_wasm_ins *i = tn_wasm_add(x, op);
  i->number = offset; i->lane = (uint8_t)lane;
  i->align = align < tn_wasm_rows[op].log ? (uint8_t)align : tn_wasm_rows[op].log;
}
static void tn_wasm_bytes(tn_wasm_select *x, int op, const uint8_t *bytes) {
  memcpy(tn_wasm_add(x, op)->bytes, bytes, TN_WASM_NBYTES);
}
static int tn_wasm_local(tn_wasm_select *x, int type) {
  *TN_PUSH(x->t, x->type, x->nlocals, x->caplocals, uint8_t) = (uint8_t)type;
  return x->nlocals - 1;
}
static int tn_wasm_local_for(tn_wasm_select *x, const tiny_uop *u) {
  const int first = tn_wasm_local(x, tn_wasm_type(u));
  for (int i = 1; i < tn_wasm_parts(x, u); i++) tn_wasm_local(x, TN_WASM_V);
  return first;
}
// What is on the stack, in a new local.
static int tn_wasm_kept(tn_wasm_select *x, int type) {
  const int local = tn_wasm_local(x, type);
  tn_wasm_set(x, local);
  return local;
}

// ** constants **

static int64_t tn_wasm_bits(const tiny_uop *u) {             // of an element, as it lies in memory
  if (!tn_is_float(u->dtype) || u->dtype == TINY_F64) return u->k;
  const float f = (float)tn_to_f64(u->k);
  uint32_t bits;
  memcpy(&bits, &f, 4);
  return bits;
}
// The same bits in all lanes.
static void tn_wasm_splat(tn_wasm_select *x, int64_t bits, int element) {
  uint8_t bytes[TN_WASM_NBYTES];
  for (int i = 0; i < TN_WASM_NBYTES; i++) bytes[i] = (uint8_t)((uint64_t)bits >> 8 * (i % element));
  tn_wasm_bytes(x, TN_WASM_V128_CONST, bytes);
}
static int tn_wasm_is_splat(const tiny_uop *u) { return u->op == TINY_OP_BROADCAST && u->src[0]->op == TINY_OP_CONST; }
static void tn_wasm_constant(tn_wasm_select *x, const tiny_uop *u) {
  static const uint16_t rows[4] = {TN_WASM_I32_CONST, TN_WASM_I64_CONST, TN_WASM_F32_CONST, TN_WASM_F64_CONST};
  const int kind = tn_wasm_scalar_kind(u->dtype);
  const int64_t bits = tn_wasm_bits(u);
  tn_wasm_number(x, rows[kind], kind == TN_WASM_OF_I32 ? (int64_t)(int32_t)(uint32_t)(uint64_t)bits : bits);
}
static void tn_wasm_zero(tn_wasm_select *x, const tiny_uop *u) {
  static const uint16_t rows[4] = {TN_WASM_I32_CONST, TN_WASM_I64_CONST, TN_WASM_F32_CONST, TN_WASM_F64_CONST};
  if (tn_wasm_is_vector(u)) tn_wasm_splat(x, 0, 8);
  else tn_wasm_number(x, rows[tn_wasm_scalar_kind(u->dtype)], 0);
}

// ** bytes of vectors, that are on the stack **

// Of the two vectors on the stack: bytes whose numbers a function of the place says.
static void tn_wasm_shuffle(tn_wasm_select *x, const uint8_t *bytes) { tn_wasm_bytes(x, TN_WASM_SHUFFLE, bytes); }
// Bytes from `at` on come first.
static void tn_wasm_turn(tn_wasm_select *x, int local, int at) {
  uint8_t bytes[TN_WASM_NBYTES];
  tn_wasm_get(x, local);
  if (!at) return;
  for (int i = 0; i < TN_WASM_NBYTES; i++) bytes[i] = (uint8_t)((i + at) % TN_WASM_NBYTES);
  tn_wasm_get(x, local);
  tn_wasm_shuffle(x, bytes);
}
// The first n bytes of the upper one of the stack become bytes from `at` on of the lower one.
static void tn_wasm_put(tn_wasm_select *x, int at, int n) {
  uint8_t bytes[TN_WASM_NBYTES];
  for (int i = 0; i < TN_WASM_NBYTES; i++)
    bytes[i] = (uint8_t)(i >= at && i < at + n ? TN_WASM_NBYTES + i - at : i);
  tn_wasm_shuffle(x, bytes);
}
// Integers of another size, extended by a sign or zeros, or cut.
static void tn_wasm_resize(tn_wasm_select *x, int from, int to, int sign) {
  static const uint16_t rows[3][2] = {{TN_WASM_I16X8_EXTEND_U, TN_WASM_I16X8_EXTEND_S},
    {TN_WASM_I32X4_EXTEND_U, TN_WASM_I32X4_EXTEND_S}, {TN_WASM_I64X2_EXTEND_U, TN_WASM_I64X2_EXTEND_S}};
  for (; from < to; from *= 2) tn_wasm_do(x, rows[tn_wasm_log(from)][sign != 0]);
  if (from == to) return;
  uint8_t bytes[TN_WASM_NBYTES];
  for (int i = 0; i < TN_WASM_NBYTES; i++) bytes[i] = (uint8_t)((i / to * from + i % to) % TN_WASM_NBYTES);
  const int local = tn_wasm_local(x, TN_WASM_V);
  tn_wasm_tee(x, local);
  tn_wasm_get(x, local);
  tn_wasm_shuffle(x, bytes);
}
// One lane as a scalar of its type.
static void tn_wasm_extract(tn_wasm_select *x, int dtype, int lane) {
  static const uint16_t rows[6] = {TN_WASM_I8X16_GET_U, TN_WASM_I16X8_GET_U, TN_WASM_I32X4_GET, TN_WASM_I64X2_GET,
    TN_WASM_F32X4_GET, TN_WASM_F64X2_GET};
  const int kind = tn_wasm_lanes_kind(tn_is_float(dtype), tn_dtypes[dtype].nbytes) - TN_WASM_OF_I8X16;
  const int sign = tn_is_signed(dtype) && kind < 2;          // the row before it
  tn_wasm_lane(x, rows[kind] - sign, lane);
}
// A scalar becomes a lane of the vector below it.
static void tn_wasm_insert(tn_wasm_select *x, int is_float, int element, int lane) {
  static const uint16_t rows[6] = {TN_WASM_I8X16_PUT, TN_WASM_I16X8_PUT, TN_WASM_I32X4_PUT, TN_WASM_I64X2_PUT,
    TN_WASM_F32X4_PUT, TN_WASM_F64X2_PUT};
  tn_wasm_lane(x, rows[tn_wasm_lanes_kind(is_float, element) - TN_WASM_OF_I8X16], lane);
}
static void tn_wasm_splat_of(tn_wasm_select *x, int is_float, int element) {
  static const uint16_t rows[6] = {TN_WASM_I8X16_SPLAT, TN_WASM_I16X8_SPLAT, TN_WASM_I32X4_SPLAT, TN_WASM_I64X2_SPLAT,
    TN_WASM_F32X4_SPLAT, TN_WASM_F64X2_SPLAT};
  tn_wasm_do(x, rows[tn_wasm_lanes_kind(is_float, element) - TN_WASM_OF_I8X16]);
}

// ** values **

static void tn_wasm_compute(tn_wasm_select *x, const tiny_uop *u);
// Part of a vector: the lane of a scalar, from the local that holds it.
static void tn_wasm_pick_lane(tn_wasm_select *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int each = tn_wasm_each(x, s), element = tn_wasm_element(x, s), lane = (int)u->k % each;
  tn_wasm_get(x, x->reg[s->seq] + (int)u->k / each);
  if (u->dtype != TINY_BOOL) { tn_wasm_extract(x, u->dtype, lane); return; }
  tn_wasm_lane(x, TN_WASM_I8X16_GET_U, lane * element);
  tn_wasm_i32(x, 1);
  tn_wasm_do(x, TN_WASM_I32_AND);
}
// A PICK of one lane, which is written where it is used.
static int tn_wasm_is_picked(const tiny_uop *u) {
  return u->op == TINY_OP_PICK && u->lanes == 1 && !tn_wasm_is_splat(u->src[0]);
}
// Leaves a node's value on the stack, or the lanes of it that are asked for now, as the first.
static void tn_wasm_value(tn_wasm_select *x, const tiny_uop *u) {
  if (u->op == TINY_OP_CONST) { tn_wasm_constant(x, u); return; }
  if (tn_wasm_is_picked(u)) { tn_wasm_pick_lane(x, u); return; }
  if (u->op == TINY_OP_PICK && u->lanes == 1) { tn_wasm_value(x, u->src[0]->src[0]); return; }
  if (tn_wasm_is_splat(u) && x->reg[u->seq] < 0) {           // of which any part is as good
    if (u->dtype == TINY_BOOL) tn_wasm_splat(x, -(int64_t)(u->src[0]->k != 0), 8);
    else tn_wasm_splat(x, tn_wasm_bits(u->src[0]), tn_wasm_element(x, u));
    return;
  }
  if (x->fused[u->seq]) { tn_wasm_compute(x, u); return; }
  const int r = x->reg[u->seq];
  if (r < 0) { tn_wasm_refuse(x, "a value that is nowhere"); return; }
  if (tn_wasm_is_splat(u)) { tn_wasm_get(x, r); return; }
  if (!x->lanes || u->lanes == 1) { tn_wasm_get(x, r); return; }
  const int each = tn_wasm_each(x, u);
  tn_wasm_turn(x, r + x->from / each, x->from % each * tn_wasm_element(x, u));
}
// The local of a value that is read more than once.
static int tn_wasm_held(tn_wasm_select *x, const tiny_uop *u) {
  const int whole = !x->lanes || u->lanes == 1 || (x->from % tn_wasm_each(x, u) == 0);
  if (whole && x->reg[u->seq] >= 0 && !x->fused[u->seq] && u->op != TINY_OP_PICK && !tn_wasm_is_splat(u))
    return x->reg[u->seq] + (x->lanes && u->lanes > 1 ? x->from / tn_wasm_each(x, u) : 0);
  tn_wasm_value(x, u);
  return tn_wasm_kept(x, tn_wasm_type(u));
}
// A vector of bools whose lanes have so many bytes.
static void tn_wasm_mask(tn_wasm_select *x, const tiny_uop *u, int element) {
  tn_wasm_value(x, u);
  if (!tn_wasm_is_splat(u)) tn_wasm_resize(x, x->mask[u->seq], element, 1);
}
// All lanes are the bool that a node is, of whatever size.
static void tn_wasm_lanes_of_bool(tn_wasm_select *x, const tiny_uop *u) {
  tn_wasm_i32(x, 0);
  tn_wasm_value(x, u);
  tn_wasm_do(x, TN_WASM_I32_SUB);
  tn_wasm_do(x, TN_WASM_I32X4_SPLAT);
}
#endif
