// test_metal_mock: the mock of Metal (metal_mock.h): programs that are right run and are let through, on every chip, at
// once and late; each thing that is done wrong is told by name; each call that can fail does.
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
  d.supportIndirectCommandBuffers = indirect ? YES : NO;
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

// ---- right programs

static void run_saxpy(world *w) {
  const float a = 3;
  id<MTLCommandBuffer> b = [w->queue commandBuffer];
  id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
  [e setBytes:&a length:sizeof a atIndex:2];
  dispatch(e, w->saxpy, w->x, w->y);
  [e endEncoding];
  CHECK_EQ([b status], MTLCommandBufferStatusNotEnqueued);
  finish(b);
  CHECK_EQ([b status], MTLCommandBufferStatusCompleted);
  CHECK([b error] == nil);
  CHECK([b GPUEndTime] >= [b GPUStartTime] && [b GPUStartTime] > 0);
  const float *y = [w->y contents];
  for (int i = 0; i < N; i++) CHECK(y[i] == 3.0f * (float)i + 1);
}

static void run_reduction(world *w) {
  id<MTLCommandBuffer> b = [w->queue commandBufferWithUnretainedReferences];
  id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
  [e setThreadgroupMemoryLength:GROUP * 4 atIndex:0];
  dispatch(e, w->most, w->x, w->y);
  [e endEncoding];
  finish(b);
  const float *y = [w->y contents];
  for (int i = 0; i < N / GROUP; i++) CHECK(y[i] == (float)(i * GROUP + GROUP - 1));
}

// x -> y -> x -> y by a concurrent encoder with barriers.
static void run_concurrent(world *w) {
  id<MTLCommandBuffer> b = [w->queue commandBuffer];
  id<MTLComputeCommandEncoder> e = [b computeCommandEncoderWithDispatchType:MTLDispatchTypeConcurrent];
  CHECK_EQ([e dispatchType], MTLDispatchTypeConcurrent);
  dispatch(e, w->twice, w->x, w->y);
  [e memoryBarrierWithScope:MTLBarrierScopeBuffers];
  dispatch(e, w->twice, w->y, w->x);
  const id<MTLResource> both[2] = { w->x, w->y };
  [e memoryBarrierWithResources:both count:2];
  dispatch(e, w->twice, w->x, w->y);
  [e endEncoding];
  finish(b);
  const float *y = [w->y contents];
  for (int i = 0; i < N; i++) CHECK(y[i] == 8.0f * (float)i);
}

// Two tensors in one buffer are two.
static void run_apart(world *w) {
  id<MTLBuffer> arena = [w->device newBufferWithLength:N * 8 options:0];
  id<MTLCommandBuffer> b = [w->queue commandBuffer];
  id<MTLComputeCommandEncoder> e = [b computeCommandEncoderWithDispatchType:MTLDispatchTypeConcurrent];
  for (NSUInteger half = 0; half < 2; half++) {
    [e setComputePipelineState:w->twice];
    [e setBuffer:w->x offset:0 atIndex:0];
    [e setBuffer:arena offset:half * N * 4 atIndex:1];
    [e dispatchThreadgroups:MTLSizeMake(N / GROUP, 1, 1) threadsPerThreadgroup:MTLSizeMake(GROUP, 1, 1)];
  }
  [e endEncoding];
  finish(b);
  const float *out = [arena contents];
  for (int i = 0; i < 2 * N; i++) CHECK(out[i] == 2.0f * (float)(i % N));
  [arena release];
}

static id<MTLIndirectCommandBuffer> indirect_of(world *w, NSUInteger count) {
  MTLIndirectCommandBufferDescriptor *d = [MTLIndirectCommandBufferDescriptor new];
  d.commandTypes = MTLIndirectCommandTypeConcurrentDispatch;
  d.inheritBuffers = NO;
  d.inheritPipelineState = NO;
  d.maxKernelBufferBindCount = 3;
  id<MTLIndirectCommandBuffer> i = [w->device newIndirectCommandBufferWithDescriptor:d maxCommandCount:count options:0];
  [d release];
  return i;
}

static void indirect_set(id<MTLIndirectCommandBuffer> i, NSUInteger at, id<MTLComputePipelineState> p, id<MTLBuffer> x,
                         id<MTLBuffer> y, int barrier) {
  id<MTLIndirectComputeCommand> c = [i indirectComputeCommandAtIndex:at];
  [c setComputePipelineState:p];
  [c setKernelBuffer:x offset:0 atIndex:0];
  if (y) [c setKernelBuffer:y offset:0 atIndex:1];
  if (barrier) [c setBarrier]; else [c clearBarrier];
  [c concurrentDispatchThreadgroups:MTLSizeMake(N / GROUP, 1, 1) threadsPerThreadgroup:MTLSizeMake(GROUP, 1, 1)];
}

static void indirect_run(world *w, id<MTLIndirectCommandBuffer> i, NSRange range, MTLResourceUsage x,
                         MTLResourceUsage y) {
  id<MTLCommandBuffer> b = [w->queue commandBuffer];
  id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
  if (x) [e useResource:w->x usage:x];
  if (y) [e useResource:w->y usage:y];
  [e executeCommandsInBuffer:i withRange:range];
  [e endEncoding];
  finish(b);
}

static void run_indirect(world *w) {
  const MTLResourceUsage both = MTLResourceUsageRead | MTLResourceUsageWrite;
  id<MTLIndirectCommandBuffer> i = indirect_of(w, 4);
  CHECK_EQ([i size], 4);
  indirect_set(i, 0, w->twice, w->x, w->y, 0);
  indirect_set(i, 1, w->more, w->x, nil, 1);
  indirect_set(i, 2, w->more, w->y, nil, 0);
  [i resetWithRange:NSMakeRange(3, 1)];
  const metal_mock_counts before = metal_mock_counted();
  for (int k = 0; k < 2; k++) indirect_run(w, i, NSMakeRange(0, 4), both, both);
  const metal_mock_counts after = metal_mock_counted();
  CHECK_EQ(after.indirect_executes - before.indirect_executes, 2);
  CHECK_EQ(after.indirect_dispatches - before.indirect_dispatches, 6);
  CHECK_EQ(after.command_buffers - before.command_buffers, 2);
  const float *x = [w->x contents], *y = [w->y contents];
  for (int k = 0; k < N; k++) CHECK(x[k] == (float)k + 2 && y[k] == 2.0f * (float)(k + 1) + 1);
  [i release];
}

static void run_residency(world *w) {
  if (![w->device respondsToSelector:@selector(newResidencySetWithDescriptor:error:)]) return;
  MTLResidencySetDescriptor *d = [MTLResidencySetDescriptor new];
  d.initialCapacity = 2;
  id<MTLResidencySet> s = [w->device newResidencySetWithDescriptor:d error:NULL];
  [d release];
  [s addAllocation:w->x];
  [s addAllocation:w->y];
  CHECK_EQ([s allocationCount], 2);
  CHECK([s containsAllocation:w->x]);
  [s commit];
  [s requestResidency];
  CHECK_EQ([s allocatedSize], N * 8);
  [w->queue addResidencySet:s];
  id<MTLIndirectCommandBuffer> i = indirect_of(w, 1);
  indirect_set(i, 0, w->twice, w->x, w->y, 0);
  indirect_run(w, i, NSMakeRange(0, 1), 0, 0);
  CHECK(((float *)[w->y contents])[7] == 14);
  [i release];
  [w->queue removeResidencySet:s];
  [s removeAllocation:w->x];
  [s commit];
  [s release];
}

// What is inherited is the encoder's, as it is when the commands are executed.
static void run_inherited(world *w) {
  MTLIndirectCommandBufferDescriptor *d = [MTLIndirectCommandBufferDescriptor new];
  d.commandTypes = MTLIndirectCommandTypeConcurrentDispatch;
  d.inheritBuffers = YES;
  d.inheritPipelineState = YES;
  id<MTLIndirectCommandBuffer> i = [w->device newIndirectCommandBufferWithDescriptor:d maxCommandCount:2 options:0];
  [[i indirectComputeCommandAtIndex:0] concurrentDispatchThreadgroups:MTLSizeMake(N / GROUP, 1, 1)
                                                threadsPerThreadgroup:MTLSizeMake(GROUP, 1, 1)];
  id<MTLCommandBuffer> b = [w->queue commandBuffer];
  id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
  [e setComputePipelineState:w->twice];
  [e setBuffer:w->x offset:0 atIndex:0];
  [e setBuffer:w->y offset:0 atIndex:1];
  [e executeCommandsInBuffer:i withRange:NSMakeRange(0, 1)];
  [e setBuffer:w->y offset:0 atIndex:0];
  [e setBuffer:w->x offset:0 atIndex:1];
  [e executeCommandsInBuffer:i withRange:NSMakeRange(0, 1)];
  [e endEncoding];
  finish(b);
  CHECK(((float *)[w->x contents])[9] == 36);
  [i release];
  [d release];
}

