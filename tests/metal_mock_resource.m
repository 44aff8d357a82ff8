// metal_mock_resource: buffers, textures, residency sets and events of the mock of Metal, and their descriptors.
//
// In: sizes, options, formats. Out: memory as the host and as the GPU see it.
// Holds: managed memory is two, which didModifyRange and synchronizeResource bring together, on GPUs that have one
//        memory too; private memory is the GPU's alone.
#import "metal_mock_state.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <time.h>

enum { MOCK_MAPPED = 1 << 20 };              // from here on memory is mapped, so that what nobody touches costs nothing

static uint8_t *mock_memory_new(size_t nbytes) {
  void *memory = NULL;
  if (nbytes >= MOCK_MAPPED) {
    memory = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
  }
  if (posix_memalign(&memory, (size_t)sysconf(_SC_PAGESIZE), nbytes)) return NULL;
  return memset(memory, 0, nbytes);
}

static void mock_memory_free(uint8_t *memory, size_t nbytes) {
  if (nbytes >= MOCK_MAPPED) munmap(memory, nbytes); else free(memory);
}

// With the lock. 0: there is no room.
static int mock_resource_start(MockResource *r, MockDevice *d, size_t nbytes, MTLResourceOptions options, void *host) {
  const MTLStorageMode mode = (options >> 4) & 15;
  if (mock.counts.allocated_nbytes + nbytes > mock.desc.memory_nbytes) return 0;
  r->gpu = host && mode == MTLStorageModeShared ? host : mock_memory_new(nbytes);
  r->host = mode == MTLStorageModePrivate ? NULL : host ? host : mode == MTLStorageModeManaged ? mock_memory_new(nbytes)
            : r->gpu;
  if (!r->gpu || (mode != MTLStorageModePrivate && !r->host)) return 0;
  if (host && r->gpu != host) memcpy(r->gpu, host, nbytes);
  r->of = (MockDevice *)mock_hold(d);
  r->options = options;
  r->purgeable = MTLPurgeableStateNonVolatile;
  r->nbytes = nbytes;
  r->borrowed = host != NULL;
  d->allocated += nbytes;
  mock.counts.allocated_nbytes += nbytes;
  return 1;
}

MockBuffer *mock_buffer_new(MockDevice *d, size_t nbytes, MTLResourceOptions options, void *host) {
  mock_enter();
  MockBuffer *b = [MockBuffer alloc];
  if (!mock_resource_start(b, d, nbytes, options, host)) { [b release]; b = nil; }
  mock_leave();
  return b;
}

@implementation MockResource
- (void)end {
  if (gpu && gpu != host) mock_memory_free(gpu, nbytes);
  if (host && !borrowed) mock_memory_free(host, nbytes);
  if (of) {
    of->allocated -= nbytes;
    mock.counts.allocated_nbytes -= nbytes;
  }
  gpu = host = NULL;
  free(past);
  past = NULL;
  mock_drop(of);
}
- (id<MTLDevice>)device { return (id)of; }
- (NSUInteger)allocatedSize { return nbytes; }
- (MTLStorageMode)storageMode { return (options >> 4) & 15; }
- (MTLCPUCacheMode)cpuCacheMode { return options & 15; }
- (MTLHazardTrackingMode)hazardTrackingMode { return (options >> 8) & 3; }
- (MTLResourceOptions)resourceOptions { return options; }
- (MTLPurgeableState)setPurgeableState:(MTLPurgeableState)state {
  if (state < MTLPurgeableStateKeepCurrent || state > MTLPurgeableStateEmpty) MISTAKE("%d is no state", (int)state);
  mock_enter();
  const MTLPurgeableState before = purgeable;
  if (state != MTLPurgeableStateKeepCurrent && state != MTLPurgeableStateNonVolatile && busy)
    MISTAKE("made purgeable while a command buffer that uses it has not completed");
  if (state != MTLPurgeableStateKeepCurrent) purgeable = state;
  if (state == MTLPurgeableStateEmpty && !borrowed) memset(gpu, 0xdb, nbytes < 65536 ? nbytes : 65536);
  mock_leave();
  return before;
}
@end

