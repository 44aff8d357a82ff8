// transpose: square blocks that are read across are loaded as rows and transposed in registers; sums of lanes, too.
//
// In:  a kernel of lanes. Out: the same, where L vectors of L lanes each, lane i of vector c being element c of a row
//      i, are made of the L rows by shuffles of two vectors; and where the reductions of R vectors, which are stored
//      beside each other, are one vector: each step reduces two vectors into one, whose lanes are of both.
// The shuffles are the network of J. O. Eklundh, A fast computer method for matrix transposing, 1972: step s
// exchanges the blocks of s x s beside the diagonal of those of 2s x 2s, for s = 1, 2, 4 .. L/2. Each is a STACK of
// single lanes of two vectors, for which the renderer has one expression.
#ifndef TN_CODEGEN_TRANSPOSE
#define TN_CODEGEN_TRANSPOSE
#ifndef TINY_AMALGAMATED
#include "expand.c"
#endif

enum { TN_BLOCK_LEAST = 4, TN_BLOCK_MOST = 16 };

// A vector of single loads: lane i is element base + at + step * i of memory; base NULL: 0.
typedef struct tn_across { tiny_uop *stack, *memory, *base; int64_t at, step; } tn_across;

static tiny_uop *tn_across_place(tiny_uop *e, int64_t *at) {
  *at = 0;
  if (tn_is_const(e)) { *at = e->k; return NULL; }
  if (e->op != TINY_OP_ADD || !tn_is_const(e->src[1])) return e;
  *at = e->src[1]->k;
  return e->src[0];
}

static int tn_across_of(tiny_uop *u, tn_across *c) {
  if (u->lanes < TN_BLOCK_LEAST || u->lanes > TN_BLOCK_MOST || (int)u->nsrc != u->lanes) return 0;
  c->stack = u;
  for (int i = 0; i < u->lanes; i++) {
    const tiny_uop *load = u->src[i], *index = load->nsrc ? load->src[0] : NULL;
    int64_t at;
    if (load->op != TINY_OP_LOAD || load->nsrc != 1 || load->lanes != 1 || index->nsrc != 2) return 0;
    tiny_uop *base = tn_across_place(index->src[1], &at);
    if (!i) { c->memory = index->src[0]; c->base = base; c->at = at; }
    if (i == 1) c->step = at - c->at;
    if (index->src[0] != c->memory || base != c->base || at != c->at + c->step * i) return 0;
  }
  return 1;
}

// The column `by` elements after c in the same rows; NULL: there is none.
static tn_across *tn_across_adjacent(tn_across *all, int n, const tn_across *c, int64_t by) {
  for (int i = 0; i < n; i++)
    if (all[i].memory == c->memory && all[i].base == c->base && all[i].step == c->step &&
        all[i].at == c->at + by && all[i].stack->lanes == c->stack->lanes)
      return &all[i];
  return NULL;
}

static tiny_uop *tn_block_row(tiny_ctx *t, const tn_across *c, int i, int lanes) {
  tiny_uop *at = tn_index(t, c->at + c->step * i);
  if (c->base) at = tn_simplify(t, tn_u2(t, TINY_OP_ADD, c->base, at));
  return tn_load(t, tn_index_of(t, c->memory, at, NULL), lanes);
}

// What rows a and b, s apart, hold after step s: the upper one, or the lower.
static tiny_uop *tn_block_step(tiny_ctx *t, tiny_uop *a, tiny_uop *b, int s, int lower) {
  tiny_uop *lane[TN_BLOCK_MOST];
  for (int l = 0; l < a->lanes; l++) lane[l] = tn_pick(t, l & s ? b : a, lower ? l | s : l & ~s, 1);
  return tn_stack(t, a->lanes, lane);
}