// A resource that is not tracked, in order by the host's waiting, by an event between queues, by a barrier.
static void run_untracked(world *w) {
  id<MTLBuffer> u = [w->device newBufferWithLength:N * 4 options:MTLResourceHazardTrackingModeUntracked];
  id<MTLCommandQueue> second = [w->device newCommandQueue];
  id<MTLEvent> event = [w->device newEvent];
  id<MTLCommandBuffer> b = [w->queue commandBuffer];
  id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
  dispatch(e, w->twice, w->x, u);
  [e endEncoding];
  finish(b);
  b = [w->queue commandBuffer];
  e = [b computeCommandEncoderWithDispatchType:MTLDispatchTypeConcurrent];
  dispatch(e, w->more, u, w->y);
  [e memoryBarrierWithScope:MTLBarrierScopeBuffers];
  dispatch(e, w->more, u, w->y);
  [e endEncoding];
  [b encodeSignalEvent:event value:1];
  id<MTLCommandBuffer> after = [second commandBuffer];
  [after encodeWaitForEvent:event value:1];
  e = [after computeCommandEncoder];
  dispatch(e, w->twice, u, w->y);
  [e endEncoding];
  [after commit];
  [b commit];
  [after waitUntilCompleted];
  CHECK(((float *)[w->y contents])[5] == 24);
  [event release];
  [second release];
  [u release];
}

#ifdef __BLOCKS__
static void run_handlers(world *w) {
  __block int ended = 0, freed = 0;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void *memory = NULL;
  CHECK(!posix_memalign(&memory, page, page));
  id<MTLBuffer> pages = [w->device newBufferWithBytesNoCopy:memory length:page options:0
                                                deallocator:^(void *pointer, NSUInteger length) {
    freed += pointer == memory && length == page;
    free(pointer);
  }];
  id<MTLCommandBuffer> b = [w->queue commandBuffer];
  [b addCompletedHandler:^(id<MTLCommandBuffer> of) { ended += [of status] == MTLCommandBufferStatusCompleted; }];
  id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
  dispatch(e, w->more, pages, w->y);
  [e endEncoding];
  [pages release];
  finish(b);
  CHECK_EQ(ended, 1);                        // waiting waits for handlers, too
  CHECK_EQ(freed, 1);
}
#endif

static void run_blits(world *w) {
  id<MTLBuffer> hidden = [w->device newBufferWithLength:N * 4 options:MTLResourceStorageModePrivate];
  CHECK_EQ([hidden storageMode], MTLStorageModePrivate);
  id<MTLCommandBuffer> b = [w->queue commandBuffer];
  id<MTLBlitCommandEncoder> e = [b blitCommandEncoder];
  [e fillBuffer:hidden range:NSMakeRange(0, N * 4) value:0];
  [e copyFromBuffer:w->x sourceOffset:16 toBuffer:hidden destinationOffset:32 size:64];
  [e copyFromBuffer:hidden sourceOffset:0 toBuffer:w->y destinationOffset:0 size:N * 4];
  [e endEncoding];
  finish(b);
  const float *y = [w->y contents];
  for (int i = 0; i < N; i++) CHECK(y[i] == (i >= 8 && i < 24 ? (float)(i - 4) : 0));
  [hidden release];
}

static void run_managed(world *w) {
  if (![w->x respondsToSelector:@selector(didModifyRange:)]) return;
  id<MTLBuffer> m = [w->device newBufferWithLength:N * 4 options:MTLResourceStorageModeManaged];
  float *host = [m contents];
  for (int i = 0; i < N; i++) host[i] = 5;
  [m didModifyRange:NSMakeRange(0, N * 2)];
  id<MTLCommandBuffer> b = [w->queue commandBuffer];
  id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
  dispatch(e, w->twice, m, w->y);
  dispatch(e, w->twice, w->x, m);
  [e endEncoding];
  finish(b);
  const float *y = [w->y contents];
  CHECK(y[0] == 10 && y[N - 1] == 0);        // the half that the GPU was told of
  CHECK(host[3] == 5);                       // nothing comes back by itself
  b = [w->queue commandBuffer];
  id<MTLBlitCommandEncoder> s = [b blitCommandEncoder];
  [s synchronizeResource:m];
  [s endEncoding];
  finish(b);
  CHECK(host[3] == 6);
  [m release];
}

static void run_pages(world *w) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  float *memory = NULL;
  CHECK(!posix_memalign((void **)&memory, page, page));
  for (size_t i = 0; i < page / 4; i++) memory[i] = 4;
  id<MTLBuffer> b = [w->device newBufferWithBytesNoCopy:memory length:page options:0 deallocator:NULL];
  CHECK([b contents] == memory);
  id<MTLCommandBuffer> c = [w->queue commandBuffer];
  id<MTLComputeCommandEncoder> e = [c computeCommandEncoder];
  dispatch(e, w->more, b, w->y);
  [e endEncoding];
  finish(c);
  CHECK(memory[0] == 5 && memory[N - 1] == 5 && memory[N] == 4);
  [b release];
  free(memory);
}

// Two queues in turns by a shared event, and the host in between.
static void run_events(world *w) {
  id<MTLSharedEvent> event = [w->device newSharedEvent];
  id<MTLCommandQueue> second = [w->device newCommandQueue];
  id<MTLCommandBuffer> last = nil;
  for (uint64_t turn = 0; turn < 8; turn++) {
    id<MTLCommandBuffer> b = [turn % 2 ? second : w->queue commandBuffer];
    [b encodeWaitForEvent:event value:turn + 1];
    id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
    if (turn % 2) dispatch(e, w->twice, w->y, w->x); else dispatch(e, w->twice, w->x, w->y);
    [e endEncoding];
    [b encodeSignalEvent:event value:turn + 2];
    [b commit];
    last = b;
  }
  CHECK_EQ([event signaledValue], 0);
  [event setSignaledValue:1];
  [last waitUntilCompleted];
  CHECK_EQ([event signaledValue], 9);
  CHECK(((float *)[w->x contents])[3] == 3 * 256);
  [second release];
  [event release];
}

static void run_textures(world *w) {
  const MTLStorageMode mode = [w->device hasUnifiedMemory] ? MTLStorageModeShared : MTLStorageModeManaged;
  id<MTLTexture> t = metal_mock_texture(w->device, MTLPixelFormatR32Float, 10, 6, (unsigned)mode);
  float pixels[60], back[4 * 3];
  for (int i = 0; i < 60; i++) pixels[i] = (float)i;
  [t replaceRegion:MTLRegionMake2D(0, 0, 10, 6) mipmapLevel:0 withBytes:pixels bytesPerRow:40];
  id<MTLCommandBuffer> b = [w->queue commandBuffer];
  id<MTLBlitCommandEncoder> e = [b blitCommandEncoder];
  [e copyFromTexture:t sourceSlice:0 sourceLevel:0 sourceOrigin:MTLOriginMake(2, 1, 0) sourceSize:MTLSizeMake(4, 3, 1)
            toBuffer:w->y destinationOffset:64 destinationBytesPerRow:32 destinationBytesPerImage:96];
  [e copyFromBuffer:w->x sourceOffset:400 sourceBytesPerRow:16 sourceBytesPerImage:32 sourceSize:MTLSizeMake(4, 2, 1)
          toTexture:t destinationSlice:0 destinationLevel:0 destinationOrigin:MTLOriginMake(0, 4, 0)];
  if (mode == MTLStorageModeManaged) [e synchronizeResource:t];
  [e endEncoding];
  finish(b);
  const float *y = [w->y contents];
  for (int r = 0; r < 3; r++) for (int c = 0; c < 4; c++) CHECK(y[16 + r * 8 + c] == (float)((r + 1) * 10 + c + 2));
  [t getBytes:back bytesPerRow:16 fromRegion:MTLRegionMake2D(0, 3, 4, 3) mipmapLevel:0];
  for (int c = 0; c < 4; c++) CHECK(back[c] == (float)(30 + c) && back[4 + c] == (float)(100 + c));
  [t release];
}

// A kernel reads one format and writes another: what is between is numbers.
static const char pixels_text[] =
  "#include <metal_stdlib>\nusing namespace metal;\n"
  "kernel void half_of(texture2d<float, access::read> from [[texture(0)]],\n"
  "                    texture2d<float, access::write> to [[texture(1)]], uint2 i [[thread_position_in_grid]]) {\n"
  "  if (i.x < from.get_width() && i.y < from.get_height()) to.write(from.read(i) * 0.5f, i);\n}\n";

static id<MTLComputePipelineState> pixels_pipeline(world *w) {
  id<MTLLibrary> l = [w->device newLibraryWithSource:string(pixels_text) options:nil error:NULL];
  id<MTLFunction> f = [l newFunctionWithName:@"half_of"];
  id<MTLComputePipelineState> p = f ? [w->device newComputePipelineStateWithFunction:f error:NULL] : nil;
  [f release];
  [l release];
  return p;
}

