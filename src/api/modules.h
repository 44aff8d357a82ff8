// modules: layers as plain structs, and the list of named tensors that optimisers, saving and loading take.
// ** modules ********************************************************************************** >>modules

#ifndef TINY_NO_NN
// A list of named parameters: what a network consists of, for tiny_grad, optimisers, saving and loading. Begin with
// a zeroed struct; every module has a function that adds its tensors under a name:
//     tiny_params p = {0};
//     tiny_params_enter(&p, "head");
//     tiny_linear_layer_params(&net.fc, &p, "fc");                          // head.fc.weight, head.fc.bias
//     tiny_params_leave(&p);
//     tiny_optim_minimize(&adam, loss, &p);
// The list does not own the tensors. A tensor keeps its identity when its contents change (tiny_assign, tiny_write),
// so a list stays good for as long as the modules live. Its memory is the context's of its tensors, and goes with that.

// Of a whole name like "layers.0.weight", its end included.
#define TINY_NAME_SIZE 128
// A tensor and its name.
typedef struct tiny_param {
  char name[TINY_NAME_SIZE];
  tiny_tensor *tensor;
  int trainable;                           // 0: saved and loaded, but no optimiser moves it: running statistics
} tiny_param;
// A list of them; begin with zeros.
typedef struct tiny_params {
  tiny_param *param; int n;                // in the order they were added
  tiny_tensor **trainable; int ntrainable; // what tiny_grad and the optimisers take: every tensor once
  char path[TINY_NAME_SIZE];               // its own from here on: the names that were entered, joined by dots
  int length[16], depth, cap, captrainable;
  tiny_ctx *t;
} tiny_params;
// Adds tensor as "name", below prefix and all that was entered: "path.prefix.name". prefix may be NULL or "". A
// tensor of NULL is left out: a layer without bias. One tensor may have several names (tied weights); TINY_E_ARG if
// a name is there already or is too long.
TINY_API tiny_code tiny_params_add(tiny_params *p, const char *prefix, const char *name, tiny_tensor *tensor,
                                   int trainable);
// What is added up to the next tiny_params_leave gets "name." in front; enters nest, up to 16 deep. NULL and "" add
// nothing to names.
TINY_API void tiny_params_enter(tiny_params *p, const char *name);
// Drops what the last tiny_params_enter put in front.
TINY_API void tiny_params_leave(tiny_params *p);
// The tensor of that whole name; NULL: there is none.
TINY_API tiny_tensor *tiny_params_find(const tiny_params *p, const char *name);
// Frees the list, as tiny_close does, not the tensors.
TINY_API void tiny_params_free(tiny_params *p);

// A module is a struct of tensors with public fields, and four functions that are alike for all:
//     tiny_linear_layer fc = tiny_linear_layer_new(t, 784, 10, 1);          // weights begin as PyTorch's do
//     y = tiny_linear_layer_forward(&fc, x);                                // lazy, as every operator
//     tiny_linear_layer_params(&fc, &p, "fc");                              // lists fc.weight and fc.bias
//     tiny_linear_layer_free(&fc);                                          // frees its tensors; tiny_close does too
// Tensors are f32, belong to their module and live outside of frames; names are PyTorch's. A module that could not be
// made holds poison: nothing needs to be checked but tiny_status, once. Fields may be changed at any time. A network
// is a struct of modules with functions of its own that call theirs; where training differs from use, forward takes
// train. Random numbers come from the context's seed.

// weight (out,in), bias (out) or NULL.
typedef struct tiny_linear_layer { tiny_tensor *weight, *bias; } tiny_linear_layer;
// Weights (out,in), a bias if bias is not 0. [torch.nn.Linear]
TINY_API tiny_linear_layer tiny_linear_layer_new(tiny_ctx *t, int64_t in, int64_t out, int bias);
// x (..,in) -> (..,out).
TINY_API tiny_tensor *tiny_linear_layer_forward(const tiny_linear_layer *m, tiny_tensor *x);
// Lists weight, bias.
TINY_API tiny_code tiny_linear_layer_params(const tiny_linear_layer *m, tiny_params *p, const char *prefix);
// Frees its tensors.
TINY_API void tiny_linear_layer_free(tiny_linear_layer *m);

