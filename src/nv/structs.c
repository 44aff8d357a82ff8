// structs: what NVIDIA's kernel driver takes: own declarations, and a table of what differs between its releases.
//
// Holds: the compiler asserts their sizes. The driver refuses an ioctl or a control of another size; ioctls of
//        nvidia-uvm carry none, so that their layout is chosen by release.
// What is what: NVIDIA/open-gpu-kernel-modules 535.288.01 to 595.45.04: src/common/sdk/nvidia/inc (nvos.h, alloc/,
// ctrl/, class/), kernel-open/nvidia-uvm/uvm_ioctl.h, kernel-open/common/inc/nv-ioctl.h; names there stand behind ours.
#ifndef TN_NV_STRUCTS
#define TN_NV_STRUCTS
#include <stddef.h>
#include <stdint.h>

// ** ioctls of /dev/nvidiactl and /dev/nvidiaN: 'F' and the size are in the request **

enum {                                     // NV_ESC_*
  TN_NV_FREE = 0x29, TN_NV_CONTROL = 0x2A, TN_NV_ALLOC = 0x2B, TN_NV_MAP = 0x4E,
  TN_NV_UNMAP = 0x4F, TN_NV_CARD_INFO = 0xC8, TN_NV_REGISTER_FD = 0xC9, TN_NV_VERSION = 0xD2
};
#define TN_NV_REQUEST(number, nbytes) \
  (0xC0000000ul | (unsigned long)(nbytes) << 16 | 0x4600ul | (unsigned long)(number))

typedef struct tn_nv_alloc_call {          // NVOS64_PARAMETERS
  uint32_t root, parent, object, cls; uint64_t params, rights; uint32_t nbytes, flags, status, unused;
} tn_nv_alloc_call;
typedef struct tn_nv_control_call {        // NVOS54_PARAMETERS
  uint32_t client, object, command, flags; uint64_t params; uint32_t nbytes, status;
} tn_nv_control_call;
typedef struct tn_nv_free_call { uint32_t root, parent, object, status; } tn_nv_free_call;       // NVOS00_PARAMETERS
typedef struct tn_nv_map_call {            // nv_ioctl_nvos33_parameters_with_fd
  uint32_t client, device, memory, unused0; uint64_t offset, nbytes, address; uint32_t status, flags; int32_t fd;
  uint32_t unused1;
} tn_nv_map_call;
typedef struct tn_nv_unmap_call {          // NVOS34_PARAMETERS
  uint32_t client, device, memory, unused; uint64_t address; uint32_t status, flags;
} tn_nv_unmap_call;
typedef struct tn_nv_card {                // nv_ioctl_card_info_t
  uint8_t valid, pad[3]; uint32_t domain; uint8_t bus, slot, function, pad1; uint16_t vendor, device; uint32_t gpu;
  uint16_t interrupt, pad2; uint64_t bars[4]; uint32_t minor; uint8_t name[10], pad3[2];
} tn_nv_card;
typedef struct tn_nv_version_call { uint32_t command, reply; char text[64]; } tn_nv_version_call;

// ** objects: classes and what they are made with **

