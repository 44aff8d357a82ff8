// ptx_memory: what PTX reads and writes: addresses, loads, stores and copies; and what is to be known before.
//
// In:  a list, and of values what ptx_values.c holds. Out: lines of text.
// Holds:
//  - An address is what lies outside of loops, then what a loop goes on with by an addition at its end, then a
//    constant, which costs nothing. Lines for it stand in the outermost loop in which their sources are.
//  - Memory that a kernel reads alone is read past coherence (.nc): PARAMs of a kernel do not overlap where one is
//    written. One memory is one PARAM, also where several states of it are read (schedule/plan.c: rows by tn_place);
//    outputs are fresh, temporaries that live in one step lie apart (schedule/order.c), a captured program's input
//    that it writes is copied (runtime/replay.c); and what callers bring overlaps nothing that is written
//    (tiny_blob_of). The tests' machine for PTX looks at each byte.
//  - What may not be there is read and written under a predicate, without a branch.
// What is what: NVIDIA, Parallel Thread Execution ISA.
#ifndef TN_RENDER_PTX_MEMORY
#define TN_RENDER_PTX_MEMORY
#ifndef TINY_AMALGAMATED
#include "ptx_pairs.c"
#endif

enum { TN_PTX_TERMS = 8, TN_PTX_OFFSET = 1 << 23 };           // bytes that an instruction adds
enum { TN_PTX_TAKEN = 2 };                 // of a LOAD of REG memory: it stays until it is stored again, in its block
enum { TN_PTX_LINE = 64 };                 // LOCAL memory that a launch brings is given out in so many bytes

typedef struct tn_ptx_term { const tiny_uop *u; int64_t k; } tn_ptx_term;
// The element of an INDEX: offset and k times u, each.
typedef struct tn_ptx_sum { int64_t offset; int n; tn_ptx_term term[TN_PTX_TERMS]; } tn_ptx_sum;
// An address that is there: `from` and k times u; u NULL: and k. level, serial: of the loop it was written to.
typedef struct tn_ptx_step {
  tn_ptx_operand from, to; const tiny_uop *u; int64_t k; int level, serial;
} tn_ptx_step;

// ** before a line is written: where nodes stand, what addresses are made of, what is wanted **

// Does a loop go on with it by an addition?
static int tn_ptx_advances(const tiny_uop *u) { return u->op == TINY_OP_RANGE; }

// Terms from `first` on that lie in one place are one: u, if they hold all of it.
static void tn_ptx_gather(const tn_ptx *x, const tiny_uop *u, int64_t k, int64_t offset, int first, tn_ptx_sum *s) {
  if (s->offset != offset || s->n - first < 2) return;
  for (int i = first; i < s->n; i++)
    if (tn_ptx_advances(s->term[i].u) || x->inside[s->term[i].u->seq] != x->inside[u->seq]) return;
  s->n = first + 1;
  s->term[first].u = u; s->term[first].k = k;
}
static void tn_ptx_flatten(const tn_ptx *x, const tiny_uop *u, int64_t k, int depth, tn_ptx_sum *s) {
  const int64_t offset = s->offset;
  const int first = s->n, op = u->op, number = u->nsrc == 2 && u->src[1]->op == TINY_OP_CONST;
  const int widens = op == TINY_OP_CAST && (u->dtype == TINY_I64 || u->dtype == TINY_I32) &&
      (u->src[0]->dtype == TINY_I32 || (u->src[0]->dtype == TINY_I64 && tn_ptx_holds(TINY_I32, u->src[0])));
  if (op == TINY_OP_CONST) { s->offset = tn_wrapped_sum(s->offset, tn_wrapped_product(k, u->k)); return; }
  if (s->n > TN_PTX_TERMS) return;
  const int deep = depth == 2 * TN_PTX_TERMS;
  if (!deep && widens) tn_ptx_flatten(x, u->src[0], k, depth + 1, s);
  else if (!deep && (op == TINY_OP_ADD || op == TINY_OP_SUB) && tn_is_sum_exact(u)) {
    tn_ptx_flatten(x, u->src[0], k, depth + 1, s);
    tn_ptx_flatten(x, u->src[1], op == TINY_OP_ADD ? k : tn_wrapped_product(k, -1), depth + 1, s);
  } else if (!deep && (op == TINY_OP_MUL || op == TINY_OP_SHL) && number && tn_is_sum_exact(u))
    tn_ptx_flatten(x, u->src[0], tn_wrapped_product(k, tn_factor_of(u)), depth + 1, s);
  else if (first < TN_PTX_TERMS) { s->term[s->n].u = u; s->term[s->n++].k = k; }
  else s->n = TN_PTX_TERMS + 1;
  if (s->n <= TN_PTX_TERMS) tn_ptx_gather(x, u, k, offset, first, s);
  else if (first < TN_PTX_TERMS) {         // more than are known: u as it is
    s->n = first + 1; s->offset = offset;
    s->term[first].u = u; s->term[first].k = k;
  }
}
// Outermost first; a loop's own number before what else is computed in it.
static void tn_ptx_sum_of(const tn_ptx *x, const tiny_uop *u, tn_ptx_sum *s) {
  s->n = 0; s->offset = 0;
  tn_ptx_flatten(x, u, 1, 0, s);
  for (int i = 1; i < s->n; i++)
    for (int j = i; j > 0; j--) {
      const tn_ptx_term a = s->term[j - 1], b = s->term[j];
      const int from = 2 * x->inside[a.u->seq] + !tn_ptx_advances(a.u),
                to = 2 * x->inside[b.u->seq] + !tn_ptx_advances(b.u);
      if (from <= to) break;
      s->term[j - 1] = b; s->term[j] = a;
    }
}
static tn_ptx_sum *tn_ptx_sum_at(const tn_ptx *x, const tiny_uop *index) { return &x->sum[x->elements[index->seq]]; }

