// cost: what a kernel will take after its opts, told from its ranges without lowering it.
//
// In:  a kernel, the limits of a device. Out: cycles of one launch on one core; good for ranking candidates only. Work
//      groups and items are tasks without a price, on as many cores as are given.
// Instructions: a node runs once in every iteration of the innermost loop it depends on, once for each copy and
// vector; what a loop's body takes says the model of machine/costs.c.
// Memory: at every level of the caches, an access fetches its lines anew in each iteration of the loops that are too
// far out for their data to stay. Strides are measured: elements are evaluated again with one range a step further.
// What each of these costs stands in machine/costs.c, what a line costs in machine/machine.c.
#ifndef TN_CODEGEN_COST
#define TN_CODEGEN_COST
#ifndef TINY_AMALGAMATED
#include "expand.c"
#include "../rules/decompose.c"
#endif

enum { TN_COST_RANGES = 64, TN_COST_CODE = 1024,
  TN_COST_NONE = TN_COST_RANGES };

typedef struct tn_cost { double cycles, core, memory, tasks, each; } tn_cost;   // cycles: of both; each: of a task

// What takes longest when the tasks are shared by so many cores.
static double tn_cost_on(const tn_cost *c, int cores) {
  return c->cycles * ceil(c->tasks / cores) / c->tasks + (c->tasks > 1 ? c->each * c->tasks / cores : 0);
}

typedef struct tn_cost_loop {              // by number of the range; the last stands for no loop
  int parent, depth;
  double times, arithmetic, loads, wait;   // times: iterations in all
  double live, steps;                      // registers that are in use, in each of so many steps of an iteration
  double nbytes;                           // of the lines that one run of it touches
  uint64_t inside;                         // ranges that advance in one run of it
} tn_cost_loop;

typedef struct tn_cost_access {
  uint64_t ranges;                         // that it moves with
  int at, gathers;                         // at: the loop it stands in; gathers: where is known at run time only
  int64_t stride[TN_COST_RANGES];          // in elements
  double nbytes, all_nbytes;               // of an element, of the memory
} tn_cost_access;

typedef struct tn_cost_walk {
  tiny_ctx *t; const tiny_limits *limits;
  tn_list all;
  uint64_t *open, lanes, copies, unrolled, loops;      // open: ranges that a node depends on; the others: by kind
  uint8_t *number;                         // of a RANGE among the ranges
  tiny_uop *range[TN_COST_RANGES]; int nrange;
  tn_cost_loop loop[TN_COST_RANGES + 1];
  tn_cost_access *access; int naccess;
  double code, tasks;                      // code: copies of all nodes
  int64_t line;                            // bytes
} tn_cost_walk;

static uint64_t tn_cost_bit(const tn_cost_walk *w, const tiny_uop *range) {
  return (uint64_t)1 << w->number[range->seq];
}
static double tn_cost_extents(const tn_cost_walk *w, uint64_t ranges) {
  double n = 1;
  for (int i = 0; i < w->nrange; i++) if (ranges >> i & 1) n *= (double)tn_range_extent(w->range[i]);
  return n;
}
static int tn_cost_innermost(const tn_cost_walk *w, uint64_t ranges) {
  int best = TN_COST_NONE;
  for (int i = 0; i < w->nrange; i++)
    if ((ranges & w->loops) >> i & 1 && w->loop[i].depth > w->loop[best].depth) best = i;
  return best;
}
// Vector instructions for one copy of a value.
static double tn_cost_width(const tn_cost_walk *w, uint64_t ranges, int dtype) {
  const double nbytes = tn_dtypes[dtype].nbytes < 4 ? 4 : tn_dtypes[dtype].nbytes;
  const double vectors = tn_cost_extents(w, ranges & w->lanes) * nbytes / tn_machine_vector(w->limits);
  return vectors > 1 ? vectors : 1;
}

// ** ranges: which are open around a node, which loop lies in which **

static uint64_t tn_cost_closed(const tn_cost_walk *w, const tiny_uop *u) {
  uint64_t closed = 0;
  const int from = tn_is_carried(u) ? -1 : tn_ranges_from(u->op);
  if (from >= 0)
    for (uint32_t i = (uint32_t)from; i < u->nsrc; i++)
      if (u->src[i]->op == TINY_OP_RANGE) closed |= tn_cost_bit(w, u->src[i]);
  return closed;
}

