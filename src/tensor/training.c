// training: what stands around an optimiser: gradient clipping, the scale of mixed precision, averages of weights.
#ifndef TN_TENSOR_TRAINING
#define TN_TENSOR_TRAINING
#ifndef TINY_AMALGAMATED
#include "optim.c"
#endif

// Are grads[0..n-1] floats of one context, *t, which is told if it is NULL?
static tiny_code tn_grads_check(const char *name, tiny_tensor *const *grads, int n, tiny_ctx **t) {
  if (!*t) *t = grads && n > 0 && grads[0] ? tn_ctx_of(grads[0]) : NULL;
  return *t ? tn_step_check(*t, name, 0, grads, grads, n) : TINY_E_ARG;
}

// ** clipping **

// sum |x|^p, or max |x| for p = inf; 0-d f32 or f64.
static tiny_uop *tn_power_sum(tiny_ctx *t, tiny_uop *x, double p) {
  x = tn_wide(t, x);
  if (tn_bad(t, x)) return x;
  const int all = (1 << x->ndim) - 1;
  if (p == HUGE_VAL) return tn_reduce(t, TINY_OP_MAX, tn_abs(t, x), all, 0);
  return tn_sum(t,
                p == 2 ? tn_square(t, x) :
                p == 1 ? tn_abs(t, x) :
                         tn_pow(t, tn_abs(t, x), tn_k(t, x, p)),
                all, 0);
}
TINY_API tiny_tensor *tiny_clip_grad_norm(tiny_tensor **grads, int n, double max_norm, double p) {
  TN_FLOAT_MODE;
  tiny_ctx *t = NULL;
  if (tn_grads_check("clip_grad_norm", grads, n, &t) != TINY_OK) return tn_poison(t);
  p = tn_or_default(p, 2);
  if (!(max_norm >= 0) || !(p > 0))
    return tn_wrong(t, TINY_E_ARG, "clip_grad_norm: max_norm %g and p %g; both are positive", max_norm, p);
  tiny_uop *sum = NULL;
  for (int i = 0; i < n; i++) {
    tiny_uop *part = tn_power_sum(t, tn_uop_of(grads[i]), p);
    if (tn_bad(t, part)) return tn_poison(t);
    if (sum && part->dtype != sum->dtype) {
      part = tn_cast(t, part, TINY_F64);
      sum = tn_cast(t, sum, TINY_F64);
    }
    part = tn_beside(t, part, sum);
    sum = !sum ? part : p == HUGE_VAL ? tn_max(t, sum, part) : tn_add(t, sum, part);
  }
  tiny_uop *norm = p == HUGE_VAL || p == 1 ? sum :
                   p == 2                  ? tn_sqrt(t, sum) :
                                             tn_pow(t, sum, tn_k(t, sum, 1 / p));
  if (tn_bad(t, norm)) return tn_poison(t);
  norm = tn_u1(t, TINY_OP_CONTIGUOUS, norm);
  tiny_uop *scale = tn_min(t, tn_fdiv(t, tn_k(t, norm, max_norm), tn_plus(t, norm, 1e-6)), tn_k(t, norm, 1));
  for (int i = 0; i < n && !tn_bad(t, scale); i++) {
    tiny_uop *g = tn_wide(t, tn_uop_of(grads[i]));
    if (tn_bad(t, g)) return tn_poison(t);
    g = tn_mul(t, g, tn_cast(t, tn_beside(t, scale, g), g->dtype));
    grads[i] = tn_tensor_new(t, tn_bad(t, g) ? g : tn_cast(t, g, tn_uop_of(grads[i])->dtype));
  }
  return tn_tensor_new(t, norm);
}
TINY_API tiny_code tiny_clip_grad_value(tiny_tensor **grads, int n, double value) {
  tiny_ctx *t = NULL;
  const tiny_code code = tn_grads_check("clip_grad_value", grads, n, &t);
  if (code != TINY_OK) return code;
  if (!(value >= 0)) return tiny_fail(t, TINY_E_ARG, "clip_grad_value: %g is negative", value);
  for (int i = 0; i < n; i++) grads[i] = tiny_clamp(grads[i], -value, value);
  return t->code;
}

// ** mixed precision **

