// join: what lays parts beside each other, or over each other: padding, cat and stack, scattered slices, roll.
//
// Parts are laid by tn_lay (ir/build.c). Gradients cut them out again.
#ifndef TN_TENSOR_JOIN
#define TN_TENSOR_JOIN
#ifndef TINY_AMALGAMATED
#include "length.c"
#endif

// ** cat and stack **

// A list of nothing takes no room in cat, whatever the dims of the others are, as in PyTorch.
static int tn_is_nothing(const tiny_uop *u, int stack) { return !stack && u->ndim == 1 && !u->dim[0]; }

static tiny_tensor *tn_join(const char *name, tiny_tensor *const *xs, int n, int axis, int stack) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (n <= 0 || !xs) return NULL;
  if (!tn_usable(name, n, xs, &out)) return out;
  tiny_ctx *t = tn_ctx_of(xs[0]);
  const tiny_uop *first = tn_uop_of(xs[0]);
  for (int i = n - 1; i >= 0; i--) if (!tn_is_nothing(tn_uop_of(xs[i]), stack)) first = tn_uop_of(xs[i]);
  const int ndim = first->ndim + stack, at = axis < 0 ? axis + ndim : axis;
  if (at < 0 || at >= ndim || ndim > TINY_MAX_DIMS)
    return tn_wrong(t, TINY_E_ARG, "%s: axis %d is out of range for %s", name, axis, tn_text_of(first, a));
  tiny_dtype dtype = (tiny_dtype)first->dtype;
  int64_t total = 0;
  for (int i = 0; i < n; i++) {
    const tiny_uop *u = tn_uop_of(xs[i]);
    dtype = tiny_promote(dtype, (tiny_dtype)u->dtype);
    if (first->ndim != 1 && tn_is_nothing(u, stack)) continue;
    int same = u->ndim == first->ndim;
    for (int d = 0; same && d < u->ndim; d++) if ((stack || d != at) && u->dim[d] != first->dim[d]) same = 0;
    if (!same)
      return tn_wrong(t, TINY_E_SHAPE, "%s: %s and %s along axis %d", name, tn_text_of(first, a),
                      tn_text_of(u, b), at);
    total += stack ? 1 : u->dim[at];
  }
  tiny_uop *whole = NULL, *done = tn_index(t, 0);            // a part begins where those before it end
  for (int i = 0; i < n; i++) {
    tiny_uop *u = tn_cast(t, tn_uop_of(xs[i]), dtype);
    if (!tn_bad(t, u) && first->ndim != 1 && tn_is_nothing(u, stack)) continue;
    if (stack) u = tn_insert(t, u, at);
    if (tn_bad(t, u)) return out;
    tiny_uop *size = tn_size_of(t, u, at);
    whole = tn_lay_at(t, whole, tn_wholes(t, u, 1 << at, 0), at, done, total);
    if (tn_bad(t, whole) && whole) return out;
    done = tn_position_sum(t, done, size);
  }
  return tn_tensor_new(t, whole ? tn_first_of(t, whole, at, done) : whole);
}
TINY_API tiny_tensor *tiny_cat(tiny_tensor *const *xs, int n, int axis) {
  return tn_join("cat", xs, n, axis, 0);
}
TINY_API tiny_tensor *tiny_stack(tiny_tensor *const *xs, int n, int axis) {
  return tn_join("stack", xs, n, axis, 1);
}

// ** parts replaced **

