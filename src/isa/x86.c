// x86: the instructions of x86-64 that kernels are made of, as one table: name, operands, encoding, features.
//
// In:  nothing. Out: tn_x86_rows, from which x86_encode.c makes bytes and x86_text.c text, and instructions of bytes.
// Rows of one name stand together, and the first that takes the operands is taken: short forms come first. Operands
// stand in Intel's order, the result first, two letters each, as in Intel SDM vol. 2, appendix A.2: where,
// and how wide.
//   G reg field       E r/m field: register or memory   R r/m: register   M r/m: memory   B VEX.vvvv
//   V vector in reg   W vector or memory in r/m         U vector in r/m   H vector in vvvv   L vector in imm8[7:4]
//   P mask in reg     Q mask or memory in r/m           N mask in r/m     T mask in vvvv   X memory by lanes (VSIB)
//   A tile in reg      C tile in r/m          D tile in vvvv     Y memory of rows, by SIB: the index is their stride
//   Z in the opcode   a al, ax, eax, rax   c cl   y xmm0   I immediate   J relative to the end
//   b w d q: 1 2 4 8 bytes   v: 2, 4, 8, the instruction's width   z: 2, 4; of an immediate 4 at most   y: 4, 8
//   x h f e: all of the vector's length, half, a quarter, an eighth   o: 16   k l: register of 4, memory of 1, of 2
//   n: any   u: a byte, 0 to 255   1: the number 1
// Sources: Intel SDM vol. 2 (325383-081); AVX10 and BF16 as there. What is taken where several encodings would do is
// what LLVM's assembler takes: tests/test_x86.c compares all of it.
#ifndef TN_ISA_X86
#define TN_ISA_X86
#ifndef TINY_AMALGAMATED
#include "../base/text.c"
#endif

// The bits of a row's form, a field for each column.
enum {
  TN_X86_PP_NP = 0, TN_X86_PP_66 = 1, TN_X86_PP_F3 = 2, TN_X86_PP_F2 = 3,
  TN_X86_MAP_1 = 0, TN_X86_MAP_0F = 1 << 2, TN_X86_MAP_38 = 2 << 2, TN_X86_MAP_3A = 3 << 2,
  TN_X86_EXT_R = 0, TN_X86_EXT_0 = 8 << 5, TN_X86_EXT_1 = 9 << 5, TN_X86_EXT_2 = 10 << 5, TN_X86_EXT_3 = 11 << 5,
  TN_X86_EXT_4 = 12 << 5, TN_X86_EXT_5 = 13 << 5, TN_X86_EXT_6 = 14 << 5, TN_X86_EXT_7 = 15 << 5,    // /digit
  TN_X86_SPACE_L = 1 << 9, TN_X86_SPACE_V = 2 << 9, TN_X86_SPACE_E = 4 << 9, TN_X86_SPACE_VE = 6 << 9,
  TN_X86_LEN_N = 0, TN_X86_LEN_X = 1 << 12, TN_X86_LEN_Y = 2 << 12, TN_X86_LEN_Z = 4 << 12, TN_X86_LEN_XY = 3 << 12,
  TN_X86_LEN_YZ = 6 << 12, TN_X86_LEN_XYZ = 7 << 12,
  TN_X86_W_0 = 0, TN_X86_W_1 = 1 << 15, TN_X86_W_E1 = 2 << 15,               // E1: of EVEX alone
  TN_X86_B_N = 0, TN_X86_B_4 = 1 << 17, TN_X86_B_8 = 2 << 17,                // elements: broadcast, or of lanes (VSIB)
  TN_X86_K_N = 0, TN_X86_K_M = 1 << 19, TN_X86_K_Z = 2 << 19, TN_X86_K_R = 3 << 19,    // merged; or zeros; required
  TN_X86_R_N = 0, TN_X86_R_ER = 1 << 21, TN_X86_R_SAE = 2 << 21,
  TN_X86_S_N = 0, TN_X86_S_REV = 1 << 23                                     // the next row has operands the other way
};
#define TN_X86_PP(f) ((f) & 3)
#define TN_X86_MAP(f) ((f) >> 2 & 7)
#define TN_X86_EXT(f) ((f) >> 5 & 15)      // 0: none, else 8 + digit
#define TN_X86_LENS(f) ((f) >> 12 & 7)
#define TN_X86_W(f) ((f) >> 15 & 3)
#define TN_X86_ELEMENT(f) (((f) >> 17 & 3) * 4)
#define TN_X86_K(f) ((f) >> 19 & 3)
#define TN_X86_ROUND(f) ((f) >> 21 & 3)
#define TN_X86_REVERSES(f) ((f) >> 23 & 1)

// What the processor has; N: all that are x86-64. A 512-bit row's lesser widths also want AVX-512VL.
enum {
  TN_X86_HAS_N, TN_X86_HAS_SSSE3, TN_X86_HAS_SSE41, TN_X86_HAS_SSE42, TN_X86_HAS_POPCNT, TN_X86_HAS_LZCNT,
  TN_X86_HAS_BMI1, TN_X86_HAS_BMI2, TN_X86_HAS_AVX, TN_X86_HAS_AVX2, TN_X86_HAS_FMA, TN_X86_HAS_F16C,
  TN_X86_HAS_AVXVNNI, TN_X86_HAS_F, TN_X86_HAS_BW, TN_X86_HAS_DQ, TN_X86_HAS_VL, TN_X86_HAS_VNNI, TN_X86_HAS_BF16,
  TN_X86_HAS_VBMI, TN_X86_HAS_AMX            // tiles, with BF16 and INT8
};

typedef struct tn_x86_row {
  // has: of the legacy or VEX form. In this order a row has no gaps: the table is a large part of small builds.
  const char *name; uint32_t form; char operands[9]; uint8_t opcode, has, has_evex;
} tn_x86_row;

// ** columns: id, name, operands, prefix, map, opcode, /digit, encoding, lengths, W, broadcast, mask, rounding, swap,
//    feature, EVEX's feature **

