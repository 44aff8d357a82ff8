// movement: operators that give other views of the same elements: shapes, orders, parts, repetition.
//
// None computes anything: indexing is rewritten, and gradients go back by the inverse movement. An operator with
// several results fills the caller's out[0..n): poison first, so that it is there after an error, then the
// results and NULL behind them.
#ifndef TN_TENSOR_MOVEMENT
#define TN_TENSOR_MOVEMENT
#ifndef TINY_AMALGAMATED
#include "create.c"
#endif

TINY_API tiny_tensor *tiny_reshape(tiny_tensor *x, tiny_shape s) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("reshape", 1, &x, &out)) return out;
  const int64_t have = tiny_nelem_of(x);
  int unknown = -1;
  int64_t rest = 1;
  for (int i = 0; i < s.ndim && i < TINY_MAX_DIMS; i++) {
    if (s.dim[i] == -1 && unknown < 0) unknown = i;
    else rest = tn_clamp_mul(rest, s.dim[i]);
  }
  if (unknown >= 0) s.dim[unknown] = rest > 0 && have % rest == 0 ? have / rest : -1;
  if (unknown >= 0 && s.dim[unknown] < 0)
    return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "reshape: %s cannot become %s", tn_text_of(tn_uop_of(x), a),
                    tn_dims_text(b, sizeof b, s.ndim < TINY_MAX_DIMS ? s.ndim : TINY_MAX_DIMS, s.dim));
  if (!tn_shape_valid(tn_ctx_of(x), "reshape", &s)) return out;
  if (tn_dims_nelem(s.ndim, s.dim) != have)
    return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "reshape: %s has %lld elements, %s has %lld",
                    tn_text_of(tn_uop_of(x), a),
                    (long long)have, tn_dims_text(b, sizeof b, s.ndim, s.dim),
                    (long long)tn_dims_nelem(s.ndim, s.dim));
  return tn_tensor_new(tn_ctx_of(x), tn_reshape(tn_ctx_of(x), tn_uop_of(x), s.ndim, s.dim));
}

// Axes of x as bits; -1 after an error. An axis may not be named twice.
static int tn_axis_bits(tiny_ctx *t, const char *name, const tiny_uop *u, const tiny_shape *axes) {
  char text[TN_DIMS_TEXT];
  int bits = 0;
  if (axes->ndim < 0 || axes->ndim > TINY_MAX_DIMS) {
    tiny_fail(t, TINY_E_ARG, "%s: %d axes", name, axes->ndim);
    return -1;
  }
  for (int i = 0; i < axes->ndim; i++) {
    if (axes->dim[i] == TINY_ALL) return (1 << u->ndim) - 1;
    const int at =
        tn_axis(t, name, u,
                axes->dim[i] < INT32_MIN || axes->dim[i] > INT32_MAX ? INT32_MAX : (int)axes->dim[i]);
    if (at < 0) return -1;
    if (bits >> at & 1) {
      tiny_fail(t, TINY_E_ARG, "%s: axis %d of %s is named twice", name, at, tn_text_of(u, text));
      return -1;
    }
    bits |= 1 << at;
  }
  return u->ndim ? bits : 0;
}

// Bits of one axis, of TINY_AXES or, for TINY_ALL, of all; -1 after an error.
static int tn_one_axis(tiny_ctx *t, const char *name, const tiny_uop *u, int axis) {
  tiny_shape list = {1, {axis}};
  if (axis >> 30 == 1) {
    list.ndim = 0;
    for (int i = 0; i < 30; i++)
      if (axis >> i & 1 && list.ndim < TINY_MAX_DIMS) list.dim[list.ndim++] = i < 16 ? i : i - 30;
  }
  return tn_axis_bits(t, name, u, &list);
}

TINY_API tiny_tensor *tiny_permute(tiny_tensor *x, tiny_shape axes) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("permute", 1, &x, &out)) return out;
  if (axes.ndim != tn_uop_of(x)->ndim)
    return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "permute: %d axes for %s", axes.ndim, tn_text_of(tn_uop_of(x), a));
  if (tn_axis_bits(tn_ctx_of(x), "permute", tn_uop_of(x), &axes) < 0) return out;
  for (int i = 0; i < axes.ndim; i++) if (axes.dim[i] < 0) axes.dim[i] += axes.ndim;
  return tn_tensor_new(tn_ctx_of(x), tn_permute(tn_ctx_of(x), tn_uop_of(x), axes.dim));
}

TINY_API tiny_tensor *tiny_transpose(tiny_tensor *x, int a, int b) {
  tiny_tensor *out;
  if (!tn_usable("transpose", 1, &x, &out)) return out;
  a = tn_axis(tn_ctx_of(x), "transpose", tn_uop_of(x), a);
  b = a < 0 ? a : tn_axis(tn_ctx_of(x), "transpose", tn_uop_of(x), b);
  return b < 0 ? out : tn_tensor_new(tn_ctx_of(x), tn_swap(tn_ctx_of(x), tn_uop_of(x), a, b));
}

