// graphs: what tensors are computed by, as text for other programs (ir/graph_text.c).
//
// In: tensors of one context. Out: text in the caller's memory. Nothing is computed.
#ifndef TN_TENSOR_GRAPHS
#define TN_TENSOR_GRAPHS
#ifndef TINY_AMALGAMATED
#include "../ir/graph_text.c"
#include "tensor.c"
#endif

typedef struct tn_graphs_call {
  void (*write)(tiny_ctx *t, tiny_uop *const *roots, int n, tiny_bytes *out);
  tiny_tensor *const *x; int n; char *out; size_t nbytes, length;
} tn_graphs_call;

static tiny_code tn_graphs_guarded(tiny_ctx *t, void *arg) {
  tn_graphs_call *c = (tn_graphs_call *)arg;
  tiny_bytes out = {t, NULL, 0, 0};
  tn_list roots = {NULL, 0, 0};
  for (int i = 0; i < c->n; i++) tn_push(t, &roots, tn_uop_of(c->x[i]));
  c->write(t, roots.u, roots.n, &out);
  c->length = tn_text_give(out.data, out.n, c->out, c->nbytes);
  return TINY_OK;
}
static size_t tn_graphs_text(const char *name, tn_graphs_call c) {
  tiny_tensor *wrong;
  if (c.out && c.nbytes) *c.out = 0;
  if (!c.x || c.n < 1 || !tn_usable_in(NULL, name, c.n, c.x, &wrong)) return 0;
  tn_guard(tn_ctx_of(c.x[0]), tn_graphs_guarded, &c);
  return c.length;
}

TINY_API size_t tiny_graph_dot(tiny_tensor *const *x, int n, char *out, size_t nbytes) {
  const tn_graphs_call c = {tn_graph_dot, x, n, out, nbytes, 0};
  return tn_graphs_text("graph_dot", c);
}
TINY_API size_t tiny_graph_json(tiny_tensor *const *x, int n, char *out, size_t nbytes) {
  const tn_graphs_call c = {tn_graph_json, x, n, out, nbytes, 0};
  return tn_graphs_text("graph_json", c);
}
#endif
