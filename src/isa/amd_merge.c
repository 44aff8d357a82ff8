// amd_merge: accesses of places beside each other become one; two of LDS that lie apart, one of two offsets.
//
// In:  a list with virtual registers. Out: the same, with fewer accesses; what is loaded is part of a tuple.
// Holds: of a basic block, by one operation, one address and of one memory; where the first stands for loads, where the
//        last does for stores, and nothing between writes what they name, or may access what stores do. LDS: 8 and 16
//        bytes are as aligned as large. What is loaded is a register of its own, written once, and not copied in a
//        tuple, where it has a place already.
// Source: AMD's ISA guides (amd.c), "LDS Instruction Details", offsets of accesses of two addresses.
#ifndef TN_ISA_AMD_MERGE
#define TN_ISA_AMD_MERGE
#ifndef TINY_AMALGAMATED
#include "amd_dead.c"
#include "amd_loads.c"
#include "amd_depend.c"
#endif

enum { TN_AMD_MERGE_LINES = 400, TN_AMD_MERGE_MOST = 64 };   // how far lines are looked at; of one address
typedef struct tn_amd_merge {
  tn_amd_list *l; int nvreg; uint8_t *once, *gone;           // of registers: 2: copied to part of one; of lines
  int *into, *at;                                            // of registers: the tuple, -1, and its dword
  int line[TN_AMD_MERGE_MOST], n;                            // accesses of one address, by offsets
} tn_amd_merge;

// ** which lines **

static int tn_amd_merge_offset(const tn_amd_merge *m, int k) { return m->l->line[m->line[k]].ins.m[TN_AMD_OFFSET]; }
static int tn_amd_merge_is_lds(const tn_amd_line *line) {
  return tn_amd_format(line->ins.op, line->ins.family) == TN_AMD_DS;
}
// Which operand the data is, for loads and stores that are merged; -1: it is none of them.
static int tn_amd_merge_data(const tn_amd_line *line) {
  const int op = line->ins.op;
  if (line->kind != TN_AMD_LINE_INS || tn_amd_unit(line) < TN_AMD_U_LDS || tn_amd_unit(line) > TN_AMD_U_VMEM) return -1;
  if (op == TN_AMD_DS_STORE_B32 || op == TN_AMD_DS_STORE_B64) return 1;
  for (size_t i = 4; i < sizeof tn_amd_loads / sizeof *tn_amd_loads; i++)      // of dwords
    if (op == tn_amd_loads[i].buffer || op == tn_amd_loads[i].global || op == tn_amd_loads[i].lds) return 0;
  return -1;
}
static int tn_amd_merge_may(const tn_amd_merge *m, int i) {
  const tn_amd_line *const line = &m->l->line[i];
  const int data = tn_amd_merge_data(line);
  if (m->gone[i] || data < 0 || !line->memory || line->ins.o[data].dwords > 2) return 0;
  for (int k = 0; k < line->ins.n; k++) {                    // so nothing between writes it
    const tn_amd_operand *const o = &line->ins.o[k];
    if (!tn_amd_is_register(o) || (o->kind == TN_AMD_SGPR && o->reg == TN_AMD_NULL)) continue;
    const int v = o->reg - TN_AMD_VIRTUAL;
    if (v < 0 || v >= m->nvreg || !m->once[v]) return 0;
  }
  if (data) return 1;
  const tn_amd_operand *const to = &line->ins.o[0];
  const tn_amd_vreg *const v = &m->l->vreg[to->reg - TN_AMD_VIRTUAL];
  return m->once[to->reg - TN_AMD_VIRTUAL] == 1 && !to->sub && to->dwords == v->dwords && v->fixed < 0;
}
static int tn_amd_merge_is_like(const tn_amd_line *a, const tn_amd_line *b) {
  const int data = tn_amd_merge_data(a), lds = tn_amd_merge_is_lds(a);
  int same = data == tn_amd_merge_data(b) && a->memory == b->memory && a->ins.n == b->ins.n &&
      tn_amd_format(a->ins.op, a->ins.family) == tn_amd_format(b->ins.op, b->ins.family) &&
      (!data || a->ins.op == b->ins.op) && (!lds || a->ins.o[data].dwords == b->ins.o[data].dwords);
  for (int k = 0; k < a->ins.n && same; k++) {
    const tn_amd_operand *const p = &a->ins.o[k], *const q = &b->ins.o[k];
    same = k == data || (p->kind == q->kind && p->reg == q->reg && p->sub == q->sub && p->value == q->value);
  }
  for (int k = 0; k < TN_AMD_MODIFIERS && same; k++) same = k == TN_AMD_OFFSET || a->ins.m[k] == b->ins.m[k];
  return same;
}
// May what an access does be done on the other side of the line? EXEC is what it was.
static int tn_amd_merge_passes(const tn_amd_line *line, const tn_amd_line *by, int stores) {
  tn_amd_access a, b;
  tn_amd_uses u;
  if (tn_amd_stands(line)) return 0;
  tn_amd_uses_of(line, &u);
  for (int k = 0; k < u.n; k++)
    if (u.of[k].kind == TN_AMD_SGPR && u.of[k].reg / 2 == TN_AMD_EXEC / 2 && u.of[k].role & TN_AMD_WRITES) return 0;
  if (!tn_amd_access_of(line, &a) || !tn_amd_access_of(by, &b)) return 1;
  return (!a.stores && !stores) || tn_amd_access_elsewhere(&a, &b);
}
// Those like a line behind it, as far as they can be done together, by offsets.
static void tn_amd_merge_find(tn_amd_merge *m, int first) {
  const tn_amd_line *const line = m->l->line, *const by = &line[first];
  const int stores = tn_amd_merge_data(by) != 0;
  m->line[0] = first; m->n = 1;
  for (int i = first + 1; i < m->l->n && i < first + TN_AMD_MERGE_LINES && m->n < TN_AMD_MERGE_MOST; i++) {
    if (tn_amd_merge_may(m, i) && tn_amd_merge_is_like(by, &line[i])) {
      int k = m->n++;
      for (; k && tn_amd_merge_offset(m, k - 1) > line[i].ins.m[TN_AMD_OFFSET]; k--) m->line[k] = m->line[k - 1];
      m->line[k] = i;
    } else if (!m->gone[i] && !tn_amd_merge_passes(&line[i], by, stores)) break;
  }
}

