// wasm_lanes: what moves lanes: BROADCAST, STACK, PICK, LANE.
//
// In:  a node. Out: instructions that leave a v128 of it on the stack.
// Holds: a STACK of lanes of vectors is one shuffle for two of them, and one more for each other; scalars are
//        inserted one by one.
#ifndef TN_ISA_WASM_LANES
#define TN_ISA_WASM_LANES
#ifndef TINY_AMALGAMATED
#include "wasm_arithmetic.c"
#endif

// Of the lanes that are computed now, which are all alike. One that is loaded here is loaded to all lanes.
static int tn_wasm_is_loaded(const tn_wasm_select *x, const tiny_uop *s) {
  const tiny_uop *index = s->nsrc ? s->src[0] : NULL;
  return s->op == TINY_OP_LOAD && x->fused[s->seq] && !s->k && index->nsrc == 2 && !tn_is_reg(index->src[0]);
}
static void tn_wasm_broadcast(tn_wasm_select *x, const tiny_uop *u) {
  static const uint16_t rows[4] = {TN_WASM_LOAD8_SPLAT, TN_WASM_LOAD16_SPLAT, TN_WASM_LOAD32_SPLAT,
    TN_WASM_LOAD64_SPLAT};
  const tiny_uop *s = u->src[0];
  const int element = tn_wasm_element(x, u);
  if (u->dtype == TINY_BOOL) { tn_wasm_lanes_of_bool(x, s); return; }
  if (tn_wasm_is_loaded(x, s)) {
    const int64_t v = tn_wasm_address_at(x, s->src[0], 0);
    tn_wasm_access(x, rows[tn_wasm_log(element)], v, tn_wasm_log(element), 0);
    return;
  }
  tn_wasm_value(x, s);
  tn_wasm_splat_of(x, tn_is_float(u->dtype), element);
}
static void tn_wasm_lane_numbers(tn_wasm_select *x, const tiny_uop *u) {
  uint8_t bytes[TN_WASM_NBYTES];
  const int element = tn_wasm_element(x, u);
  memset(bytes, 0, sizeof bytes);
  for (int i = 0; i < tn_wasm_lanes(x, u); i++) bytes[i * element] = (uint8_t)(x->from + i);
  tn_wasm_bytes(x, TN_WASM_V128_CONST, bytes);
}

// ** STACK **

// Where lanes of a v128 come from: byte `at` of the local, or what is a scalar, of a node.
typedef struct tn_wasm_piece { const tiny_uop *scalar; int local, at; } tn_wasm_piece;

static tn_wasm_piece tn_wasm_piece_of(tn_wasm_select *x, const tiny_uop *s, int lane, int element) {
  tn_wasm_piece p = {s, -1, 0};
  const tiny_uop *v = s->lanes > 1 ? s : tn_wasm_is_picked(s) ? s->src[0] : NULL;
  if (!v) return p;
  if (s->lanes == 1) lane = (int)s->k;
  const int each = tn_wasm_each(x, v), own = tn_wasm_element(x, v);
  if (v->dtype == TINY_BOOL && own != element && s->lanes == 1) return p;
  p.scalar = NULL;
  if (v->dtype == TINY_BOOL && own != element) {             // as wide as the lanes here
    x->lanes = 1; x->from = lane;
    tn_wasm_mask(x, v, element);
    x->lanes = x->from = 0;
    p.local = tn_wasm_kept(x, TN_WASM_V);
    return p;
  }
  if (tn_wasm_is_splat(v) && x->reg[v->seq] < 0) {
    tn_wasm_value(x, v);
    p.local = tn_wasm_kept(x, TN_WASM_V);
    return p;
  }
  p.local = x->reg[v->seq] + (tn_wasm_is_splat(v) ? 0 : lane / each);
  p.at = tn_wasm_is_splat(v) ? 0 : lane % each * element;
  return p;
}
static void tn_wasm_put_scalar(tn_wasm_select *x, const tiny_uop *s, int is_float, int element, int lane) {
  if (s->dtype == TINY_BOOL) {             // 0 or -1
    tn_wasm_i32(x, 0);
    tn_wasm_value(x, s);
    tn_wasm_do(x, TN_WASM_I32_SUB);
    if (element == 8) tn_wasm_do(x, TN_WASM_I64_EXTEND_S);
  } else tn_wasm_value(x, s);
  if (lane < 0) tn_wasm_splat_of(x, is_float, element);
  else tn_wasm_insert(x, is_float, element, lane);
}
// The bytes of lanes that come from one local, put over what is on the stack; on is 0: nothing is.
static void tn_wasm_take_local(tn_wasm_select *x, const tn_wasm_piece *p, int n, int element, int local, int on) {
  uint8_t bytes[TN_WASM_NBYTES];
  tn_wasm_get(x, local);
  if (!on) tn_wasm_get(x, local);
  for (int i = 0; i < TN_WASM_NBYTES; i++) {
    const tn_wasm_piece *q = &p[i / element < n ? i / element : 0];
    const int mine = i / element < n && q->local == local && !q->scalar;
    bytes[i] = (uint8_t)(mine ? TN_WASM_NBYTES + q->at + i % element : i);
  }
  tn_wasm_shuffle(x, bytes);
}
// n lanes of a STACK, of which `first` is the first.
static void tn_wasm_stack(tn_wasm_select *x, const tiny_uop *u, int first, int n) {
  const int element = tn_wasm_element(x, u), is_float = tn_is_float(u->dtype);
  tn_wasm_piece p[TN_WASM_NBYTES];
  int filled = 0, at = 0, on = 0;
  for (int i = 0; i < (int)u->nsrc && filled < n; at += u->src[i++]->lanes)
    for (int lane = 0; lane < u->src[i]->lanes && filled < n; lane++)
      if (at + lane >= first) p[filled++] = tn_wasm_piece_of(x, u->src[i], lane, element);
  for (int i = 0; i < n; i++) {
    int known = !!p[i].scalar;
    for (int k = 0; k < i; k++) known |= !p[k].scalar && p[k].local == p[i].local;
    if (!known) { tn_wasm_take_local(x, p, n, element, p[i].local, on); on = 1; }
  }
  for (int i = 0; i < n; i++) if (p[i].scalar) {
    tn_wasm_put_scalar(x, p[i].scalar, is_float, element, on ? i : -1);
    on = 1;
  }
}
// n lanes of part of a vector.
static void tn_wasm_pick(tn_wasm_select *x, const tiny_uop *u, int first, int n) {
  const tiny_uop *s = u->src[0];
  const int each = tn_wasm_each(x, s);
  if (tn_wasm_is_splat(s)) { tn_wasm_value(x, s); return; }
  for (int i = 0; i < n; i += each) {      // lanes of one v128 after the other
    const int from = (int)u->k + first + i, element = tn_wasm_element(x, s);
    tn_wasm_turn(x, x->reg[s->seq] + from / each, from % each * element);
    if (i) tn_wasm_put(x, i * element, (n - i < each ? n - i : each) * element);
  }
}
#endif