// A convolution and its weights.
typedef struct tiny_conv_layer {
  tiny_tensor *weight, *bias;              // (out,in/groups,kernel..) or, transposed, (in,out/groups,kernel..)
  tiny_conv_desc desc;
  int transposed;
} tiny_conv_layer;
// A convolution of as many dims as kernel has, 1 to 3. d may be NULL. [torch.nn.Conv2d]
TINY_API tiny_conv_layer tiny_conv_layer_new(tiny_ctx *t, int64_t in, int64_t out, tiny_shape kernel,
                                             const tiny_conv_desc *d, int bias);
// As tiny_conv_layer_new, of a transposed convolution. [torch.nn.ConvTranspose2d]
TINY_API tiny_conv_layer tiny_conv_transpose_layer_new(tiny_ctx *t, int64_t in, int64_t out, tiny_shape kernel,
                                                       const tiny_conv_desc *d, int bias);
// tiny_conv or tiny_conv_transpose of x.
TINY_API tiny_tensor *tiny_conv_layer_forward(const tiny_conv_layer *m, tiny_tensor *x);
// Lists weight, bias.
TINY_API tiny_code tiny_conv_layer_params(const tiny_conv_layer *m, tiny_params *p, const char *prefix);
// Frees its tensors.
TINY_API void tiny_conv_layer_free(tiny_conv_layer *m);

// What a layer normalizes by.
typedef enum tiny_norm_kind {
  TINY_BATCH_NORM = 0, TINY_LAYER_NORM, TINY_GROUP_NORM, TINY_INSTANCE_NORM, TINY_RMS_NORM
} tiny_norm_kind;
// A normalisation of any kind.
typedef struct tiny_norm_layer {
  tiny_norm_kind kind;
  tiny_tensor *weight, *bias, *mean, *var; // NULL where the kind has none; mean and var are not trainable
  int ndims; int64_t groups;
  double eps, momentum;                    // 1e-5 (rms: f32's epsilon), 0.1
} tiny_norm_layer;
// size: the channels (C), or, for layer and rms norm, the last dims of x. groups: of group norm. [torch.nn.BatchNorm2d]
TINY_API tiny_norm_layer tiny_norm_layer_new(tiny_ctx *t, tiny_norm_kind kind, tiny_shape size, int64_t groups);
// x normalized. train matters to batch norm only, which then moves mean and var.
TINY_API tiny_tensor *tiny_norm_layer_forward(const tiny_norm_layer *m, tiny_tensor *x, int train);
// Lists weight, bias, running_mean, running_var.
TINY_API tiny_code tiny_norm_layer_params(const tiny_norm_layer *m, tiny_params *p, const char *prefix);
// Frees its tensors.
TINY_API void tiny_norm_layer_free(tiny_norm_layer *m);

// weight (rows,size).
typedef struct tiny_embedding_layer { tiny_tensor *weight; int64_t padding; } tiny_embedding_layer;
// padding: a row of zeros that is not trained; -1: none. [torch.nn.Embedding]
TINY_API tiny_embedding_layer tiny_embedding_layer_new(tiny_ctx *t, int64_t rows, int64_t size, int64_t padding);
// ids (..) -> (..,size).
TINY_API tiny_tensor *tiny_embedding_layer_forward(const tiny_embedding_layer *m, tiny_tensor *ids);
// Lists weight.
TINY_API tiny_code tiny_embedding_layer_params(const tiny_embedding_layer *m, tiny_params *p, const char *prefix);
// Frees its tensors.
TINY_API void tiny_embedding_layer_free(tiny_embedding_layer *m);

// Attention of several heads, with the projections before and behind it.
typedef struct tiny_attention_layer {
  tiny_tensor *in_proj_weight, *in_proj_bias;      // (3*size,size), (3*size): of queries, keys, values
  tiny_linear_layer out_proj;
  int heads;
} tiny_attention_layer;
// heads divides size. The batch is first. [torch.nn.MultiheadAttention]
TINY_API tiny_attention_layer tiny_attention_layer_new(tiny_ctx *t, int64_t size, int heads, int bias);
// q (B,L,size), k, v (B,S,size) -> (B,L,size); or without B. d: mask (B,heads,L,S) or what broadcasts to it, causal,
// scale, dropout; may be NULL.
TINY_API tiny_tensor *tiny_attention_layer_forward(const tiny_attention_layer *m, tiny_tensor *q, tiny_tensor *k,
                                                   tiny_tensor *v, const tiny_attention_desc *d);
