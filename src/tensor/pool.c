// pool: maxima, means and norms of windows, windows that divide a size evenly, and the way back from maxima.
//
// Windows are those of conv.c. Places of maxima are the elements' numbers among the spatial dims of the
// image, found as the least number among the elements that equal the maximum.
#ifndef TN_TENSOR_POOL
#define TN_TENSOR_POOL
#ifndef TINY_AMALGAMATED
#include "conv.c"
#endif

// Windows over the last dims of u: how many there are of each, and what pad they need after the end. 0: none
// fit. In ceil_mode the last one may hang over, if it begins within the image or the pad before it.
static int tn_pool_fit(const tiny_uop *u, int n, int ceil_mode, tn_window *w) {
  if (u->ndim < n || u->ndim + n >= TINY_MAX_DIMS) return 0;
  for (int i = 0; i < n; i++) {
    tn_window *v = &w[i];
    const int64_t size = u->dim[u->ndim - n + i];
    v->out = tn_windows_out(size, v);
    if (!v->out && !(ceil_mode && size + v->before + v->after + v->stride > tn_window_reach(v))) return 0;
    if (!ceil_mode) continue;
    const int64_t room = size + v->before + v->after - tn_window_reach(v);
    v->out = (room + v->stride - 1) / v->stride + 1;
    if ((v->out - 1) * v->stride >= size + v->before) v->out--;
    if (v->out < 1) return 0;
    const int64_t over = (v->out - 1) * v->stride - room;
    if (over > 0) v->after += over;
  }
  return 1;
}
// Windows that hang over a length would begin where that is not known.
static int tn_pool_lengths_fit(tiny_ctx *t, const char *name, const tiny_uop *u, int n, int ceil_mode) {
  for (int i = u->ndim - n; i < u->ndim && ceil_mode; i++)
    if (!tn_axis_whole_for(t, name, u, i, "no window hangs over it (ceil_mode)")) return 0;
  return 1;
}
// The arguments of a pooling operator: number of spatial dims, or 0.
static int tn_pool_check(const char *name, tiny_tensor *x, const tiny_pool_desc *d, int dilates,
                         tn_window *w) {
  const int n = tn_pool_of(tn_ctx_of(x), name, d, 0, w);
  if (!n) return 0;
  for (int i = 0; i < n; i++)
    if (w[i].dilation != 1 && !dilates) {
      tiny_fail(tn_ctx_of(x), TINY_E_ARG, "%s: dilation %d", name, (int)w[i].dilation);
      return 0;
    }
  if (tn_pool_fit(tn_uop_of(x), n, d->ceil_mode, w))
    return tn_pool_lengths_fit(tn_ctx_of(x), name, tn_uop_of(x), n, d->ceil_mode) ? n : 0;
  tn_no_windows(name, x, n, w);
  return 0;
}
static tiny_pool_desc tn_pool_alike(int n, int kernel, int stride, int pad) {
  tiny_pool_desc d;
  memset(&d, 0, sizeof d);
  for (int i = 0; i < n; i++) { d.kernel[i] = kernel; d.stride[i] = stride; d.pad[i] = pad; }
  return d;
}

// ** maxima **

static tiny_uop *tn_lowest_node(tiny_ctx *t, int dtype) {
  return tn_uop_make(t, TINY_OP_CONST, dtype, 1, 0, NULL, tn_lowest(dtype), 0, NULL);
}

// Where in the image tap k of window o lies; o and k are axes of a node of `all` dims.
static tiny_uop *tn_window_place(tiny_ctx *t, int dtype, const tn_window *w, int o, int k, int all) {
  tiny_uop *first = tn_times(t, tn_iota(t, dtype, w->out, o, all), (double)w->stride);
  first = tn_plus(t, first, (double)-w->before);
  return tn_add(t, first, tn_times(t, tn_iota(t, dtype, w->kernel, k, all), (double)w->dilation));
}

// Maxima of windows (lead.., O.., K..), and where their elements come from: place[i] is the element's index
// along spatial dim i of size[i], any shape that broadcasts; valid, if not NULL, is where there is one. meant: the
// image, as much of it as is meant, of windows w; NULL: all of it.
typedef struct tn_maxima {
  int lead, n;
  tiny_uop *windows, *place[TN_SPATIAL], *valid;
  const int64_t *size;
  const tiny_uop *meant;
  const tn_window *w;
} tn_maxima;

