// brief: plain
// test_cl: tiny_cl.h on whatever OpenCL driver there is: values against the interpreter's, kernels of one's own, the
// host's own queue and memory, several devices; what is wrong: names, sizes, texts, each call of the driver in turn.
//
//   TEST_CL=1 build/plain/test_cl      on device CL:1
//   build/plain/test_cl without        where there is no driver: what opening says (tests/test_cl.sh)
//   build/plain/test_cl device         which device that is, or why there is none
#include "../src/all.c"
#include "companion.h"
#include "test.h"
#include "heard.h"
#include "folder_test.h"
#include "memory_test.h"
#include <pthread.h>

// What drivers keep for themselves. PoCL: until the process ends. Nothing here is C++ but what drivers bring.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libstdc++\nleak:libpocl\n"
         "leak:libOpenCL\nleak:libLLVM\nleak:libclang\nleak:libhwloc\nleak:libRusticlOpenCL\n";
}

static char device[64] = "CL";             // "CL", or "CL:" and what $TEST_CL says

static tiny_ctx *open_of(const char *name, size_t most) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = name; d.backends[0] = &tiny_cl; d.cache_dir = ""; d.seed = 7; d.max_nbytes = most;
  return tiny_open(&d);
}
static tn_cl *cl_of(tiny_ctx *t) { return (tn_cl *)t->device[0]->dev; }
static int says(tiny_ctx *t, tiny_code code, const char *part) {
  const int said = tiny_status(t) == code && strstr(tiny_error(t), part);
  if (!said) fprintf(stderr, "  code %d: %s\n", tiny_status(t), tiny_error(t));
  tiny_clear(t);
  return said;
}
static int near_to(const float *a, const float *b, int n, double most) {
  for (int i = 0; i < n; i++)
    if (!(fabs((double)a[i] - b[i]) <= most * (1 + fabs((double)b[i])))) {
      fprintf(stderr, "  element %d is %.9g, not %.9g\n", i, (double)a[i], (double)b[i]);
      return 0;
    }
  return 1;
}

// ** values **

enum { ROWS = 37, INNER = 50, COLUMNS = 29, CLASSES = 10, PIXELS = 64, HIDDEN = 16, IMAGES = 96, STEPS = 6 };

// Uniform: normal numbers want f64, which not every device has.
static tiny_tensor *some(tiny_ctx *t, tiny_shape shape) { return tiny_uniform(t, -1, 1, TINY_F32, shape); }
static tiny_tensor *make_sum(tiny_ctx *t) { return tiny_sum(some(t, TINY_SHAPE(1000)), TINY_ALL, 0); }
static tiny_tensor *make_matmul(tiny_ctx *t) {
  return tiny_matmul(some(t, TINY_SHAPE(ROWS, INNER)), some(t, TINY_SHAPE(INNER, COLUMNS)));
}
static tiny_tensor *make_softmax(tiny_ctx *t) { return tiny_softmax(some(t, TINY_SHAPE(ROWS, COLUMNS)), -1); }
static tiny_tensor *make_half(tiny_ctx *t) {
  tiny_tensor *x = tiny_cast(some(t, TINY_SHAPE(ROWS)), TINY_F16);
  return tiny_cast(tiny_mul(x, x), TINY_F32);
}
static tiny_tensor *make_cumsum(tiny_ctx *t) { return tiny_cumsum(some(t, TINY_SHAPE(4, 33)), 1); }

static void test_values(void) {
  static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t); int n; } all[] = {
    {"sum", make_sum, 1}, {"matmul", make_matmul, ROWS * COLUMNS}, {"softmax", make_softmax, ROWS * COLUMNS},
    {"half", make_half, ROWS}, {"cumsum", make_cumsum, 4 * 33}
  };
  enum { N = sizeof all / sizeof *all };
  static float got[2][N][ROWS * COLUMNS];
  for (int k = 0; k < 2; k++) {
    tiny_ctx *t = open_of(k ? "INTERP" : device, 0);
    tiny_tensor *x[N];
    for (int i = 0; i < N; i++) x[i] = all[i].make(t);
    CHECK_EQ(tiny_realize(x, N), TINY_OK);
    for (int i = 0; i < N; i++) CHECK_EQ(tiny_read(x[i], got[k][i], (size_t)all[i].n * sizeof(float)), TINY_OK);
    if (tiny_status(t) != TINY_OK) fprintf(stderr, "  %s\n", tiny_error(t));
    tiny_close(t);
  }
  for (int i = 0; i < N; i++) { case_named("%s", all[i].name); CHECK(near_to(got[0][i], got[1][i], all[i].n, 1e-5)); }
  case_end();
}

