// mlp: learns to read digits with two linear layers and Adam.
#include "ggml-cpu.h"
#include "ggml-opt.h"
#include <algorithm>
#include <fstream>
#include <random>

static ggml_opt_dataset_t read(std::istream &file, int n) {
  ggml_opt_dataset_t rows = ggml_opt_dataset_init(GGML_TYPE_F32, GGML_TYPE_F32, 64, 10, n, 1);
  float *pixel = ggml_get_data_f32(ggml_opt_dataset_data(rows));
  float *label = ggml_get_data_f32(ggml_opt_dataset_labels(rows));
  char comma;
  for (int i = 0, digit; i < n; i++) {
    for (int j = 0; j < 64; j++, *pixel++ /= 16) file >> *pixel >> comma;
    file >> digit;
    for (int j = 0; j < 10; j++) *label++ = j == digit;
  }
  return rows;
}

static ggml_tensor *network(ggml_context *ctx, ggml_tensor **w, ggml_tensor *x) {
  x = ggml_relu(ctx, ggml_add(ctx, ggml_mul_mat(ctx, w[0], x), w[1]));
  return ggml_add(ctx, ggml_mul_mat(ctx, w[2], x), w[3]);
}

static ggml_opt_optimizer_params adam(void *) {
  ggml_opt_optimizer_params p = ggml_opt_get_default_optimizer_params(nullptr);
  p.adamw.alpha = 0.003f;
  return p;
}

int main() {
  std::ifstream file("examples/data/digits.csv");
  GGML_ASSERT(file);
  while (file.peek() == '#') file.ignore(1000, '\n');
  ggml_opt_dataset_t train = read(file, 1500), test = read(file, 297);

  ggml_backend_t cpu = ggml_backend_cpu_init();
  auto sched = ggml_backend_sched_new(&cpu, nullptr, 1, GGML_DEFAULT_GRAPH_SIZE, false, false);
  ggml_context *ctx = ggml_init({16 << 20, nullptr, true});
  ggml_tensor *x = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 64, 100);
  ggml_tensor *w[] = {
      ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 64, 64), ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 64),
      ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 64, 10), ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 10)};
  ggml_backend_alloc_ctx_tensors(ctx, cpu);
  std::mt19937 random;
  std::normal_distribution<float> normal(0, 0.125f);
  for (ggml_tensor *t : w) {
    ggml_set_param(t);
    std::generate_n(ggml_get_data_f32(t), ggml_nelements(t), [&] { return normal(random); });
  }
  ggml_opt_fit(sched, ctx, x, network(ctx, w, x), train, GGML_OPT_LOSS_TYPE_CROSS_ENTROPY,
               GGML_OPT_OPTIMIZER_TYPE_ADAMW, adam, 20, 100, 0, true);

  ctx = ggml_init({16 << 20, nullptr, false});
  ggml_tensor *guess = ggml_argmax(ctx, network(ctx, w, ggml_opt_dataset_data(test)));
  ggml_tensor *digit = ggml_argmax(ctx, ggml_opt_dataset_labels(test));
  ggml_tensor *right = ggml_count_equal(ctx, guess, digit);
  ggml_cgraph *graph = ggml_new_graph(ctx);
  ggml_build_forward_expand(graph, right);
  ggml_graph_compute_with_ctx(ctx, graph, 1);
  printf("accuracy %.4f\n", *(int64_t *)right->data / 297.0);
}
