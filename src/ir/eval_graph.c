// eval_graph: tensor graphs by the reference interpreter: every node becomes an array, one after the other.
//
// In:    a node, and where the bytes of BUFFERs are. Out: its value, without fusion, codegen or a device.
// Holds: what lies behind a length is garbage that shows (NaN, 0x5A..): nobody may read it.
#ifndef TN_IR_EVAL_GRAPH
#define TN_IR_EVAL_GRAPH
#ifndef TINY_AMALGAMATED
#include "eval.c"
#endif

// bits: where they are asked for, a bit for each element that is NaN, or true; NULL: none is.
typedef struct tn_eval_array { int64_t *data, n; int uses; uint8_t *bits; } tn_eval_array;
typedef const void *(*tn_eval_buffer)(tiny_ctx *t, tiny_uop *buffer);
typedef struct tn_eval_graph_call {
  tiny_uop *u; void *out; tn_eval_buffer buffer; tn_list order; tn_map index;
  tn_eval_array *array; int n;             // of each node in order; outlives an error in between
  int bits;                                // out is NULL; what u's sources are stays, and bits of all nodes
  int stored, lacks;                       // is u, too, taken from its BUFFER; is it no error where that has no data?
} tn_eval_graph_call;

static tn_eval_array *tn_eval_array_of(const tn_eval_graph_call *g, const tiny_uop *u) {
  return &g->array[(intptr_t)tn_map_get(&g->index, u) - 1];
}

// The flat element of u's source that movement op u reads at position at; -1: none, zero.
static int64_t tn_eval_moved(const tiny_uop *u, const int64_t *at) {
  const tiny_uop *x = u->src[0];
  int64_t flat = 0;
  int64_t from[TINY_MAX_DIMS];
  const int64_t begin = u->op == TINY_OP_SLICE ? tn_position_now(u->src[1]) : 0;
  if (u->op == TINY_OP_VIEW) {
    for (int i = 0; i < u->ndim; i++) flat += at[i] * u->v[u->ndim + i];
    return u->k + flat;
  }
  for (int i = 0; i < x->ndim; i++) switch (u->op) {
    case TINY_OP_PERMUTE: from[u->v[i]] = at[i]; break;
    case TINY_OP_EXPAND: from[i] = x->dim[i] == 1 ? 0 : at[i]; break;
    case TINY_OP_PAD: from[i] = at[i] - u->v[2 * i]; break;
    case TINY_OP_SHRINK: from[i] = at[i] + u->v[2 * i]; break;
    case TINY_OP_SLICE: from[i] = at[i] + (u->k == i ? begin : 0); break;
    case TINY_OP_PREFIX: from[i] = at[i]; break;
    default: from[i] = u->k >> i & 1 ? x->dim[i] - 1 - at[i] : at[i];
  }
  for (int i = 0; i < x->ndim; i++) {
    if (from[i] < 0 || from[i] >= x->dim[i]) return -1;
    flat = flat * x->dim[i] + from[i];
  }
  return flat;
}

static void tn_eval_step(const int64_t *dim, int ndim, int64_t *at) {       // the next position, row-major
  for (int i = ndim - 1; i >= 0; i--) {
    if (++at[i] < dim[i]) return;
    at[i] = 0;
  }
}

static void tn_eval_move(const tiny_uop *u, const int64_t *x, int64_t *out, int64_t n, int64_t missing) {
  int64_t at[TINY_MAX_DIMS] = {0};
  for (int64_t i = 0; i < n; i++) {
    const int64_t from = u->op == TINY_OP_RESHAPE ? i : tn_eval_moved(u, at);
    out[i] = from < 0 ? missing : x[from];
    tn_eval_step(u->dim, u->ndim, at);
  }
}

// Elements of x that are not among the first n along an axis become what fills.
static void tn_eval_whole(const tiny_uop *u, const int64_t *x, int64_t *out, int64_t n) {
  const int64_t length = tn_position_now(u->src[1]);
  int64_t at[TINY_MAX_DIMS] = {0};
  for (int64_t i = 0; i < n; i++) {
    out[i] = at[u->k] < length ? x[i] : u->v[0];
    tn_eval_step(u->dim, u->ndim, at);
  }
}

// What is not meant of a value is garbage that shows, so that whoever reads it is found.
static int64_t tn_eval_garbage(int d) {
  return tn_is_float(d) ? tn_dtype_value(d, (double)NAN) : tn_dtype_wrap(d, 0x5A5A5A5A5A5A5A5All);
}
static void tn_eval_prefix(const tiny_uop *u, int64_t *out, int64_t n) {
  const int64_t length = tn_position_now(u->src[1]);
  int64_t at[TINY_MAX_DIMS] = {0};
  for (int64_t i = 0; i < n; i++) {
    if (at[u->k] >= length) out[i] = tn_eval_garbage(u->dtype);
    tn_eval_step(u->dim, u->ndim, at);
  }
}

