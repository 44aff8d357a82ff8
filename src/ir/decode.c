// decode: a linear list as instructions of the reference interpreter, over numbered slots.
//
// In:  a list, or an expression. Out: a tn_eval_code: instructions, what runs once before the first group, memories; an
//      error where the list is none that can run.
// Holds: a slot holds one value for each work item; a vector takes one slot a lane.
#ifndef TN_IR_DECODE
#define TN_IR_DECODE
#ifndef TINY_AMALGAMATED
#include "print.c"
#endif

typedef struct tn_eval_arg { int slot, lanes; } tn_eval_arg;
// space GLOBAL: a PARAM; at: first element in its arena
typedef struct tn_eval_mem { int space, id, dtype, lanes; int64_t nelem, at; } tn_eval_mem;
typedef struct tn_eval_ins {
  tiny_uop u;                              // op, dtype, lanes, nsrc, k: its pointers are not used
  int from;                                // dtype of the first source
  int slot, arg;                           // of the result; first argument in the code's list
  // LOAD, STORE; arguments: element, value or otherwise, valid (slot < 0: none)
  int mem;
  int jump;                                // RANGE: its END; END: its RANGE
  int from_mem, v;                         // BULK, BULKSTORE: the device's memory; its first number in the code's list
} tn_eval_ins;

typedef struct tn_eval_code {
  size_t nbytes;                           // of the block that owns all of this; 0: scratch memory
  tn_eval_ins *ins; int nins, ins_cap;
  tn_eval_ins *setup; int nsetup, setup_cap;   // run once, before the first group
  tn_eval_arg *arg; int narg, arg_cap;
  tn_eval_mem *mem; int nmem, mem_cap;
  int64_t *v; int nv, v_cap;
  int nslots, depth_if;
  int64_t local_nelem, reg_nelem;
  int later;                               // it has STOREs that happen later
} tn_eval_code;

// mem < 0: a value; index: an INDEX's first argument
typedef struct tn_eval_note { int slot, lanes, mem, index; const tiny_uop *u; } tn_eval_note;
typedef struct tn_eval_decoder {
  tiny_ctx *t; tn_eval_code *c;
  tn_map seen; tn_eval_note *note;
  int nnote, note_cap, vars;               // vars: RANGE, ARG and SPECIAL are variables
  int open[64], open_if[64], nopen, nif;   // loops that are open, IFs around each, IFs that are open
} tn_eval_decoder;

static const tn_eval_note *tn_eval_noted(tn_eval_decoder *d, const tiny_uop *u) {
  const intptr_t i = (intptr_t)tn_map_get(&d->seen, u);
  return i ? &d->note[i - 1] : NULL;
}

static tiny_code tn_eval_bad(tn_eval_decoder *d, const tiny_uop *u, const char *why) {
  tiny_bytes text = {d->t, NULL, 0, 0};
  if (TN_RUNS_ONLY) return tiny_fail(d->t, TINY_E_INTERNAL, "eval: %s: %s", tn_ops[u->op].name, why);
  tn_print_head(&text, u);
  return tiny_fail(d->t, TINY_E_INTERNAL, "eval: %s ..): %s", text.data, why);
}

static tn_eval_ins *tn_eval_emit(tn_eval_decoder *d, const tiny_uop *u, int setup, int nslots) {
  tn_eval_code *c = d->c;
  tn_eval_ins *i = setup ? TN_PUSH(d->t, c->setup, c->nsetup, c->setup_cap, tn_eval_ins)
    : TN_PUSH(d->t, c->ins, c->nins, c->ins_cap, tn_eval_ins);
  memset(i, 0, sizeof *i);
  i->u = *u;
  i->from = u->nsrc ? u->src[0]->dtype : (int)TINY_VOID;
  i->slot = c->nslots; i->arg = c->narg; i->mem = -1; i->jump = -1;
  c->nslots += nslots;
  return i;
}
static void tn_eval_take(tn_eval_decoder *d, const tn_eval_note *n) {
  tn_eval_arg *a = TN_PUSH(d->t, d->c->arg, d->c->narg, d->c->arg_cap, tn_eval_arg);
  a->slot = n ? n->slot : -1; a->lanes = n ? n->lanes : 0;
}
static void tn_eval_record(tn_eval_decoder *d, const tiny_uop *u, int slot, int mem, int index) {
  tn_eval_note *n = TN_PUSH(d->t, d->note, d->nnote, d->note_cap, tn_eval_note);
  n->slot = slot; n->lanes = u->lanes; n->mem = mem; n->index = index; n->u = u;
  tn_map_set(d->t, &d->seen, u, (void *)(intptr_t)d->nnote);
}

