// moves: what optimisation looks at in a kernel, and what it may do to one. A move changes ranges; the
// value that the kernel computes stays the same.
//
//   split    r of extent n*f -> r' * f + i (i innermost) or i * n + r' (i outermost). Where f does not divide
//            the extent of an output range, the last part is moved back to end where r ends: what overlaps is
//            computed twice. What is left over of a reduction is a reduction of its own
//   kind     what a range becomes: TASK (threads), GLOBAL and LOCAL (work groups and items), UPCAST and UNROLL
//            (copies of the expression), VECTOR (lanes), GROUP (a reduction shared by the work items of a
//            group), LOOP and REDUCE (loops)
//   pad      r grows to a multiple; what lies beyond is neither loaded nor stored, and adds the identity to reductions
//   swap     the order in which the ranges of a store loop
//   stage    what a load reads is first copied to nearer memory, laid out as it will be read; or a REDUCE is done
//            there: those of its ranges that are of kind LOOP then loop outside of what is staged, which keeps
//            what was added so far
// Ranges of END, REDUCE and STAGE are always RANGE nodes: substituting an expression for one leaves the ranges in it.
// tensorcore.c adds one that replaces a sum of products over three split ranges by products of tiles, one op each.
#ifndef TN_CODEGEN_MOVES
#define TN_CODEGEN_MOVES
#ifndef TINY_AMALGAMATED
#include "../schedule/plan.c"
#endif

#define TN_IRREGULAR INT64_MIN
enum { TN_MAX_RANGES = 24, TN_MAX_ACCESSES = 24 };

// First source that is a range list, -1: none.
static int tn_ranges_from(int op) {
  return op == TINY_OP_END || op == TINY_OP_REDUCE || op == TINY_OP_STAGE || op == TINY_OP_IDLE ? 1 : -1;
}

// ** nodes in the place of others, nothing simplified **

// The nodes of root that depend on from[0..n-1], sources first; now[u->seq] is what node u of root is replaced by.
// at[i]: seq of from[i].
typedef struct tn_replacing { tiny_uop *root, **now; tn_list changed; int *at, n; } tn_replacing;

static void tn_replace_prepare(tiny_ctx *t, tiny_uop *root, int n, tiny_uop *const *from, tn_replacing *p) {
  tn_list all = {NULL, 0, 0};
  memset(p, 0, sizeof *p);
  p->root = root; p->n = n;
  tn_toposort(t, root, &all);
  p->now = (tiny_uop **)tn_scratch(t, (size_t)all.n * sizeof *p->now);
  for (int i = 0; i < all.n; i++) all.u[i]->seq = (uint32_t)i;
  p->at = (int *)tn_scratch(t, ((size_t)n + 1) * sizeof *p->at);
  for (int i = 0; i < n; i++) {
    p->at[i] = from[i]->mark == t->ir->epoch ? (int)from[i]->seq : -1;
    if (p->at[i] >= 0) p->now[p->at[i]] = from[i];
  }
  for (int i = 0; i < all.n; i++) {        // what changes is marked by itself
    tiny_uop *u = all.u[i];
    if (p->now[i]) continue;
    for (uint32_t j = 0; j < u->nsrc && !p->now[i]; j++) if (p->now[u->src[j]->seq]) p->now[i] = u;
    if (p->now[i]) tn_push(t, &p->changed, u);
  }
  for (int i = 0; i < all.n; i++) p->now[i] = all.u[i];
}