// The axes a and b of u from the front, which must be two; 0 after an error.
static int tn_two_axes(tiny_ctx *t, const char *name, const tiny_uop *u, int *a, int *b) {
  char text[TN_DIMS_TEXT];
  if ((*a = tn_axis(t, name, u, *a)) < 0 || (*b = tn_axis(t, name, u, *b)) < 0) return 0;
  if (*a != *b && u->ndim) return 1;
  tiny_fail(t, TINY_E_ARG, "%s: axis %d of %s is named twice", name, *a, tn_text_of(u, text));
  return 0;
}
// Axis from goes to where to is; the others keep their order.
static tiny_uop *tn_move_axis(tiny_ctx *t, tiny_uop *x, int from, int to) {
  int64_t axes[TN_MAX_DIMS];
  if (tn_bad(t, x)) return x;
  for (int i = 0; i < x->ndim; i++)
    axes[i] = i == to ? from : from < to ? i + (i >= from && i < to) : i - (i > to && i <= from);
  return tn_permute(t, x, axes);
}
TINY_API tiny_tensor *tiny_movedim(tiny_tensor *x, int from, int to) {
  tiny_tensor *out;
  if (!tn_usable("movedim", 1, &x, &out)) return out;
  from = tn_axis(tn_ctx_of(x), "movedim", tn_uop_of(x), from);
  to = from < 0 ? from : tn_axis(tn_ctx_of(x), "movedim", tn_uop_of(x), to);
  return to < 0 ? out : tn_tensor_new(tn_ctx_of(x), tn_move_axis(tn_ctx_of(x), tn_uop_of(x), from, to));
}

static tiny_tensor *tn_expand_to(const char *name, tiny_tensor *x, tiny_shape s) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out = tn_poison(tn_ctx_of(x));
  const int lead = s.ndim - tn_uop_of(x)->ndim;
  for (int i = lead > 0 ? lead : 0; i < s.ndim && i < TINY_MAX_DIMS; i++)
    if (s.dim[i] == -1 && lead >= 0) s.dim[i] = tn_uop_of(x)->dim[i - lead];
  if (!tn_shape_valid(tn_ctx_of(x), name, &s)) return out;
  int n = s.ndim;
  int64_t dim[TN_MAX_DIMS];
  memcpy(dim, s.dim, sizeof s.dim);
  if (lead < 0 || !tn_broadcast_dims(tn_uop_of(x)->ndim, tn_uop_of(x)->dim, &n, dim) || !tn_dims_same(n, dim, s.dim))
    return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "%s: %s does not broadcast to %s", name, tn_text_of(tn_uop_of(x), a),
                    tn_dims_text(b, sizeof b, s.ndim, s.dim));
  return tn_tensor_new(tn_ctx_of(x), tn_expand(tn_ctx_of(x), tn_uop_of(x), n, dim));
}
TINY_API tiny_tensor *tiny_expand(tiny_tensor *x, tiny_shape s) {
  tiny_tensor *out;
  return tn_usable("expand", 1, &x, &out) ? tn_expand_to("expand", x, s) : out;
}
TINY_API tiny_tensor *tiny_expand_as(tiny_tensor *x, tiny_tensor *like) {
  tiny_tensor *out, *in[2] = {x, like};
  if (!tn_usable("expand_as", 2, in, &out)) return out;
  return tn_meant_as(tn_expand_to("expand_as", x, tiny_shape_of(like)), like);
}

// v[0..2*ndim) from the pairs of amounts of x's last axes; the axes before have `first` and, in bounds, their size.
static int tn_amounts(tiny_ctx *t, const char *name, const tiny_uop *u, const tiny_shape *s, int bounds,
                      int64_t *v) {
  char a[TN_DIMS_TEXT];
  if (s->ndim < 0 || s->ndim > TINY_MAX_DIMS || s->ndim % 2 || s->ndim > 2 * u->ndim) {
    tiny_fail(t, TINY_E_ARG, "%s: %d %s for %s, not pairs for its last axes", name, s->ndim,
              bounds ? "bounds" : "amounts", tn_text_of(u, a));
    return 0;
  }
  const int lead = 2 * u->ndim - s->ndim;
  for (int i = 0; i < 2 * u->ndim; i++)
    v[i] = i >= lead ? s->dim[i - lead] : bounds && i & 1 ? u->dim[i / 2] : 0;
  return 1;
}

TINY_API tiny_tensor *tiny_shrink(tiny_tensor *x, tiny_shape range) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  int64_t v[2 * TN_MAX_DIMS];
  tiny_tensor *out;
  if (!tn_usable("shrink", 1, &x, &out) || !tn_amounts(tn_ctx_of(x), "shrink", tn_uop_of(x), &range, 1, v)) return out;
  for (int i = 0; i < tn_uop_of(x)->ndim; i++) {
    if ((v[2 * i] || v[2 * i + 1] != tn_uop_of(x)->dim[i]) && !tn_axis_whole(tn_ctx_of(x), "shrink", tn_uop_of(x), i))
      return out;
    if (v[2 * i] >= 0 && v[2 * i] <= v[2 * i + 1] && v[2 * i + 1] <= tn_uop_of(x)->dim[i]) continue;
    return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "shrink: %s to %s", tn_text_of(tn_uop_of(x), a),
                    tn_dims_text(b, sizeof b, range.ndim, range.dim));
  }
  return tn_tensor_new(tn_ctx_of(x), tn_shrink(tn_ctx_of(x), tn_uop_of(x), v));
}

