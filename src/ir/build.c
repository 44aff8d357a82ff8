// build: makes nodes of tensor graphs: arithmetic that broadcasts as NumPy, movement, reductions, constants.
//
// In:  nodes with shapes that fit (operators check before they build, gradients fit by construction). Out: a node, with
//      what changes nothing left out: a reshape to the same shape, a sum over dims of 1.
// A source that could not be made for lack of memory (&t->ir->bad) gives the same, so formulas
// need no checks; only code that reads a made node's dims must look first (tn_bad). 0-d operands
// stay 0-d: they broadcast without an EXPAND.
#ifndef TN_IR_BUILD
#define TN_IR_BUILD
#ifndef TINY_AMALGAMATED
#include "print.c"
#endif

// Lists of dims that operators make: with room for those that they put between before the node maker refuses them.
enum { TN_MAX_DIMS = TINY_MAX_DIMS + 4 };

static TN_NOINLINE int tn_bad(const tiny_ctx *t, const tiny_uop *u) { return !u || u == &t->ir->bad; }

static int tn_has_dims(const tiny_uop *u, int n, const int64_t *dim) {
  return u->ndim == n && tn_dims_same(n, u->dim, dim);
}

// ** movement: n dims, or amounts in pairs **

static tiny_uop *tn_move(tiny_ctx *t, int op, tiny_uop *x, int64_t k, int nv, const int64_t *v) {
  return tn_uop_make(t, op, x->dtype, 1, 1, &x, k, nv, v);
}
// The movement m of another source.
static tiny_uop *tn_move_as(tiny_ctx *t, const tiny_uop *m, tiny_uop *x) {
  tiny_uop *src[2] = {x, m->nsrc > 1 ? m->src[1] : NULL};
  return tn_uop_make(t, m->op, x->dtype, 1, (int)m->nsrc, src, m->k, m->nv, m->v);
}
static tiny_uop *tn_reshape(tiny_ctx *t, tiny_uop *x, int n, const int64_t *dim) {
  return tn_bad(t, x) || tn_has_dims(x, n, dim) ? x : tn_move(t, TINY_OP_RESHAPE, x, 0, n, dim);
}
// x with dims of 1 put in front, then grown to dim.
static tiny_uop *tn_expand(tiny_ctx *t, tiny_uop *x, int n, const int64_t *dim) {
  int64_t padded[TN_MAX_DIMS];
  if (tn_bad(t, x) || tn_has_dims(x, n, dim)) return x;
  for (int i = 0; i < n; i++) padded[i] = i < n - x->ndim ? 1 : x->dim[i - (n - x->ndim)];
  x = tn_reshape(t, x, n, padded);
  return tn_bad(t, x) || tn_has_dims(x, n, dim) ? x : tn_move(t, TINY_OP_EXPAND, x, 0, n, dim);
}
static tiny_uop *tn_permute(tiny_ctx *t, tiny_uop *x, const int64_t *axes) {
  if (tn_bad(t, x)) return x;
  for (int i = 0; i < x->ndim; i++) if (axes[i] != i) return tn_move(t, TINY_OP_PERMUTE, x, 0, x->ndim, axes);
  return x;
}
static tiny_uop *tn_whole(tiny_ctx *t, tiny_uop *x, int axis, tiny_uop *n, int64_t fill);
static tiny_uop *tn_first_of(tiny_ctx *t, tiny_uop *x, int axis, tiny_uop *n);
// x, of which the elements along the axes that are not meant are fill, a value of its dtype.
static tiny_uop *tn_wholes(tiny_ctx *t, tiny_uop *x, int axis_bits, int64_t fill) {
  for (int i = 0; !tn_bad(t, x) && x->extent && i < x->ndim; i++)
    if ((axis_bits >> i & 1) && x->extent[i]) x = tn_whole(t, x, i, x->extent[i], fill);
  return x;
}
// x, of which as much is meant as of u, whose dims it has.
static tiny_uop *tn_firsts_of(tiny_ctx *t, tiny_uop *x, const tiny_uop *u) {
  for (int i = 0; u->extent && i < u->ndim; i++) if (u->extent[i]) x = tn_first_of(t, x, i, u->extent[i]);
  return x;
}
// Zeros behind what is meant of x.
static tiny_uop *tn_pad_extents(tiny_ctx *t, tiny_uop *x, const int64_t *before_after) {
  tiny_uop *extent[TINY_MAX_DIMS];
  int bits = 0;
  memcpy(extent, x->extent, x->ndim * sizeof *extent);
  for (int i = 0; i < x->ndim; i++) bits |= (extent[i] && before_after[2 * i + 1]) << i;
  x = tn_wholes(t, x, bits, 0);
  if (tn_bad(t, x)) return x;
  x = tn_move(t, TINY_OP_PAD, x, 0, 2 * x->ndim, before_after);
  for (int i = 0; i < TINY_MAX_DIMS && bits >> i && !tn_bad(t, x); i++)
    if (bits >> i & 1)
      x = tn_first_of(t, x, i, tn_position_add(t, extent[i], before_after[2 * i] + before_after[2 * i + 1]));
  return x;
}
static tiny_uop *tn_pad(tiny_ctx *t, tiny_uop *x, const int64_t *before_after) {
  if (tn_bad(t, x)) return x;
  int pads = 0;
  for (int i = 0; i < 2 * x->ndim; i++) pads |= before_after[i] != 0;
  if (pads && x->extent) return tn_pad_extents(t, x, before_after);
  for (int i = 0; i < 2 * x->ndim; i++)
    if (before_after[i]) return tn_move(t, TINY_OP_PAD, x, 0, 2 * x->ndim, before_after);
  return x;
}
static tiny_uop *tn_shrink(tiny_ctx *t, tiny_uop *x, const int64_t *begin_end) {
  if (tn_bad(t, x)) return x;
  for (int i = 0; i < x->ndim; i++)
    if (begin_end[2 * i] || begin_end[2 * i + 1] != x->dim[i])
      return tn_move(t, TINY_OP_SHRINK, x, 0, 2 * x->ndim, begin_end);
  return x;
}
static tiny_uop *tn_slice(tiny_ctx *t, tiny_uop *x, int axis, tiny_uop *begin, int64_t count);
static tiny_uop *tn_extend(tiny_ctx *t, tiny_uop *x, int axis, int64_t before, int64_t after);
// Backwards from the last element that is meant: the flipped dim from there on.
static tiny_uop *tn_flip_extents(tiny_ctx *t, tiny_uop *x, int64_t axis_bits) {
  tiny_uop *extent[TINY_MAX_DIMS];
  const int ndim = x->ndim;
  memcpy(extent, x->extent, x->ndim * sizeof *extent);
  x = tn_wholes(t, x, (int)axis_bits, 0);
  if (!tn_bad(t, x)) x = tn_move(t, TINY_OP_FLIP, x, axis_bits, 0, NULL);
  for (int i = 0; i < ndim && !tn_bad(t, x); i++) if (extent[i] && (axis_bits >> i & 1)) {
    const int64_t most = x->dim[i];
    tiny_uop *begin = tn_position_add(t, tn_position_scale(t, extent[i], -1), most);
    x = tn_first_of(t, tn_slice(t, tn_extend(t, x, i, 0, most - extent[i]->vmin), i, begin, most), i, extent[i]);
  }
  return x;
}
static tiny_uop *tn_flip(tiny_ctx *t, tiny_uop *x, int64_t axis_bits) {
  if (tn_bad(t, x) || !axis_bits) return x;
  return x->extent ? tn_flip_extents(t, x, axis_bits) : tn_move(t, TINY_OP_FLIP, x, axis_bits, 0, NULL);
}
// One axis of x cut to begin..end.
static tiny_uop *tn_cut(tiny_ctx *t, tiny_uop *x, int axis, int64_t begin, int64_t end) {
  int64_t v[2 * TN_MAX_DIMS];
  if (tn_bad(t, x)) return x;
  for (int i = 0; i < x->ndim; i++) { v[2 * i] = 0; v[2 * i + 1] = x->dim[i]; }
  v[2 * axis] = begin; v[2 * axis + 1] = end;
  return tn_shrink(t, x, v);
}
// Zeros before and after one axis of x.
static tiny_uop *tn_extend(tiny_ctx *t, tiny_uop *x, int axis, int64_t before, int64_t after) {
  int64_t v[2 * TN_MAX_DIMS] = {0};
  if (tn_bad(t, x)) return x;
  v[2 * axis] = before; v[2 * axis + 1] = after;
  return tn_pad(t, x, v);
}
// `count` elements of an axis of x from position `begin` on, whose bounds fit.
static tiny_uop *tn_slice(tiny_ctx *t, tiny_uop *x, int axis, tiny_uop *begin, int64_t count) {
  if (tn_bad(t, x) || tn_bad(t, begin)) return &t->ir->bad;
  if (begin->vmin == begin->vmax) return tn_cut(t, x, axis, begin->vmin, begin->vmin + count);
  tiny_uop *src[2] = {x, begin};
  return tn_uop_make(t, TINY_OP_SLICE, x->dtype, 1, 2, src, axis, 1, &count);
}
// x among zeros, `total` along an axis, from position `begin` on: its padding on either side is cut at most - begin.
static tiny_uop *tn_place_at(tiny_ctx *t, tiny_uop *x, int axis, tiny_uop *begin, int64_t total) {
  if (tn_bad(t, x) || tn_bad(t, begin)) return &t->ir->bad;
  x = tn_extend(t, x, axis, begin->vmax, total - x->dim[axis] - begin->vmin);
  return tn_slice(t, x, axis, tn_position_add(t, tn_position_scale(t, begin, -1), begin->vmax), total);
}
// x, of which what is not among the first n along an axis is fill, a value of its dtype.
static tiny_uop *tn_whole(tiny_ctx *t, tiny_uop *x, int axis, tiny_uop *n, int64_t fill) {
  if (tn_bad(t, x) || tn_bad(t, n)) return &t->ir->bad;
  if (x->op == TINY_OP_EXPAND && !x->realized && x->src[0]->dim[axis] == x->dim[axis])     // before it is repeated
    return tn_expand(t, tn_whole(t, x->src[0], axis, n, fill), x->ndim, x->dim);
  tiny_uop *src[2] = {x, n};
  return tn_uop_make(t, TINY_OP_WHOLE, x->dtype, 1, 2, src, axis, 1, &fill);
}
// x, of which the first n along an axis are meant, as many as there are at most.
static tiny_uop *tn_first_of(tiny_ctx *t, tiny_uop *x, int axis, tiny_uop *n) {
  if (tn_bad(t, x) || tn_bad(t, n)) return &t->ir->bad;
  if (n->vmin == n->vmax) return tn_cut(t, x, axis, 0, n->vmin);
  if (tn_extent_of(x, axis) == n) return x;
  tiny_uop *src[2] = {x, n};
  return tn_uop_make(t, TINY_OP_PREFIX, x->dtype, 1, 2, src, axis, 0, NULL);
}
static tiny_uop *tn_swap(tiny_ctx *t, tiny_uop *x, int a, int b) {
  int64_t axes[TN_MAX_DIMS];
  for (int i = 0; i < TINY_MAX_DIMS; i++) axes[i] = i == a ? b : i == b ? a : i;
  return tn_permute(t, x, axes);
}
// May x get one dim more?
static int tn_has_room(tiny_ctx *t, const tiny_uop *x) {
  if (x->ndim < TINY_MAX_DIMS) return 1;
  tiny_fail(t, TINY_E_SHAPE, "a tensor of %d dims where one more is needed, of at most %d", x->ndim, TINY_MAX_DIMS);
  return 0;
}
static tiny_uop *tn_insert(tiny_ctx *t, tiny_uop *x, int axis) {           // a dim of 1 before axis
  int64_t dim[TN_MAX_DIMS];
  if (tn_bad(t, x) || !tn_has_room(t, x)) return &t->ir->bad;
  for (int i = 0; i <= x->ndim; i++) dim[i] = i < axis ? x->dim[i] : i == axis ? 1 : x->dim[i - 1];
  return tn_reshape(t, x, x->ndim + 1, dim);
}
// (.., a*b, ..) -> (.., a, b, ..).
static tiny_uop *tn_split(tiny_ctx *t, tiny_uop *x, int axis, int64_t a, int64_t b) {
  int64_t dim[TN_MAX_DIMS];
  if (tn_bad(t, x) || !tn_has_room(t, x)) return &t->ir->bad;
  for (int i = 0; i <= x->ndim; i++)
    dim[i] = i < axis ? x->dim[i] : i == axis ? a : i == axis + 1 ? b : x->dim[i - 1];
  return tn_reshape(t, x, x->ndim + 1, dim);
}