// A net of two layers learns the first digits: the loss of every step.
static void train(const char *name, float *loss) {
  static float row[1797][PIXELS + 1], image[IMAGES][PIXELS];
  int32_t label[IMAGES];
  tiny_ctx *t = open_of(name, 0);
  CHECK_EQ(tiny_read(tiny_load_csv(t, "examples/data/digits.csv", NULL), row, sizeof row), TINY_OK);
  for (int i = 0; i < IMAGES; i++) {
    for (int k = 0; k < PIXELS; k++) image[i][k] = row[i][k] / 16;
    label[i] = (int32_t)row[i][PIXELS];
  }
  tiny_tensor *x = tiny_from(t, image, TINY_F32, TINY_SHAPE(IMAGES, PIXELS)),
              *y = tiny_from(t, label, TINY_I32, TINY_SHAPE(IMAGES));
  tiny_tensor *w[2] = {tiny_mul_scalar(some(t, TINY_SHAPE(PIXELS, HIDDEN)), 0.2),
                       tiny_mul_scalar(some(t, TINY_SHAPE(HIDDEN, CLASSES)), 0.2)}, *g[2];
  tiny_optim adam;
  memset(&adam, 0, sizeof adam);
  adam.kind = TINY_ADAM; adam.lr = 0.01;
  CHECK_EQ(tiny_realize(w, 2), TINY_OK);
  for (int i = 0; i < STEPS; i++) {
    tiny_begin(t);
    tiny_tensor *l = tiny_cross_entropy(tiny_matmul(tiny_relu(tiny_matmul(x, w[0])), w[1]), y, NULL);
    CHECK_EQ(tiny_grad(l, w, 2, g), TINY_OK);
    CHECK_EQ(tiny_optim_step(&adam, w, g, 2), TINY_OK);
    loss[i] = (float)tiny_item(l);
    CHECK_EQ(tiny_end(t), TINY_OK);
  }
  if (tiny_status(t) != TINY_OK) fprintf(stderr, "  %s\n", tiny_error(t));
  tiny_optim_free(&adam);
  tiny_close(t);
}
static void test_training(void) {
  float loss[2][STEPS];
  train(device, loss[0]);
  train("INTERP", loss[1]);
  CHECK(near_to(loss[0], loss[1], STEPS, 1e-4));
  CHECK(loss[0][STEPS - 1] < loss[0][0] - 0.1f);
}

// ** kernels of one's own **

static const char twice[] = "__kernel void twice(__global float *out, __global const float *in) {\n"
                            "  out[get_global_id(0)] = 2 * in[get_global_id(0)];\n}\n";
static tiny_tensor *own(tiny_ctx *t, const char *source, tiny_tensor *x, int64_t items) {
  tiny_kernel_desc d;
  memset(&d, 0, sizeof d);
  d.name = "twice"; d.source = source; d.inputs = &x; d.n = 1; d.shape = tiny_shape_of(x);
  d.global[0] = tiny_nelem_of(x) / items; d.local[0] = items;
  return tiny_kernel(t, &d);
}
static void test_own(void) {
  tiny_ctx *t = open_of(device, 0);
  float got[48];
  for (int i = 0; i < 2; i++) {            // temporaries lie behind one another: parts that begin where others end
    tiny_tensor *x = tiny_add_scalar(tiny_arange(t, 0, 12 * (1 + i), 1, TINY_F32), i);
    tiny_tensor *y = tiny_neg(own(t, twice, own(t, twice, tiny_mul(x, x), 4), 4));
    CHECK_EQ(tiny_read(y, got, (size_t)(12 * (1 + i)) * sizeof *got), TINY_OK);
    for (int k = 0; k < 12 * (1 + i); k++) CHECK(got[k] == -4.0f * (float)((k + i) * (k + i)));
  }
  tiny_tensor *x = tiny_ones(t, TINY_F32, TINY_SHAPE(48));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  tiny_read(own(t, "__kernel void twice(__global float *out) { out[0] = nothing; }", x, 1), got, sizeof got);
  CHECK(says(t, TINY_E_COMPILE, "nothing"));
  tiny_read(own(t, "__kernel void twice(__global float *out) { out[0] = 1; }", x, 1), got, sizeof got);
  CHECK(says(t, TINY_E_ARG, "twice has 1 parameters"));
  tiny_read(own(t, "__kernel void thrice(__global float *a, __global float *b) { *a = *b; }", x, 1), got, sizeof got);
  CHECK(tiny_status(t) != TINY_OK);
  tiny_clear(t);
  CHECK_EQ(tiny_read(own(t, twice, x, 1), got, sizeof got), TINY_OK);
  CHECK(got[0] == 2 && got[47] == 2);
  tiny_close(t);
}
static const char imported_source[] =
  "__kernel void scale(__global float *out, __global const float *in, __global const float *number) {\n"
  "  const size_t i = get_global_id(0);\n  out[i] = in[i] * *number;\n}\n"
  "__kernel void both(__global float *out, __global const float *a, __global const float *b) {\n"
  "  const size_t i = get_global_id(0), n = get_global_size(0);\n"
  "  out[i] = a[i] + b[i];\n  out[n + i] = a[i] - b[i];\n}\n"
  "__kernel void group_sums(__global float *out, __global const float *in) {\n"
  "  __local float part[64];\n  const size_t i = get_local_id(0);\n  part[i] = in[get_global_id(0)];\n"
  "  for (size_t d = get_local_size(0) / 2; d; d /= 2) {\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
  "    if (i < d) part[i] += part[i + d];\n  }\n  if (!i) out[get_group_id(0)] = part[0];\n}\n"
  "__kernel void places(__global float *out) {\n  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] =\n"
  "    get_group_id(0) + 10 * get_local_id(0) + 100 * get_group_id(1) + 1000 * get_local_id(1);\n}\n"
  "__kernel void by_value(__global float *out, float number) { out[0] = number; }\n"
  "__kernel __attribute__((reqd_work_group_size(4, 1, 1)))\n"
  "void fours(__global float *out) { out[get_global_id(0)] = 4; }\n";
