// order: when the kernels of a schedule run, and where their intermediate results lie.
//
// In:  a graph whose kernels are written. Out: an order that respects reads, writes and in-place updates;
//      offsets in one arena, shared when lives do not overlap.
// Peak memory is what both are chosen for: of two orders the one whose intermediate results take less at
// the worst moment is used, and what is placed first is what is largest.
#ifndef TN_SCHEDULE_ORDER
#define TN_SCHEDULE_ORDER
#ifndef TINY_AMALGAMATED
#include "rounds.c"
#endif

enum { TN_ARENA_ALIGN = 128 };
enum { TN_PLACE_LEAF, TN_PLACE_OUTPUT, TN_PLACE_TEMP };

typedef struct tn_place_row {              // where a stored value lives
  int kind, index;                         // LEAF: number of the leaf; OUTPUT: number of the output
  int64_t nbytes, offset;                  // TEMP: offset in the arena
} tn_place_row;

// ** what a kernel needs **

// A state by one name: the BUFFER where it has one.
static tiny_uop *tn_state_of(tiny_uop *u) { return u->realized ? u->realized : u; }

// The stored nodes and leaves that a kernel reads; an update also needs its base, which is not among them.
static void tn_kernel_reads(tn_graph *g, const tn_kernel *k, tn_map *reads) {
  tn_list stack = {NULL, 0, 0};
  tn_map seen = {NULL, 0, 0};
  for (uint32_t i = k->node->op == TINY_OP_ASSIGN ? 2 : 0; i < k->node->nsrc; i++)
    tn_push(g->t, &stack, k->node->src[i]);
  while (stack.n) {
    tiny_uop *u = stack.u[--stack.n];
    if (tn_map_has(&seen, u)) continue;
    tn_map_set(g->t, &seen, u, u);
    const tn_node *n = tn_graph_node(g, u);
    if (n->leaf || n->stored) tn_map_set(g->t, reads, tn_state_of(u), u);
    else for (uint32_t i = 0; i < u->nsrc; i++) tn_push(g->t, &stack, u->src[i]);
  }
}

static tn_map *tn_graph_reads(tn_graph *g) {
  tn_map *reads = (tn_map *)tn_scratch(g->t, ((size_t)g->nkernel + 1) * sizeof *reads);
  for (int i = 0; i < g->nkernel; i++) tn_kernel_reads(g, &g->kernel[i], &reads[i]);
  return reads;
}

static tiny_uop *tn_updated_state(const tn_kernel *k) {
  return k->node->op == TINY_OP_ASSIGN ? tn_state_of(k->node->src[0]) : NULL;
}

// ** order **

// Kernels, or groups of them, each a unit that runs without others in between.
typedef struct tn_order_unit {
  tn_list kernels;                         // numbers, the last made first
  tn_list after;                           // units that run after this one
  tn_list reads;                           // kernels of other units whose results it needs
  int waits, done, first;                  // waits: units that it waits for; first: it goes before those that are not
  int64_t more;                            // bytes in use after it ran, less those before
} tn_order_unit;
typedef struct tn_order_result { int64_t nbytes; tn_list readers; } tn_order_result;   // of a kernel; 0 bytes: kept
typedef struct tn_order {                  // of: a kernel's unit; n: units
  tiny_ctx *t; tn_order_unit *unit; tn_order_result *result; int *of, n;
} tn_order;

static tiny_uop *tn_order_boxed(int i) { return (tiny_uop *)(intptr_t)(i + 1); }   // numbers as elements of lists
static int tn_order_unboxed(const void *p) { return (int)(intptr_t)p - 1; }

static void tn_order_edge(tn_order *o, int a, int b) {   // kernel a before kernel b
  a = o->of[a]; b = o->of[b];
  if (a == b) return;
  tn_push(o->t, &o->unit[a].after, tn_order_boxed(b));
  o->unit[b].waits++;
}

