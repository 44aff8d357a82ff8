// view: shape, strides, offset and mask over flat memory; stacks of views; index and validity expressions.
//
// In:  movement ops on caller's structs. Out: the same structs, with as few views as possible.
// Every view is kept tidy: a dim with one existing index has stride 0 (its part is in the offset), and a view
// without any existing element has only zeros besides its dims. There is one way of merging, tn_view_merge:
// a reshape is the merge of a view with the plain view of the new shape.
#ifndef TN_SHAPE_VIEW
#define TN_SHAPE_VIEW
#ifndef TINY_AMALGAMATED
#include "../ir/uop.c"
#endif

#define TN_VIEW_LIMIT ((int64_t)1 << 62)   // of how far a view reaches; twice the limit of element counts

// Number of elements, or -1 for what is no shape: too many dims, a negative one, or too many elements.
static int64_t tn_view_nelem(int ndim, const int64_t *dim) {
  if (ndim < 0 || ndim > TINY_MAX_DIMS) return -1;
  int64_t n = 1;
  int empty = 0;
  for (int d = 0; d < ndim; d++) {
    if (dim[d] < 0) return -1;
    if (dim[d] == 0) empty = 1;
    else n = tn_clamp_mul(n, dim[d]);
  }
  return empty ? 0 : n < TN_VIEW_LIMIT / 2 ? n : -1;
}

static int tn_view_empty(const tiny_view *v) {
  for (int d = 0; d < v->ndim; d++) if (v->begin[d] >= v->end[d]) return 1;
  return 0;
}

static void tn_view_tidy(tiny_view *v) {
  const int empty = tn_view_empty(v);
  if (empty) v->offset = 0;
  for (int d = 0; d < v->ndim; d++) {
    if (empty) v->stride[d] = v->begin[d] = v->end[d] = 0;
    if (v->end[d] - v->begin[d] != 1) continue;
    v->offset = tn_clamp_add(v->offset, tn_clamp_mul(v->begin[d], v->stride[d]));
    v->stride[d] = 0;
  }
}

// Is every sum that indexing this view makes far from overflow?
static int tn_view_fits(const tiny_view *v) {
  int64_t low = v->offset < 0 ? v->offset : 0, high = v->offset > 0 ? v->offset : 0;
  for (int d = 0; d < v->ndim; d++) {
    const int64_t reach = tn_clamp_mul(v->stride[d], v->dim[d]);
    if (reach < 0) low = tn_clamp_add(low, reach); else high = tn_clamp_add(high, reach);
  }
  return low > -TN_VIEW_LIMIT && high < TN_VIEW_LIMIT + low;
}

// The plain, row-major view of a shape.
static tiny_view tn_view_of(int ndim, const int64_t *dim) {
  tiny_view v;
  memset(&v, 0, sizeof v);
  v.ndim = ndim;
  int64_t stride = 1;
  for (int d = ndim - 1; d >= 0; d--) {
    v.dim[d] = v.end[d] = dim[d];
    v.stride[d] = stride;
    stride = tn_clamp_mul(stride, dim[d]);
  }
  tn_view_tidy(&v);
  return v;
}

static int tn_view_equal(const tiny_view *a, const tiny_view *b) {
  if (a->ndim != b->ndim || a->offset != b->offset) return 0;
  for (int d = 0; d < a->ndim; d++) {
    if (a->dim[d] != b->dim[d] || a->stride[d] != b->stride[d]) return 0;
    if (a->begin[d] != b->begin[d] || a->end[d] != b->end[d]) return 0;
  }
  return 1;
}

// ** merging **

// The same elements in the same flat order, in as few dims as can tell it: dims of 1 go, neighbours that
// act as one dim join.
static tiny_view tn_view_joined(const tiny_view *v) {
  tiny_view out = *v;
  int n = 0;
  for (int q = 0; q < v->ndim; q++) {
    const int64_t dim = v->dim[q], stride = v->stride[q];
    if (dim == 1) continue;
    const int p = n - 1, full = v->begin[q] == 0 && v->end[q] == dim;
    if (n && out.end[p] - out.begin[p] == 1) {           // one index of p exists: its stride may be anything
      const int64_t at = out.begin[p] * dim;
      out.offset = tn_clamp_add(out.offset, tn_clamp_mul(-at, stride));
      out.begin[p] = at + v->begin[q]; out.end[p] = at + v->end[q];
      out.dim[p] *= dim; out.stride[p] = stride;
    } else if (n && full && out.stride[p] == tn_clamp_mul(stride, dim)) {
      out.begin[p] *= dim; out.end[p] *= dim;
      out.dim[p] *= dim; out.stride[p] = stride;
    } else {
      out.dim[n] = dim; out.stride[n] = stride; out.begin[n] = v->begin[q]; out.end[n] = v->end[q];
      n++;
    }
  }
  out.ndim = n;
  return out;
}

