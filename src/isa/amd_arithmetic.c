// amd_arithmetic: what an element of an ALU op, a cast or a comparison is on AMD's GPUs.
//
// In:  a node, operands of one element of each of its sources. Out: the operand of its result.
#ifndef TN_ISA_AMD_ARITHMETIC
#define TN_ISA_AMD_ARITHMETIC
#ifndef TINY_AMALGAMATED
#include "amd_values.c"
#endif

// Element i of u, an elementwise op (CAST and BITCAST with as many lanes, too). o: of its sources.
static tn_amd_operand tn_amd_alu(tn_amd_selection *x, const tiny_uop *u, const tn_amd_operand *o) {
  const int d = u->nsrc ? u->src[u->op == TINY_OP_WHERE]->dtype : u->dtype;
  const int uniform = tn_amd_is_uniform(&o[0]) && (u->nsrc < 2 || tn_amd_is_uniform(&o[1]));
  if (d == TINY_F32)
    switch (u->op) {
      case TINY_OP_ADD: return tn_amd_v2(x, TN_AMD_V_ADD_F32, o[0], o[1]);
      case TINY_OP_SUB: return tn_amd_v2(x, TN_AMD_V_SUB_F32, o[0], o[1]);
      case TINY_OP_MUL: return tn_amd_v2(x, TN_AMD_V_MUL_F32, o[0], o[1]);
      case TINY_OP_FMA: return tn_amd_v3(x, TN_AMD_V_FMA_F32, o[0], o[1], o[2]);
      default: break;
    }
  if (d == TINY_I32)
    switch (u->op) {
      case TINY_OP_ADD: return uniform ? tn_amd_s2(x, TN_AMD_S_ADD_I32, o[0], o[1]) : tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, o[0], o[1]);
      case TINY_OP_MUL: return uniform ? tn_amd_s2(x, TN_AMD_S_MUL_I32, o[0], o[1]) : tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, o[0], o[1]);
      case TINY_OP_LT: {
        const tn_amd_operand m = tn_amd_new_mask(x->l);
        tn_amd_do3(x->l, TN_AMD_V_CMP_LT_I32, m, o[0], o[1]);
        return m;
      }
      default: break;
    }
  tn_amd_refuse_node(x, u);
  return o[0];
}
#endif
