// metal_mock: the machine of the mock of Metal: objects that are counted, mistakes, calls that fail, the C interface.
//
// In: metal_mock_desc. Out: a machine of devices for the other rooms, under one lock.
// Holds: a dead object's memory is kept (the last 65536 of them), so that a message to it is a mistake and no crash.
#define _GNU_SOURCE
#import "metal_mock_state.h"
#import <objc/runtime.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

mock_machine mock = { .lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, .change = PTHREAD_COND_INITIALIZER };

NSString *const MTLLibraryErrorDomain = @"MTLLibraryErrorDomain";
NSString *const MTLCommandBufferErrorDomain = @"MTLCommandBufferErrorDomain";
NSString *const MTLBinaryArchiveDomain = @"MTLBinaryArchiveDomain";

// What GCC's runtime keeps of classes when it loads them, and nothing points to, is no leak of a program's; nor is the
// order of its and Foundation's own locks a matter of a program's.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libobjc.so\n"; }
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) { return "deadlock:libgnustep-base.so\ndeadlock:libobjc.so\n"; }
const char *__lsan_default_options(void);
const char *__lsan_default_options(void) { return "print_suppressions=0"; }
// Whose frames are those of an allocation? Foundation is compiled without frame pointers.
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "fast_unwind_on_malloc=0"; }

// Metal's name of an object's class, of the dead too.
const char *mock_kind(const MockObject *o) {
  static const struct { const char *mine, *name; } names[] = {
    { "MockDevice", "MTLDevice" }, { "MockQueue", "MTLCommandQueue" }, { "MockCommandBuffer", "MTLCommandBuffer" },
    { "MockCompute", "MTLComputeCommandEncoder" }, { "MockBlit", "MTLBlitCommandEncoder" },
    { "MockBuffer", "MTLBuffer" }, { "MockTexture", "MTLTexture" }, { "MockEvent", "MTLSharedEvent" },
    { "MockResidencySet", "MTLResidencySet" }, { "MockLibrary", "MTLLibrary" }, { "MockFunction", "MTLFunction" },
    { "MockPipeline", "MTLComputePipelineState" }, { "MockArchive", "MTLBinaryArchive" },
    { "MockIndirect", "MTLIndirectCommandBuffer" }, { "MockIndirectCommand", "MTLIndirectComputeCommand" },
  };
  const char *mine = class_getName(o->was ? o->was : object_getClass((id)o));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) if (!strcmp(names[i].mine, mine)) return names[i].name;
  return mine;                               // descriptors have Metal's names
}

// Mistakes. ----------------------------------------------------------------------------------------------------------

enum { MOCK_MISTAKES = 1000 };               // that are kept; the others are counted

static void mock_mistake_keep(const char *text) {
  mock.told++;
  for (int i = 0; i < mock.nmistakes; i++) if (!strcmp(mock.mistake[i], text)) return;
  if (mock.nmistakes == MOCK_MISTAKES) return;
  mock.mistake = mock_grow(mock.mistake, mock.nmistakes, &mock.mistake_capacity, sizeof *mock.mistake);
  mock.mistake[mock.nmistakes++] = strdup(text);
}

void mock_mistake(MockObject *of, SEL message, const char *format, ...) {
  char text[1024];
  int at = 0;
  if (of || message)
    at = snprintf(text, sizeof text, "-[%s %s]: ", of ? mock_kind(of) : "?", message ? sel_getName(message) : "");
  va_list args;
  va_start(args, format);
  vsnprintf(text + at, sizeof text - (size_t)at, format, args);
  va_end(args);
  mock_enter();
  mock_mistake_keep(text);
  mock_leave();
}

NSError *mock_error(NSString *domain, NSInteger code, const char *format, ...) {
  char text[8192];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  NSString *said = [NSString stringWithUTF8String:text];
  NSDictionary *info = [NSDictionary dictionaryWithObject:said ? said : @"" forKey:NSLocalizedDescriptionKey];
  return [NSError errorWithDomain:domain code:code userInfo:info];
}

// Memory of the mock's own: where there is none, the test has no meaning.
void *mock_grow(void *list, int count, int *capacity, size_t size) {
  if (count < *capacity) return list;
  *capacity = *capacity ? *capacity * 2 : 8;
  void *more = realloc(list, (size_t)*capacity * size);
  if (!more) { fputs("metal_mock: no memory\n", stderr); _exit(4); }
  return more;
}

