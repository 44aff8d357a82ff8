// index: elements found by their positions, and put where positions say: gather, scatter and what is made of
// them.
//
// A lookup is the sum over (position == index) * x, a scatter the fold over (index == position) * source: no
// op of their own, so they fuse and have gradients like all else, each the other's. The scheduler turns the
// first back into loads and the second into stores.
//
// One rule for all positions: -1 is the last element, -2 the one before; what is out of range reads as 0 and
// is written nowhere, since values that are not computed yet cannot raise an error. Positions that are found
// here are i32, and i64 where there are more than 2^31 - 1 elements.
#ifndef TN_TENSOR_INDEX
#define TN_TENSOR_INDEX
#ifndef TINY_AMALGAMATED
#include "scan.c"
#endif

// ** lookups **

static int tn_is_index(tiny_ctx *t, const char *name, const tiny_uop *u) {
  if (tn_is_int(u->dtype)) return 1;
  tiny_fail(t, TINY_E_DTYPE, "%s: indices are integers, not %s", name, tn_dtypes[u->dtype].name);
  return 0;
}
static int tn_place_dtype(int64_t n) { return n > INT32_MAX ? (int)TINY_I64 : (int)TINY_I32; }

// Is element i of the last axis, of size n, the one that index (.., 1) names? Compared in a dtype that holds
// both.
static tiny_uop *tn_names(tiny_ctx *t, tiny_uop *index, int64_t n) {
  if (tn_bad(t, index)) return index;
  const int dtype = tn_dtype_max(index->dtype) >= n - 1 ? index->dtype : tn_place_dtype(n);
  return tn_eq(t, tn_cast(t, index, dtype), tn_iota(t, dtype, n, 0, 1));
}
// An index into n elements, a position, as a signed one: what is negative counts from the end.
static tiny_uop *tn_counted(tiny_ctx *t, tiny_uop *index, tiny_uop *n) {
  if (tn_bad(t, index) || tn_bad(t, n)) return &t->ir->bad;
  const int wide = tn_bits(index->dtype) > 32 || index->dtype == TINY_U32,
            dtype = wide ? (int)TINY_I64 : tn_place_dtype(n->vmax);
  tiny_uop *at = tn_cast(t, index, dtype), *none = tn_k(t, at, -1);
  if (index->dtype == TINY_U64) return tn_where(t, tn_lt(t, index, tn_position_as(t, n, TINY_U64)), at, none);
  if (index->vmin >= 0 || tn_is_unsigned(index->dtype)) return at;
  return tn_where(t, tn_below_zero(t, at), tn_add(t, at, tn_position_as(t, n, dtype)), at);
}
// x (.., 1, n) at positions (.., m, 1) -> (.., m)
static tiny_uop *tn_lookup(tiny_ctx *t, tiny_uop *x, tiny_uop *at) {
  if (tn_bad(t, x) || tn_bad(t, at)) return &t->ir->bad;
  const int axis = x->ndim - 1;
  return tn_sum(t, tn_where(t, tn_names(t, at, x->dim[axis]), x, tn_k(t, x, 0)), 1 << axis, 0);
}
// x (.., n) at positions (.., m), whose leading dims broadcast -> (.., m)
static tiny_uop *tn_taken_at(tiny_ctx *t, tiny_uop *x, tiny_uop *at) {
  if (tn_bad(t, x) || tn_bad(t, at)) return &t->ir->bad;
  return tn_lookup(t, tn_insert(t, x, x->ndim - 1), tn_insert(t, at, at->ndim));
}
// A 0-d tensor counts as a row of one.
static tiny_uop *tn_as_row(tiny_ctx *t, tiny_uop *u) { return u->ndim ? u : tn_insert(t, u, 0); }
static tiny_uop *tn_flattened(tiny_ctx *t, tiny_uop *u) {
  if (tn_bad(t, u)) return u;
  const int64_t n = tn_dims_nelem(u->ndim, u->dim);
  return tn_reshape(t, u, 1, &n);
}

TINY_API tiny_tensor *tiny_one_hot(tiny_tensor *labels, int64_t classes) {
  tiny_tensor *out;
  if (!tn_usable("one_hot", 1, &labels, &out)) return out;
  tiny_ctx *t = tn_ctx_of(labels);
  tiny_uop *u = tn_uop_of(labels);
  tiny_shape s = tiny_shape_of(labels);
  if (!tn_is_index(t, "one_hot", u)) return out;
  if (classes < 1) return tn_wrong(t, TINY_E_ARG, "one_hot: %lld classes", (long long)classes);
  if (s.ndim < TINY_MAX_DIMS) s.dim[s.ndim] = classes;
  s.ndim++;
  return tn_shape_valid(t, "one_hot", &s) ? tn_tensor_new(t, tn_names(t, tn_insert(t, u, u->ndim), classes)) :
                                            out;
}

// Checks x and index, and whether index along axis may name elements of x; makes axis positive and 0-d ones
// rows. broadcasts: dims other than axis broadcast; else those of index may be smaller.
static int tn_along_fits(const char *name, tiny_tensor *x, int *axis, tiny_tensor *index, int broadcasts,
                         tiny_uop **u, tiny_uop **at) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_ctx *t = tn_ctx_of(x);
  if ((*axis = tn_axis(t, name, tn_uop_of(x), *axis)) < 0 || !tn_is_index(t, name, tn_uop_of(index))) return 0;
  *u = tn_as_row(t, tn_uop_of(x)); *at = tn_as_row(t, tn_uop_of(index));
  if (tn_bad(t, *u) || tn_bad(t, *at)) return 0;
  const int n = (*u)->ndim;
  int fits = n == (*at)->ndim && n < TINY_MAX_DIMS;
  for (int i = 0; fits && i < n; i++) {
    const int64_t have = (*u)->dim[i], wanted = (*at)->dim[i];
    if (i != *axis && (broadcasts ? have != wanted && have != 1 && wanted != 1 : wanted > have)) fits = 0;
  }
  if (!fits)
    tiny_fail(t, TINY_E_SHAPE, "%s: %s by indices %s", name, tn_text_of(tn_uop_of(x), a),
              tn_text_of(tn_uop_of(index), b));
  return fits;
}
// u at positions of at along axis: dims agree or broadcast. The result has the shape of a 0-d index if index
// is that.
static tiny_tensor *tn_found(tiny_ctx *t, tiny_uop *u, int axis, tiny_uop *at, const tiny_uop *index) {
  if (tn_bad(t, u) || tn_bad(t, at)) return tn_poison(t);
  const int last = u->ndim - 1;
  at = tn_swap(t, tn_counted(t, at, tn_size_of(t, u, axis)), axis, last);
  tiny_uop *y = tn_swap(t, tn_taken_at(t, tn_swap(t, u, axis, last), at), axis, last);
  return tn_tensor_new(t, index->ndim ? y : tn_reshape(t, y, 0, NULL));
}

