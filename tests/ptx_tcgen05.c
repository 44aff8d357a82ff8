// ptx_tcgen05: Blackwell's units: Tensor Memory, products of 64 or 128 rows that one thread starts and an mbarrier
// counts, and how warps read what they gave.
//
// A product is done when somebody waits for the mbarrier that it was committed to, never sooner: what it reads of
// shared memory must stand there as it was, what it writes is nobody's until then. It belongs to no thread
// (ptx_wide.c): a warp sees it that waited and then had a fence::after_thread_sync; one that writes over what others
// read wants their wait::ld, fence::before_thread_sync and a meeting behind. Source: PTX ISA, "TensorCore 5th
// Generation Family Instructions": "Tensor Memory Allocation", "Matrix Descriptors", "Canonical Layouts", "Data Path Layout Organization"
// (D, F), "Issue Granularity", "Memory Consistency Model"; the fragment of .16x256b as CUTLASS has it
// (copy_traits_sm100.hpp, SM100_TMEM_LOAD_16dp256b2x). Included by ptx_machine.c.
#ifndef PTX_TCGEN05_C
#define PTX_TCGEN05_C
#include "ptx_wgmma.c"

enum { PTX_UNFENCED = -1 };

static ptx_tmem *ptx_tmem_of(ptx_machine *v, ptx_group *g) {
  if (!g->tmem) g->tmem = (ptx_tmem *)calloc(1, sizeof *g->tmem);
  if (!g->tmem) ptx_stop(v, -1, "no memory");
  return g->tmem;
}
static void ptx_tmem_begin(ptx_group *g) {
  if (!g->tmem) return;
  memset(g->tmem->cell, 0, sizeof g->tmem->cell);
  memset(g->tmem->given, 0, sizeof g->tmem->given);
  g->tmem->most = g->tmem->relinquished = g->tmem->nopen = 0;
}
static void ptx_tmem_free(ptx_group *g) { if (g->tmem) free(g->tmem->open); free(g->tmem); }

// ** allocation **

static void ptx_tmem_alloc(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o) {
  ptx_tmem *t = ptx_tmem_of(v, w->group);
  uint64_t at = ptx_address(v, w, &o[0], PTX_ALL, 0)[0];
  const int n = (int)ptx_row(v, w, &o[1], PTX_ALL, 1)[0];
  int first = PTX_TMEM_COLUMNS - n;        // not the first columns: nobody relies on 0
  if (n < 32 || n > PTX_TMEM_COLUMNS || n & (n - 1)) ptx_stop(v, 0, "an allocation of %d columns", n);
  if (t->relinquished) ptx_stop(v, 0, "an allocation behind relinquish_alloc_permit");
  if (t->most && n > t->most) ptx_stop(v, 0, "an allocation of %d columns behind one of %d", n, t->most);
  for (int i = 0; i < PTX_TMEM_COLUMNS; i++)
    if (t->given[i] && i < first + n && first < i + t->given[i]) { first = i - n; i = -1; if (first < 0) break; }
  if (first < 0) ptx_stop(v, 0, "an allocation of %d columns waits for ever", n);
  t->given[first] = n; t->most = n;
  for (int i = 0; i < PTX_TMEM_LANES; i++) memset(&t->cell[i][first], 0, (size_t)n * sizeof t->cell[0][0]);
  ptx_aligned(v, 0, at, 4);
  ptx_group *g = ptx_place_of(v, w, 0, ins->space, &at, 4);
  ptx_shared_write(v, w, 0, g, (uint32_t)at, 4, 0);
  ptx_write(g->shared + at, (uint64_t)first, 4);
}
// Has what the warp knows of all that was read there, and is it fenced?
static void ptx_tmem_after_readers(ptx_machine *v, const ptx_warp *w, int lane, const ptx_tmem_cell *c) {
  if (!c->read) return;
  if (c->reader == w->number) {
    for (int i = 0; i < w->nload; i++)
      if (w->load[i].open) ptx_stop(v, lane, "Tensor Memory is written before a wait::ld of what is read of it");
    return;
  }
  if (c->read == (uint32_t)PTX_UNFENCED)
    ptx_stop(v, lane, "Tensor Memory is written that warp %d reads, without a wait::ld and fence::before_thread_sync "
             "of it", c->reader);
  if (c->read >= w->before[c->reader])
    ptx_stop(v, lane, "a race: Tensor Memory is written that warp %d reads, without a barrier between", c->reader);
}
static void ptx_tmem_dealloc(ptx_machine *v, ptx_warp *w, const ptx_operand *o) {
  ptx_tmem *t = ptx_tmem_of(v, w->group);
  const uint32_t at = (uint32_t)ptx_row(v, w, &o[0], PTX_ALL, 0)[0];
  const int n = (int)ptx_row(v, w, &o[1], PTX_ALL, 1)[0];
  if (at >= PTX_TMEM_COLUMNS || t->given[at] != n || !n) ptx_stop(v, 0, "%d columns at %u were not allocated", n, at);
  for (int i = 0; i < PTX_TMEM_LANES; i++)
    for (int k = 0; k < n; k++) {
      if (t->cell[i][(int)at + k].open) ptx_stop(v, 0, "Tensor Memory is freed while a product is under way");
      ptx_tmem_after_readers(v, w, 0, &t->cell[i][(int)at + k]);
    }
  t->given[at] = 0;
}
static void ptx_tmem_inside(ptx_machine *v, const ptx_tmem *t, int lane, uint32_t column, uint32_t n) {
  for (uint32_t i = 0; i < PTX_TMEM_COLUMNS; i++)
    if (t->given[i] && column >= i && column + n <= i + (uint32_t)t->given[i]) return;
  ptx_stop(v, lane, "columns %u .. %u of Tensor Memory were not allocated", column, column + n - 1);
}

