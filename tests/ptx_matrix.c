// ptx_matrix: what a warp does as one: shuffles, votes, matrices.
//
// Source: PTX ISA, "shfl.sync", "vote.sync", "match.sync", "redux.sync", "ldmatrix", "stmatrix", "movmatrix", and
// "Matrix Fragments for mma.m8n8k4" .. "mma.m16n8k32", whose formulas stand here once, by the width of an element.
// Included by ptx_machine.c.
#ifndef PTX_MATRIX_C
#define PTX_MATRIX_C
#include "ptx_transfer.c"

// The lanes that must stand here: those that are named, of which a group's last warp may have less; that a driver would
// let those go that have ended is nothing to rely on.
static uint32_t ptx_named_lanes(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  int at = -1;
  switch (ins->op) {
    case PTX_shfl_: at = 4; break;
    case PTX_vote_: case PTX_match_: case PTX_redux_: at = 2; break;
    case PTX_bar_: case PTX_barrier_: at = ptx_has(ins, PTX_W_warp) ? 0 : -1; break;
    case PTX_elect_: at = 1; break;
    default: break;
  }
  if (at < 0) return w->exists;
  if (at >= ins->n) ptx_stop(v, ptx_lowest(mask), "'%s' without lanes", ptx_ops[ins->op]);
  const uint64_t *lanes = ptx_row(v, w, &o[at], mask, 0);
  const uint32_t named = (uint32_t)lanes[ptx_lowest(mask)];
  PTX_LANES(mask, if ((uint32_t)lanes[i] != named)
                      ptx_stop(v, i, "lanes name other lanes (0x%x, 0x%x)", (unsigned)lanes[i], named);
            if (!(named >> i & 1)) ptx_stop(v, i, "a lane does not name itself (0x%x)", named));
  return named & w->exists;
}

static void ptx_shfl(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  uint64_t value[PTX_WARP];
  memcpy(value, ptx_row(v, w, &o[1], mask, 0), sizeof value);
  const uint64_t *b = ptx_row(v, w, &o[2], mask, 1), *c = ptx_row(v, w, &o[3], mask, 2);
  int from[PTX_WARP];
  uint32_t in = 0;
  for (int i = 0; i < PTX_WARP; i++) {
    if (!(mask >> i & 1)) continue;
    const int by = (int)(b[i] & 31), clamp = (int)(c[i] & 31), segment = (int)(c[i] >> 8 & 31);
    const int most = (i & segment) | (clamp & ~segment), least = i & segment;
    int j = ins->mode == PTX_W_up     ? i - by
            : ins->mode == PTX_W_down ? i + by
            : ins->mode == PTX_W_bfly ? i ^ by
                                      : least | (by & ~segment);
    const int is = ins->mode == PTX_W_up ? j >= most : j <= most;
    if (!is) j = i;
    in |= (uint32_t)is << i;
    from[i] = j;
    if (!(mask >> j & 1)) ptx_stop(v, i, "a shuffle from lane %d, which is not here", j);
  }
  const ptx_operand *also = o[0].also ? &v->m->operand[o[0].also] : NULL;
  uint64_t *d = ptx_to(v, w, &o[0], mask);
  PTX_LANES(mask, d[i] = value[from[i]] & 0xFFFFFFFF);
  if (also) ptx_set_bits(v, w, also, mask, in);
}
static void ptx_vote(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const uint32_t p = ptx_bits_of(v, w, &o[1], mask) & mask;
  if (ins->mode == PTX_W_ballot) {
    uint64_t *d = ptx_to(v, w, &o[0], mask);
    PTX_LANES(mask, d[i] = p);
  } else {
    const int yes = ins->mode == PTX_W_all ? p == mask : ins->mode == PTX_W_any ? p != 0 : p == mask || !p;
    ptx_set_bits(v, w, &o[0], mask, yes ? mask : 0);
  }
}
static void ptx_match(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  uint64_t a[PTX_WARP];
  memcpy(a, ptx_row(v, w, &o[1], mask, 0), sizeof a);
  uint64_t *d = ptx_to(v, w, &o[0], mask);
  uint32_t same[PTX_WARP] = {0};
  for (int i = 0; i < PTX_WARP; i++)
    for (int k = 0; k < PTX_WARP; k++) if ((mask >> i & 1) && (mask >> k & 1) && a[i] == a[k]) same[i] |= 1u << k;
  const int any = ins->mode == PTX_W_any, all = same[ptx_lowest(mask)] == mask;
  PTX_LANES(mask, d[i] = any ? same[i] : all ? mask : 0);
  if (!any && o[0].also) ptx_set_bits(v, w, &v->m->operand[o[0].also], mask, all ? mask : 0);
}
static void ptx_redux(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const uint64_t *a = ptx_row(v, w, &o[1], mask, 0);
  uint64_t sum = a[ptx_lowest(mask)];
  for (int i = ptx_lowest(mask) + 1; i < PTX_WARP; i++) {
    if (!(mask >> i & 1)) continue;
    if (ins->type != PTX_F32) { sum = ptx_combined(v, ins, sum, a[i], 0, i); continue; }
    ptx_ins smaller = *ins;
    smaller.op = (uint16_t)(ins->mode == PTX_W_min ? PTX_min_ : PTX_max_);
    sum = ptx_b32((float)ptx_smaller((double)ptx_f32(sum), (double)ptx_f32(a[i]), &smaller));
  }
  uint64_t *d = ptx_to(v, w, &o[0], mask);
  PTX_LANES(mask, d[i] = sum & 0xFFFFFFFF);
}
static void ptx_elect(ptx_machine *v, ptx_warp *w, const ptx_operand *o, uint32_t mask) {
  const int first = ptx_lowest(mask);
  uint64_t *d = ptx_to(v, w, &o[0], mask);
  PTX_LANES(mask, d[i] = (unsigned)first);
  if (o[0].also) ptx_set_bits(v, w, &v->m->operand[o[0].also], mask, 1u << first);
}

