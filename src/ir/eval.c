// eval: the reference interpreter, the oracle of every test and the device of last resort. It is made to be
// obviously right: each value is an int64 "k" as in dtype.c, each op is tn_alu, and nothing is fused or
// reordered.
//
//   tn_eval_expr    an expression over variables (ids of RANGE, ARG and SPECIAL)
//   tn_eval_decode, tn_eval_launch   a linear program: all work items of a group run in lockstep
//
// A program is first decoded into instructions (decode.c). What real devices would get wrong silently is an error here:
// an access outside of a memory, work items that touch the same LOCAL element with no barrier between, a barrier
// that not all items reach, loops whose extent differs between items, an element that is read while a STORE to it may
// still happen: it happens as late as it may. LOCAL and REG memory start as garbage that shows (NaN, 0x5A5A..).
#ifndef TN_IR_EVAL
#define TN_IR_EVAL
#ifndef TINY_AMALGAMATED
#include "decode.c"
#endif

// ** one op on rows of values **

// step 0: the same value throughout
typedef struct tn_eval_in { const int64_t *p; int step; } tn_eval_in;

// out[i] = op(s[0][i], s[1][i] ..). The few ops that fill programs have loops of their own, the rest is
// tn_alu.
static void tn_eval_row(const tiny_uop *u, int from, int64_t n, int64_t *out, const tn_eval_in *s) {
  enum { WIDE = TINY_OP_COUNT };
  const int d = u->dtype, operand = tn_op_is(u->op, TINY_CMP) ? from : d;
  const int real = operand == TINY_F32 || operand == TINY_F64;
  const int wide = operand == TINY_INDEX || operand == TINY_I64;
  const int64_t *pa = s[0].p, *pb = u->nsrc > 1 ? s[1].p : pa, *pc = u->nsrc > 2 ? s[2].p : pa;
  const int da = s[0].step, db = u->nsrc > 1 ? s[1].step : da, dc = u->nsrc > 2 ? s[2].step : da;
  int64_t v[4];
#define TN_ROW(value) \
  for (int64_t i = 0; i < n; i++, pa += da, pb += db, pc += dc) { out[i] = (value); } \
  return
#define TN_ROW_REAL(x) TN_ROW(tn_from_f64(tn_dtype_round(d, x)))
#define TN_A tn_to_f64(*pa)
#define TN_B tn_to_f64(*pb)
  switch (real ? (int)u->op : wide ? WIDE + u->op : -1) {
    case TINY_OP_ADD: TN_ROW_REAL(TN_A + TN_B);
    case TINY_OP_SUB: TN_ROW_REAL(TN_A - TN_B);
    case TINY_OP_MUL: TN_ROW_REAL(TN_A * TN_B);
    case TINY_OP_LT: TN_ROW(TN_A < TN_B);
    case TINY_OP_WHERE: case WIDE + (int)TINY_OP_WHERE: TN_ROW(*pa ? *pb : *pc);
    case WIDE + (int)TINY_OP_ADD: TN_ROW((int64_t)((uint64_t)*pa + (uint64_t)*pb));
    case WIDE + (int)TINY_OP_SUB: TN_ROW((int64_t)((uint64_t)*pa - (uint64_t)*pb));
    case WIDE + (int)TINY_OP_MUL: TN_ROW((int64_t)((uint64_t)*pa * (uint64_t)*pb));
    case WIDE + (int)TINY_OP_LT: TN_ROW(*pa < *pb);
    default: break;
  }
#undef TN_ROW
#undef TN_ROW_REAL
#undef TN_A
#undef TN_B
  for (int64_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < u->nsrc; j++) v[j] = s[j].p[i * s[j].step];
    out[i] = tn_alu(u->op, d, from, u->k, v, (int)u->nsrc);
  }
}

// The value from which a reduction starts.
static int64_t tn_eval_identity(int op, int d) {
  if (op == TINY_OP_MUL) return tn_dtype_value(d, 1);
  if (op == TINY_OP_MAX) return tn_lowest(d);
  return 0;                                // of ADD; the bits of 0.0 are 0
}

static int64_t tn_eval_binary(int op, int d, int64_t a, int64_t b) {
  const int64_t v[2] = {a, b};
  return tn_alu(op, d, d, 0, v, 2);
}

// ** running **

// epochs and work items; reader -1: several
typedef struct tn_eval_shadow { uint64_t written, read; int64_t writer, reader; } tn_eval_shadow;
// What a STORE leaves to a BARRIER, which is the `waits`-th of those that wait. An element is in the list once at most.
// slot: of a box; -1: of a STORE. box: its number; copies: that fill the slot. A box is
// written by nobody of the group's items.
enum { TN_EVAL_NOBODY = -2 };
typedef struct tn_eval_later { int64_t cell, value, item, slot, copies; uint64_t waits, box; } tn_eval_later;
typedef struct tn_eval_run tn_eval_run;
struct tn_eval_run {
  tiny_ctx *t; const tn_eval_code *c; const tiny_launch *l;
  const int64_t *vars; int nvars;
  int64_t items, group[3], groups[3], local[3];
  int64_t *value, *shared, *reg;           // LOCAL and REG: element e of work item i is reg[e * items + i]
  tn_eval_shadow *shadow;
  uint8_t *mask; int depth;                // a row of flags for each open IF
  uint64_t epoch, waits, boxes;            // counts barriers, those that wait, and copies of boxes
  tn_eval_later *later; uint8_t *is_later; int64_t nlater;    // the eldest first; of elements: is it among them?
  tiny_code (*groups_by)(tn_eval_run *r);  // runs them; NULL: tn_eval_groups
};

static int64_t *tn_eval_slot(const tn_eval_run *r, int slot) { return r->value + (int64_t)slot * r->items; }

static void tn_eval_fill(tn_eval_run *r, int slot, int lanes, int64_t value) {
  int64_t *p = tn_eval_slot(r, slot);
  for (int64_t i = 0; i < lanes * r->items; i++) p[i] = value;
}

