// ptx_memory: what a launch has in its hands (groups, warps), and its memory: every access is looked at, byte by byte
// where memory is shared.
//
// Time counts what orders threads: barriers, arrivals, ends of waits. before[x] of a warp is the time before which all
// that warp x did happened before what this warp does now; a vector clock of warps (Lamport; FastTrack, Flanagan and
// Freund 2009, whose epochs the cells' are). Of a byte the last writer is known, and when each warp read it last.
// Lanes of a warp are ordered by bar.warp.sync and barriers alone: PTX ISA, "Memory Consistency Model".
// Included by ptx_machine.c.
#ifndef PTX_MEMORY_C
#define PTX_MEMORY_C
#include "ptx_float.c"

enum { PTX_BARRIERS = 16, PTX_CALLS = 16, PTX_SEVERAL = 63, PTX_ATOMIC = 1, PTX_PENDING = 2 };
typedef struct ptx_cell { uint32_t written, read; uint16_t writer, how; } ptx_cell;
// Threads that came to a barrier, of those that it expects; warps that wait, n of them, and by which instruction; what
// happened before.
typedef struct ptx_barrier {
  uint32_t arrived, expected, count; int n, warp[2 * PTX_WARP], ins[2 * PTX_WARP]; uint32_t *before;
} ptx_barrier;
// A piece of an asynchronous copy: n bytes, of which `there` come from memory, others are 0.
typedef struct ptx_piece { uint64_t from; uint32_t to; uint16_t n, there; } ptx_piece;
// group: of cp.async, counted from 1 by each thread; thread; bulk ones: when they began, and which mbarrier counts
// bytes, -1: none.
typedef struct ptx_copy {
  ptx_piece piece;
  int thread, rank, line;
  uint32_t group, began;
  int done;
  int mbar;
  ptx_piece *pieces;
  int npieces, room;
  uint32_t nbytes;
  int out, reduce, type;                   // from shared memory to global memory
} ptx_copy;
typedef struct ptx_mbar {
  int used, rank;
  uint32_t at, expected, pending, phase;
  int64_t tx;
  uint32_t *before;
} ptx_mbar;

// A wgmma under way: the instruction, its group (0: not committed), descriptors of what it reads.
typedef struct ptx_product_open { int ins, has_a, turned_a, turned_b; uint32_t group; uint64_t a, b; } ptx_product_open;

// Tensor Memory. Of a cell: when and by which thread it was written, 0: never; how many products to it are under way;
// who read it last and when that was fenced, all ones: not yet.
enum { PTX_TMEM_LANES = 128, PTX_TMEM_COLUMNS = 512 };
typedef struct ptx_tmem_cell { uint32_t bits, written, read; uint16_t writer, reader; int open; } ptx_tmem_cell;
// A product that was started, or (mbar >= 0) what counts those before it of the thread as arrived; done.
typedef struct ptx_tmem_open {
  const ptx_ins *ins; int thread, mbar, adds, done; uint32_t d, how, began; uint64_t a, b;
} ptx_tmem_open;
typedef struct ptx_tmem {
  ptx_tmem_cell cell[PTX_TMEM_LANES][PTX_TMEM_COLUMNS];
  int given[PTX_TMEM_COLUMNS], most, relinquished;           // by the first column, how many; of the last allocation
  ptx_tmem_open *open; int nopen, room;
  double a[PTX_TMEM_LANES * 64], b[256 * 64];
} ptx_tmem;
// A tcgen05.ld: 0: waited for.
typedef struct ptx_tmem_load { const ptx_ins *ins; uint32_t at; int open; } ptx_tmem_load;

