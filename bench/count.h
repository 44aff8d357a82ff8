// count: a GPU without a GPU. A kernel's list is run by the reference interpreter, warp by warp, and what the hardware
// would do for it is counted.
//
// In:    a lowered kernel, a launch with memory of the host's, a tn_gpu. Out: tn_gpu_counts; what the kernel computes.
// Holds: values are the interpreter's, by its own instructions. What a device may get wrong silently is an error, as it
//        is there: accesses out of bounds, races between items of a group, barriers that not all reach; and here also
//        shared memory that is read before anything was written to it, and groups that no unit has room for.
//
// Items of a group step together; an instruction is counted once for each warp in which any item is active. Loops whose
// bounds differ between items go on until the last item is done. Of a large grid some groups are run, spread evenly,
// and their counts stand for all.
//
//   global   A warp's access asks for bytes: their sectors are moved, and the fewest sectors that would hold as many
//            different bytes are ideal. Vectors are moved in pieces of 16 bytes, of less where one is not aligned.
//   shared   Items are served in phases, of as many as the banks have words for: all of a warp with 4 bytes each, half
//            with 8, a quarter with 16. A phase takes as many cycles (wavefronts) as the fullest bank has different
//            words; one word for all is one (CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x;
//            NVIDIA Nsight Compute, "Wavefronts").
//   time     The slowest of: bytes by the memory's bandwidth and by L2's, instructions by what a unit issues, each kind
//            by its own rate, and latency: a warp waits for memory once in straight code and in each iteration of a
//            loop that loads, of which compilers unroll a few; for what is copied n iterations ahead once in n
//            iterations (CUDA C++ Programming Guide, "Asynchronous Data Copies", multi-stage pipelines). What a group
//            does itself comes on top of its waits, as it uses what it has waited for (Volkov, Understanding Latency
//            Hiding on GPUs, 2016), but in a kernel all of whose loops load what later iterations read, and store it
//            after other work. Units that have a group more than others are waited for.
//   boxes    One item begins the copy of a box (PTX ISA, cp.async.bulk.tensor): no registers, nothing of L1; its rows'
//            sectors come from L2, a row of 128 bytes is written to shared memory in a cycle. What groups of a cluster
//            copy for each other comes once for all of them (.multicast::cluster). One that is stored is read from
//            shared memory so, and its rows' sectors go to L2.
//   cluster  Groups that copy for each other meet in each iteration, while products are under way: the slower of both
//            counts. It takes a trip between SMs at the least, 180 cycles (Luo et al., Benchmarking and Dissecting the
//            Nvidia Hopper GPU Architecture, 2024, SM-to-SM network). Where warps beside the items copy nobody meets
//            (PTX ISA, mbarrier), and those warps have registers, CUTLASS's 40 each.
//   masked   An access is issued though a condition leaves out all items of a warp.
//   atomics  The last cache adds: sectors are read there and written, and an element takes one addition a cycle
//            (NVIDIA, Kepler GK110 white paper, "Atomic Operations"); of the element that gets most, as groups that
//            were run have it.
//   caches   What a group has had before L1 gives it again, if it holds all that the groups of its unit touch; the last
//            cache what any group has had, if it holds all buffers. If not: groups run in waves, as many as fit on all
//            units, in the order of their numbers (Tillet, Triton's tutorial "Matrix Multiplication", "L2 Cache
//            Optimizations"). Those of a wave share what they touch, and sectors stay until as many others have been
//            touched as the cache holds. What a group touches is what the nearest group that was run has, shifted by
//            where the first item's element lies; what places that are loaded name does not move. Groups that walk over
//            tiles (persistent blocks) have a tile each at a time: a wave for each iteration of their outermost loop,
//            which touches anew what it touches. That groups are launched costs nothing (no vendor tells what it does).
#ifndef BENCH_COUNT_H
#define BENCH_COUNT_H
#include "gpu.h"
#include "count_list.h"

// Of the groups that were run: how often a warp asked, cycles of shared memory or sectors of global, and the fewest.
// issued: those too that were masked for all of a warp.
typedef struct tn_gpu_traffic { double requests, moved, ideal, lines, issued; } tn_gpu_traffic;
enum { TN_GPU_LOADS, TN_GPU_STORES };

typedef struct tn_gpu_counts {
  const tn_gpu *gpu;
  int64_t groups, items, sampled;          // of the grid; of a group; groups that were run
  int warps, producers;                    // of a group; warps beside them that copy
  double n[TN_GPU_KINDS], inner[TN_GPU_KINDS];         // issued by a warp; in an iteration of the busiest loop
  tn_gpu_traffic global[2], shared[2];   // of loads, of stores
  double inner_flops;                      // of matrices, by a warp in that iteration
  // Of the whole launch; least_nbytes: each byte that is touched once
  double matrix_flops, memory_nbytes, l2_nbytes, least_nbytes;
  int registers, spilled, private_nbytes, shared_nbytes;
  int resident; double occupancy; const char *occupancy_by;      // groups of a unit; share of its warps; what bounds it
  double us, best_us; const char *limit;   // with the launch; what memory and arithmetic take at the least; the slowest
} tn_gpu_counts;

enum { TN_GPU_COPY_REGISTERS = 40, TN_GPU_CLUSTER = 180 };   // of a warp that copies; cycles until a cluster has met
enum { TN_GPU_UNROLLED = 4 };            // iterations of a short loop, by compilers

typedef struct tn_gpu_at { double warps; tn_gpu_traffic traffic; int shares; } tn_gpu_at;     // shares: groups of a box
enum { TN_GPU_KEPT = 512, TN_GPU_TURNS = 64 };               // tiles of groups whose sectors are kept; tiles of a group
typedef struct tn_gpu_spans { int64_t *at[TN_GPU_KEPT]; int n[TN_GPU_KEPT]; } tn_gpu_spans;

typedef struct tn_gpu_run {
  tn_eval_run r;                           // comes first
  const tn_gpu *gpu; tn_gpu_list list; tn_gpu_counts *out;
  int64_t most, active;                    // groups to run; warps with an active item
  uint64_t begun;                          // epoch in which the group began
  tn_gpu_at *at;                         // of instructions
  // Of memories, of loads and of stores: sectors moved; those that a group moves for the first time, and which
  double (*sectors)[2], (*fresh)[2];
  uint8_t *(*seen)[2];
  // Of memories, ways and groups that were run: which sectors, as pairs of a first one and a number
  tn_gpu_spans (*spans)[2];
  // Tiles of groups that were run: the group, its iteration of the loop at instruction `walk` (-1: there is none),
  // their numbers, and how many. turns: iterations of it; turn: this one.
  int64_t (*ran)[3], *ran_turn, *ran_at, turn, turns; int kept, walk;
  double box_rows[2];                      // written to shared memory by copies of boxes, read by those that store them
  uint32_t **adds;                         // of memories, by element: how often it is added to
  double added;                            // most of them
} tn_gpu_run;

// ** accesses of a warp **

typedef struct tn_gpu_piece { int64_t address[64]; int n, nbytes; } tn_gpu_piece;

static void tn_gpu_sort(tn_gpu_piece *p) {
  for (int i = 1; i < p->n; i++) {
    const int64_t a = p->address[i];
    int j = i;
    for (; j > 0 && p->address[j - 1] > a; j--) p->address[j] = p->address[j - 1];
    p->address[j] = a;
  }
}

