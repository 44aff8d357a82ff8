// amd_registers: virtual registers get the GPU's.
//
// In:  a list with virtual registers. Out: the same without: operands name real registers, copies are moves, or gone;
//      l->setup says how many registers are named, and scratch for what found none (amd_spill.c).
// Holds: tuples are placed in the order in which they begin, each where all its dwords are free in all their spans, so
//        that holes are filled. First a place that a copy or hint wishes, masks of comparisons in VCC where it is free,
//        then the lowest one. If that worked, vector registers are placed anew: numbers that keep as many waves on a
//        SIMD are there to be used, and what is one dword goes round in them, so that what follows each other does not
//        share a register, and lies in other banks (VOPD wants both). Where there is none free, what is worth
//        least gives its place up: touches, as often as their loops run, over how long it is there.
// Source: Poletto and Sarkar, "Linear scan register allocation", TOPLAS 21 (1999).
#ifndef TN_ISA_AMD_REGISTERS
#define TN_ISA_AMD_REGISTERS
#ifndef TINY_AMALGAMATED
#include "amd_spill.c"
#endif

// used: of real units: spans that have begun, and those behind; cursor: of what goes round; most: SGPRs, VGPRs, AGPRs
// there are; masks: of virtual registers, what only comparisons write
typedef struct tn_amd_scan {
  tn_amd_list *l; tn_amd_ranges *r; tn_amd_tuples *t;
  int32_t used[TN_AMD_REAL_UNITS];
  tn_amd_live_span *span; int nspan, capspan;
  int32_t *begin, *next;                   // tuples that begin at a position, and the next one that does; -1: none
  int32_t *place;                          // of tuples: the unit of the first dword, -1: none
  uint8_t *spilled, *masks; float *worth;
  int most[3], rounds, cursor, nspilled;
} tn_amd_scan;

static int tn_amd_file_of(int kind) { return kind == TN_AMD_SGPR ? 0 : kind == TN_AMD_VGPR ? 1 : 2; }
static int tn_amd_file_base(int kind) {
  return kind == TN_AMD_SGPR ? 0 : kind == TN_AMD_VGPR ? TN_AMD_UNIT_VGPR : TN_AMD_UNIT_AGPR;
}

// ** spans of registers **

static int tn_amd_scan_span(tn_amd_scan *s, int start, int end, int next, int owner) {
  tn_amd_live_span *const all = (tn_amd_live_span *)tn_amd_grown(s->l, s->span, s->nspan, &s->capspan, sizeof *all);
  const tn_amd_live_span span = {start, end, next, owner};
  if (!all) return 0;
  s->span = all;
  s->span[s->nspan] = span;
  return s->nspan++;
}
static void tn_amd_scan_put(tn_amd_scan *s, int phys, int list, int owner) {
  int32_t last = 0, at = s->used[phys];
  for (; list; list = s->r->span[list].next) {
    const int start = s->r->span[list].start;
    while (at && s->span[at].start < start) { last = at; at = s->span[at].next; }
    const int fresh = tn_amd_scan_span(s, start, s->r->span[list].end, at, owner);
    if (last) s->span[last].next = fresh; else s->used[phys] = fresh;
    last = fresh;
  }
}
static void tn_amd_scan_drop(tn_amd_scan *s, int phys, int owner) {
  int32_t last = 0;
  for (int at = s->used[phys]; at; at = s->span[at].next) {
    if (s->span[at].owner != owner) { last = at; continue; }
    if (last) s->span[last].next = s->span[at].next; else s->used[phys] = s->span[at].next;
  }
}
// The first span of a register that meets a list's; 0: none. What ended before `now` is forgotten.
static int tn_amd_scan_meets(tn_amd_scan *s, int phys, int list, int now) {
  const tn_amd_live_span *const a = s->span, *const b = s->r->span;
  while (s->used[phys] && a[s->used[phys]].end <= now) s->used[phys] = a[s->used[phys]].next;
  int at = s->used[phys];
  while (at && list) {
    if (a[at].end <= b[list].start) at = a[at].next;
    else if (b[list].end <= a[at].start) list = b[list].next;
    else return at;
  }
  return 0;
}

// ** places **

