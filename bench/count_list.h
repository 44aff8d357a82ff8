// count_list: what a decoded list says before it is run: what each of its instructions becomes on a GPU, and how many
// registers its values want.
//
// In:  a tn_eval_code. Out: for each instruction how many a warp issues of each kind; the most 32-bit registers of an
//      item that are alive at once, in the order of the list.
// What compilers do without fail is done here: products that are added are one instruction; constants are operands, and
// constant offsets part of an address; vectors are registers beside each other, so that taking and joining lanes costs
// nothing but where two share a register, and there a move for each register of the result (PTX ISA, prmt; "RDNA3 ISA",
// V_PERM_B32); elements of REG memory at constant places are registers, others are memory of the item; numbers that are
// the same for all of a group are not in an item's registers (CUDA Binary Utilities, "Uniform Datapath"; AMD's SGPRs).
// What they do by choice is not: no value is computed twice, and nothing is moved but loads of shared memory, to where
// they are used.
#ifndef BENCH_COUNT_LIST_H
#define BENCH_COUNT_LIST_H

enum {
  TN_GPU_FLOAT, TN_GPU_INTEGER, TN_GPU_CONVERT, TN_GPU_SPECIAL, TN_GPU_SELECT, TN_GPU_MATRIX, TN_GPU_MOVE,
  TN_GPU_GLOBAL, TN_GPU_SHARED, TN_GPU_PRIVATE, TN_GPU_BARRIER, TN_GPU_CONTROL, TN_GPU_KINDS
};
static const char *const tn_gpu_kinds[TN_GPU_KINDS] = {
  "float", "integer", "convert", "special", "select", "matrix", "move", "global", "shared", "private", "barrier",
  "control"};

enum {
  TN_GPU_OWN_REGISTERS = 4,              // the stack's pointer, and addresses that are on their way
  TN_GPU_OFFSET = 1 << 23,               // bytes that an instruction adds to an address: 24 bits with a sign
  TN_GPU_NARROW = 4                      // bytes of a register
};

// What a node costs where it is no plain instruction, for each lane. Divisions of integers by constants are a high
// product and shifts; by others, and of floats, what CUDA's and ROCm's compilers write for them.
typedef struct tn_gpu_row { uint8_t op, kind, n, kind_too, n_too; } tn_gpu_row;
static const tn_gpu_row tn_gpu_rows[] = {
  {TINY_OP_EXP2, TN_GPU_FLOAT, 12, TN_GPU_INTEGER, 3},   // rules/transcendental.c: a polynomial, and 2^n
  {TINY_OP_LOG2, TN_GPU_FLOAT, 34, TN_GPU_INTEGER, 10},
  {TINY_OP_SIN, TN_GPU_SPECIAL, 1, TN_GPU_FLOAT, 4},     // brought into one period
  {TINY_OP_SQRT, TN_GPU_SPECIAL, 1, TN_GPU_FLOAT, 5},    // Newton's step
  {TINY_OP_FDIV, TN_GPU_SPECIAL, 1, TN_GPU_FLOAT, 7},
  {TINY_OP_POW, TN_GPU_SPECIAL, 2, TN_GPU_FLOAT, 20},
  {TINY_OP_TRUNC, TN_GPU_CONVERT, 1, 0, 0},
  {TINY_OP_THREEFRY, TN_GPU_INTEGER, 72, 0, 0},            // 20 rounds of 3, keys after each 4 (Salmon et al. 2011)
  {TINY_OP_IDIV, TN_GPU_INTEGER, 20, 0, 0}, {TINY_OP_MOD, TN_GPU_INTEGER, 22, 0, 0},
  {TINY_OP_CDIV, TN_GPU_INTEGER, 18, 0, 0}, {TINY_OP_CMOD, TN_GPU_INTEGER, 20, 0, 0},
  {TINY_OP_LT, TN_GPU_SELECT, 1, 0, 0}, {TINY_OP_NE, TN_GPU_SELECT, 1, 0, 0},
  {TINY_OP_EQ, TN_GPU_SELECT, 1, 0, 0}, {TINY_OP_WHERE, TN_GPU_SELECT, 1, 0, 0},
  {TINY_OP_MAX, TN_GPU_SELECT, 1, 0, 0},
  {TINY_OP_SHUFFLE, TN_GPU_SHARED, 1, 0, 0},             // by the unit that reads shared memory
};
// Of what is rounded to a narrow float: times log2(e), and scaled where the result is denormal.
static const tn_gpu_row tn_gpu_rounded = {TINY_OP_EXP2, TN_GPU_SPECIAL, 1, TN_GPU_FLOAT, 3};
enum { TN_GPU_BY_CONSTANT = 4 };         // of a division of integers; by a power of two it is a shift, or an AND
// A LOAD of what STOREs store that happen later, and nobody else reads; that and its STORE where they are one
// instruction, whose value is in no register (PTX ISA, cp.async).
enum { TN_GPU_AHEAD = 1, TN_GPU_COPIES = 2 };