typedef struct imported {
  const char *name; int n; tiny_tensor *in[2]; tiny_shape shape; int64_t global[2], local[2];
} imported;
static tiny_kernel_desc imported_desc(const imported *k) {
  tiny_kernel_desc d;
  memset(&d, 0, sizeof d);
  d.name = k->name; d.source = imported_source; d.inputs = k->in; d.n = k->n; d.shape = k->shape; d.dtype = TINY_F32;
  for (int i = 0; i < 2; i++) { d.global[i] = k->global[i]; d.local[i] = k->local[i]; }
  return d;
}
static tiny_tensor *import(tiny_ctx *t, imported k) {
  const tiny_kernel_desc d = imported_desc(&k);
  return tiny_kernel(t, &d);
}
static void test_imported(void) {
  tiny_ctx *t = open_of(device, 0);
  float got[64];
  tiny_tensor *x = tiny_arange(t, 0, 32, 1, TINY_F32), *two = tiny_full(t, 2, TINY_F32, TINY_SHAPE(1));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  // a number, which may change without a compilation
  CHECK_EQ(tiny_read(import(t, (imported){"scale", 2, {x, two}, TINY_SHAPE(32), {8}, {4}}), got, 128), TINY_OK);
  CHECK(got[31] == 62);
  tiny_tensor *three = tiny_full(t, 3, TINY_F32, TINY_SHAPE(1));
  const uint64_t compiled = tiny_stats_of(t).compiled;
  CHECK_EQ(tiny_read(import(t, (imported){"scale", 2, {x, three}, TINY_SHAPE(32), {8}, {4}}), got, 128), TINY_OK);
  CHECK(got[31] == 93 && tiny_stats_of(t).compiled <= compiled + 1);       // that which fills three
  // two results, parts of one output
  tiny_tensor *both = import(t, (imported){"both", 2, {x, tiny_square(x)}, TINY_SHAPE(2, 32), {4}, {8}});
  CHECK_EQ(tiny_read(tiny_shrink(both, TINY_SHAPE(1, 2, 0, 32)), got, 128), TINY_OK);
  CHECK(got[0] == 0 && got[5] == 5 - 25);
  CHECK(tiny_item(tiny_sum(tiny_shrink(both, TINY_SHAPE(0, 1, 0, 32)), TINY_ALL, 0)) == 496 + 10416);
  // in place
  tiny_assign(x, import(t, (imported){"scale", 2, {x, two}, TINY_SHAPE(32), {1}, {32}}));
  CHECK_EQ(tiny_read(x, got, 128), TINY_OK);
  CHECK(got[31] == 62);
  // memory of the group, groups of each size, two dims
  for (int64_t items = 4; items <= 32; items *= 2) {
    CHECK_EQ(tiny_read(import(t, (imported){"group_sums", 1, {x}, TINY_SHAPE(32 / items), {32 / items}, {items}}), got,
                       (size_t)(32 / items) * 4), TINY_OK);
    CHECK(got[0] == (float)(items * (items - 1)));
  }
  CHECK_EQ(tiny_read(import(t, (imported){"places", 0, {NULL}, TINY_SHAPE(6, 8), {2, 3}, {4, 2}}), got, 192), TINY_OK);
  CHECK(got[0] == 0 && got[7] == 1 + 30 && got[47] == 1 + 30 + 200 + 1000);
  // what is wrong with them
  tiny_read(import(t, (imported){"scales", 1, {x}, TINY_SHAPE(32), {1}, {32}}), got, 128);
  CHECK(says(t, TINY_E_COMPILE, "has no entry point scales; name it as it is spelled there"));
  tiny_read(import(t, (imported){"both", 1, {x}, TINY_SHAPE(32), {1}, {32}}), got, 128);
  CHECK(says(t, TINY_E_ARG, "both has 3 parameters, but there are an output and 1 inputs"));
  tiny_read(import(t, (imported){"by_value", 1, {x}, TINY_SHAPE(1), {1}, {1}}), got, 4);
  CHECK(says(t, TINY_E_ARG, "a number comes as an input of one element"));
  tiny_read(import(t, (imported){"fours", 0, {NULL}, TINY_SHAPE(8), {1}, {8}}), got, 32);
  CHECK(says(t, TINY_E_DEVICE, "or the kernel asks for another"));
  CHECK_EQ(tiny_read(import(t, (imported){"fours", 0, {NULL}, TINY_SHAPE(8), {2}, {4}}), got, 32), TINY_OK);
  CHECK(got[7] == 4);
  tiny_close(t);
}
// What the driver has compiled, in the hands of its owner.
static void test_binary(void) {
  tiny_ctx *t = open_of(device, 0);
  const tiny_bytes text = {t, (char *)(uintptr_t)imported_source, sizeof imported_source - 1, 0};
  tiny_bytes binary = {t, NULL, 0, 0}, log = {t, NULL, 0, 0};
  float got[32];
  CHECK_EQ(tn_cl_compile(cl_of(t), 1, &text, &binary, &log), TINY_OK);
  tiny_tensor *x = tiny_arange(t, 0, 32, 1, TINY_F32), *two = tiny_full(t, 2, TINY_F32, TINY_SHAPE(1));
  imported k = {"scale", 2, {x, two}, TINY_SHAPE(32), {8}, {4}};
  tiny_kernel_desc d = imported_desc(&k);
  void *own_copy = malloc(binary.n);       // scratch memory is the library's
  memcpy(own_copy, binary.data + TN_CL_HASH, binary.n - TN_CL_HASH);
  d.source = NULL; d.binary = own_copy; d.nbytes = binary.n - TN_CL_HASH;
  CHECK_EQ(tiny_read(tiny_kernel(t, &d), got, sizeof got), TINY_OK);
  CHECK(got[31] == 62);
  d.name = "scales";
  tiny_read(tiny_kernel(t, &d), got, sizeof got);
  CHECK(says(t, TINY_E_COMPILE, "its binary has no entry point scales"));
  d.name = "scale"; d.binary = "nothing of the kind"; d.nbytes = 19;
  tiny_read(tiny_kernel(t, &d), got, sizeof got);
  CHECK(says(t, TINY_E_COMPILE, "cut off or changed"));
  d.nbytes = 0;
  tiny_kernel(t, &d);
  CHECK(says(t, TINY_E_ARG, "a binary of 0 bytes"));
  d.nbytes = 19; d.source = imported_source;
  tiny_kernel(t, &d);
  CHECK(says(t, TINY_E_ARG, "which is it?"));
  free(own_copy);
  tiny_close(t);
}
// Parts that begin anywhere: as parts where the driver takes them, or as copies. An output goes back to its place.
static void test_parts(void) {
  tiny_ctx *t = open_of(device, 0);
  tn_cl *d = cl_of(t);
  const tiny_bytes text = {t, (char *)(uintptr_t)twice, sizeof twice - 1, 0};
  tiny_bytes binary = {t, NULL, 0, 0}, log = {t, NULL, 0, 0};
  CHECK_EQ(tn_cl_compile(d, 1, &text, &binary, &log), TINY_OK);
  void *module = tn_cl_load(d, binary.data, binary.n), *kernel = module ? tn_cl_find(d, module, "twice") : NULL;
  float in[64], out[64];
  for (int i = 0; i < 64; i++) in[i] = (float)i;
  CHECK(kernel != NULL);
  for (size_t offset = 0; kernel && offset <= d->alignment; offset += offset ? offset : 4) {
    const size_t all = sizeof in + d->alignment;
    const tiny_mem mem[2] = {{tn_cl_alloc(d, all), offset}, {tn_cl_alloc(d, all), offset}};
    tiny_launch l;
    memset(&l, 0, sizeof l);
    l.kernel = kernel; l.mem = mem; l.nmem = 2;
    for (int i = 0; i < 3; i++) l.global[i] = l.local[i] = 1;
    l.global[0] = 8; l.local[0] = 8;
    CHECK_EQ(tn_cl_copy_in(d, mem[1], in, sizeof in), TINY_OK);
    CHECK_EQ(tn_cl_launch(d, &l), TINY_OK);
    CHECK_EQ(tn_cl_copy_out(d, out, mem[0], sizeof out), TINY_OK);
    for (int i = 0; i < 64; i++) CHECK(out[i] == 2 * in[i]);
    tn_cl_free(d, mem[0].base, all);
    tn_cl_free(d, mem[1].base, all);
  }
  tn_cl_unload(d, module);
  CHECK(tn_cl_load(d, "twice p0", 8) == NULL);
  CHECK(says(t, TINY_E_COMPILE, "cut off"));
  if (binary.n) binary.data[binary.n / 2] ^= 1;
  CHECK(tn_cl_load(d, binary.data, binary.n) == NULL);
  CHECK(says(t, TINY_E_COMPILE, "changed"));
  tiny_close(t);
}

