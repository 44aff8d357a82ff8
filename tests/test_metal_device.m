// test_metal_device: what could not be proven without a Mac, item by item: pass or FAIL, and why.
//   make test-metal-device                  (on a Mac; elsewhere on the tests' mock of Metal, which it says)
//   cc -O2 -I. tests/test_metal_device.m tiny_metal.m -framework Metal -framework Foundation -o device && ./device
// An argument is a device, "METAL:1". `./device hang` also runs a kernel that does not end, until the system stops it:
// the screen may stand still for some seconds.
//
// Numbers are compared with the device CPU. The last lines are for the report: what the GPU is, and how fast.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "tiny_metal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __APPLE__
enum { LARGE = 1024, MANY = 50, HERE = 1 };
#else
enum { LARGE = 64, MANY = 3, HERE = 0 };                   // the mock: only whether the list itself is right
#endif
static const char *device = "METAL";
static char why[600];                                      // of the item that fails

static tiny_ctx *open_on(const char *name) {
  return tiny_open(&(tiny_desc){.device = name, .backends = {&tiny_metal}, .cache_dir = ""});
}
static int wrong(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(why, sizeof why, format, args);
  va_end(args);
  return 1;
}
static int failed_on(tiny_ctx *t) { return tiny_status(t) == TINY_OK ? 0 : wrong("%s", tiny_error(t)); }

// ** the same graph here and on the CPU **