static int tn_cost_open(tn_cost_walk *w, tiny_uop *sink) {
  tn_toposort(w->t, sink, &w->all);
  w->open = (uint64_t *)tn_scratch(w->t, (size_t)w->all.n * sizeof *w->open);
  w->number = (uint8_t *)tn_scratch(w->t, (size_t)w->all.n);
  for (int i = 0; i < w->all.n; i++) {
    tiny_uop *u = w->all.u[i];
    u->seq = (uint32_t)i;
    for (uint32_t j = 0; j < u->nsrc; j++) w->open[i] |= w->open[u->src[j]->seq];
    w->open[i] &= ~tn_cost_closed(w, u);
    const uint64_t lanes = w->open[i] & w->lanes;
    if (lanes & (lanes - 1)) return 0;     // lanes of lanes
    if (u->op != TINY_OP_RANGE) continue;
    if (w->nrange == TN_COST_RANGES) return 0;
    const int kind = tn_range_kind(u);
    const uint64_t bit = (uint64_t)1 << w->nrange;
    w->number[i] = (uint8_t)w->nrange;
    w->open[i] = bit;
    w->range[w->nrange++] = u;
    if (kind == TN_VECTOR) w->lanes |= bit;
    else if (kind != TN_UPCAST && kind != TN_UNROLL) w->loops |= bit;
    else w->copies |= bit;
    if (kind == TN_UNROLL) w->unrolled |= bit;
  }
  return 1;
}

static int tn_cost_is_task(const tiny_uop *r) { return tn_range_kind(r) <= TN_LOCAL; }

// Users come last in the order, so going backwards a loop's surroundings are known when what closes it is met.
static void tn_cost_nest(tn_cost_walk *w) {
  w->loop[TN_COST_NONE].times = 1;
  w->loop[TN_COST_NONE].inside = ~(uint64_t)0;
  for (int i = w->all.n - 1; i >= 0; i--) {
    const tiny_uop *u = w->all.u[i];
    const uint64_t closed = tn_cost_closed(w, u) & w->loops;
    int around = closed ? tn_cost_innermost(w, w->open[i]) : 0;
    for (int tasks = 1; closed && tasks >= 0; tasks--)
      for (uint32_t j = 1; j < u->nsrc; j++) {
        const int r = w->number[u->src[j]->seq];
        if (u->src[j]->op != TINY_OP_RANGE || !(w->loops >> r & 1) || w->loop[r].depth ||
            tn_cost_is_task(u->src[j]) != tasks)
          continue;
        w->loop[r].parent = around;
        w->loop[r].depth = w->loop[around].depth + 1;
        w->loop[r].times = w->loop[around].times * (double)tn_range_extent(u->src[j]);
        if (tasks) w->tasks *= (double)tn_range_extent(u->src[j]);
        around = r;
      }
  }
  for (int r = 0; r < w->nrange; r++) if (w->loops >> r & 1) {
    w->loop[r].inside |= w->lanes | w->copies;
    for (int a = r; a != TN_COST_NONE; a = w->loop[a].parent) w->loop[a].inside |= (uint64_t)1 << r;
  }
}

// ** instructions **

static tn_cost_loop *tn_cost_loop_of(tn_cost_walk *w, uint64_t ranges) {
  return &w->loop[tn_cost_innermost(w, ranges)];
}

static void tn_cost_reduce(tn_cost_walk *w, const tiny_uop *u) {
  const uint64_t own = tn_is_carried(u) ? w->open[u->seq] & w->open[u->src[1]->seq] : tn_cost_closed(w, u);
  const uint64_t ranges = w->open[u->src[0]->seq] | own, outside = w->open[u->seq];
  tn_cost_loop *l = tn_cost_loop_of(w, ranges);
  const double vectors = tn_cost_width(w, ranges, u->dtype);
  const double copies = tn_cost_extents(w, ranges & w->copies), unrolled = tn_cost_extents(w, own & w->copies);
  const int chained = (u->k & 0xFF) == TINY_OP_ADD && u->src[0]->op == TINY_OP_MUL;
  const double wait = l->times * TN_SUM_WAIT * (chained ? unrolled : 1);
  l->arithmetic += l->times * copies * vectors;
  if (chained) l->arithmetic -= l->times * copies * vectors * tn_op_cost(u->src[0]);   // one instruction with the sum
  if (own & w->loops && wait > l->wait) l->wait = wait;
  l->live += copies / unrolled * vectors;
  if (unrolled > l->steps) l->steps = unrolled;
  w->code += copies * vectors;
  if (own & w->lanes) {
    l = tn_cost_loop_of(w, outside);
    l->arithmetic += l->times * tn_cost_extents(w, outside & w->copies) * TN_HREDUCE_COST;
  }
}