static tiny_code tn_eval_setup(tn_eval_run *r, const tn_eval_ins *i) {
  int64_t value = i->u.k;
  if (i->u.op == TINY_OP_LANE) {
    for (int lane = 0; lane < i->u.lanes; lane++) tn_eval_fill(r, i->slot + lane, 1, lane);
    return TINY_OK;
  }
  if (i->u.op == TINY_OP_ARG) {
    const int n = r->vars ? r->nvars : r->l->nargs;
    if (i->u.k >= n) return tiny_fail(r->t, TINY_E_ARG, "eval: variable %lld of %d", (long long)i->u.k, n);
    value = r->vars ? r->vars[i->u.k] : tn_dtype_load(i->u.dtype, &r->l->args[i->u.k]);
  }
  tn_eval_fill(r, i->slot, i->u.lanes, value);
  return TINY_OK;
}

static tiny_code tn_eval_special(tn_eval_run *r, const tn_eval_ins *i) {
  const int dim = (int)(i->u.k & 15);
  int64_t *out = tn_eval_slot(r, i->slot), inner = 1;
  if (!(i->u.k & 16)) { tn_eval_fill(r, i->slot, i->u.lanes, r->group[dim]); return TINY_OK; }
  for (int d = 0; d < dim; d++) inner *= r->local[d];
  for (int lane = 0; lane < i->u.lanes; lane++) for (int64_t item = 0; item < r->items; item++)
    *out++ = item / inner % r->local[dim];
  return TINY_OK;
}

static void tn_eval_rows(tn_eval_run *r, const tn_eval_ins *i) {
  tn_eval_in s[4];
  const tn_eval_arg *a = &r->c->arg[i->arg];
  const int whole = r->items == 1;         // then the lanes are the row
  for (int lane = 0; lane < (whole ? 1 : i->u.lanes); lane++) {
    for (uint32_t j = 0; j < i->u.nsrc; j++) {
      s[j].p = tn_eval_slot(r, a[j].slot + (a[j].lanes > 1 ? lane : 0));
      s[j].step = !whole || a[j].lanes > 1;
    }
    tn_eval_row(&i->u, i->from, whole ? (int64_t)i->u.lanes : r->items, tn_eval_slot(r, i->slot + lane), s);
  }
}

static void tn_eval_lanes(tn_eval_run *r, const tn_eval_ins *i) {
  const tn_eval_arg *a = &r->c->arg[i->arg];
  const size_t row = (size_t)r->items * sizeof(int64_t);
  int64_t *out = tn_eval_slot(r, i->slot);
  if (i->u.op == TINY_OP_PICK) memcpy(out, tn_eval_slot(r, a->slot + (int)i->u.k), row * i->u.lanes);
  else if (i->u.op == TINY_OP_BROADCAST) for (int lane = 0; lane < i->u.lanes; lane++)
    memcpy(out + lane * r->items, tn_eval_slot(r, a->slot), row);
  else if (i->u.op == TINY_OP_STACK) for (uint32_t j = 0; j < i->u.nsrc; j++) {
    memcpy(out, tn_eval_slot(r, a[j].slot), row * (size_t)a[j].lanes);
    out += a[j].lanes * r->items;
  } else {
    memcpy(out, tn_eval_slot(r, a->slot), row * (size_t)a->lanes);
    for (int64_t half = a->lanes / 2; half; half /= 2)
      for (int64_t e = 0; e < half * r->items; e++)
        out[e] = tn_eval_binary((int)i->u.k, i->u.dtype, out[e], out[e + half * r->items]);
  }
}

// Lane `lane` of a vector as its raw bits.
static uint64_t tn_eval_raw(const tn_eval_run *r, int slot, int dtype, int64_t item) {
  unsigned char raw[8] = {0};
  uint64_t bits = 0;
  tn_dtype_store(dtype, raw, tn_eval_slot(r, slot)[item]);
  for (int i = 0; i < 8; i++) bits |= (uint64_t)raw[i] << 8 * i;
  return bits;
}
static int64_t tn_eval_from_raw(int dtype, uint64_t bits) {
  unsigned char raw[8];
  for (int i = 0; i < 8; i++) raw[i] = (unsigned char)(bits >> 8 * i);
  return tn_dtype_load(dtype, raw);
}

// Rows that the lanes of each warp have loaded, as columns, or as words of rows.
static tiny_code tn_eval_matrix_rows(tn_eval_run *r, const tn_eval_ins *i) {
  const uint8_t *mask = r->mask + r->depth * r->items;
  const int n = i->u.lanes, each = n / 4;  // elements of a row, and of a word
  int64_t row[TN_TURNED_LANES][2 * TN_TURNED_ROW];
  for (int64_t item = 0; item < r->items; item++) if (!mask[item] || r->items % TN_TURNED_LANES)
    return tiny_fail(r->t, TINY_E_INTERNAL, "eval: work item %lld: not all of its warp load rows",
      (long long)item);
  for (int64_t first = 0; first < r->items; first += TN_TURNED_LANES) {
    for (int lane = 0; lane < TN_TURNED_LANES; lane++) for (int e = 0; e < n; e++)
      row[lane][e] = tn_eval_slot(r, i->slot + e)[first + lane];
    for (int lane = 0; lane < TN_TURNED_LANES; lane++) for (int e = 0; e < n; e++)
      tn_eval_slot(r, i->slot + e)[first + lane] = tn_load_kind(&i->u) == TN_AS_ROWS ?
          row[8 * (e / each) + lane / 4][lane % 4 * each + e % each] :
          row[8 * (e / 2) + 2 * (lane % 4) + e % 2][lane / 4];
  }
  return TINY_OK;
}