// Blocks of so many bytes that are touched. Addresses ascend.
static int64_t tn_gpu_blocks(const tn_gpu_piece *p, int64_t block) {
  int64_t n = 0, next = INT64_MIN;
  for (int i = 0; i < p->n; i++) {
    const int64_t first = p->address[i] / block, last = (p->address[i] + p->nbytes - 1) / block;
    const int64_t from = first < next ? next : first;
    if (last >= from) { n += last - from + 1; next = last + 1; }
  }
  return n;
}

static size_t tn_gpu_seen_nbytes(const tn_gpu_run *c, const tn_eval_mem *m) {
  const int64_t nbytes = m->nelem * tn_dtypes[m->dtype].nbytes + (int64_t)c->r.l->mem[m->id].offset;
  return (size_t)(nbytes / c->gpu->sector / 8 + 1);
}
// Counts sectors that the group has not had. Addresses ascend.
static void tn_gpu_first(const tn_gpu_run *c, uint8_t *seen, double *fresh, const tn_gpu_piece *p) {
  for (int i = 0; i < p->n; i++)
    for (int64_t s = p->address[i] / c->gpu->sector; s <= (p->address[i] + p->nbytes - 1) / c->gpu->sector; s++) {
      *fresh += !(seen[s / 8] >> s % 8 & 1);
      seen[s / 8] |= (uint8_t)(1 << s % 8);
    }
}

static void tn_gpu_global(tn_gpu_run *c, tn_gpu_traffic *to, tn_gpu_piece *p) {
  const int64_t sector = c->gpu->sector;
  tn_gpu_sort(p);
  to->requests += 1;
  to->moved += (double)tn_gpu_blocks(p, sector);
  to->ideal += (double)((tn_gpu_blocks(p, 1) + sector - 1) / sector);
  to->lines += (double)tn_gpu_blocks(p, c->gpu->line);
}

// Cycles of one phase: the most different words of a bank. Addresses ascend.
static int64_t tn_gpu_wavefronts(const tn_gpu *g, const tn_gpu_piece *p) {
  int64_t words[64] = {0}, most = 0, next = INT64_MIN;
  for (int i = 0; i < p->n; i++)
    for (int64_t w = p->address[i] / g->bank_nbytes; w <= (p->address[i] + p->nbytes - 1) / g->bank_nbytes; w++) {
      if (w < next) continue;
      next = w + 1;
      const int64_t n = ++words[w % g->banks];
      if (n > most) most = n;
    }
  return most;
}

// item[i]: which of the warp has address[i].
static void tn_gpu_shared(tn_gpu_run *c, tn_gpu_traffic *to, const tn_gpu_piece *p, const int *item) {
  const int width = p->nbytes < c->gpu->bank_nbytes ? c->gpu->bank_nbytes : p->nbytes;
  const int phase = c->gpu->banks * c->gpu->bank_nbytes / width;
  to->requests += 1;
  for (int i = 0; i < p->n;) {
    tn_gpu_piece part;
    const int now = item[i] / phase;
    part.n = 0; part.nbytes = p->nbytes;
    for (; i < p->n && item[i] / phase == now; i++) part.address[part.n++] = p->address[i];
    tn_gpu_sort(&part);
    to->moved += (double)tn_gpu_wavefronts(c->gpu, &part);
    to->ideal += 1;
  }
}

// The address of an active item's lane; -1: it is not accessed.
static int64_t tn_gpu_address_of(const tn_gpu_run *c, const tn_eval_ins *i, int64_t item, int lane) {
  const tn_eval_run *r = &c->r;
  const tn_eval_mem *m = &r->c->mem[i->mem];
  const tn_eval_arg *a = &r->c->arg[i->arg];
  if (!(r->mask + r->depth * r->items)[item]) return -1;
  if (a[2].slot >= 0 && !tn_eval_slot(r, a[2].slot + (a[2].lanes > 1 ? lane : 0))[item]) return -1;
  const int64_t e = tn_eval_slot(r, a[0].slot + (a[0].lanes > 1 ? lane : 0))[item];
  const int64_t flat = m->lanes > 1 ? e * m->lanes + lane : a[0].lanes > 1 ? e : e + lane;
  if (flat < 0 || flat >= m->nelem * m->lanes) return -1;    // which the interpreter will tell
  const int64_t nbytes = tn_dtypes[m->dtype].nbytes;
  if (m->space == TN_SPACE_GLOBAL) return flat * nbytes + (int64_t)r->l->mem[m->id].offset;
  int64_t base = 0;                        // SHARED memories one after the other, each on a line of banks
  for (const tn_eval_mem *other = r->c->mem; other < m; other++) if (other->space == TN_SPACE_LOCAL) {
    const int64_t size = other->nelem * other->lanes * tn_dtypes[other->dtype].nbytes;
    base += (size + TN_LINE_NBYTES * 2 - 1) / (TN_LINE_NBYTES * 2) * (TN_LINE_NBYTES * 2);
  }
  return base + flat * nbytes;
}

// Lanes of vectors that lie together are moved together, as many as fit 16 bytes and as addresses are aligned.
static int tn_gpu_together(const tn_gpu_run *c, const tn_eval_ins *i, int64_t from, int64_t to) {
  const tn_eval_arg *a = &c->r.c->arg[i->arg];
  const int nbytes = tn_dtypes[c->r.c->mem[i->mem].dtype].nbytes;
  int n = 1;
  if (a[0].lanes > 1 || a[2].lanes > 1) return 1;
  while (2 * n * nbytes <= 16 && i->u.lanes % (2 * n) == 0) n *= 2;
  for (int64_t item = from; item < to && n > 1; item++) {
    const int64_t address = tn_gpu_address_of(c, i, item, 0);
    while (address >= 0 && address % (n * nbytes)) n /= 2;
  }
  return n;
}

// Shared memory that is read holds something.
static tiny_code tn_gpu_written(tn_gpu_run *c, const tn_eval_ins *i) {
  tn_eval_run *r = &c->r;
  const tn_eval_mem *m = &r->c->mem[i->mem];
  const tn_eval_arg *a = &r->c->arg[i->arg];
  if (m->space != TN_SPACE_LOCAL || i->u.op != TINY_OP_LOAD) return TINY_OK;
  for (int lane = 0; lane < i->u.lanes; lane++) for (int64_t item = 0; item < r->items; item++) {
    if (tn_gpu_address_of(c, i, item, lane) < 0) continue;
    const int64_t e = tn_eval_slot(r, a[0].slot + (a[0].lanes > 1 ? lane : 0))[item];
    const int64_t flat = m->lanes > 1 ? e * m->lanes + lane : a[0].lanes > 1 ? e : e + lane;
    if (r->shadow[m->at + flat].written < c->begun)
      return tn_eval_trap(r, m, item, "reads what was never written, element", flat / m->lanes);
  }
  return TINY_OK;
}

static void tn_gpu_atomics(tn_gpu_run *c, int mem, const tn_gpu_piece *p) {
  const tn_eval_mem *m = &c->r.c->mem[mem];
  const int64_t nbytes = tn_dtypes[m->dtype].nbytes;
  if (!c->adds[mem]) c->adds[mem] = (uint32_t *)tn_scratch(c->r.t, (size_t)m->nelem * sizeof **c->adds);
  for (int i = 0; i < p->n; i++)
    for (int64_t at = p->address[i]; at < p->address[i] + p->nbytes; at += nbytes) {
      const uint32_t n = ++c->adds[mem][(at - (int64_t)c->r.l->mem[m->id].offset) / nbytes];
      if (n > c->added) c->added = n;
    }
}