static tiny_code tn_eval_define(tn_eval_decoder *d, const tiny_uop *u) {
  tn_eval_code *c = d->c;
  const int space = u->op == TINY_OP_PARAM ? (int)TN_SPACE_GLOBAL : u->nv == 2 ? (int)u->v[0] : -1;
  const int64_t nelem = u->op == TINY_OP_PARAM ? (u->nv == 1 ? u->v[0] : -1) : u->nv == 2 ? u->v[1] : -1;
  const int64_t most = (int64_t)1 << (space == TN_SPACE_GLOBAL ? 60 : 40);   // global memory was asked for elsewhere
  if (nelem < 0 || nelem > most || u->k < 0 || u->k > INT_MAX || !u->dtype ||
    (u->op == TINY_OP_DEFINE && space != TN_SPACE_LOCAL && space != TN_SPACE_REG))
    return tn_eval_bad(d, u, "no such memory");
  tn_eval_mem *m = TN_PUSH(d->t, c->mem, c->nmem, c->mem_cap, tn_eval_mem);
  int64_t *arena = space == TN_SPACE_LOCAL ? &c->local_nelem : &c->reg_nelem;
  m->space = space; m->id = (int)u->k; m->dtype = u->dtype; m->lanes = u->lanes; m->nelem = nelem;
  m->at = *arena;
  if (space != TN_SPACE_GLOBAL) *arena += nelem * u->lanes;
  if (*arena > (int64_t)1 << 40) return tn_eval_bad(d, u, "too much memory");
  tn_eval_record(d, u, -1, c->nmem - 1, -1);
  return TINY_OK;
}

static tiny_code tn_eval_index(tn_eval_decoder *d, const tiny_uop *u, const tn_eval_note *const *s) {
  if (s[0]->mem < 0 || s[0]->index >= 0) return tn_eval_bad(d, u, "the first source is no memory");
  if (!tn_is_int(u->src[1]->dtype) || s[1]->slot < 0) return tn_eval_bad(d, u, "the element is no integer");
  const int arg = d->c->narg;
  tn_eval_take(d, s[1]);
  tn_eval_take(d, u->nsrc > 2 ? s[2] : NULL);
  tn_eval_record(d, u, -1, s[0]->mem, arg);
  return TINY_OK;
}

static tiny_code tn_eval_access(tn_eval_decoder *d, const tiny_uop *u, const tn_eval_note *const *s) {
  const int stores = u->op == TINY_OP_STORE;
  if (s[0]->index < 0) return tn_eval_bad(d, u, "the first source is no INDEX");
  if (stores && (u->nsrc < 2 || s[1]->slot < 0)) return tn_eval_bad(d, u, "no value to store");
  const tn_eval_mem *m = &d->c->mem[s[0]->mem];
  const tn_eval_arg element = d->c->arg[s[0]->index], valid = d->c->arg[s[0]->index + 1];
  const int lanes = stores ? (int)s[1]->lanes : (int)u->lanes, dtype = stores ? u->src[1]->dtype : u->dtype;
  const int same = m->space == TN_SPACE_GLOBAL ? tn_bits(dtype) == tn_bits(m->dtype) : dtype == m->dtype;
  if (!same) return tn_eval_bad(d, u, "the memory has another dtype");
  if (element.lanes != 1 && (element.lanes != lanes || m->lanes != 1))
    return tn_eval_bad(d, u, "the lanes of the element do not fit");
  if (m->lanes != 1 && m->lanes != lanes) return tn_eval_bad(d, u, "the lanes of the memory do not fit");
  if (valid.slot >= 0 && valid.lanes != 1 && valid.lanes != lanes)
    return tn_eval_bad(d, u, "the lanes of the validity do not fit");
  if (!stores && u->nsrc > 1 && (s[1]->slot < 0 || (s[1]->lanes != 1 && s[1]->lanes != lanes)))
    return tn_eval_bad(d, u, "the lanes of the alternative do not fit");
  if (!stores && u->k && (!tn_loads_rows(u) || m->space != TN_SPACE_LOCAL))
    return tn_eval_bad(d, u, "rows of no matrix");
  if (stores && u->k == TN_LATER && m->space != TN_SPACE_LOCAL)
    return tn_eval_bad(d, u, "happens later, but not to LOCAL memory");
  tn_eval_ins *i = tn_eval_emit(d, u, 0, stores ? 0 : lanes);
  d->c->later |= stores && u->k == TN_LATER;
  i->mem = s[0]->mem; i->u.dtype = (uint8_t)dtype; i->u.lanes = (uint16_t)lanes;
  *TN_PUSH(d->t, d->c->arg, d->c->narg, d->c->arg_cap, tn_eval_arg) = element;
  tn_eval_take(d, u->nsrc > 1 ? s[1] : NULL);
  *TN_PUSH(d->t, d->c->arg, d->c->narg, d->c->arg_cap, tn_eval_arg) = valid;
  tn_eval_record(d, u, stores ? -1 : d->c->nslots - lanes, -1, -1);
  return TINY_OK;
}