// Where the element is that is number `at` in the order of rows: its number in memory.
static int64_t tn_box_place(int64_t at, int nbytes) {
  const int64_t byte = at * nbytes;
  return (byte ^ (byte / TN_BOX_ROW % (TN_BOX_ALIGN / TN_BOX_ROW)) * TN_BOX_PIECE) / nbytes;
}
// Where matrix q lies behind the first. What goes on along a row of a box goes on in the next box.
static int64_t tn_load_matrix(const tiny_uop *u, int q) {
  const int64_t row = TN_BOX_ROW / (tn_bits(u->dtype) / 8), next = q / 2 * tn_load_next(u);
  const int wraps = (u->k & TN_SWIZZLED) != 0 && tn_load_next(u) < row;
  return q % 2 * tn_load_along(u) + (wraps ? next / row * row * TN_BOX_ROWS + next % row : next);
}
// Where element `e` that an item gets of matrices lies, whose first is at element `at`.
static int64_t tn_load_place(const tiny_uop *u, int64_t at, int64_t item, int e) {
  const int nbytes = tn_bits(u->dtype) / 8, each = 4 / nbytes, q = e / each, of = e % each,
            lane = (int)(item % TN_TURNED_LANES), boxes = (u->k & TN_SWIZZLED) != 0,
            row = boxes ? TN_BOX_ROW / nbytes : 2 * TN_TURNED_ROW / nbytes;
  at = tn_clamp_add(at, tn_load_matrix(u, q));
  if (u->k & TN_SIDE) at += item / TN_TURNED_LANES % 4 * 2 * tn_load_along(u);
  at += tn_load_kind(u) == TN_AS_ROWS ? lane / 4 * row + lane % 4 * each + of :
                                        (2 * (lane % 4) + of) * row + lane / 4;
  return boxes ? tn_box_place(at, nbytes) : at;
}
// Matrices side by side: all of a warp load them, and say the same address.
static tiny_code tn_eval_matrices(tn_eval_run *r, const tn_eval_ins *i) {
  const uint8_t *mask = r->mask + r->depth * r->items;
  const int64_t *at = tn_eval_slot(r, r->c->arg[i->arg].slot),
                all = TN_TURNED_LANES * (i->u.k & TN_SIDE ? 4 : 1);
  for (int64_t item = 0; item < r->items; item++)
    if (!mask[item] || r->items % all || at[item] != at[item / all * all])
      return tiny_fail(r->t, TINY_E_INTERNAL, "eval: work item %lld: not all of its warp load the same matrices",
        (long long)item);
  return TINY_OK;
}

// Bits of a vector as lanes of another width, low ones first.
static void tn_eval_regroup(tn_eval_run *r, const tn_eval_ins *i) {
  const tn_eval_arg *a = &r->c->arg[i->arg];
  const int to = tn_bits(i->u.dtype), from = tn_bits(i->from);
  for (int64_t item = 0; item < r->items; item++) for (int lane = 0; lane < i->u.lanes; lane++) {
    uint64_t bits = 0;
    for (int at = lane * to; at < (lane + 1) * to; at += from < to ? from : to) {
      const uint64_t raw = tn_eval_raw(r, a->slot + at / from, i->from, item) >> at % from;
      bits |= (from < to ? raw : to < 64 ? raw & (((uint64_t)1 << to) - 1) : raw) << (at - lane * to);
    }
    tn_eval_slot(r, i->slot + lane)[item] = tn_eval_from_raw(i->u.dtype, bits);
  }
}

static tiny_code tn_eval_trap(tn_eval_run *r, const tn_eval_mem *m, int64_t item, const char *what,
                              int64_t at) {
  static const char *const names[3] = {"PARAM", "LOCAL", "REG"};
  return tiny_fail(r->t, TINY_E_INTERNAL,
    "eval: %s %lld out of %lld in %s %d, work item %lld of group (%lld,%lld,%lld)",
    what, (long long)at, (long long)m->nelem, names[m->space], m->id, (long long)item,
    (long long)r->group[0], (long long)r->group[1], (long long)r->group[2]);
}

// Work items may share a LOCAL element only across a barrier.
static tiny_code tn_eval_share(tn_eval_run *r, const tn_eval_mem *m, int64_t flat, int64_t item,
                               int stores, int64_t value) {
  tn_eval_shadow *s = &r->shadow[m->at + flat];
  const int written = s->written == r->epoch && s->writer != item;
  const int read = s->read == r->epoch && s->reader != item;
  const int64_t at = flat / m->lanes;
  if (r->is_later && r->is_later[m->at + flat])
    return tn_eval_trap(r, m, item, stores ? "overwrites what is not there yet, element" :
                        "reads what is not there yet: no barrier waits for it, element", at);
  if (!stores) {
    if (written)
      return tn_eval_trap(r, m, item, "race: reads what another item wrote since the barrier, element", at);
    s->reader = s->read == r->epoch && s->reader != item ? -1 : item;
    s->read = r->epoch;
    return TINY_OK;
  }
  if (read)
    return tn_eval_trap(r, m, item, "race: writes what another item read since the barrier, element", at);
  if (written && r->shared[m->at + flat] != value)
    return tn_eval_trap(r, m, item, "race: overwrites another item's value since the barrier, element", at);
  s->writer = item;
  s->written = r->epoch;
  return TINY_OK;
}

// A STORE that happens later.
static void tn_eval_put_off(tn_eval_run *r, int64_t cell, int64_t item, int64_t value, int64_t slot, int64_t copies) {
  tn_eval_later *x = &r->later[r->nlater++];
  x->cell = cell; x->item = item; x->value = value; x->waits = r->waits;
  x->slot = slot; x->copies = copies; x->box = r->boxes;
  r->is_later[cell] = 1;
}
// Those that happened before the n-th waiting BARRIER before this one have to be there now, or those of a slot: 1 if
// these are all that fill it.
static int tn_eval_wait(tn_eval_run *r, int64_t n, int64_t slot) {
  int64_t kept = 0, boxes = 0, copies = -1;
  uint64_t last = 0;
  for (int64_t i = 0; i < r->nlater; i++) {
    const tn_eval_later *x = &r->later[i];
    if (slot >= 0 ? x->slot != slot : x->slot >= 0 || x->waits + (uint64_t)n > r->waits) {
      r->later[kept++] = *x;
      continue;
    }
    if (slot >= 0) boxes += x->box != last;
    copies = x->copies;
    last = x->box;
    r->shared[x->cell] = x->value;
    r->is_later[x->cell] = 0;
    r->shadow[x->cell].written = r->epoch; r->shadow[x->cell].writer = x->item;
  }
  r->nlater = kept;
  return boxes == copies;
}

