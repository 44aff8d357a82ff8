// operators: movement, elementwise, reductions: what makes a tensor of tensors.
// ** creation: tensors of numbers that a formula gives **************************************** >>creation

// Every element is value. A node of its own: two of them may become two parameters. [torch.full]
TINY_API tiny_tensor *tiny_full(tiny_ctx *t, double value, tiny_dtype dtype, tiny_shape shape);
// Every element is 0. [torch.zeros]
TINY_API tiny_tensor *tiny_zeros(tiny_ctx *t, tiny_dtype dtype, tiny_shape shape);
// Every element is 1. [torch.ones]
TINY_API tiny_tensor *tiny_ones(tiny_ctx *t, tiny_dtype dtype, tiny_shape shape);
// Every element is value, of x's dtype and shape. [torch.full_like]
TINY_API tiny_tensor *tiny_full_like(tiny_tensor *x, double value);
// Every element is 0, of x's dtype and shape. [torch.zeros_like]
TINY_API tiny_tensor *tiny_zeros_like(tiny_tensor *x);
// Every element is 1, of x's dtype and shape. [torch.ones_like]
TINY_API tiny_tensor *tiny_ones_like(tiny_tensor *x);
// 0-d constant of x's dtype: tiny_mul(x, tiny_like(x, 2)). [torch.tensor]
TINY_API tiny_tensor *tiny_like(tiny_tensor *x, double value);
// (n): start, start + step .. before stop. TINY_E_ARG if step leads away from stop. [torch.arange]
TINY_API tiny_tensor *tiny_arange(tiny_ctx *t, double start, double stop, double step, tiny_dtype dtype);
// (n): from start to stop, both included, evenly; integers truncate. [torch.linspace]
TINY_API tiny_tensor *tiny_linspace(tiny_ctx *t, double start, double stop, int64_t n, tiny_dtype dtype);
// (n): base to the powers of tiny_linspace(start, stop, n). [torch.logspace]
TINY_API tiny_tensor *tiny_logspace(tiny_ctx *t, double start, double stop, int64_t n, double base, tiny_dtype dtype);
// (n,n): ones on the diagonal [torch.eye]
TINY_API tiny_tensor *tiny_eye(tiny_ctx *t, int64_t n, tiny_dtype dtype);
// (n,m): ones where column - row is diagonal. [numpy.eye]
TINY_API tiny_tensor *tiny_eye_nm(tiny_ctx *t, int64_t n, int64_t m, int64_t diagonal, tiny_dtype dtype);
// (n,m): ones where column - row is at most diagonal. [numpy.tri]
TINY_API tiny_tensor *tiny_tri(tiny_ctx *t, int64_t n, int64_t m, int64_t diagonal, tiny_dtype dtype);
// x (..,N,M) with zeros where column - row is more than diagonal. [torch.tril]
TINY_API tiny_tensor *tiny_tril(tiny_tensor *x, int64_t diagonal);
// x (..,N,M) with zeros where column - row is less than diagonal. [torch.triu]
TINY_API tiny_tensor *tiny_triu(tiny_tensor *x, int64_t diagonal);

// ** random: the same numbers on every device; each call gives others ************************* >>random

// Element i of the c-th call since tiny_open or tiny_seed depends on the seed, c and i alone (Threefry-2x32). A call
// gives at most 2^32 elements.

// Random numbers begin anew, as after tiny_open with this seed. [torch.manual_seed]
TINY_API void         tiny_seed(tiny_ctx *t, uint64_t seed);
// f32, uniform in [0,1). [torch.rand]
TINY_API tiny_tensor *tiny_rand(tiny_ctx *t, tiny_shape shape);
// f32, normal: mean 0, deviation 1. [torch.randn]
TINY_API tiny_tensor *tiny_randn(tiny_ctx *t, tiny_shape shape);
// Uniform in [0,1), of x's shape and float dtype. [torch.rand_like]
TINY_API tiny_tensor *tiny_rand_like(tiny_tensor *x);
// Normal: mean 0, deviation 1, of x's shape and float dtype. [torch.randn_like]
TINY_API tiny_tensor *tiny_randn_like(tiny_tensor *x);
// Uniform in [low,high), of a float dtype; rounding may give high. [torch.Tensor.uniform_]
TINY_API tiny_tensor *tiny_uniform(tiny_ctx *t, double low, double high, tiny_dtype dtype, tiny_shape shape);
// Normal, of a float dtype. TINY_E_ARG unless std >= 0. [torch.normal]
TINY_API tiny_tensor *tiny_normal(tiny_ctx *t, double mean, double std, tiny_dtype dtype, tiny_shape shape);
// Whole numbers from low to high-1, of any dtype that has them all. [torch.randint]
TINY_API tiny_tensor *tiny_randint(tiny_ctx *t, int64_t low, int64_t high, tiny_dtype dtype, tiny_shape shape);
// i32 (n): 0 to n-1 in random order. [torch.randperm]
TINY_API tiny_tensor *tiny_randperm(tiny_ctx *t, int64_t n);
// 1 with probability p, else 0, of p's shape and float dtype. No gradient. [torch.bernoulli]
TINY_API tiny_tensor *tiny_bernoulli(tiny_tensor *p);
// Weights (C) or (B,C) -> n classes drawn by weight, i32 (n) or (B,n). Without replacement classes do not come twice:
// at most C draws, and classes of weight 0 when no others are left. In f64 where the device has it. [torch.multinomial]
TINY_API tiny_tensor *tiny_multinomial(tiny_tensor *weights, int64_t n, int replacement);
// f32 weights (out,in,..), uniform, whose deviation keeps that of what flows forward and back: sqrt(2 / (fan in + fan
// out)). [torch.nn.init.xavier_uniform_]
TINY_API tiny_tensor *tiny_xavier_uniform(tiny_ctx *t, tiny_shape shape);
// Normal weights of the deviation of tiny_xavier_uniform. [torch.nn.init.xavier_normal_]
TINY_API tiny_tensor *tiny_xavier_normal(tiny_ctx *t, tiny_shape shape);
// f32 weights (out,in,..), uniform, of deviation sqrt(2 / ((1 + slope^2) * fan in)), for layers before a relu, or a
// leaky one of that slope. sqrt(5) gives what PyTorch's layers begin with. [torch.nn.init.kaiming_uniform_]
TINY_API tiny_tensor *tiny_kaiming_uniform(tiny_ctx *t, double slope, tiny_shape shape);
// Normal weights of the deviation of tiny_kaiming_uniform. [torch.nn.init.kaiming_normal_]
TINY_API tiny_tensor *tiny_kaiming_normal(tiny_ctx *t, double slope, tiny_shape shape);
// Each element of x, divided by 1 - p, is kept with probability 1 - p and else 0; train 0: x itself.
// [torch.nn.functional.dropout]
TINY_API tiny_tensor *tiny_dropout(tiny_tensor *x, double p, int train);

// ** movement: shapes, orders, parts: views that fuse, no copies ****************************** >>movement

// Axes may be negative; -1 is the last. Operators with several results fill out[0..n) and return how many there are,
// with NULL behind them; where n is too few, or after any error, they return 0 and all of out is poison.