// The first slot of each value.
typedef struct tn_gpu_value {
  int maker, refs, elements, joined;       // instruction, -1: a constant of the launch; uses, as elements, by STACKs
  int first, last, quarters;               // where it lives, and of how many quarters of registers
  int used;                                // where it is used first; 0: nowhere
  uint8_t varies, fused, coalesced;        // not the same for all items; part of its user; is in its REG memory
} tn_gpu_value;
typedef struct tn_gpu_list {
  tiny_ctx *t; const tn_eval_code *c;
  int *root;                               // of each slot: the slot whose register it is
  tn_gpu_value *value;                   // of slots
  float (*cost)[TN_GPU_KINDS];           // of instructions
  int *range;                              // of instructions: the innermost RANGE that is open, -1: none
  int *first, *last;                       // of memories: where REG memory lives
  uint8_t *moved;                          // of memories: REG memory whose place is no constant
  uint8_t *ahead;                          // of instructions: TN_GPU_AHEAD, TN_GPU_COPIES
  int registers, private_nbytes, shared_nbytes;
} tn_gpu_list;

// ** what values are **

static int tn_gpu_nbytes(const tiny_uop *u) {
  if (u->dtype != TINY_INDEX) return tn_dtypes[u->dtype].nbytes;
  return u->vmin >= INT32_MIN && u->vmax <= INT32_MAX ? 4 : 8;
}
// Of a lane, in quarters of registers. Bools are predicates.
static int tn_gpu_quarters(const tiny_uop *u) {
  const int nbytes = tn_gpu_nbytes(u);
  return u->dtype == TINY_BOOL ? 0 : u->lanes > 1 || nbytes > TN_GPU_NARROW ? nbytes : (int)TN_GPU_NARROW;
}
// Matrices that a unit reads from shared memory itself: no request, no register (PTX ISA, wgmma.mma_async).
static int tn_gpu_by_unit(const tn_eval_ins *i) { return i->u.op == TINY_OP_LOAD && i->u.k >> TN_MATRIX_ALONG; }
static int tn_gpu_is_box(const tn_eval_ins *i) {
  return i->u.op == TINY_OP_BULK || i->u.op == TINY_OP_BULKSTORE;
}
static int tn_gpu_is_access(const tn_eval_ins *i) { return i->u.op == TINY_OP_LOAD || i->u.op == TINY_OP_STORE; }
static int tn_gpu_nargs(const tn_eval_ins *i) {
  switch (i->u.op) {
    case TINY_OP_LOAD: case TINY_OP_STORE: return 3;
    case TINY_OP_SPECIAL: case TINY_OP_BARRIER: case TINY_OP_END: case TINY_OP_ENDIF: return 0;   // a slot is uniform
    default: return (int)i->u.nsrc;
  }
}
static int tn_gpu_has_value(const tn_eval_ins *i) {
  switch (i->u.op) {
    case TINY_OP_STORE: case TINY_OP_BARRIER: case TINY_OP_BULK: case TINY_OP_BULKSTORE: case TINY_OP_END:
    case TINY_OP_IF: case TINY_OP_ENDIF: return 0;
    default: return 1;
  }
}
static const tn_eval_arg *tn_gpu_arg(const tn_gpu_list *l, int at, int j) {
  return &l->c->arg[l->c->ins[at].arg + j];
}
static const tn_eval_ins *tn_gpu_maker(const tn_gpu_list *l, int slot) {
  return slot >= 0 && l->value[slot].maker >= 0 ? &l->c->ins[l->value[slot].maker] : NULL;
}
static int tn_gpu_is_constant(const tn_gpu_list *l, int slot) { return slot >= 0 && l->value[slot].maker < 0; }

