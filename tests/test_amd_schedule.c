// The order of instructions for AMD's GPUs (amd_schedule.c, amd_pipeline.c, amd_dual.c): random lists do the same
// before and after, by an interpreter of one lane; cycles of known blocks; pairs are what encoder and rules take.
// TEST_SAYS=1: cycles and registers of the blocks.
// brief: plain asan
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/base/process.c"
#include "../src/isa/amd_schedule.c"
#include "../src/isa/amd_dual.c"
#include "../src/isa/amd_pipeline.c"
#include "test.h"
#include "rnd.h"

static tiny_ctx *open_context(tiny_ctx *t) {
  memset(t, 0, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  return t;
}
static void close_context(tiny_ctx *t) { tn_scratch_reset(t, 1); }
static const tn_amd_chip *chip_of(int family) {
  static const int numbers[] = {0, 6, 8};  // gfx1100, gfx1200, gfx942
  return &tn_amd_chips[numbers[family]];
}

// ** an interpreter of one lane: registers by dwords, memories of 64 dwords each **

enum { MEMORIES = 5, WORDS = 64, PHYSICAL = 1024 };
typedef struct machine {
  uint32_t v[PHYSICAL], s[PHYSICAL], a[PHYSICAL], scc, *x;   // x: virtual ones
  const int *first;
  uint32_t memory[MEMORIES][WORDS];
  int executed;
} machine;

static uint32_t *place(machine *m, const tn_amd_operand *o, int i) {
  if (o->reg >= TN_AMD_VIRTUAL) return &m->x[m->first[o->reg - TN_AMD_VIRTUAL] + o->sub + i];
  uint32_t *const file = o->kind == TN_AMD_SGPR ? m->s : o->kind == TN_AMD_AGPR ? m->a : m->v;
  return &file[o->reg + o->sub + i];
}
static uint32_t value(machine *m, const tn_amd_operand *o, int i) {
  if (tn_amd_is_register(o)) return *place(m, o, i);
  if (o->kind == TN_AMD_SPECIAL) return o->reg == TN_AMD_SCC ? m->scc : 0;
  return o->kind == TN_AMD_INLINE || o->kind == TN_AMD_LITERAL ? o->value : 0;
}
static uint32_t mixed(uint32_t a, uint32_t b) { return (a ^ (b + 0x9E3779B9u)) * 0x85EBCA6Bu + (a >> 13); }
static int has(const tn_amd_ins *ins, const char *word) {
  size_t n;
  const char *const name = tn_amd_name(ins->op, ins->family, &n);
  return tn_amd_has_word(name, n, word);
}
// Which memory: by its number, or, where that is not known, by the address.
static uint32_t *cell(machine *m, const tn_amd_line *line, uint32_t address, int i) {
  const int lds = tn_amd_format(line->ins.op, line->ins.family) == TN_AMD_DS;
  const int which = line->memory >= TN_AMD_OF_LDS || (lds && !line->memory) ? MEMORIES - 1
                  : line->memory ? line->memory - 1 : (int)(address / WORDS % (MEMORIES - 1));
  return &m->memory[which][(address + (uint32_t)line->ins.m[TN_AMD_OFFSET] / 4 + (uint32_t)i) % WORDS];
}
static void access_memory(machine *m, const tn_amd_line *line) {
  const tn_amd_ins *const ins = &line->ins;
  const int scalar = tn_amd_format(ins->op, ins->family) == TN_AMD_SMEM, loads = has(ins, "load") || has(ins, "read");
  const tn_amd_operand *const at = &ins->o[loads ? 1 : 0], *const data = &ins->o[loads ? 0 : 1];
  uint32_t address = value(m, at, 0), got[16];
  if (!scalar && !(m->s[TN_AMD_EXEC] & 1)) return;
  for (int i = 0; i < data->dwords; i++) {
    if (loads) got[i] = *cell(m, line, address, i);
    else *cell(m, line, address, i) = value(m, data, i);
  }
  for (int i = 0; i < data->dwords && loads; i++) *place(m, data, i) = got[i];
}
// What is not known by name is some function of all that is read. Floats are taken for whole numbers.
static uint32_t result_of(machine *m, int family, int op, int n, const tn_amd_operand *o, int adds) {
  const tn_amd_form f = tn_amd_form_of(op, family);
  uint32_t all = (uint32_t)op, x[5] = {0};
  for (int i = 0; i < n; i++) x[i] = value(m, &o[i], 0);
  switch (op) {
    case TN_AMD_V_MOV_B32: case TN_AMD_S_MOV_B32: return x[1];
    case TN_AMD_V_ADD_NC_U32: case TN_AMD_S_ADD_U32: case TN_AMD_S_ADD_I32: case TN_AMD_V_ADD_F32: return x[1] + x[2];
    case TN_AMD_V_SUB_F32: return x[1] - x[2];
    case TN_AMD_V_SUBREV_F32: return x[2] - x[1];
    case TN_AMD_V_MUL_F32: case TN_AMD_V_MUL_DX9_ZERO_F32: return x[1] * x[2];
    case TN_AMD_V_MAX_F32: return x[1] > x[2] ? x[1] : x[2];
    case TN_AMD_V_MIN_F32: return x[1] < x[2] ? x[1] : x[2];
    case TN_AMD_V_AND_B32: return x[1] & x[2];
    case TN_AMD_V_CNDMASK_B32: return x[3] & 1 ? x[2] : x[1];
    case TN_AMD_V_FMAC_F32: return x[1] * x[2] + x[0];
    case TN_AMD_V_FMA_F32: case TN_AMD_V_FMAAK_F32: case TN_AMD_V_FMAMK_F32: return x[1] * x[2] + x[3];
    case TN_AMD_V_LSHLREV_B32: return x[2] << (x[1] & 31);
    case TN_AMD_S_ADDC_U32: return x[1] + x[2] + m->scc;
    default: break;
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < (o[i].dwords ? o[i].dwords : 1) && (adds || !strchr("dgDec", f.operands[2 * i])); k++)
      all = mixed(all, value(m, &o[i], k));
  return tn_amd_reads_scc(op) ? mixed(all, m->scc) : all;
}
static void compute(machine *m, const tn_amd_ins *ins) {
  const tn_amd_form f = tn_amd_form_of(ins->op, ins->family);
  const uint32_t all = result_of(m, ins->family, ins->op, ins->n, ins->o, tn_amd_reads_result(ins));
  const uint32_t carry = ins->n > 2 ? all < value(m, &ins->o[2], 0) : all & 1;
  const uint32_t y = ins->op_y ? result_of(m, ins->family, ins->op_y, ins->n_y, ins->y, 1) : 0;
  if (tn_amd_is_vector_format(tn_amd_format(ins->op, ins->family)) && !(m->s[TN_AMD_EXEC] & 1)) return;
  for (int i = 0, n = 0; i < ins->n; i++) {
    if (!strchr("dgDec", f.operands[2 * i])) continue;
    for (int k = 0; k < (ins->o[i].dwords ? ins->o[i].dwords : 1); k++, n++)
      *place(m, &ins->o[i], k) = n ? mixed(all, (uint32_t)n) : all;
  }
  if (ins->op_y) *place(m, &ins->y[0], 0) = y;
  if (ins->op == TN_AMD_S_CMP_LT_I32) m->scc = (int32_t)value(m, &ins->o[0], 0) < (int32_t)value(m, &ins->o[1], 0);
  if (ins->op == TN_AMD_S_CMP_LT_I32) return;
  if (tn_amd_writes_scc(ins->op, ins->family)) m->scc = carry;
}
static void execute_copy(machine *m, const tn_amd_ins *ins) {
  uint32_t got[32];
  if (ins->o[0].kind != TN_AMD_SGPR && !(m->s[TN_AMD_EXEC] & 1)) return;
  for (int i = 0; i < ins->o[0].dwords; i++)
    got[i] = value(m, &ins->o[1], tn_amd_is_register(&ins->o[1]) ? i : 0);
  for (int i = 0; i < ins->o[0].dwords; i++) *place(m, &ins->o[0], i) = got[i];
}
static int jumps(const machine *m, const tn_amd_ins *ins) {
  return ins->op == TN_AMD_S_BRANCH || (ins->op == TN_AMD_S_CBRANCH_SCC1 && m->scc) ||
      (ins->op == TN_AMD_S_CBRANCH_SCC0 && !m->scc);
}
static void execute(machine *m, const tn_amd_list *l) {
  int *const at = (int *)calloc((size_t)l->labels, sizeof *at);
  for (int i = 0; i < l->n; i++)
    if (l->line[i].kind == TN_AMD_LINE_LABEL && l->line[i].label >= 0) at[l->line[i].label] = i;
  for (int i = 0, steps = 0; i < l->n && steps < 20000; i++, steps++) {
    const tn_amd_line *const line = &l->line[i];
    const int format = line->kind == TN_AMD_LINE_INS ? tn_amd_format(line->ins.op, line->ins.family) : 0;
    m->executed += line->kind == TN_AMD_LINE_COPY || format ? 1 + (format && line->ins.op_y) : 0;
    if (line->kind == TN_AMD_LINE_COPY) execute_copy(m, &line->ins);
    else if (!format) continue;
    else if (format == TN_AMD_SOPP) { if (jumps(m, &line->ins)) i = at[line->label]; }
    else if (format == TN_AMD_SMEM || format >= TN_AMD_DS) access_memory(m, line);
    else compute(m, &line->ins);
  }
  free(at);
}
static void run(machine *m, const tn_amd_list *l, const int *first, uint64_t seed) {
  const int n = l->nvreg && first ? first[l->nvreg - 1] + l->vreg[l->nvreg - 1].dwords : 0;
  uint32_t *const x = (uint32_t *)malloc((size_t)(n + 1) * sizeof *x);
  memset(m, 0, sizeof *m);
  m->x = x; m->first = first;
  for (int i = 0; i < PHYSICAL; i++) m->v[i] = m->s[i] = (uint32_t)(seed += 0x9E3779B97F4A7C15u) * 2654435761u;
  for (int i = 0; i < MEMORIES * WORDS; i++)
    m->memory[i / WORDS][i % WORDS] = (uint32_t)(seed += 0x9E3779B97F4A7C15u) * 2654435761u;
  for (int i = 0; i < n; i++) x[i] = (uint32_t)(seed += 0x9E3779B97F4A7C15u) * 2654435761u;
  m->s[TN_AMD_EXEC] = ~0u;
  execute(m, l);
}
static int same(const machine *a, const machine *b, int nx) {
  return !memcmp(a->v, b->v, sizeof a->v) && !memcmp(a->s, b->s, sizeof a->s) && !memcmp(a->a, b->a, sizeof a->a) &&
      !memcmp(a->memory, b->memory, sizeof a->memory) && !memcmp(a->x, b->x, (size_t)nx * 4) &&
      a->executed == b->executed;
}

// ** random lists **

enum { REGISTERS = 24 };
typedef struct maker { tn_amd_list *l; tn_amd_operand v[REGISTERS], s[REGISTERS], wide[4], mask; int physical; } maker;
static tn_amd_operand some_v(maker *k) {
  if (!rnd(4)) return tn_amd_slice(k->wide[rnd(4)], rnd(4), 1);
  return k->v[rnd(REGISTERS)];
}
static tn_amd_operand some_s(maker *k) { return k->s[rnd(REGISTERS)]; }
static tn_amd_operand any_v(maker *k) { return rnd(5) ? some_v(k) : rnd(2) ? some_s(k) : tn_amd_int(rnd(100) - 20); }
static tn_amd_operand any_s(maker *k) { return rnd(4) ? some_s(k) : tn_amd_int(rnd(64)); }
static void some_access(maker *k) {
  static const int loads[] = {TN_AMD_GLOBAL_LOAD_B32, TN_AMD_GLOBAL_LOAD_B128};
  static const int stores[] = {TN_AMD_GLOBAL_STORE_B32, TN_AMD_GLOBAL_STORE_B128};
  const int wide = rnd(2), lds = !rnd(3), stores_it = rnd(2);
  const tn_amd_operand data = wide ? k->wide[rnd(4)] : some_v(k), at = some_v(k), base = tn_amd_s(4, 2);
  tn_amd_line *line;
  if (lds && stores_it) line = tn_amd_do2(k->l, wide ? TN_AMD_DS_STORE_B128 : TN_AMD_DS_STORE_B32, at, data);
  else if (lds) line = tn_amd_do2(k->l, wide ? TN_AMD_DS_LOAD_B128 : TN_AMD_DS_LOAD_B32, data, at);
  else if (stores_it) line = tn_amd_do3(k->l, stores[wide], at, data, base);
  else line = tn_amd_do3(k->l, loads[wide], data, at, base);
  line->memory = !rnd(8) ? 0 : lds ? TN_AMD_OF_LDS + 1 : 1 + rnd(3);
  line->ins.m[TN_AMD_OFFSET] = 4 * rnd(12);
}
static void some_scalars(maker *k) {
  switch (rnd(6)) {
    case 0:
      tn_amd_do3(k->l, TN_AMD_S_ADD_U32, some_s(k), any_s(k), some_s(k));
      if (rnd(2)) tn_amd_do3(k->l, TN_AMD_S_MUL_I32, some_s(k), some_s(k), some_s(k));
      tn_amd_do3(k->l, TN_AMD_S_ADDC_U32, some_s(k), any_s(k), some_s(k));
      break;
    case 1: tn_amd_do3(k->l, TN_AMD_S_AND_B32, some_s(k), some_s(k), some_s(k)); break;
    case 2: tn_amd_do2(k->l, TN_AMD_S_MOV_B32, some_s(k), any_s(k)); break;
    case 3: tn_amd_do3(k->l, TN_AMD_S_CSELECT_B32, some_s(k), some_s(k), any_s(k)); break;
    case 4: tn_amd_do2(k->l, TN_AMD_V_READFIRSTLANE_B32, some_s(k), some_v(k)); break;
    default:
      tn_amd_do3(k->l, TN_AMD_S_LOAD_B32, some_s(k), tn_amd_s(6, 2), tn_amd_s(TN_AMD_NULL, 1))->memory = 4;
  }
}
static void some_vectors(maker *k) {
  tn_amd_operand t;
  switch (rnd(9)) {
    case 0: tn_amd_do2(k->l, TN_AMD_V_MOV_B32, some_v(k), any_v(k)); break;
    case 1: tn_amd_do3(k->l, TN_AMD_V_ADD_NC_U32, some_v(k), any_v(k), some_v(k)); break;
    case 2: tn_amd_do3(k->l, TN_AMD_V_LSHLREV_B32, some_v(k), tn_amd_int(rnd(32)), some_v(k)); break;
    case 3: tn_amd_do3(k->l, TN_AMD_V_FMAC_F32, some_v(k), any_v(k), some_v(k)); break;
    case 4: tn_amd_do2(k->l, TN_AMD_V_RCP_F32, some_v(k), some_v(k)); break;
    case 5:
      tn_amd_do3(k->l, TN_AMD_V_CMP_LT_I32, k->mask, any_v(k), some_v(k));
      tn_amd_do4(k->l, TN_AMD_V_CNDMASK_B32, some_v(k), any_v(k), some_v(k), k->mask);
      break;
    case 6: tn_amd_copy(k->l, k->wide[rnd(4)], k->wide[rnd(4)]); break;
    case 7: tn_amd_copy(k->l, some_v(k), any_v(k)); break;
    default:                               // made for a place
      t = tn_amd_new_v(k->l, 1);
      tn_amd_do3(k->l, TN_AMD_V_ADD_NC_U32, t, any_v(k), some_v(k));
      if (rnd(2)) tn_amd_do2(k->l, TN_AMD_V_MOV_B32, some_v(k), any_v(k));
      tn_amd_copy(k->l, some_v(k), t);
  }
}
// A loop, which is gone through twice or so.
typedef struct loop { tn_amd_operand counter; int again; } loop;
static loop loop_begin(tn_amd_list *l) {
  const loop to = {tn_amd_new_s(l, 1), tn_amd_label_new(l)};
  tn_amd_copy(l, to.counter, tn_amd_int(0));
  tn_amd_line_new(l, TN_AMD_LINE_LOOP, -1);
  tn_amd_line_new(l, TN_AMD_LINE_LABEL, to.again);
  return to;
}
static void loop_end(tn_amd_list *l, loop of, tn_amd_operand times) {
  tn_amd_do3(l, TN_AMD_S_ADD_I32, of.counter, of.counter, tn_amd_int(1));
  tn_amd_do2(l, TN_AMD_S_CMP_LT_I32, of.counter, times);
  tn_amd_branch_to(l, TN_AMD_S_CBRANCH_SCC1, of.again);
  tn_amd_line_new(l, TN_AMD_LINE_LOOP_END, -1);
}
static void some_list(maker *k, tn_amd_list *l, int n) {
  enum { DEEP = 3 };
  loop open[DEEP];
  int depth = 0;
  k->l = l;
  for (int i = 0; i < REGISTERS; i++) { k->v[i] = tn_amd_new_v(l, 1); k->s[i] = tn_amd_new_s(l, 1); }
  for (int i = 0; i < 4; i++) k->wide[i] = tn_amd_new_v(l, 4);
  k->mask = rnd(2) ? tn_amd_new_mask(l) : tn_amd_s(TN_AMD_VCC, l->mask);
  l->vreg[k->v[0].reg - TN_AMD_VIRTUAL].fixed = 5;           // two in one place
  l->vreg[k->v[1].reg - TN_AMD_VIRTUAL].fixed = 5;
  while (l->n < n) {
    const int what = rnd(40);
    if (what < 12 || n > 1000) some_access(k);
    else if (what < 20) some_scalars(k);
    else if (what < 38) some_vectors(k);
    else if (what == 38 && rnd(2))
      tn_amd_do2(l, TN_AMD_S_MOV_B32, tn_amd_s(TN_AMD_EXEC, 1), tn_amd_int(rnd(2) ? -1 : rnd(4)));
    else if (!rnd(3) && depth < DEEP) open[depth++] = loop_begin(l);
    else if (depth && !rnd(2)) loop_end(l, open[--depth], tn_amd_int(1 + rnd(3)));
    else if (!rnd(2)) tn_amd_line_new(l, TN_AMD_LINE_LABEL, tn_amd_label_new(l));
  }
  while (depth--) loop_end(l, open[depth], tn_amd_int(2));
}
static void check_random(uint64_t seed, int n) {
  tiny_ctx context, *const t = open_context(&context);
  tn_amd_list l;
  maker k;
  rng = seed;
  const int family = (int)(seed % TN_AMD_FAMILIES);
  CHECK(tn_amd_list_open(&l, t, chip_of(family)));
  some_list(&k, &l, n);
  CHECK(l.refused == NULL);
  int *const first = (int *)malloc((size_t)l.nvreg * sizeof *first);
  for (int i = 0, at = 0; i < l.nvreg; at += l.vreg[i++].dwords) first[i] = at;
  first[1 * 2] = first[0];                 // the two registers of one place: v[1] is made third
  static machine a, b;
  const int nx = first[l.nvreg - 1] + l.vreg[l.nvreg - 1].dwords;
  run(&a, &l, first, seed);
  tn_amd_schedule(&l);
  run(&b, &l, first, seed);
  CHECK(same(&a, &b, nx));
  free(a.x); free(b.x); free(first);
  close_context(t);
}

// ** orders of known blocks: cycles of a wave that issues in order and waits for what it reads **

static int cycles_of(const tn_amd_list *l) {
  tn_amd_graph g;
  int cycle = 0;
  if (!tn_amd_graph_open(&g, (tn_amd_list *)(uintptr_t)l)) return -1;
  int *const there = (int *)calloc((size_t)tn_amd_graph_dwords(&g), sizeof *there);
  for (int i = 0; i < l->n; i++) {
    for (int pass = 0; pass < 2; pass++) {
      for (int k = 0; k < g.uses[i].n; k++) {
        int n;
        const int first = tn_amd_dword_of(&g, &g.uses[i].of[k], &n);
        for (int d = first; first >= 0 && d < first + n; d++) {
          if (!pass && there[d] > cycle) cycle = there[d];
          if (pass && g.uses[i].of[k].role & TN_AMD_WRITES) there[d] = cycle + g.trait[i].cycles;
        }
      }
    }
    cycle += g.trait[i].issue;
  }
  free(there);
  return cycle;
}
// Dwords of vector registers at a time, at most: of registers that are written once, in front of their readers.
static int live_of(const tn_amd_list *l) {
  int *const left = (int *)calloc((size_t)l->nvreg, sizeof *left), live = 0, most = 0;
  tn_amd_uses u;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < l->n; i++) {
      tn_amd_uses_of(&l->line[i], &u);
      for (int k = 0; k < u.n; k++) {
        if (u.of[k].reg < TN_AMD_VIRTUAL || u.of[k].kind != TN_AMD_VGPR) continue;
        int *const n = &left[u.of[k].reg - TN_AMD_VIRTUAL], dwords = l->vreg[u.of[k].reg - TN_AMD_VIRTUAL].dwords;
        if (!pass) { *n -= 1; continue; }
        if (*n < 0) { *n = -*n; live += dwords; if (live > most) most = live; }
        if (!--*n) live -= dwords;
      }
    }
  }
  free(left);
  return most;
}
static tn_amd_operand loaded(tn_amd_list *l, int dwords, tn_amd_operand at, int offset) {
  const tn_amd_operand to = tn_amd_new_v(l, dwords);
  const int op = dwords == 4 ? TN_AMD_GLOBAL_LOAD_B128 : TN_AMD_GLOBAL_LOAD_B32;
  tn_amd_line *const line = tn_amd_do3(l, op, to, at, tn_amd_s(4, 2));
  line->memory = 1;
  line->ins.m[TN_AMD_OFFSET] = offset;
  return to;
}
static void stored(tn_amd_list *l, tn_amd_operand at, tn_amd_operand data, int memory, int offset) {
  const int op = data.dwords == 4 ? TN_AMD_GLOBAL_STORE_B128 : TN_AMD_GLOBAL_STORE_B32;
  tn_amd_line *const line = tn_amd_do3(l, op, at, data, tn_amd_s(2 + 2 * memory, 2));
  line->memory = memory;
  line->ins.m[TN_AMD_OFFSET] = offset;
}
// n values are loaded, each changed and stored right behind: loads come together, as many as there are registers for.
static void check_streams(int family, int n, int dwords, int in_place, int most_cycles) {
  tiny_ctx context, *const t = open_context(&context);
  tn_amd_list l;
  tn_amd_list_open(&l, t, chip_of(family));
  const tn_amd_operand at = tn_amd_new_v(&l, 1);
  tn_amd_do3(&l, TN_AMD_V_LSHLREV_B32, at, tn_amd_int(4), tn_amd_v(0, 1));
  for (int i = 0; i < n; i++) {
    const tn_amd_operand x = loaded(&l, dwords, at, 4 * dwords * i), y = tn_amd_new_v(&l, dwords);
    for (int k = 0; k < dwords; k++)
      tn_amd_do3(&l, TN_AMD_V_ADD_F32, tn_amd_slice(y, k, 1), tn_amd_slice(x, k, 1), tn_amd_slice(x, k, 1));
    stored(&l, at, y, in_place ? 1 : 2, 4 * dwords * i);
  }
  const int before = cycles_of(&l);
  CHECK(before > 320 * n);
  tn_amd_schedule(&l);
  const int after = cycles_of(&l), live = live_of(&l);
  CHECK(after < most_cycles);
  CHECK(live <= (family == TN_AMD_GFX9 ? 60 : 92));
  if (getenv("TEST_SAYS"))
    printf("%d values of %d dwords: %d cycles, then %d; %d registers\n", n, dwords, before, after, live);
  close_context(t);
}
// A copy joins what it copies: nobody names its register between.
static void check_joined(void) {
  tiny_ctx context, *const t = open_context(&context);
  tn_amd_list l;
  tn_amd_list_open(&l, t, chip_of(TN_AMD_GFX11));
  const tn_amd_operand at = tn_amd_new_v(&l, 1), sum = tn_amd_new_v(&l, 4);
  tn_amd_copy(&l, sum, tn_amd_int(0));
  tn_amd_copy(&l, at, tn_amd_int(0));
  for (int i = 0; i < 8; i++) {
    const tn_amd_operand x = loaded(&l, 4, at, 16 * i);
    for (int k = 0; k < 4; k++) {
      const tn_amd_operand y = tn_amd_new_v(&l, 1);
      tn_amd_do4(&l, TN_AMD_V_FMA_F32, y, tn_amd_slice(x, k, 1), tn_amd_slice(x, 3 - k, 1), tn_amd_slice(sum, k, 1));
      tn_amd_copy(&l, tn_amd_slice(sum, k, 1), y);
    }
  }
  tn_amd_schedule(&l);
  int apart = 0, fmas = 0;
  for (int i = 0; i < l.n; i++) {
    if (l.line[i].kind != TN_AMD_LINE_INS || l.line[i].ins.op != TN_AMD_V_FMA_F32) continue;
    fmas++;
    apart += i + 1 == l.n || l.line[i + 1].kind != TN_AMD_LINE_COPY ||
        l.line[i + 1].ins.o[1].reg != l.line[i].ins.o[0].reg;
  }
  CHECK_EQ(fmas, 32);
  CHECK_EQ(apart, 0);
  CHECK(cycles_of(&l) < 320 + 8 * 30);
  close_context(t);
}