// A vector of n bytes there is read or written by so many at once: as its place is aligned, 16 at most.
static int tn_ptx_chunk(const tn_ptx *x, const tiny_uop *index, int nbytes) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  const int size = (int)tiny_dtype_nbytes((tiny_dtype)m->dtype), each = size * (m->op == TINY_OP_DEFINE ? m->lanes : 1);
  int n = 16;
  while (n > size && (nbytes % n || (((int64_t)each << x->zeros[index->src[1]->seq]) % n && each % n))) n /= 2;
  return n < size ? size : n;
}
static int tn_ptx_nbytes(const tiny_uop *u) { return u->lanes * (int)tiny_dtype_nbytes((tiny_dtype)u->dtype); }
// Does a STORE to LOCAL memory copy, without a register between?
static int tn_ptx_copies(const tn_ptx *x, const tiny_uop *store) {
  if (x->sm < 80 || !tn_copies_later(store)) return 0;
  const tiny_uop *load = tn_copied(store);
  const int n = tn_ptx_nbytes(load);
  return tn_ptx_chunk(x, store->src[0], n) >= n && tn_ptx_chunk(x, load->src[0], n) >= n;
}

// What a STORE stores, in whichever register its bits are.
static const tiny_uop *tn_ptx_value_of(const tiny_uop *store) {
  const tiny_uop *value = store->src[1], *bits = value->op == TINY_OP_BITCAST ? value->src[0] : value;
  const int same = value->lanes == 1 && bits->lanes == 1 && bits->dtype != TINY_BOOL &&
      tn_ptx_bits(bits->dtype) == tn_ptx_bits(value->dtype);
  return same && store->k != TN_ADDS && !tn_is_reg(store->src[0]->src[0]) ? bits : value;
}
static void tn_ptx_need(tn_ptx *x, const tiny_uop *u) { x->needed[u->seq] = 1; }
// One that wants u does so under a condition; NULL: always.
static void tn_ptx_want_under(tn_ptx *x, const tiny_uop *u, const tiny_uop *condition) {
  const tiny_uop *before = x->under[u->seq];
  const int known = condition && condition->lanes == 1 && condition->seq < u->seq && u->lanes == 1;
  x->under[u->seq] = known && (!before || before == condition) ? condition : u;
}
// The condition under which u wants its source j.
static const tiny_uop *tn_ptx_condition(const tn_ptx *x, const tiny_uop *u, uint32_t j) {
  if (u->op == TINY_OP_STORE) return j == 1 && u->src[0]->nsrc == 3 ? u->src[0]->src[2] : NULL;
  const int computes = u->op == TINY_OP_CAST || u->op == TINY_OP_BITCAST ||
      tn_ptx_form(u->op, tn_ptx_is_float(u->dtype)) != NULL;
  return computes && x->under[u->seq] != u ? x->under[u->seq] : NULL;
}
// For addresses and conditions: whenever.
static void tn_ptx_need_index(tn_ptx *x, const tiny_uop *index) {
  const tn_ptx_sum *s = tn_ptx_sum_at(x, index);
  for (int i = 0; i < s->n; i++) {
    tn_ptx_need(x, s->term[i].u);
    tn_ptx_want_under(x, s->term[i].u, NULL);
    x->last[s->term[i].u->seq] = x->k->n;
  }
  tn_ptx_need(x, index->src[0]);
  if (index->nsrc < 3) return;
  tn_ptx_need(x, index->src[2]);
  tn_ptx_want_under(x, index->src[2], NULL);
  x->last[index->src[2]->seq] = x->k->n;
}
// Whether u wants words of its source j, or elements.
static uint8_t tn_ptx_wanted(const tn_ptx *x, const tiny_uop *u, uint32_t j) {
  const tiny_uop *s = u->src[j];
  const uint8_t elements = TN_PTX_ELEMENTS, words = TN_PTX_WORDS, as_u = x->wants[u->seq];
  switch (u->op) {
    case TINY_OP_AFTER: return as_u;
    case TINY_OP_BITCAST: return tn_ptx_packs(u) ? as_u : u->lanes == s->lanes ? elements : words;
    case TINY_OP_LOAD: return tn_ptx_chunk(x, u->src[0], tn_ptx_nbytes(u)) >= 4 ? words : elements;
    case TINY_OP_CAST: return s->dtype == TINY_BF16 || tn_ptx_is_fp8(s->dtype) ? words : elements;
    case TINY_OP_PICK:
      return u->lanes > 1 && u->k * tn_ptx_bits(s->dtype) % 32 == 0 && tn_ptx_packs(u) ? as_u : elements;
    case TINY_OP_STORE:
      return tn_is_reg(u->src[0]->src[0]) || tn_ptx_chunk(x, u->src[0], tn_ptx_nbytes(s)) < 4 ? elements : words;
    default: return tn_ptx_is_narrow(u) && tn_ptx_packs(u) ? words : elements;
  }
}

