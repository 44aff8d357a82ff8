// scan: running sums, products, extremes and logarithms of sums of exponentials along an axis; differences, areas.
//
// In blocks: each element folds those before it in its block by a masked reduction, what the blocks come to is scanned
// in the same way one level up, and joined with the elements of the next block. The scheduler runs masked sums and
// maxima as loops that carry what they have (rules/reduce.c), so their blocks are long, and there are several only to
// give all threads a part. Products, whose gradients are no such loops, and log-sums have blocks of 32: 32 steps an
// element at the lowest level, 1/32 of that at the next. Made of reductions, so gradients are theirs: exact also where
// products meet zeros.
#ifndef TN_TENSOR_SCAN
#define TN_TENSOR_SCAN
#ifndef TINY_AMALGAMATED
#include "reduce.c"
#endif

#define TN_SCAN_BLOCK ((int64_t)32)
enum { TN_SCAN_ROWS = 8, TN_SCAN_LONG = 1 << 14 };           // rows enough for all threads; a row worth cutting
enum { TN_LOG_ADD = TINY_OP_COUNT };       // beside TINY_OP_ADD, MUL and MAX: log(exp(a) + exp(b))

static tiny_uop *tn_scan_identity(tiny_ctx *t, int op, const tiny_uop *x) {
  return tn_identity(t, op == TN_LOG_ADD ? (int)TINY_OP_MAX : op, x);
}

// ** logarithms of sums of exponentials: what is taken off before exp is put back behind log **

// An infinite maximum is not taken off: inf-inf would be NaN.
static tiny_uop *tn_taken_off(tiny_ctx *t, tiny_uop *max) {
  max = tn_bad(t, max) ? max : tn_u1(t, TINY_OP_DETACH, max);
  return tn_where(t, tn_eq(t, tn_abs(t, max), tn_k(t, max, HUGE_VAL)), tn_k(t, max, 0), max);
}
// log(sum) + off; the gradient of an empty sum is 0.
static tiny_uop *tn_log_sum(tiny_ctx *t, tiny_uop *sum, tiny_uop *off) {
  tiny_uop *zero = tn_eq(t, sum, tn_k(t, sum, 0));
  tiny_uop *y = tn_add(t, tn_logarithm(t, tn_where(t, zero, tn_k(t, sum, 1), sum)), off);
  return tn_where(t, zero, tn_k(t, sum, -HUGE_VAL), y);
}
static tiny_uop *tn_log_add(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  tiny_uop *off = tn_taken_off(t, tn_max(t, a, b));
  return tn_log_sum(t, tn_add(t, tn_exp(t, tn_sub(t, a, off)), tn_exp(t, tn_sub(t, b, off))), off);
}
// Along axis bits of x, which has the identity where nothing counts.
static tiny_uop *tn_log_reduce(tiny_ctx *t, tiny_uop *x, int bits) {
  tiny_uop *off = tn_taken_off(t, tn_reduce(t, TINY_OP_MAX, x, bits, 1));
  return tn_log_sum(t, tn_sum(t, tn_exp(t, tn_sub(t, x, off)), bits, 1), off);
}

// ** the scan of rows **

