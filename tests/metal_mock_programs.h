// metal_mock_programs: programs that use Metal as it is to be used, for test_metal_mock.m: the mock runs them and finds
// nothing wrong, on every chip, at once and late.
#ifndef METAL_MOCK_PROGRAMS_H
#define METAL_MOCK_PROGRAMS_H
#include "metal_mock_world.h"

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
#endif