// Is u what its source is, in no register of its own?
static int tn_ptx_is_alias(const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_AFTER: case TINY_OP_PICK: case TINY_OP_STACK: case TINY_OP_BROADCAST: case TINY_OP_CAST:
    case TINY_OP_BITCAST: case TINY_OP_WHERE: case TINY_OP_TRUNC: return 1;
    default: return 0;
  }
}
// The last place where u's registers are read; x->k->n: they are wanted in another loop, or for an address.
static void tn_ptx_read_by(tn_ptx *x, const tiny_uop *u, const tiny_uop *by) {
  int last = (int)by->seq;
  if (x->block[by->seq] != x->block[u->seq]) last = x->k->n;
  else if (tn_ptx_is_alias(by) && x->last[by->seq] > last) last = x->last[by->seq];
  if (last > x->last[u->seq]) x->last[u->seq] = last;
}

static void tn_ptx_place(tn_ptx *x) {
  const tiny_uop *open[TN_PTX_DEPTH] = {NULL};
  int depth = 0, sums = 0;
  for (int i = 0; i < x->k->n && depth < TN_PTX_DEPTH - 1; i++) {
    tiny_uop *u = x->k->list[i];
    u->seq = (uint32_t)i;
    x->elements[i] = x->words[i] = -1;
    x->zeros[i] = (uint8_t)tn_low_zeros(u, x->zeros);
    if (u->op == TINY_OP_INDEX) x->elements[i] = sums++;
    if (u->op == TINY_OP_RANGE) open[++depth] = u;
    if (u->op == TINY_OP_END || u->op == TINY_OP_ENDIF) depth--;
    x->inside[i] = (uint8_t)depth;
    x->block[i] = open[depth];
    if (u->op == TINY_OP_IF) open[++depth] = u;
  }
  if (depth) x->failed = tiny_fail(x->t, TINY_E_INTERNAL, "render: loops nest too deep for PTX") != TINY_OK;
}
static void tn_ptx_survey(tn_ptx *x) {
  for (int i = x->k->n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    const int op = u->op, copies = op == TINY_OP_STORE && tn_ptx_copies(x, u);
    if (x->idle[i]) continue;
    if (op == TINY_OP_STORE || op == TINY_OP_PREFETCH || op == TINY_OP_RANGE || op == TINY_OP_IF ||
        op == TINY_OP_BULK || op == TINY_OP_BULKSTORE)
      tn_ptx_need(x, u);
    if (op == TINY_OP_BARRIER && u->k & TN_BOXES) {
      tn_ptx_need(x, u->src[0]);
      tn_ptx_read_by(x, u->src[0], u);
    }
    if (op == TINY_OP_STORE && tn_memory_behind(u->src[0]->src[0])->op == TINY_OP_PARAM)
      x->constant[tn_memory_behind(u->src[0]->src[0])->seq] = 0;
    if (op == TINY_OP_BULKSTORE) x->constant[tn_memory_behind(u->src[1])->seq] = 0;
    if (!x->needed[i] || op == TINY_OP_INDEX || op == TINY_OP_GROUP) continue;
    const tiny_uop *most = NULL, *below = tn_ptx_is_below(u, &most);
    if (below) { tn_ptx_read_by(x, below, u); tn_ptx_read_by(x, most, u); }
    for (uint32_t j = 0; j < u->nsrc; j++) {
      const tiny_uop *s = op == TINY_OP_STORE && j == 1 ? tn_ptx_value_of(u) : u->src[j];
      if (copies && j) { tn_ptx_need_index(x, tn_copied(u)->src[0]); continue; }
      if (s->op == TINY_OP_INDEX) { tn_ptx_need_index(x, s); continue; }
      tn_ptx_need(x, s);
      tn_ptx_want_under(x, s, tn_ptx_condition(x, u, j));
      if (s->lanes > 1) x->wants[s->seq] |= tn_ptx_wanted(x, u, j);
      tn_ptx_read_by(x, s, u);
    }
  }
}
// Memory in registers is memory where its elements are not known; a value in it is read where it lies if nothing is
// stored before it is read for the last time.
static void tn_ptx_survey_registers(tn_ptx *x) {
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_INDEX && tn_is_reg(u->src[0]) && u->src[1]->op != TINY_OP_CONST)
      x->constant[tn_memory_behind(u->src[0])->seq] = 0;
  }
  for (int i = x->k->n - 1; i >= 0; i--) {
    const tiny_uop *u = x->k->list[i];
    if ((u->op != TINY_OP_STORE && u->op != TINY_OP_LOAD) || !tn_is_reg(u->src[0]->src[0])) continue;
    int *stored = &x->words[tn_memory_behind(u->src[0]->src[0])->seq];         // the next place; -1: none
    if (u->op == TINY_OP_STORE) *stored = i;
    else if (x->last[i] >= (*stored < 0 ? x->k->n : *stored)) x->constant[i] = 0;
    else if (*stored >= 0 && x->block[*stored] == x->block[i]) x->constant[i] = TN_PTX_TAKEN;
  }
}