typedef struct ptx_group {
  unsigned char *shared; ptx_cell *cell; uint32_t *reads; ptx_tmem *tmem;
  uint32_t at[3], registers; int rank; ptx_barrier barrier[PTX_BARRIERS];      // registers: that no warp has
} ptx_group;
typedef struct ptx_warp {
  ptx_group *group; int number, index;                       // in the cluster, in the group
  uint64_t *reg; uint32_t *defined, *bits, *bits_defined;
  int32_t pc[PTX_WARP], back[PTX_CALLS][PTX_WARP]; uint8_t depth[PTX_WARP];
  uint32_t exists, alive, waiting, spinning, carry;          // waiting: for lanes; spinning: for what others do
  int blocked, stuck, cluster_arrivals;                      // blocked: PTX_AT_BARRIER, ..
  uint32_t tid[3][PTX_WARP];
  unsigned char *local;
  uint32_t *before, all;                                     // all: the least of before
  ptx_copy *copy; int ncopy, copy_room; uint32_t committed[PTX_WARP], bulk_committed[PTX_WARP];
  uint32_t fenced;                                           // when it last had a fence.proxy.async
  ptx_product_open *product; int nproduct, product_room, product_fence; uint32_t product_group;
  uint32_t registers; int nsets; const ptx_ins *set;         // setmaxnreg: what a lane has; how many, the last
  ptx_tmem_load *load; int nload, load_room; uint32_t tmem_known;   // what a fence::after has of the units' products
} ptx_warp;
// 64 bytes of global memory, from 64 * (block - 1) on, by bits: what the launch read past coherence (ld.global.nc), and
// what it wrote. block 0: none.
typedef struct ptx_touch { uint64_t block, constant, written; } ptx_touch;
// Elements of a matrix, floats or integers.
typedef struct ptx_tile { double x[64][64]; int64_t i[64][64]; } ptx_tile;
enum { PTX_RUNS, PTX_AT_BARRIER, PTX_AT_CLUSTER, PTX_AT_REGISTERS };
typedef struct ptx_machine {
  const ptx_module *m; const ptx_launch *l; const ptx_function *f; ptx_counts *counts;
  ptx_group *group; int ngroups;                             // of the cluster
  ptx_warp *warp; int nwarps, group_warps;                   // of the cluster, of a group
  uint32_t shared_nbytes, local_nbytes, time, start; int nregisters, npredicates;
  uint32_t launched;                                         // registers of a thread for setmaxnreg; 0: not said
  uint32_t grid[3], block[3], cluster[3];
  ptx_mbar *mbar; int nmbar, mbar_room;
  ptx_copy *bulk; int nbulk, bulk_room;
  uint64_t steps, clock, random;
  const ptx_ins *ins; ptx_warp *now;                         // for messages
  jmp_buf out; char *error; size_t nbytes;
  uint64_t scratch[8][PTX_WARP]; ptx_tile a, b; double wide_a[16 * 64], wide_b[256 * 64];
  uint32_t cluster_arrived, *cluster_before; int cluster_phase, changes;
  ptx_touch *touch; uint32_t ntouch, touch_room, touched;    // a table by block; touched: the last one; room 0: no .nc
} ptx_machine;

static void ptx_stop(ptx_machine *v, int lane, const char *format, ...) {
  char said[400];
  va_list args;
  va_start(args, format);
  vsnprintf(said, sizeof said, format, args);
  va_end(args);
  const ptx_warp *w = v->now;
  if (v->nbytes && w && lane >= 0)
    snprintf(v->error, v->nbytes, "%s: line %d, group (%u, %u, %u), thread (%u, %u, %u): %s", v->f->name,
             v->ins ? v->ins->line : 0, (unsigned)w->group->at[0], (unsigned)w->group->at[1],
             (unsigned)w->group->at[2], (unsigned)w->tid[0][lane], (unsigned)w->tid[1][lane],
             (unsigned)w->tid[2][lane], said);
  else if (v->nbytes) snprintf(v->error, v->nbytes, "%s: %s", v->f ? v->f->name : v->l->kernel, said);
  longjmp(v->out, 1);
}
static int ptx_lowest(uint32_t mask) { int i = 0; while (i < PTX_WARP - 1 && !(mask >> i & 1)) i++; return i; }
static uint32_t ptx_random(ptx_machine *v, uint32_t n) {     // 0 .. n - 1
  v->random = v->random * 6364136223846793005u + 1442695040888963407u;
  return n ? (uint32_t)(v->random >> 33) % n : 0;
}
static void *ptx_room(ptx_machine *v, void *p, int n, int *room, size_t nbytes) {
  if (n < *room) return p;
  void *grown = realloc(p, (size_t)(*room * 2 + 16) * nbytes);
  if (!grown) ptx_stop(v, -1, "no memory");
  *room = *room * 2 + 16;
  return grown;
}

