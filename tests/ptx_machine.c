// ptx_machine: a launch: groups one after another, their warps in turns, each by the least of its lanes' places.
//
// A warp has a place for each lane and always runs the lanes whose place is the least, together: lanes that took a
// branch wait until the others come by, which is where blocks meet in any order that compilers write. Where lanes have
// to stand together (.sync) those that come early wait for those that are named: the model of threads that go on by
// themselves (PTX ISA, "SIMT Architecture"; NVIDIA, Volta whitepaper, "Independent Thread Scheduling"), without any
// promise on how they meet again. A stack of post dominators would promise more, and hide what relies on it.
#include "ptx_tcgen05.c"

enum { PTX_SHARED_STATIC = 48 << 10, PTX_THREADS = 1024, PTX_REGISTERS = 65536, PTX_TURN = 50000 };
// Bytes of a group: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
static uint32_t ptx_shared_most(int target) {
  return 1024 * (target < 80 ? 64u : target == 80 || target == 87 ? 163u : target < 90 || target >= 120 ? 99u : 227u);
}

// ** barriers **

static uint32_t ptx_lanes_n(uint32_t mask) { return (uint32_t)ptx_popcount(mask); }
static void ptx_barrier_done(ptx_machine *v, ptx_barrier *b) {
  for (int k = 0; k < b->n; k++) {
    ptx_warp *w = &v->warp[b->warp[k]];
    const ptx_ins *ins = &v->m->ins[b->ins[k]];
    const ptx_operand *o = v->m->operand + ins->o;
    ptx_acquire(v, w, b->before);
    w->blocked = PTX_RUNS;
    w->waiting = 0;
    if (!ptx_has(ins, PTX_W_red)) continue;
    if (ins->mode == PTX_W_popc) {
      uint64_t *d = ptx_to(v, w, &o[0], w->exists);
      PTX_LANES(w->exists, d[i] = b->count);
    } else {
      const int yes = ins->mode == PTX_W_and ? b->count == b->arrived : b->count != 0;
      ptx_set_bits(v, w, &o[0], w->exists, yes ? PTX_ALL : 0);
    }
  }
  b->arrived = b->expected = b->count = 0;
  b->n = 0;
  memset(b->before, 0, ((size_t)v->nwarps + 1) * sizeof *b->before);
}
// All lanes of the warp stand here. 1: it waits.
static int ptx_barrier_here(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o) {
  const int reduces = ptx_has(ins, PTX_W_red), arrives = ptx_has(ins, PTX_W_arrive), at = reduces ? 1 : 0;
  const int lane = ptx_lowest(w->exists), counted = reduces ? ins->n > 3 : ins->n > at + 1;
  const uint64_t id = ins->n > at ? ptx_row(v, w, &o[at], w->exists, 0)[lane] : 0;
  const uint32_t n =
      counted ? (uint32_t)ptx_row(v, w, &o[at + 1], w->exists, 1)[lane] : v->block[0] * v->block[1] * v->block[2];
  if (v->counts) v->counts->barriers++;
  if (id >= PTX_BARRIERS) ptx_stop(v, lane, "there is no barrier %llu", (unsigned long long)id);
  if (counted && (n % PTX_WARP || !n)) ptx_stop(v, lane, "a barrier of %u threads, which are no warps", n);
  if (arrives && !counted) ptx_stop(v, lane, "who arrives does not say of how many");
  ptx_barrier *b = &w->group->barrier[id];
  if (b->arrived && b->expected != n)
    ptx_stop(v, lane, "barrier %d of %u threads, where others say %u", (int)id, n, b->expected);
  b->expected = n;
  b->arrived += counted ? (uint32_t)PTX_WARP : ptx_lanes_n(w->exists);
  if (b->arrived > n) ptx_stop(v, lane, "more than %u threads at barrier %d", n, (int)id);
  if (reduces) b->count += ptx_lanes_n(ptx_bits_of(v, w, &o[ins->n - 1], w->exists) & w->exists);
  ptx_release(v, w, b->before);
  if (!arrives) {
    b->warp[b->n] = w->number;
    b->ins[b->n++] = (int)(ins - v->m->ins);
    w->blocked = PTX_AT_BARRIER;
  }
  if (b->arrived == n) ptx_barrier_done(v, b);
  return w->blocked;
}
// barrier.cluster.arrive and .wait. 1: it waits, and comes again.
static int ptx_cluster_barrier(ptx_machine *v, ptx_warp *w, const ptx_ins *ins) {
  const int lane = ptx_lowest(w->exists);
  if (v->counts) v->counts->barriers++;
  if (ptx_has(ins, PTX_W_arrive)) {
    if (w->cluster_arrivals > v->cluster_phase)
      ptx_stop(v, lane, "a second arrival at the cluster's barrier without a wait");
    w->cluster_arrivals++;
    if (!ptx_has(ins, PTX_W_relaxed)) ptx_release(v, w, v->cluster_before);
    if (++v->cluster_arrived == (uint32_t)v->nwarps) { v->cluster_arrived = 0; v->cluster_phase++; v->changes++; }
    return 0;
  }
  if (w->cluster_arrivals <= v->cluster_phase) { ptx_acquire(v, w, v->cluster_before); return 0; }
  w->blocked = PTX_AT_CLUSTER;
  return 1;
}

