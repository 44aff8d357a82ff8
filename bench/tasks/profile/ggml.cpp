// profile: where the time of three stages goes: the scheduler calls back when a stage is done.
#include "ggml-cpu.h"
#include <algorithm>
#include <map>
#include <random>
#include <string>

static std::map<std::string, double> ms = {{"embed", 0}, {"mix", 0}, {"head", 0}};

static bool stage_done(ggml_tensor *t, bool ask, void *since) {
  if (ask) return ms.count(t->name);
  int64_t now = ggml_time_us();
  ms[t->name] += (now - *(int64_t *)since) / 1e3;
  *(int64_t *)since = now;
  return true;
}

int main() {
  ggml_backend_t cpu = ggml_backend_cpu_init();
  ggml_context *ctx = ggml_init({1 << 20, nullptr, true});
  ggml_tensor *x = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 64, 1024);
  ggml_tensor *w1 = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 64, 256);
  ggml_tensor *b1 = ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 256);
  ggml_tensor *w2 = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 256, 10);
  ggml_tensor *b2 = ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 10);
  ggml_tensor *h = ggml_relu(ctx, ggml_add(ctx, ggml_mul_mat(ctx, w1, x), b1));
  ggml_tensor *share = ggml_soft_max(ctx, ggml_mul_mat(ctx, h, h));
  ggml_tensor *mix = ggml_mul_mat(ctx, ggml_cont(ctx, ggml_transpose(ctx, h)), share);
  ggml_tensor *head = ggml_add(ctx, ggml_mul_mat(ctx, w2, mix), b2);
  ggml_set_name(h, "embed");
  ggml_set_name(mix, "mix");
  ggml_set_name(head, "head");
  ggml_cgraph *graph = ggml_new_graph(ctx);
  ggml_build_forward_expand(graph, head);
  ggml_backend_alloc_ctx_tensors(ctx, cpu);
  std::mt19937 random;
  std::normal_distribution<float> normal(0, 0.1f);
  for (ggml_tensor *t : {x, w1, b1, w2, b2})
    std::generate_n(ggml_get_data_f32(t), ggml_nelements(t), [&] { return normal(random); });

  auto sched = ggml_backend_sched_new(&cpu, nullptr, 1, GGML_DEFAULT_GRAPH_SIZE, false, false);
  int64_t since;
  ggml_backend_sched_set_eval_callback(sched, stage_done, &since);
  for (int i = 0; i < 10; i++) {
    since = ggml_time_us();
    ggml_backend_sched_graph_compute(sched, graph);
  }

  double total = ms["embed"] + ms["mix"] + ms["head"];
  for (auto &[name, time] : ms)
    printf("%-8s%8.3f ms%6.1f%%\n", name.c_str(), time, 100 * time / total);
  auto slowest = std::ranges::max_element(ms, {}, [](auto &stage) { return stage.second; });
  printf("slowest %s\n", slowest->first.c_str());
}
