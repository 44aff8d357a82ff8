// rangeify: decides which nodes of a tensor graph are stored, and writes the kernel of each.
//
// In:  a graph in topological order whose leaves are BUFFERs and realized nodes. Out: one SINK per stored node, over
//      RANGEs, reading PARAMs; a table says which node each PARAM and ARG stands for.
// First pass, from the outputs to the inputs: every node gets its uses, each with the index expressions at which a
// kernel wants it. A node is stored when computing it at its uses would repeat work: a REDUCE that two kernels, two
// indices or a reduce loop want; elementwise work that costs more to repeat than to write and read back.
// Second pass: every stored node pulls its expression through the graph (pull.c).
//
// A REDUCE whose indices are some of a kernel's output ranges (its scope) runs in loops between those ranges and the
// others: softmax and layernorm over rows become one kernel that walks each row several times while it is in cache.
#ifndef TN_SCHEDULE_RANGEIFY
#define TN_SCHEDULE_RANGEIFY
#ifndef TINY_AMALGAMATED
#include "recompute.c"
#endif

// ROW_SMALL: elements of an output whose rows may be fewer than tasks; CONTRACTION: products of one.
enum { TN_MAX_USES = 6, TN_MAX_DEPTH = 160, TN_CUT_DEPTH = 128, TN_MAX_REDUCES = 6, TN_ROW_SMALL = 1 << 15,
  TN_EFFORT_NODES = 128, TN_EFFORT_INPUTS = 12, TN_AT_NODES = 256, TN_CONTRACTION = 1 << 14 };

// ** first pass: what is stored **

// Finds the REDUCEs whose summands name the element they go to, and those that run along an axis: with loops of
// their own each summand is computed once.
static void tn_node_try_carried(tn_graph *g, tn_node *n) {
  tn_scatter scatter;
  tn_scan_fact scan;
  const tiny_uop *x = n->u->src[0];
  const double nelem = (double)tn_nelem(x);
  if (!tn_graph_node(g, x)->has_iota || nelem < (double)TN_SCAN_WORK || tn_nelem(n->u) < TN_SCAN_EXTENT) return;
  tn_kernel k;
  memset(&k, 0, sizeof k);
  k.node = n->u;
  tiny_uop *at = k.at = tn_at_fresh(g->t, &k, n->u), *reduce = tn_pull_trial(g, &k);
  if (tn_find_scatter(g->t, reduce, at->src, (int)at->nsrc - 1, &scatter)) {
    n->once = nelem / (double)tn_extents(scatter.range, scatter.n);
    n->places = scatter.n == 1 ? tn_range_extent(scatter.range[0]) : 0;
  } else if (tn_find_scan(g->t, reduce, at->src, (int)at->nsrc - 1, &scan)) {
    n->once = nelem / (double)tn_range_extent(scan.loop);
    n->scans = 1 + scan.backward;
    while (at->src[n->along] != scan.loop) n->along++;
  }
}

// The node that a REDUCE folds, below movements and products: what is best stored where a chain of REDUCEs is cut.
static tn_node *tn_node_reduced(tn_graph *g, const tiny_uop *reduce) {
  tn_node *n = tn_graph_node(g, reduce->src[0]);
  while (!n->leaf && (tn_is_laid(n->u) || n->u->op == TINY_OP_MUL)) {
    tn_node *next = tn_graph_node(g, n->u->src[0]);
    for (uint32_t i = 1; n->u->op == TINY_OP_MUL && i < n->u->nsrc; i++)
      if (tn_graph_node(g, n->u->src[i])->reduces > next->reduces) next = tn_graph_node(g, n->u->src[i]);
    n = next;
  }
  return n;
}

// A walk from a node down to memory, users before sources. On its way it passes waists: single values of which all that
// it has seen is computed, memory aside.
typedef struct tn_descent {
  tn_graph *g; const tn_node *top; tn_list todo, passed;   // todo: by seq, the last one comes next
  uint32_t epoch; int open, outside;       // open: of todo, what is computed; outside: others want the waist as well
} tn_descent;

