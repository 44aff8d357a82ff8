// amd_pipeline: loads of a loop's next iteration are issued in this one, between what reads those of this one.
//
// In:    a list with virtual registers. Out: the list; of an innermost loop that is one block: L: A B C, back to L,
//        where A are the loads with their addresses, C counts and compares and B is the rest, becomes
//            A, L: C, out if done, B A, back to L, out: B
//        so that amd_schedule.c has B and the next A in one block. A register is loaded anew as soon as it has been
//        read: it takes no others, and A is done as often as before, with the same numbers.
// Holds: what A and C read, only they write in the loop; B reads what A wrote last, or C; A reads what C writes as it
//        was before; SCC stays within each; no store of B may be to what A loads behind it; EXEC does not change. Else
//        the loop stays as it is. Values that do not leave A or B get registers of their own outside of the loop.
// Source: Lam, "Software pipelining: an effective scheduling technique for VLIW machines", PLDI 1988.
#ifndef TN_ISA_AMD_PIPELINE
#define TN_ISA_AMD_PIPELINE
#ifndef TINY_AMALGAMATED
#include "amd_depend.c"
#endif

enum { TN_AMD_PIPE_REST = 1, TN_AMD_PIPE_LOADS = 2, TN_AMD_PIPE_COUNTS = 4, TN_AMD_PIPE_COUNTED = 64,
  TN_AMD_PIPE_LOADED = 128, TN_AMD_PIPE_MOST = 600, TN_AMD_PIPE_DWORDS = 128, TN_AMD_PIPE_TIMES = 3 };
// Of a dword: which parts read and write it, as bits; wanted: by which part that writers are looked for, and whether it
// is loaded; carried: it is read before it is written in its part; named: how often in the loop; first, last: lines
// that write it
typedef struct tn_amd_pipe_dword { uint8_t reads, writes, wanted, carried; int named, first, last; } tn_amd_pipe_dword;
typedef struct tn_amd_pipe {
  tn_amd_graph g; tn_amd_list *l;
  tn_amd_pipe_dword *dword; uint8_t *part; int *scc;         // of lines: its part; who wrote the SCC that it reads
  int *clone;                                                // of virtual registers, -1: none
  int loop, begin, end;                                      // LOOP; lines of the block, without its branch
  tn_amd_line *out; int n, cap;
} tn_amd_pipe;

// Calls do(p, line, first dword, dwords, role) for what a line names, but SCC; 0 as soon as one says so.
typedef int (*tn_amd_pipe_do)(tn_amd_pipe *p, int line, int first, int n, int role);
static int tn_amd_pipe_each(tn_amd_pipe *p, int line, tn_amd_pipe_do what) {
  for (int role = TN_AMD_READS; role <= TN_AMD_WRITES; role++) {               // first what it reads
    for (int k = 0; k < p->g.uses[line].n; k++) {
      int n;
      const int first = tn_amd_dword_of(&p->g, &p->g.uses[line].of[k], &n);
      if (first < 0 || first == TN_AMD_DWORD_SCC || !(p->g.uses[line].of[k].role & role)) continue;
      if (!what(p, line, first, n, role)) return 0;
    }
  }
  return 1;
}

// ** the loop's block **

