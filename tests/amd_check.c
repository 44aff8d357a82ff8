// amd_check: what a GPU would not say: registers that are read before their wait, before anyone wrote them, sooner
// after their writer than the hardware has them, or that the kernel does not have.
//
// A load writes its registers at once here, and marks them until a wait passes it: whoever touches a marked register is
// wrong. Counters: loads in order, LDS in order, stores in order, SMEM and flat in any order: those are done at 0 alone
// (AMD, RDNA3 ISA 4.4, "Manually inserted wait states"; LLVM, SIInsertWaitcnts.cpp). Hazards: GCNHazardRecognizer.cpp
// of LLVM, the numbers of wait states between a writer and a reader. Included by amd_lanes.c.
#ifndef AMD_CHECK_C
#define AMD_CHECK_C
#include "amd_machine.h"

// Cycles until a result is there (LLVM, SISchedule.td, GFX11SpeedModel; gfx942's, in fours, come to the same).
enum { AMD_SALU_CYCLES = 2, AMD_VALU_CYCLES = 5, AMD_TRANS_CYCLES = 10, AMD_LDS_CYCLES = 20, AMD_SMEM_CYCLES = 20,
  AMD_VMEM_CYCLES = 320, AMD_BRANCH_CYCLES = 32 };

// Who reads a VGPR.
enum { AMD_R_VALU, AMD_R_TRANS, AMD_R_DPP, AMD_R_LANE, AMD_R_AB, AMD_R_C, AMD_R_MEMORY, AMD_R_KINDS };
static const char *const amd_reader[AMD_R_KINDS] = {
  "a vector instruction", "a transcendental", "DPP", "a lane read", "a matrix operand", "an accumulator", "memory"
};

// ** counters **

static int amd_counter(int family, int counter) {
  if (counter == AMD_KMCNT && family != AMD_12) return AMD_DSCNT;
  return counter == AMD_STORECNT && family == AMD_9 ? AMD_LOADCNT : counter;
}
static void amd_landed(amd_wave *w, const amd_flight *f) {
  for (int k = 0; k < f->n; k++) {
    if (f->scalar) w->spend[f->first + k]--;
    else w->vpend[f->first + k]--;
  }
  if (f->lds > w->lds_done) w->lds_done = f->lds;
  if (f->due > w->cycle) w->cycle = f->due;
}
// At most n operations of the counter are left.
static void amd_wait(amd_wave *w, int counter, int n) {
  const uint8_t bit = (uint8_t)(1 << amd_counter(w->family, counter));
  int ordered = 0, kept = 0;
  for (int k = 0; k < w->nflights; k++) ordered += (w->flight[k].pending & bit) && w->flight[k].ordered;
  for (int k = 0; k < w->nflights; k++) {
    amd_flight *f = &w->flight[k];
    if ((f->pending & bit) && (f->ordered ? ordered-- > n : n == 0)) f->pending &= (uint8_t)~bit;
    if (f->pending) w->flight[kept++] = *f;
    else amd_landed(w, f);
  }
  w->nflights = kept;
}
// An operation is under way that writes n registers. A full counter makes the wave wait for its oldest.
static amd_flight *amd_issue(amd_wave *w, const amd_ins *i, int counters, int ordered, int first, int n, int scalar) {
  int pending = 0;
  for (int c = 0; c < AMD_COUNTERS; c++) {
    if (!(counters & 1 << c)) continue;
    const int at = amd_counter(w->family, c), most = at == AMD_DSCNT && w->family == AMD_9 ? 14 : 62;
    pending |= 1 << at;
    int under_way = 0;
    for (int k = 0; k < w->nflights; k++) under_way += w->flight[k].pending >> at & 1;
    if (under_way > most) amd_wait(w, at, most);
  }
  if (w->nflights == AMD_FLIGHTS) amd_stop(w, i, "%d operations under way", AMD_FLIGHTS);
  amd_flight *f = &w->flight[w->nflights++];
  memset(f, 0, sizeof *f);
  f->first = (uint16_t)first; f->n = (uint8_t)n; f->scalar = (uint8_t)scalar; f->pending = (uint8_t)pending;
  f->ordered = (uint8_t)ordered; f->pc = i->pc;
  for (int k = 0; k < n; k++) {
    if (scalar) w->spend[first + k]++;
    else w->vpend[first + k]++;
  }
  return f;
}
static const char *amd_counter_name(const amd_wave *w, int pending) {
  static const char *const name[3][AMD_COUNTERS] = {{"vmcnt", "vmcnt", "lgkmcnt", "lgkmcnt", "expcnt"},
    {"vmcnt", "vscnt", "lgkmcnt", "lgkmcnt", "expcnt"}, {"loadcnt", "storecnt", "dscnt", "kmcnt", "expcnt"}};
  return name[w->family == AMD_9 ? 0 : w->family == AMD_11 ? 1 : 2][amd_lowest((uint64_t)pending)];
}
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
static void amd_not_waited(amd_wave *w, const amd_ins *i, int reg, int scalar, const char *verb) {
  char room[16];
  for (int k = 0; k < w->nflights; k++) {
    const amd_flight *f = &w->flight[k];
    if (f->scalar != scalar || reg < f->first || reg >= f->first + f->n) continue;
    amd_stop(w, i, "%s %s before %s waited for the load at 0x%llx",
             scalar ? amd_sname(reg, room) : amd_vname(reg, room), verb, amd_counter_name(w, f->pending),
             (unsigned long long)f->pc);
  }
  amd_stop(w, i, "%s %s before its load was waited for", scalar ? amd_sname(reg, room) : amd_vname(reg, room), verb);
}

