// metal_mock_state: what the rooms of the mock of Metal share: objects that are counted, commands, the machine.
//
// In: tests/apple/metal. Out: classes with their fields, which rooms use under the machine's lock.
// Holds: an object has two counts: `owned` by the program (retain, release, pools) and `held` by other objects of the
//        mock. It dies when both are 0, so that a release too many is told where it is made, and stays as a zombie
//        that answers every message with a mistake.
#ifndef METAL_MOCK_STATE_H
#define METAL_MOCK_STATE_H
@class MockObject;
#define MTL_DESCRIPTOR MockObject
#define MTL_FIELDS(...) { @public __VA_ARGS__ }
#import <Foundation/Foundation.h>

@interface MockObject : NSObject {
@public
  long owned, held;
  long busy;                               // committed command buffers that use it and are not completed
  long named;                              // command buffers that use it, committed or not
  int told;                                // lived when the machine was reset: no leak of what came after
  uint64_t stamp;                          // the command buffer that noted it last
  Class was;                               // of the dead: what it was
  NSString *label;
  MockObject *older, *newer;               // of the living
}
- (NSString *)label;
- (void)setLabel:(NSString *)text;
- (void)end;                               // gives back what it holds; once, before it is a zombie
@end

#import <Metal/Metal.h>
#include "metal_kernel.h"
#include "metal_mock.h"
#include <pthread.h>

enum { MOCK_SLOTS = 31, MOCK_BYTES = 4096, MOCK_INDIRECT_LIMIT = 16384 };

typedef struct mock_chip {
  const char *key, *name;
  int system, ios;                         // version, and whether it is of iOS
  int apple, mac;                          // the newest family of Apple's and of Macs; 0: none
  int unified, low_power, removable;
  int virtual;                             // of a virtual machine
  uint64_t max_buffer, working_set;
  unsigned threadgroup_nbytes, threads, constant_alignment;
} mock_chip;

@class MockDevice, MockQueue, MockCommandBuffer, MockPipeline, MockBuffer, MockTexture, MockIndirect, MockEvent,
       MockResidencySet, MockLibrary, MockFunction;

// Its messages are in the rooms of what they make; GCC wants a protocol's all in one, so that it names none here.
@interface MockDevice : MockObject {
@public
  const mock_chip *chip;
  int index, removed, revoked;
  uint64_t allocated;
}
@end

// Memory of a GPU. Shared: host == gpu. Managed: two memories. Private: the host is told of none.
@interface MockResource : MockObject <MTLResource> {
@public
  MockDevice *of;
  MTLResourceOptions options;
  MTLPurgeableState purgeable;
  uint8_t *gpu, *host;
  size_t nbytes;
  int borrowed;                            // memory of the program's
  struct mock_past *past; int npast, past_capacity;        // what encoders did with it
}
- (MTLStorageMode)storageMode;
@end
@interface MockBuffer : MockResource <MTLBuffer> {
@public
  MTLBufferDeallocator deallocator;
}
@end
@interface MockTexture : MockResource <MTLTexture> {
@public
  MTLPixelFormat format;
  NSUInteger columns, rows;
  MTLTextureUsage use;
}
@end

@interface MockEvent : MockObject <MTLSharedEvent> {
@public
  MockDevice *of;
  int shared;
  uint64_t value, scheduled;               // reached; the greatest that a command buffer was told to signal
  struct mock_signal *signal; int nsignals, signal_capacity;
}
@end

@interface MockResidencySet : MockObject <MTLResidencySet> {
@public
  MockDevice *of;
  MockObject **pending, **member; int npending, pending_capacity, nmembers;
}
@end

@interface MockLibrary : MockObject <MTLLibrary> {
@public
  MockDevice *of;
  metal_module *module;
  uint64_t hash;                           // of text and options
  char *text; int version;
}
@end
@interface MockFunction : MockObject <MTLFunction> {
@public
  MockLibrary *library;
  const metal_function *function;
  NSString *name;
}
@end
@interface MockPipeline : MockObject <MTLComputePipelineState> {
@public
  MockFunction *function;
  MockDevice *of;
  NSUInteger max_threads;
  int whole, indirect;                     // threadgroups are of whole simdgroups; may be in indirect commands
}
@end
@interface MockArchive : MockObject <MTLBinaryArchive> {
@public
  MockDevice *of;
  uint64_t *entry; int nentries, entry_capacity;
}
@end