static tiny_uop *tn_maxima_meant(tiny_ctx *t, const tn_maxima *m, tiny_uop *y) {
  return m->meant ? tn_windows_of_meant(t, y, m->meant, m->lead, m->n, m->w) : y;
}
static tiny_uop *tn_maxima_of(tiny_ctx *t, const tn_maxima *m) {
  return tn_maxima_meant(t, m, tn_reduce(t, TINY_OP_MAX, m->windows, ((1 << m->n) - 1) << (m->lead + m->n), 0));
}
// How long spatial dim i is, as a number of like's dtype.
static tiny_uop *tn_maxima_size(tiny_ctx *t, const tn_maxima *m, const tiny_uop *like, int i) {
  if (tn_bad(t, like)) return &t->ir->bad;
  return tn_position_as(t, m->meant ? tn_size_of(t, m->meant, m->lead + i) : tn_index(t, m->size[i]), like->dtype);
}
// The place of the image's last element.
static tiny_uop *tn_maxima_last(tiny_ctx *t, const tn_maxima *m, const tiny_uop *like) {
  const double all = (double)tn_dims_nelem(m->n, m->size);
  tiny_uop *n = NULL;
  for (int i = 0; m->meant && m->meant->extent && i < m->n; i++)
    n = n ? tn_mul(t, n, tn_maxima_size(t, m, like, i)) : tn_maxima_size(t, m, like, i);
  return n ? tn_plus(t, n, -1) : tn_k(t, like, all - 1);
}
// The least place of an element that is the maximum, or NaN: the greatest distance from the last place,
// turned round.
static tiny_uop *tn_maxima_indices(tiny_ctx *t, const tn_maxima *m) {
  if (tn_bad(t, m->windows)) return m->windows;
  const int bits = ((1 << m->n) - 1) << (m->lead + m->n);
  tiny_uop *x = tn_once(t, m->windows), *is = tn_eq(t, x, tn_reduce(t, TINY_OP_MAX, x, bits, 1)), *flat = NULL;
  if (tn_is_float(x->dtype)) is = tn_or(t, is, tn_isnan(t, x));
  if (m->valid) is = tn_and(t, is, m->valid);
  for (int i = 0; i < m->n; i++)
    flat = flat ? tn_add(t, tn_mul(t, flat, tn_maxima_size(t, m, flat, i)), m->place[i]) : m->place[i];
  tiny_uop *const last = tn_maxima_last(t, m, flat), *rest = tn_add(t, tn_neg(t, flat), last);
  rest = tn_reduce(t, TINY_OP_MAX, tn_where(t, is, rest, tn_k(t, rest, 0)), bits, 0);
  return tn_maxima_meant(t, m, tn_add(t, tn_neg(t, rest), last));
}
static tiny_tensor *tn_maxima_done(tiny_ctx *t, const char *name, const tn_maxima *m, tiny_tensor **indices) {
  if (indices) {
    if (tn_dims_nelem(m->n, m->size) > INT32_MAX)
      return tn_wrong(t, TINY_E_SHAPE, "%s: more elements than i32 indices can tell", name);
    *indices = tn_tensor_new(t, tn_maxima_indices(t, m));
  }
  return tn_tensor_new(t, tn_maxima_of(t, m));
}

static tiny_tensor *tn_max_pool(const char *name, tiny_tensor *x, const tiny_pool_desc *d,
                                tiny_tensor **indices) {
  tiny_tensor *out;
  tn_window w[TN_SPATIAL];
  tn_maxima m;
  const int usable = tn_usable(name, 1, &x, &out);
  if (indices) *indices = out;
  if (!usable || !(m.n = tn_pool_check(name, x, d, 1, w))) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  m.lead = u->ndim - m.n;
  m.size = u->dim + m.lead;
  m.valid = NULL;
  m.meant = u; m.w = w;
  u = tn_wholes(t, u, ~((1 << m.lead) - 1), tn_lowest(u->dtype));
  m.windows = tn_windows(t, tn_pad_spatial(t, u, m.n, w, tn_lowest_node(t, u->dtype)), m.n, w);
  if (tn_bad(t, m.windows)) return tn_poison(t);
  const int all = m.windows->ndim;
  for (int i = 0; indices && i < m.n; i++) {
    tiny_uop *at = m.place[i] = tn_window_place(t, TINY_I32, &w[i], m.lead + i, m.lead + m.n + i, all);
    if (!w[i].before && !w[i].after && !tn_extent_of(m.meant, m.lead + i)) continue;
    tiny_uop *inside = tn_and(t, tn_not(t, tn_below_zero(t, at)), tn_lt(t, at, tn_maxima_size(t, &m, at, i)));
    m.valid = m.valid ? tn_and(t, m.valid, inside) : inside;
  }
  return tn_maxima_done(t, name, &m, indices);
}
TINY_API tiny_tensor *tiny_max_pool(tiny_tensor *x, const tiny_pool_desc *d, tiny_tensor **indices) {
  return tn_max_pool("max_pool", x, d, indices);
}