static tiny_uop *tn_scan_reduce(tiny_ctx *t, int op, tiny_uop *x) {          // along axis 3, which stays as 1
  return op == TN_LOG_ADD ? tn_log_reduce(t, x, 8) : tn_reduce(t, op, x, 8, 1);
}
static tiny_uop *tn_scan_join(tiny_ctx *t, int op, tiny_uop *a, tiny_uop *b) {
  return op == TN_LOG_ADD ? tn_log_add(t, a, b) : tn_binary(t, op, a, b);
}
static int64_t tn_scan_blocks(int op, int64_t rows, int64_t n) {
  if (op != TINY_OP_ADD && op != TINY_OP_MAX) return (n + TN_SCAN_BLOCK - 1) / TN_SCAN_BLOCK;
  if (rows >= TN_SCAN_ROWS || n < TN_SCAN_LONG) return 1;
  for (int64_t blocks = 64; blocks >= 8; blocks--) if (n % blocks == 0) return blocks;
  return 32;
}
static tiny_uop *tn_scan(tiny_ctx *t, int op, tiny_uop *x, int64_t rows, int64_t n) {
  const int64_t blocks = tn_scan_blocks(op, rows, n), width = (n + blocks - 1) / blocks;
  const int64_t row[4] = {rows, blocks, 1, width}, block[3] = {rows, blocks, width},
                one[3] = {rows, blocks, 1}, whole[2] = {rows, blocks * width};
  const int64_t totals[2] = {rows, blocks}, behind[4] = {0, 0, 0, blocks * width - n},
                ahead[4] = {0, 0, 1, 0};
  tiny_uop *identity = tn_scan_identity(t, op, x);
  x = tn_reshape(t, tn_pad_with(t, x, behind, identity), 4, row);
  tiny_uop *before =
      tn_lt(t, tn_iota(t, TINY_INDEX, width, 3, 4), tn_plus(t, tn_iota(t, TINY_INDEX, width, 2, 4), 1));
  tiny_uop *y = tn_reshape(t, tn_scan_reduce(t, op, tn_where(t, before, x, identity)), 3, block);
  if (blocks > 1 && !tn_bad(t, y)) {
    tiny_uop *total = tn_reshape(t, tn_scan_reduce(t, op, x), 2, totals);
    total = tn_bad(t, total) ? total : tn_u1(t, TINY_OP_CONTIGUOUS, total);
    tiny_uop *through = tn_pad_with(t, tn_scan(t, op, total, rows, blocks), ahead, identity);
    y = tn_scan_join(t, op, y, tn_reshape(t, tn_cut(t, through, 1, 0, blocks), 3, one));
    y = tn_bad(t, y) ? y : tn_u1(t, TINY_OP_CONTIGUOUS, y);
  }
  return tn_cut(t, tn_reshape(t, y, 2, whole), 1, 0, n);
}

// ** operators: the axis becomes the last of two, and goes back **

typedef tiny_uop *(*tn_row_formula)(tiny_ctx *t, int op, tiny_uop *x, int64_t rows, int64_t n);

static tiny_uop *tn_scan_along(tiny_ctx *t, tn_row_formula formula, int op, tiny_uop *x, int axis) {
  int64_t dim[TN_MAX_DIMS], rows[2];
  if (tn_bad(t, x) || !x->ndim || !tn_dims_nelem(x->ndim, x->dim)) return x;
  const int n = x->ndim;
  x = tn_swap(t, x, axis, n - 1);
  if (tn_bad(t, x)) return x;
  const tiny_uop *meant = x;
  for (int i = 0; i < n; i++) dim[i] = x->dim[i];
  rows[1] = dim[n - 1]; rows[0] = tn_dims_nelem(n - 1, dim);
  if (x->extent) x = tn_wholes(t, x, n > 1 ? ~1 : ~0, 0);    // rows have one length; what comes behind one is not read
  x = formula(t, op, tn_reshape(t, x, 2, rows), rows[0], rows[1]);
  return tn_swap(t, tn_firsts_of(t, tn_reshape(t, x, n, dim), meant), axis, n - 1);
}

static tiny_tensor *tn_cumulative(const char *name, int op, tiny_tensor *x, int axis) {
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  if ((axis = tn_axis(tn_ctx_of(x), name, tn_uop_of(x), axis)) < 0) return out;
  const int dtype = op == TN_LOG_ADD ? tn_real(tn_uop_of(x)->dtype) : tn_uop_of(x)->dtype,
      inside = tn_sum_dtype(dtype);
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_scan_along(t, tn_scan, op, tn_cast(t, tn_uop_of(x), inside), axis);
  return tn_value_new(t, tn_bad(t, u) || !tn_is_float(dtype) ? u : tn_cast(t, u, dtype), 1, &x);
}
TINY_API tiny_tensor *tiny_cumsum(tiny_tensor *x, int axis) {
  return tn_cumulative("cumsum", TINY_OP_ADD, x, axis);
}
TINY_API tiny_tensor *tiny_cumprod(tiny_tensor *x, int axis) {
  return tn_cumulative("cumprod", TINY_OP_MUL, x, axis);
}
TINY_API tiny_tensor *tiny_logcumsumexp(tiny_tensor *x, int axis) {
  return tn_cumulative("logcumsumexp", TN_LOG_ADD, x, axis);
}

