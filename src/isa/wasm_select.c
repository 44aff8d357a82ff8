// wasm_select: the linear list of a kernel -> the body of a function of WebAssembly.
//
// In:  a verified list whose ops the CPU's renderer has. Out: instructions and locals, or what of it is not known here,
//      in select->refused.
// Holds: a value is on the stack or in locals as wasm_values.c says. A node wider than a v128 is computed by as many
//        lanes at a time as one holds of it and of all its sources. Loops are blocks: RANGE to END, IF to ENDIF.
// Not here: FMA, DOT, WMMA, SHUFFLE, atomic additions, lanes that are no power of two, grids.
#ifndef TN_ISA_WASM_SELECT
#define TN_ISA_WASM_SELECT
#ifndef TINY_AMALGAMATED
#include "wasm_lanes.c"
#include "../ir/target.c"
#endif

enum { TN_WASM_DEEP = 40 };                // nodes that are computed within each other

// ** loops **

static int tn_wasm_is_long(const tiny_uop *range) { return tn_bits(range->dtype) == 64; }
static int tn_wasm_starts_known(const tiny_uop *range) {     // is its body run at least once?
  return range->src[0]->op == TINY_OP_CONST && range->nsrc == 1 && range->src[0]->k > 0;
}
// The loop's variable and its end are on the stack; so is whether it goes on, or has ended.
static void tn_wasm_compare_range(tn_wasm_select *x, const tiny_uop *range, int goes_on) {
  static const uint16_t rows[2][2][2] = {{{TN_WASM_I32_GE_S, TN_WASM_I32_LT_S}, {TN_WASM_I32_GE_U, TN_WASM_I32_LT_U}},
    {{TN_WASM_I64_GE_S, TN_WASM_I64_LT_S}, {TN_WASM_I64_GE_U, TN_WASM_I64_LT_U}}};
  tn_wasm_value(x, range->src[0]);
  tn_wasm_do(x, rows[tn_wasm_is_long(range)][tn_is_unsigned(range->dtype)][goes_on]);
}
static void tn_wasm_range(tn_wasm_select *x, const tiny_uop *u) {
  const int r = x->reg[u->seq] = tn_wasm_local(x, tn_wasm_type(u));
  x->outer[u->seq] = x->addresses;
  if (u->nsrc > 1) tn_wasm_value(x, u->src[1]);
  else tn_wasm_number(x, tn_wasm_is_long(u) ? TN_WASM_I64_CONST : TN_WASM_I32_CONST, 0);
  tn_wasm_set(x, r);
  if (!tn_wasm_starts_known(u)) {
    tn_wasm_number(x, TN_WASM_BLOCK, TN_WASM_VOID);
    tn_wasm_get(x, r);
    tn_wasm_compare_range(x, u, 0);
    tn_wasm_number(x, TN_WASM_BR_IF, 0);
  }
  tn_wasm_number(x, TN_WASM_LOOP, TN_WASM_VOID);
}
static void tn_wasm_end(tn_wasm_select *x, const tiny_uop *range) {
  const int r = x->reg[range->seq], is_long = tn_wasm_is_long(range);
  tn_wasm_get(x, r);
  tn_wasm_number(x, is_long ? TN_WASM_I64_CONST : TN_WASM_I32_CONST, 1);
  tn_wasm_do(x, is_long ? TN_WASM_I64_ADD : TN_WASM_I32_ADD);
  tn_wasm_tee(x, r);
  tn_wasm_compare_range(x, range, 1);
  tn_wasm_number(x, TN_WASM_BR_IF, 0);
  tn_wasm_do(x, TN_WASM_END);
  if (!tn_wasm_starts_known(range)) tn_wasm_do(x, TN_WASM_END);
  x->addresses = x->outer[range->seq];
}

// ** nodes **