TINY_API tiny_tensor *tiny_flip(tiny_tensor *x, tiny_shape axes) {
  tiny_tensor *out;
  if (!tn_usable("flip", 1, &x, &out)) return out;
  const int bits = tn_axis_bits(tn_ctx_of(x), "flip", tn_uop_of(x), &axes);
  return bits < 0 ? out : tn_tensor_new(tn_ctx_of(x), tn_flip(tn_ctx_of(x), tn_uop_of(x), bits));
}

// Every step-th element of one axis, beginning with the first: (.., n*step, ..) -> (.., n, step, ..) -> (.., n, ..).
static tiny_uop *tn_every(tiny_ctx *t, tiny_uop *x, int axis, int64_t step) {
  if (tn_bad(t, x) || step == 1) return x;
  int64_t dim[TN_MAX_DIMS], folded[4] = {1, 0, step, 1};
  const int ndim = x->ndim;
  const int64_t n = x->dim[axis] / step + (x->dim[axis] % step != 0);
  for (int i = 0; i < ndim; i++) dim[i] = i == axis ? n : x->dim[i];
  if (n <= 1) return tn_cut(t, x, axis, 0, n);
  folded[0] = tn_dims_nelem(axis, dim);
  folded[1] = n;
  folded[3] = tn_dims_nelem(ndim - axis - 1, dim + axis + 1);
  x = tn_extend(t, x, axis, 0, n * step - x->dim[axis]);
  return tn_reshape(t, tn_cut(t, tn_reshape(t, x, 4, folded), 2, 0, 1), ndim, dim);
}

static tiny_uop *tn_merge(tiny_ctx *t, tiny_uop *x, int axis) {            // (.., a, b, ..) -> (.., a*b, ..)
  int64_t dim[TN_MAX_DIMS];
  if (tn_bad(t, x)) return x;
  for (int i = 0; i + 1 < x->ndim; i++)
    dim[i] = i < axis ? x->dim[i] : i == axis ? x->dim[i] * x->dim[i + 1] : x->dim[i + 1];
  return tn_reshape(t, x, x->ndim - 1, dim);
}

// Zeros between the elements of an axis: n -> (n-1) step + 1.
static tiny_uop *tn_spread(tiny_ctx *t, tiny_uop *x, int axis, int64_t step) {
  if (tn_bad(t, x) || step == 1) return x;
  const int64_t n = x->dim[axis];
  x = tn_extend(t, tn_split(t, x, axis, n, 1), axis + 1, 0, step - 1);
  return tn_cut(t, tn_merge(t, x, axis), axis, 0, (n - 1) * step + 1);
}

// Bounds as Python's slice.indices gives them (CPython, PySlice_AdjustIndices); open: what stands for one left out.
static int64_t tn_slice_bound(int64_t at, int64_t size, int64_t low, int64_t high, int64_t open) {
  if (at == TINY_END) return open;
  if (at < 0) at += size;
  return at < low ? low : at > high ? high : at;
}

// The arguments of a slice of x: *axis and *start from the front, *m elements. 0 after an error.
static int tn_slice_part(const char *name, tiny_tensor *x, int *axis, int64_t *start, int64_t stop, int64_t step,
                         int64_t *m) {
  if (!tn_uop_of(x)->ndim) {
    tiny_fail(tn_ctx_of(x), TINY_E_SHAPE, "%s: a 0-d tensor has no axis %d", name, *axis);
    return 0;
  }
  if (!step || step == INT64_MIN) {
    tiny_fail(tn_ctx_of(x), TINY_E_ARG, "%s: step %lld", name, (long long)step);
    return 0;
  }
  if ((*axis = tn_axis(tn_ctx_of(x), name, tn_uop_of(x), *axis)) < 0) return 0;
  if (!tn_axis_whole(tn_ctx_of(x), name, tn_uop_of(x), *axis)) return 0;
  const int64_t size = tn_uop_of(x)->dim[*axis], low = step < 0 ? -1 : 0, high = step < 0 ? size - 1 : size;
  *start = tn_slice_bound(*start, size, low, high, step < 0 ? high : low);
  stop = tn_slice_bound(stop, size, low, high, step < 0 ? low : high);
  const int64_t by = step < 0 ? -step : step, span = step < 0 ? *start - stop : stop - *start;
  *m = span <= 0 ? 0 : span / by + (span % by != 0);
  return 1;
}
TINY_API tiny_tensor *tiny_slice(tiny_tensor *x, int axis, int64_t start, int64_t stop, int64_t step) {
  tiny_tensor *out;
  int64_t m;
  if (!tn_usable("slice", 1, &x, &out) || !tn_slice_part("slice", x, &axis, &start, stop, step, &m)) return out;
  tiny_uop *u = tn_uop_of(x);
  if (!m) return tn_tensor_new(tn_ctx_of(x), tn_cut(tn_ctx_of(x), u, axis, 0, 0));
  const int64_t by = step < 0 ? -step : step, reach = (m - 1) * by;
  if (step > 0) u = tn_cut(tn_ctx_of(x), u, axis, start, start + reach + 1);
  else u = tn_flip(tn_ctx_of(x), tn_cut(tn_ctx_of(x), u, axis, start - reach, start + 1), (int64_t)1 << axis);
  return tn_tensor_new(tn_ctx_of(x), tn_every(tn_ctx_of(x), u, axis, by));
}

