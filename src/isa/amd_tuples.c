// amd_tuples: which virtual registers are one: what a copy joins becomes one tuple, or a part of one.
//
// In:  ranges. Out: of virtual registers, which tuple each is a part of and where in it; of tuples, spans, by their
//      first register; wishes: copies that stay, whose ends had best be one register, too.
// Holds: two are joined where one lies within the other and no write of one changes what the other still holds: a copy
//        of one to the other does not. Innermost loops come first; after copies come sums that are added to again
//        (fma, matrix instructions). Fixed registers stay alone. What a matrix instruction adds to, and is not joined
//        with its result, lives until that is written.
// Source: Chaitin, "Register allocation and spilling via graph coloring", SIGPLAN (1982): copies do not interfere.
#ifndef TN_ISA_AMD_TUPLES
#define TN_ISA_AMD_TUPLES
#ifndef TINY_AMALGAMATED
#include "amd_ranges.c"
#endif

// into: which register's tuple it is a part of, itself: of none; shift: where; align, phase: number of its first dword
// mod align is phase; wish: its first one, 0: none
typedef struct tn_amd_tuple { int32_t into, wish; int16_t shift; uint8_t align, phase; } tn_amd_tuple;
typedef struct tn_amd_wish { int32_t mine, other, next; } tn_amd_wish;       // units
typedef struct tn_amd_join { int32_t line, to, from; uint8_t dwords, sums, done; } tn_amd_join;
typedef struct tn_amd_tuples {
  tn_amd_list *l; tn_amd_ranges *r;
  tn_amd_tuple *tuple;
  int32_t *span_at, *write_at;             // of units: where a list was walked last
  tn_amd_join *join; int njoin, capjoin;
  tn_amd_wish *wish; int nwish, capwish;
} tn_amd_tuples;

// ** which tuple **

static int tn_amd_tuple_find(tn_amd_tuples *t, int v, int *shift) {
  int root = v, sum = 0;
  while (t->tuple[root].into != root) { sum += t->tuple[root].shift; root = t->tuple[root].into; }
  *shift = sum;
  while (t->tuple[v].into != root && v != root) {
    const int next = t->tuple[v].into, by = t->tuple[v].shift;
    t->tuple[v].into = root; t->tuple[v].shift = (int16_t)sum;
    sum -= by; v = next;
  }
  return root;
}
// The unit that stands for this one; of the tuple's first register.
static int tn_amd_tuple_unit(tn_amd_tuples *t, int unit) {
  int shift;
  if (unit < TN_AMD_REAL_UNITS) return unit;
  const int v = t->r->vreg_of[unit], root = tn_amd_tuple_find(t, v, &shift);
  return t->r->unit_of[root] + shift + unit - t->r->unit_of[v];
}

// ** where tuples may begin **

// x mod align = phase as well. 0: that cannot be.
static int tn_amd_tuple_align(tn_amd_tuple *t, int align, int phase) {
  const int less = align < t->align ? align : t->align;
  if ((phase ^ t->phase) & (less - 1)) return 0;
  if (align > t->align) { t->align = (uint8_t)align; t->phase = (uint8_t)(phase & (align - 1)); }
  return 1;
}
static void tn_amd_tuple_wants(tn_amd_tuples *t, const tn_amd_operand *o) {
  if (!tn_amd_is_virtual(o) || o->dwords < 2) return;
  const int scalar = o->kind == TN_AMD_SGPR, nine = t->l->family == TN_AMD_GFX9;
  const int align = scalar ? o->dwords > 2 ? 4 : 2 : nine ? 2 : 1;
  const int taken = tn_amd_tuple_align(&t->tuple[o->reg - TN_AMD_VIRTUAL], align, (align - o->sub % align) % align);
  if (!taken) tn_amd_list_refuse(t->l, "parts of a tuple want to begin at numbers that cannot be");
}
static void tn_amd_tuple_begin(tn_amd_tuples *t) {
  tn_amd_list *const l = t->l;
  t->tuple = (tn_amd_tuple *)tn_amd_room(l, (size_t)l->nvreg + 1, sizeof *t->tuple);
  t->span_at = (int32_t *)tn_amd_room(l, (size_t)t->r->nunits, sizeof *t->span_at);
  t->write_at = (int32_t *)tn_amd_room(l, (size_t)t->r->nunits, sizeof *t->write_at);
  if (l->refused) return;
  for (int v = 0; v < l->nvreg; v++) { t->tuple[v].into = v; t->tuple[v].align = 1; }
  for (int i = 0; i < l->n; i++) {
    if (l->line[i].kind != TN_AMD_LINE_INS) continue;
    for (int k = 0; k < l->line[i].ins.n; k++) tn_amd_tuple_wants(t, &l->line[i].ins.o[k]);
  }
}

