// find_nan: where the first NaN of a tensor was made: by which node, at which element, of which numbers.
//
// In:    a tensor and what computes it. Out: a line of text.
// Holds: the tensor's graph is interpreted node by node, as by tiny_reference. From the first element that is NaN the
//        way leads back over elements, so that what a WHERE leaves out, what an assignment overwrites, or what lies
//        behind a length, is not blamed. Where x was computed before, its memory says which that is.
#ifndef TN_RUNTIME_FIND_NAN
#define TN_RUNTIME_FIND_NAN
#ifndef TINY_AMALGAMATED
#include "realize.c"
#endif

#ifndef TINY_NO_INTERP
typedef struct tn_nan_at { tiny_uop *u; int64_t i; } tn_nan_at;    // element i of u, row-major

static void tn_nan_position(const tiny_uop *u, int64_t i, int64_t *at) {
  for (int d = u->ndim; d-- > 0; i /= u->dim[d]) at[d] = i % u->dim[d];
}

// Does REDUCE u add element j of its source up into its element i?
static int tn_nan_reduces(const tiny_uop *u, int64_t j, int64_t i) {
  int64_t from[TINY_MAX_DIMS], to = 0;
  tn_nan_position(u->src[0], j, from);
  for (int d = 0; d < u->ndim; d++) to = to * u->dim[d] + (u->dim[d] == 1 ? 0 : from[d]);
  return to == i;
}
// The last element of what ASSIGN u writes that is its element i; -1: that is not written.
static int64_t tn_nan_written(const tiny_uop *u, int64_t i) {
  int64_t j = tn_dims_nelem(u->src[1]->ndim, u->src[1]->dim);
  while (j-- > 0 && tn_eval_assigned(u, j) != i) {}
  return j;
}
// Is element i of WHOLE u behind the length of its source?
static int tn_nan_fills(const tiny_uop *u, int64_t i) {
  int64_t at[TINY_MAX_DIMS];
  tn_nan_position(u, i, at);
  return at[u->k] >= tn_position_now(u->src[1]);
}
// The first NaN of u's source s that u may have read for its element i; -1: there is none.
static int64_t tn_nan_read(const tn_eval_graph_call *g, const tiny_uop *u, int s, int64_t i) {
  const tiny_uop *x = u->src[s];
  const tn_eval_array *a = tn_eval_array_of(g, x);
  int64_t at[TINY_MAX_DIMS], j = x->ndim ? i : 0;
  if (!a->bits || !tn_is_float(x->dtype)) return -1;
  if (u->op == TINY_OP_WHERE && s != 2 - tn_eval_bit(tn_eval_array_of(g, u->src[0]), u->src[0]->ndim ? i : 0))
    return -1;                             // the other one was chosen
  if (u->op == TINY_OP_WHOLE && tn_nan_fills(u, i)) return -1;
  if (u->op == TINY_OP_ASSIGN) {
    const int64_t written = tn_nan_written(u, i);
    j = (written >= 0) != (s == 2) ? -1 : s != 2 ? i : x->ndim ? written : 0;
  }
  if (u->op == TINY_OP_REDUCE || u->op == TINY_OP_CUSTOM) {
    for (j = 0; j < a->n; j++)
      if (tn_eval_bit(a, j) && (u->op != TINY_OP_REDUCE || tn_nan_reduces(u, j, i))) return j;
    return -1;
  }
  if (tn_op_is(u->op, TINY_MOVEMENT) && u->op != TINY_OP_RESHAPE) {
    tn_nan_position(u, i, at);
    j = s ? -1 : tn_eval_moved(u, at);
  }
  return j >= 0 && j < a->n && tn_eval_bit(a, j) ? j : -1;
}
// Back to where the NaN at `from` was made.
static tn_nan_at tn_nan_origin(const tn_eval_graph_call *g, tn_nan_at from) {
  for (int s = 0; s < tn_eval_inputs(g, from.u); s++) {
    const int64_t j = tn_eval_skips(from.u, s) ? -1 : tn_nan_read(g, from.u, s, from.i);
    if (j < 0) continue;
    from.u = from.u->src[s]; from.i = j;
    s = -1;                                // the sources of the source
  }
  return from;
}
// The first NaN among the elements of the root that are meant; -1: there is none.
static int64_t tn_nan_first(const tn_eval_graph_call *g) {
  const tn_eval_array *root = tn_eval_array_of(g, g->u);
  const tiny_shape now = tn_shape_now(g->u);
  int64_t at[TINY_MAX_DIMS];
  for (int64_t i = 0; i < root->n; i++) {
    int meant = tn_eval_bit(root, i);
    if (meant) tn_nan_position(g->u, i, at);
    for (int d = 0; meant && d < now.ndim; d++) meant = at[d] < now.dim[d];
    if (meant) return i;
  }
  return -1;
}

