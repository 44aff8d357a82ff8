// test_cuda: tiny_cuda.h on a driver that is strict and late (tests/mock_cuda.cpp) and compiles CUDA C as C++: values,
// order beside a model that does everything at once, two devices, the host's own context, graphs, and every refusal.
//
// TEST_ROUNDS=n: random sequences instead of the usual. TEST_FROM=s: start there.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#define TEST_COMPANION "../src/cuda/all.c"
#include "companion.h"
#include "test.h"
#include "memory_test.h"
#include "mock_cuda.h"
#include "heard.h"
#include "folder_test.h"
#include <dlfcn.h>
#include <pthread.h>
#include <math.h>

static struct {
  void *library;
  long (*refuse)(long n, int code), (*graphs)(void), (*changed)(void), (*overlapped)(void), (*maps)(void);
  void (*memory)(unsigned long long nbytes), (*lose)(long n), (*seed)(unsigned long long seed);
  void (*die)(long n, int code), (*speed)(double ns);
  int (*wrongs)(void), (*ctx_new)(void **out, unsigned flags, int device), (*ctx_free)(void *ctx);
  int (*ctx_current)(void **out), (*init)(unsigned flags), (*alloc)(uint64_t *out, size_t nbytes), (*free)(uint64_t at);
  int (*stream_new)(void **out, unsigned flags), (*stream_free)(void *stream);
  unsigned long long (*live)(void);
  int (*tensor_map)(void *out, int type, unsigned dims, void *address, const uint64_t *extents, const uint64_t *strides,
                    const unsigned *box, const unsigned *each, int interleave, int swizzle, int promotion, int beyond);
} mock;

