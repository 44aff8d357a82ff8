// optim: optimisers: a table of update formulas, and the step around them.
//
// In:  parameters and gradients. Out: queued assignments to parameters and to the optimiser's state, run at tiny_end.
// A formula gets one parameter p, its gradient g and its states in the dtype that it is computed in, and gives the new
// p. Learning rates are SCALARs, and how far moving averages are filled (1 - beta^step, for the correction of their
// bias) lies in memory: every step is the same graph, and one that `when` forbids has not happened at all. State begins
// as zeros in memory, not as constants: the first step is then like all others.
#ifndef TN_TENSOR_OPTIM
#define TN_TENSOR_OPTIM
#ifndef TINY_AMALGAMATED
#include "grad.c"
#endif

enum { TN_SLOTS = 3 };                     // states of a parameter: first and second moment, and one more
typedef struct tn_update {
  tiny_ctx *t;
  const tiny_optim *o;
  tiny_uop *p, *g, *rate, *keeps;          // rate: lr; keeps: 1 - lr * weight_decay
  tiny_uop *left1, *left2, *first;         // 1 - beta^step; is this the first step?
  tiny_tensor *state[TN_SLOTS];
  double momentum, beta1, beta2, eps;
} tn_update;

static tiny_uop *tn_blend(tiny_ctx *t, tiny_uop *old, tiny_uop *now, double keep) {
  TN_FLOAT_MODE;
  return tn_add(t, tn_times(t, old, keep), tn_times(t, now, 1 - keep));
}
// x, a number that is the library's own, where y is computed.
static tiny_uop *tn_beside(tiny_ctx *t, tiny_uop *x, const tiny_uop *y) {
  tiny_uop *part[TINY_MAX_DEVICES] = {NULL};
  if (tn_bad(t, x) || tn_bad(t, y) || !x->device || !y->device || x->device == y->device) return x;
  if (!tn_is_shard(y)) return tn_copy_to(t, x, y->device);
  for (uint32_t i = 0; i < y->nsrc; i++) part[i] = tn_copy_to(t, x, y->src[i]->device);
  return tn_shard_of(t, -1, (int)y->nsrc, part);
}
static tiny_uop *tn_when(tiny_ctx *t, const tiny_optim *o, tiny_uop *now, tiny_uop *old) {
  return o->when ? tn_where(t, tn_beside(t, tn_uop_of(o->when), old), now, old) : now;
}
static tiny_uop *tn_moment(const tn_update *u, int slot) { return tn_uop_of(u->state[slot]); }
// The state's new value, as formulas see it; it is stored as well.
static tiny_uop *tn_moment_set(tn_update *u, int slot, tiny_uop *now) {
  tiny_tensor *x = u->state[slot];
  now = tn_bad(u->t, now) ? now : tn_when(u->t, u->o, now, tn_uop_of(x));
  return tiny_ok(tn_assign(x, now)) ? tn_uop_of(x) : &u->t->ir->bad;
}
static tiny_uop *tn_moment_blend(tn_update *u, int slot, tiny_uop *now, double keep) {
  return tn_moment_set(u, slot, tn_blend(u->t, tn_moment(u, slot), now, keep));
}
// g with weight decay added, as PyTorch's "L2 penalty".
static tiny_uop *tn_decayed(const tn_update *u) {
  const double k = u->o->weight_decay;
  return k != 0 ? tn_add(u->t, u->g, tn_times(u->t, u->p, k)) : u->g;
}
// p shrunk, as "decoupled" decay does (Loshchilov and Hutter, arXiv:1711.05101).
static tiny_uop *tn_shrunk(const tn_update *u) {
  return u->o->weight_decay != 0 ? tn_mul(u->t, u->p, u->keeps) : u->p;
}
static tiny_uop *tn_moved(const tn_update *u, tiny_uop *p, tiny_uop *step) {
  return tn_sub(u->t, p, tn_mul(u->t, step, u->rate));
}

// ** the formulas **

