// conv: convolution, its transpose, and windows as columns (unfold, fold), for 1 to 3 spatial dims.
//
// Windows are views: a convolution is a product of windows and weights, summed like any other. The
// transpose is the same with the kernel's taps dealt out over the phases of the stride: output t * stride + r
// sees every stride-th tap from r on, so it is a convolution of stride 1 that makes `stride` outputs at once and
// multiplies by no zero. What is added up where windows overlap names its place by a mask, as lookups do.
#ifndef TN_TENSOR_CONV
#define TN_TENSOR_CONV
#ifndef TINY_AMALGAMATED
#include "matmul.c"
#endif

enum { TN_SPATIAL = 3 };                   // most spatial dims

// ** windows **

typedef struct tn_window { int64_t kernel, stride, dilation, before, after, out; } tn_window;

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
  int64_t dim[TN_MAX_DIMS];
  x = tn_insert(t, x, axis);
  if (tn_bad(t, x)) return x;
  const int n = x->ndim;
  for (int i = 0; i < n; i++) dim[i] = i == axis ? repeat : x->dim[i];
  x = tn_cut(t, tn_merge(t, tn_expand(t, x, n, dim), axis), axis, 0, w->kernel * row);
  x = tn_cut(t, tn_split(t, x, axis, w->kernel, row), axis + 1, 0, span);
  if (w->stride == 1) return x;
  return tn_merge(t, tn_cut(t, tn_split(t, x, axis + 1, w->out, w->stride), axis + 2, 0, 1), axis + 1);
}
// (.., n sizes) -> (.., n outs, n kernels)
static tiny_uop *tn_windows(tiny_ctx *t, tiny_uop *x, int n, const tn_window *w) {
  int64_t axes[TN_MAX_DIMS];
  if (tn_bad(t, x)) return x;
  const int lead = x->ndim - n;
  for (int i = 0; i < n; i++) x = tn_windows_along(t, x, lead + 2 * i, &w[i]);
  for (int i = 0; i < lead; i++) axes[i] = i;
  for (int i = 0; i < n; i++) { axes[lead + i] = lead + 2 * i + 1; axes[lead + n + i] = lead + 2 * i; }
  return tn_permute(t, x, axes);
}

static int64_t tn_window_reach(const tn_window *w) { return w->dilation * (w->kernel - 1) + 1; }
// How many windows fit into the padded size; 0: none.
static int64_t tn_windows_out(int64_t size, const tn_window *w) {
  const int64_t room = size + w->before + w->after - tn_window_reach(w);
  return room < 0 ? 0 : room / w->stride + 1;
}

// ** padding **

static tiny_uop *tn_pad_spatial(tiny_ctx *t, tiny_uop *x, int n, const tn_window *w, tiny_uop *value) {
  int64_t v[2 * TN_MAX_DIMS] = {0}, crop[2 * TN_MAX_DIMS];
  if (tn_bad(t, x)) return x;
  for (int i = 0; i < x->ndim; i++) { crop[2 * i] = 0; crop[2 * i + 1] = x->dim[i]; }
  for (int i = 0; i < n; i++) {
    const int at = x->ndim - n + i;
    v[2 * at] = w[i].before;
    if (w[i].after >= 0) v[2 * at + 1] = w[i].after;
    else crop[2 * at + 1] += w[i].after;
  }
  return tn_pad_with(t, tn_shrink(t, x, crop), v, value);
}

// ** convolution **

typedef struct tn_conv {                   // what both directions check and need
  tiny_conv_desc d;
  tn_window w[TN_SPATIAL];
  int n, groups, batched;
  tiny_uop *x, *weight, *bias;             // x with a batch dim
} tn_conv;