static int tn_descent_ends(const tn_descent *d, const tn_node *n) {
  return n != d->top && (n->leaf || n->forced || n->u->op == TINY_OP_REDUCE || !n->u->nsrc);
}
static void tn_descent_add(tn_descent *d, tiny_uop *u) {
  tn_node *n = tn_graph_node(d->g, u);
  if (u->mark == d->epoch) { n->seen++; return; }
  u->mark = d->epoch;
  n->seen = 1;
  d->open += !tn_descent_ends(d, n);
  tn_push(d->g->t, &d->todo, u);
  for (int i = d->todo.n - 1; i && d->todo.u[i - 1]->seq > u->seq; i--) {
    d->todo.u[i] = d->todo.u[i - 1]; d->todo.u[i - 1] = u;
  }
}
static tn_descent tn_descent_open(tn_graph *g, const tn_node *top) {
  tn_descent d = {g, top, {NULL, 0, 0}, {NULL, 0, 0}, ++g->t->ir->epoch, 0, 0};
  tn_descent_add(&d, top->u);
  return d;
}
// The next node, NULL after the last. What it is computed of is added when it is passed.
static tn_node *tn_descent_next(tn_descent *d) {
  if (!d->todo.n) return NULL;
  tn_node *n = tn_graph_node(d->g, d->todo.u[--d->todo.n]);
  if (n != d->top && d->open == 1 && !tn_descent_ends(d, n)) d->outside |= n->users > n->seen;
  return n;
}
static void tn_descent_pass(tn_descent *d, const tn_node *n) {
  if (tn_descent_ends(d, n)) return;
  d->open--;
  tn_push(d->g->t, &d->passed, n->u);
  for (uint32_t i = 0; i < n->u->nsrc; i++) tn_descent_add(d, n->u->src[i]);
}
// Is n, which comes next, a waist that may be stored for the top?
static int tn_descent_waist(const tn_descent *d, const tn_node *n) {
  if (n == d->top || d->open != 1 || tn_descent_ends(d, n) || !tn_op_is(n->u->op, TINY_ALU)) return 0;
  for (uint32_t i = 0; i < n->u->nsrc; i++) if (n->u->src[i]->op == TINY_OP_EXPAND) return 0;
  return n->u->ndim && n->u->dtype != TINY_INDEX && tn_nelem(n->u) <= tn_nelem(d->top->u);
}

// What is known of a node by its sources; of a REDUCE, too, before it is one.
static void tn_node_gather(tn_graph *g, tn_node *n) {
  const tiny_uop *u = n->u;
  n->cost = tn_op_cost(u);
  n->depth = n->reduces = n->has_reduce = n->has_iota = 0;
  n->is_mask = !n->leaf;
  for (uint32_t i = 0; i < u->nsrc && !n->leaf; i++) {
    const tn_node *s = tn_graph_node(g, u->src[i]);
    const int cut = s->forced || s->leaf || s->once > 0;
    if (!cut && s->depth + 1 > n->depth) n->depth = s->depth + 1;
    if (!cut && s->reduces > n->reduces) n->reduces = s->reduces;
    n->cost += cut ? 0 : s->cost;
    n->has_reduce |= !cut && s->has_reduce;
    n->has_iota |= !cut && s->has_iota;
    n->is_mask &= s->is_mask;
  }
}

static void tn_node_force(tn_node *n) {
  n->forced = 1;
  n->is_mask = 0; n->depth = 0; n->reduces = 0; n->cost = 0;
}

// Keeps the expression of an ALU node within bounds. Operators are many nodes, on paths side by side: of the values of
// which the node is all computed the lowest is stored that is not far below, else the node itself.
static void tn_node_cut(tn_graph *g, tn_node *n) {
  const tn_mark mark = tn_scratch_mark(g->t);
  tn_descent d = tn_descent_open(g, n);
  tn_node *x, *waist = NULL;
  int above = 0;
  while (d.passed.n < TN_EFFORT_NODES && (x = tn_descent_next(&d)) != NULL) {
    if (tn_descent_waist(&d, x) && x->depth >= TN_CUT_DEPTH) { waist = x; above = d.passed.n; }
    tn_descent_pass(&d, x);
  }
  if (waist) {
    tn_node_force(waist);
    while (above--) tn_node_gather(g, tn_graph_node(g, d.passed.u[above]));
  }
  n->forced |= n->depth >= TN_MAX_DEPTH;
  tn_scratch_rewind(g->t, mark);
}