// Digits of a flat element in the dims of v; the first takes all that is left.
static void tn_view_digits(const tiny_view *v, int64_t flat, int64_t *digit) {
  for (int k = v->ndim - 1; k > 0; k--) { digit[k] = flat % v->dim[k]; flat /= v->dim[k]; }
  if (v->ndim) digit[0] = flat;
}

static int64_t tn_ceil_div(int64_t a, int64_t b) { return -tn_floor_div(-a, b); }
static int64_t tn_least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t tn_most(int64_t a, int64_t b) { return a > b ? a : b; }

// Narrows the box lo[d] <= i[d] <= hi[d] to where begin <= c + sum a[d] * i[d] < end. 0: that is no box.
static int tn_view_narrow(int n, const int64_t *a, int64_t c, int64_t begin, int64_t end,
                          int64_t *lo, int64_t *hi) {
  for (;;) {
    int64_t low = c, high = c;             // of the whole sum
    int w = -1;                            // the dim whose step is widest
    for (int d = 0; d < n; d++) {
      low += tn_least(a[d] * lo[d], a[d] * hi[d]); high += tn_most(a[d] * lo[d], a[d] * hi[d]);
      if (lo[d] < hi[d] && a[d] && (w < 0 || llabs(a[d]) > llabs(a[w]))) w = d;
    }
    if (low >= begin && high < end) return 1;
    if (low >= end || high < begin) {
      if (n) hi[0] = lo[0] - 1;
      return n > 0;                        // a 0-d box always has its one element
    }
    // first..last of i[w] satisfy for some values of the others. If those are several, all must.
    const int64_t step = llabs(a[w]), from = a[w] > 0 ? lo[w] : -hi[w], to = a[w] > 0 ? hi[w] : -lo[w];
    const int64_t rest_low = low - step * from, rest_high = high - step * to;
    const int64_t first = tn_most(from, tn_ceil_div(begin - rest_high, step));
    const int64_t last = tn_least(to, tn_floor_div(end - 1 - rest_low, step));
    if (first < last && (step * first + rest_low < begin || step * last + rest_high >= end)) return 0;
    lo[w] = a[w] > 0 ? first : -last;
    hi[w] = a[w] > 0 ? last : -first;
    if (first > last) return 1;
  }
}

// Digits of outer's flat element in the dims of the view below it: c[k] + sum a[k][d] * i[d], in outer's box.
typedef struct tn_digits { int64_t c[TINY_MAX_DIMS], a[TINY_MAX_DIMS][TINY_MAX_DIMS]; } tn_digits;

// Returns 0 when a digit carries into the next somewhere in the box, so that no such sum exists.
static int tn_view_expand_digits(const tiny_view *in, const tiny_view *outer, tn_digits *out) {
  int64_t low[TINY_MAX_DIMS], high[TINY_MAX_DIMS], digit[TINY_MAX_DIMS], first = outer->offset;
  const int m = in->ndim;
  for (int d = 0; d < outer->ndim; d++) {
    first += outer->stride[d] * (outer->stride[d] < 0 ? outer->end[d] - 1 : outer->begin[d]);
  }
  if (first < 0 || (m == 0 && first > 0)) return 0;
  tn_view_digits(in, first, out->c);
  for (int k = 0; k < m; k++) low[k] = high[k] = out->c[k];
  for (int d = 0; d < outer->ndim; d++) {
    const int negative = outer->stride[d] < 0;
    const int64_t corner = negative ? outer->end[d] - 1 : outer->begin[d];
    const int64_t steps = outer->end[d] - 1 - outer->begin[d];
    if (m == 0 && outer->stride[d]) return 0;
    tn_view_digits(in, llabs(outer->stride[d]), digit);
    for (int k = m - 1; k >= 0; k--) {
      const int64_t back = digit[k] - in->dim[k];          // or: one up in the next dim, some back in this
      if (k > 0 && tn_clamp_add(high[k], tn_clamp_mul(digit[k], steps)) >= in->dim[k] &&
          tn_clamp_add(low[k], tn_clamp_mul(back, steps)) >= 0) {
        digit[k] = back;
        digit[k - 1]++;
      }
      const int64_t moved = tn_clamp_mul(digit[k], steps);
      low[k] = tn_clamp_add(low[k], tn_least(moved, 0));
      high[k] = tn_clamp_add(high[k], tn_most(moved, 0));
      if (low[k] < 0 || high[k] >= in->dim[k]) return 0;
      if (tn_clamp_mul(llabs(digit[k]), corner) >= TN_VIEW_LIMIT / 64) return 0;
      out->a[k][d] = negative ? -digit[k] : digit[k];
      out->c[k] -= out->a[k][d] * corner;
    }
  }
  return 1;
}

