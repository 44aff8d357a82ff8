// x86_expand: how a node is written: by an instruction, by other nodes that say the same, or element by element.
//
// In:  a node, the registers that it is to be in. Out: instructions.
// Holds: nodes that a rule makes are written where their root stands, in registers of their own, and nobody else finds
//        them: they have numbers beyond the list's while it lasts. They are hash-consed, so that one may be a node of
//        the list: that gets its number back. Scalars stand for lanes where a vector goes element by element.
#ifndef TN_ISA_X86_EXPAND
#define TN_ISA_X86_EXPAND
#ifndef TINY_AMALGAMATED
#include "x86_choice.c"
#include "x86_rules.c"
#include "../rules/notation_end.c"
#endif

static void tn_x86_write(tn_x86_select *x, const tiny_uop *u, int to);

// ** is there an instruction? **

static int tn_x86_has_cast(const tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int of_64 = u->dtype == TINY_U64 || s->dtype == TINY_U64;
  const int floats = tn_is_float(u->dtype) || tn_is_float(s->dtype);
  if (u->lanes > 1) return tn_x86_casts(x, s->dtype, u->dtype);
  return u->dtype != TINY_BOOL && (x->level->masks || !of_64 || !floats);
}
static int tn_x86_has_compare(const tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  if (s->lanes == 1) return 1;
  if (s->dtype == TINY_BOOL) return u->op == TINY_OP_NE;
  if (x->level->masks) return 1;
  return tn_x86_choose(x->level, tn_x86_do_of(u), tn_x86_type(x, s)) &&
      !(u->op == TINY_OP_LT && tn_is_unsigned(s->dtype));
}
static int tn_x86_has(const tn_x86_select *x, const tiny_uop *u) {
  const int product_64 = u->op == TINY_OP_MUL && tn_is_int(u->dtype) && tn_x86_element(x, u) == 8;
  switch (u->op) {
    case TINY_OP_LT: case TINY_OP_NE: case TINY_OP_EQ: return tn_x86_has_compare(x, u);
    case TINY_OP_CAST: return tn_x86_has_cast(x, u);
    case TINY_OP_SQRT: case TINY_OP_TRUNC: return tn_x86_row_of(x, u) != 0;
    case TINY_OP_ADD: case TINY_OP_SUB: case TINY_OP_MUL: case TINY_OP_FDIV: case TINY_OP_AND: case TINY_OP_OR:
    case TINY_OP_XOR: case TINY_OP_SHL: case TINY_OP_SHR: case TINY_OP_CDIV: case TINY_OP_CMOD:
      if (tn_x86_class(x, u) == TN_ISA_GPR || product_64) return 1;
      return tn_x86_is_lanes_of_bool(u) ? tn_x86_is_logic(u) :
          tn_x86_row_of(x, u) != 0 || tn_x86_shifts_by_products(x, u);
    default: return 1;
  }
}

// ** nodes of one's own **

// A number beyond the list's; what it was is to be given back. Of the bools of a vector it says the width.
typedef struct tn_x86_numbered { tiny_uop *u; uint32_t was; } tn_x86_numbered;
static int tn_x86_bool_element(const tn_x86_select *x, const tiny_uop *u);
static tn_x86_numbered tn_x86_number_it(tn_x86_select *x, tiny_uop *u) {
  const tn_x86_numbered n = {u, u->seq};
  if (x->spare == TN_X86_SPARE) { tn_isa_refuse(x->c, "a node that is too many others"); x->spare = 0; }
  const int seq = x->k->n + x->spare++;
  u->seq = (uint32_t)seq;
  x->reg[seq] = x->wide[seq] = -1; x->shuffles[seq] = 0; x->packed[seq] = x->factor[seq] = NULL;
  x->uses[seq] = 1; x->fused[seq] = x->indexes[seq] = 0; x->last[seq] = INT32_MAX;
  x->bools[seq] = (uint8_t)(tn_x86_is_lanes_of_bool(u) ? tn_x86_bool_element(x, u) : 1);
  return n;
}
typedef struct tn_x86_expansion {
  const tiny_uop *root;                    // what is written; what it reads is there
  const tiny_uop *of[TN_X86_SPARE]; tiny_uop *is[TN_X86_SPARE]; tn_x86_numbered number[TN_X86_SPARE];
  int n, numbers;
} tn_x86_expansion;