// The same elements, row-major, in another shape; one dim may be -1. [torch.reshape]
TINY_API tiny_tensor *tiny_reshape(tiny_tensor *x, tiny_shape shape);
// The axes first to last, which is included, become one. [torch.flatten]
TINY_API tiny_tensor *tiny_flatten(tiny_tensor *x, int first, int last);
// One axis becomes several, of these sizes; one may be -1. [torch.unflatten]
TINY_API tiny_tensor *tiny_unflatten(tiny_tensor *x, int axis, tiny_shape sizes);
// Without the axis if its size is 1; also TINY_ALL or TINY_AXES. [torch.squeeze]
TINY_API tiny_tensor *tiny_squeeze(tiny_tensor *x, int axis);
// With a new axis of size 1 at that place. [torch.unsqueeze]
TINY_API tiny_tensor *tiny_unsqueeze(tiny_tensor *x, int axis);
// Axis i of the result is x's axes[i]. [torch.permute]
TINY_API tiny_tensor *tiny_permute(tiny_tensor *x, tiny_shape axes);
// The axes a and b change places. [torch.transpose]
TINY_API tiny_tensor *tiny_transpose(tiny_tensor *x, int a, int b);
// The axis from stands at to; the others keep their order. [torch.movedim]
TINY_API tiny_tensor *tiny_movedim(tiny_tensor *x, int from, int to);
// Broadcasts; new dims go in front; -1 keeps a dim. [torch.broadcast_to]
TINY_API tiny_tensor *tiny_expand(tiny_tensor *x, tiny_shape shape);
// Broadcasts to the shape of like. [torch.Tensor.expand_as]
TINY_API tiny_tensor *tiny_expand_as(tiny_tensor *x, tiny_tensor *like);
// x end to end times[i] times along axis i; times counts for the last axes, new axes go in front. [torch.tile]
TINY_API tiny_tensor *tiny_tile(tiny_tensor *x, tiny_shape times);
// As tiny_tile, with a number for each axis of x at least: TINY_E_SHAPE for fewer. [torch.Tensor.repeat]
TINY_API tiny_tensor *tiny_repeat(tiny_tensor *x, tiny_shape times);
// Each element as often as times says; TINY_ALL: of x laid flat. [torch.repeat_interleave]
TINY_API tiny_tensor *tiny_repeat_interleave(tiny_tensor *x, int64_t times, int axis);
// Backwards along these axes. [torch.flip]
TINY_API tiny_tensor *tiny_flip(tiny_tensor *x, tiny_shape axes);
// By by[i] forwards along axes[i]; what falls out comes in again. TINY_SHAPE(TINY_ALL): of x laid flat. [torch.roll]
TINY_API tiny_tensor *tiny_roll(tiny_tensor *x, tiny_shape by, tiny_shape axes);
// Quarter turns from axis a towards axis b. [torch.rot90]
TINY_API tiny_tensor *tiny_rot90(tiny_tensor *x, int turns, int a, int b);

// The last axes cut to begin to before end: (begin, end, begin, end ..). [torch.Tensor.narrow]
TINY_API tiny_tensor *tiny_shrink(tiny_tensor *x, tiny_shape begin_end);
// Elements start, start + step .. before stop of one axis, by Python's rules for x[start:stop:step]; step may be
// negative. TINY_END is a bound left out: tiny_slice(x, 0, 2, TINY_END, 1) is x[2:], and tiny_slice(x, 0, TINY_END,
// TINY_END, -1) is x[::-1]. [numpy.s_]
TINY_API tiny_tensor *tiny_slice(tiny_tensor *x, int axis, int64_t start, int64_t stop, int64_t step);
// The first n elements of one axis, n a number of tiny_length: a dim whose length changes from run to run. One plan and
// one kernel serve all lengths, with memory for the greatest and work for the one there is. tiny_shape_of still gives
// the greatest, tiny_shape_now what there is; tiny_read and tiny_item want and give that. What x computes is right for
// its length: sums, means, norms, losses, softmax, running sums, products of matrices, lookups, sorting, cat ..;
// operators that cannot be say so, TINY_E_SHAPE. TINY_E_SHAPE: by its bounds n could be more than there is.
// TINY_E_DEVICE: x is split over devices along the axis. [torch.narrow]
TINY_API tiny_tensor *tiny_slice_to(tiny_tensor *x, int axis, tiny_tensor *n);
// x, whose dim of one axis is n's value now, as a tensor of that length, with memory for the greatest: for shapes that
// change anyway, a batch or a sequence of today's size. What is computed of it is planned and compiled once for all of
// n's values; lengths up to powers of two keep their number small. Tensors that belong together take the same n.
// Realizes x and copies its bytes by way of the host; no gradient comes back. TINY_E_SHAPE: the dim is not n's value,
// or x has a length already in another dim. [torch._dynamo.mark_dynamic]
TINY_API tiny_tensor *tiny_with_length(tiny_tensor *x, int axis, tiny_tensor *n);
// x with fill where its length leaves an axis empty: a whole dim again, for every operator.
// [torch.nn.functional.pad]
TINY_API tiny_tensor *tiny_whole(tiny_tensor *x, int axis, double fill);
// The length of an axis as a 0-d i64: a number as of tiny_length where tiny_slice_to gave it, else a constant.
// [torch.Tensor.size]
TINY_API tiny_tensor *tiny_length_of(tiny_tensor *x, int axis);
// Where the position along an axis is below n, a number of tiny_length: bool, of x's shape. [torch.arange]
TINY_API tiny_tensor *tiny_mask_to(tiny_tensor *x, int axis, tiny_tensor *n);
// count elements of one axis, from the number begin on, of tiny_length. It can be assigned to: a cache that is appended
// to. TINY_E_SHAPE: by its bounds begin could leave no room for count. [torch.narrow]
TINY_API tiny_tensor *tiny_slice_at(tiny_tensor *x, int axis, tiny_tensor *begin, int64_t count);
// length elements of one axis, from start on. [torch.narrow]
TINY_API tiny_tensor *tiny_narrow(tiny_tensor *x, int axis, int64_t start, int64_t length);
// One element of an axis, without the axis. [torch.select]
TINY_API tiny_tensor *tiny_select(tiny_tensor *x, int axis, int64_t index);
// Windows of size elements, one every step of axis: their number takes its place, size becomes the last axis.
// [torch.Tensor.unfold]
TINY_API tiny_tensor *tiny_sliding_window(tiny_tensor *x, int axis, int64_t size, int64_t step);
// The elements where b's index - a's is diagonal, as the last axis of the others. [torch.diagonal]
TINY_API tiny_tensor *tiny_diagonal(tiny_tensor *x, int64_t diagonal, int a, int b);
// x (..,N) on the diagonal of squares of zeros, which are the axes a and b of the result. [torch.diag_embed]
TINY_API tiny_tensor *tiny_diag_embed(tiny_tensor *x, int64_t diagonal, int a, int b);
// (n) -> a square of zeros with x on that diagonal, or (n,m) -> that diagonal; 0: the main one. [torch.diag]
TINY_API tiny_tensor *tiny_diag(tiny_tensor *x, int64_t diagonal);
// Parts of that size along axis; the last may be smaller. [torch.split]
TINY_API int          tiny_split(tiny_tensor *x, int64_t size, int axis, tiny_tensor **out, int n);
// n parts of these sizes, which add up to the axis. [torch.split]
TINY_API int          tiny_split_sizes(tiny_tensor *x, const int64_t *sizes, int n, int axis, tiny_tensor **out);
// At most n parts of equal size; the last may be smaller. [torch.chunk]
TINY_API int          tiny_chunk(tiny_tensor *x, int n, int axis, tiny_tensor **out);
// Every element of axis, without the axis. [torch.unbind]
TINY_API int          tiny_unbind(tiny_tensor *x, int axis, tiny_tensor **out, int n);
// Lists x[i] -> n tensors of the shape that their lengths make: out[i] is x[i] along axis i. xy swaps the first two
// axes. [torch.meshgrid]
TINY_API int          tiny_meshgrid(tiny_tensor *const *xs, int n, int xy, tiny_tensor **out);

// x with src, of the shape of the part, in the place of tiny_select(x, axis, index); src is cast to x's dtype.
// Gradients flow to src and to what is left of x. [torch.select_scatter]
TINY_API tiny_tensor *tiny_select_scatter(tiny_tensor *x, tiny_tensor *src, int axis, int64_t index);
// As tiny_select_scatter, in the place of tiny_slice(x, axis, start, stop, step). [torch.slice_scatter]
TINY_API tiny_tensor *tiny_slice_scatter(tiny_tensor *x, tiny_tensor *src, int axis, int64_t start, int64_t stop,
                                         int64_t step);
// As tiny_select_scatter, in the place of tiny_diagonal(x, diagonal, a, b). [torch.diagonal_scatter]
TINY_API tiny_tensor *tiny_diagonal_scatter(tiny_tensor *x, tiny_tensor *src, int64_t diagonal, int a, int b);