typedef tiny_tensor *graph(tiny_ctx *t, int n);
// tolerance: of the largest value.
static int alike(graph *g, int n, double tolerance) {
  float *got[2] = {NULL, NULL};
  int64_t count = 0;
  for (int i = 0; i < 2; i++) {
    tiny_ctx *t = i ? tiny_open(&(tiny_desc){.device = "CPU"}) : open_on(device);
    tiny_tensor *y = tiny_cast(g(t, n), TINY_F32);
    const tiny_shape s = tiny_shape_of(y);
    count = 1;
    for (int k = 0; k < s.ndim; k++) count *= s.dim[k];
    got[i] = calloc((size_t)count, sizeof(float));
    tiny_read(y, got[i], (size_t)count * sizeof(float));
    const int failed = failed_on(t);
    tiny_close(t);
    if (failed) { free(got[0]); free(got[1]); return 1; }
  }
  double most = 0, largest = 1e-30;
  int64_t at = 0;
  for (int64_t k = 0; k < count; k++) {
    const double d = fabs((double)got[0][k] - got[1][k]);
    if (!(d <= most)) { most = d; at = k; }
    if (fabs(got[1][k]) > largest) largest = fabs(got[1][k]);
  }
  const int off = !(most <= tolerance * largest);
  if (off) wrong("element %lld is %g, on the CPU %g", (long long)at, got[0][at], got[1][at]);
  free(got[0]);
  free(got[1]);
  return off;
}
static tiny_tensor *numbers(tiny_ctx *t, int rows, int columns, tiny_dtype dtype) {
  return tiny_cast(tiny_randn(t, TINY_SHAPE(rows, columns)), dtype);
}
static tiny_tensor *g_elements(tiny_ctx *t, int n) {
  tiny_tensor *x = numbers(t, n, n, TINY_F32);
  return tiny_add(tiny_tanh(tiny_exp(x)), tiny_sin(tiny_mul_scalar(x, 30)));
}
static tiny_tensor *g_integers(tiny_ctx *t, int n) {
  tiny_tensor *x = tiny_cast(tiny_mul_scalar(tiny_rand(t, TINY_SHAPE(n, n)), 1 << 24), TINY_I64);   // exact
  x = tiny_add_scalar(x, -(1 << 23));
  return tiny_add(tiny_remainder(tiny_mul(x, x), tiny_like(x, 1000)), tiny_cast(tiny_lt(x, tiny_like(x, 0)), TINY_I64));
}
static tiny_tensor *g_bytes(tiny_ctx *t, int n) {
  tiny_tensor *x = tiny_cast(tiny_mul_scalar(tiny_rand(t, TINY_SHAPE(n, n)), 255), TINY_U8);
  return tiny_sum(tiny_cast(tiny_add(x, x), TINY_I32), 1, 0);
}
static tiny_tensor *g_sums(tiny_ctx *t, int n) {
  tiny_tensor *x = tiny_rand(t, TINY_SHAPE(n, n));
  tiny_tensor *parts[3] = {tiny_sum(x, 0, 0), tiny_sum(x, 1, 0), tiny_amax(x, 1, 0)};
  return tiny_cat(parts, 3, 0);
}
static tiny_tensor *g_softmax(tiny_ctx *t, int n) { return tiny_softmax(numbers(t, n, n, TINY_F32), -1); }
static tiny_tensor *matmul_of(tiny_ctx *t, int n, tiny_dtype dtype) {
  return tiny_matmul(numbers(t, n, n, dtype), numbers(t, n, n, dtype));
}
static tiny_tensor *g_matmul_f32(tiny_ctx *t, int n) { return matmul_of(t, n, TINY_F32); }
static tiny_tensor *g_matmul_f16(tiny_ctx *t, int n) { return matmul_of(t, n, TINY_F16); }
static tiny_tensor *g_matmul_bf16(tiny_ctx *t, int n) { return matmul_of(t, n, TINY_BF16); }
static tiny_tensor *g_odd(tiny_ctx *t, int n) {            // tiles that reach beyond
  return tiny_matmul(numbers(t, n + 3, n + 5, TINY_F16), numbers(t, n + 5, n + 7, TINY_F16));
}
static tiny_tensor *g_attention(tiny_ctx *t, int n) {
  tiny_tensor *q = tiny_randn(t, TINY_SHAPE(1, 4, n, 64)), *k = tiny_randn(t, TINY_SHAPE(1, 4, n, 64)),
              *v = tiny_randn(t, TINY_SHAPE(1, 4, n, 64));
  return tiny_attention(q, k, v, NULL);
}
static tiny_tensor *g_conv(tiny_ctx *t, int n) {
  tiny_conv_desc same = {.same = 1};
  tiny_tensor *x = tiny_randn(t, TINY_SHAPE(1, 8, n / 4, n / 4)), *w = tiny_randn(t, TINY_SHAPE(16, 8, 3, 3));
  return tiny_conv2d(x, w, NULL, &same);
}
static tiny_tensor *g_sort(tiny_ctx *t, int n) { return tiny_sort(tiny_rand(t, TINY_SHAPE(8, n)), -1, 0, NULL); }
static tiny_tensor *g_gradient(tiny_ctx *t, int n) {
  tiny_tensor *w = numbers(t, n, 16, TINY_F32), *loss, *g;
  tiny_realize(&w, 1);
  loss = tiny_sum(tiny_square(tiny_tanh(tiny_matmul(numbers(t, 32, n, TINY_F32), w))), TINY_ALL, 0);
  tiny_grad(loss, &w, 1, &g);
  return g;
}
static int values_elements(void) { return alike(g_elements, LARGE, 1e-5); }
static int values_integers(void) { return alike(g_integers, LARGE, 0); }
static int values_bytes(void) { return alike(g_bytes, LARGE, 0); }
static int values_sums(void) { return alike(g_sums, LARGE, 1e-5); }
static int values_softmax(void) { return alike(g_softmax, LARGE, 1e-5); }
static int values_f32(void) { return alike(g_matmul_f32, LARGE, 1e-5); }
static int values_f16(void) { return alike(g_matmul_f16, LARGE, 2e-3); }
static int values_bf16(void) { return alike(g_matmul_bf16, LARGE, 1.6e-2); }
static int values_odd(void) { return alike(g_odd, LARGE, 2e-3); }
static int values_attention(void) { return alike(g_attention, LARGE / 4 + 1, 1e-4); }
static int values_conv(void) { return alike(g_conv, LARGE, 1e-4); }
static int values_sort(void) { return alike(g_sort, LARGE, 0); }
static int values_gradient(void) { return alike(g_gradient, LARGE, 1e-4); }

// ** order: barriers of concurrent encoders, prepared lists **

