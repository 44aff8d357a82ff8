// order: when the kernels of a schedule run, and where their intermediate results lie.
//
// In:  a graph whose kernels are written. Out: an order that respects reads, writes and in-place updates;
//      offsets in one arena, shared when lives do not overlap.
// Peak memory is what both are chosen for: of two orders the one whose intermediate results take less at
// the worst moment is used, and what is placed first is what is largest, in graphs of up to a thousand values.
#ifndef TN_SCHEDULE_ORDER
#define TN_SCHEDULE_ORDER
#ifndef TINY_AMALGAMATED
#include "tiled.c"
#endif

enum { TN_ARENA_ALIGN = 128, TN_ARENA_BY_SIZE = 1024 };   // values up to which the best packing is looked for
enum { TN_PLACE_LEAF, TN_PLACE_OUTPUT, TN_PLACE_TEMP };

typedef struct tn_place_row {              // where a stored value lives
  int kind, index, device;                 // LEAF: number of the leaf; OUTPUT: number of the output
  int64_t nbytes, offset;                  // TEMP: offset in the arena
} tn_place_row;

// ** what a kernel needs **

// A state by one name: the BUFFER where it has one.
static tiny_uop *tn_state_of(tiny_uop *u) { return u->realized ? u->realized : u; }

// The stored nodes and leaves that a kernel reads, as states; an update also needs its base, which is not among them.
// stack: empty, and empty again.
static void tn_kernel_reads(tn_graph *g, const tn_kernel *k, tn_list *stack, tn_list *reads) {
  const uint32_t seen = ++g->t->ir->epoch;
  for (uint32_t i = k->node->op == TINY_OP_ASSIGN ? 2 : 0; i < k->node->nsrc; i++)
    tn_push(g->t, stack, k->node->src[i]);
  while (stack->n) {
    tiny_uop *u = stack->u[--stack->n];
    if (u->mark == seen) continue;
    u->mark = seen;
    const tn_node *n = tn_graph_node(g, u);
    if (!n->leaf && !n->stored) {
      for (uint32_t i = 0; i < u->nsrc; i++) tn_push(g->t, stack, u->src[i]);
      continue;
    }
    tiny_uop *state = tn_state_of(u);
    if (state != u && state->mark == seen) continue;
    state->mark = seen;
    tn_push(g->t, reads, state);
  }
}