// ** names, sizes **

static void test_names(void) {
  tiny_ctx *t = open_of(device, 0);
  char part[16], name[32];
  snprintf(part, sizeof part, "%.15s", cl_of(t)->name);
  part[strcspn(part, ",")] = 0;
  tiny_close(t);
  snprintf(name, sizeof name, "CL:%s", part);
  const char *const good[] = {"CL", "CL:0", "CL:0.0", name};
  const char *const bad[] = {"CL:77", "CL:7.7", "CL:12345678901", "CL:no such device", "CL:0:", "CL:queue-12x"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    t = open_of(good[i], 0);
    CHECK_EQ(tiny_status(t), TINY_OK);
    tiny_close(t);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    t = open_of(bad[i], 0);
    CHECK(says(t, TINY_E_DEVICE, "there are: CL:0 (CL:0.0) "));
    tiny_close(t);
  }
}
static void test_sizes(void) {
  tiny_ctx *t = open_of(device, 0);
  const tn_cl *d = cl_of(t);
  tiny_tensor *big = tiny_contiguous(tiny_full(t, 1, TINY_F32, TINY_SHAPE((int64_t)(d->most / 4 + 1024))));
  CHECK(tiny_realize(&big, 1) != TINY_OK);
  CHECK(says(t, TINY_E_MEMORY, "bytes left"));
  tiny_tensor *x = tiny_contiguous(tiny_ones(t, TINY_F32, TINY_SHAPE(1 << 16)));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  tiny_tensor *wide = own(t, twice, x, 1 << 15);
  tiny_realize(&wide, 1);
  CHECK(says(t, TINY_E_DEVICE, "work items"));
  CHECK(tiny_item(tiny_sum(x, TINY_ALL, 0)) == 1 << 16);
  tiny_close(t);
  t = open_of(device, 1 << 20);
  x = tiny_contiguous(tiny_ones(t, TINY_F32, TINY_SHAPE(1 << 20)));
  CHECK(tiny_realize(&x, 1) != TINY_OK);
  CHECK(says(t, TINY_E_MEMORY, "max_nbytes"));
  tiny_close(t);
}