static void mock_take(void *to, const char *name) {
  void *const found = dlsym(mock.library, name);
  CHECK(found != NULL);
  memcpy(to, &found, sizeof found);
}
static int mock_open(void) {
  setenv("TINY_CUDA_DRIVER", "build/mock/libcuda.so.1", 1);
  setenv("TINY_CUDA_NVRTC", "build/mock/libnvrtc.so.13", 1);
  mock.library = dlopen("build/mock/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  CHECK(mock.library != NULL);
  if (!mock.library) return 0;
  mock_take(&mock.refuse, "mock_cuda_refuse"); mock_take(&mock.graphs, "mock_cuda_graphs");
  mock_take(&mock.changed, "mock_cuda_changed"); mock_take(&mock.overlapped, "mock_cuda_overlapped");
  mock_take(&mock.memory, "mock_cuda_memory"); mock_take(&mock.lose, "mock_cuda_lose");
  mock_take(&mock.die, "mock_cuda_die"); mock_take(&mock.speed, "mock_cuda_speed");
  mock_take(&mock.seed, "mock_cuda_seed"); mock_take(&mock.wrongs, "mock_cuda_wrongs");
  mock_take(&mock.live, "mock_cuda_live"); mock_take(&mock.ctx_new, "cuCtxCreate_v2");
  mock_take(&mock.ctx_free, "cuCtxDestroy_v2"); mock_take(&mock.ctx_current, "cuCtxGetCurrent");
  mock_take(&mock.init, "cuInit"); mock_take(&mock.alloc, "cuMemAlloc_v2"); mock_take(&mock.free, "cuMemFree_v2");
  mock_take(&mock.maps, "mock_cuda_maps"); mock_take(&mock.tensor_map, "cuTensorMapEncodeTiled");
  mock_take(&mock.stream_new, "cuStreamCreate"); mock_take(&mock.stream_free, "cuStreamDestroy_v2");
  return 1;
}

// Lines that say what a search has found.
static void hear_found(void *user, const char *line) {
  if (strstr(line, "instead of")) snprintf((char *)user, 16384, "%s", line);
}

static tiny_ctx *open_with(const char *device, const char *debug) {
  return tiny_open(
      &(tiny_desc){.device = device, .backends = {&tiny_cuda}, .cache_dir = "", .debug = debug, .threads = 1});
}
static tiny_ctx *open_on(const char *device) { return open_with(device, ""); }
static void says(tiny_ctx *t, tiny_code code, const char *text) {
  CHECK_EQ(tiny_status(t), code);
  CHECK(strstr(tiny_error(t), text) != NULL);
  if (!strstr(tiny_error(t), text)) fprintf(stderr, "    says: %s\n    wanted: %s\n", tiny_error(t), text);
}

// ** what is not there **

static void refused_open(const char *variable, const char *value, const char *device, const char *text) {
  char was[256] = "";
  if (getenv(variable)) snprintf(was, sizeof was, "%s", getenv(variable));
  setenv(variable, value, 1);
  tiny_ctx *t = open_on(device);
  says(t, TINY_E_DEVICE, text);
  tiny_close(t);
  t = tiny_open(&(tiny_desc){.backends = {&tiny_cuda}, .cache_dir = ""});   // the CPU goes on
  if (!strcmp(device, "CUDA")) CHECK(tiny_status(t) == TINY_OK && !strcmp(tiny_device_name(t, 0), "CPU"));
  tiny_close(t);
  if (*was) setenv(variable, was, 1); else unsetenv(variable);
}
static void test_refused_open(void) {
  refused_open("TINY_CUDA_DRIVER", "/nowhere/libcuda.so.1", "CUDA", "there is no driver");
  refused_open("TINY_CUDA_DRIVER", "build/mock/libnvrtc.so.13", "CUDA", "has no cuInit; install");
  refused_open("MOCK_CUDA_INIT", "34", "CUDA", "the toolkit's stub");
  refused_open("MOCK_CUDA_INIT", "100", "CUDA", "finds no GPU");
  refused_open("MOCK_CUDA_INIT", "999", "CUDA", "does not start: an unknown error (error 999)");
  refused_open("MOCK_CUDA_VERSION", "11020", "CUDA", "of CUDA 11.2; install");
  refused_open("MOCK_CUDA_DEVICES", "0", "CUDA", "finds no GPU");
  refused_open("MOCK_CUDA_DEVICES", "2", "CUDA:7", "finds 2, counted from 0");
  refused_open("MOCK_CUDA_DEVICES", "2", "CUDA:one", "devices are numbers");
  refused_open("MOCK_CUDA_DEVICES", "2", tiny_cuda_host(NULL, NULL).text, "no CUDA context is current");
}

// ** values: generated and hand-written kernels **

enum { ROWS = 17, INNER = 23, COLUMNS = 19 };
static void values_on(const char *device, float *out) {
  tiny_ctx *t = open_on(device);
  tiny_tensor *x = tiny_randn(t, TINY_SHAPE(ROWS, INNER)), *w = tiny_randn(t, TINY_SHAPE(INNER, COLUMNS));
  CHECK_EQ(tiny_read(tiny_softmax(tiny_matmul(x, w), -1), out, ROWS * COLUMNS * sizeof *out), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "    %s: %s\n", device, tiny_error(t));
  tiny_close(t);
}
static void test_values(void) {
  static float cuda[ROWS * COLUMNS], cpu[ROWS * COLUMNS];
  double most = 0;
  values_on("CPU", cpu);
  values_on("CUDA", cuda);
  for (int i = 0; i < ROWS * COLUMNS; i++) most = fmax(most, fabs((double)cuda[i] - cpu[i]));
  CHECK(most < 1e-6);
  if (test_shown()) fprintf(stderr, "    %g\n", most);
  setenv("MOCK_NVRTC_ARCH", "80", 1);      // older than the device: PTX
  setenv("MOCK_CUDA_POOLS", "0", 1);
  memset(cuda, 0, sizeof cuda);
  values_on("CUDA:1", cuda);
  for (int i = 0; i < ROWS * COLUMNS; i++) most = fmax(most, fabs((double)cuda[i] - cpu[i]));
  CHECK(most < 1e-6);
  unsetenv("MOCK_NVRTC_ARCH");
  unsetenv("MOCK_CUDA_POOLS");
}

// ** units of warps: mma.sync and ldmatrix as PTX has them, played by the mock's lanes **

static void product_on(const char *device, tiny_dtype d, int turned, float *out, size_t nbytes) {
  static float data[96 * 128];
  static int units;
  for (int i = 0; i < 96 * 128; i++) data[i] = (float)(i * 7 % 11) - 5;
  tiny_ctx *t = open_on(device);
  tiny_tensor *x = tiny_cast(tiny_from(t, data, TINY_F32, turned & 1 ? TINY_SHAPE(128, 70) : TINY_SHAPE(70, 128)), d),
              *w = tiny_cast(tiny_from(t, data, TINY_F32, turned & 2 ? TINY_SHAPE(72, 128) : TINY_SHAPE(128, 72)), d);
  const tiny_dtype wide = d == TINY_I8 ? TINY_I32 : TINY_F32;
  tiny_realize(&x, 1);
  tiny_realize(&w, 1);
  if (!strcmp(device, "CUDA")) units = t->device[0]->limits.nunits;
  CHECK_EQ(units, 8);                      // of sm_90
  x = tiny_cast(turned & 1 ? tiny_transpose(x, 0, 1) : x, wide);
  w = tiny_cast(turned & 2 ? tiny_transpose(w, 0, 1) : w, wide);
  CHECK_EQ(tiny_read(tiny_cast(tiny_relu(tiny_matmul(x, w)), TINY_F32), out, nbytes), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "    %s: %s\n", device, tiny_error(t));
  tiny_close(t);
}
static void test_units(void) {
  static const tiny_dtype dtypes[] = {TINY_F16, TINY_BF16, TINY_I8, TINY_F8E4M3, TINY_F8E5M2};
  static float got[70 * 72], want[70 * 72];
  for (int i = 0; i < 5; i++) for (int turned = 0; turned < 4; turned++) {
    product_on("CUDA", dtypes[i], turned, got, sizeof got);
    product_on("CPU", dtypes[i], turned, want, sizeof want);
    CHECK(!memcmp(got, want, sizeof got));
  }
}

// ** products whose operands the copy unit takes as boxes of tensors, of which the driver makes maps **

// b > 1: several. turned & 2: y as its transpose lies in memory; half: the result is narrow, and a box as well.
typedef struct boxed { int64_t b, m, k, n; int turned; tiny_dtype dtype; int half; } boxed;
static const boxed boxes[] = {
  {1, 64, 128, 64, 0, TINY_F16, 0}, {1, 64, 192, 128, 2, TINY_BF16, 0}, {2, 80, 64, 72, 2, TINY_F16, 0},
  {1, 200, 136, 136, 0, TINY_F16, 0}, {1, 64, 256, 64, 2, TINY_I8, 0}, {1, 96, 128, 80, 2, TINY_F8E4M3, 0},
  {1, 64, 128, 64, 2, TINY_F8E5M2, 0}, {3, 72, 128, 64, 0, TINY_BF16, 0}, {1, 128, 128, 128, 0, TINY_F16, 1},
  {2, 80, 64, 72, 2, TINY_BF16, 1}};
enum { BOXES = sizeof boxes / sizeof *boxes, BOXED_MOST = 200 * 136 };
static tiny_code boxed_on(const char *device, const boxed *c, float *out) {
  const int64_t nx = c->b * c->m * c->k, ny = c->k * c->n;
  const tiny_dtype wide = c->dtype == TINY_I8 ? TINY_I32 : TINY_F32;
  float *data = (float *)malloc((size_t)(nx + ny) * sizeof *data);
  for (int64_t i = 0; i < nx + ny; i++) data[i] = (float)(i * 7 % 11) - 5;
  tiny_ctx *t = open_on(device);
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(c->b, c->m, c->k)),
              *y = tiny_from(t, data + nx, TINY_F32, c->turned ? TINY_SHAPE(c->n, c->k) : TINY_SHAPE(c->k, c->n));
  tiny_tensor *in[2] = {tiny_cast(x, c->dtype), tiny_cast(y, c->dtype)};
  tiny_realize(in, 2);
  x = tiny_cast(in[0], wide);
  y = tiny_cast(in[1], wide);
  x = tiny_matmul(x, c->turned ? tiny_transpose(y, 0, 1) : y);
  if (c->half) { x = tiny_cast(x, TINY_F16); tiny_realize(&x, 1); }
  x = tiny_cast(x, TINY_F32);
  const tiny_code code = tiny_read(x, out, (size_t)(c->b * c->m * c->n) * sizeof *out);
  CHECK((code == TINY_OK) == !*tiny_error(t));
  tiny_close(t);
  free(data);
  return code;
}
static void test_boxes(void) {
  static float got[BOXED_MOST], want[BOXED_MOST];
  for (int i = 0; i < BOXES; i++) {
    const boxed *c = &boxes[i];
    const size_t nbytes = (size_t)(c->b * c->m * c->n) * sizeof *got;
    const long before = mock.maps();
    mock.seed((unsigned)i);
    CHECK_EQ(boxed_on("CUDA", c, got), TINY_OK);
    CHECK_EQ(boxed_on("CPU", c, want), TINY_OK);
    CHECK(!memcmp(got, want, nbytes));
    CHECK_EQ(mock.maps() - before, 2 + c->half);             // an operand, the other one; what is stored
  }
  mock.seed(0);
}
// The driver refuses the n-th call of all that are made for such a product.
static void test_boxes_refused(void) {
  static float got[BOXED_MOST], want[BOXED_MOST];
  const boxed *c = &boxes[0];
  int taken = 0, refused = 0;
  CHECK_EQ(boxed_on("CPU", c, want), TINY_OK);
  for (long n = 1; n < 200 && taken < 3; n++) {
    mock.refuse(n, TN_CU_OUT_OF_MEMORY);
    const tiny_code code = boxed_on("CUDA", c, got);
    mock.refuse(0, 0);
    if (code == TINY_OK) CHECK(!memcmp(got, want, (size_t)(c->m * c->n) * sizeof *got));
    taken = code == TINY_OK ? taken + 1 : 0;
    refused += code != TINY_OK;
  }
  CHECK(taken == 3 && refused > 15);
}
// A driver of before CUDA 12 knows of no maps: kernels copy as those of sm_80 do.
static void test_no_boxes(void) {
  static float got[BOXED_MOST], want[BOXED_MOST];
  const boxed *c = &boxes[0];
  setenv("TINY_CUDA_DRIVER", "build/mock/libcuda-old.so.1", 1);
  tiny_ctx *t = open_on("CUDA");
  CHECK(tiny_status(t) == TINY_OK && !t->device[0]->limits.copies_boxes && !t->device[0]->limits.cluster);
  tiny_close(t);
  CHECK_EQ(boxed_on("CUDA", c, got), TINY_OK);
  CHECK_EQ(boxed_on("CPU", c, want), TINY_OK);
  CHECK(!memcmp(got, want, (size_t)(c->m * c->n) * sizeof *got));
  setenv("TINY_CUDA_DRIVER", "build/mock/libcuda.so.1", 1);
}
// Programs of such products, with other memory in each run, one by one at first and then as a graph: what the copy unit
// is told of goes along.
static void test_boxes_again(void) {
  enum { SIDE = 64, RUNS = 8, AREA = SIDE * SIDE, PRODUCTS = 3, OUT = 4 };
  static float x[RUNS][AREA], want[AREA], got[AREA];
  tiny_ctx *t = open_on("CUDA");
  tiny_tensor *in[RUNS], *z[OUT];
  const long graphs = mock.graphs(), changed = mock.changed();
  for (int run = 0; run < RUNS; run++) {
    for (int i = 0; i < AREA; i++) x[run][i] = (float)((i * 7 + run * 5) % 11) - 5;
    in[run] = tiny_cast(tiny_from(t, x[run], TINY_F32, TINY_SHAPE(SIDE, SIDE)), TINY_F16);
  }
  CHECK_EQ(tiny_realize(in, RUNS), TINY_OK);
  tiny_tensor *wide = tiny_cast(in[0], TINY_F32), *turned = tiny_transpose(wide, 0, 1);
  for (int i = 0; i < PRODUCTS; i++) z[i] = tiny_matmul(i & 2 ? turned : wide, i & 1 ? turned : wide);
  z[1] = tiny_cast(z[1], TINY_F16);        // of which the result is a box, too
  z[PRODUCTS] = tiny_neg(in[0]);           // so many launches are a graph
  tiny_program *program = tiny_capture(t, &in[0], 1, z, OUT);
  CHECK(program != NULL);
  for (int run = 0; program && run < RUNS; run++) for (int way = 0; way < PRODUCTS; way++) {
    const long before = mock.maps();
    tiny_tensor *out[OUT] = {NULL};
    CHECK_EQ(tiny_run(program, &in[run], out), TINY_OK);
    for (int i = 0; i < SIDE; i++) for (int j = 0; j < SIDE; j++) {
      want[i * SIDE + j] = 0;
      for (int k = 0; k < SIDE; k++)
        want[i * SIDE + j] += x[run][way & 2 ? k * SIDE + i : i * SIDE + k] *
            x[run][way & 1 ? j * SIDE + k : k * SIDE + j];
    }
    CHECK_EQ(mock.maps() - before, PRODUCTS + 1);
    CHECK_EQ(tiny_read(tiny_cast(out[way], TINY_F32), got, sizeof got), TINY_OK);
    CHECK(!memcmp(want, got, sizeof got));
  }
  CHECK(mock.graphs() > graphs && mock.changed() > changed);
  tiny_program_free(program);
  tiny_close(t);
}
// What the driver takes of a tensor, and what it refuses: one thing of it is wrong.
typedef struct map_args {
  int type; unsigned dims; uint64_t address, extents[5], strides[4]; unsigned box[5], each[5];
  int interleave, swizzle, promotion, beyond;
} map_args;
static int map_made(const map_args *m, void *out) {
  return mock.tensor_map(out, m->type, m->dims, (void *)(uintptr_t)m->address, m->extents, m->strides, m->box, m->each,
                         m->interleave, m->swizzle, m->promotion, m->beyond);
}
static void test_map_arguments(void) {
  enum { LINE = 64, NBYTES = 128 };
  uint64_t at = 0;
  void *ctx = NULL;
  char room[NBYTES + 2 * LINE], *out = room + LINE - (uintptr_t)room % LINE;
  CHECK(!mock.init(0) && !mock.ctx_new(&ctx, 0, 0) && !mock.alloc(&at, 1 << 16));
  const map_args good = {1, 2, at, {100, 100}, {208}, {64, 64}, {1, 1}, 0, 3, 3, 0};
  map_args wrong[] = {good, good, good, good, good, good, good, good, good, good, good, good, good, good};
  wrong[0].type = 16; wrong[1].dims = 6; wrong[2].dims = 0; wrong[3].address += 8; wrong[4].extents[1] = 0;
  wrong[5].strides[0] = 200; wrong[6].strides[0] = (uint64_t)1 << 40; wrong[7].box[1] = 257; wrong[8].box[0] = 60;
  wrong[9].box[0] = 128; wrong[10].each[1] = 9; wrong[11].swizzle = 2; wrong[12].promotion = 4; wrong[13].beyond = 1;
  CHECK_EQ(map_made(&good, out), 0);
  CHECK_EQ(map_made(&good, out + 8), TN_CU_INVALID_VALUE);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK_EQ(map_made(&wrong[i], out), TN_CU_INVALID_VALUE);
  CHECK(!mock.free(at) && !mock.ctx_free(ctx));
}

