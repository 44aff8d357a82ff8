// mock_cuda: what a compiled kernel and the mock driver know of each other (mock_cuda.cpp, cuda_shim.h), and what tests
// ask of the driver.
#ifndef MOCK_CUDA_H
#define MOCK_CUDA_H
typedef struct mock_dim { unsigned x, y, z; } mock_dim;
// A work item as its kernel sees it.
typedef struct mock_item {
  mock_dim item, group, items, groups;
  void (*meet)(int warp);                  // all items of the group, or of the warp, come here
  void *(*near)(void *device_address);     // where the memory really is
  char *shared;                            // of the launch
  unsigned long long *lanes;               // a slot for each item of its warp
  int lane;
} mock_item;
// A kernel, as its module exports it behind "mock_" and its name.
typedef struct mock_entry {
  void (*call)(void **values); int n; const int *nbytes; int meets;     // n, nbytes: parameters; meets: has barriers
} mock_entry;
#ifndef CUDA_SHIM
#ifdef __cplusplus
extern "C" {
#endif
// From now on the n-th call fails with this code (1: the next); 0: none does. How many calls there were.
long mock_cuda_refuse(long n, int code);
// From the n-th call on (1: the next) each fails with this code; 0: it is over, and what was left on devices is gone.
void mock_cuda_die(long n, int code);
// Bytes of each device; 0: plenty.
void mock_cuda_memory(unsigned long long nbytes);
// What the clock of events goes on for each item that runs, beside 10000 ns for a kernel.
void mock_cuda_speed(double ns);
// The n-th kernel from now on touches what it must not.
void mock_cuda_lose(long n);
// A number that decides when things happen: bits 0 to 2: how early (0: when somebody waits).
void mock_cuda_seed(unsigned long long seed);
// What the driver would have tolerated, or not noticed; each was written to stderr.
int mock_cuda_wrongs(void);
// Graphs that were launched; nodes that were changed; bytes that are live.
long mock_cuda_graphs(void);
long mock_cuda_changed(void);
unsigned long long mock_cuda_live(void);
// Tensors of which the copy unit was told (cuTensorMapEncodeTiled).
long mock_cuda_maps(void);
// Of the bytes copied to the device: how many went while a kernel given before had not run yet.
long mock_cuda_overlapped(void);
#ifdef __cplusplus
}
#endif
#endif
#endif
