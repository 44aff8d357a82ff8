// gpu: what GPUs are made of, as data: a row for each target that kernels are compiled for.
//
// A unit is what a group of work items runs on and shares memory in: an SM of NVIDIA's, a CU of CDNA, a WGP of RDNA, a
// core of Apple's. It has a few SIMDs, each with registers and warps (waves, simdgroups) of its own, of which it issues
// an instruction a cycle: SIMDs of 16 lanes take four cycles for a wave of 64, which `issue` says.
//
// Sources. NVIDIA: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" (warps, blocks,
// registers, shared memory) and "Throughput of Native Arithmetic Instructions"; 1 KiB of shared memory a block that the
// system takes from 8.0 on: tuning guides of Ampere to Blackwell, "Shared Memory"; units, clock, bandwidth, L2 and
// matrix FLOPs: NVIDIA's white papers of T4, A100, GA102, AD102, H100, B200 and RTX Blackwell, dense f16 with sums of
// f32, divided by units and clock. AMD: registers, granules, waves, LDS by LLVM's AMDGPU target (AMDGPUBaseInfo,
// AMDGPUUsage); units, clock, bandwidth, caches and matrix FLOPs: ISA guides of MI200, MI300, RDNA3 and RDNA4, and the
// data sheets. Apple: Metal Feature Set Tables (32 KiB, 1024 items; Mac2 too), data sheets of M1, M2 Max and M3 Max;
// registers and simdgroups: Johnson and Rosenzweig, Apple G13 GPU architecture reference; rates of matrices and others:
// Turner, metal-benchmarks (M1; of M3 nothing else is published). mac2: RDNA 2 ISA guide and LLVM, the card's data sheet
// (16 TFLOPS of f32). generic: what WebGPU promises (W3C, 3.6.2 Limits), with the speed of a small GPU.
#ifndef BENCH_GPU_H
#define BENCH_GPU_H

typedef struct tn_gpu {
  const char *name, *card;                 // of the target; whose speed it is
  int warp, simds, units;
  double issue;                            // instructions of warps that a unit issues in a cycle
  // 32-bit registers of a lane of a SIMD, shared by its warps; how many a warp takes at a time, and at most
  int registers, register_granule, register_max;
  int warps, groups, items;                // warps of a SIMD; groups of a unit; items of a group, at most
  int shared_group, shared_unit;           // bytes of shared memory
  int shared_reserved, shared_granule;     // what each group takes beyond its own; in pieces of so many
  int banks, bank_nbytes;                  // of shared memory: a word of each in a cycle
  int sector, line;                        // bytes that memory is read and written in; that a cache looks up
  int l1_nbytes, l1_shared;                // of a unit; shared memory is part of it
  double last_nbytes, clock_ghz;           // the last cache before memory: L2, AMD's MALL, Apple's SLC
  double memory_gbps, l2_gbps, latency;    // cycles until what is loaded from memory is there
  // Results of a unit in a cycle: f32 multiply-adds, integers, conversions, special functions; FLOPs of matrices of f16
  double f32, integer, convert, special, matrix;
  double launch_us;                        // between kernels of one stream
} tn_gpu;

enum { TN_GPU_KIB = 1024, TN_GPU_MIB = 1024 * 1024 };