uint32_t mock_random(uint32_t *state) {      // xorshift32 (Marsaglia, 2003)
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

// Calls that fail. ---------------------------------------------------------------------------------------------------

int mock_fails(metal_mock_kind kind) {
  int fails = 0;
  mock_enter();
  if (kind != METAL_MOCK_EXECUTE) {
    mock.counts.calls++;
    if (mock.until[METAL_MOCK_ANY] && !--mock.until[METAL_MOCK_ANY]) fails = 1;
  }
  if (mock.until[kind] && !--mock.until[kind]) fails = 1;
  mock_leave();
  return fails;
}

void metal_mock_fail(metal_mock_kind kind, long nth) {
  mock_enter();
  mock.until[kind] = nth;
  mock_leave();
}

void metal_mock_fail_execution(int code, long nth) {
  mock_enter();
  mock.fail_code = code;
  mock.until[METAL_MOCK_EXECUTE] = nth;
  mock_leave();
}

void metal_mock_remove(int index) {
  mock_enter();
  if (index >= 0 && index < mock.ndevices) mock.device[index]->removed = 1;
  mock_leave();
}

// Objects. -----------------------------------------------------------------------------------------------------------

int mock_dead(const MockObject *o) { return o->was != Nil; }

int mock_is(id object, Class of) {
  if (!object) return 0;
  Class have = object_getClass(object);
  for (; have; have = class_getSuperclass(have)) if (have == of) return 1;
  return 0;
}

@interface MockZombie : NSObject
@end

// Only the memory of those that no command buffer names is given up.
static void mock_bury(MockObject *o) {
  o->was = object_getClass(o);
  object_setClass(o, [MockZombie class]);
  MockObject **place = &mock.dead[mock.ndead++ % (sizeof mock.dead / sizeof *mock.dead)];
  if (*place && !(*place)->named) NSDeallocateObject(*place);
  *place = o;
}

static void mock_die(MockObject *o) {
  if (o->busy)
    mock_mistake(o, @selector(release), "freed while a command buffer that uses it has not completed%s%s",
                 o->label ? ": " : "", o->label ? [o->label UTF8String] : "");
  [o end];
  [o->label release];
  o->label = nil;
  if (o->newer) o->newer->older = o->older; else mock.newest = o->older;
  if (o->older) o->older->newer = o->newer;
  mock.counts.objects--;
  mock_bury(o);
}

MockObject *mock_hold(MockObject *o) {
  if (o) o->held++;
  return o;
}

void mock_drop(MockObject *o) {
  if (!o || mock_dead(o)) return;
  if (!--o->held && !o->owned) mock_die(o);
}

@implementation MockObject
+ (id)allocWithZone:(NSZone *)zone {
  mock_enter();
  MockObject *o = (MockObject *)NSAllocateObject(self, 0, zone);
  if (o) {
    o->owned = 1;
    o->older = mock.newest;
    if (mock.newest) mock.newest->newer = o;
    mock.newest = o;
    mock.counts.objects++;
  }
  mock_leave();
  return o;
}
- (void)end {}
- (id)retain {
  mock_enter();
  owned++;
  mock_leave();
  return self;
}
- (oneway void)release {
  mock_enter();
  if (owned <= 0) MISTAKE("released more often than it was retained");
  else if (!--owned && !held) mock_die(self);
  mock_leave();
}
- (id)autorelease {
  if ([NSAutoreleasePool currentPool]) [NSAutoreleasePool addObject:self];
  else MISTAKE("there is no autorelease pool on this thread: the object leaks");
  return self;
}
- (NSUInteger)retainCount { return (NSUInteger)owned; }
- (BOOL)respondsToSelector:(SEL)selector { return mock_has(selector) && [super respondsToSelector:selector]; }
- (NSString *)label { return label; }
- (void)setLabel:(NSString *)text {
  NSString *copy = [text copy];
  mock_enter();
  [label release];
  label = copy;
  mock_leave();
}
- (id)copyWithZone:(NSZone *)zone {
  (void)zone;
  MISTAKE("it cannot be copied");
  return [self retain];
}
- (void)doesNotRecognizeSelector:(SEL)selector { MISTAKE("there is no %s", sel_getName(selector)); }
- (NSMethodSignature *)methodSignatureForSelector:(SEL)selector {
  NSMethodSignature *known = [super methodSignatureForSelector:selector];
  if (known) return known;
  MISTAKE("%s is not a message of its, or not one that the mock knows", sel_getName(selector));
  return [NSMethodSignature signatureWithObjCTypes:"@@:"];
}
- (void)forwardInvocation:(NSInvocation *)message { (void)message; }
@end

// A message to the dead is a mistake, and its answer 0.
@implementation MockZombie
static void mock_zombie_told(id self, SEL message) {
  mock_mistake((MockObject *)self, message, "sent to an object that was freed");
}
- (id)retain { mock_zombie_told(self, _cmd); return self; }
- (oneway void)release { mock_zombie_told(self, _cmd); }
- (id)autorelease { mock_zombie_told(self, _cmd); return self; }
- (NSUInteger)retainCount { return 0; }
- (BOOL)respondsToSelector:(SEL)selector { (void)selector; mock_zombie_told(self, _cmd); return NO; }
- (BOOL)isKindOfClass:(Class)class { (void)class; mock_zombie_told(self, _cmd); return NO; }
- (BOOL)conformsToProtocol:(Protocol *)protocol { (void)protocol; mock_zombie_told(self, _cmd); return NO; }
- (NSString *)description { mock_zombie_told(self, _cmd); return @"freed"; }
- (NSMethodSignature *)methodSignatureForSelector:(SEL)selector {
  return [((MockObject *)self)->was instanceMethodSignatureForSelector:selector];
}
- (void)forwardInvocation:(NSInvocation *)message {
  const NSUInteger length = [[message methodSignature] methodReturnLength];
  char nothing[64] = { 0 };
  if (length && length <= sizeof nothing) [message setReturnValue:nothing];
  mock_zombie_told(self, [message selector]);
}
- (void)doesNotRecognizeSelector:(SEL)selector { mock_zombie_told(self, selector); }
@end

// What Foundation says: of its own objects that leak for want of a pool, it says it here alone.
static void mock_logged(NSString *message) {
  const char *text = [message UTF8String], *pool = strstr(text, "autorelease called without pool for object");
  if (!pool) fputs(text, stderr);
  else
    mock_mistake(NULL, NULL, "%.*s: there is no autorelease pool on this thread", (int)strcspn(pool, "\n"), pool);
}

// What Foundation makes once for the process and never frees is made where no sanitizer looks.
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));
static void mock_warm(void) {
  static int warm;
  if (warm++) return;
  _NSLog_printf_handler = mock_logged;
  if (__lsan_disable) __lsan_disable();
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  [[mock_error(MTLLibraryErrorDomain, 1, "none") localizedDescription] length];
  [pool release];
  if (__lsan_enable) __lsan_enable();
}