// ** several devices, times, the cache **

static void test_several(void) {
  char names[160];
  snprintf(names, sizeof names, "%s,%s,CPU", device, device);
  tiny_ctx *t = open_of(names, 0);
  CHECK_EQ(tiny_device_count(t), 3);
  tiny_tensor *x = tiny_arange(t, 0, 100, 1, TINY_F32);
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  tiny_tensor *y = tiny_mul(tiny_to(x, 1), tiny_to(x, 1)), *z = tiny_add(tiny_to(y, 0), x);
  CHECK(tiny_item(tiny_sum(tiny_to(z, 2), TINY_ALL, 0)) == 328350 + 4950);
  CHECK_EQ(tiny_sync(t), TINY_OK);
  void *event = tn_cl_event_new(t->device[0]->dev);          // across contexts of OpenCL, and of one's own
  CHECK(event != NULL);
  if (event) {
    CHECK_EQ(tn_cl_wait(t->device[1]->dev, event), TINY_OK);
    CHECK_EQ(tn_cl_wait(t->device[0]->dev, event), TINY_OK);
    tn_cl_event_free(t->device[0]->dev, event);
  }
  if (tiny_status(t) != TINY_OK) fprintf(stderr, "  %s\n", tiny_error(t));
  tiny_close(t);
}
static void test_times(void) {
  tiny_ctx *t = open_of(device, 0);
  tiny_profile_row row;
  CHECK_EQ(tiny_profile_begin(t), TINY_OK);
  CHECK(tiny_item(tiny_sum(tiny_ones(t, TINY_F32, TINY_SHAPE(100000)), TINY_ALL, 0)) == 100000);
  CHECK_EQ(tiny_profile_end(t), TINY_OK);
  CHECK(tiny_profile_get(t, TINY_BY_KERNEL, 0, &row));
  CHECK(t->device[0]->stamp[0] == 0 || cl_of(t)->stamps == NULL);
  tiny_close(t);
}
static void test_cache(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.backends[0] = &tiny_cl; d.cache_dir = "build/cl_cache"; d.debug = "";
  for (int i = 0; i < 2; i++) {
    tiny_ctx *t = tiny_open(&d);
    CHECK(tiny_item(tiny_sum(tiny_mul_scalar(tiny_arange(t, 0, 77, 1, TINY_F32), 3), TINY_ALL, 0)) == 3 * 77 * 38);
    if (i) CHECK_EQ(tiny_stats_of(t).compile_ns, 0);
    tiny_close(t);
  }
}

// ** the host's own **

static void test_host(void) {
  tiny_ctx *t = open_of(device, 0);
  const tn_cl *d = cl_of(t);
  const tn_cl_calls *cl = &d->cl;
  int error = 0;
  float in[32], out[32];
  for (int i = 0; i < 32; i++) in[i] = (float)i;
  void *queue = cl->CreateCommandQueue(d->context, d->device, 0, &error);
  void *mem = cl->CreateBuffer(d->context, TN_CL_READ_WRITE, sizeof in, NULL, &error);
  CHECK(queue && mem);
  tiny_ctx *u = open_of(tiny_cl_host(queue).text, 0);
  CHECK_EQ(tiny_status(u), TINY_OK);
  CHECK_EQ(cl->EnqueueWriteBuffer(queue, mem, 1, 0, sizeof in, in, 0, NULL, NULL), 0);
  tiny_tensor *x = tiny_blob_of(u, mem, TINY_F32, TINY_SHAPE(4, 8));
  CHECK(tiny_item(tiny_sum(x, TINY_ALL, 0)) == 31 * 16);
  tiny_assign(x, tiny_mul(x, x));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  CHECK_EQ(cl->EnqueueReadBuffer(queue, mem, 1, 0, sizeof out, out, 0, NULL, NULL), 0);
  for (int i = 0; i < 32; i++) CHECK(out[i] == in[i] * in[i]);
  CHECK(!tiny_ok(tiny_blob_of(u, NULL, TINY_F32, TINY_SHAPE(4))));
  CHECK(says(u, TINY_E_ARG, "mem is NULL"));
  CHECK(!tiny_ok(tiny_blob(u, in, TINY_F32, TINY_SHAPE(4), NULL)));
  CHECK(says(u, TINY_E_DEVICE, "memory of its own"));
  tiny_close(u);
  cl->ReleaseMemObject(mem);
  CHECK_EQ(cl->ReleaseCommandQueue(queue), 0);
  queue = cl->CreateCommandQueue(d->context, d->device, TN_CL_OUT_OF_ORDER, &error);
  if (queue) {
    u = open_of(tiny_cl_host(queue).text, 0);
    CHECK(says(u, TINY_E_DEVICE, "out of order"));
    tiny_close(u);
    cl->ReleaseCommandQueue(queue);
  }
  tiny_close(t);
}