static tn_list *tn_graph_reads(tn_graph *g) {
  tn_list *reads = (tn_list *)tn_scratch(g->t, ((size_t)g->nkernel + 1) * sizeof *reads), stack = {NULL, 0, 0};
  for (int i = 0; i < g->nkernel; i++) tn_kernel_reads(g, &g->kernel[i], &stack, &reads[i]);
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

static void tn_order_edge(tn_order *o, int a, int b) {   // kernel a before kernel b
  a = o->of[a]; b = o->of[b];
  if (a == b) return;
  tn_push(o->t, &o->unit[a].after, tn_boxed(b));
  o->unit[b].waits++;
}

static void tn_order_units(tn_order *o, tn_graph *g) {
  tn_map groups = {NULL, 0, 0};            // group -> 1 + its unit
  for (int i = g->nkernel - 1; i >= 0; i--) {
    const void *group = (const void *)(intptr_t)g->kernel[i].group;
    int u = group ? tn_unboxed(tn_map_get(&groups, group)) : -1;
    if (u < 0) u = o->n++;
    if (group) tn_map_set(o->t, &groups, group, tn_boxed(u));
    o->of[i] = u;
    tn_push(o->t, &o->unit[u].kernels, tn_boxed(i));
  }
}

// What is read has been computed, and is not overwritten before.
static void tn_order_edges(tn_order *o, tn_graph *g, const tn_list *reads) {
  tiny_ctx *t = o->t;
  tn_map made = {NULL, 0, 0}, updated = {NULL, 0, 0};   // node -> 1 + its kernel; state -> 1 + one that updates it
  int *also = (int *)tn_scratch(t, ((size_t)g->nkernel + 1) * sizeof *also);   // another that updates the same
  for (int i = 0; i < g->nkernel; i++) {
    const tiny_uop *state = tn_updated_state(&g->kernel[i]);
    tn_map_set(t, &made, g->kernel[i].node, tn_boxed(i));
    if (!state) continue;
    also[i] = tn_unboxed(tn_map_get(&updated, state));
    tn_map_set(t, &updated, state, tn_boxed(i));
  }
  int *reader = (int *)tn_scratch(t, ((size_t)g->nkernel + 1) * sizeof *reader);   // 1 + the last unit that reads it
  for (int u = 0; u < o->n; u++) for (int n = 0; n < o->unit[u].kernels.n; n++) {
    const int i = tn_unboxed(o->unit[u].kernels.u[n]);
    const tiny_uop *state = tn_updated_state(&g->kernel[i]);
    int by = state ? tn_unboxed(tn_map_get(&made, state)) : -1;
    if (by >= 0) { tn_order_edge(o, by, i); o->result[by].nbytes = 0; }
    for (int j = 0; j < reads[i].n; j++) {
      const tiny_uop *key = reads[i].u[j];
      for (by = tn_unboxed(tn_map_get(&updated, key)); by >= 0; by = also[by]) tn_order_edge(o, i, by);
      by = tn_unboxed(tn_map_get(&made, key));
      if (by < 0) continue;
      tn_order_edge(o, by, i);
      if (o->of[by] == u || reader[by] == u + 1) continue;
      reader[by] = u + 1;
      tn_push(t, &o->result[by].readers, tn_boxed(u));
      tn_push(t, &o->unit[u].reads, tn_boxed(by));
    }
  }
}

// What the first roots need goes first, as their own schedule would.
static void tn_order_first(tn_order *o, tn_graph *g, tiny_uop *const *roots) {
  g->nfirst = 0;
  tn_map wanted = {NULL, 0, 0};
  for (int r = 0; r < g->first; r++) tn_map_set(g->t, &wanted, roots[r], roots[r]);
  for (int i = 0; i < g->nkernel; i++) o->unit[o->of[i]].first |= tn_map_has(&wanted, g->kernel[i].node);
  for (int found = g->first; found;) {
    found = 0;
    for (int u = o->n - 1; u >= 0; u--) for (int j = 0; j < o->unit[u].after.n && !o->unit[u].first; j++)
      found |= o->unit[u].first = o->unit[tn_unboxed(o->unit[u].after.u[j])].first;
  }
  for (int i = 0; i < g->nkernel; i++) g->nfirst += o->unit[o->of[i]].first;
}

static void tn_order_open(tn_order *o, tn_graph *g, const tn_list *reads, tiny_uop *const *roots, int nroots) {
  const size_t n = (size_t)g->nkernel + 1;
  memset(o, 0, sizeof *o);
  o->t = g->t;
  o->unit = (tn_order_unit *)tn_scratch(g->t, n * sizeof *o->unit);
  o->result = (tn_order_result *)tn_scratch(g->t, n * sizeof *o->result);
  o->of = (int *)tn_scratch(g->t, n * sizeof *o->of);
  tn_map kept = {NULL, 0, 0};
  for (int r = 0; r < nroots; r++) tn_map_set(g->t, &kept, roots[r], roots[r]);
  tn_order_units(o, g);
  for (int i = 0; i < g->nkernel; i++) {
    const tn_kernel *k = &g->kernel[i];
    if (k->node->op != TINY_OP_ASSIGN && k->nmem && !tn_map_has(&kept, k->node))
      o->result[i].nbytes = tn_node_nbytes(k->mem[0]);
  }
  tn_order_edges(o, g, reads);
  tn_order_first(o, g, roots);
  for (int i = 0; i < g->nkernel; i++) {   // slabs, and what nobody reads, come and go within their unit
    tn_order_result *r = &o->result[i];
    if (!r->readers.n) r->nbytes = 0;
    o->unit[o->of[i]].more += r->nbytes;
    if (r->readers.n == 1) o->unit[tn_unboxed(r->readers.u[0])].more -= r->nbytes;
  }
}

// The units that are ready, as a heap of offers, the best on top. What a unit frees may grow while it waits: then it is
// offered again, and what an older offer says of it is no longer true.
typedef struct tn_offer { int64_t more; int unit, first; } tn_offer;
typedef struct tn_ready { tiny_ctx *t; tn_offer *offer; int n, cap, frugal; } tn_ready;

// Units are numbered as the kernels they begin with, the last made first.
static int tn_offer_sooner(const tn_ready *r, const tn_offer *a, const tn_offer *b) {
  if (a->first != b->first) return a->first > b->first;
  if (r->frugal && a->more != b->more) return a->more < b->more;
  return a->unit < b->unit;
}
static void tn_ready_add(tn_ready *r, const tn_order_unit *unit, int u) {
  const tn_offer offer = {unit[u].more, u, unit[u].first};
  TN_PUSH(r->t, r->offer, r->n, r->cap, tn_offer);
  int i = r->n - 1;
  for (; i && tn_offer_sooner(r, &offer, &r->offer[(i - 1) / 2]); i = (i - 1) / 2) r->offer[i] = r->offer[(i - 1) / 2];
  r->offer[i] = offer;
}
static tn_offer tn_ready_pop(tn_ready *r) {
  const tn_offer best = r->offer[0], last = r->offer[--r->n];
  int i = 0;
  for (int child; (child = 2 * i + 1) < r->n; i = child) {
    if (child + 1 < r->n && tn_offer_sooner(r, &r->offer[child + 1], &r->offer[child])) child++;
    if (!tn_offer_sooner(r, &r->offer[child], &last)) break;
    r->offer[i] = r->offer[child];
  }
  r->offer[i] = last;
  return best;
}
// The best unit that is ready, -1: none.
static int tn_ready_take(tn_ready *r, const tn_order_unit *unit) {
  while (r->n) {
    const tn_offer best = tn_ready_pop(r);
    if (!unit[best.unit].done && (!r->frugal || best.more == unit[best.unit].more)) return best.unit;
  }
  return -1;
}

// Unit u has run: those that only waited for it are ready, and who is left alone with a result will free it.
static void tn_order_ran(tn_order *o, tn_order_unit *unit, int *left, int u, tn_ready *ready) {
  for (int j = 0; j < unit[u].after.n; j++) {
    const int b = tn_unboxed(unit[u].after.u[j]);
    if (!--unit[b].waits) tn_ready_add(ready, unit, b);
  }
  for (int j = 0; j < unit[u].reads.n; j++) {
    const int a = tn_unboxed(unit[u].reads.u[j]);
    const tn_list *readers = &o->result[a].readers;
    int last = 0;
    if (--left[a] != 1) continue;
    while (unit[tn_unboxed(readers->u[last])].done) last++;
    const int b = tn_unboxed(readers->u[last]);
    unit[b].more -= o->result[a].nbytes;
    if (!unit[b].waits && ready->frugal) tn_ready_add(ready, unit, b);
  }
}

// Kernel numbers in running order into order[]; 0 when updates and reads cannot all be respected. The last kernel made
// is the first in topological order, and goes first; if frugal, what leaves the least memory in use goes first.
// *peak: the most bytes of intermediate results at any time.
static int tn_order_by(tn_order *o, int nkernel, int frugal, int *order, int64_t *peak) {
  const size_t n = (size_t)nkernel + 1;
  tn_order_unit *unit = (tn_order_unit *)memcpy(tn_scratch(o->t, n * sizeof *unit), o->unit, n * sizeof *unit);
  int *left = (int *)tn_scratch(o->t, n * sizeof *left), at = 0;
  tn_ready ready = {o->t, NULL, 0, 0, frugal};
  int64_t live = 0;
  *peak = 0;
  for (int i = 0; i < nkernel; i++) left[i] = o->result[i].readers.n;
  for (int u = 0; u < o->n; u++) if (!unit[u].waits) tn_ready_add(&ready, unit, u);
  while (at < nkernel) {
    const int u = tn_ready_take(&ready, unit);
    int64_t made = 0;
    if (u < 0) return 0;
    unit[u].done = 1;
    for (int j = 0; j < unit[u].kernels.n; j++) {
      order[at] = tn_unboxed(unit[u].kernels.u[j]);
      made += o->result[order[at++]].nbytes;
    }
    if (live + made > *peak) *peak = live + made;
    live += unit[u].more;
    tn_order_ran(o, unit, left, u, &ready);
  }
  return 1;
}

// ** several devices: what does not depend on each other overlaps **

// About how long kernel k takes, in steps of whatever device: its iterations, and the elements that it touches.
static double tn_kernel_time(tiny_ctx *t, const tn_kernel *k) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_list ranges = {NULL, 0, 0};
  double steps = k->ast ? 1 : 0, touched = 1;
  if (k->ast) tn_collect_ranges(t, k->ast, &ranges);
  for (int i = 0; i < ranges.n; i++) steps *= (double)tn_range_extent(ranges.u[i]);
  for (int i = 0; i < k->nmem; i++) touched += (double)tn_nelem(k->mem[i]);
  tn_scratch_rewind(t, mark);
  return steps + touched;
}

