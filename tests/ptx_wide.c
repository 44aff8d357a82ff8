// ptx_wide: what came with Hopper: mbarriers, bulk copies and tensor maps, addresses in a cluster, and dispatch of
// `cp`.
//
// A bulk copy belongs to no thread: it is a warp of its own in the clocks (index nwarps), whose writes a thread sees
// that waited for the mbarrier. What it or wgmma reads of shared memory must have been written before a
// fence.proxy.async of the writer: PTX ISA, "Async proxy". Source: PTX ISA, "Parallel Synchronization and Communication
// Instructions: mbarrier", "cp.async.bulk", "Tensors", "mapa"; a tensor map's bits: ptxas's lowering of
// tensormap.replace (Triton, TMAToLLVM.cpp fills one so). Included by ptx_machine.c.
#ifndef PTX_WIDE_C
#define PTX_WIDE_C
#include "ptx_matrix.c"

// ** mbarriers: what they count stands beside shared memory **

static int ptx_mbar_find(const ptx_machine *v, int rank, uint64_t at) {
  for (int i = 0; i < v->nmbar; i++) if (v->mbar[i].used && v->mbar[i].rank == rank && v->mbar[i].at == at) return i;
  return -1;
}
static ptx_mbar *ptx_mbar_at(ptx_machine *v, ptx_warp *w, int lane, int space, uint64_t at) {
  ptx_group *g = ptx_place_of(v, w, lane, space, &at, 8);
  ptx_aligned(v, lane, at, 8);
  const int i = ptx_mbar_find(v, g->rank, at);
  if (i < 0) ptx_stop(v, lane, "there is no mbarrier at %llu", (unsigned long long)at);
  ptx_shared_read(v, w, lane, g, (uint32_t)at, 8, PTX_ATOMIC);
  return &v->mbar[i];
}
static void ptx_mbar_init(ptx_machine *v, ptx_warp *w, int lane, int space, uint64_t at, uint32_t n) {
  ptx_group *g = ptx_place_of(v, w, lane, space, &at, 8);
  ptx_aligned(v, lane, at, 8);
  if (!n || n > (1u << 20) - 1) ptx_stop(v, lane, "an mbarrier of %u arrivals", n);
  if (ptx_mbar_find(v, g->rank, at) >= 0) ptx_stop(v, lane, "a second mbarrier at %llu", (unsigned long long)at);
  ptx_shared_write(v, w, lane, g, (uint32_t)at, 8, 0);
  if (v->nmbar >= v->mbar_room) {
    v->mbar = (ptx_mbar *)ptx_room(v, v->mbar, v->nmbar, &v->mbar_room, sizeof *v->mbar);
    for (int i = v->nmbar; i < v->mbar_room; i++) v->mbar[i].before = NULL;
  }
  ptx_mbar *b = &v->mbar[v->nmbar++];
  if (!b->before) b->before = (uint32_t *)calloc((size_t)v->nwarps + 1, sizeof *b->before);
  if (!b->before) ptx_stop(v, -1, "no memory");
  memset(b->before, 0, ((size_t)v->nwarps + 1) * sizeof *b->before);
  b->used = 1; b->rank = g->rank; b->at = (uint32_t)at; b->expected = b->pending = n; b->phase = 0; b->tx = 0;
}
static void ptx_mbar_look(ptx_machine *v, ptx_mbar *b) {
  if (b->pending || b->tx) return;
  b->phase++;
  b->pending = b->expected;
  v->changes++;
}
static void ptx_mbar_arrive(ptx_machine *v, int lane, ptx_mbar *b, uint32_t n) {
  if (n > b->pending) ptx_stop(v, lane, "%u arrivals at an mbarrier that waits for %u", n, b->pending);
  b->pending -= n;
  ptx_mbar_look(v, b);
}
// What is there of a bulk copy; its bytes count.
static void ptx_bulk_done(ptx_machine *v, ptx_copy *c);
static int ptx_tmem_arrivals(ptx_machine *v, int mbar);      // ptx_tcgen05.c
static void ptx_tmem_ended(ptx_machine *v);
// Copies that count at an mbarrier are done. 1: some were.
static int ptx_mbar_copies(ptx_machine *v, const ptx_mbar *b) {
  int some = 0;
  for (int i = 0; i < v->nbulk; i++)
    if (!v->bulk[i].done && v->bulk[i].mbar == (int)(b - v->mbar)) { ptx_bulk_done(v, &v->bulk[i]); some = 1; }
  return ptx_tmem_arrivals(v, (int)(b - v->mbar)) | some;
}
static void ptx_mbar_wait(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const int parity = ptx_has(ins, PTX_W_parity);
  const uint64_t *state = ptx_row(v, w, &o[2], mask, 1), *at = ptx_address(v, w, &o[1], mask, 0);
  uint32_t yes = 0;
  for (int i = 0; i < PTX_WARP; i++) {
    if (!(mask >> i & 1)) continue;
    ptx_mbar *b = ptx_mbar_at(v, w, i, ins->space, at[i]);
    for (int again = 0; again < 2; again++) {
      const int is = parity ? (b->phase & 1) != (state[i] & 1) : b->phase > (uint32_t)state[i];
      if (is) { yes |= 1u << i; ptx_acquire(v, w, b->before); break; }
      if (again || (v->l->seed && ptx_random(v, 3)) || !ptx_mbar_copies(v, b)) break;
    }
  }
  // Nobody is answered `no` while there is something else to run.
  if (yes != mask && (ptx_has(ins, PTX_W_try_wait) || !v->l->seed || ptx_random(v, 2))) { w->spinning |= mask; return; }
  ptx_set_bits(v, w, &o[0], mask, yes);
}
static void ptx_mbarrier(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const int arrives = ptx_has(ins, PTX_W_arrive) || ptx_has(ins, PTX_W_arrive_drop),
            expects = ptx_has(ins, PTX_W_expect_tx);
  if (ptx_has(ins, PTX_W_test_wait) || ptx_has(ins, PTX_W_try_wait)) { ptx_mbar_wait(v, w, ins, o, mask); return; }
  if (ptx_has(ins, PTX_W_pending_count)) ptx_stop(v, ptx_lowest(mask), "'mbarrier.pending_count' is not known");
  const int where = arrives ? 1 : 0;       // the state comes first
  uint64_t at[PTX_WARP];
  memcpy(at, ptx_address(v, w, &o[where], mask, 0), sizeof at);
  const uint64_t *n = ins->n > where + 1 ? ptx_row(v, w, &o[where + 1], mask, 1) : NULL;
  uint64_t *d = arrives ? ptx_to(v, w, &o[0], mask) : NULL;
  if (v->counts) v->counts->barriers++;
  for (int i = 0; i < PTX_WARP; i++) {
    if (!(mask >> i & 1)) continue;
    if (ptx_has(ins, PTX_W_init)) { ptx_mbar_init(v, w, i, ins->space, at[i], n ? (uint32_t)n[i] : 0); continue; }
    ptx_mbar *b = ptx_mbar_at(v, w, i, ins->space, at[i]);
    if (ptx_has(ins, PTX_W_inval)) {
      ptx_shared_write(v, w, i, &v->group[b->rank], b->at, 8, 0);
      b->used = 0;
      continue;
    }
    if (d) d[i] = b->phase;
    if (expects) b->tx += (int64_t)(n ? n[i] : 0);
    if (ptx_has(ins, PTX_W_complete_tx)) { b->tx -= (int64_t)(n ? n[i] : 0); ptx_mbar_look(v, b); }
    if (!arrives) continue;
    if (!ptx_has(ins, PTX_W_relaxed)) ptx_release(v, w, b->before);
    if (ptx_has(ins, PTX_W_arrive_drop)) b->expected--;
    ptx_mbar_arrive(v, i, b, expects || !n ? 1 : (uint32_t)n[i]);
  }
}
// cp.async.mbarrier.arrive: the thread arrives when its copies are there.
static void ptx_cp_arrive(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  uint64_t at[PTX_WARP];
  memcpy(at, ptx_address(v, w, &o[0], mask, 0), sizeof at);
  ptx_wait_copies(v, w, mask, 0, 1);       // not later than that, which is as good
  for (int i = 0; i < PTX_WARP; i++) {
    if (!(mask >> i & 1)) continue;
    ptx_mbar *b = ptx_mbar_at(v, w, i, ins->space, at[i]);
    ptx_release(v, w, b->before);
    if (!ptx_has(ins, PTX_W_noinc)) b->pending++;
    ptx_mbar_arrive(v, i, b, 1);
  }
}

