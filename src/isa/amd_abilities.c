#ifndef TN_ISA_AMD_ABILITIES
#define TN_ISA_AMD_ABILITIES
static void tn_amd_abilities(tiny_renderer *r, const tn_amd_chip *chip) {
  const uint8_t on = TINY_ON_ELEMENTS | TINY_ON_VECTORS;
  static const uint8_t ops[] = {TINY_OP_CAST, TINY_OP_BITCAST, TINY_OP_BROADCAST, TINY_OP_PICK, TINY_OP_STACK, TINY_OP_LOAD, TINY_OP_STORE, TINY_OP_WMMA,
    TINY_OP_NEG, TINY_OP_ADD, TINY_OP_SUB, TINY_OP_MUL, TINY_OP_FDIV, TINY_OP_MAX, TINY_OP_AND, TINY_OP_OR, TINY_OP_XOR, TINY_OP_SHL, TINY_OP_SHR,
    TINY_OP_LT, TINY_OP_NE, TINY_OP_EQ, TINY_OP_WHERE, TINY_OP_SQRT, TINY_OP_TRUNC, TINY_OP_EXP2, TINY_OP_FMA};
  for (size_t i = 0; i < sizeof ops; i++) r->ops[ops[i]] = on;
  r->ops[TINY_OP_SHUFFLE] = TINY_ON_ELEMENTS;
  for (int d = TINY_BOOL; d <= TINY_F64; d++) r->dtypes |= (uint64_t)(d != TINY_F8E4M3 && d != TINY_F8E5M2) << d;
  r->flags = TINY_TARGET_ALIGNED | TINY_TARGET_SATURATES;
  r->exp2_ulps = 1; (void)chip;
}
#endif