static void run_pixels(world *w) {
  static const struct { MTLPixelFormat from, to; uint32_t in, out[4]; } cases[] = {
    { MTLPixelFormatRGBA8Unorm, MTLPixelFormatRGBA8Unorm, 0xff804020, { 0x80402010 } },
    { MTLPixelFormatRGBA8Unorm, MTLPixelFormatBGRA8Unorm, 0xff804020, { 0x80102040 } },
    { MTLPixelFormatRGBA8Unorm, MTLPixelFormatR32Float, 0xff0000ff, { 0x3f000000 } },
    { MTLPixelFormatRGBA8Snorm, MTLPixelFormatRGBA8Snorm, 0x7f81807f, { 0x40c0c040 } },
    { MTLPixelFormatRGBA8Unorm_sRGB, MTLPixelFormatRGBA32Float, 0xff0000ff, { 0x3f000000, 0, 0, 0x3f000000 } },
    { MTLPixelFormatRGB10A2Unorm, MTLPixelFormatRG16Float, 0xc00003ff, { 0x00003800 } },
    { MTLPixelFormatR32Float, MTLPixelFormatR16Float, 0x40400000, { 0x3e00 } },
    { MTLPixelFormatRG16Unorm, MTLPixelFormatRG16Unorm, 0xffff0000, { 0x80000000 } },
  };
  id<MTLComputePipelineState> p = pixels_pipeline(w);
  CHECK(p != nil);
  for (size_t i = 0; p && i < sizeof cases / sizeof *cases; i++) {
    id<MTLTexture> from = metal_mock_texture(w->device, (unsigned)cases[i].from, 4, 4, MTLStorageModePrivate);
    id<MTLTexture> to = metal_mock_texture(w->device, (unsigned)cases[i].to, 4, 4, MTLStorageModePrivate);
    uint32_t *pixels = metal_mock_memory(from, NULL), out[4] = { 0 };
    for (int k = 0; k < 16; k++) pixels[k] = cases[i].in;
    id<MTLCommandBuffer> b = [w->queue commandBuffer];
    id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
    [e setComputePipelineState:p];
    [e setTexture:from atIndex:0];
    [e setTexture:to atIndex:1];
    [e dispatchThreads:MTLSizeMake(4, 4, 1) threadsPerThreadgroup:MTLSizeMake(2, 2, 1)];
    [e endEncoding];
    finish(b);
    size_t nbytes = 0;
    const char *memory = metal_mock_memory(to, &nbytes);
    memcpy(out, memory + nbytes - nbytes / 16, nbytes / 16);
    CHECK(!memcmp(out, cases[i].out, sizeof out));
    if (memcmp(out, cases[i].out, sizeof out))
      fprintf(stderr, "    case %zu: %08x %08x %08x %08x\n", i, out[0], out[1], out[2], out[3]);
    [from release];
    [to release];
  }
  [p release];
}

static void run_archive(world *w) {
  char path[] = "/tmp/metal_mock_archive_XXXXXX";
  close(mkstemp(path));
  NSURL *url = [NSURL fileURLWithPath:string(path)];
  MTLBinaryArchiveDescriptor *empty = [MTLBinaryArchiveDescriptor new], *stored = [MTLBinaryArchiveDescriptor new];
  MTLComputePipelineDescriptor *d = [MTLComputePipelineDescriptor new];
  id<MTLFunction> f = [w->library newFunctionWithName:@"twice"];
  id<MTLBinaryArchive> a = [w->device newBinaryArchiveWithDescriptor:empty error:NULL];
  d.computeFunction = f;
  CHECK([a addComputePipelineFunctionsWithDescriptor:d error:NULL]);
  CHECK([a serializeToURL:url error:NULL]);
  [a release];
  stored.url = url;
  a = [w->device newBinaryArchiveWithDescriptor:stored error:NULL];
  CHECK(a != nil);
  d.binaryArchives = [NSArray arrayWithObject:a];
  const long hits = metal_mock_counted().archive_hits;
  NSError *error = nil;
  id<MTLComputePipelineState> p = [w->device newComputePipelineStateWithDescriptor:d
    options:MTLPipelineOptionFailOnBinaryArchiveMiss reflection:NULL error:&error];
  CHECK(p != nil && metal_mock_counted().archive_hits == hits + 1);
  [p release];
  d.supportIndirectCommandBuffers = YES;     // another pipeline
  p = [w->device newComputePipelineStateWithDescriptor:d options:MTLPipelineOptionFailOnBinaryArchiveMiss
                                            reflection:NULL error:&error];
  CHECK(p == nil && error != nil);
  [[string("not an archive") dataUsingEncoding:NSUTF8StringEncoding] writeToFile:string(path) atomically:NO];
  CHECK([w->device newBinaryArchiveWithDescriptor:stored error:&error] == nil);
  CHECK_EQ([error code], MTLBinaryArchiveErrorInvalidFile);
  [a release]; [d release]; [f release]; [empty release]; [stored release];
  unlink(path);
}

static void run_compile_error(world *w) {
  NSError *error = nil;
  const char text[] = "#include <metal_stdlib>\nusing namespace metal;\n"
                      "kernel void k(device float *x [[buffer(0)]])\n{\n  x[0] = nowhere;\n}\n";
  CHECK([w->device newLibraryWithSource:string(text) options:nil error:&error] == nil);
  CHECK([[error domain] isEqual:MTLLibraryErrorDomain]);
  CHECK_EQ([error code], MTLLibraryErrorCompileFailure);
  CHECK(strstr([[error localizedDescription] UTF8String], "program_source:5:10: error:") != NULL);
  CHECK([w->library newFunctionWithName:@"nobody"] == nil);
  CHECK_EQ([[w->library functionNames] count], 5);
}

static void run_retained(world *w) {         // what a command buffer holds may be given back at once
  id<MTLBuffer> x = [w->device newBufferWithLength:N * 4 options:0];
  id<MTLBuffer> y = [w->device newBufferWithLength:N * 4 options:0];
  id<MTLCommandBuffer> b = [w->queue commandBuffer];
  id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
  dispatch(e, w->twice, x, y);
  [e endEncoding];
  [x release];
  [y release];
  finish(b);
  CHECK_EQ([b status], MTLCommandBufferStatusCompleted);
}

static const struct { const char *name; void (*run)(world *); } programs[] = {
  { "saxpy", run_saxpy }, { "reduction", run_reduction }, { "concurrent", run_concurrent },
  { "apart", run_apart },
  { "indirect", run_indirect }, { "inherited", run_inherited }, { "untracked", run_untracked },
#ifdef __BLOCKS__
  { "handlers", run_handlers },
#endif
  { "residency", run_residency }, { "blits", run_blits }, { "managed", run_managed },
  { "pages", run_pages }, { "events", run_events }, { "textures", run_textures }, { "pixels", run_pixels },
  { "archive", run_archive },
  { "compile error", run_compile_error }, { "retained", run_retained },
};

static void test_programs(const char *chip, uint32_t seed) {
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    if (!case_named("%s on %s, seed %u", programs[i].name, chip, seed)) continue;
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    world w;
    world_open(&w, &(metal_mock_desc){ .chips = chip, .seed = seed });
    programs[i].run(&w);
    world_close(&w);
    [pool release];
    world_clean(programs[i].name);
  }
}

// ---- mistakes: what is done wrong, and what must be told

static id<MTLComputeCommandEncoder> encoder(world *w) {
  w->b = [[w->queue commandBuffer] retain];
  return [w->b computeCommandEncoder];
}
static void end(world *w, id<MTLComputeCommandEncoder> e) {
  [e endEncoding];
  finish(w->b);
}

