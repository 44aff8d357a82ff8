// masked: what kernels need not do for a mask: iterations of a reduction that add nothing, elements that nobody reads.
//
// In:  the kernels of a graph, in order. Out: their SINKs say so by MASKEDs, of which room bounds makes shorter loops.
// A mask compares positions: k <= q, of ranges and of the ARGs of iterations. Each comparison, either way, is x > 0
// for a sum x of them. Let that be so, and see what becomes of a kernel: a summand that is 0, a maximum of -inf, an
// element stored that is 0 have no effect. The element is 0 for the kernels that read it, too, and what they select
// by the mask they do not read at all: so the kernel that computes it need not, above the diagonal.
// What is multiplied by an element known to be 0 counts as 0, as if it were finite; likewise -inf + x is -inf.
// It counts as not read only where a WHERE leaves it out: memory that nobody has written may hold anything.
#ifndef TN_SCHEDULE_MASKED
#define TN_SCHEDULE_MASKED
#ifndef TINY_AMALGAMATED
#include "order.c"
#endif

#ifndef TN_MASKED_LEAST                    // test builds make it small
  #define TN_MASKED_LEAST 32               // from which a range is worth it
#endif
enum { TN_MASKED_MASKS = 12 };             // of a kernel that are looked at
enum { TN_SURE_NOT, TN_SURE_ZERO, TN_SURE_LOWEST, TN_SURE_TRUE, TN_SURE_FALSE };

typedef struct tn_masking {
  tiny_ctx *t; tn_graph *g;
  tn_map kept;                             // the roots
  tn_list *zero;                           // by kernel: while one of these > 0, the element stored is 0
  tn_list *masks;                          // by kernel: what it and those whose values it reads compare
  tn_accesses accesses;
} tn_masking;

typedef struct tn_supposed {               // a kernel of which x > 0 is supposed
  const tn_kernel *k; tiny_uop *x;
  tn_map sure;                             // what is sure about its nodes
} tn_supposed;

// ** sums of positions **

static tiny_uop *tn_masked_difference(tiny_ctx *t, tiny_uop *a, tiny_uop *b, int64_t k) {
  tn_affine d;
  tn_affine_start(&d, TINY_INDEX);
  d.k = k;
  if (!tn_affine_add(&d, a, 1, a->dtype != TINY_INDEX) || !tn_affine_add(&d, b, -1, b->dtype != TINY_INDEX))
    return NULL;
  return tn_affine_small(&d) ? tn_affine_node(t, &d, TINY_INDEX) : NULL;
}
// Is y > 0 where x > 0?
static int tn_follows(tiny_ctx *t, tiny_uop *x, tiny_uop *y) {
  const tiny_uop *more = y ? tn_masked_difference(t, y, x, 0) : NULL;
  tn_affine d;
  int64_t low, high;
  tn_affine_start(&d, TINY_INDEX);
  if (!more || !tn_affine_add(&d, (tiny_uop *)(uintptr_t)more, 1, 0)) return 0;
  tn_affine_bounds(&d, &low, &high);
  return low >= 0;
}

// Is x, of kernel k, a sum of ranges, one of them long, and ARGs, of at least two? Lengths are known when the kernel is
// launched: they leave out what they can, of short ranges too.
static int tn_is_length(const tn_kernel *k, const tiny_uop *u) {
  return u->op == TINY_OP_ARG && u->k < k->narg && k->arg[u->k]->op == TINY_OP_SCALAR;
}
static int tn_is_slope(tiny_ctx *t, const tn_kernel *k, tiny_uop *x) {
  tn_list all = {NULL, 0, 0};
  int n = 0, runs = 0;
  tn_toposort(t, x, &all);
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *u = all.u[i];
    if (u->op == TINY_OP_RANGE) { n++; runs |= tn_range_extent(u) >= TN_MASKED_LEAST; }
    else if (u->op == TINY_OP_ARG) { n++; runs |= tn_is_length(k, u); }
    else if (u->op != TINY_OP_CONST && u->op != TINY_OP_CAST && u->op != TINY_OP_ADD && u->op != TINY_OP_MUL) return 0;
  }
  return n > 1 && runs;
}