// What is not published is what microbenchmarks find, rounded: latency, L2's bandwidth, L1 of AMD and Apple (Jia et al.
// 2019 for T4; Luo et al. 2024 for A100, RTX 4090 and H100; Chips and Cheese for MI200, MI300X, RDNA3, RDNA4, Apple,
// Blackwell).
#define TN_K TN_GPU_KIB
#define TN_M ((double)TN_GPU_MIB)
static const tn_gpu tn_gpus[] = {
  {"sm_75", "T4", 32, 4, 40, 4, 512, 8, 255, 8, 16, 1024, 64 * TN_K, 64 * TN_K, 0, 256, 32, 4,
   32, 128, 96 * TN_K, 1, 4 * TN_M, 1.59, 320, 1270, 440, 64, 64, 16, 16, 1024, 3},
  {"sm_80", "A100 SXM 80 GB", 32, 4, 108, 4, 512, 8, 255, 16, 32, 1024, 163 * TN_K, 164 * TN_K, TN_K, 128, 32, 4,
   32, 128, 192 * TN_K, 1, 40 * TN_M, 1.41, 2039, 4500, 470, 64, 64, 16, 16, 2048, 3},
  {"sm_86", "RTX 3090", 32, 4, 82, 4, 512, 8, 255, 12, 16, 1024, 99 * TN_K, 100 * TN_K, TN_K, 128, 32, 4,
   32, 128, 128 * TN_K, 1, 6 * TN_M, 1.695, 936, 2000, 470, 128, 64, 16, 16, 512, 3},
  {"sm_89", "RTX 4090", 32, 4, 128, 4, 512, 8, 255, 12, 24, 1024, 99 * TN_K, 100 * TN_K, TN_K, 128, 32, 4,
   32, 128, 128 * TN_K, 1, 72 * TN_M, 2.52, 1008, 5000, 540, 128, 64, 16, 16, 512, 3},
  {"sm_90", "H100 SXM", 32, 4, 132, 4, 512, 8, 255, 16, 32, 1024, 227 * TN_K, 228 * TN_K, TN_K, 128, 32, 4,
   32, 128, 256 * TN_K, 1, 50 * TN_M, 1.83, 3352, 5500, 480, 128, 64, 16, 16, 4096, 3},
  {"sm_90a", "H100 SXM, with wgmma", 32, 4, 132, 4, 512, 8, 255, 16, 32, 1024, 227 * TN_K, 228 * TN_K, TN_K, 128, 32, 4,
   32, 128, 256 * TN_K, 1, 50 * TN_M, 1.83, 3352, 5500, 480, 128, 64, 16, 16, 4096, 3},
  {"sm_100", "B200", 32, 4, 148, 4, 512, 8, 255, 16, 32, 1024, 227 * TN_K, 228 * TN_K, TN_K, 128, 32, 4,
   32, 128, 256 * TN_K, 1, 126 * TN_M, 1.85, 8000, 10000, 600, 128, 64, 16, 16, 8192, 3},
  {"sm_100a", "B200, with tcgen05", 32, 4, 148, 4, 512, 8, 255, 16, 32, 1024, 227 * TN_K, 228 * TN_K, TN_K, 128, 32, 4,
   32, 128, 256 * TN_K, 1, 126 * TN_M, 1.85, 8000, 10000, 600, 128, 64, 16, 16, 8192, 3},
  {"sm_103a", "B300, with tcgen05", 32, 4, 148, 4, 512, 8, 255, 16, 32, 1024, 227 * TN_K, 228 * TN_K, TN_K, 128, 32, 4,
   32, 128, 256 * TN_K, 1, 126 * TN_M, 1.85, 8000, 10000, 600, 128, 64, 16, 16, 8192, 3},
  {"sm_120", "RTX 5090", 32, 4, 170, 4, 512, 8, 255, 12, 24, 1024, 99 * TN_K, 100 * TN_K, TN_K, 128, 32, 4,
   32, 128, 128 * TN_K, 1, 96 * TN_M, 2.41, 1792, 7000, 600, 128, 128, 16, 16, 512, 3},
  {"gfx90a", "MI250X, one die", 64, 4, 110, 1, 512, 8, 512, 8, 32, 1024, 64 * TN_K, 64 * TN_K, 0, 512, 32, 4,
   64, 128, 16 * TN_K, 0, 8 * TN_M, 1.7, 1638, 3500, 800, 64, 64, 64, 16, 1024, 5},
  {"gfx942", "MI300X", 64, 4, 304, 1, 512, 8, 512, 8, 32, 1024, 64 * TN_K, 64 * TN_K, 0, 512, 32, 4,
   64, 128, 32 * TN_K, 0, 256 * TN_M, 2.1, 5300, 10000, 1200, 64, 64, 64, 16, 2048, 5},
  {"gfx1100", "RX 7900 XTX", 32, 4, 48, 4, 1536, 24, 256, 16, 32, 1024, 64 * TN_K, 128 * TN_K, 0, 512, 32, 4,
   64, 128, 64 * TN_K, 0, 96 * TN_M, 2.5, 960, 3500, 800, 128, 128, 128, 32, 1024, 5},
  {"gfx1201", "RX 9070 XT", 32, 4, 32, 4, 1536, 24, 256, 16, 32, 1024, 64 * TN_K, 128 * TN_K, 0, 512, 32, 4,
   64, 128, 64 * TN_K, 0, 64 * TN_M, 2.97, 640, 3500, 800, 128, 128, 128, 32, 2048, 5},
  {"apple7", "M1", 32, 4, 8, 4, 416, 4, 128, 8, 32, 1024, 32 * TN_K, 64 * TN_K, 0, 512, 32, 4,
   32, 128, 8 * TN_K, 0, 8 * TN_M, 1.278, 68, 200, 600, 128, 128, 32, 32, 256, 10},
  {"apple8", "M2 Max", 32, 4, 38, 4, 416, 4, 128, 8, 32, 1024, 32 * TN_K, 64 * TN_K, 0, 512, 32, 4,
   32, 128, 8 * TN_K, 0, 48 * TN_M, 1.398, 400, 1000, 600, 128, 128, 32, 32, 256, 10},
  {"apple9", "M3 Max", 32, 4, 40, 4, 416, 4, 128, 8, 32, 1024, 32 * TN_K, 64 * TN_K, 0, 512, 32, 4,
   32, 128, 8 * TN_K, 0, 48 * TN_M, 1.38, 400, 1000, 600, 128, 128, 32, 32, 256, 10},
  {"mac2", "Radeon Pro W6800X", 32, 4, 30, 4, 1024, 16, 256, 16, 32, 1024, 32 * TN_K, 128 * TN_K, 0, 512, 32, 4,
   64, 128, 32 * TN_K, 0, 128 * TN_M, 2.087, 512, 2000, 800, 128, 128, 128, 32, 256, 10},
  {"generic", "a small GPU", 32, 4, 16, 4, 512, 8, 128, 8, 16, 256, 16 * TN_K, 32 * TN_K, 0, 256, 32, 4,
   32, 128, 16 * TN_K, 0, 1 * TN_M, 1, 100, 300, 500, 64, 64, 16, 16, 256, 10},
};
#undef TN_K
#undef TN_M
enum { TN_GPUS = sizeof tn_gpus / sizeof *tn_gpus };

