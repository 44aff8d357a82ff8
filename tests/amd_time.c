// amd_time: an estimate of cycles: a wave issues in order, waits for results and counters, and keeps units busy.
//
// A group takes what its slowest wave takes, alone, or its busiest unit, whichever is more; groups follow one another
// on one compute unit. Latencies: amd_check.c. Rates: a SIMD is 32 lanes wide (gfx942: 16), transcendentals take four
// times as long, f64 on gfx11 and gfx12 16 times (AMD, RDNA3 ISA, RDNA whitepaper; CDNA3 whitepaper); matrix
// instructions by AMD's matrix instruction calculator. Caches are not modelled: memory is as far as LLVM's scheduler
// takes it to be. Included by amd_rules.c.
#ifndef AMD_TIME_C
#define AMD_TIME_C
#include "amd_matrix.c"

static int amd_lds_latency(const amd_wave *w) { (void)w; return AMD_LDS_CYCLES; }
static int amd_latency(amd_wave *w, uint64_t sectors, int scalar) {
  (void)w; (void)sectors;
  return scalar ? AMD_SMEM_CYCLES : AMD_VMEM_CYCLES;
}
// The cycles that a vector instruction keeps its SIMD.
static uint32_t amd_vector_cost(const amd_wave *w, const amd_ins *i) {
  const char *types = i->rule->types;
  const uint32_t passes = (uint32_t)w->lanes / (w->family == AMD_9 ? 16 : 32);
  if (i->rule->kind == AMD_TRANS) return passes * 4;
  return w->family != AMD_9 && types && (types[0] == 'd' || (types[0] && strchr(types, 'd'))) ? passes * 16 : passes;
}
static void amd_matrix_time(amd_wave *w, const amd_shape *s) {
  const int twelve = amd_t_bits[s->a] == 16 ? 16 : 8;
  const int cycles = w->family == AMD_9 ? 4 * s->passes : w->family == AMD_11 ? s->passes : twelve;
  w->cost = (uint32_t)cycles;
  for (int r = w->wmma_first; r < w->wmma_first + w->wmma_n; r++) w->vready[r] = w->cycle + (uint64_t)cycles;
}
static int amd_unit(int kind) {
  switch (kind) {
    case AMD_VALU: case AMD_TRANS: case AMD_DUAL: return AMD_U_VALU;
    case AMD_MATRIX: return AMD_U_MATRIX;
    case AMD_LDS: return AMD_U_LDS;
    case AMD_VMEM_LOAD: case AMD_VMEM_STORE: case AMD_ATOMIC: case AMD_SCRATCH: return AMD_U_MEMORY;
    default: return AMD_U_SALU;
  }
}
// The instruction has been done.
static void amd_spent(amd_wave *w, int kind, int taken) {
  const int unit = amd_unit(kind), simds = w->family == AMD_9 ? 4 : 2;
  const int simd = unit == AMD_U_LDS || unit == AMD_U_MEMORY ? 0 : w->number % simds;
  w->group->busy[simd][unit] += w->cost;
  w->cycle += taken ? AMD_BRANCH_CYCLES : unit == AMD_U_VALU ? w->cost : 1;
}
static uint64_t amd_group_cycles(const amd_group *g) {
  uint64_t most = 0;
  for (int k = 0; k < g->nwaves; k++)
    if (g->wave[k]->cycle > most) most = g->wave[k]->cycle;
  for (int s = 0; s < 4; s++)
    for (int u = 0; u < AMD_UNITS; u++)
      if (g->busy[s][u] > most) most = g->busy[s][u];
  return most;
}
#endif
