// amd_common: what is computed twice is computed once, and constants of loops stand in front of them.
//
// In:  a list of virtual registers. Out: the same, without lines that compute again what is there.
// Holds: a line may be left out if it but computes, its operands are constants and registers that are written once, SCC
//        is not read behind it, and one like it stands in front of it on every way there, with all lanes that are on
//        now. What is skipped by a branch, a loop, and lanes that are off end what is remembered.
// Source: Aho, Lam, Sethi and Ullman, Compilers (2007), 8.5.2: local common subexpressions; 9.5: code motion.
#ifndef TN_ISA_AMD_COMMON
#define TN_ISA_AMD_COMMON
#ifndef TINY_AMALGAMATED
#include "amd_dead.c"
#endif

enum { TN_AMD_HOISTED = 24 };              // constants of a loop in front of it, of each kind of registers, at most
// What may end: a label; the end of a loop; EXEC as it was; how many lines were remembered before.
enum { TN_AMD_TO_LABEL, TN_AMD_TO_LOOP_END, TN_AMD_TO_EXEC };
typedef struct tn_amd_region { int kind, label, n; } tn_amd_region;
typedef struct tn_amd_common {
  tn_amd_list *l;
  int *writes, *alias;                     // of virtual registers: how often written; another that is the same, -1
  uint8_t *scc;                            // of lines: is SCC read behind it?
  int *bucket, *next, *known, nknown;      // lines that are remembered, by hash; known: their places in `out`
  int nbucket;
  tn_amd_region *region; int nregion, regioncap;
  tn_amd_line *out; int n, cap;
  tn_amd_line *front; int nfront, frontcap, hoisted[2], loop, depth;       // in front of the outermost loop, at `loop`
} tn_amd_common;

// ** which lines **

static int tn_amd_is_once(const tn_amd_common *c, const tn_amd_operand *o) {
  if (!tn_amd_is_register(o)) return o->kind != TN_AMD_SPECIAL;
  return o->reg >= TN_AMD_VIRTUAL && c->writes[o->reg - TN_AMD_VIRTUAL] == 1;
}
static int tn_amd_is_all_of(const tn_amd_common *c, const tn_amd_operand *o) {
  return tn_amd_is_virtual(o) && !o->sub && o->dwords == c->l->vreg[o->reg - TN_AMD_VIRTUAL].dwords &&
      c->l->vreg[o->reg - TN_AMD_VIRTUAL].fixed < 0;
}
static int tn_amd_is_common(const tn_amd_common *c, const tn_amd_line *line, int i) {
  const int unit = tn_amd_unit(line), ins = line->kind == TN_AMD_LINE_INS;
  if (!ins && line->kind != TN_AMD_LINE_COPY) return 0;
  if (unit != TN_AMD_U_SALU && unit != TN_AMD_U_VALU && unit != TN_AMD_U_TRANS) return 0;
  if (line->ins.n < 2 || !tn_amd_is_all_of(c, &line->ins.o[0]) || !tn_amd_is_once(c, &line->ins.o[0])) return 0;
  if (ins && (line->ins.lanes || tn_amd_reads_result(&line->ins) || tn_amd_reads_scc(line->ins.op) ||
              tn_amd_writes_exec(line->ins.op, line->ins.family) || tn_amd_is_named(&line->ins, "lane"))) return 0;
  if (ins && tn_amd_format(line->ins.op, line->ins.family) == TN_AMD_SOPK) return 0;
  if (ins && (line->ins.op == TN_AMD_V_DIV_FMAS_F32 || line->ins.op == TN_AMD_V_DIV_FMAS_F64)) return 0;
  if (ins && tn_amd_writes_scc(line->ins.op, line->ins.family) && c->scc[i]) return 0;
  const tn_amd_form f = tn_amd_form_of(ins ? line->ins.op : 0, line->ins.family);
  for (int k = 1; k < line->ins.n; k++) {
    if (k < f.n && tn_amd_is_result(f.operands[2 * k])) return 0;              // a second result
    if (!tn_amd_is_once(c, &line->ins.o[k])) return 0;
  }
  return 1;
}
static int tn_amd_is_same_operand(const tn_amd_operand *a, const tn_amd_operand *b) {
  return a->kind == b->kind && a->dwords == b->dwords && a->neg == b->neg && a->abs == b->abs &&
      a->op_sel == b->op_sel && a->op_sel_hi == b->op_sel_hi && a->sub == b->sub && a->reg == b->reg &&
      a->value == b->value;
}
static int tn_amd_is_same_line(const tn_amd_line *a, const tn_amd_line *b) {
  int same = a->kind == b->kind && a->ins.op == b->ins.op && a->ins.n == b->ins.n &&
      a->ins.o[0].kind == b->ins.o[0].kind && a->ins.o[0].dwords == b->ins.o[0].dwords &&
      !memcmp(a->ins.m, b->ins.m, sizeof a->ins.m);
  for (int k = 1; k < a->ins.n && same; k++) same = tn_amd_is_same_operand(&a->ins.o[k], &b->ins.o[k]);
  return same;
}
static uint32_t tn_amd_line_hash(const tn_amd_line *line) {
  uint32_t h = 2166136261u ^ line->ins.op ^ (uint32_t)line->kind << 12;
  for (int k = 0; k < line->ins.n; k++) {
    const tn_amd_operand *const o = &line->ins.o[k];
    h = (h ^ o->kind ^ (uint32_t)o->dwords << 4) * 16777619u;
    if (k) h = (h ^ o->reg ^ o->value ^ (uint32_t)o->sub << 20) * 16777619u;
  }
  return h ^ h >> 15;
}

