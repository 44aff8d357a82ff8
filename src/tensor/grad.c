// grad: reverse-mode automatic differentiation of tensors: the walk around rules/gradient.c.
//
// In:  a loss of one element and parameters. Out: a tensor of each parameter's gradient.
// Nodes are visited from the loss down. A node between a parameter and the loss adds what its rule
// gives to the gradients of its sources; gradients of nodes with several users are sums. Nothing
// flows through integers, bools and DETACH; where that names a slope or a convolution, past what it detaches.
// What flows into a checkpoint is a walk within the walk: there may be any number of them, one in the other.
#ifndef TN_TENSOR_GRAD
#define TN_TENSOR_GRAD
#ifndef TINY_AMALGAMATED
#include "checkpoint.c"
#include "../rules/gradient.c"
#endif

// depends: on a parameter; around: its place in the walk around this one.
typedef struct tn_grad_node { tiny_uop *u, *grad; uint32_t around; int depends; } tn_grad_node;
// A walk from a root: wrt[0..nwrt-1] are the nodes whose gradients are wanted; NULL: none. node[i] has seq i; those
// from `left` on are done. Of a checkpoint's: the segment, and its node in the walk around this one.
typedef struct tn_grad_walk {
  tn_grad_node *node; int n, cap, left;
  tiny_uop *const *wrt; int nwrt; tn_map wanted;
  tn_segment segment; int checkpoint;
} tn_grad_walk;
typedef struct tn_grad_flow {              // the walks that are open, the innermost last
  tn_grad_walk *walk; int depth, cap, rules;
} tn_grad_flow;

static tn_grad_node *tn_grad_find(const tn_grad_walk *w, const tiny_uop *u) {
  return u->seq < (uint32_t)w->n && w->node[u->seq].u == u ? &w->node[u->seq] : NULL;
}

// Nothing flows beyond integers, nor within a segment beyond its edge.
static int tn_grad_ends(const tn_grad_walk *w, const tiny_uop *u) {
  return !tn_is_float(u->dtype) || (w->segment.edge.n && (u->realized || tn_map_has(&w->wanted, u)));
}

// The graph of the root in topological order, as far as gradients flow, with what depends on a parameter told.
static void tn_grad_order(tiny_ctx *t, tiny_uop *root, tn_grad_walk *w) {
  const uint32_t seen = ++t->ir->epoch;
  tn_walk *path = NULL, *top;
  int depth = 0, cap = 0;
  for (int i = 0; i < w->nwrt; i++) if (w->wrt[i]) tn_map_set(t, &w->wanted, w->wrt[i], w->wrt[i]);
  top = TN_PUSH(t, path, depth, cap, tn_walk);
  top->u = root; top->next = 0;
  root->mark = seen;
  while (depth) {
    top = &path[depth - 1];
    if (top->next == top->u->nsrc || tn_grad_ends(w, top->u)) {
      tn_grad_node *x = TN_PUSH(t, w->node, w->n, w->cap, tn_grad_node);
      x->u = top->u; x->grad = NULL; x->around = top->u->seq;
      x->depends = tn_map_has(&w->wanted, top->u);
      depth--;
      continue;
    }
    tiny_uop *s = top->u->src[top->next++];
    if (s->mark == seen) continue;
    s->mark = seen;
    top = TN_PUSH(t, path, depth, cap, tn_walk);
    top->u = s; top->next = 0;
  }
  for (int i = 0; i < w->n; i++) w->node[i].u->seq = (uint32_t)i;
  for (int i = 0; i < w->n; i++) {
    const tiny_uop *u = w->node[i].u;
    for (uint32_t s = 0; s < u->nsrc && !w->node[i].depends && !tn_grad_ends(w, u); s++)
      w->node[i].depends = (u->op != TINY_OP_DETACH || s) && tn_grad_find(w, u->src[s])->depends;
  }
}

// Operators without a gradient, and what to do about it.
static const struct { uint8_t op; const char *why;
} tn_grad_missing[] = {
    {TINY_OP_CUSTOM, "a kernel of your own (tiny_kernel) tells no derivative; tiny_detach its result"},
    {TINY_OP_ASSIGN,
     "the parameter was overwritten by tiny_assign; take the gradient of the tensor after the assignment"},
    {TINY_OP_IDIV, "it rounds; tiny_detach its result"},
    {TINY_OP_MOD, "write x - floor(x / y) * y"},
};
static tiny_code tn_grad_fail(tiny_ctx *t, const tiny_uop *u) {
  const char *why = "it is not a function of floats that can be differentiated";
  char text[TN_DIMS_TEXT];
  for (size_t i = 0; i < sizeof tn_grad_missing / sizeof *tn_grad_missing; i++)
    if (tn_grad_missing[i].op == u->op) why = tn_grad_missing[i].why;
  return tiny_fail(t, TINY_E_ARG, "grad: %s of %s has no gradient: %s", tiny_op_name(u->op),
                   tn_text_of(u, text), why);
}