static const char sum_source[] =
  "extern \"C\" __global__ void group_sums(float *out, const float *x) {\n"
  "  __shared__ float part[4];\n"
  "  float sum = x[blockIdx.x * blockDim.x + threadIdx.x];\n"
  "  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, d);\n"
  "  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;\n"
  "  __syncthreads();\n"
  "  if (threadIdx.x == 0) out[blockIdx.x] = part[0] + part[1] + part[2] + part[3];\n"
  "}\n";
static tiny_tensor *own_kernel(tiny_ctx *t, const char *source, const char *name, tiny_tensor *x, int groups,
                               int items) {
  return tiny_kernel(t, &(tiny_kernel_desc){.name = name,
                                            .source = source,
                                            .inputs = &x,
                                            .n = 1,
                                            .shape = TINY_SHAPE(groups),
                                            .dtype = TINY_F32,
                                            .global = {groups, 1, 1},
                                            .local = {items, 1, 1}});
}
static void test_own_kernel(void) {
  float x[256], got[2] = {0, 0}, want[2] = {0, 0};
  for (int i = 0; i < 256; i++) { x[i] = (float)(i % 13); want[i / 128] += x[i]; }
  tiny_ctx *t = open_on("CUDA");
  tiny_tensor *in = tiny_from(t, x, TINY_F32, TINY_SHAPE(256));
  CHECK_EQ(tiny_read(own_kernel(t, sum_source, "group_sums", in, 2, 128), got, sizeof got), TINY_OK);
  CHECK(got[0] == want[0] && got[1] == want[1]);
  CHECK_EQ(
      tiny_read(own_kernel(t, "extern \"C\" __global__ void bad(float *o) { o[0] = nonsense; }", "bad", in, 1, 1),
                got, 4),
      TINY_E_COMPILE);
  says(t, TINY_E_COMPILE, "nonsense");
  tiny_clear(t);
  tiny_close(t);
  setenv("TINY_CUDA_NVRTC", "/nowhere/libnvrtc.so", 1);
  t = open_on("CUDA");
  in = tiny_from(t, x, TINY_F32, TINY_SHAPE(256));
  tiny_read(own_kernel(t, sum_source, "group_sums", in, 2, 128), got, sizeof got);
  says(t, TINY_E_COMPILE, "pip install nvidia-cuda-nvrtc");
  tiny_close(t);
  setenv("TINY_CUDA_NVRTC", "build/mock/libnvrtc.so.13", 1);
}

// Kernels of the program's own: numbers, two results, in place, groups of several dims; what is wrong with them.
static const char imported_source[] =
  "extern \"C\" __global__ void scale(float *out, const float *in, const float *number) {\n"
  "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = in[i] * *number;\n}\n"
  "extern \"C\" __global__ void both(float *out, const float *a, const float *b) {\n"
  "  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;\n"
  "  out[i] = a[i] + b[i];\n  out[n + i] = a[i] - b[i];\n}\n"
  "extern \"C\" __global__ void places(float *out) {\n"
  "  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
  "  out[y * gridDim.x * blockDim.x + x] = blockIdx.x + 10 * threadIdx.x + 100 * blockIdx.y + 1000 * threadIdx.y;\n}\n"
  "extern \"C\" __global__ void by_value(float *out, float number) { out[0] = number; }\n";