// Commands. ----------------------------------------------------------------------------------------------------------

typedef struct mock_slot { MockBuffer *buffer; size_t offset; uint8_t *bytes; size_t nbytes; } mock_slot;
typedef struct mock_launch {
  MockPipeline *pipeline;
  mock_slot slot[MOCK_SLOTS];
  MockTexture *texture[MOCK_SLOTS];
  size_t threadgroup[MOCK_SLOTS];
  unsigned groups[3], items[3];
} mock_launch;

typedef enum mock_command_kind {
  MOCK_DISPATCH, MOCK_BARRIER, MOCK_INDIRECT, MOCK_COPY, MOCK_FILL, MOCK_SYNCHRONIZE, MOCK_FROM_TEXTURE,
  MOCK_TO_TEXTURE, MOCK_WAIT, MOCK_SIGNAL
} mock_command_kind;
typedef struct mock_command {
  mock_command_kind kind;
  int pass;                                // of the command buffer; -1: between passes
  int nuses;                               // how many of the pass's resources were declared by then
  mock_launch *launch;                     // of a dispatch; of indirect commands, what they inherit
  MockObject *source, *destination;        // resources; a barrier's are in `launch`'s place: `only`
  MockResource **only; int nonly;          // resources that a barrier is for; NULL: all
  size_t source_offset, destination_offset, nbytes, row;
  MTLOrigin origin; MTLSize size;
  uint64_t value;                          // of an event, of a fill
} mock_command;

typedef struct mock_use { MockResource *resource; MTLResourceUsage usage; } mock_use;
typedef struct mock_pass { int compute, concurrent; mock_use *use; int nuses, use_capacity; } mock_pass;

@interface MockQueue : MockObject <MTLCommandQueue> {
@public
  MockDevice *of;
  NSUInteger limit;
  MockCommandBuffer *first, *last;         // enqueued or committed, in order
  long alive;                              // command buffers that are neither completed nor gone
  uint64_t wanted;                         // the serial that somebody waits for
  MockResidencySet **set; int nsets, set_capacity;
  int thread, ends;
  uint32_t random;
}
@end

@interface MockCommandBuffer : MockObject <MTLCommandBuffer> {
@public
  MockQueue *queue;
  MockCommandBuffer *next;
  int retained, in_queue, counted;
  uint64_t serial, committed_at, completed_at;
  MTLCommandBufferStatus state;
  NSError *fault;
  double began, ended;
  MockObject *open;                        // the encoder that is not ended
  mock_command *command; int ncommands, command_capacity;
  mock_pass *pass; int npasses, pass_capacity;
  MockObject **used; int nused, used_capacity;
  struct mock_order *after; int nafter, after_capacity;
  void **handler; int nhandlers, handler_capacity;
  int fails;                               // the error that it is to end with
}
@end

@interface MockEncoder : MockObject <MTLCommandEncoder> {
@public
  MockCommandBuffer *buffer;
  int pass, over, groups;
}
@end
@interface MockCompute : MockEncoder <MTLComputeCommandEncoder> {
@public
  mock_launch now;
}
@end
@interface MockBlit : MockEncoder <MTLBlitCommandEncoder>
@end

typedef struct mock_indirect_command {
  mock_launch launch;
  int state;                               // 0: never encoded; 1: reset; 2: a dispatch
  int barrier;
} mock_indirect_command;
@interface MockIndirect : MockResource <MTLIndirectCommandBuffer> {
@public
  MTLIndirectCommandType types;
  int inherits_pipeline, inherits_buffers;
  NSUInteger count, buffers, threadgroups;
  mock_indirect_command *command;
}
@end
@interface MockIndirectCommand : MockObject <MTLIndirectComputeCommand> {
@public
  MockIndirect *commands;
  NSUInteger index;
}
@end

