// recurrent: RNN, LSTM and GRU: one step of them, and layers of steps over a sequence.
//
// The inputs of all steps go through one product of matrices; a step takes its row of it, adds the product of
// the state before, and its state is stored. Steps unroll in the graph. The number of a step is a SCALAR, by
// which it picks its input and places its output: so all steps are the same programs, however long the
// sequence is. Layers run over what the layer below gave, the second direction over it backwards. Weights,
// their order of gates and the formulas are PyTorch's, so that its state files can be loaded.
#ifndef TN_TENSOR_RECURRENT
#define TN_TENSOR_RECURRENT
#ifndef TINY_AMALGAMATED
#include "norm.c"
#endif

enum { TN_RNN_TANH, TN_RNN_RELU, TN_LSTM, TN_GRU };
static const int tn_gates_of[4] = {1, 1, 4, 3};

// h and c are (N,H); x (N,G*H) the inputs' part of the gates, with b_ih.
typedef struct tn_cell { int kind; int64_t H; tiny_uop *w_hh, *b_hh, *h, *c; } tn_cell;

// ** the formulas **

static tiny_uop *tn_gate(tiny_ctx *t, const tn_cell *s, tiny_uop *gates, int i) {
  return tn_cut(t, gates, 1, i * s->H, (i + 1) * s->H);
}
// x (..,K) by w (N,K), without a cast of the result.
static tiny_uop *tn_rows_by(tiny_ctx *t, tiny_uop *x, tiny_uop *w, tiny_uop *bias) {
  if (tn_bad(t, x) || tn_bad(t, w)) return &t->ir->bad;
  return tn_dot(t, tn_insert(t, x, x->ndim - 1), w, bias, 1 << x->ndim, x->dtype);
}
static void tn_cell_step(tiny_ctx *t, tn_cell *s, tiny_uop *x) {
  tiny_uop *of_h = tn_rows_by(t, s->h, s->w_hh, s->b_hh);
  if (tn_bad(t, of_h) || tn_bad(t, x)) { s->h = &t->ir->bad; return; }
  if (s->kind == TN_GRU) {                 // r, z, n
    tiny_uop *r = tn_sigmoid(t, tn_add(t, tn_gate(t, s, x, 0), tn_gate(t, s, of_h, 0)));
    tiny_uop *z = tn_sigmoid(t, tn_add(t, tn_gate(t, s, x, 1), tn_gate(t, s, of_h, 1)));
    tiny_uop *n = tn_tanh(t, tn_add(t, tn_gate(t, s, x, 2), tn_mul(t, r, tn_gate(t, s, of_h, 2))));
    s->h = tn_add(t, n, tn_mul(t, z, tn_sub(t, s->h, n)));
    return;
  }
  tiny_uop *gates = tn_add(t, x, of_h);
  if (s->kind != TN_LSTM) { s->h = s->kind == TN_RNN_RELU ? tn_relu(t, gates) : tn_tanh(t, gates); return; }
  tiny_uop *i = tn_sigmoid(t, tn_gate(t, s, gates, 0)), *f = tn_sigmoid(t, tn_gate(t, s, gates, 1));
  tiny_uop *g = tn_tanh(t, tn_gate(t, s, gates, 2)), *o = tn_sigmoid(t, tn_gate(t, s, gates, 3));
  s->c = tn_add(t, tn_mul(t, f, s->c), tn_mul(t, i, g));
  s->h = tn_mul(t, o, tn_tanh(t, s->c));
}

// ** one step **