static void wrong_over_release(world *w) {
  id<MTLBuffer> b = [w->device newBufferWithLength:16 options:0];
  [b release];
  [b release];
}
static void wrong_over_release_held(world *w) {      // the command buffer still holds it
  id<MTLBuffer> b = [w->device newBufferWithLength:N * 4 options:0];
  id<MTLComputeCommandEncoder> e = encoder(w);
  dispatch(e, w->twice, w->x, b);
  [b release];
  [b release];
  end(w, e);
}
static void wrong_dead(world *w) {
  id<MTLBuffer> b = [w->device newBufferWithLength:16 options:0];
  [b release];
  CHECK([b contents] == NULL);
}
static void wrong_leak(world *w) {
  id<MTLBuffer> b = [w->device newBufferWithLength:16 options:0];
  b.label = @"forgotten";
  metal_mock_leaks();
  [b release];
}
static void wrong_no_pool(world *w);
static void wrong_not_ended(world *w) {
  dispatch(encoder(w), w->twice, w->x, w->y);
  finish(w->b);
}
static void wrong_two_open(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  CHECK([w->b blitCommandEncoder] == nil);
  end(w, e);
}
static void wrong_never_ended(world *w) {
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  encoder(w);
  [pool release];
}
static void wrong_after_end(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e endEncoding];
  [e setComputePipelineState:w->twice];
  finish(w->b);
}
static void wrong_end_twice(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e endEncoding];
  end(w, e);
}
static void wrong_commit_twice(world *w) {
  end(w, encoder(w));
  [w->b commit];
}
static void wrong_after_commit(world *w) {
  end(w, encoder(w));
  CHECK([w->b computeCommandEncoder] == nil);
}
static void wrong_enqueue_only(world *w) {
  id<MTLCommandQueue> q = [w->device newCommandQueue];
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  id<MTLCommandBuffer> b = [q commandBuffer];
  [b enqueue];
  [b enqueue];
  [b commit];
  [pool release];
  [q release];
}
static void wrong_wait_first(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  [w->b waitUntilCompleted];
  end(w, e);
}
static void wrong_time_first(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  CHECK([w->b GPUStartTime] == 0);
  end(w, e);
}
// An event keeps the command buffer from being completed before the release.
static void wrong_freed(world *w) {
  id<MTLSharedEvent> event = [w->device newSharedEvent];
  id<MTLBuffer> y = [w->device newBufferWithLength:N * 4 options:0];
  id<MTLCommandBuffer> b = [w->queue commandBufferWithUnretainedReferences];
  [b encodeWaitForEvent:event value:1];
  id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
  dispatch(e, w->twice, w->x, y);
  [e endEncoding];
  [b commit];
  [y release];
  [event setSignaledValue:1];
  [b waitUntilCompleted];
  CHECK_EQ([b status], MTLCommandBufferStatusError);
  CHECK_EQ([[b error] code], MTLCommandBufferErrorInvalidResource);
  [event release];
}
static void wrong_freed_before(world *w) {
  id<MTLBuffer> y = [w->device newBufferWithLength:N * 4 options:0];
  id<MTLCommandBuffer> b = [w->queue commandBufferWithUnretainedReferences];
  id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
  dispatch(e, w->twice, w->x, y);
  [e endEncoding];
  [y release];
  finish(b);
}
static void wrong_nothing(world *w) { CHECK([w->device newBufferWithLength:0 options:0] == nil); }
static void wrong_large(world *w) {
  CHECK([w->device newBufferWithLength:[w->device maxBufferLength] + 1 options:0] == nil);
}
static void wrong_memoryless(world *w) {
  CHECK([w->device newBufferWithLength:16 options:MTLResourceStorageModeMemoryless] == nil);
}
static void wrong_options(world *w) { CHECK([w->device newBufferWithLength:16 options:1 << 12] == nil); }
static void wrong_private_contents(world *w) {
  id<MTLBuffer> b = [w->device newBufferWithLength:16 options:MTLResourceStorageModePrivate];
  CHECK([b contents] == NULL);
  [b release];
}
static void wrong_private_bytes(world *w) {
  CHECK([w->device newBufferWithBytes:w length:16 options:MTLResourceStorageModePrivate] == nil);
}
static void wrong_pages(world *w) {
  CHECK([w->device newBufferWithBytesNoCopy:(char *)w + 1 length:16 options:0 deallocator:NULL] == nil);
}
static void wrong_modify(world *w) { [w->x didModifyRange:NSMakeRange(0, 4)]; }
static void wrong_bytes(world *w) {
  char bytes[4097] = { 0 };
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e setBytes:bytes length:sizeof bytes atIndex:0];
  end(w, e);
}
static void wrong_index(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e setBuffer:w->x offset:0 atIndex:31];
  end(w, e);
}
static void wrong_offset_beyond(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e setBuffer:w->x offset:N * 4 atIndex:0];
  end(w, e);
}
static void wrong_offset_alone(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e setBufferOffset:16 atIndex:0];
  end(w, e);
}
static void wrong_alignment(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e setComputePipelineState:w->more];
  [e setBuffer:w->x offset:2 atIndex:0];
  [e dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(32, 1, 1)];
  end(w, e);
}
static void wrong_not_set(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e setComputePipelineState:w->twice];
  [e setBuffer:w->x offset:0 atIndex:0];
  [e dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(32, 1, 1)];
  end(w, e);
}
static void wrong_no_pipeline(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(32, 1, 1)];
  end(w, e);
}
static void wrong_bytes_written(world *w) {
  char bytes[64] = { 0 };
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e setComputePipelineState:w->more];
  [e setBytes:bytes length:sizeof bytes atIndex:0];
  [e dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(16, 1, 1)];
  end(w, e);
}
static void wrong_threads(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e setComputePipelineState:w->more];
  [e setBuffer:w->x offset:0 atIndex:0];
  [e dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1025, 1, 1)];
  end(w, e);
}
static void wrong_whole(world *w) {
  MTLComputePipelineDescriptor *d = [MTLComputePipelineDescriptor new];
  id<MTLFunction> f = [w->library newFunctionWithName:@"more"];
  d.computeFunction = f;
  d.threadGroupSizeIsMultipleOfThreadExecutionWidth = YES;
  id<MTLComputePipelineState> p = [w->device newComputePipelineStateWithDescriptor:d options:0 reflection:NULL
                                                                             error:NULL];
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e setComputePipelineState:p];
  [e setBuffer:w->x offset:0 atIndex:0];
  [e dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(48, 1, 1)];
  end(w, e);
  [p release]; [f release]; [d release];
}
static void wrong_shared_unset(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  dispatch(e, w->most, w->x, w->y);
  end(w, e);
}
static void wrong_shared_large(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e setThreadgroupMemoryLength:32784 atIndex:0];
  dispatch(e, w->most, w->x, w->y);
  end(w, e);
}
static void wrong_shared_odd(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e setThreadgroupMemoryLength:24 atIndex:0];
  end(w, e);
}
static void wrong_hazard(world *w) {
  w->b = [[w->queue commandBuffer] retain];
  id<MTLComputeCommandEncoder> e = [w->b computeCommandEncoderWithDispatchType:MTLDispatchTypeConcurrent];
  dispatch(e, w->twice, w->x, w->y);
  dispatch(e, w->more, w->y, w->x);
  end(w, e);
}
static void wrong_barrier_of_another(world *w) {
  const id<MTLResource> only[1] = { w->x };
  w->b = [[w->queue commandBuffer] retain];
  id<MTLComputeCommandEncoder> e = [w->b computeCommandEncoderWithDispatchType:MTLDispatchTypeConcurrent];
  dispatch(e, w->twice, w->x, w->y);
  [e memoryBarrierWithResources:only count:1];
  dispatch(e, w->more, w->y, w->x);
  end(w, e);
}
static void wrong_untracked(world *w) {
  id<MTLBuffer> u = [w->device newBufferWithLength:N * 4 options:MTLResourceHazardTrackingModeUntracked];
  w->b = [[w->queue commandBuffer] retain];
  id<MTLComputeCommandEncoder> e = [w->b computeCommandEncoder];
  dispatch(e, w->twice, w->x, u);
  [e endEncoding];
  e = [w->b computeCommandEncoder];
  dispatch(e, w->twice, u, w->y);
  end(w, e);
  [u release];
}
// Both are committed before either runs, and nothing orders them.
static void two_queues(world *w, MTLResourceOptions options) {
  id<MTLBuffer> u = [w->device newBufferWithLength:N * 4 options:options];
  id<MTLSharedEvent> event = [w->device newSharedEvent];
  id<MTLCommandQueue> second = [w->device newCommandQueue];
  id<MTLCommandBuffer> b[2];
  for (int i = 0; i < 2; i++) {
    b[i] = [i ? second : w->queue commandBuffer];
    [b[i] encodeWaitForEvent:event value:1];
    id<MTLComputeCommandEncoder> e = [b[i] computeCommandEncoder];
    dispatch(e, w->twice, i ? u : w->x, i ? w->y : u);
    [e endEncoding];
    [b[i] commit];
  }
  [event setSignaledValue:1];
  for (int i = 0; i < 2; i++) [b[i] waitUntilCompleted];
  [second release];
  [event release];
  [u release];
}
static void wrong_untracked_queues(world *w) { two_queues(w, MTLResourceHazardTrackingModeUntracked); }
static void wrong_tracked_queues(world *w) { two_queues(w, 0); }
static void wrong_beyond(world *w) {
  id<MTLComputeCommandEncoder> e = encoder(w);
  dispatch(e, w->beyond, w->x, w->y);
  end(w, e);
  CHECK_EQ([w->b status], MTLCommandBufferStatusError);
  CHECK_EQ([[w->b error] code], MTLCommandBufferErrorPageFault);
}
static void wrong_indirect_hazard(world *w) {
  id<MTLIndirectCommandBuffer> i = indirect_of(w, 2);
  indirect_set(i, 0, w->twice, w->x, w->y, 0);
  indirect_set(i, 1, w->more, w->y, nil, 0);
  indirect_run(w, i, NSMakeRange(0, 2), 3, 3);
  [i release];
}
static void wrong_indirect_use(world *w) {
  id<MTLIndirectCommandBuffer> i = indirect_of(w, 1);
  indirect_set(i, 0, w->twice, w->x, w->y, 0);
  indirect_run(w, i, NSMakeRange(0, 1), 3, 0);
  [i release];
}
static void wrong_indirect_usage(world *w) {
  id<MTLIndirectCommandBuffer> i = indirect_of(w, 1);
  indirect_set(i, 0, w->twice, w->x, w->y, 0);
  indirect_run(w, i, NSMakeRange(0, 1), MTLResourceUsageRead, MTLResourceUsageRead);
  [i release];
}
static void wrong_indirect_range(world *w) {
  id<MTLIndirectCommandBuffer> i = indirect_of(w, 1);
  indirect_run(w, i, NSMakeRange(0, 2), 3, 3);
  [i release];
}
static void wrong_indirect_index(world *w) {
  id<MTLIndirectCommandBuffer> i = indirect_of(w, 1);
  CHECK([i indirectComputeCommandAtIndex:1] == nil);
  [i release];
}
static void wrong_indirect_empty(world *w) {
  id<MTLIndirectCommandBuffer> i = indirect_of(w, 1);
  indirect_run(w, i, NSMakeRange(0, 1), 3, 3);
  [i release];
}
static void wrong_indirect_slots(world *w) {
  id<MTLIndirectCommandBuffer> i = indirect_of(w, 1);
  [[i indirectComputeCommandAtIndex:0] setKernelBuffer:w->x offset:0 atIndex:3];
  [i release];
}
static void wrong_indirect_pipeline(world *w) {
  id<MTLIndirectCommandBuffer> i = indirect_of(w, 1);
  [[i indirectComputeCommandAtIndex:0] setComputePipelineState:w->beyond];
  [i release];
}
static void wrong_indirect_types(world *w) {
  MTLIndirectCommandBufferDescriptor *d = [MTLIndirectCommandBufferDescriptor new];
  d.commandTypes = MTLIndirectCommandTypeDraw;
  CHECK([w->device newIndirectCommandBufferWithDescriptor:d maxCommandCount:1 options:0] == nil);
  [d release];
}
static void wrong_indirect_kind(world *w) {
  MTLIndirectCommandBufferDescriptor *d = [MTLIndirectCommandBufferDescriptor new];
  d.commandTypes = MTLIndirectCommandTypeConcurrentDispatchThreads;
  d.maxKernelBufferBindCount = 2;
  id<MTLIndirectCommandBuffer> i = [w->device newIndirectCommandBufferWithDescriptor:d maxCommandCount:1 options:0];
  indirect_set(i, 0, w->twice, w->x, w->y, 0);
  [i release]; [d release];
}
static void wrong_indirect_freed(world *w) {
  id<MTLIndirectCommandBuffer> i = indirect_of(w, 1);
  id<MTLBuffer> y = [w->device newBufferWithLength:N * 4 options:0];
  indirect_set(i, 0, w->twice, w->x, y, 0);
  [y release];
  indirect_run(w, i, NSMakeRange(0, 1), 3, 3);
  [i release];
}
static void wrong_indirect_busy(world *w) {
  id<MTLIndirectCommandBuffer> i = indirect_of(w, 1);
  id<MTLSharedEvent> event = [w->device newSharedEvent];
  indirect_set(i, 0, w->more, w->x, nil, 0);
  id<MTLCommandBuffer> b = [w->queue commandBuffer];
  [b encodeWaitForEvent:event value:1];
  id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
  [e useResource:w->x usage:3];
  [e executeCommandsInBuffer:i withRange:NSMakeRange(0, 1)];
  [e endEncoding];
  [b commit];
  [[i indirectComputeCommandAtIndex:0] setBarrier];
  [event setSignaledValue:1];
  [b waitUntilCompleted];
  [event release];
  [i release];
}
static void wrong_language(world *w) {
  MTLCompileOptions *o = [MTLCompileOptions new];
  o.languageVersion = (MTLLanguageVersion)0x90000;
  CHECK([w->device newLibraryWithSource:string(kernels_text) options:o error:NULL] == nil);
  [o release];
}
static void blit(world *w, void (*what)(world *, id<MTLBlitCommandEncoder>)) {
  w->b = [[w->queue commandBuffer] retain];
  id<MTLBlitCommandEncoder> e = [w->b blitCommandEncoder];
  what(w, e);
  [e endEncoding];
  finish(w->b);
}
static void copy_beyond(world *w, id<MTLBlitCommandEncoder> e) {
  [e copyFromBuffer:w->x sourceOffset:0 toBuffer:w->y destinationOffset:4 size:N * 4];
}
static void copy_odd(world *w, id<MTLBlitCommandEncoder> e) {
  [e copyFromBuffer:w->x sourceOffset:0 toBuffer:w->y destinationOffset:0 size:3];
}
static void copy_overlap(world *w, id<MTLBlitCommandEncoder> e) {
  [e copyFromBuffer:w->x sourceOffset:0 toBuffer:w->x destinationOffset:16 size:32];
}
static void copy_fill(world *w, id<MTLBlitCommandEncoder> e) {
  [e fillBuffer:w->x range:NSMakeRange(N * 4, 4) value:1];
}
static void copy_synchronize(world *w, id<MTLBlitCommandEncoder> e) { [e synchronizeResource:w->x]; }
static void wrong_blit_beyond(world *w) { blit(w, copy_beyond); }
static void wrong_blit_odd(world *w) { blit(w, copy_odd); }
static void wrong_blit_overlap(world *w) { blit(w, copy_overlap); }
static void wrong_blit_fill(world *w) { blit(w, copy_fill); }
static void wrong_blit_synchronize(world *w) { blit(w, copy_synchronize); }
static void wrong_blit_row(world *w) {
  id<MTLTexture> t = metal_mock_texture(w->device, MTLPixelFormatRGBA8Unorm, 8, 8, MTLStorageModePrivate);
  w->b = [[w->queue commandBuffer] retain];
  id<MTLBlitCommandEncoder> e = [w->b blitCommandEncoder];
  [e copyFromTexture:t sourceSlice:0 sourceLevel:0 sourceOrigin:MTLOriginMake(0, 0, 0) sourceSize:MTLSizeMake(8, 8, 1)
            toBuffer:w->y destinationOffset:0 destinationBytesPerRow:30 destinationBytesPerImage:240];
  [e endEncoding];
  finish(w->b);
  [t release];
}
static void wrong_blit_region(world *w) {
  id<MTLTexture> t = metal_mock_texture(w->device, MTLPixelFormatRGBA8Unorm, 8, 8, MTLStorageModePrivate);
  w->b = [[w->queue commandBuffer] retain];
  id<MTLBlitCommandEncoder> e = [w->b blitCommandEncoder];
  [e copyFromBuffer:w->y sourceOffset:0 sourceBytesPerRow:32 sourceBytesPerImage:256 sourceSize:MTLSizeMake(8, 8, 1)
          toTexture:t destinationSlice:0 destinationLevel:0 destinationOrigin:MTLOriginMake(1, 0, 0)];
  [e endEncoding];
  finish(w->b);
  [t release];
}
static void pixels_with(world *w, MTLTextureUsage usage, int set) {
  MTLTextureDescriptor *d = [MTLTextureDescriptor texture2DDescriptorWithPixelFormat:MTLPixelFormatR8Unorm width:4
                                                                              height:4 mipmapped:NO];
  d.usage = usage;
  d.storageMode = MTLStorageModePrivate;
  id<MTLTexture> t = [w->device newTextureWithDescriptor:d], same = [w->device newTextureWithDescriptor:d];
  id<MTLComputePipelineState> p = pixels_pipeline(w);
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e setComputePipelineState:p];
  [e setTexture:t atIndex:0];
  if (set) [e setTexture:same atIndex:1];
  [e dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(4, 4, 1)];
  end(w, e);
  [p release];
  [same release];
  [t release];
}
static void wrong_texture_unset(world *w) { pixels_with(w, 3, 0); }
static void wrong_texture_read(world *w) { pixels_with(w, MTLTextureUsageShaderWrite, 1); }
static void wrong_texture_written(world *w) { pixels_with(w, MTLTextureUsageShaderRead, 1); }
static void wrong_pixel(world *w) { CHECK(metal_mock_texture(w->device, 999, 8, 8, MTLStorageModePrivate) == NULL); }
static void wrong_event_back(world *w) {
  id<MTLSharedEvent> event = [w->device newSharedEvent];
  [event setSignaledValue:5];
  [event setSignaledValue:4];
  [event release];
}
static void wrong_event_signal(world *w) {
  id<MTLSharedEvent> event = [w->device newSharedEvent];
  w->b = [[w->queue commandBuffer] retain];
  [w->b encodeSignalEvent:event value:3];
  [w->b encodeSignalEvent:event value:3];
  finish(w->b);
  [event release];
}
static void wrong_event_inside(world *w) {
  id<MTLSharedEvent> event = [w->device newSharedEvent];
  id<MTLComputeCommandEncoder> e = encoder(w);
  [w->b encodeSignalEvent:event value:3];
  end(w, e);
  [event release];
}
static void wrong_purgeable(world *w) {
  [w->x setPurgeableState:MTLPurgeableStateVolatile];
  id<MTLComputeCommandEncoder> e = encoder(w);
  dispatch(e, w->twice, w->x, w->y);
  end(w, e);
}
static void wrong_queue_full(world *w) {
  id<MTLCommandQueue> q = [w->device newCommandQueueWithMaxCommandBufferCount:1];
  id<MTLCommandBuffer> first = [q commandBuffer], second = [q commandBuffer];
  finish(first);
  finish(second);
  [q release];
}
static void wrong_unknown(world *w) { [(id)w->x performSelector:@selector(lowercaseString)]; }
static void wrong_another_device(world *w) {
  id<MTLDevice> other = metal_mock_device(1);
  id<MTLBuffer> b = [other newBufferWithLength:N * 4 options:MTLResourceStorageModePrivate];
  id<MTLComputeCommandEncoder> e = encoder(w);
  [e setBuffer:b offset:0 atIndex:0];
  end(w, e);
  [b release];
  [other release];
}
static void wrong_another_archive(world *w) {
  id<MTLDevice> other = metal_mock_device(1);
  MTLBinaryArchiveDescriptor *empty = [MTLBinaryArchiveDescriptor new];
  MTLComputePipelineDescriptor *d = [MTLComputePipelineDescriptor new];
  id<MTLFunction> f = [w->library newFunctionWithName:@"twice"];
  id<MTLBinaryArchive> a = [other newBinaryArchiveWithDescriptor:empty error:NULL];
  d.computeFunction = f;
  d.binaryArchives = [NSArray arrayWithObject:a];
  [[w->device newComputePipelineStateWithDescriptor:d options:0 reflection:NULL error:NULL] release];
  [a release]; [f release]; [d release]; [empty release]; [other release];
}
static void wrong_system(world *w) {         // macOS 11
  CHECK(![w->x respondsToSelector:@selector(gpuAddress)]);
  CHECK([w->x gpuAddress] == 0);
}
static void wrong_system_residency(world *w) {
  MTLResidencySetDescriptor *d = [MTLResidencySetDescriptor new];
  CHECK([w->device newResidencySetWithDescriptor:d error:NULL] == nil);
  [d release];
}
static void wrong_system_language(world *w) {
  MTLCompileOptions *o = [MTLCompileOptions new];
  o.languageVersion = MTLLanguageVersion3_1;
  CHECK([w->device newLibraryWithSource:string(kernels_text) options:o error:NULL] == nil);
  [o release];
}
static void wrong_system_mode(world *w) {
  MTLCompileOptions *o = [MTLCompileOptions new];
  o.mathMode = MTLMathModeSafe;
  [o release];
  (void)w;
}