static tiny_uop *tn_update_sgd(tn_update *u) {
  TN_FLOAT_MODE;
  tiny_ctx *t = u->t;
  tiny_uop *g = tn_decayed(u), *damped = g;
  if (u->momentum == 0) return tn_moved(u, u->p, g);
  if (u->o->dampening != 0) damped = tn_where(t, u->first, g, tn_times(t, g, 1 - u->o->dampening));
  tiny_uop *v = tn_moment_set(u, 0, tn_add(t, tn_times(t, tn_moment(u, 0), u->momentum), damped));
  return tn_moved(u, u->p, u->o->nesterov ? tn_add(t, g, tn_times(t, v, u->momentum)) : v);
}

// m / (1 - b1^step) / (sqrt(v / (1 - b2^step)) + eps). Kingma and Ba, arXiv:1412.6980, algorithm 1; amsgrad: Reddi,
// Kale and Kumar, arXiv:1904.09237.
static tiny_uop *tn_adam_direction(tn_update *u, tiny_uop *g) {
  tiny_ctx *t = u->t;
  tiny_uop *m = tn_moment_blend(u, 0, g, u->beta1), *v = tn_moment_blend(u, 1, tn_square(t, g), u->beta2);
  if (u->o->amsgrad) v = tn_moment_set(u, 2, tn_max(t, tn_moment(u, 2), v));
  if (tn_bad(t, v)) return v;
  // what is 0-d is computed once for all elements
  return tn_fdiv(t, tn_mul(t, m, tn_reciprocal(t, u->left1)),
                 tn_plus(t, tn_mul(t, tn_sqrt(t, v), tn_rsqrt(t, u->left2)), u->eps));
}
static tiny_uop *tn_update_adam(tn_update *u) {
  return tn_moved(u, u->p, tn_adam_direction(u, tn_decayed(u)));
}
static tiny_uop *tn_update_adamw(tn_update *u) {
  return tn_moved(u, tn_shrunk(u), tn_adam_direction(u, u->g));
}

// Kingma and Ba, algorithm 2; eps where PyTorch has it.
static tiny_uop *tn_update_adamax(tn_update *u) {
  tiny_ctx *t = u->t;
  tiny_uop *g = tn_decayed(u), *m = tn_moment_blend(u, 0, g, u->beta1);
  tiny_uop *v = tn_moment_set(
      u, 1, tn_max(t, tn_times(t, tn_moment(u, 1), u->beta2), tn_plus(t, tn_abs(t, g), u->eps)));
  return tn_moved(u, u->p, tn_fdiv(t, m, tn_mul(t, v, u->left1)));
}

static tiny_uop *tn_whole_norm(tiny_ctx *t, tiny_uop *x) {      // 0-d
  if (tn_bad(t, x)) return x;
  return tn_sqrt(t, tn_sum(t, tn_square(t, x), (1 << x->ndim) - 1, 0));
}
// You et al., arXiv:1904.00962, algorithm 2.
static tiny_uop *tn_update_lamb(tn_update *u) {
  tiny_ctx *t = u->t;
  tiny_uop *r = tn_adam_direction(u, u->g);
  if (u->o->weight_decay != 0) r = tn_add(t, r, tn_times(t, u->p, u->o->weight_decay));
  tiny_uop *np = tn_whole_norm(t, u->p), *nr = tn_whole_norm(t, r);
  if (tn_bad(t, np) || tn_bad(t, nr)) return &t->ir->bad;
  tiny_uop *one = tn_k(t, np, 1), *zero = tn_k(t, np, 0), *some = tn_lt(t, zero, nr);
  tiny_uop *trust =
      tn_where(t, tn_and(t, tn_lt(t, zero, np), some), tn_fdiv(t, np, tn_where(t, some, nr, one)), one);
  return tn_moved(u, u->p, tn_mul(t, r, trust));
}

// Tieleman and Hinton, lecture 6.5 of "Neural networks for machine learning", 2012; centered: Graves, arXiv:1308.0850.
static tiny_uop *tn_update_rmsprop(tn_update *u) {
  tiny_ctx *t = u->t;
  tiny_uop *g = tn_decayed(u), *v = tn_moment_blend(u, 1, tn_square(t, g), u->beta2);
  if (u->o->centered) v = tn_sub(t, v, tn_square(t, tn_moment_blend(u, 2, g, u->beta2)));
  if (tn_bad(t, v)) return v;
  tiny_uop *step = tn_fdiv(t, g, tn_plus(t, tn_sqrt(t, v), u->eps));
  if (u->momentum != 0)
    step = tn_moment_set(u, 0, tn_add(t, tn_times(t, tn_moment(u, 0), u->momentum), step));
  return tn_moved(u, u->p, step);
}

