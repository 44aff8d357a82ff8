// Facts of NVIDIA's: what each chip has, which methods its classes take, where fields of launch descriptors stand.
// From open-gpu-kernel-modules (g_gpu_class_list.c) and open-gpu-doc (classes/compute, classes/dma-copy), by name.
#include "nv_mock_state.h"

// Carve-outs of shared memory in KiB, of the CUDA C++ Programming Guide's table of compute capabilities.
#define NVM_164_KIB {0, 8, 16, 32, 64, 100, 132, 164}
#define NVM_100_KIB {0, 8, 16, 32, 64, 100}
#define NVM_228_KIB {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}
#define NVM_CLASSES 0x9067, 0x90f1, 0xa06c, 0x83de

static const nvm_chip nvm_chips[NV_MOCK_GPUS] = {
  {"NVIDIA A100-SXM4-40GB", 80, 0x802, 0xc6c0, 0xc6b5, 0xc56f, 0xc561,
   {NVM_CLASSES, 0xc361, 0xc461, 0xc561, 0xc46f, 0xc56f, 0xc6b5, 0xc6c0}, 0, 0, 0, 0,
   8, 8, 2, 64, NVM_164_KIB, 163 << 10, 0x400, 0x160, 49, 0, 0x170},
  {"NVIDIA GeForce RTX 3090", 86, 0x806, 0xc7c0, 0xc7b5, 0xc56f, 0xc561,
   {NVM_CLASSES, 0xc361, 0xc461, 0xc561, 0xc46f, 0xc56f, 0xc7b5, 0xc7c0}, 1, 1, 0, 0,
   7, 6, 2, 48, NVM_100_KIB, 99 << 10, 0x400, 0x160, 49, 0, 0x170},
  {"NVIDIA GeForce RTX 4090", 89, 0x809, 0xc9c0, 0xc7b5, 0xc56f, 0xc561,
   {NVM_CLASSES, 0xc361, 0xc461, 0xc561, 0xc46f, 0xc56f, 0xc7b5, 0xc9c0}, 2, 1, 0, 0,
   12, 6, 2, 48, NVM_100_KIB, 99 << 10, 0x400, 0x160, 49, 0, 0x190},
  {"NVIDIA H100 80GB HBM3", 90, 0x900, 0xcbc0, 0xc8b5, 0xc86f, 0xc661,
   {NVM_CLASSES, 0xcb33, 0xc361, 0xc461, 0xc561, 0xc661, 0xc46f, 0xc56f, 0xc86f, 0xc8b5, 0xcbc0}, 3, 2, 1, 1,
   8, 9, 2, 64, NVM_228_KIB, 227 << 10, 0, 0x210, 57, 0, 0x180},
  {"NVIDIA B200", 100, 0xa00, 0xcdc0, 0xc9b5, 0xc96f, 0xc661,
   {NVM_CLASSES, 0xcb33, 0xc361, 0xc461, 0xc561, 0xc661, 0xc86f, 0xc96f, 0xc9b5, 0xcdc0}, 4, 3, 2, 2,
   8, 10, 2, 64, NVM_228_KIB, 227 << 10, 0, 0x380, 57, 0, 0x1a0},
  {"NVIDIA GeForce RTX 5090", 120, 0xa04, 0xcec0, 0xcab5, 0xca6f, 0xc761,
   {NVM_CLASSES, 0xcb33, 0xc461, 0xc561, 0xc661, 0xc761, 0xc86f, 0xc96f, 0xca6f, 0xcab5, 0xcec0}, 5, 4, 3, 2,
   12, 8, 2, 48, NVM_100_KIB, 99 << 10, 0, 0x380, 57, 1u << 30, 0x1b0},
};

static int nvm_has_class(const nvm_chip *c, uint32_t class_) {
  for (int i = 0; c->classes[i]; i++) if (c->classes[i] == class_) return 1;
  return 0;
}