// u with the sources that p gives it. Range lists hold ranges: an expression in one stands for those that it
// depends on.
static tiny_uop *tn_replace_node(tiny_ctx *t, const tn_replacing *p, tiny_uop *u) {
  tiny_uop *few[8], **src = few;
  int changed = 0, count = 0, cap = 8;
  const int lists = tn_ranges_from(u->op);
  if (u->nsrc > 8) { src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src); cap = (int)u->nsrc; }
  for (uint32_t j = 0; j < u->nsrc; j++) {
    tiny_uop *s = p->now[u->src[j]->seq];
    changed |= s != u->src[j];
    if (lists >= 0 && (int)j >= lists && s->op != TINY_OP_RANGE) {
      tn_list ranges = {NULL, 0, 0};
      tn_collect_ranges(t, s, &ranges);
      if (count + ranges.n + (int)u->nsrc > cap) {
        tiny_uop **grown =
            (tiny_uop **)tn_scratch(t, (size_t)(cap = 2 * (count + ranges.n + (int)u->nsrc)) * sizeof *src);
        memcpy(grown, src, (size_t)count * sizeof *src);
        src = grown;
      }
      for (int r = 0; r < ranges.n; r++) src[count++] = ranges.u[r];
    } else src[count++] = s;
  }
  if (!changed) return u;
  tiny_uop *now = count == (int)u->nsrc ?
      tn_uop_with(t, u, src) :
      tn_like(t, u, u->lanes, count, src);
  // GROUP: unrolled.
  if (count == 1 && (u->op == TINY_OP_END || (u->op == TINY_OP_REDUCE && src[0]->op != TINY_OP_GROUP)))
    now = src[0];
  return now;
}

// The root with to[i] in the place of from[i]. May be called again with others: until then no walk may number
// the nodes.
static tiny_uop *tn_replace_by(tiny_ctx *t, tn_replacing *p, tiny_uop *const *to) {
  for (int i = 0; i < p->n; i++) if (p->at[i] >= 0) p->now[p->at[i]] = to[i];
  for (int i = 0; i < p->changed.n; i++)
    p->now[p->changed.u[i]->seq] = tn_replace_node(t, p, p->changed.u[i]);
  return p->now[p->root->seq];
}

// root with from[i] replaced by to[i] everywhere.
static tiny_uop *tn_replace(tiny_ctx *t, tiny_uop *root, int n, tiny_uop *const *from, tiny_uop *const *to) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_replacing p;
  tn_replace_prepare(t, root, n, from, &p);
  root = tn_replace_by(t, &p, to);
  tn_scratch_rewind(t, mark);
  return root;
}

// root with every node, its sources done, as make has it, which makes nodes and walks none; NULL: as it is.
static tiny_uop *tn_remake(tiny_ctx *t, tiny_uop *root, tiny_uop *(*make)(tiny_ctx *t, tiny_uop *u)) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, root, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i], *few[8], **src = few;
    int changed = 0;
    if (u->nsrc > 8) src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
    for (uint32_t j = 0; j < u->nsrc; j++) {
      src[j] = all.u[u->src[j]->seq];
      changed |= src[j] != u->src[j];
    }
    u->seq = (uint32_t)i;
    tiny_uop *now = changed ? tn_uop_with(t, u, src) : u, *made = make(t, now);
    all.u[i] = made ? made : now;
  }
  root = all.u[all.n - 1];
  tn_scratch_rewind(t, mark);
  return root;
}

// A kernel under optimisation.
typedef struct tn_kernel_state { tiny_ctx *t; tiny_uop *sink; } tn_kernel_state;

// Gives r another kind; returns the range that stands for it now.
static tiny_uop *tn_move_kind(tn_kernel_state *s, tiny_uop *r, int kind) {
  tiny_uop *now = tn_with_kind(s->t, r, kind);
  if (now != r) s->sink = tn_replace(s->t, s->sink, 1, &r, &now);
  return now;
}

// What a part of r begins at when parts of f cover it and the last one is moved back: n-f - max(n-f - left*f, 0).
static tiny_uop *tn_part_start(tiny_ctx *t, int64_t n, int64_t f, tiny_uop *left) {
  tiny_uop *over = tn_u2(t, TINY_OP_MUL, left, tn_index(t, -f));
  over = tn_u2(t, TINY_OP_ADD, over, tn_index(t, n - f));
  over = tn_u2(t, TINY_OP_MUL, tn_u2(t, TINY_OP_MAX, over, tn_index(t, 0)), tn_index(t, -1));
  return tn_u2(t, TINY_OP_ADD, over, tn_index(t, n - f));
}