enum {
  TN_NV_ROOT = 0x41, TN_NV_DEVICE = 0x80, TN_NV_SUBDEVICE = 0x2080, TN_NV_VIDEO_MEMORY = 0x40,
  TN_NV_SYSTEM_MEMORY = 0x3E, TN_NV_VASPACE = 0x90F1, TN_NV_GROUP = 0xA06C, TN_NV_SHARE = 0x9067,
  TN_NV_DEBUGGER = 0x83DE, TN_NV_OS_MEMORY = 0x71
};
typedef struct tn_nv_device_params {       // NV0080_ALLOC_PARAMETERS
  uint32_t device, client_share, target_client, target_device, flags, unused; uint64_t size, start, limit;
  uint32_t mode, unused1;
} tn_nv_device_params;
typedef struct tn_nv_memory_params {       // NV_MEMORY_ALLOCATION_PARAMS; 535: without node
  uint32_t owner, type, flags, width, height; int32_t pitch; uint32_t attr, attr2, format, compressed, zcull, unused;
  uint64_t range_low, range_high, nbytes, alignment, offset, limit, address; uint32_t tag_offset, vaspace, internal,
  tag; int32_t node; uint32_t unused1;
} tn_nv_memory_params;
typedef struct tn_nv_os_memory_params {    // NV_OS_DESC_MEMORY_ALLOCATION_PARAMS
  uint32_t type, flags, attr, attr2; uint64_t descriptor, limit; uint32_t kind, tag;
} tn_nv_os_memory_params;
typedef struct tn_nv_vaspace_params {      // NV_VASPACE_ALLOCATION_PARAMETERS; before 580: without pasid
  uint32_t index, flags; uint64_t nbytes, start, limit; uint32_t big_page, unused; uint64_t base;
  uint32_t pasid, unused1;
} tn_nv_vaspace_params;
typedef struct tn_nv_group_params { uint32_t error, ecc, vaspace, engine, partition; } tn_nv_group_params;
typedef struct tn_nv_share_params { uint32_t vaspace, flags, id; } tn_nv_share_params;
typedef struct tn_nv_channel_memory { uint64_t base, nbytes; uint32_t space, cache; } tn_nv_channel_memory;
// NV_CHANNEL_ALLOC_PARAMS of 570; before: without tpc; from 610 on 8 bytes more stand before userd_memory.
typedef struct tn_nv_channel_params {
  uint32_t error, buffer; uint64_t ring; uint32_t entries, flags, share, vaspace, userd_memory[8]; uint64_t userd[8];
  uint32_t engine, cid, subdevice, ecc; tn_nv_channel_memory internal[4]; uint32_t group, internal_flags;
  tn_nv_channel_memory notifier, ecc_notifier;
  uint32_t process, subprocess, encrypt[3], decrypt[3], nonce[8], tpc, unused;
} tn_nv_channel_params;
// NV_GR_ALLOCATION_PARAMETERS, NVB0B5_ALLOCATION_PARAMETERS, NV_HOPPER_USERMODE_A_PARAMS, NV83DE_ALLOC_PARAMETERS
typedef struct tn_nv_compute_params { uint32_t version, flags, nbytes, caps; } tn_nv_compute_params;
typedef struct tn_nv_copy_params { uint32_t version, engine; } tn_nv_copy_params;
typedef struct tn_nv_doorbell_params { uint8_t bar1, privileged; } tn_nv_doorbell_params;
typedef struct tn_nv_debugger_params { uint32_t obsolete, client, object; } tn_nv_debugger_params;
enum {                                     // NVOS32_TYPE_*, NVOS32_ALLOC_FLAGS_*, NVOS32_ATTR_*, NVOS32_ATTR2_*
  TN_NV_TYPE_NOTIFIER = 13, TN_NV_MEMORY_FLAGS = 0x8000 | 0x4000 | 0x100 | 1,    // no map, handle, alignment, any bank
  TN_NV_OS_FILE_HANDLE = 4,                // NVOS32_DESCRIPTOR_TYPE_OS_FILE_HANDLE
  TN_NV_ATTR_ANYWHERE = 3 << 27, TN_NV_ATTR_HUGE = 3 << 23, TN_NV_ATTR_SYSTEM = 1 << 25, TN_NV_ATTR_CACHED = 1 << 29,
  TN_NV_ATTR2_UNCOMPRESSED = 1, TN_NV_ATTR2_CACHED = 1 << 2, TN_NV_ATTR2_UNCACHED = 2 << 2, TN_NV_ATTR2_2MIB = 1 << 20,
  TN_NV_VASPACE_EXTERNAL = 0x8, TN_NV_VASPACE_FAULTS = 0x40, TN_NV_SHARE_ASYNC = 1, TN_NV_ENGINE_COMPUTE = 1
};

// ** controls: one of their sizes, or by release **

