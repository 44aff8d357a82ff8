// amd_select: the list of a kernel -> machine instructions of an AMD GPU with virtual registers.
//
// In:       the list of a lowered kernel, verified, of what amd_abilities.c says can be done. Out: a tn_amd_list.
// Requires: nodes stand behind their sources; loops and IFs nest.
// Holds:    a node is done once, where it stands; but for copies of iterations, and sums of addresses, which stand as
//           far outside as they can. Vectors of elements are an instruction each, but for what amd_pairs.c has.
#ifndef TN_ISA_AMD_SELECT
#define TN_ISA_AMD_SELECT
#ifndef TINY_AMALGAMATED
#include "amd_control.c"
#endif

// ** vectors **

static void tn_amd_pool_put(tn_amd_selection *x, int at, tn_amd_operand o) { x->pool[at] = o; }
static void tn_amd_pick(tn_amd_selection *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  if (x->elements[s->seq] >= 0) x->elements[u->seq] = x->elements[s->seq] + (s->lanes > 1 ? (int)u->k : 0);
  if (x->words[s->seq] >= 0 && u->lanes > 1 && tn_amd_packs(u) && u->k * tn_amd_bits_of(u->dtype) % 32 == 0)
    x->words[u->seq] = x->words[s->seq] + (int)u->k * tn_amd_bits_of(u->dtype) / 32;
}
static void tn_amd_stack(tn_amd_selection *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_amd_take(x, u->lanes), all = u->op != TINY_OP_STACK;
  for (int n = 0; all && n < u->lanes; n++)
    tn_amd_pool_put(x, first + n, u->op == TINY_OP_LANE ? tn_amd_int(n) :
                                                          tn_amd_element(x, u->src[0], n % u->src[0]->lanes));
  for (int n = 0, j = 0; !all && j < (int)u->nsrc; j++)
    for (int i = 0; i < u->src[j]->lanes && n < u->lanes; i++)
      tn_amd_pool_put(x, first + n++, tn_amd_element(x, u->src[j], i));
}
// Words of another width are the same words.
static void tn_amd_bitcast(tn_amd_selection *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int wide = tn_amd_bits_of(u->dtype) == 64;
  if (s->lanes == u->lanes && !(tn_amd_packs(u) && x->words[s->seq] >= 0 && x->elements[s->seq] < 0)) {
    const int first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
    for (int i = 0; i < u->lanes; i++) {
      const tn_amd_operand o = tn_amd_element(x, s, i);
      tn_amd_pool_put(x, first + i, tn_amd_alu(x, u, &o));
    }
    return;
  }
  if (tn_amd_packs(u) && tn_amd_packs(s)) { x->words[u->seq] = x->words[s->seq]; return; }
  const int n = tn_amd_nwords(u), words = tn_amd_take(x, n);
  for (int i = 0; i < n; i++) tn_amd_pool_put(x, words + i, tn_amd_bits_at(x, s, i));
  if (tn_amd_packs(u)) { x->words[u->seq] = words; return; }
  if (!wide) { x->elements[u->seq] = words; return; }
  const int first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
  for (int i = 0; i < u->lanes; i++) {
    const tn_amd_operand pair = tn_amd_new_v(x->l, 2);
    for (int j = 0; j < 2; j++) tn_amd_copy(x->l, tn_amd_slice(pair, j, 1), x->pool[words + 2 * i + j]);
    tn_amd_pool_put(x, first + i, pair);
  }
}
static void tn_amd_elementwise(tn_amd_selection *x, const tiny_uop *u) {
  if (tn_amd_alu_words(x, u)) return;
  const int first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->l->refused; i++) {
    tn_amd_pool_put(x, first + i, tn_amd_alu_at(x, u, i));
  }
}
static void tn_amd_constants(tn_amd_selection *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
  const tn_amd_operand o = tn_amd_constant(x, u->dtype, u->k);
  for (int i = 0; i < u->lanes; i++) tn_amd_pool_put(x, first + i, o);
}

// ** what lanes of a wave do together **