// ** addresses **

static tn_ptx_step *tn_ptx_step_at(tn_ptx *x, tn_ptx_operand from, const tiny_uop *u, int64_t k) {
  const uint64_t key = ((uint64_t)from.n << 8 ^ (uint64_t)from.kind) * 0x9E3779B97F4A7C15u ^
      (uint64_t)k * 0xC2B2AE3D27D4EB4Fu ^ (u ? (uint64_t)u->seq + 1 : 0) * 0x165667B19E3779F9u;
  for (uint32_t i = (uint32_t)(key >> 32 ^ key);; i++) {
    tn_ptx_step *s = &x->step[i & (uint32_t)(x->nstep - 1)];
    if (!s->from.kind) { s->from = from; s->u = u; s->k = k; s->serial = -1; }
    if (s->from.kind == from.kind && s->from.n == from.n && s->u == u && s->k == k) return s;
  }
}
static int tn_ptx_is_there(const tn_ptx *x, const tn_ptx_step *s) {
  return s->serial >= 0 && s->level <= x->depth && x->level[s->level].serial == s->serial;
}

// from and k times u, where lines go now.
static tn_ptx_operand tn_ptx_plus(tn_ptx *x, tn_ptx_operand from, const tiny_uop *u, tn_ptx_operand o, int64_t k) {
  const int wide = from.kind == 'd', fits = k >= INT32_MIN && k <= INT32_MAX, is_signed = tn_ptx_is_signed(u->dtype);
  if (tn_ptx_is_number(o))
    return o.n && k ? tn_ptx_do2(x, from.kind, wide ? "add.s64" : "add.s32", from, tn_ptx_k(o.n * k)) : from;
  if (!wide) {
    if (o.kind == 'd') o = tn_ptx_do1(x, 'r', "cvt.u32.u64", o);
    return k == 1 ? tn_ptx_do2(x, 'r', "add.s32", from, o) : tn_ptx_do(x, 'r', "mad.lo.s32", o, tn_ptx_k(k), from);
  }
  if (o.kind == 'r' && fits && (is_signed || k >= 0))
    return tn_ptx_do2(x, 'd', "add.s64", from,     // not mad: ptxas makes one of these for each `from`, of mads two
                      tn_ptx_do2(x, 'd', is_signed ? "mul.wide.s32" : "mul.wide.u32", o, tn_ptx_k(k)));
  if (o.kind == 'r') o = tn_ptx_do1(x, 'd', is_signed ? "cvt.s64.s32" : "cvt.u64.u32", o);
  return tn_ptx_do(x, 'd', "mad.lo.s64", o, tn_ptx_k(k), from);
}
// The address that begins outside of the loop and goes on by k.
static tn_ptx_operand tn_ptx_going(tn_ptx *x, tn_ptx_operand from, const tiny_uop *range, int64_t k) {
  const int wide = from.kind == 'd', level = x->inside[range->seq];
  x->at = level - 1;
  if (range->nsrc > 1) from = tn_ptx_plus(x, from, range->src[1], tn_ptx_element(x, range->src[1], 0), k);
  const tn_ptx_operand to = tn_ptx_do1(x, from.kind, wide ? "mov.b64" : "mov.b32", from);
  tiny_bytes *tail = &x->level[level].tail;
  tn_ptx_text(tail, wide ? "\tadd.s64 " : "\tadd.s32 ");
  tn_ptx_operand_text(tail, to);
  tn_ptx_text(tail, ", ");
  tn_ptx_operand_text(tail, to);
  tn_ptx_text(tail, ", %lld;\n", (long long)k);
  return to;
}
static tn_ptx_operand tn_ptx_step_on(tn_ptx *x, tn_ptx_operand from, int *level, const tiny_uop *u, int64_t k) {
  tn_ptx_step *s = tn_ptx_step_at(x, from, u, k);
  const int at = x->at;
  if (!tn_ptx_is_there(x, s)) {
    s->level = u && x->inside[u->seq] > *level ? x->inside[u->seq] : *level;
    s->serial = x->level[s->level].serial;
    x->at = s->level;
    s->to = !u ? tn_ptx_do2(x, from.kind, from.kind == 'd' ? "add.s64" : "add.s32", from, tn_ptx_k(k)) :
        tn_ptx_advances(u) && *level < s->level ? tn_ptx_going(x, from, u, k) :
                                                  tn_ptx_plus(x, from, u, tn_ptx_element(x, u, 0), k);
    x->at = at;
  }
  *level = s->level;
  return s->to;
}

