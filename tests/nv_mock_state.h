// What the parts of the mock share. Sizes and addresses are bytes, statuses are NV_ERR numbers (nvstatuscodes.h).
#ifndef NV_MOCK_STATE_H
#define NV_MOCK_STATE_H
#include "nv_mock.h"
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  NVM_IN_USE = 0x17, NVM_DUPLICATE = 0x19, NVM_NO_PERMISSION = 0x1b, NVM_BAD_ADDRESS = 0x1e, NVM_BAD_ARGUMENT = 0x1f,
  NVM_BAD_CHANNEL = 0x21, NVM_BAD_CLASS = 0x22, NVM_BAD_CLIENT = 0x23, NVM_BAD_DEVICE = 0x26, NVM_BAD_FLAGS = 0x29,
  NVM_BAD_OBJECT = 0x31, NVM_BAD_HANDLE = 0x33, NVM_BAD_PARENT = 0x36, NVM_BAD_OFFSET = 0x37, NVM_BAD_STATE = 0x40,
  NVM_LOST = 0x0f, NVM_NO_MEMORY = 0x51, NVM_UNSUPPORTED = 0x56, NVM_NOT_FOUND = 0x57, NVM_OUT_OF_RANGE = 0x5b,
  NVM_NO_PAGE_TABLE = 0x5d, NVM_STATE_IN_USE = 0x63, NVM_ADDRESS_IN_USE = 0x68, NVM_NOTHING_TO_DO = 0x10006
};

// Classes (class/cl*.h). Those of engines are the chip's (nvm_chip).
enum {
  NVM_CLIENT = 0x41, NVM_DEVICE = 0x80, NVM_SUBDEVICE = 0x2080, NVM_VASPACE = 0x90f1, NVM_GROUP = 0xa06c,
  NVM_CTXSHARE = 0x9067, NVM_DEBUGGER = 0x83de, NVM_SYSTEM_MEMORY = 0x3e, NVM_USER_MEMORY = 0x40,
  NVM_OS_MEMORY = 0x71, NVM_EVENT = 0x79, NVM_CONFIDENTIAL = 0xcb33
};

typedef enum nvm_place { NVM_VRAM, NVM_SYSMEM, NVM_USER_PAGES, NVM_DOORBELL } nvm_place;

// Bytes behind an object, alive while an object or a mapping of UVM's has it.
typedef struct nvm_memory {
  uint8_t *bytes; uint64_t nbytes;
  int64_t at;                              // in the mock's memfd; -1: the client's own pages
  nvm_place place;
  int gpu, references;
} nvm_memory;

typedef struct nvm_channel nvm_channel;
// What a handle names.
typedef struct nvm_object {
  uint32_t client, handle, parent, class_;
  int gpu, file;                           // file: the nvidiactl that a client came from
  uint32_t engine, vaspace, flags;         // of groups, context shares, channels; flags: of a VA space
  nvm_memory *memory;
  nvm_channel *channel;
} nvm_object;

// What a client has mapped. memory NULL: a reservation.
typedef struct nvm_view { uint64_t at, nbytes, offset; nvm_memory *memory; } nvm_view;

typedef enum nvm_file_kind { NVM_FILE_NONE, NVM_FILE_CTL, NVM_FILE_GPU, NVM_FILE_UVM, NVM_FILE_DMABUF } nvm_file_kind;
typedef struct nvm_mapping { int gpu; uint64_t base, nbytes, offset; int type; nvm_memory *memory; } nvm_mapping;
typedef struct nvm_range { uint64_t base, nbytes; int channel; nvm_mapping *mappings; int nmapping; } nvm_range;
enum { NVM_MAX_GPUS = 8 };
// An address space of UVM's: what an open nvidia-uvm is.
typedef struct nvm_uvm {
  int initialized, has_mm;
  int registered[NVM_MAX_GPUS], peers[NVM_MAX_GPUS];       // peers: of a GPU, as bits, whose memory it may reach
  nvm_object *vaspace[NVM_MAX_GPUS];
  nvm_range *ranges; int nrange;
} nvm_uvm;
typedef struct nvm_file {
  nvm_file_kind kind;
  int gpu, registered;                     // registered: REGISTER_FD was called
  nvm_memory *pending; uint64_t pending_nbytes, pending_offset;     // by RM_MAP_MEMORY, for the mmap that follows
  int was_mapped;
  nvm_memory *shared;                      // that EXPORT_OBJECT_TO_FD put there, or of a dma-buf
  nvm_uvm *uvm; int mm_of;                 // mm_of: the file whose memory this one keeps alive, + 1
} nvm_file;

