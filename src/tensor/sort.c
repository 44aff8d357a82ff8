// sort: the order of elements along an axis, and what is found by it: extremes, quantiles, sets, places in
// sorted rows.
//
// Elements become integers that compare as the elements do, NaN above all and -0 as 0, each with its
// position, so that no two are equal: one int64 of key and position, or a key of 64 bits and a position
// apart. Rows of up to TN_SORT_BLOCK are sorted by counting: an element goes where as many are as are less
// than it. Longer ones are sorted in such blocks, and these are merged by a bitonic network (Batcher,
// "Sorting networks and their applications", 1968), in the form where a merge begins with a mirrored
// comparison and all rows rise: a stage compares elements whose positions differ by XOR with a number, a
// SCALAR, so that all stages are one kernel. The first few of long rows are the first few of their blocks'.
//
// Out: positions, i32, through which values are looked up: that is where gradients flow.
#ifndef TN_TENSOR_SORT
#define TN_TENSOR_SORT
#ifndef TINY_AMALGAMATED
#include "index.c"
#endif

#define TN_SORT_BLOCK ((int64_t)256)

// ** keys **

static tiny_uop *tn_bits_as(tiny_ctx *t, tiny_uop *x, int dtype) {
  return tn_bad(t, x) || x->dtype == dtype ? x : tn_uop_make(t, TINY_OP_BITCAST, dtype, 1, 1, &x, 0, 0, NULL);
}
// x as i32 or i64 in the same order.
static tiny_uop *tn_sort_key(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x)) return x;
  const int wide = tn_bits(x->dtype) == 64, dtype = wide ? (int)TINY_I64 : (int)TINY_I32;
  if (tn_is_float(x->dtype)) {
    if (!wide) x = tn_cast(t, x, TINY_F32);
    tiny_uop *bits = tn_bits_as(t, tn_where(t, tn_is_zero(t, x), tn_k(t, x, 0), x), dtype);
    tiny_uop *most = tn_int(t, dtype, tn_dtype_max(dtype)),
             *sign = tn_shr(t, bits, tn_k(t, bits, wide ? 63 : 31));
    return tn_where(t, tn_isnan(t, x), most, tn_xor(t, bits, tn_and(t, sign, most)));
  }
  if (x->dtype != TINY_U32 && x->dtype != TINY_U64) return tn_cast(t, x, dtype);
  return tn_xor(t, tn_bits_as(t, x, dtype), tn_int(t, dtype, tn_dtype_min(dtype)));
}

typedef struct tn_words { tiny_uop *word[2]; int n; } tn_words;

// Keys x (rows, n) with their positions.
static tn_words tn_words_of(tiny_ctx *t, tiny_uop *key) {
  tn_words w = {{key, NULL}, 1};
  if (tn_bad(t, key)) return w;
  if (key->dtype == TINY_I64) {
    w.n = 2;
    w.word[1] = tn_expand(t, tn_iota(t, TINY_I32, key->dim[1], 1, 2), 2, key->dim);
  } else {
    tiny_uop *high = tn_cast(t, key, TINY_I64);
    w.word[0] = tn_add(t, tn_shl(t, high, tn_k(t, high, 32)), tn_iota(t, TINY_I64, key->dim[1], 1, 2));
  }
  return w;
}
static tiny_uop *tn_words_position(tiny_ctx *t, const tn_words *w) {
  if (w->n == 2 || tn_bad(t, w->word[0])) return w->word[w->n - 1];
  tiny_uop *low = tn_and(t, w->word[0], tn_int(t, TINY_I64, 0xFFFFFFFF));
  return tn_bad(t, low) ? low : tn_cast(t, low, TINY_I32);
}
static tiny_uop *tn_words_less(tiny_ctx *t, const tn_words *a, const tn_words *b) {
  tiny_uop *less = tn_lt(t, a->word[0], b->word[0]);
  if (a->n == 1) return less;
  return tn_or(t, less, tn_and(t, tn_eq(t, a->word[0], b->word[0]), tn_lt(t, a->word[1], b->word[1])));
}
#define TN_EACH_WORD(w, ...) for (int i_ = 0; i_ < (w)->n; i_++) (w)->word[i_] = __VA_ARGS__
#define TN_WORD(w)           (w)->word[i_]

static tn_words tn_words_insert(tiny_ctx *t, const tn_words *w, int axis) {
  tn_words y = *w;
  TN_EACH_WORD(&y, tn_insert(t, TN_WORD(&y), axis));
  return y;
}
static void tn_words_reshape(tiny_ctx *t, tn_words *w, int64_t rows, int64_t n) {
  const int64_t dim[2] = {rows, n};
  TN_EACH_WORD(w, tn_reshape(t, TN_WORD(w), 2, dim));
}
static void tn_words_store(tiny_ctx *t, tn_words *w) {
  TN_EACH_WORD(w, tn_bad(t, TN_WORD(w)) ? TN_WORD(w) : tn_u1(t, TINY_OP_CONTIGUOUS, TN_WORD(w)));
}
// Rows grown to n with what comes after everything, at positions from *next on.
static void tn_words_pad(tiny_ctx *t, tn_words *w, int64_t n, int64_t *next) {
  if (tn_bad(t, w->word[0]) || tn_bad(t, w->word[w->n - 1])) return;
  const int64_t have = w->word[0]->dim[1], v[4] = {0, 0, 0, n - have};
  tiny_uop *at = tn_iota(t, TINY_INDEX, n, 1, 2), *inside = tn_lt(t, at, tn_index(t, have));
  tiny_uop *most = tn_int(t, w->word[0]->dtype, w->n == 1 ? (int64_t)INT32_MAX << 32 : INT64_MAX);
  tiny_uop *position = tn_add(t, at, tn_index(t, *next - have));
  if (tn_bad(t, position)) return;
  if (w->n == 1) most = tn_add(t, most, tn_cast(t, position, TINY_I64));
  w->word[0] = tn_where(t, inside, tn_pad(t, w->word[0], v), most);
  if (w->n == 2) w->word[1] = tn_where(t, inside, tn_pad(t, w->word[1], v), tn_cast(t, position, TINY_I32));
  *next += n - have;
}

