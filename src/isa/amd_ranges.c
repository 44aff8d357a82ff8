// amd_ranges: where each dword of virtual registers holds a value that is read later, and who writes it.
//
// In:  a list with virtual registers. Out: tn_amd_ranges: what lines touch, blocks, and for each unit, a dword of a
//      register, its spans in order and its writes. Units below TN_AMD_REAL_UNITS are the GPU's registers.
// Holds: line i reads at 2 i and writes at 2 i + 1. A span [start, end) begins at a write, ends behind the last read;
//        what nobody reads has a span of one position. A write ends what was there only if it reaches all lanes that
//        are read later: it does if all others who touch the unit do so with lanes of EXEC at its first write.
//        Else the write is a read, too, since what other lanes hold has to stay.
// Source: Cooper and Torczon, "Engineering a Compiler", 8.6.1 (liveness by blocks).
#ifndef TN_ISA_AMD_RANGES
#define TN_ISA_AMD_RANGES
#ifndef TINY_AMALGAMATED
#include "amd_uses.c"
#endif

// Units of SGPRs up to VCC, of VGPRs and of AGPRs; TN_AMD_EXEC has none.
enum { TN_AMD_UNIT_VGPR = 128, TN_AMD_UNIT_AGPR = 384, TN_AMD_REAL_UNITS = 640 };
enum { TN_AMD_EARLY = 4 };                 // of a role: it is read until after the line has written

// What a line reads or writes: dwords of units from `unit` on; from: the unit that a COPY reads for the first, or -1
typedef struct tn_amd_live_touch { int32_t unit, from; uint8_t dwords, role; } tn_amd_live_touch;
// next: the list's next one, 0: none; owner: of a register's spans: the virtual register that has it, -1: the list does
typedef struct tn_amd_live_span { int32_t start, end, next, owner; } tn_amd_live_span;
typedef struct tn_amd_live_write { int32_t at, from, next; } tn_amd_live_write;
typedef struct tn_amd_live_block { int32_t first, end, to[2]; } tn_amd_live_block;   // lines; blocks behind it, -1
// Whose lanes are on: parent: those of this one were all on there, too, -1: nobody knows
typedef struct tn_amd_live_lanes { int32_t parent; } tn_amd_live_lanes;

typedef struct tn_amd_ranges {
  tn_amd_list *l; int nunits;
  int32_t *unit_of, *vreg_of;              // of virtual registers, their first unit; of units, the register
  int32_t *touches; tn_amd_live_touch *touch; int ntouch, captouch;      // of line i: touches[i] .. touches[i + 1]
  int32_t *lanes_of, *saved; tn_amd_live_lanes *lanes; int nlanes, caplanes; // of lines; of registers that hold EXEC
  tn_amd_live_block *block; int nblocks;
  int32_t *spans, *writes;                 // of units, the first one, 0: none
  tn_amd_live_span *span; int nspan, capspan;
  tn_amd_live_write *write; int nwrite, capwrite;
  uint8_t *depth;                          // of lines: how many loops are around it
} tn_amd_ranges;

static int tn_amd_live_unit_at(const tn_amd_ranges *r, int kind, int reg, int sub) {        // -1: none
  if (reg >= TN_AMD_VIRTUAL) return r->unit_of[reg - TN_AMD_VIRTUAL] + sub;
  if (reg > 255) return -1;
  if (kind == TN_AMD_VGPR) return TN_AMD_UNIT_VGPR + reg;
  if (kind == TN_AMD_AGPR) return TN_AMD_UNIT_AGPR + reg;
  return kind == TN_AMD_SGPR && reg < TN_AMD_VCC + 2 ? reg : -1;
}
static int tn_amd_live_is_scalar_unit(const tn_amd_ranges *r, int unit) {
  if (unit < TN_AMD_REAL_UNITS) return unit < TN_AMD_UNIT_VGPR;
  return r->l->vreg[r->vreg_of[unit]].kind == TN_AMD_SGPR;
}

// ** what lines touch **

