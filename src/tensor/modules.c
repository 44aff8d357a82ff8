// modules: layers as structs of tensors: made from sizes, run, listed by name, freed.
//
// Every tensor of a module is kept: it lives outside of frames until its module is freed. Weights begin as
// PyTorch begins them, with random numbers of the context's seed that are drawn on the host: they are in
// memory from the start, so that the first step of a training is the same graph as all others. A module whose
// tensors could not be made holds poison, and the context the reason; running it gives poison.
#ifndef TN_TENSOR_MODULES
#define TN_TENSOR_MODULES
#ifndef TINY_AMALGAMATED
#include "params.c"
#include "attention.c"
#include "embedding.c"
#include "recurrent.c"
#include "conv.c"
#endif

// ** initial weights **

enum { TN_INIT_UNIFORM, TN_INIT_NORMAL };  // between middle - spread and middle + spread; of deviation spread

static double tn_host_unit(const tiny_ctx *t, int64_t i, uint32_t call, int word) {
  return (tn_threefry((uint32_t)i, call, (uint32_t)t->seed, (uint32_t)(t->seed >> 32), word) >> 8) /
         16777216.0;
}
static double tn_host_normal(const tiny_ctx *t, int64_t i, uint32_t call) {        // as tn_normal
  const double u = tn_host_unit(t, i, call, 0), phase = tn_host_unit(t, i, call, 1);
  return sqrt(-2 * log(1 - u)) * sin(2 * TN_PI * phase);
}
// An f32 tensor of random numbers, kept, with element zero[0] up to zero[1] 0. Poison, or NULL without a
// context, when it could not be made.
static tiny_tensor *tn_weights_but(tiny_ctx *t, const char *name, tiny_shape s, int init, double middle,
                                   double spread, const int64_t *zero) {
  TN_FLOAT_MODE;
  if (!tn_creatable(t, name, TINY_F32, &s)) return tn_poison(t);
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  const size_t nbytes = (size_t)(n ? n : 1) * sizeof(float);
  const uint32_t call = spread != 0 ? ++t->tensors->random : 0;
  float *data = (float *)tn_alloc(t, nbytes);
  if (!data) return tn_poison(t);
  for (int64_t i = 0; i < n; i++) {
    const double unit = spread == 0 ? 0 : init == TN_INIT_NORMAL ? tn_host_normal(t, i, call)
                                                                  : 2 * tn_host_unit(t, i, call, 0) - 1;
    data[i] = i >= zero[0] && i < zero[1] ? 0 : (float)(middle + spread * unit);
  }
  tiny_tensor *x = tiny_keep(tiny_from(t, data, TINY_F32, s));
  tn_release(t, data, nbytes);
  return x;
}
static tiny_tensor *tn_weights(tiny_ctx *t, const char *name, tiny_shape s, int init, double middle,
                               double spread) {
  const int64_t none[2] = {0, 0};
  return tn_weights_but(t, name, s, init, middle, spread, none);
}
static tiny_shape tn_shape2(int64_t a, int64_t b) {
  tiny_shape s;
  memset(&s, 0, sizeof s);
  s.ndim = 2; s.dim[0] = a; s.dim[1] = b;
  return s;
}
static tiny_shape tn_shape1(int64_t a) {
  tiny_shape s = tn_shape2(a, 0);
  s.ndim = 1; s.dim[1] = 0;
  return s;
}
// 1 / sqrt of the inputs of a unit: kaiming_uniform with a = sqrt(5), He et al., arXiv:1502.01852.
static double tn_bound(int64_t inputs) {
  TN_FLOAT_MODE;
  return inputs > 0 ? 1 / sqrt((double)inputs) : 0;
}

// Lists tensors under their names, up to the first error.
static tiny_code tn_params_list(tiny_params *p, const char *prefix, int n, const char *const *names,
                                tiny_tensor *const *x, int trainable) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < n && code == TINY_OK; i++) code = tiny_params_add(p, prefix, names[i], x[i], trainable);
  return code;
}
static const char *const tn_weight_and_bias[2] = {"weight", "bias"};

