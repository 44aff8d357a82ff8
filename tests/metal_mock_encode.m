// metal_mock_encode: command buffers and their encoders, of the mock of Metal: what is encoded is checked and written
// down, for metal_mock_run to do.
//
// In: messages. Out: lists of commands with what they use, held until the command buffer is completed unless it was
//     made without references.
// Holds: what a dispatch uses is copied when it is encoded; its arguments are those that the kernel declares.
#import "metal_mock_state.h"
#include <stdlib.h>
#include <string.h>

// Launches. ----------------------------------------------------------------------------------------------------------

void mock_launch_copy(mock_launch *to, const mock_launch *from) {
  *to = *from;
  for (int i = 0; i < MOCK_SLOTS; i++) {
    if (!from->slot[i].bytes) continue;
    to->slot[i].bytes = malloc(from->slot[i].nbytes);
    memcpy(to->slot[i].bytes, from->slot[i].bytes, from->slot[i].nbytes);
  }
}

void mock_launch_clear(mock_launch *l) {
  for (int i = 0; i < MOCK_SLOTS; i++) free(l->slot[i].bytes);
  memset(l, 0, sizeof *l);
}

// 0: a mistake.
int mock_slot_set(MockObject *self, SEL _cmd, mock_launch *l, id buffer, NSUInteger offset, NSUInteger index,
                  NSUInteger limit, MockDevice *device) {
  if (index >= limit) { MISTAKE("index %zu, of %zu", (size_t)index, (size_t)limit); return 0; }
  if (buffer && !mock_is(buffer, [MockBuffer class])) {
    MISTAKE("what is set at %zu is no buffer", (size_t)index);
    return 0;
  }
  MockBuffer *b = buffer;
  if (b && b->of != device) { MISTAKE("a buffer of another device"); return 0; }
  if (b && offset >= b->nbytes) {
    MISTAKE("offset %zu is beyond the %zu bytes of the buffer", (size_t)offset, b->nbytes);
    return 0;
  }
  free(l->slot[index].bytes);
  l->slot[index] = (mock_slot){ .buffer = b, .offset = offset };
  return 1;
}

static void mock_argument_check(MockObject *self, SEL _cmd, const mock_launch *l, const metal_argument *a,
                                MockDevice *device) {
  const char *name = [l->pipeline->function->name UTF8String];
  if (a->kind == METAL_THREADGROUP) {
    if (!l->threadgroup[a->index])
      MISTAKE("threadgroup memory %d of %s has no length", a->index, name);
    return;
  }
  if (a->kind == METAL_TEXTURE) {
    const MockTexture *t = l->texture[a->index];
    if (!t) MISTAKE("texture %d of %s is not set", a->index, name);
    else if (a->writes && !(t->use & MTLTextureUsageShaderWrite))
      MISTAKE("texture %d of %s is written, and its usage has no MTLTextureUsageShaderWrite", a->index, name);
    else if (!a->writes && !(t->use & MTLTextureUsageShaderRead))
      MISTAKE("texture %d of %s is read, and its usage has no MTLTextureUsageShaderRead", a->index, name);
    return;
  }
  const mock_slot *s = &l->slot[a->index];
  if (!s->buffer && !s->bytes) { MISTAKE("buffer %d of %s is not set", a->index, name); return; }
  if (s->buffer && mock_dead(s->buffer)) { MISTAKE("buffer %d of %s was freed", a->index, name); return; }
  if (s->bytes && a->kind == METAL_BUFFER && a->writes)
    MISTAKE("buffer %d of %s is written, and what is set are bytes", a->index, name);
  const size_t nbytes = s->bytes ? s->nbytes : s->buffer->nbytes - s->offset;
  size_t alignment = a->element > 16 || !a->element ? 16 : a->element & (~a->element + 1);
  if (a->kind == METAL_CONSTANT && alignment < device->chip->constant_alignment)
    alignment = device->chip->constant_alignment;
  if (s->buffer && s->offset % alignment)
    MISTAKE("offset %zu of buffer %d of %s is no multiple of %zu", s->offset, a->index, name, alignment);
  if (nbytes < a->element)
    MISTAKE("buffer %d of %s has %zu bytes, of at least %zu", a->index, name, nbytes, a->element);
  if (s->buffer && s->buffer->purgeable > MTLPurgeableStateNonVolatile)
    MISTAKE("buffer %d of %s is purgeable now", a->index, name);
}