typedef struct imported {
  const char *name; int n; tiny_tensor *in[2]; tiny_shape shape; int64_t global[2], local[2];
} imported;
static tiny_kernel_desc imported_desc(const imported *k) {
  return (tiny_kernel_desc){.name = k->name, .source = imported_source, .inputs = k->in, .n = k->n, .shape = k->shape,
                            .dtype = TINY_F32, .global = {k->global[0], k->global[1], 1},
                            .local = {k->local[0], k->local[1], 1}};
}
static tiny_tensor *import(tiny_ctx *t, imported k) {
  const tiny_kernel_desc d = imported_desc(&k);
  return tiny_kernel(t, &d);
}
static void import_says(tiny_ctx *t, imported k, tiny_code code, const char *text) {
  float got[64];
  CHECK(tiny_read(import(t, k), got, (size_t)tiny_nelem_of(import(t, k)) * 4) != TINY_OK);
  says(t, code, text);
  tiny_clear(t);
}
static void test_imported(void) {
  float got[64];
  tiny_ctx *t = open_on("CUDA");
  tiny_tensor *x = tiny_arange(t, 0, 32, 1, TINY_F32), *two = tiny_full(t, 2, TINY_F32, TINY_SHAPE(1));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  CHECK_EQ(tiny_read(import(t, (imported){"scale", 2, {x, two}, TINY_SHAPE(32), {8}, {4}}), got, 128), TINY_OK);
  CHECK(got[31] == 62);
  tiny_tensor *both = import(t, (imported){"both", 2, {x, tiny_square(x)}, TINY_SHAPE(2, 32), {4}, {8}});
  CHECK_EQ(tiny_read(tiny_shrink(both, TINY_SHAPE(1, 2, 0, 32)), got, 128), TINY_OK);
  CHECK(got[0] == 0 && got[5] == 5 - 25);
  tiny_assign(x, import(t, (imported){"scale", 2, {x, two}, TINY_SHAPE(32), {1}, {32}}));
  CHECK_EQ(tiny_read(x, got, 128), TINY_OK);
  CHECK(got[31] == 62);
  CHECK_EQ(tiny_read(import(t, (imported){"places", 0, {NULL}, TINY_SHAPE(6, 8), {2, 3}, {4, 2}}), got, 192), TINY_OK);
  CHECK(got[0] == 0 && got[7] == 1 + 30 && got[47] == 1 + 30 + 200 + 1000);
  import_says(t, (imported){"scales", 1, {x}, TINY_SHAPE(32), {1}, {32}}, TINY_E_COMPILE, "has no entry point scales");
  import_says(t, (imported){"both", 1, {x}, TINY_SHAPE(32), {1}, {32}}, TINY_E_ARG,
              "both has 3 parameters, but there are an output and 1 inputs");
  import_says(t, (imported){"by_value", 1, {x}, TINY_SHAPE(1), {1}, {1}}, TINY_E_ARG,
              "parameter 1 of by_value is no pointer");
  import_says(t, (imported){"scale", 2, {x, two}, TINY_SHAPE(32), {1}, {2048}}, TINY_E_DEVICE, "items");
  import_says(t, (imported){"places", 0, {NULL}, TINY_SHAPE(64), {1, 70000}, {1, 1}}, TINY_E_DEVICE, "70000 groups");
  tiny_close(t);
}
// A cubin, PTX, and what is neither.
static void test_binary(void) {
  for (int ptx = 0; ptx < 2; ptx++) {
    float got[32];
    if (ptx) setenv("MOCK_NVRTC_ARCH", "80", 1);
    tiny_ctx *t = open_on("CUDA");
    tiny_bytes source = {t, NULL, 0, 0}, binary = {t, NULL, 0, 0}, log = {t, NULL, 0, 0};
    tiny_bytes_add(&source, imported_source, sizeof imported_source - 1);
    CHECK_EQ(tiny_cuda.compile(t->device[0]->dev, 1, &source, &binary, &log), TINY_OK);
    char *own_copy = (char *)malloc(binary.n + 1);           // scratch memory is the library's
    memcpy(own_copy, binary.data, binary.n);
    const size_t nbytes = binary.n;
    CHECK(!memcmp(own_copy, ptx ? "// ptx" : "\177ELF", 4));
    tiny_tensor *x = tiny_arange(t, 0, 32, 1, TINY_F32), *two = tiny_full(t, 2, TINY_F32, TINY_SHAPE(1));
    const imported k = {"scale", 2, {x, two}, TINY_SHAPE(32), {8}, {4}};
    tiny_kernel_desc d = imported_desc(&k);
    d.source = NULL; d.binary = own_copy; d.nbytes = nbytes;
    CHECK_EQ(tiny_read(tiny_kernel(t, &d), got, sizeof got), TINY_OK);
    CHECK(got[31] == 62);
    d.name = "scales";
    CHECK_EQ(tiny_read(tiny_kernel(t, &d), got, sizeof got), TINY_E_COMPILE);
    says(t, TINY_E_COMPILE, "its binary has no entry point scales");
    tiny_clear(t);
    d.name = "scale"; d.binary = "nothing of the kind"; d.nbytes = 19;
    CHECK_EQ(tiny_read(tiny_kernel(t, &d), got, sizeof got), TINY_E_COMPILE);
    says(t, TINY_E_COMPILE, "unexpected token");
    tiny_close(t);
    free(own_copy);
    unsetenv("MOCK_NVRTC_ARCH");
  }
}

// ** devices, called as the library calls them **

static const char affine_source[] =
  "extern \"C\" __global__ void affine(int *to, const int *from, int times, int more) {\n"
  "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  to[i] = from[i] * times + more;\n"
  "}\n"
  "extern \"C\" __global__ void heavy(int *to) { to[threadIdx.x] = 1; }\n";
enum { N = 64, DEVICES = 2, SLOTS = 5, BYTES = N * sizeof(int) };
static char *affine_binary;
static size_t affine_nbytes;

typedef struct device { tiny_ctx *t; void *dev, *module, *kernel; tiny_limits limits; } device;
static void affine_compile(void) {
  tiny_ctx *t = open_on("CUDA");
  const struct tn_device *d = t->device[0];
  tiny_bytes source = {t, NULL, 0, 0}, binary = {t, NULL, 0, 0}, log = {t, NULL, 0, 0};
  tiny_bytes_add(&source, affine_source, sizeof affine_source - 1);
  CHECK_EQ(tiny_cuda.compile(d->dev, 1, &source, &binary, &log), TINY_OK);
  affine_nbytes = binary.n;
  affine_binary = (char *)malloc(binary.n + 1);
  memcpy(affine_binary, binary.data, binary.n);
  tiny_close(t);
}
static int device_load(device *d) {
  d->module = tiny_cuda.load(d->dev, affine_binary, affine_nbytes);
  d->kernel = d->module ? tiny_cuda.find(d->dev, d->module, "affine") : NULL;
  return d->kernel != NULL;
}
static tiny_launch affine_of(const device *d, const tiny_mem *mem, const int64_t *args) {
  tiny_launch l;
  memset(&l, 0, sizeof l);
  l.kernel = d->kernel; l.mem = mem; l.nmem = 2; l.args = args; l.nargs = 2;
  l.global[0] = 2; l.local[0] = N / 2;
  l.global[1] = l.global[2] = l.local[1] = l.local[2] = 1;
  return l;
}

static uint32_t state;
static int dice(int n) {
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 16) % (uint32_t)n);
}
// Memory of a device, and what a device that does everything at once would have in it.
typedef struct slot { void *mem; int want[N]; } slot;
typedef struct world { device d[DEVICES]; slot slot[DEVICES][SLOTS]; } world;