TINY_API tiny_tensor *tiny_max_unpool(tiny_tensor *x, tiny_tensor *indices, const tiny_pool_desc *d,
                                      tiny_shape size) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, indices};
  tn_window w[TN_SPATIAL];
  if (!tn_usable("max_unpool", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x), *index = tn_uop_of(indices);
  const int n = tn_pool_of(t, "max_unpool", d, 0, w), lead = u->ndim - n;
  if (!n || !tn_is_index(t, "max_unpool", index)) return out;
  if (lead < 0 || !tn_has_dims(index, u->ndim, u->dim))
    return tn_wrong(t, TINY_E_SHAPE, "max_unpool: %s with indices %s", tn_text_of(u, a),
                    tn_text_of(index, b));
  if (d->ceil_mode || (size.ndim && size.ndim != n))
    return tn_wrong(t, TINY_E_ARG, "max_unpool: %d sizes, %d kernels, ceil_mode %d", size.ndim, n,
                    d->ceil_mode);
  tiny_shape s = tiny_shape_of(x);
  int64_t dim[1 + 2 * TN_SPATIAL] = {tn_dims_nelem(lead, u->dim)}, padded[TN_SPATIAL], stride = 1;
  int overlap = 0;
  for (int i = 0; i < n; i++) {
    tn_window *v = &w[i];
    const int64_t have = u->dim[lead + i], least = (have - 1) * v->stride - 2 * v->before + v->kernel;
    const int64_t want = size.ndim ? size.dim[i] : least;
    if (v->dilation != 1) return tn_wrong(t, TINY_E_ARG, "max_unpool: dilation %d", (int)v->dilation);
    if (want <= least - v->stride || want >= least + v->stride || want < 0 || !have)
      return tn_wrong(t, TINY_E_SHAPE, "max_unpool: %s cannot come from %lld along spatial dim %d",
                      tn_text_of(u, a), (long long)want, i);
    s.dim[lead + i] = want;
    padded[i] = v->before + want;
    v->out = have;
    dim[1 + i] = v->kernel; dim[1 + n + i] = have;
    overlap |= v->stride < v->kernel;
  }
  if (!tn_shape_valid(t, "max_unpool", &s)) return out;
  // Element (a, k.., o..) is x[a, o..] if its index is the place of tap k of window o.
  const int all = 1 + 2 * n, dtype = index->dtype == TINY_I64 ? TINY_I64 : TINY_I32;
  int64_t one[1 + 2 * TN_SPATIAL];
  for (int i = 0; i < all; i++) one[i] = i > n || !i ? dim[i] : 1;
  tiny_uop *flat = NULL;
  for (int i = n; i-- > 0;) {
    tiny_uop *at = tn_window_place(t, dtype, &w[i], 1 + n + i, 1 + i, all);
    at = tn_times(t, at, (double)stride);
    flat = flat ? tn_add(t, flat, at) : at;
    stride *= s.dim[lead + i];
  }
  tiny_uop *is = tn_eq(t, flat, tn_cast(t, tn_reshape(t, index, all, one), dtype));
  const int inside = tn_computed_in(u->dtype);
  tiny_uop *wide = tn_cast(t, tn_reshape(t, u, all, one), inside), *zero = tn_k(t, wide, 0);
  tiny_uop *y = tn_overlap_add(t, tn_where(t, is, wide, zero), n, w, padded);
  if (overlap) {
    tiny_uop *ones = tn_where(t, is, tn_k(t, wide, 1), zero);
    tiny_uop *count = tn_max(t, tn_overlap_add(t, ones, n, w, padded), tn_k(t, wide, 1));
    y = tn_is_float(inside) ? tn_fdiv(t, y, count) : tn_idiv(t, y, count);
  }
  for (int i = 0; i < n; i++) y = tn_cut(t, y, 1 + i, w[i].before, padded[i]);
  y = tn_reshape(t, y, s.ndim, s.dim);
  return tn_tensor_new(t, tn_bad(t, y) ? y : tn_cast(t, y, u->dtype));
}