// Arguments: where it is in LOCAL memory, validity, the slot of a BULK, coordinates.
static tiny_code tn_eval_bulk(tn_eval_decoder *d, const tiny_uop *u, const tn_eval_note *const *s) {
  const int dims = tn_bulk_dims(u);
  if (s[0]->index < 0 || s[1]->mem < 0 || tn_bulk_fits(u->op, (int)u->nsrc, u->k, u->nv, u->v))
    return tn_eval_bad(d, u, "is no copy of a box");
  const tn_eval_arg to = d->c->arg[s[0]->index], valid = d->c->arg[s[0]->index + 1];
  const tn_eval_mem *m = &d->c->mem[s[0]->mem], *from = &d->c->mem[s[1]->mem];
  if (m->space != TN_SPACE_LOCAL || from->space != TN_SPACE_GLOBAL || m->lanes != 1 ||
      tn_bits(m->dtype) != tn_bits(from->dtype))
    return tn_eval_bad(d, u, "copies from or to other memory");
  for (uint32_t i = 2; i < u->nsrc; i++)
    if (s[i]->slot < 0 || s[i]->lanes != 1) return tn_eval_bad(d, u, "a place has no value");
  tn_eval_ins *i = tn_eval_emit(d, u, 0, 0);
  d->c->later |= u->op == TINY_OP_BULK;
  i->mem = s[0]->mem; i->from_mem = s[1]->mem; i->v = d->c->nv;
  *TN_PUSH(d->t, d->c->arg, d->c->narg, d->c->arg_cap, tn_eval_arg) = to;
  *TN_PUSH(d->t, d->c->arg, d->c->narg, d->c->arg_cap, tn_eval_arg) = valid;
  for (uint32_t k = 2; k < u->nsrc; k++) tn_eval_take(d, s[k]);
  for (int k = 0; k < 3 * dims; k++) *TN_PUSH(d->t, d->c->v, d->c->nv, d->c->v_cap, int64_t) = u->v[k];
  tn_eval_record(d, u, -1, -1, -1);
  return TINY_OK;
}

// A value computed from values: arithmetic and lanes.
static tiny_code tn_eval_value(tn_eval_decoder *d, const tiny_uop *u, const tn_eval_note *const *s) {
  int total = 0;
  const int regroups = u->op == TINY_OP_BITCAST && u->nsrc == 1 && tn_regroups(u);
  const int row = tn_op_is_elementwise(u->op) && !regroups;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    if (s[i]->slot < 0) return tn_eval_bad(d, u, "a source has no value");
    if (row && s[i]->lanes != 1 && s[i]->lanes != u->lanes)
      return tn_eval_bad(d, u, "the lanes of the sources do not fit");
    total += s[i]->lanes;
  }
  if (row && (u->nsrc < 1 || u->nsrc > 4)) return tn_eval_bad(d, u, "the number of sources");
  if (u->op == TINY_OP_STACK && total != u->lanes) return tn_eval_bad(d, u, "the number of lanes");
  if (u->op == TINY_OP_BROADCAST && total != 1) return tn_eval_bad(d, u, "the source is a vector");
  if (u->op == TINY_OP_PICK && (u->k < 0 || u->k + u->lanes > total))
    return tn_eval_bad(d, u, "no such lane");
  if (u->op == TINY_OP_HREDUCE && (u->lanes != 1 || !tn_op_reduces(u->k) || (total & (total - 1))))
    return tn_eval_bad(d, u, "the number of lanes");
  if (!TN_RUNS_ONLY && u->op == TINY_OP_WMMA && !tn_wmma_fits(u))
    return tn_eval_bad(d, u, "the sources are no tiles of its size");
  tn_eval_emit(d, u, 0, u->op == TINY_OP_HREDUCE ? total : u->lanes);       // HREDUCE folds in place
  for (uint32_t i = 0; i < u->nsrc; i++) tn_eval_take(d, s[i]);
  tn_eval_record(d, u, d->c->ins[d->c->nins - 1].slot, -1, -1);
  return TINY_OK;
}