// Duchi, Hazan and Singer, "Adaptive subgradient methods", 2011.
static tiny_uop *tn_update_adagrad(tn_update *u) {
  tiny_ctx *t = u->t;
  tiny_uop *g = tn_decayed(u), *v = tn_moment_set(u, 1, tn_add(t, tn_moment(u, 1), tn_square(t, g)));
  return tn_bad(t, v) ? v : tn_moved(u, u->p, tn_fdiv(t, g, tn_plus(t, tn_sqrt(t, v), u->eps)));
}

// Zeiler, arXiv:1212.5701, algorithm 1.
static tiny_uop *tn_update_adadelta(tn_update *u) {
  tiny_ctx *t = u->t;
  tiny_uop *g = tn_decayed(u), *v = tn_moment_blend(u, 1, tn_square(t, g), u->beta2), *d = tn_moment(u, 2);
  if (tn_bad(t, v)) return v;
  tiny_uop *step =
      tn_mul(t, g, tn_fdiv(t, tn_sqrt(t, tn_plus(t, d, u->eps)), tn_sqrt(t, tn_plus(t, v, u->eps))));
  d = tn_moment_blend(u, 2, tn_square(t, step), u->beta2);
  return tn_bad(t, d) ? d : tn_moved(u, u->p, step);
}

// Chen et al., arXiv:2302.06675, algorithm 2.
static tiny_uop *tn_update_lion(tn_update *u) {
  tiny_ctx *t = u->t;
  tiny_uop *step = tn_sign(t, tn_blend(t, tn_moment(u, 0), u->g, u->beta1));
  if (tn_bad(t, step) || tn_bad(t, tn_moment_blend(u, 0, u->g, u->beta2))) return &t->ir->bad;
  return tn_moved(u, tn_shrunk(u), step);
}

static tiny_uop *tn_matrix_product(tiny_ctx *t, tiny_uop *x, tiny_uop *w) {  // (M,K) (K,N) -> (M,N)
  if (tn_bad(t, x) || tn_bad(t, w)) return &t->ir->bad;
  tiny_uop *y = tn_mul(t, tn_insert(t, x, 2), tn_insert(t, w, 0));
  return tn_sum(t, y, 1 << 1, 0);
}
// Nearly the closest orthogonal matrix: five steps of a Newton-Schulz iteration on the singular values, whose
// coefficients Keller Jordan gives in "Muon: an optimizer for hidden layers in neural networks", 2024.
static tiny_uop *tn_orthogonal(tiny_ctx *t, tiny_uop *x, double eps) {
  const double a = 3.4445, b = -4.7750, c = 2.0315;
  const int tall = !tn_bad(t, x) && x->dim[0] > x->dim[1];
  if (tall) x = tn_swap(t, x, 0, 1);
  tiny_uop *norm = tn_whole_norm(t, x);
  if (tn_bad(t, norm)) return norm;
  x = tn_fdiv(t, x, tn_max(t, norm, tn_k(t, norm, eps)));
  for (int i = 0; i < 5 && !tn_bad(t, x); i++) {
    tiny_uop *gram = tn_matrix_product(t, x, tn_swap(t, x, 0, 1));
    tiny_uop *mix = tn_add(t, tn_times(t, gram, b), tn_times(t, tn_matrix_product(t, gram, gram), c));
    x = tn_add(t, tn_times(t, x, a), tn_matrix_product(t, mix, x));
  }
  return tall ? tn_swap(t, x, 0, 1) : x;
}
// Jordan; decay and the scale sqrt(max(1, rows/columns)) as in torch.optim.Muon.
static tiny_uop *tn_update_muon(tn_update *u) {
  TN_FLOAT_MODE;
  tiny_ctx *t = u->t;
  tiny_uop *m = tn_moment_blend(u, 0, u->g, u->momentum);
  tiny_uop *step = tn_orthogonal(t, tn_blend(t, m, u->g, u->momentum), u->eps);
  if (tn_bad(t, step)) return step;
  const double rows = (double)step->dim[0], columns = (double)step->dim[1];
  return tn_moved(u, tn_shrunk(u), tn_times(t, step, rows > columns ? sqrt(rows / columns) : 1));
}