// ** may two be one? **

// Lists are walked from where they were walked last, if that is before: lines come in order, and lists get long.
// The last span of a unit that ends before p, 0: none.
static int tn_amd_tuple_span_before(tn_amd_tuples *t, int unit, int p) {
  const tn_amd_live_span *const span = t->r->span;
  int at = t->span_at[unit];
  if (at && span[at].end >= p) at = 0;
  for (int next = at ? span[at].next : t->r->spans[unit]; next && span[next].end < p; next = span[next].next) at = next;
  return t->span_at[unit] = at;
}
static int tn_amd_tuple_write_before(tn_amd_tuples *t, int unit, int p) {
  const tn_amd_live_write *const write = t->r->write;
  int at = t->write_at[unit];
  if (at && write[at].at >= p) at = 0;
  for (int next = at ? write[at].next : t->r->writes[unit]; next && write[next].at < p; next = write[next].next)
    at = next;
  return t->write_at[unit] = at;
}
// Does a write of x change what y holds?
static int tn_amd_tuple_changes(tn_amd_tuples *t, int x, int y) {
  const tn_amd_ranges *const r = t->r;
  if (!r->writes[x] || !r->spans[y]) return 0;
  const int before = tn_amd_tuple_write_before(t, x, r->span[r->spans[y]].start);
  int w = before ? r->write[before].next : r->writes[x];
  const int ended = w ? tn_amd_tuple_span_before(t, y, r->write[w].at) : 0;
  for (int s = ended ? r->span[ended].next : r->spans[y]; w; w = r->write[w].next) {
    const int at = r->write[w].at;
    while (s && r->span[s].end <= at) s = r->span[s].next;
    if (!s) return 0;
    if (r->span[s].start > at) continue;
    const int from = r->write[w].from < 0 ? -1 : tn_amd_tuple_unit(t, r->write[w].from);
    if (from != x && from != y) return 1;
  }
  return 0;
}
// A list of spans becomes part of a unit's; what overlaps becomes one.
static void tn_amd_tuple_spans(tn_amd_tuples *t, int unit, int list) {
  tn_amd_ranges *const r = t->r;
  if (!list) return;
  int last = tn_amd_tuple_span_before(t, unit, r->span[list].start), first = 1;
  int rest = last ? r->span[last].next : r->spans[unit];
  while (list || (rest && r->span[rest].start <= r->span[last].end)) {
    int *const least = !list || (rest && r->span[rest].start <= r->span[list].start) ? &rest : &list;
    const int s = *least;
    *least = r->span[s].next;
    if (!first && r->span[s].start <= r->span[last].end) {
      if (r->span[s].end > r->span[last].end) r->span[last].end = r->span[s].end;
      continue;
    }
    if (last) r->span[last].next = s; else r->spans[unit] = s;
    last = s; first = 0;
  }
  r->span[last].next = rest;
}
static void tn_amd_tuple_writes(tn_amd_tuples *t, int unit, int list) {
  tn_amd_ranges *const r = t->r;
  int last = list ? tn_amd_tuple_write_before(t, unit, r->write[list].at) : 0;
  int rest = last ? r->write[last].next : r->writes[unit];
  while (list) {
    int *const least = rest && r->write[rest].at <= r->write[list].at ? &rest : &list;
    const int w = *least;
    *least = r->write[w].next;
    if (last) r->write[last].next = w; else r->writes[unit] = w;
    last = w;
  }
  if (last) r->write[last].next = rest;
}
// The tuple of `in` as dwords from d on of that of `out`. 1: they are one.
static int tn_amd_tuple_put(tn_amd_tuples *t, int in, int out, int d) {
  tn_amd_ranges *const r = t->r;
  const tn_amd_vreg *const vreg = t->l->vreg;
  const tn_amd_tuple *const part = &t->tuple[in];
  tn_amd_tuple whole = t->tuple[out];
  if (d < 0 || d + vreg[in].dwords > vreg[out].dwords) return 0;
  if (!tn_amd_tuple_align(&whole, part->align, (part->phase - d) & (part->align - 1))) return 0;
  for (int k = 0; k < vreg[in].dwords; k++) {
    const int x = r->unit_of[in] + k, y = r->unit_of[out] + d + k;
    if (tn_amd_tuple_changes(t, x, y) || tn_amd_tuple_changes(t, y, x)) return 0;
  }
  for (int k = 0; k < vreg[in].dwords; k++) {
    const int x = r->unit_of[in] + k, y = r->unit_of[out] + d + k;
    tn_amd_tuple_spans(t, y, r->spans[x]);
    tn_amd_tuple_writes(t, y, r->writes[x]);
  }
  t->tuple[out] = whole;
  t->tuple[in].into = out; t->tuple[in].shift = (int16_t)d;
  return 1;
}
static int tn_amd_tuple_join(tn_amd_tuples *t, int to, int from) {
  int to_shift, from_shift;
  const int a = tn_amd_tuple_find(t, t->r->vreg_of[to], &to_shift);
  const int b = tn_amd_tuple_find(t, t->r->vreg_of[from], &from_shift);
  const int to_at = to - t->r->unit_of[t->r->vreg_of[to]] + to_shift;
  const int d = to_at - (from - t->r->unit_of[t->r->vreg_of[from]] + from_shift);
  if (a == b) return d == 0;
  if (t->l->vreg[a].fixed >= 0 || t->l->vreg[b].fixed >= 0) return 0;
  return tn_amd_tuple_put(t, b, a, d) || tn_amd_tuple_put(t, a, b, -d);
}

