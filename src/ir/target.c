// target: what the device that a kernel is made for can do: a table that passes ask, whatever its text looks like.
//
// In:  a tiny_renderer and tiny_limits; of a C-like language its formats, from which the table follows: what has none
//      is not there. Out: answers. A renderer of NULL is the interpreter, which can do everything.
#ifndef TN_IR_TARGET
#define TN_IR_TARGET
#ifndef TINY_AMALGAMATED
#include "args.c"
#include "../machine/machine.c"
#endif

typedef struct tn_target { const tiny_renderer *renderer; const tiny_limits *limits; } tn_target;

static int tn_target_has(const tn_target *target, uint32_t flag) {
  return target->renderer && (target->renderer->flags & flag) != 0;
}
static int tn_target_dots(const tn_target *target, int dot) {
  return target->renderer && (target->renderer->dots >> dot & 1);
}

// The units of its warps, if what writes its kernels can write them.
static const tiny_warp_unit *tn_target_units(const tn_target *target, int *n) {
  *n = !target->renderer || target->renderer->ops[TINY_OP_WMMA] ? target->limits->nunits : 0;
  return target->limits->units;
}

// Which unit a WMMA is for; -1: none of the renderer's.
static int tn_unit_of(const tiny_renderer *r, const tiny_uop *u) {
  for (int i = 0; i < r->nunits; i++) {
    const tiny_matrix_unit *m = &r->units[i];
    const tn_wmma w = {m->m, m->n, m->k, m->together, m->a, m->b};
    if (m->c == u->dtype && tn_wmma_k(&w) == u->k) return i;
  }
  return -1;
}

// ** memory of a list **

// How much of the LOCAL memory that a launch brings a DEFINE takes: whole lines.
static int64_t tn_local_nbytes(const tiny_uop *define) {
  const int64_t nbytes = define->v[1] * define->lanes * tn_dtypes[define->dtype].nbytes;
  return (nbytes + TN_LINE_NBYTES - 1) / TN_LINE_NBYTES * TN_LINE_NBYTES;
}

// Does the device copy by itself, while items go on?
static int tn_target_copies(const tn_target *target) {
  return target->limits->copies_async && (!target->renderer || tn_target_has(target, TINY_TARGET_COPIES));
}

// Does it copy boxes of memory by itself?
static int tn_target_copies_boxes(const tn_target *target) {
  return target->limits->copies_boxes && (!target->renderer || tn_target_has(target, TINY_TARGET_BOXES));
}

// ** the table of a C-like language **

static int tn_language_on(const tiny_language *l, int op) {
  const int vectors = l->vector && (l->vops[op] || l->ops[op]), memory = op == TINY_OP_LOAD || op == TINY_OP_STORE;
  const int on = l->ops[op] || l->bops[op] ? TINY_ON_ELEMENTS : 0, load = op == TINY_OP_LOAD;
  if (op == TINY_OP_SHUFFLE) return on;
  if (op == TINY_OP_PICK) return on | (l->low && l->high ? TINY_ON_VECTORS : 0);
  if (!memory) return on | (vectors ? TINY_ON_VECTORS : 0);
  return on | ((load ? l->load : l->store) ? TINY_ON_VECTORS : 0) |
      ((load ? l->load_masked : l->store_masked) ? TINY_ON_MASKED : 0) |
      ((load ? l->gather : l->scatter) ? TINY_ON_APART : 0) |
      ((load ? l->gather_masked : l->scatter_masked) ? TINY_ON_APART_MASKED : 0);
}

static void tn_target_of_language(tiny_renderer *r) {
  const tiny_language *l = &r->language;
  r->dtypes = 0;
  r->dots = 0;
  r->atomics = 0;
  for (int op = 0; op < TINY_OP_COUNT; op++) r->ops[op] = (uint8_t)tn_language_on(l, op);
  for (int d = 0; d < TINY_DTYPE_COUNT; d++) r->dtypes |= (uint64_t)(l->types[d] != NULL) << d;
  r->dtypes &= ~r->casts;                  // whose types are bits
  for (int d = 0; d < TINY_DTYPE_COUNT; d++) r->atomics |= (uint64_t)(l->atomics[d] && l->types[d]) << d;
  for (int i = 0; i < TINY_DOT_COUNT; i++) r->dots |= (uint32_t)(l->dots[i] != NULL) << i;
  r->flags = (r->flags & ~(uint32_t)(TINY_TARGET_SHUFFLES | TINY_TARGET_STREAMS | TINY_TARGET_TAKES_LOCAL |
                                     TINY_TARGET_COPIES | TINY_TARGET_ROWS)) |
      (l->copy ? (uint32_t)TINY_TARGET_COPIES : 0) |
      (l->load_rows && l->load_turned ? (uint32_t)TINY_TARGET_ROWS : 0) |
      (l->shuffle ? (uint32_t)TINY_TARGET_SHUFFLES : 0) | (l->stream ? (uint32_t)TINY_TARGET_STREAMS : 0) |
      (l->local_given ? (uint32_t)TINY_TARGET_TAKES_LOCAL : 0);
}