void mock_launch_check(MockObject *self, SEL _cmd, const mock_launch *l, MockDevice *device) {
  const MockPipeline *p = l->pipeline;
  if (!p) { MISTAKE("a dispatch without a pipeline"); return; }
  if (mock_dead(p)) { MISTAKE("the pipeline was freed"); return; }
  const metal_argument *a = NULL;
  const int count = metal_function_arguments(p->function->function, &a);
  for (int i = 0; i < count; i++) mock_argument_check(self, _cmd, l, &a[i], device);
  size_t shared = metal_function_threadgroup_nbytes(p->function->function);
  for (int i = 0; i < MOCK_SLOTS; i++) shared += l->threadgroup[i];
  if (shared > device->chip->threadgroup_nbytes)
    MISTAKE("%zu bytes of threadgroup memory, of at most %u", shared, device->chip->threadgroup_nbytes);
  const uint64_t threads = (uint64_t)l->items[0] * l->items[1] * l->items[2];
  if (!threads || !l->groups[0] || !l->groups[1] || !l->groups[2]) MISTAKE("a grid or a threadgroup of nothing");
  if (threads > p->max_threads)
    MISTAKE("%llu threads in a threadgroup, and maxTotalThreadsPerThreadgroup of %s is %zu",
            (unsigned long long)threads, [p->function->name UTF8String], (size_t)p->max_threads);
  if (p->whole && threads % 32) MISTAKE("%llu threads are no multiple of the simdgroup, as the pipeline was promised",
                                        (unsigned long long)threads);
}

void mock_size_of(const MTLSize *size, unsigned out[3]) {
  out[0] = (unsigned)size->width;
  out[1] = (unsigned)size->height;
  out[2] = (unsigned)size->depth;
}

// Command buffers. ---------------------------------------------------------------------------------------------------

mock_command *mock_command_add(MockCommandBuffer *b, mock_command_kind kind, int pass) {
  b->command = mock_grow(b->command, b->ncommands, &b->command_capacity, sizeof *b->command);
  mock_command *c = &b->command[b->ncommands++];
  memset(c, 0, sizeof *c);
  c->kind = kind;
  c->pass = pass;
  c->nuses = pass < 0 ? 0 : b->pass[pass].nuses;
  return c;
}

void mock_command_uses(MockCommandBuffer *b, MockObject *o) {
  if (!o || o->stamp == b->serial) return;
  o->stamp = b->serial;
  o->named++;
  if (b->retained) mock_hold(o);
  b->used = mock_grow(b->used, b->nused, &b->used_capacity, sizeof *b->used);
  b->used[b->nused++] = o;
}

static void mock_launch_uses(MockCommandBuffer *b, const mock_launch *l) {
  mock_command_uses(b, l->pipeline);
  for (int i = 0; i < MOCK_SLOTS; i++) {
    mock_command_uses(b, l->slot[i].buffer);
    mock_command_uses(b, l->texture[i]);
  }
}

// An encoder that is to be used now: of a command buffer that is not committed, and not ended. 0: a mistake.
static int mock_encoder_open(MockEncoder *self, SEL _cmd) {
  if (self->over) MISTAKE("after endEncoding");
  else if (self->buffer->state >= MTLCommandBufferStatusCommitted) MISTAKE("after its command buffer was committed");
  else return 1;
  return 0;
}