static void *without_pool(void *argument) {
  world *w = argument;
  [w->queue commandBuffer];
  return NULL;
}
static void wrong_no_pool(world *w) {
  pthread_t thread;
  pthread_create(&thread, NULL, without_pool, w);
  pthread_join(thread, NULL);
}

extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));
static void *string_without_pool(void *argument) {
  if (__lsan_disable) __lsan_disable();      // it leaks, as it should
  [NSString stringWithFormat:@"%p is no mock's object, and leaks as well", argument];
  if (__lsan_enable) __lsan_enable();
  return NULL;
}
static void wrong_no_pool_string(world *w) {
  pthread_t thread;
  pthread_create(&thread, NULL, string_without_pool, w);
  pthread_join(thread, NULL);
}

static const struct { const char *name; void (*run)(world *); const char *told; int leaks; } mistakes[] = {
  { "released too often", wrong_over_release, "-[MTLBuffer release]: sent to an object that was freed", 0 },
  { "released too often, held", wrong_over_release_held, "-[MTLBuffer release]: released more often", 0 },
  { "message to the dead", wrong_dead, "-[MTLBuffer contents]: sent to an object that was freed", 0 },
  { "leak", wrong_leak, "MTLBuffer forgotten is still alive", 0 },
  { "no pool", wrong_no_pool, "-[MTLCommandBuffer autorelease]: there is no autorelease pool", 1 },
  { "no pool, string", wrong_no_pool_string, "there is no autorelease pool", 0 },
  { "encoder not ended", wrong_not_ended, "-[MTLCommandBuffer commit]: an encoder of it was not ended", 0 },
  { "two encoders", wrong_two_open, "-[MTLCommandBuffer blitCommandEncoder]: the encoder before it", 0 },
  { "encoder freed", wrong_never_ended, "-[MTLComputeCommandEncoder release]: freed without endEncoding", 0 },
  { "after end", wrong_after_end, "setComputePipelineState:]: after endEncoding", 0 },
  { "ended twice", wrong_end_twice, "endEncoding]: after endEncoding", 0 },
  { "committed twice", wrong_commit_twice, "-[MTLCommandBuffer commit]: committed twice", 0 },
  { "after commit", wrong_after_commit, "computeCommandEncoder]: after commit", 0 },
  { "enqueued twice", wrong_enqueue_only, "enqueue]: enqueued twice", 0 },
  { "wait before commit", wrong_wait_first, "waitUntilCompleted]: before commit", 0 },
  { "time before the end", wrong_time_first, "GPUStartTime]: before it is completed", 0 },
  { "buffer freed in use", wrong_freed, "-[MTLBuffer release]: freed while a command buffer", 0 },
  { "buffer freed before commit", wrong_freed_before, "commit]: what it uses was freed: MTLBuffer", 0 },
  { "buffer of nothing", wrong_nothing, "newBufferWithLength:options:]: a buffer of 0 bytes", 0 },
  { "buffer too large", wrong_large, "more than maxBufferLength", 0 },
  { "memoryless buffer", wrong_memoryless, "no buffers of storage mode 3", 0 },
  { "options", wrong_options, "bits that mean nothing", 0 },
  { "private contents", wrong_private_contents, "-[MTLBuffer contents]: private memory", 0 },
  { "private bytes", wrong_private_bytes, "private memory cannot be given bytes", 0 },
  { "no pages", wrong_pages, "are not whole pages", 0 },
  { "modified and not managed", wrong_modify, "didModifyRange:]: the buffer is not of managed", 0 },
  { "bytes too many", wrong_bytes, "setBytes:length:atIndex:]: 4097 bytes", 0 },
  { "index", wrong_index, "setBuffer:offset:atIndex:]: index 31", 0 },
  { "offset beyond", wrong_offset_beyond, "offset 1024 is beyond", 0 },
  { "offset of nothing", wrong_offset_alone, "setBufferOffset:atIndex:]: no buffer is set at 0", 0 },
  { "alignment", wrong_alignment, "offset 2 of buffer 0 of more is no multiple of 4", 0 },
  { "not set", wrong_not_set, "buffer 1 of twice is not set", 0 },
  { "no pipeline", wrong_no_pipeline, "a dispatch without a pipeline", 0 },
  { "bytes that are written", wrong_bytes_written, "buffer 0 of more is written", 0 },
  { "threads", wrong_threads, "1025 threads in a threadgroup", 0 },
  { "whole simdgroups", wrong_whole, "48 threads are no multiple", 0 },
  { "threadgroup memory not set", wrong_shared_unset, "threadgroup memory 0 of most has no length", 0 },
  { "threadgroup memory too large", wrong_shared_large, "32784 bytes of threadgroup memory", 0 },
  { "threadgroup memory, odd", wrong_shared_odd, "24 bytes are no multiple of 16", 0 },
  { "hazard", wrong_hazard, "no barrier is between them", 0 },
  { "barrier of another", wrong_barrier_of_another, "no barrier is between them", 0 },
  { "untracked", wrong_untracked, "another encoder writes, and no event orders them", 0 },
  { "untracked, two queues", wrong_untracked_queues, "a MTLBuffer that another queue ", 0 },
  { "tracked, two queues", wrong_tracked_queues, "a MTLBuffer that another queue ", 0 },
  { "out of bounds", wrong_beyond, "-[MTLCommandBuffer commit]: beyond: ", 0 },
  { "indirect hazard", wrong_indirect_hazard, "no barrier is between them", 0 },
  { "indirect, not named", wrong_indirect_use, "neither named by useResource nor", 0 },
  { "indirect, usage", wrong_indirect_usage, "and useResource did not say so", 0 },
  { "indirect range", wrong_indirect_range, "2 commands from 0 are beyond its 1", 0 },
  { "indirect index", wrong_indirect_index, "indirectComputeCommandAtIndex:]: command 1, of 1", 0 },
  { "indirect, empty", wrong_indirect_empty, "was never encoded", 0 },
  { "indirect slots", wrong_indirect_slots, "setKernelBuffer:offset:atIndex:]: index 3, of 3", 0 },
  { "indirect pipeline", wrong_indirect_pipeline, "without supportIndirectCommandBuffers", 0 },
  { "indirect types", wrong_indirect_types, "command types 0x1 are not", 0 },
  { "indirect kind", wrong_indirect_kind, "made without MTLIndirectCommandTypeConcurrentDispatch", 0 },
  { "indirect, freed", wrong_indirect_freed, "what is set at 1 was freed", 0 },
  { "indirect, busy", wrong_indirect_busy, "setBarrier]: while a command buffer", 0 },
  { "language", wrong_language, "language version 0x90000", 0 },
  { "blit beyond", wrong_blit_beyond, "1024 bytes from 4 are beyond the 1024", 0 },
  { "blit, odd", wrong_blit_odd, "no multiples of 4", 0 },
  { "blit, overlap", wrong_blit_overlap, "the ranges overlap", 0 },
  { "fill beyond", wrong_blit_fill, "fillBuffer:range:value:]: 4 bytes from 1024", 0 },
  { "synchronize and not managed", wrong_blit_synchronize, "synchronizeResource:]: the resource is not", 0 },
  { "texture rows", wrong_blit_row, "30 bytes per row", 0 },
  { "texture region", wrong_blit_region, "the region is not within the texture", 0 },
  { "texture not set", wrong_texture_unset, "texture 1 of half_of is not set", 0 },
  { "texture not to be read", wrong_texture_read, "has no MTLTextureUsageShaderRead", 0 },
  { "texture not to be written", wrong_texture_written, "has no MTLTextureUsageShaderWrite", 0 },
  { "pixel format", wrong_pixel, "pixel format 999", 0 },
  { "event back", wrong_event_back, "setSignaledValue:]: the value goes back from 5 to 4", 0 },
  { "event signalled twice", wrong_event_signal, "the value does not grow: 3 after 3", 0 },
  { "event within an encoder", wrong_event_inside, "within an encoder that is not ended", 0 },
  { "purgeable", wrong_purgeable, "buffer 0 of twice is purgeable now", 0 },
  { "queue full", wrong_queue_full, "it would wait for ever", 0 },
  { "unknown message", wrong_unknown, "lowercaseString", 0 },
  { "another device", wrong_another_device, "a buffer of another device", 0 },
  { "another device's archive", wrong_another_archive, "a binary archive of another device", 0 },
  { "system: address", wrong_system, "macOS 11 has no such message", 0 },
  { "system: residency", wrong_system_residency, "newResidencySetWithDescriptor:error:]: macOS 11", 0 },
  { "system: language", wrong_system_language, "language version 0x30001 is not one of macOS 11", 0 },
  { "system: mathMode", wrong_system_mode, "setMathMode:]: macOS 11", 0 },
};