static void tn_slope_add(tiny_ctx *t, const tn_kernel *k, tn_list *to, tiny_uop *x) {
  if (!x || to->n == TN_MASKED_MASKS || !tn_is_slope(t, k, x)) return;
  for (int i = 0; i < to->n; i++) if (to->u[i] == x) return;
  tn_push(t, to, x);
}

// ** what kernels hand each other **

// The kernel whose value PARAM `slot` of k is, if it is one alone, of the same iterations; -1: there is none.
static int tn_masked_producer(const tn_masking *f, const tn_kernel *k, int64_t slot) {
  int at = -1;
  const tn_access *a = tn_access_first(&f->accesses, k->mem[slot]);
  for (; a && !a->slot; a = tn_access_next(&f->accesses, a)) {
    const tn_kernel *p = &f->g->kernel[a->kernel];
    if (at >= 0 || p == k || !p->ast || p->node->op == TINY_OP_ASSIGN || p->group != k->group || p->tiled != k->tiled)
      return -1;
    at = a->kernel;
  }
  return at;
}

// x, of one kernel's ranges from[0..n-1] and ARGs, as another kernel has it: of the ranges to[]. NULL: it has not.
static tiny_uop *tn_masked_carry(tiny_ctx *t, tiny_uop *x, const tn_kernel *from_kernel, const tn_kernel *to_kernel,
                               int n, tiny_uop *const *from, tiny_uop *const *to) {
  tn_list all = {NULL, 0, 0};
  tn_map map = {NULL, 0, 0};
  tn_toposort(t, x, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i], *now = NULL;
    if (u->op != TINY_OP_RANGE && u->op != TINY_OP_ARG) continue;
    for (int j = 0; j < n && u->op == TINY_OP_RANGE; j++) if (from[j] == u) now = to[j];
    for (int j = 0; j < to_kernel->narg && u->op == TINY_OP_ARG; j++)
      if (to_kernel->arg[j] == from_kernel->arg[u->k] && (to_kernel->arg[j]->op == TINY_OP_CONST || u->nv))
        now = tn_uop_make(t, TINY_OP_ARG, u->dtype, 1, 0, NULL, j, u->nv, u->v);
    if (!now) return NULL;
    tn_map_set(t, &map, u, now);
  }
  return tn_masked_difference(t, tn_substitute(t, x, &map), tn_index(t, 0), 0);
}

// Where the element that an INDEX of k reads is known to be 0.
static void tn_masked_loaded(const tn_masking *f, const tn_kernel *k, const tiny_uop *index, tn_list *out) {
  tn_digit digit[TINY_MAX_DIMS];
  tn_affine part[TINY_MAX_DIMS];
  tiny_uop *range[TINY_MAX_DIMS], *now[TINY_MAX_DIMS];
  const int p = index->src[0]->op == TINY_OP_PARAM ? tn_masked_producer(f, k, index->src[0]->k) : -1;
  if (p < 0 || !f->zero[p].n || index->nsrc != 2) return;
  const int n = tn_digits_of(&f->g->kernel[p], digit, range);
  if (!tn_digits_split(digit, n, index->src[1], part)) return;
  for (int d = 0; d < n; d++) now[d] = tn_affine_node(f->t, &part[d], TINY_INDEX);
  for (int i = 0; i < f->zero[p].n; i++)
    tn_slope_add(f->t, k, out, tn_masked_carry(f->t, f->zero[p].u[i], &f->g->kernel[p], k, n, range, now));
}