// ** what is joined **

static void tn_amd_join_add(tn_amd_tuples *t, int line, const tn_amd_operand *to, const tn_amd_operand *from,
                            int sums) {
  const int a = tn_amd_live_unit_at(t->r, to->kind, to->reg, to->sub);
  const int b = tn_amd_live_unit_at(t->r, from->kind, from->reg, from->sub);
  if (!tn_amd_is_register(to) || to->kind != from->kind || to->dwords != from->dwords || a < 0 || b < 0) return;
  tn_amd_join *const all = (tn_amd_join *)tn_amd_grown(t->l, t->join, t->njoin, &t->capjoin, sizeof *all);
  const tn_amd_join join = {line, a, b, to->dwords, (uint8_t)sums, 0};
  if (!all) return;
  t->join = all;
  t->join[t->njoin++] = join;
}
// Is its result best its third source? What adds has a shorter form where it is, and half of a pair.
static int tn_amd_join_sums(const tn_amd_line *line) {
  const tn_amd_ins *const ins = &line->ins;
  if (line->kind != TN_AMD_LINE_INS || ins->n < 4) return 0;
  return ins->op == TN_AMD_V_FMA_F32 || ins->op == TN_AMD_V_FMA_F16 || ins->op == TN_AMD_V_PK_FMA_F16 ||
      ins->op == TN_AMD_V_DOT2_F32_F16 || tn_amd_is_matrix(ins->op, ins->family);
}
static void tn_amd_join_find(tn_amd_tuples *t) {
  for (int i = 0; i < t->l->n; i++) {
    const tn_amd_line *const line = &t->l->line[i];
    if (line->kind == TN_AMD_LINE_COPY) tn_amd_join_add(t, i, &line->ins.o[0], &line->ins.o[1], 0);
    else if (tn_amd_join_sums(line)) tn_amd_join_add(t, i, &line->ins.o[0], &line->ins.o[3], 1);
  }
}
static void tn_amd_join_try(tn_amd_tuples *t, int sums, int depth) {
  for (int k = 0; k < t->njoin; k++) {
    tn_amd_join *const join = &t->join[k];
    if (join->sums != sums || t->r->depth[join->line] != depth) continue;
    if (join->to < TN_AMD_REAL_UNITS || join->from < TN_AMD_REAL_UNITS) continue;
    join->done = (uint8_t)tn_amd_tuple_join(t, join->to, join->from);
  }
}
static void tn_amd_join_all(tn_amd_tuples *t) {
  int deepest = 0;
  for (int k = 0; k < t->njoin; k++) if (t->r->depth[t->join[k].line] > deepest) deepest = t->r->depth[t->join[k].line];
  for (int sums = 0; sums < 2; sums++)
    for (int depth = deepest; depth >= 0; depth--) tn_amd_join_try(t, sums, depth);
}