static tiny_code tn_eval_touch(tn_eval_run *r, const tn_eval_ins *i) {
  const tn_eval_mem *m = &r->c->mem[i->mem];
  const tn_eval_arg *a = &r->c->arg[i->arg];
  const int stores = i->u.op == TINY_OP_STORE, adds = stores && i->u.k == TN_ADDS, d = i->u.dtype;
  const uint8_t *mask = r->mask + r->depth * r->items;
  const int64_t *element = tn_eval_slot(r, a[0].slot);
  const int64_t *valid = a[2].slot >= 0 ? tn_eval_slot(r, a[2].slot) : NULL;
  int64_t *value = a[1].slot >= 0 ? tn_eval_slot(r, a[1].slot) : NULL, *out = tn_eval_slot(r, i->slot);
  char *base = m->space == TN_SPACE_GLOBAL ? (char *)r->l->mem[m->id].base + r->l->mem[m->id].offset : NULL;
  const int matrices = !TN_RUNS_ONLY && !stores && i->u.k >> TN_MATRIX_ALONG;
  for (int lane = 0; lane < i->u.lanes; lane++) for (int64_t item = 0; item < r->items; item++) {
    int64_t from_value = value ? value[a[1].lanes > 1 ? lane * r->items + item : item] : 0;
    if (!mask[item] || (valid && !valid[a[2].lanes > 1 ? lane * r->items + item : item])) {
      if (!stores) out[lane * r->items + item] = from_value;
      continue;
    }
    const int64_t e = a[0].lanes > 1 ? element[lane * r->items + item] : element[item];
    // contiguous lanes follow each other; those that are not valid may lie before the first element
    const int64_t at = a[0].lanes > 1 || m->lanes > 1 ? e :
        matrices ? tn_load_place(&i->u, e, item, lane) : tn_clamp_add(e, lane);
    if (at < 0 || at >= m->nelem) return tn_eval_trap(r, m, item, "index", at);
    const int64_t flat = m->lanes > 1 ? at * m->lanes + lane : at;
    if (!TN_RUNS_ONLY && m->space == TN_SPACE_LOCAL && tn_eval_share(r, m, flat, item, stores, from_value) != TINY_OK)
      return TINY_E_INTERNAL;
    int64_t *cell = m->space == TN_SPACE_LOCAL ? &r->shared[m->at + flat]
                  : m->space == TN_SPACE_REG ? &r->reg[(m->at + flat) * r->items + item] : NULL;
    char *p = cell ? NULL : base + flat * (int64_t)tn_dtypes[d].nbytes;
    if (adds) from_value = tn_eval_binary(TINY_OP_ADD, d, cell ? *cell : tn_dtype_load(d, p), from_value);
    if (!TN_RUNS_ONLY && stores && i->u.k == TN_LATER) tn_eval_put_off(r, m->at + flat, item, from_value, -1, 0);
    else if (stores) { if (cell) *cell = from_value; else tn_dtype_store(d, p, from_value); }
    else out[lane * r->items + item] = cell ? *cell : tn_dtype_load(d, p);
  }
  return TINY_OK;
}