// ** calls **

static void ptx_copy_local(ptx_machine *v, const ptx_warp *w, int64_t to, int64_t from, uint64_t n, int lane) {
  unsigned char *p = w->local + (size_t)lane * v->local_nbytes;
  memmove(p + to, p + from, (size_t)n);
}
static int64_t ptx_formal(const ptx_machine *v, const ptx_function *f, int k, int result, uint64_t *n) {
  const ptx_variable *x = &v->m->variable[result ? f->result[k] : f->param[k]];
  *n = x->nbytes;
  return x->at + f->local_base;
}
static void ptx_call_args(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask,
                          int results) {
  const ptx_function *f = v->m->function[ins->target];
  uint64_t n;
  if (ins->n - ins->mode != f->nparam || ins->mode != f->nresult)
    ptx_stop(v, ptx_lowest(mask), "'%s' is called with other arguments", f->name);
  for (int k = results ? 0 : ins->mode; k < (results ? ins->mode : ins->n); k++) {
    const int64_t formal = ptx_formal(v, f, results ? k : k - ins->mode, results, &n);
    if (o[k].kind != PTX_CONSTANT) ptx_stop(v, ptx_lowest(mask), "an argument is no parameter");
    const int64_t actual = (int64_t)v->m->constant[(size_t)o[k].at * PTX_WARP];
    PTX_LANES(mask, ptx_copy_local(v, w, results ? actual : formal, results ? formal : actual, n, i));
  }
}
static void ptx_call_here(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask,
                          int pc) {
  const ptx_function *f = v->m->function[ins->target];
  if (!f->defined) ptx_stop(v, ptx_lowest(mask), "'%s' has no body", f->name);
  ptx_call_args(v, w, ins, o, mask, 0);
  for (int i = 0; i < PTX_WARP; i++) {
    if (!(mask >> i & 1)) continue;
    if (w->depth[i] == PTX_CALLS) ptx_stop(v, i, "calls in calls, more than %d", PTX_CALLS);
    for (int k = 0; k < w->depth[i]; k++)
      if (v->m->ins[w->back[k][i]].target == ins->target)
        ptx_stop(v, i, "'%s' calls itself, which this machine has not", f->name);
    w->back[w->depth[i]++][i] = pc;
    w->pc[i] = f->first;
  }
}
// Those at depth 0 end.
static void ptx_return(ptx_machine *v, ptx_warp *w, uint32_t mask) {
  for (int i = 0; i < PTX_WARP; i++) {
    if (!(mask >> i & 1)) continue;
    if (!w->depth[i]) { w->alive &= ~(1u << i); continue; }
    const ptx_ins *call = &v->m->ins[w->back[--w->depth[i]][i]];
    ptx_call_args(v, w, call, v->m->operand + call->o, 1u << i, 1);
    w->pc[i] = w->back[w->depth[i]][i] + 1;
  }
}

// ** a warp **