// Every REDUCE over r as one of the first `whole` of its values, whose range it returns, and one of the others.
static tiny_uop *tn_split_remainder(tn_kernel_state *s, tiny_uop *r, int64_t whole) {
  tiny_ctx *t = s->t;
  tn_list all = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0}, own = {NULL, 0, 0};
  tiny_uop *most = tn_range(t, whole, TN_REDUCE), *rest = tn_range(t, tn_range_extent(r) - whole, TN_REDUCE),
           *beyond = tn_u2(t, TINY_OP_ADD, rest, tn_index(t, whole));
  tn_toposort(t, s->sink, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i];
    int over = 0;
    own.n = 0;
    for (uint32_t j = 1; u->op == TINY_OP_IDLE && j < u->nsrc; j++) if (u->src[j] == r) {
      tn_push(t, &from, u);
      tn_push(t, &to, tn_replace(t, u, 1, &r, &most));
      break;
    }
    for (uint32_t j = 1; u->op == TINY_OP_REDUCE && j < u->nsrc; j++) {
      over |= u->src[j] == r;              // the loops of the second REDUCE are its own
      tn_push(t, &own, u->src[j] == r ? beyond : tn_range(t, tn_range_extent(u->src[j]), tn_range_kind(u->src[j])));
    }
    if (!over) continue;
    tiny_uop *last = tn_replace(t, u, own.n, u->src + 1, own.u);
    tn_push(t, &from, u);
    tn_push(t, &to, tn_u2(t, (int)u->k, tn_replace(t, u, 1, &r, &most), last));
  }
  s->sink = tn_replace(t, s->sink, from.n, from.u, to.u);
  return most;
}

// Splits off a part of extent f of the given kind, the inner part unless outer is set. *rest (may be NULL)
// receives the range that is left, NULL if none is. Where f does not divide the extent it is less, the part an
// inner one, and r either a range of REDUCEs alone (what is left over becomes REDUCEs of their own) or one of the
// store alone, and no load reads what the kernel writes.
static tiny_uop *tn_move_split(tn_kernel_state *s, tiny_uop *r, int64_t f, int kind, int outer,
                               tiny_uop **rest) {
  int64_t n = tn_range_extent(r);
  if (rest) *rest = NULL;
  if (f == n) return tn_move_kind(s, r, kind);
  if (n % f && tn_range_kind(r) == TN_REDUCE) {
    n -= n % f;
    r = tn_split_remainder(s, r, n);
    if (f == n) return tn_move_kind(s, r, kind);
  }
  tiny_uop *part = tn_range(s->t, f, kind), *left = tn_range(s->t, (n + f - 1) / f, tn_range_kind(r)), *to;
  if (n % f) to = tn_u2(s->t, TINY_OP_ADD, tn_part_start(s->t, n, f, left), part);
  else if (outer) to = tn_u2(s->t, TINY_OP_ADD, tn_u2(s->t, TINY_OP_MUL, part, tn_index(s->t, n / f)), left);
  else to = tn_u2(s->t, TINY_OP_ADD, tn_u2(s->t, TINY_OP_MUL, left, tn_index(s->t, f)), part);
  s->sink = tn_replace(s->t, s->sink, 1, &r, &to);
  if (rest) *rest = left;
  return part;
}

