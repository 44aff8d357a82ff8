// nn: neural networks: normalisation, losses, attention, recurrence, convolution, images.
#ifndef TINY_NO_NN
// ** normalisation ***************************************************************************** >>norms
//
// All of these compute in f32 (f64 for f64) and give x's dtype; integers give f32. Weights and biases may be
// NULL.

// exp(x) / sum of exp(x) along axis (TINY_ALL: over all elements); the maximum is taken off first.
// [torch.nn.functional.softmax]
TINY_API tiny_tensor *tiny_softmax(tiny_tensor *x, int axis);
// log(softmax(x)), exact for small ones [torch.nn.functional.log_softmax]
TINY_API tiny_tensor *tiny_log_softmax(tiny_tensor *x, int axis);
// softmax(-x) [torch.nn.functional.softmin]
TINY_API tiny_tensor *tiny_softmin(tiny_tensor *x, int axis);
// log(sum of exp(x)) along axis; all -inf gives -inf. [torch.logsumexp]
TINY_API tiny_tensor *tiny_logsumexp(tiny_tensor *x, int axis, int keepdim);
// A random sample of softmax(x / tau): softmax((x + noise) / tau), new noise each call. hard: the one-hot of
// its largest element, with the gradient of the soft one. TINY_E_ARG unless tau > 0.
// [torch.nn.functional.gumbel_softmax]
TINY_API tiny_tensor *tiny_gumbel_softmax(tiny_tensor *x, double tau, int hard, int axis);

// (x - mean) / sqrt(var + eps) * w + b over the last ndims dims, which are w's and b's shape. eps 0: 1e-5.
// [torch.nn.functional.layer_norm]
TINY_API tiny_tensor *tiny_layer_norm(tiny_tensor *x, int ndims, tiny_tensor *w, tiny_tensor *b, double eps);
// x / sqrt(mean of x^2 + eps) * w over the last ndims dims, which are w's shape. eps 0: f32's epsilon, of f64 its own.
// [torch.nn.functional.rms_norm]
TINY_API tiny_tensor *tiny_rms_norm(tiny_tensor *x, int ndims, tiny_tensor *w, double eps);
// x (B,C,..), w, b (C): the channels of each sample in groups, each by its own mean and variance. eps 0: 1e-5.
// [torch.nn.functional.group_norm]
TINY_API tiny_tensor *tiny_group_norm(tiny_tensor *x, int64_t groups, tiny_tensor *w, tiny_tensor *b, double eps);
// x (B,C,..), w, b (C): each channel of each sample by its own mean and variance. eps 0: 1e-5.
// [torch.nn.functional.instance_norm]
TINY_API tiny_tensor *tiny_instance_norm(tiny_tensor *x, tiny_tensor *w, tiny_tensor *b, double eps);
// What batch norm knows and learns; the tensors are the caller's.
typedef struct tiny_batch_norm_state {
  tiny_tensor *mean, *var, *weight, *bias; // (C) each; weight and bias may be NULL, mean and var when only training
  double eps, momentum;                    // 0: 1e-5, 0.1
} tiny_batch_norm_state;
// x (B,C,..): each channel by the mean and variance of the batch, when train; they also move s->mean and
// s->var, which are assigned old * (1 - momentum) + new * momentum (of the unbiased variance). Else by those.
// [torch.nn.functional.batch_norm]
TINY_API tiny_tensor *tiny_batch_norm(tiny_tensor *x, tiny_batch_norm_state *s, int train);
// x (B,C,..) / (k + alpha * mean of x^2 over size channels around each)^beta; outside are zeros.
// [torch.nn.functional.local_response_norm]
TINY_API tiny_tensor *tiny_local_response_norm(tiny_tensor *x, int64_t size, double alpha, double beta, double k);