// ** each call of the driver fails **

#pragma GCC diagnostic ignored "-Wunused-parameter"
static intptr_t failure;
static tn_cl *dying;                       // every call of whose driver fails from now on
static int no_code, *const code = &no_code;                  // where a call has no parameter of that name
static void dies(void);
#define FAILS(type, name, parameters) \
  static type TN_CL_CALL fails_##name parameters { \
    dies(); \
    *code = (int)failure; \
    return (type)(sizeof(type) == sizeof(int) ? failure : 0); \
  }
TN_CL_CALLS(FAILS)
static const tn_cl_calls failing = {
#define FAILING(type, name, parameters) fails_##name,
  TN_CL_CALLS(FAILING)
};

static void dies(void) { if (dying) dying->cl = failing; }
// The table of a device with fails_NAME for the call of that name.
static void fail_call(tn_cl *d, const char *name) {
  int i = 0;
  while (strcmp(name, tn_cl_names[i])) i++;
  const size_t at = (size_t)i * sizeof(void *);
  memcpy((char *)&d->cl + at, (const char *)&failing + at, sizeof(void *));
}

// k: of a kernel that there was not before, or was.
static tiny_code work(tiny_ctx *t, int k) {
  const float in[4] = {1, 2, 3, (float)(k + 1)};
  float out[4] = {0, 0, 0, 0};
  tiny_tensor *x = tiny_from(t, in, TINY_F32, TINY_SHAPE(4));
  tiny_read(tiny_mul_scalar(x, k + 2), out, sizeof out);
  tiny_sync(t);
  const tiny_code code = tiny_status(t);
  CHECK(code != TINY_OK || out[3] == (float)((k + 1) * (k + 2)));
  CHECK(code == TINY_OK || strlen(tiny_error(t)) > 20);
  tiny_clear(t);
  return code;
}
// Another context goes on, and so does this one when its driver does.
static void test_failures(void) {
  enum { COMPILES = 5 };                   // the first, which a kernel that was compiled wants no more
  static const char *const of_work[] = {
    "clCreateProgramWithSource", "clBuildProgram", "clCreateProgramWithBinary", "clGetProgramInfo", "clCreateKernel",
    "clCreateBuffer", "clSetKernelArg", "clEnqueueNDRangeKernel", "clEnqueueReadBuffer", "clEnqueueWriteBuffer",
    "clFlush", "clFinish", "clWaitForEvents", "clEnqueueMarkerWithWaitList"
  };
  static const struct { int error; tiny_code code; const char *says; } errors[] = {
    {TN_CL_MEM_ALLOCATION_FAILURE, TINY_E_MEMORY, "no memory left"},
    {TN_CL_DEVICE_NOT_AVAILABLE, TINY_E_DEVICE, "lost"},
    {TN_CL_OUT_OF_RESOURCES, TINY_E_DEVICE, "ended a kernel"}, {-9999, TINY_E_DEVICE, "-9999"}
  };
  tiny_ctx *t = open_of(device, 0), *other = open_of(device, 0);
  tn_cl *d = cl_of(t);
  const tn_cl_calls whole = d->cl;
  for (int j = 0; j < (int)(sizeof of_work / sizeof *of_work); j++) {
    const int k = j < COMPILES ? j : 0;
    failure = TN_CL_OUT_OF_RESOURCES;
    fail_call(d, of_work[j]);
    const tiny_code code = work(t, k);
    d->cl = whole;
    if (code == TINY_OK) fprintf(stderr, "  %s is not missed\n", of_work[j]);
    CHECK(code != TINY_OK);
    CHECK_EQ(work(t, k), TINY_OK);
  }
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    failure = errors[i].error;
    d->cl.EnqueueNDRangeKernel = fails_EnqueueNDRangeKernel;
    tiny_tensor *x = tiny_contiguous(tiny_ones(t, TINY_F32, TINY_SHAPE(5)));
    tiny_realize(&x, 1);
    CHECK(says(t, errors[i].code, errors[i].says));
    d->cl = whole;
  }
  failure = TN_CL_EVENTS_FAILED;           // what fails later is told by who waits
  tiny_tensor *x = tiny_contiguous(tiny_ones(t, TINY_F32, TINY_SHAPE(5)));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  d->cl.WaitForEvents = fails_WaitForEvents;
  CHECK_EQ(tiny_sync(t), TINY_E_DEVICE);
  CHECK(says(t, TINY_E_DEVICE, "has failed on the device"));
  d->cl = whole;
  CHECK_EQ(work(other, 0), TINY_OK);
  CHECK_EQ(work(t, 0), TINY_OK);
  tiny_close(t);
  tiny_close(other);
}

