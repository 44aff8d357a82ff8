// tiled: kernels that hand each other large values work tile by tile, on a slab of each value at a time.
//
// In:  the kernels of a graph, written, and what each reads. Out: some of them in groups. The kernels of a group run
//      one after the other for the first few elements of some ranges that all of them have, then for the next: what
//      they hand each other (the scores of attention, the logits of a loss) never exists as a whole, its slab stays
//      in the cache, and the memory of a quadratic value becomes linear.
// Axes are ranges that meet in the values' indices. A kernel that stores along an axis does a part of its output in
//   each iteration, one that reduces along it adds a part to what the iterations before have left.
// Levels: what needs the complete result of a kernel waits for all iterations. Where it leads back to the same values,
//   as a gradient does, another group computes their slabs again from what is small: scores from queries, keys and the
//   rows' maxima and sums. That is what Dao et al., "FlashAttention", arXiv:2205.14135, do by hand.
// A length that the slabs do not divide gets a last iteration with kernels of its own.
#ifndef TN_SCHEDULE_TILED
#define TN_SCHEDULE_TILED
#ifndef TINY_AMALGAMATED
#include "rangeify.c"
#endif

#ifndef TN_TILED_LEAST                     // test builds make them small; 0: the machine says
  #define TN_TILED_LEAST 0                 // bytes from which a value is worth tiling,
  #define TN_TILED_NBYTES 0                // of its slab
#endif
enum { TN_TILED_SLABS = 8 };               // that the last cache has room for: those of a group, and what they read
// GAIN: it is more than so many times larger than anything from outside or that stays; MARKER: PARAMs that stand
// for new memory.
enum { TN_TILED_GAIN = 4, TN_TILED_LEVELS = 3, TN_TILED_STEP = 16, TN_MAX_SLABS = 32 };
#define TN_TILED_MARKER ((int64_t)1 << 40)

typedef struct tn_digit { int64_t stride, extent; int axis; } tn_digit;  // of an element's number; axis -1: none

typedef struct tn_slab {                   // a large value
  tiny_uop *node;
  int producer, n, bad, in;                // in: it exists as slabs
  tn_digit digit[TINY_MAX_DIMS];           // the largest stride first
  tiny_uop *place[TN_TILED_LEVELS][2];     // by level and part: 1 is the last one of a length that does not divide
} tn_slab;

typedef struct tn_member {                 // a kernel that touches one
  tiny_uop *range[TN_TILED_AXES], *reduce;  // by axis; the REDUCE along some of them, NULL: none
  tiny_uop *ast;                           // as it was before ranges were split; NULL: nobody has touched it
  int in, level, wanted;                   // wanted: bit l: its value at level l
} tn_member;

typedef struct tn_cluster {
  tiny_ctx *t; tn_graph *g; const tn_list *reads;
  const int *order;                        // in which kernels can run
  int *position, *same;                    // by kernel: where it stands there; 1 + the next that has its node, 0: none
  tn_map made, kept;                       // node -> 1 + a kernel that has it; the roots
  tn_accesses accesses;
  tn_list touched;                         // numbers of kernels
  tn_slab slab[TN_MAX_SLABS]; int nslab;   // slab[0] is what it began with
  tn_member *member;                       // by kernel
  int64_t extent[TN_TILED_AXES]; int naxis, dead[TN_TILED_AXES];
  int axis[TN_TILED_AXES], nchosen;        // those of the iterations: one element each, the last one `size`
  int64_t size;
  int split;                               // a range has just become two
} tn_cluster;

// A value is worth tiling that no cache hands to the next kernel, and its slab stays there with others.
static int64_t tn_tiled_least(const tn_graph *g, const tiny_uop *u) {
  return TN_TILED_LEAST ? (int64_t)TN_TILED_LEAST : tn_machine_piece(tn_limits_of(g->targets, u));
}
static int64_t tn_tiled_nbytes(const tn_graph *g, const tiny_uop *u) {
  return TN_TILED_NBYTES ? (int64_t)TN_TILED_NBYTES : tn_machine_piece(tn_limits_of(g->targets, u)) / TN_TILED_SLABS;
}

static int64_t tn_node_nbytes(const tiny_uop *u) { return tn_nelem(u) * tn_dtypes[u->dtype].nbytes; }

// ** digits: the element number of a row-major value, taken apart **

static const tiny_uop *tn_kernel_store(const tn_kernel *k) {
  const tiny_uop *end = k->ast->src[0];
  return end->op == TINY_OP_END ? end->src[0] : end;
}

// The layout in which a kernel stores its value, of whole ranges; how many digits, 0: it is no such layout.
static int tn_digits_of(const tn_kernel *k, tn_digit *d, tiny_uop **range) {
  tn_affine a;
  int64_t stride = 1;
  tn_affine_start(&a, TINY_INDEX);
  if (!tn_affine_add(&a, tn_kernel_store(k)->src[0]->src[1], 1, 0) || a.k || a.n > TINY_MAX_DIMS) return 0;
  for (int i = a.n - 1; i >= 0; i--) {
    int next = -1;
    for (int j = 0; j < a.n; j++) if (a.term[j].c == stride && a.term[j].x->op == TINY_OP_RANGE) next = j;
    if (next < 0) return 0;
    range[i] = a.term[next].x;
    d[i].stride = stride; d[i].extent = tn_range_extent(range[i]); d[i].axis = -1;
    stride *= d[i].extent;
  }
  return stride == tn_nelem(k->node) ? a.n : 0;
}