static int tn_scaler_open(tiny_scaler *s, tiny_ctx *t) {
  TN_FLOAT_MODE;
  const tiny_shape two = {1, {2}};
  if (s->state) return 1;
  const float state[2] = {(float)tn_or_default(s->scale, 65536), 0};
  tiny_tensor *made = tiny_keep(tiny_from(t, state, TINY_F32, two));
  s->state = tiny_ok(made) ? made : NULL;
  return s->state != NULL;
}
TINY_API void tiny_scaler_free(tiny_scaler *s) {
  if (!s) return;
  tiny_free(s->state);
  s->state = s->finite = NULL;
}
// The context that the scaler has its state in; NULL: none yet.
static tiny_ctx *tn_scaler_ctx(const tiny_scaler *s) { return s ? tn_ctx_of(s->state) : NULL; }
// Do the tensors that it holds live in t?
static int tn_scaler_whole(const char *name, const tiny_scaler *s, tiny_ctx *t) {
  tiny_tensor *out;
  return !s || ((!s->state || tn_usable_in(t, name, 1, &s->state, &out)) &&
                (!s->finite || tn_usable_in(t, name, 1, &s->finite, &out)));
}
TINY_API tiny_tensor *tiny_scaler_scale(tiny_scaler *s, tiny_tensor *loss) {
  tiny_tensor *out;
  if (!tn_usable_in(tn_scaler_ctx(s), "scaler_scale", 1, &loss, &out)) return out;
  if (!tn_scaler_whole("scaler_scale", s, tn_ctx_of(loss))) return out;
  tiny_ctx *t = tn_ctx_of(loss);
  if (!s) return tn_wrong(t, TINY_E_ARG, "scaler_scale: the scaler is NULL");
  if (!tn_is_float(tn_uop_of(loss)->dtype))
    return tn_wrong(t, TINY_E_DTYPE, "scaler_scale: the loss is %s, not a float",
                    tn_dtypes[tn_uop_of(loss)->dtype].name);
  tiny_uop *u = tn_wide(t, tn_uop_of(loss));
  if (!tn_scaler_open(s, t) || tn_bad(t, u)) return tn_poison(t);
  return tn_tensor_new(t, tn_mul(t, u, tn_element(t, tn_beside(t, tn_uop_of(s->state), u), 0, u->dtype)));
}
TINY_API tiny_code tiny_scaler_unscale(tiny_scaler *s, tiny_tensor **grads, int n) {
  tiny_ctx *t = tn_scaler_ctx(s);
  const tiny_code code = tn_grads_check("scaler_unscale", grads, n, &t);
  if (code != TINY_OK) return code;
  if (!tn_scaler_whole("scaler_unscale", s, t)) return t->code;
  if (!s || !s->state) return tiny_fail(t, TINY_E_STATE, "scaler_unscale: the loss was not scaled");
  tiny_uop *bad = NULL;                    // 0-d i32: is any element infinite or NaN?
  for (int i = 0; i < n; i++) {
    tiny_uop *g = tn_wide(t, tn_uop_of(grads[i]));
    if (tn_bad(t, g)) return t->code;
    g = tn_fdiv(t, g, tn_element(t, tn_beside(t, tn_uop_of(s->state), g), 0, g->dtype));
    tiny_uop *finite = tn_and(t, tn_lt(t, g, tn_k(t, g, HUGE_VAL)), tn_lt(t, tn_k(t, g, -HUGE_VAL), g));
    if (tn_bad(t, finite)) return t->code;
    tiny_uop *any = tn_reduce(t, TINY_OP_MAX, tn_cast(t, tn_not(t, finite), TINY_I32), (1 << g->ndim) - 1, 0);
    bad = bad ? tn_max(t, bad, tn_beside(t, any, bad)) : any;
    grads[i] = tn_tensor_new(t, g);
  }
  tiny_uop *finite = tn_bad(t, bad) ? bad : tn_eq(t, tn_max(t, bad, tn_k(t, bad, 0)), tn_k(t, bad, 0));
  if (tn_bad(t, finite)) return t->code;
  if (s->finite) finite = tn_and(t, tn_uop_of(s->finite), tn_beside(t, finite, tn_uop_of(s->finite)));
  s->finite = tn_tensor_new(t, tn_u1(t, TINY_OP_CONTIGUOUS, finite));
  return t->code;
}
TINY_API tiny_code tiny_scaler_step(tiny_scaler *s, tiny_optim *o, tiny_tensor *const *params,
                                    tiny_tensor *const *grads, int n) {
  tiny_ctx *t = tn_scaler_ctx(s);
  tiny_tensor *out;
  if (!t) t = params && n > 0 ? tn_ctx_of(params[0]) : NULL;
  if (!s || !o || !s->finite)
    return tiny_fail(t, TINY_E_STATE, "scaler_step: the gradients were not unscaled");
  if (!tn_scaler_whole("scaler_step", s, t)) return t->code;
  if (o->t && o->t != t) return tiny_fail(t, TINY_E_ARG, "scaler_step: the optimiser belongs to another context");
  if (params && n > 0 && !tn_usable_in(t, "scaler_step", n, params, &out)) return t->code ? t->code : TINY_E_STATE;
  tiny_tensor *when = o->when;
  o->when = when ? tiny_bitwise_and(when, s->finite) : s->finite;
  const tiny_code code = tiny_optim_step(o, params, grads, n);
  o->when = when;
  return code;
}
// Grows after interval good steps, shrinks after a bad one.
TINY_API tiny_code tiny_scaler_update(tiny_scaler *s) {
  if (!s || !s->state) return TINY_E_ARG;
  tiny_ctx *t = tn_ctx_of(s->state);
  if (!tn_scaler_whole("scaler_update", s, t)) return t->code;
  if (!s->finite) return tiny_fail(t, TINY_E_STATE, "scaler_update: the gradients were not unscaled");
  const double growth = tn_or_default(s->growth, 2), backoff = tn_or_default(s->backoff, 0.5);
  tiny_uop *state = tn_uop_of(s->state), *finite = tn_beside(t, tn_uop_of(s->finite), state), *zero = tn_k(t, state, 0);
  tiny_uop *scale = tn_element(t, state, 0, TINY_F32),
           *good = tn_plus(t, tn_element(t, state, 1, TINY_F32), 1);
  tiny_uop *grows = tn_eq(t, good, tn_k(t, good, s->interval > 0 ? s->interval : 2000));
  tiny_uop *next = tn_where(t, finite, tn_where(t, grows, tn_times(t, scale, growth), scale),
                            tn_times(t, scale, backoff));
  tiny_uop *count = tn_where(t, tn_and(t, finite, tn_not(t, grows)), good, zero);
  tiny_uop *first = tn_eq(t, tn_iota(t, TINY_INDEX, 2, 0, 1), tn_index(t, 0));
  tn_assign(s->state, tn_where(t, first, next, count));
  s->finite = NULL;
  return t->code;
}