// Do the weights of a cell fit inputs of size I? H is found. 0: recorded why not.
static int tn_cell_fits(tiny_ctx *t, const char *name, int kind, const tiny_recurrent_weights *w, int64_t nin,
                        int64_t *H) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  const tiny_uop *p = tn_uop_of(w->w_ih), *q = tn_uop_of(w->w_hh);
  *H = q->ndim == 2 ? q->dim[1] : 0;
  const int64_t gates = tn_gates_of[kind] * *H;
  const tiny_tensor *bias[2] = {w->b_ih, w->b_hh};
  if (q->ndim != 2 || q->dim[0] != gates || p->ndim != 2 || p->dim[0] != gates || p->dim[1] != nin) {
    tiny_fail(t, TINY_E_SHAPE, "%s: inputs of %lld with weights %s and %s", name, (long long)nin,
              tn_text_of(p, a), tn_text_of(q, b));
    return 0;
  }
  for (int i = 0; i < 2; i++) if (!tn_scales(t, name, p, bias[i], 1, &gates)) return 0;
  return 1;
}
static tn_cell tn_cell_of(tiny_ctx *t, int kind, const tiny_recurrent_weights *w, int dtype) {
  tn_cell s;
  s.kind = kind; s.H = tn_uop_of(w->w_hh)->dim[1];
  s.w_hh = tn_cast(t, tn_uop_of(w->w_hh), dtype);
  s.b_hh = w->b_hh ? tn_uop_of(w->b_hh) : NULL;
  s.h = s.c = NULL;
  return s;
}
// The inputs' part of the gates: x (..,I) -> (..,G*H).
static tiny_uop *tn_cell_inputs(tiny_ctx *t, const tiny_recurrent_weights *w, tiny_uop *x) {
  return tn_rows_by(t, x, tn_uop_of(w->w_ih), w->b_ih ? tn_uop_of(w->b_ih) : NULL);
}
// u (..) as dims of dtype, or zeros for NULL.
static tiny_uop *tn_state_as(tiny_ctx *t, tiny_uop *u, int dtype, int n, const int64_t *dim) {
  if (u) return tn_reshape(t, tn_cast(t, u, dtype), n, dim);
  return tn_expand(t, tn_constant(t, dtype, 0), n, dim);
}
static int tn_state_fits(tiny_ctx *t, const char *name, const tiny_tensor *h, int n, const int64_t *dim) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  if (!h || tn_has_dims(tn_uop_of(h), n, dim)) return 1;
  tiny_fail(t, TINY_E_SHAPE, "%s: a state of %s, not %s", name, tn_text_of(tn_uop_of(h), a),
            tn_dims_text(b, sizeof b, n, dim));
  return 0;
}

static tiny_tensor *tn_cell_operator(const char *name, int kind, tiny_tensor *x, tiny_tensor *h,
                                     tiny_tensor *c, const tiny_recurrent_weights *w, tiny_tensor **cn) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out,
      *in[7] = {x, w ? w->w_ih : NULL, w ? w->w_hh : NULL, w ? w->b_ih : NULL, w ? w->b_hh : NULL, h, c};
  const int usable = tn_usable_some(name, 3, 7, in, &out);
  if (cn) *cn = out;
  if (!usable) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const int n = tn_uop_of(x)->ndim;
  if (n != 1 && n != 2) return tn_wrong(t, TINY_E_SHAPE, "%s: inputs %s", name, tn_text_of(tn_uop_of(x), a));
  int64_t rows[2] = {n == 2 ? tn_uop_of(x)->dim[0] : 1, tn_uop_of(x)->dim[n - 1]};
  int64_t state[2] = {rows[0], 0};
  if (!tn_cell_fits(t, name, kind, w, rows[1], &state[1])) return out;
  const int64_t *dim = n == 2 ? state : state + 1;
  if (!tn_state_fits(t, name, h, n, dim) || !tn_state_fits(t, name, c, n, dim)) return out;
  const int dtype = tn_real(tn_meet(tn_uop_of(x), tn_uop_of(w->w_ih))), inside = tn_computed_in(dtype);
  tn_cell s = tn_cell_of(t, kind, w, inside);
  s.h = tn_state_as(t, h ? tn_uop_of(h) : NULL, inside, 2, state);
  s.c = tn_state_as(t, c ? tn_uop_of(c) : NULL, inside, 2, state);
  tn_cell_step(t, &s, tn_cell_inputs(t, w, tn_reshape(t, tn_cast(t, tn_uop_of(x), inside), 2, rows)));
  if (cn) *cn = tn_tensor_new(t, tn_narrow(t, tn_reshape(t, s.c, n, dim), dtype));
  return tn_tensor_new(t, tn_narrow(t, tn_reshape(t, s.h, n, dim), dtype));
}
TINY_API tiny_tensor *tiny_rnn_cell(tiny_tensor *x, tiny_tensor *h, const tiny_recurrent_weights *w,
                                    int relu) {
  return tn_cell_operator("rnn_cell", relu ? TN_RNN_RELU : TN_RNN_TANH, x, h, NULL, w, NULL);
}
TINY_API tiny_tensor *tiny_gru_cell(tiny_tensor *x, tiny_tensor *h, const tiny_recurrent_weights *w) {
  return tn_cell_operator("gru_cell", TN_GRU, x, h, NULL, w, NULL);
}
TINY_API tiny_tensor *tiny_lstm_cell(tiny_tensor *x, tiny_tensor *h, tiny_tensor *c,
                                     const tiny_recurrent_weights *w, tiny_tensor **cn) {
  return tn_cell_operator("lstm_cell", TN_LSTM, x, h, c, w, cn);
}

// ** sequences **