// ** means **

// of positions, which have no bits to invert
static tiny_uop *tn_lesser(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  return tn_neg(t, tn_max(t, tn_neg(t, a), tn_neg(t, b)));
}
// Elements of each window along one axis that count, as an INDEX node of all dims: those in the image, and
// those in its pad unless excluded; 0: all of the kernel's.
static tiny_uop *tn_pool_count(tiny_ctx *t, const tn_window *w, tiny_uop *size, int exclude, int axis,
                               int all) {
  if (!exclude && (w->out - 1) * w->stride + w->kernel <= size->vmax + 2 * w->before) return NULL;
  if (!w->before && !w->after) return NULL;
  tiny_uop *begin = tn_plus(t, tn_times(t, tn_iota(t, TINY_INDEX, w->out, axis, all), (double)w->stride),
                            (double)-w->before);
  tiny_uop *last = exclude ? size : tn_position_add(t, size, w->before),
           *end = tn_lesser(t, tn_plus(t, begin, (double)w->kernel), last);
  return tn_sub(t, end, exclude ? tn_max(t, begin, tn_k(t, begin, 0)) : begin);
}
static tiny_uop *tn_mean_pool(tiny_ctx *t, tiny_uop *x, const tiny_pool_desc *d, int n, const tn_window *w) {
  TN_FLOAT_MODE;
  if (tn_bad(t, x)) return x;
  const int lead = x->ndim - n;
  double same = 1;                         // the part of the divisor that all windows share
  tiny_uop *count = NULL;
  for (int i = 0; i < n; i++) {
    tiny_uop *c = d->divisor ? NULL : tn_pool_count(t, &w[i], tn_size_of(t, x, lead + i), d->exclude_pad, lead + i,
                                                    x->ndim);
    if (c) count = count ? tn_mul(t, count, c) : c;
    else same *= (double)w[i].kernel;
  }
  tiny_uop *whole = tn_wholes(t, x, ~((1 << lead) - 1), 0);
  tiny_uop *windows = tn_windows(t, tn_pad_spatial(t, whole, n, w, tn_k(t, x, 0)), n, w);
  tiny_uop *y = tn_windows_of_meant(t, tn_sum(t, windows, ((1 << n) - 1) << (lead + n), 0), x, lead, n, w);
  y = tn_times(t, y, 1 / (d->divisor ? (double)d->divisor : same));
  if (!count) return y;
  return tn_bad(t, y) || tn_bad(t, count) ? &t->ir->bad : tn_fdiv(t, y, tn_cast(t, count, y->dtype));
}
static tiny_tensor *tn_avg_pool(const char *name, tiny_tensor *x, const tiny_pool_desc *d) {
  tiny_tensor *out;
  tn_window w[TN_SPATIAL];
  if (!tn_usable(name, 1, &x, &out)) return out;
  const int n = tn_pool_check(name, x, d, 0, w);
  if (!n) return out;
  tiny_ctx *t = tn_ctx_of(x);
  return tn_tensor_new(t, tn_narrow(t, tn_mean_pool(t, tn_wide(t, tn_uop_of(x)), d, n, w),
                                       tn_uop_of(x)->dtype));
}
TINY_API tiny_tensor *tiny_avg_pool(tiny_tensor *x, const tiny_pool_desc *d) {
  return tn_avg_pool("avg_pool", x, d);
}

