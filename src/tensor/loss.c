// loss: how far predictions are from what is wanted, as one number or as one for each element or sample.
//
// A loss of elements is a formula of nodes that were broadcast and are f32 or f64 (tn_loss_open); what it
// gives is reduced and comes back in the dtype that the inputs meet in (tn_loss_close). Losses of classes
// turn the axis of the classes to the end and pick by comparing it with the labels, as all lookups do.
// Formulas hold no inf*0, in the value and in the gradient: what may be infinite is replaced inside of a
// WHERE before it is computed.
#ifndef TN_TENSOR_LOSS
#define TN_TENSOR_LOSS
#ifndef TINY_AMALGAMATED
#include "norm.c"
#endif

enum { TN_MOST_OPERANDS = 4 };
typedef struct tn_loss {
  const char *name;
  tiny_ctx *t;
  tiny_uop *u[TN_MOST_OPERANDS];           // the operands as f32 or f64; NULL: left out
  int dtype;                               // of the result
  tiny_reduction reduction;
  tiny_tensor *bad;                        // what to return when there is no loss
} tn_loss;

static int tn_reduction_fits(tiny_ctx *t, const char *name, int reduction) {
  if (reduction >= TINY_MEAN && reduction <= TINY_NONE) return 1;
  tiny_fail(t, TINY_E_ARG, "%s: reduction %d", name, reduction);
  return 0;
}
// Operands in[0..n-1], of which the first `needed` may not be NULL. 0 after an error, or when one is
// poisoned.
static int tn_loss_open(tn_loss *l, const char *name, int needed, int n, tiny_tensor *const *in,
                        tiny_reduction reduction) {
  tiny_tensor *given[TN_MOST_OPERANDS];
  int m = 0;
  for (int i = 0; i < n; i++) if (i < needed || in[i]) given[m++] = in[i];
  if (!tn_usable(name, m, given, &l->bad) || !tn_shapes_meet(name, m, given)) return 0;
  l->name = name; l->t = tn_ctx_of(given[0]); l->reduction = reduction;
  l->dtype = tn_uop_of(given[0])->dtype;
  for (int i = 1; i < m; i++)
    l->dtype = (int)(i == 1 ? tn_meet(tn_uop_of(given[0]), tn_uop_of(given[1]))
                            : tiny_promote((tiny_dtype)l->dtype, (tiny_dtype)tn_uop_of(given[i])->dtype));
  l->dtype = tn_real(l->dtype);
  for (int i = 0; i < n; i++) l->u[i] = in[i] ? tn_cast(l->t, tn_uop_of(in[i]), tn_computed_in(l->dtype)) : NULL;
  for (int i = 0; i < n; i++) if (in[i] && tn_bad(l->t, l->u[i])) return 0;
  for (int i = 0; i < n * n; i++) {        // before one is summed without the other
    tiny_uop **a = &l->u[i / n], **b = &l->u[i % n];
    if (*a && *b && tn_has_dims(*a, (*b)->ndim, (*b)->dim)) tn_meet_lengths(l->t, a, b);
    if ((*a && tn_bad(l->t, *a)) || (*b && tn_bad(l->t, *b))) return 0;
  }
  return tn_reduction_fits(l->t, name, reduction);
}
// The sum over the number of samples.
static tiny_uop *tn_batch_mean(tiny_ctx *t, tiny_uop *y, int bits) {
  const int64_t samples = y->ndim ? y->dim[0] : 1;
  tiny_uop *sum = tn_sum(t, y, bits, 0);
  if (y->ndim && tn_has_lengths(y, 1)) return tn_fdiv(t, sum, tn_count_as(t, y, 1, y->dtype));
  return tn_times(t, sum, samples ? 1 / (double)samples : (double)NAN);
}
static tiny_tensor *tn_loss_close(const tn_loss *l, tiny_uop *y) {
  TN_FLOAT_MODE;
  tiny_ctx *t = l->t;
  if (tn_bad(t, y)) return tn_poison(t);
  const int all = (1 << y->ndim) - 1;
  if (l->reduction == TINY_MEAN) y = tn_mean(t, y, all, 0);
  if (l->reduction == TINY_BATCH_MEAN) y = tn_batch_mean(t, y, all);
  if (l->reduction == TINY_SUM) y = tn_sum(t, y, all, 0);
  return tn_tensor_new(t, tn_narrow(t, y, l->dtype));
}

// ** formulas **