static void tn_grad_add(tiny_ctx *t, tn_grad_node *to, tiny_uop *part) {
  part = tn_unbroadcast(t, part, to->u->ndim, to->u->dim);
  if (tn_bad(t, part)) { to->grad = part; return; }
  const int device = to->u->device ? to->u->device : to->grad ? to->grad->device : 0;
  if (device && part->device) part = tn_copy_to(t, part, device);          // of what is made anywhere
  to->grad = to->grad ? tn_add(t, to->grad, part) : part;
}

// Opens a walk from root, into which seed flows, to wrt[0..n-1].
static void tn_grad_open(tiny_ctx *t, tn_grad_flow *f, tiny_uop *root, tiny_uop *seed, tiny_uop *const *wrt, int n,
                         const tn_segment *segment, int checkpoint) {
  tn_grad_walk *w = TN_PUSH(t, f->walk, f->depth, f->cap, tn_grad_walk);
  memset(w, 0, sizeof *w);
  w->wrt = wrt; w->nwrt = n; w->checkpoint = checkpoint;
  if (segment) w->segment = *segment;
  tn_grad_order(t, root, w);
  w->node[w->n - 1].grad = seed;
  w->left = w->n;
}

// What flows into a checkpoint flows through a copy of its segment, whose inputs wait for the gradient: it is computed
// anew, when the gradient is there.
static void tn_grad_enter(tiny_ctx *t, tn_grad_flow *f, const tn_grad_node *x) {
  const tn_grad_walk *w = &f->walk[f->depth - 1];
  tn_segment s;
  tiny_uop *copy = tn_segment_copy(t, x->u, x->grad, &w->wanted, &s);
  if (s.edge.n) tn_grad_open(t, f, copy, x->grad, s.wrapped.u, s.wrapped.n, &s, (int)(x - w->node));
}

// What flows on to the inputs waits for the gradients of the parameters inside, so that the copy is done with before
// the next one begins.
static void tn_grad_leave(tiny_ctx *t, tn_grad_flow *f) {
  const tn_grad_walk *inner = &f->walk[--f->depth], *w = &f->walk[f->depth - 1];
  const tn_segment *s = &inner->segment;
  const tiny_uop *checkpoint = w->node[inner->checkpoint].u;
  tiny_uop **part = (tiny_uop **)tn_scratch(t, ((size_t)s->edge.n + 1) * sizeof *part);
  tn_list done = {NULL, 0, 0};
  tn_push(t, &done, NULL);
  for (int i = 0; i < s->edge.n; i++) {
    const tn_grad_node *x = tn_grad_find(inner, s->wrapped.u[i]);
    part[i] = x ? x->grad : NULL;
    if (part[i] && !tn_segment_input(checkpoint, s->edge.u[i])) tn_push(t, &done, part[i]);
  }
  for (int i = 0; i < inner->n; i++) inner->node[i].u->seq = inner->node[i].around;
  for (int i = 0; i < s->edge.n; i++) {
    tn_grad_node *to = tn_grad_find(w, s->edge.u[i]);
    if (!part[i] || !to || !to->depends) continue;
    done.u[0] = part[i];
    const int waits = done.n > 1 && tn_segment_input(checkpoint, s->edge.u[i]);
    tn_grad_add(t, to,
                waits ? tn_uop_make(t, TINY_OP_AFTER, part[i]->dtype, 1, done.n, done.u, 0, 0, NULL) :
                        part[i]);
  }
}

