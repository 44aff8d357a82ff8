// linalg: products, systems of equations, factorisations of matrices, Fourier transforms.
// ** linear algebra *************************************************************************** >>linalg

// Operands promote as in >>elementwise. Products of f16 and bf16 accumulate in f32; the rest computes them in
// f32, and integers and bools, too. A matrix is the last two dims; dims before them are a batch. TINY_E_SHAPE
// if shapes do not fit.

// x (..,M,K) @ w (..,K,N) -> (..,M,N). Leading dims broadcast; a 1-d operand acts as a row or column and its
// dim vanishes. f16 and bf16 accumulate in f32; integers wrap at their own width: cast bytes to i32,
// which costs no pass, to add in i32. TINY_E_SHAPE if the inner dims differ. [torch.matmul]
TINY_API tiny_tensor *tiny_matmul(tiny_tensor *x, tiny_tensor *w);
// x (..,K), w (N,K), bias (N) or NULL -> (..,N). [torch.nn.functional.linear]
TINY_API tiny_tensor *tiny_linear(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias);
// Two vectors of n elements -> 0-d: the sum of their products. [torch.dot]
TINY_API tiny_tensor *tiny_dot(tiny_tensor *a, tiny_tensor *b);
// The sum of products of all elements of two tensors of any shapes, in order: 0-d. [numpy.vdot]
TINY_API tiny_tensor *tiny_vdot(tiny_tensor *a, tiny_tensor *b);
// Sums of products along one axis of the broadcast shape, which vanishes. [torch.linalg.vecdot]
TINY_API tiny_tensor *tiny_vecdot(tiny_tensor *a, tiny_tensor *b, int axis);
// a (A..,K), b (B..,K) -> (A..,B..); the product, if one is 0-d. [torch.inner]
TINY_API tiny_tensor *tiny_inner(tiny_tensor *a, tiny_tensor *b);
// Flattened a (n) and b (m) -> (n,m): every product of two elements. [torch.outer]
TINY_API tiny_tensor *tiny_outer(tiny_tensor *a, tiny_tensor *b);
// Every element of a becomes a block, b times that element; dims are aligned at the last. Up to 8 dims.
// [torch.kron]
TINY_API tiny_tensor *tiny_kron(tiny_tensor *a, tiny_tensor *b);
// Sums over axes_a of a and, in the same order, axes_b of b; the other axes of a, then those of b, stay.
// [torch.tensordot]
TINY_API tiny_tensor *tiny_tensordot(tiny_tensor *a, tiny_tensor *b, tiny_shape axes_a, tiny_shape axes_b);
// xs[0] @ xs[1] @ .. in the order that takes the fewest multiplications. All are matrices, but the first and
// the last may be vectors. 1 to 32 operands; none give NULL, as tiny_cat. [torch.linalg.multi_dot]
TINY_API tiny_tensor *tiny_multi_dot(tiny_tensor *const *xs, int n);
// Sums of products as subscripts say: "bij,bjk->bik". Letters name dims; a letter that stands twice in an
// operand takes its diagonal; letters that the output lacks are summed. Without "->" the output has the
// letters that stand once, in the order of the alphabet, behind the ellipsis. "..." stands for dims that
// broadcast, and are summed if an explicit output has none.
// Dims of 1 broadcast. 1 to 16 operands, none give NULL as tiny_cat; up to 8 are contracted in the cheapest order,
// more from left to right. TINY_E_ARG tells the position of what is wrong in the text. [torch.einsum]
TINY_API tiny_tensor *tiny_einsum(const char *subscripts, tiny_tensor *const *xs, int n);
// (..,n,m) -> (..): the sum of the diagonal, of the dtype that tiny_sum gives. [numpy.trace]
TINY_API tiny_tensor *tiny_trace(tiny_tensor *x);
// Cross products along an axis of 3. Dims broadcast. [torch.linalg.cross]
TINY_API tiny_tensor *tiny_cross(tiny_tensor *a, tiny_tensor *b, int axis);
// a (..,M,K), b (..,N,K) -> (..,M,N): p-norms of the differences of rows, 0 <= p <= HUGE_VAL. The gradient of
// a distance of 0 is 0. [torch.cdist]
TINY_API tiny_tensor *tiny_cdist(tiny_tensor *a, tiny_tensor *b, double p);

#ifndef TINY_NO_LINALG
// Each factorisation is a few kernels, whatever the size; each matrix of a batch is a task. Gradients are computed
// only where they are asked for.
// Gradients are exact to second order. Where several results come back, the pointers may be NULL. No matrix
// is an error by its values: what a singular one gives is told at each.