static void tn_block_transpose(tiny_ctx *t, tiny_uop **row, int n) {
  for (int s = 1; s < n; s *= 2)
    for (int i = 0; i < n; i++) if (!(i & s)) {
      tiny_uop *a = row[i], *b = row[i + s];
      row[i] = tn_block_step(t, a, b, s, 0);
      row[i + s] = tn_block_step(t, a, b, s, 1);
    }
}

// The columns of one square among all[0..n-1], from its first on; their number, 0: there is none.
static int tn_block_find(tn_across *all, int n, tn_across **of) {
  for (int i = 0; i < n; i++) {
    const int lanes = all[i].stack->lanes;
    int found = 0;
    if (tn_across_adjacent(all, n, &all[i], -1)) continue;
    while (found < lanes && (of[found] = tn_across_adjacent(all, n, &all[i], found))) found++;
    if (found == lanes) return lanes;
  }
  return 0;
}

// ** reductions **

// x reduced to so many lanes: lane i is that of all lanes whose number is i, modulo that many. PICK with lanes takes
// the low (k 0) or high half.
static tiny_uop *tn_reduce_halves(tiny_ctx *t, tiny_uop *x, int op, int to) {
  for (int lanes = x->lanes / 2; lanes >= to; lanes /= 2)
    x = tn_u2(t, op, tn_pick(t, x, 0, lanes), tn_pick(t, x, lanes, lanes));
  return x;
}

enum { TN_REDUCES_MOST = 16 };

// How many STOREs of a GROUP, from src[i] on, put reductions of vectors of one kind beside each other: a power of two.
static int tn_reduces_adjacent(const tiny_uop *group, int i) {
  const tiny_uop *first = group->src[i], *reduce = first->op == TINY_OP_STORE ? first->src[1] : first;
  int64_t at, next;
  int n = 1, most = 1;
  if (reduce->op != TINY_OP_HREDUCE || first->src[0]->nsrc != 2 || reduce->src[0]->lanes > TN_BLOCK_MOST) return 1;
  const tiny_uop *base = tn_across_place(first->src[0]->src[1], &at);
  for (; i + n < (int)group->nsrc && n < TN_REDUCES_MOST && n < reduce->src[0]->lanes; n++) {
    const tiny_uop *store = group->src[i + n], *other = store->op == TINY_OP_STORE ? store->src[1] : store;
    if (other->op != TINY_OP_HREDUCE || other->k != reduce->k || other->dtype != reduce->dtype ||
        other->src[0]->lanes != reduce->src[0]->lanes || store->src[0]->nsrc != 2 ||
        store->src[0]->src[0] != first->src[0]->src[0] || tn_across_place(store->src[0]->src[1], &next) != base ||
        next != at + n)
      break;
  }
  while (2 * most <= n) most *= 2;
  return most;
}

// The reductions of n vectors as lanes of one.
static tiny_uop *tn_reduces_joined(tiny_ctx *t, tiny_uop *const *reduce, int n) {
  tiny_uop *row[TN_REDUCES_MOST];
  const int op = (int)reduce[0]->k;
  for (int i = 0; i < n; i++) row[i] = reduce[i]->src[0];
  for (int s = 1; s < n; s *= 2)
    for (int i = 0; i < n; i += 2 * s)
      row[i] = tn_u2(t, op, tn_block_step(t, row[i], row[i + s], s, 0), tn_block_step(t, row[i], row[i + s], s, 1));
  return tn_reduce_halves(t, row[0], op, n);
}

// A GROUP whose neighbouring reductions are stored together; NULL: there are none.
static tiny_uop *tn_join_reduces(tiny_ctx *t, tiny_uop *u) {
  tn_list stores = {NULL, 0, 0};
  if (u->dtype != TINY_VOID) return NULL;
  for (int i = 0, n; i < (int)u->nsrc; i += n) {
    tiny_uop *reduce[TN_REDUCES_MOST];
    n = tn_reduces_adjacent(u, i);
    for (int j = 0; j < n; j++) reduce[j] = u->src[i + j]->src[1];
    tn_push(t, &stores, n == 1 ? u->src[i] :
                                 tn_store_as(t, u->src[i], u->src[i]->src[0], tn_reduces_joined(t, reduce, n)));
  }
  if (stores.n == (int)u->nsrc) return NULL;
  return stores.n == 1 ? stores.u[0] : tn_node_of(t, TINY_OP_GROUP, TINY_VOID, &stores);
}