// Does it write before it has read all? Matrices larger than four registers, sums of products of 64 bits on gfx11
// (LLVM, FeatureMADIntraFwdBug), sums of differences; loads of gfx9, which are done again after a page was missing.
static int tn_amd_live_is_early(const tn_amd_line *line) {
  const int family = line->ins.family;
  if (line->kind != TN_AMD_LINE_INS) return 0;
  switch (line->ins.op) {
    case TN_AMD_V_MAD_U64_U32: case TN_AMD_V_MAD_I64_I32: return family == TN_AMD_GFX11;
    case TN_AMD_V_QSAD_PK_U16_U8: case TN_AMD_V_MQSAD_PK_U16_U8: case TN_AMD_V_MQSAD_U32_U8: return 1;
    default: break;
  }
  const int format = tn_amd_format(line->ins.op, family);
  if (format == TN_AMD_SMEM || (format >= TN_AMD_FLAT && format <= TN_AMD_MUBUF)) return family == TN_AMD_GFX9;
  if (format != TN_AMD_MFMA && format != TN_AMD_VOP3P) return 0;
  return tn_amd_is_matrix(line->ins.op, family) && (family != TN_AMD_GFX9 || line->ins.o[0].dwords > 4);
}
static void tn_amd_live_touch_add(tn_amd_ranges *r, int unit, int from, int dwords, int role) {
  typedef tn_amd_live_touch touches;
  touches *const all = (touches *)tn_amd_grown(r->l, r->touch, r->ntouch, &r->captouch, sizeof *all);
  const tn_amd_live_touch touch = {unit, from, (uint8_t)dwords, (uint8_t)role};
  if (!all) return;
  r->touch = all;
  r->touch[r->ntouch++] = touch;
}
// What is added to by a matrix instruction may be its result: amd_registers.c sees to it that it is, or lies apart.
static void tn_amd_live_touch_line(tn_amd_ranges *r, int i) {
  const tn_amd_line *const line = &r->l->line[i];
  const int early = tn_amd_live_is_early(line), matrix = early && line->ins.n > 3 && line->ins.o[0].kind != TN_AMD_SGPR;
  tn_amd_uses u;
  tn_amd_uses_of(line, &u);
  for (int k = 0; k < u.n; k++) {
    const tn_amd_use *const use = &u.of[k];
    const int unit = tn_amd_live_unit_at(r, use->kind, use->reg, use->sub);
    int role = use->role, from = -1;
    if (unit < 0 || use->kind == TN_AMD_SPECIAL) continue;
    const tn_amd_operand *const c = &line->ins.o[3];
    const int adds = matrix && c->kind == use->kind && c->reg == use->reg && c->sub == use->sub &&
        tn_amd_is_matrix(line->ins.op, line->ins.family);
    if (early && role == TN_AMD_READS && !adds) role |= TN_AMD_EARLY;
    if (line->kind == TN_AMD_LINE_COPY && !k && line->ins.o[1].kind == use->kind)
      from = tn_amd_live_unit_at(r, line->ins.o[1].kind, line->ins.o[1].reg, line->ins.o[1].sub);
    tn_amd_live_touch_add(r, unit, from, use->dwords, role);
  }
}
static void tn_amd_live_touch_all(tn_amd_ranges *r) {
  tn_amd_list *const l = r->l;
  r->nunits = TN_AMD_REAL_UNITS;
  r->unit_of = (int32_t *)tn_amd_room(l, (size_t)l->nvreg + 1, sizeof *r->unit_of);
  if (!r->unit_of) return;
  for (int v = 0; v < l->nvreg; v++) { r->unit_of[v] = r->nunits; r->nunits += l->vreg[v].dwords; }
  r->vreg_of = (int32_t *)tn_amd_room(l, (size_t)r->nunits, sizeof *r->vreg_of);
  r->touches = (int32_t *)tn_amd_room(l, (size_t)l->n + 1, sizeof *r->touches);
  r->depth = (uint8_t *)tn_amd_room(l, (size_t)l->n + 1, 1);
  if (l->refused) return;
  for (int v = 0; v < l->nvreg; v++) for (int k = 0; k < l->vreg[v].dwords; k++) r->vreg_of[r->unit_of[v] + k] = v;
  for (int i = 0, depth = 0; i < l->n && !l->refused; i++) {
    if (l->line[i].kind == TN_AMD_LINE_LOOP && depth < 255) depth++;
    if (l->line[i].kind == TN_AMD_LINE_LOOP_END && depth) depth--;
    r->depth[i] = (uint8_t)depth;
    r->touches[i] = r->ntouch;
    tn_amd_live_touch_line(r, i);
  }
  r->touches[l->n] = r->ntouch;
}

