// amd_states: wait states of gfx942: how many instructions, or cycles of s_nop, lie between one that writes a register
// and one that comes too soon behind it, where the hardware does not see to that.
//
// In:  lines, by tn_amd_hazards. Out: for a line how many are missing in front of it; the state behind it.
// Holds: of each vector register, for each kind of who comes next, how many states are left until it may; of each
//        scalar one the same until an access of memory may read it, who wait longest for them.
// Source: AMD's CDNA3 guide, "Manually Inserted Wait States"; LLVM, GCNHazardRecognizer.cpp, checkMAIHazards90A,
//         checkMAIVALUHazards, createsVALUHazard, for what a count is.
#ifndef TN_ISA_AMD_STATES
#define TN_ISA_AMD_STATES
#ifndef TINY_AMALGAMATED
#include "amd_flow.c"
#endif

// Who comes next. As AB, as C: of a matrix instruction; as a C that is not what another one has written, register by
// register; over: who overwrites it.
enum { TN_AMD_NEXT_VALU, TN_AMD_NEXT_TRANS, TN_AMD_NEXT_DPP, TN_AMD_NEXT_LANE, TN_AMD_NEXT_AB, TN_AMD_NEXT_C,
  TN_AMD_NEXT_OTHER_C, TN_AMD_NEXT_MEMORY, TN_AMD_NEXT_OVER, TN_AMD_NEXT_MATRIX_OVER, TN_AMD_NEXTS };
enum { TN_AMD_SCALAR_MEMORY = 5, TN_AMD_SCALAR_LANE = 4, TN_AMD_SCALAR_FMAS = 4, TN_AMD_SCALAR_VALU = 2,
  TN_AMD_EXEC_DPP = 5, TN_AMD_EXEC_LANE = 4 };
// most: of each kind of left, at least what is there; MOST: of all; MODE, M0: until they may be used. part, of: which
// of so many registers it is that a matrix instruction wrote, from 1 on; 255: it depends on the way; scalar:
// SCALAR_MEMORY where a vector instruction was right before
enum { TN_AMD_LEFT_MOST, TN_AMD_LEFT_MODE, TN_AMD_LEFT_M0, TN_AMD_LEFTS = 8 };
typedef struct tn_amd_states {
  uint8_t left[TN_AMD_NEXTS][TN_AMD_FLOW_VECTORS], scalar[TN_AMD_FLOW_SCALARS], last[TN_AMD_LEFTS], most[16];
  uint8_t part[TN_AMD_FLOW_VECTORS], of[TN_AMD_FLOW_VECTORS];
} tn_amd_states;
// Vector registers of each kind that the list names.
typedef struct tn_amd_files { int vgprs, agprs; } tn_amd_files;

static void tn_amd_files_of(const tn_amd_flow *f, tn_amd_files *files) {
  files->vgprs = files->agprs = 0;
  for (int i = 0; i < f->n; i++) {
    for (int k = 0; k < f->uses[i].n; k++) {
      const tn_amd_use *const u = &f->uses[i].of[k];
      const int end = u->reg + u->dwords;
      if (u->kind == TN_AMD_VGPR && end > files->vgprs) files->vgprs = end;
      if (u->kind == TN_AMD_AGPR && end > files->agprs) files->agprs = end;
    }
  }
}

// ** ways that meet, and time **