// Facts that flow from sources to users.
static void tn_node_summarize(tn_graph *g, tn_node *n) {
  const tiny_uop *u = n->u;
  int grown = 0;
  tn_node_gather(g, n);
  if (n->leaf) return;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    tn_graph_node(g, u->src[i])->users++;
    grown |= u->src[i]->op == TINY_OP_EXPAND;
  }
  if (u->op == TINY_OP_IOTA) n->has_iota = 1;
  if (u->op == TINY_OP_REDUCE) {
    n->has_reduce = 1;
    n->has_iota = 0;
    n->cost = 1;
    n->depth = 0;
    if (++n->reduces > TN_MAX_REDUCES) {   // a value is kept rather than the sum it is made of, never all the summands
      tn_node *folded = tn_node_reduced(g, u);
      if (tn_nelem(folded->u) < tn_nelem(u->src[0])) { folded->forced |= TN_FORCED_CHAIN; n->reduces = 1; }
      else n->forced = 1;
    }
    tn_node_try_carried(g, n);
  }
  if (u->op == TINY_OP_CONTIGUOUS || u->op == TINY_OP_ASSIGN || tn_is_launched(u)) n->forced = 1;
  if (tn_is_launched(u)) for (uint32_t i = 0; i < u->nsrc; i++) tn_graph_node(g, u->src[i])->forced = 1;
  for (uint32_t i = 1; u->op == TINY_OP_AFTER && i < u->nsrc; i++)      // what it waits for is done by a kernel
    tn_graph_node(g, u->src[i])->forced = 1;
  // Not a product that is all outer.
  if (n->depth >= TN_MAX_DEPTH && tn_op_is(u->op, TINY_ALU) && u->ndim && !grown) tn_node_cut(g, n);
  n->is_mask &= !n->forced && !n->has_reduce && n->cost < (double)TN_MASK_COST;
  if (n->forced) tn_node_force(n);
}

static void tn_add_use(tn_graph *g, const tiny_uop *u, int kernel, tiny_uop *at, double evals) {
  tn_node *n = tn_graph_node(g, u);
  if (n->leaf || !u->nsrc || (n->is_mask && !n->forced)) return;
  for (int i = 0; i < n->nuse; i++)
    if (n->use[i].kernel == kernel && n->use[i].at == at) {  // one expression, whoever takes part in its value
      if (evals > n->use[i].evals) n->use[i].evals = evals;
      return;
    }
  if (n->nuse < TN_MAX_USES) {
    const tn_use use = {kernel, at, evals};
    if (n->nuse == 1) n->use = (tn_use *)memcpy(tn_scratch(g->t, TN_MAX_USES * sizeof use), &n->first, sizeof use);
    if (!n->nuse) n->use = &n->first;
    n->use[n->nuse++] = use;
  } else if (!tn_is_laid(n->u) && !n->online) n->forced = 1;   // wanted in too many ways: once and for all
}

// A sum of products whose operands are both read many times over. Its tile takes all registers, and its loops are its
// own.
static int tn_is_matmul(const tiny_uop *u) {
  tn_contraction c;
  return tn_nelem(u->src[0]) >= TN_CONTRACTION && tn_contraction_of(u, &c) && c.own[0] && c.own[1];
}

// May a REDUCE wanted at `at` run inside of the kernel that wants it, without any of it being computed twice?
static int tn_reduce_fits(tn_graph *g, tn_kernel *k, const tn_node *n, tiny_uop *at) {
  tn_list ranges = {NULL, 0, 0}, all = {NULL, 0, 0};
  tn_collect_ranges(g->t, at, &ranges);
  tn_collect_ranges(g->t, k->at, &all);
  double scope_nelem = 1, all_nelem = 1;
  int pure = 1;
  for (int i = 0; i < all.n; i++) all_nelem *= (double)tn_range_extent(all.u[i]);
  for (int i = 0; i < ranges.n; i++) {
    if (tn_range_kind(ranges.u[i]) != TN_LOOP) return 0;
    scope_nelem *= (double)tn_range_extent(ranges.u[i]);
  }
  for (uint32_t i = 0; i + 1 < at->nsrc; i++)
    pure &= at->src[i]->op == TINY_OP_RANGE || tn_is_const(at->src[i]);
  if (scope_nelem > (double)tn_nelem(n->u)) return 0;
  if (n->nested && ranges.n < all.n) return 0;
  if (ranges.n < all.n) {                  // a row kernel
    const double row = (double)tn_nelem(n->u->src[0]) / (double)tn_nelem(n->u);
    if (!pure || row > (double)tn_machine_row(tn_limits_of(g->targets, k->node)) ||
        (scope_nelem < (double)TN_TASKS_MOST && all_nelem > (double)TN_ROW_SMALL))
      return 0;
  }
  const int contraction = ranges.n == all.n && (n->nested || tn_is_matmul(n->u));
  tiny_uop *scope = tn_uop_make(g->t, TINY_OP_GROUP, TINY_VOID, 1, ranges.n, ranges.u, 2, 0, NULL);
  if (k->scope && (k->scope != scope || k->contraction || contraction)) return 0;
  k->scope = scope;
  k->contraction = contraction;
  return 1;
}

