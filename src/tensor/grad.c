// grad: reverse-mode automatic differentiation of tensors: the walk around rules/gradient.c.
//
// In:  a loss of one element and parameters. Out: a tensor of each parameter's gradient.
// Nodes are visited from the loss down. A node between a parameter and the loss adds what its rule
// gives to the gradients of its sources; gradients of nodes with several users are sums. Nothing
// flows through integers, bools and DETACH; where that names a slope or a convolution, past what it detaches.
#ifndef TN_TENSOR_GRAD
#define TN_TENSOR_GRAD
#ifndef TINY_AMALGAMATED
#include "checkpoint.c"
#include "../rules/gradient.c"
#endif

typedef struct tn_grad_node { tiny_uop *u, *grad; int depends; } tn_grad_node;       // depends: on a parameter
// A walk from a root: wrt[0..n-1] are the nodes whose gradients are wanted. node i has mark first + i.
typedef struct tn_grad_walk {
  tn_grad_node *node;
  int n, nwrt, rules;
  uint32_t first;
  tiny_uop *const *wrt;
} tn_grad_walk;

static tn_grad_node *tn_grad_find(const tn_grad_walk *w, const tiny_uop *u) {
  const uint32_t i = u->mark - w->first;
  return i < (uint32_t)w->n && w->node[i].u == u ? &w->node[i] : NULL;
}
static void tn_grad_mark(tn_grad_walk *w) {
  for (int i = 0; i < w->n; i++) w->node[i].u->mark = w->first + (uint32_t)i;
}

