// reduce: folds along axes, what is computed from them, and running sums.
//
// Sums and products of halves run in f32 and come back as halves. Those of bool, i8 and i16 give
// i32 and those of u8 and u16 u32 (PyTorch: always i64). The sum of nothing is 0, the product 1,
// and there is no maximum of nothing.
#ifndef TN_TENSOR_REDUCE
#define TN_TENSOR_REDUCE
#ifndef TINY_AMALGAMATED
#include "elementwise.c"
#endif

// Bits of one axis or, for TINY_ALL, of all; -1 after an error.
static int tn_one_axis(tiny_ctx *t, const char *name, const tiny_uop *u, int axis) {
  if (axis == TINY_ALL) return (1 << u->ndim) - 1;
  const int at = tn_axis(t, name, u, axis);
  return at < 0 ? -1 : u->ndim ? 1 << at : 0;
}
static int64_t tn_count(const tiny_uop *u, int bits) {       // elements that go into one
  int64_t n = 1;
  for (int i = 0; i < u->ndim; i++) if (bits >> i & 1) n *= u->dim[i];
  return n;
}
static int tn_sum_dtype(int d) {
  return tn_is_half(d)                                ? (int)TINY_F32 :
      d == TINY_BOOL || d == TINY_I8 || d == TINY_I16 ? (int)TINY_I32 :
      d == TINY_U8 || d == TINY_U16                   ? (int)TINY_U32 :
                                                        d;
}
// A sum or product in a dtype that is wide enough; halves come back as halves.
static tiny_uop *tn_accumulate(tiny_ctx *t, int op, tiny_uop *x, int bits, int keepdim) {
  if (tn_bad(t, x)) return x;
  const int half = tn_is_half(x->dtype) ? x->dtype : 0;
  tiny_uop *y = tn_reduce(t, op, tn_cast(t, x, tn_sum_dtype(x->dtype)), bits, keepdim);
  return half && !tn_bad(t, y) ? tn_cast(t, y, half) : y;
}
static tiny_uop *tn_extreme(tiny_ctx *t, int lowest, tiny_uop *x, int bits, int keepdim) {
  return lowest ? tn_mirror(t, tn_reduce(t, TINY_OP_MAX, tn_mirror(t, x), bits, keepdim)) :
                  tn_reduce(t, TINY_OP_MAX, x, bits, keepdim);
}

// ** '+' '*' 'M'aximum 'm'inimum **

