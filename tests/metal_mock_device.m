// metal_mock_device: the Macs and iPads that are played: chips, what systems have, devices and what they make.
//
// In: a row of the table of chips, and the version of its system. Out: MTLDevice.
// Holds: a simdgroup has 32 threads on all of them, as those of metal_kernel.h, though GCN's and Intel's have others.
//        Figures of limits are Apple's Metal Feature Set Tables (2024-12), "Minimum/Maximum" rows; versions are those
//        of the availability in Apple's documentation of each symbol.
#import "metal_mock_state.h"
#import <objc/runtime.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GIB(n) ((uint64_t)(n) << 30)
static const mock_chip mock_chips_table[] = {
  { "apple7", "Apple M1", 11, 0, 1007, 2002, 1, 0, 0, 0, GIB(4), GIB(5), 32768, 1024, 4 },
  { "apple8", "Apple M2", 13, 0, 1008, 2002, 1, 0, 0, 0, GIB(8), GIB(10), 32768, 1024, 4 },
  { "apple9", "Apple M3 Max", 15, 0, 1009, 2002, 1, 0, 0, 0, GIB(16), GIB(27), 32768, 1024, 4 },
  { "a14", "Apple A14 GPU", 14, 1, 1007, 0, 1, 0, 0, 0, GIB(1), GIB(2), 32768, 1024, 4 },
  { "mac2", "AMD Radeon Pro 5500M", 12, 0, 0, 2002, 0, 0, 0, 0, GIB(3), GIB(4), 32768, 1024, 32 },
  { "egpu", "AMD Radeon RX 580", 12, 0, 0, 2002, 0, 0, 1, 0, GIB(3), GIB(8), 32768, 1024, 32 },
  { "intel", "Intel(R) UHD Graphics 630", 12, 0, 0, 2002, 1, 1, 0, 0, GIB(1), GIB(1), 32768, 1024, 32 },
  { "paravirtual", "Apple Paravirtual device", 14, 0, 1005, 2002, 1, 0, 0, 1, GIB(1), GIB(2), 32768, 1024, 4 },
};

const mock_chip *mock_find_chip(const char *key, size_t length) {
  for (size_t i = 0; i < sizeof mock_chips_table / sizeof *mock_chips_table; i++) {
    const mock_chip *c = &mock_chips_table[i];
    if (strlen(c->key) == length && !memcmp(c->key, key, length)) return c;
  }
  return NULL;
}

// Feature Set Tables: "SIMD-scoped matrix multiply operations" Apple7; "SIMD-scoped reduction operations" and "SIMD-
// scoped permute operations" Apple7 and Apple6, Mac2.
static int mock_simd(const mock_chip *chip) {
  if (chip->apple >= 1007) return MOCK_MATRICES | MOCK_LANES;
  return chip->mac && !chip->virtual ? MOCK_LANES : 0;
}

// Selectors that are newer than macOS 11 and iOS 14, or that iOS has not (99).
static const struct { const char *selector; int macos, ios; } mock_news[] = {
  { "gpuAddress", 13, 16 }, { "newResidencySetWithDescriptor:error:", 15, 18 }, { "addResidencySet:", 15, 18 },
  { "removeResidencySet:", 15, 18 }, { "mathMode", 15, 18 }, { "setMathMode:", 15, 18 },
  { "mathFloatingPointFunctions", 15, 18 }, { "setMathFloatingPointFunctions:", 15, 18 },
  { "maxKernelThreadgroupMemoryBindCount", 14, 17 },
  { "setMaxKernelThreadgroupMemoryBindCount:", 14, 17 }, { "waitUntilSignaledValue:timeoutMS:", 12, 15 },
  { "recommendedMaxWorkingSetSize", 0, 16 }, { "isLowPower", 0, 99 }, { "isHeadless", 0, 99 },
  { "isRemovable", 0, 99 }, { "didModifyRange:", 0, 99 }, { "synchronizeResource:", 0, 99 },
};