TINY_API tiny_tensor *tiny_squeeze(tiny_tensor *x, int axis) {
  tiny_tensor *out;
  if (!tn_usable("squeeze", 1, &x, &out)) return out;
  const int bits = tn_one_axis(tn_ctx_of(x), "squeeze", tn_uop_of(x), axis);
  if (bits < 0) return out;
  int64_t dim[TN_MAX_DIMS];
  int n = 0;
  for (int i = 0; i < tn_uop_of(x)->ndim; i++)
    if (tn_uop_of(x)->dim[i] != 1 || !(bits >> i & 1)) dim[n++] = tn_uop_of(x)->dim[i];
  return tn_tensor_new(tn_ctx_of(x), tn_reshape(tn_ctx_of(x), tn_uop_of(x), n, dim));
}

TINY_API tiny_tensor *tiny_unsqueeze(tiny_tensor *x, int axis) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("unsqueeze", 1, &x, &out)) return out;
  const int n = tn_uop_of(x)->ndim, at = axis < 0 ? axis + n + 1 : axis;
  if (at < 0 || at > n)
    return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "unsqueeze: axis %d is out of range for %s", axis,
                    tn_text_of(tn_uop_of(x), a));
  if (n == TINY_MAX_DIMS)
    return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "unsqueeze: %s has %d dims already", tn_text_of(tn_uop_of(x), a), n);
  return tn_tensor_new(tn_ctx_of(x), tn_insert(tn_ctx_of(x), tn_uop_of(x), at));
}

TINY_API tiny_tensor *tiny_flatten(tiny_tensor *x, int first, int last) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("flatten", 1, &x, &out)) return out;
  if ((first = tn_axis(tn_ctx_of(x), "flatten", tn_uop_of(x), first)) < 0 ||
      (last = tn_axis(tn_ctx_of(x), "flatten", tn_uop_of(x), last)) < 0)
    return out;
  if (first > last)
    return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "flatten: axes %d to %d of %s", first, last, tn_text_of(tn_uop_of(x), a));
  int64_t dim[TN_MAX_DIMS] = {1};
  int n = 0;
  for (int i = 0; i < tn_uop_of(x)->ndim; i++) {
    if (i > first && i <= last) dim[n - 1] *= tn_uop_of(x)->dim[i];
    else dim[n++] = tn_uop_of(x)->dim[i];
  }
  return tn_tensor_new(tn_ctx_of(x), tn_reshape(tn_ctx_of(x), tn_uop_of(x), n ? n : 1, dim));
}

TINY_API tiny_tensor *tiny_unflatten(tiny_tensor *x, int axis, tiny_shape sizes) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("unflatten", 1, &x, &out)) return out;
  const tiny_uop *u = tn_uop_of(x);
  if ((axis = tn_axis(tn_ctx_of(x), "unflatten", u, axis)) < 0) return out;
  if (!u->ndim || sizes.ndim < 1 || sizes.ndim + u->ndim - 1 > TINY_MAX_DIMS)
    return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "unflatten: axis %d of %s into %d", axis, tn_text_of(u, a),
                    sizes.ndim);
  tiny_shape s = {u->ndim + sizes.ndim - 1, {0}};
  for (int i = 0; i < s.ndim; i++)
    s.dim[i] = i < axis        ? u->dim[i] :
        i < axis + sizes.ndim ? sizes.dim[i - axis] :
                                u->dim[i - sizes.ndim + 1];
  int64_t known = 1;
  int unknown = -1;
  for (int i = axis; i < axis + sizes.ndim; i++) {
    if (s.dim[i] == -1 && unknown < 0) unknown = i;
    else known = tn_clamp_mul(known, s.dim[i]);
  }
  if (unknown >= 0) s.dim[unknown] = known > 0 && u->dim[axis] % known == 0 ? u->dim[axis] / known : -1;
  if (unknown >= 0) known = tn_clamp_mul(known, s.dim[unknown]);
  if (known != u->dim[axis])
    return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "unflatten: axis %d of %s into %s", axis, tn_text_of(u, a),
                    tn_dims_text(b, sizeof b, sizes.ndim, sizes.dim));
  if (!tn_shape_valid(tn_ctx_of(x), "unflatten", &s)) return out;
  return tn_tensor_new(tn_ctx_of(x), tn_reshape(tn_ctx_of(x), tn_uop_of(x), s.ndim, s.dim));
}

// ** parts **

TINY_API tiny_tensor *tiny_narrow(tiny_tensor *x, int axis, int64_t start, int64_t length) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("narrow", 1, &x, &out) || (axis = tn_axis(tn_ctx_of(x), "narrow", tn_uop_of(x), axis)) < 0) return out;
  if (!tn_axis_whole(tn_ctx_of(x), "narrow", tn_uop_of(x), axis)) return out;
  const int64_t size = tn_uop_of(x)->ndim ? tn_uop_of(x)->dim[axis] : 0, from = start < 0 ? start + size : start;
  if (!tn_uop_of(x)->ndim || from < 0 || length < 0 || from > size || length > size - from)
    return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "narrow: %lld from %lld on along axis %d of %s", (long long)length,
                    (long long)start, axis, tn_text_of(tn_uop_of(x), a));
  return tn_tensor_new(tn_ctx_of(x), tn_cut(tn_ctx_of(x), tn_uop_of(x), axis, from, from + length));
}