// Lanes of a warp that may exchange values: a power of two; 0: none.
static int64_t tn_target_exchanges(const tn_target *target) {
  const int64_t warp = target->limits->warp;
  const int can = !target->renderer || target->renderer->ops[TINY_OP_SHUFFLE];
  return can && warp > 1 && !(warp & (warp - 1)) && tn_machine_grid(target->limits) ? warp : 0;
}

// ** is a list in the table? **

static int tn_target_memory(const tiny_renderer *r, const tiny_uop *u, int lanes) {
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 ? index->src[2] : NULL;
  const int on = r->ops[u->op], masked = valid && valid->lanes > 1;
  if (tn_is_reg(index->src[0])) return 1;
  if (lanes == 1) return on & TINY_ON_ELEMENTS;
  if (index->lanes == 1) return on & (masked ? TINY_ON_MASKED : TINY_ON_VECTORS);
  return on & (masked ? TINY_ON_APART_MASKED : TINY_ON_APART);
}

static int tn_target_takes(const tiny_renderer *r, const tiny_uop *u) {
  const int adds = u->op == TINY_OP_STORE && u->k == TN_ADDS, wide = u->lanes > 1 || (u->nsrc && u->src[0]->lanes > 1);
  if (adds) return u->src[1]->lanes == 1 && (int)(r->atomics >> u->src[1]->dtype & 1);
  switch (u->op) {
    case TINY_OP_LOAD: return tn_target_memory(r, u, u->lanes);
    case TINY_OP_STORE: return tn_target_memory(r, u, u->src[1]->lanes);
    case TINY_OP_BULK: case TINY_OP_BULKSTORE: return (r->flags & TINY_TARGET_BOXES) != 0;
    case TINY_OP_DOT: return (int)(r->dots >> u->k & 1);
    case TINY_OP_SHUFFLE: return r->ops[u->op] & (u->lanes > 1 ? TINY_ON_VECTORS : TINY_ON_ELEMENTS);
    case TINY_OP_PICK: return r->ops[u->op] & (u->lanes > 1 ? TINY_ON_VECTORS : TINY_ON_ELEMENTS);
    case TINY_OP_STACK: case TINY_OP_BROADCAST: case TINY_OP_CAST: case TINY_OP_BITCAST: break;
    default: if (!tn_op_is(u->op, TINY_ALU)) return 1;
  }
  return r->ops[u->op] & (wide ? TINY_ON_VECTORS : TINY_ON_ELEMENTS);
}

static const char *tn_target_lanes_text(const tiny_uop *u, const tiny_uop *value) {
  const int memory = u->op == TINY_OP_LOAD || u->op == TINY_OP_STORE;
  if (value->lanes == 1) return "";
  if (memory && u->src[0]->lanes > 1) return " of lanes that lie apart";
  return memory && u->src[0]->nsrc == 3 && u->src[0]->src[2]->lanes > 1 ? " of vectors under a mask" : " of vectors";
}

// Is a float of renderer->casts between a BITCAST and a CAST?
static int tn_target_casts(const tiny_renderer *r, const tiny_uop *u, int d) {
  if (u->op == TINY_OP_BITCAST || !(r->casts >> d & 1)) return 1;
  return u->op == TINY_OP_CAST && (u->dtype == TINY_F32 || u->src[0]->dtype == TINY_F32);
}
// The dtype that u is, or reads, and the target has not there; VOID: none.
static int tn_target_lacks(const tiny_renderer *r, const tiny_uop *u) {
  if (u->dtype != TINY_VOID && !((r->dtypes | r->casts) >> u->dtype & 1)) return u->dtype;
  if (!tn_target_casts(r, u, u->dtype)) return u->dtype;
  for (uint32_t i = 0; i < u->nsrc && r->casts; i++)
    if (!tn_target_casts(r, u, u->src[i]->dtype)) return u->src[i]->dtype;
  return TINY_VOID;
}
// TINY_E_COMPILE names what the target has not.
static tiny_code tn_target_check(tiny_ctx *t, const tiny_renderer *r, tiny_uop *const *list, int n) {
  for (int i = 0; i < n; i++) {
    const tiny_uop *u = list[i], *value = u->op == TINY_OP_STORE ? u->src[1] : u;
    const int tile = u->op == TINY_OP_WMMA || u->lanes > 64;
    if (tile) continue;
    const int lacks = tn_target_lacks(r, u);
    if (lacks != TINY_VOID) return tiny_fail(t, TINY_E_COMPILE, "%s has no %s", r->name, tn_dtypes[lacks].name);
    if (!tn_target_takes(r, u))
      return tiny_fail(t, TINY_E_COMPILE, "%s has no %s%s%s of %s", r->name,
                       u->op == TINY_OP_STORE && u->k == TN_ADDS ? "atomic " : "", tn_ops[u->op].name,
                       tn_target_lanes_text(u, value), tn_dtypes[value->dtype].name);
  }
  return TINY_OK;
}
#endif