// x where it is above 0, else 0; the slope at 0 is 1, as that of torch.clamp.
static tiny_uop *tn_hinge(tiny_ctx *t, tiny_uop *x) {
  return tn_where(t, tn_below_zero(t, x), tn_k(t, x, 0), x);
}
// A parabola within limit, a line of slope `slope` beyond.
static tiny_uop *tn_rounded_abs(tiny_ctx *t, tiny_uop *x, double limit, double curve, double slope) {
  TN_FLOAT_MODE;
  tiny_uop *d = tn_abs(t, x), *near0 = tn_times(t, tn_square(t, d), 0.5 * curve);
  tiny_uop *line = tn_times(t, tn_plus(t, d, -0.5 * limit), slope);
  return tn_where(t, tn_lt(t, d, tn_k(t, d, limit)), near0, line);
}
static tiny_uop *tn_weighted(tiny_ctx *t, tiny_uop *y, tiny_uop *weight) {
  return weight ? tn_mul(t, y, weight) : y;
}

// ** losses of elements **

// What the formulas below take: an opened loss of operands named a, b, c, d.
#define TN_LOSS(name, needed, n, ...) \
  tn_loss l; \
  tiny_tensor *const in[TN_MOST_OPERANDS] = {__VA_ARGS__}; \
  memset(&l, 0, sizeof l); \
  if (!tn_loss_open(&l, name, needed, n, in, reduction)) return l.bad; \
  tiny_ctx *t = l.t

TINY_API tiny_tensor *tiny_mse_loss(tiny_tensor *x, tiny_tensor *y, tiny_reduction reduction) {
  TN_LOSS("mse_loss", 2, 2, x, y);
  return tn_loss_close(&l, tn_square(t, tn_sub(t, l.u[0], l.u[1])));
}
TINY_API tiny_tensor *tiny_l1_loss(tiny_tensor *x, tiny_tensor *y, tiny_reduction reduction) {
  TN_LOSS("l1_loss", 2, 2, x, y);
  return tn_loss_close(&l, tn_abs(t, tn_sub(t, l.u[0], l.u[1])));
}
TINY_API tiny_tensor *tiny_smooth_l1_loss(tiny_tensor *x, tiny_tensor *y, double beta,
                                          tiny_reduction reduction) {
  TN_FLOAT_MODE;
  TN_LOSS("smooth_l1_loss", 2, 2, x, y);
  if (!(beta >= 0)) return tn_wrong(t, TINY_E_ARG, "smooth_l1_loss: beta is %g", beta);
  tiny_uop *d = tn_sub(t, l.u[0], l.u[1]);
  return tn_loss_close(&l, beta > 0 ? tn_rounded_abs(t, d, beta, 1 / beta, 1) : tn_abs(t, d));
}
TINY_API tiny_tensor *tiny_huber_loss(tiny_tensor *x, tiny_tensor *y, double delta,
                                      tiny_reduction reduction) {
  TN_LOSS("huber_loss", 2, 2, x, y);
  if (!(delta > 0)) return tn_wrong(t, TINY_E_ARG, "huber_loss: delta is %g", delta);
  return tn_loss_close(&l, tn_rounded_abs(t, tn_sub(t, l.u[0], l.u[1]), delta, 1, delta));
}

