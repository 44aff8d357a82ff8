// chip: what differs between AMD's GPUs from CDNA3 and RDNA3 on, a row for each target.
//
// Holds: the row is chosen by gfx_target_version, which the driver tells, never by a name.
// What is what: targets, waves, registers, LDS: LLVM, User Guide for AMDGPU Backend, and AMDGPUBaseInfo.cpp. Bytes that
// a unit's state takes: Linux, drivers/gpu/drm/amd/amdkfd/kfd_queue.c, kfd_queue_ctx_save_restore_size. L2, and the
// last cache before memory: AMD, data sheets, and ISA guides of MI300, RDNA3 and RDNA4.
#ifndef TN_KFD_CHIP
#define TN_KFD_CHIP
#include <stddef.h>
#include <stdint.h>

typedef struct tn_kfd_chip {
  uint32_t version;                        // 110000: gfx1100
  const char *name, *card;
  int family, warp, waves;                 // of instructions: 9, 11, 12; lanes of a wave; waves of a SIMD
  uint32_t registers;                      // bytes of a unit's vector registers that are saved
  uint16_t cache_mib;                      // the last cache before memory
  int registers_most;                      // of a lane
} tn_kfd_chip;
static const tn_kfd_chip tn_kfd_chips[] = {
  {90402, "gfx942", "Instinct MI300", 9, 64, 8, 0x80000, 256, 512},
  {110000, "gfx1100", "Radeon RX 7900", 11, 32, 16, 0x60000, 96, 256},
  {110001, "gfx1101", "Radeon RX 7800", 11, 32, 16, 0x60000, 64, 256},
  {110002, "gfx1102", "Radeon RX 7600", 11, 32, 16, 0x40000, 32, 256},
  {110003, "gfx1103", "Radeon 780M", 11, 32, 16, 0x40000, 2, 256},
  {110500, "gfx1150", "Radeon 890M", 11, 32, 16, 0x40000, 2, 256},
  {110501, "gfx1151", "Radeon 8060S", 11, 32, 16, 0x60000, 32, 256},
  {120000, "gfx1200", "Radeon RX 9060", 12, 32, 16, 0x60000, 32, 256},
  {120001, "gfx1201", "Radeon RX 9070", 12, 32, 16, 0x60000, 64, 256}
};
enum { TN_KFD_CHIPS = sizeof tn_kfd_chips / sizeof *tn_kfd_chips };

// NULL: it is not known here.
static const tn_kfd_chip *tn_kfd_chip_of(uint32_t version) {
  for (int i = 0; i < TN_KFD_CHIPS; i++) if (tn_kfd_chips[i].version == version) return &tn_kfd_chips[i];
  return NULL;
}

// ** what is saved of waves when another queue has its turn (CWSR) **

typedef struct tn_kfd_save { uint64_t control, save, all; } tn_kfd_save;   // bytes; all: for every die, page by page

static uint64_t tn_kfd_up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }
// kfd_queue.c: CUs, arrays and engines are a die's; 0x28 bytes of a header; 32 bytes of a wave for debuggers.
static tn_kfd_save tn_kfd_save_of(const tn_kfd_chip *c, uint32_t units, uint32_t engines, uint32_t dies) {
  enum { PAGE = 4096, HEADER = 0x28, SCALARS = 0x4000, SHARED = 0x10000, STATE = 0x1000 };
  const uint64_t most9 = (uint64_t)engines * 512;
  uint64_t waves = (uint64_t)units * (c->family == 9 ? 40 : 32);
  if (c->family == 9 && waves > most9) waves = most9;
  tn_kfd_save s;
  s.control = tn_kfd_up(HEADER + waves * (c->family == 9 ? 8 : 12) + 8, PAGE);
  s.save = s.control + tn_kfd_up((uint64_t)units * (c->registers + SCALARS + SHARED + STATE), PAGE);
  s.all = tn_kfd_up((s.save + tn_kfd_up(waves * 32, 64)) * dies, PAGE);
  return s;
}
#endif