// How often a use evaluates: loops inside of those that its index list names do not repeat it.
static double tn_use_evals(tn_graph *g, const tn_use *use) {
  const tiny_uop *loops = g->kernel[use->kernel].at;
  tn_list ranges = {NULL, 0, 0};
  double nelem = 1;
  int named = 0;
  tn_collect_ranges(g->t, use->at, &ranges);
  for (uint32_t i = 0; i + 1 < loops->nsrc && named < ranges.n; i++) {
    if (loops->src[i]->op != TINY_OP_RANGE) continue;
    int names = 0;
    for (int j = 0; j < ranges.n; j++) names |= ranges.u[j] == loops->src[i];
    if (!names) return use->evals;
    nelem *= (double)tn_range_extent(loops->src[i]);
    named++;
  }
  return named == ranges.n && nelem < use->evals ? nelem : use->evals;
}

// Is an index list made of all of the kernel's ranges, each once?
static int tn_at_is_whole(tn_graph *g, const tn_kernel *k, tiny_uop *at) {
  tn_list ranges = {NULL, 0, 0}, all = {NULL, 0, 0};
  int n = 0;
  tn_collect_ranges(g->t, at, &ranges);
  tn_collect_ranges(g->t, k->at, &all);
  for (uint32_t i = 0; i + 1 < at->nsrc; i++) {
    if (at->src[i]->op == TINY_OP_RANGE) n += tn_range_kind(at->src[i]) == TN_LOOP;
    else if (!tn_is_const(at->src[i])) return 0;
  }
  return n == ranges.n && n == all.n && tn_is_k(tn_at_valid(at), 1);
}

// Does a REDUCE that is a scatter or a scan run inside of the kernel that wants it? A scan does where the kernel
// loops over all of its elements, a scatter where the kernel is that and nothing else.
static int tn_carried_fits(tn_graph *g, tn_kernel *k, const tn_node *n, tiny_uop *at) {
  const tiny_uop *x = k->node;
  if (n->nuse > 1 || !tn_at_is_whole(g, k, at)) return 0;
  if (n->scans) {
    tiny_uop *loop = at->src[n->along];
    if ((k->loop && (k->loop != loop || k->scans != n->scans)) || !tn_reduce_fits(g, k, n, at)) return 0;
    k->loop = loop; k->scans = n->scans;
    return 1;
  }
  while (x != n->u && (tn_is_passing(x) || x->op == TINY_OP_CONTIGUOUS)) x = x->src[0];
  return x == n->u;
}

// What one more evaluation of an element of n takes: operations, each shared node once, and inputs that are read,
// down to memory and REDUCEs. spreads: a REDUCE of fewer elements is among the inputs.
typedef struct tn_effort { double ops; int inputs, spreads; } tn_effort;

static void tn_effort_add(tn_effort *e, const tn_descent *d, const tn_node *x) {
  const tiny_uop *u = x->u;
  const int input = x != d->top && (x->leaf || x->forced || u->op == TINY_OP_REDUCE);
  e->inputs += input;
  e->spreads |= input && u->op == TINY_OP_REDUCE && tn_nelem(u) < tn_nelem(d->top->u);
  if (!input) e->ops += tn_op_cost(u);
}
static tn_effort tn_node_effort(tn_graph *g, const tn_node *n) {
  tn_descent d = tn_descent_open(g, n);
  tn_effort e = {0, 0, 0};
  const tn_node *x;
  while (d.passed.n < TN_EFFORT_NODES && (x = tn_descent_next(&d)) != NULL) {
    tn_effort_add(&e, &d, x);
    tn_descent_pass(&d, x);
  }
  return e;
}

