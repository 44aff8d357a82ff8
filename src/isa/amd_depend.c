// amd_depend: what must stay in front of what among the lines of a basic block, and for how many cycles.
//
// In:    a list and a block of it: lines that tn_amd_stands is not true of. Out: edges from lines to later ones.
// Holds: - registers are counted in dwords, one number each; virtual ones that have a place are that place.
//        - SCC that nobody reads may be written in any order, but not between a writer and its readers.
//        - loads pass loads; others of one memory stay in order, unless one address and two offsets lie apart.
//        - a copy of what is made in the block into a register that nobody names between comes for nothing where
//          amd_registers.c joins the two: what makes it is taken to write that register, too, so that nobody will.
// Source: cycles: LLVM, SISchedule.td, GFX11SpeedModel; AMD, matrix instruction calculator. gfx942's, in fours, come to
//         the same.
#ifndef TN_ISA_AMD_DEPEND
#define TN_ISA_AMD_DEPEND
#ifndef TINY_AMALGAMATED
#include "amd_uses.c"
#endif

// ** cycles **

enum { TN_AMD_SALU_CYCLES = 2, TN_AMD_VALU_CYCLES = 5, TN_AMD_TRANS_CYCLES = 10, TN_AMD_LDS_CYCLES = 20,
  TN_AMD_SMEM_CYCLES = 20, TN_AMD_VMEM_CYCLES = 320 };

static int tn_amd_has_word(const char *text, size_t n, const char *word) {
  const size_t k = strlen(word);
  for (size_t i = 0; i + k <= n; i++) if (text[i] == *word && !memcmp(text + i, word, k)) return 1;
  return 0;
}
static int tn_amd_matrix_cycles(const tn_amd_ins *ins) {
  size_t n;
  const char *const name = tn_amd_name(ins->op, ins->family, &n);
  const int wide = !tn_amd_has_word(name, n, "16x16_iu4"), whole = !tn_amd_has_word(name, n, "p8_") &&
      !tn_amd_has_word(name, n, "bf8_") && !tn_amd_has_word(name, n, "x32_iu4");
  if (ins->family == TN_AMD_GFX11) return wide ? 32 : 16;
  if (ins->family == TN_AMD_GFX12) return wide && whole ? 16 : 8;
  const int slow = tn_amd_has_word(name, n, "x4_f32") || tn_amd_has_word(name, n, "x2_f32") ||
      tn_amd_has_word(name, n, "f64");
  return (ins->o[0].dwords >= 16 ? 32 : 16) << slow;
}
// From a line of a unit to those that read what it writes.
static int tn_amd_unit_cycles(int unit, const tn_amd_ins *ins) {
  switch (unit) {
    case TN_AMD_U_SALU: return TN_AMD_SALU_CYCLES;
    case TN_AMD_U_SMEM: return TN_AMD_SMEM_CYCLES;
    case TN_AMD_U_TRANS: return TN_AMD_TRANS_CYCLES;
    case TN_AMD_U_MATRIX: return tn_amd_matrix_cycles(ins);
    case TN_AMD_U_LDS: return TN_AMD_LDS_CYCLES;
    case TN_AMD_U_VMEM: return TN_AMD_VMEM_CYCLES;
    default: return TN_AMD_VALU_CYCLES;
  }
}
// To the next line: a SIMD has 32 lanes, of gfx942 16; transcendentals take four times as long.
static int tn_amd_unit_issue(int unit, int family) {
  const int passes = family == TN_AMD_GFX9 ? 4 : 1;
  return unit == TN_AMD_U_VALU ? passes : unit == TN_AMD_U_TRANS ? 4 * passes : 1;
}
// What need not be asked for again and again.
typedef struct tn_amd_trait { uint8_t unit, stands, issue; uint16_t cycles; } tn_amd_trait;
static void tn_amd_trait_of(const tn_amd_line *line, tn_amd_trait *t) {
  const int unit = tn_amd_unit(line);
  t->unit = (uint8_t)unit;
  t->stands = (uint8_t)tn_amd_stands(line);
  t->issue = (uint8_t)tn_amd_unit_issue(unit, line->ins.family);
  t->cycles = (uint16_t)tn_amd_unit_cycles(unit, &line->ins);
}