// By unit: its device, and when it can begin and is done as if devices ran side by side.
typedef struct tn_timing { int device, copies; double takes, from; } tn_timing;

static tn_timing *tn_order_timing(const tn_order *o, const tn_graph *g, int *devices) {
  tn_timing *all = (tn_timing *)tn_scratch(o->t, ((size_t)o->n + 1) * sizeof *all);
  int first = -1;
  *devices = 0;
  for (int i = 0; i < g->nkernel; i++) {
    tn_timing *of = &all[o->of[i]];
    of->device = tn_target_of(g->targets, g->kernel[i].node);
    of->copies |= tn_is_copy(g->kernel[i].node);
    of->takes += tn_kernel_time(o->t, &g->kernel[i]);
    *devices |= first >= 0 && of->device != first;
    first = of->device;
  }
  return all;
}
// Should unit a go before b? What the first roots want, then what can begin first; copies may have to wait for the
// host, so that others go before them.
static int tn_goes_before(const tn_order *o, const tn_timing *all, const double *free_at, int a, int b) {
  const double x = fmax(all[a].from, free_at[all[a].device]), y = fmax(all[b].from, free_at[all[b].device]);
  if (o->unit[a].first != o->unit[b].first) return o->unit[a].first;
  if (x < y || x > y) return x < y;
  return all[a].copies != all[b].copies ? all[b].copies : a < b;
}
// The kernels in the order in which devices that run side by side would begin them (list scheduling: Graham, "Bounds on
// multiprocessing timing anomalies", SIAM J. Appl. Math. 17(2), 1969). Units that wait for nothing: as they are in o.
static void tn_order_overlapped(const tn_order *o, tn_timing *all, int *order) {
  int *waits = (int *)tn_scratch(o->t, ((size_t)o->n + 1) * sizeof *waits), at = 0, nready = 0;
  int *ready = (int *)tn_scratch(o->t, ((size_t)o->n + 1) * sizeof *ready);
  double free_at[TINY_MAX_DEVICES] = {0};
  for (int u = 0; u < o->n; u++) if (!(waits[u] = o->unit[u].waits)) ready[nready++] = u;
  while (nready) {
    int best = 0;
    for (int i = 1; i < nready; i++) if (tn_goes_before(o, all, free_at, ready[i], ready[best])) best = i;
    const int u = ready[best];
    ready[best] = ready[--nready];
    const double done = fmax(all[u].from, free_at[all[u].device]) + all[u].takes;
    free_at[all[u].device] = done;
    for (int j = 0; j < o->unit[u].kernels.n; j++) order[at++] = tn_unboxed(o->unit[u].kernels.u[j]);
    for (int j = 0; j < o->unit[u].after.n; j++) {
      const int next = tn_unboxed(o->unit[u].after.u[j]);
      all[next].from = fmax(all[next].from, done);
      if (!--waits[next]) ready[nready++] = next;
    }
  }
}