static int tn_amd_scan_fits(const tn_amd_scan *s, int v, int phys) {
  const int kind = s->l->vreg[v].kind, number = phys - tn_amd_file_base(kind), align = s->t->tuple[v].align;
  return number >= 0 && number + s->l->vreg[v].dwords <= s->most[tn_amd_file_of(kind)] &&
      ((number ^ s->t->tuple[v].phase) & (align - 1)) == 0;
}
static int tn_amd_scan_free(tn_amd_scan *s, int v, int phys, int now) {
  for (int k = 0; k < s->l->vreg[v].dwords; k++)
    if (tn_amd_scan_meets(s, phys + k, s->r->spans[s->r->unit_of[v] + k], now)) return 0;
  return 1;
}
static void tn_amd_scan_take(tn_amd_scan *s, int v, int phys) {
  s->place[v] = phys;
  for (int k = 0; k < s->l->vreg[v].dwords; k++)
    tn_amd_scan_put(s, phys + k, s->r->spans[s->r->unit_of[v] + k], v);
}
// Where a copy's other end is, if this one can be there, too; -1: nowhere.
static int tn_amd_scan_wish(tn_amd_scan *s, int v, int now) {
  for (int w = s->t->tuple[v].wish; w; w = s->t->wish[w].next) {
    const tn_amd_wish *const wish = &s->t->wish[w];
    int phys = wish->other;
    if (phys >= TN_AMD_REAL_UNITS) {
      const int other = s->r->vreg_of[phys];
      if (s->place[other] < 0) continue;
      phys = s->place[other] + phys - s->r->unit_of[other];
    }
    phys -= wish->mine - s->r->unit_of[v];
    if (tn_amd_scan_fits(s, v, phys) && tn_amd_scan_free(s, v, phys, now)) return phys;
  }
  return -1;
}
static int tn_amd_scan_find(tn_amd_scan *s, int v, int now) {                          // -1: there is none
  const int kind = s->l->vreg[v].kind, base = tn_amd_file_base(kind), dwords = s->l->vreg[v].dwords;
  const int last = s->most[tn_amd_file_of(kind)] - dwords, wish = tn_amd_scan_wish(s, v, now);
  const int round = s->rounds && kind == TN_AMD_VGPR && dwords == 1 ? s->cursor : 0;
  if (wish >= 0) return wish;
  if (s->masks[v] && tn_amd_scan_free(s, v, TN_AMD_VCC, now)) return TN_AMD_VCC;
  const int wrong = s->t->tuple[v].align - 1, phase = s->t->tuple[v].phase;
  for (int i = 0; i <= last; i++) {
    const int number = i + round > last ? i + round - last - 1 : i + round;
    if ((number ^ phase) & wrong || !tn_amd_scan_free(s, v, base + number, now)) continue;
    if (kind == TN_AMD_VGPR && dwords == 1) s->cursor = number + 1;
    return base + number;
  }
  return -1;
}

// ** no place: who gives up his **

// What those are worth that are in the way at a place; a negative number: some may not leave.
static float tn_amd_scan_price(tn_amd_scan *s, int v, int phys, int now, float most) {
  float sum = 0;
  int32_t seen[TN_AMD_MOST_TUPLE];
  int nseen = 0;
  for (int k = 0; k < s->l->vreg[v].dwords && sum < most; k++) {
    const int list = s->r->spans[s->r->unit_of[v] + k];
    tn_amd_scan_meets(s, phys + k, list, now);
    for (int at = s->used[phys + k], b = list; at && b;) {
      if (s->span[at].end <= s->r->span[b].start) { at = s->span[at].next; continue; }
      if (s->r->span[b].end <= s->span[at].start) { b = s->r->span[b].next; continue; }
      const int owner = s->span[at].owner;
      if (owner < 0 || s->worth[owner] < 0) return -1;
      int known = 0;
      for (int i = 0; i < nseen; i++) known |= seen[i] == owner;
      if (!known) sum += s->worth[owner];
      if (!known && nseen < TN_AMD_MOST_TUPLE) seen[nseen++] = owner;
      at = s->span[at].next;
    }
  }
  return sum;
}
static void tn_amd_scan_spill(tn_amd_scan *s, int v) {
  if (s->spilled[v]) return;
  s->spilled[v] = 1; s->nspilled++;
  for (int k = 0; s->place[v] >= 0 && k < s->l->vreg[v].dwords; k++) tn_amd_scan_drop(s, s->place[v] + k, v);
  s->place[v] = -1;
}
static void tn_amd_scan_evict(tn_amd_scan *s, int v, int phys, int now) {
  for (int k = 0; k < s->l->vreg[v].dwords; k++) {
    const int list = s->r->spans[s->r->unit_of[v] + k];
    for (int at; (at = tn_amd_scan_meets(s, phys + k, list, now)) != 0;) tn_amd_scan_spill(s, s->span[at].owner);
  }
}
static void tn_amd_scan_force(tn_amd_scan *s, int v, int now) {
  const int kind = s->l->vreg[v].kind, base = tn_amd_file_base(kind);
  float least = s->worth[v] < 0 ? 1e30f : s->worth[v];
  int best = -1;
  for (int i = 0; i < s->most[tn_amd_file_of(kind)]; i++) {
    if (!tn_amd_scan_fits(s, v, base + i)) continue;
    const float price = tn_amd_scan_price(s, v, base + i, now, least);
    if (price >= 0 && price < least) { least = price; best = base + i; }
  }
  if (best < 0 && s->worth[v] < 0) tn_amd_list_refuse(s->l, "an instruction wants more registers than there are");
  if (best < 0) { tn_amd_scan_spill(s, v); return; }
  tn_amd_scan_evict(s, v, best, now);
  tn_amd_scan_take(s, v, best);
}