// One of the legacy encoding; the same of 64 bits.
#define TN_X86_L(_, id, name, ops, pp, map, op, ext) _(id, name, ops, pp, map, op, ext, L, N, 0, N, N, N, N, N, N)
#define TN_X86_Q(_, id, name, ops, pp, map, op, ext) _(id, name, ops, pp, map, op, ext, L, N, 1, N, N, N, N, N, N)
#define TN_X86_ALU(_, id, name, n) \
  TN_X86_L(_, id,     name, "EvGv", NP, 1, 8 * n + 1, R) TN_X86_L(_, id##_2, name, "GvEv", NP, 1, 8 * n + 3, R) \
  TN_X86_L(_, id##_3, name, "EvIb", NP, 1, 0x83, n)      TN_X86_L(_, id##_4, name, "avIz", NP, 1, 8 * n + 5, R) \
  TN_X86_L(_, id##_5, name, "EvIz", NP, 1, 0x81, n)      TN_X86_L(_, id##_6, name, "EbGb", NP, 1, 8 * n, R) \
  TN_X86_L(_, id##_7, name, "GbEb", NP, 1, 8 * n + 2, R) TN_X86_L(_, id##_8, name, "abIb", NP, 1, 8 * n + 4, R) \
  TN_X86_L(_, id##_9, name, "EbIb", NP, 1, 0x80, n)
#define TN_X86_SHIFT(_, id, name, n) \
  TN_X86_L(_, id,     name, "EvI1", NP, 1, 0xD1, n) TN_X86_L(_, id##_2, name, "EvIu", NP, 1, 0xC1, n) \
  TN_X86_L(_, id##_3, name, "Evcb", NP, 1, 0xD3, n) TN_X86_L(_, id##_4, name, "EbI1", NP, 1, 0xD0, n) \
  TN_X86_L(_, id##_5, name, "EbIu", NP, 1, 0xC0, n) TN_X86_L(_, id##_6, name, "Ebcb", NP, 1, 0xD2, n)
#define TN_X86_UNARY(_, id, name, n) \
  TN_X86_L(_, id, name, "Ev", NP, 1, 0xF7, n) TN_X86_L(_, id##_2, name, "Eb", NP, 1, 0xF6, n)
#define TN_X86_CC(_, c, name, n) \
  TN_X86_L(_, J##c,    "j" name,   "Jb",   NP, 1,  0x70 + n, R) \
  TN_X86_L(_, J##c##_2, "j" name, "Jz", NP, 0F, 0x80 + n, R) \
  TN_X86_L(_, SET##c,  "set" name, "Eb",   NP, 0F, 0x90 + n, 0) \
  TN_X86_L(_, CMOV##c, "cmov" name, "GvEv", NP, 0F, 0x40 + n, R)
#define TN_X86_B(_, id, name, ops, pp, map, op, has) _(id, name, ops, pp, map, op, R, V, X, 0, N, N, N, N, has, N)

#define TN_X86_INTEGERS(_) \
  TN_X86_L(_, MOV,    "mov", "EvGv", NP, 1, 0x89, R) TN_X86_L(_, MOV_2, "mov", "GvEv", NP, 1, 0x8B, R) \
  TN_X86_L(_, MOV_3,  "mov", "ZzIz", NP, 1, 0xB8, R) TN_X86_L(_, MOV_4, "mov", "EvIz", NP, 1, 0xC7, 0) \
  TN_X86_Q(_, MOV_5,  "mov", "ZqIq", NP, 1, 0xB8, R) TN_X86_L(_, MOV_6, "mov", "EbGb", NP, 1, 0x88, R) \
  TN_X86_L(_, MOV_7,  "mov", "GbEb", NP, 1, 0x8A, R) TN_X86_L(_, MOV_8, "mov", "ZbIb", NP, 1, 0xB0, R) \
  TN_X86_L(_, MOV_9,  "mov", "EbIb", NP, 1, 0xC6, 0) \
  TN_X86_ALU(_, ADD, "add", 0) TN_X86_ALU(_, OR,  "or",  1) TN_X86_ALU(_, ADC, "adc", 2) TN_X86_ALU(_, SBB, "sbb", 3) \
  TN_X86_ALU(_, AND, "and", 4) TN_X86_ALU(_, SUB, "sub", 5) TN_X86_ALU(_, XOR, "xor", 6) TN_X86_ALU(_, CMP, "cmp", 7) \
  TN_X86_SHIFT(_, ROL, "rol", 0) TN_X86_SHIFT(_, ROR, "ror", 1) TN_X86_SHIFT(_, SHL, "shl", 4) \
  TN_X86_SHIFT(_, SHR, "shr", 5) TN_X86_SHIFT(_, SAR, "sar", 7) \
  TN_X86_L(_, TEST,   "test", "EvGv", NP, 1, 0x85, R) TN_X86_L(_, TEST_2, "test", "avIz", NP, 1, 0xA9, R) \
  TN_X86_L(_, TEST_3, "test", "EvIz", NP, 1, 0xF7, 0) TN_X86_L(_, TEST_4, "test", "EbGb", NP, 1, 0x84, R) \
  TN_X86_L(_, TEST_5, "test", "abIb", NP, 1, 0xA8, R) TN_X86_L(_, TEST_6, "test", "EbIb", NP, 1, 0xF6, 0) \
  TN_X86_UNARY(_, NOT, "not", 2) TN_X86_UNARY(_, NEG, "neg", 3) TN_X86_UNARY(_, MUL, "mul", 4) \
  TN_X86_L(_, IMUL,   "imul", "GvEv",   NP, 0F, 0xAF, R) TN_X86_L(_, IMUL_2, "imul", "GvEvIb", NP, 1, 0x6B, R) \
  TN_X86_L(_, IMUL_3, "imul", "GvEvIz", NP, 1,  0x69, R) TN_X86_L(_, IMUL_4, "imul", "Ev",     NP, 1, 0xF7, 5) \
  TN_X86_L(_, IMUL_5, "imul", "Eb",     NP, 1,  0xF6, 5) \
  TN_X86_UNARY(_, DIV, "div", 6) TN_X86_UNARY(_, IDIV, "idiv", 7) \
  TN_X86_L(_, INC, "inc", "Ev", NP, 1, 0xFF, 0) TN_X86_L(_, INC_2, "inc", "Eb", NP, 1, 0xFE, 0) \
  TN_X86_L(_, DEC, "dec", "Ev", NP, 1, 0xFF, 1) TN_X86_L(_, DEC_2, "dec", "Eb", NP, 1, 0xFE, 1) \
  TN_X86_L(_, LEA, "lea", "GvMn", NP, 1, 0x8D, R) \
  TN_X86_L(_, MOVZX, "movzx", "GvEb", NP, 0F, 0xB6, R) TN_X86_L(_, MOVZX_2, "movzx", "GyEw", NP, 0F, 0xB7, R) \
  TN_X86_L(_, MOVSX, "movsx", "GvEb", NP, 0F, 0xBE, R) TN_X86_L(_, MOVSX_2, "movsx", "GyEw", NP, 0F, 0xBF, R) \
  TN_X86_Q(_, MOVSXD, "movsxd", "GqEd", NP, 1, 0x63, R) \
  TN_X86_L(_, CWDE, "cwde", "", NP, 1, 0x98, R) TN_X86_Q(_, CDQE, "cdqe", "", NP, 1, 0x98, R) \
  TN_X86_L(_, CDQ,  "cdq",  "", NP, 1, 0x99, R) TN_X86_Q(_, CQO,  "cqo",  "", NP, 1, 0x99, R) \
  TN_X86_L(_, PUSH, "push", "Zq", NP, 1, 0x50, R) TN_X86_L(_, POP, "pop", "Zq", NP, 1, 0x58, R) \
  TN_X86_L(_, CALL, "call", "Jz", NP, 1, 0xE8, R) TN_X86_L(_, CALL_2, "call", "Eq", NP, 1, 0xFF, 2) \
  TN_X86_L(_, JMP,  "jmp", "Jb", NP, 1, 0xEB, R) TN_X86_L(_, JMP_2, "jmp", "Jz", NP, 1, 0xE9, R) \
  TN_X86_L(_, JMP_3, "jmp", "Eq", NP, 1, 0xFF, 4) \
  TN_X86_L(_, RET,  "ret", "", NP, 1, 0xC3, R) TN_X86_L(_, NOP, "nop", "", NP, 1, 0x90, R) \
  TN_X86_L(_, INT3, "int3", "", NP, 1, 0xCC, R) TN_X86_L(_, UD2, "ud2", "", NP, 0F, 0x0B, R) \
  TN_X86_CC(_, O, "o", 0) TN_X86_CC(_, NO, "no", 1) TN_X86_CC(_, B, "b", 2) TN_X86_CC(_, AE, "ae", 3) \
  TN_X86_CC(_, E, "e", 4) TN_X86_CC(_, NE, "ne", 5) TN_X86_CC(_, BE, "be", 6) TN_X86_CC(_, A, "a", 7) \
  TN_X86_CC(_, S, "s", 8) TN_X86_CC(_, NS, "ns", 9) TN_X86_CC(_, P, "p", 10) TN_X86_CC(_, NP, "np", 11) \
  TN_X86_CC(_, L, "l", 12) TN_X86_CC(_, GE, "ge", 13) TN_X86_CC(_, LE, "le", 14) TN_X86_CC(_, G, "g", 15) \
  TN_X86_L(_, PREFETCHNTA, "prefetchnta", "Mb", NP, 0F, 0x18, 0) \
  TN_X86_L(_, PREFETCHT0, "prefetcht0", "Mb", NP, 0F, 0x18, 1) \
  TN_X86_L(_, PREFETCHT1, "prefetcht1", "Mb", NP, 0F, 0x18, 2) \
  TN_X86_L(_, PREFETCHT2, "prefetcht2", "Mb", NP, 0F, 0x18, 3) \
  TN_X86_L(_, MOVNTI, "movnti", "MyGy", NP, 0F, 0xC3, R) \
  _(POPCNT, "popcnt", "GvEv", F3, 0F, 0xB8, R, L, N, 0, N, N, N, N, POPCNT, N) \
  _(TZCNT,  "tzcnt",  "GvEv", F3, 0F, 0xBC, R, L, N, 0, N, N, N, N, BMI1, N) \
  _(LZCNT,  "lzcnt",  "GvEv", F3, 0F, 0xBD, R, L, N, 0, N, N, N, N, LZCNT, N) \
  TN_X86_B(_, ANDN, "andn", "GyByEy", NP, 38, 0xF2, BMI1) TN_X86_B(_, BEXTR, "bextr", "GyEyBy", NP, 38, 0xF7, BMI1) \
  TN_X86_B(_, BZHI, "bzhi", "GyEyBy", NP, 38, 0xF5, BMI2) TN_X86_B(_, SHLX,  "shlx",  "GyEyBy", 66, 38, 0xF7, BMI2) \
  TN_X86_B(_, SARX, "sarx", "GyEyBy", F3, 38, 0xF7, BMI2) TN_X86_B(_, SHRX,  "shrx",  "GyEyBy", F2, 38, 0xF7, BMI2) \
  TN_X86_B(_, MULX, "mulx", "GyByEy", F2, 38, 0xF6, BMI2) TN_X86_B(_, PDEP,  "pdep",  "GyByEy", F2, 38, 0xF5, BMI2) \
  TN_X86_B(_, PEXT, "pext", "GyByEy", F3, 38, 0xF5, BMI2) TN_X86_B(_, RORX,  "rorx",  "GyEyIu", F2, 3A, 0xF0, BMI2)

// ** floats **

// Of two sources: packed and scalar, of f32 and f64, as SSE2 has them and as AVX has them.
#define TN_X86_FLOAT(_, id, name, op, r) \
  TN_X86_L(_, id##PS, name "ps", "VoWo", NP, 0F, op, R) TN_X86_L(_, id##PD, name "pd", "VoWo", 66, 0F, op, R) \
  TN_X86_L(_, id##SS, name "ss", "VoWd", F3, 0F, op, R) TN_X86_L(_, id##SD, name "sd", "VoWq", F2, 0F, op, R) \
  _(V##id##PS, "v" name "ps", "VxHxWx", NP, 0F, op, R, VE, XYZ, 0,  4, Z, r, N, AVX, F) \
  _(V##id##PD, "v" name "pd", "VxHxWx", 66, 0F, op, R, VE, XYZ, E1, 8, Z, r, N, AVX, F) \
  _(V##id##SS, "v" name "ss", "VoHoWd", F3, 0F, op, R, VE, X,   0,  N, Z, r, N, AVX, F) \
  _(V##id##SD, "v" name "sd", "VoHoWq", F2, 0F, op, R, VE, X,   E1, N, Z, r, N, AVX, F)
#define TN_X86_LOGIC(_, id, name, op) \
  TN_X86_L(_, id##PS, name "ps", "VoWo", NP, 0F, op, R) TN_X86_L(_, id##PD, name "pd", "VoWo", 66, 0F, op, R) \
  _(V##id##PS, "v" name "ps", "VxHxWx", NP, 0F, op, R, VE, XYZ, 0,  4, Z, N, N, AVX, DQ) \
  _(V##id##PD, "v" name "pd", "VxHxWx", 66, 0F, op, R, VE, XYZ, E1, 8, Z, N, N, AVX, DQ)
// Moves of whole vectors: loads, and stores by the opcode after.
#define TN_X86_MOVE(_, id, name, pp, op, store, w) \
  TN_X86_L(_, id, name, "VoWo", pp, 0F, op, R) TN_X86_L(_, id##_2, name, "WoVo", pp, 0F, store, R) \
  _(V##id,     "v" name, "VxWx", pp, 0F, op,    R, VE, XYZ, w, N, Z, N, REV, AVX, F) \
  _(V##id##_2, "v" name, "WxVx", pp, 0F, store, R, VE, XYZ, w, N, Z, N, N,   AVX, F)
// Loads and stores by elements that AVX-512 alone has; those of its rows that VEX has are named otherwise.
#define TN_X86_MOVES(_, id, name, pp, w, has) \
  _(id,     name, "VxWx", pp, 0F, 0x6F, R, E, XYZ, w, N, Z, N, N, N, has) \
  _(id##_2, name, "WxVx", pp, 0F, 0x7F, R, E, XYZ, w, N, Z, N, N, N, has)
#define TN_X86_FMA(_, id, name, op, n) \
  _(V##id##n##PS, "v" name #n "ps", "VxHxWx", 66, 38, op,     R, VE, XYZ, 0, 4, Z, ER, N, FMA, F) \
  _(V##id##n##PD, "v" name #n "pd", "VxHxWx", 66, 38, op,     R, VE, XYZ, 1, 8, Z, ER, N, FMA, F) \
  _(V##id##n##SS, "v" name #n "ss", "VoHoWd", 66, 38, op + 1, R, VE, X,   0, N, Z, ER, N, FMA, F) \
  _(V##id##n##SD, "v" name #n "sd", "VoHoWq", 66, 38, op + 1, R, VE, X,   1, N, Z, ER, N, FMA, F)
#define TN_X86_FMAS(_, id, name, op) \
  TN_X86_FMA(_, id, name, op, 132) TN_X86_FMA(_, id, name, op + 16, 213) TN_X86_FMA(_, id, name, op + 32, 231)
#define TN_X86_CONVERT(_, id, name, ops, pp, op, w, b, r, has) \
  _(id, name, ops, pp, 0F, op, R, E, XYZ, w, b, Z, r, N, N, has)

#define TN_X86_FLOATS(_) \
  TN_X86_FLOAT(_, ADD, "add", 0x58, ER) TN_X86_FLOAT(_, MUL, "mul", 0x59, ER) \
  TN_X86_FLOAT(_, SUB, "sub", 0x5C, ER)    TN_X86_FLOAT(_, DIV, "div", 0x5E, ER) \
  TN_X86_FLOAT(_, MIN, "min", 0x5D, SAE)   TN_X86_FLOAT(_, MAX, "max", 0x5F, SAE) \
  TN_X86_L(_, SQRTPS, "sqrtps", "VoWo", NP, 0F, 0x51, R) TN_X86_L(_, SQRTPD, "sqrtpd", "VoWo", 66, 0F, 0x51, R) \
  TN_X86_L(_, SQRTSS, "sqrtss", "VoWd", F3, 0F, 0x51, R) TN_X86_L(_, SQRTSD, "sqrtsd", "VoWq", F2, 0F, 0x51, R) \
  _(VSQRTPS, "vsqrtps", "VxWx",   NP, 0F, 0x51, R, VE, XYZ, 0,  4, Z, ER, N, AVX, F) \
  _(VSQRTPD, "vsqrtpd", "VxWx",   66, 0F, 0x51, R, VE, XYZ, E1, 8, Z, ER, N, AVX, F) \
  _(VSQRTSS, "vsqrtss", "VoHoWd", F3, 0F, 0x51, R, VE, X,   0,  N, Z, ER, N, AVX, F) \
  _(VSQRTSD, "vsqrtsd", "VoHoWq", F2, 0F, 0x51, R, VE, X,   E1, N, Z, ER, N, AVX, F) \
  TN_X86_LOGIC(_, AND, "and", 0x54) TN_X86_LOGIC(_, ANDN, "andn", 0x55) \
  TN_X86_LOGIC(_, OR,  "or",  0x56) TN_X86_LOGIC(_, XOR,  "xor",  0x57) \
  TN_X86_MOVE(_, MOVAPS, "movaps", NP, 0x28, 0x29, 0) TN_X86_MOVE(_, MOVAPD, "movapd", 66, 0x28, 0x29, E1) \
  TN_X86_MOVE(_, MOVUPS, "movups", NP, 0x10, 0x11, 0) TN_X86_MOVE(_, MOVUPD, "movupd", 66, 0x10, 0x11, E1) \
  TN_X86_L(_, MOVSS, "movss", "VoWd", F3, 0F, 0x10, R) TN_X86_L(_, MOVSS_2, "movss", "MdVo", F3, 0F, 0x11, R) \
  TN_X86_L(_, MOVSD, "movsd", "VoWq", F2, 0F, 0x10, R) TN_X86_L(_, MOVSD_2, "movsd", "MqVo", F2, 0F, 0x11, R) \
  _(VMOVSS,   "vmovss", "VoMd",   F3, 0F, 0x10, R, VE, X, 0,  N, Z, N, N, AVX, F) \
  _(VMOVSS_2, "vmovss", "MdVo",   F3, 0F, 0x11, R, VE, X, 0,  N, M, N, N, AVX, F) \
  _(VMOVSS_3, "vmovss", "VoHoUo", F3, 0F, 0x10, R, VE, X, 0,  N, Z, N, REV, AVX, F) \
  _(VMOVSS_4, "vmovss", "UoHoVo", F3, 0F, 0x11, R, VE, X, 0,  N, Z, N, N, AVX, F) \
  _(VMOVSD,   "vmovsd", "VoMq",   F2, 0F, 0x10, R, VE, X, E1, N, Z, N, N, AVX, F) \
  _(VMOVSD_2, "vmovsd", "MqVo",   F2, 0F, 0x11, R, VE, X, E1, N, M, N, N, AVX, F) \
  _(VMOVSD_3, "vmovsd", "VoHoUo", F2, 0F, 0x10, R, VE, X, E1, N, Z, N, REV, AVX, F) \
  _(VMOVSD_4, "vmovsd", "UoHoVo", F2, 0F, 0x11, R, VE, X, E1, N, Z, N, N, AVX, F) \
  TN_X86_L(_, MOVLPS, "movlps", "VoMq", NP, 0F, 0x12, R) TN_X86_L(_, MOVLPS_2, "movlps", "MqVo", NP, 0F, 0x13, R) \
  TN_X86_L(_, MOVHPS, "movhps", "VoMq", NP, 0F, 0x16, R) TN_X86_L(_, MOVHPS_2, "movhps", "MqVo", NP, 0F, 0x17, R) \
  TN_X86_L(_, MOVHLPS, "movhlps", "VoUo", NP, 0F, 0x12, R) TN_X86_L(_, MOVLHPS, "movlhps", "VoUo", NP, 0F, 0x16, R) \
  _(VMOVHLPS, "vmovhlps", "VoHoUo", NP, 0F, 0x12, R, VE, X, 0, N, N, N, N, AVX, F) \
  _(VMOVLHPS, "vmovlhps", "VoHoUo", NP, 0F, 0x16, R, VE, X, 0, N, N, N, N, AVX, F) \
  TN_X86_L(_, UNPCKLPS, "unpcklps", "VoWo", NP, 0F, 0x14, R) \
  TN_X86_L(_, UNPCKLPD, "unpcklpd", "VoWo", 66, 0F, 0x14, R) \
  TN_X86_L(_, UNPCKHPS, "unpckhps", "VoWo", NP, 0F, 0x15, R) \
  TN_X86_L(_, UNPCKHPD, "unpckhpd", "VoWo", 66, 0F, 0x15, R) \
  _(VUNPCKLPS, "vunpcklps", "VxHxWx", NP, 0F, 0x14, R, VE, XYZ, 0,  4, Z, N, N, AVX, F) \
  _(VUNPCKLPD, "vunpcklpd", "VxHxWx", 66, 0F, 0x14, R, VE, XYZ, E1, 8, Z, N, N, AVX, F) \
  _(VUNPCKHPS, "vunpckhps", "VxHxWx", NP, 0F, 0x15, R, VE, XYZ, 0,  4, Z, N, N, AVX, F) \
  _(VUNPCKHPD, "vunpckhpd", "VxHxWx", 66, 0F, 0x15, R, VE, XYZ, E1, 8, Z, N, N, AVX, F) \
  TN_X86_L(_, SHUFPS, "shufps", "VoWoIu", NP, 0F, 0xC6, R) TN_X86_L(_, SHUFPD, "shufpd", "VoWoIu", 66, 0F, 0xC6, R) \
  _(VSHUFPS, "vshufps", "VxHxWxIu", NP, 0F, 0xC6, R, VE, XYZ, 0,  4, Z, N, N, AVX, F) \
  _(VSHUFPD, "vshufpd", "VxHxWxIu", 66, 0F, 0xC6, R, VE, XYZ, E1, 8, Z, N, N, AVX, F) \
  TN_X86_L(_, CMPPS, "cmpps", "VoWoIu", NP, 0F, 0xC2, R) TN_X86_L(_, CMPPD, "cmppd", "VoWoIu", 66, 0F, 0xC2, R) \
  TN_X86_L(_, CMPSS, "cmpss", "VoWdIu", F3, 0F, 0xC2, R) TN_X86_L(_, CMPSD, "cmpsd", "VoWqIu", F2, 0F, 0xC2, R) \
  _(VCMPPS,   "vcmpps", "VxHxWxIu", NP, 0F, 0xC2, R, V, XY,  0, N, N, N,   N, AVX, N) \
  _(VCMPPS_2, "vcmpps", "PnHxWxIu", NP, 0F, 0xC2, R, E, XYZ, 0, 4, M, SAE, N, N, F) \
  _(VCMPPD,   "vcmppd", "VxHxWxIu", 66, 0F, 0xC2, R, V, XY,  0, N, N, N,   N, AVX, N) \
  _(VCMPPD_2, "vcmppd", "PnHxWxIu", 66, 0F, 0xC2, R, E, XYZ, 1, 8, M, SAE, N, N, F) \
  _(VCMPSS,   "vcmpss", "VoHoWdIu", F3, 0F, 0xC2, R, V, X,   0, N, N, N,   N, AVX, N) \
  _(VCMPSS_2, "vcmpss", "PnHoWdIu", F3, 0F, 0xC2, R, E, X,   0, N, M, SAE, N, N, F) \
  _(VCMPSD,   "vcmpsd", "VoHoWqIu", F2, 0F, 0xC2, R, V, X,   0, N, N, N,   N, AVX, N) \
  _(VCMPSD_2, "vcmpsd", "PnHoWqIu", F2, 0F, 0xC2, R, E, X,   1, N, M, SAE, N, N, F) \
  TN_X86_L(_, UCOMISS, "ucomiss", "VoWd", NP, 0F, 0x2E, R) TN_X86_L(_, UCOMISD, "ucomisd", "VoWq", 66, 0F, 0x2E, R) \
  _(VUCOMISS, "vucomiss", "VoWd", NP, 0F, 0x2E, R, VE, X, 0,  N, N, SAE, N, AVX, F) \
  _(VUCOMISD, "vucomisd", "VoWq", 66, 0F, 0x2E, R, VE, X, E1, N, N, SAE, N, AVX, F) \
  TN_X86_L(_, MOVMSKPS, "movmskps", "GdUo", NP, 0F, 0x50, R) \
  TN_X86_L(_, MOVMSKPD, "movmskpd", "GdUo", 66, 0F, 0x50, R) \
  _(VMOVMSKPS, "vmovmskps", "GdUx", NP, 0F, 0x50, R, V, XY, 0, N, N, N, N, AVX, N) \
  _(VMOVMSKPD, "vmovmskpd", "GdUx", 66, 0F, 0x50, R, V, XY, 0, N, N, N, N, AVX, N) \
  TN_X86_FMAS(_, FMADD, "fmadd", 0x98) TN_X86_FMAS(_, FMSUB, "fmsub", 0x9A) TN_X86_FMAS(_, FNMADD, "fnmadd", 0x9C) \
  TN_X86_FMAS(_, FNMSUB, "fnmsub", 0x9E) \
  _(ROUNDPS,  "roundps",  "VoWoIu",   66, 3A, 0x08, R, L, N,  0, N, N, N, N, SSE41, N) \
  _(ROUNDPD,  "roundpd",  "VoWoIu",   66, 3A, 0x09, R, L, N,  0, N, N, N, N, SSE41, N) \
  _(ROUNDSS,  "roundss",  "VoWdIu",   66, 3A, 0x0A, R, L, N,  0, N, N, N, N, SSE41, N) \
  _(ROUNDSD,  "roundsd",  "VoWqIu",   66, 3A, 0x0B, R, L, N,  0, N, N, N, N, SSE41, N) \
  _(VROUNDPS, "vroundps", "VxWxIu",   66, 3A, 0x08, R, V, XY, 0, N, N, N, N, AVX, N) \
  _(VROUNDPD, "vroundpd", "VxWxIu",   66, 3A, 0x09, R, V, XY, 0, N, N, N, N, AVX, N) \
  _(VROUNDSS, "vroundss", "VoHoWdIu", 66, 3A, 0x0A, R, V, X,  0, N, N, N, N, AVX, N) \
  _(VROUNDSD, "vroundsd", "VoHoWqIu", 66, 3A, 0x0B, R, V, X,  0, N, N, N, N, AVX, N) \
  _(VRNDSCALEPS, "vrndscaleps", "VxWxIu",   66, 3A, 0x08, R, E, XYZ, 0, 4, Z, SAE, N, N, F) \
  _(VRNDSCALEPD, "vrndscalepd", "VxWxIu",   66, 3A, 0x09, R, E, XYZ, 1, 8, Z, SAE, N, N, F) \
  _(VRNDSCALESS, "vrndscaless", "VoHoWdIu", 66, 3A, 0x0A, R, E, X,   0, N, Z, SAE, N, N, F) \
  _(VRNDSCALESD, "vrndscalesd", "VoHoWqIu", 66, 3A, 0x0B, R, E, X,   1, N, Z, SAE, N, N, F)

#define TN_X86_CONVERSIONS(_) \
  TN_X86_L(_, CVTSI2SS, "cvtsi2ss", "VoEy", F3, 0F, 0x2A, R) \
  TN_X86_L(_, CVTSI2SD, "cvtsi2sd", "VoEy", F2, 0F, 0x2A, R) \
  TN_X86_L(_, CVTTSS2SI, "cvttss2si", "GyWd", F3, 0F, 0x2C, R) \
  TN_X86_L(_, CVTTSD2SI, "cvttsd2si", "GyWq", F2, 0F, 0x2C, R) \
  TN_X86_L(_, CVTSS2SD, "cvtss2sd", "VoWd", F3, 0F, 0x5A, R) \
  TN_X86_L(_, CVTSD2SS, "cvtsd2ss", "VoWq", F2, 0F, 0x5A, R) \
  TN_X86_L(_, CVTDQ2PS, "cvtdq2ps", "VoWo", NP, 0F, 0x5B, R) \
  TN_X86_L(_, CVTPS2DQ, "cvtps2dq", "VoWo", 66, 0F, 0x5B, R) \
  TN_X86_L(_, CVTTPS2DQ, "cvttps2dq", "VoWo", F3, 0F, 0x5B, R) \
  TN_X86_L(_, CVTDQ2PD, "cvtdq2pd", "VoWq", F3, 0F, 0xE6, R) \
  TN_X86_L(_, CVTTPD2DQ, "cvttpd2dq", "VoWo", 66, 0F, 0xE6, R) \
  TN_X86_L(_, CVTPS2PD, "cvtps2pd", "VoWq", NP, 0F, 0x5A, R) \
  TN_X86_L(_, CVTPD2PS, "cvtpd2ps", "VoWo", 66, 0F, 0x5A, R) \
  _(VCVTSI2SS,  "vcvtsi2ss",  "VoHoEy", F3, 0F, 0x2A, R, VE, X, 0, N, N, N, N, AVX, F) \
  _(VCVTSI2SD,  "vcvtsi2sd",  "VoHoEy", F2, 0F, 0x2A, R, VE, X, 0, N, N, N, N, AVX, F) \
  _(VCVTUSI2SS, "vcvtusi2ss", "VoHoEy", F3, 0F, 0x7B, R, E,  X, 0, N, N, N, N, N,   F) \
  _(VCVTUSI2SD, "vcvtusi2sd", "VoHoEy", F2, 0F, 0x7B, R, E,  X, 0, N, N, N, N, N,   F) \
  _(VCVTTSS2SI, "vcvttss2si", "GyWd", F3, 0F, 0x2C, R, VE, X, 0, N, N, SAE, N, AVX, F) \
  _(VCVTTSD2SI, "vcvttsd2si", "GyWq", F2, 0F, 0x2C, R, VE, X, 0, N, N, SAE, N, AVX, F) \
  _(VCVTTSS2USI, "vcvttss2usi", "GyWd", F3, 0F, 0x78, R, E, X, 0, N, N, SAE, N, N, F) \
  _(VCVTTSD2USI, "vcvttsd2usi", "GyWq", F2, 0F, 0x78, R, E, X, 0, N, N, SAE, N, N, F) \
  _(VCVTSS2SD, "vcvtss2sd", "VoHoWd", F3, 0F, 0x5A, R, VE, X, 0,  N, Z, SAE, N, AVX, F) \
  _(VCVTSD2SS, "vcvtsd2ss", "VoHoWq", F2, 0F, 0x5A, R, VE, X, E1, N, Z, ER,  N, AVX, F) \
  _(VCVTDQ2PS,  "vcvtdq2ps",  "VxWx", NP, 0F, 0x5B, R, VE, XYZ, 0,  4, Z, ER,  N, AVX, F) \
  _(VCVTPS2DQ,  "vcvtps2dq",  "VxWx", 66, 0F, 0x5B, R, VE, XYZ, 0,  4, Z, ER,  N, AVX, F) \
  _(VCVTTPS2DQ, "vcvttps2dq", "VxWx", F3, 0F, 0x5B, R, VE, XYZ, 0,  4, Z, SAE, N, AVX, F) \
  _(VCVTDQ2PD,  "vcvtdq2pd",  "VxWh", F3, 0F, 0xE6, R, VE, XYZ, 0,  4, Z, N,   N, AVX, F) \
  _(VCVTTPD2DQ, "vcvttpd2dq", "VhWx", 66, 0F, 0xE6, R, VE, XYZ, E1, 8, Z, SAE, N, AVX, F) \
  _(VCVTPS2PD,  "vcvtps2pd",  "VxWh", NP, 0F, 0x5A, R, VE, XYZ, 0,  4, Z, SAE, N, AVX, F) \
  _(VCVTPD2PS,  "vcvtpd2ps",  "VhWx", 66, 0F, 0x5A, R, VE, XYZ, E1, 8, Z, ER,  N, AVX, F) \
  TN_X86_CONVERT(_, VCVTUDQ2PS,  "vcvtudq2ps",  "VxWx", F2, 0x7A, 0, 4, ER,  F) \
  TN_X86_CONVERT(_, VCVTTPS2UDQ, "vcvttps2udq", "VxWx", NP, 0x78, 0, 4, SAE, F) \
  TN_X86_CONVERT(_, VCVTUDQ2PD,  "vcvtudq2pd",  "VxWh", F3, 0x7A, 0, 4, N,   F) \
  TN_X86_CONVERT(_, VCVTTPD2UDQ, "vcvttpd2udq", "VhWx", NP, 0x78, 1, 8, SAE, F) \
  TN_X86_CONVERT(_, VCVTQQ2PD,   "vcvtqq2pd",   "VxWx", F3, 0xE6, 1, 8, ER,  DQ) \
  TN_X86_CONVERT(_, VCVTUQQ2PD,  "vcvtuqq2pd",  "VxWx", F3, 0x7A, 1, 8, ER,  DQ) \
  TN_X86_CONVERT(_, VCVTQQ2PS,   "vcvtqq2ps",   "VhWx", NP, 0x5B, 1, 8, ER,  DQ) \
  TN_X86_CONVERT(_, VCVTUQQ2PS,  "vcvtuqq2ps",  "VhWx", F2, 0x7A, 1, 8, ER,  DQ) \
  TN_X86_CONVERT(_, VCVTTPD2QQ,  "vcvttpd2qq",  "VxWx", 66, 0x7A, 1, 8, SAE, DQ) \
  TN_X86_CONVERT(_, VCVTTPD2UQQ, "vcvttpd2uqq", "VxWx", 66, 0x78, 1, 8, SAE, DQ) \
  TN_X86_CONVERT(_, VCVTTPS2QQ,  "vcvttps2qq",  "VxWh", 66, 0x7A, 0, 4, SAE, DQ) \
  TN_X86_CONVERT(_, VCVTTPS2UQQ, "vcvttps2uqq", "VxWh", 66, 0x78, 0, 4, SAE, DQ) \
  _(VCVTPH2PS, "vcvtph2ps", "VxWh",   66, 38, 0x13, R, VE, XYZ, 0, N, Z, SAE, N, F16C, F) \
  _(VCVTPS2PH, "vcvtps2ph", "WhVxIu", 66, 3A, 0x1D, R, VE, XYZ, 0, N, Z, SAE, N, F16C, F) \
  _(VCVTNEPS2BF16,  "vcvtneps2bf16",  "VhWx",   F3, 38, 0x72, R, E, XYZ, 0, 4, Z, N, N, N, BF16) \
  _(VCVTNE2PS2BF16, "vcvtne2ps2bf16", "VxHxWx", F2, 38, 0x72, R, E, XYZ, 0, 4, Z, N, N, N, BF16) \
  _(VDPBF16PS, "vdpbf16ps", "VxHxWx", F3, 38, 0x52, R, E, XYZ, 0, 4, Z, N, N, N, BF16) \
  _(VPDPBUSD,   "vpdpbusd",       "VxHxWx", 66, 38, 0x50, R, E, XYZ, 0, 4, Z, N, N, N, VNNI) \
  _(VPDPWSSD,   "vpdpwssd",       "VxHxWx", 66, 38, 0x52, R, E, XYZ, 0, 4, Z, N, N, N, VNNI) \
  _(VEXPDPBUSD, "{vex} vpdpbusd", "VxHxWx", 66, 38, 0x50, R, V, XY,  0, N, N, N, N, AVXVNNI, N) \
  _(VEXPDPWSSD, "{vex} vpdpwssd", "VxHxWx", 66, 38, 0x52, R, V, XY,  0, N, N, N, N, AVXVNNI, N)

// ** integers in vectors **

// Of two sources, of SSE's, AVX's and AVX-512's: legacy feature, AVX-512's feature, broadcast and W of EVEX.
#define TN_X86_INT(_, id, name, map, op, has, has_evex, w, b) \
  _(id,    name,     "VoWo",   66, map, op, R, L,  N,   0, N, N, N, N, has,  N) \
  _(V##id, "v" name, "VxHxWx", 66, map, op, R, VE, XYZ, w, b, Z, N, N, AVX2, has_evex)
// Of SSE and AVX alone.
#define TN_X86_INT_VEX(_, id, name, map, op) \
  TN_X86_L(_, id, name, "VoWo", 66, map, op, R) \
  _(V##id, "v" name, "VxHxWx", 66, map, op, R, V, XY, 0, N, N, N, N, AVX2, N)
// Of AVX-512 alone.
#define TN_X86_INT_EVEX(_, id, name, map, op, has, w, b) \
  _(V##id, "v" name, "VxHxWx", 66, map, op, R, E, XYZ, w, b, Z, N, N, N, has)
// Comparisons: AVX's give vectors, AVX-512's masks.
#define TN_X86_COMPARE(_, id, name, map, op, has, has_evex, w, b) \
  _(id,        name,     "VoWo",   66, map, op, R, L, N,   0, N, N, N, N, has,  N) \
  _(V##id,     "v" name, "VxHxWx", 66, map, op, R, V, XY,  0, N, N, N, N, AVX2, N) \
  _(V##id##_2, "v" name, "PnHxWx", 66, map, op, R, E, XYZ, w, b, M, N, N, N, has_evex)
#define TN_X86_COMPARE_BY(_, id, name, op, has, w, b) \
  _(id, name, "PnHxWxIu", 66, 3A, op, R, E, XYZ, w, b, M, N, N, N, has)
// Shifts, by an immediate and by the low element of a vector.
#define TN_X86_PSHIFT(_, id, name, op, n, by, has, w, b) \
  TN_X86_L(_, id, name, "VoWo", 66, 0F, by, R) TN_X86_L(_, id##_2, name, "UoIu", 66, 0F, op, n) \
  _(V##id,     "v" name, "VxHxWo", 66, 0F, by, R, VE, XYZ, w, N, Z, N, N, AVX2, has) \
  _(V##id##_2, "v" name, "HxUxIu", 66, 0F, op, n, V,  XY,  0, N, N, N, N, AVX2, N) \
  _(V##id##_3, "v" name, "HxWxIu", 66, 0F, op, n, E,  XYZ, w, b, Z, N, N, N,    has)
#define TN_X86_WIDEN(_, id, name, to, half, op) \
  _(id,    name,     "VoW" half, 66, 38, op, R, L,  N,   0, N, N, N, N, SSE41, N) \
  _(V##id, "v" name, "VxW" to,   66, 38, op, R, VE, XYZ, 0, N, Z, N, N, AVX2,  F)
#define TN_X86_NARROW(_, id, name, to, op, has) \
  _(id, name, "W" to "Vx", F3, 38, op, R, E, XYZ, 0, N, Z, N, N, N, has)

#define TN_X86_VECTORS(_) \
  TN_X86_L(_, MOVD, "movd", "VoEd", 66, 0F, 0x6E, R) TN_X86_L(_, MOVD_2, "movd", "EdVo", 66, 0F, 0x7E, R) \
  TN_X86_L(_, MOVQ, "movq", "VoWq", F3, 0F, 0x7E, R) TN_X86_L(_, MOVQ_2, "movq", "MqVo", 66, 0F, 0xD6, R) \
  TN_X86_Q(_, MOVQ_3, "movq", "VoRq", 66, 0F, 0x6E, R) TN_X86_Q(_, MOVQ_4, "movq", "RqVo", 66, 0F, 0x7E, R) \
  _(VMOVD,   "vmovd", "VoEd", 66, 0F, 0x6E, R, VE, X, 0,  N, N, N, N, AVX, F) \
  _(VMOVD_2, "vmovd", "EdVo", 66, 0F, 0x7E, R, VE, X, 0,  N, N, N, N, AVX, F) \
  _(VMOVQ,   "vmovq", "VoWq", F3, 0F, 0x7E, R, VE, X, E1, N, N, N, REV, AVX, F) \
  _(VMOVQ_2, "vmovq", "WqVo", 66, 0F, 0xD6, R, VE, X, E1, N, N, N, N, AVX, F) \
  _(VMOVQ_3, "vmovq", "VoRq", 66, 0F, 0x6E, R, VE, X, 1,  N, N, N, N, AVX, F) \
  _(VMOVQ_4, "vmovq", "RqVo", 66, 0F, 0x7E, R, VE, X, 1,  N, N, N, N, AVX, F) \
  TN_X86_L(_, MOVDQA, "movdqa", "VoWo", 66, 0F, 0x6F, R) TN_X86_L(_, MOVDQA_2, "movdqa", "WoVo", 66, 0F, 0x7F, R) \
  TN_X86_L(_, MOVDQU, "movdqu", "VoWo", F3, 0F, 0x6F, R) TN_X86_L(_, MOVDQU_2, "movdqu", "WoVo", F3, 0F, 0x7F, R) \
  _(VMOVDQA,   "vmovdqa", "VxWx", 66, 0F, 0x6F, R, V, XY, 0, N, N, N, REV, AVX, N) \
  _(VMOVDQA_2, "vmovdqa", "WxVx", 66, 0F, 0x7F, R, V, XY, 0, N, N, N, N,   AVX, N) \
  _(VMOVDQU,   "vmovdqu", "VxWx", F3, 0F, 0x6F, R, V, XY, 0, N, N, N, REV, AVX, N) \
  _(VMOVDQU_2, "vmovdqu", "WxVx", F3, 0F, 0x7F, R, V, XY, 0, N, N, N, N,   AVX, N) \
  TN_X86_MOVES(_, VMOVDQA32, "vmovdqa32", 66, 0, F)  TN_X86_MOVES(_, VMOVDQA64, "vmovdqa64", 66, 1, F) \
  TN_X86_MOVES(_, VMOVDQU32, "vmovdqu32", F3, 0, F)  TN_X86_MOVES(_, VMOVDQU64, "vmovdqu64", F3, 1, F) \
  TN_X86_MOVES(_, VMOVDQU8,  "vmovdqu8",  F2, 0, BW) TN_X86_MOVES(_, VMOVDQU16, "vmovdqu16", F2, 1, BW) \
  TN_X86_L(_, MOVNTPS, "movntps", "MoVo", NP, 0F, 0x2B, R) TN_X86_L(_, MOVNTDQ, "movntdq", "MoVo", 66, 0F, 0xE7, R) \
  _(VMOVNTPS, "vmovntps", "MxVx", NP, 0F, 0x2B, R, VE, XYZ, 0,  N, N, N, N, AVX, F) \
  _(VMOVNTPD, "vmovntpd", "MxVx", 66, 0F, 0x2B, R, VE, XYZ, E1, N, N, N, N, AVX, F) \
  _(VMOVNTDQ, "vmovntdq", "MxVx", 66, 0F, 0xE7, R, VE, XYZ, 0,  N, N, N, N, AVX, F) \
  TN_X86_INT(_, PADDB, "paddb", 0F, 0xFC, N, BW, 0, N)     TN_X86_INT(_, PADDW, "paddw", 0F, 0xFD, N, BW, 0, N) \
  TN_X86_INT(_, PADDD, "paddd", 0F, 0xFE, N, F, 0, 4)      TN_X86_INT(_, PADDQ, "paddq", 0F, 0xD4, N, F, E1, 8) \
  TN_X86_INT(_, PSUBB, "psubb", 0F, 0xF8, N, BW, 0, N)        TN_X86_INT(_, PSUBW, "psubw", 0F, 0xF9, N, BW, 0, N) \
  TN_X86_INT(_, PSUBD, "psubd", 0F, 0xFA, N, F, 0, 4)         TN_X86_INT(_, PSUBQ, "psubq", 0F, 0xFB, N, F, E1, 8) \
  TN_X86_INT(_, PMULLW, "pmullw", 0F, 0xD5, N, BW, 0, N)   TN_X86_INT(_, PMULHW, "pmulhw", 0F, 0xE5, N, BW, 0, N) \
  TN_X86_INT(_, PMULHUW, "pmulhuw", 0F, 0xE4, N, BW, 0, N) TN_X86_INT(_, PMULUDQ, "pmuludq", 0F, 0xF4, N, F, E1, 8) \
  TN_X86_INT(_, PMULDQ, "pmuldq", 38, 0x28, SSE41, F, E1, 8) TN_X86_INT(_, PMULLD, "pmulld", 38, 0x40, SSE41, F, 0, 4) \
  TN_X86_INT_EVEX(_, PMULLQ, "pmullq", 38, 0x40, DQ, 1, 8) \
  TN_X86_INT(_, PMADDWD, "pmaddwd", 0F, 0xF5, N, BW, 0, N) \
  TN_X86_INT(_, PMADDUBSW, "pmaddubsw", 38, 0x04, SSSE3, BW, 0, N) \
  TN_X86_L(_, PSADBW, "psadbw", "VoWo", 66, 0F, 0xF6, R) \
  _(VPSADBW, "vpsadbw", "VxHxWx", 66, 0F, 0xF6, R, VE, XYZ, 0, N, N, N, N, AVX2, BW) \
  TN_X86_INT(_, PAVGB, "pavgb", 0F, 0xE0, N, BW, 0, N)     TN_X86_INT(_, PAVGW, "pavgw", 0F, 0xE3, N, BW, 0, N) \
  TN_X86_INT(_, PMINUB, "pminub", 0F, 0xDA, N, BW, 0, N)   TN_X86_INT(_, PMAXUB, "pmaxub", 0F, 0xDE, N, BW, 0, N) \
  TN_X86_INT(_, PMINSW, "pminsw", 0F, 0xEA, N, BW, 0, N)   TN_X86_INT(_, PMAXSW, "pmaxsw", 0F, 0xEE, N, BW, 0, N) \
  TN_X86_INT(_, PMINSB, "pminsb", 38, 0x38, SSE41, BW, 0, N) \
  TN_X86_INT(_, PMAXSB, "pmaxsb", 38, 0x3C, SSE41, BW, 0, N) \
  TN_X86_INT(_, PMINUW, "pminuw", 38, 0x3A, SSE41, BW, 0, N) \
  TN_X86_INT(_, PMAXUW, "pmaxuw", 38, 0x3E, SSE41, BW, 0, N) \
  TN_X86_INT(_, PMINSD, "pminsd", 38, 0x39, SSE41, F, 0, 4) TN_X86_INT(_, PMAXSD, "pmaxsd", 38, 0x3D, SSE41, F, 0, 4) \
  TN_X86_INT(_, PMINUD, "pminud", 38, 0x3B, SSE41, F, 0, 4) TN_X86_INT(_, PMAXUD, "pmaxud", 38, 0x3F, SSE41, F, 0, 4) \
  TN_X86_INT_EVEX(_, PMINSQ, "pminsq", 38, 0x39, F, 1, 8) TN_X86_INT_EVEX(_, PMAXSQ, "pmaxsq", 38, 0x3D, F, 1, 8) \
  TN_X86_INT_EVEX(_, PMINUQ, "pminuq", 38, 0x3B, F, 1, 8) TN_X86_INT_EVEX(_, PMAXUQ, "pmaxuq", 38, 0x3F, F, 1, 8) \
  TN_X86_COMPARE(_, PCMPEQB, "pcmpeqb", 0F, 0x74, N, BW, 0, N) \
  TN_X86_COMPARE(_, PCMPEQW, "pcmpeqw", 0F, 0x75, N, BW, 0, N) \
  TN_X86_COMPARE(_, PCMPEQD, "pcmpeqd", 0F, 0x76, N, F, 0, 4) \
  TN_X86_COMPARE(_, PCMPEQQ, "pcmpeqq", 38, 0x29, SSE41, F, 1, 8) \
  TN_X86_COMPARE(_, PCMPGTB, "pcmpgtb", 0F, 0x64, N, BW, 0, N) \
  TN_X86_COMPARE(_, PCMPGTW, "pcmpgtw", 0F, 0x65, N, BW, 0, N) \
  TN_X86_COMPARE(_, PCMPGTD, "pcmpgtd", 0F, 0x66, N, F, 0, 4) \
  TN_X86_COMPARE(_, PCMPGTQ, "pcmpgtq", 38, 0x37, SSE42, F, 1, 8) \
  TN_X86_COMPARE_BY(_, VPCMPB, "vpcmpb", 0x3F, BW, 0, N) TN_X86_COMPARE_BY(_, VPCMPUB, "vpcmpub", 0x3E, BW, 0, N) \
  TN_X86_COMPARE_BY(_, VPCMPW, "vpcmpw", 0x3F, BW, 1, N) TN_X86_COMPARE_BY(_, VPCMPUW, "vpcmpuw", 0x3E, BW, 1, N) \
  TN_X86_COMPARE_BY(_, VPCMPD, "vpcmpd", 0x1F, F, 0, 4)  TN_X86_COMPARE_BY(_, VPCMPUD, "vpcmpud", 0x1E, F, 0, 4) \
  TN_X86_COMPARE_BY(_, VPCMPQ, "vpcmpq", 0x1F, F, 1, 8)  TN_X86_COMPARE_BY(_, VPCMPUQ, "vpcmpuq", 0x1E, F, 1, 8) \
  TN_X86_INT_VEX(_, PAND, "pand", 0F, 0xDB) TN_X86_INT_VEX(_, PANDN, "pandn", 0F, 0xDF) \
  TN_X86_INT_VEX(_, POR, "por", 0F, 0xEB)   TN_X86_INT_VEX(_, PXOR, "pxor", 0F, 0xEF) \
  TN_X86_INT_EVEX(_, PANDD, "pandd", 0F, 0xDB, F, 0, 4)   TN_X86_INT_EVEX(_, PANDQ, "pandq", 0F, 0xDB, F, 1, 8) \
  TN_X86_INT_EVEX(_, PANDND, "pandnd", 0F, 0xDF, F, 0, 4) TN_X86_INT_EVEX(_, PANDNQ, "pandnq", 0F, 0xDF, F, 1, 8) \
  TN_X86_INT_EVEX(_, PORD, "pord", 0F, 0xEB, F, 0, 4)     TN_X86_INT_EVEX(_, PORQ, "porq", 0F, 0xEB, F, 1, 8) \
  TN_X86_INT_EVEX(_, PXORD, "pxord", 0F, 0xEF, F, 0, 4)   TN_X86_INT_EVEX(_, PXORQ, "pxorq", 0F, 0xEF, F, 1, 8) \
  TN_X86_PSHIFT(_, PSLLW, "psllw", 0x71, 6, 0xF1, BW, 0, N) TN_X86_PSHIFT(_, PSRLW, "psrlw", 0x71, 2, 0xD1, BW, 0, N) \
  TN_X86_PSHIFT(_, PSRAW, "psraw", 0x71, 4, 0xE1, BW, 0, N) TN_X86_PSHIFT(_, PSLLD, "pslld", 0x72, 6, 0xF2, F, 0, 4) \
  TN_X86_PSHIFT(_, PSRLD, "psrld", 0x72, 2, 0xD2, F, 0, 4)  TN_X86_PSHIFT(_, PSRAD, "psrad", 0x72, 4, 0xE2, F, 0, 4) \
  TN_X86_PSHIFT(_, PSLLQ, "psllq", 0x73, 6, 0xF3, F, E1, 8) TN_X86_PSHIFT(_, PSRLQ, "psrlq", 0x73, 2, 0xD3, F, E1, 8) \
  _(VPSRAQ,   "vpsraq", "VxHxWo", 66, 0F, 0xE2, R, E, XYZ, 1, N, Z, N, N, N, F) \
  _(VPSRAQ_2, "vpsraq", "HxWxIu", 66, 0F, 0x72, 4, E, XYZ, 1, 8, Z, N, N, N, F) \
  TN_X86_L(_, PSLLDQ, "pslldq", "UoIu", 66, 0F, 0x73, 7) TN_X86_L(_, PSRLDQ, "psrldq", "UoIu", 66, 0F, 0x73, 3) \
  _(VPSLLDQ,   "vpslldq", "HxUxIu", 66, 0F, 0x73, 7, V, XY,  0, N, N, N, N, AVX2, N) \
  _(VPSLLDQ_2, "vpslldq", "HxWxIu", 66, 0F, 0x73, 7, E, XYZ, 0, N, N, N, N, N, BW) \
  _(VPSRLDQ,   "vpsrldq", "HxUxIu", 66, 0F, 0x73, 3, V, XY,  0, N, N, N, N, AVX2, N) \
  _(VPSRLDQ_2, "vpsrldq", "HxWxIu", 66, 0F, 0x73, 3, E, XYZ, 0, N, N, N, N, N, BW) \
  _(VPSLLVD, "vpsllvd", "VxHxWx", 66, 38, 0x47, R, VE, XYZ, 0, 4, Z, N, N, AVX2, F) \
  _(VPSLLVQ, "vpsllvq", "VxHxWx", 66, 38, 0x47, R, VE, XYZ, 1, 8, Z, N, N, AVX2, F) \
  _(VPSRLVD, "vpsrlvd", "VxHxWx", 66, 38, 0x45, R, VE, XYZ, 0, 4, Z, N, N, AVX2, F) \
  _(VPSRLVQ, "vpsrlvq", "VxHxWx", 66, 38, 0x45, R, VE, XYZ, 1, 8, Z, N, N, AVX2, F) \
  _(VPSRAVD, "vpsravd", "VxHxWx", 66, 38, 0x46, R, VE, XYZ, 0, 4, Z, N, N, AVX2, F) \
  TN_X86_INT_EVEX(_, PSRAVQ, "psravq", 38, 0x46, F, 1, 8)  TN_X86_INT_EVEX(_, PSLLVW, "psllvw", 38, 0x12, BW, 1, N) \
  TN_X86_INT_EVEX(_, PSRLVW, "psrlvw", 38, 0x10, BW, 1, N) TN_X86_INT_EVEX(_, PSRAVW, "psravw", 38, 0x11, BW, 1, N) \
  TN_X86_INT_EVEX(_, PROLVD, "prolvd", 38, 0x15, F, 0, 4)  TN_X86_INT_EVEX(_, PROLVQ, "prolvq", 38, 0x15, F, 1, 8) \
  _(VPROLD, "vprold", "HxWxIu", 66, 0F, 0x72, 1, E, XYZ, 0, 4, Z, N, N, N, F) \
  _(VPROLQ, "vprolq", "HxWxIu", 66, 0F, 0x72, 1, E, XYZ, 1, 8, Z, N, N, N, F) \
  _(VPTERNLOGD, "vpternlogd", "VxHxWxIu", 66, 3A, 0x25, R, E, XYZ, 0, 4, Z, N, N, N, F) \
  _(VPTERNLOGQ, "vpternlogq", "VxHxWxIu", 66, 3A, 0x25, R, E, XYZ, 1, 8, Z, N, N, N, F) \
  _(PABSB,  "pabsb",  "VoWo", 66, 38, 0x1C, R, L,  N,   0, N, N, N, N, SSSE3, N) \
  _(PABSW,  "pabsw",  "VoWo", 66, 38, 0x1D, R, L,  N,   0, N, N, N, N, SSSE3, N) \
  _(PABSD,  "pabsd",  "VoWo", 66, 38, 0x1E, R, L,  N,   0, N, N, N, N, SSSE3, N) \
  _(VPABSB, "vpabsb", "VxWx", 66, 38, 0x1C, R, VE, XYZ, 0, N, Z, N, N, AVX2, BW) \
  _(VPABSW, "vpabsw", "VxWx", 66, 38, 0x1D, R, VE, XYZ, 0, N, Z, N, N, AVX2, BW) \
  _(VPABSD, "vpabsd", "VxWx", 66, 38, 0x1E, R, VE, XYZ, 0, 4, Z, N, N, AVX2, F) \
  _(VPABSQ, "vpabsq", "VxWx", 66, 38, 0x1F, R, E,  XYZ, 1, 8, Z, N, N, N,    F) \
  TN_X86_WIDEN(_, PMOVSXBW, "pmovsxbw", "h", "q", 0x20) TN_X86_WIDEN(_, PMOVSXBD, "pmovsxbd", "f", "d", 0x21) \
  TN_X86_WIDEN(_, PMOVSXBQ, "pmovsxbq", "e", "w", 0x22) TN_X86_WIDEN(_, PMOVSXWD, "pmovsxwd", "h", "q", 0x23) \
  TN_X86_WIDEN(_, PMOVSXWQ, "pmovsxwq", "f", "d", 0x24) TN_X86_WIDEN(_, PMOVSXDQ, "pmovsxdq", "h", "q", 0x25) \
  TN_X86_WIDEN(_, PMOVZXBW, "pmovzxbw", "h", "q", 0x30) TN_X86_WIDEN(_, PMOVZXBD, "pmovzxbd", "f", "d", 0x31) \
  TN_X86_WIDEN(_, PMOVZXBQ, "pmovzxbq", "e", "w", 0x32) TN_X86_WIDEN(_, PMOVZXWD, "pmovzxwd", "h", "q", 0x33) \
  TN_X86_WIDEN(_, PMOVZXWQ, "pmovzxwq", "f", "d", 0x34) TN_X86_WIDEN(_, PMOVZXDQ, "pmovzxdq", "h", "q", 0x35) \
  TN_X86_NARROW(_, VPMOVWB, "vpmovwb", "h", 0x30, BW) TN_X86_NARROW(_, VPMOVDB, "vpmovdb", "f", 0x31, F) \
  TN_X86_NARROW(_, VPMOVQB, "vpmovqb", "e", 0x32, F)  TN_X86_NARROW(_, VPMOVDW, "vpmovdw", "h", 0x33, F) \
  TN_X86_NARROW(_, VPMOVQW, "vpmovqw", "f", 0x34, F)  TN_X86_NARROW(_, VPMOVQD, "vpmovqd", "h", 0x35, F)

// ** lanes: shuffles, halves, broadcasts, gathers, masks **

#define TN_X86_BLEND(_, id, name, op, w, b, has) TN_X86_INT_EVEX(_, id, name, 38, op, has, w, b)
#define TN_X86_INSERT(_, id, name, ops, op, space, len, w, k, has, evex) \
  _(id, name, ops, 66, 3A, op, R, space, len, w, N, k, N, N, has, evex)
#define TN_X86_GATHER(_, id, name, to, index, op, w, b) \
  _(id,     name, "V" to "X" index "H" to, 66, 38, op, R, V, XY,  w, b, N, N, N, AVX2, N) \
  _(id##_2, name, "V" to "X" index,        66, 38, op, R, E, XYZ, w, b, R, N, N, N,    F)
#define TN_X86_SCATTER(_, id, name, from, index, op, w, b) \
  _(id, name, "X" index "V" from, 66, 38, op, R, E, XYZ, w, b, R, N, N, N, F)
#define TN_X86_MASK(_, id, name, ops, map, op, len) \
  _(id##B, name "b", ops, 66, map, op, R, V, len, 0, N, N, N, N, DQ, N) \
  _(id##W, name "w", ops, NP, map, op, R, V, len, 0, N, N, N, N, F,  N) \
  _(id##D, name "d", ops, 66, map, op, R, V, len, 1, N, N, N, N, BW, N) \
  _(id##Q, name "q", ops, NP, map, op, R, V, len, 1, N, N, N, N, BW, N)
#define TN_X86_KMOV(_, id, name, size, gpr, pp, w, from, wf, has) \
  _(id,     name, "PnQ" size,    pp,   0F, 0x90, R, V, X, w,  N, N, N, N, has, N) \
  _(id##_2, name, "M" size "Pn", pp,   0F, 0x91, R, V, X, w,  N, N, N, N, has, N) \
  _(id##_3, name, "PnR" gpr,     from, 0F, 0x92, R, V, X, wf, N, N, N, N, has, N) \
  _(id##_4, name, "G" gpr "Nn",  from, 0F, 0x93, R, V, X, wf, N, N, N, N, has, N)
#define TN_X86_KSHIFT(_, id, name, op, w, has) _(id, name, "PnNnIu", 66, 3A, op, R, V, X, w, N, N, N, N, has, N)

// Loads, and stores by another opcode, of elements whose top bit is set in vvvv.
#define TN_X86_MASKMOV(_, id, name, op, store, w, has) \
  _(id,     name, "VxHxMx", 66, 38, op,    R, V, XY, w, N, N, N, N, has, N) \
  _(id##_2, name, "MxHxVx", 66, 38, store, R, V, XY, w, N, N, N, N, has, N)

#define TN_X86_LANES(_) \
  TN_X86_INT(_, PUNPCKLBW, "punpcklbw", 0F, 0x60, N, BW, 0, N) \
  TN_X86_INT(_, PUNPCKLWD, "punpcklwd", 0F, 0x61, N, BW, 0, N) \
  TN_X86_INT(_, PUNPCKLDQ, "punpckldq", 0F, 0x62, N, F, 0, 4) \
  TN_X86_INT(_, PUNPCKLQDQ, "punpcklqdq", 0F, 0x6C, N, F, E1, 8) \
  TN_X86_INT(_, PUNPCKHBW, "punpckhbw", 0F, 0x68, N, BW, 0, N) \
  TN_X86_INT(_, PUNPCKHWD, "punpckhwd", 0F, 0x69, N, BW, 0, N) \
  TN_X86_INT(_, PUNPCKHDQ, "punpckhdq", 0F, 0x6A, N, F, 0, 4) \
  TN_X86_INT(_, PUNPCKHQDQ, "punpckhqdq", 0F, 0x6D, N, F, E1, 8) \
  TN_X86_INT(_, PACKSSWB, "packsswb", 0F, 0x63, N, BW, 0, N) \
  TN_X86_INT(_, PACKUSWB, "packuswb", 0F, 0x67, N, BW, 0, N) \
  TN_X86_INT(_, PACKSSDW, "packssdw", 0F, 0x6B, N, BW, 0, 4) \
  TN_X86_INT(_, PACKUSDW, "packusdw", 38, 0x2B, SSE41, BW, 0, 4) \
  TN_X86_INT(_, PSHUFB, "pshufb", 38, 0x00, SSSE3, BW, 0, N) \
  TN_X86_L(_, PSHUFD, "pshufd", "VoWoIu", 66, 0F, 0x70, R) TN_X86_L(_, PSHUFLW, "pshuflw", "VoWoIu", F2, 0F, 0x70, R) \
  TN_X86_L(_, PSHUFHW, "pshufhw", "VoWoIu", F3, 0F, 0x70, R) \
  _(VPSHUFD,  "vpshufd",  "VxWxIu", 66, 0F, 0x70, R, VE, XYZ, 0, 4, Z, N, N, AVX2, F) \
  _(VPSHUFLW, "vpshuflw", "VxWxIu", F2, 0F, 0x70, R, VE, XYZ, 0, N, Z, N, N, AVX2, BW) \
  _(VPSHUFHW, "vpshufhw", "VxWxIu", F3, 0F, 0x70, R, VE, XYZ, 0, N, Z, N, N, AVX2, BW) \
  _(PALIGNR,  "palignr",  "VoWoIu",   66, 3A, 0x0F, R, L,  N,   0, N, N, N, N, SSSE3, N) \
  _(VPALIGNR, "vpalignr", "VxHxWxIu", 66, 3A, 0x0F, R, VE, XYZ, 0, N, Z, N, N, AVX2, BW) \
  _(VALIGND,  "valignd",  "VxHxWxIu", 66, 3A, 0x03, R, E,  XYZ, 0, 4, Z, N, N, N, F) \
  _(VALIGNQ,  "valignq",  "VxHxWxIu", 66, 3A, 0x03, R, E,  XYZ, 1, 8, Z, N, N, N, F) \
  TN_X86_L(_, PMOVMSKB, "pmovmskb", "GdUo", 66, 0F, 0xD7, R) \
  _(VPMOVMSKB, "vpmovmskb", "GdUx", 66, 0F, 0xD7, R, V, XY, 0, N, N, N, N, AVX2, N) \
  _(PTEST,  "ptest",  "VoWo", 66, 38, 0x17, R, L, N,  0, N, N, N, N, SSE41, N) \
  _(VPTEST, "vptest", "VxWx", 66, 38, 0x17, R, V, XY, 0, N, N, N, N, AVX, N) \
  _(BLENDVPS, "blendvps", "VoWoyo", 66, 38, 0x14, R, L, N, 0, N, N, N, N, SSE41, N) \
  _(BLENDVPD, "blendvpd", "VoWoyo", 66, 38, 0x15, R, L, N, 0, N, N, N, N, SSE41, N) \
  _(PBLENDVB, "pblendvb", "VoWoyo", 66, 38, 0x10, R, L, N, 0, N, N, N, N, SSE41, N) \
  _(VBLENDVPS, "vblendvps", "VxHxWxLx", 66, 3A, 0x4A, R, V, XY, 0, N, N, N, N, AVX, N) \
  _(VBLENDVPD, "vblendvpd", "VxHxWxLx", 66, 3A, 0x4B, R, V, XY, 0, N, N, N, N, AVX, N) \
  _(VPBLENDVB, "vpblendvb", "VxHxWxLx", 66, 3A, 0x4C, R, V, XY, 0, N, N, N, N, AVX2, N) \
  _(BLENDPS,  "blendps",  "VoWoIu",   66, 3A, 0x0C, R, L, N,  0, N, N, N, N, SSE41, N) \
  _(VBLENDPS, "vblendps", "VxHxWxIu", 66, 3A, 0x0C, R, V, XY, 0, N, N, N, N, AVX, N) \
  _(VPBLENDD, "vpblendd", "VxHxWxIu", 66, 3A, 0x02, R, V, XY, 0, N, N, N, N, AVX2, N) \
  TN_X86_MASKMOV(_, VMASKMOVPS, "vmaskmovps", 0x2C, 0x2E, 0, AVX) \
  TN_X86_MASKMOV(_, VMASKMOVPD, "vmaskmovpd", 0x2D, 0x2F, 0, AVX) \
  TN_X86_MASKMOV(_, VPMASKMOVD, "vpmaskmovd", 0x8C, 0x8E, 0, AVX2) \
  TN_X86_MASKMOV(_, VPMASKMOVQ, "vpmaskmovq", 0x8C, 0x8E, 1, AVX2) \
  TN_X86_BLEND(_, BLENDMPS, "blendmps", 0x65, 0, 4, F) TN_X86_BLEND(_, BLENDMPD, "blendmpd", 0x65, 1, 8, F) \
  TN_X86_BLEND(_, PBLENDMD, "pblendmd", 0x64, 0, 4, F) TN_X86_BLEND(_, PBLENDMQ, "pblendmq", 0x64, 1, 8, F) \
  TN_X86_BLEND(_, PBLENDMB, "pblendmb", 0x66, 0, N, BW) TN_X86_BLEND(_, PBLENDMW, "pblendmw", 0x66, 1, N, BW) \
  _(PINSRB, "pinsrb", "VoEkIu", 66, 3A, 0x20, R, L, N, 0, N, N, N, N, SSE41, N) \
  TN_X86_L(_, PINSRW, "pinsrw", "VoElIu", 66, 0F, 0xC4, R) \
  _(PINSRD, "pinsrd", "VoEdIu", 66, 3A, 0x22, R, L, N, 0, N, N, N, N, SSE41, N) \
  _(PINSRQ, "pinsrq", "VoEqIu", 66, 3A, 0x22, R, L, N, 1, N, N, N, N, SSE41, N) \
  TN_X86_L(_, PEXTRW, "pextrw", "GdUoIu", 66, 0F, 0xC5, R) \
  _(PEXTRB, "pextrb", "EkVoIu", 66, 3A, 0x14, R, L, N, 0, N, N, N, N, SSE41, N) \
  _(PEXTRD, "pextrd", "EdVoIu", 66, 3A, 0x16, R, L, N, 0, N, N, N, N, SSE41, N) \
  _(PEXTRQ, "pextrq", "EqVoIu", 66, 3A, 0x16, R, L, N, 1, N, N, N, N, SSE41, N) \
  _(INSERTPS, "insertps", "VoWdIu", 66, 3A, 0x21, R, L, N, 0, N, N, N, N, SSE41, N) \
  TN_X86_INSERT(_, VPINSRB, "vpinsrb", "VoHoEkIu", 0x20, VE, X, 0, N, AVX, BW) \
  _(VPINSRW, "vpinsrw", "VoHoElIu", 66, 0F, 0xC4, R, VE, X, 0, N, N, N, N, AVX, BW) \
  TN_X86_INSERT(_, VPINSRD, "vpinsrd", "VoHoEdIu", 0x22, VE, X, 0, N, AVX, DQ) \
  TN_X86_INSERT(_, VPINSRQ, "vpinsrq", "VoHoEqIu", 0x22, VE, X, 1, N, AVX, DQ) \
  TN_X86_INSERT(_, VPEXTRB, "vpextrb", "EkVoIu", 0x14, VE, X, 0, N, AVX, BW) \
  _(VPEXTRW, "vpextrw", "GdUoIu", 66, 0F, 0xC5, R, VE, X, 0, N, N, N, N, AVX, BW) \
  TN_X86_INSERT(_, VPEXTRW_2, "vpextrw", "MwVoIu", 0x15, VE, X, 0, N, AVX, BW) \
  TN_X86_INSERT(_, VPEXTRD, "vpextrd", "EdVoIu", 0x16, VE, X, 0, N, AVX, DQ) \
  TN_X86_INSERT(_, VPEXTRQ, "vpextrq", "EqVoIu", 0x16, VE, X, 1, N, AVX, DQ) \
  TN_X86_INSERT(_, VINSERTPS, "vinsertps", "VoHoWdIu", 0x21, VE, X, 0, N, AVX, F) \
  TN_X86_INSERT(_, VINSERTF128, "vinsertf128", "VxHxWhIu", 0x18, V, Y, 0, N, AVX, N) \
  TN_X86_INSERT(_, VEXTRACTF128, "vextractf128", "WhVxIu", 0x19, V, Y, 0, N, AVX, N) \
  TN_X86_INSERT(_, VINSERTI128, "vinserti128", "VxHxWhIu", 0x38, V, Y, 0, N, AVX2, N) \
  TN_X86_INSERT(_, VEXTRACTI128, "vextracti128", "WhVxIu", 0x39, V, Y, 0, N, AVX2, N) \
  TN_X86_INSERT(_, VINSERTF32X4, "vinsertf32x4", "VxHxWoIu", 0x18, E, YZ, 0, Z, N, F) \
  TN_X86_INSERT(_, VEXTRACTF32X4, "vextractf32x4", "WoVxIu", 0x19, E, YZ, 0, Z, N, F) \
  TN_X86_INSERT(_, VINSERTI32X4, "vinserti32x4", "VxHxWoIu", 0x38, E, YZ, 0, Z, N, F) \
  TN_X86_INSERT(_, VEXTRACTI32X4, "vextracti32x4", "WoVxIu", 0x39, E, YZ, 0, Z, N, F) \
  TN_X86_INSERT(_, VINSERTF64X4, "vinsertf64x4", "VxHxWhIu", 0x1A, E, Z, 1, Z, N, F) \
  TN_X86_INSERT(_, VEXTRACTF64X4, "vextractf64x4", "WhVxIu", 0x1B, E, Z, 1, Z, N, F) \
  TN_X86_INSERT(_, VINSERTI64X4, "vinserti64x4", "VxHxWhIu", 0x3A, E, Z, 1, Z, N, F) \
  TN_X86_INSERT(_, VEXTRACTI64X4, "vextracti64x4", "WhVxIu", 0x3B, E, Z, 1, Z, N, F) \
  _(VPERM2F128, "vperm2f128", "VxHxWxIu", 66, 3A, 0x06, R, V, Y, 0, N, N, N, N, AVX, N) \
  _(VPERM2I128, "vperm2i128", "VxHxWxIu", 66, 3A, 0x46, R, V, Y, 0, N, N, N, N, AVX2, N) \
  _(VSHUFF32X4, "vshuff32x4", "VxHxWxIu", 66, 3A, 0x23, R, E, YZ, 0, 4, Z, N, N, N, F) \
  _(VSHUFI32X4, "vshufi32x4", "VxHxWxIu", 66, 3A, 0x43, R, E, YZ, 0, 4, Z, N, N, N, F) \
  _(VSHUFF64X2, "vshuff64x2", "VxHxWxIu", 66, 3A, 0x23, R, E, YZ, 1, 8, Z, N, N, N, F) \
  _(VPERMILPS,   "vpermilps", "VxHxWx", 66, 38, 0x0C, R, VE, XYZ, 0, 4, Z, N, N, AVX, F) \
  _(VPERMILPS_2, "vpermilps", "VxWxIu", 66, 3A, 0x04, R, VE, XYZ, 0, 4, Z, N, N, AVX, F) \
  _(VPERMILPD_2, "vpermilpd", "VxWxIu", 66, 3A, 0x05, R, VE, XYZ, E1, 8, Z, N, N, AVX, F) \
  _(VPERMD,   "vpermd",  "VxHxWx", 66, 38, 0x36, R, VE, YZ, 0, 4, Z, N, N, AVX2, F) \
  _(VPERMPS,  "vpermps", "VxHxWx", 66, 38, 0x16, R, VE, YZ, 0, 4, Z, N, N, AVX2, F) \
  _(VPERMQ,   "vpermq",  "VxWxIu", 66, 3A, 0x00, R, VE, YZ, 1, 8, Z, N, N, AVX2, F) \
  _(VPERMQ_2, "vpermq",  "VxHxWx", 66, 38, 0x36, R, E,  YZ, 1, 8, Z, N, N, N, F) \
  _(VPERMPD,  "vpermpd", "VxWxIu", 66, 3A, 0x01, R, VE, YZ, 1, 8, Z, N, N, AVX2, F) \
  _(VPERMPD_2, "vpermpd", "VxHxWx", 66, 38, 0x16, R, E, YZ, 1, 8, Z, N, N, N, F) \
  TN_X86_INT_EVEX(_, PERMW, "permw", 38, 0x8D, BW, 1, N)      TN_X86_INT_EVEX(_, PERMB, "permb", 38, 0x8D, VBMI, 0, N) \
  TN_X86_INT_EVEX(_, PERMT2D, "permt2d", 38, 0x7E, F, 0, 4) \
  TN_X86_INT_EVEX(_, PERMT2Q, "permt2q", 38, 0x7E, F, 1, 8) \
  TN_X86_INT_EVEX(_, PERMT2PS, "permt2ps", 38, 0x7F, F, 0, 4) \
  TN_X86_INT_EVEX(_, PERMT2PD, "permt2pd", 38, 0x7F, F, 1, 8) \
  TN_X86_INT_EVEX(_, PERMI2D, "permi2d", 38, 0x76, F, 0, 4) \
  TN_X86_INT_EVEX(_, PERMI2PS, "permi2ps", 38, 0x77, F, 0, 4) \
  TN_X86_INT_EVEX(_, PERMT2W, "permt2w", 38, 0x7D, BW, 1, N) \
  TN_X86_INT_EVEX(_, PERMT2B, "permt2b", 38, 0x7D, VBMI, 0, N) \
  _(VBROADCASTSS, "vbroadcastss", "VxWd", 66, 38, 0x18, R, VE, XYZ, 0,  N, Z, N, N, AVX2, F) \
  _(VBROADCASTSD, "vbroadcastsd", "VxWq", 66, 38, 0x19, R, VE, YZ,  E1, N, Z, N, N, AVX2, F) \
  _(VBROADCASTF128,  "vbroadcastf128",  "VxMo", 66, 38, 0x1A, R, V, Y,  0, N, N, N, N, AVX, N) \
  _(VBROADCASTF32X4, "vbroadcastf32x4", "VxMo", 66, 38, 0x1A, R, E, YZ, 0, N, Z, N, N, N, F) \
  _(VPBROADCASTB,   "vpbroadcastb", "VxWb", 66, 38, 0x78, R, VE, XYZ, 0,  N, Z, N, N, AVX2, BW) \
  _(VPBROADCASTB_2, "vpbroadcastb", "VxRd", 66, 38, 0x7A, R, E,  XYZ, 0,  N, Z, N, N, N,    BW) \
  _(VPBROADCASTW,   "vpbroadcastw", "VxWw", 66, 38, 0x79, R, VE, XYZ, 0,  N, Z, N, N, AVX2, BW) \
  _(VPBROADCASTW_2, "vpbroadcastw", "VxRd", 66, 38, 0x7B, R, E,  XYZ, 0,  N, Z, N, N, N,    BW) \
  _(VPBROADCASTD,   "vpbroadcastd", "VxWd", 66, 38, 0x58, R, VE, XYZ, 0,  N, Z, N, N, AVX2, F) \
  _(VPBROADCASTD_2, "vpbroadcastd", "VxRd", 66, 38, 0x7C, R, E,  XYZ, 0,  N, Z, N, N, N,    F) \
  _(VPBROADCASTQ,   "vpbroadcastq", "VxWq", 66, 38, 0x59, R, VE, XYZ, E1, N, Z, N, N, AVX2, F) \
  _(VPBROADCASTQ_2, "vpbroadcastq", "VxRq", 66, 38, 0x7C, R, E,  XYZ, 1,  N, Z, N, N, N,    F) \
  _(VMOVDDUP,  "vmovddup",  "VxWx", F2, 0F, 0x12, R, VE, YZ,  E1, N, Z, N, N, AVX, F) \
  _(VMOVSLDUP, "vmovsldup", "VxWx", F3, 0F, 0x12, R, VE, XYZ, 0,  N, Z, N, N, AVX, F) \
  _(VMOVSHDUP, "vmovshdup", "VxWx", F3, 0F, 0x16, R, VE, XYZ, 0,  N, Z, N, N, AVX, F) \
  TN_X86_GATHER(_, VPGATHERDD, "vpgatherdd", "x", "x", 0x90, 0, 4) \
  TN_X86_GATHER(_, VPGATHERDQ, "vpgatherdq", "x", "h", 0x90, 1, 8) \
  TN_X86_GATHER(_, VPGATHERQD, "vpgatherqd", "h", "x", 0x91, 0, 4) \
  TN_X86_GATHER(_, VPGATHERQQ, "vpgatherqq", "x", "x", 0x91, 1, 8) \
  TN_X86_GATHER(_, VGATHERDPS, "vgatherdps", "x", "x", 0x92, 0, 4) \
  TN_X86_GATHER(_, VGATHERDPD, "vgatherdpd", "x", "h", 0x92, 1, 8) \
  TN_X86_GATHER(_, VGATHERQPS, "vgatherqps", "h", "x", 0x93, 0, 4) \
  TN_X86_GATHER(_, VGATHERQPD, "vgatherqpd", "x", "x", 0x93, 1, 8) \
  TN_X86_SCATTER(_, VPSCATTERDD, "vpscatterdd", "x", "x", 0xA0, 0, 4) \
  TN_X86_SCATTER(_, VPSCATTERDQ, "vpscatterdq", "x", "h", 0xA0, 1, 8) \
  TN_X86_SCATTER(_, VPSCATTERQD, "vpscatterqd", "h", "x", 0xA1, 0, 4) \
  TN_X86_SCATTER(_, VPSCATTERQQ, "vpscatterqq", "x", "x", 0xA1, 1, 8) \
  TN_X86_SCATTER(_, VSCATTERDPS, "vscatterdps", "x", "x", 0xA2, 0, 4) \
  TN_X86_SCATTER(_, VSCATTERDPD, "vscatterdpd", "x", "h", 0xA2, 1, 8) \
  TN_X86_SCATTER(_, VSCATTERQPS, "vscatterqps", "h", "x", 0xA3, 0, 4) \
  TN_X86_SCATTER(_, VSCATTERQPD, "vscatterqpd", "x", "x", 0xA3, 1, 8) \
  TN_X86_KMOV(_, KMOVB, "kmovb", "b", "d", 66, 0, 66, 0, DQ) TN_X86_KMOV(_, KMOVW, "kmovw", "w", "d", NP, 0, NP, 0, F) \
  TN_X86_KMOV(_, KMOVD, "kmovd", "d", "d", 66, 1, F2, 0, BW) \
  TN_X86_KMOV(_, KMOVQ, "kmovq", "q", "q", NP, 1, F2, 1, BW) \
  TN_X86_MASK(_, KAND,  "kand",  "PnTnNn", 0F, 0x41, Y) TN_X86_MASK(_, KANDN, "kandn", "PnTnNn", 0F, 0x42, Y) \
  TN_X86_MASK(_, KOR,   "kor",   "PnTnNn", 0F, 0x45, Y) TN_X86_MASK(_, KXNOR, "kxnor", "PnTnNn", 0F, 0x46, Y) \
  TN_X86_MASK(_, KXOR,  "kxor",  "PnTnNn", 0F, 0x47, Y) TN_X86_MASK(_, KNOT,  "knot",  "PnNn",   0F, 0x44, X) \
  TN_X86_MASK(_, KORTEST, "kortest", "PnNn", 0F, 0x98, X) \
  TN_X86_KSHIFT(_, KSHIFTRB, "kshiftrb", 0x30, 0, DQ) TN_X86_KSHIFT(_, KSHIFTRW, "kshiftrw", 0x30, 1, F) \
  TN_X86_KSHIFT(_, KSHIFTRD, "kshiftrd", 0x31, 0, BW) TN_X86_KSHIFT(_, KSHIFTRQ, "kshiftrq", 0x31, 1, BW) \
  TN_X86_KSHIFT(_, KSHIFTLB, "kshiftlb", 0x32, 0, DQ) TN_X86_KSHIFT(_, KSHIFTLW, "kshiftlw", 0x32, 1, F) \
  TN_X86_KSHIFT(_, KSHIFTLD, "kshiftld", 0x33, 0, BW) TN_X86_KSHIFT(_, KSHIFTLQ, "kshiftlq", 0x33, 1, BW) \
  _(KUNPCKBW, "kunpckbw", "PnTnNn", 66, 0F, 0x4B, R, V, Y, 0, N, N, N, N, F,  N) \
  _(KUNPCKWD, "kunpckwd", "PnTnNn", NP, 0F, 0x4B, R, V, Y, 0, N, N, N, N, BW, N) \
  _(KUNPCKDQ, "kunpckdq", "PnTnNn", NP, 0F, 0x4B, R, V, Y, 1, N, N, N, N, BW, N) \
  _(VPTESTMB,  "vptestmb",  "PnHxWx", 66, 38, 0x26, R, E, XYZ, 0, N, M, N, N, N, BW) \
  _(VPTESTMD,  "vptestmd",  "PnHxWx", 66, 38, 0x27, R, E, XYZ, 0, 4, M, N, N, N, F) \
  _(VPTESTMQ,  "vptestmq",  "PnHxWx", 66, 38, 0x27, R, E, XYZ, 1, 8, M, N, N, N, F) \
  _(VPTESTNMD, "vptestnmd", "PnHxWx", F3, 38, 0x27, R, E, XYZ, 0, 4, M, N, N, N, F) \
  _(VPMOVM2B, "vpmovm2b", "VxNn", F3, 38, 0x28, R, E, XYZ, 0, N, N, N, N, N, BW) \
  _(VPMOVM2W, "vpmovm2w", "VxNn", F3, 38, 0x28, R, E, XYZ, 1, N, N, N, N, N, BW) \
  _(VPMOVM2D, "vpmovm2d", "VxNn", F3, 38, 0x38, R, E, XYZ, 0, N, N, N, N, N, DQ) \
  _(VPMOVM2Q, "vpmovm2q", "VxNn", F3, 38, 0x38, R, E, XYZ, 1, N, N, N, N, N, DQ) \
  _(VPMOVB2M, "vpmovb2m", "PnUx", F3, 38, 0x29, R, E, XYZ, 0, N, N, N, N, N, BW) \
  _(VPMOVD2M, "vpmovd2m", "PnUx", F3, 38, 0x39, R, E, XYZ, 0, N, N, N, N, N, DQ) \
  _(VPMOVQ2M, "vpmovq2m", "PnUx", F3, 38, 0x39, R, E, XYZ, 1, N, N, N, N, N, DQ) \
  _(VZEROUPPER, "vzeroupper", "", NP, 0F, 0x77, R, V, X, 0, N, N, N, N, AVX, N) \
  _(VZEROALL,   "vzeroall",   "", NP, 0F, 0x77, R, V, Y, 0, N, N, N, N, AVX, N)

// ** tiles **

#define TN_X86_TILE(_, id, name, ops, pp, op, ext) _(id, name, ops, pp, 38, op, ext, V, X, 0, N, N, N, N, AMX, N)
#define TN_X86_TILES(_) \
  TN_X86_TILE(_, LDTILECFG, "ldtilecfg", "Mn", NP, 0x49, 0) TN_X86_TILE(_, STTILECFG, "sttilecfg", "Mn", 66, 0x49, 0) \
  TN_X86_TILE(_, TILERELEASE, "tilerelease", "",   NP, 0x49, 0) \
  TN_X86_TILE(_, TILEZERO,    "tilezero",    "An", F2, 0x49, R) \
  TN_X86_TILE(_, TILELOADD,   "tileloadd",   "AnYn", F2, 0x4B, R) \
  TN_X86_TILE(_, TILELOADDT1, "tileloaddt1", "AnYn", 66, 0x4B, R) \
  TN_X86_TILE(_, TILESTORED,  "tilestored",  "YnAn", F3, 0x4B, R) \
  TN_X86_TILE(_, TDPBF16PS, "tdpbf16ps", "AnCnDn", F3, 0x5C, R) \
  TN_X86_TILE(_, TDPBSSD, "tdpbssd", "AnCnDn", F2, 0x5E, R) \
  TN_X86_TILE(_, TDPBSUD, "tdpbsud", "AnCnDn", F3, 0x5E, R) TN_X86_TILE(_, TDPBUSD, "tdpbusd", "AnCnDn", 66, 0x5E, R) \
  TN_X86_TILE(_, TDPBUUD, "tdpbuud", "AnCnDn", NP, 0x5E, R)

#define TN_X86_TABLE(_) \
  TN_X86_INTEGERS(_) TN_X86_FLOATS(_) TN_X86_CONVERSIONS(_) TN_X86_VECTORS(_) TN_X86_LANES(_) TN_X86_TILES(_)

// TN_X86_ADD ..: a row each; a name is known by its first.
enum {
#define TN_X86_ENUM(id, ...) TN_X86_##id,
  TN_X86_TABLE(TN_X86_ENUM)
#undef TN_X86_ENUM
  TN_X86_COUNT
};
static const tn_x86_row tn_x86_rows[TN_X86_COUNT] = {
#define TN_X86_ROW(id, name, ops, pp, map, op, ext, space, len, w, b, k, r, s, has, evex) \
  {name, TN_X86_PP_##pp | TN_X86_MAP_##map | TN_X86_EXT_##ext | TN_X86_SPACE_##space | TN_X86_LEN_##len | \
   TN_X86_W_##w | TN_X86_B_##b | TN_X86_K_##k | TN_X86_R_##r | TN_X86_S_##s, ops, (uint8_t)(op), TN_X86_HAS_##has, \
   TN_X86_HAS_##evex},
  TN_X86_TABLE(TN_X86_ROW)
#undef TN_X86_ROW
};

// Do rows a and b have one name?
static int tn_x86_same_name(int a, int b) {
  return tn_x86_rows[a].name == tn_x86_rows[b].name || !strcmp(tn_x86_rows[a].name, tn_x86_rows[b].name);
}

// ** instructions **

enum { TN_X86_NONE, TN_X86_GPR, TN_X86_VEC, TN_X86_MASKREG, TN_X86_MEM, TN_X86_IMM, TN_X86_TMM };  // kinds of operands
enum { TN_X86_NO_REG = 0xFF, TN_X86_RIP = 0xFE };            // of memory: no base, no index; base: the next instruction
enum { TN_X86_MOST_OPERANDS = 5, TN_X86_LONGEST = 15 };
typedef struct tn_x86_operand {
  uint8_t kind, nbytes;                    // of a register, or of what is accessed; 0: memory without a size
  uint8_t reg, index, scale, wide;         // reg: or the base; scale: 1 2 4 8; wide: bytes of an index that is a vector
  int64_t imm;                             // or displacement; of jumps from the end of the instruction
} tn_x86_operand;
enum { TN_X86_RN = 1, TN_X86_RD, TN_X86_RU, TN_X86_RZ, TN_X86_SAE };
typedef struct tn_x86_ins {
  uint16_t op; uint8_t n, mask, zero, round, broadcast;      // op: the first row of its name; mask: 0: none, of k1..k7
  tn_x86_operand o[TN_X86_MOST_OPERANDS];
} tn_x86_ins;
#endif
