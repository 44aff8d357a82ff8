// What the parts of the mock share. Sizes and addresses are bytes.
#ifndef AMD_MOCK_STATE_H
#define AMD_MOCK_STATE_H
#include "amd_mock.h"
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AKM_MAX_GPUS = 8, AKM_PAGE = 4096, AKM_DOORBELLS = 0x2000, AKM_FIRST_MINOR = 128, AKM_FIRST_FD = 2000 };

// Bytes behind memory, alive while an object, a mapping or a file has them.
// vram: of which GPU, + 1; 0: of the system.
typedef struct akm_bytes { uint8_t *bytes; uint64_t nbytes; int64_t at; int vram, references; } akm_bytes;
// What a handle of KFD's names. at: that the host maps it by; shown: it did; hidden: it never sees it.
typedef struct akm_memory {
  uint64_t handle, va, nbytes, at; uint32_t flags; int gpu, mapped[AKM_MAX_GPUS], shown, hidden; akm_bytes *storage;
} akm_memory;
// What a client has mapped. storage NULL: a reservation.
typedef struct akm_view { uint64_t at, nbytes, offset; akm_bytes *storage; } akm_view;

typedef enum akm_kind { AKM_NONE, AKM_KFD, AKM_DRM, AKM_DMABUF } akm_kind;
// An open file, which several descriptors may be of.
typedef struct akm_file { akm_kind kind; int gpu, references; akm_bytes *storage; } akm_file;
typedef struct akm_event {
  uint32_t id, type; int live, auto_reset, signalled, coming; uint32_t words[8]; uint64_t va;
} akm_event;

typedef struct akm_chip {
  const char *name, *card; uint32_t version; int number, family;           // number: 1100
  uint32_t simds, simds_per_unit, arrays, arrays_per_engine, waves, slots, dies, registers;
} akm_chip;

enum { AKM_SH_FIRST = 0x200, AKM_SH = 0x80 };
typedef struct akm_job { amd_mock_dispatch d; uint64_t signal; } akm_job;   // signal: of AQL, counted down at the end
typedef struct akm_seen { uint64_t entry, hash; uint32_t epoch; } akm_seen;
typedef struct akm_queue {
  uint32_t id, type; int gpu, dead, hangs;
  uint64_t ring, nbytes, wptr_at, rptr_at, page, rung, done;               // units: rung for, done
  volatile uint64_t *bell;
  uint64_t list, list_words, list_at;      // an indirect buffer that is read
  uint64_t parked; char waits[120];        // where it waits
  uint32_t sh[AKM_SH]; uint8_t is_set[AKM_SH];
  akm_job *jobs; int njob;
  akm_seen *seen; int nseen; uint32_t epoch;               // code that was run, and how often its cache was emptied
} akm_queue;

struct amd_mock {
  amd_mock_desc desc;
  const akm_chip *chip;
  tiny_amd_system system;
  pthread_mutex_t lock; pthread_cond_t rung, told; pthread_t thread;
  int threaded, stop, pending;
  char complaint[512], hanging[512];
  int memfd; int64_t memfd_nbytes;
  uint64_t vram_left[AKM_MAX_GPUS];
  akm_file **files; int *fds; int nfd, nfile;              // fds: of each descriptor the file, + 1
  akm_file *vm[AKM_MAX_GPUS];              // that the process has a GPU's address space by
  akm_memory **memory; int nmemory;
  akm_view *views; int nview;
  akm_event *events; int nevent;
  uint64_t event_page;                     // handle of the memory with slots of events; 0: none has
  akm_queue **queues; int nqueue;
  akm_bytes *bells[AKM_MAX_GPUS];
  uint32_t next_id, random;
  uint64_t time;
  amd_mock_counts counts;
};

// ---- of amd_mock.c
static int akm_wrong(amd_mock *m, int error, const char *format, ...);     // -error
static uint32_t akm_random(amd_mock *m, uint32_t below);
static void *akm_more(void *array, int n, size_t nbytes);
static akm_bytes *akm_bytes_new(amd_mock *m, uint64_t nbytes, int vram);
static void akm_bytes_drop(amd_mock *m, akm_bytes *b);
static akm_file *akm_file_of(amd_mock *m, int fd);
static int akm_fd_new(amd_mock *m, akm_file *f);
static uint32_t akm_get32(const void *at, size_t offset);
static uint64_t akm_get64(const void *at, size_t offset);
static void akm_put32(void *at, size_t offset, uint32_t value);
static void akm_put64(void *at, size_t offset, uint64_t value);
static int akm_covered(amd_mock *m, uint64_t at, uint64_t nbytes, int reserved);
// ---- of amd_mock_kfd.c
static uint32_t akm_gpu_id(int gpu);
static int akm_gpu_of(const amd_mock *m, uint32_t id);     // below 0: there is none
static int akm_interrupt(amd_mock *m, uint32_t id);
static void akm_events_come(amd_mock *m);
static int akm_ioctl_kfd(amd_mock *m, unsigned long request, uint8_t *p);
static int akm_gives_back(unsigned long request);
static void akm_memory_free(amd_mock *m, akm_memory *o);
static void akm_queue_free(amd_mock *m, akm_queue *q);
// Memory that a GPU has at an address, all n bytes in one object; NULL: it is not mapped so.
static uint8_t *akm_at(amd_mock *m, int gpu, uint64_t address, uint64_t n, int writes);
// ---- of amd_mock_gpu.c
static void akm_run(amd_mock *m);
static void akm_ring(amd_mock *m, const volatile void *at);
#endif
