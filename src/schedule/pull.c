// pull: the value of a node at an index list, as an expression of the kernel that wants it.
//
// In:  a graph, of which it is known what lies in memory, and a list. Out: loads, arithmetic and REDUCEs over RANGEs;
//      the kernel has a slot for each memory and scalar that it reads.
// An index list is one node, (GROUP i0 i1 .. valid), so that equal lists are equal pointers. Movement ops are
// arithmetic on lists; a chain of them over memory folds as views first.
#ifndef TN_SCHEDULE_PULL
#define TN_SCHEDULE_PULL
#ifndef TINY_AMALGAMATED
#include "graph.c"
#include "../rules/reduce.c"
#include "../rules/decompose.c"
#include "../rules/notation_end.c"
#include "../shape/view.c"
#endif

// ** index lists **

static tiny_uop *tn_at(tiny_ctx *t, int n, tiny_uop **index, tiny_uop *valid) {
  index[n] = valid;
  return tn_uop_make(t, TINY_OP_GROUP, TINY_VOID, 1, n + 1, index, 0, 0, NULL);
}
static tiny_uop *tn_at_valid(const tiny_uop *at) { return at->src[at->nsrc - 1]; }

static tiny_uop *tn_at_scalar(tiny_ctx *t, tiny_uop *valid) {
  tiny_uop *index[1];
  return tn_at(t, 0, index, valid);
}

// A range that kernel k has not yet. Each kernel numbers its own, so that those of one structure are made of the same
// nodes.
static tiny_uop *tn_kernel_range(tiny_ctx *t, tn_kernel *k, int64_t extent, int kind) {
  tiny_uop *end = tn_index(t, extent);
  return tn_uop_make(t, TINY_OP_RANGE, TINY_INDEX, 1, 1, &end, (int64_t)++k->nrange << 8 | kind, 0, NULL);
}

// Fresh ranges over a shape; dims of 1 are index 0.
static tiny_uop *tn_at_fresh(tiny_ctx *t, tn_kernel *k, const tiny_uop *u) {
  tiny_uop *index[TINY_MAX_DIMS + 1];
  for (int i = 0; i < u->ndim; i++)
    index[i] = u->dim[i] == 1 ? tn_index(t, 0) : tn_kernel_range(t, k, u->dim[i], TN_LOOP);
  return tn_at(t, u->ndim, index, tn_bool(t, 1));
}

static tiny_uop *tn_flat(tiny_ctx *t, int n, tiny_uop *const *index, const int64_t *dim) {
  tiny_uop *flat = tn_index(t, 0);
  for (int i = 0; i < n; i++)
    flat = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, flat, tn_index(t, dim[i])), index[i]);
  return tn_simplify(t, flat);
}

// Index list of a reshaped node -> of its source. Dims are matched in the smallest groups of equal size, so that
// division and modulo appear only where dims really split or join.
static void tn_at_reshape(tiny_ctx *t, const tiny_uop *u, tiny_uop *const *out, tiny_uop **in) {
  const tiny_uop *x = u->src[0];
  int i = 0, o = 0;
  while (i < x->ndim || o < u->ndim) {
    const int i0 = i, o0 = o;
    int64_t ni = i < x->ndim ? x->dim[i++] : 1, no = o < u->ndim ? u->dim[o++] : 1;
    while (ni != no) {
      if (ni < no ? i == x->ndim : o == u->ndim) { tn_stop(t, "pull: a RESHAPE to another size"); return; }
      if (ni < no) ni *= x->dim[i++]; else no *= u->dim[o++];
    }
    if (i - i0 == 1 && o - o0 == 1) { in[i0] = out[o0]; continue; }
    tiny_uop *flat = tn_flat(t, o - o0, out + o0, u->dim + o0);
    for (int d = i - 1; d >= i0; d--) {
      in[d] = d == i0 ? flat : tn_simplify(t, tn_u2(t, TINY_OP_MOD, flat, tn_index(t, x->dim[d])));
      if (d > i0) flat = tn_simplify(t, tn_u2(t, TINY_OP_IDIV, flat, tn_index(t, x->dim[d])));
    }
  }
}

