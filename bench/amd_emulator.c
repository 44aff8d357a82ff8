// amd_emulator: how fast the tests' emulator of AMD GPUs is, in lanes' instructions a second on one core: a loop of 15
// vector instructions of the kinds that kernels have most, with all lanes and with every other.
//   cc -O2 -w -I. bench/amd_emulator.c -o build/bench/amd_emulator -lm && build/bench/amd_emulator
#define _POSIX_C_SOURCE 199309L
#include "tests/amd_emulate.c"
#include <time.h>

enum { ROUNDS = 0x4000 };
// gfx1100; the first two words set EXEC.
static uint32_t code[64] __attribute__((aligned(256))) = {
  0xBEFE00FF, 0xFFFFFFFF,                  // s_mov_b32 exec_lo, ..
  0x360000FF, 0x000003FF,                  // v_and_b32 v0, 0x3ff, v0
  0x7E020D00, 0x7E0402F2, 0x7E060280,      // v_cvt_f32_u32 v1, v0; v_mov_b32 v2, 1.0; v_mov_b32 v3, 0
  0x7E080280, 0x7E0A0280, 0xB0024000,      // v_mov_b32 v4, 0; v_mov_b32 v5, 0; s_movk_i32 s2, 0x4000
  0xD6130003, 0x040E0501,                  // v_fma_f32 v3, v1, v2, v3
  0x56080501, 0x060A0903, 0x100C0AF0,      // v_fmac_f32 v4, v1, v2; v_add_f32 v5, v3, v4; v_mul_f32 v6, 0.5, v5
  0x200E0706, 0x4A100087,                  // v_max_f32 v7, v6, v3; v_add_nc_u32 v8, 7, v0
  0xD6460009, 0x04010508, 0x3610129F,      // v_lshl_add_u32 v9, v8, 2, v0; v_and_b32 v8, 31, v9
  0x7C920108, 0x02120108,                  // v_cmp_lt_u32 vcc_lo, v8, v0; v_cndmask_b32 v9, v8, v0, vcc_lo
  0xD60B000B, 0x04210709,                  // v_mad_u32_u24 v11, v9, 3, v8
  0xC9060903, 0x0C0C0D05,                  // v_dual_add_f32 v12, v3, v4 :: v_dual_mul_f32 v13, v5, v6
  0xCC0A400E, 0x1802130B,                  // v_pk_add_u16 v14, v11, v9
  0xD72C000F, 0x00021709,                  // v_mul_lo_u32 v15, v9, v11
  0x80828102, 0xBF078002, 0xBFA2FFE9,      // s_sub_u32 s2, s2, 1; s_cmp_lg_u32 s2, 0; s_cbranch_scc1
  0xBFB00000                               // s_endpgm
};

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static int measure(const char *what, uint32_t exec) {
  const amd_range range = {(uint64_t)(uintptr_t)code, sizeof code, 0};
  amd_dispatch d;
  amd_report r;
  double best = 1e9;
  code[1] = exec;
  memset(&d, 0, sizeof d);
  d.chip = 1100; d.entry = range.address; d.rsrc1 = 1 | 0xF << 16 | 1 << 23; d.properties = 1 << 10;
  d.grid[0] = 256; d.group[0] = 64; d.range = &range; d.nranges = 1;
  for (int k = 0; k < 5; k++) {
    const double before = seconds();
    if (amd_emulate(&d, &r)) { fprintf(stderr, "%s\n", r.error); return 1; }
    const double took = seconds() - before;
    if (took < best) best = took;
  }
  printf("%-18s %6.2f ns an instruction of a wave, %.3g lane instructions a second\n", what,
         best * 1e9 / (double)r.instructions, (double)r.lane_instructions / best);
  return 0;
}
int main(void) { return measure("all lanes", 0xFFFFFFFF) | measure("every other lane", 0x55555555); }