// Which values vary, who makes them, how often they are used; which loop an instruction stands in.
static void tn_gpu_values(tn_gpu_list *l) {
  int open = -1;
  for (int s = 0; s < l->c->nslots; s++) { l->root[s] = s; l->value[s].maker = -1; }
  for (int at = 0; at < l->c->nins; at++) {
    const tn_eval_ins *i = &l->c->ins[at];
    if (i->u.op == TINY_OP_END) open = l->range[i->jump];
    l->range[at] = open;
    if (i->u.op == TINY_OP_RANGE) open = at;
    int varies = i->u.op == TINY_OP_LOAD || (i->u.op == TINY_OP_SPECIAL && (i->u.k & 16) && i->u.vmax > 0) ||
        tn_is_float(i->u.dtype);
    for (int j = 0; j < tn_gpu_nargs(i); j++) {
      const int slot = tn_gpu_arg(l, at, j)->slot;
      if (slot < 0) continue;
      varies |= l->value[slot].varies;
      l->value[slot].refs++;
      l->value[slot].elements += tn_gpu_is_access(i) && j == 0;
      l->value[slot].joined += i->u.op == TINY_OP_STACK;
    }
    if (!tn_gpu_has_value(i)) continue;
    l->value[i->slot].maker = at;
    l->value[i->slot].varies = (uint8_t)varies;
  }
}

// Which loads are of what is read in later iterations.
static void tn_gpu_find_ahead(tn_gpu_list *l, int copies) {
  for (int at = l->c->nins - 1; at >= 0; at--) {
    const tn_eval_ins *i = &l->c->ins[at];
    const int later = i->u.op == TINY_OP_STORE && i->u.k == TN_LATER;
    if (later && copies && tn_copies_later(&i->u)) l->ahead[at] = TN_GPU_COPIES;
    if (!later && (!l->ahead[at] || i->u.op == TINY_OP_LOAD)) continue;
    for (int j = later; j < (later ? 2 : tn_gpu_nargs(i)); j++) {
      const int slot = tn_gpu_arg(l, at, j)->slot;
      if (tn_gpu_maker(l, slot))
        l->ahead[l->value[slot].maker] = l->ahead[at] == TN_GPU_COPIES ? TN_GPU_COPIES : TN_GPU_AHEAD;
    }
  }
}

// ** what instructions become **

static int tn_gpu_adds(const tn_eval_ins *i) { return i->u.op == TINY_OP_ADD || i->u.op == TINY_OP_SUB; }

// A product or a shift that only this addition uses.
static int tn_gpu_fuses(const tn_gpu_list *l, const tn_eval_ins *i, int slot) {
  const tn_eval_ins *x = tn_gpu_maker(l, slot);
  if (!x || l->value[slot].refs != 1 || x->u.dtype != i->u.dtype || x->u.lanes != i->u.lanes) return 0;
  return x->u.op == TINY_OP_MUL || (x->u.op == TINY_OP_SHL && tn_gpu_nbytes(&x->u) <= 4);
}

// Additions of constants to elements, and products that are added, are not instructions of their own.
static void tn_gpu_fuse(tn_gpu_list *l) {
  for (int at = 0; at < l->c->nins; at++) {
    const tn_eval_ins *i = &l->c->ins[at];
    if (!tn_gpu_adds(i)) continue;
    tn_gpu_value *v = &l->value[i->slot];
    const int x = tn_gpu_arg(l, at, 0)->slot, y = tn_gpu_arg(l, at, 1)->slot;
    if (i->u.op == TINY_OP_ADD && i->u.lanes == 1 && v->refs && v->refs == v->elements && tn_gpu_is_constant(l, y) &&
        i->u.src[1]->op == TINY_OP_CONST && i->u.src[1]->k < TN_GPU_OFFSET && i->u.src[1]->k > -TN_GPU_OFFSET) {
      v->fused = 1;
      l->root[i->slot] = l->root[x];
      l->value[x].refs += v->refs - 1;
      l->value[x].elements += v->refs;
    } else if (tn_gpu_fuses(l, i, x)) l->value[x].fused = 1;
    else if (tn_gpu_fuses(l, i, y)) l->value[y].fused = 1;
  }
}