static tiny_uop *tn_at_pad(tiny_ctx *t, const tiny_uop *u, tiny_uop *const *out, tiny_uop **in,
                           tiny_uop *valid) {
  const tiny_uop *x = u->src[0];
  for (int i = 0; i < x->ndim; i++) {
    const int64_t before = u->v[2 * i], after = u->v[2 * i + 1];
    in[i] = before ? tn_simplify(t, tn_u2(t, TINY_OP_ADD, out[i], tn_index(t, -before))) : out[i];
    if (before > 0)
      valid = tn_u2(t, TINY_OP_AND, valid, tn_not(t, tn_u2(t, TINY_OP_LT, in[i], tn_index(t, 0))));
    if (after > 0) valid = tn_u2(t, TINY_OP_AND, valid, tn_u2(t, TINY_OP_LT, in[i], tn_index(t, x->dim[i])));
  }
  return tn_simplify(t, valid);
}

// The index list at which a movement op's source is wanted when the op itself is wanted at `at`.
static tiny_uop *tn_at_source(tiny_ctx *t, const tiny_uop *u, tiny_uop *at) {
  const tiny_uop *x = u->src[0];
  tiny_uop *in[TINY_MAX_DIMS + 1], *valid = tn_at_valid(at), **out = at->src;
  switch (u->op) {
    case TINY_OP_RESHAPE:
      if (tn_nelem(u) == 0) for (int i = 0; i < x->ndim; i++) in[i] = tn_index(t, 0);
      else tn_at_reshape(t, u, out, in);
      break;
    case TINY_OP_PERMUTE: for (int i = 0; i < u->ndim; i++) in[u->v[i]] = out[i]; break;
    case TINY_OP_EXPAND:
      for (int i = 0; i < u->ndim; i++) in[i] = x->dim[i] == 1 ? tn_index(t, 0) : out[i];
      break;
    case TINY_OP_SHRINK:
      for (int i = 0; i < u->ndim; i++)
        in[i] =
            u->v[2 * i] ? tn_simplify(t, tn_u2(t, TINY_OP_ADD, out[i], tn_index(t, u->v[2 * i]))) : out[i];
      break;
    case TINY_OP_SLICE:
      for (int i = 0; i < u->ndim; i++)
        in[i] = i == u->k ? tn_simplify(t, tn_u2(t, TINY_OP_ADD, out[i], u->src[1])) : out[i];
      break;
    case TINY_OP_PREFIX: return at;
    case TINY_OP_PAD: valid = tn_at_pad(t, u, out, in, valid); break;
    case TINY_OP_FLIP:
      for (int i = 0; i < u->ndim; i++)
        in[i] = u->k >> i & 1 ?
            tn_simplify(t,
                        tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, out[i], tn_index(t, -1)),
                              tn_index(t, u->dim[i] - 1))) :
            out[i];
      break;
    case TINY_OP_VIEW: {
      tiny_uop *flat = tn_index(t, u->k);
      for (int i = 0; i < u->ndim; i++)
        flat = tn_u2(t, TINY_OP_ADD, flat, tn_u2(t, TINY_OP_MUL, out[i], tn_index(t, u->v[u->ndim + i])));
      in[0] = tn_simplify(t, flat);
      break;
    }
    default: return at;                    // CONTIGUOUS, DETACH
  }
  return tn_at(t, x->ndim, in, valid);
}

