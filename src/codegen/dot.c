// dot: sums of products of narrow numbers as sums of DOTs, of neighbours that share a word.
//
// In:  a kernel of one such sum along one range, a target that has a DOT for it. Out: the kernel with it.
#ifndef TN_CODEGEN_DOT
#define TN_CODEGEN_DOT
#ifndef TINY_AMALGAMATED
#include "transform.c"
#include "../ir/combine.c"
#endif

// The first that the target has is taken.
static const struct { uint8_t x, y, sum, dot; } tn_dots[] = {
  {TINY_BF16, TINY_BF16, TINY_F32, TINY_DOT_BF16}, {TINY_U8, TINY_I8, TINY_I32, TINY_DOT_U8_I8},
  {TINY_I8, TINY_I8, TINY_I32, TINY_DOT_I8}, {TINY_U8, TINY_U8, TINY_I32, TINY_DOT_U8},
  {TINY_I8, TINY_I8, TINY_I32, TINY_DOT_U8_I8},  // x + 128 is unsigned: what is too much is taken away
  {TINY_I16, TINY_I16, TINY_I32, TINY_DOT_I16}   // or bytes, which are widened
};
static int tn_dot_takes(int wanted, int dtype) {
  return dtype == wanted || (wanted == TINY_I16 && (dtype == TINY_I8 || dtype == TINY_U8));
}

// The n values that x has from n * left on along r, in one word.
static tiny_uop *tn_word_of(tiny_ctx *t, tiny_uop *x, tiny_uop *r, tiny_uop *left, int n) {
  tiny_uop *word = NULL;
  for (int i = 0; i < n; i++) {
    tiny_uop *at = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, left, tn_index(t, n)), tn_index(t, i)), *one;
    one = tn_cast(t, tn_bitcast(t, tn_replace(t, x, 1, &r, &at), n == 4 ? TINY_U8 : TINY_U16), TINY_U32);
    if (i) one = tn_u2(t, TINY_OP_SHL, one, tn_int(t, TINY_U32, 32 / n * i));
    word = word ? tn_u2(t, TINY_OP_OR, word, one) : one;
  }
  return word;
}

static tiny_uop *tn_dot_of(tiny_ctx *t, int dot, tiny_uop *x, tiny_uop *y, tiny_uop *sum) {
  tiny_uop *src[3] = {x, y, sum};
  return tn_uop_make(t, TINY_OP_DOT, sum->dtype, 1, 3, src, dot, 0, NULL);
}

// A sum along one range of products of narrow numbers becomes one of DOTs, where the target has them: neighbours
// along the range share a word. 1: it did.
static int tn_transform_dot(tn_kernel_state *s, const tn_profile *p, const tn_target *target) {
  tiny_ctx *t = s->t;
  tn_contraction c;
  if (!target->renderer || !tn_contraction_of_kernel(t, p, &c) || !tn_contraction_is_narrow(&c) || c.inside) return 0;
  tiny_uop *reduce = c.sum, *r = p->red[0];
  for (size_t i = 0; i < 2 * sizeof tn_dots / sizeof *tn_dots; i++) {
    tiny_uop *x = c.operand[i & 1]->src[0], *y = c.operand[!(i & 1)]->src[0];
    const int dot = tn_dots[i / 2].dot, n = tn_dot_values(dot);
    if (!tn_target_dots(target, dot) || !tn_dot_takes(tn_dots[i / 2].x, x->dtype) ||
        !tn_dot_takes(tn_dots[i / 2].y, y->dtype) || reduce->dtype != tn_dots[i / 2].sum ||
        tn_range_extent(r) % n || tn_range_extent(r) == n)
      continue;
    if (dot == TINY_DOT_I16) { x = tn_cast(t, x, TINY_I16); y = tn_cast(t, y, TINY_I16); }
    tiny_uop *words = tn_range(t, tn_range_extent(r) / n, TN_REDUCE),
             *sum = tn_const(t, reduce->dtype, tn_dtype_value(reduce->dtype, 0));
    x = tn_word_of(t, x, r, words, n);
    y = tn_word_of(t, y, r, words, n);
    if (tn_dots[i / 2].x == TINY_I8 && dot == TINY_DOT_U8_I8) {
      tiny_uop *bias = tn_int(t, TINY_U32, 0x80808080);
      sum = tn_u2(t, TINY_OP_MUL, tn_dot_of(t, dot, bias, y, sum), tn_int(t, TINY_I32, -1));
      x = tn_u2(t, TINY_OP_XOR, x, bias);
    }
    tiny_uop *now = tn_reduce_over(t, TINY_OP_ADD, tn_dot_of(t, dot, x, y, sum), 1, &words);
    s->sink = tn_replace(t, s->sink, 1, &reduce, &now);
    return 1;
  }
  return 0;
}

// The sum of DOT's products with a constant along r, whose words lie beside each other in memory: in lanes.
static tiny_uop *tn_dot_sum(tn_kernel_state *s, tiny_uop *x, const tiny_uop *dot, tiny_uop *r) {
  tiny_ctx *t = s->t;
  tn_combined w;
  const int64_t n = tn_range_extent(r), lanes = s->target->limits->vector_nbytes / 4;
  tiny_uop *over[2] = {tn_range(t, n, TN_REDUCE), NULL}, *at = over[0];
  const int packed = tn_is_const(dot->src[0]) && tn_combined_of(dot->src[1], &w);
  if (packed && lanes > 1 && n % lanes == 0 && tn_stride_in(t, w.load[0]->src[0]->src[1], r) == w.n) {
    over[0] = tn_range(t, n / lanes, TN_REDUCE);
    over[1] = tn_range(t, lanes, TN_VECTOR);
    at = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, over[0], tn_index(t, lanes)), over[1]);
  }
  return tn_reduce_over(t, TINY_OP_ADD, tn_replace(t, x, 1, &r, &at), 1 + !!over[1], over);
}
// What DOTs of a REDUCE add beside their products is summed on its own: where tiles share it, once for all of them.
static void tn_transform_fission(tn_kernel_state *s) {
  tiny_ctx *t = s->t;
  tn_list all = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_toposort(t, s->sink, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i], *dot = u->nsrc ? u->src[0] : NULL, *r, *src[2], *beside, *sum;
    if (u->op != TINY_OP_REDUCE || u->nsrc != 2 || dot->op != TINY_OP_DOT || tn_is_const(dot->src[2])) continue;
    r = u->src[1];
    beside = dot->src[2];
    const int scaled = beside->op == TINY_OP_MUL && tn_is_const(beside->src[1]);
    sum = tn_dot_sum(s, scaled ? beside->src[0] : beside, scaled ? beside->src[0] : beside, r);
    if (scaled) sum = tn_u2(t, TINY_OP_MUL, sum, beside->src[1]);
    src[0] = tn_dot_of(t, (int)dot->k, dot->src[0], dot->src[1], tn_const(t, u->dtype, tn_dtype_value(u->dtype, 0)));
    src[1] = r;
    tn_push(t, &from, u);
    tn_push(t, &to, tn_u2(t, TINY_OP_ADD, tn_uop_with(t, u, src), sum));
  }
  s->sink = tn_replace(t, s->sink, from.n, from.u, to.u);
}
#endif