// Splits an element number: part[i] is what digit i is. 0: the digits do not say.
static int tn_digits_split(const tn_digit *d, int n, tiny_uop *flat, tn_affine *part) {
  tn_affine a;
  int64_t low, high;
  tn_affine_start(&a, TINY_INDEX);
  if (!n || !tn_affine_add(&a, flat, 1, 0) || a.k < 0) return 0;
  for (int i = 0; i < n; i++) {
    tn_affine_start(&part[i], TINY_INDEX);
    part[i].k = a.k / d[i].stride;
    a.k %= d[i].stride;
  }
  for (int j = 0; j < a.n; j++) {
    int i = 0;
    while (i < n && d[i].stride > a.term[j].c) i++;
    if (i == n || a.term[j].c % d[i].stride || !tn_affine_term(&part[i], a.term[j].x, a.term[j].c / d[i].stride))
      return 0;
  }
  for (int i = 0; i < n; i++) {
    tn_affine_bounds(&part[i], &low, &high);
    if (low < 0 || high >= d[i].extent) return 0;
  }
  return 1;
}

// The range that a digit is, all of it.
static tiny_uop *tn_digit_range(const tn_digit *d, const tn_affine *part) {
  tiny_uop *x = part->n == 1 ? part->term[0].x : NULL;
  return x && !part->k && part->term[0].c == 1 && x->op == TINY_OP_RANGE && tn_range_extent(x) == d->extent ? x : NULL;
}

static void tn_kernel_indexes(tiny_ctx *t, const tn_kernel *k, int slot, tn_list *out) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, k->ast, &all);
  for (int i = 0; i < all.n; i++)
    if (all.u[i]->op == TINY_OP_INDEX && all.u[i]->src[0]->op == TINY_OP_PARAM && all.u[i]->src[0]->k == slot)
      tn_push(t, out, all.u[i]);
}

// ** clusters: values and kernels whose ranges meet **

// May the value of kernel i, at least so large, exist as slabs?
static int tn_tiled_may(const tn_cluster *c, int i, int64_t least) {
  const tn_graph *g = c->g;
  const tn_kernel *k = &g->kernel[i];
  if (!k->ast || k->group || k->node->op == TINY_OP_ASSIGN || tn_node_nbytes(k->node) < least ||
      tn_map_has(&c->kept, k->node))
    return 0;
  for (const tn_access *a = tn_access_first(&c->accesses, k->node); a; a = tn_access_next(&c->accesses, a)) {
    const tn_kernel *u = &g->kernel[a->kernel];
    if (a->slot ? !u->ast || u->group : a->kernel != i) return 0;
  }
  return 1;
}

static tn_member *tn_cluster_touch(tn_cluster *c, int i) {
  tn_member *m = &c->member[i];
  if (!m->ast) { m->ast = c->g->kernel[i].ast; tn_push(c->t, &c->touched, tn_boxed(i)); }
  return m;
}
// Forgets what was found out. The kernels that were touched keep their new ranges, or are as they were before.
static void tn_cluster_clear(tn_cluster *c, int restore) {
  for (int i = 0; i < c->touched.n; i++) {
    tn_member *m = &c->member[tn_unboxed(c->touched.u[i])];
    tiny_uop *ast = m->ast;
    if (restore) c->g->kernel[m - c->member].ast = ast;
    memset(m, 0, sizeof *m);
    if (!restore) m->ast = ast;
  }
  if (restore) c->touched.n = 0;
  memset(c->dead, 0, sizeof c->dead);
  c->nslab = c->naxis = c->split = 0;
}

static tn_slab *tn_cluster_slab(tn_cluster *c, const tiny_uop *node) {
  for (int s = 0; s < c->nslab; s++) if (c->slab[s].node == node) return &c->slab[s];
  return NULL;
}

// END or REDUCE u: its ranges are those that stand for them now.
static tiny_uop *tn_close_mapped(tiny_ctx *t, const tiny_uop *u, const tn_map *map) {
  tn_list src = {NULL, 0, 0};
  tn_push(t, &src, (tiny_uop *)tn_map_get(map, u->src[0]));
  for (uint32_t i = 1; i < u->nsrc; i++) tn_collect_ranges(t, (tiny_uop *)tn_map_get(map, u->src[i]), &src);
  return src.n == 1 && u->op != TINY_OP_MASKED ? src.u[0] : tn_like(t, u, 1, src.n, src.u);
}

// Does a range of kernel i run over several digits of an index? Then it becomes two: a head is a group and one of it.
static int tn_cluster_split(tn_cluster *c, int i, const tn_slab *s, tiny_uop *flat) {
  tiny_ctx *t = c->t;
  tn_kernel *k = &c->g->kernel[i];
  tn_list all = {NULL, 0, 0};
  tn_map map = {NULL, 0, 0};
  tn_affine a;
  tn_affine_start(&a, TINY_INDEX);
  if (!tn_affine_add(&a, flat, 1, 0)) return 0;
  for (int j = 0; j < a.n && !map.n; j++) for (int d = 0; d < s->n; d++) {
    tiny_uop *r = a.term[j].x;
    const int64_t low = s->digit[d].stride / a.term[j].c;
    if (r->op != TINY_OP_RANGE || low < 2 || s->digit[d].stride % a.term[j].c || s->digit[d].extent < 2 ||
        tn_range_extent(r) != low * s->digit[d].extent)
      continue;
    tiny_uop *high = tn_range(t, s->digit[d].extent, tn_range_kind(r));
    high = tn_u2(t, TINY_OP_MUL, high, tn_index(t, low));
    tn_map_set(t, &map, r, tn_u2(t, TINY_OP_ADD, high, tn_range(t, low, tn_range_kind(r))));
    break;
  }
  if (!map.n) return 0;
  tn_toposort(t, k->ast, &all);
  for (int j = 0; j < all.n; j++) {
    tiny_uop *u = all.u[j];
    if (tn_map_has(&map, u)) continue;
    const int closes = u->op == TINY_OP_END || u->op == TINY_OP_REDUCE || u->op == TINY_OP_MASKED;
    tn_map_set(t, &map, u, closes ? tn_close_mapped(t, u, &map) : tn_map_sources(t, &map, u));
  }
  k->ast = tn_simplify(t, (tiny_uop *)tn_map_get(&map, k->ast));
  return 1;
}

