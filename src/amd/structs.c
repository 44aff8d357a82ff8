// structs: what amdgpu's compute interface (KFD) takes: own declarations.
//
// Holds: the compiler asserts their sizes. KFD takes a call by its number, and fills what is missing with zeros: a
//        newer driver takes an older struct.
// What is what: Linux, include/uapi/linux/kfd_ioctl.h (names there stand behind ours); ROCR-Runtime,
// core/inc/amd_hsa_queue.h, amd_hsa_signal.h, HSA Runtime Programmer's Reference Manual (AQL).
#ifndef TN_KFD_STRUCTS
#define TN_KFD_STRUCTS
#include <stddef.h>
#include <stdint.h>

enum {                                     // AMDKFD_IOC_*, and which way an argument goes
  TN_KFD_READ = 2, TN_KFD_WRITE = 1, TN_KFD_BOTH = 3,
  TN_KFD_GET_VERSION = 0x01, TN_KFD_CREATE_QUEUE = 0x02, TN_KFD_DESTROY_QUEUE = 0x03, TN_KFD_CREATE_EVENT = 0x08,
  TN_KFD_DESTROY_EVENT = 0x09, TN_KFD_WAIT_EVENTS = 0x0C, TN_KFD_ACQUIRE_VM = 0x15, TN_KFD_ALLOC = 0x16,
  TN_KFD_FREE = 0x17, TN_KFD_MAP = 0x18, TN_KFD_UNMAP = 0x19, TN_KFD_IMPORT = 0x1D, TN_KFD_AVAILABLE = 0x23,
  TN_KFD_EXPORT = 0x24
};
#define TN_KFD_REQUEST(way, number, nbytes) \
  ((unsigned long)(way) << 30 | (unsigned long)(nbytes) << 16 | 0x4B00ul | (unsigned long)(number))

typedef struct tn_kfd_version { uint32_t major, minor; } tn_kfd_version;
typedef struct tn_kfd_create_queue {       // kfd_ioctl_create_queue_args
  uint64_t ring, wptr, rptr, doorbell; uint32_t ring_nbytes, gpu, type, percentage, priority, id;
  uint64_t eop, eop_nbytes, save; uint32_t save_nbytes, control_nbytes, sdma_engine, unused;
} tn_kfd_create_queue;
enum { TN_KFD_QUEUE_COMPUTE = 0, TN_KFD_QUEUE_SDMA = 1, TN_KFD_QUEUE_AQL = 2 };
typedef struct tn_kfd_destroy_queue { uint32_t id, unused; } tn_kfd_destroy_queue;
typedef struct tn_kfd_create_event {       // kfd_ioctl_create_event_args
  uint64_t page; uint32_t trigger, type, auto_reset, node, id, slot;
} tn_kfd_create_event;
enum { TN_KFD_EVENT_SIGNAL = 0, TN_KFD_EVENT_HW_EXCEPTION = 3, TN_KFD_EVENT_MEMORY = 8,
  TN_KFD_EVENT_PAGE = 4096 * 8 };          // KFD_SIGNAL_EVENT_LIMIT slots of 8 bytes
typedef struct tn_kfd_destroy_event { uint32_t id, unused; } tn_kfd_destroy_event;
// kfd_event_data: of a memory fault {not present, read only, no execute, imprecise}, the address, the GPU; of a
// hardware exception {kind of reset, cause, memory lost, the GPU}.
typedef struct tn_kfd_event_data {
  union {
    struct { uint32_t missing, read_only, no_execute, imprecise; uint64_t va; uint32_t gpu, kind; } memory;
    struct { uint32_t reset, cause, memory_lost, gpu; } exception;
  } of;
  uint64_t next; uint32_t id, unused;
} tn_kfd_event_data;
typedef struct tn_kfd_wait_events {        // kfd_ioctl_wait_events_args
  uint64_t events; uint32_t n, all, timeout_ms, result;
} tn_kfd_wait_events;
enum { TN_KFD_WAIT_COMPLETE = 0, TN_KFD_WAIT_TIMEOUT = 1, TN_KFD_WAIT_FAIL = 2 };
typedef struct tn_kfd_acquire_vm { uint32_t fd, gpu; } tn_kfd_acquire_vm;
typedef struct tn_kfd_alloc {              // kfd_ioctl_alloc_memory_of_gpu_args
  uint64_t va, nbytes, handle, mmap_offset; uint32_t gpu, flags;
} tn_kfd_alloc;
enum {                                     // KFD_IOC_ALLOC_MEM_FLAGS_*
  TN_KFD_VRAM = 1 << 0, TN_KFD_GTT = 1 << 1, TN_KFD_USERPTR = 1 << 2, TN_KFD_UNCACHED = 1 << 25,
  TN_KFD_COHERENT = 1 << 26, TN_KFD_NO_SUBSTITUTE = 1 << 28, TN_KFD_PUBLIC = 1 << 29, TN_KFD_EXECUTABLE = 1 << 30
};
#define TN_KFD_WRITABLE (1u << 31)
typedef struct tn_kfd_free { uint64_t handle; } tn_kfd_free;
typedef struct tn_kfd_map { uint64_t handle, gpus; uint32_t n, done; } tn_kfd_map;       // of MAP and UNMAP
typedef struct tn_kfd_import { uint64_t va, handle; uint32_t gpu, fd; } tn_kfd_import;
typedef struct tn_kfd_export { uint64_t handle; uint32_t flags, fd; } tn_kfd_export;
typedef struct tn_kfd_available { uint64_t nbytes; uint32_t gpu, unused; } tn_kfd_available;

