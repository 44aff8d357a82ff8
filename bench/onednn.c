// onednn: oneDNN as a racer: products of matrices, softmax, and convolutions one by one. A part of bench.c, which is
// built with BENCH_ONEDNN where its header is; the library itself is loaded when it is asked for. Version 2's
// interface.
// A network as it is built: its convolutions are noted.
typedef struct layer { int64_t batch, in, size, out; int kernel, stride, groups; } layer;
typedef struct net { tiny_ctx *t; uint32_t seed; layer layer[64]; int nlayer; } net;

#ifdef BENCH_ONEDNN
#include <oneapi/dnnl/dnnl.h>

#define ONEDNN_FUNCTIONS(_) \
  _(engine_create) _(stream_create) _(stream_wait) _(memory_desc_init_by_tag) _(memory_create) _(memory_destroy) \
  _(memory_get_data_handle) _(primitive_desc_create) _(primitive_desc_query_md) _(primitive_desc_destroy) \
  _(primitive_create) _(primitive_destroy) _(primitive_execute) _(primitive_attr_create) \
  _(primitive_attr_set_post_ops) _(post_ops_create) _(post_ops_append_eltwise) _(matmul_desc_init) \
  _(convolution_forward_desc_init) _(softmax_forward_desc_init)

static struct {
#define FIELD(name) __typeof__(&dnnl_##name) name;
  ONEDNN_FUNCTIONS(FIELD)
#undef FIELD
  dnnl_engine_t engine; dnnl_stream_t stream; int state;   // 1: there, -1: not
} dnn;

static int onednn_here(void) {
  static const char *const names[] = {"libdnnl.so.2", "libdnnl.so"};
  static const struct { const char *name; size_t at; } functions[] = {
#define PLACE(name) {"dnnl_" #name, offsetof(__typeof__(dnn), name)},
    ONEDNN_FUNCTIONS(PLACE)
#undef PLACE
  };
  void *library = NULL;
  if (dnn.state) return dnn.state > 0;
  dnn.state = -1;
  choose_core_type();                          // sets OMP_NUM_THREADS, too, which is read when the library is loaded
#ifdef __linux__                               // its threads are bound to a core each, but this one goes where it may
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  setenv("OMP_PROC_BIND", "true", 1);
#endif
  for (int i = 0; i < 2 && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
#ifdef __linux__
  unsetenv("OMP_PROC_BIND");
  sched_setaffinity(0, sizeof before, &before);
#endif
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *f = library ? dlsym(library, functions[i].name) : NULL;
    if (!f) { printf("  oneDNN is not installed (tools/setup.sh bench): left out\n"); return 0; }
    memcpy((char *)&dnn + functions[i].at, &f, sizeof f);
  }
  if (dnn.engine_create(&dnn.engine, dnnl_cpu, 0) || dnn.stream_create(&dnn.stream, dnn.engine, 0)) return 0;
  dnn.state = 1;
  return 1;
}

// A primitive and its memory: src, weights (NULL: it has none), dst.
typedef struct onednn_op { dnnl_primitive_t p; dnnl_memory_t memory[3]; } onednn_op;

static double onednn_run(void *arg) {
  const onednn_op *op = arg;
  const dnnl_exec_arg_t args[] = {
    {DNNL_ARG_SRC, op->memory[0]}, {DNNL_ARG_DST, op->memory[2]}, {DNNL_ARG_WEIGHTS, op->memory[1]}
  };
  const double start = seconds();
  dnn.primitive_execute(op->p, dnn.stream, op->memory[1] ? 3 : 2, args);
  dnn.stream_wait(dnn.stream);
  return seconds() - start;
}
static void *onednn_data(const onednn_op *op, int i) {
  void *data = NULL;
  dnn.memory_get_data_handle(op->memory[i], &data);
  return data;
}
static void onednn_free(onednn_op *op) {
  if (op->p) dnn.primitive_destroy(op->p);
  for (int i = 0; i < 3; i++) if (op->memory[i]) dnn.memory_destroy(op->memory[i]);
}
// The primitive and memory of a description, in the layouts that it chose. 0: there is no such primitive.
static int onednn_make(onednn_op *op, const void *description, dnnl_primitive_attr_t attr) {
  static const dnnl_query_t which[] = {dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md};
  dnnl_primitive_desc_t pd;
  memset(op, 0, sizeof *op);
  if (dnn.primitive_desc_create(&pd, description, attr, dnn.engine, NULL)) return 0;
  int good = !dnn.primitive_create(&op->p, pd);
  for (int i = 0; i < 3 && good; i++) {
    const dnnl_memory_desc_t *md = dnn.primitive_desc_query_md(pd, which[i], 0);
    if (md && md->ndims) good = !dnn.memory_create(&op->memory[i], md, dnn.engine, DNNL_MEMORY_ALLOCATE);
  }
  dnn.primitive_desc_destroy(pd);
  if (!good) onednn_free(op);
  return good;
}

// n x n matrices of bytes (i32 result) or bf16. packed: the second in the layout that oneDNN likes best.
static int onednn_matmul(onednn_op *op, int64_t n, int bytes, int packed) {
  const dnnl_dims_t dims = {n, n};
  const dnnl_data_type_t type = bytes ? dnnl_s8 : dnnl_bf16;
  dnnl_memory_desc_t src, weights, dst;
  dnnl_matmul_desc_t d;
  return onednn_here() && !dnn.memory_desc_init_by_tag(&src, 2, dims, type, dnnl_ab) &&
         !dnn.memory_desc_init_by_tag(&weights, 2, dims, type, packed ? dnnl_format_tag_any : dnnl_ab) &&
         !dnn.memory_desc_init_by_tag(&dst, 2, dims, bytes ? dnnl_s32 : dnnl_bf16, dnnl_ab) &&
         !dnn.matmul_desc_init(&d, &src, &weights, NULL, &dst) && onednn_make(op, &d, NULL);
}