TINY_API tiny_tensor *tiny_gather(tiny_tensor *x, int axis, tiny_tensor *index) {
  tiny_tensor *out, *in[2] = {x, index};
  tiny_uop *u, *at;
  if (!tn_usable("gather", 2, in, &out) || !tn_along_fits("gather", x, &axis, index, 0, &u, &at)) return out;
  for (int i = 0; i < at->ndim; i++) if (i != axis) {
    if (at->dim[i] != u->dim[i] && !tn_axis_whole(tn_ctx_of(x), "gather", u, i)) return out;
    u = tn_cut(tn_ctx_of(x), u, i, 0, at->dim[i]);
    if (tn_bad(tn_ctx_of(x), u)) return out;
  }
  return tn_found(tn_ctx_of(x), u, axis, at, tn_uop_of(index));
}
TINY_API tiny_tensor *tiny_take_along_axis(tiny_tensor *x, int axis, tiny_tensor *index) {
  tiny_tensor *out, *in[2] = {x, index};
  tiny_uop *u, *at;
  if (!tn_usable("take_along_axis", 2, in, &out)) return out;
  if (axis == TINY_ALL) {
    if (!tn_is_index(tn_ctx_of(x), "take_along_axis", tn_uop_of(index))) return out;
    return tn_found(tn_ctx_of(x), tn_flattened(tn_ctx_of(x), tn_uop_of(x)), 0,
                    tn_flattened(tn_ctx_of(x), tn_uop_of(index)),
                    tn_as_row(tn_ctx_of(x), tn_uop_of(index)));
  }
  if (!tn_along_fits("take_along_axis", x, &axis, index, 1, &u, &at)) return out;
  return tn_found(tn_ctx_of(x), u, axis, at, tn_uop_of(index));
}
// index (m), or 0-d for m = 1, as (1, .., m, .., 1) with m at the axis of a tensor of ndim dims.
static tiny_uop *tn_lined_up(tiny_ctx *t, tiny_uop *index, int axis, int ndim) {
  int64_t dim[TN_MAX_DIMS];
  if (tn_bad(t, index)) return index;
  for (int i = 0; i < ndim; i++) dim[i] = i == axis && index->ndim ? index->dim[0] : 1;
  return tn_reshape(t, index, ndim, dim);
}
TINY_API tiny_tensor *tiny_index_select(tiny_tensor *x, int axis, tiny_tensor *index) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, index};
  if (!tn_usable("index_select", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x), *at = tn_uop_of(index);
  if ((axis = tn_axis(t, "index_select", u, axis)) < 0 || !tn_is_index(t, "index_select", at)) return out;
  if (at->ndim > 1 || u->ndim == TINY_MAX_DIMS || (!u->ndim && tiny_nelem_of(index) != 1))
    return tn_wrong(t, TINY_E_SHAPE, "index_select: %s by indices %s", tn_text_of(u, a), tn_text_of(at, b));
  tiny_uop *row = tn_as_row(t, u), *line = tn_bad(t, row) ? row : tn_lined_up(t, at, axis, row->ndim);
  return tn_found(t, row, axis, line, u->ndim ? line : u);
}
TINY_API tiny_tensor *tiny_take(tiny_tensor *x, tiny_tensor *index) {
  tiny_tensor *out, *in[2] = {x, index};
  if (!tn_usable("take", 2, in, &out) || !tn_is_index(tn_ctx_of(x), "take", tn_uop_of(index))) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *flat = tn_flattened(t, tn_uop_of(x));
  if (tn_bad(t, flat)) return out;
  tiny_uop *at = tn_counted(t, tn_flattened(t, tn_uop_of(index)), tn_size_of(t, flat, 0));
  at = tn_taken_at(t, flat, at);
  return tn_tensor_new(t, tn_reshape(t, at, tn_uop_of(index)->ndim, tn_uop_of(index)->dim));
}

// ** scatters **

// What goes where along the last axis: base (.., n), positions at (.., m), src (.., m) or 0-d. Leading dims
// of at and src broadcast to those of base. before: how many dims the last axis comes before where all of it lies in
// memory: sums are stored as that lies.
typedef struct tn_sending { tiny_uop *base, *at, *src; int before; } tn_sending;

