// amd_operands: operands of instructions: registers, constants, numbers.
//
// In:  what they are. Out: a tn_amd_operand each.
#ifndef TN_ISA_AMD_OPERANDS
#define TN_ISA_AMD_OPERANDS
#ifndef TINY_AMALGAMATED
#include "amd_rules.c"
#include "amd_descriptor.c"
#endif

static tn_amd_operand tn_amd_register(int kind, int reg, int dwords) {
  tn_amd_operand o;
  memset(&o, 0, sizeof o);
  o.kind = (uint8_t)kind; o.reg = (uint16_t)reg; o.dwords = (uint8_t)dwords;
  return o;
}
static tn_amd_operand tn_amd_v(int reg, int dwords) { return tn_amd_register(TN_AMD_VGPR, reg, dwords); }
static tn_amd_operand tn_amd_s(int reg, int dwords) { return tn_amd_register(TN_AMD_SGPR, reg, dwords); }
static tn_amd_operand tn_amd_off(void) { return tn_amd_register(TN_AMD_OFF, 0, 0); }
// A whole number as a source: -16 to 64 are free, others are a literal.
static tn_amd_operand tn_amd_int(int32_t v) {
  const int inline_code = v >= 0 ? 128 + v : 192 - v, is_inline = v >= -16 && v <= 64;
  tn_amd_operand o = tn_amd_register(is_inline ? TN_AMD_INLINE : TN_AMD_LITERAL, is_inline ? inline_code : 0, 1);
  o.value = (uint32_t)v;
  return o;
}
// A float of 32 bits by its bits.
static tn_amd_operand tn_amd_bits(uint32_t bits) {
  static const uint32_t codes[] = {0x3F000000, 0xBF000000, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000, 0x40800000,
                                   0xC0800000, 0x3E22F983};
  tn_amd_operand o = tn_amd_register(TN_AMD_LITERAL, 0, 1);
  o.value = bits;
  for (int i = 0; i < 9; i++) if (codes[i] == bits) { o.kind = TN_AMD_INLINE; o.reg = (uint16_t)(240 + i); }
  return o;
}
static tn_amd_operand tn_amd_imm(int v) {                    // of s_* instructions
  tn_amd_operand o = tn_amd_register(TN_AMD_NUMBER, 0, 0);
  o.value = (uint32_t)v & 0xFFFF;
  return o;
}
#endif