// ** linear **

TINY_API tiny_linear_layer tiny_linear_layer_new(tiny_ctx *t, int64_t in, int64_t out, int bias) {
  tiny_linear_layer m;
  memset(&m, 0, sizeof m);
  m.weight = tn_weights(t, "linear_layer_new", tn_shape2(out, in), TN_INIT_UNIFORM, 0, tn_bound(in));
  if (bias) m.bias = tn_weights(t, "linear_layer_new", tn_shape1(out), TN_INIT_UNIFORM, 0, tn_bound(in));
  return m;
}
TINY_API tiny_tensor *tiny_linear_layer_forward(const tiny_linear_layer *m, tiny_tensor *x) {
  return tiny_linear(x, m ? m->weight : NULL, m ? m->bias : NULL);
}
TINY_API tiny_code tiny_linear_layer_params(const tiny_linear_layer *m, tiny_params *p, const char *prefix) {
  if (!m) return TINY_E_ARG;
  tiny_tensor *const x[2] = {m->weight, m->bias};
  return tn_params_list(p, prefix, 2, tn_weight_and_bias, x, 1);
}
TINY_API void tiny_linear_layer_free(tiny_linear_layer *m) {
  if (!m) return;
  tiny_free(m->weight); tiny_free(m->bias);
  memset(m, 0, sizeof *m);
}

// ** convolution **

static tiny_conv_layer tn_conv_layer_new(tiny_ctx *t, const char *name, int64_t in, int64_t out,
                                         tiny_shape kernel, const tiny_conv_desc *d, int bias,
                                         int transposed) {
  tiny_conv_layer m;
  tiny_shape s = tn_shape2(transposed ? in : out, 0);
  memset(&m, 0, sizeof m);
  if (d) m.desc = *d;
  m.transposed = transposed;
  const int64_t groups = m.desc.groups > 0 ? m.desc.groups : 1;
  if (in % groups || out % groups || kernel.ndim < 1 || kernel.ndim > 3) {
    m.weight = t ? tn_wrong(t, TINY_E_ARG, "%s: %lld to %lld channels in %lld groups, a kernel of %d dims",
                            name, (long long)in, (long long)out, (long long)groups, kernel.ndim) :
                   NULL;
    return m;
  }
  s.dim[1] = (transposed ? out : in) / groups;
  s.ndim = 2 + kernel.ndim;
  int64_t inputs = s.dim[1];
  for (int i = 0; i < kernel.ndim; i++) {
    s.dim[2 + i] = kernel.dim[i];
    inputs = tn_clamp_mul(inputs, kernel.dim[i]);
  }
  m.weight = tn_weights(t, name, s, TN_INIT_UNIFORM, 0, tn_bound(inputs));
  if (bias) m.bias = tn_weights(t, name, tn_shape1(out), TN_INIT_UNIFORM, 0, tn_bound(inputs));
  return m;
}
TINY_API tiny_conv_layer tiny_conv_layer_new(tiny_ctx *t, int64_t in, int64_t out, tiny_shape kernel,
                                             const tiny_conv_desc *d, int bias) {
  return tn_conv_layer_new(t, "conv_layer_new", in, out, kernel, d, bias, 0);
}
TINY_API tiny_conv_layer tiny_conv_transpose_layer_new(tiny_ctx *t, int64_t in, int64_t out,
                                                       tiny_shape kernel, const tiny_conv_desc *d, int bias) {
  return tn_conv_layer_new(t, "conv_transpose_layer_new", in, out, kernel, d, bias, 1);
}
TINY_API tiny_tensor *tiny_conv_layer_forward(const tiny_conv_layer *m, tiny_tensor *x) {
  if (!m) return tiny_conv(x, NULL, NULL, NULL);
  return m->transposed ? tiny_conv_transpose(x, m->weight, m->bias, &m->desc)
                       : tiny_conv(x, m->weight, m->bias, &m->desc);
}
TINY_API tiny_code tiny_conv_layer_params(const tiny_conv_layer *m, tiny_params *p, const char *prefix) {
  if (!m) return TINY_E_ARG;
  tiny_tensor *const x[2] = {m->weight, m->bias};
  return tn_params_list(p, prefix, 2, tn_weight_and_bias, x, 1);
}
TINY_API void tiny_conv_layer_free(tiny_conv_layer *m) {
  if (!m) return;
  tiny_free(m->weight); tiny_free(m->bias);
  memset(m, 0, sizeof *m);
}