// ** products **

// "Instruction descriptor": what a product is of.
typedef struct ptx_unit { int a, b, d, m, n, k, turned[2], nbytes; } ptx_unit;
static ptx_unit ptx_unit_of(ptx_machine *v, int lane, const ptx_ins *ins, uint32_t how) {
  const int a = (int)(how >> 7 & 7), b = (int)(how >> 10 & 7), d = (int)(how >> 4 & 3);
  ptx_unit u = {0, 0, d == 2 ? PTX_S32 : PTX_F32, (int)(how >> 24 & 31) * 16, (int)(how >> 17 & 63) * 8, 0,
                {(int)(how >> 15 & 1), (int)(how >> 16 & 1)}, 0};
  if (how & 0xE080604F) ptx_stop(v, lane, "an instruction descriptor 0x%08x, which this machine has not", how);
  if (ptx_has(ins, PTX_W_kind_i8)) {
    if (d != 2 || a > 1 || b > 1) ptx_stop(v, lane, "an instruction descriptor 0x%08x of bytes", how);
    u.a = a ? PTX_S8 : PTX_U8; u.b = b ? PTX_S8 : PTX_U8;
  } else if (d != 1) ptx_stop(v, lane, "an instruction descriptor 0x%08x whose sum is no f32", how);
  else if (ptx_has(ins, PTX_W_kind_tf32)) {
    if (a != 2 || b != 2 || u.turned[0] || u.turned[1]) ptx_stop(v, lane, "a descriptor 0x%08x of tf32", how);
    u.a = u.b = PTX_TF32;
  } else if (a > 1 || b > 1) ptx_stop(v, lane, "an instruction descriptor 0x%08x of types not known", how);
  else if (ptx_has(ins, PTX_W_kind_f16)) { u.a = a ? PTX_BF16 : PTX_F16; u.b = b ? PTX_BF16 : PTX_F16; }
  else { u.a = a ? PTX_E5M2 : PTX_E4M3; u.b = b ? PTX_E5M2 : PTX_E4M3; }
  if (ptx_has(ins, PTX_W_kind_f16) && a != b) ptx_stop(v, lane, "a product of f16 with bf16");
  u.nbytes = ptx_bits(u.a) / 8;
  u.k = 32 / u.nbytes;
  if ((u.m != 64 && u.m != 128) || !u.n || u.n > 256 || (ptx_has(ins, PTX_W_kind_i8) && u.n > 32 && u.n % 16) ||
      (u.turned[1] && u.nbytes == 1 && u.n % 16))
    ptx_stop(v, lane, "a product of %d rows and %d columns", u.m, u.n);
  return u;
}
// "Shared memory descriptor".
static ptx_descriptor ptx_tmem_described(ptx_machine *v, int lane, uint64_t bits, int turned, int nbytes) {
  static const int swizzles[] = {0, -1, 3, -1, 2, -1, 1, -1};
  const ptx_descriptor d = {(uint32_t)(bits & 0x3FFF) << 4, (uint32_t)(bits >> 16 & 0x3FFF) << 4,
                            (uint32_t)(bits >> 32 & 0x3FFF) << 4, swizzles[bits >> 61], turned, nbytes};
  if ((bits >> 46 & 7) != 1 || bits >> 49 & 0xFFF || bits >> 14 & 3 || bits >> 30 & 3 || d.swizzle < 0)
    ptx_stop(v, lane, "a matrix descriptor 0x%016llx", (unsigned long long)bits);
  return d;
}
// The lane that has a row: all of them, or 16 of each warp's 32 ("Layout D", "Layout F").
static int ptx_tmem_lane(const ptx_unit *u, int row) { return u->m == 128 ? row : row / 16 * 32 + row % 16; }