// (..,n,n) -> (..): determinants. 0, and a gradient of 0, for a singular matrix. [torch.linalg.det]
TINY_API tiny_tensor *tiny_det(tiny_tensor *x);
// The determinants' signs, and *logabsdet, the logarithms of their sizes; singular: 0 and -inf.
// [torch.linalg.slogdet]
TINY_API tiny_tensor *tiny_slogdet(tiny_tensor *x, tiny_tensor **logabsdet);
// (..,n,n): inverses, by elimination with row exchanges. All of a singular one is inf or NaN.
// [torch.linalg.inv]
TINY_API tiny_tensor *tiny_inv(tiny_tensor *x);
// The x of a @ x = b. a (..,n,n), b (..,n,k), or (n) or (..,n) with the batch of a. Batches broadcast.
// Singular: inf or NaN.
// [torch.linalg.solve]
TINY_API tiny_tensor *tiny_solve(tiny_tensor *a, tiny_tensor *b);
// As tiny_solve, where a is triangular: what lies on its other side is not looked at, and with unit the diagonal
// counts as ones. A 0 on the diagonal counts as 1. [torch.linalg.solve_triangular]
TINY_API tiny_tensor *tiny_triangular_solve(tiny_tensor *a, tiny_tensor *b, int upper, int unit);
// Of symmetric positive definite matrices, of which only the lower triangle is looked at: the lower l with l
// @ l^T = x, or upper: l^T. NaN where a matrix is not positive definite. Gradients are symmetric.
// [torch.linalg.cholesky]
TINY_API tiny_tensor *tiny_cholesky(tiny_tensor *x, int upper);
// x (..,n,m) = p @ *l @ *u: p (..,n,n) a permutation, *l (..,n,k) lower with ones on the diagonal, *u
// (..,k,m) upper, k = min(n,m). [torch.linalg.lu]
TINY_API tiny_tensor *tiny_lu(tiny_tensor *x, tiny_tensor **l, tiny_tensor **u);
// x (..,n,m) = q @ *r by Householder reflections, with the signs that LAPACK gives: q (..,n,k) orthonormal
// columns, *r (..,k,m) upper, k = min(n,m), or n if complete. The columns of q beyond m have no gradient.
// [torch.linalg.qr]
TINY_API tiny_tensor *tiny_qr(tiny_tensor *x, int complete, tiny_tensor **r);
// x (..,n,m) = u @ diag(*s) @ *vt by Jacobi rotations: u (..,n,k), *s (..,k) descending, *vt (..,k,m), k =
// min(n,m). Signs of the vectors are arbitrary. Gradients through vectors need distinct singular values.
// [torch.linalg.svd]
TINY_API tiny_tensor *tiny_svd(tiny_tensor *x, tiny_tensor **s, tiny_tensor **vt);
// Of symmetric matrices, of which only the lower triangle is looked at: eigenvalues (..,n), ascending, and
// *vectors (..,n,n), in columns, by Jacobi rotations. Gradients through vectors need distinct eigenvalues.
// [torch.linalg.eigh]
TINY_API tiny_tensor *tiny_eigh(tiny_tensor *x, tiny_tensor **vectors);
// Systems whose factors are known. p, l, u (..,n,n) as tiny_lu gives them, b as in tiny_solve: the x of p @ l @ u @ x
// = b. The diagonal of l counts as ones. [torch.linalg.lu_solve]
TINY_API tiny_tensor *tiny_lu_solve(tiny_tensor *p, tiny_tensor *l, tiny_tensor *u, tiny_tensor *b);
// The x of l @ l^T @ x = b, or upper: l^T @ l @ x = b, for l as tiny_cholesky gives it. [torch.cholesky_solve]
TINY_API tiny_tensor *tiny_cholesky_solve(tiny_tensor *b, tiny_tensor *l, int upper);
// (..,n,m) -> (..,m,n): pseudo-inverses. Singular values not above rtol times the greatest count as 0; rtol
// 0: the greater of n and m times the dtype's epsilon (f32's for halves). The gradient is that of full rank.
// TINY_E_ARG: rtol is negative. [torch.linalg.pinv]
TINY_API tiny_tensor *tiny_pinv(tiny_tensor *x, double rtol);
// As tiny_pinv, where singular values not above atol count as 0, too. rtol 0: none where there is an atol.
// [torch.linalg.pinv]
TINY_API tiny_tensor *tiny_pinv_within(tiny_tensor *x, double atol, double rtol);
// The x that makes a @ x - b least, and of many such the shortest. a (..,n,m) of full rank, b as in
// tiny_solve.
// [torch.linalg.lstsq]
TINY_API tiny_tensor *tiny_lstsq(tiny_tensor *a, tiny_tensor *b);
// (..,n,m) -> i32 (..): how many singular values lie above rtol times the greatest; rtol as in tiny_pinv.
// [torch.linalg.matrix_rank]
TINY_API tiny_tensor *tiny_matrix_rank(tiny_tensor *x, double rtol);
// As tiny_matrix_rank, with atol as in tiny_pinv_within. [torch.linalg.matrix_rank]
TINY_API tiny_tensor *tiny_matrix_rank_within(tiny_tensor *x, double atol, double rtol);
// Norms of a matrix.
typedef enum tiny_norm_order {
  TINY_NORM_FRO = 0,                       // the root of the sum of squares
  TINY_NORM_NUC,                           // the sum of the singular values
  TINY_NORM_1,                             // the greatest sum of a column's sizes
  TINY_NORM_INF,                           // the greatest sum of a row's sizes
  TINY_NORM_2,                             // the greatest singular value
  TINY_NORM_MIN_1, TINY_NORM_MIN_INF, TINY_NORM_MIN_2        // the least of those
} tiny_norm_order;
// (..,n,m) -> (..). [torch.linalg.matrix_norm]
TINY_API tiny_tensor *tiny_matrix_norm(tiny_tensor *x, tiny_norm_order order);
// The norm times that of the inverse; for TINY_NORM_2, of any (..,n,m), the greatest singular value over the least, for
// TINY_NORM_MIN_2 the least over the greatest. [torch.linalg.cond]
TINY_API tiny_tensor *tiny_cond(tiny_tensor *x, tiny_norm_order order);
// (..,n,n) multiplied n times; n < 0: the inverse. [torch.linalg.matrix_power]
TINY_API tiny_tensor *tiny_matrix_power(tiny_tensor *x, int64_t n);
// (..,n,n): e^x of matrices, by scaling and squaring; their greatest column sums of sizes are up to 2^24.
// [torch.linalg.matrix_exp]
TINY_API tiny_tensor *tiny_matrix_exp(tiny_tensor *x);
// x (n,m), m observations of n variables, -> (n,n): covariances, divided by m - correction; x (m) -> 0-d. Observations
// count fweights (m) times, integers; aweights (m) says what they are worth. Both may be NULL. [torch.cov]
TINY_API tiny_tensor *tiny_cov(tiny_tensor *x, int correction, tiny_tensor *fweights, tiny_tensor *aweights);
// x as in tiny_cov -> (n,n): Pearson's correlation coefficients, or 0-d. [torch.corrcoef]
TINY_API tiny_tensor *tiny_corrcoef(tiny_tensor *x);