// A bool (L,1,1): is it this step?
static tiny_uop *tn_step_is(tiny_ctx *t, int64_t L, int64_t step) {
  tiny_uop *number = tn_scalar(t, TINY_I32, step, ++t->tensors->identity),
           *all = tn_iota(t, TINY_I32, L, 0, 3);
  return tn_eq(t, all, number);
}
// u placed at index i of the first of n such; added to sum, which may be NULL.
static tiny_uop *tn_placed(tiny_ctx *t, tiny_uop *sum, tiny_uop *u, int64_t i, int64_t n) {
  u = tn_extend(t, tn_insert(t, u, 0), 0, i, n - 1 - i);
  return sum ? tn_add(t, sum, u) : u;
}

// One direction of one layer over x (L,N,I) -> (L,N,H); the state is the last one afterwards.
static tiny_uop *tn_cell_run(tiny_ctx *t, tn_cell *s, const tiny_recurrent_weights *w, tiny_uop *x,
                             int backwards) {
  if (tn_bad(t, x)) return x;
  const int64_t L = x->dim[0];
  tiny_uop *of_x = tn_u1(t, TINY_OP_CONTIGUOUS, tn_cell_inputs(t, w, x)), *out = NULL;
  for (int64_t i = 0; i < L && !tn_bad(t, of_x); i++) {
    tiny_uop *is = tn_step_is(t, L, backwards ? L - 1 - i : i), *zero = tn_k(t, of_x, 0);
    tn_cell_step(t, s, tn_sum(t, tn_where(t, is, of_x, zero), 1, 0));
    if (tn_bad(t, s->h)) return s->h;
    s->h = tn_u1(t, TINY_OP_CONTIGUOUS, s->h);
    tiny_uop *placed = tn_where(t, is, tn_insert(t, s->h, 0), zero);
    out = out ? tn_add(t, out, placed) : placed;
  }
  return out ? out : of_x;
}

typedef struct tn_recurrence {
  const char *name;
  tiny_tensor *x, *h0, *c0;
  const tiny_recurrent_weights *w;
  int kind, layers, directions, inside, batched, batch_first;
  double dropout;
  int64_t L, N, nin, H;
} tn_recurrence;

// Checks all that was given; fills what follows from it. 0: *out is what to return.
static int tn_recurrence_open(tn_recurrence *r, const tiny_recurrent_desc *d, tiny_tensor **out) {
  char a[TN_DIMS_TEXT];
  r->layers = d && d->layers ? d->layers : 1;
  r->directions = d && d->bidirectional ? 2 : 1;
  r->dropout = d ? d->dropout : 0;
  if (!tn_usable(r->name, 1, &r->x, out)) return 0;
  tiny_ctx *t = tn_ctx_of(r->x);
  const tiny_uop *u = tn_uop_of(r->x);
  if (r->layers < 1 || !r->w || !(r->dropout >= 0 && r->dropout <= 1)) {
    tn_wrong(t, TINY_E_ARG, "%s: %d layers, %s, dropout %g", r->name, r->layers,
             r->w ? "weights" : "no weights", r->dropout);
    return 0;
  }
  if ((u->ndim != 2 && u->ndim != 3) || !tiny_nelem_of(r->x)) {
    tn_wrong(t, TINY_E_SHAPE, "%s: inputs %s", r->name, tn_text_of(u, a));
    return 0;
  }
  r->batched = u->ndim == 3;
  r->batch_first = r->batched && d && d->batch_first;
  if (!tn_axis_whole_for(t, r->name, u, r->batch_first,
                         "its steps are counted when the graph is built; of tiny_whole take the outputs meant"))
    return 0;
  r->L = u->dim[r->batch_first]; r->N = r->batched ? u->dim[!r->batch_first] : 1; r->nin = u->dim[u->ndim - 1];
  for (int i = 0; i < r->layers * r->directions; i++) {
    const tiny_recurrent_weights *w = &r->w[i];
    tiny_tensor *in[7] = {r->x, w->w_ih, w->w_hh, w->b_ih, w->b_hh, r->h0, r->c0};
    int64_t H = 0;
    if (!tn_usable_some(r->name, 3, 7, in, out) ||
        !tn_cell_fits(t, r->name, r->kind, w, i < r->directions ? r->nin : r->H * r->directions, &H))
      return 0;
    if (i && H != r->H) {
      tn_wrong(t, TINY_E_SHAPE, "%s: layers of %lld and of %lld", r->name, (long long)r->H, (long long)H);
      return 0;
    }
    r->H = H;
  }
  const int64_t state[3] = {r->layers * r->directions, r->batched ? r->N : r->H, r->H};
  const int n = r->batched ? 3 : 2;
  return tn_state_fits(t, r->name, r->h0, n, state) && tn_state_fits(t, r->name, r->c0, n, state);
}
// State i of (layers,N,H) as (N,H), or zeros.
static tiny_uop *tn_first_state(tiny_ctx *t, const tn_recurrence *r, tiny_tensor *h, int i) {
  const int64_t dim[2] = {r->N, r->H};
  return tn_state_as(t, h ? tn_cut(t, tn_uop_of(h), 0, i, i + 1) : NULL, r->inside, 2, dim);
}
static tiny_tensor *tn_last_states(tiny_ctx *t, const tn_recurrence *r, tiny_uop *u, int dtype) {
  const int64_t dim[3] = {r->layers * r->directions, r->batched ? r->N : r->H, r->H};
  return tn_tensor_new(t, tn_narrow(t, tn_reshape(t, u, r->batched ? 3 : 2, dim), dtype));
}