// The fold by op of the values (.., m), or one 0-d value, that go to each position -> (.., n).
static tiny_uop *tn_sent(tiny_ctx *t, int op, const tn_sending *s, tiny_uop *value) {
  if (tn_bad(t, s->base) || tn_bad(t, s->at) || tn_bad(t, value)) return &t->ir->bad;
  const int last = s->at->ndim - 1;
  tiny_uop *at = tn_insert(t, s->at, last), *place = tn_iota(t, s->at->dtype, s->base->dim[last], 0, 2);
  if (value->ndim) value = tn_insert(t, value, value->ndim - 1);
  tiny_uop *each = tn_where(t, tn_eq(t, at, place), value, tn_identity(t, op, value));     // (.., n, m)
  each = tn_swap(t, each, last - s->before, last);
  return tn_swap(t, tn_reduce(t, op, each, 2 << last, 0), last - s->before, last);
}
static tiny_uop *tn_joined(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {        // along the last axis
  if (tn_bad(t, a) || tn_bad(t, b)) return &t->ir->bad;
  const int last = a->ndim - 1;
  return tn_add(t, tn_extend(t, a, last, 0, b->dim[last]), tn_extend(t, b, last, a->dim[last], 0));
}
// u with the leading dims of base.
static tiny_uop *tn_led_as(tiny_ctx *t, tiny_uop *u, const tiny_uop *base, int64_t m) {
  int64_t dim[TN_MAX_DIMS];
  if (tn_bad(t, u) || tn_bad(t, base)) return &t->ir->bad;
  for (int i = 0; i < base->ndim; i++) dim[i] = i + 1 < base->ndim ? base->dim[i] : m;
  return tn_expand(t, u, base->ndim, dim);
}
// Of several sources for one position the last one stays.
static tiny_uop *tn_replaced(tiny_ctx *t, const tn_sending *s) {
  if (tn_bad(t, s->at) || tn_bad(t, s->src)) return &t->ir->bad;
  const int n = s->at->ndim;
  const int64_t m = s->at->dim[n - 1];
  tiny_uop *winner = tn_sent(t, TINY_OP_MAX, s, tn_iota(t, tn_place_dtype(m), m, n - 1, n));
  tiny_uop *moved = s->src->ndim ? tn_taken_at(t, s->src, winner) : s->src;
  return tn_where(t, tn_below_zero(t, winner), s->base, moved);
}
// The greatest. The old value takes part as a source like the others, so that equals share the gradient
// equally.
static tiny_uop *tn_greatest(tiny_ctx *t, const tn_sending *s, int include_self) {
  if (tn_bad(t, s->base) || tn_bad(t, s->at)) return &t->ir->bad;
  if (!include_self) return tn_sent(t, TINY_OP_MAX, s, s->src);
  const int64_t n = s->base->dim[s->base->ndim - 1], m = s->at->dim[s->at->ndim - 1];
  tn_sending all = {s->base, NULL, NULL, s->before};
  all.at = tn_joined(t, tn_led_as(t, tn_iota(t, s->at->dtype, n, 0, 1), s->base, n),
                     tn_led_as(t, s->at, s->base, m));
  all.src = tn_joined(t, s->base, tn_led_as(t, s->src, s->base, m));
  return tn_sent(t, TINY_OP_MAX, &all, all.src);
}
// What is not meant of positions and sources goes nowhere.
static tn_sending tn_sending_meant(tiny_ctx *t, const tn_sending *s) {
  tn_sending y = *s;
  int bits = s->at->extent ? 1 << (s->at->ndim - 1) : 0;
  for (int i = 0; i + 1 < s->at->ndim; i++) bits |= (tn_extent_of(s->at, i) && !tn_extent_of(s->base, i)) << i;
  y.at = tn_wholes(t, s->at, bits, -1);
  if (s->src->ndim) y.src = tn_wholes(t, s->src, bits | 1 << (s->src->ndim - 1), 0);
  return y;
}
static tiny_uop *tn_scattered(tiny_ctx *t, tiny_reduce_op mode, const tn_sending *sending, int include_self) {
  if (tn_bad(t, sending->base) || tn_bad(t, sending->at) || tn_bad(t, sending->src)) return &t->ir->bad;
  const tn_sending meant = tn_sending_meant(t, sending), *s = &meant;
  if (tn_bad(t, s->at) || tn_bad(t, s->src)) return &t->ir->bad;
  if (mode == TINY_REDUCE_REPLACE) return tn_replaced(t, s);
  const int dtype = s->base->dtype, folds = mode == TINY_REDUCE_AMAX || mode == TINY_REDUCE_AMIN;
  const int inside = folds ? dtype : tn_sum_dtype(dtype), op = mode == TINY_REDUCE_PROD ? TINY_OP_MUL : TINY_OP_ADD;
  tn_sending w = {tn_cast(t, s->base, inside), s->at, tn_cast(t, s->src, inside), s->before};
  if (mode == TINY_REDUCE_AMIN) { w.base = tn_mirror(t, w.base); w.src = tn_mirror(t, w.src); }
  if (folds && include_self) w.base = tn_wholes(t, w.base, 1 << (s->base->ndim - 1), 0);
  tiny_uop *y = folds ? tn_greatest(t, &w, include_self) : tn_sent(t, op, &w, w.src);
  if (!folds && include_self) y = tn_binary(t, op, w.base, y);
  if (!include_self || mode == TINY_REDUCE_MEAN) {
    tiny_uop *count = tn_sent(t, TINY_OP_ADD, &w, tn_int(t, tn_place_dtype(1), 1)),
             *untouched = tn_is_zero(t, count);
    if (mode == TINY_REDUCE_MEAN) {
      count = include_self ? tn_plus(t, count, 1) : tn_max(t, count, tn_k(t, count, 1));
      count = tn_bad(t, count) ? count : tn_cast(t, count, inside);
      y = tn_is_float(inside) ? tn_fdiv(t, y, count) : tn_idiv(t, y, count);
    }
    if (!include_self) y = tn_where(t, untouched, w.base, y);
  }
  if (mode == TINY_REDUCE_AMIN) y = tn_mirror(t, y);
  return tn_bad(t, y) ? y : tn_firsts_of(t, tn_cast(t, y, dtype), s->base);
}

static int tn_is_mode(tiny_ctx *t, const char *name, tiny_reduce_op mode, int dtype) {
  if ((unsigned)mode > TINY_REDUCE_REPLACE) {
    tiny_fail(t, TINY_E_ARG, "%s: mode is %d, not one of tiny_reduce_op", name, (int)mode);
    return 0;
  }
  return mode != TINY_REDUCE_MEAN || tn_taken(t, name, TN_NUMBER, dtype);
}
// at with "nowhere" around it, up to the dims of base, but for its last axis; src likewise with what does not
// matter.
static void tn_sending_pad(tiny_ctx *t, tn_sending *s) {
  int64_t v[2 * TN_MAX_DIMS] = {0};
  if (tn_bad(t, s->base) || tn_bad(t, s->at) || tn_bad(t, s->src)) return;
  for (int i = 0; i + 1 < s->base->ndim; i++) v[2 * i + 1] = s->base->dim[i] - s->at->dim[i];
  s->at = tn_pad_with(t, s->at, v, tn_k(t, s->at, -1));
  if (s->src->ndim) s->src = tn_pad(t, s->src, v);
}
static tiny_tensor *tn_scatter_along(const char *name, tiny_tensor *x, int axis, tiny_tensor *index,
                                     tiny_tensor *src, tiny_reduce_op mode, int include_self) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[3] = {x, index, src};
  tiny_uop *u, *at;
  if (!tn_usable(name, 3, in, &out) || !tn_along_fits(name, x, &axis, index, 0, &u, &at)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (!tn_is_mode(t, name, mode, u->dtype)) return out;
  tiny_uop *from = tn_cast(t, tn_uop_of(src), u->dtype);
  const int last = u->ndim - 1;
  int fits = !tn_uop_of(src)->ndim || tn_uop_of(src)->ndim == at->ndim;
  for (int i = 0; fits && i < tn_uop_of(src)->ndim; i++) fits = at->dim[i] <= tn_uop_of(src)->dim[i];
  if (!fits)
    return tn_wrong(t, TINY_E_SHAPE, "%s: indices %s of values %s", name, tn_text_of(tn_uop_of(index), a),
                    tn_text_of(tn_uop_of(src), b));
  for (int i = 0; i < tn_uop_of(src)->ndim; i++) from = tn_cut(t, from, i, 0, at->dim[i]);
  if (tn_uop_of(src)->ndim) from = tn_swap(t, from, axis, last);
  tn_sending s = {tn_swap(t, u, axis, last), tn_swap(t, tn_counted(t, at, tn_size_of(t, u, axis)), axis, last), from,
                  last - axis};
  tn_sending_pad(t, &s);
  tiny_uop *y = tn_swap(t, tn_scattered(t, mode, &s, include_self), axis, last);
  return tn_tensor_new(t, tn_reshape(t, y, tn_uop_of(x)->ndim, tn_uop_of(x)->dim));
}
TINY_API tiny_tensor *tiny_scatter(tiny_tensor *x, int axis, tiny_tensor *index, tiny_tensor *src) {
  return tn_scatter_along("scatter", x, axis, index, src, TINY_REDUCE_REPLACE, 1);
}
TINY_API tiny_tensor *tiny_scatter_add(tiny_tensor *x, int axis, tiny_tensor *index, tiny_tensor *src) {
  return tn_scatter_along("scatter_add", x, axis, index, src, TINY_REDUCE_SUM, 1);
}
TINY_API tiny_tensor *tiny_scatter_reduce(tiny_tensor *x, int axis, tiny_tensor *index, tiny_tensor *src,
                                          tiny_reduce_op mode, int include_self) {
  return tn_scatter_along("scatter_reduce", x, axis, index, src, mode, include_self);
}

static tiny_tensor *tn_scatter_slices(const char *name, tiny_tensor *x, int axis, tiny_tensor *index,
                                      tiny_uop *src, tiny_reduce_op mode, int include_self) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT], c[TN_DIMS_TEXT];
  tiny_ctx *t = tn_ctx_of(x);
  if ((axis = tn_axis(t, name, tn_uop_of(x), axis)) < 0 || !tn_is_index(t, name, tn_uop_of(index)) ||
      !tn_is_mode(t, name, mode, tn_uop_of(x)->dtype) || tn_bad(t, src))
    return tn_poison(t);
  tiny_uop *u = tn_as_row(t, tn_uop_of(x)),
      *at = tn_bad(t, u) ? u : tn_lined_up(t, tn_uop_of(index), axis, u->ndim);
  if (tn_bad(t, at)) return tn_poison(t);
  int fits = tn_uop_of(index)->ndim < 2 && u->ndim < TINY_MAX_DIMS && (!src->ndim || src->ndim == u->ndim);
  for (int i = 0; fits && i < src->ndim; i++) fits = src->dim[i] == (i == axis ? at->dim[axis] : u->dim[i]);
  if (!fits)
    return tn_wrong(t, TINY_E_SHAPE, "%s: %s by indices %s of values %s", name, tn_text_of(tn_uop_of(x), a),
                    tn_text_of(tn_uop_of(index), b), tn_text_of(src, c));
  const int last = u->ndim - 1;
  at = tn_swap(t, tn_counted(t, at, tn_size_of(t, u, axis)), axis, last);
  src = tn_cast(t, src, u->dtype);
  const tn_sending s = {tn_swap(t, u, axis, last), at,
                        tn_bad(t, src) || !src->ndim ? src : tn_swap(t, src, axis, last), last - axis};
  tiny_uop *y = tn_swap(t, tn_scattered(t, mode, &s, include_self), axis, last);
  return tn_tensor_new(t, tn_reshape(t, y, tn_uop_of(x)->ndim, tn_uop_of(x)->dim));
}
TINY_API tiny_tensor *tiny_index_add(tiny_tensor *x, int axis, tiny_tensor *index, tiny_tensor *src) {
  tiny_tensor *out, *in[3] = {x, index, src};
  return tn_usable("index_add", 3, in, &out) ?
             tn_scatter_slices("index_add", x, axis, index, tn_uop_of(src), TINY_REDUCE_SUM, 1) :
             out;
}
TINY_API tiny_tensor *tiny_index_copy(tiny_tensor *x, int axis, tiny_tensor *index, tiny_tensor *src) {
  tiny_tensor *out, *in[3] = {x, index, src};
  return tn_usable("index_copy", 3, in, &out) ?
             tn_scatter_slices("index_copy", x, axis, index, tn_uop_of(src), TINY_REDUCE_REPLACE, 1) :
             out;
}
TINY_API tiny_tensor *tiny_index_reduce(tiny_tensor *x, int axis, tiny_tensor *index, tiny_tensor *src,
                                        tiny_reduce_op mode, int include_self) {
  tiny_tensor *out, *in[3] = {x, index, src};
  if (!tn_usable("index_reduce", 3, in, &out)) return out;
  return tn_scatter_slices("index_reduce", x, axis, index, tn_uop_of(src), mode, include_self);
}
TINY_API tiny_tensor *tiny_index_fill(tiny_tensor *x, int axis, tiny_tensor *index, double value) {
  tiny_tensor *out, *in[2] = {x, index};
  if (!tn_usable("index_fill", 2, in, &out)) return out;
  tiny_uop *const src = tn_k(tn_ctx_of(x), tn_uop_of(x), value);
  return tn_scatter_slices("index_fill", x, axis, index, src, TINY_REDUCE_REPLACE, 1);
}
TINY_API tiny_tensor *tiny_put(tiny_tensor *x, tiny_tensor *index, tiny_tensor *src, int accumulate) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[3] = {x, index, src};
  if (!tn_usable("put", 3, in, &out) || !tn_is_index(tn_ctx_of(x), "put", tn_uop_of(index))) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (tn_uop_of(src)->ndim && tiny_nelem_of(src) != tiny_nelem_of(index))
    return tn_wrong(t, TINY_E_SHAPE, "put: indices %s of values %s", tn_text_of(tn_uop_of(index), a),
                    tn_text_of(tn_uop_of(src), b));
  tiny_uop *from = tn_cast(t, tn_uop_of(src), tn_uop_of(x)->dtype);
  tiny_uop *flat = tn_flattened(t, tn_uop_of(x));
  if (tn_bad(t, flat)) return out;
  const tn_sending s = {flat, tn_counted(t, tn_flattened(t, tn_uop_of(index)), tn_size_of(t, flat, 0)),
                        tn_uop_of(src)->ndim ? tn_flattened(t, from) : from, 0};
  tiny_uop *const y = tn_scattered(t, accumulate ? TINY_REDUCE_SUM : TINY_REDUCE_REPLACE, &s, 1);
  return tn_tensor_new(t, tn_reshape(t, y, tn_uop_of(x)->ndim, tn_uop_of(x)->dim));
}

