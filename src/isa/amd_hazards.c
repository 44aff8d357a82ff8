// amd_hazards: instructions in front of those that would read too soon, or what is not there, where the hardware does
// not see to that.
//
// In:  a list with its waits. Out: the list, with s_nop (gfx942: amd_states.c), v_nop, s_waitcnt_depctr, s_wait_alu.
// Holds: gfx11: a transcendental's result is read 6 vector instructions, or 2 transcendentals, or an access of memory
//        later, or its unit is waited for. gfx12: a scalar that a vector instruction has read, and that was written
//        since, is waited for before it is read. Both: what matrix instructions multiply is not written by the one
//        right before; lanes are not permuted right behind v_cmpx. Of waves of 32 lanes there is no other.
// Source: LLVM, GCNHazardRecognizer.cpp (fixVALUTransUseHazard, fixWMMAHazards, fixVcmpxPermlaneHazards) and
//         AMDGPUWaitSGPRHazards.cpp of LLVM 20; AMD's guides, "s_wait_alu".
#ifndef TN_ISA_AMD_HAZARDS
#define TN_ISA_AMD_HAZARDS
#ifndef TINY_AMALGAMATED
#include "amd_states.c"
#endif

// Fields of s_waitcnt_depctr that are 0: results of vector instructions in VGPRs, in SGPRs, in VCC; of scalar ones.
enum { TN_AMD_WAIT_VGPR = 0xF000, TN_AMD_WAIT_VALU_SGPR = 0x0E00, TN_AMD_WAIT_VALU_VCC = 0x0002,
  TN_AMD_WAIT_SALU = 0x0001 };
enum { TN_AMD_WAS_READ = 1, TN_AMD_BY_SALU = 2, TN_AMD_BY_VALU = 4 };
// valu, trans: of a transcendental's result, how many more of those until it may be read; scalar: WAS_READ by a vector
// instruction, and written since; from, end: what the vector instruction before wrote, a matrix one; cmpx: it was one
typedef struct tn_amd_risks {
  uint8_t valu[TN_AMD_FLOW_AGPR], trans[TN_AMD_FLOW_AGPR], scalar[TN_AMD_FLOW_SCALARS], cmpx, results;
  uint16_t from, end;
} tn_amd_risks;
enum { TN_AMD_VALU_UNTIL = 6, TN_AMD_TRANS_UNTIL = 2 };

static int tn_amd_risks_join(void *to, const void *from) {
  tn_amd_risks *const a = (tn_amd_risks *)to;
  const tn_amd_risks *const b = (const tn_amd_risks *)from;
  uint8_t *const all = (uint8_t *)a;
  const uint8_t *const other = (const uint8_t *)b;
  const size_t scalars = offsetof(tn_amd_risks, scalar), cmpx = offsetof(tn_amd_risks, cmpx);
  int more = 0;
  for (size_t i = 0; i < offsetof(tn_amd_risks, from); i++) {
    const int both = i >= scalars && i < cmpx ? all[i] | other[i] : all[i] > other[i] ? all[i] : other[i];
    more |= both != all[i];
    all[i] = (uint8_t)both;
  }
  if (!b->end) return more;
  if (!a->end || b->from < a->from) { a->from = b->from; more = 1; }
  if (b->end > a->end) { a->end = b->end; more = 1; }
  return more;
}
static int tn_amd_is_vector(int unit) {
  return unit == TN_AMD_U_VALU || unit == TN_AMD_U_TRANS || unit == TN_AMD_U_MATRIX;
}
// A vector instruction has been issued.
static void tn_amd_risks_pass(tn_amd_risks *s, int trans) {
  s->cmpx = 0;
  s->from = s->end = 0;
  if (!s->results) return;
  s->results--;
  for (int r = 0; r < TN_AMD_FLOW_AGPR; r++) {
    s->valu[r] = (uint8_t)(s->valu[r] ? s->valu[r] - 1 : 0);
    s->trans[r] = (uint8_t)(s->trans[r] && trans ? s->trans[r] - 1 : s->trans[r]);
  }
}
static void tn_amd_results_are_there(tn_amd_risks *s) {
  if (!s->results) return;
  memset(s->valu, 0, sizeof s->valu);
  memset(s->trans, 0, sizeof s->trans);
  s->results = 0;
}