// Takes the value of kernel i in. The ranges of the first one are the axes.
static int tn_cluster_add(tn_cluster *c, int i) {
  const tn_kernel *k = &c->g->kernel[i];
  tiny_uop *range[TINY_MAX_DIMS];
  if (c->nslab == TN_MAX_SLABS || tn_cluster_slab(c, k->node)) return 0;
  tn_slab *s = &c->slab[c->nslab++];
  s->node = k->node; s->producer = i;
  s->n = tn_digits_of(k, s->digit, range);
  s->bad = !s->n;
  for (int d = 0; c->nslab == 1 && d < s->n; d++) {
    c->extent[d] = s->digit[d].extent;
    tn_cluster_touch(c, i)->range[d] = range[d];
    s->digit[d].axis = c->naxis++;
  }
  return 1;
}

// Range r of kernel i lies along the axis. Axes that lie along two ranges, or share one, are none.
static int tn_cluster_range(tn_cluster *c, int i, int axis, tiny_uop *r) {
  tn_member *m = &c->member[i];
  int clash = !r || (m->range[axis] && m->range[axis] != r);
  if (c->dead[axis] || (r && m->range[axis] == r)) return 0;
  for (int a = 0; a < c->naxis; a++) if (r && m->range[a] == r) { c->dead[a] = 1; clash = 1; }
  if (clash) c->dead[axis] = 1;
  else m->range[axis] = r;
  return 1;
}

// Kernel i has the slab's value in a PARAM: what its indices tell about the axes. Was it new?
static int tn_cluster_meet(tn_cluster *c, tn_slab *s, int i, int slot) {
  tn_list index = {NULL, 0, 0};
  tn_affine part[TINY_MAX_DIMS];
  int changed = 0;
  tn_kernel_indexes(c->t, &c->g->kernel[i], slot, &index);
  for (int j = 0; j < index.n && !s->bad; j++) {
    if (tn_cluster_split(c, i, s, index.u[j]->src[1])) { c->split = 1; return 0; }
    if (!tn_digits_split(s->digit, s->n, index.u[j]->src[1], part)) { s->bad = 1; return 1; }
    for (int d = 0; d < s->n; d++) {
      tiny_uop *r = tn_digit_range(&s->digit[d], &part[d]);
      if (s->digit[d].axis >= 0) { changed |= tn_cluster_range(c, i, s->digit[d].axis, r); continue; }
      for (int a = 0; r && a < c->naxis; a++) if (c->member[i].range[a] == r) {
        for (int other = 0; other < s->n; other++) if (s->digit[other].axis == a) c->dead[a] = 1;
        s->digit[d].axis = a;
        changed = 1;
      }
    }
  }
  return changed;
}

// The large values among what kernel i touches.
static int tn_cluster_neighbours(tn_cluster *c, int i) {
  const tn_kernel *k = &c->g->kernel[i];
  int changed = 0;
  for (int m = 0; m < k->nmem; m++)
    for (int p = tn_unboxed(tn_map_get(&c->made, k->mem[m])); p >= 0; p = c->same[p] - 1)
      if (tn_tiled_may(c, p, tn_tiled_least(c->g, k->node) / TN_TILED_GAIN)) changed |= tn_cluster_add(c, p);
  return changed;
}

// Everything that the value of a kernel leads to. 0: a range was split, it has to be done again.
static int tn_cluster_grow(tn_cluster *c, int seed) {
  tn_cluster_clear(c, 0);
  tn_cluster_add(c, seed);
  for (int changed = 1; changed;) {
    changed = 0;
    for (int s = 0; s < c->nslab; s++) {
      const tn_access *a = tn_access_first(&c->accesses, c->slab[s].node);
      for (; a; a = tn_access_next(&c->accesses, a)) {
        if (!c->g->kernel[a->kernel].ast) continue;
        tn_cluster_touch(c, a->kernel);
        changed |= tn_cluster_meet(c, &c->slab[s], a->kernel, a->slot);
        if (c->split) return 0;
        changed |= tn_cluster_neighbours(c, a->kernel);
      }
    }
  }
  return 1;
}

// ** levels: which iterations a kernel waits for **

// Where an axis stands among those of the iterations, -1: nowhere.
static int tn_chosen_at(const tn_cluster *c, int axis) {
  for (int i = 0; i < c->nchosen; i++) if (c->axis[i] == axis) return i;
  return -1;
}