// The mask of in as a box of outer's indices. Narrowing by one dim can make another a box, hence the passes.
static int tn_view_narrow_all(const tiny_view *in, const tn_digits *g, tiny_view *outer) {
  int64_t lo[TINY_MAX_DIMS], hi[TINY_MAX_DIMS];
  for (int d = 0; d < outer->ndim; d++) { lo[d] = outer->begin[d]; hi[d] = outer->end[d] - 1; }
  int open = in->ndim;
  for (int pass = 0; open && pass < in->ndim; pass++) {
    open = 0;
    for (int k = 0; k < in->ndim; k++) {
      const int boxed = tn_view_narrow(outer->ndim, g->a[k], g->c[k], in->begin[k], in->end[k], lo, hi);
      for (int d = 0; d < outer->ndim; d++) if (lo[d] > hi[d]) {
        outer->end[d] = outer->begin[d];
        return 1;
      }
      open += !boxed;
    }
  }
  for (int d = 0; d < outer->ndim; d++) { outer->begin[d] = lo[d]; outer->end[d] = hi[d] + 1; }
  return !open;
}

static int64_t tn_view_dot(int64_t sum, int n, const int64_t *a, const int64_t *b) {
  for (int k = 0; k < n; k++) sum = tn_clamp_add(sum, tn_clamp_mul(a[k], b[k]));
  return sum;
}

// One view for outer on top of inner, of outer's shape. Returns 0 when there is none, or none was found.
static int tn_view_merge(const tiny_view *inner, const tiny_view *outer, tiny_view *out) {
  tiny_view below = *inner, made = *outer;
  tn_view_tidy(&below);
  tn_view_tidy(&made);
  if (tn_view_empty(&made)) { *out = made; return 1; }
  if (tn_view_empty(&below)) {
    if (made.ndim == 0) return 0;          // a 0-d view cannot say that its element does not exist
    made.end[0] = made.begin[0];
    tn_view_tidy(&made);
    *out = made;
    return 1;
  }
  const tiny_view in = tn_view_joined(&below);
  tn_digits g;
  if (!tn_view_expand_digits(&in, &made, &g) || !tn_view_narrow_all(&in, &g, &made)) return 0;
  made.offset = tn_view_dot(in.offset, in.ndim, g.c, in.stride);
  for (int d = 0; d < made.ndim; d++) {
    int64_t a[TINY_MAX_DIMS] = {0};
    for (int k = 0; k < in.ndim; k++) a[k] = g.a[k][d];
    made.stride[d] = tn_view_dot(0, in.ndim, a, in.stride);
  }
  if (!tn_view_fits(&made)) return 0;
  tn_view_tidy(&made);
  *out = made;
  return 1;
}

// ** the public operations **

TINY_API tiny_views tiny_views_of(tiny_shape shape) {
  tiny_views v;
  memset(&v, 0, sizeof v);                 // n stays 0 for what is no shape: every operation then fails
  if (tn_view_nelem(shape.ndim, shape.dim) < 0) return v;
  v.v[0] = tn_view_of(shape.ndim, shape.dim);
  v.n = 1;
  return v;
}

TINY_API tiny_views tiny_views_strided(tiny_shape shape, const int64_t *strides, int64_t offset) {
  tiny_views v = tiny_views_of(shape);
  if (!v.n || !strides) return v;
  for (int d = 0; d < shape.ndim; d++) v.v[0].stride[d] = strides[d];
  v.v[0].offset = offset;
  v.n = tn_view_fits(&v.v[0]);
  tn_view_tidy(&v.v[0]);
  return v;
}