// Where element number e of the box lies in the tensor, in the order of rows, from these coordinates on; -1: beyond it.
static int64_t tn_eval_box_element(const tn_eval_run *r, const tn_eval_ins *i, const int64_t *at, int64_t e) {
  const int dims = tn_bulk_dims(&i->u);
  const int64_t *v = r->c->v + i->v;
  int64_t place = 0;
  for (int d = 0; d < dims; d++) {
    const int64_t x = at[d] + e % v[2 * dims + d];
    if (x < 0 || x >= v[d]) return -1;
    place = tn_clamp_add(place, tn_clamp_mul(x, v[dims + d]));
    e /= v[2 * dims + d];
  }
  return place;
}
// All items say the same: its place in LOCAL memory, the slot of a BULK, coordinates. *n: its elements; 0: none of it.
static tiny_code tn_eval_box_begin(tn_eval_run *r, const tn_eval_ins *i, int64_t *near_at, int64_t *slot, int64_t *at,
                                   int64_t *n) {
  const tn_eval_mem *m = &r->c->mem[i->mem];
  const tn_eval_arg *a = &r->c->arg[i->arg];
  const int dims = tn_bulk_dims(&i->u), loads = i->u.op == TINY_OP_BULK;
  const uint8_t *mask = r->mask + r->depth * r->items;
  for (int k = 0; k < 2 + loads + dims; k++)
    for (int64_t item = 0; a[k].slot >= 0 && item < r->items; item++)
      if (!mask[item] || tn_eval_slot(r, a[k].slot)[item] != *tn_eval_slot(r, a[k].slot))
        return tn_eval_trap(r, m, item, "is not at one with the others on a box at element",
                            tn_eval_slot(r, a[0].slot)[item]);
  *n = 0;
  if (a[1].slot >= 0 && !*tn_eval_slot(r, a[1].slot)) return TINY_OK;
  *near_at = *tn_eval_slot(r, a[0].slot);
  *slot = loads ? *tn_eval_slot(r, a[2].slot) : 0;
  *n = 1;
  for (int d = 0; d < dims; d++) *n *= r->c->v[i->v + 2 * dims + d];
  for (int d = 0; d < dims; d++) at[d] = *tn_eval_slot(r, a[2 + loads + d].slot);
  if (*near_at < 0 || *near_at + *n > m->nelem || *near_at * tn_dtypes[m->dtype].nbytes % TN_BOX_ALIGN)
    return tn_eval_trap(r, m, 0, "a box is at element", *near_at);
  return TINY_OK;
}
// The first item that is there begins it.
static tiny_code tn_eval_box(tn_eval_run *r, const tn_eval_ins *i) {
  const tn_eval_mem *m = &r->c->mem[i->mem], *from = &r->c->mem[i->from_mem];
  const int nbytes = tn_dtypes[m->dtype].nbytes;
  int64_t at[TN_BOX_DIMS], to = 0, slot = 0, n = 0;
  if (tn_eval_box_begin(r, i, &to, &slot, at, &n) != TINY_OK || !n) return r->t->code;
  if (slot < tn_bulk_first(i->u.k) || slot >= tn_bulk_end(i->u.k))
    return tn_eval_trap(r, m, 0, "a box of another slot goes to element", to);
  const char *base = (const char *)r->l->mem[from->id].base + r->l->mem[from->id].offset;
  r->boxes++;
  for (int64_t e = 0; e < n; e++) {
    const int64_t place = tn_eval_box_element(r, i, at, e), cell = to + tn_box_place(e, nbytes);
    if (place >= from->nelem) return tn_eval_trap(r, from, 0, "a box has element", place);
    const int64_t value = place < 0 ? 0 : tn_dtype_load(m->dtype, base + place * nbytes);
    if (tn_eval_share(r, m, cell, TN_EVAL_NOBODY, 1, value) != TINY_OK) return r->t->code;
    tn_eval_put_off(r, m->at + cell, TN_EVAL_NOBODY, value, slot, tn_bulk_copies(i->u.k));
  }
  return TINY_OK;
}
static tiny_code tn_eval_box_store(tn_eval_run *r, const tn_eval_ins *i) {
  const tn_eval_mem *m = &r->c->mem[i->mem], *to = &r->c->mem[i->from_mem];
  const int nbytes = tn_dtypes[m->dtype].nbytes;
  int64_t at[TN_BOX_DIMS], from = 0, slot = 0, n = 0;
  if (tn_eval_box_begin(r, i, &from, &slot, at, &n) != TINY_OK || !n) return r->t->code;
  char *base = (char *)r->l->mem[to->id].base + r->l->mem[to->id].offset;
  for (int64_t e = 0; e < n; e++) {
    const int64_t place = tn_eval_box_element(r, i, at, e), cell = from + tn_box_place(e, nbytes);
    if (place >= to->nelem) return tn_eval_trap(r, to, 0, "a box has element", place);
    if (tn_eval_share(r, m, cell, TN_EVAL_NOBODY, 0, 0) != TINY_OK) return r->t->code;
    if (place >= 0) tn_dtype_store(m->dtype, base + place * nbytes, r->shared[m->at + cell]);
  }
  return TINY_OK;
}

// Element e of a tile whose lanes are bits of one or more elements, low ones first.
static int64_t tn_eval_element(const tn_eval_run *r, const tn_eval_arg *a, int64_t item, int64_t nelem, int dtype,
                               int64_t e) {
  const int64_t each = nelem / a->lanes;
  const uint64_t bits = (uint64_t)tn_eval_slot(r, a->slot + (int)(e / each))[item] >> e % each * tn_bits(dtype);
  unsigned char raw[8];
  for (int i = 0; i < 8; i++) raw[i] = (unsigned char)(bits >> 8 * i);
  return tn_dtype_load(dtype, raw);
}

// Sums of f32 are those of f64, rounded once for each tile: devices differ in the order of additions.
static void tn_eval_wmma(tn_eval_run *r, const tn_eval_ins *i) {
  const tn_wmma w = tn_wmma_of(i->u.k);
  const tn_eval_arg *a = &r->c->arg[i->arg];
  for (int lane = 0; lane < w.m * w.n; lane++) for (int64_t item = 0; item < r->items; item++) {
    const int64_t row = lane / w.n, column = lane % w.n, before = tn_eval_slot(r, a[2].slot + lane)[item];
    uint64_t whole = (uint64_t)before;
    double sum = tn_to_f64(before);
    for (int64_t k = 0; k < w.k; k++) {
      const int64_t x = tn_eval_element(r, &a[0], item, w.m * w.k, w.a, row * w.k + k),
        y = tn_eval_element(r, &a[1], item, w.k * w.n, w.b,
                            (k / w.together * w.n + column) * w.together + k % w.together);
      if (tn_is_float(w.a)) sum += tn_to_f64(x) * tn_to_f64(y);
      else whole += (uint64_t)x * (uint64_t)y;
    }
    tn_eval_slot(r, i->slot + lane)[item] = tn_is_float(i->u.dtype) ?
      tn_from_f64(tn_dtype_round(i->u.dtype, sum)) : tn_dtype_wrap(i->u.dtype, (int64_t)whole);
  }
}

static void tn_layout_add(const uint8_t *bits, int most, int value, int *row, int *column) {
  for (int i = 0; i < most; i++) {
    if (!bits[i] || !(value >> i & 1)) continue;
    if (bits[i] > TINY_LAYOUT_COLUMN) *column |= 1 << (bits[i] - TINY_LAYOUT_COLUMN - 1);
    else *row |= 1 << (bits[i] - 1);
  }
}
// Which element of the tile is the lane's element.
static void tn_layout_at(const tiny_warp_layout *l, int lane, int element, int *row, int *column) {
  *row = *column = 0;
  tn_layout_add(l->lane, TINY_LAYOUT_LANE, lane, row, column);
  tn_layout_add(l->element, TINY_LAYOUT_ELEMENT, element, row, column);
}

// Operands of a product, row by row.
typedef struct tn_eval_tile { int64_t a[16 * 32], b[32 * 16]; } tn_eval_tile;

