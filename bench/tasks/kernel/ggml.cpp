// kernel: x > 0 ? x : 0.1 x x as a function that a graph calls; ggml has no IR to write it in.
#include "ggml-cpu.h"

static void bend(ggml_tensor *dst, const ggml_tensor *a, int ith, int nth, void *) {
  float *y = ggml_get_data_f32(dst), *x = ggml_get_data_f32(a);
  for (int64_t i = ith; i < ggml_nelements(dst); i += nth)
    y[i] = x[i] > 0 ? x[i] : 0.1f * x[i] * x[i];
}

int main() {
  ggml_context *ctx = ggml_init({1 << 20, nullptr, false});
  ggml_tensor *x = ggml_scale_bias(ctx, ggml_arange(ctx, 0, 1000, 1), 2 / 999.0f, -1);
  ggml_tensor *y = ggml_map_custom1(ctx, ggml_scale(ctx, x, 2), bend, GGML_N_TASKS_MAX, nullptr);
  ggml_tensor *sum = ggml_sum(ctx, y);
  ggml_cgraph *graph = ggml_new_graph(ctx);
  ggml_build_forward_expand(graph, sum);
  ggml_graph_compute_with_ctx(ctx, graph, 1);
  printf("source %.2f\n", ggml_get_f32_1d(sum, 0));
}