// ** sorting **

// Where the first keep elements of sorted rows of n stood before: (rows, keep).
static tiny_uop *tn_ranked(tiny_ctx *t, const tn_words *w, int64_t n, int64_t keep) {
  const tn_words each = tn_words_insert(t, w, 2), other = tn_words_insert(t, w, 1);
  tiny_uop *less = tn_words_less(t, &other, &each);          // (rows, n, n)
  if (tn_bad(t, less)) return less;
  tiny_uop *rank = tn_sum(t, tn_cast(t, less, TINY_I32), 4, 0), *at = tn_iota(t, TINY_I32, n, 1, 2);
  const int64_t dim[2] = {1, keep};
  const tn_sending s = {tn_expand(t, tn_int(t, TINY_I32, 0), 2, dim), rank, NULL, 0};
  return tn_sent(t, TINY_OP_ADD, &s, at);
}
// Blocks of block elements, each sorted and cut to keep: (rows, n) -> (rows, n / block * keep).
static void tn_sort_blocks(tiny_ctx *t, tn_words *w, int64_t rows, int64_t n, int64_t block, int64_t keep) {
  tn_words_store(t, w);
  tn_words_reshape(t, w, rows * (n / block), block);
  tiny_uop *at = tn_ranked(t, w, block, keep);
  TN_EACH_WORD(w, tn_taken_at(t, TN_WORD(w), at));
  tn_words_reshape(t, w, rows, n / block * keep);
}
// Elements whose positions differ by XOR with mask change places where they are out of order.
static void tn_sort_stage(tiny_ctx *t, tn_words *w, int64_t n, int64_t mask) {
  tn_words other = *w;
  tiny_uop *at = tn_iota(t, TINY_I32, n, 1, 2);
  tiny_uop *to = tn_xor(t, at, tn_scalar(t, TINY_I32, mask, ++t->tensors->identity));
  tn_words_store(t, w);
  TN_EACH_WORD(&other, tn_taken_at(t, TN_WORD(w), to));
  tiny_uop *moves = tn_ne(t, tn_words_less(t, &other, w), tn_lt(t, to, at));
  TN_EACH_WORD(w, tn_where(t, moves, TN_WORD(&other), TN_WORD(w)));
}
// Positions of the first keep elements of each row of x (rows, n) in order: (rows, keep). So many of n are meant;
// the others come last, equal to the greatest, and behind it.
static tiny_uop *tn_argsorted_of(tiny_ctx *t, tiny_uop *x, tiny_uop *meant, int descending, int64_t keep) {
  tiny_uop *key = tn_sort_key(t, x);
  if (descending) key = tn_invert(t, key);
  if (tn_bad(t, key) || tn_bad(t, meant)) return &t->ir->bad;
  if (!tn_is_const(meant)) key = tn_whole(t, key, 1, meant, tn_dtype_max(key->dtype));
  tn_words w = tn_words_of(t, key);
  if (tn_bad(t, w.word[0])) return &t->ir->bad;
  const int64_t rows = x->dim[0], block = TN_SORT_BLOCK;
  int64_t n = x->dim[1], size = block, next = n;
  if (n <= block) return tn_ranked(t, &w, n, keep);
  if (keep <= block / 2) {
    for (; n > block; n = n / block * keep) {
      n = (n + block - 1) / block * block;
      tn_words_pad(t, &w, n, &next);
      tn_sort_blocks(t, &w, rows, n, block, keep);
    }
    tn_words_store(t, &w);
    return tn_taken_at(t, tn_words_position(t, &w), tn_ranked(t, &w, n, keep));
  }
  while (size < n) size *= 2;
  tn_words_pad(t, &w, size, &next);
  tn_sort_blocks(t, &w, rows, size, block, block);
  for (int64_t half = block; half < size; half *= 2) {
    tn_sort_stage(t, &w, size, 2 * half - 1);
    for (int64_t mask = half / 2; mask; mask /= 2) tn_sort_stage(t, &w, size, mask);
  }
  tn_words_store(t, &w);
  return tn_cut(t, tn_words_position(t, &w), 1, 0, keep);
}

static tiny_uop *tn_argsorted(tiny_ctx *t, tiny_uop *x, int descending, int64_t keep) {
  return tn_argsorted_of(t, x, tn_index(t, tn_bad(t, x) ? 0 : x->dim[1]), descending, keep);
}

// ** operators along an axis **

// Rows of x along axis, as (rows, n), and the way back. meant: the dims that x came from, with the axis last; size: how
// many of n are meant.
typedef struct tn_along_axis {
  tiny_uop *x, *size;
  const tiny_uop *meant;
  int64_t dim[TN_MAX_DIMS], n;
  int ndim, axis;
} tn_along_axis;