// x / max(its norm of order p along axis, eps). p from 0 to HUGE_VAL; eps 0: 1e-12.
// [torch.nn.functional.normalize]
TINY_API tiny_tensor *tiny_normalize(tiny_tensor *x, double p, int axis, double eps);
// a . b / (max(|a|, eps) * max(|b|, eps)) along axis; a and b broadcast and promote. eps 0: 1e-8.
// [torch.nn.functional.cosine_similarity]
TINY_API tiny_tensor *tiny_cosine_similarity(tiny_tensor *a, tiny_tensor *b, int axis, double eps);
// The norm of order p of a - b + eps over the last axis; a and b broadcast and promote. The gradient of a
// distance of 0 is 0. eps 0: 1e-6. [torch.nn.functional.pairwise_distance]
TINY_API tiny_tensor *tiny_pairwise_distance(tiny_tensor *a, tiny_tensor *b, double p, double eps, int keepdim);
// x (..,I), z (..,J), w (O,I,J), bias (O) or NULL -> (..,O): sums of x_i w_oij z_j.
// [torch.nn.functional.bilinear]
TINY_API tiny_tensor *tiny_bilinear(tiny_tensor *x, tiny_tensor *z, tiny_tensor *w, tiny_tensor *bias);

// ** losses ************************************************************************************* >>losses
//
// Predictions x and what is wanted, y, broadcast and promote; a loss is computed in f32 (f64 for f64) and has
// the dtype they meet in, integers count as f32. Gradients flow into predictions and targets alike; where a
// loss has a kink they are PyTorch's. Weights may be NULL.

// What is made of the losses of all elements, or of the rows of a bag.
typedef enum tiny_reduction {
  TINY_MEAN = 0,                           // of all elements of the loss
  TINY_SUM,
  TINY_BATCH_MEAN,                         // the sum divided by the size of the first dim
  TINY_NONE,                               // a loss for each element or sample
  TINY_MAX                                 // of a bag
} tiny_reduction;

// (x - y)^2 [torch.nn.functional.mse_loss]
TINY_API tiny_tensor *tiny_mse_loss(tiny_tensor *x, tiny_tensor *y, tiny_reduction r);
// |x - y| [torch.nn.functional.l1_loss]
TINY_API tiny_tensor *tiny_l1_loss(tiny_tensor *x, tiny_tensor *y, tiny_reduction r);
// d = |x - y|: d^2 / (2 beta) below beta, else d - beta / 2. beta 0: l1_loss.
// [torch.nn.functional.smooth_l1_loss]
TINY_API tiny_tensor *tiny_smooth_l1_loss(tiny_tensor *x, tiny_tensor *y, double beta, tiny_reduction r);
// d = |x - y|: d^2 / 2 below delta, else delta * (d - delta / 2). [torch.nn.functional.huber_loss]
TINY_API tiny_tensor *tiny_huber_loss(tiny_tensor *x, tiny_tensor *y, double delta, tiny_reduction r);
// -(y log x + (1 - y) log(1 - x)) * weight, x probabilities; logarithms end at -100.
// [torch.nn.functional.binary_cross_entropy]
TINY_API tiny_tensor *tiny_binary_cross_entropy(tiny_tensor *x, tiny_tensor *y, tiny_tensor *weight, tiny_reduction r);
// tiny_binary_cross_entropy of sigmoid(x) without its overflow; pos_weight multiplies the term of y.
// [torch.nn.functional.binary_cross_entropy_with_logits]
TINY_API tiny_tensor *tiny_binary_cross_entropy_with_logits(tiny_tensor *x, tiny_tensor *y, tiny_tensor *weight,
                                                            tiny_tensor *pos_weight, tiny_reduction r);
// log(1 + exp(-x y)) [torch.nn.functional.soft_margin_loss]
TINY_API tiny_tensor *tiny_soft_margin_loss(tiny_tensor *x, tiny_tensor *y, tiny_reduction r);
// x, y (N,C): binary_cross_entropy_with_logits, the mean over C is a sample's loss.
// [torch.nn.functional.multilabel_soft_margin_loss]
TINY_API tiny_tensor *tiny_multilabel_soft_margin_loss(tiny_tensor *x, tiny_tensor *y, tiny_tensor *weight,
                                                       tiny_reduction r);