// Arguments that have nothing to do with sizes. in: x, w, bias or NULL. 0: an error was recorded.
static int tn_conv_of(const char *name, int n, tiny_tensor *const *in, const tiny_conv_desc *desc, int transposed,
                      tn_conv *c) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_ctx *t = tn_ctx_of(in[0]);
  tiny_uop *x = tn_uop_of(in[0]), *w = tn_uop_of(in[1]);
  memset(c, 0, sizeof *c);
  if (desc) c->d = *desc;
  const int groups = c->groups = c->d.groups ? c->d.groups : 1;
  c->n = n ? n : w->ndim - 2;
  c->batched = x->ndim == c->n + 2;
  int fits = c->n >= 1 && c->n <= TN_SPATIAL && w->ndim == c->n + 2 && (c->batched || x->ndim == c->n + 1) &&
      groups > 0;
  const int64_t channels = fits ? x->dim[c->batched] : 0;
  fits = fits && channels == (transposed ? w->dim[0] : tn_clamp_mul(w->dim[1], groups)) && w->dim[0] % groups == 0;
  if (!fits) {
    tiny_fail(t, TINY_E_SHAPE, "%s: %s with weights %s in %d groups", name, tn_text_of(x, a), tn_text_of(w, b),
              groups);
    return 0;
  }
  const int64_t made = transposed ? tn_clamp_mul(w->dim[1], groups) : w->dim[0];
  if (in[2] && (tn_uop_of(in[2])->ndim != 1 || tn_uop_of(in[2])->dim[0] != made)) {
    tiny_fail(t, TINY_E_SHAPE, "%s: bias %s with weights %s", name, tn_text_of(tn_uop_of(in[2]), a),
              tn_text_of(w, b));
    return 0;
  }
  for (int i = 0; i < c->n; i++) {
    const int stride = c->d.stride[i], pad = c->d.pad[i], dilation = c->d.dilation[i], after = c->d.pad_after[i];
    if (stride < 0 || dilation < 0 || pad < 0 || pad > 1 << 24 || after < -pad || after > 1 << 24) {
      tiny_fail(t, TINY_E_ARG, "%s: stride %d, pad %d, dilation %d, pad_after %d", name, stride, pad, dilation, after);
      return 0;
    }
    const tn_window win = {w->dim[2 + i], stride ? stride : 1, dilation ? dilation : 1, pad, (int64_t)pad + after, 0};
    c->w[i] = win;
  }
  c->x = c->batched ? x : tn_insert(t, x, 0);
  c->weight = w;
  c->bias = in[2] ? tn_uop_of(in[2]) : NULL;
  return !tn_bad(t, c->x);
}
static tiny_tensor *tn_conv_done(tiny_ctx *t, const tn_conv *c, tiny_uop *y) {
  return tn_tensor_new(t, tn_bad(t, y) || c->batched ? y : tn_reshape(t, y, y->ndim - 1, y->dim + 1));
}

// The sum of windows (B,C,O..,K..) of an image times weights (groups, O/groups, made.., C/groups, K..), made: dims of
// the weights that the result keeps, after its O... -> (B, groups, O/groups, O.., made..).
static tiny_uop *tn_conv_dot(tiny_ctx *t, const tn_conv *c, tiny_uop *windows, tiny_uop *w, int made, tiny_uop *bias,
                             int dtype) {
  if (tn_bad(t, windows) || tn_bad(t, w)) return &t->ir->bad;
  const int n = c->n, G = c->groups;
  const int64_t B = windows->dim[0], C = windows->dim[1] / G, O = w->dim[1];
  int64_t grouped[TN_MAX_DIMS] = {B, G, C}, order[TN_MAX_DIMS] = {0, 1}, xs[TN_MAX_DIMS] = {B, G, 1},
          ws[TN_MAX_DIMS] = {1, G, O}, bs[TN_MAX_DIMS] = {1, G, O};
  int m = 3;                               // dims of xs, ws and bs so far
  for (int i = 0; i < 2 * n; i++) grouped[3 + i] = windows->dim[2 + i];
  for (int i = 0; i < n; i++) { order[2 + i] = 3 + i; xs[m] = windows->dim[2 + i]; ws[m] = bs[m] = 1; m++; }
  for (int i = 0; i < made; i++) { xs[m] = bs[m] = 1; ws[m] = w->dim[2 + i]; m++; }
  order[2 + n] = 2;
  xs[m] = ws[m] = C; bs[m] = 1;
  for (int i = 0; i < n; i++) {
    order[3 + n + i] = 3 + n + i;
    xs[m + 1 + i] = ws[m + 1 + i] = windows->dim[2 + n + i];
  }
  windows = tn_permute(t, tn_reshape(t, windows, 3 + 2 * n, grouped), order);
  return tn_dot(t, tn_reshape(t, windows, m + 1 + n, xs), tn_reshape(t, w, m + 1 + n, ws),
                bias ? tn_reshape(t, bias, m, bs) : NULL, ((1 << (n + 1)) - 1) << m, dtype);
}

