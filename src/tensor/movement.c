// movement: operators that give another view of the same elements, and cat and stack, which add padded parts.
#ifndef TN_TENSOR_MOVEMENT
#define TN_TENSOR_MOVEMENT
#ifndef TINY_AMALGAMATED
#include "create.c"
#endif

TINY_API tiny_tensor *tiny_reshape(tiny_tensor *x, tiny_shape s) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("reshape", 1, &x, &out)) return out;
  const int64_t have = tiny_nelem(x);
  int unknown = -1;
  int64_t rest = 1;
  for (int i = 0; i < s.ndim && i < TINY_MAX_DIMS; i++) {
    if (s.dim[i] == -1 && unknown < 0) unknown = i;
    else rest = tn_clamp_mul(rest, s.dim[i]);
  }
  if (unknown >= 0) s.dim[unknown] = rest > 0 && have % rest == 0 ? have / rest : -1;
  if (unknown >= 0 && s.dim[unknown] < 0)
    return tn_wrong(x->t, TINY_E_SHAPE, "reshape: %s cannot become %s", tn_text_of(x->uop, a),
                    tn_dims_text(b, sizeof b, s.ndim < TINY_MAX_DIMS ? s.ndim : TINY_MAX_DIMS, s.dim));
  if (!tn_shape_valid(x->t, "reshape", &s)) return out;
  if (tn_dims_nelem(s.ndim, s.dim) != have)
    return tn_wrong(x->t, TINY_E_SHAPE, "reshape: %s has %lld elements, %s has %lld", tn_text_of(x->uop, a),
                    (long long)have, tn_dims_text(b, sizeof b, s.ndim, s.dim),
                    (long long)tn_dims_nelem(s.ndim, s.dim));
  return tn_tensor_new(x->t, tn_reshape(x->t, x->uop, s.ndim, s.dim));
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
                axes->dim[i] < -TINY_MAX_DIMS || axes->dim[i] > TINY_MAX_DIMS ? 99 : (int)axes->dim[i]);
    if (at < 0) return -1;
    if (bits >> at & 1) {
      tiny_fail(t, TINY_E_ARG, "%s: axis %d of %s is named twice", name, at, tn_text_of(u, text));
      return -1;
    }
    bits |= 1 << at;
  }
  return u->ndim ? bits : 0;
}

TINY_API tiny_tensor *tiny_permute(tiny_tensor *x, tiny_shape axes) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("permute", 1, &x, &out)) return out;
  if (axes.ndim != x->uop->ndim)
    return tn_wrong(x->t, TINY_E_ARG, "permute: %d axes for %s", axes.ndim, tn_text_of(x->uop, a));
  if (tn_axis_bits(x->t, "permute", x->uop, &axes) < 0) return out;
  for (int i = 0; i < axes.ndim; i++) if (axes.dim[i] < 0) axes.dim[i] += axes.ndim;
  return tn_tensor_new(x->t, tn_permute(x->t, x->uop, axes.dim));
}

TINY_API tiny_tensor *tiny_transpose(tiny_tensor *x, int a, int b) {
  tiny_tensor *out;
  if (!tn_usable("transpose", 1, &x, &out)) return out;
  a = tn_axis(x->t, "transpose", x->uop, a);
  b = a < 0 ? a : tn_axis(x->t, "transpose", x->uop, b);
  return b < 0 ? out : tn_tensor_new(x->t, tn_swap(x->t, x->uop, a, b));
}

TINY_API tiny_tensor *tiny_expand(tiny_tensor *x, tiny_shape s) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("expand", 1, &x, &out)) return out;
  const int lead = s.ndim - x->uop->ndim;
  for (int i = lead > 0 ? lead : 0; i < s.ndim && i < TINY_MAX_DIMS; i++)
    if (s.dim[i] == -1 && lead >= 0) s.dim[i] = x->uop->dim[i - lead];
  if (!tn_shape_valid(x->t, "expand", &s)) return out;
  int n = s.ndim;
  int64_t dim[TINY_MAX_DIMS];
  memcpy(dim, s.dim, sizeof dim);
  if (lead < 0 || !tn_broadcast_dims(x->uop->ndim, x->uop->dim, &n, dim) || !tn_dims_same(n, dim, s.dim))
    return tn_wrong(x->t, TINY_E_SHAPE, "expand: %s does not broadcast to %s", tn_text_of(x->uop, a),
                    tn_dims_text(b, sizeof b, s.ndim, s.dim));
  return tn_tensor_new(x->t, tn_expand(x->t, x->uop, n, dim));
}

// x surrounded by value; where is the mask of what came from x.
static tiny_uop *tn_pad_with(tiny_ctx *t, tiny_uop *x, const int64_t *before_after, tiny_uop *value) {
  tiny_uop *padded = tn_pad(t, x, before_after);
  if (tn_bad(t, x) || tn_bad(t, value) || tn_bad(t, padded) || padded == x) return padded;
  if (value->k == 0) return padded;        // as integer and as f64
  tiny_uop *inside = tn_pad(t, tn_expand(t, tn_bool(t, 1), x->ndim, x->dim), before_after);
  return tn_where(t, inside, padded, value);
}