// y (log y - x), x log-probabilities; log_target: y are logarithms too. PyTorch's "batchmean" is
// TINY_BATCH_MEAN. [torch.nn.functional.kl_div]
TINY_API tiny_tensor *tiny_kl_div(tiny_tensor *x, tiny_tensor *y, int log_target, tiny_reduction r);
// (log v + (x - y)^2 / v) / 2, v = max(var, eps); full adds log(2 pi) / 2. var broadcasts. No gradient flows
// into var where it is below eps. eps 0: 1e-6. [torch.nn.functional.gaussian_nll_loss]
TINY_API tiny_tensor *tiny_gaussian_nll_loss(tiny_tensor *x, tiny_tensor *y, tiny_tensor *var, int full, double eps,
                                             tiny_reduction r);
// log_input: exp(x) - y x, else x - y log(x + eps); full adds Stirling's log(y!) where y > 1. eps 0: 1e-8.
// [torch.nn.functional.poisson_nll_loss]
TINY_API tiny_tensor *tiny_poisson_nll_loss(tiny_tensor *x, tiny_tensor *y, int log_input, int full, double eps,
                                            tiny_reduction r);
// x where y is 1, max(0, margin - x) where y is -1. [torch.nn.functional.hinge_embedding_loss]
TINY_API tiny_tensor *tiny_hinge_embedding_loss(tiny_tensor *x, tiny_tensor *y, double margin, tiny_reduction r);
// max(0, margin - y (a - b)). [torch.nn.functional.margin_ranking_loss]
TINY_API tiny_tensor *tiny_margin_ranking_loss(tiny_tensor *a, tiny_tensor *b, tiny_tensor *y, double margin,
                                               tiny_reduction r);
// a, b (N,D) and y (N), or (D) and (): 1 - cosine where y is 1, max(0, cosine - margin) where y is -1.
// [torch.nn.functional.cosine_embedding_loss]
TINY_API tiny_tensor *tiny_cosine_embedding_loss(tiny_tensor *a, tiny_tensor *b, tiny_tensor *y, double margin,
                                                 tiny_reduction r);
// max(0, |a - p| - |a - n| + margin), distances of order p over the last axis, as tiny_pairwise_distance with
// eps 1e-6; swap: |p - n| in place of |a - n| where it is less. [torch.nn.functional.triplet_margin_loss]
TINY_API tiny_tensor *tiny_triplet_margin_loss(tiny_tensor *anchor, tiny_tensor *positive, tiny_tensor *negative,
                                               double margin, double p, int swap, tiny_reduction r);

// Zero means default: the mean, no weights, labels as they are.
typedef struct tiny_cross_entropy_desc {
  tiny_reduction reduction;
  tiny_tensor *weight;                     // (C): of each class
  double label_smoothing;                  // 0..1: how much of a label is spread evenly over all classes
  int ignores; int64_t ignore_index;       // ignores: ignore_index is ignored, even where it is a class
} tiny_cross_entropy_desc;
// scores (C), (N,C) or (N,C,d..), of softmax over C. labels: integers (), (N) or (N,d..), or floats of
// scores' shape: probabilities. Labels that are no class, like PyTorch's -100, are ignored: they give 0 and
// count for nothing. The mean is divided by the weights of the labels that count, for probabilities by the
// number of samples. [torch.nn.functional.cross_entropy]
TINY_API tiny_tensor *tiny_cross_entropy(tiny_tensor *scores, tiny_tensor *labels, const tiny_cross_entropy_desc *d);
// As tiny_cross_entropy, of log-probabilities and integer labels. [torch.nn.functional.nll_loss]
TINY_API tiny_tensor *tiny_nll_loss(tiny_tensor *logp, tiny_tensor *labels, const tiny_cross_entropy_desc *d);
// x (N,C) or (C), integer labels (N) or (): the mean over classes of max(0, margin - x[label] + x)^p, the
// label's left out, times its weight. p is 1 or 2. [torch.nn.functional.multi_margin_loss]
TINY_API tiny_tensor *tiny_multi_margin_loss(tiny_tensor *x, tiny_tensor *labels, int p, double margin,
                                             tiny_tensor *weight, tiny_reduction r);
