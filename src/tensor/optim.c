// optim: SGD and Adam. A step queues assignments to parameters and state; it runs at tiny_end.
//
// Rates and bias corrections are SCALARs, so that every step is the same graph. State begins as zeros in memory, not as
// constants: the first step is then like all others. State of f16 and bf16 parameters is f32.
#ifndef TN_TENSOR_OPTIM
#define TN_TENSOR_OPTIM
#ifndef TINY_AMALGAMATED
#include "grad.c"
#endif

// Zeros of x's shape outside of all frames, or NULL.
static tiny_tensor *tn_state_new(tiny_tensor *x) {
  tiny_ctx *t = x->t;
  const int dtype = tn_computed_in(tn_real(x->uop->dtype));
  const size_t nbytes = (size_t)tiny_nelem(x) * tn_dtypes[dtype].nbytes;
  void *zeros = tn_alloc(t, nbytes ? nbytes : 1);
  tiny_tensor *state = zeros ? tiny_keep(tiny_from(t, zeros, (tiny_dtype)dtype, tiny_shape_get(x))) : NULL;
  tn_release(t, zeros, nbytes ? nbytes : 1);
  return tiny_ok(state) ? state : NULL;
}
static void tn_states_free(tiny_ctx *t, tiny_tensor ***state, int n) {
  if (!*state) return;
  for (int i = 0; i < n; i++) tiny_free((*state)[i]);
  tn_release(t, *state, (size_t)n * sizeof **state);
  *state = NULL;
}
static int tn_states_open(tiny_ctx *t, tiny_tensor ***state, tiny_tensor *const *params, int n) {
  if (*state) return 1;
  tiny_tensor **made = (tiny_tensor **)tn_alloc(t, (size_t)n * sizeof *made);
  for (int i = 0; made && i < n; i++) if (!(made[i] = tn_state_new(params[i]))) tn_states_free(t, &made, n);
  *state = made;
  return made != NULL;
}

// Are there n parameters with a gradient each, as many as the optimiser has state for (0: none yet)?
static tiny_code tn_step_check(const char *name, const void *o, int have, tiny_tensor *const *params,
                               tiny_tensor *const *grads, int n) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out;
  if (n <= 0 || !params || !grads || !params[0] || !params[0]->t) return TINY_E_ARG;
  tiny_ctx *t = params[0]->t;
  for (int i = 0; i < n; i++) {
    tiny_tensor *const in[3] = {params[0], params[i], grads[i]};
    if (!tn_usable(name, 3, in, &out)) return t->code ? t->code : TINY_E_STATE;
  }
  if (!o || (have && have != n))
    return tiny_fail(t, TINY_E_ARG, "%s: %d parameters for an optimiser of %d", name, n, have);
  for (int i = 0; i < n; i++) {
    const tiny_uop *p = params[i]->uop, *g = grads[i]->uop;
    if (!tn_is_float(p->dtype))
      return tiny_fail(t, TINY_E_DTYPE, "%s: parameter %d is %s", name, i, tn_dtypes[p->dtype].name);
    if (!tn_has_dims(p, g->ndim, g->dim))
      return tiny_fail(t, TINY_E_SHAPE, "%s: parameter %d is %s, its gradient %s", name, i, tn_text_of(p, a),
                       tn_text_of(g, b));
  }
  return TINY_OK;
}
static double tn_or_default(double x, double value) { return x != 0 ? x : value; }
// A new SCALAR in the dtype that x is computed in; x is a parameter's state.
static tiny_uop *tn_rate(tiny_ctx *t, int dtype, double value) {
  return tn_scalar(t, dtype, tn_dtype_value(dtype, value), ++t->tensors->identity);
}
// The three rates of a step, once for f32 and once for f64.
typedef struct tn_rates { tiny_uop *rate[2][3]; } tn_rates;
static void tn_rates_of(tiny_ctx *t, tn_rates *r, double a, double b, double c) {
  for (int wide = 0; wide < 2; wide++) {
    const double value[3] = {a, b, c};
    for (int i = 0; i < 3; i++) r->rate[wide][i] = tn_rate(t, wide ? TINY_F64 : TINY_F32, value[i]);
  }
}
static tiny_uop *const *tn_rates_for(const tn_rates *r, const tiny_uop *state) {
  return r->rate[state->dtype == TINY_F64];
}

static tiny_code tn_step_done(tiny_ctx *t) { return t->code ? t->code : TINY_OK; }