// log p, but not below -100, as PyTorch; at 0 itself the gradient is 0.
static tiny_uop *tn_bounded_log(tiny_ctx *t, tiny_uop *p) {
  tiny_uop *none = tn_is_zero(t, p), *least = tn_k(t, p, -100);
  return tn_where(t, none, least, tn_max(t, tn_logarithm(t, tn_where(t, none, tn_k(t, p, 1), p)), least));
}
TINY_API tiny_tensor *tiny_binary_cross_entropy(tiny_tensor *x, tiny_tensor *y, tiny_tensor *weight,
                                                tiny_reduction reduction) {
  TN_LOSS("binary_cross_entropy", 2, 3, x, y, weight);
  tiny_uop *p = l.u[0], *yes = tn_mul(t, l.u[1], tn_bounded_log(t, p));
  tiny_uop *no = tn_mul(t, tn_plus(t, tn_neg(t, l.u[1]), 1), tn_bounded_log(t, tn_plus(t, tn_neg(t, p), 1)));
  return tn_loss_close(&l, tn_weighted(t, tn_neg(t, tn_add(t, yes, no)), l.u[2]));
}
// (1 - y) x + (1 + (pos - 1) y) log(1 + exp -x)
TINY_API tiny_tensor *tiny_binary_cross_entropy_with_logits(tiny_tensor *x, tiny_tensor *y,
                                                            tiny_tensor *weight, tiny_tensor *pos_weight,
                                                            tiny_reduction reduction) {
  TN_LOSS("binary_cross_entropy_with_logits", 2, 4, x, y, weight, pos_weight);
  tiny_uop *no = tn_mul(t, tn_plus(t, tn_neg(t, l.u[1]), 1), l.u[0]),
           *yes = tn_softplus(t, tn_neg(t, l.u[0]));
  if (l.u[3]) yes = tn_mul(t, yes, tn_plus(t, tn_mul(t, tn_plus(t, l.u[3], -1), l.u[1]), 1));
  return tn_loss_close(&l, tn_weighted(t, tn_add(t, no, yes), l.u[2]));
}
TINY_API tiny_tensor *tiny_soft_margin_loss(tiny_tensor *x, tiny_tensor *y, tiny_reduction reduction) {
  TN_LOSS("soft_margin_loss", 2, 2, x, y);
  return tn_loss_close(&l, tn_softplus(t, tn_neg(t, tn_mul(t, l.u[0], l.u[1]))));
}
TINY_API tiny_tensor *tiny_multilabel_soft_margin_loss(tiny_tensor *x, tiny_tensor *y, tiny_tensor *weight,
                                                       tiny_reduction reduction) {
  TN_LOSS("multilabel_soft_margin_loss", 2, 3, x, y, weight);
  tiny_uop *no = tn_mul(t, tn_plus(t, tn_neg(t, l.u[1]), 1), l.u[0]);
  tiny_uop *each = tn_weighted(t, tn_add(t, no, tn_softplus(t, tn_neg(t, l.u[0]))), l.u[2]);
  return tn_loss_close(&l,
                       tn_bad(t, each) || !each->ndim ? each : tn_mean(t, each, 1 << (each->ndim - 1), 0));
}
TINY_API tiny_tensor *tiny_kl_div(tiny_tensor *x, tiny_tensor *y, int log_target, tiny_reduction reduction) {
  TN_LOSS("kl_div", 2, 2, x, y);
  tiny_uop *p = l.u[0], *q = l.u[1];
  if (log_target) return tn_loss_close(&l, tn_mul(t, tn_exp(t, q), tn_sub(t, q, p)));
  return tn_loss_close(&l, tn_sub(t, tn_xlogy(t, q, q), tn_mul(t, q, p)));
}
TINY_API tiny_tensor *tiny_gaussian_nll_loss(tiny_tensor *x, tiny_tensor *y, tiny_tensor *var, int full,
                                             double eps, tiny_reduction reduction) {
  TN_FLOAT_MODE;
  TN_LOSS("gaussian_nll_loss", 3, 3, x, y, var);
  if (!tn_eps_fits(t, l.name, &eps, 1e-6)) return tn_poison(t);
  tiny_uop *v = tn_max(t, l.u[2], tn_k(t, l.u[2], eps));
  tiny_uop *error = tn_fdiv(t, tn_square(t, tn_sub(t, l.u[0], l.u[1])), v);
  tiny_uop *each = tn_times(t, tn_add(t, tn_logarithm(t, v), error), 0.5);
  return tn_loss_close(&l, full ? tn_plus(t, each, 0.5 * log(2 * TN_PI)) : each);
}
// full adds Stirling's approximation of log(y!) where y is above 1.
TINY_API tiny_tensor *tiny_poisson_nll_loss(tiny_tensor *x, tiny_tensor *y, int log_input, int full,
                                            double eps, tiny_reduction reduction) {
  TN_FLOAT_MODE;
  TN_LOSS("poisson_nll_loss", 2, 2, x, y);
  if (!tn_eps_fits(t, l.name, &eps, 1e-8)) return tn_poison(t);
  tiny_uop *p = l.u[0], *q = l.u[1];
  tiny_uop *each = log_input ? tn_sub(t, tn_exp(t, p), tn_mul(t, q, p))
                             : tn_sub(t, p, tn_mul(t, q, tn_logarithm(t, tn_plus(t, p, eps))));
  if (full) {
    tiny_uop *many = tn_gt(t, q, tn_k(t, q, 1)), *n = tn_where(t, many, q, tn_k(t, q, 1));
    tiny_uop *log_n = tn_logarithm(t, n), *half = tn_times(t, tn_plus(t, log_n, log(2 * TN_PI)), 0.5);
    each =
        tn_add(t, each, tn_where(t, many, tn_add(t, tn_sub(t, tn_mul(t, n, log_n), n), half), tn_k(t, q, 0)));
  }
  return tn_loss_close(&l, each);
}
static tiny_uop *tn_where_is(tiny_ctx *t, tiny_uop *y, double value, tiny_uop *a, tiny_uop *b) {
  return tn_where(t, tn_eq(t, y, tn_k(t, y, value)), a, b);
}
TINY_API tiny_tensor *tiny_hinge_embedding_loss(tiny_tensor *x, tiny_tensor *y, double margin,
                                                tiny_reduction reduction) {
  TN_LOSS("hinge_embedding_loss", 2, 2, x, y);
  tiny_uop *zero = tn_k(t, l.u[0], 0), *apart = tn_hinge(t, tn_plus(t, tn_neg(t, l.u[0]), margin));
  return tn_loss_close(&l, tn_add(t, tn_where_is(t, l.u[1], 1, zero, apart),
                                  tn_where_is(t, l.u[1], -1, zero, l.u[0])));
}
TINY_API tiny_tensor *tiny_margin_ranking_loss(tiny_tensor *a, tiny_tensor *b, tiny_tensor *y, double margin,
                                               tiny_reduction reduction) {
  TN_LOSS("margin_ranking_loss", 3, 3, a, b, y);
  tiny_uop *lead = tn_mul(t, l.u[2], tn_sub(t, l.u[0], l.u[1]));
  return tn_loss_close(&l, tn_hinge(t, tn_plus(t, tn_neg(t, lead), margin)));
}