// x in memory of that device (tiny_uop.device).
static tiny_uop *tn_copy_to(tiny_ctx *t, tiny_uop *x, int device) {
  if (tn_bad(t, x) || x->device == device) return x;
  return tn_uop_make(t, TINY_OP_COPY, x->dtype, 1, 1, &x, device - 1, 0, NULL);
}

// The same for part number `part` of a tensor that lies on several devices, or the same one several times: what each
// part gets is a node of its own, and memory, on the same device as well. So nothing depends on which devices there
// are, to the bit: neither what is fused nor what is computed once.
static tiny_uop *tn_sent_to(tiny_ctx *t, tiny_uop *x, int device, int64_t part) {
  return tn_bad(t, x) ? x : tn_uop_make(t, TINY_OP_COPY, x->dtype, 1, 1, &x, device - 1, 1, &part);
}

// ** constants **

static tiny_uop *tn_constant(tiny_ctx *t, int dtype, double value) {
  if (tn_is_float(dtype) || value != floor(value) || fabs(value) > 9e15) return tn_number(t, dtype, value);
  return tn_int(t, dtype, (int64_t)value);                   // -1 of an unsigned dtype: all bits
}
// A number as a 0-d constant of x's dtype.
static tiny_uop *tn_k(tiny_ctx *t, const tiny_uop *x, double value) {
  return tn_bad(t, x) ? &t->ir->bad : tn_constant(t, x->dtype, value);
}
// The same as a bound: what lies beyond an integer dtype is its least or greatest number.
static tiny_uop *tn_limit(tiny_ctx *t, const tiny_uop *x, double value) {
  return tn_bad(t, x) ? &t->ir->bad : tn_number(t, x->dtype, value);
}
// 0, 1, .. n-1 along one axis of an n_dims shape whose other dims are 1.
static tiny_uop *tn_iota(tiny_ctx *t, int dtype, int64_t n, int axis, int ndim) {
  int64_t dim[TN_MAX_DIMS];
  for (int i = 0; i < ndim; i++) dim[i] = i == axis ? n : 1;
  tiny_uop *u = tn_uop_make(t, TINY_OP_IOTA, TINY_INDEX, 1, 0, NULL, n, 0, NULL);
  return tn_reshape(t, tn_bad(t, u) ? u : tn_cast(t, u, dtype), ndim, dim);
}