// The masks of a kernel: its own, either way, and those of what it reads.
static void tn_masked_masks(const tn_masking *f, const tn_kernel *k, tn_list *out) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(f->t, k->ast, &all);
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *u = all.u[i];
    if (u->op == TINY_OP_INDEX) tn_masked_loaded(f, k, u, out);
    if (u->op != TINY_OP_LT || !tn_is_int(u->src[0]->dtype)) continue;
    tn_slope_add(f->t, k, out, tn_masked_difference(f->t, u->src[1], u->src[0], 0));
    tn_slope_add(f->t, k, out, tn_masked_difference(f->t, u->src[0], u->src[1], 1));
  }
}

// ** what follows from x > 0 **

static int tn_sure_of(const tn_supposed *s, const tiny_uop *u) { return (int)(intptr_t)tn_map_get(&s->sure, u); }

static int tn_sure_load(const tn_masking *f, const tn_supposed *s, const tiny_uop *u) {
  const tiny_uop *index = u->src[0];
  tn_list zero = {NULL, 0, 0};
  if (index->nsrc == 3 && tn_sure_of(s, index->src[2]) == TN_SURE_FALSE)
    return u->nsrc == 2 ? tn_sure_of(s, u->src[1]) : (int)TN_SURE_ZERO;
  tn_masked_loaded(f, s->k, index, &zero);
  for (int i = 0; i < zero.n; i++) if (tn_follows(f->t, s->x, zero.u[i])) return TN_SURE_ZERO;
  return TN_SURE_NOT;
}

static int tn_sure_const(const tiny_uop *u) {
  if (u->dtype == TINY_BOOL) return u->k ? TN_SURE_TRUE : TN_SURE_FALSE;
  if (u->k == tn_dtype_value(u->dtype, 0)) return TN_SURE_ZERO;
  return u->k == tn_lowest(u->dtype) && !tn_dtypes[u->dtype].finite ? TN_SURE_LOWEST : TN_SURE_NOT;
}

static int tn_sure_compare(const tn_masking *f, const tn_supposed *s, const tiny_uop *u) {
  if (!tn_is_int(u->src[0]->dtype)) return TN_SURE_NOT;
  if (tn_follows(f->t, s->x, tn_masked_difference(f->t, u->src[1], u->src[0], 0))) return TN_SURE_TRUE;
  return tn_follows(f->t, s->x, tn_masked_difference(f->t, u->src[0], u->src[1], 1)) ? TN_SURE_FALSE : TN_SURE_NOT;
}