// Connectionist temporal classification: logp (T,N,C) log-probabilities, integer targets (N,S) of which the
// first target_lengths[n] count, over the first input_lengths[n] frames; or (T,C), (S), () and (). blank is
// the class of no label. A target that cannot be reached costs infinity, or 0 if zero_infinity, and has no
// gradient. The mean is that of losses divided by target lengths. Unrolls T steps in the graph.
// [torch.nn.functional.ctc_loss]
TINY_API tiny_tensor *tiny_ctc_loss(tiny_tensor *logp, tiny_tensor *targets, tiny_tensor *input_lengths,
                                    tiny_tensor *target_lengths, int64_t blank, int zero_infinity, tiny_reduction r);

// ** attention, embeddings ********************************************************************* >>attention
//
// Scores and weights are computed in f32 (f64 for f64); the result has the dtype that the inputs meet in.

// Rows of w (V,D) at integer indices (..) -> (..,D), in w's dtype. An index out of range gives zeros.
// padding: a row that gets no gradient; -1: none. [torch.nn.functional.embedding]
TINY_API tiny_tensor *tiny_embedding(tiny_tensor *ids, tiny_tensor *w, int64_t padding);
// tiny_embedding of w whose rows that are looked up are first scaled down, in w itself (tiny_assign), where their
// p-norm is more than max_norm: the gradient is that by w as it then is. TINY_E_DTYPE unless w is of floats,
// TINY_E_ARG unless p > 0 and max_norm >= 0. [torch.nn.functional.embedding(max_norm=)]
TINY_API tiny_tensor *tiny_embedding_max_norm(tiny_tensor *ids, tiny_tensor *w, int64_t padding, double max_norm,
                                              double p);
// Rows of w (V,D) folded by the bag: ids (B,N), or ids (N) with the offsets (B) where bags begin -> (B,D).
// mode: TINY_MEAN, TINY_SUM or TINY_MAX; bags of nothing give 0. weights of ids' shape or NULL, for TINY_SUM
// only. padding: a row that is left out of bags; -1: none. [torch.nn.functional.embedding_bag]
TINY_API tiny_tensor *tiny_embedding_bag(tiny_tensor *ids, tiny_tensor *w, tiny_tensor *offsets,
                                         tiny_tensor *weights, tiny_reduction mode, int64_t padding);
// Zero means default: every query sees every key.
typedef struct tiny_attention_desc {
  tiny_tensor *mask;                       // broadcasts to (..,H,L,S): bool, true may be seen; or float, added
  int causal;                              // query i sees keys 0..i only
  double scale;                            // of scores; 0: 1 / sqrt(E)
  double dropout;                          // of the weights; 0 when not training
} tiny_attention_desc;
// softmax(q k^T * scale) v: q (..,H,L,E), k (..,K,S,E), v (..,K,S,V) -> (..,H,L,V). H is a multiple of K: so
// many heads in a row share a head of keys and values. A query that may see nothing gets zeros (as PyTorch
// 2.5; older ones give NaN). [torch.nn.functional.scaled_dot_product_attention]
TINY_API tiny_tensor *tiny_attention(tiny_tensor *q, tiny_tensor *k, tiny_tensor *v, const tiny_attention_desc *d);
// Zero means default.
typedef struct tiny_rope_desc {
  double base;                             // 0: 10000
  int interleaved;                         // pairs are elements 2i and 2i+1, not i and i + E/2
} tiny_rope_desc;
// x (..,L,E) with its pairs of elements turned by position * base^(-2i/E): rotary embedding. positions
// broadcast to (..,L); NULL: 0, 1, 2, .. E is even. [torchtune.modules.RotaryPositionalEmbeddings]
TINY_API tiny_tensor *tiny_rope(tiny_tensor *x, tiny_tensor *positions, const tiny_rope_desc *d);