// u without an axis of size 1.
static tiny_uop *tn_drop(tiny_ctx *t, tiny_uop *u, int axis) {
  int64_t dim[TN_MAX_DIMS];
  if (tn_bad(t, u)) return u;
  for (int i = 0; i + 1 < u->ndim; i++) dim[i] = u->dim[i + (i >= axis)];
  return tn_reshape(t, u, u->ndim - 1, dim);
}
TINY_API tiny_tensor *tiny_select(tiny_tensor *x, int axis, int64_t index) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("select", 1, &x, &out) || (axis = tn_axis(tn_ctx_of(x), "select", tn_uop_of(x), axis)) < 0) return out;
  if (!tn_axis_whole(tn_ctx_of(x), "select", tn_uop_of(x), axis)) return out;
  const int64_t size = tn_uop_of(x)->ndim ? tn_uop_of(x)->dim[axis] : 0, at = index < 0 ? index + size : index;
  if (at < 0 || at >= size)
    return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "select: element %lld of axis %d of %s", (long long)index, axis,
                    tn_text_of(tn_uop_of(x), a));
  return tn_tensor_new(tn_ctx_of(x), tn_drop(tn_ctx_of(x), tn_cut(tn_ctx_of(x), tn_uop_of(x), axis, at, at + 1), axis));
}

// What an operator with several results begins with: out[0..n) all poison. 0: it cannot go on.
static int tn_results(const char *name, int nx, tiny_tensor *const *x, tiny_tensor **out, int n) {
  tiny_tensor *poison = NULL;
  const int usable = nx > 0 && x && tn_usable(name, nx, x, &poison);
  tiny_ctx *t = poison ? tn_ctx_of(poison) : NULL;
  if (t && (n < 0 || (n && !out))) {
    tn_wrong(t, TINY_E_ARG, "%s: room for %d results%s", name, n, out ? "" : " at NULL");
    return 0;
  }
  for (int i = 0; i < n && out; i++) out[i] = poison;
  return usable;
}
// x in parts along axis, each of `size` elements or, if given, of sizes[i]; without the axis if drop is set.
static int tn_parts(const char *name, tiny_tensor *x, int axis, int64_t size, const int64_t *sizes,
                    int64_t count, int drop, tiny_tensor **out, int n) {
  char a[TN_DIMS_TEXT];
  tiny_uop *u = tn_uop_of(x);
  if (count > n) {
    tn_wrong(tn_ctx_of(x), TINY_E_ARG, "%s: %s has %lld parts along axis %d, but there is room for %d", name,
             tn_text_of(u, a), (long long)count, axis, n);
    return 0;
  }
  int64_t at = 0;
  for (int i = 0; i < (int)count; i++) {
    const int64_t left = u->dim[axis] - at, here = sizes ? sizes[i] : size < left ? size : left;
    tiny_uop *part = tn_cut(tn_ctx_of(x), u, axis, at, at + here);
    out[i] = tn_tensor_new(tn_ctx_of(x), drop ? tn_drop(tn_ctx_of(x), part, axis) : part);
    at += here;
  }
  for (int i = (int)count; i < n; i++) out[i] = NULL;
  return (int)count;
}
// The axis that an operator parts x along; -1 after an error.
static int tn_part_axis(const char *name, tiny_tensor *x, int axis, tiny_tensor **out, int n) {
  if (!tn_results(name, 1, &x, out, n)) return -1;
  if (tn_uop_of(x)->ndim) {
    axis = tn_axis(tn_ctx_of(x), name, tn_uop_of(x), axis);
    return axis >= 0 && tn_axis_whole(tn_ctx_of(x), name, tn_uop_of(x), axis) ? axis : -1;
  }
  tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "%s: a 0-d tensor has no axis %d", name, axis);
  return -1;
}
TINY_API int tiny_split(tiny_tensor *x, int64_t size, int axis, tiny_tensor **out, int n) {
  char a[TN_DIMS_TEXT];
  if ((axis = tn_part_axis("split", x, axis, out, n)) < 0) return 0;
  const int64_t whole = tn_uop_of(x)->dim[axis];
  if (size < (whole > 0)) {
    tn_wrong(tn_ctx_of(x), TINY_E_ARG, "split: %s in parts of %lld", tn_text_of(tn_uop_of(x), a), (long long)size);
    return 0;
  }
  return tn_parts("split", x, axis, size, NULL, whole ? whole / size + (whole % size != 0) : 1, 0, out, n);
}
TINY_API int tiny_split_sizes(tiny_tensor *x, const int64_t *sizes, int n, int axis, tiny_tensor **out) {
  char a[TN_DIMS_TEXT];
  if ((axis = tn_part_axis("split_sizes", x, axis, out, n)) < 0) return 0;
  const int64_t whole = tn_uop_of(x)->dim[axis];
  int64_t sum = n && !sizes ? -1 : 0;
  for (int i = 0; i < n && sum >= 0; i++) sum = sizes[i] < 0 || sizes[i] > whole - sum ? -1 : sum + sizes[i];
  if (sum == whole) return tn_parts("split_sizes", x, axis, 0, sizes, n, 0, out, n);
  tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "split_sizes: the %d sizes do not add up to axis %d of %s", n, axis,
           tn_text_of(tn_uop_of(x), a));
  return 0;
}
TINY_API int tiny_chunk(tiny_tensor *x, int n, int axis, tiny_tensor **out) {
  if ((axis = tn_part_axis("chunk", x, axis, out, n)) < 0) return 0;
  if (!n) { tn_wrong(tn_ctx_of(x), TINY_E_ARG, "chunk: in 0 parts"); return 0; }
  const int64_t whole = tn_uop_of(x)->dim[axis], size = whole / n + (whole % n != 0);
  return tn_parts("chunk", x, axis, size, NULL, whole ? whole / size + (whole % size != 0) : n, 0, out, n);
}
TINY_API int tiny_unbind(tiny_tensor *x, int axis, tiny_tensor **out, int n) {
  if ((axis = tn_part_axis("unbind", x, axis, out, n)) < 0) return 0;
  return tn_parts("unbind", x, axis, 1, NULL, tn_uop_of(x)->dim[axis], 1, out, n);
}