// ** in front of a line **

// gfx11: fields of s_waitcnt_depctr that the line needs.
static unsigned tn_amd_risk_of_trans(const tn_amd_risks *s, const tn_amd_uses *uses) {
  for (int k = 0; k < uses->n && s->results; k++) {
    const tn_amd_use *const u = &uses->of[k];
    if (u->kind != TN_AMD_VGPR || !(u->role & TN_AMD_READS)) continue;
    for (int r = u->reg; r < u->reg + u->dwords; r++) if (s->valu[r] && s->trans[r]) return TN_AMD_WAIT_VGPR;
  }
  return 0;
}
// gfx12: the same. Scalar instructions see to what vector instructions write.
static unsigned tn_amd_risk_of_scalars(const tn_amd_risks *s, const tn_amd_uses *uses, int unit) {
  const int vector = unit >= TN_AMD_U_SMEM && unit <= TN_AMD_U_VMEM;
  unsigned fields = 0;
  for (int k = 0; k < uses->n; k++) {
    const tn_amd_use *const u = &uses->of[k];
    if (u->kind != TN_AMD_SGPR || !(u->role & TN_AMD_READS)) continue;
    for (int r = u->reg; r < u->reg + u->dwords && r < TN_AMD_NULL; r++) {         // not M0, EXEC
      const int vcc = r == TN_AMD_VCC || r == TN_AMD_VCC + 1;
      if (s->scalar[r] & TN_AMD_BY_SALU) fields |= TN_AMD_WAIT_SALU;
      if (s->scalar[r] & TN_AMD_BY_VALU && vector) fields |= vcc ? TN_AMD_WAIT_VALU_VCC : TN_AMD_WAIT_VALU_SGPR;
    }
  }
  return fields;
}
static void tn_amd_flow_put_fields(tn_amd_flow *f, tn_amd_risks *s, unsigned fields) {
  if (!fields) return;
  tn_amd_flow_put_number(f, TN_AMD_S_WAITCNT_DEPCTR, 0xFFFFu & ~fields);
  if (fields & TN_AMD_WAIT_VGPR) tn_amd_results_are_there(s);
  for (int r = 0; r < TN_AMD_FLOW_SCALARS; r++) {
    const int vcc = r == TN_AMD_VCC || r == TN_AMD_VCC + 1;
    int is = s->scalar[r];
    if (fields & TN_AMD_WAIT_SALU) is &= ~TN_AMD_BY_SALU;
    if (fields & (unsigned)(vcc ? TN_AMD_WAIT_VALU_VCC : TN_AMD_WAIT_VALU_SGPR)) is &= ~TN_AMD_BY_VALU;
    s->scalar[r] = (uint8_t)is;
  }
}
static int tn_amd_permutes_lanes(int op) {
  return op == TN_AMD_V_PERMLANE16_B32 || op == TN_AMD_V_PERMLANEX16_B32 || op == TN_AMD_V_PERMLANE64_B32 ||
         op == TN_AMD_V_PERMLANE16_VAR_B32 || op == TN_AMD_V_PERMLANEX16_VAR_B32;
}
// A register that is moved to itself: v_nop is passed over (LLVM, fixVcmpxPermlaneHazards).
static void tn_amd_put_move(tn_amd_flow *f, tn_amd_risks *s, const tn_amd_ins *ins) {
  if (!s->cmpx || !tn_amd_permutes_lanes(ins->op)) return;
  const tn_amd_operand o[] = {tn_amd_v(ins->o[1].reg, 1), tn_amd_v(ins->o[1].reg, 1)};
  tn_amd_flow_put(f, TN_AMD_V_MOV_B32, 2, o);
  tn_amd_risks_pass(s, 0);
}
// What is multiplied, and of sparse matrices their indices, was written right before.
static void tn_amd_put_nop(tn_amd_flow *f, tn_amd_risks *s, const tn_amd_ins *ins) {
  const tn_amd_form form = tn_amd_form_of(ins->op, ins->family);
  for (int i = 1; i < ins->n && i < form.n && s->end; i++) {
    const tn_amd_operand *const o = &ins->o[i];
    const int apart = o->reg >= s->end || o->reg + o->dwords <= s->from;
    if (o->kind != TN_AMD_VGPR || form.operands[2 * i] == 'C' || apart) continue;
    tn_amd_flow_put(f, TN_AMD_V_NOP, 0, NULL);
    tn_amd_risks_pass(s, 0);
  }
}