static void tn_eval_reduce(const tiny_uop *u, const int64_t *x, int64_t nx, int64_t *out, int64_t n) {
  const tiny_uop *s = u->src[0];
  const int op = (int)(u->k & 0xFF);
  int64_t at[TINY_MAX_DIMS] = {0};
  for (int64_t i = 0; i < n; i++) out[i] = tn_eval_identity(op, u->dtype);
  for (int64_t i = 0; i < nx; i++) {
    int64_t to = 0;
    for (int d = 0; d < u->ndim; d++) to = to * u->dim[d] + (u->dim[d] == 1 ? 0 : at[d]);
    out[to] = tn_eval_binary(op, u->dtype, out[to], tn_dtype_convert(u->dtype, s->dtype, x[i]));
    tn_eval_step(s->dim, s->ndim, at);
  }
}

// The flat element of its base that element i of the view of ASSIGN u is; -1: none.
static int64_t tn_eval_assigned(const tiny_uop *u, int64_t i) {
  int64_t at[TINY_MAX_DIMS];
  for (const tiny_uop *x = u->src[1]; x != u->src[0] && i >= 0; x = x->src[0]) {
    if (x->op == TINY_OP_RESHAPE) continue;
    for (int64_t d = x->ndim, rest = i; d-- > 0; rest /= x->dim[d]) at[d] = rest % x->dim[d];
    i = tn_eval_moved(x, at);
  }
  return i;
}
// ASSIGN (base view value): the elements of base that view shows are replaced by value.
static tiny_code tn_eval_assign(tiny_ctx *t, const tn_eval_graph_call *g, const tiny_uop *u, int64_t *out) {
  const tn_eval_array *base = tn_eval_array_of(g, u->src[0]), *value = tn_eval_array_of(g, u->src[2]);
  const int64_t n = tn_dims_nelem(u->src[1]->ndim, u->src[1]->dim);
  memcpy(out, base->data, (size_t)base->n * sizeof *out);
  if (u->src[2]->ndim && value->n != n) return tiny_fail(t, TINY_E_INTERNAL, "eval: ASSIGN of another shape");
  for (const tiny_uop *x = u->src[1]; x != u->src[0]; x = x->src[0])
    if (!tn_op_is(x->op, TINY_MOVEMENT))
      return tiny_fail(t, TINY_E_INTERNAL, "eval: ASSIGN through %s", tiny_op_name(x->op));
  for (int64_t i = 0; i < n; i++) {
    const int64_t flat = tn_eval_assigned(u, i);
    if (flat >= 0) out[flat] = value->data[u->src[2]->ndim ? i : 0];
  }
  return TINY_OK;
}

static tiny_code tn_eval_memory(tiny_ctx *t, const tn_eval_graph_call *g, tiny_uop *buffer,
                                int64_t *out, int64_t n) {
  const char *p = (const char *)g->buffer(t, buffer);
  if (!p && g->lacks) return TINY_E_STATE;
  if (!p && n) return tiny_fail(t, TINY_E_STATE, "eval: BUFFER #%lld has no data", (long long)buffer->k);
  for (int64_t i = 0; i < n; i++)
    out[i] = tn_dtype_load(buffer->dtype, p + i * tn_dtypes[buffer->dtype].nbytes);
  return TINY_OK;
}

// A kernel that a CUSTOM node brings, over memory as devices have it.
static tiny_code tn_eval_custom(tiny_ctx *t, const tn_eval_graph_call *g, const tiny_uop *u, int64_t *out, int64_t n) {
  tiny_mem *mem = (tiny_mem *)tn_scratch(t, (u->nsrc + 1) * sizeof *mem);
  for (uint32_t i = 0; i <= u->nsrc; i++) {
    const tiny_uop *x = i ? u->src[i - 1] : u;
    const tn_eval_array *a = i ? tn_eval_array_of(g, x) : NULL;
    const size_t each = tn_dtypes[x->dtype].nbytes, nelem = (size_t)(a ? a->n : n);
    char *data = (char *)tn_scratch(t, nelem * each + 1);
    for (size_t k = 0; a && k < nelem; k++) tn_dtype_store(x->dtype, data + k * each, a->data[k]);
    mem[i].base = data;
  }
  if (!t->ir->interpret) return tiny_fail(t, TINY_E_STATE, "eval: nothing runs a kernel of CUSTOM here");
  const tiny_code code = n ? t->ir->interpret(t, u, mem) : TINY_OK;
  const char *data = (const char *)mem[0].base;
  for (int64_t i = 0; i < n; i++) out[i] = tn_dtype_load(u->dtype, data + i * tn_dtypes[u->dtype].nbytes);
  return code;
}