// Programs of kernels that partly depend on each other: each run gives the same.
static int order_of_kernels(void) {
  tiny_ctx *t = open_on(device);
  tiny_tensor *x = tiny_randn(t, TINY_SHAPE(4096)), *y[4], *all;
  tiny_realize(&x, 1);
  for (int i = 0; i < 4; i++) y[i] = tiny_contiguous(tiny_mul_scalar(x, i + 1));
  for (int turn = 0; turn < 8; turn++) for (int i = 0; i < 4; i++)
    y[i] = tiny_contiguous(tiny_sub(tiny_mul_scalar(y[i], 0.5), y[(i + turn) % 4]));
  all = tiny_cat(y, 4, 0);
  tiny_program *p = tiny_capture(t, &x, 1, &all, 1);
  float *first = malloc(16384 * sizeof(float)), *got = malloc(16384 * sizeof(float));
  int off = !p || !first || !got;
  for (int i = 0; i < MANY && !off; i++) {
    tiny_begin(t);
    tiny_tensor *out = NULL;
    tiny_run(p, &x, &out);
    tiny_read(out, i ? got : first, 16384 * sizeof(float));
    if (i && memcmp(first, got, 16384 * sizeof(float))) off = wrong("run %d gave other values than the first", i);
    tiny_end(t);
  }
  if (!off) off = failed_on(t);
  free(first);
  free(got);
  tiny_close(t);
  return off;
}
static double replay_ns;                                   // of the host, for each kernel
static int indirect_commands(void) {
  enum { KERNELS = 200 };
  tiny_ctx *t = open_on(device);
  tiny_tensor *x = tiny_full(t, 5, TINY_F32, TINY_SHAPE(256)), *y = x, *out = NULL;
  tiny_realize(&x, 1);
  for (int i = 0; i < KERNELS; i++) y = tiny_contiguous(tiny_add_scalar(tiny_mul_scalar(y, 0.5), 1));
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  uint64_t best = UINT64_MAX;
  int off = 0;
  for (int i = 0; i < MANY && p && !off; i++) {
    tiny_begin(t);
    const uint64_t from = tiny_now_ns();
    tiny_run(p, &x, &out);
    const uint64_t took = tiny_now_ns() - from;
    if (took < best) best = took;
    const double got = tiny_item(tiny_amax(out, TINY_ALL, 0));
    if (fabs(got - 2) > 1e-5) off = wrong("run %d gave %g, not 2", i, got);
    tiny_end(t);
  }
  replay_ns = (double)best / KERNELS;
  if (!off) off = failed_on(t);
  tiny_close(t);
  return off;
}
// Two contexts: one waits for an event that the other's work sets.
static int shared_events(void) {
  id<MTLDevice> gpu = MTLCreateSystemDefaultDevice();
  id<MTLSharedEvent> event = [gpu newSharedEvent];
  tiny_ctx *a = open_on("METAL"), *b = open_on("METAL");
  float got[4] = {0};
  tiny_tensor *x = tiny_full(a, 3, TINY_F32, TINY_SHAPE(4)), *y = tiny_full(b, 4, TINY_F32, TINY_SHAPE(4));
  tiny_metal_wait(b, event, 1);
  y = tiny_contiguous(tiny_mul_scalar(y, 2));
  tiny_realize(&y, 1);
  tiny_realize(&x, 1);
  tiny_metal_signal(a, event, 1);
  tiny_sync(a);
  tiny_read(y, got, sizeof got);
  int off = failed_on(a) || failed_on(b);
  const unsigned long long told = [event signaledValue];
  if (!off && (got[0] != 8 || told != 1)) off = wrong("%g, and the event is %llu", got[0], told);
  tiny_close(a);
  tiny_close(b);
  [event release];
  [gpu release];
  return off;
}

// ** memory **