// ** rows of a few neighbours **

enum { TN_ROWS_FEW = 4 };

// Vectors along so many columns beside each other, all[i] of the first, are made of vectors along rows.
static void tn_rows_of(tiny_ctx *t, const tn_across *first, tn_across *const *of, int few, tn_list *from, tn_list *to) {
  tiny_uop *lane[TN_ROWS_FEW][TN_BLOCK_MOST];
  const int n = first->stack->lanes;
  for (int k = 0; k < n; k++) {
    tiny_uop *row = tn_block_row(t, first, k, few);
    for (int c = 0; c < few; c++) lane[c][k] = tn_pick(t, row, c, 1);
  }
  for (int c = 0; c < few; c++) {
    tn_push(t, from, of[c]->stack);
    tn_push(t, to, tn_stack(t, n, lane[c]));
  }
}

// Of matrix units' operands: what an item has of a few columns of halves beside each other, in vectors along them, it
// loads row by row. Registers are words: each of a vector's is made of two of those. (Bytes clang joins better itself.)
static tiny_uop *tn_load_rows(tiny_ctx *t, tiny_uop *sink) {
  tn_list stacks = {NULL, 0, 0}, units = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  int n = 0;
  tn_collect_op(t, sink, TINY_OP_WMMA, &units);
  if (!units.n) return sink;
  tn_collect_op(t, sink, TINY_OP_STACK, &stacks);
  tn_across *all = (tn_across *)tn_scratch(t, ((size_t)stacks.n + 1) * sizeof *all), *of[TN_ROWS_FEW];
  for (int i = 0; i < stacks.n; i++) n += tn_across_of(stacks.u[i], &all[n]);
  for (int i = 0; i < n; i++) {
    int found = 0;
    if (tn_dtypes[all[i].stack->dtype].nbytes != 2 || tn_across_adjacent(all, n, &all[i], -1)) continue;
    while (found < TN_ROWS_FEW && (of[found] = tn_across_adjacent(all, n, &all[i], found))) found++;
    if (found > 1) tn_rows_of(t, &all[i], of, found == TN_ROWS_FEW ? found : 2, &from, &to);
  }
  return from.n ? tn_replace(t, sink, from.n, from.u, to.u) : sink;
}

// ** square blocks **

static tiny_uop *tn_transpose(tiny_ctx *t, tiny_uop *sink) {
  sink = tn_remake(t, sink, TINY_OP_GROUP, tn_join_reduces);
  for (;;) {                               // one at a time: a square may be read from what another one fills
    tn_list stacks = {NULL, 0, 0};
    tiny_uop *from[TN_BLOCK_MOST], *to[TN_BLOCK_MOST];
    tn_across *of[TN_BLOCK_MOST];
    int n = 0;
    tn_collect_op(t, sink, TINY_OP_STACK, &stacks);
    tn_across *all = (tn_across *)tn_scratch(t, ((size_t)stacks.n + 1) * sizeof *all);
    for (int i = 0; i < stacks.n; i++) n += tn_across_of(stacks.u[i], &all[n]);
    const int lanes = tn_block_find(all, n, of);
    if (!lanes) return sink;
    for (int i = 0; i < lanes; i++) {
      from[i] = of[i]->stack;
      to[i] = tn_block_row(t, of[0], i, lanes);
    }
    tn_block_transpose(t, to, lanes);
    sink = tn_replace(t, sink, lanes, from, to);
  }
}
#endif