// 0: an error was recorded. least: how many elements a row needs to have.
static int tn_axis_open(const char *name, tiny_tensor *x, int axis, int64_t least, tn_along_axis *r) {
  char a[TN_DIMS_TEXT];
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_as_row(t, tn_uop_of(x));
  if ((r->axis = tn_axis(t, name, tn_uop_of(x), axis)) < 0 || tn_bad(t, u)) return 0;
  r->n = u->dim[r->axis];
  if (r->n < least || r->n > INT32_MAX / 4) {
    tiny_fail(t, TINY_E_SHAPE, "%s: %lld elements along the axis of %s", name, (long long)r->n,
              tn_text_of(tn_uop_of(x), a));
    return 0;
  }
  u = tn_swap(t, u, r->axis, u->ndim - 1);
  if (tn_bad(t, u)) return 0;
  int64_t row[2] = {1, r->n};
  r->ndim = tn_uop_of(x)->ndim;
  for (int i = 0; i < u->ndim; i++) { r->dim[i] = u->dim[i]; if (i + 1 < u->ndim) row[0] *= u->dim[i]; }
  r->meant = u;
  r->size = tn_size_of(t, u, u->ndim - 1);
  if (u->extent) u = tn_wholes(t, u, u->ndim > 1 ? ~1 : ~0, 0);           // rows have one length, the first dim's
  r->x = tn_reshape(t, u, 2, row);
  return !tn_bad(t, r->x);
}
// (rows, n) in the shape of x, with n along the axis; n 1 may go.
static tiny_tensor *tn_axis_back(tiny_ctx *t, const tn_along_axis *r, tiny_uop *y, int keepdim) {
  int64_t dim[TN_MAX_DIMS];
  const int last = r->ndim ? r->ndim - 1 : 0;
  int n = 0;
  if (tn_bad(t, y)) return tn_poison(t);
  memcpy(dim, r->dim, sizeof dim);
  dim[last] = y->dim[1];
  y = tn_reshape(t, y, last + 1, dim);
  for (int i = 0; i < last; i++)
    if (tn_extent_of(r->meant, i)) y = tn_first_of(t, y, i, r->meant->extent[i]);
  if (tn_extent_of(r->meant, last) && !tn_bad(t, y) && y->dim[last] == r->n) y = tn_first_of(t, y, last, r->size);
  y = tn_swap(t, y, r->axis, last);
  if (tn_bad(t, y)) return tn_poison(t);
  for (int i = 0; i <= last; i++) if ((keepdim && r->ndim) || i != r->axis) dim[n++] = y->dim[i];
  return tn_tensor_new(t, r->ndim && keepdim ? y :
                          keepdim == 2       ? tn_reshape(t, y, 0, dim) :
                                               tn_reshape(t, y, n, dim));
}
// Elements at (rows, k), and these positions if they are wanted.
static tiny_tensor *tn_axis_taken(tiny_ctx *t, const tn_along_axis *r, tiny_uop *at, int keepdim,
                                  tiny_tensor **indices) {
  tiny_tensor *y = tn_axis_back(t, r, tn_taken_at(t, r->x, at), keepdim);
  if (indices) *indices = tn_axis_back(t, r, at, keepdim);
  return y;
}
static int tn_sortable(const char *name, tiny_tensor *x, tiny_tensor **indices, tiny_tensor **out) {
  const int usable = tn_usable(name, 1, &x, out);
  if (indices) *indices = *out;
  return usable;
}

// Are there k elements along the axis, whatever its length is?
static int tn_axis_holds(const char *name, tiny_tensor *x, const tn_along_axis *r, int64_t k) {
  char a[TN_DIMS_TEXT];
  if (r->size->vmin >= k) return 1;
  tiny_fail(tn_ctx_of(x), TINY_E_SHAPE, "%s: %lld elements of dim %d of %s, whose length may be %lld", name,
            (long long)k, r->axis, tn_text_of(tn_uop_of(x), a), (long long)r->size->vmin);
  return 0;
}

TINY_API tiny_tensor *tiny_sort(tiny_tensor *x, int axis, int descending, tiny_tensor **indices) {
  tiny_tensor *out;
  tn_along_axis r;
  if (!tn_sortable("sort", x, indices, &out) || !tn_axis_open("sort", x, axis, 0, &r)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  return tn_axis_taken(t, &r, tn_argsorted_of(t, r.x, r.size, descending, r.n), tn_uop_of(x)->ndim ? 1 : 2, indices);
}
TINY_API tiny_tensor *tiny_argsort(tiny_tensor *x, int axis, int descending) {
  tiny_tensor *out;
  tn_along_axis r;
  if (!tn_sortable("argsort", x, NULL, &out) || !tn_axis_open("argsort", x, axis, 0, &r)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  return tn_axis_back(t, &r, tn_argsorted_of(t, r.x, r.size, descending, r.n), tn_uop_of(x)->ndim ? 1 : 2);
}
TINY_API tiny_tensor *tiny_topk(tiny_tensor *x, int64_t k, int axis, int largest, tiny_tensor **indices) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  tn_along_axis r;
  if (!tn_sortable("topk", x, indices, &out) || !tn_axis_open("topk", x, axis, 0, &r)) return out;
  if (k < 0 || k > r.n || (!tn_uop_of(x)->ndim && k != 1))
    return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "topk: %lld elements of %s along its axis", (long long)k,
                    tn_text_of(tn_uop_of(x), a));
  tiny_ctx *t = tn_ctx_of(x);
  if (!tn_axis_holds("topk", x, &r, k)) return out;
  return tn_axis_taken(t, &r, tn_argsorted_of(t, r.x, r.size, largest, k), tn_uop_of(x)->ndim ? 1 : 2, indices);
}
TINY_API tiny_tensor *tiny_kthvalue(tiny_tensor *x, int64_t k, int axis, int keepdim, tiny_tensor **indices) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  tn_along_axis r;
  if (!tn_sortable("kthvalue", x, indices, &out) || !tn_axis_open("kthvalue", x, axis, 1, &r)) return out;
  if (k < 1 || k > r.n)
    return tn_wrong(tn_ctx_of(x), TINY_E_ARG, "kthvalue: number %lld of %s along its axis", (long long)k,
                    tn_text_of(tn_uop_of(x), a));
  tiny_ctx *t = tn_ctx_of(x);
  if (!tn_axis_holds("kthvalue", x, &r, k)) return out;
  return tn_axis_taken(t, &r, tn_cut(t, tn_argsorted_of(t, r.x, r.size, 0, k), 1, k - 1, k), keepdim != 0, indices);
}

