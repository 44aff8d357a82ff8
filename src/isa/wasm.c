// wasm: the instructions of WebAssembly with vectors of 128 bits: one table of opcode, text and what follows it; from
// an instruction to bytes, and to a line of text.
//
// In:  instructions. Out: bytes as a function's body has them; lines as LLVM's assembler reads them.
// Holds: there are no registers: instructions take their operands from a stack and leave their value there, or in a
//        local variable. Jumps name how many blocks they leave. A number is as short as LEB128 has it, which is how
//        LLVM writes it, too.
// Source: W3C, WebAssembly Core Specification 2.0, 5.4 Instructions, 5.2.2 Integers (LEB128).
#ifndef TN_ISA_WASM
#define TN_ISA_WASM
#ifndef TINY_AMALGAMATED
#include "../ir/dtype.c"
#endif

// What follows an opcode: nothing; the number of a local or of a block; alignment and offset of memory, the same with
// a lane; a lane; 16 lanes; 16 bytes; a number of 32 or 64 bits, or its bits as a float; the type of a block.
enum {
  TN_WASM_HAS_N, TN_WASM_HAS_INDEX, TN_WASM_HAS_MEM, TN_WASM_HAS_MEM_LANE, TN_WASM_HAS_LANE, TN_WASM_HAS_LANES,
  TN_WASM_HAS_V128, TN_WASM_HAS_I32, TN_WASM_HAS_I64, TN_WASM_HAS_F32, TN_WASM_HAS_F64, TN_WASM_HAS_BLOCK
};
typedef struct tn_wasm_row { const char *name; uint16_t code; uint8_t has, log; } tn_wasm_row;

// id, text, opcode, what follows, log2 of the bytes of an access: the alignment it may claim at most
#define TN_WASM_CONTROL(_) \
  _(BLOCK, "block", 0x02, BLOCK, 0) _(LOOP, "loop", 0x03, BLOCK, 0) _(IF, "if", 0x04, BLOCK, 0) \
  _(ELSE, "else", 0x05, N, 0) _(END, "end", 0x0B, N, 0) _(BR, "br", 0x0C, INDEX, 0) _(BR_IF, "br_if", 0x0D, INDEX, 0) \
  _(SELECT, "select", 0x1B, N, 0) \
  _(GET, "local.get", 0x20, INDEX, 0) _(SET, "local.set", 0x21, INDEX, 0) _(TEE, "local.tee", 0x22, INDEX, 0)
#define TN_WASM_MEMORY(_) \
  _(I32_LOAD, "i32.load", 0x28, MEM, 2) _(I64_LOAD, "i64.load", 0x29, MEM, 3) \
  _(F32_LOAD, "f32.load", 0x2A, MEM, 2) _(F64_LOAD, "f64.load", 0x2B, MEM, 3) \
  _(I32_LOAD8_S, "i32.load8_s", 0x2C, MEM, 0) _(I32_LOAD8_U, "i32.load8_u", 0x2D, MEM, 0) \
  _(I32_LOAD16_S, "i32.load16_s", 0x2E, MEM, 1) _(I32_LOAD16_U, "i32.load16_u", 0x2F, MEM, 1) \
  _(I32_STORE, "i32.store", 0x36, MEM, 2) _(I64_STORE, "i64.store", 0x37, MEM, 3) \
  _(F32_STORE, "f32.store", 0x38, MEM, 2) _(F64_STORE, "f64.store", 0x39, MEM, 3) \
  _(I32_STORE8, "i32.store8", 0x3A, MEM, 0) _(I32_STORE16, "i32.store16", 0x3B, MEM, 1) \
  _(V128_LOAD, "v128.load", 0xFD00, MEM, 4) _(V128_STORE, "v128.store", 0xFD0B, MEM, 4) \
  _(LOAD8_SPLAT, "v128.load8_splat", 0xFD07, MEM, 0) _(LOAD16_SPLAT, "v128.load16_splat", 0xFD08, MEM, 1) \
  _(LOAD32_SPLAT, "v128.load32_splat", 0xFD09, MEM, 2) _(LOAD64_SPLAT, "v128.load64_splat", 0xFD0A, MEM, 3) \
  _(LOAD8_LANE, "v128.load8_lane", 0xFD54, MEM_LANE, 0) _(LOAD16_LANE, "v128.load16_lane", 0xFD55, MEM_LANE, 1) \
  _(LOAD32_LANE, "v128.load32_lane", 0xFD56, MEM_LANE, 2) _(LOAD64_LANE, "v128.load64_lane", 0xFD57, MEM_LANE, 3) \
  _(STORE8_LANE, "v128.store8_lane", 0xFD58, MEM_LANE, 0) _(STORE16_LANE, "v128.store16_lane", 0xFD59, MEM_LANE, 1) \
  _(STORE32_LANE, "v128.store32_lane", 0xFD5A, MEM_LANE, 2) _(STORE64_LANE, "v128.store64_lane", 0xFD5B, MEM_LANE, 3) \
  _(LOAD32_ZERO, "v128.load32_zero", 0xFD5C, MEM, 2) _(LOAD64_ZERO, "v128.load64_zero", 0xFD5D, MEM, 3)