// Instructions at which lanes have to stand together.
static int ptx_is_together(const ptx_ins *ins) {
  switch (ins->op) {
    case PTX_shfl_: case PTX_match_: case PTX_redux_: case PTX_ldmatrix_: case PTX_stmatrix_: case PTX_movmatrix_:
    case PTX_mma_: case PTX_bar_: case PTX_barrier_: case PTX_elect_: case PTX_wgmma_: case PTX_setmaxnreg_: return 1;
    case PTX_vote_: case PTX_tcgen05_: return ptx_has(ins, PTX_W_sync);
    default: return 0;
  }
}
// Instructions that all 32 lanes take part in.
static int ptx_is_whole(int op) {
  return op == PTX_ldmatrix_ || op == PTX_stmatrix_ || op == PTX_movmatrix_ || op == PTX_mma_ || op == PTX_wgmma_ ||
    op == PTX_tcgen05_;
}
// 1: done; 0: the warp waits.
static int ptx_together(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  switch (ins->op) {
    case PTX_shfl_: ptx_shfl(v, w, ins, o, mask); return 1;
    case PTX_vote_: ptx_vote(v, w, ins, o, mask); return 1;
    case PTX_match_: ptx_match(v, w, ins, o, mask); return 1;
    case PTX_redux_: ptx_redux(v, w, ins, o, mask); return 1;
    case PTX_elect_: ptx_elect(v, w, o, mask); return 1;
    case PTX_ldmatrix_: case PTX_stmatrix_: ptx_ldmatrix(v, w, ins, o, mask); return 1;
    case PTX_movmatrix_: ptx_movmatrix(v, w, o, mask); return 1;
    case PTX_mma_: ptx_mma(v, w, ins, o, mask); return 1;
    case PTX_wgmma_: ptx_wgmma(v, w, ins, o); return 1;
    case PTX_tcgen05_: ptx_tcgen05_warp(v, w, ins, o); return 1;
    case PTX_setmaxnreg_: return ptx_setmaxnreg(v, w, ins, o);
    default: break;
  }
  if (ptx_has(ins, PTX_W_warp)) { ptx_order_lanes(v, w); return 1; }
  if (ptx_has(ins, PTX_W_cluster)) return !ptx_cluster_barrier(v, w, ins);
  return !ptx_barrier_here(v, w, ins, o);
}
// 0: global memory, whose addresses are generic ones as they are.
static uint64_t ptx_window_of(int space) {
  return space == PTX_SHARED ? PTX_IN_SHARED : space == PTX_LOCAL ? PTX_IN_LOCAL :
    space == PTX_PARAM ? PTX_IN_PARAM : 0;
}
static void ptx_cvta(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const uint64_t *a = ptx_row(v, w, &o[1], mask, 0), m = ptx_mask_of(ptx_bits(ins->type));
  uint64_t *d = ptx_to(v, w, &o[0], mask);
  const uint64_t window = ptx_window_of(ins->space);
  for (int i = 0; i < PTX_WARP; i++) {
    if (!(mask >> i & 1)) continue;
    if (!ptx_has(ins, PTX_W_to)) { d[i] = window ? a[i] | window << 56 : a[i] & m; continue; }
    if (window && PTX_WINDOW(a[i]) != window)
      ptx_stop(v, i, "0x%llx is no address of that space", (unsigned long long)a[i]);
    if (!window && PTX_WINDOW(a[i]) && PTX_WINDOW(a[i]) != PTX_IN_MODULE)
      ptx_stop(v, i, "0x%llx is no global address", (unsigned long long)a[i]);
    d[i] = window ? a[i] & 0xFFFFFFFF : a[i];
  }
}
static void ptx_isspacep(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  const uint64_t *a = ptx_row(v, w, &o[1], mask, 0);
  const uint64_t window = ptx_window_of(ins->space);
  uint32_t p = 0;
  for (int i = 0; i < PTX_WARP; i++) {
    const uint64_t is = PTX_WINDOW(a[i]);
    p |= (uint32_t)(window ? is == window : !is || is == PTX_IN_MODULE) << i;
  }
  ptx_set_bits(v, w, &o[0], mask, p);
}
// What a lane does by itself.
static void ptx_alone(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask) {
  switch (ins->op) {
    case PTX_ld_: case PTX_ldu_: ptx_load(v, w, ins, o, mask); return;
    case PTX_st_:
      if (ptx_has(ins, PTX_W_async)) ptx_store_async(v, w, ins, o, mask); else ptx_store(v, w, ins, o, mask);
      return;
    case PTX_atom_: ptx_atomic(v, w, ins, o, mask); return;
    case PTX_red_:
      if (ptx_has(ins, PTX_W_async)) ptx_store_async(v, w, ins, o, mask); else ptx_atomic(v, w, ins, o, mask);
      return;
    case PTX_createpolicy_: { uint64_t *d = ptx_to(v, w, &o[0], mask); PTX_LANES(mask, d[i] = 0); return; }
    case PTX_mov_: ptx_mov(v, w, ins, o, mask); return;
    case PTX_cvt_: ptx_cvt(v, w, ins, o, mask); return;
    case PTX_setp_: case PTX_set_: ptx_setp(v, w, ins, o, mask); return;
    case PTX_testp_: ptx_testp(v, w, ins, o, mask); return;
    case PTX_cvta_: ptx_cvta(v, w, ins, o, mask); return;
    case PTX_isspacep_: ptx_isspacep(v, w, ins, o, mask); return;
    case PTX_cp_: ptx_cp(v, w, ins, o, mask); return;
    case PTX_mbarrier_: ptx_mbarrier(v, w, ins, o, mask); return;
    case PTX_mapa_: ptx_mapa(v, w, ins, o, mask); return;
    case PTX_tcgen05_: ptx_tcgen05_lanes(v, w, ins, o, mask); return;
    case PTX_getctarank_: {
      const uint64_t *a = ptx_row(v, w, &o[1], mask, 0);
      uint64_t *d = ptx_to(v, w, &o[0], mask);
      PTX_LANES(mask, const uint64_t rank = a[i] >> PTX_RANK_BIT & 0xFF;
                d[i] = rank ? rank - 1 : (unsigned)w->group->rank);
      return;
    }
    case PTX_vote_: ptx_vote(v, w, ins, o, mask); return;
    case PTX_activemask_: { uint64_t *d = ptx_to(v, w, &o[0], mask); PTX_LANES(mask, d[i] = mask); return; }
    case PTX_fence_: ptx_fence(v, w, ins); return;
    case PTX_membar_: case PTX_prefetch_: case PTX_prefetchu_: case PTX_nanosleep_: case PTX_pmevent_:
    case PTX_griddepcontrol_: case PTX_applypriority_: case PTX_discard_: case PTX_brkpt_: return;
    case PTX_trap_: ptx_stop(v, ptx_lowest(mask), "a trap"); return;
    default:
      if (!ptx_integer(v, w, ins, o, mask)) ptx_float_op(v, w, ins, o, mask);
  }
}