// ** losses of vectors: the last axis **

TINY_API tiny_tensor *tiny_cosine_embedding_loss(tiny_tensor *a, tiny_tensor *b, tiny_tensor *y,
                                                 double margin, tiny_reduction reduction) {
  char s[TN_DIMS_TEXT], u[TN_DIMS_TEXT], v[TN_DIMS_TEXT];
  tn_loss l;
  tiny_tensor *const in[3] = {a, b, y};
  memset(&l, 0, sizeof l);
  if (!tn_usable("cosine_embedding_loss", 3, in, &l.bad)) return l.bad;
  const tiny_uop *p = tn_uop_of(a);
  if (!p->ndim || p->ndim > 2 || !tn_has_dims(tn_uop_of(b), p->ndim, p->dim) ||
      !tn_has_dims(tn_uop_of(y), p->ndim - 1, p->dim))
    return tn_wrong(tn_ctx_of(a), TINY_E_SHAPE, "cosine_embedding_loss: %s and %s with %s", tn_text_of(p, s),
                    tn_text_of(tn_uop_of(b), u), tn_text_of(tn_uop_of(y), v));
  if (!tn_loss_open(&l, "cosine_embedding_loss", 2, 2, in, reduction)) return l.bad;
  tiny_ctx *t = l.t;
  tiny_uop *sign = tn_cast(t, tn_uop_of(y), l.u[0]->dtype), *zero = tn_k(t, l.u[0], 0), *dot[3];
  for (int i = 0; i < 3; i++)              // a.b, and the squares of both lengths, which PyTorch keeps off 0
    dot[i] = tn_sum(t, tn_mul(t, l.u[i == 2], l.u[i != 1]), 1 << (p->ndim - 1), 0);
  tiny_uop *squares = tn_mul(t, tn_plus(t, dot[1], 1e-12), tn_plus(t, dot[2], 1e-12));
  tiny_uop *cosine = tn_fdiv(t, dot[0], tn_sqrt(t, squares));
  tiny_uop *apart = tn_where_is(t, sign, -1, tn_hinge(t, tn_plus(t, cosine, -margin)), zero);
  return tn_loss_close(&l, tn_where_is(t, sign, 1, tn_plus(t, tn_neg(t, cosine), 1), apart));
}
TINY_API tiny_tensor *tiny_triplet_margin_loss(tiny_tensor *anchor, tiny_tensor *positive,
                                               tiny_tensor *negative, double margin, double p, int swap,
                                               tiny_reduction reduction) {
  TN_LOSS("triplet_margin_loss", 3, 3, anchor, positive, negative);
  if (!tn_power_fits(t, l.name, p)) return tn_poison(t);
  tiny_uop *apart[3];                      // a - p, a - n, p - n
  for (int i = 0; i < 3; i++) {
    tiny_uop *d = tn_plus(t, tn_sub(t, l.u[i == 2], l.u[i == 0 ? 1 : 2]), 1e-6);
    apart[i] = tn_bad(t, d) ? d : tn_norm(t, d, p, d->ndim ? 1 << (d->ndim - 1) : 0, 0);
  }
  tiny_uop *other = swap ? tn_min(t, apart[1], apart[2]) : apart[1];
  return tn_loss_close(&l, tn_hinge(t, tn_plus(t, tn_sub(t, apart[0], other), margin)));
}

// ** losses of classes **

// Scores (C) or (N,C,d..) with the classes last, and labels (..) of the same leading dims.
typedef struct tn_classes {
  tiny_uop *x, *weight;                    // (..,C) as f32 or f64; (C) or NULL
  tiny_uop *label, *counts;                // (..): as i32 or i64; bool: is it a class, and not ignored?
  int64_t C;
} tn_classes;