static tiny_tensor *tn_recurrent(tn_recurrence *r, const tiny_recurrent_desc *d, tiny_tensor **hn,
                                 tiny_tensor **cn) {
  tiny_tensor *out;
  const int opened = tn_recurrence_open(r, d, &out);
  if (hn) *hn = out;
  if (cn) *cn = out;
  if (!opened) return out;
  tiny_ctx *t = tn_ctx_of(r->x);
  const int dtype = tn_real(tn_meet(tn_uop_of(r->x), tn_uop_of(r->w[0].w_ih))), states = r->layers * r->directions;
  const int64_t in[3] = {r->L, r->N, r->nin};
  r->inside = tn_computed_in(dtype);
  tiny_uop *x = tn_cast(t, tn_uop_of(r->x), r->inside), *h = NULL, *c = NULL;
  x = tn_reshape(t, r->batch_first ? tn_swap(t, x, 0, 1) : x, 3, in);
  for (int layer = 0; layer < r->layers; layer++) {
    tiny_uop *both = NULL;
    if (layer && r->dropout > 0) x = tn_dropped(t, x, r->dropout);
    for (int side = 0; side < r->directions; side++) {
      const int i = layer * r->directions + side;
      tn_cell s = tn_cell_of(t, r->kind, &r->w[i], r->inside);
      s.h = tn_first_state(t, r, r->h0, i);
      s.c = tn_first_state(t, r, r->c0, i);
      tiny_uop *y = tn_cell_run(t, &s, &r->w[i], x, side);
      if (r->directions > 1) y = tn_extend(t, y, 2, side ? r->H : 0, side ? 0 : r->H);
      both = side ? tn_add(t, both, y) : y;
      h = tn_placed(t, h, s.h, i, states);
      c = tn_placed(t, c, s.c, i, states);
    }
    x = both;
  }
  const int64_t flat[2] = {r->L, r->H * r->directions};
  if (hn) *hn = tn_last_states(t, r, h, dtype);
  if (cn) *cn = tn_last_states(t, r, c, dtype);
  x = r->batch_first ? tn_swap(t, x, 0, 1) : r->batched ? x : tn_reshape(t, x, 2, flat);
  return tn_tensor_new(t, tn_narrow(t, x, dtype));
}

static tn_recurrence tn_recurrence_of(const char *name, int kind, tiny_tensor *x, tiny_tensor *h0,
                                      tiny_tensor *c0, const tiny_recurrent_weights *w) {
  tn_recurrence r;
  memset(&r, 0, sizeof r);
  r.name = name; r.kind = kind; r.x = x; r.h0 = h0; r.c0 = c0; r.w = w;
  return r;
}
TINY_API tiny_tensor *tiny_rnn(tiny_tensor *x, tiny_tensor *h0, const tiny_recurrent_weights *w,
                               const tiny_recurrent_desc *d, tiny_tensor **hn) {
  tn_recurrence r = tn_recurrence_of("rnn", d && d->relu ? TN_RNN_RELU : TN_RNN_TANH, x, h0, NULL, w);
  return tn_recurrent(&r, d, hn, NULL);
}
TINY_API tiny_tensor *tiny_gru(tiny_tensor *x, tiny_tensor *h0, const tiny_recurrent_weights *w,
                               const tiny_recurrent_desc *d, tiny_tensor **hn) {
  tn_recurrence r = tn_recurrence_of("gru", TN_GRU, x, h0, NULL, w);
  return tn_recurrent(&r, d, hn, NULL);
}
TINY_API tiny_tensor *tiny_lstm(tiny_tensor *x, tiny_tensor *h0, tiny_tensor *c0,
                                const tiny_recurrent_weights *w, const tiny_recurrent_desc *d,
                                tiny_tensor **hn, tiny_tensor **cn) {
  tn_recurrence r = tn_recurrence_of("lstm", TN_LSTM, x, h0, c0, w);
  return tn_recurrent(&r, d, hn, cn);
}
#endif