// A personality: what the classes and the limits of a chip are.
typedef struct nvm_chip {
  const char *name;
  int sm; uint32_t sm_version;             // of GR_INFO
  uint32_t compute, copy, gpfifo, usermode;
  uint32_t classes[24];                    // of the class list, ended by 0
  int column, copy_column, gpfifo_column;  // in the tables of methods
  int qmd;                                 // QMD versions: 0 V03_00, 1 V04_00, 2 V05_00
  int gpcs, tpcs_per_gpc, sms_per_tpc, warps_per_sm;
  uint8_t shared_kib[12];                  // the carve-outs, ascending
  uint32_t max_shared;                     // bytes of a block
  uint32_t reserved_shared;                // bytes that the system takes and .nv.shared does not count
  uint32_t param_base;                     // in constant bank 0
  int address_bits;                        // of virtual addresses
  uint32_t token_bits;                     // of a work submit token, beside runlist and channel
  uint32_t architecture;                   // of MC_GET_ARCH_INFO
} nvm_chip;

typedef struct nvm_method { uint16_t offset; const char *name; uint32_t mask[6]; } nvm_method;

enum { NVM_PARSED = 64 };                  // modules that are kept
// What was assembled. module NULL: nvm_module makes it.
typedef struct nvm_source { char *ptx; ptx_module *module; } nvm_source;
// A kernel's code, by the bytes that stand at its program address.
typedef struct nvm_text {
  char *name;
  int source;                              // which
  uint8_t *code; size_t nbytes; uint64_t hash;
  int sm;
  uint32_t registers, frame, stack, param_base, param_nbytes, shared, barriers, max_threads;
  uint32_t constant_nbytes[8];             // of the banks that the cubin has sections for
  uint32_t cluster[3];                     // blocks; 0: none
} nvm_text;

enum { NVM_METHODS = 0x1000 };
// Work that a channel has begun: late it is done when something waits for it.
typedef struct nvm_job {
  int is_copy, alone;                      // alone: a copy that waits for those before it
  uint64_t qmd; uint8_t image[384];        // the descriptor, as it was read
  uint64_t from, to, nbytes, nline, pitch_from, pitch_to;
  uint32_t fill[4]; int fill_words;        // 0: a copy
} nvm_job;

struct nvm_channel {
  nvm_object *object;
  uint32_t token;
  uint64_t ring; uint32_t nentry;
  nvm_memory *userd, *notifier; uint64_t userd_offset;
  int uvm_file;                            // that UVM_REGISTER_CHANNEL was called on, + 1
  int scheduled, dead;
  uint32_t get, put;                       // entries: executed; rung for
  uint64_t segment; uint32_t nword, word;  // the pushbuffer that is read: words of it, done
  uint64_t parked; uint64_t parked_value; int parked_wide, parked_equal;      // parked: 0, or where an acquire looks
  uint32_t bound[8]; uint32_t *value[8]; uint8_t *state[8];                 // by subchannel
  uint32_t host[64]; uint8_t host_state[64];                               // channel methods
  uint64_t inline_to; uint32_t inline_left;                               // of LAUNCH_DMA on the compute class
  uint32_t header, left; uint32_t method, subchannel;                    // of the header that is executed
  nvm_job *jobs; int njob;
  uint64_t segment_base;                   // of the extended base, bits 56:40
  struct nvm_seen *seen;                   // what caches hold (nv_mock_qmd.c)
  uint32_t epoch[3];                       // of each cache: how often it was invalidated
};

// The mapping that the GPU used last: most of what a kernel reads lies there again. channel NULL: none.
typedef struct nvm_hit {
  const nvm_channel *channel; uint64_t base, nbytes; uint8_t *bytes; int is_constant;
} nvm_hit;

struct nv_mock {
  nv_mock_desc desc;
  const nvm_chip *chip;
  tiny_nv_system system;
  pthread_mutex_t lock; pthread_cond_t rung; pthread_t thread;
  int threaded, stop, pending;
  char complaint[512], hanging[512];
  int memfd; int64_t memfd_nbytes;
  uint64_t vram_left[NVM_MAX_GPUS];
  nvm_object **objects; int nobject;
  nvm_file *files; int nfile;
  nvm_view *views; int nview;
  nvm_text *texts; int ntext;
  nvm_source *sources; int nsource;
  int parsed[NVM_PARSED], nparsed;         // sources whose module is there, a ring: of the oldest it is forgotten
  nvm_channel **channels; int nchannel;
  uint32_t next_handle, next_channel, random;
  uint64_t time_ns, fault_at;              // fault_at: an address that was not mapped, of a kernel or a method
  int lost, left_open;                     // left_open: handles and ranges that closing files had to free
  nv_mock_counts counts;
  nvm_hit hit;
  uint32_t unknown[96]; int has_unknown;   // bits of launch descriptors that no field of a launch has
};