// ** recurrent networks ************************************************************************ >>recurrent
//
// Weights as PyTorch lays them out: G gates of H rows each, RNN 1, LSTM 4 (i, f, g, o), GRU 3 (r, z, n).
// Sequences unroll in the graph: building costs some twenty nodes a step, and all steps run the same kernels.
// Everything is computed in f32 (f64 for f64), states included. States of NULL are zeros. TINY_E_SHAPE if
// weights, states and inputs do not fit each other.

// Of one layer in one direction; the tensors are the caller's.
typedef struct tiny_recurrent_weights {
  tiny_tensor *w_ih, *w_hh, *b_ih, *b_hh;  // (G*H,I), (G*H,H), (G*H), (G*H); biases may be NULL
} tiny_recurrent_weights;
// Zero means default: one layer, forwards.
typedef struct tiny_recurrent_desc {
  int layers;                              // 0: 1
  int bidirectional;                       // a second direction from the end; outputs are (..,2*H)
  int batch_first;                         // x and the result are (N,L,..), not (L,N,..)
  int relu;                                // of tiny_rnn: in place of tanh
  double dropout;                          // of what goes from a layer to the next; 0 when not training
} tiny_recurrent_desc;
// One step: x (N,I), h (N,H) -> the next h (N,H); or (I), (H) -> (H). [torch.nn.functional.rnn_tanh_cell]
TINY_API tiny_tensor *tiny_rnn_cell(tiny_tensor *x, tiny_tensor *h, const tiny_recurrent_weights *w, int relu);
// As tiny_rnn_cell, of a gated unit. [torch.nn.functional.gru_cell]
TINY_API tiny_tensor *tiny_gru_cell(tiny_tensor *x, tiny_tensor *h, const tiny_recurrent_weights *w);
// As tiny_rnn_cell, with the cell state c; the next one goes to *cn, which may be NULL.
// [torch.nn.functional.lstm_cell]
TINY_API tiny_tensor *tiny_lstm_cell(tiny_tensor *x, tiny_tensor *h, tiny_tensor *c, const tiny_recurrent_weights *w,
                                     tiny_tensor **cn);
// x (L,N,I) -> (L,N,D*H), D directions; or (L,I) -> (L,D*H). w: one for each layer and direction, directions
// side by side; inputs of upper layers are D*H wide. h0 and *hn, both may be NULL: (layers*D,N,H), or
// (layers*D,H). [torch.nn.RNN]
TINY_API tiny_tensor *tiny_rnn(tiny_tensor *x, tiny_tensor *h0, const tiny_recurrent_weights *w,
                               const tiny_recurrent_desc *d, tiny_tensor **hn);
// As tiny_rnn. [torch.nn.GRU]
TINY_API tiny_tensor *tiny_gru(tiny_tensor *x, tiny_tensor *h0, const tiny_recurrent_weights *w,
                               const tiny_recurrent_desc *d, tiny_tensor **hn);
// As tiny_rnn, with cell states c0 and *cn of the same shape. [torch.nn.LSTM]
TINY_API tiny_tensor *tiny_lstm(tiny_tensor *x, tiny_tensor *h0, tiny_tensor *c0, const tiny_recurrent_weights *w,
                                const tiny_recurrent_desc *d, tiny_tensor **hn, tiny_tensor **cn);