// From the first of these calls on the driver knows nothing any more: each call of the library says so, nothing of the
// host's memory is lost, and the context goes on with its other device.
static void test_lost(void) {
  static const char *const first[] = {"clCreateProgramWithSource", "clBuildProgram", "clCreateBuffer", "clSetKernelArg",
    "clEnqueueNDRangeKernel", "clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clFlush", "clFinish", "clWaitForEvents"};
  char names[96];
  snprintf(names, sizeof names, "%s,CPU", device);
  for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
    memory_count count = {0, 0, 0, 0};
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = names; d.backends[0] = &tiny_cl; d.cache_dir = ""; d.threads = 1;
    d.alloc.fn = memory_fn; d.alloc.user = &count;
    tiny_ctx *t = tiny_open(&d);
    CHECK_EQ(work(t, 0), TINY_OK);
    const tn_cl_calls whole = cl_of(t)->cl;
    failure = TN_CL_DEVICE_NOT_AVAILABLE;
    dying = cl_of(t);
    fail_call(dying, first[i]);
    for (int k = 0; k < 3; k++) CHECK_EQ(work(t, k + 7), TINY_E_DEVICE);
    tiny_tensor *x = tiny_contiguous(tiny_ones(t, TINY_F32, TINY_SHAPE(5)));
    CHECK_EQ(tiny_realize(&x, 1), TINY_E_DEVICE);
    CHECK(says(t, TINY_E_DEVICE, "the device is lost: open another context"));
    tiny_use_device(t, 1);
    float three = 0;
    CHECK_EQ(tiny_read(tiny_full(t, 3, TINY_F32, TINY_SHAPE(1)), &three, sizeof three), TINY_OK);
    CHECK(three == 3);
    CHECK_EQ(tiny_sync(t), TINY_E_DEVICE);                   // waits for all devices
    tiny_clear(t);
    CHECK_EQ(whole.Finish(dying->queue), 0);                 // this one works on; a lost one reads nothing
    if (i & 1) {                           // what is left in the driver is given back
      dying->cl = whole;
      dying = NULL;
    }
    tiny_close(t);
    dying = NULL;
    CHECK_EQ(count.live, 0);
    CHECK_EQ(count.wrong, 0);
  }
}

// ** a host's queue, another thread **

typedef struct other_thread { void *queue; float got; } other_thread;
static void *on_thread(void *arg) {
  other_thread *o = (other_thread *)arg;   // what is checked is checked by the thread that waits
  tiny_ctx *t = open_of(tiny_cl_host(o->queue).text, 0);
  for (int i = 1; i <= 3; i++)
    o->got += (float)tiny_item(tiny_sum(tiny_full(t, i, TINY_F32, TINY_SHAPE(100)), TINY_ALL, 0));
  tiny_close(t);
  return NULL;
}
// The queue is made on this thread and used on another while this one uses it; each has a context of its own.
static void test_thread(void) {
  tiny_ctx *t = open_of(device, 0);
  const tn_cl *d = cl_of(t);
  int error = 0;
  other_thread o = {d->cl.CreateCommandQueue(d->context, d->device, 0, &error), 0};
  pthread_t thread;
  CHECK(o.queue != NULL && !pthread_create(&thread, NULL, on_thread, &o));
  for (int k = 0; k < 4; k++) CHECK_EQ(work(t, k), TINY_OK);
  CHECK_EQ(pthread_join(thread, NULL), 0);
  CHECK(o.got == 600);
  CHECK_EQ(d->cl.ReleaseCommandQueue(o.queue), 0);
  tiny_close(t);
}

// ** a search, profiles: by the device's clock **