int mock_has(SEL selector) {
  const char *name = sel_getName(selector);
  int has = 1;
  mock_enter();
  for (size_t i = 0; i < sizeof mock_news / sizeof *mock_news; i++)
    if (!strcmp(mock_news[i].selector, name))
      has = mock.desc.system >= (mock.first->ios ? mock_news[i].ios : mock_news[i].macos);
  mock_leave();
  return has;
}

int mock_needs(MockObject *self, SEL _cmd) {
  if (mock_has(_cmd)) return 1;
  MISTAKE("%s %d has no such message; ask respondsToSelector: or @available first", mock.first->ios ? "iOS" : "macOS",
          mock.desc.system);
  return 0;
}

// Where no memory is one, textures are not shared; managed storage is of Macs, memoryless of Apple's GPUs' textures.
int mock_storage_fits(MockDevice *d, MTLStorageMode mode, int texture) {
  switch (mode) {
    case MTLStorageModeShared: return !texture || d->chip->unified;
    case MTLStorageModeManaged: return !d->chip->ios;
    case MTLStorageModePrivate: return 1;
    default: return 0;                       // memoryless is for render targets
  }
}

// A pipeline that this GPU can't be told in its own code fails as Metal's back end does.
static NSError *mock_unlowered(MockDevice *d, MockFunction *f) {
  const int has = mock_simd(d->chip);
  if (has == (MOCK_MATRICES | MOCK_LANES)) return nil;
  const int lacks = mock_text_kernel(f->library->text, f->library->version, [f->name UTF8String]) & ~has;
  const char *call = lacks & MOCK_MATRICES ? "simdgroup_matrix_8x8_multiply_accumulate"
                     : lacks & MOCK_LANES ? "simd_shuffle" : NULL;
  if (!call) return nil;
  return mock_error(MTLLibraryErrorDomain, MTLLibraryErrorInternal, "Encountered unlowered function call to air.%s",
                    call);
}

// Why there is no pipeline; nil: there is one. *hit: an archive has it.
static NSError *mock_pipeline_error(MockDevice *self, SEL _cmd, MTLComputePipelineDescriptor *descriptor,
                                    MTLPipelineOption options, int *hit) {
  MockFunction *f = (MockFunction *)descriptor.computeFunction;
  const uint64_t entry = mock_archive_entry(f, descriptor.supportIndirectCommandBuffers);
  for (MockArchive *a in descriptor.binaryArchives) {
    if (a->of != self) MISTAKE("a binary archive of another device");
    else if (mock_archive_find(a, entry)) *hit = 1;
  }
  NSError *wrong = mock_unlowered(self, f);
  if (wrong) return wrong;
  if (!*hit && (options & MTLPipelineOptionFailOnBinaryArchiveMiss))
    return mock_error(MTLLibraryErrorDomain, MTLLibraryErrorUnsupported, "pipeline not found in binary archives");
  if (mock_fails(METAL_MOCK_PIPELINE))
    return mock_error(MTLLibraryErrorDomain, MTLLibraryErrorInternal, "Compiler encountered an internal error");
  return self->removed ? mock_error(MTLLibraryErrorDomain, MTLLibraryErrorInternal, "the device was removed") : nil;
}

@implementation MTLComputePipelineReflection
@end

static size_t mock_max_buffer(const MockDevice *d) {
  return (size_t)(mock.desc.max_buffer_nbytes ? mock.desc.max_buffer_nbytes : d->chip->max_buffer);
}

static MockBuffer *mock_buffer(MockDevice *self, SEL _cmd, size_t length, MTLResourceOptions options, void *host) {
  const MTLStorageMode mode = (options >> 4) & 15;
  if (!length) MISTAKE("a buffer of 0 bytes");
  else if (length > mock_max_buffer(self))
    MISTAKE("%zu bytes are more than maxBufferLength %zu", length, mock_max_buffer(self));
  else if (!mock_storage_fits(self, mode, 0))
    MISTAKE("%s has no buffers of storage mode %d", self->chip->name, (int)mode);
  else if (options & ~(MTLResourceOptions)0x331) MISTAKE("options 0x%x have bits that mean nothing", (unsigned)options);
  else if (!mock_fails(METAL_MOCK_BUFFER) && !self->removed) return mock_buffer_new(self, length, options, host);
  return nil;
}