// Side by side along axis: tiny_cat(TINY_ARRAY(a, b), 0); dtypes promote. n must be 1 or more: no tensors tell no
// context, and give NULL without an error. A tensor of nothing, (0), may stand among tensors of any dims. [torch.cat]
TINY_API tiny_tensor *tiny_cat(tiny_tensor *const *xs, int n, int axis);
// Side by side along a new axis; n as for tiny_cat. [torch.stack]
TINY_API tiny_tensor *tiny_stack(tiny_tensor *const *xs, int n, int axis);
// The last axes with so much value before and after: (before, after, before, after ..); negative amounts crop. At most
// 8 axes in a call, as a tiny_shape has 16 entries. [torch.nn.functional.pad]
TINY_API tiny_tensor *tiny_pad(tiny_tensor *x, tiny_shape before_after, double value);
// What lies outside of 1 2 3 4.
typedef enum tiny_padding {
  TINY_PAD_ZEROS = 0,                      // 0 0 | 1 2 3 4 | 0 0
  TINY_PAD_REFLECT,                        // 3 2 | 1 2 3 4 | 3 2: fewer than there are
  TINY_PAD_REPLICATE,                      // 1 1 | 1 2 3 4 | 4 4
  TINY_PAD_CIRCULAR,                       // 3 4 | 1 2 3 4 | 1 2: at most as many as there are
  TINY_PAD_SYMMETRIC                       // 2 1 | 1 2 3 4 | 4 3: at most as many as there are
} tiny_padding;
// As tiny_pad, with x's own elements around it. TINY_E_SHAPE if x has too few of them. [torch.nn.functional.pad]
TINY_API tiny_tensor *tiny_pad_mode(tiny_tensor *x, tiny_shape before_after, tiny_padding how);

// ** elementwise: one value a place ********************************************************** >>elementwise
//
// Operands broadcast as NumPy's: dims of 1 and missing leading dims grow. Their dtypes meet as PyTorch's do
// (tiny_promote; a 0-d operand counts only if its kind is higher: bool, integer, float), and that is the result's
// dtype. Functions of real numbers, tiny_div and activations give f32 for integers and bools. fp8, f16 and bf16 are
// computed in f32 and rounded once, integers wrap. TINY_E_SHAPE: shapes do not broadcast; TINY_E_DTYPE: the operator
// has no meaning for the dtype.

// a + b; of bools: or. [torch.add]
TINY_API tiny_tensor *tiny_add(tiny_tensor *a, tiny_tensor *b);
// a - b; not of bools. [torch.sub]
TINY_API tiny_tensor *tiny_sub(tiny_tensor *a, tiny_tensor *b);
// a b; of bools: and. [torch.mul]
TINY_API tiny_tensor *tiny_mul(tiny_tensor *a, tiny_tensor *b);
// a / b; integers divide as f32. [torch.div]
TINY_API tiny_tensor *tiny_div(tiny_tensor *a, tiny_tensor *b);
// The greatest whole number below a / b; of integers x // 0 is 0. No gradient. [torch.floor_divide]
TINY_API tiny_tensor *tiny_floor_div(tiny_tensor *a, tiny_tensor *b);
// a / b without its fraction; of integers x / 0 is 0. No gradient. [torch.div(rounding_mode="trunc")]
TINY_API tiny_tensor *tiny_trunc_div(tiny_tensor *a, tiny_tensor *b);
// a - b floor(a / b): the sign of b; of integers x % 0 is x. Exact; of f64 for quotients up to 2^26, and 0
// where the quotient overflows. [torch.remainder]
TINY_API tiny_tensor *tiny_remainder(tiny_tensor *a, tiny_tensor *b);
// a - b trunc(a / b): the sign of a; of integers x % 0 is x. Exact as tiny_remainder is. [torch.fmod]
TINY_API tiny_tensor *tiny_fmod(tiny_tensor *a, tiny_tensor *b);
// a to the power of b; integers wrap, and to a negative power are 0 (or 1, -1). Constant exponents that are small whole
// numbers or +-1/2 become products and roots. [torch.pow]
TINY_API tiny_tensor *tiny_pow(tiny_tensor *a, tiny_tensor *b);
// The greater; NaN if either is, of 0 and -0 either. Of equals each gets half of the gradient, beside NaN all of it,
// but of x and a constant 0 none, as relu. [torch.maximum]
TINY_API tiny_tensor *tiny_maximum(tiny_tensor *a, tiny_tensor *b);
// The lesser, as tiny_maximum. [torch.minimum]
TINY_API tiny_tensor *tiny_minimum(tiny_tensor *a, tiny_tensor *b);
// The greater; NaN only if both are. Of equals a, which gets the gradient. [torch.fmax]
TINY_API tiny_tensor *tiny_fmax(tiny_tensor *a, tiny_tensor *b);
// The lesser, as tiny_fmax. [torch.fmin]
TINY_API tiny_tensor *tiny_fmin(tiny_tensor *a, tiny_tensor *b);

// bool: a < b; false beside NaN. [torch.lt]
TINY_API tiny_tensor *tiny_lt(tiny_tensor *a, tiny_tensor *b);
// bool: a > b; false beside NaN. [torch.gt]
TINY_API tiny_tensor *tiny_gt(tiny_tensor *a, tiny_tensor *b);
// bool: a <= b; false beside NaN. [torch.le]
TINY_API tiny_tensor *tiny_le(tiny_tensor *a, tiny_tensor *b);
// bool: a >= b; false beside NaN. [torch.ge]
TINY_API tiny_tensor *tiny_ge(tiny_tensor *a, tiny_tensor *b);
// bool: a == b; false beside NaN. [torch.eq]
TINY_API tiny_tensor *tiny_eq(tiny_tensor *a, tiny_tensor *b);
// bool: a != b; true beside NaN. [torch.ne]
TINY_API tiny_tensor *tiny_ne(tiny_tensor *a, tiny_tensor *b);

// A tensor and a number, which becomes part of the kernel: one that changes from step to step is a tensor, tiny_scalar.
// Nothing has to be freed but the result, also outside of frames. Dtypes are PyTorch's for a number of Python's: of a
// float x x's; of an integer x x's if value is a whole number of 64 bits, else f32; of bools i64 or f32. A whole number
// wraps, as tiny_cast does, but as a bound it is the nearest that x's dtype has, and quotients are those of the number
// itself. Comparisons are bool, and exact, also with what an integer x cannot be.

// x + value. [torch.add]
TINY_API tiny_tensor *tiny_add_scalar(tiny_tensor *x, double value);
// x - value. [torch.sub]
TINY_API tiny_tensor *tiny_sub_scalar(tiny_tensor *x, double value);
// value - x. [torch.rsub]
TINY_API tiny_tensor *tiny_rsub_scalar(tiny_tensor *x, double value);
// x value. [torch.mul]
TINY_API tiny_tensor *tiny_mul_scalar(tiny_tensor *x, double value);
// x / value. [torch.div]
TINY_API tiny_tensor *tiny_div_scalar(tiny_tensor *x, double value);
// value / x. [torch.div]
TINY_API tiny_tensor *tiny_rdiv_scalar(tiny_tensor *x, double value);
// tiny_floor_div of x and value. [torch.floor_divide]
TINY_API tiny_tensor *tiny_floor_div_scalar(tiny_tensor *x, double value);
// tiny_floor_div of value and x. [torch.floor_divide]
TINY_API tiny_tensor *tiny_rfloor_div_scalar(tiny_tensor *x, double value);
// tiny_remainder of x and value. [torch.remainder]
TINY_API tiny_tensor *tiny_remainder_scalar(tiny_tensor *x, double value);
// tiny_remainder of value and x. [torch.remainder]
TINY_API tiny_tensor *tiny_rremainder_scalar(tiny_tensor *x, double value);
// x to the power of value. [torch.pow]
TINY_API tiny_tensor *tiny_pow_scalar(tiny_tensor *x, double value);
// value to the power of x. [torch.pow]
TINY_API tiny_tensor *tiny_rpow_scalar(tiny_tensor *x, double value);
// The greater, as tiny_maximum. [torch.clamp(min=)]
TINY_API tiny_tensor *tiny_maximum_scalar(tiny_tensor *x, double value);
// The lesser, as tiny_minimum. [torch.clamp(max=)]
TINY_API tiny_tensor *tiny_minimum_scalar(tiny_tensor *x, double value);
// bool: x < value. [torch.lt]
TINY_API tiny_tensor *tiny_lt_scalar(tiny_tensor *x, double value);
// bool: x > value. [torch.gt]
TINY_API tiny_tensor *tiny_gt_scalar(tiny_tensor *x, double value);
// bool: x <= value. [torch.le]
TINY_API tiny_tensor *tiny_le_scalar(tiny_tensor *x, double value);
// bool: x >= value. [torch.ge]
TINY_API tiny_tensor *tiny_ge_scalar(tiny_tensor *x, double value);
// bool: x == value. [torch.eq]
TINY_API tiny_tensor *tiny_eq_scalar(tiny_tensor *x, double value);
// bool: x != value. [torch.ne]
TINY_API tiny_tensor *tiny_ne_scalar(tiny_tensor *x, double value);