// ** convolution and pooling: windows over 1 to 3 spatial dims ******************************** >>convolution
//
// Common to all: spatial dims come last, and lists in descriptors begin with the outermost of them. Images are
// (B,C,spatial..); without B they give results without B. Halves accumulate in f32. Dims of 0 are allowed where a
// result is not made from nothing; TINY_E_SHAPE where no window fits.

// How windows lie on x. Zero means default.
typedef struct tiny_conv_desc {
  int stride[3], pad[3], dilation[3];      // zero: 1, 0, 1; pad is on both sides
  int groups;                              // zero: 1
  int pad_after[3];                        // more pad after the end; -pad: pad before the beginning only
  int same;                                // pads by itself: as large out as in; stride 1 only
  tiny_padding padding;                    // what the pad holds
  int output_pad[3];                       // conv_transpose: rows at the end of the output
} tiny_conv_desc;
// x (B,C,spatial..), w (O,C/groups,kernel..), bias (O) or NULL -> (B,O,spatial'..), as many spatial dims as w
// has. NULL as d: all defaults. Gradients for x, w and bias. Reflection needs a pad less than the size.
// [torch.nn.functional.conv2d]
TINY_API tiny_tensor *tiny_conv(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias, const tiny_conv_desc *d);
// tiny_conv with 1 spatial dim: x (B,C,L), w (O,C/groups,K) -> (B,O,L'). [torch.nn.functional.conv1d]
TINY_API tiny_tensor *tiny_conv1d(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias, const tiny_conv_desc *d);
// tiny_conv with 2 spatial dims: x (B,C,H,W), w (O,C/groups,KH,KW) -> (B,O,H',W'). [torch.nn.functional.conv2d]
TINY_API tiny_tensor *tiny_conv2d(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias, const tiny_conv_desc *d);
// tiny_conv with 3 spatial dims: x (B,C,D,H,W), w (O,C/groups,KD,KH,KW) -> (B,O,D',H',W').
// [torch.nn.functional.conv3d]
TINY_API tiny_tensor *tiny_conv3d(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias, const tiny_conv_desc *d);
// The convolution's gradient of x as an operator: x (B,C,spatial..), w (C,O/groups,kernel..), bias (O) or
// NULL -> (B,O,spatial'..) of (size-1) stride - 2 pad + dilation (kernel-1) + 1 + output_pad. output_pad is
// less than stride or dilation; padding is zeros, same must not be set.
// [torch.nn.functional.conv_transpose2d]
TINY_API tiny_tensor *tiny_conv_transpose(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias,
                                          const tiny_conv_desc *d);
// tiny_conv_transpose with 1 spatial dim: x (B,C,L). [torch.nn.functional.conv_transpose1d]
TINY_API tiny_tensor *tiny_conv_transpose1d(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias,
                                            const tiny_conv_desc *d);
// tiny_conv_transpose with 2 spatial dims: x (B,C,H,W). [torch.nn.functional.conv_transpose2d]
TINY_API tiny_tensor *tiny_conv_transpose2d(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias,
                                            const tiny_conv_desc *d);
// tiny_conv_transpose with 3 spatial dims: x (B,C,D,H,W). [torch.nn.functional.conv_transpose3d]
TINY_API tiny_tensor *tiny_conv_transpose3d(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias,
                                            const tiny_conv_desc *d);

