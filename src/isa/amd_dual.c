// amd_dual: pairs of vector instructions that RDNA issues as one (VOPD).
//
// In:    a list of real registers, copies expanded, on gfx11 or gfx12. Out: the list, with fewer lines.
// Holds: the second of a pair moves up to the first, past few lines of its block that neither touch what it writes nor
//        write what it reads; both read before either writes. It does not where the first would have to wait for it
//        for more than two cycles. What stands in each half is of short forms: operands change sides, and a product
//        that is added to its own result is an fmac, where that makes a pair.
// Source: AMD, RDNA3 ISA, "Dual Issue VALU"; what a pair may be is amd_code.c's and amd_rules.c's.
#ifndef TN_ISA_AMD_DUAL
#define TN_ISA_AMD_DUAL
#ifndef TINY_AMALGAMATED
#include "amd_depend.c"
#endif

enum { TN_AMD_DUAL_FAR = 20, TN_AMD_DUAL_LATE = 2, TN_AMD_DUAL_WORDS = TN_AMD_DWORD_VIRTUAL / 32 + 1 };
// One of a pair, in its short form; n: 0: it cannot be one.
typedef struct tn_amd_dual_side { int op, n; tn_amd_operand o[4]; } tn_amd_dual_side;
typedef struct tn_amd_touched { uint32_t reads[TN_AMD_DUAL_WORDS], writes[TN_AMD_DUAL_WORDS]; } tn_amd_touched;
typedef struct tn_amd_pairs {
  tn_amd_list *l; tn_amd_uses *uses; tn_amd_trait *trait; tn_amd_dual_side *half;    // of lines
  uint8_t *gone;                           // of a line: it is the second of a pair
  int ready[TN_AMD_DWORD_VIRTUAL], now;    // of registers: the cycle from which they are there
} tn_amd_pairs;

// ** halves **

static int tn_amd_half_is_plain(const tn_amd_ins *ins) {
  for (int i = 0; i < ins->n; i++)
    if (ins->o[i].neg || ins->o[i].abs || ins->o[i].op_sel || ins->o[i].sext) return 0;
  for (int i = 0; i < TN_AMD_MODIFIERS; i++) if (ins->m[i]) return 0;
  return !ins->lanes && !ins->op_y;
}
static int tn_amd_half_is_vector(const tn_amd_operand *o) { return o->kind == TN_AMD_VGPR; }
// d = a * b + c as what VOPD has of it: c is d, or a constant is one of them, which stands behind the words then.
static void tn_amd_half_of_fma(const tn_amd_ins *ins, tn_amd_dual_side *h) {
  const tn_amd_operand *const o = ins->o;
  const int a = tn_amd_is_constant(&o[1]) ? 2 : 1, b = 3 - a;         // b: a constant, if one is
  memcpy(h->o, o, 4 * sizeof *o);
  if (tn_amd_is_constant(&o[3])) {
    h->op = TN_AMD_V_FMAAK_F32;
    h->o[3].kind = TN_AMD_LITERAL;
  } else if (tn_amd_is_constant(&o[b]) && tn_amd_half_is_vector(&o[3])) {
    h->op = TN_AMD_V_FMAMK_F32;
    h->o[1] = o[a]; h->o[2] = o[b];
    h->o[2].kind = TN_AMD_LITERAL;
  } else if (tn_amd_half_is_vector(&o[3]) && o[3].reg == o[0].reg) { h->op = TN_AMD_V_FMAC_F32; h->n = 3; }
  else h->n = 0;
}
static int tn_amd_half_swaps(int op) {
  switch (op) {
    case TN_AMD_V_ADD_F32: case TN_AMD_V_MUL_F32: case TN_AMD_V_MUL_DX9_ZERO_F32: case TN_AMD_V_MAX_F32:
    case TN_AMD_V_MIN_F32: case TN_AMD_V_FMAC_F32: case TN_AMD_V_FMAAK_F32: case TN_AMD_V_ADD_NC_U32:
    case TN_AMD_V_AND_B32: case TN_AMD_V_DOT2ACC_F32_F16: return op;
    case TN_AMD_V_SUB_F32: return TN_AMD_V_SUBREV_F32;
    case TN_AMD_V_SUBREV_F32: return TN_AMD_V_SUB_F32;
    default: return 0;
  }
}
// The same with its first two sources changed. 0: it has no such form.
static int tn_amd_half_swapped(const tn_amd_dual_side *h, tn_amd_dual_side *to) {
  const int op = tn_amd_half_swaps(h->op);
  if (!op || !tn_amd_half_is_vector(&h->o[1])) return 0;
  *to = *h;
  to->op = op;
  to->o[1] = h->o[2]; to->o[2] = h->o[1];
  return 1;
}
static void tn_amd_half_of(const tn_amd_line *line, tn_amd_dual_side *h) {
  const tn_amd_ins *const ins = &line->ins;
  memset(h, 0, sizeof *h);
  if (line->kind != TN_AMD_LINE_INS || ins->n > 4) return;
  const int is_fma = ins->op == TN_AMD_V_FMA_F32;
  if ((!is_fma && tn_amd_dual_code(ins->family, ins->op, TN_AMD_DUALS) < 0) || !tn_amd_half_is_plain(ins)) return;
  h->op = ins->op; h->n = ins->n;
  memcpy(h->o, ins->o, (size_t)ins->n * sizeof *ins->o);
  if (is_fma) tn_amd_half_of_fma(ins, h);
  const int alone = h->op == TN_AMD_V_MOV_B32 || h->op == TN_AMD_V_FMAMK_F32;
  if (!h->n || alone || tn_amd_half_is_vector(&h->o[2])) return;
  const tn_amd_dual_side as_is = *h;
  if (!tn_amd_half_swapped(&as_is, h)) h->n = 0;
}