// NULL: there is no such target.
static const tn_gpu *tn_gpu_named(const char *name) {
  for (int i = 0; i < TN_GPUS; i++) if (!strcmp(tn_gpus[i].name, name)) return &tn_gpus[i];
  return NULL;
}

// Do items copy to shared memory and go on meanwhile? (PTX ISA, cp.async)
static int tn_gpu_copies(const tn_gpu *g) { return !strncmp(g->name, "sm_", 3) && strcmp(g->name, "sm_75") != 0; }

// Does it copy boxes of tensors to shared memory by itself? (PTX ISA, cp.async.bulk.tensor)
static int tn_gpu_copies_boxes(const tn_gpu *g) {
  return !strncmp(g->name, "sm_90", 5) || !strncmp(g->name, "sm_1", 4);
}

// What a device of this target would tell of itself, so that schedules for it are made without it. 0: no such target.
static int tn_gpu_limits(const char *name, tiny_limits *limits) {
  const tn_gpu *g = tn_gpu_named(name);
  if (!g) return 0;
  memset(limits, 0, sizeof *limits);
  limits->warp = g->warp;
  limits->compute_units = g->units;
  limits->vector_nbytes = 16;              // that an item loads at once: as above, "Device Memory Accesses"
  limits->vector_registers = g->register_max < 255 ? g->register_max : 255;
  limits->shared_nbytes = (size_t)g->shared_group;
  limits->local_total = g->items;
  for (int d = 0; d < 3; d++) {
    limits->local_max[d] = d < 2 ? g->items : 64;
    limits->global_max[d] = d ? 65535 : INT32_MAX;           // as above
  }
  for (int i = 0; i < 3; i++) {
    limits->memory[i].line = g->line;
    limits->memory[i].nbytes = i == 2 ? (size_t)g->last_nbytes : (size_t)g->l1_nbytes;
  }
  limits->units = tiny_warp_units(name, &limits->nunits);
  limits->copies_async = tn_gpu_copies(g);
  limits->copies_boxes = tn_gpu_copies_boxes(g);
  limits->cluster = limits->copies_boxes ? 4 : 0;
  // PTX ISA, wgmma.mma_async, tcgen05.mma: 256 columns; of the latter 128 rows of four warps, too, and no integers on
  // sm_103a
  limits->unit_rows = strcmp(name, "sm_100a") && strcmp(name, "sm_103a") ? 0 : 2;
  limits->unit_dtypes = strcmp(name, "sm_103a") ? 0 : ~((uint64_t)1 << TINY_I8);
  limits->unit_tiles = strcmp(name, "sm_90a") && !limits->unit_rows ? 0 : 32;
  limits->producers = !strcmp(name, "sm_90a");
  return 1;
}
#endif