enum {
  TN_NV_GET_VERSION = 0x101, TN_NV_GET_ID = 0x205, TN_NV_TO_FILE = 0x3D05, TN_NV_FROM_FILE = 0x3D06,
  TN_NV_CLASSES = 0x800201, TN_NV_INFO = 0x20800102,
  TN_NV_NAME = 0x20800110, TN_NV_UUID = 0x2080014A, TN_NV_GR_INFO = 0x20801201, TN_NV_FB_INFO = 0x20801303,
  TN_NV_BOOST = 0x2080200A, TN_NV_TOKEN = (int)0xC36F0108u, TN_NV_SCHEDULE = (int)0xA06C0101u,
  TN_NV_FAULTS = (int)0x83DE0328u
};
enum {                                     // NV0080_CTRL_GR_INFO_INDEX_*, NV2080_CTRL_FB_INFO_*, NV2080_CTRL_GPU_INFO_*
  TN_NV_GR_SM_VERSION = 12, TN_NV_GR_WARPS = 13, TN_NV_GR_GPCS = 20, TN_NV_GR_TPCS = 23, TN_NV_GR_SMS = 32,
  TN_NV_GR_SUBPIPES = 9, TN_NV_FB_RAM = 8, TN_NV_FB_USABLE = 32, TN_NV_FB_HEAP_FREE = 22, TN_NV_FB_L2 = 27,
  TN_NV_GPU_MIG = 0x2A
};
typedef struct tn_nv_release_params {       // NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_PARAMS; nbytes: of each text
  uint32_t nbytes, unused; uint64_t driver, version, title; uint32_t change, official;
} tn_nv_release_params;
typedef struct tn_nv_id_params {
  uint32_t gpu, flags, device, subdevice, sli, board, instance; int32_t node;
} tn_nv_id_params;
// NV0000_CTRL_OS_UNIX_EXPORT_OBJECT_TO_FD_PARAMS, _IMPORT_OBJECT_FROM_FD_PARAMS; type 1: of the resource manager
typedef struct tn_nv_file_object { uint32_t type, device, parent, object; } tn_nv_file_object;
typedef struct tn_nv_to_file_params { tn_nv_file_object of; int32_t fd; uint32_t flags; } tn_nv_to_file_params;
typedef struct tn_nv_from_file_params { int32_t fd; tn_nv_file_object of; } tn_nv_from_file_params;
typedef struct tn_nv_classes_params { uint32_t n, unused; uint64_t list; } tn_nv_classes_params;
typedef struct tn_nv_uuid_params { uint32_t index, flags, nbytes; uint8_t data[256]; } tn_nv_uuid_params;
typedef struct tn_nv_pair { uint32_t index, data; } tn_nv_pair;
typedef struct tn_nv_gr_params {
  uint32_t n, unused; uint64_t list; uint32_t route_flags, unused1; uint64_t route;
} tn_nv_gr_params;
typedef struct tn_nv_boost_params { uint32_t flags, duration; } tn_nv_boost_params;
typedef struct tn_nv_fault { uint64_t address; uint32_t type, access; } tn_nv_fault;
typedef struct tn_nv_faults_params { tn_nv_fault fault[4]; uint32_t n, unused; } tn_nv_faults_params;
typedef struct tn_nv_notification { uint32_t time[2], info; uint16_t more, status; } tn_nv_notification;

// ** ioctls of /dev/nvidia-uvm: the number is the request **

