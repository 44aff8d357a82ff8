// induction: indices that grow by the same in each iteration of an innermost loop, which is added instead of made anew.
//
// In:       the list of a kernel. Out: for each INDEX in a loop that has none inside, which induction variable it is,
//           and what is added to that: the sum of a few values from before the loop, times numbers, and a step times
//           the iterations.
// Requires: seq is the place in the list.
// Holds:    nothing that an index is made of leaves its type, so that all of it may be reckoned in 64 bits. The loop's
//           own variable is none; a loop has as many as the target asks for at most. Memory in registers has no index.
//           A target whose addresses add either a register or a number asks for one of each memory.
// Source:   Aho, Lam, Sethi and Ullman, Compilers (2007), 9.1.8: induction variables and reduction in strength.
#ifndef TN_ISA_INDUCTION
#define TN_ISA_INDUCTION
#ifndef TINY_AMALGAMATED
#include "code.c"
#include "../ir/listing.c"
#endif

enum { TN_ISA_TERMS = 4, TN_ISA_DEEP = 16 };
typedef struct tn_isa_term { const tiny_uop *of; int64_t times; } tn_isa_term;
typedef struct tn_isa_induction {
  const tiny_uop *range; tn_isa_term term[TN_ISA_TERMS]; int n;
  int64_t step, added;                     // added: to it, for the index that it was found for
  const tiny_uop *memory; int nbytes;      // all its indices are of this memory, elements of so many bytes; NULL: no
  int reg, by;                             // by: its step, where no instruction takes that as a number; -1
} tn_isa_induction;
typedef struct tn_isa_inductions {
  int most, by_memory;                     // of a loop; is there one of each memory?
  tn_isa_induction *of; int n, cap;
  int *which;                              // of INDEX nodes: 1 + which, 0: none
  int64_t *added;                          // to it, elements
} tn_isa_inductions;

static int tn_isa_stays_inside(const tiny_uop *u) {
  const int64_t most = u->dtype == TINY_I32 ? INT32_MAX : u->dtype == TINY_I64 ? INT64_MAX / 4 : 0;
  return u->lanes == 1 && u->vmin > -most && u->vmax < most;
}
// What an index is in the loop. 0: it is no sum of that kind, or does not change.
static int tn_isa_is_affine(const tiny_uop *at, const tiny_uop *range, tn_isa_induction *d) {
  tn_isa_term todo[TN_ISA_DEEP];
  int n = 1;
  memset(d, 0, sizeof *d);
  d->range = range;
  todo[0].of = at; todo[0].times = 1;
  while (n) {
    const tn_isa_term one = todo[--n];
    const tiny_uop *u = one.of, *by = u->nsrc == 2 ? u->src[1] : NULL;
    if (one.times > INT32_MAX || one.times < -INT32_MAX) return 0;
    if (u->op == TINY_OP_CONST && !tn_isa_stays_inside(u)) return 0;
    if (u->op == TINY_OP_CONST) { d->added += one.times * u->k; continue; }
    if (!tn_isa_stays_inside(u) || n + 2 > TN_ISA_DEEP) return 0;
    const int widens = u->op == TINY_OP_CAST && tn_is_int(u->src[0]->dtype) && tn_isa_stays_inside(u->src[0]);
    if (u == range) d->step += one.times;
    else if (u->seq < range->seq) {
      if (d->n == TN_ISA_TERMS) return 0;
      d->term[d->n++] = one;
    } else if (widens) {
      todo[n].of = u->src[0]; todo[n++].times = one.times;
    } else if (u->op == TINY_OP_ADD || u->op == TINY_OP_SUB) {
      todo[n].of = u->src[0]; todo[n++].times = one.times;
      todo[n].of = by; todo[n++].times = u->op == TINY_OP_ADD ? one.times : -one.times;
    } else if (u->op == TINY_OP_MUL && by->op == TINY_OP_CONST && tn_isa_stays_inside(by)) {
      todo[n].of = u->src[0]; todo[n++].times = one.times * by->k;
    } else return 0;
  }
  return d->step != 0 && d->added < INT32_MAX / 16 && d->added > -INT32_MAX / 16 && d->step < INT32_MAX &&
      d->step > -INT32_MAX;
}
static int tn_isa_same_induction(const tn_isa_induction *a, const tn_isa_induction *b) {
  int same = a->range == b->range && a->step == b->step && a->n == b->n;
  for (int i = 0; i < a->n && same; i++) same = a->term[i].of == b->term[i].of && a->term[i].times == b->term[i].times;
  return same;
}
// The indices of an innermost loop, which stands in [begin, end) of the list.
static void tn_isa_induce(tiny_ctx *t, const tiny_listing *k, int begin, int end, tn_isa_inductions *all) {
  const int first = all->n;
  for (int i = begin + 1; i < end; i++) {
    const tiny_uop *u = k->list[i];
    tn_isa_induction d;
    if (u->op != TINY_OP_INDEX || u->lanes > 1 || tn_is_reg(u->src[0])) continue;
    if (!tn_isa_is_affine(u->src[1], k->list[begin], &d) || (!d.n && d.step == 1)) continue;
    const tiny_uop *memory = tn_memory_behind(u->src[0]);
    const int nbytes = (int)tiny_dtype_nbytes((tiny_dtype)u->dtype);
    int which = first;
    while (which < all->n && !(tn_isa_same_induction(&all->of[which], &d) &&
                               (!all->by_memory || all->of[which].memory == memory))) which++;
    if (which == first + all->most || (all->by_memory && memory->seq >= d.range->seq)) continue;
    if (which == all->n) {
      d.memory = memory->seq < d.range->seq ? memory : NULL; d.nbytes = nbytes; d.by = -1;
      *TN_PUSH(t, all->of, all->n, all->cap, tn_isa_induction) = d;
    }
    if (all->of[which].memory != memory || all->of[which].nbytes != nbytes) all->of[which].memory = NULL;
    all->which[i] = which + 1;
    all->added[i] = d.added;
  }
}
static void tn_isa_find_inductions(tiny_ctx *t, const tiny_listing *k, int most, int by_memory,
                                   tn_isa_inductions *all) {
  memset(all, 0, sizeof *all);
  all->most = most; all->by_memory = by_memory;
  all->which = (int *)tn_scratch(t, ((size_t)k->n + 1) * sizeof(int));
  all->added = (int64_t *)tn_scratch(t, ((size_t)k->n + 1) * sizeof(int64_t));
  for (int i = 0, begin = -1; i < k->n; i++) {
    if (k->list[i]->op == TINY_OP_RANGE) begin = i;
    if (k->list[i]->op != TINY_OP_END) continue;
    if (begin >= 0) tn_isa_induce(t, k, begin, i, all);
    begin = -1;
  }
}
#endif