@implementation MockBuffer
- (void)end {
#ifdef __BLOCKS__
  if (deallocator) {
    deallocator(host, nbytes);
    Block_release(deallocator);
  }
  deallocator = NULL;
#endif
  [super end];
}
- (NSUInteger)length { return nbytes; }
- (uint64_t)gpuAddress { return mock_needs(self, _cmd) ? (uint64_t)(uintptr_t)gpu : 0; }
- (void *)contents {
  if (!host) MISTAKE("private memory has no contents for the host");
  return host;
}
- (void)didModifyRange:(NSRange)range {
  if (!mock_needs(self, _cmd)) return;
  if ([self storageMode] != MTLStorageModeManaged) { MISTAKE("the buffer is not of managed storage"); return; }
  if (range.location > nbytes || range.length > nbytes - range.location) {
    MISTAKE("%zu bytes from %zu are beyond its %zu", (size_t)range.length, (size_t)range.location, nbytes);
    return;
  }
  memcpy(gpu + range.location, host + range.location, range.length);
}
@end

// Textures. ----------------------------------------------------------------------------------------------------------

@implementation MTLTextureDescriptor
@synthesize textureType, pixelFormat, width, height, depth, mipmapLevelCount, sampleCount, arrayLength, storageMode,
  usage;
+ (MTLTextureDescriptor *)texture2DDescriptorWithPixelFormat:(MTLPixelFormat)format width:(NSUInteger)columns
                                                      height:(NSUInteger)rows mipmapped:(BOOL)mipmapped {
  MTLTextureDescriptor *d = [[[MTLTextureDescriptor alloc] init] autorelease];
  d.pixelFormat = format;
  d.width = columns;
  d.height = rows;
  if (mipmapped)
    while (columns >> d.mipmapLevelCount || rows >> d.mipmapLevelCount) d.mipmapLevelCount++;
  return d;
}
- (id)init {
  textureType = MTLTextureType2D;
  pixelFormat = MTLPixelFormatRGBA8Unorm;
  width = height = depth = mipmapLevelCount = sampleCount = arrayLength = 1;
  usage = MTLTextureUsageShaderRead;
  mock_enter();
  storageMode = mock.first->ios || mock.first->unified ? MTLStorageModeShared : MTLStorageModeManaged;
  mock_leave();
  return self;
}
- (id)copyWithZone:(NSZone *)zone {
  MTLTextureDescriptor *d = [[MTLTextureDescriptor allocWithZone:zone] init];
  d.textureType = textureType; d.pixelFormat = pixelFormat; d.width = width; d.height = height; d.depth = depth;
  d.mipmapLevelCount = mipmapLevelCount; d.sampleCount = sampleCount; d.arrayLength = arrayLength;
  d.storageMode = storageMode; d.usage = usage;
  return d;
}
@end

@interface MockDevice (Textures)
@end
@implementation MockDevice (Textures)
- (id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor *)d {
  const size_t pixel = mock_pixel_nbytes(d.pixelFormat);
  const NSUInteger most = 16384;             // Feature Set Tables, "Maximum 2D texture width and height", Apple3, Mac2
  if (d.textureType != MTLTextureType2D || d.depth != 1 || d.mipmapLevelCount != 1 || d.sampleCount != 1 ||
      d.arrayLength != 1) MISTAKE("the mock has 2D textures of one level, slice and sample");
  else if (!pixel) MISTAKE("pixel format %d is none that the mock knows", (int)d.pixelFormat);
  else if (!d.width || !d.height || d.width > most || d.height > most)
    MISTAKE("%zu x %zu pixels, of at most %zu x %zu", (size_t)d.width, (size_t)d.height, (size_t)most, (size_t)most);
  else if (!mock_storage_fits(self, d.storageMode, 1))
    MISTAKE("%s has no textures of storage mode %d", chip->name, (int)d.storageMode);
  else if (!mock_fails(METAL_MOCK_TEXTURE) && !removed) {
    mock_enter();
    MockTexture *t = [MockTexture alloc];
    t->format = d.pixelFormat;
    t->columns = d.width;
    t->rows = d.height;
    t->use = d.usage;
    if (!mock_resource_start(t, self, d.width * d.height * pixel, d.storageMode << 4, NULL)) { [t release]; t = nil; }
    mock_leave();
    return t;
  }
  return nil;
}
@end