// y, known as the convolution of a padded x by w: its gradients are convolutions too (tn_conv_gradient).
static tiny_uop *tn_conv_known(tiny_ctx *t, const tn_conv *c, tiny_uop *y, tiny_uop *x, tiny_uop *w) {
  int64_t v[1 + 2 * TN_SPATIAL] = {c->groups};
  tiny_uop *src[3] = {y, x, w};
  if (tn_bad(t, y) || tn_bad(t, x) || tn_bad(t, w)) return &t->ir->bad;
  for (int i = 0; i < c->n; i++) { v[1 + i] = c->w[i].stride; v[1 + c->n + i] = c->w[i].dilation; }
  return tn_uop_make(t, TINY_OP_DETACH, y->dtype, 1, 3, src, 0, 1 + 2 * c->n, v);
}

// How many windows begin where, of an axis, n elements are meant.
static tiny_uop *tn_windows_meant(tiny_ctx *t, tiny_uop *n, const tn_window *w) {
  n = tn_position_most(t, tn_position_add(t, n, w->before + w->after - tn_window_reach(w) + w->stride), 0);
  n = w->stride == 1 || tn_bad(t, n) ? n : tn_u2(t, TINY_OP_IDIV, n, tn_index(t, w->stride));
  return tn_bad(t, n) ? n : tiny_uop_simplify(t, n);         // as tiny_slice_to has it
}
// y, whose n dims behind `lead` count the windows of those of x: as many are meant.
static tiny_uop *tn_windows_of_meant(tiny_ctx *t, tiny_uop *y, const tiny_uop *x, int lead, int n, const tn_window *w) {
  for (int i = 0; i < n; i++) {
    tiny_uop *size = tn_extent_of(x, lead + i);
    if (size) y = tn_first_of(t, y, lead + i, tn_windows_meant(t, size, &w[i]));
  }
  return y;
}

// Are weights whole but for the channels that they are multiplied with, axis `in`? Fewer of those are as many zeros.
static int tn_weights_whole(tiny_ctx *t, const char *name, const tiny_uop *w, int in) {
  for (int i = 0; i < w->ndim; i++)
    if (i != in && !tn_axis_whole_for(t, name, w, i, "weights have dims that are whole")) return 0;
  return 1;
}