#define TN_WASM_NUMBERS(_) \
  _(I32_CONST, "i32.const", 0x41, I32, 0) _(I64_CONST, "i64.const", 0x42, I64, 0) \
  _(F32_CONST, "f32.const", 0x43, F32, 0) _(F64_CONST, "f64.const", 0x44, F64, 0) \
  _(V128_CONST, "v128.const", 0xFD0C, V128, 0)
// Integers of type t, whose first comparison and first sum have those opcodes.
#define TN_WASM_INTEGER(_, T, t, compare, sum) \
  _(T##_EQ, t ".eq", compare, N, 0) _(T##_NE, t ".ne", compare + 1, N, 0) \
  _(T##_LT_S, t ".lt_s", compare + 2, N, 0) _(T##_LT_U, t ".lt_u", compare + 3, N, 0) \
  _(T##_GE_S, t ".ge_s", compare + 8, N, 0) _(T##_GE_U, t ".ge_u", compare + 9, N, 0) \
  _(T##_ADD, t ".add", sum, N, 0) _(T##_SUB, t ".sub", sum + 1, N, 0) _(T##_MUL, t ".mul", sum + 2, N, 0) \
  _(T##_DIV_S, t ".div_s", sum + 3, N, 0) _(T##_DIV_U, t ".div_u", sum + 4, N, 0) \
  _(T##_REM_S, t ".rem_s", sum + 5, N, 0) _(T##_REM_U, t ".rem_u", sum + 6, N, 0) \
  _(T##_AND, t ".and", sum + 7, N, 0) _(T##_OR, t ".or", sum + 8, N, 0) _(T##_XOR, t ".xor", sum + 9, N, 0) \
  _(T##_SHL, t ".shl", sum + 10, N, 0) _(T##_SHR_S, t ".shr_s", sum + 11, N, 0) _(T##_SHR_U, t ".shr_u", sum + 12, N, 0)
#define TN_WASM_FLOAT(_, T, t, compare, abs) \
  _(T##_EQ, t ".eq", compare, N, 0) _(T##_NE, t ".ne", compare + 1, N, 0) _(T##_LT, t ".lt", compare + 2, N, 0) \
  _(T##_NEG, t ".neg", abs + 1, N, 0) _(T##_TRUNC, t ".trunc", abs + 4, N, 0) _(T##_SQRT, t ".sqrt", abs + 6, N, 0) \
  _(T##_ADD, t ".add", abs + 7, N, 0) _(T##_SUB, t ".sub", abs + 8, N, 0) _(T##_MUL, t ".mul", abs + 9, N, 0) \
  _(T##_DIV, t ".div", abs + 10, N, 0)
#define TN_WASM_SCALARS(_) \
  _(I32_EQZ, "i32.eqz", 0x45, N, 0) \
  TN_WASM_INTEGER(_, I32, "i32", 0x46, 0x6A) TN_WASM_INTEGER(_, I64, "i64", 0x51, 0x7C) \
  TN_WASM_FLOAT(_, F32, "f32", 0x5B, 0x8B) TN_WASM_FLOAT(_, F64, "f64", 0x61, 0x99) \
  _(I32_WRAP, "i32.wrap_i64", 0xA7, N, 0) \
  _(I64_EXTEND_S, "i64.extend_i32_s", 0xAC, N, 0) _(I64_EXTEND_U, "i64.extend_i32_u", 0xAD, N, 0) \
  _(F32_OF_I32_S, "f32.convert_i32_s", 0xB2, N, 0) _(F32_OF_I32_U, "f32.convert_i32_u", 0xB3, N, 0) \
  _(F32_OF_I64_S, "f32.convert_i64_s", 0xB4, N, 0) _(F32_OF_I64_U, "f32.convert_i64_u", 0xB5, N, 0) \
  _(F32_DEMOTE, "f32.demote_f64", 0xB6, N, 0) \
  _(F64_OF_I32_S, "f64.convert_i32_s", 0xB7, N, 0) _(F64_OF_I32_U, "f64.convert_i32_u", 0xB8, N, 0) \
  _(F64_OF_I64_S, "f64.convert_i64_s", 0xB9, N, 0) _(F64_OF_I64_U, "f64.convert_i64_u", 0xBA, N, 0) \
  _(F64_PROMOTE, "f64.promote_f32", 0xBB, N, 0) \
  _(I32_BITS, "i32.reinterpret_f32", 0xBC, N, 0) _(I64_BITS, "i64.reinterpret_f64", 0xBD, N, 0) \
  _(F32_BITS, "f32.reinterpret_i32", 0xBE, N, 0) _(F64_BITS, "f64.reinterpret_i64", 0xBF, N, 0) \
  _(I32_EXTEND8, "i32.extend8_s", 0xC0, N, 0) _(I32_EXTEND16, "i32.extend16_s", 0xC1, N, 0) \
  _(I32_OF_F32_S, "i32.trunc_sat_f32_s", 0xFC00, N, 0) _(I32_OF_F32_U, "i32.trunc_sat_f32_u", 0xFC01, N, 0) \
  _(I32_OF_F64_S, "i32.trunc_sat_f64_s", 0xFC02, N, 0) _(I32_OF_F64_U, "i32.trunc_sat_f64_u", 0xFC03, N, 0) \
  _(I64_OF_F32_S, "i64.trunc_sat_f32_s", 0xFC04, N, 0) _(I64_OF_F32_U, "i64.trunc_sat_f32_u", 0xFC05, N, 0) \
  _(I64_OF_F64_S, "i64.trunc_sat_f64_s", 0xFC06, N, 0) _(I64_OF_F64_U, "i64.trunc_sat_f64_u", 0xFC07, N, 0)
// Lanes of integers, of which neg has that opcode; equality of lanes, and what is less; lanes of floats.
#define TN_WASM_LANES_OF(_, T, t, neg) \
  _(T##_NEG, t ".neg", neg, N, 0) _(T##_BITMASK, t ".bitmask", neg + 3, N, 0) _(T##_SHL, t ".shl", neg + 10, N, 0) \
  _(T##_SHR_S, t ".shr_s", neg + 11, N, 0) _(T##_SHR_U, t ".shr_u", neg + 12, N, 0) \
  _(T##_ADD, t ".add", neg + 13, N, 0) _(T##_SUB, t ".sub", neg + 16, N, 0)
#define TN_WASM_LESS(_, T, t, eq) \
  _(T##_EQ, t ".eq", eq, N, 0) _(T##_NE, t ".ne", eq + 1, N, 0) _(T##_LT_S, t ".lt_s", eq + 2, N, 0) \
  _(T##_LT_U, t ".lt_u", eq + 3, N, 0)
#define TN_WASM_VFLOAT(_, T, t, eq, neg, trunc) \
  _(T##_EQ, t ".eq", eq, N, 0) _(T##_NE, t ".ne", eq + 1, N, 0) _(T##_LT, t ".lt", eq + 2, N, 0) \
  _(T##_NEG, t ".neg", neg, N, 0) _(T##_SQRT, t ".sqrt", neg + 2, N, 0) _(T##_ADD, t ".add", neg + 3, N, 0) \
  _(T##_SUB, t ".sub", neg + 4, N, 0) _(T##_MUL, t ".mul", neg + 5, N, 0) _(T##_DIV, t ".div", neg + 6, N, 0) \
  _(T##_TRUNC, t ".trunc", trunc, N, 0)
#define TN_WASM_VECTORS(_) \
  _(SHUFFLE, "i8x16.shuffle", 0xFD0D, LANES, 0) \
  _(I8X16_SPLAT, "i8x16.splat", 0xFD0F, N, 0) _(I16X8_SPLAT, "i16x8.splat", 0xFD10, N, 0) \
  _(I32X4_SPLAT, "i32x4.splat", 0xFD11, N, 0) _(I64X2_SPLAT, "i64x2.splat", 0xFD12, N, 0) \
  _(F32X4_SPLAT, "f32x4.splat", 0xFD13, N, 0) _(F64X2_SPLAT, "f64x2.splat", 0xFD14, N, 0) \
  _(I8X16_GET_S, "i8x16.extract_lane_s", 0xFD15, LANE, 0) _(I8X16_GET_U, "i8x16.extract_lane_u", 0xFD16, LANE, 0) \
  _(I8X16_PUT, "i8x16.replace_lane", 0xFD17, LANE, 0) _(I16X8_GET_S, "i16x8.extract_lane_s", 0xFD18, LANE, 0) \
  _(I16X8_GET_U, "i16x8.extract_lane_u", 0xFD19, LANE, 0) _(I16X8_PUT, "i16x8.replace_lane", 0xFD1A, LANE, 0) \
  _(I32X4_GET, "i32x4.extract_lane", 0xFD1B, LANE, 0) _(I32X4_PUT, "i32x4.replace_lane", 0xFD1C, LANE, 0) \
  _(I64X2_GET, "i64x2.extract_lane", 0xFD1D, LANE, 0) _(I64X2_PUT, "i64x2.replace_lane", 0xFD1E, LANE, 0) \
  _(F32X4_GET, "f32x4.extract_lane", 0xFD1F, LANE, 0) _(F32X4_PUT, "f32x4.replace_lane", 0xFD20, LANE, 0) \
  _(F64X2_GET, "f64x2.extract_lane", 0xFD21, LANE, 0) _(F64X2_PUT, "f64x2.replace_lane", 0xFD22, LANE, 0) \
  TN_WASM_LESS(_, I8X16, "i8x16", 0xFD23) TN_WASM_LESS(_, I16X8, "i16x8", 0xFD2D) \
  TN_WASM_LESS(_, I32X4, "i32x4", 0xFD37) _(I64X2_EQ, "i64x2.eq", 0xFDD6, N, 0) _(I64X2_NE, "i64x2.ne", 0xFDD7, N, 0) \
  _(I64X2_LT_S, "i64x2.lt_s", 0xFDD8, N, 0) \
  _(NOT, "v128.not", 0xFD4D, N, 0) _(AND, "v128.and", 0xFD4E, N, 0) _(ANDNOT, "v128.andnot", 0xFD4F, N, 0) \
  _(OR, "v128.or", 0xFD50, N, 0) _(XOR, "v128.xor", 0xFD51, N, 0) _(BITSELECT, "v128.bitselect", 0xFD52, N, 0) \
  TN_WASM_LANES_OF(_, I8X16, "i8x16", 0xFD61) TN_WASM_LANES_OF(_, I16X8, "i16x8", 0xFD81) \
  TN_WASM_LANES_OF(_, I32X4, "i32x4", 0xFDA1) TN_WASM_LANES_OF(_, I64X2, "i64x2", 0xFDC1) \
  _(I16X8_MUL, "i16x8.mul", 0xFD95, N, 0) _(I32X4_MUL, "i32x4.mul", 0xFDB5, N, 0) \
  _(I64X2_MUL, "i64x2.mul", 0xFDD5, N, 0) \
  _(MUL_LOW, "i16x8.extmul_low_i8x16_u", 0xFD9E, N, 0) _(MUL_HIGH, "i16x8.extmul_high_i8x16_u", 0xFD9F, N, 0) \
  _(I16X8_EXTEND_S, "i16x8.extend_low_i8x16_s", 0xFD87, N, 0) \
  _(I16X8_EXTEND_U, "i16x8.extend_low_i8x16_u", 0xFD89, N, 0) \
  _(I32X4_EXTEND_S, "i32x4.extend_low_i16x8_s", 0xFDA7, N, 0) \
  _(I32X4_EXTEND_U, "i32x4.extend_low_i16x8_u", 0xFDA9, N, 0) \
  _(I64X2_EXTEND_S, "i64x2.extend_low_i32x4_s", 0xFDC7, N, 0) \
  _(I64X2_EXTEND_U, "i64x2.extend_low_i32x4_u", 0xFDC9, N, 0) \
  TN_WASM_VFLOAT(_, F32X4, "f32x4", 0xFD41, 0xFDE1, 0xFD69) TN_WASM_VFLOAT(_, F64X2, "f64x2", 0xFD47, 0xFDED, 0xFD7A) \
  _(F32X4_DEMOTE, "f32x4.demote_f64x2_zero", 0xFD5E, N, 0) _(F64X2_PROMOTE, "f64x2.promote_low_f32x4", 0xFD5F, N, 0) \
  _(I32X4_OF_F32_S, "i32x4.trunc_sat_f32x4_s", 0xFDF8, N, 0) \
  _(I32X4_OF_F32_U, "i32x4.trunc_sat_f32x4_u", 0xFDF9, N, 0) \
  _(F32X4_OF_I32_S, "f32x4.convert_i32x4_s", 0xFDFA, N, 0) _(F32X4_OF_I32_U, "f32x4.convert_i32x4_u", 0xFDFB, N, 0) \
  _(I32X4_OF_F64_S, "i32x4.trunc_sat_f64x2_s_zero", 0xFDFC, N, 0) \
  _(I32X4_OF_F64_U, "i32x4.trunc_sat_f64x2_u_zero", 0xFDFD, N, 0) \
  _(F64X2_OF_I32_S, "f64x2.convert_low_i32x4_s", 0xFDFE, N, 0) \
  _(F64X2_OF_I32_U, "f64x2.convert_low_i32x4_u", 0xFDFF, N, 0)
#define TN_WASM_TABLE(_) \
  TN_WASM_CONTROL(_) TN_WASM_MEMORY(_) TN_WASM_NUMBERS(_) TN_WASM_SCALARS(_) TN_WASM_VECTORS(_)

// TN_WASM_BLOCK ..: a row each.
enum {
#define TN_WASM_ENUM(id, ...) TN_WASM_##id,
  TN_WASM_TABLE(TN_WASM_ENUM)
#undef TN_WASM_ENUM
  TN_WASM_COUNT
};
static const tn_wasm_row tn_wasm_rows[TN_WASM_COUNT] = {
#define TN_WASM_ROW(id, name, code, has, log) {name, code, TN_WASM_HAS_##has, log},
  TN_WASM_TABLE(TN_WASM_ROW)
#undef TN_WASM_ROW
};

// Types of values, as a block's type or a local's says them (5.3.1, 5.4.1).
enum { TN_WASM_I32 = 0x7F, TN_WASM_I64 = 0x7E, TN_WASM_F32 = 0x7D, TN_WASM_F64 = 0x7C, TN_WASM_V = 0x7B,
  TN_WASM_VOID = 0x40 };
enum { TN_WASM_NBYTES = 16 };              // of a vector

// number: what follows the opcode, floats by their bits; of memory the offset; of a block its type
typedef struct tn_wasm_ins {
  uint16_t op; uint8_t lane, align, bytes[TN_WASM_NBYTES];
  int64_t number;
} tn_wasm_ins;

// ** numbers **

static void tn_wasm_put_byte(tiny_bytes *out, int v) {
  const uint8_t byte = (uint8_t)v;
  tiny_bytes_add(out, &byte, 1);
}
static void tn_wasm_put_unsigned(tiny_bytes *out, uint64_t v) {
  for (; v >> 7; v >>= 7) tn_wasm_put_byte(out, (int)(v & 127) | 128);
  tn_wasm_put_byte(out, (int)v);
}
static void tn_wasm_put_signed(tiny_bytes *out, int64_t v) {
  while (v < -64 || v > 63) {
    tn_wasm_put_byte(out, (int)((uint64_t)v & 127) | 128);
    v = v < 0 ? ~(int64_t)(~(uint64_t)v >> 7) : v >> 7;
  }
  tn_wasm_put_byte(out, (int)((uint64_t)v & 127));
}
static void tn_wasm_put_word(tiny_bytes *out, uint64_t v, int nbytes) {
  for (int i = 0; i < nbytes; i++) tn_wasm_put_byte(out, (int)(v >> 8 * i & 255));
}

// ** instructions **

static void tn_wasm_encode(tiny_bytes *out, const tn_wasm_ins *ins) {
  const tn_wasm_row *r = &tn_wasm_rows[ins->op];
  if (r->code >> 8) { tn_wasm_put_byte(out, r->code >> 8); tn_wasm_put_unsigned(out, r->code & 255); }
  else tn_wasm_put_byte(out, r->code);
  switch (r->has) {
    case TN_WASM_HAS_INDEX: tn_wasm_put_unsigned(out, (uint64_t)ins->number); return;
    case TN_WASM_HAS_MEM: case TN_WASM_HAS_MEM_LANE:
      tn_wasm_put_unsigned(out, ins->align);
      tn_wasm_put_unsigned(out, (uint64_t)ins->number);
      if (r->has == TN_WASM_HAS_MEM_LANE) tn_wasm_put_byte(out, ins->lane);
      return;
    case TN_WASM_HAS_LANE: tn_wasm_put_byte(out, ins->lane); return;
    case TN_WASM_HAS_LANES: case TN_WASM_HAS_V128: tiny_bytes_add(out, ins->bytes, sizeof ins->bytes); return;
    case TN_WASM_HAS_I32: case TN_WASM_HAS_I64: tn_wasm_put_signed(out, ins->number); return;
    case TN_WASM_HAS_F32: tn_wasm_put_word(out, (uint64_t)ins->number, 4); return;
    case TN_WASM_HAS_F64: tn_wasm_put_word(out, (uint64_t)ins->number, 8); return;
    case TN_WASM_HAS_BLOCK: tn_wasm_put_byte(out, (int)ins->number); return;
    default: return;
  }
}

// ** text **

static const char *tn_wasm_type_name(int type) {
  switch (type) {
    case TN_WASM_I32: return "i32"; case TN_WASM_I64: return "i64"; case TN_WASM_F32: return "f32";
    case TN_WASM_F64: return "f64"; case TN_WASM_V: return "v128"; default: return "";
  }
}
static void tn_wasm_print_float(tiny_bytes *out, double v) {
  if (v != v) tn_text_put(out, "nan");
  else if (fabs(v) == HUGE_VAL) tn_text_put(out, v < 0 ? "-infinity" : "infinity");
  else tn_text_add(out, "%a", v);
}
static void tn_wasm_print(tiny_bytes *out, const tn_wasm_ins *ins) {
  const tn_wasm_row *r = &tn_wasm_rows[ins->op];
  tn_text_put(out, r->name);
  switch (r->has) {
    case TN_WASM_HAS_MEM: case TN_WASM_HAS_MEM_LANE:
      tn_text_add(out, " %lld:p2align=%d", (long long)ins->number, ins->align);
      if (r->has == TN_WASM_HAS_MEM_LANE) tn_text_add(out, ", %d", ins->lane);
      return;
    case TN_WASM_HAS_LANE: tn_text_add(out, " %d", ins->lane); return;
    case TN_WASM_HAS_LANES: case TN_WASM_HAS_V128:
      for (int i = 0; i < TN_WASM_NBYTES; i++) tn_text_add(out, i ? ", %d" : " %d", ins->bytes[i]);
      return;
    case TN_WASM_HAS_INDEX: case TN_WASM_HAS_I32: case TN_WASM_HAS_I64:
      tn_text_add(out, " %lld", (long long)ins->number);
      return;
    case TN_WASM_HAS_F32: case TN_WASM_HAS_F64: {
      const uint32_t bits = (uint32_t)ins->number;
      float f;
      memcpy(&f, &bits, 4);
      tn_text_put(out, " ");
      tn_wasm_print_float(out, r->has == TN_WASM_HAS_F32 ? (double)f : tn_to_f64(ins->number));
      return;
    }
    case TN_WASM_HAS_BLOCK:
      if (ins->number != TN_WASM_VOID) tn_text_add(out, " %s", tn_wasm_type_name((int)ins->number));
      return;
    default: return;
  }
}
#endif