// needs: bits of slots, always; with momentum; centered or amsgrad. left: uses left1, left2 or first.
static const struct tn_optim_row {
  const char *name;
  tiny_uop *(*update)(tn_update *u);
  double lr, momentum, beta1, beta2, eps;
  uint8_t always, with_momentum, with_flag, left;
} tn_optims[TINY_OPTIM_COUNT] = {
  {"sgd",      tn_update_sgd,      1e-2, 0,    0,   0,     0,     0, 1, 0, 0},
  {"adam",     tn_update_adam,     1e-3, 0,    0.9, 0.999, 1e-8,  3, 0, 4, 1},
  {"adamw",    tn_update_adamw,    1e-3, 0,    0.9, 0.999, 1e-8,  3, 0, 4, 1},
  {"adamax",   tn_update_adamax,   2e-3, 0,    0.9, 0.999, 1e-8,  3, 0, 0, 1},
  {"lamb",     tn_update_lamb,     1e-3, 0,    0.9, 0.999, 1e-6,  3, 0, 4, 1},
  {"rmsprop",  tn_update_rmsprop,  1e-2, 0,    0,   0.99,  1e-8,  2, 1, 4, 0},
  {"adagrad",  tn_update_adagrad,  1e-2, 0,    0,   0,     1e-10, 2, 0, 0, 0},
  {"adadelta", tn_update_adadelta, 1,    0,    0,   0.9,   1e-6,  6, 0, 0, 0},
  {"lion",     tn_update_lion,     1e-4, 0,    0.9, 0.99,  0,     1, 0, 0, 0},
  {"muon",     tn_update_muon,     1e-3, 0.95, 0,   0,     1e-7,  1, 0, 0, 0},
};

// ** state **

// Zeros in memory of a device (tiny_uop.device).
static tiny_uop *tn_zeros_on(tiny_ctx *t, int device, int dtype, int ndim, const int64_t *dim) {
  const size_t nbytes = (size_t)tn_dims_nelem(ndim, dim) * tn_dtypes[dtype].nbytes;
  const int here = t->here;
  void *zeros = tn_alloc(t, nbytes ? nbytes : 1);
  t->here = device ? device - 1 : here;
  tiny_tensor *x = zeros ? tiny_from(t, zeros, (tiny_dtype)dtype, tn_shape_of(ndim, dim)) : tn_poison(t);
  t->here = here;
  tn_release(t, zeros, nbytes ? nbytes : 1);
  return tiny_ok(x) ? tn_uop_of(x) : &t->ir->bad;
}
// Zeros of a shape outside of all frames, where `like` is, split as that if it has its dims; or NULL.
static tiny_tensor *tn_state_new(const tiny_tensor *like, int dtype, tiny_shape shape) {
  tiny_ctx *t = tn_ctx_of(like);
  tiny_uop *u = tn_uop_of(like), *part[TINY_MAX_DEVICES] = {NULL}, *zeros;
  if (tn_is_shard(u)) {
    const int alike = tn_has_dims(u, shape.ndim, shape.dim);
    for (uint32_t i = 0; i < u->nsrc; i++)
      part[i] = tn_zeros_on(t, u->src[i]->device, dtype, shape.ndim, alike ? u->src[i]->dim : shape.dim);
    zeros = tn_shard_of(t, alike ? tn_shard_axis(u) : -1, (int)u->nsrc, part);
  } else zeros = tn_zeros_on(t, u->device, dtype, shape.ndim, shape.dim);
  tiny_tensor *state = tiny_keep(tn_tensor_new(t, zeros));
  return tiny_ok(state) ? state : NULL;
}
static tiny_tensor *tn_state_like(tiny_tensor *x) {
  return tn_state_new(x, tn_computed_in(tn_uop_of(x)->dtype), tiny_shape_of(x));
}
static void tn_states_free(tiny_tensor ***state, int n) {
  if (!*state) return;
  for (int i = 0; i < n; i++) tiny_free((*state)[i]);
  tn_owned_free(*state);
  *state = NULL;
}