// ** pairs **

static int tn_amd_pair_of(const tn_amd_dual_side *x, const tn_amd_dual_side *y, int family, tn_amd_ins *pair) {
  uint32_t words[TN_AMD_MOST_WORDS];
  if (tn_amd_dual_code(family, x->op, TN_AMD_DUALS_X) < 0) return 0;
  pair->op = (uint16_t)x->op; pair->n = (uint8_t)x->n;
  pair->op_y = (uint16_t)y->op; pair->n_y = (uint8_t)y->n;
  memcpy(pair->o, x->o, sizeof x->o);
  memcpy(pair->y, y->o, sizeof y->o);
  return !tn_amd_dual_rule(pair) && tn_amd_encode(family, pair, words) > 0;
}
// Either may be the first half, and each may change its sources.
static int tn_amd_pair_some(const tn_amd_dual_side *a, const tn_amd_dual_side *b, int family, tn_amd_ins *pair) {
  tn_amd_dual_side as[2], bs[2];
  as[0] = *a; bs[0] = *b;
  const int na = 1 + tn_amd_half_swapped(a, &as[1]), nb = 1 + tn_amd_half_swapped(b, &bs[1]);
  if (!((a->o[0].reg ^ b->o[0].reg) & 1)) return 0;
  memset(pair, 0, sizeof *pair);
  pair->family = (uint8_t)family;
  for (int i = 0; i < na; i++) {
    for (int k = 0; k < nb; k++) {
      if (tn_amd_pair_of(&as[i], &bs[k], family, pair)) return 1;
      if (tn_amd_pair_of(&bs[k], &as[i], family, pair)) return 1;
    }
  }
  return 0;
}

// ** who touches what **

static int tn_amd_touch_of(const tn_amd_use *u) {            // -1: nobody waits for it
  const int at = u->reg + u->sub;
  if (u->kind == TN_AMD_SPECIAL)
    return u->reg == TN_AMD_SCC ? TN_AMD_DWORD_SCC : u->reg == TN_AMD_VCCZ ? TN_AMD_DWORD_SGPR + (int)TN_AMD_VCC
         : u->reg == TN_AMD_EXECZ ? TN_AMD_DWORD_SGPR + (int)TN_AMD_EXEC : -1;
  if (u->kind == TN_AMD_SGPR) return at == TN_AMD_NULL || at > 127 ? -1 : TN_AMD_DWORD_SGPR + at;
  return at > 255 ? -1 : u->kind == TN_AMD_AGPR ? TN_AMD_DWORD_AGPR + at : at;
}
static void tn_amd_touch(tn_amd_touched *t, const tn_amd_uses *uses) {
  for (int k = 0; k < uses->n; k++) {
    const int first = tn_amd_touch_of(&uses->of[k]), n = uses->of[k].dwords ? uses->of[k].dwords : 1;
    for (int d = first; first >= 0 && d < first + n; d++) {
      if (uses->of[k].role & TN_AMD_READS) t->reads[d / 32] |= 1u << d % 32;
      if (uses->of[k].role & TN_AMD_WRITES) t->writes[d / 32] |= 1u << d % 32;
    }
  }
}
// Does nothing that was touched keep the line from going past?
static int tn_amd_may_pass(const tn_amd_touched *t, const tn_amd_uses *uses) {
  for (int k = 0; k < uses->n; k++) {
    const int first = tn_amd_touch_of(&uses->of[k]), n = uses->of[k].dwords ? uses->of[k].dwords : 1;
    for (int d = first; first >= 0 && d < first + n; d++) {
      const uint32_t reads = t->reads[d / 32] >> d % 32 & 1, writes = t->writes[d / 32] >> d % 32 & 1;
      if (writes || (reads && uses->of[k].role & TN_AMD_WRITES)) return 0;
    }
  }
  return 1;
}