// ** blocks **

static int tn_amd_live_ends_block(const tn_amd_line *line) {
  return line->kind == TN_AMD_LINE_INS && tn_amd_is_branch(line->ins.op);
}
static void tn_amd_live_blocks_cut(tn_amd_ranges *r) {
  const tn_amd_list *const l = r->l;
  for (int i = 0; i < l->n; i++) {
    const int begins = !i || l->line[i].kind == TN_AMD_LINE_LABEL || tn_amd_live_ends_block(&l->line[i - 1]);
    if (begins) r->block[r->nblocks++].first = i;
    r->block[r->nblocks - 1].end = i + 1;
  }
}
static void tn_amd_live_blocks_join(tn_amd_ranges *r, const int32_t *block_of_label) {
  const tn_amd_list *const l = r->l;
  for (int b = 0; b < r->nblocks; b++) {
    tn_amd_live_block *const block = &r->block[b];
    const tn_amd_line *const last = &l->line[block->end - 1];
    const int branches = tn_amd_live_ends_block(last), leaves = branches && last->ins.op == TN_AMD_S_ENDPGM;
    const int follows = b + 1 < r->nblocks && !leaves && !(branches && last->ins.op == TN_AMD_S_BRANCH);
    const int known = branches && !leaves && last->label >= 0 && last->label < l->labels;
    block->to[0] = follows ? b + 1 : -1;
    block->to[1] = known ? block_of_label[last->label] - 1 : -1;
    if (branches && !leaves && block->to[1] < 0) tn_amd_list_refuse(r->l, "a branch goes nowhere");
  }
}
static void tn_amd_live_blocks_find(tn_amd_ranges *r) {
  tn_amd_list *const l = r->l;
  int32_t *const of_label = (int32_t *)tn_amd_room(l, (size_t)l->labels + 1, sizeof *of_label);
  int most = 1;
  for (int i = 0; i < l->n; i++) most += (l->line[i].kind == TN_AMD_LINE_LABEL) + tn_amd_live_ends_block(&l->line[i]);
  r->block = (tn_amd_live_block *)tn_amd_room(l, (size_t)most, sizeof *r->block);
  if (!r->block || !of_label) return;
  tn_amd_live_blocks_cut(r);
  for (int b = 0; b < r->nblocks; b++) {
    const tn_amd_line *const line = &l->line[r->block[b].first];
    if (line->kind == TN_AMD_LINE_LABEL && line->label >= 0 && line->label < l->labels) of_label[line->label] = b + 1;
  }
  tn_amd_live_blocks_join(r, of_label);
}

// ** lanes: whose bits of EXEC are set **

