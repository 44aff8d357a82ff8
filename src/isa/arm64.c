// arm64: the instructions of A64 that kernels are made of, as one table: name, operands, word, arrangement, features.
//
// In:  nothing. Out: tn_arm64_rows, from which arm64_encode.c makes words and arm64_text.c text, and instructions of
// words. Rows of one name stand together, and the first that takes the operands is taken. Operands stand in the
// assembler's order, two letters each: where, and what.
//   D N M A  general register at bit 0, 5, 16, 10      S T E  the same as M, shifted; shifted or rotated; extended
//     w x: of 4, 8 bytes   r: either, which bit 31 says   p: as r, and 31 is sp   X: 8 bytes, and 31 is sp
//     k: as wide as the element wants   n: of 4 bytes, bit 22 as bit 31
//   d n m a  vector register at bit 0, 5, 16, 10          o  at 5 and 16      L  in braces at bit 0
//     b h s d q: a scalar of 1 to 16 bytes   f: a scalar of the row's element   v: of the row's arrangement
//     w: twice as wide elements, 16 bytes   B: bytes   t: 16 bytes in braces
//     l: a lane, imm5   j: a lane, imm4   i: a lane, H:L:M   g: four bytes of a lane, H:L    1 2 4 8: a lane, Q:S:size
//   # number  [ memory  J distance  c condition: arm64_encode.c says which
// The row's arrangement: which elements (1 2 4 8 bytes, their sum), how its word tells them, and whether 8 or 16 bytes.
// Source: Arm Architecture Reference Manual for A-profile (DDI 0487K.a), C4.1, C6.2, C7.2. What is taken where several
// encodings would do is what LLVM's assembler takes: tests/test_arm64.c compares all of it.
#ifndef TN_ISA_ARM64
#define TN_ISA_ARM64
#ifndef TINY_AMALGAMATED
#include "../base/text.c"
#endif

// How the word tells the element: not; log2 at bit 22; doubles at bit 22; type of a scalar at bit 22; the wider one at
// bit 22; lowest bit of imm5; highest bit of immh; log2 at bit 10.
enum { TN_ARM64_BY_N, TN_ARM64_BY_SIZE, TN_ARM64_BY_SZ, TN_ARM64_BY_TYPE, TN_ARM64_BY_WIDER, TN_ARM64_BY_IMM5,
  TN_ARM64_BY_IMMH, TN_ARM64_BY_LOAD };
// Bytes of the vector, by bit 30: not told; either; 8; 16; either, but of 4-byte elements 16
enum { TN_ARM64_Q_N, TN_ARM64_Q_E, TN_ARM64_Q_8, TN_ARM64_Q_16, TN_ARM64_Q_M };
// What the processor has; N: all that are arm64.
enum { TN_ARM64_HAS_N, TN_ARM64_HAS_FP16, TN_ARM64_HAS_DOTPROD };

typedef struct tn_arm64_row {
  const char *name; char operands[11]; uint32_t word; uint8_t by, elements, q, has;
} tn_arm64_row;

// ** columns: id, name, operands, word, how the element is told, elements, bytes of vectors, feature **