// ** wishes **

static void tn_amd_wish_side(tn_amd_tuples *t, int mine, int other) {
  tn_amd_wish *const all = (tn_amd_wish *)tn_amd_grown(t->l, t->wish, t->nwish, &t->capwish, sizeof *all);
  if (!all) return;
  t->wish = all;
  if (!t->nwish) t->nwish++;               // number 0 is none
  tn_amd_tuple *const tuple = &t->tuple[t->r->vreg_of[mine]];
  const tn_amd_wish wish = {mine, other, tuple->wish};
  tuple->wish = t->nwish;
  t->wish[t->nwish++] = wish;
}
static void tn_amd_wish_add(tn_amd_tuples *t, int to, int from) {
  const int a = tn_amd_tuple_unit(t, to), b = tn_amd_tuple_unit(t, from);
  if (a >= TN_AMD_REAL_UNITS) tn_amd_wish_side(t, a, b);
  if (b >= TN_AMD_REAL_UNITS) tn_amd_wish_side(t, b, a);
}
static void tn_amd_wish_find(tn_amd_tuples *t) {
  const tn_amd_list *const l = t->l;
  for (int k = 0; k < t->njoin; k++) if (!t->join[k].done) tn_amd_wish_add(t, t->join[k].to, t->join[k].from);
  for (int v = 0; v < l->nvreg; v++) {
    const int hint = l->vreg[v].hint;
    if (hint >= 0 && l->vreg[hint].kind == l->vreg[v].kind)
      tn_amd_wish_add(t, t->r->unit_of[v], t->r->unit_of[hint] + l->vreg[v].at);
  }
}

// ** matrices that are added to, and are not the result **

static void tn_amd_tuple_apart(tn_amd_tuples *t) {
  for (int k = 0; k < t->njoin && !t->l->refused; k++) {
    const tn_amd_join *const join = &t->join[k];
    if (!join->sums || join->done || !tn_amd_live_is_early(&t->l->line[join->line])) continue;
    const int to = tn_amd_tuple_unit(t, join->to), from = tn_amd_tuple_unit(t, join->from), at = 2 * join->line + 1;
    for (int i = 0; to != from && i < join->dwords; i++) {
      const int one = tn_amd_live_span_new(t->r, at, at + 1, 0, -1);
      if (from >= TN_AMD_REAL_UNITS) tn_amd_tuple_spans(t, from + i, one);
    }
  }
}
static void tn_amd_tuples_find(tn_amd_tuples *t, tn_amd_ranges *r) {
  memset(t, 0, sizeof *t);
  t->l = r->l; t->r = r;
  tn_amd_tuple_begin(t);
  if (t->l->refused) return;
  tn_amd_join_find(t);
  tn_amd_join_all(t);
  tn_amd_wish_find(t);
  tn_amd_tuple_apart(t);
}
#endif
