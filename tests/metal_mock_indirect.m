// metal_mock_indirect: indirect command buffers of the mock of Metal.
//
// In: a descriptor, and commands that are encoded. Out: launches that mock_execute reads when it comes to them.
// Holds: nothing is retained by a command, as in Metal: what it names must live and be made resident where it is
//        executed. A command that was never encoded is none that may be executed; one that was reset does nothing.
#import "metal_mock_state.h"
#include <stdlib.h>
#include <string.h>

@implementation MTLIndirectCommandBufferDescriptor
@synthesize commandTypes, inheritPipelineState, inheritBuffers, maxKernelBufferBindCount;
- (id)init {
  maxKernelThreadgroupMemoryBindCount = MOCK_SLOTS;
  return self;
}
- (NSUInteger)maxKernelThreadgroupMemoryBindCount {
  return mock_needs(self, _cmd) ? maxKernelThreadgroupMemoryBindCount : 0;
}
- (void)setMaxKernelThreadgroupMemoryBindCount:(NSUInteger)to {
  if (mock_needs(self, _cmd)) maxKernelThreadgroupMemoryBindCount = to;
}
- (id)copyWithZone:(NSZone *)zone {
  MTLIndirectCommandBufferDescriptor *d = [[MTLIndirectCommandBufferDescriptor allocWithZone:zone] init];
  d.commandTypes = commandTypes;
  d.inheritPipelineState = inheritPipelineState;
  d.inheritBuffers = inheritBuffers;
  d.maxKernelBufferBindCount = maxKernelBufferBindCount;
  d->maxKernelThreadgroupMemoryBindCount = maxKernelThreadgroupMemoryBindCount;
  return d;
}
@end

@interface MockDevice (Indirect)
@end
@implementation MockDevice (Indirect)
- (id<MTLIndirectCommandBuffer>)newIndirectCommandBufferWithDescriptor:(MTLIndirectCommandBufferDescriptor *)d
                                                       maxCommandCount:(NSUInteger)count
                                                               options:(MTLResourceOptions)options {
  const MTLIndirectCommandType dispatches = MTLIndirectCommandTypeConcurrentDispatch |
                                            MTLIndirectCommandTypeConcurrentDispatchThreads;
  const MTLStorageMode mode = (options >> 4) & 15;
  if (!d || !d.commandTypes || d.commandTypes & ~dispatches)
    MISTAKE("command types 0x%x are not those of dispatches", d ? (unsigned)d.commandTypes : 0);
  else if (!count || count > MOCK_INDIRECT_LIMIT)
    MISTAKE("%zu commands, of 1 to %d", (size_t)count, MOCK_INDIRECT_LIMIT);
  else if (d.maxKernelBufferBindCount > MOCK_SLOTS)
    MISTAKE("maxKernelBufferBindCount %zu, of %d", (size_t)d.maxKernelBufferBindCount, MOCK_SLOTS);
  else if (mode != MTLStorageModeShared && mode != MTLStorageModePrivate)
    MISTAKE("indirect commands of storage mode %d", (int)mode);
  else if (!mock_fails(METAL_MOCK_INDIRECT) && !removed) {
    mock_enter();
    MockIndirect *i = [MockIndirect alloc];
    i->of = (MockDevice *)mock_hold(self);
    i->options = options;
    i->purgeable = MTLPurgeableStateNonVolatile;
    i->types = d.commandTypes;
    i->inherits_pipeline = d.inheritPipelineState;
    i->inherits_buffers = d.inheritBuffers;
    i->buffers = d.maxKernelBufferBindCount;
    i->threadgroups = d->maxKernelThreadgroupMemoryBindCount;
    i->count = count;
    i->command = calloc(count, sizeof *i->command);
    mock_leave();
    return i;
  }
  return nil;
}
@end

// A command's names keep the memory of what they name, so that it can be told to be dead.
static void mock_name(MockObject **slot, MockObject *o) {
  if (*slot) (*slot)->named--;
  if (o) o->named++;
  *slot = o;
}

static void mock_indirect_clear(mock_indirect_command *c, int state) {
  mock_name((MockObject **)&c->launch.pipeline, nil);
  for (int i = 0; i < MOCK_SLOTS; i++) mock_name((MockObject **)&c->launch.slot[i].buffer, nil);
  memset(c, 0, sizeof *c);
  c->state = state;
}