static void slot_take(world *w, int k, int i) {
  slot *s = &w->slot[k][i];
  s->mem = tiny_cuda.alloc(w->d[k].dev, BYTES);
  CHECK(s->mem != NULL);
  for (int j = 0; j < N; j++) s->want[j] = dice(1000);
  const tiny_mem to = {s->mem, 0};
  int data[N];
  memcpy(data, s->want, sizeof data);
  CHECK_EQ(tiny_cuda.copy_in(w->d[k].dev, to, data, sizeof data), TINY_OK);
  memset(data, 0, sizeof data);            // it is the caller's again
}
static void slot_affine(slot *to, const slot *from, const int64_t *args) {
  for (int j = 0; j < N; j++) to->want[j] = from->want[j] * (int)args[0] + (int)args[1];
}
static void step_launches(world *w, int k) {
  enum { MOST = 6 };
  tiny_launch l[MOST];
  tiny_mem mem[MOST][2];
  int64_t args[MOST][2];
  const int n = dice(3) ? 1 : MOST - dice(2);
  for (int i = 0; i < n; i++) {
    slot *const to = &w->slot[k][n > 1 ? i % SLOTS : dice(SLOTS)], *const from = &w->slot[k][dice(SLOTS)];
    mem[i][0] = (tiny_mem){to->mem, 0}; mem[i][1] = (tiny_mem){from->mem, 0};
    args[i][0] = dice(3); args[i][1] = dice(100);
    l[i] = affine_of(&w->d[k], mem[i], args[i]);
    slot_affine(to, from, args[i]);
  }
  CHECK_EQ(n > 1 ? tiny_cuda.submit(w->d[k].dev, l, n) : tiny_cuda.launch(w->d[k].dev, l), TINY_OK);
  memset(mem, 0, sizeof mem);
  memset(args, 0, sizeof args);
}
static void step_copy_between(world *w, int k) {
  const int other = 1 - k, i = dice(SLOTS), j = dice(SLOTS);
  const tiny_mem to = {w->slot[k][i].mem, 0}, from = {w->slot[other][j].mem, 0};
  void *behind = tiny_cuda.event(w->d[other].dev);
  CHECK(behind != NULL);
  CHECK_EQ(tiny_cuda.wait(w->d[k].dev, behind), TINY_OK);
  tiny_cuda.event_free(w->d[other].dev, behind);
  CHECK_EQ(tiny_cuda.copy_from(w->d[k].dev, to, w->d[other].dev, from, BYTES), TINY_OK);
  void *copied = tiny_cuda.event(w->d[k].dev);
  CHECK_EQ(tiny_cuda.wait(w->d[other].dev, copied), TINY_OK);
  tiny_cuda.event_free(w->d[k].dev, copied);
  memcpy(w->slot[k][i].want, w->slot[other][j].want, BYTES);
}
static void step_part(world *w, int k) {   // a part of a block is written, a part is read
  slot *const s = &w->slot[k][dice(SLOTS)];
  const int from = dice(N - 8), n = 1 + dice(8);
  int data[8];
  for (int j = 0; j < n; j++) data[j] = s->want[from + j] = dice(1000);
  const tiny_mem to = {s->mem, (size_t)from * sizeof(int)};
  CHECK_EQ(tiny_cuda.copy_in(w->d[k].dev, to, data, (size_t)n * sizeof(int)), TINY_OK);
}
static void step_read(world *w, int k) {
  const slot *const s = &w->slot[k][dice(SLOTS)];
  const tiny_mem from = {s->mem, 0};
  int got[N];
  CHECK_EQ(tiny_cuda.copy_out(w->d[k].dev, got, from, sizeof got), TINY_OK);
  CHECK(!memcmp(got, s->want, sizeof got));
}
static void step_other(world *w, int k) {
  const int i = dice(SLOTS);
  switch (dice(3)) {
    case 0: CHECK_EQ(tiny_cuda.sync(w->d[k].dev), TINY_OK); break;
    case 1:
      tiny_cuda.free(w->d[k].dev, w->slot[k][i].mem, BYTES);
      slot_take(w, k, i);
      break;
    default:
      tiny_cuda.unload(w->d[k].dev, w->d[k].module);
      CHECK(device_load(&w->d[k]));
  }
}
static void random_sequence(uint32_t seed) {
  static void (*const steps[])(world *, int) = {step_launches, step_launches, step_launches, step_part, step_read,
                                                step_copy_between, step_other};
  world w;
  state = seed * 2654435761u + 1;
  mock.seed(seed);
  setenv("MOCK_CUDA_POOLS", seed % 3 ? "1" : "0", 1);
  tiny_ctx *t = open_on("CUDA,CUDA:1");
  CHECK_EQ(tiny_status(t), TINY_OK);
  for (int k = 0; k < DEVICES; k++) {
    w.d[k].t = t; w.d[k].dev = t->device[k]->dev;
    CHECK(device_load(&w.d[k]));
    for (int i = 0; i < SLOTS; i++) slot_take(&w, k, i);
  }
  for (int i = 0; i < 60; i++) steps[dice(7)](&w, dice(DEVICES));
  for (int k = 0; k < DEVICES; k++) {
    for (int i = 0; i < SLOTS; i++) {
      step_read(&w, k);
      tiny_cuda.free(w.d[k].dev, w.slot[k][i].mem, BYTES);
      if (i + 1 < SLOTS) slot_take(&w, k, i);
    }
    for (int i = 0; i + 1 < SLOTS; i++) tiny_cuda.free(w.d[k].dev, w.slot[k][i].mem, BYTES);
    tiny_cuda.unload(w.d[k].dev, w.d[k].module);
  }
  CHECK_EQ(tiny_status(t), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "    sequence %u: %s\n", seed, tiny_error(t));
  tiny_close(t);
  unsetenv("MOCK_CUDA_POOLS");
}
static void test_order(void) {
  const uint32_t from = getenv("TEST_FROM") ? (uint32_t)atoi(getenv("TEST_FROM")) : 0;
  const uint32_t n = getenv("TEST_ROUNDS") ? (uint32_t)atoi(getenv("TEST_ROUNDS")) : 64;
  for (uint32_t i = from; i < from + n; i++) random_sequence(i);
  mock.seed(0);
}

// What another device reads is not written before: a device that has waited for it goes on with all that it is given,
// bytes from the host, too, which are so many here that the stream of copies has to go on.
static void test_read_by_another(void) {
  enum { INTS = TN_CUDA_CHUNK / (int)sizeof(int) * (TN_CUDA_CHUNKS + 1), NBYTES = INTS * (int)sizeof(int) };
  tiny_ctx *t = open_on("CUDA,CUDA:1");
  void *const reader = t->device[0]->dev, *const owner = t->device[1]->dev;
  const tiny_mem copy = {tiny_cuda.alloc(reader, NBYTES), 0}, memory = {tiny_cuda.alloc(owner, NBYTES), 0};
  int *const data = (int *)malloc(NBYTES);
  for (int i = 0; i < INTS; i++) data[i] = i;
  CHECK_EQ(tiny_cuda.copy_in(owner, memory, data, NBYTES), TINY_OK);
  CHECK_EQ(tiny_cuda.sync(owner), TINY_OK);
  CHECK_EQ(tiny_cuda.copy_from(reader, copy, owner, memory, NBYTES), TINY_OK);
  void *const read = tiny_cuda.event(reader);
  CHECK_EQ(tiny_cuda.wait(owner, read), TINY_OK);
  tiny_cuda.event_free(reader, read);
  for (int i = 0; i < INTS; i++) data[i] = -i;
  CHECK_EQ(tiny_cuda.copy_in(owner, memory, data, NBYTES), TINY_OK);
  CHECK_EQ(tiny_cuda.copy_out(reader, data, copy, NBYTES), TINY_OK);
  int wrong = 0;
  for (int i = 0; i < INTS; i++) wrong += data[i] != i;
  CHECK_EQ(wrong, 0);
  tiny_cuda.free(reader, copy.base, NBYTES);
  tiny_cuda.free(owner, memory.base, NBYTES);
  free(data);
  tiny_close(t);
}

// Bytes larger than all chunks, there and back.
static void test_large(void) {
  const size_t n = (size_t)TN_CUDA_CHUNK / sizeof(int) * (TN_CUDA_CHUNKS + 1) + 77;
  int *data = (int *)malloc(n * sizeof *data), *got = (int *)malloc(n * sizeof *got);
  for (size_t i = 0; i < n; i++) data[i] = (int)(i * 2654435761u);
  tiny_ctx *t = open_on("CUDA");
  tiny_tensor *x = tiny_from(t, data, TINY_I32, TINY_SHAPE((int64_t)n));
  CHECK_EQ(tiny_read(x, got, n * sizeof *got), TINY_OK);
  CHECK(!memcmp(data, got, n * sizeof *got));
  tiny_close(t);
  free(data);
  free(got);
}