static int tn_amd_live_lanes_new(tn_amd_ranges *r, int parent) {
  typedef tn_amd_live_lanes lanes;
  lanes *const all = (lanes *)tn_amd_grown(r->l, r->lanes, r->nlanes, &r->caplanes, sizeof *all);
  if (!all) return 0;
  r->lanes = all;
  r->lanes[r->nlanes].parent = parent;
  return r->nlanes++;
}
static int tn_amd_live_lanes_within(const tn_amd_ranges *r, int lanes, int whole) {
  while (lanes >= 0 && lanes != whole) lanes = r->lanes[lanes].parent;
  return lanes >= 0;
}
static int tn_amd_live_is_exec(const tn_amd_operand *o) { return o->kind == TN_AMD_SGPR && o->reg == TN_AMD_EXEC; }
// What lanes were on when this register took EXEC, + 1; 0: it did not.
static int tn_amd_live_lanes_saved(const tn_amd_ranges *r, const tn_amd_operand *o) {
  return o->kind == TN_AMD_SGPR && o->reg >= TN_AMD_VIRTUAL ? r->saved[o->reg - TN_AMD_VIRTUAL] : 0;
}
static int tn_amd_live_keeps_some(int op) {     // EXEC and something, and the like
  switch (op) {
    case TN_AMD_S_AND_SAVEEXEC_B32: case TN_AMD_S_AND_SAVEEXEC_B64: case TN_AMD_S_AND_NOT0_SAVEEXEC_B32:
    case TN_AMD_S_AND_NOT0_SAVEEXEC_B64: case TN_AMD_S_AND_NOT0_WREXEC_B32: case TN_AMD_S_AND_NOT0_WREXEC_B64: return 1;
    default: return 0;
  }
}
// What lanes are on behind a line that writes EXEC, where `now` were on before.
static int tn_amd_live_lanes_behind(tn_amd_ranges *r, const tn_amd_line *line, int now) {
  const tn_amd_ins *const ins = &line->ins;
  const int op = ins->op, moves = line->kind == TN_AMD_LINE_COPY || op == TN_AMD_S_MOV_B32 || op == TN_AMD_S_MOV_B64;
  const int joins = op == TN_AMD_S_OR_B32 || op == TN_AMD_S_OR_B64;
  const int ands = op == TN_AMD_S_AND_B32 || op == TN_AMD_S_AND_B64;
  const int nots = op == TN_AMD_S_AND_NOT1_B32 || op == TN_AMD_S_AND_NOT1_B64;
  const int xors = op == TN_AMD_S_XOR_B32 || op == TN_AMD_S_XOR_B64;
  if (tn_amd_live_keeps_some(op) || tn_amd_format(op, ins->family) == TN_AMD_VOPC) return tn_amd_live_lanes_new(r, now);
  if (moves) {
    const int saved = tn_amd_live_lanes_saved(r, &ins->o[1]);
    return saved ? saved - 1 : tn_amd_live_lanes_new(r, -1);
  }
  for (int i = 1; i < 3 && (joins || ands || nots || xors) && tn_amd_live_is_exec(&ins->o[0]); i++) {
    const int saved = tn_amd_live_lanes_saved(r, &ins->o[i]), other = tn_amd_live_is_exec(&ins->o[3 - i]);
    const int within = ands || (nots && i == 1), part = saved && other && tn_amd_live_lanes_within(r, now, saved - 1);
    if (within && tn_amd_live_is_exec(&ins->o[i])) return tn_amd_live_lanes_new(r, now);
    if (joins && part) return saved - 1;
    if ((saved && within) || (xors && part)) return tn_amd_live_lanes_new(r, saved - 1);
  }
  return tn_amd_live_lanes_new(r, -1);
}
// A register that takes EXEC, and is written once.
static void tn_amd_live_lanes_save(tn_amd_ranges *r, const tn_amd_line *line, const uint8_t *nwrites, int now) {
  const tn_amd_operand *const to = &line->ins.o[0];
  const int op = line->ins.op, whole = to->kind == TN_AMD_SGPR && to->reg >= TN_AMD_VIRTUAL && to->dwords == r->l->mask;
  const int saves = line->kind == TN_AMD_LINE_INS && tn_amd_format(op, line->ins.family) == TN_AMD_SOP1 &&
      tn_amd_writes_exec(op, line->ins.family) && !(op >= TN_AMD_S_AND_NOT0_WREXEC_B32 &&
                                                    op <= TN_AMD_S_AND_NOT1_WREXEC_B64);
  const int moves = (line->kind == TN_AMD_LINE_COPY || op == TN_AMD_S_MOV_B32 || op == TN_AMD_S_MOV_B64) &&
      tn_amd_live_is_exec(&line->ins.o[1]);
  if (whole && (saves || moves) && nwrites[to->reg - TN_AMD_VIRTUAL] == 1) r->saved[to->reg - TN_AMD_VIRTUAL] = now + 1;
}
// Which lines write EXEC. 0: none does.
static int tn_amd_live_lanes_events(tn_amd_ranges *r, uint8_t *event, uint8_t *nwrites) {
  const tn_amd_list *const l = r->l;
  int n = 0;
  for (int i = 0; i < l->n; i++) {
    const tn_amd_line *const line = &l->line[i];
    if (line->kind > TN_AMD_LINE_COPY) continue;
    const int named = line->ins.n && tn_amd_live_is_exec(&line->ins.o[0]) && tn_amd_unit(line) == TN_AMD_U_SALU;
    event[i] = named || (line->kind == TN_AMD_LINE_INS && tn_amd_writes_exec(line->ins.op, line->ins.family));
    n += event[i];
    for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
      if (r->touch[k].unit < TN_AMD_REAL_UNITS || !(r->touch[k].role & TN_AMD_WRITES)) continue;
      uint8_t *const times = &nwrites[r->vreg_of[r->touch[k].unit]];
      if (*times < 2) ++*times;
    }
  }
  return n;
}
// Labels that branches with other lanes go to: SOME: lanes of those that were on in front of it; ANY: nobody knows.
enum { TN_AMD_LIVE_SOME = 1, TN_AMD_LIVE_ANY };
// What a label is, to which a branch goes whose lanes are these; 1: not what it was taken for.
static int tn_amd_live_lanes_join(const tn_amd_ranges *r, uint8_t *mixed, int at_label, int at_branch) {
  const int was = *mixed;
  if (was == TN_AMD_LIVE_ANY || at_label == at_branch) return 0;
  if (!was) *mixed = TN_AMD_LIVE_SOME;
  else if (!tn_amd_live_lanes_within(r, at_branch, r->lanes[at_label].parent)) *mixed = TN_AMD_LIVE_ANY;
  return *mixed != was;
}
// One walk. How many labels were found to be other than they were taken for.
static int tn_amd_live_lanes_walk(tn_amd_ranges *r, const uint8_t *event, const uint8_t *nwrites, uint8_t *mixed,
                                  int32_t *of_label) {
  const tn_amd_list *const l = r->l;
  int found = 0;
  r->nlanes = 0;
  memset(r->saved, 0, (size_t)l->nvreg * sizeof *r->saved);
  for (int i = 0, now = tn_amd_live_lanes_new(r, -1); i < l->n && !l->refused; i++) {
    const tn_amd_line *const line = &l->line[i];
    if (line->kind == TN_AMD_LINE_LABEL) {
      const int how = mixed[line->label];
      if (how) now = tn_amd_live_lanes_new(r, how == TN_AMD_LIVE_SOME ? now : -1);
      of_label[line->label] = now;
    }
    r->lanes_of[i] = now;
    if (line->kind <= TN_AMD_LINE_COPY) tn_amd_live_lanes_save(r, line, nwrites, now);
    if (event[i]) now = tn_amd_live_lanes_behind(r, line, now);
  }
  for (int i = 0; i < l->n && !l->refused; i++) {
    const tn_amd_line *const line = &l->line[i];
    if (!tn_amd_live_ends_block(line) || line->ins.op == TN_AMD_S_ENDPGM) continue;
    found += tn_amd_live_lanes_join(r, &mixed[line->label], of_label[line->label], r->lanes_of[i]);
  }
  return found;
}
static int tn_amd_live_lanes_find(tn_amd_ranges *r) {             // 0: EXEC stays as it is
  tn_amd_list *const l = r->l;
  uint8_t *const event = (uint8_t *)tn_amd_room(l, (size_t)l->n, 1);
  uint8_t *const nwrites = (uint8_t *)tn_amd_room(l, (size_t)l->nvreg + 1, 1);
  if (!event || !nwrites || !tn_amd_live_lanes_events(r, event, nwrites)) return 0;
  uint8_t *const mixed = (uint8_t *)tn_amd_room(l, (size_t)l->labels + 1, 1);
  int32_t *const of_label = (int32_t *)tn_amd_room(l, (size_t)l->labels + 1, sizeof *of_label);
  r->lanes_of = (int32_t *)tn_amd_room(l, (size_t)l->n, sizeof *r->lanes_of);
  r->saved = (int32_t *)tn_amd_room(l, (size_t)l->nvreg + 1, sizeof *r->saved);
  if (l->refused) return 0;
  while (tn_amd_live_lanes_walk(r, event, nwrites, mixed, of_label) && !l->refused) {}
  return 1;
}

