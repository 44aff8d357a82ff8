// amd_control: loops, conditions, barriers, and what comes with the launch, on AMD's GPUs.
//
// In:  RANGE, END, IF, ENDIF, BARRIER, SPECIAL, PARAM, ARG, DEFINE. Out: lines and operands of them.
// Holds:
//  - A loop whose bounds are the same for all lanes counts in a scalar register; else lanes leave it one by one, and
//    EXEC says which are still in it.
//  - The body of a short innermost loop stands there several times (copies), as many as divide its iterations.
//  - Registers at the start: s[0:1] the address of the parameters, then the group's numbers (gfx12: ttmp9, ttmp7), v0
//    an item's numbers, 10 bits each. Parameters are as lang_cuda.c has them: 128 words, PARAM k the k-th, ARG k the
//    k-th from the end.
// Source: LLVM, User Guide for AMDGPU Backend: "Initial Kernel Execution State". Words 2 and 3 of a raw buffer's
// descriptor: AMD's ISA guides (amd.c), "Buffer Resource Descriptor".
#ifndef TN_ISA_AMD_CONTROL
#define TN_ISA_AMD_CONTROL
#ifndef TINY_AMALGAMATED
#include "amd_loads.c"
#endif

enum { TN_AMD_WORDS_OF_CALL = 128 };
// An IF's body, a loop's: lines of both are put behind those around them when they end.
static void tn_amd_open(tn_amd_selection *x, const tiny_uop *u) {
  if (x->depth + 1 == TN_AMD_DEEP) { tn_amd_list_refuse(x->l, "loops that nest so deep"); return; }
  tn_amd_level *const to = &x->level[++x->depth];
  memset(to, 0, sizeof *to);
  to->opened = u; to->serial = ++x->serial;
  to->again = tn_amd_label_new(x->l); to->end = tn_amd_label_new(x->l);
  to->line = (tn_amd_line *)tn_amd_grown_in(x->l, NULL, 0, &to->cap, sizeof *to->line, 1);
  tn_amd_go_to(x, x->depth);
  if (to->line) tn_amd_line_new(x->l, TN_AMD_LINE_LABEL, tn_amd_label_new(x->l));
}
static void tn_amd_close(tn_amd_selection *x) {
  const tn_amd_line *const line = x->l->line;
  const int n = x->l->n;
  x->depth--;
  tn_amd_go_to(x, x->depth);
  for (int i = 0; i < n && !x->l->refused; i++) tn_amd_line_again(x->l, &line[i]);
}

static tn_amd_operand tn_amd_exec(const tn_amd_selection *x) { return tn_amd_s(TN_AMD_EXEC, x->l->mask); }
static void tn_amd_put_label(tn_amd_selection *x, int label) { tn_amd_line_new(x->l, TN_AMD_LINE_LABEL, label); }

// ** loops **