// What happened to a resource: by which queue's command buffer and pass.
typedef struct mock_past {
  MockQueue *queue; uint64_t serial; int pass, writes; size_t begin, end;
  uint64_t done;                           // when its command buffer was completed, by the machine's clock; 0: not yet
} mock_past;
typedef struct mock_signal { uint64_t value; MockQueue *queue; uint64_t serial; int pass; } mock_signal;
typedef struct mock_order { MockQueue *queue; uint64_t serial; int pass; } mock_order;

// The machine. -------------------------------------------------------------------------------------------------------

typedef struct mock_machine {
  pthread_mutex_t lock;                    // recursive, of all that is here
  pthread_cond_t change;                   // of a status, an event, a queue
  int ready, hurry, at_exit;               // hurry: nobody puts off
  metal_mock_desc desc;
  const mock_chip *first;                  // of the chips played: it says which system this is
  MockDevice *device[8]; int ndevices;
  MockObject *newest;
  MockObject *dead[1 << 16]; unsigned ndead;
  char **mistake; int nmistakes, mistake_capacity; long told;
  long until[METAL_MOCK_KINDS]; int fail_code;
  uint64_t serial, clock;
  uint32_t random;
  metal_mock_counts counts;
} mock_machine;
extern mock_machine mock;

void mock_enter(void);                     // the lock; the first time, the machine too
void mock_leave(void);
// A sentence about a message: "-[MTLBuffer contents]: ..". `of` may be NULL.
void mock_mistake(MockObject *of, SEL message, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define MISTAKE(...) mock_mistake(self, _cmd, __VA_ARGS__)
int mock_fails(metal_mock_kind kind);      // this call is to fail; counts it
uint32_t mock_random(uint32_t *state);     // of 0: 0

const char *mock_kind(const MockObject *o);  // the protocol's or class's name, as Metal has it
MockObject *mock_hold(MockObject *o);      // of the mock's own; NULL passes
void mock_drop(MockObject *o);
int mock_is(id object, Class of);          // is it a living object of this class?
int mock_dead(const MockObject *o);
void *mock_grow(void *list, int count, int *capacity, size_t size);        // room for one more
NSError *mock_error(NSString *domain, NSInteger code, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Whether the system that is played has a selector; MISTAKE where it hasn't.
int mock_has(SEL selector);
int mock_needs(MockObject *o, SEL selector);
const mock_chip *mock_find_chip(const char *key, size_t length);
enum { MOCK_MATRICES = 1, MOCK_LANES = 2 };
int mock_text_kernel(const char *source, int version, const char *kernel);     // which of them a kernel uses

int mock_storage_fits(MockDevice *d, MTLStorageMode mode, int texture);
MockBuffer *mock_buffer_new(MockDevice *d, size_t nbytes, MTLResourceOptions options, void *host);
size_t mock_pixel_nbytes(MTLPixelFormat format);           // 0: not a format that is known here
metal_picture mock_picture(MockTexture *t);                // for kernels

uint64_t mock_archive_entry(const MockFunction *f, int indirect);
int mock_archive_find(const MockArchive *a, uint64_t entry);
MockPipeline *mock_pipeline_new(MockDevice *d, MockFunction *f, MTLComputePipelineDescriptor *descriptor);

mock_command *mock_command_add(MockCommandBuffer *b, mock_command_kind kind, int pass);
void mock_command_uses(MockCommandBuffer *b, MockObject *o);
void mock_launch_check(MockObject *self, SEL message, const mock_launch *l, MockDevice *device);
void mock_launch_copy(mock_launch *to, const mock_launch *from);
void mock_launch_clear(mock_launch *l);
int mock_slot_set(MockObject *self, SEL message, mock_launch *l, id buffer, NSUInteger offset, NSUInteger index,
                  NSUInteger limit, MockDevice *device);
void mock_size_of(const MTLSize *size, unsigned out[3]);
void mock_event_signal(MockEvent *e, uint64_t value);

// Execution. Each ends with the lock held; hazards are looked for within what nothing orders.
void mock_queue_add(MockQueue *q, MockCommandBuffer *b);
void mock_queue_run(MockQueue *q);         // starts its thread where there is none
void mock_queue_wait(MockCommandBuffer *b, MTLCommandBufferStatus status);
void mock_idle(void);
int mock_execute(MockCommandBuffer *b);    // a code of MTLCommandBufferError; 0: all of it is done
#endif
