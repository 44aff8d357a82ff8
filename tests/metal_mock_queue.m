// metal_mock_queue: command queues of the mock of Metal: one thread each, which executes command buffers in order, and
// puts off at random when it begins and when it says that it has ended.
//
// In: command buffers, in the order in which they were enqueued or committed. Out: their status, times and errors.
// Holds: whoever waits for a command buffer ends the putting off; nobody has to.
#import "metal_mock_state.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

@implementation MTLCommandBufferDescriptor
@synthesize retainedReferences, errorOptions;
- (id)init {
  retainedReferences = YES;
  return self;
}
- (id)copyWithZone:(NSZone *)zone {
  MTLCommandBufferDescriptor *d = [[MTLCommandBufferDescriptor allocWithZone:zone] init];
  d.retainedReferences = retainedReferences;
  d.errorOptions = errorOptions;
  return d;
}
@end

// Waiting for something to change, with the lock, until a time of mock_until. 0: the time is up.
static struct timespec mock_until(uint64_t ns) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  const uint64_t sum = (uint64_t)t.tv_nsec + ns;
  t.tv_sec += (time_t)(sum / 1000000000u);
  t.tv_nsec = (long)(sum % 1000000000u);
  return t;
}

static double mock_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Errors, as Metal words them. ---------------------------------------------------------------------------------------

static NSError *mock_execution_error(int code) {
  static const struct { int code; const char *text; } texts[] = {
    { 1, "Internal Error (00000001:kIOGPUCommandBufferCallbackErrorInternal)" },
    { 2, "Caused GPU Timeout Error (00000002:kIOGPUCommandBufferCallbackErrorTimeout)" },
    { 3, "Caused GPU Address Fault Error (0000000b:kIOGPUCommandBufferCallbackErrorPageFault)" },
    { 4, "Ignored (for causing prior/excessive GPU errors) "
         "(00000004:kIOGPUCommandBufferCallbackErrorSubmissionsIgnored)" },
    { 7, "Insufficient Permission (to submit GPU work from background) "
         "(00000006:kIOGPUCommandBufferCallbackErrorBackgroundExecutionNotPermitted)" },
    { 8, "Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)" },
    { 9, "Invalid Resource (00000009:kIOGPUCommandBufferCallbackErrorInvalidResource)" },
    { 10, "Memoryless limits were reached" },
    { 11, "The device was removed" },
    { 12, "Stack overflow" },
  };
  const char *text = "Discarded";
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) if (texts[i].code == code) text = texts[i].text;
  return mock_error(MTLCommandBufferErrorDomain, code,
                    "Execution of the command buffer was aborted due to an error during execution. %s", text);
}

// What a command buffer is told before it runs; 0: to run.
static int mock_refused(MockCommandBuffer *b) {
  MockDevice *d = b->queue->of;
  if (d->removed) return MTLCommandBufferErrorDeviceRemoved;
  if (d->revoked) return MTLCommandBufferErrorAccessRevoked;
  if (b->fails == MTLCommandBufferErrorDeviceRemoved) d->removed = 1;
  if (b->fails == MTLCommandBufferErrorAccessRevoked) d->revoked = 1;
  return b->fails;
}

// The thread. --------------------------------------------------------------------------------------------------------

// At random: not at all, for a short time, or until somebody waits, which nobody may for long.
static void mock_put_off(MockQueue *q, const MockCommandBuffer *b) {
  if (!q->random) return;
  static const uint64_t longest[4] = { 0, 0, 200000, 3000000 };
  const uint64_t ns = longest[mock_random(&q->random) >> 30];
  if (!ns) return;
  const struct timespec until = mock_until(mock_random(&q->random) % ns);
  while (!mock.hurry && q->wanted < b->serial)
    if (pthread_cond_timedwait(&mock.change, &mock.lock, &until)) return;
}

static void mock_finish(MockQueue *q, MockCommandBuffer *b, NSError *error) {
  b->fault = [error retain];
  b->completed_at = ++mock.clock;
  for (int i = 0; i < b->nused; i++) {
    b->used[i]->busy--;
    if (mock_dead(b->used[i]) || !mock_is(b->used[i], [MockResource class])) continue;
    MockResource *r = (MockResource *)b->used[i];
    for (int k = 0; k < r->npast; k++) if (r->past[k].serial == b->serial) r->past[k].done = b->completed_at;
  }
  b->state = error ? MTLCommandBufferStatusError : MTLCommandBufferStatusCompleted;
  q->first = b->next;
  if (!q->first) q->last = nil;
#ifdef __BLOCKS__
  pthread_mutex_unlock(&mock.lock);
  for (int i = 0; i < b->nhandlers; i++) {
    ((MTLCommandBufferHandler)b->handler[i])(b);
    Block_release(b->handler[i]);
  }
  pthread_mutex_lock(&mock.lock);
#endif
  b->nhandlers = 0;
  b->counted = 1;
  q->alive--;
  // What it held is given up now, not when the program lets go of it.
  for (int i = 0; i < b->nused; i++) {
    b->used[i]->named--;
    if (b->retained) mock_drop(b->used[i]);
  }
  b->nused = 0;
  pthread_cond_broadcast(&mock.change);
  mock_drop(b);
}