static int tn_amd_pipe_turned(int op) {
  switch (op) {
    case TN_AMD_S_CBRANCH_SCC0: return TN_AMD_S_CBRANCH_SCC1;
    case TN_AMD_S_CBRANCH_SCC1: return TN_AMD_S_CBRANCH_SCC0;
    case TN_AMD_S_CBRANCH_VCCZ: return TN_AMD_S_CBRANCH_VCCNZ;
    case TN_AMD_S_CBRANCH_VCCNZ: return TN_AMD_S_CBRANCH_VCCZ;
    default: return 0;
  }
}
static int tn_amd_pipe_is_block(tn_amd_pipe *p, int loop) {
  const tn_amd_list *const l = p->l;
  p->loop = loop; p->begin = p->end = loop + 2;
  if (l->line[loop].kind != TN_AMD_LINE_LOOP || loop + 1 >= l->n || l->line[loop + 1].kind != TN_AMD_LINE_LABEL)
    return 0;
  while (p->end < l->n && !p->g.trait[p->end].stands) p->end++;
  if (p->end + 1 >= l->n || p->end - p->begin > TN_AMD_PIPE_MOST) return 0;
  const tn_amd_line *const back = &l->line[p->end];
  if (l->line[loop].times && l->line[loop].times < TN_AMD_PIPE_TIMES) return 0;
  return back->kind == TN_AMD_LINE_INS && tn_amd_pipe_turned(back->ins.op) && back->label == l->line[loop + 1].label &&
      l->line[p->end + 1].kind == TN_AMD_LINE_LOOP_END;
}
static int tn_amd_scc_role(const tn_amd_uses *u) {
  int role = 0;
  for (int k = 0; k < u->n; k++)
    if (u->of[k].kind == TN_AMD_SPECIAL && u->of[k].reg == TN_AMD_SCC) role |= u->of[k].role;
  return role;
}
// Who wrote the SCC that each line reads: -2: it reads none; -1: nobody in the loop. 0: EXEC is written.
static int tn_amd_pipe_flags(tn_amd_pipe *p) {
  int last = -1;
  for (int i = p->begin; i <= p->end; i++) {
    const tn_amd_uses *const u = &p->g.uses[i];
    const int role = tn_amd_scc_role(u);
    p->part[i] = TN_AMD_PIPE_REST;
    p->scc[i] = role & TN_AMD_READS ? last : -2;
    if (role & TN_AMD_WRITES) last = i;
    for (int k = 0; k < u->n; k++)
      if (u->of[k].kind == TN_AMD_SGPR && u->of[k].role & TN_AMD_WRITES && u->of[k].reg / 2 == TN_AMD_EXEC / 2)
        return 0;
  }
  return 1;
}

// ** parts **

static int tn_amd_pipe_forget(tn_amd_pipe *p, int line, int first, int n, int role) {
  const tn_amd_pipe_dword none = {0, 0, 0, 0, 0, -1, -1};
  for (int d = first; d < first + n; d++) p->dword[d] = none;
  (void)line; (void)role;
  return 1;
}
static int tn_amd_pipe_wants(tn_amd_pipe *p, int line, int first, int n, int role) {
  for (int d = first; d < first + n && role == TN_AMD_READS; d++) p->dword[d].wanted |= p->part[line];
  return 1;
}
static void tn_amd_pipe_put(tn_amd_pipe *p, int line, int part) {
  p->part[line] = (uint8_t)part;
  tn_amd_pipe_each(p, line, tn_amd_pipe_wants);
  if (p->scc[line] >= 0 && p->part[p->scc[line]] == TN_AMD_PIPE_REST) tn_amd_pipe_put(p, p->scc[line], part);
}
// 0: it writes something that part wants.
static int tn_amd_pipe_unwanted(tn_amd_pipe *p, int line, int first, int n, int role) {
  const int part = p->part[p->end];        // of the branch: which is looked for
  for (int d = first; d < first + n && role == TN_AMD_WRITES; d++) if (p->dword[d].wanted & part) return 0;
  (void)line;
  return 1;
}
// All that writes what the part reads is of the part, too.
static void tn_amd_pipe_close(tn_amd_pipe *p, int part) {
  p->part[p->end] = (uint8_t)part;
  for (int more = 1; more;) {
    more = 0;
    for (int i = p->end - 1; i >= p->begin; i--) {
      if (p->part[i] != TN_AMD_PIPE_REST || tn_amd_pipe_each(p, i, tn_amd_pipe_unwanted)) continue;
      tn_amd_pipe_put(p, i, part);
      more = 1;
    }
  }
}
// A copy that joins what is loaded.
static int tn_amd_pipe_joins(const tn_amd_pipe *p, int line) {
  const tn_amd_ins *const ins = &p->l->line[line].ins;
  if (p->l->line[line].kind != TN_AMD_LINE_COPY || !tn_amd_is_virtual(&ins->o[1]) || !tn_amd_is_virtual(&ins->o[0]))
    return 0;
  const int first = TN_AMD_DWORD_VIRTUAL + p->g.first[ins->o[1].reg - TN_AMD_VIRTUAL] + ins->o[1].sub;
  for (int d = first; d < first + ins->o[1].dwords; d++)
    if (!(p->dword[d].wanted & TN_AMD_PIPE_LOADED) || p->g.dword[d].count != 2) return 0;
  return ins->o[0].kind == ins->o[1].kind;
}
static int tn_amd_pipe_loaded(tn_amd_pipe *p, int line, int first, int n, int role) {
  for (int d = first; d < first + n && role == TN_AMD_WRITES; d++) p->dword[d].wanted |= TN_AMD_PIPE_LOADED;
  (void)line;
  return 1;
}
// 0: there is nothing to gain.
static int tn_amd_pipe_parts(tn_amd_pipe *p) {
  int loads = 0, rest = 0;
  for (int i = p->begin; i <= p->end; i++) tn_amd_pipe_each(p, i, tn_amd_pipe_forget);
  tn_amd_pipe_put(p, p->end, TN_AMD_PIPE_COUNTS);
  tn_amd_pipe_close(p, TN_AMD_PIPE_COUNTS);
  for (int i = p->begin; i < p->end; i++) {
    tn_amd_access a;
    const int accesses = tn_amd_access_of(&p->l->line[i], &a);
    if (!accesses || a.stores) continue;
    if (p->part[i] == TN_AMD_PIPE_COUNTS) return 0;
    tn_amd_pipe_put(p, i, TN_AMD_PIPE_LOADS);
    tn_amd_pipe_each(p, i, tn_amd_pipe_loaded);
    loads++;
  }
  tn_amd_pipe_close(p, TN_AMD_PIPE_LOADS);
  for (int i = p->begin; i < p->end; i++) {
    if (p->part[i] == TN_AMD_PIPE_REST && tn_amd_pipe_joins(p, i)) p->part[i] = TN_AMD_PIPE_LOADS;
    rest += p->part[i] == TN_AMD_PIPE_REST;
  }
  p->part[p->end] = TN_AMD_PIPE_COUNTS;
  return loads && rest;
}