enum {                                     // UVM_*
  TN_UVM_INITIALIZE = 0x30000001, TN_UVM_REGISTER_VASPACE = 25, TN_UVM_REGISTER_CHANNEL = 27,
  TN_UVM_UNREGISTER_CHANNEL = 28, TN_UVM_ENABLE_PEERS = 29, TN_UVM_MAP = 33, TN_UVM_FREE = 34, TN_UVM_REGISTER_GPU = 37,
  TN_UVM_RANGE = 73, TN_UVM_MM_INITIALIZE = 75
};
enum { TN_UVM_READ_WRITE_ATOMIC = 1, TN_UVM_READ_ONLY = 3 };               // UvmGpuMappingType*
typedef struct tn_uvm_initialize { uint64_t flags; uint32_t status, unused; } tn_uvm_initialize;
typedef struct tn_uvm_mm { int32_t fd; uint32_t status; } tn_uvm_mm;
typedef struct tn_uvm_gpu {
  uint8_t uuid[16]; uint8_t numa, pad[3]; int32_t node, control; uint32_t client, partition, status;
} tn_uvm_gpu;
typedef struct tn_uvm_vaspace { uint8_t uuid[16]; int32_t control; uint32_t client, vaspace, status; } tn_uvm_vaspace;
typedef struct tn_uvm_channel {
  uint8_t uuid[16]; int32_t control; uint32_t client, channel, unused; uint64_t base, nbytes; uint32_t status, unused1;
} tn_uvm_channel;
typedef struct tn_uvm_peers { uint8_t uuid[2][16]; uint32_t status; } tn_uvm_peers;
typedef struct tn_uvm_range { uint64_t base, nbytes; uint32_t status, unused; } tn_uvm_range;
typedef struct tn_uvm_attributes {
  uint8_t uuid[16]; uint32_t mapping, caching, format, bits, compression;
} tn_uvm_attributes;
enum { TN_UVM_ATTRIBUTES = 256, TN_UVM_ATTRIBUTES_OLD = 32 };
typedef struct tn_uvm_map {                // UVM_MAP_EXTERNAL_ALLOCATION_PARAMS from 550 on; before, 32 attributes
  uint64_t base, nbytes, offset; tn_uvm_attributes of[TN_UVM_ATTRIBUTES]; uint64_t n; int32_t control; uint32_t client,
  memory, status;
} tn_uvm_map;
typedef struct tn_uvm_map_old {
  uint64_t base, nbytes, offset; tn_uvm_attributes of[TN_UVM_ATTRIBUTES_OLD]; uint64_t n; int32_t control;
  uint32_t client, memory, status;
} tn_uvm_map_old;

// ** releases **

// Sizes in bytes from release `from` on; uvm_* say where the status stands.
typedef struct tn_nv_branch {
  uint16_t from, channel, channel_gap, memory, vaspace, schedule, info, fb_info, name;
  uint16_t uvm_map, uvm_free, uvm_unregister;
} tn_nv_branch;
static const tn_nv_branch tn_nv_branches[] = {
  {535, 360, 0, 120, 48, 2, 516, 436, 132, 32, 16, 24}, {545, 360, 0, 128, 48, 2, 524, 444, 132, 32, 16, 24},
  {550, 360, 0, 128, 48, 2, 524, 444, 132, 256, 16, 24}, {560, 360, 0, 128, 48, 2, 524, 460, 132, 256, 16, 24},
  {570, 368, 0, 128, 48, 2, 524, 460, 132, 256, 16, 24}, {575, 368, 0, 128, 48, 3, 532, 460, 132, 256, 16, 24},
  {580, 368, 0, 128, 56, 3, 564, 1028, 132, 256, 16, 24}, {590, 368, 0, 128, 56, 3, 564, 1028, 132, 256, 8, 8},
  {595, 368, 0, 128, 56, 3, 564, 1028, 68, 256, 8, 8}, {610, 376, 8, 128, 56, 3, 564, 1028, 68, 256, 8, 8}
};
enum { TN_NV_BRANCHES = sizeof tn_nv_branches / sizeof *tn_nv_branches, TN_NV_NEWEST = 610 };
// Of the release before it, or of the first: what is unknown is tried.
static const tn_nv_branch *tn_nv_branch_of(int major) {
  int i = TN_NV_BRANCHES - 1;
  while (i && tn_nv_branches[i].from > major) i--;
  return &tn_nv_branches[i];
}