// ** normalisation **

TINY_API tiny_norm_layer tiny_norm_layer_new(tiny_ctx *t, tiny_norm_kind kind, tiny_shape size,
                                             int64_t groups) {
  static const char name[] = "norm_layer_new";
  tiny_norm_layer m;
  memset(&m, 0, sizeof m);
  m.kind = kind; m.ndims = size.ndim; m.groups = groups;
  m.eps = kind == TINY_RMS_NORM ? 1.1920928955078125e-07 : 1e-5;
  m.momentum = 0.1;
  const int whole = kind == TINY_LAYER_NORM || kind == TINY_RMS_NORM;
  if (kind < TINY_BATCH_NORM || kind > TINY_RMS_NORM || size.ndim < 1 || (!whole && size.ndim != 1)) {
    m.weight = t ? tn_wrong(t, TINY_E_ARG, "%s: kind %d over %d dims", name, (int)kind, size.ndim) : NULL;
    return m;
  }
  if (kind != TINY_INSTANCE_NORM) m.weight = tn_weights(t, name, size, 0, 1, 0);
  if (kind != TINY_INSTANCE_NORM && kind != TINY_RMS_NORM) m.bias = tn_weights(t, name, size, 0, 0, 0);
  if (kind != TINY_BATCH_NORM) return m;
  m.mean = tn_weights(t, name, size, 0, 0, 0);
  m.var = tn_weights(t, name, size, 0, 1, 0);
  return m;
}
TINY_API tiny_tensor *tiny_norm_layer_forward(const tiny_norm_layer *m, tiny_tensor *x, int train) {
  tiny_batch_norm_state s;
  if (!m) return tiny_layer_norm(x, 0, NULL, NULL, 0);
  switch (m->kind) {
    case TINY_LAYER_NORM: return tiny_layer_norm(x, m->ndims, m->weight, m->bias, m->eps);
    case TINY_RMS_NORM: return tiny_rms_norm(x, m->ndims, m->weight, m->eps);
    case TINY_GROUP_NORM: return tiny_group_norm(x, m->groups, m->weight, m->bias, m->eps);
    case TINY_INSTANCE_NORM: return tiny_instance_norm(x, m->weight, m->bias, m->eps);
    default: break;
  }
  memset(&s, 0, sizeof s);
  s.mean = m->mean; s.var = m->var; s.weight = m->weight; s.bias = m->bias;
  s.eps = m->eps; s.momentum = m->momentum;
  return tiny_batch_norm(x, &s, train);
}
TINY_API tiny_code tiny_norm_layer_params(const tiny_norm_layer *m, tiny_params *p, const char *prefix) {
  if (!m) return TINY_E_ARG;
  static const char *const statistics[2] = {"running_mean", "running_var"};
  tiny_tensor *const x[2] = {m->weight, m->bias}, *const y[2] = {m->mean, m->var};
  const tiny_code code = tn_params_list(p, prefix, 2, tn_weight_and_bias, x, 1);
  return code != TINY_OK ? code : tn_params_list(p, prefix, 2, statistics, y, 0);
}
TINY_API void tiny_norm_layer_free(tiny_norm_layer *m) {
  if (!m) return;
  tiny_free(m->weight); tiny_free(m->bias); tiny_free(m->mean); tiny_free(m->var);
  memset(m, 0, sizeof *m);
}

