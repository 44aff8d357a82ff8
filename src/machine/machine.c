// machine: what a device is made of, as far as schedules ask: memory, what runs beside what, registers.
//
// In:    the tiny_limits that a backend has filled. Out: numbers, guessed where it left zeros.
// Holds: everything that a room above knows of caches, lines, pages, tasks, groups and registers stands here; what
//        something costs stands in costs.c. Two devices with the same limits get the same answers.
//
// What is guessed is a core of Zen 4 or Skylake-X (Fog, The microarchitecture of Intel, AMD and VIA CPUs, 2023), and of
// devices with a grid what WebGPU promises (W3C, WebGPU, 3.6.2 Limits).
#ifndef TN_MACHINE_MACHINE
#define TN_MACHINE_MACHINE
#ifndef TINY_AMALGAMATED
#include "units.c"
#endif

// ** memory: caches, the nearest first **

enum { TN_MEMORY_LEVELS = 3 };             // caches: nearest, innermost worth packing for, last before memory
enum { TN_LINE_NBYTES = 64 };              // of what no device says otherwise
enum { TN_PAGE_NBYTES = 4096 };            // within which the processor fetches ahead, and sets of caches repeat
enum { TN_NEAREST_NBYTES = 32 << 10, TN_NEAR_NBYTES = 1 << 20, TN_LAST_TIMES = 16, TN_CACHE_WAYS = 8 };
enum { TN_SHARE_LEAST = 4 << 20, TN_SHARE_MOST = 16 << 20,                 // of the last cache, for one process
  TN_PIECE_TIMES = 8,                      // the last cache of a device with a grid
  TN_ROW_NELEM = 1 << 16 };                // of a row that is worth walking several times wherever it lies
static const double tn_line_cycles[TN_MEMORY_LEVELS] = {2, 5, 14};       // to fetch a line into it from the next

// Level 0 is the nearest. cycles: what a line costs that it does not hold but the next one does.
static tiny_memory_level tn_machine_memory(const tiny_limits *limits, int level) {
  tiny_memory_level m = limits->memory[level];
  if (m.line < 1) m.line = TN_LINE_NBYTES;
  if (m.ways < 1) m.ways = TN_CACHE_WAYS;
  if (!(m.cycles > 0)) m.cycles = tn_line_cycles[level];
  if (!m.nbytes) {
    const size_t packed = limits->memory[1].nbytes ? limits->memory[1].nbytes :
                        limits->cache_nbytes ? limits->cache_nbytes : (size_t)TN_NEAR_NBYTES;
    m.nbytes = level == 0 ? (size_t)TN_NEAREST_NBYTES : level == 1 ? packed : packed * TN_LAST_TIMES;
  }
  if ((size_t)m.ways > m.nbytes) m.ways = 1;
  return m;
}

static int64_t tn_machine_line(const tiny_limits *limits) { return tn_machine_memory(limits, 0).line; }
static int64_t tn_machine_nearest(const tiny_limits *limits) { return (int64_t)tn_machine_memory(limits, 0).nbytes; }
// Of the innermost cache worth packing for.
static int64_t tn_machine_near(const tiny_limits *limits) { return (int64_t)tn_machine_memory(limits, 1).nbytes; }
// What kernels may count on in the last cache: all of a small one, no more of one that processes or guests share. At
// least so much, as kernels that are cut smaller wait for each other longer than for memory.
static int64_t tn_machine_share(const tiny_limits *limits) {
  const int64_t last = (int64_t)tn_machine_memory(limits, 2).nbytes;
  const int64_t least = TN_SHARE_LEAST, most = TN_SHARE_MOST;
  return last < least ? least : last > most ? most : last;
}
// Has it a grid of groups of items, rather than tasks of threads?
static int tn_machine_grid(const tiny_limits *limits) { return TN_GPU && !limits->threads; }