// Adds what flows through node x to the gradients of its sources.
static tiny_code tn_grad_node_back(tiny_ctx *t, tn_grad_flow *f, const tn_grad_node *x) {
  const tn_grad_walk *w = &f->walk[f->depth - 1];
  tn_gradient flow = {x->grad, 0};
  int fired;
  tiny_uop *u = x->u;
  if (tn_grad_ends(w, u)) return TINY_OK;
  for (uint32_t s = 0; s < u->nsrc; s++)
    if (tn_grad_find(w, u->src[s])->depends && tn_is_float(u->src[s]->dtype))
      flow.wants |= 1 << (s < 31 ? s : 31);
  if (!flow.wants) return TINY_OK;
  if (tn_is_checkpoint(u)) { tn_grad_enter(t, f, x); return TINY_OK; }
  if (u->op == TINY_OP_DETACH && u->nsrc == 3 && u->nv) {
    for (uint32_t s = 1; s < 3; s++)
      if (flow.wants >> s & 1) tn_grad_add(t, tn_grad_find(w, u->src[s]), tn_conv_gradient(t, u, x->grad, (int)s));
    return TINY_OK;
  }
  const tiny_uop *d = tn_match_apply(t, f->rules, u, &flow, &fired);
  if (!d) return tn_grad_fail(t, u);
  for (uint32_t s = 0; s < d->nsrc; s++)
    if (d->src[s]->op != TINY_OP_GROUP && flow.wants >> s & 1)
      tn_grad_add(t, tn_grad_find(w, u->src[s]), d->src[s]);
  return TINY_OK;
}

// What is made to flow through u: "NAME (backward)".
static int tn_label_backward(tiny_ctx *t, const tiny_uop *u) {
  static const char back[] = " (backward)";
  char text[TN_LABEL_TEXT];
  const int label = tn_label_of(t, u);
  const char *name = tn_label_text(t, label);
  const size_t n = strlen(name);
  if (!label || (n >= sizeof back && !strcmp(name + n + 1 - sizeof back, back))) return label;
  snprintf(text, sizeof text, "%.240s%s", name, back);
  return tn_label_of_text(t, text);
}

// grads[i] = what flows from the root, into which seed flows, to wrt[i]; NULL: nothing.
static tiny_code tn_grad_run(tiny_ctx *t, tiny_uop *root, tiny_uop *seed, tiny_uop *const *wrt, int n,
                             int rules, tiny_uop **grads) {
  tn_grad_flow f = {NULL, 0, 0, rules};
  tn_grad_open(t, &f, root, seed, wrt, n, NULL, 0);
  while (f.depth > 1 || f.walk[0].left) {
    tn_grad_walk *w = &f.walk[f.depth - 1];
    if (!w->left) { tn_grad_leave(t, &f); continue; }
    const tn_grad_node *x = &w->node[--w->left];
    if (!x->grad || !x->depends) continue;
    const int outside = tn_label_enter(t, tn_label_backward(t, x->u));
    const tiny_code code = tn_grad_node_back(t, &f, x);
    tn_label_leave(t, outside);
    if (code != TINY_OK) return code;
  }
  for (int i = 0; i < n; i++) {
    const tn_grad_node *x = wrt[i] ? tn_grad_find(&f.walk[0], wrt[i]) : NULL;
    grads[i] = x ? x->grad : NULL;
  }
  return TINY_OK;
}

// The node that parameter p was in graphs that were built before its memory was computed: then its handle moved on to
// the BUFFER (tn_realized_handles). state: nodes of the loss's graph that are such memory. NULL: it was no other.
static tiny_uop *tn_grad_before(tiny_ctx *t, tiny_uop *p, const tn_list *state) {
  tn_chain c;
  if (!state->n || !tn_chain_of(t, p, &c) || c.bottom->op != TINY_OP_BUFFER) return NULL;
  for (int i = 0; i < state->n; i++) {
    tiny_uop *u = state->u[i];
    if (u->realized != c.bottom) continue;
    if (c.n && c.link[c.n - 1]->op == TINY_OP_RESHAPE && tn_has_dims(c.link[c.n - 1], u->ndim, u->dim)) c.n--;
    return tn_chain_apply(t, &c, u);
  }
  return NULL;
}
static void tn_grad_states(tiny_ctx *t, tiny_uop *loss, tn_list *state) {
  tn_list order = {NULL, 0, 0};
  tn_toposort(t, loss, &order);
  for (int i = 0; i < order.n; i++)
    if (order.u[i]->realized && tn_is_memory(order.u[i])) tn_push(t, state, order.u[i]);
}

