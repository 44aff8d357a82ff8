// generation: what differs between NVIDIA's GPUs from Turing on, a row for each class of compute.
//
// Holds: the row is chosen by the classes that the driver lists, never by a chip's name.
// What is what: classes: NVIDIA/open-gpu-kernel-modules, src/nvidia/generated/g_gpu_class_list.c. Shared memory: CUDA
// C++ Programming Guide, Compute Capabilities. Constant bank 0: what ptxas's code for each target reads, one kernel for
// each special register.
#ifndef TN_NV_GENERATION
#define TN_NV_GENERATION
#ifndef TINY_AMALGAMATED
#include "qmd.c"
#endif

// Places in constant bank 0, bytes. params: of the address of the parameters, of which code subtracts params_less.
typedef struct tn_nv_bank0 {
  uint16_t base, block, grid, shared_window, local_window, stack, dynamic, memory, params, params_less;
} tn_nv_bank0;
static const tn_nv_bank0 tn_nv_bank0_turing = {0x160, 0x0, 0xC, 0x18, 0x20, 0x28, 0x2C, 0x118, 0x40, 0x160},
                         tn_nv_bank0_hopper = {0x210, 0x0, 0xC, 0x18, 0x20, 0x28, 0x2C, 0x208, 0x198, 0},
                         tn_nv_bank0_blackwell = {0x380, 0x360, 0x370, 0x2F0, 0x2F8, 0x37C, 0x2AC, 0x358, 0x348, 0};

typedef struct tn_nv_generation {
  const char *name;
  uint16_t compute, fifo[2], copy[2], doorbell[2];         // classes, the newest first; 0: none
  uint16_t sm; tn_qmd_version qmd; const tn_nv_bank0 *bank0;
  uint16_t shared[10];                     // KiB that an SM may have as shared memory, ascending from the first
  uint16_t shared_block, shared_kept;      // of a block: KiB that it may have; bytes that come on top of static ones
  uint16_t threads;                        // of an SM
} tn_nv_generation;

#define TN_NV_SHARED_TURING {32, 64}
#define TN_NV_SHARED_A100 {0, 8, 16, 32, 64, 100, 132, 164}
#define TN_NV_SHARED_GA10X {0, 8, 16, 32, 64, 100}
#define TN_NV_SHARED_HOPPER {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}
static const tn_nv_generation tn_nv_generations[] = {
  {"Turing", 0xC5C0, {0xC46F, 0}, {0xC5B5, 0}, {0xC461, 0}, 75, TN_QMD_0203, &tn_nv_bank0_turing,
   TN_NV_SHARED_TURING, 64, 0, 1024},
  {"Ampere", 0xC6C0, {0xC56F, 0}, {0xC6B5, 0}, {0xC561, 0xC461}, 80, TN_QMD_0300, &tn_nv_bank0_turing,
   TN_NV_SHARED_A100, 163, 0x400, 2048},
  {"Ampere", 0xC7C0, {0xC56F, 0}, {0xC7B5, 0}, {0xC561, 0xC461}, 86, TN_QMD_0300, &tn_nv_bank0_turing,
   TN_NV_SHARED_GA10X, 99, 0x400, 1536},
  {"Ada", 0xC9C0, {0xC56F, 0}, {0xC7B5, 0}, {0xC561, 0xC461}, 89, TN_QMD_0300, &tn_nv_bank0_turing,
   TN_NV_SHARED_GA10X, 99, 0x400, 1536},
  {"Hopper", 0xCBC0, {0xC86F, 0}, {0xC8B5, 0}, {0xC661, 0xC461}, 90, TN_QMD_0400, &tn_nv_bank0_hopper,
   TN_NV_SHARED_HOPPER, 227, 0, 2048},
  {"Blackwell", 0xCDC0, {0xC96F, 0}, {0xC9B5, 0}, {0xC661, 0xC461}, 100, TN_QMD_0500, &tn_nv_bank0_blackwell,
   TN_NV_SHARED_HOPPER, 227, 0, 2048},
  {"Blackwell", 0xCEC0, {0xCA6F, 0xC96F}, {0xCAB5, 0xC9B5}, {0xC761, 0xC661}, 120, TN_QMD_0500,
   &tn_nv_bank0_blackwell, TN_NV_SHARED_GA10X, 99, 0, 1536}
};
enum { TN_NV_GENERATIONS = sizeof tn_nv_generations / sizeof *tn_nv_generations };

static int tn_nv_has_class(const uint32_t *list, uint32_t n, uint32_t cls) {
  for (uint32_t i = 0; i < n; i++) if (list[i] == cls && cls) return 1;
  return 0;
}
// The newest whose class is in the list; NULL: none that is known.
static const tn_nv_generation *tn_nv_generation_of(const uint32_t *list, uint32_t n) {
  for (int i = TN_NV_GENERATIONS - 1; i >= 0; i--)
    if (tn_nv_has_class(list, n, tn_nv_generations[i].compute)) return &tn_nv_generations[i];
  return NULL;
}
// Of two classes the first that the GPU has; 0: neither.
static uint32_t tn_nv_class_of(const uint32_t *list, uint32_t n, const uint16_t two[2]) {
  return tn_nv_has_class(list, n, two[0]) ? two[0] : tn_nv_has_class(list, n, two[1]) ? two[1] : 0;
}
// What NV2080_CTRL_GR_INFO's SM_VERSION says of the same classes: 0xA03 of class 0xCDC0 is 10.3, 0xA04 of 0xCEC0 is
// 12.0 (not 10.4), 0xC01 is 12.1.
static int tn_nv_sm_of(const tn_nv_generation *g, uint32_t version) {
  if (g->sm == 100 && version == 0xA03) return 103;
  return g->sm == 120 && version == 0xC01 ? 121 : g->sm;
}
// KiB of the smallest configuration with so many bytes; the largest where none has.
static int tn_nv_shared_config(const tn_nv_generation *g, uint64_t nbytes) {
  int best = g->shared[0];
  for (int i = 0; i < 10 && (!i || g->shared[i]); i++) {
    best = g->shared[i];
    if ((uint64_t)best << 10 >= nbytes) break;
  }
  return best;
}
#endif