// ** Fourier transforms *********************************************************************** >>fft

// A complex number is a last dim of 2, its real and imaginary part, as torch.view_as_real gives it. An axis,
// also a negative one, counts dims of numbers: that of the parts is not among them. n, if positive, is the
// length to which the axis is cut or filled with zeros; any length will do, in O(n log n). Integers count as
// f32, halves are computed in f32.

// What a transform and its inverse are divided by.
typedef enum tiny_fft_norm {
  TINY_FFT_BACKWARD = 0,                   // inverse transforms are divided by n
  TINY_FFT_ORTHO,                          // all by the root of n
  TINY_FFT_FORWARD                         // forward ones by n
} tiny_fft_norm;

// Complex -> complex. [torch.fft.fft]
TINY_API tiny_tensor *tiny_fft(tiny_tensor *x, int64_t n, int axis, tiny_fft_norm norm);
// Complex -> complex, the inverse. [torch.fft.ifft]
TINY_API tiny_tensor *tiny_ifft(tiny_tensor *x, int64_t n, int axis, tiny_fft_norm norm);
// Real (..,n,..) -> complex (..,n/2+1,..,2): the half that the other half mirrors. [torch.fft.rfft]
TINY_API tiny_tensor *tiny_rfft(tiny_tensor *x, int64_t n, int axis, tiny_fft_norm norm);
// Complex (..,h,..,2) -> real (..,n,..); n <= 0: 2 (h - 1). [torch.fft.irfft]
TINY_API tiny_tensor *tiny_irfft(tiny_tensor *x, int64_t n, int axis, tiny_fft_norm norm);
// Along several axes, or TINY_SHAPE(TINY_ALL). fft2 is that of TINY_SHAPE(-2, -1). [torch.fft.fftn]
TINY_API tiny_tensor *tiny_fftn(tiny_tensor *x, tiny_shape axes, tiny_fft_norm norm);
// The inverse of tiny_fftn. [torch.fft.ifftn]
TINY_API tiny_tensor *tiny_ifftn(tiny_tensor *x, tiny_shape axes, tiny_fft_norm norm);
// As tiny_fftn, of real numbers: the last axis of the list is the one that is halved. [torch.fft.rfftn]
TINY_API tiny_tensor *tiny_rfftn(tiny_tensor *x, tiny_shape axes, tiny_fft_norm norm);
// The inverse of tiny_rfftn; last: the length of the last axis of the list, <= 0: as tiny_irfft.
// [torch.fft.irfftn]
TINY_API tiny_tensor *tiny_irfftn(tiny_tensor *x, int64_t last, tiny_shape axes, tiny_fft_norm norm);
// Puts frequency 0 in the middle of axes. These count all dims of x: name those of complex numbers from the
// front.
// [torch.fft.fftshift]
TINY_API tiny_tensor *tiny_fftshift(tiny_tensor *x, tiny_shape axes);
// The inverse of tiny_fftshift. [torch.fft.ifftshift]
TINY_API tiny_tensor *tiny_ifftshift(tiny_tensor *x, tiny_shape axes);
// The frequencies of n points that lie step apart, in the order of tiny_fft; dtype a float.
// [torch.fft.fftfreq]
TINY_API tiny_tensor *tiny_fftfreq(tiny_ctx *t, int64_t n, double step, tiny_dtype dtype);
// As tiny_fftfreq, in the order of tiny_rfft. [torch.fft.rfftfreq]
TINY_API tiny_tensor *tiny_rfftfreq(tiny_ctx *t, int64_t n, double step, tiny_dtype dtype);