static int tn_gpu_is_active(const tn_gpu_run *c, int64_t from, int64_t end) {
  return memchr(c->r.mask + c->r.depth * c->r.items + from, 1, (size_t)(end - from)) != NULL;
}

static void tn_gpu_access(tn_gpu_run *c, int at) {
  const tn_eval_ins *i = &c->r.c->ins[at];
  const int space = c->r.c->mem[i->mem].space, stores = i->u.op == TINY_OP_STORE;
  const int nbytes = tn_dtypes[c->r.c->mem[i->mem].dtype].nbytes;
  tn_gpu_traffic *to = &c->at[at].traffic;
  if (space == TN_SPACE_REG || tn_gpu_by_unit(i)) return;
  for (int64_t from = 0; from < c->r.items; from += c->gpu->warp) {
    const int64_t end = from + c->gpu->warp < c->r.items ? from + c->gpu->warp : c->r.items;
    const int together = tn_gpu_together(c, i, from, end);
    for (int lane = 0; lane < i->u.lanes; lane += together) {
      tn_gpu_piece p;
      int item[64];
      p.n = 0; p.nbytes = together * nbytes;
      for (int64_t k = from; k < end; k++) {
        const int64_t address = tn_gpu_address_of(c, i, k, lane);
        if (address >= 0) { item[p.n] = (int)(k - from); p.address[p.n++] = address; }
      }
      to->issued += p.n || tn_gpu_is_active(c, from, end);
      if (!p.n) continue;
      const double before = to->moved;
      if (space == TN_SPACE_LOCAL) tn_gpu_shared(c, to, &p, item);
      else tn_gpu_global(c, to, &p);
      if (space != TN_SPACE_GLOBAL) continue;
      for (int way = stores && i->u.k == TN_ADDS ? 0 : stores; way <= stores; way++) {     // what adds reads as well
        c->sectors[i->mem][way] += to->moved - before;
        tn_gpu_first(c, c->seen[i->mem][way], &c->fresh[i->mem][way], &p);
      }
      if (stores && i->u.k == TN_ADDS) tn_gpu_atomics(c, i->mem, &p);
    }
  }
}

// The rows of a box that are there: sectors of the memory that it is of.
static void tn_gpu_box(tn_gpu_run *c, int at) {
  const tn_eval_run *r = &c->r;
  const tn_eval_ins *i = &r->c->ins[at];
  const int dims = tn_bulk_dims(&i->u), nbytes = tn_dtypes[r->c->mem[i->mem].dtype].nbytes,
            stores = i->u.op == TINY_OP_BULKSTORE;
  const tn_eval_arg *a = &r->c->arg[i->arg], *coordinate = a + 3 - stores;
  const int64_t *v = r->c->v + i->v, offset = (int64_t)r->l->mem[r->c->mem[i->from_mem].id].offset;
  tn_gpu_traffic *to = &c->at[at].traffic;
  int64_t rows = 1;
  if (a[1].slot >= 0 && !*tn_eval_slot(r, a[1].slot)) return;
  for (int d = 1; d < dims; d++) rows *= v[2 * dims + d];
  to->requests += 1;
  c->box_rows[stores] += (double)rows;
  for (int64_t row = 0; row < rows; row++) {
    const int64_t first = *tn_eval_slot(r, coordinate->slot), begin = first < 0 ? 0 : first,
                  end = first + v[2 * dims] < v[0] ? first + v[2 * dims] : v[0];
    int64_t place = begin, left = row;
    int there = begin < end;
    for (int d = 1; d < dims; left /= v[2 * dims + d++]) {
      const int64_t x = *tn_eval_slot(r, coordinate[d].slot) + left % v[2 * dims + d];
      there &= x >= 0 && x < v[d];
      place += x * v[dims + d];
    }
    tn_gpu_piece p;
    p.n = 1; p.nbytes = (int)(end - begin) * nbytes; p.address[0] = place * nbytes + offset;
    if (!there) continue;
    const int64_t sectors = tn_gpu_blocks(&p, c->gpu->sector);
    to->moved += (double)sectors;
    to->ideal += (double)((p.nbytes + c->gpu->sector - 1) / c->gpu->sector);
    c->sectors[i->from_mem][stores] += (double)sectors / c->at[at].shares;
    double fresh = 0;
    tn_gpu_first(c, c->seen[i->from_mem][stores], &fresh, &p);
    c->fresh[i->from_mem][stores] += fresh / c->at[at].shares;
  }
}

// ** running **

static void tn_gpu_active(tn_gpu_run *c) {
  const uint8_t *mask = c->r.mask + c->r.depth * c->r.items;
  c->active = 0;
  for (int64_t from = 0; from < c->r.items; from += c->gpu->warp) {
    const int64_t left = c->r.items - from;
    c->active += memchr(mask + from, 1, (size_t)(left < c->gpu->warp ? left : c->gpu->warp)) != NULL;
  }
}

// Opens a loop: its mask holds items that have an iteration left. 0: none.
static int tn_gpu_range(tn_gpu_run *c, const tn_eval_ins *i) {
  tn_eval_run *r = &c->r;
  const int64_t *end = tn_eval_slot(r, r->c->arg[i->arg].slot);
  const int64_t *start = i->u.nsrc > 1 ? tn_eval_slot(r, r->c->arg[i->arg + 1].slot) : NULL;
  const uint8_t *outer = r->mask + r->depth * r->items;
  uint8_t *inner = r->mask + (r->depth + 1) * r->items, any = 0;
  int64_t *now = tn_eval_slot(r, i->slot);
  for (int64_t item = 0; item < r->items; item++) {
    now[item] = start && start[item] > 0 ? start[item] : 0;
    any |= inner[item] = outer[item] && now[item] < end[item];
  }
  r->depth += any;
  return any;
}
// Goes on with a loop. 0: no item has an iteration left.
static int tn_gpu_end(tn_gpu_run *c, const tn_eval_ins *i) {
  tn_eval_run *r = &c->r;
  const tn_eval_ins *range = &r->c->ins[i->jump];
  const int64_t *end = tn_eval_slot(r, r->c->arg[range->arg].slot);
  uint8_t *mask = r->mask + r->depth * r->items, any = 0;
  int64_t *now = tn_eval_slot(r, range->slot);
  for (int64_t item = 0; item < r->items; item++) any |= mask[item] = mask[item] && ++now[item] < end[item];
  r->depth -= !any;
  return any;
}

static void tn_gpu_forget(tn_gpu_run *c);
static void tn_gpu_keep(tn_gpu_run *c);
static tiny_code tn_gpu_step(tn_gpu_run *c, int *at) {
  const tn_eval_ins *i = &c->r.c->ins[*at];
  tiny_code code = TINY_OK;
  c->at[*at].warps += tn_gpu_is_box(i) ? 1 : (double)c->active;
  switch (i->u.op) {
    case TINY_OP_RANGE: if (!tn_gpu_range(c, i)) *at = i->jump; break;
    case TINY_OP_END:
      if (i->jump == c->walk) { tn_gpu_keep(c); tn_gpu_forget(c); c->turn++; }
      if (tn_gpu_end(c, i)) *at = i->jump;
      break;
    case TINY_OP_LOAD: case TINY_OP_STORE:
      if (tn_gpu_written(c, i) != TINY_OK) return c->r.t->code;
      tn_gpu_access(c, *at);
      return tn_eval_instruction(&c->r, at);
    case TINY_OP_BULK: case TINY_OP_BULKSTORE: tn_gpu_box(c, *at); return tn_eval_instruction(&c->r, at);
    case TINY_OP_IF: case TINY_OP_ENDIF: code = tn_eval_instruction(&c->r, at); break;
    default: return tn_eval_instruction(&c->r, at);
  }
  tn_gpu_active(c);
  return code;
}