// As PyTorch: means of x^p times the elements of a whole window, also where a window hangs over.
TINY_API tiny_tensor *tiny_lp_pool(tiny_tensor *x, double p, const tiny_pool_desc *d) {
  TN_FLOAT_MODE;
  tiny_tensor *out;
  tn_window w[TN_SPATIAL];
  if (!tn_usable("lp_pool", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const int n = tn_pool_check("lp_pool", x, d, 0, w);
  if (!n) return out;
  double taps = 1;
  for (int i = 0; i < n; i++) {
    taps *= (double)w[i].kernel;
    if (w[i].before || d->divisor)
      return tn_wrong(t, TINY_E_ARG, "lp_pool: pad %d, divisor %d", d->pad[i], d->divisor);
  }
  if (!(p > 0) || p > 1e6) return tn_wrong(t, TINY_E_ARG, "lp_pool: p is %g", p);
  tiny_uop *y = tn_wide(t, tn_uop_of(x));
  y = tn_bad(t, y) ? y : tn_mean_pool(t, tn_pow(t, y, tn_k(t, y, p)), d, n, w);
  y = tn_bad(t, y) ? y : tn_pow(t, tn_times(t, y, taps), tn_k(t, y, 1 / p));
  return tn_tensor_new(t, tn_narrow(t, y, tn_uop_of(x)->dtype));
}

// ** the same in all spatial dims **

#define TN_POOL_ALIKE(n) \
  TINY_API tiny_tensor *tiny_max_pool##n##d(tiny_tensor *x, int kernel, int stride, int pad) { \
    const tiny_pool_desc d = tn_pool_alike(n, kernel, stride, pad); \
    return tn_max_pool("max_pool" #n "d", x, &d, NULL); \
  } \
  TINY_API tiny_tensor *tiny_avg_pool##n##d(tiny_tensor *x, int kernel, int stride, int pad) { \
    const tiny_pool_desc d = tn_pool_alike(n, kernel, stride, pad); \
    return tn_avg_pool("avg_pool" #n "d", x, &d); \
  }
TN_POOL_ALIKE(1)
TN_POOL_ALIKE(2)
TN_POOL_ALIKE(3)

// ** elements at computed places: what adaptive pooling, resizing and sampling are made of **

// x (L, own.., S..) at places that broadcast to (L, O.., 1.., T..): T taps for each element of the result, S
// the axes of the places, so that the sum over S, of which one summand counts, collapses to a load. All dims:
// L, n of O, n of S, n of T. own[i] is O[i], or 0 where x does not change along that axis of the result.
typedef struct tn_taps {
  int n;
  int64_t L, O[TN_SPATIAL], S[TN_SPATIAL], T[TN_SPATIAL], own[TN_SPATIAL];
  // places along each axis, integers; nothing is there outside of 0..S-1
  tiny_uop *at[TN_SPATIAL];
  tiny_uop *weight[TN_SPATIAL];            // NULL: taps stay apart
} tn_taps;

// Places as memory: what is compared with them is then cheap enough never to be stored, which would take
// every place times every element.
static tiny_uop *tn_stored_place(tiny_ctx *t, tiny_uop *at, int64_t size) {
  if (tn_bad(t, at)) return at;
  return tn_u1(t, TINY_OP_CONTIGUOUS, tn_cast(t, at, size > INT32_MAX ? TINY_I64 : TINY_I32));
}

enum { TN_TAP_O, TN_TAP_S, TN_TAP_T };
static int tn_tap_axis(const tn_taps *p, int which, int i) { return 1 + which * p->n + i; }
static int tn_tap_dims(const tn_taps *p) { return 1 + 3 * p->n; }
static tiny_uop *tn_tap_iota(tiny_ctx *t, const tn_taps *p, int dtype, int which, int i) {
  const int64_t *size = which == TN_TAP_O ? p->O : which == TN_TAP_S ? p->S : p->T;
  return tn_iota(t, dtype, size[i], tn_tap_axis(p, which, i), tn_tap_dims(p));
}

// The weighted sum (L, O..), or without weights the taps (L, O.., T..).
static tiny_uop *tn_take_taps(tiny_ctx *t, tiny_uop *x, const tn_taps *p) {
  const int n = p->n, all = tn_tap_dims(p), sum = p->weight[0] != NULL;
  int64_t dim[TN_MAX_DIMS] = {p->L};
  tiny_uop *mask = NULL;
  for (int i = 0; i < n; i++) {
    dim[1 + i] = p->own[i] ? p->own[i] : 1;
    dim[1 + n + i] = p->S[i];
    dim[1 + 2 * n + i] = 1;
  }
  x = tn_reshape(t, x, all, dim);
  for (int i = 0; i < n; i++) { dim[1 + i] = p->O[i]; dim[1 + 2 * n + i] = p->T[i]; }
  x = tn_expand(t, x, all, dim);
  for (int i = 0; i < n; i++) {
    tiny_uop *at = tn_expand(t, p->at[i], all, dim);
    if (tn_bad(t, at)) return at;
    tiny_uop *is = tn_eq(t, tn_expand(t, tn_tap_iota(t, p, at->dtype, TN_TAP_S, i), all, dim), at);
    mask = mask ? tn_and(t, mask, is) : is;
    if (sum) x = tn_mul(t, x, tn_expand(t, p->weight[i], all, dim));
  }
  x = tn_where(t, mask, x, tn_k(t, x, 0));
  return tn_sum(t, x, (sum ? (1 << 2 * n) - 1 : (1 << n) - 1) << (1 + n), 0);
}

// ** adaptive pooling **

// Sizes of the result and the windows of each axis; 0: an error was recorded.
static int tn_adaptive_of(const char *name, tiny_tensor *x, const tiny_shape *size, tn_taps *p,
                          tiny_shape *s) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  const int n = size->ndim, lead = tn_uop_of(x)->ndim - n;
  *s = tiny_shape_of(x);
  memset(p, 0, sizeof *p);
  int fits = n >= 1 && n <= TN_SPATIAL && lead >= 0;
  p->n = n;
  p->L = fits ? tn_dims_nelem(lead, s->dim) : 0;
  for (int i = 0; fits && i < n; i++) {
    if (!tn_axis_whole_for(tn_ctx_of(x), name, tn_uop_of(x), lead + i, "tiny_mean and tiny_amax reduce it to one"))
      return 0;
    const int64_t from = p->S[i] = s->dim[lead + i], to = size->dim[i] == -1 ? from : size->dim[i];
    fits = to >= 0 && from > 0 && to < (int64_t)1 << 40;
    if (!fits) break;
    p->O[i] = s->dim[lead + i] = to;
    p->T[i] = !to || to % from == 0 ? 1 : from / to + (from % to ? 2 : 0);       // at most
  }
  if (fits) return tn_shape_valid(tn_ctx_of(x), name, s);
  tiny_fail(tn_ctx_of(x), TINY_E_SHAPE, "%s: %s to %s", name, tn_text_of(tn_uop_of(x), a),
            tn_dims_text(b, sizeof b, n < 0 ? 0 : n < TINY_MAX_DIMS ? n : TINY_MAX_DIMS, size->dim));
  return 0;
}
// Where window o of an axis begins and how many elements it has.
static void tn_adaptive_window(tiny_ctx *t, const tn_taps *p, int i, tiny_uop **begin, tiny_uop **length) {
  tiny_uop *o = tn_times(t, tn_tap_iota(t, p, TINY_INDEX, TN_TAP_O, i), (double)p->S[i]),
           *to = tn_k(t, o, (double)p->O[i]);
  *begin = tn_idiv(t, o, to);
  *length = tn_sub(t, tn_idiv(t, tn_plus(t, o, (double)(p->S[i] + p->O[i] - 1)), to), *begin);
}
// All windows alike: pooling by kernels, with which pooling is one view.
static int tn_adaptive_even(const tn_taps *p, tn_window *w) {
  for (int i = 0; i < p->n; i++) {
    if (!p->O[i] || p->S[i] % p->O[i]) return 0;
    const tn_window even = {p->T[i], p->T[i], 1, 0, 0, p->O[i]};
    w[i] = even;
  }
  return 1;
}

static tiny_uop *tn_adaptive_mean(tiny_ctx *t, tiny_uop *x, tn_taps *p, const tiny_shape *s) {
  tn_window w[TN_SPATIAL];
  tiny_pool_desc d;
  memset(&d, 0, sizeof d);
  if (tn_bad(t, x)) return x;
  if (tn_adaptive_even(p, w)) return tn_mean_pool(t, x, &d, p->n, w);
  for (int i = 0; i < p->n; i++) {
    tiny_uop *begin, *length, *tap = tn_tap_iota(t, p, TINY_INDEX, TN_TAP_T, i);
    tn_adaptive_window(t, p, i, &begin, &length);
    if (tn_bad(t, length)) return length;
    p->at[i] = tn_stored_place(t, tn_add(t, begin, tap), p->S[i]);
    tiny_uop *share = tn_reciprocal(t, tn_cast(t, length, x->dtype));
    p->weight[i] = tn_where(t, tn_lt(t, tap, length), share, tn_k(t, share, 0));
  }
  return tn_reshape(t, tn_take_taps(t, x, p), s->ndim, s->dim);
}
TINY_API tiny_tensor *tiny_adaptive_avg_pool(tiny_tensor *x, tiny_shape out_size) {
  tiny_tensor *out;
  tiny_shape s;
  tn_taps p;
  if (!tn_usable("adaptive_avg_pool", 1, &x, &out)) return out;
  if (!tn_adaptive_of("adaptive_avg_pool", x, &out_size, &p, &s)) return out;
  tiny_uop *y = tn_adaptive_mean(tn_ctx_of(x), tn_wide(tn_ctx_of(x), tn_uop_of(x)), &p, &s);
  return tn_tensor_new(tn_ctx_of(x), tn_narrow(tn_ctx_of(x), y, tn_uop_of(x)->dtype));
}

TINY_API tiny_tensor *tiny_adaptive_max_pool(tiny_tensor *x, tiny_shape out_size, tiny_tensor **indices) {
  tiny_tensor *out;
  tiny_shape s;
  tn_taps p;
  tn_window w[TN_SPATIAL];
  const int usable = tn_usable("adaptive_max_pool", 1, &x, &out);
  if (indices) *indices = out;
  if (!usable || !tn_adaptive_of("adaptive_max_pool", x, &out_size, &p, &s)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const int n = p.n, lead = tn_uop_of(x)->ndim - n;
  if (tn_adaptive_even(&p, w)) {
    tiny_pool_desc d;
    memset(&d, 0, sizeof d);
    for (int i = 0; i < n; i++) d.kernel[i] = (int)w[i].kernel;
    return tn_max_pool("adaptive_max_pool", x, &d, indices);
  }
  int64_t flat[1 + TN_SPATIAL] = {p.L}, axes[TN_MAX_DIMS] = {0};
  tn_maxima m = {1, n, NULL, {NULL, NULL, NULL}, NULL, tn_uop_of(x)->dim + lead, NULL, NULL};
  for (int i = 0; i < n; i++) {
    axes[1 + i] = tn_tap_axis(&p, TN_TAP_O, i); axes[1 + n + i] = tn_tap_axis(&p, TN_TAP_T, i);
    axes[1 + 2 * n + i] = tn_tap_axis(&p, TN_TAP_S, i);
    flat[1 + i] = p.S[i];
  }
  for (int i = 0; i < n; i++) {
    tiny_uop *begin, *length, *tap = tn_tap_iota(t, &p, TINY_INDEX, TN_TAP_T, i);
    tn_adaptive_window(t, &p, i, &begin, &length);
    p.at[i] = tn_stored_place(t, tn_add(t, begin, tap), p.S[i]);
    tiny_uop *inside = tn_lt(t, tap, length);
    if (tn_bad(t, p.at[i]) || tn_bad(t, inside)) return tn_poison(t);
    int64_t dim[TN_MAX_DIMS];            // without the axes of S
    for (int k = 0; k < 1 + 2 * n; k++) dim[k] = p.at[i]->dim[axes[k]];
    m.place[i] = tn_cast(t, tn_reshape(t, tn_permute(t, p.at[i], axes), 1 + 2 * n, dim), TINY_I32);
    inside = tn_reshape(t, tn_permute(t, inside, axes), 1 + 2 * n, dim);
    m.valid = m.valid ? tn_and(t, m.valid, inside) : inside;
  }
  m.windows = tn_take_taps(t, tn_reshape(t, tn_uop_of(x), 1 + n, flat), &p);
  m.windows = tn_where(t, m.valid, m.windows, tn_lowest_node(t, tn_uop_of(x)->dtype));
  tiny_tensor *y = tn_maxima_done(t, "adaptive_max_pool", &m, indices);
  if (indices) *indices = tn_tensor_new(t, tn_reshape(t, tn_uop_of(*indices), s.ndim, s.dim));
  return tn_tensor_new(t, tn_reshape(t, tn_uop_of(y), s.ndim, s.dim));
}
#endif