// Is u's value in memory as it is?
static int tn_eval_is_stored(const tn_eval_graph_call *g, const tiny_uop *u) {
  return u->realized && (u != g->u || g->stored);
}
static int tn_eval_inputs(const tn_eval_graph_call *g, const tiny_uop *u) {
  return tn_eval_is_stored(g, u) ? 0 : (int)u->nsrc;
}
static tiny_code tn_eval_tensor(tiny_ctx *t, const tn_eval_graph_call *g, tiny_uop *u,
                                int64_t *out, int64_t n) {
  const tn_eval_array *x = u->nsrc ? tn_eval_array_of(g, u->src[0]) : NULL;
  tn_eval_in s[4];
  const char *wrong = tn_args_fit(u->op, (int)u->nsrc, u->src, u->k, u->nv, u->v);
  if (wrong) return tiny_fail(t, TINY_E_INTERNAL, "eval: %s: %s", tiny_op_name(u->op), wrong);
  if (tn_eval_is_stored(g, u)) return tn_eval_memory(t, g, u->realized, out, n);
  if (tn_op_is(u->op, TINY_MOVEMENT)) {
    tn_eval_move(u, x->data, out, n, 0);
    if (u->op == TINY_OP_PREFIX) tn_eval_prefix(u, out, n);
    return TINY_OK;
  }
  if (tn_op_is_elementwise(u->op)) {
    for (uint32_t i = 0; i < u->nsrc; i++) {
      const tn_eval_array *a = tn_eval_array_of(g, u->src[i]);
      s[i].p = a->data; s[i].step = u->src[i]->ndim != 0;
      if (s[i].step && a->n != n)
        return tiny_fail(t, TINY_E_INTERNAL, "eval: %s of different shapes", tiny_op_name(u->op));
    }
    tn_eval_row(u, u->src[0]->dtype, n, out, s);
    return TINY_OK;
  }
  switch (u->op) {
    case TINY_OP_BUFFER: case TINY_OP_PARAM: return tn_eval_memory(t, g, u, out, n);
    case TINY_OP_CONST: case TINY_OP_SCALAR: out[0] = u->k; return TINY_OK;
    case TINY_OP_IOTA: for (int64_t i = 0; i < n; i++) out[i] = i; return TINY_OK;
    case TINY_OP_CONTIGUOUS: case TINY_OP_DETACH: case TINY_OP_COPY: case TINY_OP_AFTER:
      memcpy(out, x->data, (size_t)n * sizeof *out);
      return TINY_OK;
    case TINY_OP_REDUCE:
      if (u->nsrc != 1 || !tn_op_reduces(u->k & 0xFF))
        return tiny_fail(t, TINY_E_INTERNAL, "eval: no such REDUCE");
      tn_eval_reduce(u, x->data, x->n, out, n);
      return TINY_OK;
    case TINY_OP_WHOLE: tn_eval_whole(u, x->data, out, n); return TINY_OK;
    case TINY_OP_ASSIGN: return tn_eval_assign(t, g, u, out);
    case TINY_OP_CUSTOM: return tn_eval_custom(t, g, u, out, n);
    default: return tiny_fail(t, TINY_E_INTERNAL, "eval: %s has no meaning in a tensor graph here",
      tiny_op_name(u->op));
  }
}

// the view is only a path
static int tn_eval_skips(const tiny_uop *u, int i) { return u->op == TINY_OP_ASSIGN && i == 1; }

static void tn_eval_drop(tiny_ctx *t, tn_eval_array *a) {
  if (a->data) t->alloc.fn(t->alloc.user, a->data, (size_t)(a->n ? a->n : 1) * sizeof *a->data, 0);
  a->data = NULL;
}