// ** addresses in a cluster **

static void ptx_mapa(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  uint64_t a[PTX_WARP];
  memcpy(a, ptx_row(v, w, &o[1], mask, 0), sizeof a);
  const uint64_t *rank = ptx_row(v, w, &o[2], mask, 1), low = (1u << PTX_RANK_BIT) - 1;
  uint64_t *d = ptx_to(v, w, &o[0], mask);
  for (int i = 0; i < PTX_WARP; i++) {
    if (!(mask >> i & 1)) continue;
    if (rank[i] >= (unsigned)v->ngroups)
      ptx_stop(v, i, "there is no group %llu in the cluster", (unsigned long long)rank[i]);
    const uint64_t window = ins->space == PTX_SHARED ? 0 : (uint64_t)PTX_IN_SHARED << 56;
    if (window && PTX_WINDOW(a[i]) != PTX_IN_SHARED)
      ptx_stop(v, i, "0x%llx is no shared memory", (unsigned long long)a[i]);
    d[i] = window | (rank[i] + 1) << PTX_RANK_BIT | (a[i] & low);
  }
}

// ** registers that go from warps to others **

// All warps of a warp group give or take as many, by the same instruction (PTX ISA, setmaxnreg).
static void ptx_setmaxnreg_agrees(ptx_machine *v, const ptx_warp *w) {
  const int first = w->number - w->index % 4;
  if (w->index - w->index % 4 + 4 > v->group_warps) ptx_stop(v, 0, "'setmaxnreg' in no warp group");
  for (int i = first; i < first + 4; i++) {
    const ptx_warp *other = &v->warp[i];
    if (other == w || other->nsets < w->nsets) continue;
    if (other->nsets > w->nsets || other->set != w->set)
      ptx_stop(v, 0, "'setmaxnreg' at line %d by other warps of the group of four", other->set->line);
  }
}
// 1: done; 0: the pool of the group has too few, and it waits. They were given out all as the group began.
static int ptx_setmaxnreg(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o) {
  const uint32_t n = (uint32_t)ptx_row(v, w, &o[0], PTX_ALL, 0)[0], dec = (uint32_t)ptx_has(ins, PTX_W_dec);
  if (!v->launched) ptx_stop(v, 0, "'setmaxnreg' in a kernel that does not say how many registers it has (.maxnreg)");
  if (n < 24 || n > 256 || n % 8) ptx_stop(v, 0, "'setmaxnreg' of %u", n);
  if (dec ? n > w->registers : n < w->registers)
    ptx_stop(v, 0, "'setmaxnreg' from %u registers to %u", w->registers, n);
  if (!dec && (n - w->registers) * PTX_WARP > w->group->registers) {
    w->blocked = PTX_AT_REGISTERS;
    v->steps--;
    return 0;
  }
  w->nsets++;
  w->set = ins;
  ptx_setmaxnreg_agrees(v, w);
  w->group->registers += (w->registers - n) * PTX_WARP;
  w->registers = n;
  return 1;
}
static void ptx_registers_ended(ptx_machine *v) {
  for (int i = 0; i < v->nwarps; i++) {
    v->now = &v->warp[i];
    if (i % v->group_warps && v->warp[i].index % 4 && v->warp[i].nsets != v->warp[i - 1].nsets)
      ptx_stop(v, 0, "'setmaxnreg' by some warps of the group of four");
  }
}