// A position as a number of an integer dtype.
static tiny_uop *tn_position_as(tiny_ctx *t, tiny_uop *n, int dtype) {
  if (tn_bad(t, n)) return &t->ir->bad;
  return tn_is_const(n) ? tn_int(t, dtype, n->k) : tn_cast(t, n, dtype);
}

// ** arithmetic **

static int tn_is_broadcastable(const tiny_uop *a, const tiny_uop *b) {
  return !a->ndim || !b->ndim || tn_has_dims(a, b->ndim, b->dim);
}
// Widens dim[0..*n) to hold a shape of xn dims as well; 0: they don't fit.
static int tn_broadcast_dims(int xn, const int64_t *xdim, int *n, int64_t *dim) {
  const int both = *n > xn ? *n : xn;
  for (int i = both - 1; i >= 0; i--) {
    const int at = i - (both - *n), xat = i - (both - xn);
    const int64_t a = at >= 0 ? dim[at] : 1, b = xat >= 0 ? xdim[xat] : 1;
    if (a != b && a != 1 && b != 1) return 0;
    dim[i] = a == 1 ? b : a;
  }
  *n = both;
  return 1;
}
// Operators check shapes before they build: operands that do not fit here are a bug.
static tiny_uop *tn_misfit(tiny_ctx *t, const tiny_uop *a, const tiny_uop *b) {
  char p[160], q[160];
  tiny_fail(t, TINY_E_INTERNAL, "build: %s %s and %s %s do not broadcast", tn_ops[a->op].name,
            tn_dims_text(p, sizeof p, a->ndim, a->dim), tn_ops[b->op].name, tn_dims_text(q, sizeof q, b->ndim, b->dim));
  return &t->ir->bad;
}
// Operands of an elementwise node: one shape, or 0-d.
static void tn_broadcast(tiny_ctx *t, tiny_uop **a, tiny_uop **b) {
  int64_t dim[TN_MAX_DIMS];
  int n = 0;
  if (tn_bad(t, *a) || tn_bad(t, *b) || tn_is_broadcastable(*a, *b)) return;
  if (!tn_broadcast_dims((*a)->ndim, (*a)->dim, &n, dim) ||
      !tn_broadcast_dims((*b)->ndim, (*b)->dim, &n, dim)) {
    *a = *b = tn_misfit(t, *a, *b);
    return;
  }
  *a = tn_expand(t, *a, n, dim); *b = tn_expand(t, *b, n, dim);
}
// The same for operands whose dims are used by name: a 0-d one gets those of the other as well.
static void tn_broadcast_whole(tiny_ctx *t, tiny_uop **a, tiny_uop **b) {
  tn_broadcast(t, a, b);
  if (tn_bad(t, *a) || tn_bad(t, *b)) return;
  if (!(*a)->ndim) *a = tn_expand(t, *a, (*b)->ndim, (*b)->dim);
  else if (!(*b)->ndim) *b = tn_expand(t, *b, (*a)->ndim, (*a)->dim);
}
static tiny_uop *tn_binary(tiny_ctx *t, int op, tiny_uop *a, tiny_uop *b) {
  tn_broadcast(t, &a, &b);
  return tn_bad(t, a) || tn_bad(t, b) ? &t->ir->bad : tn_u2(t, op, a, b);
}
static tiny_uop *tn_add(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_ADD, a, b); }
static tiny_uop *tn_mul(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_MUL, a, b); }
static tiny_uop *tn_neg(tiny_ctx *t, tiny_uop *a) { return tn_mul(t, a, tn_k(t, a, -1)); }
static tiny_uop *tn_sub(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_add(t, a, tn_neg(t, b)); }
static tiny_uop *tn_fdiv(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_FDIV, a, b); }
static tiny_uop *tn_idiv(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_IDIV, a, b); }
static tiny_uop *tn_mod(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_MOD, a, b); }
static tiny_uop *tn_max(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_MAX, a, b); }
static tiny_uop *tn_and(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_AND, a, b); }
static tiny_uop *tn_or(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_OR, a, b); }
static tiny_uop *tn_xor(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_XOR, a, b); }
static tiny_uop *tn_shl(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_SHL, a, b); }
static tiny_uop *tn_shr(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_SHR, a, b); }
static tiny_uop *tn_lt(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_LT, a, b); }
static tiny_uop *tn_gt(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_lt(t, b, a); }
static tiny_uop *tn_ne(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_binary(t, TINY_OP_NE, a, b); }
static tiny_uop *tn_eq(tiny_ctx *t, tiny_uop *a, tiny_uop *b) { return tn_not(t, tn_ne(t, a, b)); }
static tiny_uop *tn_times(tiny_ctx *t, tiny_uop *a, double k) { return tn_mul(t, a, tn_k(t, a, k)); }
static tiny_uop *tn_plus(tiny_ctx *t, tiny_uop *a, double k) { return tn_add(t, a, tn_k(t, a, k)); }

