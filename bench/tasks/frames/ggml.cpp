// frames: particles that follow the mouse, as a graph that is planned once and computed 600 times.
#include "ggml-cpu.h"
#include <cmath>
#include <vector>

int main() {
  const float dt = 1 / 60.0f;
  ggml_context *ctx = ggml_init({16 << 20, nullptr, false});
  ggml_tensor *position = ggml_set_zero(ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 10000, 2));
  ggml_tensor *velocity = ggml_set_zero(ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 10000, 2));
  ggml_tensor *mouse = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 1, 2);
  for (int i = 0; i < 10000; i++) ggml_set_f32_1d(position, i, i / 9999.0f * 2 - 1);

  ggml_tensor *way = ggml_sub(ctx, ggml_repeat(ctx, mouse, position), position);
  velocity = ggml_add_inplace(ctx, velocity, ggml_scale(ctx, way, dt));
  velocity = ggml_scale_inplace(ctx, velocity, 0.99f);
  position = ggml_add_inplace(ctx, position, ggml_scale(ctx, velocity, dt));
  ggml_tensor *mean = ggml_mean(ctx, position);
  ggml_cgraph *graph = ggml_new_graph(ctx);
  ggml_build_forward_expand(graph, mean);
  ggml_cplan plan = ggml_graph_plan(graph, 1, nullptr);
  std::vector<uint8_t> work(plan.work_size);
  plan.work_data = work.data();

  float x = 0, y = 0;
  int64_t start = ggml_time_us();
  for (int f = 0; f < 600; f++) {
    ggml_set_f32_1d(mouse, 0, std::cos(f / 50.0f));
    ggml_set_f32_1d(mouse, 1, std::sin(f / 50.0f));
    ggml_graph_compute(graph, &plan);
    x = ggml_get_f32_1d(mean, 0), y = ggml_get_f32_1d(mean, 1);
  }
  printf("mean %.4f %.4f\nframe %.3f\n", x, y, (ggml_time_us() - start) / 600e3);
}