// What flows to the parts of p, a parameter: of one that is whole on each device, what flows to all of them.
static tiny_uop *tn_grad_of_parts(tiny_ctx *t, tiny_uop *p, tiny_uop *const *grad) {
  tiny_uop *part[TINY_MAX_DEVICES] = {NULL};
  const tn_shard_parts of = tn_parts_of(&p);
  for (int i = 0; i < of.n; i++) {
    part[i] = grad[i] ? grad[i] : tn_expand(t, tn_k(t, of.u[i], 0), of.u[i]->ndim, of.u[i]->dim);
    if (tn_is_shard(p)) part[i] = tn_part_on(t, part[i], p, i);
  }
  return tn_is_shard(p) && tn_shard_axis(p) < 0 ? tn_all_reduce(t, TINY_OP_ADD, of.n, part) : tn_parts_with(t, p, part);
}

typedef struct tn_grad_call { tiny_tensor *loss, *const *params; int n; tiny_tensor **grads; } tn_grad_call;
static tiny_code tn_grad_guarded(tiny_ctx *t, void *arg) {
  const tn_grad_call *call = (const tn_grad_call *)arg;
  const int rules = tn_rules_find(t, tn_rules_gradient);
  int n = 0, at = 0;                       // parts of parameters
  for (int i = 0; i < call->n; i++) n += tiny_shard_count(call->params[i]);
  tiny_uop *loss = tn_uop_of(call->loss), **wrt = (tiny_uop **)tn_scratch(t, ((size_t)n + 1) * 4 * sizeof *wrt),
           **before = wrt + n, **grad = wrt + 2 * n;
  tn_list state = {NULL, 0, 0};
  if (rules < 0) return t->code;
  if (tn_is_shard(loss)) loss = tn_shard_joined(t, loss, loss->src[0]->device);
  tn_grad_states(t, loss, &state);
  for (int i = 0; i < call->n; i++) {
    tiny_uop *p = tn_uop_of(call->params[i]);
    const tn_shard_parts of = tn_parts_of(&p);
    for (int k = 0; k < of.n; k++) wrt[at++] = of.u[k];
  }
  for (int i = 0; i < n; i++) before[i] = tn_grad_before(t, wrt[i], &state);
  tiny_uop *seed = tn_expand(t, tn_k(t, loss, 1), loss->ndim, loss->dim);
  const tiny_code code = tn_grad_run(t, loss, seed, wrt, state.n ? 2 * n : n, rules, grad);
  if (code != TINY_OK) return code;
  for (int i = 0; i < n; i++) {
    tiny_uop *other = state.n ? grad[n + i] : NULL;
    if (other) grad[i] = grad[i] ? tn_add(t, grad[i], other) : other;
  }
  for (int i = 0; i < call->n; i++) {
    call->grads[i] = tn_tensor_new(t, tn_grad_of_parts(t, tn_uop_of(call->params[i]), grad));
    grad += tiny_shard_count(call->params[i]);
  }
  return TINY_OK;
}

TINY_API tiny_code tiny_grad(tiny_tensor *loss, tiny_tensor *const *params, int n, tiny_tensor **grads) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!loss || !tn_ctx_of(loss)) return TINY_E_ARG;
  tiny_ctx *t = tn_ctx_of(loss);
  if (n < 0 || (n && (!params || !grads)))
    return tiny_fail(t, TINY_E_ARG, "grad: %d parameters, but params or grads is NULL", n);
  for (int i = 0; i < n; i++) grads[i] = tn_poison(t);
  for (int i = -1; i < n; i++) {
    tiny_tensor *const in[2] = {loss, i < 0 ? loss : params[i]};
    if (!tn_usable_in(NULL, "grad", 2, in, &out)) return t->code ? t->code : TINY_E_STATE;
  }
  if (tiny_nelem_of(loss) != 1)
    return tiny_fail(t, TINY_E_SHAPE, "grad: the loss is %s, not one element", tn_text_of(tn_uop_of(loss), a));
  if (!tn_is_float(tn_uop_of(loss)->dtype))
    return tiny_fail(t, TINY_E_DTYPE, "grad: the loss is %s, not a float", tn_dtypes[tn_uop_of(loss)->dtype].name);
  for (int i = 0; i < n; i++)
    if (!tn_is_float(tn_uop_of(params[i])->dtype))
      return tiny_fail(t, TINY_E_DTYPE, "grad: parameter %d is %s, not a float", i,
                       tn_dtypes[tn_uop_of(params[i])->dtype].name);
  tn_grad_call call = {loss, params, n, grads};
  const int outside = tn_label_enter(t, 0);
  const tiny_code code = tn_guard(t, tn_grad_guarded, &call);
  tn_label_leave(t, outside);              // it may have unwound
  if (code != TINY_OK) for (int i = 0; i < n; i++) grads[i] = tn_poison(t);
  return code;
}
#endif
