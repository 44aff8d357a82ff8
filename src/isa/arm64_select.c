// arm64_select: the linear list of a kernel -> instructions of A64 with NEON, before registers.
//
// In:  a verified list whose ops the CPU's renderer has. Out: code, or what of it is not known here, in code->refused.
// Holds: a value is in registers as arm64_values.c says. A node wider than a register is computed by as many lanes at a
//        time as a register holds of it and of all its sources.
// Not here: DOT, WMMA, SHUFFLE, atomic additions, lanes that are no power of two, grids.
#ifndef TN_ISA_ARM64_SELECT
#define TN_ISA_ARM64_SELECT
#ifndef TINY_AMALGAMATED
#include "arm64_lanes.c"
#endif

// ** loops and the entry **

static void tn_arm64_range(tn_arm64_select *x, const tiny_uop *u) {
  const tiny_uop *end = u->src[0], *start = u->nsrc > 1 ? u->src[1] : NULL;
  const int r = x->reg[u->seq] = tn_arm64_new(x, TN_ISA_GPR), nbytes = tn_arm64_wide(u), label = x->c->labels;
  x->c->labels += 2;
  x->label[u->seq] = label;
  x->outer[u->seq] = x->addresses;
  if (start) tn_arm64_copy(x, TN_ISA_GPR, r, tn_arm64_value(x, start));
  else tn_arm64_number_to(x, r, 0, 4);
  if (end->op != TINY_OP_CONST || start || end->k <= 0) {
    const tn_isa_operand n = tn_arm64_source(x, end, TINY_OP_SUB);
    tn_arm64_2(x, TN_ARM64_CMP, tn_arm64_gpr(r, nbytes, TN_ISA_USE), n);
    tn_arm64_1(x, tn_is_unsigned(u->dtype) ? TN_ARM64_B_HS : TN_ARM64_B_GE, tn_arm64_label(label + 1));
  }
  TN_PUSH(x->c->t, x->c->loop, x->c->nloop, x->c->caploop, tn_isa_loop)->begin = x->c->n;
  x->c->loop[x->c->nloop - 1].end = -1;
  if (end->op == TINY_OP_CONST && end->k > 0) x->c->loop[x->c->nloop - 1].times = end->k < 1000 ? (int)end->k : 1000;
  tn_arm64_place(x, label);
}
static void tn_arm64_end(tn_arm64_select *x, const tiny_uop *range) {
  const int r = x->reg[range->seq], nbytes = tn_arm64_wide(range), label = x->label[range->seq];
  const tn_isa_operand n = tn_arm64_source(x, range->src[0], TINY_OP_SUB);
  tn_arm64_3(x, TN_ARM64_ADD, tn_arm64_gpr(r, nbytes, TN_ISA_DEF), tn_arm64_gpr(r, nbytes, TN_ISA_USE),
      tn_isa_number(1));
  tn_arm64_2(x, TN_ARM64_CMP, tn_arm64_gpr(r, nbytes, TN_ISA_USE), n);
  tn_arm64_1(x, tn_is_unsigned(range->dtype) ? TN_ARM64_B_LO : TN_ARM64_B_LT, tn_arm64_label(label));
  int l = x->c->nloop - 1;
  while (l >= 0 && x->c->loop[l].end >= 0) l--;
  x->c->loop[l].end = x->c->n;
  tn_arm64_place(x, label + 1);
  x->addresses = x->outer[range->seq];
}
static tn_isa_operand tn_arm64_slot_of(int base, int64_t at, int nbytes) {
  tn_isa_operand o = tn_isa_at(TN_ISA_MEM, nbytes, at);
  o.reg = base; o.scale = 0;
  return o;
}
static void tn_arm64_define(tn_arm64_select *x, const tiny_uop *u) {
  const int64_t nbytes = (u->v[1] * u->lanes * tn_dtypes[u->dtype].nbytes + 63) / 64 * 64;
  if (u->v[0] == TN_SPACE_REG) return;     // known when it is first named
  const int r = x->reg[u->seq] = tn_arm64_new(x, TN_ISA_GPR);
  if (x->k->local_nbytes) {
    const int n = tn_arm64_new(x, TN_ISA_GPR);
    tn_arm64_number_to(x, n, x->local_at, 8);
    tn_arm64_3(x, TN_ARM64_ADD, tn_arm64_gpr(r, 8, TN_ISA_DEF), tn_arm64_gpr(x->local, 8, TN_ISA_USE),
               tn_arm64_gpr(n, 8, TN_ISA_USE));
    x->local_at += nbytes;
    return;
  }
  x->c->frame = (x->c->frame + 63) / 64 * 64;
  tn_arm64_2(x, TN_ARM64_ADD, tn_arm64_gpr(r, 8, TN_ISA_DEF), tn_isa_at(TN_ISA_FRAME, 0, x->c->frame));
  x->c->frame += nbytes;
}