// ** ldmatrix, stmatrix: matrix j's rows are addressed by lanes 8 * j .. 8 * j + 7 **

static const ptx_operand *ptx_words_of(ptx_machine *v, const ptx_operand *o, int k, int n) {
  if (o->kind != PTX_LIST) { if (n != 1) ptx_stop(v, 0, "a list of %d registers is wanted", n); return o; }
  if (o->n != n) ptx_stop(v, 0, "a list has %d registers, and not %d", o->n, n);
  return &v->m->operand[o->at + k];
}
static void ptx_ldmatrix(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const int n = ptx_has(ins, PTX_W_x4) ? 4 : ptx_has(ins, PTX_W_x2) ? 2 : 1, turned = ptx_has(ins, PTX_W_trans);
  const int stores = ins->op == PTX_stmatrix_;
  const ptx_operand *list = &o[stores ? 1 : 0];
  uint64_t at[PTX_WARP];
  ptx_group *group[PTX_WARP];
  memcpy(at, ptx_address(v, w, &o[stores ? 0 : 1], mask & (uint32_t)(((uint64_t)1 << 8 * n) - 1), 0), sizeof at);
  if (v->counts) { if (stores) v->counts->stores++; else v->counts->loads++; }
  for (int i = 0; i < 8 * n; i++) {
    ptx_aligned(v, i, at[i], 16);
    group[i] = ptx_place_of(v, w, i, ins->space, &at[i], 16);
  }
  for (int j = 0; j < n; j++) {
    const ptx_operand *word = ptx_words_of(v, list, j, n);
    const uint64_t *from = stores ? ptx_row(v, w, word, mask, 1) : NULL;
    uint64_t *d = stores ? NULL : ptx_to(v, w, word, mask);
    for (int i = 0; i < PTX_WARP; i++) {
      uint32_t both = 0;
      for (int e = 0; e < 2; e++) {
        const int row = 8 * j + (turned ? i % 4 * 2 + e : i / 4), column = turned ? i / 4 : i % 4 * 2 + e;
        const uint32_t place = (uint32_t)at[row] + 2 * (uint32_t)column;
        if (stores) ptx_shared_write(v, w, i, group[row], place, 2, 0);
        else ptx_shared_read(v, w, i, group[row], place, 2, 0);
        unsigned char *p = group[row]->shared + place;
        if (stores) ptx_write(p, from[i] >> 16 * e, 2);
        else both |= (uint32_t)ptx_read(p, 2) << 16 * e;
      }
      if (d) d[i] = both;
    }
  }
}
static void ptx_movmatrix(ptx_machine *v, ptx_warp *w, const ptx_operand *o, uint32_t mask) {
  uint64_t a[PTX_WARP];
  memcpy(a, ptx_row(v, w, &o[1], mask, 0), sizeof a);
  uint64_t *d = ptx_to(v, w, &o[0], mask);
  for (int i = 0; i < PTX_WARP; i++) {
    uint64_t both = 0;
    for (int e = 0; e < 2; e++) both |= (a[(i % 4 * 2 + e) * 4 + i / 8] >> 16 * (i / 4 % 2) & 0xFFFF) << 16 * e;
    d[i] = both;
  }
}