static int tn_sure_node(const tn_masking *f, const tn_supposed *s, const tiny_uop *u) {
  const int a = u->nsrc ? tn_sure_of(s, u->src[0]) : 0, b = u->nsrc > 1 ? tn_sure_of(s, u->src[1]) : 0;
  const int truth = (a == TN_SURE_TRUE || a == TN_SURE_FALSE) && (b == TN_SURE_TRUE || b == TN_SURE_FALSE);
  const int differs = truth ? (a == b ? TN_SURE_FALSE : TN_SURE_TRUE) : TN_SURE_NOT;
  switch (u->op) {
    case TINY_OP_CONST: return tn_sure_const(u);
    case TINY_OP_LOAD: return tn_sure_load(f, s, u);
    case TINY_OP_LT: return tn_sure_compare(f, s, u);
    case TINY_OP_WHERE: {
      const int c = u->nsrc > 2 ? tn_sure_of(s, u->src[2]) : 0;
      return a == TN_SURE_TRUE || b == c ? b : a == TN_SURE_FALSE ? c : (int)TN_SURE_NOT;
    }
    case TINY_OP_NE: case TINY_OP_XOR: return differs;
    case TINY_OP_EQ: return truth ? (a == b ? TN_SURE_TRUE : TN_SURE_FALSE) : TN_SURE_NOT;
    case TINY_OP_AND:
      if (u->dtype == TINY_BOOL && (a == TN_SURE_FALSE || b == TN_SURE_FALSE)) return TN_SURE_FALSE;
      return a == b ? a : (int)TN_SURE_NOT;
    case TINY_OP_OR:
      if (u->dtype == TINY_BOOL && (a == TN_SURE_TRUE || b == TN_SURE_TRUE)) return TN_SURE_TRUE;
      return a == b ? a : (int)TN_SURE_NOT;
    case TINY_OP_MUL:
      if (a == TN_SURE_ZERO || b == TN_SURE_ZERO) return TN_SURE_ZERO;
      if (!tn_is_float(u->dtype) || !tn_is_const(u->src[1])) return TN_SURE_NOT;
      return a == TN_SURE_LOWEST && tn_to_f64(u->src[1]->k) > 0 ? a : (int)TN_SURE_NOT;
    case TINY_OP_ADD:
      if (tn_is_float(u->dtype) && (a == TN_SURE_LOWEST || b == TN_SURE_LOWEST)) return TN_SURE_LOWEST;
      return a == TN_SURE_ZERO ? (b == TN_SURE_ZERO ? b : 0) : TN_SURE_NOT;
    case TINY_OP_MAX: return a == b ? a : (int)TN_SURE_NOT;
    case TINY_OP_FDIV: case TINY_OP_NEG: return a == TN_SURE_ZERO ? a : (int)TN_SURE_NOT;
    case TINY_OP_CAST:
      if (a == TN_SURE_FALSE && u->dtype != TINY_BOOL) return TN_SURE_ZERO;
      if (a == TN_SURE_LOWEST && (!tn_is_float(u->dtype) || !tn_is_float(u->src[0]->dtype))) return TN_SURE_NOT;
      return (a == TN_SURE_LOWEST && !tn_dtypes[u->dtype].finite) || a == TN_SURE_ZERO ? a : (int)TN_SURE_NOT;
    case TINY_OP_EXP2: return a == TN_SURE_LOWEST ? TN_SURE_ZERO : TN_SURE_NOT;
    case TINY_OP_REDUCE:
      if (tn_is_carried(u)) return TN_SURE_NOT;
      for (uint32_t i = 1; i < u->nsrc; i++) if (tn_depends(f->t, s->x, u->src[i])) return TN_SURE_NOT;
      return (u->k == TINY_OP_ADD && a == TN_SURE_ZERO) || (u->k == TINY_OP_MAX && a == TN_SURE_LOWEST) ? a : 0;
    default: return TN_SURE_NOT;
  }
}

static void tn_suppose(const tn_masking *f, const tn_kernel *k, tiny_uop *x, tn_supposed *s) {
  tn_list all = {NULL, 0, 0};
  memset(s, 0, sizeof *s);
  s->k = k; s->x = x;
  tn_toposort(f->t, k->ast, &all);
  for (int i = 0; i < all.n; i++)
    tn_map_set(f->t, &s->sure, all.u[i], (void *)(intptr_t)tn_sure_node(f, s, all.u[i]));
}

// Does something of the kernel that is not left out by a WHERE use u?
static int tn_supposed_uses(const tn_masking *f, const tn_supposed *s, tiny_uop *root, const tiny_uop *u) {
  tn_list todo = {NULL, 0, 0};
  tn_map seen = {NULL, 0, 0};
  tn_push(f->t, &todo, root);
  while (todo.n) {
    const tiny_uop *at = todo.u[--todo.n];
    if (at == u) return 1;
    if (tn_map_has(&seen, at)) continue;
    tn_map_set(f->t, &seen, at, (void *)(uintptr_t)at);
    const int c = at->op == TINY_OP_WHERE ? tn_sure_of(s, at->src[0]) : (int)TN_SURE_NOT;
    const int chosen = c == TN_SURE_TRUE ? 1 : c == TN_SURE_FALSE ? 2 : 0;
    for (uint32_t i = 0; i < at->nsrc; i++) if (!chosen || (int)i == chosen) tn_push(f->t, &todo, at->src[i]);
  }
  return 0;
}

// ** what kernels say **