// PARAM: its register. DEFINE: a symbol, an offset, and a register once one was wanted.
static const char *tn_ptx_space(const tiny_uop *memory) {
  return memory->op == TINY_OP_PARAM ? "global" : memory->v[0] == TN_SPACE_LOCAL ? "shared" : "local";
}
static tn_ptx_operand tn_ptx_base(tn_ptx *x, const tiny_uop *memory) {
  const int first = x->elements[memory->seq], at = x->at;
  if (memory->op == TINY_OP_PARAM || first < 0) return tn_ptx_element(x, memory, 0);
  if (!x->pool.of[first + 2].kind) {
    x->at = 0;
    tn_ptx_put(x, first + 2, tn_ptx_do1(x, 'r', "mov.u32", x->pool.of[first]));
    x->at = at;
  }
  return x->pool.of[first + 2];
}
typedef struct tn_ptx_address { tn_ptx_operand base; int64_t offset; } tn_ptx_address;
static tn_ptx_address tn_ptx_address_of(tn_ptx *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  const tn_ptx_sum *s = tn_ptx_sum_at(x, index);
  const int param = m->op == TINY_OP_PARAM;
  const int64_t size = (int64_t)tiny_dtype_nbytes((tiny_dtype)m->dtype) * (param ? 1 : m->lanes);
  tn_ptx_address a = {{0, 0}, s->offset * size};
  int level = 0;
  if (x->failed) return a;
  if (!param) a.offset += x->pool.of[x->elements[m->seq] + 1].n;
  a.base = s->n || param ? tn_ptx_base(x, m) : x->pool.of[x->elements[m->seq]];
  for (int i = 0; i < s->n; i++) a.base = tn_ptx_step_on(x, a.base, &level, s->term[i].u, s->term[i].k * size);
  if (a.offset < TN_PTX_OFFSET && a.offset >= -TN_PTX_OFFSET) return a;
  a.base = tn_ptx_step_on(x, a.base, &level, NULL, a.offset);
  a.offset = 0;
  return a;
}
static void tn_ptx_address_text(tn_ptx *x, const tn_ptx_address *a, int64_t more) {
  tiny_bytes *out = tn_ptx_body(x);
  tn_ptx_text(out, "[");
  tn_ptx_operand_text(out, a->base);
  if (a->offset + more) tn_ptx_text(out, "+%lld", (long long)(a->offset + more));
  tn_ptx_text(out, "]");
}