static tiny_tensor *tn_conv_new(const char *name, int n, tiny_tensor *const *in, const tiny_conv_desc *desc) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  tn_conv c;
  if (!tn_usable_some(name, 2, 3, in, &out) || !tn_conv_of(name, n, in, desc, 0, &c)) return out;
  tiny_ctx *t = tn_ctx_of(in[0]);
  tiny_uop *x = c.x, *w = c.weight;
  n = c.n;
  const tiny_padding how = c.d.padding;
  if ((unsigned)how > TINY_PAD_SYMMETRIC) return tn_wrong(t, TINY_E_ARG, "%s: padding %d", name, (int)how);
  if (!tn_weights_whole(t, name, w, 1)) return out;
  int64_t ys[TN_SPATIAL + 2] = {x->dim[0], w->dim[0]}, bs[TN_SPATIAL + 2] = {1, w->dim[0], 1, 1, 1}, ws[TN_MAX_DIMS];
  const tiny_uop *meant = x;
  if (x->extent) {                         // beyond a length there are zeros, as beyond the whole
    x = tn_wholes(t, x, ~1, 0);
    if (how) return tn_wrong(t, TINY_E_SHAPE, "%s: padding other than zeros behind a length", name);
  }
  w = tn_wholes(t, w, ~0, 0);
  if (tn_bad(t, x) || tn_bad(t, w)) return tn_poison(t);
  for (int i = 0; i < n; i++) {
    tn_window *win = &c.w[i];
    if (c.d.same && win->stride != 1) return tn_wrong(t, TINY_E_ARG, "%s: same with stride %d", name, c.d.stride[i]);
    const int64_t size = x->dim[2 + i], more = tn_window_reach(win) - 1;
    if (c.d.same && win->kernel) { win->before = more / 2; win->after = more - more / 2; }
    if (how && !tn_pad_fits(size, win->before, win->after, how))
      return tn_wrong(t, TINY_E_SHAPE, "%s: no %lld and %lld to pad %s with", name, (long long)win->before,
                      (long long)win->after, tn_text_of(x, a));
    ys[2 + i] = win->out = win->kernel ? tn_windows_out(size, win) : 0;
    if (!win->out)
      return tn_wrong(t, TINY_E_SHAPE, "%s: no window of weights %s fits %s with pad %lld and %lld", name,
                      tn_text_of(w, b), tn_text_of(x, a), (long long)win->before, (long long)win->after);
  }
  const int dtype = tn_meet(x, w), inside = tn_computed_in(dtype);
  if (how) for (int i = 0; i < n; i++) x = tn_pad_both(t, x, 2 + i, c.w[i].before, c.w[i].after, how);
  else x = tn_pad_spatial(t, x, n, c.w, tn_k(t, x, 0));
  ws[0] = c.groups; ws[1] = w->dim[0] / c.groups;
  for (int i = 0; i <= n; i++) ws[2 + i] = w->dim[1 + i];
  x = tn_cast(t, x, inside);
  w = tn_cast(t, w, inside);
  tiny_uop *y = tn_conv_dot(t, &c, tn_windows(t, x, n, c.w), tn_reshape(t, w, n + 3, ws), 0, NULL, inside);
  y = tn_conv_known(t, &c, tn_reshape(t, y, n + 2, ys), x, w);
  y = tn_windows_of_meant(t, y, meant, 2, n, c.w);
  if (c.bias) y = tn_add(t, y, tn_cast(t, tn_reshape(t, c.bias, n + 2, bs), inside));
  return tn_conv_done(t, &c, tn_bad(t, y) ? y : tn_cast(t, y, dtype));
}

// Weights (C, O/groups, K..) of a transposed convolution -> (groups, O/groups, phases.., C/groups, taps..), last tap
// first, and windows of stride 1 over the padded input that they meet.
static tiny_uop *tn_conv_phases(tiny_ctx *t, const tn_conv *c, tn_window *w) {
  const int n = c->n;
  int64_t axes[TN_MAX_DIMS] = {0, 2};
  tiny_uop *u = c->weight;
  for (int i = 0; i < n; i++) {
    const int axis = 2 + 2 * i;
    const int64_t s = c->w[i].stride, d = s > 1 ? 1 : c->w[i].dilation;
    if (s > 1) u = tn_spread(t, u, axis, c->w[i].dilation);
    if (tn_bad(t, u)) return u;
    const int64_t kernel = u->dim[axis], taps = (kernel + s - 1) / s, reach = (taps - 1) * d;
    const tn_window win = {taps, 1, d, reach, reach, c->x->dim[2 + i] + reach};
    w[i] = win;
    u = tn_split(t, tn_extend(t, u, axis, 0, taps * s - kernel), axis, taps, s);
    u = tn_flip(t, u, (int64_t)1 << axis);
    axes[2 + i] = 4 + 2 * i; axes[3 + n + i] = 3 + 2 * i;
  }
  axes[2 + n] = 1;
  if (tn_bad(t, u)) return u;
  return tn_permute(t, tn_split(t, u, 0, c->groups, u->dim[0] / c->groups), axes);
}