static void test_mistakes(uint32_t seed) {
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    if (!case_named("wrong: %s, seed %u", mistakes[i].name, seed)) continue;
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    world w;
    world_open(&w, &(metal_mock_desc){ .chips = "apple7,mac2", .seed = seed });
    mistakes[i].run(&w);
    int found = 0;
    const int count = metal_mock_mistakes();
    for (int k = 0; k < count; k++) found |= strstr(metal_mock_mistake(k), mistakes[i].told) != NULL;
    world_close(&w);
    [pool release];
    const int last = metal_mock_mistakes();
    for (int k = 0; k < last; k++) found |= strstr(metal_mock_mistake(k), mistakes[i].told) != NULL;
    CHECK(found);
    for (int k = 0; !found && k < last; k++) fprintf(stderr, "    told: %s\n", metal_mock_mistake(k));
    CHECK_EQ(metal_mock_leaks(), mistakes[i].leaks);
  }
}

// ---- what fails

typedef struct failing { metal_mock_kind kind; const char *name; } failing;

static void test_failures(void) {
  world w;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "apple9" });
  NSError *error = nil;
  metal_mock_fail(METAL_MOCK_BUFFER, 2);
  id<MTLBuffer> first = [w.device newBufferWithLength:16 options:0];
  CHECK(first != nil && [w.device newBufferWithLength:16 options:0] == nil);
  [first release];
  metal_mock_fail(METAL_MOCK_DEVICES, 1);
  CHECK(MTLCreateSystemDefaultDevice() == nil);
  metal_mock_fail(METAL_MOCK_QUEUE, 1);
  CHECK([w.device newCommandQueue] == nil);
  metal_mock_fail(METAL_MOCK_COMMAND_BUFFER, 1);
  CHECK([w.queue commandBuffer] == nil);
  metal_mock_fail(METAL_MOCK_ENCODER, 1);
  id<MTLCommandBuffer> b = [w.queue commandBuffer];
  CHECK([b computeCommandEncoder] == nil);
  metal_mock_fail(METAL_MOCK_TEXTURE, 1);
  CHECK(metal_mock_texture(w.device, MTLPixelFormatR8Unorm, 4, 4, 0) == NULL);
  metal_mock_fail(METAL_MOCK_EVENT, 1);
  CHECK([w.device newSharedEvent] == nil);
  metal_mock_fail(METAL_MOCK_INDIRECT, 1);
  CHECK(indirect_of(&w, 1) == nil);
  metal_mock_fail(METAL_MOCK_LIBRARY, 1);
  CHECK([w.device newLibraryWithSource:string(kernels_text) options:nil error:&error] == nil && error != nil);
  metal_mock_fail(METAL_MOCK_FUNCTION, 1);
  CHECK([w.library newFunctionWithName:@"twice"] == nil);
  metal_mock_fail(METAL_MOCK_PIPELINE, 1);
  id<MTLFunction> f = [w.library newFunctionWithName:@"twice"];
  error = nil;
  CHECK([w.device newComputePipelineStateWithFunction:f error:&error] == nil && error != nil);
  [f release];
  metal_mock_fail(METAL_MOCK_ARCHIVE, 1);
  MTLBinaryArchiveDescriptor *d = [MTLBinaryArchiveDescriptor new];
  CHECK([w.device newBinaryArchiveWithDescriptor:d error:&error] == nil);
  [d release];
  metal_mock_fail(METAL_MOCK_RESIDENCY, 1);
  MTLResidencySetDescriptor *r = [MTLResidencySetDescriptor new];
  CHECK([w.device newResidencySetWithDescriptor:r error:&error] == nil);
  [r release];
  metal_mock_fail(METAL_MOCK_ANY, 2);
  id<MTLBuffer> kept = [w.device newBufferWithLength:16 options:0];
  CHECK(kept != nil && [w.device newCommandQueue] == nil);
  [kept release];
  world_close(&w);
  [pool release];
  world_clean("failures");
}

