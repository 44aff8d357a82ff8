// cmake: the sum of four numbers.
#include "ggml-cpu.h"

int main() {
  ggml_context *ctx = ggml_init({1 << 20, nullptr, false});
  ggml_tensor *sum = ggml_sum(ctx, ggml_arange(ctx, 1, 5, 1));
  ggml_cgraph *graph = ggml_new_graph(ctx);
  ggml_build_forward_expand(graph, sum);
  ggml_graph_compute_with_ctx(ctx, graph, 1);
  printf("sum %g\n", ggml_get_f32_1d(sum, 0));
}