// ** memory **

enum { TN_AMD_IN_ANY, TN_AMD_IN_LDS, TN_AMD_IN_SCRATCH, TN_AMD_IN_GLOBAL };
// at: which n operands say the address; low, end: bytes behind it, both 0: not known
typedef struct tn_amd_access { int line, space, memory, stores, low, end; uint8_t n, at[4]; } tn_amd_access;

// 0: the line accesses no memory.
static int tn_amd_access_of(const tn_amd_line *line, tn_amd_access *a) {
  const int unit = tn_amd_unit(line), format = tn_amd_format(line->ins.op, line->ins.family);
  size_t n;
  memset(a, 0, sizeof *a);
  if (unit != TN_AMD_U_LDS && unit != TN_AMD_U_VMEM && unit != TN_AMD_U_SMEM) return 0;
  const char *const name = tn_amd_name(line->ins.op, line->ins.family, &n);
  if (tn_amd_has_word(name, n, "permute") || tn_amd_has_word(name, n, "swizzle")) return 0;
  if (tn_amd_has_word(name, n, "prefetch")) return 0;
  const int lds = tn_amd_has_word(name, n, "_load_lds"), loads = tn_amd_has_word(name, n, "load_") ||
      tn_amd_has_word(name, n, "_read");
  a->space = lds || format == TN_AMD_FLAT ? TN_AMD_IN_ANY : unit == TN_AMD_U_LDS ? TN_AMD_IN_LDS
           : format == TN_AMD_SCRATCH ? TN_AMD_IN_SCRATCH : TN_AMD_IN_GLOBAL;
  a->memory = lds ? 0 : line->memory;
  a->stores = lds || !loads;
  return 1;
}
// Bytes behind an address in registers: of a work item's own; what others write is another's.
static void tn_amd_access_place(const tn_amd_line *line, tn_amd_access *a) {
  const tn_amd_form f = tn_amd_form_of(line->ins.op, line->ins.family);
  int dwords = 0, known = a->space == TN_AMD_IN_GLOBAL || a->space == TN_AMD_IN_SCRATCH;
  for (int i = 0; i < f.n && i < line->ins.n && known; i++) {
    const char where = f.operands[2 * i];
    if (strchr("asRo", where) && a->n < 4) a->at[a->n++] = (uint8_t)i;
    else if (where == 'd' || where == 'b') dwords = line->ins.o[i].dwords;
    else known = 0;                        // of a form that is not looked into
  }
  if (!known || !dwords) return;
  a->low = line->ins.m[TN_AMD_OFFSET];
  a->end = a->low + 4 * dwords;
}
static int tn_amd_same_address(const tn_amd_ins *x, const tn_amd_access *a, const tn_amd_ins *y,
                               const tn_amd_access *b) {
  for (int i = 0; i < a->n; i++) {
    const tn_amd_operand *const p = &x->o[a->at[i]], *const q = &y->o[b->at[i]];
    if (p->kind != q->kind || p->reg != q->reg || p->sub != q->sub || p->dwords != q->dwords || p->value != q->value)
      return 0;
  }
  return a->n == b->n && tn_amd_format(x->op, x->family) == tn_amd_format(y->op, y->family);
}
static int tn_amd_access_elsewhere(const tn_amd_access *a, const tn_amd_access *b) {
  if (a->space != b->space && a->space != TN_AMD_IN_ANY && b->space != TN_AMD_IN_ANY) return 1;
  return a->memory && b->memory && a->memory != b->memory;
}
// Registers of an address that were written between keep the two in order anyway.
static int tn_amd_access_apart(const tn_amd_line *lines, const tn_amd_access *a, const tn_amd_access *b) {
  const tn_amd_ins *const x = &lines[a->line].ins, *const y = &lines[b->line].ins;
  if (tn_amd_access_elsewhere(a, b)) return 1;
  if (a->low == a->end || b->low == b->end || !tn_amd_same_address(x, a, y, b)) return 0;
  return a->end <= b->low || b->end <= a->low;
}

