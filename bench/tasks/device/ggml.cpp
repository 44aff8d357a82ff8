// device: a device of one's own: memory that is counted, and the CPU's operators to compute with.
#include "ggml-backend-impl.h"
#include "ggml-cpu.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

static size_t held;
static ggml_backend_t cpu = ggml_backend_cpu_init();

static const ggml_backend_buffer_i memory = {
    .free_buffer = [](auto b) { held -= b->size, free(b->context); },
    .get_base = [](auto b) { return b->context; },
    .memset_tensor = [](auto, auto t, auto v, auto i,
                        auto n) { memset((char *)t->data + i, v, n); },
    .set_tensor = [](auto, auto t, auto p, auto i, auto n) { memcpy((char *)t->data + i, p, n); },
    .get_tensor = [](auto, auto t, auto p, auto i, auto n) { memcpy(p, (char *)t->data + i, n); },
    .clear = [](auto b, auto v) { memset(b->context, v, b->size); }};

static ggml_backend_buffer_t mine_alloc(ggml_backend_buffer_type_t type, size_t size) {
  held += size;
  return ggml_backend_buffer_init(type, memory, malloc(size), size);
}

static ggml_backend_buffer_type_t mine_buffer_type(ggml_backend_dev_t device) {
  static ggml_backend_buffer_type type = {
      .iface = {.get_name = [](auto) { return "mine"; },
                .alloc_buffer = mine_alloc,
                .get_alignment = [](auto) { return alignof(max_align_t); }},
      .device = device};
  return &type;
}

static const ggml_backend_i queue = {
    .get_name = [](auto) { return "mine"; },
    .free = [](auto backend) { delete backend; },
    .graph_compute = [](auto, auto graph) { return ggml_backend_graph_compute(cpu, graph); }};

static ggml_backend_t mine_init(ggml_backend_dev_t device, const char *) {
  static ggml_guid guid = {'m', 'i', 'n', 'e'};
  return new ggml_backend{.guid = &guid, .iface = queue, .device = device, .context = nullptr};
}

static bool mine_supports(ggml_backend_dev_t, const ggml_tensor *t) {
  return t->op == GGML_OP_NONE || t->op == GGML_OP_MUL_MAT || t->op == GGML_OP_ADD ||
         (t->op == GGML_OP_UNARY && ggml_get_unary_op(t) == GGML_UNARY_OP_RELU);
}

static ggml_backend_device mine = {
    .iface = {
        .get_name = [](auto) { return "mine"; },
        .get_description = [](auto) { return "a device of one's own"; },
        .get_memory = [](auto, auto free, auto total) { *free = *total = 0; },
        .get_type = [](auto) { return GGML_BACKEND_DEVICE_TYPE_GPU; },
        .get_props = [](auto, auto p) { p->name = "mine", p->type = GGML_BACKEND_DEVICE_TYPE_GPU; },
        .init_backend = mine_init,
        .get_buffer_type = mine_buffer_type,
        .supports_op = mine_supports,
        .supports_buft = [](auto device, auto type) { return type->device == device; }}};

static bool compare(int, ggml_tensor *t1, ggml_tensor *t2, void *error) {
  std::vector<float> a(ggml_nelements(t1)), b(a.size());
  ggml_backend_tensor_get(t1, a.data(), 0, ggml_nbytes(t1));
  ggml_backend_tensor_get(t2, b.data(), 0, ggml_nbytes(t2));
  for (size_t i = 0; i < a.size(); i++)
    *(float *)error = std::max(*(float *)error, std::fabs(a[i] - b[i]));
  return true;
}

int main() {
  ggml_backend_device_register(&mine);
  ggml_backend_t device = ggml_backend_init_by_name("mine", nullptr);
  ggml_context *ctx = ggml_init({1 << 20, nullptr, true});
  ggml_tensor *x = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 64, 4);
  ggml_tensor *w = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 64, 32);
  ggml_tensor *b = ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 32);
  ggml_tensor *y = ggml_relu(ctx, ggml_add(ctx, ggml_mul_mat(ctx, w, x), b));
  ggml_cgraph *graph = ggml_new_graph(ctx);
  ggml_build_forward_expand(graph, y);
  ggml_backend_alloc_ctx_tensors(ctx, device);
  std::vector<float> numbers(64 * 32);
  for (size_t i = 0; i < numbers.size(); i++) numbers[i] = std::sin((float)i);
  for (ggml_tensor *t : {x, w, b}) ggml_backend_tensor_set(t, numbers.data(), 0, ggml_nbytes(t));
  float error = 0;
  ggml_backend_compare_graph_backend(device, cpu, graph, compare, &error, &y, 1);
  printf("held %zu\nerror %g\n", held, error);
}