// x by weights (C, O/groups, K..) the way back: (B,O,ys..), what each place gets from the windows it lies in.
static tiny_uop *tn_conv_back(tiny_ctx *t, const tn_conv *c, const int64_t *ys, int dtype) {
  const int n = c->n;
  int64_t axes[TN_MAX_DIMS] = {0, 1, 2}, full[TN_SPATIAL + 2] = {ys[0], ys[1]};
  tn_window win[TN_SPATIAL];
  memset(win, 0, sizeof win);
  tiny_uop *w = tn_conv_phases(t, c, win);
  tiny_uop *y = tn_windows(t, tn_pad_spatial(t, c->x, n, win, tn_k(t, c->x, 0)), n, win);
  for (int i = 0; i < n; i++) { axes[3 + 2 * i] = 3 + i; axes[4 + 2 * i] = 3 + n + i; }
  y = tn_permute(t, tn_conv_dot(t, c, y, w, n, NULL, dtype), axes);      // (B, groups, O/groups, t, r, t, r ..)
  for (int i = 0; i < n; i++) full[2 + i] = win[i].out * c->w[i].stride;
  y = tn_reshape(t, y, n + 2, full);
  for (int i = 0; i < n; i++) {
    const int64_t begin = c->w[i].before, end = begin + ys[2 + i], have = full[2 + i];
    y = tn_extend(t, tn_cut(t, y, 2 + i, begin < have ? begin : have, end < have ? end : have), 2 + i, 0,
                  end < have ? 0 : end - (begin < have ? have : begin));
  }
  return y;
}

static tiny_tensor *tn_conv_transpose_new(const char *name, int n, tiny_tensor *const *in, const tiny_conv_desc *desc) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  tn_conv c;
  if (!tn_usable_some(name, 2, 3, in, &out) || !tn_conv_of(name, n, in, desc, 1, &c)) return out;
  tiny_ctx *t = tn_ctx_of(in[0]);
  const tiny_uop *x = c.x, *w = c.weight;
  n = c.n;
  if (!tn_weights_whole(t, name, w, 0)) return out;
  if (c.d.padding || c.d.same)
    return tn_wrong(t, TINY_E_ARG, "%s: padding %d, same %d", name, (int)c.d.padding, c.d.same);
  const int dtype = tn_meet(c.x, c.weight), inside = tn_computed_in(dtype);
  int64_t ys[TN_SPATIAL + 2] = {x->dim[0], tn_clamp_mul(w->dim[1], c.groups)}, bs[TN_SPATIAL + 2] = {1, ys[1], 1, 1, 1};
  for (int i = 0; i < n; i++) {
    const tn_window *v = &c.w[i];
    if (!tn_axis_whole_for(t, name, x, 2 + i, "tiny_whole with 0 adds nothing")) return out;
    const int64_t size = x->dim[2 + i], more = c.d.output_pad[i];
    if (more < 0 || (more >= v->stride && more >= v->dilation))
      return tn_wrong(t, TINY_E_ARG, "%s: output_pad %d with stride %d and dilation %d", name, c.d.output_pad[i],
                      (int)v->stride, (int)v->dilation);
    ys[2 + i] = (size - 1) * v->stride + tn_window_reach(v) - v->before - v->after + more;
    if (!size || !v->kernel || ys[2 + i] < 1)
      return tn_wrong(t, TINY_E_SHAPE, "%s: nothing is left of %s with weights %s", name, tn_text_of(x, a),
                      tn_text_of(w, b));
  }
  tiny_uop *y = tn_conv_back(t, &c, ys, inside);
  if (c.bias) y = tn_add(t, y, tn_cast(t, tn_reshape(t, c.bias, n + 2, bs), inside));
  return tn_conv_done(t, &c, tn_bad(t, y) ? y : tn_cast(t, y, dtype));
}