@implementation MockIndirect
- (void)end {
  for (NSUInteger i = 0; i < count; i++) mock_indirect_clear(&command[i], 0);
  free(command);
  command = NULL;
  [super end];
}
- (NSUInteger)size { return count; }
- (void)resetWithRange:(NSRange)range {
  mock_enter();
  if (busy) MISTAKE("while a command buffer that executes it has not completed");
  else if (range.location > count || range.length > count - range.location)
    MISTAKE("%zu commands from %zu are beyond its %zu", (size_t)range.length, (size_t)range.location, (size_t)count);
  else for (NSUInteger i = 0; i < range.length; i++) mock_indirect_clear(&command[range.location + i], 1);
  mock_leave();
}
- (id<MTLIndirectComputeCommand>)indirectComputeCommandAtIndex:(NSUInteger)at {
  if (at >= count) { MISTAKE("command %zu, of %zu", (size_t)at, (size_t)count); return nil; }
  mock_enter();
  MockIndirectCommand *c = [MockIndirectCommand alloc];
  c->commands = self;
  c->index = at;
  named++;
  mock_leave();
  return [c autorelease];
}
@end

// The command that a message is for, with the lock; NULL: a mistake, without it.
static mock_indirect_command *mock_indirect_at(MockIndirectCommand *self, SEL _cmd) {
  mock_enter();
  if (mock_dead(self->commands)) MISTAKE("its indirect command buffer was freed");
  else if (self->commands->busy) MISTAKE("while a command buffer that executes it has not completed");
  else return &self->commands->command[self->index];
  mock_leave();
  return NULL;
}

@implementation MockIndirectCommand
- (void)end { commands->named--; }
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state {
  mock_indirect_command *c = mock_indirect_at(self, _cmd);
  if (!c) return;
  MockPipeline *p = (MockPipeline *)state;
  if (!mock_is(state, [MockPipeline class])) MISTAKE("it is no pipeline");
  else if (commands->inherits_pipeline) MISTAKE("it inherits the pipeline");
  else if (p->of != commands->of) MISTAKE("a pipeline of another device");
  else if (!p->indirect) MISTAKE("the pipeline was made without supportIndirectCommandBuffers");
  else mock_name((MockObject **)&c->launch.pipeline, p);
  mock_leave();
}
- (void)setKernelBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)at {
  mock_indirect_command *c = mock_indirect_at(self, _cmd);
  if (!c) return;
  MockBuffer *before = at < MOCK_SLOTS ? c->launch.slot[at].buffer : nil;
  if (commands->inherits_buffers) MISTAKE("it inherits buffers");
  else if (mock_slot_set(self, _cmd, &c->launch, buffer, offset, at, commands->buffers, commands->of)) {
    if (before) before->named--;
    if (buffer) ((MockBuffer *)buffer)->named++;
  }
  mock_leave();
}
- (void)setThreadgroupMemoryLength:(NSUInteger)length atIndex:(NSUInteger)at {
  mock_indirect_command *c = mock_indirect_at(self, _cmd);
  if (!c) return;
  if (at >= commands->threadgroups) MISTAKE("index %zu, of %zu", (size_t)at, (size_t)commands->threadgroups);
  else if (length % 16) MISTAKE("%zu bytes are no multiple of 16", (size_t)length);
  else c->launch.threadgroup[at] = length;
  mock_leave();
}
- (void)concurrentDispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads {
  mock_indirect_command *c = mock_indirect_at(self, _cmd);
  if (!c) return;
  mock_size_of(&groups, c->launch.groups);
  mock_size_of(&threads, c->launch.items);
  if (!(commands->types & MTLIndirectCommandTypeConcurrentDispatch))
    MISTAKE("the buffer was made without MTLIndirectCommandTypeConcurrentDispatch");
  if (!commands->inherits_pipeline && !commands->inherits_buffers)
    mock_launch_check(self, _cmd, &c->launch, commands->of);
  c->state = 2;
  mock.counts.indirect_encoded++;
  mock_leave();
}
- (void)setBarrier {
  mock_indirect_command *c = mock_indirect_at(self, _cmd);
  if (!c) return;
  c->barrier = 1;
  mock_leave();
}
- (void)clearBarrier {
  mock_indirect_command *c = mock_indirect_at(self, _cmd);
  if (!c) return;
  c->barrier = 0;
  mock_leave();
}
- (void)reset {
  mock_indirect_command *c = mock_indirect_at(self, _cmd);
  if (!c) return;
  mock_indirect_clear(c, 1);
  mock_leave();
}
@end
