// amd_mock: AMD's kernel driver (KFD) and GPUs behind it, on this machine, strict: what they would only tolerate is
// wrong.
//
// In: the calls of a tiny_amd_system. Out: what the driver answers, a GPU's work done late, and the first thing that
//        was wrong, as a sentence. Written from the published headers and the kernel's own checks (Linux: kfd_ioctl.h,
//        kfd_queue.c, kfd_chardev.c, kfd_events.c; packets: nvd.h, soc15d.h, navi10_sdma_pkt_open.h, HSA's AQL), and
//        sharing nothing with src/amd, so that an error of either shows. A GPU reaches memory only where it was mapped
//        for it. Kernels are run by whoever `run` is. No globals; a mock belongs to one process of contexts, and has a
//        thread of its own where it is late.
#ifndef AMD_MOCK_H
#define AMD_MOCK_H
#ifndef TINY_API
  #include "../src/api/api.h"
#endif
#ifndef TN_KFD_SYSTEM                      // the companion, which brings it, is not here
  #include "../src/amd/api.h"
#endif

typedef enum amd_mock_gpu { AMD_MOCK_GFX1100, AMD_MOCK_GFX1201, AMD_MOCK_GFX942, AMD_MOCK_GPUS } amd_mock_gpu;
typedef struct amd_mock amd_mock;

typedef struct amd_mock_range { uint64_t address, nbytes; int writable; } amd_mock_range;
// A dispatch as a command processor has it when a kernel begins.
typedef struct amd_mock_dispatch {
  int chip;                                // 1100, 1201, 942
  uint64_t entry; uint32_t rsrc1, rsrc2, rsrc3;
  int by_packet;                           // of AQL: descriptor, packet and kernarg say what registers hold
  uint64_t descriptor, packet, queue, kernarg;
  uint32_t user[16]; int nuser;            // of PM4
  uint32_t groups[3], local[3], shared, scratch;
  int wave;                                // lanes
  uint64_t *ticks;                         // of 10 ns that it takes, which run may add to
  // What the GPU reaches, which lies at the same addresses for the host while the kernel runs.
  const amd_mock_range *range; int nranges;
  // Memory of the GPU at an address, all of it in one mapping; NULL: it is not mapped for this GPU.
  void *(*at)(void *memory, uint64_t address, uint64_t nbytes, int writes); void *memory;
} amd_mock_dispatch;

typedef struct amd_mock_desc {
  amd_mock_gpu gpu;
  int version;                 // KFD 1.x; 0: 17
  int ngpu;                    // 0: 1
  uint64_t vram_nbytes;        // of each; 0: 1 GiB
  uint32_t seed;               // 0: work is done as it is rung for; else by a thread, as late as waits allow, in any
                               // order
  uint32_t chip;               // what the topology says the GPU is, in place of its own: 100300 is gfx1030
  int no_peers, no_export;     // GPUs do not map each other's memory; no memory becomes a file
  int denied, no_render;       // EACCES for /dev/kfd; for /dev/dri/renderD*
  int absent, hidden;          // ENOENT for /dev/kfd; the nodes of GPUs read as 0, as in a container
  int taken;                   // another in the process has the address space, by a file: 1 one that is found, 2 not
  long fail_alloc;             // the n-th allocation of memory finds none; 0: never, as below
  long fail_ioctl;             // the n-th ioctl is -EIO; one that gives something back does that all the same
  int deaf;                    // no interrupt ever comes
  int eventful;                // another in the process has the page of events
  long fault_launch;           // the n-th launch uses an address that is not mapped
  long hang_launch;            // the n-th launch never ends
  long reset_launch;           // at the n-th launch the GPU is reset
  // Runs a kernel. 0; else what is wrong in error, and the address that is not mapped in *fault.
  int (*run)(void *user, const amd_mock_dispatch *d, uint64_t *fault, char *error, size_t error_nbytes);
  void *run_user;
} amd_mock_desc;

typedef struct amd_mock_counts {
  long ioctls, doorbells, launches, copies, allocations, waits, lists;     // lists: indirect buffers
  long interrupts, naps;                   // naps: waits for events that took time
  uint64_t copied_nbytes, packets;
} amd_mock_counts;

amd_mock *amd_mock_new(const amd_mock_desc *d);            // NULL: no memory, or no system that has memfd_create
void amd_mock_free(amd_mock *m);
const tiny_amd_system *amd_mock_system(amd_mock *m);       // what tiny_amd_on takes; until amd_mock_free
// A file that another driver made, a dma-buf of so many bytes of the system's memory, for the client to close.
int amd_mock_dmabuf(amd_mock *m, uint64_t nbytes, uint8_t **bytes);
// The first thing that was done wrong; else what waits for what never comes, and what no doorbell was rung for; else
// NULL.
const char *amd_mock_complaint(amd_mock *m);
void amd_mock_forget(amd_mock *m);                         // the complaint, so that the next shows
// Memory, queues, events, mappings and open files that are there.
int amd_mock_leaks(amd_mock *m);
amd_mock_counts amd_mock_counted(amd_mock *m);
#endif
