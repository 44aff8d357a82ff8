// amd_virtual: a machine that executes lists of AMD's instructions (src/isa/amd_list.c) as they are, with registers
// that are virtual or real, copies and all: of a wave, by what a handful of operations do. What is stored is kept.
#ifndef AMD_VIRTUAL_H
#define AMD_VIRTUAL_H

// Lanes 0 to ON - 1 are on.
enum { LANES = 64, ON = 5, SCRATCH = 1 << 16, MOST_STORED = 1 << 16, MOST_STEPS = 400000 };
typedef struct machine {
  const tn_amd_list *l;
  uint32_t (*real)[LANES];                 // 256 VGPRs, 256 AGPRs, 128 SGPRs in lane 0
  uint32_t (*of_virtual)[LANES];
  int *first;                              // of virtual registers
  uint32_t *scratch;                       // a lane's dwords behind each other
  uint64_t exec; int scc, failed;
  uint32_t *stored; int nstored;
  int *label;
} machine;

static uint32_t *at_register(machine *m, const tn_amd_operand *o, int k) {     // its lanes
  if (o->reg >= TN_AMD_VIRTUAL) return m->of_virtual[m->first[o->reg - TN_AMD_VIRTUAL] + o->sub + k];
  return m->real[(o->kind == TN_AMD_AGPR ? 256 : o->kind == TN_AMD_SGPR ? 512 : 0) + o->reg + k];
}
static int is_exec(const tn_amd_operand *o) { return o->kind == TN_AMD_SGPR && o->reg == TN_AMD_EXEC; }
static uint32_t get(machine *m, const tn_amd_operand *o, int k, int lane) {
  if (o->kind == TN_AMD_INLINE || o->kind == TN_AMD_LITERAL) return o->value;
  if (is_exec(o)) return (uint32_t)(m->exec >> 32 * k);
  return at_register(m, o, k)[o->kind == TN_AMD_SGPR ? 0 : lane];
}
static void set(machine *m, const tn_amd_operand *o, int k, int lane, uint32_t v) {
  if (is_exec(o)) m->exec = (m->exec & ~(0xFFFFFFFFull << 32 * k)) | (uint64_t)v << 32 * k;
  else if (o->kind == TN_AMD_SGPR) at_register(m, o, k)[0] = v;
  else if (m->exec >> lane & 1) at_register(m, o, k)[lane] = v;
}
static int first_lane(const machine *m) {
  for (int i = 0; i < LANES; i++) if (m->exec >> i & 1) return i;
  return 0;
}
static void copy_dwords(machine *m, const tn_amd_operand *to, const tn_amd_operand *from) {
  const int scalar = to->kind == TN_AMD_SGPR, constant = !tn_amd_is_register(from);
  uint32_t before[TN_AMD_MOST_TUPLE][LANES];
  for (int k = 0; k < to->dwords; k++)
    for (int lane = 0; lane < LANES; lane++) before[k][lane] = get(m, from, constant ? 0 : k, lane);
  for (int k = 0; k < to->dwords; k++) {
    if (scalar) set(m, to, k, 0, before[k][first_lane(m)]);
    else for (int lane = 0; lane < LANES; lane++) set(m, to, k, lane, before[k][lane]);
  }
}
static void store_one(machine *m, uint32_t v) {
  if (m->nstored < MOST_STORED) m->stored[m->nstored++] = v; else m->failed = 1;
}
static void do_scratch(machine *m, const tn_amd_ins *ins, int stores) {
  const tn_amd_operand *const o = &ins->o[stores ? 1 : 0], *const base = &ins->o[2];
  const uint32_t at = (uint32_t)ins->m[TN_AMD_OFFSET] + (base->kind == TN_AMD_OFF ? 0 : get(m, base, 0, 0));
  for (int lane = 0; lane < ON; lane++)
    for (int k = 0; k < o->dwords; k++) {
      uint32_t *const place = &m->scratch[lane * SCRATCH + (int)(at / 4) + k];
      if (!(m->exec >> lane & 1)) continue;
      if (at / 4 + (uint32_t)k >= SCRATCH || at % 4 || at + 4 * (uint32_t)k + 4 > m->l->setup.scratch) m->failed = 1;
      else if (stores) *place = get(m, o, k, lane);
      else set(m, o, k, lane, *place);
    }
}
// Of matrices, what it computes is of no importance; it writes dword by dword, while it reads.
static void do_matrix(machine *m, const tn_amd_ins *ins) {
  const tn_amd_operand *const o = ins->o;
  for (int k = 0; k < o[0].dwords; k++)
    for (int lane = 0; lane < LANES; lane++) {
      uint32_t v = get(m, &o[3], o[3].kind == TN_AMD_INLINE ? 0 : k, lane) * 3;
      for (int i = 0; i < o[1].dwords; i++) v += get(m, &o[1], i, lane) * (uint32_t)(i + 5);
      for (int i = 0; i < o[2].dwords; i++) v ^= get(m, &o[2], i, lane) * (uint32_t)(i + 7);
      set(m, &o[0], k, lane, v);
    }
}
static void do_exec(machine *m, const tn_amd_ins *ins) {
  const uint64_t was = m->exec, wide = ins->o[0].dwords > 1 ? (uint64_t)get(m, &ins->o[1], 1, 0) << 32 : 0;
  const uint64_t with = get(m, &ins->o[1], 0, 0) | wide;
  for (int k = 0; k < ins->o[0].dwords; k++) set(m, &ins->o[0], k, 0, (uint32_t)(was >> 32 * k));
  m->exec = was & with;
  m->scc = m->exec != 0;
}
static void do_compare(machine *m, const tn_amd_ins *ins) {
  uint64_t mask = 0;
  for (int lane = 0; lane < LANES; lane++)
    if (m->exec >> lane & 1 && get(m, &ins->o[1], 0, lane) < get(m, &ins->o[2], 0, lane)) mask |= 1ull << lane;
  for (int k = 0; k < ins->o[0].dwords; k++) set(m, &ins->o[0], k, 0, (uint32_t)(mask >> 32 * k));
}
static uint32_t do_vector(machine *m, const tn_amd_ins *ins, int k, int lane) {
  const tn_amd_operand *const o = ins->o;
  switch (ins->op) {
    case TN_AMD_V_ADD_NC_U32: return get(m, &o[1], 0, lane) + get(m, &o[2], 0, lane);
    case TN_AMD_V_FMAC_F32:
      return get(m, &o[1], 0, lane) * 3 + get(m, &o[2], 0, lane) * 5 + get(m, &o[0], 0, lane) * 7;
    case TN_AMD_V_FMA_F32:
      return get(m, &o[1], 0, lane) * 3 + get(m, &o[2], 0, lane) * 5 + get(m, &o[3], 0, lane) * 7;
    case TN_AMD_V_CNDMASK_B32: {
      const uint64_t mask = get(m, &o[3], 0, 0) | (uint64_t)(o[3].dwords > 1 ? get(m, &o[3], 1, 0) : 0) << 32;
      return mask >> lane & 1 ? get(m, &o[2], 0, lane) : get(m, &o[1], 0, lane);
    }
    case TN_AMD_GLOBAL_LOAD_B128: case TN_AMD_GLOBAL_LOAD_B64:
      return get(m, &o[1], 0, lane) * 77 + get(m, &o[1], 1, lane) * 5 + (uint32_t)k;
    default: m->failed = 1; return 0;
  }
}
static void step(machine *m, const tn_amd_ins *ins, const tn_amd_line *line, int *pc) {
  const tn_amd_operand *const o = ins->o;
  uint32_t v[4][LANES];
  switch (ins->op) {
    case TN_AMD_S_BRANCH: *pc = m->label[line->label]; return;
    case TN_AMD_S_CBRANCH_SCC0: if (!m->scc) *pc = m->label[line->label]; return;
    case TN_AMD_S_CBRANCH_SCC1: if (m->scc) *pc = m->label[line->label]; return;
    case TN_AMD_S_CBRANCH_EXECZ: if (!m->exec) *pc = m->label[line->label]; return;
    case TN_AMD_S_CBRANCH_EXECNZ: if (m->exec) *pc = m->label[line->label]; return;
    case TN_AMD_S_CMP_LT_U32: m->scc = get(m, &o[0], 0, 0) < get(m, &o[1], 0, 0); return;
    case TN_AMD_S_ADD_U32: {
      const uint64_t sum = (uint64_t)get(m, &o[1], 0, 0) + get(m, &o[2], 0, 0);
      m->scc = (int)(sum >> 32);
      set(m, &o[0], 0, 0, (uint32_t)sum);
      return;
    }
    case TN_AMD_S_MOV_B64: case TN_AMD_S_MOV_B32: case TN_AMD_V_MOV_B32: case TN_AMD_V_MOV_B64:
    case TN_AMD_V_READFIRSTLANE_B32: case TN_AMD_V_ACCVGPR_READ_B32: case TN_AMD_V_ACCVGPR_WRITE_B32:
    case TN_AMD_V_ACCVGPR_MOV_B32: copy_dwords(m, &o[0], &o[1]); return;
    case TN_AMD_V_READLANE_B32: set(m, &o[0], 0, 0, at_register(m, &o[1], 0)[get(m, &o[2], 0, 0)]); return;
    case TN_AMD_V_WRITELANE_B32: at_register(m, &o[0], 0)[get(m, &o[2], 0, 0)] = get(m, &o[1], 0, 0); return;
    case TN_AMD_SCRATCH_LOAD_B32: case TN_AMD_SCRATCH_LOAD_B64: case TN_AMD_SCRATCH_LOAD_B128:
      do_scratch(m, ins, 0); return;
    case TN_AMD_SCRATCH_STORE_B32: case TN_AMD_SCRATCH_STORE_B64: case TN_AMD_SCRATCH_STORE_B128:
      do_scratch(m, ins, 1); return;
    case TN_AMD_GLOBAL_STORE_B32: case TN_AMD_GLOBAL_STORE_B64: case TN_AMD_GLOBAL_STORE_B128:
      for (int lane = 0; lane < ON; lane++)
        for (int k = 0; k < o[1].dwords; k++) store_one(m, m->exec >> lane & 1 ? get(m, &o[1], k, lane) : 0);
      return;
    case TN_AMD_S_LOAD_B128: case TN_AMD_S_LOAD_B256: case TN_AMD_S_LOAD_B64: {
      const uint32_t base = get(m, &o[1], 0, 0) * 3 + get(m, &o[1], 1, 0);
      for (int k = 0; k < o[0].dwords; k++) set(m, &o[0], k, 0, base * 19 + (uint32_t)k);
      return;
    }
    case TN_AMD_S_AND_SAVEEXEC_B32: case TN_AMD_S_AND_SAVEEXEC_B64: do_exec(m, ins); return;
    case TN_AMD_V_CMP_LT_U32: do_compare(m, ins); return;
    case TN_AMD_S_AND_B32: case TN_AMD_S_AND_B64:
      for (int k = 0; k < o[0].dwords; k++) v[0][k] = get(m, &o[1], k, 0) & get(m, &o[2], k, 0);
      for (int k = 0; k < o[0].dwords; k++) set(m, &o[0], k, 0, v[0][k]);
      m->scc = v[0][0] || (o[0].dwords > 1 && v[0][1]);
      return;
    default: break;
  }
  if (tn_amd_is_matrix(ins->op, ins->family)) { do_matrix(m, ins); return; }
  for (int k = 0; k < o[0].dwords && k < 4; k++)
    for (int lane = 0; lane < LANES; lane++) v[k][lane] = do_vector(m, ins, k, lane);
  for (int k = 0; k < o[0].dwords && k < 4; k++)
    for (int lane = 0; lane < LANES; lane++) set(m, &o[0], k, lane, v[k][lane]);
}
// Registers that nobody has written hold what `seed` says. Inputs: SGPRs and VGPRs by their number.
static void run(machine *m, tiny_ctx *t, const tn_amd_list *l, uint32_t seed) {
  int n = 0, steps = 0;
  memset(m, 0, sizeof *m);
  m->l = l;
  m->first = tn_amd_scratch(t, (size_t)l->nvreg, sizeof *m->first);
  for (int v = 0; v < l->nvreg; v++) { m->first[v] = n; n += l->vreg[v].dwords; }
  m->of_virtual = tn_amd_scratch(t, (size_t)n + 1, sizeof *m->of_virtual);
  m->real = tn_amd_scratch(t, 640, sizeof *m->real);
  m->scratch = tn_amd_scratch(t, (size_t)ON * SCRATCH, sizeof *m->scratch);
  m->stored = tn_amd_scratch(t, MOST_STORED, sizeof *m->stored);
  m->label = tn_amd_scratch(t, (size_t)l->labels + 1, sizeof *m->label);
  for (int i = 0; i < n; i++) for (int k = 0; k < LANES; k++) m->of_virtual[i][k] = seed *= 1664525;
  for (int i = 0; i < 640; i++) for (int k = 0; k < LANES; k++) m->real[i][k] = seed *= 1664525;
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < LANES; k++) {
      m->real[i][k] = (uint32_t)(1000 + i * 100 + k);
      m->real[512 + i][k] = 7u + (uint32_t)i;
    }
  for (int v = 0; v < l->nvreg; v++)
    for (int k = 0; l->vreg[v].fixed >= 0 && k < l->vreg[v].dwords; k++)
      memcpy(m->of_virtual[m->first[v] + k], m->real[(l->vreg[v].kind == TN_AMD_SGPR ? 512 : 0) + l->vreg[v].fixed + k],
             sizeof m->real[0]);
  for (int i = 0; i < l->n; i++) if (l->line[i].kind == TN_AMD_LINE_LABEL) m->label[l->line[i].label] = i;
  m->exec = (1u << ON) - 1;
  for (int pc = 0; pc < l->n && steps++ < MOST_STEPS && !m->failed;) {
    const tn_amd_line *const line = &l->line[pc++];
    if (line->kind == TN_AMD_LINE_COPY) copy_dwords(m, &line->ins.o[0], &line->ins.o[1]);
    else if (line->kind == TN_AMD_LINE_INS) {
      if (line->ins.op == TN_AMD_S_ENDPGM) break;
      step(m, &line->ins, line, &pc);
    }
  }
  if (steps >= MOST_STEPS) m->failed = 1;
}
#endif
