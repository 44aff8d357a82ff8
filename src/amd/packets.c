// packets: the words that command processors read: PM4 of each generation, SDMA, AQL.
//
// In:    addresses, values, registers of a kernel. Out: words, behind those that there are.
// What is what: Linux, drivers/gpu/drm/amd/include: amdgpu/nvd.h, soc15d.h (PM4), gc_11_0_0_offset.h and gc_9_4_3 (of
// registers), navi10_sdma_pkt_open.h, vega10_sdma_pkt_open.h (SDMA); Mesa, src/amd/common/sid.h; ROCR-Runtime,
// core/runtime/amd_aql_queue.cpp and amd_blit_sdma.cpp.
#ifndef TN_KFD_PACKETS
#define TN_KFD_PACKETS
#ifndef TINY_AMALGAMATED
#include "structs.c"
#endif
#include <string.h>

enum { TN_KFD_WORDS = 192 };
typedef struct tn_kfd_words { uint32_t at[TN_KFD_WORDS]; int n; } tn_kfd_words;

static void tn_kfd_word(tn_kfd_words *w, uint64_t word) { if (w->n < TN_KFD_WORDS) w->at[w->n++] = (uint32_t)word; }
static void tn_kfd_address(tn_kfd_words *w, uint64_t address) {
  tn_kfd_word(w, address);
  tn_kfd_word(w, address >> 32);
}

// What a struct of whole words holds.
static void tn_kfd_struct(tn_kfd_words *w, const void *p, size_t nbytes) {
  for (size_t i = 0; i < nbytes / 4; i++) {
    uint32_t word;
    memcpy(&word, (const char *)p + 4 * i, sizeof word);
    tn_kfd_word(w, word);
  }
}

// ** PM4: type 3 **

enum {
  TN_PM4_DISPATCH_DIRECT = 0x15, TN_PM4_WAIT_REG_MEM = 0x3C, TN_PM4_INDIRECT_BUFFER = 0x3F, TN_PM4_EVENT_WRITE = 0x46,
  TN_PM4_RELEASE_MEM = 0x49, TN_PM4_ACQUIRE_MEM = 0x58, TN_PM4_SET_SH_REG = 0x76
};
enum {                                     // registers of compute, from SET_SH_REG's base (0x2C00) on
  TN_SH_SCRATCH_BASE = 0x210, TN_SH_PGM_LO = 0x20C, TN_SH_RSRC1 = 0x212, TN_SH_LIMITS = 0x215, TN_SH_TMPRING = 0x218,
  TN_SH_RESTART = 0x21B, TN_SH_RSRC3 = 0x228, TN_SH_RSRC3_GFX9 = 0x22D, TN_SH_START = 0x204, TN_SH_USER_DATA = 0x240
};
enum { TN_KFD_AT_MOST = 2, TN_KFD_AT_LEAST = 5 };          // functions of waits
enum { TN_KFD_DATA_32 = 1, TN_KFD_DATA_CLOCK = 3 };        // what is written at the end

// n words follow.
static void tn_pm4(tn_kfd_words *w, int op, int n) {
  tn_kfd_word(w, 3u << 30 | (uint32_t)(n - 1) << 16 | (uint32_t)op << 8);
}
static void tn_pm4_registers(tn_kfd_words *w, int first, int n) {
  tn_pm4(w, TN_PM4_SET_SH_REG, n + 1);
  tn_kfd_word(w, (uint32_t)first);
}
static void tn_pm4_register(tn_kfd_words *w, int at, uint32_t value) {
  tn_pm4_registers(w, at, 1);
  tn_kfd_word(w, value);
}
// Until the word there is as wanted.
static void tn_pm4_wait(tn_kfd_words *w, uint64_t address, uint32_t value, int function) {
  enum { MEMORY = 1 << 4, INTERVAL = 4 };
  tn_pm4(w, TN_PM4_WAIT_REG_MEM, 6);
  tn_kfd_word(w, (uint32_t)(function | MEMORY));
  tn_kfd_address(w, address);
  tn_kfd_word(w, value);
  tn_kfd_word(w, UINT32_MAX);
  tn_kfd_word(w, INTERVAL);
}
// Kernels that come after see what others wrote, and (code) instructions that are new. from_far: also what was written
// past the GPU's last cache.
static void tn_pm4_acquire(tn_kfd_words *w, int family, int code, int from_far) {
  enum { GLI_INV = 1, GLM_WB = 0x10, GLM_INV = 0x20, GLK_WB = 0x40, GLK_INV = 0x80, GLV_INV = 0x100, GL1_INV = 0x200,
         GL2_INV = 0x4000, GL2_WB = 0x8000 };
  enum { SH_ICACHE = 1 << 29, SH_KCACHE = 1 << 27, TC_ACTION = 1 << 23, TCL1 = 1 << 22, TC_WB = 1 << 18,
      INTERVAL = 10 };
  const int caches = GLM_WB | GLM_INV | GLK_WB | GLK_INV | GLV_INV | GL1_INV;
  const int gfx9 = SH_KCACHE | TCL1 | (code ? SH_ICACHE : 0) | (from_far ? TC_ACTION | TC_WB : 0);
  tn_pm4(w, TN_PM4_ACQUIRE_MEM, family == 9 ? 6 : 7);
  tn_kfd_word(w, family == 9 ? (uint32_t)gfx9 : 0);
  tn_kfd_word(w, UINT32_MAX);              // all addresses
  tn_kfd_word(w, family == 9 ? 0xFFFFFFu : UINT32_MAX);
  tn_kfd_address(w, 0);
  tn_kfd_word(w, family == 9 ? (uint32_t)INTERVAL : 0);
  if (family != 9) tn_kfd_word(w, (uint32_t)(caches | (code ? GLI_INV : 0) | (from_far ? GL2_INV | GL2_WB : 0)));
}
// When kernels before have ended and what they wrote is seen by all, the value, or the time (data: DATA_CLOCK).
static void tn_pm4_release(tn_kfd_words *w, int family, uint64_t address, uint32_t value, int data) {
  enum { CACHE_FLUSH_AND_INV_TS = 0x14, END_OF_PIPE = 5 << 8, GLM_WB = 1 << 12, GLM_INV = 1 << 13, GLV_INV = 1 << 14,
         GL1_INV = 1 << 15, GL2_INV = 1 << 20, GL2_WB = 1 << 21, SEQ = 1 << 22, TC_WB = 1 << 15, TC_NC = 1 << 19 };
  const int caches = family == 9 ? TC_WB | TC_NC : GLM_WB | GLM_INV | GLV_INV | GL1_INV | GL2_INV | GL2_WB | SEQ;
  tn_pm4(w, TN_PM4_RELEASE_MEM, 7);
  tn_kfd_word(w, (uint32_t)(CACHE_FLUSH_AND_INV_TS | END_OF_PIPE | caches));
  tn_kfd_word(w, (uint32_t)data << 29);
  tn_kfd_address(w, address);
  tn_kfd_address(w, value);
  tn_kfd_word(w, 0);
}
// The same without caches, and the host is woken: the driver looks for the event's number in its slot, and in the
// interrupt (kfd_int_process_v11.c, kfd_events.c).
static void tn_pm4_wake(tn_kfd_words *w, int family, uint64_t slot, uint32_t event) {
  enum { DATA_CLOCK_SHIFT = 29, AND_INTERRUPT = 2 << 24 };
  const int at = w->n;
  tn_pm4_release(w, family, slot, event, 1);
  w->at[at + 2] |= (uint32_t)AND_INTERRUPT;
  w->at[at + 7] = event;
}
// Until kernels before have ended.
static void tn_pm4_idle(tn_kfd_words *w) {
  enum { CS_PARTIAL_FLUSH = 7, OF_SHADERS = 4 << 8 };
  tn_pm4(w, TN_PM4_EVENT_WRITE, 1);
  tn_kfd_word(w, CS_PARTIAL_FLUSH | OF_SHADERS);
}
// The words of a list that lies in memory.
static void tn_pm4_list(tn_kfd_words *w, uint64_t address, size_t nwords) {
  enum { VALID = 0x800000 };
  tn_pm4(w, TN_PM4_INDIRECT_BUFFER, 3);
  tn_kfd_address(w, address);
  tn_kfd_word(w, (uint32_t)nwords | VALID);
}