// ** what spilling one saves and costs **

// Of tuples: below 0: all of it has to stay.
static void tn_amd_scan_weigh(tn_amd_scan *s) {
  static const float often[] = {1, 8, 64, 512, 4096, 32768};
  const tn_amd_ranges *const r = s->r;
  int shift;
  for (int i = 0; i < s->l->n; i++)
    for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
      const tn_amd_live_touch *const touch = &r->touch[k];
      if (touch->unit < TN_AMD_REAL_UNITS) continue;
      const int v = r->vreg_of[tn_amd_tuple_unit(s->t, touch->unit)];
      s->worth[v] += often[r->depth[i] < 5 ? r->depth[i] : 5] * (float)touch->dwords;
    }
  for (int v = 0; v < s->l->nvreg; v++) {
    float length = 1;
    int made = 1;
    for (int k = 0; k < s->l->vreg[v].dwords; k++) {
      for (int at = r->spans[r->unit_of[v] + k]; at; at = r->span[at].next)
        length += (float)(r->span[at].end - r->span[at].start);
      made &= tn_amd_spill_constant(s->l->line, r, r->unit_of[v] + k) != NULL;
    }
    s->worth[v] = s->l->vreg[v].hint == TN_AMD_STAYS ? -1 - s->worth[v] : s->worth[v] * (made ? 0.25f : 1) / length;
  }
  for (int v = 0; v < s->l->nvreg; v++) {
    float *const whole = &s->worth[tn_amd_tuple_find(s->t, v, &shift)];
    if (*whole < 0 && s->l->vreg[v].hint != TN_AMD_STAYS) *whole = -1 - *whole;
  }
}

// ** the scan **