// ** behind it **

static void tn_amd_risks_after(tn_amd_risks *s, const tn_amd_line *line, int unit) {
  const tn_amd_ins *const ins = &line->ins;
  if (unit == TN_AMD_U_LDS || unit == TN_AMD_U_VMEM) tn_amd_results_are_there(s);
  if (!tn_amd_is_vector(unit)) return;
  tn_amd_risks_pass(s, unit == TN_AMD_U_TRANS);
  s->cmpx = (uint8_t)(tn_amd_format(ins->op, ins->family) == TN_AMD_VOPC && tn_amd_writes_exec(ins->op, ins->family));
  if (unit == TN_AMD_U_MATRIX) { s->from = ins->o[0].reg; s->end = (uint16_t)(ins->o[0].reg + ins->o[0].dwords); }
  if (unit != TN_AMD_U_TRANS || ins->family != TN_AMD_GFX11) return;
  for (int r = ins->o[0].reg; r < ins->o[0].reg + ins->o[0].dwords; r++) {
    s->valu[r] = TN_AMD_VALU_UNTIL;
    s->trans[r] = TN_AMD_TRANS_UNTIL;
  }
  s->results = TN_AMD_VALU_UNTIL;
}
// gfx12: who has read and written scalars.
static void tn_amd_risks_after_scalars(tn_amd_risks *s, const tn_amd_uses *uses, int unit) {
  const int reader = unit >= TN_AMD_U_SMEM && unit <= TN_AMD_U_VMEM;
  for (int role = TN_AMD_READS; role <= TN_AMD_WRITES; role++) {
    for (int k = 0; k < uses->n; k++) {
      const tn_amd_use *const u = &uses->of[k];
      if (u->kind != TN_AMD_SGPR || !(u->role & role)) continue;
      for (int r = u->reg; r < u->reg + u->dwords && r < TN_AMD_NULL; r++) {
        if (role == TN_AMD_READS && reader) s->scalar[r] |= TN_AMD_WAS_READ;
        if (role == TN_AMD_WRITES && s->scalar[r])
          s->scalar[r] = (uint8_t)(TN_AMD_WAS_READ | (tn_amd_is_vector(unit) ? TN_AMD_BY_VALU : TN_AMD_BY_SALU));
      }
    }
  }
}
static void tn_amd_risks_step(tn_amd_flow *f, void *state, int i) {
  tn_amd_risks *const s = (tn_amd_risks *)state;
  const tn_amd_line *const line = &f->line[i];
  const tn_amd_uses *const uses = &f->uses[i];
  const int unit = tn_amd_unit(line), twelve = f->l->family == TN_AMD_GFX12;
  if (line->kind != TN_AMD_LINE_INS) return;
  if (twelve) tn_amd_flow_put_fields(f, s, tn_amd_risk_of_scalars(s, uses, unit));
  else if (tn_amd_is_vector(unit)) tn_amd_flow_put_fields(f, s, tn_amd_risk_of_trans(s, uses));
  tn_amd_put_move(f, s, &line->ins);
  if (unit == TN_AMD_U_MATRIX) tn_amd_put_nop(f, s, &line->ins);
  tn_amd_risks_after(s, line, unit);
  if (twelve) tn_amd_risks_after_scalars(s, uses, unit);
}

static void tn_amd_hazards(tn_amd_list *l) {
  const int nine = l->family == TN_AMD_GFX9;
  tn_amd_files files;
  tn_amd_flow f;
  if (l->refused || !tn_amd_flow_open(&f, l, nine ? sizeof(tn_amd_states) : sizeof(tn_amd_risks), &files)) return;
  tn_amd_files_of(&f, &files);
  f.join = nine ? tn_amd_states_join : tn_amd_risks_join;
  f.step = nine ? tn_amd_states_step : tn_amd_risks_step;
  tn_amd_flow_settle(&f);
  tn_amd_flow_write(&f);
}
#endif