static int tn_amd_states_join(void *to, const void *from) {
  tn_amd_states *const a = (tn_amd_states *)to;
  const tn_amd_states *const b = (const tn_amd_states *)from;
  uint8_t *const all = (uint8_t *)a;
  const uint8_t *const other = (const uint8_t *)b;
  const size_t first = b->last[TN_AMD_LEFT_MOST] ? 0 : offsetof(tn_amd_states, scalar);
  int more = 0;
  for (int r = 0; r < TN_AMD_FLOW_VECTORS && !first; r++) {
    const int same = a->part[r] == b->part[r] && a->of[r] == b->of[r], own = a->left[TN_AMD_NEXT_OTHER_C][r];
    if (!b->left[TN_AMD_NEXT_OTHER_C][r] || same || (own && a->part[r] == 255)) continue;
    a->part[r] = own ? 255 : b->part[r];
    a->of[r] = own ? 255 : b->of[r];
    more = 1;
  }
  for (size_t i = first; i < offsetof(tn_amd_states, part); i++) if (other[i] > all[i]) { all[i] = other[i]; more = 1; }
  return more;
}
// In eights, whose lanes compilers put side by side.
static void tn_amd_states_pass_over(uint8_t *of, int n, int states) {
  const uint8_t passed = (uint8_t)states;
  for (uint8_t *end = of + n; of < end; of += 8)
    for (int i = 0; i < 8; i++) of[i] = (uint8_t)(of[i] - (of[i] < passed ? of[i] : passed));
}
static void tn_amd_states_pass(tn_amd_states *s, const tn_amd_files *files, int states) {
  for (int k = 0; k < TN_AMD_NEXTS && s->last[TN_AMD_LEFT_MOST]; k++) {
    if (!s->most[k]) continue;
    tn_amd_states_pass_over(s->left[k], files->vgprs, states);
    tn_amd_states_pass_over(s->left[k] + TN_AMD_FLOW_AGPR, files->agprs, states);
  }
  tn_amd_states_pass_over(s->scalar, TN_AMD_FLOW_SCALARS, states);
  tn_amd_states_pass_over(s->last, TN_AMD_LEFTS, states);
  tn_amd_states_pass_over(s->most, TN_AMD_NEXTS, states);
}

// ** what is missing in front of a line **