// ** which writes are whole **

// Of units of vector registers: where they are first written, + 1, and whether all that touch them have lanes of there.
typedef struct tn_amd_live_whole { int32_t *first; uint8_t *parts; } tn_amd_live_whole;
static void tn_amd_live_whole_line(tn_amd_ranges *r, tn_amd_live_whole *w, int i, int role) {
  for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
    const tn_amd_live_touch *const t = &r->touch[k];
    if (!(t->role & role) || t->unit < TN_AMD_UNIT_VGPR || tn_amd_live_is_scalar_unit(r, t->unit)) continue;
    for (int u = t->unit; u < t->unit + t->dwords; u++) {
      if (role == TN_AMD_WRITES && !w->first[u]) { w->first[u] = i + 1; continue; }
      if (!w->first[u] || !tn_amd_live_lanes_within(r, r->lanes_of[i], r->lanes_of[w->first[u] - 1])) w->parts[u] = 1;
    }
  }
}
// Writes that reach some lanes alone become reads, too: all but the first where that is not in a loop.
static void tn_amd_live_whole_mark(tn_amd_ranges *r, const tn_amd_live_whole *w) {
  for (int i = 0; i < r->l->n; i++)
    for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
      tn_amd_live_touch *const t = &r->touch[k];
      if (!(t->role & TN_AMD_WRITES) || t->unit < TN_AMD_UNIT_VGPR || tn_amd_live_is_scalar_unit(r, t->unit)) continue;
      for (int u = t->unit; u < t->unit + t->dwords; u++) {
        const int first = w->first[u] - 1, same = r->lanes_of[i] == r->lanes_of[first];
        const int whole = w->parts[u] ? first == i && !r->depth[i] : same;
        if (!whole) t->role |= TN_AMD_READS;
      }
    }
}
static void tn_amd_live_whole_find(tn_amd_ranges *r) {
  tn_amd_live_whole w;
  w.first = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *w.first);
  w.parts = (uint8_t *)tn_amd_room(r->l, (size_t)r->nunits, 1);
  if (r->l->refused) return;
  for (int i = 0; i < r->l->n; i++) {
    tn_amd_live_whole_line(r, &w, i, TN_AMD_READS);
    tn_amd_live_whole_line(r, &w, i, TN_AMD_WRITES);
  }
  tn_amd_live_whole_mark(r, &w);
}