static int large_copies(void) {
  const size_t n = (size_t)LARGE * LARGE * 16 + 7;
  int *data = malloc(n * sizeof *data), *got = calloc(n, sizeof *got);
  tiny_ctx *t = open_on(device);
  for (size_t i = 0; i < n; i++) data[i] = (int)(i * 2654435761u);
  tiny_read(tiny_from(t, data, TINY_I32, TINY_SHAPE((int64_t)n)), got, n * sizeof *got);
  int off = failed_on(t);
  if (!off && memcmp(data, got, n * sizeof *got)) off = wrong("what was read is not what was written");
  tiny_close(t);
  free(data);
  free(got);
  return off;
}
static int pages_in_place(void) {
  void *at = NULL;
  id<MTLDevice> gpu = MTLCreateSystemDefaultDevice();
  const int shared = [gpu hasUnifiedMemory];
  [gpu release];
  if (!shared) return 0;
  if (posix_memalign(&at, 16384, 65536)) return wrong("no memory");
  float *v = at;
  for (int i = 0; i < 64; i++) v[i] = (float)i;
  tiny_ctx *t = open_on("METAL");
  tiny_tensor *x = tiny_metal_pages(t, at, 65536, TINY_F32, TINY_SHAPE(64));
  tiny_assign(x, tiny_add_scalar(x, 1));
  tiny_realize(&x, 1);
  tiny_sync(t);
  int off = failed_on(t);
  for (int i = 0; i < 64 && !off; i++) if (v[i] != (float)i + 1) off = wrong("number %d is %g", i, v[i]);
  tiny_close(t);
  free(at);
  return off;
}
static int nothing_is_left(void) {
  @autoreleasepool {
    id<MTLDevice> gpu = MTLCreateSystemDefaultDevice();
    const NSUInteger before = [gpu currentAllocatedSize];
    for (int i = 0; i < 5; i++) {
      tiny_ctx *t = open_on("METAL");
      tiny_tensor *y = matmul_of(t, 256, TINY_F32);
      tiny_realize(&y, 1);
      tiny_sync(t);
      tiny_close(t);
    }
    const NSUInteger after = [gpu currentAllocatedSize];
    [gpu release];
    if (after <= before + (1u << 20)) return 0;
    return wrong("%lu bytes before, %lu after", (unsigned long)before, (unsigned long)after);
  }
}
static int too_large(void) {
  id<MTLDevice> gpu = MTLCreateSystemDefaultDevice();
  const int64_t most = (int64_t)[gpu maxBufferLength];
  [gpu release];
  tiny_ctx *t = open_on("METAL");
  tiny_tensor *x = tiny_zeros(t, TINY_U8, TINY_SHAPE(most + 65536));
  const tiny_code code = tiny_realize(&x, 1);
  const int off = code == TINY_E_MEMORY ? 0 : wrong("code %d: %s", (int)code, tiny_error(t));
  tiny_close(t);
  return off;
}

// ** the host's own objects **

static int host_command_buffer(void) {
  int off = 0;
  @autoreleasepool {
    id<MTLDevice> gpu = MTLCreateSystemDefaultDevice();
    id<MTLCommandQueue> queue = [gpu newCommandQueue];
    id<MTLBuffer> buffer = [gpu newBufferWithLength:64 options:MTLResourceStorageModeShared];
    float *v = [buffer contents];
    for (int i = 0; i < 16; i++) v[i] = (float)i;
    tiny_ctx *t = open_on(tiny_metal_host(queue).text);
    tiny_tensor *x = tiny_metal_blob(t, buffer, 0, TINY_F32, TINY_SHAPE(16));
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    tiny_metal_encode(t, commands);
    tiny_assign(x, tiny_mul_scalar(x, 10));
    tiny_realize(&x, 1);
    tiny_metal_encode(t, NULL);
    if (v[3] != 3) off = wrong("it happened before the commit");
    [commands commit];
    [commands waitUntilCompleted];
    if (!off) off = failed_on(t);
    for (int i = 0; i < 16 && !off; i++) if (v[i] != 10 * (float)i) off = wrong("number %d is %g", i, v[i]);
    tiny_close(t);
    [buffer release]; [queue release]; [gpu release];
  }
  return off;
}
static id<MTLTexture> texture_on(id<MTLDevice> gpu, NSUInteger width, NSUInteger height) {
  MTLTextureDescriptor *d = [[MTLTextureDescriptor alloc] init];
  [d setPixelFormat:MTLPixelFormatRGBA8Unorm];
  [d setWidth:width];
  [d setHeight:height];
  [d setStorageMode:MTLStorageModePrivate];
  id<MTLTexture> made = [gpu newTextureWithDescriptor:d];
  [d release];
  return made;
}
// Bytes into a texture and back, with rows that are padded between.
static int host_textures(void) {
  int off = 0;
  @autoreleasepool {
    id<MTLDevice> gpu = MTLCreateSystemDefaultDevice();
    id<MTLTexture> texture = texture_on(gpu, 37, 11);
    tiny_ctx *t = open_on("METAL");
    uint8_t data[11 * 37 * 4], got[11 * 37 * 4] = {0};
    for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * 31);
    tiny_metal_write(tiny_from(t, data, TINY_U8, TINY_SHAPE(11, 37, 4)), texture);
    tiny_read(tiny_metal_texture(t, texture), got, sizeof got);
    off = failed_on(t);
    if (!off && memcmp(data, got, sizeof data)) off = wrong("what was read is not what was written");
    tiny_close(t);
    [texture release]; [gpu release];
  }
  return off;
}