static void tn_gpu_add(tn_gpu_list *l, int at, int kind, double n) { l->cost[at][kind] += (float)n; }

static void tn_gpu_cast(tn_gpu_list *l, int at, const tiny_uop *u, int from) {
  const int real = tn_is_float(u->dtype), was_real = tn_is_float(from);
  const int whole = from == TINY_INDEX || u->dtype == TINY_INDEX;
  if (from == TINY_BOOL || u->dtype == TINY_BOOL) tn_gpu_add(l, at, TN_GPU_SELECT, u->lanes);
  else if (real || was_real) {
    const int halves = was_real && tn_dtypes[u->dtype].nbytes == 2;          // two at once
    if (from == TINY_BF16 && u->dtype == TINY_F32) tn_gpu_add(l, at, TN_GPU_INTEGER, u->lanes);
    else tn_gpu_add(l, at, TN_GPU_CONVERT, halves ? (u->lanes + 1) / 2 : u->lanes);
  } else if (!whole && tn_dtypes[u->dtype].nbytes != tn_dtypes[from].nbytes)
    tn_gpu_add(l, at, TN_GPU_INTEGER, u->lanes);
}

static void tn_gpu_alu(tn_gpu_list *l, int at) {
  const tn_eval_ins *i = &l->c->ins[at];
  const tiny_uop *u = &i->u;
  const int real = tn_is_float(u->dtype), wide = !real && tn_gpu_nbytes(u) > 4 ? 2 : 1;
  const double n = real && tn_dtypes[u->dtype].nbytes == 2 ? (u->lanes + 1) / 2 : u->lanes * wide;
  if (l->value[i->slot].fused) return;
  // A condition's negation is that of its comparison, or of its user's predicate.
  if (u->op == TINY_OP_XOR && u->dtype == TINY_BOOL && tn_gpu_is_constant(l, tn_gpu_arg(l, at, 1)->slot)) return;
  if (u->dtype == TINY_BOOL && !tn_op_is(u->op, TINY_CMP)) { tn_gpu_add(l, at, TN_GPU_SELECT, n); return; }
  if (u->op == TINY_OP_NEG && real) return;                  // a sign of its user's operand
  const int divides = !real && (u->op == TINY_OP_IDIV || u->op == TINY_OP_MOD || u->op == TINY_OP_CDIV ||
                                u->op == TINY_OP_CMOD);
  if (divides && tn_gpu_is_constant(l, tn_gpu_arg(l, at, 1)->slot)) {
    const tiny_uop *by = u->src[1];
    const int floors = u->op == TINY_OP_IDIV || u->op == TINY_OP_MOD;      // a shift or an AND of any sign
    const int shifts = by->op == TINY_OP_CONST && by->k > 0 && !(by->k & (by->k - 1)) &&
        (floors || u->src[0]->vmin >= 0);
    tn_gpu_add(l, at, TN_GPU_INTEGER, shifts ? n : n * TN_GPU_BY_CONSTANT);
    return;
  }
  for (size_t k = 0; k < sizeof tn_gpu_rows / sizeof *tn_gpu_rows; k++) {
    const tn_gpu_row *row = &tn_gpu_rows[k];
    if (row->op != u->op) continue;
    if (u->op == TINY_OP_EXP2 && u->k & TN_EXP_ROUNDED) row = &tn_gpu_rounded;
    tn_gpu_add(l, at, row->kind, n * row->n);
    if (row->n_too) tn_gpu_add(l, at, row->kind_too, n * row->n_too);
    return;
  }
  tn_gpu_add(l, at, real ? TN_GPU_FLOAT : TN_GPU_INTEGER, n);
}

// Accesses are counted as they run, but for the address of the first at a place: it is computed where its element is,
// outside of loops that do not change it.
static void tn_gpu_address(tn_gpu_list *l, int at) {
  const tn_eval_ins *i = &l->c->ins[at];
  const int slot = tn_gpu_arg(l, at, 0)->slot;
  if (l->c->mem[i->mem].space == TN_SPACE_REG || tn_gpu_is_constant(l, slot)) return;
  const int root = l->root[slot];
  for (int k = 0; k < at; k++) {
    const tn_eval_ins *other = &l->c->ins[k];
    if (tn_gpu_is_access(other) && other->mem == i->mem && l->root[tn_gpu_arg(l, k, 0)->slot] == root) return;
  }
  const int maker = l->value[root].maker, wide = i->u.lanes > 1 && tn_gpu_arg(l, at, 0)->lanes > 1;
  tn_gpu_add(l, maker >= 0 && !wide ? maker : at, TN_GPU_INTEGER, wide ? i->u.lanes : 1);
}