// What flows into x (part 1) or w (part 2) of a known convolution when g flows into it.
static tiny_uop *tn_conv_gradient(tiny_ctx *t, const tiny_uop *y, tiny_uop *g, int part) {
  tiny_uop *x = y->src[1], *w = y->src[2];
  tn_conv c;
  memset(&c, 0, sizeof c);
  const int n = c.n = x->ndim - 2, G = c.groups = (int)y->v[0];
  for (int i = 0; i < n; i++) {
    const tn_window win = {w->dim[2 + i], y->v[1 + i], y->v[1 + n + i], 0, 0, y->dim[2 + i]};
    c.w[i] = win;
  }
  g = tn_wholes(t, g, ~0, 0);
  if (tn_bad(t, g)) return g;
  c.x = g; c.weight = w;
  if (part == 1) return tn_conv_back(t, &c, x->dim, y->dtype);
  // windows (B, C, O.., K..) -> (G, 1, C/G, K.., B, O..), g (B, O, O..) -> (G, O/G, 1, 1.., B, O..)
  int64_t xs[TN_MAX_DIMS], gs[TN_MAX_DIMS], axes[TN_MAX_DIMS] = {1};
  xs[0] = gs[0] = G; xs[1] = gs[2] = 1; xs[2] = w->dim[1]; gs[1] = w->dim[0] / G; xs[3 + n] = gs[3 + n] = x->dim[0];
  for (int i = 0; i < n; i++) {
    xs[3 + i] = w->dim[2 + i]; gs[3 + i] = 1; xs[4 + n + i] = gs[4 + n + i] = y->dim[2 + i];
    axes[1 + i] = 2 + n + i; axes[2 + n + i] = 2 + i;
  }
  axes[1 + n] = 0;
  tiny_uop *windows = tn_reshape(t, tn_permute(t, tn_windows(t, x, n, c.w), axes), 4 + 2 * n, xs);
  g = tn_reshape(t, tn_swap(t, g, 0, 1), 4 + 2 * n, gs);
  return tn_reshape(t, tn_dot(t, windows, g, NULL, ((1 << (n + 1)) - 1) << (3 + n), y->dtype), w->ndim, w->dim);
}

#define TN_CONV_OPERATOR(name, make, n) \
  TINY_API tiny_tensor *tiny_##name(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias, const tiny_conv_desc *d) { \
    tiny_tensor *in[3] = {x, w, bias}; \
    return make(#name, n, in, d); \
  }
TN_CONV_OPERATOR(conv, tn_conv_new, 0)
TN_CONV_OPERATOR(conv1d, tn_conv_new, 1)
TN_CONV_OPERATOR(conv2d, tn_conv_new, 2)
TN_CONV_OPERATOR(conv3d, tn_conv_new, 3)
TN_CONV_OPERATOR(conv_transpose, tn_conv_transpose_new, 0)
TN_CONV_OPERATOR(conv_transpose1d, tn_conv_transpose_new, 1)
TN_CONV_OPERATOR(conv_transpose2d, tn_conv_transpose_new, 2)
TN_CONV_OPERATOR(conv_transpose3d, tn_conv_transpose_new, 3)

// ** windows as columns **