// An order of the kernels; 0: there is none. The frugal one is tried where that is asked for, and taken where it is.
static int tn_order_kernels(tn_graph *g, const tn_list *reads, tiny_uop *const *roots, int nroots, int frugal,
                            int *order) {
  tn_order o;
  int64_t peak, frugal_peak;
  int *other = (int *)tn_scratch(g->t, ((size_t)g->nkernel + 1) * sizeof *other);
  tn_order_open(&o, g, reads, roots, nroots);
  if (!tn_order_by(&o, g->nkernel, 0, order, &peak)) return 0;
  if (!frugal) return 1;
  int devices = 0;
  tn_timing *timing = g->targets->n > 1 ? tn_order_timing(&o, g, &devices) : NULL;
  if (devices) { tn_order_overlapped(&o, timing, order); return 1; }
  tn_order_by(&o, g->nkernel, 1, other, &frugal_peak);
  if (frugal_peak < peak) memcpy(order, other, (size_t)g->nkernel * sizeof *order);
  return 1;
}

// Kernels work tile by tile where that pays and an order is left. What was tried around kernels that others have
// replaced since is tried again. *order: of all kernels that there are then; 0: there was none to begin with.
static int tn_order_tiled(tn_graph *g, tn_list *reads, tiny_uop *const *roots, int nroots, int **order) {
  tn_map tried = {NULL, 0, 0};
  *order = (int *)tn_scratch(g->t, ((size_t)g->nkernel + 1) * sizeof **order);
  if (!tn_order_kernels(g, reads, roots, nroots, 0, *order)) return 0;
  for (;;) {
    const tn_graph was = *g;
    tn_list *now = reads, around = {NULL, 0, 0};
    if (!tn_tiled_next(g, &now, *order, roots, nroots, &tried, &around))
      return tn_order_kernels(g, reads, roots, nroots, 1, *order);
    int *again = (int *)tn_scratch(g->t, ((size_t)g->nkernel + 1) * sizeof *again);
    if (!tn_order_kernels(g, now, roots, nroots, 0, again)) { *g = was; continue; }
    *order = again; reads = now;
    for (int i = 0; i < around.n; i++) if (tn_map_get(&tried, around.u[i])) tn_map_set(g->t, &tried, around.u[i], NULL);
  }
}

