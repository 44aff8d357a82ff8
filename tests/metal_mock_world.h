// metal_mock_world: what the tests of the mock of Metal (test_metal_mock.m) have in common: kernels, a machine with
// pipelines and two buffers, a dispatch of them.
#ifndef METAL_MOCK_WORLD_H
#define METAL_MOCK_WORLD_H
#import <Metal/Metal.h>
#include "metal_mock.h"
#include "test.h"
#include <pthread.h>
#include <unistd.h>

static const char kernels_text[] =
  "#include <metal_stdlib>\nusing namespace metal;\n"
  "kernel void saxpy(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],\n"
  "                  constant float &a [[buffer(2)]], uint i [[thread_position_in_grid]]) { y[i] += a * x[i]; }\n"
  "kernel void twice(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],\n"
  "                  uint i [[thread_position_in_grid]]) { y[i] = 2 * x[i]; }\n"
  "kernel void more(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] += 1; }\n"
  "kernel void most(device const float *x [[buffer(0)]], device float *y [[buffer(1)]],\n"
  "                 threadgroup float *t [[threadgroup(0)]], uint g [[threadgroup_position_in_grid]],\n"
  "                 uint i [[thread_position_in_threadgroup]]) {\n"
  "  t[i] = x[g * 64 + i];\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
  "  for (uint s = 32; s > 0; s >>= 1) {\n    if (i < s) t[i] = max(t[i], t[i + s]);\n"
  "    threadgroup_barrier(mem_flags::mem_threadgroup);\n  }\n  if (i == 0) y[g] = t[0];\n}\n"
  "kernel void beyond(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i + 1000000] = 1; }\n";

enum { N = 256, GROUP = 64 };

// A machine with what most cases use.
typedef struct world {
  id<MTLDevice> device;
  id<MTLCommandQueue> queue;
  id<MTLLibrary> library;
  id<MTLComputePipelineState> saxpy, twice, more, most, beyond;      // made when asked for
  id<MTLBuffer> x, y;
  id<MTLCommandBuffer> b;                    // of the case, if it keeps one
} world;

static NSString *string(const char *text) { return [NSString stringWithUTF8String:text]; }

static id<MTLComputePipelineState> pipeline_of(world *w, const char *name, int indirect) {
  MTLComputePipelineDescriptor *d = [MTLComputePipelineDescriptor new];
  id<MTLFunction> f = [w->library newFunctionWithName:string(name)];
  d.computeFunction = f;
  [d setSupportIndirectCommandBuffers:indirect ? YES : NO];
  d.label = string(name);
  id<MTLComputePipelineState> p = [w->device newComputePipelineStateWithDescriptor:d options:0 reflection:NULL
                                                                             error:NULL];
  [f release];
  [d release];
  return p;
}

static void world_open(world *w, const metal_mock_desc *desc) {
  memset(w, 0, sizeof *w);
  CHECK(!metal_mock_reset(desc));
  w->device = MTLCreateSystemDefaultDevice();
  w->queue = [w->device newCommandQueue];
  NSError *error = nil;
  w->library = [w->device newLibraryWithSource:string(kernels_text) options:nil error:&error];
  CHECK(w->library != nil);
  if (!w->library) fprintf(stderr, "%s\n", [[error localizedDescription] UTF8String]);
  w->saxpy = pipeline_of(w, "saxpy", 1);
  w->twice = pipeline_of(w, "twice", 1);
  w->more = pipeline_of(w, "more", 1);
  w->most = pipeline_of(w, "most", 1);
  w->beyond = pipeline_of(w, "beyond", 0);
  w->x = [w->device newBufferWithLength:N * 4 options:MTLResourceStorageModeShared];
  w->y = [w->device newBufferWithLength:N * 4 options:MTLResourceStorageModeShared];
  float *x = [w->x contents], *y = [w->y contents];
  for (int i = 0; x && y && i < N; i++) {
    x[i] = (float)i;
    y[i] = 1;
  }
}

static void world_close(world *w) {
  [w->x release]; [w->y release]; [w->b release];
  [w->saxpy release]; [w->twice release]; [w->more release]; [w->most release]; [w->beyond release];
  [w->library release]; [w->queue release]; [w->device release];
}

// Nothing is wrong and nothing is left.
static void world_clean(const char *where) {
  metal_mock_leaks();
  const int count = metal_mock_mistakes();
  CHECK_EQ(count, 0);
  for (int i = 0; i < count && i < 8; i++) fprintf(stderr, "    %s: %s\n", where, metal_mock_mistake(i));
}

static void dispatch(id<MTLComputeCommandEncoder> e, id<MTLComputePipelineState> p, id<MTLBuffer> x, id<MTLBuffer> y) {
  [e setComputePipelineState:p];
  [e setBuffer:x offset:0 atIndex:0];
  [e setBuffer:y offset:0 atIndex:1];
  [e dispatchThreadgroups:MTLSizeMake(N / GROUP, 1, 1) threadsPerThreadgroup:MTLSizeMake(GROUP, 1, 1)];
}

static void finish(id<MTLCommandBuffer> b) {
  [b commit];
  [b waitUntilCompleted];
}
#endif