static int tn_x86_is_at_hand(const tn_x86_expansion *e, const tiny_uop *v) {
  if (v->op == TINY_OP_CONST) return 1;
  for (uint32_t i = 0; i < e->root->nsrc; i++) if (e->root->src[i] == v) return 1;
  return 0;
}
// A source as wide as its user.
static tiny_uop *tn_x86_as_wide(tn_x86_select *x, tn_x86_expansion *e, tiny_uop *v, int lanes) {
  if (v->lanes == lanes || v->lanes > 1) return v;
  tiny_uop *wide = tn_uop_make(x->c->t, TINY_OP_BROADCAST, v->dtype, lanes, 1, &v, 0, 0, NULL);
  e->number[e->numbers++] = tn_x86_number_it(x, wide);
  if (tn_x86_is_splat(wide)) return wide;
  x->reg[wide->seq] = tn_x86_new_for(x, wide);
  tn_x86_write(x, wide, x->reg[wide->seq]);
  return wide;
}
// What v is with all that it reads written; itself is not yet.
static tiny_uop *tn_x86_inner(tn_x86_select *x, tn_x86_expansion *e, tiny_uop *v);
static tiny_uop *tn_x86_ready(tn_x86_select *x, tn_x86_expansion *e, tiny_uop *v) {
  tiny_uop *src[3] = {NULL, NULL, NULL};
  for (uint32_t i = 0; i < v->nsrc; i++) src[i] = tn_x86_as_wide(x, e, tn_x86_inner(x, e, v->src[i]), v->lanes);
  tiny_uop *w = tn_uop_make(x->c->t, v->op, v->dtype, v->lanes, (int)v->nsrc, src, v->k, 0, NULL);
  e->number[e->numbers++] = tn_x86_number_it(x, w);
  return w;
}
static tiny_uop *tn_x86_inner(tn_x86_select *x, tn_x86_expansion *e, tiny_uop *v) {
  if (tn_x86_is_at_hand(e, v)) return v;
  for (int i = 0; i < e->n; i++) if (e->of[i] == v) return e->is[i];
  tiny_uop *w = tn_x86_ready(x, e, v);
  x->reg[w->seq] = tn_x86_new_for(x, w);
  tn_x86_write(x, w, x->reg[w->seq]);
  e->of[e->n] = v; e->is[e->n++] = w;
  return w;
}
enum { TN_X86_EXPANSIONS = 4 };           // one in another, on the host's stack
static void tn_x86_expand(tn_x86_select *x, const tiny_uop *u, tiny_uop *instead, int to) {
  if (x->depth == TN_X86_EXPANSIONS) { tn_isa_refuse(x->c, "a node that is too many others"); return; }
  tn_x86_expansion *e = (tn_x86_expansion *)tn_scratch(x->c->t, sizeof *e);
  const int spare = x->spare;
  e->root = u;
  x->depth++;
  const tiny_uop *w = tn_x86_ready(x, e, instead);
  if (tn_x86_is_lanes_of_bool(u)) x->bools[w->seq] = x->bools[u->seq];         // as wide as its users expect
  tn_x86_write(x, w, to);
  while (e->numbers > 0) { e->numbers--; e->number[e->numbers].u->seq = e->number[e->numbers].was; }
  x->spare = spare;
  x->depth--;
}

// ** element by element **

enum { TN_X86_RESULTS_AT = 256 };          // of the shelf
static void tn_x86_by_lanes(tn_x86_select *x, const tiny_uop *u, int to) {
  const int element = tn_x86_element(x, u), lanes = tn_x86_lanes(x, u), spare = x->spare;
  const int was_lanes = x->lanes, was_from = x->from;
  tiny_uop *arg[3] = {NULL, NULL, NULL};
  tn_x86_numbered numbered[4];
  int n = 0, of[3], width[3];
  for (uint32_t i = 0; i < u->nsrc; i++) {
    tiny_uop *s = u->src[i];
    if (tn_x86_is_splat(s)) { arg[i] = s->src[0]; continue; }
    arg[i] = tn_uop_make(x->c->t, TINY_OP_ARG, s->dtype, 1, 0, NULL, ((int64_t)1 << 20) + i, 0, NULL);
    numbered[n] = tn_x86_number_it(x, arg[i]);
    of[n] = (int)i; width[n++] = tn_x86_element(x, s);
    tn_x86_shelve(x, tn_x86_value(x, s), tn_x86_held(x, s), 64 * (int64_t)i, 0);
  }
  const int sources = n;
  tiny_uop *one = tn_uop_make(x->c->t, u->op, u->dtype, 1, (int)u->nsrc, arg, u->k, 0, NULL);
  numbered[n++] = tn_x86_number_it(x, one);
  x->lanes = x->from = 0;
  for (int lane = 0; lane < lanes && !x->c->refused; lane++) {
    for (int i = 0; i < sources; i++) {
      tiny_uop *a = arg[of[i]];
      x->reg[a->seq] = tn_x86_new_for(x, a);
      tn_x86_move_in(x, a, x->reg[a->seq], tn_x86_frame(x->shelf + 64 * of[i] + (int64_t)lane * width[i], 0));
    }
    const int r = tn_x86_new_for(x, one);
    const tn_isa_operand result = tn_x86_frame(x->shelf + TN_X86_RESULTS_AT + (int64_t)lane * element, element);
    tn_x86_write(x, one, r);
    if (u->dtype == TINY_BOOL) {
      tn_x86_1(x, TN_X86_NEG, tn_x86_gpr(r, 8, TN_ISA_BOTH));
      tn_x86_2(x, TN_X86_MOV, result, tn_x86_gpr(r, element, TN_ISA_USE));
    } else tn_x86_move_out(x, one, r, result);
  }
  while (n > 0) { n--; numbered[n].u->seq = numbered[n].was; }
  x->spare = spare;
  x->lanes = was_lanes; x->from = was_from;
  tn_x86_shelve(x, to, tn_x86_held(x, u), TN_X86_RESULTS_AT, 1);
}