typedef struct ptx_place { int pc, next; uint32_t active; } ptx_place;
static void ptx_leave(ptx_warp *w, uint32_t mask, int pc) { PTX_LANES(mask, w->pc[i] = pc); }
// The lanes to run; 0: none can.
static int ptx_choose(ptx_machine *v, ptx_warp *w, ptx_place *p) {
  const uint32_t run = w->alive & ~w->waiting & ~w->spinning;
  p->pc = p->next = 0x7FFFFFFF;
  p->active = 0;
  if (!run && w->waiting && !w->blocked && !w->spinning) {   // those who wait look once more, as others may have ended
    if (w->stuck++) {
      const int lane = ptx_lowest(w->waiting);
      uint32_t here = 0;
      PTX_LANES(w->waiting, here |= (uint32_t)(w->pc[i] == w->pc[lane]) << i);
      v->ins = &v->m->ins[w->pc[lane]];
      ptx_stop(v, lane, "'%s' without all of its lanes: 0x%08x are here of 0x%08x", ptx_ops[v->ins->op], (unsigned)here,
               (unsigned)w->exists);
    }
    w->waiting = 0;
    return ptx_choose(v, w, p);
  }
  for (int i = 0; i < PTX_WARP; i++) {
    if (!(run >> i & 1)) continue;
    if (w->pc[i] < p->pc) { p->next = p->pc; p->pc = w->pc[i]; p->active = 1u << i; }
    else if (w->pc[i] == p->pc) p->active |= 1u << i;
    else if (w->pc[i] < p->next) p->next = w->pc[i];
  }
  return run != 0;
}
// An instruction that changes places. 1: lanes are to be chosen again.
static int ptx_jump(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask,
                    ptx_place *p) {
  const uint32_t rest = p->active & ~mask;
  switch (ins->op) {
    case PTX_bra_:
      if (!rest) { p->pc = ins->target; return 0; }
      if (!mask) { p->pc++; return 0; }
      ptx_leave(w, mask, ins->target);
      break;
    case PTX_brx_: {
      const uint64_t *a = ptx_row(v, w, &o[0], mask, 0);
      PTX_LANES(mask, if (a[i] >= ins->mode)
                          ptx_stop(v, i, "a branch to place %llu of %d", (unsigned long long)a[i], ins->mode);
                w->pc[i] = v->m->operand[ins->target + (int)a[i]].at);
      break;
    }
    case PTX_call_: if (mask) ptx_call_here(v, w, ins, o, mask, p->pc); break;
    case PTX_ret_: ptx_return(v, w, mask); break;
    default: w->alive &= ~mask; break;
  }
  ptx_leave(w, rest, p->pc + 1);
  return 1;
}
// A .sync instruction. 1: lanes are to be chosen again.
static int ptx_meet(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o, uint32_t mask,
                    ptx_place *p) {
  const uint32_t rest = p->active & ~mask;
  uint32_t here = mask;
  ptx_leave(w, rest, p->pc + 1);
  if (!mask) return 1;
  ptx_leave(w, mask, p->pc);
  for (int i = 0; i < PTX_WARP; i++) if ((w->waiting >> i & 1) && w->pc[i] == p->pc) here |= 1u << i;
  const uint32_t needed = ptx_named_lanes(v, w, ins, o, mask);
  if (ptx_is_whole(ins->op) && w->exists != PTX_ALL)
    ptx_stop(v, ptx_lowest(mask), "'%s' in a warp of %u lanes", ptx_ops[ins->op], ptx_lanes_n(w->exists));
  if (needed & ~here) { w->waiting |= mask; return 1; }
  w->stuck = 0;
  w->waiting &= ~here;
  if (!ptx_together(v, w, ins, o, here)) {
    w->waiting = here;
    if (w->blocked == PTX_AT_BARRIER) ptx_leave(w, here, p->pc + 1);
    return 1;
  }
  ptx_leave(w, here, p->pc + 1);
  if (rest || here != p->active) return 1;
  p->pc++;
  return 0;
}
// Until it waits or its turn is over; how many instructions.
static uint64_t ptx_turn(ptx_machine *v, ptx_warp *w, uint64_t most) {
  const uint64_t from = v->steps;
  ptx_place p;
  v->now = w;
  w->spinning = 0;
  while (ptx_choose(v, w, &p)) {
    for (int again = 0; !again; ) {
      const ptx_ins *ins = v->ins = &v->m->ins[p.pc];
      const ptx_operand *o = v->m->operand + ins->o;
      uint32_t mask = p.active;
      if (ins->guard >= 0) {
        if (mask & ~w->bits_defined[ins->guard])
          ptx_undefined(v, "predicate", ins->guard, mask & ~w->bits_defined[ins->guard], 1);
        mask &= ins->not_ ? ~w->bits[ins->guard] : w->bits[ins->guard];
      }
      v->steps++;
      if (v->l->max_steps && v->steps > v->l->max_steps)
        ptx_stop(v, ptx_lowest(p.active), "more than %llu instructions", (unsigned long long)v->l->max_steps);
      if (ins->op == PTX_bra_ || ins->op == PTX_ret_ || ins->op == PTX_exit_ || ins->op == PTX_call_ ||
          ins->op == PTX_brx_)
        again = ptx_jump(v, w, ins, o, mask, &p);
      else if (ptx_is_together(ins)) again = ptx_meet(v, w, ins, o, mask, &p);
      else {
        if (mask) ptx_alone(v, w, ins, o, mask);
        if (w->spinning & p.active) { ptx_leave(w, p.active, p.pc); v->steps--; again = 1; }
        else p.pc++;
      }
      if (!again && (p.pc >= p.next || v->steps - from > most)) { ptx_leave(w, p.active, p.pc); again = 1; }
    }
    if (v->steps - from > most) break;
  }
  return v->steps - from;
}