// Does it cost more to evaluate n again, `again` times, than to write it to memory and read it back?
static int tn_effort_pays(const tn_effort *e, double again, double store) {
  return e->inputs > TN_EFFORT_INPUTS || again * (e->ops + TN_INPUT_COST * (e->inputs - 1)) > store;
}

// The lowest single value that all of n is computed of, and others as well, from which n costs less to evaluate again
// than to store; NULL: there is none.
static tn_node *tn_effort_waist(tn_graph *g, const tn_node *n, double again, double store) {
  tn_descent d = tn_descent_open(g, n);
  tn_effort e = {0, 1, 0};
  tn_node *x, *waist = NULL;
  while (d.passed.n < TN_EFFORT_NODES && (x = tn_descent_next(&d)) != NULL && !tn_effort_pays(&e, again, store)) {
    if (d.outside && tn_descent_waist(&d, x)) waist = x;
    tn_effort_add(&e, &d, x);
    tn_descent_pass(&d, x);
  }
  return waist;
}

// Has this index list more nodes than one writes out rather than a copy? Reshapes of what was turned make it grow.
static int tn_at_is_long(tiny_ctx *t, tiny_uop *at) {
  const uint32_t seen = ++t->ir->epoch;
  const tn_mark mark = tn_scratch_mark(t);
  tn_list all = {NULL, 0, 0};
  tn_push(t, &all, at);
  at->mark = seen;
  for (int i = 0; i < all.n && all.n <= TN_AT_NODES; i++)
    for (uint32_t s = 0; s < all.u[i]->nsrc; s++) {
      if (all.u[i]->src[s]->mark == seen) continue;
      all.u[i]->src[s]->mark = seen;
      tn_push(t, &all, all.u[i]->src[s]);
    }
  const int is_long = all.n > TN_AT_NODES;
  tn_scratch_rewind(t, mark);
  return is_long;
}

static int tn_should_store(tn_graph *g, tn_node *n) {
  const tiny_uop *u = n->u;
  if (u->dtype == TINY_INDEX) return 0;    // positions: no memory holds them
  if (n->forced) return 1;
  if (n->online) return 0;
  if (u->op == TINY_OP_RESHAPE && n->nuse && n->depth > TN_MAX_CHAIN && u->src[0]->op != TINY_OP_EXPAND &&
      tn_at_is_long(g->t, n->use[0].at))
    return 1;
  if (u->op == TINY_OP_PAD && n->nuse == 1 && n->use[0].evals > (double)TN_PAD_REUSE * (double)tn_nelem(u)) return 1;
  if (tn_is_laid(u) || u->op == TINY_OP_CONST || u->op == TINY_OP_SCALAR || u->op == TINY_OP_IOTA || !n->nuse) return 0;
  if (n->once > 0) return !tn_carried_fits(g, &g->kernel[n->use[0].kernel], n, n->use[0].at);
  int kernels = 1;
  double evals = 0;
  const double nelem = (double)tn_nelem(u);
  for (int i = 0; i < n->nuse; i++) {
    evals += tn_use_evals(g, &n->use[i]);
    kernels += i && n->use[i].kernel != n->use[i - 1].kernel;
  }
  if (n->has_reduce) {
    if (n->nuse > 1 && u->op == TINY_OP_REDUCE) return 1;
    if (kernels > 1) {
      const tn_effort e = tn_node_effort(g, n);
      return u->op == TINY_OP_REDUCE || e.spreads || tn_effort_pays(&e, evals / nelem - 1, TN_STORE_COST);
    }
    if (u->op == TINY_OP_REDUCE) return !tn_reduce_fits(g, &g->kernel[n->use[0].kernel], n, n->use[0].at);
    for (int i = 0; i < n->nuse; i++) {    // store the last elementwise step rather than the REDUCE below it
      tn_list ranges = {NULL, 0, 0};
      tn_collect_ranges(g->t, n->use[i].at, &ranges);
      for (int r = 0; r < ranges.n; r++)
        if (tn_range_kind(ranges.u[r]) == TN_REDUCE && n->use[i].evals > nelem) {
          // Rows that are walked again are fine: their REDUCEs are not.
          tiny_uop *scope = g->kernel[n->use[i].kernel].scope;
          if (!scope || n->nuse == 1) return n->use[i].evals > nelem * 1.5;
        }
    }
    return 0;
  }
  // Masks of positions: algebra may make a lookup of them.
  if (u->ndim == 0 || (n->has_iota && n->cost < (double)TN_MASK_COST)) return 0;
  const double again = evals / (nelem > 0 ? nelem : 1) - 1;
  if (again <= 0.5 || n->cost * again <= (double)TN_STORE_COST || n->cost * again * nelem <= (double)TN_KERNEL_COST)
    return 0;                              // cost counts by path: it is never less than the effort
  const tn_effort e = tn_node_effort(g, n);
  const double store = kernels > 1 ? TN_STORE_COST : TN_STORE_APART;
  tn_node *waist = tn_effort_pays(&e, again, store) ? tn_effort_waist(g, n, again, store) : n;
  if (waist && waist != n) waist->forced = 1;
  return !waist;
}