// ** embedding **

TINY_API tiny_embedding_layer tiny_embedding_layer_new(tiny_ctx *t, int64_t rows, int64_t size,
                                                       int64_t padding) {
  tiny_embedding_layer m;
  memset(&m, 0, sizeof m);
  const int has = padding >= 0 && padding < rows && size > 0;
  const int64_t zero[2] = {has ? tn_clamp_mul(padding, size) : 0, has ? tn_clamp_mul(padding + 1, size) : 0};
  m.padding = padding;
  m.weight = tn_weights_but(t, "embedding_layer_new", tn_shape2(rows, size), TN_INIT_NORMAL, 0, 1, zero);
  return m;
}
TINY_API tiny_tensor *tiny_embedding_layer_forward(const tiny_embedding_layer *m, tiny_tensor *ids) {
  return tiny_embedding(ids, m ? m->weight : NULL, m ? m->padding : -1);
}
TINY_API tiny_code tiny_embedding_layer_params(const tiny_embedding_layer *m, tiny_params *p,
                                               const char *prefix) {
  return m ? tiny_params_add(p, prefix, "weight", m->weight, 1) : TINY_E_ARG;
}
TINY_API void tiny_embedding_layer_free(tiny_embedding_layer *m) {
  if (!m) return;
  tiny_free(m->weight);
  memset(m, 0, sizeof *m);
}

// ** attention **