static int tn_optim_known(tiny_ctx *t, const char *name, const tiny_optim *o) {
  if ((unsigned)o->kind < TINY_OPTIM_COUNT) return 1;
  tiny_fail(t, TINY_E_ARG, "%s: %d is no kind of optimiser", name, (int)o->kind);
  return 0;
}
static int tn_optim_needs(const tiny_optim *o) {
  const struct tn_optim_row *row = &tn_optims[o->kind];
  return row->always | (tn_or_default(o->momentum, 0) != 0 ? row->with_momentum : 0) |
      (o->centered || o->amsgrad ? row->with_flag : 0);
}
// The states that this step needs and that are not there yet.
static int tn_optim_open(tiny_optim *o, tiny_ctx *t, tiny_tensor *const *params, int n) {
  const int needs = tn_optim_needs(o);
  const tiny_shape two = {1, {2}};
  int wide = 0;
  if (!o->state) {
    o->state = (tiny_tensor **)tn_owned_grow(t, NULL, (size_t)n * TN_SLOTS * sizeof *o->state);
    if (!o->state) return 0;
    o->n = n;
    o->t = t;
  }
  for (int i = 0; i < n; i++) {
    wide |= tn_uop_of(params[i])->dtype == TINY_F64;
    for (int slot = 0; slot < TN_SLOTS; slot++) {
      tiny_tensor **at = &o->state[slot * n + i];
      if (needs >> slot & 1 && !*at && !(*at = tn_state_like(params[i]))) return 0;
    }
  }
  if (!tn_optims[o->kind].left && (o->kind != TINY_SGD || o->dampening == 0)) return 1;
  if (!o->left) o->left = tn_state_new(params[0], wide ? TINY_F64 : TINY_F32, two);
  return o->left != NULL;
}
TINY_API void tiny_optim_free(tiny_optim *o) {
  if (!o || !o->t) return;
  tn_states_free(&o->state, o->n * TN_SLOTS);
  tiny_free(o->left);
  o->left = NULL; o->n = 0; o->t = NULL;
}

// ** the step **