// Which bits a value may have, by class; 0: the class has no such method.
#define X 0xffffffffu
#define ALL {X, X, X, X, X, X}
#define SAME(mask) {mask, mask, mask, mask, mask, mask}
// by column: c6c0 c7c0 c9c0 cbc0 cdc0 cec0
static const nvm_method nvm_compute_methods[] = {
    {0x0100, "NO_OPERATION", ALL},
  {0x0110, "WAIT_FOR_IDLE", ALL},
  {0x0158, "SET_REPORT_SEMAPHORE_PAYLOAD_LOWER", {0, X, X, X, X, X}},
  {0x015c, "SET_REPORT_SEMAPHORE_PAYLOAD_UPPER", {0, X, X, X, X, X}},
  {0x0160, "SET_REPORT_SEMAPHORE_ADDRESS_LOWER", {0, X, X, X, X, X}},
  {0x0164, "SET_REPORT_SEMAPHORE_ADDRESS_UPPER", {0, 0xff, 0xff, 0x1ffffff, 0x1ffffff, 0x1ffffff}},
  {0x0168, "REPORT_SEMAPHORE_EXECUTE", {0, 0x7fff, 0x7fff, 0x7fff, 0x7fff, 0x7fff}},
  {0x0180, "LINE_LENGTH_IN", ALL},
  {0x0184, "LINE_COUNT", ALL},
  {0x0188, "OFFSET_OUT_UPPER", {0x1ffff, 0x1ffff, 0x1ffff, 0x1ffffff, 0x1ffffff, 0x1ffffff}},
  {0x018c, "OFFSET_OUT", ALL},
  {0x0190, "PITCH_OUT", ALL},
  {0x01b0, "LAUNCH_DMA", SAME(0xf37f)},
  {0x01b4, "LOAD_INLINE_DATA", ALL},
  {0x021c, "INVALIDATE_SHADER_CACHES", SAME(0x1017)},
  {0x0244, "INVALIDATE_TEXTURE_HEADER_CACHE_NO_WFI", SAME(0x3fffff1)},
  {0x0248, "SET_CWD_REF_COUNTER", SAME(0xffff3f)},
  {0x0288, "SET_QMD_VERSION", ALL},
  {0x0298, "INVALIDATE_SKED_CACHES", SAME(0x1)},
  {0x02a0, "SET_SHADER_SHARED_MEMORY_WINDOW_A", SAME(0x1ffff)},
  {0x02a4, "SET_SHADER_SHARED_MEMORY_WINDOW_B", ALL},
  {0x02b4, "SEND_PCAS_A", ALL},
  {0x02bc, "SEND_SIGNALING_PCAS_B", SAME(0x3)},
  {0x02c0, "SEND_SIGNALING_PCAS2_B", {0xf, 0xffff0f, 0xffff0f, 0xffff0f, 0xffff0f, 0xffff0f}},
  {0x02e4, "SET_SHADER_LOCAL_MEMORY_NON_THROTTLED_A", SAME(0xff)},
  {0x02e8, "SET_SHADER_LOCAL_MEMORY_NON_THROTTLED_B", ALL},
  {0x02ec, "SET_SHADER_LOCAL_MEMORY_NON_THROTTLED_C", {0x1ff, 0x1ff, 0x1ff, 0xffff01ff, 0xffff01ff, 0xffff01ff}},
  {0x0310, "SET_SPA_VERSION", SAME(0xffff)},
  {0x0790, "SET_SHADER_LOCAL_MEMORY_A", {0x1ffff, 0x1ffff, 0x1ffff, 0x1ffffff, 0x1ffffff, 0x1ffffff}},
  {0x0794, "SET_SHADER_LOCAL_MEMORY_B", ALL},
  {0x07ac, "SET_TEXTURE_HEADER_VERSION", {0, 0, 0, 0xff, 0xff, 0xff}},
  {0x07b0, "SET_SHADER_LOCAL_MEMORY_WINDOW_A", SAME(0x1ffff)},
  {0x07b4, "SET_SHADER_LOCAL_MEMORY_WINDOW_B", ALL},
  {0x1424, "INVALIDATE_SAMPLER_CACHE_NO_WFI", SAME(0x3fffff1)},
  {0x1698, "INVALIDATE_SHADER_CACHES_NO_WFI", SAME(0x1011)},
  {0x1b00, "SET_REPORT_SEMAPHORE_A", {0xff, 0xff, 0xff, 0x1ffffff, 0x1ffffff, 0x1ffffff}},
  {0x1b04, "SET_REPORT_SEMAPHORE_B", ALL},
  {0x1b08, "SET_REPORT_SEMAPHORE_C", ALL},
  {0x1b0c, "SET_REPORT_SEMAPHORE_D", SAME(0x101e0e0f)},
};
// by column: c6b5 c7b5 c8b5 c9b5 cab5
static const nvm_method nvm_copy_methods[] = {
  {0x0100, "NOP", ALL},
  {0x0240, "SET_SEMAPHORE_A", {0x1ffff, 0x1ffff, 0x1ffffff, 0x1ffffff, 0x1ffffff}},
  {0x0244, "SET_SEMAPHORE_B", ALL},
  {0x0248, "SET_SEMAPHORE_PAYLOAD", ALL},
  {0x024c, "SET_SEMAPHORE_PAYLOAD_UPPER", {0, X, X, X, X}},
  {0x0300, "LAUNCH_DMA", {0xf7cfffff, 0xffcfffff, X, 0xfffff7ff, 0xfffff7ff}},
  {0x0400, "OFFSET_IN_UPPER", {0x1ffff, 0x1ffff, 0x1ffffff, 0x1ffffff, 0x1ffffff}},
  {0x0404, "OFFSET_IN_LOWER", ALL},
  {0x0408, "OFFSET_OUT_UPPER", {0x1ffff, 0x1ffff, 0x1ffffff, 0x1ffffff, 0x1ffffff}},
  {0x040c, "OFFSET_OUT_LOWER", ALL},
  {0x0410, "PITCH_IN", ALL},
  {0x0414, "PITCH_OUT", ALL},
  {0x0418, "LINE_LENGTH_IN", ALL},
  {0x041c, "LINE_COUNT", ALL},
  {0x0700, "SET_REMAP_CONST_A", ALL},
  {0x0704, "SET_REMAP_CONST_B", ALL},
  {0x0708, "SET_REMAP_COMPONENTS", SAME(0x3337777)},
};