// ** order **

static void ptx_least(const ptx_machine *v, ptx_warp *w) {
  w->all = w->before[0];
  for (int i = 1; i <= v->nwarps; i++) if (w->before[i] < w->all) w->all = w->before[i];
}
// Lanes of a warp have met.
static void ptx_order_lanes(ptx_machine *v, ptx_warp *w) {
  w->before[w->number] = ++v->time;
  ptx_least(v, w);
}
static void ptx_release(ptx_machine *v, const ptx_warp *w, uint32_t *to) {
  for (int i = 0; i <= v->nwarps; i++) if (w->before[i] > to[i]) to[i] = w->before[i];
  to[w->number] = ++v->time;
}
static void ptx_acquire(ptx_machine *v, ptx_warp *w, const uint32_t *from) {
  for (int i = 0; i <= v->nwarps; i++) if (from[i] > w->before[i]) w->before[i] = from[i];
  ptx_least(v, w);
}

// ** shared memory **

static const char *ptx_whose(const ptx_machine *v, int writer, char *said, size_t nbytes) {
  const ptx_warp *w = &v->warp[writer / PTX_WARP < v->nwarps ? writer / PTX_WARP : 0];
  if (writer / PTX_WARP >= v->nwarps) snprintf(said, nbytes, "an asynchronous copy");
  else snprintf(said, nbytes, "thread (%u, %u, %u)", (unsigned)w->tid[0][writer % PTX_WARP],
                (unsigned)w->tid[1][writer % PTX_WARP], (unsigned)w->tid[2][writer % PTX_WARP]);
  return said;
}
// What was written here last happened before what the lane does now?
static void ptx_after_writer(ptx_machine *v, const ptx_warp *w, int lane, const ptx_cell *c, uint32_t at, int how,
                             int writes) {
  const int me = w->number * PTX_WARP + lane;
  char said[80];
  if (c->how & PTX_PENDING) {
    if (!(how & PTX_PENDING) || c->writer != me)
      ptx_stop(v, lane, "shared memory at %u is %s while a copy to it by %s was not waited for", at,
               writes ? "written" : "read", ptx_whose(v, c->writer, said, sizeof said));
    return;
  }
  if (c->writer == me || c->written < w->before[c->writer / PTX_WARP] || (how & c->how & PTX_ATOMIC)) return;
  ptx_stop(v, lane, "a race: shared memory at %u was written by %s, and is %s without a barrier between", at,
           ptx_whose(v, c->writer, said, sizeof said), writes ? "written" : "read");
}
// reader: the warp's number, or v->nwarps: what it has begun, as long as that goes on.
static void ptx_shared_read_by(ptx_machine *v, ptx_warp *w, int lane, ptx_group *g, uint32_t at, uint32_t n, int how,
                               int reader) {
  uint32_t *reads = g->reads + (size_t)reader * v->shared_nbytes;
  const uint32_t mine = v->time << 6 | (uint32_t)lane, known = w->all - v->start;
  for (uint32_t i = at; i < at + n; i++) {
    ptx_cell *c = &g->cell[i];
    if (c->written - v->start >= known || c->how) {          // not written, or not before all that is now
      if (c->written < v->start) ptx_stop(v, lane, "shared memory at %u is read, which nobody has written", i);
      ptx_after_writer(v, w, lane, c, i, how, 0);
    }
    c->read = v->time;
    if (reads[i] == mine) continue;
    const int other = reads[i] >> 6 >= w->before[reader] && (reads[i] & 63) != (uint32_t)lane;
    reads[i] = other ? v->time << 6 | PTX_SEVERAL : mine;
  }
}
static void ptx_shared_read(ptx_machine *v, ptx_warp *w, int lane, ptx_group *g, uint32_t at, uint32_t n, int how) {
  ptx_shared_read_by(v, w, lane, g, at, n, how, w->number);
}
static void ptx_after_readers(ptx_machine *v, const ptx_warp *w, int lane, const ptx_group *g, uint32_t i) {
  for (int k = 0; k <= v->nwarps; k++) {
    const uint32_t read = g->reads[(size_t)k * v->shared_nbytes + i], who = read & 63;
    char said[80];
    if (!read || read >> 6 < w->before[k] || (k == w->number && who == (uint32_t)lane)) continue;
    ptx_stop(v, lane, "a race: shared memory at %u was read by %s%s, and is written without a barrier between", i,
             ptx_whose(v, k * PTX_WARP + (who == PTX_SEVERAL ? 0 : (int)who), said, sizeof said),
             who == PTX_SEVERAL ? "'s warp" : "");
  }
}
static void ptx_shared_write(ptx_machine *v, ptx_warp *w, int lane, ptx_group *g, uint32_t at, uint32_t n, int how) {
  const ptx_cell now = {v->time, 0, (uint16_t)(w->number * PTX_WARP + lane), (uint16_t)how};
  for (uint32_t i = at; i < at + n; i++) {
    ptx_cell *c = &g->cell[i];
    const int mine = c->writer == now.writer && !c->how;
    if (!mine && (c->written >= w->all || (c->how && c->written >= v->start)))
      ptx_after_writer(v, w, lane, c, i, how, 1);
    if (c->read >= w->all && !(how & c->how & PTX_ATOMIC)) ptx_after_readers(v, w, lane, g, i);
    c->written = now.written; c->writer = now.writer; c->how = now.how;
  }
}