// ** results that keep part of what was there: nothing was, where a unit is first written, and lives in one block **

static void tn_amd_live_fresh_find(tn_amd_ranges *r) {
  int32_t *const home = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *home); // block + 1, -1: several
  tn_amd_live_touch **const first = (tn_amd_live_touch **)tn_amd_room(r->l, (size_t)r->nunits, sizeof *first);
  if (!home || !first) return;
  for (int b = 0; b < r->nblocks; b++)
    for (int k = r->touches[r->block[b].first]; k < r->touches[r->block[b].end]; k++) {
      tn_amd_live_touch *const t = &r->touch[k];
      for (int u = t->unit; u < t->unit + t->dwords; u++) {
        home[u] = !home[u] || home[u] == b + 1 ? b + 1 : -1;
        if (!first[u]) first[u] = t;
      }
    }
  for (int u = TN_AMD_REAL_UNITS; u < r->nunits; u++) {
    const int both = TN_AMD_READS | TN_AMD_WRITES;
    if (home[u] > 0 && (first[u]->role & both) == both && first[u]->dwords == 1)
      first[u]->role = (uint8_t)(first[u]->role & ~TN_AMD_READS);
  }
}

// ** what is live between blocks **

// Of units that some block reads before it writes them, numbers; of blocks, sets of those: live at its begin, written.
typedef struct tn_amd_live_flow { int32_t *number, *unit; int n, words; uint64_t *in, *kill; } tn_amd_live_flow;