// ** conflicts: some values need a state both before and after its update **

typedef struct tn_tarjan { int unit, next; } tn_tarjan;    // on the way down: which unit, which of its edges is next

// By unit: the strongly connected component that it is in (Tarjan, "Depth-first search and linear graph algorithms",
// SIAM J. Comput. 1(2), 1972, without recursion).
static int *tn_order_components(tn_order *o) {
  const size_t n = (size_t)o->n + 1;
  int *number = (int *)tn_scratch(o->t, n * sizeof *number), *low = (int *)tn_scratch(o->t, n * sizeof *low);
  int *component = (int *)tn_scratch(o->t, n * sizeof *component), *open = (int *)tn_scratch(o->t, n * sizeof *open);
  tn_tarjan *path = (tn_tarjan *)tn_scratch(o->t, n * sizeof *path);
  int numbers = 0, components = 0, nopen = 0;
  for (int root = 0; root < o->n; root++) {
    int depth = 0;
    if (number[root]) continue;
    path[depth].unit = root; path[depth++].next = 0;
    while (depth) {
      tn_tarjan *top = &path[depth - 1];
      const int u = top->unit;
      if (!top->next) { number[u] = low[u] = ++numbers; open[nopen++] = u; }
      if (top->next < o->unit[u].after.n) {
        const int w = tn_unboxed(o->unit[u].after.u[top->next++]);
        if (!number[w]) { path[depth].unit = w; path[depth++].next = 0; }
        else if (!component[w] && number[w] < low[u]) low[u] = number[w];
        continue;
      }
      if (low[u] == number[u]) {
        components++;
        do component[open[--nopen]] = components; while (open[nopen] != u);
      }
      if (--depth && low[u] < low[path[depth - 1].unit]) low[path[depth - 1].unit] = low[u];
    }
  }
  return component;
}

