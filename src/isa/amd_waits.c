// amd_waits: waits for what is under way: loads, LDS, scalar loads; as late as possible, and for no more than needed.
//
// In:  a list whose registers are real, without waits. Out: the list, with s_waitcnt, or gfx12's s_wait_*, in front of
//      lines that read or write a register that a load will write, and of barriers.
// Requires: setup.wgp is 0: a group is on one CU, whose caches keep the order of a group's accesses of memory by
//      themselves (LLVM, AMDGPUUsage, memory models, "CU wavefront execution mode"), so barriers wait for LDS alone.
// Holds: of each register, for each counter, how many operations are behind the one that writes it, at least: so many
//      may be left. What comes in any order (SMEM; flat) is waited for by 0, and is not counted: an operation that is
//      not done leaves those behind it undone, too, whatever else the counter counts. Nothing waits for stores, which
//      read their registers as they are issued. What is loaded in front of a loop and used in it, but is not under way
//      where the loop goes round, is waited for in front, not each time.
// Source: AMD's guides (amd.c), "Data Dependency Resolution"; LLVM, SIInsertWaitcnts.cpp: which counter is whose.
#ifndef TN_ISA_AMD_WAITS
#define TN_ISA_AMD_WAITS
#ifndef TINY_AMALGAMATED
#include "amd_flow.c"
#include "amd_names.c"
#endif

// ** states: 0: not under way; 64 - n: n operations are behind it, at least; IN_ANY_ORDER **

enum { TN_AMD_NEWEST = 64, TN_AMD_IN_ANY_ORDER = 255, TN_AMD_LDS_ITSELF = TN_AMD_FLOW_VECTORS,
  TN_AMD_PENDING = TN_AMD_FLOW_VECTORS + 16 };             // of whole vectors, as compilers like them
// by loads, by LDS; LDS_ITSELF: LDS is read or written, by loads: written. scalar: by SMEM
typedef struct tn_amd_pending {
  uint8_t load[TN_AMD_PENDING], lds[TN_AMD_PENDING], scalar[TN_AMD_FLOW_SCALARS];
} tn_amd_pending;
// What is waited for, the same way.
typedef struct tn_amd_needs { int load, lds, scalar; } tn_amd_needs;

static int tn_amd_pending_join(void *to, const void *from) {
  uint8_t *const a = (uint8_t *)to;
  const uint8_t *const b = (const uint8_t *)from;
  uint8_t more = 0;
  for (size_t i = 0; i < sizeof(tn_amd_pending); i++) {
    more |= b[i] > a[i];
    a[i] = b[i] > a[i] ? b[i] : a[i];
  }
  return more;
}
// One more operation of a counter. The counter has so many bits that none is `most` behind and not done.
static void tn_amd_pending_pass(uint8_t *of, int most) {
  const uint8_t oldest = (uint8_t)(TN_AMD_NEWEST - most + 1);
  for (int i = 0; i < TN_AMD_PENDING; i++)
    of[i] = (uint8_t)(of[i] - ((of[i] > oldest) & (of[i] != TN_AMD_IN_ANY_ORDER)));
}
static int tn_amd_lds_most(int family) { return family == TN_AMD_GFX9 ? 15 : 63; }
static int tn_amd_left(int need) { return need == TN_AMD_IN_ANY_ORDER ? 0 : TN_AMD_NEWEST - need; }
static void tn_amd_pending_done(uint8_t *of, int need) {
  const int left = tn_amd_left(need);
  const uint8_t done = (uint8_t)(left ? TN_AMD_NEWEST - left : TN_AMD_IN_ANY_ORDER);
  for (int i = 0; i < TN_AMD_PENDING && need; i++) of[i] = of[i] <= done ? 0 : of[i];
}

// ** what a line begins **