TINY_API tiny_code tiny_sgd_step(tiny_sgd *o, tiny_tensor *const *params, tiny_tensor *const *grads, int n) {
  const tiny_code code = tn_step_check("sgd_step", o, o ? o->n : 0, params, grads, n);
  if (code != TINY_OK) return code;
  tiny_ctx *t = params[0]->t;
  tn_rates rates;
  o->n = n;
  if (o->momentum != 0 && !tn_states_open(t, &o->velocity, params, n)) return t->code;
  tn_rates_of(t, &rates, tn_or_default(o->lr, 1e-2), 0, 0);
  for (int i = 0; i < n; i++) {
    tiny_uop *p = tn_wide(t, params[i]->uop), *g = tn_wide(t, grads[i]->uop);
    if (o->weight_decay != 0) g = tn_add(t, g, tn_times(t, p, o->weight_decay));
    if (o->velocity) {
      tiny_uop *v = tn_add(t, tn_times(t, o->velocity[i]->uop, o->momentum), g);
      if (!tiny_ok(tn_assign(o->velocity[i], v))) break;
      v = o->velocity[i]->uop;
      g = o->nesterov ? tn_add(t, g, tn_times(t, v, o->momentum)) : v;
    }
    if (tn_bad(t, p) ||
        !tiny_ok(tn_assign(params[i], tn_sub(t, p, tn_mul(t, g, tn_rates_for(&rates, p)[0])))))
      break;
  }
  return tn_step_done(t);
}

// Kingma and Ba, arXiv:1412.6980, algorithm 1, with the decay of Loshchilov and Hutter, arXiv:1711.05101.
TINY_API tiny_code tiny_adam_step(tiny_adam *o, tiny_tensor *const *params, tiny_tensor *const *grads,
                                  int n) {
  const tiny_code code = tn_step_check("adam_step", o, o ? o->n : 0, params, grads, n);
  if (code != TINY_OK) return code;
  tiny_ctx *t = params[0]->t;
  tn_rates rates;
  o->n = n;
  if (!tn_states_open(t, &o->m, params, n) || !tn_states_open(t, &o->v, params, n)) return t->code;
  o->step++;
  const double lr = tn_or_default(o->lr, 1e-3), b1 = tn_or_default(o->beta1, 0.9),
               b2 = tn_or_default(o->beta2, 0.999);
  const double eps = tn_or_default(o->eps, 1e-8), left1 = 1 - pow(b1, (double)o->step),
               left2 = 1 - pow(b2, (double)o->step);
  tn_rates_of(t, &rates, lr / left1, 1 / sqrt(left2), 1 - lr * o->weight_decay);
  for (int i = 0; i < n; i++) {
    tiny_uop *p = tn_wide(t, params[i]->uop), *g = tn_wide(t, grads[i]->uop);
    tiny_uop *m = tn_add(t, tn_times(t, o->m[i]->uop, b1), tn_times(t, g, 1 - b1));
    tiny_uop *v = tn_add(t, tn_times(t, o->v[i]->uop, b2), tn_times(t, tn_square(t, g), 1 - b2));
    if (tn_bad(t, p) || !tiny_ok(tn_assign(o->m[i], m)) || !tiny_ok(tn_assign(o->v[i], v))) break;
    tiny_uop *const *rate = tn_rates_for(&rates, p);
    tiny_uop *step = tn_fdiv(t, tn_mul(t, o->m[i]->uop, rate[0]),
                             tn_plus(t, tn_mul(t, tn_sqrt(t, o->v[i]->uop), rate[1]), eps));
    if (o->weight_decay != 0) p = tn_mul(t, p, rate[2]);
    if (!tiny_ok(tn_assign(params[i], tn_sub(t, p, step)))) break;
  }
  return tn_step_done(t);
}

// Before tiny_close: the lists come from the context's allocator.
TINY_API void tiny_sgd_free(tiny_sgd *o) {
  if (!o || !o->n || !o->velocity) return;
  tn_states_free(o->velocity[0]->t, &o->velocity, o->n);
  o->n = 0;
}
TINY_API void tiny_adam_free(tiny_adam *o) {
  if (!o || !o->n || !o->m) return;
  tiny_ctx *t = o->m[0]->t;
  tn_states_free(t, &o->m, o->n);
  tn_states_free(t, &o->v, o->n);
  o->n = 0; o->step = 0;
}
#endif
