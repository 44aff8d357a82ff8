// cnn: learns digits with two convolutions; saves the weights, loads them into a second network.
#include "ggml-cpu.h"
#include "ggml-opt.h"
#include "gguf.h"
#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <vector>

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

typedef std::vector<ggml_tensor *> weights;

static weights random_weights(ggml_backend_t backend, int seed) {
  ggml_context *ctx = ggml_init({6 * ggml_tensor_overhead(), nullptr, true});
  weights w = {ggml_new_tensor_4d(ctx, GGML_TYPE_F32, 3, 3, 1, 16),
               ggml_new_tensor_3d(ctx, GGML_TYPE_F32, 1, 1, 16),
               ggml_new_tensor_4d(ctx, GGML_TYPE_F32, 3, 3, 16, 32),
               ggml_new_tensor_3d(ctx, GGML_TYPE_F32, 1, 1, 32),
               ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 2 * 2 * 32, 10),
               ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 10)};
  ggml_backend_alloc_ctx_tensors(ctx, backend);
  std::mt19937 random(seed);
  for (size_t i = 0; i < w.size(); i++) {
    ggml_set_param(ggml_format_name(w[i], "w%zu", i));
    // A bias is drawn like the weights before it.
    float inputs = ggml_nelements(w[i & ~1]) / ggml_nelements(w[i | 1]);
    std::normal_distribution<float> normal(0, 1 / std::sqrt(inputs));
    std::generate_n(ggml_get_data_f32(w[i]), ggml_nelements(w[i]), [&] { return normal(random); });
  }
  return w;
}

static ggml_tensor *forward(ggml_context *ctx, const weights &w, ggml_tensor *x) {
  x = ggml_reshape_4d(ctx, x, 8, 8, 1, x->ne[1]);
  for (int i = 0; i < 4; i += 2) {
    x = ggml_add(ctx, ggml_conv_2d(ctx, w[i], x, 1, 1, 1, 1, 1, 1), w[i + 1]);
    x = ggml_pool_2d(ctx, ggml_relu(ctx, x), GGML_OP_POOL_MAX, 2, 2, 2, 2, 0, 0);
  }
  x = ggml_reshape_2d(ctx, x, 2 * 2 * 32, x->ne[3]);
  return ggml_add(ctx, ggml_mul_mat(ctx, w[4], x), w[5]);
}

static double accuracy(const weights &w, ggml_opt_dataset_t rows) {
  ggml_context *ctx = ggml_init({64 << 20, nullptr, false});
  ggml_tensor *guess = ggml_argmax(ctx, forward(ctx, w, ggml_opt_dataset_data(rows)));
  ggml_tensor *digit = ggml_argmax(ctx, ggml_opt_dataset_labels(rows));
  ggml_tensor *right = ggml_count_equal(ctx, guess, digit);
  ggml_cgraph *graph = ggml_new_graph(ctx);
  ggml_build_forward_expand(graph, right);
  ggml_graph_compute_with_ctx(ctx, graph, 1);
  return *(int64_t *)right->data / 297.0;
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
  weights first = random_weights(cpu, 1), second = random_weights(cpu, 2);
  ggml_context *ctx = ggml_init({16 << 20, nullptr, true});
  ggml_tensor *x = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 64, 100);
  ggml_backend_alloc_ctx_tensors(ctx, cpu);
  ggml_opt_fit(sched, ctx, x, forward(ctx, first, x), train, GGML_OPT_LOSS_TYPE_CROSS_ENTROPY,
               GGML_OPT_OPTIMIZER_TYPE_ADAMW, adam, 10, 100, 0, true);
  printf("accuracy %.4f\n", accuracy(first, test));

  gguf_context *saved = gguf_init_empty();
  for (ggml_tensor *t : first) gguf_add_tensor(saved, t);
  GGML_ASSERT(gguf_write_to_file(saved, "build/tasks/cnn.gguf", false));
  GGML_ASSERT(gguf_init_from_file("build/tasks/cnn.gguf", {false, &ctx}));
  for (ggml_tensor *t : second)
    ggml_backend_tensor_set(t, ggml_get_tensor(ctx, t->name)->data, 0, ggml_nbytes(t));
  printf("loaded %.4f\n", accuracy(second, test));
}