enum { TN_AMD_MOST_COPIES = 8, TN_AMD_MOST_COPIED = 128 };
// How often a body of so many nodes stands there.
static int tn_amd_copies_of(const tn_amd_selection *x, int begin, int end) {
  const tiny_uop *u = x->k->list[begin];
  int nodes = 0;
  if (u->nsrc > 1 || u->src[0]->op != TINY_OP_CONST || u->src[0]->k < 2) return 1;
  for (int i = begin + 1; i < end; i++) {
    const tiny_uop *v = x->k->list[i];
    const int op = v->op;
    if (op == TINY_OP_RANGE || op == TINY_OP_IF || op == TINY_OP_BARRIER || op == TINY_OP_DEFINE) return 1;
    if (x->needed[i]) nodes += op == TINY_OP_WMMA ? 8 : v->op == TINY_OP_LOAD || v->op == TINY_OP_STORE ? 1 : v->lanes;
  }
  for (int n = TN_AMD_MOST_COPIES; n > 1; n--) if (u->src[0]->k % n == 0 && nodes * n <= TN_AMD_MOST_COPIED) return n;
  return 1;
}
// What was reckoned of nodes inside of the loop is that of another copy.
static void tn_amd_forget(tn_amd_selection *x) {
  for (int i = 0; i < TN_AMD_STEPS; i++) {
    const tiny_uop *u = x->step[i].u;
    if (u && u != x->copied && x->inside[u->seq] >= x->depth) x->step[i].serial = 0;
  }
}
static void tn_amd_nodes(tn_amd_selection *x, int from, int to);
// The counter of a copy that is so many iterations ahead.
static tn_amd_operand tn_amd_counted_on(tn_amd_selection *x, tn_amd_operand counter, int by) {
  if (tn_amd_is_constant(&counter)) return tn_amd_int((int32_t)counter.value + by);
  if (counter.dwords == 1) return tn_amd_s2(x, TN_AMD_S_ADD_I32, counter, tn_amd_int(by));
  const tn_amd_operand to = tn_amd_new_s(x->l, 2);
  tn_amd_do3(x->l, TN_AMD_S_ADD_U32, tn_amd_slice(to, 0, 1), tn_amd_slice(counter, 0, 1), tn_amd_int(by));
  tn_amd_do3(x->l, TN_AMD_S_ADDC_U32, tn_amd_slice(to, 1, 1), tn_amd_slice(counter, 1, 1), tn_amd_int(0));
  return to;
}
static void tn_amd_body(tn_amd_selection *x, const tiny_uop *u, int copies, int from, int to) {
  const tiny_uop *const copied = x->copied;
  const int copy = x->copy, at = x->elements[u->seq];
  const tn_amd_operand counter = x->pool[at], outer = x->counter;
  if (copies > 1) { x->copied = u; x->counter = counter; }
  for (int i = 0; i < copies && !x->l->refused; i++) {
    x->copy = i;
    if (i) tn_amd_forget(x);
    if (i) {
      const tn_amd_operand ahead = tn_amd_counted_on(x, counter, i);
      x->pool[at] = ahead;
    }
    tn_amd_nodes(x, from, to);
  }
  x->pool[at] = counter;
  x->copied = copied; x->copy = copy; x->counter = outer;
}
static void tn_amd_count_up(tn_amd_selection *x, const tn_amd_level *l, int copies) {
  const tn_amd_operand end = tn_amd_element(x, l->opened->src[0], 0), low = tn_amd_slice(l->counter, 0, 1);
  if (l->counter.dwords == 1) {
    tn_amd_do3(x->l, TN_AMD_S_ADD_I32, low, low, tn_amd_int(copies));
    tn_amd_do2(x->l, tn_amd_is_signed(l->opened->dtype) ? TN_AMD_S_CMP_LT_I32 : TN_AMD_S_CMP_LT_U32, low, end);
  } else {
    const tn_amd_operand high = tn_amd_slice(l->counter, 1, 1);
    tn_amd_do3(x->l, TN_AMD_S_ADD_U32, low, low, tn_amd_int(copies));
    tn_amd_do3(x->l, TN_AMD_S_ADDC_U32, high, high, tn_amd_int(0));
    tn_amd_do2(x->l, TN_AMD_S_CMP_LG_U64, l->counter, tn_amd_as_s(x, end));
  }
  tn_amd_branch_to(x->l, TN_AMD_S_CBRANCH_SCC1, l->again);
}
// SCC: is a below b, of 64 bits? The borrow of a - b; signed ones are moved to where unsigned ones are.
static void tn_amd_compare_wide(tn_amd_selection *x, int is_signed, tn_amd_operand a, tn_amd_operand b) {
  tn_amd_operand high[2] = {tn_amd_slice(a, 1, 1), tn_amd_slice(b, 1, 1)};
  for (int i = 0; i < 2 && is_signed; i++) high[i] = tn_amd_s2(x, TN_AMD_S_XOR_B32, high[i], tn_amd_k32(0x80000000u));
  tn_amd_s2(x, TN_AMD_S_SUB_U32, tn_amd_slice(a, 0, 1), tn_amd_slice(b, 0, 1));
  tn_amd_s2(x, TN_AMD_S_SUBB_U32, high[0], high[1]);
}
// A counter that a register holds, of which copies may be ahead.
static void tn_amd_range_scalar(tn_amd_selection *x, const tiny_uop *u, int begin, int end) {
  const tn_amd_operand from = u->nsrc > 1 ? tn_amd_element(x, u->src[1], 0) : tn_amd_int(0);
  const int copies = tn_amd_copies_of(x, begin, end), wide = tn_amd_bits_of(u->dtype) == 64;
  const int once = u->nsrc == 1 && u->src[0]->op == TINY_OP_CONST && u->src[0]->k == copies;
  const int runs = u->nsrc == 1 && u->src[0]->vmin > 0 && u->dtype != TINY_U64;
  const int first = x->elements[u->seq] = tn_amd_take(x, 1);
  tn_amd_operand counter = tn_amd_int(0);
  if (!once) {
    counter = tn_amd_new_s(x->l, wide ? 2 : 1);
    if (wide && u->nsrc == 1)
      for (int i = 0; i < 2; i++) tn_amd_copy(x->l, tn_amd_slice(counter, i, 1), tn_amd_int(0));
    else tn_amd_copy(x->l, counter, from);
  }
  if (once && wide) counter = tn_amd_k64(x, 0);
  x->pool[first] = counter;
  tn_amd_open(x, u);
  tn_amd_level *const l = &x->level[x->depth];
  l->counter = counter;
  if (!runs && !once) {
    const tn_amd_operand last = tn_amd_element(x, u->src[0], 0);
    if (wide) tn_amd_compare_wide(x, tn_amd_is_signed(u->dtype), counter, tn_amd_as_s(x, last));
    else tn_amd_do2(x->l, tn_amd_is_signed(u->dtype) ? TN_AMD_S_CMP_LT_I32 : TN_AMD_S_CMP_LT_U32, counter, last);
    tn_amd_branch_to(x->l, TN_AMD_S_CBRANCH_SCC0, l->end);
  }
  if (!once) {
    tn_amd_line *const loop = tn_amd_line_new(x->l, TN_AMD_LINE_LOOP, -1);
    if (u->nsrc == 1 && u->src[0]->op == TINY_OP_CONST) loop->times = (int32_t)(u->src[0]->k / copies);
    tn_amd_put_label(x, l->again);
  }
  tn_amd_body(x, u, copies, begin + 1, end);
  if (!once) {
    tn_amd_count_up(x, l, copies);
    tn_amd_line_new(x->l, TN_AMD_LINE_LOOP_END, -1);
    tn_amd_put_label(x, l->end);
  }
  tn_amd_close(x);
}
// Lanes leave the loop one by one.
static void tn_amd_range_vector(tn_amd_selection *x, const tiny_uop *u, int begin, int end) {
  const tn_amd_operand from = u->nsrc > 1 ? tn_amd_element(x, u->src[1], 0) : tn_amd_int(0);
  const tn_amd_operand counter = tn_amd_new_v(x->l, 1), kept = tn_amd_new_mask(x->l), mask = tn_amd_new_mask(x->l);
  const int mov = tn_amd_scalar_op(x, TN_AMD_S_MOV_B32, TN_AMD_S_MOV_B64), first = tn_amd_take(x, 1);
  x->elements[u->seq] = first;
  x->pool[first] = counter;
  if (tn_amd_bits_of(u->dtype) == 64) { tn_amd_refuse_node(x, u); return; }
  tn_amd_copy(x->l, counter, from);
  tn_amd_open(x, u);
  tn_amd_level *const l = &x->level[x->depth];
  tn_amd_do2(x->l, mov, kept, tn_amd_exec(x));
  tn_amd_line_new(x->l, TN_AMD_LINE_LOOP, -1);
  tn_amd_put_label(x, l->again);
  tn_amd_do3(x->l, tn_amd_is_signed(u->dtype) ? TN_AMD_V_CMP_LT_I32 : TN_AMD_V_CMP_LT_U32, mask, counter,
             tn_amd_element(x, u->src[0], 0));
  tn_amd_do3(x->l, tn_amd_scalar_op(x, TN_AMD_S_AND_B32, TN_AMD_S_AND_B64), tn_amd_exec(x), tn_amd_exec(x), mask);
  tn_amd_branch_to(x->l, TN_AMD_S_CBRANCH_EXECZ, l->end);
  tn_amd_body(x, u, 1, begin + 1, end);
  tn_amd_do3(x->l, TN_AMD_V_ADD_NC_U32, counter, tn_amd_int(1), counter);
  tn_amd_branch_to(x->l, TN_AMD_S_BRANCH, l->again);
  tn_amd_line_new(x->l, TN_AMD_LINE_LOOP_END, -1);
  tn_amd_put_label(x, l->end);
  tn_amd_do2(x->l, mov, tn_amd_exec(x), kept);
  tn_amd_close(x);
}
static void tn_amd_range(tn_amd_selection *x, const tiny_uop *u, int begin, int end) {
  const tn_amd_operand last = tn_amd_element(x, u->src[0], 0);
  const tn_amd_operand from = u->nsrc > 1 ? tn_amd_element(x, u->src[1], 0) : tn_amd_int(0);
  if (tn_amd_is_uniform(&last) && tn_amd_is_uniform(&from)) tn_amd_range_scalar(x, u, begin, end);
  else tn_amd_range_vector(x, u, begin, end);
}

