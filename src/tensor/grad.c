// grad: reverse-mode automatic differentiation of tensors: the walk around rules/gradient.c.
//
// In:  a loss of one element and parameters. Out: a tensor of each parameter's gradient.
// Nodes are visited from the loss down. A node between a parameter and the loss adds what its rule
// gives to the gradients of its sources; gradients of nodes with several users are sums. Nothing
// flows through integers, bools and DETACH.
#ifndef TN_TENSOR_GRAD
#define TN_TENSOR_GRAD
#ifndef TINY_AMALGAMATED
#include "nn.c"
#include "../rules/gradient.c"
#endif

typedef struct tn_grad_call { tiny_tensor *loss, *const *params; int n; tiny_tensor **grads; } tn_grad_call;
typedef struct tn_grad_node { tiny_uop *u, *grad; int depends; } tn_grad_node;       // depends: on a parameter
typedef struct tn_grad_walk {
  tn_grad_node *node;
  int n, rules;
  uint32_t first;
} tn_grad_walk; // node i has mark first + i

static tn_grad_node *tn_grad_find(const tn_grad_walk *w, const tiny_uop *u) {
  const uint32_t i = u->mark - w->first;
  return i < (uint32_t)w->n && w->node[i].u == u ? &w->node[i] : NULL;
}

// The graph of the loss in topological order, with what depends on a parameter told.
static void tn_grad_order(tiny_ctx *t, const tn_grad_call *call, tn_grad_walk *w) {
  tn_list order = {NULL, 0, 0};
  tn_toposort(t, call->loss->uop, &order);
  w->n = order.n;
  w->first = t->ir->epoch + 1;
  t->ir->epoch += (uint32_t)order.n;
  w->node = (tn_grad_node *)tn_scratch(t, (size_t)order.n * sizeof *w->node);
  for (int i = 0; i < order.n; i++) { w->node[i].u = order.u[i]; order.u[i]->mark = w->first + (uint32_t)i; }
  for (int i = 0; i < call->n; i++) {
    tn_grad_node *p = tn_grad_find(w, call->params[i]->uop);
    if (p) p->depends = 1;
  }
  for (int i = 0; i < w->n; i++) {
    tiny_uop *u = w->node[i].u;
    for (uint32_t s = 0; s < u->nsrc && !w->node[i].depends; s++)
      w->node[i].depends =
          tn_is_float(u->dtype) && u->op != TINY_OP_DETACH && tn_grad_find(w, u->src[s])->depends;
  }
}

// Adds what flows through node x to the gradients of its sources.
static tiny_code tn_grad_node_back(tiny_ctx *t, const tn_grad_walk *w, const tn_grad_node *x) {
  tn_gradient flow = {x->grad, 0};
  int fired;
  tiny_uop *u = x->u;
  for (uint32_t s = 0; s < u->nsrc; s++)
    if (tn_grad_find(w, u->src[s])->depends && tn_is_float(u->src[s]->dtype))
      flow.wants |= 1 << (s < 31 ? s : 31);
  if (!flow.wants) return TINY_OK;
  const tiny_uop *d = tn_match_apply(t, w->rules, u, &flow, &fired);
  if (!d) return tiny_fail(t, TINY_E_ARG, "grad: %s has no gradient", tiny_op_name(u->op));
  for (uint32_t s = 0; s < d->nsrc; s++) {
    tiny_uop *part = d->src[s];
    if (part->op == TINY_OP_GROUP || !(flow.wants >> s & 1)) continue;
    tn_grad_node *to = tn_grad_find(w, u->src[s]);
    part = tn_unbroadcast(t, part, to->u->ndim, to->u->dim);
    to->grad = to->grad ? tn_add(t, to->grad, part) : part;
  }
  return TINY_OK;
}

static tiny_code tn_grad_guarded(tiny_ctx *t, void *arg) {
  const tn_grad_call *call = (const tn_grad_call *)arg;
  tn_grad_walk w;
  tiny_uop *loss = call->loss->uop;
  tn_grad_order(t, call, &w);
  w.rules = tn_rules_find(t, tn_rules_gradient);
  if (w.rules < 0) return t->code;
  w.node[w.n - 1].grad = tn_expand(t, tn_k(t, loss, 1), loss->ndim, loss->dim);
  for (int i = w.n; i-- > 0;) {
    if (!w.node[i].grad || !w.node[i].depends) continue;
    const tiny_code code = tn_grad_node_back(t, &w, &w.node[i]);
    if (code != TINY_OK) return code;
  }
  for (int i = 0; i < call->n; i++) {
    tiny_uop *p = call->params[i]->uop;
    const tn_grad_node *x = tn_grad_find(&w, p);
    call->grads[i] = tn_tensor_new(t, x && x->grad ? x->grad : tn_expand(t, tn_k(t, p, 0), p->ndim, p->dim));
  }
  return TINY_OK;
}

TINY_API tiny_code tiny_grad(tiny_tensor *loss, tiny_tensor *const *params, int n, tiny_tensor **grads) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (!loss || !loss->t) return TINY_E_ARG;
  tiny_ctx *t = loss->t;
  if (n < 0 || (n && (!params || !grads)))
    return tiny_fail(t, TINY_E_ARG, "grad: %d parameters, but params or grads is NULL", n);
  for (int i = 0; i < n; i++) grads[i] = tn_poison(t);
  for (int i = -1; i < n; i++) {
    tiny_tensor *const in[2] = {loss, i < 0 ? loss : params[i]};
    if (!tn_usable("grad", 2, in, &out)) return t->code ? t->code : TINY_E_STATE;
  }
  if (tiny_nelem(loss) != 1)
    return tiny_fail(t, TINY_E_SHAPE, "grad: the loss is %s, not one element", tn_text_of(loss->uop, a));
  if (!tn_is_float(loss->uop->dtype))
    return tiny_fail(t, TINY_E_DTYPE, "grad: the loss is %s, not a float", tn_dtypes[loss->uop->dtype].name);
  for (int i = 0; i < n; i++)
    if (!tn_is_float(params[i]->uop->dtype))
      return tiny_fail(t, TINY_E_DTYPE, "grad: parameter %d is %s, not a float", i,
                       tn_dtypes[params[i]->uop->dtype].name);
  tn_grad_call call = {loss, params, n, grads};
  const tiny_code code = tn_guard(t, tn_grad_guarded, &call);
  if (code != TINY_OK) for (int i = 0; i < n; i++) grads[i] = tn_poison(t);
  return code;
}
#endif