// ** what holds **

static int tn_amd_pipe_names(tn_amd_pipe *p, int line, int first, int n, int role) {
  const int part = p->part[line];
  for (tn_amd_pipe_dword *d = &p->dword[first]; d < &p->dword[first + n]; d++) {
    if (role == TN_AMD_READS) { d->reads |= (uint8_t)part; if (!(d->writes & part)) d->carried |= (uint8_t)part; }
    else {
      d->writes |= (uint8_t)part;
      if (part != TN_AMD_PIPE_REST && d->first < 0) d->first = line;
      if (part != TN_AMD_PIPE_REST) d->last = line;
    }
  }
  return 1;
}
static int tn_amd_pipe_holds(tn_amd_pipe *p, int line, int first, int n, int role) {
  const int part = p->part[line], others = TN_AMD_PIPE_LOADS | TN_AMD_PIPE_COUNTS;
  for (const tn_amd_pipe_dword *d = &p->dword[first]; d < &p->dword[first + n]; d++) {
    const int by = d->writes, counts = by & TN_AMD_PIPE_COUNTS;
    if (by & TN_AMD_PIPE_REST && (by | d->reads) & others) return 0;
    if (by == others) return 0;
    if (role == TN_AMD_WRITES || !(by & others)) continue;
    if (part == TN_AMD_PIPE_LOADS && counts && line >= d->first) return 0;
    if (part == TN_AMD_PIPE_REST && line <= d->last) return 0;
    if (part == TN_AMD_PIPE_COUNTS && !counts) return 0;
  }
  return 1;
}
// A load that comes behind a store of the rest comes before it then.
static int tn_amd_pipe_memory(tn_amd_pipe *p) {
  for (int i = p->begin; i < p->end; i++) {
    tn_amd_access store, load;
    if (!tn_amd_access_of(&p->l->line[i], &store) || !store.stores) continue;
    if (p->part[i] != TN_AMD_PIPE_REST) return 0;
    for (int k = i + 1; k < p->end; k++)
      if (p->part[k] == TN_AMD_PIPE_LOADS && tn_amd_access_of(&p->l->line[k], &load) &&
          !tn_amd_access_elsewhere(&store, &load)) return 0;
  }
  return 1;
}
// Of vectors, from the loads to the rest; each is marked when it is counted.
static int tn_amd_pipe_dwords(tn_amd_pipe *p) {
  int sum = 0;
  for (int i = p->begin; i < p->end; i++) {
    for (int k = 0; k < p->g.uses[i].n; k++) {
      const tn_amd_use *const u = &p->g.uses[i].of[k];
      int n;
      const int first = tn_amd_dword_of(&p->g, u, &n);
      const int counts = p->part[i] == TN_AMD_PIPE_LOADS && u->kind == TN_AMD_VGPR;
      for (int d = first; d >= 0 && d < first + n && counts && u->role & TN_AMD_WRITES; d++) {
        sum += p->dword[d].reads & TN_AMD_PIPE_REST && !(p->dword[d].wanted & TN_AMD_PIPE_COUNTED);
        p->dword[d].wanted |= TN_AMD_PIPE_COUNTED;
      }
    }
  }
  return sum;
}
static int tn_amd_pipe_count(tn_amd_pipe *p, int line, int first, int n, int role) {
  (void)line; (void)role;
  for (int d = first; d < first + n; d++) p->dword[d].named++;
  return 1;
}
static int tn_amd_pipe_may(tn_amd_pipe *p) {
  if (!tn_amd_pipe_flags(p) || !tn_amd_pipe_parts(p)) return 0;
  for (int i = p->begin; i <= p->end; i++) {
    if (p->scc[i] == -1 || (p->scc[i] >= 0 && p->part[p->scc[i]] != p->part[i])) return 0;
    tn_amd_pipe_each(p, i, tn_amd_pipe_names);
    tn_amd_pipe_each(p, i, tn_amd_pipe_count);
  }
  for (int i = p->begin; i <= p->end; i++) if (!tn_amd_pipe_each(p, i, tn_amd_pipe_holds)) return 0;
  return tn_amd_pipe_memory(p) && tn_amd_pipe_dwords(p) <= TN_AMD_PIPE_DWORDS;
}