// Comparisons, and sums with a carry: forms that are shorter where a mask is VCC.
static int tn_amd_scan_is_shorter(const tn_amd_line *line) {
  const int op = line->ins.op, format = line->kind == TN_AMD_LINE_INS ? tn_amd_format(op, line->ins.family) : 0;
  return format == TN_AMD_VOPC || format == TN_AMD_VOP2 || op == TN_AMD_V_ADD_CO_U32 || op == TN_AMD_V_SUB_CO_U32 ||
      op == TN_AMD_V_SUBREV_CO_U32;
}
// Masks that those write and nobody else, and which do not live long.
static void tn_amd_scan_masks(tn_amd_scan *s) {
  const tn_amd_ranges *const r = s->r;
  for (int i = 0; i < s->l->n; i++)
    for (int k = r->touches[i]; k < r->touches[i + 1]; k++) {
      if (r->touch[k].unit < TN_AMD_REAL_UNITS || !(r->touch[k].role & TN_AMD_WRITES)) continue;
      uint8_t *const mask = &s->masks[r->vreg_of[tn_amd_tuple_unit(s->t, r->touch[k].unit)]];
      if (*mask < 2) *mask = (uint8_t)(tn_amd_scan_is_shorter(&s->l->line[i]) ? 1 : 2);
    }
  for (int v = 0; v < s->l->nvreg; v++) {
    const int first = r->spans[r->unit_of[v]], whole = first && !r->span[first].next;
    s->masks[v] = s->masks[v] == 1 && s->l->vreg[v].kind == TN_AMD_SGPR && s->l->vreg[v].dwords == s->l->mask &&
        s->l->vreg[v].fixed < 0 && whole && r->span[first].end - r->span[first].start < 128;
  }
}
// By where they begin; what is fixed, first of all.
static void tn_amd_scan_sort(tn_amd_scan *s) {
  const tn_amd_ranges *const r = s->r;
  for (int i = 0; i <= 2 * s->l->n + 1; i++) s->begin[i] = -1;
  for (int v = s->l->nvreg - 1; v >= 0; v--) {
    int start = INT32_MAX;
    if (s->t->tuple[v].into != v) continue;
    for (int k = 0; k < s->l->vreg[v].dwords; k++) {
      const int at = r->spans[r->unit_of[v] + k];
      if (at && r->span[at].start < start) start = r->span[at].start;
    }
    if (start == INT32_MAX || s->l->vreg[v].fixed >= 0) continue;
    s->next[v] = s->begin[start];
    s->begin[start] = v;
  }
}
static void tn_amd_scan_fixed(tn_amd_scan *s) {
  for (int u = 0; u < TN_AMD_REAL_UNITS; u++) { s->used[u] = 0; tn_amd_scan_put(s, u, s->r->spans[u], -1); }
  for (int v = 0; v < s->l->nvreg; v++) {
    s->place[v] = -1;
    if (s->l->vreg[v].fixed >= 0 && !s->spilled[v])
      tn_amd_scan_take(s, v, tn_amd_file_base(s->l->vreg[v].kind) + s->l->vreg[v].fixed);
  }
}
static void tn_amd_scan_pass(tn_amd_scan *s) {
  s->nspan = 0; s->cursor = 0; s->nspilled = 0;
  tn_amd_scan_span(s, 0, 0, 0, -1);        // number 0 is none
  tn_amd_scan_fixed(s);
  for (int now = 0; now <= 2 * s->l->n + 1 && !s->l->refused; now++)
    for (int v = s->begin[now]; v >= 0 && !s->l->refused; v = s->next[v]) {
      const int phys = tn_amd_scan_find(s, v, now);
      if (phys >= 0) tn_amd_scan_take(s, v, phys);
      else if (s->rounds) { s->nspilled = 1; return; }
      else {
        if (!s->worth) s->worth = (float *)tn_amd_room(s->l, (size_t)s->l->nvreg + 1, sizeof *s->worth);
        if (s->worth && !s->nspilled) tn_amd_scan_weigh(s);
        if (s->worth) tn_amd_scan_force(s, v, now);
      }
    }
}
// How many registers of a kind are named.
static int tn_amd_scan_named(const tn_amd_scan *s, int kind) {
  const int base = tn_amd_file_base(kind), end = base + (kind == TN_AMD_SGPR ? TN_AMD_VCC : 256);
  int most = 0;
  for (int u = base; u < end; u++) if (s->r->spans[u] && u - base + 1 > most) most = u - base + 1;
  for (int v = 0; v < s->l->nvreg; v++) {
    const int first = s->place[v] - base, last = first + s->l->vreg[v].dwords;
    if (s->l->vreg[v].kind == kind && s->place[v] >= 0 && last <= end - base && last > most) most = last;
  }
  return most;
}
// The most vector registers that leave as many waves on a SIMD as n of them do.
static int tn_amd_scan_round(const tn_amd_chip *chip, int n, int others) {
  const int granule = chip->granule, all = (n + others + granule - 1) / granule * granule;
  int waves = all ? chip->vgprs / all : chip->waves;
  if (waves > chip->waves) waves = chip->waves;
  if (waves < 1) waves = 1;
  const int most = chip->vgprs / waves / granule * granule - others;
  return most > 256 ? 256 : most < n ? n : most;
}
// gfx9 gives VGPRs by 4, before AGPRs.
static void tn_amd_scan_spread(tn_amd_scan *s) {
  const int n = tn_amd_scan_named(s, TN_AMD_VGPR), agprs = tn_amd_scan_named(s, TN_AMD_AGPR);
  int32_t *const place = s->place;
  int32_t *const other = (int32_t *)tn_amd_room(s->l, (size_t)s->l->nvreg + 1, sizeof *other);
  if (!other) return;
  s->place = other; s->rounds = 1;
  s->most[1] = tn_amd_scan_round(s->l->chip, n, agprs ? agprs : 0);
  tn_amd_scan_pass(s);
  if (s->nspilled) s->place = place;
  s->nspilled = 0;
}
static void tn_amd_scan_all(tn_amd_scan *s, tn_amd_tuples *t) {
  tn_amd_list *const l = t->l;
  memset(s, 0, sizeof *s);
  s->l = l; s->r = t->r; s->t = t;
  s->most[0] = tn_amd_last_sgpr(l->family) + 1; s->most[1] = 256; s->most[2] = l->family == TN_AMD_GFX9 ? 256 : 0;
  s->begin = (int32_t *)tn_amd_room(l, 2 * (size_t)l->n + 2, sizeof *s->begin);
  s->next = (int32_t *)tn_amd_room(l, (size_t)l->nvreg + 1, sizeof *s->next);
  s->place = (int32_t *)tn_amd_room(l, (size_t)l->nvreg + 1, sizeof *s->place);
  s->spilled = (uint8_t *)tn_amd_room(l, (size_t)l->nvreg + 1, 1);
  s->masks = (uint8_t *)tn_amd_room(l, (size_t)l->nvreg + 1, 1);
  if (l->refused) return;
  tn_amd_scan_masks(s);
  tn_amd_scan_sort(s);
  tn_amd_scan_pass(s);
  if (!s->nspilled && !l->refused) tn_amd_scan_spread(s);
}