// A copy to memory that nothing uses any more goes while kernels before it have not run.
static void test_early(void) {
  device d;
  int data[N] = {0};
  const int64_t args[2] = {1, 1};
  tiny_ctx *t = open_on("CUDA");
  d.t = t; d.dev = t->device[0]->dev;
  CHECK(device_load(&d));
  const tiny_mem mem[2] = {{tiny_cuda.alloc(d.dev, BYTES), 0}, {tiny_cuda.alloc(d.dev, BYTES), 0}};
  const tiny_mem other = {tiny_cuda.alloc(d.dev, BYTES), 0};
  CHECK_EQ(tiny_cuda.copy_in(d.dev, mem[1], data, sizeof data), TINY_OK);
  CHECK_EQ(tiny_cuda.sync(d.dev), TINY_OK);
  const long before = mock.overlapped();
  const tiny_launch l = affine_of(&d, mem, args);
  for (int i = 0; i < 3; i++) CHECK_EQ(tiny_cuda.launch(d.dev, &l), TINY_OK);
  CHECK_EQ(tiny_cuda.copy_in(d.dev, other, data, sizeof data), TINY_OK);
  CHECK_EQ(mock.overlapped() - before, (long)sizeof data);
  for (int i = 0; i < 2; i++) tiny_cuda.free(d.dev, mem[i].base, BYTES);
  tiny_cuda.free(d.dev, other.base, BYTES);
  tiny_cuda.unload(d.dev, d.module);
  tiny_close(t);
}

// ** launches that are refused, or timed **

static void launch_says(device *d, tiny_launch l, const char *text) {
  CHECK(tiny_cuda.launch(d->dev, &l) != TINY_OK);
  says(d->t, TINY_E_DEVICE, text);
  tiny_clear(d->t);
}
static void test_launches(void) {
  device d;
  uint64_t stamp[2] = {0, 0}, later[2] = {0, 0};
  const int64_t args[2] = {1, 1};
  tiny_ctx *t = open_on("CUDA:1");
  d.t = t; d.dev = t->device[0]->dev;
  CHECK(device_load(&d));
  CHECK(tiny_cuda.find(d.dev, d.module, "nothing") == NULL);
  void *const heavy = tiny_cuda.find(d.dev, d.module, "heavy");
  tiny_mem mem[2] = {{tiny_cuda.alloc(d.dev, BYTES), 0}, {NULL, 0}};
  mem[1] = mem[0];
  const tiny_launch l = affine_of(&d, mem, args);
  tiny_launch wrong = l;
  wrong.global[1] = 70000;
  launch_says(&d, wrong, "dim 1 has 70000 groups");
  wrong = l; wrong.local[0] = 512; wrong.kernel = heavy; wrong.nmem = 1; wrong.nargs = 0;
  launch_says(&d, wrong, "groups of 512 items, but its registers and launch bounds allow 256");
  wrong = l; wrong.local_nbytes = 1 << 20;
  launch_says(&d, wrong, "1048576 bytes of shared memory, but a group has 101376");
  wrong = l; wrong.nmem = 600;
  launch_says(&d, wrong, "602 parameters");
  wrong = l; wrong.local_nbytes = 64 << 10;                  // is asked for
  CHECK_EQ(tiny_cuda.launch(d.dev, &wrong), TINY_OK);
  wrong = l; wrong.stamp = stamp;
  CHECK_EQ(tiny_cuda.launch(d.dev, &wrong), TINY_OK);
  wrong.stamp = later;
  CHECK_EQ(tiny_cuda.launch(d.dev, &wrong), TINY_OK);
  CHECK_EQ(tiny_cuda.sync(d.dev), TINY_OK);
  CHECK(stamp[0] > 0 && stamp[1] > stamp[0] && later[0] >= stamp[1] && later[1] > later[0]);
  CHECK(tiny_cuda.load(d.dev, "no binary", 9) == NULL);
  says(t, TINY_E_COMPILE, "unexpected token");
  tiny_cuda.free(d.dev, mem[0].base, BYTES);
  tiny_cuda.unload(d.dev, d.module);
  tiny_close(t);
}

// ** a program that is replayed becomes a graph **

static void test_graphs(void) {
  enum { LAYERS = 6, SIZE = 8 };
  float x[SIZE * SIZE], got[SIZE * SIZE], first[SIZE * SIZE];
  tiny_ctx *t = open_on("CUDA");
  for (int i = 0; i < SIZE * SIZE; i++) x[i] = (float)(i % 5) - 2;
  tiny_tensor *in = tiny_from(t, x, TINY_F32, TINY_SHAPE(SIZE, SIZE)), *y = in;
  for (int i = 0; i < LAYERS; i++) y = tiny_softmax(tiny_matmul(y, in), -1);
  tiny_program *p = tiny_capture(t, &in, 1, &y, 1);
  CHECK(p && tiny_program_kernel_count(p) >= LAYERS);
  const long graphs = mock.graphs(), changed = mock.changed();
  for (int i = 0; p && i < 12; i++) {
    tiny_tensor *out;
    CHECK_EQ(tiny_run(p, &in, &out), TINY_OK);
    CHECK_EQ(tiny_read(out, i ? got : first, sizeof got), TINY_OK);
    if (i) CHECK(!memcmp(got, first, sizeof got));
    if (i % 3) tiny_free(out);             // the next one comes to other memory
  }
  CHECK(mock.graphs() - graphs >= 8);
  CHECK(mock.changed() > changed);
  tiny_close(t);
}

// ** the host's own context **

static void test_host(void) {
  void *ctx = NULL, *stream = NULL, *now = NULL;
  float x[4] = {1, 2, 3, 4}, got[4];
  CHECK_EQ(mock.init(0), 0);
  CHECK_EQ(mock.ctx_new(&ctx, 0, 1), 0);
  CHECK_EQ(mock.stream_new(&stream, 0), 0);
  tiny_ctx *t = open_on(tiny_cuda_host(ctx, stream).text);
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_tensor *y = tiny_mul(tiny_from(t, x, TINY_F32, TINY_SHAPE(4)), tiny_full(t, 2, TINY_F32, TINY_SHAPE(4)));
  CHECK_EQ(tiny_read(y, got, sizeof got), TINY_OK);
  CHECK(got[0] == 2 && got[3] == 8);
  mock.ctx_current(&now);
  CHECK(now == ctx);                       // as it was
  uint64_t at = 0;
  CHECK_EQ(mock.alloc(&at, sizeof x), 0);
  CHECK(!tiny_ok(tiny_blob_of(t, (void *)(uintptr_t)(at + 4), TINY_F32, TINY_SHAPE(3))));
  CHECK_EQ(tiny_status(t), TINY_E_ARG);
  tiny_clear(t);
  tiny_tensor *blob = tiny_blob_of(t, (void *)(uintptr_t)at, TINY_F32, TINY_SHAPE(4));
  CHECK_EQ(tiny_write(blob, x, sizeof x), TINY_OK);
  CHECK_EQ(tiny_read(tiny_add(blob, y), got, sizeof got), TINY_OK);
  CHECK(got[0] == 3 && got[3] == 12);
  tiny_close(t);
  CHECK_EQ(mock.free(at), 0);
  CHECK_EQ(mock.stream_free(stream), 0);
  t = open_on(tiny_cuda_host(NULL, NULL).text);              // the current one, and its default stream
  CHECK_EQ(tiny_item(tiny_sum(tiny_from(t, x, TINY_F32, TINY_SHAPE(4)), TINY_ALL, 0)), 10);
  tiny_close(t);
  CHECK_EQ(mock.ctx_free(ctx), 0);
}

