// canonical: kernels of one structure are one kernel, whenever and wherever in a graph they were written.
//
// In:  a kernel as it was pulled. Out: the same with ranges numbered from 1, and PARAMs in an order that the structure
//      gives; what was done once for a structure is known for all kernels that share it.
#ifndef TN_SCHEDULE_CANONICAL
#define TN_SCHEDULE_CANONICAL
#ifndef TINY_AMALGAMATED
#include "pull.c"
#endif

static int tn_range_older(const void *a, const void *b) {
  const int64_t x = (*(tiny_uop *const *)a)->k, y = (*(tiny_uop *const *)b)->k;
  return x < y ? -1 : x > y;
}

// Ranges numbered from 1 in the order they were made: kernels of one structure are one kernel.
static tiny_uop *tn_number_ranges(tiny_ctx *t, tiny_uop *sink) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_list r = {NULL, 0, 0};
  tn_map to = {NULL, 0, 0};
  tn_collect_ranges(t, sink, &r);
  if (r.n) qsort(r.u, (size_t)r.n, sizeof *r.u, tn_range_older);
  for (int i = 0; i < r.n; i++)
    tn_map_set(t, &to, r.u[i],
               tn_uop_make(t, TINY_OP_RANGE, TINY_INDEX, 1, 1, r.u[i]->src,
                           (int64_t)(i + 1) << 8 | tn_range_kind(r.u[i]), 0, NULL));
  sink = tn_simplify(t, tn_substitute(t, sink, &to));
  tn_scratch_rewind(t, mark);
  return sink;
}

// sign: of how it is indexed, then of all that is computed of it
typedef struct tn_signed_param { uint64_t sign[2]; const tiny_uop *param; } tn_signed_param;
static int tn_param_order(const void *a, const void *b) {
  const tn_signed_param *x = (const tn_signed_param *)a, *y = (const tn_signed_param *)b;
  for (int i = 0; i < 2; i++) if (x->sign[i] != y->sign[i]) return x->sign[i] < y->sign[i] ? -1 : 1;
  return x->param->k < y->param->k ? -1 : x->param->k > y->param->k;
}

// Of a node whose sources have the signs that the map tells: nothing of it names an input's slot, or the order of
// operands that have none.
static uint64_t tn_sign_below(const tn_map *below, const tiny_uop *u) {
  const int slot = u->op == TINY_OP_PARAM && u->k;
  uint64_t h = tn_hash_mix((uint64_t)u->op << 8 | u->dtype, slot ? 0 : (uint64_t)u->k), sum = 0;
  for (int i = 0; i < u->nv; i++) h = tn_hash_mix(h, (uint64_t)u->v[i]);
  for (uint32_t i = 0; i < u->nsrc; i++)
    sum += tn_hash_mix(tn_op_is(u->op, TINY_COMM) ? 0 : i, (uint64_t)(uintptr_t)tn_map_get(below, u->src[i]));
  return tn_hash_mix(h, sum) | 1;
}
// above[i]: of all that uses all.u[i], which is in topological order.
static void tn_signs_above(tiny_ctx *t, const tn_list *all, uint64_t *above) {
  tn_map below = {NULL, 0, 0}, at = {NULL, 0, 0};
  for (int i = 0; i < all->n; i++) {
    tn_map_set(t, &below, all->u[i], (void *)(uintptr_t)tn_sign_below(&below, all->u[i]));
    tn_map_set(t, &at, all->u[i], tn_boxed(i));
  }
  for (int i = all->n - 1; i >= 0; i--) {
    const tiny_uop *u = all->u[i];
    const uint64_t sign = tn_hash_mix(above[i], (uint64_t)(uintptr_t)tn_map_get(&below, u));
    for (uint32_t j = 0; j < u->nsrc; j++)
      above[tn_unboxed(tn_map_get(&at, u->src[j]))] += tn_hash_mix(sign, tn_op_is(u->op, TINY_COMM) ? 0 : j);
  }
}

// A kernel with its ranges and PARAMs numbered: slot i was from[i].
typedef struct tn_written { tiny_uop *ast; int *from; } tn_written;

// Inputs numbered by how they are indexed and used, so that the order of a graph's operands does not tell either.
static tiny_uop *tn_number_params(tiny_ctx *t, int nmem, tiny_uop *sink, int *from) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_list all = {NULL, 0, 0};
  tn_map to = {NULL, 0, 0};
  tn_toposort(t, sink, &all);
  uint64_t *indexed = (uint64_t *)tn_scratch(t, (size_t)nmem * sizeof *indexed);
  uint64_t *above = (uint64_t *)tn_scratch(t, (size_t)all.n * sizeof *above);
  tn_signed_param *param = (tn_signed_param *)tn_scratch(t, (size_t)nmem * sizeof *param);
  int n = 0;
  for (int i = 0; i < nmem; i++) from[i] = i;
  if (nmem > 2) tn_signs_above(t, &all, above);
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *u = all.u[i];
    if (u->op == TINY_OP_PARAM && u->k && n + 1 < nmem) { param[n].sign[1] = above[i]; param[n++].param = u; }
    if (u->op == TINY_OP_INDEX && u->src[0]->op == TINY_OP_PARAM)
      indexed[u->src[0]->k] += tn_hash_mix((uint64_t)u->dtype, u->src[1]->hash);
  }
  if (n + 1 == nmem) {
    for (int i = 0; i < n; i++) param[i].sign[0] = indexed[param[i].param->k];
    qsort(param, (size_t)n, sizeof *param, tn_param_order);
    for (int i = 0; i < n; i++) {
      const tiny_uop *p = param[i].param;
      from[i + 1] = (int)p->k;
      tn_map_set(t, &to, p, tn_param(t, p->dtype, i + 1, p->v[0]));
    }
    sink = tn_substitute(t, sink, &to);
  }
  tn_scratch_rewind(t, mark);
  return sink;
}

// Kernel k is `sink`. known: the same for kernels that were written before, which are those of one structure.
static void tn_kernel_number(tiny_ctx *t, tn_kernel *k, tiny_uop *sink, tn_map *known) {
  tiny_uop **mem = (tiny_uop **)tn_scratch(t, (size_t)k->nmem * sizeof *mem);
  tn_written *w = (tn_written *)tn_map_get(known, sink);
  if (!w) {
    w = (tn_written *)tn_scratch(t, sizeof *w);
    w->from = (int *)tn_scratch(t, (size_t)k->nmem * sizeof *w->from);
    w->ast = tn_number_params(t, k->nmem, tn_number_ranges(t, sink), w->from);
    tn_map_set(t, known, sink, w);
  }
  for (int i = 0; i < k->nmem; i++) mem[i] = k->mem[w->from[i]];
  k->mem = mem; k->mem_cap = k->nmem;
  k->ast = w->ast;
}
#endif