static void tn_kernel_masked(tiny_ctx *t, tn_kernel *k, tiny_uop *x, int zeros, tiny_uop *const *ranges, int n) {
  tn_list src = {NULL, 0, 0};
  tiny_uop *sink = k->ast;
  tn_push(t, &src, x);
  for (int i = 0; i < n; i++) if (tn_depends(t, x, ranges[i])) tn_push(t, &src, ranges[i]);
  tiny_uop *masked = tn_uop_make(t, TINY_OP_MASKED, TINY_VOID, 1, src.n, src.u, zeros, 0, NULL);
  src.n = 0;
  for (uint32_t i = 0; i < sink->nsrc; i++) {
    if (sink->src[i] == masked) return;
    tn_push(t, &src, sink->src[i]);
  }
  tn_push(t, &src, masked);
  k->ast = tn_like(t, k->ast, 1, src.n, src.u);
}

static int tn_adds_nothing(const tn_supposed *s, const tiny_uop *reduce) {
  const int body = tn_sure_of(s, reduce->src[0]);
  return (reduce->k == TINY_OP_ADD && body == TN_SURE_ZERO) || (reduce->k == TINY_OP_MAX && body == TN_SURE_LOWEST);
}

static int tn_supposes_length(tiny_ctx *t, const tn_supposed *s) {
  tn_list args = {NULL, 0, 0};
  tn_collect_op(t, s->x, TINY_OP_ARG, &args);
  for (int i = 0; i < args.n; i++) if (tn_is_length(s->k, args.u[i])) return 1;
  return 0;
}
// REDUCEs, all of those that close a range, to which iterations add nothing.
static void tn_masked_reduces(const tn_masking *f, tn_kernel *k, const tn_supposed *s) {
  tn_list reduces = {NULL, 0, 0};
  tn_collect_op(f->t, k->ast, TINY_OP_REDUCE, &reduces);
  for (int i = 0; i < reduces.n; i++) {
    tiny_uop *u = reduces.u[i];
    int all = !tn_is_carried(u), depends = 0;
    for (uint32_t r = 1; r < u->nsrc && all; r++) {
      const int pays = tn_range_extent(u->src[r]) >= TN_MASKED_LEAST || tn_supposes_length(f->t, s);
      depends |= pays && tn_depends(f->t, s->x, u->src[r]);
      for (int j = 0; j < reduces.n; j++)
        if (tn_reduces_over(reduces.u[j], u->src[r])) all &= tn_adds_nothing(s, reduces.u[j]);
    }
    if (all && depends) tn_kernel_masked(f->t, k, s->x, 0, u->src + 1, (int)u->nsrc - 1);
  }
}

// The store of a kernel that is nothing but one, for each of its ranges once; NULL: it is another form.
static const tiny_uop *tn_masked_store(const tn_kernel *k) {
  const tiny_uop *end = k->ast->src[0];
  const tiny_uop *store = end->op == TINY_OP_END ? end->src[0] : end;
  return store != end && store->op == TINY_OP_STORE && store->src[0]->nsrc == 2 ? store : NULL;
}

// Is x of nothing but the ranges of u, and ARGs?
static int tn_is_stored_along(tiny_ctx *t, tiny_uop *x, const tiny_uop *end) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, x, &all);
  for (int i = 0; i < all.n; i++) {
    int has = all.u[i]->op != TINY_OP_RANGE;
    for (uint32_t j = 1; j < end->nsrc; j++) has |= end->src[j] == all.u[i];
    if (!has) return 0;
  }
  return 1;
}