// What the lanes of a warp from `first` on hold of a tile, rows of `columns`. TF32 has 10 bits of mantissa, no more.
static void tn_eval_gather(const tn_eval_run *r, const tiny_warp_unit *unit, int which, int slot, int64_t first,
                           int columns, int64_t *tile) {
  const tiny_warp_layout *l = &unit->layout[which];
  const int dtype = which == 0 ? unit->a : unit->b, bits = tn_bits(dtype), each = 32 / bits;
  for (int lane = 0; lane < unit->warp; lane++) for (int e = 0; e < tn_layout_elements(l); e++) {
    int row, column;
    tn_layout_at(l, lane, e, &row, &column);
    uint64_t raw = (uint64_t)tn_eval_slot(r, slot + e / each)[first + lane] >> e % each * bits;
    if (bits == 32) raw &= tn_unit_is_tf32(unit) ? 0xFFFFE000u : 0xFFFFFFFFu;
    tile[row * columns + column] = tn_eval_from_raw(dtype, raw);
  }
}

// What a warp has of c from lane's element `at` on: that of the sum so far and of x.
static void tn_eval_product(tn_eval_run *r, const tn_eval_ins *i, const tiny_warp_unit *unit, const tn_eval_tile *x,
                            int64_t first, int at) {
  const tn_eval_arg *sum_of = &r->c->arg[i->arg + 2];
  const int real = tn_is_float(unit->c);
  for (int lane = 0; lane < unit->warp; lane++) for (int e = 0; e < tn_layout_elements(&unit->layout[2]); e++) {
    int row, column;
    tn_layout_at(&unit->layout[2], lane, e, &row, &column);
    const int64_t before = tn_eval_slot(r, sum_of->slot + at + e)[first + lane];
    uint64_t whole = (uint64_t)before;
    double sum = real ? tn_to_f64(before) : 0;
    for (int k = 0; k < unit->k; k++) {
      const int64_t p = x->a[row * unit->k + k], q = x->b[k * unit->n + column];
      if (real) sum += tn_to_f64(p) * tn_to_f64(q);
      else whole += (uint64_t)p * (uint64_t)q;
    }
    tn_eval_slot(r, i->slot + at + e)[first + lane] = real ?
      tn_from_f64(tn_dtype_round(unit->c, sum)) : tn_dtype_wrap(unit->c, (int64_t)whole);
  }
}

// All items of each warp together; as tn_eval_wmma has it.
static tiny_code tn_eval_warp_wmma(tn_eval_run *r, const tn_eval_ins *i, const tiny_warp_unit *unit) {
  const tn_eval_arg *a = &r->c->arg[i->arg];
  const uint8_t *mask = r->mask + r->depth * r->items;
  const int elements = tn_layout_elements(&unit->layout[2]);
  tn_eval_tile x;
  for (int64_t item = 0; item < r->items; item++) if (!mask[item] || r->items % unit->warp)
    return tiny_fail(r->t, TINY_E_INTERNAL, "eval: work item %lld: not all of its warp are at a WMMA",
      (long long)item);
  const int words[2] = {tn_layout_elements(&unit->layout[0]) * tn_bits(unit->a) / 32,
                        tn_layout_elements(&unit->layout[1]) * tn_bits(unit->b) / 32};
  const int columns = a[1].lanes / words[1];
  for (int64_t first = 0; first < r->items; first += unit->warp)
    for (int tile = 0; tile < i->u.lanes / elements; tile++) {             // of rows, of their columns
      if (tile % columns == 0) tn_eval_gather(r, unit, 0, a[0].slot + tile / columns * words[0], first, unit->k, x.a);
      tn_eval_gather(r, unit, 1, a[1].slot + tile % columns * words[1], first, unit->n, x.b);
      tn_eval_product(r, i, unit, &x, first, tile * elements);
    }
  return TINY_OK;
}

// A bound of a loop, 0 its end, 1 its start, which must be the same for all work items; -1 if not.
static int64_t tn_eval_extent(tn_eval_run *r, const tn_eval_ins *i, int bound) {
  const int64_t *extent = tn_eval_slot(r, r->c->arg[i->arg + bound].slot);
  for (int64_t item = 1; item < r->items; item++) if (extent[item] != extent[0]) {
    tiny_fail(r->t, TINY_E_INTERNAL, "eval: RANGE %lld: the extent differs between work items",
      (long long)(i->u.k >> 8));
    return -1;
  }
  return extent[0] > 0 ? extent[0] : 0;
}

static tiny_code tn_eval_barrier(tn_eval_run *r, const tn_eval_ins *i) {
  const uint8_t *mask = r->mask + r->depth * r->items;
  for (int64_t item = 0; item < r->items; item++) if (!mask[item])
    return tiny_fail(r->t, TINY_E_INTERNAL, "eval: work item %lld does not reach a barrier", (long long)item);
  const int64_t stores = i->u.k & ~(int64_t)TN_BOXES,
                slot = i->u.k & TN_BOXES ? *tn_eval_slot(r, r->c->arg[i->arg].slot) : -1;
  if (stores && r->later) { tn_eval_wait(r, stores - 1, -1); r->waits++; }
  if (slot >= 0 && (!r->later || !tn_eval_wait(r, 0, slot)))
    return tiny_fail(r->t, TINY_E_INTERNAL, "eval: a barrier waits for slot %lld, which is not filled",
      (long long)slot);
  r->epoch++;
  return TINY_OK;
}

// Items that exchange values are all there, as devices want it.
static tiny_code tn_eval_shuffle(tn_eval_run *r, const tn_eval_ins *i) {
  const uint8_t *mask = r->mask + r->depth * r->items;
  for (int64_t item = 0; item < r->items; item++) {
    const int64_t other = item ^ i->u.k;
    if (mask[item] && (other >= r->items || !mask[other]))
      return tiny_fail(r->t, TINY_E_INTERNAL, "eval: work item %lld takes a value of item %lld, which is not there",
        (long long)item, (long long)other);
  }
  for (int lane = 0; lane < i->u.lanes; lane++) for (int64_t item = 0; item < r->items; item++)
    if (mask[item]) tn_eval_slot(r, i->slot + lane)[item] =
      tn_eval_slot(r, r->c->arg[i->arg].slot + lane)[item ^ i->u.k];
  return TINY_OK;
}