// What a block in front has loaded is waited for behind what waits for nothing.
static void check_under_way(void) {
  enum { SUMS = 12 };
  tiny_ctx context, *const t = open_context(&context);
  tn_amd_list l;
  tn_amd_list_open(&l, t, chip_of(TN_AMD_GFX11));
  const tn_amd_operand at = tn_amd_new_v(&l, 1), y = tn_amd_new_v(&l, 1);
  tn_amd_operand z = tn_amd_new_v(&l, 1);
  tn_amd_copy(&l, at, tn_amd_int(0));
  tn_amd_copy(&l, z, tn_amd_int(0));
  const tn_amd_operand x = loaded(&l, 1, at, 0);
  tn_amd_do0(&l, TN_AMD_S_BARRIER);
  tn_amd_do3(&l, TN_AMD_V_ADD_F32, y, x, x);
  for (int i = 0; i < SUMS; i++) {
    const tn_amd_operand next = tn_amd_new_v(&l, 1);
    tn_amd_do3(&l, TN_AMD_V_MUL_F32, next, z, z);
    z = next;
  }
  stored(&l, at, y, 2, 0);
  stored(&l, at, z, 2, 4);
  tn_amd_schedule(&l);
  int sums = 0, before = -1;
  for (int i = 0; i < l.n; i++) {
    if (l.line[i].kind != TN_AMD_LINE_INS) continue;
    if (l.line[i].ins.op == TN_AMD_V_ADD_F32) before = sums;
    sums += l.line[i].ins.op == TN_AMD_V_MUL_F32;
  }
  CHECK_EQ(sums, SUMS);
  CHECK_EQ(before, SUMS);
  close_context(t);
}