// Where the running maximum of rows was reached, the last time if several: the running maximum of the positions that
// reach it. Once there was a NaN, that of the last NaN.
static tiny_uop *tn_scan_position(tiny_ctx *t, int op, tiny_uop *x, int64_t rows, int64_t n) {
  x = tn_once(t, x);
  tiny_uop *is = tn_eq(t, x, tn_scan(t, op, x, rows, n));
  if (tn_bad(t, is)) return is;
  if (tn_is_float(x->dtype)) is = tn_or(t, is, tn_isnan(t, x));
  tiny_uop *at = tn_iota(t, TINY_I32, n, 1, 2);
  return tn_scan(t, TINY_OP_MAX, tn_where(t, is, at, tn_k(t, at, 0)), rows, n);
}
// x (rows, n) at positions (rows, n).
static tiny_uop *tn_rows_at(tiny_ctx *t, tiny_uop *x, tiny_uop *at) {
  return tn_element_at(t, tn_insert(t, x, 1), tn_insert(t, at, 2), 2, 0);
}
static tiny_uop *tn_scan_extreme(tiny_ctx *t, int op, tiny_uop *x, int64_t rows, int64_t n) {
  return tn_rows_at(t, x, tn_scan_position(t, op, x, rows, n));
}
static tiny_uop *tn_scan_lowest(tiny_ctx *t, int op, tiny_uop *x, int64_t rows, int64_t n) {
  return tn_rows_at(t, x, tn_scan_position(t, op, tn_mirror(t, x), rows, n));
}
static tiny_tensor *tn_cumulative_extreme(const char *name, int lowest, tiny_tensor *x, int axis,
                                          tiny_tensor **index) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  const int usable = tn_usable(name, 1, &x, &out);
  if (index) *index = out;
  if (!usable || (axis = tn_axis(tn_ctx_of(x), name, tn_uop_of(x), axis)) < 0) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  if (u->ndim == TINY_MAX_DIMS || (u->ndim && u->dim[axis] > INT32_MAX))
    return tn_wrong(t, TINY_E_SHAPE, "%s: along axis %d of %s", name, axis, tn_text_of(u, a));
  if (index) {
    tiny_uop *at = tn_scan_along(t, tn_scan_position, TINY_OP_MAX, lowest ? tn_mirror(t, u) : u, axis);
    const int64_t nelem = tiny_nelem_of(x);
    if (!u->ndim || !nelem) at = tn_firsts_of(t, tn_expand(t, tn_int(t, TINY_I32, 0), u->ndim, u->dim), u);
    *index = tn_tensor_new(t, at);
  }
  return tn_tensor_new(t, tn_scan_along(t, lowest ? tn_scan_lowest : tn_scan_extreme, TINY_OP_MAX, u, axis));
}
TINY_API tiny_tensor *tiny_cummax(tiny_tensor *x, int axis, tiny_tensor **index) {
  return tn_cumulative_extreme("cummax", 0, x, axis, index);
}
TINY_API tiny_tensor *tiny_cummin(tiny_tensor *x, int axis, tiny_tensor **index) {
  return tn_cumulative_extreme("cummin", 1, x, axis, index);
}

// ** differences, and areas under points **