// ** conditions and barriers **

static void tn_amd_if(tn_amd_selection *x, const tiny_uop *u, int begin, int end) {
  const tn_amd_operand on = tn_amd_element(x, u->src[0], 0), kept = tn_amd_new_mask(x->l);
  if (tn_amd_is_constant(&on) && !on.value) return;
  tn_amd_open(x, u);
  tn_amd_level *const l = &x->level[x->depth];
  l->kept = kept;
  const int branches = !tn_amd_is_constant(&on);
  if (branches) {
    tn_amd_do2(x->l, tn_amd_scalar_op(x, TN_AMD_S_AND_SAVEEXEC_B32, TN_AMD_S_AND_SAVEEXEC_B64), kept, on);
    tn_amd_branch_to(x->l, TN_AMD_S_CBRANCH_EXECZ, l->end);
  }
  tn_amd_nodes(x, begin + 1, end);
  if (branches) {
    tn_amd_put_label(x, l->end);
    tn_amd_do2(x->l, tn_amd_scalar_op(x, TN_AMD_S_MOV_B32, TN_AMD_S_MOV_B64), tn_amd_exec(x), kept);
  }
  tn_amd_close(x);
}
static void tn_amd_barrier(tn_amd_selection *x) {
  if (x->family != TN_AMD_GFX12) { tn_amd_do0(x->l, TN_AMD_S_BARRIER); return; }
  tn_amd_do1(x->l, TN_AMD_S_BARRIER_SIGNAL, tn_amd_int(-1));
  tn_amd_do1(x->l, TN_AMD_S_BARRIER_WAIT, tn_amd_imm(-1));
}