// Does kernel i read of what p stores only what p stores in the same iteration?
static int tn_tiled_aligned(tn_cluster *c, int p, int i) {
  const tn_kernel *from = &c->g->kernel[p], *to = &c->g->kernel[i];
  tn_digit digit[TINY_MAX_DIMS];
  tiny_uop *range[TINY_MAX_DIMS];
  tn_affine part[TINY_MAX_DIMS];
  tn_list index = {NULL, 0, 0};
  const int n = tn_digits_of(from, digit, range);
  for (int slot = 1; slot < to->nmem; slot++)
    if (to->mem[slot] == from->mem[0]) tn_kernel_indexes(c->t, to, slot, &index);
  for (int j = 0; j < index.n; j++) {
    if (!tn_digits_split(digit, n, index.u[j]->src[1], part)) return 0;
    for (int a = 0; a < c->nchosen; a++) {
      int d = 0;
      while (d < n && range[d] != c->member[p].range[c->axis[a]]) d++;
      if (d == n || tn_digit_range(&digit[d], &part[d]) != c->member[i].range[c->axis[a]]) return 0;
    }
  }
  return index.n > 0;
}

// Is what kernel p hands to kernel i complete for it within the same iteration?
static int tn_tiled_complete(tn_cluster *c, int p, int i) {
  if (!c->member[p].in) return 1;
  if (!c->member[i].in) return 0;
  const tn_slab *s = tn_cluster_slab(c, c->g->kernel[p].node);
  return (s && s->in) || tn_tiled_aligned(c, p, i);
}

// The levels of the members, as many as there are; 0: too many. Only what runs between two members can lead from one
// to the other.
static int tn_tiled_levels(tn_cluster *c) {
  int most = 0, first = c->g->nkernel, last = -1;
  for (int i = 0; i < c->touched.n; i++) {
    const int k = tn_unboxed(c->touched.u[i]);
    if (!c->member[k].in) continue;
    if (c->position[k] < first) first = c->position[k];
    if (c->position[k] > last) last = c->position[k];
  }
  for (int at = first; at <= last; at++) {
    const int i = c->order[at];
    tn_member *b = &c->member[i];
    b->level = 0;
    for (int j = 0; j < c->reads[i].n; j++)
      for (int p = tn_unboxed(tn_map_get(&c->made, c->reads[i].u[j])); p >= 0; p = c->same[p] - 1) {
        if (p == i || c->position[p] < first) continue;
        const int level = c->member[p].level + !tn_tiled_complete(c, p, i);
        if (level > b->level) b->level = level;
      }
    if (b->level > TN_TILED_LEVELS) return 0;
    if (b->in && b->level > most) most = b->level;
  }
  return most < TN_TILED_LEVELS ? most + 1 : 0;
}

// Finds the one REDUCE that closes the chosen ranges that the kernel does not store along. 0: it takes more.
static int tn_member_reduce(tn_cluster *c, int i) {
  const tn_kernel *k = &c->g->kernel[i];
  tn_member *m = &c->member[i];
  tn_list all = {NULL, 0, 0};
  int along = 0, reduced = 0;
  m->reduce = NULL;
  for (int a = 0; a < c->nchosen; a++) along += tn_range_kind(m->range[c->axis[a]]) == TN_REDUCE;
  if (!along) return k->node->op != TINY_OP_ASSIGN;
  tn_toposort(c->t, k->ast, &all);
  for (int j = 0; j < all.n; j++) {
    tiny_uop *u = all.u[j];
    if (u->op != TINY_OP_REDUCE) continue;
    if (m->reduce && tn_depends(c->t, u, m->reduce)) return 0;
    for (int a = 0; a < c->nchosen; a++) {
      if (!tn_reduces_over(u, m->range[c->axis[a]])) continue;
      if (m->reduce && m->reduce != u) return 0;
      m->reduce = u;
      reduced++;
    }
  }
  for (int j = 0; m->reduce && j < all.n; j++)   // it is of the output's ranges alone
    if (all.u[j]->op == TINY_OP_RANGE && tn_range_kind(all.u[j]) == TN_REDUCE && tn_depends(c->t, m->reduce, all.u[j]))
      return 0;
  return reduced == along;
}

// May kernel i work tile by tile along the chosen axes? Its slabs' indices have these in digits of their own, and all
// else that it touches is small.
static int tn_member_fits(tn_cluster *c, int i) {
  const tn_kernel *k = &c->g->kernel[i];
  tn_affine part[TINY_MAX_DIMS];
  for (int a = 0; a < c->nchosen; a++) if (!c->member[i].range[c->axis[a]]) return 0;    // at one place of the axis
  for (int j = 0; j < k->nmem; j++) {
    const tn_slab *s = tn_cluster_slab(c, k->mem[j]);
    tn_list index = {NULL, 0, 0};
    if (!s || !s->in) {
      if (tn_node_nbytes(k->mem[j]) >= tn_node_nbytes(c->slab[0].node) / TN_TILED_GAIN) return 0;
      continue;
    }
    tn_kernel_indexes(c->t, k, j, &index);
    for (int n = 0; n < index.n; n++) {
      tn_digits_split(s->digit, s->n, index.u[n]->src[1], part);
      for (int d = 0; d < s->n; d++) for (int x = 0; x < part[d].n; x++) for (int a = 0; a < c->nchosen; a++)
        if (s->digit[d].axis != c->axis[a] && tn_depends(c->t, part[d].term[x].x, c->member[i].range[c->axis[a]]))
          return 0;
    }
  }
  return tn_member_reduce(c, i);
}