enum { TN_DIFF_FUSED = 3 };                // differences of differences that one kernel computes: each reads two
static tiny_uop *tn_diff(tiny_ctx *t, tiny_uop *u, int axis, int64_t n) {
  for (int64_t k = 1; k <= n && !tn_bad(t, u); k++) {
    const int64_t size = u->dim[axis];
    if (!size) break;
    tiny_uop *later = tn_cut(t, u, axis, 1, size), *whole = tn_wholes(t, u, 1 << axis, 0),
             *sooner = tn_cut(t, whole, axis, 0, size - 1);          // of a length as much as there is later
    if (tn_bad(t, later)) return later;
    u = u->dtype == TINY_BOOL ? tn_ne(t, later, sooner) : tn_sub(t, later, sooner);
    if (k < n && k % TN_DIFF_FUSED == 0 && !tn_bad(t, u)) u = tn_u1(t, TINY_OP_CONTIGUOUS, u);
  }
  return u;
}
TINY_API tiny_tensor *tiny_diff(tiny_tensor *x, int64_t n, int axis, tiny_tensor *before, tiny_tensor *after) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out, *in[3] = {before ? before : x, x, after ? after : x};
  if (!tn_usable("diff", 3, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (!tn_uop_of(x)->ndim || n < 0)
    return tn_wrong(t, n < 0 ? TINY_E_ARG : TINY_E_SHAPE, "diff: %lld times along %s", (long long)n,
                    tn_text_of(tn_uop_of(x), a));
  if ((axis = tn_axis(t, "diff", tn_uop_of(x), axis)) < 0) return out;
  const int joined = 1 + (before != NULL) + (after != NULL);
  tiny_tensor *all = joined > 1 ? tn_join("diff", before ? in : in + 1, joined, axis, 0) : x;
  if (!tiny_ok(all)) return all;
  const int dtype = tn_uop_of(all)->dtype;
  tiny_uop *y = tn_diff(t, tn_cast(t, tn_uop_of(all), tn_inside(TN_WIDE, dtype)), axis, n);
  out = tn_value_new(t, tn_bad(t, y) ? y : tn_cast(t, y, dtype), 1, &all);
  if (all != x) tiny_free(all);
  return out;
}

// Elements and those before them along axis, of a length as many as there are later ones: their sum, or difference.
static tiny_uop *tn_neighbours(tiny_ctx *t, tiny_uop *u, int axis, int differ) {
  if (tn_bad(t, u)) return u;
  const int64_t size = u->dim[axis], first = size ? 1 : 0, last = size ? size - 1 : 0;
  tiny_uop *later = tn_cut(t, u, axis, first, size),
           *sooner = tn_cut(t, tn_wholes(t, u, 1 << axis, 0), axis, 0, last);
  return differ ? tn_sub(t, later, sooner) : tn_add(t, later, sooner);
}
// The areas between neighbours along *axis of y over x, or over steps: their widths times the mean heights. NULL after
// an error; *out is then what the operator returns.
static tiny_uop *tn_areas(const char *name, tiny_tensor *y, tiny_tensor *x, double step, int *axis, int *dtype,
                          tiny_tensor **out) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *in[2] = {y, x ? x : y};
  if (!tn_usable(name, 2, in, out)) return NULL;
  tiny_ctx *t = tn_ctx_of(y);
  tiny_uop *u = tn_uop_of(y), *v = tn_uop_of(in[1]);
  if ((*axis = tn_axis(t, name, u, *axis)) < 0) return NULL;
  int64_t dim[TN_MAX_DIMS], line[TN_MAX_DIMS];
  int n = u->ndim, fits = n > 0;
  for (int i = 0; i < n; i++) { dim[i] = u->dim[i]; line[i] = i == *axis ? u->dim[i] : 1; }
  if (x && v->ndim == 1) fits = fits && v->dim[0] == u->dim[*axis];
  else if (x) fits = fits && tn_broadcast_dims(v->ndim, v->dim, &n, dim) && n == u->ndim && v->ndim + *axis >= n &&
                     v->dim[v->ndim + *axis - n] == u->dim[*axis] && dim[*axis] == u->dim[*axis];
  if (!fits) {
    tiny_fail(t, TINY_E_SHAPE, "%s: %s over %s along axis %d", name, tn_text_of(u, a),
              x ? tn_text_of(v, b) : "steps", *axis);
    return NULL;
  }
  *dtype = tn_real(x ? (int)tn_meet(u, v) : u->dtype);
  const int inside = tn_computed_in(*dtype);
  tiny_uop *height = tn_neighbours(t, tn_cast(t, u, inside), *axis, 0);
  if (!x) return tn_times(t, height, step / 2);
  v = tn_cast(t, v, inside);
  if (!tn_bad(t, v) && v->ndim == 1) v = tn_reshape(t, v, n, line);
  tiny_uop *width = tn_neighbours(t, tn_expand(t, v, n, dim), *axis, 1);
  return tn_times(t, tn_mul(t, height, width), 0.5);
}
TINY_API tiny_tensor *tiny_trapezoid(tiny_tensor *y, tiny_tensor *x, double step, int axis) {
  tiny_tensor *out;
  int dtype;
  tiny_uop *u = tn_areas("trapezoid", y, x, step, &axis, &dtype, &out);
  return u ? tn_tensor_new(tn_ctx_of(y), tn_narrow(tn_ctx_of(y), tn_sum(tn_ctx_of(y), u, 1 << axis, 0), dtype)) : out;
}
TINY_API tiny_tensor *tiny_cumulative_trapezoid(tiny_tensor *y, tiny_tensor *x, double step, int axis) {
  tiny_tensor *out;
  int dtype;
  tiny_uop *u = tn_areas("cumulative_trapezoid", y, x, step, &axis, &dtype, &out);
  if (!u) return out;
  u = tn_scan_along(tn_ctx_of(y), tn_scan, TINY_OP_ADD, u, axis);
  return tn_tensor_new(tn_ctx_of(y), tn_narrow(tn_ctx_of(y), u, dtype));
}
#endif