static void tn_wasm_compute(tn_wasm_select *x, const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_LOAD:
      if (!tn_is_reg(u->src[0]->src[0])) { tn_wasm_load(x, u); return; }
      if (tn_wasm_reg_element(x, u->src[0])) tn_wasm_get(x, *tn_wasm_reg_element(x, u->src[0]));
      return;
    case TINY_OP_CAST: tn_wasm_cast(x, u); return;
    case TINY_OP_BITCAST: tn_wasm_bitcast(x, u); return;
    case TINY_OP_BROADCAST: tn_wasm_broadcast(x, u); return;
    case TINY_OP_LANE: tn_wasm_lane_numbers(x, u); return;
    case TINY_OP_WHERE: tn_wasm_where(x, u); return;
    case TINY_OP_STACK: tn_wasm_stack(x, u, x->from, tn_wasm_lanes(x, u)); return;
    case TINY_OP_PICK: tn_wasm_pick(x, u, x->from, tn_wasm_lanes(x, u)); return;
    case TINY_OP_LT: case TINY_OP_NE: case TINY_OP_EQ: case TINY_OP_NEG: case TINY_OP_SQRT: case TINY_OP_TRUNC:
    case TINY_OP_ADD: case TINY_OP_SUB: case TINY_OP_MUL: case TINY_OP_FDIV: case TINY_OP_AND: case TINY_OP_OR:
    case TINY_OP_XOR: case TINY_OP_SHL: case TINY_OP_SHR: case TINY_OP_CDIV: case TINY_OP_CMOD:
      if (tn_wasm_is_vector(u)) tn_wasm_vector(x, u);
      else tn_wasm_scalar(x, u);
      return;
    default: tn_wasm_refuse(x, tn_ops[u->op].name);
  }
}
// How many lanes a v128 holds of a node, of its sources, and of the mask of its memory.
static int tn_wasm_at_once(const tn_wasm_select *x, const tiny_uop *u) {
  int n = tn_wasm_each(x, u);
  if (u->op == TINY_OP_STACK || u->op == TINY_OP_PICK || tn_regroups(u)) return n;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *s = u->src[i], *of = s->op == TINY_OP_INDEX ? (s->nsrc == 3 ? s->src[2] : u) : s;
    if (of->lanes > 1 && of->dtype != TINY_VOID && tn_wasm_each(x, of) < n && !tn_wasm_is_splat(of))
      n = tn_wasm_each(x, of);
    if (s->op == TINY_OP_INDEX && s->lanes > 1 && tn_wasm_each(x, s->src[1]) < n && !tn_wasm_is_splat(s->src[1]))
      n = tn_wasm_each(x, s->src[1]);
  }
  return n;
}
static void tn_wasm_regroup(tn_wasm_select *x, const tiny_uop *u, int to) {
  for (int i = 0; i < tn_wasm_parts(x, u); i++) {
    tn_wasm_get(x, x->reg[u->src[0]->seq] + i);
    tn_wasm_set(x, to + i);
  }
}
// To its locals, as many lanes at a time as vectors hold.
static void tn_wasm_compute_all(tn_wasm_select *x, const tiny_uop *u, int to) {
  const int n = tn_wasm_at_once(x, u), each = tn_wasm_each(x, u), element = tn_wasm_element(x, u);
  if (u->op == TINY_OP_LOAD && tn_is_reg(u->src[0]->src[0])) {
    const int *e = tn_wasm_reg_element(x, u->src[0]);
    for (int i = 0; e && i < tn_wasm_parts(x, u); i++) { tn_wasm_get(x, *e + i); tn_wasm_set(x, to + i); }
    return;
  }
  if (tn_wasm_is_splat(u)) { tn_wasm_value(x, u); tn_wasm_set(x, to); return; }
  if (tn_regroups(u) && tn_wasm_parts(x, u) > 1) { tn_wasm_regroup(x, u, to); return; }
  for (int from = 0; from < u->lanes; from += n) {
    x->lanes = u->lanes > n ? n : 0; x->from = from;
    const int part = to + from / each, at = from % each * element;
    if (at) tn_wasm_get(x, part);
    tn_wasm_compute(x, u);
    if (at) tn_wasm_put(x, at, n * element);
    tn_wasm_set(x, part);
  }
  x->lanes = x->from = 0;
}
// How many lanes of a value are stored at a time.
static int tn_wasm_stored_at_once(const tn_wasm_select *x, const tiny_uop *u) {
  const tiny_uop *value = u->src[1], *index = u->src[0], *valid = index->nsrc == 3 ? index->src[2] : NULL;
  int n = tn_wasm_each(x, value);
  if (valid && valid->lanes > 1 && !tn_wasm_is_splat(valid) && tn_wasm_each(x, valid) < n) n = tn_wasm_each(x, valid);
  if (index->lanes > 1 && !tn_wasm_is_splat(index->src[1]) && tn_wasm_each(x, index->src[1]) < n)
    n = tn_wasm_each(x, index->src[1]);
  return n;
}
static void tn_wasm_store_all(tn_wasm_select *x, const tiny_uop *u) {
  const tiny_uop *value = u->src[1];
  if (tn_is_reg(u->src[0]->src[0])) {
    const int *e = tn_wasm_reg_element(x, u->src[0]);
    if (e) tn_wasm_store_reg(x, value, *e, tn_memory_behind(u->src[0]->src[0]));
    return;
  }
  const int n = tn_wasm_stored_at_once(x, u);
  for (int from = 0; from < value->lanes; from += n) {
    x->lanes = value->lanes > n ? n : 0; x->from = from;
    tn_wasm_store(x, u);
  }
  x->lanes = x->from = 0;
}
static void tn_wasm_define(tn_wasm_select *x, const tiny_uop *u) {
  if (u->v[0] == TN_SPACE_REG) return;     // known when it is first named
  if (!x->k->local_nbytes) { tn_wasm_refuse(x, "LOCAL memory that no launch brings"); return; }
  tn_wasm_get(x, TN_WASM_GIVEN);
  tn_wasm_i32(x, x->local_at);
  tn_wasm_do(x, TN_WASM_I32_ADD);
  tn_wasm_set(x, x->reg[u->seq] = tn_wasm_local(x, TN_WASM_I32));
  x->local_at += tn_local_nbytes(u);
}
// Memory, numbers and the task, from the arguments: pointers have 4 bytes, numbers 8.
static void tn_wasm_argument(tn_wasm_select *x, const tiny_uop *u) {
  const int type = u->op == TINY_OP_PARAM ? (int)TN_WASM_I32 : tn_wasm_type(u);
  if (u->op == TINY_OP_PARAM) {
    tn_wasm_get(x, TN_WASM_MEM);
    tn_wasm_access(x, TN_WASM_I32_LOAD, 4 * u->k, 2, 0);
  } else if (u->op == TINY_OP_ARG) {
    tn_wasm_get(x, TN_WASM_ARGS);
    tn_wasm_access(x, tn_wasm_load_row(u), 8 * u->k, 3, 0);
  } else {
    tn_wasm_get(x, TN_WASM_TASK);
    if (type == TN_WASM_I32) tn_wasm_do(x, TN_WASM_I32_WRAP);
    if (u->k) tn_wasm_refuse(x, "a grid");
  }
  tn_wasm_set(x, x->reg[u->seq] = tn_wasm_local(x, type));
}
static void tn_wasm_node(tn_wasm_select *x, const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_CONST: case TINY_OP_INDEX: case TINY_OP_GROUP: case TINY_OP_SINK: case TINY_OP_BARRIER:
    case TINY_OP_PREFETCH: return;
    case TINY_OP_AFTER: x->reg[u->seq] = x->reg[u->src[0]->seq]; return;
    case TINY_OP_PARAM: case TINY_OP_ARG: case TINY_OP_SPECIAL:
      if (x->uses[u->seq] || u->op == TINY_OP_SPECIAL) tn_wasm_argument(x, u);
      return;
    case TINY_OP_DEFINE: tn_wasm_define(x, u); return;
    case TINY_OP_RANGE: tn_wasm_range(x, u); return;
    case TINY_OP_END: tn_wasm_end(x, u->src[1]); return;
    case TINY_OP_IF:
      x->outer[u->seq] = x->addresses;
      tn_wasm_value(x, u->src[0]);
      tn_wasm_number(x, TN_WASM_IF, TN_WASM_VOID);
      return;
    case TINY_OP_ENDIF: tn_wasm_do(x, TN_WASM_END); x->addresses = x->outer[u->src[0]->seq]; return;
    case TINY_OP_STORE: tn_wasm_store_all(x, u); return;
    default: break;
  }
  if (!x->uses[u->seq] || x->fused[u->seq] || (u->op == TINY_OP_PICK && u->lanes == 1)) return;
  if (tn_wasm_is_splat(u) && (u->dtype == TINY_BOOL || x->uses[u->seq] == 1)) return;
  if (u->lanes & (u->lanes - 1)) { tn_wasm_refuse(x, "lanes that are no power of two"); return; }
  const int to = tn_wasm_is_splat(u) ? tn_wasm_local(x, TN_WASM_V) : tn_wasm_local_for(x, u);
  tn_wasm_compute_all(x, u, to);
  x->reg[u->seq] = to;
}