// A group begins that has not touched anything.
static void tn_gpu_forget(tn_gpu_run *c) {
  for (int m = 0; m < c->r.c->nmem; m++) for (int stores = 0; stores < 2; stores++)
    if (c->seen[m][stores]) memset(c->seen[m][stores], 0, tn_gpu_seen_nbytes(c, &c->r.c->mem[m]));
}

// Which sectors the last group that was run has touched, in this turn.
static void tn_gpu_keep(tn_gpu_run *c) {
  const int64_t *n = c->r.groups, *group = c->r.group;
  if (c->kept == TN_GPU_KEPT) return;
  memcpy(c->ran[c->kept], group, sizeof *c->ran);
  c->ran_turn[c->kept] = c->turn;
  c->ran_at[c->kept] = ((c->turn * n[2] + group[2]) * n[1] + group[1]) * n[0] + group[0];
  for (int m = 0; m < c->r.c->nmem; m++) for (int stores = 0; stores < 2 && c->seen[m][stores]; stores++) {
    tn_gpu_spans *spans = &c->spans[m][stores];
    const int64_t n = (int64_t)tn_gpu_seen_nbytes(c, &c->r.c->mem[m]) * 8;
    const uint8_t *seen = c->seen[m][stores];
    int found = 0;
    for (int pass = 0; pass < 2; pass++) {
      if (pass) spans->at[c->kept] = (int64_t *)tn_scratch(c->r.t, ((size_t)found + 1) * 2 * sizeof(int64_t));
      spans->n[c->kept] = found;
      found = 0;
      for (int64_t s = 0; s < n; s++) {
        if (!seen[s / 8] && s % 8 == 0) { s += 7; continue; }
        if (!(seen[s / 8] >> s % 8 & 1)) continue;
        int64_t end = s;
        while (end < n && (seen[end / 8] >> end % 8 & 1)) end++;
        if (pass) { spans->at[c->kept][2 * found] = s; spans->at[c->kept][2 * found + 1] = end - s; }
        found++;
        s = end;
      }
    }
  }
  c->kept++;
}

// The loop in which a group walks over tiles: an outermost one with loops inside, in which memory is stored to.
static void tn_gpu_find_walk(tn_gpu_run *c) {
  const tn_eval_code *code = c->r.c;
  c->walk = -1;
  c->turns = 1;
  for (int at = 0; at < code->nins && c->walk < 0; at++) {
    const tiny_uop *end = code->ins[at].u.op == TINY_OP_RANGE ? code->ins[at].u.src[0] : NULL;
    int loops = 0, stores = 0;
    if (!end || c->list.range[at] >= 0 || !tn_is_const(end) || end->k > TN_GPU_TURNS) continue;
    for (int in = at + 1; in < code->ins[at].jump; in++) {
      loops |= code->ins[in].u.op == TINY_OP_RANGE;
      stores |= code->ins[in].u.op == TINY_OP_STORE && code->mem[code->ins[in].mem].space == TN_SPACE_GLOBAL;
    }
    if (!loops || !stores) continue;
    c->walk = at;
    c->turns = end->k;
  }
}

static tiny_code tn_gpu_groups(tn_eval_run *r) {
  tn_gpu_run *c = (tn_gpu_run *)(void *)r;
  const int64_t n = r->groups[0] * r->groups[1] * r->groups[2], most = c->most > 0 && c->most < n ? c->most : n;
  memset(r->mask, 1, (size_t)r->items);
  tn_gpu_active(c);
  for (int i = 0; i < r->c->nsetup; i++) if (tn_eval_setup(r, &r->c->setup[i]) != TINY_OK) return r->t->code;
  for (int64_t k = 0; k < most; k++) {
    const int64_t g = most > 1 ? (int64_t)((double)k * (double)(n - 1) / (double)(most - 1)) : 0;
    r->group[0] = g % r->groups[0]; r->group[1] = g / r->groups[0] % r->groups[1];
    r->group[2] = g / r->groups[0] / r->groups[1];
    c->begun = ++r->epoch;
    tn_eval_poison(r);
    tn_gpu_forget(c);
    c->turn = 0;
    for (int at = 0; at < r->c->nins; at++) if (tn_gpu_step(c, &at) != TINY_OK) return r->t->code;
    if (c->walk < 0) tn_gpu_keep(c);
  }
  c->out->sampled = most;
  return TINY_OK;
}

// ** what follows from it **

static double tn_gpu_scale(const tn_gpu_counts *o) { return (double)o->groups / (double)o->sampled; }

// Of matrices, by a warp; as many of f16 as take as long: of bytes half, but on RDNA3, of tf32 twice (the data sheets), of
// f32 as many on Apple's (Turner, metal-benchmarks: simdgroup_matrix of FFMA16 and FFMA32).
static double tn_gpu_flops(const tn_eval_ins *i) {
  const tiny_warp_unit *unit = i->u.op == TINY_OP_WMMA ? tn_warp_unit_of(i->u.k) : NULL;
  if (!unit) return 0;
  const double each = strncmp(unit->name, "gfx11", 5) && strncmp(unit->name, "apple", 5) ? tn_bits(unit->a) / 16.0 : 1;
  return 2.0 * unit->m * unit->n * unit->k * each * i->u.lanes / tn_layout_elements(&unit->layout[2]);
}

static void tn_gpu_sum(tn_gpu_run *c) {
  tn_gpu_counts *o = c->out;
  const double warps = (double)(o->sampled * o->warps);
  for (int stores = 0; stores < 2; stores++) {               // a box that comes is a store to shared memory
    o->shared[!stores].moved += c->box_rows[stores]; o->shared[!stores].ideal += c->box_rows[stores];
  }
  for (int at = 0; at < c->r.c->nins; at++) {
    const tn_eval_ins *i = &c->r.c->ins[at];
    const tn_gpu_at *x = &c->at[at];
    for (int k = 0; k < TN_GPU_KINDS; k++) o->n[k] += x->warps * c->list.cost[at][k] / warps;
    o->matrix_flops += tn_gpu_flops(i) * x->warps * tn_gpu_scale(o);
    if (i->mem < 0) continue;
    const int space = tn_gpu_is_box(i) ? (int)TN_SPACE_GLOBAL : c->r.c->mem[i->mem].space,
              stores = i->u.op == TINY_OP_STORE || i->u.op == TINY_OP_BULKSTORE;
    if (space == TN_SPACE_REG) {
      if (c->list.moved[i->mem]) o->n[TN_GPU_PRIVATE] += x->warps * i->u.lanes / warps;
      continue;
    }
    tn_gpu_traffic *to = space == TN_SPACE_GLOBAL ? &o->global[stores] : &o->shared[stores];
    to->requests += x->traffic.requests; to->moved += x->traffic.moved;
    to->ideal += x->traffic.ideal; to->lines += x->traffic.lines;
    if (!stores || c->list.ahead[at] != TN_GPU_COPIES)       // else it is one instruction with its load
      o->n[space == TN_SPACE_GLOBAL ? TN_GPU_GLOBAL : TN_GPU_SHARED] += x->traffic.issued / warps;
  }
}