// Elements of a matrix as they stand; none was written since the product began.
static void ptx_tmem_tile(ptx_machine *v, ptx_group *g, const ptx_tmem_open *p, const ptx_descriptor *d, int type,
                          int rows, int k, double *x) {
  for (int row = 0; row < rows; row++)
    for (int i = 0; i < k; i++) {
      const uint32_t at = ptx_element_at(d, (uint32_t)row, (uint32_t)i);
      for (uint32_t n = 0; n < (uint32_t)d->nbytes; n++)
        if (g->cell[at + n].written > p->began)
          ptx_stop(v, p->thread % PTX_WARP,
                   "shared memory at %u was written while a product that line %d began read it", at, p->ins->line);
      const uint64_t bits = ptx_read(g->shared + at, d->nbytes);
      x[row * 64 + i] = ptx_is_float(type) ? ptx_value(bits, type) : (double)ptx_small(bits, type);
    }
}
static void ptx_tmem_product(ptx_machine *v, ptx_group *g, ptx_tmem_open *p) {
  ptx_tmem *t = g->tmem;
  const int lane = p->thread % PTX_WARP;
  const ptx_unit u = ptx_unit_of(v, lane, p->ins, p->how);
  const ptx_descriptor a = ptx_tmem_described(v, lane, p->a, u.turned[0], u.nbytes),
                       b = ptx_tmem_described(v, lane, p->b, u.turned[1], u.nbytes);
  const ptx_ins *at = v->ins;
  ptx_warp *now = v->now;
  v->ins = p->ins; v->now = &v->warp[p->thread / PTX_WARP];
  ptx_tmem_tile(v, g, p, &a, u.a, u.m, u.k, t->a);
  ptx_tmem_tile(v, g, p, &b, u.b, u.n, u.k, t->b);
  for (int row = 0; row < u.m; row++)
    for (int column = 0; column < u.n; column++) {
      ptx_tmem_cell *c = &t->cell[ptx_tmem_lane(&u, row)][(int)(p->d & 0xFFFF) + column];
      double sum = 0;
      for (int k = 0; k < u.k; k++) sum += t->a[row * 64 + k] * t->b[column * 64 + k];
      if (u.d == PTX_S32) c->bits = (uint32_t)((uint64_t)(int64_t)sum + (p->adds ? c->bits : 0));
      else c->bits = (uint32_t)ptx_of_value(sum + (p->adds ? ptx_value(c->bits, u.d) : 0), u.d, PTX_W_rn, 0);
      c->written = v->time; c->writer = (uint16_t)p->thread;
      c->open--;
    }
  v->ins = at; v->now = now;
  p->done = 1;
}
// Products of a thread up to what counts them, in order. 1: some are done; mbar -1: whichever.
static int ptx_tmem_arrivals(ptx_machine *v, int mbar) {
  for (int k = 0; k < v->ngroups; k++) {
    ptx_tmem *t = v->group[k].tmem;
    for (int i = 0; t && i < t->nopen; i++) {
      ptx_tmem_open *p = &t->open[i];
      if (p->done || p->mbar < 0 || (mbar >= 0 && p->mbar != mbar)) continue;
      for (int j = 0; j < i; j++) {
        if (t->open[j].thread != p->thread || t->open[j].done) continue;
        if (t->open[j].mbar < 0) ptx_tmem_product(v, &v->group[k], &t->open[j]);
      }
      p->done = 1;
      ptx_mbar *b = &v->mbar[p->mbar];
      b->before[v->nwarps] = ++v->time;
      ptx_mbar_arrive(v, p->thread % PTX_WARP, b, 1);
      return 1;
    }
  }
  return 0;
}
static ptx_tmem_open *ptx_tmem_begun(ptx_machine *v, ptx_warp *w, int lane, const ptx_ins *ins) {
  ptx_tmem *t = ptx_tmem_of(v, w->group);
  int kept = 0;
  for (int i = 0; i < t->nopen; i++) if (!t->open[i].done) t->open[kept++] = t->open[i];
  t->nopen = kept;
  t->open = (ptx_tmem_open *)ptx_room(v, t->open, t->nopen, &t->room, sizeof *t->open);
  ptx_tmem_open *p = &t->open[t->nopen++];
  memset(p, 0, sizeof *p);
  p->ins = ins; p->thread = w->number * PTX_WARP + lane; p->mbar = -1; p->began = v->time++;
  return p;
}
// A product's cells: what was there must be known, what is under way be this thread's, of the same shape and place.
static void ptx_tmem_claims(ptx_machine *v, ptx_warp *w, const ptx_tmem_open *p, const ptx_unit *u) {
  ptx_tmem *t = w->group->tmem;
  const int lane = p->thread % PTX_WARP;
  for (int i = 0; i < t->nopen - 1; i++) {
    const ptx_tmem_open *q = &t->open[i];
    const ptx_unit other = q->mbar < 0 && !q->done ? ptx_unit_of(v, lane, q->ins, q->how) : *u;
    const int from = (int)(q->d & 0xFFFF), to = (int)(p->d & 0xFFFF), same = q->d == p->d && q->thread == p->thread &&
      other.m == u->m && other.n == u->n && !((q->how ^ p->how) & 0x1F7E0000);
    if (q->mbar < 0 && !q->done && from < to + u->n && to < from + other.n && !same)
      ptx_stop(v, lane, "a product to what another one, which line %d began, writes", q->ins->line);
  }
  for (int row = 0; row < u->m; row++)
    for (int column = 0; column < u->n; column++) {
      ptx_tmem_cell *c = &t->cell[ptx_tmem_lane(u, row)][(int)(p->d & 0xFFFF) + column];
      if (p->adds && !c->open && !c->written) ptx_stop(v, lane, "a product adds to what nobody has written");
      if (c->written && c->writer != p->thread && c->written >= w->tmem_known)
        ptx_stop(v, lane, "a product to what another thread's has written, which was not waited for");
      ptx_tmem_after_readers(v, w, lane, c);
      c->read = 0;
      c->open++;
    }
}
static void ptx_tmem_start(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, int lane) {
  const uint32_t one = 1u << lane;
  if (ins->n != 5) ptx_stop(v, lane, "'tcgen05.mma' of %d operands is not known", ins->n);
  ptx_tmem_open *p = ptx_tmem_begun(v, w, lane, ins);
  p->d = (uint32_t)ptx_address(v, w, &o[0], one, 0)[lane];
  p->a = ptx_row(v, w, &o[1], one, 1)[lane];
  p->b = ptx_row(v, w, &o[2], one, 2)[lane];
  p->how = (uint32_t)ptx_row(v, w, &o[3], one, 3)[lane];
  p->adds = (int)(ptx_bits_of(v, w, &o[4], one) >> lane & 1);
  const ptx_unit u = ptx_unit_of(v, lane, ins, p->how);
  const ptx_descriptor a = ptx_tmem_described(v, lane, p->a, u.turned[0], u.nbytes),
                       b = ptx_tmem_described(v, lane, p->b, u.turned[1], u.nbytes);
  if (p->d >> 16) ptx_stop(v, lane, "a product to lane %u of Tensor Memory", p->d >> 16);
  ptx_tmem_inside(v, w->group->tmem, lane, p->d & 0xFFFF, (uint32_t)u.n);
  for (int side = 0; side < 2; side++) {
    const ptx_descriptor *d = side ? &b : &a;
    for (int row = 0; row < (side ? u.n : u.m); row++)
      for (int k = 0; k < u.k; k++) {
        const uint32_t at = ptx_element_at(d, (uint32_t)row, (uint32_t)k);
        if (at + (uint32_t)u.nbytes > v->shared_nbytes)
          ptx_stop(v, lane, "a matrix in shared memory at %u, of %u", at, v->shared_nbytes);
        ptx_fenced_read_by(v, w, lane, w->group, at, (uint32_t)u.nbytes, v->nwarps);
      }
  }
  ptx_tmem_claims(v, w, p, &u);
  if (v->counts) v->counts->matrix++;
}
static void ptx_tmem_commit(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, int lane) {
  const uint32_t one = 1u << lane;
  const uint64_t at = ptx_address(v, w, &o[0], one, 0)[lane];
  const ptx_mbar *b = ptx_mbar_at(v, w, lane, ins->space, at);
  const uint32_t groups = ptx_has(ins, PTX_W_multicast_cluster) ?
    (uint32_t)ptx_row(v, w, &o[1], one, 1)[lane] & 0xFFFF : 1u << w->group->rank;
  if (!ptx_has(ins, PTX_W_arrive_one) || b->rank != w->group->rank)
    ptx_stop(v, lane, "'tcgen05.commit' so is not known");
  for (int rank = 0; rank < 16; rank++) {  // at the same place in each group's memory
    if (!(groups >> rank & 1)) continue;
    if (rank >= v->ngroups) ptx_stop(v, lane, "there is no group %d in the cluster", rank);
    const int to = ptx_mbar_find(v, rank, b->at);
    if (to < 0) ptx_stop(v, lane, "there is no mbarrier at %u of group %d", b->at, rank);
    ptx_tmem_begun(v, w, lane, ins)->mbar = to;
  }
}

