// amd: the machine instructions of AMD's GPUs, of three families: their chips, and what an instruction is made of.
//
// In:  nothing. Out: types that amd_table.c (rows), amd_layout.c (bits), amd_code.c (words), amd_text.c and amd_parse.c
//      (text, as LLVM spells it) share.
// Holds: an instruction of 0 bytes everywhere is none. Operands stand in the assembler's order; what is not an operand
//      (offsets, caches, lanes) is a modifier, by number. On gfx11 and gfx12 masks are those of wave32.
// Source: AMD's "RDNA3", "RDNA4" and "CDNA3 Instruction Set Architecture" reference guides; LLVM's AMDGPU user guide.
// What is taken where several encodings would do is what LLVM's assembler takes: tests/test_amd_isa.c compares all.
#ifndef TN_ISA_AMD
#define TN_ISA_AMD
#include <stdint.h>
#include <string.h>

// ** chips **

enum { TN_AMD_GFX11, TN_AMD_GFX12, TN_AMD_GFX9, TN_AMD_FAMILIES };     // RDNA3, RDNA4, CDNA3
// Families as bits.
enum { TN_AMD_ON_11 = 1 << TN_AMD_GFX11, TN_AMD_ON_12 = 1 << TN_AMD_GFX12, TN_AMD_ON_9 = 1 << TN_AMD_GFX9,
  TN_AMD_ON_RDNA = TN_AMD_ON_11 | TN_AMD_ON_12, TN_AMD_ON_ALL = TN_AMD_ON_RDNA | TN_AMD_ON_9 };

// vgprs: of a SIMD for a lane of the narrowest wave; granule: in which a wave is given them, of wave: 32 or 64 lanes;
// waves: that a SIMD holds; simds: of a unit that shares LDS (a CU; on RDNA half a WGP); sgprs: that a wave may name
typedef struct tn_amd_chip {
  char name[8]; uint8_t family, elf, wave, waves, simds, granule; uint16_t vgprs, sgprs; uint32_t lds;
} tn_amd_chip;
// elf: the processor in e_flags (LLVM, AMDGPUUsage, "AMDGPU Machine Codes"); limits: LLVM's AMDGPUBaseInfo
static const tn_amd_chip tn_amd_chips[] = {
  {"gfx1100", TN_AMD_GFX11, 0x41, 32, 16, 2, 24, 1536, 106, 65536},
  {"gfx1101", TN_AMD_GFX11, 0x46, 32, 16, 2, 24, 1536, 106, 65536},
  {"gfx1102", TN_AMD_GFX11, 0x47, 32, 16, 2, 16, 1024, 106, 65536},
  {"gfx1103", TN_AMD_GFX11, 0x44, 32, 16, 2, 16, 1024, 106, 65536},
  {"gfx1150", TN_AMD_GFX11, 0x43, 32, 16, 2, 16, 1024, 106, 65536},
  {"gfx1151", TN_AMD_GFX11, 0x4A, 32, 16, 2, 24, 1536, 106, 65536},
  {"gfx1200", TN_AMD_GFX12, 0x48, 32, 16, 2, 24, 1536, 106, 65536},
  {"gfx1201", TN_AMD_GFX12, 0x4E, 32, 16, 2, 24, 1536, 106, 65536},
  {"gfx942",  TN_AMD_GFX9,  0x4C, 64,  8, 4,  8,  512, 102, 65536}
};
enum { TN_AMD_CHIPS = sizeof tn_amd_chips / sizeof *tn_amd_chips };

// ** formats: of an opcode; a row says which in each family **

enum { TN_AMD_NO_FORMAT, TN_AMD_SOP2, TN_AMD_SOP1, TN_AMD_SOPC, TN_AMD_SOPK, TN_AMD_SOPP, TN_AMD_SMEM, TN_AMD_VOP1,
  TN_AMD_VOP2, TN_AMD_VOPC, TN_AMD_VOP3, TN_AMD_VOP3SD, TN_AMD_VOP3P, TN_AMD_MFMA, TN_AMD_VOPD, TN_AMD_DS, TN_AMD_FLAT,
  TN_AMD_SCRATCH, TN_AMD_GLOBAL, TN_AMD_MUBUF, TN_AMD_FORMATS };

// ** instructions **