static void tn_eval_if(tn_eval_run *r, const tn_eval_ins *i) {
  const uint8_t *outer = r->mask + r->depth * r->items;
  uint8_t *inner = r->mask + ++r->depth * r->items;
  const int64_t *cond = tn_eval_slot(r, r->c->arg[i->arg].slot);
  for (int64_t item = 0; item < r->items; item++) inner[item] = outer[item] && cond[item];
}

// What items of a group do together; no program of a CPU does.
static int tn_eval_is_of_items(const tiny_uop *u) {
  return u->op == TINY_OP_BARRIER || u->op == TINY_OP_BULK || u->op == TINY_OP_BULKSTORE || u->op == TINY_OP_SHUFFLE ||
      u->op == TINY_OP_WMMA;
}
static tiny_code tn_eval_together(tn_eval_run *r, const tn_eval_ins *i) {
  switch (i->u.op) {
    case TINY_OP_BARRIER: return tn_eval_barrier(r, i);
    case TINY_OP_BULK: return tn_eval_box(r, i);
    case TINY_OP_BULKSTORE: return tn_eval_box_store(r, i);
    case TINY_OP_SHUFFLE: return tn_eval_shuffle(r, i);
    default: {
      const tiny_warp_unit *unit = tn_warp_unit_of(i->u.k);
      if (unit) return tn_eval_warp_wmma(r, i, unit);
      tn_eval_wmma(r, i);
      return TINY_OK;
    }
  }
}

// One instruction, for all items; *at: which, and then the last one that is done with.
static tiny_code tn_eval_instruction(tn_eval_run *r, int *at) {
  const tn_eval_ins *i = &r->c->ins[*at];
  switch (i->u.op) {
    case TINY_OP_LOAD: case TINY_OP_STORE: {
      const int rows = !TN_RUNS_ONLY && i->u.op == TINY_OP_LOAD && i->u.k, steps = rows && i->u.k >> TN_MATRIX_ALONG;
      tiny_code code = steps ? tn_eval_matrices(r, i) : TINY_OK;
      if (code == TINY_OK) code = tn_eval_touch(r, i);
      return code == TINY_OK && rows && !steps ? tn_eval_matrix_rows(r, i) : code;
    }
    case TINY_OP_SPECIAL: return tn_eval_special(r, i);
    case TINY_OP_BITCAST:
      if (tn_bits(i->from) != tn_bits(i->u.dtype)) tn_eval_regroup(r, i);
      else tn_eval_rows(r, i);
      return TINY_OK;
    case TINY_OP_IF: tn_eval_if(r, i); return TINY_OK;
    case TINY_OP_ENDIF: r->depth--; return TINY_OK;
    case TINY_OP_BROADCAST: case TINY_OP_STACK: case TINY_OP_PICK: case TINY_OP_HREDUCE:
      tn_eval_lanes(r, i);
      return TINY_OK;
    case TINY_OP_RANGE: {
      const int64_t end = tn_eval_extent(r, i, 0), start = i->u.nsrc > 1 ? tn_eval_extent(r, i, 1) : 0;
      if (end < 0 || start < 0) return TINY_E_INTERNAL;
      if (end <= start) *at = i->jump;
      else tn_eval_fill(r, i->slot, 1, start);
      return TINY_OK;
    }
    case TINY_OP_END: {
      const tn_eval_ins *range = &r->c->ins[i->jump];
      const int64_t next = *tn_eval_slot(r, range->slot) + 1;
      if (next < *tn_eval_slot(r, r->c->arg[range->arg].slot)) {
        tn_eval_fill(r, range->slot, 1, next);
        *at = i->jump;
      }
      return TINY_OK;
    }
    default:
      if (!TN_RUNS_ONLY && tn_eval_is_of_items(&i->u)) return tn_eval_together(r, i);
      tn_eval_rows(r, i);
      return TINY_OK;
  }
}

static tiny_code tn_eval_group(tn_eval_run *r) {
  tiny_code code = TINY_OK;
  for (int at = 0; at < r->c->nins && code == TINY_OK; at++) code = tn_eval_instruction(r, &at);
  return code;
}

// Memory of a group or of work items before anything was stored.
static void tn_eval_poison(tn_eval_run *r) {
  r->waits = r->boxes = 0;
  for (r->nlater = 0; r->is_later && r->nlater < r->c->local_nelem;) r->is_later[r->nlater++] = 0;
  r->nlater = 0;
  for (int m = 0; m < r->c->nmem; m++) {
    const tn_eval_mem *mem = &r->c->mem[m];
    const int64_t n = mem->nelem * mem->lanes, pattern = tn_dtype_wrap(mem->dtype, 0x5A5A5A5A5A5A5A5All);
    const int64_t value = tn_is_float(mem->dtype) ? tn_from_f64((double)NAN) : pattern;
    if (mem->space == TN_SPACE_LOCAL) for (int64_t i = 0; i < n; i++) r->shared[mem->at + i] = value;
    if (mem->space == TN_SPACE_REG) for (int64_t i = 0; i < n * r->items; i++)
      r->reg[mem->at * r->items + i] = value;
  }
}

static tiny_code tn_eval_groups(tn_eval_run *r) {
  const int64_t n = r->groups[0] * r->groups[1] * r->groups[2];
  memset(r->mask, 1, (size_t)r->items);
  for (int i = 0; i < r->c->nsetup; i++) if (tn_eval_setup(r, &r->c->setup[i]) != TINY_OK) return r->t->code;
  for (int64_t g = 0; g < n; g++) {
    r->group[0] = g % r->groups[0]; r->group[1] = g / r->groups[0] % r->groups[1];
    r->group[2] = g / r->groups[0] / r->groups[1];
    r->epoch++;
    tn_eval_poison(r);
    const tiny_code code = tn_eval_group(r);
    if (code != TINY_OK) return code;
  }
  return TINY_OK;
}