// Methods of channels (clc56f.h, clc86f.h; of c96f and ca6f the kernel modules publish what UVM uses, which is as in
// c86f). By column: c56f c86f c96f ca6f
static const nvm_method nvm_host_methods[] = {
  {0x0028, "MEM_OP_A", ALL},
  {0x002c, "MEM_OP_B", ALL},
  {0x0030, "MEM_OP_C", ALL},
  {0x0034, "MEM_OP_D", ALL},
  {0x005c, "SEM_ADDR_LO", SAME(0xfffffffc)},
  {0x0060, "SEM_ADDR_HI", {0xff, 0x1ffffff, 0x1ffffff, 0x1ffffff}},
  {0x0064, "SEM_PAYLOAD_LO", ALL},
  {0x0068, "SEM_PAYLOAD_HI", ALL},
  {0x006c, "SEM_EXECUTE", SAME(0x3101007)},
  {0x0078, "WFI", SAME(1)},
  {0x0020, "NON_STALL_INTERRUPT", {X, 0, 0, 0}},
};

// A field's lowest bit and its width in QMD V03_00 (clc6c0qmd.h, the same in c7c0 and c9c0), V04_00 (clcbc0qmd.h) and
// V05_00 (clcdc0qmd.h, the same in cec0); width 0: it has none. Constant buffer 0 stands for eight.
#define NVM_QMD_FIELDS \
  Q(GROUP_ID, 128, 6, 16, 6, 144, 6) \
  Q(TYPE, 0, 0, 23, 3, 151, 3) \
  Q(GLOBAL_CACHING, 134, 1, 0, 0, 0, 0) \
  Q(PCAS_REQUIRED, 140, 1, 30, 1, 158, 1) \
  Q(DEPENDENCE_COUNTER, 142, 16, 0, 16, 128, 16) \
  Q(INVALIDATE_HEADER, 186, 1, 602, 1, 472, 1) \
  Q(INVALIDATE_SAMPLER, 187, 1, 603, 1, 473, 1) \
  Q(INVALIDATE_TEXTURE, 188, 1, 604, 1, 474, 1) \
  Q(INVALIDATE_DATA, 189, 1, 605, 1, 475, 1) \
  Q(INVALIDATE_CODE, 190, 1, 606, 1, 476, 1) \
  Q(INVALIDATE_CONSTANT, 191, 1, 607, 1, 477, 1) \
  Q(CALL_LIMIT, 378, 1, 568, 1, 456, 1) \
  Q(SAMPLER_INDEX, 382, 1, 569, 1, 457, 1) \
  Q(MINOR, 576, 4, 576, 4, 464, 4) \
  Q(MAJOR, 580, 4, 580, 4, 468, 4) \
  Q(GRID_X, 384, 32, 1024, 32, 1248, 32) \
  Q(GRID_Y, 416, 16, 1056, 16, 1280, 16) \
  Q(GRID_Z, 448, 16, 1088, 16, 1312, 16) \
  Q(BLOCK_X, 592, 16, 1152, 16, 1088, 16) \
  Q(BLOCK_Y, 608, 16, 1168, 16, 1104, 16) \
  Q(BLOCK_Z, 624, 16, 1184, 16, 1120, 8) \
  Q(REGISTERS, 648, 9, 1200, 9, 1128, 9) \
  Q(BARRIERS, 763, 5, 1211, 5, 1137, 5) \
  Q(SHARED, 544, 18, 584, 18, 1152, 11) \
  Q(SHARED_MIN, 562, 6, 608, 6, 1163, 6) \
  Q(SHARED_MAX, 569, 6, 614, 6, 1169, 6) \
  Q(SHARED_TARGET, 657, 6, 620, 6, 1175, 6) \
  Q(SHARED_ALLOCATION, 663, 1, 626, 1, 351, 1) \
  Q(SHARED_BARRIERS, 0, 0, 0, 0, 1181, 1) \
  Q(LOCAL_LOW, 736, 24, 512, 24, 1184, 16) \
  Q(LOCAL_HIGH, 1600, 24, 544, 24, 1200, 16) \
  Q(PROGRAM_LO, 1536, 32, 1216, 32, 1024, 32) \
  Q(PROGRAM_HI, 1568, 17, 1248, 25, 1056, 21) \
  Q(PREFETCH_LO, 256, 32, 1344, 32, 1888, 32) \
  Q(PREFETCH_HI, 1632, 9, 1376, 17, 1920, 17) \
  Q(PREFETCH_SIZE, 1641, 9, 1393, 9, 1077, 9) \
  Q(PREFETCH_TYPE, 1650, 2, 1402, 2, 1086, 2) \
  Q(SASS, 1656, 8, 536, 8, 448, 8) \
  Q(MEMBAR, 368, 2, 1136, 2, 624, 2) \
  Q(VIRTUAL_RESOURCES, 0, 0, 0, 0, 1216, 8) \
  Q(CGA_X, 0, 0, 2144, 6, 2048, 6) \
  Q(CGA_Y, 0, 0, 2152, 6, 2056, 6) \
  Q(CGA_Z, 0, 0, 2160, 6, 2064, 6) \
  Q(DISTRIBUTION, 0, 0, 2207, 1, 2111, 1) \
  Q(SEQUENTIAL, 370, 1, 1138, 1, 0, 0) \
  Q(SELF_COPY, 158, 1, 378, 1, 341, 1) \
  Q(CORRELATION, 0, 0, 384, 32, 352, 32) \
  Q(CB0_VALID, 640, 1, 416, 1, 1856, 1) \
  Q(CB0_LO, 1024, 32, 1536, 32, 1344, 32) \
  Q(CB0_HI, 1056, 17, 1568, 19, 1376, 19) \
  Q(CB0_SIZE, 1075, 13, 1587, 13, 1395, 13) \
  Q(CB0_INVALIDATE, 1074, 1, 419, 1, 1859, 1) \
  Q(CB0_PREFETCH, 1073, 1, 417, 2, 1857, 2) \
  Q(DEP0_ENABLE, 512, 1, 368, 1, 336, 1) \
  Q(DEP0_ACTION, 513, 3, 369, 3, 337, 3) \
  Q(DEP0_PREFETCH, 516, 1, 372, 1, 340, 1) \
  Q(DEP0_POINTER, 480, 32, 448, 32, 384, 32) \
  Q(DEP1_ENABLE, 517, 1, 373, 1, 344, 1) \
  Q(DEP1_ACTION, 518, 3, 374, 3, 345, 3) \
  Q(DEP1_PREFETCH, 521, 1, 377, 1, 348, 1) \
  Q(DEP1_POINTER, 0, 0, 480, 32, 416, 32) \
  Q(REL0_ENABLE, 823, 1, 320, 1, 288, 1) \
  Q(REL0_STRUCTURE_SIZE, 830, 2, 321, 2, 289, 2) \
  Q(REL0_MEMBAR_TYPE, 819, 1, 323, 1, 291, 1) \
  Q(REL0_PAYLOAD64B, 829, 1, 332, 1, 300, 1) \
  Q(REL0_REDUCTION_ENABLE, 826, 1, 324, 1, 292, 1) \
  Q(REL0_LO, 768, 32, 640, 32, 480, 32) \
  Q(REL0_HI, 800, 8, 672, 25, 512, 25) \
  Q(REL0_PAYLOAD, 832, 32, 704, 32, 544, 32) \
  Q(REL0_PAYLOAD_HI, 864, 32, 736, 32, 576, 32) \
  Q(REL1_ENABLE, 951, 1, 336, 1, 304, 1) \
  Q(REL1_STRUCTURE_SIZE, 958, 2, 337, 2, 305, 2) \
  Q(REL1_MEMBAR_TYPE, 947, 1, 339, 1, 307, 1) \
  Q(REL1_PAYLOAD64B, 957, 1, 348, 1, 316, 1) \
  Q(REL1_REDUCTION_ENABLE, 954, 1, 340, 1, 308, 1) \
  Q(REL1_LO, 896, 32, 768, 32, 768, 32) \
  Q(REL1_HI, 928, 8, 800, 25, 800, 25) \
  Q(REL1_PAYLOAD, 960, 32, 832, 32, 832, 32) \
  Q(REL1_PAYLOAD_HI, 992, 32, 864, 32, 864, 32) \
  Q(REL2_ENABLE, 1719, 1, 352, 1, 320, 1) \
  Q(REL2_STRUCTURE_SIZE, 1726, 2, 353, 2, 321, 2) \
  Q(REL2_MEMBAR_TYPE, 1715, 1, 355, 1, 323, 1) \
  Q(REL2_PAYLOAD64B, 1725, 1, 364, 1, 332, 1) \
  Q(REL2_REDUCTION_ENABLE, 1722, 1, 356, 1, 324, 1) \
  Q(REL2_LO, 1664, 32, 896, 32, 896, 32) \
  Q(REL2_HI, 1696, 8, 928, 25, 928, 25) \
  Q(REL2_PAYLOAD, 1728, 32, 960, 32, 960, 32) \
  Q(REL2_PAYLOAD_HI, 1760, 32, 992, 32, 992, 32)