// Kinds of operands. VGPR, AGPR: reg is the number. SGPR: reg is a code below; a pair by its first. SPECIAL: a scalar
// that is only read. INLINE: the constant of code reg, 128 to 208 whole numbers, 240 to 248 floats. LITERAL: value, 32
// bits, of f64 the upper ones. NUMBER: value of simm16. OFF: no register stands where one could.
enum { TN_AMD_NONE, TN_AMD_VGPR, TN_AMD_AGPR, TN_AMD_SGPR, TN_AMD_SPECIAL, TN_AMD_INLINE, TN_AMD_LITERAL,
  TN_AMD_NUMBER, TN_AMD_OFF };
// Codes of SGPR from 102 on, the same of all families in an instruction (gfx9's own words say 124 for M0).
enum { TN_AMD_FLAT_SCRATCH = 102, TN_AMD_XNACK_MASK = 104,             // gfx9 alone
  TN_AMD_VCC = 106, TN_AMD_TTMP = 108, TN_AMD_NULL = 124, TN_AMD_M0 = 125, TN_AMD_EXEC = 126 };
enum { TN_AMD_SHARED_BASE = 235, TN_AMD_SHARED_LIMIT, TN_AMD_PRIVATE_BASE, TN_AMD_PRIVATE_LIMIT,
  TN_AMD_POPS_ID, TN_AMD_VCCZ = 251, TN_AMD_EXECZ, TN_AMD_SCC };                       // of SPECIAL

// Modifiers of a whole instruction.
enum {
  TN_AMD_CLAMP, TN_AMD_OMOD,               // OMOD: result times 1, 2, 4, 1/2
  TN_AMD_OFFSET, TN_AMD_OFFSET1,           // bytes; of ds_*2*: elements, OFFSET of the first
  TN_AMD_GLC, TN_AMD_SLC, TN_AMD_DLC,      // gfx11
  TN_AMD_SCOPE, TN_AMD_TH, TN_AMD_NV,      // gfx12: 0 to 3, CU SE DEV SYS; temporal hint
  TN_AMD_SC0, TN_AMD_SC1, TN_AMD_NT,       // gfx9
  TN_AMD_TFE, TN_AMD_OFFEN, TN_AMD_IDXEN,  // of buffers; TFE: another dword says which loads failed
  TN_AMD_CBSZ, TN_AMD_ABID, TN_AMD_BLGP,   // of MFMA; BLGP of f64: which operands are negated
  TN_AMD_BYTE_SEL, TN_AMD_INDEX_KEY,       // of gfx12: which byte of fp8, which half of the indices of SWMMAC
  TN_AMD_DPP_CTRL, TN_AMD_BOUND_CTRL, TN_AMD_FI, TN_AMD_ROW_MASK, TN_AMD_BANK_MASK,
  TN_AMD_LANES_8,                          // of DPP8: eight lanes of 3 bits
  TN_AMD_DST_SEL, TN_AMD_DST_UNUSED, TN_AMD_SRC0_SEL, TN_AMD_SRC1_SEL, // of SDWA
  TN_AMD_MODIFIERS
};
enum { TN_AMD_PLAIN, TN_AMD_DPP16, TN_AMD_DPP8, TN_AMD_SDWA };         // how src0 passes from lane to lane

enum { TN_AMD_MOST_OPERANDS = 5, TN_AMD_MOST_WORDS = 4 };
// neg, abs: of packed operands of the low and of the high half. op_sel, op_sel_hi: which half is taken for the low and
// the high half; op_sel of what is written: into which. sext: of SDWA. sub: of virtual registers (amd_list.c).
typedef struct tn_amd_operand {
  uint8_t kind, dwords, neg, abs, op_sel, op_sel_hi, sext, sub;
  uint16_t reg;
  uint32_t value;
} tn_amd_operand;
// long_form: VOP1, VOP2 and VOPC as VOP3. A pair that is issued as one (VOPD): op and o are the first of it, op_y and y
// the second, 0: it is none.
typedef struct tn_amd_ins {
  uint16_t op, op_y;
  uint8_t family, n, n_y, long_form, lanes;
  tn_amd_operand o[TN_AMD_MOST_OPERANDS], y[4];
  int32_t m[TN_AMD_MODIFIERS];
} tn_amd_ins;
#endif