// Grows r to a multiple of m.
static tiny_uop *tn_move_pad(tn_kernel_state *s, tiny_uop *r, int64_t m) {
  tiny_ctx *t = s->t;
  const int64_t n = tn_range_extent(r), grown = (n + m - 1) / m * m;
  if (grown == n) return r;
  tiny_uop *wide = tn_range(t, grown, tn_range_kind(r)), *inside = tn_u2(t, TINY_OP_LT, wide, tn_index(t, n));
  s->sink = tn_replace(t, s->sink, 1, &r, &wide);
  tn_list all = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_toposort(t, s->sink, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i], *src[3];
    if (u->op == TINY_OP_INDEX && tn_depends(t, u->src[1], wide)) {
      // what it was found by, an index that is loaded, has got its condition before
      for (uint32_t j = 0; j < u->nsrc; j++) src[j] = tn_replace(t, u->src[j], from.n, from.u, to.u);
      src[2] = u->nsrc == 3 ? tn_u2(t, TINY_OP_AND, src[2], inside) : inside;
      tn_push(t, &from, u);
      tn_push(t, &to, tn_like(t, u, u->lanes, 3, src));
    }
  }
  s->sink = tn_replace(t, s->sink, from.n, from.u, to.u);
  all.n = from.n = to.n = 0;
  tn_toposort(t, s->sink, &all);
  for (int i = 0; i < all.n; i++) {        // reductions over r see the identity beyond its end
    tiny_uop *u = all.u[i];
    int over = 0;
    for (uint32_t j = 1; u->op == TINY_OP_REDUCE && j < u->nsrc; j++) over |= u->src[j] == wide;
    if (!over) continue;
    tiny_uop **src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
    memcpy(src, u->src, u->nsrc * sizeof *src);
    src[0] = tn_u3(t, TINY_OP_WHERE, inside, src[0],
                   tn_const(t, u->dtype, tn_reduce_identity((int)u->k, u->dtype)));
    tn_push(t, &from, u);
    tn_push(t, &to, tn_uop_with(t, u, src));
  }
  s->sink = tn_replace(t, s->sink, from.n, from.u, to.u);
  return wide;
}

// Exchanges the places of a and b in every range list that holds both.
static void tn_move_swap(tn_kernel_state *s, tiny_uop *a, tiny_uop *b) {
  tiny_ctx *t = s->t;
  tn_list all = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_toposort(t, s->sink, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i];
    int has = 0;
    if (tn_ranges_from(u->op) < 0) continue;
    tiny_uop **src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
    for (uint32_t j = 0; j < u->nsrc; j++) {
      has |= j ? (u->src[j] == a) | (u->src[j] == b) << 1 : 0;
      src[j] = j && u->src[j] == a ? b : j && u->src[j] == b ? a : u->src[j];
    }
    if (has != 3) continue;
    tn_push(t, &from, u);
    tn_push(t, &to, tn_uop_with(t, u, src));
  }
  s->sink = tn_replace(t, s->sink, from.n, from.u, to.u);
}

// What no round reads need not be copied: each IDLE also of the ranges fresh[1..n], in the place of inner[0..n-1].
static void tn_stage_idles(tn_kernel_state *s, int n, tiny_uop *const *inner, tiny_uop **fresh) {
  tn_list src = {NULL, 0, 0};
  for (uint32_t i = 0; i < s->sink->nsrc; i++) tn_push(s->t, &src, s->sink->src[i]);
  for (uint32_t i = 1; i < s->sink->nsrc; i++) {
    const tiny_uop *idle = s->sink->src[i];
    if (idle->op != TINY_OP_IDLE || idle->k) continue;
    fresh[0] = tn_replace(s->t, idle->src[0], n, inner, fresh + 1);
    if (fresh[0] != idle->src[0])
      tn_push(s->t, &src, tn_uop_make(s->t, TINY_OP_IDLE, TINY_VOID, 1, n + 1, fresh, 0, 0, NULL));
  }
  s->sink = tn_like(s->t, s->sink, 1, src.n, src.u);
}

// Copies what `load` gives (any value will do), over the ranges inner[0..n-1], to memory of the given space before
// the loops that use it; the other ranges in its index stay outside of the copy. The copy's loops are fresh, with
// REDUCE become LOOP; its work items are the kernel's. Returns the STAGE.
static tiny_uop *tn_move_stage(tn_kernel_state *s, tiny_uop *load, int n, tiny_uop *const *inner, int space) {
  tiny_ctx *t = s->t;
  tiny_uop *fresh[TINY_MAX_DIMS + 1], *flat = tn_index(t, 0);
  for (int i = 0; i < n; i++) {
    const int kind = tn_range_kind(inner[i]);
    fresh[i + 1] = kind == TN_LOCAL || kind == TN_GROUP ? inner[i] :
                   tn_range(t, tn_range_extent(inner[i]),
                            kind == TN_REDUCE ? TN_LOOP : kind == TN_UNROLL ? TN_UPCAST : kind);
    flat =
        tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, flat, tn_index(t, tn_range_extent(inner[i]))), inner[i]);
  }
  fresh[0] = tn_replace(t, load, n, inner, fresh + 1);
  tiny_uop *stage = tn_stage(t, space, fresh[0], n, fresh + 1), *staged = tn_load_at(t, stage, flat);
  s->sink = tn_replace(t, s->sink, 1, &load, &staged);
  if (load->op != TINY_OP_REDUCE) tn_stage_idles(s, n, inner, fresh);
  return stage;
}