// ** the graph **

enum { TN_AMD_DWORD_AGPR = 256, TN_AMD_DWORD_SGPR = 512, TN_AMD_DWORD_SCC = 640, TN_AMD_DWORD_VIRTUAL = 641 };
enum { TN_AMD_MOST_ACCESSES = 128 };       // that one is compared with; beyond, what came before comes before

typedef struct tn_amd_edge { int to, next, cycles; } tn_amd_edge;
// edge: its first, -1: none; preds: edges to it, left: of lines that are not issued yet; earliest: as blocks before let
// it, soon: as lines that are issued do, too; cycles: until what it writes is there; joins: it comes for nothing
typedef struct tn_amd_node {
  int edge, preds, left, height, earliest, soon, cycles, stamp; uint8_t joins, done;
} tn_amd_node;
// Of a dword: the line that wrote it last, the readers since, the line that named it last; how many name it in all; the
// cycle from which it is there, if blocks before this one wrote it.
typedef struct tn_amd_dword { int writer, reader, named, count, there; } tn_amd_dword;
typedef struct tn_amd_reader { int line, next; } tn_amd_reader;
typedef struct tn_amd_graph {
  tn_amd_list *l; tn_amd_uses *uses; tn_amd_node *node; tn_amd_trait *trait;    // of all lines
  int *first; tn_amd_dword *dword;                           // of virtual registers: their first dword's number
  tn_amd_edge *edge; int nedges, edgecap;
  tn_amd_reader *reader; int nreaders, readercap;
  int begin, end, now;                     // now: the cycle in which the block begins
  tn_amd_access stores[TN_AMD_MOST_ACCESSES], loads[TN_AMD_MOST_ACCESSES]; int nstores, nloads, fence;
  int *dead, ndead, scc, scc_read;         // SCC: writers that nobody reads, since its writer; its readers
  int *joined;                             // of a line: the copy that joins it, -1: none
  int *chain;                              // of a copy: the next one that joins the same line
} tn_amd_graph;

static void tn_amd_edge_add(tn_amd_graph *g, int from, int to, int cycles) {
  tn_amd_node *const n = &g->node[from];
  if (from < g->begin || from == to) return;
  if (n->stamp == to && n->edge >= 0 && g->edge[n->edge].to == to) {
    if (g->edge[n->edge].cycles < cycles) g->edge[n->edge].cycles = cycles;
    return;
  }
  tn_amd_edge *const all = (tn_amd_edge *)tn_amd_grown(g->l, g->edge, g->nedges, &g->edgecap, sizeof *all);
  if (!all) return;
  g->edge = all;
  const tn_amd_edge e = {to, n->edge, cycles};
  g->edge[g->nedges] = e;
  n->edge = g->nedges++;
  n->stamp = to;
  g->node[to].preds++;
}