// Elements that are 0.
static void tn_masked_zeros(tn_masking *f, int at, const tn_supposed *s) {
  tn_kernel *k = &f->g->kernel[at];
  const tiny_uop *store = tn_masked_store(k), *end = k->ast->src[0];
  if (!store || k->node->op == TINY_OP_ASSIGN || tn_sure_of(s, store->src[1]) != TN_SURE_ZERO ||
      !tn_is_stored_along(f->t, s->x, end))
    return;
  for (uint32_t i = 1; i < k->ast->nsrc; i++) {            // nobody reads them either
    const tiny_uop *masked = k->ast->src[i];
    if (!masked->k && tn_is_stored_along(f->t, masked->src[0], end) && tn_follows(f->t, s->x, masked->src[0])) return;
  }
  tn_push(f->t, &f->zero[at], s->x);
  tn_kernel_masked(f->t, k, s->x, 1, end->src + 1, (int)end->nsrc - 1);
}

// Does every load of a summand that moves with the REDUCE move with all of the summand's ranges? Then each element is
// read once, and a mask costs little.
static int tn_reads_once(tiny_ctx *t, const tiny_uop *reduce) {
  tn_list all = {NULL, 0, 0}, ranges = {NULL, 0, 0};
  tn_toposort(t, reduce->src[0], &all);
  tn_collect_ranges(t, reduce->src[0], &ranges);
  for (int i = 0; i < all.n; i++) {
    int moves = 0;
    if (all.u[i]->op == TINY_OP_REDUCE) return 0;
    for (uint32_t r = 1; r < reduce->nsrc; r++) moves |= tn_depends(t, all.u[i], reduce->src[r]);
    for (int r = 0; r < ranges.n && moves && all.u[i]->op == TINY_OP_LOAD; r++)
      if (!tn_depends(t, all.u[i], ranges.u[r])) return 0;
  }
  return 1;
}

// Summands that are 0 as a product of what is known to be 0 get the mask, so that nobody needs their other factors.
static void tn_masked_select(const tn_masking *f, tn_kernel *k, const tn_supposed *s) {
  tn_list reduces = {NULL, 0, 0};
  tn_map map = {NULL, 0, 0};
  tiny_ctx *t = f->t;
  tn_collect_op(t, k->ast, TINY_OP_REDUCE, &reduces);
  for (int i = 0; i < reduces.n; i++) {
    tiny_uop *u = reduces.u[i];
    int wants = 0, depends = 0;
    for (uint32_t r = 1; r < u->nsrc; r++) depends |= tn_depends(t, s->x, u->src[r]);
    if (!depends || u->k != TINY_OP_ADD || !tn_adds_nothing(s, u) || !tn_reads_once(t, u)) continue;
    tn_list loads = {NULL, 0, 0};
    tn_collect_op(t, u->src[0], TINY_OP_LOAD, &loads);
    for (int j = 0; j < loads.n; j++) {
      const tiny_uop *memory = loads.u[j]->src[0]->src[0];
      const int p = memory->op == TINY_OP_PARAM ? tn_masked_producer(f, k, memory->k) : -1;
      wants |= p >= 0 && !f->zero[p].n && tn_supposed_uses(f, s, u->src[0], loads.u[j]);
    }
    if (!wants) continue;
    tiny_uop **src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
    memcpy(src, u->src, u->nsrc * sizeof *src);
    src[0] = tn_u3(t, TINY_OP_WHERE, tn_u2(t, TINY_OP_LT, tn_index(t, 0), s->x),
                   tn_const(t, u->dtype, tn_dtype_value(u->dtype, 0)), u->src[0]);
    tn_map_set(t, &map, u, tn_uop_with(t, u, src));
  }
  if (map.n) k->ast = tn_substitute(t, k->ast, &map);
}

// ** what nobody reads **