// How many groups iterations along the chosen axes take; 0: they are not possible.
static int tn_tiled_try(tn_cluster *c) {
  for (int i = 0; i < c->touched.n; i++) c->member[tn_unboxed(c->touched.u[i])].in = 0;
  for (int s = 0; s < c->nslab; s++) {
    int has = 0;
    for (int d = 0; d < c->slab[s].n; d++) has += tn_chosen_at(c, c->slab[s].digit[d].axis) >= 0;
    c->slab[s].in = !c->slab[s].bad && has == c->nchosen;
    const tn_access *a = tn_access_first(&c->accesses, c->slab[s].node);
    for (; a && c->slab[s].in; a = tn_access_next(&c->accesses, a)) tn_cluster_touch(c, a->kernel)->in = 1;
  }
  if (!c->slab[0].in) return 0;
  for (int i = 0; i < c->touched.n; i++) {
    const int k = tn_unboxed(c->touched.u[i]);
    if (c->member[k].in && !tn_member_fits(c, k)) return 0;
  }
  return tn_tiled_levels(c);
}

// ** which axes **

// Does every kernel that has the axis store along it?
static int tn_axis_is_pure(const tn_cluster *c, int axis) {
  for (int i = 0; i < c->touched.n; i++) {
    const tiny_uop *r = c->member[tn_unboxed(c->touched.u[i])].range[axis];
    if (r && tn_range_kind(r) != TN_LOOP) return 0;
  }
  return 1;
}

// Of an axis on which a slab may have `most` elements.
static int64_t tn_tiled_size(int64_t extent, int64_t most) {
  if (most < 1) most = 1;
  if (most >= extent) return extent;
  for (int64_t n = most; n > most / 2; n--) if (extent % n == 0) return n;
  return most > TN_TILED_STEP ? most / TN_TILED_STEP * TN_TILED_STEP : most;
}

// Chooses axes: those along which nothing is reduced, then one more along which the least is computed again.
static int tn_tiled_choose(tn_cluster *c) {
  const int64_t most = tn_tiled_nbytes(c->g, c->slab[0].node);
  int64_t nbytes = tn_node_nbytes(c->slab[0].node), best = 0;
  int axis = -1;
  c->nchosen = 0; c->size = 1;
  for (int a = 0; a < c->naxis && nbytes > most; a++) {
    if (c->dead[a] || c->extent[a] < 2 || !tn_axis_is_pure(c, a)) continue;
    c->axis[c->nchosen++] = a;
    nbytes /= c->extent[a];
    c->size = tn_tiled_size(c->extent[a], most / (nbytes ? nbytes : 1));
  }
  if (nbytes * c->size <= most) return tn_tiled_try(c);
  for (int a = 0; a < c->naxis; a++) {
    if (c->dead[a] || c->extent[a] < 2 || tn_axis_is_pure(c, a)) continue;
    c->axis[c->nchosen++] = a;
    const int levels = tn_tiled_try(c);
    if (levels && (axis < 0 || levels < best)) { axis = a; best = levels; }
    c->nchosen--;
  }
  if (axis >= 0) {
    c->axis[c->nchosen++] = axis;
    nbytes /= c->extent[axis];
    c->size = tn_tiled_size(c->extent[axis], most / (nbytes ? nbytes : 1));
  }
  return c->nchosen ? tn_tiled_try(c) : 0;
}

// ** kernels of an iteration **

static tiny_uop *tn_tiled_marker(tn_graph *g, int dtype, int64_t nelem) {
  return tn_param(g->t, dtype, TN_TILED_MARKER + ++g->nmarker, nelem);
}
static int64_t tn_tiled_extent(const tn_cluster *c, int at, int part) {
  if (at + 1 < c->nchosen) return 1;
  return part ? c->extent[c->axis[at]] % c->size : c->size;
}

// The axes of a group's iterations, remembered in the graph: its number from 1.
static int tn_tiled_number(tn_cluster *c, int part) {
  tn_tiled_axes *r = TN_PUSH(c->t, c->g->tiled, c->g->ntiled, c->g->tiled_cap, tn_tiled_axes);
  memset(r, 0, sizeof *r);
  r->n = c->nchosen;
  for (int i = 0; i < r->n; i++) {
    const int64_t extent = c->extent[c->axis[i]], size = tn_tiled_extent(c, i, 0);
    const int last = part && i + 1 == r->n;
    r->axis[i].step = size;
    r->axis[i].from = last ? extent / size * size : 0;
    r->axis[i].count = last ? 1 : extent / size;
  }
  return c->g->ntiled;
}

// A kernel under rewriting: where its chosen ranges are, in the whole values and in the slabs.
typedef struct tn_tiled_body {
  tn_cluster *c; const tn_kernel *k; int level, part, nmem;
  tiny_uop *whole[TN_TILED_AXES], *local[TN_TILED_AXES];                 // local NULL: 0
  tn_map map;
} tn_tiled_body;