// The first dword's number, and how many; -1: nobody waits for it.
static int tn_amd_dword_of(const tn_amd_graph *g, const tn_amd_use *u, int *n) {
  int kind = u->kind, reg = u->reg + (u->reg < TN_AMD_VIRTUAL ? u->sub : 0);
  *n = u->dwords ? u->dwords : 1;
  if (kind == TN_AMD_SPECIAL) {
    if (u->reg == TN_AMD_SCC) return TN_AMD_DWORD_SCC;
    if (u->reg != TN_AMD_VCCZ && u->reg != TN_AMD_EXECZ) return -1;
    kind = TN_AMD_SGPR; reg = u->reg == TN_AMD_VCCZ ? TN_AMD_VCC : TN_AMD_EXEC; *n = 2;
  }
  if (u->reg >= TN_AMD_VIRTUAL && kind != TN_AMD_SPECIAL) {
    const int v = u->reg - TN_AMD_VIRTUAL, fixed = g->l->vreg[v].fixed;
    if (fixed < 0) return TN_AMD_DWORD_VIRTUAL + g->first[v] + u->sub;
    reg = fixed + u->sub;
  }
  if (kind == TN_AMD_SGPR && reg == TN_AMD_NULL) return -1;
  return reg + (kind == TN_AMD_SGPR ? TN_AMD_DWORD_SGPR : kind == TN_AMD_AGPR ? TN_AMD_DWORD_AGPR : 0);
}
static void tn_amd_reader_add(tn_amd_graph *g, int *head, int line) {
  tn_amd_reader *const all = (tn_amd_reader *)tn_amd_grown(g->l, g->reader, g->nreaders, &g->readercap, sizeof *all);
  if (!all) return;
  g->reader = all;
  const tn_amd_reader r = {line, *head};
  g->reader[g->nreaders] = r;
  *head = g->nreaders++;
}
static void tn_amd_depend_reads(tn_amd_graph *g, int line, int first, int n) {
  for (tn_amd_dword *d = &g->dword[first]; d < &g->dword[first + n]; d++) {
    const int joins = g->node[line].joins, late = d->there - g->now;
    if (d->writer >= g->begin) tn_amd_edge_add(g, d->writer, line, joins ? 1 : g->node[d->writer].cycles);
    else if (late > g->node[line].earliest) g->node[line].earliest = late;
    tn_amd_reader_add(g, &d->reader, line);
  }
}
static void tn_amd_depend_writes(tn_amd_graph *g, int line, int first, int n) {
  for (tn_amd_dword *d = &g->dword[first]; d < &g->dword[first + n]; d++) {
    for (int r = d->reader; r >= 0; r = g->reader[r].next) tn_amd_edge_add(g, g->reader[r].line, line, 0);
    if (d->writer >= g->begin) tn_amd_edge_add(g, d->writer, line, 1);
    d->writer = line;
    d->reader = -1;
  }
}

// ** SCC **

// Does anyone read what the line writes there? The last of a block is read by whoever comes behind it.
static int tn_amd_scc_is_read(const tn_amd_graph *g, int line) {
  for (int i = line + 1; i < g->end; i++) {
    int writes = 0;
    for (int k = 0; k < g->uses[i].n; k++) {
      const tn_amd_use *const u = &g->uses[i].of[k];
      if (u->kind != TN_AMD_SPECIAL || u->reg != TN_AMD_SCC) continue;
      if (u->role & TN_AMD_READS) return 1;
      writes = 1;
    }
    if (writes) return 0;
  }
  return 1;
}
static void tn_amd_depend_scc(tn_amd_graph *g, int line, int role) {
  if (role & TN_AMD_READS) {
    if (g->scc >= 0) tn_amd_edge_add(g, g->scc, line, g->node[g->scc].cycles);
    tn_amd_reader_add(g, &g->scc_read, line);
  }
  if (!(role & TN_AMD_WRITES)) return;
  for (int r = g->scc_read; r >= 0; r = g->reader[r].next) tn_amd_edge_add(g, g->reader[r].line, line, 0);
  if (g->scc >= 0) tn_amd_edge_add(g, g->scc, line, 0);
  if (!tn_amd_scc_is_read(g, line)) { g->dead[g->ndead++] = line; return; }
  for (int i = 0; i < g->ndead; i++) tn_amd_edge_add(g, g->dead[i], line, 0);
  g->ndead = 0;
  g->scc = line;
  g->scc_read = -1;
}

// ** accesses **

static void tn_amd_depend_on(tn_amd_graph *g, const tn_amd_access *a, const tn_amd_access *of, int n) {
  for (int i = 0; i < n; i++)
    if (!tn_amd_access_apart(g->l->line, &of[i], a)) tn_amd_edge_add(g, of[i].line, a->line, of[i].stores);
}
// All that came before stays before it, and it before all that comes.
static void tn_amd_depend_fence(tn_amd_graph *g, int line) {
  for (int i = 0; i < g->nstores; i++) tn_amd_edge_add(g, g->stores[i].line, line, 1);
  for (int i = 0; i < g->nloads; i++) tn_amd_edge_add(g, g->loads[i].line, line, 0);
  g->nstores = g->nloads = 0;
  g->fence = line;
}
static void tn_amd_depend_memory(tn_amd_graph *g, int line) {
  tn_amd_access a;
  if (!tn_amd_access_of(&g->l->line[line], &a)) return;
  a.line = line;
  tn_amd_access_place(&g->l->line[line], &a);
  if (g->fence >= 0) tn_amd_edge_add(g, g->fence, line, 1);
  tn_amd_depend_on(g, &a, g->stores, g->nstores);
  if (a.stores) tn_amd_depend_on(g, &a, g->loads, g->nloads);
  if ((a.stores ? g->nstores : g->nloads) == TN_AMD_MOST_ACCESSES) tn_amd_depend_fence(g, line);
  if (a.stores) g->stores[g->nstores++] = a;
  else g->loads[g->nloads++] = a;
}