// ** REG memory: which register a value is made in **

// Where a value goes that is only stored to REG memory of which nothing is read or written meanwhile: there; or -1.
static int tn_arm64_home(tn_arm64_select *x, const tiny_uop *u) {
  const tiny_uop *store = x->uses[u->seq] == 1 ? x->user[u->seq] : NULL;
  if (!store || store->op != TINY_OP_STORE || store->src[1] != u || !tn_is_reg(store->src[0]->src[0])) return -1;
  const int *e = tn_arm64_reg_element(x, store->src[0]);
  if (!e || u->dtype == TINY_BOOL) return -1;
  for (uint32_t i = u->seq + 1; i < store->seq; i++) {
    const tiny_uop *other = x->k->list[i];
    if (other->op == TINY_OP_END || other->op == TINY_OP_RANGE || other->op == TINY_OP_IF || other->op == TINY_OP_ENDIF)
      return -1;
    const int reaches = (other->op == TINY_OP_LOAD || other->op == TINY_OP_STORE) && tn_is_reg(other->src[0]->src[0]);
    if (reaches && tn_arm64_reg_element(x, other->src[0]) == e) return -1;
  }
  for (uint32_t i = 0; i < store->seq; i++) {                // loads that stand for the register, and are used later
    const tiny_uop *load = x->k->list[i];
    if (load->op == TINY_OP_LOAD && x->reg[i] == *e && x->last[i] > (int)u->seq) return -1;
  }
  return *e;
}
// Is a value made of what that register holds?
static int tn_arm64_made_of(const tn_arm64_select *x, const tiny_uop *u, int reg) {
  const uint32_t factors = u->op == TINY_OP_FMA ? 2 : u->nsrc;                 // to the third source it is added
  for (uint32_t i = 0; i < factors; i++) {
    const tiny_uop *s = u->src[i];
    if (x->fused[s->seq] && tn_arm64_made_of(x, s, reg)) return 1;
    if (x->reg[s->seq] == reg) return 1;
  }
  return 0;
}
// Is it written by one instruction, which reads all sources before?
static int tn_arm64_one_step(const tn_arm64_select *x, const tiny_uop *u) {
  const int op = u->op, is_float = tn_is_float(u->dtype);
  const int plain = op == TINY_OP_ADD || op == TINY_OP_SUB || op == TINY_OP_MUL || op == TINY_OP_FDIV ||
      op == TINY_OP_AND ||
      op == TINY_OP_OR || op == TINY_OP_XOR || op == TINY_OP_WHERE || (op == TINY_OP_FMA && u->lanes == 1);
  return plain && u->dtype != TINY_BOOL && (is_float || op != TINY_OP_MUL || tn_arm64_element(x, u) < 8);
}
// A LOAD of REG memory is its register, unless that is written before the last use.
static void tn_arm64_load_reg(tn_arm64_select *x, const tiny_uop *u) {
  const int *e = tn_arm64_reg_element(x, u->src[0]);
  if (!e) return;
  int stays = 1;
  for (int i = (int)u->seq + 1; i < x->last[u->seq] && stays; i++) {
    const tiny_uop *store = x->k->list[i];
    if (store->op == TINY_OP_STORE && tn_is_reg(store->src[0]->src[0]) && tn_arm64_reg_element(x, store->src[0]) == e)
      stays = 0;
    if (store->op == TINY_OP_END || store->op == TINY_OP_RANGE) stays = 0;
  }
  if (stays) { x->reg[u->seq] = *e; return; }
  x->reg[u->seq] = tn_arm64_new_for(x, u);
  tn_arm64_copy_all(x, u, x->reg[u->seq], *e);
}
static void tn_arm64_store_reg(tn_arm64_select *x, const tiny_uop *value, int to, const tiny_uop *memory) {
  const int parts = tn_arm64_parts_of(x, memory), n = value->lanes / parts;
  for (int i = 0; i < parts; i++) {
    x->lanes = parts > 1 ? n : 0; x->from = i * n;
    const int is_mask = value->dtype == TINY_BOOL && value->lanes > 1;
    const int from = is_mask ? tn_arm64_mask(x, value, x->mask[memory->seq]) : tn_arm64_value(x, value);
    tn_arm64_copy(x, tn_arm64_class(value), to + i, from);
  }
  x->lanes = x->from = 0;
}