static int tn_views_ok(const tiny_views *v) {
  if (!v || v->n < 1 || v->n > TINY_MAX_VIEWS) return 0;
  for (int i = 0; i < v->n; i++) {
    const tiny_view *w = &v->v[i];
    if (tn_view_nelem(w->ndim, w->dim) < 0 || !tn_view_fits(w)) return 0;
    for (int d = 0; d < w->ndim; d++) {
      if (w->begin[d] < 0 || w->begin[d] > w->end[d] || w->end[d] > w->dim[d]) return 0;
    }
  }
  return 1;
}

// Begins an operation that changes the topmost view: *top is a copy of it.
static tiny_code tn_views_begin(const tiny_views *v, tiny_view *top) {
  if (!tn_views_ok(v)) return TINY_E_ARG;
  *top = v->v[v->n - 1];
  return TINY_OK;
}

// Ends it: the changed view takes its place and is merged with those below while that goes.
static tiny_code tn_views_finish(tiny_views *v, tiny_view *top) {
  if (tn_view_nelem(top->ndim, top->dim) < 0 || !tn_view_fits(top)) return TINY_E_SHAPE;
  tn_view_tidy(top);
  v->v[v->n - 1] = *top;
  while (v->n > 1 && tn_view_merge(&v->v[v->n - 2], &v->v[v->n - 1], &v->v[v->n - 2])) v->n--;
  return TINY_OK;
}

TINY_API tiny_code tiny_views_permute(tiny_views *v, tiny_shape axes) {
  tiny_view top, was;
  const tiny_code code = tn_views_begin(v, &top);
  if (code) return code;
  was = top;
  if (axes.ndim != was.ndim) return TINY_E_SHAPE;
  for (int d = 0, seen = 0; d < was.ndim; d++) {
    const int64_t from = axes.dim[d];
    if (from < 0 || from >= was.ndim || seen >> from & 1) return TINY_E_SHAPE;
    seen |= 1 << from;
    top.dim[d] = was.dim[from]; top.stride[d] = was.stride[from];
    top.begin[d] = was.begin[from]; top.end[d] = was.end[from];
  }
  return tn_views_finish(v, &top);
}

TINY_API tiny_code tiny_views_expand(tiny_views *v, tiny_shape shape) {
  tiny_view top;
  const tiny_code code = tn_views_begin(v, &top);
  if (code) return code;
  if (shape.ndim != top.ndim || tn_view_nelem(shape.ndim, shape.dim) < 0) return TINY_E_SHAPE;
  tn_view_tidy(&top);
  for (int d = 0; d < top.ndim; d++) {
    if (top.dim[d] == shape.dim[d]) continue;
    if (top.dim[d] != 1) return TINY_E_SHAPE;
    top.dim[d] = shape.dim[d];
    if (top.end[d]) top.end[d] = shape.dim[d];
  }
  return tn_views_finish(v, &top);
}

TINY_API tiny_code tiny_views_pad(tiny_views *v, tiny_shape before_after) {
  tiny_view top;
  const tiny_code code = tn_views_begin(v, &top);
  if (code) return code;
  if (before_after.ndim != 2 * top.ndim) return TINY_E_SHAPE;
  for (int d = 0; d < top.ndim; d++) {
    const int64_t before = before_after.dim[2 * d], after = before_after.dim[2 * d + 1];
    if (before < 0 || after < 0 || before >= TN_VIEW_LIMIT || after >= TN_VIEW_LIMIT) return TINY_E_SHAPE;
    top.dim[d] = tn_clamp_add(tn_clamp_add(top.dim[d], before), after);
    top.offset = tn_clamp_add(top.offset, tn_clamp_mul(-before, top.stride[d]));
    top.begin[d] += before; top.end[d] += before;
  }
  return tn_views_finish(v, &top);
}

TINY_API tiny_code tiny_views_shrink(tiny_views *v, tiny_shape begin_end) {
  tiny_view top;
  const tiny_code code = tn_views_begin(v, &top);
  if (code) return code;
  if (begin_end.ndim != 2 * top.ndim) return TINY_E_SHAPE;
  for (int d = 0; d < top.ndim; d++) {
    const int64_t begin = begin_end.dim[2 * d], end = begin_end.dim[2 * d + 1];
    if (begin < 0 || begin > end || end > top.dim[d]) return TINY_E_SHAPE;
    top.dim[d] = end - begin;
    top.offset += begin * top.stride[d];
    top.begin[d] = tn_least(tn_most(top.begin[d] - begin, 0), top.dim[d]);
    top.end[d] = tn_most(tn_least(top.end[d] - begin, top.dim[d]), top.begin[d]);
  }
  return tn_views_finish(v, &top);
}