static void tn_amd_live_flow_number(tn_amd_ranges *r, tn_amd_live_flow *f) {
  int32_t *const written = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *written);     // block + 1
  f->number = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *f->number);
  f->unit = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *f->unit);
  if (r->l->refused) return;
  for (int b = 0; b < r->nblocks; b++)
    for (int i = r->block[b].first; i < r->block[b].end; i++)
      for (int role = TN_AMD_READS; role <= TN_AMD_WRITES; role++)
        for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
          const tn_amd_live_touch *const t = &r->touch[k];
          if (!(t->role & role)) continue;
          for (int u = t->unit; u < t->unit + t->dwords; u++) {
            if (role == TN_AMD_WRITES) { written[u] = b + 1; continue; }
            if (written[u] == b + 1 || f->number[u]) continue;
            f->unit[f->n] = u;
            f->number[u] = ++f->n;
          }
        }
}
static void tn_amd_live_flow_block(tn_amd_ranges *r, tn_amd_live_flow *f, int b) {
  uint64_t *const in = f->in + (size_t)b * (size_t)f->words, *const kill = f->kill + (size_t)b * (size_t)f->words;
  for (int i = r->block[b].first; i < r->block[b].end; i++)
    for (int role = TN_AMD_READS; role <= TN_AMD_WRITES; role++)
      for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
        const tn_amd_live_touch *const t = &r->touch[k];
        if (!(t->role & role)) continue;
        for (int u = t->unit; u < t->unit + t->dwords; u++) {
          const int number = f->number[u] - 1;
          if (number < 0) continue;
          const uint64_t bit = (uint64_t)1 << number % 64;
          if (role == TN_AMD_WRITES) kill[number / 64] |= bit;
          else if (!(kill[number / 64] & bit)) in[number / 64] |= bit;
        }
      }
}
static int tn_amd_live_flow_step(const tn_amd_ranges *r, tn_amd_live_flow *f, int b) {        // 1: more is live
  uint64_t *const in = f->in + (size_t)b * (size_t)f->words, *const kill = f->kill + (size_t)b * (size_t)f->words;
  int more = 0;
  for (int side = 0; side < 2; side++) {
    const int to = r->block[b].to[side];
    const uint64_t *const out = f->in + (size_t)(to < 0 ? 0 : to) * (size_t)f->words;
    for (int w = 0; to >= 0 && w < f->words; w++) {
      const uint64_t all = in[w] | (out[w] & ~kill[w]);
      more |= all != in[w];
      in[w] = all;
    }
  }
  return more;
}
static void tn_amd_live_flow_find(tn_amd_ranges *r, tn_amd_live_flow *f) {
  memset(f, 0, sizeof *f);
  tn_amd_live_flow_number(r, f);
  f->words = (f->n + 63) / 64;
  f->in = (uint64_t *)tn_amd_room(r->l, (size_t)r->nblocks * (size_t)f->words, sizeof *f->in);
  f->kill = (uint64_t *)tn_amd_room(r->l, (size_t)r->nblocks * (size_t)f->words, sizeof *f->kill);
  if (r->l->refused || !f->n) return;
  for (int b = 0; b < r->nblocks; b++) tn_amd_live_flow_block(r, f, b);
  for (int more = 1; more;) {
    more = 0;
    for (int b = r->nblocks - 1; b >= 0; b--) more |= tn_amd_live_flow_step(r, f, b);
  }
}

// ** spans: blocks from the last one, lines from the last one **

