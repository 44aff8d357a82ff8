// refused: every operator and its gradient when memory runs out at the n-th node, for n = 0, 1, 2 .. until there is enough.
//
// The context gets room for n more nodes, and its allocator refuses everything from then on: what the operator gives
// is poison or whole, the error is TINY_E_MEMORY, and closing the context gives all memory back.
#include "../src/all.c"
#include "test.h"
#include "vectors.h"

typedef struct refusing { int refuse; long live; } refusing;

static void *refusing_fn(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  refusing *r = (refusing *)user;
  (void)old_nbytes;
  if (!new_nbytes) { r->live -= ptr != NULL; free(ptr); return NULL; }
  if (r->refuse) return NULL;
  r->live += ptr == NULL;
  return realloc(ptr, new_nbytes);
}

// A case with room for so many bytes of nodes. 1: that was enough.
static int build(const vector_case *c, size_t room) {
  refusing r = {0, 0};
  tiny_tensor *in[MOST] = {0}, *out[MOST] = {0}, *params[MOST], *grads[MOST], *loss = NULL;
  tiny_desc d;
  int n = 0, enough;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = ""; d.alloc.fn = refusing_fn; d.alloc.user = &r;
  tiny_ctx *t = tiny_open(&d);
  for (int i = 0; i < c->nin; i++) {
    in[i] = tiny_from(t, c->in[i].data, c->in[i].dtype, c->in[i].s);
    if (c->with_grad >> i & 1) params[n++] = in[i];
  }
  enough = room >= t->ir->nodes.left;
  if (!enough) { t->ir->nodes.left = room; r.refuse = 1; }
  const int m = c->op->make(t, in, out);
  for (int k = 0; k < m; k++) {
    if (!out[k] || !tiny_ok(out[k])) { CHECK(out[k] == tn_poison(t)); continue; }
    const tiny_shape s = tiny_shape_get(out[k]);
    CHECK(!enough || (s.ndim == c->out[k].s.ndim && tn_dims_same(s.ndim, s.dim, c->out[k].s.dim)));
    if (!tn_is_float(tiny_dtype_get(out[k]))) continue;
    tiny_tensor *part = tiny_sum(out[k], TINY_ALL, 0);
    loss = loss ? tiny_add(loss, part) : part;
  }
  if (loss && n) tiny_grad(loss, params, n, grads);
  if (tiny_status(t) == TINY_OK) enough = 1;
  else if (tiny_status(t) != TINY_E_MEMORY) printf("%s, %d bytes: %s\n", c->op->name, (int)room, tiny_error(t));
  CHECK(tiny_status(t) == TINY_OK || (!enough && tiny_status(t) == TINY_E_MEMORY));
  r.refuse = 0;
  tiny_close(t);
  CHECK_EQ(r.live, 0);
  return enough;
}

// Nodes one by one while there are few, then every tenth part more.
static void refuse(const vector_case *c) {
  size_t room = 0;
  while (!build(c, room)) room += room < 64 * TN_NODE_CLASS ? TN_NODE_CLASS : room / 10 / TN_NODE_CLASS * TN_NODE_CLASS + TN_NODE_CLASS;
}

int main(void) {
  for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
    size_t nbytes = 0;
    const vector_op *last = NULL;
    unsigned char *data = load_room(&rooms[k], &nbytes);
    CHECK(data != NULL);
    for (const unsigned char *p = data; data && p < data + nbytes;) {
      static vector_case c;
      p = take_case(p, &rooms[k], &c);
      if (c.op != last && c.nin) { last = c.op; refuse(&c); }     // the first case of each
    }
    free(data);
  }
  return test_report();
}