static MockEncoder *mock_encoder_new(MockCommandBuffer *self, SEL _cmd, Class of, int concurrent) {
  if (self->state >= MTLCommandBufferStatusCommitted) { MISTAKE("after commit"); return nil; }
  if (self->open) { MISTAKE("the encoder before it was not ended"); return nil; }
  if (mock_fails(METAL_MOCK_ENCODER)) return nil;
  mock_enter();
  MockEncoder *e = [of alloc];
  e->buffer = (MockCommandBuffer *)mock_hold(self);
  e->pass = self->npasses;
  self->pass = mock_grow(self->pass, self->npasses, &self->pass_capacity, sizeof *self->pass);
  self->pass[self->npasses++] = (mock_pass){ .compute = of == [MockCompute class], .concurrent = concurrent };
  self->open = e;
  if (of == [MockCompute class]) mock.counts.compute_encoders++; else mock.counts.blit_encoders++;
  mock_leave();
  return [e autorelease];
}

static void mock_event_encode(MockCommandBuffer *self, SEL _cmd, id event, uint64_t value, mock_command_kind kind) {
  mock_enter();
  MockEvent *e = event;
  if (!mock_is(event, [MockEvent class])) MISTAKE("it is no event");
  else if (self->state >= MTLCommandBufferStatusCommitted) MISTAKE("after commit");
  else if (self->open) MISTAKE("within an encoder that is not ended");
  else if (!e->shared && e->of != self->queue->of) MISTAKE("an event of another device that is not shared");
  else {
    mock_command *c = mock_command_add(self, kind, -1);
    mock_command_uses(self, e);
    c->source = e;
    c->value = value;
    if (kind == MOCK_SIGNAL) {
      mock.counts.signals++;
      if (value <= e->scheduled)
        MISTAKE("the value does not grow: %llu after %llu", (unsigned long long)value,
              (unsigned long long)e->scheduled);
      else e->scheduled = value;
    } else mock.counts.waits++;
  }
  mock_leave();
}

