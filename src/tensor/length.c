// length: numbers that change from run to run, within bounds that are known: how much of a dim is meant, and where a
// part of it begins. One plan and one kernel serve all of their values.
//
// In:  tiny_length scalars, and 0-d integers that are arithmetic of them. Out: positions (ir/position.c) in nodes:
//      SLICE takes what begins at one, PREFIX says that the first n of a dim are meant.
// Holds: for no value within the bounds is anything touched that is not there; that is checked here, at the call.
#ifndef TN_TENSOR_LENGTH
#define TN_TENSOR_LENGTH
#ifndef TINY_AMALGAMATED
#include "movement.c"
#endif

enum { TN_POSITION_NODES = 64 };           // of the arithmetic that makes one

TINY_API tiny_tensor *tiny_length(tiny_ctx *t, int64_t value, int64_t least, int64_t most) {
  const int64_t v[2] = {least, most}, limit = (int64_t)1 << 56;
  if (!t || !t->tensors) return tn_poison(t);
  if (least > most || least < -limit || most > limit)
    return tn_wrong(t, TINY_E_ARG, "length: bounds %lld to %lld", (long long)least, (long long)most);
  if (value < least || value > most)
    return tn_wrong(t, TINY_E_ARG, "length: %lld is not within its bounds, %lld to %lld", (long long)value,
                    (long long)least, (long long)most);
  return tn_tensor_new(t, tn_uop_make_with(t, TINY_OP_SCALAR, TINY_I64, 1, 0, NULL, value, 2, v,
                                           (void *)++t->tensors->identity));
}

// u's number, unless it could wrap where u, of an integer dtype, is computed.
static tiny_uop *tn_position_exact(tiny_uop *number, const tiny_uop *u) {
  return number->vmin > tn_dtype_min(u->dtype) && number->vmax < tn_dtype_max(u->dtype) ? number : NULL;
}
// u, a 0-d integer, over positions; NULL: it is not made of scalars that have bounds. *nodes: how many are left.
static tiny_uop *tn_position_from(tiny_ctx *t, tiny_uop *u, int *nodes) {
  tiny_uop *src[2];
  if (u->op == TINY_OP_CONST) return tn_index(t, u->k);
  if (u->op == TINY_OP_SCALAR) return u->nv ? tn_cast(t, u, TINY_INDEX) : NULL;
  if (u->ndim || --*nodes < 0 || !tn_is_int(u->dtype) || u->dtype == TINY_U64) return NULL;
  const int passes = u->op == TINY_OP_CAST || u->op == TINY_OP_RESHAPE || u->op == TINY_OP_DETACH;
  const int adds = u->op == TINY_OP_ADD || u->op == TINY_OP_MUL || u->op == TINY_OP_MAX;
  const int divides = (u->op == TINY_OP_IDIV || u->op == TINY_OP_MOD) && tn_is_const(u->src[1]) && u->src[1]->k > 0;
  const int inverts = u->op == TINY_OP_XOR && tn_is_k(u->src[1], -1) && u->dtype != TINY_BOOL;
  if (!passes && !adds && !divides && !inverts) return NULL;
  for (uint32_t i = 0; i < (passes || inverts ? 1u : 2u); i++)
    if (!(src[i] = tn_position_from(t, u->src[i], nodes))) return NULL;
  if (passes) return tn_position_exact(src[0], u);
  if (inverts) return tn_position_exact(tn_position_add(t, tn_position_scale(t, src[0], -1), -1), u);
  return tn_position_exact(tn_u2(t, u->op, src[0], src[1]), u);
}
// The number n, argument `at` of an operator, as a position within low..high; the failed node after an error.
static tiny_uop *tn_position_within(const char *name, const char *what, tiny_tensor *n, int64_t low, int64_t high) {
  tiny_ctx *t = tn_ctx_of(n);
  int nodes = TN_POSITION_NODES;
  tiny_uop *u = tn_position_from(t, tn_uop_of(n), &nodes);
  if (!u) {
    tiny_fail(t, TINY_E_ARG, "%s: %s is not made of tiny_length by adding, multiplying, dividing, min and max", name,
              what);
    return &t->ir->bad;
  }
  u = tn_bad(t, u) ? u : tiny_uop_simplify(t, u);
  if (tn_bad(t, u) || (u->vmin >= low && u->vmax <= high)) return u;
  tiny_fail(t, TINY_E_SHAPE, "%s: %s may be %lld to %lld, of which only %lld to %lld fit", name, what,
            (long long)u->vmin, (long long)u->vmax, (long long)low, (long long)high);
  return &t->ir->bad;
}