// Is u a sum over WHERE(index == position, x, 0)? Algebra makes that a load of one element.
static int tn_is_lookup(const tiny_uop *u) {
  const tiny_uop *w = u->src[0], *is = w->nsrc ? w->src[0] : w;
  if ((u->k & 0xFF) != TINY_OP_ADD || w->op != TINY_OP_WHERE || !tn_constant_of(w->src[2])) return 0;
  while (tn_is_passing(is)) is = is->src[0];
  if (is->op != TINY_OP_XOR || is->src[0]->op != TINY_OP_NE) return 0;
  for (int i = 0; i < 2; i++) {
    const tiny_uop *at = is->src[0]->src[i];
    while (tn_is_passing(at) || at->op == TINY_OP_CAST) at = at->src[0];
    if (at->op == TINY_OP_IOTA && at->k * tn_nelem(u) == tn_nelem(w)) return 1;
  }
  return 0;
}

static void tn_node_propagate(tn_graph *g, tn_node *n, int kernel, tiny_uop *at, double evals) {
  tiny_ctx *t = g->t;
  tiny_uop *u = n->u;
  if (u->op == TINY_OP_ASSIGN) { tn_add_use(g, u->src[2], kernel, at, evals); return; }
  if (tn_is_launched(u)) return;
  if (tn_is_passing(u) || u->op == TINY_OP_CONTIGUOUS) {
    tn_add_use(g, u->src[0], kernel, tn_at_source(t, u, at), evals);
    return;
  }
  if (u->op == TINY_OP_REDUCE) {
    if (tn_nelem(u->src[0]) == 0) return;
    // Each element once: it was stored or it fits.
    evals = n->once > 0 ? n->once : (double)tn_nelem(tn_is_lookup(u) ? u : u->src[0]);
    tn_add_use(g, u->src[0], kernel, tn_at_reduce(t, &g->kernel[kernel], u, at), evals);
    return;
  }
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *s = u->src[i];
    tn_add_use(g, s, kernel, s->ndim == u->ndim ? at : tn_at_scalar(t, tn_at_valid(at)), evals);
  }
}

// Is use i one of loops of a kernel that become one with those of a use before?
static int tn_use_is_again(const tn_node *n, int i) {
  int again = 0;
  for (int j = 0; j < i && n->online; j++) again |= n->use[j].kernel == n->use[i].kernel;
  return again;
}

// Walks from users to sources; g->node is in topological order. Outputs are marked forced.
static void tn_choose_stores(tn_graph *g) {
  for (int i = 0; i < g->n; i++) tn_node_summarize(g, &g->node[i]);
  tn_online_choose(g);
  tn_recompute_choose(g);
  for (int i = g->n - 1; i >= 0; i--) {
    tn_node *n = &g->node[i];
    if (n->leaf || (!n->forced && !n->nuse)) continue;
    const tn_mark mark = tn_scratch_mark(g->t);
    n->stored = (uint8_t)tn_should_store(g, n);
    tn_scratch_rewind(g->t, mark);
    if (!n->stored) {
      for (int j = 0; j < n->nuse; j++)
        if (!tn_use_is_again(n, j)) tn_node_propagate(g, n, n->use[j].kernel, n->use[j].at, n->use[j].evals);
      continue;
    }
    tn_kernel *k = TN_PUSH(g->t, g->kernel, g->nkernel, g->kernel_cap, tn_kernel);
    memset(k, 0, sizeof *k);
    k->node = n->u;
    k->at = tn_at_fresh(g->t, k, n->u->op == TINY_OP_ASSIGN ? n->u->src[1] : n->u);
    if (tn_nelem(n->u)) tn_node_propagate(g, n, g->nkernel - 1, k->at, (double)tn_nelem(n->u));
  }
}