#define TN_ARM64_G(_, id, name, ops, word) _(id, name, ops, word, N, 0, N, N)
// Shifted registers and immediates, with and without flags; the same of logic.
#define TN_ARM64_SUM(_, id, name, n) \
  TN_ARM64_G(_, id, name, "DpNp#a", 0x11000000 | (uint32_t)n << 29) \
  TN_ARM64_G(_, id##_2, name, "DrNrSr", 0x0B000000 | (uint32_t)n << 29) \
  TN_ARM64_G(_, id##_3, name, "DpNpEr", 0x0B200000 | (uint32_t)n << 29)
#define TN_ARM64_SUM_FLAGS(_, id, name, n) \
  TN_ARM64_G(_, id, name, "DrNp#a", 0x11000000 | (uint32_t)n << 29) \
  TN_ARM64_G(_, id##_2, name, "DrNrSr", 0x0B000000 | (uint32_t)n << 29) \
  TN_ARM64_G(_, id##_3, name, "DrNpEr", 0x0B200000 | (uint32_t)n << 29)
#define TN_ARM64_LOGIC(_, id, name, n, d) \
  TN_ARM64_G(_, id, name, d "Nr#l", 0x12000000 | (uint32_t)n << 29) \
  TN_ARM64_G(_, id##_2, name, "DrNrTr", 0x0A000000 | (uint32_t)n << 29)
#define TN_ARM64_CC(_, c, name, n) TN_ARM64_G(_, B_##c, "b." name, "J9", 0x54000000 | n)

#define TN_ARM64_INTEGERS(_) \
  TN_ARM64_G(_, MOV, "mov", "DrMr", 0x2A0003E0) \
  _(MOV_2, "mov", "dvov", 0x0EA01C00, N, 1, E, N) \
  TN_ARM64_G(_, CMP, "cmp", "Np#a", 0x7100001F) TN_ARM64_G(_, CMP_2, "cmp", "NrSr", 0x6B00001F) \
  TN_ARM64_G(_, CMP_3, "cmp", "NpEr", 0x6B20001F) \
  TN_ARM64_G(_, CMN, "cmn", "Np#a", 0x3100001F) TN_ARM64_G(_, CMN_2, "cmn", "NrSr", 0x2B00001F) \
  TN_ARM64_G(_, NEG, "neg", "DrSr", 0x4B0003E0) _(NEG_2, "neg", "dvnv", 0x2E20B800, SIZE, 15, E, N) \
  TN_ARM64_SUM(_, ADD, "add", 0) _(ADD_4, "add", "dvnvmv", 0x0E208400, SIZE, 15, E, N) \
  TN_ARM64_SUM(_, SUB, "sub", 2) _(SUB_4, "sub", "dvnvmv", 0x2E208400, SIZE, 15, E, N) \
  TN_ARM64_SUM_FLAGS(_, ADDS, "adds", 1) TN_ARM64_SUM_FLAGS(_, SUBS, "subs", 3) \
  TN_ARM64_G(_, TST, "tst", "Nr#l", 0x7200001F) TN_ARM64_G(_, TST_2, "tst", "NrTr", 0x6A00001F) \
  TN_ARM64_G(_, MVN, "mvn", "DrTr", 0x2A2003E0) _(MVN_2, "mvn", "dvnv", 0x2E205800, N, 1, E, N) \
  TN_ARM64_LOGIC(_, AND, "and", 0, "Dp") _(AND_3, "and", "dvnvmv", 0x0E201C00, N, 1, E, N) \
  TN_ARM64_LOGIC(_, ORR, "orr", 1, "Dp") _(ORR_3, "orr", "dvnvmv", 0x0EA01C00, N, 1, E, N) \
  TN_ARM64_LOGIC(_, EOR, "eor", 2, "Dp") _(EOR_3, "eor", "dvnvmv", 0x2E201C00, N, 1, E, N) \
  TN_ARM64_LOGIC(_, ANDS, "ands", 3, "Dr") \
  TN_ARM64_G(_, BIC, "bic", "DrNrTr", 0x0A200000) _(BIC_2, "bic", "dvnvmv", 0x0E601C00, N, 1, E, N) \
  TN_ARM64_G(_, ORN, "orn", "DrNrTr", 0x2A200000) _(ORN_2, "orn", "dvnvmv", 0x0EE01C00, N, 1, E, N) \
  TN_ARM64_G(_, EON, "eon", "DrNrTr", 0x4A200000) TN_ARM64_G(_, BICS, "bics", "DrNrTr", 0x6A200000) \
  TN_ARM64_G(_, MOVN, "movn", "Dr#m", 0x12800000) TN_ARM64_G(_, MOVZ, "movz", "Dr#m", 0x52800000) \
  TN_ARM64_G(_, MOVK, "movk", "Dr#m", 0x72800000) \
  TN_ARM64_G(_, MUL, "mul", "DrNrMr", 0x1B007C00) _(MUL_2, "mul", "dvnvmv", 0x0E209C00, SIZE, 7, E, N) \
  _(MUL_3, "mul", "dvnvmi", 0x0F008000, SIZE, 6, E, N) \
  TN_ARM64_G(_, MNEG, "mneg", "DrNrMr", 0x1B00FC00) \
  TN_ARM64_G(_, MADD, "madd", "DrNrMrAr", 0x1B000000) TN_ARM64_G(_, MSUB, "msub", "DrNrMrAr", 0x1B008000) \
  TN_ARM64_G(_, SMULL, "smull", "DxNwMw", 0x9B207C00) _(SMULL_2, "smull", "dwnvmv", 0x0E20C000, SIZE, 7, 8, N) \
  _(SMULL2, "smull2", "dwnvmv", 0x0E20C000, SIZE, 7, 16, N) \
  TN_ARM64_G(_, UMULL, "umull", "DxNwMw", 0x9BA07C00) _(UMULL_2, "umull", "dwnvmv", 0x2E20C000, SIZE, 7, 8, N) \
  _(UMULL2, "umull2", "dwnvmv", 0x2E20C000, SIZE, 7, 16, N) _(UADDLP, "uaddlp", "dwnv", 0x2E202800, SIZE, 7, 16, N) \
  _(SMLAL, "smlal", "dwnvmv", 0x0E208000, SIZE, 7, 8, N) _(UMLAL, "umlal", "dwnvmv", 0x2E208000, SIZE, 7, 8, N) \
  TN_ARM64_G(_, SMULH, "smulh", "DxNxMx", 0x9B407C00) TN_ARM64_G(_, UMULH, "umulh", "DxNxMx", 0x9BC07C00) \
  TN_ARM64_G(_, SDIV, "sdiv", "DrNrMr", 0x1AC00C00) TN_ARM64_G(_, UDIV, "udiv", "DrNrMr", 0x1AC00800) \
  TN_ARM64_G(_, LSR, "lsr", "DrNr#r", 0x53007C00) TN_ARM64_G(_, LSR_2, "lsr", "DrNrMr", 0x1AC02400) \
  TN_ARM64_G(_, ASR, "asr", "DrNr#r", 0x13007C00) TN_ARM64_G(_, ASR_2, "asr", "DrNrMr", 0x1AC02800) \
  TN_ARM64_G(_, LSL, "lsl", "DrNr#s", 0x53000000) TN_ARM64_G(_, LSL_2, "lsl", "DrNrMr", 0x1AC02000) \
  TN_ARM64_G(_, ROR, "ror", "DrNrMr", 0x1AC02C00) TN_ARM64_G(_, EXTR, "extr", "DrNrMr#x", 0x13800000) \
  TN_ARM64_G(_, SXTB, "sxtb", "DrNn", 0x13001C00) TN_ARM64_G(_, SXTH, "sxth", "DrNn", 0x13003C00) \
  TN_ARM64_G(_, SXTW, "sxtw", "DxNw", 0x93407C00) \
  TN_ARM64_G(_, UXTB, "uxtb", "DwNw", 0x53001C00) TN_ARM64_G(_, UXTH, "uxth", "DwNw", 0x53003C00) \
  TN_ARM64_G(_, UBFM, "ubfm", "DrNr#i#j", 0x53000000) TN_ARM64_G(_, SBFM, "sbfm", "DrNr#i#j", 0x13000000) \
  TN_ARM64_G(_, BFM, "bfm", "DrNr#i#j", 0x33000000) \
  TN_ARM64_G(_, CLZ, "clz", "DrNr", 0x5AC01000) TN_ARM64_G(_, RBIT, "rbit", "DrNr", 0x5AC00000) \
  TN_ARM64_G(_, REV, "rev", "DwNw", 0x5AC00800) TN_ARM64_G(_, REV_2, "rev", "DxNx", 0xDAC00C00) \
  TN_ARM64_G(_, CSET, "cset", "Drci", 0x1A9F07E0) TN_ARM64_G(_, CSETM, "csetm", "Drci", 0x5A9F03E0) \
  TN_ARM64_G(_, CSEL, "csel", "DrNrMrcc", 0x1A800000) TN_ARM64_G(_, CSINC, "csinc", "DrNrMrcc", 0x1A800400) \
  TN_ARM64_G(_, CSINV, "csinv", "DrNrMrcc", 0x5A800000) TN_ARM64_G(_, CSNEG, "csneg", "DrNrMrcc", 0x5A800400) \
  TN_ARM64_G(_, CCMP, "ccmp", "NrMr#ncc", 0x7A400000) TN_ARM64_G(_, CCMP_2, "ccmp", "Nr#c#ncc", 0x7A400800) \
  TN_ARM64_G(_, B, "b", "J6", 0x14000000) TN_ARM64_G(_, BL, "bl", "J6", 0x94000000) \
  TN_ARM64_CC(_, EQ, "eq", 0) TN_ARM64_CC(_, NE, "ne", 1) TN_ARM64_CC(_, HS, "hs", 2) TN_ARM64_CC(_, LO, "lo", 3) \
  TN_ARM64_CC(_, MI, "mi", 4) TN_ARM64_CC(_, PL, "pl", 5) TN_ARM64_CC(_, VS, "vs", 6) TN_ARM64_CC(_, VC, "vc", 7) \
  TN_ARM64_CC(_, HI, "hi", 8) TN_ARM64_CC(_, LS, "ls", 9) TN_ARM64_CC(_, GE, "ge", 10) TN_ARM64_CC(_, LT, "lt", 11) \
  TN_ARM64_CC(_, GT, "gt", 12) TN_ARM64_CC(_, LE, "le", 13) \
  TN_ARM64_G(_, CBZ, "cbz", "DrJ9", 0x34000000) TN_ARM64_G(_, CBNZ, "cbnz", "DrJ9", 0x35000000) \
  TN_ARM64_G(_, TBZ, "tbz", "Dr#bJ4", 0x36000000) TN_ARM64_G(_, TBNZ, "tbnz", "Dr#bJ4", 0x37000000) \
  TN_ARM64_G(_, BR, "br", "Nx", 0xD61F0000) TN_ARM64_G(_, BLR, "blr", "Nx", 0xD63F0000) \
  TN_ARM64_G(_, RET, "ret", "", 0xD65F03C0) TN_ARM64_G(_, NOP, "nop", "", 0xD503201F) \
  TN_ARM64_G(_, BRK, "brk", "#I", 0xD4200000) \
  TN_ARM64_G(_, ADR, "adr", "DxJA", 0x10000000) TN_ARM64_G(_, ADRP, "adrp", "DxJP", 0x90000000)

// ** memory **

// Of general and of vector registers: scaled, by a register, before and after; and what is not scaled.
#define TN_ARM64_MOVE(_, id, name, d, word) \
  TN_ARM64_G(_, id, name, d "[u", word | 0x01000000) TN_ARM64_G(_, id##_R, name, d "[x", word | 0x00200800) \
  TN_ARM64_G(_, id##_P, name, d "[<", word | 0x00000C00) TN_ARM64_G(_, id##_Q, name, d "[>", word | 0x00000400)
#define TN_ARM64_MOVES(_, id, name, word) \
  TN_ARM64_MOVE(_, id, name, "Dw", 0xB8000000 | word) TN_ARM64_MOVE(_, id##_X, name, "Dx", 0xF8000000 | word) \
  TN_ARM64_MOVE(_, id##_B1, name, "db", 0x3C000000 | word) TN_ARM64_MOVE(_, id##_B2, name, "dh", 0x7C000000 | word) \
  TN_ARM64_MOVE(_, id##_B4, name, "ds", 0xBC000000 | word) TN_ARM64_MOVE(_, id##_B8, name, "dd", 0xFC000000 | word) \
  TN_ARM64_MOVE(_, id##_B16, name, "dq", 0x3C800000 | word)
#define TN_ARM64_UNSCALED(_, id, name, word) \
  TN_ARM64_G(_, id, name, "Dw[s", 0xB8000000 | word) TN_ARM64_G(_, id##_X, name, "Dx[s", 0xF8000000 | word) \
  TN_ARM64_G(_, id##_B1, name, "db[s", 0x3C000000 | word) TN_ARM64_G(_, id##_B2, name, "dh[s", 0x7C000000 | word) \
  TN_ARM64_G(_, id##_B4, name, "ds[s", 0xBC000000 | word) TN_ARM64_G(_, id##_B8, name, "dd[s", 0xFC000000 | word) \
  TN_ARM64_G(_, id##_B16, name, "dq[s", 0x3C800000 | word)
#define TN_ARM64_NARROW(_, id, name, word) \
  TN_ARM64_MOVE(_, LD##id, "ldr" name, "Dw", 0x00400000 | word) \
  TN_ARM64_MOVE(_, LDS##id, "ldrs" name, "Dw", 0x00C00000 | word) \
  TN_ARM64_MOVE(_, LDS##id##_X, "ldrs" name, "Dx", 0x00800000 | word) \
  TN_ARM64_MOVE(_, ST##id, "str" name, "Dw", word) \
  TN_ARM64_G(_, LDU##id, "ldur" name, "Dw[s", 0x00400000 | word) \
  TN_ARM64_G(_, LDUS##id, "ldurs" name, "Dw[s", 0x00C00000 | word) \
  TN_ARM64_G(_, LDUS##id##_X, "ldurs" name, "Dx[s", 0x00800000 | word) \
  TN_ARM64_G(_, STU##id, "stur" name, "Dw[s", word)
#define TN_ARM64_PAIR(_, id, name, a, b, word) \
  TN_ARM64_G(_, id, name, a b "[p", word | 0x01000000) TN_ARM64_G(_, id##_P, name, a b "[P", word | 0x01800000) \
  TN_ARM64_G(_, id##_Q, name, a b "[Q", word | 0x00800000)
#define TN_ARM64_PAIRS(_, id, name, load) \
  TN_ARM64_PAIR(_, id, name, "Dw", "Aw", 0x28000000 | load) \
  TN_ARM64_PAIR(_, id##_X, name, "Dx", "Ax", 0xA8000000 | load) \
  TN_ARM64_PAIR(_, id##_B4, name, "ds", "as", 0x2C000000 | load) \
  TN_ARM64_PAIR(_, id##_B8, name, "dd", "ad", 0x6C000000 | load) \
  TN_ARM64_PAIR(_, id##_B16, name, "dq", "aq", 0xAC000000 | load)
#define TN_ARM64_LANE(_, id, name, load) \
  TN_ARM64_G(_, id, name, "L1[b", 0x0D000000 | load) TN_ARM64_G(_, id##_2, name, "L2[b", 0x0D004000 | load) \
  TN_ARM64_G(_, id##_4, name, "L4[b", 0x0D008000 | load) TN_ARM64_G(_, id##_8, name, "L8[b", 0x0D008400 | load)

#define TN_ARM64_MEMORY(_) \
  TN_ARM64_MOVES(_, LDR, "ldr", 0x00400000) \
  TN_ARM64_G(_, LDR_L, "ldr", "DwJ9", 0x18000000) TN_ARM64_G(_, LDR_L8, "ldr", "DxJ9", 0x58000000) \
  TN_ARM64_G(_, LDR_LS, "ldr", "dsJ9", 0x1C000000) TN_ARM64_G(_, LDR_LD, "ldr", "ddJ9", 0x5C000000) \
  TN_ARM64_G(_, LDR_LQ, "ldr", "dqJ9", 0x9C000000) \
  TN_ARM64_MOVES(_, STR, "str", 0) \
  TN_ARM64_UNSCALED(_, LDUR, "ldur", 0x00400000) TN_ARM64_UNSCALED(_, STUR, "stur", 0) \
  TN_ARM64_NARROW(_, RB, "b", 0x38000000) TN_ARM64_NARROW(_, RH, "h", 0x78000000) \
  TN_ARM64_MOVE(_, LDRSW, "ldrsw", "Dx", 0xB8800000) TN_ARM64_G(_, LDURSW, "ldursw", "Dx[s", 0xB8800000) \
  TN_ARM64_PAIRS(_, LDP, "ldp", 0x00400000) TN_ARM64_PAIRS(_, STP, "stp", 0) \
  TN_ARM64_G(_, PRFM, "prfm", "#5[u", 0xF9800000) TN_ARM64_G(_, PRFM_R, "prfm", "#5[x", 0xF8A00800) \
  TN_ARM64_G(_, PRFUM, "prfum", "#5[s", 0xF8800000) \
  TN_ARM64_LANE(_, LD1, "ld1", 0x00400000) TN_ARM64_LANE(_, ST1, "st1", 0) \
  _(LD1R, "ld1r", "Lv[b", 0x0D40C000, LOAD, 15, E, N)

// ** floats **

// Of two sources, scalars and vectors, of halves, too.
#define TN_ARM64_FLOAT(_, id, name, scalar, vector, half) \
  _(id,     name, "dfnfmf", 0x1E200800 | scalar << 12, TYPE, 14, N, N) \
  _(id##_2, name, "dvnvmv", vector, SZ, 12, E, N) \
  _(id##_3, name, "dvnvmv", half, N, 2, E, FP16)
#define TN_ARM64_FLOAT_1(_, id, name, scalar, vector, half) \
  _(id,     name, "dfnf", 0x1E204000 | (uint32_t)scalar << 15, TYPE, 14, N, N) \
  _(id##_2, name, "dvnv", vector, SZ, 12, E, N) \
  _(id##_3, name, "dvnv", half, N, 2, E, FP16)
#define TN_ARM64_FLOAT_V(_, id, name, ops, vector, half) \
  _(id, name, ops, vector, SZ, 12, E, N) _(id##_2, name, ops, half, N, 2, E, FP16)

#define TN_ARM64_FLOATS(_) \
  TN_ARM64_FLOAT(_, FADD, "fadd", 2, 0x0E20D400, 0x0E401400) \
  TN_ARM64_FLOAT(_, FSUB, "fsub", 3, 0x0EA0D400, 0x0EC01400) \
  TN_ARM64_FLOAT(_, FMUL, "fmul", 0, 0x2E20DC00, 0x2E401C00) \
  _(FMUL_4, "fmul", "dvnvmi", 0x0F809000, SZ, 12, E, N) _(FMUL_5, "fmul", "dvnvmi", 0x0F009000, N, 2, E, FP16) \
  TN_ARM64_FLOAT(_, FDIV, "fdiv", 1, 0x2E20FC00, 0x2E403C00) \
  TN_ARM64_FLOAT(_, FMAX, "fmax", 4, 0x0E20F400, 0x0E403400) \
  TN_ARM64_FLOAT(_, FMIN, "fmin", 5, 0x0EA0F400, 0x0EC03400) \
  TN_ARM64_FLOAT(_, FMAXNM, "fmaxnm", 6, 0x0E20C400, 0x0E400400) \
  TN_ARM64_FLOAT(_, FMINNM, "fminnm", 7, 0x0EA0C400, 0x0EC00400) \
  _(FNMUL, "fnmul", "dfnfmf", 0x1E208800, TYPE, 14, N, N) \
  TN_ARM64_FLOAT_1(_, FABS, "fabs", 1, 0x0EA0F800, 0x0EF8F800) \
  TN_ARM64_FLOAT_1(_, FNEG, "fneg", 2, 0x2EA0F800, 0x2EF8F800) \
  TN_ARM64_FLOAT_1(_, FSQRT, "fsqrt", 3, 0x2EA1F800, 0x2EF9F800) \
  TN_ARM64_FLOAT_1(_, FRINTN, "frintn", 8, 0x0E218800, 0x0E798800) \
  TN_ARM64_FLOAT_1(_, FRINTP, "frintp", 9, 0x0EA18800, 0x0EF98800) \
  TN_ARM64_FLOAT_1(_, FRINTM, "frintm", 10, 0x0E219800, 0x0E799800) \
  TN_ARM64_FLOAT_1(_, FRINTZ, "frintz", 11, 0x0EA19800, 0x0EF99800) \
  TN_ARM64_FLOAT_1(_, FRINTA, "frinta", 12, 0x2E218800, 0x2E798800) \
  _(FMOV, "fmov", "dfnf", 0x1E204000, TYPE, 14, N, N) _(FMOV_2, "fmov", "df#f", 0x1E201000, TYPE, 14, N, N) \
  TN_ARM64_G(_, FMOV_3, "fmov", "Dwns", 0x1E260000) TN_ARM64_G(_, FMOV_4, "fmov", "dsNw", 0x1E270000) \
  TN_ARM64_G(_, FMOV_5, "fmov", "Dxnd", 0x9E660000) TN_ARM64_G(_, FMOV_6, "fmov", "ddNx", 0x9E670000) \
  _(FMOV_7, "fmov", "Dwnh", 0x1EE60000, N, 0, N, FP16) _(FMOV_8, "fmov", "dhNw", 0x1EE70000, N, 0, N, FP16) \
  _(FMOV_9, "fmov", "dv#F", 0x0F00F400, N, 4, E, N) _(FMOV_10, "fmov", "dv#F", 0x2F00F400, N, 8, 16, N) \
  _(FMOV_11, "fmov", "dv#F", 0x0F00FC00, N, 2, E, FP16) \
  _(FMADD, "fmadd", "dfnfmfaf", 0x1F000000, TYPE, 14, N, N) _(FMSUB, "fmsub", "dfnfmfaf", 0x1F008000, TYPE, 14, N, N) \
  _(FNMADD, "fnmadd", "dfnfmfaf", 0x1F200000, TYPE, 14, N, N) \
  _(FNMSUB, "fnmsub", "dfnfmfaf", 0x1F208000, TYPE, 14, N, N) \
  TN_ARM64_FLOAT_V(_, FMLA, "fmla", "dvnvmv", 0x0E20CC00, 0x0E400C00) \
  _(FMLA_3, "fmla", "dvnvmi", 0x0F801000, SZ, 12, E, N) _(FMLA_4, "fmla", "dvnvmi", 0x0F001000, N, 2, E, FP16) \
  TN_ARM64_FLOAT_V(_, FMLS, "fmls", "dvnvmv", 0x0EA0CC00, 0x0EC00C00) \
  _(FMLS_3, "fmls", "dvnvmi", 0x0F805000, SZ, 12, E, N) _(FMLS_4, "fmls", "dvnvmi", 0x0F005000, N, 2, E, FP16) \
  TN_ARM64_FLOAT_V(_, FADDP, "faddp", "dvnvmv", 0x2E20D400, 0x2E401400) \
  _(FCMP, "fcmp", "nfmf", 0x1E202000, TYPE, 14, N, N) _(FCMP_2, "fcmp", "nf#0", 0x1E202008, TYPE, 14, N, N) \
  _(FCSEL, "fcsel", "dfnfmfcc", 0x1E200C00, TYPE, 14, N, N) _(FCCMP, "fccmp", "nfmf#ncc", 0x1E200400, TYPE, 14, N, N) \
  TN_ARM64_FLOAT_V(_, FCMEQ, "fcmeq", "dvnvmv", 0x0E20E400, 0x0E402400) \
  TN_ARM64_FLOAT_V(_, FCMEQ_Z, "fcmeq", "dvnv#0", 0x0EA0D800, 0x0EF8D800) \
  TN_ARM64_FLOAT_V(_, FCMGE, "fcmge", "dvnvmv", 0x2E20E400, 0x2E402400) \
  TN_ARM64_FLOAT_V(_, FCMGE_Z, "fcmge", "dvnv#0", 0x2EA0C800, 0x2EF8C800) \
  TN_ARM64_FLOAT_V(_, FCMGT, "fcmgt", "dvnvmv", 0x2EA0E400, 0x2EC02400) \
  TN_ARM64_FLOAT_V(_, FCMGT_Z, "fcmgt", "dvnv#0", 0x0EA0C800, 0x0EF8C800) \
  TN_ARM64_FLOAT_V(_, FCMLE, "fcmle", "dvnv#0", 0x2EA0D800, 0x2EF8D800) \
  TN_ARM64_FLOAT_V(_, FCMLT, "fcmlt", "dvnv#0", 0x0EA0E800, 0x0EF8E800)

#define TN_ARM64_CONVERSIONS(_) \
  TN_ARM64_G(_, FCVT, "fcvt", "ddns", 0x1E22C000) TN_ARM64_G(_, FCVT_2, "fcvt", "dsnd", 0x1E624000) \
  TN_ARM64_G(_, FCVT_3, "fcvt", "dsnh", 0x1EE24000) TN_ARM64_G(_, FCVT_4, "fcvt", "ddnh", 0x1EE2C000) \
  TN_ARM64_G(_, FCVT_5, "fcvt", "dhns", 0x1E23C000) TN_ARM64_G(_, FCVT_6, "fcvt", "dhnd", 0x1E63C000) \
  _(SCVTF, "scvtf", "dfNr", 0x1E220000, TYPE, 14, N, N) \
  TN_ARM64_FLOAT_V(_, SCVTF_2, "scvtf", "dvnv", 0x0E21D800, 0x0E79D800) \
  _(UCVTF, "ucvtf", "dfNr", 0x1E230000, TYPE, 14, N, N) \
  TN_ARM64_FLOAT_V(_, UCVTF_2, "ucvtf", "dvnv", 0x2E21D800, 0x2E79D800) \
  _(FCVTZS, "fcvtzs", "Drnf", 0x1E380000, TYPE, 14, N, N) \
  TN_ARM64_FLOAT_V(_, FCVTZS_2, "fcvtzs", "dvnv", 0x0EA1B800, 0x0EF9B800) \
  _(FCVTZU, "fcvtzu", "Drnf", 0x1E390000, TYPE, 14, N, N) \
  TN_ARM64_FLOAT_V(_, FCVTZU_2, "fcvtzu", "dvnv", 0x2EA1B800, 0x2EF9B800) \
  _(FCVTL, "fcvtl", "dwnv", 0x0E217800, WIDER, 6, 8, N) _(FCVTL2, "fcvtl2", "dwnv", 0x0E217800, WIDER, 6, 16, N) \
  _(FCVTN, "fcvtn", "dvnw", 0x0E216800, WIDER, 6, 8, N) _(FCVTN2, "fcvtn2", "dvnw", 0x0E216800, WIDER, 6, 16, N)

// ** vectors of integers, lanes **

#define TN_ARM64_SAME(_, id, name, word, elements) _(id, name, "dvnvmv", word, SIZE, elements, E, N)
#define TN_ARM64_COMPARE(_, id, name, word, zero) \
  _(id, name, "dvnvmv", word, SIZE, 15, E, N) _(id##_Z, name, "dvnv#0", zero, SIZE, 15, E, N)
#define TN_ARM64_LONG(_, id, name, ops, word) \
  _(id, name, ops, word, IMMH, 7, 8, N) _(id##2, name "2", ops, word, IMMH, 7, 16, N)

#define TN_ARM64_VECTORS(_) \
  TN_ARM64_SAME(_, MLA, "mla", 0x0E209400, 7) _(MLA_2, "mla", "dvnvmi", 0x2F000000, SIZE, 6, E, N) \
  TN_ARM64_SAME(_, MLS, "mls", 0x2E209400, 7) _(MLS_2, "mls", "dvnvmi", 0x2F004000, SIZE, 6, E, N) \
  TN_ARM64_SAME(_, SMAX, "smax", 0x0E206400, 7) TN_ARM64_SAME(_, SMIN, "smin", 0x0E206C00, 7) \
  TN_ARM64_SAME(_, UMAX, "umax", 0x2E206400, 7) TN_ARM64_SAME(_, UMIN, "umin", 0x2E206C00, 7) \
  TN_ARM64_SAME(_, SSHL, "sshl", 0x0E204400, 15) TN_ARM64_SAME(_, USHL, "ushl", 0x2E204400, 15) \
  TN_ARM64_SAME(_, ADDP, "addp", 0x0E20BC00, 15) TN_ARM64_SAME(_, CMTST, "cmtst", 0x0E208C00, 15) \
  TN_ARM64_COMPARE(_, CMGT, "cmgt", 0x0E203400, 0x0E208800) TN_ARM64_COMPARE(_, CMGE, "cmge", 0x0E203C00, 0x2E208800) \
  TN_ARM64_COMPARE(_, CMEQ, "cmeq", 0x2E208C00, 0x0E209800) \
  TN_ARM64_SAME(_, CMHI, "cmhi", 0x2E203400, 15) TN_ARM64_SAME(_, CMHS, "cmhs", 0x2E203C00, 15) \
  _(CMLT, "cmlt", "dvnv#0", 0x0E20A800, SIZE, 15, E, N) _(CMLE, "cmle", "dvnv#0", 0x2E209800, SIZE, 15, E, N) \
  _(BSL, "bsl", "dvnvmv", 0x2E601C00, N, 1, E, N) _(BIT, "bit", "dvnvmv", 0x2EA01C00, N, 1, E, N) \
  _(BIF, "bif", "dvnvmv", 0x2EE01C00, N, 1, E, N) \
  _(ABS, "abs", "dvnv", 0x0E20B800, SIZE, 15, E, N) _(CNT, "cnt", "dvnv", 0x0E205800, N, 1, E, N) \
  _(ADDV, "addv", "dfnv", 0x0E31B800, SIZE, 7, M, N) _(SMAXV, "smaxv", "dfnv", 0x0E30A800, SIZE, 7, M, N) \
  _(SMINV, "sminv", "dfnv", 0x0E31A800, SIZE, 7, M, N) _(UMAXV, "umaxv", "dfnv", 0x2E30A800, SIZE, 7, M, N) \
  _(UMINV, "uminv", "dfnv", 0x2E31A800, SIZE, 7, M, N) \
  _(SSHR, "sshr", "dvnv#R", 0x0F000400, IMMH, 15, E, N) _(USHR, "ushr", "dvnv#R", 0x2F000400, IMMH, 15, E, N) \
  _(SHL, "shl", "dvnv#L", 0x0F005400, IMMH, 15, E, N) _(SLI, "sli", "dvnv#L", 0x2F005400, IMMH, 15, E, N) \
  _(SRI, "sri", "dvnv#R", 0x2F004400, IMMH, 15, E, N) \
  TN_ARM64_LONG(_, SSHLL, "sshll", "dwnv#L", 0x0F00A400) TN_ARM64_LONG(_, USHLL, "ushll", "dwnv#L", 0x2F00A400) \
  TN_ARM64_LONG(_, SHRN, "shrn", "dvnw#R", 0x0F008400) \
  _(XTN, "xtn", "dvnw", 0x0E212800, SIZE, 7, 8, N) _(XTN2, "xtn2", "dvnw", 0x0E212800, SIZE, 7, 16, N) \
  _(SDOT, "sdot", "dvnBmB", 0x0E809400, N, 4, E, DOTPROD) _(SDOT_2, "sdot", "dvnBmg", 0x0F80E000, N, 4, E, DOTPROD) \
  _(UDOT, "udot", "dvnBmB", 0x2E809400, N, 4, E, DOTPROD) _(UDOT_2, "udot", "dvnBmg", 0x2F80E000, N, 4, E, DOTPROD)
#define TN_ARM64_LANES(_) \
  TN_ARM64_SAME(_, ZIP1, "zip1", 0x0E003800, 15) TN_ARM64_SAME(_, ZIP2, "zip2", 0x0E007800, 15) \
  TN_ARM64_SAME(_, UZP1, "uzp1", 0x0E001800, 15) TN_ARM64_SAME(_, UZP2, "uzp2", 0x0E005800, 15) \
  TN_ARM64_SAME(_, TRN1, "trn1", 0x0E002800, 15) TN_ARM64_SAME(_, TRN2, "trn2", 0x0E006800, 15) \
  _(REV64, "rev64", "dvnv", 0x0E200800, SIZE, 7, E, N) _(REV32, "rev32", "dvnv", 0x2E200800, SIZE, 3, E, N) \
  _(REV16, "rev16", "dvnv", 0x0E201800, SIZE, 1, E, N) \
  _(EXT, "ext", "dvnvmv#e", 0x2E000000, N, 1, E, N) \
  _(TBL, "tbl", "dvntmv", 0x0E000000, N, 1, E, N) _(TBX, "tbx", "dvntmv", 0x0E001000, N, 1, E, N) \
  _(DUP, "dup", "dvnl", 0x0E000400, IMM5, 15, E, N) _(DUP_2, "dup", "dvNk", 0x0E000C00, IMM5, 15, E, N) \
  _(DUP_3, "dup", "dfnl", 0x5E000400, IMM5, 15, N, N) \
  _(INS, "ins", "dlnj", 0x6E000400, IMM5, 15, N, N) _(INS_2, "ins", "dlNk", 0x4E001C00, IMM5, 15, N, N) \
  _(UMOV, "umov", "Dwnl", 0x0E003C00, IMM5, 7, N, N) _(UMOV_2, "umov", "Dxnl", 0x4E003C00, IMM5, 8, N, N) \
  _(SMOV, "smov", "Dwnl", 0x0E002C00, IMM5, 3, N, N) _(SMOV_2, "smov", "Dxnl", 0x4E002C00, IMM5, 7, N, N) \
  _(MOVI, "movi", "dv#8", 0x0F00E400, N, 1, E, N) _(MOVI_2, "movi", "dv#v", 0x0F000400, N, 4, E, N) \
  _(MOVI_3, "movi", "dv#v", 0x0F008400, N, 2, E, N) _(MOVI_4, "movi", "dv#V", 0x2F00E400, N, 8, 16, N) \
  TN_ARM64_G(_, MOVI_5, "movi", "dd#V", 0x2F00E400) \
  _(MVNI, "mvni", "dv#v", 0x2F000400, N, 4, E, N) _(MVNI_2, "mvni", "dv#v", 0x2F008400, N, 2, E, N)

#define TN_ARM64_TABLE(_) \
  TN_ARM64_INTEGERS(_) TN_ARM64_MEMORY(_) TN_ARM64_FLOATS(_) TN_ARM64_CONVERSIONS(_) TN_ARM64_VECTORS(_) \
  TN_ARM64_LANES(_)

// TN_ARM64_ADD ..: a row each; a name is known by its first.
enum {
#define TN_ARM64_ENUM(id, ...) TN_ARM64_##id,
  TN_ARM64_TABLE(TN_ARM64_ENUM)
#undef TN_ARM64_ENUM
  TN_ARM64_COUNT
};
static const tn_arm64_row tn_arm64_rows[TN_ARM64_COUNT] = {
#define TN_ARM64_ROW(id, name, ops, word, by, elements, q, has) \
  {name, ops, word, TN_ARM64_BY_##by, elements, TN_ARM64_Q_##q, TN_ARM64_HAS_##has},
  TN_ARM64_TABLE(TN_ARM64_ROW)
#undef TN_ARM64_ROW
};

static int tn_arm64_same_name(int a, int b) {
  return tn_arm64_rows[a].name == tn_arm64_rows[b].name || !strcmp(tn_arm64_rows[a].name, tn_arm64_rows[b].name);
}

// ** instructions **

enum { TN_ARM64_NONE, TN_ARM64_GPR, TN_ARM64_VEC, TN_ARM64_VLANE, TN_ARM64_MEM, TN_ARM64_IMM };    // kinds of operands
enum { TN_ARM64_ZR = 31, TN_ARM64_SP = 32, TN_ARM64_NO_REG = 0xFF };
enum { TN_ARM64_BY_LSL, TN_ARM64_BY_LSR, TN_ARM64_BY_ASR, TN_ARM64_BY_ROR,  // of a register: shifted,
  TN_ARM64_BY_UXTB = 8, TN_ARM64_BY_UXTH, TN_ARM64_BY_UXTW, TN_ARM64_BY_UXTX, TN_ARM64_BY_SXTB, TN_ARM64_BY_SXTH,
  TN_ARM64_BY_SXTW, TN_ARM64_BY_SXTX };    // or extended
enum { TN_ARM64_OFFSET, TN_ARM64_BEFORE, TN_ARM64_AFTER };
enum { TN_ARM64_MOST_OPERANDS = 4 };
typedef struct tn_arm64_operand {
  uint8_t kind, nbytes, element;           // of the register; element: of its arrangement or lane, 0: a scalar
  uint8_t reg, index, shift, amount;       // reg: or the base; shift of the register or index
  uint8_t lane, mode;                      // mode: of memory, is the base changed?
  int64_t imm;                             // or displacement; of jumps from the instruction
} tn_arm64_operand;
typedef struct tn_arm64_ins { uint16_t op; uint8_t n; tn_arm64_operand o[TN_ARM64_MOST_OPERANDS]; } tn_arm64_ins;
#endif