// The machine. -------------------------------------------------------------------------------------------------------

static void mock_at_exit(void) {
  int nleaks = metal_mock_leaks(), nmistakes = metal_mock_mistakes();
  for (int i = 0; i < nmistakes; i++) fprintf(stderr, "metal_mock: %s\n", metal_mock_mistake(i));
  if (!nleaks && !nmistakes) return;
  fflush(NULL);
  _exit(3);
}

static void mock_forget_mistakes(void) {
  for (int i = 0; i < mock.nmistakes; i++) free(mock.mistake[i]);
  mock.nmistakes = 0;
  mock.told = 0;
}

static void mock_devices_drop(void) {
  for (int i = 0; i < mock.ndevices; i++) {
    mock.device[i]->removed = 1;             // for those who keep it
    mock_drop(mock.device[i]);
    mock.device[i] = nil;
  }
  mock.ndevices = 0;
}

static int mock_chips(const char *keys) {
  const int most = (int)(sizeof mock.device / sizeof *mock.device);
  for (const char *at = keys ? keys : ""; *at;) {
    const size_t length = strcspn(at, ",");
    const mock_chip *chip = mock_find_chip(at, length);
    if (!chip || mock.ndevices == most) return -1;
    MockDevice *d = [MockDevice alloc];
    d->chip = chip;
    d->index = mock.ndevices;
    d->held = 1;
    d->owned = 0;
    if (!mock.ndevices) mock.first = chip;
    mock.device[mock.ndevices++] = d;
    at += length + (at[length] == ',');
  }
  return 0;
}

static int mock_start(const metal_mock_desc *d) {
  mock_warm();
  mock_devices_drop();
  for (MockObject *o = mock.newest; o; o = o->older) o->told = 1;
  mock_forget_mistakes();
  mock.ready = 1;
  mock.desc = *d;
  if (!mock.desc.memory_nbytes) mock.desc.memory_nbytes = (uint64_t)4 << 30;
  if (!mock.desc.timeout_ms) mock.desc.timeout_ms = 30000;
  mock.first = mock_find_chip("apple9", 6);
  mock.random = d->seed ? d->seed * 2654435769u | 1 : 0;     // neighbours begin far from each other
  memset(mock.until, 0, sizeof mock.until);
  const long objects = mock.counts.objects;
  memset(&mock.counts, 0, sizeof mock.counts);
  mock.counts.objects = objects;
  if (mock_chips(d->chips)) { mock_devices_drop(); return -1; }
  if (!mock.desc.system) mock.desc.system = mock.first->system;
  mock.desc.chips = NULL;                    // the caller's text
  return 0;
}