static void test_executions(void) {
  static const int codes[] = { 1, 2, 3, 4, 7, 8, 9, 10, 12, 11 };
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    world w;
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    world_open(&w, &(metal_mock_desc){ .chips = "apple8", .seed = 7 });
    metal_mock_fail_execution(codes[i], 2);
    for (int turn = 1; turn <= 3; turn++) {
      id<MTLCommandBuffer> b = [w.queue commandBuffer];
      id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
      dispatch(e, w.more, w.x, w.y);
      [e endEncoding];
      finish(b);
      const int lasts = codes[i] == MTLCommandBufferErrorDeviceRemoved ||
                        codes[i] == MTLCommandBufferErrorAccessRevoked;
      const int fails = turn == 2 || (turn == 3 && lasts);
      CHECK_EQ([b status], fails ? MTLCommandBufferStatusError : MTLCommandBufferStatusCompleted);
      CHECK_EQ([[b error] code], fails ? codes[i] : 0);
      if (fails) CHECK([[[b error] domain] isEqual:MTLCommandBufferErrorDomain]);
    }
    CHECK(([w.device newCommandQueue] == nil) == (codes[i] == MTLCommandBufferErrorDeviceRemoved) ||
          metal_mock_leaks() > 0);
    metal_mock_reset(NULL);
    world_close(&w);
    [pool release];
  }
}

static void test_memory(void) {
  world w;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "apple7", .memory_nbytes = 1 << 20, .max_buffer_nbytes = 1 << 22 });
  CHECK_EQ([w.device maxBufferLength], 1 << 22);
  const size_t before = [w.device currentAllocatedSize];
  CHECK([w.device newBufferWithLength:1 << 21 options:0] == nil);
  id<MTLBuffer> b = [w.device newBufferWithLength:1 << 19 options:0];
  CHECK(b != nil && [w.device currentAllocatedSize] == before + (1 << 19));
  [b release];
  CHECK_EQ([w.device currentAllocatedSize], before);
  world_close(&w);
  [pool release];
  world_clean("memory");
}

static void test_chips(void) {
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  CHECK(metal_mock_reset(&(metal_mock_desc){ .chips = "apple7,nobody" }));
  CHECK(!metal_mock_reset(NULL));
  CHECK(MTLCreateSystemDefaultDevice() == nil);
  NSArray *all = MTLCopyAllDevices();
  CHECK_EQ([all count], 0);
  [all release];
  metal_mock_reset(&(metal_mock_desc){ .chips = "mac2,apple8,paravirtual", .system = 14 });
  all = MTLCopyAllDevices();
  CHECK_EQ([all count], 3);
  id<MTLDevice> radeon = [all objectAtIndex:0], m2 = [all objectAtIndex:1], machine = [all objectAtIndex:2];
  CHECK(![radeon hasUnifiedMemory] && ![radeon isRemovable] && ![radeon supportsFamily:MTLGPUFamilyApple7]);
  CHECK([radeon supportsFamily:MTLGPUFamilyMac2] && [radeon supportsFamily:MTLGPUFamilyMetal3]);
  CHECK([m2 supportsFamily:MTLGPUFamilyApple8] && ![m2 supportsFamily:MTLGPUFamilyApple9]);
  CHECK(![machine supportsFamily:MTLGPUFamilyApple7]);
  CHECK([m2 registryID] != [radeon registryID]);
  CHECK([m2 respondsToSelector:@selector(hasUnifiedMemory)]);
  CHECK(![m2 respondsToSelector:@selector(newResidencySetWithDescriptor:error:)]);
  id<MTLTexture> t = metal_mock_texture(radeon, MTLPixelFormatR8Unorm, 4, 4, MTLStorageModeShared);
  CHECK(t == nil && strstr(metal_mock_mistake(0), "no textures of storage mode 0"));
  metal_mock_forget();
  [all release];
  [pool release];
  world_clean("chips");
  pool = [NSAutoreleasePool new];
  metal_mock_reset(&(metal_mock_desc){ .chips = "intel,egpu" });
  all = MTLCopyAllDevices();
  CHECK([[all objectAtIndex:0] isLowPower] && [[all objectAtIndex:0] hasUnifiedMemory]);
  CHECK([[all objectAtIndex:1] isRemovable] && [[all objectAtIndex:1] isHeadless]);
  CHECK(![[all objectAtIndex:1] isLowPower] && ![[all objectAtIndex:0] isRemovable]);
  [all release];
  metal_mock_reset(&(metal_mock_desc){ .chips = "a14" });
  id<MTLDevice> phone = MTLCreateSystemDefaultDevice();
  CHECK(![phone respondsToSelector:@selector(isLowPower)] && ![phone supportsFamily:MTLGPUFamilyMac2]);
  CHECK([phone newBufferWithLength:16 options:MTLResourceStorageModeManaged] == nil);
  CHECK(strstr(metal_mock_mistake(0), "no buffers of storage mode 1"));
  [phone release];
  [pool release];
}