static void tn_gpu_costs(tn_gpu_list *l) {
  for (int at = 0; at < l->c->nins; at++) {
    const tn_eval_ins *i = &l->c->ins[at];
    const tiny_uop *u = &i->u;
    const int narrow = tn_dtypes[u->dtype].nbytes < TN_GPU_NARROW && u->dtype != TINY_BOOL;
    switch (u->op) {
      case TINY_OP_LOAD: case TINY_OP_STORE: tn_gpu_address(l, at); break;
      case TINY_OP_RANGE: tn_gpu_add(l, at, TN_GPU_MOVE, 1); break;
      case TINY_OP_END:                    // add, compare, branch
        tn_gpu_add(l, at, TN_GPU_INTEGER, 1);
        tn_gpu_add(l, at, TN_GPU_SELECT, 1);
        tn_gpu_add(l, at, TN_GPU_CONTROL, 1);
        break;
      case TINY_OP_IF: tn_gpu_add(l, at, TN_GPU_CONTROL, 1); break;
      case TINY_OP_BARRIER:
        tn_gpu_add(l, at, TN_GPU_BARRIER, 1);
        if (!(u->k & TN_BOXES)) break;
        tn_gpu_add(l, at, TN_GPU_INTEGER, 5);                // the slot's mbarrier, its parity, and the next one
        tn_gpu_add(l, at, TN_GPU_SHARED, 1);                 // try_wait
        tn_gpu_add(l, at, TN_GPU_CONTROL, 1);
        break;
      case TINY_OP_BULK:                   // of one item: what is expected, and the copy
        tn_gpu_add(l, at, TN_GPU_SHARED, 1);
        tn_gpu_add(l, at, TN_GPU_GLOBAL, 1);
        break;
      case TINY_OP_BULKSTORE: tn_gpu_add(l, at, TN_GPU_GLOBAL, 1); break;       // of one item
      case TINY_OP_SPECIAL: tn_gpu_add(l, at, TN_GPU_MOVE, 1); break;
      case TINY_OP_WMMA: tn_gpu_add(l, at, TN_GPU_MATRIX, 1); break;
      case TINY_OP_HREDUCE: tn_gpu_add(l, at, TN_GPU_FLOAT, tn_gpu_arg(l, at, 0)->lanes - 1); break;
      case TINY_OP_STACK: case TINY_OP_PICK:
        if (narrow && (u->op == TINY_OP_STACK || l->value[i->slot].joined < l->value[i->slot].refs))
          tn_gpu_add(l, at, TN_GPU_MOVE, (u->lanes * tn_dtypes[u->dtype].nbytes + 3) / 4);
        break;
      case TINY_OP_CAST: tn_gpu_cast(l, at, u, i->from); break;
      case TINY_OP_ENDIF: case TINY_OP_BROADCAST: case TINY_OP_BITCAST: break;
      default: tn_gpu_alu(l, at);
    }
  }
}

// ** registers **

static void tn_gpu_alias(tn_gpu_list *l, int at) {
  const tn_eval_ins *i = &l->c->ins[at];
  int to = i->slot;
  if (i->u.op == TINY_OP_BROADCAST)
    for (int lane = 0; lane < i->u.lanes; lane++) l->root[to + lane] = l->root[tn_gpu_arg(l, at, 0)->slot];
  if (i->u.op == TINY_OP_BITCAST || i->u.op == TINY_OP_PICK) {
    const int from = tn_gpu_arg(l, at, 0)->slot + (i->u.op == TINY_OP_PICK ? (int)i->u.k : 0);
    for (int lane = 0; lane < i->u.lanes; lane++) l->root[to + lane] = l->root[from + lane];
  }
  if (i->u.op == TINY_OP_STACK) for (uint32_t j = 0; j < i->u.nsrc; j++)
    for (int lane = 0; lane < tn_gpu_arg(l, at, (int)j)->lanes; lane++)
      l->root[to++] = l->root[tn_gpu_arg(l, at, (int)j)->slot + lane];
}

