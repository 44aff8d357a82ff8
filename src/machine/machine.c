// machine: what a device is made of, as far as schedules and the cost model ask: levels of memory, what memory lies in.
//
// In:    the tiny_limits that a backend has filled. Out: numbers, guessed where it left zeros.
// Holds: everything that a room above knows of caches, lines and pages stands here.
//
// What is guessed is a core of Zen 4 or Skylake-X (Fog, The microarchitecture of Intel, AMD and VIA CPUs, 2023).
#ifndef TN_MACHINE_MACHINE
#define TN_MACHINE_MACHINE
#ifndef TINY_AMALGAMATED
#include "../ir/dtype.c"
#endif

enum { TN_MEMORY_LEVELS = 3 };             // caches: nearest, innermost worth packing for, last before memory
enum { TN_LINE_NBYTES = 64 };              // of what no device says otherwise
enum { TN_PAGE_NBYTES = 4096 };            // within which the processor fetches ahead, and sets of caches repeat
enum { TN_NEAREST_NBYTES = 32 << 10, TN_NEAR_NBYTES = 1 << 20, TN_LAST_TIMES = 16, TN_CACHE_WAYS = 8 };
static const double tn_line_cycles[TN_MEMORY_LEVELS] = {2, 5, 14};       // to fetch a line into it from the next

// Level 0 is the nearest. cycles: what a line costs that it does not hold but the next one does.
static tiny_memory_level tn_machine_memory(const tiny_limits *limits, int level) {
  tiny_memory_level m = limits->memory[level];
  if (!m.line) m.line = TN_LINE_NBYTES;
  if (!m.ways) m.ways = TN_CACHE_WAYS;
  if (m.cycles <= 0) m.cycles = tn_line_cycles[level];
  if (m.nbytes) return m;
  const size_t packed = limits->memory[1].nbytes ? limits->memory[1].nbytes :
                      limits->cache_nbytes ? limits->cache_nbytes : (size_t)TN_NEAR_NBYTES;
  m.nbytes = level == 0 ? (size_t)TN_NEAREST_NBYTES : level == 1 ? packed : packed * TN_LAST_TIMES;
  return m;
}

static int64_t tn_machine_line(const tiny_limits *limits) { return tn_machine_memory(limits, 0).line; }
// Of the innermost cache worth packing for.
static int64_t tn_machine_near(const tiny_limits *limits) { return (int64_t)tn_machine_memory(limits, 1).nbytes; }
#endif