// What a GPU hasn't, no pipeline has: by what the kernel itself calls, also by macros, not by what else is there.
static void test_units(const char *chip, int lanes, int matrices) {
  static const char text[] =
    "#include <metal_stdlib>\nusing namespace metal;\n"
    "#define SUM(name, T) inline T name##_of(T x) { return simd_sum(x); } // {\n"
    "SUM(sum, float)\n"
    "inline float2 product(float2 x) {\n  simdgroup_matrix<float, 8, 8> a;\n  a.thread_elements()[0] = x[0];\n"
    "  a.thread_elements()[1] = x[1];\n  simdgroup_multiply(a, a, a);\n"
    "  return float2(a.thread_elements()[0], a.thread_elements()[1]);\n}\n"
    "kernel void plain(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = 1; }\n"
    "kernel void lanes(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = sum_of(x[i]); }\n"
    "[[kernel, max_total_threads_per_threadgroup(64)]] void matrices(device float2 *x [[buffer(0)]],\n"
    "  uint i [[thread_position_in_grid]]) {\n  x[i] = product(x[i]);\n}\n";
  static const char *const names[3] = { "plain", "lanes", "matrices" };
  const int has[3] = { 1, lanes, matrices };
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  metal_mock_reset(&(metal_mock_desc){ .chips = chip });
  id<MTLDevice> d = MTLCreateSystemDefaultDevice();
  NSError *error = nil;
  id<MTLLibrary> l = [d newLibraryWithSource:string(text) options:nil error:&error];
  CHECK(l != nil);
  if (!l) fprintf(stderr, "%s\n", [[error localizedDescription] UTF8String]);
  for (int i = 0; i < 3; i++) {
    id<MTLFunction> f = [l newFunctionWithName:string(names[i])];
    id<MTLComputePipelineState> p = f ? [d newComputePipelineStateWithFunction:f error:&error] : nil;
    CHECK(f != nil && (p != nil) == has[i]);
    if (f && !p) CHECK(strstr([[error localizedDescription] UTF8String], "unlowered function call") != NULL);
    if (p) CHECK_EQ([p maxTotalThreadsPerThreadgroup], i == 2 ? 64 : 1024);
    [p release];
    [f release];
  }
  [l release];
  [d release];
  [pool release];
  world_clean("units");
}

static void test_threads_limit(void) {
  world w;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "apple7", .max_threads = 32 });
  CHECK_EQ([w.more maxTotalThreadsPerThreadgroup], 32);
  id<MTLComputeCommandEncoder> e = encoder(&w);
  dispatch(e, w.more, w.x, w.y);
  end(&w, e);
  CHECK_EQ(metal_mock_mistakes(), 1);
  world_close(&w);
  [pool release];
}

// Many command buffers of two threads on queues of their own, put off at random, none of which mixes with another.
static void *many(void *argument) {
  world *w = argument;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  id<MTLCommandQueue> q = [w->device newCommandQueueWithMaxCommandBufferCount:4];
  id<MTLBuffer> x = [w->device newBufferWithLength:N * 4 options:0];
  for (int i = 0; i < 50; i++) {
    NSAutoreleasePool *inner = [NSAutoreleasePool new];
    id<MTLCommandBuffer> b = [q commandBuffer];
    id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
    dispatch(e, w->more, x, x);
    [e endEncoding];
    [b commit];
    if (i % 10 == 9) {
      [b waitUntilCompleted];
      CHECK(((float *)[x contents])[N - 1] == (float)(i + 1));
    }
    [inner release];
  }
  [x release];
  [q release];
  [pool release];
  return NULL;
}

static void test_threads(void) {
  world w;
  pthread_t thread;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "apple7", .seed = 3 });
  pthread_create(&thread, NULL, many, &w);
  many(&w);
  pthread_join(thread, NULL);
  CHECK_EQ(metal_mock_counted().committed, 100);
  world_close(&w);
  [pool release];
  world_clean("threads");
}

static void test_late(void) {                // what is committed has not happened yet, for some seed
  int late = 0;
  for (uint32_t seed = 1; seed < 30 && !late; seed++) {
    world w;
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    world_open(&w, &(metal_mock_desc){ .chips = "apple7", .seed = seed });
    id<MTLComputeCommandEncoder> e = encoder(&w);
    dispatch(e, w.more, w.x, w.y);
    [e endEncoding];
    [w.b commit];
    usleep(300);
    late = [w.b status] < MTLCommandBufferStatusScheduled;
    [w.b waitUntilCompleted];
    CHECK(((float *)[w.x contents])[0] == 1);
    world_close(&w);
    [pool release];
  }
  CHECK(late);
}

// A wait for what nobody signals ends with Metal's time-out; what is behind it in the queue goes on.
static void test_timeout(void) {
  world w;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "apple7", .timeout_ms = 20 });
  id<MTLSharedEvent> event = [w.device newSharedEvent];
  id<MTLCommandBuffer> b = [w.queue commandBuffer];
  [b encodeWaitForEvent:event value:1];
  finish(b);
  CHECK_EQ([[b error] code], MTLCommandBufferErrorTimeout);
  run_saxpy(&w);
  [event release];
  world_close(&w);
  [pool release];
  world_clean("timeout");
}

static void test_removed(void) {
  world w;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "mac2" });
  metal_mock_remove(0);
  id<MTLComputeCommandEncoder> e = encoder(&w);
  dispatch(e, w.more, w.x, w.y);
  end(&w, e);
  CHECK_EQ([[w.b error] code], MTLCommandBufferErrorDeviceRemoved);
  CHECK([w.device newBufferWithLength:16 options:0] == nil);
  world_close(&w);
  [pool release];
  world_clean("removed");
}

// A queue gives out no more than it has, and waits until one is completed.
static void test_queue_limit(void) {
  world w;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "apple7", .seed = 5 });
  id<MTLCommandQueue> q = [w.device newCommandQueueWithMaxCommandBufferCount:2];
  for (int i = 0; i < 20; i++) {
    id<MTLCommandBuffer> b = [q commandBuffer];
    id<MTLComputeCommandEncoder> e = [b computeCommandEncoder];
    dispatch(e, w.more, w.x, w.y);
    [e endEncoding];
    if (i == 19) finish(b); else [b commit];
  }
  CHECK(((float *)[w.x contents])[0] == 20);
  [q release];
  world_close(&w);
  [pool release];
  world_clean("queue limit");
}

// A program that knows nothing of the mock: chips by the environment, and status 3 where it leaves something.
static int unknowing(int leaks) {
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  id<MTLDevice> d = MTLCreateSystemDefaultDevice();
  const int right = [[d name] isEqual:@"Apple M2"];
  id<MTLBuffer> b = [d newBufferWithLength:16 options:0];
  if (!leaks) [b release];
  [d release];
  [pool release];
  return right ? 0 : 1;
}

static void test_unknowing(const char *program) {
  char command[4200];
  for (int leaks = 0; leaks < 2; leaks++) {
    snprintf(command, sizeof command, "METAL_MOCK_CHIPS=apple8 '%s' %s 2>&1", program, leaks ? "leaks" : "clean");
    FILE *f = popen(command, "r");
    char said[1000] = "";
    CHECK(f != NULL);
    if (!f) return;
    said[fread(said, 1, sizeof said - 1, f)] = 0;
    CHECK_EQ(pclose(f), leaks ? 3 << 8 : 0);
    CHECK((strstr(said, "metal_mock: MTLBuffer is still alive") != NULL) == leaks);
  }
}

static void test_no_kernels(void) {
  world w;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  world_open(&w, &(metal_mock_desc){ .chips = "apple7", .no_kernels = 1 });
  id<MTLComputeCommandEncoder> e = encoder(&w);
  dispatch(e, w.more, w.x, w.y);
  end(&w, e);
  CHECK(((float *)[w.x contents])[5] == 5);
  CHECK_EQ(metal_mock_counted().dispatches, 1);
  world_close(&w);
  [pool release];
  world_clean("no kernels");
}

int main(int argc, char **argv) {
  if (argc > 1) return unknowing(!strcmp(argv[1], "leaks"));
  static const char *const chips[] = { "apple7", "apple8", "apple9", "a14", "mac2", "egpu", "intel", "paravirtual" };
  for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
    for (uint32_t seed = 0; seed < 3; seed++) test_programs(chips[i], seed);
  for (uint32_t seed = 0; seed < 2; seed++) test_mistakes(seed);
  if (case_named("failures")) test_failures();
  if (case_named("executions")) test_executions();
  if (case_named("memory")) test_memory();
  if (case_named("chips")) test_chips();
  if (case_named("units of apple7")) test_units("apple7", 1, 1);
  if (case_named("units of mac2")) test_units("mac2", 1, 0);
  if (case_named("units of paravirtual")) test_units("paravirtual", 0, 0);
  if (case_named("threads of a pipeline")) test_threads_limit();
  if (case_named("threads")) test_threads();
  if (case_named("late")) test_late();
  if (case_named("no kernels")) test_no_kernels();
  if (case_named("timeout")) test_timeout();
  if (case_named("removed")) test_removed();
  if (case_named("queue limit")) test_queue_limit();
  if (case_named("unknowing")) test_unknowing(argv[0]);
  metal_mock_reset(NULL);
  return test_report();
}