// Windows, of which only the size has no default.
typedef struct tiny_pool_desc {
  int kernel[3];                           // must be given; its spatial dims end at a 0
  int stride[3], pad[3], dilation[3];      // zero: as kernel (in unfold and fold: 1), 0, 1
  int ceil_mode;                           // the last window may hang over the end of the image and its pad
  int exclude_pad;                         // avg_pool divides by what lies in the image
  int divisor;                             // avg_pool divides by this; 0: by the elements of a window
} tiny_pool_desc;
// The greatest of each window of x (..,spatial..), any dtype; what is outside of x never counts. indices,
// where not NULL, gets i32 of the result's shape: the place of the maximum, the first of equals, among the
// elements of x's spatial dims. pad is at most half of kernel. Equal maxima of a window share its gradient
// (PyTorch: the first gets all). [torch.nn.functional.max_pool2d]
TINY_API tiny_tensor *tiny_max_pool(tiny_tensor *x, const tiny_pool_desc *d, tiny_tensor **indices);
// tiny_max_pool with the same kernel, stride (0: kernel) and pad along 1 spatial dim.
// [torch.nn.functional.max_pool1d]
TINY_API tiny_tensor *tiny_max_pool1d(tiny_tensor *x, int kernel, int stride, int pad);
// tiny_max_pool with the same kernel, stride (0: kernel) and pad along 2 spatial dims.
// [torch.nn.functional.max_pool2d]
TINY_API tiny_tensor *tiny_max_pool2d(tiny_tensor *x, int kernel, int stride, int pad);
// tiny_max_pool with the same kernel, stride (0: kernel) and pad along 3 spatial dims.
// [torch.nn.functional.max_pool3d]
TINY_API tiny_tensor *tiny_max_pool3d(tiny_tensor *x, int kernel, int stride, int pad);
// The inverse of max_pool with the same d: x (..,spatial'..) and indices -> (..,spatial..) of zeros with x's
// elements at indices, which must lie in the windows they come from. out, of as many sizes as there are
// spatial dims, resolves which of the possible input sizes is meant; out.ndim 0: (size-1) stride - 2 pad +
// kernel. An element that several windows name is their mean. No dilation, no ceil_mode.
// [torch.nn.functional.max_unpool2d]
TINY_API tiny_tensor *tiny_max_unpool(tiny_tensor *x, tiny_tensor *indices, const tiny_pool_desc *d,
                                      tiny_shape out);
// The mean of each window of x (..,spatial..); integers give f32. Pad counts as zeros unless exclude_pad;
// what hangs over in ceil_mode never counts. No dilation. [torch.nn.functional.avg_pool2d]
TINY_API tiny_tensor *tiny_avg_pool(tiny_tensor *x, const tiny_pool_desc *d);
// tiny_avg_pool with the same kernel, stride (0: kernel) and pad along 1 spatial dim.
// [torch.nn.functional.avg_pool1d]
TINY_API tiny_tensor *tiny_avg_pool1d(tiny_tensor *x, int kernel, int stride, int pad);
// tiny_avg_pool with the same kernel, stride (0: kernel) and pad along 2 spatial dims.
// [torch.nn.functional.avg_pool2d]
TINY_API tiny_tensor *tiny_avg_pool2d(tiny_tensor *x, int kernel, int stride, int pad);
// tiny_avg_pool with the same kernel, stride (0: kernel) and pad along 3 spatial dims.
// [torch.nn.functional.avg_pool3d]
TINY_API tiny_tensor *tiny_avg_pool3d(tiny_tensor *x, int kernel, int stride, int pad);
// (sum of x^p over each window)^(1/p), p > 0. No pad, no dilation. [torch.nn.functional.lp_pool2d]
TINY_API tiny_tensor *tiny_lp_pool(tiny_tensor *x, double p, const tiny_pool_desc *d);
// Means over windows that divide the last out.ndim dims of x evenly into out: element i of o is the mean of
// elements floor(i size/o) .. ceil((i+1) size/o)-1. A size of -1 keeps a dim.
// [torch.nn.functional.adaptive_avg_pool2d]
TINY_API tiny_tensor *tiny_adaptive_avg_pool(tiny_tensor *x, tiny_shape out);
// Maxima over such windows; indices may be NULL, else as in max_pool.
// [torch.nn.functional.adaptive_max_pool2d]
TINY_API tiny_tensor *tiny_adaptive_max_pool(tiny_tensor *x, tiny_shape out, tiny_tensor **indices);
// The windows of x (B,C,spatial..) as columns: (B, C * elements of a window, windows), any dtype. Stride is 1
// where zero; ceil_mode must not be set. [torch.nn.functional.unfold]
TINY_API tiny_tensor *tiny_unfold(tiny_tensor *x, const tiny_pool_desc *d);
// Columns (B, C * elements of a window, windows) added up where they overlap: (B,C,out..).
// [torch.nn.functional.fold]
TINY_API tiny_tensor *tiny_fold(tiny_tensor *x, tiny_shape out, const tiny_pool_desc *d);

