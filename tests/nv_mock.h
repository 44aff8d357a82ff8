// nv_mock: NVIDIA's kernel driver and a GPU behind it, on this machine, strict: what they would only tolerate is wrong.
//
// In: the calls of a tiny_nv_system. Out: what the driver answers, a GPU's work done late, and the first thing that was
// wrong, as a sentence. Written from the published headers by name (NVIDIA open-gpu-kernel-modules for ioctls and their
// structures, open-gpu-doc for methods and launch descriptors), and sharing nothing with src/nv, so that an error of
// either shows. The GPU reaches memory only where UVM maps it; kernels run by tests/ptx_machine.h from the PTX whose
// cubin lies at the program's address. No globals; a mock belongs to one thread, and has one of its own where it is
// late.
#ifndef NV_MOCK_H
#define NV_MOCK_H
#ifndef TINY_API
  #include "../src/api/api.h"
#endif
#ifndef TN_NV_SYSTEM                       // the companion, which brings it, is not here
  #include "../src/nv/api.h"
#endif
#include "ptx_machine.h"

typedef enum nv_mock_gpu { NV_MOCK_A100, NV_MOCK_GA102, NV_MOCK_AD102, NV_MOCK_GH100, NV_MOCK_GB100, NV_MOCK_GB202,
                           NV_MOCK_GPUS } nv_mock_gpu;
typedef struct nv_mock nv_mock;

typedef struct nv_mock_desc {
  nv_mock_gpu gpu;
  int branch;                  // of the driver: 535, 550, 565, 570, 580, 595, 610; 0: 580
  int ngpu;                    // 0: 1
  uint64_t vram_nbytes;        // of each; 0: 1 GiB
  uint32_t seed;               // 0: work is done as it is rung for; else by a thread, as late as waits allow, in any
                               // order
  int gvisor;                  // the calls that gVisor's nvproxy passes on for compute and utility, and no others
  int nvlink, no_peers;        // GPUs are peers from the beginning; none is another's peer
  int no_export;               // no object becomes a file
  int mig, exclusive;          // the GPU is partitioned; another process has it
  int no_uvm, denied, absent;  // no /dev/nvidia-uvm; EACCES for nodes of GPUs; ENOENT for nvidiactl
  long fail_alloc;             // the n-th allocation of memory finds none; 0: never, as below
  long fail_ioctl;             // the n-th ioctl is -EIO; one that gives something back does that all the same
  long fault_launch;           // the n-th launch stops its channel, as an exception of an SM does
  long lost_at;                // from the n-th ioctl on the GPU is off the bus; what is given back, is
  const char *ptxas;           // NULL: from PATH or /usr/local/cuda; "": a cubin of the mock's own writing
  // Runs a kernel in place of ptx_run, whose arguments these are; text: its PTX.
  int (*run)(void *user, const char *text, const ptx_launch *l, char *error, size_t error_nbytes);
  void *run_user;
} nv_mock_desc;

typedef struct nv_mock_counts {
  long ioctls, doorbells, launches, copies, allocations, acquires;
  uint64_t copied_nbytes, push_nbytes;     // moved by copy engines; of pushbuffers, executed
} nv_mock_counts;

nv_mock *nv_mock_new(const nv_mock_desc *d);               // NULL: no memory, or no system that has memfd_create
void nv_mock_free(nv_mock *m);
const tiny_nv_system *nv_mock_system(nv_mock *m);          // what tiny_nv_on takes; until nv_mock_free
// A file that another driver made, a dma-buf of so many bytes of the system's memory, for the client to close.
int nv_mock_dmabuf(nv_mock *m, uint64_t nbytes, uint8_t **bytes);
// The first thing that was done wrong; else what waits for what never comes, and what no doorbell was rung for; else
// NULL.
const char *nv_mock_complaint(nv_mock *m);
void nv_mock_forget(nv_mock *m);                           // the complaint, so that the next shows
// Handles that no RM_FREE reached, mappings, ranges and open files: what is there now, and what was when files closed.
int nv_mock_leaks(nv_mock *m);
nv_mock_counts nv_mock_counted(nv_mock *m);
// A cubin that was not made by the system's assemble, such as one from a cache, and its PTX. 0: it is no cubin.
int nv_mock_know(nv_mock *m, const void *cubin, size_t nbytes, const char *ptx);
#endif