// ** loops: loads of the next iteration in this one **

typedef struct body { tn_amd_operand sum[4], at[3], kept[3], bound; } body;
// Loads, by what the loop counts or by what goes on, sums, and now and then what keeps the loop as it is.
static void some_body(tn_amd_list *l, body *b, tn_amd_operand counter) {
  tn_amd_operand x[6];
  const int n = 1 + rnd(6), odd = rnd(12);
  if (odd == 0) stored(l, b->at[0], b->sum[0], 1 + rnd(3), 0);
  if (odd == 6) tn_amd_do3(l, TN_AMD_S_ADD_I32, counter, counter, tn_amd_int(1));
  for (int i = 0; i < n; i++) {
    const int kind = rnd(4), wide = rnd(2);
    const tn_amd_operand address = tn_amd_new_v(l, 1);
    x[i] = rnd(3) ? tn_amd_new_v(l, 1 + 3 * wide) : tn_amd_slice(b->kept[rnd(3)], 0, 1 + 3 * wide);
    if (kind == 0) tn_amd_do3(l, TN_AMD_V_ADD_NC_U32, address, counter, b->at[0]);
    else if (kind == 1) {
      const tn_amd_operand s = tn_amd_new_s(l, 1);
      tn_amd_do3(l, TN_AMD_S_ADD_U32, s, counter, tn_amd_int(odd == 7 ? -1 : i));
      if (rnd(2)) tn_amd_do3(l, TN_AMD_S_ADDC_U32, s, s, tn_amd_int(rnd(5)));
      if (odd == 7) {
        const tn_amd_operand picked = tn_amd_new_s(l, 1);
        tn_amd_do3(l, TN_AMD_S_CSELECT_B32, picked, tn_amd_int(7), tn_amd_int(5));
        tn_amd_do3(l, TN_AMD_V_ADD_NC_U32, b->sum[0], picked, b->sum[0]);
      }
      tn_amd_do3(l, TN_AMD_V_LSHLREV_B32, address, tn_amd_int(2), b->at[1]);
      tn_amd_do3(l, TN_AMD_V_ADD_NC_U32, address, s, address);
    } else tn_amd_copy(l, address, b->at[2]);
    tn_amd_line *const line = tn_amd_do3(l, wide ? TN_AMD_GLOBAL_LOAD_B128 : TN_AMD_GLOBAL_LOAD_B32, x[i], address,
                                         tn_amd_s(4, 2));
    line->memory = 1 + rnd(2);
    if (kind == 3) tn_amd_do3(l, TN_AMD_V_ADD_NC_U32, b->at[2], tn_amd_int(4), b->at[2]);
  }
  for (int i = 0; i < 2 * n; i++) {
    const tn_amd_operand from = tn_amd_slice(x[rnd(n)], 0, 1), sum = b->sum[rnd(4)], y = tn_amd_new_v(l, 1);
    if (rnd(2)) tn_amd_do3(l, TN_AMD_V_FMAC_F32, sum, from, tn_amd_slice(x[rnd(n)], 0, 1));
    else { tn_amd_do4(l, TN_AMD_V_FMA_F32, y, from, from, sum); tn_amd_copy(l, sum, y); }
    if (odd == 1 && !rnd(2)) tn_amd_do3(l, TN_AMD_V_ADD_NC_U32, b->at[rnd(3)], counter, sum);
    if (odd == 2 && !rnd(2)) tn_amd_do3(l, TN_AMD_V_ADD_NC_U32, sum, counter, sum);
    if (odd == 5) tn_amd_do3(l, TN_AMD_V_ADD_NC_U32, tn_amd_slice(b->kept[rnd(3)], rnd(4), 1), counter, sum);
    if (odd == 3) tn_amd_do3(l, TN_AMD_S_ADD_U32, b->bound, b->bound, tn_amd_int(-rnd(2)));
  }
  if (odd == 4) stored(l, b->at[0], b->sum[1], 1 + rnd(3), 0);
}
static int check_pipeline(uint64_t seed) {
  tiny_ctx context, *const t = open_context(&context);
  tn_amd_list l;
  body b;
  static machine m[3];
  rng = seed;
  CHECK(tn_amd_list_open(&l, t, chip_of((int)(seed % TN_AMD_FAMILIES))));
  for (int i = 0; i < 4; i++) { b.sum[i] = tn_amd_new_v(&l, 1); tn_amd_copy(&l, b.sum[i], tn_amd_int(i)); }
  for (int i = 0; i < 3; i++) { b.at[i] = tn_amd_new_v(&l, 1); tn_amd_copy(&l, b.at[i], tn_amd_int(7 * i)); }
  for (int i = 0; i < 3; i++) b.kept[i] = tn_amd_new_v(&l, 4);
  b.bound = tn_amd_new_s(&l, 1);
  const int loops = 1 + rnd(3), nests = rnd(2);
  const loop outer = loop_begin(&l);
  for (int i = 0; i < loops; i++) {
    tn_amd_copy(&l, b.bound, tn_amd_int(1 + rnd(4)));
    const loop inner = loop_begin(&l);
    some_body(&l, &b, inner.counter);
    loop_end(&l, inner, b.bound);
    stored(&l, b.at[0], b.sum[rnd(4)], 3, 4 * i);
  }
  loop_end(&l, outer, tn_amd_int(1 + nests));
  for (int i = 0; i < 4; i++) { stored(&l, b.at[i % 3], b.sum[i], 3, 32 + 4 * i); }
  for (int i = 0; i < 3; i++) stored(&l, b.at[i], b.kept[i], 4, 16 * i);
  CHECK(l.refused == NULL);
  const int before = l.n;
  for (int pass = 0; pass < 3; pass++) {
    int *const first = (int *)calloc((size_t)l.nvreg, sizeof *first);
    for (int i = 0, at = 0; i < l.nvreg; at += l.vreg[i++].dwords) first[i] = at;
    run(&m[pass], &l, first, seed);
    free(m[pass].x); free(first);
    if (pass == 0) tn_amd_pipeline(&l);
    if (pass == 1) tn_amd_schedule(&l);
  }
  CHECK(!memcmp(m[0].memory, m[1].memory, sizeof m[0].memory));
  CHECK(!memcmp(m[0].memory, m[2].memory, sizeof m[0].memory));
  CHECK(l.refused == NULL);
  const int piped = l.n > before;
  close_context(t);
  return piped;
}