// Begins with the iterations' positions as ARGs, behind those that the kernel has.
static void tn_tiled_open(tn_tiled_body *v, tn_kernel *now, const tn_tiled_axes *tiled) {
  tiny_ctx *t = v->c->t;
  const tn_member *m = &v->c->member[v->k - v->c->g->kernel];
  now->arg = NULL; now->narg = now->arg_cap = 0;
  for (int i = 0; i < v->k->narg; i++) *TN_PUSH(t, now->arg, now->narg, now->arg_cap, tiny_uop *) = v->k->arg[i];
  for (int i = 0; i < v->c->nchosen; i++) {
    const tn_tiled_axis *a = &tiled->axis[i];
    tiny_uop *r = m->range[v->c->axis[i]], *extent = tn_index(t, tn_tiled_extent(v->c, i, v->part));
    const int64_t bounds[2] = {a->from, a->from + a->step * (a->count - 1)};
    *TN_PUSH(t, now->arg, now->narg, now->arg_cap, tiny_uop *) = tn_index(t, i);
    v->whole[i] = tn_cast(t, tn_uop_make(t, TINY_OP_ARG, TINY_I64, 1, 0, NULL, now->narg - 1, 2, bounds), TINY_INDEX);
    v->local[i] = NULL;
    if (extent->k > 1) {
      v->local[i] = tn_uop_make(t, TINY_OP_RANGE, TINY_INDEX, 1, 1, &extent, r->k, 0, NULL);
      v->whole[i] = tn_u2(t, TINY_OP_ADD, v->whole[i], v->local[i]);
    }
    tn_map_set(t, &v->map, r, v->whole[i]);
  }
}

// An INDEX of a value that exists as slabs, into the slab.
static tiny_uop *tn_tiled_slab(tn_tiled_body *v, const tn_slab *s, const tiny_uop *index) {
  tiny_ctx *t = v->c->t;
  tn_affine part[TINY_MAX_DIMS];
  tiny_uop *flat = tn_index(t, 0);
  int64_t stride = 1;
  tn_digits_split(s->digit, s->n, index->src[1], part);
  for (int d = s->n - 1; d >= 0; d--) {
    const int at = tn_chosen_at(v->c, s->digit[d].axis);
    tiny_uop *x = at >= 0 ? v->local[at] : tn_index(t, part[d].k);
    for (int i = 0; at < 0 && i < part[d].n; i++) {
      tiny_uop *y = (tiny_uop *)tn_map_get(&v->map, part[d].term[i].x);
      x = tn_u2(t, TINY_OP_ADD, x, tn_u2(t, TINY_OP_MUL, y, tn_index(t, part[d].term[i].c)));
    }
    if (x) flat = tn_u2(t, TINY_OP_ADD, flat, tn_u2(t, TINY_OP_MUL, x, tn_index(t, stride)));
    stride *= at >= 0 ? tn_tiled_extent(v->c, at, v->part) : s->digit[d].extent;
  }
  tiny_uop *src[3] = {tn_param(t, s->node->dtype, index->src[0]->k, stride), flat,
                      index->nsrc == 3 ? (tiny_uop *)tn_map_get(&v->map, index->src[2]) : NULL};
  return tn_like(t, index, 1, (int)index->nsrc, src);
}

// What the iterations so far have reduced, and this one. `at`: the element of PARAM 0 that holds it.
static tiny_uop *tn_tiled_carried(tn_tiled_body *v, const tiny_uop *reduce, tiny_uop *now, tiny_uop *at) {
  tiny_ctx *t = v->c->t;
  const tn_member *m = &v->c->member[v->k - v->c->g->kernel];
  tiny_uop *first = tn_index(t, 0);
  for (int i = 0; i < v->c->nchosen; i++)
    if (tn_range_kind(m->range[v->c->axis[i]]) == TN_REDUCE) {
      tiny_uop *base = v->whole[i];
      if (v->local[i]) base = base->src[0] == v->local[i] ? base->src[1] : base->src[0];
      first = tn_u2(t, TINY_OP_ADD, first, base);
    }
  first = tn_u2(t, TINY_OP_LT, first, tn_index(t, 1));
  tiny_uop *none = tn_const(t, reduce->dtype, tn_reduce_identity((int)reduce->k, reduce->dtype));
  return tn_u2(t, (int)reduce->k, tn_u3(t, TINY_OP_WHERE, first, none, tn_u1(t, TINY_OP_LOAD, at)), now);
}

// The same memory, without what the kernel does not name.
static void tn_kernel_compact(tiny_ctx *t, tn_kernel *k, tiny_uop *sink, tn_map *written) {
  tn_list all = {NULL, 0, 0};
  tn_map to = {NULL, 0, 0};
  tiny_uop **mem = k->mem;
  const int nmem = k->nmem;
  k->mem = NULL; k->nmem = k->mem_cap = 0;
  tn_toposort(t, sink, &all);
  for (int slot = 0; slot < nmem; slot++) for (int i = 0; i < all.n; i++) {
    const tiny_uop *p = all.u[i];
    if (p->op != TINY_OP_PARAM || p->k != slot) continue;
    tn_map_set(t, &to, p, tn_param(t, p->dtype, k->nmem, p->v[0]));
    *TN_PUSH(t, k->mem, k->nmem, k->mem_cap, tiny_uop *) = mem[slot];
  }
  tn_kernel_number(t, k, tn_substitute(t, sink, &to), written);
}