// The host's, so that no kernel makes them, which would be searched for, too.
static tiny_tensor *given(tiny_ctx *t, tiny_shape s) {
  static float x[64 * 512];
  for (int i = 0; i < 64 * 512; i++) x[i] = (float)(i * 7 % 11) - 5;
  return tiny_from(t, x, TINY_F32, s);
}
static tiny_tensor *make_row_sums(tiny_ctx *t) { return tiny_sum(given(t, TINY_SHAPE(64, 512)), 1, 0); }
static tiny_tensor *make_turned(tiny_ctx *t) {
  return tiny_contiguous(tiny_transpose(given(t, TINY_SHAPE(96, 70)), 0, 1));
}
static tiny_tensor *make_product(tiny_ctx *t) {
  return tiny_matmul(given(t, TINY_SHAPE(48, 64)), given(t, TINY_SHAPE(64, 40)));
}
static tiny_tensor *make_rows(tiny_ctx *t) { return tiny_softmax(given(t, TINY_SHAPE(40, 96)), -1); }
// As if it were a GPU: with groups of items.
static void *grid_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  void *dev = tiny_cl.open(t, which, limits);
  limits->threads = limits->vector_nbytes = limits->vector_registers = 0;
  return dev;
}
static void test_search(void) {
  tiny_backend grid = tiny_cl;
  grid.open = grid_open;
  static tiny_tensor *(*const make[])(tiny_ctx *t) = {make_row_sums, make_product, make_turned, make_rows};
  static float want[96 * 70], got[2][96 * 70];
  for (int i = 0; i < test_brief(2, 8); i++) {
    char folder[] = "/tmp/tiny-cl-XXXXXX";
    int n = 0;
    CHECK(mkdtemp(folder) != NULL);
    tiny_ctx *t = open_of("INTERP", 0);
    tiny_tensor *x = make[i / 2](t);
    n = (int)tiny_nelem_of(x);
    CHECK_EQ(tiny_read(x, want, (size_t)n * sizeof *want), TINY_OK);
    tiny_close(t);
    for (int again = 0; again < 2; again++) {
      tiny_desc d;
      memset(&d, 0, sizeof d);
      d.device = device; d.backends[0] = i & 1 ? &grid : &tiny_cl; d.cache_dir = folder; d.seed = 7;
      d.beam = 1;
      t = tiny_open(&d);
      x = make[i / 2](t);
      CHECK_EQ(tiny_read(x, got[again], (size_t)n * sizeof *want), TINY_OK);
      const tiny_stats s = tiny_stats_of(t);
      CHECK(again ? s.searches == 0 && s.timed == 0 && s.compiled == 0 : s.searches >= 1 && s.timed >= 1);
      if (tiny_status(t) != TINY_OK) fprintf(stderr, "  %s\n", tiny_error(t));
      tiny_close(t);
    }
    CHECK(near_to(got[0], want, n, 1e-5));
    CHECK(!memcmp(got[0], got[1], (size_t)n * sizeof *want));
    remove_tree(folder);
  }
}
static void test_profile(void) {
  tiny_profile_row row;
  char text[4096];
  float got[64];
  tiny_ctx *t = open_of(device, 0);
  tiny_tensor *x = some(t, TINY_SHAPE(1 << 18));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  CHECK_EQ(tiny_profile_begin(t), TINY_OK);
  CHECK_EQ(tiny_read(tiny_sum(tiny_reshape(x, TINY_SHAPE(64, 4096)), 1, 0), got, sizeof got), TINY_OK);
  CHECK_EQ(tiny_profile_end(t), TINY_OK);
  CHECK(tiny_profile_get(t, TINY_BY_KERNEL, 0, &row));
  CHECK(row.launches == 1 && row.ns > 0 && row.nbytes >= (1 << 20) && row.of_limit > 0);
  CHECK(fabs(row.gbps - row.nbytes / (double)row.ns) < 1e-6 * row.gbps);
  CHECK_EQ(tiny_stats_of(t).device_ns, row.ns);
  CHECK(tiny_profile_text(t, TINY_BY_OPERATOR, text, sizeof text) > 0);
  CHECK(strstr(text, "reduce") != NULL && strstr(text, "limits of CL") != NULL);
  tiny_close(t);
  // letter k: the same by lines, with what it is of the limits once they are known
  *heard = 0;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.backends[0] = &tiny_cl; d.cache_dir = ""; d.debug = "k"; d.log.fn = hear;
  t = tiny_open(&d);
  CHECK(tiny_item(tiny_sum(some(t, TINY_SHAPE(1000)), TINY_ALL, 0)) != 0);
  CHECK(strstr(heard, "*** CL") && strstr(heard, " GB/s") && !strstr(heard, "of the limit"));
  CHECK_EQ(tiny_profile_begin(t), TINY_OK);
  CHECK(tiny_item(tiny_sum(some(t, TINY_SHAPE(1000)), TINY_ALL, 0)) != 0);
  CHECK(tiny_profile_get(t, TINY_BY_KERNEL, 0, &row));
  *heard = 0;
  CHECK(tiny_item(tiny_sum(some(t, TINY_SHAPE(1000)), TINY_ALL, 0)) != 0);
  CHECK(strstr(heard, "% of the limit"));
  tiny_close(t);
}

enum {                                     // it ends a program of C into which drivers of C++ are loaded later
#ifdef __has_feature
  SANITIZED = __has_feature(address_sanitizer)
#else
  SANITIZED = 0
#endif
};

int main(int argc, char **argv) {
  if (SANITIZED && !getenv("TEST_CL")) {
    printf("test_cl: left out: the sanitizer does not go with drivers that are loaded later; TEST_CL= asks for it\n");
    return test_report();
  }
  const char *named = getenv("TEST_CL");
  setenv("POCL_CACHE_DIR", "build/pocl", 0);
  if (named && *named) snprintf(device, sizeof device, "CL:%s", named);
  tiny_ctx *t = open_of(device, 0);
  const tiny_code code = tiny_status(t);
  if (argc > 1 && !strcmp(argv[1], "device")) {
    printf(code == TINY_OK ? "on %s\n" : "%s\n", code == TINY_OK ? cl_of(t)->target : tiny_error(t));
    tiny_close(t);
    return 0;
  }
  if (argc > 1 && !strcmp(argv[1], "lanes")) {                  // what is known of sub-groups
    const struct tn_device *d = code == TINY_OK ? t->device[0] : NULL;
    if (d) printf("warp %d, %d exchange, %s\n", d->limits.warp, d->renderer.ops[TINY_OP_SHUFFLE] ?
                  d->limits.warp : 0, cl_of(t)->options);
    else printf("%s\n", tiny_error(t));
    tiny_close(t);
    return 0;
  }
  if (argc > 1) {                          // the rest goes on, on the CPU
    CHECK_EQ(code, TINY_E_DEVICE);
    printf("%s\n", tiny_error(t));
    tiny_ctx *u = open_of(NULL, 0);
    CHECK_EQ(tiny_status(u), TINY_OK);
    CHECK_STR(tiny_device_name(u, 0), "CPU");
    tiny_close(u);
  } else if (code != TINY_OK) printf("test_cl: left out: %s\n", tiny_error(t));
  else printf("on %s\n", cl_of(t)->target);
  tiny_close(t);
  if (argc > 1 || code != TINY_OK) return test_report();
  test_names();
  test_values();
  test_training();
  test_own();
  test_imported();
  test_binary();
  test_parts();
  test_sizes();
  test_several();
  test_times();
  test_cache();
  test_host();
  test_failures();
  test_lost();
  test_thread();
  test_profile();
  test_search();
  return test_report();
}