// ** pairs: lists of real registers, few of them **

static tn_amd_operand some_real(void) { return tn_amd_v(rnd(3) ? rnd(12) : rnd(200), 1); }
static tn_amd_operand any_real(void) {
  return rnd(5) ? some_real() : rnd(2) ? tn_amd_s(8 + rnd(4), 1) : tn_amd_bits(0x3F800000u + (uint32_t)rnd(3) * 77);
}
static void some_real_line(tn_amd_list *l) {
  static const int ops[] = {TN_AMD_V_ADD_F32, TN_AMD_V_SUB_F32, TN_AMD_V_SUBREV_F32, TN_AMD_V_MUL_F32, TN_AMD_V_MAX_F32,
    TN_AMD_V_MIN_F32, TN_AMD_V_ADD_NC_U32, TN_AMD_V_LSHLREV_B32, TN_AMD_V_AND_B32, TN_AMD_V_FMAC_F32,
    TN_AMD_V_MUL_DX9_ZERO_F32};
  const tn_amd_operand to = some_real(), a = some_real();
  const tn_amd_operand k = rnd(3) ? tn_amd_bits(0x40490FDB + (uint32_t)rnd(2)) : tn_amd_bits(0x3F000000);
  const int what = rnd(25);
  if (what < 11) tn_amd_do3(l, ops[what], to, any_real(), rnd(8) ? some_real() : any_real());
  else if (what < 14) tn_amd_do2(l, TN_AMD_V_MOV_B32, to, any_real());
  else if (what < 18) tn_amd_do4(l, TN_AMD_V_FMA_F32, to, any_real(), a, rnd(4) ? to : rnd(2) ? some_real() : k);
  else if (what == 18) tn_amd_do4(l, TN_AMD_V_FMA_F32, to, a, k, some_real());
  else if (what == 19) tn_amd_do4(l, TN_AMD_V_CNDMASK_B32, to, any_real(), a, tn_amd_s(rnd(3) ? TN_AMD_VCC : 9, 1));
  else if (what == 20) tn_amd_do3(l, TN_AMD_V_CMP_LT_I32, tn_amd_s(TN_AMD_VCC, 1), any_real(), a);
  else if (what == 21) tn_amd_do2(l, TN_AMD_S_MOV_B32, tn_amd_s(8 + rnd(4), 1), tn_amd_s(8 + rnd(4), 1));
  else if (what == 22) {
    const int wide = rnd(2);
    tn_amd_do3(l, wide ? TN_AMD_GLOBAL_LOAD_B64 : TN_AMD_GLOBAL_LOAD_B32, tn_amd_v(rnd(12), 1 + wide), a,
               tn_amd_s(4, 2))->memory = 1;
  }
  else if (what == 23 && !rnd(3)) tn_amd_line_new(l, TN_AMD_LINE_LABEL, -1);
  else if (!rnd(3)) tn_amd_do2(l, TN_AMD_S_MOV_B32, tn_amd_s(TN_AMD_EXEC, 1), tn_amd_int(-rnd(2)));
  else tn_amd_do3(l, TN_AMD_V_MUL_F32, to, a, any_real())->ins.o[1].neg = 1;
}
// What tn_amd_do copied into virtual registers.
static void make_real(tn_amd_line *line) {
  for (int i = 0; i < line->ins.n; i++)
    if (line->ins.o[i].reg >= TN_AMD_VIRTUAL) line->ins.o[i].reg = (uint16_t)(210 + line->ins.o[i].reg % 40);
  if (line->kind == TN_AMD_LINE_COPY) { line->kind = TN_AMD_LINE_INS; line->ins.op = TN_AMD_V_MOV_B32; }
}
static int pairs_of(const tn_amd_list *l) {
  int n = 0;
  for (int i = 0; i < l->n; i++) {
    const tn_amd_line *const line = &l->line[i];
    uint32_t words[TN_AMD_MOST_WORDS];
    if (line->kind != TN_AMD_LINE_INS || !line->ins.op_y) continue;
    CHECK(tn_amd_encode(l->family, &line->ins, words) > 0);
    CHECK(tn_amd_broken_rule(&line->ins) == NULL);
    n++;
  }
  return n;
}
static int check_pairs(uint64_t seed, int n) {
  tiny_ctx context, *const t = open_context(&context);
  tn_amd_list l;
  static machine a, b;
  rng = seed;
  CHECK(tn_amd_list_open(&l, t, chip_of((int)(seed % 2))));
  while (l.n < n) some_real_line(&l);
  CHECK(l.refused == NULL);
  for (int i = 1; i < l.n; i++) make_real(&l.line[i]);
  run(&a, &l, NULL, seed);
  tn_amd_pair_lines(&l);
  run(&b, &l, NULL, seed);
  CHECK(same(&a, &b, 0));
  const int pairs = pairs_of(&l);
  free(a.x); free(b.x);
  close_context(t);
  return pairs;
}