// The list inside of a REDUCE: fresh ranges for the reduced axes, the same for the same (node, list).
static tiny_uop *tn_at_reduce(tiny_ctx *t, tn_kernel *k, tiny_uop *u, tiny_uop *at) {
  tiny_uop *inner = (tiny_uop *)tn_pairs_get(&k->reduce_at, u, at);
  if (inner) return inner;
  tiny_uop *index[TINY_MAX_DIMS + 1];
  const tiny_uop *x = u->src[0];
  for (int i = 0; i < x->ndim; i++)
    index[i] = !(u->k >> (8 + i) & 1) ? at->src[i] :
        x->dim[i] == 1                ? tn_index(t, 0) :
                                        tn_kernel_range(t, k, x->dim[i], TN_REDUCE);
  inner = tn_at(t, x->ndim, index, tn_at_valid(at));
  tn_pairs_set(t, &k->reduce_at, u, at, inner);
  return inner;
}


static void tn_kernel_begin(tn_graph *g) {
  tn_pairs_clear(&g->pulled);
  tn_map_clear(&g->params);
  tn_map_clear(&g->args);
}

static tiny_uop *tn_kernel_param(tn_graph *g, tn_kernel *k, tiny_uop *place) {
  int slot = tn_unboxed(tn_map_get(&g->params, place));
  if (slot < 0) {
    slot = k->nmem;
    *TN_PUSH(g->t, k->mem, k->nmem, k->mem_cap, tiny_uop *) = place;
    tn_map_set(g->t, &g->params, place, tn_boxed(slot));
  }
  return tn_param(g->t, place->dtype, slot, tn_nelem(place));
}

static tiny_uop *tn_kernel_arg(tn_graph *g, tn_kernel *k, tiny_uop *scalar) {
  int slot = tn_unboxed(tn_map_get(&g->args, scalar));
  if (slot < 0) {
    slot = k->narg;
    *TN_PUSH(g->t, k->arg, k->narg, k->arg_cap, tiny_uop *) = scalar;
    tn_map_set(g->t, &g->args, scalar, tn_boxed(slot));
  }
  return tn_uop_make(g->t, TINY_OP_ARG, scalar->dtype, 1, 0, NULL, slot, scalar->nv, scalar->v);
}
// A kernel's expression over SCALARs that have bounds as one over ARGs. Index lists speak of such SCALARs themselves:
// they are the same lists before the kernel is known that has the ARGs.
static tiny_uop *tn_kernel_args(tn_graph *g, tn_kernel *k, tiny_uop *sink) {
  tn_list scalars = {NULL, 0, 0};
  tn_map to = {NULL, 0, 0};
  if (!g->positions) return sink;
  tn_collect_op(g->t, sink, TINY_OP_SCALAR, &scalars);
  for (int i = 0; i < scalars.n; i++) tn_map_set(g->t, &to, scalars.u[i], tn_kernel_arg(g, k, scalars.u[i]));
  return scalars.n ? tn_substitute(g->t, sink, &to) : sink;
}

static tiny_uop *tn_load_from(tn_graph *g, tn_kernel *k, tiny_uop *place, tiny_uop *flat, tiny_uop *valid) {
  return tn_load(g->t, tn_index_of(g->t, tn_kernel_param(g, k, place), flat, valid), 1);
}

// Does this node's value lie in memory while kernel k runs?
static int tn_in_memory(tn_graph *g, const tn_kernel *k, const tiny_uop *u) {
  const tn_node *n = tn_graph_node(g, u);
  if (n->leaf || u == k->node) return n->leaf;
  return g->trial ? n->forced || (u->op == TINY_OP_REDUCE && !n->online) : n->stored;
}

