// ptx_producer: warps that only copy boxes, beside those that multiply (PTX ISA, mbarrier, mapa, setmaxnreg).
//
// In:  a list whose BULKs are TN_BULK_PRODUCED, in whose one loop of copies products overlap (ptx_bulk.c).
// Out: what the items do, without copies; what a warp group beside them does: loops, and copies in them.
// Holds:
//  - A slot has two mbarriers: of one a phase is over when it is full, of the other when it is empty: when each warp of
//    the items, of all groups of the cluster, has told so. Who fills waits for the latter, and nobody else: the parity
//    that it asks for first is that of the phase before the first, which is over (PTX ISA, mbarrier.test_wait).
//  - Items tell that the slot before is empty when the products that read it are done, while the next ones are under
//    way: they never wait for each other in the loop. A lane for each group of the cluster does it.
//  - Who copies is there until all slots are empty: neighbours tell it so (CUTLASS, PipelineTmaAsync, producer_tail).
//  - Registers go from those who copy to the items (PTX ISA, setmaxnreg), which has to be done by all of a warp group.
//  - Barriers of the items are number 1, and counted: of the others most threads have ended. Where products do not
//    overlap all of them have, and items copy themselves.
#ifndef TN_RENDER_PTX_PRODUCER
#define TN_RENDER_PTX_PRODUCER
#ifndef TINY_AMALGAMATED
#include "ptx_bulk.c"
#endif

// ** who does what **

static int tn_ptx_is_act(const tiny_uop *u) {
  return u->op == TINY_OP_STORE || u->op == TINY_OP_BULKSTORE || u->op == TINY_OP_BARRIER || u->op == TINY_OP_PREFETCH;
}
// Is something done at u that can be seen, by whom this is written for?
static int tn_ptx_acts(const tn_ptx *x, const tiny_uop *u) {
  if (u->op == TINY_OP_BULK) return x->role != TN_PTX_CONSUMES;
  return x->role != TN_PTX_PRODUCES && tn_ptx_is_act(u);
}
// What the role leaves out: what others do, and loops and conditions in which nothing else is done.
static void tn_ptx_survey_role(tn_ptx *x) {
  int open[TN_PTX_DEPTH] = {0}, acts[TN_PTX_DEPTH] = {0}, depth = 0;
  for (int i = 0; i < x->k->n && !x->failed; i++) {
    const tiny_uop *u = x->k->list[i];
    const int op = u->op;
    if (op == TINY_OP_RANGE || op == TINY_OP_IF) { open[++depth] = i; acts[depth] = 0; }
    else if (op == TINY_OP_END || op == TINY_OP_ENDIF) {
      x->idle[i] = x->idle[open[depth]] = !acts[depth];
      acts[depth - 1] |= acts[depth];
      depth--;
    } else if (tn_ptx_acts(x, u)) acts[depth] = 1;
    else x->idle[i] = op == TINY_OP_BULK || tn_ptx_is_act(u);
  }
}

// Of the BULKs of an iteration the first one waits until its slot is empty: the first of its block, if memory of that
// which is first in the kernel is what it fills. Before the loop others fill the rest of the slots by loops of their
// own.
static int tn_ptx_fills_first(const tn_ptx *x, const tiny_uop *u) {
  if (tn_ptx_box_memory(u) != tn_ptx_box_memory(x->bulk[0])) return 0;
  for (int i = 0; i < x->nbulk && x->bulk[i] != u; i++)
    if (x->block[x->bulk[i]->seq] == x->block[u->seq] && x->bulk[i]->src[2] == u->src[2]) return 0;
  return 1;
}
static const tiny_uop *tn_ptx_bulk_condition(const tiny_uop *u) {
  return u->src[0]->nsrc == 3 ? u->src[0]->src[2] : NULL;
}
// Are all copies of the loop begun after the one that waits, and under its condition?
static int tn_ptx_fills_in_order(const tn_ptx *x, const tiny_uop *loop) {
  const tiny_uop *first = NULL;
  for (int i = 0; i < x->nbulk; i++) {
    if (x->block[x->bulk[i]->seq] != loop) continue;
    if (!first) first = x->bulk[i];
    if (!tn_ptx_fills_first(x, first) || x->bulk[i]->src[2] != first->src[2] ||
        tn_ptx_bulk_condition(x->bulk[i]) != tn_ptx_bulk_condition(first))
      return 0;
  }
  return first != NULL;
}
// Can warps beside the items copy? Of one loop, as it overlaps; of a kernel whose memory a launch brings.
static int tn_ptx_produces(const tn_ptx *x) {
  const tiny_uop *loop = NULL;
  if (!x->beside || !x->k->local_nbytes || tn_ptx_items(x) % TN_PRODUCER_THREADS) return 0;
  for (int i = 0; i < x->nbulk; i++)
    if (!tn_bulk_is_produced(x->bulk[i]) || tn_bulk_end(x->bulk[i]->k) > TN_PTX_EMPTIES) return 0;
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op != TINY_OP_BARRIER || !(u->k & TN_BOXES)) continue;
    if (loop || !(loop = tn_ptx_overlaps(x, u))) return 0;
  }
  return loop && tn_ptx_fills_in_order(x, loop);
}

// ** registers **

// Of a multiprocessor, and what a thread has at the most (CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability"); of those that copy, as CUTLASS gives them (sm90_gemm_tma_warpspecialized_cooperative.hpp:
// LoadRegisterRequirement); what an item has beside its sums.
enum { TN_PTX_REGISTERS = 1 << 16, TN_PTX_REGISTERS_MOST = 248,
  TN_PTX_REGISTERS_COPY = 40, TN_PTX_REGISTERS_BESIDE = 40,
  TN_PTX_SHARED = 228 << 10, TN_PTX_SHARED_BESIDE = 1 << 10 };             // bytes of a multiprocessor; a group's own