@implementation MockTexture
- (MTLTextureType)textureType { return MTLTextureType2D; }
- (MTLPixelFormat)pixelFormat { return format; }
- (NSUInteger)width { return columns; }
- (NSUInteger)height { return rows; }
- (NSUInteger)depth { return 1; }
- (NSUInteger)mipmapLevelCount { return 1; }
- (NSUInteger)arrayLength { return 1; }
- (NSUInteger)sampleCount { return 1; }
- (MTLTextureUsage)usage { return use; }

// The host's side of a region; NULL: a mistake.
static uint8_t *mock_texture_rows(MockTexture *self, SEL _cmd, MTLRegion r, NSUInteger level, NSUInteger row) {
  const size_t pixel = mock_pixel_nbytes(self->format);
  if (!self->host) MISTAKE("a private texture's pixels are not the host's");
  else if (level) MISTAKE("level %zu of 1", (size_t)level);
  else if (!r.size.width || !r.size.height || r.size.depth != 1 || r.origin.z || r.origin.x > self->columns ||
           r.origin.y > self->rows || r.size.width > self->columns - r.origin.x ||
           r.size.height > self->rows - r.origin.y) MISTAKE("the region is not within the texture");
  else if (row < r.size.width * pixel || row % pixel)
    MISTAKE("bytesPerRow %zu is too little, or not whole pixels of %zu bytes", (size_t)row, pixel);
  else return self->host + (r.origin.y * self->columns + r.origin.x) * pixel;
  return NULL;
}
- (void)getBytes:(void *)bytes bytesPerRow:(NSUInteger)row fromRegion:(MTLRegion)region mipmapLevel:(NSUInteger)level {
  const size_t pixel = mock_pixel_nbytes(format);
  const uint8_t *from = mock_texture_rows(self, _cmd, region, level, row);
  for (size_t y = 0; from && y < region.size.height; y++)
    memcpy((uint8_t *)bytes + y * row, from + y * columns * pixel, region.size.width * pixel);
}
- (void)replaceRegion:(MTLRegion)region mipmapLevel:(NSUInteger)level withBytes:(const void *)bytes
          bytesPerRow:(NSUInteger)row {
  const size_t pixel = mock_pixel_nbytes(format);
  uint8_t *to = mock_texture_rows(self, _cmd, region, level, row);
  if (!to) return;
  const size_t at = (size_t)(to - host);
  for (size_t y = 0; y < region.size.height; y++) {
    memcpy(to + y * columns * pixel, (const uint8_t *)bytes + y * row, region.size.width * pixel);
    if (gpu != host)                         // managed: replaceRegion tells the GPU itself
      memcpy(gpu + at + y * columns * pixel, to + y * columns * pixel, region.size.width * pixel);
  }
}
@end

// Events. ------------------------------------------------------------------------------------------------------------

void mock_event_signal(MockEvent *e, uint64_t value) {
  e->value = value;
  pthread_cond_broadcast(&mock.change);
}

@implementation MockEvent
- (void)end {
  free(signal);
  signal = NULL;
  mock_drop(of);
}
- (id<MTLDevice>)device { return (id)of; }
- (BOOL)respondsToSelector:(SEL)selector {
  if (!shared && (selector == @selector(signaledValue) || selector == @selector(setSignaledValue:))) return NO;
  return [super respondsToSelector:selector];
}
- (uint64_t)signaledValue {
  if (!shared) { MISTAKE("an MTLEvent has no value for the host"); return 0; }
  mock_enter();
  const uint64_t reached = value;
  mock_leave();
  return reached;
}
- (void)setSignaledValue:(uint64_t)to {
  if (!shared) { MISTAKE("an MTLEvent has no value for the host"); return; }
  mock_enter();
  if (to < value) MISTAKE("the value goes back from %llu to %llu", (unsigned long long)value, (unsigned long long)to);
  mock_event_signal(self, to);
  mock_leave();
}
- (BOOL)waitUntilSignaledValue:(uint64_t)to timeoutMS:(uint64_t)milliseconds {
  if (!shared || !mock_needs(self, _cmd)) return NO;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += (time_t)(milliseconds / 1000);
  until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
  if (until.tv_nsec >= 1000000000) { until.tv_sec++; until.tv_nsec -= 1000000000; }
  mock_enter();
  mock.hurry++;
  pthread_cond_broadcast(&mock.change);
  while (value < to && !pthread_cond_timedwait(&mock.change, &mock.lock, &until)) {}
  const BOOL reached = value >= to;
  mock.hurry--;
  mock_leave();
  return reached;
}
@end