// ** what is remembered **

static void tn_amd_forget_from(tn_amd_common *c, int n) {
  while (c->nknown > n) {
    const int at = c->known[--c->nknown];
    if (at < 0) continue;
    int *p = &c->bucket[tn_amd_line_hash(&c->out[at]) & (uint32_t)(c->nbucket - 1)];
    while (*p != at + 1 && *p) p = &c->next[*p - 1];
    if (*p) *p = c->next[at];
  }
}
static void tn_amd_region_begin(tn_amd_common *c, int kind, int label) {
  tn_amd_region *const all = (tn_amd_region *)tn_amd_grown(c->l, c->region, c->nregion, &c->regioncap, sizeof *all);
  if (!all) return;
  c->region = all;
  const tn_amd_region r = {kind, label, c->nknown};
  c->region[c->nregion++] = r;
}
// All regions from the last one of this kind on end.
static void tn_amd_region_end(tn_amd_common *c, int kind, int label) {
  int at = c->nregion - 1;
  while (at >= 0 && (c->region[at].kind != kind || c->region[at].label != label)) at--;
  if (at < 0) { if (kind == TN_AMD_TO_EXEC) tn_amd_forget_from(c, 0); return; }
  tn_amd_forget_from(c, c->region[at].n);
  c->nregion = at;
}
// EXEC is narrowed, or what it was before.
static void tn_amd_region_exec(tn_amd_common *c, const tn_amd_line *line) {
  const int op = line->ins.op;
  if (op == TN_AMD_S_MOV_B32 || op == TN_AMD_S_MOV_B64) tn_amd_region_end(c, TN_AMD_TO_EXEC, -1);
  else tn_amd_region_begin(c, TN_AMD_TO_EXEC, -1);
}

// ** the list **