// ** what comes with the launch **

static tn_amd_operand tn_amd_launched(tn_amd_selection *x, int kind, int reg, int dwords) {
  const tn_amd_operand o = tn_amd_new(x->l, kind, dwords);
  x->l->vreg[o.reg - TN_AMD_VIRTUAL].fixed = (int16_t)reg;
  return o;
}
static void tn_amd_load_word(tn_amd_selection *x, tn_amd_operand to, int64_t word) {
  tn_amd_line *const line = tn_amd_do3(x->l, to.dwords == 2 ? TN_AMD_S_LOAD_B64 : TN_AMD_S_LOAD_B32, to, x->args,
                                       tn_amd_off());
  line->ins.m[TN_AMD_OFFSET] = (int32_t)(8 * word);
}
static uint32_t tn_amd_raw_buffer(int family) { return family == TN_AMD_GFX9 ? 0x00020000u : 0x31004000u; }
// Its address; or a buffer of 2 GiB there: nothing that is valid is beyond its bounds.
static void tn_amd_parameter(tn_amd_selection *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_amd_take(x, 1);
  const tn_amd_operand to = tn_amd_new_s(x->l, x->buffer[u->seq] ? 4 : 2);
  tn_amd_load_word(x, tn_amd_slice(to, 0, 2), u->k);
  x->pool[first] = to;
  if (!x->buffer[u->seq]) return;
  tn_amd_copy(x->l, tn_amd_slice(to, 2, 1), tn_amd_k32(0x80000000u));
  tn_amd_copy(x->l, tn_amd_slice(to, 3, 1), tn_amd_k32(tn_amd_raw_buffer(x->family)));
}
static void tn_amd_argument(tn_amd_selection *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_amd_take(x, 1), bits = tn_amd_bits_of(u->dtype);
  tn_amd_operand o = tn_amd_new_s(x->l, bits == 64 ? 2 : 1);
  tn_amd_load_word(x, o, TN_AMD_WORDS_OF_CALL - 1 - u->k);
  if (u->dtype == TINY_BOOL) {
    const tn_amd_operand mask = tn_amd_new_mask(x->l), low = tn_amd_s2(x, TN_AMD_S_AND_B32, o, tn_amd_int(1));
    tn_amd_do2(x->l, TN_AMD_S_CMP_LG_U32, low, tn_amd_int(0));
    tn_amd_do3(x->l, tn_amd_scalar_op(x, TN_AMD_S_CSELECT_B32, TN_AMD_S_CSELECT_B64), mask, tn_amd_int(-1),
               tn_amd_int(0));
    o = mask;
  } else if (bits < 32 && !tn_amd_is_float(u->dtype))
    o = tn_amd_s2(x, tn_amd_is_signed(u->dtype) ? TN_AMD_S_BFE_I32 : TN_AMD_S_BFE_U32, o,
                  tn_amd_k32((uint32_t)bits << 16));
  x->pool[first] = o;
}
static tn_amd_operand tn_amd_item_of(tn_amd_selection *x, int dim) {
  const int64_t *n = x->k->local;
  if (n[dim] == 1) return tn_amd_int(0);
  if (n[0] * n[1] * n[2] == n[dim] && dim == 0) return x->item;
  return tn_amd_v3(x, TN_AMD_V_BFE_U32, x->item, tn_amd_int(10 * dim), tn_amd_int(10));
}
static void tn_amd_special(tn_amd_selection *x, const tiny_uop *u) {
  const int dim = (int)(u->k & 15), first = x->elements[u->seq] = tn_amd_take(x, 1);
  tn_amd_operand o = u->k & 16 ? tn_amd_item_of(x, dim) : x->group[dim];
  if (tn_amd_bits_of(u->dtype) == 64) {
    const tn_amd_operand pair = tn_amd_is_uniform(&o) ? tn_amd_new_s(x->l, 2) : tn_amd_new_v(x->l, 2);
    tn_amd_copy(x->l, tn_amd_slice(pair, 0, 1), o);
    tn_amd_copy(x->l, tn_amd_slice(pair, 1, 1), tn_amd_int(0));
    o = pair;
  }
  x->pool[first] = o;
}
// Which of the group's numbers the kernel reads; where they are.
static void tn_amd_begin(tn_amd_selection *x) {
  tn_amd_setup *const s = &x->l->setup;
  int64_t params = 0, args = 0;
  int ids = 0;
  x->args = tn_amd_launched(x, TN_AMD_SGPR, 0, 2);
  x->item = tn_amd_launched(x, TN_AMD_VGPR, 0, 1);
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_SPECIAL && x->needed[i] && !(u->k & 16)) ids |= 1 << (u->k & 15);
    if (u->op == TINY_OP_PARAM && u->k >= params) params = u->k + 1;
    if (u->op == TINY_OP_ARG && u->k >= args) args = u->k + 1;
  }
  if (params + args > TN_AMD_WORDS_OF_CALL) tn_amd_list_refuse(x->l, "more parameters than a call has");
  s->from = TN_AMD_FROM_ARGS; s->user_sgprs = 2; s->ids = (uint8_t)ids;
  s->args_nbytes = 8 * TN_AMD_WORDS_OF_CALL;
  s->lanes = (uint8_t)(x->k->local[2] > 1 ? 3 : x->k->local[1] > 1 ? 2 : 1);
  for (int dim = 0, reg = 2; dim < 3; dim++) {
    if (!(ids >> dim & 1)) continue;
    if (x->family != TN_AMD_GFX12) { x->group[dim] = tn_amd_launched(x, TN_AMD_SGPR, reg++, 1); continue; }
    const tn_amd_operand at = tn_amd_s(TN_AMD_TTMP + (dim ? 7 : 9), 1);
    const tn_amd_operand field = tn_amd_k32(dim == 1 ? 16u << 16 : 16u << 16 | 16u);
    if (dim) x->group[dim] = tn_amd_s2(x, TN_AMD_S_BFE_U32, at, field);
    else { x->group[0] = tn_amd_new_s(x->l, 1); tn_amd_copy(x->l, x->group[0], at); }
  }
}
// REG memory whose elements are known lies in registers: where products of matrices are kept, each in one tuple.
static void tn_amd_define(tn_amd_selection *x, const tiny_uop *u) {
  const int each = tn_amd_element_dwords(x, u->dtype), n = (int)u->v[1] * u->lanes;
  const int kind = u->dtype == TINY_BOOL ? TN_AMD_SGPR : TN_AMD_VGPR, tuple = x->tuple[u->seq];
  if (u->v[0] == TN_SPACE_REG && x->place[u->seq] < 0) {
    const int first = x->elements[u->seq] = tn_amd_take(x, n);
    tn_amd_operand all = tn_amd_no_sum();
    for (int i = 0; i < n && !x->l->refused; i++) {
      if (tuple && i % u->lanes == 0) all = tn_amd_new(x->l, kind, each * u->lanes);
      const tn_amd_operand one = tuple ? tn_amd_slice(all, i % u->lanes * each, each) : tn_amd_new(x->l, kind, each);
      x->pool[first + i] = one;
    }
    return;
  }
  const int64_t nbytes = (u->v[1] * tn_amd_nbytes(u) + 15) / 16 * 16;
  int64_t *const at = u->v[0] == TN_SPACE_REG ? &x->scratch : &x->lds;
  x->place[u->seq] = *at;
  *at += nbytes;
}
#endif
