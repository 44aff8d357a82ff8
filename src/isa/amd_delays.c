// amd_delays: hints of gfx11 and gfx12 that cost nothing but their place: s_delay_alu, by which a wave leaves its unit
// to others until a result is there, and s_clause, by which a run of loads stays together.
//
// In:  a list with its waits and hazards. Out: the list with them. It is right without.
// Holds: what is known of results ends at labels, and where the line waits for vector results by itself. A hint that is
//        not full takes the next one, too, up to five instructions on. A clause has at most 32 instructions.
// Source: AMD's RDNA3 guide, "S_DELAY_ALU", "S_CLAUSE"; LLVM, AMDGPUInsertDelayAlu.cpp, SIInsertHardClauses.cpp.
#ifndef TN_ISA_AMD_DELAYS
#define TN_ISA_AMD_DELAYS
#ifndef TINY_AMALGAMATED
#include "amd_depend.c"
#include "amd_waits.c"
#endif

// Codes before those of a kind; bits where the second one and how far it is stand.
enum { TN_AMD_DEP_VALU = 0, TN_AMD_DEP_TRANS = 4, TN_AMD_DEP_SALU = 8, TN_AMD_MOST_DEPS = 3 };
enum { TN_AMD_DELAY_SECOND = 7, TN_AMD_DELAY_SKIP = 4, TN_AMD_MOST_SKIP = 5, TN_AMD_MOST_CLAUSE = 32 };

// Who makes a register: a unit, U_OTHER: nobody lately; how many of its kind, and cycles, had been issued before.
typedef struct tn_amd_maker { uint8_t unit; int number, cycle; } tn_amd_maker;
// hint: the line of the list that is written, + 1, that may take another
typedef struct tn_amd_delays_of {
  tn_amd_maker vector[TN_AMD_FLOW_AGPR], scalar[TN_AMD_FLOW_SCALARS];
  int valus, transes, cycle, hint, clause;
} tn_amd_delays_of;

static void tn_amd_delays_forget(tn_amd_delays_of *d) {
  memset(d->vector, 0, sizeof d->vector);
  memset(d->scalar, 0, sizeof d->scalar);
}
static tn_amd_maker *tn_amd_maker_of(tn_amd_delays_of *d, const tn_amd_use *u, int r) {
  if (u->kind == TN_AMD_VGPR) return &d->vector[r];
  return u->kind == TN_AMD_SGPR && r < TN_AMD_NULL ? &d->scalar[r] : NULL;
}
// How near the result's maker is: of vector units which before, of scalars how many cycles are left; 0: far enough.
static int tn_amd_delay_of(const tn_amd_delays_of *d, const tn_amd_maker *m) {
  const int cycles = d->cycle - m->cycle, valu = d->valus - m->number, trans = d->transes - m->number;
  switch (m->unit) {
    case TN_AMD_U_VALU: return valu <= 4 && cycles < TN_AMD_VALU_CYCLES ? TN_AMD_DEP_VALU + valu : 0;
    case TN_AMD_U_TRANS: return trans <= 3 && cycles < TN_AMD_TRANS_CYCLES ? TN_AMD_DEP_TRANS + trans : 0;
    case TN_AMD_U_SALU: return cycles < TN_AMD_SALU_CYCLES ? TN_AMD_DEP_SALU + (int)TN_AMD_SALU_CYCLES - cycles : 0;
    default: return 0;
  }
}
static int tn_amd_kind_of_delay(int code) {
  return code <= TN_AMD_DEP_TRANS ? 0 : code <= TN_AMD_DEP_SALU ? 1 : 2;
}
// The nearest of each kind that the line reads.
static void tn_amd_delays_of_line(tn_amd_delays_of *d, const tn_amd_uses *uses, int named, int *nearest) {
  for (int k = 0; k < named; k++) {
    const tn_amd_use *const u = &uses->of[k];
    for (int r = u->reg; u->role & TN_AMD_READS && r < u->reg + u->dwords; r++) {
      const tn_amd_maker *const m = tn_amd_maker_of(d, u, r);
      const int code = m ? tn_amd_delay_of(d, m) : 0, kind = tn_amd_kind_of_delay(code), salu = kind == 2;
      if (code && (!nearest[kind] || (salu ? code > nearest[kind] : code < nearest[kind]))) nearest[kind] = code;
    }
  }
}
static void tn_amd_put_delay(tn_amd_flow *f, tn_amd_delays_of *d, const int nearest[TN_AMD_MOST_DEPS]) {
  static const int order[] = {1, 0, 2};                      // who takes longest
  int codes[2] = {0, 0}, n = 0;
  for (int i = 0; i < TN_AMD_MOST_DEPS && n < 2; i++) if (nearest[order[i]]) codes[n++] = nearest[order[i]];
  if (!n) return;
  const int skip = f->l->n - d->hint;
  if (d->hint && n == 1 && skip <= TN_AMD_MOST_SKIP) {
    f->l->line[d->hint - 1].ins.o[0].value |= (uint32_t)(codes[0] << TN_AMD_DELAY_SECOND | skip << TN_AMD_DELAY_SKIP);
    d->hint = 0;
    return;
  }
  tn_amd_flow_put_number(f, TN_AMD_S_DELAY_ALU, (unsigned)(codes[0] | codes[1] << TN_AMD_DELAY_SECOND));
  d->hint = n == 1 ? f->l->n : 0;
}
static void tn_amd_delays_after(tn_amd_delays_of *d, const tn_amd_uses *uses, int unit) {
  const int trans = unit == TN_AMD_U_TRANS, matrix = unit == TN_AMD_U_MATRIX;
  const tn_amd_maker m = {(uint8_t)(matrix ? TN_AMD_U_VALU : unit), trans ? d->transes : d->valus, d->cycle};
  for (int k = 0; k < uses->n; k++) {
    const tn_amd_use *const u = &uses->of[k];
    for (int r = u->reg; u->role & TN_AMD_WRITES && r < u->reg + u->dwords; r++)
      if (tn_amd_maker_of(d, u, r)) *tn_amd_maker_of(d, u, r) = m;
  }
  d->transes += trans;
  d->valus += unit == TN_AMD_U_VALU || matrix;
}