// ** what warps read **

static int ptx_tmem_number(const ptx_ins *ins) {
  static const int words[] = {PTX_W_x1, PTX_W_x2, PTX_W_x4, PTX_W_x8, PTX_W_x16, PTX_W_x32, PTX_W_x64, PTX_W_x128};
  for (int i = 0; i < 8; i++) if (ptx_has(ins, words[i])) return 1 << i;
  return 0;
}
// The cell of a lane's register r: lanes of 32 bits, or 8 columns of 16 lanes as mma.sync has them.
static ptx_tmem_cell *ptx_tmem_at(ptx_tmem *t, const ptx_ins *ins, uint32_t at, int lane, int r) {
  const int row = (int)(at >> 16), column = (int)(at & 0xFFFF);
  if (ptx_has(ins, PTX_W_32x32b)) return &t->cell[row + lane][column + r];
  return &t->cell[row + lane / 4 + r / 2 % 2 * 8][column + r / 4 * 8 + lane % 4 * 2 + r % 2];
}
static void ptx_tmem_load_of(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o) {
  ptx_tmem *t = ptx_tmem_of(v, w->group);
  const uint64_t *all = ptx_address(v, w, &o[1], PTX_ALL, 0);
  const uint32_t at = (uint32_t)all[0];
  const int square = ptx_has(ins, PTX_W_16x256b), n = ptx_tmem_number(ins), words = square ? 4 * n : n,
            quarter = w->index % 4 * 32, row = (int)(at >> 16);
  for (int i = 1; i < PTX_WARP; i++) if (all[i] != at) ptx_stop(v, i, "lanes say other places of Tensor Memory");
  if ((!square && !ptx_has(ins, PTX_W_32x32b)) || !n || words > 128) ptx_stop(v, 0, "'tcgen05.ld' so is not known");
  if (row != quarter && !(square && row == quarter + 16))
    ptx_stop(v, 0, "warp %d reads lane %d of Tensor Memory", w->index, row);
  ptx_tmem_inside(v, t, 0, at & 0xFFFF, (uint32_t)(square ? 8 * n : n));
  for (int r = 0; r < words; r++) {
    const ptx_operand *to = ptx_words_of(v, &o[0], r, words);
    for (int i = 0; i < PTX_WARP; i++) {
      ptx_tmem_cell *c = ptx_tmem_at(t, ins, at, i, r);
      if (c->open) ptx_stop(v, i, "Tensor Memory is read while a product to it is under way");
      if (!c->written) ptx_stop(v, i, "Tensor Memory is read that nobody has written");
      if (c->written >= w->tmem_known)
        ptx_stop(v, i, "Tensor Memory is read without a fence::after_thread_sync behind a wait for what wrote it");
      w->reg[(size_t)to->at * PTX_WARP + (size_t)i] = c->bits;
      c->read = (uint32_t)PTX_UNFENCED; c->reader = (uint16_t)w->number;
    }
    w->defined[to->at] = 0;
  }
  w->load = (ptx_tmem_load *)ptx_room(v, w->load, w->nload, &w->load_room, sizeof *w->load);
  w->load[w->nload++] = (ptx_tmem_load){ins, at, 1};
}
static void ptx_tmem_wait_loads(ptx_machine *v, ptx_warp *w) {
  for (int i = 0; i < w->nload; i++) {
    const ptx_operand *o = &v->m->operand[w->load[i].ins->o];
    for (int r = 0; w->load[i].open && r < (o->kind == PTX_LIST ? o->n : 1); r++)
      w->defined[o->kind == PTX_LIST ? v->m->operand[o->at + r].at : o->at] = PTX_ALL;
    w->load[i].open = 0;
  }
}
// What lanes of the warp have read and waited for is behind them.
static void ptx_tmem_before_sync(ptx_machine *v, ptx_warp *w) {
  int kept = 0;
  for (int k = 0; k < w->nload; k++) {
    const ptx_tmem_load l = w->load[k];
    if (l.open) { w->load[kept++] = l; continue; }
    const int n = ptx_tmem_number(l.ins) * (ptx_has(l.ins, PTX_W_16x256b) ? 4 : 1);
    for (int r = 0; r < n; r++)
      for (int i = 0; i < PTX_WARP; i++) {
        ptx_tmem_cell *c = ptx_tmem_at(w->group->tmem, l.ins, l.at, i, r);
        if (c->reader == w->number && c->read == (uint32_t)PTX_UNFENCED) c->read = v->time;
      }
  }
  w->nload = kept;
}