// ** what the async proxy reads **

static void ptx_fenced_read_by(ptx_machine *v, ptx_warp *w, int lane, ptx_group *g, uint32_t at, uint32_t n,
                               int reader) {
  ptx_shared_read_by(v, w, lane, g, at, n, 0, reader);
  for (uint32_t i = at; i < at + n; i++) {
    const ptx_cell *c = &g->cell[i];
    const int by = c->writer / PTX_WARP;
    if (by < v->nwarps && c->written >= v->warp[by].fenced)
      ptx_stop(v, lane,
               "shared memory at %u is read by the async proxy, and was written without a fence.proxy.async behind", i);
  }
}
static void ptx_fenced_read(ptx_machine *v, ptx_warp *w, int lane, ptx_group *g, uint32_t at, uint32_t n) {
  ptx_fenced_read_by(v, w, lane, g, at, n, w->number);
}
static void ptx_fence(ptx_machine *v, ptx_warp *w, const ptx_ins *ins) {
  if (ptx_has(ins, PTX_W_proxy) && ptx_has(ins, PTX_W_async)) w->fenced = ++v->time;
}

// ** bulk copies **

static ptx_copy *ptx_bulk_new(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, int lane) {
  v->bulk = (ptx_copy *)ptx_room(v, v->bulk, v->nbulk, &v->bulk_room, sizeof *v->bulk);
  ptx_copy *c = &v->bulk[v->nbulk++];
  memset(c, 0, sizeof *c);
  c->thread = w->number * PTX_WARP + lane; c->line = ins->line; c->mbar = -1;
  c->group = w->bulk_committed[lane] + 1;
  return c;
}
static void ptx_piece_add(ptx_machine *v, ptx_copy *c, uint64_t from, uint64_t to, uint32_t n, uint32_t there) {
  if (c->npieces == c->room) {
    ptx_piece *more = (ptx_piece *)realloc(c->pieces, (size_t)(c->room * 2 + 64) * sizeof *more);
    if (!more) ptx_stop(v, -1, "no memory");
    c->pieces = more; c->room = c->room * 2 + 64;
  }
  const ptx_piece piece = {from, (uint32_t)to, (uint16_t)n, (uint16_t)there};
  c->pieces[c->npieces++] = piece;
  c->nbytes += n;
}
// Adds n bytes of elements, for cp.reduce.
static void ptx_reduced(ptx_machine *v, const ptx_copy *c, unsigned char *to, const unsigned char *from, uint32_t n) {
  ptx_ins add;
  memset(&add, 0, sizeof add);
  add.type = (uint8_t)c->type; add.mode = (uint16_t)c->reduce;
  const int nbytes = ptx_bits(c->type) / 8;
  for (uint32_t i = 0; i < n; i += (uint32_t)nbytes)
    ptx_write(to + i, ptx_combined(v, &add, ptx_read(to + i, nbytes), ptx_read(from + i, nbytes), 0, 0), nbytes);
}
static void ptx_bulk_done(ptx_machine *v, ptx_copy *c) {
  ptx_group *g = &v->group[c->rank];
  const int lane = c->thread % PTX_WARP;
  c->done = 1;
  for (int k = 0; k < c->npieces; k++) {
    const ptx_piece *p = &c->pieces[k];
    unsigned char *here = g->shared + p->to;
    if (c->out && p->there) {
      unsigned char *to = (unsigned char *)ptx_global_at(v, lane, p->from, p->there, 1);
      ptx_touched(v, lane, p->from, p->there, 1);
      if (c->reduce) ptx_reduced(v, c, to, here, p->there); else memcpy(to, here, p->there);
    }
    if (c->out) continue;
    const int near_ = PTX_WINDOW(p->from) == PTX_IN_SHARED;   // of another group of the cluster
    const unsigned char *from = !p->there ? NULL
                                : near_   ? v->group[p->from >> 32 & 0xFF].shared + (p->from & 0xFFFFFFFF)
                                          : (const unsigned char *)ptx_global_at(v, lane, p->from, p->there, 0);
    if (from) memcpy(here, from, p->there);
    memset(here + p->there, 0, (size_t)(p->n - p->there));
    for (uint32_t i = p->to; i < p->to + p->n; i++) {
      g->cell[i].how = 0; g->cell[i].written = v->time; g->cell[i].writer = (uint16_t)(v->nwarps * PTX_WARP);
    }
  }
  if (c->mbar < 0) return;
  ptx_mbar *b = &v->mbar[c->mbar];
  b->before[v->nwarps] = ++v->time;
  b->tx -= c->nbytes;
  ptx_mbar_look(v, b);
}
// All its pieces are known: places that it writes are its own from here on, places that it reads stay as they are.
static void ptx_bulk_begin(ptx_machine *v, ptx_warp *w, ptx_copy *c, int lane) {
  ptx_group *g = &v->group[c->rank];
  for (int k = 0; k < c->npieces; k++) {
    const ptx_piece *p = &c->pieces[k];
    if (p->to + p->n > v->shared_nbytes) ptx_stop(v, lane, "a copy beyond shared memory");
    if (c->out) { ptx_fenced_read(v, w, lane, g, p->to, p->n); continue; }
    ptx_shared_write(v, w, lane, g, p->to, p->n, PTX_PENDING);
    for (uint32_t i = p->to; i < p->to + p->n; i++) g->cell[i].writer = (uint16_t)(v->nwarps * PTX_WARP);
  }
  c->type = c->type ? c->type : PTX_B8;
  c->began = v->time;
  v->time++;
  if (!v->l->seed) ptx_bulk_done(v, c);
}
static void ptx_bulk_wait(ptx_machine *v, ptx_warp *w, uint32_t mask, uint32_t newest) {
  for (int k = 0; k < v->nbulk; k++) {
    ptx_copy *c = &v->bulk[k];
    const int lane = c->thread % PTX_WARP;
    const uint32_t last = w->bulk_committed[lane];
    if (c->mbar >= 0 || c->thread / PTX_WARP != w->number || !(mask >> lane & 1) || c->line < 0) continue;
    if (c->group > last || last - c->group < newest) continue;
    for (int i = 0; i < c->npieces && c->out; i++)
      for (uint32_t at = c->pieces[i].to; at < c->pieces[i].to + c->pieces[i].n; at++)
        if (v->group[c->rank].cell[at].written > c->began)
          ptx_stop(v, lane, "shared memory at %u was written while a bulk copy read it", at);
    if (!c->done) ptx_bulk_done(v, c);
    c->line = -1;                          // it was waited for
  }
}