// ** nodes **

static void tn_arm64_compute(tn_arm64_select *x, const tiny_uop *u, int to) {
  if (tn_arm64_by_rule(x, u, to)) return;
  switch (u->op) {
    case TINY_OP_LOAD: tn_arm64_load(x, u, to); return;
    case TINY_OP_CAST: tn_arm64_cast(x, u, to); return;
    case TINY_OP_BITCAST: tn_arm64_bitcast(x, u, to); return;
    case TINY_OP_BROADCAST: tn_arm64_broadcast(x, u, to); return;
    case TINY_OP_LANE: tn_arm64_lane_numbers(x, u, to); return;
    case TINY_OP_LT: case TINY_OP_NE: case TINY_OP_EQ: tn_arm64_compare(x, u, to); return;
    case TINY_OP_WHERE: tn_arm64_where(x, u, to); return;
    case TINY_OP_NEG: case TINY_OP_SQRT: case TINY_OP_TRUNC: tn_arm64_unary(x, u, to); return;
    case TINY_OP_ADD: case TINY_OP_SUB: case TINY_OP_MUL: case TINY_OP_FDIV: case TINY_OP_AND: case TINY_OP_OR:
    case TINY_OP_XOR: case TINY_OP_SHL: case TINY_OP_SHR: case TINY_OP_CDIV: case TINY_OP_CMOD:
      if (tn_arm64_class(u) == TN_ISA_GPR) tn_arm64_integer(x, u, to);
      else tn_arm64_binary(x, u, to);
      return;
    default: tn_isa_refuse(x->c, tn_ops[u->op].name);
  }
}
// How many lanes registers hold of a node, of its sources, and of the mask of its memory.
static int tn_arm64_at_once(const tn_arm64_select *x, const tiny_uop *u) {
  int n = tn_arm64_each(x, u);
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *s = u->src[i], *of = s->op == TINY_OP_INDEX ? (s->nsrc == 3 ? s->src[2] : u) : s;
    if (of->lanes > 1 && of->dtype != TINY_VOID && tn_arm64_each(x, of) < n && !tn_arm64_is_splat(of))
        n = tn_arm64_each(x, of);
  }
  return n;
}
// Of vectors: as many lanes at a time as registers hold.
static void tn_arm64_compute_all(tn_arm64_select *x, const tiny_uop *u, int to) {
  if (u->op == TINY_OP_STACK) { tn_arm64_stack(x, u, to); return; }
  if (u->op == TINY_OP_PICK) { tn_arm64_pick(x, u, to); return; }
  if (u->op == TINY_OP_BITCAST && u->lanes > 1 && u->src[0]->lanes > 1 && !tn_arm64_is_splat(u->src[0])) {
    tn_arm64_copy_all(x, u, to, x->reg[u->src[0]->seq]);     // bits lie as they lay, whatever the lanes
    return;
  }
  const int n = u->lanes > 1 ? tn_arm64_at_once(x, u) : 1, each = tn_arm64_each(x, u);
  if (u->lanes == 1 || n == u->lanes) { tn_arm64_compute(x, u, to); return; }
  for (int from = 0; from < u->lanes; from += n) {
    const int whole = n == each, r = whole ? to + from / each : tn_arm64_new(x, TN_ISA_VEC);
    x->lanes = n; x->from = from;
    tn_arm64_compute(x, u, r);
    if (!whole) tn_arm64_put_lanes(x, tn_arm64_element(x, u), to + from / each, r, from % each, n);
  }
  x->lanes = x->from = 0;
}
static void tn_arm64_store_all(tn_arm64_select *x, const tiny_uop *u) {
  const tiny_uop *value = u->src[1], *valid = u->src[0]->nsrc == 3 ? u->src[0]->src[2] : NULL;
  const int own = tn_arm64_each(x, value), by_mask = valid && valid->lanes > 1 && !tn_arm64_is_splat(valid);
  const int n = by_mask && tn_arm64_each(x, valid) < own ? tn_arm64_each(x, valid) : own;
  for (int from = 0; from < value->lanes; from += n) {
    x->lanes = value->lanes > n ? n : 0; x->from = from;
    tn_arm64_store(x, u);
  }
  x->lanes = x->from = 0;
}

