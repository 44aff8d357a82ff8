// arm64_select: the linear list of a kernel -> instructions of A64 with NEON, before registers.
//
// In:  a verified list whose ops the CPU's renderer has. Out: code, or what of it is not known here, in code->refused.
// Holds: a value is in registers as arm64_values.c says. A node wider than a register is computed by as many lanes at a
//        time as a register holds of it and of all its sources.
// Not here: WMMA, SHUFFLE, atomic additions, lanes that are no power of two, grids: a CPU's lists have none.
#ifndef TN_ISA_ARM64_SELECT
#define TN_ISA_ARM64_SELECT
#ifndef TINY_AMALGAMATED
#include "arm64_lanes.c"
#endif

// ** loops and the entry **

static tn_isa_operand tn_arm64_end_of(const tn_arm64_select *x, const tiny_uop *range) {
  const int r = x->end[range->seq];
  return r < 0 ? tn_isa_number(range->src[0]->k) : tn_arm64_gpr(r, tn_arm64_wide(range), TN_ISA_USE);
}
// to = base + a value, times a number of bytes, of 64 bits.
static void tn_arm64_add_term(tn_arm64_select *x, int to, int base, const tiny_uop *u, int64_t times) {
  const int power = tn_arm64_power(times), sign = tn_arm64_extend_of(u) == TN_ARM64_BY_SXTW, r = tn_arm64_value(x, u);
  if (power >= 0 && (!sign || power <= 4)) {
    tn_arm64_address_to(x, to, base, r, sign ? TN_ARM64_BY_SXTW : TN_ARM64_BY_UXTX, power);
    return;
  }
  const int n = tn_arm64_new(x, TN_ISA_GPR), wide = sign ? tn_arm64_new(x, TN_ISA_GPR) : r;
  tn_arm64_number_to(x, n, times, 8);
  if (sign) tn_arm64_2(x, TN_ARM64_SXTW, tn_arm64_gpr(wide, 8, TN_ISA_DEF), tn_arm64_gpr(r, 4, TN_ISA_USE));
  tn_arm64_4(x, TN_ARM64_MADD, tn_arm64_gpr(to, 8, TN_ISA_DEF), tn_arm64_gpr(wide, 8, TN_ISA_USE),
             tn_arm64_gpr(n, 8, TN_ISA_USE), tn_arm64_gpr(base, 8, TN_ISA_USE));
}
static void tn_arm64_begin_inductions(tn_arm64_select *x, const tiny_uop *range) {
  for (int i = 0; i < x->inductions.n; i++) {
    tn_isa_induction *d = &x->inductions.of[i];
    if (d->range != range) continue;
    const int64_t step = d->step * d->nbytes, whole = step * x->copies[range->seq];
    int base = tn_arm64_value(x, d->memory);
    d->reg = tn_arm64_new(x, TN_ISA_GPR);
    for (int k = 0; k < d->n + (range->nsrc > 1); k++, base = d->reg) {
      const int is_start = k == d->n;
      tn_arm64_add_term(x, d->reg, base, is_start ? range->src[1] : d->term[k].of,
                        is_start ? step : d->term[k].times * d->nbytes);
    }
    tn_arm64_copy(x, TN_ISA_GPR, d->reg, base);
    if (tn_arm64_adds(whole < 0 ? -whole : whole)) continue;
    d->by = tn_arm64_new(x, TN_ISA_GPR);
    tn_arm64_number_to(x, d->by, whole, 8);
  }
}
// Does nobody want to know which iteration it is? Then they are counted down.
static int tn_arm64_counts_down(const tn_arm64_select *x, const tiny_uop *range) {
  return x->uses[range->seq] == 1 && range->nsrc == 1;       // END is one
}
// How many copies of its body a loop has, whose length their number divides.
static int tn_arm64_copies(const tn_arm64_select *x, const tiny_uop *range) {
  const int end = tn_isa_body_end(x->k, range);
  int n = 0;
  for (int i = (int)range->seq + 1; i < end; i++) {
    const tiny_uop *u = x->k->list[i], *value = u->op == TINY_OP_STORE ? u->src[1] : u;
    const int is_value = u->dtype != TINY_VOID && x->uses[i] && !x->fused[i] && u->op != TINY_OP_INDEX &&
        u->op != TINY_OP_CONST && !tn_arm64_is_splat(u);
    if (u->op == TINY_OP_STORE || is_value) n += tn_arm64_parts_of(x, value);
  }
  return end < 0 || !tn_arm64_counts_down(x, range) ? 1 : tn_isa_copies_of(range, n, 0);
}
static void tn_arm64_range(tn_arm64_select *x, const tiny_uop *u) {
  const tiny_uop *end = u->src[0], *start = u->nsrc > 1 ? u->src[1] : NULL;
  const int r = x->reg[u->seq] = tn_arm64_new(x, TN_ISA_GPR), nbytes = tn_arm64_wide(u), label = x->c->labels;
  const int down = tn_arm64_counts_down(x, u), is_number = end->op == TINY_OP_CONST;
  x->c->labels += 2;
  x->label[u->seq] = label;
  x->outer[u->seq] = x->addresses;
  x->copies[u->seq] = (uint8_t)tn_arm64_copies(x, u);
  tn_arm64_begin_inductions(x, u);
  x->end[u->seq] = down || (is_number && tn_arm64_adds(end->k)) ? -1 : tn_arm64_value(x, end);
  if (down) {
    if (is_number) tn_arm64_number_to(x, r, end->k / x->copies[u->seq], nbytes);
    else tn_arm64_copy(x, TN_ISA_GPR, r, tn_arm64_value(x, end));
  } else if (start) tn_arm64_copy(x, TN_ISA_GPR, r, tn_arm64_value(x, start));
  else tn_arm64_number_to(x, r, 0, 4);
  if (!is_number || start || end->k <= 0) {
    const tn_isa_operand n = down ? tn_isa_number(0) : tn_arm64_end_of(x, u);
    const int none = tn_is_unsigned(u->dtype) ? TN_ARM64_B_HS : TN_ARM64_B_GE;
    tn_arm64_2(x, TN_ARM64_CMP, tn_arm64_gpr(r, nbytes, TN_ISA_USE), n);
    tn_arm64_1(x, !down ? none : tn_is_unsigned(u->dtype) ? TN_ARM64_B_EQ : TN_ARM64_B_LE, tn_arm64_label(label + 1));
  }
  TN_PUSH(x->c->t, x->c->loop, x->c->nloop, x->c->caploop, tn_isa_loop)->begin = x->c->n;
  x->c->loop[x->c->nloop - 1].end = -1;
  if (end->op == TINY_OP_CONST && end->k > 0) x->c->loop[x->c->nloop - 1].times = end->k < 1000 ? (int)end->k : 1000;
  tn_arm64_place(x, label);
}
static void tn_arm64_end(tn_arm64_select *x, const tiny_uop *range) {
  const int r = x->reg[range->seq], nbytes = tn_arm64_wide(range), label = x->label[range->seq];
  const int down = tn_arm64_counts_down(x, range);
  for (int i = 0; i < x->inductions.n; i++) {
    const tn_isa_induction *d = &x->inductions.of[i];
    if (d->range == range)
      tn_arm64_add_number(x, d->reg, d->reg, d->step * d->nbytes * x->copies[range->seq], d->by);
  }
  tn_arm64_3(x, down ? TN_ARM64_SUBS : TN_ARM64_ADD, tn_arm64_gpr(r, nbytes, TN_ISA_DEF),
             tn_arm64_gpr(r, nbytes, TN_ISA_USE), tn_isa_number(1));
  if (!down) tn_arm64_2(x, TN_ARM64_CMP, tn_arm64_gpr(r, nbytes, TN_ISA_USE), tn_arm64_end_of(x, range));
  const int goes_on = tn_is_unsigned(range->dtype) ? TN_ARM64_B_LO : TN_ARM64_B_LT;
  tn_arm64_1(x, down ? TN_ARM64_B_NE : goes_on, tn_arm64_label(label));
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

static int tn_arm64_adds_to(const tiny_uop *u) { return u->op == TINY_OP_FMA || u->op == TINY_OP_DOT; }
// Where a value goes that is only stored to REG memory of which nothing is read or written meanwhile: there; or -1.
static int tn_arm64_home(tn_arm64_select *x, const tiny_uop *u) {
  const tiny_uop *store = x->uses[u->seq] == 1 ? x->user[u->seq] : NULL, *sum = u;
  for (; store && tn_arm64_adds_to(store) && tn_arm64_adds_to(u) && store->src[2] == sum; sum = store, store =
       x->uses[sum->seq] == 1 ? x->user[sum->seq] : NULL)    // what is added to stands where the last sum goes
    if (store->src[0] == sum || store->src[1] == sum || store->lanes != u->lanes) return -1;
  if (!store || store->op != TINY_OP_STORE || store->src[1] != sum || !tn_is_reg(store->src[0]->src[0])) return -1;
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
// Is source i of a sum of vectors a product that is written with it?
static int tn_arm64_is_product_in(const tn_arm64_select *x, const tiny_uop *u, uint32_t i) {
  return (u->op == TINY_OP_ADD || u->op == TINY_OP_SUB) && u->lanes > 1 && u->src[i]->op == TINY_OP_MUL &&
      x->fused[u->src[i]->seq];
}
// Is a value made of what that register holds?
static int tn_arm64_made_of(const tn_arm64_select *x, const tiny_uop *u, int reg) {
  const uint32_t factors = tn_arm64_adds_to(u) ? 2 : u->nsrc;                  // to the third source it is added
  for (uint32_t i = 0; i < factors; i++) {
    const tiny_uop *s = u->src[i];
    if (u->nsrc == 2 && tn_arm64_is_product_in(x, u, !i)) continue;            // or to the one beside the product
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
  for (uint32_t i = 0; i < u->nsrc; i++) if (tn_arm64_is_product_in(x, u, i)) return 0;
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
    case TINY_OP_DOT: tn_arm64_dot(x, u, to); return;
    case TINY_OP_NEG: case TINY_OP_SQRT: case TINY_OP_TRUNC: tn_arm64_unary(x, u, to); return;
    case TINY_OP_ADD: case TINY_OP_SUB: case TINY_OP_MUL: case TINY_OP_FDIV: case TINY_OP_AND: case TINY_OP_OR:
    case TINY_OP_XOR: case TINY_OP_SHL: case TINY_OP_SHR: case TINY_OP_CDIV: case TINY_OP_CMOD:
      if (tn_arm64_class(u) == TN_ISA_GPR) tn_arm64_integer(x, u, to);
      else tn_arm64_binary(x, u, to);
      return;
    default: tn_isa_refuse(x->c, tn_ops[u->op].name);
  }
}
// How many lanes registers hold of a node, of its sources, of what is written with it, and of the mask of its memory.
static int tn_arm64_at_once(const tn_arm64_select *x, const tiny_uop *u) {
  int n = tn_arm64_each(x, u);
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *s = u->src[i], *of = s->op == TINY_OP_INDEX ? (s->nsrc == 3 ? s->src[2] : u) : s;
    if (of->lanes > 1 && of->dtype != TINY_VOID && tn_arm64_each(x, of) < n && !tn_arm64_is_splat(of))
        n = tn_arm64_each(x, of);
    const int inner = s->lanes > 1 && x->fused[s->seq] ? tn_arm64_at_once(x, s) : n;
    if (inner < n) n = inner;
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

// The same bits of vector registers, or their first lane, which nothing else is written to: those of REG memory are.
static int tn_arm64_is_alias(const tn_arm64_select *x, const tiny_uop *u) {
  const tiny_uop *s = u->op == TINY_OP_BITCAST || u->op == TINY_OP_PICK ? u->src[0] : NULL;
  if (!s || tn_arm64_class(u) != TN_ISA_VEC || tn_arm64_class(s) != TN_ISA_VEC || s->dtype == TINY_BOOL ||
      u->dtype == TINY_BOOL) return 0;
  if (tn_arm64_is_splat(s) || s->op == TINY_OP_CONST || (s->op == TINY_OP_LOAD && tn_is_reg(s->src[0]->src[0])))
    return 0;
  return u->op == TINY_OP_BITCAST ? (s->lanes == 1) == (u->lanes == 1) : u->lanes == 1 && !(u->k % tn_arm64_each(x, s));
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
  if (x->in_lane[u->seq] || x->word[u->seq]) {
    const int cls = x->in_lane[u->seq] ? TN_ISA_VEC : TN_ISA_GPR;
    *reg = tn_arm64_new(x, cls);
    tn_arm64_load_lane(x, x->word[u->seq] ? x->word[u->seq] : u, tn_arm64_element(x, u), cls, *reg);
    return;
  }
  if (u->lanes & (u->lanes - 1)) { tn_isa_refuse(x->c, "lanes that are no power of two"); return; }
  if (u->op == TINY_OP_LOAD && tn_is_reg(u->src[0]->src[0])) { tn_arm64_load_reg(x, u); return; }
  if (tn_arm64_is_alias(x, u)) {
    *reg = x->reg[u->src[0]->seq] + (u->op == TINY_OP_PICK ? (int)u->k / tn_arm64_each(x, u->src[0]) : 0);
    return;
  }
  int home = tn_arm64_home(x, u);
  const int all_at_once = tn_arm64_one_step(x, u) && tn_arm64_at_once(x, u) == u->lanes;
  if (home >= 0 && (u->op == TINY_OP_STACK || u->op == TINY_OP_PICK || tn_arm64_parts_of(x, u) > 1)) home = -1;
  if (home >= 0 && !all_at_once && tn_arm64_made_of(x, u, home)) home = -1;
  const int to = home >= 0 ? home : tn_arm64_new_for(x, u);
  tn_arm64_compute_all(x, u, to);
  *reg = to;
}

// All copies of the body of a loop. The place of its last node.
static int tn_arm64_write_copies(tn_arm64_select *x, const tiny_uop *range) {
  int end = (int)range->seq;
  for (int i = 0; i < x->copies[range->seq]; i++) {
    x->copy = i;
    x->addresses = x->outer[range->seq];   // some are made of what each copy makes anew
    for (end = (int)range->seq + 1; x->k->list[end]->op != TINY_OP_END && !x->c->refused; end++)
      tn_arm64_node(x, x->k->list[end]);
  }
  x->copy = 0;
  return end - 1;
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
// BROADCASTs that only FMAs or DOTs read, as a factor, are not written: those take one lane for all.
static void tn_arm64_one_lanes(tn_arm64_select *x) {
  int *factor = (int *)tn_scratch(x->c->t, ((size_t)x->k->n + 1) * sizeof(int));
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    const int takes = u->op == TINY_OP_FMA ? tn_is_float(u->dtype) : u->op == TINY_OP_DOT && u->lanes > 1;
    for (uint32_t j = 0; takes && x->uses[i] && j < 2 && u->src[0] != u->src[1]; j++) factor[u->src[j]->seq]++;
  }
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    const int is_lane = u->op == TINY_OP_BROADCAST && u->src[0]->op != TINY_OP_CONST &&
        (tn_is_float(u->dtype) || x->in_lane[u->src[0]->seq]);
    if (is_lane && x->uses[i] && factor[i] == x->uses[i]) x->fused[i] = 1;
  }
}
// An index that is an induction variable reads, before the loop, what that begins with.
static void tn_arm64_read_induction(tn_arm64_select *x, const tiny_uop *index) {
  const tn_isa_induction *d = &x->inductions.of[x->inductions.which[index->seq] - 1];
  for (int i = 0; i <= d->n; i++) {
    const tiny_uop *s = i < d->n ? d->term[i].of : d->range->nsrc > 1 ? d->range->src[1] : NULL;
    if (!s) continue;
    x->uses[s->seq] += 2;
    x->user[s->seq] = d->range;
    if (x->last[s->seq] < (int)d->range->seq) x->last[s->seq] = (int)d->range->seq;
  }
}
// Lanes that only STACKs and BROADCASTs read, which take them where they are; and what is loaded to be a float's bits.
static void tn_arm64_lanes_in_place(tn_arm64_select *x) {
  int *taken = (int *)tn_scratch(x->c->t, ((size_t)x->k->n + 1) * sizeof(int));
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    const int bits = u->op == TINY_OP_BITCAST && tn_is_float(u->dtype) && u->src[0]->op == TINY_OP_LOAD;
    const int takes = (u->op == TINY_OP_STACK || u->op == TINY_OP_BROADCAST || bits) && u->dtype != TINY_BOOL;
    for (uint32_t j = 0; takes && x->uses[i] && j < u->nsrc; j++) taken[u->src[j]->seq]++;
  }
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    const int all = x->uses[i] && taken[i] == x->uses[i] && u->lanes == 1 && u->dtype != TINY_BOOL;
    if (all && u->op == TINY_OP_PICK && !tn_arm64_is_splat(u->src[0])) x->fused[i] = 1;
    if (all && x->word[i]) x->in_lane[i] = 1;
    if (all && u->op == TINY_OP_LOAD && tn_is_int(u->dtype) && u->nsrc == 1 && u->src[0]->nsrc == 2)
        x->in_lane[i] = !tn_is_reg(u->src[0]->src[0]);
  }
}
// Words that are one load, of which nothing else is written.
static int tn_arm64_is_of_word(const tn_arm64_select *x, const tiny_uop *u) {  // is it used by a part of one alone?
  const tiny_uop *user = x->uses[u->seq] == 1 ? x->user[u->seq] : NULL;
  return user && u->lanes == 1 && user->seq > u->seq && (x->word[user->seq] || x->fused[user->seq]) &&
      (u->op == TINY_OP_OR || u->op == TINY_OP_SHL || u->op == TINY_OP_CAST || u->op == TINY_OP_BITCAST ||
       u->op == TINY_OP_LOAD);
}
static void tn_arm64_words(tn_arm64_select *x) {
  tn_combined w;
  for (int i = x->k->n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    if (!x->uses[i] || u->lanes > 1 || u->dtype == TINY_VOID) continue;
    if (tn_arm64_is_of_word(x, u)) x->fused[i] = 1;
    else x->word[i] = tn_isa_word_of(x->k, u, &w);
  }
}
// NEs that only choose, and factors that only products widen.
static void tn_arm64_by_users(tn_arm64_select *x) {
  int *taken = (int *)tn_scratch(x->c->t, ((size_t)x->k->n + 1) * sizeof(int));
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (!x->uses[i]) continue;
    if (u->op == TINY_OP_WHERE) taken[u->src[0]->seq]++;
    for (uint32_t j = 0; tn_arm64_widened_product(u) >= 0 && j < 2; j++) taken[u->src[j]->seq]++;
  }
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->lanes == 1 || !x->uses[i] || taken[i] != x->uses[i]) continue;
    if (u->op == TINY_OP_NE && u->src[0]->dtype != TINY_BOOL) x->inverted[i] = 1;
    if (u->op == TINY_OP_CAST && u->dtype != TINY_BOOL) x->fused[i] = 1;
  }
}
static void tn_arm64_survey(tn_arm64_select *x) {
  const int n = x->k->n;
  for (int i = 0; i < n; i++) { x->k->list[i]->seq = (uint32_t)i; x->reg[i] = -1; }
  tn_isa_find_inductions(x->c->t, x->k, TN_ARM64_INDUCTIONS, 1, &x->inductions);
  for (int i = n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    if (tn_arm64_is_dead(x, u)) continue;
    if (x->inductions.which[i]) tn_arm64_read_induction(x, u);
    for (uint32_t j = 0; j < u->nsrc; j++) {
      if (j == 1 && x->inductions.which[i]) continue;
      const tiny_uop *s = tn_arm64_read_by(u, j);
      const int order = u->op == TINY_OP_GROUP || u->op == TINY_OP_SINK || (u->op == TINY_OP_AFTER && j);   // alone
      x->uses[s->seq] += order ? 0 : u->op == TINY_OP_INDEX ? 2 : 1;
      x->user[s->seq] = u;
    }
  }
  tn_arm64_masks(x);
  tn_arm64_words(x);
  tn_arm64_lanes_in_place(x);
  tn_arm64_one_lanes(x);
  tn_arm64_by_users(x);
  x->survey = 1;
  for (int i = n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_IF) tn_arm64_takes_condition(x, u->src[0]);
    else if (x->uses[i]) tn_arm64_by_rule(x, u, -1);
  }
  x->survey = 0;
  for (int i = n - 1; i >= 0; i--) {       // what is fused, or an INDEX, reads where its user stands
    const tiny_uop *u = x->k->list[i];
    const int late = x->fused[i] || u->op == TINY_OP_INDEX, at = late && x->last[i] > i ? x->last[i] : i;
    for (uint32_t j = 0; j < u->nsrc; j++) {
      if (j == 1 && x->inductions.which[i]) continue;
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
  x.outer = (int *)tn_scratch(c->t, n * sizeof(int)); x.end = (int *)tn_scratch(c->t, n * sizeof(int));
  x.user = (const tiny_uop **)tn_scratch(c->t, n * sizeof *x.user);
  x.element = (int **)tn_scratch(c->t, n * sizeof *x.element);
  x.word = (const tiny_uop **)tn_scratch(c->t, n * sizeof *x.word);
  x.copies = (uint8_t *)tn_scratch(c->t, n);
  x.in_lane = (uint8_t *)tn_scratch(c->t, n); x.inverted = (uint8_t *)tn_scratch(c->t, n);
  x.fused = (uint8_t *)tn_scratch(c->t, n); x.mask = (uint8_t *)tn_scratch(c->t, n);
  tn_arm64_survey(&x);
  tn_arm64_entry(&x);
  for (int i = 0; i < k->n && !c->refused; i++) {
    const tiny_uop *u = k->list[i];
    tn_arm64_node(&x, u);
    if (u->op == TINY_OP_RANGE && x.copies[i] > 1) i = tn_arm64_write_copies(&x, u);
  }
}
#endif