// x with src, moved to where it belongs and zeros elsewhere, in place of what inside, moved alike, is true of.
static tiny_tensor *tn_overlay(tiny_tensor *x, tiny_uop *src, tiny_uop *inside) {
  return tn_value_new(tn_ctx_of(x), tn_where(tn_ctx_of(x), inside, src, tn_uop_of(x)), 1, &x);
}
// src in x's dtype, if its dims are these; NULL after an error.
static tiny_uop *tn_part_fits(const char *name, tiny_tensor *x, tiny_tensor *src, int n, const int64_t *dim) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT], c[TN_DIMS_TEXT];
  if (tn_has_dims(tn_uop_of(src), n, dim)) return tn_cast(tn_ctx_of(x), tn_uop_of(src), tn_uop_of(x)->dtype);
  tiny_fail(tn_ctx_of(x), TINY_E_SHAPE, "%s: %s into a part %s of %s", name, tn_text_of(tn_uop_of(src), a),
            tn_dims_text(b, sizeof b, n, dim), tn_text_of(tn_uop_of(x), c));
  return NULL;
}
static tiny_uop *tn_all_true(tiny_ctx *t, const tiny_uop *x) {
  return tn_bad(t, x) ? &t->ir->bad : tn_expand(t, tn_bool(t, 1), x->ndim, x->dim);
}