// ** masks **

// The value of a node of one element, computed now; NaN after an error. What else is needed later is held by
// a tensor.
static double tn_known(tiny_ctx *t, tiny_uop *u) {
  tiny_tensor *x = tn_tensor_new(t, u);
  const double value = tn_item_whole(x);
  tiny_free(x);
  return value;
}
// The same of a number of elements, at most `most`; -1 after an error. A device that computes nothing gives any number.
static int64_t tn_known_count(tiny_ctx *t, tiny_uop *u, double most) {
  const double n = tn_known(t, u);
  if (n >= 0 && n <= most) return (int64_t)n;
  tiny_fail(t, TINY_E_DEVICE, "the device says that %g of at most %g elements are chosen", n, most);
  return -1;
}
// How many elements of a mask (n) are true up to each, that one included: i32.
static tiny_uop *tn_mask_counts(tiny_ctx *t, tiny_uop *mask) {
  if (tn_bad(t, mask)) return mask;
  const int64_t n = mask->dim[0], row[2] = {1, n};
  if (!n) return tn_cast(t, mask, TINY_I32);
  return tn_reshape(
      t, tn_scan(t, TINY_OP_ADD, tn_reshape(t, tn_cast(t, mask, tn_place_dtype(n)), 2, row), 1, n), 1, &n);
}
// How many elements of the rising rows x (.., n) are less than v (.., m), or not greater (right): the
// position at which v goes. By halves; leading dims broadcast. Ordered as LT orders them.
static tiny_uop *tn_search(tiny_ctx *t, tiny_uop *x, tiny_uop *v, int right) {
  if (tn_bad(t, x) || tn_bad(t, v)) return &t->ir->bad;
  const int64_t n = x->dim[x->ndim - 1];
  int64_t step = 1;
  tiny_uop *at = tn_expand(t, tn_int(t, tn_place_dtype(n), 0), v->ndim, v->dim);
  while (step <= n / 2) step *= 2;
  for (; step && n && !tn_bad(t, at); step /= 2) {
    tiny_uop *next = tn_plus(t, at, (double)step), *e = tn_taken_at(t, x, tn_plus(t, next, -1));
    tiny_uop *less = right ? tn_not(t, tn_lt(t, v, e)) : tn_lt(t, e, v);
    at = tn_where(t, tn_and(t, less, tn_lt(t, next, tn_k(t, next, (double)(n + 1)))), next, at);
  }
  return at;
}
// Positions of what is true in a mask, as (count): computes how many there are. The tensor is the caller's to
// free.
static tiny_tensor *tn_true_at(tiny_ctx *t, tiny_uop *mask) {
  TN_FLOAT_MODE;
  tiny_uop *u = tn_mask_counts(t, tn_flattened(t, mask));
  if (tn_bad(t, u)) return tn_poison(t);
  const int64_t n = u->dim[0], none = 0;
  tiny_tensor *running = tn_tensor_new(t, u);
  if (!n || !tiny_ok(running)) return running;
  const int64_t count = tn_realize_whole(&running, 1) == TINY_OK
                            ? tn_known_count(t, tn_cut(t, tn_uop_of(running), 0, n - 1, n), (double)n) : -1;
  tiny_uop *at = &t->ir->bad;
  if (count == 0) at = tn_expand(t, tn_k(t, u, 0), 1, &none);
  if (count > 0)
    at = tn_search(t, tn_uop_of(running), tn_plus(t, tn_iota(t, u->dtype, count, 0, 1), 1), 0);
  tiny_tensor *out = tn_tensor_new(t, at);
  tiny_free(running);
  return out;
}
static tiny_uop *tn_is_set(tiny_ctx *t, tiny_uop *x) { return tn_ne(t, x, tn_k(t, x, 0)); }