// ** what is compiled and kept, what is told **

static int kept_on_disk(void) {
  char dir[] = "/tmp/tiny-metal-XXXXXX", command[64];
  uint64_t took[2];
  int off = mkdtemp(dir) ? 0 : wrong("no folder");
  for (int i = 0; i < 2 && !off; i++) {
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = device, .backends = {&tiny_metal}, .cache_dir = dir});
    const uint64_t from = tiny_now_ns();
    tiny_tensor *y = tiny_softmax(matmul_of(t, 64, TINY_F32), -1);
    tiny_realize(&y, 1);
    tiny_sync(t);
    took[i] = tiny_now_ns() - from;
    off = failed_on(t);
    const int compiled = (int)tiny_stats_of(t).compiled;
    if (!off && i && compiled) off = wrong("%d kernels were compiled again", compiled);
    tiny_close(t);
  }
  if (!off)
    printf("      the first time %.1f ms, from the cache %.1f ms\n", (double)took[0] * 1e-6, (double)took[1] * 1e-6);
  snprintf(command, sizeof command, "rm -rf %s", dir);
  return system(command) ? wrong("the folder is left") : off;
}
static int compiler_tells_line(void) {
  tiny_ctx *t = open_on(device);
  tiny_tensor *x = tiny_full(t, 1, TINY_F32, TINY_SHAPE(4));
  tiny_tensor *y = tiny_kernel(t, &(tiny_kernel_desc){.name = "k", .inputs = &x, .n = 1,
    .source = "#include <metal_stdlib>\nkernel void k(device float *out [[buffer(0)]]) {\n  out[0] = none;\n}\n"});
  const tiny_code code = tiny_realize(&y, 1);
  const int told = code == TINY_E_COMPILE && strstr(tiny_error(t), "3:");
  const int off = told ? 0 : wrong("code %d: %s", (int)code, tiny_error(t));
  tiny_close(t);
  return off;
}
static int device_clock(void) {
  tiny_ctx *t = open_on(device);
  tiny_profile_begin(t);
  tiny_tensor *y = matmul_of(t, LARGE, TINY_F32);
  tiny_realize(&y, 1);
  tiny_sync(t);
  const tiny_stats s = tiny_device_stats(t, 0);
  const int off = failed_on(t) || (s.device_ns == 0 ? wrong("no time was told") : 0);
  tiny_close(t);
  return off;
}
static int endless(void) {
  tiny_ctx *t = open_on(device);
  tiny_tensor *x = tiny_full(t, 1, TINY_F32, TINY_SHAPE(64));
  tiny_tensor *y = tiny_kernel(t, &(tiny_kernel_desc){.name = "k", .inputs = &x, .n = 1, .local = {64},
    .source = "#include <metal_stdlib>\n"
              "kernel void k(device volatile float *out [[buffer(0)]], device volatile float *in [[buffer(1)]]) {\n"
              "  while (in[0] > 0) out[0] += 1;\n}\n"});
  tiny_realize(&y, 1);
  const tiny_code code = tiny_sync(t);
  int off = code != TINY_E_DEVICE ? wrong("code %d: %s", (int)code, tiny_error(t)) : 0;
  if (!off) printf("      %s\n", tiny_error(t));
  tiny_clear(t);
  const double sum = tiny_item(tiny_sum(tiny_full(t, 1, TINY_F32, TINY_SHAPE(8)), TINY_ALL, 0));
  if (!off && sum != 8) off = wrong("nothing runs afterwards: %s", tiny_error(t));
  tiny_close(t);
  return off;
}

// ** for the report **