static tiny_code tn_eval_leaf(tn_eval_decoder *d, const tiny_uop *u) {
  const int64_t id = u->op == TINY_OP_RANGE ? u->k >> 8 : u->k;
  const int variable = u->op != TINY_OP_CONST && u->op != TINY_OP_SCALAR && u->op != TINY_OP_LANE;
  if (variable && (d->vars || u->op == TINY_OP_ARG) && (id < 0 || id > INT_MAX))
    return tn_eval_bad(d, u, "no such variable");
  if (u->op == TINY_OP_SPECIAL && !d->vars && (u->k < 0 || u->k > 18 || (u->k & 15) > 2))
    return tn_eval_bad(d, u, "no such dim");
  tn_eval_ins *i = tn_eval_emit(d, u, u->op != TINY_OP_SPECIAL || d->vars, u->lanes);
  if (d->vars && variable) i->u.op = TINY_OP_ARG;
  if (d->vars && variable) i->u.k = id;
  tn_eval_record(d, u, i->slot, -1, -1);
  return TINY_OK;
}

static tiny_code tn_eval_loop(tn_eval_decoder *d, const tiny_uop *u, const tn_eval_note *const *s) {
  if (u->op == TINY_OP_RANGE) {
    if (d->nopen == 64) return tn_eval_bad(d, u, "loops are nested too deep");
    for (uint32_t i = 0; i < u->nsrc; i++)
      if (s[i]->slot < 0 || s[i]->lanes != 1 || u->lanes != 1) return tn_eval_bad(d, u, "no extent");
    d->open_if[d->nopen] = d->nif;
    d->open[d->nopen++] = d->c->nins;
    tn_eval_emit(d, u, 0, 1);
    for (uint32_t i = 0; i < u->nsrc; i++) tn_eval_take(d, s[i]);
    tn_eval_record(d, u, d->c->ins[d->c->nins - 1].slot, -1, -1);
    return TINY_OK;
  }
  const tn_eval_note *r = s[u->nsrc - 1];
  if (!d->nopen || r->u->op != TINY_OP_RANGE || d->c->ins[d->open[d->nopen - 1]].slot != r->slot)
    return tn_eval_bad(d, u, "closes a loop that is not the innermost");
  if (d->nif != d->open_if[d->nopen - 1]) return tn_eval_bad(d, u, "closes a loop with an IF open");
  tn_eval_ins *i = tn_eval_emit(d, u, 0, 0);
  i->jump = d->open[--d->nopen];
  d->c->ins[i->jump].jump = d->c->nins - 1;
  tn_eval_record(d, u, -1, -1, -1);
  return TINY_OK;
}

