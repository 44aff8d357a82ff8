// metal_mock_mistakes: what is done wrong, one thing a case, for test_metal_mock.m, and what the mock must tell of it.
#ifndef METAL_MOCK_MISTAKES_H
#define METAL_MOCK_MISTAKES_H
#include "metal_mock_programs.h"

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
#endif