// ** operands and copies **

static void tn_amd_rename(const tn_amd_list *l, tn_amd_operand *o) {
  if (!tn_amd_is_virtual(o)) return;
  const int reg = l->vreg[o->reg - TN_AMD_VIRTUAL].reg;
  o->reg = (uint16_t)((reg < 0 ? 0 : reg) + o->sub);
  o->sub = 0;
}
static int tn_amd_move_is_none(const tn_amd_ins *ins) {
  return ins->o[0].kind == ins->o[1].kind && ins->o[0].reg == ins->o[1].reg && tn_amd_is_register(&ins->o[0]);
}
static int tn_amd_move_op(int family, int to, const tn_amd_operand *from, int pair) {
  if (to == TN_AMD_SGPR && from->kind == TN_AMD_VGPR) return TN_AMD_V_READFIRSTLANE_B32;
  if (to == TN_AMD_SGPR) return pair ? TN_AMD_S_MOV_B64 : TN_AMD_S_MOV_B32;
  if (to == TN_AMD_AGPR) return from->kind == TN_AMD_AGPR ? TN_AMD_V_ACCVGPR_MOV_B32 : TN_AMD_V_ACCVGPR_WRITE_B32;
  if (from->kind == TN_AMD_AGPR) return TN_AMD_V_ACCVGPR_READ_B32;
  return pair && family == TN_AMD_GFX9 ? TN_AMD_V_MOV_B64 : TN_AMD_V_MOV_B32;
}
// May two dwords be one move? Of constants 0 and -1 alone, whose halves are the same.
static int tn_amd_move_pairs(const tn_amd_ins *ins, int family) {
  const tn_amd_operand *const to = &ins->o[0], *const from = &ins->o[1];
  const int halves = from->kind == TN_AMD_INLINE && (from->reg == 128 || from->reg == 193);
  if (to->reg % 2 || (to->kind != TN_AMD_SGPR && (to->kind != TN_AMD_VGPR || family != TN_AMD_GFX9))) return 0;
  return halves || (from->kind == to->kind && from->reg % 2 == 0);
}
static int tn_amd_move_lines(const tn_amd_line *line, int family) {
  if (line->kind != TN_AMD_LINE_COPY) return 1;
  if (tn_amd_move_is_none(&line->ins)) return 0;
  const int n = line->ins.o[0].dwords;
  return n > 1 && tn_amd_move_pairs(&line->ins, family) ? (n + 1) / 2 : n;
}
// Dword by dword, from the last one where what is written would be read later.
static void tn_amd_move_expand(const tn_amd_line *line, int family, tn_amd_line *out) {
  const tn_amd_operand *const to = &line->ins.o[0], *const from = &line->ins.o[1];
  const int pair = to->dwords > 1 && tn_amd_move_pairs(&line->ins, family), step = 1 + pair;
  const int n = (to->dwords + step - 1) / step, back = to->kind == from->kind && to->reg > from->reg;
  for (int i = 0; i < n; i++) {
    const int at = (back ? n - 1 - i : i) * step, dwords = at + step > to->dwords ? 1 : step;
    tn_amd_line *const move = &out[i];
    *move = *line;
    move->kind = TN_AMD_LINE_INS;
    move->ins.op = (uint16_t)tn_amd_move_op(family, to->kind, from, dwords > 1);
    move->ins.o[0] = tn_amd_slice(*to, at, dwords);
    move->ins.o[1] = tn_amd_is_register(from) ? tn_amd_slice(*from, at, dwords) : *from;
    move->ins.o[1].dwords = (uint8_t)dwords;
    if (tn_amd_format(move->ins.op, family) == TN_AMD_VOP3P) move->ins.o[0].op_sel_hi = move->ins.o[1].op_sel_hi = 1;
  }
}
// Into the same lines, if what comes of the first ones never takes more room than they did.
static void tn_amd_rename_all(tn_amd_list *l) {
  int n = 0, at = 0, fits = 1;
  for (int i = 0; i < l->n; i++) {
    for (int k = 0; k < l->line[i].ins.n; k++) tn_amd_rename(l, &l->line[i].ins.o[k]);
    for (int k = 0; k < l->line[i].ins.n_y; k++) tn_amd_rename(l, &l->line[i].ins.y[k]);
    n += tn_amd_move_lines(&l->line[i], l->family);
    fits &= n <= i + 1;
  }
  int cap = l->cap;
  tn_amd_line *const out = fits ? l->line : tn_amd_other_lines(l, n + 1, &cap);
  if (!out) return;
  for (int i = 0; i < l->n; i++) {
    if (l->line[i].kind != TN_AMD_LINE_COPY) {
      if (&out[at] != &l->line[i]) out[at] = l->line[i];
      at++;
      continue;
    }
    const tn_amd_line copy = l->line[i];
    const int moves = tn_amd_move_lines(&copy, l->family);
    if (moves) tn_amd_move_expand(&copy, l->family, &out[at]);
    at += moves;
  }
  l->n = n;
  if (!fits) tn_amd_lines_are(l, out, n, cap);
}