static int64_t tn_ptx_sums(const tn_ptx *x) {
  int64_t n = 0;
  for (int i = 0; i < x->k->n; i++) {
    const tiny_uop *u = x->k->list[i];
    if (u->op == TINY_OP_DEFINE && u->v[0] == TN_SPACE_REG && x->constant[i]) n += u->v[1] * u->lanes;
  }
  return n;
}
static int tn_ptx_eights(int64_t n) { return n < TN_PTX_REGISTERS_MOST ? (int)n / 8 * 8 : (int)TN_PTX_REGISTERS_MOST; }
// An item's, when a group has begun with so many of each thread: what those who copy leave.
static int tn_ptx_item_registers(const tn_ptx *x, int launched) {
  return tn_ptx_eights((launched * (tn_ptx_items(x) + x->beside) - TN_PTX_REGISTERS_COPY * x->beside) /
                       tn_ptx_items(x));
}
// Of each thread as a group begins: all there are, of as many groups as shared memory has room for and whose items have
// enough then.
static int tn_ptx_launched_registers(const tn_ptx *x) {
  const int64_t threads = tn_ptx_items(x) + x->beside;
  int64_t groups = TN_PTX_SHARED / (x->k->local_nbytes + TN_PTX_SHARED_BESIDE);
  for (; groups > 1; groups--) {
    const int n = tn_ptx_eights(TN_PTX_REGISTERS / threads / groups);
    if (n >= TN_PTX_REGISTERS_COPY && tn_ptx_item_registers(x, n) >= tn_ptx_sums(x) + TN_PTX_REGISTERS_BESIDE) break;
  }
  return tn_ptx_eights(TN_PTX_REGISTERS / threads / (groups > 1 ? groups : 1));
}

// ** the items **

static void tn_ptx_begin_consumers(tn_ptx *x) {
  const tn_ptx_operand beside =
      tn_ptx_do2(x, 'p', "setp.ge.u32", tn_ptx_read_special(x, "tid.x"), tn_ptx_k(tn_ptx_items(x)));
  x->guard = beside;
  tn_ptx_line(x, x->role ? "bra $PRODUCER" : "ret", NULL, 0);
  x->guard = tn_ptx_none;
  if (!x->role) return;
  tn_ptx_text(tn_ptx_body(x), "\tsetmaxnreg.inc.sync.aligned.u32 %d;\n",
              tn_ptx_item_registers(x, tn_ptx_launched_registers(x)));
  const tn_ptx_operand lane = tn_ptx_read_special(x, "laneid");
  x->tells = tn_ptx_do2(x, 'p', "setp.lt.u32", lane, tn_ptx_k(x->cluster));
  x->empties = tn_ptx_do2(x, 'r', "add.s32", x->slot_at, tn_ptx_k(8 * TN_PTX_EMPTIES));
  if (x->cluster > 1)
    x->empties = tn_ptx_do2(x, 'r', "mapa.shared::cluster.u32", x->empties,
                            tn_ptx_do2(x, 'r', "min.u32", lane, tn_ptx_k(x->cluster - 1)));
  x->before = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(-1));
}
// ** who copies **

static void tn_ptx_begin_producer(tn_ptx *x) {
  tn_ptx_text(tn_ptx_body(x), "$PRODUCER:\n\tsetmaxnreg.dec.sync.aligned.u32 %d;\n", (int)TN_PTX_REGISTERS_COPY);
  x->guard = tn_ptx_do2(x, 'p', "setp.ne.s32", tn_ptx_read_special(x, "tid.x"), tn_ptx_k(tn_ptx_items(x)));
  tn_ptx_line(x, "ret", NULL, 0);          // one thread is enough
  x->guard = tn_ptx_none;
  x->phases = tn_ptx_do1(x, 'r', "mov.b32", tn_ptx_k(-1));
  x->empties = tn_ptx_do2(x, 'r', "add.s32", x->slot_at, tn_ptx_k(8 * TN_PTX_EMPTIES));
  tn_ptx_begin_copies(x);
}
// Until the slot that u fills is empty, if u is done at all.
static void tn_ptx_wait_empty(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *condition = tn_ptx_bulk_condition(u);
  const tn_ptx_operand on = condition ? tn_ptx_held(x, tn_ptx_element(x, condition, 0), 'p') : tn_ptx_none,
                       slot = tn_ptx_narrow(x, u->src[2]);
  const int label = ++x->labels;
  char to[32];
  if (on.kind) {
    snprintf(to, sizeof to, "bra $S%d", label);
    x->guard = on; x->unless = 1;
    tn_ptx_line(x, to, NULL, 0);
    x->guard = tn_ptx_none; x->unless = 0;
  }
  tn_ptx_wait_phase(x, slot, tn_ptx_do(x, 'r', "mad.lo.s32", slot, tn_ptx_k(8), x->empties));
  if (on.kind) tn_ptx_text(tn_ptx_body(x), "$S%d:\n", label);
}
static void tn_ptx_produce(tn_ptx *x, const tiny_uop *u) {
  if (x->role && tn_ptx_fills_first(x, u)) tn_ptx_wait_empty(x, u);
  tn_ptx_bulk(x, u);
}
// Neighbours have told of all slots: nobody tells a group that is not there any more.
static void tn_ptx_end_producer(tn_ptx *x) {
  for (int i = 0; i < x->slots && x->cluster > 1; i++)
    tn_ptx_wait_phase(x, tn_ptx_k(i), tn_ptx_do2(x, 'r', "add.s32", x->empties, tn_ptx_k(8 * i)));
  tn_ptx_text(tn_ptx_body(x), "\tret;\n");
}
#endif