// ** images: other sizes, other places ******************************************************** >>images
//
// What lies between elements is interpolated in f32, or f64 for f64.

// How a value between elements is found. 0: TINY_NEAREST in interpolate, TINY_LINEAR in grid_sample.
typedef enum tiny_interpolation {
  TINY_NEAREST = 1,                        // element floor(i size/out), as PyTorch's "nearest"
  TINY_NEAREST_EXACT,                      // the nearest element: "nearest-exact"
  TINY_LINEAR,                             // "linear", "bilinear", "trilinear"
  TINY_CUBIC,                              // "bicubic": Keys' cubic convolution with a = -0.75
  TINY_AREA                                // adaptive_avg_pool
} tiny_interpolation;
// The size that is wanted, or its factor; the rest has defaults.
typedef struct tiny_interpolate_desc {
  int64_t size[3];                         // of the result, or
  double scale[3];                         // its factor: floor(size * scale)
  tiny_interpolation mode;
  int align_corners;                       // the corners' centres stay: linear and cubic only
} tiny_interpolate_desc;
// The last spatial dims of x, as many as size or scale has entries before its first 0, in other sizes.
// Linear, cubic and area give floats, nearest x's dtype. Gradient for x. [torch.nn.functional.interpolate]
TINY_API tiny_tensor *tiny_interpolate(tiny_tensor *x, const tiny_interpolate_desc *d);
// Zero means default.
typedef struct tiny_grid_desc {
  tiny_interpolation mode;                 // linear, nearest, or cubic (2 dims)
  tiny_padding padding;                    // zeros, replicate or reflect
  int align_corners;                       // -1 and 1 are the centres of the corners; else their outer edges
} tiny_grid_desc;
// x (B,C,H,W) at the positions grid (B,H',W',2) -> (B,C,H',W'), or (B,C,D,H,W) at (B,D',H',W',3). The last
// dim of grid holds a position in [-1,1], innermost coordinate first. Gradients for x and, but for nearest,
// grid. [torch.nn.functional.grid_sample]
TINY_API tiny_tensor *tiny_grid_sample(tiny_tensor *x, tiny_tensor *grid, const tiny_grid_desc *d);
// The grid for grid_sample of affine maps theta (B,2,3) and a result (B,C,H,W): (B,H,W,2), or of (B,3,4) and
// (B,C,D,H,W): (B,D,H,W,3). [torch.nn.functional.affine_grid]
TINY_API tiny_tensor *tiny_affine_grid(tiny_tensor *theta, tiny_shape size, int align_corners);
// (..,C*f*f,H,W) -> (..,C,H*f,W*f). [torch.nn.functional.pixel_shuffle]
TINY_API tiny_tensor *tiny_pixel_shuffle(tiny_tensor *x, int factor);
// (..,C,H*f,W*f) -> (..,C*f*f,H,W). [torch.nn.functional.pixel_unshuffle]
TINY_API tiny_tensor *tiny_pixel_unshuffle(tiny_tensor *x, int factor);
// x (B,C,..): channels (groups, C/groups) in the order (C/groups, groups).
// [torch.nn.functional.channel_shuffle]
TINY_API tiny_tensor *tiny_channel_shuffle(tiny_tensor *x, int groups);
#endif // TINY_NO_NN