// Shares a reduction between g work items: each reduces its part, the parts go to LOCAL memory, and every item
// reduces those. r must be a range of `reduce` and g divide its extent.
static void tn_move_group(tn_kernel_state *s, tiny_uop *reduce, tiny_uop *r, int64_t g) {
  tiny_ctx *t = s->t;
  const int64_t n = tn_range_extent(r);
  tiny_uop *item = tn_range(t, g, TN_GROUP), *rest = n == g ? NULL : tn_range(t, n / g, TN_REDUCE),
           *part = item;
  if (rest) part = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, rest, tn_index(t, g)), item);
  tiny_uop *partial = tn_replace(t, reduce, 1, &r, &part);   // its range list now holds item too: take it out
  tiny_uop **src = (tiny_uop **)tn_scratch(t, (partial->nsrc + 1) * sizeof *src);
  int count = 0;
  for (uint32_t i = 0; i < partial->nsrc; i++) if (partial->src[i] != item) src[count++] = partial->src[i];
  partial = tn_reduce_over(t, reduce->k, src[0], count - 1, src + 1);
  tiny_uop *again = tn_range(t, g, TN_REDUCE), *parts = tn_stage(t, TN_SPACE_LOCAL, partial, 1, &item),
           *whole = tn_reduce_over(t, reduce->k, tn_load_at(t, parts, again), 1, &again);
  s->sink = tn_replace(t, s->sink, 1, &reduce, &whole);
}

// ** what the heuristics look at **

// How far e moves when r advances by one. Sums of more terms than that are irregular.
enum { TN_STRIDE_TERMS = 1024 };
static int64_t tn_stride_in(tiny_ctx *t, tiny_uop *e, const tiny_uop *r) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_term few[TN_FEW_WALKS], *todo = few, *x;
  int64_t stride = 0;
  int n = 0, cap = TN_FEW_WALKS, terms = 0;
  x = TN_PUSH(t, todo, n, cap, tn_term);
  x->x = e; x->c = 1;
  while (n && stride != TN_IRREGULAR) {
    const tn_term m = todo[--n];
    if (m.x == r) stride = tn_wrap_add(stride, m.c);
    else if (m.x->op == TINY_OP_MUL && tn_is_const(m.x->src[1])) {
      x = TN_PUSH(t, todo, n, cap, tn_term);
      x->x = m.x->src[0]; x->c = tn_wrap_mul(m.c, m.x->src[1]->k);
    } else if (m.x->op == TINY_OP_ADD) for (int i = 0; i < 2; i++) {
      x = TN_PUSH(t, todo, n, cap, tn_term);
      x->x = m.x->src[i]; x->c = m.c;
    } else if (m.x->nsrc && tn_depends(t, m.x, r)) stride = TN_IRREGULAR;
    if (++terms == TN_STRIDE_TERMS) stride = TN_IRREGULAR;
  }
  tn_scratch_rewind(t, mark);
  return stride;
}

typedef struct tn_profile {                // what the heuristics look at
  tiny_uop *end, *store;                   // store: the INDEX that is written
  tiny_uop *out[TN_MAX_RANGES]; int nout;  // output ranges in loop order
  tiny_uop *red[TN_MAX_RANGES]; int nred;  // ranges of all REDUCEs
  tiny_uop *reduce[TN_MAX_RANGES]; int nreduce;
  tiny_uop *carried;                       // the range along which REDUCEs run: not in out, nor they in reduce
  tiny_uop *load[TN_MAX_ACCESSES]; int nload;  // INDEX nodes that are read
  int nalu, row;                           // row: some output ranges loop inside of the scope of the REDUCEs
  int usable, repeats;                     // repeats: it reads nothing that it writes, elements may be stored twice
} tn_profile;