static void speed_of(const char *what, tiny_dtype dtype, int n) {
  tiny_ctx *t = open_on(device);
  tiny_tensor *x = numbers(t, n, n, dtype), *w = numbers(t, n, n, dtype), *in[2] = {x, w};
  tiny_realize(in, 2);
  uint64_t best = UINT64_MAX;
  for (int i = 0; i < 10; i++) {
    tiny_begin(t);
    tiny_tensor *y = tiny_matmul(x, w);
    tiny_sync(t);
    const uint64_t from = tiny_now_ns();
    tiny_realize(&y, 1);
    tiny_sync(t);
    const uint64_t took = tiny_now_ns() - from;
    if (took < best) best = took;
    tiny_end(t);
  }
  if (tiny_status(t) == TINY_OK)
    printf("      %-24s %9.3f ms %9.1f GFLOP/s\n", what, (double)best * 1e-6, 2.0 * n * n * n / (double)best);
  tiny_close(t);
}
static void report_of_device(void) {
  @autoreleasepool {
    id<MTLDevice> gpu = MTLCreateSystemDefaultDevice();
    if (!gpu) { puts("there is no Metal device here"); return; }
    int family = 0;
    for (int i = 1; i <= 10; i++) if ([gpu supportsFamily:(MTLGPUFamily)(1000 + i)]) family = i;
    printf("%s, %s, Apple family %d%s, %s, unified memory: %d, buffers up to %.1f GB\n",
           HERE ? "this Mac" : "the tests' mock: this is no Mac", [[gpu name] UTF8String], family,
           [gpu supportsFamily:(MTLGPUFamily)2002] ? ", Mac 2" : "",
           [[[NSProcessInfo processInfo] operatingSystemVersionString] UTF8String], (int)[gpu hasUnifiedMemory],
           (double)[gpu maxBufferLength] * 1e-9);
    [gpu release];
  }
}

typedef struct item { const char *name; int (*run)(void); } item;
static const item items[] = {
  {"values: elementwise, exp, tanh, sin", values_elements},
  {"values: integers of 64 bits", values_integers},
  {"values: bytes", values_bytes},
  {"values: sums and maxima, by rows and by columns", values_sums},
  {"values: softmax", values_softmax},
  {"values: matmul f32", values_f32},
  {"values: matmul f16, by simdgroup matrices where there are", values_f16},
  {"values: matmul bf16, by simdgroup matrices where there are", values_bf16},
  {"values: matmul of odd sizes", values_odd},
  {"values: attention", values_attention},
  {"values: convolution", values_conv},
  {"values: sort", values_sort},
  {"values: gradients", values_gradient},
  {"order: kernels that partly depend on each other", order_of_kernels},
  {"order: indirect command buffers, 200 kernels", indirect_commands},
  {"order: shared events between contexts", shared_events},
  {"memory: copies of many megabytes", large_copies},
  {"memory: pages of the host's, in place", pages_in_place},
  {"memory: nothing is left behind", nothing_is_left},
  {"memory: more than a buffer may have is an error", too_large},
  {"host: its command buffer", host_command_buffer},
  {"host: textures", host_textures},
  {"compiler: a second context compiles nothing", kept_on_disk},
  {"compiler: an error has its line", compiler_tells_line},
  {"clock: the device's times", device_clock},
};

int main(int argc, char **argv) {
  int passed = 0, failed = 0, hang = 0;
  for (int i = 1; i < argc; i++) { if (!strcmp(argv[i], "hang")) hang = 1; else device = argv[i]; }
  report_of_device();
  const item last = {"errors: a kernel that does not end", endless};
  const int n = (int)(sizeof items / sizeof *items);
  for (int i = 0; i < n + hang; i++) {
    const item *it = i < n ? &items[i] : &last;
    int off;
    *why = 0;
    @autoreleasepool { off = it->run(); }
    if (off) { failed++; printf("FAIL  %s: %s\n", it->name, why); }
    else { passed++; printf("pass  %s\n", it->name); }
    fflush(stdout);
  }
  if (HERE) {
    speed_of("matmul f32, 2048", TINY_F32, 2048);
    speed_of("matmul f16, 2048", TINY_F16, 2048);
    printf("      %.0f ns of the host for each kernel of a replay\n", replay_ns);
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