// ** VGPRs **

static void amd_vgpr_exists(amd_wave *w, const amd_ins *i, int reg) {
  char room[16];
  const int at = reg % AMD_AGPR, most = reg < AMD_AGPR ? w->m->vgprs : w->m->agprs;
  if (reg >= AMD_VGPRS || at >= most)
    amd_stop(w, i, "%s, where the kernel has %d of those registers", amd_vname(reg, room), most);
  if (at >= w->m->r->vgprs) w->m->r->vgprs = at + 1;
}
// Wait states of gfx942 that a reader, or -1: a writer, needs behind whoever wrote the register.
static int amd_states_matrix(const amd_written *by, const amd_ins *i, int reader, int same) {
  const int f64 = by->xdl == 2, four = by->passes <= 4;
  if (reader == AMD_R_C && same) return by->passes == 2 ? 2 : 0;
  if (f64) return reader == AMD_R_C ? (four ? 4 : 9) : reader == AMD_R_MEMORY ? (four ? 9 : 18) : (four ? 6 : 11);
  (void)i;
  if (reader == AMD_R_C) return by->passes + (by->xdl ? 1 : 0);
  return by->passes + (by->xdl ? 3 : 2);
}
static int amd_states(const amd_written *by, const amd_ins *i, int reader, int same) {
  switch (by->by) {
    case AMD_W_TRANS: if (reader == AMD_R_VALU) return 1; // fall through
    case AMD_W_VALU:
      return reader == AMD_R_DPP || reader == AMD_R_AB || reader == AMD_R_C ? 2 : reader == AMD_R_LANE ? 1 : 0;
    case AMD_W_HALF: return reader == AMD_R_DPP || reader == AMD_R_AB || reader == AMD_R_C ? 2 : 1;
    case AMD_W_DOT: return by->op == i->op && same ? 0 : 3;
    case AMD_W_MATRIX: return amd_states_matrix(by, i, reader, same);
    default: return 0;
  }
}
static void amd_states_pass(amd_wave *w, const amd_ins *i, int reg, int reader, int same, const char *verb) {
  const amd_written *by = &w->wrote[reg];
  char room[16];
  if (by->by == AMD_W_NONE || by->by == AMD_W_MEMORY) return;
  const int between = (int)(w->states - by->at) - 1;
  if (between > 32) return;
  const int need = amd_states(by, i, reader < 0 ? AMD_R_VALU : reader, same);
  if (between < need)
    amd_stop(w, i, "hazard: %s is %s %s %d wait states behind its writer, which takes %d", amd_vname(reg, room), verb,
             reader < 0 ? "a vector instruction" : amd_reader[reader], between, need);
}
// gfx11: the result of a transcendental, which is read with fewer than 6 vector instructions and fewer than 2
// transcendentals between, no s_waitcnt_depctr of va_vdst, and no access of memory (LLVM, fixVALUTransUseHazard).
static void amd_trans_use(amd_wave *w, const amd_ins *i, int reg) {
  char room[16];
  if (w->valu_mark[reg] < w->va_mark) return;
  if (w->valus - w->valu_mark[reg] <= 6 && w->transes - w->trans_mark[reg] <= 2)
    amd_stop(w, i, "hazard: %s is the result of a transcendental that s_waitcnt_depctr has not waited for",
             amd_vname(reg, room));
}
// The registers are read by those lanes. same: they are exactly those that the last matrix instruction wrote.
static void amd_reads(amd_wave *w, const amd_ins *i, int first, int n, uint64_t lanes, int reader, int same) {
  char room[16];
  for (int r = first; r < first + n; r++) {
    amd_vgpr_exists(w, i, r);
    if (w->vpend[r]) amd_not_waited(w, i, r, 0, "is read");
    if ((w->vdef[r] & lanes) != lanes && !w->m->d->tolerant)
      amd_stop(w, i, "%s is read, which lane %d has not written", amd_vname(r, room), amd_lowest(lanes & ~w->vdef[r]));
    if (w->family == AMD_9) amd_states_pass(w, i, r, reader, same, "read by");
    else if (w->family == AMD_11 && w->wrote[r].by == AMD_W_TRANS && reader <= AMD_R_C) amd_trans_use(w, i, r);
    if (w->vready[r] > w->cycle) w->cycle = w->vready[r];
  }
}
static int amd_writer_of(const amd_ins *i) {
  const char *types = i->rule->types;
  if (i->rule->kind == AMD_TRANS) return AMD_W_TRANS;
  if (i->rule->kind == AMD_MATRIX) return AMD_W_MATRIX;
  if (types && types[0] == 'D') return AMD_W_DOT;
  if (i->dsel || (i->sdwa_dst && i->sdwa_unused == 2)) return AMD_W_HALF;
  return AMD_W_VALU;
}
// Is all that is to write the register under way in the order that this load comes back in, too?
static int amd_in_order(const amd_wave *w, const amd_ins *i, int reg) {
  const int counter = amd_counter(w->family, i->rule->kind == AMD_LDS ? AMD_DSCNT : AMD_LOADCNT);
  for (int k = 0; k < w->nflights; k++) {
    const amd_flight *f = &w->flight[k];
    if (f->scalar || reg < f->first || reg >= f->first + f->n) continue;
    if (!f->ordered || f->pending != 1 << counter) return 0;
  }
  return i->rule->kind == AMD_LDS || i->seg != 0;          // flat: in no order
}
// The registers are written by those lanes, by a vector instruction.
static void amd_writes(amd_wave *w, const amd_ins *i, int first, int n, uint64_t lanes, int by) {
  for (int r = first; r < first + n; r++) {
    amd_written *at = &w->wrote[r];
    amd_vgpr_exists(w, i, r);
    if (w->vpend[r] && !(by == AMD_W_MEMORY && amd_in_order(w, i, r))) amd_not_waited(w, i, r, 0, "is written");
    if (w->family == AMD_9 && by != AMD_W_MATRIX && by != AMD_W_MEMORY) {
      if (at->by == AMD_W_MATRIX || at->by == AMD_W_DOT) amd_states_pass(w, i, r, -1, at->op == i->op, "written by");
      if (w->store_at && r >= w->store_first && r < w->store_first + w->store_n && w->states - w->store_at - 1 < 2)
        amd_stop(w, i, "hazard: the data of a long store is written %d wait states behind it, which takes 2",
                 (int)(w->states - w->store_at) - 1);
    }
    w->vdef[r] |= lanes;
    at->at = w->states; at->by = (uint8_t)by; at->op = (uint16_t)i->op;
    w->vready[r] = by == AMD_W_MEMORY ? 0 : w->cycle + (by == AMD_W_TRANS ? AMD_TRANS_CYCLES : AMD_VALU_CYCLES);
    if (by == AMD_W_TRANS) { w->valu_mark[r] = w->valus; w->trans_mark[r] = w->transes; }
  }
}