// ** the list anew **

static tn_amd_line *tn_amd_pipe_line(tn_amd_pipe *p) {
  tn_amd_line *const all = (tn_amd_line *)tn_amd_grown_in(p->l, p->out, p->n, &p->cap, sizeof *all, 1);
  if (!all) return NULL;
  p->out = all;
  memset(&p->out[p->n], 0, sizeof *all);
  return &p->out[p->n++];
}
static void tn_amd_pipe_lines(tn_amd_pipe *p, int from, int to) {
  for (int i = from; i < to; i++) {
    tn_amd_line *const line = tn_amd_pipe_line(p);
    if (line) *line = p->l->line[i];
  }
}
static void tn_amd_pipe_branch(tn_amd_pipe *p, int op, int label) {
  tn_amd_line *const line = tn_amd_pipe_line(p);
  if (!line) return;
  line->ins.op = (uint16_t)op; line->ins.family = (uint8_t)p->l->family; line->ins.n = 1;
  line->ins.o[0] = tn_amd_imm(0);
  line->label = label;
}
// Does a register lie in a part alone, and begin anew in each iteration? Its dwords are named as often as in all lines.
static int tn_amd_pipe_is_own(const tn_amd_pipe *p, int v, int part) {
  for (int k = 0; k < p->l->vreg[v].dwords; k++) {
    const int at = TN_AMD_DWORD_VIRTUAL + p->g.first[v] + k;
    const tn_amd_pipe_dword *const d = &p->dword[at];
    if (d->named != p->g.dword[at].count || (d->reads | d->writes) & ~part || d->carried) return 0;
  }
  return p->l->vreg[v].fixed < 0;
}
static void tn_amd_pipe_rename(tn_amd_pipe *p, tn_amd_operand *o, int part) {
  if (!tn_amd_is_virtual(o)) return;
  const int v = o->reg - TN_AMD_VIRTUAL;
  if (p->clone[v] < 0 && tn_amd_pipe_is_own(p, v, part)) {
    p->clone[v] = tn_amd_vreg_new(p->l, p->l->vreg[v].kind, p->l->vreg[v].dwords);
    p->l->vreg[p->clone[v]].hint = p->l->vreg[v].hint < 0 ? p->l->vreg[v].hint : -1;
  }
  if (p->clone[v] >= 0) o->reg = (uint16_t)(TN_AMD_VIRTUAL + p->clone[v]);
}
// Lines of a part; outside: those beside the loop.
static void tn_amd_pipe_part(tn_amd_pipe *p, int part, int outside) {
  for (int i = p->begin; i < p->end; i++) {
    if (p->part[i] != part) continue;
    tn_amd_line *const line = tn_amd_pipe_line(p);
    if (!line) return;
    *line = p->l->line[i];
    for (int k = 0; k < line->ins.n && outside; k++) tn_amd_pipe_rename(p, &line->ins.o[k], part);
  }
}
static void tn_amd_pipe_loop(tn_amd_pipe *p) {
  const tn_amd_line *const line = p->l->line;
  const int out = tn_amd_label_new(p->l), again = line[p->loop + 1].label;
  tn_amd_pipe_part(p, TN_AMD_PIPE_LOADS, 1);
  tn_amd_pipe_lines(p, p->loop, p->begin);
  tn_amd_pipe_part(p, TN_AMD_PIPE_COUNTS, 0);
  tn_amd_pipe_branch(p, tn_amd_pipe_turned(line[p->end].ins.op), out);
  tn_amd_pipe_part(p, TN_AMD_PIPE_REST, 0);
  tn_amd_pipe_part(p, TN_AMD_PIPE_LOADS, 0);
  tn_amd_pipe_branch(p, TN_AMD_S_BRANCH, again);
  tn_amd_pipe_lines(p, p->end + 1, p->end + 2);
  tn_amd_line *const label = tn_amd_pipe_line(p);
  if (label) { label->kind = TN_AMD_LINE_LABEL; label->label = out; label->ins.family = (uint8_t)p->l->family; }
  tn_amd_pipe_part(p, TN_AMD_PIPE_REST, 1);
}

