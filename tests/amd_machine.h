// amd_machine: the state of a dispatch that runs: waves, their registers, what is under way; and what rules of
// instructions are made of. Included by amd_emulate.c.
#ifndef AMD_MACHINE_H
#define AMD_MACHINE_H
#include "amd_float.c"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// VGPRs are numbered on: v0 to v255, then a0 to a255. SGPRs by their codes as operands, M0 at its place of gfx11 in
// every family.
enum { AMD_VGPRS = 512, AMD_SGPRS = 128, AMD_LANES = 64, AMD_WAVES = 32, AMD_AGPR = 256 };
enum { AMD_VCC = 106, AMD_TTMP = 108, AMD_NULL = 124, AMD_M0 = 125, AMD_EXEC = 126 };
// Bases of apertures of flat addresses, 4 GiB each, which no host address is in.
#define AMD_LDS_APERTURE 0x0001000000000000ull
#define AMD_SCRATCH_APERTURE 0x0002000000000000ull

enum { AMD_9 = 9, AMD_11 = 11, AMD_12 = 12, AMD_MOST_WORDS = TN_AMD_MOST_WORDS };
static int amd_tn_family(int family) {
  return family == AMD_9 ? TN_AMD_GFX9 : family == AMD_11 ? TN_AMD_GFX11 : TN_AMD_GFX12;
}

// ** instructions as they are executed: decoded once for each address **

typedef enum amd_where { AMD_NONE, AMD_V, AMD_S, AMD_K, AMD_LIT } amd_where;   // VGPR, SGPR, inline constant, literal
typedef struct amd_operand {
  uint8_t where, n;                        // n: dwords
  uint16_t reg;
  uint8_t neg, abs, sel, high;             // of packed operands: neg, neg_hi in abs; sel, high: op_sel, op_sel_hi
  uint8_t sdwa, sext;                      // sdwa: select + 1; 0: none
  uint64_t value;                          // of a constant, as code: amd_constant
} amd_operand;

typedef struct amd_wave amd_wave;
typedef struct amd_ins amd_ins;
typedef struct amd_lanes amd_lanes;
typedef struct amd_scalar amd_scalar;

enum { AMD_NO_DPP, AMD_DPP16, AMD_DPP8 };

// How an instruction is done. types: result, '=', sources, a letter each (amd_lanes.c, amd_scalar.c); lanes or scalar:
// what computes them. Or run: all of it by itself. arg: of the function.
typedef struct amd_rule {
  uint16_t op;
  uint8_t kind;
  const char *types;
  void (*lanes)(amd_lanes *x);
  void (*scalar)(amd_scalar *x);
  void (*run)(amd_wave *w, const amd_ins *i);
  int arg;
} amd_rule;
struct amd_scalar { amd_wave *w; const amd_ins *i; uint64_t a, b, d; uint32_t scc; };

struct amd_ins {
  uint64_t pc;
  const amd_rule *rule;
  int family, nwords, op;
  amd_operand d, e, s[4];                  // e: the second result (carry, mask), an SGPR
  uint8_t clamp, omod, dsel;               // dsel: the high half is written (op_sel[3])
  uint8_t keeps;                           // gfx942: of 16 bits, keeps the other half
  uint8_t byte;                            // gfx12: byte_sel
  uint8_t sdwa_dst, sdwa_unused;           // sdwa_dst: select + 1
  uint8_t dpp, fi, bound, row_mask, bank_mask;
  uint16_t ctrl; uint8_t select[8];
  int32_t offset, offset1;                 // of memory, and simm16
  uint8_t seg, returns, offen, idxen, lds;
  uint8_t cbsz, abid, blgp;                // of MFMA; abid: index_key of SWMMAC
  amd_ins *next, *target, *dual;           // dual: the other half of a VOPD
};

