// amd_spill: values that found no register live elsewhere, and visit one at each use.
//
// In:  a list, its ranges and tuples, and which tuples to spill. Out: the list, with loads in front of what reads them
//      and stores behind what writes them; virtual registers that live for a line alone, and may not be spilled.
// Holds: constants are made anew. Scalars lie in lanes of vector registers. Vector registers lie in AGPRs on gfx9, as
//        long as those are not many, else in scratch, which is every lane's own: a store of some lanes keeps others.
//        Scratch needs no set-up: its base is there when a wave begins (LLVM's AMDGPU user guide, "Initial Kernel
//        Execution State", architected flat scratch). None of this touches SCC.
#ifndef TN_ISA_AMD_SPILL
#define TN_ISA_AMD_SPILL
#ifndef TINY_AMALGAMATED
#include "amd_tuples.c"
#endif

enum { TN_AMD_STAYS = -2 };                // hint of a virtual register that may not be spilled
enum { TN_AMD_SPILL_ACCUMULATORS = 6 };    // rounds in which AGPRs are taken

// lanes: virtual registers whose lanes hold scalars, and how many hold one
typedef struct tn_amd_spill {
  tn_amd_list *l; int rounds;
  int32_t *lanes; int nlanes, caplanes, scalars;
} tn_amd_spill;
// Of a tuple that is spilled: home: of AGPRs, a virtual register + 1, of scalars, the first lane + 1, of scratch, the
// byte + 1; made: its dwords are constants
enum { TN_AMD_SPILL_NOT, TN_AMD_SPILL_MADE, TN_AMD_SPILL_LANES, TN_AMD_SPILL_AGPRS, TN_AMD_SPILL_SCRATCH };
typedef struct tn_amd_spill_home { int32_t at; uint8_t where; } tn_amd_spill_home;
typedef struct tn_amd_spill_job {
  tn_amd_spill *s; tn_amd_list *l; tn_amd_tuples *t;
  tn_amd_spill_home *home;                 // of tuples
  const tn_amd_line *old; int nold;
} tn_amd_spill_job;

// The constant that a unit is; NULL: it is none.
static const tn_amd_operand *tn_amd_spill_constant(const tn_amd_line *line, const tn_amd_ranges *r, int unit) {
  const int w = r->writes[unit];
  if (!w || r->write[w].next) return NULL;
  line += r->write[w].at / 2;
  const int moves = line->kind == TN_AMD_LINE_COPY || (line->kind == TN_AMD_LINE_INS && !line->ins.lanes &&
      (line->ins.op == TN_AMD_V_MOV_B32 || line->ins.op == TN_AMD_S_MOV_B32));
  return moves && tn_amd_is_constant(&line->ins.o[1]) ? &line->ins.o[1] : NULL;
}

// ** lines **