// ** SDMA **

// COPY_MOST: bytes of one copy, whose count has 30 bits.
enum { TN_SDMA_COPY = 1, TN_SDMA_FENCE = 5, TN_SDMA_POLL = 8, TN_SDMA_COPY_MOST = 1 << 28 };

static void tn_sdma_copy(tn_kfd_words *w, uint64_t to, uint64_t from, size_t nbytes) {
  tn_kfd_word(w, TN_SDMA_COPY);
  tn_kfd_word(w, nbytes - 1);
  tn_kfd_word(w, 0);
  tn_kfd_address(w, from);
  tn_kfd_address(w, to);
}
static void tn_sdma_fence(tn_kfd_words *w, int family, uint64_t address, uint32_t value) {
  enum { UNCACHED = 3 << 16 };
  tn_kfd_word(w, (uint32_t)(TN_SDMA_FENCE | (family == 9 ? 0 : UNCACHED)));
  tn_kfd_address(w, address);
  tn_kfd_word(w, value);
}
static void tn_sdma_wake(tn_kfd_words *w, int family, uint64_t slot, uint32_t event) {
  enum { TRAP = 6, NUMBER = 0xFFFFFFF };
  tn_sdma_fence(w, family, slot, event);
  tn_kfd_word(w, TRAP);
  tn_kfd_word(w, event & NUMBER);
}
static void tn_sdma_wait(tn_kfd_words *w, uint64_t address, uint32_t value, int function) {
  enum { INTERVAL = 4, RETRY = 0xFFF << 16 };
  tn_kfd_word(w, 1u << 31 | (uint32_t)function << 28 | TN_SDMA_POLL);      // of memory
  tn_kfd_address(w, address);
  tn_kfd_word(w, value);
  tn_kfd_word(w, UINT32_MAX);
  tn_kfd_word(w, INTERVAL | RETRY);
}

// ** AQL **

static void tn_aql_words(tn_kfd_words *w, uint64_t address, size_t nwords) {
  enum { LEFT = 10 };                      // words of the packet that are no command
  tn_kfd_aql_words p;
  tn_kfd_words jump;
  jump.n = 0;
  tn_pm4_list(&jump, address, nwords);
  memset(&p, 0, sizeof p);
  p.header = TN_AQL_VENDOR | TN_AQL_BARRIER | TN_AQL_ACQUIRE | TN_AQL_RELEASE;
  p.vendor = TN_AQL_WORDS; p.left = LEFT;
  memcpy(p.jump, jump.at, sizeof p.jump);
  tn_kfd_struct(w, &p, sizeof p);
}
// A packet that does nothing but count a signal down, when all before it have ended.
static void tn_aql_signal(tn_kfd_words *w, uint64_t signal) {
  tn_kfd_word(w, TN_AQL_BARRIER_AND | TN_AQL_BARRIER | TN_AQL_ACQUIRE | TN_AQL_RELEASE);
  for (int i = 1; i < 14; i++) tn_kfd_word(w, 0);
  tn_kfd_address(w, signal);
}
#endif