// Instructions of an iteration of the loop without loops inside in which a warp issues most.
static void tn_gpu_inner(tn_gpu_run *c) {
  double most = 0;
  for (int at = 0; at < c->r.c->nins; at++) {
    double n[TN_GPU_KINDS] = {0}, all = 0, warps = 0, flops = 0;
    int inside = at + 1;
    if (c->r.c->ins[at].u.op != TINY_OP_RANGE) continue;
    for (; inside <= c->r.c->ins[at].jump && c->r.c->ins[inside].u.op != TINY_OP_RANGE; inside++) {
      const tn_eval_ins *i = &c->r.c->ins[inside];
      const tn_gpu_at *x = &c->at[inside];
      const int space = i->mem >= 0 ? c->r.c->mem[i->mem].space : (int)TN_SPACE_REG;
      for (int k = 0; k < TN_GPU_KINDS; k++) n[k] += x->warps * c->list.cost[inside][k];
      if (space != TN_SPACE_REG && (i->u.op == TINY_OP_LOAD || c->list.ahead[inside] != TN_GPU_COPIES))
        n[space == TN_SPACE_GLOBAL ? TN_GPU_GLOBAL : TN_GPU_SHARED] += x->traffic.issued;
      if (x->warps > warps) warps = x->warps;
      flops += tn_gpu_flops(i) * x->warps;
    }
    for (int k = 0; k < TN_GPU_KINDS; k++) all += n[k];
    if (inside <= c->r.c->ins[at].jump || all <= most) continue;
    most = all;
    for (int k = 0; k < TN_GPU_KINDS; k++) c->out->inner[k] = n[k] / warps;
    c->out->inner_flops = flops / warps;
  }
}

static int tn_gpu_up(int n, int granule) { return (n + granule - 1) / granule * granule; }

// Groups that a unit holds at once, and what there is not more of.
static tiny_code tn_gpu_occupancy(tiny_ctx *t, tn_gpu_counts *o) {
  const tn_gpu *g = o->gpu;
  const int registers = tn_gpu_up(o->registers, g->register_granule);
  int warps = g->registers / registers;
  if (warps > g->warps) warps = g->warps;
  const int shared = tn_gpu_up(o->shared_nbytes + g->shared_reserved, g->shared_granule);
  const struct { int groups; const char *name; } limit[] = {
    {g->warps * g->simds / (o->warps + o->producers), "warps"},
    {!o->producers ? warps * g->simds / o->warps :
         g->registers * g->simds / (registers * o->warps + TN_GPU_COPY_REGISTERS * o->producers), "registers"},
    {o->shared_nbytes ? g->shared_unit / shared : INT32_MAX, "shared"}, {g->groups, "groups"}};
  o->resident = INT32_MAX;
  for (int i = 0; i < 4; i++) if (limit[i].groups < o->resident) {
    o->resident = limit[i].groups; o->occupancy_by = limit[i].name;
  }
  if (o->items + o->producers * g->warp > g->items)
    return tiny_fail(t, TINY_E_ARG, "count: groups of %lld items; %s has %d at most: take smaller groups",
                     (long long)o->items + o->producers * g->warp, g->name, g->items);
  if (o->resident < 1 || o->shared_nbytes > g->shared_group)
    return tiny_fail(t, TINY_E_ARG, "count: a group wants %d registers of an item and %d bytes of shared memory, "
                     "which %s has no room for: take smaller tiles", o->registers, o->shared_nbytes, g->name);
  o->occupancy = (double)o->resident * o->warps / (g->warps * g->simds);
  return TINY_OK;
}

static double tn_gpu_fresh(const tn_gpu_run *c) {
  double all = 0;
  for (int m = 0; m < c->r.c->nmem; m++) all += c->fresh[m][0] + c->fresh[m][1];
  return all * c->gpu->sector / (double)(c->out->sampled * c->turns);
}

// ** the last cache **

// What an element's place is in a group for the first item and iteration, but for those of loop `walk` (NULL: there is
// none), of which it is number `turn`; what is loaded counts as 0.
static int64_t tn_gpu_place(const tiny_uop *u, const tiny_uop *walk, const int64_t *group, int64_t turn) {
  int64_t v[3] = {0, 0, 0};
  if (u->op == TINY_OP_CONST) return u->k;
  if (u->op == TINY_OP_RANGE) return walk && u->k == walk->k ? turn : 0;
  if (u->op == TINY_OP_SPECIAL) return u->k & 16 ? 0 : group[u->k & 3];
  if (u->lanes != 1 || u->nsrc > 3 || !tn_op_is_elementwise(u->op) || tn_is_float(u->dtype)) return 0;
  for (uint32_t j = 0; j < u->nsrc; j++) v[j] = tn_gpu_place(u->src[j], walk, group, turn);
  return tn_alu(u->op, u->dtype, u->src[0]->dtype, u->k, v, (int)u->nsrc);
}

// The first access to memory m; NULL: there is none.
static const tn_eval_ins *tn_gpu_first_access(const tn_gpu_run *c, int m, int stores) {
  for (int at = 0; at < c->r.c->nins; at++) {
    const tn_eval_ins *i = &c->r.c->ins[at];
    if (tn_gpu_is_box(i) ? i->from_mem == m && stores == (i->u.op == TINY_OP_BULKSTORE) :
        tn_gpu_is_access(i) && i->mem == m && (i->u.op == TINY_OP_STORE) == stores)
      return i;
  }
  return NULL;
}
// The element that it begins with, for the first item and iteration.
static int64_t tn_gpu_access_place(const tn_gpu_run *c, const tn_eval_ins *i, const tiny_uop *walk,
                                   const int64_t *group, int64_t turn) {
  const int dims = tn_bulk_dims(&i->u);
  int64_t place = 0;
  if (!tn_gpu_is_box(i)) return tn_gpu_place(i->u.src[0]->src[1], walk, group, turn);
  for (int d = 0; d < dims; d++)
    place += tn_gpu_place(i->u.src[(int)i->u.nsrc - dims + d], walk, group, turn) * c->r.c->v[i->v + dims + d];
  return place;
}

// stamp: of memories and ways, by sector, the last wave that touched it, from 1 on; 0: none. held: of waves, how many
// sectors were touched in it for the last time.
typedef struct tn_gpu_last { uint32_t *(*stamp)[2]; int64_t *held; uint32_t wave, oldest; double missed; } tn_gpu_last;

static void tn_gpu_last_touch(const tn_gpu_run *c, tn_gpu_last *l, int m, int stores, int64_t shift, int near_group) {
  const tn_gpu_spans *spans = &c->spans[m][stores];
  const int64_t n = (int64_t)tn_gpu_seen_nbytes(c, &c->r.c->mem[m]) * 8;
  uint32_t *stamp = l->stamp[m][stores];
  for (int i = 0; i < spans->n[near_group]; i++) {
    const int64_t first = spans->at[near_group][2 * i] + shift, end = first + spans->at[near_group][2 * i + 1];
    for (int64_t s = first < 0 ? 0 : first; s < end && s < n; s++) {
      const uint32_t before = stamp[s];
      if (before == l->wave) continue;
      l->missed += before < l->oldest;
      l->held[before]--;
      l->held[l->wave]++;
      stamp[s] = l->wave;
    }
  }
}

// The group that was run whose number is nearest.
static int tn_gpu_nearest(const tn_gpu_run *c, int64_t g) {
  int best = 0;
  for (int k = 1; k < c->kept; k++) if (llabs(c->ran_at[k] - g) < llabs(c->ran_at[best] - g)) best = k;
  return best;
}