static tiny_uop *tn_classes_last(tiny_ctx *t, tiny_uop *u) {
  int64_t axes[TN_MAX_DIMS];
  if (tn_bad(t, u) || u->ndim < 3) return u;
  for (int i = 0; i < u->ndim; i++) axes[i] = i == 0 ? 0 : i == u->ndim - 1 ? 1 : i + 1;
  return tn_permute(t, u, axes);
}
// Which of the classes is the label, where it counts.
static tiny_uop *tn_is_label(tiny_ctx *t, const tn_classes *c) {
  if (tn_bad(t, c->label)) return c->label;
  return tn_names(t, tn_insert(t, c->label, c->label->ndim), c->C);
}
// (..,C) -> (..): the label's element, 0 where the label does not count.
static tiny_uop *tn_of_label(tiny_ctx *t, const tn_classes *c, tiny_uop *x) {
  if (tn_bad(t, c->x)) return c->x;
  tiny_uop *picked = tn_where(t, tn_is_label(t, c), x, tn_k(t, x, 0));
  return tn_where(t, c->counts, tn_sum(t, picked, 1 << (c->x->ndim - 1), 0), tn_k(t, x, 0));
}
static int tn_classes_fit(tiny_ctx *t, const char *name, const tiny_uop *x, const tiny_uop *y,
                          tiny_tensor *weight, int same) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  const int axis = x->ndim > 1;
  int64_t dim[TN_MAX_DIMS];
  int n = 0;
  for (int i = 0; i < x->ndim; i++) if (same || i != axis) dim[n++] = x->dim[i];
  if (!x->ndim || !tn_has_dims(y, n, dim)) {
    tiny_fail(t, TINY_E_SHAPE, "%s: scores %s with %s %s", name, tn_text_of(x, a),
              same ? "probabilities" : "labels", tn_text_of(y, b));
    return 0;
  }
  if (!tn_axis_whole_for(t, name, x, axis, "there are as many classes as the dim has")) return 0;
  if (!weight || tn_has_dims(tn_uop_of(weight), 1, x->dim + axis)) return 1;
  tiny_fail(t, TINY_E_SHAPE, "%s: scores %s with class weights %s", name, tn_text_of(x, a),
            tn_text_of(tn_uop_of(weight), b));
  return 0;
}
static void tn_classes_label(tiny_ctx *t, tn_classes *c, tiny_uop *y, int64_t ignored) {
  const int dtype = tn_bits(y->dtype) > 32 || y->dtype == TINY_U32 || c->C > INT32_MAX ? TINY_I64 : TINY_I32;
  c->label = y = tn_cast(t, y, dtype);
  c->counts = tn_not(t, tn_or(t, tn_below_zero(t, y), tn_not(t, tn_lt(t, y, tn_int(t, dtype, c->C)))));
  if (ignored >= 0 && ignored < c->C)
    c->counts = tn_and(t, c->counts, tn_ne(t, y, tn_int(t, dtype, ignored)));
}