static void tn_order_units(tn_order *o, tn_graph *g) {
  tn_map groups = {NULL, 0, 0};            // group -> 1 + its unit
  for (int i = g->nkernel - 1; i >= 0; i--) {
    const void *group = (const void *)(intptr_t)g->kernel[i].group;
    int u = group ? tn_order_unboxed(tn_map_get(&groups, group)) : -1;
    if (u < 0) u = o->n++;
    if (group) tn_map_set(o->t, &groups, group, tn_order_boxed(u));
    o->of[i] = u;
    tn_push(o->t, &o->unit[u].kernels, tn_order_boxed(i));
  }
}

// What is read has been computed, and is not overwritten before.
static void tn_order_edges(tn_order *o, tn_graph *g, const tn_map *reads) {
  tiny_ctx *t = o->t;
  tn_map made = {NULL, 0, 0}, updated = {NULL, 0, 0};   // node -> 1 + its kernel; state -> 1 + one that updates it
  int *also = (int *)tn_scratch(t, ((size_t)g->nkernel + 1) * sizeof *also);   // another that updates the same
  for (int i = 0; i < g->nkernel; i++) {
    const tiny_uop *state = tn_updated_state(&g->kernel[i]);
    tn_map_set(t, &made, g->kernel[i].node, tn_order_boxed(i));
    if (!state) continue;
    also[i] = tn_order_unboxed(tn_map_get(&updated, state));
    tn_map_set(t, &updated, state, tn_order_boxed(i));
  }
  int *reader = (int *)tn_scratch(t, ((size_t)g->nkernel + 1) * sizeof *reader);   // 1 + the last unit that reads it
  for (int u = 0; u < o->n; u++) for (int n = 0; n < o->unit[u].kernels.n; n++) {
    const int i = tn_order_unboxed(o->unit[u].kernels.u[n]);
    const tiny_uop *state = tn_updated_state(&g->kernel[i]);
    int by = state ? tn_order_unboxed(tn_map_get(&made, state)) : -1;
    if (by >= 0) { tn_order_edge(o, by, i); o->result[by].nbytes = 0; }
    for (int j = 0; j < reads[i].cap; j++) {
      const void *key = reads[i].row[j].key;
      if (!key) continue;
      for (by = tn_order_unboxed(tn_map_get(&updated, key)); by >= 0; by = also[by]) tn_order_edge(o, i, by);
      by = tn_order_unboxed(tn_map_get(&made, key));
      if (by < 0) continue;
      tn_order_edge(o, by, i);
      if (o->of[by] == u || reader[by] == u + 1) continue;
      reader[by] = u + 1;
      tn_push(t, &o->result[by].readers, tn_order_boxed(u));
      tn_push(t, &o->unit[u].reads, tn_order_boxed(by));
    }
  }
}

// What the first roots need goes first, as their own schedule would.
static void tn_order_first(tn_order *o, tn_graph *g, tiny_uop *const *roots) {
  g->nfirst = 0;
  for (int i = 0; i < g->nkernel; i++)
    for (int r = 0; r < g->first; r++) o->unit[o->of[i]].first |= roots[r] == g->kernel[i].node;
  for (int found = g->first; found;) {
    found = 0;
    for (int u = o->n - 1; u >= 0; u--) for (int j = 0; j < o->unit[u].after.n && !o->unit[u].first; j++)
      found |= o->unit[u].first = o->unit[tn_order_unboxed(o->unit[u].after.u[j])].first;
  }
  for (int i = 0; i < g->nkernel; i++) g->nfirst += o->unit[o->of[i]].first;
}