// A chain of movement ops over memory: its views fold before any index arithmetic is written. NULL: u is no such chain.
static tiny_uop *tn_load_view(tn_graph *g, tn_kernel *k, tiny_uop *u, tiny_uop *at) {
  tiny_uop *chain[TN_MAX_CHAIN], *x = u, *flat, *valid;
  int n = 0;
  for (; !tn_in_memory(g, k, x); x = x->src[0]) {
    if (!tn_is_passing(x) || n == TN_MAX_CHAIN) return NULL;
    chain[n++] = x;
  }
  tiny_views v = tn_views_over(x->ndim, x->dim);
  while (n--) if (tn_views_move(&v, chain[n]) != TINY_OK) return NULL;
  if (tiny_views_expr(g->t, &v, at->src, &flat, &valid) != TINY_OK) return NULL;
  valid = tn_simplify(g->t, tn_u2(g->t, TINY_OP_AND, tn_at_valid(at), valid));
  return tn_load_from(g, k, tn_graph_node(g, x)->place, tn_simplify(g->t, flat), valid);
}

// A value that is wanted: of node u at an index list. in: the list at which its sources are, NULL: not looked at yet.
typedef struct tn_wanted { tiny_uop *u, *at, *in; } tn_wanted;
typedef struct tn_pulling { tn_graph *g; tn_kernel *k; tn_wanted *stack; int n, cap; } tn_pulling;

// The value of u at a list; NULL: it is wanted.
static tiny_uop *tn_pull_at(tn_pulling *p, tiny_uop *u, tiny_uop *at) {
  tiny_uop *x = (tiny_uop *)tn_pairs_get(&p->g->pulled, u, at);
  if (x) return x;
  const tn_wanted w = {u, at, NULL};
  *TN_PUSH(p->g->t, p->stack, p->n, p->cap, tn_wanted) = w;
  return NULL;
}

// The list of source i, where the node's sources are at `in`.
static tiny_uop *tn_pull_source_at(tiny_ctx *t, const tiny_uop *u, uint32_t i, tiny_uop *in) {
  if (tn_is_passing(u) || u->op == TINY_OP_CONTIGUOUS || u->op == TINY_OP_REDUCE) return in;
  return u->src[i]->ndim == u->ndim ? in : tn_at_scalar(t, tn_at_valid(in));
}

static tiny_uop *tn_pull_reduce(tn_graph *g, tiny_uop *u, tiny_uop *x, tiny_uop *inner) {
  tiny_uop *ranges[TINY_MAX_DIMS];
  int n = 0;
  for (int i = 0; i < u->src[0]->ndim; i++)
    if ((u->k >> (8 + i) & 1) && inner->src[i]->op == TINY_OP_RANGE) ranges[n++] = inner->src[i];
  return tn_reduce_over(g->t, u->k & 0xFF, x, n, ranges);
}

// What a node's value is at a place where a PAD put zeros.
static tiny_uop *tn_pull_pad(tn_graph *g, tiny_uop *u, tiny_uop *x, tiny_uop *inner) {
  if (x->op == TINY_OP_LOAD && x->src[0]->nsrc == 3 && x->src[0]->src[2] == tn_at_valid(inner)) return x;
  if (tn_is_k(tn_at_valid(inner), 1)) return x;
  return tn_u3(g->t, TINY_OP_WHERE, tn_at_valid(inner), x,
               tn_const(g->t, u->dtype, tn_dtype_value(u->dtype, 0)));
}

static tiny_uop *tn_pull_whole(tn_graph *g, tiny_uop *u, tiny_uop *x, tiny_uop *at) {
  tiny_ctx *t = g->t;
  return tn_u3(t, TINY_OP_WHERE, tn_simplify(t, tn_u2(t, TINY_OP_LT, at->src[u->k], u->src[1])), x,
               tn_const(t, u->dtype, u->v[0]));
}