int main(void) {
  const int rounds = test_rounds(2000);
  for (int i = 0; i < rounds; i++) {
    const uint64_t seed = test_from(1) + (unsigned)i;
    case_seeded(seed, "TEST_ROUNDS=1 TEST_FROM=%llu");
    check_random(seed, seed % 50 ? 20 + (int)(seed % 7) * 30 : 2000);
  }
  for (int family = 0; family < TN_AMD_FAMILIES; family++) {
    check_streams(family, 8, 4, 0, 420 + 200 * (family == TN_AMD_GFX9));
    check_streams(family, 8, 4, 1, 420 + 200 * (family == TN_AMD_GFX9));
    check_streams(family, 32, 1, 1, 420 + 200 * (family == TN_AMD_GFX9));
    check_streams(family, 100, 4, 0, 6000);
  }
  check_joined();
  check_under_way();
  int pairs = 0, piped = 0;
  for (int i = 0; i < rounds; i++) {
    const uint64_t seed = test_from(1) + (unsigned)i;
    case_seeded(seed, "TEST_ROUNDS=1 TEST_FROM=%llu");
    piped += check_pipeline(seed);
  }
  case_end();
  CHECK(piped > rounds / 2 && piped < rounds);
  for (int i = 0; i < rounds; i++) {
    const uint64_t seed = test_from(1) + (unsigned)i;
    case_seeded(seed, "TEST_ROUNDS=1 TEST_FROM=%llu");
    pairs += check_pairs(seed, 60);
  }
  case_end();
  CHECK(pairs > 4 * rounds);
  return test_report();
}