static void tn_order_open(tn_order *o, tn_graph *g, const tn_map *reads, tiny_uop *const *roots, int nroots) {
  const size_t n = (size_t)g->nkernel + 1;
  memset(o, 0, sizeof *o);
  o->t = g->t;
  o->unit = (tn_order_unit *)tn_scratch(g->t, n * sizeof *o->unit);
  o->result = (tn_order_result *)tn_scratch(g->t, n * sizeof *o->result);
  o->of = (int *)tn_scratch(g->t, n * sizeof *o->of);
  tn_order_units(o, g);
  for (int i = 0; i < g->nkernel; i++) {
    const tn_kernel *k = &g->kernel[i];
    int kept = k->node->op == TINY_OP_ASSIGN || !k->nmem;
    for (int r = 0; r < nroots && !kept; r++) kept = roots[r] == k->node;
    if (!kept) o->result[i].nbytes = tn_node_nbytes(k->mem[0]);
  }
  tn_order_edges(o, g, reads);
  tn_order_first(o, g, roots);
  for (int i = 0; i < g->nkernel; i++) {   // slabs, and what nobody reads, come and go within their unit
    tn_order_result *r = &o->result[i];
    if (!r->readers.n) r->nbytes = 0;
    o->unit[o->of[i]].more += r->nbytes;
    if (r->readers.n == 1) o->unit[tn_order_unboxed(r->readers.u[0])].more -= r->nbytes;
  }
}

// Unit u has run: those that only waited for it are ready, and who is left alone with a result will free it.
static void tn_order_ran(tn_order *o, tn_order_unit *unit, int *left, int u, int *ready, int *nready) {
  for (int j = 0; j < unit[u].after.n; j++) {
    const int b = tn_order_unboxed(unit[u].after.u[j]);
    if (!--unit[b].waits) ready[(*nready)++] = b;
  }
  for (int j = 0; j < unit[u].reads.n; j++) {
    const int a = tn_order_unboxed(unit[u].reads.u[j]);
    const tn_list *readers = &o->result[a].readers;
    int last = 0;
    if (--left[a] != 1) continue;
    while (unit[tn_order_unboxed(readers->u[last])].done) last++;
    unit[tn_order_unboxed(readers->u[last])].more -= o->result[a].nbytes;
  }
}

// Kernel numbers in running order into order[]; 0 when updates and reads cannot all be respected. The last kernel made
// is the first in topological order, and goes first; if frugal, what leaves the least memory in use goes first.
// *peak: the most bytes of intermediate results at any time.
static int tn_order_by(tn_order *o, int nkernel, int frugal, int *order, int64_t *peak) {
  const size_t n = (size_t)nkernel + 1;
  tn_order_unit *unit = (tn_order_unit *)memcpy(tn_scratch(o->t, n * sizeof *unit), o->unit, n * sizeof *unit);
  int *left = (int *)tn_scratch(o->t, n * sizeof *left), *ready = (int *)tn_scratch(o->t, n * sizeof *ready);
  int nready = 0, at = 0;
  int64_t live = 0;
  *peak = 0;
  for (int i = 0; i < nkernel; i++) left[i] = o->result[i].readers.n;
  for (int u = 0; u < o->n; u++) if (!unit[u].waits) ready[nready++] = u;
  while (at < nkernel) {
    int best = 0;
    if (!nready) return 0;
    for (int j = 1; j < nready; j++) {     // units are numbered as the kernels they begin with, the last made first
      const int sooner = unit[ready[j]].first - unit[ready[best]].first;
      const int64_t gain = sooner ? sooner : frugal ? unit[ready[best]].more - unit[ready[j]].more : 0;
      if (gain > 0 || (!gain && ready[j] < ready[best])) best = j;
    }
    const int u = ready[best];
    int64_t made = 0;
    ready[best] = ready[--nready];
    unit[u].done = 1;
    for (int j = 0; j < unit[u].kernels.n; j++) {
      order[at] = tn_order_unboxed(unit[u].kernels.u[j]);
      made += o->result[order[at++]].nbytes;
    }
    if (live + made > *peak) *peak = live + made;
    live += unit[u].more;
    tn_order_ran(o, unit, left, u, ready, &nready);
  }
  return 1;
}

// Both orders are tried; the frugal one is taken where it is.
static int tn_order_kernels(tn_graph *g, const tn_map *reads, tiny_uop *const *roots, int nroots, int *order) {
  tn_order o;
  int64_t peak, frugal_peak;
  int *frugal = (int *)tn_scratch(g->t, ((size_t)g->nkernel + 1) * sizeof *frugal);
  tn_order_open(&o, g, reads, roots, nroots);
  if (!tn_order_by(&o, g->nkernel, 0, order, &peak)) return 0;
  tn_order_by(&o, g->nkernel, 1, frugal, &frugal_peak);
  if (frugal_peak < peak) memcpy(order, frugal, (size_t)g->nkernel * sizeof *order);
  return 1;
}