// ** all of it **

static void tn_amd_place_all(tn_amd_scan *s) {
  tn_amd_list *const l = s->l;
  for (int v = 0; v < l->nvreg; v++) {
    int shift;
    const int root = tn_amd_tuple_find(s->t, v, &shift), place = s->place[root];
    if (place >= 0) l->vreg[v].reg = (int16_t)(place - tn_amd_file_base(l->vreg[v].kind) + shift);
  }
  const int sgprs = tn_amd_scan_named(s, TN_AMD_SGPR), given = l->setup.user_sgprs + (l->setup.ids & 1) +
      (l->setup.ids >> 1 & 1) + (l->setup.ids >> 2 & 1);
  l->setup.vgprs = (uint16_t)tn_amd_scan_named(s, TN_AMD_VGPR);
  l->setup.agprs = (uint16_t)tn_amd_scan_named(s, TN_AMD_AGPR);
  l->setup.sgprs = (uint16_t)(sgprs > given ? sgprs : given);
}
enum { TN_AMD_MOST_ROUNDS = 40 };
static void tn_amd_allocate(tn_amd_list *l) {
  tn_amd_spill spill;
  tn_amd_spill_begin(&spill, l);
  for (int round = 0; !l->refused; round++) {
    tn_amd_ranges ranges;
    tn_amd_tuples tuples;
    tn_amd_scan scan;
    tn_amd_ranges_find(&ranges, l);
    if (!l->refused) tn_amd_tuples_find(&tuples, &ranges);
    if (l->refused) return;
    tn_amd_scan_all(&scan, &tuples);
    if (l->refused) return;
    if (!scan.nspilled) { tn_amd_place_all(&scan); break; }
    if (round == TN_AMD_MOST_ROUNDS) tn_amd_list_refuse(l, "it has more values at a time than there are registers");
    else tn_amd_spill_rewrite(&spill, &tuples, scan.spilled);
  }
  if (!l->refused) tn_amd_rename_all(l);
}
#endif