TINY_API tiny_tensor *tiny_pad(tiny_tensor *x, tiny_shape amount, double value) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("pad", 1, &x, &out)) return out;
  tiny_uop *u = x->uop;
  if (amount.ndim != 2 * u->ndim)
    return tn_wrong(x->t, TINY_E_ARG, "pad: %d amounts for %s, which needs %d", amount.ndim, tn_text_of(u, a),
                    2 * u->ndim);
  int64_t crop[2 * TINY_MAX_DIMS], grow[2 * TINY_MAX_DIMS];
  tiny_shape s = {u->ndim, {0}};
  for (int i = 0; i < 2 * u->ndim; i++) {
    const int64_t v = amount.dim[i], size = u->dim[i / 2];
    if (v < -size || v > (int64_t)1 << 60)
      return tn_wrong(x->t, TINY_E_SHAPE, "pad: %s by %s", tn_text_of(u, a),
                      tn_dims_text(b, sizeof b, amount.ndim, amount.dim));
    crop[i] = i & 1 ? size + (v < 0 ? v : 0) : v < 0 ? -v : 0;
    grow[i] = v > 0 ? v : 0;
    if (i & 1 && crop[i - 1] > crop[i])
      return tn_wrong(x->t, TINY_E_SHAPE, "pad: %s by %s", tn_text_of(u, a),
                      tn_dims_text(b, sizeof b, amount.ndim, amount.dim));
    if (i & 1) s.dim[i / 2] = crop[i] - crop[i - 1] + grow[i] + grow[i - 1];
  }
  if (!tn_shape_valid(x->t, "pad", &s)) return out;
  return tn_tensor_new(x->t, tn_pad_with(x->t, tn_shrink(x->t, u, crop), grow, tn_k(x->t, u, value)));
}

TINY_API tiny_tensor *tiny_shrink(tiny_tensor *x, tiny_shape range) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("shrink", 1, &x, &out)) return out;
  if (range.ndim != 2 * x->uop->ndim)
    return tn_wrong(x->t, TINY_E_ARG, "shrink: %d bounds for %s, which needs %d", range.ndim,
                    tn_text_of(x->uop, a), 2 * x->uop->ndim);
  for (int i = 0; i < x->uop->ndim; i++) {
    if (range.dim[2 * i] >= 0 && range.dim[2 * i] <= range.dim[2 * i + 1] &&
        range.dim[2 * i + 1] <= x->uop->dim[i])
      continue;
    return tn_wrong(x->t, TINY_E_SHAPE, "shrink: %s to %s", tn_text_of(x->uop, a),
                    tn_dims_text(b, sizeof b, range.ndim, range.dim));
  }
  return tn_tensor_new(x->t, tn_shrink(x->t, x->uop, range.dim));
}

TINY_API tiny_tensor *tiny_flip(tiny_tensor *x, tiny_shape axes) {
  tiny_tensor *out;
  if (!tn_usable("flip", 1, &x, &out)) return out;
  const int bits = tn_axis_bits(x->t, "flip", x->uop, &axes);
  return bits < 0 ? out : tn_tensor_new(x->t, tn_flip(x->t, x->uop, bits));
}

// Every step-th element of one axis, beginning with the first: (.., n*step, ..) -> (.., n, step, ..) -> (.., n, ..).
static tiny_uop *tn_every(tiny_ctx *t, tiny_uop *x, int axis, int64_t step) {
  if (tn_bad(t, x) || step == 1) return x;
  int64_t dim[TINY_MAX_DIMS], folded[4] = {1, 0, step, 1};
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

// Bounds as Python's slice.indices gives them (CPython, PySlice_AdjustIndices).
static int64_t tn_slice_bound(int64_t at, int64_t size, int64_t low, int64_t high) {
  if (at < 0) at += size;
  return at < low ? low : at > high ? high : at;
}

TINY_API tiny_tensor *tiny_slice(tiny_tensor *x, int axis, int64_t start, int64_t stop, int64_t step) {
  tiny_tensor *out;
  if (!tn_usable("slice", 1, &x, &out)) return out;
  if (!x->uop->ndim) return tn_wrong(x->t, TINY_E_SHAPE, "slice: a 0-d tensor has no axis %d", axis);
  if (!step || step == INT64_MIN) return tn_wrong(x->t, TINY_E_ARG, "slice: step %lld", (long long)step);
  if ((axis = tn_axis(x->t, "slice", x->uop, axis)) < 0) return out;
  const int64_t size = x->uop->dim[axis], low = step < 0 ? -1 : 0, high = step < 0 ? size - 1 : size;
  start = tn_slice_bound(start, size, low, high);
  stop = tn_slice_bound(stop, size, low, high);
  const int64_t by = step < 0 ? -step : step, span = step < 0 ? start - stop : stop - start;
  tiny_uop *u = x->uop;
  if (span <= 0) return tn_tensor_new(x->t, tn_cut(x->t, u, axis, 0, 0));
  if (step > 0) u = tn_cut(x->t, u, axis, start, stop);
  else u = tn_flip(x->t, tn_cut(x->t, u, axis, stop + 1, start + 1), (int64_t)1 << axis);
  return tn_tensor_new(x->t, tn_every(x->t, u, axis, by));
}

TINY_API tiny_tensor *tiny_squeeze(tiny_tensor *x, int axis) {
  tiny_tensor *out;
  if (!tn_usable("squeeze", 1, &x, &out)) return out;
  if (axis != TINY_ALL && (axis = tn_axis(x->t, "squeeze", x->uop, axis)) < 0) return out;
  int64_t dim[TINY_MAX_DIMS];
  int n = 0;
  for (int i = 0; i < x->uop->ndim; i++)
    if (x->uop->dim[i] != 1 || (axis != TINY_ALL && axis != i)) dim[n++] = x->uop->dim[i];
  return tn_tensor_new(x->t, tn_reshape(x->t, x->uop, n, dim));
}

TINY_API tiny_tensor *tiny_unsqueeze(tiny_tensor *x, int axis) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("unsqueeze", 1, &x, &out)) return out;
  const int n = x->uop->ndim, at = axis < 0 ? axis + n + 1 : axis;
  if (at < 0 || at > n)
    return tn_wrong(x->t, TINY_E_ARG, "unsqueeze: axis %d is out of range for %s", axis,
                    tn_text_of(x->uop, a));
  if (n == TINY_MAX_DIMS)
    return tn_wrong(x->t, TINY_E_SHAPE, "unsqueeze: %s has %d dims already", tn_text_of(x->uop, a), n);
  return tn_tensor_new(x->t, tn_insert(x->t, x->uop, at));
}