// Are there n parameters with a gradient each, in the context t that has the state (NULL: none yet), as many as there
// is state for (0: none yet)?
static tiny_code tn_step_check(tiny_ctx *t, const char *name, int have, tiny_tensor *const *params,
                               tiny_tensor *const *grads, int n) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (n <= 0 || !params || !grads || !params[0]) return TINY_E_ARG;
  if (!t) t = tn_ctx_of(params[0]);
  for (int i = 0; i < n; i++) {
    tiny_tensor *const in[3] = {params[0], params[i], grads[i]};
    if (!tn_usable_in(t, name, 3, in, &out)) return t->code ? t->code : TINY_E_STATE;
  }
  if (have && have != n)
    return tiny_fail(t, TINY_E_ARG, "%s: %d parameters for an optimiser of %d", name, n, have);
  for (int i = 0; i < n; i++) {
    const tiny_uop *p = tn_uop_of(params[i]), *g = tn_uop_of(grads[i]);
    if (!tn_is_float(p->dtype))
      return tiny_fail(t, TINY_E_DTYPE, "%s: parameter %d is %s", name, i, tn_dtypes[p->dtype].name);
    if (p->device && g->device && p->device != g->device)
      return tiny_fail(t, TINY_E_DEVICE, "%s: parameter %d lives on %s, its gradient on %s", name, i,
                       tn_place_name(t, p->device), tn_place_name(t, g->device));
    if (!tn_has_dims(p, g->ndim, g->dim))
      return tiny_fail(t, TINY_E_SHAPE, "%s: parameter %d is %s, its gradient %s", name, i, tn_text_of(p, a),
                       tn_text_of(g, b));
  }
  return TINY_OK;
}
// Does what was kept for parameter i, of the same context, have its shape? It has another where the parameters of an
// earlier step were others.
static tiny_code tn_state_check(tiny_ctx *t, const char *name, int i, const tiny_tensor *param,
                                const tiny_tensor *state) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  const tiny_uop *p = tn_uop_of(param), *s = tn_uop_of(state);
  if (tn_has_dims(p, s->ndim, s->dim)) return TINY_OK;
  return tiny_fail(t, TINY_E_SHAPE, "%s: parameter %d is %s, in the steps before it was %s", name, i, tn_text_of(p, a),
                   tn_text_of(s, b));
}
static tiny_code tn_optim_check(const tiny_optim *o, tiny_tensor *const *params, tiny_tensor *const *grads,
                                int n) {
  char text[TN_DIMS_TEXT];
  tiny_tensor *out;
  const tiny_code code = tn_step_check(o ? o->t : NULL, "optim_step", o ? o->n : 0, params, grads, n);
  if (code != TINY_OK) return code;
  tiny_ctx *t = tn_ctx_of(params[0]);
  if (!o) return tiny_fail(t, TINY_E_ARG, "optim_step: the optimiser is NULL");
  if (!tn_optim_known(t, "optim_step", o)) return t->code;
  for (int i = 0; o->kind == TINY_MUON && i < n; i++)
    if (tn_uop_of(params[i])->ndim != 2)
      return tiny_fail(t, TINY_E_SHAPE, "optim_step: muon moves matrices, but parameter %d is %s", i,
                       tn_text_of(tn_uop_of(params[i]), text));
  if (o->when && !tn_usable_in(t, "optim_step's when", 1, &o->when, &out)) return t->code ? t->code : TINY_E_STATE;
  if (o->when && (tn_uop_of(o->when)->ndim || tn_uop_of(o->when)->dtype != TINY_BOOL))
    return tiny_fail(t, TINY_E_ARG, "optim_step: when is not a 0-d bool of this context");
  int whole = !o->left || tn_usable_in(t, "optim_step's state", 1, &o->left, &out);
  for (int i = 0; o->state && i < TN_SLOTS * o->n && whole; i++)
    whole = !o->state[i] || tn_usable_in(t, "optim_step's state", 1, &o->state[i], &out);
  if (!whole) return t->code ? t->code : TINY_E_STATE;
  for (int i = 0; o->state && i < TN_SLOTS * n; i++)
    if (o->state[i] && tn_state_check(t, "optim_step", i % n, params[i % n], o->state[i]) != TINY_OK) return t->code;
  if (o->rate && !tn_usable_in(t, "optim_step's rate", 1, &o->rate, &out)) return t->code ? t->code : TINY_E_STATE;
  if (o->rate && (tn_uop_of(o->rate)->ndim || !tn_is_float(tn_uop_of(o->rate)->dtype)))
    return tiny_fail(t, TINY_E_ARG, "optim_step: rate is not a 0-d float of this context");
  return TINY_OK;
}
// A new SCALAR.
static tiny_uop *tn_rate(tiny_ctx *t, int dtype, double value) {
  return tn_scalar(t, dtype, tn_dtype_value(dtype, value), ++t->tensors->identity);
}
static tiny_uop *tn_element(tiny_ctx *t, tiny_uop *x, int i, int dtype) {      // 0-d
  x = tn_reshape(t, tn_cut(t, x, 0, i, i + 1), 0, NULL);
  return tn_bad(t, x) ? x : tn_cast(t, x, dtype);
}

// left = left * beta + (1 - beta), for both betas. Unlike 1 - beta^step it loses nothing to cancellation.
static int tn_optim_fill(tn_update *u) {
  const tiny_optim *o = u->o;
  tiny_ctx *t = u->t;
  if (!o->left) return 1;
  tiny_uop *left = tn_uop_of(o->left);
  tiny_uop *beta = tn_where(t, tn_eq(t, tn_iota(t, TINY_INDEX, 2, 0, 1), tn_index(t, 0)),
                            tn_k(t, left, u->beta1), tn_k(t, left, u->beta2));
  tiny_uop *now = tn_add(t, tn_mul(t, left, beta), tn_plus(t, tn_neg(t, beta), 1));
  return !tn_bad(t, now) && tiny_ok(tn_assign(o->left, tn_when(t, o, now, left)));
}
// One parameter; rates: of f32 and f64; before: left as it was.
static int tn_optim_move(tn_update *u, tiny_tensor *param, tiny_tensor *grad, tiny_uop *rates[2][2],
                         tiny_uop *before) {
  tiny_ctx *t = u->t;
  u->p = tn_wide(t, tn_uop_of(param));
  if (tn_bad(t, u->p)) return 0;
  u->g = tn_cast(t, tn_uop_of(grad), u->p->dtype);
  if (u->o->maximize) u->g = tn_neg(t, u->g);
  u->rate = tn_beside(t, rates[u->p->dtype == TINY_F64][0], u->p);
  u->keeps = tn_beside(t, rates[u->p->dtype == TINY_F64][1], u->p);
  if (before) {
    tiny_uop *left = tn_beside(t, tn_uop_of(u->o->left), u->p);
    u->left1 = tn_element(t, left, 0, u->p->dtype);
    u->left2 = tn_element(t, left, 1, u->p->dtype);
    tiny_uop *was = tn_element(t, tn_beside(t, before, u->p), 1, u->p->dtype);
    u->first = tn_eq(t, was, tn_k(t, was, 0));
  }
  tiny_uop *now = tn_optims[u->o->kind].update(u);
  return !tn_bad(t, now) && tiny_ok(tn_assign(param, tn_when(t, u->o, now, u->p)));
}