static void tn_profile_nodes(tiny_ctx *t, const tn_list *all, tn_profile *p) {
  for (int i = 0; i < all->n; i++) {
    tiny_uop *u = all->u[i];
    p->nalu += tn_op_is(u->op, TINY_ALU) && u->dtype != TINY_INDEX;
    if (u->op == TINY_OP_LOAD) {
      if (p->nload == TN_MAX_ACCESSES) {
        p->usable = 0;
        return;
      }
      p->load[p->nload++] = u->src[0];
      p->repeats &= u->src[0]->src[0] != p->store->src[0];
    }
    if (u->op == TINY_OP_REDUCE && !tn_is_running(u)) {
      if (p->nreduce == TN_MAX_RANGES) { p->usable = 0; return; }
      p->reduce[p->nreduce++] = u;
      for (int j = 0; j < p->nout; j++) p->row |= !tn_depends(t, u, p->out[j]);
    }
    if (u->op == TINY_OP_RANGE && tn_range_kind(u) == TN_REDUCE) {
      if (p->nred == TN_MAX_RANGES) {
        p->usable = 0;
        return;
      }
      p->red[p->nred++] = u;
    }
  }
}

// Does the kernel say itself in which order it accesses memory, or how often it loops? Then no move is made.
static int tn_is_ordered(tiny_ctx *t, tiny_uop *sink) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_list all = {NULL, 0, 0};
  int ordered = 0;
  tn_toposort(t, sink, &all);
  for (int i = 0; i < all.n && !ordered; i++) {
    const tiny_uop *u = all.u[i];
    ordered = u->op == TINY_OP_AFTER || (u->op == TINY_OP_RANGE && (u->nsrc > 1 || !tn_is_const(u->src[0])));
  }
  tn_scratch_rewind(t, mark);
  return ordered;
}

static void tn_profile_kernel(tiny_ctx *t, tiny_uop *sink, tn_profile *p) {
  const tn_mark mark = tn_scratch_mark(t);
  tn_list all = {NULL, 0, 0};
  memset(p, 0, sizeof *p);
  p->end = sink->src[0];
  for (uint32_t i = 1; i < sink->nsrc; i++) if (sink->src[i]->op != TINY_OP_IDLE) return;
  if (p->end->op != TINY_OP_END && p->end->op != TINY_OP_STORE) return;
  const tiny_uop *store = p->end->op == TINY_OP_END ? p->end->src[0] : p->end;
  p->store = store->src[0];
  p->usable = 1;
  tn_toposort(t, sink, &all);
  for (int i = 0; i < all.n; i++) if (tn_is_running(all.u[i])) p->carried = all.u[i]->src[1];
  p->repeats = 1;
  for (uint32_t i = 1; p->end->op == TINY_OP_END && i < p->end->nsrc; i++) {
    if (p->end->src[i] == p->carried) continue;
    if (p->nout == TN_MAX_RANGES) { p->usable = 0; return; }
    p->out[p->nout++] = p->end->src[i];
  }
  tn_profile_nodes(t, &all, p);
  tn_scratch_rewind(t, mark);
}

// ** products of narrow numbers **

static const struct { uint8_t x, y, sum, dot; } tn_dots[] = {
  {TINY_BF16, TINY_BF16, TINY_F32, TINY_DOT_BF16}, {TINY_U8, TINY_I8, TINY_I32, TINY_DOT_U8_I8},
  {TINY_I8, TINY_I8, TINY_I32, TINY_DOT_U8_I8}   // x + 128 is unsigned: what is too much is taken away
};

// The n values that x has from n * left on along r, in one word.
static tiny_uop *tn_word_of(tiny_ctx *t, tiny_uop *x, tiny_uop *r, tiny_uop *left, int n) {
  tiny_uop *word = NULL;
  for (int i = 0; i < n; i++) {
    tiny_uop *at = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, left, tn_index(t, n)), tn_index(t, i)), *one;
    one = tn_cast(t, tn_bitcast(t, tn_replace(t, x, 1, &r, &at), n == 4 ? TINY_U8 : TINY_U16), TINY_U32);
    if (i) one = tn_u2(t, TINY_OP_SHL, one, tn_int(t, TINY_U32, 32 / n * i));
    word = word ? tn_u2(t, TINY_OP_OR, word, one) : one;
  }
  return word;
}