// ** copies that come for nothing **

// What makes all that a copy copies; -1: it is not one line of the block, or the copy's register is named since.
static int tn_amd_joins(const tn_amd_graph *g, int copy) {
  const tn_amd_uses *const u = &g->uses[copy];
  int n, line = -1;
  if (g->l->line[copy].kind != TN_AMD_LINE_COPY || u->n < 2 || u->of[0].kind != u->of[1].kind) return -1;
  if (u->of[0].reg < TN_AMD_VIRTUAL || u->of[1].reg < TN_AMD_VIRTUAL) return -1;
  const int to = tn_amd_dword_of(g, &u->of[0], &n), from = tn_amd_dword_of(g, &u->of[1], &n);
  for (int i = 0; i < n; i++) {
    const tn_amd_dword *const t = &g->dword[from + i];
    if (t->writer < g->begin || (i && t->writer != line)) return -1;
    line = t->writer;
    if (g->dword[to + i].named > line || g->dword[to + i].writer == line) return -1;
    if (g->trait[line].cycles >= TN_AMD_LDS_CYCLES && t->count > 2) return -1;     // else all wait here
  }
  return line;
}
static void tn_amd_find_joined(tn_amd_graph *g) {
  for (int i = g->begin; i < g->end; i++) {
    const int line = tn_amd_joins(g, i);
    g->joined[i] = -1;
    if (line >= 0) {
      g->chain[i] = g->joined[line];
      g->joined[line] = i;
      g->node[i].joins = 1;
      g->node[i].cycles = g->node[line].cycles;
    }
    for (int k = 0; k < g->uses[i].n; k++) {
      const tn_amd_use *const u = &g->uses[i].of[k];
      int n;
      const int first = tn_amd_dword_of(g, u, &n);
      for (int d = first; first >= 0 && d < first + n; d++) {
        g->dword[d].named = i;
        if (u->role & TN_AMD_WRITES) g->dword[d].writer = i;
      }
    }
  }
}

// ** all **