// A load or store: contiguous, the same for all lanes, or lane by lane.
static void tn_cost_load(tn_cost_walk *w, const tiny_uop *u, const tn_cost_access *a) {
  const tiny_uop *index = u->src[0];
  const uint64_t ranges = w->open[u->seq] | a->ranges;
  const int dtype = u->op == TINY_OP_STORE ? u->src[1]->dtype : u->dtype;
  tn_cost_loop *l = tn_cost_loop_of(w, ranges);
  double each = TN_UNIFORM_LOAD;
  for (int r = 0; r < w->nrange; r++) if ((a->ranges & w->lanes) >> r & 1) {
    const double lanes = (double)tn_range_extent(w->range[r]);
    const int64_t stride = a->stride[r] ? a->stride[r] : -1;               // it moves, though not by one step
    each = a->gathers ? TN_GATHERED_LOAD * lanes : tn_load_cost(stride, lanes, tn_cost_width(w, ranges, dtype));
  }
  if (u->op == TINY_OP_STORE) each *= TN_STORE;
  const double n = l->times * tn_cost_extents(w, ranges & w->copies);
  l->loads += n * each;
  if (index->nsrc == 3)
    l->arithmetic += n * (w->open[index->src[2]->seq] & w->lanes ? TN_MASKED_LANES : TN_MASKED_ALL);
  if (u->op == TINY_OP_LOAD && a->ranges & w->lanes && l->live > 0)    // used again in the iteration's other copies
    l->live += tn_cost_extents(w, ranges & w->copies & ~w->unrolled) * tn_cost_width(w, ranges, u->dtype);
  w->code += tn_cost_extents(w, ranges & w->copies) * each;
}

static void tn_cost_arithmetic(tn_cost_walk *w, const tiny_uop *u) {
  const uint64_t ranges = w->open[u->seq];
  const double each = u->op == TINY_OP_CAST ? 1 : tn_op_cost(u);
  if (u->dtype == TINY_INDEX || each == 0 || (u->dtype == TINY_BOOL && u->src[0]->dtype == TINY_INDEX)) return;
  tn_cost_loop *l = tn_cost_loop_of(w, ranges);
  const double n = tn_cost_extents(w, ranges & w->copies) * tn_cost_width(w, ranges, u->dtype) * each;
  l->arithmetic += l->times * n;
  w->code += n;
}

static double tn_cost_core(tn_cost_walk *w) {
  double cycles = 0;
  for (int r = 0; r <= TN_COST_NONE; r++) {
    tn_cost_loop *l = &w->loop[r];
    if (r < TN_COST_NONE && (r >= w->nrange || !(w->loops >> r & 1))) continue;
    const double spilled = l->live + 1 - tn_machine_registers(w->limits);
    if (spilled > 0) l->loads += l->times * l->steps * spilled * TN_SPILL_COST;
    cycles += tn_body_cost(l->arithmetic, l->loads, l->wait);
    if (r < TN_COST_NONE) cycles += l->times * TN_LOOP_COST;
  }
  return cycles;
}

// ** memory **

// Values of index arithmetic with range r at 1 and all others at 0 (r -1: all); 0 where one is loaded.
static void tn_cost_evaluate(const tn_cost_walk *w, int r, int64_t *value) {
  for (int i = 0; i < w->all.n; i++) {
    const tiny_uop *u = w->all.u[i];
    const int index = u->dtype == TINY_INDEX || u->dtype == TINY_BOOL;
    value[i] = 0;
    if (u->op == TINY_OP_CONST && index) value[i] = u->k;
    else if (u->op == TINY_OP_RANGE) value[i] = r >= 0 && u == w->range[r];
    else if (u->op == TINY_OP_WHERE && index) value[i] = value[u->src[value[u->src[0]->seq] ? 1 : 2]->seq];
    else if (index && tn_op_is(u->op, TINY_ALU) && !tn_is_float(u->src[0]->dtype))
      value[i] = tn_alu_int(u->op, u->src[0]->dtype, value[u->src[0]->seq], u->nsrc > 1 ? value[u->src[1]->seq] : 0);
  }
}