static tiny_uop *tn_where(tiny_ctx *t, tiny_uop *c, tiny_uop *a, tiny_uop *b) {
  tn_broadcast(t, &c, &a);
  tn_broadcast(t, &c, &b);
  tn_broadcast(t, &a, &c);
  tn_broadcast(t, &a, &b);
  return tn_bad(t, c) || tn_bad(t, a) || tn_bad(t, b) ? &t->ir->bad : tn_u3(t, TINY_OP_WHERE, c, a, b);
}

// Every bit of an integer or bool inverted: the map that turns MAX into min without overflow.
static tiny_uop *tn_invert(tiny_ctx *t, tiny_uop *x) { return tn_xor(t, x, tn_k(t, x, -1)); }
static tiny_uop *tn_mirror(tiny_ctx *t, tiny_uop *x) {
  return tn_bad(t, x) ? x : tn_is_float(x->dtype) ? tn_neg(t, x) : tn_invert(t, x);
}
static tiny_uop *tn_min(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  return tn_mirror(t, tn_max(t, tn_mirror(t, a), tn_mirror(t, b)));
}

// Formulas that both operators and gradients need.
static tiny_uop *tn_sin(tiny_ctx *t, tiny_uop *x) { return tn_u1(t, TINY_OP_SIN, x); }
static tiny_uop *tn_sibling(tiny_ctx *t, int op, int64_t k, tiny_uop *x) {
  return tn_bad(t, x) ? x : tn_uop_make(t, op, x->dtype, 1, 1, &x, k, 0, NULL);
}
static tiny_uop *tn_cos(tiny_ctx *t, tiny_uop *x) { return tn_sibling(t, TINY_OP_SIN, 1, x); }
static tiny_uop *tn_exp(tiny_ctx *t, tiny_uop *x) { return tn_sibling(t, TINY_OP_EXP2, TN_EXP_NATURAL, x); }
// e^x of an x that is never above 0: nothing overflows, which saves steps. NaN stays.
static tiny_uop *tn_exp_falling(tiny_ctx *t, tiny_uop *x) {
  return tn_sibling(t, TINY_OP_EXP2, TN_EXP_NATURAL | TN_EXP_FALLING, x);
}
#define TN_LOG2_E 1.4426950408889634074
#define TN_LN_2 0.69314718055994530942
static tiny_uop *tn_logarithm(tiny_ctx *t, tiny_uop *x) {
  return tn_times(t, tn_u1(t, TINY_OP_LOG2, x), TN_LN_2);
}