// Kernel i at a level: the expression of one iteration. *sum: the memory in which a reduction is kept that is not all
// of the kernel's value, else NULL.
static tn_kernel tn_tiled_kernel(tn_cluster *c, int i, int level, int part, int tiled, tiny_uop *sum) {
  tiny_ctx *t = c->t;
  const tn_kernel *k = &c->g->kernel[i];
  const tn_member *m = &c->member[i];
  tn_kernel now = *k;
  tn_list all = {NULL, 0, 0};
  tn_tiled_body v;
  memset(&v, 0, sizeof v);
  v.c = c; v.k = k; v.level = level; v.part = part;
  tn_tiled_open(&v, &now, &c->g->tiled[tiled - 1]);
  now.mem = NULL; now.nmem = now.mem_cap = 0;
  for (int j = 0; j < k->nmem; j++) {
    const tn_slab *s = tn_cluster_slab(c, k->mem[j]);
    *TN_PUSH(t, now.mem, now.nmem, now.mem_cap, tiny_uop *) = s && s->in ? s->place[level][part] : k->mem[j];
  }
  if (sum) now.mem[0] = sum;
  if (sum || now.mem[0] != k->mem[0]) now.node = now.mem[0];
  tn_toposort(t, k->ast, &all);
  for (int j = 0; j < all.n; j++) {
    tiny_uop *u = all.u[j], *w;
    if (tn_map_has(&v.map, u)) continue;
    const tn_slab *s = u->op == TINY_OP_INDEX ? tn_cluster_slab(c, k->mem[u->src[0]->k]) : NULL;
    if (s && s->in) w = tn_tiled_slab(&v, s, u);
    else if (u->op == TINY_OP_END || u->op == TINY_OP_REDUCE || u->op == TINY_OP_MASKED)
      w = tn_close_mapped(t, u, &v.map);
    else w = tn_map_sources(t, &v.map, u);
    if (u->op == TINY_OP_STORE && m->reduce) {
      tiny_uop *memory = sum ? tn_param(t, sum->dtype, 0, sum->v[0]) : w->src[0]->src[0],
               *index = tn_index_of(t, memory, w->src[0]->src[1], NULL);
      w = tn_store(t, index, tn_tiled_carried(&v, m->reduce, (tiny_uop *)tn_map_get(&v.map, m->reduce), index));
    }
    tn_map_set(t, &v.map, u, w);
  }
  tn_kernel_compact(t, &now, (tiny_uop *)tn_map_get(&v.map, k->ast), &c->g->written);
  return now;
}

// Kernel i with its reduction read from `sum`.
static tn_kernel tn_tiled_after(tn_cluster *c, int i, tiny_uop *sum) {
  tiny_ctx *t = c->t;
  tn_kernel now = c->g->kernel[i];
  tn_map map = {NULL, 0, 0};
  tiny_uop *memory = tn_param(t, sum->dtype, now.nmem, sum->v[0]), *at = tn_kernel_store(&now)->src[0]->src[1];
  tn_map_set(t, &map, c->member[i].reduce, tn_load_at(t, memory, at));
  now.mem = NULL; now.nmem = now.mem_cap = 0;
  for (int j = 0; j < c->g->kernel[i].nmem; j++)
    *TN_PUSH(t, now.mem, now.nmem, now.mem_cap, tiny_uop *) = c->g->kernel[i].mem[j];
  *TN_PUSH(t, now.mem, now.nmem, now.mem_cap, tiny_uop *) = sum;
  tn_kernel_compact(t, &now, tn_substitute(t, now.ast, &map), &c->g->written);
  return now;
}

// ** groups **

typedef struct tn_regrouped {              // the graph's kernels, some of them replaced
  tn_kernel *kernel; int n, cap;
  tn_list *reads; int nreads, reads_cap;
} tn_regrouped;

// Adds k, which reads what kernel `from` reads; of slabs those of a level and a part, part -1: none.
static tn_list *tn_regroup(tn_regrouped *to, tn_cluster *c, const tn_kernel *k, int from, int level, int part) {
  const tn_list *was = &c->reads[from];
  tn_list *reads = TN_PUSH(c->t, to->reads, to->nreads, to->reads_cap, tn_list);
  *TN_PUSH(c->t, to->kernel, to->n, to->cap, tn_kernel) = *k;
  memset(reads, 0, sizeof *reads);
  for (int i = 0; i < was->n; i++) {
    tiny_uop *u = was->u[i];
    const tn_slab *s = tn_cluster_slab(c, u);
    if (s && s->in) u = part < 0 ? NULL : s->place[level][part];
    if (u) tn_push(c->t, reads, u);
  }
  return reads;
}
static void tn_regroup_as_it_was(tn_regrouped *to, tn_cluster *c, int i) {
  tn_kernel *k = TN_PUSH(c->t, to->kernel, to->n, to->cap, tn_kernel);
  *k = c->g->kernel[i];
  if (c->member[i].ast) k->ast = c->member[i].ast;
  *TN_PUSH(c->t, to->reads, to->nreads, to->reads_cap, tn_list) = c->reads[i];
}

static void tn_tiled_want(tn_cluster *c, int first, int level) {
  int *todo = NULL, n = 0, cap = 0;
  *TN_PUSH(c->g->t, todo, n, cap, int) = first;
  while (n) {
    const int i = todo[--n];
    if (c->member[i].wanted >> level & 1) continue;
    c->member[i].wanted |= 1 << level;
    for (int s = 0; s < c->nslab; s++) {
      if (!c->slab[s].in || c->slab[s].producer == i) continue;
      for (int j = 0; j < c->g->kernel[i].nmem; j++)
        if (c->g->kernel[i].mem[j] == c->slab[s].node) *TN_PUSH(c->g->t, todo, n, cap, int) = c->slab[s].producer;
    }
  }
}

static void tn_tiled_slots(tn_cluster *c, int level, int part) {
  for (int s = 0; s < c->nslab; s++) {
    int64_t nelem = 1;
    for (int d = 0; d < c->slab[s].n; d++) {
      const int at = tn_chosen_at(c, c->slab[s].digit[d].axis);
      nelem *= at >= 0 ? tn_tiled_extent(c, at, part) : c->slab[s].digit[d].extent;
    }
    c->slab[s].place[level][part] = tn_tiled_marker(c->g, c->slab[s].node->dtype, nelem);
    if (c->slab[s].in) tn_map_set(c->t, &c->g->slabs, c->slab[s].place[level][part], c);
  }
}