static void mock_run_one(MockQueue *q, MockCommandBuffer *b) {
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  mock_put_off(q, b);
  b->state = MTLCommandBufferStatusScheduled;
  b->began = mock_seconds();
  pthread_cond_broadcast(&mock.change);
  NSError *error = nil;
  const int refused = mock_refused(b);
  if (refused) error = mock_execution_error(refused);
  else {
    const int code = mock_execute(b);
    if (code) error = mock_execution_error(code);
  }
  b->ended = mock_seconds();
  mock_put_off(q, b);
  mock_finish(q, b, error);
  [pool release];
}

static void *mock_thread(void *queue) {
  MockQueue *q = queue;
  GSRegisterCurrentThread();
  pthread_mutex_lock(&mock.lock);
  for (;;) {
    while (!q->ends && (!q->first || q->first->state < MTLCommandBufferStatusCommitted))
      pthread_cond_wait(&mock.change, &mock.lock);
    if (q->ends) break;
    mock_run_one(q, q->first);
  }
  q->named--;
  pthread_mutex_unlock(&mock.lock);
  GSUnregisterCurrentThread();
  return NULL;
}

void mock_queue_run(MockQueue *q) {
  pthread_cond_broadcast(&mock.change);
  if (q->thread) return;
  q->thread = 1;
  q->named++;                                // its memory outlives the thread
  pthread_t thread;
  pthread_create(&thread, NULL, mock_thread, q);
  pthread_detach(thread);
}

void mock_queue_add(MockQueue *q, MockCommandBuffer *b) {
  b->in_queue = 1;
  mock_hold(b);
  if (q->last) q->last->next = b; else q->first = b;
  q->last = b;
}

void mock_queue_wait(MockCommandBuffer *b, MTLCommandBufferStatus status) {
  if (b->queue->wanted < b->serial) b->queue->wanted = b->serial;
  mock_hold(b);
  pthread_cond_broadcast(&mock.change);
  while (status == MTLCommandBufferStatusCompleted ? !b->counted : b->state < status)
    pthread_cond_wait(&mock.change, &mock.lock);
  mock_drop(b);
}

static int mock_busy(void) {
  for (MockObject *o = mock.newest; o; o = o->older) {
    if (!mock_is(o, [MockQueue class])) continue;
    const MockCommandBuffer *b = ((MockQueue *)o)->first;
    if (b && b->state >= MTLCommandBufferStatusCommitted) return 1;
  }
  return 0;
}

void mock_idle(void) {
  mock.hurry++;
  pthread_cond_broadcast(&mock.change);
  while (mock_busy()) pthread_cond_wait(&mock.change, &mock.lock);
  mock.hurry--;
}

// Queues. ------------------------------------------------------------------------------------------------------------

static MockCommandBuffer *mock_command_buffer(MockQueue *self, SEL _cmd, int retained) {
  if (mock_fails(METAL_MOCK_COMMAND_BUFFER)) return nil;
  mock_enter();
  while (self->alive >= (long)self->limit) {
    if (!self->first || self->first->state < MTLCommandBufferStatusCommitted) {
      MISTAKE("%ld command buffers of the %zu that the queue has are not committed: it would wait for ever",
              self->alive, (size_t)self->limit);
      break;
    }
    self->wanted = ~(uint64_t)0;
    pthread_cond_broadcast(&mock.change);
    pthread_cond_wait(&mock.change, &mock.lock);
  }
  self->wanted = self->wanted == ~(uint64_t)0 ? 0 : self->wanted;
  MockCommandBuffer *b = [MockCommandBuffer alloc];
  b->queue = (MockQueue *)mock_hold(self);
  b->retained = retained;
  b->serial = ++mock.serial;
  self->alive++;
  mock.counts.command_buffers++;
  mock_leave();
  return [b autorelease];
}

@implementation MockQueue
- (void)end {
  ends = 1;
  for (int i = 0; i < nsets; i++) mock_drop(set[i]);
  free(set);
  set = NULL;
  nsets = 0;
  pthread_cond_broadcast(&mock.change);
  mock_drop(of);
}
- (id<MTLDevice>)device { return (id)of; }
- (id<MTLCommandBuffer>)commandBuffer { return mock_command_buffer(self, _cmd, 1); }
- (id<MTLCommandBuffer>)commandBufferWithUnretainedReferences { return mock_command_buffer(self, _cmd, 0); }
- (id<MTLCommandBuffer>)commandBufferWithDescriptor:(MTLCommandBufferDescriptor *)descriptor {
  if (!descriptor) { MISTAKE("no descriptor"); return nil; }
  return mock_command_buffer(self, _cmd, descriptor.retainedReferences);
}
- (void)addResidencySet:(id<MTLResidencySet>)added {
  if (!mock_needs(self, _cmd)) return;
  mock_enter();
  if (!mock_is(added, [MockResidencySet class])) MISTAKE("it is no residency set");
  else if (((MockResidencySet *)added)->of != of) MISTAKE("a residency set of another device");
  else if (nsets == 32) MISTAKE("more than 32 residency sets");
  else {
    set = mock_grow(set, nsets, &set_capacity, sizeof *set);
    set[nsets++] = (MockResidencySet *)mock_hold((MockObject *)added);
  }
  mock_leave();
}
- (void)removeResidencySet:(id<MTLResidencySet>)removed {
  if (!mock_needs(self, _cmd)) return;
  mock_enter();
  int at = 0;
  while (at < nsets && set[at] != removed) at++;
  if (at == nsets) MISTAKE("it has no such residency set");
  else {
    mock_drop(set[at]);
    set[at] = set[--nsets];
  }
  mock_leave();
}
@end