// A value that is used here lives on through the loops that have been opened since it was made.
static int tn_gpu_until(const tn_gpu_list *l, int first, int at) {
  int last = at;
  for (int r = l->range[at]; r >= 0 && r > first; r = l->range[r]) last = l->c->ins[r].jump;
  return last;
}
static void tn_gpu_use(tn_gpu_list *l, int slot, int at) {
  tn_gpu_value *v = &l->value[l->root[slot]];
  const int last = tn_gpu_until(l, v->first, at);
  if (last > v->last) v->last = last;
  if (!v->used) v->used = at;
}
static void tn_gpu_use_arg(tn_gpu_list *l, const tn_eval_arg *a, int at) {
  if (a->slot < 0) return;
  const tn_eval_ins *x = tn_gpu_maker(l, a->slot);
  for (int lane = 0; lane < a->lanes; lane++) tn_gpu_use(l, a->slot + lane, at);
  if (x && l->value[a->slot].fused && x->u.op != TINY_OP_ADD)                // its operands are its user's
    for (uint32_t j = 0; j < x->u.nsrc; j++) tn_gpu_use_arg(l, &l->c->arg[x->arg + (int)j], at);
}

// What a value's lanes are where it is made: a register each, but what needs none.
static void tn_gpu_make(tn_gpu_list *l, int at) {
  const tn_eval_ins *i = &l->c->ins[at];
  const tn_gpu_value *v = &l->value[i->slot];
  const int reads = i->u.op == TINY_OP_LOAD && l->c->mem[i->mem].space == TN_SPACE_REG;
  const int none = v->fused || v->coalesced || reads || tn_gpu_by_unit(i) || l->ahead[at] == TN_GPU_COPIES ||
      (!v->varies && !tn_is_float(i->u.dtype));
  for (int lane = 0; lane < i->u.lanes; lane++) {
    tn_gpu_value *x = &l->value[i->slot + lane];
    x->first = x->last = at;
    x->quarters = none ? 0 : tn_gpu_quarters(&i->u);
    if (v->elements && x->quarters && l->value[i->slot].elements == v->refs) x->quarters = 8;   // an address
  }
}

static void tn_gpu_touch(tn_gpu_list *l, int at) {
  const tn_eval_ins *i = &l->c->ins[at];
  const int m = i->mem, place = tn_gpu_arg(l, at, 0)->slot, value = tn_gpu_arg(l, at, 1)->slot;
  if (l->c->mem[m].space != TN_SPACE_REG) return;
  if (!tn_gpu_is_constant(l, place)) l->moved[m] = 1;
  if (l->first[m] < 0) l->first[m] = l->last[m] = at;
  const int last = tn_gpu_until(l, l->first[m], at);
  if (last > l->last[m]) l->last[m] = last;
  if (i->u.op == TINY_OP_STORE && value >= 0 && l->value[value].refs == 1) l->value[value].coalesced = 1;
}

// Bytes of REG memory in registers; a lane that is narrow shares one where there are several.
static int tn_gpu_reg_quarters(const tn_eval_mem *m) {
  const int nbytes = tn_dtypes[m->dtype].nbytes, n = (int)(m->nelem * m->lanes);
  return n == 1 && nbytes < TN_GPU_NARROW ? (int)TN_GPU_NARROW : n * nbytes;
}

// A product adds to the registers that have the sum so far.
static void tn_gpu_in_place(tn_gpu_list *l, int at) {
  const int sum = tn_gpu_arg(l, at, 2)->slot;
  const tn_eval_ins *from = sum >= 0 ? tn_gpu_maker(l, sum) : NULL;
  if (from && from->u.op == TINY_OP_WMMA && l->value[sum].refs == 1) l->value[sum].coalesced = 1;
}

static void tn_gpu_lives(tn_gpu_list *l) {
  for (int at = 0; at < l->c->nins; at++) {
    if (tn_gpu_is_access(&l->c->ins[at])) tn_gpu_touch(l, at);
    if (l->c->ins[at].u.op == TINY_OP_WMMA) tn_gpu_in_place(l, at);
  }
  for (int at = 0; at < l->c->nins; at++) {
    const tn_eval_ins *i = &l->c->ins[at];
    if (tn_gpu_has_value(i)) tn_gpu_make(l, at);
    if (tn_gpu_has_value(i)) tn_gpu_alias(l, at);
    if (tn_gpu_has_value(i) && l->value[i->slot].fused) continue;
    for (int j = 0; j < tn_gpu_nargs(i); j++) tn_gpu_use_arg(l, tn_gpu_arg(l, at, j), at);
    if (i->u.op == TINY_OP_RANGE) l->value[i->slot].last = i->jump;
  }
}