@implementation MockCommandBuffer
- (void)end {
  if (in_queue && state < MTLCommandBufferStatusCommitted)
    mock_mistake(self, @selector(release), "enqueued and freed without a commit: its queue would wait for ever");
  for (int i = 0; i < nused; i++) {
    used[i]->named--;
    if (retained) mock_drop(used[i]);
  }
  for (int i = 0; i < ncommands; i++) {
    if (command[i].launch) mock_launch_clear(command[i].launch);
    free(command[i].launch);
    free(command[i].only);
  }
  for (int i = 0; i < npasses; i++) free(pass[i].use);
  free(used); free(command); free(pass); free(after); free(handler);
  nused = ncommands = npasses = 0;
  if (!counted) queue->alive--;
#ifdef __BLOCKS__
  for (int i = 0; i < nhandlers; i++) Block_release(handler[i]);
#endif
  nhandlers = 0;
  [fault release];
  fault = nil;
  pthread_cond_broadcast(&mock.change);
  mock_drop(queue);
}
- (id<MTLDevice>)device { return (id)queue->of; }
- (id<MTLCommandQueue>)commandQueue { return queue; }
- (BOOL)retainedReferences { return retained != 0; }
- (MTLCommandBufferStatus)status {
  mock_enter();
  const MTLCommandBufferStatus now = state;
  mock_leave();
  return now;
}
- (NSError *)error {
  mock_enter();
  NSError *e = [[fault retain] autorelease];
  mock_leave();
  return e;
}
- (double)GPUStartTime {
  if ([self status] < MTLCommandBufferStatusCompleted) MISTAKE("before it is completed there is no time");
  return began;
}
- (double)GPUEndTime {
  if ([self status] < MTLCommandBufferStatusCompleted) MISTAKE("before it is completed there is no time");
  return ended;
}
- (void)enqueue {
  mock_enter();
  if (in_queue) MISTAKE("enqueued twice, or after commit");
  else {
    mock_queue_add(queue, self);
    state = MTLCommandBufferStatusEnqueued;
  }
  mock_leave();
}
- (void)commit {
  mock_enter();
  if (state >= MTLCommandBufferStatusCommitted) MISTAKE("committed twice");
  else {
    if (open) MISTAKE("an encoder of it was not ended");
    if (!in_queue) mock_queue_add(queue, self);
    state = MTLCommandBufferStatusCommitted;
    committed_at = ++mock.clock;
    mock.counts.committed++;
    for (int i = 0; i < nused; i++) {
      if (mock_dead(used[i])) MISTAKE("what it uses was freed: %s", mock_kind(used[i]));
      used[i]->busy++;
    }
    if (mock_fails(METAL_MOCK_EXECUTE)) fails = mock.fail_code;
    mock_queue_run(queue);
  }
  mock_leave();
}
- (void)waitUntilScheduled {
  mock_enter();
  if (state < MTLCommandBufferStatusCommitted) MISTAKE("before commit it waits for ever");
  else mock_queue_wait(self, MTLCommandBufferStatusScheduled);
  mock_leave();
}
- (void)waitUntilCompleted {
  mock_enter();
  if (state < MTLCommandBufferStatusCommitted) MISTAKE("before commit it waits for ever");
  else mock_queue_wait(self, MTLCommandBufferStatusCompleted);
  mock_leave();
}
- (id<MTLBlitCommandEncoder>)blitCommandEncoder {
  return (MockBlit *)mock_encoder_new(self, _cmd, [MockBlit class], 0);
}
- (id<MTLComputeCommandEncoder>)computeCommandEncoder {
  return (MockCompute *)mock_encoder_new(self, _cmd, [MockCompute class], 0);
}
- (id<MTLComputeCommandEncoder>)computeCommandEncoderWithDispatchType:(MTLDispatchType)type {
  if (type > MTLDispatchTypeConcurrent) MISTAKE("%d is no type", (int)type);
  return (MockCompute *)mock_encoder_new(self, _cmd, [MockCompute class], type == MTLDispatchTypeConcurrent);
}
- (void)encodeWaitForEvent:(id<MTLEvent>)event value:(uint64_t)value {
  mock_event_encode(self, _cmd, event, value, MOCK_WAIT);
}
- (void)encodeSignalEvent:(id<MTLEvent>)event value:(uint64_t)value {
  mock_event_encode(self, _cmd, event, value, MOCK_SIGNAL);
}
#ifdef __BLOCKS__
- (void)addCompletedHandler:(MTLCommandBufferHandler)block {
  mock_enter();
  if (state >= MTLCommandBufferStatusCommitted) MISTAKE("after commit");
  else {
    handler = mock_grow(handler, nhandlers, &handler_capacity, sizeof *handler);
    handler[nhandlers++] = Block_copy(block);
  }
  mock_leave();
}
#endif
@end

// Encoders. ----------------------------------------------------------------------------------------------------------

@implementation MockEncoder
- (void)end {
  if (!over) mock_mistake(self, @selector(release), "freed without endEncoding");
  if (buffer->open == self) buffer->open = nil;
  mock_drop(buffer);
}
- (id<MTLDevice>)device { return (id)buffer->queue->of; }
- (void)endEncoding {
  mock_enter();
  if (mock_encoder_open(self, _cmd)) {
    if (groups) MISTAKE("%d debug groups are open", groups);
    over = 1;
    buffer->open = nil;
  }
  mock_leave();
}
- (void)insertDebugSignpost:(NSString *)string { (void)string; }
- (void)pushDebugGroup:(NSString *)string { (void)string; groups++; }
- (void)popDebugGroup {
  if (!groups) MISTAKE("no debug group is open"); else groups--;
}
@end

// The fields that are a message's own, of an encoder that is open.
#define ENTER_OPEN() do { mock_enter(); if (!mock_encoder_open(self, _cmd)) { mock_leave(); return; } } while (0)