static size_t tn_eval_bits_nbytes(const tn_eval_array *a) { return (size_t)(a->n + 7) / 8; }
static int tn_eval_bit(const tn_eval_array *a, int64_t i) { return a->bits && a->bits[i / 8] >> i % 8 & 1; }
static int tn_eval_is_marked(int dtype, int64_t k) {
  const double x = tn_is_float(dtype) ? tn_to_f64(tn_dtype_convert(TINY_F64, dtype, k)) : 0;
  return x != x || (dtype == TINY_BOOL && k);
}
static tiny_code tn_eval_mark(tiny_ctx *t, const tiny_uop *u, tn_eval_array *a) {
  for (int64_t i = 0; i < a->n; i++) {
    if (!tn_eval_is_marked(u->dtype, a->data[i])) continue;
    if (!a->bits) a->bits = (uint8_t *)tn_alloc(t, tn_eval_bits_nbytes(a));
    if (!a->bits) return t->code;
    a->bits[i / 8] |= (uint8_t)(1 << i % 8);
  }
  return TINY_OK;
}

static tiny_code tn_eval_arrays(tiny_ctx *t, tn_eval_graph_call *g) {
  for (int i = 0; i < g->order.n; i++) {
    tiny_uop *u = g->order.u[i];
    tn_eval_array *a = &g->array[i];
    if (!a->uses) continue;
    a->n = tn_dims_nelem(u->ndim, u->dim);
    if (a->n < 0) return tiny_fail(t, TINY_E_SHAPE, "eval: %s has too many elements", tiny_op_name(u->op));
    const size_t nbytes = (size_t)(a->n ? a->n : 1) * sizeof *a->data;
    a->data = (int64_t *)t->alloc.fn(t->alloc.user, NULL, 0, nbytes);
    if (!a->data) return tn_eval_refused(t, nbytes);
    tiny_code code = tn_eval_tensor(t, g, u, a->data, a->n);
    if (code == TINY_OK && g->bits) code = tn_eval_mark(t, u, a);
    if (code != TINY_OK) return code;
    for (int s = 0; s < tn_eval_inputs(g, u); s++)
      if (!tn_eval_skips(u, s) && --tn_eval_array_of(g, u->src[s])->uses == 0)
        tn_eval_drop(t, tn_eval_array_of(g, u->src[s]));
  }
  return TINY_OK;
}

static tiny_code tn_eval_graph_guarded(tiny_ctx *t, void *arg) {
  tn_eval_graph_call *g = (tn_eval_graph_call *)arg;
  tn_toposort(t, g->u, &g->order);
  g->array = (tn_eval_array *)tn_alloc(t, (size_t)g->order.n * sizeof *g->array);
  if (!g->array) return t->code;
  g->n = g->order.n;
  for (int i = 0; i < g->order.n; i++) tn_map_set(t, &g->index, g->order.u[i], (void *)(intptr_t)(i + 1));
  tn_eval_array *root = &g->array[g->order.n - 1];
  root->uses = 1;
  for (int s = 0; g->bits && s < tn_eval_inputs(g, g->u); s++) tn_eval_array_of(g, g->u->src[s])->uses++;
  for (int i = g->order.n; i-- > 0;) if (g->array[i].uses)
    for (int s = 0; s < tn_eval_inputs(g, g->order.u[i]); s++) if (!tn_eval_skips(g->order.u[i], s))
      tn_eval_array_of(g, g->order.u[i]->src[s])->uses++;
  const tiny_code code = tn_eval_arrays(t, g);
  if (code == TINY_OK) for (int64_t i = 0; i < root->n && g->out; i++)
    tn_dtype_store(g->u->dtype, (char *)g->out + i * tn_dtypes[g->u->dtype].nbytes, root->data[i]);
  return code;
}

// Not for heavy code: what an error leaves is given back by tn_eval_graph_close.
static tiny_code tn_eval_graph_run(tiny_ctx *t, tn_eval_graph_call *g) {
  const tiny_code code = tn_guard(t, tn_eval_graph_guarded, g);
  tn_nodes_leave(t);
  return code;
}
static void tn_eval_graph_close(tiny_ctx *t, tn_eval_graph_call *g) {
  for (int i = 0; i < g->n; i++) {
    tn_release(t, g->array[i].bits, tn_eval_bits_nbytes(&g->array[i]));
    tn_eval_drop(t, &g->array[i]);
  }
  tn_release(t, g->array, (size_t)g->n * sizeof *g->array);
  g->n = 0; g->array = NULL;
}

// The value of tensor node u into out, row-major in its dtype's memory format. buffer gives the data of
// BUFFERs. u is always computed from its sources; other nodes that are realized are taken from their BUFFER. Not for
// heavy code.
static tiny_code tn_eval_graph(tiny_ctx *t, tiny_uop *u, void *out, tn_eval_buffer buffer) {
  tn_eval_graph_call g;
  memset(&g, 0, sizeof g);
  g.u = u; g.out = out; g.buffer = buffer;
  const tiny_code code = tn_eval_graph_run(t, &g);
  tn_eval_graph_close(t, &g);
  return code;
}
#endif