// ** values that must not be computed twice **

// Kernels that compute a value anew need not agree to the bit: sums are added in another order, a product and a sum
// become one instruction. What compares a value with what was made of it compares memory with memory, through
// (AFTER x x): x, as whoever reads it finds it where it was stored once.

// Does u give the same bits whoever computes it from the same sources?
static int tn_is_exact(const tiny_uop *u) {
  static const uint8_t always[] = {TINY_OP_DETACH, TINY_OP_WHERE, TINY_OP_MAX, TINY_OP_LT, TINY_OP_NE, TINY_OP_BITCAST};
  for (size_t i = 0; i < sizeof always; i++) if (u->op == always[i]) return 1;
  if (tn_op_is(u->op, TINY_MOVEMENT)) return 1;
  if (u->op == TINY_OP_CAST)
    return !tn_is_float(u->dtype) || !tn_is_float(u->src[0]->dtype) ||
        tn_dtypes[u->dtype].mantissa >= tn_dtypes[u->src[0]->dtype].mantissa;
  if (!tn_is_float(u->dtype)) return tn_op_is(u->op, TINY_ALU);
  const tiny_uop *c = u->op == TINY_OP_MUL ? u->src[tn_is_const(u->src[1])] : NULL;
  return c && tn_is_const(c) && tn_to_f64(c->k) == -1;
}
// Memory that was written before anything is computed, nothing but a number, or what is stored once already.
static int tn_is_given(const tiny_uop *u) {
  return !u->nsrc || (u->op == TINY_OP_AFTER && u->nsrc == 2 && u->src[0] == u->src[1]);
}