// ** clauses **

// Kinds of accesses that may stand in one clause; 0: none.
static int tn_amd_clause_of(const tn_amd_line *line) {
  const int access = tn_amd_access_kind(line);
  return access == TN_AMD_A_SMEM || access == TN_AMD_A_LOAD
       ? access << 8 | tn_amd_format(line->ins.op, line->ins.family) : 0;
}
static void tn_amd_put_clause(tn_amd_flow *f, tn_amd_delays_of *d, int i) {
  const int kind = tn_amd_clause_of(&f->line[i]);
  int n = 0;
  if (d->clause) { d->clause--; return; }
  while (kind && n < TN_AMD_MOST_CLAUSE && i + n < f->n && tn_amd_clause_of(&f->line[i + n]) == kind) n++;
  if (n < 2) return;
  tn_amd_flow_put_number(f, TN_AMD_S_CLAUSE, (unsigned)n - 1);
  d->clause = n - 1;
}
static void tn_amd_delay_step(tn_amd_flow *f, void *state, int i) {
  tn_amd_delays_of *const d = (tn_amd_delays_of *)f->pass;
  const tn_amd_line *const line = &f->line[i];
  const tn_amd_uses *const uses = &f->uses[i];
  const int unit = tn_amd_unit(line), lanes = unit >= TN_AMD_U_VALU && unit <= TN_AMD_U_VMEM;
  int nearest[TN_AMD_MOST_DEPS] = {0, 0, 0};
  (void)state;
  if (i && f->line[i - 1].kind == TN_AMD_LINE_LABEL) { tn_amd_delays_forget(d); d->hint = 0; }
  if (line->kind != TN_AMD_LINE_INS) return;
  tn_amd_put_clause(f, d, i);
  const int waits = unit == TN_AMD_U_LDS || unit == TN_AMD_U_VMEM || line->ins.op == TN_AMD_S_WAITCNT_DEPCTR;
  if (waits) tn_amd_delays_forget(d);
  if (unit == TN_AMD_U_SALU || unit == TN_AMD_U_VALU || unit == TN_AMD_U_TRANS || unit == TN_AMD_U_MATRIX) {
    tn_amd_delays_of_line(d, uses, uses->n - lanes, nearest);
    tn_amd_put_delay(f, d, nearest);
    tn_amd_delays_after(d, uses, unit);
  }
  d->cycle++;
}

static int tn_amd_delay_join(void *to, const void *from) { (void)to; (void)from; return 0; }
static void tn_amd_delay(tn_amd_list *l) {
  tn_amd_flow f;
  if (l->refused || l->family == TN_AMD_GFX9) return;
  tn_amd_delays_of *const d = (tn_amd_delays_of *)tn_amd_room(l, 1, sizeof *d);
  if (!d) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  if (!tn_amd_flow_open(&f, l, 1, d)) return;
  f.step = tn_amd_delay_step;
  f.join = tn_amd_delay_join;
  tn_amd_flow_write(&f);
}
#endif