enum { TN_AMD_A_NONE, TN_AMD_A_LOAD, TN_AMD_A_STORE, TN_AMD_A_LDS, TN_AMD_A_SMEM, TN_AMD_A_FLAT, TN_AMD_A_INTO_LDS };
// Is there a result in registers?
static int tn_amd_access_returns(const tn_amd_ins *ins) {
  const int32_t *const m = ins->m;
  if (tn_amd_format(ins->op, ins->family) == TN_AMD_MUBUF && tn_amd_is_named(ins, "atomic"))
    return ins->family == TN_AMD_GFX11 ? m[TN_AMD_GLC] : ins->family == TN_AMD_GFX12 ? m[TN_AMD_TH] & 1 : m[TN_AMD_SC0];
  if (tn_amd_format(ins->op, ins->family) == TN_AMD_MUBUF) return ins->n && tn_amd_is_named(ins, "_load_");
  const tn_amd_form f = tn_amd_form_of(ins->op, ins->family);
  return f.n && (*f.operands == 'd' || (*f.operands == 'r' && ins->o[0].kind != TN_AMD_NONE));
}
static int tn_amd_access_kind(const tn_amd_line *line) {
  const tn_amd_ins *const ins = &line->ins;
  if (line->kind != TN_AMD_LINE_INS) return TN_AMD_A_NONE;
  if (ins->op == TN_AMD_S_SENDMSG_RTN_B32 || ins->op == TN_AMD_S_SENDMSG_RTN_B64) return TN_AMD_A_SMEM;
  switch (tn_amd_format(ins->op, ins->family)) {
    case TN_AMD_SMEM: return *tn_amd_form_of(ins->op, ins->family).operands == 'D' ? TN_AMD_A_SMEM : TN_AMD_A_NONE;
    case TN_AMD_DS: return TN_AMD_A_LDS;
    case TN_AMD_FLAT: return TN_AMD_A_FLAT;
    case TN_AMD_SCRATCH: case TN_AMD_GLOBAL: case TN_AMD_MUBUF: break;
    default: return TN_AMD_A_NONE;
  }
  if (!ins->n) return TN_AMD_A_NONE;                         // caches: never counted here
  if (tn_amd_is_named(ins, "load_lds")) return TN_AMD_A_INTO_LDS;
  return tn_amd_access_returns(ins) ? TN_AMD_A_LOAD : TN_AMD_A_STORE;
}
static void tn_amd_pending_mark(tn_amd_pending *p, const tn_amd_uses *u, int access) {
  const int flat = access == TN_AMD_A_FLAT, newest = flat ? TN_AMD_IN_ANY_ORDER : TN_AMD_NEWEST;
  for (int k = 0; k < u->n; k++) {
    const tn_amd_use *const use = &u->of[k];
    if (!(use->role & TN_AMD_WRITES)) continue;
    for (int r = use->reg; r < use->reg + use->dwords; r++) {
      const int at = tn_amd_flow_vector(use->kind, r);
      const int vector = use->kind == TN_AMD_VGPR || use->kind == TN_AMD_AGPR;
      if (vector && (access == TN_AMD_A_LOAD || flat)) p->load[at] = (uint8_t)newest;
      if (vector && (access == TN_AMD_A_LDS || flat)) p->lds[at] = (uint8_t)newest;
      if (use->kind == TN_AMD_SGPR && access == TN_AMD_A_SMEM && r < TN_AMD_NULL) p->scalar[r] = TN_AMD_IN_ANY_ORDER;
    }
  }
}
static void tn_amd_pending_begin(tn_amd_pending *p, const tn_amd_uses *u, int access, int family) {
  const int in_loads = access == TN_AMD_A_LOAD || access == TN_AMD_A_INTO_LDS ||
                       (access == TN_AMD_A_STORE && family == TN_AMD_GFX9);
  if (in_loads) tn_amd_pending_pass(p->load, 63);
  if (access == TN_AMD_A_LDS) tn_amd_pending_pass(p->lds, tn_amd_lds_most(family));
  tn_amd_pending_mark(p, u, access);
  if (access == TN_AMD_A_LDS) p->lds[TN_AMD_LDS_ITSELF] = TN_AMD_NEWEST;
  if (access == TN_AMD_A_FLAT) p->lds[TN_AMD_LDS_ITSELF] = p->load[TN_AMD_LDS_ITSELF] = TN_AMD_IN_ANY_ORDER;
  if (access == TN_AMD_A_INTO_LDS) p->load[TN_AMD_LDS_ITSELF] = TN_AMD_NEWEST;
}

// ** what a line needs **