struct amd_lanes {
  amd_wave *w;
  const amd_ins *i;
  int n;                                   // lanes
  uint64_t exec;                           // that are written
  const uint32_t *a, *b, *c;
  const uint64_t *A, *B, *C;
  uint32_t *r; uint64_t *R;
  uint64_t carry, flag;                    // masks: what comes in, what goes out
  int round, round16, ieee;
  uint32_t old[AMD_LANES];                 // of the destination, where the types say so
};

// ** what is under way **

// Counters, as gfx12 splits them. gfx11: LDS and SMEM are lgkmcnt; gfx942: stores count in vmcnt, too.
enum { AMD_LOADCNT, AMD_STORECNT, AMD_DSCNT, AMD_KMCNT, AMD_EXPCNT, AMD_COUNTERS };
// first, n: registers that it will write (scalar: SGPRs); pending: bits of counters that have not passed it; ordered:
// it returns in order of issue; lds: its number among the wave's LDS operations + 1.
typedef struct amd_flight {
  uint16_t first; uint8_t n, scalar, pending, ordered;
  uint8_t scratch;
  uint32_t lds; uint64_t due; uint64_t pc;
} amd_flight;
enum { AMD_FLIGHTS = 256 };

// Who wrote a VGPR last.
enum { AMD_W_NONE, AMD_W_VALU, AMD_W_TRANS, AMD_W_HALF, AMD_W_DOT, AMD_W_MATRIX, AMD_W_MEMORY };
// first, n: the registers that a matrix instruction wrote with it; xdl: 2: f64.
typedef struct amd_written { uint32_t at; uint16_t op, first; uint8_t n, by, passes, xdl; } amd_written;

enum { AMD_RUNS, AMD_BARRIER, AMD_ENDED };
enum { AMD_U_VALU, AMD_U_MATRIX, AMD_U_LDS, AMD_U_MEMORY, AMD_U_SALU, AMD_UNITS };

typedef struct amd_machine amd_machine;
typedef struct amd_group amd_group;

struct amd_wave {
  amd_machine *m;
  amd_group *group;
  int number, lanes, state, family;
  amd_ins *at;
  uint64_t jump; int jumps;                // where the instruction goes, if not on
  uint32_t *v;                             // [AMD_VGPRS][lanes]
  uint32_t s[AMD_SGPRS + 16];              // and room behind for tuples
  uint64_t vdef[AMD_VGPRS];                // lanes that were written
  uint8_t sdef[AMD_SGPRS + 16], scc;       // scc: 2: nobody has set it
  uint8_t vpend[AMD_VGPRS], spend[AMD_SGPRS + 16];
  uint32_t mode;
  amd_flight flight[AMD_FLIGHTS];
  int nflights;
  // hazards: states count instructions and the cycles of s_nop; valus, transes: issued so far
  uint32_t states, valus, transes;
  uint16_t last;                           // the operation before
  uint32_t va_mark;                        // valus when s_waitcnt_depctr, or memory, had seen all their results
  amd_written wrote[AMD_VGPRS];
  uint32_t valu_mark[AMD_VGPRS], trans_mark[AMD_VGPRS];      // gfx11: valus, transes when a trans wrote it
  uint32_t swrote[AMD_SGPRS + 16];         // states when a VALU wrote it; 0: none
  uint8_t sread[AMD_SGPRS + 16];           // gfx12: read by a VALU; 2: and written since by SALU, 3: by VALU
  uint32_t m0_at, setreg_at, cmpx_at, wmma_at, store_at;     // states at such an instruction; 0: none
  uint16_t store_first, store_n, wmma_first, wmma_n;
  // LDS: operations issued; those done at the last barrier
  uint32_t lds_ops, lds_done, lds_safe;
  uint8_t signalled;                       // gfx12
  // scratch of its lanes
  unsigned char *scratch; uint8_t *scratch_def;
  // time
  uint64_t cycle, vready[AMD_VGPRS], sready[AMD_SGPRS + 16];
  uint32_t cost;                           // cycles that the instruction keeps its unit
  uint64_t steps;
  uint32_t rng;
};