static tiny_code tn_eval_node(tn_eval_decoder *d, const tiny_uop *u) {
  const tn_eval_note *few[8], **s = few;
  if (u->nsrc > 8) s = (const tn_eval_note **)tn_scratch(d->t, u->nsrc * sizeof *s);
  if (tn_eval_noted(d, u)) return tn_eval_bad(d, u, "is twice in the list");
  if (!tn_sources_fit(u->op, (int)u->nsrc)) return tn_eval_bad(d, u, "the number of sources");
  for (uint32_t i = 0; i < u->nsrc; i++) if (!(s[i] = tn_eval_noted(d, u->src[i])))
    return tn_eval_bad(d, u, "comes before its source");
  if (d->vars && u->op == TINY_OP_RANGE) return tn_eval_leaf(d, u);
  if (tn_op_is_elementwise(u->op)) return tn_eval_value(d, u, s);
  if (d->c->nslots > 1 << 24) return tn_eval_bad(d, u, "the program is too large");
  switch (u->op) {
    case TINY_OP_CONST: case TINY_OP_SCALAR: case TINY_OP_ARG: case TINY_OP_LANE: case TINY_OP_SPECIAL:
      return tn_eval_leaf(d, u);
    case TINY_OP_BROADCAST: case TINY_OP_STACK: case TINY_OP_PICK: case TINY_OP_HREDUCE:
    case TINY_OP_WMMA: case TINY_OP_SHUFFLE:
      return tn_eval_value(d, u, s);
    case TINY_OP_AFTER: tn_eval_record(d, u, s[0]->slot, s[0]->mem, s[0]->index); return TINY_OK;
    case TINY_OP_SINK: case TINY_OP_GROUP: case TINY_OP_PREFETCH: tn_eval_record(d, u, -1, -1, -1); return TINY_OK;
    default: break;
  }
  if (d->vars) return tn_eval_bad(d, u, "has no value in an expression");
  switch (u->op) {
    case TINY_OP_PARAM: case TINY_OP_DEFINE: return tn_eval_define(d, u);
    case TINY_OP_INDEX: return tn_eval_index(d, u, s);
    case TINY_OP_LOAD: case TINY_OP_STORE: return tn_eval_access(d, u, s);
    case TINY_OP_RANGE: case TINY_OP_END: return tn_eval_loop(d, u, s);
    case TINY_OP_IF:
      if (s[0]->slot < 0 || s[0]->lanes != 1) return tn_eval_bad(d, u, "no condition");
      tn_eval_emit(d, u, 0, 0);
      tn_eval_take(d, s[0]);
      if (++d->nif > d->c->depth_if) d->c->depth_if = d->nif;
      break;
    case TINY_OP_ENDIF:
      if (d->nif == (d->nopen ? d->open_if[d->nopen - 1] : 0)) return tn_eval_bad(d, u, "no IF is open");
      tn_eval_emit(d, u, 0, 0);
      d->nif--;
      break;
    case TINY_OP_BULK: case TINY_OP_BULKSTORE: if (TN_RUNS_ONLY) break; return tn_eval_bulk(d, u, s);
    case TINY_OP_BARRIER:
      if (u->k & TN_BOXES && (s[0]->slot < 0 || s[0]->lanes != 1)) return tn_eval_bad(d, u, "no slot");
      tn_eval_emit(d, u, 0, 0);
      tn_eval_take(d, u->k & TN_BOXES ? s[0] : NULL);
      break;
    default: return tn_eval_bad(d, u, "is no op of a program");
  }
  tn_eval_record(d, u, -1, -1, -1);
  return TINY_OK;
}

// Instructions in scratch memory. Heavy code.
static tiny_code tn_eval_decode(tiny_ctx *t, tiny_uop *const *list, int n, int vars,
                                tn_eval_code *c, tn_eval_arg *last) {
  tn_eval_decoder d;
  memset(&d, 0, sizeof d);
  memset(c, 0, sizeof *c);
  last->slot = -1; last->lanes = 0;
  d.t = t; d.c = c; d.vars = vars;
  for (int i = 0; i < n; i++) {
    const tiny_code code = tn_eval_node(&d, list[i]);
    if (code != TINY_OK) return code;
  }
  if (d.nopen || d.nif)
    return tiny_fail(t, TINY_E_INTERNAL, "eval: a %s is not closed", d.nopen ? "loop" : "condition");
  if (d.nnote) { last->slot = d.note[d.nnote - 1].slot; last->lanes = d.note[d.nnote - 1].lanes; }
  return TINY_OK;
}

// The same in one owned block, for modules that outlive the call.
static tn_eval_code *tn_eval_copy(tiny_ctx *t, const tn_eval_code *c) {
  const size_t ins = (size_t)c->nins * sizeof *c->ins, setup = (size_t)c->nsetup * sizeof *c->setup;
  const size_t arg = (size_t)c->narg * sizeof *c->arg, mem = (size_t)c->nmem * sizeof *c->mem;
  const size_t v = (size_t)c->nv * sizeof *c->v, nbytes = sizeof *c + ins + setup + v + mem + arg;
  tn_eval_code *own = (tn_eval_code *)tn_alloc(t, nbytes);
  if (!own) return NULL;
  *own = *c;
  own->nbytes = nbytes;
  own->ins = (tn_eval_ins *)(void *)(own + 1);
  own->setup = own->ins + c->nins;
  own->v = (int64_t *)(void *)(own->setup + c->nsetup);
  own->mem = (tn_eval_mem *)(void *)(own->v + c->nv);
  own->arg = (tn_eval_arg *)(void *)(own->mem + c->nmem);
  if (ins) memcpy(own->ins, c->ins, ins);
  if (setup) memcpy(own->setup, c->setup, setup);
  if (v) memcpy(own->v, c->v, v);
  if (mem) memcpy(own->mem, c->mem, mem);
  if (arg) memcpy(own->arg, c->arg, arg);
  return own;
}
#endif