static void mock_dispatch(MockCompute *self, SEL _cmd, MTLSize groups, MTLSize threads) {
  if (groups.width >> 32 || groups.height >> 32 || groups.depth >> 32) MISTAKE("more threadgroups than 2^32 - 1");
  mock_size_of(&groups, self->now.groups);
  mock_size_of(&threads, self->now.items);
  // Nothing at all, which makes the drivers of M1 and M2 load a pipeline for indirect commands (tinygrad,
  // runtime/graph/metal.py), is let through.
  if (self->now.pipeline && !groups.width && !groups.height && !groups.depth && !threads.width) return;
  const long told = mock.told;
  mock_launch_check(self, _cmd, &self->now, self->buffer->queue->of);
  if (mock.told != told) return;             // it is not done: one mistake is enough
  mock_command *c = mock_command_add(self->buffer, MOCK_DISPATCH, self->pass);
  c->launch = malloc(sizeof *c->launch);
  mock_launch_copy(c->launch, &self->now);
  mock_launch_uses(self->buffer, c->launch);
  mock.counts.dispatches++;
}

@implementation MockCompute
- (void)end {
  mock_launch_clear(&now);
  [super end];
}
- (MTLDispatchType)dispatchType {
  return buffer->pass[pass].concurrent ? MTLDispatchTypeConcurrent : MTLDispatchTypeSerial;
}
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state {
  ENTER_OPEN();
  if (!mock_is(state, [MockPipeline class])) MISTAKE("it is no pipeline");
  else if (((MockPipeline *)state)->of != buffer->queue->of) MISTAKE("a pipeline of another device");
  else {
    now.pipeline = (MockPipeline *)state;
    mock_command_uses(buffer, now.pipeline);
  }
  mock_leave();
}
- (void)setBytes:(const void *)bytes length:(NSUInteger)length atIndex:(NSUInteger)index {
  ENTER_OPEN();
  if (index >= MOCK_SLOTS) MISTAKE("index %zu, of %d", (size_t)index, MOCK_SLOTS);
  else if (!bytes || !length || length > MOCK_BYTES) MISTAKE("%zu bytes, of 1 to %d", (size_t)length, MOCK_BYTES);
  else {
    mock_slot *s = &now.slot[index];
    free(s->bytes);
    *s = (mock_slot){ .bytes = malloc(length), .nbytes = length };
    memcpy(s->bytes, bytes, length);
  }
  mock_leave();
}
- (void)setBuffer:(id<MTLBuffer>)b offset:(NSUInteger)offset atIndex:(NSUInteger)index {
  ENTER_OPEN();
  if (mock_slot_set(self, _cmd, &now, b, offset, index, MOCK_SLOTS, buffer->queue->of))
    mock_command_uses(buffer, (MockObject *)b);
  mock_leave();
}
- (void)setBufferOffset:(NSUInteger)offset atIndex:(NSUInteger)index {
  ENTER_OPEN();
  if (index >= MOCK_SLOTS || !now.slot[index].buffer) MISTAKE("no buffer is set at %zu", (size_t)index);
  else if (offset >= now.slot[index].buffer->nbytes)
    MISTAKE("offset %zu is beyond the %zu bytes of the buffer", (size_t)offset, now.slot[index].buffer->nbytes);
  else now.slot[index].offset = offset;
  mock_leave();
}
- (void)setTexture:(id<MTLTexture>)texture atIndex:(NSUInteger)index {
  ENTER_OPEN();
  if (index >= MOCK_SLOTS) MISTAKE("index %zu, of %d", (size_t)index, MOCK_SLOTS);
  else if (texture && !mock_is(texture, [MockTexture class])) MISTAKE("it is no texture");
  else if (texture && ((MockTexture *)texture)->of != buffer->queue->of) MISTAKE("a texture of another device");
  else {
    now.texture[index] = (MockTexture *)texture;
    mock_command_uses(buffer, now.texture[index]);
  }
  mock_leave();
}
- (void)setThreadgroupMemoryLength:(NSUInteger)length atIndex:(NSUInteger)index {
  ENTER_OPEN();
  if (index >= MOCK_SLOTS) MISTAKE("index %zu, of %d", (size_t)index, MOCK_SLOTS);
  else if (length % 16) MISTAKE("%zu bytes are no multiple of 16", (size_t)length);
  else now.threadgroup[index] = length;
  mock_leave();
}
- (void)dispatchThreadgroups:(MTLSize)count threadsPerThreadgroup:(MTLSize)threads {
  ENTER_OPEN();
  mock_dispatch(self, _cmd, count, threads);
  mock_leave();
}
// Grids that end within a threadgroup, which every GPU from Apple4 and Mac2 has, are not run here.
- (void)dispatchThreads:(MTLSize)grid threadsPerThreadgroup:(MTLSize)threads {
  ENTER_OPEN();
  if (!threads.width || !threads.height || !threads.depth) MISTAKE("a threadgroup of nothing");
  else if (grid.width % threads.width || grid.height % threads.height || grid.depth % threads.depth)
    MISTAKE("the mock runs whole threadgroups only");
  else
    mock_dispatch(self, _cmd, MTLSizeMake(grid.width / threads.width, grid.height / threads.height,
                                          grid.depth / threads.depth), threads);
  mock_leave();
}
- (void)useResource:(id<MTLResource>)resource usage:(MTLResourceUsage)usage {
  const id<MTLResource> resources[1] = { resource };
  [self useResources:resources count:1 usage:usage];
}
- (void)useResources:(const id<MTLResource> [])resources count:(NSUInteger)count usage:(MTLResourceUsage)usage {
  ENTER_OPEN();
  mock_pass *p = &buffer->pass[pass];
  if (!(usage & 7) || usage & ~(MTLResourceUsage)7) MISTAKE("usage %d", (int)usage);
  for (NSUInteger i = 0; i < count; i++) {
    if (!mock_is(resources[i], [MockResource class])) { MISTAKE("it is no resource"); continue; }
    if (((MockResource *)resources[i])->of != buffer->queue->of) { MISTAKE("a resource of another device"); continue; }
    p->use = mock_grow(p->use, p->nuses, &p->use_capacity, sizeof *p->use);
    p->use[p->nuses++] = (mock_use){ (MockResource *)resources[i], usage };
    mock_command_uses(buffer, (MockObject *)resources[i]);
  }
  mock_leave();
}
- (void)executeCommandsInBuffer:(id<MTLIndirectCommandBuffer>)commands withRange:(NSRange)range {
  ENTER_OPEN();
  MockIndirect *indirect = (MockIndirect *)commands;
  if (!mock_is(commands, [MockIndirect class])) MISTAKE("it is no indirect command buffer");
  else if (indirect->of != buffer->queue->of) MISTAKE("an indirect command buffer of another device");
  else if (!range.length || range.location > indirect->count || range.length > indirect->count - range.location)
    MISTAKE("%zu commands from %zu are beyond its %zu", (size_t)range.length, (size_t)range.location,
            (size_t)indirect->count);
  else {
    mock_command *c = mock_command_add(buffer, MOCK_INDIRECT, pass);
    c->source = indirect;
    c->source_offset = range.location;
    c->nbytes = range.length;
    if (indirect->inherits_pipeline || indirect->inherits_buffers) {
      c->launch = malloc(sizeof *c->launch);
      mock_launch_copy(c->launch, &now);
      mock_launch_uses(buffer, c->launch);
    }
    mock_command_uses(buffer, indirect);
    mock.counts.indirect_executes++;
  }
  mock_leave();
}
- (void)memoryBarrierWithScope:(MTLBarrierScope)scope {
  ENTER_OPEN();
  if (!scope || scope & ~(MTLBarrierScope)3) MISTAKE("scope %d is not of compute", (int)scope);
  if (scope & MTLBarrierScopeBuffers) mock_command_add(buffer, MOCK_BARRIER, pass);
  mock.counts.barriers++;
  mock_leave();
}
- (void)memoryBarrierWithResources:(const id<MTLResource> [])resources count:(NSUInteger)count {
  ENTER_OPEN();
  if (!count) MISTAKE("a barrier for nothing");
  mock_command *c = mock_command_add(buffer, MOCK_BARRIER, pass);
  c->only = calloc(count ? count : 1, sizeof *c->only);
  for (NSUInteger i = 0; i < count; i++) {
    if (!mock_is(resources[i], [MockResource class])) { MISTAKE("it is no resource"); continue; }
    c->only[c->nonly++] = (MockResource *)resources[i];
    mock_command_uses(buffer, (MockObject *)resources[i]);
  }
  mock.counts.barriers++;
  mock_leave();
}
@end