// ** repetition **

// The same with dims that stay apart, as lengths are of one.
static tiny_uop *tn_repeat_apart(tiny_ctx *t, tiny_uop *x, int axis, int64_t times, int each) {
  int64_t dim[TN_MAX_DIMS];
  const int at = axis + (each != 0);
  if (tn_bad(t, x = tn_insert(t, x, at))) return x;
  memcpy(dim, x->dim, x->ndim * sizeof *dim);
  dim[at] = times;
  return tn_merge(t, tn_expand(t, x, x->ndim, dim), axis);
}
// Along axis: x end to end, or each element by itself, as often as times says: (before, 1, after) grown in the middle.
static tiny_uop *tn_repeat(tiny_ctx *t, tiny_uop *x, int axis, int64_t times, int each) {
  int64_t dim[TN_MAX_DIMS], part[3];
  if (tn_bad(t, x) || times == 1) return x;
  if (x->extent) return tn_repeat_apart(t, x, axis, times, each);
  const int n = x->ndim, cut = axis + (each != 0);
  for (int i = 0; i < n; i++) dim[i] = x->dim[i];
  part[0] = tn_dims_nelem(cut, dim); part[1] = 1; part[2] = tn_dims_nelem(n - cut, dim + cut);
  x = tn_reshape(t, x, 3, part);
  part[1] = times;
  dim[axis] *= times;
  return tn_reshape(t, tn_expand(t, x, 3, part), n, dim);
}
static tiny_tensor *tn_tile_named(const char *name, tiny_tensor *x, tiny_shape times) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out) || !tn_shape_valid(tn_ctx_of(x), name, &times)) return out;
  tiny_uop *u = tn_uop_of(x);
  tiny_shape s = {times.ndim > u->ndim ? times.ndim : u->ndim, {0}}, grown;
  for (int i = 0; i < s.ndim; i++) s.dim[i] = i < s.ndim - u->ndim ? 1 : u->dim[i - (s.ndim - u->ndim)];
  grown = s;
  for (int i = 0; i < times.ndim; i++)
    grown.dim[i + s.ndim - times.ndim] = tn_clamp_mul(grown.dim[i + s.ndim - times.ndim], times.dim[i]);
  if (!tn_shape_valid(tn_ctx_of(x), name, &grown))
    return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "%s: %s by %s", name, tn_text_of(u, a),
                    tn_dims_text(b, sizeof b, times.ndim, times.dim));
  for (int i = 0; i < times.ndim && i < u->ndim; i++)
    if (times.dim[times.ndim - 1 - i] != 1 &&
        !tn_axis_whole_for(tn_ctx_of(x), name, u, u->ndim - 1 - i, "tiny_cat lays it behind itself"))
      return out;
  u = tn_reshape(tn_ctx_of(x), u, s.ndim, s.dim);
  for (int i = 0; i < times.ndim; i++) u = tn_repeat(tn_ctx_of(x), u, i + s.ndim - times.ndim, times.dim[i], 0);
  return tn_tensor_new(tn_ctx_of(x), u);
}
TINY_API tiny_tensor *tiny_tile(tiny_tensor *x, tiny_shape times) { return tn_tile_named("tile", x, times); }
TINY_API tiny_tensor *tiny_repeat(tiny_tensor *x, tiny_shape times) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("repeat", 1, &x, &out) || !tn_shape_valid(tn_ctx_of(x), "repeat", &times)) return out;
  if (times.ndim < tn_uop_of(x)->ndim)
    return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "repeat: %s by %s: a number for each axis", tn_text_of(tn_uop_of(x), a),
                    tn_dims_text(b, sizeof b, times.ndim, times.dim));
  return tn_tile_named("repeat", x, times);
}
TINY_API tiny_tensor *tiny_repeat_interleave(tiny_tensor *x, int64_t times, int axis) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("repeat_interleave", 1, &x, &out)) return out;
  tiny_uop *u = tn_uop_of(x);
  const int64_t nelem = tiny_nelem_of(x);
  if (axis == TINY_ALL || !u->ndim) u = tn_reshape(tn_ctx_of(x), u, 1, &nelem);
  if (tn_bad(tn_ctx_of(x), u)) return out;
  if ((axis = axis == TINY_ALL ? 0 : tn_axis(tn_ctx_of(x), "repeat_interleave", u, axis)) < 0) return out;
  tiny_shape s = {u->ndim, {0}};
  for (int i = 0; i < u->ndim; i++) s.dim[i] = i == axis ? tn_clamp_mul(u->dim[i], times) : u->dim[i];
  if (times < 0)
    return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "repeat_interleave: %s %lld times", tn_text_of(u, a), (long long)times);
  if (!tn_shape_valid(tn_ctx_of(x), "repeat_interleave", &s)) return out;
  return tn_tensor_new(tn_ctx_of(x), tn_repeat(tn_ctx_of(x), u, axis, times, 1));
}