// "LOG2(-0.5)", "REDUCE:ADD of (100,32) f32", "memory". g: evaluated up to the node, or NULL.
static void tn_nan_say_node(const tn_eval_graph_call *g, tn_nan_at at, tiny_bytes *out) {
  char shape[TN_DIMS_TEXT];
  const tiny_uop *u = at.u, *x = g && u->nsrc ? u->src[0] : NULL;
  if (!x) tn_text_put(out, u->op == TINY_OP_CONST || u->op == TINY_OP_SCALAR ? "a number" : "memory");
  else tn_text_put(out, tiny_op_name(u->op));
  if (x && u->op == TINY_OP_REDUCE)
    tn_text_add(out, ":%s of %s %s", tiny_op_name((int)(u->k & 0xFF)),
                tn_dims_text(shape, sizeof shape, x->ndim, x->dim), tn_dtypes[x->dtype].name);
  if (!x || !tn_op_is_elementwise(u->op)) return;
  for (uint32_t s = 0; s < u->nsrc; s++) {
    const tn_eval_array *a = tn_eval_array_of(g, u->src[s]);
    const int64_t k = a->data[u->src[s]->ndim ? at.i : 0];
    tn_text_add(out, "%s%.7g", s ? ", " : "(", tn_to_f64(tn_dtype_convert(TINY_F64, u->src[s]->dtype, k)));
  }
  tn_text_put(out, ")");
}
// "LOG2(-0.5) at [0,3] of (100,32) f32, scale"; where there are several devices, "f32 on CPU:1"
static void tn_nan_say(tiny_ctx *t, const tn_eval_graph_call *g, tn_nan_at at, tiny_bytes *out) {
  char shape[TN_DIMS_TEXT];
  int64_t position[TINY_MAX_DIMS];
  const char *label = tn_label_text(t, tn_label_of(t, at.u));
  tn_nan_position(at.u, at.i, position);
  tn_nan_say_node(g, at, out);
  tn_text_put(out, " at [");
  for (int d = 0; d < at.u->ndim; d++) tn_text_add(out, d ? ",%lld" : "%lld", (long long)position[d]);
  tn_text_add(out, "] of %s %s", tn_dims_text(shape, sizeof shape, at.u->ndim, at.u->dim),
              tn_dtypes[at.u->dtype].name);
  const int device = (at.u->realized ? at.u->realized : at.u)->device;
  if (t->ndevice > 1 && device) tn_text_add(out, " on %s", tn_place_name(t, device));
  if (*label) tn_text_add(out, ", %s", label);
}

typedef struct tn_nan_call {
  char *out; size_t nbytes, length;
  tn_nan_at at; const tn_eval_graph_call *numbers;         // what its sources are, NULL: they say nothing
} tn_nan_call;

static tiny_code tn_nan_tell(tiny_ctx *t, void *arg) {
  tn_nan_call *c = (tn_nan_call *)arg;
  tiny_bytes line = {t, NULL, 0, 0};
  tn_nan_say(t, c->numbers, c->at, &line);
  c->length = tn_text_give(line.data, line.n, c->out, c->nbytes);
  return TINY_OK;
}
// The memory of a BUFFER; NULL, and no error: it was overwritten.
static const void *tn_nan_buffer(tiny_ctx *t, tiny_uop *buffer) {
  return tn_buffer_is_gone(buffer) ? NULL : tn_reference_buffer(t, buffer);
}
// stored: as u is in memory, if it is there; else as it is computed, of what is there still.
static tiny_code tn_nan_eval(tiny_ctx *t, tn_eval_graph_call *g, tiny_uop *u, int stored) {
  memset(g, 0, sizeof *g);
  g->u = u; g->buffer = stored ? tn_reference_buffer : tn_nan_buffer;
  g->bits = 1; g->stored = stored; g->lacks = !stored;
  return tn_eval_graph_run(t, g);
}
// Where the first NaN of u was made. *made: 0 where nothing tells how, 1 where its sources do. i is -1: there is none.
static tn_nan_at tn_nan_find(tiny_ctx *t, tiny_uop *u, int *made) {
  tn_eval_graph_call g;
  tn_nan_at at = {u, -1};
  if (tn_nan_eval(t, &g, u, 1) == TINY_OK) at.i = tn_nan_first(&g);
  *made = !u->realized;
  if (at.i >= 0 && u->realized) {
    tn_eval_graph_close(t, &g);
    // what it was computed from may have been overwritten since, by the library, or by the owner of a tiny_blob
    *made = tn_nan_eval(t, &g, u, 0) == TINY_OK && tn_eval_bit(tn_eval_array_of(&g, u), at.i);
  }
  if (at.i >= 0 && *made) {
    at = tn_nan_origin(&g, at);
    *made = tn_eval_inputs(&g, at.u) > 0;
  }
  tn_eval_graph_close(t, &g);
  return at;
}

TINY_API size_t tiny_find_nan(tiny_tensor *x, char *out, size_t nbytes) {
  tn_eval_graph_call g;
  tn_nan_call c = {out, nbytes, 0, {NULL, -1}, NULL};
  tiny_code code;
  int made = 0;
  if (out && nbytes) *out = 0;
  tiny_ctx *t = tn_realize_check("find_nan", &x, 1, &code);
  if (!t) return 0;
  tiny_uop *u = tn_uop_of(x);
  const uint32_t parts = tn_is_shard(u) ? u->nsrc : 1;
  for (uint32_t i = 0; i < parts && c.at.i < 0 && t->code == TINY_OK; i++)
    c.at = tn_nan_find(t, tn_is_shard(u) ? u->src[i] : u, &made);
  if (c.at.i < 0) return 0;
  if (made && tn_nan_eval(t, &g, c.at.u, 0) == TINY_OK) c.numbers = &g;      // again, up to there: its sources stay
  if (t->code == TINY_OK) tn_guard(t, tn_nan_tell, &c);
  if (made) tn_eval_graph_close(t, &g);
  return c.length;
}
#endif
#endif