enum { TN_AMD_ROW_XMASK = 0x160, TN_AMD_ROW_MIRROR = 0x140, TN_AMD_HALF_MIRROR = 0x141, TN_AMD_QUAD_PERM = 0 };
static int tn_amd_quad_perm(int64_t mask) {                  // lane i of four has that of i ^ mask
  int control = TN_AMD_QUAD_PERM;
  for (int i = 0; i < 4; i++) control |= (int)((i ^ mask) & 3) << 2 * i;
  return control;
}
static tn_amd_operand tn_amd_lanes_moved(tn_amd_selection *x, tn_amd_operand from, int control) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 1);
  tn_amd_line *const line = tn_amd_do2(x->l, TN_AMD_V_MOV_B32, d, from);
  line->ins.lanes = TN_AMD_DPP16;
  line->ins.m[TN_AMD_DPP_CTRL] = control;
  line->ins.m[TN_AMD_ROW_MASK] = line->ins.m[TN_AMD_BANK_MASK] = 15;
  line->ins.m[TN_AMD_BOUND_CTRL] = 1;
  return d;
}
// Within 16 lanes of gfx9: 15 - i is i ^ 15, of eight lanes 7 - i is i ^ 7.
static tn_amd_operand tn_amd_exchanged_by_mirrors(tn_amd_selection *x, tn_amd_operand o, int64_t mask) {
  if (mask & 8) { o = tn_amd_lanes_moved(x, o, TN_AMD_ROW_MIRROR); mask ^= 15; }
  if (mask & 4) { o = tn_amd_lanes_moved(x, o, TN_AMD_HALF_MIRROR); mask ^= 7; }
  return mask ? tn_amd_lanes_moved(x, o, tn_amd_quad_perm(mask)) : o;
}
// With the other 16 lanes of gfx11 and gfx12: which of them, four bits a lane.
static tn_amd_operand tn_amd_exchanged_rows(tn_amd_selection *x, tn_amd_operand from, int64_t mask) {
  const tn_amd_operand d = tn_amd_new_v(x->l, 1);
  uint32_t lanes[2] = {0, 0};
  for (uint32_t i = 0; i < 16; i++) lanes[i / 8] |= ((i ^ (uint32_t)mask) & 15) << 4 * (i % 8);
  const tn_amd_operand low = tn_amd_constant_in(x->l, TN_AMD_SGPR, tn_amd_k32(lanes[0])),
                       high = tn_amd_constant_in(x->l, TN_AMD_SGPR, tn_amd_k32(lanes[1]));
  tn_amd_line *const line = tn_amd_do4(x->l, TN_AMD_V_PERMLANEX16_B32, d, from, low, high);
  line->ins.o[2].op_sel = 1;               // lanes that are off give 0
  return d;
}
// Dword of the lane whose number is this one's ^ mask. Within 16 lanes by DPP; within 32 by another instruction, gfx9:
// ds_swizzle; else by what is at four times a lane's number.
static tn_amd_operand tn_amd_exchanged(tn_amd_selection *x, tn_amd_operand o, int64_t mask) {
  const tn_amd_operand from = tn_amd_as_v(x, o);
  const int nine = x->family == TN_AMD_GFX9;
  if (mask < 16 && nine) return tn_amd_exchanged_by_mirrors(x, from, mask);
  if (mask < 16) return tn_amd_lanes_moved(x, from, mask < 4 ? tn_amd_quad_perm(mask) : TN_AMD_ROW_XMASK + (int)mask);
  if (mask < 32 && !nine) return tn_amd_exchanged_rows(x, from, mask);
  const tn_amd_operand d = tn_amd_new_v(x->l, 1);
  if (mask < 32) {
    tn_amd_line *const line = tn_amd_do2(x->l, TN_AMD_DS_SWIZZLE_B32, d, from);
    line->ins.m[TN_AMD_OFFSET] = (int32_t)mask << 10 | 0x1F;  // and_mask 31, or_mask 0, xor_mask
  } else {
    const tn_amd_operand lo = tn_amd_v2(x, TN_AMD_V_MBCNT_LO_U32_B32, tn_amd_int(-1), tn_amd_int(0));
    const tn_amd_operand lane = tn_amd_v2(x, TN_AMD_V_MBCNT_HI_U32_B32, tn_amd_int(-1), lo);
    const tn_amd_operand at = tn_amd_v2(x, TN_AMD_V_XOR_B32, tn_amd_k32((uint32_t)mask), lane);
    tn_amd_do3(x->l, TN_AMD_DS_BPERMUTE_B32, d, tn_amd_v2(x, TN_AMD_V_LSHLREV_B32, tn_amd_int(2), at), from);
  }
  return d;
}
static void tn_amd_shuffle(tn_amd_selection *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_amd_take(x, 1), wide = tn_amd_bits_of(u->dtype) == 64;
  tn_amd_operand o = tn_amd_element(x, u->src[0], 0);
  if (u->dtype == TINY_BOOL) {
    const tn_amd_operand mask = tn_amd_new_mask(x->l);
    o = tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, tn_amd_int(0), tn_amd_int(1), o);
    o = tn_amd_exchanged(x, o, u->k);
    tn_amd_do3(x->l, TN_AMD_V_CMP_NE_U32, mask, tn_amd_int(0), o);
    o = mask;
  } else if (wide) {
    const tn_amd_operand pair = tn_amd_new_v(x->l, 2);
    for (int i = 0; i < 2; i++)
      tn_amd_copy(x->l, tn_amd_slice(pair, i, 1), tn_amd_exchanged(x, tn_amd_slice(o, i, 1), u->k));
    o = pair;
  } else o = tn_amd_exchanged(x, o, u->k);
  tn_amd_pool_put(x, first, o);
}