// The softmax of the rows of x (m,n) as a racer. 0: it is not to be had.
static onednn_op onednn_softmax;
static int onednn_softmax_racer(racer *r, const float *x, int64_t m, int64_t n) {
  const dnnl_dims_t dims = {m, n};
  dnnl_memory_desc_t rows;
  dnnl_softmax_desc_t d;
  if (!onednn_here() || dnn.memory_desc_init_by_tag(&rows, 2, dims, dnnl_f32, dnnl_ab) ||
      dnn.softmax_forward_desc_init(&d, dnnl_forward_inference, &rows, 1) || !onednn_make(&onednn_softmax, &d, NULL))
    return 0;
  memcpy(onednn_data(&onednn_softmax, 0), x, (size_t)(m * n) * sizeof *x);
  *r = (racer){.name = "oneDNN", .run = onednn_run, .arg = &onednn_softmax, .foreign = 1};
  return 1;
}
// How far the first n of its results are from y, at most.
static double onednn_softmax_apart(const float *y, int64_t n) {
  const float *theirs = onednn_data(&onednn_softmax, 2);
  double apart = 0;
  onednn_run(&onednn_softmax);
  for (int64_t i = 0; i < n; i++) apart = fmax(apart, fabs((double)theirs[i] - y[i]));
  return apart;
}
static void onednn_softmax_drop(void) { onednn_free(&onednn_softmax); }

// A convolution with a relu at its end, all of it as oneDNN likes it.
static int onednn_convolution(onednn_op *op, const layer *l) {
  const int64_t pad = l->kernel / 2, size = (l->size + 2 * pad - l->kernel) / l->stride + 1, g = l->groups;
  const dnnl_dims_t in = {l->batch, l->in, l->size, l->size}, out = {l->batch, l->out, size, size};
  const dnnl_dims_t plain = {l->out, l->in, l->kernel, l->kernel};
  const dnnl_dims_t grouped = {g, l->out / g, l->in / g, l->kernel, l->kernel};
  const dnnl_dims_t strides = {l->stride, l->stride}, pads = {pad, pad};
  dnnl_memory_desc_t src, weights, dst;
  dnnl_convolution_desc_t d;
  dnnl_post_ops_t relu;
  dnnl_primitive_attr_t attr;
  return !dnn.memory_desc_init_by_tag(&src, 4, in, dnnl_f32, dnnl_format_tag_any) &&
         !dnn.memory_desc_init_by_tag(&weights, g > 1 ? 5 : 4, g > 1 ? grouped : plain, dnnl_f32,
                                      dnnl_format_tag_any) &&
         !dnn.memory_desc_init_by_tag(&dst, 4, out, dnnl_f32, dnnl_format_tag_any) &&
         !dnn.convolution_forward_desc_init(&d, dnnl_forward_inference, dnnl_convolution_auto, &src, &weights, NULL,
                                            &dst, strides, pads, pads) &&
         !dnn.post_ops_create(&relu) && !dnn.post_ops_append_eltwise(relu, 1, dnnl_eltwise_relu, 0, 0) &&
         !dnn.primitive_attr_create(&attr) && !dnn.primitive_attr_set_post_ops(attr, relu) &&
         onednn_make(op, &d, attr);
}
typedef struct onednn_layers { onednn_op op[64]; int n; } onednn_layers;
static double onednn_layers_run(void *arg) {
  onednn_layers *all = arg;
  double sum = 0;
  for (int i = 0; i < all->n; i++) sum += onednn_run(&all->op[i]);
  return sum;
}
// Against all convolutions of a network, one after the other, each in its favourite layout: no reordering, no
// pooling, no residual adds.
static void onednn_network(const char *name, const net *n, const racer *ours) {
  static onednn_layers all;
  char line[96];
  racer r[2] = {*ours, {.name = "oneDNN", .run = onednn_layers_run, .arg = &all, .foreign = 1}};
  int good = onednn_here();
  all.n = 0;
  while (good && all.n < n->nlayer && (good = onednn_convolution(&all.op[all.n], &n->layer[all.n]))) all.n++;
  if (good) {
    race(r, 2, 1);
    snprintf(line, sizeof line, "%s : oneDNN's layers", name);
    compare(line, &r[0].rate, &r[1].rate, 0, "%.2f of %.2f ms for %d convolutions alone", 1e3 / median(&r[0].rate),
            1e3 / median(&r[1].rate), all.n);
  }
  for (int i = 0; i < all.n; i++) onednn_free(&all.op[i]);
}
#else
static int onednn_here(void) {
  static int said;
  if (!said++) printf("  oneDNN's header is not installed (tools/setup.sh bench): left out\n");
  return 0;
}
static int onednn_softmax_racer(racer *r, const float *x, int64_t m, int64_t n) {
  (void)r; (void)x; (void)m; (void)n;
  return onednn_here();
}
static double onednn_softmax_apart(const float *y, int64_t n) { (void)y; (void)n; return 0; }
static void onednn_softmax_drop(void) {}
static void onednn_network(const char *name, const net *n, const racer *ours) {
  (void)name; (void)n; (void)ours;
  onednn_here();
}
#endif