// In `out`, of the masks x by which kernel k leaves out what it reads at `index`, those that are of the index's digits:
// as kernel p has them, whose value it is.
static void tn_masked_unread(const tn_masking *f, const tn_kernel *p, const tn_kernel *k, tiny_uop *index,
                             tn_list *out) {
  tn_digit digit[TINY_MAX_DIMS];
  tn_affine part[TINY_MAX_DIMS];
  tiny_uop *range[TINY_MAX_DIMS], *now[TINY_MAX_DIMS];
  const tn_list *masks = &f->masks[k - f->g->kernel];
  const int n = tn_digits_of(p, digit, range);
  if (!masks->n || !tn_digits_split(digit, n, index->src[1], part)) return;
  for (int d = 0; d < n; d++) now[d] = tn_digit_range(&digit[d], &part[d]);
  for (int i = 0; i < masks->n; i++) {
    tn_supposed s;
    tiny_uop *x = tn_masked_carry(f->t, masks->u[i], k, p, n, now, range);
    if (!x) continue;
    tn_suppose(f, k, masks->u[i], &s);
    if (!tn_supposed_uses(f, &s, k->ast->src[0], index)) tn_push(f->t, out, x);
  }
}

// Keeps of `both` what also holds by `more`, if both are not empty.
static void tn_masked_meet(tiny_ctx *t, tn_list *both, const tn_list *more) {
  int n = 0;
  for (int i = 0; i < both->n; i++) {
    tiny_uop *x = NULL;
    for (int j = 0; j < more->n && !x; j++) {
      if (tn_follows(t, both->u[i], more->u[j])) x = both->u[i];
      else if (tn_follows(t, more->u[j], both->u[i])) x = more->u[j];
    }
    if (x) both->u[n++] = x;
  }
  both->n = n;
}

// A kernel whose value lives for others alone need not compute what none of them reads.
static void tn_masked_spare(const tn_masking *f, tn_kernel *p) {
  tn_list spare = {NULL, 0, 0};
  int reads = 0;
  if (!p->ast || !tn_masked_store(p) || p->node->op == TINY_OP_ASSIGN) return;
  if (tn_map_has(&f->kept, p->node) || tn_map_has(&f->kept, p->mem[0])) return;
  const tn_access *a = tn_access_first(&f->accesses, p->mem[0]);
  for (; a; a = tn_access_next(&f->accesses, a)) {
    const tn_kernel *k = &f->g->kernel[a->kernel];
    tn_list index = {NULL, 0, 0};
    if (k == p) continue;
    if (!a->slot || !k->ast || tn_masked_producer(f, k, a->slot) != (int)(p - f->g->kernel)) return;
    tn_kernel_indexes(f->t, k, a->slot, &index);
    for (int j = 0; j < index.n; j++) {
      tn_list now = {NULL, 0, 0};
      tn_masked_unread(f, p, k, index.u[j], &now);
      if (reads++) tn_masked_meet(f->t, &spare, &now);
      else spare = now;
      if (!spare.n) return;
    }
  }
  const tiny_uop *end = p->ast->src[0];
  for (int i = 0; i < spare.n; i++) tn_kernel_masked(f->t, p, spare.u[i], 0, end->src + 1, (int)end->nsrc - 1);
}

// ** what nobody wants **