// Units of waves by the names that WMMAs have (tiny_warp_units): dwords of what a lane holds of a, b and c.
static const struct { char name[24]; uint16_t op; uint8_t a, b, c, integers; } tn_amd_units[] = {
  {"gfx11_16x16x16_f16", TN_AMD_V_WMMA_F32_16X16X16_F16, 8, 8, 8, 0},
  {"gfx11_16x16x16_bf16", TN_AMD_V_WMMA_F32_16X16X16_BF16, 8, 8, 8, 0},
  {"gfx11_16x16x16_i8", TN_AMD_V_WMMA_I32_16X16X16_IU8, 4, 4, 8, 1},
  {"gfx12_16x16x16_f16", TN_AMD_V_WMMA_F32_16X16X16_F16, 4, 4, 8, 0},
  {"gfx12_16x16x16_bf16", TN_AMD_V_WMMA_F32_16X16X16_BF16, 4, 4, 8, 0},
  {"gfx12_16x16x16_i8", TN_AMD_V_WMMA_I32_16X16X16_IU8, 2, 2, 8, 1},
  {"gfx12_16x16x16_e4m3", TN_AMD_V_WMMA_F32_16X16X16_FP8_FP8, 2, 2, 8, 0},
  {"gfx12_16x16x16_e5m2", TN_AMD_V_WMMA_F32_16X16X16_BF8_BF8, 2, 2, 8, 0},
  {"gfx942_16x16x16_f16", TN_AMD_V_MFMA_F32_16X16X16_F16, 2, 2, 4, 0},
  {"gfx942_16x16x16_bf16", TN_AMD_V_MFMA_F32_16X16X16_BF16, 2, 2, 4, 0},
  {"gfx942_16x16x32_i8", TN_AMD_V_MFMA_I32_16X16X32_I8, 2, 2, 4, 0}
};
static int tn_amd_unit_of(const tiny_uop *u) {               // -1: it is none of them
  int n;
  const tiny_warp_unit *first = tiny_warp_units("sm_75", &n), *unit = first + (u->k >> TN_WMMA_UNIT) - 1;
  for (int i = 0; first && i < (int)(sizeof tn_amd_units / sizeof *tn_amd_units); i++)
    if (!strcmp(tn_amd_units[i].name, unit->name)) return i;
  return -1;
}
// n dwords of a node in registers beside each other.
static tn_amd_operand tn_amd_tuple_of(tn_amd_selection *x, const tiny_uop *u, int n) {
  tn_amd_operand first = tn_amd_bits_at(x, u, 0);
  int beside = first.kind == TN_AMD_VGPR;
  for (int i = 1; i < n && beside; i++) {
    const tn_amd_operand o = tn_amd_bits_at(x, u, i);
    beside = o.kind == first.kind && o.reg == first.reg && o.sub == first.sub + i;
  }
  if (beside) { first.dwords = (uint8_t)n; return first; }
  const tn_amd_operand to = tn_amd_new_v(x->l, n);
  for (int i = 0; i < n; i++) tn_amd_copy(x->l, tn_amd_slice(to, i, 1), tn_amd_bits_at(x, u, i));
  return to;
}
static void tn_amd_matrix(tn_amd_selection *x, const tiny_uop *u) {
  const int which = tn_amd_unit_of(u);
  if (which < 0 || u->lanes != tn_amd_units[which].c) { tn_amd_refuse_node(x, u); return; }
  tn_amd_operand a = tn_amd_tuple_of(x, u->src[0], tn_amd_units[which].a),
                 b = tn_amd_tuple_of(x, u->src[1], tn_amd_units[which].b);
  const tn_amd_operand c = tn_amd_tuple_of(x, u->src[2], u->lanes), d = tn_amd_new_v(x->l, u->lanes);
  if (tn_amd_units[which].integers) a.neg = b.neg = 1;       // they have signs
  tn_amd_do4(x->l, tn_amd_units[which].op, d, a, b, c);
  const int first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
  for (int i = 0; i < u->lanes; i++) tn_amd_pool_put(x, first + i, tn_amd_slice(d, i, 1));
}