TINY_API tiny_code tiny_views_flip(tiny_views *v, tiny_shape axes) {
  tiny_view top;
  const tiny_code code = tn_views_begin(v, &top);
  if (code) return code;
  if (axes.ndim < 0 || axes.ndim > TINY_MAX_DIMS) return TINY_E_SHAPE;
  for (int i = 0, seen = 0; i < axes.ndim; i++) {
    const int64_t d = axes.dim[i];
    if (d < 0 || d >= top.ndim || seen >> d & 1) return TINY_E_SHAPE;
    seen |= 1 << d;
    const int64_t begin = top.begin[d];
    top.begin[d] = top.dim[d] - top.end[d];
    top.end[d] = top.dim[d] - begin;
    if (top.dim[d]) top.offset += (top.dim[d] - 1) * top.stride[d];
    top.stride[d] = -top.stride[d];
  }
  return tn_views_finish(v, &top);
}

TINY_API tiny_code tiny_views_reshape(tiny_views *v, tiny_shape shape) {
  tiny_view top;
  const tiny_code code = tn_views_begin(v, &top);
  if (code) return code;
  const int64_t n = tn_view_nelem(shape.ndim, shape.dim);
  if (n < 0 || n != tn_view_nelem(top.ndim, top.dim)) return TINY_E_SHAPE;
  tiny_view plain = tn_view_of(shape.ndim, shape.dim), merged;
  if (tn_view_merge(&top, &plain, &merged)) return tn_views_finish(v, &merged);
  if (v->n == TINY_MAX_VIEWS) return TINY_E_STATE;
  v->v[v->n++] = plain;
  return TINY_OK;
}

TINY_API int tiny_views_contiguous(const tiny_views *v) {
  if (!tn_views_ok(v) || v->n != 1) return 0;
  const tiny_view plain = tn_view_of(v->v[0].ndim, v->v[0].dim);
  tiny_view w = v->v[0];
  tn_view_tidy(&w);
  return tn_view_equal(&w, &plain);
}

TINY_API int64_t tiny_views_at(const tiny_views *v, const int64_t *index) {
  if (!tn_views_ok(v) || !index) return -1;
  int64_t digit[TINY_MAX_DIMS];
  for (int i = v->n - 1;; i--) {
    const tiny_view *w = &v->v[i];
    int64_t flat = w->offset;
    for (int d = 0; d < w->ndim; d++) {
      if (index[d] < w->begin[d] || index[d] >= w->end[d]) return -1;
      flat += index[d] * w->stride[d];
    }
    if (i == 0) return flat;
    if (tn_view_empty(&v->v[i - 1])) return -1;
    tn_view_digits(&v->v[i - 1], flat, digit);
    index = digit;
  }
}

// ** expressions **

static tiny_uop *tn_view_sum(tiny_ctx *t, const tiny_view *w, tiny_uop *const *index) {
  tiny_uop *flat = NULL;
  for (int d = 0; d < w->ndim; d++) {
    if (!w->stride[d]) continue;
    tiny_uop *term = index[d];
    if (w->stride[d] != 1) term = tn_u2(t, TINY_OP_MUL, term, tn_index(t, w->stride[d]));
    flat = flat ? tn_u2(t, TINY_OP_ADD, flat, term) : term;
  }
  if (!flat) return tn_index(t, w->offset);
  return w->offset ? tn_u2(t, TINY_OP_ADD, flat, tn_index(t, w->offset)) : flat;
}

// valid, and those comparisons of the mask that the bounds of the indices do not prove. b <= i is !(i < b).
static tiny_uop *tn_view_valid(tiny_ctx *t, const tiny_view *w, tiny_uop *const *index, tiny_uop *valid) {
  if (tn_view_empty(w)) return tn_bool(t, 0);
  for (int d = 0; d < w->ndim; d++) {
    for (int side = 0; side < 2; side++) {
      const int64_t k = side ? w->end[d] : w->begin[d];
      if (side ? k == w->dim[d] || index[d]->vmax < k : k == 0 || index[d]->vmin >= k) continue;
      tiny_uop *below = tn_u2(t, TINY_OP_LT, index[d], tn_index(t, k));
      tiny_uop *holds = side ? below : tn_not(t, below);
      valid = tn_is_k(valid, 1) ? holds : tn_u2(t, TINY_OP_AND, valid, holds);
    }
  }
  return valid;
}