// Kernels that update a state and wait for each other with one that reads it: of each such knot the base of one, that
// is not among those copied already, into `out`.
static void tn_find_conflicts(tn_graph *g, const tn_list *reads, tiny_uop *const *roots, int nroots,
                              const tn_list *copied, tn_list *out) {
  tiny_ctx *t = g->t;
  tn_order o;
  tn_map updated = {NULL, 0, 0}, had = {NULL, 0, 0};       // state -> 1 + the last that updates it
  int *also = (int *)tn_scratch(t, ((size_t)g->nkernel + 1) * sizeof *also);
  int *first = (int *)tn_scratch(t, ((size_t)g->nkernel + 2) * sizeof *first);     // by component: 1 + the kernel
  tn_order_open(&o, g, reads, roots, nroots);
  const int *component = tn_order_components(&o);
  for (int i = 0; i < copied->n; i++) tn_map_set(t, &had, copied->u[i], g);
  for (int b = 0; b < g->nkernel; b++) {
    const tiny_uop *state = tn_updated_state(&g->kernel[b]);
    if (!state || tn_map_has(&had, g->kernel[b].node->src[0])) continue;
    also[b] = tn_unboxed(tn_map_get(&updated, state));
    tn_map_set(t, &updated, state, tn_boxed(b));
  }
  for (int a = 0; a < g->nkernel; a++) for (int j = 0; j < reads[a].n; j++)
    for (int b = tn_unboxed(tn_map_get(&updated, reads[a].u[j])); b >= 0; b = also[b]) {
      const int knot = component[o.of[b]];
      if (a != b && o.of[a] != o.of[b] && component[o.of[a]] == knot && (!first[knot] || b < first[knot] - 1))
        first[knot] = b + 1;
    }
  for (int c = 0; c <= g->nkernel; c++) if (first[c]) tn_push(t, out, g->kernel[first[c] - 1].node->src[0]);
}

// ** places **

typedef struct tn_life { int place, first, last; } tn_life;

static int64_t tn_arena_aligned(int64_t nbytes) {
  return (nbytes + TN_ARENA_ALIGN - 1) / TN_ARENA_ALIGN * TN_ARENA_ALIGN;
}

typedef struct tn_packed { const tn_life *life; tn_place_row *place; } tn_packed;

static int tn_packed_larger(const void *a, const void *b) {
  const tn_packed *x = (const tn_packed *)a, *y = (const tn_packed *)b;
  if (x->place->nbytes != y->place->nbytes) return x->place->nbytes > y->place->nbytes ? -1 : 1;
  return x->life < y->life ? -1 : x->life > y->life;
}
static int tn_packed_earlier(const void *a, const void *b) {
  const tn_packed *x = (const tn_packed *)a, *y = (const tn_packed *)b;
  return x->life->first != y->life->first ? x->life->first - y->life->first : tn_packed_larger(a, b);
}

// The largest first, each at the lowest offset that is free during its life: the square of n.
static int64_t tn_pack_by_size(tiny_ctx *t, tn_packed *all, int n) {
  const tn_packed **low = (const tn_packed **)tn_scratch(t, ((size_t)n + 1) * sizeof *low);   // placed, by offset
  int64_t total = 0;
  qsort(all, (size_t)n, sizeof *all, tn_packed_larger);
  for (int i = 0; i < n; i++) {
    const tn_life *l = all[i].life;
    tn_place_row *p = all[i].place;
    int64_t at = 0;
    for (int j = 0; j < i; j++) {
      const tn_life *o = low[j]->life;
      const tn_place_row *q = low[j]->place;
      if (o->last < l->first || o->first > l->last || at >= q->offset + q->nbytes) continue;
      if (at + p->nbytes <= q->offset) break;
      at = tn_arena_aligned(q->offset + q->nbytes);
    }
    p->offset = at;
    if (at + p->nbytes > total) total = at + p->nbytes;
    int j = i;
    for (; j && low[j - 1]->place->offset > at; j--) low[j] = low[j - 1];
    low[j] = &all[i];
  }
  return total;
}