// ** nodes **

static void tn_amd_select_node(tn_amd_selection *x, const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_PARAM: tn_amd_parameter(x, u); return;
    case TINY_OP_ARG: tn_amd_argument(x, u); return;
    case TINY_OP_CONST: tn_amd_constants(x, u); return;
    case TINY_OP_SPECIAL: tn_amd_special(x, u); return;
    case TINY_OP_DEFINE: tn_amd_define(x, u); return;
    case TINY_OP_AFTER:
      x->elements[u->seq] = x->elements[u->src[0]->seq];
      x->words[u->seq] = x->words[u->src[0]->seq];
      return;
    case TINY_OP_LOAD:
      if (u->k) tn_amd_refuse_node(x, u);
      else if (tn_amd_in_registers(x, u->src[0])) tn_amd_load_register(x, u);
      else tn_amd_load(x, u);
      return;
    case TINY_OP_STORE:
      if (tn_amd_in_registers(x, u->src[0])) tn_amd_store_register(x, u);
      else tn_amd_store(x, u);
      return;
    case TINY_OP_PICK: tn_amd_pick(x, u); return;
    case TINY_OP_LANE: case TINY_OP_BROADCAST: case TINY_OP_STACK: tn_amd_stack(x, u); return;
    case TINY_OP_SHUFFLE: tn_amd_shuffle(x, u); return;
    case TINY_OP_WMMA: tn_amd_matrix(x, u); return;
    case TINY_OP_BITCAST: tn_amd_bitcast(x, u); return;
    case TINY_OP_PREFETCH: return;
    default: tn_amd_elementwise(x, u);
  }
}
// [from, to) of the list.
static void tn_amd_nodes(tn_amd_selection *x, int from, int to) {
  for (int i = from; i < to && !x->l->refused; i++) {
    const tiny_uop *u = x->k->list[i];
    switch (u->op) {
      case TINY_OP_RANGE: tn_amd_range(x, u, i, x->ends[i]); i = x->ends[i]; continue;
      case TINY_OP_IF: tn_amd_if(x, u, i, x->ends[i]); i = x->ends[i]; continue;
      case TINY_OP_BARRIER: tn_amd_barrier(x); continue;
      case TINY_OP_INDEX: case TINY_OP_GROUP: case TINY_OP_SINK: case TINY_OP_END: case TINY_OP_ENDIF: continue;
      default: break;
    }
    if (!x->needed[i]) continue;
    x->elements[i] = x->words[i] = -1;
    tn_amd_select_node(x, u);
    if (u->dtype != TINY_VOID && u->op != TINY_OP_DEFINE && u->op != TINY_OP_AFTER) tn_amd_complete(x, u);
  }
}