// ** groups **

static void ptx_begin_warp(ptx_machine *v, ptx_warp *w, ptx_group *g, int index) {
  const uint32_t threads = v->block[0] * v->block[1] * v->block[2];
  w->group = g; w->index = index;
  w->exists = w->alive = w->waiting = w->spinning = w->carry = 0;
  w->blocked = w->stuck = w->cluster_arrivals = 0;
  w->ncopy = w->nproduct = w->product_fence = 0; w->product_group = 0; w->fenced = v->start;
  w->nload = 0; w->tmem_known = v->start;
  w->registers = v->launched; w->nsets = 0; w->set = NULL;
  for (int i = 0; i < PTX_WARP; i++) {
    const uint32_t t = (uint32_t)(index * PTX_WARP + i);
    w->tid[0][i] = t % v->block[0];
    w->tid[1][i] = t / v->block[0] % v->block[1];
    w->tid[2][i] = t / v->block[0] / v->block[1];
    w->pc[i] = v->f->first;
    w->depth[i] = 0; w->committed[i] = w->bulk_committed[i] = 0;
    if (t < threads) w->exists |= 1u << i;
  }
  w->alive = w->exists;
  memset(w->defined, 0, (size_t)v->nregisters * sizeof *w->defined);
  memset(w->bits_defined, 0, (size_t)v->npredicates * sizeof *w->bits_defined);
  memset(w->local, 0xC5, (size_t)v->local_nbytes * PTX_WARP);
  for (int i = 0; i <= v->nwarps; i++) w->before[i] = v->start;
  w->all = v->start;
}
static void ptx_begin_cluster(ptx_machine *v, const uint32_t *at) {
  v->start = ++v->time;
  if (v->time > 1u << 25) {                // stamps are of 26 bits
    for (int k = 0; k < v->ngroups; k++) {
      memset(v->group[k].cell, 0, (size_t)v->shared_nbytes * sizeof(ptx_cell));
      memset(v->group[k].reads, 0, (size_t)v->shared_nbytes * ((size_t)v->nwarps + 1) * 4);
    }
    v->start = v->time = 1;
  }
  v->nmbar = 0; v->nbulk = 0; v->cluster_arrived = 0; v->cluster_phase = 0;
  memset(v->cluster_before, 0, ((size_t)v->nwarps + 1) * sizeof(uint32_t));
  for (int k = 0; k < v->ngroups; k++) {
    const uint32_t rank = (uint32_t)k, *c = v->cluster;
    ptx_group *g = &v->group[k];
    g->rank = k;
    g->registers = 0;
    ptx_tmem_begin(g);
    g->at[0] = at[0] * c[0] + rank % c[0];
    g->at[1] = at[1] * c[1] + rank / c[0] % c[1];
    g->at[2] = at[2] * c[2] + rank / c[0] / c[1];
    for (int b = 0; b < PTX_BARRIERS; b++) {
      g->barrier[b].arrived = g->barrier[b].expected = g->barrier[b].count = 0;
      g->barrier[b].n = 0;
      memset(g->barrier[b].before, 0, ((size_t)v->nwarps + 1) * sizeof(uint32_t));
    }
    for (int i = 0; i < v->group_warps; i++) ptx_begin_warp(v, &v->warp[k * v->group_warps + i], g, i);
  }
}
// Nobody can go on: who waits for whom?
static void ptx_dead(ptx_machine *v) {
  for (int i = 0; i < v->nwarps; i++) {
    ptx_warp *w = v->now = &v->warp[i];
    if (!w->alive || w->blocked != PTX_AT_REGISTERS) continue;
    v->ins = &v->m->ins[w->pc[ptx_lowest(w->alive)]];
    ptx_stop(v, 0, "'setmaxnreg' waits for ever: %u registers are left of the group's", w->group->registers);
  }
  for (int i = 0; i < v->nwarps; i++) {
    ptx_warp *w = v->now = &v->warp[i];
    if (!w->alive) continue;
    const int lane = ptx_lowest(w->alive);
    v->ins = &v->m->ins[w->pc[lane]];
    if (w->blocked == PTX_AT_BARRIER) {
      for (int b = 0; b < PTX_BARRIERS; b++)
        for (int k = 0; k < w->group->barrier[b].n; k++) {
          if (w->group->barrier[b].warp[k] != i) continue;
          v->ins = &v->m->ins[w->group->barrier[b].ins[k]];
          ptx_stop(v, lane, "barrier %d is reached by %u of %u threads", b, w->group->barrier[b].arrived,
                   w->group->barrier[b].expected);
        }
    }
    if (w->blocked == PTX_AT_CLUSTER)
      ptx_stop(v, lane, "the cluster's barrier is reached by %u of %d warps", v->cluster_arrived, v->nwarps);
    ptx_stop(v, lane, "'%s' waits for ever", ptx_ops[v->ins->op]);
  }
}
static void ptx_run_cluster(ptx_machine *v, const uint32_t *at) {
  ptx_begin_cluster(v, at);
  for (;;) {
    uint64_t done = 0;
    int alive = 0;
    const int changes = v->changes, turn = v->l->seed ? (int)ptx_random(v, (uint32_t)v->nwarps) : 0;
    for (int k = 0; k < v->nwarps; k++) {
      ptx_warp *w = &v->warp[(k + turn) % v->nwarps];
      if (w->blocked == PTX_AT_CLUSTER || w->blocked == PTX_AT_REGISTERS) { w->blocked = PTX_RUNS; w->waiting = 0; }
      if (!w->alive || w->blocked) continue;
      done += ptx_turn(v, w, v->l->seed ? 1 + (uint64_t)ptx_random(v, 400) : (uint64_t)PTX_TURN);
    }
    for (int k = 0; k < v->nwarps; k++) alive |= v->warp[k].alive != 0;
    if (!alive) break;
    if (!done && v->changes == changes && !ptx_late(v)) ptx_dead(v);
  }
  ptx_ended(v);
}