// Blits. -------------------------------------------------------------------------------------------------------------

static int mock_blit_resource(MockBlit *self, SEL _cmd, id resource, Class of) {
  if (!mock_is(resource, of)) {
    MISTAKE("what is given is no %s", of == [MockBuffer class] ? "buffer" : "texture");
    return 0;
  }
  if (((MockResource *)resource)->of != self->buffer->queue->of) { MISTAKE("a resource of another device"); return 0; }
  if (((MockResource *)resource)->purgeable > MTLPurgeableStateNonVolatile) MISTAKE("the resource is purgeable now");
  return 1;
}

// macOS wants multiples of 4 bytes (Apple's documentation of copyFromBuffer:..size: and fillBuffer:range:value:).
static int mock_blit_range(MockBlit *self, SEL _cmd, const MockBuffer *b, size_t offset, size_t nbytes) {
  if (!nbytes) MISTAKE("a copy of nothing");
  else if (offset > b->nbytes || nbytes > b->nbytes - offset)
    MISTAKE("%zu bytes from %zu are beyond the %zu of the buffer", nbytes, offset, b->nbytes);
  else if (!b->of->chip->ios && (offset % 4 || nbytes % 4))
    MISTAKE("%zu bytes from %zu are no multiples of 4", nbytes, offset);
  else return 1;
  return 0;
}