// |a - b| <= atol + rtol |b|, or equal, as infinities may be; equal_nan: NaN is close to NaN. Integers are compared as
// f64, narrow floats as f32. bool. TINY_E_ARG: a tolerance is negative. [torch.isclose]
TINY_API tiny_tensor *tiny_isclose(tiny_tensor *a, tiny_tensor *b, double rtol, double atol, int equal_nan);
// 0-d bool: is tiny_isclose true of all elements? Of nothing: true. [torch.allclose]
TINY_API tiny_tensor *tiny_allclose(tiny_tensor *a, tiny_tensor *b, double rtol, double atol, int equal_nan);

// bool, of any dtypes: are both true? True is what is not 0, NaN too. [torch.logical_and]
TINY_API tiny_tensor *tiny_logical_and(tiny_tensor *a, tiny_tensor *b);
// bool: is either true, as tiny_logical_and has it? [torch.logical_or]
TINY_API tiny_tensor *tiny_logical_or(tiny_tensor *a, tiny_tensor *b);
// bool: is one of them true, as tiny_logical_and has it? [torch.logical_xor]
TINY_API tiny_tensor *tiny_logical_xor(tiny_tensor *a, tiny_tensor *b);
// bool: is x 0? [torch.logical_not]
TINY_API tiny_tensor *tiny_logical_not(tiny_tensor *x);

// The bits that both have; of integers and bools. [torch.bitwise_and]
TINY_API tiny_tensor *tiny_bitwise_and(tiny_tensor *a, tiny_tensor *b);
// The bits that either has; of integers and bools. [torch.bitwise_or]
TINY_API tiny_tensor *tiny_bitwise_or(tiny_tensor *a, tiny_tensor *b);
// The bits that one of them has; of integers and bools. [torch.bitwise_xor]
TINY_API tiny_tensor *tiny_bitwise_xor(tiny_tensor *a, tiny_tensor *b);
// The bits that x has not; of integers and bools. [torch.bitwise_not]
TINY_API tiny_tensor *tiny_bitwise_not(tiny_tensor *x);
// Integers, a shifted by b bits; by the width or more, and by negative numbers: 0. [torch.bitwise_left_shift]
TINY_API tiny_tensor *tiny_shift_left(tiny_tensor *a, tiny_tensor *b);
// Integers, a shifted by b bits, copies of its sign behind them; by the width or more, and by negative numbers: 0 or
// -1. [torch.bitwise_right_shift]
TINY_API tiny_tensor *tiny_shift_right(tiny_tensor *a, tiny_tensor *b);

// The greatest whole number that divides both, not negative; of integers. gcd(0, x) is |x|. [torch.gcd]
TINY_API tiny_tensor *tiny_gcd(tiny_tensor *a, tiny_tensor *b);
// The least that both divide, wrapped; 0 where one is 0. Of integers. [torch.lcm]
TINY_API tiny_tensor *tiny_lcm(tiny_tensor *a, tiny_tensor *b);

// a where cond, which must be bool, else b. [torch.where]
TINY_API tiny_tensor *tiny_where(tiny_tensor *cond, tiny_tensor *a, tiny_tensor *b);
// x, but lo below lo and hi above hi; NaN stays. The bounds are rounded to x's dtype, those of integers
// towards 0; beyond its range they don't matter, so HUGE_VAL is none. [torch.clamp]
TINY_API tiny_tensor *tiny_clamp(tiny_tensor *x, double lo, double hi);
// As tiny_clamp, with tensors for bounds, which broadcast and get gradients; NULL: none. Where lo > hi: hi.
// [torch.clamp]
TINY_API tiny_tensor *tiny_clamp_to(tiny_tensor *x, tiny_tensor *lo, tiny_tensor *hi);
// a + weight (b - a), from the nearer end. [torch.lerp]
TINY_API tiny_tensor *tiny_lerp(tiny_tensor *a, tiny_tensor *b, tiny_tensor *weight);
// x + value a b [torch.addcmul]
TINY_API tiny_tensor *tiny_addcmul(tiny_tensor *x, tiny_tensor *a, tiny_tensor *b, double value);
// x + value a / b [torch.addcdiv]
TINY_API tiny_tensor *tiny_addcdiv(tiny_tensor *x, tiny_tensor *a, tiny_tensor *b, double value);

// -x; not of bools. [torch.neg]
TINY_API tiny_tensor *tiny_neg(tiny_tensor *x);
// |x|; its gradient at 0 is 0. [torch.abs]
TINY_API tiny_tensor *tiny_abs(tiny_tensor *x);
// -1, 0, 1; NaN gives 0 [torch.sign]
TINY_API tiny_tensor *tiny_sign(tiny_tensor *x);
// x x; of bools a bool. [torch.square]
TINY_API tiny_tensor *tiny_square(tiny_tensor *x);
// x rounded towards 0. [torch.trunc]
TINY_API tiny_tensor *tiny_trunc(tiny_tensor *x);
// x rounded downwards. [torch.floor]
TINY_API tiny_tensor *tiny_floor(tiny_tensor *x);
// x rounded upwards. [torch.ceil]
TINY_API tiny_tensor *tiny_ceil(tiny_tensor *x);
// x rounded to the nearest whole number, halves to even. [torch.round]
TINY_API tiny_tensor *tiny_round(tiny_tensor *x);
// x rounded to so many decimals, negative: tens, hundreds ..; integers take none or more and stay.
// [torch.round(decimals=)]
TINY_API tiny_tensor *tiny_round_to(tiny_tensor *x, int decimals);
// x - trunc(x), of floats [torch.frac]
TINY_API tiny_tensor *tiny_frac(tiny_tensor *x);
// |a| with the sign of b; of no NaN, whose sign is not kept [torch.copysign]
TINY_API tiny_tensor *tiny_copysign(tiny_tensor *a, tiny_tensor *b);
// 0 below 0, at_zero at 0, 1 above. [torch.heaviside]
TINY_API tiny_tensor *tiny_heaviside(tiny_tensor *x, tiny_tensor *at_zero);
// Numbers for NaN, inf and -inf; a posinf or neginf of NaN means the greatest and least of the dtype.
// [torch.nan_to_num]
TINY_API tiny_tensor *tiny_nan_to_num(tiny_tensor *x, double nan, double posinf, double neginf);

// bool: is x NaN? [torch.isnan]
TINY_API tiny_tensor *tiny_isnan(tiny_tensor *x);
// bool: is x inf or -inf? [torch.isinf]
TINY_API tiny_tensor *tiny_isinf(tiny_tensor *x);
// bool: is x inf? [torch.isposinf]
TINY_API tiny_tensor *tiny_isposinf(tiny_tensor *x);
// bool: is x -inf? [torch.isneginf]
TINY_API tiny_tensor *tiny_isneginf(tiny_tensor *x);
// bool: is x neither inf nor NaN? [torch.isfinite]
TINY_API tiny_tensor *tiny_isfinite(tiny_tensor *x);
// bool: is the sign of x negative? Of -0 it is. [torch.signbit]
TINY_API tiny_tensor *tiny_signbit(tiny_tensor *x);

// ** math: functions of real numbers ********************************************************* >>math
//
// As elementwise; integers and bools become f32. Errors are a few units in the last place, see
// tests/test_transcendental.c.