static tn_amd_operand tn_amd_spill_fresh(tn_amd_list *l, int kind, int dwords) {
  const tn_amd_operand o = tn_amd_new(l, kind, dwords);
  if (!l->refused) l->vreg[o.reg - TN_AMD_VIRTUAL].hint = TN_AMD_STAYS;
  return o;
}
// An empty list of lines, with room for as many again as there were.
static int tn_amd_spill_open(tn_amd_list *l) {
  int cap;
  tn_amd_line *const line = tn_amd_other_lines(l, l->n + l->n / 2 + 64, &cap);
  if (!line) return 0;
  tn_amd_lines_are(l, line, 0, cap);
  return 1;
}
static tn_amd_line *tn_amd_spill_push(tn_amd_list *l, const tn_amd_line *line) {
  tn_amd_line *const to = tn_amd_line_new(l, line->kind, line->label);
  *to = *line;
  return to;
}
// Accesses of 4, 2 or 1 dwords. What an instruction cannot say of the place stands in a scalar register.
static void tn_amd_spill_access(tn_amd_list *l, tn_amd_operand o, int byte, int stores) {
  const int most = l->family == TN_AMD_GFX12 ? 0x7FFFFF : 0xFFF;
  for (int at = 0, n = 0; at < o.dwords; at += n) {
    const int left = o.dwords - at, place = byte + 4 * at, low = place + 15 > most ? place & 0xF : place;
    tn_amd_operand base = tn_amd_off(), part;
    n = left >= 4 ? 4 : left >= 2 ? 2 : 1;
    part = tn_amd_slice(o, at, n);
    if (low != place) {
      base = tn_amd_spill_fresh(l, TN_AMD_SGPR, 1);
      tn_amd_copy(l, base, tn_amd_int(place - low));
    }
    const int load = n == 4 ? TN_AMD_SCRATCH_LOAD_B128 : n == 2 ? TN_AMD_SCRATCH_LOAD_B64 : TN_AMD_SCRATCH_LOAD_B32;
    const int store = n == 4 ? TN_AMD_SCRATCH_STORE_B128 : n == 2 ? TN_AMD_SCRATCH_STORE_B64 : TN_AMD_SCRATCH_STORE_B32;
    tn_amd_line *const line = stores ? tn_amd_do3(l, store, tn_amd_off(), part, base) :
        tn_amd_do3(l, load, part, tn_amd_off(), base);
    line->ins.m[TN_AMD_OFFSET] = low;
    line->memory = TN_AMD_OF_SCRATCH;
  }
}
static void tn_amd_spill_lanes(tn_amd_spill *s, tn_amd_operand o, int first, int stores) {
  const int wave = s->l->chip->wave;
  for (int k = 0; k < o.dwords; k++) {
    const int holder = s->lanes[(first + k) / wave];
    const tn_amd_operand v = tn_amd_v(TN_AMD_VIRTUAL + holder, 1), lane = tn_amd_int((first + k) % wave);
    if (stores) tn_amd_do3(s->l, TN_AMD_V_WRITELANE_B32, v, tn_amd_slice(o, k, 1), lane);
    else tn_amd_do3(s->l, TN_AMD_V_READLANE_B32, tn_amd_slice(o, k, 1), v, lane);
  }
}
// Between a register and dwords of a tuple from `unit` on, where those live.
static void tn_amd_spill_move(const tn_amd_spill_job *j, int root, int unit, tn_amd_operand o, int stores) {
  const tn_amd_spill_home *const home = &j->home[root];
  const int sub = unit - j->t->r->unit_of[root];
  if (home->where == TN_AMD_SPILL_LANES) tn_amd_spill_lanes(j->s, o, home->at + sub, stores);
  else if (home->where == TN_AMD_SPILL_SCRATCH) tn_amd_spill_access(j->l, o, home->at + 4 * sub, stores);
  else if (home->where == TN_AMD_SPILL_AGPRS) {
    const tn_amd_operand there =
        tn_amd_slice(tn_amd_register(TN_AMD_AGPR, TN_AMD_VIRTUAL + home->at, o.dwords), sub, o.dwords);
    tn_amd_copy(j->l, stores ? there : o, stores ? o : there);
  } else for (int k = 0; k < o.dwords && !stores; k++) {
    const tn_amd_operand *const made = tn_amd_spill_constant(j->old, j->t->r, unit + k);
    tn_amd_operand one = *made;
    one.dwords = 1;
    tn_amd_copy(j->l, tn_amd_slice(o, k, 1), one);
  }
}

// ** homes **

static int tn_amd_spill_holders(tn_amd_spill *s, int dwords) {               // the first lane
  const int first = s->scalars, wave = s->l->chip->wave;
  s->scalars += dwords;
  while (s->nlanes * wave < s->scalars && !s->l->refused) {
    int32_t *const all = (int32_t *)tn_amd_grown(s->l, s->lanes, s->nlanes, &s->caplanes, sizeof *all);
    if (!all) return 0;
    s->lanes = all;
    s->lanes[s->nlanes++] = tn_amd_spill_fresh(s->l, TN_AMD_VGPR, 1).reg - TN_AMD_VIRTUAL;
  }
  return first;
}
static void tn_amd_spill_settle(const tn_amd_spill_job *j, int v) {
  tn_amd_list *const l = j->l;
  const tn_amd_ranges *const r = j->t->r;
  const int dwords = l->vreg[v].dwords, kind = l->vreg[v].kind;
  tn_amd_spill_home *const home = &j->home[v];
  int made = 1;
  for (int k = 0; k < dwords; k++)
    made &= !r->spans[r->unit_of[v] + k] || tn_amd_spill_constant(j->old, r, r->unit_of[v] + k) != NULL;
  if (made) { home->where = TN_AMD_SPILL_MADE; return; }
  if (kind == TN_AMD_SGPR) {
    home->where = TN_AMD_SPILL_LANES;
    home->at = tn_amd_spill_holders(j->s, dwords);
  } else if (kind == TN_AMD_VGPR && l->family == TN_AMD_GFX9 && j->s->rounds < TN_AMD_SPILL_ACCUMULATORS) {
    home->where = TN_AMD_SPILL_AGPRS;
    home->at = tn_amd_vreg_new(l, TN_AMD_AGPR, dwords);
  } else {
    home->where = TN_AMD_SPILL_SCRATCH;
    home->at = (int32_t)((l->setup.scratch + 3) & ~3u);
    l->setup.scratch = (uint32_t)home->at + 4 * (uint32_t)dwords;
  }
}