// Lists in_proj_weight, in_proj_bias, out_proj.weight, out_proj.bias.
TINY_API tiny_code tiny_attention_layer_params(const tiny_attention_layer *m, tiny_params *p, const char *prefix);
// Frees its tensors.
TINY_API void tiny_attention_layer_free(tiny_attention_layer *m);

// RNNs of tanh or relu, LSTMs, GRUs.
typedef enum tiny_recurrent_kind { TINY_RNN = 0, TINY_LSTM, TINY_GRU } tiny_recurrent_kind;
// Layers of recurrent units, in one direction or both.
typedef struct tiny_recurrent_layer {
  tiny_recurrent_kind kind;
  tiny_recurrent_desc desc;
  tiny_recurrent_weights *w; int n;        // for each layer and direction; its own
  tiny_ctx *t;
} tiny_recurrent_layer;
// Inputs of size in, states of size size. d may be NULL. [torch.nn.LSTM]
TINY_API tiny_recurrent_layer tiny_recurrent_layer_new(tiny_ctx *t, tiny_recurrent_kind kind, int64_t in, int64_t size,
                                                       const tiny_recurrent_desc *d, int bias);
// As tiny_rnn, tiny_lstm and tiny_gru: h0, c0, hn, cn may be NULL; c0 and cn are for LSTM. Dropout only when train.
TINY_API tiny_tensor *tiny_recurrent_layer_forward(const tiny_recurrent_layer *m, tiny_tensor *x, tiny_tensor *h0,
                                                   tiny_tensor *c0, int train, tiny_tensor **hn, tiny_tensor **cn);
// Lists weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, then those of _reverse, then those of l1 ..
TINY_API tiny_code tiny_recurrent_layer_params(const tiny_recurrent_layer *m, tiny_params *p, const char *prefix);
// Frees its tensors and its list of weights.
TINY_API void tiny_recurrent_layer_free(tiny_recurrent_layer *m);

// A network whose layers follow each other is an array of stages:
//     tiny_stage net[] = {{.linear = tiny_linear_layer_new(t, 64, 64, 1), .apply = tiny_relu},
//                         {.linear = tiny_linear_layer_new(t, 64, 10, 1)}};
//     tiny_sequential_params(net, 2, &p, NULL);                             // 0.weight, 0.bias, 1.weight, 1.bias
//     y = tiny_sequential(net, 2, x, 0);

// What a stage does: what is set of these, in this order. Begin with zeros.
typedef struct tiny_stage {
  const char *name;                        // of its tensors and, as by tiny_scope_begin, kernels; NULL: its number
  int flatten;                             // all dims but the first become one
  tiny_embedding_layer embedding; tiny_linear_layer linear; tiny_conv_layer conv; tiny_norm_layer norm;
  tiny_tensor *(*apply)(tiny_tensor *x);   // any operator of one tensor, like tiny_relu, or a function of yours
  int max_pool, avg_pool;                  // of pictures: squares of that size, side by side
  double dropout;                          // the part that is left out where train is not 0
} tiny_stage;
// x through all stages. train: as for tiny_norm_layer_forward and tiny_dropout. [torch.nn.Sequential]
TINY_API tiny_tensor *tiny_sequential(const tiny_stage *stages, int n, tiny_tensor *x, int train);
// Lists the tensors of all modules, below prefix and the stage's name or number: "0.weight"; those of a norm that
// stands beside weights below "norm": "0.norm.weight".
TINY_API tiny_code tiny_sequential_params(const tiny_stage *stages, int n, tiny_params *p, const char *prefix);
// Frees the tensors of all modules.
TINY_API void tiny_sequential_free(tiny_stage *stages, int n);
#endif // TINY_NO_NN