// Free memory below the end of what is in use, by offset.
typedef struct tn_hole { int64_t from, to; } tn_hole;
typedef struct tn_holes { tiny_ctx *t; tn_hole *hole; int n, cap; int64_t end; } tn_holes;

static int64_t tn_holes_take(tn_holes *h, int64_t nbytes) {
  for (int i = 0; i < h->n; i++) {
    const int64_t at = h->hole[i].from;
    if (h->hole[i].to - at < nbytes) continue;
    h->hole[i].from += nbytes;
    if (h->hole[i].from == h->hole[i].to)
      memmove(&h->hole[i], &h->hole[i + 1], (size_t)(--h->n - i) * sizeof *h->hole);
    return at;
  }
  h->end += nbytes;
  return h->end - nbytes;
}
static void tn_holes_give_back(tn_holes *h, int64_t from, int64_t to) {
  int low = 0, high = h->n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (h->hole[middle].from < from) low = middle + 1; else high = middle;
  }
  const int before = low && h->hole[low - 1].to == from, after = low < h->n && h->hole[low].from == to;
  if (before && after) {
    h->hole[low - 1].to = h->hole[low].to;
    memmove(&h->hole[low], &h->hole[low + 1], (size_t)(--h->n - low) * sizeof *h->hole);
  } else if (before) h->hole[low - 1].to = to;
  else if (after) h->hole[low].from = from;
  else {
    TN_PUSH(h->t, h->hole, h->n, h->cap, tn_hole);
    memmove(&h->hole[low + 1], &h->hole[low], (size_t)(h->n - 1 - low) * sizeof *h->hole);
    h->hole[low].from = from; h->hole[low].to = to;
  }
  if (h->n && h->hole[h->n - 1].to == h->end) h->end = h->hole[--h->n].from;
}

// In the order of their lives, each at the lowest offset that is free when its life begins.
static int64_t tn_pack_by_time(tiny_ctx *t, tn_packed *all, int n, int nstep) {
  tn_holes holes = {t, NULL, 0, 0, 0};
  int *ends = (int *)tn_scratch(t, ((size_t)nstep + 1) * sizeof *ends);    // by step: 1 + one whose life ends there
  int *also = (int *)tn_scratch(t, ((size_t)n + 1) * sizeof *also), step = 0;
  int64_t total = 0;
  qsort(all, (size_t)n, sizeof *all, tn_packed_earlier);
  for (int i = 0; i < n; i++) {
    tn_place_row *p = all[i].place;
    for (; step < all[i].life->first; step++) for (int e = ends[step]; e; e = also[e - 1]) {
      const tn_place_row *q = all[e - 1].place;
      tn_holes_give_back(&holes, q->offset, q->offset + tn_arena_aligned(q->nbytes));
    }
    p->offset = p->nbytes ? tn_holes_take(&holes, tn_arena_aligned(p->nbytes)) : 0;
    also[i] = p->nbytes ? ends[all[i].life->last] : 0;
    if (p->nbytes) ends[all[i].life->last] = i + 1;
    if (p->offset + p->nbytes > total) total = p->offset + p->nbytes;
  }
  return total;
}

// Offsets in one arena, and its size: 0 where nothing is in it; temporaries of no bytes have an address as well.
static int64_t tn_pack_arena(tiny_ctx *t, tn_place_row *place, const tn_life *life, int n, int nstep) {
  tn_packed *all = (tn_packed *)tn_scratch(t, ((size_t)n + 1) * sizeof *all);
  for (int i = 0; i < n; i++) { all[i].life = &life[i]; all[i].place = &place[life[i].place]; }
  const int64_t nbytes = n <= TN_ARENA_BY_SIZE ? tn_pack_by_size(t, all, n) : tn_pack_by_time(t, all, n, nstep);
  return n && !nbytes ? (int64_t)TN_ARENA_ALIGN : nbytes;
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
