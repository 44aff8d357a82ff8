// block: a transformer's block, ported from PyTorch, with its weights.
#include "ggml-cpu.h"
#include "gguf.h"
#include <algorithm>
#include <cmath>
#include <string>

static ggml_context *ctx, *file;

static ggml_tensor *linear(ggml_tensor *x, std::string name) {
  x = ggml_mul_mat(ctx, ggml_get_tensor(file, (name + ".weight").c_str()), x);
  return ggml_add(ctx, x, ggml_get_tensor(file, (name + ".bias").c_str()));
}

static ggml_tensor *norm(ggml_tensor *x, std::string name) {
  x = ggml_mul(ctx, ggml_norm(ctx, x, 1e-5f), ggml_get_tensor(file, (name + ".weight").c_str()));
  return ggml_add(ctx, x, ggml_get_tensor(file, (name + ".bias").c_str()));
}

static ggml_tensor *attention(ggml_tensor *x) {
  ggml_tensor *qkv = linear(x, "qkv");
  auto heads = [&](int i) {
    ggml_tensor *part =
        ggml_view_4d(ctx, qkv, 8, 4, 16, 2, 8 * qkv->nb[0], qkv->nb[1], qkv->nb[2], i * x->nb[1]);
    return ggml_permute(ctx, part, 0, 2, 1, 3);
  };
  ggml_tensor *scores = ggml_diag_mask_inf(ctx, ggml_mul_mat(ctx, heads(1), heads(0)), 0);
  ggml_tensor *weights = ggml_soft_max_ext(ctx, scores, nullptr, 1 / std::sqrt(8.0f), 0);
  ggml_tensor *v = ggml_cont(ctx, ggml_transpose(ctx, heads(2)));
  x = ggml_permute(ctx, ggml_mul_mat(ctx, v, weights), 0, 2, 1, 3);
  return linear(ggml_cont_3d(ctx, x, 32, 16, 2), "out");
}

int main() {
  ctx = ggml_init({4 << 20, nullptr, false});
  GGML_ASSERT(gguf_init_from_file("build/tasks/block.gguf", {false, &file}));
  ggml_tensor *x = ggml_get_tensor(file, "x"), *y = ggml_get_tensor(file, "y");
  x = ggml_add(ctx, x, attention(norm(x, "norm1")));
  x = ggml_add(ctx, x, linear(ggml_gelu_erf(ctx, linear(norm(x, "norm2"), "fc1")), "fc2"));
  ggml_cgraph *graph = ggml_new_graph(ctx);
  ggml_build_forward_expand(graph, x);
  ggml_graph_compute_with_ctx(ctx, graph, 1);
  float difference = 0;
  for (int i = 0; i < ggml_nelements(y); i++)
    difference = std::max(difference, std::fabs(ggml_get_f32_1d(x, i) - ggml_get_f32_1d(y, i)));
  printf("difference %g\n", difference);
}