static void tn_gpu_last_group(const tn_gpu_run *c, tn_gpu_last *l, int64_t g, int64_t turn) {
  const int64_t *n = c->r.groups, group[3] = {g % n[0], g / n[0] % n[1], g / n[0] / n[1]};
  const int near_group = tn_gpu_nearest(c, turn * c->out->groups + g);
  const tiny_uop *walk = c->walk < 0 ? NULL : &c->r.c->ins[c->walk].u;
  for (int m = 0; m < c->r.c->nmem; m++) for (int stores = 0; stores < 2 && l->stamp[m][stores]; stores++) {
    const tn_eval_ins *first = tn_gpu_first_access(c, m, stores);
    if (!first) continue;
    const int64_t there = tn_gpu_access_place(c, first, walk, c->ran[near_group], c->ran_turn[near_group]);
    const double moved = (double)(tn_gpu_access_place(c, first, walk, group, turn) - there) *
        tn_dtypes[c->r.c->mem[m].dtype].nbytes / c->gpu->sector;
    tn_gpu_last_touch(c, l, m, stores, (int64_t)floor(moved), near_group);
  }
}

// Bytes of memory that all groups move, wave by wave.
static double tn_gpu_missed(const tn_gpu_run *c) {
  const int64_t groups = c->out->groups, wave = (int64_t)c->gpu->units * c->out->resident;
  const int64_t holds = (int64_t)(c->gpu->last_nbytes / c->gpu->sector);
  tn_gpu_last l;
  memset(&l, 0, sizeof l);
  l.stamp = (uint32_t *(*)[2])tn_scratch(c->r.t, ((size_t)c->r.c->nmem + 1) * sizeof *l.stamp);
  l.held = (int64_t *)tn_scratch(c->r.t, (size_t)((groups / wave + 1) * c->turns + 2) * sizeof *l.held);
  for (int m = 0; m < c->r.c->nmem; m++) for (int stores = 0; stores < 2 && c->seen[m][stores]; stores++)
    l.stamp[m][stores] = (uint32_t *)tn_scratch(
        c->r.t, tn_gpu_seen_nbytes(c, &c->r.c->mem[m]) * 8 * sizeof(uint32_t));
  for (int64_t first = 0; first < groups; first += wave) for (int64_t turn = 0; turn < c->turns; turn++) {
    int64_t kept = 0;
    for (l.oldest = ++l.wave; l.oldest > 1 && kept + l.held[l.oldest - 1] <= holds; l.oldest--)
      kept += l.held[l.oldest - 1];
    for (int64_t g = first; g < groups && g < first + wave; g++) tn_gpu_last_group(c, &l, g, turn);
  }
  return l.missed * c->gpu->sector;
}

static void tn_gpu_memory(tn_gpu_run *c) {
  tn_gpu_counts *o = c->out;
  const tn_gpu *g = o->gpu;
  const tn_eval_code *code = c->r.c;
  const double groups = (double)(o->groups / g->units < o->resident ? o->groups / g->units + 1 : o->resident);
  const double l1 = g->l1_nbytes - (g->l1_shared ? groups * o->shared_nbytes : 0);
  const int held = groups * tn_gpu_fresh(c) <= l1;
  double footprint = 0;
  for (int m = 0; m < code->nmem; m++) if (code->mem[m].space == TN_SPACE_GLOBAL)
    footprint += (double)code->mem[m].nelem * tn_dtypes[code->mem[m].dtype].nbytes;
  for (int m = 0; m < code->nmem; m++) for (int stores = 0; stores < 2; stores++) {
    const double nbytes = (double)code->mem[m].nelem * tn_dtypes[code->mem[m].dtype].nbytes;
    const double fresh = c->fresh[m][stores] * g->sector * tn_gpu_scale(o);
    const double once = fresh < nbytes ? fresh : nbytes;
    o->l2_nbytes += held ? fresh : c->sectors[m][stores] * g->sector * tn_gpu_scale(o);
    o->memory_nbytes += once;
    o->least_nbytes += once;
  }
  if (footprint > g->last_nbytes) o->memory_nbytes = tn_gpu_missed(c);
}

enum { TN_GPU_BETWEEN = 32 };            // instructions between a load and the STORE of it that wait for it

// Is what the loop loads for later iterations stored only after other work, or copied without the items?
static int tn_gpu_hides(const tn_gpu_run *c, int loop) {
  int last = -1, first = -1;
  for (int at = loop + 1; at < c->r.c->ins[loop].jump; at++) {
    const tn_eval_ins *i = &c->r.c->ins[at];
    if (c->list.range[at] != loop || c->list.ahead[at] == TN_GPU_COPIES) continue;
    if (i->u.op == TINY_OP_LOAD && c->list.ahead[at]) last = at;
    if (i->u.op == TINY_OP_STORE && i->u.k == TN_LATER && first < 0) first = at;
  }
  return last < 0 || first - last > TN_GPU_BETWEEN;
}

// How often a warp waits for what is loaded at `at`, in a loop of which so many iterations are unrolled. ahead: in how
// many of them it waits once for what is copied; 0: after the loop.
static double tn_gpu_waits_at(const tn_gpu_run *c, int at, int loop, int unrolled, int ahead) {
  if (c->list.ahead[at] != TN_GPU_COPIES) return c->at[at].warps / unrolled;
  if (ahead) return c->at[at].warps / ahead;
  return loop < 0 ? c->at[at].warps : c->at[loop].warps;
}

// How often a warp of the group waits for memory: once where straight code loads, and in each iteration that does.
// *serial: some loop uses what it has loaded at once.
static double tn_gpu_waits(const tn_gpu_run *c, int *serial) {
  const tn_eval_code *code = c->r.c;
  double waits = 0;
  int loops = 0, hidden = 0;
  for (int loop = -1; loop < code->nins; loop++) {
    double most = 0;
    int unrolled = loop >= 0 ? TN_GPU_UNROLLED : 1, ahead = 0, loads = 0, later = 0, boxes = -1;
    if (loop >= 0 && code->ins[loop].u.op != TINY_OP_RANGE) continue;
    for (int at = loop + 1; at < (loop < 0 ? code->nins : code->ins[loop].jump); at++) {
      if (c->list.range[at] != loop) continue;
      if (code->ins[at].u.op == TINY_OP_BARRIER || code->ins[at].u.op == TINY_OP_RANGE) unrolled = 1;
      if (code->ins[at].u.op == TINY_OP_BARRIER && code->ins[at].u.k) ahead = (int)(code->ins[at].u.k & ~TN_BOXES);
      if (code->ins[at].u.op == TINY_OP_BARRIER && code->ins[at].u.k & TN_BOXES) boxes = at;
    }
    for (int at = loop + 1; loop >= 0 && boxes >= 0 && at < code->ins[loop].jump; at++) {      // all slots but one
      const tiny_uop *u = &code->ins[at].u;
      if (c->list.range[at] != loop || u->op != TINY_OP_BULK) continue;
      const double now = c->at[boxes].warps / (tn_bulk_end(u->k) - tn_bulk_first(u->k) > 1 ?
                                               tn_bulk_end(u->k) - tn_bulk_first(u->k) - 1 : 1);
      if (now > most) most = now;
      loads++;
      later++;
    }
    for (int at = loop + 1; at < (loop < 0 ? code->nins : code->ins[loop].jump); at++) {
      if (c->list.range[at] != loop || code->ins[at].u.op != TINY_OP_LOAD ||
          code->mem[code->ins[at].mem].space != TN_SPACE_GLOBAL)
        continue;
      const double now = tn_gpu_waits_at(c, at, loop, unrolled, ahead);
      if (now > most) most = now;
      loads++;
      later += c->list.ahead[at] != 0;
    }
    waits += most;
    loops += loop >= 0 && loads;
    hidden += loop >= 0 && loads && later == loads && tn_gpu_hides(c, loop);
  }
  *serial = !loops || hidden < loops;
  return waits / (double)(c->out->sampled * c->out->warps);
}