// ** the list, line by line **

static int tn_amd_spill_role(const tn_amd_line *line, int i) {
  if (line->kind == TN_AMD_LINE_COPY) return i ? TN_AMD_READS : TN_AMD_WRITES;
  const tn_amd_form f = tn_amd_form_of(line->ins.op, line->ins.family);
  return tn_amd_role(&line->ins, line->ins.op, &f, i, tn_amd_reads_result(&line->ins));
}
// The tuple that an operand is a part of, if it is spilled, and which unit; -1: it is not.
static int tn_amd_spill_root(const tn_amd_spill_job *j, const tn_amd_operand *o, int *unit) {
  const tn_amd_ranges *const r = j->t->r;
  if (!tn_amd_is_virtual(o)) return -1;
  *unit = tn_amd_tuple_unit(j->t, r->unit_of[o->reg - TN_AMD_VIRTUAL] + o->sub);
  const int root = r->vreg_of[*unit];
  return j->home[root].where ? root : -1;
}
// Is all that a line does to make a constant which is made anew where it is used?
static int tn_amd_spill_is_gone(const tn_amd_spill_job *j, const tn_amd_line *line) {
  int unit;
  if (line->kind > TN_AMD_LINE_COPY || line->ins.n != 2 || !tn_amd_is_constant(&line->ins.o[1])) return 0;
  const int copies = line->kind == TN_AMD_LINE_COPY;
  const int moves = copies || line->ins.op == TN_AMD_V_MOV_B32 || line->ins.op == TN_AMD_S_MOV_B32;
  const int root = moves ? tn_amd_spill_root(j, &line->ins.o[0], &unit) : -1;
  return root >= 0 && j->home[root].where == TN_AMD_SPILL_MADE;
}
static void tn_amd_spill_line(const tn_amd_spill_job *j, const tn_amd_line *old) {
  tn_amd_line line = *old;
  int role[TN_AMD_MOST_OPERANDS], root[TN_AMD_MOST_OPERANDS], unit[TN_AMD_MOST_OPERANDS] = {0, 0, 0, 0, 0};
  if (tn_amd_spill_is_gone(j, old)) return;
  for (int i = 0; i < line.ins.n; i++) {
    tn_amd_operand *const o = &line.ins.o[i];
    int same = -1;
    root[i] = tn_amd_spill_root(j, o, &unit[i]);
    if (root[i] < 0) continue;
    role[i] = tn_amd_spill_role(old, i);
    for (int k = 0; k < i; k++)
      if (root[k] == root[i] && unit[k] == unit[i] && o->dwords == line.ins.o[k].dwords) same = k;
    const tn_amd_operand fresh = same < 0 ? tn_amd_spill_fresh(j->l, o->kind, o->dwords) : line.ins.o[same];
    o->reg = fresh.reg; o->sub = fresh.sub;
    if (same >= 0) { if (role[i] & TN_AMD_READS) role[same] |= TN_AMD_READS; root[i] = -2; }
  }
  for (int i = 0; i < line.ins.n; i++) {
    const tn_amd_operand plain = tn_amd_register(line.ins.o[i].kind, line.ins.o[i].reg, line.ins.o[i].dwords);
    if (root[i] >= 0 && role[i] & TN_AMD_READS) tn_amd_spill_move(j, root[i], unit[i], plain, 0);
  }
  tn_amd_spill_push(j->l, &line);
  for (int i = 0; i < line.ins.n; i++) {
    const tn_amd_operand plain = tn_amd_register(line.ins.o[i].kind, line.ins.o[i].reg, line.ins.o[i].dwords);
    if (root[i] >= 0 && role[i] & TN_AMD_WRITES) tn_amd_spill_move(j, root[i], unit[i], plain, 1);
  }
}
// What the launch puts into registers is stored first.
static void tn_amd_spill_inputs(const tn_amd_spill_job *j, int nvreg) {
  for (int v = 0; v < nvreg; v++) {
    const int kind = j->l->vreg[v].kind, dwords = j->l->vreg[v].dwords;
    if (!j->home[v].where || j->l->vreg[v].fixed < 0) continue;
    const tn_amd_operand in = tn_amd_spill_fresh(j->l, kind, dwords);
    j->l->vreg[in.reg - TN_AMD_VIRTUAL].fixed = j->l->vreg[v].fixed;
    j->l->vreg[v].fixed = -1;
    tn_amd_spill_move(j, v, j->t->r->unit_of[v], in, 1);
  }
}
// Registers that no line names any more are forgotten, so that there are numbers for others.
static void tn_amd_spill_renumber(tn_amd_spill *s) {
  tn_amd_list *const l = s->l;
  int32_t *const number = (int32_t *)tn_amd_room(l, (size_t)l->nvreg + 1, sizeof *number);
  int n = 0;
  if (!number) return;
  for (int k = 0; k < s->nlanes; k++) number[s->lanes[k]] = 1;
  for (int i = 0; i < l->n; i++)
    for (int k = 0; k < l->line[i].ins.n; k++) {
      const tn_amd_operand *const o = &l->line[i].ins.o[k];
      if (tn_amd_is_virtual(o)) number[o->reg - TN_AMD_VIRTUAL] = 1;
    }
  for (int v = 0; v < l->nvreg; v++) if (number[v]) { l->vreg[n] = l->vreg[v]; number[v] = ++n; }
  for (int v = 0; v < n; v++) {
    const int hint = l->vreg[v].hint;
    if (hint >= 0) l->vreg[v].hint = number[hint] ? number[hint] - 1 : -1;
  }
  l->nvreg = n;
  for (int k = 0; k < s->nlanes; k++) s->lanes[k] = number[s->lanes[k]] - 1;
  for (int i = 0; i < l->n; i++)
    for (int k = 0; k < l->line[i].ins.n; k++) {
      tn_amd_operand *const o = &l->line[i].ins.o[k];
      if (tn_amd_is_virtual(o)) o->reg = (uint16_t)(TN_AMD_VIRTUAL + number[o->reg - TN_AMD_VIRTUAL] - 1);
    }
}
static void tn_amd_spill_rewrite(tn_amd_spill *s, tn_amd_tuples *t, const uint8_t *spilled) {
  tn_amd_list *const l = s->l;
  tn_amd_spill_job j = {s, l, t, NULL, l->line, l->n};
  const int nvreg = l->nvreg;
  j.home = (tn_amd_spill_home *)tn_amd_room(l, (size_t)nvreg + 1, sizeof *j.home);
  if (!j.home || !tn_amd_spill_open(l)) return;
  for (int v = 0; v < nvreg && !l->refused; v++) if (spilled[v]) tn_amd_spill_settle(&j, v);
  if (!l->refused) tn_amd_spill_inputs(&j, nvreg);
  for (int i = 0; i < j.nold && !l->refused; i++) tn_amd_spill_line(&j, &j.old[i]);
  if (!l->refused) tn_amd_spill_renumber(s);
  s->rounds++;
}