// (.., n, ..) -> (.., windows, .., size): element (w, k) is x[w * step + k]. x, made long enough, is laid end
// to end and
// cut into size rows that are longer than x by one: row k begins k elements later in x, and every step-th counts.
static tiny_uop *tn_slide(tiny_ctx *t, tiny_uop *x, int axis, int64_t windows, int64_t size, int64_t step) {
  int64_t dim[TN_MAX_DIMS], part[5];
  if (tn_bad(t, x)) return x;
  const int n = x->ndim;
  for (int i = 0; i < n; i++) dim[i] = x->dim[i];
  const int64_t before = tn_dims_nelem(axis, dim), after = tn_dims_nelem(n - axis - 1, dim + axis + 1),
                span = windows * step,
                length = span + size - 1 > dim[axis] ? span + size - 1 : dim[axis];
  x = tn_extend(t, x, axis, 0, length - dim[axis]);
  x = tn_repeat(t, x, axis, size + (size + length - 1) / length, 0);
  if (tn_bad(t, x)) return x;
  part[0] = before; part[1] = x->dim[axis]; part[2] = after;
  x = tn_cut(t, tn_reshape(t, x, 3, part), 1, 0, size * (length + 1));
  part[1] = size; part[2] = length + 1; part[3] = after;
  x = tn_cut(t, tn_reshape(t, x, 4, part), 2, 0, span);
  part[2] = windows; part[3] = step; part[4] = after;
  x = tn_cut(t, tn_reshape(t, x, 5, part), 3, 0, 1);
  part[3] = after;
  x = tn_move_axis(t, tn_reshape(t, x, 4, part), 1, 3);
  dim[axis] = windows; dim[n] = size;
  return tn_reshape(t, x, n + 1, dim);
}
TINY_API tiny_tensor *tiny_sliding_window(tiny_tensor *x, int axis, int64_t size, int64_t step) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("sliding_window", 1, &x, &out)) return out;
  if ((axis = tn_axis(tn_ctx_of(x), "sliding_window", tn_uop_of(x), axis)) < 0) return out;
  const tiny_uop *u = tn_uop_of(x);
  if (!u->ndim || u->ndim == TINY_MAX_DIMS || size < 0 || size > u->dim[axis] || step < 1)
    return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "sliding_window: %lld every %lld along axis %d of %s", (long long)size,
                    (long long)step, axis, tn_text_of(u, a));
  if (!tn_axis_whole_for(tn_ctx_of(x), "sliding_window", u, axis, "tiny_conv and the pools have windows along it"))
    return out;
  const int64_t windows = (u->dim[axis] - size) / step + 1;
  tiny_shape s = tiny_shape_of(x);
  s.dim[axis] = windows; s.dim[s.ndim++] = size;
  if (!tn_shape_valid(tn_ctx_of(x), "sliding_window", &s)) return out;
  if (!size || !tiny_nelem_of(x)) {
    tiny_uop *none = tn_expand(tn_ctx_of(x), tn_k(tn_ctx_of(x), u, 0), s.ndim, s.dim);
    return tn_tensor_new(tn_ctx_of(x), tn_firsts_of(tn_ctx_of(x), none, u));
  }
  if (step > u->dim[axis]) step = u->dim[axis];
  return tn_tensor_new(tn_ctx_of(x), tn_slide(tn_ctx_of(x), tn_uop_of(x), axis, windows, size, step));
}

TINY_API int tiny_meshgrid(tiny_tensor *const *xs, int n, int xy, tiny_tensor **out) {
  char a[TN_DIMS_TEXT];
  if (!tn_results("meshgrid", n, xs, out, n)) return 0;
  tiny_ctx *t = tn_ctx_of(xs[0]);
  tiny_shape s = {n, {0}};
  if (n > TINY_MAX_DIMS) { tn_wrong(t, TINY_E_ARG, "meshgrid: %d axes", n); return 0; }
  for (int i = 0; i < n; i++) {
    const tiny_uop *u = tn_uop_of(xs[i]);
    const int at = xy && n > 1 && i < 2 ? 1 - i : i;
    s.dim[at] = u->ndim ? u->dim[0] : 1;
    if (u->ndim < 2) continue;
    tn_wrong(t, TINY_E_SHAPE, "meshgrid: argument %d is %s, not a list", i + 1, tn_text_of(u, a));
    return 0;
  }
  if (!tn_shape_valid(t, "meshgrid", &s)) return 0;
  for (int i = 0; i < n; i++) {
    const int at = xy && n > 1 && i < 2 ? 1 - i : i;
    int64_t one[TN_MAX_DIMS];
    for (int k = 0; k < n; k++) one[k] = k == at ? s.dim[k] : 1;
    out[i] = tn_tensor_new(t, tn_expand(t, tn_reshape(t, tn_uop_of(xs[i]), n, one), n, s.dim));
  }
  return n;
}

// ** turns and diagonals **