// ** a node **

static void tn_x86_compute(tn_x86_select *x, const tiny_uop *u, int to) {
  const int cls = tn_x86_class(x, u);
  if (!tn_x86_has(x, u)) {
    if (u->lanes > 1) tn_x86_by_lanes(x, u, to);
    else tn_isa_refuse(x->c, tn_ops[u->op].name);
    return;
  }
  if (x->factor[u->seq]) { tn_x86_high_product(x, u, to); return; }
  switch (u->op) {
    case TINY_OP_LOAD: tn_x86_load(x, u, to); return;
    case TINY_OP_CAST: tn_x86_cast(x, u, to); return;
    case TINY_OP_BITCAST: tn_x86_bitcast(x, u, to); return;
    case TINY_OP_BROADCAST: tn_x86_broadcast(x, u, to); return;
    case TINY_OP_STACK: tn_x86_stack(x, u, to); return;
    case TINY_OP_PICK: tn_x86_pick(x, u, to); return;
    case TINY_OP_LANE: tn_x86_lane_numbers(x, u, to); return;
    case TINY_OP_WHERE: if (!tn_x86_choose_one(x, u, to)) tn_x86_where(x, u, to); return;
    case TINY_OP_FMA: tn_x86_multiply_add(x, u, to); return;
    case TINY_OP_DOT: tn_x86_dot(x, u, to); return;
    case TINY_OP_NEG: case TINY_OP_SQRT: case TINY_OP_TRUNC: tn_x86_unary(x, u, to); return;
    case TINY_OP_LT: case TINY_OP_NE: case TINY_OP_EQ:
      if (tn_x86_is_lanes_of_bool(u->src[0])) tn_x86_logic(x, u, to);
      else tn_x86_compare(x, u, to);
      return;
    case TINY_OP_ADD: case TINY_OP_SUB: case TINY_OP_MUL: case TINY_OP_FDIV: case TINY_OP_AND: case TINY_OP_OR:
    case TINY_OP_XOR: case TINY_OP_SHL: case TINY_OP_SHR: case TINY_OP_CDIV: case TINY_OP_CMOD:
      if (cls == TN_ISA_GPR) tn_x86_integer(x, u, to);
      else if (tn_x86_is_lanes_of_bool(u)) tn_x86_logic(x, u, to);
      else if (tn_x86_row_of(x, u)) tn_x86_binary(x, u, to);
      else if (u->op != TINY_OP_MUL) tn_x86_shift_by_products(x, u, to);
      else tn_x86_multiply_64(x, u, to);
      return;
    default: tn_isa_refuse(x->c, tn_ops[u->op].name);
  }
}

// A value whose parts, or those of what it is made of, are wider than a register: part by part, which stand in
// registers of their own, or as halves of one.
static void tn_x86_compute_parts(tn_x86_select *x, const tiny_uop *u, int to, int lanes) {
  const int cls = tn_x86_class(x, u), each = tn_x86_lanes_of_register(x, u);
  for (int from = 0; from < u->lanes; from += lanes) {
    const int whole = lanes == each, r = whole ? to + from / each : tn_x86_new(x, cls), into = to + from / each;
    x->lanes = lanes; x->from = from;
    tn_x86_compute(x, u, r);
    if (!whole) tn_x86_put_part(x, u, into, r, from % each, lanes);
  }
  x->lanes = x->from = 0;
}
// All of a value, to the registers from `to` on.
static void tn_x86_write(tn_x86_select *x, const tiny_uop *u, int to) {
  const int by_itself = u->op == TINY_OP_STACK || u->op == TINY_OP_PICK;
  const int lanes = by_itself || x->c->refused ? 0 : tn_x86_lanes_at_once(x, u);
  tiny_uop *instead = tn_x86_has(x, u) ? NULL : tn_x86_instead(x->c->t, (tiny_uop *)(uintptr_t)u);
  if (instead) tn_x86_expand(x, u, instead, to);
  else if (tn_regroups(u)) {               // the same registers
    const int parts = tn_x86_parts_of(x, u), held = tn_x86_held(x, u);
    const int r = parts > 1 ? x->reg[u->src[0]->seq] : tn_x86_value(x, u->src[0]);
    for (int i = 0; i < parts; i++) tn_x86_copy(x, TN_ISA_VEC, to + i, r + i, parts > 1 ? x->level->nbytes : held);
  } else if (lanes) tn_x86_compute_parts(x, u, to, lanes);
  else tn_x86_compute(x, u, to);
}
#endif