// Which nodes are made of what is loaded, in loaded[seq].
static void tn_cost_find_loaded(const tn_cost_walk *w, uint8_t *loaded) {
  for (int i = 0; i < w->all.n; i++) {
    const tiny_uop *u = w->all.u[i];
    loaded[i] = u->op == TINY_OP_LOAD || u->op == TINY_OP_REDUCE;
    for (uint32_t j = 0; j < u->nsrc && u->op != TINY_OP_RANGE; j++) loaded[i] |= loaded[u->src[j]->seq];
  }
}

static void tn_cost_find_accesses(tn_cost_walk *w) {
  tn_list access = {NULL, 0, 0};
  for (int i = 0; i < w->all.n; i++) {
    const int op = w->all.u[i]->op;
    if (op != TINY_OP_LOAD && op != TINY_OP_STORE && op != TINY_OP_STAGE) continue;
    tn_push(w->t, &access, w->all.u[i]);
  }
  const int n = access.n;
  tiny_uop *const *node = access.u;
  w->access = (tn_cost_access *)tn_scratch(w->t, ((size_t)n + 1) * sizeof *w->access);
  w->naccess = n;
  int64_t *at0 = (int64_t *)tn_scratch(w->t, (size_t)w->all.n * sizeof *at0);
  int64_t *at1 = (int64_t *)tn_scratch(w->t, (size_t)w->all.n * sizeof *at1);
  uint8_t *loaded = (uint8_t *)tn_scratch(w->t, (size_t)w->all.n);
  tn_cost_evaluate(w, -1, at0);
  tn_cost_find_loaded(w, loaded);
  for (int i = 0; i < n; i++) {
    tn_cost_access *a = &w->access[i];
    const tiny_uop *u = node[i];
    a->nbytes = tn_dtypes[u->op == TINY_OP_STORE ? u->src[1]->dtype : u->dtype].nbytes;
    if (u->op == TINY_OP_STAGE) {          // it is filled in order
      int64_t stride = 1;
      a->ranges = tn_cost_closed(w, u);
      for (uint32_t j = u->nsrc - 1; j >= 1; stride *= tn_range_extent(u->src[j--]))
        a->stride[w->number[u->src[j]->seq]] = stride;
      a->all_nbytes = (double)stride * a->nbytes;
      a->at = tn_cost_innermost(w, a->ranges | w->open[u->seq]);
      continue;
    }
    const tiny_uop *element = u->src[0]->src[1], *memory = u->src[0]->src[0];
    a->ranges = w->open[element->seq];
    a->gathers = loaded[element->seq];
    a->all_nbytes = memory->op == TINY_OP_STAGE ? 1e18 : (double)tn_memory_nelem(memory) * a->nbytes;
    a->at = tn_cost_innermost(w, w->open[u->seq]);
  }
  for (int r = 0; r < w->nrange; r++) {
    tn_cost_evaluate(w, r, at1);
    for (int i = 0; i < n; i++) if (node[i]->op != TINY_OP_STAGE) {
      const uint32_t element = node[i]->src[0]->src[1]->seq;
      if (w->access[i].ranges >> r & 1) w->access[i].stride[r] = at1[element] - at0[element];
    }
  }
  for (int i = 0; i < n; i++) if (node[i]->op != TINY_OP_STAGE) tn_cost_load(w, node[i], &w->access[i]);
}

// Lines of memory that an access touches while the given ranges advance.
static double tn_cost_lines(const tn_cost_walk *w, const tn_cost_access *a, uint64_t ranges) {
  int64_t run = 1;                         // elements beside each other
  double runs = 1;
  uint64_t left = a->ranges & ranges;
  while (left) {                           // the least strides first
    int best = -1;
    int64_t least = 0;
    for (int r = 0; r < w->nrange; r++) if (left >> r & 1) {
      const int64_t stride = a->stride[r] < 0 ? -a->stride[r] : a->stride[r];
      if (best < 0 || stride < least) { best = r; least = stride; }
    }
    left &= ~((uint64_t)1 << best);
    const int64_t n = tn_range_extent(w->range[best]);
    if (a->gathers) runs *= (double)n;
    else if (least <= run || (double)least * a->nbytes <= (double)w->line) run += (n - 1) * least;
    else runs *= (double)n;
  }
  double lines = (double)run * a->nbytes / (double)w->line;
  if (lines < 1) lines = 1;
  if (runs > 1 && lines < 4) lines += 1;   // short runs begin anywhere in a line, and nothing foresees the next
  lines *= runs;
  const double all = a->all_nbytes / (double)w->line + 1;
  return lines > all && !a->gathers ? all : lines;
}