// ---- of nv_mock.c
static uint32_t nvm_wrong(nv_mock *m, uint32_t status, const char *format, ...);
static uint32_t nvm_random(nv_mock *m, uint32_t below);
static uint64_t nvm_now(nv_mock *m);                       // a time that was not told before, in ns, of 32
static void *nvm_more(void *array, int n, size_t nbytes);  // room for one more of that size, zero
static nvm_memory *nvm_memory_new(nv_mock *m, nvm_place place, int gpu, uint64_t nbytes);
static void nvm_memory_drop(nv_mock *m, nvm_memory *memory);
static nvm_file *nvm_file_of(nv_mock *m, int fd);          // NULL: not open
static int nvm_gives_back(const nvm_file *f, uint32_t request);
static uint32_t nvm_add(nv_mock *m, nvm_object *o);
static nvm_object *nvm_object_new(uint32_t client, uint32_t parent, uint32_t handle, uint32_t class_);
static uint32_t nvm_get32(const void *at, size_t offset);
static uint64_t nvm_get64(const void *at, size_t offset);
static void nvm_put32(void *at, size_t offset, uint32_t value);
static void nvm_put64(void *at, size_t offset, uint64_t value);
static uint64_t nvm_hash_bytes(const uint8_t *p, uint64_t n);
// ---- of nv_mock_tables.c
static const nvm_chip nvm_chips[NV_MOCK_GPUS];
static int nvm_has_class(const nvm_chip *c, uint32_t class_);
// ---- of nv_mock_rm.c
static int nvm_rm_ioctl(nv_mock *m, int fd, uint32_t request, uint8_t *p);
static nvm_object *nvm_find(nv_mock *m, uint32_t client, uint32_t handle);
static void nvm_free_tree(nv_mock *m, nvm_object *o);
// ---- of nv_mock_uvm.c
static int nvm_uvm_ioctl(nv_mock *m, int fd, uint32_t request, uint8_t *p);
static void nvm_uvm_close(nv_mock *m, nvm_file *f);
static void nvm_uuid(int gpu, uint8_t uuid[16]);
static void nvm_channel_range_free(nv_mock *m, nvm_channel *c);
// The bytes at an address of a channel's, all n in one mapping; NULL: not mapped so.
static uint8_t *nvm_at(nv_mock *m, const nvm_channel *c, uint64_t address, uint64_t n, int writes);
static nvm_uvm *nvm_uvm_of(nv_mock *m, const nvm_channel *c);
static int nvm_overlaps(const nvm_uvm *u, uint64_t base, uint64_t n);
// ---- of nv_mock_cubin.c
static int nvm_assemble(void *user, const char *ptx, int sm, void **cubin, size_t *nbytes, char *log,
                        size_t log_nbytes);
static void nvm_texts_free(nv_mock *m);
// Wrong in what a channel was sent: said, and the channel stops.
#define NVM_STOP(xid, ...) (nvm_wrong(m, 0, __VA_ARGS__), nvm_fault(m, c, xid), 0)
// ---- of nv_mock_gpu.c
static void nvm_run(nv_mock *m);
static void nvm_fault(nv_mock *m, nvm_channel *c, uint32_t xid);          // stops the channel and its group
static void nvm_channel_free(nv_mock *m, nvm_channel *c);
static int nvm_release(nv_mock *m, nvm_channel *c, uint64_t at, uint64_t value, int wide, int four_words,
                       const char *what);
// The value of a method's register, which a trigger takes; wrong where it was never set.
static uint32_t nvm_taken(nv_mock *m, nvm_channel *c, uint32_t subchannel, uint32_t method, const char *name,
                          const char *by);
static void nvm_job_add(nv_mock *m, nvm_channel *c, const nvm_job *job);
// ---- of nv_mock_qmd.c
typedef enum nvm_cache { NVM_CACHE_CODE = 1, NVM_CACHE_CONSTANTS = 2, NVM_CACHE_QMD = 4 } nvm_cache;
static void nvm_invalidate(nvm_channel *c, int caches);    // of nvm_cache, as bits
static void nvm_qmd_launch(nv_mock *m, nvm_channel *c, uint64_t qmd, int invalidates);
static int nvm_qmd_check(nv_mock *m, nvm_channel *c, nvm_job *job);       // 0: wrong, and said so
static int nvm_qmd_run(nv_mock *m, nvm_channel *c, nvm_job *job);
#endif