TINY_API tiny_tensor *tiny_select_scatter(tiny_tensor *x, tiny_tensor *src, int axis, int64_t index) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, src};
  if (!tn_usable("select_scatter", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if ((axis = tn_axis(t, "select_scatter", tn_uop_of(x), axis)) < 0) return out;
  const int64_t size = tn_uop_of(x)->ndim ? tn_uop_of(x)->dim[axis] : 0, at = index < 0 ? index + size : index;
  if (at < 0 || at >= size)
    return tn_wrong(t, TINY_E_ARG, "select_scatter: element %lld of axis %d of %s", (long long)index, axis,
                    tn_text_of(tn_uop_of(x), a));
  int64_t dim[TN_MAX_DIMS];
  for (int i = 0, n = 0; i < tn_uop_of(x)->ndim; i++) if (i != axis) dim[n++] = tn_uop_of(x)->dim[i];
  tiny_uop *part = tn_part_fits("select_scatter", x, src, tn_uop_of(x)->ndim - 1, dim);
  if (!part) return out;
  part = tn_extend(t, tn_insert(t, part, axis), axis, at, size - 1 - at);
  tiny_uop *place = tn_iota(t, TINY_INDEX, size, axis, tn_uop_of(x)->ndim);
  return tn_overlay(x, part, tn_eq(t, place, tn_int(t, TINY_INDEX, at)));
}

// Elements of u along axis at start, start + step .. of n, zeros elsewhere.
static tiny_uop *tn_slice_placed(tiny_ctx *t, tiny_uop *u, int axis, int64_t start, int64_t step, int64_t n) {
  if (tn_bad(t, u)) return u;
  int64_t dim[TN_MAX_DIMS], row[3] = {1, u->dim[axis], 1};
  const int ndim = u->ndim;
  const int64_t m = row[1], by = step < 0 ? -step : step, first = step < 0 ? start - (m - 1) * by : start;
  for (int i = 0; i < ndim; i++) {
    dim[i] = i == axis ? n : u->dim[i];
    if (i != axis) row[i < axis ? 0 : 2] *= dim[i];
  }
  u = tn_reshape(t, u, 3, row);
  if (step < 0) u = tn_flip(t, u, 1 << 1);
  if (m > 1) u = tn_spread(t, u, 1, by);
  return tn_bad(t, u) ? u : tn_reshape(t, tn_extend(t, u, 1, first, n - first - u->dim[1]), ndim, dim);
}
TINY_API tiny_tensor *tiny_slice_scatter(tiny_tensor *x, tiny_tensor *src, int axis, int64_t start, int64_t stop,
                                         int64_t step) {
  tiny_tensor *out, *in[2] = {x, src};
  int64_t dim[TN_MAX_DIMS], m;
  if (!tn_usable("slice_scatter", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (!tn_slice_part("slice_scatter", x, &axis, &start, stop, step, &m)) return out;
  for (int i = 0; i < tn_uop_of(x)->ndim; i++) dim[i] = i == axis ? m : tn_uop_of(x)->dim[i];
  tiny_uop *part = tn_part_fits("slice_scatter", x, src, tn_uop_of(x)->ndim, dim);
  if (!part) return out;
  if (!m) return tn_value_new(t, tn_uop_of(x), 1, &x);
  const int64_t n = tn_uop_of(x)->dim[axis];
  tiny_uop *inside = tn_slice_placed(t, tn_all_true(t, part), axis, start, step, n);
  return tn_overlay(x, tn_slice_placed(t, part, axis, start, step, n), inside);
}

// The last axis of u (.., L) on a diagonal of zeros (.., rows, columns).
static tiny_uop *tn_diagonal_placed(tiny_ctx *t, tiny_uop *u, int64_t diagonal, int64_t rows, int64_t columns) {
  if (tn_bad(t, u)) return u;
  const int n = u->ndim - 1;
  u = tn_diag_embed(t, u, diagonal);
  if (tn_bad(t, u)) return u;
  const int64_t size = u->dim[n];
  u = rows < size ? tn_cut(t, u, n, 0, rows) : tn_extend(t, u, n, 0, rows - size);
  return columns < size ? tn_cut(t, u, n + 1, 0, columns) : tn_extend(t, u, n + 1, 0, columns - size);
}
TINY_API tiny_tensor *tiny_diagonal_scatter(tiny_tensor *x, tiny_tensor *src, int64_t diagonal, int a, int b) {
  tiny_tensor *out, *in[2] = {x, src};
  if (!tn_usable("diagonal_scatter", 2, in, &out) ||
      !tn_two_axes(tn_ctx_of(x), "diagonal_scatter", tn_uop_of(x), &a, &b))
    return out;
  tiny_ctx *t = tn_ctx_of(x);
  const int n = tn_uop_of(x)->ndim;
  tiny_uop *u = tn_move_axis(t, tn_uop_of(x), a, n - 1);           // (.., rows, columns)
  u = tn_move_axis(t, u, b < a ? b : b - 1, n - 1);
  tiny_uop *like = tn_bad(t, u) ? u : tn_diagonal(t, u, diagonal);
  if (tn_bad(t, like)) return out;
  tiny_uop *part = tn_part_fits("diagonal_scatter", x, src, n - 1, like->dim);
  if (!part) return out;
  if (!like->dim[n - 2]) return tn_value_new(t, tn_uop_of(x), 1, &x);
  const int64_t rows = u->dim[n - 2], columns = u->dim[n - 1];
  tiny_uop *y = tn_where(t, tn_diagonal_placed(t, tn_all_true(t, part), diagonal, rows, columns),
                         tn_diagonal_placed(t, part, diagonal, rows, columns), u);
  y = tn_move_axis(t, tn_move_axis(t, y, n - 1, b < a ? b : b - 1), n - 1, a);
  return tn_tensor_new(t, y);
}

// ** roll **

// The last `by` elements of an axis go to its front.
static tiny_uop *tn_roll(tiny_ctx *t, tiny_uop *x, int axis, int64_t by) {
  if (tn_bad(t, x) || !x->dim[axis]) return x;
  const int64_t n = x->dim[axis], front = (by % n + n) % n;
  if (!front) return x;
  tiny_uop *const rolled = tn_lay(t, NULL, tn_cut(t, x, axis, n - front, n), axis, 0, n);
  return tn_lay(t, rolled, tn_cut(t, x, axis, 0, n - front), axis, front, n);
}
// Is all of the axis there?
static int tn_rolls(tiny_ctx *t, const tiny_uop *u, int axis, int64_t by) {
  return tn_bad(t, u) || !by ||
      tn_axis_whole_for(t, "roll", u, axis, "cut it by tiny_slice_at, tiny_slice_to and join the parts by tiny_cat");
}
TINY_API tiny_tensor *tiny_roll(tiny_tensor *x, tiny_shape by, tiny_shape axes) {
  tiny_tensor *out;
  if (!tn_usable("roll", 1, &x, &out)) return out;
  tiny_uop *u = tn_uop_of(x);
  const int64_t nelem = tiny_nelem_of(x);
  if (by.ndim != axes.ndim || by.ndim < 1 || by.ndim > TINY_MAX_DIMS)
    return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "roll: %d amounts for %d axes", by.ndim, axes.ndim);
  if (axes.ndim == 1 && axes.dim[0] == TINY_ALL) {
    const tiny_shape s = tiny_shape_of(x);
    u = tn_reshape(tn_ctx_of(x), u, 1, &nelem);
    if (!tn_rolls(tn_ctx_of(x), u, 0, by.dim[0])) return out;
    u = tn_roll(tn_ctx_of(x), u, 0, by.dim[0]);
    return tn_tensor_new(tn_ctx_of(x), tn_reshape(tn_ctx_of(x), u, s.ndim, s.dim));
  }
  for (int i = 0; i < axes.ndim; i++) {
    const int64_t axis = axes.dim[i], named = axis < -TINY_MAX_DIMS || axis > TINY_MAX_DIMS ? TINY_MAX_DIMS : axis;
    const int at = tn_axis(tn_ctx_of(x), "roll", tn_uop_of(x), (int)named);
    if (at < 0) return out;
    if (tn_uop_of(x)->ndim && !tn_rolls(tn_ctx_of(x), u, at, by.dim[i])) return out;
    if (tn_uop_of(x)->ndim) u = tn_roll(tn_ctx_of(x), u, at, by.dim[i]);
  }
  return tn_tensor_new(tn_ctx_of(x), u);
}

// ** padding **

// x surrounded by value; where is the mask of what came from x.
static tiny_uop *tn_pad_with(tiny_ctx *t, tiny_uop *x, const int64_t *before_after, tiny_uop *value) {
  tiny_uop *padded = tn_pad(t, x, before_after);
  if (tn_bad(t, x) || tn_bad(t, value) || tn_bad(t, padded) || padded == x) return padded;
  if (value->k == 0) return padded;        // as integer and as f64
  tiny_uop *inside = tn_pad(t, tn_firsts_of(t, tn_all_true(t, x), x), before_after);
  return tn_where(t, inside, padded, value);
}

// Splits the amounts for x's last axes into a crop, which is done, and growths. NULL after an error.
static tiny_uop *tn_pad_crop(tiny_ctx *t, const char *name, tiny_uop *u, const tiny_shape *amount,
                             int64_t *grow) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  int64_t v[2 * TN_MAX_DIMS], crop[2 * TN_MAX_DIMS];
  tiny_shape s = {u->ndim, {0}};
  if (!tn_amounts(t, name, u, amount, 0, v)) return NULL;
  for (int i = 0; i < 2 * u->ndim; i++) {
    const int64_t size = u->dim[i / 2];
    int fits = v[i] >= -size && v[i] <= (int64_t)1 << 60;
    if (v[i] < 0 && !tn_axis_whole(t, name, u, i / 2)) return NULL;
    crop[i] = i & 1 ? size + (v[i] < 0 ? v[i] : 0) : v[i] < 0 ? -v[i] : 0;
    grow[i] = v[i] > 0 ? v[i] : 0;
    fits = fits && (!(i & 1) || crop[i - 1] <= crop[i]);
    if (!fits) {
      tiny_fail(t, TINY_E_SHAPE, "%s: %s by %s", name, tn_text_of(u, a),
                tn_dims_text(b, sizeof b, amount->ndim, amount->dim));
      return NULL;
    }
    if (i & 1) s.dim[i / 2] = crop[i] - crop[i - 1] + grow[i] + grow[i - 1];
  }
  return tn_shape_valid(t, name, &s) ? tn_shrink(t, u, crop) : NULL;
}
TINY_API tiny_tensor *tiny_pad(tiny_tensor *x, tiny_shape before_after, double value) {
  int64_t grow[2 * TN_MAX_DIMS];
  tiny_tensor *out;
  if (!tn_usable("pad", 1, &x, &out)) return out;
  tiny_uop *u = tn_pad_crop(tn_ctx_of(x), "pad", tn_uop_of(x), &before_after, grow);
  tiny_ctx *t = tn_ctx_of(x);
  return u ? tn_tensor_new(t, tn_pad_with(t, u, grow, tn_k(t, tn_uop_of(x), value))) : out;
}

// What stands before (side 0) or behind (side 1) x, n elements along axis, when its own are repeated.
static tiny_uop *tn_beyond(tiny_ctx *t, tiny_uop *x, int axis, int side, int64_t n, tiny_padding how) {
  const int64_t size = x->dim[axis], bits = (int64_t)1 << axis, skip = how == TINY_PAD_REFLECT;
  if (how == TINY_PAD_REPLICATE)
    return tn_repeat(t, tn_cut(t, x, axis, side ? size - 1 : 0, side ? size : 1), axis, n, 1);
  if (how == TINY_PAD_CIRCULAR) return tn_cut(t, x, axis, side ? 0 : size - n, side ? n : size);
  return tn_flip(t, tn_cut(t, x, axis, side ? size - skip - n : skip, side ? size - skip : skip + n), bits);
}
// Does an axis have enough elements to be repeated before and after it?
static int tn_pad_fits(int64_t size, int64_t before, int64_t after, tiny_padding how) {
  const int64_t most = before > after ? before : after;
  if (before < 0 || after < 0) return 0;
  return !most || (how == TINY_PAD_REPLICATE ? size > 0 : most <= size - (how == TINY_PAD_REFLECT));
}
// x between its own elements along axis, by any padding but zeros.
static tiny_uop *tn_pad_both(tiny_ctx *t, tiny_uop *x, int axis, int64_t before, int64_t after,
                               tiny_padding how) {
  if (tn_bad(t, x) || (!before && !after)) return x;
  const int64_t size = x->dim[axis], total = before + size + after;
  tiny_uop *whole = tn_lay(t, NULL, x, axis, before, total);
  if (before) whole = tn_lay(t, whole, tn_beyond(t, x, axis, 0, before, how), axis, 0, total);
  if (after) whole = tn_lay(t, whole, tn_beyond(t, x, axis, 1, after, how), axis, before + size, total);
  return whole;
}
TINY_API tiny_tensor *tiny_pad_mode(tiny_tensor *x, tiny_shape before_after, tiny_padding how) {
  static const char *const names[] = {"zeros", "reflect", "replicate", "circular", "symmetric"};
  char a[TN_DIMS_TEXT];
  int64_t grow[2 * TN_MAX_DIMS];
  tiny_tensor *out;
  if (!tn_usable("pad_mode", 1, &x, &out)) return out;
  if (how == TINY_PAD_ZEROS) return tiny_pad(x, before_after, 0);
  if ((unsigned)how > TINY_PAD_SYMMETRIC) return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "pad_mode: no mode %d", (int)how);
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_pad_crop(t, "pad_mode", tn_uop_of(x), &before_after, grow);
  if (!u) return out;
  for (int i = 0; i < tn_uop_of(x)->ndim && !tn_bad(t, u); i++) {
    const int64_t before = grow[2 * i], after = grow[2 * i + 1];
    if ((before || after) && !tn_axis_whole_for(t, "pad_mode", u, i, "its own elements do not go behind a length; "
                                                "tiny_pad puts a number there"))
      return out;
    if (!tn_pad_fits(u->dim[i], before, after, how))
      return tn_wrong(t, TINY_E_SHAPE, "pad_mode: %s of axis %d of %s by %lld and %lld", names[how], i,
                      tn_text_of(u, a), (long long)before, (long long)after);
    u = tn_pad_both(t, u, i, before, after, how);
  }
  return tn_tensor_new(t, u);
}
#endif