static int mock_blit_region(MockBlit *self, SEL _cmd, const MockTexture *t, MTLOrigin o, MTLSize s, NSUInteger slice,
                            NSUInteger level, const MockBuffer *b, size_t offset, size_t row) {
  const size_t pixel = mock_pixel_nbytes(t->format);
  if (slice || level) MISTAKE("slice %zu and level %zu, of one each", (size_t)slice, (size_t)level);
  else if (!s.width || !s.height || s.depth != 1 || o.z || o.x > t->columns || o.y > t->rows ||
           s.width > t->columns - o.x || s.height > t->rows - o.y) MISTAKE("the region is not within the texture");
  else if (offset % pixel || (!b->of->chip->ios && offset % 4))
    MISTAKE("offset %zu is no multiple of the pixel's %zu bytes, or of 4", offset, pixel);
  else if (row % pixel || row < s.width * pixel)
    MISTAKE("%zu bytes per row are too few, or no multiple of the pixel's %zu", row, pixel);
  else if (row > 32767 * pixel) MISTAKE("%zu bytes per row are more than 32767 pixels", row);
  else if (offset > b->nbytes || (s.height - 1) * row + s.width * pixel > b->nbytes - offset)
    MISTAKE("%zu rows of %zu bytes from %zu are beyond the %zu of the buffer", (size_t)s.height, row, offset,
            b->nbytes);
  else return 1;
  return 0;
}

static mock_command *mock_blit_add(MockBlit *self, mock_command_kind kind, id source, id destination) {
  mock_command *c = mock_command_add(self->buffer, kind, self->pass);
  c->source = source;
  c->destination = destination;
  mock_command_uses(self->buffer, source);
  mock_command_uses(self->buffer, destination);
  mock.counts.copies++;
  return c;
}