// (A, K.., O..) -> (A, size..): element (k, o) of each axis is added to o * stride + k * dilation, if size
// holds that. As
// in the transposed convolution, taps are dealt out over phases: place t * stride + r gets tap q * stride + r
// of o = t - q.
static tiny_uop *tn_overlap_add(tiny_ctx *t, tiny_uop *x, int n, const tn_window *w, const int64_t *size) {
  int64_t dim[TN_MAX_DIMS], axes[TN_MAX_DIMS] = {0}, span[TN_SPATIAL + 1];
  tiny_uop *mask = NULL;
  const int all = 1 + 4 * n;
  for (int i = 0; i < n; i++) {            // K -> (Q, phases)
    if (tn_bad(t, x)) return x;
    const int axis = 1 + 2 * i;
    const int64_t s = w[i].stride;
    if (s > 1) x = tn_spread(t, x, axis, w[i].dilation);
    if (tn_bad(t, x)) return x;
    const int64_t kernel = x->dim[axis], taps = (kernel + s - 1) / s;
    x = tn_split(t, tn_extend(t, x, axis, 0, taps * s - kernel), axis, taps, s);
  }
  for (int i = 0; i < n; i++) {
    axes[1 + i] = 2 + 2 * i; axes[1 + n + i] = 1 + 2 * n + i; axes[1 + 2 * n + i] = 1 + 2 * i;
  }
  x = tn_permute(t, x, axes);              // (A, phases.., O.., Q..)
  if (tn_bad(t, x)) return x;
  dim[0] = span[0] = x->dim[0];
  for (int i = 0; i < n; i++) {
    dim[1 + 2 * i] = 1; dim[2 + 2 * i] = x->dim[1 + i];
    dim[1 + 2 * n + i] = x->dim[1 + n + i]; dim[1 + 3 * n + i] = x->dim[1 + 2 * n + i];
  }
  x = tn_reshape(t, x, all, dim);          // (A, 1, phases, 1, phases .., O.., Q..)
  for (int i = 0; i < n; i++) {
    const int64_t O = dim[1 + 2 * n + i], Q = dim[1 + 3 * n + i], d = w[i].stride > 1 ? 1 : w[i].dilation,
                  T = O + (Q - 1) * d;
    tiny_uop *at = tn_add(t, tn_iota(t, TINY_INDEX, O, 1 + 2 * n + i, all),
                          tn_times(t, tn_iota(t, TINY_INDEX, Q, 1 + 3 * n + i, all), (double)d));
    tiny_uop *is = tn_eq(t, tn_iota(t, TINY_INDEX, T, 1 + 2 * i, all), at);
    mask = mask ? tn_and(t, mask, is) : is;
    dim[1 + 2 * i] = T;
    span[1 + i] = T * dim[2 + 2 * i];
  }
  x = tn_expand(t, x, all, dim);
  x = tn_where(t, mask, x, tn_k(t, x, 0));
  x = tn_reshape(t, tn_sum(t, x, ((1 << 2 * n) - 1) << (1 + 2 * n), 0), n + 1, span);
  for (int i = 0; i < n; i++) {
    const int64_t kept = span[1 + i] < size[i] ? span[1 + i] : size[i];
    x = tn_extend(t, tn_cut(t, x, 1 + i, 0, kept), 1 + i, 0, size[i] - kept);
  }
  return x;
}

// How many spatial dims a descriptor is about, with its defaults filled in; 0: an error was recorded. stride 0 is the
// kernel, or 1 where `ones`.
static int tn_pool_of(tiny_ctx *t, const char *name, const tiny_pool_desc *d, int ones, tn_window *w) {
  int n = 0;
  if (!d) { tiny_fail(t, TINY_E_ARG, "%s: the descriptor is NULL", name); return 0; }
  while (n < TN_SPATIAL && d->kernel[n]) n++;
  for (int i = 0; i < n || !i; i++) {
    const int k = d->kernel[i], s = d->stride[i], pad = d->pad[i], dilation = d->dilation[i];
    if (k < 1 || s < 0 || pad < 0 || pad > 1 << 24 || dilation < 0 || (!ones && pad > k / 2)) {
      tiny_fail(t, TINY_E_ARG, "%s: kernel %d, stride %d, pad %d%s, dilation %d", name, k, s, pad,
                ones ? "" : " (at most half of the kernel)", dilation);
      return 0;
    }
    const tn_window win = {k, s ? s : ones ? 1 : k, dilation ? dilation : 1, pad, pad, 0};
    w[i] = win;
  }
  return n;
}
static tiny_tensor *tn_no_windows(const char *name, tiny_tensor *x, int n, const tn_window *w) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  int64_t kernel[TN_SPATIAL];
  for (int i = 0; i < n; i++) kernel[i] = w[i].kernel;
  return tn_wrong(tn_ctx_of(x), TINY_E_SHAPE, "%s: no window of %s fits %s", name,
                  tn_dims_text(b, sizeof b, n, kernel),
                  tn_text_of(tn_uop_of(x), a));
}