// The square root; NaN below 0. [torch.sqrt]
TINY_API tiny_tensor *tiny_sqrt(tiny_tensor *x);
// 1 / sqrt(x). [torch.rsqrt]
TINY_API tiny_tensor *tiny_rsqrt(tiny_tensor *x);
// The cube root, also of negative x. [numpy.cbrt]
TINY_API tiny_tensor *tiny_cbrt(tiny_tensor *x);
// 1 / x. [torch.reciprocal]
TINY_API tiny_tensor *tiny_reciprocal(tiny_tensor *x);
// e^x. [torch.exp]
TINY_API tiny_tensor *tiny_exp(tiny_tensor *x);
// 2^x. [torch.exp2]
TINY_API tiny_tensor *tiny_exp2(tiny_tensor *x);
// exp(x) - 1, exact near 0 [torch.expm1]
TINY_API tiny_tensor *tiny_expm1(tiny_tensor *x);
// The natural logarithm; -inf of 0, NaN below. [torch.log]
TINY_API tiny_tensor *tiny_log(tiny_tensor *x);
// As tiny_log, to base 2. [torch.log2]
TINY_API tiny_tensor *tiny_log2(tiny_tensor *x);
// As tiny_log, to base 10. [torch.log10]
TINY_API tiny_tensor *tiny_log10(tiny_tensor *x);
// log(1 + x), exact near 0 [torch.log1p]
TINY_API tiny_tensor *tiny_log1p(tiny_tensor *x);
// The sine of x, in radians. [torch.sin]
TINY_API tiny_tensor *tiny_sin(tiny_tensor *x);
// The cosine of x, in radians. [torch.cos]
TINY_API tiny_tensor *tiny_cos(tiny_tensor *x);
// The tangent of x, in radians. [torch.tan]
TINY_API tiny_tensor *tiny_tan(tiny_tensor *x);
// The inverse of sin, -pi/2 to pi/2. [torch.asin]
TINY_API tiny_tensor *tiny_asin(tiny_tensor *x);
// The inverse of cos, 0 to pi. [torch.acos]
TINY_API tiny_tensor *tiny_acos(tiny_tensor *x);
// The inverse of tan, -pi/2 to pi/2. [torch.atan]
TINY_API tiny_tensor *tiny_atan(tiny_tensor *x);
// The angle of the point (x, y), -pi to pi, by the signs of both; the gradient at (0, 0) is finite. [torch.atan2]
TINY_API tiny_tensor *tiny_atan2(tiny_tensor *y, tiny_tensor *x);
// (e^x - e^-x) / 2. [torch.sinh]
TINY_API tiny_tensor *tiny_sinh(tiny_tensor *x);
// (e^x + e^-x) / 2. [torch.cosh]
TINY_API tiny_tensor *tiny_cosh(tiny_tensor *x);
// sinh(x) / cosh(x). [torch.tanh]
TINY_API tiny_tensor *tiny_tanh(tiny_tensor *x);
// The inverse of sinh. [torch.asinh]
TINY_API tiny_tensor *tiny_asinh(tiny_tensor *x);
// The inverse of cosh; NaN below 1. [torch.acosh]
TINY_API tiny_tensor *tiny_acosh(tiny_tensor *x);
// The inverse of tanh; NaN beyond -1 and 1. [torch.atanh]
TINY_API tiny_tensor *tiny_atanh(tiny_tensor *x);
// sqrt(a^2 + b^2) without overflow on the way; the gradient at (0, 0) is 0. [torch.hypot]
TINY_API tiny_tensor *tiny_hypot(tiny_tensor *a, tiny_tensor *b);
// log(e^a + e^b) [torch.logaddexp]
TINY_API tiny_tensor *tiny_logaddexp(tiny_tensor *a, tiny_tensor *b);
// log2(2^a + 2^b) [torch.logaddexp2]
TINY_API tiny_tensor *tiny_logaddexp2(tiny_tensor *a, tiny_tensor *b);
// x log(y), 0 where x is 0. There x's gradient is log(y), 0 if that is infinite. [torch.xlogy]
TINY_API tiny_tensor *tiny_xlogy(tiny_tensor *x, tiny_tensor *y);
// x log(1 + y), 0 where x is 0 [torch.special.xlog1py]
TINY_API tiny_tensor *tiny_xlog1py(tiny_tensor *x, tiny_tensor *y);
// log(x / (1 - x)), x brought into [eps, 1 - eps] first unless eps is 0. [torch.logit]
TINY_API tiny_tensor *tiny_logit(tiny_tensor *x, double eps);
// sin(pi x) / (pi x) [torch.sinc]
TINY_API tiny_tensor *tiny_sinc(tiny_tensor *x);
// x pi / 180. [torch.deg2rad]
TINY_API tiny_tensor *tiny_deg2rad(tiny_tensor *x);
// x 180 / pi. [torch.rad2deg]
TINY_API tiny_tensor *tiny_rad2deg(tiny_tensor *x);
// The error function: 2 / sqrt(pi) times the integral of e^(-t^2) over 0 to x. [torch.erf]
TINY_API tiny_tensor *tiny_erf(tiny_tensor *x);
// 1 - erf(x), exact far out. [torch.erfc]
TINY_API tiny_tensor *tiny_erfc(tiny_tensor *x);
// The inverse of erf; NaN beyond -1 and 1. [torch.erfinv]
TINY_API tiny_tensor *tiny_erfinv(tiny_tensor *x);
// log |gamma(x)| [torch.lgamma]
TINY_API tiny_tensor *tiny_lgamma(tiny_tensor *x);
// The derivative of lgamma. [torch.digamma]
TINY_API tiny_tensor *tiny_digamma(tiny_tensor *x);
// The n-th derivative of digamma, n from 0 to 24, TINY_E_ARG beyond. Poles, at 0 and below, are inf, or -inf if n is
// even; those of n = 0 below 0 are NaN. The error grows with n: about n units in the last place of the value, or, of
// negative x, of the greatest term of its sum, n! / d^(n+1) at distance d from the nearest pole. [torch.polygamma]
TINY_API tiny_tensor *tiny_polygamma(int n, tiny_tensor *x);
// The modified Bessel function of the first kind of order 0. [torch.special.i0]
TINY_API tiny_tensor *tiny_i0(tiny_tensor *x);
// i0(x) e^-|x|. [torch.special.i0e]
TINY_API tiny_tensor *tiny_i0e(tiny_tensor *x);
// The modified Bessel function of the first kind of order 1. [torch.special.i1]
TINY_API tiny_tensor *tiny_i1(tiny_tensor *x);
// i1(x) e^-|x|. [torch.special.i1e]
TINY_API tiny_tensor *tiny_i1e(tiny_tensor *x);
// The incomplete gamma function's ratio P: the integral of t^(a-1) e^-t over 0 to x, divided by gamma(a). NaN where a
// or x is negative; the ends (a or x 0 or infinite) are the limits. The gradient flows to x alone. A sum of 39 (f64:
// 66) terms for each element. Of a >= 8 a small result p is good to some -log(p) units in its last place, else to a
// few. [torch.special.gammainc]
TINY_API tiny_tensor *tiny_igamma(tiny_tensor *a, tiny_tensor *x);
// 1 - P, for P as tiny_igamma gives it; exact where it is small. [torch.special.gammaincc]
TINY_API tiny_tensor *tiny_igammac(tiny_tensor *a, tiny_tensor *x);

// ** activations ****************************************************************************** >>activations
//
// As elementwise; integers and bools become f32 but in relu, relu6, hardtanh and threshold. Gradients at the joints of
// their pieces are PyTorch's.