#ifdef __cplusplus
#define TN_NV_SIZE(type, nbytes) static_assert(sizeof(type) == nbytes, #type)
#define TN_NV_AT(type, member, offset) static_assert(offsetof(type, member) == offset, #type)
#else
#define TN_NV_SIZE(type, nbytes) _Static_assert(sizeof(type) == nbytes, #type)
#define TN_NV_AT(type, member, offset) _Static_assert(offsetof(type, member) == offset, #type)
#endif
TN_NV_SIZE(tn_nv_alloc_call, 48); TN_NV_AT(tn_nv_alloc_call, status, 0x28);
TN_NV_SIZE(tn_nv_control_call, 32); TN_NV_AT(tn_nv_control_call, status, 0x1C);
TN_NV_SIZE(tn_nv_free_call, 16); TN_NV_SIZE(tn_nv_unmap_call, 32); TN_NV_SIZE(tn_nv_version_call, 72);
TN_NV_SIZE(tn_nv_map_call, 56); TN_NV_AT(tn_nv_map_call, fd, 0x30); TN_NV_AT(tn_nv_map_call, status, 0x28);
TN_NV_SIZE(tn_nv_card, 72); TN_NV_AT(tn_nv_card, gpu, 0x10); TN_NV_AT(tn_nv_card, minor, 0x38);
TN_NV_SIZE(tn_nv_device_params, 56); TN_NV_AT(tn_nv_device_params, mode, 0x30);
TN_NV_SIZE(tn_nv_memory_params, 128); TN_NV_AT(tn_nv_memory_params, nbytes, 0x40);
TN_NV_AT(tn_nv_memory_params, attr, 0x18); TN_NV_AT(tn_nv_memory_params, node, 0x78);
TN_NV_SIZE(tn_nv_vaspace_params, 56); TN_NV_AT(tn_nv_vaspace_params, base, 0x28);
TN_NV_SIZE(tn_nv_os_memory_params, 40); TN_NV_SIZE(tn_nv_to_file_params, 24);
TN_NV_SIZE(tn_nv_from_file_params, 20); TN_NV_SIZE(tn_nv_group_params, 20); TN_NV_SIZE(tn_nv_share_params, 12);
TN_NV_SIZE(tn_nv_channel_params, 368); TN_NV_AT(tn_nv_channel_params, userd_memory, 0x20);
TN_NV_AT(tn_nv_channel_params, engine, 0x80); TN_NV_AT(tn_nv_channel_params, group, 0xF0);
TN_NV_AT(tn_nv_channel_params, process, 0x128); TN_NV_AT(tn_nv_channel_params, tpc, 0x168);
TN_NV_SIZE(tn_nv_compute_params, 16); TN_NV_SIZE(tn_nv_copy_params, 8); TN_NV_SIZE(tn_nv_doorbell_params, 2);
TN_NV_SIZE(tn_nv_id_params, 32); TN_NV_SIZE(tn_nv_release_params, 40);
TN_NV_SIZE(tn_nv_classes_params, 16); TN_NV_SIZE(tn_nv_uuid_params, 268);
TN_NV_SIZE(tn_nv_gr_params, 32); TN_NV_SIZE(tn_nv_faults_params, 72); TN_NV_SIZE(tn_nv_notification, 16);
TN_NV_SIZE(tn_uvm_initialize, 16); TN_NV_SIZE(tn_uvm_mm, 8); TN_NV_SIZE(tn_uvm_gpu, 40);
TN_NV_SIZE(tn_uvm_vaspace, 32); TN_NV_SIZE(tn_uvm_channel, 56); TN_NV_SIZE(tn_uvm_range, 24);
TN_NV_SIZE(tn_uvm_peers, 36);
TN_NV_SIZE(tn_uvm_map, 9264); TN_NV_AT(tn_uvm_map, n, 9240); TN_NV_SIZE(tn_uvm_map_old, 1200);
TN_NV_AT(tn_uvm_map_old, n, 1176);
#undef TN_NV_SIZE
#undef TN_NV_AT
#endif