typedef struct nvm_field { const char *name; struct { uint16_t bit, width; } at[3]; } nvm_field;
enum {
#define Q(name, b3, w3, b4, w4, b5, w5) NVQ_##name,
  NVM_QMD_FIELDS
#undef Q
  NVQ_COUNT
};
static const nvm_field nvm_fields[NVQ_COUNT] = {
#define Q(name, b3, w3, b4, w4, b5, w5) {#name, {{b3, w3}, {b4, w4}, {b5, w5}}},
  NVM_QMD_FIELDS
#undef Q
};
static const uint16_t nvm_qmd_nbytes[3] = {256, 384, 384};
// From one constant buffer to the next, in bits: its validity, its prefetch and invalidation, its address and size.
static const uint16_t nvm_buffer_stride[3][3] = {{1, 64, 64}, {4, 4, 64}, {4, 4, 64}};
// The bits that the headers define, by dword.
static const uint32_t nvm_qmd_defined[3][96] = {
  {
    X, X, X, X, X, X, X, X, X, X, X, X, X, 0xffff, 0xffff, X, 0x7fffff, X, 0xffff00ff, X, X, X, X, 0xf8ffffff, X, X,
    X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, 0x1ffff, 0xffffff, 0xff0fffff, X, X, X, X, X,
    X, 0x7fffffff, 0xbfffffff, X, 0x7f, X, X
  },
  {
    0xf3ffffff, 0x1ffffff, X, X, 0, 0x7fffffff, 0x7fffffff, 0x7fffffff, X, 0x1ffff, X, 0x7fffffff, X, X, X, X, X, X,
    X, 0x7ffff, X, 0x1ffffff, X, X, X, 0x1ffffff, X, X, X, 0x1ffffff, X, X, X, 0xffff, 0xffff, X, X, 0xf9ffffff, X,
    0x1ffffff, X, 0xffff, X, 0xcfffffff, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, 0xff,
    0x1fffffff, 0x3f3f3f, 0x80000000, X, 0xffff, 0, 0, 0, X, X, X, X, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    X, X
  },
  {
    X, X, X, X, X, 0x1ffffff, 0x7ffffff, X, X, X, X, X, X, X, X, X, 0x1ffffff, X, X, X, X, X, 0xfffffc00, X, X,
    0x1ffffff, X, X, X, 0x1ffffff, X, X, X, X, X, 0xfffffff, 0x3fffffff, X, 0xff, X, 0xffff, 0xffff, X, X, X, X, X, X,
    X, X, X, X, X, X, X, X, X, X, X, X, 0x1ffff, 0, 0, 0, 0xff3f3f3f, 0x80000000, X, 0xffff, X, X, X, X, 0, 0, 0, 0,
    0, 0, X, X, 0xff, 0x1f, 0x7fffffff, 0x7fffffff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, X, X
  }
};
#undef X
#undef ALL
#undef SAME