// x above 0, else 0; its gradient at 0 is 0. [torch.relu]
TINY_API tiny_tensor *tiny_relu(tiny_tensor *x);
// x between 0 and 6, else the nearer of them. [torch.nn.functional.relu6]
TINY_API tiny_tensor *tiny_relu6(tiny_tensor *x);
// 1 / (1 + e^-x) [torch.sigmoid]
TINY_API tiny_tensor *tiny_sigmoid(tiny_tensor *x);
// x sigmoid(x) [torch.nn.functional.silu]
TINY_API tiny_tensor *tiny_silu(tiny_tensor *x);
// x tanh(softplus(x)) [torch.nn.functional.mish]
TINY_API tiny_tensor *tiny_mish(tiny_tensor *x);
// x Phi(x), Phi the normal distribution. [torch.nn.functional.gelu]
TINY_API tiny_tensor *tiny_gelu(tiny_tensor *x);
// x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2. [torch.nn.functional.gelu(approximate="tanh")]
TINY_API tiny_tensor *tiny_gelu_tanh(tiny_tensor *x);
// x above 0, alpha (e^x - 1) below. [torch.nn.functional.elu]
TINY_API tiny_tensor *tiny_elu(tiny_tensor *x, double alpha);
// 1.0507.. x above 0, 1.0507.. * 1.6733.. (e^x - 1) below. [torch.nn.functional.selu]
TINY_API tiny_tensor *tiny_selu(tiny_tensor *x);
// x above 0, alpha (e^(x / alpha) - 1) below. TINY_E_ARG: alpha is 0. [torch.nn.functional.celu]
TINY_API tiny_tensor *tiny_celu(tiny_tensor *x, double alpha);
// x above 0, slope x below. [torch.nn.functional.leaky_relu]
TINY_API tiny_tensor *tiny_leaky_relu(tiny_tensor *x, double slope);
// x above 0, weight[c] x below; weight has one element, or one for each of x's dim 1. [torch.nn.functional.prelu]
TINY_API tiny_tensor *tiny_prelu(tiny_tensor *x, tiny_tensor *weight);
// x above 0, (lower + upper) / 2 x below: as evaluated, not as trained. [torch.nn.functional.rrelu]
TINY_API tiny_tensor *tiny_rrelu(tiny_tensor *x, double lower, double upper);
// lo up to lo, hi from hi; the gradient there is 0. [torch.nn.functional.hardtanh]
TINY_API tiny_tensor *tiny_hardtanh(tiny_tensor *x, double lo, double hi);
// relu6(x + 3) / 6 [torch.nn.functional.hardsigmoid]
TINY_API tiny_tensor *tiny_hardsigmoid(tiny_tensor *x);
// x relu6(x + 3) / 6 [torch.nn.functional.hardswish]
TINY_API tiny_tensor *tiny_hardswish(tiny_tensor *x);
// x above threshold, else value. [torch.nn.functional.threshold]
TINY_API tiny_tensor *tiny_threshold(tiny_tensor *x, double threshold, double value);
// 0 within -lambda .. lambda, else x. [torch.nn.functional.hardshrink]
TINY_API tiny_tensor *tiny_hardshrink(tiny_tensor *x, double lambda);
// 0 within -lambda .. lambda, else x moved towards 0 by lambda. [torch.nn.functional.softshrink]
TINY_API tiny_tensor *tiny_softshrink(tiny_tensor *x, double lambda);
// x - tanh(x) [torch.nn.functional.tanhshrink]
TINY_API tiny_tensor *tiny_tanhshrink(tiny_tensor *x);
// x / (1 + |x|) [torch.nn.functional.softsign]
TINY_API tiny_tensor *tiny_softsign(tiny_tensor *x);
// log(1 + e^(beta x)) / beta; x where beta x > threshold (PyTorch: 1, 20). [torch.nn.functional.softplus]
TINY_API tiny_tensor *tiny_softplus(tiny_tensor *x, double beta, double threshold);
// log(sigmoid(x)) [torch.nn.functional.logsigmoid]
TINY_API tiny_tensor *tiny_logsigmoid(tiny_tensor *x);
// a sigmoid(b), a and b the halves of x along axis; TINY_E_SHAPE: it has none. [torch.nn.functional.glu]
TINY_API tiny_tensor *tiny_glu(tiny_tensor *x, int axis);

// ** reductions: folds along an axis, TINY_AXES(..) or TINY_ALL; running folds **************** >>reductions

// Axes may be negative. keepdim: they stay as dims of 1. f16, bf16 and f8 are computed in f32 and come back as what
// they were. Where a result is called real, integers and bools give f32.

// The sum. Bools and integers other than u64 give i64. Nothing adds up to 0. [torch.sum]
TINY_API tiny_tensor *tiny_sum(tiny_tensor *x, int axis, int keepdim);
// The product. Dtypes as tiny_sum. The product of nothing is 1. Gradients are exact at zeros. [torch.prod]
TINY_API tiny_tensor *tiny_prod(tiny_tensor *x, int axis, int keepdim);
// The greatest; NaN if there is one. Equal maxima share the gradient, and so do several NaN. TINY_E_SHAPE if there is
// nothing along the axis. [torch.amax]
TINY_API tiny_tensor *tiny_amax(tiny_tensor *x, int axis, int keepdim);
// The least, as tiny_amax. [torch.amin]
TINY_API tiny_tensor *tiny_amin(tiny_tensor *x, int axis, int keepdim);
// Returns the minimum; *max becomes the maximum. [torch.aminmax]
TINY_API tiny_tensor *tiny_aminmax(tiny_tensor *x, int axis, int keepdim, tiny_tensor **max);
// Real: the mean; of nothing NaN. [torch.mean]
TINY_API tiny_tensor *tiny_mean(tiny_tensor *x, int axis, int keepdim);
// Real: the sum of squared distances from the mean, divided by n - correction. [torch.var]
TINY_API tiny_tensor *tiny_var(tiny_tensor *x, int axis, int keepdim, int correction);
// Real: the root of the variance; its gradient is 0 where it is 0. [torch.std]
TINY_API tiny_tensor *tiny_std(tiny_tensor *x, int axis, int keepdim, int correction);
// Returns the variance; *mean becomes the mean. [torch.var_mean]
TINY_API tiny_tensor *tiny_var_mean(tiny_tensor *x, int axis, int keepdim, int correction, tiny_tensor **mean);
// Returns the deviation; *mean becomes the mean. [torch.std_mean]
TINY_API tiny_tensor *tiny_std_mean(tiny_tensor *x, int axis, int keepdim, int correction, tiny_tensor **mean);
// tiny_sum of what is not NaN. [torch.nansum]
TINY_API tiny_tensor *tiny_nansum(tiny_tensor *x, int axis, int keepdim);
// tiny_mean of what is not NaN. [torch.nanmean]
TINY_API tiny_tensor *tiny_nanmean(tiny_tensor *x, int axis, int keepdim);
// bool: is one not 0? [torch.any]
TINY_API tiny_tensor *tiny_any(tiny_tensor *x, int axis, int keepdim);
// bool: is none 0? [torch.all]
TINY_API tiny_tensor *tiny_all(tiny_tensor *x, int axis, int keepdim);
// i64: how many are not 0. [torch.count_nonzero]
TINY_API tiny_tensor *tiny_count_nonzero(tiny_tensor *x, int axis, int keepdim);
// Real: (sum |x|^p)^(1/p); p 0: how many are not 0, HUGE_VAL: the greatest |x|, -HUGE_VAL: the least. No gradient flows
// to elements that are 0 or from a norm that is 0. [torch.linalg.vector_norm]
TINY_API tiny_tensor *tiny_norm(tiny_tensor *x, double p, int axis, int keepdim);
// x with its slices at each place of axis whose p-norm is more than most scaled down to it. Real; p > 0, most >= 0.
// [torch.renorm]
TINY_API tiny_tensor *tiny_renorm(tiny_tensor *x, double p, int axis, double most);
// 0-d norm of a - b, broadcast; integers and bools are f32 before they are subtracted [torch.dist]
TINY_API tiny_tensor *tiny_dist(tiny_tensor *a, tiny_tensor *b, double p);
// What is made of several elements: by tiny_reduce, or where tiny_scatter_reduce brings them to one place.
typedef enum tiny_reduce_op {
  TINY_REDUCE_SUM = 0,
  TINY_REDUCE_PROD,
  TINY_REDUCE_AMAX,                        // the greatest; equals share the gradient
  TINY_REDUCE_AMIN,                        // the least, likewise
  TINY_REDUCE_MEAN,
  TINY_REDUCE_REPLACE                      // of scatters alone: the last one, as tiny_scatter has it
} tiny_reduce_op;
// Reduces the axes listed, as tiny_sum, tiny_prod, tiny_amax, tiny_amin or tiny_mean do. TINY_E_ARG: another op.
// [numpy.ufunc.reduce]
TINY_API tiny_tensor *tiny_reduce(tiny_tensor *x, tiny_reduce_op op, tiny_shape axes, int keepdim);