static void tn_amd_need(int *most, int one) { if (one > *most) *most = one; }
// A load that overwrites what another of its kind will have written comes behind it.
static void tn_amd_needs_of(tn_amd_needs *needs, const tn_amd_pending *p, const tn_amd_uses *u, int access) {
  for (int k = 0; k < u->n; k++) {
    const tn_amd_use *const use = &u->of[k];
    const int vector = use->kind == TN_AMD_VGPR || use->kind == TN_AMD_AGPR, writes = use->role == TN_AMD_WRITES;
    for (int r = use->reg; r < use->reg + use->dwords; r++) {
      if (use->kind == TN_AMD_SGPR && r < TN_AMD_FLOW_SCALARS) tn_amd_need(&needs->scalar, p->scalar[r]);
      if (!vector) continue;
      const int load = p->load[tn_amd_flow_vector(use->kind, r)], lds = p->lds[tn_amd_flow_vector(use->kind, r)];
      if (!(writes && access == TN_AMD_A_LOAD && load != TN_AMD_IN_ANY_ORDER)) tn_amd_need(&needs->load, load);
      if (!(writes && access == TN_AMD_A_LDS && lds != TN_AMD_IN_ANY_ORDER)) tn_amd_need(&needs->lds, lds);
    }
  }
}
static int tn_amd_is_barrier(const tn_amd_line *line) {
  const int op = line->ins.op;
  return line->kind == TN_AMD_LINE_INS && (op == TN_AMD_S_BARRIER || op == TN_AMD_S_BARRIER_SIGNAL ||
                                           op == TN_AMD_S_BARRIER_SIGNAL_ISFIRST);
}
// Permutations of lanes go by LDS's counter, and touch nothing of it.
static int tn_amd_touches_lds(const tn_amd_line *line, int access) {
  const int op = line->ins.op;
  return access == TN_AMD_A_LDS && op != TN_AMD_DS_PERMUTE_B32 && op != TN_AMD_DS_BPERMUTE_B32 &&
         op != TN_AMD_DS_SWIZZLE_B32;
}
static void tn_amd_put_wait_12(tn_amd_flow *f, const tn_amd_needs *needs) {
  const unsigned load = (unsigned)tn_amd_left(needs->load), lds = (unsigned)tn_amd_left(needs->lds);
  if (needs->load && needs->lds) tn_amd_flow_put_number(f, TN_AMD_S_WAIT_LOADCNT_DSCNT, load << 8 | lds);
  else if (needs->load) tn_amd_flow_put_number(f, TN_AMD_S_WAIT_LOADCNT, load);
  else if (needs->lds) tn_amd_flow_put_number(f, TN_AMD_S_WAIT_DSCNT, lds);
  if (needs->scalar) tn_amd_flow_put_number(f, TN_AMD_S_WAIT_KMCNT, 0);
}
// s_waitcnt: counters that nobody waits for are all ones.
static void tn_amd_put_wait_of(tn_amd_flow *f, const tn_amd_needs *needs) {
  unsigned imm = 0;
  for (int i = 0; i < TN_AMD_NUMBER_OF(tn_amd_waits); i++) {
    const tn_amd_word_of *const w = &tn_amd_waits[i];
    const int need = *w->name == 'v' ? needs->load : *w->name == 'l' ? needs->lds : 0;
    if (w->families >> f->l->family & 1) imm = tn_amd_wait_set(w, imm, need ? (unsigned)tn_amd_left(need) : w->value);
  }
  tn_amd_flow_put_number(f, TN_AMD_S_WAITCNT, imm);
}
static void tn_amd_put_wait(tn_amd_flow *f, tn_amd_pending *p, tn_amd_needs needs) {
  const int one_counter = f->l->family != TN_AMD_GFX12;      // of LDS and SMEM
  if (!needs.load && !needs.lds && !needs.scalar) return;
  if (one_counter && needs.scalar) needs.lds = TN_AMD_IN_ANY_ORDER;
  if (one_counter) tn_amd_put_wait_of(f, &needs);
  else tn_amd_put_wait_12(f, &needs);
  tn_amd_pending_done(p->load, needs.load);
  tn_amd_pending_done(p->lds, needs.lds);
  if (needs.scalar || (one_counter && needs.lds && !tn_amd_left(needs.lds))) memset(p->scalar, 0, sizeof p->scalar);
}

