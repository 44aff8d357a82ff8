// nan: which of three stages makes the first NaN: a context keeps what every node of a graph made.
#include "ggml-cpu.h"
#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

int main() {
  ggml_context *ctx = ggml_init({16 << 20, nullptr, false});
  ggml_tensor *x = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 64, 100);
  ggml_tensor *labels = ggml_set_zero(ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 10, 100));
  std::ifstream file("examples/data/digits.csv");
  GGML_ASSERT(file);
  while (file.peek() == '#') file.ignore(1000, '\n');
  float *pixel = ggml_get_data_f32(x);
  char comma;
  for (int i = 0, digit; i < 100; i++) {
    for (int j = 0; j < 64; j++) file >> *pixel++ >> comma;
    file >> digit;
    ggml_set_f32_nd(labels, digit, i, 0, 0, 1);
  }

  ggml_tensor *w1 = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 64, 32);
  ggml_tensor *b1 = ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 32);
  ggml_tensor *w2 = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 32, 10);
  ggml_tensor *b2 = ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 10);
  std::mt19937 random;
  std::normal_distribution<float> normal(0, 0.1f);
  for (ggml_tensor *t : {w1, b1, w2, b2})
    std::generate_n(ggml_get_data_f32(t), ggml_nelements(t), [&] { return normal(random); });

  x = ggml_set_name(ggml_add(ctx, ggml_mul_mat(ctx, w1, x), b1), "embed");
  x = ggml_set_name(ggml_log(ctx, x), "scale");
  x = ggml_set_name(ggml_add(ctx, ggml_mul_mat(ctx, w2, x), b2), "head");
  x = ggml_set_name(ggml_cross_entropy_loss(ctx, x, labels), "loss");
  ggml_cgraph *graph = ggml_new_graph(ctx);
  ggml_build_forward_expand(graph, x);
  ggml_graph_compute_with_ctx(ctx, graph, 1);
  for (int i = 0; i < ggml_graph_n_nodes(graph); i++) {
    ggml_tensor *t = ggml_graph_node(graph, i);
    const float *made = ggml_get_data_f32(t);
    if (std::any_of(made, made + ggml_nelements(t), [](float v) { return std::isnan(v); })) {
      printf("first %s\n", t->name);
      break;
    }
  }
}
