// ptx_transfer: loads, stores, atomic operations, and copies that complete late.
//
// Source: PTX ISA, "ld", "st", "atom", "red", "cp.async", "cp.async.wait_group".
// Included by ptx_machine.c.
#ifndef PTX_TRANSFER_C
#define PTX_TRANSFER_C
#include "ptx_arithmetic.c"

// The registers of a load or store: one, or a vector of them.
static const ptx_operand *ptx_vector(ptx_machine *v, const ptx_ins *ins, const ptx_operand *o, int k, uint32_t mask) {
  if (o->kind != PTX_LIST) {
    if (ins->vec != 1) ptx_stop(v, ptx_lowest(mask), "a vector is wanted");
    return o;
  }
  if (o->n != ins->vec) ptx_stop(v, ptx_lowest(mask), "a vector of %d has %d registers", ins->vec, o->n);
  return &v->m->operand[o->at + k];
}
static uint64_t ptx_read(const unsigned char *p, int nbytes) {
  uint64_t x = 0;
  switch (nbytes) {
    case 1: return *p;
    case 2: { uint16_t y; memcpy(&y, p, 2); return y; }
    case 4: { uint32_t y; memcpy(&y, p, 4); return y; }
    default: memcpy(&x, p, 8); return x;
  }
}
static void ptx_write(unsigned char *p, uint64_t x, int nbytes) {
  switch (nbytes) {
    case 1: *p = (unsigned char)x; return;
    case 2: { const uint16_t y = (uint16_t)x; memcpy(p, &y, 2); return; }
    case 4: { const uint32_t y = (uint32_t)x; memcpy(p, &y, 4); return; }
    default: memcpy(p, &x, 8); return;
  }
}
// Host addresses of all lanes. Of global memory one question where lanes lie near each other.
static void ptx_places(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const uint64_t *at, uint32_t n, int writes,
                       uint32_t mask, unsigned char **p) {
  const int how = ins->strong ? PTX_ATOMIC : 0;
  if (ins->space == PTX_GLOBAL && mask) {
    uint64_t least = ~(uint64_t)0, most = 0;
    PTX_LANES(mask, if (at[i] < least) least = at[i]; if (at[i] > most) most = at[i]; ptx_aligned(v, i, at[i], n));
    if (!(least >> 56) && most - least <= 8192 && v->l->memory.at) {
      unsigned char *base = (unsigned char *)v->l->memory.at(v->l->memory.user, least, most - least + n, writes);
      if (base) { PTX_LANES(mask, p[i] = base + (at[i] - least)); return; }
    }
  }
  for (int i = 0; i < PTX_WARP; i++) {
    if (!(mask >> i & 1)) continue;
    const uint64_t a = at[i];
    if (ins->space != PTX_SHARED || a & (n - 1) || a + n > v->shared_nbytes)
      p[i] = ptx_at(v, w, i, ins->space, a, n, writes, how);
    else {                                 // what most accesses are
      if (writes) ptx_shared_write(v, w, i, w->group, (uint32_t)a, n, how);
      else ptx_shared_read(v, w, i, w->group, (uint32_t)a, n, how);
      p[i] = w->group->shared + a;
    }
  }
}
// Of addresses of global memory, or generic ones, which tell by their window.
static int ptx_is_of_device(const ptx_ins *ins) { return ins->space == PTX_GLOBAL || ins->space == PTX_GENERIC; }
static void ptx_load(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const int bits = ptx_bits(ins->type), nbytes = bits / 8, s = ptx_is_signed(ins->type);
  unsigned char *p[PTX_WARP];
  if (v->counts) v->counts->loads++;
  if (nbytes > 8 || !nbytes) ptx_stop(v, ptx_lowest(mask), "'ld.%s' is not known", ptx_types[ins->type].text);
  const uint64_t *at = ptx_address(v, w, &o[1], mask, 0);
  ptx_places(v, w, ins, at, (uint32_t)(nbytes * ins->vec), 0, mask, p);
  if (ptx_has(ins, PTX_W_nc)) { PTX_LANES(mask, ptx_touched(v, i, at[i], (uint64_t)(nbytes * ins->vec), 0)); }
  for (int k = 0; k < ins->vec; k++) {
    const ptx_operand *to = ptx_vector(v, ins, &o[0], k, mask);
    if (to->kind == PTX_NONE) continue;
    uint64_t *d = ptx_to(v, w, to, mask);
    if (to->bits < bits) ptx_stop(v, ptx_lowest(mask), "a register of %d bits is loaded with %d", to->bits, bits);
    const uint64_t m = ptx_mask_of(to->bits);
    if (s) { PTX_LANES(mask, d[i] = ptx_wide(ptx_read(p[i] + k * nbytes, nbytes), bits, 1) & m); }
    else if (nbytes == 4) { PTX_LANES(mask, d[i] = ptx_read(p[i] + k * 4, 4)); }
    else { PTX_LANES(mask, d[i] = ptx_read(p[i] + k * nbytes, nbytes)); }
  }
}
// An element of a vector that is stored. nvcc stores vectors of which it writes some elements right behind: those may
// be undefined (missing: lanes), and are in memory as if nobody had written them.
static const uint64_t *ptx_stored(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask,
                                  uint32_t *missing) {
  const int bits = ptx_bits(ins->type);
  *missing = ins->vec > 1 && o->kind == PTX_ROW ? mask & ~w->defined[o->at] : 0;
  if (o->kind == PTX_ROW && o->bits < bits)
    ptx_stop(v, ptx_lowest(mask), "%d bits are stored of a register of %d", bits, o->bits);
  if (o->kind == PTX_SPECIAL) ptx_stop(v, ptx_lowest(mask), "a special register is stored");
  return *missing ? w->reg + (size_t)o->at * PTX_WARP : ptx_row(v, w, o, mask, 1);
}
static void ptx_unwritten(ptx_group *g, const ptx_machine *v, const unsigned char *p, int nbytes) {
  if (p < g->shared || p >= g->shared + v->shared_nbytes) return;
  for (int i = 0; i < nbytes; i++) g->cell[p - g->shared + i].written = 0;
}
static void ptx_store(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const int nbytes = ptx_bits(ins->type) / 8;
  const uint64_t *from[8], poison = 0xC5C5C5C5C5C5C5C5u;
  uint32_t missing[8];
  unsigned char *p[PTX_WARP];
  if (v->counts) v->counts->stores++;
  if (nbytes > 8 || !nbytes)
    ptx_stop(v, ptx_lowest(mask), "'st.%s' is not known", ptx_types[ins->type].text);
  for (int k = 0; k < ins->vec; k++)
    from[k] = ptx_stored(v, w, ins, ptx_vector(v, ins, &o[1], k, mask), mask, &missing[k]);
  const uint64_t *at = ptx_address(v, w, &o[0], mask, 0);
  ptx_places(v, w, ins, at, (uint32_t)(nbytes * ins->vec), 1, mask, p);
  if (ptx_is_of_device(ins)) { PTX_LANES(mask, ptx_touched(v, i, at[i], (uint64_t)(nbytes * ins->vec), 1)); }
  for (int k = 0; k < ins->vec; k++) {
    PTX_LANES(mask & ~missing[k], ptx_write(p[i] + k * nbytes, from[k][i], nbytes));
    PTX_LANES(missing[k], ptx_write(p[i] + k * nbytes, poison, nbytes);
              ptx_unwritten(w->group, v, p[i] + k * nbytes, nbytes));
  }
}