// A tensor map's fields.
typedef struct ptx_tensor {
  uint64_t base, stride[5];
  uint32_t dim[5], box[5];
  int rank, nbytes, swizzle, type;
} ptx_tensor;
static void ptx_tensor_of(ptx_machine *v, ptx_warp *w, int lane, uint64_t at, ptx_tensor *t) {
  static const uint8_t types[] = {PTX_U8,  PTX_U16, PTX_U32, PTX_S32, PTX_U64, PTX_S64,
                                  PTX_F16, PTX_F32, PTX_F32, PTX_F64, PTX_BF16};
  uint32_t d[32];
  if (at & 63) ptx_stop(v, lane, "a tensor map at 0x%llx, which is no multiple of 64", (unsigned long long)at);
  for (int i = 0; i < 32; i++) memcpy(&d[i], ptx_at(v, w, lane, PTX_GENERIC, at + 4 * (uint64_t)i, 4, 0, 0), 4);
  memset(t, 0, sizeof *t);
  t->base = d[0] | (uint64_t)d[1] << 32;
  t->rank = (int)(d[2] >> 4 & 7) + 1;
  const unsigned type = d[2] >> 7 & 15;
  if (t->rank > 5 || type >= sizeof types || d[2] >> 11 & 3) ptx_stop(v, lane, "a tensor map that is not known");
  t->type = types[type]; t->nbytes = ptx_bits(t->type) / 8; t->swizzle = (int)(d[2] >> 13 & 3);
  for (int i = 0; i < t->rank; i++) {
    t->dim[i] = d[8 + i] + 1;
    t->box[i] = (i ? d[14] >> 8 * (i - 1) & 0xFF : d[13] >> 24) + 1;
    t->stride[i] = i ? ((uint64_t)d[2 + i] | (uint64_t)(d[7] >> 4 * (i - 1) & 15) << 32) << 4 : (uint64_t)t->nbytes;
    if (d[13] >> 3 * i & 7) ptx_stop(v, lane, "a tensor map with strides of elements");
    if (i && t->stride[i] % 16)
      ptx_stop(v, lane, "a tensor map with a stride of %llu bytes", (unsigned long long)t->stride[i]);
  }
  const uint32_t inner = t->box[0] * (uint32_t)t->nbytes;
  if (t->base & 15 || inner % 16) ptx_stop(v, lane, "a tensor map whose base or box is no multiple of 16 bytes");
  if (t->swizzle && inner > 16u << t->swizzle)
    ptx_stop(v, lane, "a box of %u bytes a row with a swizzle of %u", inner, 16u << t->swizzle);
}
// Bits 4 .. of an address are turned by those from 7 on.
static uint64_t ptx_swizzled(uint64_t at, int swizzle) { return at ^ (at >> 7 & (uint64_t)((1 << swizzle) - 1)) << 4; }
static void ptx_tensor_pieces(ptx_machine *v, ptx_copy *c, const ptx_tensor *t, const int32_t *from, uint64_t to) {
  uint32_t at[5] = {0, 0, 0, 0, 0};
  for (uint64_t offset = 0;; ) {
    int in = 1;
    uint64_t place = t->base;
    for (int i = 1; i < t->rank; i++) {
      const int64_t k = (int64_t)from[i] + at[i];
      in = in && k >= 0 && k < (int64_t)t->dim[i];
      place += (uint64_t)k * t->stride[i];
    }
    for (uint32_t x = 0; x < t->box[0]; x++) {               // an element, or 16 bytes of them
      const int64_t k = (int64_t)from[0] + x, left = (int64_t)t->dim[0] - k;
      const uint32_t n = 16 / (uint32_t)t->nbytes;
      const int whole = k >= 0 && left >= n && !(offset & 15);
      const uint32_t take = whole ? n : 1;
      ptx_piece_add(v, c, place + (uint64_t)k * (uint64_t)t->nbytes, ptx_swizzled(to + offset, t->swizzle),
                    take * (uint32_t)t->nbytes, in && k >= 0 && left > 0 ? take * (uint32_t)t->nbytes : 0);
      offset += take * (uint32_t)t->nbytes;
      x += take - 1;
    }
    int i = 1;
    while (i < t->rank && ++at[i] == t->box[i]) at[i++] = 0;
    if (i >= t->rank) return;
  }
}
// cp.async.bulk[.tensor]: to shared memory, of one or more groups, counted by an mbarrier; or from it, in a group.
static void ptx_bulk_lane(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, int lane) {
  const uint32_t one = 1u << lane;
  const int out = ins->space == PTX_GLOBAL, tensor = ins->tensor != 0, reduces = ptx_has(ins, PTX_W_reduce);
  const ptx_operand *near_ = &o[out ? 1 : 0], *away = &o[out ? 0 : 1];
  uint64_t at = ptx_address(v, w, near_, one, 0)[lane], from = ptx_address(v, w, away, one, 1)[lane], bar = 0;
  const int count = tensor ? 2 : 3;        // operands before the mbarrier
  uint32_t groups = 0, n = 0;
  ptx_tensor t;
  int32_t place[5] = {0, 0, 0, 0, 0};
  if (!out) bar = ptx_address(v, w, &o[count], one, 2)[lane];
  if (ptx_has(ins, PTX_W_multicast_cluster)) groups = (uint32_t)ptx_row(v, w, &o[count + 1], one, 3)[lane] & 0xFFFF;
  if (tensor) {
    ptx_tensor_of(v, w, lane, from, &t);
    if (away->n != t.rank || t.rank != ins->tensor)
      ptx_stop(v, lane, "a tensor of %d dims with %d coordinates", t.rank, away->n);
    for (int i = 0; i < t.rank; i++) place[i] = (int32_t)ptx_row(v, w, &v->m->operand[away->also + i], one, 4)[lane];
  } else {
    n = (uint32_t)ptx_row(v, w, &o[2], one, 4)[lane];
    if (n % 16 || !n) ptx_stop(v, lane, "a bulk copy of %u bytes", n);
    ptx_aligned(v, lane, from, 16);
  }
  ptx_aligned(v, lane, at, tensor && (t.swizzle || 1) ? 128 : 16);
  ptx_group *g = ptx_place_of(v, w, lane, PTX_SHARED, &at, 16);
  if (!groups) groups = 1u << g->rank;
  uint64_t bar_at = bar;
  ptx_group *bar_group = out ? NULL : ptx_place_of(v, w, lane, PTX_SHARED, &bar_at, 8);
  const int multicast = ptx_has(ins, PTX_W_multicast_cluster);
  for (int rank = 0; rank < 16; rank++) {
    if (!(groups >> rank & 1)) continue;
    if (rank >= v->ngroups) ptx_stop(v, lane, "there is no group %d in the cluster", rank);
    ptx_is_there(v, w, lane, rank);
    ptx_copy *c = ptx_bulk_new(v, w, ins, lane);
    c->rank = rank; c->out = out;
    if (reduces) { c->reduce = ins->mode; c->type = tensor ? t.type : ins->type; }
    if (!out) {
      c->mbar = ptx_mbar_find(v, multicast ? rank : bar_group->rank, bar_at);
      if (c->mbar < 0) ptx_stop(v, lane, "there is no mbarrier at %llu", (unsigned long long)bar_at);
    }
    if (tensor) ptx_tensor_pieces(v, c, &t, place, at);
    else for (uint32_t i = 0; i < n; i += 16) ptx_piece_add(v, c, from + i, at + i, 16, 16);
    if (!out && ins->space2 == PTX_SHARED && !tensor) {      // from this group's shared memory to another's
      ptx_fenced_read(v, w, lane, w->group, (uint32_t)from, n);
      for (int i = 0; i < c->npieces; i++)
        c->pieces[i].from |= (uint64_t)PTX_IN_SHARED << 56 | (uint64_t)w->group->rank << 32;
    } else if (!tensor) ptx_global_at(v, lane, from, n, out);
    ptx_bulk_begin(v, w, c, lane);
  }
}
// st.async and red.async: into a group's shared memory, counted by an mbarrier there.
static void ptx_store_async(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const int nbytes = ptx_bits(ins->type) / 8, reduces = ins->op == PTX_red_;
  const uint32_t n = (uint32_t)(nbytes * ins->vec);
  const uint64_t *x[8], *at = ptx_address(v, w, &o[0], mask, 0), *bar = ptx_address(v, w, &o[2], mask, 1);
  if (v->counts) v->counts->stores++;
  for (int k = 0; k < ins->vec; k++) x[k] = ptx_row(v, w, ptx_vector(v, ins, &o[1], k, mask), mask, 2);
  for (int i = 0; i < PTX_WARP; i++) {
    uint64_t to = at[i], bar_at = bar[i];
    if (!(mask >> i & 1)) continue;
    ptx_aligned(v, i, to, n);
    ptx_group *g = ptx_place_of(v, w, i, ins->space, &to, n);
    const int b = ptx_mbar_find(v, ptx_place_of(v, w, i, ins->space, &bar_at, 8)->rank, bar_at);
    if (b < 0 || v->mbar[b].rank != g->rank)
      ptx_stop(v, i, "there is no mbarrier at %llu of that group", (unsigned long long)bar_at);
    if (reduces) ptx_shared_read(v, w, i, g, (uint32_t)to, n, PTX_ATOMIC);
    ptx_shared_write(v, w, i, g, (uint32_t)to, n, reduces ? PTX_ATOMIC : 0);
    for (int k = 0; k < ins->vec; k++) {
      unsigned char *p = g->shared + to + k * nbytes;
      ptx_write(p, reduces ? ptx_combined(v, ins, ptx_read(p, nbytes), x[k][i], 0, i) : x[k][i], nbytes);
    }
    for (uint32_t k = 0; k < n; k++) g->cell[to + k].writer = (uint16_t)(v->nwarps * PTX_WARP);
    v->mbar[b].before[v->nwarps] = ++v->time;
    v->mbar[b].tx -= n;
    ptx_mbar_look(v, &v->mbar[b]);
  }
}
static void ptx_bulk(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  if (ptx_has(ins, PTX_W_commit_group)) { PTX_LANES(mask, w->bulk_committed[i]++); return; }
  if (ptx_has(ins, PTX_W_wait_group)) {
    ptx_bulk_wait(v, w, mask, (uint32_t)ptx_row(v, w, &o[0], mask, 0)[ptx_lowest(mask)]);
    return;
  }
  if (ptx_has(ins, PTX_W_prefetch)) return;
  if (v->counts) { if (ins->space == PTX_GLOBAL) v->counts->stores++; else v->counts->loads++; }
  PTX_LANES(mask, ptx_bulk_lane(v, w, ins, o, i));
}
static void ptx_cp(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  if (ins->bulk) { ptx_bulk(v, w, ins, o, mask); return; }
  if (ptx_has(ins, PTX_W_mbarrier)) { ptx_cp_arrive(v, w, ins, o, mask); return; }
  if (ptx_has(ins, PTX_W_commit_group)) { PTX_LANES(mask, w->committed[i]++); return; }
  if (ptx_has(ins, PTX_W_wait_all)) { ptx_wait_copies(v, w, mask, 0, 1); return; }
  if (ptx_has(ins, PTX_W_wait_group)) {
    ptx_wait_copies(v, w, mask, (int)ptx_row(v, w, &o[0], mask, 0)[ptx_lowest(mask)], 0);
    return;
  }
  ptx_cp_async(v, w, ins, o, mask);
}
// Copies that nobody looks for happen some time. 1: one did.
static int ptx_late(ptx_machine *v) {
  for (int i = 0; i < v->nbulk; i++) if (!v->bulk[i].done) { ptx_bulk_done(v, &v->bulk[i]); return 1; }
  return ptx_tmem_arrivals(v, -1);
}
// The cluster has ended: copies that write to memory do so, those to its own shared memory had to be waited for.
static void ptx_ended(ptx_machine *v) {
  ptx_tmem_ended(v);
  ptx_registers_ended(v);
  for (int i = 0; i < v->nbulk; i++) {
    ptx_copy *c = &v->bulk[i];
    v->now = &v->warp[c->thread / PTX_WARP];
    if (c->line >= 0 && (c->out || !c->done))
      ptx_stop(v, c->thread % PTX_WARP, "a bulk copy that line %d began is not waited for", c->line);
    if (!c->done) ptx_bulk_done(v, c);
    free(c->pieces);
    c->pieces = NULL;
  }
  v->nbulk = 0;
}
static void ptx_free_wide(ptx_machine *v) {
  for (int i = 0; v->mbar && i < v->mbar_room; i++) free(v->mbar[i].before);
  for (int i = 0; i < v->nbulk; i++) free(v->bulk[i].pieces);
  free(v->mbar); free(v->bulk);
}
#endif