// The three projections are one tensor, as PyTorch keeps them; it begins by Glorot and Bengio, AISTATS 2010,
// eq. 16.
TINY_API tiny_attention_layer tiny_attention_layer_new(tiny_ctx *t, int64_t size, int heads, int bias) {
  TN_FLOAT_MODE;
  static const char name[] = "attention_layer_new";
  tiny_attention_layer m;
  memset(&m, 0, sizeof m);
  m.heads = heads;
  if (heads < 1 || size % heads) {
    m.in_proj_weight =
        t ? tn_wrong(t, TINY_E_ARG, "%s: %lld in %d heads", name, (long long)size, heads) : NULL;
    return m;
  }
  const double spread = size > 0 ? sqrt(6.0 / (4.0 * (double)size)) : 0;
  m.in_proj_weight = tn_weights(t, name, tn_shape2(tn_clamp_mul(3, size), size), TN_INIT_UNIFORM, 0, spread);
  if (bias) m.in_proj_bias = tn_weights(t, name, tn_shape1(tn_clamp_mul(3, size)), 0, 0, 0);
  m.out_proj.weight = tn_weights(t, name, tn_shape2(size, size), TN_INIT_UNIFORM, 0, tn_bound(size));
  if (bias) m.out_proj.bias = tn_weights(t, name, tn_shape1(size), 0, 0, 0);
  return m;
}
// x (B,L,E) or (L,E) by part i of the projections -> (B,H,L,E/H)
static tiny_uop *tn_project(const tiny_attention_layer *m, const tiny_tensor *x, int i, int dtype) {
  tiny_ctx *t = tn_ctx_of(x);
  const tiny_uop *u = tn_uop_of(x);
  const int64_t E = u->dim[u->ndim - 1], B = u->ndim == 3 ? u->dim[0] : 1, L = u->dim[u->ndim - 2];
  const int64_t heads[4] = {B, L, m->heads, E / m->heads};
  tiny_uop *w = tn_cut(t, tn_uop_of(m->in_proj_weight), 0, i * E, (i + 1) * E);
  tiny_uop *bias = m->in_proj_bias ? tn_cut(t, tn_uop_of(m->in_proj_bias), 0, i * E, (i + 1) * E) : NULL;
  tiny_uop *y = tn_dot(t, tn_insert(t, tn_uop_of(x), u->ndim - 1), w, bias, 1 << u->ndim, dtype);
  return tn_swap(t, tn_reshape(t, y, 4, heads), 1, 2);
}
TINY_API tiny_tensor *tiny_attention_layer_forward(const tiny_attention_layer *m, tiny_tensor *q,
                                                   tiny_tensor *k, tiny_tensor *v,
                                                   const tiny_attention_desc *d) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT], c[TN_DIMS_TEXT];
  tiny_tensor *out, *heads[3], *in[8] = {q, k, v, m ? m->in_proj_weight : NULL, m ? m->in_proj_bias : NULL,
      m ? m->out_proj.weight : NULL, m ? m->out_proj.bias : NULL, d ? d->mask : NULL};
  if (!tn_usable_some("attention_layer", 4, 8, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(q);
  const tiny_uop *u = tn_uop_of(q);
  const int64_t E = tn_uop_of(in[3])->ndim == 2 ? tn_uop_of(in[3])->dim[1] : 0;
  const int n = u->ndim;
  const int64_t packed[2] = {3 * E, E};
  int fits = (n == 2 || n == 3) && m->heads > 0 && E % m->heads == 0 && tn_has_dims(tn_uop_of(in[3]), 2, packed) &&
      (!in[4] || tn_has_dims(tn_uop_of(in[4]), 1, packed));
  for (int i = 0; fits && i < 3; i++)
    fits =
        tn_uop_of(in[i])->ndim == n && tn_uop_of(in[i])->dim[n - 1] == E &&
            (n == 2 || tn_uop_of(in[i])->dim[0] == u->dim[0]);
  if (!fits || tn_uop_of(k)->dim[n - 2] != tn_uop_of(v)->dim[n - 2])
    return tn_wrong(t, TINY_E_SHAPE, "attention_layer: queries %s, keys %s, values %s for a layer of %lld",
                    tn_text_of(u, a), tn_text_of(tn_uop_of(k), b), tn_text_of(tn_uop_of(v), c), (long long)E);
  const int dtype = tn_real(tn_meet(u, tn_uop_of(in[3])));
  for (int i = 0; i < 3; i++) heads[i] = tn_tensor_new(t, tn_project(m, in[i], i, dtype));
  tiny_tensor *y = tiny_attention(heads[0], heads[1], heads[2], d);
  const tiny_shape s = tiny_shape_of(q);
  tiny_uop *joined = tiny_ok(y) ? tn_reshape(t, tn_swap(t, tn_uop_of(y), 1, 2), s.ndim, s.dim) : NULL;
  return tiny_linear_layer_forward(&m->out_proj, tn_tensor_new(t, joined));
}
TINY_API tiny_code tiny_attention_layer_params(const tiny_attention_layer *m, tiny_params *p,
                                               const char *prefix) {
  if (!m) return TINY_E_ARG;
  static const char *const names[4] = {"in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"};
  tiny_tensor *const x[4] = {m->in_proj_weight, m->in_proj_bias, m->out_proj.weight, m->out_proj.bias};
  return tn_params_list(p, prefix, 4, names, x, 1);
}
TINY_API void tiny_attention_layer_free(tiny_attention_layer *m) {
  if (!m) return;
  tiny_free(m->in_proj_weight); tiny_free(m->in_proj_bias);
  tiny_linear_layer_free(&m->out_proj);
  memset(m, 0, sizeof *m);
}

// ** recurrent **

TINY_API tiny_recurrent_layer tiny_recurrent_layer_new(tiny_ctx *t, tiny_recurrent_kind kind, int64_t in,
                                                       int64_t size, const tiny_recurrent_desc *d, int bias) {
  TN_FLOAT_MODE;
  static const char name[] = "recurrent_layer_new";
  static const int gates[3] = {1, 4, 3};   // of kinds
  tiny_recurrent_layer m;
  memset(&m, 0, sizeof m);
  m.kind = kind;
  if (d) m.desc = *d;
  const int directions = m.desc.bidirectional ? 2 : 1, layers = m.desc.layers ? m.desc.layers : 1;
  if (!t) return m;
  if (kind < TINY_RNN || kind > TINY_GRU || layers < 1 || layers > 1 << 12 || size < 1) {
    tn_wrong(t, TINY_E_ARG, "%s: kind %d, %d layers of %lld", name, (int)kind, layers, (long long)size);
    return m;
  }
  m.w = (tiny_recurrent_weights *)tn_owned_grow(t, NULL, (size_t)(layers * directions) * sizeof *m.w);
  if (!m.w) return m;
  m.t = t; m.n = layers * directions;
  for (int i = 0; i < m.n; i++) {
    const int64_t rows = tn_clamp_mul(gates[kind], size), from = i < directions ? in : tn_clamp_mul(size, directions);
    m.w[i].w_ih = tn_weights(t, name, tn_shape2(rows, from), TN_INIT_UNIFORM, 0, tn_bound(size));
    m.w[i].w_hh = tn_weights(t, name, tn_shape2(rows, size), TN_INIT_UNIFORM, 0, tn_bound(size));
    if (bias) m.w[i].b_ih = tn_weights(t, name, tn_shape1(rows), TN_INIT_UNIFORM, 0, tn_bound(size));
    if (bias) m.w[i].b_hh = tn_weights(t, name, tn_shape1(rows), TN_INIT_UNIFORM, 0, tn_bound(size));
  }
  return m;
}
TINY_API tiny_tensor *tiny_recurrent_layer_forward(const tiny_recurrent_layer *m, tiny_tensor *x,
                                                   tiny_tensor *h0, tiny_tensor *c0, int train,
                                                   tiny_tensor **hn, tiny_tensor **cn) {
  tiny_recurrent_desc d;
  memset(&d, 0, sizeof d);
  if (m) d = m->desc;
  if (!train) d.dropout = 0;
  const tiny_recurrent_weights *w = m ? m->w : NULL;
  tiny_tensor *out, *in[3] = {x, h0, c0};
  if (!tn_usable_in(m ? m->t : NULL, "recurrent_layer", 1, &x, &out) ||
      !tn_usable_some("recurrent_layer", 1, 3, in, &out)) {
    if (hn) *hn = out;
    if (cn) *cn = out;
    return out;
  }
  if (cn && (!m || m->kind != TINY_LSTM)) *cn = NULL;        // the others have no such state
  if (m && m->kind == TINY_LSTM) return tiny_lstm(x, h0, c0, w, &d, hn, cn);
  return m && m->kind == TINY_GRU ? tiny_gru(x, h0, w, &d, hn) : tiny_rnn(x, h0, w, &d, hn);
}
TINY_API tiny_code tiny_recurrent_layer_params(const tiny_recurrent_layer *m, tiny_params *p,
                                               const char *prefix) {
  static const char *const names[4] = {"weight_ih", "weight_hh", "bias_ih", "bias_hh"};
  char name[40];
  tiny_code code = TINY_OK;
  if (!m) return TINY_E_ARG;
  const int directions = m->desc.bidirectional ? 2 : 1;
  for (int i = 0; i < m->n; i++) {
    tiny_tensor *const of[4] = {m->w[i].w_ih, m->w[i].w_hh, m->w[i].b_ih, m->w[i].b_hh};
    for (int j = 0; j < 4 && code == TINY_OK; j++) {
      snprintf(name, sizeof name, "%s_l%d%s", names[j], i / directions, i % directions ? "_reverse" : "");
      code = tiny_params_add(p, prefix, name, of[j], 1);
    }
  }
  return code;
}
TINY_API void tiny_recurrent_layer_free(tiny_recurrent_layer *m) {
  if (!m) return;
  for (int i = 0; i < m->n; i++) {
    tiny_free(m->w[i].w_ih); tiny_free(m->w[i].w_hh); tiny_free(m->w[i].b_ih); tiny_free(m->w[i].b_hh);
  }
  tn_owned_free(m->w);
  memset(m, 0, sizeof *m);
}
#endif