// ** memory **

static void tn_ptx_guard(tn_ptx *x, const tiny_uop *index) {
  const tn_ptx_operand o = index->nsrc == 3 ? tn_ptx_element(x, index->src[2], 0) : tn_ptx_none;
  x->guard = o.kind ? tn_ptx_held(x, o, 'p') : o;
  x->unless = 0;
}
static void tn_ptx_unguard(tn_ptx *x) { x->guard = tn_ptx_none; }

// Where element `at` of REG memory lies in the pool.
static int tn_ptx_reg_at(const tn_ptx *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  return x->elements[m->seq] + (int)index->src[1]->k * m->lanes;
}
static int tn_ptx_in_registers(const tn_ptx *x, const tiny_uop *index) {
  return tn_is_reg(index->src[0]) && x->constant[tn_memory_behind(index->src[0])->seq];
}

// How a vector is moved: by accesses of so many registers of a kind, named by a type; of them in all.
typedef struct tn_ptx_pieces { int words, each, all, nbytes; char kind; const char *type; } tn_ptx_pieces;
static tn_ptx_pieces tn_ptx_pieces_of(const tn_ptx *x, const tiny_uop *index, const tiny_uop *value) {
  const int size = (int)tiny_dtype_nbytes((tiny_dtype)value->dtype), n = tn_ptx_nbytes(value);
  const int chunk = value->lanes > 1 ? tn_ptx_chunk(x, index, n) : size, words = tn_ptx_packs(value) && chunk >= 4;
  tn_ptx_pieces p = {words, words ? chunk / 4 : chunk / size, words ? n / 4 : value->lanes, chunk,
                     tn_ptx_class(value->dtype), tn_ptx_stored(value->dtype)};
  if (words) { p.kind = 'r'; p.type = "b32"; }
  while (p.each > 4) { p.each /= 2; p.nbytes /= 2; }         // of bytes a vector has four at most
  return p;
}
static void tn_ptx_access(tn_ptx *x, const char *op, const tn_ptx_pieces *p) {
  char name[64], vector[16] = "";
  if (p->each > 1) snprintf(vector, sizeof vector, ".v%d", p->each);
  snprintf(name, sizeof name, "%s%s.%s", op, vector, p->type);
  tn_ptx_begin(x, name);
}