// ** a launch **

static void *ptx_memory_of(ptx_machine *v, size_t n, size_t nbytes) {
  void *p = calloc(n ? n : 1, nbytes);
  if (!p) ptx_stop(v, -1, "no memory");
  return p;
}
// What each thread begins with, where the kernel says so: by the most of a thread, or by its threads and the groups of
// a multiprocessor (PTX ISA, .maxnreg, .minnctapersm; ptxas gives them in eights). 0: it does not.
static uint32_t ptx_registers_of(const ptx_kernel *k, uint64_t threads) {
  if (k->max_registers) return k->max_registers;
  const uint32_t n = k->max_threads && k->min_groups ? (uint32_t)(PTX_REGISTERS / threads / k->min_groups / 8 * 8) : 0;
  return n < 256 ? n : 255;
}
static void ptx_prepare(ptx_machine *v) {
  const ptx_launch *l = v->l;
  const ptx_function *f = v->f;
  uint64_t threads = 1;
  v->ngroups = 1;
  for (int i = 0; i < 3; i++) {
    v->grid[i] = l->grid[i] ? l->grid[i] : 1; v->block[i] = l->block[i] ? l->block[i] : 1;
    v->cluster[i] = f->kernel.cluster[i] ? f->kernel.cluster[i] : 1;
    threads *= v->block[i];
    v->ngroups *= (int)v->cluster[i];
    if (v->grid[i] % v->cluster[i])
      ptx_stop(v, -1, "a grid of %u groups is none of clusters of %u", v->grid[i], v->cluster[i]);
  }
  if (threads > PTX_THREADS || (f->kernel.max_threads && threads > f->kernel.max_threads))
    ptx_stop(v, -1, "%llu threads of a group, of at most %u", (unsigned long long)threads,
             f->kernel.max_threads ? f->kernel.max_threads : (uint32_t)PTX_THREADS);
  if (l->param_nbytes < f->kernel.param_nbytes)
    ptx_stop(v, -1, "%u bytes of parameters, and not %u", (unsigned)l->param_nbytes, (unsigned)f->kernel.param_nbytes);
  if (v->ngroups > 16) ptx_stop(v, -1, "a cluster of %d groups", v->ngroups);
  v->shared_nbytes = (uint32_t)ptx_up(f->kernel.static_shared, 16) + l->dynamic_shared;
  if (v->shared_nbytes > ptx_shared_most(v->m->target)) ptx_stop(v, -1, "%u bytes of shared memory", v->shared_nbytes);
  if (f->kernel.static_shared > PTX_SHARED_STATIC)
    ptx_stop(v, -1, "%u bytes of shared memory that are not dynamic", f->kernel.static_shared);
  if (v->grid[1] > 65535 || v->grid[2] > 65535 || v->block[2] > 64)
    ptx_stop(v, -1, "a grid of (%u, %u, %u) groups of (%u, %u, %u) threads", v->grid[0], v->grid[1], v->grid[2],
             v->block[0], v->block[1], v->block[2]);
  v->launched = ptx_registers_of(&f->kernel, threads);
  if (v->launched * threads > PTX_REGISTERS)
    ptx_stop(v, -1, "%u registers of each of %u threads", v->launched, (uint32_t)threads);
  v->group_warps = (int)((threads + PTX_WARP - 1) / PTX_WARP);
  v->nwarps = v->group_warps * v->ngroups;
  v->nregisters = v->m->registers + f->registers; v->npredicates = v->m->predicates + f->predicates;
  v->local_nbytes = (uint32_t)ptx_up(v->m->local + f->local, 16);
  v->random = (uint64_t)l->seed * 2862933555777941757u + 3037000493u;
  for (int i = 0; i < v->m->nins && !v->touch_room; i++)
    if (v->m->ins[i].op == PTX_ld_ && ptx_has(&v->m->ins[i], PTX_W_nc)) v->touch_room = 1024;
}
static void ptx_allocate(ptx_machine *v) {
  const size_t before = (size_t)v->nwarps + 1;
  v->group = (ptx_group *)ptx_memory_of(v, (size_t)v->ngroups, sizeof *v->group);
  v->warp = (ptx_warp *)ptx_memory_of(v, (size_t)v->nwarps, sizeof *v->warp);
  v->cluster_before = (uint32_t *)ptx_memory_of(v, before, 4);
  v->touch = (ptx_touch *)ptx_memory_of(v, v->touch_room, sizeof *v->touch);
  for (int k = 0; k < v->ngroups; k++) {
    ptx_group *g = &v->group[k];
    g->shared = (unsigned char *)ptx_memory_of(v, v->shared_nbytes, 1);
    g->cell = (ptx_cell *)ptx_memory_of(v, v->shared_nbytes, sizeof *g->cell);
    g->reads = (uint32_t *)ptx_memory_of(v, (size_t)v->shared_nbytes * ((size_t)v->nwarps + 1), 4);
    for (int b = 0; b < PTX_BARRIERS; b++) g->barrier[b].before = (uint32_t *)ptx_memory_of(v, before, 4);
  }
  for (int k = 0; k < v->nwarps; k++) {
    ptx_warp *w = &v->warp[k];
    w->number = k;
    w->reg = (uint64_t *)ptx_memory_of(v, (size_t)v->nregisters * PTX_WARP, 8);
    w->defined = (uint32_t *)ptx_memory_of(v, (size_t)v->nregisters, 4);
    w->bits = (uint32_t *)ptx_memory_of(v, (size_t)v->npredicates, 4);
    w->bits_defined = (uint32_t *)ptx_memory_of(v, (size_t)v->npredicates, 4);
    w->local = (unsigned char *)ptx_memory_of(v, (size_t)v->local_nbytes * PTX_WARP, 1);
    w->before = (uint32_t *)ptx_memory_of(v, before, 4);
  }
}
static void ptx_release_all(ptx_machine *v) {
  for (int k = 0; v->group && k < v->ngroups; k++) {
    free(v->group[k].shared); free(v->group[k].cell); free(v->group[k].reads); ptx_tmem_free(&v->group[k]);
    for (int b = 0; b < PTX_BARRIERS; b++) free(v->group[k].barrier[b].before);
  }
  for (int k = 0; v->warp && k < v->nwarps; k++) {
    ptx_warp *w = &v->warp[k];
    free(w->reg);
    free(w->defined);
    free(w->bits);
    free(w->bits_defined);
    free(w->local);
    free(w->before);
    free(w->copy);
    free(w->product); free(w->load);
  }
  ptx_free_wide(v);
  free(v->group); free(v->warp); free(v->cluster_before); free(v->touch); free(v);
}
static int ptx_execute(ptx_machine *v) {
  if (setjmp(v->out)) return 1;
  v->f = ptx_entry(v->m, v->l->kernel);
  if (!v->f || !v->f->defined) ptx_stop(v, -1, "there is no such kernel");
  ptx_prepare(v);
  ptx_allocate(v);
  const uint32_t *c = v->cluster, nx = v->grid[0] / c[0], ny = v->grid[1] / c[1], nz = v->grid[2] / c[2];
  const uint64_t n = (uint64_t)nx * ny * nz, turn = v->l->seed ? ptx_random(v, 0x7FFFFFFF) % n : 0;
  for (uint64_t k = 0; k < n; k++) {
    const uint64_t at = v->l->seed & 1 ? (n - 1 - k + turn) % n : (k + turn) % n;
    const uint32_t place[3] = {(uint32_t)(at % nx), (uint32_t)(at / nx % ny), (uint32_t)(at / nx / ny)};
    ptx_run_cluster(v, place);
  }
  return 0;
}
PTX_API int ptx_run(const ptx_module *m, const ptx_launch *l, ptx_counts *counts, char *error, size_t error_nbytes) {
  ptx_machine *v = (ptx_machine *)calloc(1, sizeof *v);
  if (counts) memset(counts, 0, sizeof *counts);
  if (error_nbytes) snprintf(error, error_nbytes, v ? "" : "no memory");
  if (!v) return 1;
  v->m = m; v->l = l; v->counts = counts; v->error = error; v->nbytes = error_nbytes;
  const int code = ptx_execute(v);
  if (counts) counts->instructions = v->steps;
  ptx_release_all(v);
  return code;
}