// ** what the list says of its nodes **

// What u reads as its source j.
static const tiny_uop *tn_wasm_read_by(const tiny_uop *u, uint32_t j) {
  const tiny_uop *folded = u->op == TINY_OP_INDEX && j == 1 ? tn_isa_folded(u) : NULL;
  return folded ? folded->src[0] : u->src[j];
}
static int tn_wasm_is_dead(const tn_wasm_select *x, const tiny_uop *u) {     // for its value alone, which nobody uses
  const int op = u->op;
  if (x->uses[u->seq] || u->dtype == TINY_VOID) return 0;
  return tn_op_is_elementwise(op) || op == TINY_OP_LOAD || op == TINY_OP_INDEX || op == TINY_OP_BROADCAST ||
      op == TINY_OP_STACK || op == TINY_OP_PICK;
}
// Is the source read once, as a whole? What is read again and again, or in parts, is in a local.
static int tn_wasm_reads_once(const tiny_uop *u, const tiny_uop *s) {
  switch (u->op) {
    case TINY_OP_GROUP: case TINY_OP_SINK: case TINY_OP_RANGE: case TINY_OP_PICK: case TINY_OP_AFTER: return 0;
    case TINY_OP_STACK: return s->lanes == 1;
    default: return 1;
  }
}
static void tn_wasm_count(tn_wasm_select *x) {
  for (int i = x->k->n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    if (tn_wasm_is_dead(x, u)) continue;
    for (uint32_t j = 0; j < u->nsrc; j++) {
      const tiny_uop *s = tn_wasm_read_by(u, j);
      const int one = u->op == TINY_OP_INDEX ? (x->uses[i] == 1 ? 1 : 4) : tn_wasm_reads_once(u, s) ? 1 : 2;
      x->uses[s->seq] += u->op == TINY_OP_GROUP || u->op == TINY_OP_SINK ? 0 : one;
      x->user[s->seq] = u;
    }
  }
}
// Bytes of the lanes of vectors of bools: as what is compared has, or the first source that is no constant.
static void tn_wasm_masks(tn_wasm_select *x) {
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i], *user = x->user[i];
    x->mask[i] = 1;
    if (u->dtype != TINY_BOOL || u->lanes == 1 || u->op == TINY_OP_DEFINE) continue;
    const int by_user = user && user->op == TINY_OP_WHERE && user->src[0] == u && user->dtype != TINY_BOOL;
    if (u->op == TINY_OP_BROADCAST || u->op == TINY_OP_STACK)
      x->mask[i] = (uint8_t)(by_user ? tn_dtypes[user->dtype].nbytes : 1);
    else if (u->op == TINY_OP_LOAD) x->mask[i] = x->mask[tn_memory_behind(u->src[0]->src[0])->seq];
    else for (uint32_t j = 0; j < u->nsrc; j++) if (u->src[j]->lanes > 1 && !tn_wasm_is_splat(u->src[j])) {
      x->mask[i] = (uint8_t)tn_wasm_element(x, u->src[j]);
      break;
    }
  }
}