// Loads of shared memory wait for their first use, unless a barrier or another loop comes before.
static void tn_gpu_sink(tn_gpu_list *l, int at) {
  const tn_eval_ins *i = &l->c->ins[at];
  int used = l->c->nins;
  if (i->u.op != TINY_OP_LOAD || l->c->mem[i->mem].space != TN_SPACE_LOCAL) return;
  for (int lane = 0; lane < i->u.lanes; lane++) {
    const tn_gpu_value *v = &l->value[i->slot + lane];
    if (v->used && v->used < used) used = v->used;
  }
  if (used == l->c->nins || l->range[used] != l->range[at]) return;
  for (int k = at + 1; k < used; k++) {
    const tn_eval_ins *x = &l->c->ins[k];
    if (x->u.op == TINY_OP_BARRIER || x->u.op == TINY_OP_RANGE) return;
    if (x->u.op == TINY_OP_STORE && x->mem == i->mem) return;
  }
  for (int lane = 0; lane < i->u.lanes; lane++)
    if (l->value[i->slot + lane].used) l->value[i->slot + lane].first = used - 1;
}

static void tn_gpu_registers(tn_gpu_list *l) {
  int *change = (int *)tn_scratch(l->t, ((size_t)l->c->nins + 2) * sizeof *change), now = 0, most = 0;
  for (int s = 0; s < l->c->nslots; s++) if (l->root[s] == s && l->value[s].quarters) {
    change[l->value[s].first] += l->value[s].quarters;
    change[l->value[s].last] -= l->value[s].quarters;
  }
  for (int m = 0; m < l->c->nmem; m++) {
    const tn_eval_mem *mem = &l->c->mem[m];
    if (mem->space == TN_SPACE_LOCAL) l->shared_nbytes += (int)(mem->nelem * mem->lanes) * tn_dtypes[mem->dtype].nbytes;
    if (mem->space != TN_SPACE_REG || l->first[m] < 0) continue;
    if (l->moved[m]) { l->private_nbytes += (int)(mem->nelem * mem->lanes) * tn_dtypes[mem->dtype].nbytes; continue; }
    change[l->first[m]] += tn_gpu_reg_quarters(mem);
    change[l->last[m]] -= tn_gpu_reg_quarters(mem);
  }
  for (int at = 0; at < l->c->nins; at++) if ((now += change[at]) > most) most = now;
  l->registers = (most + 3) / 4 + TN_GPU_OWN_REGISTERS;
}

// Heavy code: all of it lies in scratch memory.
static void tn_gpu_look(tiny_ctx *t, const tn_eval_code *c, int copies, tn_gpu_list *l) {
  const size_t slots = (size_t)c->nslots + 1, ins = (size_t)c->nins + 1, mems = (size_t)c->nmem + 1;
  memset(l, 0, sizeof *l);
  l->t = t; l->c = c;
  l->root = (int *)tn_scratch(t, slots * sizeof *l->root);
  l->value = (tn_gpu_value *)tn_scratch(t, slots * sizeof *l->value);
  l->cost = (float (*)[TN_GPU_KINDS])tn_scratch(t, ins * sizeof *l->cost);
  l->range = (int *)tn_scratch(t, ins * sizeof *l->range);
  l->first = (int *)tn_scratch(t, mems * sizeof *l->first);
  l->last = (int *)tn_scratch(t, mems * sizeof *l->last);
  l->moved = (uint8_t *)tn_scratch(t, mems);
  l->ahead = (uint8_t *)tn_scratch(t, ins);
  for (int m = 0; m < c->nmem; m++) l->first[m] = -1;
  tn_gpu_values(l);
  tn_gpu_find_ahead(l, copies);
  tn_gpu_fuse(l);
  tn_gpu_costs(l);
  tn_gpu_lives(l);
  for (int at = 0; at < c->nins; at++) tn_gpu_sink(l, at);
  tn_gpu_registers(l);
}
#endif
