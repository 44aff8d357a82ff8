// amx_machine: the tiles of AMX on a processor that has none. Its instructions are illegal there: a handler of SIGILL
// reads the one that was met, does what it says with the registers and the memory of who met it, and goes on behind it.
// On a processor that has tiles nothing is met.
//
// Source: Intel SDM vol. 2: LDTILECFG (palette 1: 8 tiles of at most 16 rows of 64 bytes), TILELOADD, TILESTORED,
// TDPBF16PS (sums of the even and of the odd products, fused, to nearest even, denormals are zero, on the way in and on
// the way out; then both and what is added to), TDPBSSD (sums wrap).
#ifndef AMX_MACHINE_H
#define AMX_MACHINE_H
#include <signal.h>
#include <ucontext.h>

enum { AMX_TILES = 8, AMX_ROWS = 16, AMX_ROW = 64 };
typedef struct amx_state {
  int palette, rows[AMX_TILES], colsb[AMX_TILES];
  uint8_t tile[AMX_TILES][AMX_ROWS][AMX_ROW];
} amx_state;
static _Thread_local amx_state amx;        // the processor's, of a thread
static int64_t amx_ran[TN_X86_COUNT];      // of rows: how often; of one thread's at a time they are exact
static int64_t amx_wrong;                  // what a processor would not have done
static struct sigaction amx_before;

static float amx_flushed(float f) {
  uint32_t bits;
  memcpy(&bits, &f, 4);
  if (!(bits & 0x7F800000u)) bits &= 0x80000000u;
  memcpy(&f, &bits, 4);
  return f;
}
static float amx_f32_of(const uint8_t *bf16) {
  const uint32_t bits = (uint32_t)bf16[0] << 16 | (uint32_t)bf16[1] << 24;
  float f;
  memcpy(&f, &bits, 4);
  return amx_flushed(f);
}
static float amx_load(const uint8_t *at) {
  float f;
  memcpy(&f, at, 4);
  return amx_flushed(f);
}
static void amx_bf16(uint8_t *to, const uint8_t *a, const uint8_t (*b)[AMX_ROW], int n, int words) {
  float sum[2] = {0, 0};
  for (int k = 0; k < words; k++) for (int i = 0; i < 2; i++)
    sum[i] = amx_flushed(fmaf(amx_f32_of(a + 4 * k + 2 * i), amx_f32_of(b[k] + 4 * n + 2 * i), sum[i]));
  const float all = amx_flushed(amx_load(to) + amx_flushed(sum[0] + sum[1]));
  memcpy(to, &all, 4);
}
static void amx_bytes(uint8_t *to, const uint8_t *a, const uint8_t (*b)[AMX_ROW], int n, int words, int sa, int sb) {
  uint32_t sum;
  memcpy(&sum, to, 4);
  for (int k = 0; k < words; k++) for (int i = 0; i < 4; i++) {
    const uint8_t x = a[4 * k + i], y = b[k][4 * n + i];
    sum += (uint32_t)((sa ? (int8_t)x : x) * (sb ? (int8_t)y : y));
  }
  memcpy(to, &sum, 4);
}
static void amx_product(int op, int c, int a, int b) {
  const int words = amx.colsb[a] / 4;
  amx_wrong += amx.rows[c] != amx.rows[a] || amx.colsb[c] != amx.colsb[b] || amx.rows[b] != words;   // #UD
  for (int m = 0; m < amx.rows[c]; m++) for (int n = 0; n < amx.colsb[c] / 4; n++) {
    const uint8_t (*of)[AMX_ROW] = (const uint8_t (*)[AMX_ROW])amx.tile[b];
    uint8_t *to = amx.tile[c][m] + 4 * n;
    if (op == TN_X86_TDPBF16PS) amx_bf16(to, amx.tile[a][m], of, n, words);
    else amx_bytes(to, amx.tile[a][m], of, n, words, op == TN_X86_TDPBSSD || op == TN_X86_TDPBSUD,
                   op == TN_X86_TDPBSSD || op == TN_X86_TDPBUSD);
  }
}
static void amx_configure(const uint8_t *from) {
  memset(&amx, 0, sizeof amx);
  amx.palette = from[0];
  for (int i = 0; i < AMX_TILES && amx.palette; i++) {
    amx.colsb[i] = from[16 + 2 * i] | from[17 + 2 * i] << 8;
    amx.rows[i] = from[48 + i];
    amx_wrong += amx.rows[i] > AMX_ROWS || amx.colsb[i] > AMX_ROW || !amx.rows[i] != !amx.colsb[i];   // #GP
  }
  for (int i = 0; i < 64; i++) amx_wrong += from[i] && ((i > 0 && i < 16) || (i >= 32 && i < 48) || i >= 56);
  amx_wrong += amx.palette > 1;
}