// ** dispatch **

static void ptx_tcgen05_warp(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o) {
  const int pairs = ptx_has(ins, PTX_W_two_groups), one = ptx_has(ins, PTX_W_one_group);
  if (ptx_has(ins, PTX_W_wait_ld)) { ptx_tmem_wait_loads(v, w); return; }
  if (ptx_has(ins, PTX_W_ld)) { ptx_tmem_load_of(v, w, ins, o); return; }
  if (pairs || !one || !ptx_has(ins, PTX_W_aligned)) ptx_stop(v, 0, "'tcgen05' so is not known");
  if (ptx_has(ins, PTX_W_alloc)) ptx_tmem_alloc(v, w, ins, o);
  else if (ptx_has(ins, PTX_W_dealloc)) ptx_tmem_dealloc(v, w, o);
  else if (ptx_has(ins, PTX_W_relinquish_alloc_permit)) ptx_tmem_of(v, w->group)->relinquished = 1;
  else ptx_stop(v, 0, "'tcgen05' so is not known");
}
static void ptx_tcgen05_lanes(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  if (ptx_has(ins, PTX_W_before_sync)) { if (w->nload) ptx_tmem_before_sync(v, w); return; }
  if (ptx_has(ins, PTX_W_after_sync)) { w->tmem_known = w->before[v->nwarps]; return; }
  if (!ptx_has(ins, PTX_W_one_group)) ptx_stop(v, ptx_lowest(mask), "'tcgen05' without cta_group::1 is not known");
  for (int i = 0; i < PTX_WARP; i++) {
    if (!(mask >> i & 1)) continue;
    if (ptx_has(ins, PTX_W_mma)) ptx_tmem_start(v, w, ins, o, i);
    else if (ptx_has(ins, PTX_W_commit)) ptx_tmem_commit(v, w, ins, o, i);
    else ptx_stop(v, i, "'tcgen05' so is not known");
  }
}
static void ptx_tmem_ended(ptx_machine *v) {
  for (int k = 0; k < v->ngroups; k++) {
    ptx_tmem *t = v->group[k].tmem;
    for (int i = 0; t && i < t->nopen; i++) {
      v->now = &v->warp[t->open[i].thread / PTX_WARP];
      if (!t->open[i].done)
        ptx_stop(v, t->open[i].thread % PTX_WARP, "what line %d began of a unit is not waited for",
                 t->open[i].ins->line);
    }
    for (int i = 0; t && i < PTX_TMEM_COLUMNS; i++)
      if (t->given[i]) ptx_stop(v, -1, "%d columns of Tensor Memory are not freed", t->given[i]);
  }
}
#endif