TINY_API tiny_code tiny_optim_step(tiny_optim *o, tiny_tensor *const *params, tiny_tensor *const *grads,
                                   int n) {
  TN_FLOAT_MODE;
  const tiny_code code = tn_optim_check(o, params, grads, n);
  if (code != TINY_OK) return code;
  tiny_ctx *t = tn_ctx_of(params[0]);
  const struct tn_optim_row *row = &tn_optims[o->kind];
  const double lr = tn_or_default(o->lr, row->lr);
  tn_update u;
  tiny_uop *rates[2][2];
  memset(&u, 0, sizeof u);
  if (!tn_optim_open(o, t, params, n)) return t->code;
  u.t = t; u.o = o;
  u.momentum = tn_or_default(o->momentum, row->momentum);
  u.beta1 = tn_or_default(o->beta1, row->beta1);
  u.beta2 = tn_or_default(o->beta2, row->beta2);
  u.eps = tn_or_default(o->eps, row->eps);
  const int outside = tn_label_enter(t, t->labels ? tn_label_within(t, t->labels->now, "optimizer") : 0);
  for (int wide = 0; wide < 2; wide++) {
    const int dtype = wide ? TINY_F64 : TINY_F32;
    rates[wide][0] = o->rate ? tn_cast(t, tn_uop_of(o->rate), dtype) : tn_rate(t, dtype, lr);
    rates[wide][1] = o->rate ? tn_plus(t, tn_times(t, rates[wide][0], -o->weight_decay), 1)
                             : tn_rate(t, dtype, 1 - lr * o->weight_decay);
  }
  tiny_uop *before = o->left ? tn_uop_of(o->left) : NULL;
  int done = tn_optim_fill(&u);
  for (int i = 0; done && i < n; i++) {
    for (int slot = 0; slot < TN_SLOTS; slot++) u.state[slot] = o->state[slot * n + i];
    done = tn_optim_move(&u, params[i], grads[i], rates, before);
  }
  tn_label_leave(t, outside);
  return t->code;
}

TINY_API tiny_code tiny_optim_minimize(tiny_optim *o, tiny_tensor *loss, const tiny_params *p) {
  tiny_tensor *out;
  if (!o || !p) return TINY_E_ARG;
  if (!tn_usable_in(p->t, "optim_minimize", 1, &loss, &out))
    return !out || !p->t ? TINY_E_ARG : p->t->code ? p->t->code : TINY_E_STATE;
  tiny_ctx *t = tn_ctx_of(loss);
  const int n = p->ntrainable;
  if (!n) return tiny_fail(t, TINY_E_ARG, "optim_minimize: the list has no tensor that is trained");
  tiny_tensor **grads = (tiny_tensor **)tn_alloc(t, (size_t)n * sizeof *grads);
  if (!grads) return t->code;
  tiny_code code = tiny_grad(loss, p->trainable, n, grads);
  if (code == TINY_OK) code = tiny_optim_step(o, p->trainable, grads, n);
  for (int i = 0; i < n; i++) tiny_free(grads[i]);
  tn_release(t, grads, (size_t)n * sizeof *grads);
  return code;
}
#endif