// losses (..) of samples with their weights (..), which count in the mean.
static tiny_tensor *tn_classes_close(tiny_ctx *t, tiny_uop *each, tiny_uop *weights, int dtype,
                                     tiny_reduction r) {
  tn_loss l;
  memset(&l, 0, sizeof l);
  l.t = t; l.dtype = dtype; l.reduction = r;
  if (tn_bad(t, each) || tn_bad(t, weights) || r != TINY_MEAN) return tn_loss_close(&l, each);
  const int all = (1 << each->ndim) - 1;
  weights = tn_firsts_of(t, weights, each);
  return tn_tensor_new(t,
                       tn_narrow(t, tn_fdiv(t, tn_sum(t, each, all, 0), tn_sum(t, weights, all, 0)), dtype));
}
// y (..,C) are probabilities; the mean is that of samples.
static tiny_tensor *tn_entropy_of(tiny_ctx *t, const tn_classes *c, tiny_uop *logp, tiny_uop *y,
                                  double smoothing, int dtype, tiny_reduction r) {
  TN_FLOAT_MODE;
  if (tn_bad(t, logp) || tn_bad(t, y)) return tn_poison(t);
  y = tn_cast(t, tn_classes_last(t, y), logp->dtype);
  if (smoothing > 0) y = tn_plus(t, tn_times(t, y, 1 - smoothing), smoothing / (double)c->C);
  tn_loss l;
  memset(&l, 0, sizeof l);
  l.t = t; l.dtype = dtype; l.reduction = r;
  tiny_uop *each = tn_weighted(t, tn_mul(t, logp, y), c->weight);
  return tn_loss_close(&l, tn_neg(t, tn_sum(t, each, 1 << (logp->ndim - 1), 0)));
}
static tiny_tensor *tn_class_loss(const char *name, int logits, tiny_tensor *x, tiny_tensor *y,
                                  const tiny_cross_entropy_desc *d) {
  TN_FLOAT_MODE;
  tiny_tensor *out, *in[3] = {x, y, d ? d->weight : NULL};
  if (!tn_usable_some(name, 2, 3, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const double smoothing = d ? d->label_smoothing : 0;
  const tiny_reduction r = d ? d->reduction : TINY_MEAN;
  const int likely = logits && tn_is_float(tn_uop_of(y)->dtype), dtype = tn_real(tn_uop_of(x)->dtype);
  if (!(smoothing >= 0 && smoothing <= 1))
    return tn_wrong(t, TINY_E_ARG, "%s: label smoothing %g", name, smoothing);
  if (!tn_reduction_fits(t, name, r) || !tn_classes_fit(t, name, tn_uop_of(x), tn_uop_of(y), in[2], likely) ||
      (!likely && !tn_is_index(t, name, tn_uop_of(y))))
    return out;
  tn_classes c;
  memset(&c, 0, sizeof c);
  c.C = tn_uop_of(x)->dim[tn_uop_of(x)->ndim > 1];
  c.x = tn_classes_last(t, tn_wide(t, tn_uop_of(x)));
  if (tn_bad(t, c.x)) return tn_poison(t);
  if (in[2]) c.weight = tn_cast(t, tn_uop_of(in[2]), c.x->dtype);
  const int last = 1 << (c.x->ndim - 1);
  tiny_uop *logp = logits ? tn_log_softmax(t, c.x, last) : c.x;
  if (likely) return tn_entropy_of(t, &c, logp, tn_uop_of(y), smoothing, dtype, r);
  tn_classes_label(t, &c, tn_uop_of(y), d && d->ignores ? d->ignore_index : -1);
  tiny_uop *zero = tn_k(t, c.x, 0), *each = tn_neg(t, tn_of_label(t, &c, tn_weighted(t, logp, c.weight)));
  tiny_uop *counts = tn_bad(t, c.counts) ? c.counts : tn_cast(t, c.counts, c.x->dtype);
  tiny_uop *weights = c.weight ? tn_of_label(t, &c, c.weight) : counts;
  if (smoothing > 0) {
    tiny_uop *all = tn_where(t, c.counts, tn_sum(t, tn_weighted(t, logp, c.weight), last, 0), zero);
    each = tn_sub(t, tn_times(t, each, 1 - smoothing), tn_times(t, all, smoothing / (double)c.C));
  }
  return tn_classes_close(t, each, weights, dtype, r);
}
TINY_API tiny_tensor *tiny_cross_entropy(tiny_tensor *scores, tiny_tensor *labels,
                                         const tiny_cross_entropy_desc *d) {
  return tn_class_loss("cross_entropy", 1, scores, labels, d);
}
TINY_API tiny_tensor *tiny_nll_loss(tiny_tensor *logp, tiny_tensor *labels,
                                    const tiny_cross_entropy_desc *d) {
  return tn_class_loss("nll_loss", 0, logp, labels, d);
}

TINY_API tiny_tensor *tiny_multi_margin_loss(tiny_tensor *x, tiny_tensor *y, int p, double margin,
                                             tiny_tensor *weight, tiny_reduction reduction) {
  tiny_tensor *out, *in[3] = {x, y, weight};
  if (!tn_usable_some("multi_margin_loss", 2, 3, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  if (p != 1 && p != 2) return tn_wrong(t, TINY_E_ARG, "multi_margin_loss: p is %d, not 1 or 2", p);
  if (tn_uop_of(x)->ndim > 2)
    return tn_wrong(t, TINY_E_SHAPE, "multi_margin_loss: scores of %d dims", tn_uop_of(x)->ndim);
  if (!tn_reduction_fits(t, "multi_margin_loss", reduction) ||
      !tn_classes_fit(t, "multi_margin_loss", tn_uop_of(x), tn_uop_of(y), weight, 0) ||
      !tn_is_index(t, "multi_margin_loss", tn_uop_of(y)))
    return out;
  tn_classes c;
  memset(&c, 0, sizeof c);
  c.C = tn_uop_of(x)->dim[tn_uop_of(x)->ndim > 1];
  c.x = tn_wide(t, tn_uop_of(x));
  if (tn_bad(t, c.x)) return tn_poison(t);
  const int axis = c.x->ndim - 1;
  tn_classes_label(t, &c, tn_uop_of(y), -1);
  tiny_uop *right = tn_insert(t, tn_of_label(t, &c, c.x), axis), *zero = tn_k(t, c.x, 0);
  tiny_uop *over = tn_hinge(t, tn_plus(t, tn_sub(t, c.x, right), margin));
  if (p == 2) over = tn_square(t, over);
  tiny_uop *others = tn_mean(t, tn_where(t, tn_is_label(t, &c), zero, over), 1 << axis, 0);
  others = tn_where(t, c.counts, others, zero);
  if (weight) others = tn_mul(t, others, tn_of_label(t, &c, tn_cast(t, tn_uop_of(weight), c.x->dtype)));
  tn_loss l;
  memset(&l, 0, sizeof l);
  l.t = t; l.dtype = tn_real(tn_uop_of(x)->dtype); l.reduction = reduction;
  return tn_loss_close(&l, others);
}
#undef TN_LOSS
// ** CTC **
//
// Graves et al., "Connectionist temporal classification", ICML 2006, section 4.1. The states of a target of S
// labels are its labels with a blank before, between and after: 2S+1. alpha[s], the logarithm of the
// probability of all paths to state s, is stored after every step; -inf is what cannot be.

typedef struct tn_ctc {
  tiny_uop *emit;                          // (T,N,S'): log probability of each state's label
  tiny_uop *skips;                         // (N,S') bool: may be entered from two states before
  tiny_uop *frames, *labels;               // (N,1) i32: how long inputs and targets are
  int64_t T, N, S;                         // S: states
} tn_ctc;

// (N,S') of labels (N,S): blanks in between.
static tiny_uop *tn_ctc_states(tiny_ctx *t, tiny_uop *labels, int64_t blank) {
  if (tn_bad(t, labels)) return labels;
  const int64_t N = labels->dim[0], S = labels->dim[1], flat[2] = {N, 2 * S};
  tiny_uop *u = tn_reshape(t, tn_extend(t, tn_insert(t, labels, 2), 2, 1, 0), 2, flat);
  u = tn_extend(t, u, 1, 0, 1);
  tiny_uop *odd = tn_mod(t, tn_iota(t, TINY_INDEX, 2 * S + 1, 0, 1), tn_int(t, TINY_INDEX, 2));
  return tn_where(t, tn_eq(t, odd, tn_int(t, TINY_INDEX, 1)), u, tn_int(t, labels->dtype, blank));
}
// u (N,S') moved up by n states; what comes in is -inf.
static tiny_uop *tn_ctc_shifted(tiny_ctx *t, const tn_ctc *c, tiny_uop *u, int64_t n) {
  if (n >= c->S) return tn_expand(t, tn_k(t, u, -HUGE_VAL), 2, u->dim);
  const int64_t before[4] = {0, 0, n, 0};
  return tn_pad_with(t, tn_cut(t, u, 1, 0, c->S - n), before, tn_k(t, u, -HUGE_VAL));
}
static tiny_uop *tn_ctc_join(tiny_ctx *t, tiny_uop *a, tiny_uop *b, tiny_uop *c) {
  tiny_uop *off = tn_taken_off(t, tn_max(t, tn_max(t, a, b), c));
  tiny_uop *sum = tn_add(t, tn_exp(t, tn_sub(t, a, off)), tn_exp(t, tn_sub(t, b, off)));
  return tn_log_sum(t, tn_add(t, sum, tn_exp(t, tn_sub(t, c, off))), off);
}
static tiny_uop *tn_ctc_step(tiny_ctx *t, const tn_ctc *c, tiny_uop *alpha, int64_t step) {
  tiny_uop *number = tn_scalar(t, TINY_I32, step, ++t->tensors->identity);
  tiny_uop *is = tn_eq(t, tn_iota(t, TINY_I32, c->T, 0, 3), number);
  tiny_uop *emit = tn_sum(t, tn_where(t, is, c->emit, tn_k(t, c->emit, 0)), 1, 0);
  if (tn_bad(t, alpha) || tn_bad(t, emit)) return &t->ir->bad;
  tiny_uop *never = tn_k(t, alpha, -HUGE_VAL),
           *two = tn_where(t, c->skips, tn_ctc_shifted(t, c, alpha, 2), never);
  tiny_uop *next = tn_add(t, tn_ctc_join(t, alpha, tn_ctc_shifted(t, c, alpha, 1), two), emit);
  return tn_u1(t, TINY_OP_CONTIGUOUS, tn_where(t, tn_lt(t, number, c->frames), next, alpha));
}
// (N) of alpha (N,S'): the two last states of each target; of none, only the blank.
static tiny_uop *tn_ctc_end(tiny_ctx *t, const tn_ctc *c, tiny_uop *alpha) {
  tiny_uop *last = tn_times(t, c->labels, 2), *at = tn_iota(t, TINY_I32, c->S, 1, 2),
           *zero = tn_k(t, alpha, 0);
  tiny_uop *blank = tn_sum(t, tn_where(t, tn_eq(t, at, last), alpha, zero), 2, 1);
  tiny_uop *label = tn_sum(t, tn_where(t, tn_eq(t, at, tn_plus(t, last, -1)), alpha, zero), 2, 1);
  label = tn_where(t, tn_is_zero(t, c->labels), tn_k(t, alpha, -HUGE_VAL), label);
  return tn_reshape(t, tn_log_add(t, blank, label), 1, &c->N);
}
static int tn_ctc_fits(tiny_tensor *const *in, int64_t blank) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT], s[TN_DIMS_TEXT], u[TN_DIMS_TEXT];
  tiny_ctx *t = tn_ctx_of(in[0]);
  const tiny_uop *x = tn_uop_of(in[0]), *y = tn_uop_of(in[1]), *frames = tn_uop_of(in[2]),
      *labels = tn_uop_of(in[3]);
  const int n = x->ndim - 2;               // dims of the batch
  for (int i = 1; i < 4; i++) if (!tn_is_index(t, "ctc_loss", tn_uop_of(in[i]))) return 0;
  if ((n != 0 && n != 1) || !tiny_nelem_of(in[0]) || y->ndim != n + 1 || !tn_dims_same(n, y->dim, x->dim + 1) ||
      !tn_has_dims(frames, n, x->dim + 1) || !tn_has_dims(labels, n, x->dim + 1)) {
    tiny_fail(t, TINY_E_SHAPE, "ctc_loss: %s with targets %s of lengths %s and %s", tn_text_of(x, a),
              tn_text_of(y, b), tn_text_of(frames, s), tn_text_of(labels, u));
    return 0;
  }
  if (blank >= 0 && blank < x->dim[n + 1]) return 1;
  tiny_fail(t, TINY_E_ARG, "ctc_loss: class %lld of %s as blank", (long long)blank, tn_text_of(x, a));
  return 0;
}
TINY_API tiny_tensor *tiny_ctc_loss(tiny_tensor *logp, tiny_tensor *targets, tiny_tensor *input_lengths,
                                    tiny_tensor *target_lengths, int64_t blank, int zero_infinity,
                                    tiny_reduction reduction) {
  tn_loss l;
  tiny_tensor *const in[4] = {logp, targets, input_lengths, target_lengths};
  memset(&l, 0, sizeof l);
  if (!tn_usable("ctc_loss", 4, in, &l.bad)) return l.bad;
  tiny_ctx *t = tn_ctx_of(logp);
  if (!tn_reduction_fits(t, "ctc_loss", reduction) || !tn_ctc_fits(in, blank)) return tn_poison(t);
  const int batched = tn_uop_of(logp)->ndim == 3;
  tn_ctc c;
  memset(&c, 0, sizeof c);
  c.T = tn_uop_of(logp)->dim[0]; c.N = batched ? tn_uop_of(logp)->dim[1] : 1;
  const int64_t C = tn_uop_of(logp)->dim[batched + 1], S = tn_uop_of(targets)->dim[batched], column[2] = {c.N, 1};
  const int64_t rows[2] = {c.N, S}, frame[4] = {c.T, c.N, 1, C}, grid[2] = {c.N, 2 * S + 1};
  const int inside = tn_computed_in(tn_real(tn_uop_of(logp)->dtype));
  c.S = grid[1];
  tiny_uop *y = tn_reshape(t, tn_cast(t, tn_uop_of(targets), TINY_I32), 2, rows),
           *states = tn_ctc_states(t, y, blank);
  tiny_uop *x = tn_cast(t, tn_uop_of(logp), inside);
  if (tn_bad(t, states) || tn_bad(t, x)) return tn_poison(t);
  x = tn_lookup(t, tn_reshape(t, x, 4, frame), tn_insert(t, states, 2));
  c.emit = tn_u1(t, TINY_OP_CONTIGUOUS, x);
  c.frames = tn_reshape(t, tn_cast(t, tn_uop_of(input_lengths), TINY_I32), 2, column);
  c.labels = tn_reshape(t, tn_cast(t, tn_uop_of(target_lengths), TINY_I32), 2, column);
  tiny_uop *other = tn_ne(t, states, tn_cut(t, tn_extend(t, states, 1, 2, 0), 1, 0, c.S));
  tiny_uop *at = tn_iota(t, TINY_INDEX, c.S, 1, 2), *is_label = tn_ne(t, states, tn_int(t, TINY_I32, blank));
  c.skips = tn_and(t, tn_and(t, other, is_label), tn_not(t, tn_lt(t, at, tn_int(t, TINY_INDEX, 2))));
  // Before the first frame all are at the first blank: one step leads to it again, or to the first label.
  tiny_uop *start = tn_eq(t, at, tn_int(t, TINY_INDEX, 0)), *zero = tn_constant(t, inside, 0);
  tiny_uop *alpha = tn_expand(t, tn_where(t, start, zero, tn_constant(t, inside, -HUGE_VAL)), 2, grid);
  for (int64_t i = 0; i < c.T; i++) alpha = tn_ctc_step(t, &c, alpha, i);
  if (tn_bad(t, alpha)) return tn_poison(t);
  tiny_uop *each = tn_neg(t, tn_ctc_end(t, &c, alpha));
  if (zero_infinity) each = tn_where_is(t, each, HUGE_VAL, tn_k(t, each, 0), each);
  if (reduction == TINY_MEAN && !tn_bad(t, each)) {
    tiny_uop *length = tn_cast(t, tn_reshape(t, c.labels, 1, &c.N), each->dtype);
    each = tn_fdiv(t, each, tn_max(t, length, tn_k(t, length, 1)));
  }
  l.t = t; l.dtype = tn_real(tn_uop_of(logp)->dtype); l.reduction = reduction;
  return tn_loss_close(&l, batched ? each : tn_reshape(t, each, 0, NULL));
}
#endif