// a + b, the same node as the sum that a user writes.
static tiny_uop *tn_position_sum(tiny_ctx *t, tiny_uop *a, tiny_uop *b) {
  if (a == &t->ir->bad || tn_is_const(a)) return a == &t->ir->bad ? a : tn_position_add(t, b, a->k);
  if (b == &t->ir->bad || tn_is_const(b)) return b == &t->ir->bad ? b : tn_position_add(t, a, b->k);
  tiny_uop *sum = tn_u2(t, TINY_OP_ADD, a, b);
  return sum == &t->ir->bad ? sum : tiny_uop_simplify(t, sum);
}

TINY_API tiny_tensor *tiny_slice_at(tiny_tensor *x, int axis, tiny_tensor *begin, int64_t count) {
  tiny_tensor *out, *in[2] = {x, begin};
  char text[TN_DIMS_TEXT];
  if (!tn_usable("slice_at", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  if (!u->ndim) return tn_wrong(t, TINY_E_SHAPE, "slice_at: a 0-d tensor has no axis %d", axis);
  if ((axis = tn_axis(t, "slice_at", u, axis)) < 0) return out;
  if (count < 0 || count > u->dim[axis])
    return tn_wrong(t, TINY_E_SHAPE, "slice_at: %lld elements of axis %d of %s", (long long)count, axis,
                    tn_text_of(u, text));
  tiny_uop *at = tn_position_within("slice_at", "begin", begin, 0, u->dim[axis] - count), *n = tn_extent_of(u, axis);
  if (n && !tn_bad(t, at)) {               // what is meant goes on to begin + count, whatever the numbers are
    tiny_uop *rest = tn_u2(t, TINY_OP_ADD, tn_position_add(t, n, -count), tn_position_scale(t, at, -1));
    rest = tn_bad(t, rest) ? rest : tiny_uop_simplify(t, rest);
    if (!tn_bad(t, rest) && rest->vmin < 0)
      return tn_wrong(t, TINY_E_SHAPE, "slice_at: %lld elements from begin on may go beyond the length of dim %d of %s",
                      (long long)count, axis, tn_text_of(u, text));
  }
  return tn_tensor_new(t, tn_slice(t, u, axis, at, count));
}

// ** lengths of dims **

// Operators that are right for dims of which a part is meant, in alphabetical order: what nodes say of their extents is
// true for them. Whoever uses a dim as a number, moves what lies behind a length to the front or fills shapes anew is
// not among them, and refuses. In few texts: each pointer to one is moved when a program is loaded.
static const char *const tn_length_operators[] = {
  " abs acos acosh adaptive_avg_pool adaptive_max_pool add add_scalar addcdiv addcmul all allclose amax amin aminmax "
    "any argmax argmin argsort asin asinh assign atan atan2 atanh attention attention_layer avg_pool avg_pool1d "
    "avg_pool2d avg_pool3d batch_norm bernoulli bilinear binary_cross_entropy binary_cross_entropy_with_logits "
    "bincount bitcast bitwise_and bitwise_not bitwise_or bitwise_xor bucketize capture cast cat cbrt cdist ceil celu "
    "channel_shuffle checkpoint chunk clamp clamp_to clone contiguous conv conv1d conv2d conv3d conv_transpose "
    "conv_transpose1d conv_transpose2d conv_transpose3d convert_image_dtype copysign cos cosh cosine_embedding_loss "
    "cosine_similarity count_nonzero cross cross_entropy cummax cummin cumprod cumsum cumulative_trapezoid deg2rad "
    "detach diff digamma dist div div_scalar dot dropout einsum elu embedding embedding_bag eq eq_scalar erf erfc "
    "erfinv exp exp2 expand expand_as expm1 find_nan flatten flip floor floor_div floor_div_scalar fmax fmin fmod "
    "frac full_like ",
  " gather gaussian_nll_loss gcd ge ge_scalar gelu gelu_tanh glu grad graph_dot graph_json group_norm gru gru_cell "
    "gt gt_scalar gumbel_softmax hardshrink hardsigmoid hardswish hardtanh heaviside hinge_embedding_loss histc "
    "huber_loss hypot i0 i0e i1 i1e igamma igammac index index_add index_copy index_fill index_put index_reduce "
    "index_select inner instance_norm interpolate isclose isfinite isinf isnan isneginf isposinf item item_i64 keep "
    "kl_div kthvalue l1_loss label layer_norm lcm le le_scalar leaky_relu length_of lerp lgamma like linear "
    "local_response_norm log log10 log1p log2 log_softmax logaddexp logaddexp2 logcumsumexp logical_and logical_not "
    "logical_or logical_xor logit logsigmoid logsumexp lp_pool lstm lstm_cell lt lt_scalar margin_ranking_loss "
    "mask_to masked_fill matmul max max_pool max_pool1d max_pool2d max_pool3d maximum maximum_scalar mean median min "
    "minimum minimum_scalar mish movedim mse_loss mul mul_scalar multi_dot multi_margin_loss "
    "multilabel_soft_margin_loss multinomial ",
  " nan_to_num nanmean nanmedian nanquantile nanquantile_by nansum narrow ne ne_scalar neg nll_loss norm normalize "
    "one_hot ones_like outer pad pad_mode pairwise_distance permute pixel_shuffle pixel_unshuffle poisson_nll_loss "
    "polygamma pow pow_scalar prelu prod put quantile quantile_by rad2deg rand_like randn_like rdiv_scalar read "
    "realize reciprocal recurrent_layer reduce reference relu relu6 remainder remainder_scalar renorm repeat "
    "repeat_interleave replicate reshape rfloor_div_scalar rms_norm rnn rnn_cell roll rope round round_to "
    "rpow_scalar rrelu rremainder_scalar rsqrt rsub_scalar run scatter scatter_add scatter_reduce searchsorted "
    "select selu shard shard_part shift_left shift_right shrink sigmoid sign signbit silu sin sinc sinh slice "
    "slice_at slice_to sliding_window smooth_l1_loss soft_margin_loss softmax softmin softplus softshrink softsign "
    "sort split split_sizes sqrt square squeeze stack std std_mean sub sub_scalar sum take take_along_axis tan tanh "
    "tanhshrink tensordot threshold tile to topk transpose trapezoid tril triplet_margin_loss triu trunc trunc_div ",
  " unbind unflatten unsqueeze var var_mean vdot vecdot warm warm_capture where whole write xlog1py xlogy zeros_like "
};
// Does name stand among words, each between blanks?
static int tn_is_among(const char *words, const char *name) {
  const size_t n = strlen(name);
  for (const char *at = strstr(words + 1, name); at; at = strstr(at + 1, name))
    if (at[-1] == ' ' && at[n] == ' ') return 1;
  return 0;
}
static int tn_takes_lengths(tiny_ctx *t, const char *name, const tiny_uop *u) {
  char text[TN_DIMS_TEXT];
  int axis = 0;
  for (size_t i = 0; i < sizeof tn_length_operators / sizeof *tn_length_operators; i++)
    if (tn_is_among(tn_length_operators[i], name)) return 1;
  while (!u->extent[axis]) axis++;
  tiny_fail(t, TINY_E_SHAPE, "%s: of dim %d of %s only a length is meant (tiny_slice_to), which this operator does not "
            "know about; tiny_whole fills the rest", name, axis, tn_text_of(u, text));
  return 0;
}
// Is all of an axis meant? Records that it is not, and what to do.
static int tn_axis_whole_for(tiny_ctx *t, const char *name, const tiny_uop *u, int axis, const char *what) {
  char text[TN_DIMS_TEXT];
  if (!tn_extent_of(u, axis)) return 1;
  tiny_fail(t, TINY_E_SHAPE, "%s: of dim %d of %s only a length is meant; %s", name, axis, tn_text_of(u, text), what);
  return 0;
}
// An operator that counts along the axis from its end needs one that is whole.
static int tn_axis_whole(tiny_ctx *t, const char *name, const tiny_uop *u, int axis) {
  return tn_axis_whole_for(t, name, u, axis, "take tiny_slice_to or tiny_slice_at");
}

// The number n as the length of a dim of at most so many elements; the failed node after an error.
static tiny_uop *tn_length_within(const char *name, tiny_tensor *n, int64_t most) {
  tiny_ctx *t = tn_ctx_of(n);
  tiny_uop *length = tn_position_within(name, "n", n, 0, most);
  if (tn_bad(t, length) || length->vmax > 1 || length->vmin == length->vmax) return length;
  tiny_fail(t, TINY_E_SHAPE, "%s: n may be 0 or 1; a length that changes goes up to 2 at least", name);
  return &t->ir->bad;
}

TINY_API tiny_tensor *tiny_slice_to(tiny_tensor *x, int axis, tiny_tensor *n) {
  char text[TN_DIMS_TEXT];
  tiny_tensor *out, *in[2] = {x, n};
  if (!tn_usable("slice_to", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  if (!u->ndim) return tn_wrong(t, TINY_E_SHAPE, "slice_to: a 0-d tensor has no axis %d", axis);
  if ((axis = tn_axis(t, "slice_to", u, axis)) < 0 || !tn_axis_whole(t, "slice_to", u, axis)) return out;
  if (tn_is_shard(u) && tn_shard_axis(u) == axis)
    return tn_wrong(t, TINY_E_DEVICE, "slice_to: %s is cut over devices along axis %d; tiny_shard another axis, or "
                    "tiny_replicate it", tn_text_of(u, text), axis);
  tiny_uop *length = tn_length_within("slice_to", n, u->dim[axis]);
  if (tn_bad(t, length)) return out;
  return tn_tensor_new(t, tn_first_of(t, tn_cut(t, u, axis, 0, length->vmax), axis, length));
}
TINY_API tiny_tensor *tiny_whole(tiny_tensor *x, int axis, double fill) {
  tiny_tensor *out;
  if (!tn_usable("whole", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  if ((axis = tn_axis(t, "whole", u, axis)) < 0) return out;
  if (!u->ndim || !u->extent || !u->extent[axis]) return tn_tensor_new(t, u);
  return tn_tensor_new(t, tn_whole(t, u, axis, u->extent[axis], tn_dtype_value(u->dtype, fill)));
}
TINY_API tiny_tensor *tiny_length_of(tiny_tensor *x, int axis) {
  tiny_tensor *out;
  if (!tn_usable("length_of", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  if (!u->ndim) return tn_wrong(t, TINY_E_SHAPE, "length_of: a 0-d tensor has no axis %d", axis);
  if ((axis = tn_axis(t, "length_of", u, axis)) < 0) return out;
  tiny_uop *n = tn_extent_of(u, axis);
  return tn_tensor_new(t, n ? tn_cast(t, n, TINY_I64) : tn_int(t, TINY_I64, u->dim[axis]));
}
TINY_API tiny_tensor *tiny_mask_to(tiny_tensor *x, int axis, tiny_tensor *n) {
  tiny_tensor *out, *in[2] = {x, n};
  if (!tn_usable("mask_to", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  tiny_uop *u = tn_uop_of(x);
  if (!u->ndim) return tn_wrong(t, TINY_E_SHAPE, "mask_to: a 0-d tensor has no axis %d", axis);
  if ((axis = tn_axis(t, "mask_to", u, axis)) < 0) return out;
  tiny_uop *length = tn_position_within("mask_to", "n", n, 0, INT64_MAX >> 1);
  if (tn_bad(t, length)) return out;
  tiny_uop *is = tn_lt(t, tn_iota(t, TINY_INDEX, u->dim[axis], axis, u->ndim), length);
  return tn_tensor_new(t, tn_firsts_of(t, tn_expand(t, is, u->ndim, u->dim), u));
}

static tiny_shape tn_shape_now(const tiny_uop *u) {
  tiny_shape s;
  memset(&s, 0, sizeof s);
  s.ndim = u->ndim;
  for (int i = 0; i < s.ndim; i++) s.dim[i] = tn_extent_of(u, i) ? tn_position_now(u->extent[i]) : u->dim[i];
  return s;
}
TINY_API tiny_shape tiny_shape_now(const tiny_tensor *x) {
  tiny_shape s;
  memset(&s, 0, sizeof s);
  return tiny_ok(x) ? tn_shape_now(tn_uop_of(x)) : s;
}
// Does what is meant of u lie together, from the first element on?
static int tn_is_compact(const tiny_uop *u) {
  int first = 0;
  while (first < u->ndim && u->dim[first] == 1) first++;
  for (int i = first + 1; u->extent && i < u->ndim; i++) if (u->extent[i]) return 0;
  return 1;
}
// What is meant of u, whose elements, each of nbytes, are all in `from`: together in `to`, row-major, which may be
// from. back: from there to where they are among all.
static void tn_compact_move(const tiny_uop *u, const char *from, char *to, size_t nbytes, int back) {
  const tiny_shape s = tn_shape_now(u);
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  int64_t at[TINY_MAX_DIMS] = {0}, row = 1;
  int last = s.ndim;                       // dims from here on lie together
  while (last > 0 && s.dim[last - 1] == u->dim[last - 1]) row *= u->dim[--last];
  if (last > 0) row *= s.dim[--last];
  for (int64_t done = 0; row && done < n; done += row) {
    int64_t element = 0;
    for (int d = 0; d < s.ndim; d++) element = element * u->dim[d] + (d < last ? at[d] : 0);
    memmove(to + (size_t)(back ? element : done) * nbytes, from + (size_t)(back ? done : element) * nbytes,
            (size_t)row * nbytes);
    for (int d = last - 1; d >= 0 && ++at[d] == s.dim[d]; d--) at[d] = 0;
  }
}
static void tn_compact(const tiny_uop *u, const char *from, char *to, size_t nbytes) {
  tn_compact_move(u, from, to, nbytes, 0);
}
#endif