// Zero means default.
typedef struct tiny_stft_desc {
  int64_t hop;                             // from one frame to the next; 0: n / 4
  tiny_tensor *window;                     // (up to n) real numbers, in the middle of each frame; NULL: ones
  int no_center;                           // the first frame begins at the first sample, and is not around it
  int zeros;                               // lie before and behind the samples, not their reflection
  int normalized;                          // spectra are divided by the root of n
  int two_sided;                           // spectra have n bins; istft reads the n/2+1 that the others mirror
  int64_t length;                          // of istft: so many samples, zeros behind the last; 0: all that there are
} tiny_stft_desc;
// Spectra of frames of n samples of real x (..,T): (.., bins, frames, 2), by tiny_fft of each frame times the window.
// d NULL: all defaults. Gradients flow to x and to the window. TINY_E_SHAPE: a frame, or what is reflected, is longer
// than x. [torch.stft]
TINY_API tiny_tensor *tiny_stft(tiny_tensor *x, int64_t n, const tiny_stft_desc *d);
// The real samples (..,T) that have these spectra (.., bins, frames, 2), by the least squares of all frames: their sum
// times the window, over the sum of the window's squares, and undivided where that is less than 1e-11. T without
// length: n + hop (frames - 1), n/2 less at both ends where frames are centred. [torch.istft]
TINY_API tiny_tensor *tiny_istft(tiny_tensor *x, int64_t n, const tiny_stft_desc *d);

// Numbers of these parts, which broadcast; im NULL: real numbers. [torch.complex]
TINY_API tiny_tensor *tiny_complex(tiny_tensor *re, tiny_tensor *im);
// size (cos angle + i sin angle). [torch.polar]
TINY_API tiny_tensor *tiny_polar(tiny_tensor *size, tiny_tensor *angle);
// (..,2) -> (..): real parts. [torch.real]
TINY_API tiny_tensor *tiny_real(tiny_tensor *x);
// (..,2) -> (..): imaginary parts. [torch.imag]
TINY_API tiny_tensor *tiny_imag(tiny_tensor *x);
// With imaginary parts negated. [torch.conj]
TINY_API tiny_tensor *tiny_conj(tiny_tensor *x);
// Products of numbers; dims broadcast. [torch.mul]
TINY_API tiny_tensor *tiny_complex_mul(tiny_tensor *a, tiny_tensor *b);
// (..,2) -> (..): sizes. The gradient at 0 is 0. [torch.abs]
TINY_API tiny_tensor *tiny_complex_abs(tiny_tensor *x);
#endif // TINY_NO_LINALG