TINY_API tiny_tensor *tiny_nonzero(tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_usable("nonzero", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const int n = tn_uop_of(x)->ndim;
  tiny_tensor *flat = tn_true_at(t, tn_is_set(t, tn_uop_of(x)));
  if (!tiny_ok(flat)) return flat;
  int64_t dim[2] = {tiny_nelem_of(flat), n};
  tiny_uop *rest = tn_uop_of(flat), *y = tn_expand(t, tn_k(t, rest, 0), 2, dim);
  for (int i = n - 1; i >= 0 && !tn_bad(t, rest); i--) {     // the last axis changes fastest
    const double size = (double)(tn_uop_of(x)->dim[i] ? tn_uop_of(x)->dim[i] : 1);
    tiny_uop *at = i ? tn_mod(t, rest, tn_k(t, rest, size)) : rest;
    y = n == 1 ? tn_insert(t, at, 1) : tn_add(t, y, tn_extend(t, tn_insert(t, at, 1), 1, i, n - 1 - i));
    rest = tn_idiv(t, rest, tn_k(t, rest, size));
  }
  out = tn_tensor_new(t, tn_bad(t, rest) ? rest : y);
  tiny_free(flat);
  return out;
}

static int tn_is_mask(tiny_ctx *t, const char *name, const tiny_uop *u) {
  if (u->dtype == TINY_BOOL) return 1;
  tiny_fail(t, TINY_E_DTYPE, "%s: the mask is %s, not bool", name, tn_dtypes[u->dtype].name);
  return 0;
}
TINY_API tiny_tensor *tiny_masked_fill(tiny_tensor *x, tiny_tensor *mask, double value) {
  tiny_tensor *out, *in[2] = {x, mask};
  if (!tn_usable("masked_fill", 2, in, &out) || !tn_is_mask(tn_ctx_of(x), "masked_fill", tn_uop_of(mask)) ||
      !tn_shapes_meet("masked_fill", 2, in))
    return out;
  tiny_ctx *t = tn_ctx_of(x);
  return tn_tensor_new(t, tn_where(t, tn_uop_of(mask), tn_k(t, tn_uop_of(x), value), tn_uop_of(x)));
}
TINY_API tiny_tensor *tiny_masked_select(tiny_tensor *x, tiny_tensor *mask) {
  tiny_tensor *out, *in[2] = {x, mask};
  if (!tn_usable("masked_select", 2, in, &out) || !tn_is_mask(tn_ctx_of(x), "masked_select", tn_uop_of(mask)) ||
      !tn_shapes_meet("masked_select", 2, in))
    return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x), *m = tn_uop_of(mask);
  tn_broadcast_whole(t, &u, &m);
  tiny_tensor *held = tn_tensor_new(t, tn_flattened(t, u)), *at = tn_true_at(t, m);
  if (!tiny_ok(held) || !tiny_ok(at)) out = tn_poison(t);
  else out = tn_tensor_new(t, tn_taken_at(t, tn_uop_of(held), tn_uop_of(at)));
  tiny_free(held); tiny_free(at);
  return out;
}
TINY_API tiny_tensor *tiny_masked_scatter(tiny_tensor *x, tiny_tensor *mask, tiny_tensor *src) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[3] = {x, mask, src};
  if (!tn_usable("masked_scatter", 3, in, &out) || !tn_is_mask(tn_ctx_of(x), "masked_scatter", tn_uop_of(mask)))
    return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_shape s = tiny_shape_of(x);
  if (!tn_broadcast_dims(tn_uop_of(mask)->ndim, tn_uop_of(mask)->dim, &s.ndim, s.dim) ||
      !tn_has_dims(tn_uop_of(x), s.ndim, s.dim))
    return tn_wrong(t, TINY_E_SHAPE, "masked_scatter: mask %s of %s", tn_text_of(tn_uop_of(mask), b),
                    tn_text_of(tn_uop_of(x), a));
  tiny_uop *m = tn_expand(t, tn_uop_of(mask), s.ndim, s.dim),
           *at = tn_plus(t, tn_mask_counts(t, tn_flattened(t, m)), -1);
  at = tn_taken_at(t, tn_flattened(t, tn_cast(t, tn_uop_of(src), tn_uop_of(x)->dtype)), at);
  return tn_tensor_new(t, tn_where(t, m, tn_reshape(t, at, s.ndim, s.dim), tn_uop_of(x)));
}