// Kernels work in rounds where that pays and an order is left. order[]: as tn_order_kernels gives it.
static int tn_order_rounds(tn_graph *g, const tn_map *reads, tiny_uop *const *roots, int nroots, int **order) {
  *order = (int *)tn_scratch(g->t, ((size_t)g->nkernel + 1) * sizeof **order);
  if (!tn_order_kernels(g, reads, roots, nroots, *order)) return 0;
  for (int from = 0;; from++) {
    const tn_graph was = *g;
    tn_map *now = (tn_map *)(uintptr_t)reads;
    if (!tn_rounds_next(g, &now, roots, nroots, &from)) return 1;
    int *again = (int *)tn_scratch(g->t, ((size_t)g->nkernel + 1) * sizeof *again);
    if (!tn_order_kernels(g, now, roots, nroots, again)) { *g = was; continue; }
    *order = again; reads = now; from = -1;
  }
}

// The state that some value needs both before and after its update, once ordering has failed.
static tiny_uop *tn_find_conflict(tn_graph *g, const tn_map *reads, const tn_list *copied) {
  for (int b = 0; b < g->nkernel; b++) {
    const tiny_uop *state = tn_updated_state(&g->kernel[b]);
    int had = !state;
    for (int i = 0; i < copied->n; i++) had |= copied->u[i] == g->kernel[b].node->src[0];
    for (int a = 0; a < g->nkernel && !had; a++)
      if (a != b && tn_map_has(&reads[a], state)) return g->kernel[b].node->src[0];
  }
  return NULL;
}

// ** places **

typedef struct tn_life { int place, first, last; } tn_life;

// Offsets in one arena: the largest first, each at the lowest offset that is free during its life.
static int64_t tn_pack_arena(tiny_ctx *t, tn_place_row *place, const tn_life *life, int n) {
  int *by = (int *)tn_scratch(t, ((size_t)n + 1) * sizeof *by),
      *low = (int *)tn_scratch(t, ((size_t)n + 1) * sizeof *low);      // those that have a place, by offset
  int64_t total = 0;
  for (int i = 0; i < n; i++) {
    int j = i;
    for (; j && place[life[by[j - 1]].place].nbytes < place[life[i].place].nbytes; j--) by[j] = by[j - 1];
    by[j] = i;
  }
  for (int i = 0; i < n; i++) {
    const tn_life *l = &life[by[i]];
    tn_place_row *p = &place[l->place];
    int64_t at = 0;
    for (int j = 0; j < i; j++) {
      const tn_life *o = &life[low[j]];
      const tn_place_row *q = &place[o->place];
      if (o->last < l->first || o->first > l->last || at >= q->offset + q->nbytes) continue;
      if (at + p->nbytes <= q->offset) break;
      at = (q->offset + q->nbytes + TN_ARENA_ALIGN - 1) / TN_ARENA_ALIGN * TN_ARENA_ALIGN;
    }
    p->offset = at;
    if (at + p->nbytes > total) total = at + p->nbytes;
    int j = i;
    for (; j && place[life[low[j - 1]].place].offset > at; j--) low[j] = low[j - 1];
    low[j] = by[i];
  }
  return total;
}

// The most bytes that are alive at one step.
static int64_t tn_alive_most(tiny_ctx *t, const tn_place_row *place, const tn_life *life, int n, int nstep) {
  int64_t *change = (int64_t *)tn_scratch(t, ((size_t)nstep + 1) * sizeof *change), alive = 0, most = 0;
  memset(change, 0, ((size_t)nstep + 1) * sizeof *change);
  for (int i = 0; i < n; i++) {
    change[life[i].first] += place[life[i].place].nbytes;
    change[life[i].last + 1] -= place[life[i].place].nbytes;
  }
  for (int step = 0; step < nstep; step++) {
    alive += change[step];
    if (alive > most) most = alive;
  }
  return most;
}
#endif