// The digits of flat in the dims of w. Where an outer mask fails they mean nothing: *valid tells.
static void tn_view_indices(tiny_ctx *t, const tiny_view *w, tiny_uop *flat, tiny_uop **index) {
  const int64_t nelem = tn_view_nelem(w->ndim, w->dim);
  int64_t below = 1;                       // elements per step of the dim
  for (int d = w->ndim - 1; d >= 0; below *= w->dim[d--]) {
    index[d] = tn_index(t, 0);
    if (w->dim[d] == 1) continue;
    index[d] = below == 1 ? flat : tn_u2(t, TINY_OP_IDIV, flat, tn_index(t, below));
    const int within = index[d]->vmin >= 0 && index[d]->vmax < w->dim[d];
    const int outermost = below * w->dim[d] == nelem;      // the outer mask holds: there is no more than fits
    if (!within && !outermost) index[d] = tn_u2(t, TINY_OP_MOD, index[d], tn_index(t, w->dim[d]));
  }
}

TINY_API tiny_code tiny_views_expr(tiny_ctx *t, const tiny_views *v, tiny_uop *const *index,
                                   tiny_uop **flat, tiny_uop **valid) {
  if (!t) return TINY_E_ARG;
  if (!tn_views_ok(v)) return tiny_fail(t, TINY_E_ARG, "views_expr: not a stack of views");
  if (!flat || !valid) return tiny_fail(t, TINY_E_ARG, "views_expr: flat or valid is NULL");
  const int ndim = v->v[v->n - 1].ndim;
  tiny_uop *i[TINY_MAX_DIMS];
  for (int d = 0; d < ndim; d++) {
    if (!index || !index[d]) return tiny_fail(t, TINY_E_ARG, "views_expr: index %d is NULL", d);
    i[d] = index[d];
  }
  *valid = tn_bool(t, 1);
  for (int k = v->n - 1;; k--) {
    *valid = tn_view_valid(t, &v->v[k], i, *valid);
    *flat = tn_view_sum(t, &v->v[k], i);
    if (k == 0) break;
    if (tn_view_empty(&v->v[k - 1])) { *flat = tn_index(t, 0); *valid = tn_bool(t, 0); break; }
    tn_view_indices(t, &v->v[k - 1], *flat, i);
  }
  if (*flat == &t->ir->bad || *valid == &t->ir->bad) return TINY_E_MEMORY;
  return TINY_OK;
}

// ** views of tensor graphs **

static tiny_shape tn_shape_of(int n, const int64_t *v) {
  tiny_shape s;
  memset(&s, 0, sizeof s);
  s.ndim = n;
  for (int i = 0; i < n && i < TINY_MAX_DIMS; i++) s.dim[i] = v[i];
  return s;
}
static tiny_views tn_views_over(int ndim, const int64_t *dim) {
  return tiny_views_of(tn_shape_of(ndim, dim));
}

// The views after movement op m. An error when they cannot say it: then it takes index arithmetic.
static tiny_code tn_views_move(tiny_views *v, const tiny_uop *m) {
  int64_t axes[TINY_MAX_DIMS];
  int n = 0;
  if (m->nv > TINY_MAX_DIMS) return TINY_E_STATE;        // a tiny_shape does not hold the amounts
  for (int i = 0; i < m->ndim; i++) if (m->k >> i & 1) axes[n++] = i;
  switch (m->op) {
    case TINY_OP_RESHAPE: return tiny_views_reshape(v, tn_shape_of(m->nv, m->v));
    case TINY_OP_PERMUTE: return tiny_views_permute(v, tn_shape_of(m->nv, m->v));
    case TINY_OP_EXPAND: return tiny_views_expand(v, tn_shape_of(m->nv, m->v));
    case TINY_OP_PAD: return tiny_views_pad(v, tn_shape_of(m->nv, m->v));
    case TINY_OP_SHRINK: return tiny_views_shrink(v, tn_shape_of(m->nv, m->v));
    case TINY_OP_FLIP: return tiny_views_flip(v, tn_shape_of(n, axes));
    case TINY_OP_DETACH: case TINY_OP_AFTER: case TINY_OP_COPY: case TINY_OP_PREFIX: case TINY_OP_WHOLE: return TINY_OK;
    default: return TINY_E_STATE;
  }
}
#endif