void mock_enter(void) {
  pthread_mutex_lock(&mock.lock);
  if (mock.ready) return;
  const char *chips = getenv("METAL_MOCK_CHIPS"), *seed = getenv("METAL_MOCK_SEED");
  mock.ready = 1;
  if (mock_start(&(metal_mock_desc){ .chips = chips ? chips : "apple7", .seed = seed ? (uint32_t)atol(seed) : 0 }))
    fprintf(stderr, "metal_mock: METAL_MOCK_CHIPS=%s is no list of chips\n", chips);
  if (!mock.at_exit) atexit(mock_at_exit);
  mock.at_exit = 1;
}

void mock_leave(void) { pthread_mutex_unlock(&mock.lock); }

int metal_mock_reset(const metal_mock_desc *d) {
  static const metal_mock_desc none;
  pthread_mutex_lock(&mock.lock);
  if (mock.ready) mock_idle();
  const int failed = mock_start(d ? d : &none);
  pthread_mutex_unlock(&mock.lock);
  return failed;
}

metal_mock_counts metal_mock_counted(void) {
  mock_enter();
  metal_mock_counts counts = mock.counts;
  mock_leave();
  return counts;
}

int metal_mock_mistakes(void) {
  mock_enter();
  mock_idle();
  const int count = mock.nmistakes;
  mock_leave();
  return count;
}

const char *metal_mock_mistake(int i) {
  mock_enter();
  const char *text = i >= 0 && i < mock.nmistakes ? mock.mistake[i] : NULL;
  mock_leave();
  return text;
}

void metal_mock_forget(void) {
  mock_enter();
  mock_idle();
  mock_forget_mistakes();
  mock_leave();
}

int metal_mock_leaks(void) {
  int count = 0;
  mock_enter();
  mock_idle();
  for (const MockObject *o = mock.newest; o; o = o->older) {
    if (o->owned <= 0 || o->told) continue;
    count++;
    mock_mistake(NULL, NULL, "%s%s%s is still alive, retained %ld times", mock_kind(o),
                 o->label ? " " : "", o->label ? [o->label UTF8String] : "", o->owned);
  }
  mock_leave();
  return count;
}

// For tests in C. ----------------------------------------------------------------------------------------------------

void *metal_mock_pool(void) { return [NSAutoreleasePool new]; }
void metal_mock_drain(void *pool) { [(NSAutoreleasePool *)pool release]; }

void *metal_mock_device(int index) {
  mock_enter();
  MockDevice *d = index >= 0 && index < mock.ndevices ? [mock.device[index] retain] : nil;
  mock_leave();
  return d;
}

void *metal_mock_queue(void *device) { return [(id<MTLDevice>)device newCommandQueue]; }

void *metal_mock_command_buffer(void *queue) {
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  id<MTLCommandBuffer> b = [[(id<MTLCommandQueue>)queue commandBuffer] retain];
  [pool release];
  return b;
}

void *metal_mock_buffer(void *device, const void *bytes, size_t nbytes, unsigned options) {
  MockBuffer *b = (MockBuffer *)[(id<MTLDevice>)device newBufferWithLength:nbytes options:options];
  if (b && bytes) memcpy(b->gpu, bytes, nbytes);
  if (b && bytes && b->host) memcpy(b->host, bytes, nbytes);
  return b;
}

void *metal_mock_texture(void *device, unsigned format, size_t width, size_t height, unsigned storage_mode) {
  MTLTextureDescriptor *d = [MTLTextureDescriptor new];
  d.pixelFormat = format;
  d.width = width;
  d.height = height;
  d.storageMode = storage_mode;
  d.usage = MTLTextureUsageShaderRead | MTLTextureUsageShaderWrite;
  id<MTLTexture> texture = [(id<MTLDevice>)device newTextureWithDescriptor:d];
  [d release];
  return texture;
}

void *metal_mock_shared_event(void *device) { return [(id<MTLDevice>)device newSharedEvent]; }
uint64_t metal_mock_event_value(void *event) { return [(id<MTLSharedEvent>)event signaledValue]; }
void metal_mock_event_set(void *event, uint64_t value) { [(id<MTLSharedEvent>)event setSignaledValue:value]; }
int metal_mock_status(void *command_buffer) { return (int)[(id<MTLCommandBuffer>)command_buffer status]; }
void metal_mock_drop(void *object) { [(id)object release]; }

void metal_mock_commit(void *command_buffer, int wait) {
  [(id<MTLCommandBuffer>)command_buffer commit];
  if (wait) [(id<MTLCommandBuffer>)command_buffer waitUntilCompleted];
}

void *metal_mock_memory(void *resource, size_t *nbytes) {
  MockResource *r = (MockResource *)resource;
  if (nbytes) *nbytes = r->nbytes;
  return r->gpu;
}