// How often a group waits for its neighbours.
static double tn_gpu_meets(const tn_gpu_run *c) {
  double meets = 0;
  int shares = 1;
  for (int at = 0; at < c->r.c->nins; at++) if (c->at[at].shares > shares) shares = c->at[at].shares;
  for (int at = 0; at < c->r.c->nins && shares > 1 && !c->out->producers; at++)
    if (c->r.c->ins[at].u.op == TINY_OP_BARRIER && c->r.c->ins[at].u.k & TN_BOXES) meets += c->at[at].warps;
  return meets / (double)(c->out->sampled * c->out->warps);
}

static void tn_gpu_time(const tn_gpu_run *c) {
  tn_gpu_counts *o = c->out;
  const tn_gpu *g = o->gpu;
  double all = 0;
  for (int k = 0; k < TN_GPU_KINDS; k++) all += o->n[k];
  const double rounds = (double)((o->groups + g->units - 1) / g->units);   // groups of the busiest unit
  const double warps = rounds * o->warps, lanes = warps * g->warp, flops = o->matrix_flops / (double)o->groups * rounds;
  const double moved = (o->shared[0].moved + o->shared[1].moved) / (double)o->sampled;
  const double lines = (o->global[0].lines + o->global[1].lines) / (double)o->sampled;
  const double cycle_us = 1e-3 / g->clock_ghz, turns = ceil((double)o->groups / g->units / o->resident);
  struct { double us; const char *name; } limit[] = {
    {o->memory_nbytes / g->memory_gbps * 1e-3, "memory"}, {o->l2_nbytes / g->l2_gbps * 1e-3, "L2"},
    {warps * all / g->issue * cycle_us, "issue"}, {lanes * o->n[TN_GPU_FLOAT] / g->f32 * cycle_us, "float"},
    {lanes * (o->n[TN_GPU_INTEGER] + o->n[TN_GPU_SELECT]) / g->integer * cycle_us, "integer"},
    {lanes * o->n[TN_GPU_CONVERT] / g->convert * cycle_us, "convert"},
    {lanes * o->n[TN_GPU_SPECIAL] / g->special * cycle_us, "special"}, {flops / g->matrix * cycle_us, "matrix"},
    {rounds * moved * cycle_us, "shared"}, {rounds * lines * cycle_us, "L1"},
    {c->added * tn_gpu_scale(o) * cycle_us, "atomics"},
    {turns * tn_gpu_meets(c) * TN_GPU_CLUSTER * cycle_us, "cluster"}, {0, "latency"}};
  const size_t limits = sizeof limit / sizeof *limit;
  int serial = 0;
  const double waits = tn_gpu_waits(c, &serial) * g->latency * cycle_us;
  double own = 0;                          // what a group takes of a unit
  for (size_t i = 2; serial && i + 1 < limits; i++) if (limit[i].us / rounds > own) own = limit[i].us / rounds;
  limit[limits - 1].us = turns * (waits + own);
  for (size_t i = 0; i < limits; i++)
    if (limit[i].us > o->us) { o->us = limit[i].us; o->limit = limit[i].name; }
  const double even = (double)o->groups / g->units / rounds;
  o->best_us = o->least_nbytes / g->memory_gbps * 1e-3;
  if (limit[3].us * even > o->best_us) o->best_us = limit[3].us * even;
  if (limit[7].us * even > o->best_us) o->best_us = limit[7].us * even;
  o->us += g->launch_us;
}

static void tn_gpu_spill(tn_gpu_counts *o) {
  if (o->registers <= o->gpu->register_max) return;
  o->spilled = o->registers - o->gpu->register_max;
  o->registers = o->gpu->register_max;
}

// ** the face **

typedef struct tn_gpu_call {
  tiny_uop *const *list; int n; const tn_gpu *gpu; const tiny_launch *l; int64_t most;
  tn_gpu_counts *out; tiny_bytes *text;
} tn_gpu_call;