// Positions of the elements of an axis of n that repeats, 0-d, (1) or (n), says: element i repeats[i] times. Computes
// how many that makes. The tensor is the caller's to free.
static tiny_tensor *tn_repeated_at(tiny_ctx *t, tiny_uop *repeats, int64_t n) {
  const int64_t none = 0, row[2] = {1, n};
  if (!n) return tn_tensor_new(t, tn_expand(t, tn_int(t, TINY_I32, 0), 1, &none));
  tiny_uop *r = tn_expand(t, tn_cast(t, repeats, TINY_I64), 1, &n);
  tiny_uop *u = tn_reshape(t, tn_scan(t, TINY_OP_ADD, tn_reshape(t, r, 2, row), 1, n), 1, &n);
  tiny_tensor *through = tn_tensor_new(t, u), *least = tn_tensor_new(t, tn_bad(t, r) ? r : tn_extreme(t, 1, r, 1, 0)),
              *both[2] = {through, least}, *out = tn_poison(t);
  if (tiny_ok(through) && tiny_ok(least) && tn_realize_whole(both, 2) == TINY_OK) {
    const double lo = tn_item_whole(least);
    const int64_t count = lo < 0 ? -1 : tn_known_count(t, tn_cut(t, tn_uop_of(through), 0, n - 1, n), 9e18);
    if (lo < 0) tiny_fail(t, TINY_E_ARG, "repeat_interleave_by: an element %g times", lo);
    else if (count >= INT32_MAX)
      tiny_fail(t, TINY_E_SHAPE, "repeat_interleave_by: %lld elements along the axis", (long long)count);
    else if (count == 0) out = tn_tensor_new(t, tn_expand(t, tn_int(t, TINY_I32, 0), 1, &none));
    else if (count > 0)
      out = tn_tensor_new(t, tn_search(t, tn_uop_of(through), tn_iota(t, TINY_I64, count, 0, 1), 1));
  }
  tiny_free(through); tiny_free(least);
  return out;
}
TINY_API tiny_tensor *tiny_repeat_interleave_by(tiny_tensor *x, tiny_tensor *repeats, int axis) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, repeats};
  if (!tn_usable("repeat_interleave_by", 2, in, &out) ||
      !tn_is_index(tn_ctx_of(x), "repeat_interleave_by", tn_uop_of(repeats)))
    return out;
  tiny_ctx *t = tn_ctx_of(x);
  const int flat = axis == TINY_ALL || !tn_uop_of(x)->ndim;
  if (axis != TINY_ALL && (axis = tn_axis(t, "repeat_interleave_by", tn_uop_of(x), axis)) < 0) return out;
  tiny_tensor *held = tn_tensor_new(t, flat ? tn_flattened(t, tn_uop_of(x)) : tn_uop_of(x));
  if (!tiny_ok(held)) return held;
  const int at = flat ? 0 : axis;
  const tiny_uop *r = tn_uop_of(repeats);
  const int64_t n = tn_uop_of(held)->dim[at];
  if (r->ndim > 1 || (r->ndim && r->dim[0] != 1 && r->dim[0] != n)) {
    out = tn_wrong(t, TINY_E_SHAPE, "repeat_interleave_by: %s along axis %d of %s", tn_text_of(r, b), at,
                   tn_text_of(tn_uop_of(held), a));
  } else {
    tiny_tensor *places = tn_repeated_at(t, tn_uop_of(repeats), n);
    if (tiny_ok(places)) {
      const int last = tn_uop_of(held)->ndim - 1;
      tiny_uop *taken = tn_taken_at(t, tn_swap(t, tn_uop_of(held), at, last), tn_uop_of(places));
      out = tn_tensor_new(t, tn_swap(t, taken, at, last));
    } else out = places;
    tiny_free(places);
  }
  tiny_free(held);
  return out;
}

// ** tensors as indices: NumPy's rules, https://numpy.org/doc/stable/user/basics.indexing.html **

typedef struct tn_indices {
  tiny_tensor *own[TINY_MAX_DIMS];         // positions that masks stand for, to be freed
  int64_t order[TN_MAX_DIMS];            // axes of x: first those that stay, then those that are indexed
  int stay, first;                         // how many stay; how many of these the dims of the indices follow
  tiny_shape shape;                        // of the indices, broadcast
  int64_t n, m;                            // elements of the indexed axes, of the indices
  tiny_uop *at;                            // (m): flat positions within the indexed axes
} tn_indices;