// ** one of many **

// Of what is at [k, ..) of them, how many one access takes that lie beside each other.
static int tn_amd_merge_beside(const tn_amd_merge *m, int k) {
  const tn_amd_line *const first = &m->l->line[m->line[k]];
  const int lds = tn_amd_merge_is_lds(first), low = tn_amd_merge_offset(m, k);
  int best = 1, end = low;
  for (int j = k; j < m->n && tn_amd_merge_offset(m, j) == end; j++) {
    end += 4 * m->l->line[m->line[j]].ins.o[0].dwords;
    if (end - low > 16) break;
    if (!lds || (end - low != 12 && first->align >= end - low)) best = j - k + 1;
  }
  return best;
}
// The operation of two offsets, which are numbers then; 0: it has none.
static int tn_amd_merge_two(const tn_amd_merge *m, int a, int b, int32_t *offsets) {
  const tn_amd_line *const x = &m->l->line[m->line[a]], *const y = &m->l->line[m->line[b]];
  const int data = tn_amd_merge_data(x), nbytes = 4 * x->ins.o[data].dwords;
  const int low = tn_amd_merge_offset(m, a), high = tn_amd_merge_offset(m, b);
  const int dense = low % nbytes == 0 && high % nbytes == 0 && high / nbytes < 256;
  const int step = dense ? nbytes : 64 * nbytes;
  if (x->align < nbytes || y->align < nbytes || low == high || low % step || high % step || high / step > 255) return 0;
  offsets[0] = low / step; offsets[1] = high / step;
  if (nbytes == 4 && data) return dense ? TN_AMD_DS_STORE_2ADDR_B32 : TN_AMD_DS_STORE_2ADDR_STRIDE64_B32;
  if (nbytes == 8 && data) return dense ? TN_AMD_DS_STORE_2ADDR_B64 : TN_AMD_DS_STORE_2ADDR_STRIDE64_B64;
  if (nbytes == 4) return dense ? TN_AMD_DS_LOAD_2ADDR_B32 : TN_AMD_DS_LOAD_2ADDR_STRIDE64_B32;
  return dense ? TN_AMD_DS_LOAD_2ADDR_B64 : TN_AMD_DS_LOAD_2ADDR_STRIDE64_B64;
}
// A tuple for what n of them load, which are gone but the one in front, which is returned.
static tn_amd_line *tn_amd_merge_loads(tn_amd_merge *m, const int *which, int n, int dwords) {
  const tn_amd_operand all = tn_amd_new_v(m->l, dwords);
  int front = which[0], at = 0;
  for (int k = 0; k < n; k++) {
    const tn_amd_operand *const to = &m->l->line[which[k]].ins.o[0];
    m->into[to->reg - TN_AMD_VIRTUAL] = all.reg - TN_AMD_VIRTUAL;
    m->at[to->reg - TN_AMD_VIRTUAL] = at;
    at += to->dwords;
    m->gone[which[k]] = 1;
    if (which[k] < front) front = which[k];
  }
  tn_amd_line *const line = &m->l->line[front];
  m->gone[front] = 0;
  line->ins.o[0] = all;
  return line;
}
static void tn_amd_merge_pair(tn_amd_merge *m, int a, int b, int op, const int32_t *offsets) {
  const int which[] = {m->line[a], m->line[b]}, last = which[0] > which[1] ? which[0] : which[1];
  tn_amd_line *line = &m->l->line[last];
  if (tn_amd_merge_data(line)) {
    const tn_amd_operand low = m->l->line[which[0]].ins.o[1], high = m->l->line[which[1]].ins.o[1];
    m->gone[which[0]] = m->gone[which[1]] = 1;
    m->gone[last] = 0;
    line->ins.o[1] = low; line->ins.o[2] = high; line->ins.n = 3;
  } else line = tn_amd_merge_loads(m, which, 2, 2 * line->ins.o[0].dwords);
  line->ins.op = (uint16_t)op;
  line->ins.m[TN_AMD_OFFSET] = offsets[0]; line->ins.m[TN_AMD_OFFSET1] = offsets[1];
}
static int tn_amd_merge_op(int op, int dwords) {
  for (size_t i = 4; i < sizeof tn_amd_loads / sizeof *tn_amd_loads; i++) {
    const int way = op == tn_amd_loads[i].buffer ? TN_AMD_BY_BUFFER : op == tn_amd_loads[i].lds ? TN_AMD_BY_LDS :
                                                                                               TN_AMD_BY_WIDE;
    if (way != TN_AMD_BY_WIDE || op == tn_amd_loads[i].global) return tn_amd_load_op(way, 4 * dwords, 0);
  }
  return 0;
}
// Those beside each other first; of LDS what is left by twos.
static void tn_amd_merge_all(tn_amd_merge *m) {
  const int stores = tn_amd_merge_data(&m->l->line[m->line[0]]), lds = tn_amd_merge_is_lds(&m->l->line[m->line[0]]);
  int left = 0, n;
  for (int k = 0; k < m->n; k += n) {
    n = stores ? 1 : tn_amd_merge_beside(m, k);
    if (n == 1) { m->line[left++] = m->line[k]; continue; }
    const tn_amd_line *const end = &m->l->line[m->line[k + n - 1]];
    const int low = tn_amd_merge_offset(m, k), op = end->ins.op, align = m->l->line[m->line[k]].align;
    const int dwords = (end->ins.m[TN_AMD_OFFSET] - low) / 4 + end->ins.o[0].dwords;
    tn_amd_line *const line = tn_amd_merge_loads(m, &m->line[k], n, dwords);
    line->ins.op = (uint16_t)tn_amd_merge_op(op, dwords);
    line->ins.m[TN_AMD_OFFSET] = low;
    line->align = (uint8_t)align;
  }
  m->n = left;
  for (int k = 0; k + 1 < left && lds; k++) {
    int32_t offsets[2];
    const int op = tn_amd_merge_two(m, k, k + 1, offsets);
    if (op) tn_amd_merge_pair(m, k, k + 1, op, offsets);
    k += op != 0;
  }
}