// ** SGPRs **

// Who reads an SGPR.
enum { AMD_SR_SALU, AMD_SR_VALU, AMD_SR_MEMORY, AMD_SR_LANE, AMD_SR_FMAS };
static void amd_sgpr_state(amd_wave *w, const amd_ins *i, int reg, int reader) {
  static const int need[] = {0, 2, 5, 4, 4};
  char room[16];
  if (w->family == AMD_9 && w->swrote[reg]) {
    const int between = (int)(w->states - w->swrote[reg]) - 1;
    if (between < need[reader])
      amd_stop(w, i, "hazard: %s is read %d wait states behind the vector instruction that wrote it, which takes %d",
               amd_sname(reg, room), between, need[reader]);
  }
  if (w->sread[reg] > 1 && (w->sread[reg] == 2 || reader != AMD_SR_SALU) && w->m->d->sgpr_hazard)
    amd_stop(w, i, "hazard: %s was read by a vector instruction, rewritten, and is read without s_wait_alu",
             amd_sname(reg, room));
  if (w->family == AMD_12 && reader != AMD_SR_SALU && reg < AMD_NULL) w->sread[reg] = 1;   // LLVM: not M0, EXEC
}
static void amd_sreads(amd_wave *w, const amd_ins *i, int first, int n, int reader) {
  char room[16];
  for (int r = first; r < first + n; r++) {
    if (r == AMD_NULL || (first == AMD_NULL && n > 1)) return;
    if (w->spend[r]) amd_not_waited(w, i, r, 1, "is read");
    if (!w->sdef[r] && !w->m->d->tolerant) amd_stop(w, i, "%s is read, which nobody has written", amd_sname(r, room));
    amd_sgpr_state(w, i, r, reader);
    if (w->sready[r] > w->cycle) w->cycle = w->sready[r];
  }
}
static void amd_swrites(amd_wave *w, const amd_ins *i, int first, int n, int by_valu) {
  for (int r = first; r < first + n; r++) {
    if (w->spend[r]) amd_not_waited(w, i, r, 1, "is written");
    if (r < AMD_VCC && r >= w->m->r->sgprs) w->m->r->sgprs = r + 1;
    w->sdef[r] = 1;
    w->swrote[r] = by_valu ? w->states : 0;
    w->sready[r] = w->cycle + (by_valu ? AMD_VALU_CYCLES : AMD_SALU_CYCLES);
    if (w->sread[r]) w->sread[r] = by_valu ? 3 : 2;
    if (r == AMD_M0 && !by_valu) w->m0_at = w->states;
  }
}
// n dwords of the scalar file; NULL is 0.
static uint64_t amd_sget(amd_wave *w, const amd_ins *i, int reg, int n, int reader) {
  amd_sreads(w, i, reg, n, reader);
  if (reg == AMD_NULL) return 0;
  return n > 1 ? w->s[reg] | (uint64_t)w->s[reg + 1] << 32 : w->s[reg];
}
static void amd_sput(amd_wave *w, const amd_ins *i, int reg, int n, uint64_t x, int by_valu) {
  if (reg == AMD_NULL) return;
  amd_swrites(w, i, reg, n, by_valu);
  w->s[reg] = (uint32_t)x;
  if (n > 1) w->s[reg + 1] = (uint32_t)(x >> 32);
}
// Masks of lanes: one SGPR or two.
static int amd_mask_n(const amd_wave *w) { return w->lanes / 32; }

// ** instructions as such: before they are done **

static void amd_exec_hazard(amd_wave *w, const amd_ins *i, int need, const char *who) {
  if (w->family != AMD_9 || !w->swrote[AMD_EXEC]) return;
  const int between = (int)(w->states - w->swrote[AMD_EXEC]) - 1;
  if (between < need)
    amd_stop(w, i, "hazard: %s %d wait states behind a vector instruction that wrote EXEC, which takes %d",
             who, between, need);
}
// gfx942: M0 is written by the instruction before.
static void amd_m0_hazard(amd_wave *w, const amd_ins *i) {
  if (w->family == AMD_9 && w->m0_at && w->states - w->m0_at - 1 < 1)
    amd_stop(w, i, "hazard: M0 is written right before it");
}
// gfx11, gfx12: v_cmpx and then a permutation of lanes, with no vector instruction between.
static void amd_cmpx_hazard(amd_wave *w, const amd_ins *i) {
  if (w->family != AMD_9 && w->cmpx_at && w->cmpx_at == w->valus)
    amd_stop(w, i, "hazard: v_cmpx is the vector instruction before it");
}
#endif
