// position: numbers that are known when a kernel is launched: lengths, and where something begins.
//
// In:  0-d nodes of dtype INDEX, of SCALARs that have bounds. Out: the same, as one writes them: c * n + k.
// Extents, offsets and the algebra of indices all speak of these nodes; they are never memory, as INDEX has none.
// Equal numbers are equal nodes where they are of one SCALAR.
#ifndef TN_IR_POSITION
#define TN_IR_POSITION
#ifndef TINY_AMALGAMATED
#include "uop.c"
#endif

static tiny_uop *tn_position_add(tiny_ctx *t, tiny_uop *u, int64_t k) {
  if (!k || u == &t->ir->bad) return u;
  if (tn_is_const(u)) return tn_index(t, u->k + k);
  if (u->op == TINY_OP_ADD && tn_is_const(u->src[1])) return tn_position_add(t, u->src[0], u->src[1]->k + k);
  return tn_u2(t, TINY_OP_ADD, u, tn_index(t, k));
}
static tiny_uop *tn_position_scale(tiny_ctx *t, tiny_uop *u, int64_t c) {
  if (c == 1 || u == &t->ir->bad) return u;
  if (!c || tn_is_const(u)) return tn_index(t, c ? u->k * c : 0);
  if (u->op == TINY_OP_MUL && tn_is_const(u->src[1])) return tn_position_scale(t, u->src[0], u->src[1]->k * c);
  if (u->op == TINY_OP_ADD && tn_is_const(u->src[1]))
    return tn_position_add(t, tn_position_scale(t, u->src[0], c), u->src[1]->k * c);
  return tn_u2(t, TINY_OP_MUL, u, tn_index(t, c));
}
// u / c where nothing remains for any value; NULL: that is not known.
static tiny_uop *tn_position_divide(tiny_ctx *t, tiny_uop *u, int64_t c) {
  if (c == 1) return u;
  if (tn_is_const(u)) return u->k % c ? NULL : tn_index(t, u->k / c);
  if (u->op == TINY_OP_MUL && tn_is_const(u->src[1]))
    return u->src[1]->k % c ? NULL : tn_position_scale(t, u->src[0], u->src[1]->k / c);
  if (u->op != TINY_OP_ADD) return NULL;
  tiny_uop *a = tn_position_divide(t, u->src[0], c), *b = tn_position_divide(t, u->src[1], c);
  if (!a || !b) return NULL;
  return tn_is_const(b) ? tn_position_add(t, a, b->k) : tn_u2(t, TINY_OP_ADD, a, b);
}
// max(u, k) and min(u, k)
static tiny_uop *tn_position_most(tiny_ctx *t, tiny_uop *u, int64_t k) {
  if (u == &t->ir->bad || u->vmin >= k) return u;
  return u->vmax <= k ? tn_index(t, k) : tn_u2(t, TINY_OP_MAX, u, tn_index(t, k));
}
static tiny_uop *tn_position_least(tiny_ctx *t, tiny_uop *u, int64_t k) {
  return tn_position_scale(t, tn_position_most(t, tn_position_scale(t, u, -1), -k), -1);
}

// What a position is now. Short, as tn_position_from (tensor/length.c) has it.
static int64_t tn_position_now(const tiny_uop *u) {
  int64_t v[2] = {0, 0};
  if (!u->nsrc) return u->k;
  for (uint32_t i = 0; i < u->nsrc && i < 2; i++) v[i] = tn_position_now(u->src[i]);
  return u->op == TINY_OP_CAST ? v[0] : tn_alu(u->op, u->dtype, u->src[0]->dtype, u->k, v, (int)u->nsrc);
}

// ** extents: how much of a dim is meant **

static tiny_uop *tn_extent_of(const tiny_uop *u, int axis) { return u->extent ? u->extent[axis] : NULL; }
// How many elements of an axis are meant.
static tiny_uop *tn_size_of(tiny_ctx *t, const tiny_uop *u, int axis) {
  tiny_uop *n = tn_extent_of(u, axis);
  return n ? n : tn_index(t, u->dim[axis]);
}
// The extent of an axis of a SHRINK or PAD whose source has n there.
static tiny_uop *tn_position_extent(tiny_ctx *t, const tiny_uop *u, int axis, tiny_uop *n) {
  const int64_t *v = u->v + 2 * axis;
  if (u->op == TINY_OP_PAD) return tn_position_add(t, n, v[0]);
  n = tn_position_most(t, tn_position_add(t, tn_position_least(t, n, v[1]), -v[0]), 0);
  return tn_is_const(n) && n->k == v[1] - v[0] ? NULL : n;
}
// Of no elements: dims that stay what they are, beside dims of 1, counted from the first or from the last.
static int tn_extents_reshape_none(tiny_ctx *t, const tiny_uop *u, tiny_uop **extent) {
  const tiny_uop *x = u->src[0];
  int i = 0, o = 0, last = x->ndim, end = u->nv;
  while (i < last && o < end && (x->dim[i] == u->v[o] || u->v[o] == 1 || x->dim[i] == 1)) {
    if (x->dim[i] == u->v[o]) extent[o++] = tn_extent_of(x, i++);
    else if (u->v[o] == 1) o++;
    else i++;
  }
  while (i < last && o < end && (x->dim[last - 1] == u->v[end - 1] || u->v[end - 1] == 1 || x->dim[last - 1] == 1)) {
    if (x->dim[last - 1] == u->v[end - 1]) extent[--end] = tn_extent_of(x, --last);
    else if (u->v[end - 1] == 1) end--;
    else last--;
  }
  for (; i < last; i++) if (tn_extent_of(x, i)) return tn_extent_wrong(t, u, x, i, "of no elements, it does not stay");
  return 1;
}
// Dims stay what they are, or the outermost of those that are joined or split takes the length along.
static int tn_extents_reshape(tiny_ctx *t, const tiny_uop *u, tiny_uop **extent) {
  const tiny_uop *x = u->src[0];
  int i = 0, o = 0;
  for (int d = 0; d < x->ndim; d++) if (!x->dim[d]) return tn_extents_reshape_none(t, u, extent);
  while (i < x->ndim || o < u->nv) {
    const int i0 = i, o0 = o;
    int64_t ni = i < x->ndim ? x->dim[i++] : 1, no = o < u->nv ? u->v[o++] : 1, scale = 1, split = 1;
    while (ni != no) {
      if (ni < no ? i == x->ndim : o == u->nv) return 1;     // to another size: args.c refuses that
      if (ni < no) ni *= x->dim[i++]; else no *= u->v[o++];
    }
    int from = i0, to = o0;
    while (from + 1 < i && x->dim[from] == 1) from++;
    while (to + 1 < o && u->v[to] == 1) to++;
    if (from >= i || to >= o) continue;      // dims of 1 that come or go
    for (int d = from + 1; d < i; d++) {
      scale *= x->dim[d];
      if (tn_extent_of(x, d)) return tn_extent_wrong(t, u, x, d, "it is not the first of the dims that are reshaped");
    }
    for (int d = to + 1; d < o; d++) split *= u->v[d];
    tiny_uop *n = tn_extent_of(x, from);
    if (!n) continue;
    extent[to] = tn_position_divide(t, tn_position_scale(t, n, scale), split);
    if (!extent[to]) return tn_extent_wrong(t, u, x, from, "it is no multiple of the parts it is split into");
  }
  return 1;
}
#endif