static void tn_arm64_special(tn_arm64_select *x, const tiny_uop *u) {
  const int to = tn_arm64_new(x, u->op == TINY_OP_ARG ? tn_arm64_class(u) : TN_ISA_GPR), nbytes = tn_arm64_wide(u);
  x->reg[u->seq] = to;
  if (u->op == TINY_OP_PARAM)
    tn_arm64_2(x, TN_ARM64_LDR, tn_arm64_gpr(to, 8, TN_ISA_DEF), tn_arm64_slot_of(x->mem, 8 * u->k, 8));
  else if (u->op == TINY_OP_ARG) tn_arm64_move(x, u, 0, to, tn_arm64_slot_of(x->args, 8 * u->k,
      tn_arm64_element(x, u)));
  else tn_arm64_2(x, TN_ARM64_MOV, tn_arm64_gpr(to, nbytes, TN_ISA_DEF), tn_arm64_gpr(x->task, nbytes, TN_ISA_USE));
  if (u->op == TINY_OP_SPECIAL && u->k) tn_isa_refuse(x->c, "a grid");
  if (u->op == TINY_OP_PARAM && u->k > 4000) tn_isa_refuse(x->c, "very many buffers");
}
// To the second level, to be used more than once. Its displacement is a multiple of 8 that is not negative; a line is
// wide, and what other instructions have negative is little.
static void tn_arm64_prefetch(tn_arm64_select *x, const tiny_uop *index) {
  tn_isa_operand o = tn_arm64_memory(x, index, 8, 0);
  if (o.index == TN_ISA_NO_REG) o.imm = o.imm < 0 ? 0 : o.imm & ~(int64_t)7;
  tn_arm64_2(x, TN_ARM64_PRFM, tn_isa_number(2), o);
}
static void tn_arm64_node(tn_arm64_select *x, const tiny_uop *u) {
  int *reg = &x->reg[u->seq];
  switch (u->op) {
    case TINY_OP_CONST: case TINY_OP_INDEX: case TINY_OP_GROUP: case TINY_OP_SINK: case TINY_OP_BARRIER: return;
    case TINY_OP_AFTER: *reg = x->reg[u->src[0]->seq]; return;
    case TINY_OP_PARAM: case TINY_OP_ARG: case TINY_OP_SPECIAL: tn_arm64_special(x, u); return;
    case TINY_OP_DEFINE: tn_arm64_define(x, u); return;
    case TINY_OP_RANGE: tn_arm64_range(x, u); return;
    case TINY_OP_END: tn_arm64_end(x, u->src[1]); return;
    case TINY_OP_IF: x->outer[u->seq] = x->addresses; x->label[u->seq] = tn_arm64_if(x, u->src[0]); return;
    case TINY_OP_ENDIF:
      tn_arm64_place(x, x->label[u->src[0]->seq]);
      x->addresses = x->outer[u->src[0]->seq];
      return;
    case TINY_OP_PREFETCH: tn_arm64_prefetch(x, u->src[0]); return;
    case TINY_OP_STORE:
      if (tn_is_reg(u->src[0]->src[0])) {
        const int *e = tn_arm64_reg_element(x, u->src[0]);
        if (e && x->reg[u->src[1]->seq] != *e) tn_arm64_store_reg(x, u->src[1], *e,
            tn_memory_behind(u->src[0]->src[0]));
      } else tn_arm64_store_all(x, u);
      return;
    default: break;
  }
  if (!x->uses[u->seq] || x->fused[u->seq]) return;
  if (tn_arm64_is_splat(u)) {              // made where it stands, before all loops
    if (u->dtype != TINY_BOOL) *reg = tn_arm64_splat(x, tn_arm64_bits(u->src[0]), tn_arm64_element(x, u));
    return;
  }
  if (u->lanes & (u->lanes - 1)) { tn_isa_refuse(x->c, "lanes that are no power of two"); return; }
  if (u->op == TINY_OP_LOAD && tn_is_reg(u->src[0]->src[0])) { tn_arm64_load_reg(x, u); return; }
  int home = tn_arm64_home(x, u);
  const int all_at_once = tn_arm64_one_step(x, u) && tn_arm64_at_once(x, u) == u->lanes;
  if (home >= 0 && (u->op == TINY_OP_STACK || u->op == TINY_OP_PICK || tn_arm64_parts_of(x, u) > 1)) home = -1;
  if (home >= 0 && !all_at_once && tn_arm64_made_of(x, u, home)) home = -1;
  const int to = home >= 0 ? home : tn_arm64_new_for(x, u);
  tn_arm64_compute_all(x, u, to);
  *reg = to;
}