// Registers for what is loaded; of what may not be there with what is to be there otherwise, if that is wanted.
static int tn_ptx_load_registers(tn_ptx *x, const tiny_uop *u, const tn_ptx_pieces *p) {
  const tiny_uop *index = u->src[0];
  const int first = tn_ptx_take(x, p->all), may_not = index->nsrc == 3;
  x->partial[u->seq] = may_not && x->under[u->seq] == index->src[2] && tn_ptx_element(x, index->src[2], 0).kind == 'p';
  const int guarded = may_not && !x->partial[u->seq];
  char tn_ptx_names[16];
  for (int i = 0; i < p->all && !x->failed; i++) {
    tn_ptx_operand zero = {p->kind == 'f' ? 'F' : p->kind == 'g' ? 'G' : 'i', 0};
    if (u->nsrc == 2) zero = p->words ? tn_ptx_word(x, u->src[1], i) : tn_ptx_element(x, u->src[1], i);
    tn_ptx_put(x, first + i, guarded ? tn_ptx_do1(x, p->kind, TN_PTX_NAME("mov", tn_ptx_bare(p->kind)), zero) :
                                       tn_ptx_register(x, p->kind));
  }
  return first;
}
static void tn_ptx_load(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *m = tn_memory_behind(index->src[0]);
  const tn_ptx_pieces p = tn_ptx_pieces_of(x, index, u);
  char op[32];
  const tn_ptx_address a = tn_ptx_address_of(x, index);
  const int first = tn_ptx_load_registers(x, u, &p);
  snprintf(op, sizeof op, "ld.%s%s", tn_ptx_space(m), m->op == TINY_OP_PARAM && x->constant[m->seq] ? ".nc" : "");
  tn_ptx_guard(x, index);
  for (int i = 0; i < p.all && !x->failed; i += p.each) {
    tn_ptx_access(x, op, &p);
    tn_ptx_group(tn_ptx_body(x), &x->pool.of[first + i], p.each);
    tn_ptx_text(tn_ptx_body(x), ", ");
    tn_ptx_address_text(x, &a, (int64_t)(i / p.each) * p.nbytes);
    tn_ptx_text(tn_ptx_body(x), ";\n");
  }
  tn_ptx_unguard(x);
  if (p.words) x->words[u->seq] = first; else x->elements[u->seq] = first;
}
// Rows of four 8x8 matrices (PTX ISA, ldmatrix).
static void tn_ptx_load_rows(tn_ptx *x, const tiny_uop *u) {
  const tn_ptx_address a = tn_ptx_address_of(x, u->src[0]);
  const int first = tn_ptx_take(x, 4);
  for (int i = 0; i < 4; i++) tn_ptx_put(x, first + i, tn_ptx_register(x, 'r'));
  if (x->failed) return;
  tn_ptx_wants_version(x, 65);
  tn_ptx_begin(x, u->k == TN_TURNED ? "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16" :
                                      "ldmatrix.sync.aligned.m8n8.x4.shared.b16");
  tn_ptx_group(tn_ptx_body(x), &x->pool.of[first], 4);
  tn_ptx_text(tn_ptx_body(x), ", ");
  tn_ptx_address_text(x, &a, 0);
  tn_ptx_text(tn_ptx_body(x), ";\n");
  if (tn_ptx_packs(u)) x->words[u->seq] = first; else x->elements[u->seq] = first;
}
static void tn_ptx_load_register(tn_ptx *x, const tiny_uop *u) {
  const int from = tn_ptx_reg_at(x, u->src[0]);
  const char kind = tn_ptx_class(u->dtype);
  char tn_ptx_names[16];
  if (x->constant[u->seq]) { x->elements[u->seq] = from; return; }
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->failed; i++)
    tn_ptx_put(x, first + i, tn_ptx_do1(x, kind, TN_PTX_NAME("mov", tn_ptx_bare(kind)), x->pool.of[from + i]));
}

static void tn_ptx_store_register(tn_ptx *x, const tiny_uop *u) {
  const int to = tn_ptx_reg_at(x, u->src[0]);
  const char kind = tn_ptx_class(u->src[1]->dtype);
  char tn_ptx_names[16];
  for (int i = 0; i < u->src[1]->lanes && !x->failed; i++) {
    const tn_ptx_operand o[2] = {x->pool.of[to + i], tn_ptx_element(x, u->src[1], i)};
    if (o[0].kind == o[1].kind && o[0].n == o[1].n) continue;                  // it was added to in place
    tn_ptx_line(x, TN_PTX_NAME("mov", tn_ptx_bare(kind)), o, 2);
  }
}
static const char *tn_ptx_adds(int dtype) { return dtype == TINY_I64 ? "u64" : tn_ptx_type(dtype); }
static void tn_ptx_store(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *value = tn_ptx_value_of(u), *m = tn_memory_behind(index->src[0]);
  tn_ptx_pieces p = tn_ptx_pieces_of(x, index, value);
  tn_ptx_operand o[TN_PTX_VECTOR];
  char op[32];
  const tn_ptx_address a = tn_ptx_address_of(x, index);
  for (int i = 0; i < p.all && i < TN_PTX_VECTOR; i++)
    o[i] = p.words ? tn_ptx_word(x, value, i) : tn_ptx_held(x, tn_ptx_element(x, value, i), p.kind);
  if (u->k == TN_ADDS) { snprintf(op, sizeof op, "red.%s.add", tn_ptx_space(m)); p.type = tn_ptx_adds(value->dtype); }
  else snprintf(op, sizeof op, "st.%s%s", tn_ptx_space(m), x->k->hints[u->seq] & TINY_HINT_STREAM ? ".cs" : "");
  tn_ptx_guard(x, index);
  for (int i = 0; i < p.all && !x->failed; i += p.each) {
    tn_ptx_access(x, op, &p);
    tn_ptx_address_text(x, &a, (int64_t)(i / p.each) * p.nbytes);
    tn_ptx_text(tn_ptx_body(x), ", ");
    tn_ptx_group(tn_ptx_body(x), o + i, p.each);
    tn_ptx_text(tn_ptx_body(x), ";\n");
  }
  tn_ptx_unguard(x);
}
// PTX ISA, cp.async: 16 bytes past L1, others through it; of `read` bytes, and zeros.
static void tn_ptx_put_off(tn_ptx *x, size_t from) {          // what was written from there on waits for products
  tiny_bytes *out = tn_ptx_body(x);
  if (!x->overlaps || out->n <= from) return;
  tiny_bytes_add(&x->copies, out->data + from, out->n - from);
  out->n = from;
}
static void tn_ptx_copy(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *load = tn_copied(u), *from = load->src[0];
  const int n = tn_ptx_nbytes(load);
  const tn_ptx_address to = tn_ptx_address_of(x, u->src[0]), at = tn_ptx_address_of(x, from);
  tn_ptx_operand read = tn_ptx_none;
  if (from->nsrc == 3)
    read = tn_ptx_choice(x, TINY_I32, tn_ptx_element(x, from->src[2], 0), tn_ptx_k(n), tn_ptx_k(0));
  tn_ptx_guard(x, u->src[0]);
  const size_t from_here = tn_ptx_body(x)->n;
  tn_ptx_begin(x, n == 16 ? "cp.async.cg.shared.global" : "cp.async.ca.shared.global");
  tn_ptx_address_text(x, &to, 0);
  tn_ptx_text(tn_ptx_body(x), ", ");
  tn_ptx_address_text(x, &at, 0);
  tn_ptx_text(tn_ptx_body(x), ", %d", n);
  if (read.kind) { tn_ptx_text(tn_ptx_body(x), ", "); tn_ptx_operand_text(tn_ptx_body(x), read); }
  tn_ptx_text(tn_ptx_body(x), ";\n");
  tn_ptx_put_off(x, from_here);
  tn_ptx_unguard(x);
}
static void tn_ptx_prefetch(tn_ptx *x, const tiny_uop *u) {
  if (tn_memory_behind(u->src[0]->src[0])->op != TINY_OP_PARAM) return;
  const tn_ptx_address a = tn_ptx_address_of(x, u->src[0]);
  tn_ptx_begin(x, "prefetch.global.L2");
  tn_ptx_address_text(x, &a, 0);
  tn_ptx_text(tn_ptx_body(x), ";\n");
}