// How many elements of each row are NaN: i32 (rows, 1).
static tiny_uop *tn_nans(tiny_ctx *t, tiny_uop *x) {
  tiny_uop *is = tn_isnan(t, x);
  return tn_bad(t, is) ? is : tn_sum(t, tn_cast(t, is, TINY_I32), 2, 1);
}
// TINY_ALL: all elements as one row.
static tiny_tensor *tn_flat_or(tiny_tensor *x, int *axis) {
  if (*axis != TINY_ALL) return x;
  *axis = 0;
  return tn_tensor_new(tn_ctx_of(x), tn_flattened(tn_ctx_of(x), tn_uop_of(x)));
}
// NaN sorts last, so the middle of the others is at (n - NaNs - 1) / 2 and the first NaN at n - NaNs.
static tiny_tensor *tn_middle(const char *name, tiny_tensor *x, int axis, int keepdim, tiny_tensor **indices,
                              int skips_nan) {
  tiny_tensor *out;
  tn_along_axis r;
  if (!tn_sortable(name, x, indices, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_tensor *of = tn_flat_or(x, &axis);
  if (tiny_ok(of) && tn_axis_open(name, of, axis, 1, &r) && tn_axis_holds(name, of, &r, 1)) {
    const int floats = tn_is_float(r.x->dtype), whole = tn_is_const(r.size);
    const int64_t row[2] = {r.x->dim[0], 1};
    tiny_uop *order = tn_argsorted_of(t, r.x, r.size, 0, floats || !whole ? r.n : (r.n - 1) / 2 + 1), *at;
    if (floats) {
      tiny_uop *nans = tn_nans(t, r.x), *rest = tn_add(t, tn_neg(t, nans), tn_position_as(t, r.size, TINY_I32));
      at = tn_idiv(t, tn_plus(t, rest, -1), tn_k(t, rest, 2));
      if (skips_nan) at = tn_max(t, at, tn_k(t, at, 0));
      else at = tn_where(t, tn_is_zero(t, nans), at, rest);
      at = tn_taken_at(t, order, at);
    } else if (whole) at = tn_cut(t, order, 1, (r.n - 1) / 2, (r.n - 1) / 2 + 1);
    else {
      at = tn_position_as(t, tn_position_add(t, r.size, -1), TINY_I32);
      at = tn_taken_at(t, order, tn_expand(t, tn_idiv(t, at, tn_k(t, at, 2)), 2, row));
    }
    out = tn_axis_taken(t, &r, at, keepdim != 0, indices);
    if (of != x) {                         // one element: keepdim gives all of x's dims as 1
      int64_t one[TN_MAX_DIMS];
      for (int i = 0; i < TINY_MAX_DIMS; i++) one[i] = 1;
      for (int i = 0; i < 2; i++) {
        tiny_tensor *y = i ? (indices ? *indices : NULL) : out;
        if (tiny_ok(y)) tn_tensor_set(tn_slot(y), tn_reshape(t, tn_uop_of(y), keepdim ? tn_uop_of(x)->ndim : 0, one));
      }
    }
  }
  if (of != x) tiny_free(of);
  return out;
}
TINY_API tiny_tensor *tiny_median(tiny_tensor *x, int axis, int keepdim, tiny_tensor **indices) {
  return tn_middle("median", x, axis, keepdim, indices, 0);
}
TINY_API tiny_tensor *tiny_nanmedian(tiny_tensor *x, int axis, int keepdim, tiny_tensor **indices) {
  return tn_middle("nanmedian", x, axis, keepdim, indices, 1);
}

// The elements at ranks q * (n - 1) of each row, between two of them as how says: (rows, number of q).
static tiny_uop *tn_quantiles(tiny_ctx *t, tiny_uop *x, tiny_uop *size, tiny_uop *q, tiny_quantile_rule how,
                              int skips_nan) {
  if (tn_bad(t, x) || tn_bad(t, q)) return &t->ir->bad;
  const int64_t n = x->dim[1], m = tn_dims_nelem(q->ndim, q->dim), dim[2] = {x->dim[0], m}, row[2] = {1, m};
  tiny_uop *last = tn_position_add(t, size, -1), *order = tn_argsorted_of(t, x, size, 0, n), *nans = tn_nans(t, x),
           *most = tn_add(t, tn_neg(t, nans), tn_position_as(t, last, TINY_I32));
  if (tn_bad(t, most)) return most;
  most = skips_nan ? tn_cast(t, most, x->dtype) : tn_is_const(last) ? tn_k(t, x, (double)(n - 1)) :
                                                  tn_cast(t, last, x->dtype);
  if (skips_nan) most = tn_max(t, most, tn_k(t, most, 0));
  tiny_uop *rank = tn_mul(t, tn_expand(t, tn_reshape(t, q, 2, row), 2, dim), most);
  if (!skips_nan) rank = tn_where(t, tn_is_zero(t, nans), rank, most);           // the last one, NaN
  tiny_uop *at = how == TINY_QUANTILE_HIGHER  ? tn_ceil(t, rank) :
                 how == TINY_QUANTILE_NEAREST ? tn_round(t, rank) : tn_floor(t, rank), *low = at, *y;
  const int between = how == TINY_QUANTILE_LINEAR || how == TINY_QUANTILE_MIDPOINT;
  tiny_uop *part = tn_sub(t, rank, low), *whole = tn_is_zero(t, part);
  if (how == TINY_QUANTILE_MIDPOINT) part = tn_k(t, part, 0.5);
  tiny_uop *up = tn_where(t, whole, low, tn_plus(t, low, 1));
  if (tn_bad(t, up)) return up;
  low = tn_taken_at(t, x, tn_taken_at(t, order, tn_cast(t, low, TINY_I32)));
  y = low;
  if (between) {
    up = tn_taken_at(t, x, tn_taken_at(t, order, tn_cast(t, up, TINY_I32)));
    tiny_uop *step = tn_sub(t, up, low), *rest = tn_plus(t, tn_neg(t, part), 1);
    y = tn_add(t, low, tn_mul(t, part, step));               // where an end is infinite, so is what lies between
    y = tn_where(t, tn_isfinite(t, step), y, tn_add(t, tn_mul(t, rest, low), tn_mul(t, part, up)));
    y = tn_where(t, whole, low, y);
  }
  tiny_uop *known = tn_and(t, tn_le(t, rank, most), tn_not(t, tn_below_zero(t, rank)));
  return tn_where(t, known, y, tn_k(t, y, (double)NAN));
}
static tiny_tensor *tn_quantile(const char *name, tiny_tensor *x, tiny_tensor *q, int axis, int keepdim,
                                tiny_quantile_rule how, int skips_nan) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, q};
  tn_along_axis r;
  if (!tn_usable(name, 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if ((unsigned)how > TINY_QUANTILE_NEAREST) return tn_wrong(t, TINY_E_ARG, "%s: no rule %d", name, (int)how);
  const int many = tn_uop_of(q)->ndim, ndim = tn_uop_of(x)->ndim, all = axis == TINY_ALL;
  if (many > 1 || ndim + many > TINY_MAX_DIMS)
    return tn_wrong(t, TINY_E_SHAPE, "%s: q is %s, not 0-d or 1-d", name, tn_text_of(tn_uop_of(q), a));
  tiny_tensor *of = tn_flat_or(x, &axis);
  if (tiny_ok(of) && tn_axis_open(name, of, axis, 1, &r) && tn_axis_holds(name, of, &r, 1)) {
    tiny_uop *y = r.x = tn_wide(t, r.x);
    if (!tn_bad(t, y)) y = tn_quantiles(t, y, r.size, tn_cast(t, tn_uop_of(q), y->dtype), how, skips_nan);
    if (!tn_bad(t, y)) y = tn_swap(t, tn_narrow(t, y, tn_uop_of(x)->dtype), 0, 1);           // (m, rows)
    int64_t dim[TN_MAX_DIMS];
    int n = 0;
    if (many) dim[n++] = tn_uop_of(q)->dim[0];
    for (int i = 0; i < ndim; i++)
      if (keepdim || (!all && i != r.axis)) dim[n++] = all || i == r.axis ? 1 : tn_uop_of(x)->dim[i];
    if (r.axis + 1 < r.ndim && !tn_bad(t, y)) {              // the swap of the axis with the last undone
      int64_t wide[TN_MAX_DIMS] = {0};
      wide[0] = y->dim[0];
      for (int i = 0; i < r.ndim; i++) wide[i + 1] = i + 1 < r.ndim ? r.dim[i] : 1;
      y = tn_swap(t, tn_reshape(t, y, r.ndim + 1, wide), r.axis + 1, r.ndim);
    }
    y = tn_reshape(t, y, n, dim);
    for (int i = 0, at = many; i < ndim; i++) if (keepdim || (!all && i != r.axis)) {
      if (!all && i != r.axis && tn_extent_of(tn_uop_of(x), i)) y = tn_first_of(t, y, at, tn_uop_of(x)->extent[i]);
      at++;
    }
    out = tn_tensor_new(t, y);
  }
  if (of != x) tiny_free(of);
  return out;
}
TINY_API tiny_tensor *tiny_quantile(tiny_tensor *x, tiny_tensor *q, int axis, int keepdim) {
  return tn_quantile("quantile", x, q, axis, keepdim, TINY_QUANTILE_LINEAR, 0);
}
TINY_API tiny_tensor *tiny_quantile_by(tiny_tensor *x, tiny_tensor *q, int axis, int keepdim, tiny_quantile_rule how) {
  return tn_quantile("quantile_by", x, q, axis, keepdim, how, 0);
}
TINY_API tiny_tensor *tiny_nanquantile(tiny_tensor *x, tiny_tensor *q, int axis, int keepdim) {
  return tn_quantile("nanquantile", x, q, axis, keepdim, TINY_QUANTILE_LINEAR, 1);
}
TINY_API tiny_tensor *tiny_nanquantile_by(tiny_tensor *x, tiny_tensor *q, int axis, int keepdim,
                                          tiny_quantile_rule how) {
  return tn_quantile("nanquantile_by", x, q, axis, keepdim, how, 1);
}
// In sorted rows equals stand in runs: a run is as long as the distance of its last element from where it begins, the
// last first of a run so far. The longest one's last element is the first that is so far from there.
TINY_API tiny_tensor *tiny_mode(tiny_tensor *x, int axis, int keepdim, tiny_tensor **indices) {
  tiny_tensor *out;
  tn_along_axis r;
  if (!tn_sortable("mode", x, indices, &out) || !tn_axis_open("mode", x, axis, 1, &r)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *order = tn_argsorted(t, r.x, 0, r.n), *sorted = tn_taken_at(t, tn_sort_key(t, r.x), order);
  if (tn_bad(t, sorted)) return tn_poison(t);
  sorted = tn_u1(t, TINY_OP_CONTIGUOUS, sorted);
  tiny_uop *at = tn_iota(t, TINY_I32, r.n, 1, 2), *none = tn_int(t, TINY_I32, 0);
  tiny_uop *first = tn_ne(t, sorted, tn_cut(t, tn_extend(t, sorted, 1, 1, 0), 1, 0, r.n));
  tiny_uop *begin = tn_expand(t, tn_where(t, first, at, none), 2, r.x->dim);
  tiny_uop *length = tn_sub(t, at, tn_reshape(t, tn_scan(t, TINY_OP_MAX, begin, r.x->dim[0], r.n), 2, r.x->dim));
  tiny_uop *best = tn_position(t, length, 1, 1);
  return tn_axis_taken(t, &r, tn_taken_at(t, order, best), keepdim != 0, indices);
}

// ** places in sorted rows **

// The rows that values go into, and the values, as keys of one dtype.
static tiny_uop *tn_search_sorted(tiny_ctx *t, tiny_uop *sorted, tiny_uop *v, int right) {
  const int dtype = tiny_promote((tiny_dtype)sorted->dtype, (tiny_dtype)v->dtype);
  sorted = tn_sort_key(t, tn_cast(t, sorted, dtype));
  v = tn_sort_key(t, tn_cast(t, v, dtype));
  if (tn_bad(t, sorted) || !sorted->extent || !tn_extent_of(sorted, sorted->ndim - 1))
    return tn_search(t, sorted, v, right);
  tiny_uop *size = sorted->extent[sorted->ndim - 1];         // behind a length all is greater, or equal to the greatest
  sorted = tn_whole(t, sorted, sorted->ndim - 1, size, tn_dtype_max(sorted->dtype));
  tiny_uop *at = tn_search(t, sorted, v, right);
  return tn_bad(t, at) ? at : tn_min(t, at, tn_position_as(t, size, at->dtype));
}
TINY_API tiny_tensor *tiny_searchsorted(tiny_tensor *sorted, tiny_tensor *values, int right) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {sorted, values};
  if (!tn_usable("searchsorted", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(sorted);
  tiny_uop *s = tn_uop_of(sorted), *v = tn_as_row(t, tn_uop_of(values));
  if (tn_bad(t, v)) return out;
  const int n = v->ndim;
  int64_t dim[TN_MAX_DIMS];
  int fits = n < TINY_MAX_DIMS && (s->ndim == 1 || (s->ndim == n && tn_dims_same(n - 1, s->dim, v->dim)));
  if (!fits)
    return tn_wrong(t, TINY_E_SHAPE, "searchsorted: %s in rows %s", tn_text_of(tn_uop_of(values), a),
                    tn_text_of(s, b));
  for (int i = 0; i < n; i++) dim[i] = i + 1 == n ? s->dim[s->ndim - 1] : s->ndim == 1 ? 1 : s->dim[i];
  tiny_uop *at = tn_search_sorted(t, tn_reshape(t, s, n, dim), v, right);
  at = tn_reshape(t, at, tn_uop_of(values)->ndim, tn_uop_of(values)->dim);
  return tn_tensor_new(t, tn_bad(t, at) ? at : tn_firsts_of(t, at, tn_uop_of(values)));
}
TINY_API tiny_tensor *tiny_bucketize(tiny_tensor *x, tiny_tensor *edges, int right) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, edges};
  if (!tn_usable("bucketize", 2, in, &out)) return out;
  if (tn_uop_of(edges)->ndim != 1)
    return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "bucketize: edges are %s, not 1-d", tn_text_of(tn_uop_of(edges), a));
  return tiny_searchsorted(edges, x, right);
}
// How many of u (m) lie between rising edges e (n + 1), or the sums of their weights w (m); dtype: of the result.
static tiny_tensor *tn_histogram(tiny_ctx *t, tiny_uop *u, tiny_uop *e, tiny_uop *w, int density, int dtype) {
  if (tn_bad(t, u) || tn_bad(t, e)) return tn_poison(t);
  const int64_t n = e->dim[0] - 1;
  tiny_uop *last = tn_cut(t, e, 0, n, n + 1), *at = tn_plus(t, tn_search_sorted(t, e, u, 1), -1);
  const int both = tiny_promote((tiny_dtype)u->dtype, (tiny_dtype)e->dtype);
  at = tn_where(t, tn_eq(t, tn_cast(t, u, both), tn_cast(t, last, both)), tn_k(t, at, (double)(n - 1)), at);
  tiny_uop *y = tn_counts(t, at, n, w);
  y = tn_bad(t, y) ? y : tn_cast(t, y, tn_computed_in(dtype));
  if (density && !tn_bad(t, y)) {
    tiny_uop *edge = tn_cast(t, e, y->dtype);
    y = tn_fdiv(
        t, y,
        tn_mul(t, tn_sum(t, y, 1, 1), tn_sub(t, tn_cut(t, edge, 0, 1, n + 1), tn_cut(t, edge, 0, 0, n))));
  }
  return tn_tensor_new(t, tn_bad(t, y) ? y : tn_cast(t, y, dtype));
}
TINY_API tiny_tensor *tiny_histogram(tiny_tensor *x, tiny_tensor *edges, tiny_tensor *weights, int density) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[3] = {x, edges, weights ? weights : x};
  if (!tn_usable("histogram", 3, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *e = tn_uop_of(edges), *w = tn_uop_of(in[2]);
  if (e->ndim != 1 || e->dim[0] < 2 || !tn_has_dims(w, tn_uop_of(x)->ndim, tn_uop_of(x)->dim))
    return tn_wrong(t, TINY_E_SHAPE, "histogram: edges %s, weights %s", tn_text_of(e, a), tn_text_of(w, b));
  const int dtype = tn_real(weights ? w->dtype : tn_uop_of(x)->dtype);
  w = weights ? tn_flattened(t, tn_wide(t, w)) : NULL;
  return tn_histogram(t, tn_flattened(t, tn_uop_of(x)), e, w, density, dtype);
}
// n + 1 edges at even distances from low to high, both of them exact.
static tiny_uop *tn_even_edges(tiny_ctx *t, tiny_uop *low, tiny_uop *high, int64_t n) {
  TN_FLOAT_MODE;
  if (tn_bad(t, low) || tn_bad(t, high)) return &t->ir->bad;
  tiny_uop *i = tn_iota(t, low->dtype, n + 1, 0, 1), *width = tn_times(t, tn_sub(t, high, low), 1 / (double)n);
  return tn_where(t, tn_eq(t, i, tn_k(t, i, (double)n)), high, tn_add(t, low, tn_mul(t, i, width)));
}
TINY_API tiny_tensor *tiny_histogram_bins(tiny_tensor *x, int64_t bins, double lo, double hi, tiny_tensor *weights,
                                          int density, tiny_tensor **edges) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, weights ? weights : x};
  const int usable = tn_usable("histogram_bins", 2, in, &out);
  if (edges) *edges = out;
  if (!usable) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_flattened(t, tn_wide(t, tn_uop_of(x))), *w = tn_uop_of(in[1]);
  if (bins < 1 || bins > INT32_MAX - 1 || !(lo <= hi) || !(fabs(lo) < HUGE_VAL && fabs(hi) < HUGE_VAL))
    return tn_wrong(t, TINY_E_ARG, "histogram_bins: %lld bins from %g to %g", (long long)bins, lo, hi);
  if (!tn_has_dims(w, tn_uop_of(x)->ndim, tn_uop_of(x)->dim))
    return tn_wrong(t, TINY_E_SHAPE, "histogram_bins: %s, weights %s", tn_text_of(tn_uop_of(x), a), tn_text_of(w, b));
  if (tn_bad(t, u)) return out;
  tiny_uop *low = tn_k(t, u, lo), *high = tn_k(t, u, hi);
  if (lo == hi && u->dim[0]) { low = tn_extreme(t, 1, u, 1, 0); high = tn_extreme(t, 0, u, 1, 0); }
  else if (lo == hi) { low = tn_k(t, u, 0); high = tn_k(t, u, 1); }
  tiny_uop *flat = tn_times(t, tn_cast(t, tn_eq(t, low, high), u->dtype), 0.5);
  tiny_uop *e = tn_even_edges(t, tn_sub(t, low, flat), tn_add(t, high, flat), bins);
  e = tn_bad(t, e) ? e : tn_u1(t, TINY_OP_DETACH, tn_u1(t, TINY_OP_CONTIGUOUS, e));
  out = tn_histogram(t, u, e, weights ? tn_flattened(t, tn_wide(t, w)) : NULL, density,
                     tn_real(weights ? w->dtype : tn_uop_of(x)->dtype));
  if (edges) *edges = tiny_ok(out) ? tn_tensor_new(t, tn_narrow(t, e, tn_uop_of(x)->dtype)) : out;
  return out;
}