enum { TN_EXACT_NODES = 48 };              // what stands between a value and what is stored of it is a few nodes
typedef struct tn_selection { tiny_uop *u[TN_EXACT_NODES], *now[TN_EXACT_NODES]; int n; } tn_selection;

static int tn_exact_find(tn_selection *e, tiny_uop *u) {
  int i = 0;
  while (i < e->n && e->u[i] != u) i++;
  if (i == TN_EXACT_NODES) return -1;
  e->u[i] = u;
  if (i == e->n) e->n++;
  return i;
}
// The exact nodes from x down, and what they begin at: given memory, or one value to be stored, *value. 0: several
// values, or too many nodes.
static int tn_exact_of(tn_selection *e, tiny_uop *x, tiny_uop **value) {
  e->n = 0; *value = NULL;
  tn_exact_find(e, x);
  for (int i = 0; i < e->n; i++) {
    tiny_uop *u = e->u[i];
    e->now[i] = NULL;
    if (tn_is_given(u)) { e->now[i] = u; continue; }
    if (u->realized || !tn_is_exact(u)) {
      if (*value) return 0;
      *value = u;
      continue;
    }
    for (uint32_t s = 0; s < u->nsrc; s++) if (tn_exact_find(e, u->src[s]) < 0) return 0;
  }
  return 1;
}
static tiny_uop *tn_stored_once(tiny_ctx *t, tiny_uop *u) {
  tiny_uop *src[2] = {u, u};
  return tn_uop_make(t, TINY_OP_AFTER, u->dtype, 1, 2, src, 0, 0, NULL);
}
// x over now[i] in place of the one value that was found: nodes are rebuilt once their sources are.
static tiny_uop *tn_exact_rebuild(tiny_ctx *t, tn_selection *e) {
  while (!e->now[0]) for (int i = e->n; i-- > 0;) {
    tiny_uop *u = e->u[i], *src[4];
    int ready = !e->now[i] && u->nsrc <= 4, changed = 0;
    for (uint32_t s = 0; ready && s < u->nsrc; s++) {
      src[s] = e->now[tn_exact_find(e, u->src[s])];
      ready = src[s] != NULL;
      changed |= src[s] != u->src[s];
    }
    if (!ready) continue;
    e->now[i] = changed ? tn_uop_with(t, u, src) : u;
    if (tn_bad(t, e->now[i])) return &t->ir->bad;
  }
  return e->now[0];
}
// The least of the nodes that x moves, the lowest of them; *links are those above it.
static tiny_uop *tn_least_moved(tiny_uop *x, tiny_uop **link, int most, int *links) {
  tiny_uop *least = x;
  int n = 0;
  *links = 0;
  for (; n < most && tn_op_is(x->op, TINY_MOVEMENT) && x->op != TINY_OP_VIEW && !x->realized; x = x->src[0]) {
    link[n++] = x;
    if (tn_dims_nelem(x->src[0]->ndim, x->src[0]->dim) <= tn_dims_nelem(least->ndim, least->dim)) {
      least = x->src[0];
      *links = n;
    }
  }
  return least;
}
// x, stored once.
static tiny_uop *tn_once(tiny_ctx *t, tiny_uop *x) {
  tn_selection e;
  tiny_uop *value, *link[TN_EXACT_NODES];
  int links;
  if (tn_bad(t, x)) return x;
  tiny_uop *least = tn_least_moved(x, link, TN_EXACT_NODES, &links);
  const int64_t nelem = tn_dims_nelem(least->ndim, least->dim);
  if (tn_exact_of(&e, x, &value)) {
    if (!value) return x;
    if (tn_dims_nelem(value->ndim, value->dim) <= nelem) {
      e.now[tn_exact_find(&e, value)] = tn_stored_once(t, value);
      return tn_exact_rebuild(t, &e);
    }
  }
  tiny_uop *y = tn_stored_once(t, least);
  while (links-- > 0 && !tn_bad(t, y))
    y = tn_move_as(t, link[links], y);
  return y;
}