// The value of a node that needs no source; NULL: it does.
static tiny_uop *tn_pull_first(tn_graph *g, tn_kernel *k, tiny_uop *u, tiny_uop *at) {
  if (tn_in_memory(g, k, u))
    return tn_load_from(g, k, tn_graph_node(g, u)->place, tn_flat(g->t, (int)at->nsrc - 1, at->src, u->dim),
                        tn_at_valid(at));
  if (u->op == TINY_OP_CONST) return u;
  if (u->op == TINY_OP_SCALAR) return u->nv ? u : tn_kernel_arg(g, k, u);
  if (u->op == TINY_OP_IOTA) return at->src[0];
  if (u->op == TINY_OP_REDUCE && tn_nelem(u->src[0]) == 0)
    return tn_const(g->t, u->dtype, tn_reduce_identity((int)(u->k & 0xFF), u->dtype));
  return tn_is_passing(u) && tn_nelem(u) ? tn_load_view(g, k, u, at) : NULL;
}

// The list at which the sources of a node are wanted that is wanted at `at` itself.
static tiny_uop *tn_pull_inner(tn_graph *g, tn_kernel *k, tiny_uop *u, tiny_uop *at) {
  if (u->op == TINY_OP_REDUCE) return tn_at_reduce(g->t, k, u, at);
  return tn_is_passing(u) || u->op == TINY_OP_CONTIGUOUS ? tn_at_source(g->t, u, at) : at;
}

// The value of what is on top of the stack; NULL: a source has come on top of it, whose value is needed first.
static tiny_uop *tn_pull_top(tn_pulling *p) {
  tn_graph *g = p->g;
  tiny_uop *u = p->stack[p->n - 1].u, *at = p->stack[p->n - 1].at, *in = p->stack[p->n - 1].in, *src[4] = {NULL};
  if (!in) {
    tiny_uop *x = tn_pull_first(g, p->k, u, at);
    if (x) return x;
    in = p->stack[p->n - 1].in = tn_pull_inner(g, p->k, u, at);
  }
  const uint32_t nsrc = tn_is_passing(u) || u->op == TINY_OP_WHOLE ? 1 : u->nsrc;
  for (uint32_t i = 0; i < nsrc; i++)
    if (!(src[i] = tn_pull_at(p, u->src[i], tn_pull_source_at(g->t, u, i, in)))) return NULL;
  if (u->op == TINY_OP_REDUCE) return tn_pull_reduce(g, u, src[0], in);
  if (u->op == TINY_OP_PAD) return tn_pull_pad(g, u, src[0], in);
  if (u->op == TINY_OP_WHOLE) return tn_pull_whole(g, u, src[0], in);
  if (tn_is_passing(u) || u->op == TINY_OP_CONTIGUOUS) return src[0];
  return tn_uop_make(g->t, u->op, u->dtype, 1, (int)u->nsrc, src, u->k, u->nv, u->v);
}

// The value of u at an index list, as an expression of kernel k.
static tiny_uop *tn_pull(tn_graph *g, tn_kernel *k, tiny_uop *u, tiny_uop *at) {
  tn_pulling p = {g, k, NULL, 0, 0};
  tiny_uop *x = tn_pull_at(&p, u, at);
  while (p.n) {
    const tn_wanted top = p.stack[p.n - 1];
    x = tn_pull_top(&p);
    if (!x) continue;
    tn_pairs_set(g->t, &g->pulled, top.u, top.at, x);
    p.n--;
  }
  return x;
}

// The value of k's node as a kernel of its own would compute it from the nearest memory and REDUCEs, simplified. For
// decisions only: what will be memory is not known yet.
static tiny_uop *tn_pull_trial(tn_graph *g, tn_kernel *k) {
  g->trial = 1;
  tn_kernel_begin(g);
  tiny_uop *x = tn_rewrite(g->t, tn_pull(g, k, k->node, k->at), tn_rules_reduce, NULL);
  g->trial = 0;
  return x;
}

// Where an ASSIGN through a view writes: the view's index list, walked down to its base.
static tiny_uop *tn_assign_at(tiny_ctx *t, const tiny_uop *assign, tiny_uop *at) {
  const tiny_uop *v = assign->src[1], *base = assign->src[0];
  while (v != base && tn_is_passing(v)) { at = tn_at_source(t, v, at); v = v->src[0]; }
  return at;
}
#endif