static int tn_amd_is_of_lane(int op) {
  return op == TN_AMD_V_READLANE_B32 || op == TN_AMD_V_WRITELANE_B32 || op == TN_AMD_V_READFIRSTLANE_B32;
}
static int tn_amd_is_src0(char letter) { return letter == '0' || letter == 'x' || letter == 'X'; }
static int tn_amd_is_written(const tn_amd_ins *ins, int i, char letter) {
  if (tn_amd_is_memory(tn_amd_format(ins->op, ins->family))) return strchr("dr", letter) || (!i && letter == 'b' &&
      tn_amd_format(ins->op, ins->family) == TN_AMD_MUBUF && tn_amd_is_named(ins, "load"));
  return strchr("dgDec", letter) != NULL;
}
// Who the line is to a vector register that it names; -1: nobody who would have to wait.
static int tn_amd_next_of(const tn_amd_ins *ins, int unit, int i, char letter) {
  const int memory = unit == TN_AMD_U_LDS || unit == TN_AMD_U_VMEM;
  if (tn_amd_is_written(ins, i, letter)) {
    return memory ? -1 : unit == TN_AMD_U_MATRIX ? TN_AMD_NEXT_MATRIX_OVER : TN_AMD_NEXT_OVER;
  }
  if (memory) return TN_AMD_NEXT_MEMORY;
  if (unit == TN_AMD_U_MATRIX) return letter == 'C' ? TN_AMD_NEXT_C : TN_AMD_NEXT_AB;
  if (ins->lanes == TN_AMD_DPP16 && tn_amd_is_src0(letter)) return TN_AMD_NEXT_DPP;
  if (tn_amd_is_of_lane(ins->op) && i == 1) return TN_AMD_NEXT_LANE;
  return unit == TN_AMD_U_TRANS ? TN_AMD_NEXT_TRANS : TN_AMD_NEXT_VALU;
}
static void tn_amd_states_more(int *most, int n) { if (n > *most) *most = n; }
static int tn_amd_states_left(const tn_amd_states *s, int next, int reg, int dwords) {
  int most = 0;
  for (int r = reg; r < reg + dwords; r++) tn_amd_states_more(&most, s->left[next][r]);
  return most;
}
// Is what is added to exactly what one matrix instruction has written?
static int tn_amd_is_whole(const tn_amd_states *s, int reg, int dwords) {
  for (int k = 0; k < dwords; k++) if (s->part[reg + k] != k + 1 || s->of[reg + k] != dwords) return 0;
  return 1;
}
static int tn_amd_states_of_vector(const tn_amd_states *s, const tn_amd_ins *ins, int unit, int i, char letter) {
  const tn_amd_operand *const o = &ins->o[i];
  const int reg = tn_amd_flow_vector(o->kind, o->reg), next = tn_amd_next_of(ins, unit, i, letter);
  int most = next < 0 ? 0 : tn_amd_states_left(s, next, reg, o->dwords);
  const int adds = next >= TN_AMD_NEXT_OVER && tn_amd_reads_result(ins);
  if (adds && next == TN_AMD_NEXT_OVER) tn_amd_states_more(&most, tn_amd_states_left(s, 0, reg, o->dwords));
  const int is_c = next == TN_AMD_NEXT_C || (adds && next == TN_AMD_NEXT_MATRIX_OVER);
  if (is_c) tn_amd_states_more(&most, tn_amd_states_left(s, TN_AMD_NEXT_C, reg, o->dwords));
  if (is_c && !tn_amd_is_whole(s, reg, o->dwords))
    tn_amd_states_more(&most, tn_amd_states_left(s, TN_AMD_NEXT_OTHER_C, reg, o->dwords));
  return most;
}
// until: which of TN_AMD_SCALAR_.. the reader is.
static int tn_amd_states_of_scalar(const tn_amd_states *s, int reg, int dwords, int until) {
  int most = 0;
  for (int r = reg; r < reg + dwords && r < TN_AMD_FLOW_SCALARS; r++)
    if (s->scalar[r]) tn_amd_states_more(&most, until - (TN_AMD_SCALAR_MEMORY - s->scalar[r]));
  return most;
}
static int tn_amd_scalar_until(const tn_amd_ins *ins, int unit, int i) {
  switch (unit) {
    case TN_AMD_U_SMEM: case TN_AMD_U_LDS: case TN_AMD_U_VMEM: return TN_AMD_SCALAR_MEMORY;
    case TN_AMD_U_VALU: case TN_AMD_U_TRANS: case TN_AMD_U_MATRIX: break;
    default: return 0;
  }
  return i == 2 && tn_amd_is_of_lane(ins->op) ? TN_AMD_SCALAR_LANE : TN_AMD_SCALAR_VALU;
}
// What stands in no operand: EXEC, VCC of v_div_fmas; M0, and MODE.
static int tn_amd_states_of_others(const tn_amd_states *s, const tn_amd_ins *ins, int unit) {
  const int fmas = ins->op == TN_AMD_V_DIV_FMAS_F32 || ins->op == TN_AMD_V_DIV_FMAS_F64;
  const int lanes = ins->lanes == TN_AMD_DPP16 ? TN_AMD_EXEC_DPP
                  : unit == TN_AMD_U_MATRIX || tn_amd_is_of_lane(ins->op) ? TN_AMD_EXEC_LANE : 0;
  int most = fmas ? tn_amd_states_of_scalar(s, TN_AMD_VCC, 2, TN_AMD_SCALAR_FMAS) : 0;
  tn_amd_states_more(&most, tn_amd_states_of_scalar(s, TN_AMD_EXEC, 2, lanes));
  if (s->last[TN_AMD_LEFT_M0] &&
      (ins->op == TN_AMD_S_SENDMSG || tn_amd_is_named(ins, "movrel") || tn_amd_is_named(ins, "load_lds")))
    tn_amd_states_more(&most, s->last[TN_AMD_LEFT_M0]);
  if (s->last[TN_AMD_LEFT_MODE] && (tn_amd_is_named(ins, "s_setreg") || tn_amd_is_named(ins, "s_getreg")))
    tn_amd_states_more(&most, s->last[TN_AMD_LEFT_MODE]);
  return most;
}
static int tn_amd_states_missing(const tn_amd_states *s, const tn_amd_line *line) {
  const tn_amd_ins *const ins = &line->ins;
  const tn_amd_form form = tn_amd_form_of(ins->op, ins->family);
  const int unit = tn_amd_unit(line);
  int most = tn_amd_states_of_others(s, ins, unit);
  for (int i = 0; i < ins->n && i < form.n; i++) {
    const tn_amd_operand *const o = &ins->o[i];
    const char letter = form.operands[2 * i];
    if (o->kind == TN_AMD_VGPR || o->kind == TN_AMD_AGPR)
      tn_amd_states_more(&most, tn_amd_states_of_vector(s, ins, unit, i, letter));
    else if (o->kind == TN_AMD_SGPR && !tn_amd_is_written(ins, i, letter))
      tn_amd_states_more(&most, tn_amd_states_of_scalar(s, o->reg, o->dwords, tn_amd_scalar_until(ins, unit, i)));
  }
  return most;
}

// ** what a line leaves **