static int tn_amd_live_span_new(tn_amd_ranges *r, int start, int end, int next, int owner) {
  tn_amd_live_span *const all = (tn_amd_live_span *)tn_amd_grown(r->l, r->span, r->nspan, &r->capspan, sizeof *all);
  const tn_amd_live_span span = {start, end, next, owner};
  if (!all) return 0;
  r->span = all;
  r->span[r->nspan] = span;
  return r->nspan++;
}
// In front of all others of its unit.
static void tn_amd_live_span_put(tn_amd_ranges *r, int unit, int start, int end) {
  tn_amd_live_span *const head = &r->span[r->spans[unit]];
  if (r->spans[unit] && head->start <= end) { head->start = start; return; }
  r->spans[unit] = tn_amd_live_span_new(r, start, end, r->spans[unit], -1);
}
static void tn_amd_live_write_put(tn_amd_ranges *r, int unit, int at, int from) {
  typedef tn_amd_live_write writes;
  writes *const all = (writes *)tn_amd_grown(r->l, r->write, r->nwrite, &r->capwrite, sizeof *all);
  const tn_amd_live_write write = {at, from, r->writes[unit]};
  if (!all) return;
  r->write = all;
  r->write[r->nwrite] = write;
  r->writes[unit] = r->nwrite++;
}
static void tn_amd_live_spans_written(tn_amd_ranges *r, const tn_amd_live_touch *t, int at, int32_t *open) {
  for (int k = 0; k < t->dwords; k++) {
    const int u = t->unit + k;
    if (!open[u]) open[u] = at + 1;
    tn_amd_live_write_put(r, u, at, t->from < 0 ? -1 : t->from + k);
    if (t->role & TN_AMD_READS) continue;
    tn_amd_live_span_put(r, u, at, open[u]);
    open[u] = 0;
  }
}
static void tn_amd_live_spans_line(tn_amd_ranges *r, int i, int32_t *open) {
  for (int k = r->touches[i]; k < r->touches[i + 1]; k++)
    if (r->touch[k].role & TN_AMD_WRITES) tn_amd_live_spans_written(r, &r->touch[k], 2 * i + 1, open);
  for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
    const tn_amd_live_touch *const t = &r->touch[k];
    const int end = 2 * i + 1 + (t->role & TN_AMD_EARLY ? 1 : 0);
    if (!(t->role & TN_AMD_READS)) continue;
    for (int u = t->unit; u < t->unit + t->dwords; u++) if (open[u] < end) open[u] = end;
  }
}
static void tn_amd_live_spans_find(tn_amd_ranges *r, const tn_amd_live_flow *f) {
  int32_t *const open = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *open);      // where it ends
  r->spans = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *r->spans);
  r->writes = (int32_t *)tn_amd_room(r->l, (size_t)r->nunits, sizeof *r->writes);
  if (r->l->refused) return;
  tn_amd_live_span_new(r, 0, 0, 0, -1);         // number 0 is none
  tn_amd_live_write_put(r, 0, 0, -1);
  r->writes[0] = 0;
  for (int b = r->nblocks - 1; b >= 0 && !r->l->refused; b--) {
    const tn_amd_live_block *const block = &r->block[b];
    for (int w = 0; w < f->words; w++) {
      uint64_t bits = 0;
      for (int side = 0; side < 2; side++) if (block->to[side] >= 0) bits |= f->in[block->to[side] * f->words + w];
      for (int k = 64 * w; bits; bits >>= 1, k++) if (bits & 1) open[f->unit[k]] = 2 * block->end;
    }
    for (int i = block->end - 1; i >= block->first; i--) tn_amd_live_spans_line(r, i, open);
    for (int w = 0; w < f->words; w++) {
      uint64_t bits = f->in[b * f->words + w];
      for (int k = 64 * w; bits; bits >>= 1, k++) {
        if (!(bits & 1)) continue;
        tn_amd_live_span_put(r, f->unit[k], 2 * block->first, open[f->unit[k]]);
        open[f->unit[k]] = 0;
      }
    }
  }
}
static void tn_amd_ranges_find(tn_amd_ranges *r, tn_amd_list *l) {
  tn_amd_live_flow flow;
  memset(r, 0, sizeof *r);
  r->l = l;
  tn_amd_live_touch_all(r);
  if (!l->refused) tn_amd_live_blocks_find(r);
  if (!l->refused) tn_amd_live_fresh_find(r);
  if (!l->refused && tn_amd_live_lanes_find(r)) tn_amd_live_whole_find(r);
  if (!l->refused) tn_amd_live_flow_find(r, &flow);
  if (!l->refused) tn_amd_live_spans_find(r, &flow);
}
#endif