// ** what the list says of its nodes **

// What u reads as its source j.
static const tiny_uop *tn_arm64_read_by(const tiny_uop *u, uint32_t j) {
  const tiny_uop *folded = u->op == TINY_OP_INDEX && j == 1 ? tn_isa_folded(u) : NULL;
  return folded ? folded->src[0] : u->src[j];
}
// Is it written for its value alone, which nobody uses?
static int tn_arm64_is_dead(const tn_arm64_select *x, const tiny_uop *u) {
  const int op = u->op;
  if (x->uses[u->seq] || u->dtype == TINY_VOID) return 0;
  return tn_op_is_elementwise(op) || op == TINY_OP_LOAD || op == TINY_OP_INDEX || op == TINY_OP_BROADCAST ||
      op == TINY_OP_STACK || op == TINY_OP_PICK;
}
// Bytes of the lanes of vectors of bools: as what is compared has, or the first source that is no constant.
static void tn_arm64_masks(tn_arm64_select *x) {
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i], *user = x->user[i];
    x->mask[i] = 1;
    if (u->dtype != TINY_BOOL || u->lanes == 1 || u->op == TINY_OP_DEFINE) continue;
    const int by_user = user && user->op == TINY_OP_WHERE && user->src[0] == u && user->dtype != TINY_BOOL;
    if (u->op == TINY_OP_BROADCAST || u->op == TINY_OP_STACK) x->mask[i] = (uint8_t)(by_user ?
        tn_dtypes[user->dtype].nbytes : 1);
    else if (u->op == TINY_OP_LOAD) x->mask[i] = x->mask[tn_memory_behind(u->src[0]->src[0])->seq];
    else for (uint32_t j = 0; j < u->nsrc; j++) if (u->src[j]->lanes > 1 && !tn_arm64_is_splat(u->src[j])) {
      x->mask[i] = (uint8_t)tn_arm64_element(x, u->src[j]);
      break;
    }
  }
}
// BROADCASTs of floats that only FMAs read, as a factor, are not written: those take one lane for all.
static void tn_arm64_one_lanes(tn_arm64_select *x) {
  int *factor = (int *)tn_scratch(x->c->t, ((size_t)x->k->n + 1) * sizeof(int));
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    for (uint32_t j = 0; u->op == TINY_OP_FMA && x->uses[i] && j < 2; j++) factor[u->src[j]->seq]++;
  }
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    const int is_lane = u->op == TINY_OP_BROADCAST && tn_is_float(u->dtype) && u->src[0]->op != TINY_OP_CONST;
    if (is_lane && x->uses[i] && factor[i] == x->uses[i]) x->fused[i] = 1;
  }
}
static void tn_arm64_survey(tn_arm64_select *x) {
  const int n = x->k->n;
  for (int i = 0; i < n; i++) { x->k->list[i]->seq = (uint32_t)i; x->reg[i] = -1; }
  for (int i = n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    if (tn_arm64_is_dead(x, u)) continue;
    for (uint32_t j = 0; j < u->nsrc; j++) {
      const tiny_uop *s = tn_arm64_read_by(u, j);
      x->uses[s->seq] += u->op == TINY_OP_INDEX ? 2 : u->op == TINY_OP_GROUP || u->op == TINY_OP_SINK ? 0 : 1;
      x->user[s->seq] = u;
    }
  }
  tn_arm64_masks(x);
  tn_arm64_one_lanes(x);
  x->survey = 1;
  for (int i = n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_IF && tn_arm64_is_compare(u->src[0])) tn_arm64_takes_in(x, u->src[0]);
    else if (x->uses[i]) tn_arm64_by_rule(x, u, -1);
  }
  x->survey = 0;
  for (int i = n - 1; i >= 0; i--) {       // what is fused, or an INDEX, reads where its user stands
    const tiny_uop *u = x->k->list[i];
    const int late = x->fused[i] || u->op == TINY_OP_INDEX, at = late && x->last[i] > i ? x->last[i] : i;
    for (uint32_t j = 0; j < u->nsrc; j++) {
      const tiny_uop *s = tn_arm64_read_by(u, j);
      if (x->last[s->seq] < at) x->last[s->seq] = at;
    }
  }
}