TN_SMALL_BEGIN
static tiny_code tn_eval_refused(tiny_ctx *t, size_t nbytes) {
  return tiny_fail(t, TINY_E_MEMORY, "eval: %llu bytes were refused by the allocator", (unsigned long long)nbytes);
}

// Runs decoded instructions with one block of memory. last, out: an expression's result, or NULL.
static tiny_code tn_eval_start(tn_eval_run *r, const tn_eval_arg *last, int64_t *out) {
  const tn_eval_code *c = r->c;
  tiny_ctx *t = r->t;
  const double cells = (double)(c->nslots + c->reg_nelem) * (double)r->items + (double)c->local_nelem * 5;
  if (cells > 1e12) return tiny_fail(t, TINY_E_MEMORY, "eval: the program needs too much memory");
  const size_t nvalue = (size_t)(c->nslots * r->items), nreg = (size_t)(c->reg_nelem * r->items);
  const size_t nlocal = (size_t)c->local_nelem, nlater = c->later ? nlocal : 0;
  const size_t nbytes = (nvalue + nreg + nlocal) * sizeof(int64_t) + nlocal * sizeof(tn_eval_shadow)
    + nlater * (sizeof(tn_eval_later) + 1) + (size_t)(c->depth_if + 1) * (size_t)r->items;
  char *block = (char *)t->alloc.fn(t->alloc.user, NULL, 0, nbytes);
  if (!block) return tn_eval_refused(t, nbytes);
  memset(block, 0, nbytes);
  r->value = (int64_t *)(void *)block;
  r->reg = r->value + nvalue;
  r->shared = r->reg + nreg;
  r->shadow = (tn_eval_shadow *)(void *)(r->shared + nlocal);
  if (nlater) r->later = (tn_eval_later *)(void *)(r->shadow + nlocal);
  r->mask = (uint8_t *)(r->shadow + nlocal) + nlater * sizeof(tn_eval_later);
  if (nlater) { r->is_later = r->mask; r->mask += nlater; }
  const tiny_code code = r->groups_by ? r->groups_by(r) : tn_eval_groups(r);
  if (code == TINY_OK && out) memcpy(out, tn_eval_slot(r, last->slot), (size_t)last->lanes * sizeof *out);
  t->alloc.fn(t->alloc.user, block, nbytes, 0);
  return code;
}

// Checks a launch against the program.
static tiny_code tn_eval_bind(tn_eval_run *r, tiny_ctx *t, const tn_eval_code *c, const tiny_launch *l) {
  memset(r, 0, sizeof *r);
  r->t = t; r->c = c; r->l = l;
  r->items = 1;
  for (int d = 0; d < 3; d++) {
    r->groups[d] = l->global[d] > 0 ? l->global[d] : 1;
    r->local[d] = l->local[d] > 0 ? l->local[d] : 1;
    if (l->tasks > 0) { r->groups[d] = d ? 1 : l->tasks; r->local[d] = 1; }
    if (r->local[d] > 4096 || (r->items *= r->local[d]) > 1 << 20)
      return tiny_fail(t, TINY_E_ARG, "eval: too many work items in a group");
  }
  for (int m = 0; m < c->nmem; m++) {
    if (c->mem[m].space != TN_SPACE_GLOBAL) continue;
    if (c->mem[m].id >= l->nmem)
      return tiny_fail(t, TINY_E_INTERNAL, "eval: PARAM %d of a launch with %d buffers", c->mem[m].id,
        l->nmem);
    if (!l->mem[c->mem[m].id].base && c->mem[m].nelem)
      return tiny_fail(t, TINY_E_INTERNAL, "eval: PARAM %d has no memory", c->mem[m].id);
  }
  return TINY_OK;
}
static tiny_code tn_eval_launch(tiny_ctx *t, const tn_eval_code *c, const tiny_launch *l) {
  tn_eval_run r;
  const tiny_code code = tn_eval_bind(&r, t, c, l);
  return code == TINY_OK ? tn_eval_start(&r, NULL, NULL) : code;
}

typedef struct tn_eval_call { tiny_uop *u; const int64_t *vars; int nvars; int64_t *out; } tn_eval_call;

static tiny_code tn_eval_expr_guarded(tiny_ctx *t, void *arg) {
  const tn_eval_call *call = (const tn_eval_call *)arg;
  const int64_t none = 0;
  tn_eval_code c;
  tn_eval_arg last;
  tn_eval_run r;
  tn_list order = {NULL, 0, 0};
  tn_toposort(t, call->u, &order);
  const tiny_code code = tn_eval_decode(t, order.u, order.n, 1, &c, &last);
  if (code != TINY_OK) return code;
  if (last.slot < 0) return tiny_fail(t, TINY_E_ARG, "eval: %s has no value", tiny_op_name(call->u->op));
  memset(&r, 0, sizeof r);
  r.t = t; r.c = &c; r.vars = call->nvars ? call->vars : &none; r.nvars = call->nvars; r.items = 1;
  for (int d = 0; d < 3; d++) r.groups[d] = r.local[d] = 1;
  return tn_eval_start(&r, &last, call->out);
}
// The value of u, one number for each lane. vars[i]: of every RANGE and ARG with id i (and SPECIAL with k i).
static tiny_code tn_eval_expr(tiny_ctx *t, tiny_uop *u, const int64_t *vars, int nvars, int64_t *out) {
  tn_eval_call call = {u, vars, nvars, out};
  return tn_guard(t, tn_eval_expr_guarded, &call);
}
#ifndef TINY_RUNTIME_ONLY
TINY_API tiny_code tiny_uop_eval(tiny_ctx *t, tiny_uop *u, const int64_t *vars, int nvars, int64_t *out) {
  if (!t || !u || !out || nvars < 0 || (nvars && !vars))
    return tiny_fail(t, TINY_E_ARG, "uop_eval: u, vars or out is missing");
  if (u->lanes != 1) return tiny_fail(t, TINY_E_ARG, "uop_eval: a vector of %d lanes", u->lanes);
  return tn_eval_expr(t, u, vars, nvars, out);
}
#endif
TN_SMALL_END
#endif