// Where the greatest is, i32; of equals the first, of NaNs too, which count as the greatest. One axis, or TINY_ALL:
// of x laid flat. No gradient. TINY_E_SHAPE if there is nothing along the axis. [torch.argmax]
TINY_API tiny_tensor *tiny_argmax(tiny_tensor *x, int axis, int keepdim);
// Where the least is, as tiny_argmax; NaN counts as the least. [torch.argmin]
TINY_API tiny_tensor *tiny_argmin(tiny_tensor *x, int axis, int keepdim);
// Returns the maximum; *index becomes what tiny_argmax gives. The gradient goes to that element alone. [torch.max]
TINY_API tiny_tensor *tiny_max(tiny_tensor *x, int axis, int keepdim, tiny_tensor **index);
// Returns the minimum; *index becomes what tiny_argmin gives, else as tiny_max. [torch.min]
TINY_API tiny_tensor *tiny_min(tiny_tensor *x, int axis, int keepdim, tiny_tensor **index);

// x's shape: element i folds 0 to i of the axis. Dtypes as tiny_sum. [torch.cumsum]
TINY_API tiny_tensor *tiny_cumsum(tiny_tensor *x, int axis);
// The product of elements 0 to i of the axis, as tiny_cumsum; gradients are exact at zeros. [torch.cumprod]
TINY_API tiny_tensor *tiny_cumprod(tiny_tensor *x, int axis);
// Real: the logarithm of the sum of exp(x) over elements 0 to i of the axis. [torch.logcumsumexp]
TINY_API tiny_tensor *tiny_logcumsumexp(tiny_tensor *x, int axis);
// Running maxima; *index (may be NULL) becomes their positions, i32, the last of equals. The gradient goes to those
// elements, by a sum over the axis for each of them. NaN stays from where it comes. [torch.cummax]
TINY_API tiny_tensor *tiny_cummax(tiny_tensor *x, int axis, tiny_tensor **index);
// Running minima, as tiny_cummax. [torch.cummin]
TINY_API tiny_tensor *tiny_cummin(tiny_tensor *x, int axis, tiny_tensor **index);

// Each element along axis minus the one before it, n times over; the axis gets shorter by one each time. before and
// after (NULL: nothing) are laid beside x first, as tiny_cat does. Of bools: do they differ? TINY_E_SHAPE for 0-d x.
// [torch.diff]
TINY_API tiny_tensor *tiny_diff(tiny_tensor *x, int64_t n, int axis, tiny_tensor *before, tiny_tensor *after);
// Real: the area under y along axis by the trapezoidal rule, without the axis. x says where the points lie, (n) along
// axis or a shape that broadcasts to y's; NULL: step apart. One point has no area. [torch.trapezoid]
TINY_API tiny_tensor *tiny_trapezoid(tiny_tensor *y, tiny_tensor *x, double step, int axis);
// The area up to each point but the first: the axis is shorter by one. [torch.cumulative_trapezoid]
TINY_API tiny_tensor *tiny_cumulative_trapezoid(tiny_tensor *y, tiny_tensor *x, double step, int axis);

// ** indexing: elements by their positions **************************************************** >>indexing
//
// Indices are of any integer dtype. A negative index counts from the end: -1 is the last element. What is out
// of range reads as 0 and is written nowhere: it cannot be an error, as nothing has been computed yet.
// Positions that an operator finds are i32. axis may be negative; 0-d tensors take axis 0 and -1. src is cast
// to x's dtype, 0-d ones go to every position; results have the dtype of x. Gradients flow to what was read
// and from what was written. Errors of all: TINY_E_DTYPE when indices are no integers or a mask is not bool,
// TINY_E_SHAPE when shapes do not fit.

// Integer (..) -> bool (..,classes): true at the label, nowhere for a label that is no class, negative ones
// included. No gradient. [torch.nn.functional.one_hot]
TINY_API tiny_tensor *tiny_one_hot(tiny_tensor *labels, int64_t classes);
// y[i][j][k] = x[index[i][j][k]][j][k] for axis 0: index has as many dims as x and is nowhere longer than x,
// but for the axis; y has its shape. [torch.gather]
TINY_API tiny_tensor *tiny_gather(tiny_tensor *x, int axis, tiny_tensor *index);
// As tiny_gather, but dims other than axis broadcast against each other. TINY_ALL: flat elements at flat
// indices. [numpy.take_along_axis]
TINY_API tiny_tensor *tiny_take_along_axis(tiny_tensor *x, int axis, tiny_tensor *index);
// index (m) or 0-d: the slices of x at these positions along axis, which becomes m. [torch.index_select]
TINY_API tiny_tensor *tiny_index_select(tiny_tensor *x, int axis, tiny_tensor *index);
// Elements of flattened x at index; index's shape. [torch.take]
TINY_API tiny_tensor *tiny_take(tiny_tensor *x, tiny_tensor *index);
// x[index[0], index[1], ..] by NumPy's rules: NULL stands for a whole axis, as do axes after the n-th;
// indices broadcast together, and their dims stand where the first of them was if they are side by side, else
// in front. A bool tensor of k dims is a mask of k axes and stands for the positions of what is true:
// computed at once, to learn how many there are. [numpy.ndarray.__getitem__]
TINY_API tiny_tensor *tiny_index(tiny_tensor *x, tiny_tensor *const *index, int n);

// x with src[i][j][k] put at [index[i][j][k]][j][k] for axis 0. index has as many dims as x and src, and is
// nowhere longer than src, or, but for the axis, than x. Of several sources for one place the last one, in
// the order of axis, stays, and has the gradient. [torch.scatter]
TINY_API tiny_tensor *tiny_scatter(tiny_tensor *x, int axis, tiny_tensor *index, tiny_tensor *src);
// As tiny_scatter, but src is added to x. f16 and bf16 add up in f32. [torch.scatter_add]
TINY_API tiny_tensor *tiny_scatter_add(tiny_tensor *x, int axis, tiny_tensor *index, tiny_tensor *src);
// As tiny_scatter, by mode; means of integers are rounded down. include_self 0: old values count only where nothing
// goes. [torch.scatter_reduce]
TINY_API tiny_tensor *tiny_scatter_reduce(tiny_tensor *x, int axis, tiny_tensor *index, tiny_tensor *src,
                                          tiny_reduce_op mode, int include_self);
// index (m) or 0-d, src like x with m along axis, or 0-d: slices of src are added to those of x.
// [torch.index_add]
TINY_API tiny_tensor *tiny_index_add(tiny_tensor *x, int axis, tiny_tensor *index, tiny_tensor *src);
// As tiny_index_add, but slices of src replace those of x; of several the last one stays. [torch.index_copy]
TINY_API tiny_tensor *tiny_index_copy(tiny_tensor *x, int axis, tiny_tensor *index, tiny_tensor *src);
// As tiny_index_add, by a mode of tiny_scatter_reduce. [torch.Tensor.index_reduce_]
TINY_API tiny_tensor *tiny_index_reduce(tiny_tensor *x, int axis, tiny_tensor *index, tiny_tensor *src,
                                        tiny_reduce_op mode, int include_self);
// Slices of x at index (m) or 0-d become value. [torch.index_fill]
TINY_API tiny_tensor *tiny_index_fill(tiny_tensor *x, int axis, tiny_tensor *index, double value);
// src, of as many elements as index, replaces elements of flattened x, or is added to them; x's shape.
// [torch.Tensor.put]
TINY_API tiny_tensor *tiny_put(tiny_tensor *x, tiny_tensor *index, tiny_tensor *src, int accumulate);
// x after x[index[0], index[1], ..] = src, or += src, with indices as tiny_index has them and src broadcast
// to what tiny_index gives. To write into x itself: tiny_assign(x, tiny_index_put(x, ..)), and for slices
// tiny_assign on a view. [torch.index_put]
TINY_API tiny_tensor *tiny_index_put(tiny_tensor *x, tiny_tensor *const *index, int n, tiny_tensor *src,
                                     int accumulate);