// Do so many lines, each step bytes after the last, push each other out of a cache?
static int tn_cost_conflicts(double lines, int64_t step, const tiny_memory_level *m) {
  const int64_t way = (int64_t)m->nbytes / m->ways;
  step = tn_gcd(step, way);
  return lines > (double)m->ways * (double)(way / (step > m->line ? step : m->line));
}

// Lanes and copies whose lines fall into so few sets of a cache that they push each other out.
static int tn_cost_collides(const tn_cost_walk *w, const tn_cost_access *a, const tiny_memory_level *m) {
  const int64_t way = (int64_t)m->nbytes / m->ways;
  int64_t step = way;
  double lines = 1;
  for (int r = 0; r < w->nrange; r++) if ((a->ranges & (w->lanes | w->copies)) >> r & 1) {
    const int64_t x = a->stride[r] * (int64_t)a->nbytes;
    if (x > -m->line && x < m->line) continue;
    lines *= (double)tn_range_extent(w->range[r]);
    step = tn_gcd(x, step);
  }
  return tn_cost_conflicts(lines, step, m);
}

static double tn_cost_memory(tn_cost_walk *w) {
  double cycles = 0;
  for (int i = 0; i < w->naccess; i++) {
    const tn_cost_access *a = &w->access[i];
    for (int r = a->at;; r = w->loop[r].parent) {
      w->loop[r].nbytes += tn_cost_lines(w, a, w->loop[r].inside) * (double)w->line;
      if (r == TN_COST_NONE) break;
    }
  }
  for (int c = 0; c < TN_MEMORY_LEVELS; c++) {
    const tiny_memory_level m = tn_machine_memory(w->limits, c);
    if (w->loop[TN_COST_NONE].nbytes <= (double)m.nbytes) break;
    for (int i = 0; i < w->naccess; i++) {
      const tn_cost_access *a = &w->access[i];
      int r = a->at;                       // the outermost loop whose data stay; a line stays for the innermost always
      while (r != TN_COST_NONE && w->loop[r].parent != TN_COST_NONE &&
             w->loop[w->loop[r].parent].nbytes <= (double)m.nbytes)
        r = w->loop[r].parent;
      double runs = r == TN_COST_NONE ? 1 : w->loop[w->loop[r].parent].times;
      uint64_t stays = w->loop[r].inside;
      if (!a->gathers && tn_cost_collides(w, a, &m)) {
        runs = w->loop[a->at].times;
        stays = w->lanes | w->copies;
      }
      cycles += runs * tn_cost_lines(w, a, stays) * m.cycles;
    }
  }
  return cycles;
}

// What sink will cost; 0 where that cannot be told, or the kernel is unreasonable: lanes of lanes, endless code.
static int tn_cost_of(tiny_ctx *t, tiny_uop *sink, const tiny_limits *limits, tn_cost *out) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_cost_walk *w = (tn_cost_walk *)tn_scratch(t, sizeof *w);
  w->t = t; w->limits = limits; w->tasks = 1; w->line = tn_machine_line(limits);
  int known = tn_cost_open(w, sink);
  if (known) {
    tn_cost_nest(w);
    for (int i = 0; i < w->all.n; i++) {
      const tiny_uop *u = w->all.u[i];
      if (u->op == TINY_OP_REDUCE) tn_cost_reduce(w, u);
      else tn_cost_arithmetic(w, u);
    }
    tn_cost_find_accesses(w);
    known = w->code <= (double)TN_COST_CODE;
  }
  if (known) {
    out->core = tn_cost_core(w);
    out->memory = tn_cost_memory(w);
    out->tasks = w->tasks;
    out->each = tn_machine_grid(limits) ? 0 : TN_TASK_COST;
    const double less = out->core < out->memory ? out->core : out->memory;
    out->cycles = out->core + out->memory - (1 - TN_MEMORY_SHARE) * less;
  }
  tn_scratch_rewind(t, mark);
  return known;
}
#endif