static void tn_indices_close(tn_indices *s) {
  for (int i = 0; i < TINY_MAX_DIMS; i++) if (s->own[i]) tiny_free(s->own[i]);
}
// Masks become positions; this may run kernels, so it comes before nodes are built. 0: an error was recorded.
static int tn_indices_masks(const char *name, tiny_tensor *x, tiny_tensor *const *index, int n,
                            tn_indices *s) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  const tiny_uop *u = tn_uop_of(x);
  int axis = 0;
  for (int i = 0; i < n; i++) {
    tiny_tensor *in[2] = {x, index[i] ? index[i] : x};
    if (!tn_usable(name, 2, in, &out)) return 0;
  }
  for (int i = 0; i < n; i++) {
    const tiny_uop *v = index[i] ? tn_uop_of(index[i]) : NULL;
    const int mask = v && v->dtype == TINY_BOOL, span = mask ? v->ndim : 1;
    if (v && !mask && !tn_is_index(tn_ctx_of(x), name, v)) return 0;
    for (int d = 0; mask && d < span && axis + d < u->ndim; d++) if (tn_extent_of(v, d) || tn_extent_of(u, axis + d)) {
      tiny_fail(tn_ctx_of(x), TINY_E_SHAPE, "%s: a mask of a dim of which only a length is meant; tiny_whole fills the "
                "rest", name);
      return 0;
    }
    if (axis + span > u->ndim || !span || (mask && !tn_dims_same(span, v->dim, u->dim + axis))) {
      tiny_fail(tn_ctx_of(x), TINY_E_SHAPE, "%s: %s by %s %s as number %d", name, tn_text_of(u, a),
                mask ? "mask" : "indices", v ? tn_text_of(v, b) : "all", i);
      return 0;
    }
    axis += span;
    if (mask && !tiny_ok(s->own[i] = tn_true_at(tn_ctx_of(x), tn_uop_of(index[i])))) { s->own[i] = NULL; return 0; }
  }
  return 1;
}
// Takes the indices apart; 0: an error was recorded.
static int tn_indices_open(const char *name, tiny_tensor *x, tiny_tensor *const *index, int n,
                           tn_indices *s) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_ctx *t = tn_ctx_of(x);
  const tiny_uop *u = tn_uop_of(x);
  int indexed = 0, axis = 0, runs = 0, was = 0;
  int64_t order[TN_MAX_DIMS];
  tiny_uop *flat = NULL, *valid = NULL;
  memset(s, 0, sizeof *s);
  if (n < 0 || n > u->ndim || (n && !index)) {
    tiny_fail(t, TINY_E_ARG, "%s: %d indices for %s", name, n, tn_text_of(u, a));
    return 0;
  }
  if (!tn_indices_masks(name, x, index, n, s)) return 0;
  s->n = 1;
  for (int i = 0; axis < u->ndim; i++) {
    const tiny_tensor *of = i < n ? index[i] : NULL;
    const int span = of && s->own[i] ? tn_uop_of(of)->ndim : 1;
    if (of && !was && !runs++) s->first = s->stay;
    was = of != NULL;
    if (!of) { s->order[s->stay++] = axis++; continue; }
    int64_t size = 1;
    tiny_uop *meant = span == 1 ? tn_size_of(t, u, axis) : NULL;
    for (int d = 0; d < span; d++) { size *= u->dim[axis]; order[indexed++] = axis++; }
    if (!meant) meant = tn_index(t, size);
    tiny_uop *at = s->own[i] ? tn_uop_of(s->own[i]) : tn_uop_of(of);
    if (!tn_broadcast_dims(at->ndim, at->dim, &s->shape.ndim, s->shape.dim)) {
      tiny_fail(t, TINY_E_SHAPE, "%s: indices %s and %s do not broadcast", name,
                tn_dims_text(a, sizeof a, s->shape.ndim, s->shape.dim), tn_text_of(at, b));
      return 0;
    }
    s->n *= size;
    at = tn_cast(t, tn_counted(t, at, meant), TINY_I64);
    tiny_uop *inside = tn_and(t, tn_lt(t, at, tn_position_as(t, meant, TINY_I64)), tn_not(t, tn_below_zero(t, at)));
    flat = flat ? tn_add(t, tn_times(t, flat, (double)size), at) : at;
    valid = valid ? tn_and(t, valid, inside) : inside;
  }
  if (runs > 1) s->first = 0;
  for (int i = 0; i < indexed; i++) s->order[s->stay + i] = order[i];
  s->m = tn_dims_nelem(s->shape.ndim, s->shape.dim);
  if (s->stay + s->shape.ndim > TINY_MAX_DIMS || s->stay + 2 > TINY_MAX_DIMS) {
    tiny_fail(t, TINY_E_SHAPE, "%s: too many dims: %s by indices %s", name, tn_text_of(u, a),
              tn_dims_text(b, sizeof b, s->shape.ndim, s->shape.dim));
    return 0;
  }
  if (!flat) { flat = tn_int(t, TINY_I32, 0); valid = tn_bool(t, 1); }
  flat = tn_where(t, valid, flat, tn_int(t, flat ? flat->dtype : 0, -1));
  flat = tn_bad(t, flat) ? flat : tn_cast(t, flat, tn_place_dtype(s->n));
  s->at = tn_reshape(t, tn_expand(t, flat, s->shape.ndim, s->shape.dim), 1, &s->m);
  return 1;
}
// x as (stay.., n).
static tiny_uop *tn_indices_base(tiny_ctx *t, const tn_indices *s, tiny_uop *x) {
  int64_t dim[TN_MAX_DIMS];
  int indexed = 0;
  for (int i = 0; i < x->ndim; i++) if (i < s->stay) dim[i] = x->dim[s->order[i]]; else indexed |= 1 << s->order[i];
  dim[s->stay] = s->n;
  return tn_reshape(t, tn_permute(t, tn_wholes(t, x, indexed, 0), s->order), s->stay + 1, dim);
}
// Axes that bring (stay.., shape..) into the order of the result.
static void tn_indices_axes(const tn_indices *s, int64_t *axes) {
  for (int i = 0, k = s->shape.ndim; i < s->stay + k; i++)
    axes[i] = i < s->first ? i : i < s->first + k ? s->stay + i - s->first : i - k;
}
static tiny_uop *tn_permute_back(tiny_ctx *t, tiny_uop *x, int n, const int64_t *axes) {
  int64_t back[TN_MAX_DIMS] = {0};
  for (int i = 0; i < n; i++) back[axes[i]] = i;
  return tn_permute(t, x, back);
}