// x where mask is false, value where it is true; mask and x broadcast. [torch.masked_fill]
TINY_API tiny_tensor *tiny_masked_fill(tiny_tensor *x, tiny_tensor *mask, double value);
// The elements of x where mask is true, as 1-d; they broadcast. Computes mask, to learn how many.
// [torch.masked_select]
TINY_API tiny_tensor *tiny_masked_select(tiny_tensor *x, tiny_tensor *mask);
// Element i along axis repeats[i] times; integers (n), or one for all, 0-d or (1). TINY_ALL: of x laid flat. Computes
// repeats, to learn how many that makes; TINY_E_ARG if one is negative. [torch.repeat_interleave]
TINY_API tiny_tensor *tiny_repeat_interleave_by(tiny_tensor *x, tiny_tensor *repeats, int axis);
// x with the elements of src, in order, where mask is true; mask broadcasts to x. Where src has no more: 0.
// [torch.Tensor.masked_scatter]
TINY_API tiny_tensor *tiny_masked_scatter(tiny_tensor *x, tiny_tensor *mask, tiny_tensor *src);
// Positions of what is not 0, (count, dims of x) in row-major order: argwhere, or where with one argument.
// Computes x, to learn how many. No gradient. [torch.nonzero]
TINY_API tiny_tensor *tiny_nonzero(tiny_tensor *x);

// How often each of 0, 1, .. up to the greatest element occurs in integers x (n): i32 (max(greatest + 1,
// least)). With weights (n), their sums, f32 for f32 and f64 for others. Computes x, to learn the greatest;
// TINY_E_ARG if one is negative. [torch.bincount]
TINY_API tiny_tensor *tiny_bincount(tiny_tensor *x, tiny_tensor *weights, int64_t least);
// How many elements lie in each of bins equal parts of lo..hi, hi included; lo == hi: from the least element
// to the greatest. x's dtype, f32 for integers. No gradient. [torch.histc]
TINY_API tiny_tensor *tiny_histc(tiny_tensor *x, int64_t bins, double lo, double hi);

// ** sorting ********************************************************************************** >>sorting
//
// NaN is greater than everything else. Equal elements keep their order, descending as well. Every dtype
// sorts; indices are i32 and may be NULL when they are not wanted. Gradients flow through values to the
// elements that they came from. 0-d tensors take axis 0 and -1. Cost: rows of up to 256 elements by counting
// in two or three kernels, longer ones in O(n log^2 n) by one kernel over and over.

// x sorted along axis, and where each element was. [torch.sort]
TINY_API tiny_tensor *tiny_sort(tiny_tensor *x, int axis, int descending, tiny_tensor **indices);
// Indices that sort x along axis, i32 of x's shape. No gradient. [torch.argsort]
TINY_API tiny_tensor *tiny_argsort(tiny_tensor *x, int axis, int descending);
// The k greatest (largest) or least elements along axis, sorted; of equals the first. TINY_E_ARG unless 0 <=
// k <= size. [torch.topk]
TINY_API tiny_tensor *tiny_topk(tiny_tensor *x, int64_t k, int axis, int largest, tiny_tensor **indices);
// The k-th least element along axis, k from 1. [torch.kthvalue]
TINY_API tiny_tensor *tiny_kthvalue(tiny_tensor *x, int64_t k, int axis, int keepdim, tiny_tensor **indices);
// The element in the middle, of two the lesser; NaN if there is one. axis may be TINY_ALL; indices are then
// flat. [torch.median]
TINY_API tiny_tensor *tiny_median(tiny_tensor *x, int axis, int keepdim, tiny_tensor **indices);
// tiny_median of what is not NaN. [torch.nanmedian]
TINY_API tiny_tensor *tiny_nanmedian(tiny_tensor *x, int axis, int keepdim, tiny_tensor **indices);
// Quantiles q, 0-d or (m) of numbers in 0..1, along axis, which may be TINY_ALL: between two elements in
// proportion. m is the first dim of the result. NaN where there is one, or q is out of range. Integers as
// f32. [torch.quantile]
TINY_API tiny_tensor *tiny_quantile(tiny_tensor *x, tiny_tensor *q, int axis, int keepdim);
// tiny_quantile of what is not NaN. [torch.nanquantile]
TINY_API tiny_tensor *tiny_nanquantile(tiny_tensor *x, tiny_tensor *q, int axis, int keepdim);
// What a quantile is that lies between two elements.
typedef enum tiny_quantile_rule {
  TINY_QUANTILE_LINEAR = 0,                // in proportion
  TINY_QUANTILE_LOWER,                     // the lower one
  TINY_QUANTILE_HIGHER,                    // the higher one
  TINY_QUANTILE_MIDPOINT,                  // their mean
  TINY_QUANTILE_NEAREST                    // the nearer one, of equally near ones that of even rank
} tiny_quantile_rule;
// tiny_quantile by another rule [torch.quantile(interpolation=)]
TINY_API tiny_tensor *tiny_quantile_by(tiny_tensor *x, tiny_tensor *q, int axis, int keepdim, tiny_quantile_rule how);
// tiny_nanquantile by another rule [torch.nanquantile(interpolation=)]
TINY_API tiny_tensor *tiny_nanquantile_by(tiny_tensor *x, tiny_tensor *q, int axis, int keepdim,
                                          tiny_quantile_rule how);
// The most frequent element along axis, of several the least; the index is that of its last occurrence.
// [torch.mode]
TINY_API tiny_tensor *tiny_mode(tiny_tensor *x, int axis, int keepdim, tiny_tensor **indices);
// The different elements of x, sorted, as 1-d; inverse, of x's shape, says which one each element is, counts
// how often each occurs; either may be NULL. Each NaN is one of its own. Computes x, to learn how many there
// are. [torch.unique]
TINY_API tiny_tensor *tiny_unique(tiny_tensor *x, tiny_tensor **inverse, tiny_tensor **counts);
// As tiny_unique, but only of equal elements that follow each other in flattened x one stays.
// [torch.unique_consecutive]
TINY_API tiny_tensor *tiny_unique_consecutive(tiny_tensor *x, tiny_tensor **inverse, tiny_tensor **counts);
// The different slices of x along axis, in the order of their first elements that differ, row-major as numpy.unique has
// it (torch swaps axis with the first: other orders from 3 dims on); axis is as long as there are. inverse (n) says
// which one each slice is, counts how often each occurs. A slice with a NaN is one of its own. Computes x.
// [torch.unique(dim=)]
TINY_API tiny_tensor *tiny_unique_along(tiny_tensor *x, int axis, tiny_tensor **inverse, tiny_tensor **counts);
// As tiny_unique_along, but only of equal slices that follow each other one stays. [torch.unique_consecutive(dim=)]
TINY_API tiny_tensor *tiny_unique_consecutive_along(tiny_tensor *x, int axis, tiny_tensor **inverse,
                                                    tiny_tensor **counts);
// Where values (..,m) go into rising rows sorted (..,n), or (n) for all: how many elements are less, or not
// greater (right). i32 of values' shape. NaN counts as the greatest. No gradient. [torch.searchsorted]
TINY_API tiny_tensor *tiny_searchsorted(tiny_tensor *sorted, tiny_tensor *values, int right);
// Which of the buckets between rising edges (n) each element of x is in: 0..n; an element on an edge is in
// the lower one, or the upper one (right). No gradient. [torch.bucketize]
TINY_API tiny_tensor *tiny_bucketize(tiny_tensor *x, tiny_tensor *edges, int right);
// How many elements of x lie in each part between rising edges (n+1), the last edge included, or the sum of
// their weights, which have x's shape or are NULL; density: divided by their total and the width of the part.
// The float dtype of weights, or else of x, f32 for integers. [numpy.histogram]
TINY_API tiny_tensor *tiny_histogram(tiny_tensor *x, tiny_tensor *edges, tiny_tensor *weights, int density);
// tiny_histogram of bins equal parts of lo..hi; lo == hi: from the least element to the greatest, from 0 to 1 if
// there are none. *edges (may be NULL) becomes the (bins+1) edges, in x's float dtype. TINY_E_ARG unless bins >= 1
// and lo <= hi. No gradient but to weights. [numpy.histogram(range=)]
TINY_API tiny_tensor *tiny_histogram_bins(tiny_tensor *x, int64_t bins, double lo, double hi, tiny_tensor *weights,
                                          int density, tiny_tensor **edges);
// Which elements of x are among those of set: bool of x's shape. NaN is among none. No gradient. [torch.isin]
TINY_API tiny_tensor *tiny_isin(tiny_tensor *x, tiny_tensor *set);