// ** copies that need a vector register between **

static int tn_amd_spill_between(const tn_amd_line *line) {
  const tn_amd_operand *const to = &line->ins.o[0], *const from = &line->ins.o[1];
  if (line->kind != TN_AMD_LINE_COPY) return 0;
  if (to->kind == TN_AMD_SGPR) return from->kind == TN_AMD_AGPR;
  return to->kind == TN_AMD_AGPR && (from->kind == TN_AMD_LITERAL || from->kind == TN_AMD_SPECIAL);
}
static void tn_amd_spill_begin(tn_amd_spill *s, tn_amd_list *l) {
  const tn_amd_line *const old = l->line;
  const int n = l->n;
  int found = 0;
  memset(s, 0, sizeof *s);
  s->l = l;
  if (l->refused) return;
  for (int i = 0; i < n; i++) found += tn_amd_spill_between(&old[i]);
  if (!found || !tn_amd_spill_open(l)) return;
  for (int i = 0; i < n && !l->refused; i++) {
    if (!tn_amd_spill_between(&old[i])) { tn_amd_spill_push(l, &old[i]); continue; }
    const tn_amd_operand between = tn_amd_spill_fresh(l, TN_AMD_VGPR, old[i].ins.o[0].dwords);
    tn_amd_copy(l, between, old[i].ins.o[1]);
    tn_amd_copy(l, old[i].ins.o[0], between);
  }
}
#endif