// ** reductions **

// What changes nothing when it is folded in, as a 0-d constant of x's dtype.
static tiny_uop *tn_identity(tiny_ctx *t, int op, const tiny_uop *x) {
  if (tn_bad(t, x)) return &t->ir->bad;
  if (op != TINY_OP_MAX) return tn_k(t, x, op == TINY_OP_MUL);
  return tn_uop_make(t, TINY_OP_CONST, x->dtype, 1, 0, NULL, tn_lowest(x->dtype), 0, NULL);
}
// What a reduction folds is the identity where it is not meant. A sum of products stays one: both operands are 0.
static tiny_uop *tn_reduced_whole(tiny_ctx *t, int op, tiny_uop *x, int axis_bits) {
  int lengths = 0;
  for (int i = 0; i < x->ndim; i++) lengths |= (axis_bits >> i & 1) && tn_extent_of(x, i);
  if (!lengths) return x;
  tiny_uop *identity = tn_identity(t, op, x);
  if (tn_bad(t, identity)) return identity;
  if (op != TINY_OP_ADD || x->op != TINY_OP_MUL || !x->src[0]->ndim || !x->src[1]->ndim)
    return tn_wholes(t, x, axis_bits, identity->k);
  tiny_uop *operand[2] = {x->src[0], x->src[1]};
  for (int d = 0; d < x->ndim; d++) if ((axis_bits >> d & 1) && x->extent[d])
    for (int i = 0; i < 2; i++) operand[i] = tn_whole(t, operand[i], d, x->extent[d], 0);
  return tn_mul(t, operand[0], operand[1]);
}
// Folds the axes in axis_bits with ADD, MUL or MAX; they stay as dims of 1, or go.
static tiny_uop *tn_reduce(tiny_ctx *t, int op, tiny_uop *x, int axis_bits, int keepdim) {
  int64_t dim[TN_MAX_DIMS], kept[TN_MAX_DIMS];
  if (!tn_bad(t, x) && x->extent) x = tn_reduced_whole(t, op, x, axis_bits);
  if (tn_bad(t, x)) return x;
  int n = 0, bits = 0, empty = 0;
  for (int i = 0; i < x->ndim; i++) {
    const int reduced = axis_bits >> i & 1;
    dim[i] = reduced ? 1 : x->dim[i];
    if (!reduced || keepdim) kept[n++] = dim[i];
    if (reduced && x->dim[i] != 1) bits |= 1 << i;
    if (reduced && !x->dim[i]) empty = 1;
  }
  if (empty) {
    const tiny_uop *of = x;
    x = tn_expand(t, tn_identity(t, op, x), x->ndim, dim);
    for (int i = 0; of->extent && i < of->ndim; i++)
      if (of->extent[i] && !(axis_bits >> i & 1)) x = tn_first_of(t, x, i, of->extent[i]);
  }
  else if (bits) x = tn_move(t, TINY_OP_REDUCE, x, op | (int64_t)bits << 8, 0, NULL);
  return tn_reshape(t, x, n, kept);
}
static tiny_uop *tn_sum(tiny_ctx *t, tiny_uop *x, int axis_bits, int keepdim) {
  return tn_reduce(t, TINY_OP_ADD, x, axis_bits, keepdim);
}

// ** parts **

// A part is padded to the whole, and positions choose among the parts: loads outside of a part are gated, so each
// element of the result reads one part, and is that part's to the bit.

// What is there (NULL: nothing yet) with part laid beside it: along axis it begins at `at`, a position, of total.
static tiny_uop *tn_lay_at(tiny_ctx *t, tiny_uop *whole, tiny_uop *part, int axis, tiny_uop *at, int64_t total) {
  if (tn_bad(t, part) || tn_bad(t, at)) return &t->ir->bad;
  const int64_t n = part->dim[axis], ndim = part->ndim;
  if (!n && total) return whole;
  part = tn_place_at(t, part, axis, at, total);
  if (!whole) return part;
  tiny_uop *place = tn_iota(t, TINY_INDEX, total, axis, (int)ndim);
  if (tn_is_k(at, 0)) return tn_where(t, tn_lt(t, place, tn_k(t, place, (double)n)), part, whole);
  return tn_where(t, tn_lt(t, place, at), whole, part);
}
static tiny_uop *tn_lay(tiny_ctx *t, tiny_uop *whole, tiny_uop *part, int axis, int64_t at, int64_t total) {
  return tn_lay_at(t, whole, part, axis, tn_index(t, at), total);
}
#endif