// A dword of LDS: who wrote it last, and which waves read it since the last barrier.
typedef struct amd_cell { uint32_t op, readers, epoch; uint8_t wave, bytes, defined, atomic; } amd_cell;

struct amd_group {
  amd_machine *m;
  uint32_t id[3];
  int nwaves, alive, arrived, running;
  amd_wave *wave[AMD_WAVES];
  unsigned char *lds;
  amd_cell *cell;
  uint32_t epoch;
  uint64_t busy[4][AMD_UNITS];             // cycles of each SIMD, each unit; of LDS and scalars in the first
};

typedef struct amd_block { struct amd_block *next; size_t used; amd_ins ins[256]; } amd_block;

struct amd_machine {
  const amd_dispatch *d;
  amd_report *r;
  int family, lanes, gfx;
  int vgprs, agprs;                        // that a wave has
  amd_block *block;
  amd_ins **table; size_t ntable, nins;    // by address: open addressing
  const amd_rule **rule;
  const amd_range *last;                   // the range that was touched last
  amd_group **group; int ngroups;
  jmp_buf stop;
  uint32_t rng;
  uint64_t steps;
};

static void amd_text(char *to, size_t n, const amd_ins *i);
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4), noreturn))
#endif
static void amd_stop(amd_wave *w, const amd_ins *i, const char *format, ...) {
  char text[200], says[300];
  amd_report *r = w->m->r;
  const uint32_t *id = w->group->id;
  va_list args;
  va_start(args, format);
  vsnprintf(says, sizeof says, format, args);
  va_end(args);
  amd_text(text, sizeof text, i);
  r->error_pc = i->pc;
  snprintf(r->error, sizeof r->error, "%s: `%s` at 0x%llx (entry + 0x%llx), group (%u, %u, %u), wave %d", says, text,
           (unsigned long long)i->pc, (unsigned long long)(i->pc - w->m->d->entry), id[0], id[1], id[2], w->number);
  longjmp(w->m->stop, 1);
}
static inline uint32_t amd_random(uint32_t *state) {      // xorshift (Marsaglia, 2003)
  uint32_t x = *state;
  x ^= x << 13; x ^= x >> 17; x ^= x << 5;
  return *state = x;
}
static inline int amd_popcount(uint64_t x) {
  int n = 0;
  for (; x; x &= x - 1) n++;
  return n;
}
static inline int amd_lowest(uint64_t x) {                // 64: none
  int n = 0;
  if (!x) return 64;
  for (; !(x & 1); x >>= 1) n++;
  return n;
}
static inline uint64_t amd_all(const amd_wave *w) { return w->lanes == 64 ? ~0ull : 0xFFFFFFFF; }
static inline uint64_t amd_exec(const amd_wave *w) {
  return w->lanes == 64 ? w->s[AMD_EXEC] | (uint64_t)w->s[AMD_EXEC + 1] << 32 : w->s[AMD_EXEC];
}
static inline uint32_t *amd_v(amd_wave *w, int reg) { return w->v + (size_t)reg * (size_t)w->lanes; }
static const char *amd_vname(int reg, char room[16]) {
  snprintf(room, 16, "%c%d", reg < AMD_AGPR ? 'v' : 'a', reg % AMD_AGPR);
  return room;
}
static const char *amd_sname(int reg, char room[16]) {
  static const char *const special[] = {"null", "m0", "exec_lo", "exec_hi"};
  if (reg == AMD_VCC || reg == AMD_VCC + 1) return reg == AMD_VCC ? "vcc_lo" : "vcc_hi";
  if (reg >= AMD_NULL && reg < AMD_SGPRS) return special[reg - AMD_NULL];
  snprintf(room, 16, "%s%d", reg >= AMD_TTMP ? "ttmp" : "s", reg >= AMD_TTMP ? reg - AMD_TTMP : reg);
  return room;
}
#endif