// The group of a level: what comes after its iterations, then its kernels, each time the last first.
static void tn_tiled_emit(tn_cluster *c, tn_regrouped *to, int level) {
  tn_graph *g = c->g;
  const int parts = 1 + (c->extent[c->axis[c->nchosen - 1]] % c->size != 0), group = ++g->ngroup;
  tiny_uop **sum = (tiny_uop **)tn_scratch(c->t, ((size_t)g->nkernel + 1) * sizeof *sum);
  for (int i = 0; i < g->nkernel; i++) {
    tiny_uop *reduce = c->member[i].reduce;
    if (!(c->member[i].wanted >> level & 1) || !reduce) continue;
    const tiny_uop *store = tn_kernel_store(&g->kernel[i]);
    if (store->src[1] == reduce && g->kernel[i].node->op != TINY_OP_ASSIGN) continue;
    sum[i] = tn_tiled_marker(g, reduce->dtype, store->src[0]->src[0]->v[0]);
    const tn_kernel after = tn_tiled_after(c, i, sum[i]);
    tn_push(c->t, tn_regroup(to, c, &after, i, level, -1), sum[i]);
  }
  for (int part = parts - 1; part >= 0; part--) {
    const int tiled = tn_tiled_number(c, part);
    tn_tiled_slots(c, level, part);
    for (int i = 0; i < g->nkernel; i++) {
      if (!(c->member[i].wanted >> level & 1)) continue;
      tn_kernel k = tn_tiled_kernel(c, i, level, part, tiled, sum[i]);
      k.group = group; k.tiled = tiled;
      tn_regroup(to, c, &k, i, level, part);
    }
  }
}

// Replaces the kernels of the cluster by groups; the others stay as they were. *reads: what each kernel reads.
static void tn_tiled_apply(tn_cluster *c, int levels, tn_list **reads) {
  tn_graph *g = c->g;
  tn_regrouped to;
  memset(&to, 0, sizeof to);
  for (int i = 0; i < g->nkernel; i++) {
    const tn_slab *s = tn_cluster_slab(c, g->kernel[i].node);
    if (c->member[i].in && !(s && s->in)) tn_tiled_want(c, i, c->member[i].level);
  }
  for (int i = 0, done = 0; i < g->nkernel; i++) {         // a group stands where its last kernel stood
    if (!c->member[i].in) tn_regroup_as_it_was(&to, c, i);
    for (int level = levels - 1; level >= 0; level--) {
      if (!(c->member[i].wanted & ~done & 1 << level)) continue;
      done |= 1 << level;
      tn_tiled_emit(c, &to, level);
    }
  }
  tn_cluster_clear(c, 1);
  g->kernel = to.kernel; g->nkernel = to.n; g->kernel_cap = to.cap;
  *reads = to.reads;
}

static tn_cluster *tn_cluster_open(tn_graph *g, const tn_list *reads, const int *order, tiny_uop *const *roots,
                                   int nroots) {
  tn_cluster *c = (tn_cluster *)tn_scratch(g->t, sizeof *c);
  const size_t n = (size_t)g->nkernel + 1;
  c->t = g->t; c->g = g; c->reads = reads; c->order = order;
  c->member = (tn_member *)tn_scratch(g->t, n * sizeof *c->member);
  c->position = (int *)tn_scratch(g->t, n * sizeof *c->position);
  c->same = (int *)tn_scratch(g->t, n * sizeof *c->same);
  for (int r = 0; r < nroots; r++) tn_map_set(g->t, &c->kept, roots[r], roots[r]);
  for (int i = 0; i < g->nkernel; i++) c->position[order[i]] = i;
  for (int i = g->nkernel - 1; i >= 0; i--) {
    c->same[i] = 1 + tn_unboxed(tn_map_get(&c->made, g->kernel[i].node));
    tn_map_set(g->t, &c->made, g->kernel[i].node, tn_boxed(i));
  }
  c->accesses = tn_graph_accesses(g);
  return c;
}

// Puts the kernels around the first value that is worth it and was not tried before to work tile by tile. order: in
// which the kernels can run. 0: there is none; else the nodes of all kernels around it are in *around.
static int tn_tiled_next(tn_graph *g, tn_list **reads, const int *order, tiny_uop *const *roots, int nroots,
                          tn_map *tried, tn_list *around) {
  tn_cluster *c = NULL;
  for (int i = 0; i < g->nkernel; i++) {
    tiny_uop *node = g->kernel[i].node;
    const int64_t least = tn_tiled_least(g, node);
    if (!g->kernel[i].ast || tn_node_nbytes(node) < least || tn_map_get(tried, node)) continue;
    if (!c) c = tn_cluster_open(g, *reads, order, roots, nroots);
    tn_map_set(g->t, tried, node, node);
    if (!tn_tiled_may(c, i, least)) continue;
    while (!tn_cluster_grow(c, i)) {}
    const int levels = tn_tiled_choose(c);
    if (!levels) { tn_cluster_clear(c, 1); continue; }
    for (int k = 0; k < c->touched.n; k++) tn_push(g->t, around, g->kernel[tn_unboxed(c->touched.u[k])].node);
    tn_tiled_apply(c, levels, reads);
    return 1;
  }
  return 0;
}
#endif
