// nn: products of matrices, convolution and pooling by windows that are views, normalisation, losses, lookups.
//
// Lookups are sums over (position == index) * x: no op of their own, so they fuse and have gradients like all else; the
// scheduler turns them back into loads.
#ifndef TN_TENSOR_NN
#define TN_TENSOR_NN
#ifndef TINY_AMALGAMATED
#include "random.c"
#endif

// ** matrices **

// The sum over the last axis of x * w, plus bias if there is one. Halves are multiplied and added in f32.
static tiny_uop *tn_dot(tiny_ctx *t, tiny_uop *x, tiny_uop *w, tiny_uop *bias, int axis_bits, int dtype) {
  if (tn_bad(t, x) || tn_bad(t, w)) return &t->ir->bad;
  const int inside = tn_computed_in(dtype);
  tiny_uop *y = tn_sum(t, tn_mul(t, tn_cast(t, x, inside), tn_cast(t, w, inside)), axis_bits, 0);
  if (bias) y = tn_bad(t, bias) ? bias : tn_add(t, y, tn_cast(t, bias, inside));
  return tn_bad(t, y) ? y : tn_cast(t, y, dtype);
}

TINY_API tiny_tensor *tiny_matmul(tiny_tensor *x, tiny_tensor *w) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, w};
  if (!tn_usable("matmul", 2, in, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *p = x->uop, *q = w->uop;
  const int row = p->ndim == 1, column = q->ndim == 1;
  if (!p->ndim || !q->ndim)
    return tn_wrong(t, TINY_E_SHAPE, "matmul: 0-d operand: %s @ %s", tn_text_of(p, a), tn_text_of(q, b));
  if (p->ndim == TINY_MAX_DIMS || q->ndim == TINY_MAX_DIMS)
    return tn_wrong(t, TINY_E_SHAPE, "matmul: too many dims: %s @ %s", tn_text_of(p, a), tn_text_of(q, b));
  if (p->dim[p->ndim - 1] != q->dim[column ? 0 : q->ndim - 2])
    return tn_wrong(t, TINY_E_SHAPE, "matmul: inner dims differ: %s @ %s", tn_text_of(p, a),
                    tn_text_of(q, b));
  int64_t lead[TINY_MAX_DIMS];
  int n = 0;
  tn_broadcast_dims(column ? 0 : q->ndim - 2, q->dim, &n, lead);
  if (!tn_broadcast_dims(row ? 0 : p->ndim - 2, p->dim, &n, lead))
    return tn_wrong(t, TINY_E_SHAPE, "matmul: leading dims do not broadcast: %s @ %s", tn_text_of(p, a),
                    tn_text_of(q, b));
  const int dtype = tn_meet(p, q);
  if (row) p = tn_insert(t, p, 0);         // (.., M, K) -> (.., M, 1, K)
  p = tn_bad(t, p) ? p : tn_insert(t, p, p->ndim - 1);
  if (column) q = tn_insert(t, q, 1);      // (.., K, N) -> (.., 1, N, K)
  q = tn_bad(t, q) ? q : tn_swap(t, q, q->ndim - 2, q->ndim - 1);
  q = tn_bad(t, q) ? q : tn_insert(t, q, q->ndim - 2);
  tiny_uop *y = tn_dot(t, p, q, NULL, 1 << (n + 2), dtype);
  if (tn_bad(t, y)) return tn_poison(t);
  if (column) y = tn_reshape(t, y, n + 1, y->dim);
  if (row && !tn_bad(t, y)) { if (!column) lead[n++] = y->dim[y->ndim - 1]; y = tn_reshape(t, y, n, lead); }
  return tn_tensor_new(t, y);
}

// tn_usable for operators whose last arguments may be NULL.
static int tn_usable_some(const char *name, int needed, int n, tiny_tensor *const *x, tiny_tensor **out) {
  tiny_tensor *in[TINY_MAX_DIMS];
  int m = 0;
  for (int i = 0; i < n; i++) if (i < needed || x[i]) in[m++] = x[i];
  return tn_usable(name, m, in, out);
}

TINY_API tiny_tensor *tiny_linear(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[3] = {x, w, bias};
  if (!tn_usable_some("linear", 2, 3, in, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *p = x->uop, *q = w->uop;
  if (!p->ndim || p->ndim == TINY_MAX_DIMS || q->ndim != 2 || p->dim[p->ndim - 1] != q->dim[1])
    return tn_wrong(t, TINY_E_SHAPE, "linear: %s with weights %s", tn_text_of(p, a), tn_text_of(q, b));
  if (bias && (bias->uop->ndim != 1 || bias->uop->dim[0] != q->dim[0]))
    return tn_wrong(t, TINY_E_SHAPE, "linear: bias %s with weights %s", tn_text_of(bias->uop, a),
                    tn_text_of(q, b));
  const int n = p->ndim;
  tiny_uop *const rows = tn_insert(t, p, n - 1);
  return tn_tensor_new(t, tn_dot(t, rows, q, bias ? bias->uop : NULL, 1 << n, tn_meet(p, q)));
}

// ** softmax and losses **

// x minus its maximum along the axis, through which no gradient flows: it cancels.
static tiny_uop *tn_below_max(tiny_ctx *t, tiny_uop *x, int bits) {
  return tn_sub(t, x, tn_u1(t, TINY_OP_DETACH, tn_reduce(t, TINY_OP_MAX, x, bits, 1)));
}
static tiny_uop *tn_softmax(tiny_ctx *t, tiny_uop *x, int bits) {
  tiny_uop *e = tn_exp(t, tn_below_max(t, x, bits));
  return tn_fdiv(t, e, tn_sum(t, e, bits, 1));
}
static tiny_uop *tn_log_softmax(tiny_ctx *t, tiny_uop *x, int bits) {
  tiny_uop *y = tn_below_max(t, x, bits);
  return tn_sub(t, y, tn_logarithm(t, tn_sum(t, tn_exp(t, y), bits, 1)));
}
static tiny_tensor *tn_along(const char *name, tiny_uop *(*formula)(tiny_ctx *t, tiny_uop *x, int bits),
                             tiny_tensor *x, int axis) {
  tiny_tensor *out;
  if (!tn_usable(name, 1, &x, &out)) return out;
  const int bits = tn_one_axis(x->t, name, x->uop, axis);
  if (bits < 0) return out;
  tiny_uop *wide = tn_wide(x->t, x->uop), *y = tn_bad(x->t, wide) ? wide : formula(x->t, wide, bits);
  return tn_tensor_new(x->t, tn_narrow(x->t, y, x->uop->dtype));
}
TINY_API tiny_tensor *tiny_softmax(tiny_tensor *x, int axis) {
  return tn_along("softmax", tn_softmax, x, axis);
}
TINY_API tiny_tensor *tiny_log_softmax(tiny_tensor *x, int axis) {
  return tn_along("log_softmax", tn_log_softmax, x, axis);
}

// An infinite maximum is not taken off: inf-inf would be NaN.
static tiny_uop *tn_logsumexp(tiny_ctx *t, tiny_uop *x, int bits) {
  tiny_uop *m = tn_u1(t, TINY_OP_DETACH, tn_reduce(t, TINY_OP_MAX, x, bits, 1)), *zero = tn_k(t, x, 0);
  m = tn_where(t, tn_eq(t, tn_abs(t, m), tn_k(t, x, HUGE_VAL)), zero, m);
  return tn_add(t, tn_logarithm(t, tn_sum(t, tn_exp(t, tn_sub(t, x, m)), bits, 1)), m);
}
TINY_API tiny_tensor *tiny_logsumexp(tiny_tensor *x, int axis, int keepdim) {
  tiny_tensor *out;
  if (!tn_usable("logsumexp", 1, &x, &out)) return out;
  const int bits = tn_one_axis(x->t, "logsumexp", x->uop, axis), n = x->uop->ndim;
  if (bits < 0) return out;
  int64_t kept[TINY_MAX_DIMS];
  int m = 0;
  for (int i = 0; i < n; i++) if (keepdim || !(bits >> i & 1)) kept[m++] = bits >> i & 1 ? 1 : x->uop->dim[i];
  tiny_uop *wide = tn_wide(x->t, x->uop), *y = tn_bad(x->t, wide) ? wide : tn_logsumexp(x->t, wide, bits);
  return tn_tensor_new(x->t, tn_narrow(x->t, tn_reshape(x->t, y, m, kept), x->uop->dtype));
}

// Is element i of the last axis, of size n, the one that index (.., 1) names? Compared in a dtype that holds both.
static tiny_uop *tn_names(tiny_ctx *t, tiny_uop *index, int64_t n) {
  if (tn_bad(t, index)) return index;
  const int dtype = tn_dtype_max(index->dtype) >= n - 1 ? index->dtype :
      n > INT32_MAX                                     ? (int)TINY_I64 :
                                                          (int)TINY_I32;
  return tn_eq(t, tn_cast(t, index, dtype), tn_iota(t, dtype, n, 0, 1));
}
static int tn_is_index(tiny_ctx *t, const char *name, const tiny_uop *u) {
  if (tn_is_int(u->dtype)) return 1;
  tiny_fail(t, TINY_E_DTYPE, "%s: indices are integers, not %s", name, tn_dtypes[u->dtype].name);
  return 0;
}

TINY_API tiny_tensor *tiny_one_hot(tiny_tensor *labels, int64_t classes) {
  tiny_tensor *out;
  if (!tn_usable("one_hot", 1, &labels, &out)) return out;
  tiny_ctx *t = labels->t;
  tiny_uop *u = labels->uop;
  tiny_shape s = tiny_shape_get(labels);
  if (!tn_is_index(t, "one_hot", u)) return out;
  if (classes < 1) return tn_wrong(t, TINY_E_ARG, "one_hot: %lld classes", (long long)classes);
  if (s.ndim < TINY_MAX_DIMS) s.dim[s.ndim] = classes;
  s.ndim++;
  return tn_shape_valid(t, "one_hot", &s) ? tn_tensor_new(t, tn_names(t, tn_insert(t, u, u->ndim), classes)) :
                                            out;
}

TINY_API tiny_tensor *tiny_cross_entropy(tiny_tensor *logits, tiny_tensor *labels) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {logits, labels};
  if (!tn_usable("cross_entropy", 2, in, &out)) return out;
  tiny_ctx *t = logits->t;
  tiny_uop *x = logits->uop, *index = labels->uop;
  if (x->ndim != 2 || index->ndim != 1 || x->dim[0] != index->dim[0])
    return tn_wrong(t, TINY_E_SHAPE, "cross_entropy: logits %s with labels %s", tn_text_of(x, a),
                    tn_text_of(index, b));
  if (!tn_is_index(t, "cross_entropy", index)) return out;
  tiny_uop *p = tn_wide(t, x);
  p = tn_bad(t, p) ? p : tn_log_softmax(t, p, 2);
  p = tn_where(t, tn_names(t, tn_insert(t, index, 1), x->dim[1]), p, tn_k(t, p, 0));
  const double scale = x->dim[0] ? -1.0 / (double)x->dim[0] : (double)NAN;
  return tn_tensor_new(t, tn_narrow(t, tn_times(t, tn_sum(t, p, 3, 0), scale), x->dtype));
}

// ** lookups **

// x (.., 1, n) at index (.., m, 1) -> (.., m)
static tiny_uop *tn_lookup(tiny_ctx *t, tiny_uop *x, tiny_uop *index) {
  if (tn_bad(t, x) || tn_bad(t, index)) return &t->ir->bad;
  const int axis = x->ndim - 1;
  return tn_sum(t, tn_where(t, tn_names(t, index, x->dim[axis]), x, tn_k(t, x, 0)), 1 << axis, 0);
}
TINY_API tiny_tensor *tiny_gather(tiny_tensor *x, int axis, tiny_tensor *index) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, index};
  if (!tn_usable("gather", 2, in, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop, *at = index->uop;
  const int n = u->ndim;
  if ((axis = tn_axis(t, "gather", u, axis)) < 0 || !tn_is_index(t, "gather", at)) return out;
  int fits = n == at->ndim && n && n < TINY_MAX_DIMS;
  for (int i = 0; fits && i < n; i++) if (i != axis && at->dim[i] > u->dim[i]) fits = 0;
  if (!fits)
    return tn_wrong(t, TINY_E_SHAPE, "gather: %s by indices %s", tn_text_of(u, a), tn_text_of(at, b));
  for (int i = 0; i < n; i++) if (i != axis) u = tn_cut(t, u, i, 0, at->dim[i]);
  u = tn_insert(t, tn_swap(t, u, axis, n - 1), n - 1);
  tiny_uop *const wanted = tn_insert(t, tn_swap(t, at, axis, n - 1), n);
  return tn_tensor_new(t, tn_swap(t, tn_lookup(t, u, wanted), axis, n - 1));
}
TINY_API tiny_tensor *tiny_index_select(tiny_tensor *x, int axis, tiny_tensor *index) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, index};
  if (!tn_usable("index_select", 2, in, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop, *at = index->uop;
  const int n = u->ndim;
  if ((axis = tn_axis(t, "index_select", u, axis)) < 0 || !tn_is_index(t, "index_select", at)) return out;
  if (at->ndim != 1 || !n || n == TINY_MAX_DIMS)
    return tn_wrong(t, TINY_E_SHAPE, "index_select: %s by indices %s", tn_text_of(u, a), tn_text_of(at, b));
  u = tn_insert(t, tn_swap(t, u, axis, n - 1), n - 1);
  return tn_tensor_new(t, tn_swap(t, tn_lookup(t, u, tn_insert(t, at, 1)), axis, n - 1));
}

// ** windows **

// (.., a*b, ..) -> (.., a, b, ..).
static tiny_uop *tn_split(tiny_ctx *t, tiny_uop *x, int axis, int64_t a, int64_t b) {
  int64_t dim[TINY_MAX_DIMS];
  if (tn_bad(t, x) || x->ndim == TINY_MAX_DIMS) return x;
  for (int i = 0; i <= x->ndim; i++)
    dim[i] = i < axis ? x->dim[i] : i == axis ? a : i == axis + 1 ? b : x->dim[i - 1];
  return tn_reshape(t, x, x->ndim + 1, dim);
}
static tiny_uop *tn_merge(tiny_ctx *t, tiny_uop *x, int axis) {            // (.., a, b, ..) -> (.., a*b, ..)
  int64_t dim[TINY_MAX_DIMS];
  if (tn_bad(t, x)) return x;
  for (int i = 0; i + 1 < x->ndim; i++)
    dim[i] = i < axis ? x->dim[i] : i == axis ? x->dim[i] * x->dim[i + 1] : x->dim[i + 1];
  return tn_reshape(t, x, x->ndim - 1, dim);
}

typedef struct tn_window { int64_t kernel, stride, dilation, out; } tn_window;

// (.., size, ..) -> (.., kernel, out, ..): element (k, o) is x[o * stride + k * dilation]. Views only. Windows that do
// not overlap are blocks. Else x is repeated end to end and cut into rows that are one dilation longer than x: each
// row then begins one dilation later in x than the row above.
static tiny_uop *tn_windows_along(tiny_ctx *t, tiny_uop *x, int axis, const tn_window *w) {
  if (tn_bad(t, x)) return x;
  const int64_t size = x->dim[axis], span = w->out * w->stride;
  if (w->stride >= w->kernel && w->dilation == 1) {
    x = span > size ? tn_extend(t, x, axis, 0, span - size) : tn_cut(t, x, axis, 0, span);
    return tn_swap(t, tn_cut(t, tn_split(t, x, axis, w->out, w->stride), axis + 1, 0, w->kernel), axis,
                   axis + 1);
  }
  const int64_t turns = span - w->dilation <= size ? 1 : (span - w->dilation + size - 1) / size,
                row = size * turns + w->dilation;
  const int64_t repeat = (w->kernel * row + size - 1) / size;
  int64_t dim[TINY_MAX_DIMS];
  x = tn_insert(t, x, axis);
  if (tn_bad(t, x)) return x;
  const int n = x->ndim;
  for (int i = 0; i < n; i++) dim[i] = i == axis ? repeat : x->dim[i];
  x = tn_cut(t, tn_merge(t, tn_expand(t, x, n, dim), axis), axis, 0, w->kernel * row);
  x = tn_cut(t, tn_split(t, x, axis, w->kernel, row), axis + 1, 0, span);
  if (w->stride == 1) return x;
  return tn_merge(t, tn_cut(t, tn_split(t, x, axis + 1, w->out, w->stride), axis + 2, 0, 1), axis + 1);
}
// (.., H, W) -> (.., OH, OW, KH, KW)
static tiny_uop *tn_windows(tiny_ctx *t, tiny_uop *x, const tn_window *w) {
  int64_t axes[TINY_MAX_DIMS];
  if (tn_bad(t, x)) return x;
  const int n = x->ndim - 2;
  x = tn_windows_along(t, tn_windows_along(t, x, n, &w[0]), n + 2, &w[1]);
  for (int i = 0; i < n; i++) axes[i] = i;
  axes[n] = n + 1; axes[n + 1] = n + 3; axes[n + 2] = n; axes[n + 3] = n + 2;
  return tn_permute(t, x, axes);
}
static tiny_uop *tn_pad_image(tiny_ctx *t, tiny_uop *x, const int *pad, tiny_uop *value) {
  int64_t v[2 * TINY_MAX_DIMS] = {0};
  for (int i = 0; i < 2; i++) v[2 * (x->ndim - 2 + i)] = v[2 * (x->ndim - 2 + i) + 1] = pad[i];
  return tn_pad_with(t, x, v, value);
}
static int64_t tn_windows_out(int64_t size, int pad, const tn_window *w) {
  const int64_t room = size + 2 * (int64_t)pad - w->dilation * (w->kernel - 1) - 1;
  return room < 0 ? 0 : room / w->stride + 1;
}

TINY_API tiny_tensor *tiny_conv2d(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias,
                                  const tiny_conv2d_desc *desc) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[3] = {x, w, bias};
  if (!tn_usable_some("conv2d", 2, 3, in, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *p = x->uop, *q = w->uop;
  tiny_conv2d_desc d;
  memset(&d, 0, sizeof d);
  if (desc) d = *desc;
  const int groups = d.groups ? d.groups : 1;
  if (p->ndim != 4 || q->ndim != 4 || groups < 0 || p->dim[1] != q->dim[1] * groups || q->dim[0] % groups)
    return tn_wrong(t, TINY_E_SHAPE, "conv2d: %s with weights %s in %d groups", tn_text_of(p, a),
                    tn_text_of(q, b), groups);
  if (bias && (bias->uop->ndim != 1 || bias->uop->dim[0] != q->dim[0]))
    return tn_wrong(t, TINY_E_SHAPE, "conv2d: bias %s with weights %s", tn_text_of(bias->uop, a),
                    tn_text_of(q, b));
  tn_window win[2];
  for (int i = 0; i < 2; i++) {
    win[i].kernel = q->dim[2 + i];
    win[i].stride = d.stride[i] ? d.stride[i] : 1;
    win[i].dilation = d.dilation[i] ? d.dilation[i] : 1;
    if (d.stride[i] < 0 || d.dilation[i] < 0 || d.pad[i] < 0 || d.pad[i] > 1 << 24)
      return tn_wrong(t, TINY_E_ARG, "conv2d: stride %d, pad %d, dilation %d", d.stride[i], d.pad[i],
                      d.dilation[i]);
    win[i].out = tn_windows_out(p->dim[2 + i], d.pad[i], &win[i]);
    if (!win[i].out || !win[i].kernel)
      return tn_wrong(t, TINY_E_SHAPE, "conv2d: no window of weights %s fits %s with pad (%d,%d)",
                      tn_text_of(q, b), tn_text_of(p, a), d.pad[0], d.pad[1]);
  }
  const int64_t B = p->dim[0], O = q->dim[0], C = q->dim[1], KH = q->dim[2], KW = q->dim[3], OH = win[0].out,
                OW = win[1].out;
  const int64_t grouped[7] = {B, groups, C, OH, OW, KH, KW}, order[7] = {0, 1, 3, 4, 2, 5, 6},
                xs[8] = {B, groups, 1, OH, OW, C, KH, KW};
  const int64_t ws[8] = {1, groups, O / groups, 1, 1, C, KH, KW}, ys[4] = {B, O, OH, OW},
                bs[5] = {1, groups, O / groups, 1, 1};
  tiny_uop *windows = tn_windows(t, tn_pad_image(t, p, d.pad, tn_k(t, p, 0)), win);
  windows = tn_reshape(t, tn_permute(t, tn_reshape(t, windows, 7, grouped), order), 8, xs);
  tiny_uop *y = tn_dot(t, windows, tn_reshape(t, q, 8, ws), bias ? tn_reshape(t, bias->uop, 5, bs) : NULL,
                       7 << 5, tn_meet(p, q));
  return tn_tensor_new(t, tn_reshape(t, y, 4, ys));
}

// Windows of the last two axes of x, or NULL after an error.
static tiny_uop *tn_pool_windows(const char *name, tiny_tensor *x, int kernel, int stride, int pad,
                                 tiny_uop *outside) {
  char a[TN_DIMS_TEXT];
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop;
  const int pads[2] = {pad, pad};
  if (kernel < 1 || stride < 0 || pad < 0 || pad > kernel / 2) {
    tiny_fail(t, TINY_E_ARG, "%s: kernel %d, stride %d, pad %d (at most half of the kernel)", name, kernel,
              stride, pad);
    return NULL;
  }
  tn_window w[2];
  for (int i = 0; i < 2; i++) {
    w[i].kernel = kernel; w[i].stride = stride ? stride : kernel; w[i].dilation = 1;
    w[i].out = u->ndim < 2 || u->ndim > 8 ? 0 : tn_windows_out(u->dim[u->ndim - 2 + i], pad, &w[i]);
    if (w[i].out) continue;
    tiny_fail(t, TINY_E_SHAPE, "%s: no window of %d fits %s", name, kernel, tn_text_of(u, a));
    return NULL;
  }
  return tn_windows(t, tn_pad_image(t, u, pads, outside), w);
}
TINY_API tiny_tensor *tiny_max_pool2d(tiny_tensor *x, int kernel, int stride, int pad) {
  tiny_tensor *out;
  if (!tn_usable("max_pool2d", 1, &x, &out)) return out;
  tiny_ctx *t = x->t;
  const int n = x->uop->ndim;
  tiny_uop *lowest =
      tn_uop_make(t, TINY_OP_CONST, x->uop->dtype, 1, 0, NULL, tn_lowest(x->uop->dtype), 0, NULL);
  tiny_uop *w = tn_pool_windows("max_pool2d", x, kernel, stride, pad, lowest);
  return w ? tn_tensor_new(t, tn_reduce(t, TINY_OP_MAX, w, 3 << n, 0)) : out;
}
// Padding counts as zeros, as in PyTorch.
TINY_API tiny_tensor *tiny_avg_pool2d(tiny_tensor *x, int kernel, int stride, int pad) {
  tiny_tensor *out;
  if (!tn_usable("avg_pool2d", 1, &x, &out)) return out;
  tiny_ctx *t = x->t;
  const int n = x->uop->ndim;
  tiny_uop *w = tn_pool_windows("avg_pool2d", x, kernel, stride, pad, tn_k(t, x->uop, 0));
  return w ? tn_tensor_new(t, tn_narrow(t, tn_mean(t, tn_wide(t, w), 3 << n, 0), x->uop->dtype)) : out;
}

// ** normalisation **

// Are w's dims those of x from axis on, as far as w has dims?
static int tn_scales(tiny_ctx *t, const char *name, const tiny_uop *x, const tiny_tensor *w, int n,
                     const int64_t *dim) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  if (!w || tn_has_dims(w->uop, n, dim)) return 1;
  tiny_fail(t, TINY_E_SHAPE, "%s: %s with weights or statistics %s", name, tn_text_of(x, a),
            tn_text_of(w->uop, b));
  return 0;
}
// centred * rsqrt(var + eps) * w + b, each of dims that broadcast.
static tiny_uop *tn_normalize(tiny_ctx *t, tiny_uop *centred, tiny_uop *var, double eps, tiny_uop *w,
                              tiny_uop *b) {
  tiny_uop *scale = tn_rsqrt(t, tn_plus(t, var, eps));
  if (w) scale = tn_mul(t, scale, tn_wide(t, w));
  tiny_uop *y = tn_mul(t, centred, scale);
  return b ? tn_add(t, y, tn_wide(t, b)) : y;
}

TINY_API tiny_tensor *tiny_layer_norm(tiny_tensor *x, int ndims, tiny_tensor *w, tiny_tensor *b, double eps) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out, *in[3] = {x, w, b};
  if (!tn_usable_some("layer_norm", 1, 3, in, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop;
  if (ndims < 1 || ndims > u->ndim || !(eps >= 0))
    return tn_wrong(t, TINY_E_ARG, "layer_norm: over %d dims of %s with eps %g", ndims, tn_text_of(u, a),
                    eps);
  const int64_t *dim = u->dim + u->ndim - ndims;
  if (!tn_scales(t, "layer_norm", u, w, ndims, dim) || !tn_scales(t, "layer_norm", u, b, ndims, dim))
    return out;
  const int bits = ((1 << ndims) - 1) << (u->ndim - ndims);
  tiny_uop *wide = tn_wide(t, u), *centred = tn_sub(t, wide, tn_mean(t, wide, bits, 1)),
           *var = tn_mean(t, tn_square(t, centred), bits, 1);
  tiny_uop *const y = tn_normalize(t, centred, var, eps, w ? w->uop : NULL, b ? b->uop : NULL);
  return tn_tensor_new(t, tn_narrow(t, y, u->dtype));
}

// old * (1 - momentum) + new * momentum becomes the statistic's next state.
static int tn_batch_norm_track(tiny_tensor *stat, tiny_uop *now, double momentum) {
  tiny_ctx *t = stat->t;
  tiny_uop *old = tn_wide(t, stat->uop);
  now = tn_reshape(t, tn_u1(t, TINY_OP_DETACH, now), stat->uop->ndim, stat->uop->dim);
  return tiny_ok(tn_assign(stat, tn_add(t, tn_times(t, old, 1 - momentum), tn_times(t, now, momentum))));
}
TINY_API tiny_tensor *tiny_batch_norm(tiny_tensor *x, tiny_batch_norm_state *s, int train) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!tn_usable("batch_norm", 1, &x, &out)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop;
  if (!s || (!train && (!s->mean || !s->var)))
    return tn_wrong(t, TINY_E_ARG, "batch_norm: %s", s ? "running statistics are NULL" : "state is NULL");
  tiny_tensor *in[5] = {x, s->mean, s->var, s->weight, s->bias}, *const *stat = in + 1;
  if (!tn_usable_some("batch_norm", 1, 5, in, &out)) return out;
  if (u->ndim < 2) return tn_wrong(t, TINY_E_SHAPE, "batch_norm: %s has no channels", tn_text_of(u, a));
  for (int i = 0; i < 4; i++) if (!tn_scales(t, "batch_norm", u, stat[i], 1, u->dim + 1)) return out;
  const double eps = s->eps > 0 ? s->eps : 1e-5, momentum = s->momentum > 0 ? s->momentum : 0.1;
  const int bits = ((1 << u->ndim) - 1) & ~2;
  const double n = (double)tn_count(u, bits);
  int64_t dim[TINY_MAX_DIMS];
  tiny_uop *of[4] = {NULL, NULL, NULL, NULL};
  for (int i = 0; i < u->ndim; i++) dim[i] = i == 1 ? u->dim[1] : 1;
  for (int i = 0; i < 4; i++) if (stat[i]) of[i] = tn_reshape(t, stat[i]->uop, u->ndim, dim);
  tiny_uop *wide = tn_wide(t, u), *mean = train ? tn_mean(t, wide, bits, 1) : tn_wide(t, of[0]),
           *centred = tn_sub(t, wide, mean);
  tiny_uop *var = train ? tn_mean(t, tn_square(t, centred), bits, 1) : tn_wide(t, of[1]);
  if (tn_bad(t, mean) || tn_bad(t, var)) return tn_poison(t);
  if (train && s->mean && !tn_batch_norm_track(s->mean, mean, momentum)) return tn_poison(t);
  if (train && s->var && !tn_batch_norm_track(s->var, tn_times(t, var, n > 1 ? n / (n - 1) : 1), momentum))
    return tn_poison(t);
  return tn_tensor_new(t, tn_narrow(t, tn_normalize(t, centred, var, eps, of[2], of[3]), u->dtype));
}

// Each element is kept with probability 1-p and then divided by it.
TINY_API tiny_tensor *tiny_dropout(tiny_tensor *x, double p, int train) {
  tiny_tensor *out;
  if (!tn_usable("dropout", 1, &x, &out) || !tn_taken(x->t, "dropout", TN_NUMBER, x->uop->dtype)) return out;
  tiny_ctx *t = x->t;
  tiny_uop *u = x->uop;
  if (!(p >= 0 && p <= 1)) return tn_wrong(t, TINY_E_ARG, "dropout: p is %g, not in [0,1]", p);
  if (!train || p == 0) return tn_tensor_new(t, u);
  tiny_uop *unit = tn_uniform(t, u->ndim, u->dim), *dropped = tn_lt(t, unit, tn_k(t, unit, p));
  return tn_tensor_new(t, tn_where(t, dropped, tn_k(t, u, 0), tn_times(t, u, p < 1 ? 1 / (1 - p) : 0)));
}
#endif