TINY_API tiny_tensor *tiny_rot90(tiny_tensor *x, int turns, int a, int b) {
  tiny_tensor *out;
  if (!tn_usable("rot90", 1, &x, &out) || !tn_two_axes(tn_ctx_of(x), "rot90", tn_uop_of(x), &a, &b)) return out;
  turns = (turns % 4 + 4) % 4;
  const int64_t flips = (turns > 1 ? (int64_t)1 << a : 0) | (turns == 1 || turns == 2 ? (int64_t)1 << b : 0);
  tiny_uop *u = tn_flip(tn_ctx_of(x), tn_uop_of(x), flips);
  return tn_tensor_new(tn_ctx_of(x), turns & 1 ? tn_swap(tn_ctx_of(x), u, a, b) : u);
}

// The diagonal of the last two axes: of the square (L, L) that it crosses, laid flat with L more behind it, every
// (L+1)-th element.
static tiny_uop *tn_diagonal(tiny_ctx *t, tiny_uop *x, int64_t diagonal) {
  int64_t dim[TN_MAX_DIMS];
  if (tn_bad(t, x)) return x;
  const int n = x->ndim;
  const int64_t rows = x->dim[n - 2], columns = x->dim[n - 1];
  const int64_t row = diagonal < -rows ? rows : diagonal < 0 ? -diagonal : 0,
                column = diagonal > columns ? columns : diagonal > 0 ? diagonal : 0;
  const int64_t L = rows - row < columns - column ? rows - row : columns - column;
  for (int i = 0; i < n; i++) dim[i] = x->dim[i];
  x = tn_cut(t, tn_cut(t, x, n - 2, row, row + L), n - 1, column, column + L);
  dim[n - 2] = L * L;
  x = tn_reshape(t, x, n - 1, dim);
  if (L) {
    x = tn_extend(t, x, n - 2, 0, L);
    dim[n - 2] = L; dim[n - 1] = L + 1;
    x = tn_cut(t, tn_reshape(t, x, n, dim), n - 1, 0, 1);
  }
  return tn_reshape(t, x, n - 1, dim);
}
TINY_API tiny_tensor *tiny_diagonal(tiny_tensor *x, int64_t diagonal, int a, int b) {
  tiny_tensor *out;
  if (!tn_usable("diagonal", 1, &x, &out) || !tn_two_axes(tn_ctx_of(x), "diagonal", tn_uop_of(x), &a, &b)) return out;
  const int n = tn_uop_of(x)->ndim;
  tiny_uop *u = tn_move_axis(tn_ctx_of(x), tn_uop_of(x), a, n - 1);
  u = tn_move_axis(tn_ctx_of(x), u, b < a ? b : b - 1, n - 1);
  return tn_tensor_new(tn_ctx_of(x), tn_diagonal(tn_ctx_of(x), u, diagonal));
}
// The last axis of x on the diagonal of a square of the last two, zeros elsewhere.
static tiny_uop *tn_diag_embed(tiny_ctx *t, tiny_uop *x, int64_t diagonal) {
  if (tn_bad(t, x)) return x;
  const int n = x->ndim + 1;
  const int64_t by = diagonal < 0 ? -diagonal : diagonal, size = x->dim[n - 2] + by;
  tiny_uop *on = tn_diagonal_mask(t, TN_ON, size, size, n, diagonal);
  // Below the main diagonal columns count the elements, above it rows.
  x = tn_insert(t, tn_extend(t, x, n - 2, 0, by), diagonal < 0 ? n - 2 : n - 1);
  return tn_where(t, on, x, tn_k(t, x, 0));
}
TINY_API tiny_tensor *tiny_diag_embed(tiny_tensor *x, int64_t diagonal, int a, int b) {
  char text[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("diag_embed", 1, &x, &out)) return out;
  const int n = tn_uop_of(x)->ndim + 1, first = a < 0 ? a + n : a, second = b < 0 ? b + n : b;
  tiny_shape s = tiny_shape_of(x);
  if (n < 2 || first < 0 || second < 0 || first >= n || second >= n || first == second)
    return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "diag_embed: axes %d and %d of a result of %s", a, b,
                    tn_text_of(tn_uop_of(x), text));
  const int64_t limit = (int64_t)1 << 30;
  const int64_t by = diagonal < -limit || diagonal > limit ? limit : diagonal < 0 ? -diagonal : diagonal;
  if (n <= TINY_MAX_DIMS) s.dim[n - 1] = s.dim[n - 2] += by;
  s.ndim = n;
  if (!tn_shape_valid(tn_ctx_of(x), "diag_embed", &s)) return out;
  // The later of two axes that are moved to their places is put there last.
  tiny_uop *u = tn_diag_embed(tn_ctx_of(x), tn_uop_of(x), diagonal);
  u = first < second ? tn_move_axis(tn_ctx_of(x), tn_move_axis(tn_ctx_of(x), u, n - 2, first), n - 1, second) :
                       tn_move_axis(tn_ctx_of(x), tn_move_axis(tn_ctx_of(x), u, n - 1, second), n - 1, first);
  return tn_tensor_new(tn_ctx_of(x), u);
}
TINY_API tiny_tensor *tiny_diag(tiny_tensor *x, int64_t diagonal) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("diag", 1, &x, &out)) return out;
  if (tn_uop_of(x)->ndim == 1) return tiny_diag_embed(x, diagonal, 0, 1);
  if (tn_uop_of(x)->ndim == 2) return tn_tensor_new(tn_ctx_of(x), tn_diagonal(tn_ctx_of(x), tn_uop_of(x), diagonal));
  return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "diag: %s is no list or matrix", tn_text_of(tn_uop_of(x), a));
}
#endif