// Of a kernel that computes elements along a length, those behind it are wanted by nobody: x > 0. So they need not be 0
// either, and what is chosen by their being meant is chosen.
static void tn_masked_unwanted(const tn_masking *f, tn_kernel *k, const tiny_uop *masked) {
  tiny_ctx *t = f->t;
  tn_supposed s;
  tn_list wheres = {NULL, 0, 0}, src = {NULL, 0, 0};
  tn_map map = {NULL, 0, 0};
  tiny_uop *within = tn_masked_difference(t, tn_index(t, 1), masked->src[0], 0);
  if (!within) return;
  tn_suppose(f, k, within, &s);
  if (!tn_supposes_length(t, &s)) return;
  for (uint32_t i = 0; i < k->ast->nsrc; i++) {
    const tiny_uop *zeros = k->ast->src[i];
    if (zeros->op != TINY_OP_MASKED || !zeros->k || !tn_follows(t, zeros->src[0], masked->src[0]))
      tn_push(t, &src, k->ast->src[i]);
  }
  tn_collect_op(t, src.u[0], TINY_OP_WHERE, &wheres);
  for (int i = 0; i < wheres.n; i++) {
    const int c = tn_sure_of(&s, wheres.u[i]->src[0]);
    if (c != TN_SURE_TRUE && c != TN_SURE_FALSE) continue;
    tiny_uop *chosen = tn_substitute(t, wheres.u[i]->src[c == TN_SURE_TRUE ? 1 : 2], &map);
    tn_map_set(t, &map, wheres.u[i], chosen);
  }
  k->ast = tn_like(t, k->ast, 1, src.n, src.u);
  if (map.n) k->ast = tn_substitute(t, k->ast, &map);
}
static void tn_masked_wanted(const tn_masking *f, tn_kernel *k) {
  const tiny_uop *sink = k->ast, *end = sink ? sink->src[0] : NULL;
  if (!sink || !tn_masked_store(k) || k->node->op == TINY_OP_ASSIGN) return;
  for (uint32_t i = 1; i < sink->nsrc; i++) {
    const tiny_uop *masked = sink->src[i];
    if (masked->op == TINY_OP_MASKED && !masked->k && tn_is_stored_along(f->t, masked->src[0], end))
      tn_masked_unwanted(f, k, masked);
  }
}

// What kernel `at` leaves out for its own masks.
static void tn_masked_own(tn_masking *f, int at) {
  tn_kernel *k = &f->g->kernel[at];
  tn_list *masks = &f->masks[at];
  tn_masked_masks(f, k, masks);
  const int n = masks->n;
  const tn_mark mark = tn_scratch_mark(f->t);
  for (int m = 0; m < n; m++) {
    tn_supposed s;
    const tiny_uop *before = k->ast;
    tn_suppose(f, k, masks->u[m], &s);
    tn_masked_select(f, k, &s);
    if (k->ast != before) tn_suppose(f, k, masks->u[m], &s);
    tn_masked_reduces(f, k, &s);
    tn_masked_zeros(f, at, &s);
  }
  if (!f->zero[at].n) tn_scratch_rewind(f->t, mark);
}

// The kernels in order[] say what they may leave out.
static void tn_graph_masked(tn_graph *g, const int *order, tiny_uop *const *roots, int nroots) {
  tn_masking f = {g->t, g, {NULL, 0, 0}, NULL, NULL, tn_graph_accesses(g)};
  tn_map plain = {NULL, 0, 0};             // kernels that have no mask, while none has been found
  const size_t nbytes = ((size_t)g->nkernel + 1) * sizeof(tn_list);
  int any = 0;
  for (int r = 0; r < nroots; r++) tn_map_set(g->t, &f.kept, roots[r], roots[r]);
  f.zero = (tn_list *)memset(tn_scratch(g->t, nbytes), 0, nbytes);
  f.masks = (tn_list *)memset(tn_scratch(g->t, nbytes), 0, nbytes);
  for (int i = 0; i < g->nkernel; i++) {
    tn_kernel *k = &g->kernel[order[i]];
    if (!k->ast || (!any && tn_map_has(&plain, k->ast))) continue;
    const tn_mark mark = tn_scratch_mark(g->t);
    tn_masked_own(&f, order[i]);
    const int n = f.masks[order[i]].n;
    if (!n) tn_scratch_rewind(g->t, mark);
    any |= n;
    if (!any) tn_map_set(g->t, &plain, k->ast, k->ast);
  }
  for (int i = 0; i < g->nkernel && any; i++) {
    const tn_mark mark = tn_scratch_mark(g->t);
    tn_masked_spare(&f, &g->kernel[order[i]]);
    tn_scratch_rewind(g->t, mark);
  }
  for (int i = 0; i < g->nkernel && any && g->positions; i++) {
    const tn_mark mark = tn_scratch_mark(g->t);
    tn_masked_wanted(&f, &g->kernel[order[i]]);
    tn_scratch_rewind(g->t, mark);
  }
}
#endif