// ** where an address lies **

// Which group's memory an address of shared memory is of; at loses the rank.
static void ptx_is_there(ptx_machine *v, ptx_warp *w, int lane, int rank) {
  for (int i = 0; i < v->group_warps; i++) if (v->warp[rank * v->group_warps + i].alive) return;
  if (rank != w->group->rank) ptx_stop(v, lane, "shared memory of group %d of the cluster, which has ended", rank);
}
static ptx_group *ptx_group_of(ptx_machine *v, ptx_warp *w, int lane, uint64_t *at) {
  const int rank = (int)(*at >> PTX_RANK_BIT & 0xFF) - 1;
  *at &= (1u << PTX_RANK_BIT) - 1;
  if (rank < 0) return w->group;
  if (rank >= v->ngroups) ptx_stop(v, lane, "there is no group %d in the cluster", rank);
  ptx_is_there(v, w, lane, rank);
  return &v->group[rank];
}
static ptx_group *ptx_shared_at(ptx_machine *v, ptx_warp *w, int lane, uint64_t *at, uint32_t n) {
  const uint64_t said = *at;
  ptx_group *g = said >> 32 ? NULL : ptx_group_of(v, w, lane, at);
  if (!g || *at + n > v->shared_nbytes)
    ptx_stop(v, lane, "%u bytes of shared memory at 0x%llx, of %u", n, (unsigned long long)said, v->shared_nbytes);
  return g;
}
static void *ptx_global_at(ptx_machine *v, int lane, uint64_t at, uint32_t n, int writes) {
  if (at >> 56 == PTX_IN_MODULE) {
    const uint64_t offset = at & 0xFFFFFFFF;
    if (offset + n > (uint64_t)v->m->ndata) ptx_stop(v, lane, "%u bytes beyond the module's variables", n);
    if (writes) ptx_stop(v, lane, "a variable of the module is written");
    return v->m->data + offset;
  }
  void *p = v->l->memory.at ? v->l->memory.at(v->l->memory.user, at, n, writes) : NULL;
  if (!p) ptx_stop(v, lane, "%u bytes at 0x%llx are no memory%s", n, (unsigned long long)at, writes ? " to write" : "");
  return p;
}
// PTX ISA, "ld.global.nc": of memory that is read-only as long as the kernel runs.
static ptx_touch *ptx_touch_at(ptx_machine *v, uint64_t block) {
  uint32_t i = v->touched;
  if (v->touch[i].block == block) return &v->touch[i];
  if (2 * v->ntouch >= v->touch_room) {
    ptx_touch *all = v->touch, *more = (ptx_touch *)calloc(2 * (size_t)v->touch_room, sizeof *more);
    const uint32_t room = v->touch_room;
    if (!more) ptx_stop(v, -1, "no memory");
    v->touch = more; v->touch_room *= 2; v->ntouch = 0;
    for (uint32_t k = 0; k < room; k++) if (all[k].block) *ptx_touch_at(v, all[k].block) = all[k];
    free(all);
  }
  i = (uint32_t)(block * 0x9E3779B97F4A7C15u >> 32) & (v->touch_room - 1);
  while (v->touch[i].block && v->touch[i].block != block) i = (i + 1) & (v->touch_room - 1);
  if (!v->touch[i].block) { v->touch[i].block = block; v->ntouch++; }
  v->touched = i;
  return &v->touch[i];
}
// n bytes of global memory are written, or read past coherence.
static void ptx_touched(ptx_machine *v, int lane, uint64_t at, uint64_t n, int writes) {
  if (!v->touch_room || at >> 56) return;
  while (n) {
    const uint64_t from = at % 64, some = n < 64 - from ? n : 64 - from,
                   mask = (some == 64 ? ~(uint64_t)0 : ((uint64_t)1 << some) - 1) << from;
    ptx_touch *t = ptx_touch_at(v, at / 64 + 1);
    if ((writes ? t->constant : t->written) & mask)
      ptx_stop(v, lane, "memory at 0x%llx is %s by the launch, which %s", (unsigned long long)at,
               writes ? "written" : "read past coherence (.nc)",
               writes ? "read it past coherence (.nc)" : "wrote it");
    if (writes) t->written |= mask; else t->constant |= mask;
    at += some; n -= some;
  }
}
static void ptx_aligned(ptx_machine *v, int lane, uint64_t at, uint32_t n) {
  if (at & (n - 1)) ptx_stop(v, lane, "address 0x%llx is no multiple of %u", (unsigned long long)at, n);
}
// The space that a generic address is of; at becomes an address of that space.
static int ptx_space_of(ptx_machine *v, int lane, uint64_t *at) {
  switch (PTX_WINDOW(*at)) {
    case PTX_IN_SHARED: *at &= 0xFFFFFFFF; return PTX_SHARED;
    case PTX_IN_LOCAL: *at &= 0xFFFFFFFF; return PTX_LOCAL;
    case PTX_IN_PARAM: *at &= 0xFFFFFFFF; return PTX_PARAM;
    case PTX_IN_MODULE: case 0: return PTX_GLOBAL;
    default: ptx_stop(v, lane, "0x%llx is no address", (unsigned long long)*at); return 0;
  }
}
// The group of an address of shared memory, whichever way it is said; at becomes a place of the group.
static ptx_group *ptx_place_of(ptx_machine *v, ptx_warp *w, int lane, int space, uint64_t *at, uint32_t n) {
  if (space == PTX_GENERIC && ptx_space_of(v, lane, at) != PTX_SHARED)
    ptx_stop(v, lane, "0x%llx is no shared memory", (unsigned long long)*at);
  return ptx_shared_at(v, w, lane, at, n);
}
// The host's address of n bytes in a space; how: of shared memory, what the cells remember. writes 2: reads and writes.
static unsigned char *ptx_at(ptx_machine *v, ptx_warp *w, int lane, int space, uint64_t at, uint32_t n, int writes,
                             int how) {
  if (space == PTX_GENERIC) space = ptx_space_of(v, lane, &at);
  ptx_aligned(v, lane, at, n);
  if (space == PTX_SHARED) {
    ptx_group *g = ptx_shared_at(v, w, lane, &at, n);
    if (writes != 1) ptx_shared_read(v, w, lane, g, (uint32_t)at, n, how);
    if (writes) ptx_shared_write(v, w, lane, g, (uint32_t)at, n, how);
    return g->shared + at;
  }
  if (space == PTX_LOCAL) {
    if (at + n > v->local_nbytes)
      ptx_stop(v, lane, "%u bytes of local memory at %llu, of %u", n, (unsigned long long)at, v->local_nbytes);
    return w->local + (size_t)lane * v->local_nbytes + at;
  }
  if (space == PTX_PARAM) {
    if (writes) ptx_stop(v, lane, "a parameter is written");
    if (at + n > v->l->param_nbytes)
      ptx_stop(v, lane, "%u bytes of parameters at %llu, of %u", n, (unsigned long long)at,
               (unsigned)v->l->param_nbytes);
    return (unsigned char *)(uintptr_t)v->l->params + at;
  }
  return (unsigned char *)ptx_global_at(v, lane, at, n, writes);
}