// ** loops **

// loop: of LOOP and the branch at its end: which, from 1 on; end: of LOOP: where it ends; back: what is under way where
// a loop goes round, but for what comes in from in front; in_front: wait there
typedef struct tn_amd_waiting {
  int *loop, *end, loops, in_front; uint8_t *access; tn_amd_pending *back;
} tn_amd_waiting;

static int tn_amd_waiting_open(tn_amd_waiting *w, tn_amd_list *l) {
  int *const stack = (int *)tn_amd_room(l, (size_t)l->n, sizeof(int)), depth = 0;
  memset(w, 0, sizeof *w);
  w->loop = (int *)tn_amd_room(l, (size_t)l->n, sizeof(int));
  w->end = (int *)tn_amd_room(l, (size_t)l->n, sizeof(int));
  w->access = (uint8_t *)tn_amd_room(l, (size_t)l->n, 1);
  if (!stack || !w->loop || !w->end || !w->access) return 0;
  for (int i = 0; i < l->n; i++) {
    w->access[i] = (uint8_t)tn_amd_access_kind(&l->line[i]);
    if (l->line[i].kind == TN_AMD_LINE_LOOP) { w->loop[i] = ++w->loops; stack[depth++] = i; }
    if (l->line[i].kind != TN_AMD_LINE_LOOP_END || !depth) continue;
    const int from = stack[--depth];
    w->end[from] = i;
    w->loop[i - 1] = w->loop[from];
  }
  w->back = (tn_amd_pending *)tn_amd_room(l, (size_t)w->loops + 1, sizeof *w->back);
  return w->back != NULL;
}
// What is under way in front of the loop, is used in it and is not under way where it goes round.
static void tn_amd_needs_of_loop(tn_amd_flow *f, tn_amd_needs *needs, const tn_amd_pending *p, int line) {
  const tn_amd_waiting *const w = (const tn_amd_waiting *)f->pass;
  const uint8_t *const back = (const uint8_t *)&w->back[w->loop[line]];
  tn_amd_pending entry = *p;
  uint8_t *const all = (uint8_t *)&entry;
  for (size_t i = 0; i < sizeof entry; i++) if (back[i]) all[i] = 0;
  for (int i = line + 1; i < w->end[line]; i++)
    tn_amd_needs_of(needs, &entry, &f->uses[i], w->access[i]);
}
static void tn_amd_wait_step(tn_amd_flow *f, void *state, int i) {
  tn_amd_waiting *const w = (tn_amd_waiting *)f->pass;
  tn_amd_pending *const p = (tn_amd_pending *)state;
  const tn_amd_line *const line = &f->line[i];
  const int access = w->access[i];
  tn_amd_needs needs = {0, 0, 0};
  tn_amd_needs_of(&needs, p, &f->uses[i], access);
  if (line->kind == TN_AMD_LINE_LOOP && w->in_front) tn_amd_needs_of_loop(f, &needs, p, i);
  if (tn_amd_is_barrier(line)) tn_amd_need(&needs.lds, p->lds[TN_AMD_LDS_ITSELF]);
  if (tn_amd_is_barrier(line) || tn_amd_touches_lds(line, access))
    tn_amd_need(&needs.load, p->load[TN_AMD_LDS_ITSELF]);
  tn_amd_put_wait(f, p, needs);
  if (access) tn_amd_pending_begin(p, &f->uses[i], access, f->l->family);
  if (w->loop[i] && line->kind == TN_AMD_LINE_INS && !w->in_front) w->back[w->loop[i]] = *p;
}

static void tn_amd_wait(tn_amd_list *l) {
  tn_amd_waiting w;
  tn_amd_flow f;
  if (l->refused || !tn_amd_flow_open(&f, l, sizeof(tn_amd_pending), &w)) return;
  if (!tn_amd_waiting_open(&w, l)) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  f.join = tn_amd_pending_join; f.step = tn_amd_wait_step;
  tn_amd_flow_settle(&f);
  w.in_front = 1;
  if (w.loops) { tn_amd_flow_forget(&f); tn_amd_flow_settle(&f); }
  tn_amd_flow_write(&f);
}
#endif
