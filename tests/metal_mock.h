// metal_mock: Apple's Metal framework and GPUs behind it, on this machine, strict: what they would only tolerate is
// wrong.
//
// In: which Macs to play, and what is to fail. Out: MTLCreateSystemDefaultDevice and all that tests/apple/metal
//     declares, work done late by a thread for each queue, counts, and each mistake as a sentence. Kernels are run by
//     tests/metal_kernel.h. As the framework itself, the mock is one for the process: a lock guards it, all of this may
//     be called from any thread, and metal_mock_reset only while no context and no object of Metal's is in use.
// Rows of chips: "a14" iPad, iOS 14, Apple7; "apple7" M1, macOS 11; "apple8" M2, macOS 13; "apple9" M3, macOS 15;
//     "mac2" Radeon Pro in an Intel Mac, macOS 12, no unified memory; "egpu" one that can be pulled out; "intel" a GPU
//     of low power in a Mac, macOS 12; "paravirtual" a virtual machine's, macOS 14, without SIMD-scoped calls.
// Mistakes are found where Metal's validation layer finds them, and further: objects of the dead, leaks, hazards that
//     no barrier or encoder orders, resources of indirect commands that are not made resident, what the system that is
//     played has not. A private buffer is nowhere in the host's memory for who asks for its contents.
#ifndef METAL_MOCK_H
#define METAL_MOCK_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

// Calls that can fail, counted from metal_mock_fail on; METAL_MOCK_ANY counts all of them but METAL_MOCK_EXECUTE.
typedef enum metal_mock_kind {
  METAL_MOCK_ANY,
  METAL_MOCK_DEVICES,          // MTLCreateSystemDefaultDevice and MTLCopyAllDevices find none
  METAL_MOCK_QUEUE, METAL_MOCK_COMMAND_BUFFER, METAL_MOCK_ENCODER,     // nil
  METAL_MOCK_BUFFER, METAL_MOCK_TEXTURE, METAL_MOCK_EVENT, METAL_MOCK_INDIRECT, METAL_MOCK_RESIDENCY,
  METAL_MOCK_LIBRARY, METAL_MOCK_FUNCTION, METAL_MOCK_PIPELINE,        // nil, with an NSError where there is one
  METAL_MOCK_ARCHIVE,          // newBinaryArchive, addComputePipelineFunctions and serializeToURL
  METAL_MOCK_EXECUTE,          // a committed command buffer ends with an error: metal_mock_fail_execution's code
  METAL_MOCK_KINDS
} metal_mock_kind;

typedef struct metal_mock_desc {
  const char *chips;           // such as "apple7" or "mac2,apple7": the first is the system's default; NULL or "": none
  int system;                  // version of macOS or iOS; 0: that of the first chip
  uint32_t seed;               // 0: work is done as soon as it is committed; else put off at random, dispatches that
                               // nothing orders in any order
  uint64_t memory_nbytes;      // that buffers and textures may have in all; 0: 4 GiB. More is nil, with no mistake
  uint64_t max_buffer_nbytes;  // maxBufferLength; 0: the chip's
  int max_threads;             // that pipelines can have in a threadgroup; 0: the chip's
  uint32_t timeout_ms;         // after which a wait for an event is an error; 0: 30 s
  int no_kernels;              // dispatches are checked and counted, and kernels not run: to measure the host's time
} metal_mock_desc;

typedef struct metal_mock_counts {
  long devices, queues, command_buffers, committed, compute_encoders, blit_encoders, dispatches, barriers;
  long indirect_executes, indirect_dispatches;         // calls of executeCommandsInBuffer, and what they ran
  long indirect_encoded;                               // commands that were given a dispatch
  long copies, libraries, pipelines, archive_hits, waits, signals;
  uint64_t copied_nbytes;      // by blits
  long calls;                  // that can fail
  long objects;                // living, devices and what is in pools included
  uint64_t allocated_nbytes;   // of living buffers and textures
} metal_mock_counts;

// Forgets everything; living objects stay, as leaks already told of. 0, or -1: no such chip.
int metal_mock_reset(const metal_mock_desc *d);
// The n-th call of a kind from now on, 1 for the next, fails, and only that one; 0: none does.
void metal_mock_fail(metal_mock_kind kind, long nth);
// The n-th command buffer committed from now on ends with MTLCommandBufferStatusError and this MTLCommandBufferError
// code. Of DeviceRemoved (11) nothing works afterwards, of AccessRevoked (4) nothing is run.
void metal_mock_fail_execution(int code, long nth);
// A GPU of its index is gone now, as one that is pulled out.
void metal_mock_remove(int index);
metal_mock_counts metal_mock_counted(void);

// Waits until no queue has work. Then the number of mistakes since reset, and text of the i-th, a sentence that names
// class and selector; NULL: there are not so many.
int metal_mock_mistakes(void);
const char *metal_mock_mistake(int i);
void metal_mock_forget(void);                        // mistakes, so that the next show
// Objects that live now and should not: at the end, all but devices that are as often retained as they were given out
// by the machine itself. Pools must be drained before. Each is a mistake too, by class, label and count.
int metal_mock_leaks(void);

// For programs that do not know that they run here: without a reset, the first use of Metal reads METAL_MOCK_CHIPS
// ("apple7" where there is none) and METAL_MOCK_SEED, and mistakes and leaks are printed at the end of the process,
// which then ends with status 3.

// Objects for tests in C, as void *: retained, for metal_mock_drop.
void *metal_mock_device(int index);                  // id<MTLDevice>
void *metal_mock_queue(void *device);                // id<MTLCommandQueue>
void *metal_mock_command_buffer(void *queue);        // id<MTLCommandBuffer>
void *metal_mock_buffer(void *device, const void *bytes, size_t nbytes, unsigned options);   // id<MTLBuffer>
void *metal_mock_texture(void *device, unsigned format, size_t width, size_t height, unsigned storage_mode);
void *metal_mock_shared_event(void *device);         // id<MTLSharedEvent>
uint64_t metal_mock_event_value(void *event);
void metal_mock_event_set(void *event, uint64_t value);
void metal_mock_commit(void *command_buffer, int wait);
int metal_mock_status(void *command_buffer);         // MTLCommandBufferStatus
void metal_mock_drop(void *object);
// What a GPU sees of a buffer or texture, private ones included, for tests to look at and to fill; no work may be under
// way. Rows of a texture follow each other without padding.
void *metal_mock_memory(void *resource, size_t *nbytes);
// A pool of the calling thread, as @autoreleasepool is; pools nest.
void *metal_mock_pool(void);
void metal_mock_drain(void *pool);
#ifdef __cplusplus
}
#endif
#endif