@implementation MockBlit
- (void)synchronizeResource:(id<MTLResource>)resource {
  ENTER_OPEN();
  if (!mock_needs(self, _cmd)) {}
  else if (!mock_is(resource, [MockResource class])) MISTAKE("it is no resource");
  else if ([resource storageMode] != MTLStorageModeManaged) MISTAKE("the resource is not of managed storage");
  else mock_blit_add(self, MOCK_SYNCHRONIZE, resource, nil);
  mock_leave();
}
- (void)copyFromBuffer:(id<MTLBuffer>)source sourceOffset:(NSUInteger)from toBuffer:(id<MTLBuffer>)destination
     destinationOffset:(NSUInteger)to size:(NSUInteger)size {
  ENTER_OPEN();
  if (mock_blit_resource(self, _cmd, source, [MockBuffer class]) &&
      mock_blit_resource(self, _cmd, destination, [MockBuffer class]) &&
      mock_blit_range(self, _cmd, (MockBuffer *)source, from, size) &&
      mock_blit_range(self, _cmd, (MockBuffer *)destination, to, size)) {
    if (source == destination && from < to + size && to < from + size) MISTAKE("the ranges overlap");
    mock_command *c = mock_blit_add(self, MOCK_COPY, source, destination);
    c->source_offset = from;
    c->destination_offset = to;
    c->nbytes = size;
  }
  mock_leave();
}
- (void)fillBuffer:(id<MTLBuffer>)b range:(NSRange)range value:(uint8_t)value {
  ENTER_OPEN();
  if (mock_blit_resource(self, _cmd, b, [MockBuffer class]) &&
      mock_blit_range(self, _cmd, (MockBuffer *)b, range.location, range.length)) {
    mock_command *c = mock_blit_add(self, MOCK_FILL, nil, b);
    c->destination_offset = range.location;
    c->nbytes = range.length;
    c->value = value;
  }
  mock_leave();
}
- (void)copyFromTexture:(id<MTLTexture>)source sourceSlice:(NSUInteger)slice sourceLevel:(NSUInteger)level
           sourceOrigin:(MTLOrigin)origin sourceSize:(MTLSize)size toBuffer:(id<MTLBuffer>)destination
      destinationOffset:(NSUInteger)offset destinationBytesPerRow:(NSUInteger)row
    destinationBytesPerImage:(NSUInteger)image {
  (void)image;
  ENTER_OPEN();
  if (mock_blit_resource(self, _cmd, source, [MockTexture class]) &&
      mock_blit_resource(self, _cmd, destination, [MockBuffer class]) &&
      mock_blit_region(self, _cmd, (MockTexture *)source, origin, size, slice, level, (MockBuffer *)destination, offset,
                       row)) {
    mock_command *c = mock_blit_add(self, MOCK_FROM_TEXTURE, source, destination);
    c->origin = origin;
    c->size = size;
    c->destination_offset = offset;
    c->row = row;
  }
  mock_leave();
}
- (void)copyFromBuffer:(id<MTLBuffer>)source sourceOffset:(NSUInteger)offset sourceBytesPerRow:(NSUInteger)row
   sourceBytesPerImage:(NSUInteger)image sourceSize:(MTLSize)size toTexture:(id<MTLTexture>)destination
      destinationSlice:(NSUInteger)slice destinationLevel:(NSUInteger)level destinationOrigin:(MTLOrigin)origin {
  (void)image;
  ENTER_OPEN();
  if (mock_blit_resource(self, _cmd, source, [MockBuffer class]) &&
      mock_blit_resource(self, _cmd, destination, [MockTexture class]) &&
      mock_blit_region(self, _cmd, (MockTexture *)destination, origin, size, slice, level, (MockBuffer *)source, offset,
                       row)) {
    mock_command *c = mock_blit_add(self, MOCK_TO_TEXTURE, source, destination);
    c->origin = origin;
    c->size = size;
    c->source_offset = offset;
    c->row = row;
  }
  mock_leave();
}
@end