// Residency. ---------------------------------------------------------------------------------------------------------

@implementation MTLResidencySetDescriptor
@synthesize initialCapacity;
@dynamic label;
- (id)copyWithZone:(NSZone *)zone {
  MTLResidencySetDescriptor *d = [[MTLResidencySetDescriptor allocWithZone:zone] init];
  d.label = label;
  d.initialCapacity = initialCapacity;
  return d;
}
@end

@interface MockDevice (Residency)
@end
@implementation MockDevice (Residency)
- (id<MTLResidencySet>)newResidencySetWithDescriptor:(MTLResidencySetDescriptor *)descriptor error:(NSError **)error {
  if (error) *error = nil;
  if (!mock_needs(self, _cmd)) return nil;
  if (!descriptor) { MISTAKE("no descriptor"); return nil; }
  if (mock_fails(METAL_MOCK_RESIDENCY) || removed) {
    if (error) *error = mock_error(@"MTLResidencySetErrorDomain", 1, "residency sets are not to be had");
    return nil;
  }
  mock_enter();
  MockResidencySet *s = [MockResidencySet alloc];
  s->of = (MockDevice *)mock_hold(self);
  s->label = [descriptor.label copy];
  mock_leave();
  return s;
}
@end

// Allocations are held from addAllocation to the commit after removeAllocation; members are those of the last commit.
@implementation MockResidencySet
- (void)end {
  [self removeAllAllocations];
  [self commit];
  free(pending);
  free(member);
  pending = member = NULL;
  mock_drop(of);
}
- (id<MTLDevice>)device { return (id)of; }
- (uint64_t)allocatedSize {
  uint64_t sum = 0;
  mock_enter();
  for (int i = 0; i < nmembers; i++) sum += ((MockResource *)member[i])->nbytes;
  mock_leave();
  return sum;
}
- (NSUInteger)allocationCount { return (NSUInteger)npending; }
- (void)requestResidency {}
- (void)endResidency {}
static int mock_set_find(const MockResidencySet *s, id allocation) {
  for (int i = 0; i < s->npending; i++) if (s->pending[i] == allocation) return i;
  return -1;
}
- (void)addAllocation:(id<MTLAllocation>)allocation {
  mock_enter();
  if (!mock_is(allocation, [MockResource class])) MISTAKE("what is added is no resource");
  else if (((MockResource *)allocation)->of != of) MISTAKE("a resource of another device");
  else if (mock_set_find(self, allocation) < 0) {
    pending = mock_grow(pending, npending, &pending_capacity, sizeof *pending);
    pending[npending++] = mock_hold((MockObject *)allocation);
  }
  mock_leave();
}
- (void)removeAllocation:(id<MTLAllocation>)allocation {
  mock_enter();
  const int at = mock_set_find(self, allocation);
  if (at < 0) MISTAKE("it has no such allocation");
  else {
    pending[at] = pending[--npending];
    mock_drop((MockObject *)allocation);
  }
  mock_leave();
}
- (void)removeAllAllocations {
  mock_enter();
  for (int i = 0; i < npending; i++) mock_drop(pending[i]);
  npending = 0;
  mock_leave();
}
- (BOOL)containsAllocation:(id<MTLAllocation>)allocation {
  mock_enter();
  const int at = mock_set_find(self, allocation);
  mock_leave();
  return at >= 0;
}
- (void)commit {
  mock_enter();
  for (int i = 0; i < npending; i++) mock_hold(pending[i]);
  for (int i = 0; i < nmembers; i++) mock_drop(member[i]);
  free(member);
  member = NULL;
  nmembers = npending;
  for (int i = 0, room = 0; i < npending; i++) {
    member = mock_grow(member, i, &room, sizeof *member);
    member[i] = pending[i];
  }
  mock_leave();
}
@end