TINY_API tiny_tensor *tiny_unfold(tiny_tensor *x, const tiny_pool_desc *d) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  tn_window w[TN_SPATIAL];
  if (!tn_usable("unfold", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const int n = tn_pool_of(t, "unfold", d, 1, w), batched = tn_uop_of(x)->ndim == n + 2;
  if (!n) return out;
  if (d->ceil_mode) return tn_wrong(t, TINY_E_ARG, "unfold: ceil_mode is set");
  if (!batched && tn_uop_of(x)->ndim != n + 1)
    return tn_wrong(t, TINY_E_SHAPE, "unfold: %s has not %d spatial dims and channels",
                    tn_text_of(tn_uop_of(x), a), n);
  tiny_uop *u = batched ? tn_uop_of(x) : tn_insert(t, tn_uop_of(x), 0);
  if (tn_bad(t, u)) return tn_poison(t);
  int64_t axes[TN_MAX_DIMS] = {0, 1}, columns[3] = {u->dim[0], u->dim[1], 1};
  for (int i = 0; i < n; i++) {
    if (!(w[i].out = tn_windows_out(u->dim[2 + i], &w[i]))) return tn_no_windows("unfold", x, n, w);
    columns[1] *= w[i].kernel; columns[2] *= w[i].out;
    axes[2 + i] = 2 + n + i; axes[2 + n + i] = 2 + i;
  }
  u = tn_permute(t, tn_windows(t, tn_pad_spatial(t, u, n, w, tn_k(t, u, 0)), n, w), axes);
  return tn_tensor_new(t, tn_reshape(t, u, 2 + batched, columns + !batched));
}

TINY_API tiny_tensor *tiny_fold(tiny_tensor *x, tiny_shape size, const tiny_pool_desc *d) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  tn_window w[TN_SPATIAL];
  if (!tn_usable("fold", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const int n = tn_pool_of(t, "fold", d, 1, w), batched = tn_uop_of(x)->ndim == 3;
  if (!n) return out;
  if (d->ceil_mode || size.ndim != n)
    return tn_wrong(t, TINY_E_ARG, "fold: %d sizes, %d kernels, ceil_mode %d", size.ndim, n, d->ceil_mode);
  tiny_shape s = {2 + n, {0}};
  int64_t taps = 1, windows = 1, dim[1 + 2 * TN_SPATIAL], padded[TN_SPATIAL];
  for (int i = 0; i < n; i++) {
    s.dim[2 + i] = size.dim[i];
    if (size.dim[i] < 0 || size.dim[i] > (int64_t)1 << 40) { s.dim[2 + i] = -1; continue; }
    w[i].out = tn_windows_out(size.dim[i], &w[i]);
    padded[i] = size.dim[i] + 2 * w[i].before;
    taps *= w[i].kernel; windows *= w[i].out;
    dim[1 + i] = w[i].kernel; dim[1 + n + i] = w[i].out;
  }
  tiny_uop *u = tn_uop_of(x);
  const int rows = u->ndim - 2;
  if ((!batched && u->ndim != 2) || !windows || u->dim[rows] % taps || u->dim[rows + 1] != windows)
    return tn_wrong(t, TINY_E_SHAPE, "fold: %s is not %lld rows a channel by %lld windows of %s", tn_text_of(u, a),
                    (long long)taps, (long long)windows, tn_dims_text(b, sizeof b, n, size.dim));
  s.dim[0] = batched ? u->dim[0] : 1;
  s.dim[1] = u->dim[rows] / taps;
  if (!tn_shape_valid(t, "fold", &s)) return out;
  dim[0] = s.dim[0] * s.dim[1];
  const int dtype = u->dtype;
  u = tn_overlap_add(t, tn_cast(t, tn_reshape(t, u, 1 + 2 * n, dim), tn_computed_in(dtype)), n, w, padded);
  for (int i = 0; i < n; i++) u = tn_cut(t, u, 1 + i, w[i].before, w[i].before + size.dim[i]);
  u = tn_reshape(t, u, s.ndim - !batched, s.dim + !batched);
  return tn_tensor_new(t, tn_bad(t, u) ? u : tn_cast(t, u, dtype));
}
#endif