// ** atomic operations **

static uint64_t ptx_combined(ptx_machine *v, const ptx_ins *ins, uint64_t was, uint64_t x, uint64_t y, int lane) {
  const int type = ins->type, bits = ptx_bits(type), s = ptx_is_signed(type);
  const uint64_t m = ptx_mask_of(bits);
  if (ptx_is_float(type)) {
    const int part = ptx_part(type), pair = ptx_types[type].parts == 2, step = bits / (pair ? 2 : 1);
    uint64_t out = 0;
    for (int half = 0; half <= pair; half++) {
      const double a = ptx_value(was >> step * half & ptx_mask_of(step), part),
                   b = ptx_value(x >> step * half & ptx_mask_of(step), part);
      double sum = 0;
      if (ins->mode == PTX_W_add)
        sum = part == PTX_F32 ? (double)((float)a + (float)b) : part == PTX_F64 ? a + b : ptx_odd_fma(a, 1, b);
      else if (ins->mode == PTX_W_min || ins->mode == PTX_W_max) sum = (a < b) == (ins->mode == PTX_W_min) ? a : b;
      else if (ins->mode == PTX_W_exch) { out = x; break; }
      else ptx_stop(v, lane, "'%s' of floats is not known", ptx_words[ins->mode]);
      out |= ptx_of_value(sum, part, PTX_W_rn, 0) << step * half;
    }
    return out & m;
  }
  const uint64_t a = ptx_wide(was, bits, s), b = ptx_wide(x, bits, s);
  switch (ins->mode) {
    case PTX_W_add: return (was + x) & m;
    case PTX_W_and: return was & x & m;
    case PTX_W_or: return (was | x) & m;
    case PTX_W_xor: return (was ^ x) & m;
    case PTX_W_exch: return x & m;
    case PTX_W_cas: return was == (x & m) ? y & m : was;
    case PTX_W_inc: return was >= (x & m) ? 0 : was + 1;
    case PTX_W_dec: return !was || was > (x & m) ? x & m : was - 1;
    case PTX_W_min: return (s ? (int64_t)a < (int64_t)b : a < b) ? was : x & m;
    case PTX_W_max: return (s ? (int64_t)a > (int64_t)b : a > b) ? was : x & m;
    default: ptx_stop(v, lane, "an atomic operation that is not known"); return 0;
  }
}
static void ptx_atomic(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const int reduces = ins->op == PTX_red_, nbytes = ptx_bits(ins->type) / 8;
  const ptx_operand *place = &o[reduces ? 0 : 1], *value = place + 1;
  const uint64_t *at = ptx_address(v, w, place, mask, 0);
  const uint64_t *y = ins->mode == PTX_W_cas ? ptx_row(v, w, &value[1], mask, 2) : ptx_zeros;
  const uint64_t *x[8];
  uint64_t *d[8];
  if (v->counts) v->counts->stores++;
  for (int k = 0; k < ins->vec; k++) {
    x[k] = ptx_row(v, w, ptx_vector(v, ins, value, k, mask), mask, 1);
    d[k] = reduces ? v->scratch[7] : ptx_to(v, w, ptx_vector(v, ins, &o[0], k, mask), mask);
  }
  const uint32_t turn = v->l->seed ? ptx_random(v, PTX_WARP) : 0;          // in any order
  for (uint32_t n = 0; n < PTX_WARP; n++) {
    const int i = (int)((n + turn) % PTX_WARP);
    if (!(mask >> i & 1)) continue;
    unsigned char *p = ptx_at(v, w, i, ins->space, at[i], (uint32_t)(nbytes * ins->vec), 2, PTX_ATOMIC);
    if (ptx_is_of_device(ins)) ptx_touched(v, i, at[i], (uint64_t)(nbytes * ins->vec), 1);
    for (int k = 0; k < ins->vec; k++) {
      const uint64_t was = ptx_read(p + k * nbytes, nbytes), with = x[k][i];
      ptx_write(p + k * nbytes, ptx_combined(v, ins, was, with, y[i], i), nbytes);
      d[k][i] = was;
    }
  }
}