static uintptr_t amx_register(const mcontext_t *m, int reg) {
  static const int of[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI, REG_R8, REG_R9,
                             REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return (uintptr_t)m->gregs[of[reg & 15]];
}
// next: where the instruction ends.
static uint8_t *amx_base(const mcontext_t *m, const tn_x86_operand *o, uintptr_t next) {
  const uintptr_t base = o->reg == TN_X86_RIP ? next : o->reg == TN_X86_NO_REG ? 0 : amx_register(m, o->reg);
  return (uint8_t *)(base + (uintptr_t)o->imm);
}
static void amx_rows(const mcontext_t *m, const tn_x86_operand *o, uintptr_t next, int tile, int load) {
  const intptr_t stride = o->index == TN_X86_NO_REG ? 0 : (intptr_t)amx_register(m, o->index) * o->scale;
  for (int i = 0; i < amx.rows[tile]; i++) {
    uint8_t *row = amx_base(m, o, next) + i * stride;
    if (load) memcpy(amx.tile[tile][i], row, (size_t)amx.colsb[tile]);
    else memcpy(row, amx.tile[tile][i], (size_t)amx.colsb[tile]);
  }
}
// 0: it is no instruction of tiles.
static int amx_run(const tn_x86_ins *i, const mcontext_t *m, uintptr_t next) {
  const int a = i->o[0].reg, is_config = i->op == TN_X86_LDTILECFG || i->op == TN_X86_TILERELEASE;
  if (tn_x86_rows[i->op].has != TN_X86_HAS_AMX) return 0;
  __atomic_add_fetch(&amx_ran[i->op], 1, __ATOMIC_RELAXED);
  amx_wrong += !is_config && !amx.palette;                   // #UD
  switch (i->op) {
    case TN_X86_LDTILECFG: amx_configure(amx_base(m, &i->o[0], next)); return 1;
    case TN_X86_TILERELEASE: memset(&amx, 0, sizeof amx); return 1;
    case TN_X86_TILEZERO: memset(amx.tile[a], 0, sizeof amx.tile[a]); return 1;
    case TN_X86_TILELOADD: case TN_X86_TILELOADDT1:
      memset(amx.tile[a], 0, sizeof amx.tile[a]);
      amx_rows(m, &i->o[1], next, a, 1);
      return 1;
    case TN_X86_TILESTORED: amx_rows(m, &i->o[0], next, i->o[1].reg, 0); return 1;
    case TN_X86_TDPBF16PS: case TN_X86_TDPBSSD: case TN_X86_TDPBSUD: case TN_X86_TDPBUSD: case TN_X86_TDPBUUD:
      amx_product(i->op, a, i->o[1].reg, i->o[2].reg);
      return 1;
    default: return 0;
  }
}
static void amx_met(int number, siginfo_t *info, void *context) {
  ucontext_t *u = (ucontext_t *)context;
  const uint8_t *at = (const uint8_t *)info->si_addr;
  tn_x86_ins ins;
  const int n = tn_x86_decode(at, TN_X86_LONGEST, &ins);
  if (n && amx_run(&ins, &u->uc_mcontext, (uintptr_t)at + (uintptr_t)n)) {
    u->uc_mcontext.gregs[REG_RIP] += n;
    return;
  }
  sigaction(number, &amx_before, NULL);    // as if nobody had been here: it is met again
}
static void amx_install(void) {
  struct sigaction now;
  memset(&now, 0, sizeof now);
  now.sa_sigaction = amx_met; now.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &now, &amx_before);
}
#endif