// ** averages of weights **

TINY_API tiny_code tiny_ema_step(tiny_ema *e, tiny_tensor *const *params, int n) {
  const tiny_code code = tn_step_check(e ? e->t : NULL, "ema_step", e ? e->n : 0, params, params, n);
  if (code != TINY_OK) return code;
  tiny_ctx *t = tn_ctx_of(params[0]);
  if (!e) return tiny_fail(t, TINY_E_ARG, "ema_step: the average is NULL");
  tiny_tensor *out;
  const tiny_shape one = {1, {1}};
  const int fresh = !e->average;
  if (!fresh && !tn_usable_in(t, "ema_step's average", n, e->average, &out)) return t->code ? t->code : TINY_E_STATE;
  for (int i = 0; i < n && !fresh; i++)
    if (tn_state_check(t, "ema_step", i, params[i], e->average[i]) != TINY_OK) return t->code;
  if (e->steps && !tn_usable_in(t, "ema_step's steps", 1, &e->steps, &out)) return t->code ? t->code : TINY_E_STATE;
  if (!e->steps && !(e->steps = tn_state_new(params[0], TINY_F32, one))) return t->code;
  e->t = t;
  if (fresh) {
    tiny_tensor **made = (tiny_tensor **)tn_owned_grow(t, NULL, (size_t)n * sizeof *made);
    for (int i = 0; made && i < n; i++)
      if (!(made[i] = tn_state_like(params[i]))) tn_states_free(&made, n);
    if (!made) return t->code;
    e->average = made; e->n = n;
  }
  tiny_uop *first = tn_element(t, tn_uop_of(e->steps), 0, TINY_F32);
  first = tn_bad(t, first) ? first : tn_eq(t, first, tn_k(t, first, 0));
  for (int i = 0; i < n; i++) {
    tiny_uop *p = tn_wide(t, tn_uop_of(params[i])), *old = tn_uop_of(e->average[i]);
    if (tn_bad(t, p) || tn_bad(t, first)) break;
    tiny_uop *blend = tn_blend(t, old, p, tn_or_default(e->decay, 0.999));
    if (!tiny_ok(tn_assign(e->average[i], tn_where(t, tn_beside(t, first, p), p, blend)))) break;
  }
  tn_assign(e->steps, tn_k(t, tn_uop_of(e->steps), 1));
  return t->code;
}
TINY_API void tiny_ema_free(tiny_ema *e) {
  if (!e || !e->t) return;
  tn_states_free(&e->average, e->n);
  tiny_free(e->steps);
  e->steps = NULL; e->n = 0; e->t = NULL;
}