// ** second pass: the kernel of a stored node **

// The SINK of a stored node says of which iterations nobody reads what they store.
static tiny_uop *tn_kernel_sink(tiny_ctx *t, const tiny_uop *shape, tiny_uop *end, tiny_uop *at) {
  tiny_uop *src[1 + TINY_MAX_DIMS];
  int n = 0;
  src[n++] = end;
  for (int i = 0; shape->extent && i < shape->ndim; i++) {
    if (!shape->extent[i] || at->src[i]->op != TINY_OP_RANGE) continue;
    tiny_uop *over = tn_position_add(t, tn_position_scale(t, shape->extent[i], -1), 1);
    tiny_uop *pair[2] = {tn_u2(t, TINY_OP_ADD, at->src[i], over), at->src[i]};
    src[n++] = tn_uop_make(t, TINY_OP_MASKED, TINY_VOID, 1, 2, pair, 0, 0, NULL);
  }
  return n == 1 ? tn_sink_of(t, end) : tn_uop_make(t, TINY_OP_SINK, TINY_VOID, 1, n, src, 0, 0, NULL);
}

// What an assignment to less than all of its view's elements stores: the others as they are.
static tiny_uop *tn_assigned_part(tiny_ctx *t, const tiny_uop *view, tiny_uop *at, tiny_uop *memory, tiny_uop *flat,
                                  tiny_uop *value) {
  tiny_uop *meant = NULL;
  for (int i = 0; view->extent && i < view->ndim; i++) if (view->extent[i]) {
    tiny_uop *is = tn_u2(t, TINY_OP_LT, at->src[i], view->extent[i]);
    meant = meant ? tn_u2(t, TINY_OP_AND, meant, is) : is;
  }
  if (!meant) return value;
  return tn_u3(t, TINY_OP_WHERE, tn_simplify(t, meant), value, tn_load(t, tn_index_of(t, memory, flat, NULL), 1));
}

static void tn_kernel_write(tn_graph *g, tn_kernel *k) {
  tiny_ctx *t = g->t;
  tiny_uop *u = k->node, *value, *at = k->at;
  tn_kernel_begin(g);
  if (tn_is_launched(u) || tn_nelem(u) == 0 || (u->op == TINY_OP_ASSIGN && tn_nelem(u->src[1]) == 0)) {
    tn_kernel_param(g, k, tn_graph_node(g, u)->place);
    for (uint32_t i = 0; tn_is_launched(u) && i < u->nsrc; i++)
      tn_kernel_param(g, k, tn_graph_node(g, u->src[i])->place);
    return;
  }
  tiny_uop *memory = tn_kernel_param(g, k, tn_graph_node(g, u)->place);
  value = tn_pull(g, k, u->op == TINY_OP_ASSIGN ? u->src[2] : u, at);
  tiny_uop *to = u->op == TINY_OP_ASSIGN ? tn_assign_at(t, u, at) : at;
  const tiny_uop *shape = u->op == TINY_OP_ASSIGN ? u->src[0] : u;
  tiny_uop *flat = tn_flat(t, (int)to->nsrc - 1, to->src, shape->dim);
  value = tn_cast(t, value, memory->dtype);
  if (u->op == TINY_OP_ASSIGN) value = tn_assigned_part(t, u->src[1], at, memory, flat, value);
  tiny_uop *store = tn_store(t, tn_index_of(t, memory, flat, NULL), value), *ranges[TINY_MAX_DIMS];
  int n = 0;
  for (int scoped = 1; scoped >= 0; scoped--)    // ranges of the scope first: the others loop inside of them
    for (uint32_t i = 0; i + 1 < at->nsrc; i++) {
      int in_scope = 0;
      for (uint32_t j = 0; k->scope && j < k->scope->nsrc; j++) in_scope |= k->scope->src[j] == at->src[i];
      if (at->src[i]->op == TINY_OP_RANGE && in_scope == scoped) ranges[n++] = at->src[i];
    }
  tiny_uop *sink = tn_kernel_sink(t, u->op == TINY_OP_ASSIGN ? u->src[1] : u, tn_end(t, store, n, ranges), at);
  tn_kernel_number(t, k, tn_kernel_args(g, k, sink), &g->written);
}
#endif