// Passes of a matrix instruction, of four cycles: by its result, but for those of few steps (CDNA3 guide, "MFMA").
static int tn_amd_hazard_passes(const tn_amd_ins *ins) {
  const int dwords = ins->o[0].dwords;
  if (ins->op == TN_AMD_V_MFMA_F32_16X16X4_F32) return 8;
  if (ins->op == TN_AMD_V_MFMA_F32_32X32X2_F32) return 16;
  if (dwords == 4 && tn_amd_is_named(ins, "_4x4x")) return 2;
  return dwords <= 4 ? 4 : dwords <= 16 ? 8 : 16;
}
static void tn_amd_after_matrix(const tn_amd_ins *ins, uint8_t row[TN_AMD_NEXTS]) {
  size_t n;
  const char *const name = tn_amd_name(ins->op, ins->family, &n);
  const int passes = tn_amd_hazard_passes(ins), f64 = !memcmp(name + n - 4, "_f64", 4), few = passes <= 4;
  const int xdl = !f64 && memcmp(name + n - 4, "_f32", 4) != 0;
  const int use = f64 ? (few ? 6 : 11) : passes + (xdl ? 3 : 2);
  memset(row, use, TN_AMD_NEXTS);
  row[TN_AMD_NEXT_C] = passes == 2 ? 2 : 0;
  row[TN_AMD_NEXT_OTHER_C] = (uint8_t)(f64 ? (few ? 4 : 9) : passes + xdl);
  if (f64) row[TN_AMD_NEXT_MEMORY] = few ? 9 : 18;
  row[TN_AMD_NEXT_MATRIX_OVER] = 0;
}
static int tn_amd_is_half_written(const tn_amd_ins *ins) {
  const tn_amd_form form = tn_amd_form_of(ins->op, ins->family);
  return ins->o[0].op_sel || (ins->lanes == TN_AMD_SDWA && ins->m[TN_AMD_DST_SEL] != 6) ||
         (ins->m[TN_AMD_BYTE_SEL] && tn_amd_takes(&form, 'T'));
}
static void tn_amd_after_vector(const tn_amd_ins *ins, int unit, uint8_t row[TN_AMD_NEXTS]) {
  memset(row, 0, TN_AMD_NEXTS);
  row[TN_AMD_NEXT_DPP] = row[TN_AMD_NEXT_AB] = row[TN_AMD_NEXT_C] = 2;
  row[TN_AMD_NEXT_LANE] = 1;
  if (unit == TN_AMD_U_TRANS) row[TN_AMD_NEXT_VALU] = 1;
  if (tn_amd_is_half_written(ins))
    row[TN_AMD_NEXT_VALU] = row[TN_AMD_NEXT_TRANS] = row[TN_AMD_NEXT_MEMORY] = 1;
  if (!strncmp(tn_amd_rows[ins->op].names, "v_dot", 5)) {
    memset(row, 3, TN_AMD_NEXTS);
    row[TN_AMD_NEXT_MATRIX_OVER] = row[TN_AMD_NEXT_OTHER_C] = 0;
  }
  if (unit == TN_AMD_U_MATRIX) tn_amd_after_matrix(ins, row);
}
static void tn_amd_states_set(tn_amd_states *s, int reg, int dwords, const uint8_t row[TN_AMD_NEXTS], int matrix) {
  for (int k = 0; k < TN_AMD_NEXTS; k++) {
    for (int r = reg; r < reg + dwords; r++) s->left[k][r] = row[k];
    if (row[k] > s->last[TN_AMD_LEFT_MOST]) s->last[TN_AMD_LEFT_MOST] = row[k];
    if (row[k] > s->most[k]) s->most[k] = row[k];
  }
  for (int r = reg; r < reg + dwords; r++) {
    s->part[r] = (uint8_t)(matrix ? r - reg + 1 : 0);
    s->of[r] = (uint8_t)(matrix ? dwords : 0);
  }
}
// Registers that are read late, and may not be overwritten until then.
static void tn_amd_states_keep(tn_amd_states *s, const tn_amd_operand *o, int states, int from_matrix) {
  const int reg = tn_amd_flow_vector(o->kind, o->reg);
  for (int r = reg; r < reg + o->dwords; r++) {
    if (s->left[TN_AMD_NEXT_OVER][r] < states) s->left[TN_AMD_NEXT_OVER][r] = (uint8_t)states;
    if (from_matrix && s->left[TN_AMD_NEXT_MATRIX_OVER][r] < states)
      s->left[TN_AMD_NEXT_MATRIX_OVER][r] = (uint8_t)states;
  }
  if (s->last[TN_AMD_LEFT_MOST] < states) s->last[TN_AMD_LEFT_MOST] = (uint8_t)states;
  if (s->most[TN_AMD_NEXT_OVER] < states) s->most[TN_AMD_NEXT_OVER] = (uint8_t)states;
  if (from_matrix && s->most[TN_AMD_NEXT_MATRIX_OVER] < states) s->most[TN_AMD_NEXT_MATRIX_OVER] = (uint8_t)states;
}
static void tn_amd_states_after_scalars(tn_amd_states *s, const tn_amd_uses *uses, int unit) {
  const int vector = unit == TN_AMD_U_VALU || unit == TN_AMD_U_TRANS || unit == TN_AMD_U_MATRIX;
  for (int k = 0; k < uses->n; k++) {
    const tn_amd_use *const u = &uses->of[k];
    if (u->kind != TN_AMD_SGPR || !(u->role & TN_AMD_WRITES)) continue;
    for (int r = u->reg; r < u->reg + u->dwords && r < TN_AMD_FLOW_SCALARS; r++)
      s->scalar[r] = vector ? TN_AMD_SCALAR_MEMORY : 0;
    if (u->reg == TN_AMD_M0 && unit == TN_AMD_U_SALU) s->last[TN_AMD_LEFT_M0] = 1;
  }
}
static void tn_amd_states_after(tn_amd_states *s, const tn_amd_line *line, const tn_amd_uses *uses) {
  const tn_amd_ins *const ins = &line->ins;
  const tn_amd_form form = tn_amd_form_of(ins->op, ins->family);
  const int unit = tn_amd_unit(line), vector = unit == TN_AMD_U_VALU || unit == TN_AMD_U_TRANS;
  uint8_t row[TN_AMD_NEXTS];
  tn_amd_states_after_scalars(s, uses, unit);
  if (unit == TN_AMD_U_SALU && tn_amd_is_named(ins, "s_setreg")) s->last[TN_AMD_LEFT_MODE] = 2;
  if (vector || unit == TN_AMD_U_MATRIX) tn_amd_after_vector(ins, unit, row);
  for (int i = 0; i < ins->n && i < form.n; i++) {
    const tn_amd_operand *const o = &ins->o[i];
    const int written = tn_amd_is_written(ins, i, form.operands[2 * i]);
    if (o->kind != TN_AMD_VGPR && o->kind != TN_AMD_AGPR) continue;
    if (unit == TN_AMD_U_MATRIX && form.operands[2 * i] == 'C')
      tn_amd_states_keep(s, o, tn_amd_hazard_passes(ins) - 1, 0);
    if (unit == TN_AMD_U_VMEM && form.operands[2 * i] == 'b' && !written && o->dwords > 2)
      tn_amd_states_keep(s, o, 2, 1);                        // of a store
    if (written && (vector || unit == TN_AMD_U_MATRIX))
      tn_amd_states_set(s, tn_amd_flow_vector(o->kind, o->reg), o->dwords, row, unit == TN_AMD_U_MATRIX);
    if (ins->op == TN_AMD_V_SWAP_B32)
      tn_amd_states_set(s, tn_amd_flow_vector(o->kind, o->reg), o->dwords, row, 0);
  }
}
static void tn_amd_states_step(tn_amd_flow *f, void *state, int i) {
  const tn_amd_files *const files = (const tn_amd_files *)f->pass;
  tn_amd_states *const s = (tn_amd_states *)state;
  const tn_amd_line *const line = &f->line[i];
  if (line->kind != TN_AMD_LINE_INS) return;
  const int missing = tn_amd_states_missing(s, line);
  for (int left = missing; left > 0; left -= 16)             // s_nop has four bits (CDNA3 guide, "S_NOP")
    tn_amd_flow_put_number(f, TN_AMD_S_NOP, (unsigned)(left > 16 ? 15 : left - 1));
  const int itself = line->ins.op == TN_AMD_S_NOP ? (int)(line->ins.o[0].value & 15) + 1 : 1;
  tn_amd_states_pass(s, files, missing + itself);
  tn_amd_states_after(s, line, &f->uses[i]);
}
#endif