// The graph of the root in topological order, with what depends on a parameter told.
static void tn_grad_order(tiny_ctx *t, tiny_uop *root, tn_grad_walk *w) {
  tn_list order = {NULL, 0, 0};
  tn_toposort(t, root, &order);
  w->n = order.n;
  w->first = t->ir->epoch + 1;
  t->ir->epoch += (uint32_t)order.n;
  w->node = (tn_grad_node *)tn_scratch(t, (size_t)order.n * sizeof *w->node);
  for (int i = 0; i < order.n; i++) w->node[i].u = order.u[i];
  tn_grad_mark(w);
  for (int i = 0; i < w->nwrt; i++) {
    tn_grad_node *p = tn_grad_find(w, w->wrt[i]);
    if (p) p->depends = 1;
  }
  for (int i = 0; i < w->n; i++) {
    tiny_uop *u = w->node[i].u;
    for (uint32_t s = 0; s < u->nsrc && !w->node[i].depends; s++)
      w->node[i].depends = tn_is_float(u->dtype) && (u->op != TINY_OP_DETACH || s) &&
          tn_grad_find(w, u->src[s])->depends;
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
  to->grad = to->grad ? tn_add(t, to->grad, part) : part;
}

static tiny_code tn_grad_flow(tiny_ctx *t, tiny_uop *root, tiny_uop *seed, tiny_uop *const *wrt, int n,
                              int rules, tiny_uop **grads);

// What flows into a checkpoint flows through a copy of its segment, whose inputs wait for the gradient: it is computed
// anew, when the gradient is there. What flows on to the inputs waits for the gradients of the parameters inside, so
// that the copy is done with before the next one begins.
static tiny_code tn_grad_checkpoint(tiny_ctx *t, tn_grad_walk *w, const tn_grad_node *x) {
  tn_segment s;
  tiny_uop *copy = tn_segment_copy(t, x->u, x->grad, w->wrt, w->nwrt, &s);
  tiny_uop **part = (tiny_uop **)tn_scratch(t, ((size_t)s.edge.n + 2) * sizeof *part);
  tn_list done = {NULL, 0, 0};
  tn_push(t, &done, NULL);
  const tiny_code code = tn_grad_flow(t, copy, x->grad, s.wrapped.u, s.wrapped.n, w->rules, part);
  tn_grad_mark(w);
  if (code != TINY_OK) return code;
  for (int i = 0; i < s.edge.n; i++)
    if (part[i] && !tn_segment_input(x->u, s.edge.u[i])) tn_push(t, &done, part[i]);
  for (int i = 0; i < s.edge.n; i++) {
    tn_grad_node *to = tn_grad_find(w, s.edge.u[i]);
    if (!part[i] || !to || !to->depends) continue;
    done.u[0] = part[i];
    const int waits = done.n > 1 && tn_segment_input(x->u, s.edge.u[i]);
    tn_grad_add(t, to,
                waits ? tn_uop_make(t, TINY_OP_AFTER, part[i]->dtype, 1, done.n, done.u, 0, 0, NULL) :
                        part[i]);
  }
  return TINY_OK;
}

// Adds what flows through node x to the gradients of its sources.
static tiny_code tn_grad_node_back(tiny_ctx *t, tn_grad_walk *w, const tn_grad_node *x) {
  tn_gradient flow = {x->grad, 0};
  int fired;
  tiny_uop *u = x->u;
  for (uint32_t s = 0; s < u->nsrc; s++)
    if (tn_grad_find(w, u->src[s])->depends && tn_is_float(u->src[s]->dtype))
      flow.wants |= 1 << (s < 31 ? s : 31);
  if (!flow.wants) return TINY_OK;
  if (tn_is_checkpoint(u)) return tn_grad_checkpoint(t, w, x);
  if (u->op == TINY_OP_DETACH && u->nsrc == 3) {
    for (uint32_t s = 1; s < 3; s++)
      if (flow.wants >> s & 1) tn_grad_add(t, tn_grad_find(w, u->src[s]), tn_conv_gradient(t, u, x->grad, (int)s));
    return TINY_OK;
  }
  const tiny_uop *d = tn_match_apply(t, w->rules, u, &flow, &fired);
  if (!d) return tn_grad_fail(t, u);
  for (uint32_t s = 0; s < d->nsrc; s++)
    if (d->src[s]->op != TINY_OP_GROUP && flow.wants >> s & 1)
      tn_grad_add(t, tn_grad_find(w, u->src[s]), d->src[s]);
  return TINY_OK;
}

// grads[i] = what flows from the root, into which seed flows, to wrt[i]; NULL: nothing.
static tiny_code tn_grad_flow(tiny_ctx *t, tiny_uop *root, tiny_uop *seed, tiny_uop *const *wrt, int n,
                              int rules, tiny_uop **grads) {
  tn_grad_walk w;
  memset(&w, 0, sizeof w);
  w.wrt = wrt; w.nwrt = n; w.rules = rules;
  tn_grad_order(t, root, &w);
  w.node[w.n - 1].grad = seed;
  for (int i = w.n; i-- > 0;) {
    if (!w.node[i].grad || !w.node[i].depends) continue;
    const tiny_code code = tn_grad_node_back(t, &w, &w.node[i]);
    if (code != TINY_OK) return code;
  }
  for (int i = 0; i < n; i++) {
    const tn_grad_node *x = tn_grad_find(&w, wrt[i]);
    grads[i] = x ? x->grad : NULL;
  }
  return TINY_OK;
}

typedef struct tn_grad_call { tiny_tensor *loss, *const *params; int n; tiny_tensor **grads; } tn_grad_call;
static tiny_code tn_grad_guarded(tiny_ctx *t, void *arg) {
  const tn_grad_call *call = (const tn_grad_call *)arg;
  const int n = call->n, rules = tn_rules_find(t, tn_rules_gradient);
  tiny_uop *loss = tn_uop_of(call->loss), **wrt = (tiny_uop **)tn_scratch(t, ((size_t)n + 1) * 2 * sizeof *wrt),
           **grad = wrt + n + 1;
  if (rules < 0) return t->code;
  for (int i = 0; i < n; i++) wrt[i] = tn_uop_of(call->params[i]);
  tiny_uop *seed = tn_expand(t, tn_k(t, loss, 1), loss->ndim, loss->dim);
  const tiny_code code = tn_grad_flow(t, loss, seed, wrt, n, rules, grad);
  if (code != TINY_OK) return code;
  for (int i = 0; i < n; i++) {
    tiny_uop *p = wrt[i];
    call->grads[i] = tn_tensor_new(t, grad[i] ? grad[i] : tn_expand(t, tn_k(t, p, 0), p->ndim, p->dim));
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
    if (!tn_usable("grad", 2, in, &out)) return t->code ? t->code : TINY_E_STATE;
  }
  if (tiny_nelem(loss) != 1)
    return tiny_fail(t, TINY_E_SHAPE, "grad: the loss is %s, not one element", tn_text_of(tn_uop_of(loss), a));
  if (!tn_is_float(tn_uop_of(loss)->dtype))
    return tiny_fail(t, TINY_E_DTYPE, "grad: the loss is %s, not a float", tn_dtypes[tn_uop_of(loss)->dtype].name);
  for (int i = 0; i < n; i++)
    if (!tn_is_float(tn_uop_of(params[i])->dtype))
      return tiny_fail(t, TINY_E_DTYPE, "grad: parameter %d is %s, not a float", i,
                       tn_dtypes[tn_uop_of(params[i])->dtype].name);
  tn_grad_call call = {loss, params, n, grads};
  const tiny_code code = tn_guard(t, tn_grad_guarded, &call);
  if (code != TINY_OK) for (int i = 0; i < n; i++) grads[i] = tn_poison(t);
  return code;
}
#endif
