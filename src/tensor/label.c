// label: what users call tensors, and the parts of their programs that make them.
//
// In:  names. Out: labels of nodes (ir/label.c).
#ifndef TN_TENSOR_LABEL
#define TN_TENSOR_LABEL
#ifndef TINY_AMALGAMATED
#include "tensor.c"
#endif

typedef struct tn_label_call { tiny_uop *u; int label; } tn_label_call;

// u, and what was made for it: down to memory and to what has a name of its own, other than that of the scope.
static tiny_code tn_label_guarded(tiny_ctx *t, void *arg) {
  const tn_label_call *c = (const tn_label_call *)arg;
  const uint32_t seen = ++t->ir->epoch;
  tn_list stack = {NULL, 0, 0};
  tn_push(t, &stack, c->u);
  c->u->mark = seen;
  while (stack.n) {
    const tiny_uop *u = stack.u[--stack.n];
    tn_label_set(t, u, c->label);
    for (uint32_t i = 0; i < u->nsrc && !tn_is_leaf(u); i++) {
      tiny_uop *s = u->src[i];
      const int has = s->mark == seen || !s->nsrc || tn_is_leaf(tn_memory_under(s)) ? -1 : tn_label_of(t, s);
      if (has && has != t->labels->now) continue;
      s->mark = seen;
      tn_push(t, &stack, s);
    }
  }
  return TINY_OK;
}

TINY_API tiny_tensor *tiny_label(tiny_tensor *x, const char *name) {
  tiny_tensor *out;
  if (!tn_usable_in(NULL, "label", 1, &x, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (!name) return tn_wrong(t, TINY_E_ARG, "label: name is NULL");
  tn_label_call c = {tn_uop_of(x), 0};
  if (tn_labels_open(t)) c.label = tn_label_within(t, t->labels->now, name);
  if (!c.label && *name) return tn_wrong(t, TINY_E_MEMORY, "label: no memory for a name");
  if (!c.label) return x;
  return tn_guard(t, tn_label_guarded, &c) == TINY_OK ? x : tn_poison(t);
}

// Of the innermost scope, for messages.
static void tn_scope_say(tiny_ctx *t) {
  struct tn_labels *all = t->labels;
  t->scope = all->depth && all->now ? tn_label_text(t, all->now) : NULL;
}
TINY_API tiny_code tiny_scope_begin(tiny_ctx *t, const char *name) {
  if (!t || !t->tensors) return TINY_E_ARG;
  if (!name) return tiny_fail(t, TINY_E_ARG, "scope_begin: name is NULL");
  if (!tn_labels_open(t)) return tiny_fail(t, TINY_E_MEMORY, "scope_begin: no memory for a scope");
  struct tn_labels *all = t->labels;
  const int inner = tn_label_within(t, all->now, name);
  if ((!inner && *name) || !tn_room(t, &all->scope, all->depth, &all->cap_scope, sizeof *all->scope))
    return tiny_fail(t, TINY_E_MEMORY, "scope_begin: no memory for a scope");
  all->scope[all->depth++] = all->now;
  if (*name) all->now = inner;
  tn_scope_say(t);
  return TINY_OK;
}
TINY_API tiny_code tiny_scope_end(tiny_ctx *t) {
  if (!t) return TINY_E_ARG;
  struct tn_labels *all = t->labels;
  if (!all || !all->depth) return tiny_fail(t, TINY_E_STATE, "scope_end: no scope is open");
  all->now = all->scope[--all->depth];
  tn_scope_say(t);
  return TINY_OK;
}
TINY_API const char *tiny_label_of(const tiny_tensor *x) {
  return tiny_ok(x) ? tn_label_text(tn_ctx_of(x), tn_label_of(tn_ctx_of(x), tn_uop_of(x))) : "";
}
#endif
