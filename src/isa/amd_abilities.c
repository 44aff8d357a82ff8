// amd_abilities: what a chip of AMD has of the ops, dtypes and flags that codegen asks for.
//
// In:  a chip. Out: tiny_renderer's ops, dtypes, narrow, atomics, dots, flags and exp2_ulps.
// Source: AMD's ISA guides (amd.c): atomics of f64 are gfx942's alone, fp8 of gfx942 is not OCP's; v_dot2, v_dot4.
#ifndef TN_ISA_AMD_ABILITIES
#define TN_ISA_AMD_ABILITIES
#ifndef TINY_AMALGAMATED
#include "amd_pairs.c"
#endif

static void tn_amd_abilities(tiny_renderer *r, const tn_amd_chip *chip) {
  const uint8_t on = TINY_ON_ELEMENTS | TINY_ON_VECTORS;
  static const uint8_t ops[] = {TINY_OP_NEG, TINY_OP_ADD, TINY_OP_SUB, TINY_OP_MUL, TINY_OP_FDIV, TINY_OP_CDIV,
    TINY_OP_CMOD, TINY_OP_MAX, TINY_OP_AND, TINY_OP_OR, TINY_OP_XOR, TINY_OP_SHL, TINY_OP_SHR, TINY_OP_LT, TINY_OP_NE,
    TINY_OP_EQ, TINY_OP_WHERE, TINY_OP_SQRT, TINY_OP_TRUNC, TINY_OP_EXP2, TINY_OP_FMA, TINY_OP_DOT, TINY_OP_CAST,
    TINY_OP_BITCAST, TINY_OP_BROADCAST, TINY_OP_PICK, TINY_OP_STACK, TINY_OP_LOAD, TINY_OP_STORE, TINY_OP_WMMA};
  static const uint8_t added[] = {TINY_I32, TINY_U32, TINY_I64, TINY_U64, TINY_F32};
  const int nine = chip->family == TN_AMD_GFX9;
  for (size_t i = 0; i < sizeof ops; i++) r->ops[ops[i]] = on;
  r->ops[TINY_OP_SHUFFLE] = TINY_ON_ELEMENTS;
  for (int d = TINY_BOOL; d <= TINY_F64; d++)
    r->dtypes |= (uint64_t)(!tn_amd_is_fp8(d) || chip->family == TN_AMD_GFX12) << d;
  for (size_t i = 0; i < sizeof added; i++) r->atomics |= (uint64_t)1 << added[i];
  if (nine) r->atomics |= (uint64_t)1 << TINY_F64;
  r->narrow = (uint64_t)1 << TINY_F16;
  r->dots = 1u << TINY_DOT_I8 | 1u << TINY_DOT_U8 | 1u << (nine ? TINY_DOT_I16 : TINY_DOT_U8_I8);
  if (!nine) r->dots |= 1u << TINY_DOT_BF16;
  r->exp2_ulps = 1;
  r->flags = TINY_TARGET_SATURATES | TINY_TARGET_ALIGNED;
}
#endif