// ** learning rates **

static double tn_lr(double lr) { return lr > 0 ? lr : TINY_ZERO; }
static double tn_lr_way(int64_t step, int64_t steps) {       // 0 .. 1
  TN_FLOAT_MODE;
  return steps <= 0 || step >= steps ? 1 : step <= 0 ? 0 : (double)step / (double)steps;
}
// Half a wave of the cosine: from a to b.
static double tn_lr_half_wave(double a, double b, double way) {
  TN_FLOAT_MODE;
  return b + (a - b) * (1 + cos(TN_PI * way)) / 2;
}

TINY_API double tiny_lr_step(double lr, int64_t step, int64_t every, double gamma) {
  TN_FLOAT_MODE;
  return tn_lr(lr * pow(gamma, (double)(every > 0 ? step / every : 0)));
}
TINY_API double tiny_lr_multistep(double lr, int64_t step, const int64_t *milestones, int n, double gamma) {
  TN_FLOAT_MODE;
  int passed = 0;
  while (milestones && passed < n && milestones[passed] <= step) passed++;
  return tn_lr(lr * pow(gamma, passed));
}
TINY_API double tiny_lr_exponential(double lr, int64_t step, double gamma) {
  TN_FLOAT_MODE;
  return tn_lr(lr * pow(gamma, (double)step));
}
TINY_API double tiny_lr_cosine(double lr, int64_t step, int64_t period, double lowest) {
  TN_FLOAT_MODE;
  return tn_lr(tn_lr_half_wave(lr, lowest, period > 0 ? (double)step / (double)period : 1));
}
// Loshchilov and Hutter, arXiv:1608.03983, equation 5.
TINY_API double tiny_lr_cosine_restarts(double lr, int64_t step, int64_t period, int multiply,
                                        double lowest) {
  TN_FLOAT_MODE;
  if (period <= 0) return tn_lr(lowest);
  while (multiply > 1 && step >= period && period < INT64_MAX / multiply) {
    step -= period;
    period *= multiply;
  }
  return tn_lr(tn_lr_half_wave(lr, lowest, (double)(step % period) / (double)period));
}
TINY_API double tiny_lr_linear(double lr, int64_t step, int64_t steps, double from, double to) {
  TN_FLOAT_MODE;
  return tn_lr(lr * (from + (to - from) * tn_lr_way(step, steps)));
}
// Smith and Topin, arXiv:1708.07120, with PyTorch's defaults.
TINY_API double tiny_lr_one_cycle(double highest, int64_t step, int64_t steps) {
  TN_FLOAT_MODE;
  const double top = 0.3 * (double)steps - 1, last = (double)steps - 1, at = step < 0 ? 0 : (double)step;
  if (top > 0 && at <= top) return tn_lr(tn_lr_half_wave(highest / 25, highest, at / top));
  const double way = last > top ? (at - top) / (last - top) : 1;
  return tn_lr(tn_lr_half_wave(highest, highest / 25e4, way < 1 ? way : 1));
}
TINY_API double tiny_lr_polynomial(double lr, int64_t step, int64_t steps, double power) {
  TN_FLOAT_MODE;
  return tn_lr(lr * pow(1 - tn_lr_way(step, steps), power));
}
TINY_API double tiny_lr_plateau(tiny_plateau *s, double lr, double value) {
  TN_FLOAT_MODE;
  if (!s) return lr;
  const int better = !s->begun || value < s->best * (1 - tn_or_default(s->threshold, 1e-4));
  s->begun = 1;
  if (better) { s->best = value; s->bad = 0; return lr; }
  if (++s->bad <= (s->patience > 0 ? s->patience : s->patience ? 0 : 10)) return lr;
  s->bad = 0;
  const double next = lr * tn_or_default(s->factor, 0.1);
  return tn_lr(next > s->lowest ? next : s->lowest);
}
#endif