static tn_ptx_operand tn_ptx_read_special(tn_ptx *x, const char *name) {
  const tn_ptx_operand o = tn_ptx_register(x, 'r');
  tn_ptx_begin(x, "mov.u32");
  tn_ptx_operand_text(tn_ptx_body(x), o);
  tn_ptx_text(tn_ptx_body(x), ", %%%s;\n", name);
  return o;
}
// Is it where BULKs copy to, or BULKSTOREs from?
static int tn_ptx_holds_boxes(const tn_ptx *x, const tiny_uop *memory) {
  for (int i = 0; i < x->nbulk; i++) if (tn_memory_behind(x->bulk[i]->src[0]->src[0]) == memory) return 1;
  for (int i = 0; i < x->k->n && x->box_stores; i++)
    if (x->k->list[i]->op == TINY_OP_BULKSTORE && tn_memory_behind(x->k->list[i]->src[0]->src[0]) == memory) return 1;
  return 0;
}
static void tn_ptx_define(tn_ptx *x, const tiny_uop *u) {
  const int reg = u->v[0] == TN_SPACE_REG, held = reg && x->constant[u->seq], given = !reg && x->k->local_nbytes;
  const int n = held ? (int)u->v[1] * u->lanes : 3, first = tn_ptx_take(x, n), boxes = tn_ptx_holds_boxes(x, u);
  int64_t *at = boxes ? &x->box_at : &x->local_at;
  const int64_t nbytes = u->v[1] * tn_ptx_nbytes(u);
  const tn_ptx_operand symbol = {given ? 'S' : 's', x->memories};
  x->elements[u->seq] = first;
  x->words[u->seq] = -1;
  for (int i = 0; held && i < n; i++) tn_ptx_put(x, first + i, tn_ptx_register(x, tn_ptx_class(u->dtype)));
  if (held) return;
  tn_ptx_put(x, first, symbol);
  tn_ptx_put(x, first + 1, tn_ptx_k(given ? *at : 0));
  tn_ptx_put(x, first + 2, tn_ptx_none);
  if (given) *at += (nbytes + TN_PTX_LINE - 1) / TN_PTX_LINE * TN_PTX_LINE;
  else
    tn_ptx_text(&x->declares, "\t.%s .align %d .b8 m%d[%lld];\n", reg ? "local" : "shared",
                boxes ? (int)TN_BOX_ALIGN : 16, x->memories++, (long long)nbytes);
}
#endif