// ** sets **

#define TN_SET_SMALL 64
// Few are compared with one by one, more are sorted and searched.
TINY_API tiny_tensor *tiny_isin(tiny_tensor *x, tiny_tensor *set) {
  tiny_tensor *out, *in[2] = {x, set};
  if (!tn_usable("isin", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const int dtype = tn_meet(tn_uop_of(x), tn_uop_of(set));
  const int64_t n = tiny_nelem_of(set);
  tiny_uop *u = tn_flattened(t, tn_cast(t, tn_uop_of(x), dtype)),
           *s = tn_flattened(t, tn_cast(t, tn_uop_of(set), dtype)),
           *y;
  if (n <= TN_SET_SMALL) y = tn_reduce(t, TINY_OP_MAX, tn_eq(t, tn_insert(t, u, 1), s), 2, 0);
  else {
    const int64_t row[2] = {1, n};
    tiny_uop *order = tn_argsorted(t, tn_reshape(t, s, 2, row), 0, n);
    s = tn_taken_at(t, s, tn_flattened(t, order));
    s = tn_bad(t, s) ? s : tn_u1(t, TINY_OP_CONTIGUOUS, s);
    tiny_uop *at = tn_bad(t, s) || tn_bad(t, u) ? &t->ir->bad : tn_search_sorted(t, s, u, 0);
    y = tn_and(t, tn_lt(t, at, tn_k(t, at, (double)n)), tn_eq(t, tn_taken_at(t, s, at), u));
  }
  return tn_tensor_new(t, tn_reshape(t, y, tn_uop_of(x)->ndim, tn_uop_of(x)->dim));
}

// Which rows of x (n, m) differ from the one before. NaN differs from everything.
static tiny_uop *tn_firsts(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[0];
  tiny_uop *before = tn_cut(t, tn_extend(t, x, 0, 1, 0), 0, 0, n), *at = tn_iota(t, TINY_INDEX, n, 0, 1);
  return tn_or(t, tn_reduce(t, TINY_OP_MAX, tn_ne(t, x, before), 2, 0), tn_is_zero(t, at));
}
// Keys (1, n) that are ordered as the rows of x (n, m) are, by their first elements that differ: of each column the
// ranks of its elements, then of pairs of columns those of their pairs of ranks, until one column is left.
static tiny_uop *tn_row_keys(tiny_ctx *t, tiny_uop *x) {
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[0];
  int64_t m = x->dim[1];
  if (!m) {
    const int64_t none[2] = {1, n};
    return tn_expand(t, tn_int(t, TINY_I32, 0), 2, none);
  }
  tiny_uop *key = tn_sort_key(t, tn_swap(t, x, 0, 1));       // (m, n)
  while (m > 1 && !tn_bad(t, key)) {
    key = tn_u1(t, TINY_OP_CONTIGUOUS, key);
    tiny_uop *sorted = tn_taken_at(t, key, tn_argsorted(t, key, 0, n));
    sorted = tn_bad(t, sorted) ? sorted : tn_u1(t, TINY_OP_CONTIGUOUS, sorted);
    tiny_uop *rank = tn_search(t, sorted, key, 0);
    rank = tn_bad(t, rank) ? rank : tn_cast(t, rank, TINY_I64);
    rank = tn_extend(t, rank, 0, 0, m & 1);
    m = (m + 1) / 2;
    const int64_t pairs[3] = {m, 2, n}, dim[2] = {m, n};
    rank = tn_reshape(t, rank, 3, pairs);
    key = tn_add(t, tn_times(t, tn_cut(t, rank, 1, 0, 1), (double)n), tn_cut(t, rank, 1, 1, 2));
    key = tn_reshape(t, key, 2, dim);
  }
  return key;
}
// The lengths of runs that begin at first (m) in a row of n.
static tiny_uop *tn_run_lengths(tiny_ctx *t, tiny_uop *first, int64_t n) {
  if (tn_bad(t, first)) return first;
  const int64_t m = first->dim[0];
  tiny_uop *next = tn_extend(t, tn_cut(t, first, 0, m ? 1 : 0, m), 0, 0, m ? 1 : 0);
  tiny_uop *is_last = tn_eq(t, tn_iota(t, TINY_INDEX, m, 0, 1), tn_index(t, m - 1));
  return tn_sub(t, tn_where(t, is_last, tn_k(t, first, (double)n), next), first);
}
// Which run each of n elements is in: number (n) of those in order, put back to where they were.
static tiny_uop *tn_put_back(tiny_ctx *t, tiny_uop *number, tiny_uop *order, int64_t n) {
  if (tn_bad(t, number) || tn_bad(t, order)) return &t->ir->bad;
  const tn_sending s = {tn_expand(t, tn_k(t, number, 0), 1, &n), order, NULL, 0};
  return tn_sent(t, TINY_OP_ADD, &s, number);
}
// The rows of u (n, m) that begin a run in u, or in u sorted: *firsts says where, *order (NULL: as they stand) what
// is sorted. Computes how many there are; the tensors are the caller's to free.
static tiny_tensor *tn_run_begins(tiny_ctx *t, tiny_uop *u, int sorts, tiny_tensor **firsts, tiny_tensor **order) {
  tiny_uop *run = u;
  *firsts = *order = NULL;
  if (tn_bad(t, u)) return tn_poison(t);
  const int64_t n = u->dim[0], m = u->dim[1], row[2] = {1, n};
  if (sorts) {
    tiny_uop *key = m == 1 ? tn_reshape(t, u, 2, row) : tn_row_keys(t, u);
    tiny_uop *at = tn_flattened(t, tn_argsorted(t, key, 0, n));
    at = tn_bad(t, at) ? at : tn_u1(t, TINY_OP_CONTIGUOUS, at);
    *order = tn_tensor_new(t, at);
    run = tn_swap(t, tn_taken_at(t, tn_swap(t, u, 0, 1), at), 0, 1);
    run = tn_bad(t, run) ? run : tn_u1(t, TINY_OP_CONTIGUOUS, run);
  }
  *firsts = tn_tensor_new(t, tn_firsts(t, run));
  return tiny_ok(*firsts) && (!sorts || tiny_ok(*order)) ? tn_true_at(t, tn_uop_of(*firsts)) : tn_poison(t);
}
// The slices of x along axis, or for TINY_ALL its elements, as rows (n, m).
static tiny_uop *tn_slices(tiny_ctx *t, tiny_uop *x, int axis) {
  const int64_t all = tn_dims_nelem(x->ndim, x->dim), n = axis == TINY_ALL ? all : x->dim[axis];
  int64_t dim[2] = {n, 1};
  for (int i = 0; axis != TINY_ALL && i < x->ndim; i++) if (i != axis) dim[1] *= x->dim[i];
  return tn_reshape(t, axis == TINY_ALL ? x : tn_move_axis(t, x, axis, 0), 2, dim);
}
// Rows (n, m) as slices of what is like x but for the axis.
static tiny_uop *tn_slices_back(tiny_ctx *t, tiny_uop *u, const tiny_uop *x, int axis) {
  int64_t dim[TN_MAX_DIMS];
  if (tn_bad(t, u)) return u;
  dim[0] = u->dim[0];
  if (axis == TINY_ALL) return tn_reshape(t, u, 1, dim);
  for (int i = 0, n = 1; i < x->ndim; i++) if (i != axis) dim[n++] = x->dim[i];
  return tn_move_axis(t, tn_reshape(t, u, x->ndim, dim), 0, axis);
}
// One of each of the different slices of x along axis, in order, or of each run of equals as they stand.
static tiny_tensor *tn_uniques(const char *name, tiny_tensor *x, int axis, tiny_tensor **inverse, tiny_tensor **counts,
                               int sorts) {
  tiny_tensor *out, *firsts, *order;
  if (inverse) *inverse = NULL;
  const int usable = tn_sortable(name, x, counts, &out);
  if (inverse) *inverse = out;
  if (!usable) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (axis != TINY_ALL && (axis = tn_axis(t, name, tn_uop_of(x), axis)) < 0) return out;
  const tiny_uop *like = tn_uop_of(x);
  if (!like->ndim) axis = TINY_ALL;
  tiny_tensor *rows = tn_tensor_new(t, tn_slices(t, tn_uop_of(x), axis));
  if (!tiny_ok(rows)) return out;
  const int64_t n = tn_uop_of(rows)->dim[0];
  tiny_tensor *at = tn_run_begins(t, tn_uop_of(rows), sorts, &firsts, &order);
  if (tiny_ok(at)) {
    tiny_uop *from = sorts ? tn_taken_at(t, tn_uop_of(order), tn_uop_of(at)) : tn_uop_of(at);
    from = tn_swap(t, tn_taken_at(t, tn_swap(t, tn_uop_of(rows), 0, 1), from), 0, 1);
    out = tn_tensor_new(t, tn_slices_back(t, from, like, axis));
    if (counts) *counts = tn_tensor_new(t, tn_run_lengths(t, tn_uop_of(at), n));
    if (inverse) {
      tiny_uop *number = tn_plus(t, tn_mask_counts(t, tn_uop_of(firsts)), -1);
      if (sorts) number = tn_put_back(t, number, tn_uop_of(order), n);
      *inverse = tn_tensor_new(t, axis == TINY_ALL ? tn_reshape(t, number, like->ndim, like->dim) : number);
    }
  }
  tiny_free(at); tiny_free(firsts); tiny_free(order); tiny_free(rows);
  return out;
}
TINY_API tiny_tensor *tiny_unique(tiny_tensor *x, tiny_tensor **inverse, tiny_tensor **counts) {
  return tn_uniques("unique", x, TINY_ALL, inverse, counts, 1);
}
TINY_API tiny_tensor *tiny_unique_consecutive(tiny_tensor *x, tiny_tensor **inverse, tiny_tensor **counts) {
  return tn_uniques("unique_consecutive", x, TINY_ALL, inverse, counts, 0);
}
TINY_API tiny_tensor *tiny_unique_along(tiny_tensor *x, int axis, tiny_tensor **inverse, tiny_tensor **counts) {
  return tn_uniques("unique_along", x, axis, inverse, counts, 1);
}
TINY_API tiny_tensor *tiny_unique_consecutive_along(tiny_tensor *x, int axis, tiny_tensor **inverse,
                                                    tiny_tensor **counts) {
  return tn_uniques("unique_consecutive_along", x, axis, inverse, counts, 0);
}
#endif
