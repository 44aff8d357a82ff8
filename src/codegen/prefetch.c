// prefetch: loads that first ask for what a later iteration will read.
//
// In:    a load of a kernel, a loop around it, iterations ahead. Out: the load after a PREFETCH.
// Holds: what is asked for may lie beyond the memory; numbers that name rows are read within theirs.
#ifndef TN_CODEGEN_PREFETCH
#define TN_CODEGEN_PREFETCH
#ifndef TINY_AMALGAMATED
#include "transform.c"
#endif

// The load, which first asks for another element of its memory, at `ahead`.
static tiny_uop *tn_load_fetching(tiny_ctx *t, tiny_uop *load, tiny_uop *ahead) {
  const tiny_uop *index = load->src[0];
  tiny_uop *memory = index->src[0], *fetched = tn_prefetch(t, tn_index_of(t, memory, ahead, NULL));
  memory = tn_after(t, memory, fetched);
  return tn_load(t, tn_index_of(t, memory, index->src[1], index->nsrc == 3 ? index->src[2] : NULL), 1);
}

// What the element of a load is in a later iteration of `rows`; numbers that name rows are read within their memory.
static tiny_uop *tn_element_later(tiny_ctx *t, tiny_uop *element, tiny_uop *rows, int64_t ahead) {
  tn_list loads = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tiny_uop *later = tn_u2(t, TINY_OP_ADD, rows, tn_index(t, ahead));
  tn_collect_op(t, element, TINY_OP_LOAD, &loads);
  for (int i = 0; i < loads.n; i++) {
    tiny_uop *index = loads.u[i]->src[0], *last = tn_index(t, tn_memory_nelem(index->src[0]) - 1), *beyond;
    if (!tn_depends(t, index, rows)) continue;
    beyond = tn_u2(t, TINY_OP_MUL, tn_replace(t, index->src[1], 1, &rows, &later), tn_index(t, -1));
    beyond = tn_u2(t, TINY_OP_MAX, tn_u2(t, TINY_OP_ADD, beyond, last), tn_index(t, 0));
    tn_push(t, &from, loads.u[i]);
    tn_push(t, &to, tn_load_at(t, index->src[0],
                               tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, beyond, tn_index(t, -1)), last)));
  }
  tn_push(t, &from, rows);
  tn_push(t, &to, later);
  return tn_replace(t, element, from.n, from.u, to.u);
}

// Are all loads that name the element's place in order along `rows`, so that later ones may be read?
static int tn_is_named_in_order(tiny_ctx *t, tiny_uop *element, const tiny_uop *rows) {
  tn_list loads = {NULL, 0, 0};
  int named = 0;
  tn_collect_op(t, element, TINY_OP_LOAD, &loads);
  for (int i = 0; i < loads.n; i++) {
    const tiny_uop *index = loads.u[i]->src[0];
    if (!tn_depends(t, loads.u[i], rows)) continue;
    const int64_t stride = tn_stride_in(t, index->src[1], rows);
    if (index->nsrc != 2 || index->src[0]->op != TINY_OP_PARAM || stride == TN_IRREGULAR || stride < 0) return 0;
    named = 1;
  }
  return named;
}

static void tn_transform_prefetch(tn_kernel_state *s, tiny_uop *load, tiny_uop *rows, int64_t ahead) {
  tiny_uop *now = tn_load_fetching(s->t, load, tn_element_later(s->t, load->src[0]->src[1], rows, ahead));
  s->sink = tn_replace(s->t, s->sink, 1, &load, &now);
}
#endif