// ** what is to be known before **

static void tn_amd_survey_places(tn_amd_selection *x) {
  int open[TN_AMD_DEEP], depth = 0;
  for (int i = 0; i < x->k->n && depth < TN_AMD_DEEP - 1; i++) {
    tiny_uop *u = x->k->list[i];
    u->seq = (uint32_t)i;
    x->elements[i] = x->words[i] = -1;
    x->place[i] = -1;
    x->zeros[i] = (uint8_t)tn_low_zeros(u, x->zeros);
    if (u->op == TINY_OP_END || u->op == TINY_OP_ENDIF) x->ends[open[depth--]] = i;
    x->inside[i] = (uint8_t)depth;
    if (u->op == TINY_OP_RANGE || u->op == TINY_OP_IF) open[++depth] = i;
    if (u->op == TINY_OP_RANGE) x->inside[i] = (uint8_t)depth;
    if (u->op == TINY_OP_STORE) x->written[tn_memory_behind(u->src[0]->src[0])->seq] = 1;
    if (u->op == TINY_OP_INDEX && tn_is_reg(u->src[0]) && u->src[1]->op != TINY_OP_CONST)
      x->place[tn_memory_behind(u->src[0])->seq] = 0;
  }
  if (depth) tn_amd_list_refuse(x->l, "loops that nest so deep");
}
// Where an access may not be done, goes on with a loop, or adds, a buffer's descriptor is worth its four registers.
static void tn_amd_survey_buffer(tn_amd_selection *x, const tiny_uop *u) {
  const tiny_uop *index = u->op == TINY_OP_STORE || u->op == TINY_OP_LOAD ? u->src[0] : NULL;
  if (!index || index->op != TINY_OP_INDEX) return;
  const int loops = x->inside[index->src[1]->seq] > 0 || x->inside[u->seq] > 0;
  if (index->nsrc == 3 || loops || (u->op == TINY_OP_STORE && u->k == TN_ADDS))
    x->buffer[tn_memory_behind(index->src[0])->seq] = 1;
}
static void tn_amd_need_sum(tn_amd_selection *x, const tiny_uop *u, int depth) {
  const int op = u->op;
  x->needed[u->seq] = 1;
  if (depth < 2 * TN_AMD_TERMS && (op == TINY_OP_ADD || op == TINY_OP_SUB || op == TINY_OP_MUL || op == TINY_OP_SHL ||
                                   op == TINY_OP_CAST))
    for (uint32_t j = 0; j < u->nsrc; j++) tn_amd_need_sum(x, u->src[j], depth + 1);
}
// Whether u wants words of its source j, or elements.
static int tn_amd_wanted(const tn_amd_selection *x, const tiny_uop *u, uint32_t j) {
  const tiny_uop *s = u->src[j];
  const int as_u = x->wants[u->seq];
  switch (u->op) {
    case TINY_OP_AFTER: return as_u;
    case TINY_OP_WMMA: return TN_AMD_WORDS;
    case TINY_OP_BITCAST: return tn_amd_packs(u) ? as_u : u->lanes == s->lanes ? TN_AMD_ELEMENTS : TN_AMD_WORDS;
    case TINY_OP_PICK:
      return u->lanes > 1 && u->k * tn_amd_bits_of(s->dtype) % 32 == 0 && tn_amd_packs(u) ? as_u : TN_AMD_ELEMENTS;
    case TINY_OP_LOAD: return tn_amd_pieces_of(x, u->src[0], u).words ? TN_AMD_WORDS : TN_AMD_ELEMENTS;
    case TINY_OP_STORE:
      return !tn_amd_in_registers(x, u->src[0]) && tn_amd_pieces_of(x, u->src[0], s).words ? TN_AMD_WORDS :
                                                                                              TN_AMD_ELEMENTS;
    default: return tn_amd_packs(s) && tn_amd_takes_words(x, u) ? TN_AMD_WORDS : TN_AMD_ELEMENTS;
  }
}
static void tn_amd_survey(tn_amd_selection *x) {
  for (int i = x->k->n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    const int op = u->op;
    if (op == TINY_OP_STORE || op == TINY_OP_RANGE || op == TINY_OP_IF) x->needed[i] = 1;
    if (op == TINY_OP_WMMA && u->src[2]->op == TINY_OP_LOAD && tn_is_reg(u->src[2]->src[0]->src[0]))
      x->tuple[tn_memory_behind(u->src[2]->src[0]->src[0])->seq] = 1;
    if (op == TINY_OP_DEFINE && tn_amd_keeps_pairs(x, u)) x->tuple[i] = 1;
    if (!x->needed[i] || op == TINY_OP_GROUP) continue;
    tn_amd_survey_buffer(x, u);
    for (uint32_t j = 0; j < u->nsrc; j++) {
      const tiny_uop *s = u->src[j];
      if (op == TINY_OP_INDEX && j == 1) { tn_amd_need_sum(x, s, 0); continue; }
      x->needed[s->seq] = 1;
      if (s->lanes > 1) x->wants[s->seq] |= (uint8_t)tn_amd_wanted(x, u, j);
    }
  }
}
static int tn_amd_tables(tn_amd_selection *x) {
  const size_t n = (size_t)x->k->n + 1;
  x->elements = (int *)tn_amd_room(x->l, n, sizeof(int));
  x->words = (int *)tn_amd_room(x->l, n, sizeof(int));
  x->ends = (int *)tn_amd_room(x->l, n, sizeof(int));
  x->place = (int64_t *)tn_amd_room(x->l, n, sizeof(int64_t));
  x->wants = (uint8_t *)tn_amd_room(x->l, 8 * n, 1);
  x->step = (struct tn_amd_step *)tn_amd_room(x->l, TN_AMD_STEPS, sizeof *x->step);
  x->level = (struct tn_amd_level *)tn_amd_room(x->l, TN_AMD_DEEP, sizeof *x->level);
  if (!x->elements || !x->words || !x->ends || !x->place || !x->wants || !x->step || !x->level) return 0;
  x->needed = x->wants + n; x->zeros = x->needed + n; x->written = x->zeros + n; x->inside = x->written + n;
  x->tuple = x->inside + n; x->uses = x->tuple + n; x->buffer = x->uses + n;
  return 1;
}
// Bytes that a group has, and that an item is given: gfx9's waves of 64 have 8 MiB at most, spilled registers with it.
enum { TN_AMD_MOST_LDS = 1 << 16, TN_AMD_MOST_SCRATCH = 1 << 16 };
// The whole list, to l, which is open.
static void tn_amd_select_list(tn_amd_list *l, const tiny_listing *k) {
  tn_amd_selection x;
  memset(&x, 0, sizeof x);
  x.t = l->t; x.k = k; x.l = l; x.family = l->family;
  l->items = (int)(k->local[0] * k->local[1] * k->local[2]);
  if (!tn_amd_tables(&x)) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  x.level[0].serial = ++x.serial;
  tn_amd_survey_places(&x);
  if (l->refused) return;
  tn_amd_survey(&x);
  tn_amd_count_uses(&x);
  tn_amd_begin(&x);
  tn_amd_nodes(&x, 0, k->n);
  if (x.lds > TN_AMD_MOST_LDS) tn_amd_list_refuse(l, "LOCAL memory beyond 64 KiB");
  if (x.scratch > TN_AMD_MOST_SCRATCH) tn_amd_list_refuse(l, "REG memory beyond 64 KiB");
  if (l->refused) return;
  l->setup.lds = (uint32_t)x.lds; l->setup.scratch = (uint32_t)x.scratch;
}
#endif