static tiny_uop *tn_dot_of(tiny_ctx *t, int dot, tiny_uop *x, tiny_uop *y, tiny_uop *sum) {
  tiny_uop *src[3] = {x, y, sum};
  return tn_uop_make(t, TINY_OP_DOT, sum->dtype, 1, 3, src, dot, 0, NULL);
}

// A sum along one range of products of narrow numbers becomes one of DOTs, where the target has them: neighbours
// along the range share a word. 1: it did.
static int tn_move_dot(tn_kernel_state *s, const tn_profile *p, const tn_target *target) {
  tiny_ctx *t = s->t;
  if (!target->renderer || p->nreduce != 1 || p->nred != 1 || p->reduce[0]->k != TINY_OP_ADD) return 0;
  tiny_uop *reduce = p->reduce[0], *product = reduce->src[0], *r = p->red[0];
  if (product->op != TINY_OP_MUL || product->src[0]->op != TINY_OP_CAST || product->src[1]->op != TINY_OP_CAST)
    return 0;
  for (size_t i = 0; i < 2 * sizeof tn_dots / sizeof *tn_dots; i++) {
    tiny_uop *x = product->src[i & 1]->src[0], *y = product->src[!(i & 1)]->src[0];
    const int dot = tn_dots[i / 2].dot, n = 32 / tn_bits(x->dtype);
    if (!tn_target_dots(target, dot) || x->dtype != tn_dots[i / 2].x || y->dtype != tn_dots[i / 2].y ||
        reduce->dtype != tn_dots[i / 2].sum || tn_range_extent(r) % n || tn_range_extent(r) == n)
      continue;
    tiny_uop *words = tn_range(t, tn_range_extent(r) / n, TN_REDUCE),
             *sum = tn_const(t, reduce->dtype, tn_dtype_value(reduce->dtype, 0));
    x = tn_word_of(t, x, r, words, n);
    y = tn_word_of(t, y, r, words, n);
    if (tn_dots[i / 2].x == TINY_I8) {
      tiny_uop *bias = tn_int(t, TINY_U32, 0x80808080);
      sum = tn_u2(t, TINY_OP_MUL, tn_dot_of(t, dot, bias, y, sum), tn_int(t, TINY_I32, -1));
      x = tn_u2(t, TINY_OP_XOR, x, bias);
    }
    tiny_uop *now = tn_reduce_over(t, TINY_OP_ADD, tn_dot_of(t, dot, x, y, sum), 1, &words);
    s->sink = tn_simplify(t, tn_replace(t, s->sink, 1, &reduce, &now));
    return 1;
  }
  return 0;
}

// What DOTs of a REDUCE add beside their products is summed on its own: where tiles share it, once for all of them.
static void tn_move_apart(tn_kernel_state *s) {
  tiny_ctx *t = s->t;
  tn_list all = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_toposort(t, s->sink, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i], *dot = u->nsrc ? u->src[0] : NULL, *r, *src[2];
    if (u->op != TINY_OP_REDUCE || u->nsrc != 2 || dot->op != TINY_OP_DOT || tn_is_const(dot->src[2])) continue;
    r = u->src[1];
    src[1] = tn_range(t, tn_range_extent(r), TN_REDUCE);
    src[0] = tn_replace(t, dot->src[2], 1, &r, &src[1]);
    tiny_uop *sum = tn_uop_with(t, u, src);
    src[0] = tn_dot_of(t, (int)dot->k, dot->src[0], dot->src[1], tn_const(t, u->dtype, tn_dtype_value(u->dtype, 0)));
    src[1] = r;
    tn_push(t, &from, u);
    tn_push(t, &to, tn_u2(t, TINY_OP_ADD, tn_uop_with(t, u, src), sum));
  }
  s->sink = tn_replace(t, s->sink, from.n, from.u, to.u);
}
#endif