TINY_API tiny_tensor *tiny_index(tiny_tensor *x, tiny_tensor *const *index, int n) {
  tiny_tensor *out;
  tn_indices s;
  int64_t dim[TN_MAX_DIMS], axes[TN_MAX_DIMS];
  if (!tn_usable("index", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (tn_indices_open("index", x, index, n, &s)) {
    tiny_uop *base = tn_indices_base(t, &s, tn_uop_of(x)), *y = tn_taken_at(t, base, s.at);
    for (int i = 0; i < s.stay + s.shape.ndim; i++)
      dim[i] = i < s.stay ? tn_uop_of(x)->dim[s.order[i]] : s.shape.dim[i - s.stay];
    tn_indices_axes(&s, axes);
    out = tn_tensor_new(t, tn_permute(t, tn_reshape(t, y, s.stay + s.shape.ndim, dim), axes));
  }
  tn_indices_close(&s);
  return out;
}

static tiny_uop *tn_index_put(tiny_ctx *t, const tn_indices *s, tiny_uop *x, tiny_uop *src, int accumulate) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  int64_t dim[TN_MAX_DIMS], both[TN_MAX_DIMS], axes[TN_MAX_DIMS];
  const int ndim = s->stay + s->shape.ndim;
  int n = ndim;
  tn_indices_axes(s, axes);
  for (int i = 0; i < ndim; i++)
    dim[i] = axes[i] < s->stay ? x->dim[s->order[axes[i]]] : s->shape.dim[axes[i] - s->stay];
  memcpy(both, dim, sizeof both);
  if (!tn_broadcast_dims(src->ndim, src->dim, &n, both) || n != ndim || !tn_dims_same(n, both, dim)) {
    tn_wrong(t, TINY_E_SHAPE, "index_put: values %s at %s", tn_text_of(src, a),
             tn_dims_text(b, sizeof b, ndim, dim));
    return &t->ir->bad;
  }
  src = tn_cast(t, src, x->dtype);
  if (!tn_bad(t, src) && src->ndim) {
    src = tn_permute_back(t, tn_expand(t, src, ndim, dim), ndim, axes);
    for (int i = 0; i < s->stay; i++) both[i] = x->dim[s->order[i]];
    both[s->stay] = s->m;
    src = tn_reshape(t, src, s->stay + 1, both);
  }
  tn_sending to = {tn_indices_base(t, s, x), NULL, src, 0};
  for (int i = 0; i < s->stay; i++) both[i] = 1;
  both[s->stay] = s->m;
  to.at = tn_reshape(t, s->at, s->stay + 1, both);
  for (int i = 0; i < x->ndim; i++) both[i] = x->dim[s->order[i]];
  tiny_uop *y = tn_scattered(t, accumulate ? TINY_REDUCE_SUM : TINY_REDUCE_REPLACE, &to, 1);
  y = tn_reshape(t, y, x->ndim, both);
  y = tn_permute_back(t, y, x->ndim, s->order);
  return tn_bad(t, y) ? y : tn_firsts_of(t, y, x);
}
TINY_API tiny_tensor *tiny_index_put(tiny_tensor *x, tiny_tensor *const *index, int n, tiny_tensor *src,
                                     int accumulate) {
  tiny_tensor *out, *in[2] = {x, src};
  tn_indices s;
  if (!tn_usable("index_put", 2, in, &out)) return out;
  if (tn_indices_open("index_put", x, index, n, &s))
    out = tn_tensor_new(tn_ctx_of(x), tn_index_put(tn_ctx_of(x), &s, tn_uop_of(x), tn_uop_of(src), accumulate));
  tn_indices_close(&s);
  return out;
}

// ** counting **

// How many of the positions at (m) name each of n, or the sum of their weights.
static tiny_uop *tn_counts(tiny_ctx *t, tiny_uop *at, int64_t n, tiny_uop *weights) {
  tiny_uop *one = weights ? weights : tn_int(t, TINY_I32, 1);
  const tn_sending s = {tn_bad(t, one) ? one : tn_expand(t, tn_k(t, one, 0), 1, &n), at, NULL, 0};
  return tn_sent(t, TINY_OP_ADD, &s, one);
}
TINY_API tiny_tensor *tiny_bincount(tiny_tensor *x, tiny_tensor *weights, int64_t least) {
  TN_FLOAT_MODE;
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, weights ? weights : x};
  if (!tn_usable("bincount", 2, in, &out) || !tn_is_index(tn_ctx_of(x), "bincount", tn_uop_of(x))) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  if (u->ndim != 1 || (weights && !tn_has_dims(tn_uop_of(weights), 1, u->dim)))
    return tn_wrong(t, TINY_E_SHAPE, "bincount: %s with weights %s", tn_text_of(u, a),
                    weights ? tn_text_of(tn_uop_of(weights), b) : "of 1");
  if (least < 0) return tn_wrong(t, TINY_E_ARG, "bincount: at least %lld bins", (long long)least);
  if (u->dim[0]) {
    const double lo = tn_known(t, tn_extreme(t, 1, u, 1, 0)),
                 hi = lo >= 0 ? tn_known(t, tn_extreme(t, 0, u, 1, 0)) : 0;
    if (t->code != TINY_OK) return tn_poison(t);
    if (lo < 0 || hi >= 1e15)
      return tn_wrong(t, TINY_E_ARG, "bincount: there is an element %g", lo < 0 ? lo : hi);
    if (hi + 1 > (double)least) least = (int64_t)hi + 1;
  }
  tiny_uop *w = weights ? tn_uop_of(weights) : NULL;
  if (w && w->dtype != TINY_F32) w = tn_cast(t, w, TINY_F64);
  return tn_tensor_new(t, tn_counts(t, tn_counted(t, tn_uop_of(x), tn_index(t, least)), least, w));
}
TINY_API tiny_tensor *tiny_histc(tiny_tensor *x, int64_t bins, double lo, double hi) {
  tiny_tensor *out;
  if (!tn_usable("histc", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (bins < 1 || bins > INT32_MAX || !(lo <= hi) || !(fabs(lo) < HUGE_VAL && fabs(hi) < HUGE_VAL))
    return tn_wrong(t, TINY_E_ARG, "histc: %lld bins from %g to %g", (long long)bins, lo, hi);
  tiny_uop *u = tn_flattened(t, tn_wide(t, tn_uop_of(x))), *low = tn_k(t, u, lo), *high = tn_k(t, u, hi);
  if (tn_bad(t, u)) return tn_poison(t);
  if (lo == hi && u->dim[0]) {             // from the least to the greatest; those may be equal, too
    low = tn_extreme(t, 1, u, 1, 0); high = tn_extreme(t, 0, u, 1, 0);
    tiny_uop *flat = tn_cast(t, tn_eq(t, low, high), u->dtype);
    low = tn_sub(t, low, flat); high = tn_add(t, high, flat);
  }
  tiny_uop *at = tn_fdiv(t, tn_times(t, tn_sub(t, u, low), (double)bins), tn_sub(t, high, low));
  at = tn_where(t, tn_lt(t, at, tn_k(t, at, (double)bins)), at, tn_k(t, at, (double)(bins - 1)));
  tiny_uop *inside = tn_and(t, tn_ge(t, u, low), tn_le(t, u, high));
  at = tn_where(t, inside, at, tn_k(t, at, -1));
  at = tn_bad(t, at) ? at : tn_cast(t, at, TINY_I32);
  tiny_uop *n = tn_bad(t, at) ? at : tn_counts(t, at, bins, NULL);
  return tn_tensor_new(t, tn_narrow(t, n, tn_uop_of(x)->dtype));
}
#endif