// ** what firmware reads **

// amd_signal_t: value counts down; times are of the GPU's clock.
typedef struct tn_kfd_signal {
  int64_t kind, value; uint64_t mailbox; uint32_t event, unused; uint64_t begin, end, queue, unused2;
} tn_kfd_signal;
// amd_queue_t, of which firmware takes the fields with names. hsa: type, features, ring, doorbell, size, id.
typedef struct tn_kfd_queue_page {
  uint64_t hsa[5]; uint64_t unused0[2], write; uint32_t group_aperture, private_aperture, most_unit, most_wave;
  uint64_t legacy_doorbell; uint32_t legacy_lock, unused1[9]; uint64_t read; uint32_t read_base, tmpring, srd[4];
  uint64_t scratch, scratch_nbytes; uint32_t lane_nbytes, properties, unused2[2]; uint64_t inactive;
    uint32_t unused3[14];
} tn_kfd_queue_page;
enum { TN_KFD_QUEUE_IS_64 = 2, TN_KFD_QUEUE_PROFILES = 8 };
typedef struct tn_kfd_aql_dispatch {       // hsa_kernel_dispatch_packet_t
  uint16_t header, setup, local[3], unused0; uint32_t items[3], scratch, shared; uint64_t kernel, args, unused1, signal;
} tn_kfd_aql_dispatch;
typedef struct tn_kfd_aql_words {          // amd_aql_pm4_ib
  uint16_t header, vendor; uint32_t jump[4], left, unused[8]; uint64_t signal;
} tn_kfd_aql_words;
enum {                                     // hsa_packet_header_t: type, barrier, acquire and release of the system
  TN_AQL_VENDOR = 0, TN_AQL_INVALID = 1, TN_AQL_DISPATCH = 2, TN_AQL_BARRIER_AND = 3,
  TN_AQL_BARRIER = 1 << 8, TN_AQL_ACQUIRE_AGENT = 1 << 9, TN_AQL_ACQUIRE = 2 << 9, TN_AQL_RELEASE_AGENT = 1 << 11,
  TN_AQL_RELEASE = 2 << 11, TN_AQL_WORDS = 1 /* AMD_AQL_FORMAT_PM4_IB */
};

#ifdef __cplusplus
#define TN_KFD_SIZE(type, nbytes) static_assert(sizeof(type) == nbytes, #type)
#define TN_KFD_AT(type, member, offset) static_assert(offsetof(type, member) == offset, #type)
#else
#define TN_KFD_SIZE(type, nbytes) _Static_assert(sizeof(type) == nbytes, #type)
#define TN_KFD_AT(type, member, offset) _Static_assert(offsetof(type, member) == offset, #type)
#endif
TN_KFD_SIZE(tn_kfd_version, 8); TN_KFD_SIZE(tn_kfd_create_queue, 96); TN_KFD_AT(tn_kfd_create_queue, doorbell, 0x18);
TN_KFD_AT(tn_kfd_create_queue, id, 0x34); TN_KFD_AT(tn_kfd_create_queue, save_nbytes, 0x50);
TN_KFD_SIZE(tn_kfd_destroy_queue, 8); TN_KFD_SIZE(tn_kfd_create_event, 32); TN_KFD_AT(tn_kfd_create_event, id, 0x18);
TN_KFD_SIZE(tn_kfd_event_data, 48); TN_KFD_AT(tn_kfd_event_data, of.memory.va, 0x10);
TN_KFD_AT(tn_kfd_event_data, id, 0x28); TN_KFD_SIZE(tn_kfd_wait_events, 24); TN_KFD_SIZE(tn_kfd_acquire_vm, 8);
TN_KFD_SIZE(tn_kfd_alloc, 40); TN_KFD_AT(tn_kfd_alloc, flags, 0x24); TN_KFD_SIZE(tn_kfd_free, 8);
TN_KFD_SIZE(tn_kfd_map, 24); TN_KFD_SIZE(tn_kfd_import, 24); TN_KFD_SIZE(tn_kfd_export, 16);
TN_KFD_SIZE(tn_kfd_available, 16);
TN_KFD_SIZE(tn_kfd_signal, 64); TN_KFD_AT(tn_kfd_signal, begin, 0x20);
TN_KFD_SIZE(tn_kfd_queue_page, 0x100); TN_KFD_AT(tn_kfd_queue_page, write, 0x38);
TN_KFD_AT(tn_kfd_queue_page, read, 0x80); TN_KFD_AT(tn_kfd_queue_page, tmpring, 0x8C);
TN_KFD_AT(tn_kfd_queue_page, scratch, 0xA0); TN_KFD_AT(tn_kfd_queue_page, properties, 0xB4);
TN_KFD_SIZE(tn_kfd_aql_dispatch, 64); TN_KFD_AT(tn_kfd_aql_dispatch, kernel, 0x20);
TN_KFD_SIZE(tn_kfd_aql_words, 64); TN_KFD_AT(tn_kfd_aql_words, signal, 0x38);
#undef TN_KFD_SIZE
#undef TN_KFD_AT
#endif