// ** time **

static int tn_amd_there(const tn_amd_pairs *p, int line) {
  int there = 0;
  for (int k = 0; k < p->uses[line].n; k++) {
    const tn_amd_use *const u = &p->uses[line].of[k];
    const int first = tn_amd_touch_of(u), n = u->dwords ? u->dwords : 1;
    for (int d = first; first >= 0 && d < first + n; d++) if (p->ready[d] > there) there = p->ready[d];
  }
  return there;
}
static void tn_amd_passes(tn_amd_pairs *p, int line) {
  const int there = tn_amd_there(p, line);
  if (there > p->now) p->now = there;
  for (int k = 0; k < p->uses[line].n; k++) {
    const tn_amd_use *const u = &p->uses[line].of[k];
    const int first = tn_amd_touch_of(u), n = u->dwords ? u->dwords : 1;
    for (int d = first; first >= 0 && d < first + n && u->role & TN_AMD_WRITES; d++)
      p->ready[d] = p->now + p->trait[line].cycles;
  }
  p->now += p->trait[line].issue;
}

// ** all **

// The line that is issued with this one: the first that may be. -1: none is.
static int tn_amd_partner(tn_amd_pairs *p, int line, tn_amd_ins *pair) {
  const int there = tn_amd_there(p, line), issued = there > p->now ? there : p->now;
  tn_amd_touched first, between;
  memset(&first, 0, sizeof first);
  memset(&between, 0, sizeof between);
  tn_amd_touch(&first, &p->uses[line]);
  memset(first.reads, 0, sizeof first.reads);                // which the second may write
  for (int i = line + 1, far_away = 1; i < p->l->n && far_away < TN_AMD_DUAL_FAR; i++) {
    if (p->gone[i]) continue;
    if (p->trait[i].stands) return -1;
    const int soon = p->half[i].n && tn_amd_there(p, i) <= issued + TN_AMD_DUAL_LATE;
    if (soon && tn_amd_may_pass(&first, &p->uses[i]) && tn_amd_may_pass(&between, &p->uses[i]) &&
        tn_amd_pair_some(&p->half[line], &p->half[i], p->l->family, pair)) return i;
    tn_amd_touch(&between, &p->uses[i]);
    far_away++;
  }
  return -1;
}
static int tn_amd_pairs_open(tn_amd_pairs *p, tn_amd_list *l) {
  memset(p, 0, sizeof *p);
  p->l = l;
  p->uses = (tn_amd_uses *)tn_amd_room(l, (size_t)l->n, sizeof *p->uses);
  p->half = (tn_amd_dual_side *)tn_amd_room(l, (size_t)l->n, sizeof *p->half);
  p->trait = (tn_amd_trait *)tn_amd_room(l, (size_t)l->n, sizeof *p->trait);
  p->gone = (uint8_t *)tn_amd_room(l, (size_t)l->n, 1);
  if (!p->uses || !p->half || !p->trait || !p->gone) return 0;
  for (int i = 0; i < l->n; i++) {
    tn_amd_uses_of(&l->line[i], &p->uses[i]);
    tn_amd_trait_of(&l->line[i], &p->trait[i]);
    tn_amd_half_of(&l->line[i], &p->half[i]);
  }
  return 1;
}
static void tn_amd_pair_lines(tn_amd_list *l) {
  tn_amd_pairs p;
  tn_amd_ins pair;
  int n = 0;
  if (l->refused || l->family == TN_AMD_GFX9 || l->chip->wave != 32) return;
  if (!tn_amd_pairs_open(&p, l)) { tn_amd_list_refuse(l, "there is no memory for it"); return; }
  for (int i = 0; i < l->n; i++) {
    if (p.gone[i]) continue;
    const int second = p.half[i].n ? tn_amd_partner(&p, i, &pair) : -1;
    if (second >= 0) {
      l->line[i].ins = pair;
      p.gone[second] = 1;
      tn_amd_uses_of(&l->line[i], &p.uses[i]);
    }
    tn_amd_passes(&p, i);
    if (n != i) l->line[n] = l->line[i];
    n++;
  }
  l->n = n;
}
#endif