// ** mma **

// Sums are exact in double where that holds them, and rounded once: the manual leaves order and rounding open.
static int64_t ptx_small(uint64_t bits, int type) {
  return (int64_t)ptx_wide(bits, ptx_bits(type), ptx_is_signed(type));
}
// a (m,k) or b (n,k): who holds which: rows group, group + 8; of 32 bits `each` elements beside each other.
static void ptx_gather_tile(ptx_machine *v, ptx_warp *w, const ptx_operand *o, int type, int rows, int k, uint32_t mask,
                            ptx_tile *t) {
  const int bits = ptx_bits(type), each = bits >= 32 ? 1 : 32 / bits, halves = rows / 8, n = rows * k / 32 / each;
  for (int r = 0; r < n; r++) {
    const uint64_t *a = ptx_row(v, w, ptx_words_of(v, o, r, n), mask, 0);
    for (int i = 0; i < PTX_WARP; i++)
      for (int e = 0; e < each; e++) {
        const int row = i / 4 + 8 * (r % halves), column = i % 4 * each + e + r / halves * 4 * each;
        const uint64_t x = a[i] >> (each > 1 ? bits * e : 0) & ptx_mask_of(bits);
        if (ptx_is_float(type)) t->x[row][column] = ptx_value(x, type);
        else t->i[row][column] = type == PTX_B1 ? (int64_t)x : ptx_small(x, type);
      }
  }
}
static uint64_t ptx_product(const ptx_ins *ins, const ptx_tile *a, const ptx_tile *b, int row, int column, int k,
                            uint64_t c, int d, int from) {
  if (!ptx_is_float(d)) {
    int64_t sum = (int32_t)c;
    for (int i = 0; i < k; i++)
      sum += ins->type2 != PTX_B1     ? a->i[row][i] * b->i[column][i]
             : ins->mode == PTX_W_xor ? a->i[row][i] ^ b->i[column][i]
                                      : a->i[row][i] & b->i[column][i];
    if (ins->sat) return ptx_clamp(sum, 32, 1);
    return (uint64_t)sum & 0xFFFFFFFF;
  }
  double sum = ptx_value(c, from);
  if (d == PTX_F64) for (int i = 0; i < k; i++) sum = fma(a->x[row][i], b->x[column][i], sum);
  else {
    double products = 0;
    for (int i = 0; i < k; i++) products += a->x[row][i] * b->x[column][i];
    sum += products;
  }
  return ptx_of_value(sum, d, PTX_W_rn, 0);
}
static void ptx_mma(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const int m = ins->shape >> 20, n = ins->shape >> 8 & 0xFFF, k = ins->shape & 0xFF, d = ins->type, c = ins->type4;
  ptx_tile *a = &v->a, *b = &v->b;
  uint64_t in[8][PTX_WARP], out[8][PTX_WARP];
  if (v->counts) v->counts->matrix++;
  if (!m || n != 8 || m > 16 || k > 64 || ins->ntypes < 4 || (m == 8 && k == 4 && d != PTX_F64))
    ptx_stop(v, 0, "'mma' of this shape is not known");
  ptx_gather_tile(v, w, &o[1], ins->type2, m, k, mask, a);
  ptx_gather_tile(v, w, &o[2], ins->type3, n, k, mask, b);
  const int each = ptx_bits(d) == 16 ? 2 : 1, words = m * n / 32 / each;
  for (int r = 0; r < words; r++) memcpy(in[r], ptx_row(v, w, ptx_words_of(v, &o[3], r, words), mask, 0), sizeof in[r]);
  for (int i = 0; i < PTX_WARP; i++)
    for (int e = 0; e < words * each; e++) {
      const int row = i / 4 + 8 * (e / 2), column = i % 4 * 2 + e % 2, r = e / each, at = each == 2 ? 16 * (e % 2) : 0;
      const uint64_t was = each == 2 ? in[r][i] >> at & 0xFFFF : in[r][i];
      const uint64_t x = ptx_product(ins, a, b, row, column, k, was, d, c);
      out[r][i] = at ? out[r][i] | x << at : x;
    }
  for (int r = 0; r < words; r++) memcpy(ptx_to(v, w, ptx_words_of(v, &o[0], r, words), mask), out[r], sizeof out[r]);
}
#endif