// The host's context and stream on another thread: named they work there; "the current one" is this thread's.
// right: results, of 4; left: is a context current that was not?
typedef struct host_thread { void *ctx, *stream; int refused, right, left; } host_thread;
static void *host_on_thread(void *arg) {
  host_thread *h = (host_thread *)arg;     // what is checked is checked by the thread that waits
  float x[4] = {1, 2, 3, 4}, got[4] = {0, 0, 0, 0};
  void *now = &now;
  tiny_ctx *t = open_on(tiny_cuda_host(NULL, NULL).text);
  h->refused = tiny_status(t) == TINY_E_DEVICE &&
               strstr(tiny_error(t), "no CUDA context is current on this thread; give tiny_cuda_host one") != NULL;
  tiny_close(t);
  t = open_on(tiny_cuda_host(h->ctx, h->stream).text);
  for (int i = 0; i < 4; i++) {
    tiny_read(tiny_square(tiny_from(t, x, TINY_F32, TINY_SHAPE(4))), got, sizeof got);
    h->right += tiny_status(t) == TINY_OK && got[3] == 16;
  }
  mock.ctx_current(&now);
  h->left = now != NULL;
  tiny_close(t);
  return NULL;
}
static void test_host_thread(void) {
  host_thread h = {NULL, NULL, 0, 0, 0};
  float x[4] = {1, 2, 3, 4}, got[4];
  pthread_t thread;
  CHECK_EQ(mock.init(0), 0);
  CHECK_EQ(mock.ctx_new(&h.ctx, 0, 0), 0);
  CHECK_EQ(mock.stream_new(&h.stream, 0), 0);
  tiny_ctx *t = open_on(tiny_cuda_host(h.ctx, h.stream).text);
  CHECK(!pthread_create(&thread, NULL, host_on_thread, &h));
  for (int i = 0; i < 4; i++) {
    CHECK_EQ(tiny_read(tiny_neg(tiny_from(t, x, TINY_F32, TINY_SHAPE(4))), got, sizeof got), TINY_OK);
    CHECK(got[3] == -4);
  }
  pthread_join(thread, NULL);
  CHECK(h.refused && !h.left);
  CHECK_EQ(h.right, 4);
  tiny_close(t);
  CHECK_EQ(mock.stream_free(h.stream), 0);
  CHECK_EQ(mock.ctx_free(h.ctx), 0);
}

// ** memory that runs out, a device that is lost, calls that fail **

static void test_memory(void) {
  tiny_ctx *t = open_on("CUDA");
  mock.memory(mock.live() + (1 << 20));
  tiny_tensor *x = tiny_contiguous(tiny_full(t, 1, TINY_F32, TINY_SHAPE(1 << 20)));
  CHECK_EQ(tiny_realize(&x, 1), TINY_E_MEMORY);
  says(t, TINY_E_MEMORY, "CUDA has no");
  tiny_clear(t);
  x = tiny_contiguous(tiny_full(t, 1, TINY_F32, TINY_SHAPE(1 << 10)));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);  // it goes on
  tiny_close(t);
  mock.memory(0);
}
static void test_lost(void) {
  float x[4] = {1, 2, 3, 4}, got[4];
  tiny_ctx *t = open_on("CUDA,CPU");
  mock.lose(1);
  tiny_tensor *a = tiny_from(t, x, TINY_F32, TINY_SHAPE(4));
  CHECK_EQ(tiny_read(tiny_neg(a), got, sizeof got), TINY_E_DEVICE);
  says(t, TINY_E_DEVICE, "the device is lost: an illegal memory access");
  for (int i = 0; i < 2; i++) {            // each call says so
    tiny_clear(t);
    CHECK_EQ(tiny_read(tiny_exp(a), got, sizeof got), TINY_E_DEVICE);
    says(t, TINY_E_DEVICE, "the device is lost: an illegal memory access");
  }
  tiny_clear(t);
  tiny_use_device(t, 1);
  CHECK_EQ(tiny_read(tiny_neg(tiny_from(t, x, TINY_F32, TINY_SHAPE(4))), got, sizeof got), TINY_OK);
  CHECK_EQ(got[3], -4);
  tiny_close(t);
}
// From the n-th call on the driver knows nothing any more. The host's memory comes back, and another device goes on.
// Did all of it go well?
static int dies_at(long n) {
  memory_count count = {0, 0, 0, 0};
  float x[4] = {1, 2, 3, 4}, got[4] = {0, 0, 0, 0};
  mock.die(n, TN_CU_LAUNCH_FAILED);
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "CUDA,CPU", .backends = {&tiny_cuda}, .cache_dir = "", .debug = "",
                                       .threads = 1, .alloc = {memory_fn, &count}});
  const int opened = tiny_status(t) == TINY_OK;
  tiny_code code = tiny_status(t);
  if (opened) code = tiny_read(tiny_neg(tiny_from(t, x, TINY_F32, TINY_SHAPE(4))), got, sizeof got);
  CHECK(code == TINY_OK ? got[3] == -4 : code == TINY_E_DEVICE && strlen(tiny_error(t)) > 20);
  if (opened && code != TINY_OK) {
    tiny_clear(t);
    CHECK_EQ(tiny_read(tiny_exp(tiny_from(t, x, TINY_F32, TINY_SHAPE(4))), got, sizeof got), TINY_E_DEVICE);
    says(t, TINY_E_DEVICE, "the device is lost");
    tiny_clear(t);
    tiny_use_device(t, 1);
    CHECK_EQ(tiny_read(tiny_neg(tiny_from(t, x, TINY_F32, TINY_SHAPE(4))), got, sizeof got), TINY_OK);
    CHECK(got[3] == -4);
  }
  tiny_close(t);
  mock.die(0, 0);
  CHECK_EQ(count.live, 0);
  CHECK_EQ(count.wrong, 0);
  return code == TINY_OK;
}
static void test_dies(void) {
  int whole = 0;
  for (long n = 1; n < 400 && whole < 3; n += n < 40 ? 1 : 3) whole = dies_at(n) ? whole + 1 : 0;
  CHECK_EQ(whole, 3);
}

// ** the context goes on, on a device that is asked for **

// Each of these is told by a code and a sentence; the CPU beside it computes as before (docs/devices.md has the table).
static void goes_on(tiny_ctx *t) {
  float x[4] = {1, 2, 3, 4}, got[4];
  tiny_clear(t);
  const int before = tiny_use_device(t, 1);
  CHECK_EQ(tiny_read(tiny_square(tiny_from(t, x, TINY_F32, TINY_SHAPE(4))), got, sizeof got), TINY_OK);
  CHECK(got[3] == 16);
  tiny_use_device(t, before);
}
static void test_goes_on(void) {
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "CUDA,CPU", .backends = {&tiny_cuda}, .cache_dir = "", .debug = "",
                                       .threads = 1, .max_nbytes_of = (const size_t[2]){1 << 16, 0}});
  tiny_tensor *x = tiny_contiguous(tiny_full(t, 1, TINY_F32, TINY_SHAPE(1 << 15)));
  CHECK_EQ(tiny_realize(&x, 1), TINY_E_MEMORY);
  says(t, TINY_E_MEMORY, "max_nbytes");
  goes_on(t);
  x = tiny_arange(t, 0, 32, 1, TINY_F32);
  import_says(t, (imported){"scale", 1, {x}, TINY_SHAPE(32), {1}, {32}}, TINY_E_ARG, "scale has 3 parameters");
  goes_on(t);
  static const char bad[] = "extern \"C\" __global__ void bad(float *o) { o[0] = nonsense; }";
  tiny_read(own_kernel(t, bad, "bad", x, 1, 1), (float[1]){0}, 4);
  says(t, TINY_E_COMPILE, "nonsense");
  goes_on(t);
  tiny_close(t);
}

// ** a search by the device's clock **

// An item costs so much on this device that a kernel with fewer of them wins, whatever the heuristics think.
static void test_search(void) {
  float x[64 * 48], want[48], got[48];
  char said[16384] = "";
  uint64_t compiled = 0;
  for (int i = 0; i < 64 * 48; i++) x[i] = (float)(i % 7);
  char folder[] = "/tmp/tiny-cuda-XXXXXX";
  CHECK(mkdtemp(folder) != NULL);
  mock.speed(1000);
  for (int j = 0; j < 48; j++) { want[j] = 0; for (int i = 0; i < 64; i++) want[j] += x[j * 64 + i]; }
  for (int again = 0; again < 2; again++) {
    *heard = 0;
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = "CUDA", .backends = {&tiny_cuda}, .cache_dir = folder,
                                         .debug = again ? "" : "b", .log = {hear_found, said}, .threads = 1,
                                         .beam = 1});
    tiny_tensor *in = tiny_from(t, x, TINY_F32, TINY_SHAPE(48, 64));
    CHECK_EQ(tiny_read(tiny_sum(in, 1, 0), got, sizeof got), TINY_OK);
    CHECK(!memcmp(got, want, sizeof got));
    const tiny_stats s = tiny_stats_of(t);
    CHECK_EQ(s.searches, !again);
    CHECK(again ? s.timed == 0 : s.timed > 2);
    compiled = s.compiled;
    tiny_close(t);
  }
  CHECK_EQ(compiled, 0);                   // found on disk
  const char *found = strstr(said, "us instead of ");
  CHECK(found != NULL);
  const char *ns = found;
  while (found && ns > said && ns[-1] != ':') ns--;
  if (found) CHECK(strtod(ns, NULL) < strtod(found + 14, NULL));
  if (test_shown()) fprintf(stderr, "    %s\n", said);
  remove_tree(folder);
  mock.speed(0);
}