// The entry's arguments are x0 to x3 (AAPCS64, 6.8.2), which are given to nobody before they are read.
static void tn_arm64_entry(tn_arm64_select *x) {
  int *const to[4] = {&x->mem, &x->args, &x->task, &x->local};
  for (int i = 0; i < 4; i++) tn_arm64_copy(x, TN_ISA_GPR, *to[i] = tn_arm64_new(x, TN_ISA_GPR), -1 - i);
}

static void tn_arm64_select_list(tn_isa_code *c, const tiny_listing *k, const tn_arm64_level *level) {
  tn_arm64_select x;
  const size_t n = (size_t)k->n + 1;
  memset(&x, 0, sizeof x);
  x.c = c; x.k = k; x.level = level;
  x.reg = (int *)tn_scratch(c->t, n * sizeof(int)); x.uses = (int *)tn_scratch(c->t, n * sizeof(int));
  x.last = (int *)tn_scratch(c->t, n * sizeof(int)); x.label = (int *)tn_scratch(c->t, n * sizeof(int));
  x.outer = (int *)tn_scratch(c->t, n * sizeof(int));
  x.user = (const tiny_uop **)tn_scratch(c->t, n * sizeof *x.user);
  x.element = (int **)tn_scratch(c->t, n * sizeof *x.element);
  x.fused = (uint8_t *)tn_scratch(c->t, n); x.mask = (uint8_t *)tn_scratch(c->t, n);
  tn_arm64_survey(&x);
  tn_arm64_entry(&x);
  for (int i = 0; i < k->n && !c->refused; i++) tn_arm64_node(&x, k->list[i]);
}
#endif
