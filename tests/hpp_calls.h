// hpp_calls: each function of tiny.hpp that tools/hpp.py has written, once: to be compiled, not run. Written by it.
using namespace tiny;
inline void hpp_calls(const Context &t, const Tensor &x) {
  char bytes[8] = {0};
  int number = 0;
#ifndef TINY_NO_NN
  tiny_batch_norm_state made_tiny_batch_norm_state = tiny_batch_norm_state();
#endif
  tiny_profile_row made_tiny_profile_row = tiny_profile_row();
  (void)bytes;
  (void)number;
  (void)tiny::code_name(static_cast<tiny_code>(1));
  (void)tiny::version();
  (void)tiny::build_options();
  (void)tiny::dtype_nbytes(static_cast<tiny_dtype>(1));
  (void)tiny::dtype_name(static_cast<tiny_dtype>(1));
  (void)tiny::promote(static_cast<tiny_dtype>(1), static_cast<tiny_dtype>(1));
  (void)x.keep();
  (void)tiny::stats_of(t);
  (void)tiny::from(t, bytes, {1, 1}, static_cast<tiny_dtype>(1));
  (void)tiny::blob(t, bytes, {1, 1}, nullptr, static_cast<tiny_dtype>(1));
  (void)tiny::blob_of(t, bytes, {1, 1}, static_cast<tiny_dtype>(1));
  (void)tiny::scalar(t, 0.5, static_cast<tiny_dtype>(1));
  (void)tiny::length(t, 1, 1, 1);
  (void)x.read(bytes, 1);
  (void)x.write(bytes, 1);
#ifndef TINY_NO_INTERP
  (void)x.reference(bytes, 1);
#endif
  (void)x.item();
  (void)x.item_i64();
  (void)x.shape();
  (void)x.shape_now();
  (void)x.dtype();
  (void)x.nelem();
  (void)x.assign(x);
  (void)x.clone();
  (void)x.contiguous();
  (void)x.detach();
  (void)x.cast(static_cast<tiny_dtype>(1));
  (void)x.bitcast(static_cast<tiny_dtype>(1));
  (void)tiny::device_count(t);
  (void)tiny::device_name(t, 1);
  (void)tiny::device_handle(t, 1);
  (void)tiny::device_stats(t, 1);
  (void)tiny::use_device(t, 1);
  (void)tiny::sync(t);
  (void)x.device();
  (void)x.shard(1, {0, 0});
  (void)x.replicate({0, 0});
  (void)x.shard_part(1);
  (void)x.shard_count();
  (void)x.shard_axis();
  (void)tiny::full(t, 0.5, {1, 1}, static_cast<tiny_dtype>(1));
  (void)tiny::zeros(t, {1, 1}, static_cast<tiny_dtype>(1));
  (void)tiny::ones(t, {1, 1}, static_cast<tiny_dtype>(1));
  (void)x.full_like(0.5);
  (void)x.zeros_like();
  (void)x.ones_like();
  (void)x.like(0.5);
  (void)tiny::arange(t, 0.5, 0.5, 0.5, static_cast<tiny_dtype>(1));
  (void)tiny::linspace(t, 0.5, 0.5, 1, static_cast<tiny_dtype>(1));
  (void)tiny::logspace(t, 0.5, 0.5, 1, 0.5, static_cast<tiny_dtype>(1));
  (void)tiny::eye(t, 1, static_cast<tiny_dtype>(1));
  (void)tiny::eye_nm(t, 1, 1, 1, static_cast<tiny_dtype>(1));
  (void)tiny::tri(t, 1, 1, 1, static_cast<tiny_dtype>(1));
  (void)x.tril(1);
  (void)x.triu(1);
  tiny::seed(t, 1);
  (void)tiny::rand(t, {1, 1});
  (void)tiny::randn(t, {1, 1});
  (void)x.rand_like();
  (void)x.randn_like();
  (void)tiny::uniform(t, 0.5, 0.5, {1, 1}, static_cast<tiny_dtype>(1));
  (void)tiny::normal(t, 0.5, 0.5, {1, 1}, static_cast<tiny_dtype>(1));
  (void)tiny::randint(t, 1, 1, {1, 1}, static_cast<tiny_dtype>(1));
  (void)tiny::randperm(t, 1);
  (void)x.bernoulli();
  (void)x.multinomial(1, true);
  (void)tiny::xavier_uniform(t, {1, 1});
  (void)tiny::xavier_normal(t, {1, 1});
  (void)tiny::kaiming_uniform(t, 0.5, {1, 1});
  (void)tiny::kaiming_normal(t, 0.5, {1, 1});
  (void)x.dropout(0.5, true);
  (void)x.reshape({1, 1});
  (void)x.flatten(1, 1);
  (void)x.unflatten(1, {1, 1});
  (void)x.squeeze({0, -1});
  (void)x.unsqueeze(1);
  (void)x.permute({1, 1});
  (void)x.transpose(1, 1);
  (void)x.movedim(1, 1);
  (void)x.expand({1, 1});
  (void)x.expand_as(x);
  (void)x.tile({1, 1});
  (void)x.repeat({1, 1});
  (void)x.repeat_interleave(1, 1);
  (void)x.flip({1, 1});
  (void)x.roll({1, 1}, {1, 1});
  (void)x.rot90(1, 1, 1);
  (void)x.shrink({1, 1});
  (void)x.slice(1, 1, 1, 1);
  (void)x.slice_to(1, x);
  (void)x.with_length(1, x);
  (void)x.whole(1, 0.5);
  (void)x.length_of(1);
  (void)x.mask_to(1, x);
  (void)x.slice_at(1, x, 1);
  (void)x.narrow(1, 1, 1);
  (void)x.select(1, 1);
  (void)x.sliding_window(1, 1, 1);
  (void)x.diagonal(1, 1, 1);
  (void)x.diag_embed(1, 1, 1);
  (void)x.diag(1);
  (void)x.select_scatter(x, 1, 1);
  (void)x.slice_scatter(x, 1, 1, 1, 1);
  (void)x.diagonal_scatter(x, 1, 1, 1);
  (void)tiny::cat({x, x}, 1);
  (void)tiny::stack({x, x}, 1);
  (void)x.pad({1, 1}, 0.5);
  (void)x.pad_mode({1, 1}, static_cast<tiny_padding>(1));
  (void)x.add(x);
  (void)x.sub(x);
  (void)x.mul(x);
  (void)x.div(x);
  (void)x.floor_div(x);
  (void)x.trunc_div(x);
  (void)x.remainder(x);
  (void)x.fmod(x);
  (void)x.pow(x);
  (void)x.maximum(x);
  (void)x.minimum(x);
  (void)x.fmax(x);
  (void)x.fmin(x);
  (void)x.lt(x);
  (void)x.gt(x);
  (void)x.le(x);
  (void)x.ge(x);
  (void)x.eq(x);
  (void)x.ne(x);
  (void)x.add_scalar(0.5);
  (void)x.sub_scalar(0.5);
  (void)x.rsub_scalar(0.5);
  (void)x.mul_scalar(0.5);
  (void)x.div_scalar(0.5);
  (void)x.rdiv_scalar(0.5);
  (void)x.floor_div_scalar(0.5);
  (void)x.rfloor_div_scalar(0.5);
  (void)x.remainder_scalar(0.5);
  (void)x.rremainder_scalar(0.5);
  (void)x.pow_scalar(0.5);
  (void)x.rpow_scalar(0.5);
  (void)x.maximum_scalar(0.5);
  (void)x.minimum_scalar(0.5);
  (void)x.lt_scalar(0.5);
  (void)x.gt_scalar(0.5);
  (void)x.le_scalar(0.5);
  (void)x.ge_scalar(0.5);
  (void)x.eq_scalar(0.5);
  (void)x.ne_scalar(0.5);
  (void)x.isclose(x, 0.5, 0.5, true);
  (void)x.allclose(x, 0.5, 0.5, true);
  (void)x.logical_and(x);
  (void)x.logical_or(x);
  (void)x.logical_xor(x);
  (void)x.logical_not();
  (void)x.bitwise_and(x);
  (void)x.bitwise_or(x);
  (void)x.bitwise_xor(x);
  (void)x.bitwise_not();
  (void)x.shift_left(x);
  (void)x.shift_right(x);
  (void)x.gcd(x);
  (void)x.lcm(x);
  (void)x.where(x, x);
  (void)x.clamp(0.5, 0.5);
  (void)x.clamp_to(x, x);
  (void)x.lerp(x, x);
  (void)x.addcmul(x, x, 0.5);
  (void)x.addcdiv(x, x, 0.5);
  (void)x.neg();
  (void)x.abs();
  (void)x.sign();
  (void)x.square();
  (void)x.trunc();
  (void)x.floor();
  (void)x.ceil();
  (void)x.round();
  (void)x.round_to(1);
  (void)x.frac();
  (void)x.copysign(x);
  (void)x.heaviside(x);
  (void)x.nan_to_num(0.5, 0.5, 0.5);
  (void)x.isnan();
  (void)x.isinf();
  (void)x.isposinf();
  (void)x.isneginf();
  (void)x.isfinite();
  (void)x.signbit();
  (void)x.sqrt();
  (void)x.rsqrt();
  (void)x.cbrt();
  (void)x.reciprocal();
  (void)x.exp();
  (void)x.exp2();
  (void)x.expm1();
  (void)x.log();
  (void)x.log2();
  (void)x.log10();
  (void)x.log1p();
  (void)x.sin();
  (void)x.cos();
  (void)x.tan();
  (void)x.asin();
  (void)x.acos();
  (void)x.atan();
  (void)x.atan2(x);
  (void)x.sinh();
  (void)x.cosh();
  (void)x.tanh();
  (void)x.asinh();
  (void)x.acosh();
  (void)x.atanh();
  (void)x.hypot(x);
  (void)x.logaddexp(x);
  (void)x.logaddexp2(x);
  (void)x.xlogy(x);
  (void)x.xlog1py(x);
  (void)x.logit(0.5);
  (void)x.sinc();
  (void)x.deg2rad();
  (void)x.rad2deg();
  (void)x.erf();
  (void)x.erfc();
  (void)x.erfinv();
  (void)x.lgamma();
  (void)x.digamma();
  (void)tiny::polygamma(1, x);
  (void)x.i0();
  (void)x.i0e();
  (void)x.i1();
  (void)x.i1e();
  (void)x.igamma(x);
  (void)x.igammac(x);
  (void)x.relu();
  (void)x.relu6();
  (void)x.sigmoid();
  (void)x.silu();
  (void)x.mish();
  (void)x.gelu();
  (void)x.gelu_tanh();
  (void)x.elu(0.5);
  (void)x.selu();
  (void)x.celu(0.5);
  (void)x.leaky_relu(0.5);
  (void)x.prelu(x);
  (void)x.rrelu(0.5, 0.5);
  (void)x.hardtanh(0.5, 0.5);
  (void)x.hardsigmoid();
  (void)x.hardswish();
  (void)x.threshold(0.5, 0.5);
  (void)x.hardshrink(0.5);
  (void)x.softshrink(0.5);
  (void)x.tanhshrink();
  (void)x.softsign();
  (void)x.softplus(0.5, 0.5);
  (void)x.logsigmoid();
  (void)x.glu(1);
  (void)x.sum({0, -1}, true);
  (void)x.prod({0, -1}, true);
  (void)x.amax({0, -1}, true);
  (void)x.amin({0, -1}, true);
  (void)x.aminmax({0, -1}, true);
  (void)x.mean({0, -1}, true);
  (void)x.var({0, -1}, true, 1);
  (void)x.std({0, -1}, true, 1);
  (void)x.var_mean({0, -1}, true, 1);
  (void)x.std_mean({0, -1}, true, 1);
  (void)x.nansum({0, -1}, true);
  (void)x.nanmean({0, -1}, true);
  (void)x.any({0, -1}, true);
  (void)x.all({0, -1}, true);
  (void)x.count_nonzero({0, -1}, true);
  (void)x.norm(0.5, {0, -1}, true);
  (void)x.renorm(0.5, 1, 0.5);
  (void)x.dist(x, 0.5);
  (void)x.reduce(static_cast<tiny_reduce_op>(1), {1, 1}, true);
  (void)x.argmax(1, true);
  (void)x.argmin(1, true);
  (void)(x.max)(1, true);
  (void)(x.min)(1, true);
  (void)x.cumsum(1);
  (void)x.cumprod(1);
  (void)x.logcumsumexp(1);
  (void)x.cummax(1);
  (void)x.cummin(1);
  (void)x.diff(1, 1, x, x);
  (void)x.trapezoid(x, 0.5, 1);
  (void)x.cumulative_trapezoid(x, 0.5, 1);
  (void)x.one_hot(1);
  (void)x.gather(1, x);
  (void)x.take_along_axis(1, x);
  (void)x.index_select(1, x);
  (void)x.take(x);
  (void)x.index({x, x});
  (void)x.scatter(1, x, x);
  (void)x.scatter_add(1, x, x);
  (void)x.scatter_reduce(1, x, x, static_cast<tiny_reduce_op>(1), true);
  (void)x.index_add(1, x, x);
  (void)x.index_copy(1, x, x);
  (void)x.index_reduce(1, x, x, static_cast<tiny_reduce_op>(1), true);
  (void)x.index_fill(1, x, 0.5);
  (void)x.put(x, x, true);
  (void)x.index_put({x, x}, x, true);
  (void)x.masked_fill(x, 0.5);
  (void)x.masked_select(x);
  (void)x.repeat_interleave_by(x, 1);
  (void)x.masked_scatter(x, x);
  (void)x.nonzero();
  (void)x.bincount(x, 1);
  (void)x.histc(1, 0.5, 0.5);
  (void)x.sort(1, true);
  (void)x.argsort(1, true);
  (void)x.topk(1, 1, true);
  (void)x.kthvalue(1, 1, true);
  (void)x.median(1, true);
  (void)x.nanmedian(1, true);
  (void)x.quantile(x, 1, true);
  (void)x.nanquantile(x, 1, true);
  (void)x.quantile_by(x, 1, true, static_cast<tiny_quantile_rule>(1));
  (void)x.nanquantile_by(x, 1, true, static_cast<tiny_quantile_rule>(1));
  (void)x.mode(1, true);
  (void)x.unique();
  (void)x.unique_consecutive();
  (void)x.unique_along(1);
  (void)x.unique_consecutive_along(1);
  (void)x.searchsorted(x, true);
  (void)x.bucketize(x, true);
  (void)x.histogram(x, x, true);
  (void)x.histogram_bins(1, 0.5, 0.5, x, true);
  (void)x.isin(x);
  (void)x.matmul(x);
  (void)x.linear(x, x);
  (void)x.dot(x);
  (void)x.vdot(x);
  (void)x.vecdot(x, 1);
  (void)x.inner(x);
  (void)x.outer(x);
  (void)x.kron(x);
  (void)x.tensordot(x, {1, 1}, {1, 1});
  (void)tiny::multi_dot({x, x});
  (void)tiny::einsum("a", {x, x});
  (void)x.trace();
  (void)x.cross(x, 1);
  (void)x.cdist(x, 0.5);
#ifndef TINY_NO_LINALG
  (void)x.det();
#endif
#ifndef TINY_NO_LINALG
  (void)x.slogdet();
#endif
#ifndef TINY_NO_LINALG
  (void)x.inv();
#endif
#ifndef TINY_NO_LINALG
  (void)x.solve(x);
#endif
#ifndef TINY_NO_LINALG
  (void)x.triangular_solve(x, true, true);
#endif
#ifndef TINY_NO_LINALG
  (void)x.cholesky(true);
#endif
#ifndef TINY_NO_LINALG
  (void)x.lu();
#endif
#ifndef TINY_NO_LINALG
  (void)x.qr(true);
#endif
#ifndef TINY_NO_LINALG
  (void)x.svd();
#endif
#ifndef TINY_NO_LINALG
  (void)x.eigh();
#endif
#ifndef TINY_NO_LINALG
  (void)x.lu_solve(x, x, x);
#endif
#ifndef TINY_NO_LINALG
  (void)x.cholesky_solve(x, true);
#endif
#ifndef TINY_NO_LINALG
  (void)x.pinv(0.5);
#endif
#ifndef TINY_NO_LINALG
  (void)x.pinv_within(0.5, 0.5);
#endif
#ifndef TINY_NO_LINALG
  (void)x.lstsq(x);
#endif
#ifndef TINY_NO_LINALG
  (void)x.matrix_rank(0.5);
#endif
#ifndef TINY_NO_LINALG
  (void)x.matrix_rank_within(0.5, 0.5);
#endif
#ifndef TINY_NO_LINALG
  (void)x.matrix_norm(static_cast<tiny_norm_order>(1));
#endif
#ifndef TINY_NO_LINALG
  (void)x.cond(static_cast<tiny_norm_order>(1));
#endif
#ifndef TINY_NO_LINALG
  (void)x.matrix_power(1);
#endif
#ifndef TINY_NO_LINALG
  (void)x.matrix_exp();
#endif
#ifndef TINY_NO_LINALG
  (void)x.cov(1, x, x);
#endif
#ifndef TINY_NO_LINALG
  (void)x.corrcoef();
#endif
#ifndef TINY_NO_LINALG
  (void)x.fft(1, 1, static_cast<tiny_fft_norm>(1));
#endif
#ifndef TINY_NO_LINALG
  (void)x.ifft(1, 1, static_cast<tiny_fft_norm>(1));
#endif
#ifndef TINY_NO_LINALG
  (void)x.rfft(1, 1, static_cast<tiny_fft_norm>(1));
#endif
#ifndef TINY_NO_LINALG
  (void)x.irfft(1, 1, static_cast<tiny_fft_norm>(1));
#endif
#ifndef TINY_NO_LINALG
  (void)x.fftn({1, 1}, static_cast<tiny_fft_norm>(1));
#endif
#ifndef TINY_NO_LINALG
  (void)x.ifftn({1, 1}, static_cast<tiny_fft_norm>(1));
#endif
#ifndef TINY_NO_LINALG
  (void)x.rfftn({1, 1}, static_cast<tiny_fft_norm>(1));
#endif
#ifndef TINY_NO_LINALG
  (void)x.irfftn(1, {1, 1}, static_cast<tiny_fft_norm>(1));
#endif
#ifndef TINY_NO_LINALG
  (void)x.fftshift({1, 1});
#endif
#ifndef TINY_NO_LINALG
  (void)x.ifftshift({1, 1});
#endif
#ifndef TINY_NO_LINALG
  (void)tiny::fftfreq(t, 1, 0.5, static_cast<tiny_dtype>(1));
#endif
#ifndef TINY_NO_LINALG
  (void)tiny::rfftfreq(t, 1, 0.5, static_cast<tiny_dtype>(1));
#endif
#ifndef TINY_NO_LINALG
  (void)x.stft(1, tiny_stft_desc());
#endif
#ifndef TINY_NO_LINALG
  (void)x.istft(1, tiny_stft_desc());
#endif
#ifndef TINY_NO_LINALG
  (void)x.complex(x);
#endif
#ifndef TINY_NO_LINALG
  (void)x.polar(x);
#endif
#ifndef TINY_NO_LINALG
  (void)x.real();
#endif
#ifndef TINY_NO_LINALG
  (void)x.imag();
#endif
#ifndef TINY_NO_LINALG
  (void)x.conj();
#endif
#ifndef TINY_NO_LINALG
  (void)x.complex_mul(x);
#endif
#ifndef TINY_NO_LINALG
  (void)x.complex_abs();
#endif
#ifndef TINY_NO_NN
  (void)x.softmax(1);
#endif
#ifndef TINY_NO_NN
  (void)x.log_softmax(1);
#endif
#ifndef TINY_NO_NN
  (void)x.softmin(1);
#endif
#ifndef TINY_NO_NN
  (void)x.logsumexp(1, true);
#endif
#ifndef TINY_NO_NN
  (void)x.gumbel_softmax(0.5, true, 1);
#endif
#ifndef TINY_NO_NN
  (void)x.layer_norm(1, x, x, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)x.rms_norm(1, x, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)x.group_norm(1, x, x, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)x.instance_norm(x, x, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)x.batch_norm(made_tiny_batch_norm_state, true);
#endif
#ifndef TINY_NO_NN
  (void)x.local_response_norm(1, 0.5, 0.5, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)x.normalize(0.5, 1, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)x.cosine_similarity(x, 1, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)x.pairwise_distance(x, 0.5, 0.5, true);
#endif
#ifndef TINY_NO_NN
  (void)x.bilinear(x, x, x);
#endif
#ifndef TINY_NO_NN
  (void)x.mse_loss(x, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.l1_loss(x, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.smooth_l1_loss(x, 0.5, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.huber_loss(x, 0.5, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.binary_cross_entropy(x, x, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.binary_cross_entropy_with_logits(x, x, x, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.soft_margin_loss(x, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.multilabel_soft_margin_loss(x, x, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.kl_div(x, true, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.gaussian_nll_loss(x, x, true, 0.5, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.poisson_nll_loss(x, true, true, 0.5, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.hinge_embedding_loss(x, 0.5, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.margin_ranking_loss(x, x, 0.5, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.cosine_embedding_loss(x, x, 0.5, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.triplet_margin_loss(x, x, 0.5, 0.5, true, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.cross_entropy(x, tiny_cross_entropy_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.nll_loss(x, tiny_cross_entropy_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.multi_margin_loss(x, 1, 0.5, x, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.ctc_loss(x, x, x, 1, true, static_cast<tiny_reduction>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.embedding(x, 1);
#endif
#ifndef TINY_NO_NN
  (void)x.embedding_max_norm(x, 1, 0.5, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)x.embedding_bag(x, x, x, static_cast<tiny_reduction>(1), 1);
#endif
#ifndef TINY_NO_NN
  (void)x.attention(x, x, tiny_attention_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.rope(x, tiny_rope_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.rnn_cell(x, tiny_recurrent_weights(), true);
#endif
#ifndef TINY_NO_NN
  (void)x.gru_cell(x, tiny_recurrent_weights());
#endif
#ifndef TINY_NO_NN
  (void)x.lstm_cell(x, x, tiny_recurrent_weights());
#endif
#ifndef TINY_NO_NN
  (void)x.rnn(x, nullptr, tiny_recurrent_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.gru(x, nullptr, tiny_recurrent_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.lstm(x, x, nullptr, tiny_recurrent_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.conv(x, x, tiny_conv_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.conv1d(x, x, tiny_conv_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.conv2d(x, x, tiny_conv_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.conv3d(x, x, tiny_conv_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.conv_transpose(x, x, tiny_conv_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.conv_transpose1d(x, x, tiny_conv_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.conv_transpose2d(x, x, tiny_conv_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.conv_transpose3d(x, x, tiny_conv_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.max_pool_with_indices(tiny_pool_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.max_pool(tiny_pool_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.max_pool1d(1, 1, 1);
#endif
#ifndef TINY_NO_NN
  (void)x.max_pool2d(1, 1, 1);
#endif
#ifndef TINY_NO_NN
  (void)x.max_pool3d(1, 1, 1);
#endif
#ifndef TINY_NO_NN
  (void)x.max_unpool(x, tiny_pool_desc(), {1, 1});
#endif
#ifndef TINY_NO_NN
  (void)x.avg_pool(tiny_pool_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.avg_pool1d(1, 1, 1);
#endif
#ifndef TINY_NO_NN
  (void)x.avg_pool2d(1, 1, 1);
#endif
#ifndef TINY_NO_NN
  (void)x.avg_pool3d(1, 1, 1);
#endif
#ifndef TINY_NO_NN
  (void)x.lp_pool(0.5, tiny_pool_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.adaptive_avg_pool({1, 1});
#endif
#ifndef TINY_NO_NN
  (void)x.adaptive_max_pool_with_indices({1, 1});
#endif
#ifndef TINY_NO_NN
  (void)x.adaptive_max_pool({1, 1});
#endif
#ifndef TINY_NO_NN
  (void)x.unfold(tiny_pool_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.fold({1, 1}, tiny_pool_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.interpolate(tiny_interpolate_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.grid_sample(x, tiny_grid_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.affine_grid({1, 1}, true);
#endif
#ifndef TINY_NO_NN
  (void)x.pixel_shuffle(1);
#endif
#ifndef TINY_NO_NN
  (void)x.pixel_unshuffle(1);
#endif
#ifndef TINY_NO_NN
  (void)x.channel_shuffle(1);
#endif
#ifndef TINY_NO_NN
  (void)x.checkpoint({x, x});
#endif
#ifndef TINY_NO_NN
  (void)tiny::lr_step(0.5, 1, 1, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)tiny::lr_multistep(0.5, 1, {0, 0}, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)tiny::lr_exponential(0.5, 1, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)tiny::lr_cosine(0.5, 1, 1, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)tiny::lr_cosine_restarts(0.5, 1, 1, 1, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)tiny::lr_linear(0.5, 1, 1, 0.5, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)tiny::lr_one_cycle(0.5, 1, 1);
#endif
#ifndef TINY_NO_NN
  (void)tiny::lr_polynomial(0.5, 1, 1, 0.5);
#endif
  (void)x.to_text(tiny_text_desc());
  (void)x.print();
  (void)tiny::print_named("a", x);
#ifndef TINY_NO_INTERP
  (void)x.find_nan();
#endif
#ifndef TINY_NO_NN
  (void)tiny::params_summary(tiny_params());
#endif
  (void)tiny::graph_dot({x, x});
  (void)tiny::graph_json({x, x});
#ifndef TINY_NO_IO
  (void)tiny::load_npy(t, "a");
#endif
#ifndef TINY_NO_IO
  (void)tiny::load_npy_from(t, bytes, 1);
#endif
#ifndef TINY_NO_IO
  (void)x.save_npy("a");
#endif
#ifndef TINY_NO_IO
  (void)x.save_npy_to(tiny_writer());
#endif
#ifndef TINY_NO_IO
  (void)tiny::save_as(tiny_save_desc());
#endif
#ifndef TINY_NO_IO
  (void)tiny::load_image(t, "a");
#endif
#ifndef TINY_NO_IO
  (void)tiny::load_image_from(t, bytes, 1);
#endif
#ifndef TINY_NO_IO
  (void)x.save_image("a");
#endif
#ifndef TINY_NO_IO
  (void)x.save_image_to("a", tiny_writer());
#endif
#ifndef TINY_NO_IO
  (void)tiny::load_wav(t, "a", number);
#endif
#ifndef TINY_NO_IO
  (void)tiny::load_wav_from(t, bytes, 1, number);
#endif
#ifndef TINY_NO_IO
  (void)x.save_wav(1, "a");
#endif
#ifndef TINY_NO_IO
  (void)x.save_wav_to(1, tiny_writer());
#endif
#ifndef TINY_NO_IO
  (void)tiny::load_idx(t, "a");
#endif
#ifndef TINY_NO_IO
  (void)tiny::load_idx_from(t, bytes, 1);
#endif
#ifndef TINY_NO_IO
  (void)x.save_idx("a");
#endif
#ifndef TINY_NO_IO
  (void)x.save_idx_to(tiny_writer());
#endif
#ifndef TINY_NO_IO
  (void)tiny::load_csv(t, "a", tiny_csv_desc());
#endif
#ifndef TINY_NO_IO
  (void)tiny::load_csv_from(t, bytes, 1, tiny_csv_desc());
#endif
#ifndef TINY_NO_IO
  (void)x.save_csv("a", tiny_csv_desc());
#endif
#ifndef TINY_NO_IO
  (void)x.save_csv_to(tiny_writer(), tiny_csv_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.convert_image_dtype(static_cast<tiny_dtype>(1));
#endif
#ifndef TINY_NO_NN
  (void)x.rgb_to_grayscale();
#endif
#ifndef TINY_NO_NN
  (void)x.resize(1, 1);
#endif
#ifndef TINY_NO_NN
  (void)x.center_crop(1, 1);
#endif
#ifndef TINY_NO_NN
  (void)x.gaussian_blur(1, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)x.random_horizontal_flip(0.5);
#endif
#ifndef TINY_NO_NN
  (void)x.random_vertical_flip(0.5);
#endif
#ifndef TINY_NO_NN
  (void)x.random_crop(1, 1, 1);
#endif
#ifndef TINY_NO_NN
  (void)x.random_resized_crop(1, 1, tiny_random_crop_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.random_affine(tiny_random_affine_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.random_rotation(0.5);
#endif
#ifndef TINY_NO_NN
  (void)x.color_jitter(tiny_color_jitter_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.adjust_brightness(x);
#endif
#ifndef TINY_NO_NN
  (void)x.adjust_contrast(x);
#endif
#ifndef TINY_NO_NN
  (void)x.adjust_saturation(x);
#endif
#ifndef TINY_NO_NN
  (void)x.adjust_hue(x);
#endif
#ifndef TINY_NO_NN
  (void)x.random_erasing(tiny_random_erasing_desc());
#endif
#ifndef TINY_NO_NN
  (void)x.mixup(x, 1, 0.5);
#endif
#ifndef TINY_NO_NN
  (void)x.cutmix(x, 1, 0.5);
#endif
  (void)tiny::warm(t, {x, x});
  (void)tiny::warm_capture(t, {x, x}, {x, x});
  (void)tiny::warm_left(t);
  (void)tiny::warm_wait(t);
#ifndef TINY_NO_IO
  (void)tiny::cache_export(t, "a");
#endif
#ifndef TINY_NO_IO
  (void)tiny::cache_import(t, "a");
#endif
  (void)tiny::cache_export_to(t, tiny_writer());
  (void)tiny::cache_import_from(t, bytes, 1);
  (void)tiny::kernel(t, tiny_kernel_desc());
  (void)tiny::warp_units("a", number);
  (void)x.label("a");
  (void)x.label_of();
  (void)tiny::now_ns();
  (void)tiny::profile_begin(t);
  (void)tiny::profile_end(t);
  (void)tiny::profile_get(t, static_cast<tiny_profile_by>(1), 1, made_tiny_profile_row);
  (void)tiny::profile_text(t, static_cast<tiny_profile_by>(1));
  (void)tiny::trace_begin(t, "a");
  (void)tiny::trace_end(t);
#ifndef TINY_NO_NN
  { LinearLayer made(t, 1, 1, true); }
#endif
#ifndef TINY_NO_NN
  { LinearLayer one(t, 1, 1, true); one(x); Params p(t); one.params(p, "a"); }
#endif
#ifndef TINY_NO_NN
  { ConvLayer made(t, 1, 1, {1, 1}, tiny_conv_desc(), true); }
#endif
#ifndef TINY_NO_NN
  { ConvLayer one(t, 1, 1, {1, 1}, tiny_conv_desc(), true); one(x); Params p(t); one.params(p, "a"); }
#endif
#ifndef TINY_NO_NN
  { ConvTransposeLayer made(t, 1, 1, {1, 1}, tiny_conv_desc(), true); }
#endif
#ifndef TINY_NO_NN
  { NormLayer made(t, static_cast<tiny_norm_kind>(1), {1, 1}, 1); }
#endif
#ifndef TINY_NO_NN
  { NormLayer one(t, static_cast<tiny_norm_kind>(1), {1, 1}, 1); one(x, true); Params p(t); one.params(p, "a"); }
#endif
#ifndef TINY_NO_NN
  { EmbeddingLayer made(t, 1, 1, 1); }
#endif
#ifndef TINY_NO_NN
  { EmbeddingLayer one(t, 1, 1, 1); one(x); Params p(t); one.params(p, "a"); }
#endif
#ifndef TINY_NO_NN
  { AttentionLayer made(t, 1, 1, true); }
#endif
#ifndef TINY_NO_NN
  { AttentionLayer one(t, 1, 1, true); one(x, x, x, tiny_attention_desc()); Params p(t); one.params(p, "a"); }
#endif
#ifndef TINY_NO_NN
  { RecurrentLayer made(t, static_cast<tiny_recurrent_kind>(1), 1, 1, tiny_recurrent_desc(), true); }
#endif
#ifndef TINY_NO_NN
  { RecurrentLayer one(t, static_cast<tiny_recurrent_kind>(1), 1, 1, tiny_recurrent_desc(), true); one(x, x, x, true); Params p(t); one.params(p, "a"); }
#endif
}