// ** profiles by the device's clock **

static void test_profiles(void) {
  enum { ITEMS = 128 };
  tiny_profile_row row;
  char text[4096];
  float x[256], got[2];
  for (int i = 0; i < 256; i++) x[i] = 1;
  tiny_ctx *t = open_on("CUDA");
  mock.speed(100);
  tiny_tensor *in = tiny_from(t, x, TINY_F32, TINY_SHAPE(256));
  CHECK_EQ(tiny_realize(&in, 1), TINY_OK);
  CHECK_EQ(tiny_profile_begin(t), TINY_OK);
  CHECK_EQ(tiny_read(own_kernel(t, sum_source, "group_sums", in, 2, ITEMS), got, sizeof got), TINY_OK);
  CHECK_EQ(tiny_profile_end(t), TINY_OK);
  CHECK(tiny_profile_get(t, TINY_BY_KERNEL, 0, &row));
  CHECK_STR(row.name, "group_sums");
  CHECK_EQ(row.launches, 1);
  const uint64_t says_ns = 10000 + 2 * ITEMS * 100;          // of the mock: events are 1 us apart, beside the kernel
  CHECK(row.ns >= says_ns && row.ns <= says_ns + 3000);
  CHECK(tiny_profile_text(t, TINY_BY_KERNEL, text, sizeof text) > 0);
  CHECK(strstr(text, "limits of CUDA, measured: ") != NULL && strstr(text, "group_sums") != NULL);
  if (test_shown()) fprintf(stderr, "%s", text);
  tiny_close(t);
  *heard = 0;
  t = tiny_open(&(tiny_desc){.device = "CUDA", .backends = {&tiny_cuda}, .cache_dir = "", .debug = "k",
                             .log = {hear, NULL}});
  in = tiny_from(t, x, TINY_F32, TINY_SHAPE(256));
  CHECK_EQ(tiny_read(own_kernel(t, sum_source, "group_sums", in, 2, ITEMS), got, sizeof got), TINY_OK);
  CHECK(strstr(heard, "*** CUDA") && strstr(heard, "group_sums") && strstr(heard, " GB/s"));
  CHECK(strstr(heard, " 36.") || strstr(heard, " 37."));     // us: by the device's clock
  if (test_shown()) fprintf(stderr, "%s", heard);
  tiny_close(t);
  mock.speed(0);
}

// All kinds of calls, the n-th of which the driver refuses. Were all of them taken?
static int calls_with(long n) {
  device d;
  int data[N], got[N];
  const int64_t args[2] = {2, 1};
  tiny_mem mem[2] = {{NULL, 0}, {NULL, 0}};
  uint64_t stamp[2];
  mock.refuse(n, TN_CU_OUT_OF_MEMORY);
  tiny_ctx *t = open_on("CUDA");
  if (tiny_status(t) == TINY_OK) {
    d.t = t; d.dev = t->device[0]->dev;
    for (int i = 0; i < N; i++) data[i] = i;
    const int loaded = device_load(&d);
    for (int i = 0; i < 2; i++) mem[i].base = tiny_cuda.alloc(d.dev, BYTES);
    tiny_code code = loaded && mem[0].base && mem[1].base ? TINY_OK : TINY_E_MEMORY;
    if (code == TINY_OK) code = tiny_cuda.copy_in(d.dev, mem[1], data, sizeof data);
    tiny_launch l[4];
    for (int i = 0; i < 4 && code == TINY_OK; i++) l[i] = affine_of(&d, mem, args);
    for (int i = 0; i < 4 && code == TINY_OK; i++) code = tiny_cuda.submit(d.dev, l, 4);
    if (code == TINY_OK) { l[0].stamp = stamp; code = tiny_cuda.launch(d.dev, l); }
    void *event = code == TINY_OK ? tiny_cuda.event(d.dev) : NULL;
    if (code == TINY_OK && !event) code = tiny_status(t);
    if (event) tiny_cuda.event_free(d.dev, event);
    if (code == TINY_OK) code = tiny_cuda.copy_out(d.dev, got, mem[0], sizeof got);
    if (code == TINY_OK) for (int i = 0; i < N; i++) CHECK_EQ(got[i], i * 2 + 1);
    if (code == TINY_OK) code = tiny_cuda.sync(d.dev);
    if (code != TINY_OK) CHECK(tiny_status(t) != TINY_OK || !loaded || !mem[0].base || !mem[1].base);
    mock.refuse(0, 0);                     // what is freed is not refused
    for (int i = 0; i < 2; i++) if (mem[i].base) tiny_cuda.free(d.dev, mem[i].base, BYTES);
    if (d.module) tiny_cuda.unload(d.dev, d.module);
    if (code != TINY_OK) { tiny_close(t); return 0; }
  }
  const int all = tiny_status(t) == TINY_OK;
  tiny_close(t);
  return all;
}
static void test_refused_calls(void) {
  const long count = (mock.refuse(0, 0), calls_with(0), mock.refuse(0, 0));
  int taken = 0;
  CHECK(count > 5);                        // those behind the sequence: what frees
  for (long n = 1; n < 200; n++) taken += calls_with(n);
  CHECK(taken > 20 && taken < 199);
  CHECK_EQ(mock.live(), 0);
}
static long memory_refused(long n, int *done) {
  memory_count count = {0, n, 0, 0};
  tiny_desc desc = {.device = "CUDA", .backends = {&tiny_cuda}, .cache_dir = "", .debug = "", .threads = 1,
                    .alloc = {memory_fn, &count}};
  float got = 0;
  tiny_ctx *t = tiny_open(&desc);
  tiny_tensor *x = tiny_full(t, 3, TINY_F32, TINY_SHAPE(4));
  *done = tiny_read(tiny_sum(tiny_contiguous(x), TINY_ALL, 0), &got, sizeof got) == TINY_OK;
  CHECK(*done ? got == 12 : tiny_status(t) != TINY_OK);
  tiny_close(t);
  CHECK_EQ(count.live, 0);
  CHECK_EQ(count.wrong, 0);
  return count.calls;
}
// The host's allocator refuses the n-th: every one until the device is there, then some.
static void test_refused_memory(void) {
  int done = 0;
  const long all = memory_refused(0, &done);
  CHECK(done);
  for (long n = 1; n <= all; n += n < 24 ? 1 : 1 + all / 24) memory_refused(n, &done);
}

int main(void) {
  if (!mock_open()) return test_report();
  test_refused_open();
  affine_compile();
  for (int c = 0; c < 2; c++) {            // what the driver compiles, and what NVRTC does
    setenv("TINY_CUDA_LANGUAGE", c ? "C" : "PTX", 1);
    test_values();
    test_units();
  }
  unsetenv("TINY_CUDA_LANGUAGE");
  test_boxes();
  test_boxes_refused();
  test_no_boxes();
  test_boxes_again();
  test_map_arguments();
  test_order();
  test_launches();
  test_graphs();
  test_own_kernel();
  test_imported();
  test_binary();
  test_read_by_another();
  test_large();
  test_early();
  test_host();
  test_host_thread();
  test_memory();
  test_refused_calls();
  test_lost();
  test_goes_on();
  test_profiles();
  test_search();
  test_refused_memory();
  test_dies();
  CHECK_EQ(mock.wrongs(), 0);
  free(affine_binary);
  return test_report();
}