// ** cp.async **

static void ptx_perform(ptx_machine *v, ptx_copy *c) {
  if (c->done) return;
  c->done = 1;
  unsigned char *to = v->group[c->rank].shared + c->piece.to;
  const ptx_ins *at = v->ins;
  if (c->piece.there)
    memcpy(to, ptx_global_at(v, c->thread % PTX_WARP, c->piece.from, c->piece.there, 0), c->piece.there);
  memset(to + c->piece.there, 0, (size_t)(c->piece.n - c->piece.there));
  v->ins = at;
}
static void ptx_cp_async(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const uint64_t *at = ptx_address(v, w, &o[0], mask, 0), *from = ptx_address(v, w, &o[1], mask, 1);
  const uint64_t *size = ptx_row(v, w, &o[2], mask, 2), *there = size;
  uint32_t ignored = 0;
  if (ins->n > 3 && o[3].kind == PTX_BITS) ignored = ptx_bits_of(v, w, &o[3], mask);
  else if (ins->n > 3) there = ptx_row(v, w, &o[3], mask, 3);
  for (int i = 0; i < PTX_WARP; i++) {
    if (!(mask >> i & 1)) continue;
    const uint32_t n = (uint32_t)size[i], is = ignored >> i & 1 ? 0 : (uint32_t)there[i];
    uint64_t to = at[i];
    if ((n != 4 && n != 8 && n != 16) || is > n || (ptx_has(ins, PTX_W_cg) && n != 16))
      ptx_stop(v, i, "a copy of %u bytes of %u", is, n);
    ptx_aligned(v, i, to, n);
    ptx_aligned(v, i, from[i], n);
    ptx_group *g = ptx_shared_at(v, w, i, &to, n);
    ptx_shared_write(v, w, i, g, (uint32_t)to, n, PTX_PENDING);
    if (is) ptx_global_at(v, i, from[i], is, 0);
    w->copy = (ptx_copy *)ptx_room(v, w->copy, w->ncopy, &w->copy_room, sizeof *w->copy);
    ptx_copy *c = &w->copy[w->ncopy++];
    memset(c, 0, sizeof *c);
    c->piece = (ptx_piece){from[i], (uint32_t)to, (uint16_t)n, (uint16_t)is};
    c->thread = i; c->rank = g->rank; c->group = w->committed[i] + 1; c->line = ins->line; c->mbar = -1;
    if (!v->l->seed) ptx_perform(v, c);
  }
}
// Copies of these lanes are there and may be read by them.
static void ptx_arrived(ptx_machine *v, ptx_warp *w, ptx_copy *c) {
  ptx_perform(v, c);
  for (uint32_t i = c->piece.to; i < c->piece.to + c->piece.n; i++) {
    ptx_cell *cell = &v->group[c->rank].cell[i];
    cell->how = 0;
    cell->written = v->time;
    cell->writer = (uint16_t)(w->number * PTX_WARP + c->thread);
  }
}
// newest: groups that may still be under way.
static void ptx_wait_copies(ptx_machine *v, ptx_warp *w, uint32_t mask, int newest, int all) {
  int kept = 0;
  for (int k = 0; k < w->ncopy; k++) {
    ptx_copy *c = &w->copy[k];
    const int mine = mask >> c->thread & 1;
    const uint32_t last = w->committed[c->thread];
    if (c->mbar < 0 && mine && (all || (c->group <= last && (uint32_t)newest <= last - c->group))) ptx_arrived(v, w, c);
    else w->copy[kept++] = *c;
  }
  w->ncopy = kept;
}
#endif