static void tn_gpu_line(tiny_bytes *text, const char *format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (n > 0) tiny_bytes_add(text, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

// A line for each access: what it moves, and how much of that is wanted; and one of all.
static void tn_gpu_accesses(tn_gpu_run *c, tiny_bytes *text) {
  const tn_gpu_counts *o = c->out;
  const double warps = (double)o->sampled * o->warps;
  tn_gpu_line(text, "    of a warp %.1f loads and %.1f stores of memory; of the launch %.2f MB of L2, "
              "%.2f of memory, %.2f at the least\n",
              o->global[0].requests / warps, o->global[1].requests / warps, o->l2_nbytes * 1e-6,
              o->memory_nbytes * 1e-6, o->least_nbytes * 1e-6);
  for (int at = 0; at < c->r.c->nins; at++) {
    const tn_eval_ins *i = &c->r.c->ins[at];
    const tn_gpu_traffic *x = &c->at[at].traffic;
    if (i->mem < 0 || !x->requests) continue;
    const tn_eval_mem *m = &c->r.c->mem[tn_gpu_is_box(i) ? i->from_mem : i->mem];
    const char *const what = i->u.op == TINY_OP_STORE ? "store" : i->u.op == TINY_OP_BULKSTORE ? "boxes" :
      i->u.op == TINY_OP_BULK ? "box" : "load";
    tn_gpu_line(text, "    %-5s %s %d %sx%d: %.0f requests, %.2f %s each, %.0f %%\n",
                  what, m->space == TN_SPACE_GLOBAL ? "global" : "shared", m->id,
                  tn_dtypes[m->dtype].name, i->u.lanes, x->requests, x->moved / x->requests,
                  m->space == TN_SPACE_GLOBAL ? "sectors" : "wavefronts", 100 * x->ideal / x->moved);
  }
}

static void tn_gpu_open_memory(tn_gpu_run *c) {
  const tn_eval_code *code = c->r.c;
  const size_t n = (size_t)code->nmem + 1;
  c->sectors = (double (*)[2])tn_scratch(c->r.t, n * sizeof *c->sectors);
  c->fresh = (double (*)[2])tn_scratch(c->r.t, n * sizeof *c->fresh);
  c->seen = (uint8_t *(*)[2])tn_scratch(c->r.t, n * sizeof *c->seen);
  c->adds = (uint32_t **)tn_scratch(c->r.t, n * sizeof *c->adds);
  c->spans = (tn_gpu_spans (*)[2])tn_scratch(c->r.t, n * sizeof *c->spans);
  c->ran = (int64_t (*)[3])tn_scratch(c->r.t, TN_GPU_KEPT * sizeof *c->ran);
  c->ran_turn = (int64_t *)tn_scratch(c->r.t, TN_GPU_KEPT * sizeof *c->ran_turn);
  c->ran_at = (int64_t *)tn_scratch(c->r.t, TN_GPU_KEPT * sizeof *c->ran_at);
  for (int m = 0; m < code->nmem; m++) for (int stores = 0; stores < 2; stores++)
    if (code->mem[m].space == TN_SPACE_GLOBAL)
      c->seen[m][stores] = (uint8_t *)tn_scratch(c->r.t, tn_gpu_seen_nbytes(c, &code->mem[m]));
}

// Which boxes groups of a cluster copy for each other: as a renderer would be told.
static void tn_gpu_shares(tn_gpu_run *c, const tn_gpu_call *call) {
  tiny_limits limits;
  tn_lowered k;
  memset(&k, 0, sizeof k);
  k.list = (tiny_uop **)(uintptr_t)call->list; k.n = call->n;
  memcpy(k.global, c->r.groups, sizeof k.global);
  int nested = 0;                          // then they do not meet before the loop begins anew (render/ptx_bulk.c)
  for (int i = 0; i < c->r.c->nins && !c->out->producers; i++)
    nested |= c->r.c->ins[i].u.op == TINY_OP_BARRIER && c->r.c->ins[i].u.k & TN_BOXES && c->list.range[i] >= 0 &&
        c->list.range[c->list.range[i]] >= 0;
  const int hint =
      tn_gpu_limits(call->gpu->name, &limits) && limits.cluster && !nested ? tn_cluster_of(&k, &limits) : 0;
  const int groups = tn_hint_groups(hint);
  for (int i = 0; i < c->r.c->nins; i++) {
    const tiny_uop *u = &c->r.c->ins[i].u;
    c->at[i].shares = u->op == TINY_OP_BULK && tn_bulk_is_shared(c->r.t, u, groups) ? groups : 1;
  }
}
static tiny_code tn_gpu_guarded(tiny_ctx *t, void *arg) {
  const tn_gpu_call *call = (const tn_gpu_call *)arg;
  tn_gpu_counts *o = call->out;
  tn_eval_code code;
  tn_eval_arg last;
  tn_gpu_run c;
  memset(o, 0, sizeof *o);
  memset(&c, 0, sizeof c);
  if (tn_eval_decode(t, call->list, call->n, 0, &code, &last) != TINY_OK) return t->code;
  if (tn_eval_bind(&c.r, t, &code, call->l) != TINY_OK) return t->code;
  c.gpu = o->gpu = call->gpu; c.most = call->most; c.out = o;
  tn_gpu_look(t, &code, tn_gpu_copies(call->gpu), &c.list);
  for (int i = 0; i < code.nins; i++) code.depth_if += code.ins[i].u.op == TINY_OP_RANGE;    // their masks
  c.at = (tn_gpu_at *)tn_scratch(t, ((size_t)code.nins + 1) * sizeof *c.at);
  tn_gpu_open_memory(&c);
  tn_gpu_find_walk(&c);
  o->groups = c.r.groups[0] * c.r.groups[1] * c.r.groups[2];
  o->items = c.r.items;
  o->warps = (int)((o->items + c.gpu->warp - 1) / c.gpu->warp);
  o->producers = tn_producer_threads(call->list, call->n) / c.gpu->warp;
  tn_gpu_shares(&c, call);
  o->registers = c.list.registers; o->private_nbytes = c.list.private_nbytes; o->shared_nbytes = c.list.shared_nbytes;
  tn_gpu_spill(o);
  if (tn_gpu_occupancy(t, o) != TINY_OK) return t->code;
  c.r.groups_by = tn_gpu_groups;
  if (tn_eval_start(&c.r, NULL, NULL) != TINY_OK) return t->code;
  tn_gpu_sum(&c);
  tn_gpu_inner(&c);
  tn_gpu_memory(&c);
  tn_gpu_time(&c);
  if (call->text) tn_gpu_accesses(&c, call->text);
  return TINY_OK;
}

// Runs `most` groups of a launch of the list, 0: all, and counts. text: a line is added for each access; NULL: none.
// l->kernel is not looked at. TINY_E_INTERNAL: what is wrong with the kernel, as the interpreter tells; TINY_E_ARG: a
// group is more than the GPU has.
static tiny_code tn_gpu_count(tiny_ctx *t, tiny_uop *const *list, int n, const tn_gpu *gpu, const tiny_launch *l,
                          int64_t most, tn_gpu_counts *out, tiny_bytes *text) {
  tn_gpu_call call = {list, n, gpu, l, most, out, text};
  return tn_guard(t, tn_gpu_guarded, &call);
}

// ** the table **

static const char *tn_gpu_percent(double part, double whole, char *to) {
  if (whole > 0) snprintf(to, 8, "%.0f", 100 * part / whole);
  else snprintf(to, 8, "-");
  return to;
}

static void tn_gpu_print_head(tiny_bytes *text) {
  tn_gpu_line(text, "%-22s %7s %5s %5s %6s %5s %4s %5s %-9s %8s %5s %5s %5s %5s %5s %5s %9s %-7s %5s\n", "kernel",
                "groups", "items", "load%", "store%", "bank%", "regs", "occ%", "by", "instr", "flt%", "int%", "mem%",
                "mtx%", "loop%", "cyc%", "us", "limit", "best%");
}

static double tn_gpu_inner_all(const tn_gpu_counts *o) {
  double all = 0;
  for (int k = 0; k < TN_GPU_KINDS; k++) all += o->inner[k];
  return all;
}
static double tn_gpu_matrix_share(const tn_gpu_counts *o) {
  const double cycles = o->gpu->matrix > 0 ? o->inner_flops / (o->gpu->matrix / o->gpu->simds) : 0;
  return cycles > 0 ? cycles / (cycles + tn_gpu_inner_all(o) - o->inner[TN_GPU_MATRIX]) : 0;
}

// Of the busiest loop's instructions those that compute, in percent: of matrices, or of floats where there are none.
static double tn_gpu_computing(const tn_gpu_counts *o) {
  const double inner = tn_gpu_inner_all(o);
  return inner > 0 ? 100 * o->inner[o->n[TN_GPU_MATRIX] > 0 ? TN_GPU_MATRIX : TN_GPU_FLOAT] / inner : 0.0;
}

// load, store, bank: how many of the sectors and wavefronts had to be. regs: "!" where some are spilled, or memory of
// the item is in use. instr: of a warp, and shares of it; mtx: matrix instructions; loop: these in the busiest loop,
// float ones where there are none. cyc: of that loop's cycles on a SIMD those of its matrix unit, which a product keeps
// busy as long as the unit's rate says, all else for one. best: what memory and arithmetic take at the least, of the
// time without the launch.
static void tn_gpu_print(tiny_bytes *text, const char *name, const tn_gpu_counts *o) {
  char load[8], store[8], bank[8];
  double all = 0;
  for (int k = 0; k < TN_GPU_KINDS; k++) all += o->n[k];
  const double memory = o->n[TN_GPU_GLOBAL] + o->n[TN_GPU_SHARED] + o->n[TN_GPU_PRIVATE];
  tn_gpu_line(text, "%-22s %7lld %5lld %5s %6s %5s %4d%s %4.0f %-9s %8.0f %5.1f %5.1f %5.1f %5.1f %5.1f %5.1f %9.1f "
                "%-7s %5.1f\n", name, (long long)o->groups, (long long)o->items,
                tn_gpu_percent(o->global[0].ideal, o->global[0].moved, load),
                tn_gpu_percent(o->global[1].ideal, o->global[1].moved, store),
                tn_gpu_percent(o->shared[0].ideal + o->shared[1].ideal, o->shared[0].moved + o->shared[1].moved, bank),
                o->registers + o->spilled, o->spilled || o->private_nbytes ? "!" : " ", 100 * o->occupancy,
                o->occupancy_by, all, 100 * o->n[TN_GPU_FLOAT] / all,
                100 * (o->n[TN_GPU_INTEGER] + o->n[TN_GPU_SELECT]) / all, 100 * memory / all,
                100 * o->n[TN_GPU_MATRIX] / all, tn_gpu_computing(o), 100 * tn_gpu_matrix_share(o), o->us, o->limit,
                100 * o->best_us / (o->us - o->gpu->launch_us));
}
#endif