static void tn_amd_rename_known(const tn_amd_common *c, tn_amd_line *line) {
  for (int k = 0; k < line->ins.n; k++) {
    tn_amd_operand *const o = &line->ins.o[k];
    if (tn_amd_is_virtual(o) && c->alias[o->reg - TN_AMD_VIRTUAL] >= 0)
      o->reg = (uint16_t)(TN_AMD_VIRTUAL + c->alias[o->reg - TN_AMD_VIRTUAL]);
  }
}
// A constant of a loop goes in front of the outermost one.
static int tn_amd_hoists(tn_amd_common *c, const tn_amd_line *line) {
  const int scalar = line->ins.o[0].kind == TN_AMD_SGPR;
  if (!c->depth || line->kind != TN_AMD_LINE_COPY || !tn_amd_is_constant(&line->ins.o[1])) return 0;
  if (c->hoisted[scalar] == TN_AMD_HOISTED) return 0;
  tn_amd_line *const all = (tn_amd_line *)tn_amd_grown(c->l, c->front, c->nfront, &c->frontcap, sizeof *all);
  if (!all) return 0;
  c->hoisted[scalar]++;
  c->front = all;
  c->front[c->nfront++] = *line;
  return 1;
}
static int tn_amd_is_known(tn_amd_common *c, const tn_amd_line *line) {        // a register; -1
  for (int k = 0; k < c->nfront; k++)
    if (tn_amd_is_same_line(&c->front[k], line)) return c->front[k].ins.o[0].reg - TN_AMD_VIRTUAL;
  for (int at = c->bucket[tn_amd_line_hash(line) & (uint32_t)(c->nbucket - 1)]; at; at = c->next[at - 1])
    if (tn_amd_is_same_line(&c->out[at - 1], line)) return c->out[at - 1].ins.o[0].reg - TN_AMD_VIRTUAL;
  return -1;
}
static void tn_amd_remember(tn_amd_common *c, int at) {
  int *const bucket = &c->bucket[tn_amd_line_hash(&c->out[at]) & (uint32_t)(c->nbucket - 1)];
  c->next[at] = *bucket;
  *bucket = at + 1;
  c->known[c->nknown++] = at;
}
static void tn_amd_loop_begins(tn_amd_common *c) {
  if (!c->depth++) { c->loop = c->n; c->nfront = c->hoisted[0] = c->hoisted[1] = 0; }
  tn_amd_region_begin(c, TN_AMD_TO_LOOP_END, c->depth);
}
// What goes in front of the loop is moved there.
static void tn_amd_loop_ends(tn_amd_common *c) {
  tn_amd_region_end(c, TN_AMD_TO_LOOP_END, c->depth);
  if (--c->depth || !c->nfront) return;
  memmove(c->out + c->loop + c->nfront, c->out + c->loop, (size_t)(c->n - c->loop) * sizeof *c->out);
  memcpy(c->out + c->loop, c->front, (size_t)c->nfront * sizeof *c->out);
  c->n += c->nfront;
  c->nfront = 0;
}
static void tn_amd_common_line(tn_amd_common *c, int i) {
  tn_amd_line line = c->l->line[i];
  tn_amd_rename_known(c, &line);
  if (line.kind == TN_AMD_LINE_LABEL) tn_amd_region_end(c, TN_AMD_TO_LABEL, line.label);
  if (line.kind == TN_AMD_LINE_LOOP) tn_amd_loop_begins(c);
  if (tn_amd_is_common(c, &line, i)) {
    const int known = tn_amd_is_known(c, &line);
    if (known >= 0) { c->alias[line.ins.o[0].reg - TN_AMD_VIRTUAL] = known; return; }
    if (tn_amd_hoists(c, &line)) return;
    c->out[c->n] = line;
    tn_amd_remember(c, c->n++);
    return;
  }
  c->out[c->n++] = line;
  if (line.kind == TN_AMD_LINE_LOOP_END) tn_amd_loop_ends(c);
  if (line.kind != TN_AMD_LINE_INS) return;
  if (tn_amd_is_branch(line.ins.op) && line.label >= 0) tn_amd_region_begin(c, TN_AMD_TO_LABEL, line.label);
  const tn_amd_operand *const to = &line.ins.o[0];
  const int moves = to->kind == TN_AMD_SGPR && to->reg == TN_AMD_EXEC &&
      tn_amd_format(line.ins.op, line.ins.family) < TN_AMD_SOPC;
  if (moves || tn_amd_writes_exec(line.ins.op, line.ins.family)) tn_amd_region_exec(c, &line);
}
static int tn_amd_common_open(tn_amd_common *c, tn_amd_list *l) {
  tn_amd_uses u;
  memset(c, 0, sizeof *c);
  c->l = l;
  c->nbucket = 64;
  while (c->nbucket < l->n) c->nbucket *= 2;
  const size_t n = (size_t)l->n + 1;
  c->writes = (int *)tn_amd_room(l, 2 * (size_t)l->nvreg + 2, sizeof(int));
  c->bucket = (int *)tn_amd_room(l, (size_t)c->nbucket + 2 * n, sizeof(int));
  c->scc = (uint8_t *)tn_amd_room(l, n, 1);
  c->out = tn_amd_other_lines(l, l->n + 1, &c->cap);
  if (!c->writes || !c->bucket || !c->scc || !c->out) return 0;
  c->alias = c->writes + l->nvreg + 1; c->next = c->bucket + c->nbucket; c->known = c->next + n;
  for (int i = 0; i < l->nvreg; i++) c->alias[i] = -1;
  for (int i = l->n - 1, scc = 0; i >= 0; i--) {
    tn_amd_uses_of(&l->line[i], &u);
    c->scc[i] = (uint8_t)scc;
    for (int k = 0; k < u.n; k++) {
      if (u.of[k].role & TN_AMD_WRITES && u.of[k].reg >= TN_AMD_VIRTUAL) c->writes[u.of[k].reg - TN_AMD_VIRTUAL]++;
      if (u.of[k].kind == TN_AMD_SPECIAL && u.of[k].reg == TN_AMD_SCC) scc = u.of[k].role == TN_AMD_READS;
    }
    for (int k = 0; k < u.n; k++)
      if (u.of[k].kind == TN_AMD_SPECIAL && u.of[k].reg == TN_AMD_SCC && u.of[k].role & TN_AMD_READS) scc = 1;
  }
  return 1;
}
static void tn_amd_remove_common(tn_amd_list *l) {
  tn_amd_common c;
  if (!tn_amd_common_open(&c, l)) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  for (int i = 0; i < l->n && !l->refused; i++) tn_amd_common_line(&c, i);
  tn_amd_lines_are(l, c.out, c.n, c.cap);
}
#endif