// What stands in one block, and before what stores: places in the list, of where a node is computed.
typedef struct tn_wasm_order { int *at, *block, *deep, *stored; int next; } tn_wasm_order;      // next: STORE to memory
// Is it computed at once, in one v128?
static int tn_wasm_is_whole(const tn_wasm_select *x, const tiny_uop *u) {
  if (u->op != TINY_OP_STORE && u->dtype == TINY_VOID) return u->op == TINY_OP_IF;
  const tiny_uop *v = u->op == TINY_OP_STORE ? u->src[1] : u;
  const int n = u->op == TINY_OP_STORE && !tn_is_reg(u->src[0]->src[0]) ? tn_wasm_stored_at_once(x, u) :
      u->op == TINY_OP_STORE ? tn_wasm_each(x, v) : tn_wasm_at_once(x, u);
  return v->lanes == 1 || n == v->lanes;
}
// Where u is written that its user computes: -1, it is not.
static int tn_wasm_place(tn_wasm_select *x, const tn_wasm_order *o, const tiny_uop *u) {
  const tiny_uop *user = x->uses[u->seq] == 1 ? x->user[u->seq] : NULL, *index = u->nsrc ? u->src[0] : NULL;
  const int load = u->op == TINY_OP_LOAD, kind = tn_op_is_elementwise(u->op) || load ||
      (u->op == TINY_OP_BROADCAST && !tn_wasm_is_splat(u)) || u->op == TINY_OP_STACK ||
      (u->op == TINY_OP_PICK && u->lanes > 1);
  if (!user || !kind || (u->lanes & (u->lanes - 1))) return -1;
  const tiny_uop *whole = user->op == TINY_OP_INDEX ? x->user[user->seq] : user;
  if (!whole || !tn_wasm_is_whole(x, whole)) return -1;
  if (!tn_wasm_is_whole(x, u) || tn_wasm_parts(x, u) > 1) return -1;
  const int late = x->fused[user->seq] || user->op == TINY_OP_INDEX, at = late ? o->at[user->seq] : (int)user->seq;
  if (o->block[at] != o->block[u->seq] || o->deep[user->seq] >= TN_WASM_DEEP) return -1;
  if (load && !tn_is_reg(index->src[0])) return at <= o->next ? at : -1;
  if (load) {
    const tiny_uop *k = index->src[1];
    const int *next = k->op == TINY_OP_CONST ? tn_wasm_reg_element(x, index) : NULL;
    return next && at <= o->stored[*next] ? at : -1;
  }
  return at;
}
// An INDEX is computed where what uses it is: the first place if there are several.
static void tn_wasm_fuse(tn_wasm_select *x) {
  const int n = x->k->n;
  tn_wasm_order o = {NULL, NULL, NULL, NULL, n};
  o.at = (int *)tn_scratch(x->t, ((size_t)n + 1) * sizeof(int));
  o.block = (int *)tn_scratch(x->t, ((size_t)n + 1) * sizeof(int));
  o.deep = (int *)tn_scratch(x->t, ((size_t)n + 1) * sizeof(int));
  for (int i = 0; i < n; i++) {
    const int op = x->k->list[i]->op;
    o.at[i] = i;
    o.block[i + 1] = o.block[i] + (op == TINY_OP_RANGE || op == TINY_OP_END || op == TINY_OP_IF || op == TINY_OP_ENDIF);
    if ((op == TINY_OP_LOAD || op == TINY_OP_STORE) && tn_is_reg(x->k->list[i]->src[0]->src[0]))
      tn_wasm_reg_element(x, x->k->list[i]->src[0]);
  }
  o.stored = (int *)tn_scratch(x->t, ((size_t)x->nlocals + 1) * sizeof(int));
  for (int i = 0; i < x->nlocals; i++) o.stored[i] = n;
  for (int i = n - 1; i >= 0 && !x->refused; i--) {
    const tiny_uop *u = x->k->list[i], *user = x->user[i];
    const int by_index = u->op == TINY_OP_INDEX;
    if (by_index && user && x->uses[i] == 1) {
      o.at[i] = o.at[user->seq];
      o.deep[i] = x->fused[user->seq] ? o.deep[user->seq] + 1 : 1;
    }
    const int place = by_index ? -1 : tn_wasm_place(x, &o, u);
    if (place >= 0) { x->fused[i] = 1; o.at[i] = place; o.deep[i] = o.deep[user->seq] + 1; }
    if (u->op != TINY_OP_STORE) continue;
    if (tn_is_reg(u->src[0]->src[0])) {
      const int *e = tn_wasm_reg_element(x, u->src[0]);
      if (e) o.stored[*e] = i;
    } else o.next = i;
  }
}
static void tn_wasm_survey(tn_wasm_select *x) {
  for (int i = 0; i < x->k->n; i++) { x->k->list[i]->seq = (uint32_t)i; x->reg[i] = -1; }
  tn_wasm_count(x);
  tn_wasm_masks(x);
  tn_wasm_fuse(x);
}

static void tn_wasm_select_list(tn_wasm_select *x, tiny_ctx *t, const tiny_listing *k) {
  static const uint8_t entry[TN_WASM_PARAMS] = {TN_WASM_I32, TN_WASM_I32, TN_WASM_I64, TN_WASM_I32};
  const size_t n = (size_t)k->n + 1;
  memset(x, 0, sizeof *x);
  x->t = t; x->k = k;
  x->reg = (int *)tn_scratch(t, n * sizeof(int)); x->uses = (int *)tn_scratch(t, n * sizeof(int));
  x->user = (const tiny_uop **)tn_scratch(t, n * sizeof *x->user);
  x->element = (int **)tn_scratch(t, n * sizeof *x->element);
  x->outer = (int *)tn_scratch(t, n * sizeof(int));
  x->fused = (uint8_t *)tn_scratch(t, n); x->mask = (uint8_t *)tn_scratch(t, n);
  for (int i = 0; i < TN_WASM_PARAMS; i++) tn_wasm_local(x, entry[i]);
  tn_wasm_survey(x);
  for (int i = 0; i < k->n && !x->refused; i++) tn_wasm_node(x, k->list[i]);
}
#endif