static tiny_tensor *tn_fold(const char *name, char op, tiny_tensor *x, int bits, int keepdim) {
  char a[TN_DIMS_TEXT];
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop;
  if (bits < 0) return tn_poison(t);
  if (op == '+' || op == '*')
    return tn_tensor_new(t, tn_accumulate(t, op == '+' ? TINY_OP_ADD : TINY_OP_MUL, u, bits, keepdim));
  if (!tn_count(u, bits) && tn_dims_nelem(u->ndim, u->dim) == 0) {
    int64_t others = 1;
    for (int i = 0; i < u->ndim; i++) if (!(bits >> i & 1)) others *= u->dim[i];
    if (others)
      return tn_wrong(t, TINY_E_SHAPE, "%s: there is nothing along the axis of %s", name, tn_text_of(u, a));
  }
  return tn_tensor_new(t, tn_extreme(t, op == 'm', u, bits, keepdim));
}
static tiny_tensor *tn_fold_axis(const char *name, char op, tiny_tensor *x, int axis, int keepdim) {
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  return tn_fold(name, op, x, tn_one_axis(x->t, name, x->uop, axis), keepdim);
}
TINY_API tiny_tensor *tiny_sum(tiny_tensor *x, int axis, int keepdim) {
  return tn_fold_axis("sum", '+', x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_prod(tiny_tensor *x, int axis, int keepdim) {
  return tn_fold_axis("prod", '*', x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_max(tiny_tensor *x, int axis, int keepdim) {
  return tn_fold_axis("max", 'M', x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_min(tiny_tensor *x, int axis, int keepdim) {
  return tn_fold_axis("min", 'm', x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_reduce(tiny_tensor *x, char op, tiny_shape axes, int keepdim) {
  tiny_tensor *out;
  if (!tn_usable("reduce", 1, &x, &out)) return out;
  if (op != '+' && op != '*' && op != 'M')
    return tn_wrong(x->t, TINY_E_ARG, "reduce: op is '%c', not '+', '*' or 'M'",
                    op >= ' ' && op < 127 ? op : '?');
  return tn_fold("reduce", op, x, tn_axis_bits(x->t, "reduce", x->uop, &axes), keepdim);
}

// ** mean, variance: integers as f32, halves in f32 **

// x as the dtype in which its mean is computed.
static tiny_uop *tn_wide(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) ? x : tn_cast(t, x, tn_computed_in(tn_real(x->dtype)));
}

static tiny_uop *tn_mean(tiny_ctx *t, tiny_uop *x, int bits, int keepdim) {
  if (tn_bad(t, x)) return x;
  const int64_t n = tn_count(x, bits);
  return tn_times(t, tn_sum(t, x, bits, keepdim), n ? 1.0 / (double)n : (double)NAN);
}
// Of x minus its mean: two passes, as accurate as the data allow.
static tiny_uop *tn_variance(tiny_ctx *t, tiny_uop *x, tiny_uop *mean, int bits, int keepdim,
                             double divisor) {
  return tn_times(t, tn_sum(t, tn_square(t, tn_sub(t, x, mean)), bits, keepdim),
                  divisor > 0 ? 1 / divisor : (double)NAN);
}
static tiny_uop *tn_narrow(tiny_ctx *t, tiny_uop *x, int dtype) {
  return tn_bad(t, x) ? x : tn_cast(t, x, tn_real(dtype));
}

TINY_API tiny_tensor *tiny_mean(tiny_tensor *x, int axis, int keepdim) {
  tiny_tensor *out;
  if (!tn_usable("mean", 1, &x, &out)) return out;
  const int bits = tn_one_axis(x->t, "mean", x->uop, axis);
  if (bits < 0) return out;
  tiny_uop *mean = tn_mean(x->t, tn_wide(x->t, x->uop), bits, keepdim);
  return tn_tensor_new(x->t, tn_narrow(x->t, mean, x->uop->dtype));
}
TINY_API tiny_tensor *tiny_var(tiny_tensor *x, int axis, int keepdim, int correction) {
  tiny_tensor *out;
  if (!tn_usable("var", 1, &x, &out)) return out;
  const int bits = tn_one_axis(x->t, "var", x->uop, axis);
  if (bits < 0) return out;
  tiny_uop *wide = tn_wide(x->t, x->uop);
  tiny_uop *var = tn_variance(x->t, wide, tn_mean(x->t, wide, bits, 1), bits, keepdim,
                              (double)tn_count(x->uop, bits) - correction);
  return tn_tensor_new(x->t, tn_narrow(x->t, var, x->uop->dtype));
}

// ** positions **

// The first i where x[i] is the maximum: the maximum of n-1-i over those, taken from n-1. NaN counts as the greatest.
static tiny_uop *tn_position(tiny_ctx *t, tiny_uop *x, int axis, int keepdim) {
  if (tn_bad(t, x)) return x;
  const int64_t n = x->dim[axis];
  tiny_uop *is = tn_eq(t, x, tn_reduce(t, TINY_OP_MAX, x, 1 << axis, 1));
  if (tn_is_float(x->dtype)) is = tn_or(t, is, tn_isnan(t, x));
  tiny_uop *rest = tn_plus(t, tn_neg(t, tn_iota(t, TINY_I32, n, axis, x->ndim)), (double)(n - 1));
  rest = tn_where(t, is, rest, tn_k(t, rest, 0));
  return tn_plus(t, tn_neg(t, tn_reduce(t, TINY_OP_MAX, rest, 1 << axis, keepdim)), (double)(n - 1));
}
static tiny_tensor *tn_arg(const char *name, int lowest, tiny_tensor *x, int axis, int keepdim) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop;
  const int flat = axis == TINY_ALL || !u->ndim;
  const int at = axis == TINY_ALL ? 0 : tn_axis(t, name, u, axis), n = u->ndim;
  if (at < 0) return out;
  const int64_t nelem = tn_dims_nelem(n, u->dim), size = flat ? nelem : u->dim[at];
  if (!size || size > INT32_MAX)
    return tn_wrong(t, TINY_E_SHAPE, "%s: %lld elements along the axis of %s", name, (long long)size,
                    tn_text_of(u, a));
  int64_t one[TINY_MAX_DIMS];
  for (int i = 0; i < TINY_MAX_DIMS; i++) one[i] = 1;
  tiny_uop *y = flat ? tn_reshape(t, u, 1, &nelem) : u;
  y = tn_position(t, lowest ? tn_mirror(t, y) : y, at, flat ? 0 : keepdim);
  return tn_tensor_new(t, flat && keepdim ? tn_reshape(t, y, n, one) : y);
}
TINY_API tiny_tensor *tiny_argmax(tiny_tensor *x, int axis, int keepdim) {
  return tn_arg("argmax", 0, x, axis, keepdim);
}
TINY_API tiny_tensor *tiny_argmin(tiny_tensor *x, int axis, int keepdim) {
  return tn_arg("argmin", 1, x, axis, keepdim);
}

// ** running sums **

#define TN_SCAN_BLOCK ((int64_t)32)
// Running sums of the rows of (rows, n): within blocks of 32 by a masked sum; the sums before each block
// by the same, one level up. Work: 32 additions an element at the lowest level, 1/32 of that at the next.
static tiny_uop *tn_scan(tiny_ctx *t, tiny_uop *x, int64_t rows, int64_t n) {
  const int64_t width = n < TN_SCAN_BLOCK ? n : TN_SCAN_BLOCK, blocks = (n + width - 1) / width;
  const int64_t row[4] = {rows, blocks, 1, width}, block[3] = {rows, blocks, width},
                one[3] = {rows, blocks, 1}, whole[2] = {rows, blocks * width};
  const int64_t sums[2] = {rows, blocks};
  x = tn_reshape(t, tn_extend(t, x, 1, 0, blocks * width - n), 4, row);
  tiny_uop *before =
      tn_lt(t, tn_iota(t, TINY_INDEX, width, 3, 4), tn_plus(t, tn_iota(t, TINY_INDEX, width, 2, 4), 1));
  tiny_uop *y = tn_reshape(t, tn_sum(t, tn_where(t, before, x, tn_k(t, x, 0)), 8, 0), 3, block);
  if (blocks > 1 && !tn_bad(t, y)) {
    tiny_uop *total = tn_u1(t, TINY_OP_CONTIGUOUS, tn_reshape(t, tn_sum(t, x, 8, 0), 2, sums));
    tiny_uop *through = tn_scan(t, total, rows, blocks);
    y = tn_add(t, y, tn_reshape(t, tn_cut(t, tn_extend(t, through, 1, 1, 0), 1, 0, blocks), 3, one));
  }
  y = tn_cut(t, tn_reshape(t, y, 2, whole), 1, 0, n);
  return tn_bad(t, y) ? y : tn_u1(t, TINY_OP_CONTIGUOUS, y);
}
TINY_API tiny_tensor *tiny_cumsum(tiny_tensor *x, int axis) {
  tiny_tensor *out;
  if (!tn_usable("cumsum", 1, &x, &out)) return out;
  if ((axis = tn_axis(x->t, "cumsum", x->uop, axis)) < 0) return out;
  tiny_ctx *t = x->t;
  tiny_uop *u = tn_cast(t, x->uop, tn_sum_dtype(x->uop->dtype));
  const int n = x->uop->ndim;
  if (tn_bad(t, u) || !n || !tiny_nelem(x)) return tn_tensor_new(t, u);
  u = tn_swap(t, u, axis, n - 1);
  if (tn_bad(t, u)) return tn_poison(t);
  int64_t dim[TINY_MAX_DIMS], rows[2];
  for (int i = 0; i < n; i++) dim[i] = u->dim[i];
  rows[1] = dim[n - 1]; rows[0] = tiny_nelem(x) / rows[1];
  u = tn_scan(t, tn_reshape(t, u, 2, rows), rows[0], rows[1]);
  u = tn_swap(t, tn_reshape(t, u, n, dim), axis, n - 1);
  return tn_tensor_new(t, tn_bad(t, u) || !tn_is_half(x->uop->dtype) ? u : tn_cast(t, u, x->uop->dtype));
}
#endif