// Of a value that kernels hand on in pieces, what a piece is: caches keep it for the next kernel. A grid's are large:
// each piece is a launch more, and has to keep all units busy.
static int64_t tn_machine_piece(const tiny_limits *limits) {
  if (!tn_machine_grid(limits)) return tn_machine_share(limits);
  return TN_PIECE_TIMES * (int64_t)tn_machine_memory(limits, 2).nbytes;
}
// Elements of the longest row that one task walks several times, rather than one kernel after the other: those of f32
// that a quarter of the near cache holds.
static int64_t tn_machine_row(const tiny_limits *limits) {
  const int64_t nelem = tn_machine_near(limits) / 16;
  return nelem > TN_ROW_NELEM ? nelem : (int64_t)TN_ROW_NELEM;
}

// ** what runs beside what: tasks or a grid of groups of warps of items, lanes **

enum {
  TN_TASKS_FEW = 8, TN_TASKS_LEAST = 16, TN_TASKS_MOST = 64,     // of long tasks; of a kernel that has work; of any
  TN_WARP_ITEMS = 32, TN_GROUP_ITEMS = 256,                      // of what no device says otherwise
  TN_GROUP_WARPS = 8, TN_DIM_WARPS = 2,                          // worth giving a group, and one dim of it
  TN_REGISTERS = 16, TN_ITEM_REGISTERS = 64,                     // of vectors, of a core; of an item
  TN_UNITS = 16                                                  // of what no device says otherwise
};

static int64_t tn_machine_warp(const tiny_limits *limits) {
  return limits->warp > 0 ? limits->warp : (int)TN_WARP_ITEMS;
}
// Of a work group, at most.
static int64_t tn_machine_items(const tiny_limits *limits) {
  return limits->local_total > 0 ? limits->local_total : (int64_t)TN_GROUP_ITEMS;
}
// Compute units that share a grid's groups; 0: tasks of threads.
static int64_t tn_machine_units(const tiny_limits *limits) {
  return !tn_machine_grid(limits) ? 0 : limits->compute_units > 0 ? limits->compute_units : (int)TN_UNITS;
}
static int tn_machine_registers(const tiny_limits *limits) {
  return limits->vector_registers > 0 ? limits->vector_registers :
      tn_machine_grid(limits) ? (int)TN_ITEM_REGISTERS : (int)TN_REGISTERS;
}
// Bytes that one instruction computes: of a device without vectors those of an item.
static int tn_machine_vector(const tiny_limits *limits) {
  return limits->vector_nbytes > 0 ? limits->vector_nbytes : 4;
}
// Elements that are best read side by side: those of a vector; without vectors those of a line, by as many items.
// Narrower ones than f32 are computed in f32.
static int64_t tn_machine_lanes(const tiny_limits *limits, int nbytes) {
  const int64_t all = limits->vector_nbytes > 0 ? limits->vector_nbytes : tn_machine_line(limits);
  return all / (nbytes < 4 ? 4 : nbytes);
}

// ** what choices are known by **

// All that one may depend on.
static void tn_machine_digest(tn_digester *d, const tiny_limits *limits) {
  int64_t word[25] = {limits->host_memory, limits->threads, limits->vector_nbytes, limits->vector_registers,
                      (int64_t)limits->shared_nbytes, (int64_t)limits->cache_nbytes, limits->warp, limits->local_total,
                      (int64_t)limits->dtypes, limits->compute_units};
  for (int i = 0; i < 3; i++) { word[10 + i] = limits->global_max[i]; word[13 + i] = limits->local_max[i]; }
  word[16] = limits->copies_async;
  word[17] = (int64_t)limits->atomics;
  word[18] = limits->tf32;
  word[19] = limits->unit_tiles;
  word[20] = limits->unit_rows;
  word[21] = limits->copies_boxes;
  word[22] = limits->cluster;
  word[23] = limits->producers;
  word[24] = (int64_t)limits->unit_dtypes;
  tn_digest_add(d, word, sizeof word);
  for (int i = 0; i < TN_MEMORY_LEVELS; i++) {
    const tiny_memory_level m = tn_machine_memory(limits, i);
    const int64_t level[3] = {(int64_t)m.nbytes, m.line, m.ways};
    tn_digest_add(d, level, sizeof level);
    tn_digest_add(d, &m.cycles, sizeof m.cycles);
  }
  for (int i = 0; i < limits->nunits; i++) tn_digest_add(d, limits->units[i].name, strlen(limits->units[i].name));
}
#endif