static MockEvent *mock_event(MockDevice *self, int shared) {
  if (mock_fails(METAL_MOCK_EVENT) || self->removed) return nil;
  mock_enter();
  MockEvent *e = [MockEvent alloc];
  e->of = (MockDevice *)mock_hold(self);
  e->shared = shared;
  mock_leave();
  return e;
}

@implementation MockDevice
// Of these only the existence matters: programs that are built without @available tell systems by them.
- (BOOL)respondsToSelector:(SEL)selector {
  static const struct { const char *selector; int macos, ios; } signs[] = {
    { "supportsRenderDynamicLibraries", 12, 15 }, { "newIOCommandQueueWithDescriptor:error:", 13, 16 },
    { "architecture", 14, 17 },
  };
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (!strcmp(signs[i].selector, sel_getName(selector)))
      return mock.desc.system >= (mock.first->ios ? signs[i].ios : signs[i].macos);
  return [super respondsToSelector:selector];
}
- (NSString *)name { return [NSString stringWithUTF8String:chip->name]; }
- (NSString *)description { return [self name]; }
- (uint64_t)registryID { return 0x100000000u + 0x3a7u + (uint64_t)index * 0x10; }
- (MTLSize)maxThreadsPerThreadgroup { return MTLSizeMake(chip->threads, chip->threads, chip->threads); }
- (BOOL)isLowPower { return mock_needs(self, _cmd) && chip->low_power; }
- (BOOL)isHeadless { return mock_needs(self, _cmd) && chip->removable; }
- (BOOL)isRemovable { return mock_needs(self, _cmd) && chip->removable; }
- (BOOL)hasUnifiedMemory { return chip->unified != 0; }
- (uint64_t)recommendedMaxWorkingSetSize {
  if (!mock_needs(self, _cmd)) return 0;
  return chip->working_set < mock.desc.memory_nbytes ? chip->working_set : mock.desc.memory_nbytes;
}
- (NSUInteger)currentAllocatedSize {
  mock_enter();
  const uint64_t nbytes = allocated;
  mock_leave();
  return (NSUInteger)nbytes;
}
- (NSUInteger)maxBufferLength { return mock_max_buffer(self); }
- (NSUInteger)maxThreadgroupMemoryLength { return chip->threadgroup_nbytes; }
- (BOOL)supportsFamily:(MTLGPUFamily)family {
  if (family > 1000 && family < 2000) return family <= chip->apple;
  if (family > 2000 && family < 3000) return family <= chip->mac;
  if (family > 3000 && family < 4000) return family <= MTLGPUFamilyCommon3;
  return family == MTLGPUFamilyMetal3 && mock.desc.system >= (chip->ios ? 16 : 13) && !chip->virtual;
}
- (void)sampleTimestamps:(MTLTimestamp *)cpu gpuTimestamp:(MTLTimestamp *)gpu {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  *cpu = *gpu = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

- (id<MTLCommandQueue>)newCommandQueue {
  return [(id<MTLDevice>)self newCommandQueueWithMaxCommandBufferCount:64];
}
- (id<MTLCommandQueue>)newCommandQueueWithMaxCommandBufferCount:(NSUInteger)count {
  if (!count) MISTAKE("a queue of no command buffers");
  if (mock_fails(METAL_MOCK_QUEUE) || removed || !count) return nil;
  mock_enter();
  MockQueue *q = [MockQueue alloc];
  q->of = (MockDevice *)mock_hold(self);
  q->limit = count;
  q->random = mock.random ? mock_random(&mock.random) : 0;
  mock.counts.queues++;
  mock_leave();
  return q;
}

- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options {
  return mock_buffer(self, _cmd, length, options, NULL);
}
- (id<MTLBuffer>)newBufferWithBytes:(const void *)bytes length:(NSUInteger)length options:(MTLResourceOptions)options {
  if (((options >> 4) & 15) == MTLStorageModePrivate) {
    MISTAKE("private memory cannot be given bytes by the host");
    return nil;
  }
  MockBuffer *b = mock_buffer(self, _cmd, length, options, NULL);
  if (b) memcpy(b->gpu, bytes, length);
  if (b && b->host != b->gpu) memcpy(b->host, bytes, length);
  return b;
}
- (id<MTLBuffer>)newBufferWithBytesNoCopy:(void *)bytes length:(NSUInteger)length options:(MTLResourceOptions)options
                              deallocator:(MTLBufferDeallocator)deallocator {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const MTLStorageMode mode = (options >> 4) & 15;
  if (!bytes || (uintptr_t)bytes % page || length % page) {
    MISTAKE("%p and %zu bytes are not whole pages of %zu bytes", bytes, (size_t)length, page);
    return nil;
  }
  if (mode != MTLStorageModeShared && mode != MTLStorageModeManaged) {
    MISTAKE("memory of the host's is shared or managed, not of storage mode %d", (int)mode);
    return nil;
  }
  MockBuffer *b = mock_buffer(self, _cmd, length, options, bytes);
  if (!b) return nil;
#ifdef __BLOCKS__
  b->deallocator = deallocator ? Block_copy(deallocator) : NULL;
#else
  if (deallocator) MISTAKE("this mock was built without blocks");
#endif
  return b;
}
- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)function error:(NSError **)error {
  MTLComputePipelineDescriptor *d = [MTLComputePipelineDescriptor new];
  d.computeFunction = function;
  id<MTLComputePipelineState> p = [(id<MTLDevice>)self newComputePipelineStateWithDescriptor:d options:0
                                                                               reflection:NULL error:error];
  [d release];
  return p;
}
- (id<MTLComputePipelineState>)newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor *)descriptor
                                                             options:(MTLPipelineOption)options
                                                          reflection:(MTLComputePipelineReflection **)reflection
                                                               error:(NSError **)error {
  MockFunction *f = (MockFunction *)descriptor.computeFunction;
  if (reflection) *reflection = nil;
  if (error) *error = nil;
  if (!f) {
    MISTAKE("the descriptor has no computeFunction");
    return nil;
  }
  if (f->library->of != self) {
    MISTAKE("the function is of another device");
    return nil;
  }
  int hit = 0;
  NSError *wrong = mock_pipeline_error(self, _cmd, descriptor, options, &hit);
  if (wrong) {
    if (error) *error = wrong;
    return nil;
  }
  mock_enter();
  mock.counts.pipelines++;
  mock.counts.archive_hits += hit;
  MockPipeline *p = mock_pipeline_new(self, f, descriptor);
  mock_leave();
  return p;
}

- (id<MTLEvent>)newEvent { return mock_event(self, 0); }
- (id<MTLSharedEvent>)newSharedEvent { return mock_event(self, 1); }
@end

// Selection. ---------------------------------------------------------------------------------------------------------

id<MTLDevice> MTLCreateSystemDefaultDevice(void) {
  if (mock_fails(METAL_MOCK_DEVICES)) return nil;
  mock_enter();
  MockDevice *d = mock.ndevices ? [mock.device[0] retain] : nil;
  if (d) mock.counts.devices++;
  mock_leave();
  return (id)d;
}

NSArray *MTLCopyAllDevices(void) {
  if (mock_fails(METAL_MOCK_DEVICES)) return [[NSArray alloc] init];
  mock_enter();
  if (mock.first->ios && mock.desc.system < 18) mock_mistake(NULL, NULL, "MTLCopyAllDevices is of iOS 18 and newer");
  NSArray *all = [[NSArray alloc] initWithObjects:mock.device count:(NSUInteger)mock.ndevices];
  mock.counts.devices += mock.ndevices;
  mock_leave();
  return all;
}