static void tn_amd_depend_line(tn_amd_graph *g, int line) {
  const tn_amd_uses *const u = &g->uses[line];
  int n, scc = 0;
  for (int k = 0; k < u->n; k++) {
    const int first = tn_amd_dword_of(g, &u->of[k], &n);
    if (first == TN_AMD_DWORD_SCC) scc |= u->of[k].role;
    else if (first >= 0 && u->of[k].role & TN_AMD_READS) tn_amd_depend_reads(g, line, first, n);
  }
  tn_amd_depend_memory(g, line);
  if (scc) tn_amd_depend_scc(g, line, scc);
  for (int k = 0; k < u->n; k++) {
    const int first = tn_amd_dword_of(g, &u->of[k], &n);
    if (first >= 0 && first != TN_AMD_DWORD_SCC && u->of[k].role & TN_AMD_WRITES)
      tn_amd_depend_writes(g, line, first, n);
  }
  for (int copy = g->joined[line]; copy >= 0; copy = g->chain[copy]) {
    const int first = tn_amd_dword_of(g, &g->uses[copy].of[0], &n);
    tn_amd_depend_writes(g, line, first, n);
  }
}
static int tn_amd_graph_dwords(const tn_amd_graph *g) {
  const int v = g->l->nvreg;
  return TN_AMD_DWORD_VIRTUAL + (v ? g->first[v - 1] + g->l->vreg[v - 1].dwords : 0);
}
// Of the whole list. 0: there is no memory for it.
static int tn_amd_graph_open(tn_amd_graph *g, tn_amd_list *l) {
  const size_t n = (size_t)l->n;
  memset(g, 0, sizeof *g);
  g->l = l;
  g->uses = (tn_amd_uses *)tn_amd_room(l, n, sizeof *g->uses);
  g->node = (tn_amd_node *)tn_amd_room(l, n, sizeof *g->node);
  g->trait = (tn_amd_trait *)tn_amd_room(l, n, sizeof *g->trait);
  g->first = (int *)tn_amd_room(l, (size_t)l->nvreg, sizeof *g->first);
  g->dead = (int *)tn_amd_room(l, 3 * n, sizeof *g->dead);
  if (!g->uses || !g->node || !g->trait || !g->first || !g->dead) return 0;
  g->joined = g->dead + n;
  g->chain = g->joined + n;
  for (int v = 1; v < l->nvreg; v++) g->first[v] = g->first[v - 1] + l->vreg[v - 1].dwords;
  g->dword = (tn_amd_dword *)tn_amd_room(l, (size_t)tn_amd_graph_dwords(g), sizeof *g->dword);
  for (int i = 0; i < l->n && g->dword; i++) {
    tn_amd_uses_of(&l->line[i], &g->uses[i]);
    tn_amd_trait_of(&l->line[i], &g->trait[i]);
    for (int k = 0; k < g->uses[i].n; k++) {
      int many;
      const int first = tn_amd_dword_of(g, &g->uses[i].of[k], &many);
      for (int d = first; first >= 0 && d < first + many; d++) g->dword[d].count++;
    }
  }
  return g->dword != NULL;
}
// What was said of another block is forgotten: lines of others are in front of begin, and readers go with their dwords.
static void tn_amd_graph_forget(tn_amd_graph *g) {
  for (int i = g->begin; i < g->end; i++) {
    for (int k = 0; k < g->uses[i].n; k++) {
      int n;
      const int first = tn_amd_dword_of(g, &g->uses[i].of[k], &n);
      for (int d = first; first >= 0 && d < first + n; d++) {
        g->dword[d].reader = g->dword[d].writer = g->dword[d].named = -1;
      }
    }
  }
}
static void tn_amd_graph_of(tn_amd_graph *g, int begin, int end) {
  g->begin = begin; g->end = end;
  g->nedges = g->nreaders = g->nstores = g->nloads = g->ndead = 0;
  g->fence = g->scc = g->scc_read = -1;
  tn_amd_graph_forget(g);
  for (int i = begin; i < end; i++) {
    memset(&g->node[i], 0, sizeof g->node[i]);
    g->node[i].edge = g->node[i].stamp = -1;
    g->node[i].cycles = g->trait[i].cycles;
  }
  tn_amd_find_joined(g);
  tn_amd_graph_forget(g);
  for (int i = begin; i < end; i++) tn_amd_depend_line(g, i);
}
// Until what it loads is there; stores are done when they are issued.
static int tn_amd_load_cycles(const tn_amd_graph *g, int line) {
  for (int k = 0; k < g->uses[line].n; k++) if (g->uses[line].of[k].role & TN_AMD_WRITES) return g->node[line].cycles;
  return 1;
}
// The longest way from a line to the end of its block, in cycles. What is loaded for others is waited for there.
static void tn_amd_graph_heights(tn_amd_graph *g) {
  for (int i = g->end - 1; i >= g->begin; i--) {
    tn_amd_node *const n = &g->node[i];
    const int unit = g->trait[i].unit;
    n->height = unit == TN_AMD_U_SMEM || unit >= TN_AMD_U_LDS ? tn_amd_load_cycles(g, i) : 1;
    for (int e = n->edge; e >= 0; e = g->edge[e].next) {
      const int way = g->edge[e].cycles + g->node[g->edge[e].to].height;
      if (way > n->height) n->height = way;
    }
  }
}
#endif