TINY_API tiny_tensor *tiny_flatten(tiny_tensor *x, int first, int last) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("flatten", 1, &x, &out)) return out;
  if ((first = tn_axis(x->t, "flatten", x->uop, first)) < 0 ||
      (last = tn_axis(x->t, "flatten", x->uop, last)) < 0)
    return out;
  if (first > last)
    return tn_wrong(x->t, TINY_E_ARG, "flatten: axes %d to %d of %s", first, last, tn_text_of(x->uop, a));
  int64_t dim[TINY_MAX_DIMS] = {1};
  int n = 0;
  for (int i = 0; i < x->uop->ndim; i++) {
    if (i > first && i <= last) dim[n - 1] *= x->uop->dim[i];
    else dim[n++] = x->uop->dim[i];
  }
  return tn_tensor_new(x->t, tn_reshape(x->t, x->uop, n ? n : 1, dim));
}

// ** joining **

// Parts along an existing axis. Every part is padded with zeros to the whole and they are added: loads outside of a
// part are gated, so each element of the result reads one part.
static tiny_tensor *tn_join(const char *name, tiny_tensor *const *xs, int n, int axis, int stack) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (n <= 0 || !xs) return NULL;
  if (!tn_usable(name, n, xs, &out)) return out;
  tiny_ctx *t = xs[0]->t;
  const tiny_uop *first = xs[0]->uop;
  const int ndim = first->ndim + stack, at = axis < 0 ? axis + ndim : axis;
  if (at < 0 || at >= ndim || ndim > TINY_MAX_DIMS)
    return tn_wrong(t, TINY_E_ARG, "%s: axis %d is out of range for %s", name, axis, tn_text_of(first, a));
  tiny_dtype dtype = (tiny_dtype)first->dtype;
  int64_t total = 0, done = 0;
  for (int i = 0; i < n; i++) {
    const tiny_uop *u = xs[i]->uop;
    int same = u->ndim == first->ndim;
    for (int d = 0; same && d < u->ndim; d++) if ((stack || d != at) && u->dim[d] != first->dim[d]) same = 0;
    if (!same)
      return tn_wrong(t, TINY_E_SHAPE, "%s: %s and %s along axis %d", name, tn_text_of(first, a),
                      tn_text_of(u, b), at);
    dtype = tiny_promote(dtype, (tiny_dtype)u->dtype);
    total += stack ? 1 : u->dim[at];
  }
  tiny_uop *sum = NULL;
  for (int i = 0; i < n; i++) {
    tiny_uop *u = tn_cast(t, xs[i]->uop, dtype);
    const int64_t size = stack ? 1 : xs[i]->uop->dim[at];
    if (stack) u = tn_insert(t, u, at);
    if (n > 1 && !size) continue;
    u = tn_extend(t, u, at, done, total - done - size);
    sum = sum ? tn_add(t, sum, u) : u;
    done += size;
  }
  return tn_tensor_new(t, sum ? sum : tn_cast(t, xs[0]->uop, dtype));
}
TINY_API tiny_tensor *tiny_cat(tiny_tensor *const *xs, int n, int axis) {
  return tn_join("cat", xs, n, axis, 0);
}
TINY_API tiny_tensor *tiny_stack(tiny_tensor *const *xs, int n, int axis) {
  return tn_join("stack", xs, n, axis, 1);
}
#endif