// ** operands **

static uint64_t ptx_special(ptx_machine *v, const ptx_warp *w, int which, int lane) {
  const ptx_group *g = w->group;
  const uint32_t bit = 1u << lane, *c = v->cluster;
  const uint64_t now = (v->steps + 1) * 4, ns = 1000000000u + now;
  switch (which) {
    case 0: case 1: case 2: return w->tid[which][lane];
    case 3: case 4: case 5: return v->block[which - 3];
    case 6: case 7: case 8: return g->at[which - 6];
    case 9: case 10: case 11: return v->grid[which - 9];
    case 12: return (unsigned)lane;
    case 13: return (unsigned)w->index;
    case 14: return (unsigned)v->group_warps;
    case 15: case 17: return 0;
    case 16: return 1;
    case 18: return now & 0xFFFFFFFF;
    case 19: return now;
    case 20: return now >> 32;
    case 21: return ns;
    case 22: return ns & 0xFFFFFFFF;
    case 23: return ns >> 32;
    case 24: return bit;
    case 25: return bit - 1;
    case 26: return bit | (bit - 1);
    case 27: return ~(bit | (bit - 1));
    case 28: return ~(bit - 1);
    case 29: return v->l->dynamic_shared;
    case 30: case 46: return v->shared_nbytes;
    case 31: return (unsigned)g->rank;
    case 32: return (unsigned)v->ngroups;
    case 33: case 34: case 35: return g->at[which - 33] % c[which - 33];
    case 36: case 37: case 38: return c[which - 36];
    case 39: case 40: case 41: return g->at[which - 39] / c[which - 39];
    case 42: case 43: case 44: return v->grid[which - 42] / c[which - 42];
    case 45: return v->f->kernel.cluster[0] != 0;
    default: return PTX_WARP;
  }
}
static void ptx_undefined(ptx_machine *v, const char *kind, int at, uint32_t lanes, int predicate) {
  const ptx_module *m = v->m;
  const ptx_warp *w = v->now;
  for (int i = 0; !predicate && i < w->nproduct; i++) {
    const ptx_operand *d = &m->operand[m->ins[w->product[i].ins].o];
    for (int k = 0; k < d->n; k++)
      if (m->operand[d->at + k].at == at)
        ptx_stop(v, ptx_lowest(lanes), "what line %d's wgmma writes is read before it was waited for",
                 m->ins[w->product[i].ins].line);
  }
  for (int i = 0; i < m->nrange; i++) {
    const ptx_range *r = &m->range[i];
    const ptx_function *f = m->function[r->function];
    const int base = predicate ? f->predicate_base : f->register_base;
    const int mine = at - base - r->at, in = v->ins - m->ins >= f->first && v->ins - m->ins < f->end;
    if ((r->type == PTX_PRED) != predicate || !in || mine < 0 || mine >= r->count) continue;
    if (r->number)
      ptx_stop(v, ptx_lowest(lanes), "%s '%.*s%d' is read before it is written", kind, r->length, r->name, mine);
    ptx_stop(v, ptx_lowest(lanes), "%s '%.*s' is read before it is written", kind, r->length, r->name);
  }
  ptx_stop(v, ptx_lowest(lanes), "%s %d is read before it is written", kind, at);
}
// The 32 lanes of an operand. slot: of what is computed.
static const uint64_t *ptx_row(ptx_machine *v, ptx_warp *w, const ptx_operand *o, uint32_t mask, int slot) {
  switch (o->kind) {
    case PTX_ROW:
      if (mask & ~w->defined[o->at]) ptx_undefined(v, "register", o->at, mask & ~w->defined[o->at], 0);
      return w->reg + (size_t)o->at * PTX_WARP;
    case PTX_CONSTANT: return v->m->constant + (size_t)o->at * PTX_WARP;
    case PTX_SPECIAL:
      for (int i = 0; i < PTX_WARP; i++) v->scratch[slot][i] = ptx_special(v, w, o->at, i);
      return v->scratch[slot];
    default: ptx_stop(v, ptx_lowest(mask), "an operand is no register"); return NULL;
  }
}
static uint64_t *ptx_to(ptx_machine *v, ptx_warp *w, const ptx_operand *o, uint32_t mask) {
  if (o->kind == PTX_NONE) return v->scratch[7];
  if (o->kind != PTX_ROW) ptx_stop(v, ptx_lowest(mask), "a result goes to no register");
  w->defined[o->at] |= mask;
  return w->reg + (size_t)o->at * PTX_WARP;
}
static uint32_t ptx_bits_of(ptx_machine *v, ptx_warp *w, const ptx_operand *o, uint32_t mask) {
  if (o->kind == PTX_CONSTANT)
    return (v->m->constant[(size_t)o->at * PTX_WARP] ? PTX_ALL : 0) ^ (o->not_ ? PTX_ALL : 0);
  if (o->kind != PTX_BITS) ptx_stop(v, ptx_lowest(mask), "an operand is no predicate");
  if (mask & ~w->bits_defined[o->at]) ptx_undefined(v, "predicate", o->at, mask & ~w->bits_defined[o->at], 1);
  return o->not_ ? ~w->bits[o->at] : w->bits[o->at];
}
static void ptx_set_bits(ptx_machine *v, ptx_warp *w, const ptx_operand *o, uint32_t mask, uint32_t bits) {
  if (o->kind == PTX_NONE) return;
  if (o->kind != PTX_BITS) ptx_stop(v, ptx_lowest(mask), "a result goes to no predicate");
  w->bits[o->at] = (w->bits[o->at] & ~mask) | (bits & mask);
  w->bits_defined[o->at] |= mask;
}
static const uint64_t ptx_zeros[PTX_WARP] = {0};
// Addresses of an operand [register + value].
static const uint64_t *ptx_address(ptx_machine *v, ptx_warp *w, const ptx_operand *o, uint32_t mask, int slot) {
  if (o->kind != PTX_MEMORY) ptx_stop(v, ptx_lowest(mask), "an operand is no address");
  const uint64_t *base = ptx_zeros;
  uint64_t *at = v->scratch[slot];
  if (o->at >= 0) {
    if (mask & ~w->defined[o->at]) ptx_undefined(v, "register", o->at, mask & ~w->defined[o->at], 0);
    base = w->reg + (size_t)o->at * PTX_WARP;
  }
  const uint64_t most = o->at >= 0 && o->bits == 32 ? 0xFFFFFFFF : ~(uint64_t)0;
  for (int i = 0; i < PTX_WARP; i++) at[i] = (base[i] + (uint64_t)o->value) & most;
  return at;
}
#define PTX_LANES(mask, body) do { \
  if ((mask) == PTX_ALL) { for (int i = 0; i < PTX_WARP; i++) { body; } } \
  else { for (int i = 0; i < PTX_WARP; i++) if ((mask) >> i & 1) { body; } } } while (0)
#endif