static int tn_amd_pipe_open(tn_amd_pipe *p, tn_amd_list *l) {
  memset(p, 0, sizeof *p);
  p->l = l;
  if (!tn_amd_graph_open(&p->g, l)) return 0;
  p->dword = (tn_amd_pipe_dword *)tn_amd_room(l, (size_t)tn_amd_graph_dwords(&p->g), sizeof *p->dword);
  p->part = (uint8_t *)tn_amd_room(l, (size_t)l->n, 1);
  p->scc = (int *)tn_amd_room(l, (size_t)l->n, sizeof *p->scc);
  p->clone = (int *)tn_amd_room(l, (size_t)l->nvreg, sizeof *p->clone);
  for (int v = 0; v < l->nvreg && p->clone; v++) p->clone[v] = -1;
  return p->dword && p->part && p->scc && p->clone;
}
static void tn_amd_pipeline(tn_amd_list *l) {
  tn_amd_pipe p;
  int done = 0, loops = 0;
  for (int i = 0; i < l->n; i++) loops += l->line[i].kind == TN_AMD_LINE_LOOP;
  if (l->refused || !loops) return;
  if (!tn_amd_pipe_open(&p, l)) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  const int n = l->n;
  p.out = tn_amd_other_lines(l, n + n / 2, &p.cap);
  for (int i = 0; i < n && p.out; i++) {
    if (!tn_amd_pipe_is_block(&p, i)) continue;
    if (tn_amd_pipe_may(&p)) {
      tn_amd_pipe_lines(&p, done, i);
      tn_amd_pipe_loop(&p);
      done = p.end + 2;
    }
    for (int k = p.begin; k <= p.end; k++) tn_amd_pipe_each(&p, k, tn_amd_pipe_forget);      // of other loops nothing
  }
  if (!done || l->refused) return;
  tn_amd_pipe_lines(&p, done, n);
  if (l->refused) return;
  tn_amd_lines_are(l, p.out, p.n, p.cap);
}
#endif