// ** the list **

static int tn_amd_merge_open(tn_amd_merge *m, tn_amd_list *l) {
  tn_amd_uses u;
  m->l = l; m->nvreg = l->nvreg;
  m->once = (uint8_t *)tn_amd_scratch(l->t, (size_t)l->nvreg + (size_t)l->n, 1);
  m->into = (int *)tn_amd_scratch(l->t, 2 * (size_t)l->nvreg, sizeof *m->into);
  if (!m->once || !m->into) return 0;
  m->gone = m->once + l->nvreg; m->at = m->into + l->nvreg;
  for (int v = 0; v < l->nvreg; v++) m->into[v] = -1;
  for (int i = 0; i < l->n; i++) {
    tn_amd_uses_of(&l->line[i], &u);
    for (int k = 0; k < u.n; k++)
      if (u.of[k].role & TN_AMD_WRITES && u.of[k].reg >= TN_AMD_VIRTUAL)
        m->at[u.of[k].reg - TN_AMD_VIRTUAL]++;
  }
  for (int v = 0; v < l->nvreg; v++) m->once[v] = m->at[v] == 1;
  for (int i = 0; i < l->n; i++) {
    const tn_amd_operand *const o = l->line[i].ins.o;
    if (l->line[i].kind != TN_AMD_LINE_COPY || !tn_amd_is_virtual(&o[1]) || !tn_amd_is_virtual(&o[0])) continue;
    const int v = o[1].reg - TN_AMD_VIRTUAL, whole = l->vreg[o[0].reg - TN_AMD_VIRTUAL].dwords == o[0].dwords;
    if (!whole && m->once[v]) m->once[v] = 2;
  }
  return 1;
}
static void tn_amd_merge_accesses(tn_amd_list *l) {
  tn_amd_merge m;
  int kept = 0;
  if (!tn_amd_merge_open(&m, l)) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  for (int i = 0; i < l->n && !l->refused; i++) {
    if (!tn_amd_merge_may(&m, i)) continue;
    tn_amd_merge_find(&m, i);
    if (m.n > 1) tn_amd_merge_all(&m);
  }
  for (int i = 0; i < l->n; i++) {
    for (int k = 0; k < l->line[i].ins.n; k++) {
      tn_amd_operand *const o = &l->line[i].ins.o[k];
      const int v = tn_amd_is_virtual(o) ? o->reg - TN_AMD_VIRTUAL : m.nvreg;
      if (v >= m.nvreg || m.into[v] < 0) continue;
      o->reg = (uint16_t)(TN_AMD_VIRTUAL + m.into[v]); o->sub = (uint8_t)(o->sub + m.at[v]);
    }
    if (!m.gone[i]) l->line[kept++] = l->line[i];
  }
  l->n = kept;
}
#endif
