// cpp: learns xor with two linear layers and Adam.
#include "ggml-cpu.h"
#include "ggml-opt.h"
#include <algorithm>
#include <random>

// ggml's tanh has no gradient, so it is made of operators that have one.
static ggml_tensor *tanh(ggml_context *ctx, ggml_tensor *x) {
  ggml_tensor *e = ggml_expm1(ctx, ggml_scale(ctx, x, 2));
  return ggml_div(ctx, e, ggml_scale_bias(ctx, e, 1, 2));
}

int main() {
  ggml_backend_t cpu = ggml_backend_cpu_init();
  ggml_context *ctx = ggml_init({16 << 20, nullptr, true});
  ggml_tensor *x = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 2, 4);
  ggml_tensor *w[] = {
      ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 2, 16), ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 16),
      ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 16, 1), ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 1)};
  ggml_backend_alloc_ctx_tensors(ctx, cpu);
  std::mt19937 random;
  std::normal_distribution<float> normal(0, 0.5f);
  for (ggml_tensor *t : w) {
    ggml_set_param(t);
    std::generate_n(ggml_get_data_f32(t), ggml_nelements(t), [&] { return normal(random); });
  }

  auto sched = ggml_backend_sched_new(&cpu, nullptr, 1, GGML_DEFAULT_GRAPH_SIZE, false, false);
  auto params = ggml_opt_default_params(sched, GGML_OPT_LOSS_TYPE_MEAN_SQUARED_ERROR);
  ggml_tensor *h = tanh(ctx, ggml_add(ctx, ggml_mul_mat(ctx, w[0], x), w[1]));
  params.ctx_compute = ctx;
  params.inputs = x;
  params.outputs = ggml_add(ctx, ggml_mul_mat(ctx, w[2], h), w[3]);
  ggml_opt_optimizer_params adam = ggml_opt_get_default_optimizer_params(nullptr);
  adam.adamw.alpha = 0.05f;
  params.get_opt_pars = ggml_opt_get_constant_optimizer_params;
  params.get_opt_pars_ud = &adam;
  ggml_opt_context_t opt = ggml_opt_init(params);
  const float pairs[] = {0, 0, 0, 1, 1, 0, 1, 1}, differ[] = {0, 1, 1, 0};
  ggml_backend_tensor_set(x, pairs, 0, sizeof pairs);
  ggml_backend_tensor_set(ggml_opt_labels(opt), differ, 0, sizeof differ);
  for (int i = 0; i < 500; i++) {
    ggml_opt_alloc(opt, true);
    ggml_opt_eval(opt, nullptr);
  }
  printf("loss %.8f\n", ggml_get_f32_1d(ggml_opt_loss(opt), 0));
}
