// sequential: modules and functions one after the other.
//
// In:    an array of stages, the caller's. Out: what comes out of the last, and the names of what is trained.
// Holds: nothing of its own: a stage is what stands in it.
#ifndef TN_TENSOR_SEQUENTIAL
#define TN_TENSOR_SEQUENTIAL
#ifndef TINY_AMALGAMATED
#include "modules.c"
#endif

static int tn_stage_has_norm(const tiny_stage *s) { return s->norm.ndims || s->norm.weight; }
static int tn_stage_has_weights(const tiny_stage *s) {
  return s->embedding.weight || s->linear.weight || s->conv.weight;
}

static tiny_tensor *tn_stage_forward(const tiny_stage *s, tiny_tensor *x, int train) {
  if (s->flatten) x = tiny_flatten(x, 1, -1);
  if (s->embedding.weight) x = tiny_embedding_layer_forward(&s->embedding, x);
  if (s->linear.weight) x = tiny_linear_layer_forward(&s->linear, x);
  if (s->conv.weight) x = tiny_conv_layer_forward(&s->conv, x);
  if (tn_stage_has_norm(s)) x = tiny_norm_layer_forward(&s->norm, x, train);
  if (s->apply) x = s->apply(x);
  if (s->max_pool) x = tiny_max_pool2d(x, s->max_pool, 0, 0);
  if (s->avg_pool) x = tiny_avg_pool2d(x, s->avg_pool, 0, 0);
  return s->dropout != 0 ? tiny_dropout(x, s->dropout, train) : x;
}
TINY_API tiny_tensor *tiny_sequential(const tiny_stage *stages, int n, tiny_tensor *x, int train) {
  tiny_tensor *out;
  if (!tn_usable("sequential", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (n < 0 || (!stages && n)) return tn_wrong(t, TINY_E_ARG, "sequential: %d stages at NULL, or fewer than none", n);
  for (int i = 0; i < n; i++) {
    const int named = stages[i].name && tiny_scope_begin(t, stages[i].name) == TINY_OK;
    x = tn_stage_forward(&stages[i], x, train);
    if (named) tiny_scope_end(t);
  }
  return x;
}

TINY_API tiny_code tiny_sequential_params(const tiny_stage *stages, int n, tiny_params *p, const char *prefix) {
  tiny_code code = TINY_OK;
  if (!p || n < 0 || (!stages && n)) return TINY_E_ARG;
  tiny_params_enter(p, prefix);
  for (int i = 0; i < n && code == TINY_OK; i++) {
    const tiny_stage *s = &stages[i];
    char number[16];
    snprintf(number, sizeof number, "%d", i);
    tiny_params_enter(p, s->name ? s->name : number);
    code = tiny_embedding_layer_params(&s->embedding, p, NULL);
    if (code == TINY_OK) code = tiny_linear_layer_params(&s->linear, p, NULL);
    if (code == TINY_OK) code = tiny_conv_layer_params(&s->conv, p, NULL);
    if (code == TINY_OK) code = tiny_norm_layer_params(&s->norm, p, tn_stage_has_weights(s) ? "norm" : NULL);
    tiny_params_leave(p);
  }
  tiny_params_leave(p);
  return code;
}
TINY_API void tiny_sequential_free(tiny_stage *stages, int n) {
  for (int i = 0; stages && i < n; i++) {
    tiny_embedding_layer_free(&stages[i].embedding);
    tiny_linear_layer_free(&stages[i].linear);
    tiny_conv_layer_free(&stages[i].conv);
    tiny_norm_layer_free(&stages[i].norm);
  }
}
#endif
